//! Answers to the planner: indexes that support a predicate, estimates of rows for predicates and functions, and
//! calls that foreign servers can evaluate, and aggregates that an index can answer.

pub mod aggregates;
mod index_condition;
mod index_counts;
mod openings;
mod pattern_costs;
mod row_counts;
mod selectivity;
mod statistics;
mod text_arguments;
