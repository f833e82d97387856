//! Replays the slot code on a mailbox board.
//!
//! In go a [`Start`] and the bytes of the moves; a callback sees the board after every half-move
//! and may stop. No rule is checked here beyond what keeps the board whole: bytes that were read
//! through the door in [`crate::game`] are legal, and any others end in [`BadCode`] or in a wrong
//! board, never in a panic.
//!
//! What changes on every half-move lives in the `Copy` struct [`State`] so that it stays in
//! registers; what the callback does not ask for is compiled out.

use std::sync::LazyLock;

use crate::board::Board;
use crate::board::key::CONSTANTS;
use crate::board::kinds::{KING, NO_KIND, PAWN, QUEEN};
use crate::game::slots::{
    CASTLE, DECODE, DOUBLE_PUSH, ESCAPE, NO_TARGET, PAWN_CAPTURE, PROMOTION, PROMOTION_SHIFT, SLOT_ROLE, Step, TARGETS,
};
use crate::pause::pause;

/// The mailbox entry of an empty square. Units are `16 * colour + slot`, below 32.
pub(crate) const EMPTY: u8 = 32;

/// Where the pieces are. Arrays have 64 entries so that a mask replaces the bounds check.
#[derive(Clone, Debug)]
pub struct Pieces {
    /// Square to unit, or [`EMPTY`].
    pub(crate) unit: [u8; 64],
    /// Unit to the square where it last stood.
    pub(crate) square: [u8; 64],
    /// Unit to kind; that of [`EMPTY`] is [`NO_KIND`].
    pub(crate) kind: [u8; 64],
}

impl Pieces {
    /// The kind of the piece on a square.
    #[inline(always)]
    pub(crate) fn kind_at(&self, square: usize) -> u8 {
        self.kind[usize::from(self.unit[square & 63] & 63)]
    }

    /// The kinds on all squares.
    pub(crate) fn kinds(&self) -> [u8; 64] {
        std::array::from_fn(|square| self.kind_at(square))
    }
}

/// The scalars of a position, and of the half-move that led to it.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// Position key (only if asked for).
    pub(crate) key: u64,
    /// Occupied squares (only if asked for).
    pub(crate) occupied: u64,
    /// What can only be lost: pawns on their second rank (White's files in bits 0 to 7, Black's in
    /// 8 to 15) and castling rights (bits 16 to 19: White's O-O and O-O-O, Black's).
    pub(crate) home: u32,
    /// Number of pieces (only if occupied squares are asked for).
    pub(crate) count: u32,
    /// Side to move.
    pub(crate) turn: u32,
    /// The last half-move: entry of [`TARGETS`] in bits 0 to 15, from-square from bit 16 on.
    pub(crate) last: u32,
}

impl State {
    /// The square behind the pawn that the last half-move pushed by two.
    #[inline(always)]
    pub(crate) fn en_passant(self) -> Option<u8> {
        let (to, from) = (self.last & 63, self.last >> 16 & 63);
        (self.last as u16 & DOUBLE_PUSH != 0).then(|| ((to + from) / 2) as u8)
    }
}

/// Bits of [`State::home`] that are castling rights.
pub(crate) const CASTLING_SHIFT: u32 = 16;
pub(crate) const HOME_PAWNS: u32 = 0xffff;

/// A position to replay from.
#[derive(Clone, Debug)]
pub struct Start {
    pub(crate) pieces: Pieces,
    pub(crate) state: State,
    /// Squares of the rooks that may castle, in the order of the castling bits.
    rooks: [Option<u8>; 4],
    /// What remains of [`State::home`] when a piece leaves or enters a square.
    keeps: [u32; 64],
    pub(crate) halfmove_clock: u32,
    pub(crate) fullmove_number: u32,
}

/// The start position of standard chess.
pub static STANDARD: LazyLock<Start> = LazyLock::new(|| Start::new(&Board::default()).expect("sixteen pieces a side"));

