//! Replays the slot code on a mailbox board.
//!
//! Takes a [`Start`] and the bytes of the moves; a callback sees the board after every half-move and may stop. Rules
//! are checked only as far as the board needs to stay consistent: bytes that passed [`crate::game`]'s checks are legal,
//! others result in [`BadCode`] or a wrong board, never in a panic.
//!
//! The type of the state that the callback takes selects what is kept up to date; the rest is compiled out.

use crate::board::Board;
use crate::board::key::{CONSTANTS, position_key};
use crate::board::kinds::PAWN;
use crate::game::decode::decode;
use crate::game::pieces::{EMPTY, Pieces};
use crate::game::rare_moves::{Castling, Played, castle, castling, play, play_rare, take_en_passant};
use crate::game::seating::Start;
use crate::game::slots::{
    CASTLE, DECODE, DOUBLE_PUSH, NO_TARGET, PAWN_CAPTURE, PROMOTION, SLOT_ROLE, Step, TARGETS, encode,
};
use crate::game::state::{Counted, Course, Full, Keyed, State, Traced};
use crate::pause::pause;

/// The number of half-moves between two pauses.
const PAUSE_EVERY: u32 = 1 << 20;

/// A move other than castling and promotions.
#[derive(Clone, Copy)]
pub(crate) struct Plain {
    unit: usize,
    pub kind: u8,
    pub from: usize,
    /// As an entry of [`TARGETS`].
    pub target: u16,
}

/// The bytes do not name a move of a piece that is on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadCode {
    /// The half-move, counted from 1.
    pub ply: u32,
}

/// The board of a replay.
#[derive(Clone, Debug)]
pub struct Replay<'a, S> {
    start: &'a Start,
    pub(crate) pieces: Pieces,
    pub(crate) state: S,
}

impl<'a, S: State> Replay<'a, S> {
    /// Sets up the start position.
    #[inline]
    pub fn new(start: &'a Start) -> Replay<'a, S> {
        Replay { start, pieces: start.pieces.clone(), state: S::of(start.state) }
    }

    /// Continues, keeping occupied squares and their number.
    pub(crate) fn counting(self) -> Replay<'a, Counted> {
        let occupied = self.pieces.occupied();
        let state = Counted { course: self.state.course(), occupied, count: occupied.count_ones() };
        Replay { start: self.start, pieces: self.pieces, state }
    }

