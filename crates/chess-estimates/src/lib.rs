//! How many games of a column a predicate finds, estimated from a sample.
//!
//! When a table is analyzed, it takes a sample of games and returns what is worth keeping of it ([`sample`]):
//! the common openings as a tree ([`openings`]), the commonest keys of positions and candidates ([`keys`]), what there is of
//! patterns and of material ([`patterns`], with the material that games go through in [`courses`]).
//! Later it takes a predicate and returns the share of the games that it finds ([`column`]).
//!
//! Nothing here knows of a database: the server hands in games and bytes, and tests need none.

#![forbid(unsafe_code)]

pub mod column;
pub mod courses;
mod kept_games;
pub mod keys;
pub mod openings;
pub mod patterns;
pub mod sample;
use chess_core::varint as varints;
