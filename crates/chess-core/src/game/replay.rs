//! Replays the slot code on a mailbox board.
//!
//! Takes a [`Start`] and the bytes of the moves; a callback sees the board after every half-move
//! and may stop. No rule is checked here beyond what keeps the board whole: bytes that were read
//! through the entrance in [`crate::game`] are legal, and any others end in [`BadCode`] or in a wrong
//! board, never in a panic.
//!
//! The state type that the callback takes says what is kept up to date; the rest is compiled out.

use crate::board::Board;
use crate::board::key::CONSTANTS;
use crate::game::decode::decode;
use crate::game::pieces::{EMPTY, Pieces};
use crate::game::rare_moves::{Castling, Played, castle, castling, play, play_rare, take_en_passant};
use crate::game::seating::Start;
use crate::game::slots::{CASTLE, DECODE, NO_TARGET, PAWN_CAPTURE, PROMOTION, Step, TARGETS, encode};
use crate::game::state::{Counted, Course, Full, State, Traced};
use crate::pause::pause;

/// Half-moves between two pauses.
const PAUSE_EVERY: u32 = 1 << 20;

/// The bytes do not name a move of a piece that is on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadCode {
    /// The half-move, counted from 1.
    pub ply: u32,
}

/// A board in the course of a replay.
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

    /// Continues to count pieces.
    pub(crate) fn counting(self) -> Replay<'a, Counted> {
        let occupied = self.pieces.occupied();
        let state = Counted { course: self.state.course(), occupied, count: occupied.count_ones() };
        Replay { start: self.start, pieces: self.pieces, state }
    }

    /// Continues and also records the piece that each half-move captures.
    pub(crate) fn tracing(self) -> Replay<'a, Traced> {
        let state = Traced { course: self.state.course(), taken: EMPTY };
        Replay { start: self.start, pieces: self.pieces, state }
    }

    /// Plays the half-moves of `moves`, at most `limit`, and calls `visit` after each; `visit`
    /// returns true to stop.
    ///
    /// Returns the number of half-moves played.
    ///
    /// # Errors
    ///
    /// [`BadCode`] at the first half-move that cannot be played; those before it have been.
    #[inline(always)]
    pub(crate) fn run(
        &mut self,
        moves: &[u8],
        limit: u32,
        visit: impl FnMut(&Pieces, S) -> bool,
    ) -> Result<u32, BadCode> {
        self.run_on(moves, &mut 0, limit, visit)
    }

    /// The same from the byte `from` of `moves`, which it moves behind what has been played.
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
        // Not looked up unless used: the first look-up computes the table.
        let constants = if S::KEY { Some(&*CONSTANTS) } else { None };
        // As one struct they would be in memory, and every half-move would wait for the one before.
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
                    // Without what the kind of state does not keep: it would have to be kept up at every half-move.
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

    /// The board as it stands `plies` half-moves after the start, with the half-move clock given.
    pub(crate) fn board(&self, plies: u32, halfmove_clock: u32) -> Board {
        let from_black = self.start.state.course.turn;
        Board {
            kinds: self.pieces.kinds(),
            turn: self.state.course().turn as u8,
            castling: self.start.castling_files(self.state.course().home),
            en_passant: self.state.course().last.en_passant(),
            halfmove_clock,
            fullmove_number: self.start.fullmove_number.saturating_add((plies + from_black) / 2),
        }
    }

    /// What the code at the head of `moves` means here, without playing it.
    pub(crate) fn decode(&self, moves: &[u8]) -> Option<Step> {
        decode(&self.pieces, self.state.course().turn, moves)
    }

    /// Appends the code of a step that is legal here.
    #[inline]
    pub(crate) fn encode(&self, step: Step, out: &mut Vec<u8>) {
        let unit = match step {
            Step::Castle { .. } => 16 * (self.state.course().turn & 1) as usize,
            Step::Plain { from, .. } => usize::from(self.pieces.unit[usize::from(from & 63)] & 63),
        };
        encode(unit % 16, self.pieces.kind[unit] % 6, step, out);
    }

    /// Plays a step that is no castling and legal here; the position key is not kept.
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

    /// From where to where O-O, or O-O-O, takes king and rook; none if that right is lost.
    pub(crate) fn castling(&self, long: bool) -> Option<Castling> {
        castling(self.start, &self.pieces, self.state.course(), long)
    }
}
