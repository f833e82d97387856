//! Sums over the games of a long list by groups of their attributes, so that a question with conditions need not read each game.
//!
//! Takes the sums of a list by groups, notes and results; returns pages that give the sums of the games that meet conditions.
//! These are the sums of whole groups. Where a condition holds for some games of a group only, the reader must look at the games.
//!
//! Layout after the page head:
//!
//! | bytes | |
//! |---|---|
//! | 8 | hash of the list |
//! | 1 | number of columns that games are grouped by |
//! | 2 each | these columns: number (1), how they are grouped ([`Grouping`]) (1) |
//! | | groups, ascending |
//!
//! A group: for each of these columns 0 for NULL, otherwise the number of the group of its value as in a sum; the number of its
//! sums; the sums, ascending. A group may go on in the next page, where it begins anew. A sum: the place of its note and result
//! among the sums of the list, less those before it in the group here and less their places between; then as the sums of a list
//! from the number of games on. All are numbers of seven bits a byte.

use crate::attributes::{Filter, Value};
use crate::fault::{Broken, Fault};
use crate::grouping::{Group, Grouping, Groupings};
use crate::page::{self, Kind, Page, u64_at};
use crate::segment::Segment;
use crate::sink::{PageNumbers, Sink};
use crate::source::{Pages, read_page};
use crate::summed::RESULT;
use crate::sums::{GroupPages, Sum, number, of_value, value, write};

const HEAD: usize = 9;
const COLUMN: usize = 2;

/// A list has sums by groups if it has at least this many times the games that a list with sums has.
pub(crate) const LEAST: u32 = 16;
/// So many games a list must have on average for each of these sums: with more of them, it takes less time to read the games.
pub(crate) const GAMES_OF_SUM: usize = 16;
/// A list with more sums by groups has none. It limits the memory that they take while they are made.
pub(crate) const MOST: usize = 1 << 16;

/// What the games of a list that are in one group, with one note and one result, add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupSum {
    pub group: Group,
    pub sum: Sum,
}

impl GroupSum {
    /// What sums by groups are stored in the order of.
    pub(crate) fn order(&self) -> (Group, (u32, Value)) {
        (self.group, self.sum.order())
    }
}

/// The part of a group that goes into one page.
#[derive(Default)]
struct Piece {
    group: Group,
    count: u64,
    /// The first place that the next sum can have.
    next: usize,
    bytes: Vec<u8>,
}

impl Piece {
    fn move_to(&mut self, groupings: &Groupings, content: &mut Vec<u8>) {
        if self.count > 0 {
            let columns = groupings.columns().count();
            self.group[..columns].iter().for_each(|number| write(of_value(*number), content));
            write(self.count, content);
            content.append(&mut self.bytes);
        }
        *self = Piece { group: self.group, ..Piece::default() };
    }
}

/// Most bytes of a number with 33 bits.
const MOST_BYTES: usize = 5;

/// Writes the sums of a list by groups. They are ascending, and `sums` are those of the whole list.
pub(crate) fn write_groups<S: Sink>(
    (hash, sums): (u64, &[Sum]),
    groupings: &Groupings,
    groups: &[GroupSum],
    room: usize,
    numbers: &mut PageNumbers,
    sink: &mut S,
) -> Result<GroupPages, S::Error> {
    let begin = |number| {
        let mut content = page::begin(Kind::Groups, numbers.segment, number, 0);
        content.extend(hash.to_le_bytes());
        content.push(groupings.columns().count() as u8);
        content.extend(groupings.columns().flat_map(|(column, grouping)| [column, grouping as u8]));
        content
    };
    let head = MOST_BYTES * (groupings.columns().count() + 1);
    let first = numbers.count();
    let (mut content, mut piece) = (begin(first), Piece::default());
    let mut full = Vec::new();
    for GroupSum { group, sum } in groups {
        if piece.group != *group {
            piece.move_to(groupings, &mut content);
            piece.group = *group;
        }
        let place = sums.binary_search_by_key(&sum.order(), Sum::order).unwrap_or_default();
        let mut bytes = Vec::new();
        write((place - piece.next) as u64, &mut bytes);
        sum.write_figures(&mut bytes);
        if content.len() + head + piece.bytes.len() + bytes.len() > room {
            piece.move_to(groupings, &mut content);
            full.push(std::mem::replace(&mut content, begin(first + full.len() as u32 + 1)));
            bytes.clear();
            write(place as u64, &mut bytes);
            sum.write_figures(&mut bytes);
        }
        piece.bytes.append(&mut bytes);
        (piece.count, piece.next) = (piece.count + 1, place + 1);
    }
    piece.move_to(groupings, &mut content);
    full.push(content);
    for mut content in full {
        page::seal(&mut content);
        sink.put(numbers.take(), &content)?;
    }
    Ok(GroupPages { first, count: numbers.count() - first })
}

