//! States of aggregates: values of type bigint[], whose elements are changed in place.
//!
//! Takes an argument of a transition or combine function; returns the state to go on with. Workers exchange such states
//! as they are, so parallel aggregates need no functions that serialize.

use pgrx::PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE;
use pgrx::pg_sys::{self, ArrayType, Datum};

use crate::server::datum::{MOST_ELEMENTS, accepted};
use crate::server::error::{check_size, raise};
use crate::server::fmgr::{Call, ToDatum};

/// The offset of the elements of an array with one dimension and no NULLs (ARR_OVERHEAD_NONULLS in utils/array.h).
const ELEMENTS_AT: usize =
    (size_of::<ArrayType>() + 2 * size_of::<i32>()).next_multiple_of(pg_sys::MAXIMUM_ALIGNOF as usize);

/// Numbers of type bigint[].
pub struct State {
    array: *mut ArrayType,
    len: usize,
}

impl State {
    /// Numbers that are 0.
    pub fn zeros(len: usize) -> State {
        let size = ELEMENTS_AT + len * size_of::<i64>();
        check_size(size);
        // SAFETY: palloc0 returns aligned room for the header and the elements, or raises an ERROR.
        unsafe {
            let array = pg_sys::palloc0(size).cast::<ArrayType>();
            pgrx::varlena::set_varsize_4b(array.cast(), size as i32);
            (*array).ndim = 1;
            (*array).elemtype = pg_sys::INT8OID;
            let bounds = array.add(1).cast::<i32>();
            *bounds = len as i32;
            *bounds.add(1) = 1;
            State { array, len }
        }
    }

    /// The numbers of an argument, to be changed: those of the aggregate itself, or a copy if the function is called
    /// outside of one. `None` if it is NULL.
    pub fn of(call: &Call, n: usize) -> Option<State> {
        if call.is_null(n) {
            return None;
        }
        // SAFETY: the argument is a bigint[], which the caller states. A detoasted array is aligned and begins with
        // its header; one without NULLs and with one dimension has its elements at a fixed offset.
        unsafe {
            let is_own = pg_sys::AggCheckCallContext(call.fcinfo(), std::ptr::null_mut()) != 0;
            let pointer = call.datum(n).cast_mut_ptr::<pg_sys::varlena>();
            let array = match is_own {
                true => pg_sys::pg_detoast_datum(pointer),
                false => pg_sys::pg_detoast_datum_copy(pointer),
            }
            .cast::<ArrayType>();
            if (*array).ndim == 0 {
                return Some(State::zeros(0));
            }
            if (*array).ndim != 1 || (*array).dataoffset != 0 {
                refused("The array must have one dimension and no NULLs.");
            }
            Some(State { array, len: accepted(*array.add(1).cast::<i32>() as usize) })
        }
    }

    /// The numbers of an argument, which must be as many; zeros if it is NULL.
    pub fn with_len(call: &Call, n: usize, len: usize) -> State {
        let state = State::of(call, n).unwrap_or_else(|| State::zeros(len));
        if state.len != len {
            refused(&format!("The array must have {len} elements."));
        }
        state
    }

    /// The same numbers followed by zeros, at least `len` in all. Allocates for twice as many, because an aggregate
    /// copies a state that has moved.
    pub fn at_least(self, len: usize) -> State {
        if self.len >= accepted(len) {
            return self;
        }
        let mut longer = State::zeros(len.max(2 * self.len).min(MOST_ELEMENTS));
        longer.numbers()[..self.len].copy_from_slice(self.as_slice());
        longer
    }

    /// The numbers.
    pub fn as_slice(&self) -> &[i64] {
        // SAFETY: see `of` and `zeros`; the array lives as long as the call.
        unsafe { std::slice::from_raw_parts(self.array.cast::<u8>().add(ELEMENTS_AT).cast(), self.len) }
    }

    /// The numbers, to be changed.
    pub fn numbers(&mut self) -> &mut [i64] {
        // SAFETY: as above; nothing else refers to the array during the call.
        unsafe { std::slice::from_raw_parts_mut(self.array.cast::<u8>().add(ELEMENTS_AT).cast(), self.len) }
    }
}

impl ToDatum for State {
    fn to_datum(self, _: &Call) -> Datum {
        Datum::from(self.array)
    }
}

#[cold]
fn refused(detail: &str) -> ! {
    raise(ERRCODE_INVALID_PARAMETER_VALUE, "invalid counts".into(), Some(detail.into()), None)
}
