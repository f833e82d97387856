//! Facts about a game: moves, positions, counts, openings, its status under the rules, and what reports count.

pub mod counts;
pub mod explorer;
pub mod moves;
pub mod openings;
pub mod positions;
pub mod report;
pub mod rules;
