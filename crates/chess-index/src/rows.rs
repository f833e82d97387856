//! Row pointers by game number.
//!
//! Takes the rows of games 0, 1, …; returns pages that give random access to the row of a game. If games are in heap
//! order a row takes about ten bits. Any order is allowed.
//!
//! Layout after the page head:
//!
//! | bytes | |
//! |---|---|
//! | 4 | first game |
//! | 2 | number of rows |
//! | 2 for each 64 rows | offset of their group in the body |
//! | | groups |
//!
//! A group: its lowest block number (4), bits of a block's difference to it (1), bits of an offset (1), then the
//! difference and the offset of each row.

use std::ops::{Range, RangeInclusive};

use crate::bits::{BitWriter, bytes_of, get, width_of};
use crate::fault::Broken;
use crate::page::{self, Kind, Page, u16_at, u32_at};

/// A row of the table: PostgreSQL's row pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row {
    /// Block number.
    pub block: u32,
    /// Line pointer number in the block.
    pub offset: u16,
}

/// Rows in a group.
const GROUP: usize = 64;
/// Most groups in a page: the number of rows is stored in two bytes.
const MOST_GROUPS: usize = 512;
const HEAD: usize = 6;
const GROUP_HEAD: usize = 6;

/// Writes pages of rows.
#[derive(Debug)]
pub(crate) struct RowsWriter {
    room: usize,
    /// First game of the page, and the number of rows in complete groups.
    first: u32,
    count: usize,
    offsets: Vec<u16>,
    groups: Vec<u8>,
    open: Vec<Row>,
    bits: BitWriter,
}

impl RowsWriter {
    pub(crate) fn new(room: usize) -> RowsWriter {
        RowsWriter {
            room,
            first: 0,
            count: 0,
            offsets: Vec::new(),
            groups: Vec::new(),
            open: Vec::new(),
            bits: BitWriter::default(),
        }
    }

    /// Adds the row of the next game. If this returns true the page is full: call [`RowsWriter::finish`].
    pub(crate) fn add(&mut self, row: Row) -> bool {
        self.open.push(row);
        self.open.len() == GROUP && {
            self.close();
            let most = 2 + GROUP_HEAD + GROUP * 6;
            let size = page::HEAD + HEAD + 2 * self.offsets.len() + self.groups.len();
            size + most > self.room || self.offsets.len() == MOST_GROUPS
        }
    }

    fn close(&mut self) {
        let Some(base) = self.open.iter().map(|row| row.block).min() else { return };
        let blocks = width_of(self.open.iter().fold(0, |all, row| all | u64::from(row.block - base)));
        let offsets = width_of(self.open.iter().fold(0, |all, row| all | u64::from(row.offset)));
        self.offsets.push(self.groups.len() as u16);
        self.groups.extend(base.to_le_bytes());
        self.groups.extend([blocks as u8, offsets as u8]);
        for row in &self.open {
            self.bits.push((row.block - base).into(), blocks);
            self.bits.push(row.offset.into(), offsets);
        }
        self.bits.move_to(&mut self.groups);
        self.count += self.open.len();
        self.open.clear();
    }

    /// Returns the first game of the page and the sealed content, if there are rows. The writer continues with the next
    /// game.
    pub(crate) fn finish(&mut self, segment: u32, number: impl FnOnce() -> u32) -> Option<(u32, u32, Vec<u8>)> {
        self.close();
        if self.count == 0 {
            return None;
        }
        let number = number();
        let mut content = page::begin(Kind::Rows, segment, number, 0);
        content.extend(self.first.to_le_bytes());
        content.extend((self.count as u16).to_le_bytes());
        let before = HEAD + 2 * self.offsets.len();
        content.extend(self.offsets.iter().flat_map(|offset| (offset + before as u16).to_le_bytes()));
        content.append(&mut self.groups);
        page::seal(&mut content);
        let first = self.first;
        self.first += self.count as u32;
        self.count = 0;
        self.offsets.clear();
        Some((first, number, content))
    }
}

