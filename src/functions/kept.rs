//! Queries whose plans a session keeps: the explorer's, which differ in the board alone.
//!
//! Takes the text of a query and its parameters; returns its rows. To parse and plan the explorer's query takes longer than to answer
//! it from the sums of an index, and `EXECUTE` of PL/pgSQL does it each time. Sums are read in the same way for every board. Where
//! the plan for any board reads a table, it may be a bad one for some, so that each board gets a plan of its own, as with `EXECUTE`.
//!
//! The server makes a plan anew if what it depends on has changed: a table, an index, a policy, the user.

use std::cell::RefCell;
use std::ffi::{CString, c_char};

use pgrx::memcxt::PgMemoryContexts;
use pgrx::pg_sys::{self, Datum, NodeTag, Oid};
use pgrx::{PgList, PgSqlErrorCode};

use crate::server::error::raise;
use crate::server::fmgr::Call;

/// Most plans that are kept, of some 200 kB each. A user's filters are part of the text.
const MOST_PLANS: usize = 16;

/// A query, and the plan that serves any values of its parameters.
struct Plan {
    query: CString,
    /// Who asks. The server checks rights to call inlined functions only when it makes the plan.
    user: Oid,
    /// The type of the first parameter, which has another OID after DROP EXTENSION.
    board: Oid,
    plan: pg_sys::SPIPlanPtr,
}

thread_local! {
    /// The plan that was asked for last comes first.
    static PLANS: RefCell<Vec<Plan>> = const { RefCell::new(Vec::new()) };
}

/// A plan while it is in use. It is not among the others then, so that none that runs is freed, and comes back to them at the end,
/// also after an ERROR.
struct InUse(Option<Plan>);

impl InUse {
    /// Takes the plan of a query out of those that are kept, or makes one.
    ///
    /// # Safety
    ///
    /// SPI must be connected.
    unsafe fn of(query: CString, board: Oid) -> InUse {
        // SAFETY: within a transaction.
        let user = unsafe { pg_sys::GetUserId() };
        let is_it = |plan: &Plan| plan.query == query && plan.user == user && plan.board == board;
        let known = PLANS.with_borrow_mut(|plans| plans.iter().position(is_it).map(|at| plans.remove(at)));
        // SAFETY: the caller's promise; a plan that was kept outlives its transaction.
        let plan = known.unwrap_or_else(|| unsafe {
            let mut types = [board, pg_sys::TEXTOID];
            let options = pg_sys::CURSOR_OPT_GENERIC_PLAN as i32;
            let plan = pg_sys::SPI_prepare_cursor(query.as_ptr(), types.len() as i32, types.as_mut_ptr(), options);
            if plan.is_null() || pg_sys::SPI_keepplan(plan) != 0 {
                refuse();
            }
            Plan { query, user, board, plan }
        });
        InUse(Some(plan))
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        let last = PLANS.with_borrow_mut(|plans| {
            plans.splice(0..0, self.0.take());
            if plans.len() > MOST_PLANS { plans.pop() } else { None }
        });
        if let Some(last) = last {
            // SAFETY: kept, and not in use.
            unsafe { pg_sys::SPI_freeplan(last.plan) };
        }
    }
}

#[cold]
fn refuse() -> ! {
    raise(PgSqlErrorCode::ERRCODE_SYNTAX_ERROR, "the text is not a query".into(), None, None)
}

sql_fn!(chess_kept(text, chessboard, text) -> setof record, |call| {
    let text = (!call.is_null(0)).then(|| call.varlena(0));
    let query = text.and_then(|text| CString::new(&*text).ok()).unwrap_or_else(|| refuse());
    // SAFETY: called with these arguments; what is returned is copied before SPI frees it.
    unsafe {
        let result = (*call.fcinfo()).resultinfo.cast::<pg_sys::ReturnSetInfo>();
        pg_sys::InitMaterializedSRF(call.fcinfo(), pg_sys::MAT_SRF_USE_EXPECTED_DESC);
        let types = [pg_sys::get_fn_expr_argtype((*call.fcinfo()).flinfo, 1), pg_sys::TEXTOID];
        pg_sys::SPI_connect();
        if execute(&call, query, types) < 0 {
            refuse();
        }
        let Some(found) = pg_sys::SPI_tuptable.as_ref() else { refuse() };
        for row in std::slice::from_raw_parts(found.vals, found.numvals as usize) {
            pg_sys::tuplestore_puttuple((*result).setResult, *row);
        }
        // The server compares these columns with those that the caller expects.
        let memory = (*(*result).econtext).ecxt_per_query_memory;
        pg_sys::FreeTupleDesc((*result).setDesc);
        (*result).setDesc = PgMemoryContexts::For(memory).switch_to(|_| pg_sys::CreateTupleDescCopy(found.tupdesc));
        pg_sys::SPI_finish();
    }
    Datum::null()
});

