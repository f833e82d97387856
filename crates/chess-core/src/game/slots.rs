//! The slot code: the byte for each move.
//!
//! Each side's pieces of the start position take 16 slots by role and keep them for the whole game:
//! slot 0 king, 1 queen, 2-3 rooks, 4-5 bishops, 6-7 knights, 8-15 pawns. Pieces of one role take
//! their slots in the order of their squares (a1, b1 … h8). A surplus piece of a role takes the
//! highest slot that is free once all others have theirs.
//!
//! A byte names a slot and one of the targets that its piece would have on an empty board, in
//! ascending order of squares (a1 = 0 … h8 = 63):
//!
//! | bytes | slot | targets |
//! |---|---|---|
//! | 0-7, 8, 9 | 0 king | king steps, O-O, O-O-O |
//! | 10-23, 24-36 | 1 queen | as a rook, as a bishop |
//! | 37-50, 51-64 | 2, 3 rooks | 14 each |
//! | 65-77, 78-90 | 4, 5 bishops | up to 13 each |
//! | 91-98, 99-106 | 6, 7 knights | up to 8 each |
//! | 107 + 12i … 118 + 12i | 8 + i pawns | below |
//! | 203-254 | | not used |
//! | 255 | | two more bytes follow, see [`escape`] |
//!
//! A pawn's twelve targets are: push, double push, capture towards the a-file, capture towards the
//! h-file. One rank before promotion they are push, capture towards the a-file, capture towards the
//! h-file, each to queen, rook, bishop, knight.
//!
//! A piece whose role is not that of its slot (a promoted pawn, a surplus piece) is always named by
//! an escape, and no other piece ever is: a move has exactly one encoding.
//!
//! # Stability
//!
//! These numbers are on disk. They depend on nothing but this file and never change.

use std::cmp::Ordering;

use shakmaty::Move;

use crate::board::kinds::{BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK};
use crate::board::reach::REACH;

/// The role that belongs to a slot.
pub(crate) const SLOT_ROLE: [u8; 16] =
    [KING, QUEEN, ROOK, ROOK, BISHOP, BISHOP, KNIGHT, KNIGHT, PAWN, PAWN, PAWN, PAWN, PAWN, PAWN, PAWN, PAWN];

/// The first byte of a slot.
pub(crate) const SLOT_BASE: [u8; 16] = [0, 10, 37, 51, 65, 78, 91, 99, 107, 119, 131, 143, 155, 167, 179, 191];

/// The first byte of an escaped move.
pub(crate) const ESCAPE: u8 = 255;
pub(crate) const SHORT_CASTLE: u8 = 8;
pub(crate) const LONG_CASTLE: u8 = 9;

/// A target: square in bits 0 to 5, then flags.
pub(crate) const DOUBLE_PUSH: u16 = 0x40;
pub(crate) const PAWN_CAPTURE: u16 = 0x80;
pub(crate) const PROMOTION: u16 = 0x100;
/// 0 queen, 1 rook, 2 bishop, 3 knight.
pub(crate) const PROMOTION_SHIFT: u32 = 9;
/// The "square" is 0 for O-O, 1 for O-O-O.
pub(crate) const CASTLE: u16 = 0x800;
/// No such target.
pub(crate) const NO_TARGET: u16 = 0x8000;

/// Rows of [`TARGETS`], by how a piece moves.
const WHITE_PAWN_ROW: usize = 0;
const KNIGHT_ROW: usize = 2;
const BISHOP_ROW: usize = 3;
const ROOK_ROW: usize = 4;
const KING_ROW: usize = 5;

/// The first targets of a queen are those of a rook.
const QUEEN_AS_ROOK: usize = 14;

/// `TARGETS[1024 * row + 16 * from + index]`. Unused entries of the 8,192 are [`NO_TARGET`], so that a mask replaces
/// the bounds check.
pub(crate) static TARGETS: [u16; 8192] = targets();

/// For each side and byte: unit (`16 * colour + slot`, 63 for none) in bits 0 to 5, and the offset
/// into [`TARGETS`] less `16 * from` from bit 8 on.
pub(crate) static DECODE: [[u32; 256]; 2] = decode();

