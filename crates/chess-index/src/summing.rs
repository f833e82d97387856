//! Makes the sums of lists while a segment is written or checked.
//!
//! Takes the games of one list after another with their notes, later the attributes of these games; returns the sums of the
//! lists that are long enough. The games of lists wait in memory, 8 bytes each, until there are as many as the caller allows.
//! The caller then reads the pages of attributes once for all of them. So a segment of any size needs the same memory. The
//! leaders of a list and its [groups](crate::groups) take some more ([`bytes_a_game`]).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;

use chess_core::search::hybrid_keys::Note;

use crate::attributes::Value;
use crate::grouping::{Group, Groupings};
use crate::groups::{self, GroupSum};
use crate::leaders::{self, Leader, Leaders};
use crate::leaf::SHORT;
use crate::summed::{RESULT, Ranking, SUMMED};
use crate::sums::{ListSums, Sum};

/// Returns the bytes of memory that a game takes while it waits. They include its share of the leaders of its list, which has
/// at least `least` games, and of its groups.
pub fn bytes_a_game(least: u32) -> usize {
    let leaders = Ranking::ALL.len() * (leaders::BYTES / least.max(1) as usize).min(size_of::<Leader>());
    // A map may have twice as many places as it needs.
    let of_group = 2 * size_of::<((Group, usize), Sums)>();
    size_of::<(u32, u32)>() + leaders + of_group.div_ceil(groups::GAMES_OF_SUM)
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

impl Sums {
    #[inline]
    fn add(&mut self, [white, black, _, day]: [Value; SUMMED], game: u32) {
        self.games += 1;
        for (side, rating) in [white, black].into_iter().enumerate() {
            let rating = rating.unwrap_or(0).max(0);
            self.rated[side] += u32::from(rating > 0);
            self.ratings[side] += rating as u64;
        }
        self.day = self.day.max(day);
        self.game = game;
    }
}

/// The sums of the games of each group that have one note and one result.
type Groups = HashMap<(Group, usize), Sums>;

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
    groups: Groups,
    /// Whether no groups are made: the list has too few games for them, or games are not grouped.
    is_ungrouped: bool,
}

impl List {
    /// Returns the place of the sums of the games with this note and result.
    #[inline]
    fn place_of(&mut self, kind: (u32, Value)) -> usize {
        let early = &self.kinds[..self.kinds.len().min(LOOKED_THROUGH)];
        let known = early.iter().position(|known| *known == kind);
        known.or_else(|| self.others.get(&kind).copied()).unwrap_or_else(|| {
            let next = self.kinds.len();
            if next >= LOOKED_THROUGH {
                self.others.insert(kind, next);
            }
            self.kinds.push(kind);
            self.sums.push(Sums::default());
            next
        })
    }

    /// The most sums by groups that the list may have, now that its games are known: none if it has fewer than `least`.
    fn most_groups(&self, least: u32) -> usize {
        if self.games < least { 0 } else { (self.games as usize / groups::GAMES_OF_SUM).min(groups::MOST) }
    }

    /// Drops the groups, and makes no more, if there are more than `most`.
    fn limit_groups(&mut self, most: usize) {
        if self.groups.len() > most {
            self.is_ungrouped = true;
            self.groups = Groups::default();
        }
    }
}

pub(crate) struct Summing {
    /// Lists of fewer games get no sums.
    pub least: u32,
    /// What games are grouped by.
    pub groupings: Groupings,
    /// Most games that wait.
    most: usize,
    /// Games with their notes.
    waiting: Vec<(u32, u32)>,
    lists: Vec<List>,
    /// The current list; its games are the last ones that wait.
    open: List,
    /// While attributes are taken: for each list that waits for them, its first game and its place among the lists. The current
    /// list comes after all others. A page has games of few lists, and only these are looked at.
    next: BinaryHeap<Reverse<(u32, usize)>>,
}

