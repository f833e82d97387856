//! Checks every byte of every page of a segment.
//!
//! Takes pages; returns the description of the segment, or the first fault. The checksums find a change of any byte.
//! The check also finds faults that checksums miss, such as a page that no structure owns or that two own.

use chess_core::pause;
use chess_core::search::hybrid_keys::{Key, each_key, fmix64};
use chess_core::search::pattern::pattern_keys;
use chess_core::{CorruptGame, GameRef};

use crate::attributes::{Attributes, Value};
use crate::block::Block;
use crate::checked_sums::CheckedSums;
use crate::directory::DirectoryWalk;
use crate::fault::{Broken, Fault};
use crate::key::{Class, Question, key_of};
use crate::leaf::{Place, REFERENCE};
use crate::mask::Mask;
use crate::merge::Renumbered;
use crate::page::is_sealed;
use crate::pattern_key;
use crate::ranking::check_rankings;
use crate::rows::Rows;
use crate::search::{LISTS, next_list_page};
use crate::segment::{Segment, Tree};
use crate::source::{Pages, read_page};
use crate::walk::{Passed, Walk};

/// The pages that some structure of the segment owns.
struct Owned {
    pages: Vec<u64>,
    /// The first page that has two owners or does not exist.
    wrong: Option<u32>,
}

impl Owned {
    fn new(pages: u32) -> Owned {
        Owned { pages: vec![0; (pages as usize).div_ceil(64)], wrong: None }
    }

    fn add(&mut self, number: u32) {
        let (word, bit) = (number as usize / 64, 1 << (number % 64));
        match self.pages.get_mut(word) {
            Some(word) if *word & bit == 0 => *word |= bit,
            _ => self.wrong = self.wrong.or(Some(number)),
        }
    }

    fn check<E>(&self) -> Result<(), Fault<E>> {
        match self.wrong {
            Some(page) => Err(Fault::Damaged { page, what: "it belongs to two things" }),
            None => Ok(()),
        }
    }

    fn count(&self) -> u32 {
        self.pages.iter().map(|word| word.count_ones()).sum()
    }
}

/// What a walk over all lists of one tree has counted so far, and what it expects next.
struct Seen {
    owned: Owned,
    leaves: u32,
    list_pages: u32,
    lists: u64,
    postings: u64,
    /// The open leaf, and the bytes of its long lists that no list has claimed yet.
    leaf: (u32, usize),
    /// Whether lists claimed too many or too few bytes of a leaf.
    wrong_leaf: Option<u32>,
    /// Start of the previous list, if it was a long one.
    long: Option<Place>,
    /// End of the previous list in pages of lists.
    end: Option<Place>,
}

impl Seen {
    fn new(owned: Owned) -> Seen {
        Seen {
            owned,
            leaves: 0,
            list_pages: 0,
            lists: 0,
            postings: 0,
            leaf: (0, 0),
            wrong_leaf: None,
            long: None,
            end: None,
        }
    }

    /// Compares the counts of the walk with those in the description of the segment, which is on its page `last`.
    fn must_count<E>(&self, last: u32, counts: (u32, u32, u64, u64)) -> Result<(), Fault<E>> {
        let what = match (self.leaves, self.list_pages, self.lists, self.postings) {
            seen if seen == counts => return Ok(()),
            (leaves, list_pages, ..) if (leaves, list_pages) != (counts.0, counts.1) => {
                "the segment counts other pages than it has"
            }
            _ => "the segment counts other lists than it has",
        };
        Err(Fault::Damaged { page: last, what })
    }

    fn end_leaf(&mut self) {
        if self.leaf.1 != 0 {
            self.wrong_leaf = self.wrong_leaf.or(Some(self.leaf.0));
        }
    }

    fn take(&mut self, bytes: usize) {
        match self.leaf.1.checked_sub(bytes) {
            Some(left) => self.leaf.1 = left,
            None => self.wrong_leaf = self.wrong_leaf.or(Some(self.leaf.0)),
        }
    }
}

impl Passed for Seen {
    fn directory(&mut self, number: u32) {
        self.owned.add(number);
    }

    fn leaf(&mut self, number: u32, bytes: usize) {
        self.end_leaf();
        self.owned.add(number);
        self.leaves += 1;
        self.leaf = (number, bytes);
    }

    fn long(&mut self, place: Place) {
        self.long = Some(place);
    }
}