/// The unit of bytes that name no slot.
pub(crate) const NO_UNIT: usize = 63;

/// The inverse of [`TARGETS`]: `INDEX[role][from][to]`; not for pawns.
static INDEX: [[[u8; 64]; 64]; 6] = indexes();

const fn indexes() -> [[[u8; 64]; 64]; 6] {
    let mut table = [[[0; 64]; 64]; 6];
    let mut from = 0;
    while from < 64 {
        put_indexes(&mut table[KNIGHT as usize][from], KNIGHT_ROW, from, 0);
        put_indexes(&mut table[BISHOP as usize][from], BISHOP_ROW, from, 0);
        put_indexes(&mut table[ROOK as usize][from], ROOK_ROW, from, 0);
        put_indexes(&mut table[QUEEN as usize][from], ROOK_ROW, from, 0);
        put_indexes(&mut table[QUEEN as usize][from], BISHOP_ROW, from, QUEEN_AS_ROOK as u8);
        put_indexes(&mut table[KING as usize][from], KING_ROW, from, 0);
        from += 1;
    }
    table
}

/// Stores the indexes of the targets in a row, counted from `first`; castling has none.
const fn put_indexes(table: &mut [u8; 64], row: usize, from: usize, first: u8) {
    let mut index = 0;
    while index < 16 {
        let target = TARGETS[1024 * row + 16 * from + index] as usize;
        if target < 64 {
            table[target] = first + index as u8;
        }
        index += 1;
    }
}

const fn targets() -> [u16; 8192] {
    let mut table = [NO_TARGET; 8192];
    let mut from = 0;
    while from < 64 {
        put_squares(&mut table, KNIGHT_ROW, from, REACH[KNIGHT as usize][from]);
        put_squares(&mut table, BISHOP_ROW, from, REACH[BISHOP as usize][from]);
        put_squares(&mut table, ROOK_ROW, from, REACH[ROOK as usize][from]);
        put_squares(&mut table, KING_ROW, from, REACH[KING as usize][from]);
        table[1024 * KING_ROW + 16 * from + SHORT_CASTLE as usize] = CASTLE;
        table[1024 * KING_ROW + 16 * from + LONG_CASTLE as usize] = CASTLE | 1;
        put_pawn(&mut table, 0, from);
        put_pawn(&mut table, 1, from);
        from += 1;
    }
    table
}

const fn put_squares(table: &mut [u16; 8192], row: usize, from: usize, mut set: u64) {
    let mut index = 0;
    while set != 0 {
        table[1024 * row + 16 * from + index] = set.trailing_zeros() as u16;
        set &= set - 1;
        index += 1;
    }
}

const fn put_pawn(table: &mut [u16; 8192], color: usize, from: usize) {
    let (rank, file) = (from / 8, from % 8);
    if rank == 0 || rank == 7 {
        return;
    }
    let (home, seventh) = if color == 0 { (1, 6) } else { (6, 1) };
    let push = if color == 0 { from as u16 + 8 } else { from as u16 - 8 };
    let double = if color == 0 { push + 8 } else { push.wrapping_sub(8) };
    let at = 1024 * (WHITE_PAWN_ROW + color) + 16 * from;
    if rank == seventh {
        let mut to = 0;
        while to < 4 {
            let flags = PROMOTION | (to as u16) << PROMOTION_SHIFT;
            table[at + to] = flags | push;
            if file > 0 {
                table[at + 4 + to] = flags | (push - 1);
            }
            if file < 7 {
                table[at + 8 + to] = flags | (push + 1);
            }
            to += 1;
        }
    } else {
        table[at] = push;
        if rank == home {
            table[at + 1] = DOUBLE_PUSH | double;
        }
        if file > 0 {
            table[at + 2] = PAWN_CAPTURE | (push - 1);
        }
        if file < 7 {
            table[at + 3] = PAWN_CAPTURE | (push + 1);
        }
    }
}

