//! Builds a segment from games.
//!
//! Takes rows with their games and attributes, in the order of the table; returns the pages of a segment. Postings are collected in
//! memory up to the caller's limit, then in the caller's temporary file. Those of positions and materials are sorted
//! ([`crate::runs`]) and take 16 bytes each in memory, and in the file what they differ by ([`crate::record`]). Those of pieces
//! on squares and of events are a table of bits and take 117 bytes per game ([`crate::frequent`]). Games that wait for sums take their part of the memory ([`Shape::waiting`]).

use chess_core::search::hybrid_keys::{Key, each_key};
use chess_core::search::pattern::pattern_keys;
use chess_core::{CorruptGame, GameRef};

use crate::attributes::Value;
use crate::frequent::Frequent;
use crate::pattern_key::{FIRST_FREQUENT, number_of};
use crate::ranking;
use crate::record::Record;
use crate::rows::Row;
use crate::runs::Runs;
use crate::segment::{Segment, Tree};
use crate::sink::{Scratch, Sink, Spill};
use crate::summing::bytes_a_game;
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
    runs: Runs,
    /// The postings of squares and events; `None` if the segment gets no patterns.
    frequent: Option<Frequent>,
    keys: Vec<u64>,
    file: Scratch<T>,
}

impl<T: Spill> Builder<T> {
    /// Begins a segment. `memory` limits the sort, in bytes, and is at least a megabyte. Open pages take some hundred
    /// kilobytes more, and the directory 10 bytes per leaf.
    pub fn new(shape: Shape, memory: usize, spill: T) -> Builder<T> {
        let of_sums = bytes_a_game(shape.sums) * shape.waiting as usize + ranking::BYTES;
        let memory = memory.saturating_sub(if shape.sums > 0 { of_sums } else { 0 });
        let for_frequent = memory / 8;
        let for_runs = if shape.patterns { memory - for_frequent } else { memory };
        Builder {
            writer: SegmentWriter::new(shape),
            runs: Runs::new(for_runs),
            frequent: shape.patterns.then(|| Frequent::new(for_frequent)),
            keys: Vec::new(),
            file: Scratch::new(spill),
        }
    }

    /// Adds a row with its game and the values of its attributes, one for each column. A row without a game is stored, but
    /// no search for a board finds it.
    ///
    /// # Errors
    ///
    /// A [`BuildError`], which ends the build.
    pub fn add<S: Sink>(
        &mut self,
        row: Row,
        game: Option<GameRef<'_>>,
        values: &[Value],
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
                    spilled = self.runs.push(record, &mut self.file);
                }
            });
            keys.map_err(BuildError::Game)?;
            spilled.map_err(BuildError::Spill)?;
            self.add_patterns(number, game)?;
        }
        self.writer.add_row(row, values, sink).map_err(BuildError::Sink)?;
        Ok(())
    }

    /// Adds the pattern keys of a game. Frequent keys go to the table of bits, materials to the sort.
    fn add_patterns<S>(&mut self, number: u32, game: GameRef<'_>) -> Result<(), BuildError<S, T::Error>> {
        let Some(frequent) = &mut self.frequent else { return Ok(()) };
        self.keys.clear();
        pattern_keys(game, &mut self.keys).map_err(BuildError::Game)?;
        frequent.turn_to(number, &mut self.file).map_err(BuildError::Spill)?;
        for key in self.keys.iter().filter_map(|key| number_of(*key)) {
            match key.checked_sub(FIRST_FREQUENT) {
                Some(place) => frequent.add(place as usize),
                None => self.runs.push(Record::material(key, number), &mut self.file).map_err(BuildError::Spill)?,
            }
        }
        Ok(())
    }

    /// Writes the segment and returns its description; its last page has number `pages - 1`.
    ///
    /// # Errors
    ///
    /// A [`BuildError`].
    pub fn finish<S: Sink>(self, sink: &mut S) -> Result<Segment, BuildError<S::Error, T::Error>> {
        let Builder { mut writer, runs, frequent, mut file, .. } = self;
        let mut open = Tree::Positions;
        let mut push = |tree, posting| {
            if tree != open {
                open = tree;
                writer.begin_patterns(sink)?;
            }
            writer.push(posting, sink)
        };
        runs.finish(&mut file, |tree, posting| push(tree, posting).map_err(BuildError::Sink), BuildError::Spill)?;
        if let Some(frequent) = frequent {
            if open == Tree::Positions {
                writer.begin_patterns(sink).map_err(BuildError::Sink)?;
            }
            let push = |posting| writer.push(posting, sink).map_err(BuildError::Sink);
            frequent.finish(&mut file, push, BuildError::Spill)?;
        }
        writer.finish(sink).map_err(BuildError::Sink)?.ok_or(BuildError::TooLarge(TooLarge))
    }
}