/// Checks the segment `number` whose last page is `last`.
///
/// # Errors
///
/// The first [`Fault`].
pub fn check<P: Pages + ?Sized>(pages: &P, number: u32, last: u32) -> Result<Segment, Fault<P::Error>> {
    let segment = Segment::open(pages, number, last)?;
    for page in 0..segment.pages {
        let content = pages.page(page).map_err(Fault::Pages)?;
        if !is_sealed(&content) {
            return Err(Fault::Damaged { page, what: "its checksum is wrong" });
        }
    }
    let mut seen = Seen::new(Owned::new(segment.pages));
    let mut sums = CheckedSums::read(pages, &segment, last, |page| seen.owned.add(page))?;
    check_lists(pages, &segment, Tree::Positions, &mut seen, &mut sums)?;
    sums.map_or(Ok(()), |sums| sums.end(pages, &segment))?;
    let counts = (segment.leaves, segment.list_pages, segment.lists, segment.postings);
    seen.must_count(last, counts)?;
    let mut seen = Seen::new(seen.owned);
    if let Some(patterns) = segment.patterns {
        let before = seen.owned.count();
        check_lists(pages, &segment, Tree::Patterns, &mut seen, &mut None)?;
        let counts = (patterns.leaves, patterns.list_pages, patterns.lists, patterns.postings);
        seen.must_count(last, counts)?;
        if seen.owned.count() - before != patterns.pages {
            return Err(Fault::Damaged { page: last, what: "the segment counts other pages of patterns than it has" });
        }
    }
    check_rows(pages, &segment, &mut seen.owned)?;
    check_attributes(pages, &segment, &mut seen.owned)?;
    check_rankings(pages, &segment, |page| seen.owned.add(page))?;
    check_mask(pages, &segment, &mut seen.owned)?;
    seen.owned.add(last);
    seen.owned.check()?;
    if seen.owned.count() != segment.pages {
        let nobodys = (0..segment.pages).find(|page| seen.owned.pages[*page as usize / 64] >> (page % 64) & 1 == 0);
        return Err(Fault::Damaged { page: nobodys.unwrap_or(last), what: "it belongs to nothing" });
    }
    Ok(segment)
}

/// Checks every list of one tree with its sums, and records which pages the lists take.
fn check_lists<P: Pages + ?Sized>(
    pages: &P,
    segment: &Segment,
    tree: Tree,
    seen: &mut Seen,
    sums: &mut Option<CheckedSums>,
) -> Result<(), Fault<P::Error>> {
    let mut walk = Walk::new(pages, segment, tree);
    let root = segment.tree(tree).0.page;
    let mut block = Block::default();
    while let Some(list) = walk.next_list(seen)? {
        if tree == Tree::Patterns && (list.class != Class::Plain || list.key >= pattern_key::END) {
            return Err(Fault::Damaged { page: root, what: "a list is none of a pattern" });
        }
        let begin = seen.long.take();
        if let Some(begin) = begin.filter(|begin| !begin.in_leaf) {
            seen.take(REFERENCE);
            follows(pages, segment, seen.end, begin)?;
            if begin.at == LISTS {
                enter(seen, begin.page);
            }
        }
        let mut end = begin;
        let mut games = 0;
        while next_block(&mut walk, &mut block, &mut end, seen)? {
            games += block.games.len() as u32;
            if let Some(sums) = sums {
                sums.push(pages, segment, &block)?;
            }
        }
        if let (Some(sums), Some(hash)) = (sums.as_mut(), list.class.hash(list.key)) {
            sums.end_list(hash);
        }
        if games != list.count {
            return Err(Fault::Damaged { page: root, what: "a list has other games than it counts" });
        }
        seen.end = end.filter(|end| !end.in_leaf).or(seen.end);
        seen.owned.check()?;
        seen.lists += 1;
        seen.postings += u64::from(games);
    }
    seen.end_leaf();
    if let Some(page) = seen.wrong_leaf {
        return Err(Fault::Damaged { page, what: "long lists do not take the bytes that they have in the leaf" });
    }
    match seen.end {
        Some(end) => is_end(pages, segment, end),
        None => Ok(()),
    }
}

/// Reads the next block of a list, if there is one, and records what it takes of a leaf or of pages from `at` on, which is
/// advanced to its end.
fn next_block<P: Pages + ?Sized>(
    walk: &mut Walk<'_, P>,
    block: &mut Block,
    at: &mut Option<Place>,
    seen: &mut Seen,
) -> Result<bool, Fault<P::Error>> {
    let (more, end) = walk.next_block(block)?;
    if let (Some(begin), Some(end)) = (*at, end) {
        if begin.in_leaf {
            seen.take(end.at - begin.at);
        } else if begin.page != end.page {
            enter(seen, end.page);
        }
        *at = Some(end);
    }
    Ok(more)
}

fn enter(seen: &mut Seen, page: u32) {
    seen.owned.add(page);
    seen.list_pages += 1;
}

