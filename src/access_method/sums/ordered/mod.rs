//! A plan node that returns the rows of games that meet a question, in an order of their attributes.
//!
//! In: a [`Plan`] without outputs, an [`Order`], boards and the values of tests as expressions ([`crate::planner::ordered`]
//! makes it). Out: rows of the table, whole, one by one, as far as they are asked for ([`walk`]; [`sorted`]: those that do not
//! fit into memory).
//!
//! The index decides which rows come and in which order. The server still tests all conditions of the query on each row that
//! comes, which are few, so that a row that EvalPlanQual has replaced is tested, too.

pub mod sorted;
mod walk;

use std::ffi::{CStr, CString};

use chess_index::summed::Ranking;
use pgrx::memcxt::PgMemoryContexts;
use pgrx::pg_sys::{self, List, Node};
use pgrx::{PgList, pg_guard};

use crate::access_method::row_pointers::tid_of;
use crate::access_method::sums::custom::{self, Held, Methods};
use crate::access_method::sums::leading::{Order, Unknown};
use crate::access_method::sums::node::plan::Plan;
use crate::access_method::sums::node::rows::{Sought, asked};
use crate::access_method::sums::node::{evaluate, evaluated, name_of};
use crate::access_method::sums::ordered::walk::Walk;
use crate::server::memory::ScanMemory;
use crate::server::versions;

/// The name in EXPLAIN.
pub const NAME: &CStr = c"Chess Index Order";

/// What the node is to do.
pub struct Ordered {
    /// The question, of one part.
    pub plan: Plan,
    pub order: Order,
    /// The attributes that make the order: ratings of White and Black, or a single one. Counted from 0.
    pub columns: [usize; 2],
    /// How many rows are probably asked for.
    pub count: u32,
}

impl Ordered {
    /// As a list that the server can copy.
    ///
    /// # Safety
    ///
    /// A memory context must be current.
    pub unsafe fn to_list(&self) -> *mut List {
        let Order { by, is_descending, unknown } = self.order;
        let (unknown, value) = match unknown {
            Unknown::First => (0, 0),
            Unknown::Last => (1, 0),
            Unknown::As(value) => (2, value),
        };
        let columns = self.columns.map(|column| column as i32);
        let numbers = [
            i32::from(by == Ranking::Ratings),
            i32::from(is_descending),
            unknown,
            value,
            columns[0],
            columns[1],
            self.count as i32,
        ];
        // SAFETY: the caller's promise.
        unsafe {
            let none = std::ptr::null_mut();
            let own = numbers.into_iter().fold(none, |list, number| pg_sys::lappend_int(list, number));
            let mut both = PgList::<List>::new();
            both.push(self.plan.to_list());
            both.push(own);
            both.into_pg()
        }
    }

    /// The opposite of [`Ordered::to_list`].
    unsafe fn of_list(list: *mut List) -> Ordered {
        // SAFETY: the list is one that `to_list` has made, or a copy.
        unsafe {
            let own = pg_sys::list_nth(list, 1).cast();
            let number = |nth| pg_sys::list_nth_int(own, nth);
            let order = Order {
                by: if number(0) == 1 { Ranking::Ratings } else { Ranking::Day },
                is_descending: number(1) == 1,
                unknown: match number(2) {
                    0 => Unknown::First,
                    1 => Unknown::Last,
                    _ => Unknown::As(number(3)),
                },
            };
            let columns = [number(4) as usize, number(5) as usize];
            Ordered { plan: Plan::of_list(pg_sys::list_nth(list, 0).cast()), order, columns, count: number(6) as u32 }
        }
    }
}

/// What the node keeps between two rows.
struct Running {
    ordered: Ordered,
    held: Held,
    /// What the walk allocates, among it a sort.
    memory: ScanMemory,
    /// The boards and the values of the comparisons.
    expressions: Vec<*mut pg_sys::ExprState>,
    /// The walk, once it has begun; within it `None` if no game can match.
    walk: Option<Option<Walk>>,
    fetch: *mut pg_sys::IndexFetchTableData,
}

