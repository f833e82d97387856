//! Files that are written: what a piece has become comes in, a file that is there entirely, or as it was before, goes out.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Result, bail};

use super::formats::Format;
use crate::output::is_open;
#[cfg(feature = "parquet")]
use crate::parquet::{Rows, games, plies, table::Table};
use crate::read::source::STDIN;
use crate::whole::Whole;

/// Endings of packed files that are not written.
const PACKED: [&str; 4] = ["gz", "bz2", "zip", "7z"];

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
    Text(Text),
    /// Of rows.
    #[cfg(feature = "parquet")]
    Table(Box<Table>),
}

/// A file of text.
pub struct Text {
    out: Box<dyn Sink>,
    /// Of a file.
    place: Option<Whole>,
    /// Whether nobody reads standard output any more.
    closed: bool,
}

/// What bytes are written to.
trait Sink: Write + Send {
    /// Writes what was kept back.
    fn end(&mut self) -> io::Result<()>;
}

impl<W: Write + Send> Sink for BufWriter<W> {
    fn end(&mut self) -> io::Result<()> {
        self.flush()
    }
}

impl Sink for zstd::Encoder<'static, File> {
    fn end(&mut self) -> io::Result<()> {
        self.do_finish()
    }
}

impl Target {
    /// Begins a file, packed if its name ends in `.zst`; `-` is standard output.
    pub fn create(format: Format, name: &Path) -> Result<Target> {
        match format {
            #[cfg(feature = "parquet")]
            Format::Parquet => Ok(Target::Table(Box::new(Table::create(name, &games::schema_of_games())?))),
            #[cfg(feature = "parquet")]
            Format::Plies => Ok(Target::Table(Box::new(Table::create(name, plies::PLIES)?))),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet | Format::Plies => bail!(crate::WITHOUT_PARQUET),
            Format::Pgn | Format::Jsonl | Format::Csv | Format::Rejected => {
                let mut text = Text::create(name)?;
                text.write(&format.head())?;
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
            (Target::Text(text), Made::Text(made)) => text.write(&made),
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
            Target::Text(text) => text.finish(),
            #[cfg(feature = "parquet")]
            Target::Table(table) => table.finish().map(drop),
        }
    }
}

impl Text {
    fn create(name: &Path) -> Result<Text> {
        if name.as_os_str() == STDIN {
            let out = Box::new(BufWriter::with_capacity(1 << 16, io::stdout()));
            return Ok(Text { out, place: None, closed: false });
        }
        let ending = name.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if PACKED.contains(&ending) {
            bail!("cannot write {}: of packed files only those that end in .zst are written", name.display());
        }
        let (place, file) = Whole::create(name)?;
        let out: Box<dyn Sink> = match ending {
            "zst" => Box::new(zstd::Encoder::new(file, 3).map_err(|error| place.cannot_write(error.into()))?),
            _ => Box::new(BufWriter::with_capacity(1 << 16, file)),
        };
        Ok(Text { out, place: Some(place), closed: false })
    }

    fn write(&mut self, text: &str) -> Result<()> {
        if !self.closed {
            let written = self.out.write_all(text.as_bytes());
            self.closed = !self.is_open(written)?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        if !self.closed {
            let ended = self.out.end();
            self.is_open(ended)?;
        }
        self.place.map_or(Ok(()), Whole::finish)
    }

    fn is_open(&self, written: io::Result<()>) -> Result<bool> {
        is_open(written).map_err(|error| match &self.place {
            Some(place) => place.cannot_write(error.into()),
            None => anyhow::Error::new(error).context("cannot write to standard output"),
        })
    }
}
