//! Facts about a game: moves, positions, openings, and its status under the rules.

pub mod explorer;
pub mod moves;
pub mod openings;
pub mod positions;
pub mod rules;