type State = custom::State<Running>;

static SCAN: Methods<pg_sys::CustomScanMethods> =
    Methods(pg_sys::CustomScanMethods { CustomName: NAME.as_ptr(), CreateCustomScanState: Some(create) });
static EXEC: Methods<pg_sys::CustomExecMethods> = custom::executed(NAME, begin, next, end, rescan, explain);

/// Registers the node, so that plans that were written as text can be read. Called when the library is loaded.
pub fn init() {
    custom::register(&SCAN);
}

/// Makes a plan one of this node. `expressions` are the boards, the values of the comparisons, and what the rows are ordered
/// by, for EXPLAIN.
pub fn describe(scan: &mut pg_sys::CustomScan, ordered: *mut List, expressions: *mut List) {
    scan.methods = &SCAN.0;
    scan.custom_exprs = expressions;
    scan.custom_private = ordered;
}

#[pg_guard]
unsafe extern "C-unwind" fn create(_scan: *mut pg_sys::CustomScan) -> *mut Node {
    // SAFETY: called by the executor in the memory of the query.
    unsafe { custom::create::<Running>(&EXEC) }
}

#[pg_guard]
unsafe extern "C-unwind" fn begin(css: *mut pg_sys::CustomScanState, estate: *mut pg_sys::EState, flags: i32) {
    // SAFETY: called by the executor with the node of `create`, in the memory of the query.
    unsafe {
        let scan = &*(*css).ss.ps.plan.cast::<pg_sys::CustomScan>();
        custom::check_functions(scan);
        // The server expects computed rows from such a node, as it has only since PostgreSQL 16 a way to tell otherwise. Those of
        // the table come in their own form, which its expressions must know.
        let ss = &mut (*css).ss;
        let table = ss.ss_currentRelation;
        versions::init_scan_slot(estate, ss, table);
        pg_sys::ExecAssignScanProjectionInfo(ss);
        ss.ps.qual = pg_sys::ExecInitQual(scan.scan.plan.qual, &mut ss.ps);

        let ordered = Ordered::of_list(scan.custom_private);
        let all = PgList::<pg_sys::Expr>::from_pg(scan.custom_exprs);
        let state = |expression| pg_sys::ExecInitExpr(expression, css.cast());
        let expressions = all.iter_ptr().take(evaluated(&ordered.plan)).map(state).collect();
        let held = Held::open(&ordered.plan.parts, flags);
        let memory = ScanMemory::new();
        let running = Running { ordered, held, memory, expressions, walk: None, fetch: std::ptr::null_mut() };
        (*css.cast::<State>()).running = PgMemoryContexts::CurrentMemoryContext.leak_and_drop_on_delete(running).cast();
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn next(css: *mut pg_sys::CustomScanState) -> *mut pg_sys::TupleTableSlot {
    // SAFETY: called by the executor with the node of `create`.
    unsafe { pg_sys::ExecScan(css.cast(), Some(fetch_next), Some(recheck)) }
}

/// Fetches the next row of the table into the slot of the scan.
#[pg_guard]
unsafe extern "C-unwind" fn fetch_next(ss: *mut pg_sys::ScanState) -> *mut pg_sys::TupleTableSlot {
    // SAFETY: called by `next`.
    unsafe {
        let running = &mut *(*ss.cast::<State>()).running;
        let (snapshot, slot) = ((*(*ss).ps.state).es_snapshot, (*ss).ss_ScanTupleSlot);
        if running.fetch.is_null() {
            running.fetch = versions::index_fetch_begin((*ss).ss_currentRelation);
        }
        if running.walk.is_none() {
            running.walk = Some(running.memory.with(|| walk_of(running, ss, snapshot)));
        }
        if let (Some(Some(walk)), Some(opened)) = (&mut running.walk, running.held.each().next()) {
            while let Some(row) = running.memory.with(|| walk.next(opened, snapshot)) {
                pgrx::check_for_interrupts!();
                let (mut tid, mut again) = (tid_of(row), false);
                let none = std::ptr::null_mut();
                if pg_sys::table_index_fetch_tuple(running.fetch, &mut tid, snapshot, slot, &mut again, none) {
                    return slot;
                }
            }
        }
        pg_sys::ExecClearTuple(slot)
    }
}

/// Every condition is tested after this, also on a row that EvalPlanQual has replaced.
#[pg_guard]
unsafe extern "C-unwind" fn recheck(_ss: *mut pg_sys::ScanState, _slot: *mut pg_sys::TupleTableSlot) -> bool {
    true
}

/// Evaluates the expressions and begins a walk; `None` if no game can match.
unsafe fn walk_of(running: &Running, ss: *mut pg_sys::ScanState, snapshot: pg_sys::Snapshot) -> Option<Walk> {
    // SAFETY: the expressions are those of the plan, the snapshot is that of the query, and the executor has locked the
    // table.
    unsafe {
        let Running { ordered, expressions, .. } = running;
        let (boards, filters) = evaluate(&ordered.plan, expressions, (*ss).ps.ps_ExprContext);
        let game = ordered.plan.parts.first()?.game;
        let Some(filters) = filters else {
            // That there is no such game is read, too.
            versions::predicate_lock_relation((*ss).ss_currentRelation, snapshot);
            return None;
        };
        let none = usize::MAX;
        let columns = match (ordered.order.by, ordered.columns) {
            (Ranking::Ratings, [white, black]) => [white, black, none, none],
            (Ranking::Day, [column, _]) => [none, none, none, column],
        };
        let sought = Sought { boards: &boards, filters: &filters };
        let asked = asked(&ordered.plan, &sought, columns, true);
        Some(Walk::new(game, asked, ordered.order, ordered.count as usize))
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn end(css: *mut pg_sys::CustomScanState) {
    // SAFETY: called by the executor with the node of `create`.
    unsafe {
        let running = &mut *(*css.cast::<State>()).running;
        running.walk.take().flatten().into_iter().for_each(Walk::end);
        if !running.fetch.is_null() {
            pg_sys::table_index_fetch_end(running.fetch);
            running.fetch = std::ptr::null_mut();
        }
        running.held.close();
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn rescan(css: *mut pg_sys::CustomScanState) {
    // SAFETY: called by the executor with the node of `create`.
    unsafe {
        let running = &mut *(*css.cast::<State>()).running;
        running.walk.take().flatten().into_iter().for_each(Walk::end);
        running.memory.reset();
        pg_sys::ExecScanReScan(&mut (*css).ss);
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
        let Ordered { plan, order, .. } = Ordered::of_list((*scan).custom_private);
        if let Some(part) = plan.parts.first() {
            pg_sys::ExplainPropertyText(c"Index".as_ptr(), name_of(part.index), es);
        }
        if let Some(key) = PgList::<Node>::from_pg((*scan).custom_exprs).get_ptr(evaluated(&plan)) {
            let context = pg_sys::set_deparse_context_plan((*es).deparse_cxt, scan.cast(), ancestors);
            let uses_prefix = (*es).verbose || versions::explained_relations(es) > 1;
            let text = CStr::from_ptr(pg_sys::deparse_expression(key, context, uses_prefix, false));
            let nulls = match (order.unknown, order.is_descending) {
                (Unknown::First, false) => " NULLS FIRST",
                (Unknown::Last, true) => " NULLS LAST",
                _ => "",
            };
            let direction = if order.is_descending { " DESC" } else { "" };
            let text = format!("{}{direction}{nulls}", text.to_string_lossy());
            let text = CString::new(text).unwrap_or_default();
            pg_sys::ExplainPropertyText(c"Order By".as_ptr(), text.as_ptr(), es);
        }
    }
}
