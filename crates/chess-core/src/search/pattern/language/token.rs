//! The tokens of a pattern.

use super::tree::{Balance, Contents, Designator, Group, Placement, Range};

/// A token of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// In lower case.
    Word(String),
    /// A sign, or two that belong together.
    Sign(&'static str),
    Number(u32),
    Range(Range),
    Pieces(Designator),
    /// What moves; each move; what a pawn becomes.
    Moves(Designator, Vec<(bool, Designator)>, Option<Contents>),
    Castles(u8),
    Rights(u8),
    Material(Vec<Group>, Vec<Group>),
    Imbalance(Vec<Balance>),
    Placement(Placement),
    End,
}
