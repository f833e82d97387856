//! Searches a segment.
//!
//! Takes a question; returns the matching posting lists, their games, or the rows of those. It reads one page at a time
//! and holds none between calls, so that the caller can lock a page only while it is read.

use std::collections::VecDeque;
use std::ops::{Range, RangeInclusive};

use chess_core::pause;

use crate::block::{Block, BlockReader, Window};
use crate::directory::{self, Root};
use crate::fault::{Broken, Fault};
use crate::key::{Class, Question, key_of};
use crate::leaf::{Entry, Leaf, NONE, Place};
use crate::mask::Mask;
use crate::page::{Kind, Page, u32_at};
use crate::pattern_key;
use crate::rows::{Row, Rows};
use crate::segment::{Segment, Tree};
use crate::source::{Pages, read_page};

/// Something about a game.
pub trait OfGame {
    /// The number of the game.
    fn game(&self) -> u32;
}

impl OfGame for u32 {
    fn game(&self) -> u32 {
        *self
    }
}

impl<T> OfGame for (u32, T) {
    fn game(&self) -> u32 {
        self.0
    }
}

/// A posting list that was found but not decoded.
#[derive(Clone, Debug)]
pub struct List {
    /// Class of the list.
    pub class: Class,
    /// Number of games, including dead ones.
    pub count: u32,
    games: Games,
}

#[derive(Clone, Debug)]
enum Games {
    /// Short lists are decoded together with the key.
    Short(Vec<u32>),
    Long(Place),
}

impl List {
    /// A list of games in memory, ascending. Its class is plain.
    pub fn of_games(games: Vec<u32>) -> List {
        List { class: Class::Plain, count: games.len() as u32, games: Games::Short(games) }
    }

    /// A reader at the start of the list.
    pub fn read(&self) -> ListReader {
        match &self.games {
            Games::Short(games) => ListReader { short: games.clone(), long: None },
            Games::Long(place) => {
                ListReader { short: Vec::new(), long: Some(LongReader::new(self.class, self.count, *place)) }
            }
        }
    }
}

/// Decodes the games of a list block by block, so that the caller can stop early.
#[derive(Clone, Debug)]
pub struct ListReader {
    short: Vec<u32>,
    long: Option<LongReader>,
}

impl ListReader {
    /// Decodes the next games into `block`, replacing its content. Returns false and no games at the end.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn next<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        block: &mut Block,
    ) -> Result<bool, Fault<P::Error>> {
        self.next_from(pages, segment, 0, block)
    }

    /// Decodes the next block that may contain games from `from` on into `block`, replacing its content. Blocks that
    /// are known from the pages read so far to lie before `from` are skipped without decoding. The block may still
    /// contain games before `from`. Returns false and no games at the end.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn next_from<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        from: u32,
        block: &mut Block,
    ) -> Result<bool, Fault<P::Error>> {
        block.clear();
        match &mut self.long {
            Some(long) => long.next_from(pages, segment, from, block),
            None => {
                block.games.append(&mut self.short);
                Ok(!block.games.is_empty())
            }
        }
    }
}

impl ListReader {
    /// Skips the blocks of a long list, and calls `found` with the place and the first game of each, and with the number of
    /// notes up to it. Returns the games of a short list, and a reader that knows the notes of all blocks.
    pub(crate) fn skip<P: Pages + ?Sized>(
        self,
        pages: &P,
        segment: &Segment,
        mut found: impl FnMut(Place, u32, usize),
    ) -> Result<(Vec<u32>, BlockReader), Fault<P::Error>> {
        let Some(mut long) = self.long else { return Ok((self.short, BlockReader::default())) };
        while long.left > 0 {
            long.turn_page(pages, segment, |long, rest| {
                let mut at = 0;
                while at < rest.len() && long.left > 0 {
                    let (first, used, games) = long.blocks.skip(&rest[at..])?;
                    found(Place { at: long.place.at + at, ..long.place }, first, long.blocks.notes());
                    long.count_down(games)?;
                    at += used;
                }
                Ok(at)
            })?;
        }
        Ok((self.short, long.blocks))
    }

    /// Sets the bits of the next games in `window`, and replaces `later` with those of the last block read that come
    /// after it. Blocks that are known to lie before the window are skipped.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub(crate) fn fill<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        window: &mut Window<'_>,
        later: &mut Vec<u32>,
    ) -> Result<(), Fault<P::Error>> {
        later.clear();
        match &mut self.long {
            Some(long) => long.fill(pages, segment, window, later),
            None => {
                later.append(&mut self.short);
                Ok(())
            }
        }
    }
}

/// Decodes the blocks of a long list.
#[derive(Clone, Debug)]
pub(crate) struct LongReader {
    left: u32,
    place: Place,
    blocks: BlockReader,
}

