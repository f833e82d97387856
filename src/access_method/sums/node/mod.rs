//! A plan node that answers an aggregate from the sums and lists of indexes, in the place of Aggregate and its scan.
//!
//! In: a [`plan::Plan`] with its boards and the values of its tests as expressions ([`crate::planner::aggregates`] makes it).
//! Out: one row for the whole question, or one for each group, exact for the snapshot of the query ([`rows`]).
//!
//! The executor has checked the rights to every table and column of the query, for the user of a view if there is one.
//! [`custom::check_functions`] checks the rights to functions. All work is done when the first row is asked for. Between two rows
//! no page is locked or pinned.

pub mod plan;
pub mod rows;

use std::ffi::CStr;

use pgrx::memcxt::PgMemoryContexts;
use pgrx::pg_sys::{self, Datum, List, Node};
use pgrx::{PgList, pg_guard};

use crate::access_method::attributes::Filter;
use crate::access_method::sums::custom::{self, Held, Methods};
use crate::access_method::sums::node::plan::Plan;
use crate::access_method::sums::node::rows::{Row, Sought, filters};
use crate::access_method::sums::view::View;
use crate::clauses::predicate::Predicate;
use crate::server::datum::Varlena;
use crate::server::memory::ScanMemory;
use crate::server::versions;

/// The name in EXPLAIN.
pub const NAME: &CStr = c"Chess Index Sums";

/// What the node keeps between two rows.
struct Running {
    plan: Plan,
    held: Held,
    /// What the query has seen of each index.
    views: Vec<Option<View>>,
    memory: ScanMemory,
    /// The boards and the values of the comparisons.
    expressions: Vec<*mut pg_sys::ExprState>,
    /// The rows, once they are known, and how many of them were returned.
    rows: Option<Vec<Row>>,
    returned: usize,
}

type State = custom::State<Running>;

static SCAN: Methods<pg_sys::CustomScanMethods> =
    Methods(pg_sys::CustomScanMethods { CustomName: NAME.as_ptr(), CreateCustomScanState: Some(create) });
static EXEC: Methods<pg_sys::CustomExecMethods> = custom::executed(NAME, begin, next, end, rescan, explain);

/// Registers the node, so that plans that were written as text can be read. Called when the library is loaded.
pub fn init() {
    custom::register(&SCAN);
}

/// Makes a plan one of this node. `expressions` are the boards, the values of the comparisons, and the conditions for
/// EXPLAIN.
pub fn describe(scan: &mut pg_sys::CustomScan, plan: *mut List, expressions: *mut List) {
    scan.methods = &SCAN.0;
    scan.custom_exprs = expressions;
    scan.custom_private = plan;
}

#[pg_guard]
unsafe extern "C-unwind" fn create(_scan: *mut pg_sys::CustomScan) -> *mut Node {
    // SAFETY: called by the executor in the memory of the query.
    unsafe { custom::create::<Running>(&EXEC) }
}

/// The number of expressions that are evaluated.
pub fn evaluated(plan: &Plan) -> usize {
    plan.boards.len() + plan.tests.iter().filter(|test| test.kind.has_value()).count()
}

