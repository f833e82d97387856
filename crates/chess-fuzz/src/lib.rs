//! Properties of chess-core, chess-index and chess-uci that hold for every input.
//!
//! Each function of [`TARGETS`] takes any bytes; a panic is a defect. It tests one entrance for input: text, binary
//! input, or stored bytes. Accepted input must survive the round trip through text and bytes and agree with shakmaty;
//! other input must be an error. `fuzz/` runs these functions under libFuzzer; `tests/seeds.rs` replays its seeds
//! without it.

#![forbid(unsafe_code)]

mod board;
mod bytes;
mod engine;
mod game;
mod index;
mod pattern;
pub mod slow_pattern;
mod strict;
mod text;

pub use bytes::{board_bytes, codes, game_bytes, scid, stored};
pub use engine::engine;
pub use index::{index_games, index_meta, index_pages};
pub use pattern::{pattern, pattern_in_game};
pub use slow_pattern::slow_pattern;
pub use text::{annotated, fen, movetext, pgn, san, uci};

/// Takes any bytes; panics if a property does not hold.
pub type Target = fn(&[u8]);

/// The targets by name; files and folders in `fuzz/` have the same names.
pub const TARGETS: &[(&str, Target)] = &[
    ("movetext", movetext),
    ("san", san),
    ("fen", fen),
    ("pgn", pgn),
    ("annotated", annotated),
    ("uci", uci),
    ("game_bytes", game_bytes),
    ("board_bytes", board_bytes),
    ("codes", codes),
    ("scid", scid),
    ("stored", stored),
    ("engine", engine),
    ("index_pages", index_pages),
    ("index_games", index_games),
    ("index_meta", index_meta),
    ("pattern", pattern),
    ("pattern_in_game", pattern_in_game),
    ("slow_pattern", slow_pattern),
];
