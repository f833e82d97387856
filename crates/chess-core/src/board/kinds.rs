//! Kinds of pieces: a small number for each piece of each side, with its letter and its shakmaty name.
//!
//! Every layer counts pieces in these numbers: boards, stored moves, hashes, statistics.

use shakmaty::{Color, Piece, Role};

/// Kinds of pieces: white pawn, knight, bishop, rook, queen, king are 0 to 5, black's 6 to 11.
pub const KINDS: usize = 12;
/// The kind of an empty square.
pub const NO_KIND: u8 = 12;

/// Roles, as a kind is `6 * colour + role`.
pub(crate) const PAWN: u8 = 0;
pub(crate) const KNIGHT: u8 = 1;
pub(crate) const BISHOP: u8 = 2;
pub(crate) const ROOK: u8 = 3;
pub(crate) const QUEEN: u8 = 4;
/// The role of the king.
pub const KING: u8 = 5;

/// The letters of the kinds in FEN.
pub(crate) const LETTERS: &[u8; 12] = b"PNBRQKpnbrqk";

pub(crate) fn kind_of(piece: Piece) -> u8 {
    u8::from(piece.color.is_black()) * 6 + (piece.role as u8 - 1)
}

pub(crate) fn role_of(role: u8) -> Option<Role> {
    Role::ALL.get(usize::from(role)).copied()
}

pub(crate) fn piece_of(kind: u8) -> Option<Piece> {
    if usize::from(kind) >= KINDS {
        return None;
    }
    Some(Piece { color: Color::from_black(kind >= 6), role: role_of(kind % 6)? })
}
