//! Makes the sums of lists while a segment is written or checked.
//!
//! Takes the games of one list after another with their notes, later the attributes of these games; returns the sums of the
//! lists that are long enough. The games of lists wait in memory, 8 bytes each, until there are as many as the caller allows.
//! The caller then reads the pages of attributes once for all of them. So a segment of any size needs the same memory. The
//! leaders of a list take some more ([`bytes_a_game`]).

use std::collections::HashMap;
use std::ops::Range;

use chess_core::search::hybrid_keys::Note;

use crate::attributes::Value;
use crate::leaders::{self, Leader, Leaders};
use crate::leaf::SHORT;
use crate::summed::{Ranking, SUMMED};
use crate::sums::{ListSums, Sum};

/// Returns the bytes of memory that a game takes while it waits. They include its share of the leaders of its list, which has
/// at least `least` games.
pub fn bytes_a_game(least: u32) -> usize {
    size_of::<(u32, u32)>() + Ranking::ALL.len() * (leaders::BYTES / least.max(1) as usize).min(size_of::<Leader>())
}

/// A game looks for its sums among the first 32 of its list before it asks a hash map. The commonest come early.
const LOOKED_THROUGH: usize = 32;

/// The games of a list with one note and one result, so far.
#[derive(Clone, Copy, Default)]
struct Sums {
    games: u32,
    rated: [u32; 2],
    ratings: [u64; 2],
    day: Value,
    /// The last game.
    game: u32,
}

/// A list whose games wait.
#[derive(Default)]
struct List {
    hash: u64,
    /// Number of games, with those that no longer wait.
    games: u32,
    /// The games that still wait, as places in [`Summing::waiting`].
    waiting: Range<usize>,
    /// Notes and results, and the sums of each.
    kinds: Vec<(u32, Value)>,
    sums: Vec<Sums>,
    /// The places of the kinds after the first [`LOOKED_THROUGH`].
    others: HashMap<(u32, Value), usize>,
    /// By ranking.
    leaders: [Leaders; 2],
}

impl List {
    /// Returns the sums of the games with this note and result.
    #[inline]
    fn sums_of(&mut self, kind: (u32, Value)) -> &mut Sums {
        let early = &self.kinds[..self.kinds.len().min(LOOKED_THROUGH)];
        let known = early.iter().position(|known| *known == kind);
        let at = known.or_else(|| self.others.get(&kind).copied()).unwrap_or_else(|| {
            let next = self.kinds.len();
            if next >= LOOKED_THROUGH {
                self.others.insert(kind, next);
            }
            self.kinds.push(kind);
            self.sums.push(Sums::default());
            next
        });
        &mut self.sums[at]
    }
}

pub(crate) struct Summing {
    /// Lists of fewer games get no sums.
    pub least: u32,
    /// Most games that wait.
    most: usize,
    /// Games with their notes.
    waiting: Vec<(u32, u32)>,
    lists: Vec<List>,
    /// The current list; its games are the last ones that wait.
    open: List,
}

impl Summing {
    /// For lists of at least `least` games. Lists that may become plain get no sums. At most `most` games may wait.
    pub(crate) fn new(least: u32, most: u32) -> Summing {
        Summing {
            least: least.max(SHORT as u32 + 1),
            most: most.max(1) as usize,
            waiting: Vec::new(),
            lists: Vec::new(),
            open: List::default(),
        }
    }

    /// Adds a game to the current list. If this returns true, the caller gives the attributes of all games that wait.
    #[inline]
    pub(crate) fn push(&mut self, game: u32, note: u32) -> bool {
        self.open.games += 1;
        self.waiting.push((game, note));
        self.waiting.len() >= self.most
    }

    /// Ends the current list, if there is one.
    #[inline]
    pub(crate) fn end_list(&mut self, hash: impl FnOnce() -> Option<u64>) {
        if self.open.games == 0 {
            return;
        }
        match hash().filter(|_| self.open.games >= self.least) {
            Some(hash) => {
                let open = std::mem::take(&mut self.open);
                self.lists.push(List { hash, waiting: open.waiting.start..self.waiting.len(), ..open });
            }
            None => {
                self.waiting.truncate(self.open.waiting.start);
                self.open.games = 0;
                // Nearly all lists are so short that nothing has been added up yet.
                if !self.open.kinds.is_empty() {
                    self.open = List::default();
                }
            }
        }
        self.open.waiting = self.waiting.len()..self.waiting.len();
    }

    /// Begins to take attributes: those of a page after another, in ascending order, until [`Summing::end`].
    pub(crate) fn begin(&mut self) {
        self.open.waiting.end = self.waiting.len();
    }

    /// Whether games before game `end` wait for their attributes.
    pub(crate) fn waits_for(&self, end: u32) -> bool {
        let next = |list: &List| self.waiting[list.waiting.clone()].first().map(|(game, _)| *game);
        self.lists.iter().chain([&self.open]).filter_map(next).any(|game| game < end)
    }

    /// Takes the attributes of the games before game `end` that wait.
    pub(crate) fn add(&mut self, end: u32, values: impl Fn(u32) -> [Value; SUMMED]) {
        for list in self.lists.iter_mut().chain([&mut self.open]) {
            let waiting = &self.waiting[list.waiting.clone()];
            let here = waiting.partition_point(|(game, _)| *game < end);
            for (game, note) in &waiting[..here] {
                let values = values(*game);
                let [white, black, result, day] = values;
                for (ranking, leaders) in Ranking::ALL.into_iter().zip(&mut list.leaders) {
                    leaders.add(Leader { number: ranking.number(values), game: *game, note: *note, result });
                }
                let sums = list.sums_of((*note, result));
                sums.games += 1;
                for (side, rating) in [white, black].into_iter().enumerate() {
                    let rating = rating.unwrap_or(0).max(0);
                    sums.rated[side] += u32::from(rating > 0);
                    sums.ratings[side] += rating as u64;
                }
                sums.day = sums.day.max(day);
                sums.game = *game;
            }
            list.waiting.start += here;
        }
    }

    /// Ends the attributes. Returns the lists that have ended, by their hashes, with their sums.
    pub(crate) fn end(&mut self) -> Vec<(u64, ListSums)> {
        self.waiting.clear();
        self.open.waiting = 0..0;
        let sums = |list: List| {
            let mut sums: Vec<Sum> =
                list.kinds.into_iter().zip(list.sums).map(|((note, result), sums)| sum(note, result, sums)).collect();
            sums.sort_unstable_by_key(Sum::order);
            let number_of = |leader: Leader| {
                let sum = sums.binary_search_by_key(&(leader.note, leader.result), Sum::order);
                (leader.game, sum.unwrap_or_default() as u32)
            };
            let leaders = list.leaders.map(|leaders| leaders.finish().into_iter().map(number_of).collect());
            (list.hash, ListSums { sums, leaders: Some(leaders) })
        };
        self.lists.drain(..).map(sums).collect()
    }
}

fn sum(note: u32, result: Value, sums: Sums) -> Sum {
    Sum {
        note: Note::from_bits(note),
        result,
        games: sums.games,
        rated: sums.rated,
        ratings: sums.ratings,
        day: sums.day,
        game: if sums.games == 1 { sums.game } else { 0 },
    }
}
