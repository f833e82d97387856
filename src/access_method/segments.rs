//! Reads and writes the pages of a segment for chess-index.
//!
//! Takes numbers of pages; returns copies of their content, so that no lock is held while chess-index decodes them or a
//! merge reads several segments at a time.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use chess_core::pause;
use chess_core::search::hybrid_keys::Note;
use chess_core::search::pattern::KeyTree;
use chess_index::block::Block;
use chess_index::fault::Fault;
use chess_index::meta::{Meta, Part, State};
use chess_index::page::{Kind, Page, is_sealed};
use chess_index::search::{List, OfGame};
use chess_index::segment::Segment;
use chess_index::select::{Selection, Sought};
use chess_index::source::Pages;
use pgrx::{check_for_interrupts, pg_sys};

use crate::access_method::known_pages::{self, Content, Name};
use crate::access_method::pages::{Index, IndexLock};
use crate::access_method::{attributes, metapage};

/// A page was freed after the metapage was read, and another part has overwritten it or is about to.
#[derive(Clone, Copy, Debug)]
pub struct Replaced {
    /// The part to which the page belonged.
    pub part: u32,
    /// Number of the page in it.
    pub page: u32,
}

/// The pages of a segment, or of a list of pending games.
pub struct PartPages<'a> {
    index: Index,
    part: Cow<'a, Part>,
    strategy: pg_sys::BufferAccessStrategy,
    /// How many pages are read ahead.
    ahead: usize,
    /// The last page that was announced, and how many before it followed each other.
    announced: Cell<(u32, u32)>,
    /// Number of blocks of the file. If the file was cut off, the metapage lists blocks beyond it.
    blocks: u32,
    /// Whether the session keeps pages that do not change. Maintenance reads each page as it is.
    keeps: bool,
    /// Cache of pages with posting lists: a search reads a page once for each of its blocks of 128 games. A page has its
    /// place by its number.
    lists: RefCell<[Option<(u32, Content)>; LISTS]>,
}

/// Places in the cache of pages with posting lists.
const LISTS: usize = 16;
/// Pages that follow each other beyond these are not read ahead: operating systems do that by themselves. So nobody announces
/// the pages of a long list, either.
const RUN: u32 = 8;

/// A page without content.
#[derive(Clone, Copy, Debug)]
pub struct NeverWritten(u32);

