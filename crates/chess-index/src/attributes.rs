//! Attributes: columns of numbers beside the games, such as ratings and results.
//!
//! Takes the values of games 0, 1, …; returns pages that give random access to the values of a game, and tests conditions
//! on them. A value has 32 bits or is NULL. In each page a column takes as many bits as its values need there.
//!
//! Layout after the page head:
//!
//! | bytes | |
//! |---|---|
//! | 4 | first game |
//! | 4 | number of games |
//! | 6 for each column | its lowest value (4), bits of a code (1), 1 if the code 0 is NULL (1) |
//! | | columns: the code of each game, padded with zeros to a whole byte |
//!
//! A code is the value less the lowest one; if the code 0 is NULL, one more than that.

use chess_core::pause;

use crate::bits::{BitWriter, bytes_of, get, width_of};
use crate::directory::DirectoryWalk;
use crate::fault::{Broken, Fault};
use crate::page::{self, Kind, Page, u32_at};
use crate::search::{OfGame, PagesOf};
use crate::segment::Segment;
use crate::source::{Pages, read_page};

/// The value of an attribute; `None` is NULL.
pub type Value = Option<i32>;

/// Most games in a page. Without a limit a page would hold any number of games whose values are all equal.
const MOST_GAMES: usize = 1 << 15;
const HEAD: usize = 8;
const COLUMN: usize = 6;
/// Most bits of a code: a value or NULL.
const MOST_BITS: u32 = 33;

/// The values of the open page in one column.
#[derive(Clone, Debug, Default)]
struct Column {
    values: Vec<Value>,
    /// The lowest and the highest value.
    range: Option<(i32, i32)>,
    has_null: bool,
}

impl Column {
    /// The lowest value and the bits of a code, if this value is added.
    fn shape(&self, value: Value) -> (i32, u32, bool) {
        let has_null = self.has_null || value.is_none();
        let range = match (self.range, value) {
            (Some((least, most)), Some(value)) => Some((least.min(value), most.max(value))),
            (range, value) => range.or(value.map(|value| (value, value))),
        };
        let (least, most) = range.unwrap_or((0, -1));
        (least, width_of((i64::from(most) - i64::from(least) + i64::from(has_null)) as u64), has_null)
    }

    fn push(&mut self, value: Value) {
        self.has_null |= value.is_none();
        if let Some(value) = value {
            let (least, most) = self.range.unwrap_or((value, value));
            self.range = Some((least.min(value), most.max(value)));
        }
        self.values.push(value);
    }
}

/// Writes pages of attributes.
#[derive(Debug)]
pub(crate) struct AttributesWriter {
    room: usize,
    /// First game of the page.
    first: u32,
    count: usize,
    columns: Vec<Column>,
    bits: BitWriter,
}

impl AttributesWriter {
    pub(crate) fn new(room: usize, columns: u16) -> AttributesWriter {
        let columns = vec![Column::default(); usize::from(columns)];
        AttributesWriter { room, first: 0, count: 0, columns, bits: BitWriter::default() }
    }

    /// Whether the values of another game fit into the page. If not, call [`AttributesWriter::finish`] first.
    pub(crate) fn fits(&self, values: &[Value]) -> bool {
        let bytes = |(column, value): (&Column, &Value)| bytes_of((self.count + 1) * column.shape(*value).1 as usize);
        let codes: usize = self.columns.iter().zip(values).map(bytes).sum();
        self.count < MOST_GAMES && page::HEAD + HEAD + COLUMN * self.columns.len() + codes <= self.room
    }

    /// Adds the values of the next game, one for each column.
    pub(crate) fn push(&mut self, values: &[Value]) {
        if self.columns.is_empty() {
            return;
        }
        self.count += 1;
        for (nth, column) in self.columns.iter_mut().enumerate() {
            column.push(values.get(nth).copied().flatten());
        }
    }

    /// The first game of the open page.
    pub(crate) fn first(&self) -> u32 {
        self.first
    }

