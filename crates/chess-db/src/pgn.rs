//! Writes rows of `pgn_view` as PGN in export format: the seven tag roster first, lines of moves of at most 79 characters,
//! with the comments, glyphs and variations of the annotated text, and clocks and evaluations from columns.
//!
//! A written game reads back as the same game, except for ids and malformed tags, which PGN cannot express. Anybody may
//! write to the tables, so other values may be inexpressible too: a two-dimensional array, a tag with a space in its
//! name. Such a value is left out and named, and the rest of the game is written.

use std::collections::BTreeMap;
use std::error::Error as _;

use chess_core::board::fen;
use chess_core::text::clocks_evals::ClocksEvals;
use chess_core::text::movetext::read_moves;
use chess_core::text::outcome::Outcome;
use chess_core::text::tags::{StartTags, is_start_tag, tag_outcome};
use chess_core::text::write_pgn::{self, is_tag_name, push_tag};
use chess_core::{CorruptGame, GameRef, GameResult};
use postgres::types::FromSql;
use serde_json::value::RawValue;

use crate::plies::Plies;
use crate::wire::GameBytes;

/// Names and values of tags; a name may have several values.
pub type Tags = BTreeMap<String, Vec<String>>;

/// Values that were left out of a game, each with the reason.
pub type Lost = Vec<String>;

/// The columns of `pgn_view` that [`read`] reads, in their order. The evaluations are those of the PGN alone, the names as well.
pub const COLUMNS: &str = "pgn_event, pgn_site, date, round, pgn_white, pgn_black, result, white_elo, black_elo, \
                           time_control, eco, tags::text, game, clocks, pgn_evals, annotated, id";

/// A row of `pgn_view`.
#[derive(Clone, Default)]
pub struct Row {
    /// The values of Event, Site, Date, Round, White and Black, in this order.
    pub roster: [Option<String>; 6],
    /// As in the PGN.
    pub result: Option<String>,
    /// White, Black.
    pub elo: [Option<i32>; 2],
    /// As in the PGN.
    pub time_control: Option<String>,
    /// The code of the opening.
    pub eco: Option<String>,
    /// The tags without a column.
    pub tags: Tags,
    /// The bytes of the game.
    pub game: Option<Vec<u8>>,
    /// A tenth of a second each.
    pub clocks: Option<Plies>,
    /// Centipawns for White.
    pub evals: Option<Plies>,
    /// The moves as their author wrote them.
    pub annotated: Option<String>,
}

/// Whether the value of a tag means "unknown": empty, `?`, `??` or, if the tag has no other use of it, `-`. A date may
/// have question marks in its parts.
pub fn is_unknown(name: &str, value: &str) -> bool {
    let value = value.trim();
    match name {
        "Date" => value.chars().all(|found| matches!(found, '?' | '.' | '-' | '/')),
        // `-` means that a game has no round or no time control.
        "Round" | "TimeControl" => value.chars().all(|found| found == '?'),
        _ => value == "-" || value.chars().all(|found| found == '?'),
    }
}

/// The result that a tag says, unless it says that there is none.
pub fn claimed_result(text: &str) -> Option<GameResult> {
    tag_outcome(text).filter(|outcome| *outcome != Outcome::UNKNOWN).map(Outcome::result)
}

/// Whether the first value of a tag is another spelling of its column's value, which it then stands for. `of_moves` is the result
/// after the moves.
pub fn spells_out(name: &str, text: &str, column: &str, of_moves: &str) -> bool {
    text != column
        && match name {
            "Result" => claimed_result(text).map_or(of_moves, |claimed| claimed.as_str()) == column,
            "WhiteElo" | "BlackElo" => text.trim().parse::<i32>().is_ok_and(|elo| column == elo.to_string()),
            _ => false,
        }
}

/// Reads a row with [`COLUMNS`]; values that cannot be read are added to `lost`.
pub fn read(row: &postgres::Row, lost: &mut Lost) -> Row {
    let tags = column::<String>(row, 11, "tags", lost);
    Row {
        roster: [(0, "event"), (1, "site"), (2, "date"), (3, "round"), (4, "White"), (5, "Black")]
            .map(|(place, name)| column(row, place, name, lost)),
        result: column(row, 6, "result", lost),
        elo: [(7, "white_elo"), (8, "black_elo")].map(|(place, name)| column(row, place, name, lost)),
        time_control: column(row, 9, "time control", lost),
        eco: column(row, 10, "eco", lost),
        tags: tags.map(|json| tags_of(&json, lost)).unwrap_or_default(),
        game: column::<GameBytes>(row, 12, "moves", lost).map(|game| game.0),
        clocks: column(row, 13, "clocks", lost),
        evals: column(row, 14, "evaluations", lost),
        annotated: column(row, 15, "annotations", lost),
    }
}

