//! Blocks of a long posting list: up to 128 games each, with their notes.
//!
//! Takes games in ascending order; returns blocks that decode on their own, so that a reader can skip blocks. Notes are
//! numbers in a table that grows as new notes appear, because the notes of a list repeat.
//!
//! | bytes | |
//! |---|---|
//! | 1 | number of games, 1 to 128 |
//! | 1 | coding of the other games, see below |
//! | 1 | exact list: bits of a note's number; plain list: bytes of the upper bits in Elias–Fano, otherwise 0 |
//! | 1 | number of notes that are new in the list |
//! | 4 | the first game |
//! | 3 each | those notes |
//! | | the other games, in one of three codings |
//! | | numbers of the games' notes |
//!
//! The games after the first one are coded in one of three ways. A plain list takes the shortest for each block. An
//! exact list always takes the first, which is the fastest to decode:
//!
//! | coding | |
//! |---|---|
//! | 0 to 31 | *packed*: the differences between neighbouring games, less one, in this many bits each |
//! | 64 + low | *Elias–Fano*: the distance of each game from the first, less one, split in two. First come the lower `low` bits of each distance; then, in unary, by how much its upper bits exceed those of the previous game: as many zeros, then a one |
//! | 128 + n | *bitmap*: n bytes with one bit for each number after the first game |
//!
//! Each section is padded with zeros to a whole byte.

use std::collections::HashMap;

use chess_core::search::hybrid_keys::Note;

use crate::bits::{BitWriter, bytes_of, each, get, width_of};
use crate::fault::Broken;
use crate::page::u32_at;

/// Most games in a block.
pub const BLOCK: usize = 128;
/// Bytes before the notes.
const HEAD: usize = 8;
const NOTE_BYTES: usize = 3;
/// Up to this many notes are searched by a linear scan, later ones in a hash map.
const LOOKED_THROUGH: usize = 64;

/// Codings from here up to [`BITMAP`] are Elias–Fano.
const ELIAS_FANO: usize = 64;
/// Codings from here on are bitmaps.
const BITMAP: usize = 128;

/// Most bytes in a block: every note is new, and its number takes seven bits.
#[cfg(test)]
const MOST_BYTES: usize = HEAD + BLOCK * NOTE_BYTES + BLOCK * 31 / 8 + BLOCK * 20 / 8;

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

    /// The number of a note. A note new to the list gets the next number.
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

/// Decoded games and their notes.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Games, ascending.
    pub games: Vec<u32>,
    /// The note of each game; empty in a plain list.
    pub notes: Vec<Note>,
}

impl Block {
    pub(crate) fn clear(&mut self) {
        self.games.clear();
        self.notes.clear();
    }
}

/// Reads the blocks of a list, one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockReader {
    exact: bool,
    table: Vec<Note>,
    last: Option<u32>,
}

impl BlockReader {
    pub(crate) fn new(exact: bool) -> BlockReader {
        BlockReader { exact, table: Vec::new(), last: None }
    }

    /// Decodes the block at the start of `bytes` into `block`, replacing its content, for a segment of `games` games.
    /// Returns the number of bytes read.
    ///
    /// # Errors
    ///
    /// [`Broken`] if the block is truncated, its games are not ascending, or a game is not in the segment.
    pub(crate) fn read(&mut self, bytes: &[u8], games: u32, block: &mut Block) -> Result<usize, Broken> {
        let layout = self.layout(bytes)?;
        let Layout { count, coding, first, games_at, codes_at, .. } = layout;
        block.clear();
        if self.last.is_some_and(|last| first <= last) {
            return Err(Broken("the games of a list are not ascending"));
        }
        let last = match coding {
            BITMAP.. => read_bitmap(&bytes[games_at..codes_at], first, count, block)?,
            ELIAS_FANO.. => read_elias_fano(&bytes[games_at..codes_at], layout, block)?,
            width => {
                let mut game = u64::from(first);
                block.games.resize(count, first);
                let mut further = block.games.iter_mut().skip(1);
                each(bytes, 8 * games_at, width as u32, count - 1, |difference| {
                    game += difference + 1;
                    if let Some(further) = further.next() {
                        *further = game as u32;
                    }
                });
                game
            }
        };
        if last >= u64::from(games) {
            return Err(Broken("a list has a game that the segment does not have"));
        }
        self.last = Some(last as u32);
        self.add_notes(bytes, layout);
        if self.exact {
            block.notes.resize(count, Note::from_bits(0));
            let (table, mut notes, mut is_known) = (&self.table[..], block.notes.iter_mut(), true);
            each(bytes, 8 * codes_at, layout.code_width, count, |code| {
                match (table.get(code as usize), notes.next()) {
                    (Some(known), Some(note)) => *note = *known,
                    _ => is_known = false,
                }
            });
            if !is_known {
                return Err(Broken("a list names a note that it does not have"));
            }
        }
        Ok(layout.end)
    }

