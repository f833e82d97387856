//! What the planner asks: which index supports a predicate, how many rows it lets through, and how many rows a
//! function returns.

mod columns;
mod expressions;
mod index_condition;
mod openings;
mod row_counts;
mod samples;
mod selectivity;
mod statistics;
