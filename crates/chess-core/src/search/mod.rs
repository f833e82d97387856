//! Searches in a game: for a board, for any of many, for a material or a pattern; and index keys.

pub mod any_board;
pub mod distance;
pub mod finder;
pub mod hybrid_keys;
pub mod index_keys;
pub mod material;
pub mod pattern;
