//! Index keys of a game in a segment of the access method `chess`.
//!
//! Takes a game; returns the position key of each position up to half-move [`EXACT_PLIES`] with a [`Note`] for sums.
//! Later positions get tail keys, which many positions share and which change rarely. Takes a board; returns its tail
//! key and its rights. A search looks up the position key and the tail key of a board and unites the results, so it
//! misses no game.
//!
//! About 55 keys a game take half the bytes of a position key for each half-move. The keys are a function of the game
//! alone.
//!
//! # Stability
//!
//! Indexes on disk contain these keys and notes; golden files pin them.

use std::fmt;

use crate::board::Board;
use crate::board::key::{CONSTANTS, Constants};
use crate::board::kinds::{BISHOP, KINDS, KING, KNIGHT, PAWN};
use crate::game::pieces::{EMPTY, Pieces};
use crate::game::replay::Replay;
use crate::game::slots::Step;
use crate::game::state::{Course, Keyed, Traced};
use crate::game::{CorruptGame, GameRef};

/// Last half-move with a position key; later positions have tail keys.
pub const EXACT_PLIES: u32 = 28;

/// With at least this many pieces, a tail key covers the squares of White's knights, bishops and king.
const MANY_PIECES: u32 = 22;
/// With at most this many pieces, it covers those squares and that of Black's king.
const FEW_PIECES: u32 = 10;
/// Separates the hash of the piece counts from other uses of the same function.
const COUNTS_SALT: u64 = 0xc5a1_e7d0_3b96_42f8;

const WHITE_KNIGHT: u8 = KNIGHT;
const WHITE_BISHOP: u8 = BISHOP;
const WHITE_KING: u8 = KING;
const BLACK_KING: u8 = 6 + KING;

/// The finalizer of MurmurHash3: a bijection of 64 bits in which each bit of the result depends on all of `x`.
pub fn fmix64(mut x: u64) -> u64 {
    x ^= x >> 33;
    x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
    x ^= x >> 33;
    x = x.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ x >> 33
}

/// Castling rights and en passant file of a position with castling rooks on the a-file and the h-file: bits 0 to 3 for
/// White's O-O and O-O-O and Black's, bits 4 to 7 for the file of a legal en passant capture plus one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rights(u8);

impl Rights {
    /// Unknown rights, as in a game that did not start from the standard position.
    pub const UNKNOWN: Rights = Rights(0xff);

    fn new(castling: u32, en_passant_file: Option<u8>) -> Rights {
        Rights((castling & 15) as u8 | en_passant_file.map_or(0, |file| (file & 7) + 1) << 4)
    }

    /// The rights of a board; [`Rights::UNKNOWN`] if a rook castles from a file other than a or h.
    pub fn of(board: &Board) -> Rights {
        let mut castling = 0;
        for (color, files) in board.castling.into_iter().enumerate() {
            if files & 0x7e != 0 {
                return Rights::UNKNOWN;
            }
            castling |= (u32::from(files >> 7) | u32::from(files & 1) << 1) << (2 * color);
        }
        Rights::new(castling, board.legal_en_passant_file())
    }
}

/// Data for sums about the first occurrence of a position in a game, in 20 bits: the squares of the half-move played
/// there (bits 0 to 5 from, 6 to 11 to; both zero at the end of the game) and [`Rights`] (bits 12 to 19).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Note(u32);

impl Note {
    /// Width of a note.
    pub const BITS: u32 = 20;

    /// The next half-move is a promotion, which a note cannot hold: the game must be replayed.
    const PROMOTION: u32 = 1 | 1 << 6;

    fn new(next: Option<(u8, u8)>, rights: Rights) -> Note {
        let (from, to) = next.unwrap_or((0, 0));
        Note(u32::from(from & 63) | u32::from(to & 63) << 6 | u32::from(rights.0) << 12)
    }

    fn before_promotion(rights: Rights) -> Note {
        Note(Note::PROMOTION | u32::from(rights.0) << 12)
    }

    /// Makes a note of the lowest 20 bits and drops the others.
    pub fn from_bits(bits: u32) -> Note {
        Note(bits & ((1 << Note::BITS) - 1))
    }

