//! All tests of this folder are one program, so that the generic code of chess-index is compiled once for all of them.

mod ahead;
mod common;
mod damage;
mod golden;
mod groups;
mod merges;
mod meta;
mod patterns;
mod pending;
mod rankings;
mod segments;
mod sums;
