//! Chess games in about one byte per half-move, and the search of positions in them.
//!
//! In come PGN text, FEN and stored bytes; out go games, boards, positions found, text. Nothing
//! here knows of a database, so that the server and the loader share one definition of every byte.
//!
//! * [`movetext`] reads and writes the moves of a game, [`san`] one of them, [`pgn`] takes whole PGN files apart
//! * [`annotations`] reads clocks and evaluations out of comments
//! * [`moves2`] knows the codes of two bytes a half-move
//! * [`game`] holds the packed game: header, order, prefixes; `docs/format.md` describes its bytes;
//!   [`recorder`] writes it, [`parts`] makes games of games
//! * [`board`] and [`fen`] hold a position with its six FEN fields
//! * [`slots`] numbers the pieces and their moves, [`replay`] plays them back
//! * [`legality`] says which of them are legal
//! * [`search`] finds a position in a game, [`key`] hashes positions for an index, [`distance`] says how early one can be
//! * [`moves`], [`positions`], [`rules`], [`explorer`], [`material`] and [`openings`] say what is in a game
//! * [`squares`] and [`symmetry`] take boards apart, [`diagram`] and [`svg`] draw them
//! * [`uci`] and [`pgn_export`] write games for other programs
//! * [`pause`] lets the caller in during long work
//!
//! What needs all moves of a position, and whether a board is one, comes from [`shakmaty`]; what is
//! done without it is tested against it.
//!
//! # Stability
//!
//! Stored bytes are a promise: every version reads what an earlier one wrote. Golden files in
//! `tests/golden` pin them.

#![forbid(unsafe_code)]

pub mod annotations;
pub mod board;
pub mod diagram;
pub mod distance;
pub mod explorer;
pub mod fen;
pub mod game;
pub mod key;
pub mod legality;
pub mod material;
pub mod moves;
pub mod moves2;
pub mod movetext;
pub mod openings;
pub mod parts;
pub mod pause;
pub mod pgn;
pub mod pgn_export;
pub mod positions;
pub mod recorder;
pub mod replay;
pub mod rules;
pub mod san;
pub mod search;
pub mod slots;
pub mod squares;
pub mod svg;
pub mod symmetry;
pub mod uci;
mod varint;

pub use board::Board;
pub use game::{CorruptGame, Game, GameRef, GameResult};
pub use search::Finder;
