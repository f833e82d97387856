//! What a query wants to know of its groups, as columns that an index knows.
//!
//! Takes the expressions of a query above its grouping; returns the keys and aggregates that they are made of, and for each
//! its column, or `None` if an index cannot tell it.

use std::ffi::c_void;

use pgrx::pg_sys::{self, IndexOptInfo, Node, NodeTag, Oid, PlannerInfo};
use pgrx::{PgList, pg_guard};

use crate::access_method::sums::node::plan::{Output, Side};
use crate::clauses::expressions::{Constant, constant, function_of};
use crate::planner::aggregates::question::{Question, board_of_call, namespace_of};
use crate::planner::aggregates::results::Results;
use crate::server::datum::Varlena;

/// The expressions that a query groups by.
///
/// # Safety
///
/// The query must be one that the planner has prepared for grouping.
pub unsafe fn keys(root: *mut PlannerInfo) -> Vec<*mut Node> {
    // SAFETY: the caller's promise. The planner leaves the keys in the list that it has shortened, but a query with keys
    // that are constants still has no group where it finds no row, so this is the query's own list.
    unsafe {
        let groups = PgList::<pg_sys::SortGroupClause>::from_pg((*(*root).parse).groupClause);
        let key = |group| pg_sys::get_sortgroupclause_expr(group, (*root).processed_tlist);
        groups.iter_ptr().map(key).collect()
    }
}

/// The column of a key; `None` if the index cannot group by it.
///
/// # Safety
///
/// All must be the planner's.
pub unsafe fn output_of_key(key: *mut Node, info: &IndexOptInfo, question: &Question) -> Option<Output> {
    // SAFETY: the caller's promise.
    unsafe {
        let board = question.position().and_then(|position| Some((position, board_of_call(key, c"nextmove", info)?)));
        if board.is_some_and(|(position, board)| pg_sys::equal(board.cast(), position.cast())) {
            return Some(Output::Move);
        }
        let text = question.results.as_ref()?.text;
        let is_result =
            pg_sys::equal(key.cast(), text.cast()) && pg_sys::get_collation_isdeterministic(pg_sys::exprCollation(key));
        is_result.then_some(Output::Result)
    }
}

/// What expressions are made of: keys of the groups, aggregates, and anything else of a row.
struct Parts<'a> {
    keys: &'a [*mut Node],
    aggregates: Vec<*mut Node>,
    has_others: bool,
}

/// The aggregates in expressions that are made of keys and aggregates alone, each once.
///
/// # Safety
///
/// The expressions must be the planner's.
pub unsafe fn aggregates(
    expressions: impl IntoIterator<Item = *mut Node>,
    keys: &[*mut Node],
) -> Option<Vec<*mut Node>> {
    let mut parts = Parts { keys, aggregates: Vec::new(), has_others: false };
    for expression in expressions {
        // SAFETY: the caller's promise.
        unsafe { visit(expression, (&raw mut parts).cast()) };
    }
    (!parts.has_others).then_some(parts.aggregates)
}

#[pg_guard]
unsafe extern "C-unwind" fn visit(node: *mut Node, context: *mut c_void) -> bool {
    // SAFETY: called by the server's walker, with the parts that `aggregates` passes.
    unsafe {
        let parts = &mut *context.cast::<Parts>();
        if node.is_null() || parts.keys.iter().any(|key| pg_sys::equal((*key).cast(), node.cast())) {
            return false;
        }
        match (*node).type_ {
            NodeTag::T_Aggref => {
                if !parts.aggregates.iter().any(|known| pg_sys::equal((*known).cast(), node.cast())) {
                    parts.aggregates.push(node);
                }
                false
            }
            NodeTag::T_Var | NodeTag::T_PlaceHolderVar | NodeTag::T_GroupingFunc | NodeTag::T_WindowFunc => {
                parts.has_others = true;
                true
            }
            _ => pg_sys::expression_tree_walker(node, Some(visit), context),
        }
    }
}

/// The column of an aggregate; `None` if the index does not know it. `has_all` tells whether each result of the table is one
/// that the index tells.
///
/// # Safety
///
/// All must be the planner's.
pub unsafe fn output_of(
    aggregate: *mut Node,
    info: &IndexOptInfo,
    question: &Question,
    has_all: impl Fn() -> bool,
) -> Option<Output> {
    const COUNT_ALL: u32 = 2803;
    const COUNT_ANY: u32 = 2147;
    const AVG_NUMERIC: u32 = 2103;
    const SUM_NUMERIC: u32 = 2114;
    // SAFETY: the tags say what the nodes are.
    unsafe {
        let aggregate = &*aggregate.cast::<pg_sys::Aggref>();
        let is_simple = aggregate.agglevelsup == 0
            && aggregate.aggsplit == pg_sys::AggSplit::AGGSPLIT_SIMPLE
            && aggregate.aggdistinct.is_null()
            && aggregate.aggorder.is_null();
        if !is_simple {
            return None;
        }
        let entry = PgList::<pg_sys::TargetEntry>::from_pg(aggregate.args);
        let results = question.results.as_ref();
        let argument: Option<*mut Node> = entry.get_ptr(0).map(|entry| (*entry).expr.cast());
        match (u32::from(aggregate.aggfnoid), argument) {
            (COUNT_ANY, Some(argument)) if !matches!(constant(argument), Constant::Value(_)) => None,
            (COUNT_ALL | COUNT_ANY, _) => match aggregate.aggfilter.cast::<Node>() {
                filter if filter.is_null() => Some(Output::Games),
                filter => results?.codes_of(filter).map(Output::GamesWith),
            },
            (of @ (AVG_NUMERIC | SUM_NUMERIC), Some(argument)) if aggregate.aggfilter.is_null() => {
                let results = results?;
                let side = side_of_score(argument, *info.opcintype, results)?;
                let output = if of == AVG_NUMERIC { Output::Mean(side) } else { Output::Sum(side) };
                let has_codes = results.column().codes[..3].iter().all(Option::is_some);
                (has_codes && has_all()).then_some(output)
            }
            _ => None,
        }
    }
}

/// The side of `score(result, 'w')` or `score(result, 'b')`, for the text behind the results.
unsafe fn side_of_score(expression: *mut Node, game_type: Oid, results: &Results) -> Option<Side> {
    // SAFETY: the tag says what the node is.
    unsafe {
        if (*expression).type_ != NodeTag::T_FuncExpr {
            return None;
        }
        let call = &*expression.cast::<pg_sys::FuncExpr>();
        let args = PgList::<Node>::from_pg(call.args);
        let (result, color) = (args.get_ptr(0)?, args.get_ptr(1)?);
        let Constant::Value(color) = constant(color) else { return None };
        let is_score = function_of(namespace_of(game_type), c"score", &[pg_sys::TEXTOID; 2]) == Some(call.funcid)
            && pg_sys::equal(result.cast(), results.text.cast());
        match &*Varlena::new(color) {
            b"w" if is_score => Some(Side::White),
            b"b" if is_score => Some(Side::Black),
            _ => None,
        }
    }
}
