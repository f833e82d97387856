//! Blocks of a long posting list: up to 128 games each, with their notes.
//!
//! Takes the bytes of blocks, which [`crate::block_writer`] makes of games in ascending order; returns the games. Blocks
//! decode on their own, so that a reader can skip blocks. Notes are numbers in a table that grows as new notes appear, because
//! the notes of a list repeat.
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

use chess_core::search::hybrid_keys::Note;

use crate::bits::{bytes_of, get, unpack};
use crate::fault::Broken;
use crate::page::u32_at;

/// Most games in a block.
pub const BLOCK: usize = 128;
/// Bytes before the notes.
const HEAD: usize = 8;
pub(crate) const NOTE_BYTES: usize = 3;
/// Codings from here up to [`BITMAP`] are Elias–Fano.
pub(crate) const ELIAS_FANO: usize = 64;
/// Codings from here on are bitmaps.
pub(crate) const BITMAP: usize = 128;

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
        let last = read_games(bytes, layout, block)?;
        self.turn_to(bytes, layout, last, games)?;
        self.read_notes(bytes, layout, self.table.len(), block)?;
        Ok(layout.end)
    }

    /// Decodes the block at the start of `bytes`, which was [skipped](Self::skip) before, into `block`, replacing its content, for a
    /// segment of `games` games. `notes` is how many notes the list had up to this block.
    ///
    /// # Errors
    ///
    /// As [`BlockReader::read`].
    pub(crate) fn read_skipped(&self, bytes: &[u8], games: u32, notes: usize, block: &mut Block) -> Result<(), Broken> {
        let layout = self.layout(bytes)?;
        if read_games(bytes, layout, block)? >= u64::from(games) {
            return Err(Broken(BEYOND));
        }
        self.read_notes(bytes, layout, notes, block)
    }

    /// Decodes the notes of a block, if the list has notes: they are among the first `known` ones of the table.
    fn read_notes(&self, bytes: &[u8], layout: Layout, known: usize, block: &mut Block) -> Result<(), Broken> {
        if !self.exact {
            return Ok(());
        }
        let table = &self.table[..known.min(self.table.len())];
        let Layout { count, codes_at, code_width, .. } = layout;
        let mut codes = [0; BLOCK];
        unpack(bytes, codes_at, code_width, &mut codes[..count]);
        block.notes.resize(count, Note::from_bits(0));
        let mut is_known = true;
        for (note, code) in block.notes.iter_mut().zip(codes) {
            match table.get(code as usize) {
                Some(known) => *note = *known,
                None => is_known = false,
            }
        }
        if is_known { Ok(()) } else { Err(Broken("a list names a note that it does not have")) }
    }

    /// Decodes the block at the start of `bytes`, without notes: sets the bits of its games in `window`, and replaces
    /// `later` with the games after the window. Returns the numbers of bytes read and of games.
    ///
    /// # Errors
    ///
    /// As [`BlockReader::read`]; some bits may be set then.
    pub(crate) fn fill(
        &mut self,
        bytes: &[u8],
        games: u32,
        window: &mut Window<'_>,
        later: &mut Vec<u32>,
    ) -> Result<(usize, u32), Broken> {
        let layout = self.layout(bytes)?;
        later.clear();
        let Layout { coding, first, games_at, codes_at, count, .. } = layout;
        let is_inside = || {
            window.place(first).is_some()
                && window.place(first.saturating_add(8 * (codes_at - games_at) as u32)).is_some()
        };
        let last = if coding >= BITMAP && first < games && is_inside() {
            window.set_all(first, &bytes[games_at..codes_at], count)?
        } else {
            each_game(bytes, layout, |game| match window.place(game) {
                Some(place) => window.set(place),
                None if game > window.first => later.push(game),
                None => (),
            })?
        };
        self.turn_to(bytes, layout, last, games)?;
        Ok((layout.end, count as u32))
    }

    /// Notes that a block was read, and checks its first and last game.
    fn turn_to(&mut self, bytes: &[u8], layout: Layout, last: u64, games: u32) -> Result<(), Broken> {
        if self.last.is_some_and(|last| layout.first <= last) {
            return Err(Broken(NOT_ASCENDING));
        }
        if last >= u64::from(games) {
            return Err(Broken(BEYOND));
        }
        self.last = Some(last as u32);
        self.add_notes(bytes, layout);
        Ok(())
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
            self.turn_past(rest, layout)?;
            at += layout.end;
            games += layout.count as u32;
        }
    }

    /// How many notes the blocks so far have.
    pub(crate) fn notes(&self) -> usize {
        self.table.len()
    }

    /// Skips the block at the start of `bytes`. Returns its first game, and the numbers of bytes and of games.
    ///
    /// # Errors
    ///
    /// [`Broken`] if the block is truncated, or does not come after the one before.
    pub(crate) fn skip(&mut self, bytes: &[u8]) -> Result<(u32, usize, u32), Broken> {
        let layout = self.layout(bytes)?;
        self.turn_past(bytes, layout)?;
        Ok((layout.first, layout.end, layout.count as u32))
    }

    /// Notes that a block was skipped, and checks its first game.
    fn turn_past(&mut self, bytes: &[u8], layout: Layout) -> Result<(), Broken> {
        if self.last.is_some_and(|last| layout.first <= last) {
            return Err(Broken(NOT_ASCENDING));
        }
        self.add_notes(bytes, layout);
        self.last = Some(layout.first);
        Ok(())
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

/// A bitmap of consecutive games of a segment, as a list is decoded to it.
#[derive(Debug)]
pub(crate) struct Window<'a> {
    /// The first game.
    pub first: u32,
    /// A bit for each game.
    pub words: &'a mut [u64],
}

