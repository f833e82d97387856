//! What the planner asks: which index supports a predicate, how many rows it lets through, how many rows a function
//! returns, and whether a call can be made on another server.

mod columns;
mod expressions;
mod index_condition;
mod openings;
mod row_counts;
mod samples;
mod selectivity;
mod statistics;
mod text_arguments;
