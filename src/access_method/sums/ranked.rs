//! The first games of long lists, by what a segment stores.
//!
//! Takes the lists of a position; adds their first games. With a list the segment stores its leaders, which answer unless there
//! are conditions, more games are asked for, or too many leaders are hidden.
//!
//! Otherwise games are taken in the order of a ranking until no other one can be among the first. For a list of one game in a
//! hundred this looks at some hundred times as many games as are asked for, a bit each, and reads the attributes of those that
//! are in the list. Where the games of a list rank low, or the conditions leave few of them, it gives up and reads the
//! attributes of all.

use chess_index::block::Block;
use chess_index::key::Class;
use chess_index::leaders::LEADERS;
use chess_index::members::Members;
use chess_index::ranking::{RankedGames, STRETCH};
use chess_index::search::List;
use chess_index::summed::Ranking;

use crate::access_method::segments::Replaced;
use crate::access_method::sums::asked::UNSURE;
use crate::access_method::sums::found::{Games, Reaching};
use crate::access_method::sums::games::{BATCH, Searched};
use crate::access_method::sums::heap::Heap;
use crate::access_method::sums::stored::COLUMNS;
use crate::access_method::sums::totals::Sums;

/// The work is estimated in units: one unit is to look up whether a game of a ranking is in the list. So many units take the
/// reading of a page, and that of the attributes of a game in a page that is read anyway. Both were measured with ten million
/// games.
const OF_PAGE: u64 = 1700;
const OF_GAME: u64 = 80;

