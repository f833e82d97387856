//! All tests of this folder are one program, so that the generic code of the crates is compiled and linked once for all
//! of them.

mod common;
mod old_statistics;
mod pattern_work;
#[path = "../../../benches/instructions/src/bin/worst_patterns/random.rs"]
mod random;
mod rare_material;