impl Start {
    /// Seats the pieces of `board` in their slots, in the order that [`crate::game::slots`] describes.
    ///
    /// Returns `None` if a side has more than sixteen pieces.
    pub fn new(board: &Board) -> Option<Start> {
        let mut pieces = Pieces { unit: [EMPTY; 64], square: [0; 64], kind: [NO_KIND; 64] };
        let mut home = 0;
        let mut keeps = [!0u32; 64];
        let mut rooks = [None; 4];
        for color in 0..2usize {
            let mut free = [true; 16];
            let mut too_many = Vec::new();
            for square in 0..64usize {
                let kind = board.kinds[square];
                if kind == NO_KIND || usize::from(kind) / 6 != color {
                    continue;
                }
                let seat = (0..16).find(|slot| free[*slot] && SLOT_ROLE[*slot] == kind % 6);
                match seat {
                    Some(slot) => {
                        free[slot] = false;
                        pieces.seat(16 * color + slot, square, kind);
                    }
                    None => too_many.push((kind % 6, square)),
                }
            }
            // By role from king to pawn, then by square.
            too_many.sort_by_key(|(role, square)| (std::cmp::Reverse(*role), *square));
            for (role, square) in too_many {
                let slot = (0..16).rfind(|slot| free[*slot])?;
                free[slot] = false;
                pieces.seat(16 * color + slot, square, 6 * color as u8 + role);
            }
            let second = if color == 0 { 8 } else { 48 };
            for file in 0..8 {
                let bit = 1 << (8 * color + file);
                keeps[second + file] &= !bit;
                if board.kinds[second + file] == 6 * color as u8 + PAWN {
                    home |= bit;
                }
            }
            let king = pieces.square[16 * color];
            for file in (0..8u8).filter(|file| board.castling[color] >> file & 1 == 1) {
                let rook = 56 * color as u8 + file;
                let side = 2 * color + usize::from(rook < king);
                rooks[side] = Some(rook);
                let bit = 1 << (CASTLING_SHIFT as usize + side);
                home |= bit;
                keeps[usize::from(rook)] &= !bit;
                keeps[usize::from(king)] &= !bit;
            }
        }
        let occupied = board.occupied();
        let last = match board.en_passant {
            None => 0,
            Some(square) => {
                let (from, to) = if board.turn == 0 { (square + 8, square - 8) } else { (square - 8, square + 8) };
                u32::from(DOUBLE_PUSH) | u32::from(to) | u32::from(from) << 16
            }
        };
        let state = State {
            key: crate::board::key::position_key(board),
            occupied,
            home,
            count: occupied.count_ones(),
            turn: board.turn.into(),
            last,
        };
        Some(Start {
            pieces,
            state,
            rooks,
            keeps,
            halfmove_clock: board.halfmove_clock,
            fullmove_number: board.fullmove_number,
        })
    }

    /// The castling bits that the rights of `board` would be in a game from here; `None` if such a
    /// game cannot have them.
    pub(crate) fn castling_bits(&self, castling: [u8; 2]) -> Option<u32> {
        let mut bits = 0;
        let mut files = [0u8; 2];
        for (side, rook) in self.rooks.iter().enumerate() {
            if let Some(rook) = rook
                && castling[side / 2] >> (rook & 7) & 1 == 1
            {
                files[side / 2] |= 1 << (rook & 7);
                bits |= 1 << (CASTLING_SHIFT as usize + side);
            }
        }
        (files == castling).then_some(bits)
    }

    /// The files of the rooks that `home` still lets castle.
    pub(crate) fn castling_files(&self, home: u32) -> [u8; 2] {
        let mut files = [0u8; 2];
        for (side, rook) in self.rooks.iter().enumerate() {
            if let Some(rook) = rook
                && home >> (CASTLING_SHIFT as usize + side) & 1 == 1
            {
                files[side / 2] |= 1 << (rook & 7);
            }
        }
        files
    }
}

impl Pieces {
    fn seat(&mut self, unit: usize, square: usize, kind: u8) {
        self.unit[square] = unit as u8;
        self.square[unit] = square as u8;
        self.kind[unit] = kind;
    }
}

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
pub struct Replay<'a> {
    start: &'a Start,
    pub(crate) pieces: Pieces,
    pub(crate) state: State,
}

