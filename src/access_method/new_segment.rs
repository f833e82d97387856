//! A segment that CREATE INDEX, a flush or a merge writes: its shape, the memory for it, its blocks, its place in the
//! metapage.
//!
//! Takes the pages of a builder of chess-index, and logs each; the segment is live from [`NewSegment::publish`] on. A
//! segment that nobody published is dropped by the next holder of the lock under which it was begun.

use std::convert::Infallible;

use chess_index::build::BuildError;
use chess_index::meta::{Meta, Part, State};
use chess_index::segment::Segment;
use chess_index::sink::Sink;
use chess_index::summing::bytes_a_game;
use chess_index::tiers;
use chess_index::writer::{Shape, TooLarge};
use pgrx::{PgSqlErrorCode, check_for_interrupts, pg_sys};

use crate::access_method::pages::{Change, Index, ROOM};
use crate::access_method::{attributes, metapage, options};
use crate::server::error::raise;
use crate::server::versions::vacuum_delay_point;
use crate::values::refusals::corrupt_game;

/// The memory that sorts may take, in bytes.
pub fn maintenance_memory() -> usize {
    // SAFETY: reads a setting, in kilobytes.
    unsafe { pg_sys::maintenance_work_mem as usize * 1024 }
}

/// The result of a build; its errors become ERRORs.
pub fn built<T>(result: Result<T, BuildError<Infallible, Infallible>>) -> T {
    match result {
        Ok(value) => value,
        Err(BuildError::Game(error)) => corrupt_game(error),
        Err(BuildError::TooLarge(error)) => too_large(error),
    }
}

/// The segment would have too many games or pages.
pub fn too_large(error: TooLarge) -> ! {
    let hint = Some("Partition the table, so that each partition has an index.");
    raise(PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED, error.to_string(), None, hint)
}

/// The memory of one of the processes that build an index together, in bytes.
pub fn memory_of_one(processes: u32) -> usize {
    maintenance_memory() / processes as usize
}

/// The shape of a new segment, which is one of as many as there are processes that build the index together.
pub fn shape(index: Index, segment: u32, rich: bool, processes: u32) -> Shape {
    // A position's games are in all of the segments, and the same positions should have sums.
    let sums = options::sums(index).div_ceil(processes);
    // Together an eighth of the memory.
    let waiting = u32::try_from(memory_of_one(processes) / 8 / bytes_a_game(sums)).unwrap_or(u32::MAX);
    Shape {
        segment,
        room: ROOM,
        rich,
        patterns: options::patterns(index),
        columns: attributes::columns(index),
        sums,
        groupings: attributes::groupings(index),
        waiting,
    }
}

/// A segment being written.
pub struct NewSegment {
    index: Index,
    /// Number of the segment.
    pub number: u32,
    /// Estimated number of pages.
    estimate: u32,
    part: Part,
    /// Whether VACUUM may sleep between pages.
    delays: bool,
}

/// Pages that are written between two looks at what waits for the merge.
const PAGES_BETWEEN_LOOKS: u32 = 256;

/// Least number of blocks that a segment gets at once.
const LEAST_BLOCKS: u32 = 16;
/// A segment gets a sixteenth of its blocks at once: larger portions leave holes if it ends up smaller, and smaller
/// ones make more extents.
const SHARES: u32 = 16;

impl NewSegment {
    /// Begins a segment of about `estimate` pages. Drops unfinished segments in the same state: the caller holds the
    /// lock for that state, so nobody is writing them.
    pub fn begin(index: Index, state: State, estimate: u32) -> NewSegment {
        let mut segment =
            NewSegment::begin_after(index, state, estimate, |meta| meta.parts.retain(|part| part.state != state));
        // INSERT waits for a flush, but not for a merge.
        segment.delays = state == State::Merging;
        segment
    }

    /// Begins a segment of an index that is being built, beside those that other processes of the build are writing.
    pub fn begin_beside(index: Index, estimate: u32) -> NewSegment {
        NewSegment::begin_after(index, State::Merging, estimate, |_| ())
    }

    fn begin_after(index: Index, state: State, estimate: u32, prepare: impl FnOnce(&mut Meta)) -> NewSegment {
        let part = metapage::change(index, |meta| {
            prepare(meta);
            let number = meta.begin(state)?;
            metapage::grow(index, meta, number, first_blocks(estimate))?;
            Ok(meta.part(number).cloned())
        });
        let part = part.expect("the segment was begun");
        NewSegment { index, number: part.number, estimate, part, delays: false }
    }

    /// Makes the segment live, in the place of the parts that it replaces, and drops those. A segment without games is
    /// dropped, too.
    pub fn publish(self, segment: &Segment, replaced: &[u32]) {
        let number = self.number;
        metapage::change(self.index, |meta| {
            if let Some(part) = meta.part_mut(number) {
                part.state = State::Live;
                part.pages = segment.pages;
                part.games = segment.games;
                part.trim();
            }
            let is_dropped = |part: &Part| replaced.contains(&part.number);
            let place = meta.parts.iter().position(is_dropped);
            meta.parts.retain(|part| !is_dropped(part));
            let at = meta.parts.iter().position(|part| part.number == number);
            if let Some(at) = at {
                let part = meta.parts.remove(at);
                if segment.games > 0 {
                    meta.parts.insert(place.unwrap_or(at).min(meta.parts.len()), part);
                }
            }
            Ok(())
        });
    }
}

fn first_blocks(estimate: u32) -> u32 {
    if estimate <= LEAST_BLOCKS * SHARES { estimate.max(1) } else { (estimate / SHARES).max(LEAST_BLOCKS) }
}

impl Sink for NewSegment {
    type Error = std::convert::Infallible;

    fn put(&mut self, number: u32, content: &[u8]) -> Result<(), Self::Error> {
        if self.delays && number.is_multiple_of(PAGES_BETWEEN_LOOKS) {
            // Meanwhile, no INSERT merges segments. Their number has a limit, and each takes time in searches.
            self.delays = !tiers::are_many(&metapage::read(self.index));
        }
        if self.delays {
            // It sleeps in VACUUM, and elsewhere checks for interrupts. No buffer is locked here.
            vacuum_delay_point(false);
        } else {
            check_for_interrupts!();
        }
        let block = loop {
            if let Some(block) = self.part.block(number) {
                break block;
            }
            let (index, part, wanted) = (self.index, self.number, (self.estimate / SHARES).max(LEAST_BLOCKS));
            let grown = metapage::change(index, |meta| {
                metapage::grow(index, meta, part, wanted)?;
                Ok(meta.part(part).cloned())
            });
            self.part = grown.expect("the segment was begun");
        };
        let page = self.index.fresh(block);
        let mut change = Change::start(self.index);
        change.put(&page, content, true);
        change.finish();
        Ok(())
    }

    fn get(&mut self, number: u32, content: &mut Vec<u8>) -> Result<(), Self::Error> {
        check_for_interrupts!();
        content.clear();
        let block = self.part.block(number);
        if let Some(written) = block.and_then(|block| self.index.read(block, std::ptr::null_mut())) {
            *content = written;
        }
        Ok(())
    }
}
