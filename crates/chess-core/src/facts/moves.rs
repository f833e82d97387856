//! Moves with all their properties.
//!
//! Takes boards and legal moves; returns legal moves in a fixed order, and their [`MoveDetails`].

use shakmaty::{Chess, Move, Position as _};

use crate::board::kinds::{NO_KIND, PAWN};
use crate::board::{Board, IllegalPosition};
use crate::game::legality::Position;
use crate::game::slots::Step;
use crate::game::start::GameStart;
use crate::text::one_move::push_uci;
use crate::text::san::{self};

/// The legal moves of a position, sorted by from-square, to-square and promotion.
pub fn legal_moves(position: &Chess) -> Vec<Move> {
    let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
    moves.sort_unstable_by_key(|played| (played.from(), played.to(), played.promotion()));
    moves
}

/// The legal moves of a board in the same order, and a game's start on this board.
pub(crate) fn legal_steps(board: &Board) -> Result<(GameStart, Vec<Step>), IllegalPosition> {
    let moves = legal_moves(&board.position()?);
    Ok((GameStart::at(board)?, moves.into_iter().filter_map(Step::of).collect()))
}

/// Calls `visit` with each legal move of a board, in the same order.
pub fn each_legal(board: &Board, mut visit: impl FnMut(&MoveDetails)) -> Result<(), IllegalPosition> {
    let (start, steps) = legal_steps(board)?;
    let position = Position::new(&start);
    let mut details = MoveDetails::default();
    for step in steps {
        details.describe(&position, step, board.fullmove_number, false);
        visit(&details);
    }
    Ok(())
}

/// The properties of a move. Kinds are those of [`crate::game::slots`], squares those of [`crate::board::squares`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveDetails {
    /// The move number, which increases after Black's half-move.
    pub number: u32,
    /// The side to move: 0 is White, 1 Black.
    pub turn: u8,
    /// SAN with a check or mate mark.
    pub san: String,
    /// UCI, see [`push_uci`].
    pub uci: String,
    /// The kind of the piece that moves; of the king when castling.
    pub piece: u8,
    /// The from-square; of the king when castling.
    pub from: u8,
    /// The to-square; of the king when castling.
    pub to: u8,
    /// The kind of the captured piece.
    pub captured: Option<u8>,
    /// The kind that a pawn promotes to.
    pub promotion: Option<u8>,
    /// Whether the move gives check.
    pub is_check: bool,
    /// Whether the move gives mate.
    pub is_mate: bool,
    /// Whether the move is castling.
    pub is_castling: bool,
    /// Whether the move captures en passant.
    pub is_en_passant: bool,
}

impl MoveDetails {
    /// Whether the move resets the half-move clock: a capture or a pawn move.
    pub fn resets_clock(&self) -> bool {
        self.captured.is_some() || self.piece % 6 == PAWN
    }

    /// Fills in the properties of a legal move; the strings keep their memory.
    pub fn describe(&mut self, position: &Position<'_>, step: Step, number: u32, chess960: bool) {
        let color = position.turn();
        let (from, to) = position.ends(step);
        self.number = number;
        self.turn = color;
        self.piece = position.kind_at(from);
        self.from = from;
        self.to = to;
        self.promotion = step.promotion().map(|role| 6 * color + role);
        self.is_castling = matches!(step, Step::Castle { .. });
        let is_taken = !self.is_castling && position.takes(self.piece % 6, to);
        self.is_en_passant = is_taken && position.kind_at(to) == NO_KIND;
        self.captured = match position.kind_at(to) {
            _ if !is_taken => None,
            NO_KIND => Some(6 * (1 - color) + PAWN),
            kind => Some(kind),
        };
        let after = position.after(step);
        self.is_check = after.is_check();
        self.is_mate = after.is_mate();
        self.san.clear();
        san::push(&mut self.san, position, step);
        san::push_mark(&mut self.san, &after);
        self.uci.clear();
        push_uci(&mut self.uci, position, step, chess960);
    }
}
