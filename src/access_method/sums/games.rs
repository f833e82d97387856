//! The visible games that reach a position and meet conditions.
//!
//! Takes a question and an index; adds each game to the sums. An exact list has the games that reach the position by
//! half-move 28, with the move that each of them plays. The table is asked for games that the lists do not decide: where
//! rights of castling or en passant differ, before promotions, and candidates of plain lists. Pending games are replayed. The games
//! with a pattern are those of its lists, if they decide it.

use std::ops::Range;
use std::slice;

use chess_core::pause;
use chess_index::attributes::Value;
use chess_index::block::Block;
use chess_index::key::Class;
use chess_index::search::{List, OfGame};
use chess_index::segment::{Segment, StoredSums};
use chess_index::sums::ListSums;

use crate::access_method::pending;
use crate::access_method::question::Condition;
use crate::access_method::scan::of_conditions;
use crate::access_method::segments::{PartPages, Replaced};
use crate::access_method::sums::asked::{Asked, HAS_KEY, Patterns, UNSURE};
use crate::access_method::sums::columns::Columns;
use crate::access_method::sums::dead::Dead;
use crate::access_method::sums::found::{Games, Place, Reaching};
use crate::access_method::sums::heap::Heap;
use crate::access_method::sums::known;
use crate::access_method::sums::stored;
use crate::access_method::sums::totals::Sums;
use crate::access_method::sums::view::{SegmentView, View};

/// Games that are looked at together. Of the pages of attributes the first and the last one are decoded for a part of their
/// games.
pub const BATCH: usize = 1 << 15;

/// If fewer games of a page than one in eight are summed, their values are decoded one by one, otherwise whole columns.
const SPARSE: usize = 8;
/// The same if conditions are tested: one in three, because a game is tested only until the first condition fails.
const SPARSE_TESTED: usize = 3;

/// Adds each visible game that reaches the position and meets the conditions.
pub fn add_games(view: &View, asked: &Asked, heap: &mut Heap, sums: &mut Sums) -> Result<(), Replaced> {
    // The pending games come first, because their pages are replaced first.
    for pages in view.pending() {
        for page in 0..pages.count() {
            let mut reached = Vec::new();
            pending::each_row(view.index(), pages, page, |row, values, game| {
                let value = |column: usize| values.get(column).copied().flatten();
                if let Some(game) = game
                    && asked.conditions.are_met(value)
                    && let Some(played) = asked.replay(pending::decode(view.index(), pages, page, game))
                {
                    reached.push((row, played, values.to_vec()));
                }
            })?;
            for (row, played, values) in reached {
                if heap.fetch(row) {
                    let value = |column: usize| values.get(column).copied().flatten();
                    sums.add(played, asked.columns.map(value), Place::Row(row));
                    sums.report(played, value);
                }
            }
        }
    }
    for SegmentView { pages, segment, unseen, dead } in view.segments() {
        let columns = Columns::new(segment.columns);
        let mut searched = Searched { pages, segment, asked, unseen, dead, columns, met: Vec::new() };
        match asked.of_patterns() {
            Some(patterns) => searched.add_with_patterns(patterns, heap, sums)?,
            None => searched.add_games(heap, sums)?,
        }
    }
    Ok(())
}

/// The games of a segment that have a pattern, by its lists: for sure, and perhaps.
struct WithPattern {
    decided: Games,
    unsure: Games,
}

/// A segment that is searched.
pub struct Searched<'a> {
    pub pages: &'a PartPages<'static>,
    pub segment: &'a Segment,
    pub asked: &'a Asked,
    /// The games that may lie on pages that are not all-visible.
    unseen: &'a [Range<u32>],
    dead: &'a Dead,
    /// The attributes of a page.
    columns: Columns,
    /// Which games of the page meet the conditions.
    met: Vec<bool>,
}

