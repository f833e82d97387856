//! How many games of a column a predicate finds, estimated from a sample.
//!
//! In goes a sample of games, once, when the table is analyzed; out comes what is worth keeping of it ([`sample`]):
//! the common openings as a tree ([`openings`]), the commonest keys of positions, candidates and material ([`keys`]).
//! Later a predicate goes in, and out comes the share of the games that it finds ([`column`]).
//!
//! Nothing here knows of a database: the server hands in games and bytes, and tests need none.

#![forbid(unsafe_code)]

pub mod column;
pub mod keys;
pub mod openings;
pub mod sample;
mod varints;
