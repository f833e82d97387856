//! Games as text: a game comes in, its PGN or its row of a table goes out.

use std::fmt::Write;

use anyhow::Result;
use chess_db::pgn::{self, Lost};
use chess_db::plies::Plies;

use crate::columns::games::{COLUMNS, GameRow, written};
use crate::columns::{Kind, Value};
use crate::read::record::Record;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// This is PGN in export format, as `export` writes it.
    Pgn,
    /// Each line is a JSON object for one game.
    Jsonl,
    /// The values of a game are separated by commas (RFC 4180); the first line names the columns.
    Csv,
    /// These are the texts of games that cannot be read to their end.
    Rejected,
    /// A Parquet file has a row for each game.
    Parquet,
    /// A Parquet file has a row for each half-move.
    Plies,
}

impl Format {
    /// What stands before all games.
    pub fn head(self) -> String {
        match self {
            Format::Csv => {
                let names: Vec<&str> = columns().map(|(name, ..)| *name).collect();
                format!("{}\n", names.join(","))
            }
            _ => String::new(),
        }
    }
}

/// The columns that text can hold.
fn columns() -> impl Iterator<Item = &'static crate::columns::games::Column> {
    COLUMNS.iter().filter(|(_, kind, _)| *kind != Kind::Bytes)
}

/// Appends a game in export format, and to `lost` what PGN cannot hold.
pub fn push_pgn(out: &mut String, record: &Record<'_>, lost: &mut Lost) {
    let text = |text: &Option<std::borrow::Cow<'_, str>>| text.as_deref().map(str::to_owned);
    let [event, site, white, black] = record.names.each_ref().map(text);
    let tags = record.tags.as_deref().map(|json| pgn::tags_of(json, lost)).unwrap_or_default();
    let row = pgn::Row {
        roster: [event, site, text(&record.date), text(&record.round), white, black],
        result: Some(record.result.to_owned()),
        elo: record.elo,
        time_control: text(&record.time_control),
        eco: text(&record.eco),
        tags,
        game: Some(record.game.as_bytes().to_vec()),
        clocks: record.clocks_evals.clocks.clone().map(Plies::from),
        evals: record.clocks_evals.evals.clone().map(Plies::from),
        annotated: text(&record.annotated),
    };
    pgn::write_game(out, row, lost);
}

/// Appends a line of JSON.
pub fn push_json(out: &mut String, row: &GameRow<'_>) -> Result<()> {
    out.push('{');
    for (n, (name, kind, value)) in columns().enumerate() {
        write!(out, "{}\"{name}\":", if n > 0 { "," } else { "" })?;
        match (value(row), kind) {
            (Value::Null, _) => out.push_str("null"),
            (Value::Int(day), Kind::Day) => write!(out, "\"{}\"", day_of(day))?,
            (Value::Int(time), Kind::Time) => write!(out, "\"{}\"", written(time))?,
            (Value::Int(number), _) => write!(out, "{number}")?,
            (Value::Bytes(json), Kind::Json) => out.push_str(std::str::from_utf8(json)?),
            (Value::Bytes(text), _) => out.push_str(&serde_json::to_string(std::str::from_utf8(text)?)?),
        }
    }
    out.push_str("}\n");
    Ok(())
}

/// Appends a line of CSV.
pub fn push_csv(out: &mut String, row: &GameRow<'_>) -> Result<()> {
    for (n, (_, kind, value)) in columns().enumerate() {
        if n > 0 {
            out.push(',');
        }
        match (value(row), kind) {
            (Value::Null, _) => (),
            (Value::Int(day), Kind::Day) => write!(out, "{}", day_of(day))?,
            (Value::Int(time), Kind::Time) => write!(out, "{}", written(time))?,
            (Value::Int(number), _) => write!(out, "{number}")?,
            (Value::Bytes(text), _) => push_field(out, std::str::from_utf8(text)?),
        }
    }
    out.push('\n');
    Ok(())
}

/// Appends a field of text; an empty one is in quotes, because nothing is NULL.
fn push_field(out: &mut String, text: &str) {
    if !text.is_empty() && !text.contains(['"', ',', '\n', '\r']) && text.trim() == text {
        out.push_str(text);
        return;
    }
    out.push('"');
    out.push_str(&text.replace('"', "\"\""));
    out.push('"');
}

/// A day from 1970-01-01 on as `2004-05-12`.
fn day_of(day: i64) -> String {
    chess_core::text::dates::written(day as i32 - crate::columns::EPOCH)
}