    /// The value of a game of the open page; NULL for another one.
    pub(crate) fn value(&self, column: usize, game: u32) -> Value {
        let values = &self.columns.get(column)?.values;
        values.get(game.checked_sub(self.first)? as usize).copied().flatten()
    }

    /// Returns the first game of the page, its number and the sealed content, if there are games. The writer continues with
    /// the next game.
    pub(crate) fn finish(&mut self, segment: u32, number: impl FnOnce() -> u32) -> Option<(u32, u32, Vec<u8>)> {
        if self.count == 0 {
            return None;
        }
        let number = number();
        let mut content = page::begin(Kind::Attributes, segment, number, 0);
        content.extend(self.first.to_le_bytes());
        content.extend((self.count as u32).to_le_bytes());
        let mut shapes = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            let (least, width, has_null) = column.shape(column.values.first().copied().flatten());
            content.extend(least.to_le_bytes());
            content.extend([width as u8, u8::from(has_null)]);
            shapes.push((least, width, has_null));
        }
        for (column, (least, width, has_null)) in self.columns.iter_mut().zip(shapes) {
            for value in column.values.drain(..) {
                let above = |value| (i64::from(value) - i64::from(least)) as u64 + u64::from(has_null);
                self.bits.push(value.map_or(0, above), width);
            }
            self.bits.move_to(&mut content);
            *column = Column { values: std::mem::take(&mut column.values), ..Column::default() };
        }
        page::seal(&mut content);
        let first = self.first;
        self.first += self.count as u32;
        self.count = 0;
        Some((first, number, content))
    }
}

/// Where a page has a column.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    /// The first bit of the body.
    pub at: usize,
    pub least: i32,
    /// Bits of a code.
    pub width: u32,
    pub has_null: bool,
}

impl Place {
    /// The value of a code.
    #[inline(always)]
    fn value(&self, code: u64) -> Value {
        let above = code as i64 - i64::from(self.has_null);
        (above >= 0).then(|| (i64::from(self.least) + above) as i32)
    }
}

/// A page of attributes with its head decoded.
#[derive(Clone, Debug)]
pub struct Attributes<'a> {
    /// The first game.
    pub first: u32,
    /// Number of games.
    pub count: u32,
    body: &'a [u8],
    columns: Vec<Place>,
    end: usize,
}

impl<'a> Attributes<'a> {
    /// Reads the head of a page with this number of columns.
    ///
    /// # Errors
    ///
    /// [`Broken`] if it is not such a page, or is cut off.
    pub(crate) fn read(page: &Page<'a>, columns: u16) -> Result<Attributes<'a>, Broken> {
        let body = page.body;
        let (first, count) = (u32_at(body, 0)?, u32_at(body, 4)?);
        if page.kind != Kind::Attributes || count == 0 || count as usize > MOST_GAMES {
            return Err(Broken("it has no attributes"));
        }
        let mut end = HEAD + COLUMN * usize::from(columns);
        let mut places = Vec::with_capacity(columns.into());
        for nth in 0..usize::from(columns) {
            let head = body.get(HEAD + COLUMN * nth..).and_then(|rest| rest.first_chunk::<COLUMN>());
            let head = head.ok_or(Broken("it is cut off"))?;
            let (least, width) = (i32::from_le_bytes([head[0], head[1], head[2], head[3]]), u32::from(head[4]));
            if width > MOST_BITS || head[5] > 1 {
                return Err(Broken("a column has impossible numbers"));
            }
            places.push(Place { at: 8 * end, least, width, has_null: head[5] == 1 });
            end += bytes_of(count as usize * width as usize);
        }
        if end > body.len() {
            return Err(Broken("a column is cut off"));
        }
        Ok(Attributes { first, count, body, columns: places, end })
    }

    /// The value of a game in a column; NULL for a game of another page and for a column that does not exist.
    #[inline]
    pub fn value(&self, column: usize, game: u32) -> Value {
        let nth = game.checked_sub(self.first).filter(|nth| *nth < self.count)?;
        self.column(column).value(nth)
    }

    /// A column, to read many values of it. Each value of a column that does not exist is NULL.
    pub fn column(&self, column: usize) -> ColumnReader<'a> {
        let none = Place { has_null: true, ..Place::default() };
        ColumnReader { body: self.body, place: self.columns.get(column).copied().unwrap_or(none) }
    }

