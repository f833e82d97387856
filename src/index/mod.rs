//! Support functions of the operator classes, and the predicates that they, and the planner, are asked about.

pub mod btree;
pub mod gin;
pub mod predicate;