#[pg_guard]
unsafe extern "C-unwind" fn begin(css: *mut pg_sys::CustomScanState, _estate: *mut pg_sys::EState, flags: i32) {
    // SAFETY: called by the executor with the node of `create`, in the memory of the query.
    unsafe {
        let scan = &*(*css).ss.ps.plan.cast::<pg_sys::CustomScan>();
        custom::check_functions(scan);
        let plan = Plan::of_list(scan.custom_private);
        let all = PgList::<pg_sys::Expr>::from_pg(scan.custom_exprs);
        let state = |expression| pg_sys::ExecInitExpr(expression, css.cast());
        let expressions = all.iter_ptr().take(evaluated(&plan)).map(state).collect();
        let held = Held::open(&plan.parts, flags);
        let (views, memory) = (Vec::new(), ScanMemory::new());
        let running = Running { plan, held, views, memory, expressions, rows: None, returned: 0 };
        (*css.cast::<State>()).running = PgMemoryContexts::CurrentMemoryContext.leak_and_drop_on_delete(running).cast();
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn next(css: *mut pg_sys::CustomScanState) -> *mut pg_sys::TupleTableSlot {
    // SAFETY: called by the executor with the node of `create`.
    unsafe {
        let running = &mut *(*css.cast::<State>()).running;
        let ps = &mut (*css).ss.ps;
        let context = ps.ps_ExprContext;
        if running.rows.is_none() {
            let Running { plan, held, views, memory, expressions, .. } = running;
            let rows = memory.with(|| {
                let (boards, filters) = evaluate(plan, expressions, context);
                let sought = filters.as_deref().map(|filters| Sought { boards: &boards, filters });
                rows::rows(plan, held, views, sought, (*ps.state).es_snapshot)
            });
            running.memory.reset();
            running.rows = Some(rows);
        }
        loop {
            pgrx::check_for_interrupts!();
            pg_sys::MemoryContextReset((*context).ecxt_per_tuple_memory);
            let slot = (*css).ss.ss_ScanTupleSlot;
            pg_sys::ExecClearTuple(slot);
            let Some(row) = running.rows.as_ref().and_then(|rows| rows.get(running.returned)) else {
                let result = ps.ps_ResultTupleSlot;
                return pg_sys::ExecClearTuple(if result.is_null() { slot } else { result });
            };
            running.returned += 1;
            PgMemoryContexts::For((*context).ecxt_per_tuple_memory).switch_to(|_| {
                for (nth, output) in running.plan.outputs.iter().enumerate() {
                    let value = row.value(output, &running.plan);
                    *(*slot).tts_isnull.add(nth) = value.is_none();
                    *(*slot).tts_values.add(nth) = value.unwrap_or(Datum::null());
                }
            });
            pg_sys::ExecStoreVirtualTuple(slot);
            (*context).ecxt_scantuple = slot;
            if !ps.qual.is_null() && !pg_sys::ExecQual(ps.qual, context) {
                if let Some(instrument) = ps.instrument.as_mut() {
                    instrument.nfiltered1 += 1.0;
                }
                continue;
            }
            return if ps.ps_ProjInfo.is_null() { slot } else { pg_sys::ExecProject(ps.ps_ProjInfo) };
        }
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn end(css: *mut pg_sys::CustomScanState) {
    // SAFETY: called by the executor with the node of `create`.
    unsafe { (*(*css.cast::<State>()).running).held.close() }
}

#[pg_guard]
unsafe extern "C-unwind" fn rescan(css: *mut pg_sys::CustomScanState) {
    // SAFETY: called by the executor with the node of `create`.
    unsafe {
        let running = &mut *(*css.cast::<State>()).running;
        running.returned = 0;
        // A value may depend on a parameter that has changed.
        if !(*css).ss.ps.chgParam.is_null() {
            running.rows = None;
        }
    }
}

/// Boards, or arrays of them, and their predicates.
pub type Boards = Vec<(Predicate, Vec<u8>)>;

/// Evaluates the boards of a plan and the values of its tests, and makes filters of these. Returns no filters if no game can
/// match.
///
/// # Safety
///
/// The expressions must be those of the plan.
pub unsafe fn evaluate(
    plan: &Plan,
    expressions: &[*mut pg_sys::ExprState],
    context: *mut pg_sys::ExprContext,
) -> (Boards, Option<Vec<Filter>>) {
    // SAFETY: the caller's promise.
    unsafe {
        let value = |expression: &*mut pg_sys::ExprState| {
            let mut is_null = false;
            let value = pg_sys::ExecEvalExprSwitchContext(*expression, context, &mut is_null);
            (!is_null).then_some(value)
        };
        let mut values: Vec<Option<Datum>> = expressions.iter().map(value).collect();
        let tested = values.split_off(plan.boards.len());
        // The operators are strict: nothing matches NULL.
        let boards = plan.boards.iter().zip(values);
        let bytes = |board: Datum| Varlena::new(board).to_vec();
        let boards: Vec<_> = boards.filter_map(|(predicate, board)| Some((*predicate, bytes(board?)))).collect();
        let sought = tested.into_iter().collect::<Option<Vec<Datum>>>().filter(|_| !boards.is_empty());
        (boards, sought.map(|values| filters(plan, &values)))
    }
}

/// The name of a relation.
///
/// # Safety
///
/// A look-up in the system catalogs must be possible.
pub unsafe fn name_of(relation: pg_sys::Oid) -> *const std::ffi::c_char {
    // SAFETY: the caller's promise.
    unsafe {
        let name = pg_sys::get_rel_name(relation);
        if name.is_null() { c"?".as_ptr() } else { pg_sys::quote_identifier(name) }
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn explain(
    css: *mut pg_sys::CustomScanState,
    ancestors: *mut List,
    es: *mut pg_sys::ExplainState,
) {
    // SAFETY: called by EXPLAIN with the node of `create`.
    unsafe {
        let scan = (*css).ss.ps.plan.cast::<pg_sys::CustomScan>();
        let plan = Plan::of_list((*scan).custom_private);
        match plan.parts.as_slice() {
            [part] => pg_sys::ExplainPropertyText(c"Index".as_ptr(), name_of(part.index), es),
            parts => {
                let names = parts.iter().fold(std::ptr::null_mut(), |list, part| {
                    pg_sys::lappend(list, name_of(part.index).cast_mut().cast())
                });
                pg_sys::ExplainPropertyList(c"Indexes".as_ptr(), names, es);
            }
        }
        if let Some(conditions) = PgList::<Node>::from_pg((*scan).custom_exprs).get_ptr(evaluated(&plan)) {
            let context = pg_sys::set_deparse_context_plan((*es).deparse_cxt, scan.cast(), ancestors);
            let uses_prefix = (*es).verbose || versions::explained_relations(es) > 1;
            let text = pg_sys::deparse_expression(conditions, context, uses_prefix, false);
            pg_sys::ExplainPropertyText(c"Index Cond".as_ptr(), text, es);
        }
    }
}
