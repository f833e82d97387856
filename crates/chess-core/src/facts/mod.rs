//! What is in a game, and what the rules say about it.

pub mod explorer;
pub mod moves;
pub mod openings;
pub mod positions;
pub mod rules;
