//! Leaves: keys and their posting lists.
//!
//! Takes the lists of ascending keys; returns pages that decode on their own. A lookup decodes only the list that it
//! finds. Lists of up to [`SHORT`] games are numbers of fixed width. Longer lists are blocks ([`crate::block`]) with an
//! entry in the leaf's directory of long lists; short blocks are in the leaf, others in pages of lists.
//!
//! Layout after the page head; each section of bits is padded with zeros to a whole byte:
//!
//! | bytes | |
//! |---|---|
//! | 4 | the leaf that continues the last key, or `ffffffff` |
//! | 8 | the upper bits of the first key |
//! | 2, 2, 2 | numbers of entries, of postings, of long lists |
//! | 2 | bytes of the keys' upper bits |
//! | 2, 2 | rich leaf: numbers of short exact lists and of their postings; otherwise 0 |
//! | 1, 1 | lower bits of a key; bits of a game |
//! | 1 | 1 in a rich leaf, otherwise 0 |
//! | 1 | 0 |
//! | | upper bits of the keys (Elias–Fano): for each key as many zeros as its upper bits exceed those of the previous key, then a one |
//! | | lower bits of the keys |
//! | | for each posting a bit, set if an entry begins with it; a long list has one posting |
//! | | games; 0 for a long list |
//! | | rich: for each entry a bit, set if it is a short exact list |
//! | | rich: for each of those the 30 bits of the hash that the key lacks |
//! | | rich: for each of their postings its note, 20 bits |
//! | 12 each | long lists: entry (2), class (4), number of games (4), offset (2) |
//! | | targets of those offsets: blocks, or a page of lists (4) and an offset in its body (2) |
//!
//! The class of a long list: bits 0 to 29 are the bits of the hash that the key lacks (0 in a plain list), bit 30 is
//! set for an exact list, bit 31 if the blocks are in a page of lists.
//!
//! In a *rich* leaf short exact lists keep their notes and hashes, so that merges keep them, too. In other leaves short
//! lists are plain: up to sixteen games are replayed as fast as they are looked up, and the leaf is nearly a third
//! smaller.

use std::ops::Range;

use chess_core::search::hybrid_keys::Note;

use crate::bits::{BitWriter, after_zero, bytes_of, get, next_one, nth_one, width_of};
use crate::fault::Broken;
use crate::key::{Class, KEY_BITS, REST_BITS};
use crate::page::{self, Kind, Page, u16_at, u32_at, u64_at};

/// Lists with more games than this are long.
pub(crate) const SHORT: usize = 16;
/// Marks the absence of a page.
pub(crate) const NONE: u32 = u32::MAX;

const HEAD: usize = 28;
const LONG_ENTRY: usize = 12;
const EXACT: u32 = 1 << REST_BITS;
const PAGED: u32 = EXACT << 1;
/// Bytes of a reference: a page of lists and an offset.
pub(crate) const REFERENCE: usize = 6;

/// Location of the blocks of a long list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Number of the page.
    pub page: u32,
    /// Offset in the body of the page.
    pub at: usize,
    /// Whether the page is a leaf; otherwise it is a page of lists.
    pub in_leaf: bool,
}

/// The blocks of a long list, as passed to the writer.
pub(crate) enum Blocks<'a> {
    /// In the leaf itself.
    Inline(&'a [u8]),
    /// In a page of lists, at an offset in its body.
    Paged(u32, u16),
}

impl Blocks<'_> {
    /// Number of bytes that they take in the leaf.
    pub(crate) fn len(&self) -> usize {
        match self {
            Blocks::Inline(bytes) => bytes.len(),
            Blocks::Paged(..) => REFERENCE,
        }
    }
}

/// Gathers entries, in the order of their keys and classes, until a leaf is full.
#[derive(Debug)]
pub(crate) struct LeafWriter {
    room: usize,
    /// Bits of a game.
    width: u32,
    rich: bool,
    keys: Vec<u64>,
    /// Number of postings of each entry.
    slots: Vec<u8>,
    games: Vec<u32>,
    short_exact: Vec<bool>,
    rests: Vec<u32>,
    notes: Vec<u32>,
    longs: Vec<u8>,
    blobs: Vec<u8>,
    bits: BitWriter,
}

