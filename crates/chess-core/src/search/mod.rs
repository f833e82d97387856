//! Searches in a game: for a board, for any of many, for the nearest position, for a material or a pattern; and index keys.

pub mod any_board;
pub mod distance;
pub mod finder;
pub mod hybrid_keys;
pub mod index_keys;
pub mod material;
pub mod nearest;
pub mod pattern;
