//! The view that a program has of a moment: the pieces as sets, their numbers, and the half-move that was made.
//!
//! Takes the mailbox board of a replay after each half-move; keeps the sets up to date with a few exclusive ors, and
//! returns what the half-move has changed. Everything else about a moment is read from the replay only when the moment is
//! judged.

use crate::board::Board;
use crate::board::kinds::{KING, NO_KIND, PAWN, ROOK};
use crate::game::pieces::{EMPTY, Pieces};
use crate::game::seating::Start;
use crate::game::state::{Course, Home, LastMove, Traced};
use crate::search::pattern::language::tree::Contents;
use crate::search::pattern::program::Watch;
use crate::search::pattern::program::watch::{ALWAYS, Causes};

/// A position and the half-move that led to it.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Squares by kind; those of [`NO_KIND`] are empty.
    pub sets: [u64; 16],
    /// How many there are of each kind.
    pub counts: [u8; 16],
    /// The number of pieces.
    pub total: u32,
    /// Side to move: 0 White, 1 Black.
    pub turn: u32,
    /// Home pawns and castling rights, as in [`Course`]; of a board the castling rights only.
    home: Home,
    /// The number of the half-move, 0 for the start.
    pub ply: u32,
    /// Whether the game ends here.
    pub is_last: bool,
    pub is_mate: bool,
    pub is_stalemate: bool,
    last: Option<Played>,
}

/// A half-move as a replay has it.
#[derive(Clone, Copy, Debug)]
pub struct Trace {
    squares: LastMove,
    taken: u8,
}

impl Trace {
    pub const NONE: Trace = Trace { squares: LastMove::NONE, taken: EMPTY };

    #[inline(always)]
    pub fn of(state: Traced) -> Trace {
        Trace { squares: state.course.last, taken: state.taken }
    }

    /// Whether a piece was taken.
    #[inline(always)]
    pub fn takes(self) -> bool {
        self.taken != EMPTY
    }

    /// Whether the half-move has changed what is watched.
    #[inline(always)]
    pub fn touches(self, pieces: &Pieces, turn: u32, watch: Watch) -> bool {
        if self.squares.is_castling() || self.squares.is_promotion() {
            return self.touches_rarely(pieces, turn, watch);
        }
        let mut squares = 1u64 << self.squares.from() | 1 << self.squares.to();
        if self.takes() {
            squares |= 1 << (pieces.square[usize::from(self.taken & 63)] & 63);
        }
        if squares & watch.squares == 0 {
            return false;
        }
        let mover = pieces.kind_at(self.squares.to()) & 15;
        if watch.movers >> mover & 1 == 0 {
            return false;
        }
        let mut causes = ALWAYS | 1 << mover;
        if self.takes() {
            causes |= gone(pieces.kind[usize::from(self.taken & 63)] & 15);
        }
        causes & watch.causes != 0
    }

    #[inline(never)]
    fn touches_rarely(self, pieces: &Pieces, turn: u32, watch: Watch) -> bool {
        let side = turn & 1 ^ 1;
        if self.squares.is_castling() {
            let movers = 1 << (6 * side + u32::from(KING));
            let causes = ALWAYS | (1 << KING | 1 << ROOK) << (6 * side);
            return Watch { movers, causes, squares: 0xff << (56 * side) }.meets(watch);
        }
        let squares = 1u64 << self.squares.from() | 1 << self.squares.to();
        let pawn = (6 * side) as u8 + PAWN;
        let promoted = pieces.kind_at(self.squares.to()) & 15;
        let mut causes = ALWAYS | gone(pawn) | gone(promoted);
        if self.takes() {
            causes |= gone(pieces.kind[usize::from(self.taken & 63)] & 15);
        }
        Watch { movers: 1 << pawn, causes, squares }.meets(watch)
    }
}

/// What changes when a piece of a kind comes or goes: its squares and its number.
#[inline(always)]
fn gone(kind: u8) -> Causes {
    1 << kind | 1 << (12 + kind)
}

