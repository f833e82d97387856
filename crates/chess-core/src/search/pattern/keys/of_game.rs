//! The keys under which an index of patterns finds a game.
//!
//! Takes games; returns numbers that say what happens in a game at some moment: which material there is, what
//! stands where, what takes what. A pattern asks for some of them ([`super::of_pattern`]). What stands where it
//! stands in the standard start has no key: nearly every game would have it.
//!
//! # Stability
//!
//! Indexes on disk hold these numbers; a test pins the published ones.

use crate::board::kinds::PAWN;
use crate::game::pieces::{EMPTY, Pieces};
use crate::game::replay::Replay;
use crate::game::state::Traced;
use crate::game::{CorruptGame, GameRef};
use crate::search::pattern::exclude::material::{HOME, IN_SIGNATURE};
use crate::search::pattern::program::Finish;
use crate::search::pattern::step::ending::board_of;
use crate::search::pattern::step::moment::Moment;

/// What a key tells of stands above these bits.
const SUBJECT_SHIFT: u32 = 40;
/// How many pieces of each kind there are, at one moment.
const MATERIAL: u64 = 1 << SUBJECT_SHIFT;
/// A piece on a square.
const SQUARES: u64 = 2 << SUBJECT_SHIFT;
/// What takes what, castling, promotion, en passant, mate and stalemate.
const EVENTS: u64 = 3 << SUBJECT_SHIFT;

/// The key of a signature.
pub fn material_key(signature: u64) -> u64 {
    MATERIAL | signature
}

/// The signature in a key, if it is one of material.
pub fn signature_in(key: u64) -> Option<u64> {
    (key >> SUBJECT_SHIFT == 1).then_some(key & (MATERIAL - 1))
}

/// The key of a piece on a square; none where it stands in the standard start.
pub(super) fn square_key(kind: u8, square: u8) -> Option<u64> {
    let away = HOME[usize::from(kind)] >> square & 1 == 0;
    away.then_some(SQUARES | u64::from(kind) << 6 | u64::from(square))
}

/// What has a key of its own besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A kind takes a kind.
    Takes(u8, u8),
    /// A pawn of a side takes en passant.
    EnPassant(u8),
    /// A pawn promotes to a kind.
    Promotes(u8),
    /// O-O, O-O-O, o-o, o-o-o.
    Castles(u8),
    Mate,
    Stalemate,
}

impl Event {
    pub fn key(self) -> u64 {
        let number = match self {
            Event::Takes(mover, taken) => 12 * mover + taken,
            Event::EnPassant(side) => 144 + side,
            Event::Promotes(kind) => 146 + kind,
            Event::Castles(how) => 158 + how,
            Event::Mate => 162,
            Event::Stalemate => 163,
        };
        EVENTS | u64::from(number)
    }
}

/// The number of keys of squares and events, of which a game has the same few again and again.
pub const FREQUENT_KEYS: usize = 768 + 164;

/// The place of a key of squares or events among all of them, below [`FREQUENT_KEYS`].
pub fn place_of(key: u64) -> Option<usize> {
    let number = (key & (MATERIAL - 1)) as usize;
    match key >> SUBJECT_SHIFT {
        2 if number < 768 => Some(number),
        3 if number < 164 => Some(768 + number),
        _ => None,
    }
}

/// Appends the keys of a game in ascending order, each once.
pub fn pattern_keys(game: GameRef<'_>, keys: &mut Vec<u64>) -> Result<(), CorruptGame> {
    let start = game.start_position()?;
    let mut seen = Seen::at(&start.pieces);
    let mut replay = Replay::<Traced>::new(&start);
    let plies = replay.run(game.moves(), u32::MAX, |pieces, state: Traced| {
        seen.follow(pieces, state);
        false
    })?;

    seen.signatures.sort_unstable();
    seen.signatures.dedup();
    keys.extend(seen.signatures.iter().map(|signature| material_key(*signature)));
    for (kind, (stood, home)) in seen.stood.iter().zip(HOME).enumerate() {
        each_bit(stood & !home, |square| keys.push(SQUARES | (kind as u64) << 6 | u64::from(square)));
    }
    for (mover, taken) in seen.takes.iter().take(12).enumerate() {
        each_bit((taken & 0xfff).into(), |taken| keys.push(Event::Takes(mover as u8, taken).key()));
    }
    let mut moment = Moment::after(&replay.pieces, replay.state.course, plies);
    let both = Finish { mate: true, stalemate: true };
    both.of(&mut moment, || board_of(&start, &replay.pieces, replay.state.course));
    let ends = u64::from(moment.is_mate) << 18 | u64::from(moment.is_stalemate) << 19;
    each_bit(seen.others | ends, |number| keys.push(EVENTS | u64::from(144 + number)));
    Ok(())
}

/// What a replay has seen of what has keys.
struct Seen {
    /// Where a piece of each kind stood.
    stood: [u64; 16],
    /// The kinds that each kind took.
    takes: [u16; 16],
    /// The other events, by their numbers from 144 on.
    others: u64,
    /// The signature at hand.
    signature: u64,
    /// It, and all before.
    signatures: Vec<u64>,
}

