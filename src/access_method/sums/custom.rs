//! What plan nodes of our own have in common: their functions, as the server finds them, and the states that it keeps.

use std::ffi::CStr;

use pgrx::pg_sys::{self, CustomScanState, EState, ExplainState, List, Node, NodeTag, TupleTableSlot};

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
