//! Planner support functions: the user's unchanged predicate to an index condition.
//!
//! * `hasopening(game, opening)` and `game ^@ opening` become `game >= lower AND game < upper` for a
//!   B-tree index, which is exact. The bounds are functions of the opening, so that it may come from
//!   a parameter or another table, and EXPLAIN shows the opening.
//! * `hasboard(game, board)` becomes `game @> board` and `haspieces(game, board)` becomes
//!   `game @~ board` for a GIN index, with or without a number of half-moves. A bitmap scan then
//!   keeps the predicate itself as its filter and drops the recheck, so that it decides once.

use pgrx::PgList;
use pgrx::pg_sys::{self, Datum, Node, NodeTag, Oid};

use super::expressions::{bounds, clause};
use super::selectivity;
use crate::fmgr::Call;
use crate::gin::Strategy;

sql_fn!(hasopening_support, |call| support(&call, Predicate::Opening));
sql_fn!(hasboard_support, |call| support(&call, Predicate::Board));
sql_fn!(haspieces_support, |call| support(&call, Predicate::Pieces));

#[derive(Clone, Copy, PartialEq, Eq)]
enum Predicate {
    Opening,
    Board,
    Pieces,
}

fn support(call: &Call, predicate: Predicate) -> Datum {
    let node = call.internal::<Node>(0);
    // SAFETY: a support function is called with a request node; its tag says which.
    unsafe {
        match (*node).type_ {
            NodeTag::T_SupportRequestIndexCondition => {
                let request = &mut *node.cast::<pg_sys::SupportRequestIndexCondition>();
                index_condition(request, predicate).map_or(Datum::null(), |list| Datum::from(list.into_pg()))
            }
            NodeTag::T_SupportRequestSelectivity => {
                let request = &mut *node.cast::<pg_sys::SupportRequestSelectivity>();
                request.selectivity = match predicate {
                    Predicate::Opening => {
                        let namespace = pg_sys::get_func_namespace(request.funcid);
                        selectivity::of_opening(
                            request.root,
                            namespace,
                            request.args,
                            request.varRelid,
                            request.is_join,
                        )
                    }
                    Predicate::Board | Predicate::Pieces => {
                        let question = match predicate {
                            Predicate::Board => selectivity::Question::Position,
                            _ => selectivity::Question::Pieces,
                        };
                        selectivity::of_board(request.root, request.args, request.varRelid, question, request.is_join)
                    }
                };
                Datum::from(node)
            }
            _ => Datum::null(),
        }
    }
}

/// The two sides of a predicate and its function.
unsafe fn operands(clause: *mut Node) -> Option<(*mut Node, *mut Node, usize)> {
    // SAFETY: the caller passes a clause; the tag says what it is.
    unsafe {
        let args = match (*clause).type_ {
            NodeTag::T_FuncExpr => (*clause.cast::<pg_sys::FuncExpr>()).args,
            NodeTag::T_OpExpr => (*clause.cast::<pg_sys::OpExpr>()).args,
            _ => return None,
        };
        let args = PgList::<Node>::from_pg(args);
        Some((args.get_ptr(0)?, args.get_ptr(1)?, args.len()))
    }
}

unsafe fn index_condition(
    request: &mut pg_sys::SupportRequestIndexCondition,
    predicate: Predicate,
) -> Option<PgList<Node>> {
    // SAFETY: the request is PostgreSQL's; its nodes live in the planner's memory.
    unsafe {
        let (game, query, count) = operands(request.node)?;
        // Only the game may be the indexed column, and the index cannot look up what varies by row.
        if request.indexarg != 0 || !pg_sys::is_pseudo_constant_for_index(request.root, query, request.index) {
            return None;
        }
        let game_type = *(*request.index).opcintype.add(request.indexcol as usize);
        let access_method = (*request.index).relam;
        let mut conditions = PgList::new();
        if predicate == Predicate::Opening {
            if access_method != pg_sys::BTREE_AM_OID {
                return None;
            }
            let operator = |strategy: u32| operator_of(request.opfamily, game_type, game_type, strategy);
            let (at_least, below) =
                (operator(pg_sys::BTGreaterEqualStrategyNumber)?, operator(pg_sys::BTLessStrategyNumber)?);
            let namespace = pg_sys::get_func_namespace(request.funcid);
            let (lower, upper) = bounds(namespace, game_type, query)?;
            conditions.push(clause(at_least, game, lower));
            conditions.push(clause(below, game, upper));
            request.lossy = false;
        } else {
            if access_method != pg_sys::GIN_AM_OID {
                return None;
            }
            let strategy = if predicate == Predicate::Board { Strategy::Position } else { Strategy::Pieces };
            let operator = operator_of(request.opfamily, game_type, pg_sys::exprType(query), strategy as u32)?;
            conditions.push(clause(operator, game, query));
            // The number of half-moves is not in the index.
            request.lossy = count > 2;
        }
        Some(conditions)
    }
}

unsafe fn operator_of(family: Oid, left: Oid, right: Oid, strategy: u32) -> Option<Oid> {
    // SAFETY: a look-up in the system catalogs.
    let operator = unsafe { pg_sys::get_opfamily_member(family, left, right, strategy as i16) };
    (operator != Oid::INVALID).then_some(operator)
}
