//! Games in groups, all groupings of a report on an opening or an ending in one pass: by dates, ratings, time control, players, ending and
//! opening, and the first games of its lists.
//!
//! Takes what a report needs of each game; returns the sums of each group, and the lists. Groups of parts of the games are
//! merged, also from bytes, so that several processes share the work. Beyond a limit in bytes nothing is kept: the caller
//! then groups in another way.

mod bytes;
mod grouping;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::sums::{self, GAME_SUMS, GameSums, Summand};
use crate::game::GameResult;
use crate::pause::Pauses;
use crate::text::dates::month_of;
use grouping::Grouping;

/// A grouping of the games, or a list of games. A caller asks for it by its bit, whose number is its place in [`Part::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// One group of all games.
    All,
    /// The same as `Dates`, of the games that lack the position.
    Others,
    /// The first day and the day after the last: `until << 32 | from`, both in days.
    Dates,
    /// The mean of both ratings; one above [`MOST_RATING`] counts as that.
    Rating,
    /// The time control, a label.
    TimeControl,
    /// The player with White, 0 if unknown.
    White,
    /// The player with Black.
    Black,
    /// The facts of the game, and as label its termination, a line feed and its result.
    Kind,
    /// The first moves, a label.
    Opening,
    /// The month of the dates as `100 * year + month`, with month 0 if they are of several months of one year; `None` if they are of
    /// several years, or not known.
    Months,
    /// The games with the highest sum of ratings.
    BestRated,
    /// The games with the latest day.
    Newest,
    /// Of the annotated games, those with the highest sum of ratings.
    Annotated,
    /// The games with the fewest half-moves among those that White won.
    WhiteWins,
    /// The games with the fewest half-moves among those that Black won.
    BlackWins,
}

impl Part {
    /// All parts, in the order of their bits: first those with groups, then the lists.
    pub const ALL: [Part; GROUPINGS + LISTS] = [
        Part::All,
        Part::Others,
        Part::Dates,
        Part::Rating,
        Part::TimeControl,
        Part::White,
        Part::Black,
        Part::Kind,
        Part::Opening,
        Part::Months,
        Part::BestRated,
        Part::Newest,
        Part::Annotated,
        Part::WhiteWins,
        Part::BlackWins,
    ];

    /// The name in SQL.
    pub fn name(self) -> &'static str {
        match self {
            Part::All => "all",
            Part::Others => "others",
            Part::Dates => "dates",
            Part::Rating => "rating",
            Part::TimeControl => "time_control",
            Part::White => "white",
            Part::Black => "black",
            Part::Kind => "kind",
            Part::Opening => "opening",
            Part::Months => "months",
            Part::BestRated => "best_rated",
            Part::Newest => "newest",
            Part::Annotated => "annotated",
            Part::WhiteWins => "shortest_white_win",
            Part::BlackWins => "shortest_black_win",
        }
    }
}

const GROUPINGS: usize = 10;
const LISTS: usize = 5;
/// Ratings make no more groups than this, whatever a table has for ratings.
const MOST_RATING: i64 = 9999;
/// Bytes that a game in a list takes.
const LISTED_BYTES: usize = size_of::<Listed>();

/// A game.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The result as text, which may be none of PGN.
    pub result: Option<&'a [u8]>,
    /// The results and ratings.
    pub summand: Summand,
    /// The number of the game.
    pub id: Option<i64>,
    /// The first day that the date can mean.
    pub from: Option<i32>,
    /// The day after the last.
    pub until: Option<i32>,
    /// Half-moves.
    pub plies: i32,
    /// The number of the player with White.
    pub white: Option<i32>,
    /// The number of the player with Black.
    pub black: Option<i32>,
    /// The time control.
    pub time_control: Option<&'a [u8]>,
    /// The bits of [`report::facts`](super::report::facts).
    pub facts: Option<i32>,
    /// How the game ended, if its tags say so.
    pub termination: Option<&'a [u8]>,
    /// The first moves, as a stored game.
    pub opening: Option<&'a [u8]>,
    /// Whether the position arises in the game. Games without it are counted in [`Part::Others`] and nowhere else.
    pub is_found: bool,
    /// Whether there are comments.
    pub is_annotated: bool,
    /// Whether the game counts as old.
    pub is_old: bool,
}

