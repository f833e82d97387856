//! Facts about a game: moves, positions, counts, openings, its status under the rules, what reports count, and sums over games.

pub mod counts;
pub mod explorer;
pub mod groups;
pub mod moves;
pub mod openings;
pub mod positions;
pub mod report;
pub mod rules;
pub mod sums;
