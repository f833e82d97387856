//! Writes a segment.
//!
//! Takes the rows of its games and their attributes, then postings in the order of keys, classes and games; returns pages. Memory: one page
//! of each kind, a block of a list and the directory, about 10 bytes a leaf; for sums
//! [`bytes_a_game`](crate::summing::bytes_a_game) for each game that waits, and what [`crate::ranking`] takes. The output is deterministic.

use crate::attributes::{AttributesWriter, Value};
use crate::bits::width_of;
use crate::block_writer::BlockWriter;
use crate::directory::{DirectoryWriter, MOST_PAGES, Root};
use crate::grouping::Groupings;
use crate::key::Class;
use crate::leaf::{Blocks, LeafWriter, NONE, SHORT};
use crate::mask;
use crate::page::{self, Kind, MIN_ROOM};
use crate::ranking::RankingWriter;
use crate::rows::{Row, RowsWriter};
use crate::segment::{MOST_GAMES, Patterns, Segment};
use crate::sink::{PageNumbers, Sink};
use crate::summed::SUMMED;
use crate::summing::Summing;
use crate::sums_writer::ListSumsWriter;

/// Parameters of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of the segment; every page stores it.
    pub segment: u32,
    /// Bytes of a page's content: [`page::room`] of the block size.
    pub room: usize,
    /// Whether short lists keep notes and hashes, so that merges keep them, too. The segment becomes two fifths larger.
    pub rich: bool,
    /// Whether the segment gets lists of patterns, too.
    pub patterns: bool,
    /// Number of columns of attributes.
    pub columns: u16,
    /// If a segment has the columns, its exact lists of at least this many games get sums ([`crate::sums`]), and it gets rankings
    /// ([`crate::ranking`]) if it has as many. With 0 there are neither sums nor rankings.
    pub sums: u32,
    /// What the games of a list are grouped by, if it has [`sums`](Shape::sums) and enough games: then it has sums by groups, too.
    pub groupings: Groupings,
    /// The most games of lists that wait in memory until their sums are made together. Each takes [`bytes_a_game`].
    ///
    /// [`bytes_a_game`]: crate::summing::bytes_a_game
    pub waiting: u32,
}

impl Shape {
    /// A segment with the keys of positions alone.
    pub fn of_keys(segment: u32, room: usize) -> Shape {
        Shape {
            segment,
            room,
            rich: false,
            patterns: false,
            columns: 0,
            sums: 0,
            groupings: Groupings::default(),
            waiting: 0,
        }
    }
}

/// The number of games or pages exceeds the limit of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a segment has at most 2147483647 games and 268435456 pages")
    }
}

/// A game under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Posting {
    pub key: u64,
    pub class: Class,
    pub game: u32,
    /// The bits of its note; 0 in a plain list.
    pub note: u32,
}

/// A segment being written.
pub(crate) struct SegmentWriter {
    shape: Shape,
    numbers: PageNumbers,
    games: u32,
    rows: RowsWriter,
    row_directory: DirectoryWriter,
    attributes: AttributesWriter,
    attribute_directory: DirectoryWriter,
    /// Pages of attributes and of their directory so far.
    attribute_pages: u32,
    /// `None` if the segment gets no rankings.
    rankings: Option<RankingWriter>,
    /// `None` if lists get no sums.
    sums: Option<ListSumsWriter>,
    /// None while rows are added.
    leaf: Option<LeafWriter>,
    /// Number of the open leaf, if it continues a key that filled the leaf before. Such leaves are not in the
    /// directory.
    overflow: Option<u32>,
    key_directory: DirectoryWriter,
    /// The lists of positions, once they are complete and those of patterns are being written.
    positions: Option<Written>,
    current: Option<(u64, Class)>,
    /// Games of the current list while it is short.
    short: Vec<(u32, u32)>,
    long: LongList,
    /// Games of the current key's short exact lists, which become a plain list in a segment that is not rich.
    turned_plain: Vec<u32>,
    counts: Counts,
}

/// The description of a complete tree of lists.
struct Written {
    root: Root,
    counts: Counts,
    /// The number of pages of the segment after the last page of these lists.
    pages: u32,
}

#[derive(Default)]
struct Counts {
    postings: u64,
    lists: u64,
    leaves: u32,
    list_pages: u32,
}

/// The current long list, and the open page of lists.
struct LongList {
    blocks: BlockWriter,
    /// Number of games; 0 if no long list is open.
    count: u32,
    /// The blocks, while they fit into a leaf.
    inline: Vec<u8>,
    /// Start of the list, once its blocks are in pages of lists.
    begins: Option<(u32, u16)>,
    /// The open page of lists and its number.
    page: Option<(u32, Vec<u8>)>,
    block: Vec<u8>,
}

