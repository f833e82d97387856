//! What a search looks for: a position, pieces, material or a pattern. Parameters of a URL go in; SQL comes out, for which
//! games match and at which half-moves.

use chess_core::board::fen;
use chess_core::search::material::Material;
use chess_core::search::pattern::Pattern;

use crate::database::query::Query;
use crate::failure::{Failure, Outcome};
use crate::http::params::Params;
use crate::question::blocking::run_blocking;
use crate::question::position::AskedPosition;

/// The longest pattern, in bytes.
pub const PATTERN: usize = 4096;

/// The criterion of a search.
#[derive(Clone, Debug)]
pub enum Criterion {
    /// Any game.
    Anything,
    /// A position.
    Position(Box<AskedPosition>),
    /// Exactly these pieces: as a board, and as a pattern.
    Pieces(String, String),
    /// Material, whose text is also a pattern.
    Material(String),
    /// A pattern.
    Pattern(String),
    /// Several of these, all of which a game must meet. The first one says at which half-move it matches.
    All(Vec<Criterion>),
}

impl Criterion {
    /// Takes the criterion from the parameters.
    ///
    /// # Errors
    ///
    /// 400 for a text that cannot be read, with the place if it is a pattern.
    pub async fn read(params: &mut Params) -> Outcome<Criterion> {
        let has_position = params.has("fen") || params.has("play");
        let position = AskedPosition::read_with_symmetries(params)?;
        let others = Criterion::beside_position(params).await?;
        if !has_position {
            return match position.symmetries {
                true => Err(Failure::bad("\"symmetries\" goes with a position")),
                false => Ok(others),
            };
        }
        let position = Criterion::Position(Box::new(position));
        Ok(match others {
            Criterion::Anything => position,
            Criterion::All(others) => Criterion::All([vec![position], others].concat()),
            other => Criterion::All(vec![position, other]),
        })
    }

    /// Takes all but the position.
    ///
    /// # Errors
    ///
    /// As [`Criterion::read`].
    pub async fn beside_position(params: &mut Params) -> Outcome<Criterion> {
        let exact = params.flag("exact")?;
        if exact && !params.has("pieces") {
            return Err(Failure::bad("\"exact\" goes with \"pieces\""));
        }
        let mut all = Vec::new();
        if let Some(placement) = params.text("pieces")? {
            all.push(pieces(&placement, exact).await?);
        }
        if let Some(text) = params.long_text("pattern", PATTERN)? {
            all.push(Criterion::Pattern(spelling(text).await?));
        }
        if let Some(material) = params.text("material")? {
            let text = material.clone();
            if !run_blocking(move || Material::read(&text).is_some() && Pattern::read(&text).is_ok()).await? {
                let error =
                    format!("\"{material}\" is not material: the pieces of each side with a v between, such as KRPvKR");
                return Err(Failure::bad(error));
            }
            all.push(Criterion::Material(material));
        }
        Ok(match all.len() {
            0 => Criterion::Anything,
            1 => all.remove(0),
            _ => Criterion::All(all),
        })
    }

    /// The one that says where a game matches.
    pub fn first(&self) -> &Criterion {
        match self {
            Criterion::All(all) => &all[0],
            one => one,
        }
    }

    /// The patterns that a game must have, but for a position, which is none.
    pub fn patterns(&self) -> Vec<String> {
        match self {
            Criterion::Anything | Criterion::Position(_) => Vec::new(),
            Criterion::All(all) => all.iter().flat_map(Criterion::patterns).collect(),
            Criterion::Pieces(_, pattern) | Criterion::Material(pattern) | Criterion::Pattern(pattern) => {
                vec![pattern.clone()]
            }
        }
    }

    /// The positions that a game must reach.
    pub fn positions(&self) -> Vec<&AskedPosition> {
        match self {
            Criterion::Position(asked) => vec![asked],
            Criterion::All(all) => all.iter().flat_map(Criterion::positions).collect(),
            Criterion::Anything | Criterion::Pieces(..) | Criterion::Material(_) | Criterion::Pattern(_) => Vec::new(),
        }
    }

    /// Appends the condition ` AND …`, on `{schema}.games g`.
    pub fn condition(&self, query: &mut Query) {
        match self {
            Criterion::Anything => (),
            Criterion::All(all) => all.iter().for_each(|one| one.condition(query)),
            Criterion::Position(asked) => {
                query.push(" AND ", []);
                asked.condition(query);
            }
            Criterion::Pieces(board, _) => {
                query.push(" AND {chess}.hasPieces(g.game, {}::{chess}.chessboard)", [board.as_str().into()]);
            }
            Criterion::Material(material) => {
                query.push(" AND {chess}.hasMaterial(g.game, {})", [material.as_str().into()]);
            }
            Criterion::Pattern(pattern) => {
                query.push(" AND g.game {@@} {}::{chess}.chesspattern", [pattern.as_str().into()]);
            }
        }
    }

    /// Appends the first half-move of game `g` that matches.
    pub fn ply(&self, query: &mut Query) {
        match self.first() {
            Criterion::Anything | Criterion::All(_) => query.push("NULL::integer", []),
            Criterion::Position(asked) => {
                query.push("{chess}.plyOf(g.game, ", []);
                asked.reached(query);
                query.push(")", []);
            }
            Criterion::Pieces(_, pattern) | Criterion::Material(pattern) | Criterion::Pattern(pattern) => {
                query.push("{chess}.plyOfPattern(g.game, {}::{chess}.chesspattern)", [pattern.as_str().into()]);
            }
        }
    }