    /// The values of a game in all columns.
    pub fn values(&self, game: u32) -> Vec<Value> {
        (0..self.columns.len()).map(|column| self.value(column, game)).collect()
    }

    /// Whether a game fulfils a condition.
    pub fn is_met(&self, filter: &Filter, game: u32) -> bool {
        filter.within.has(self.value(filter.column, game))
    }

    /// Checks that the columns end with the body, and that no code stands for a value of more than 32 bits.
    ///
    /// # Errors
    ///
    /// [`Broken`] otherwise.
    pub(crate) fn check(&self) -> Result<(), Broken> {
        if self.end != self.body.len() {
            return Err(Broken("a page has more than its attributes"));
        }
        for place in &self.columns {
            for nth in 0..self.count as usize {
                let code = get(self.body, place.at + nth * place.width as usize, place.width);
                let most = (i64::from(i32::MAX) - i64::from(place.least)) as u64 + u64::from(place.has_null);
                if code > most {
                    return Err(Broken("an attribute has more than 32 bits"));
                }
            }
        }
        Ok(())
    }
}

/// A column of a page.
#[derive(Clone, Copy, Debug)]
pub struct ColumnReader<'a> {
    pub(crate) body: &'a [u8],
    pub(crate) place: Place,
}

impl ColumnReader<'_> {
    /// The value of the `nth` game of the page, from 0.
    #[inline]
    pub fn value(&self, nth: u32) -> Value {
        let Place { at, width, .. } = self.place;
        self.place.value(get(self.body, at + nth as usize * width as usize, width))
    }
}

/// A condition on an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Number of the column, from 0.
    pub column: usize,
    /// Which values fulfil it.
    pub within: Within,
}

impl Filter {
    /// Whether the values of a game fulfil it.
    pub fn is_met(&self, values: &[Value]) -> bool {
        self.within.has(values.get(self.column).copied().flatten())
    }
}

/// A set of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Within {
    /// NULL alone.
    Null,
    /// All but NULL.
    NotNull,
    /// Values from the first to the second number of a pair, both included. The pairs are ascending and do not overlap. NULL
    /// is in none.
    Ranges(Vec<(i32, i32)>),
}

impl Within {
    /// The values in any of these ranges of numbers of any size. Both ends belong to a range; it is empty if the first is the
    /// greater.
    pub fn any_of(ranges: impl IntoIterator<Item = (i64, i64)>) -> Within {
        let (lowest, highest) = (i64::from(i32::MIN), i64::from(i32::MAX));
        let clamped = ranges.into_iter().map(|(least, most)| (least.max(lowest), most.min(highest)));
        let mut ranges: Vec<(i64, i64)> = clamped.filter(|(least, most)| least <= most).collect();
        pause::sort(&mut ranges);
        ranges.dedup_by(|next, before| {
            let joins = next.0 <= before.1 + 1;
            before.1 = if joins { before.1.max(next.1) } else { before.1 };
            joins
        });
        Within::Ranges(ranges.into_iter().map(|(least, most)| (least as i32, most as i32)).collect())
    }

    /// The values between two numbers, both included.
    pub fn between(least: i64, most: i64) -> Within {
        Within::any_of([(least, most)])
    }

    /// Whether all numbers from `least` to `most` are in the set, or none is; `None` if some are.
    pub(crate) fn decides(&self, least: i64, most: i64) -> Option<bool> {
        match self {
            Within::Null => Some(false),
            Within::NotNull => Some(true),
            Within::Ranges(ranges) => {
                let meets = |(from, to): &&(i32, i32)| i64::from(*from) <= most && i64::from(*to) >= least;
                let covers = |(from, to): &(i32, i32)| i64::from(*from) <= least && i64::from(*to) >= most;
                ranges.iter().find(meets).map_or(Some(false), |range| covers(range).then_some(true))
            }
        }
    }

