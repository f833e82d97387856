//! Sums over the games of a long list, so that a question about its position need not read each game.
//!
//! Takes the sums of exact lists in the order of their hashes; returns pages that give the sums of a list. They cover the
//! first [`SUMMED`](crate::summed::SUMMED) columns of attributes, which are taken for the ratings of White and Black, the result, and the day. A
//! list has a sum for each of its notes and each result, and its first games by each [`Ranking`].
//! Dead games are included: the reader subtracts them.
//!
//! Layout after the page head:
//!
//! | bytes | |
//! |---|---|
//! | 2 | number of lists |
//! | 10 each | lists: hash (8), end of its part of the body (2) |
//! | | the number of sums of each list, its sums in ascending order of note and result, and its leaders |
//!
//! Leaders, for each ranking: their number; for each, ascending, the game less the one before, and the place of its note and
//! result among the sums. Pages without leaders, of kind [`Kind::Sums`], have neither them nor the number of sums. In pages of
//! kind [`Kind::Grouped`] the number of the pages with the [groups](crate::groups) of the list follows, and the first of these
//! pages, if there are any.
//!
//! All are numbers of seven bits a byte, lowest first, with the top bit set in all bytes but the last. A sum: note;
//! result; number of games; number and sum of the positive ratings of White; the same of Black; latest day; the game, only
//! if it is the only one. Results and days are 0 for NULL, otherwise 1 + 2 n for n >= 0 and -2 n for n < 0.

use chess_core::search::hybrid_keys::Note;

use crate::attributes::Value;
use crate::directory::{self, DirectoryWalk};
use crate::fault::{Broken, Fault};
use crate::key::key_of;
use crate::page::{self, Kind, Page, u16_at, u64_at};
use crate::segment::{MOST_GAMES, Segment};
use crate::source::{Pages, read_page};
use crate::summed::Ranking;

const HEAD: usize = 2;
const LIST: usize = 10;

/// The sum of the games of a list with one note and one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The note of the games in the list.
    pub note: Note,
    /// The result.
    pub result: Value,
    /// Number of games, at least one.
    pub games: u32,
    /// Number of positive ratings of White and of Black.
    pub rated: [u32; 2],
    /// Sum of the positive ratings of White and of Black.
    pub ratings: [u64; 2],
    /// The latest day; NULL if all are.
    pub day: Value,
    /// The game, if there is one. Otherwise 0.
    pub game: u32,
}

impl Sum {
    /// Sums of a list are in the order of this.
    pub fn order(&self) -> (u32, Value) {
        (self.note.bits(), self.result)
    }

    /// Adds other games with the same note and result.
    pub(crate) fn join(&mut self, other: &Sum) {
        self.games = self.games.saturating_add(other.games);
        for side in 0..2 {
            self.rated[side] = self.rated[side].saturating_add(other.rated[side]);
            self.ratings[side] = self.ratings[side].saturating_add(other.ratings[side]);
        }
        self.day = self.day.max(other.day);
        self.game = if self.games == 1 { other.game } else { 0 };
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        write(self.note.bits().into(), bytes);
        write(of_value(self.result), bytes);
        self.write_figures(bytes);
    }

    /// Appends all but the note and the result.
    pub(crate) fn write_figures(&self, bytes: &mut Vec<u8>) {
        let rated = self.rated.map(u64::from);
        let only = (self.games == 1).then_some(self.game.into());
        let numbers = [self.games.into(), rated[0], self.ratings[0], rated[1], self.ratings[1], of_value(self.day)];
        numbers.into_iter().chain(only).for_each(|number| write(number, bytes));
    }

    fn read(bytes: &mut &[u8]) -> Result<Sum, Broken> {
        let note = number(bytes)?;
        let result = value(number(bytes)?)?;
        let note = u32::try_from(note).ok().filter(|note| *note < 1 << Note::BITS).ok_or(Broken(IMPOSSIBLE))?;
        Sum::read_figures(Note::from_bits(note), result, bytes)
    }

