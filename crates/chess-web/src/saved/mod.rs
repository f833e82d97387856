//! What visitors save: filters, notebooks and analysis boards, in a schema of its own that a cookie leads to.

pub mod boards;
pub mod changes;
pub mod devices;
pub mod memory;
pub mod notebooks;
pub mod remembered;
pub mod sessions;
pub mod shared;
pub mod training;
pub mod views;
pub mod visitor;
