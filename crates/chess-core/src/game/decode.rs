//! The meaning of a move code on a board.

use crate::board::kinds::QUEEN;
use crate::game::pieces::Pieces;
use crate::game::slots::{CASTLE, DECODE, ESCAPE, NO_TARGET, PROMOTION, PROMOTION_SHIFT, SLOT_ROLE, Step, TARGETS};

/// Decodes the code at the start of `moves` without playing it; `None` if it does not name a move of a piece on the
/// board.
#[inline]
pub(crate) fn decode(pieces: &Pieces, turn: u32, moves: &[u8]) -> Option<Step> {
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
