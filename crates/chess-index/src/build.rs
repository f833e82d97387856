//! Builds a segment from games.
//!
//! Takes rows with their games, in the order of the table; returns the pages of a segment. The caller limits the
//! memory. Beyond the limit postings go to the caller's temporary file: 16 bytes each, about 900 bytes per game.

use chess_core::search::hybrid_keys::{Key, each_key};
use chess_core::{CorruptGame, GameRef};

use crate::rows::Row;
use crate::runs::{Record, Runs};
use crate::segment::Segment;
use crate::sink::{Sink, Spill};
use crate::writer::{SegmentWriter, Shape, TooLarge};

/// Errors of a build. `S` and `T` are the errors of the caller's sink and temporary file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildError<S, T> {
    /// A game does not decode.
    Game(CorruptGame),
    /// The segment has too many games or pages.
    TooLarge(TooLarge),
    /// The sink cannot write a page.
    Sink(S),
    /// The temporary file cannot be written or read.
    Spill(T),
}

impl<S: std::fmt::Display, T: std::fmt::Display> std::fmt::Display for BuildError<S, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BuildError::Game(error) => write!(f, "{error}"),
            BuildError::TooLarge(error) => write!(f, "{error}"),
            BuildError::Sink(error) => write!(f, "{error}"),
            BuildError::Spill(error) => write!(f, "{error}"),
        }
    }
}

impl<S, T> std::error::Error for BuildError<S, T>
where
    S: std::fmt::Debug + std::fmt::Display,
    T: std::fmt::Debug + std::fmt::Display,
{
}

/// A segment being built.
pub struct Builder<T> {
    writer: SegmentWriter,
    runs: Runs<T>,
}

impl<T: Spill> Builder<T> {
    /// Begins a segment. `memory` limits the sort, in bytes, and is at least a megabyte. Open pages take some hundred
    /// kilobytes more, and the directory 10 bytes per leaf.
    pub fn new(shape: Shape, memory: usize, spill: T) -> Builder<T> {
        Builder { writer: SegmentWriter::new(shape), runs: Runs::new(memory, spill) }
    }

    /// Adds a row with its game. A row without a game is stored, but no search finds it.
    ///
    /// # Errors
    ///
    /// A [`BuildError`], which ends the build.
    pub fn add<S: Sink>(
        &mut self,
        row: Row,
        game: Option<GameRef<'_>>,
        sink: &mut S,
    ) -> Result<(), BuildError<S::Error, T::Error>> {
        let number = self.writer.next_game().ok_or(BuildError::TooLarge(TooLarge))?;
        if let Some(game) = game {
            let mut ply = 0;
            let mut spilled = Ok(());
            let keys = each_key(game, |key| {
                let record = match key {
                    Key::Position(hash, note) => {
                        ply += 1;
                        Record::exact(hash, number, ply - 1, note.bits())
                    }
                    Key::Tail(hash) => Record::plain(hash, number),
                };
                if spilled.is_ok() {
                    spilled = self.runs.push(record);
                }
            });
            keys.map_err(BuildError::Game)?;
            spilled.map_err(BuildError::Spill)?;
        }
        self.writer.add_row(row, sink).map_err(BuildError::Sink)
    }

    /// Writes the segment and returns its description; its last page has number `pages - 1`.
    ///
    /// # Errors
    ///
    /// A [`BuildError`].
    pub fn finish<S: Sink>(self, sink: &mut S) -> Result<Segment, BuildError<S::Error, T::Error>> {
        let Builder { mut writer, runs } = self;
        runs.finish(|posting| writer.push(posting, sink).map_err(BuildError::Sink), BuildError::Spill)?;
        writer.finish(sink).map_err(BuildError::Sink)?.ok_or(BuildError::TooLarge(TooLarge))
    }
}