    /// The note as an integer of [`Note::BITS`] bits.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// The continuation of a position with these rights. `None` if the game must be replayed: its rights differ at the
    /// first occurrence of the placement, it did not start from the standard position, or it promotes a pawn.
    pub fn played(self, rights: Rights) -> Option<Next> {
        if rights == Rights::UNKNOWN || self.0 >> 12 != u32::from(rights.0) {
            return None;
        }
        match self.0 & 0xfff {
            0 => Some(Next::End),
            Note::PROMOTION => None,
            squares => Some(Next::Move { from: (squares & 63) as u8, to: (squares >> 6) as u8 }),
        }
    }
}

impl fmt::Debug for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Note({:05x})", self.0)
    }
}

/// The continuation of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    /// The game ends.
    End,
    /// A half-move between these squares, not a promotion; castling is the king's move to its new square.
    Move {
        /// Origin square.
        from: u8,
        /// Target square.
        to: u8,
    },
}

/// The state that a tail key is computed from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tail {
    /// XOR of the constants of all pawns.
    pawns: u64,
    /// XOR of the constants of White's knights and bishops.
    minors: u64,
    /// Piece counts, five bits for each kind of piece.
    counts: u64,
    /// Number of pieces.
    count: u32,
}

impl Tail {
    /// Adds a piece.
    #[inline(always)]
    fn put(&mut self, constants: &Constants, kind: u8, square: usize) {
        self.relocate(constants, kind, square);
        self.counts = self.counts.wrapping_add(1 << (5 * (kind & 15)).min(60));
        self.count = self.count.wrapping_add(1);
    }

    /// Removes a piece.
    #[inline(always)]
    fn take(&mut self, constants: &Constants, kind: u8, square: usize) {
        self.relocate(constants, kind, square);
        self.counts = self.counts.wrapping_sub(1 << (5 * (kind & 15)).min(60));
        self.count = self.count.wrapping_sub(1);
    }

    /// Toggles the square of a piece that moves; the counts stay.
    #[inline(always)]
    fn relocate(&mut self, constants: &Constants, kind: u8, square: usize) {
        let constant = constants.pieces[usize::from(kind & 15)][square & 63];
        if kind % 6 == PAWN && usize::from(kind) < KINDS {
            self.pawns ^= constant;
        } else if matches!(kind, WHITE_KNIGHT | WHITE_BISHOP) {
            self.minors ^= constant;
        }
    }

    fn of_pieces(constants: &Constants, pieces: &Pieces) -> Tail {
        let mut tail = Tail::default();
        for unit in 0..32 {
            let (square, kind) = (usize::from(pieces.square[unit] & 63), pieces.kind[unit]);
            if usize::from(pieces.unit[square]) == unit {
                tail.put(constants, kind, square);
            }
        }
        tail
    }

    /// The tail key, given the constants of the kings' squares.
    #[inline(always)]
    fn key(&self, white_king: u64, black_king: u64) -> u64 {
        let pieces = match self.count {
            MANY_PIECES.. => self.minors ^ white_king,
            0..=FEW_PIECES => self.minors ^ white_king ^ black_king,
            _ => 0,
        };
        fmix64(self.pawns ^ pieces ^ fmix64(self.counts ^ COUNTS_SALT))
    }

    /// Whether the key covers squares of pieces other than pawns.
    #[inline(always)]
    fn tells_pieces(&self) -> bool {
        !(FEW_PIECES + 1..MANY_PIECES).contains(&self.count)
    }
}

/// The tail key of a board; a function of the placement alone.
pub fn tail_key(board: &Board) -> u64 {
    let constants = &*CONSTANTS;
    let mut tail = Tail::default();
    let mut kings = [0, 0];
    for (square, &kind) in board.kinds.iter().enumerate().filter(|(_, kind)| usize::from(**kind) < KINDS) {
        tail.put(constants, kind, square);
        // Each side of a game position has one king.
        match kind {
            WHITE_KING => kings[0] = constants.pieces[usize::from(kind)][square],
            BLACK_KING => kings[1] = constants.pieces[usize::from(kind)][square],
            _ => (),
        }
    }
    tail.key(kings[0], kings[1])
}

