//! Answers the planner. It asks which indexes support a predicate, how many rows predicates and functions return, and how
//! foreign servers can evaluate a call. We offer it aggregates that an index answers, and rows that an index returns in an order.

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
