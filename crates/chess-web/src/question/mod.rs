//! From the parameters of a request to what is asked: a position, filters, a search. Each knows its SQL; none runs it.

pub mod blocking;
pub mod criterion;
pub mod dates;
pub mod explored;
pub mod filters;
pub mod game_id;
pub mod named_openings;
pub mod position;
pub mod trees;