    /// Skips blocks at the start of `bytes` that contain only games before `from`, without decoding their games. A
    /// block can be skipped if the next one, in the same bytes, starts at or before `from`. `left` is the number of
    /// games left in the list. Returns the numbers of bytes and of games skipped.
    ///
    /// # Errors
    ///
    /// [`Broken`] if a block is truncated.
    pub(crate) fn pass(&mut self, bytes: &[u8], from: u32, left: u32) -> Result<(usize, u32), Broken> {
        let (mut at, mut games) = (0, 0);
        loop {
            let rest = &bytes[at..];
            let layout = self.layout(rest)?;
            let has_next = rest.len() >= layout.end + HEAD && games + (layout.count as u32) < left;
            if !has_next || u32_at(rest, layout.end + 4)? > from {
                return Ok((at, games));
            }
            if self.last.is_some_and(|last| layout.first <= last) {
                return Err(Broken("the games of a list are not ascending"));
            }
            self.add_notes(rest, layout);
            self.last = Some(layout.first);
            at += layout.end;
            games += layout.count as u32;
        }
    }

    /// Reads and validates the head of a block: where its parts are, and how they are coded.
    fn layout(&self, bytes: &[u8]) -> Result<Layout, Broken> {
        let head = bytes.first_chunk::<HEAD>().ok_or(Broken("a block is cut off"))?;
        let [count, coding, third, new] = [head[0], head[1], head[2], head[3]].map(usize::from);
        let others = count.saturating_sub(1);
        let (code_width, upper) = if self.exact { (third, 0) } else { (0, third) };
        let games_at = HEAD + new * NOTE_BYTES;
        let len = match coding {
            BITMAP.. => coding - BITMAP,
            ELIAS_FANO.. => bytes_of(others * (coding - ELIAS_FANO)) + upper,
            width => bytes_of(others * width),
        };
        let codes_at = games_at + len;
        let end = codes_at + bytes_of(count * code_width);
        let is_known = match coding {
            BITMAP.. => !self.exact && upper == 0,
            ELIAS_FANO.. => !self.exact && coding - ELIAS_FANO < 32,
            width => width < 32 && upper == 0,
        };
        let sound = (1..=BLOCK).contains(&count) && code_width as u32 <= Note::BITS && new <= count && is_known;
        if !sound || end > bytes.len() {
            return Err(Broken("a block is cut off or has impossible numbers"));
        }
        if !self.exact && new > 0 {
            return Err(Broken("a plain list has notes"));
        }
        let first = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        Ok(Layout { count, coding, first, games_at, codes_at, end, code_width: code_width as u32, upper })
    }

    fn add_notes(&mut self, bytes: &[u8], layout: Layout) {
        let new = bytes[HEAD..layout.games_at].as_chunks::<NOTE_BYTES>().0;
        self.table.extend(new.iter().map(|note| Note::from_bits(u32::from_le_bytes([note[0], note[1], note[2], 0]))));
    }
}

/// The head of a block, and the offsets of its parts.
#[derive(Clone, Copy)]
struct Layout {
    count: usize,
    coding: usize,
    first: u32,
    games_at: usize,
    codes_at: usize,
    end: usize,
    code_width: u32,
    /// The number of bytes of the upper bits in Elias–Fano; 0 in the other codings.
    upper: usize,
}

/// Appends `first` and the games of a bitmap to `block`; returns the last game.
fn read_bitmap(bytes: &[u8], first: u32, count: usize, block: &mut Block) -> Result<u64, Broken> {
    block.games.push(first);
    let mut last = u64::from(first);
    for (base, chunk) in (last + 1..).step_by(64).zip(bytes.chunks(8)) {
        let mut word = word_of(chunk);
        while word != 0 {
            last = base + u64::from(word.trailing_zeros());
            block.games.push(last as u32);
            word &= word - 1;
        }
    }
    if block.games.len() == count { Ok(last) } else { Err(Broken("a block has other games than it counts")) }
}

/// Converts up to eight bytes to a word; missing bytes are zero.
fn word_of(chunk: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..chunk.len()].copy_from_slice(chunk);
    u64::from_le_bytes(word)
}

