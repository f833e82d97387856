//! The metapage: the first page of an index.
//!
//! It lists the segments, the pending games and the blocks that each of them owns. All other blocks are free, so there
//! is no other record of free space. A crash leaves nothing to search for: a segment that was being written is listed
//! as unfinished, and the next flush or merge drops it.
//!
//! Layout after the page head:
//!
//! | bytes | |
//! |---|---|
//! | 4 | number of the next segment or pending list |
//! | 4 | block of the last pending page; 0 if no games are pending |
//! | 2 | number of parts |
//! | 2 | 0 |
//! | | parts, the list of pending games first |
//!
//! A part: its number (4), its state (1), 0 (1), number of extents (2), pages (4), games (4), dead games (4), then for
//! each extent its first block (4) and its length (4). The pages of a part lie in its extents in this order.

use crate::fault::Broken;
use crate::page::{self, Kind, Page, is_sealed, u16_at, u32_at};

const HEAD: usize = 12;
const PART: usize = 20;
const EXTENT: usize = 8;
/// Blocks have numbers below this one, as in PostgreSQL.
const END: u32 = u32::MAX - 1;

/// Most segments in an index, including unfinished ones and the closed lists of pending games.
pub const MOST_PARTS: usize = 160;

/// Adjacent blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The first block.
    pub first: u32,
    /// Number of blocks.
    pub len: u32,
}

impl Extent {
    fn end(self) -> u32 {
        self.first + self.len
    }
}

/// State of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// The list of pending games that INSERT appends to. There is one, the first part.
    Pending = 0,
    /// A segment.
    Live = 1,
    /// A list of pending games that a flush is turning into a segment.
    Closed = 2,
    /// A segment that a flush is writing, or was writing when it failed.
    Flushing = 3,
    /// A segment that a merge is writing, or was writing when it failed.
    Merging = 4,
}

impl State {
    const ALL: [State; 5] = [State::Pending, State::Live, State::Closed, State::Flushing, State::Merging];
}

/// A segment or a list of pending games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its number, in the head of each of its pages. Numbers are never used again.
    pub number: u32,
    /// What it is.
    pub state: State,
    /// Number of pages that are written.
    pub pages: u32,
    /// Number of games, including dead ones. In a list of pending games this excludes those of the last page.
    pub games: u32,
    /// Number of dead games when VACUUM last counted them.
    pub dead: u32,
    /// Its blocks.
    pub extents: Vec<Extent>,
}

impl Part {
    fn new(number: u32, state: State) -> Part {
        Part { number, state, pages: 0, games: 0, dead: 0, extents: Vec::new() }
    }

    /// The block of a page; `None` if the part owns fewer blocks.
    pub fn block(&self, page: u32) -> Option<u32> {
        let mut left = page;
        for extent in &self.extents {
            if left < extent.len {
                return Some(extent.first + left);
            }
            left -= extent.len;
        }
        None
    }

    /// Number of blocks that it owns.
    pub fn blocks(&self) -> u32 {
        self.extents.iter().map(|extent| extent.len).sum()
    }

    /// Games that are not dead.
    pub fn living(&self) -> u32 {
        self.games - self.dead
    }

    /// Gives back the blocks after its last page.
    pub fn trim(&mut self) {
        let mut left = self.pages;
        for extent in &mut self.extents {
            extent.len = extent.len.min(left);
            left -= extent.len;
        }
        self.extents.retain(|extent| extent.len > 0);
    }

    fn add(&mut self, extent: Extent) {
        match self.extents.last_mut() {
            Some(last) if last.end() == extent.first => last.len += extent.len,
            _ => self.extents.push(extent),
        }
    }
}

/// The last page of pending games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tail {
    /// Number of the list.
    pub number: u32,
    /// Number of the page in the list.
    pub page: u32,
    /// Its block.
    pub block: u32,
}

/// Reads only the place of the last pending page, which is all that an INSERT needs; `None` if there is no such page.
///
/// # Errors
///
/// [`Broken`] if it is not a metapage.
pub fn tail(content: &[u8]) -> Result<Option<Tail>, Broken> {
    let body = body(content)?;
    let block = u32_at(body, 4)?;
    let (number, pages) = (u32_at(body, HEAD)?, u32_at(body, HEAD + 8)?);
    Ok(pages.checked_sub(1).filter(|_| block > 0).map(|page| Tail { number, page, block }))
}

fn body(content: &[u8]) -> Result<&[u8], Broken> {
    let page = Page::read(content)?;
    if page.kind == Kind::Meta && page.segment == 0 && page.number == 0 {
        Ok(page.body)
    } else {
        Err(Broken("it is not the first page of an index"))
    }
}

