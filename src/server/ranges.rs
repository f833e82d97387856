//! Ranges and multiranges: gives the bounds of each range of a value.

use pgrx::pg_sys::{self, Datum};

use crate::server::versions;

/// Calls `visit` with the type of the elements and the bounds of each range of a range or multirange that is not empty.
///
/// # Safety
///
/// The value must be of this type.
pub unsafe fn each_range(
    type_oid: pg_sys::Oid,
    value: Datum,
    mut visit: impl FnMut(pg_sys::Oid, &pg_sys::RangeBound, &pg_sys::RangeBound),
) {
    // SAFETY: the caller's promise; the server's functions read its own values.
    unsafe {
        let value = pg_sys::pg_detoast_datum(value.cast_mut_ptr());
        let flags = pg_sys::TYPECACHE_RANGE_INFO | pg_sys::TYPECACHE_MULTIRANGE_INFO;
        let mut of_range = pg_sys::lookup_type_cache(type_oid, flags as i32);
        let (mut count, mut one) = (1, value.cast_const().cast::<pg_sys::RangeType>());
        let mut ranges: *mut *const pg_sys::RangeType = &mut one;
        if !(*of_range).rngtype.is_null() {
            of_range = (*of_range).rngtype;
            versions::multirange_deserialize(of_range, value.cast(), &mut count, &mut ranges);
        }
        for nth in 0..count as usize {
            let (mut lower, mut upper, mut is_empty) = Default::default();
            pg_sys::range_deserialize(of_range, *ranges.add(nth), &mut lower, &mut upper, &mut is_empty);
            if !is_empty {
                visit((*(*of_range).rngelemtype).type_id, &lower, &upper);
            }
        }
    }
}
