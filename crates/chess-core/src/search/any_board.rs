//! Searches a game for any of many boards.
//!
//! Takes boards once, then games; returns the first half-move after which one of the boards occurs. Each position of a
//! game is looked up by its key, so a hundred thousand boards take no longer than a few. Boards with the same key are
//! compared as in [`Finder`].

use crate::board::Board;
use crate::board::key::position_key;
use crate::game::pieces::Pieces;
use crate::game::replay::Replay;
use crate::game::seating::Start;
use crate::game::state::{Counted, Full, State};
use crate::game::{CorruptGame, GameRef};
use crate::pause;
use crate::search::finder::{Finder, Matching};

/// Boards, prepared for the search in many games.
#[derive(Clone, Debug, Default)]
pub struct AnyFinder {
    /// Position keys, sorted, with the index of their board.
    keys: Vec<(u64, u32)>,
    /// A bit for the lowest bits of each key; nearly every position is excluded by it.
    filter: Vec<u64>,
    finders: Vec<Finder>,
    /// The least and the greatest number of pieces on a board.
    pieces: (u32, u32),
    /// The union of the boards' pawns on their second rank.
    home_pawns: u16,
}

impl AnyFinder {
    /// Adds a board. Before the search, call [`AnyFinder::prepare`].
    pub fn add(&mut self, board: &Board) {
        let count = board.occupied().count_ones();
        let (least, most) = if self.finders.is_empty() { (count, count) } else { self.pieces };
        self.pieces = (least.min(count), most.max(count));
        self.home_pawns |= board.home_pawns();
        self.keys.push((position_key(board), self.finders.len() as u32));
        self.finders.push(Finder::new(board, Matching::Position));
    }

    /// Prepares the search.
    pub fn prepare(&mut self) {
        pause::sort(&mut self.keys);
        // 32 bits per board, so that one position in 32 is looked up in vain.
        self.filter = vec![0; (self.keys.len() / 2).next_power_of_two()];
        for (key, _) in &self.keys {
            let (word, bit) = place(self.filter.len(), *key);
            self.filter[word] |= bit;
        }
    }

    /// The first half-move after which one of the boards occurs, 0 is the start; and the number of the board, in the order in
    /// which they were added: of equal boards, the first.
    ///
    /// # Errors
    ///
    /// [`CorruptGame`] if the stored bytes do not decode. Only what had to be read is checked.
    pub fn find(&self, game: GameRef<'_>) -> Result<Option<(u32, usize)>, CorruptGame> {
        let remains = game.remains();
        if remains.home_pawns & !self.home_pawns != 0 || u32::from(remains.pieces) > self.pieces.1 {
            return Ok(None);
        }
        let start = game.start_position()?;
        let mut replay = Replay::<Full>::new(&start);
        if let Some(board) = self.standing(&start, &start.pieces, replay.state) {
            return Ok(Some((0, board)));
        }
        let mut found = None;
        let played = replay.run(game.moves(), u32::MAX, |pieces, state| {
            found = self.standing(&start, pieces, state);
            found.is_some() || state.count < self.pieces.0
        })?;
        Ok(found.map(|board| (played, board)))
    }

    /// The number of the board that stands.
    #[inline(always)]
    fn standing(&self, start: &Start, pieces: &Pieces, state: Full) -> Option<usize> {
        let (word, bit) = place(self.filter.len(), state.key);
        let may_stand = self.filter.get(word).is_some_and(|bits| bits & bit != 0);
        if may_stand { self.one_of_them(start, pieces, state) } else { None }
    }

    #[inline(never)]
    fn one_of_them(&self, start: &Start, pieces: &Pieces, state: Full) -> Option<usize> {
        let first = self.keys.partition_point(|(key, _)| *key < state.key);
        let same = self.keys[first..].iter().take_while(|(key, _)| *key == state.key);
        let mut numbers = same.map(|(_, board)| *board as usize);
        numbers.find(|board| self.finders[*board].stands(start, pieces, Counted::of(state)))
    }
}

/// The index of a word and the bit for a key, in a filter with `words` words, a power of two.
#[inline(always)]
fn place(words: usize, key: u64) -> (usize, u64) {
    ((key >> 6) as usize & words.wrapping_sub(1), 1 << (key & 63))
}
