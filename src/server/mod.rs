//! The interface to PostgreSQL: calls, memory, datums, rows, states of aggregates, encodings, errors, differences between major versions.

#[macro_use]
pub mod fmgr;

pub mod datum;
pub mod encoding;
pub mod error;
pub mod memory;
pub mod ranges;
pub mod rows;
pub mod state;
pub mod versions;
