//! Writes stored games as PGN in export format: the seven tag roster first, lines of moves of at most 79 characters.
//! Annotated games keep their authors' text and line breaks; clocks and evaluations from columns are inserted.
//!
//! An export reads back as the same rows, except for ids and malformed tags, which PGN cannot express. Anybody may
//! write to the tables, so other values may be inexpressible too: a two-dimensional array, a tag with a space in its
//! name. Such a value is left out with a warning, and the export continues.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::fmt::Write as _;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::ops::Range;

use anyhow::{Error, Result};
use chess_core::board::fen;
use chess_core::game::start::GameStart;
use chess_core::text::annotated::main_line;
use chess_core::text::clocks_evals::{ClocksEvals, Commands, write_clock, write_eval};
use chess_core::text::san;
use chess_core::text::write_pgn::{is_tag_name, push_tag, push_word, reads_back, without_marks};
use chess_core::{CorruptGame, GameRef, GameResult};
use chess_db::plies::Plies;
use chess_db::schema::Schema;
use postgres::Client;
use postgres::error::SqlState;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::FromSql;
use serde_json::value::RawValue;

use crate::read::record::is_unknown;
use crate::wire::GameBytes;

/// Names and values of tags; a name may have several values.
type Tags = BTreeMap<String, Vec<String>>;

/// Values that were left out of a game, each with the reason.
type Lost = Vec<String>;

/// A row of `pgn_view`.
#[derive(Clone, Default)]
struct Row {
    /// Event, Site, Date, Round, White, Black.
    roster: [Option<String>; 6],
    result: Option<String>,
    elo: [Option<i32>; 2],
    time_control: Option<String>,
    eco: Option<String>,
    tags: Tags,
    /// The bytes of the game.
    game: Option<Vec<u8>>,
    clocks: Option<Plies>,
    evals: Option<Plies>,
    annotated: Option<String>,
}

/// The error for a condition that the server rejects. PostgreSQL's HINT for `date > 2015`, to add casts, would mislead.
pub fn refused(error: postgres::Error) -> Error {
    let compares_text = error.as_db_error().is_some_and(|error| {
        let message = error.message();
        *error.code() == SqlState::UNDEFINED_FUNCTION && message.contains("text") && message.contains("integer")
    });
    Error::new(error).context(match compares_text {
        true => "cannot query the games: compare text with text, as in date >= '2015'",
        false => "cannot query the games",
    })
}

/// Writes the games that meet `condition` to standard output, in the order of `order`. Returns true if no value was left
/// out.
///
/// Both are the user's SQL and run in the user's session, with its search_path. With `analysis`, evaluations by engines
/// are added to games whose PGN had none. With `canonical_names`, players, events and sites have one name each, not those of the PGN.
///
/// # Errors
///
/// Errors of the server or of standard output. A closed pipe, as from `head`, is not an error.
pub fn export(
    client: &mut Client,
    schema: &Schema,
    condition: Option<&str>,
    order: Option<&str>,
    analysis: bool,
    canonical_names: bool,
) -> Result<bool> {
    let evals = if analysis { "evals" } else { "pgn_evals" };
    let [event, site, white, black] = match canonical_names {
        true => ["event", "site", "white", "black"],
        false => ["pgn_event", "pgn_site", "pgn_white", "pgn_black"],
    };
    let query = format!(
        "SELECT {event}, {site}, date, round, {white}, {black}, result, white_elo, black_elo, time_control, eco, \
         tags::text, game, clocks, {evals}, annotated, id FROM {}.pgn_view WHERE (\n{}\n) \
         ORDER BY {}source_id, source_offset, id",
        schema.quoted,
        condition.unwrap_or("true"),
        order.map(|order| format!("{order}\n, ")).unwrap_or_default()
    );
    let mut rows = client.query_raw::<_, &str, _>(&query, []).map_err(refused)?;
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut text = String::new();
    let (mut games, mut lacking) = (0u64, 0u64);
    while let Some(row) = rows.next()? {
        let mut lost = Lost::new();
        text.clear();
        write_game(&mut text, read(&row, &mut lost), &mut lost);
        games += 1;
        if !lost.is_empty() {
            lacking += 1;
            let id: Option<i64> = row.try_get(16)?;
            let id = id.map_or("without a number".to_owned(), |id| id.to_string());
            lost.iter().for_each(|lost| eprintln!("chess-pgn: game {id} is written without {lost}"));
        }
        if !taken(out.write_all(text.as_bytes()))? {
            return Ok(lacking == 0);
        }
    }
    taken(out.flush())?;
    if lacking > 0 {
        eprintln!("chess-pgn: {lacking} of {games} games were written incompletely; see the messages above");
    }
    Ok(lacking == 0)
}

