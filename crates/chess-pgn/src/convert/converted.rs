//! What a piece becomes: its games come in one after the other, text and rows for each target and messages go out.

use std::path::PathBuf;

use anyhow::Result;
#[cfg(feature = "parquet")]
use chess_core::text::clocks_evals::ClocksEvals;

use super::formats::{self, Format};
use super::target::Made;
#[cfg(feature = "parquet")]
use crate::columns::games::COLUMNS;
use crate::columns::games::GameRow;
#[cfg(feature = "parquet")]
use crate::parquet::plies::each_ply;
use crate::read::record::{Record, RejectedGame};

/// A piece that is being converted.
pub struct Converted<'p> {
    file: &'p str,
    before: Before,
    /// For each target its format, and what the games have become in it.
    pub made: Vec<(Format, Made)>,
    /// What is to be told of single games.
    pub messages: Vec<String>,
    /// Whether a format wants the columns of a game.
    has_rows: bool,
}

/// How many games come before a piece.
#[derive(Clone, Copy, Default)]
pub struct Before {
    /// The games of all files.
    pub games: u64,
    /// The games of the file to which the piece belongs.
    pub of_file: u64,
}

impl<'p> Converted<'p> {
    /// Begins without games.
    pub fn new(targets: &[(Format, PathBuf)], file: &'p str, before: Before) -> Result<Converted<'p>> {
        let made: Result<_> = targets.iter().map(|(format, _)| Ok((*format, Made::new(*format)?))).collect();
        let has_rows = targets.iter().any(|(format, _)| !matches!(format, Format::Pgn | Format::Rejected));
        Ok(Converted { file, before, made: made?, messages: Vec::new(), has_rows })
    }

    /// Adds a game with its number in the piece, from 1.
    pub fn add(&mut self, number: u64, record: &Record<'_>) -> Result<()> {
        let id = (self.before.games + number) as i64;
        let row = self.has_rows.then(|| GameRow::of(id, record)).transpose()?;
        for (format, made) in &mut self.made {
            match (format, made, &row) {
                (Format::Pgn, Made::Text(text), _) => {
                    let mut lost = Vec::new();
                    formats::push_pgn(text, record, &mut lost);
                    let number = self.before.of_file + number;
                    let message = |lost| format!("{}: game {number} is written without {lost}", self.file);
                    self.messages.extend(lost.into_iter().map(message));
                }
                (Format::Csv, Made::Text(text), Some(row)) => formats::push_csv(text, row)?,
                (Format::Jsonl, Made::Text(text), Some(row)) => formats::push_json(text, row)?,
                #[cfg(feature = "parquet")]
                (Format::Parquet, Made::Rows(rows), Some(row)) => rows.row(COLUMNS.iter().map(|(.., of)| of(row))),
                #[cfg(feature = "parquet")]
                (Format::Plies, Made::Rows(rows), Some(GameRow { id, moves: Some(moves), .. })) => {
                    let ClocksEvals { clocks, evals } = &record.clocks_evals;
                    let columns = [clocks, evals].map(|column| column.as_deref().unwrap_or_default());
                    each_ply(moves, *id, columns, |ply| {
                        rows.row(ply);
                        Ok(())
                    })?;
                }
                _ => (),
            }
        }
        Ok(())
    }

    /// Adds a game that cannot be read to its end. `lines` is the number of lines before the piece, if it is text.
    pub fn reject(&mut self, game: &RejectedGame<'_>, lines: Option<u64>) {
        let number = self.before.of_file + game.number;
        let place = match lines {
            Some(lines) => format!("line {}, game {number}", lines + game.line),
            None => format!("game {number}"),
        };
        self.messages.push(format!("{}, {place}: {}", self.file, game.reason));
        for made in &mut self.made {
            if let (Format::Rejected, Made::Text(text)) = made {
                text.extend([game.text.trim_end(), "\n\n"]);
            }
        }
    }
}
