//! Answers to the planner: indexes that support a predicate, estimates of rows for predicates and functions, and
//! calls that foreign servers can evaluate, aggregates that an index can answer, and rows that it returns in an order.

pub mod aggregates;
mod index_condition;
mod index_counts;
mod openings;
pub mod ordered;
mod pattern_costs;
mod row_counts;
mod selectivity;
mod statistics;
mod text_arguments;