/// Returns false if the reader has closed the pipe.
fn taken(written: io::Result<()>) -> io::Result<bool> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        written => written.map(|()| true),
    }
}

fn read(row: &postgres::Row, lost: &mut Lost) -> Row {
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

/// The tags in a JSON object. Numbers keep their JSON spelling. Names that PGN does not allow are left out.
fn tags_of(json: &str, lost: &mut Lost) -> Tags {
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
fn write_game(out: &mut String, mut row: Row, lost: &mut Lost) {
    let from = out.len();
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
            let text = row.annotated.as_deref().map(without_marks).filter(|text| !text.is_empty());
            let annotated = text.is_some_and(|text| {
                let written = write_annotated(out, from..moves, game, &text, &columns);
                if !written {
                    lost.push("its annotations: they belong to another game".to_owned());
                    out.truncate(moves);
                }
                written
            });
            if !annotated && let Err(error) = write_moves(out, game, &columns) {
                lost.push(format!("its moves: {error}"));
                out.truncate(moves);
                out.push_str(game.result().as_str());
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
    // An unusual Result tag is in `tags`; it is written with the other tags below.
    if !rest.contains_key("Result") {
        push_tag(out, "Result", result);
    }
    for (name, elo) in ["WhiteElo", "BlackElo"].into_iter().zip(row.elo) {
        let Some(elo) = elo else { continue };
        // If the number was not in canonical form, the original text is in `tags`.
        let text = rest.get(name).and_then(|values| values.first());
        let spelt_out = text.is_some_and(|text| text.trim().parse() == Ok(elo) && *text != elo.to_string());
        if !spelt_out {
            push_tag(out, name, &elo.to_string());
        }
    }
    for (name, value) in [("TimeControl", &row.time_control), ("ECO", &row.eco)] {
        if let Some(value) = value {
            push_tag(out, name, value);
        }
    }
    if game.is_some_and(|game| game.is_chess960()) && !rest.contains_key("Variant") {
        push_tag(out, "Variant", "Chess960");
    }
    if let Some(Ok(start)) = game.filter(|game| game.has_custom_start()).map(|game| game.start_board()) {
        for (name, value) in [("SetUp", "1".to_owned()), ("FEN", fen::write(&start))] {
            rest.entry(name.to_owned()).or_insert_with(|| vec![value]);
        }
    }
    for (name, values) in rest {
        values.iter().for_each(|value| push_tag(out, &name, value));
    }
    out.push('\n');
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

/// Writes the annotated text after the tags. Returns false if it does not read back as this game, for instance because
/// somebody has changed one of them.
fn write_annotated(out: &mut String, tags: Range<usize>, game: GameRef<'_>, text: &str, columns: &ClocksEvals) -> bool {
    let Some(start) = game.start_board().ok().and_then(|board| GameStart::new(&board).ok()) else { return false };
    let main = main_line(&start, game.is_chess960(), text);
    let own = main.game.view();
    if own.moves() != game.moves() || own.ply_count() != game.ply_count() {
        return false;
    }
    if columns.clocks.is_some() || columns.evals.is_some() {
        out.push_str(&Commands::find(text, game).text_with(columns));
    } else {
        out.push_str(text);
    }
    // Without a result in the text, the game would read back with its result unknown.
    if !main.has_result && main.end.is_none() && game.result() != GameResult::Unknown {
        out.extend(["\n", game.result().as_str()]);
    }
    // The tags take one line each, followed by a blank line.
    reads_back(&out[tags.start..], out[tags].lines().count() - 1, game)
}

fn write_moves(out: &mut String, view: GameRef<'_>, columns: &ClocksEvals) -> Result<(), CorruptGame> {
    let start = view.start_board()?;
    let mut number = start.fullmove_number;
    let mut line = out.len();
    let mut word = String::new();
    let mut ply = 0;
    let mut number_due = true;
    san::each(view, |turn, san| {
        word.clear();
        let white = turn == 0;
        if white || number_due {
            let dots = if white { "." } else { "..." };
            // writing to a String cannot fail
            let _ = write!(word, "{number}{dots}");
            push_word(out, &mut line, &word);
        }
        number_due = false;
        if !white {
            number = number.saturating_add(1);
        }
        push_word(out, &mut line, san);
        let value = |column: &Option<Vec<Option<i32>>>| column.as_ref()?.get(ply).copied().flatten();
        let (eval, clock) = (value(&columns.evals), value(&columns.clocks));
        if eval.is_some() || clock.is_some() {
            push_word(out, &mut line, "{");
            for (name, value) in [("[%eval", eval.map(write_eval)), ("[%clk", clock.map(write_clock))] {
                if let Some(value) = value {
                    push_word(out, &mut line, name);
                    push_word(out, &mut line, &format!("{value}]"));
                }
            }
            push_word(out, &mut line, "}");
            number_due = true;
        }
        ply += 1;
    })?;
    push_word(out, &mut line, view.result().as_str());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::encoding::Encoding;
    use crate::read::parse::Decoded;
    use crate::read::record::{Keep, Record};
    use crate::read::split::Splitter;

    /// Every control character except NUL, which PostgreSQL cannot store, and text that a reader may take for the end
    /// of a line, value or comment.
    fn nasty() -> Vec<String> {
        let controls = (1..0x20).chain(0x7f..0xa0).filter_map(char::from_u32);
        let others = ['"', '\\', ']', '[', '{', ';', '%', '\u{2028}', '\u{2029}', '\u{feff}', '\u{a0}'];
        let forged =
            |found: char| format!("a{found}\"]{found}{found}[Event \"forged\"]{found}{found}1. d4 *{found}{found}b");
        controls
            .chain(others)
            .flat_map(|found| [format!("x{found}"), format!("{found}{found}x"), forged(found)])
            .collect()
    }

    fn row(roster: &str, annotated: Option<String>) -> Row {
        let game = chess_core::text::movetext::read("1. e4 e5 1-0").unwrap();
        Row {
            roster: std::array::from_fn(|_| Some(roster.to_owned())),
            result: Some("1-0".into()),
            elo: [Some(2400), None],
            time_control: Some(roster.to_owned()),
            eco: Some(roster.to_owned()),
            tags: Tags::from([("Note".into(), vec![roster.into(), "second".into()])]),
            game: Some(game.as_bytes().to_vec()),
            annotated,
            ..Row::default()
        }
    }

    /// Loads an export in small pieces and returns the rows.
    fn loaded(text: &str) -> Vec<String> {
        let keep = Keep { annotations: true, ..Keep::default() };
        let mut splitter = Splitter::new(text.as_bytes(), 300, Encoding::Auto);
        let mut rows = Vec::new();
        while let Some(piece) = splitter.next(None).unwrap() {
            let decoded = Decoded::new(&piece, Encoding::Auto);
            let games = decoded.games(keep);
            assert!(games.rejected.is_empty(), "{:?}", games.rejected[0].text);
            rows.extend(games.records.iter().map(|(_, record): &(u64, Record<'_>)| format!("{record:?}")));
        }
        rows
    }

    #[test]
    fn no_row_becomes_two() {
        let mut rows = Vec::new();
        for words in nasty() {
            rows.push(row(&words, None));
            // Comments cannot contain text that ends a game.
            let closed = words.replace("\n\n[", "\n[").replace("\r\r[", "\r[");
            rows.push(row("x", Some(format!("1. e4 {{{closed}}} e5 1-0"))));
            rows.push(row("x", Some(format!("1. e4 ;{}\n e5 1-0", words.replace(['\n', '\r'], " ")))));
        }
        let mut text = String::new();
        for row in &rows {
            let (mut game, mut lost) = (String::new(), Lost::new());
            write_game(&mut game, row.clone(), &mut lost);
            text.push_str(&game);
            let read = loaded(&game);
            assert_eq!((read.len(), &lost), (1, &Lost::new()), "{game:?}");
        }
        let all = loaded(&text);
        assert_eq!(all.len(), rows.len());
        for (read, row) in all.iter().zip(&rows) {
            let tag = row.eco.as_deref().unwrap().replace(|found: char| found.is_control(), " ");
            assert!(read.contains(&format!("eco: Some({tag:?})")), "{read} of {tag:?}");
            if let Some(annotated) = &row.annotated
                && !annotated.contains(['\u{feff}', '\n', '\r'])
            {
                assert!(read.contains(&format!("annotated: Some({annotated:?})")), "{read} of {annotated:?}");
            }
        }
    }

    /// Values that cannot be written are left out; all others are exported.
    #[test]
    fn odd_rows_are_written() {
        let written = |row: Row| {
            let (mut game, mut lost) = (String::new(), Lost::new());
            write_game(&mut game, row, &mut lost);
            let moves = game.split_once("\n\n").unwrap().1.trim_end().to_owned();
            (loaded(&game).len(), moves, lost)
        };
        let plain = || Row { tags: Tags::new(), ..row("x", None) };
        let whole = "1. e4 e5 1-0";
        assert_eq!(written(plain()), (1, whole.into(), vec![]));
        assert_eq!(written(Row { game: None, ..plain() }), (1, "1-0".into(), vec!["its moves: there are none".into()]));
        let (games, moves, lost) = written(Row { game: Some(vec![0xff, 1, 2]), result: Some("won".into()), ..plain() });
        assert_eq!((games, moves.as_str(), lost.len()), (1, "*", 1));
        // damages the last half-move
        let mut bytes = plain().game.unwrap();
        *bytes.last_mut().unwrap() = 0xfe;
        let (games, moves, lost) = written(Row { game: Some(bytes), ..plain() });
        assert!(games == 1 && moves == "1-0" && lost[0].starts_with("its moves: "), "{moves} {lost:?}");
        let other = "its annotations: they belong to another game";
        for annotated in ["1. d4 {x}", "1. e4 e5 {x\n\n[Event \"y\"]} 1-0", "[Event \"y\"]\n\n1. e4 e5"] {
            let row = Row { annotated: Some(annotated.into()), ..plain() };
            assert_eq!(written(row), (1, whole.into(), vec![other.into()]), "{annotated}");
        }
        for annotated in ["", " \n "] {
            assert_eq!(written(Row { annotated: Some(annotated.into()), ..plain() }), (1, whole.into(), vec![]));
        }
        let empty = Row { game: plain().game, ..Row::default() };
        assert_eq!(written(empty), (1, whole.into(), vec![]));
        let mut lost = Lost::new();
        let tags = tags_of(
            "{\"A b\": 1, \"N\": [12345678901234567890123, null, {\"x\": [1]}], \"E\": 1e400, \"X\": null}",
            &mut lost,
        );
        assert_eq!(tags["N"], ["12345678901234567890123", "{\"x\": [1]}"]);
        assert_eq!((tags["E"].as_slice(), tags["X"].len(), lost.len()), (&["1e400".to_owned()][..], 0, 1));
        assert_eq!(tags_of("[1]", &mut lost), Tags::new());
        assert_eq!(lost[1], "its tags: they are not a JSON object");
    }
}
