//! What the planner asks: which index serves a predicate, how many rows it lets through, how many a function returns.

mod columns;
mod expressions;
mod index_condition;
mod row_counts;
mod samples;
mod selectivity;
mod statistics;