impl SegmentWriter {
    pub(crate) fn new(shape: Shape) -> SegmentWriter {
        let shape = Shape { room: shape.room.clamp(MIN_ROOM, usize::from(u16::MAX)), ..shape };
        let has_sums = shape.sums > 0 && usize::from(shape.columns) >= SUMMED;
        SegmentWriter {
            shape,
            numbers: PageNumbers::new(shape.segment),
            games: 0,
            rows: RowsWriter::new(shape.room),
            row_directory: DirectoryWriter::new(shape.room),
            attributes: AttributesWriter::new(shape.room, shape.columns),
            attribute_directory: DirectoryWriter::new(shape.room),
            attribute_pages: 0,
            rankings: has_sums.then(|| RankingWriter::new(shape.room)),
            sums: has_sums.then(|| {
                let summing = Summing::new(shape.sums, shape.waiting, shape.groupings);
                ListSumsWriter::new(summing, shape.columns, shape.room)
            }),
            leaf: None,
            overflow: None,
            key_directory: DirectoryWriter::new(shape.room),
            positions: None,
            current: None,
            short: Vec::with_capacity(SHORT),
            long: LongList {
                blocks: BlockWriter::default(),
                count: 0,
                inline: Vec::new(),
                begins: None,
                page: None,
                block: Vec::new(),
            },
            turned_plain: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// The number of the next game; `None` beyond the limit.
    pub(crate) fn next_game(&self) -> Option<u32> {
        (self.games < MOST_GAMES).then_some(self.games)
    }

    /// Adds the row of the next game and its attributes.
    pub(crate) fn add_row<S: Sink>(&mut self, row: Row, values: &[Value], sink: &mut S) -> Result<(), S::Error> {
        self.games += 1;
        if !self.attributes.fits(values) {
            self.flush_attributes(sink)?;
        }
        self.attributes.push(values);
        let summed = std::array::from_fn(|column| values.get(column).copied().flatten());
        if let Some(rankings) = &mut self.rankings
            && rankings.push(summed)
        {
            rankings.flush(&mut self.numbers, sink)?;
        }
        if self.rows.add(row) { self.flush_rows(sink) } else { Ok(()) }
    }

    fn flush_attributes<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Error> {
        let numbers = &mut self.numbers;
        let before = numbers.count();
        if let Some((first, number, content)) = self.attributes.finish(self.shape.segment, || numbers.take()) {
            sink.put(number, &content)?;
            self.attribute_directory.add(first.into(), number, numbers, sink)?;
            if let Some(sums) = &mut self.sums {
                sums.pages.push((first, number));
            }
        }
        self.attribute_pages += numbers.count() - before;
        Ok(())
    }

    /// Writes the sums of the lists that have ended.
    fn add_up<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Error> {
        match &mut self.sums {
            Some(sums) => sums.add_up(&self.attributes, self.games, &mut self.numbers, sink),
            None => Ok(()),
        }
    }

    fn flush_rows<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Error> {
        let numbers = &mut self.numbers;
        if let Some((first, number, content)) = self.rows.finish(self.shape.segment, || numbers.take()) {
            sink.put(number, &content)?;
            self.row_directory.add(first.into(), number, numbers, sink)?;
        }
        Ok(())
    }

    /// Completes the lists of positions. The postings that follow belong to patterns, whose lists are all plain.
    pub(crate) fn begin_patterns<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Error> {
        self.positions = Some(self.end_lists(sink)?);
        self.leaf = None;
        self.current = None;
        Ok(())
    }

    /// Writes the open list, leaf and page, then the directory over the leaves.
    fn end_lists<S: Sink>(&mut self, sink: &mut S) -> Result<Written, S::Error> {
        self.flush_rows(sink)?;
        self.end_list(sink)?;
        self.end_key(sink)?;
        self.end_leaf(false, sink)?;
        self.end_list_page(None, sink)?;
        let directory = std::mem::replace(&mut self.key_directory, DirectoryWriter::new(self.shape.room));
        let root = directory.finish(&mut self.numbers, sink)?;
        Ok(Written { root, counts: std::mem::take(&mut self.counts), pages: self.numbers.count() })
    }

    /// Adds a posting. Postings come in the order of keys, classes and, in a list, games; no row may follow.
    #[inline]
    pub(crate) fn push<S: Sink>(&mut self, posting: Posting, sink: &mut S) -> Result<(), S::Error> {
        let Posting { key, class, game, note } = posting;
        if self.current != Some((key, class)) {
            self.end_list(sink)?;
            if self.current.is_some_and(|(before, _)| before != key) {
                self.end_key(sink)?;
            }
            self.current = Some((key, class));
        }
        let mut is_full = false;
        if let (Class::Exact(_), Some(sums)) = (class, &mut self.sums) {
            is_full = sums.summing.push(game, note);
        }
        if is_full {
            self.add_up(sink)?;
        }
        if class == Class::Plain && !self.turned_plain.is_empty() {
            while let Some(turned) = self.turned_plain.pop_if(|turned| *turned < game) {
                self.add(turned, 0, sink)?;
            }
            self.turned_plain.pop_if(|turned| *turned == game);
        }
        self.add(game, note, sink)
    }

    #[inline]
    fn add<S: Sink>(&mut self, game: u32, note: u32, sink: &mut S) -> Result<(), S::Error> {
        if self.long.count == 0 {
            if self.short.len() < SHORT {
                self.short.push((game, note));
                return Ok(());
            }
            self.long.blocks.begin(!matches!(self.current, Some((_, Class::Plain))));
            let mut short = std::mem::take(&mut self.short);
            for (game, note) in short.drain(..) {
                self.add_long(game, note, sink)?;
            }
            self.short = short;
        }
        self.add_long(game, note, sink)
    }

    fn add_long<S: Sink>(&mut self, game: u32, note: u32, sink: &mut S) -> Result<(), S::Error> {
        self.long.count += 1;
        if self.long.blocks.push(game, note) {
            self.end_block(sink)?;
        }
        Ok(())
    }

    /// Writes the open block of the long list, inline or to the pages of lists.
    fn end_block<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Error> {
        let long = &mut self.long;
        long.block.clear();
        long.blocks.write(&mut long.block);
        if long.begins.is_none() {
            let before = long.inline.len();
            long.inline.extend_from_slice(&long.block);
            if long.inline.len() <= self.shape.room / 8 {
                return Ok(());
            }
            // One by one, because a block must not be split between pages.
            let first = std::mem::take(&mut long.inline);
            let last = std::mem::take(&mut long.block);
            if before > 0 {
                self.put_blocks(&first[..before], sink)?;
            }
            return self.put_blocks(&last, sink);
        }
        let block = std::mem::take(&mut long.block);
        let done = self.put_blocks(&block, sink);
        self.long.block = block;
        done
    }

    /// Appends whole blocks to the pages of lists.
    fn put_blocks<S: Sink>(&mut self, blocks: &[u8], sink: &mut S) -> Result<(), S::Error> {
        let has_room = |page: &(u32, Vec<u8>)| page.1.len() + blocks.len() <= self.shape.room;
        if !self.long.page.as_ref().is_some_and(has_room) {
            let next = self.numbers.take();
            self.end_list_page(Some(next), sink)?;
            let mut content = page::begin(Kind::Lists, self.shape.segment, next, 0);
            content.extend(NONE.to_le_bytes());
            self.long.page = Some((next, content));
        }
        if let Some((number, content)) = &mut self.long.page {
            let here = (*number, (content.len() - page::HEAD) as u16);
            self.long.begins.get_or_insert(here);
            content.extend_from_slice(blocks);
        }
        Ok(())
    }

    /// Writes the open page of lists; the open list continues in page `next`.
    fn end_list_page<S: Sink>(&mut self, next: Option<u32>, sink: &mut S) -> Result<(), S::Error> {
        let Some((number, mut content)) = self.long.page.take() else { return Ok(()) };
        let next = next.filter(|_| self.long.begins.is_some()).unwrap_or(NONE);
        content[page::HEAD..page::HEAD + 4].copy_from_slice(&next.to_le_bytes());
        page::seal(&mut content);
        self.counts.list_pages += 1;
        sink.put(number, &content)
    }

    /// Ends the current list. A plain list stays open while games of short exact lists may still join it.
    fn end_list<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Error> {
        let Some((key, class)) = self.current else { return Ok(()) };
        if let Some(sums) = &mut self.sums {
            sums.summing.end_list(|| class.hash(key));
        }
        if class == Class::Plain {
            while let Some(turned) = self.turned_plain.pop() {
                self.add(turned, 0, sink)?;
            }
        } else if !self.shape.rich && self.long.count == 0 {
            self.turned_plain.extend(self.short.iter().map(|(game, _)| *game));
            self.short.clear();
            // Descending, so that `pop` returns the lowest.
            self.turned_plain.sort_unstable_by(|a, b| b.cmp(a));
            self.turned_plain.dedup();
            return Ok(());
        }
        if self.long.count == 0 {
            if !self.short.is_empty() {
                self.make_room(key, class, self.short.len(), None, sink)?;
                let short = std::mem::take(&mut self.short);
                if let Some(leaf) = &mut self.leaf {
                    leaf.add_short(key, class, &short);
                }
                self.counted(short.len() as u64);
                self.short = short;
                self.short.clear();
            }
            return Ok(());
        }
        self.end_block(sink)?;
        let inline = std::mem::take(&mut self.long.inline);
        let (count, begins) = (std::mem::take(&mut self.long.count), self.long.begins.take());
        let blocks = begins.map_or(Blocks::Inline(&inline), |(page, at)| Blocks::Paged(page, at));
        self.make_room(key, class, 1, Some(blocks.len()), sink)?;
        if let Some(leaf) = &mut self.leaf {
            leaf.add_long(key, class, count, blocks);
        }
        self.counted(count.into());
        self.long.inline = inline;
        self.long.inline.clear();
        Ok(())
    }

    fn counted(&mut self, postings: u64) {
        self.counts.postings += postings;
        self.counts.lists += 1;
    }

    /// Ends the current key: the remaining games of its short exact lists become a plain list.
    fn end_key<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Error> {
        if let Some((key, _)) = self.current
            && !self.turned_plain.is_empty()
        {
            self.current = Some((key, Class::Plain));
            self.end_list(sink)?;
        }
        if self.overflow.is_some() {
            self.end_leaf(false, sink)?;
        }
        Ok(())
    }

    /// Begins another leaf if the open one has no room for an entry. The lists of a key are in one leaf; if they do not
    /// fit, they continue in following leaves that contain no other key.
    fn make_room<S: Sink>(
        &mut self,
        key: u64,
        class: Class,
        postings: usize,
        blob: Option<usize>,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        if self.leaf.is_none() {
            self.flush_rows(sink)?;
            let width = width_of(self.games.saturating_sub(1).into());
            let is_rich = self.shape.rich && self.positions.is_none();
            self.leaf = Some(LeafWriter::new(self.shape.room, width, is_rich));
        }
        let Some(leaf) = &self.leaf else { return Ok(()) };
        if leaf.fits(key, class, postings, blob) {
            return Ok(());
        }
        let goes_on = leaf.range().is_some_and(|(_, last)| last == key);
        self.end_leaf(goes_on, sink)
    }

    /// Writes the open leaf, if it has entries; the next leaf continues its last key if `goes_on`.
    fn end_leaf<S: Sink>(&mut self, goes_on: bool, sink: &mut S) -> Result<(), S::Error> {
        let Some(leaf) = &mut self.leaf else { return Ok(()) };
        let Some((first, _)) = leaf.range() else { return Ok(()) };
        let reserved = self.overflow.take();
        let number = reserved.unwrap_or_else(|| self.numbers.take());
        self.overflow = goes_on.then(|| self.numbers.take());
        let content = leaf.finish(self.shape.segment, number, self.overflow);
        self.counts.leaves += 1;
        sink.put(number, &content)?;
        if reserved.is_none() {
            self.key_directory.add(first, number, &mut self.numbers, sink)?;
        }
        Ok(())
    }

    /// Writes the rest and returns the description of the segment; `None` if it has too many pages.
    pub(crate) fn finish<S: Sink>(mut self, sink: &mut S) -> Result<Option<Segment>, S::Error> {
        let last_lists = self.end_lists(sink)?;
        let (positions, patterns) = match self.positions.take() {
            Some(positions) => (positions, Some(last_lists)),
            None => (last_lists, None),
        };
        let patterns = patterns.map(|written| Patterns {
            postings: written.counts.postings,
            lists: written.counts.lists,
            leaves: written.counts.leaves,
            list_pages: written.counts.list_pages,
            pages: written.pages - positions.pages,
            root: written.root,
        });
        self.add_up(sink)?;
        self.flush_attributes(sink)?;
        if let Some(sums) = &mut self.sums {
            sums.flush(&mut self.numbers, sink)?;
        }
        let rows = self.row_directory.finish(&mut self.numbers, sink)?;
        let before = self.numbers.count();
        let attributes = self.attribute_directory.finish(&mut self.numbers, sink)?;
        let attribute_pages = self.attribute_pages + self.numbers.count() - before;
        let sums = match self.sums.take() {
            Some(sums) => sums.finish(&mut self.numbers, sink)?,
            None => None,
        };
        let rankings = match self.rankings.take() {
            Some(rankings) => rankings.finish(self.shape.sums, &mut self.numbers, sink)?,
            None => None,
        };
        let mask = self.numbers.count();
        let mask_games = put_mask(&self.shape, self.games, &mut self.numbers, sink)?;
        let last = self.numbers.take();
        let segment = Segment {
            number: self.shape.segment,
            games: self.games,
            pages: self.numbers.count(),
            postings: positions.counts.postings,
            lists: positions.counts.lists,
            leaves: positions.counts.leaves,
            list_pages: positions.counts.list_pages,
            rich: self.shape.rich,
            patterns,
            sums,
            rankings,
            columns: self.shape.columns,
            attribute_pages,
            attributes,
            keys: positions.root,
            rows,
            mask,
            mask_games,
        };
        if segment.pages > MOST_PAGES {
            return Ok(None);
        }
        sink.put(last, &segment.write())?;
        Ok(Some(segment))
    }
}

/// Writes the pages of the mask, and returns how many games one of them has.
fn put_mask<S: Sink>(shape: &Shape, games: u32, numbers: &mut PageNumbers, sink: &mut S) -> Result<u32, S::Error> {
    let games_a_page = mask::games_a_page(shape.room);
    for first in (0..games).step_by(games_a_page as usize) {
        let count = (games - first).min(games_a_page);
        let number = numbers.take();
        sink.put(number, &mask::new_page(shape.segment, number, first, count))?;
    }
    Ok(games_a_page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::key::{KEY_BITS, Question, REST_BITS};

    /// One key with enough exact lists to fill several leaves.
    #[test]
    fn a_key_may_fill_leaves() {
        for (rich, each) in [(false, 40), (true, 3)] {
            let shape = Shape { rich, ..Shape::of_keys(1, MIN_ROOM) };
            let (mut writer, mut pages) = (SegmentWriter::new(shape), Vec::<Vec<u8>>::new());
            for game in 0..500 {
                writer.add_row(Row { block: game, offset: 1 }, &[], &mut pages).unwrap();
            }
            let key = (1 << KEY_BITS) - 2;
            let posting = |key, class, game| Posting { key, class, game, note: game % 7 };
            for game in 0..100 {
                writer.push(posting(game * 1000, Class::Plain, game as u32), &mut pages).unwrap();
            }
            for rest in 0..300 {
                for game in 0..each {
                    writer.push(posting(key, Class::Exact(rest * 5), rest + game), &mut pages).unwrap();
                }
            }
            writer.push(posting(key, Class::Plain, 499), &mut pages).unwrap();
            for game in 0..40 {
                writer.push(posting(key + 1, Class::Plain, game), &mut pages).unwrap();
            }
            let segment = writer.finish(&mut pages).unwrap().unwrap();
            assert!(segment.leaves > 5, "{}", segment.leaves);
            assert_eq!(check(&pages[..], 1, segment.pages - 1), Ok(segment));
            for rest in 0..300 {
                let question = Question { exact: vec![(key << REST_BITS) | (rest * 5)], tail: None };
                let mut wanted: Vec<u32> = (rest as u32..rest as u32 + each).chain([499]).collect();
                wanted.dedup();
                assert_eq!(segment.games(&pages[..], &question).unwrap(), wanted);
            }
            let next = Question { exact: vec![(key + 1) << REST_BITS], tail: None };
            assert_eq!(segment.games(&pages[..], &next).unwrap(), (0..40).collect::<Vec<u32>>());
            let tail = Question { exact: vec![], tail: Some(key << REST_BITS) };
            assert_eq!(segment.games(&pages[..], &tail).unwrap(), [499]);
        }
    }

    /// In a segment that is not rich, short exact lists and a plain list merge into one list with each game once.
    #[test]
    fn short_exact_lists_become_plain() {
        let shape = Shape::of_keys(1, MIN_ROOM);
        for plain in [0, 1, 14, 200] {
            let (mut writer, mut pages) = (SegmentWriter::new(shape), Vec::<Vec<u8>>::new());
            for game in 0..500 {
                writer.add_row(Row { block: game, offset: 1 }, &[], &mut pages).unwrap();
            }
            for (class, games) in [(Class::Exact(1), 3..9), (Class::Exact(2), 5..20), (Class::Plain, 8..8 + plain)] {
                for game in games {
                    writer.push(Posting { key: 77, class, game, note: 0 }, &mut pages).unwrap();
                }
            }
            let segment = writer.finish(&mut pages).unwrap().unwrap();
            assert_eq!(check(&pages[..], 1, segment.pages - 1), Ok(segment));
            assert_eq!(segment.lists, 1);
            let question = Question { exact: vec![77 << REST_BITS | 1], tail: None };
            let wanted: Vec<u32> = (3..20.max(8 + plain)).collect();
            assert_eq!(segment.games(&pages[..], &question).unwrap(), wanted);
        }
    }
}
