//! What our own plan nodes have in common: the functions that the server finds, the states that it keeps, the check of rights,
//! and the tables and indexes that stay open.

use std::ffi::CStr;
use std::mem::ManuallyDrop;

use pgrx::pg_sys::{
    self, AclResult, CustomScanState, EState, ExplainState, List, Node, NodeTag, ObjectType, Oid, TupleTableSlot,
};

use crate::access_method::inspect::Opened;
use crate::access_method::sums::node::plan::Part;
use crate::clauses::expressions::walk;
use crate::server::versions;

/// Functions that the server calls by their addresses.
pub struct Methods<T>(pub T);

// SAFETY: a server process has a single thread, and what the pointers lead to is static.
unsafe impl<T> Sync for Methods<T> {}

/// The state of a node in the server's layout.
#[repr(C)]
pub struct State<R> {
    /// The server's part.
    pub css: CustomScanState,
    /// What the node keeps between two rows, in the memory of the query.
    pub running: *mut R,
}

/// The functions of a node that is not parallel and is read forward.
pub const fn executed(
    name: &'static CStr,
    begin: unsafe extern "C-unwind" fn(*mut CustomScanState, *mut EState, i32),
    next: unsafe extern "C-unwind" fn(*mut CustomScanState) -> *mut TupleTableSlot,
    end: unsafe extern "C-unwind" fn(*mut CustomScanState),
    rescan: unsafe extern "C-unwind" fn(*mut CustomScanState),
    explain: unsafe extern "C-unwind" fn(*mut CustomScanState, *mut List, *mut ExplainState),
) -> Methods<pg_sys::CustomExecMethods> {
    Methods(pg_sys::CustomExecMethods {
        CustomName: name.as_ptr(),
        BeginCustomScan: Some(begin),
        ExecCustomScan: Some(next),
        EndCustomScan: Some(end),
        ReScanCustomScan: Some(rescan),
        MarkPosCustomScan: None,
        RestrPosCustomScan: None,
        EstimateDSMCustomScan: None,
        InitializeDSMCustomScan: None,
        ReInitializeDSMCustomScan: None,
        InitializeWorkerCustomScan: None,
        ShutdownCustomScan: None,
        ExplainCustomScan: Some(explain),
    })
}

/// Makes the state of a node, which does not run yet.
///
/// # Safety
///
/// The memory context of the query must be current.
pub unsafe fn create<R>(methods: &'static Methods<pg_sys::CustomExecMethods>) -> *mut Node {
    // SAFETY: makes a node of its size.
    unsafe {
        let state = pg_sys::palloc0(size_of::<State<R>>()).cast::<State<R>>();
        (*state).css.ss.ps.type_ = NodeTag::T_CustomScanState;
        (*state).css.methods = &methods.0;
        state.cast()
    }
}

/// Registers a node, so that plans that were written as text can be read.
pub fn register(methods: &'static Methods<pg_sys::CustomScanMethods>) {
    // SAFETY: static.
    unsafe { pg_sys::RegisterCustomScanMethods(&methods.0) };
}

/// Refuses a plan that replaces calls of functions which the user may not execute, as the executor refuses to call them. This
/// check runs in each execution, because a cached plan may have been made for another role.
///
/// # Safety
///
/// The plan must be the executor's.
pub unsafe fn check_functions(scan: &pg_sys::CustomScan) {
    // SAFETY: the tags say what the nodes are; look-ups in the system catalogs.
    unsafe {
        let check = |function: Oid, kind: ObjectType::Type| {
            if !versions::may_execute(function, pg_sys::GetUserId()) {
                pg_sys::aclcheck_error(AclResult::ACLCHECK_NO_PRIV, kind, pg_sys::get_func_name(function));
            }
            let hook = pg_sys::object_access_hook;
            if hook.is_some() {
                pg_sys::RunFunctionExecuteHook(function);
            }
        };
        walk([scan.custom_scan_tlist.cast(), scan.custom_exprs.cast()], |node| {
            let function = ObjectType::OBJECT_FUNCTION;
            match (*node).type_ {
                NodeTag::T_FuncExpr => check((*node.cast::<pg_sys::FuncExpr>()).funcid, function),
                // these three have the same structure
                NodeTag::T_OpExpr | NodeTag::T_DistinctExpr | NodeTag::T_NullIfExpr => {
                    check((*node.cast::<pg_sys::OpExpr>()).opfuncid, function);
                }
                NodeTag::T_ScalarArrayOpExpr => check((*node.cast::<pg_sys::ScalarArrayOpExpr>()).opfuncid, function),
                NodeTag::T_Aggref => check((*node.cast::<pg_sys::Aggref>()).aggfnoid, ObjectType::OBJECT_AGGREGATE),
                _ => {}
            }
            Some(true)
        });
    }
}

/// The tables and indexes of a node. They stay open from its begin to its end, as those of a scan of the server: while a cursor is
/// open, its session can neither drop nor truncate nor rewrite them.
#[derive(Default)]
pub struct Held(Vec<ManuallyDrop<Opened>>);

impl Held {
    /// Opens those of these parts; none for a plan that is only explained. Refuses a materialized view without data, as a scan of
    /// the server does.
    ///
    /// # Safety
    ///
    /// The parts must be those of a plan, and the executor have locked their tables.
    pub unsafe fn open(parts: &[Part], flags: i32) -> Held {
        let has = |flag: u32| flags & flag as i32 != 0;
        let is_explained = has(pg_sys::EXEC_FLAG_EXPLAIN_ONLY);
        let open = |part: &Part| {
            // SAFETY: the caller's promise.
            let opened = unsafe { Opened::planned(part.table, part.index) };
            if !has(pg_sys::EXEC_FLAG_WITH_NO_DATA) {
                opened.check_populated();
            }
            ManuallyDrop::new(opened)
        };
        Held(parts.iter().filter(|_| !is_explained).map(open).collect())
    }

    /// In the order of the parts.
    pub fn each(&self) -> impl Iterator<Item = &Opened> {
        self.0.iter().map(|opened| &**opened)
    }

    /// Closes them. After an ERROR the server closes them itself.
    pub fn close(&mut self) {
        self.0.drain(..).for_each(|opened| drop(ManuallyDrop::into_inner(opened)));
    }
}