/// Whether a reader takes the sums of a group, or skips them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    Take,
    Pass,
    /// Nothing more is read.
    Stop,
}

/// Calls `found` with the sums in a page of those groups that `choose` takes. Returns false if it stops.
fn read_groups(
    page: &Page<'_>,
    (hash, sums): (u64, &[Sum]),
    choose: &mut impl FnMut(&Groupings, &Group) -> Choice,
    found: &mut impl FnMut(usize, GroupSum) -> Result<(), Broken>,
) -> Result<bool, Broken> {
    let body = page.body;
    if page.kind != Kind::Groups || u64_at(body, 0)? != hash {
        return Err(Broken("it has no groups of the list"));
    }
    let end = HEAD + COLUMN * usize::from(*body.get(HEAD - 1).ok_or(Broken("it is cut off"))?);
    let columns = body.get(HEAD..end).ok_or(Broken("it is cut off"))?.as_chunks::<COLUMN>().0;
    let known = |[column, how]: &[u8; COLUMN]| Some((*column, Grouping::of_number(*how)?));
    let groupings = Groupings::new(columns.iter().map_while(known));
    let count = groupings.columns().count();
    if count == 0 || count != columns.len() {
        return Err(Broken("games are grouped in a way that this version does not know"));
    }
    let mut bytes = &body[end..];
    while !bytes.is_empty() {
        let mut group = Group::default();
        for number_of in &mut group[..count] {
            *number_of = value(number(&mut bytes)?)?;
        }
        let choice = choose(&groupings, &group);
        if choice == Choice::Stop {
            return Ok(false);
        }
        let mut next = 0;
        for _ in 0..number(&mut bytes)? {
            let place = number(&mut bytes)?.checked_add(next).filter(|place| *place < sums.len() as u64);
            let place = place.ok_or(Broken("a group has a sum that its list does not have"))?;
            next = place + 1;
            let of_list = &sums[place as usize];
            let sum = Sum::read_figures(of_list.note, of_list.result, &mut bytes)?;
            if choice == Choice::Take {
                found(place as usize, GroupSum { group, sum })?;
            }
        }
    }
    Ok(true)
}

impl Segment {
    /// Calls `found` with the sums of a list of those groups that `choose` takes. Returns false if it stops.
    pub(crate) fn each_group<P: Pages + ?Sized>(
        &self,
        pages: &P,
        of: GroupPages,
        list: (u64, &[Sum]),
        mut choose: impl FnMut(&Groupings, &Group) -> Choice,
        mut found: impl FnMut(usize, GroupSum) -> Result<(), Broken>,
    ) -> Result<bool, Fault<P::Error>> {
        for page in of.first..of.first.saturating_add(of.count) {
            if !read_page(pages, self.number, page, |page| read_groups(page, list, &mut choose, &mut found))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The sums of those games of the exact list of a position key that meet all conditions, ascending; `None` if what is stored
    /// does not tell them.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn sums_of_met<P: Pages + ?Sized>(
        &self,
        pages: &P,
        hash: u64,
        filters: &[Filter],
    ) -> Result<Option<Vec<Sum>>, Fault<P::Error>> {
        let Some((list, Some(of))) = self.list_sums(pages, hash)? else { return Ok(None) };
        let (of_result, others): (Vec<&Filter>, Vec<&Filter>) = filters.iter().partition(|of| of.column == RESULT);
        let choose = |groupings: &Groupings, group: &Group| {
            let decides = |filter: &&Filter| groupings.decides(groupings.place(filter.column)?, group, &filter.within);
            let decided: Vec<Option<bool>> = others.iter().map(decides).collect();
            match decided.iter().find(|is_met| **is_met != Some(true)) {
                None => Choice::Take,
                Some(_) if decided.contains(&Some(false)) => Choice::Pass,
                Some(_) => Choice::Stop,
            }
        };
        let mut met: Vec<Option<Sum>> = vec![None; list.sums.len()];
        let found = |place: usize, of: GroupSum| {
            if of_result.iter().all(|filter| filter.within.has(of.sum.result)) {
                let whole =
                    met[place].get_or_insert(Sum { games: 0, rated: [0; 2], ratings: [0; 2], day: None, ..of.sum });
                whole.join(&of.sum);
                if whole.games > list.sums[place].games {
                    return Err(Broken("groups have more games than their list"));
                }
            }
            Ok(())
        };
        let is_known = self.each_group(pages, of, (hash, &list.sums), choose, found)?;
        Ok(is_known.then(|| met.into_iter().flatten().collect()))
    }
}