impl LeafWriter {
    pub(crate) fn new(room: usize, width: u32, rich: bool) -> LeafWriter {
        LeafWriter {
            room,
            width,
            rich,
            keys: Vec::new(),
            slots: Vec::new(),
            games: Vec::new(),
            short_exact: Vec::new(),
            rests: Vec::new(),
            notes: Vec::new(),
            longs: Vec::new(),
            blobs: Vec::new(),
            bits: BitWriter::default(),
        }
    }

    /// The first and the last key.
    pub(crate) fn range(&self) -> Option<(u64, u64)> {
        self.keys.first().copied().zip(self.keys.last().copied())
    }

    /// Number of lower bits of a key: about as many bits as the mean gap has, so that the upper bits take two to three
    /// bits a key.
    fn low(first: u64, last: u64, count: usize) -> u32 {
        width_of((last - first) / count as u64).saturating_sub(1)
    }

    /// Whether an entry with `postings` postings fits, or a long list that takes `blob` bytes.
    pub(crate) fn fits(&self, key: u64, class: Class, postings: usize, blob: Option<usize>) -> bool {
        let Some(first) = self.keys.first() else { return true };
        let count = self.keys.len() + 1;
        let low = LeafWriter::low(*first, key, count);
        let upper = count + ((key >> low) - (first >> low)) as usize;
        let slots = self.games.len() + if blob.is_some() { 1 } else { postings };
        let noted = blob.is_none() && class != Class::Plain;
        let rich = if self.rich {
            bytes_of(count)
                + bytes_of((self.rests.len() + usize::from(noted)) * REST_BITS as usize)
                + bytes_of((self.notes.len() + if noted { postings } else { 0 }) * Note::BITS as usize)
        } else {
            0
        };
        let size = page::HEAD
            + HEAD
            + bytes_of(upper)
            + bytes_of(count * low as usize)
            + bytes_of(slots)
            + bytes_of(slots * self.width as usize)
            + rich
            + self.longs.len()
            + self.blobs.len()
            + blob.map_or(0, |bytes| LONG_ENTRY + bytes);
        size <= self.room
    }

    /// Adds a list of up to [`SHORT`] games. Only a rich leaf takes exact ones.
    pub(crate) fn add_short(&mut self, key: u64, class: Class, postings: &[(u32, u32)]) {
        self.keys.push(key);
        self.slots.push(postings.len() as u8);
        self.games.extend(postings.iter().map(|(game, _)| *game));
        match class {
            Class::Exact(rest) => {
                self.rests.push(rest);
                self.notes.extend(postings.iter().map(|(_, note)| *note));
            }
            Class::Plain => (),
        }
        self.short_exact.push(class != Class::Plain);
    }

    /// Adds a list of more than [`SHORT`] games.
    pub(crate) fn add_long(&mut self, key: u64, class: Class, count: u32, blocks: Blocks<'_>) {
        let (offset, paged) = (self.blobs.len() as u16, matches!(blocks, Blocks::Paged(..)));
        match blocks {
            Blocks::Inline(bytes) => self.blobs.extend_from_slice(bytes),
            Blocks::Paged(page, at) => {
                self.blobs.extend(page.to_le_bytes());
                self.blobs.extend(at.to_le_bytes());
            }
        }
        let class = match class {
            Class::Exact(rest) => rest | EXACT,
            Class::Plain => 0,
        };
        self.longs.extend((self.keys.len() as u16).to_le_bytes());
        self.longs.extend((class | if paged { PAGED } else { 0 }).to_le_bytes());
        self.longs.extend(count.to_le_bytes());
        self.longs.extend(offset.to_le_bytes());
        self.keys.push(key);
        self.slots.push(1);
        self.games.push(0);
        self.short_exact.push(false);
    }