    /// Appends the array of all half-moves of game `g` that match.
    pub fn plies(&self, query: &mut Query) {
        match self.first() {
            Criterion::Anything | Criterion::All(_) => query.push("NULL::integer[]", []),
            Criterion::Position(asked) => {
                let plies = match asked.symmetries {
                    true => {
                        "array(SELECT p.ply FROM {chess}.positions(g.game) p \
                         WHERE EXISTS (SELECT FROM unnest({chess}.symmetricBoards({}::{chess}.chessboard)) b \
                         WHERE {chess}.samePosition(p.board, b)) ORDER BY p.ply)"
                    }
                    false => {
                        "array(SELECT p.ply FROM {chess}.positions(g.game) p \
                         WHERE {chess}.samePosition(p.board, {}::{chess}.chessboard) ORDER BY p.ply)"
                    }
                };
                query.push(plies, [asked.fen().into()]);
            }
            Criterion::Pieces(_, pattern) | Criterion::Material(pattern) | Criterion::Pattern(pattern) => query.push(
                "array(SELECT f.last FROM {chess}.findPattern(g.game, {}::{chess}.chesspattern) f ORDER BY f.last)",
                [pattern.as_str().into()],
            ),
        }
    }
}

/// The normalized spelling of a pattern.
///
/// # Errors
///
/// As for [`pattern`].
pub async fn spelling(text: String) -> Outcome<String> {
    run_blocking(move || Ok(pattern(&text)?.as_str().to_owned())).await?
}

/// Parses a pattern. That can take some ten milliseconds, so it belongs into [`run_blocking`].
///
/// # Errors
///
/// 400 with the reason and the place.
pub fn pattern(text: &str) -> Outcome<Pattern> {
    Pattern::read(text).map_err(|error| {
        let failure = Failure::bad(error.reason).at(error.at.saturating_sub(1));
        match error.hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })
}

async fn pieces(placement: &str, exact: bool) -> Outcome<Criterion> {
    let wrong = |reason: String| Failure::bad(format!("\"pieces\" is the first field of a FEN: {reason}"));
    if let Some(letter) = placement.chars().find(|letter| !"PNBRQKpnbrqk12345678/?.".contains(*letter)) {
        return Err(wrong(format!("\"{letter}\" is neither a piece, a digit, ? nor .")));
    }
    // the FEN reader checks ranks and files, and its message says what is wrong
    let plain = placement.replace(['?', '.'], "1");
    fen::read(&plain).map_err(|error| wrong(error.to_string()))?;
    if !placement.contains(|letter: char| letter.is_ascii_alphabetic() || letter == '.') {
        return Err(Failure::bad("\"pieces\" needs a piece, or a square that must be empty"));
    }
    if exact {
        if placement.contains('?') {
            return Err(Failure::bad("with \"exact\" every square must be given"));
        }
        let spelt: String = plain.chars().map(spelt_out).collect();
        return Ok(Criterion::Pieces(plain, format!("board({spelt})")));
    }
    let open = placement.replace('?', "1").replace('.', "_");
    Ok(Criterion::Pattern(spelling(format!("board({open})")).await?))
}

/// A digit as that number of empty squares.
fn spelt_out(letter: char) -> String {
    match letter.to_digit(10) {
        Some(count) => "_".repeat(count as usize),
        None => letter.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::query::Names;

    async fn shown(query: &str) -> Result<String, (String, Option<usize>)> {
        let mut params = Params::of(query);
        let criterion = Criterion::read(&mut params).await.map_err(|failure| (failure.error, failure.at))?;
        params.finish().map_err(|failure| (failure.error, failure.at))?;
        let mut query = Query::default();
        criterion.condition(&mut query);
        Ok(query.literal(&Names { schema: "chess".into(), extension: "public".into() }))
    }

    #[tokio::test]
    async fn conditions() {
        for (asked, condition) in [
            ("", ""),
            (
                "play=e4",
                " AND hasBoard(g.game, 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1'::chessboard)",
            ),
            ("pieces=8/8/8/3N?3/8/8/8/7.", " AND g.game @@ 'board(8/8/8/3N4/8/8/8/7_)'::chesspattern"),
            ("pieces=8/8/8/3Nk3/8/8/8/7K&exact=1", " AND hasPieces(g.game, '8/8/8/3Nk3/8/8/8/7K'::chessboard)"),
            ("material=KRPvKR", " AND hasMaterial(g.game, 'KRPvKR')"),
            (
                "material=KRPvKR&pattern=Nd5&play=e4",
                " AND hasBoard(g.game, 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1'::chessboard) \
                 AND g.game @@ 'Nd5'::chesspattern AND hasMaterial(g.game, 'KRPvKR')",
            ),
            (
                "fen=8/8/8/3Nk3/8/8/8/7K&symmetries=1",
                " AND g.game && symmetricBoards('8/8/8/3Nk3/8/8/8/7K w - - 0 1'::chessboard)",
            ),
            ("pattern=KPRvKR", " AND g.game @@ 'KRPvKR'::chesspattern"),
        ] {
            assert_eq!(shown(asked).await.as_deref(), Ok(condition), "{asked}");
        }
    }

    #[tokio::test]
    async fn criteria_that_cannot_be_read() {
        for asked in [
            "pieces=8/8",
            "pieces=8/8/8/8/8/8/8/8",
            "pieces=x",
            "pieces=8/8/8/3N4/8/8/8/8)or(any",
            "pieces=8/8/8/3N?3/8/8/8/8&exact=1",
            "exact=1",
            "symmetries=1",
            "fen=8/8/8/3Nk3/8/8/8/7K&symmetries=2",
            "material=RPvR",
            "material=KRP",
            "fen=8/8",
        ] {
            assert!(shown(asked).await.is_err(), "{asked}");
        }
        assert_eq!(shown("pattern=Nd5+and+Xe4").await.unwrap_err().1, Some(8));
    }
}
