//! Directories: find the page of a key or a game in a segment.
//!
//! A directory is a tree. The writer takes the first key, or the first game, of each page of the lowest level,
//! ascending, and writes levels of pages up to a single root. An entry takes eight bytes: the first key or game in the
//! upper 36 bits, the number of the child page in the lower 28. The head of a page stores its level, so that a damaged
//! page cannot make a search loop.

use crate::fault::{Broken, Fault};
use crate::page::{self, Kind, Page};
use crate::sink::{PageNumbers, Sink};
use crate::source::{Pages, announce_last, read_page};

/// Bits of a page number.
const PAGE_BITS: u32 = 28;
/// Most pages in a segment.
pub(crate) const MOST_PAGES: u32 = 1 << PAGE_BITS;
/// Most levels: 2^28 pages need no more even with the smallest pages.
const MOST_LEVELS: u16 = 6;
const ENTRY: usize = 8;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Root {
    /// Number of the root page.
    pub page: u32,
    /// Number of levels; 0 for an empty directory.
    pub levels: u16,
}

/// Writes a directory from the lowest level up.
#[derive(Debug)]
pub(crate) struct DirectoryWriter {
    most: usize,
    levels: Vec<Vec<u64>>,
}

impl DirectoryWriter {
    pub(crate) fn new(room: usize) -> DirectoryWriter {
        DirectoryWriter { most: (room - page::HEAD) / ENTRY, levels: Vec::new() }
    }

    /// Adds a page and its first key or game.
    pub(crate) fn add<S: Sink>(
        &mut self,
        first: u64,
        number: u32,
        numbers: &mut PageNumbers,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        self.add_at(0, first << PAGE_BITS | u64::from(number), numbers, sink)
    }

    fn add_at<S: Sink>(
        &mut self,
        level: usize,
        entry: u64,
        numbers: &mut PageNumbers,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        if self.levels.len() == level {
            self.levels.push(Vec::new());
        }
        if self.levels[level].len() == self.most {
            self.flush(level, numbers, sink)?;
        }
        self.levels[level].push(entry);
        Ok(())
    }

    /// Writes the open page of a level and adds it to the level above.
    fn flush<S: Sink>(&mut self, level: usize, numbers: &mut PageNumbers, sink: &mut S) -> Result<u32, S::Error> {
        let entries = std::mem::take(&mut self.levels[level]);
        let number = numbers.take();
        let mut content = page::begin(Kind::Directory, numbers.segment, number, level as u16 + 1);
        content.extend(entries.iter().flat_map(|entry| entry.to_le_bytes()));
        page::seal(&mut content);
        sink.put(number, &content)?;
        if let Some(first) = entries.first() {
            self.add_at(level + 1, first >> PAGE_BITS << PAGE_BITS | u64::from(number), numbers, sink)?;
        }
        Ok(number)
    }

    /// Writes the open pages and returns the root.
    pub(crate) fn finish<S: Sink>(mut self, numbers: &mut PageNumbers, sink: &mut S) -> Result<Root, S::Error> {
        let mut level = 0;
        while level < self.levels.len() {
            let page = self.flush(level, numbers, sink)?;
            if level + 2 == self.levels.len() && self.levels[level + 1].len() == 1 {
                return Ok(Root { page, levels: level as u16 + 1 });
            }
            level += 1;
        }
        Ok(Root::default())
    }
}

/// The entries of a directory page; an error unless the page has this level.
fn entries<'a>(page: &Page<'a>, level: u16) -> Result<&'a [[u8; ENTRY]], Broken> {
    let (entries, rest) = page.body.as_chunks::<ENTRY>();
    if page.kind != Kind::Directory || page.level != level {
        return Err(Broken("it is not the directory of its level"));
    }
    if entries.is_empty() || !rest.is_empty() {
        return Err(Broken("a directory is cut off"));
    }
    Ok(entries)
}

fn split(entry: [u8; ENTRY]) -> (u64, u32) {
    let entry = u64::from_le_bytes(entry);
    (entry >> PAGE_BITS, (entry & u64::from(MOST_PAGES - 1)) as u32)
}

