//! What the planner asks: which index supports a predicate, and how many rows it lets through.

mod common_keys;
mod expressions;
mod index_condition;
mod samples;
mod selectivity;
mod statistics;