/// The decoded metapage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    /// The next number.
    next: u32,
    /// The list of pending games.
    pub pending: Part,
    /// Segments in the order of their age, and parts that are being written.
    pub parts: Vec<Part>,
}

impl Default for Meta {
    /// An empty index.
    fn default() -> Meta {
        Meta { next: 2, pending: Part::new(1, State::Pending), parts: Vec::new() }
    }
}

/// The metapage has no room for another part or extent, or there are no more numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl Meta {
    /// Reads a metapage.
    ///
    /// # Errors
    ///
    /// [`Broken`] if it is not one, or if two parts own a block.
    pub fn read(content: &[u8]) -> Result<Meta, Broken> {
        let body = body(content)?;
        if !is_sealed(content) {
            return Err(Broken("its checksum is wrong"));
        }
        let (next, tail_block, count) = (u32_at(body, 0)?, u32_at(body, 4)?, usize::from(u16_at(body, 8)?));
        let mut parts = Vec::with_capacity(count.min(MOST_PARTS));
        let mut at = HEAD;
        for nth in 0..count {
            let part = read_part(body, &mut at)?;
            if (part.state == State::Pending) != (nth == 0) || part.number >= next {
                return Err(Broken("it lists parts that cannot be"));
            }
            parts.push(part);
        }
        if parts.is_empty() || count > 1 + MOST_PARTS || at != body.len() || u16_at(body, 10)? != 0 {
            return Err(Broken("it does not list as many parts as it says"));
        }
        let meta = Meta { next, pending: parts.remove(0), parts };
        let mut numbers: Vec<u32> = meta.all().map(|part| part.number).collect();
        numbers.sort_unstable();
        if numbers.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Broken("it lists a part twice"));
        }
        if tail_block != meta.tail_block() {
            return Err(Broken("it names another page for pending games than the last"));
        }
        if meta.owned().windows(2).any(|pair| pair[0].end() > pair[1].first) {
            return Err(Broken("a block belongs to two parts"));
        }
        Ok(meta)
    }

    /// The sealed content of the page.
    ///
    /// # Errors
    ///
    /// [`Full`] if it takes more than `room` bytes.
    pub fn write(&self, room: usize) -> Result<Vec<u8>, Full> {
        let mut content = page::begin(Kind::Meta, 0, 0, 0);
        content.extend(self.next.to_le_bytes());
        content.extend(self.tail_block().to_le_bytes());
        content.extend((1 + self.parts.len() as u16).to_le_bytes());
        content.extend([0; 2]);
        for part in self.all() {
            content.extend(part.number.to_le_bytes());
            content.extend([part.state as u8, 0]);
            content.extend((part.extents.len() as u16).to_le_bytes());
            for number in [part.pages, part.games, part.dead] {
                content.extend(number.to_le_bytes());
            }
            for extent in &part.extents {
                content.extend(extent.first.to_le_bytes());
                content.extend(extent.len.to_le_bytes());
            }
        }
        page::seal(&mut content);
        if content.len() <= room && self.parts.len() <= MOST_PARTS { Ok(content) } else { Err(Full) }
    }

    /// All parts, the pending games first.
    pub fn all(&self) -> impl Iterator<Item = &Part> {
        std::iter::once(&self.pending).chain(&self.parts)
    }

    /// The parts in a state.
    pub fn in_state(&self, state: State) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(move |part| part.state == state)
    }

    /// The part with a number.
    pub fn part(&self, number: u32) -> Option<&Part> {
        self.all().find(|part| part.number == number)
    }

    /// The part with a number, to change it.
    pub fn part_mut(&mut self, number: u32) -> Option<&mut Part> {
        std::iter::once(&mut self.pending).chain(&mut self.parts).find(|part| part.number == number)
    }

    /// Whether there is room for a flush: for another segment, another closed list and a merge.
    pub fn has_room(&self, room: usize) -> bool {
        self.parts.len() + 3 <= MOST_PARTS && self.bytes() + room / 8 <= room
    }

    /// Begins a segment in state `state` and returns its number.
    ///
    /// # Errors
    ///
    /// [`Full`] if there are too many parts.
    pub fn begin(&mut self, state: State) -> Result<u32, Full> {
        if self.parts.len() >= MOST_PARTS {
            return Err(Full);
        }
        let number = self.take_number()?;
        self.parts.push(Part::new(number, state));
        Ok(number)
    }

    /// Closes the list of pending games and begins a new one. Does nothing if no games are pending.
    ///
    /// # Errors
    ///
    /// [`Full`] if there are too many parts.
    pub fn close_pending(&mut self) -> Result<(), Full> {
        if self.pending.pages == 0 {
            return Ok(());
        }
        if self.parts.len() >= MOST_PARTS {
            return Err(Full);
        }
        let number = self.take_number()?;
        let mut closed = std::mem::replace(&mut self.pending, Part::new(number, State::Pending));
        closed.state = State::Closed;
        closed.trim();
        self.parts.push(closed);
        Ok(())
    }

    fn take_number(&mut self) -> Result<u32, Full> {
        let number = self.next;
        self.next = number.checked_add(1).ok_or(Full)?;
        Ok(number)
    }

    /// Gives a part about `wanted` more blocks, none before block `from`: free ones, or those after the last block that a part
    /// owns. If extents fill more than half of the metapage, it gives sixteen times as many, so that new extents do not fill the
    /// rest.
    ///
    /// # Errors
    ///
    /// [`Full`] if there are no more blocks, or there is no such part.
    pub fn grow(&mut self, number: u32, wanted: u32, room: usize, from: u32) -> Result<(), Full> {
        let is_crowded = 2 * self.bytes() > room;
        let wanted = if is_crowded { wanted.saturating_mul(16) } else { wanted }.max(1);
        let least = if is_crowded { wanted } else { wanted.div_ceil(2) };
        let behind = self.part(number).ok_or(Full)?.extents.last().map(|extent| extent.end());
        let rest = |gap: Extent| {
            let first = gap.first.max(from);
            Extent { first, len: gap.end().saturating_sub(first) }
        };
        let gaps: Vec<Extent> = self.gaps().into_iter().map(rest).collect();
        let gap = gaps.iter().find(|gap| Some(gap.first) == behind && gap.len >= least);
        let gap = gap.or_else(|| gaps.iter().find(|gap| gap.len >= least)).ok_or(Full)?;
        let extent = Extent { first: gap.first, len: gap.len.min(wanted) };
        self.part_mut(number).ok_or(Full)?.add(extent);
        Ok(())
    }

    /// Blocks of a relation of `blocks` blocks that nothing owns.
    pub fn free_blocks(&self, blocks: u32) -> u32 {
        let in_file = |gap: &Extent| gap.end().min(blocks).saturating_sub(gap.first);
        self.gaps().iter().map(in_file).sum()
    }

    /// The extents that no part owns, ascending; the last one ends with the last possible block.
    fn gaps(&self) -> Vec<Extent> {
        let mut gaps = Vec::new();
        let mut first = 1;
        for extent in self.owned() {
            if extent.first > first {
                gaps.push(Extent { first, len: extent.first - first });
            }
            first = extent.end();
        }
        if first < END {
            gaps.push(Extent { first, len: END - first });
        }
        gaps
    }

    /// The extents of all parts, ascending.
    fn owned(&self) -> Vec<Extent> {
        let mut owned: Vec<Extent> = self.all().flat_map(|part| part.extents.iter().copied()).collect();
        owned.sort_unstable_by_key(|extent| extent.first);
        owned
    }

    fn tail_block(&self) -> u32 {
        self.pending.pages.checked_sub(1).and_then(|page| self.pending.block(page)).unwrap_or(0)
    }

    /// Bytes of the content.
    fn bytes(&self) -> usize {
        page::HEAD + HEAD + self.all().map(|part| PART + EXTENT * part.extents.len()).sum::<usize>()
    }
}

fn read_part(body: &[u8], at: &mut usize) -> Result<Part, Broken> {
    let from = *at;
    let [state, zero] = u16_at(body, from + 4)?.to_le_bytes();
    let count = usize::from(u16_at(body, from + 6)?);
    let mut part = Part {
        number: u32_at(body, from)?,
        state: *State::ALL.get(usize::from(state)).ok_or(Broken("it lists a part in an unknown state"))?,
        pages: u32_at(body, from + 8)?,
        games: u32_at(body, from + 12)?,
        dead: u32_at(body, from + 16)?,
        extents: Vec::new(),
    };
    *at = from + PART;
    let mut blocks = 0u32;
    for _ in 0..count {
        let extent = Extent { first: u32_at(body, *at)?, len: u32_at(body, *at + 4)? };
        let is_sound = extent.first > 0 && extent.len > 0 && extent.len <= END - extent.first.min(END);
        blocks = blocks.checked_add(extent.len).filter(|_| is_sound).ok_or(Broken("it lists impossible blocks"))?;
        part.extents.push(extent);
        *at += EXTENT;
    }
    if zero == 0 && part.pages <= blocks && part.dead <= part.games {
        Ok(part)
    } else {
        Err(Broken("it lists a part that cannot be"))
    }
}
