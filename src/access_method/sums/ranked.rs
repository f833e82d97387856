//! The first games of long lists, by what a segment stores.
//!
//! Takes the lists of a position; adds their first games. With a list the segment stores its leaders, which answer unless there
//! are conditions, more games are asked for, or too many leaders are hidden or equal.
//!
//! Otherwise games are taken in the order of a ranking until no other one can be among the first. For a list of one game in a
//! hundred this looks at some hundred times as many games as are asked for, a bit each, and reads the attributes of those that
//! are in the list. Where the games of a list rank low, or the conditions leave few of them, it gives up and reads the
//! attributes of all.

use chess_index::key::Class;
use chess_index::leaders::LEADERS;
use chess_index::ranking::{RankedGames, STRETCH};
use chess_index::search::List;
use chess_index::summed::Ranking;

use crate::access_method::segments::Replaced;
use crate::access_method::sums::asked::UNSURE;
use crate::access_method::sums::found::Reaching;
use crate::access_method::sums::games::{BATCH, Searched};
use crate::access_method::sums::heap::Heap;
use crate::access_method::sums::leading::Leading;
use crate::access_method::sums::stored::COLUMNS;
use crate::access_method::sums::totals::Sums;

/// A list with more games than one in so many has first games near the start of any order, also in an index of the table.
const POPULAR: u64 = 16;

/// Work, in units of a game of a ranking that is looked up in the list: to read a page of either, and to read the attributes
/// of a game with those of others of its page.
const OF_PAGE: u64 = 1700;
const OF_GAME: u64 = 80;

/// A set of games of a segment.
struct Games(Vec<u64>);

impl Games {
    fn none(games: u32) -> Games {
        Games(vec![0; (games as usize).div_ceil(64)])
    }

    fn has(&self, game: u32) -> bool {
        self.0.get(game as usize / 64).is_some_and(|word| word >> (game % 64) & 1 == 1)
    }

    /// Removes a game; false if it is not in the set.
    fn take(&mut self, game: u32) -> bool {
        let had = self.has(game);
        if let Some(word) = self.0.get_mut(game as usize / 64) {
            *word &= !(1 << (game % 64));
        }
        had
    }

    /// All games, ascending.
    fn each(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.0).filter(|(_, word)| **word > 0).flat_map(|(nth, word): (u32, &u64)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * nth + bit)
        })
    }
}