/// Executes a query, whose parameters are the second and the third argument of the call. Returns the result code of SPI.
unsafe fn execute(call: &Call, query: CString, mut types: [Oid; 2]) -> i32 {
    // SAFETY: SPI is connected; the types are those of the arguments.
    unsafe {
        let in_use = InUse::of(query, types[0]);
        let Some(Plan { query, plan, .. }) = &in_use.0 else { refuse() };
        if reads_table(*plan) {
            let mut values = [1, 2].map(|nth| call.datum(nth));
            let nulls = [1, 2].map(|nth| if call.is_null(nth) { b'n' } else { b' ' } as c_char);
            let (types, values) = (types.as_mut_ptr(), values.as_mut_ptr());
            return pg_sys::SPI_execute_with_args(query.as_ptr(), 2, types, values, nulls.as_ptr(), true, 0);
        }
        let params = pg_sys::makeParamList(2);
        for (nth, parameter) in (*params).params.as_mut_slice(2).iter_mut().enumerate() {
            (parameter.value, parameter.isnull) = (call.datum(nth + 1), call.is_null(nth + 1));
            (parameter.pflags, parameter.ptype) = (pg_sys::PARAM_FLAG_CONST as u16, types[nth]);
        }
        let (read_only, must_return_tuples) = (true, true);
        let options = pg_sys::SPIExecuteOptions { params, read_only, must_return_tuples, ..Default::default() };
        pg_sys::SPI_execute_plan_extended(*plan, &options)
    }
}

/// Whether the plan for any parameters reads a table itself. What a node of this extension reads does not count: it reads the same for
/// every board.
unsafe fn reads_table(plan: pg_sys::SPIPlanPtr) -> bool {
    // SAFETY: SPI is connected; the plan is held until it is released.
    unsafe {
        let cached = pg_sys::SPI_plan_get_cached_plan(plan);
        if cached.is_null() {
            return true;
        }
        let statements = PgList::<pg_sys::PlannedStmt>::from_pg((*cached).stmt_list);
        let mut plans = statements.iter_ptr().flat_map(|statement| {
            let others = PgList::<pg_sys::Plan>::from_pg((*statement).subplans);
            others.iter_ptr().chain([(*statement).planTree]).collect::<Vec<_>>()
        });
        let reads = plans.any(|plan| has_scan(plan));
        pg_sys::ReleaseCachedPlan(cached, pg_sys::CurrentResourceOwner);
        reads
    }
}

/// Whether a plan, or one below it, is a scan of a table.
unsafe fn has_scan(plan: *mut pg_sys::Plan) -> bool {
    // SAFETY: the tag says what a plan is.
    unsafe {
        let Some(node) = plan.as_ref() else { return false };
        let below = match node.type_ {
            NodeTag::T_Append => (*plan.cast::<pg_sys::Append>()).appendplans,
            NodeTag::T_MergeAppend => (*plan.cast::<pg_sys::MergeAppend>()).mergeplans,
            NodeTag::T_SubqueryScan => return has_scan((*plan.cast::<pg_sys::SubqueryScan>()).subplan),
            NodeTag::T_SeqScan
            | NodeTag::T_SampleScan
            | NodeTag::T_IndexScan
            | NodeTag::T_IndexOnlyScan
            | NodeTag::T_BitmapHeapScan
            | NodeTag::T_TidScan
            | NodeTag::T_TidRangeScan
            | NodeTag::T_ForeignScan => return true,
            _ => std::ptr::null_mut(),
        };
        let mut below = PgList::<pg_sys::Plan>::from_pg(below).iter_ptr().collect::<Vec<_>>();
        below.extend([node.lefttree, node.righttree]);
        below.into_iter().any(|plan| has_scan(plan))
    }
}
