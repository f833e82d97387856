//! Stored games to PGN in its export format: the seven tags of the roster first, lines of at most
//! 79 characters for the moves. Annotated games are written as their authors have written them, lines included, with the
//! clocks and evaluations that are kept in columns at their places.
//!
//! What is written reads back as the same rows, except for what PGN has no place for: the numbers, and malformed tags.

use std::fmt::Write as _;
use std::io::{self, BufWriter, ErrorKind, Write};

use anyhow::{Context, Result, bail};
use chess_core::board::fen;
use chess_core::game::start::GameStart;
use chess_core::text::annotated::main_line;
use chess_core::text::annotations::{Annotations, Commands, write_clock, write_eval};
use chess_core::text::san;
use chess_core::text::write_pgn::{is_tag_name, push_tag, push_word, reads_back, without_marks};
use chess_core::{GameRef, GameResult};
use chess_db::schema::Schema;
use postgres::Client;
use postgres::fallible_iterator::FallibleIterator;
use serde_json::{Map, Value};

use crate::wire::GameBytes;

/// A row of `pgn_view`.
struct Row {
    /// Event, Site, Date, Round, White, Black.
    roster: [Option<String>; 6],
    result: String,
    elo: [Option<i32>; 2],
    time_control: Option<String>,
    eco: Option<String>,
    tags: Map<String, Value>,
    /// The bytes of the game.
    game: Vec<u8>,
    columns: Annotations,
    annotated: Option<String>,
}

/// Writes the games that meet a condition to standard output, in the order of `order`.
///
/// Both are the user's own SQL and find functions where the user's session finds them. With `analysis`, the evaluations of
/// engines are written where the PGN had none; without it the games are written as they were.
pub fn export(
    client: &mut Client,
    schema: &Schema,
    condition: Option<&str>,
    order: Option<&str>,
    analysis: bool,
) -> Result<()> {
    let evals = if analysis { "evals" } else { "pgn_evals" };
    let query = format!(
        "SELECT event, site, date, round, white, black, result, white_elo, black_elo, time_control, eco, \
         tags::text, game, clocks, {evals}, annotated, id FROM {}.pgn_view WHERE (\n{}\n) \
         ORDER BY {}source_id, source_offset, id",
        schema.quoted,
        condition.unwrap_or("true"),
        order.map(|order| format!("{order}\n, ")).unwrap_or_default()
    );
    let mut rows = client.query_raw::<_, &str, _>(&query, []).context("cannot query the games")?;
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut text = String::new();
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(16);
        let game = read(&row).and_then(|row| {
            text.clear();
            write_game(&mut text, &row)
        });
        if !game.with_context(|| format!("game {id}"))? {
            eprintln!("chess-pgn: game {id} is written without its annotations: they are of another game now");
        }
        match out.write_all(text.as_bytes()) {
            // The reader has seen enough, as `head` does.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
    }
    match out.flush() {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        flushed => Ok(flushed?),
    }
}

fn read(row: &postgres::Row) -> Result<Row> {
    let text = |column: usize| row.try_get::<_, Option<String>>(column);
    let tags = match text(11)? {
        None => Map::new(),
        Some(json) => match serde_json::from_str(&json)? {
            Value::Object(tags) => tags,
            _ => bail!("its tags are not a JSON object"),
        },
    };
    let bytes: GameBytes = row.try_get(12)?;
    Ok(Row {
        roster: [text(0)?, text(1)?, text(2)?, text(3)?, text(4)?, text(5)?],
        result: row.try_get(6)?,
        elo: [row.try_get(7)?, row.try_get(8)?],
        time_control: text(9)?,
        eco: text(10)?,
        tags,
        game: bytes.0,
        columns: Annotations { clocks: row.try_get(13)?, evals: row.try_get(14)? },
        annotated: text(15)?,
    })
}

/// Writes a game; false if it has annotations that are not its own.
fn write_game(out: &mut String, row: &Row) -> Result<bool> {
    let mut rest = row.tags.clone();
    let names = ["Event", "Site", "Date", "Round", "White", "Black"];
    for (name, value) in names.into_iter().zip(&row.roster) {
        write_tag(out, name, value.as_deref().unwrap_or(if name == "Date" { "????.??.??" } else { "?" }))?;
    }
    // The text that the result was read from comes back with the other tags, which follow it.
    if !rest.contains_key("Result") {
        write_tag(out, "Result", &row.result)?;
    }
    for (name, elo) in ["WhiteElo", "BlackElo"].into_iter().zip(row.elo) {
        let Some(elo) = elo else { continue };
        // The text that the number was read from comes back with the other tags.
        let text = rest.get(name).and_then(|value| value.get(0).unwrap_or(value).as_str());
        let spelt_out = text.is_some_and(|text| text.trim().parse() == Ok(elo) && text != elo.to_string());
        if !spelt_out {
            write_tag(out, name, &elo.to_string())?;
        }
    }
    for (name, value) in [("TimeControl", &row.time_control), ("ECO", &row.eco)] {
        if let Some(value) = value {
            write_tag(out, name, value)?;
        }
    }
    // Its moves are checked as they are decoded.
    let view = GameRef::new(&row.game)?;
    if view.is_chess960() && !rest.contains_key("Variant") {
        write_tag(out, "Variant", "Chess960")?;
    }
    if view.has_custom_start() {
        for (name, value) in [("SetUp", "1".to_owned()), ("FEN", fen::write(&view.start_board()?))] {
            if !rest.contains_key(name) {
                write_tag(out, name, &value)?;
            }
        }
    }
    for (name, value) in std::mem::take(&mut rest) {
        match value {
            Value::Array(values) => {
                for value in values {
                    write_tag(out, &name, value.as_str().unwrap_or(&value.to_string()))?;
                }
            }
            value => write_tag(out, &name, value.as_str().unwrap_or(&value.to_string()))?,
        }
    }
    out.push('\n');
    let tags = out.len();
    let written = match &row.annotated {
        None => true,
        Some(text) => write_annotated(out, tags, view, text, &row.columns)?,
    };
    if row.annotated.is_none() || !written {
        out.truncate(tags);
        write_moves(out, view, row)?;
    }
    out.push_str("\n\n");
    Ok(written)
}

