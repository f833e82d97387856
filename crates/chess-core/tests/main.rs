//! All tests of this folder are one program, so that the generic code of the crates is compiled and linked once for all
//! of them.

mod browser;
mod bytes;
mod common;
mod counts;
mod differential;
mod hybrid_keys;
mod layout;
mod legality;
mod order;
mod parts;
mod pattern_index;
mod pattern_suites;
mod patterns;
mod pause;
mod pgn;
mod purity;
#[path = "../../../benches/instructions/src/bin/worst_patterns/random.rs"]
mod random;
mod report_groups;
mod spellings;
mod surveys;
mod text;
mod tree;
mod vocabulary;
mod written_pgn;