/// The only page of the lowest level that can contain `wanted`.
///
/// # Errors
///
/// A [`Fault`] if a page cannot be read.
pub(crate) fn find<P: Pages + ?Sized>(
    pages: &P,
    segment: u32,
    root: Root,
    wanted: u64,
) -> Result<Option<u32>, Fault<P::Error>> {
    Ok(find_with_end(pages, segment, root, wanted)?.map(|(number, _)| number))
}

/// Like [`find`]; also returns the first key or game of the page after it, or `u64::MAX`.
///
/// # Errors
///
/// A [`Fault`] if a page cannot be read.
pub(crate) fn find_with_end<P: Pages + ?Sized>(
    pages: &P,
    segment: u32,
    root: Root,
    wanted: u64,
) -> Result<Option<(u32, u64)>, Fault<P::Error>> {
    if root.levels > MOST_LEVELS {
        return Err(Fault::Damaged { page: root.page, what: "a directory has too many levels" });
    }
    let (mut number, mut end) = (root.page, u64::MAX);
    for level in (1..=root.levels).rev() {
        let found = read_page(pages, segment, number, |page| {
            let entries = entries(page, level)?;
            let behind = entries.partition_point(|entry| split(*entry).0 <= wanted);
            end = entries.get(behind).map_or(end, |entry| split(*entry).0);
            Ok(behind.checked_sub(1).map(|at| split(entries[at]).1))
        })?;
        match found {
            Some(below) => number = below,
            None => return Ok(None),
        }
    }
    Ok((root.levels > 0).then_some((number, end)))
}

/// Iterates over the pages of the lowest level in order. Announces the next ones if all of them are visited.
#[derive(Clone, Debug)]
pub(crate) struct DirectoryWalk {
    segment: u32,
    /// Remaining entries of the open page of each level, the root first, in reverse order.
    open: Vec<Vec<(u64, u32)>>,
    root: Root,
    /// Pages before the one that contains this key are left out.
    from: u64,
    last: Option<u64>,
    announces: bool,
    /// The number of remaining entries of the lowest level that are not announced.
    silent: usize,
}

impl DirectoryWalk {
    pub(crate) fn new(segment: u32, root: Root) -> DirectoryWalk {
        DirectoryWalk { announces: true, ..DirectoryWalk::beginning_at(segment, root, 0) }
    }

    /// Begins with the page that can contain `from`. The caller may leave pages out, so none are announced.
    pub(crate) fn beginning_at(segment: u32, root: Root, from: u64) -> DirectoryWalk {
        DirectoryWalk { segment, open: Vec::new(), root, from, last: None, announces: false, silent: 0 }
    }

    /// The next page and its first key or game. Calls `seen` with the number of each directory page.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read, or the first keys or games are not ascending.
    pub(crate) fn next<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        mut seen: impl FnMut(u32),
    ) -> Result<Option<(u64, u32)>, Fault<P::Error>> {
        let levels = self.root.levels;
        if levels > MOST_LEVELS {
            return Err(Fault::Damaged { page: self.root.page, what: "a directory has too many levels" });
        }
        if levels == 0 {
            return Ok(None);
        }
        if self.open.is_empty() && self.last.is_none() {
            self.open.push(vec![(0, self.root.page)]);
        }
        while let Some(top) = self.open.last_mut() {
            let Some((first, number)) = top.pop() else {
                self.open.pop();
                continue;
            };
            let depth = self.open.len() as u16;
            if depth > levels {
                if self.last >= Some(first) {
                    return Err(Fault::Damaged { page: number, what: "the entries of a directory are not ascending" });
                }
                self.last = Some(first);
                if self.announces {
                    let left = self.open.last().map_or(&[][..], Vec::as_slice);
                    announce_last(pages, left, &mut self.silent, |(_, next)| *next);
                }
                return Ok(Some((first, number)));
            }
            seen(number);
            let below: Vec<(u64, u32)> = read_page(pages, self.segment, number, |page| {
                let entries = entries(page, levels + 1 - depth)?;
                let before = entries.partition_point(|entry| split(*entry).0 <= self.from).saturating_sub(1);
                Ok(entries[before..].iter().rev().map(|entry| split(*entry)).collect())
            })?;
            self.silent = below.len();
            self.open.push(below);
        }
        Ok(None)
    }
}
