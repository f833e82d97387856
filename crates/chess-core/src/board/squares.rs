//! Sets of squares as 64-bit numbers: bit 0 is a1, bit 1 b1 … bit 63 h8.
//!
//! Takes boards, and names of squares and pieces; returns sets, and the squares of a set. Boards may be illegal:
//! attacks depend neither on the side to move nor on pins.

use shakmaty::{Bitboard, Color, Square, attacks};

use crate::board::Board;
use crate::board::kinds::LETTERS;
use crate::board::kinds::NO_KIND;
use crate::board::kinds::piece_of;

/// The name of a square, `a1` to `h8`. Higher numbers are taken modulo 64.
pub fn name(square: u8) -> String {
    let mut name = String::with_capacity(2);
    crate::board::fen::push_square(&mut name, square & 63);
    name
}

/// The square with this name.
///
/// # Examples
///
/// ```
/// use chess_core::board::squares;
///
/// assert_eq!(squares::from_name("e4"), Some(28));
/// assert_eq!(squares::from_name("E4"), None);
/// ```
pub fn from_name(name: &str) -> Option<u8> {
    match name.as_bytes() {
        &[file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Some((rank - b'1') * 8 + (file - b'a')),
        _ => None,
    }
}

/// The side with this name in upper or lower case: `w` and `white` are 0, `b` and `black` 1.
pub fn color_from_name(name: &str) -> Option<u8> {
    let sides = [["w", "white"], ["b", "black"]];
    let side = sides.iter().position(|names| names.iter().any(|known| name.eq_ignore_ascii_case(known)))?;
    Some(side as u8)
}

/// The FEN letter of a kind of piece; `None` for an empty square.
pub fn letter(kind: u8) -> Option<char> {
    LETTERS.get(usize::from(kind)).map(|letter| char::from(*letter))
}

/// The squares of the pieces with these FEN letters; `None` if a character is not such a letter.
///
/// # Examples
///
/// ```
/// use chess_core::Board;
/// use chess_core::board::squares;
///
/// assert_eq!(squares::of_pieces(&Board::default(), "Pp"), Some(0x00ff_0000_0000_ff00));
/// assert_eq!(squares::of_pieces(&Board::default(), "x"), None);
/// ```
pub fn of_pieces(board: &Board, letters: &str) -> Option<u64> {
    let mut wanted = [false; 16];
    for letter in letters.bytes() {
        wanted[LETTERS.iter().position(|known| *known == letter)?] = true;
    }
    Some(board.set_of(|kind| wanted[usize::from(kind & 15)]))
}

/// The squares of all pieces of a side (0 is White, 1 Black).
pub fn of_color(board: &Board, color: u8) -> u64 {
    board.set_of(|kind| kind != NO_KIND && kind / 6 == color)
}

/// The squares that the piece on `square` attacks, including those of its own pieces; none if the square is empty.
pub fn attacked_from(board: &Board, square: u8) -> u64 {
    let square = square & 63;
    match piece_of(board.kinds[usize::from(square)]) {
        None => 0,
        Some(piece) => attacks::attacks(Square::new(square.into()), piece, Bitboard(board.occupied())).0,
    }
}

/// The squares of the pieces of a side (0 White, 1 Black) that attack `square`.
pub fn attackers_of(board: &Board, square: u8, color: u8) -> u64 {
    let target = Square::new(u32::from(square & 63));
    let occupied = Bitboard(board.occupied());
    let mut set = 0;
    for (from, &kind) in board.kinds.iter().enumerate() {
        if let Some(piece) = piece_of(kind)
            && piece.color == Color::from_black(color == 1)
            && attacks::attacks(Square::new(from as u32), piece, occupied).contains(target)
        {
            set |= 1 << from;
        }
    }
    set
}

/// The squares of a set, from a1 to h8.
pub fn members(set: u64) -> impl Iterator<Item = u8> {
    Bitboard(set).into_iter().map(|square| square as u8)
}

/// The set shifted to higher squares, or to lower ones if `count` is negative. Squares beyond the board are dropped,
/// and ranks continue on the next one.
pub fn shifted_bits(set: u64, count: i32) -> u64 {
    let by = count.unsigned_abs();
    if count >= 0 { set.checked_shl(by).unwrap_or(0) } else { set.checked_shr(by).unwrap_or(0) }
}

/// The set moved `files` to the right and `ranks` up, as White sees the board. Squares beyond the board are dropped.
pub fn moved(set: u64, files: i32, ranks: i32) -> u64 {
    let mut result = 0;
    for square in members(set) {
        let file = i32::from(square % 8).saturating_add(files);
        let rank = i32::from(square / 8).saturating_add(ranks);
        if (0..8).contains(&file) && (0..8).contains(&rank) {
            result |= 1 << (8 * rank + file);
        }
    }
    result
}

/// The set flipped vertically: a1 and a8 change places.
pub fn flipped(set: u64) -> u64 {
    set.swap_bytes()
}

/// The set mirrored: a1 and h1 change places.
pub fn mirrored(set: u64) -> u64 {
    set.swap_bytes().reverse_bits()
}

/// Eight lines from the eighth rank to the first: `1` for a square in the set, `.` for another.
pub fn picture(set: u64) -> String {
    let mut out = String::with_capacity(128);
    for rank in (0..8).rev() {
        for file in 0..8 {
            out.push(if set >> (8 * rank + file) & 1 == 1 { '1' } else { '.' });
            out.push(if file < 7 { ' ' } else { '\n' });
        }
    }
    out.pop();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for square in 0..64 {
            assert_eq!(from_name(&name(square)), Some(square));
        }
        for bad in ["", "e", "e9", "i1", "e44", "é4"] {
            assert_eq!(from_name(bad), None);
        }
        assert_eq!(color_from_name("White"), Some(0));
        assert_eq!(color_from_name("x"), None);
    }

    #[test]
    fn published_constants_of_the_start_position() {
        let board = Board::default();
        let of = |letters| of_pieces(&board, letters).unwrap();
        assert_eq!(of_color(&board, 0), 0xffff);
        assert_eq!(of_color(&board, 1), 0xffff_0000_0000_0000);
        assert_eq!(of("Pp"), 0x00ff_0000_0000_ff00);
        assert_eq!(of("Nn"), 0x4200_0000_0000_0042);
        assert_eq!(of("Bb"), 0x2400_0000_0000_0024);
        assert_eq!(of("Rr"), 0x8100_0000_0000_0081);
        assert_eq!(of("Qq"), 0x0800_0000_0000_0008);
        assert_eq!(of("Kk"), 0x1000_0000_0000_0010);
    }

    #[test]
    fn moves_of_a_set() {
        assert_eq!(shifted_bits(0xff, 8), 0xff00);
        assert_eq!(shifted_bits(1, 63), 1 << 63);
        assert_eq!(shifted_bits(u64::MAX, 64), 0);
        assert_eq!(shifted_bits(u64::MAX, -64), 0);
        assert_eq!(shifted_bits(1 << 63, -63), 1);
        assert_eq!(shifted_bits(1, i32::MIN), 0);
        assert_eq!(moved(1 << 7, 1, 0), 0);
        assert_eq!(moved(1 << 7, 0, 7), 1 << 63);
        assert_eq!(moved(u64::MAX, i32::MAX, i32::MIN), 0);
        assert_eq!(flipped(0xff), 0xff << 56);
        assert_eq!(mirrored(1), 1 << 7);
        assert_eq!(mirrored(0x0102), 0x8040);
    }
}
