//! What a search looks for in games: a position, pieces, material, or a pattern; and where it is found in one.

use std::sync::LazyLock;
use std::thread::available_parallelism;

use axum::http::StatusCode;
use chess_core::board::fen;
use chess_core::search::material::Material;
use chess_core::search::pattern::Pattern;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::failure::{Failure, Outcome};
use crate::params::Params;
use crate::position::{Asked, Reading};
use crate::query::Query;

/// The longest pattern.
pub const PATTERN: usize = 4096;

/// What is looked for.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// Any game.
    Anything,
    /// A position.
    Position(Box<Asked>),
    /// Exactly these pieces: the board, and the same as a pattern.
    Pieces(String, String),
    /// The material, which is a pattern as well.
    Material(String),
    /// A pattern.
    Pattern(String),
}

impl Wanted {
    /// Takes it from the parameters.
    ///
    /// # Errors
    ///
    /// 400 for what makes no sense, with the place in a pattern.
    pub async fn read(params: &mut Params) -> Outcome<Wanted> {
        let exact = params.flag("exact")?;
        let has_position = params.has("fen") || params.has("play");
        let several = [has_position, params.has("pieces"), params.has("material"), params.has("pattern")];
        if several.iter().filter(|there| **there).count() > 1 {
            return Err(Failure::bad("one of a position, \"pieces\", \"material\" and \"pattern\" can be looked for"));
        }
        if exact && !params.has("pieces") {
            return Err(Failure::bad("\"exact\" goes with \"pieces\""));
        }
        let position = Asked::read(params, Reading::Strict)?;
        if has_position {
            return Ok(Wanted::Position(Box::new(position)));
        }
        if let Some(placement) = params.text("pieces")? {
            return pieces(&placement, exact).await;
        }
        if let Some(material) = params.text("material")? {
            let text = material.clone();
            if !apart(move || Material::read(&text).is_some() && Pattern::read(&text).is_ok()).await? {
                let error =
                    format!("\"{material}\" is no material: the pieces of each side with a v between, such as KRPvKR");
                return Err(Failure::bad(error));
            }
            return Ok(Wanted::Material(material));
        }
        match params.long_text("pattern", PATTERN)? {
            None => Ok(Wanted::Anything),
            Some(text) => Ok(Wanted::Pattern(spelling(text).await?)),
        }
    }

    /// Appends ` AND …`, on `{schema}.games g`.
    pub fn condition(&self, query: &mut Query) {
        match self {
            Wanted::Anything => (),
            Wanted::Position(asked) => {
                query.push(" AND {chess}.hasBoard(g.game, {}::{chess}.chessboard)", [asked.fen().into()]);
            }
            Wanted::Pieces(board, _) => {
                query.push(" AND {chess}.hasPieces(g.game, {}::{chess}.chessboard)", [board.as_str().into()]);
            }
            Wanted::Material(material) => {
                query.push(" AND {chess}.hasMaterial(g.game, {})", [material.as_str().into()]);
            }
            Wanted::Pattern(pattern) => {
                query.push(" AND g.game {@@} {}::{chess}.chesspattern", [pattern.as_str().into()]);
            }
        }
    }

    /// Appends the half-move of game `g` where it is first there.
    pub fn ply(&self, query: &mut Query) {
        match self {
            Wanted::Anything => query.push("NULL::integer", []),
            Wanted::Position(asked) => {
                query.push("{chess}.plyOf(g.game, {}::{chess}.chessboard)", [asked.fen().into()]);
            }
            Wanted::Pieces(_, pattern) | Wanted::Material(pattern) | Wanted::Pattern(pattern) => {
                query.push("{chess}.plyOfPattern(g.game, {}::{chess}.chesspattern)", [pattern.as_str().into()]);
            }
        }
    }

    /// Appends the half-moves of game `g` where it is there, as an array.
    pub fn plies(&self, query: &mut Query) {
        match self {
            Wanted::Anything => query.push("NULL::integer[]", []),
            Wanted::Position(asked) => query.push(
                "array(SELECT p.ply FROM {chess}.positions(g.game) p \
                 WHERE {chess}.samePosition(p.board, {}::{chess}.chessboard) ORDER BY p.ply)",
                [asked.fen().into()],
            ),
            Wanted::Pieces(_, pattern) | Wanted::Material(pattern) | Wanted::Pattern(pattern) => query.push(
                "array(SELECT f.last FROM {chess}.findPattern(g.game, {}::{chess}.chesspattern) f ORDER BY f.last)",
                [pattern.as_str().into()],
            ),
        }
    }
}

