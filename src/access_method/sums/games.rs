//! The visible games that reach a position and meet conditions.
//!
//! Takes a question and an index; calls a function with each game. An exact list has the games that reach the position by
//! half-move 28, with the move that each of them plays. The table is asked for games that the lists do not decide: where
//! rights of castling or en passant differ, before promotions, and candidates of plain lists. Pending games are replayed.

use chess_index::attributes::Value;
use chess_index::block::Block;
use chess_index::key::Class;
use chess_index::meta::{Meta, State};
use chess_index::rows::Row;
use chess_index::search::OfGame;
use chess_index::segment::Segment;

use crate::access_method::pages::Index;
use crate::access_method::pending;
use crate::access_method::segments::{PartPages, Replaced};
use crate::access_method::sums::asked::{Asked, Played};
use crate::access_method::sums::heap::Heap;

/// Games that are looked at together.
const BATCH: usize = 8192;

/// Where more games of a page than one in so many are summed, whole columns are decoded.
const SPARSE: usize = 6;

/// A game of a segment and what it plays.
type Reaching = (u32, Played);

/// The attributes that are summed: ratings of White and Black, result, day.
pub type Values = [Value; 4];

/// Where the row pointer of a game is.
#[derive(Clone, Copy)]
pub enum Place {
    Row(Row),
    /// The number of a segment, and of the game in it.
    Game(u32, u32),
}

/// A game that reaches the position.
pub struct Found {
    pub place: Place,
    pub played: Played,
    /// NULL if only the number of games is asked for.
    pub values: Values,
}

/// Calls `found` with each visible game that reaches the position and meets the conditions.
pub fn each_game(
    index: Index,
    meta: &Meta,
    asked: &Asked,
    heap: &mut Heap,
    found: &mut impl FnMut(Found),
) -> Result<(), Replaced> {
    heap.look();
    for part in meta.in_state(State::Live) {
        let pages = PartPages::new(index, part);
        let segment = pages.open()?;
        Searched { pages: &pages, segment: &segment, asked }.each_game(heap, found)?;
    }
    for part in meta.in_state(State::Closed).chain([&meta.pending]) {
        let pages = PartPages::new(index, part);
        for page in 0..part.pages {
            let mut reached = Vec::new();
            pending::each_row(index, &pages, page, |row, values, game| {
                let value = |column: usize| values.get(column).copied().flatten();
                if let Some(game) = game
                    && asked.conditions.are_met(value)
                    && let Some(played) = asked.replay(pending::decode(index, &pages, page, game))
                {
                    reached.push((row, played, asked.columns.map(value)));
                }
            })?;
            for (row, played, values) in reached {
                if heap.fetch(row) {
                    found(Found { place: Place::Row(row), played, values });
                }
            }
        }
    }
    Ok(())
}

/// A segment that is searched.
struct Searched<'a> {
    pages: &'a PartPages<'a>,
    segment: &'a Segment,
    asked: &'a Asked,
}