impl Searched<'_> {
    /// Adds the visible leaders of the exact list, and returns those of which a replay must tell whether they reach the
    /// position. Returns `None`, and adds nothing, if they are too few to answer.
    pub fn add_leaders(
        &mut self,
        lists: &[List],
        heap: &mut Heap,
        sums: &mut Sums,
    ) -> Result<Option<Vec<u32>>, Replaced> {
        let Some((leading, ranking)) =
            sums.leading.as_ref().and_then(|leading| Some((leading, leading.order.ranking()?)))
        else {
            return Ok(None);
        };
        let count = leading.count;
        let list = lists.iter().find(|list| list.class != Class::Plain);
        let Some((list, true)) = list.map(|list| (list, count <= LEADERS && self.has_columns(ranking))) else {
            return Ok(None);
        };
        let Some(stored) = self.stored(list)? else { return Ok(None) };
        let played = stored.leaders(ranking).map(|(game, note)| (game, self.asked.played(note)));
        let (unsure, mut known): (Vec<Reaching>, Vec<Reaching>) = played.partition(|(_, played)| *played == UNSURE);
        let mut found = Sums::listing(leading.emptied());
        self.add_visible(heap, &mut known, &mut found)?;
        // The other games of the list rank lower than every leader, so the leaders answer if enough of them are visible.
        let joined = found.leading.zip(sums.leading.as_ref()).and_then(|(found, leading)| leading.joined(found));
        let Some(joined) = joined else { return Ok(None) };
        sums.leading = Some(joined);
        Ok(Some(unsure.into_iter().map(|(game, _)| game).collect()))
    }

    /// Returns whether the columns that decide the order are those that the segment ranks by.
    fn has_columns(&self, ranking: Ranking) -> bool {
        match ranking {
            Ranking::Ratings => self.asked.columns[..2] == COLUMNS[..2],
            Ranking::Day => self.asked.columns[3] == COLUMNS[3],
        }
    }

    /// Adds the games of the lists that can be among the first. Returns false, and adds nothing, if a ranking does not help.
    pub fn add_ranked(&mut self, lists: &[List], heap: &mut Heap, sums: &mut Sums) -> Result<bool, Replaced> {
        let segment = self.segment;
        let some = sums.leading.as_ref().filter(|leading| leading.sorted.is_none());
        let asked_for = some.and_then(|leading| Some((leading.order.ranking()?, leading.count as u64)));
        let Some((ranking, count)) = asked_for else { return Ok(false) };
        let (listed, all) = (lists.iter().map(|list| u64::from(list.count)).sum::<u64>(), u64::from(segment.games));
        let by_attributes = OF_PAGE * listed.min(segment.attribute_pages.into()) + OF_GAME * listed;
        // The walk reads about two portions of each stretch. It is allowed twice the games that it needs if those of the list are
        // spread evenly.
        let by_ranking = 2 * OF_PAGE * all.div_ceil(STRETCH.into()) + 2 * all.saturating_mul(count) / listed.max(1);
        let is_fit = by_ranking < by_attributes && self.has_columns(ranking);
        let Some(mut ranked) = RankedGames::new(segment, ranking).filter(|_| is_fit) else { return Ok(false) };
        let mut listed = Listed::of(self, lists)?;
        if let Some(leading) = &mut sums.leading {
            leading.is_whole = false;
        }
        let (mut portion, mut left) = (Vec::new(), by_attributes);
        let is_done = loop {
            let Some(next) = self.pages.sound(ranked.next_number(self.pages, segment))? else { break true };
            if sums.leading.as_mut().is_none_or(|leading| next < leading.settle()) {
                break true;
            }
            if left == 0 {
                break false;
            }
            self.pages.sound(ranked.next(self.pages, segment, &mut portion))?;
            left = left.saturating_sub(OF_PAGE + portion.len() as u64);
            portion.sort_unstable();
            listed.look_up(self, Some(&portion))?;
            portion.retain(|game| listed.games.take(*game));
            left = left.saturating_sub(OF_PAGE * portion.len() as u64);
            self.add_members(&portion, &listed.unsure, heap, sums)?;
        };
        if !is_done {
            listed.look_up(self, None)?;
            let rest: Vec<u32> = listed.games.each().collect();
            for rest in rest.chunks(BATCH) {
                self.add_members(rest, &listed.unsure, heap, sums)?;
            }
        }
        if let Some(leading) = &mut sums.leading {
            leading.is_whole = true;
        }
        Ok(true)
    }

    /// Adds those of some ascending games that are visible, meet the conditions and reach the position.
    fn add_members(&mut self, games: &[u32], unsure: &Games, heap: &mut Heap, sums: &mut Sums) -> Result<(), Replaced> {
        let (replayed, known): (Vec<u32>, Vec<u32>) = games.iter().partition(|game| unsure.has(**game));
        // The first games are the same whatever they play, so the move is left at 0.
        let mut known: Vec<Reaching> = known.into_iter().map(|game| (game, 0)).collect();
        self.add_visible(heap, &mut known, sums)?;
        self.add_replayed(heap, &replayed, sums)
    }
}

/// The games of some lists, as far as they were looked up.
struct Listed {
    lists: Vec<Members>,
    games: Games,
    /// Those whose notes do not tell whether they reach the position, so that a replay must.
    unsure: Games,
}

impl Listed {
    fn of(searched: &Searched, lists: &[List]) -> Result<Listed, Replaced> {
        let Searched { pages, segment, .. } = *searched;
        let members = |list| pages.sound(Members::of(list, pages, segment));
        let lists = lists.iter().map(members).collect::<Result<_, _>>()?;
        Ok(Listed { lists, games: Games::none(segment.games), unsure: Games::none(segment.games) })
    }

    /// Looks up ascending games, or all; others may come along. A game that was looked up does not come again.
    fn look_up(&mut self, searched: &Searched, wanted: Option<&[u32]>) -> Result<(), Replaced> {
        let Searched { pages, segment, asked, .. } = *searched;
        for list in &mut self.lists {
            let add = |block: &Block| {
                for (nth, game) in block.games.iter().enumerate() {
                    self.games.add(*game);
                    if block.notes.get(nth).is_none_or(|note| asked.played(*note) == UNSURE) {
                        self.unsure.add(*game);
                    }
                }
            };
            pages.sound(match wanted {
                Some(wanted) => list.decode(pages, segment, wanted, add),
                None => list.decode_rest(pages, segment, add),
            })?;
        }
        Ok(())
    }
}
