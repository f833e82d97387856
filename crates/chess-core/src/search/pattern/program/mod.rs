//! From a tree to a program: what a search computes, and in which order steps follow each other.
//!
//! Takes the tree of a text; returns a [`Compiled`] pattern. [`transform`] writes out `flip`, `mirror`, `rotate` and
//! `shift`; [`compile`] turns conditions into [nodes](node), each once, with what a half-move must [change](watch) for their
//! value to become another one; [`chain`] turns steps in time into elements and links, and [`alternatives`] finds what
//! several sequences share. A [`budget`] limits the work.

mod alternatives;
mod budget;
pub mod chain;
mod compile;
mod compiled;
mod node;
mod transform;
pub mod watch;

pub use chain::Chain;
pub use compile::Program;
pub use compiled::{Compiled, Finish, Goal};
pub use node::{At, Entry, Fact, Node, Step};
pub use watch::Watch;