/// An index key of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// The position key of a position up to half-move [`EXACT_PLIES`], and its note.
    Position(u64, Note),
    /// The tail key of a later position.
    Tail(u64),
}

/// Calls `found` with the keys of a game: of the start, of each position up to half-move [`EXACT_PLIES`], then of later
/// positions. A tail key equal to the previous one is skipped. Other duplicates are possible.
pub fn each_key(game: GameRef<'_>, mut found: impl FnMut(Key)) -> Result<(), CorruptGame> {
    let start = game.start_position()?;
    let mut replay = Replay::<Keyed>::new(&start);
    let custom = game.has_custom_start();
    let rights = |pieces: &Pieces, course: Course| match custom {
        true => Rights::UNKNOWN,
        false => Rights::new(course.home.castling(), course.legal_en_passant_file(pieces)),
    };
    // The latest position; its note needs the next half-move.
    let mut open = (replay.state.key, rights(&replay.pieces, replay.state.course));
    let mut kings = [replay.pieces.square[0], replay.pieces.square[16]];
    let mut at = 0;
    replay.run_on(game.moves(), &mut at, EXACT_PLIES, |pieces, state| {
        let last = state.last;
        let note = if last.is_castling() {
            let color = usize::from(state.turn == 0);
            Note::new(Some((kings[color], pieces.square[16 * color])), open.1)
        } else if last.is_promotion() {
            Note::before_promotion(open.1)
        } else {
            Note::new(Some((last.from() as u8, last.to() as u8)), open.1)
        };
        found(Key::Position(open.0, note));
        open = (state.key, rights(pieces, state.course));
        kings = [pieces.square[0], pieces.square[16]];
        false
    })?;
    let rest = game.moves().get(at..).unwrap_or_default();
    let next = match replay.decode(rest) {
        Some(Step::Plain { promotion: Some(_), .. }) => Note::before_promotion(open.1),
        Some(Step::Plain { from, to, promotion: None }) => Note::new(Some((from, to)), open.1),
        Some(Step::Castle { long }) => {
            let color = usize::from(replay.state.turn == 1);
            Note::new(Some((kings[color], 56 * color as u8 + if long { 2 } else { 6 })), open.1)
        }
        None => Note::new(None, open.1),
    };
    found(Key::Position(open.0, next));
    if rest.is_empty() { Ok(()) } else { tail_keys(replay.tracing(), rest, found) }
}

/// The tail keys of the positions after each half-move of `moves`.
fn tail_keys(mut replay: Replay<'_, Traced>, moves: &[u8], mut found: impl FnMut(Key)) -> Result<(), CorruptGame> {
    let constants = &*CONSTANTS;
    let mut tail = Tail::of_pieces(constants, &replay.pieces);
    let mut before = None;
    replay.run(moves, u32::MAX, |pieces, state| {
        let last = state.last;
        // Only pawn moves and captures change every form of the key. Moves of other pieces change the forms that cover
        // their squares.
        let (mut counts, mut moves_piece) = (before.is_none(), last.is_castling());
        if !last.is_castling() {
            let kind = pieces.kind_at(last.to());
            if last.is_promotion() {
                tail.take(constants, 6 * (state.turn ^ 1) as u8 + PAWN, last.from());
                tail.put(constants, kind, last.to());
                counts = true;
            } else if kind % 6 == PAWN || matches!(kind, WHITE_KNIGHT | WHITE_BISHOP) {
                tail.relocate(constants, kind, last.from());
                tail.relocate(constants, kind, last.to());
                counts |= kind % 6 == PAWN;
                moves_piece = true;
            } else {
                moves_piece = kind % 6 == KING;
            }
            if state.taken != EMPTY {
                let taken = usize::from(state.taken & 63);
                tail.take(constants, pieces.kind[taken], usize::from(pieces.square[taken]));
                counts = true;
            }
        }
        if counts | (moves_piece & tail.tells_pieces()) {
            let king =
                |unit: usize, kind: u8| constants.pieces[usize::from(kind)][usize::from(pieces.square[unit] & 63)];
            let key = tail.key(king(0, WHITE_KING), king(16, BLACK_KING));
            if before != Some(key) {
                found(Key::Tail(key));
                before = Some(key);
            }
        }
        false
    })?;
    Ok(())
}
