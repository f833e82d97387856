//! What it costs to look for a constant pattern in a game.
//!
//! Takes the planner's request; returns the cost of one call. It is proportional to the work that the column's statistics
//! expect of a search: these try the pattern on games of the sample ([`chess_estimates::patterns`]). Without statistics
//! the work follows from the pattern alone.

use pgrx::pg_sys::{self, Datum, Node, NodeTag};

use super::selectivity::half_moves;
use crate::clauses::columns::{Variable, column_of};
use crate::clauses::expressions::{Constant, constant, is_type};
use crate::clauses::look_ups::operands;
use crate::server::datum::Varlena;
use crate::server::fmgr::Call;
use crate::values::pattern::pattern_of;

sql_fn!(patterncost_support(internal) -> internal, |call| support(&call));

/// What a unit of work costs, in units of `cpu_operator_cost`. Measured by `benches/server/pattern_costs.sql`.
const COST_OF_WORK: f64 = 0.01;

fn support(call: &Call) -> Datum {
    let node = call.internal::<Node>(0);
    // SAFETY: a support function is called with a request node; its tag says which.
    unsafe { if (*node).type_ == NodeTag::T_SupportRequestCost { answer(&mut *node.cast()) } else { Datum::null() } }
}

/// Answers the request for a function of a game and a constant pattern; NULL for another call.
///
/// # Safety
///
/// The request must be the planner's.
pub unsafe fn answer(request: &mut pg_sys::SupportRequestCost) -> Datum {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(work) = work(request) else { return Datum::null() };
        request.startup = 0.0;
        request.per_tuple = work * COST_OF_WORK * pg_sys::cpu_operator_cost;
        Datum::from(std::ptr::from_mut(request))
    }
}

/// The work of one call; `None` if the pattern is no constant.
unsafe fn work(request: &pg_sys::SupportRequestCost) -> Option<f64> {
    // SAFETY: the caller's promise; the types are checked before the bytes are read.
    unsafe {
        let args = operands(request.node.as_mut()?)?;
        let of_type = |name| args.iter_ptr().find(move |arg| is_type(pg_sys::exprType(*arg), name));
        let Constant::Value(pattern) = constant(of_type(c"chesspattern_in")?) else { return None };
        let pattern = pattern_of(&Varlena::new(pattern));
        // Costs are also asked for while the planner simplifies expressions, when it knows no relations yet.
        let is_column = |game: &*mut Node| !request.root.is_null() && column_of(&*request.root, *game).is_some();
        let Some(game) = of_type(c"chessgame_in").filter(is_column) else { return Some(pattern.likely_work()) };
        let limit = args.get_ptr(2).map_or(u32::MAX, |limit| half_moves(request.root, limit));
        let column = Variable::of(request.root, request.funcid, game).games();
        Some(column.map_or_else(|| pattern.likely_work(), |column| column.work(&pattern, limit, usize::MAX)))
    }
}