impl<'a> Replay<'a> {
    /// Sets up the start position.
    #[inline]
    pub fn new(start: &'a Start) -> Replay<'a> {
        Replay { start, pieces: start.pieces.clone(), state: start.state }
    }

    /// Plays the half-moves of `moves`, at most `limit`, and calls `visit` after each; `visit`
    /// returns true to stop. `KEY` keeps [`State::key`], `OCCUPIED` keeps [`State::occupied`] and
    /// [`State::count`].
    ///
    /// Returns the number of half-moves played.
    ///
    /// # Errors
    ///
    /// [`BadCode`] at the first half-move that cannot be played; those before it have been.
    #[inline(always)]
    pub(crate) fn run<const KEY: bool, const OCCUPIED: bool>(
        &mut self,
        moves: &[u8],
        limit: u32,
        mut visit: impl FnMut(&Pieces, State) -> bool,
    ) -> Result<u32, BadCode> {
        // Not looked up unless used: the first look-up computes the table.
        let constants = if KEY { Some(&*CONSTANTS) } else { None };
        // As one struct they would live in memory, and every half-move would wait for the one before.
        let State { mut key, mut occupied, mut home, mut count, mut turn, mut last } = self.state;
        let pieces = &mut self.pieces;
        let mut at = 0;
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
                    let state = State { key, occupied, home, count, turn, last };
                    match play_rare(self.start, pieces, state, &moves[at..]) {
                        Some((next, used)) => {
                            State { key, occupied, home, count, turn, last } = next;
                            at += used;
                        }
                        None => {
                            self.state = state;
                            return Err(BadCode { ply: ply + 1 });
                        }
                    }
                } else {
                    let captured = pieces.unit[to];
                    if (target & PAWN_CAPTURE != 0) & (captured == EMPTY) {
                        let (passed, passed_key) = take_en_passant(pieces, from, to);
                        key ^= passed_key;
                        occupied &= !(1 << passed);
                        count = count.wrapping_sub(1);
                    }
                    if KEY && let Some(constants) = constants {
                        let mover = &constants.pieces[usize::from(pieces.kind[unit] & 15)];
                        let victim = &constants.pieces[usize::from(pieces.kind[usize::from(captured & 63)] & 15)];
                        key ^= mover[from] ^ mover[to] ^ victim[to] ^ constants.white_to_move;
                    }
                    pieces.unit[from] = EMPTY;
                    pieces.unit[to] = unit as u8;
                    pieces.square[unit] = to as u8;
                    if OCCUPIED {
                        occupied = occupied & !(1 << from) | 1 << to;
                        count = count.wrapping_sub(u32::from(captured != EMPTY));
                    }
                    home &= self.start.keeps[from] & self.start.keeps[to];
                    last = u32::from(target) | (from as u32) << 16;
                    turn ^= 1;
                    at += 1;
                }
                ply += 1;
                if visit(pieces, State { key, occupied, home, count, turn, last }) {
                    break 'game;
                }
            }
            if at >= moves.len() || ply == limit {
                break;
            }
            pause();
        }
        self.state = State { key, occupied, home, count, turn, last };
        Ok(ply)
    }

    /// The board as it stands `plies` half-moves after the start, with the half-move clock given.
    pub(crate) fn board(&self, plies: u32, halfmove_clock: u32) -> Board {
        let from_black = self.start.state.turn;
        Board {
            kinds: self.pieces.kinds(),
            turn: self.state.turn as u8,
            castling: self.start.castling_files(self.state.home),
            en_passant: self.state.en_passant(),
            halfmove_clock,
            fullmove_number: self.start.fullmove_number.saturating_add((plies + from_black) / 2),
        }
    }

    /// What the code at the head of `moves` means here, without playing it.
    pub(crate) fn decode(&self, moves: &[u8]) -> Option<Step> {
        decode(&self.pieces, self.state.turn, moves)
    }

    /// Appends the code of a step that is legal here.
    #[inline]
    pub(crate) fn encode(&self, step: Step, out: &mut Vec<u8>) {
        let unit = match step {
            Step::Castle { .. } => 16 * (self.state.turn & 1) as usize,
            Step::Plain { from, .. } => usize::from(self.pieces.unit[usize::from(from & 63)] & 63),
        };
        crate::game::slots::encode(unit % 16, self.pieces.kind[unit] % 6, step, out);
    }

    /// Plays a step that is no castling and legal here; the position key is not kept.
    #[inline(always)]
    pub(crate) fn play(&mut self, from: u8, to: u8, promotion: Option<u8>) -> Option<Played> {
        let (state, played) =
            play::<false>(self.start, &mut self.pieces, self.state, from.into(), to.into(), promotion)?;
        self.state = state;
        Some(played)
    }

    /// Castles.
    pub(crate) fn castle(&mut self, long: bool) {
        self.state = castle(self.start, &mut self.pieces, self.state, long).unwrap_or(self.state);
    }

    /// From where to where O-O, or O-O-O, takes king and rook; none if that right is lost.
    pub(crate) fn castling(&self, long: bool) -> Option<Castling> {
        castling(self.start, &self.pieces, self.state, long)
    }
}