impl LongReader {
    pub(crate) fn new(class: Class, count: u32, place: Place) -> LongReader {
        LongReader { left: count, place, blocks: BlockReader::new(class != Class::Plain) }
    }

    /// Offset of the next block, or the end of the last one.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// Like [`ListReader::next`].
    pub(crate) fn next<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        block: &mut Block,
    ) -> Result<bool, Fault<P::Error>> {
        self.next_from(pages, segment, 0, block)
    }

    /// Like [`ListReader::next_from`].
    fn next_from<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        from: u32,
        block: &mut Block,
    ) -> Result<bool, Fault<P::Error>> {
        block.clear();
        while self.left > 0 && block.games.is_empty() {
            self.turn_page(pages, segment, |long, rest| {
                let (passed, games) = if from > 0 { long.blocks.pass(rest, from, long.left)? } else { (0, 0) };
                long.count_down(games)?;
                let used = long.blocks.read(&rest[passed..], segment.games, block)?;
                long.count_down(block.games.len() as u32)?;
                Ok(passed + used)
            })?;
        }
        Ok(!block.games.is_empty())
    }

    /// Like [`ListReader::fill`].
    fn fill<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        window: &mut Window<'_>,
        later: &mut Vec<u32>,
    ) -> Result<(), Fault<P::Error>> {
        while self.left > 0 && later.is_empty() {
            self.turn_page(pages, segment, |long, rest| {
                let (mut at, games) =
                    if window.first > 0 { long.blocks.pass(rest, window.first, long.left)? } else { (0, 0) };
                long.count_down(games)?;
                while at < rest.len() && long.left > 0 && later.is_empty() {
                    let (used, games) = long.blocks.fill(&rest[at..], segment.games, window, later)?;
                    long.count_down(games)?;
                    at += used;
                }
                Ok(at)
            })?;
        }
        Ok(())
    }

    /// Calls `read` with the bytes from the next block to the end of its page, and moves on by the bytes that it has
    /// read; at the end of a page, turns to the page that continues the list.
    fn turn_page<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        read: impl FnOnce(&mut LongReader, &[u8]) -> Result<usize, Broken>,
    ) -> Result<(), Fault<P::Error>> {
        let Place { page, at, in_leaf } = self.place;
        self.place = read_page(pages, segment.number, page, |page| {
            let rest = blocks_at(page, at, in_leaf)?;
            if !rest.is_empty() {
                let used = read(self, rest)?;
                return Ok(Place { at: at + used, ..self.place });
            }
            if in_leaf {
                return Err(Broken("a list is cut off"));
            }
            let next = next_list_page(page)?.ok_or(Broken("a list is cut off"))?;
            Ok(Place { page: next, at: LISTS, in_leaf })
        })?;
        Ok(())
    }

    fn count_down(&mut self, games: u32) -> Result<(), Broken> {
        self.left = self.left.checked_sub(games).ok_or(Broken("a list has more games than it says"))?;
        Ok(())
    }
}

/// The bytes from an offset to the end of a page of blocks.
pub(crate) fn blocks_at<'a>(page: &Page<'a>, at: usize, in_leaf: bool) -> Result<&'a [u8], Broken> {
    if page.kind != if in_leaf { Kind::Leaf } else { Kind::Lists } {
        return Err(Broken("it has no lists"));
    }
    Ok(page.body.get(at..).unwrap_or_default())
}

/// Bytes before the first block in the body of a page of lists.
pub(crate) const LISTS: usize = 4;

/// The page that continues the last list of a page of lists; its number is greater.
pub(crate) fn next_list_page(page: &Page<'_>) -> Result<Option<u32>, Broken> {
    match u32_at(page.body, 0)? {
        NONE => Ok(None),
        next if next > page.number => Ok(Some(next)),
        _ => Err(Broken("a list goes on in a page before it")),
    }
}

/// The pages of a directory that have some of ascending games. Announces the next ones.
pub(crate) struct PagesOf<'a, G> {
    segment: u32,
    root: Root,
    /// The games whose pages have not been looked up.
    games: &'a [G],
    /// The pages that come next; all but the first are announced.
    next: VecDeque<u32>,
}