    /// Returns the sealed page and empties the writer. `next` is the leaf that continues the last key.
    pub(crate) fn finish(&mut self, segment: u32, number: u32, next: Option<u32>) -> Vec<u8> {
        let (first, last) = self.range().unwrap_or_default();
        let low = LeafWriter::low(first, last, self.keys.len().max(1));
        let mut upper = Vec::new();
        let mut before = first >> low;
        for key in &self.keys {
            self.bits.push_unary((key >> low) - before);
            before = key >> low;
        }
        self.bits.move_to(&mut upper);

        let mut out = page::begin(Kind::Leaf, segment, number, 0);
        out.extend(next.unwrap_or(NONE).to_le_bytes());
        out.extend((first >> low).to_le_bytes());
        let numbers = [
            self.keys.len(),
            self.games.len(),
            self.longs.len() / LONG_ENTRY,
            upper.len(),
            self.rests.len(),
            self.notes.len(),
        ];
        for (n, number) in numbers.into_iter().enumerate() {
            out.extend(if n < 4 || self.rich { number as u16 } else { 0 }.to_le_bytes());
        }
        out.extend([low as u8, self.width as u8, u8::from(self.rich), 0]);
        out.extend(upper);
        self.pack(low, &mut out);
        out.append(&mut self.longs);
        out.append(&mut self.blobs);
        page::seal(&mut out);
        self.keys.clear();
        self.slots.clear();
        self.games.clear();
        self.short_exact.clear();
        self.rests.clear();
        self.notes.clear();
        out
    }

    /// Appends the arrays of numbers, each in as many bits as they need; of keys the lowest bits.
    fn pack(&mut self, low: u32, out: &mut Vec<u8>) {
        let bits = &mut self.bits;
        for key in &self.keys {
            bits.push(key & ((1 << low) - 1), low);
        }
        bits.move_to(out);
        for slots in &self.slots {
            bits.push(1, u32::from(*slots));
        }
        bits.move_to(out);
        for game in &self.games {
            bits.push((*game).into(), self.width);
        }
        bits.move_to(out);
        if self.rich {
            for is_short_exact in &self.short_exact {
                bits.push((*is_short_exact).into(), 1);
            }
            bits.move_to(out);
            for rest in &self.rests {
                bits.push((*rest).into(), REST_BITS);
            }
            bits.move_to(out);
            for note in &self.notes {
                bits.push((*note).into(), Note::BITS);
            }
            bits.move_to(out);
        }
    }
}

/// A leaf with its head decoded.
#[derive(Clone, Debug)]
pub(crate) struct Leaf<'a> {
    number: u32,
    /// The leaf that continues the last key.
    pub next: Option<u32>,
    base: u64,
    entries: usize,
    postings: usize,
    low: u32,
    width: u32,
    rich: bool,
    upper: &'a [u8],
    lower: &'a [u8],
    starts: &'a [u8],
    games: &'a [u8],
    short_exact: &'a [u8],
    rests: &'a [u8],
    notes: &'a [u8],
    longs: &'a [u8],
    /// Start of the blocks of long lists in the body.
    pub blobs_at: usize,
    blobs: &'a [u8],
}

/// An entry of a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A range of postings.
    Short(Class, Range<usize>),
    /// A list in blocks.
    Long(Class, u32, Place),
}