/// Appends the games of a block in Elias–Fano to `block`; returns the last game.
fn read_elias_fano(bytes: &[u8], layout: Layout, block: &mut Block) -> Result<u64, Broken> {
    let (low, others) = (layout.coding as u32 - ELIAS_FANO as u32, layout.count - 1);
    let (lower, upper) = bytes.split_at(bytes.len() - layout.upper);
    block.games.push(layout.first);
    let mut game = u64::from(layout.first);
    let mut nth = 0;
    let mut is_ascending = true;
    for (at, chunk) in upper.chunks(8).enumerate() {
        let mut word = word_of(chunk);
        while word != 0 && nth < others {
            let zeros = 64 * at + word.trailing_zeros() as usize - nth;
            let distance = (zeros as u64) << low | get(lower, nth * low as usize, low);
            let next = u64::from(layout.first) + 1 + distance;
            is_ascending &= next > game;
            game = next;
            block.games.push(next as u32);
            word &= word - 1;
            nth += 1;
        }
        if word != 0 {
            return Err(Broken("a block has more games than it counts"));
        }
    }
    if nth != others || !is_ascending {
        return Err(Broken("a block has other games than it counts"));
    }
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(count: u32, step: u32, notes: u32) -> Vec<(u32, u32)> {
        (0..count).map(|n| (n * step + n % 3 % step, n * n % notes)).collect()
    }

    fn written(list: &[(u32, u32)], exact: bool) -> Vec<Vec<u8>> {
        let mut writer = BlockWriter::default();
        writer.begin(exact);
        let mut blocks = Vec::new();
        for (n, (game, note)) in list.iter().enumerate() {
            let full = writer.push(*game, *note);
            assert_eq!(full, n % BLOCK == BLOCK - 1);
            if full || n + 1 == list.len() {
                let mut block = Vec::new();
                writer.write(&mut block);
                assert!(block.len() <= MOST_BYTES);
                blocks.push(block);
            }
        }
        blocks
    }

    #[test]
    fn lists_come_back() {
        for exact in [false, true] {
            for (count, step, notes) in
                [(1, 1, 1), (17, 1, 1), (128, 4, 9), (129, 1000, 200), (1000, 7, 4), (500, 1 << 21, 499), (700, 0, 3)]
            {
                // A step of 0 stands for distances that differ widely, which Elias–Fano codes best.
                let uneven = |n: u32| n * n * n / 50 + n + if n > 400 { 1 << 30 } else { 0 };
                let list = match step {
                    0 => (0..count).map(|n| (uneven(n), n % notes)).collect(),
                    _ => list(count, step, notes),
                };
                let mut reader = BlockReader::new(exact);
                let (mut block, mut back) = (Block::default(), Vec::new());
                for bytes in written(&list, exact) {
                    assert_eq!(reader.read(&bytes, u32::MAX, &mut block), Ok(bytes.len()));
                    back.extend(
                        block
                            .games
                            .iter()
                            .copied()
                            .enumerate()
                            .map(|(n, game)| (game, if exact { block.notes[n].bits() } else { 0 })),
                    );
                }
                let wanted: Vec<_> = list.iter().map(|(game, note)| (*game, if exact { *note } else { 0 })).collect();
                assert_eq!(back, wanted);
            }
        }
    }

    #[test]
    fn a_damaged_block_is_an_error_or_games_of_the_segment() {
        let list = list(300, 5, 12);
        let blocks = written(&list, true);
        for at in 0..blocks[0].len() {
            for value in [0, 1, 127, 128, 255, blocks[0][at] ^ 1, blocks[0][at] ^ 64] {
                let mut reader = BlockReader::new(true);
                let mut block = Block::default();
                let mut bytes = blocks[0].clone();
                bytes[at] = value;
                if reader.read(&bytes, 2000, &mut block).is_ok() {
                    assert!(block.games.is_sorted() && block.games.iter().all(|game| *game < 2000));
                    assert_eq!(block.games.len(), block.notes.len());
                }
            }
        }
        let mut reader = BlockReader::new(true);
        let mut block = Block::default();
        assert_eq!(reader.read(&blocks[0], 2000, &mut block), Ok(blocks[0].len()));
        assert!(reader.read(&blocks[0], 2000, &mut block).is_err(), "the same games again");
        assert!(BlockReader::new(true).read(&blocks[0][..blocks[0].len() - 1], 2000, &mut block).is_err());
        assert!(BlockReader::new(false).read(&blocks[0], 2000, &mut block).is_err());
        assert!(BlockReader::new(true).read(&blocks[0], 100, &mut block).is_err());
    }
}
