//! Clauses and expressions as the planner has them: what the planner's support and the access method both read.

pub mod expressions;
pub mod look_ups;
