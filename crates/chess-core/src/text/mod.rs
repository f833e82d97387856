//! Text to games and back: PGN, moves in SAN and UCI, comments, clocks, two-byte codes.

pub mod annotated;
pub mod clocks_evals;
pub mod commands;
pub mod dates;
mod error;
pub mod excerpt;
mod glyphs;
mod lines;
pub mod movetext;
pub mod names;
pub mod one_move;
pub mod outcome;
pub mod polyglot_moves;
pub mod read_pgn;
pub mod san;
pub mod scid;
mod spellings;
pub mod tags;
pub mod time_control;
mod time_words;
mod tokens;
pub mod tree;
pub mod two_byte_moves;
pub mod uci;
pub mod walk;
mod words;
pub mod write_pgn;
