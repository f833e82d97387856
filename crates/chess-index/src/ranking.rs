//! The games of a segment in the order of a number, so that a search finds the highest games of a long list without a look at
//! each.
//!
//! Takes the attributes of games 0, 1, …; returns pages, and walks over the games in portions. A portion has games of one
//! stretch of 262,144, highest first, and no portion begins higher than the one before. The first ones of a stretch are
//! short, because most walks end there; later ones fill a page. Stretches bound the memory of a build: 16 bytes for each of
//! their games, and 16 for each portion.
//!
//! The games of a page, after the page head:
//!
//! | bytes | |
//! |---|---|
//! | 4 | first game of the stretch |
//! | 3 each | games, less the first one: highest number first, ascending where numbers are equal |
//!
//! A page of the catalog of a ranking, highest first:
//!
//! | bytes | |
//! |---|---|
//! | 16 each | portions: number of the first game (8), page (4), place of the game in the page (2), number of games (2) |
//!
//! The pages of both catalogs follow each other. Dead games are included.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::attributes::{Attributes, Value};
use crate::directory::DirectoryWalk;
use crate::fault::{Broken, Fault};
use crate::page::{self, Kind, Page, u32_at};
use crate::segment::{Rankings, Segment};
use crate::sink::{PageNumbers, Sink};
use crate::source::{Pages, announce_last, read_page};
use crate::summed::{Ranking, SUMMED, summed};

/// Games in a stretch, except for the last one.
pub const STRETCH: u32 = 1 << 18;
/// Most bytes of memory that the numbers of a stretch take.
pub(crate) const BYTES: usize = Ranking::ALL.len() * STRETCH as usize * size_of::<i64>();
const HEAD: usize = 4;
const PLACE: usize = 3;
const PORTION: usize = 16;
/// How the first page of a stretch is divided into portions, in sixteenths of the games of a page. Each other page is one
/// portion.
const FIRST_PORTIONS: [usize; 5] = [1, 1, 2, 4, 8];

/// Games that are in one page, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Portion {
    /// The number of the first game, the highest one.
    number: i64,
    page: u32,
    at: u16,
    games: u16,
}

impl Portion {
    fn write(&self, content: &mut Vec<u8>) {
        content.extend(self.number.to_le_bytes());
        content.extend(self.page.to_le_bytes());
        content.extend(self.at.to_le_bytes());
        content.extend(self.games.to_le_bytes());
    }

    fn read(bytes: &[u8; PORTION]) -> Portion {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *bytes;
        Portion {
            number: i64::from_le_bytes([a, b, c, d, e, f, g, h]),
            page: u32::from_le_bytes([i, j, k, l]),
            at: u16::from_le_bytes([m, n]),
            games: u16::from_le_bytes([o, p]),
        }
    }
}

/// Returns how many games a page holds: as many as it has room for, rounded down to a multiple of 16, so that portions are
/// whole sixteenths.
fn games_a_page(room: usize) -> usize {
    (room - page::HEAD - HEAD) / PLACE / 16 * 16
}

/// Ranks the games of a stretch by their numbers. Returns their places in the stretch, those of equal games ascending.
fn ranked(numbers: &[i64]) -> Vec<u32> {
    let mut places: Vec<u32> = (0..numbers.len() as u32).collect();
    places.sort_by_key(|place| Reverse(numbers[*place as usize]));
    places
}

/// Returns the bytes in which a place in a stretch is stored.
fn bytes_of(place: u32) -> [u8; PLACE] {
    let [a, b, c, _] = place.to_le_bytes();
    [a, b, c]
}

/// Writes the rankings of a segment.
#[derive(Debug)]
pub(crate) struct RankingWriter {
    room: usize,
    /// The first game of the open stretch, and the numbers of its games.
    first: u32,
    open: [Vec<i64>; 2],
    portions: [Vec<Portion>; 2],
    pages: u32,
}

impl RankingWriter {
    pub(crate) fn new(room: usize) -> RankingWriter {
        RankingWriter { room, first: 0, open: Default::default(), portions: Default::default(), pages: 0 }
    }

