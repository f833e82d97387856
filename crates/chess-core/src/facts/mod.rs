//! Facts about a game: moves, positions, counts, openings, and its status under the rules.

pub mod counts;
pub mod explorer;
pub mod moves;
pub mod openings;
pub mod positions;
pub mod rules;
