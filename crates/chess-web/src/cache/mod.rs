//! The cache of answers: [`layer`] decides per request, [`answers`] stores, [`answer`] compresses, [`snapshot`] says which state
//! of the database an answer belongs to.

pub mod answer;
pub mod answers;
pub mod layer;
pub mod shared;
pub mod snapshot;