    /// Whether a value is in the set.
    #[inline]
    pub fn has(&self, value: Value) -> bool {
        match (self, value) {
            (Within::Null, value) => value.is_none(),
            (Within::NotNull, value) => value.is_some(),
            (Within::Ranges(_), None) => false,
            (Within::Ranges(ranges), Some(value)) => match ranges.as_slice() {
                [(least, most)] => (*least..=*most).contains(&value),
                _ => {
                    let at = ranges.partition_point(|(_, most)| *most < value);
                    ranges.get(at).is_some_and(|(least, _)| *least <= value)
                }
            },
        }
    }
}

impl Segment {
    /// Calls `found` with the attributes of each page that has some of the ascending `games`, and those games.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read or does not have a game.
    pub fn attributes<P: Pages + ?Sized, G: OfGame>(
        &self,
        pages: &P,
        games: &[G],
        mut found: impl FnMut(&Attributes<'_>, &[G]),
    ) -> Result<(), Fault<P::Error>> {
        let mut rest = games;
        let mut next = PagesOf::new(self.number, self.attributes, games);
        while !rest.is_empty() {
            let lacks = Fault::Damaged { page: self.attributes.page, what: "attributes are missing" };
            let here = read_page(pages, self.number, next.next(pages)?.ok_or(lacks)?, |page| {
                let attributes = Attributes::read(page, self.columns)?;
                let is_here = |of: &G| of.game().wrapping_sub(attributes.first) < attributes.count;
                let here = rest.partition_point(is_here);
                if here == 0 {
                    return Err(Broken("attributes are missing"));
                }
                found(&attributes, &rest[..here]);
                Ok(here)
            })?;
            rest = &rest[here..];
        }
        Ok(())
    }

    /// The games that fulfil all conditions, ascending, with the dead ones. Without columns there are none.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn met<P: Pages + ?Sized>(&self, pages: &P, filters: &[Filter]) -> Result<Vec<u32>, Fault<P::Error>> {
        let mut games = Vec::new();
        let mut walk = DirectoryWalk::new(self.number, self.attributes);
        while let Some((_, number)) = walk.next(pages, |_| ())? {
            read_page(pages, self.number, number, |page| {
                let attributes = Attributes::read(page, self.columns)?;
                let end = attributes.first.checked_add(attributes.count).filter(|end| *end <= self.games);
                let all = attributes.first..end.ok_or(Broken("it has attributes of other games"))?;
                games.extend(all.filter(|game| filters.iter().all(|filter| attributes.is_met(filter, *game))));
                Ok(())
            })?;
        }
        Ok(games)
    }

