//! Support functions of the operator classes.

pub mod btree;
pub mod gin;