impl<'a> Leaf<'a> {
    /// Decodes the head of a leaf and computes the offsets of its sections.
    ///
    /// # Errors
    ///
    /// [`Broken`] if the page is not a leaf or the sections exceed it.
    pub(crate) fn read(page: &Page<'a>) -> Result<Leaf<'a>, Broken> {
        let body = page.body;
        if page.kind != Kind::Leaf {
            return Err(Broken("it is not a leaf"));
        }
        let next = u32_at(body, 0)?;
        let base = u64_at(body, 4)?;
        let number = |n: usize| u16_at(body, 12 + 2 * n).map(usize::from);
        let (entries, postings, longs, upper) = (number(0)?, number(1)?, number(2)?, number(3)?);
        let (exacts, noted) = (number(4)?, number(5)?);
        let flags = u32_at(body, 24)?.to_le_bytes();
        let (low, width, rich) = (u32::from(flags[0]), u32::from(flags[1]), flags[2] == 1);
        let is_sound = low <= KEY_BITS && width < 32 && flags[2] <= 1 && flags[3] == 0 && (rich || exacts + noted == 0);
        if !is_sound || entries == 0 || base > (1 << KEY_BITS) >> low {
            return Err(Broken("a leaf has impossible numbers"));
        }
        if next <= page.number {
            return Err(Broken("a leaf goes on in one before it"));
        }
        let mut at = HEAD;
        let mut section = |len: usize| {
            let bytes = body.get(at..at + len).ok_or(Broken("a leaf is cut off"))?;
            at += len;
            Ok(bytes)
        };
        Ok(Leaf {
            number: page.number,
            next: (next != NONE).then_some(next),
            base,
            entries,
            postings,
            low,
            width,
            rich,
            upper: section(upper)?,
            lower: section(bytes_of(entries * low as usize))?,
            starts: section(bytes_of(postings))?,
            games: section(bytes_of(postings * width as usize))?,
            short_exact: section(if rich { bytes_of(entries) } else { 0 })?,
            rests: section(bytes_of(exacts * REST_BITS as usize))?,
            notes: section(bytes_of(noted * Note::BITS as usize))?,
            longs: section(longs * LONG_ENTRY)?,
            blobs_at: at,
            blobs: &body[at..],
        })
    }

    /// Indexes of the entries of a key.
    pub(crate) fn find(&self, key: u64) -> Range<usize> {
        let upper = key >> self.low;
        let lower = key & ((1 << self.low) - 1);
        let place = upper.checked_sub(self.base).and_then(|zeros| Some((zeros, after_zero(self.upper, zeros)?)));
        let Some((zeros, mut at)) = place else { return 0..0 };
        let mut index = at - zeros as usize;
        let lower_of = |index: usize| get(self.lower, index * self.low as usize, self.low);
        let has_more = |at: usize, index: usize| index < self.entries && get(self.upper, at, 1) == 1;
        while has_more(at, index) && lower_of(index) < lower {
            (at, index) = (at + 1, index + 1);
        }
        let first = index;
        while has_more(at, index) && lower_of(index) == lower {
            (at, index) = (at + 1, index + 1);
        }
        first..index
    }

    /// The entry with this index.
    ///
    /// # Errors
    ///
    /// [`Broken`] if it is not in the leaf.
    pub(crate) fn entry(&self, index: usize) -> Result<Entry, Broken> {
        if let Some(long) = self.long(index) {
            return self.long_entry(long);
        }
        let start = nth_one(self.starts, index as u64).ok_or(Broken("an entry has no postings"))?;
        let end = next_one(self.starts, start + 1).unwrap_or(self.postings).min(self.postings);
        let is_exact = self.rich && get(self.short_exact, index, 1) == 1;
        let class = if is_exact {
            let before =
                (0..index).step_by(56).map(|at| get(self.short_exact, at, 56.min(index - at) as u32).count_ones());
            Class::Exact(self.rest(before.sum::<u32>() as usize))
        } else {
            Class::Plain
        };
        Entry::short(class, start..end)
    }

    fn rest(&self, nth: usize) -> u32 {
        get(self.rests, nth * REST_BITS as usize, REST_BITS) as u32
    }

    /// The directory entry of the long list with this index among all entries.
    fn long(&self, index: usize) -> Option<&'a [u8; LONG_ENTRY]> {
        let longs = self.longs.as_chunks::<LONG_ENTRY>().0;
        let number_of = |long: &[u8; LONG_ENTRY]| usize::from(u16::from_le_bytes([long[0], long[1]]));
        let at = longs.partition_point(|long| number_of(long) < index);
        longs.get(at).filter(|long| number_of(long) == index)
    }

    fn long_entry(&self, long: &[u8; LONG_ENTRY]) -> Result<Entry, Broken> {
        let (tag, count, at) = (u32_at(long, 2)?, u32_at(long, 6)?, usize::from(u16_at(long, 10)?));
        let class = if tag & EXACT != 0 { Class::Exact(tag & (EXACT - 1)) } else { Class::Plain };
        let is_sound = (class != Class::Plain || tag & (EXACT - 1) == 0) && count as usize > SHORT;
        if !is_sound || at >= self.blobs.len() {
            return Err(Broken("a long list has impossible numbers"));
        }
        let place = if tag & PAGED != 0 {
            Place { page: u32_at(self.blobs, at)?, at: usize::from(u16_at(self.blobs, at + 4)?), in_leaf: false }
        } else {
            Place { page: self.number, at: self.blobs_at + at, in_leaf: true }
        };
        Ok(Entry::Long(class, count, place))
    }