/// The value of a column, or `None` if it is NULL or has an unexpected type.
fn column<'r, T: FromSql<'r>>(row: &'r postgres::Row, place: usize, name: &str, lost: &mut Lost) -> Option<T> {
    row.try_get(place).unwrap_or_else(|error: postgres::Error| {
        let reason = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        lost.push(format!("its {name}: {reason}"));
        None
    })
}

/// Reads tags from a JSON object. Numbers keep their JSON spelling. Names that PGN does not allow are left out, and
/// `lost` says so.
pub fn tags_of(json: &str, lost: &mut Lost) -> Tags {
    let Ok(object) = serde_json::from_str::<BTreeMap<String, &RawValue>>(json) else {
        lost.push("its tags: they are not a JSON object".to_owned());
        return Tags::new();
    };
    let text = |value: &RawValue| match value.get() {
        "null" => None,
        json => Some(serde_json::from_str(json).unwrap_or_else(|_| json.to_owned())),
    };
    let mut tags = Tags::new();
    for (name, value) in object {
        if !is_tag_name(&name) {
            lost.push(format!("its tag {name:?}: a name has only ASCII letters, digits and \"_\""));
            continue;
        }
        let values = match serde_json::from_str::<Vec<&RawValue>>(value.get()) {
            Ok(values) => values.into_iter().filter_map(text).collect(),
            Err(_) => Vec::from_iter(text(value)),
        };
        tags.insert(name, values);
    }
    tags
}

/// Appends a game to `out`, and to `lost` the values that were left out.
pub fn write_game(out: &mut String, mut row: Row, lost: &mut Lost) {
    let game = match row.game.as_deref().map(checked) {
        Some(Ok(game)) => Some(game),
        Some(Err(error)) => {
            lost.push(format!("its moves: {error}"));
            None
        }
        None => {
            if !lost.iter().any(|lost| lost.starts_with("its moves")) {
                lost.push("its moves: there are none".to_owned());
            }
            None
        }
    };
    let result = row.result.as_deref().unwrap_or_else(|| game.map_or("*", |game| game.result().as_str()));
    let tags = std::mem::take(&mut row.tags);
    write_tags(out, &row, tags, game, result);
    let moves = out.len();
    match game {
        Some(game) => {
            let columns = columns_of(&row, game.ply_count() as usize, lost);
            let result = game.result().as_str();
            let text = row.annotated.as_deref().filter(|text| !text.trim().is_empty());
            let annotated = text.map_or(Ok(false), |text| write_pgn::push_annotated(out, game, text, &columns, result));
            let written = annotated.and_then(|annotated| {
                if annotated {
                    return Ok(());
                }
                if text.is_some() {
                    lost.push("its annotations: they belong to another game".to_owned());
                }
                write_pgn::push_moves(out, game, &columns, result)
            });
            if let Err(error) = written {
                lost.push(format!("its moves: {error}"));
                out.truncate(moves);
                out.push_str(result);
            }
        }
        None => out.push_str(GameResult::from_token(result).unwrap_or_default().as_str()),
    }
    out.push_str("\n\n");
}

/// Checks the header and the start only; decoding checks the moves later.
fn checked(bytes: &[u8]) -> Result<GameRef<'_>, CorruptGame> {
    let game = GameRef::new(bytes)?;
    game.start_board()?;
    Ok(game)
}

fn write_tags(out: &mut String, row: &Row, mut rest: Tags, game: Option<GameRef<'_>>, result: &str) {
    let names = ["Event", "Site", "Date", "Round", "White", "Black"];
    for (name, value) in names.into_iter().zip(&row.roster) {
        // If "unknown" was spelled in another way than here, the original spelling is in `tags`.
        let said = rest.get_mut(name).filter(|values| values.first().is_some_and(|first| is_unknown(name, first)));
        match (value, said) {
            (Some(value), _) => push_tag(out, name, value),
            (None, Some(values)) => push_tag(out, name, &values.remove(0)),
            (None, None) => push_tag(out, name, if name == "Date" { "????.??.??" } else { "?" }),
        }
    }
    // `tags` has an unusual spelling of a value, which is written below. It may also have the value of a second tag, or of a result
    // that was corrected since. A reader takes the first tag, so the column's value must then come before it.
    let of_moves = game.map_or(result, |game| game.result().as_str());
    let [white, black] = row.elo.map(|elo| elo.map(|elo| elo.to_string()));
    for (name, value) in [("Result", Some(result)), ("WhiteElo", white.as_deref()), ("BlackElo", black.as_deref())] {
        let Some(value) = value else { continue };
        let said = rest.get(name).and_then(|values| values.first());
        if !said.is_some_and(|text| spells_out(name, text, value, of_moves)) {
            push_tag(out, name, value);
        }
    }
    for (name, value) in [("TimeControl", &row.time_control), ("ECO", &row.eco)] {
        if let Some(value) = value {
            push_tag(out, name, value);
        }
    }
    if let Some(game) = game {
        complete_start(&mut rest, game);
    }
    for (name, values) in rest {
        values.iter().for_each(|value| push_tag(out, &name, value));
    }
    out.push('\n');
}

