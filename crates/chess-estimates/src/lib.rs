//! Estimates from a sample how many games of a column a predicate finds.
//!
//! ANALYZE passes in a sample of games and stores the statistics that come back ([`sample`]): the common openings as a
//! tree ([`openings`]), the most common keys of positions and candidates ([`keys`]), and statistics of patterns and
//! material ([`patterns`], with the material that games go through in [`courses`]). The planner passes in a predicate
//! with these statistics and gets the share of the games that it finds ([`column`]).
//!
//! The crate does not depend on a server, so its tests need none.

#![forbid(unsafe_code)]

pub mod column;
pub mod courses;
mod kept_games;
pub mod keys;
pub mod openings;
pub mod patterns;
pub mod sample;
use chess_core::varint as varints;