impl Searched<'_> {
    fn add_games(&mut self, heap: &mut Heap, sums: &mut Sums) -> Result<(), Replaced> {
        let Searched { pages, segment, asked, .. } = *self;
        if !asked.alternatives.is_empty() {
            return self.add_any(heap, sums);
        }
        let lists = pages.sound(segment.lists(pages, &asked.question))?;
        // If the leaders of the exact list answer, the rest of the list is not read.
        let mut led = if sums.is_list() { self.add_leaders(&lists, heap, sums)? } else { None };
        if led.is_none() && sums.is_list() && self.add_ranked(&lists, heap, sums)? {
            return Ok(());
        }
        // Games that a list does not decide, and those that one has, which count once.
        let mut unsure: Vec<u32> = Vec::new();
        let has_plain = lists.iter().any(|list| list.class == Class::Plain);
        let decides = has_plain && lists.len() > 1;
        let mut decided = Games::none(if decides { segment.games } else { 0 });
        let mut games: Vec<Reaching> = Vec::new();
        let mut block = Block::default();
        let mut summed = None;
        for list in &lists {
            let others = match led.take_if(|_| list.class != Class::Plain) {
                Some(others) => Some(others),
                None => self.add_stored(list, heap, sums)?,
            };
            if let Some(others) = others {
                unsure.extend(others);
                summed = Some(list);
                continue;
            }
            let mut reader = list.read();
            while pages.sound(reader.next(pages, segment, &mut block))? {
                if block.notes.is_empty() {
                    unsure.extend_from_slice(&block.games);
                    continue;
                }
                let before = games.len();
                games.extend(block.games.iter().zip(&block.notes).map(|(game, note)| (*game, asked.played(*note))));
                move_unsure(&mut games, before, &mut unsure);
                if decides {
                    games[before..].iter().for_each(|(game, _)| decided.add(*game));
                }
                if games.len() + block.games.len() > BATCH {
                    self.add_visible(heap, &mut games, sums)?;
                }
            }
            self.add_visible(heap, &mut games, sums)?;
        }
        pause::sort(&mut unsure);
        unsure.dedup();
        unsure.retain(|game| !decided.has(*game));
        if let Some(list) = summed.filter(|_| has_plain) {
            let known = stored::noted_in(pages, segment, list, &unsure)?.into_iter();
            let mut known = known.filter(|(_, note)| asked.played(*note) != UNSURE).peekable();
            unsure.retain(|game| known.next_if(|(known, _)| known == game).is_none());
        }
        self.add_replayed(heap, &unsure, sums)
    }

    /// Adds each game of any of the alternatives once.
    fn add_any(&mut self, heap: &mut Heap, sums: &mut Sums) -> Result<(), Replaced> {
        let Searched { pages, segment, asked, .. } = *self;
        let (mut decided, mut unsure) = (Games::none(segment.games), Games::none(segment.games));
        let (mut games, mut block): (Vec<Reaching>, _) = (Vec::new(), Block::default());
        for alternative in &asked.alternatives {
            for list in pages.sound(segment.lists(pages, &alternative.question))? {
                let is_exact = list.class != Class::Plain;
                let mut reader = list.read();
                while pages.sound(reader.next(pages, segment, &mut block))? {
                    for (nth, game) in block.games.iter().enumerate() {
                        if !is_exact || !alternative.is_reached(block.notes.get(nth)) {
                            unsure.add(*game);
                        } else if !decided.has(*game) {
                            decided.add(*game);
                            games.push((*game, 0));
                        }
                    }
                    if games.len() > BATCH {
                        self.add_visible(heap, &mut games, sums)?;
                    }
                }
                self.add_visible(heap, &mut games, sums)?;
            }
        }
        let unsure: Vec<u32> = unsure.each().filter(|game| !decided.has(*game)).collect();
        self.add_replayed(heap, &unsure, sums)
    }

    /// Adds each game that has the patterns.
    fn add_with_patterns(&mut self, patterns: &Patterns, heap: &mut Heap, sums: &mut Sums) -> Result<(), Replaced> {
        let all = self.with_pattern(patterns.conditions.first())?;
        let (mut decided, mut unsure) = (all.decided, all.unsure);
        // Each pattern is looked up by itself: together, lists that are longer than their use would be left out.
        for condition in patterns.conditions.iter().skip(1) {
            let other = self.with_pattern(Some(condition))?;
            for ((decided, unsure), (other, perhaps)) in
                decided.0.iter_mut().zip(&mut unsure.0).zip(other.decided.0.iter().zip(&other.unsure.0))
            {
                *unsure = (*unsure & (other | perhaps)) | (*decided & perhaps);
                *decided &= other;
            }
        }
        let key = match &patterns.key {
            Some(key) => self.with_pattern(Some(key))?,
            None => WithPattern { decided: Games::none(0), unsure: Games::none(0) },
        };
        for (word, perhaps) in key.unsure.0.iter().enumerate() {
            unsure.0[word] |= decided.0[word] & perhaps;
            decided.0[word] &= !perhaps;
        }
        let mut games: Vec<Reaching> = Vec::new();
        for game in decided.each() {
            games.push((game, if key.decided.has(game) { HAS_KEY } else { 0 }));
            if games.len() >= BATCH {
                self.add_visible(heap, &mut games, sums)?;
            }
        }
        self.add_visible(heap, &mut games, sums)?;
        self.add_replayed(heap, &unsure.each().collect::<Vec<u32>>(), sums)
    }

    /// The games that have a pattern. Dead ones are left out of the lists, but not where no key narrows the search.
    fn with_pattern(&self, condition: Option<&Condition>) -> Result<WithPattern, Replaced> {
        let Searched { pages, segment, .. } = *self;
        let conditions = condition.map(slice::from_ref).unwrap_or_default();
        let mut of = WithPattern { decided: Games::none(segment.games), unsure: Games::none(segment.games) };
        match of_conditions(pages, segment, conditions)? {
            Some(found) => {
                let to = if found.are_certain { &mut of.decided } else { &mut of.unsure };
                found.games.iter().for_each(|game| to.add(*game));
            }
            None => (0..segment.games).for_each(|game| of.unsure.add(game)),
        }
        Ok(of)
    }

    /// The hash of a list that may have sums.
    fn summed(&self, list: &List) -> Option<u64> {
        let has_sums = |stored: StoredSums| list.class != Class::Plain && list.count >= stored.least;
        self.asked.question.exact.first().copied().filter(|_| self.segment.sums.is_some_and(has_sums))
    }

    /// What the segment stores about a list, if it decides what is asked.
    pub fn stored(&self, list: &List) -> Result<Option<ListSums>, Replaced> {
        let Searched { pages, segment, asked, .. } = *self;
        match self.summed(list).filter(|_| asked.conditions.are_none()) {
            Some(hash) => pages.sound(segment.sums(pages, hash)),
            None => Ok(None),
        }
    }

    /// The stored sums of the games of a list that meet the conditions, if they are known.
    fn stored_sums(&self, list: &List) -> Result<Option<Vec<stored::Sum>>, Replaced> {
        let Searched { pages, segment, asked, .. } = *self;
        match self.summed(list).filter(|_| !asked.conditions.are_none()) {
            Some(hash) => pages.sound(segment.sums_of_met(pages, hash, asked.conditions.filters())),
            None => Ok(self.stored(list)?.map(|stored| stored.sums)),
        }
    }

    /// Adds the games of a list by its stored sums, except for those whose notes do not tell the continuation, which it
    /// returns. Returns `None`, and adds nothing, if the sums cannot answer.
    fn add_stored(&self, list: &List, heap: &mut Heap, sums: &mut Sums) -> Result<Option<Vec<u32>>, Replaced> {
        let Searched { pages, segment, asked, .. } = *self;
        let columns_fit =
            !sums.is_list() && sums.reported.is_none() && (!asked.has_sums || asked.columns == stored::COLUMNS);
        let stored = if columns_fit { self.stored_sums(list)? } else { None };
        let Some(stored) = stored else { return Ok(None) };
        let Some(suspects) = stored::suspects(pages, segment, list, self.unseen, self.dead, heap)? else {
            return Ok(None);
        };
        let is_sure = |sum: &stored::Sum| asked.played(sum.note) != UNSURE;
        let conditions = &asked.conditions;
        let stored = stored::of_visible(pages, segment, list, conditions, stored, &suspects, heap)?;
        let Some(stored) = stored else { return Ok(None) };
        let mut others = Vec::new();
        if !stored.iter().all(is_sure) {
            let (mut reader, mut block) = (list.read(), Block::default());
            while pages.sound(reader.next(pages, segment, &mut block))? {
                let unsure = block.games.iter().zip(&block.notes).filter(|(_, note)| asked.played(**note) == UNSURE);
                others.extend(unsure.map(|(game, _)| *game));
            }
        }
        for sum in stored.iter().filter(|sum| is_sure(sum)) {
            match asked.has_sums {
                true => sums.add_stored(asked.played(sum.note), segment.number, sum),
                false => sums.counted += i64::from(sum.games),
            }
        }
        Ok(Some(others))
    }

    /// Adds the visible games of a batch that meet the conditions, and empties the batch.
    pub fn add_visible(&mut self, heap: &mut Heap, games: &mut Vec<Reaching>, sums: &mut Sums) -> Result<(), Replaced> {
        let Searched { pages, segment, .. } = *self;
        // First the visibility map, then the mask.
        let mut unseen = Vec::new();
        let nearby = self.may_be_unseen(games);
        if !nearby.is_empty() {
            let sure = |blocks| heap.are_visible_pages(blocks);
            pages.sound(segment.rows_outside(pages, &nearby, sure, |(game, played), row| {
                if !heap.is_visible_page(row.block) {
                    unseen.push((game, (played, row)));
                }
            }))?;
            let mut others = unseen.iter().peekable();
            games.retain(|(game, _)| others.next_if(|(unseen, _)| unseen == game).is_none());
        }
        self.dead.leave(pages, segment, games)?;
        self.add_up(games, true, sums)?;
        games.clear();
        if unseen.is_empty() {
            return self.pass_on(sums);
        }
        self.retain_met(&mut unseen)?;
        self.dead.leave(pages, segment, &mut unseen)?;
        let mut seen: Vec<Reaching> = Vec::new();
        heap.each(
            &unseen,
            |(_, (_, row))| Some(*row),
            |heap, (game, (played, row))| seen.extend(heap.fetch(*row).then_some((*game, *played))),
        );
        self.add_up(&seen, false, sums)?;
        self.pass_on(sums)
    }

    /// Passes the games that were added on, if they are to be sorted.
    fn pass_on(&self, sums: &mut Sums) -> Result<(), Replaced> {
        let Searched { pages, segment, .. } = *self;
        let Some(leading) = &mut sums.leading else { return Ok(()) };
        leading.pass_on(|games, found| pages.sound(segment.rows(pages, games, |(_, number), row| found(number, row))))
    }

    /// Those of some ascending games that may lie on pages that are not all-visible.
    fn may_be_unseen(&self, games: &[Reaching]) -> Vec<Reaching> {
        let (Some((first, _)), Some((last, _))) = (games.first(), games.last()) else { return Vec::new() };
        let begin = self.unseen.partition_point(|range| range.end <= *first);
        let near = self.unseen[begin..].iter().take_while(|range| range.start <= *last);
        let place = |number: u32| games.partition_point(|(game, _)| *game < number);
        near.flat_map(|range| &games[place(range.start)..place(range.end)]).copied().collect()
    }

    /// Adds those of the games that meet the conditions and reach the position, by a replay of each.
    pub fn add_replayed(&mut self, heap: &mut Heap, games: &[u32], sums: &mut Sums) -> Result<(), Replaced> {
        let Searched { pages, segment, asked, .. } = *self;
        for games in games.chunks(BATCH) {
            let mut games = games.to_vec();
            self.retain_met(&mut games)?;
            self.dead.leave(pages, segment, &mut games)?;
            let mut rows = Vec::with_capacity(games.len());
            pages.sound(segment.rows(pages, &games, |game, row| rows.push((game, row))))?;
            let mut reaching: Vec<Reaching> = Vec::new();
            heap.each(
                &rows,
                |(_, row)| Some(*row),
                |heap, (game, row)| {
                    let played = heap.game(*row, |game| asked.replay(game)).flatten();
                    reaching.extend(played.map(|played| (*game, played)));
                },
            );
            self.add_up(&reaching, false, sums)?;
            self.pass_on(sums)?;
        }
        Ok(())
    }

    /// Keeps the games that meet the conditions.
    fn retain_met<G: OfGame + Copy>(&self, games: &mut Vec<G>) -> Result<(), Replaced> {
        let Searched { pages, segment, asked, .. } = *self;
        if asked.conditions.are_none() {
            return Ok(());
        }
        if segment.columns == 0 {
            if !asked.conditions.are_met(|_| None) {
                games.clear();
            }
            return Ok(());
        }
        let mut kept = Vec::with_capacity(games.len());
        pages.sound(segment.attributes(pages, games, |attributes, here| {
            let is_met = |game: &&G| asked.conditions.are_met(|column| attributes.value(column, game.game()));
            kept.extend(here.iter().filter(is_met).copied());
        }))?;
        *games = kept;
        Ok(())
    }

    /// Adds games with their attributes; with `tests`, only those that meet the conditions.
    fn add_up(&mut self, games: &[Reaching], tests: bool, sums: &mut Sums) -> Result<(), Replaced> {
        let Searched { pages, segment, asked, ref mut columns, ref mut met, .. } = *self;
        let tests = tests && !asked.conditions.are_none();
        if sums.reported.is_some() {
            return self.report(games, tests, sums);
        }
        let is_met = !tests || segment.columns > 0 || asked.conditions.are_met(|_| None);
        if !asked.has_sums && (!tests || segment.columns == 0) {
            sums.counted += if is_met { games.len() as i64 } else { 0 };
            return Ok(());
        }
        let place = |game| Place::Game(segment.number, game);
        if segment.columns == 0 {
            let games = games.iter().filter(|_| is_met);
            games.for_each(|(game, played)| sums.add(*played, [None; 4], place(*game)));
            return Ok(());
        }
        let is_summed = |column: &usize| stored::COLUMNS.contains(column) || *column == usize::MAX;
        let is_whole = sums.leading.as_ref().is_none_or(|leading| leading.is_whole);
        if !tests && is_whole && games.len() <= known::MOST_GAMES && asked.columns.iter().all(is_summed) {
            let values = known::values_of(pages, segment, games.iter().map(|(game, _)| *game).collect())?;
            for ((game, played), values) in games.iter().zip(values.iter()) {
                let values = asked.columns.map(|column| values.get(column).copied().flatten());
                sums.add(*played, values, place(*game));
            }
            return Ok(());
        }
        pages.sound(segment.attributes(pages, games, |attributes, here| {
            let is_dense = here.len() >= attributes.count as usize / if tests { SPARSE_TESTED } else { SPARSE };
            if !is_dense || sums.is_list() || !columns.begin(attributes, &asked.read) {
                let value = |column, game| attributes.value(column, game);
                for (game, played) in here {
                    if !tests || asked.conditions.are_met(|column| value(column, *game)) {
                        match asked.has_sums {
                            true => sums.add(*played, asked.columns.map(|column| value(column, *game)), place(*game)),
                            false => sums.counted += 1,
                        }
                    }
                }
                return;
            }
            if tests {
                let has_any = asked.conditions.mark(attributes, columns, met);
                if !has_any {
                    return;
                }
            }
            if !asked.has_sums {
                let is_met = |(game, _): &Reaching| met.get((game - attributes.first) as usize) == Some(&true);
                sums.counted += here.iter().map(|of| i64::from(is_met(of))).sum::<i64>();
                return;
            }
            sums.add_page(here, segment.number, attributes, columns, asked.columns, tests.then_some(&met[..]));
        }))
    }

    /// Adds games with their attributes also to the groups of a report.
    fn report(&mut self, games: &[Reaching], tests: bool, sums: &mut Sums) -> Result<(), Replaced> {
        let Searched { pages, segment, asked, .. } = *self;
        let mut add = |(game, played): Reaching, value: &dyn Fn(usize) -> Value| {
            if !tests || asked.conditions.are_met(value) {
                match asked.has_sums {
                    true => sums.add(played, asked.columns.map(value), Place::Game(segment.number, game)),
                    false => sums.counted += 1,
                }
                sums.report(played, value);
            }
        };
        if segment.columns == 0 {
            games.iter().for_each(|game| add(*game, &|_| None));
            return Ok(());
        }
        pages.sound(segment.attributes(pages, games, |attributes, here| {
            here.iter().for_each(|game| add(*game, &|column| attributes.value(column, game.0)));
        }))
    }
}

/// Moves the games from `from` on whose continuation is not known.
fn move_unsure(games: &mut Vec<Reaching>, from: usize, unsure: &mut Vec<u32>) {
    if games[from..].iter().any(|(_, played)| *played == UNSURE) {
        let here = games.drain(from..).collect::<Vec<_>>();
        let (others, known): (Vec<Reaching>, _) = here.iter().partition(|(_, played)| *played == UNSURE);
        unsure.extend(others.iter().map(|(game, _)| game));
        games.extend::<Vec<_>>(known);
    }
}