impl Window<'_> {
    /// The place of a game, if it is in the window.
    #[inline(always)]
    fn place(&self, game: u32) -> Option<u32> {
        game.checked_sub(self.first).filter(|place| (place / 64) < self.words.len() as u32)
    }

    #[inline(always)]
    fn set(&mut self, place: u32) {
        if let Some(word) = self.words.get_mut(place as usize / 64) {
            *word |= 1 << (place % 64);
        }
    }

    /// Sets the bits of games.
    pub(crate) fn set_games(&mut self, games: &[u32]) {
        for game in games {
            if let Some(place) = self.place(*game) {
                self.set(place);
            }
        }
    }

    /// Sets the bits of a block that is a bitmap of `count` games, all of them in the window. Returns the last game.
    fn set_all(&mut self, first: u32, bytes: &[u8], count: usize) -> Result<u64, Broken> {
        let (mut games, mut last) = (1, first);
        if let Some(place) = self.place(first) {
            self.set(place);
        }
        for (base, chunk) in (first + 1..).step_by(64).zip(bytes.chunks(8)) {
            let word = word_of(chunk);
            games += word.count_ones() as usize;
            if word != 0 {
                last = base + 63 - word.leading_zeros();
                let place = base - self.first;
                let (at, shift) = (place as usize / 64, place % 64);
                if let Some(low) = self.words.get_mut(at) {
                    *low |= word << shift;
                }
                if let Some(high) = self.words.get_mut(at + 1).filter(|_| shift > 0) {
                    *high |= word >> (64 - shift);
                }
            }
        }
        if games == count { Ok(last.into()) } else { Err(Broken(OTHER_GAMES)) }
    }
}

pub(crate) const NOT_ASCENDING: &str = "the games of a list are not ascending";
const BEYOND: &str = "a list has a game that the segment does not have";
const OTHER_GAMES: &str = "a block has other games than it counts";

/// Decodes the games of a block into `block`, replacing its content. Returns the last one, which may exceed 32 bits.
fn read_games(bytes: &[u8], layout: Layout, block: &mut Block) -> Result<u64, Broken> {
    block.clear();
    block.games.resize(layout.count, 0);
    let mut places = block.games.iter_mut();
    each_game(bytes, layout, |game| places.next().into_iter().for_each(|place| *place = game))
}

/// Calls `found` with the games of a block in order, and returns the last one. They may exceed 32 bits, which the last one
/// shows.
#[inline(always)]
fn each_game(bytes: &[u8], layout: Layout, mut found: impl FnMut(u32)) -> Result<u64, Broken> {
    let Layout { count, coding, first, games_at, codes_at, .. } = layout;
    found(first);
    match coding {
        BITMAP.. => each_of_bitmap(&bytes[games_at..codes_at], first, count, found),
        ELIAS_FANO.. => each_of_elias_fano(&bytes[games_at..codes_at], layout, found),
        width => {
            let (mut game, mut differences) = (u64::from(first), [0; BLOCK]);
            let differences = &mut differences[..count - 1];
            unpack(bytes, games_at, width as u32, differences);
            for difference in differences {
                game += u64::from(*difference) + 1;
                found(game as u32);
            }
            Ok(game)
        }
    }
}

