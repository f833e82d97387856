//! Text to games and back: PGN, move text, SAN, UCI, comments, two-byte codes.

pub mod annotated;
pub mod annotations;
mod glyphs;
pub mod movetext;
pub mod one_move;
pub mod read_pgn;
pub mod san;
mod spellings;
pub mod two_byte_moves;
pub mod uci;
pub mod write_pgn;