    /// Keeps the games that fulfil all conditions. The games are ascending.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn retain_met<P: Pages + ?Sized>(
        &self,
        pages: &P,
        filters: &[Filter],
        games: &mut Vec<u32>,
    ) -> Result<(), Fault<P::Error>> {
        if filters.is_empty() {
            return Ok(());
        }
        let mut kept = Vec::new();
        self.attributes(pages, games, |attributes, games| {
            let is_met = |game: &&u32| filters.iter().all(|filter| attributes.is_met(filter, **game));
            kept.extend(games.iter().filter(is_met));
        })?;
        *games = kept;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::Codes;
    use crate::segment::MOST_COLUMNS;

    fn written(room: usize, rows: &[Vec<Value>]) -> Vec<(u32, Vec<u8>)> {
        let mut writer = AttributesWriter::new(room, rows[0].len() as u16);
        let (mut pages, mut number) = (Vec::new(), 0);
        let mut finish = |writer: &mut AttributesWriter| {
            if let Some((first, _, content)) = writer.finish(7, || number) {
                number += 1;
                assert!(content.len() <= room);
                pages.push((first, content));
            }
        };
        for row in rows {
            if !writer.fits(row) {
                finish(&mut writer);
            }
            assert!(writer.fits(row));
            writer.push(row);
        }
        finish(&mut writer);
        pages
    }

    #[test]
    fn values_come_back() {
        let (least, most) = (Some(i32::MIN), Some(i32::MAX));
        let tables: Vec<Vec<Vec<Value>>> = vec![
            (0..5000).map(|n| vec![Some(1500 + n * 7 % 1200), (n % 5 > 0).then_some(n % 3), None, Some(1)]).collect(),
            vec![vec![least], vec![most], vec![None], vec![Some(0)], vec![Some(-1)]],
            vec![vec![None]; 40_000],
            (0..3000)
                .map(|n| (0..MOST_COLUMNS as i32).map(|column| Some((n * column).wrapping_mul(99_991))).collect())
                .collect(),
            vec![vec![most, least], vec![least, most]],
        ];
        for rows in tables {
            for room in [page::MIN_ROOM, 8160] {
                let mut game = 0;
                for (first, content) in written(room, &rows) {
                    let page = Page::read(&content).unwrap();
                    let attributes = Attributes::read(&page, rows[0].len() as u16).unwrap();
                    attributes.check().unwrap();
                    assert_eq!((attributes.first, first), (game, game));
                    for _ in 0..attributes.count {
                        assert_eq!(attributes.values(game), rows[game as usize]);
                        game += 1;
                    }
                    assert_eq!((attributes.value(0, game), attributes.value(99, first)), (None, None));
                    for column in 0..rows[0].len() {
                        let wanted: Vec<_> =
                            rows[first as usize..game as usize].iter().map(|row| row[column]).collect();
                        let mut codes = Codes::default();
                        let has_all = [None, least, most].iter().all(|value| wanted.contains(value));
                        assert_eq!(attributes.column(column).has_codes(), !has_all);
                        codes.read(attributes.column(column), attributes.count);
                        assert!(has_all || codes.values().eq(wanted));
                    }
                }
                assert_eq!(game as usize, rows.len());
            }
        }
    }

    #[test]
    fn damaged_pages_are_errors_or_values() {
        let rows: Vec<Vec<Value>> = (0..50).map(|n| vec![Some(n * 1000), None, Some(i32::MAX - n)]).collect();
        let (_, content) = written(page::MIN_ROOM, &rows).remove(0);
        for at in page::HEAD..content.len() {
            for value in [0, 1, 33, 34, 127, 255] {
                let mut bytes = content.clone();
                bytes[at] = value;
                for bytes in [&bytes[..], &bytes[..at]] {
                    let Ok(page) = Page::read(bytes) else { continue };
                    if let Ok(attributes) = Attributes::read(&page, 3) {
                        let _ = attributes.check();
                        (0..60).for_each(|game| drop(attributes.values(game)));
                        let mut codes = Codes::default();
                        codes.read(attributes.column(1), attributes.count);
                        codes.values().for_each(drop);
                    }
                }
            }
        }
    }

    #[test]
    fn conditions_hold_for_their_values() {
        let all = [None, Some(i32::MIN), Some(-3), Some(0), Some(7), Some(8), Some(i32::MAX)];
        let met = |within: &Within| all.iter().copied().filter(|value| within.has(*value)).collect::<Vec<_>>();
        assert_eq!(met(&Within::Null), [None]);
        assert_eq!(met(&Within::NotNull), all[1..]);
        assert_eq!(met(&Within::between(i64::MIN, i64::MAX)), all[1..]);
        assert_eq!(met(&Within::between(-3, 7)), all[2..5]);
        assert_eq!(met(&Within::between(8, 7)), []);
        assert_eq!(met(&Within::between(1 << 31, i64::MAX)), []);
        assert_eq!(met(&Within::between(i64::MIN, -(1 << 31))), [Some(i32::MIN)]);
        assert_eq!(met(&Within::any_of([(8, 8), (-3, -3), (8, 8), (1 << 40, 1 << 41)])), [Some(-3), Some(8)]);
        assert_eq!(met(&Within::any_of([])), []);
        assert_eq!(Within::any_of([(5, 9), (1, 2), (3, 3), (8, 12), (20, 19)]), Within::Ranges(vec![(1, 3), (5, 12)]));
    }
}
