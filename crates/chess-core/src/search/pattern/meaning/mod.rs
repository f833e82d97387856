//! What words of the language mean, at one moment or at many: [`geometry`] of squares, [`structure`] of pawns, [`numbers`].

pub mod geometry;
pub mod numbers;
pub mod structure;
