//! External sort of the postings of a build.
//!
//! Takes postings in the order of games; returns them in the order in which a segment stores them: first those of
//! positions, then those of materials. Postings are collected in memory. When the memory is full they are sorted and
//! written to the caller's temporary file as a *run*; at the end all runs are merged in one pass. If a game has a key
//! twice, only its first posting is kept.

use chess_core::pause;

use crate::key::KEY_BITS;
use crate::record::{MOST_PACKED, Packing, Record};
use crate::segment::Tree;
use crate::sink::{Scratch, Spill};
use crate::writer::Posting;

/// Gathers postings and sorts them.
pub(crate) struct Runs {
    /// Most records in memory.
    most: usize,
    records: Vec<Record>,
    scratch: Vec<Record>,
    runs: Vec<Place>,
    bytes: Vec<u8>,
}

/// Where a run is in the temporary file, in bytes, and its first game.
#[derive(Clone, Copy)]
struct Place {
    from: u64,
    end: u64,
    first: u32,
}

/// Bytes per read or write of the temporary file.
const CHUNK: usize = 1 << 16;

impl Runs {
    /// `memory` limits the sort, in bytes; at least a megabyte is used.
    pub(crate) fn new(memory: usize) -> Runs {
        let most = (memory / (2 * size_of::<Record>())).max(1 << 15);
        Runs { most, records: Vec::new(), scratch: Vec::new(), runs: Vec::new(), bytes: Vec::new() }
    }

    /// Adds a record. If the memory is full, the records in memory go to the temporary file first.
    ///
    /// # Errors
    ///
    /// Those of the temporary file.
    #[inline(always)]
    pub(crate) fn push<T: Spill>(&mut self, record: Record, file: &mut Scratch<T>) -> Result<(), T::Error> {
        if self.records.len() >= self.records.capacity().min(self.most) {
            self.make_room(file)?;
        }
        self.records.push(record);
        Ok(())
    }

    #[cold]
    fn make_room<T: Spill>(&mut self, file: &mut Scratch<T>) -> Result<(), T::Error> {
        let len = self.records.len();
        if len >= self.most {
            return self.spill(file);
        }
        self.records.reserve_exact(len.max(1 << 12).min(self.most - len));
        Ok(())
    }

    /// Sorts the records in memory and writes them to the temporary file as a run.
    fn spill<T: Spill>(&mut self, file: &mut Scratch<T>) -> Result<(), T::Error> {
        let first = self.records.first().map_or(0, |record| record.game());
        sort(&mut self.records, &mut self.scratch);
        let (from, mut packing) = (file.end(), Packing::new(first));
        self.bytes.clear();
        for record in &self.records {
            packing.pack(*record, &mut self.bytes);
            if self.bytes.len() >= CHUNK {
                file.write(&self.bytes)?;
                self.bytes.clear();
            }
        }
        file.write(&self.bytes)?;
        self.runs.push(Place { from, end: file.end(), first });
        self.records.clear();
        Ok(())
    }

    /// Calls `each` with every posting, in order; `failed` converts an error of the temporary file.
    ///
    /// # Errors
    ///
    /// The first error of `each` or of the temporary file.
    pub(crate) fn finish<T: Spill, E>(
        mut self,
        file: &mut Scratch<T>,
        mut each: impl FnMut(Tree, Posting) -> Result<(), E>,
        failed: impl Fn(T::Error) -> E,
    ) -> Result<(), E> {
        let mut each = |record: Record| {
            let (tree, posting) = record.posting();
            each(tree, posting)
        };
        let mut before = u128::MAX;
        let mut first_of_game =
            |record: Record| std::mem::replace(&mut before, record.game_in_list()) != record.game_in_list();
        if self.runs.is_empty() {
            sort(&mut self.records, &mut self.scratch);
            drop(self.scratch);
            return self.records.into_iter().filter(|record| first_of_game(*record)).try_for_each(each);
        }
        self.spill(file).map_err(&failed)?;
        (self.records, self.scratch, self.bytes) = Default::default();
        let chunk = (self.most * size_of::<Record>() / self.runs.len()).clamp(1 << 10, CHUNK);
        let mut merge = Merge::new(file, &self.runs, chunk).map_err(&failed)?;
        while let Some(record) = merge.next().map_err(&failed)? {
            if first_of_game(record) {
                each(record)?;
            }
        }
        Ok(())
    }
}

/// Sorts records. Partitions them by the upper bits of their keys first, so that each part fits into the processor's
/// cache. Pauses every few milliseconds.
fn sort(records: &mut Vec<Record>, scratch: &mut Vec<Record>) {
    const IN_A_PART: usize = 512;
    /// Records between two pauses.
    const STEP: usize = 1 << 17;
    let bits = (records.len() / IN_A_PART).max(1).ilog2().min(KEY_BITS);
    let mut ends = vec![0; 1 << bits];
    for records in records.chunks(STEP) {
        pause::pause();
        records.iter().for_each(|record| ends[record.part(bits)] += 1);
    }
    let mut sum = 0;
    for end in &mut ends {
        sum += std::mem::replace(end, sum);
    }
    scratch.clear();
    scratch.reserve_exact(records.len());
    while scratch.len() < records.len() {
        pause::pause();
        scratch.resize(records.len().min(scratch.len() + STEP), Record::END);
    }
    for records in records.chunks(STEP) {
        pause::pause();
        for record in records {
            let at = &mut ends[record.part(bits)];
            scratch[*at] = *record;
            *at += 1;
        }
    }
    let (mut from, mut since) = (0, 0);
    for end in ends {
        let part = &mut scratch[from..end];
        since += part.len();
        if since >= STEP {
            since = 0;
            pause::pause();
        }
        // Many games may share a key.
        if part.len() < STEP {
            part.sort_unstable()
        } else {
            pause::sort(part)
        }
        from = end;
    }
    std::mem::swap(records, scratch);
}