    /// Adds the next game. If this returns true the stretch is full: call [`RankingWriter::flush`].
    pub(crate) fn push(&mut self, values: [Value; SUMMED]) -> bool {
        for (ranking, open) in Ranking::ALL.into_iter().zip(&mut self.open) {
            open.push(ranking.number(values));
        }
        self.open[0].len() == STRETCH as usize
    }

    /// Writes the open stretch.
    pub(crate) fn flush<S: Sink>(&mut self, numbers: &mut PageNumbers, sink: &mut S) -> Result<(), S::Error> {
        let a_page = games_a_page(self.room);
        let games = self.open[0].len();
        for (open, portions) in self.open.iter_mut().zip(&mut self.portions) {
            for (nth, places) in ranked(open).chunks(a_page).enumerate() {
                let page = numbers.take();
                let mut content = page::begin(Kind::Ranking, numbers.segment, page, 0);
                content.extend(self.first.to_le_bytes());
                content.extend(places.iter().flat_map(|place| bytes_of(*place)));
                page::seal(&mut content);
                sink.put(page, &content)?;
                self.pages += 1;
                let sixteenths = if nth == 0 { &FIRST_PORTIONS[..] } else { &[16] };
                let mut at = 0;
                for size in sixteenths.iter().map(|sixteenths| a_page / 16 * sixteenths) {
                    let Some(first) = places.get(at) else { break };
                    let games = size.min(places.len() - at) as u16;
                    let (number, at_first) = (open[*first as usize], at as u16);
                    portions.push(Portion { number, page, at: at_first, games });
                    at += size;
                }
            }
            open.clear();
        }
        self.first += games as u32;
        Ok(())
    }

    /// Writes the rest. Returns `None`, and writes nothing, if there are fewer games than `least` and no full stretch.
    pub(crate) fn finish<S: Sink>(
        mut self,
        least: u32,
        numbers: &mut PageNumbers,
        sink: &mut S,
    ) -> Result<Option<Rankings>, S::Error> {
        if self.first == 0 && (self.open[0].len() as u64) < u64::from(least.max(1)) {
            return Ok(None);
        }
        self.flush(numbers, sink)?;
        let first = numbers.count();
        let mut catalogs = [0; 2];
        for (portions, pages) in self.portions.iter_mut().zip(&mut catalogs) {
            // Equal numbers stay in the order of their pages.
            portions.sort_by_key(|portion| Reverse(portion.number));
            for portions in portions.chunks((self.room - page::HEAD) / PORTION) {
                let number = numbers.take();
                let mut content = page::begin(Kind::Catalog, numbers.segment, number, 0);
                portions.iter().for_each(|portion| portion.write(&mut content));
                page::seal(&mut content);
                sink.put(number, &content)?;
                *pages += 1;
            }
        }
        let pages = self.pages + catalogs[0] + catalogs[1];
        Ok(Some(Rankings { pages, first, catalogs }))
    }
}

/// Returns the portions in a page of a catalog.
fn catalog<'a>(page: &Page<'a>) -> Result<&'a [[u8; PORTION]], Broken> {
    let (portions, rest) = page.body.as_chunks::<PORTION>();
    if page.kind != Kind::Catalog || portions.is_empty() || !rest.is_empty() {
        return Err(Broken("it is not the page of a catalog"));
    }
    Ok(portions)
}

/// Returns the first game of the stretch, and the games of a page less that one.
fn places<'a>(page: &Page<'a>) -> Result<(u32, &'a [[u8; PLACE]]), Broken> {
    let first = u32_at(page.body, 0)?;
    let (places, rest) = page.body.get(HEAD..).unwrap_or_default().as_chunks::<PLACE>();
    if page.kind != Kind::Ranking || places.is_empty() || !rest.is_empty() {
        return Err(Broken("it has no games in an order"));
    }
    Ok((first, places))
}

/// A walk over the games of a segment, highest first.
#[derive(Clone, Debug)]
pub struct RankedGames {
    /// The pages of the catalog that come next.
    pages: std::ops::Range<u32>,
    /// The portions of the open page of the catalog that come next, in reverse order.
    portions: Vec<Portion>,
    /// The number of those whose pages are not announced. Many walks end in the first portion, which announces no others.
    silent: usize,
    has_begun: bool,
}