impl<'a, G: OfGame> PagesOf<'a, G> {
    pub(crate) fn new(segment: u32, root: Root, games: &'a [G]) -> PagesOf<'a, G> {
        PagesOf { segment, root, games, next: VecDeque::new() }
    }

    /// The next page; `None` after that of the last game, and if a game has none.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page of the directory cannot be read.
    pub(crate) fn next<P: Pages + ?Sized>(&mut self, pages: &P) -> Result<Option<u32>, Fault<P::Error>> {
        while self.next.len() <= pages.ahead()
            && let Some(first) = self.games.first()
        {
            let Some((number, end)) = directory::find_with_end(pages, self.segment, self.root, first.game().into())?
            else {
                break;
            };
            if !self.next.is_empty() {
                pages.announce(number);
            }
            self.next.push_back(number);
            // At least the first, which keeps a damaged directory from being read for ever.
            let here = self.games.partition_point(|of| u64::from(of.game()) < end).max(1);
            self.games = &self.games[here..];
        }
        Ok(self.next.pop_front())
    }
}

impl Segment {
    /// The lists that answer a question. Their counts are known before any is decoded.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn lists<P: Pages + ?Sized>(&self, pages: &P, question: &Question) -> Result<Vec<List>, Fault<P::Error>> {
        let mut lists = Vec::new();
        for hash in &question.exact {
            let is_position = |class: Class| class.hash(key_of(*hash)).is_none_or(|other| other == *hash);
            self.find(pages, Tree::Positions, key_of(*hash), is_position, &mut lists)?;
        }
        if let Some(hash) = question.tail {
            self.find(pages, Tree::Positions, key_of(hash), |class| class == Class::Plain, &mut lists)?;
        }
        Ok(lists)
    }

