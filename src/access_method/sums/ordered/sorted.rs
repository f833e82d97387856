//! Rows sorted by their numbers, within `work_mem` and beyond it in temporary files.
//!
//! Takes rows with numbers in any order; returns them highest first, equal ones in the order of the table. The server sorts
//! them as values of type uuid: these are sixteen bytes that it compares as such.

use chess_index::rows::Row;
use pgrx::pg_sys::{self, Datum, Oid};

use crate::server::versions;

/// The operator `<` of type uuid.
const UUID_LESS: u32 = 2974;

/// The rows. The server frees what they take at the end of the query, if [`Sorted::end`] was not called.
pub struct Sorted(*mut pg_sys::Tuplesortstate);

impl Sorted {
    /// Without rows, in the current memory context.
    pub fn new() -> Sorted {
        let (uuid, less) = (pg_sys::UUIDOID, Oid::from(UUID_LESS));
        // SAFETY: the operator sorts the type.
        Sorted(unsafe {
            let (none, memory) = (std::ptr::null_mut(), pg_sys::work_mem);
            pg_sys::tuplesort_begin_datum(uuid, less, Oid::INVALID, false, memory, none, 0)
        })
    }

    /// Adds a row.
    pub fn add(&mut self, number: i64, row: Row) {
        // In the order of the bytes the highest number comes first.
        let rank = !(number as u64 ^ 1 << 63);
        let mut bytes = [0_u8; 16];
        bytes[..8].copy_from_slice(&rank.to_be_bytes());
        bytes[8..12].copy_from_slice(&row.block.to_be_bytes());
        bytes[12..14].copy_from_slice(&row.offset.to_be_bytes());
        // SAFETY: the server copies the bytes.
        unsafe { pg_sys::tuplesort_putdatum(self.0, Datum::from(bytes.as_ptr()), false) };
    }

    /// Sorts the rows. None can be added any more.
    pub fn sort(&mut self) {
        // SAFETY: begun by `new`.
        unsafe { pg_sys::tuplesort_performsort(self.0) };
    }

    /// Returns the next row with its number.
    pub fn next(&mut self) -> Option<(i64, Row)> {
        // SAFETY: sorted; a value is a copy of sixteen bytes.
        unsafe {
            let value = versions::next_sorted_datum(self.0)?;
            let bytes: [u8; 16] = *value.cast_mut_ptr();
            pg_sys::pfree(value.cast_mut_ptr());
            let [a, b, c, d, e, f, g, h, block @ .., i, j, _, _] = bytes;
            let number = (!u64::from_be_bytes([a, b, c, d, e, f, g, h]) ^ 1 << 63) as i64;
            Some((number, Row { block: u32::from_be_bytes(block), offset: u16::from_be_bytes([i, j]) }))
        }
    }

    /// Frees what the rows take.
    pub fn end(self) {
        // SAFETY: begun by `new`.
        unsafe { pg_sys::tuplesort_end(self.0) };
    }
}
