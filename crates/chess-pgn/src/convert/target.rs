//! The output files of a conversion. In: converted pieces of the input. Out: the file of their format.

use std::io::Write as _;
use std::path::Path;

use anyhow::Result;
#[cfg(not(feature = "parquet"))]
use anyhow::bail;

use super::formats::Format;
#[cfg(feature = "parquet")]
use crate::parquet::{Rows, games, plies, table::Table};
use crate::whole::Whole;

/// What a piece has become in a format.
pub enum Made {
    /// Text.
    Text(String),
    /// Rows of a Parquet file.
    #[cfg(feature = "parquet")]
    Rows(Rows),
}

impl Made {
    /// Of no games.
    pub fn new(format: Format) -> Result<Made> {
        Ok(match format {
            #[cfg(feature = "parquet")]
            Format::Parquet => Made::Rows(Rows::new(&games::schema_of_games())?),
            #[cfg(feature = "parquet")]
            Format::Plies => Made::Rows(Rows::new(plies::PLIES)?),
            _ => Made::Text(String::new()),
        })
    }
}

/// A file that is being written, or standard output.
pub enum Target {
    /// Of text.
    Text(Whole),
    /// Of rows.
    #[cfg(feature = "parquet")]
    Table(Box<Table>),
}

impl Target {
    /// Begins a file.
    pub fn create(format: Format, name: &Path) -> Result<Target> {
        match format {
            #[cfg(feature = "parquet")]
            Format::Parquet => Ok(Target::Table(Box::new(Table::create(name, &games::schema_of_games())?))),
            #[cfg(feature = "parquet")]
            Format::Plies => Ok(Target::Table(Box::new(Table::create(name, plies::PLIES)?))),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet | Format::Plies => bail!(crate::WITHOUT_PARQUET),
            Format::Pgn | Format::Jsonl | Format::Csv | Format::Rejected => {
                let mut text = Whole::create(name)?;
                text.write_all(format.head().as_bytes())?;
                Ok(Target::Text(text))
            }
        }
    }

    /// Writes what a piece has become.
    ///
    /// # Errors
    ///
    /// Those of the file, with its name.
    pub fn write(&mut self, made: Made) -> Result<()> {
        match (self, made) {
            (Target::Text(text), Made::Text(made)) => Ok(text.write_all(made.as_bytes())?),
            #[cfg(feature = "parquet")]
            (Target::Table(table), Made::Rows(rows)) => table.append(rows),
            #[cfg(feature = "parquet")]
            _ => Ok(()),
        }
    }

    /// Ends the file, which now gets its name.
    ///
    /// # Errors
    ///
    /// As of [`Target::write`].
    pub fn finish(self) -> Result<()> {
        match self {
            Target::Text(mut text) => text.finish(),
            #[cfg(feature = "parquet")]
            Target::Table(table) => table.finish().map(drop),
        }
    }
}
