//! Chess games in about one byte per half-move, and the search of positions in them.
//!
//! It reads PGN text, FEN and stored bytes, and returns games, boards, positions found, and text. Nothing
//! here knows about a database, so the server and the loader share one definition of every byte.
//!
//! The folders follow the path of a game; each uses only those before it.
//!
//! * [`board`]: a position with its six FEN fields, FEN, sets of squares, hashes, pictures
//! * [`game`]: the packed game, whose bytes `docs/format.md` describes; what its bytes mean, how it is
//!   replayed, which moves are legal, how one is recorded
//! * [`text`]: PGN, move text, SAN, UCI, comments, and the codes of two bytes a half-move
//! * [`search`]: finding a board, a material or a pattern in a game, the keys of the indexes
//! * [`facts`]: what is in a game: moves, positions, status by the rules, openings
//!
//! [`pause`] lets the caller interrupt long work.
//!
//! What needs all moves of a position, and the check of a board's legality, come from [`shakmaty`]; what is
//! done without it is tested against it.
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
mod varint;

pub use board::Board;
pub use game::{CorruptGame, Game, GameRef, GameResult};
pub use search::finder::Finder;
