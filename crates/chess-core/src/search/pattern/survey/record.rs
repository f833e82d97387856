//! The record of a stretch of a game: which piece stands where, and which half-moves are played, at all of its moments.
//!
//! Takes the boards of a replay after each half-move. Returns, for each content and square, the moments at which it stands
//! there. Each change of a square puts down a whole range of moments, so that a half-move costs as much as it changes.

use super::grid::Grid;
use super::times::Times;
use crate::board::kinds::NO_KIND;
use crate::game::pieces::{EMPTY, Pieces};
use crate::game::state::Traced;
use crate::search::pattern::step::moment::Played;

/// Contents: the kinds, and nothing.
pub(super) const CONTENTS: usize = 13;

/// A set of squares that changes in the course of a stretch. Outside of the support it is empty at all moments, whatever its
/// grid says.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    pub grid: Box<Grid>,
    pub support: u64,
}

impl Places {
    #[inline(always)]
    fn add(&mut self, square: usize, times: Times) {
        let (bit, at) = (1 << (square & 63), &mut self.grid.0[square & 63]);
        *at = if self.support & bit == 0 { times } else { *at | times };
        self.support |= bit;
    }
}

/// The half-moves of a stretch.
#[derive(Clone, Debug, Default)]
pub(super) struct Moves {
    pub from: Places,
    pub to: Places,
    /// By kind; what is taken by [`NO_KIND`] if nothing is.
    pub mover: [Times; 16],
    pub taken: [Times; 16],
    pub promoted: [Times; 16],
    pub castled: [Times; 4],
    pub en_passant: Times,
    pub retakes: Times,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    pub contents: [Places; CONTENTS],
    pub moves: Moves,
    pub rights: [Times; 4],
    /// The number of moments.
    pub count: usize,
    /// The piece on each square and the castling rights after the last half-move, each with the moment it dates from.
    standing: Standing,
}

#[derive(Clone, Debug)]
struct Standing {
    content: [u8; 64],
    since: [u8; 64],
    rights: u32,
    rights_since: u8,
}

impl Default for Standing {
    fn default() -> Standing {
        Standing { content: [NO_KIND; 64], since: [0; 64], rights: 0, rights_since: 0 }
    }
}

impl Record {
    /// Begins a stretch with a position.
    pub fn begin(&mut self, pieces: &Pieces, rights: u32) {
        self.contents.iter_mut().for_each(|places| places.support = 0);
        let moves = &mut self.moves;
        (moves.from.support, moves.to.support) = (0, 0);
        (moves.mover, moves.taken, moves.promoted) = Default::default();
        (moves.castled, moves.en_passant, moves.retakes) = Default::default();
        self.rights = Default::default();
        self.count = 1;
        let content = std::array::from_fn(|square| pieces.kind_at(square) & 15);
        self.standing = Standing { content, since: [0; 64], rights, rights_since: 0 };
    }

    #[inline(always)]
    fn put(&mut self, square: usize, content: u8) {
        let (now, square) = (self.count, square & 63);
        let before = self.standing.content[square];
        if before == content {
            return;
        }
        let since = usize::from(self.standing.since[square]);
        self.contents[usize::from(before).min(CONTENTS - 1)]
            .add(square, Times::before(now).without(Times::before(since)));
        (self.standing.content[square], self.standing.since[square]) = (content, now as u8);
    }

    /// Takes in the next moment; there must be room for it.
    #[inline(always)]
    pub fn follow(&mut self, pieces: &Pieces, state: Traced) {
        let squares = state.course.last;
        if squares.is_castling() {
            let rank = 56 * (state.course.turn as usize & 1 ^ 1);
            (rank..rank + 8).for_each(|square| self.put(square, pieces.kind_at(square) & 15));
        } else {
            let (from, to) = (squares.from(), squares.to());
            if state.taken != EMPTY {
                let at = usize::from(pieces.square[usize::from(state.taken & 63)] & 63);
                if at != to {
                    self.put(at, NO_KIND);
                }
            }
            self.put(from, NO_KIND);
            self.put(to, pieces.kind_at(to) & 15);
        }
        let rights = state.course.home.castling();
        if rights != self.standing.rights {
            self.put_rights(rights);
        }
        self.count += 1;
    }

    fn put_rights(&mut self, rights: u32) {
        let since = usize::from(self.standing.rights_since);
        let times = Times::before(self.count).without(Times::before(since));
        for (right, at) in self.rights.iter_mut().enumerate() {
            if self.standing.rights >> right & 1 == 1 {
                *at |= times;
            }
        }
        (self.standing.rights, self.standing.rights_since) = (rights, self.count as u8);
    }

    /// Takes in the half-move that led to the latest moment.
    pub fn play(&mut self, played: &Played) {
        let now = self.count - 1;
        let mut times = Times::NONE;
        times.insert(now);
        let moves = &mut self.moves;
        moves.from.add(played.from.into(), times);
        moves.to.add(played.to.into(), times);
        moves.mover[usize::from(played.mover & 15)] |= times;
        if played.takes() {
            moves.taken[usize::from(played.taken & 15)] |= times;
        }
        if played.promoted != NO_KIND {
            moves.promoted[usize::from(played.promoted & 15)] |= times;
        }
        if played.castled != 0 {
            for (bit, castled) in moves.castled.iter_mut().enumerate() {
                if played.castled >> bit & 1 == 1 {
                    *castled |= times;
                }
            }
        }
        if played.en_passant {
            moves.en_passant |= times;
        }
        if played.retakes {
            moves.retakes |= times;
        }
    }

    /// Ends the stretch.
    pub fn end(&mut self) {
        for square in 0..64 {
            let since = usize::from(self.standing.since[square]);
            let content = usize::from(self.standing.content[square]).min(CONTENTS - 1);
            self.contents[content].add(square, Times::before(self.count).without(Times::before(since)));
        }
        self.put_rights(0);
        let Moves { mover, taken, .. } = &mut self.moves;
        let any = |times: &[Times; 16]| times[..CONTENTS - 1].iter().fold(Times::NONE, |all, n| all | *n);
        taken[usize::from(NO_KIND)] = any(mover).without(any(taken));
        // Whether a square is empty is asked without the support.
        let empty = &mut self.contents[usize::from(NO_KIND)];
        for square in 0..64 {
            if empty.support >> square & 1 == 0 {
                empty.grid.0[square] = Times::NONE;
            }
        }
    }
}