    /// Appends the games of postings. They must be ascending and below `limit`.
    ///
    /// # Errors
    ///
    /// [`Broken`] if they are not.
    pub(crate) fn games(&self, postings: Range<usize>, limit: u32, out: &mut Vec<u32>) -> Result<(), Broken> {
        let mut last = None;
        for posting in postings {
            let game = get(self.games, posting * self.width as usize, self.width) as u32;
            if last >= Some(game) || game >= limit {
                return Err(Broken("the games of a short list are not ascending games of the segment"));
            }
            last = Some(game);
            out.push(game);
        }
        Ok(())
    }

    /// All entries with their keys, in order. Also checks that the sections leave no gaps in the page.
    ///
    /// # Errors
    ///
    /// [`Broken`] if there is a gap, or the entries are not in the order of keys and classes.
    pub(crate) fn entries(&self) -> Result<Vec<(u64, Entry)>, Broken> {
        let mut entries: Vec<(u64, Entry)> = Vec::with_capacity(self.entries);
        let (mut bit, mut posting, mut exact, mut longs) =
            (0, 0, 0, self.longs.as_chunks::<LONG_ENTRY>().0.iter().peekable());
        for index in 0..self.entries {
            let one = next_one(self.upper, bit).ok_or(Broken("a key is missing"))?;
            bit = one + 1;
            let upper = self.base + (one - index) as u64;
            let key = upper << self.low | get(self.lower, index * self.low as usize, self.low);
            let end = next_one(self.starts, posting + 1).unwrap_or(self.postings).min(self.postings);
            let is_long = longs.next_if(|long| usize::from(u16::from_le_bytes([long[0], long[1]])) == index);
            let is_exact = self.rich && get(self.short_exact, index, 1) == 1;
            let entry = match is_long {
                Some(long) => self.long_entry(long)?,
                None if is_exact => {
                    exact += 1;
                    Entry::short(Class::Exact(self.rest(exact - 1)), posting..end)?
                }
                None => Entry::short(Class::Plain, posting..end)?,
            };
            if get(self.starts, posting, 1) == 0 || is_long.is_some() && (end - posting != 1 || is_exact) {
                return Err(Broken("an entry has other postings than its own"));
            }
            let is_ascending =
                entries.last().is_none_or(|(last, before)| (*last, before.class()) < (key, entry.class()));
            if !is_ascending || key >> KEY_BITS != 0 {
                return Err(Broken("the keys of a leaf are not ascending"));
            }
            posting = end;
            entries.push((key, entry));
        }
        let is_all = posting == self.postings
            && longs.next().is_none()
            && next_one(self.upper, bit).is_none()
            && bytes_of(bit) == self.upper.len()
            && exact == self.rests.len() * 8 / REST_BITS as usize;
        if is_all { Ok(entries) } else { Err(Broken("a leaf has more than its entries")) }
    }

    /// Appends the notes of the short exact lists, in posting order.
    pub(crate) fn notes(&self, out: &mut Vec<Note>) {
        let count = self.notes.len() * 8 / Note::BITS as usize;
        out.extend((0..count).map(|n| Note::from_bits(get(self.notes, n * Note::BITS as usize, Note::BITS) as u32)));
    }

    /// Whether short exact lists keep their notes.
    pub(crate) fn is_rich(&self) -> bool {
        self.rich
    }
}

impl Entry {
    fn short(class: Class, postings: Range<usize>) -> Result<Entry, Broken> {
        if postings.is_empty() || postings.len() > SHORT {
            return Err(Broken("a short list has no games or too many"));
        }
        Ok(Entry::Short(class, postings))
    }

    pub(crate) fn class(&self) -> Class {
        match self {
            Entry::Short(class, _) | Entry::Long(class, ..) => *class,
        }
    }
}
