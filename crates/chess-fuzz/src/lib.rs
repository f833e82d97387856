//! Properties of chess-core, chess-index and chess-uci that hold for every input.
//!
//! Each function takes any byte string and returns nothing: a panic is a defect. Each function of [`TARGETS`] is
//! one entrance for input: text, binary input, stored bytes. What an entrance accepts must come
//! back the same from its text and its bytes, and be what shakmaty says it is; what it refuses must be
//! an error. `fuzz/` hands these functions to libFuzzer; `tests/seeds.rs` replays its seeds without it.

mod board;
mod bytes;
mod engine;
mod game;
mod index;
mod pattern;
pub mod slow_pattern;
mod text;

pub use bytes::{board_bytes, codes, game_bytes, stored};
pub use engine::engine;
pub use index::{index_games, index_pages};
pub use pattern::{pattern, pattern_in_game};
pub use slow_pattern::slow_pattern;
pub use text::{annotated, fen, movetext, pgn, san, uci};

/// Takes any bytes; panics if something does not hold.
pub type Target = fn(&[u8]);

/// The targets and their names, which are those of the files and folders in `fuzz/`.
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
    ("stored", stored),
    ("engine", engine),
    ("index_pages", index_pages),
    ("index_games", index_games),
    ("pattern", pattern),
    ("pattern_in_game", pattern_in_game),
    ("slow_pattern", slow_pattern),
];