    /// Takes all but the note and the result off the front.
    pub(crate) fn read_figures(note: Note, result: Value, bytes: &mut &[u8]) -> Result<Sum, Broken> {
        let games = number(bytes)?;
        let [white, white_ratings, black, black_ratings] =
            [number(bytes)?, number(bytes)?, number(bytes)?, number(bytes)?];
        let day = value(number(bytes)?)?;
        let game = if games == 1 { number(bytes)? } else { 0 };
        let most = |rated: u64| rated * i32::MAX as u64;
        let is_sound = (1..=MOST_GAMES.into()).contains(&games)
            && white <= games
            && black <= games
            && white_ratings <= most(white)
            && black_ratings <= most(black)
            && game < MOST_GAMES.into();
        is_sound
            .then_some(Sum {
                note,
                result,
                games: games as u32,
                rated: [white as u32, black as u32],
                ratings: [white_ratings, black_ratings],
                day,
                game: game as u32,
            })
            .ok_or(Broken(IMPOSSIBLE))
    }
}

const IMPOSSIBLE: &str = "a sum has impossible numbers";

/// What is stored about a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListSums {
    /// The sums, ascending by [`Sum::order`].
    pub sums: Vec<Sum>,
    /// For each ranking the leaders: games, ascending, each with the place of its sum. None if too many games are equal.
    pub leaders: Option<[Vec<(u32, u32)>; 2]>,
}

impl ListSums {
    /// The first games of the list in a ranking, with their notes: [`LEADERS`](crate::leaders::LEADERS) and those that are equal
    /// to the last of them. Empty if they are not stored.
    pub fn leaders(&self, ranking: Ranking) -> impl Iterator<Item = (u32, Note)> {
        let leaders = self.leaders.iter().flat_map(move |[ratings, day]| match ranking {
            Ranking::Ratings => ratings,
            Ranking::Day => day,
        });
        leaders.filter_map(|(game, sum)| Some((*game, self.sums.get(*sum as usize)?.note)))
    }

    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        write(self.sums.len() as u64, bytes);
        self.sums.iter().for_each(|sum| sum.write(bytes));
        for leaders in self.leaders.iter().flatten() {
            write(leaders.len() as u64, bytes);
            let mut before = 0;
            for (game, sum) in leaders {
                write(u64::from(*game - before), bytes);
                write((*sum).into(), bytes);
                before = *game;
            }
        }
    }

    fn read_leaders(&mut self, bytes: &mut &[u8]) -> Result<(), Broken> {
        let mut leaders: [Vec<(u32, u32)>; 2] = Default::default();
        for leaders in &mut leaders {
            for _ in 0..number(bytes)? {
                let before = leaders.last().map(|(game, _)| *game);
                let game =
                    number(bytes)?.checked_add(before.unwrap_or(0).into()).filter(|game| *game < MOST_GAMES.into());
                let sum = number(bytes)?;
                let is_sound = before.map(u64::from) < game && sum < self.sums.len() as u64;
                let game = game.filter(|_| is_sound).ok_or(Broken("a leader is impossible"))?;
                leaders.push((game as u32, sum as u32));
            }
        }
        self.leaders = Some(leaders);
        Ok(())
    }
}

/// Appends a number.
pub(crate) fn write(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number off the front.
pub(crate) fn number(bytes: &mut &[u8]) -> Result<u64, Broken> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let (first, rest) = bytes.split_first().ok_or(Broken("a sum is cut off"))?;
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        if *first < 0x80 {
            return Ok(number);
        }
    }
    Err(Broken(IMPOSSIBLE))
}

/// A value as a number: 0 for NULL.
pub(crate) fn of_value(value: Value) -> u64 {
    value.map_or(0, |value| ((value << 1 ^ value >> 31) as u32 as u64) + 1)
}

/// The value of a number.
pub(crate) fn value(number: u64) -> Result<Value, Broken> {
    let Some(number) = number.checked_sub(1) else { return Ok(None) };
    let number = u32::try_from(number).map_err(|_| Broken(IMPOSSIBLE))?;
    Ok(Some((number >> 1) as i32 ^ -((number & 1) as i32)))
}

