//! How many games a predicate lets through.
//!
//! For openings the histogram of the column knows: an opening is a range. For boards nothing is
//! gathered yet; the estimate falls with every piece that has left its place in the start position.

use chess_core::Board;
use pgrx::PgList;
use pgrx::pg_sys::{self, Datum, Node, NodeTag, Oid};

use super::index_condition::{bounds, clause};
use crate::chessboard::unpack;
use crate::datum::Varlena;
use crate::fmgr::Call;

/// For what is not known at planning time.
const UNKNOWN_OPENING: f64 = 0.005;
const UNKNOWN_BOARD: f64 = 0.001;
/// A board as rare as they get.
const RAREST_BOARD: f64 = 0.0001;
/// How many games still have a board in common after one more piece has moved.
const SHARE_PER_MOVED_PIECE: f64 = 0.4;

sql_fn!(chessgame_opening_sel, |call| {
    // SAFETY: a restriction estimator is called with root, operator, arguments and relation.
    unsafe {
        let namespace = pg_sys::get_func_namespace(pg_sys::get_opcode(operator(&call)));
        of_opening(call.internal(0), namespace, call.internal(2), call.int(3), false)
    }
});
sql_fn!(chessgame_board_sel, |call| {
    // SAFETY: as above.
    unsafe { of_board(call.internal(0), call.internal(2), call.int(3), false) }
});
sql_fn!(chessgame_opening_joinsel, |_call| UNKNOWN_OPENING);
sql_fn!(chessgame_board_joinsel, |_call| UNKNOWN_BOARD);

fn operator(call: &Call) -> Oid {
    Oid::from(call.datum(1).value() as u32)
}

/// The share of games that begin with an opening: that of the range of its bounds.
///
/// # Safety
///
/// The arguments must be those of a selectivity request or an estimator.
pub unsafe fn of_opening(
    root: *mut pg_sys::PlannerInfo,
    namespace: Oid,
    args: *mut pg_sys::List,
    relation: i32,
    is_join: bool,
) -> f64 {
    if is_join {
        return UNKNOWN_OPENING;
    }
    // SAFETY: the caller's promise; new nodes are built in the planner's memory.
    unsafe {
        let args = PgList::<Node>::from_pg(args);
        let (Some(game), Some(opening)) = (args.get_ptr(0), args.get_ptr(1)) else { return UNKNOWN_OPENING };
        let opening = pg_sys::estimate_expression_value(root, opening);
        let game_type = pg_sys::exprType(opening);
        let operator = |name: &std::ffi::CStr| {
            let mut qualified = PgList::<Node>::new();
            qualified.push(pg_sys::makeString(pg_sys::get_namespace_name(namespace)).cast());
            qualified.push(pg_sys::makeString(pg_sys::pstrdup(name.as_ptr())).cast());
            let found = pg_sys::OpernameGetOprid(qualified.into_pg(), game_type, game_type);
            (found != Oid::INVALID).then_some(found)
        };
        let range = bounds(namespace, game_type, opening);
        let (Some((lower, upper)), Some(at_least), Some(below)) = (range, operator(c">="), operator(c"<")) else {
            return UNKNOWN_OPENING;
        };
        let mut clauses = PgList::<Node>::new();
        clauses.push(clause(at_least, game, lower));
        clauses.push(clause(below, game, upper));
        let inner = pg_sys::JoinType::JOIN_INNER;
        pg_sys::clauselist_selectivity(root, clauses.into_pg(), relation, inner, std::ptr::null_mut()).clamp(0.0, 1.0)
    }
}

/// The share of games in which a board arises.
///
/// # Safety
///
/// The arguments must be those of a selectivity request or an estimator.
pub unsafe fn of_board(root: *mut pg_sys::PlannerInfo, args: *mut pg_sys::List, _relation: i32, is_join: bool) -> f64 {
    if is_join {
        return UNKNOWN_BOARD;
    }
    // SAFETY: the caller's promise; the type of the constant is checked by its name.
    unsafe {
        for arg in PgList::<Node>::from_pg(args).iter_ptr() {
            let value = pg_sys::estimate_expression_value(root, arg);
            if (*value).type_ != NodeTag::T_Const {
                continue;
            }
            let constant = &*value.cast::<pg_sys::Const>();
            if constant.constisnull {
                return 0.0;
            }
            if is_board(constant.consttype) {
                return share_of(constant.constvalue);
            }
        }
        UNKNOWN_BOARD
    }
}

unsafe fn is_board(type_oid: Oid) -> bool {
    // SAFETY: look-ups in the system catalogs.
    unsafe {
        let name = pg_sys::format_type_be(type_oid);
        !name.is_null() && std::ffi::CStr::from_ptr(name).to_bytes().ends_with(b"chessboard")
    }
}

unsafe fn share_of(board: Datum) -> f64 {
    // SAFETY: the caller has seen that the constant is of type chessboard.
    let bytes = unsafe { Varlena::new(board) };
    let board = unpack(&bytes);
    let start = Board::default();
    let moved = (0..64).filter(|square| start.kinds[*square] != 12 && start.kinds[*square] != board.kinds[*square]);
    SHARE_PER_MOVED_PIECE.powi(moved.count() as i32).max(RAREST_BOARD)
}