impl RankedGames {
    /// Begins a walk. Returns `None` if the segment has no rankings.
    pub fn new(segment: &Segment, ranking: Ranking) -> Option<RankedGames> {
        let Rankings { first, catalogs, .. } = segment.rankings?;
        let catalog = |first: u32, pages: u32| first..first.saturating_add(pages);
        let pages = match ranking {
            Ranking::Ratings => catalog(first, catalogs[0]),
            Ranking::Day => catalog(first.saturating_add(catalogs[0]), catalogs[1]),
        };
        Some(RankedGames { pages, portions: Vec::new(), silent: 0, has_begun: false })
    }

    /// Returns the number of the first game of the next portion, which no later game exceeds; `None` at the end.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn next_number<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
    ) -> Result<Option<i64>, Fault<P::Error>> {
        if self.portions.is_empty()
            && let Some(next) = self.pages.next()
        {
            self.portions = read_page(pages, segment.number, next, |page| {
                Ok(catalog(page)?.iter().rev().map(Portion::read).collect())
            })?;
            self.silent = self.portions.len();
        }
        Ok(self.portions.last().map(|portion| portion.number))
    }

    /// Replaces `games` by those of the next portion, highest first. Returns false and no games at the end.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn next<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        games: &mut Vec<u32>,
    ) -> Result<bool, Fault<P::Error>> {
        games.clear();
        self.next_number(pages, segment)?;
        let Some(Portion { page, at, games: count, .. }) = self.portions.pop() else { return Ok(false) };
        if std::mem::replace(&mut self.has_begun, true) {
            announce_last(pages, &self.portions, &mut self.silent, |portion| portion.page);
        }
        read_page(pages, segment.number, page, |page| {
            let (first, places) = places(page)?;
            let places = places.get(usize::from(at)..usize::from(at) + usize::from(count));
            let places = places.ok_or(Broken("a portion is cut off"))?;
            games.extend(places.iter().map(|[a, b, c]| first.saturating_add(u32::from_le_bytes([*a, *b, *c, 0]))));
            let is_sound = games.iter().all(|game| *game < segment.games);
            if is_sound { Ok(true) } else { Err(Broken("a ranking has games that do not exist")) }
        })
    }
}

/// The pages of a ranking, with the portions of each, by the first game of their stretch.
type Stretches = BTreeMap<u32, Vec<(u32, Vec<Portion>)>>;

/// Reads the catalogs of the rankings of a segment; returns the stretches of each ranking, and the number of pages of all.
fn read_catalogs<P: Pages + ?Sized>(
    pages: &P,
    segment: &Segment,
    rankings: &Rankings,
    mut seen: impl FnMut(u32),
) -> Result<(Vec<Stretches>, u32), Fault<P::Error>> {
    let mut count = rankings.catalogs[0].saturating_add(rankings.catalogs[1]);
    let mut stretches = Vec::new();
    let mut next = rankings.first;
    for catalog_pages in rankings.catalogs {
        // The portions of each page, by the first game of its stretch; pages follow each other in a stretch.
        let mut of_pages: BTreeMap<u32, Vec<Portion>> = BTreeMap::new();
        let mut last: Option<Portion> = None;
        for number in next..next.saturating_add(catalog_pages) {
            seen(number);
            read_page(pages, segment.number, number, |page| {
                for portion in catalog(page)?.iter().map(Portion::read) {
                    let order = |of: &Portion| (Reverse(of.number), of.page, of.at);
                    if last.as_ref().map(order) >= Some(order(&portion)) {
                        return Err(Broken("a catalog is not in order"));
                    }
                    last = Some(portion);
                    of_pages.entry(portion.page).or_default().push(portion);
                }
                Ok(())
            })?;
        }
        next = next.saturating_add(catalog_pages);
        let mut of_stretches = Stretches::new();
        for (page, portions) in of_pages {
            seen(page);
            count = count.saturating_add(1);
            let first = read_page(pages, segment.number, page, |page| Ok(places(page)?.0))?;
            of_stretches.entry(first).or_default().push((page, portions));
        }
        stretches.push(of_stretches);
    }
    Ok((stretches, count))
}

