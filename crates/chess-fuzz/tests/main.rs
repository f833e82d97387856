//! All tests of this folder are one program, which is linked once.

mod seeds;
mod slow_patterns;