/// The file where the side to move may legally capture en passant.
pub(crate) fn en_passant_file(pieces: &Pieces, state: State) -> Option<u8> {
    let square = state.en_passant()?;
    let pushed = usize::from(square ^ 8);
    let own_pawn = 6 * state.turn as u8 + PAWN;
    let beside = |file: usize, other: usize| pushed % 8 != file && pieces.kind_at(other) == own_pawn;
    if !beside(0, pushed.wrapping_sub(1)) && !beside(7, pushed + 1) {
        return None;
    }
    let board = Board {
        kinds: pieces.kinds(),
        turn: state.turn as u8,
        castling: [0, 0],
        en_passant: Some(square),
        halfmove_clock: 0,
        fullmove_number: 1,
    };
    board.legal_en_passant_file()
}

/// The squares of a castling move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Castling {
    pub king: (u8, u8),
    pub rook: (u8, u8),
}

fn castling(start: &Start, pieces: &Pieces, state: State, long: bool) -> Option<Castling> {
    let color = (state.turn & 1) as usize;
    let side = 2 * color + usize::from(long);
    if state.home >> (CASTLING_SHIFT as usize + side) & 1 == 0 {
        return None;
    }
    let rank = 56 * color as u8;
    let (king_to, rook_to) = if long { (rank + 2, rank + 3) } else { (rank + 6, rank + 5) };
    Some(Castling { king: (pieces.square[16 * color] & 63, king_to), rook: (start.rooks[side]?, rook_to) })
}

#[inline]
fn decode(pieces: &Pieces, turn: u32, moves: &[u8]) -> Option<Step> {
    let byte = *moves.first()?;
    let color = (turn & 1) as usize;
    if byte == ESCAPE {
        return decode_escaped(pieces, color, &moves[1..]);
    }
    let code = DECODE[color][usize::from(byte)];
    let unit = (code & 63) as usize;
    let from = usize::from(pieces.square[unit] & 63);
    let target = TARGETS[((code >> 8) as usize + 16 * from) & 8191];
    let seated = usize::from(pieces.unit[from]) == unit
        && pieces.kind[unit] == SLOT_ROLE[unit & 15].wrapping_add(6 * color as u8);
    if !seated || target & NO_TARGET != 0 {
        return None;
    }
    if target & CASTLE != 0 {
        return Some(Step::Castle { long: target & 1 == 1 });
    }
    let promotion = (target & PROMOTION != 0).then(|| QUEEN - (target >> PROMOTION_SHIFT) as u8 % 4);
    Some(Step::Plain { from: from as u8, to: (target & 63) as u8, promotion })
}

#[inline(never)]
fn decode_escaped(pieces: &Pieces, color: usize, word: &[u8]) -> Option<Step> {
    let word = u16::from_be_bytes(*word.first_chunk()?);
    let (from, to) = ((word >> 10) as u8, (word >> 4) as u8 & 63);
    let unit = usize::from(pieces.unit[usize::from(from)]);
    if unit / 16 != color || SLOT_ROLE[unit % 16] == pieces.kind[unit] % 6 {
        return None;
    }
    let promotion = match word as u8 & 15 {
        0 => None,
        role @ 1..=QUEEN => Some(role),
        _ => return None,
    };
    Some(Step::Plain { from, to, promotion })
}

/// Takes the pawn off that was passed by: its square and its part of the key.
#[inline(never)]
fn take_en_passant(pieces: &mut Pieces, from: usize, to: usize) -> (usize, u64) {
    let passed = from & 56 | to & 7;
    let kind = usize::from(pieces.kind_at(passed) & 15);
    pieces.unit[passed] = EMPTY;
    (passed, CONSTANTS.pieces[kind][passed])
}