/// A run that is being read.
struct Run {
    next: u64,
    end: u64,
    bytes: Vec<u8>,
    /// The first byte of the next record.
    at: usize,
    packing: Packing,
}

/// Merges runs by a tree of losers.
struct Merge<'a, T> {
    file: &'a mut Scratch<T>,
    runs: Vec<Run>,
    /// The next record of each run.
    heads: Vec<Record>,
    /// For each inner node the run that lost there; the first element is the winner.
    tree: Vec<usize>,
    chunk: usize,
}

impl<'a, T: Spill> Merge<'a, T> {
    fn new(file: &'a mut Scratch<T>, runs: &[Place], chunk: usize) -> Result<Merge<'a, T>, T::Error> {
        let begin = |Place { from, end, first }| Run {
            next: from,
            end,
            bytes: Vec::new(),
            at: 0,
            packing: Packing::new(first),
        };
        let runs: Vec<Run> = runs.iter().copied().map(begin).collect();
        let count = runs.len();
        let mut merge = Merge { file, runs, heads: vec![Record::END; count], tree: vec![usize::MAX; count], chunk };
        for run in 0..count {
            merge.heads[run] = merge.read(run)?;
        }
        for run in 0..count {
            merge.enter(run);
        }
        Ok(merge)
    }

    /// Replays a run from its leaf to the root. During setup it stops at the first empty node.
    fn enter(&mut self, run: usize) {
        let mut winner = run;
        let mut node = (run + self.runs.len()) / 2;
        while node > 0 {
            let other = self.tree[node];
            if other == usize::MAX {
                self.tree[node] = winner;
                return;
            }
            if self.heads[other] < self.heads[winner] {
                self.tree[node] = winner;
                winner = other;
            }
            node /= 2;
        }
        self.tree[0] = winner;
    }

    #[inline]
    fn next(&mut self) -> Result<Option<Record>, T::Error> {
        let winner = self.tree[0];
        let record = self.heads[winner];
        if record == Record::END {
            return Ok(None);
        }
        self.heads[winner] = self.read(winner)?;
        self.enter(winner);
        Ok(Some(record))
    }

    #[inline]
    fn read(&mut self, run: usize) -> Result<Record, T::Error> {
        let run = &mut self.runs[run];
        if run.bytes.len() - run.at < MOST_PACKED && run.next < run.end {
            run.bytes.drain(..run.at);
            run.at = 0;
            let (from, len) = (run.bytes.len(), (run.end - run.next).min(self.chunk as u64) as usize);
            run.bytes.resize(from + len, 0);
            self.file.read(run.next, &mut run.bytes[from..])?;
            run.next += len as u64;
        }
        let mut bytes = &run.bytes[run.at..];
        if bytes.is_empty() {
            return Ok(Record::END);
        }
        let record = run.packing.unpack(&mut bytes);
        run.at = run.bytes.len() - bytes.len();
        Ok(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern_key::FIRST_FREQUENT;
    use std::convert::Infallible;

    fn sorted(memory: usize, records: &[Record]) -> (Vec<(Tree, Posting)>, usize) {
        let (mut runs, mut file) = (Runs::new(memory), Scratch::new(Vec::new()));
        runs.most = memory;
        for record in records {
            runs.push(*record, &mut file).unwrap();
        }
        let count = runs.runs.len();
        let mut postings = Vec::new();
        let each = |tree, posting| -> Result<(), Infallible> {
            postings.push((tree, posting));
            Ok(())
        };
        runs.finish(&mut file, each, |error| error).unwrap();
        (postings, count)
    }

    #[test]
    fn runs_give_what_one_sort_gives() {
        let mut state = 5u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        for count in [0, 1, 2, 3, 700, 20_000] {
            let mut records = Vec::new();
            for game in 0..count {
                // Few distinct keys, or keys that differ only in the bits after the key.
                let hash = if random() % 3 == 0 { random() % 5 } else { random() << 31 };
                records.push(Record::exact(hash, game, random() as u32 % 29, random() as u32 & 0xfffff));
                records.push(Record::exact(hash, game, random() as u32 % 29, random() as u32 & 0xfffff));
                records.push(Record::plain((random() % 50) << 40, game));
                records.push(Record::material(random() % FIRST_FREQUENT, game));
                records.push(Record::material(random() % 9, game));
            }
            let mut wanted = records.clone();
            wanted.sort_unstable();
            wanted.dedup_by_key(|record| record.game_in_list());
            let wanted: Vec<(Tree, Posting)> = wanted.into_iter().map(Record::posting).collect();
            let (at_once, none) = sorted(usize::MAX, &records);
            assert_eq!((at_once, none), (wanted.clone(), 0));
            for memory in [1, 64, 1000, 4999] {
                let (postings, runs) = sorted(memory, &records);
                assert!(runs >= records.len().saturating_sub(1) / memory.max(1), "{runs}");
                assert_eq!(postings, wanted);
            }
        }
    }
}
