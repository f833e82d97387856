//! Results that are rows: of set-returning functions, or a single one.
//!
//! Rows are written to a tuplestore as they are produced, which spills to disk beyond work_mem. The memory of a row
//! is freed when it is stored.

use pgrx::memcxt::PgMemoryContexts;
use pgrx::pg_sys::{self, Datum};

use crate::server::fmgr::Call;

/// The rows of a set-returning function.
pub struct Rows {
    result: *mut pg_sys::ReturnSetInfo,
    memory: PgMemoryContexts,
}

impl Rows {
    /// Prepares rows with the columns that the query expects.
    pub fn new(call: &Call) -> Rows {
        // SAFETY: a call has a valid fcinfo; the function raises an ERROR unless it may return a set.
        unsafe {
            // Without the flag, the server would determine the columns again, in memory that is freed only at the end
            // of the query.
            pg_sys::InitMaterializedSRF(call.fcinfo(), pg_sys::MAT_SRF_USE_EXPECTED_DESC);
            let result = (*call.fcinfo()).resultinfo.cast::<pg_sys::ReturnSetInfo>();
            Rows { result, memory: PgMemoryContexts::new("chess row") }
        }
    }

    /// Adds a row. `make` allocates in memory that is freed when the row is stored.
    #[inline]
    pub fn put<const COLUMNS: usize>(&mut self, make: impl FnOnce() -> [Option<Datum>; COLUMNS]) {
        // SAFETY: InitMaterializedSRF has set the store and the columns. The row has as many values as the function
        // has columns in sql/; the regression tests call every function.
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

/// A row, as the result of a function that is declared to return one.
pub fn row<const COLUMNS: usize>(call: &Call, row: [Option<Datum>; COLUMNS]) -> Datum {
    let mut nulls = row.map(|value| value.is_none());
    let mut values = row.map(|value| value.unwrap_or(Datum::null()));
    // SAFETY: the server derives the columns from the declaration in sql/, which has as many; the regression tests call
    // every function.
    unsafe {
        let mut columns = std::ptr::null_mut();
        pg_sys::get_call_result_type(call.fcinfo(), std::ptr::null_mut(), &mut columns);
        let columns = pg_sys::BlessTupleDesc(columns);
        let row = pg_sys::heap_form_tuple(columns, values.as_mut_ptr(), nulls.as_mut_ptr());
        pg_sys::HeapTupleHeaderGetDatum((*row).t_data)
    }
}
