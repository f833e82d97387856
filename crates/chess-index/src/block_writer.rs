//! Writes the blocks of a posting list.
//!
//! Takes games in ascending order with their notes; returns blocks, whose bytes [`crate::block`] describes.

use std::collections::HashMap;

use crate::bits::{BitWriter, bytes_of, width_of};
use crate::block::{BITMAP, BLOCK, ELIAS_FANO, NOTE_BYTES};

/// Up to this many notes are searched by a linear scan, later ones in a hash map.
const LOOKED_THROUGH: usize = 64;

/// Gathers the games of a list and writes a block when it is full.
#[derive(Debug, Default)]
pub(crate) struct BlockWriter {
    /// Notes of the list so far. Nearly all lists have fewer than [`LOOKED_THROUGH`].
    table: Vec<u32>,
    /// Numbers of the notes beyond that limit.
    numbers: HashMap<u32, u32>,
    /// Notes that appear in this block for the first time.
    new: Vec<u32>,
    games: Vec<u32>,
    codes: Vec<u32>,
    exact: bool,
    bits: BitWriter,
}

impl BlockWriter {
    /// Begins a list.
    pub(crate) fn begin(&mut self, exact: bool) {
        self.table.clear();
        self.numbers.clear();
        self.new.clear();
        self.games.clear();
        self.codes.clear();
        self.exact = exact;
    }

    /// Adds a game, greater than those before. If this returns true, call [`BlockWriter::write`] before the next game.
    #[inline]
    pub(crate) fn push(&mut self, game: u32, note: u32) -> bool {
        self.games.push(game);
        if self.exact {
            let code = self.number_of(note);
            self.codes.push(code);
        }
        self.games.len() == BLOCK
    }

    /// Returns the number of a note. A note that is new to the list gets the next number.
    #[inline]
    fn number_of(&mut self, note: u32) -> u32 {
        let first = &self.table[..self.table.len().min(LOOKED_THROUGH)];
        if let Some(number) = first.iter().position(|known| *known == note) {
            return number as u32;
        }
        let next = self.table.len() as u32;
        if self.table.len() >= LOOKED_THROUGH {
            let number = *self.numbers.entry(note).or_insert(next);
            if number < next {
                return number;
            }
        }
        self.table.push(note);
        self.new.push(note);
        next
    }

    /// Appends the block, unless it has no games.
    pub(crate) fn write(&mut self, out: &mut Vec<u8>) {
        let Some(first) = self.games.first().copied() else { return };
        let game_width = width_of(differences(&self.games).fold(0, |all, difference| all | difference).into());
        if !self.exact && self.write_short(game_width, out) {
            return self.games.clear();
        }
        let code_width = width_of(self.codes.iter().fold(0, |all, code| all | code).into());
        out.extend([self.games.len() as u8, game_width as u8, code_width as u8, self.new.len() as u8]);
        out.extend(first.to_le_bytes());
        for note in &self.new {
            out.extend(&note.to_le_bytes()[..NOTE_BYTES]);
        }
        for difference in differences(&self.games) {
            self.bits.push(difference.into(), game_width);
        }
        self.bits.move_to(out);
        for code in &self.codes {
            self.bits.push((*code).into(), code_width);
        }
        self.bits.move_to(out);
        self.new.clear();
        self.games.clear();
        self.codes.clear();
    }
}

fn differences(games: &[u32]) -> impl Iterator<Item = u32> {
    games.windows(2).map(|pair| pair[1] - pair[0] - 1)
}

impl BlockWriter {
    /// Appends the block as a bitmap or in Elias–Fano, if one of them is shorter than packed differences of `width`
    /// bits. Returns false if neither is; then nothing was appended.
    fn write_short(&mut self, width: u32, out: &mut Vec<u8>) -> bool {
        let (Some(first), Some(last)) = (self.games.first(), self.games.last()) else { return false };
        let (others, span) = (self.games.len() - 1, (last - first) as usize);
        let packed = bytes_of(others * width as usize);
        let bitmap = bytes_of(span);
        let low = width_of((span / others.max(1)) as u64).saturating_sub(1);
        let upper = bytes_of(others + (span.saturating_sub(1) >> low));
        let elias_fano = bytes_of(others * low as usize) + upper;
        if packed <= bitmap.min(elias_fano) {
            return false;
        }
        let (coding, upper) =
            if bitmap <= elias_fano { (BITMAP + bitmap, 0) } else { (ELIAS_FANO + low as usize, upper) };
        out.extend([self.games.len() as u8, coding as u8, upper as u8, 0]);
        out.extend(first.to_le_bytes());
        let distances = || self.games[1..].iter().map(|game| game - first - 1);
        if coding >= BITMAP {
            let from = out.len();
            out.resize(from + bitmap, 0);
            for distance in distances() {
                out[from + distance as usize / 8] |= 1 << (distance % 8);
            }
            return true;
        }
        for distance in distances() {
            self.bits.push(u64::from(distance) & ((1 << low) - 1), low);
        }
        self.bits.move_to(out);
        let mut before = 0;
        for distance in distances() {
            self.bits.push_unary(u64::from((distance >> low) - before));
            before = distance >> low;
        }
        self.bits.move_to(out);
        true
    }
}