impl Seen {
    /// At the start of a game.
    fn at(pieces: &Pieces) -> Seen {
        let mut seen =
            Seen { stood: [0; 16], takes: [0; 16], others: 0, signature: 0, signatures: Vec::with_capacity(32) };
        for side in 0..2 {
            seen.look_at(side, pieces);
        }
        // A side has sixteen pieces at most, one of them the king: no number exceeds its bits.
        seen.signature = pieces.kind[..usize::from(EMPTY)]
            .iter()
            .fold(0, |signature: u64, kind| signature.wrapping_add(IN_SIGNATURE[usize::from(kind & 15)]));
        seen.signatures.push(seen.signature);
        seen
    }

    /// Takes in where the pieces of a side stand.
    fn look_at(&mut self, side: u8, pieces: &Pieces) {
        for unit in 16 * side..16 * side + 16 {
            let square = pieces.square[usize::from(unit)] & 63;
            // What has been taken has left its square to another, or to nothing.
            if pieces.unit[usize::from(square)] == unit {
                self.stood[usize::from(pieces.kind[usize::from(unit)] & 15)] |= 1 << square;
            }
        }
    }

    /// Takes in the half-move that a replay has just played.
    #[inline(always)]
    fn follow(&mut self, pieces: &Pieces, state: Traced) {
        if state.taken != EMPTY || state.last.is_castling() || state.last.is_promotion() {
            return self.follow_event(pieces, state);
        }
        let to = state.last.to();
        self.stood[usize::from(pieces.kind_at(to) & 15)] |= 1 << to;
    }

    /// The same of a half-move that is more than a piece on another square.
    #[inline(never)]
    fn follow_event(&mut self, pieces: &Pieces, state: Traced) {
        // The side to move has changed already.
        let side = (state.turn & 1 ^ 1) as u8;
        if state.last.is_castling() {
            let king_to = pieces.square[16 * usize::from(side)];
            self.others |= 1 << (14 + 2 * side + u8::from(king_to & 7 == 2));
            return self.look_at(side, pieces);
        }
        let to = state.last.to();
        let is_now = pieces.kind_at(to) & 15;
        self.stood[usize::from(is_now)] |= 1 << to;
        let mut mover = is_now;
        let change = |from: u64, leaves: u8| from.wrapping_sub(IN_SIGNATURE[usize::from(leaves)]);
        if state.last.is_promotion() {
            mover = 6 * side + PAWN;
            self.others |= 4 << is_now;
            self.signature = change(self.signature, mover).wrapping_add(IN_SIGNATURE[usize::from(is_now)]);
        }
        if state.taken != EMPTY {
            let unit = usize::from(state.taken & 63);
            let taken = pieces.kind[unit] & 15;
            self.takes[usize::from(mover)] |= 1 << taken;
            // Elsewhere than on the square entered: en passant.
            self.others |= u64::from(usize::from(pieces.square[unit]) != to) << side;
            self.signature = change(self.signature, taken);
        }
        self.signatures.push(self.signature);
    }
}

fn each_bit(mut bits: u64, mut visit: impl FnMut(u8)) {
    while bits != 0 {
        visit(bits.trailing_zeros() as u8);
        bits &= bits - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::movetext;

    fn keys(text: &str) -> Vec<u64> {
        let mut keys = Vec::new();
        pattern_keys(movetext::read(text).unwrap().view(), &mut keys).unwrap();
        assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
        keys
    }

    #[test]
    fn keys_are_frozen() {
        let all = 0x11_2222_2288;
        assert_eq!(keys(""), [1 << 40 | all]);
        // White's pawn on e4, Black's on d5; a pawn takes a pawn.
        let squares = |keys: &[u64]| keys.iter().map(|key| (2 << 40) | key).collect::<Vec<u64>>();
        let stood = squares(&[28, 35, 6 * 64 + 35]);
        let expected = [vec![1 << 40 | (all - 1), 1 << 40 | all], stood, vec![3 << 40 | 6]].concat();
        assert_eq!(keys("1. e4 d5 2. exd5"), expected);
        // En passant, castling on both squares, mate.
        assert!(keys("1. e4 a6 2. e5 d5 3. exd6").contains(&(3 << 40 | 144)));
        let castled = keys("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O");
        for key in [2 << 40 | 5 << 6 | 6, 2 << 40 | 3 << 6 | 5, 3 << 40 | 158] {
            assert!(castled.contains(&key), "{key}");
        }
        assert_eq!(keys("1. f3 e5 2. g4 Qh4#").last(), Some(&(3 << 40 | 162)));
        let promoted = keys("1. e4 d5 2. e5 f5 3. exf6 Nc6 4. fxg7 h6 5. gxh8=N");
        assert!(promoted.contains(&(3 << 40 | 147)) && promoted.contains(&(2 << 40 | 1 << 6 | 63)));
        assert!(promoted.iter().all(|key| place_of(*key).is_some() != signature_in(*key).is_some()));
    }
}