/// The sums of a group. A list has a group for each game, of which only the id is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The number that all its games share, such as a player's. `None` if it is unknown.
    pub number: Option<i64>,
    /// The same as bytes.
    pub label: Option<Box<[u8]>>,
    /// As `gameSums` returns them.
    pub sums: GameSums,
    /// The first and the last of the days on which the games began.
    pub days: Option<(i32, i32)>,
    /// The lowest number of a game.
    pub id: Option<i64>,
    /// The sum of the moves of the games, and the least and the most moves.
    pub moves: i64,
    /// The games that count as old.
    pub old: i64,
    /// The fewest moves of a game.
    pub shortest: i32,
    /// The most moves of a game.
    pub longest: i32,
}

impl Group {
    fn new(number: Option<i64>, label: Option<Box<[u8]>>) -> Group {
        let (shortest, longest) = (i32::MAX, i32::MIN);
        Group { number, label, sums: [0; GAME_SUMS], days: None, id: None, moves: 0, old: 0, shortest, longest }
    }

    #[inline]
    fn add(&mut self, game: &Sample<'_>, moves: i32) {
        game.summand.add_to(&mut self.sums);
        if let Some(day) = game.from {
            self.days = Some(self.days.map_or((day, day), |(first, last)| (first.min(day), last.max(day))));
        }
        self.id = least(self.id, game.id);
        self.moves = self.moves.wrapping_add(moves.into());
        self.old += i64::from(game.is_old);
        self.shortest = self.shortest.min(moves);
        self.longest = self.longest.max(moves);
    }

    fn merge(&mut self, other: &Group) {
        sums::add(&mut self.sums, &other.sums);
        if let Some((first, last)) = other.days {
            self.days = Some(self.days.map_or((first, last), |(one, two)| (one.min(first), two.max(last))));
        }
        self.id = least(self.id, other.id);
        self.moves = self.moves.wrapping_add(other.moves);
        self.old = self.old.wrapping_add(other.old);
        self.shortest = self.shortest.min(other.shortest);
        self.longest = self.longest.max(other.longest);
    }
}

fn least(one: Option<i64>, two: Option<i64>) -> Option<i64> {
    match (one, two) {
        (Some(one), Some(two)) => Some(one.min(two)),
        _ => one.or(two),
    }
}

/// The two sort keys of a game in a list and its id; lists begin with the greatest.
type Listed = (i64, i64, i64);

/// All groups of some games.
pub struct Groups {
    wanted: u32,
    /// The most games in a list.
    count: usize,
    /// The most bytes that all groups may take, and those that are left.
    limit: usize,
    room: usize,
    groupings: [Grouping; GROUPINGS],
    lists: [BinaryHeap<Reverse<Listed>>; LISTS],
    /// Whether there was not enough room.
    is_too_large: bool,
    /// The label of the kind of a game, kept for its memory.
    kind: Vec<u8>,
    pauses: Pauses,
}

impl Groups {
    /// No games. `wanted` has a bit for each part, `count` is the length of lists, `limit` that of all in bytes.
    pub fn new(wanted: u32, count: usize, limit: usize) -> Groups {
        Groups {
            wanted,
            count,
            limit,
            room: limit,
            kind: Vec::new(),
            groupings: std::array::from_fn(|_| Grouping::default()),
            lists: std::array::from_fn(|_| BinaryHeap::new()),
            is_too_large: false,
            pauses: Pauses::default(),
        }
    }

    /// Whether there was not enough room.
    pub fn is_too_large(&self) -> bool {
        self.is_too_large
    }

    /// No games, to which those of others can be added.
    pub fn like(other: &Groups) -> Groups {
        Groups::new(other.wanted, other.count, other.limit)
    }

    fn wants(&self, part: Part) -> bool {
        self.wanted >> part as u32 & 1 != 0
    }

    /// Takes bytes of the room. If there are too few, all groups are given up.
    #[inline]
    fn take(&mut self, bytes: usize) {
        if bytes <= self.room {
            self.room -= bytes;
        } else {
            self.give_up();
        }
    }

    #[cold]
    fn give_up(&mut self) {
        *self = Groups { is_too_large: true, ..Groups::new(0, 0, 0) };
    }