/// Runs work that takes processor time outside the threads that serve connections, on as many threads as there are
/// processors. The request's timeout ends only the wait; the work ends soon, or at its own limit.
///
/// # Errors
///
/// 500 if the work panics.
pub async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Outcome<T> {
    static PLACES: LazyLock<Semaphore> =
        LazyLock::new(|| Semaphore::new(available_parallelism().map_or(1, |processors| processors.get())));
    let failed = |_| Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "something went wrong here");
    // The semaphore never closes.
    let place = PLACES.acquire().await.map_err(|_| Failure::unavailable("the server is ending"))?;
    spawn_blocking(move || {
        // Held to the end of the work, even after the request has timed out.
        let _place = place;
        work()
    })
    .await
    .map_err(failed)
}

/// The normalized spelling of a pattern.
async fn spelling(text: String) -> Outcome<String> {
    apart(move || Ok(pattern(&text)?.as_str().to_owned())).await?
}

/// Parses a pattern. That takes up to some ten milliseconds: see [`apart`].
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

async fn pieces(placement: &str, exact: bool) -> Outcome<Wanted> {
    let wrong = |reason: String| Failure::bad(format!("\"pieces\" is the first field of a FEN: {reason}"));
    if let Some(letter) = placement.chars().find(|letter| !"PNBRQKpnbrqk12345678/?.".contains(*letter)) {
        return Err(wrong(format!("\"{letter}\" is neither a piece, a digit, ? nor .")));
    }
    // the reader of FEN checks ranks and files and says what is wrong with them
    let plain = placement.replace(['?', '.'], "1");
    fen::read(&plain).map_err(|error| wrong(error.to_string()))?;
    if !placement.contains(|letter: char| letter.is_ascii_alphabetic() || letter == '.') {
        return Err(Failure::bad("\"pieces\" asks for no piece and no empty square"));
    }
    if exact {
        if placement.contains('?') {
            return Err(Failure::bad("\"exact\" leaves no square open"));
        }
        let spelt: String = plain.chars().map(spelt_out).collect();
        return Ok(Wanted::Pieces(plain, format!("board({spelt})")));
    }
    let open = placement.replace('?', "1").replace('.', "_");
    Ok(Wanted::Pattern(spelling(format!("board({open})")).await?))
}

/// So many empty squares.
fn spelt_out(letter: char) -> String {
    match letter.to_digit(10) {
        Some(count) => "_".repeat(count as usize),
        None => letter.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Names;

    async fn shown(query: &str) -> Result<String, (String, Option<usize>)> {
        let mut params = Params::of(query);
        let wanted = Wanted::read(&mut params).await.map_err(|failure| (failure.error, failure.at))?;
        params.finish().map_err(|failure| (failure.error, failure.at))?;
        let mut query = Query::default();
        wanted.condition(&mut query);
        Ok(query.shown(&Names { schema: "chess".into(), extension: "public".into() }))
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
            ("pattern=KPRvKR", " AND g.game @@ 'KRPvKR'::chesspattern"),
        ] {
            assert_eq!(shown(asked).await.as_deref(), Ok(condition), "{asked}");
        }
    }

    #[tokio::test]
    async fn what_makes_no_sense() {
        for asked in [
            "pieces=8/8",
            "pieces=8/8/8/8/8/8/8/8",
            "pieces=x",
            "pieces=8/8/8/3N4/8/8/8/8)or(any",
            "pieces=8/8/8/3N?3/8/8/8/8&exact=1",
            "exact=1",
            "material=RPvR",
            "material=KRP",
            "material=KRvKR&pattern=any",
            "fen=8/8",
        ] {
            assert!(shown(asked).await.is_err(), "{asked}");
        }
        assert_eq!(shown("pattern=Nd5+and+Xe4").await.unwrap_err().1, Some(8));
    }

    /// The test has one thread: it can answer other requests only if the work runs elsewhere.
    #[tokio::test]
    async fn work_is_done_apart() {
        use std::time::Duration;
        let (begins, mut began) = tokio::sync::mpsc::unbounded_channel();
        let (end, ends) = std::sync::mpsc::channel();
        let work = tokio::spawn(apart(move || {
            begins.send(()).unwrap();
            ends.recv_timeout(Duration::from_secs(30)).unwrap_or("nobody could say when")
        }));
        began.recv().await.unwrap();
        end.send("done").unwrap();
        assert_eq!(work.await.unwrap(), Ok("done"));
    }
}
