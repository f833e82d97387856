//! Clauses and expressions as the planner has them, and the statistics of their columns: what the planner's support and the
//! access method both read.

pub mod columns;
pub mod expressions;
pub mod look_ups;
pub mod predicate;
pub mod samples;
