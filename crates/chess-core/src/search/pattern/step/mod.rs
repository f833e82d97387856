//! A search that goes from half-move to half-move, and computes what each may have changed.
//!
//! [`moment`] keeps sets of squares up to date with a replay; [`evaluate`], with [`relations`], computes the nodes of a
//! program; [`runs`] and [`trips`] follow a chain. [`ending`] tells mate and stalemate.

mod bits;
pub mod ending;
pub mod evaluate;
pub mod moment;
mod relations;
pub mod runs;
mod trips;

pub use bits::ones;