impl<'a> PartPages<'a> {
    /// The pages of a part of the index.
    pub fn new(index: Index, part: &'a Part) -> PartPages<'a> {
        PartPages::of(index, Cow::Borrowed(part))
    }

    fn of(index: Index, part: Cow<'a, Part>) -> PartPages<'a> {
        PartPages {
            index,
            part,
            strategy: std::ptr::null_mut(),
            ahead: index.concurrency(false),
            announced: Cell::default(),
            blocks: index.blocks(),
            keeps: true,
            lists: RefCell::default(),
        }
    }

    /// Like [`PartPages::new`], but keeps the part.
    pub fn owned(index: Index, part: Part) -> PartPages<'static> {
        PartPages::of(index, Cow::Owned(part))
    }

    /// Like [`PartPages::new`], for maintenance: reads use VACUUM's ring of buffers, unless that is null.
    pub fn maintained(index: Index, part: &'a Part, strategy: pg_sys::BufferAccessStrategy) -> PartPages<'a> {
        PartPages { strategy, ahead: index.concurrency(true), keeps: false, ..PartPages::new(index, part) }
    }

    /// Number of pages.
    pub fn count(&self) -> u32 {
        self.part.pages
    }

    /// The block of a page.
    pub fn block(&self, page: u32) -> u32 {
        let block = self.part.block(page).filter(|_| page < self.part.pages);
        block.filter(|block| *block < self.blocks).unwrap_or_else(|| {
            self.index.damaged(metapage::BLOCK, &format!("there is no page {page} of part {}", self.part.number))
        })
    }

    /// The file of the index.
    pub fn file(&self) -> pg_sys::Oid {
        self.index.file()
    }

    /// The index.
    pub fn index(&self) -> pg_sys::Oid {
        // SAFETY: an open relation.
        unsafe { (*self.index.relation()).rd_id }
    }

    /// What the session keeps a page by, if it may.
    fn name(&self, page: u32) -> Option<Name> {
        let Part { number: segment, state, .. } = *self.part;
        let is_kept = self.keeps && state == State::Live;
        is_kept.then(|| Name { index: self.index(), file: self.file(), segment, page })
    }

    /// The content of a page of pending games or of a mask.
    pub fn content(&self, page: u32) -> Result<Content, Replaced> {
        let replaced = Replaced { part: self.part.number, page };
        let content = self.page(page).map_err(|_| replaced)?;
        match Page::read(&content) {
            Ok(head) if head.segment == self.part.number && head.number == page => Ok(content),
            Ok(_) => Err(replaced),
            Err(broken) => self.index.damaged(self.block(page), broken.0),
        }
    }

    /// The description of the segment.
    pub fn open(&self) -> Result<Segment, Replaced> {
        let last = self.part.pages.saturating_sub(1);
        let segment = self.sound(Segment::open(self, self.part.number, last))?;
        if segment.columns != attributes::columns(self.index) {
            self.damaged(last, "it has other attributes than the index");
        }
        Ok(segment)
    }

    /// Converts a result of chess-index: returns a replaced page as an error and raises an ERROR for damage.
    pub fn sound<T>(&self, result: Result<T, Fault<NeverWritten>>) -> Result<T, Replaced> {
        let replaced = |page| Err(Replaced { part: self.part.number, page });
        match result {
            Ok(value) => Ok(value),
            Err(Fault::Replaced { page } | Fault::Pages(NeverWritten(page))) => replaced(page),
            Err(Fault::Damaged { page, what }) => self.damaged(page, what),
        }
    }

    /// Raises the ERROR for a damaged page.
    #[cold]
    pub fn damaged(&self, page: u32, what: &str) -> ! {
        let block = self.part.block(page).unwrap_or(metapage::BLOCK);
        self.index.damaged(block, &format!("{what} (page {page} of segment {})", self.part.number))
    }
}

impl Pages for PartPages<'_> {
    type Error = NeverWritten;
    type Content<'a>
        = Content
    where
        Self: 'a;

    fn page(&self, number: u32) -> Result<Content, NeverWritten> {
        check_for_interrupts!();
        let mut lists = self.lists.borrow_mut();
        let place = &mut lists[number as usize % LISTS];
        if let Some((_, content)) = place.as_ref().filter(|(known, _)| *known == number) {
            return Ok(content.clone());
        }
        let name = self.name(number);
        if let Some(content) = name.and_then(known_pages::find) {
            return Ok(content);
        }
        let content = self.index.read(self.block(number), self.strategy).ok_or(NeverWritten(number))?;
        // An entry that is damaged but decodes would hide a game from a search.
        if !is_sealed(&content) {
            self.damaged(number, "its checksum is wrong");
        }
        let content = Content::new(content);
        // Not the mask, which VACUUM changes, nor a page that another segment has overwritten.
        match Page::read(&content) {
            Ok(page) if page.segment != self.part.number || page.number != number => (),
            Ok(Page { kind: Kind::Segment | Kind::Directory, .. }) => {
                name.into_iter().for_each(|name| known_pages::keep(name, &content));
            }
            Ok(Page { kind: Kind::Leaf | Kind::Lists, .. }) => *place = Some((number, content.clone())),
            _ => (),
        }
        Ok(content)
    }

    fn ahead(&self) -> usize {
        self.ahead
    }

    fn announce(&self, number: u32) {
        let (last, run) = self.announced.get();
        let run = if number == last.wrapping_add(1) { run.saturating_add(1) } else { 0 };
        self.announced.set((number, run));
        let block = self.part.block(number).filter(|block| number < self.part.pages && *block < self.blocks);
        if let Some(block) = block.filter(|_| run < RUN) {
            self.index.begin_to_read(block);
        }
    }
}

/// After this many restarts, a reader prevents pages from being replaced. It does not do so sooner, because the file grows
/// meanwhile.
pub const MOST_RESTARTS: u32 = 3;

/// Calls `read` with the metapage, and again with the new metapage if a page was replaced meanwhile. If the new one
/// still lists the part of that page, the page was not replaced but is damaged.
pub fn read_sound<T>(index: Index, mut read: impl FnMut(&Meta) -> Result<T, Replaced>) -> T {
    let mut meta = metapage::read(index);
    let (mut restarts, mut lock) = (0, None);
    loop {
        match read(&meta) {
            Ok(value) => return value,
            Err(replaced) => {
                check_for_interrupts!();
                restarts += 1;
                // A standby that is promoted meanwhile has the lock later.
                if restarts >= MOST_RESTARTS && lock.is_none() {
                    lock = IndexLock::against_reuse(index);
                }
                meta = metapage::read(index);
                refuse_if_listed(index, &meta, replaced);
            }
        }
    }
}

/// Raises the ERROR for a page with a wrong head if the metapage still lists its part.
pub fn refuse_if_listed(index: Index, meta: &Meta, replaced: Replaced) {
    let Replaced { part, page } = replaced;
    if let Some(block) = meta.part(part).filter(|found| page < found.pages).and_then(|found| found.block(page)) {
        index.damaged(block, &format!("it is not page {page} of segment {part}"));
    }
}

/// The result of a read under the merge lock or the flush lock, when nobody can replace the page.
pub fn unreplaced<T>(index: Index, result: Result<T, Replaced>) -> T {
    result.unwrap_or_else(|Replaced { part, page }| {
        let block = metapage::read(index).part(part).and_then(|found| found.block(page));
        index.damaged(block.unwrap_or(metapage::BLOCK), &format!("it is not page {page} of segment {part}"))
    })
}

/// The games that may have any of these patterns, ascending, with the dead ones. `None` if all games may.
pub fn games_of_any(pages: &PartPages<'_>, segment: &Segment, trees: &[KeyTree]) -> Result<Option<Vec<u32>>, Replaced> {
    let (mut games, mut window) = (Vec::new(), Vec::new());
    for tree in trees {
        let sought = Sought { tree, certainty: None };
        let selection = pages.sound(Selection::new(pages, segment, &[sought], None))?;
        let Some(mut selection) = selection else { return Ok(None) };
        while pages.sound(selection.next(pages, segment, &mut window))? {
            games.append(&mut window);
        }
        pause::sort(&mut games);
        games.dedup();
    }
    Ok(Some(games))
}

/// Calls `found` with those of some ascending games that are in a list, and with their notes, which plain lists lack.
pub fn in_list<G: OfGame + Copy>(
    pages: &PartPages<'_>,
    segment: &Segment,
    list: &List,
    games: &[G],
    mut found: impl FnMut(G, Option<Note>),
) -> Result<(), Replaced> {
    let mut left = games;
    let (mut reader, mut block) = (list.read(), Block::default());
    while let Some(first) = left.first() {
        if !pages.sound(reader.next_from(pages, segment, first.game(), &mut block))? {
            break;
        }
        let last = block.games.last().copied().unwrap_or(0);
        let here = left.partition_point(|of| of.game() <= last);
        for of in &left[..here] {
            if let Ok(at) = block.games.binary_search(&of.game()) {
                found(*of, block.notes.get(at).copied());
            }
        }
        left = &left[here..];
    }
    Ok(())
}
