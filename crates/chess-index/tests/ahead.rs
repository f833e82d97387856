//! Proves that pages are announced before they are read: each one that follows from what was read before, no others, and no
//! more at a time than the caller wants. The answers are those without announcements.

use std::cell::RefCell;

use crate::common::{ROOMS, Table, build, row, rows, shape, with_sums};
use chess_index::attributes::Attributes;
use chess_index::check::check;
use chess_index::page::{Kind, Page};
use chess_index::ranking::RankedGames;
use chess_index::source::{NoSuchPage, Pages};
use chess_index::summed::Ranking;

/// Pages in memory that record what is announced and read.
struct Watched<'a> {
    pages: &'a [Vec<u8>],
    ahead: usize,
    seen: RefCell<Seen>,
}

#[derive(Default)]
struct Seen {
    announced: Vec<u32>,
    /// The pages that were read, by kind, and those of them that were announced.
    read: Vec<(Kind, u32, bool)>,
}

impl Watched<'_> {
    fn kind(&self, number: u32) -> Kind {
        Page::read(&self.pages[number as usize]).unwrap().kind
    }

    /// Returns the number of pages of a kind that were read, of those that were not announced, and of those that were announced
    /// in vain.
    fn count(&self, kind: Kind) -> (usize, usize, usize) {
        let seen = self.seen.borrow();
        let read: Vec<_> = seen.read.iter().filter(|(of, ..)| *of == kind).collect();
        let in_vain = |number: &&u32| self.kind(**number) == kind && !read.iter().any(|(_, other, _)| other == *number);
        let surprises = read.iter().filter(|(.., announced)| !announced).count();
        (read.len(), surprises, seen.announced.iter().filter(in_vain).count())
    }
}

impl Pages for Watched<'_> {
    type Error = NoSuchPage;
    type Content<'b>
        = &'b [u8]
    where
        Self: 'b;

    fn page(&self, number: u32) -> Result<&[u8], NoSuchPage> {
        let seen = &mut *self.seen.borrow_mut();
        // Portions of a ranking that follow each other may be in one page.
        if seen.read.last().is_none_or(|(_, last, _)| *last != number) {
            seen.read.push((self.kind(number), number, seen.announced.contains(&number)));
        }
        self.pages.page(number)
    }

    fn ahead(&self) -> usize {
        self.ahead
    }

    fn announce(&self, number: u32) {
        let seen = &mut *self.seen.borrow_mut();
        let is_read = |number: &&u32| seen.read.iter().any(|(_, read, _)| read == *number);
        let is_new = is_read(&&number) || !seen.announced.contains(&number);
        assert!(is_new, "page {number} is announced twice");
        seen.announced.push(number);
        let waiting = seen.announced.iter().filter(|number| !is_read(number)).count();
        // One of them is read next.
        assert!(waiting <= self.ahead + 1, "{waiting} pages are announced and not read");
    }
}

#[test]
fn pages_are_announced_before_they_are_read() {
    // Some games over and over, so that lists take many pages.
    let some = rows(91, 300);
    let games: Table = (0..12_000).map(|nth| (row(nth), some[nth % some.len()].1.clone())).collect();
    let built = build(with_sums(shape(ROOMS[0], true)), 1 << 30, &games);
    let segment = &built.segment;
    let all: Vec<u32> = (0..segment.games).collect();
    let far: Vec<u32> = (0..segment.games).step_by(400).collect();
    let watched = |ahead| Watched { pages: &built.pages, ahead, seen: RefCell::default() };
    let mut answers = Vec::new();
    for ahead in [0, 1, 7, 1000] {
        let mut found = Vec::new();
        // Nothing can announce the first pages of each kind.
        let expect = |pages: &Watched<'_>, kind: Kind, first: usize| {
            let (read, unannounced, in_vain) = pages.count(kind);
            assert!(read > 3 && in_vain == 0, "{kind:?}: {read} read, {in_vain} announced in vain");
            assert_eq!(unannounced, if ahead == 0 { read } else { first }, "of {read} {kind:?}");
        };
        let pages = watched(ahead);
        segment.each_row(&pages, |game, row| found.push((game, row.block))).unwrap();
        expect(&pages, Kind::Rows, 1);
        for games in [&all, &far] {
            let pages = watched(ahead);
            segment.rows(&pages, games, |game, row| found.push((game, row.block))).unwrap();
            expect(&pages, Kind::Rows, 1);
            let pages = watched(ahead);
            let values =
                |attributes: &Attributes<'_>, games: &[u32]| found.push((attributes.first, games.len() as u32));
            segment.attributes(&pages, games, values).unwrap();
            expect(&pages, Kind::Attributes, 1);
        }
        let pages = watched(ahead);
        let mut ranked = RankedGames::new(segment, Ranking::Day).unwrap();
        let mut portion = Vec::new();
        while ranked.next(&pages, segment, &mut portion).unwrap() {
            found.extend(portion.iter().map(|game| (*game, 1)));
        }
        expect(&pages, Kind::Ranking, 1);
        answers.push(found);
        let pages = watched(ahead);
        assert_eq!(check(&pages, segment.number, segment.pages - 1), Ok(*segment));
    }
    assert!(answers.iter().all(|found| *found == answers[0]));
}
