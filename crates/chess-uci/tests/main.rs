//! All tests of this folder are one program, so that they wait for engines at the same time.

mod faults;
mod golden;
