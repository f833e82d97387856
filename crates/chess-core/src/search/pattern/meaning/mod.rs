//! What words of the language mean on a board, apart from games: [`geometry`] of squares, [`structure`] of pawns.

pub mod geometry;
pub mod structure;