/// Writes an annotated text behind the tags, which end at `tags`; false if it is not of this game, which somebody has
/// changed, or not of one game alone.
fn write_annotated(
    out: &mut String,
    tags: usize,
    game: GameRef<'_>,
    text: &str,
    columns: &Annotations,
) -> Result<bool> {
    let start = GameStart::new(&game.start_board()?).map_err(|error| anyhow::anyhow!("its start: {error}"))?;
    let text = without_marks(text);
    let main = main_line(&start, game.is_chess960(), &text);
    let own = main.game.view();
    if own.moves() != game.moves() || own.ply_count() != game.ply_count() {
        return Ok(false);
    }
    if columns.clocks.is_some() || columns.evals.is_some() {
        out.push_str(&Commands::find(&text, game).text_with(columns));
    } else {
        out.push_str(&text);
    }
    // A text that does not say how the game ends is not made to say so: it would be read as another one.
    if !main.has_result && main.end.is_none() && game.result() != GameResult::Unknown {
        out.extend(["\n", game.result().as_str()]);
    }
    // Each tag is one line, and a blank line follows them.
    Ok(reads_back(out, out[..tags].lines().count() - 1, game))
}

fn write_tag(out: &mut String, name: &str, value: &str) -> Result<()> {
    if !is_tag_name(name) {
        bail!("\"{name}\" cannot be the name of a tag");
    }
    push_tag(out, name, value);
    Ok(())
}

fn write_moves(out: &mut String, view: GameRef<'_>, row: &Row) -> Result<()> {
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
            // Writing to a String cannot fail.
            let _ = write!(word, "{number}{dots}");
            push_word(out, &mut line, &word);
        }
        number_due = false;
        if !white {
            number = number.saturating_add(1);
        }
        push_word(out, &mut line, san);
        let value = |column: &Option<Vec<Option<i32>>>| column.as_ref()?.get(ply).copied().flatten();
        let (eval, clock) = (value(&row.columns.evals), value(&row.columns.clocks));
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

    /// Every control character, and what else a reader may take for the end of a line, a value or a comment. PostgreSQL
    /// stores no NUL.
    fn nasty() -> Vec<String> {
        let controls = (1..0x20).chain(0x7f..0xa0).filter_map(char::from_u32);
        let others = ['"', '\\', ']', '[', '{', ';', '%', '\u{2028}', '\u{2029}', '\u{feff}', '\u{a0}'];
        let forged =
            |found: char| format!("a{found}\"]{found}{found}[Event \"forged\"]{found}{found}1. d4 *{found}{found}b");
        controls
            .chain(others)
            .flat_map(|found| [format!("{found}"), format!("{found}{found}x"), forged(found)])
            .collect()
    }

    fn row(roster: &str, annotated: Option<String>) -> Row {
        let game = chess_core::text::movetext::read("1. e4 e5 1-0").unwrap();
        let mut tags = Map::new();
        tags.insert("Note".into(), Value::Array(vec![roster.into(), "second".into()]));
        Row {
            roster: std::array::from_fn(|_| Some(roster.to_owned())),
            result: "1-0".into(),
            elo: [Some(2400), None],
            time_control: Some(roster.to_owned()),
            eco: Some(roster.to_owned()),
            tags,
            game: game.as_bytes().to_vec(),
            columns: Annotations::default(),
            annotated,
        }
    }

    /// What the loader makes of an export, cut into small pieces: every row as it is stored.
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
            rows.push(row("x", Some(format!("1. e4 {{{words}}} e5 1-0"))));
            rows.push(row("x", Some(format!("1. e4 ;{}\n e5 1-0", words.replace(['\n', '\r'], " ")))));
        }
        let mut text = String::new();
        for row in &rows {
            let mut game = String::new();
            write_game(&mut game, row).unwrap();
            text.push_str(&game);
            // The loader reads from it what is stored, but for control characters in tags.
            let read = loaded(&game);
            assert_eq!(read.len(), 1, "{game:?}");
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
}
