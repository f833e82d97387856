//! What a program sees of a moment: the pieces as sets, their numbers, and the half-move that was made.
//!
//! Takes the mailbox board of a replay after each half-move; returns sets kept up to date by three
//! exclusive ors, and what the half-move has changed. The squares keep a copy of their contents, so that
//! the replay need not say what it has taken.

use super::program::{ALWAYS, Causes};
use super::tree::Contents;
use crate::board::Board;
use crate::board::kinds::{KING, NO_KIND, ROOK};
use crate::game::pieces::Pieces;
use crate::game::seating::Start;
use crate::game::state::{Course, Home, LastMove};

/// A position and the half-move that led to it.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    /// Squares by kind; those of [`NO_KIND`] are empty.
    pub sets: [u64; 16],
    /// How many there are of each kind.
    pub counts: [u8; 16],
    /// The kind on each square.
    kinds: [u8; 64],
    /// The number of pieces.
    pub total: u32,
    /// Side to move: 0 White, 1 Black.
    pub turn: u32,
    /// What can only be lost, as in [`Course`]; of a board the castling rights.
    home: Home,
    /// The number of the half-move, 0 for the start.
    pub ply: u32,
    /// Whether the game ends here.
    pub is_last: bool,
    pub is_mate: bool,
    pub is_stalemate: bool,
    last: Last,
    before: Last,
}

/// A half-move, as little as must be kept of each.
#[derive(Clone, Copy, Debug)]
struct Last {
    squares: LastMove,
    /// The kind that moved, [`NO_KIND`] if there was no half-move.
    mover: u8,
    taken: u8,
    castled: u8,
    en_passant: bool,
}

impl Last {
    const NONE: Last = Last { squares: LastMove::NONE, mover: NO_KIND, taken: NO_KIND, castled: 0, en_passant: false };
}

/// A half-move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Played {
    /// The kind that moved, as it was before.
    pub mover: u8,
    pub from: u8,
    pub to: u8,
    /// The kind that was taken, or [`NO_KIND`].
    pub taken: u8,
    /// Where it stood.
    pub taken_at: u8,
    /// The kind that a pawn promoted to, or [`NO_KIND`].
    pub promoted: u8,
    /// Castling as a bit: O-O, O-O-O, o-o, o-o-o.
    pub castled: u8,
    pub en_passant: bool,
    /// Whether the half-move before took something on the square entered, and so does this.
    pub retakes: bool,
}

impl Moment {
    /// The start of a game.
    pub fn start(start: &Start) -> Moment {
        let mut moment = Moment::of(&start.pieces.kinds());
        moment.turn = start.state.course.turn & 1;
        moment.home = start.state.course.home;
        moment
    }

    /// In the course of a game, as if no half-move had led there.
    pub fn after(pieces: &Pieces, state: Course, ply: u32) -> Moment {
        let mut moment = Moment::of(&pieces.kinds());
        moment.turn = state.turn & 1;
        moment.home = state.home;
        moment.ply = ply;
        moment
    }

    /// A board that is not part of a game.
    pub fn board(board: &Board) -> Moment {
        let mut moment = Moment::of(&board.kinds);
        moment.turn = board.turn.into();
        for side in 0..2u8 {
            let color = usize::from(side);
            let king = moment.sets[usize::from(6 * side + KING)].trailing_zeros() as u8 & 7;
            for file in crate::board::squares::members(board.castling[color].into()) {
                let right = 1 << (2 * side + u8::from(file < king));
                moment.home = moment.home.or(Home::new(0, right));
            }
        }
        moment
    }

    fn of(kinds: &[u8; 64]) -> Moment {
        let mut moment = Moment {
            sets: [0; 16],
            counts: [0; 16],
            kinds: *kinds,
            total: 0,
            turn: 0,
            home: Home(0),
            ply: 0,
            is_last: false,
            is_mate: false,
            is_stalemate: false,
            last: Last::NONE,
            before: Last::NONE,
        };
        for (square, kind) in kinds.iter().enumerate() {
            let kind = usize::from(*kind & 15);
            moment.sets[kind] |= 1 << square;
            moment.counts[kind] += 1;
        }
        moment.total = 64 - u32::from(moment.counts[usize::from(NO_KIND)]);
        moment
    }

    /// Occupied squares.
    pub fn occupied(&self) -> u64 {
        !self.sets[usize::from(NO_KIND)]
    }

    /// The squares of a side's pieces.
    pub fn of_side(&self, side: usize) -> u64 {
        self.sets[6 * side..6 * side + 6].iter().fold(0, |set, of| set | of)
    }

    /// The kind on a square.
    pub fn kind_at(&self, square: u8) -> u8 {
        self.kinds[usize::from(square & 63)]
    }

    /// Castling rights: White's O-O and O-O-O, Black's.
    pub fn rights(&self) -> u8 {
        self.home.castling() as u8 & 15
    }