    /// Continues, keeping the position key.
    pub(crate) fn keyed(self) -> Replay<'a, Keyed> {
        let key = position_key(&self.board(0, 0));
        let state = Keyed { course: self.state.course(), key };
        Replay { start: self.start, pieces: self.pieces, state }
    }

    /// Continues, keeping the piece that each half-move captures.
    pub(crate) fn tracing(self) -> Replay<'a, Traced> {
        let state = Traced { course: self.state.course(), taken: EMPTY };
        Replay { start: self.start, pieces: self.pieces, state }
    }

    /// Plays at most `limit` half-moves of `moves` and calls `visit` after each; `visit` returns true to stop.
    ///
    /// Returns the number of half-moves played.
    ///
    /// # Errors
    ///
    /// [`BadCode`] at the first half-move that cannot be played, after playing those before it.
    #[inline(always)]
    pub(crate) fn run(
        &mut self,
        moves: &[u8],
        limit: u32,
        visit: impl FnMut(&Pieces, S) -> bool,
    ) -> Result<u32, BadCode> {
        self.run_on(moves, &mut 0, limit, visit)
    }

    /// [`Replay::run`] from the byte `from` of `moves`, which is advanced.
    ///
    /// # Errors
    ///
    /// Those of [`Replay::run`].
    #[inline(always)]
    pub(crate) fn run_on(
        &mut self,
        moves: &[u8],
        from: &mut usize,
        limit: u32,
        mut visit: impl FnMut(&Pieces, S) -> bool,
    ) -> Result<u32, BadCode> {
        // Read only if used, because the first access computes the table.
        let constants = if S::KEY { Some(&*CONSTANTS) } else { None };
        // Local variables, because a struct would be kept in memory, and every half-move would wait for the one before.
        let Full { course: Course { mut home, mut turn, mut last }, mut key, mut occupied, mut count, mut taken } =
            self.state.full();
        let pieces = &mut self.pieces;
        let mut at = *from;
        let mut ply = 0u32;
        'game: loop {
            let stop = limit.min(ply.saturating_add(PAUSE_EVERY));
            while at < moves.len() && ply < stop {
                let code = DECODE[(turn & 1) as usize][usize::from(moves[at])];
                let unit = (code & 63) as usize;
                let from = usize::from(pieces.square[unit] & 63);
                let target = TARGETS[((code >> 8) as usize + 16 * from) & 8191];
                let to = usize::from(target & 63);
                let rare = target & (PROMOTION | CASTLE | NO_TARGET) != 0;
                if rare | (usize::from(pieces.unit[from]) != unit) {
                    // Only the fields that the state keeps; others would have to be updated at every half-move.
                    let state = Full {
                        course: Course { home, turn, last },
                        key: if S::KEY { key } else { 0 },
                        occupied: if S::COUNT { occupied } else { 0 },
                        count: if S::COUNT { count } else { 0 },
                        taken: EMPTY,
                    };
                    match play_rare(self.start, pieces, state, &moves[at..]) {
                        Some((next, used)) => {
                            Full { course: Course { home, turn, last }, key, occupied, count, taken } = next;
                            at += used;
                        }
                        None => {
                            self.state = S::of(Full { taken, ..state });
                            return Err(BadCode { ply: ply + 1 });
                        }
                    }
                } else {
                    let captured = pieces.unit[to];
                    taken = captured;
                    if (target & PAWN_CAPTURE != 0) & (captured == EMPTY) {
                        taken = pieces.unit[from & 56 | to & 7];
                        let (passed, passed_key) = take_en_passant(pieces, from, to);
                        key ^= passed_key;
                        if S::COUNT {
                            occupied &= !(1 << passed);
                            count = count.wrapping_sub(1);
                        }
                    }
                    if S::KEY
                        && let Some(constants) = constants
                    {
                        let mover = &constants.pieces[usize::from(pieces.kind[unit] & 15)];
                        let victim = &constants.pieces[usize::from(pieces.kind[usize::from(captured & 63)] & 15)];
                        key ^= mover[from] ^ mover[to] ^ victim[to] ^ constants.white_to_move;
                    }
                    pieces.relocate(unit, from, to);
                    if S::COUNT {
                        occupied = occupied & !(1 << from) | 1 << to;
                        count = count.wrapping_sub(u32::from(captured != EMPTY));
                    }
                    Course { home, turn, last } = self.start.after(Course { home, turn, last }, from, to, target);
                    at += 1;
                }
                ply += 1;
                if visit(pieces, S::of(Full { course: Course { home, turn, last }, key, occupied, count, taken })) {
                    break 'game;
                }
            }
            if at >= moves.len() || ply == limit {
                break;
            }
            pause();
        }
        self.state = S::of(Full { course: Course { home, turn, last }, key, occupied, count, taken });
        *from = at;
        Ok(ply)
    }

    /// The board, given the number of half-moves since the start and the half-move clock.
    pub(crate) fn board(&self, plies: u32, halfmove_clock: u32) -> Board {
        Board {
            kinds: self.pieces.kinds(),
            turn: self.state.course().turn as u8,
            castling: self.start.castling_files(self.state.course().home),
            en_passant: self.state.course().last.en_passant(),
            halfmove_clock,
            fullmove_number: self.move_number(plies),
        }
    }

    /// The number of the move after `plies` half-moves.
    pub(crate) fn move_number(&self, plies: u32) -> u32 {
        self.start.fullmove_number.saturating_add((plies + self.start.state.course.turn) / 2)
    }

    /// Decodes the code at the start of `moves` without playing it.
    pub(crate) fn decode(&self, moves: &[u8]) -> Option<Step> {
        decode(&self.pieces, self.state.course().turn, moves)
    }

    /// The move of one byte that a byte names, other than castling and promotions; `None` if there is none.
    #[inline(always)]
    pub(crate) fn plain(&self, byte: u8) -> Option<Plain> {
        let color = (self.state.course().turn & 1) as usize;
        let code = DECODE[color][usize::from(byte)];
        let unit = (code & 63) as usize;
        let from = usize::from(self.pieces.square[unit] & 63);
        let target = TARGETS[((code >> 8) as usize + 16 * from) & 8191];
        let kind = SLOT_ROLE[unit & 15] + 6 * color as u8;
        let is_seated = usize::from(self.pieces.unit[from]) == unit && self.pieces.kind[unit] == kind;
        (is_seated && target & (PROMOTION | CASTLE | NO_TARGET) == 0).then_some(Plain { unit, kind, from, target })
    }

    /// A legal step as a plain move; `None` for castling, promotions and en passant.
    #[inline(always)]
    pub(crate) fn plain_of(&self, step: Step) -> Option<Plain> {
        let Step::Plain { from, to, promotion: None } = step else { return None };
        let unit = usize::from(self.pieces.unit[usize::from(from & 63)] & 63);
        let kind = self.pieces.kind[unit];
        let mut target = u16::from(to & 63);
        if kind % 6 == PAWN {
            if self.state.course().last.en_passant() == Some(to) {
                return None;
            }
            target |= if from.abs_diff(to) == 16 { DOUBLE_PUSH } else { 0 };
        }
        Some(Plain { unit, kind, from: usize::from(from & 63), target })
    }

    /// Appends the code of a legal step.
    #[inline]
    pub(crate) fn encode(&self, step: Step, out: &mut Vec<u8>) {
        let unit = match step {
            Step::Castle { .. } => 16 * (self.state.course().turn & 1) as usize,
            Step::Plain { from, .. } => usize::from(self.pieces.unit[usize::from(from & 63)] & 63),
        };
        encode(unit % 16, self.pieces.kind[unit] % 6, step, out);
    }

    /// Plays a legal step other than castling. The position key is not updated.
    #[inline(always)]
    pub(crate) fn play(&mut self, from: u8, to: u8, promotion: Option<u8>) -> Option<Played> {
        let (state, played) =
            play::<false>(self.start, &mut self.pieces, self.state.full(), from.into(), to.into(), promotion)?;
        self.state = S::of(state);
        Some(played)
    }

    /// Castles.
    pub(crate) fn castle(&mut self, long: bool) {
        if let Some(state) = castle(self.start, &mut self.pieces, self.state.full(), long) {
            self.state = S::of(state);
        }
    }

    /// The squares of O-O or O-O-O; `None` without that right.
    pub(crate) fn castling(&self, long: bool) -> Option<Castling> {
        castling(self.start, &self.pieces, self.state.course(), long)
    }
}

impl Replay<'_, Counted> {
    /// Plays a legal move other than en passant. Returns the kind of the captured piece, or
    /// [`NO_KIND`](crate::board::kinds::NO_KIND).
    #[inline(always)]
    pub(crate) fn play_plain(&mut self, Plain { unit, from, target, .. }: Plain) -> u8 {
        let to = usize::from(target & 63);
        let captured = self.pieces.unit[to] & 63;
        self.pieces.relocate(unit, from, to);
        let Counted { course, occupied, count } = self.state;
        self.state = Counted {
            course: self.start.after(course, from, to, target),
            occupied: occupied & !(1 << from) | 1 << to,
            count: count.wrapping_sub(u32::from(captured != EMPTY)),
        };
        self.pieces.kind[usize::from(captured)]
    }
}