const fn decode() -> [[u32; 256]; 2] {
    const KING_TARGETS: usize = 10;
    let mut table = [[NO_UNIT as u32; 256]; 2];
    let mut color = 0;
    while color < 2 {
        let mut slot = 0;
        while slot < 16 {
            let count = match SLOT_ROLE[slot] {
                KING => KING_TARGETS,
                QUEEN => 27,
                ROOK => 14,
                BISHOP => 13,
                KNIGHT => 8,
                _ => 12,
            };
            let mut i = 0;
            while i < count {
                let (row, index) = match SLOT_ROLE[slot] {
                    KING => (KING_ROW, i),
                    QUEEN if i < QUEEN_AS_ROOK => (ROOK_ROW, i),
                    QUEEN => (BISHOP_ROW, i - QUEEN_AS_ROOK),
                    ROOK => (ROOK_ROW, i),
                    BISHOP => (BISHOP_ROW, i),
                    KNIGHT => (KNIGHT_ROW, i),
                    _ => (WHITE_PAWN_ROW + color, i),
                };
                table[color][SLOT_BASE[slot] as usize + i] =
                    (16 * color + slot) as u32 | ((1024 * row + index) as u32) << 8;
                i += 1;
            }
            slot += 1;
        }
        color += 1;
    }
    table
}

/// A move without its position, which determines the piece, the capture, and the squares of castling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Any move but castling.
    Plain {
        /// The square moved from.
        from: u8,
        /// The square moved to.
        to: u8,
        /// The role that a pawn promotes to: 1 knight, 2 bishop, 3 rook, 4 queen.
        promotion: Option<u8>,
    },
    /// O-O, or O-O-O if `long`.
    Castle {
        /// Whether towards the a-file.
        long: bool,
    },
}

impl Step {
    /// A move of shakmaty; `None` for a drop, which does not exist in chess.
    pub fn of(played: Move) -> Option<Step> {
        match played {
            Move::Castle { king, rook } => Some(Step::Castle { long: rook < king }),
            Move::Normal { from, to, promotion, .. } => {
                let promotion = promotion.map(|role| role as u8 - 1);
                Some(Step::Plain { from: from as u8, to: to as u8, promotion })
            }
            Move::EnPassant { from, to } => Some(Step::Plain { from: from as u8, to: to as u8, promotion: None }),
            Move::Put { .. } => None,
        }
    }

    /// The role that a pawn promotes to.
    pub fn promotion(self) -> Option<u8> {
        match self {
            Step::Plain { promotion, .. } => promotion,
            Step::Castle { .. } => None,
        }
    }
}

/// Two bytes that follow an escape, big-endian: `from << 10 | to << 4 | promotion`, where promotion
/// is 0 for none, 1 knight, 2 bishop, 3 rook, 4 queen.
pub(crate) fn escape(from: u8, to: u8, promotion: Option<u8>) -> [u8; 3] {
    let word = u16::from(from) << 10 | u16::from(to) << 4 | u16::from(promotion.unwrap_or(0));
    let [high, low] = word.to_be_bytes();
    [ESCAPE, high, low]
}

/// Appends the code of a legal `step` of the piece in `slot`, which now has `role`.
#[inline]
pub(crate) fn encode(slot: usize, role: u8, step: Step, out: &mut Vec<u8>) {
    let (from, to, promotion) = match step {
        Step::Castle { long } => return out.push(if long { LONG_CASTLE } else { SHORT_CASTLE }),
        Step::Plain { from, to, promotion } => (from, to, promotion),
    };
    if SLOT_ROLE[slot] != role {
        return out.extend_from_slice(&escape(from, to, promotion));
    }
    let index = match role {
        PAWN => pawn_target(from, to, promotion),
        _ => INDEX[usize::from(role % 6)][usize::from(from & 63)][usize::from(to & 63)],
    };
    out.push(SLOT_BASE[slot] + index);
}

