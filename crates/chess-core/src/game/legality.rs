//! Legal positions during a game, and the legality of moves.
//!
//! Takes a [`GameStart`], then one [`Step`] after another; determines whether a step is legal, which pieces can make
//! it, and whether it gives check or mate. The board is that of [`crate::game::replay`], with sets of squares beside
//! it. No list of moves is generated: each move is checked on its own.
//!
//! Attack tables are shakmaty's; tests compare every answer with its lists of moves.

use crate::board::Board;
use crate::board::kinds::{BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK};
use crate::board::reach::REACH;
use crate::board::squares::members;
use crate::game::rare_moves::Castling;
use crate::game::replay::{Plain, Replay};
use crate::game::sets::{Sets, between, diagonal, pawn_attacks, span, straight};
use crate::game::slots::{PAWN_CAPTURE, Step};
use crate::game::start::GameStart;
use crate::game::state::{Counted, LastMove};

/// A legal position during a game.
#[derive(Clone, Debug)]
pub struct Position<'a> {
    pub(crate) replay: Replay<'a, Counted>,
    sets: Sets,
}

impl<'a> Position<'a> {
    /// The start position of a game.
    #[inline]
    pub fn new(start: &'a GameStart) -> Position<'a> {
        Position { replay: Replay::new(&start.replay), sets: start.sets }
    }

    /// The position that a replay has reached.
    pub(crate) fn of(replay: Replay<'a, Counted>) -> Position<'a> {
        let sets = Sets::of_pieces(&replay.pieces, replay.state.turn);
        Position { replay, sets }
    }

    /// The position after a null move: the other side is to move. `None` in check.
    pub(crate) fn passed(&self) -> Option<Position<'a>> {
        if self.is_check() {
            return None;
        }
        let mut replay = self.replay.clone();
        replay.state.course.turn ^= 1;
        replay.state.course.last = LastMove::NONE;
        Some(Position::of(replay))
    }

    /// The board, given the number of half-moves since the start and the half-move clock.
    pub fn board(&self, plies: u32, halfmove_clock: u32) -> Board {
        self.replay.board(plies, halfmove_clock)
    }

    /// The side to move: 0 is White, 1 Black.
    #[inline(always)]
    pub fn turn(&self) -> u8 {
        self.us() as u8
    }

    /// The kind of the piece on a square, or [`NO_KIND`](crate::board::kinds::NO_KIND).
    #[inline(always)]
    pub fn kind_at(&self, square: u8) -> u8 {
        self.replay.pieces.kind_at(square.into())
    }

    /// The from-square and to-square of a legal step; of the king when castling.
    pub fn ends(&self, step: Step) -> (u8, u8) {
        match step {
            Step::Plain { from, to, .. } => (from, to),
            Step::Castle { long } => self.castling(long).map_or((0, 0), |castling| castling.king),
        }
    }

    /// The square of the rook with which a legal step castles.
    pub fn castling_rook(&self, step: Step) -> Option<u8> {
        match step {
            Step::Plain { .. } => None,
            Step::Castle { long } => self.castling(long).map(|castling| castling.rook.0),
        }
    }

    /// The squares of a castling move, legal or not; `None` without that right.
    fn castling(&self, long: bool) -> Option<Castling> {
        self.replay.castling(long)
    }

    /// Whether the side to move is in check.
    #[inline(always)]
    pub fn is_check(&self) -> bool {
        self.sets.checkers != 0
    }

    /// Whether the side to move is mated.
    pub fn is_mate(&self) -> bool {
        let king = self.king();
        let reach = REACH[usize::from(KING)][usize::from(king)];
        let mut escapes = members(reach & !self.sets.colors[self.us()]);
        if !self.is_check() || escapes.any(|to| self.is_safe(king, to)) {
            return false;
        }
        // A single checker may be captured or blocked.
        let checkers = self.sets.checkers;
        let lone = if checkers.is_power_of_two() { span(checkers.trailing_zeros() as u8, king) } else { 0 };
        let en_passant = self.replay.state.last.en_passant().map_or(0, |square| 1 << square);
        let is_met = |to| (PAWN..KING).any(|role| members(self.sources(role, to)).any(|from| self.is_safe(from, to)));
        !members(lone | en_passant).any(is_met)
    }

    /// Whether the side to move has a legal step.
    pub fn has_step(&self) -> bool {
        // Nearly always a pawn can advance, which is the quickest to find out.
        let (pawns, empty) = (self.sets.of(self.us(), PAWN), !self.sets.occupied());
        let (ahead, back) = if self.us() == 0 { (pawns << 8, 56) } else { (pawns >> 8, 8) };
        let is_met = |role, to| members(self.sources(role, to)).any(|from| self.is_safe(from, to));
        members(ahead & empty).any(|to| self.is_safe((to + back) % 64, to))
            || (0..64).any(|to| (PAWN..=KING).any(|role| is_met(role, to)))
            || [false, true].into_iter().any(|long| self.is_legal(Step::Castle { long }))
    }

    /// The pieces of both sides in a role.
    pub(crate) fn in_role(&self, role: u8) -> u64 {
        self.sets.of(0, role) | self.sets.of(1, role)
    }

    /// Whether a step is legal.
    #[inline]
    pub fn is_legal(&self, step: Step) -> bool {
        match step {
            Step::Castle { long } => self.castling(long).is_some_and(|castling| self.can_castle(castling)),
            Step::Plain { from, to, promotion } => {
                let role = self.kind_at(from).wrapping_sub(6 * self.turn());
                let promotes = matches!(promotion, Some(KNIGHT..=QUEEN));
                let is_possible = match role {
                    PAWN => self.pawn_sources(to) >> (from & 63) & 1 == 1,
                    KNIGHT..=KING => {
                        REACH[usize::from(role)][usize::from(from & 63)] >> (to & 63) & 1 == 1
                            && between(from, to) & self.sets.occupied() == 0
                            && self.sets.colors[self.us()] >> (to & 63) & 1 == 0
                    }
                    _ => false,
                };
                is_possible
                    && from < 64
                    && to < 64
                    && promotes == (role == PAWN && is_last_rank(to))
                    && (promotes || promotion.is_none())
                    && self.is_safe(from, to)
            }
        }
    }

    /// The legal step between two squares. Castling is written as the king's move to its rook or to its target square.
    pub fn step(&self, from: u8, to: u8, promotion: Option<u8>) -> Option<Step> {
        let plain = Step::Plain { from, to, promotion };
        if self.is_legal(plain) {
            return Some(plain);
        }
        let is_named = |long: &bool| {
            self.castling(*long).is_some_and(|castling| {
                let (king, target) = castling.king;
                let is_named = king == from && [target, castling.rook.0].contains(&to) && promotion.is_none();
                is_named && self.can_castle(castling)
            })
        };
        [false, true].into_iter().find(is_named).map(|long| Step::Castle { long })
    }

    /// The pieces of a role that can move to `to`, apart from leaving their king in check.
    #[inline(always)]
    pub(crate) fn sources(&self, role: u8, to: u8) -> u64 {
        if role == PAWN {
            return self.pawn_sources(to);
        }
        if self.sets.colors[self.us()] >> (to & 63) & 1 == 1 {
            return 0;
        }
        let pieces = self.sets.of(self.us(), role % 6);
        let occupied = self.sets.occupied();
        pieces
            & match role {
                BISHOP => diagonal(to, occupied),
                ROOK => straight(to, occupied),
                QUEEN => straight(to, occupied) | diagonal(to, occupied),
                _ => REACH[usize::from(role % 6)][usize::from(to & 63)],
            }
    }

    #[inline]
    fn pawn_sources(&self, to: u8) -> u64 {
        let pawns = self.sets.of(self.us(), PAWN);
        if self.takes(PAWN, to) {
            return pawn_attacks(self.us() ^ 1, to) & pawns;
        }
        // One square behind the target, or two for a double push.
        let (to, empty) = (1u64 << (to & 63) & !self.sets.occupied(), !self.sets.occupied());
        pawns
            & match self.us() {
                0 => to >> 8 | (to >> 8 & empty) >> 8 & 0xff00,
                _ => to << 8 | (to << 8 & empty) << 8 & 0x00ff_0000_0000_0000,
            }
    }

    /// Whether a piece moving to `to` captures, possibly en passant.
    #[inline(always)]
    pub(crate) fn takes(&self, role: u8, to: u8) -> bool {
        self.sets.colors[self.us() ^ 1] >> (to & 63) & 1 == 1
            || role == PAWN && self.replay.state.last.en_passant() == Some(to)
    }

    /// Whether the king is not in check after a move that the piece can otherwise make.
    #[inline]
    pub(crate) fn is_safe(&self, from: u8, to: u8) -> bool {
        let us = self.us();
        let (left, entered) = (1u64 << (from & 63), 1u64 << (to & 63));
        let passed = match self.replay.state.last.en_passant() {
            Some(square) if square == to && self.sets.of(us, PAWN) & left != 0 => 1 << (from & 56 | to & 7),
            _ => 0,
        };
        let occupied = self.sets.occupied() & !(left | passed) | entered;
        let king = self.king();
        // A move that neither moves the king nor answers a check nor opens a line is safe. Most are so, and this test is cheap.
        if from != king && passed | self.sets.checkers == 0 && !opens_line(king, from, occupied) {
            return true;
        }
        let king = if from == king { to } else { king };
        self.sets.attackers(king, us ^ 1, occupied) & !(entered | passed) == 0
    }

    /// Whether the paths of king and rook are free, and the king's path is not attacked.
    fn can_castle(&self, Castling { king: (king, king_to), rook: (rook, rook_to) }: Castling) -> bool {
        let them = self.us() ^ 1;
        let others = self.sets.occupied() & !(1 << king | 1 << rook);
        let way = span(king, king_to) & !(1 << king_to) | 1 << king;
        // The king's target is checked without the rook, which may have shielded it.
        (span(king, king_to) | span(rook, rook_to)) & others == 0
            && self.sets.attackers(king_to, them, others | 1 << rook_to) == 0
            && members(way).all(|square| self.sets.attackers(square, them, others | 1 << rook) == 0)
    }

    /// Plays a legal step.
    #[inline(always)]
    pub(crate) fn play(&mut self, step: Step) {
        if let Some(plain) = self.replay.plain_of(step) {
            self.make(plain);
        } else {
            self.play_rare(step);
        }
    }

    #[inline(never)]
    fn play_rare(&mut self, step: Step) {
        let us = self.us();
        match step {
            Step::Plain { from, to, promotion } => {
                let Some(played) = self.replay.play(from, to, promotion) else { return };
                let (left, entered) = (1u64 << (from & 63), 1u64 << (to & 63));
                let mut taken = entered;
                if let Some(passed) = played.passed {
                    taken |= 1 << passed;
                    self.sets.put(6 * (us as u8 ^ 1) + PAWN, taken, 0);
                }
                self.sets.put(played.captured, entered, 0);
                self.sets.put(played.kinds.0, left, 0);
                self.sets.put(played.kinds.1, 0, entered);
                self.sets.colors[us] ^= left | entered;
                self.sets.colors[us ^ 1] &= !taken;
            }
            Step::Castle { long } => {
                let Some(Castling { king, rook }) = self.castling(long) else { return };
                let (left, entered) = (1 << king.0 | 1 << rook.0, 1 << king.1 | 1 << rook.1);
                self.replay.castle(long);
                self.sets.put(6 * us as u8 + KING, 1 << king.0, 1 << king.1);
                self.sets.put(6 * us as u8 + ROOK, 1 << rook.0, 1 << rook.1);
                self.sets.colors[us] = self.sets.colors[us] & !left | entered;
            }
        }
        self.sets.checkers = self.sets.attackers(self.king(), us, self.sets.occupied());
    }

    /// The legal step of a code.
    #[inline]
    pub(crate) fn read_code(&self, code: &[u8]) -> Option<Step> {
        self.replay.decode(code).filter(|step| self.is_legal(*step))
    }

    /// Plays the move of a byte, if it is legal and one of the usual ones. Returns false for all others, which
    /// [`Position::read_code`] has to judge: castling, promotions, en passant, illegal moves.
    #[inline(always)]
    pub(crate) fn play_plain(&mut self, byte: u8) -> bool {
        let us = self.us();
        let Some(plain) = self.replay.plain(byte) else { return false };
        let (from, to) = (plain.from as u8, (plain.target & 63) as u8);
        let (entered, occupied) = (1u64 << to, self.sets.occupied());
        let barred = match (plain.kind % 6, plain.target & PAWN_CAPTURE != 0) {
            (PAWN, true) => !self.sets.colors[us ^ 1],
            (PAWN, false) => occupied,
            _ => self.sets.colors[us],
        };
        if (barred & entered) | (between(from, to) & occupied) != 0 || !self.is_safe(from, to) {
            return false;
        }
        self.make(plain);
        true
    }

    /// Plays a legal move other than castling, promotions and en passant.
    #[inline(always)]
    fn make(&mut self, plain: Plain) {
        let us = self.us();
        let (from, to) = (plain.from as u8 & 63, (plain.target & 63) as u8);
        let (left, entered) = (1u64 << from, 1u64 << to);
        let captured = self.replay.play_plain(plain);
        self.sets.put(captured, entered, 0);
        self.sets.kinds[usize::from(plain.kind & 15)] ^= left | entered;
        self.sets.colors[us] ^= left | entered;
        self.sets.colors[us ^ 1] &= !entered;
        self.sets.checkers = self.checkers_after(us, from, to, plain.kind);
    }

    /// The pieces that give check after a side has moved a piece of this kind, other than en passant: the piece itself, and those
    /// whose line it has opened.
    #[inline(always)]
    fn checkers_after(&self, us: usize, from: u8, to: u8, kind: u8) -> u64 {
        let (king, occupied) = (self.king(), self.sets.occupied());
        let role = kind % 6;
        let reach = if role == PAWN { pawn_attacks(us ^ 1, king) } else { REACH[usize::from(role)][usize::from(king)] };
        let entered = reach & 1 << (to & 63);
        let checker = if entered != 0 && between(king, to) & occupied == 0 { entered } else { 0 };
        if opens_line(king, from, occupied) { checker | self.sets.sliders(king, us, occupied) } else { checker }
    }

    /// The position after a legal step.
    pub fn after(&self, step: Step) -> Position<'a> {
        let mut after = self.clone();
        after.play(step);
        after
    }

    /// The square of the king of the side to move, which is the side's first unit.
    #[inline(always)]
    fn king(&self) -> u8 {
        self.replay.pieces.square[16 * self.us()] & 63
    }

    #[inline(always)]
    fn us(&self) -> usize {
        (self.replay.state.turn & 1) as usize
    }
}

/// Whether nothing stands between a king and a square of its lines that a piece has left: what stands behind may attack the king.
#[inline(always)]
fn opens_line(king: u8, left: u8, occupied: u64) -> bool {
    REACH[usize::from(QUEEN)][usize::from(king & 63)] >> (left & 63) & 1 == 1 && between(king, left) & occupied == 0
}

/// Whether a pawn promotes on a square.
#[inline(always)]
pub(crate) fn is_last_rank(square: u8) -> bool {
    matches!(square / 8, 0 | 7)
}