    /// Adds a game.
    pub fn add(&mut self, game: &Sample<'_>) {
        let dates = game.from.zip(game.until).and_then(|(from, until)| days(from, until));
        if !game.is_found {
            if self.wants(Part::Others) {
                let (at, bytes) = self.groupings[Part::Others as usize].find(dates, None);
                self.groupings[Part::Others as usize].groups[at].sums[0] += 1;
                self.take(bytes);
            }
            return;
        }
        let moves = game.plies.saturating_add(1) / 2;
        let mut kind = std::mem::take(&mut self.kind);
        for part in &Part::ALL[..GROUPINGS] {
            if !self.wants(*part) || *part == Part::Others {
                continue;
            }
            let (number, label) = match part {
                Part::Dates => (dates, None),
                Part::Rating => (game.summand.mean_rating().map(|rating| rating.min(MOST_RATING)), None),
                Part::TimeControl => (None, game.time_control),
                Part::White => (Some(game.white.unwrap_or(0).into()), None),
                Part::Black => (Some(game.black.unwrap_or(0).into()), None),
                Part::Kind => {
                    kind.clear();
                    kind.extend_from_slice(game.termination.unwrap_or_default());
                    kind.extend(game.result.map(|_| b'\n'));
                    kind.extend_from_slice(game.result.unwrap_or_default());
                    (game.facts.map(i64::from), Some(&*kind))
                }
                Part::Opening => (None, game.opening),
                Part::Months => (game.from.zip(game.until).and_then(|(from, until)| month(from, until)), None),
                _ => (None, None),
            };
            let grouping = &mut self.groupings[*part as usize];
            let (at, bytes) = grouping.find(number, label);
            grouping.groups[at].add(game, moves);
            self.take(bytes);
        }
        self.kind = kind;
        let Some(id) = game.id else { return };
        let ratings = game.summand.ratings();
        for part in &Part::ALL[GROUPINGS..] {
            if !self.wants(*part) {
                continue;
            }
            let rank = match part {
                Part::BestRated => ratings.map(|ratings| (ratings, 0)),
                Part::Newest => game.from.map(|day| (day.into(), 0)),
                Part::Annotated => game.is_annotated.then_some((ratings.unwrap_or(0), 0)),
                Part::WhiteWins if game.summand.result != Some(GameResult::WhiteWins) => None,
                Part::BlackWins if game.summand.result != Some(GameResult::BlackWins) => None,
                _ => Some((-i64::from(game.plies), ratings.unwrap_or(0))),
            };
            if let Some((first, second)) = rank {
                self.list(*part, (first, second, id));
            }
        }
    }

    fn list(&mut self, part: Part, game: Listed) {
        let Some(list) = self.lists.get_mut(part as usize - GROUPINGS) else { return };
        if list.len() < self.count {
            list.push(Reverse(game));
            self.take(LISTED_BYTES);
        } else if let Some(mut last) = list.peek_mut()
            && last.0 < game
        {
            *last = Reverse(game);
        }
    }

    /// Adds the groups of other games.
    pub fn merge(&mut self, other: &Groups) {
        if other.is_too_large {
            self.give_up();
        }
        for part in &Part::ALL[..GROUPINGS] {
            let more = &other.groupings[*part as usize];
            for group in &more.groups {
                self.pauses.step();
                if self.is_too_large {
                    return;
                }
                let grouping = &mut self.groupings[*part as usize];
                let (at, bytes) = grouping.find(group.number, group.label.as_deref());
                grouping.groups[at].merge(group);
                self.take(bytes);
            }
        }
        for part in &Part::ALL[GROUPINGS..] {
            for game in &other.lists[*part as usize - GROUPINGS] {
                self.pauses.step();
                self.list(*part, game.0);
            }
        }
    }

    /// Calls `visit` with each group: of a list, with a group for each game, whose number is its place.
    pub fn each(&self, mut visit: impl FnMut(Part, &Group)) {
        let mut pauses = Pauses::default();
        for part in Part::ALL {
            match self.lists.get((part as usize).wrapping_sub(GROUPINGS)) {
                None => {
                    for group in &self.groupings[part as usize].groups {
                        pauses.step();
                        visit(part, group);
                    }
                }
                Some(list) => {
                    let mut games: Vec<Listed> = list.iter().map(|game| game.0).collect();
                    games.sort_unstable_by_key(|game| Reverse(*game));
                    for (place, (_, _, id)) in (1..).zip(games) {
                        pauses.step();
                        visit(part, &Group { id: Some(id), ..Group::new(Some(place), None) });
                    }
                }
            }
        }
    }
}

/// The number of [`Part::Months`].
fn month(from: i32, until: i32) -> Option<i64> {
    let ((year, first), (last_year, last)) = (month_of(from)?, month_of(until.checked_sub(1)?)?);
    (year == last_year).then(|| 100 * i64::from(year) + if first == last { i64::from(first) } else { 0 })
}

/// Both days in a number; `None` if one is not finite.
fn days(from: i32, until: i32) -> Option<i64> {
    let is_finite = |day: i32| day != i32::MIN && day != i32::MAX;
    (is_finite(from) && is_finite(until)).then(|| i64::from(until) << 32 | i64::from(from as u32))
}