/// Checks that a list begins at the end of the previous one, or in a new page after it.
fn follows<P: Pages + ?Sized>(
    pages: &P,
    segment: &Segment,
    end: Option<Place>,
    begin: Place,
) -> Result<(), Fault<P::Error>> {
    match end {
        Some(end) if end == begin => Ok(()),
        _ if begin.at != LISTS => {
            Err(Fault::Damaged { page: begin.page, what: "a list does not begin where one ended" })
        }
        Some(end) => is_end(pages, segment, end),
        None => Ok(()),
    }
}

/// Checks that a page of lists ends where its last list does.
fn is_end<P: Pages + ?Sized>(pages: &P, segment: &Segment, end: Place) -> Result<(), Fault<P::Error>> {
    read_page(pages, segment.number, end.page, |page| {
        let is_end = page.body.len() == end.at && next_list_page(page)?.is_none();
        if is_end { Ok(()) } else { Err(Broken("a page of lists has more than its lists")) }
    })
}

fn check_rows<P: Pages + ?Sized>(pages: &P, segment: &Segment, owned: &mut Owned) -> Result<(), Fault<P::Error>> {
    let mut walk = DirectoryWalk::new(segment.number, segment.rows);
    while let Some((first, number)) = walk.next(pages, |number| owned.add(number))? {
        owned.add(number);
        read_page(pages, segment.number, number, |page| {
            let rows = Rows::read(page)?;
            rows.check()?;
            if u64::from(rows.first) == first { Ok(()) } else { Err(Broken("rows are not those of the directory")) }
        })?;
    }
    segment.each_row(pages, |_, _| ())
}

fn check_attributes<P: Pages + ?Sized>(pages: &P, segment: &Segment, owned: &mut Owned) -> Result<(), Fault<P::Error>> {
    let before = owned.count();
    let mut walk = DirectoryWalk::new(segment.number, segment.attributes);
    let mut game = 0;
    while let Some((first, number)) = walk.next(pages, |number| owned.add(number))? {
        owned.add(number);
        read_page(pages, segment.number, number, |page| {
            let attributes = Attributes::read(page, segment.columns)?;
            attributes.check()?;
            let follows = (attributes.first, first) == (game, game.into()) && attributes.count <= segment.games - game;
            game += if follows { attributes.count } else { 0 };
            if follows { Ok(()) } else { Err(Broken("attributes are not those of the directory")) }
        })?;
    }
    let wanted = if segment.columns == 0 { 0 } else { segment.games };
    if (game, owned.count() - before) == (wanted, segment.attribute_pages) {
        Ok(())
    } else {
        Err(Fault::Damaged { page: segment.attributes.page, what: "attributes are missing" })
    }
}

fn check_mask<P: Pages + ?Sized>(pages: &P, segment: &Segment, owned: &mut Owned) -> Result<(), Fault<P::Error>> {
    let mut first = 0;
    for number in segment.mask_pages() {
        let count = segment.mask_games.min(segment.games - first);
        read_page(pages, segment.number, number, |page| {
            let mask = Mask::read(page)?;
            mask.is_of(first, count)?;
            mask.check()
        })?;
        owned.add(number);
        first += count;
    }
    Ok(())
}

/// Computes the [`fingerprint`] of some games of a segment, numbered from 0, from its lists and attributes, to compare an
/// index with its table. Reads every list once.
///
/// # Errors
///
/// A [`Fault`] if a page cannot be read.
pub fn fingerprints<P: Pages + ?Sized>(
    pages: &P,
    segment: &Segment,
    games: &Renumbered,
) -> Result<Vec<u64>, Fault<P::Error>> {
    /// Games whose attributes are read together.
    const BATCH: u32 = 1 << 16;
    let mut sums = Sums { games, sums: vec![0u64; games.count()] };
    add_fingerprints(pages, segment, Tree::Positions, &mut sums)?;
    add_fingerprints(pages, segment, Tree::Patterns, &mut sums)?;
    for first in (0..if segment.columns > 0 { segment.games } else { 0 }).step_by(BATCH as usize) {
        let end = first.saturating_add(BATCH).min(segment.games);
        let wanted: Vec<u32> = (first..end).filter(|game| games.number(*game).is_some()).collect();
        segment.attributes(pages, &wanted, |attributes, games| {
            for game in games {
                sums.add(*game, fingerprint_of_values(&attributes.values(*game)));
            }
        })?;
    }
    Ok(sums.sums)
}

/// The fingerprints of some games, as far as they are known.
struct Sums<'a> {
    games: &'a Renumbered,
    sums: Vec<u64>,
}