    /// Finds the list of a key of [`chess_core::search::pattern`]. Returns `None` if no game has the key, if the key is
    /// the material of the standard start, which has no list, or if the segment was built without patterns.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn pattern_list<P: Pages + ?Sized>(&self, pages: &P, key: u64) -> Result<Option<List>, Fault<P::Error>> {
        let mut lists = Vec::new();
        if let Some(number) = pattern_key::number_of(key) {
            self.find(pages, Tree::Patterns, number, |_| true, &mut lists)?;
        }
        Ok(lists.pop())
    }

    /// Appends the lists of `key` in `tree` for whose class `is_wanted` is true.
    fn find<P: Pages + ?Sized>(
        &self,
        pages: &P,
        tree: Tree,
        key: u64,
        is_wanted: impl Fn(Class) -> bool,
        lists: &mut Vec<List>,
    ) -> Result<(), Fault<P::Error>> {
        let mut next = directory::find(pages, self.number, self.tree(tree).0, key)?;
        while let Some(number) = next {
            next = read_page(pages, self.number, number, |page| {
                let leaf = Leaf::read(page)?;
                let found = leaf.find(key);
                for index in found.clone() {
                    let entry = leaf.entry(index)?;
                    if is_wanted(entry.class()) {
                        lists.push(self.list(&leaf, entry)?);
                    }
                }
                Ok(leaf.next.filter(|_| !found.is_empty()))
            })?;
        }
        Ok(())
    }

    /// Converts an entry of a leaf to a list. A short list is decoded at once, because its games are in the leaf; a
    /// long one is only located.
    pub(crate) fn list(&self, leaf: &Leaf<'_>, entry: Entry) -> Result<List, Broken> {
        match entry {
            Entry::Short(class, postings) => {
                let mut games = Vec::with_capacity(postings.len());
                leaf.games(postings, self.games, &mut games)?;
                Ok(List { class, count: games.len() as u32, games: Games::Short(games) })
            }
            Entry::Long(class, count, place) if count <= self.games => {
                Ok(List { class, count, games: Games::Long(place) })
            }
            Entry::Long(..) => Err(Broken("a list has more games than the segment")),
        }
    }

    /// The candidates for a question, ascending, without dead games.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn games<P: Pages + ?Sized>(&self, pages: &P, question: &Question) -> Result<Vec<u32>, Fault<P::Error>> {
        let mut games: Vec<u32> = Vec::new();
        let (mut is_sorted, mut block) = (true, Block::default());
        for list in self.lists(pages, question)? {
            let mut reader = list.read();
            while reader.next(pages, self, &mut block)? {
                is_sorted &= games.last() < block.games.first();
                games.append(&mut block.games);
            }
        }
        if !is_sorted {
            // The stable sort detects ascending runs, so this merges the lists.
            pause::sort(&mut games);
            games.dedup();
        }
        self.retain_living(pages, &mut games)?;
        Ok(games)
    }

    /// Removes the dead from ascending games.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn retain_living<P: Pages + ?Sized, G: OfGame + Copy>(
        &self,
        pages: &P,
        games: &mut Vec<G>,
    ) -> Result<(), Fault<P::Error>> {
        let (mut kept, mut at) = (0, 0);
        while let Some(first) = games.get(at).copied() {
            self.mask(pages, first.game(), |mask| {
                let here = games[at..].partition_point(|of| of.game() - mask.first < mask.count);
                if mask.dead == 0 {
                    if kept < at {
                        games.copy_within(at..at + here, kept);
                    }
                    kept += here;
                } else {
                    for of in at..at + here {
                        if !mask.is_dead(games[of].game()) {
                            games[kept] = games[of];
                            kept += 1;
                        }
                    }
                }
                at += here;
                Ok(())
            })?;
        }
        games.truncate(kept);
        Ok(())
    }

    /// Reads the page of the mask that covers a game.
    pub(crate) fn mask<P: Pages + ?Sized, T>(
        &self,
        pages: &P,
        game: u32,
        read: impl FnOnce(&Mask<'_>) -> Result<T, Broken>,
    ) -> Result<T, Fault<P::Error>> {
        read_page(pages, self.number, self.mask_page_of(game), |page| {
            let mask = Mask::read(page)?;
            if game.checked_sub(mask.first).is_none_or(|nth| nth >= mask.count) {
                return Err(Broken("a mask does not have its games"));
            }
            read(&mask)
        })
    }

    /// The pages of the mask.
    pub fn mask_pages(&self) -> std::ops::Range<u32> {
        self.mask..self.mask.saturating_add(self.games.div_ceil(self.mask_games))
    }

    /// The page of the mask that covers a game, for [`mark_dead`](crate::mask::mark_dead).
    pub fn mask_page_of(&self, game: u32) -> u32 {
        self.mask.saturating_add(game / self.mask_games)
    }

    /// Calls `found` with the rows of games. Adjacent games in the same page share one read.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read or does not have a game.
    pub fn rows<P: Pages + ?Sized, G: OfGame + Copy>(
        &self,
        pages: &P,
        games: &[G],
        found: impl FnMut(G, Row),
    ) -> Result<(), Fault<P::Error>> {
        self.rows_outside(pages, games, |_| false, found)
    }

    /// Calls `found` with the rows of ascending games, except for games whose rows are all in blocks that `skips` accepts.
    /// It is asked once for many neighbouring games.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read or does not have a game.
    pub fn rows_outside<P: Pages + ?Sized, G: OfGame + Copy>(
        &self,
        pages: &P,
        games: &[G],
        mut skips: impl FnMut(RangeInclusive<u32>) -> bool,
        mut found: impl FnMut(G, Row),
    ) -> Result<(), Fault<P::Error>> {
        let mut left = games;
        let mut next = PagesOf::new(self.number, self.rows, games);
        while let Some(first) = left.first() {
            let page = next.next(pages)?.ok_or(Fault::Damaged { page: self.rows.page, what: "a row is missing" })?;
            read_page(pages, self.number, page, |page| {
                let rows = Rows::read(page)?;
                let mut game = first.game();
                loop {
                    let (group, blocks) = rows.span(game)?;
                    let here = left.iter().position(|of| !group.contains(&of.game())).unwrap_or(left.len());
                    if !skips(blocks) {
                        for of in &left[..here] {
                            found(*of, rows.row(of.game())?);
                        }
                    }
                    left = &left[here..];
                    match left.first() {
                        Some(of) if of.game().wrapping_sub(rows.first) < rows.count => game = of.game(),
                        _ => return Ok(()),
                    }
                }
            })?;
        }
        Ok(())
    }

    /// Calls `found` with every game and its row, in order; VACUUM scans a segment with it.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read or does not have its games.
    pub fn each_row<P: Pages + ?Sized>(
        &self,
        pages: &P,
        mut found: impl FnMut(u32, Row),
    ) -> Result<(), Fault<P::Error>> {
        let mut walk = directory::DirectoryWalk::new(self.number, self.rows);
        let mut game = 0;
        while let Some((_, number)) = walk.next(pages, |_| ())? {
            read_page(pages, self.number, number, |page| {
                let rows = Rows::read(page)?;
                if rows.first != game || rows.count > self.games - game {
                    return Err(Broken("rows are missing"));
                }
                let end = game + rows.count;
                while game < end {
                    found(game, rows.row(game)?);
                    game += 1;
                }
                Ok(())
            })?;
        }
        if game == self.games { Ok(()) } else { Err(Fault::Damaged { page: self.rows.page, what: "rows are missing" }) }
    }

    /// Calls `found` with the games of each page of rows, and the blocks that their rows are in.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn row_spans<P: Pages + ?Sized>(
        &self,
        pages: &P,
        mut found: impl FnMut(Range<u32>, RangeInclusive<u32>),
    ) -> Result<(), Fault<P::Error>> {
        let mut walk = directory::DirectoryWalk::new(self.number, self.rows);
        while let Some((_, number)) = walk.next(pages, |_| ())? {
            read_page(pages, self.number, number, |page| {
                let rows = Rows::read(page)?;
                let games = rows.first..rows.first.saturating_add(rows.count).min(self.games);
                let (mut game, mut least, mut most) = (games.start, u32::MAX, 0);
                while game < games.end {
                    let (group, blocks) = rows.span(game)?;
                    (least, most) = (least.min(*blocks.start()), most.max(*blocks.end()));
                    game = group.end;
                }
                found(games, least..=most);
                Ok(())
            })?;
        }
        Ok(())
    }
}