    /// The half-move, if there was one.
    pub fn played(&self) -> Option<Played> {
        let Last { squares, mover, taken, castled, en_passant } = self.last;
        if mover == NO_KIND {
            return None;
        }
        let (from, to) = (squares.from() as u8, squares.to() as u8);
        let promotes = castled == 0 && squares.is_promotion();
        Some(Played {
            mover,
            from,
            to,
            taken,
            taken_at: if en_passant { from & 56 | to & 7 } else { to },
            promoted: if promotes { self.kind_at(to) } else { NO_KIND },
            castled,
            en_passant,
            retakes: taken != NO_KIND && self.before.taken != NO_KIND && self.before.squares.to() as u8 == to,
        })
    }

    /// Takes in the half-move that a replay has just played; returns what has changed.
    #[inline(always)]
    pub fn follow(&mut self, pieces: &Pieces, state: Course) -> Causes {
        self.before = self.last;
        self.turn = state.turn & 1;
        self.home = state.home;
        self.ply = self.ply.wrapping_add(1);
        if state.last.is_castling() {
            return self.castle(pieces, state);
        }
        let (from, to) = (state.last.from(), state.last.to());
        let (left, entered) = (1u64 << from, 1u64 << to);
        let mover = self.kinds[from] & 15;
        let taken = self.kinds[to] & 15;
        self.sets[usize::from(mover)] ^= left | entered;
        self.sets[usize::from(taken)] ^= entered;
        self.sets[usize::from(NO_KIND)] ^= left;
        self.kinds[from] = NO_KIND;
        self.kinds[to] = mover;
        self.last = Last { squares: state.last, mover, taken, castled: 0, en_passant: false };
        let changed = ALWAYS | 1 << mover;
        if taken != NO_KIND {
            let more = if state.last.is_promotion() { self.promote(pieces) } else { 0 };
            return changed | self.take(taken) | more;
        }
        if state.last.is_rare_pawn_move() {
            return changed | self.promote(pieces);
        }
        changed
    }

    /// A piece has left the board.
    #[inline]
    fn take(&mut self, taken: u8) -> Causes {
        let count = &mut self.counts[usize::from(taken & 15)];
        *count = count.wrapping_sub(1);
        self.total = self.total.wrapping_sub(1);
        1 << taken | 1 << (12 + taken)
    }

    /// What few half-moves do: a pawn promotes, or takes en passant.
    #[inline(never)]
    fn promote(&mut self, pieces: &Pieces) -> Causes {
        let (from, to) = (self.last.squares.from(), self.last.squares.to());
        let mover = self.last.mover;
        if self.last.squares.is_promotion() {
            let promoted = pieces.kind_at(to) & 15;
            self.sets[usize::from(mover)] ^= 1 << to;
            self.sets[usize::from(promoted)] ^= 1 << to;
            self.kinds[to] = promoted;
            for (kind, by) in [(mover, u8::MAX), (promoted, 1)] {
                let count = &mut self.counts[usize::from(kind)];
                *count = count.wrapping_add(by);
            }
            return 1 << promoted | 1 << (12 + mover) | 1 << (12 + promoted);
        }
        if self.last.taken != NO_KIND {
            return 0;
        }
        let passed = from & 56 | to & 7;
        let taken = self.kinds[passed] & 15;
        self.last.en_passant = true;
        self.last.taken = taken;
        if taken == NO_KIND {
            return 0;
        }
        self.sets[usize::from(taken)] ^= 1 << passed;
        self.sets[usize::from(NO_KIND)] ^= 1 << passed;
        self.kinds[passed] = NO_KIND;
        self.take(taken)
    }

    #[inline(never)]
    fn castle(&mut self, pieces: &Pieces, state: Course) -> Causes {
        // The side to move has changed already.
        let side = (state.turn & 1 ^ 1) as u8;
        let rank = 56 * side;
        let king = 6 * side + KING;
        let from = self.sets[usize::from(king)].trailing_zeros() as u8 & 63;
        let to = pieces.square[16 * usize::from(side)] & 63;
        for square in rank..rank + 8 {
            let (old, new) = (self.kinds[usize::from(square)] & 15, pieces.kind_at(square.into()) & 15);
            self.sets[usize::from(old)] &= !(1 << square);
            self.sets[usize::from(new)] |= 1 << square;
            self.kinds[usize::from(square)] = new;
        }
        self.last = Last {
            squares: LastMove::new(from.into(), to.into()),
            mover: king,
            taken: NO_KIND,
            castled: 1 << (2 * side + u8::from(to & 7 == 2)),
            en_passant: false,
        };
        ALWAYS | 1 << king | 1 << (6 * side + ROOK)
    }
}

impl Played {
    /// Whether it took something.
    pub fn takes(&self) -> bool {
        self.taken != NO_KIND
    }

    /// What stood on the square entered; nothing for en passant.
    pub fn stood(&self) -> Contents {
        if self.en_passant { 1 << NO_KIND } else { 1 << self.taken }
    }
}