/// A half-move.
#[derive(Clone, Copy, Debug)]
pub struct Played {
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
        Moment::after(&start.pieces, start.state.course, 0)
    }

    /// In the course of a game, as if no half-move had led there.
    pub fn after(pieces: &Pieces, state: Course, ply: u32) -> Moment {
        let mut moment = Moment::EMPTY;
        moment.set_up(pieces, state, ply);
        moment
    }

    /// Replaces the moment by a position of a replay.
    pub fn set_up(&mut self, pieces: &Pieces, state: Course, ply: u32) {
        self.sets = [0; 16];
        self.counts = [0; 16];
        for unit in 0..usize::from(EMPTY) {
            let square = pieces.square[unit] & 63;
            let kind = usize::from(pieces.kind[unit] & 15);
            // What has been taken has left its square to another, or to nothing.
            let here = u8::from(usize::from(pieces.unit[usize::from(square)]) == unit);
            self.sets[kind] |= u64::from(here) << square;
            self.counts[kind] += here;
        }
        self.turn = state.turn & 1;
        self.home = state.home;
        self.ply = ply;
        (self.is_last, self.is_mate, self.is_stalemate) = (false, false, false);
        self.last = None;
        // What is no unit has no kind.
        let occupied = self.of_side(0) | self.of_side(1);
        self.sets[usize::from(NO_KIND)] = !occupied;
        self.total = occupied.count_ones();
    }

    /// A board that is not part of a game.
    pub fn board(board: &Board) -> Moment {
        let mut moment = Moment { turn: board.turn.into(), ..Moment::EMPTY };
        for (square, kind) in board.kinds.iter().enumerate() {
            let kind = usize::from(*kind & 15);
            moment.sets[kind] |= 1 << square;
            moment.counts[kind] += 1;
        }
        moment.total = 64 - u32::from(moment.counts[usize::from(NO_KIND)]);
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

    /// Nothing at all.
    pub const EMPTY: Moment = Moment {
        sets: [0; 16],
        counts: [0; 16],
        total: 0,
        turn: 0,
        home: Home(0),
        ply: 0,
        is_last: false,
        is_mate: false,
        is_stalemate: false,
        last: None,
    };

    /// Occupied squares.
    pub fn occupied(&self) -> u64 {
        !self.sets[usize::from(NO_KIND)]
    }

    /// The squares of a side's pieces.
    pub fn of_side(&self, side: usize) -> u64 {
        self.sets[6 * side..6 * side + 6].iter().fold(0, |set, of| set | of)
    }

    /// Castling rights: White's O-O and O-O-O, Black's.
    pub fn rights(&self) -> u8 {
        self.home.castling() as u8 & 15
    }

    /// The half-move, if there was one and [`Moment::settle_move`] has taken it in.
    pub fn played(&self) -> Option<&Played> {
        self.last.as_ref()
    }

    /// Takes in the half-move that a replay has just played, as far as the sets go; returns what has changed, and
    /// the squares where it did.
    #[inline(always)]
    pub fn follow(&mut self, pieces: &Pieces, state: Traced, played: Trace) -> Watch {
        let Trace { squares, taken } = played;
        if squares.is_castling() || squares.is_promotion() {
            return self.follow_rare(pieces, state, played);
        }
        let mover = pieces.kind_at(squares.to()) & 15;
        let touched = 1u64 << squares.from() | 1 << squares.to();
        self.sets[usize::from(mover)] ^= touched;
        self.sets[usize::from(NO_KIND)] ^= touched;
        let changed = Watch { movers: 1 << mover, causes: ALWAYS | 1 << mover, squares: touched };
        if taken == EMPTY { changed } else { changed.or(self.take(pieces, taken)) }
    }

    /// A unit has left the board.
    #[inline(always)]
    fn take(&mut self, pieces: &Pieces, unit: u8) -> Watch {
        let kind = pieces.kind[usize::from(unit & 63)] & 15;
        let square = 1u64 << (pieces.square[usize::from(unit & 63)] & 63);
        self.sets[usize::from(kind)] ^= square;
        self.sets[usize::from(NO_KIND)] ^= square;
        let count = &mut self.counts[usize::from(kind)];
        *count = count.wrapping_sub(1);
        self.total = self.total.wrapping_sub(1);
        Watch { movers: 0, causes: gone(kind), squares: square }
    }

    /// What few half-moves do: castling and promotions.
    #[inline(never)]
    fn follow_rare(&mut self, pieces: &Pieces, state: Traced, played: Trace) -> Watch {
        // The side to move has changed already.
        let side = state.turn & 1 ^ 1;
        let Trace { squares, taken } = played;
        if squares.is_castling() {
            let rank = 0xff << (56 * side);
            let (king, rook) = (6 * side + u32::from(KING), 6 * side + u32::from(ROOK));
            for kind in [king, rook, NO_KIND.into()] {
                let of_kind = |square: &u32| u32::from(pieces.kind_at(*square as usize) & 15) == kind;
                let here = (56 * side..56 * side + 8).filter(of_kind).fold(0, |set, square| set | 1 << square);
                let set = &mut self.sets[kind as usize];
                *set = *set & !rank | here;
            }
            return Watch { movers: 1 << king, causes: ALWAYS | 1 << king | 1 << rook, squares: rank };
        }
        let (left, entered) = (1u64 << squares.from(), 1u64 << squares.to());
        let pawn = (6 * side) as u8 + PAWN;
        let promoted = pieces.kind_at(squares.to()) & 15;
        self.sets[usize::from(pawn)] ^= left;
        self.sets[usize::from(promoted)] ^= entered;
        self.sets[usize::from(NO_KIND)] ^= left | entered;
        for (kind, by) in [(pawn, u8::MAX), (promoted, 1)] {
            let count = &mut self.counts[usize::from(kind)];
            *count = count.wrapping_add(by);
        }
        let causes = ALWAYS | gone(pawn) | gone(promoted);
        let changed = Watch { movers: 1 << pawn, causes, squares: left | entered };
        if taken == EMPTY { changed } else { changed.or(self.take(pieces, taken)) }
    }

    /// Takes in all else of the position after `ply` half-moves, except for the last half-move itself.
    #[inline(always)]
    pub fn settle(&mut self, state: Traced, ply: u32) {
        self.turn = state.turn & 1;
        self.home = state.home;
        self.ply = ply;
    }

    /// Takes in the last half-move; `before` is the half-move before it.
    #[inline(always)]
    pub fn settle_move(&mut self, start: &Start, pieces: &Pieces, state: Traced, before: Trace) {
        let Trace { squares, taken } = Trace::of(state);
        // The side to move has changed already.
        let side = (state.turn & 1 ^ 1) as u8;
        let pawn = 6 * side + PAWN;
        let played = if squares.is_castling() {
            let king = 16 * usize::from(side);
            let to = pieces.square[king] & 63;
            Played {
                mover: 6 * side + KING,
                // Who castles has not moved before.
                from: start.pieces.square[king] & 63,
                to,
                taken: NO_KIND,
                taken_at: to,
                promoted: NO_KIND,
                castled: 1 << (2 * side + u8::from(to & 7 == 2)),
                en_passant: false,
                retakes: false,
            }
        } else {
            let (from, to) = (squares.from() as u8, squares.to() as u8);
            let is_now = pieces.kind_at(to.into()) & 15;
            let promotes = squares.is_promotion();
            let takes = taken != EMPTY;
            let taken_at = if takes { pieces.square[usize::from(taken & 63)] & 63 } else { to };
            Played {
                mover: if promotes { pawn } else { is_now },
                from,
                to,
                taken: pieces.kind[usize::from(taken & 63)] & 15,
                taken_at,
                promoted: if promotes { is_now } else { NO_KIND },
                castled: 0,
                en_passant: taken_at != to,
                retakes: takes && before.takes() && before.squares.to() as u8 == to,
            }
        };
        self.last = Some(played);
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
