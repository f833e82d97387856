//! Estimates how many rows the set-returning functions return.
//!
//! Takes a call as the planner has it; returns the number for a constant, the average for an analyzed column of games,
//! and nothing otherwise, so that the ROWS of `sql/` apply.

use chess_core::facts::moves::each_legal;
use pgrx::PgList;
use pgrx::pg_sys::{self, Datum, Node, NodeTag, Oid};

use crate::clauses::columns::Variable;
use crate::clauses::expressions::{Constant, constant, is_type};
use crate::clauses::predicate::Operand;
use crate::clauses::samples::{self, Derived};
use crate::server::datum::Varlena;
use crate::server::fmgr::Call;
use crate::values::board::unpack;
use crate::values::game::view;

sql_fn!(moves_support(internal) -> internal, |call| rows(&call, |root, function, game| of_game(root, function, game, 0.0)));
sql_fn!(positions_support(internal) -> internal, |call| rows(&call, |root, function, game| of_game(root, function, game, 1.0)));
sql_fn!(legalmoves_support(internal) -> internal, |call| rows(&call, |_, _, board| of_board(board)));
sql_fn!(pgngames_support(internal) -> internal, |call| rows(&call, |_, _, text| of_text(text)));

/// Answers a request for rows about the first argument of a function.
fn rows(call: &Call, number: impl Fn(*mut pg_sys::PlannerInfo, Oid, *mut Node) -> Option<f64>) -> Datum {
    let node = call.internal::<Node>(0);
    // SAFETY: a support function is called with a request node; its tag says which.
    unsafe {
        if (*node).type_ != NodeTag::T_SupportRequestRows {
            return Datum::null();
        }
        let request = &mut *node.cast::<pg_sys::SupportRequestRows>();
        if request.node.is_null() || (*request.node).type_ != NodeTag::T_FuncExpr {
            return Datum::null();
        }
        let args = PgList::<Node>::from_pg((*request.node.cast::<pg_sys::FuncExpr>()).args);
        let Some(argument) = args.get_ptr(0) else { return Datum::null() };
        let argument = pg_sys::estimate_expression_value(request.root, argument);
        match number(request.root, request.funcid, argument) {
            Some(rows) => {
                request.rows = rows.max(1.0);
                Datum::from(node)
            }
            None => Datum::null(),
        }
    }
}

/// The half-moves of a game, and some more.
fn of_game(root: *mut pg_sys::PlannerInfo, function: Oid, game: *mut Node, more: f64) -> Option<f64> {
    // SAFETY: the argument is the planner's, its type is checked before its bytes are read.
    unsafe {
        if !is_type(pg_sys::exprType(game), c"chessgame_in") {
            return None;
        }
        match constant(game) {
            Constant::Null => Some(0.0),
            Constant::Value(value) => Some(f64::from(view(&Varlena::new(value)).ply_count()) + more),
            Constant::Unknown if root.is_null() => None,
            Constant::Unknown => {
                let mean = |game| Variable::of(root, function, game).games()?.mean_plies();
                let plies = match samples::derivation(game, Operand::Opening) {
                    (games, Derived::FirstMoves(plies)) => mean(games)?.min(f64::from(plies)),
                    _ => mean(game)?,
                };
                Some(plies + more)
            }
        }
    }
}

/// The legal moves of a constant board.
fn of_board(board: *mut Node) -> Option<f64> {
    // SAFETY: as above.
    unsafe {
        if !is_type(pg_sys::exprType(board), c"chessboard_in") {
            return None;
        }
        match constant(board) {
            Constant::Null => Some(0.0),
            Constant::Value(value) => {
                let mut moves = 0;
                // Execution raises an ERROR for an illegal board, but an estimate does not.
                each_legal(&unpack(&Varlena::new(value)), |_| moves += 1).ok()?;
                Some(f64::from(moves))
            }
            Constant::Unknown => None,
        }
    }
}

/// The games of a constant PGN text, by its length.
fn of_text(text: *mut Node) -> Option<f64> {
    /// Bytes of a game with its tags; 655 on average in a file of 184,628 master games.
    const BYTES_PER_GAME: f64 = 655.0;
    // SAFETY: as above; the size of a value of variable length stands in its header.
    unsafe {
        if pg_sys::exprType(text) != pg_sys::TEXTOID {
            return None;
        }
        match constant(text) {
            Constant::Null => Some(0.0),
            Constant::Value(value) => Some((pg_sys::toast_raw_datum_size(value) as f64 / BYTES_PER_GAME).ceil()),
            Constant::Unknown => None,
        }
    }
}