/// The index of a pawn's move among its twelve targets.
fn pawn_target(from: u8, to: u8, promotion: Option<u8>) -> u8 {
    let aside = match (to & 7).cmp(&(from & 7)) {
        Ordering::Equal => 0,
        Ordering::Less => 1,
        Ordering::Greater => 2,
    };
    match promotion {
        Some(role) => 4 * aside + (QUEEN - role),
        None if aside > 0 => 1 + aside,
        None => u8::from(from.abs_diff(to) == 16),
    }
}

/// The last byte of a slot.
fn slot_end(slot: usize) -> u8 {
    match SLOT_BASE.get(slot + 1) {
        Some(next) => next - 1,
        None => 202,
    }
}

/// Whether the move that begins with `byte` is a pawn move. There are slots for eight pawns, so none is escaped.
#[inline]
fn is_pawn_move(byte: u8) -> bool {
    (SLOT_BASE[8]..=slot_end(15)).contains(&byte)
}

/// The number of half-moves, and of bytes, up to and including the last pawn move of the first `plies`.
pub(crate) fn through_last_pawn_move(moves: &[u8], plies: u32) -> (u32, usize) {
    let short = &moves[..moves.len().min(plies as usize)];
    if !short.contains(&ESCAPE) {
        let len = short.iter().rposition(|byte| is_pawn_move(*byte)).map_or(0, |at| at + 1);
        return (len as u32, len);
    }
    let (mut at, mut ply) = (0, 0);
    let mut last = (0, 0);
    while at < moves.len() && ply < plies {
        let byte = moves[at];
        at += code_len(byte);
        ply += 1;
        if is_pawn_move(byte) {
            last = (ply, at);
        }
    }
    last
}

/// The number of bytes of the move that begins with `byte`.
#[inline]
pub(crate) fn code_len(byte: u8) -> usize {
    if byte == ESCAPE { 3 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_its_own_byte() {
        for (color, table) in DECODE.iter().enumerate() {
            for (slot, first) in SLOT_BASE.into_iter().enumerate() {
                for from in 0..64 {
                    let mut seen = Vec::new();
                    for byte in first..=slot_end(slot) {
                        let entry = table[usize::from(byte)];
                        assert_eq!(entry as usize & 63, 16 * color + slot);
                        let target = TARGETS[(entry >> 8) as usize + 16 * from];
                        if target != NO_TARGET {
                            assert!(!seen.contains(&target), "slot {slot} from {from}");
                            seen.push(target);
                        }
                    }
                }
            }
            assert!(table[203..].iter().all(|entry| *entry as usize == NO_UNIT));
        }
    }

    /// Decoding and encoding tables are inverse.
    #[test]
    fn every_target_is_encoded_as_its_byte() {
        for table in &DECODE {
            for byte in 0..=202u8 {
                let entry = table[usize::from(byte)];
                let slot = entry as usize & 15;
                for from in 0..64 {
                    let target = TARGETS[(entry >> 8) as usize + 16 * usize::from(from)];
                    if target == NO_TARGET {
                        continue;
                    }
                    let promotion = (target & PROMOTION != 0).then(|| QUEEN - (target >> PROMOTION_SHIFT) as u8 % 4);
                    let step = match target & CASTLE {
                        0 => Step::Plain { from, to: (target & 63) as u8, promotion },
                        _ => Step::Castle { long: target & 1 == 1 },
                    };
                    let mut out = Vec::new();
                    encode(slot, SLOT_ROLE[slot], step, &mut out);
                    assert_eq!(out, [byte], "{step:?}");
                }
            }
        }
    }

    #[test]
    fn published_bytes() {
        // White: 1. e4 is slot 12 (the e-pawn), double push; 1. Nf3 slot 7 (the g1 knight).
        let mut out = Vec::new();
        encode(12, PAWN, Step::Plain { from: 12, to: 28, promotion: None }, &mut out);
        encode(7, KNIGHT, Step::Plain { from: 6, to: 21, promotion: None }, &mut out);
        encode(0, KING, Step::Castle { long: true }, &mut out);
        encode(8, QUEEN, Step::Plain { from: 56, to: 0, promotion: None }, &mut out);
        assert_eq!(out, [156, 100, 9, 255, 0xe0, 0x00]);
    }
}