/// Adds the tags about the start that `tags` lack. Tags that say another start than the game's are replaced.
fn complete_start(tags: &mut Tags, game: GameRef<'_>) {
    let Ok(start) = game.start_board() else { return };
    let mut own = Vec::new();
    if game.is_chess960() {
        own.push(("Variant", "Chess960".to_owned()));
    }
    if game.has_custom_start() {
        own.extend([("SetUp", "1".to_owned()), ("FEN", fen::write(&start))]);
    }
    let says_more = tags.keys().any(|name| is_start_tag(name));
    let complete = |tags: &mut Tags| {
        for (name, value) in &own {
            if !tags.keys().any(|known| known.eq_ignore_ascii_case(name)) {
                tags.insert((*name).to_owned(), vec![value.clone()]);
            }
        }
    };
    complete(tags);
    if says_more {
        let mut said = StartTags { forgives: true, ..StartTags::default() };
        for (name, values) in tags.iter() {
            values.iter().for_each(|value| _ = said.take(name, value.into()));
        }
        let read = read_moves(&said, "").ok();
        let is_same = read.is_some_and(|read| {
            read.view().is_chess960() == game.is_chess960() && read.view().start_board().ok().as_ref() == Some(&start)
        });
        if !is_same {
            tags.retain(|name, _| !is_start_tag(name));
            complete(tags);
        }
    }
}

/// The clocks and evaluations that belong to half-moves of the game and are in range.
fn columns_of(row: &Row, plies: usize, lost: &mut Lost) -> ClocksEvals {
    let mut others = [0; 2];
    let mut of_game = |column: &Option<Plies>, n: usize| {
        let (values, beyond) = column.as_ref()?.of_game(plies);
        others[n] = beyond;
        Some(values)
    };
    let mut columns = ClocksEvals { clocks: of_game(&row.clocks, 0), evals: of_game(&row.evals, 1) };
    let unwritable = columns.drop_unwritable();
    for (n, name) in ["clocks", "evaluations"].into_iter().enumerate() {
        if others[n] > 0 {
            lost.push(format!("{} of its {name}: they belong to none of its {plies} half-moves", others[n]));
        }
        if unwritable[n] > 0 {
            lost.push(format!("{} of its {name}: out of range", unwritable[n]));
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tags that say another start than the game's, in any case, are replaced by the game's own.
    #[test]
    fn the_start_is_that_of_the_game() {
        let (king, rook) = ("8/8/8/8/8/4k3/8/4K3 w - - 0 1", "8/8/8/8/8/4k3/8/4K2R w - - 0 1");
        let board = |fen: &str| chess_core::text::movetext::read(&format!("[FEN \"{fen}\"]")).unwrap();
        let standard = chess_core::text::movetext::read("").unwrap();
        for (game, said, expected) in [
            (&standard, vec![("fen", rook), ("FEN", "?")], vec![]),
            (&standard, vec![("FEN", "?"), ("Source", "x")], vec![("FEN", "?"), ("Source", "x")]),
            (&standard, vec![("variant", "Chess960")], vec![]),
            (&board(king), vec![], vec![("FEN", king), ("SetUp", "1")]),
            (&board(king), vec![("fen", rook)], vec![("FEN", king), ("SetUp", "1")]),
            (&board(king), vec![("Fen", king)], vec![("Fen", king), ("SetUp", "1")]),
            (
                &board(king),
                vec![("Variant", "From Position")],
                vec![("FEN", king), ("SetUp", "1"), ("Variant", "From Position")],
            ),
        ] {
            let mut tags: Tags = said.iter().map(|(name, value)| (name.to_string(), vec![value.to_string()])).collect();
            complete_start(&mut tags, game.view());
            let found: Vec<_> = tags.iter().map(|(name, values)| (name.as_str(), values[0].as_str())).collect();
            assert_eq!(found, expected, "{said:?}");
        }
    }

    #[test]
    fn what_is_unknown() {
        for value in ["", " ", "?", "??", " ???? ", "-"] {
            for name in ["Event", "White", "ECO"] {
                assert!(is_unknown(name, value), "{name} {value:?}");
            }
        }
        for value in ["", "?", "??"] {
            assert!(is_unknown("Round", value) && is_unknown("TimeControl", value), "{value:?}");
        }
        for value in ["", "?", "????.??.??", "??", "????-??-??", "-"] {
            assert!(is_unknown("Date", value), "{value:?}");
        }
        for (name, value) in [("Round", "-"), ("TimeControl", "-"), ("ECO", "A00"), ("White", "--"), ("Date", "?.5.?")]
        {
            assert!(!is_unknown(name, value), "{name} {value:?}");
        }
    }
}
