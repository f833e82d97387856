//! The keys under which an index of patterns finds a game: those [of a game](of_game), and those that a pattern
//! [asks for](of_pattern).

mod of_game;
mod of_pattern;

pub use of_game::{FREQUENT_KEYS, material_key, pattern_keys, place_of, signature_in};
pub use of_pattern::{KeyTree, Node as KeyNode, Wanted};