/// A page of rows with its head decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows<'a> {
    /// The first game.
    pub first: u32,
    /// Number of rows.
    pub count: u32,
    body: &'a [u8],
}

impl<'a> Rows<'a> {
    /// Reads the head.
    ///
    /// # Errors
    ///
    /// [`Broken`] if it is not a page of rows.
    pub(crate) fn read(page: &Page<'a>) -> Result<Rows<'a>, Broken> {
        let rows = Rows { first: u32_at(page.body, 0)?, count: u16_at(page.body, 4)?.into(), body: page.body };
        if page.kind != Kind::Rows || rows.count == 0 {
            return Err(Broken("it has no rows"));
        }
        Ok(rows)
    }

    /// Finds the group of a game. Returns the games of the group, and a range of blocks that holds the rows of all of them.
    ///
    /// # Errors
    ///
    /// [`Broken`] if it is not in the page.
    pub(crate) fn span(&self, game: u32) -> Result<(Range<u32>, RangeInclusive<u32>), Broken> {
        let nth = game.checked_sub(self.first).filter(|nth| *nth < self.count).ok_or(Broken("a row is missing"))?;
        let first = nth / GROUP as u32 * GROUP as u32;
        let end = self.count.min(first + GROUP as u32);
        let (at, blocks, ..) = self.group(nth as usize / GROUP)?;
        let base = u32_at(self.body, at)?;
        let most = u32::MAX.checked_shr(32 - blocks).unwrap_or(0);
        Ok((self.first + first..self.first + end, base..=base.saturating_add(most)))
    }

    /// The row of a game.
    ///
    /// # Errors
    ///
    /// [`Broken`] if it is not in the page.
    pub(crate) fn row(&self, game: u32) -> Result<Row, Broken> {
        let nth = game.checked_sub(self.first).filter(|nth| *nth < self.count);
        let nth = nth.ok_or(Broken("a row is missing"))? as usize;
        let (at, blocks, offsets, _) = self.group(nth / GROUP)?;
        let base = u32_at(self.body, at)?;
        let bit = 8 * (at + GROUP_HEAD) + nth % GROUP * (blocks + offsets) as usize;
        let distance = get(self.body, bit, blocks) as u32;
        let block = base.checked_add(distance).ok_or(Broken("a row has an impossible block"))?;
        Ok(Row { block, offset: get(self.body, bit + blocks as usize, offsets) as u16 })
    }

    /// A group: start offset, bits of a difference, bits of an offset, end offset.
    fn group(&self, group: usize) -> Result<(usize, u32, u32, usize), Broken> {
        let at = usize::from(u16_at(self.body, HEAD + 2 * group)?);
        let [blocks, offsets] = [4, 5].map(|n| self.body.get(at + n).copied().map_or(u32::MAX, u32::from));
        let rows = (self.count as usize - group * GROUP).min(GROUP);
        let end = at + GROUP_HEAD + bytes_of(rows * (blocks.min(64) + offsets.min(64)) as usize);
        if blocks > 32 || offsets > 16 || end > self.body.len() {
            return Err(Broken("a group of rows is cut off"));
        }
        Ok((at, blocks, offsets, end))
    }

    /// Checks that the groups are contiguous and end with the body.
    ///
    /// # Errors
    ///
    /// [`Broken`] if they do not.
    pub(crate) fn check(&self) -> Result<(), Broken> {
        let groups = (self.count as usize).div_ceil(GROUP);
        let mut end = HEAD + 2 * groups;
        for group in 0..groups {
            let (at, _, _, behind) = self.group(group)?;
            if at != end {
                return Err(Broken("groups of rows do not follow each other"));
            }
            end = behind;
        }
        if end == self.body.len() { Ok(()) } else { Err(Broken("a page has more than its rows")) }
    }
}
