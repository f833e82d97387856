//! The values of an expression according to ANALYZE. In a join the other side of a predicate is no constant; the
//! average over its values estimates how many games a value finds.
//!
//! Takes a column, or `getboard` or `getfirstmoves` of one with a constant number of half-moves; reads the most common
//! values of the column and its histogram, each with its weight.

use std::ffi::CStr;

use chess_core::GameRef;
use chess_estimates::column::Column;
use pgrx::PgList;
use pgrx::pg_sys::{self, Datum, Node, NodeTag, Oid};

use crate::clauses::columns::Variable;
use crate::clauses::expressions::is_type;
use crate::clauses::predicate::Operand;
use crate::server::datum::Varlena;

/// Most patterns among the values of an expression that are tried, and games that each is tried on: this keeps planning
/// within tens of milliseconds also at high statistics targets.
pub const MOST_PATTERNS: usize = 25;
/// See [`MOST_PATTERNS`].
pub const MOST_GAMES: usize = 400;

/// How the expression derives its value from the column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derived {
    /// The value itself.
    Itself,
    /// The board after this number of half-moves.
    BoardAfter(u32),
    /// The first half-moves, this many.
    FirstMoves(u32),
}

impl Derived {
    fn of(self, value: &[u8]) -> Option<Vec<u8>> {
        match self {
            Derived::Itself => Some(value.to_vec()),
            // Shorter and damaged games are left out, because the query may leave them out, too.
            Derived::BoardAfter(ply) => Some(GameRef::new(value).ok()?.board_at(ply).ok()?.ok()?.to_bytes()),
            Derived::FirstMoves(plies) => Some(GameRef::new(value).ok()?.first_moves(plies).ok()?.into_bytes()),
        }
    }
}

/// Whether a type is that of the operand beside the game. Anybody may use an estimator for an operator on other types.
///
/// # Safety
///
/// The type must be that of an expression.
pub unsafe fn is_operand(operand: Operand, type_oid: Oid) -> bool {
    // SAFETY: look-ups in the system catalogs; get_element_type returns no type for what is not an array.
    unsafe {
        match operand {
            Operand::Opening => is_type(type_oid, c"chessgame_in"),
            Operand::Material => type_oid != Oid::INVALID && pg_sys::getBaseType(type_oid) == pg_sys::TEXTOID,
            Operand::Board => is_type(type_oid, c"chessboard_in"),
            Operand::Pattern => is_type(type_oid, c"chesspattern_in"),
            Operand::AllBoards | Operand::AnyBoard => {
                type_oid != Oid::INVALID
                    && is_type(pg_sys::get_element_type(pg_sys::getBaseType(type_oid)), c"chessboard_in")
            }
        }
    }
}

/// The average of `share_of` over the values of an expression; tries at most `at_most` common values and as many
/// others. NULL counts as 0, and the part without known values as `unknown`.
///
/// # Safety
///
/// `root` and `expression` must be the planner's.
pub unsafe fn average(
    root: *mut pg_sys::PlannerInfo,
    function: Oid,
    expression: *mut Node,
    operand: Operand,
    at_most: usize,
    unknown: f64,
    mut share_of: impl FnMut(&[u8]) -> f64,
) -> f64 {
    // SAFETY: the statistics are those of the column, whose type is checked before its values are read.
    unsafe {
        if !is_operand(operand, pg_sys::exprType(expression)) {
            return unknown;
        }
        let (column, derived) = derivation(expression, operand);
        let stored_as = if derived == Derived::Itself { operand } else { Operand::Opening };
        let variable = Variable::of(root, function, column);
        let (mut sum, mut weights) = (0.0, 0.0);
        if let Some(row) = variable.statistics() {
            let mut rest = variable.not_null();
            for kind in [pg_sys::STATISTIC_KIND_MCV, pg_sys::STATISTIC_KIND_HISTOGRAM] {
                let mut slot = std::mem::zeroed::<pg_sys::AttStatsSlot>();
                let is_mcv = kind == pg_sys::STATISTIC_KIND_MCV;
                let numbers = if is_mcv { pg_sys::ATTSTATSSLOT_NUMBERS } else { 0 };
                let wanted = (pg_sys::ATTSTATSSLOT_VALUES | numbers) as i32;
                if !pg_sys::get_attstatsslot(&mut slot, row, kind as i32, Oid::INVALID, wanted) {
                    continue;
                }
                if is_operand(stored_as, slot.valuetype) {
                    let values = std::slice::from_raw_parts(slot.values, slot.nvalues as usize);
                    let step = if is_mcv { 1 } else { values.len().div_ceil(at_most) };
                    let tried: Vec<Datum> = values.iter().copied().step_by(step).take(at_most).collect();
                    for (i, value) in tried.iter().enumerate() {
                        let weight = if is_mcv { f64::from(*slot.numbers.add(i)) } else { rest / tried.len() as f64 };
                        if let Some(value) = derived.of(&Varlena::new(*value)) {
                            sum += weight * share_of(&value);
                            weights += weight;
                        }
                    }
                    if is_mcv {
                        let common = std::slice::from_raw_parts(slot.numbers, slot.nnumbers as usize);
                        rest -= common.iter().map(|share| f64::from(*share)).sum::<f64>();
                    }
                }
                pg_sys::free_attstatsslot(&mut slot);
            }
        }
        variable.not_null() * if weights > 0.0 { sum / weights } else { unknown }
    }
}

/// The statistics of whole games for an expression that is the first half-moves of a column, and how many these are. Without
/// an index on them, the first half-moves have no statistics of their own.
///
/// # Safety
///
/// `root` and `game` must be the planner's.
pub unsafe fn whole_games(
    root: *mut pg_sys::PlannerInfo,
    function: Oid,
    game: *mut Node,
    own: &Column,
) -> Option<(Column, u32)> {
    // SAFETY: the caller's promise.
    unsafe {
        match derivation(game, Operand::Opening) {
            (games, Derived::FirstMoves(plies)) if !own.is_known() => {
                let whole = Variable::of(root, function, games).games().filter(Column::is_known)?;
                Some((whole, plies))
            }
            _ => None,
        }
    }
}

/// The column of the operand beside the game, and how the operand is derived from its values.
///
/// # Safety
///
/// The expression must be the planner's.
pub unsafe fn derivation(expression: *mut Node, operand: Operand) -> (*mut Node, Derived) {
    // SAFETY: the tags say what the nodes are. A function of another extension with this name leads to a wrong estimate
    // at worst.
    unsafe {
        let itself = (expression, Derived::Itself);
        if (*expression).type_ != NodeTag::T_FuncExpr {
            return itself;
        }
        let call = &*expression.cast::<pg_sys::FuncExpr>();
        let args = PgList::<Node>::from_pg(call.args);
        let (Some(game), Some(plies), 2) = (args.get_ptr(0), args.get_ptr(1), args.len()) else { return itself };
        if (*plies).type_ != NodeTag::T_Const || !is_type(pg_sys::exprType(game), c"chessgame_in") {
            return itself;
        }
        let constant = &*plies.cast::<pg_sys::Const>();
        let Ok(plies) = u32::try_from(constant.constvalue.value() as i32) else { return itself };
        let name = pg_sys::get_func_name(call.funcid);
        if constant.constisnull || constant.consttype != pg_sys::INT4OID || name.is_null() {
            return itself;
        }
        match (CStr::from_ptr(name).to_bytes(), operand) {
            (b"getboard", Operand::Board) => (game, Derived::BoardAfter(plies)),
            (b"getfirstmoves", Operand::Opening) => (game, Derived::FirstMoves(plies)),
            _ => itself,
        }
    }
}