impl Searched<'_> {
    fn each_game(&self, heap: &mut Heap, found: &mut impl FnMut(Found)) -> Result<(), Replaced> {
        let Searched { pages, segment, asked } = self;
        let lists = pages.sound(segment.lists(*pages, &asked.question))?;
        // Games that a list does not decide, and those that one has, which count once.
        let mut unsure: Vec<u32> = Vec::new();
        let has_plain = lists.iter().any(|list| list.class == Class::Plain);
        let mut decided = vec![0u64; if has_plain { (segment.games as usize).div_ceil(64) } else { 0 }];
        let mut games: Vec<Reaching> = Vec::with_capacity(BATCH);
        let mut block = Block::default();
        for list in &lists {
            let mut reader = list.read();
            while pages.sound(reader.next(*pages, segment, &mut block))? {
                if block.notes.is_empty() {
                    unsure.extend_from_slice(&block.games);
                    continue;
                }
                for (game, note) in block.games.iter().zip(&block.notes) {
                    match asked.played(*note) {
                        Some(played) => {
                            games.push((*game, played));
                            if let Some(word) = decided.get_mut(*game as usize / 64) {
                                *word |= 1 << (game % 64);
                            }
                        }
                        None => unsure.push(*game),
                    }
                }
                if games.len() + block.games.len() > BATCH {
                    self.visible(heap, &mut games, found)?;
                }
            }
            self.visible(heap, &mut games, found)?;
        }
        unsure.sort_unstable();
        unsure.dedup();
        unsure.retain(|game| decided.get(*game as usize / 64).is_none_or(|word| word >> (game % 64) & 1 == 0));
        self.replayed(heap, &unsure, found)
    }

    /// Calls `found` with the visible games of a batch that meet the conditions, and empties the batch.
    fn visible(
        &self,
        heap: &mut Heap,
        games: &mut Vec<Reaching>,
        found: &mut impl FnMut(Found),
    ) -> Result<(), Replaced> {
        let Searched { pages, segment, .. } = self;
        // First the visibility map, then the mask.
        if heap.is_all_visible() {
            pages.sound(segment.retain_living(*pages, games))?;
            self.add_up(games, true, found)?;
        } else {
            self.retain_met(games)?;
            let mut unseen = Vec::new();
            pages.sound(segment.rows(*pages, games, |(game, _), row| {
                if !heap.is_visible_page(row.block) {
                    unseen.push((game, row));
                }
            }))?;
            pages.sound(segment.retain_living(*pages, games))?;
            let mut unseen = unseen.into_iter().peekable();
            games.retain(|(game, _)| {
                while unseen.next_if(|(unseen, _)| unseen < game).is_some() {}
                unseen.next_if(|(unseen, _)| unseen == game).is_none_or(|(_, row)| heap.fetch(row))
            });
            self.add_up(games, false, found)?;
        }
        games.clear();
        Ok(())
    }

    /// Calls `found` with those of the games that meet the conditions and reach the position, by a replay of each.
    fn replayed(&self, heap: &mut Heap, games: &[u32], found: &mut impl FnMut(Found)) -> Result<(), Replaced> {
        let Searched { pages, segment, asked } = self;
        for games in games.chunks(BATCH) {
            let mut games = games.to_vec();
            self.retain_met(&mut games)?;
            pages.sound(segment.retain_living(*pages, &mut games))?;
            let mut rows = Vec::with_capacity(games.len());
            pages.sound(segment.rows(*pages, &games, |game, row| rows.push((game, row))))?;
            let played = |(game, row)| Some((game, heap.game(row, |game| asked.replay(game)).flatten()?));
            let reaching: Vec<Reaching> = rows.into_iter().filter_map(played).collect();
            self.add_up(&reaching, false, found)?;
        }
        Ok(())
    }

    /// Keeps the games that meet the conditions.
    fn retain_met<G: OfGame + Copy>(&self, games: &mut Vec<G>) -> Result<(), Replaced> {
        let Searched { pages, segment, asked } = self;
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
        pages.sound(segment.attributes(*pages, games, |attributes, here| {
            let is_met = |game: &&G| asked.conditions.are_met(|column| attributes.value(column, game.game()));
            kept.extend(here.iter().filter(is_met).copied());
        }))?;
        *games = kept;
        Ok(())
    }

    /// Calls `found` with games and their attributes; with `tests`, only with those that meet the conditions.
    fn add_up(&self, games: &[Reaching], tests: bool, found: &mut impl FnMut(Found)) -> Result<(), Replaced> {
        let Searched { pages, segment, asked } = self;
        let tests = tests && !asked.conditions.are_none();
        let mut add = |game: u32, played: Played, values: Values| {
            found(Found { place: Place::Game(segment.number, game), played, values });
        };
        if segment.columns == 0 {
            if !tests || asked.conditions.are_met(|_| None) {
                games.iter().for_each(|(game, played)| add(*game, *played, [None; 4]));
            }
            return Ok(());
        }
        if !tests && !asked.has_sums {
            games.iter().for_each(|(game, played)| add(*game, *played, [None; 4]));
            return Ok(());
        }
        let mut decoded: [Vec<Value>; 4] = Default::default();
        pages.sound(segment.attributes(*pages, games, |attributes, here| {
            let is_met = |game: u32| asked.conditions.are_met(|column| attributes.value(column, game));
            let columns = asked.columns.map(|column| attributes.column(column));
            let is_dense = asked.has_sums && here.len() >= attributes.count as usize / SPARSE;
            if is_dense {
                columns.iter().zip(&mut decoded).for_each(|(column, values)| column.decode(attributes.count, values));
            }
            for (game, played) in here {
                if tests && !is_met(*game) {
                    continue;
                }
                let nth = *game - attributes.first;
                let values = match (is_dense, asked.has_sums) {
                    (true, _) => [0, 1, 2, 3].map(|column| decoded[column][nth as usize]),
                    (false, true) => columns.map(|column| column.value(nth)),
                    (false, false) => [None; 4],
                };
                add(*game, *played, values);
            }
        }))
    }
}
