//! Chess games in about one byte per half-move, and searches in them.
//!
//! Takes PGN text, FEN and stored bytes; returns games, boards, found positions, and text. Nothing here depends on a
//! database, so the server and the loader share one definition of every byte.
//!
//! The folders follow the path of a game; each uses only those before it.
//!
//! * [`board`]: positions with six FEN fields; FEN, sets of squares, hashes, pictures
//! * [`game`]: packed games, whose bytes `docs/format.md` describes; replay, legality of moves, recording
//! * [`text`]: PGN, move text, SAN, UCI, comments, and two-byte codes of moves
//! * [`search`]: searches for a board, a material or a pattern in a game; index keys
//! * [`facts`]: moves, positions, openings, and the status under the rules
//!
//! [`pause`] lets the caller interrupt long work.
//!
//! Lists of legal moves and the legality of boards come from [`shakmaty`]; everything else is tested against it.
//!
//! # Stability
//!
//! Stored bytes are a promise: every version reads what an earlier one wrote. Golden files in
//! `tests/golden` pin them.

#![forbid(unsafe_code)]

pub mod board;
pub mod facts;
pub mod game;
pub mod pause;
pub mod search;
pub mod text;
pub mod varint;

pub use board::Board;
pub use game::{CorruptGame, Game, GameRef, GameResult};
pub use search::finder::Finder;