/// Writes pages of sums.
#[derive(Debug)]
pub(crate) struct SumsWriter {
    room: usize,
    /// Whether lists may have groups.
    has_groups: bool,
    /// The lists of the open page: hash, end of the sums in `bytes`.
    lists: Vec<(u64, usize)>,
    bytes: Vec<u8>,
}

/// Most bytes that say where the groups of a list are.
const GROUPS: usize = 10;

impl SumsWriter {
    pub(crate) fn new(room: usize, has_groups: bool) -> SumsWriter {
        SumsWriter { room, has_groups, lists: Vec::new(), bytes: Vec::new() }
    }

    /// Whether the sums of the next list, written as these bytes, fit into the page.
    pub(crate) fn fits(&self, sums: &[u8]) -> bool {
        let groups = if self.has_groups { GROUPS } else { 0 };
        let lists = HEAD + LIST * (self.lists.len() + 1);
        page::HEAD + lists + self.bytes.len() + sums.len() + groups <= self.room
    }

    /// Adds the sums of the next list, which fit, and where its groups are.
    pub(crate) fn push(&mut self, hash: u64, sums: &[u8], groups: Option<GroupPages>) {
        self.bytes.extend(sums);
        if self.has_groups {
            write(groups.map_or(0, |groups| groups.count.into()), &mut self.bytes);
            groups.iter().for_each(|groups| write(groups.first.into(), &mut self.bytes));
        }
        self.lists.push((hash, self.bytes.len()));
    }

    /// The hash of the last list of the page.
    pub(crate) fn last(&self) -> Option<u64> {
        self.lists.last().map(|(hash, _)| *hash)
    }

    /// Returns the hash of the first list, the number of the page and its sealed content, if there are lists.
    pub(crate) fn finish(&mut self, segment: u32, number: impl FnOnce() -> u32) -> Option<(u64, u32, Vec<u8>)> {
        let (first, _) = *self.lists.first()?;
        let number = number();
        let kind = if self.has_groups { Kind::Grouped } else { Kind::Leaders };
        let mut content = page::begin(kind, segment, number, 0);
        content.extend((self.lists.len() as u16).to_le_bytes());
        let begin = HEAD + LIST * self.lists.len();
        for (hash, end) in self.lists.drain(..) {
            content.extend(hash.to_le_bytes());
            content.extend(((begin + end) as u16).to_le_bytes());
        }
        content.append(&mut self.bytes);
        page::seal(&mut content);
        Some((first, number, content))
    }
}

/// The pages that have the sums of a list by groups, which follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupPages {
    pub first: u32,
    pub count: u32,
}

/// The sums of a list, and where its groups are.
pub(crate) type Stored = (ListSums, Option<GroupPages>);

/// A page of sums.
struct SumsPage<'a> {
    body: &'a [u8],
    count: usize,
    has_leaders: bool,
    has_groups: bool,
}