impl Searched<'_> {
    /// Adds the visible leaders of the exact list, and returns those of which a replay must tell whether they reach the
    /// position. Returns `None`, and adds nothing, if they are too few to answer.
    pub fn add_leaders(
        &mut self,
        lists: &[List],
        heap: &mut Heap,
        sums: &mut Sums,
    ) -> Result<Option<Vec<u32>>, Replaced> {
        let Some((ranking, count)) = sums.leading().map(|leading| (leading.ranking, leading.count)) else {
            return Ok(None);
        };
        let list = lists.iter().find(|list| list.class != Class::Plain);
        let Some((list, true)) = list.map(|list| (list, count <= LEADERS && self.has_columns(ranking))) else {
            return Ok(None);
        };
        let Some(stored) = self.stored(list)? else { return Ok(None) };
        let played = stored.leaders(ranking).map(|(game, note)| (game, self.asked.played(note)));
        let (unsure, mut known): (Vec<Reaching>, Vec<Reaching>) = played.partition(|(_, played)| *played == UNSURE);
        let mut found = Sums::listing(Leading::new(ranking, count));
        self.add_visible(heap, &mut known, &mut found)?;
        // All others rank lower than any leader.
        if found.games() < count as i64 {
            return Ok(None);
        }
        if let Some(leading) = sums.leading_mut() {
            leading.join(found.into_leading());
        }
        Ok(Some(unsure.into_iter().map(|(game, _)| game).collect()))
    }

    /// Whether the columns that decide the order are those that the segment ranks by.
    fn has_columns(&self, ranking: Ranking) -> bool {
        match ranking {
            Ranking::Ratings => self.asked.columns[..2] == COLUMNS[..2],
            Ranking::Day => self.asked.columns[3] == COLUMNS[3],
        }
    }

    /// Adds the games of the lists that can be among the first. Returns false, and adds nothing, if a ranking does not help.
    pub fn add_ranked(&mut self, lists: &[List], heap: &mut Heap, sums: &mut Sums) -> Result<bool, Replaced> {
        let (segment, asked) = (self.segment, self.asked);
        let Some((ranking, count)) = sums.leading().map(|leading| (leading.ranking, leading.count as u64)) else {
            return Ok(false);
        };
        let (listed, all) = (lists.iter().map(|list| u64::from(list.count)).sum::<u64>(), u64::from(segment.games));
        let by_attributes = OF_PAGE * listed.min(segment.attribute_pages.into()) + OF_GAME * listed;
        // Two portions of each stretch, and twice as many games as an even spread needs.
        let by_ranking = 2 * OF_PAGE * all.div_ceil(STRETCH.into()) + 2 * all.saturating_mul(count) / listed.max(1);
        let is_fit = by_ranking < by_attributes
            && (listed <= all / POPULAR || (listed as i64) < asked.most)
            && self.has_columns(ranking);
        let Some(mut ranked) = RankedGames::new(segment, ranking).filter(|_| is_fit) else { return Ok(false) };
        let (mut games, mut unsure) = self.members(lists)?;
        if let Some(leading) = sums.leading_mut() {
            leading.counts = false;
        }
        let (mut portion, mut left) = (Vec::new(), by_attributes);
        // The caller does not want more games than this, which are all equal.
        let too_many = |sums: &mut Sums| {
            let is_true = sums.leading_mut().is_some_and(|leading| leading.settled() as i64 > asked.most);
            sums.counted += if is_true { asked.most } else { 0 };
            is_true
        };
        let is_done = loop {
            let Some(next) = self.pages.sound(ranked.next_number(self.pages, segment))? else { break true };
            if sums.leading_mut().is_none_or(|leading| next < leading.settle()) {
                break true;
            }
            if left == 0 {
                break false;
            }
            self.pages.sound(ranked.next(self.pages, segment, &mut portion))?;
            left = left.saturating_sub(OF_PAGE + portion.len() as u64);
            portion.retain(|game| games.take(*game));
            left = left.saturating_sub(OF_PAGE * portion.len() as u64);
            portion.sort_unstable();
            self.add_members(&portion, &unsure, heap, sums)?;
            if too_many(sums) {
                break true;
            }
        };
        if !is_done {
            unsure.retain(|game| games.has(*game));
            let rest: Vec<u32> = games.each().collect();
            for rest in rest.chunks(BATCH) {
                self.add_members(rest, &unsure, heap, sums)?;
                if too_many(sums) {
                    break;
                }
            }
        }
        if let Some(leading) = sums.leading_mut() {
            leading.counts = true;
        }
        Ok(true)
    }

    /// The games of lists, and those of them, ascending, of which a replay must tell whether they reach the position.
    fn members(&self, lists: &[List]) -> Result<(Games, Vec<u32>), Replaced> {
        let (mut games, mut unsure) = (Games::none(self.segment.games), Vec::new());
        let is_sure = |note| self.asked.played(note) != UNSURE;
        for list in lists {
            let marked = list.read().mark(self.pages, self.segment, &mut games.0, is_sure, &mut unsure);
            self.pages.sound(marked)?;
        }
        unsure.sort_unstable();
        unsure.dedup();
        Ok((games, unsure))
    }

    /// Adds those of some ascending games that are visible, meet the conditions and reach the position.
    fn add_members(&mut self, games: &[u32], unsure: &[u32], heap: &mut Heap, sums: &mut Sums) -> Result<(), Replaced> {
        let (replayed, known): (Vec<u32>, Vec<u32>) = games.iter().partition(|game| unsure.binary_search(game).is_ok());
        // Which move they play does not matter.
        let mut known: Vec<Reaching> = known.into_iter().map(|game| (game, 0)).collect();
        self.add_visible(heap, &mut known, sums)?;
        self.add_replayed(heap, &replayed, sums)
    }
}