impl Sums<'_> {
    #[inline]
    fn add(&mut self, game: u32, more: u64) {
        if let Some(sum) = self.games.number(game).and_then(|number| self.sums.get_mut(number as usize)) {
            *sum = sum.wrapping_add(more);
        }
    }
}

fn add_fingerprints<P: Pages + ?Sized>(
    pages: &P,
    segment: &Segment,
    tree: Tree,
    sums: &mut Sums<'_>,
) -> Result<(), Fault<P::Error>> {
    let mut walk = Walk::new(pages, segment, tree);
    let mut block = Block::default();
    // The games of the current key. Several of its lists may contain the same game, which counts once.
    let (mut key, mut lists, mut games) = (0, 0, Vec::new());
    let mut add = |key: u64, lists: u32, games: &mut Vec<u32>| {
        if lists > 1 {
            pause::sort(games);
            games.dedup();
        }
        for game in games.drain(..) {
            sums.add(game, scrambled(tree, key));
        }
    };
    while let Some(list) = walk.next_list(&mut ())? {
        if list.key != key {
            add(key, lists, &mut games);
            (key, lists) = (list.key, 0);
        }
        lists += 1;
        while walk.next_block(&mut block)?.0 {
            games.append(&mut block.games);
        }
    }
    add(key, lists, &mut games);
    Ok(())
}

/// Computes the fingerprint of a game: the sum of its distinct keys, each scrambled, with those of patterns if the
/// segment has them. Games with different keys have equal fingerprints by chance once in 2^64.
///
/// # Errors
///
/// [`CorruptGame`] if the game does not decode.
pub fn fingerprint(game: GameRef<'_>, patterns: bool) -> Result<u64, CorruptGame> {
    let mut keys = Vec::new();
    each_key(game, |key| {
        keys.push(key_of(match key {
            Key::Position(hash, _) | Key::Tail(hash) => hash,
        }));
    })?;
    keys.sort_unstable();
    keys.dedup();
    let mut sum = keys.iter().fold(0u64, |sum, key| sum.wrapping_add(scrambled(Tree::Positions, *key)));
    if patterns {
        keys.clear();
        pattern_keys(game, &mut keys)?;
        let numbers = keys.iter().filter_map(|key| pattern_key::number_of(*key));
        sum = numbers.fold(sum, |sum, number| sum.wrapping_add(scrambled(Tree::Patterns, number)));
    }
    Ok(sum)
}

/// Computes what the attributes of a row add to its fingerprint.
pub fn fingerprint_of_values(values: &[Value]) -> u64 {
    let numbers = values.iter().map(|value| value.map_or(1 << 32, |value| u64::from(value as u32)));
    let number = |(column, number): (usize, u64)| scrambled(Tree::Positions, (column as u64 + 1) << 40 | number);
    numbers.enumerate().map(number).fold(0, u64::wrapping_add)
}

/// Scrambles a key, so that sums of keys do not collide. A number of a pattern gets its
/// top bit set, because a key of a position may be the same number.
fn scrambled(tree: Tree, key: u64) -> u64 {
    fmix64(key | u64::from(tree == Tree::Patterns) << 63)
}

/// Whether the index finds a game of the segment under all of these keys of positions, with its notes. Use it for samples
/// only, because it decodes whole lists.
///
/// # Errors
///
/// A [`Fault`] if a page cannot be read.
pub fn is_found<P: Pages + ?Sized>(
    pages: &P,
    segment: &Segment,
    game: u32,
    keys: &[Key],
) -> Result<bool, Fault<P::Error>> {
    let mut block = Block::default();
    for (nth, key) in keys.iter().enumerate() {
        let (question, note) = match key {
            Key::Position(hash, note) => (Question { exact: vec![*hash], tail: None }, Some(*note)),
            Key::Tail(hash) => (Question { exact: Vec::new(), tail: Some(*hash) }, None),
        };
        // If a game reaches a position twice, the first note counts.
        let is_first = |hash| !keys[..nth].iter().any(|key| matches!(key, Key::Position(other, _) if *other == hash));
        let mut found = false;
        for list in segment.lists(pages, &question)? {
            let mut reader = list.read();
            while reader.next(pages, segment, &mut block)? {
                let Ok(at) = block.games.binary_search(&game) else { continue };
                let other = block.notes.get(at).is_some_and(|known| note != Some(*known));
                let counts = matches!(key, Key::Position(hash, _) if is_first(*hash));
                if list.class != Class::Plain && other && counts {
                    return Ok(false);
                }
                found = true;
            }
        }
        if !found {
            return Ok(false);
        }
    }
    Ok(true)
}