/// Checks that the rankings of a segment are those of its attributes. Calls `seen` with each page.
pub(crate) fn check_rankings<P: Pages + ?Sized>(
    pages: &P,
    segment: &Segment,
    seen: impl FnMut(u32),
) -> Result<(), Fault<P::Error>> {
    let Some(rankings) = segment.rankings else { return Ok(()) };
    let damaged = |page, what| Err(Fault::Damaged { page, what });
    let (mut stretches, count) = read_catalogs(pages, segment, &rankings, seen)?;
    let mut numbers: [Vec<i64>; 2] = Default::default();
    let mut first = 0;
    let mut compare = |first: u32, numbers: &[Vec<i64>; 2]| {
        for (of_stretches, numbers) in stretches.iter_mut().zip(numbers) {
            compare_stretch(pages, segment, &of_stretches.remove(&first).unwrap_or_default(), numbers)?;
        }
        Ok(())
    };
    let mut walk = DirectoryWalk::new(segment.number, segment.attributes);
    while let Some((_, number)) = walk.next(pages, |_| ())? {
        let values = read_page(pages, segment.number, number, |page| {
            let attributes = Attributes::read(page, segment.columns)?;
            let games = attributes.first..attributes.first.saturating_add(attributes.count);
            Ok(games.map(|game| summed(&attributes, game)).collect::<Vec<_>>())
        })?;
        for values in values {
            for (ranking, numbers) in Ranking::ALL.into_iter().zip(&mut numbers) {
                numbers.push(ranking.number(values));
            }
            if numbers[0].len() == STRETCH as usize {
                compare(first, &numbers)?;
                first = first.saturating_add(STRETCH);
                numbers.iter_mut().for_each(Vec::clear);
            }
        }
    }
    if !numbers[0].is_empty() {
        compare(first, &numbers)?;
    }
    let left = stretches.iter().find_map(|of_stretches| of_stretches.values().next()?.first());
    match left {
        Some((page, _)) => damaged(*page, "it ranks games that do not exist"),
        None if usize::from(segment.columns) < SUMMED => damaged(rankings.first, "there is nothing to rank by"),
        None if count != rankings.pages => damaged(rankings.first, "the rankings have other pages than they count"),
        None => Ok(()),
    }
}

/// Compares the pages of a stretch with the numbers of its games.
fn compare_stretch<P: Pages + ?Sized>(
    pages: &P,
    segment: &Segment,
    of_pages: &[(u32, Vec<Portion>)],
    numbers: &[i64],
) -> Result<(), Fault<P::Error>> {
    let ranked = ranked(numbers);
    let mut left = ranked.as_slice();
    for (number, portions) in of_pages {
        read_page(pages, segment.number, *number, |page| {
            let (_, places) = places(page)?;
            let (here, rest) = left.split_at_checked(places.len()).ok_or(Broken("a ranking has other games"))?;
            left = rest;
            if !here.iter().zip(places).all(|(place, stored)| bytes_of(*place) == *stored) {
                return Err(Broken("games are ranked wrongly"));
            }
            let mut portions = portions.clone();
            portions.sort_unstable_by_key(|portion| portion.at);
            let mut end = 0;
            for Portion { number, at, games, .. } in portions {
                let first = here.get(usize::from(at)).and_then(|place| numbers.get(*place as usize));
                if usize::from(at) != end || games == 0 || first != Some(&number) {
                    return Err(Broken("a portion is not that of the catalog"));
                }
                end += usize::from(games);
            }
            if end == here.len() { Ok(()) } else { Err(Broken("games are in no portion")) }
        })?;
    }
    let first = of_pages.first().map_or(segment.rankings.map_or(0, |rankings| rankings.first), |(page, _)| *page);
    if left.is_empty() { Ok(()) } else { Err(Fault::Damaged { page: first, what: "a ranking lacks games" }) }
}