/// Plays promotions, castling and escaped moves; returns the new state and the bytes used.
#[inline(never)]
fn play_rare(start: &Start, pieces: &mut Pieces, state: State, moves: &[u8]) -> Option<(State, usize)> {
    let used = crate::game::slots::code_len(moves[0]);
    let next = match decode(pieces, state.turn, moves)? {
        Step::Castle { long } => castle(start, pieces, state, long)?,
        Step::Plain { from, to, promotion } => play::<true>(start, pieces, state, from.into(), to.into(), promotion)?.0,
    };
    Some((next, used))
}

fn castle(start: &Start, pieces: &mut Pieces, mut state: State, long: bool) -> Option<State> {
    let color = (state.turn & 1) as usize;
    let king_unit = 16 * color;
    let squares = castling(start, pieces, state, long)?;
    let [king_from, king_to] = [squares.king.0, squares.king.1].map(usize::from);
    let [rook_from, rook_to] = [squares.rook.0, squares.rook.1].map(usize::from);
    let rook_unit = pieces.unit[rook_from];
    pieces.unit[king_from] = EMPTY;
    pieces.unit[rook_from] = EMPTY;
    pieces.unit[king_to] = king_unit as u8;
    pieces.unit[rook_to] = rook_unit;
    pieces.square[king_unit] = king_to as u8;
    pieces.square[usize::from(rook_unit & 63)] = rook_to as u8;
    let (king, rook) = (6 * color + usize::from(KING), 6 * color + usize::from(crate::board::kinds::ROOK));
    let keys = &CONSTANTS.pieces;
    state.key ^= keys[king][king_from] ^ keys[king][king_to] ^ keys[rook][rook_from] ^ keys[rook][rook_to];
    state.key ^= CONSTANTS.white_to_move;
    state.occupied = state.occupied & !(1 << king_from) & !(1 << rook_from) | 1 << king_to | 1 << rook_to;
    state.home &= !(3 << (CASTLING_SHIFT as usize + 2 * color));
    state.last = CASTLE.into();
    state.turn ^= 1;
    Some(state)
}

/// What a step did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Played {
    /// What left its square, and what it is now.
    pub kinds: (u8, u8),
    /// What was taken on the square entered, or [`NO_KIND`].
    pub captured: u8,
    /// The square of the pawn taken en passant.
    pub passed: Option<usize>,
}

#[inline(always)]
fn play<const KEY: bool>(
    start: &Start,
    pieces: &mut Pieces,
    mut state: State,
    from: usize,
    to: usize,
    promotion: Option<u8>,
) -> Option<(State, Played)> {
    let (from, to) = (from & 63, to & 63);
    let unit = usize::from(pieces.unit[from] & 63);
    let old = pieces.kind[unit];
    let pawn = old == PAWN || old == 6 + PAWN;
    if unit >= 32 || promotion.is_some() != (pawn && matches!(to / 8, 0 | 7)) {
        return None;
    }
    let captured = pieces.unit[to] & 63;
    let victim = pieces.kind[usize::from(captured)];
    let mut target = to as u16;
    let mut passed = None;
    if pawn && from.abs_diff(to) == 16 {
        target |= DOUBLE_PUSH;
    } else if pawn && from & 7 != to & 7 && captured == EMPTY {
        target |= PAWN_CAPTURE;
        let (square, passed_key) = take_en_passant(pieces, from, to);
        state.key ^= passed_key;
        state.occupied &= !(1 << square);
        state.count = state.count.wrapping_sub(1);
        passed = Some(square);
    }
    let mut new = old;
    if let Some(role) = promotion {
        target |= PROMOTION;
        new = old.wrapping_add(role);
        pieces.kind[unit] = new;
    }
    if KEY {
        let keys = &CONSTANTS.pieces;
        let [left, entered, taken] = [old, new, victim].map(|kind| &keys[usize::from(kind & 15)]);
        state.key ^= left[from] ^ entered[to] ^ taken[to] ^ CONSTANTS.white_to_move;
    }
    pieces.unit[from] = EMPTY;
    pieces.unit[to] = unit as u8;
    pieces.square[unit] = to as u8;
    state.occupied = state.occupied & !(1 << from) | 1 << to;
    state.count = state.count.wrapping_sub(u32::from(captured != EMPTY));
    state.home &= start.keeps[from] & start.keeps[to];
    state.last = u32::from(target) | (from as u32) << 16;
    state.turn ^= 1;
    Some((state, Played { kinds: (old, new), captured: victim, passed }))
}
