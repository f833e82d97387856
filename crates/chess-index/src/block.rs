//! Blocks of a long posting list: up to 128 games each, with their notes.
//!
//! Takes games in ascending order; returns blocks that decode on their own, so that a reader can skip blocks. Notes are
//! numbers in a table that grows as new notes appear, because the notes of a list repeat.
//!
//! | bytes | |
//! |---|---|
//! | 1 | number of games, 1 to 128 |
//! | 1 | bits of a difference |
//! | 1 | bits of a note's number; 0 in a plain list |
//! | 1 | number of notes that are new in the list |
//! | 4 | the first game |
//! | 3 each | those notes |
//! | | differences between neighbouring games, less one |
//! | | numbers of the games' notes |
//!
//! The differences and the numbers are each padded with zeros to a whole byte.

use std::collections::HashMap;

use chess_core::search::hybrid_keys::Note;

use crate::bits::{BitWriter, bytes_of, each, width_of};
use crate::fault::Broken;
use crate::page::u32_at;

/// Most games in a block.
pub const BLOCK: usize = 128;
/// Bytes before the notes.
const HEAD: usize = 8;
const NOTE_BYTES: usize = 3;
/// Up to this many notes are searched by a linear scan, later ones in a hash map.
const LOOKED_THROUGH: usize = 64;

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
        let Some(first) = self.games.first() else { return };
        let differences = || self.games.windows(2).map(|pair| pair[1] - pair[0] - 1);
        let game_width = width_of(differences().fold(0, |all, difference| all | difference).into());
        let code_width = width_of(self.codes.iter().fold(0, |all, code| all | code).into());
        out.extend([self.games.len() as u8, game_width as u8, code_width as u8, self.new.len() as u8]);
        out.extend(first.to_le_bytes());
        for note in &self.new {
            out.extend(&note.to_le_bytes()[..NOTE_BYTES]);
        }
        for difference in differences() {
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
        let head = bytes.first_chunk::<HEAD>().ok_or(Broken("a block is cut off"))?;
        let [count, game_width, code_width, new] = [head[0], head[1], head[2], head[3]].map(usize::from);
        let notes_at = HEAD;
        let games_at = notes_at + new * NOTE_BYTES;
        let codes_at = games_at + bytes_of(count.saturating_sub(1) * game_width);
        let end = codes_at + bytes_of(count * code_width);
        let sound = (1..=BLOCK).contains(&count) && game_width < 32 && code_width as u32 <= Note::BITS && new <= count;
        if !sound || end > bytes.len() {
            return Err(Broken("a block is cut off or has impossible numbers"));
        }
        if !self.exact && (new > 0 || code_width > 0) {
            return Err(Broken("a plain list has notes"));
        }
        block.clear();
        let mut game = u64::from(u32_at(head, 4)?);
        if self.last.is_some_and(|last| game <= u64::from(last)) {
            return Err(Broken("the games of a list are not ascending"));
        }
        block.games.resize(count, game as u32);
        let mut further = block.games.iter_mut().skip(1);
        each(bytes, 8 * games_at, game_width as u32, count - 1, |difference| {
            game += difference + 1;
            if let Some(further) = further.next() {
                *further = game as u32;
            }
        });
        if game >= u64::from(games) {
            return Err(Broken("a list has a game that the segment does not have"));
        }
        self.last = Some(game as u32);
        if self.exact {
            let new = bytes[notes_at..games_at].as_chunks::<NOTE_BYTES>().0;
            self.table
                .extend(new.iter().map(|note| Note::from_bits(u32::from_le_bytes([note[0], note[1], note[2], 0]))));
            block.notes.resize(count, Note::from_bits(0));
            let (table, mut notes, mut is_known) = (&self.table[..], block.notes.iter_mut(), true);
            each(bytes, 8 * codes_at, code_width as u32, count, |code| {
                match (table.get(code as usize), notes.next()) {
                    (Some(known), Some(note)) => *note = *known,
                    _ => is_known = false,
                }
            });
            if !is_known {
                return Err(Broken("a list names a note that it does not have"));
            }
        }
        Ok(end)
    }
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
                [(1, 1, 1), (17, 1, 1), (128, 4, 9), (129, 1000, 200), (1000, 7, 4), (500, 1 << 21, 499)]
            {
                let list = list(count, step, notes);
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