impl<'a> SumsPage<'a> {
    fn read(page: &Page<'a>) -> Result<SumsPage<'a>, Broken> {
        let count = usize::from(u16_at(page.body, 0)?);
        let has_groups = page.kind == Kind::Grouped;
        let has_leaders = has_groups || page.kind == Kind::Leaders;
        if !has_leaders && page.kind != Kind::Sums || count == 0 || HEAD + LIST * count > page.body.len() {
            return Err(Broken("it has no sums"));
        }
        Ok(SumsPage { body: page.body, count, has_leaders, has_groups })
    }

    fn hash(&self, nth: usize) -> Result<u64, Broken> {
        u64_at(self.body, HEAD + LIST * nth)
    }

    fn end(&self, nth: usize) -> Result<usize, Broken> {
        u16_at(self.body, HEAD + LIST * nth + 8).map(usize::from)
    }

    fn find(&self, hash: u64) -> Result<Option<usize>, Broken> {
        let (mut from, mut to) = (0, self.count);
        while from < to {
            let middle = (from + to) / 2;
            match self.hash(middle)?.cmp(&hash) {
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Equal => return Ok(Some(middle)),
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        Ok(None)
    }

    fn sums(&self, nth: usize) -> Result<Stored, Broken> {
        let begin = nth.checked_sub(1).map_or(Ok(HEAD + LIST * self.count), |before| self.end(before))?;
        let mut bytes = self.body.get(begin..self.end(nth)?).ok_or(Broken("sums are cut off"))?;
        let mut sums: Vec<Sum> = Vec::new();
        let mut games = 0u32;
        let count = if self.has_leaders { number(&mut bytes)? } else { u64::MAX };
        while !bytes.is_empty() && (sums.len() as u64) < count {
            let sum = Sum::read(&mut bytes)?;
            if sums.last().is_some_and(|last| last.order() >= sum.order()) {
                return Err(Broken("sums are not ascending"));
            }
            games = games
                .checked_add(sum.games)
                .filter(|games| *games <= MOST_GAMES)
                .ok_or(Broken("sums have too many games"))?;
            sums.push(sum);
        }
        let mut sums = ListSums { sums, leaders: None };
        if self.has_leaders {
            sums.read_leaders(&mut bytes)?;
        }
        let mut groups = None;
        if self.has_groups {
            let number = |bytes: &mut &[u8]| u32::try_from(number(bytes)?).map_err(|_| Broken(IMPOSSIBLE));
            let count = number(&mut bytes)?;
            if count > 0 {
                groups = Some(GroupPages { first: number(&mut bytes)?, count });
            }
        }
        if bytes.is_empty() { Ok((sums, groups)) } else { Err(Broken("a list has more than its sums")) }
    }

    /// Checks that the sums end with the body.
    fn check(&self) -> Result<(), Broken> {
        let is_end = self.end(self.count - 1)? == self.body.len();
        if is_end { Ok(()) } else { Err(Broken("a page has more than its sums")) }
    }
}

impl Segment {
    /// The sums of the exact list of a position key; `None` if none are stored.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn sums<P: Pages + ?Sized>(&self, pages: &P, hash: u64) -> Result<Option<ListSums>, Fault<P::Error>> {
        Ok(self.list_sums(pages, hash)?.map(|(sums, _)| sums))
    }

    /// The sums of the exact list of a position key, and where its groups are.
    pub(crate) fn list_sums<P: Pages + ?Sized>(&self, pages: &P, hash: u64) -> Result<Option<Stored>, Fault<P::Error>> {
        let Some(stored) = self.sums else { return Ok(None) };
        let Some(number) = directory::find(pages, self.number, stored.root, key_of(hash))? else { return Ok(None) };
        read_page(pages, self.number, number, |page| {
            let page = SumsPage::read(page)?;
            page.find(hash)?.map(|nth| self.possible(page.sums(nth)?)).transpose()
        })
    }

    /// What is stored about a list, unless its groups would be in pages that the segment does not have.
    fn possible(&self, stored: Stored) -> Result<Stored, Broken> {
        let end = |groups: GroupPages| groups.first.checked_add(groups.count);
        let is_possible = stored.1.is_none_or(|groups| end(groups).is_some_and(|end| end <= self.pages));
        is_possible.then_some(stored).ok_or(Broken("the groups of a list are in pages that do not exist"))
    }

    /// Calls `found` with the hash of each list that has sums and what is stored about it, and `seen` with each page.
    pub(crate) fn each_sums<P: Pages + ?Sized>(
        &self,
        pages: &P,
        mut seen: impl FnMut(u32),
        mut found: impl FnMut(u64, Stored),
    ) -> Result<(), Fault<P::Error>> {
        let Some(stored) = self.sums else { return Ok(()) };
        let mut walk = DirectoryWalk::new(self.number, stored.root);
        let mut last = None;
        // More pages than the segment has belong to two lists.
        let mut left = self.pages;
        while let Some((first, number)) = walk.next(pages, &mut seen)? {
            seen(number);
            let mut groups = Vec::new();
            read_page(pages, self.number, number, |page| {
                let page = SumsPage::read(page)?;
                page.check()?;
                if key_of(page.hash(0)?) != first {
                    return Err(Broken("sums are not those of the directory"));
                }
                for nth in 0..page.count {
                    let hash = page.hash(nth)?;
                    if last >= Some(hash) {
                        return Err(Broken("lists with sums are not ascending"));
                    }
                    last = Some(hash);
                    let stored = self.possible(page.sums(nth)?)?;
                    let count = stored.1.map_or(0, |groups| groups.count);
                    left = left.checked_sub(count).ok_or(Broken("lists share pages of groups"))?;
                    groups.extend(stored.1);
                    found(hash, stored);
                }
                Ok(())
            })?;
            groups.iter().flat_map(|groups| groups.first..groups.first + groups.count).for_each(&mut seen);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_come_back() {
        for has_groups in [false, true] {
            come_back(has_groups);
        }
    }

    fn come_back(has_groups: bool) {
        let (least, most) = (Some(i32::MIN), Some(i32::MAX));
        let sum = |note, result, games, rated, ratings, day, game| Sum {
            note: Note::from_bits(note),
            result,
            games,
            rated,
            ratings,
            day,
            game,
        };
        let many = u64::from(MOST_GAMES) * i32::MAX as u64;
        let sums = [
            sum(0, None, 1, [0, 0], [0, 0], None, 0),
            sum(0, Some(0), 7, [7, 1], [7 * 2851, 1], Some(-1), 0),
            sum(127, least, 1, [1, 0], [i32::MAX as u64, 0], least, MOST_GAMES - 1),
            sum(128, most, MOST_GAMES - 9, [MOST_GAMES - 9, 0], [many - 9 * i32::MAX as u64, 0], most, 0),
        ];
        let of = |sums: &[Sum], leaders: [&[(u32, u32)]; 2]| ListSums {
            sums: sums.to_vec(),
            leaders: Some(leaders.map(<[(u32, u32)]>::to_vec)),
        };
        let written = |sums: &ListSums| {
            let mut bytes = Vec::new();
            sums.write(&mut bytes);
            bytes
        };
        let first = of(&sums[1..], [&[], &[]]);
        let second = of(&sums[..3], [&[(0, 0), (1, 2), (MOST_GAMES - 1, 1)], &[(300, 2)]]);
        let others = of(&sums, [&[(70_000, 3)], &[(0, 1), (128, 0)]]);
        let mut writer = SumsWriter::new(page::MIN_ROOM, has_groups);
        let groups = has_groups.then_some(GroupPages { first: 300, count: 2 });
        writer.push(5 << 30, &written(&first), groups);
        writer.push(5 << 30 | 1, &written(&second), None);
        let mut lists = 2;
        while writer.fits(&written(&others)) {
            writer.push((5 << 30) + lists, &written(&others), groups);
            lists += 1;
        }
        assert_eq!(writer.last(), Some((5 << 30) + lists - 1));
        let (hash, number, content) = writer.finish(7, || 3).unwrap();
        assert_eq!((hash, number), (5 << 30, 3));
        assert!(content.len() <= page::MIN_ROOM && writer.finish(7, || 4).is_none());
        let page = SumsPage::read(&Page::read(&content).unwrap()).unwrap();
        page.check().unwrap();
        assert_eq!(page.count as u64, lists);
        for (nth, wanted, groups) in [(0, &first, groups), (1, &second, None), (lists as usize - 1, &others, groups)] {
            assert_eq!(page.find((5 << 30) + nth as u64), Ok(Some(nth)));
            assert_eq!(page.sums(nth).unwrap(), (wanted.clone(), groups));
        }
        assert_eq!(second.leaders(Ranking::Day).collect::<Vec<_>>(), [(300, sums[2].note)]);
        assert_eq!(page.find(5 << 30 | 999), Ok(None));
    }
}
