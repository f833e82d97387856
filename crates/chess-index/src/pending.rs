//! Pending games: games that are not in a segment yet. INSERT appends them, and a search tests each game.
//!
//! Takes rows with their packed games and writes them to pages; reads the rows of pages, and tests whether a game
//! reaches a position. A row is its pointer (block, 4 bytes; offset, 2 bytes), its attributes, and its packed game, which
//! may be missing. Rows follow each other in pieces. A row continues in the next page when one is full, because a game may be
//! longer than a page.
//!
//! The attributes of a row: a bit for each column, set if it is not NULL, padded with zeros to a whole byte; then four
//! bytes for each of those. An index without attributes has no such bytes.
//!
//! A piece begins with two bytes: its length in bits 0 to 13, bit 14 if it continues a row, bit 15 if the row continues
//! in the next piece.

use chess_core::search::finder::Finder;
use chess_core::{CorruptGame, GameRef};

use crate::attributes::Value;
use crate::bits::bytes_of;
use crate::fault::Broken;
use crate::page::{self, Kind, MIN_ROOM, Page};
use crate::rows::Row;

const HEAD: usize = 2;
const MOST: usize = (1 << 14) - 1;
const GOES_ON: u16 = 1 << 14;
const IS_CUT: u16 = 1 << 15;
const ROW: usize = 6;
/// A page is full if its free bytes are fewer than this and fewer than the row takes. This avoids tiny pieces.
const LEAST: usize = 64;

/// The content of a new page without rows. The caller chooses the page numbers.
pub fn new_page(segment: u32, number: u32) -> Vec<u8> {
    let mut content = page::begin(Kind::Pending, segment, number, 0);
    page::seal(&mut content);
    content
}

/// A row that is being written to pages.
#[derive(Clone, Debug)]
pub struct RowWriter {
    bytes: Vec<u8>,
    written: usize,
}

impl RowWriter {
    /// Takes the row, the values of its attributes, and its packed game, if it has one.
    pub fn new(row: Row, values: &[Value], game: Option<&[u8]>) -> RowWriter {
        let game = game.unwrap_or_default();
        let mut bytes = Vec::with_capacity(bytes_of_values(values.len()) + ROW + game.len());
        bytes.extend(row.block.to_le_bytes());
        bytes.extend(row.offset.to_le_bytes());
        for eight in values.chunks(8) {
            bytes.push(eight.iter().rev().fold(0, |bits, value| bits << 1 | u8::from(value.is_some())));
        }
        bytes.extend(values.iter().flatten().flat_map(|value| value.to_le_bytes()));
        bytes.extend_from_slice(game);
        RowWriter { bytes, written: 0 }
    }

    /// Appends as much as fits to the content of a page with `room` bytes, at least [`MIN_ROOM`], and seals it. Returns
    /// whether the row is complete; if not, it continues in the next page.
    pub fn write(&mut self, content: &mut Vec<u8>, room: usize) -> bool {
        let room = room.max(MIN_ROOM);
        loop {
            let rest = &self.bytes[self.written..];
            let free = room.saturating_sub(content.len() + HEAD);
            if free < rest.len().min(LEAST) {
                return false;
            }
            let (piece, left) = rest.split_at(rest.len().min(free).min(MOST));
            let goes_on = if self.written > 0 { GOES_ON } else { 0 };
            let head = piece.len() as u16 | goes_on | if left.is_empty() { 0 } else { IS_CUT };
            page::append(content, &head.to_le_bytes());
            page::append(content, piece);
            self.written += piece.len();
            if left.is_empty() {
                return true;
            }
        }
    }
}

/// Most bytes that the attributes of a row take.
pub fn bytes_of_values(columns: usize) -> usize {
    bytes_of(columns) + 4 * columns
}

/// Reads the rows of pages, in the order of the pages.
#[derive(Clone, Debug, Default)]
pub struct RowReader {
    /// Number of columns of attributes.
    columns: usize,
    values: Vec<Value>,
    /// Bytes of a row that continues in the next page.
    begun: Vec<u8>,
}

impl RowReader {
    /// A reader of rows with this number of columns.
    pub fn new(columns: usize) -> RowReader {
        RowReader { columns, ..RowReader::default() }
    }

    /// Calls `found` with each row that ends in this page, its attributes, and its packed game.
    ///
    /// # Errors
    ///
    /// [`Broken`] if it is not a page of pending games or does not continue the open row.
    pub fn read(&mut self, page: &Page<'_>, mut found: impl FnMut(Row, &[Value], Option<&[u8]>)) -> Result<(), Broken> {
        if page.kind != Kind::Pending {
            return Err(Broken("it has no pending games"));
        }
        let mut rest = page.body;
        while let Some((head, behind)) = rest.split_first_chunk::<HEAD>() {
            let head = u16::from_le_bytes(*head);
            let (piece, behind) =
                behind.split_at_checked(usize::from(head) & MOST).ok_or(Broken("a pending game is cut off"))?;
            if (head & GOES_ON != 0) == self.begun.is_empty() {
                return Err(Broken("a pending game does not go on where it was cut"));
            }
            rest = behind;
            if head & IS_CUT != 0 {
                self.begun.extend_from_slice(piece);
                if piece.is_empty() {
                    return Err(Broken("a pending game is cut off"));
                }
                continue;
            }
            if self.begun.is_empty() {
                self.split(piece, &mut found)?;
            } else {
                let mut whole = std::mem::take(&mut self.begun);
                whole.extend_from_slice(piece);
                self.split(&whole, &mut found)?;
            }
        }
        if rest.is_empty() { Ok(()) } else { Err(Broken("a pending game is cut off")) }
    }

    fn split(&mut self, bytes: &[u8], found: &mut impl FnMut(Row, &[Value], Option<&[u8]>)) -> Result<(), Broken> {
        let cut_off = Broken("a pending row is cut off");
        let (row, rest) = bytes.split_first_chunk::<ROW>().ok_or(cut_off)?;
        let row = Row {
            block: u32::from_le_bytes([row[0], row[1], row[2], row[3]]),
            offset: u16::from_le_bytes([row[4], row[5]]),
        };
        let (known, mut rest) = rest.split_at_checked(bytes_of(self.columns)).ok_or(cut_off)?;
        self.values.clear();
        for column in 0..self.columns {
            let value = if known[column / 8] >> (column % 8) & 1 == 1 {
                let (value, behind) = rest.split_first_chunk().ok_or(cut_off)?;
                rest = behind;
                Some(i32::from_le_bytes(*value))
            } else {
                None
            };
            self.values.push(value);
        }
        found(row, &self.values, (!rest.is_empty()).then_some(rest));
        Ok(())
    }

    /// Checks that no row is open, after the last page.
    ///
    /// # Errors
    ///
    /// [`Broken`] if one is.
    pub fn end(&self) -> Result<(), Broken> {
        if self.begun.is_empty() { Ok(()) } else { Err(Broken("a pending game is cut off")) }
    }
}

/// Whether a pending game reaches the board of a finder after at most `limit` half-moves.
///
/// # Errors
///
/// [`CorruptGame`] if the game does not decode. Only the moves that are replayed are checked.
pub fn is_match(game: Option<&[u8]>, finder: &Finder, limit: u32) -> Result<bool, CorruptGame> {
    match game {
        Some(game) => finder.is_in(GameRef::new(game)?, limit),
        None => Ok(false),
    }
}
