//! Finding things in a game: a board, any of many, a material, a pattern, and the keys of the indexes.

pub mod any_board;
pub mod distance;
pub mod finder;
pub mod hybrid_keys;
pub mod index_keys;
pub mod material;
pub mod pattern;
