//! Stored values: from the bytes of datums to the types of chess-core and back, and the ERRORs for what the core refuses.

pub mod board;
pub mod game;
pub mod pattern;
pub mod refusals;
