//! The interface to PostgreSQL: calls, datums, rows, states of aggregates, encodings, errors, differences between major versions.

#[macro_use]
pub mod fmgr;

pub mod datum;
pub mod encoding;
pub mod error;
pub mod ranges;
pub mod rows;
pub mod state;
pub mod versions;
