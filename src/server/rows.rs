//! Set-returning functions: results of many rows.
//!
//! Rows go to a tuplestore as they are produced, which spills to disk beyond work_mem; the memory a row
//! was built in is freed when it is stored.

use pgrx::memcxt::PgMemoryContexts;
use pgrx::pg_sys::{self, Datum};

use crate::server::fmgr::Call;

/// The rows of a function that is declared to return a set.
pub struct Rows {
    result: *mut pg_sys::ReturnSetInfo,
    memory: PgMemoryContexts,
}

impl Rows {
    /// Prepares rows of the columns that the query expects.
    pub fn new(call: &Call) -> Rows {
        // SAFETY: a call has a valid fcinfo; the function raises an ERROR unless it may return a set.
        unsafe {
            // Without the flag the server would work out the columns anew, at the cost of memory that only the
            // end of the query gives back.
            pg_sys::InitMaterializedSRF(call.fcinfo(), pg_sys::MAT_SRF_USE_EXPECTED_DESC);
            let result = (*call.fcinfo()).resultinfo.cast::<pg_sys::ReturnSetInfo>();
            Rows { result, memory: PgMemoryContexts::new("chess row") }
        }
    }

    /// Adds a row; `make` allocates in memory that lives until the row is stored.
    #[inline]
    pub fn put<const COLUMNS: usize>(&mut self, make: impl FnOnce() -> [Option<Datum>; COLUMNS]) {
        // SAFETY: InitMaterializedSRF has set store and columns; the row has as many values as the
        // function has columns in sql/, which the regression tests call one by one.
        unsafe {
            self.memory.switch_to(|_| {
                let row = make();
                let mut nulls = row.map(|value| value.is_none());
                let mut values = row.map(|value| value.unwrap_or(Datum::null()));
                let (store, columns) = ((*self.result).setResult, (*self.result).setDesc);
                pg_sys::tuplestore_putvalues(store, columns, values.as_mut_ptr(), nulls.as_mut_ptr());
            });
            self.memory.reset();
        }
    }
}