/// The games of a bitmap but for the first.
#[inline(always)]
fn each_of_bitmap(bytes: &[u8], first: u32, count: usize, mut found: impl FnMut(u32)) -> Result<u64, Broken> {
    let (mut last, mut games) = (u64::from(first), 1);
    for (base, chunk) in (last + 1..).step_by(64).zip(bytes.chunks(8)) {
        let mut word = word_of(chunk);
        games += word.count_ones() as usize;
        while word != 0 {
            last = base + u64::from(word.trailing_zeros());
            found(last as u32);
            word &= word - 1;
        }
    }
    if games == count { Ok(last) } else { Err(Broken(OTHER_GAMES)) }
}

/// Converts up to eight bytes to a word; missing bytes are zero.
fn word_of(chunk: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..chunk.len()].copy_from_slice(chunk);
    u64::from_le_bytes(word)
}

/// The games of a block in Elias–Fano but for the first.
#[inline(always)]
fn each_of_elias_fano(bytes: &[u8], layout: Layout, mut found: impl FnMut(u32)) -> Result<u64, Broken> {
    let (low, others) = (layout.coding as u32 - ELIAS_FANO as u32, layout.count - 1);
    let (lower, upper) = bytes.split_at(bytes.len() - layout.upper);
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
            found(next as u32);
            word &= word - 1;
            nth += 1;
        }
        if word != 0 {
            return Err(Broken("a block has more games than it counts"));
        }
    }
    if nth != others || !is_ascending {
        return Err(Broken(OTHER_GAMES));
    }
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block_writer::BlockWriter;

    /// Most bytes in a block: every note is new, and its number takes seven bits.
    const MOST_BYTES: usize = HEAD + BLOCK * NOTE_BYTES + BLOCK * 31 / 8 + BLOCK * 20 / 8;

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
    fn a_window_gets_the_games_of_blocks() {
        // Bitmaps, packed differences and Elias–Fano.
        let uneven: Vec<(u32, u32)> = (0..300).map(|n| (n + 10 * (n / 16), 0)).collect();
        let apart: Vec<(u32, u32)> = (0..300).map(|n| (20 * n + if n > 64 { 5000 } else { 0 }, 0)).collect();
        for (list, coding) in [(uneven.clone(), BITMAP), (list(300, 1, 1), 0), (apart, ELIAS_FANO)] {
            assert_eq!(written(&list, false)[0][1] as usize & !63, coding);
            for first in [0, 64, 192, 6400, 1 << 20] {
                let (mut words, mut later) = ([0; 5], Vec::new());
                let (mut reader, mut found) = (BlockReader::new(false), Vec::new());
                for (bytes, games) in written(&list, false).iter().zip(list.chunks(BLOCK)) {
                    let mut window = Window { first, words: &mut words };
                    let read = reader.fill(bytes, u32::MAX, &mut window, &mut later);
                    assert_eq!(read, Ok((bytes.len(), games.len() as u32)));
                    found.append(&mut later);
                }
                let bits = (0..320).filter(|bit| words[*bit as usize / 64] >> (bit % 64) & 1 == 1);
                let found: Vec<u32> = bits.map(|bit| first + bit).chain(found).collect();
                let wanted: Vec<u32> = list.iter().map(|(game, _)| *game).filter(|game| *game >= first).collect();
                assert_eq!(found, wanted, "{coding} from {first}");
            }
        }
        // One game more than the block counts, after the sixteen first ones.
        let mut bytes = written(&uneven, false).remove(0);
        bytes[HEAD + 2] |= 1;
        let (mut words, mut later) = ([0; 5], Vec::new());
        let read = BlockReader::new(false).fill(&bytes, 1000, &mut Window { first: 0, words: &mut words }, &mut later);
        assert_eq!(read, Err(Broken(OTHER_GAMES)));
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