impl Summing {
    /// For lists of at least `least` games. Lists that may become plain get no sums. At most `most` games may wait.
    pub(crate) fn new(least: u32, most: u32, groupings: Groupings) -> Summing {
        Summing {
            least: least.max(SHORT as u32 + 1),
            groupings,
            most: most.max(1) as usize,
            waiting: Vec::new(),
            lists: Vec::new(),
            open: List::default(),
            next: BinaryHeap::new(),
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
        let lists = self.lists.iter().chain([&self.open]).enumerate();
        let first = |list: &List| self.waiting[list.waiting.clone()].first().map(|(game, _)| *game);
        self.next = lists.filter_map(|(place, list)| Some(Reverse((first(list)?, place)))).collect();
    }

    /// Whether games before game `end` wait for their attributes.
    pub(crate) fn waits_for(&self, end: u32) -> bool {
        self.next.peek().is_some_and(|Reverse((game, _))| *game < end)
    }

    /// Takes the attributes, by game and column, of the games before game `end` that wait.
    pub(crate) fn add(&mut self, end: u32, value: impl Fn(u32, usize) -> Value) {
        let least = self.least.saturating_mul(groups::LEAST);
        while self.waits_for(end)
            && let Some(Reverse((_, place))) = self.next.pop()
        {
            let (list, most) = match self.lists.get_mut(place) {
                Some(list) => {
                    let most = list.most_groups(least);
                    (list, most)
                }
                // The current list still grows, so it may get as many groups as any list.
                None => (&mut self.open, groups::MOST),
            };
            list.is_ungrouped |= self.groupings.are_none() || most == 0;
            let waiting = &self.waiting[list.waiting.clone()];
            let here = waiting.partition_point(|(game, _)| *game < end);
            for (game, note) in &waiting[..here] {
                let values: [Value; SUMMED] = std::array::from_fn(|column| value(*game, column));
                let result = values[RESULT];
                for (ranking, leaders) in Ranking::ALL.into_iter().zip(&mut list.leaders) {
                    leaders.add(Leader { number: ranking.number(values), game: *game, note: *note, result });
                }
                let place = list.place_of((*note, result));
                list.sums[place].add(values, *game);
                if !list.is_ungrouped {
                    let group = self.groupings.group(|column| value(*game, column));
                    list.groups.entry((group, place)).or_default().add(values, *game);
                    list.limit_groups(most);
                }
            }
            list.waiting.start += here;
            self.next.extend(waiting.get(here).map(|(game, _)| Reverse((*game, place))));
        }
    }

    /// Ends the attributes. Returns the lists that have ended.
    pub(crate) fn end(&mut self) -> Vec<Summed> {
        self.waiting.clear();
        self.next.clear();
        self.open.waiting = 0..0;
        let least = self.least.saturating_mul(groups::LEAST);
        self.lists.drain(..).map(|list| list.summed(least)).collect()
    }
}

/// The sums of a list.
pub(crate) struct Summed {
    pub hash: u64,
    pub sums: ListSums,
    /// Its sums by groups, ascending; none if it has too few games for them.
    pub groups: Vec<GroupSum>,
}

impl List {
    /// The sums of the list; of its groups, too, unless it has fewer than `least` games.
    fn summed(mut self, least: u32) -> Summed {
        self.limit_groups(self.most_groups(least));
        let of_group = |((group, place), sums): ((Group, usize), Sums)| {
            let (note, result) = self.kinds[place];
            GroupSum { group, sum: sum(note, result, sums) }
        };
        let mut groups: Vec<GroupSum> = self.groups.drain().map(of_group).collect();
        groups.sort_unstable_by_key(GroupSum::order);
        let mut sums: Vec<Sum> =
            self.kinds.into_iter().zip(self.sums).map(|((note, result), sums)| sum(note, result, sums)).collect();
        sums.sort_unstable_by_key(Sum::order);
        let number_of = |leader: Leader| {
            let sum = sums.binary_search_by_key(&(leader.note, leader.result), Sum::order);
            (leader.game, sum.unwrap_or_default() as u32)
        };
        let leaders = self.leaders.map(|leaders| leaders.finish().into_iter().map(number_of).collect());
        Summed { hash: self.hash, sums: ListSums { sums, leaders: Some(leaders) }, groups }
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
