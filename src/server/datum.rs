//! Values of variable length: datum to bytes and back.
//!
//! A value may have a header of one byte or of four, be compressed, or lie out of line. Reading
//! copies only in the last two cases.

use std::ops::Deref;

use pgrx::pg_sys::{self, Datum};
use pgrx::varlena;

use crate::server::error::check_size;

/// The bytes of a value, without its header.
pub struct Varlena<'a> {
    bytes: &'a [u8],
    /// The decompressed copy that `bytes` points into, to be freed.
    copy: *mut pg_sys::varlena,
}

impl Varlena<'_> {
    /// Reads a value.
    ///
    /// # Safety
    ///
    /// `datum` must be a valid pointer to a varlena that outlives the result.
    #[inline(always)]
    pub unsafe fn new<'a>(datum: Datum) -> Varlena<'a> {
        let mut pointer = datum.cast_mut_ptr::<pg_sys::varlena>();
        let mut copy = std::ptr::null_mut();
        // SAFETY: the caller's promise. The tests read the header in place, without a call.
        unsafe {
            if varlena::varatt_is_1b_e(pointer) || varlena::varatt_is_4b_c(pointer) {
                copy = pg_sys::pg_detoast_datum_packed(pointer);
                pointer = copy;
            }
            Varlena { bytes: varlena::varlena_to_byte_slice(pointer), copy }
        }
    }
}

impl Deref for Varlena<'_> {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        self.bytes
    }
}

impl Drop for Varlena<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.copy.is_null() {
            // SAFETY: the copy was palloc'ed by `new` and nothing else refers to it. Comparators run
            // in memory contexts that are not reset between calls.
            unsafe { pg_sys::pfree(self.copy.cast()) }
        }
    }
}

/// The elements of an array of a type of variable length and int alignment; `None` for NULL.
pub fn elements_of(array: &[u8]) -> Vec<Option<Vec<u8>>> {
    // With a header of one byte it would not be aligned.
    let array = varlena_from(array);
    let mut elements = std::ptr::null_mut();
    let mut nulls = std::ptr::null_mut();
    let mut count = 0;
    // SAFETY: the bytes are those of such an array; deconstruct_array sets `count` elements and nulls.
    unsafe {
        let array = array.cast_mut_ptr::<pg_sys::ArrayType>();
        let (element_type, align) = ((*array).elemtype, pg_sys::TYPALIGN_INT as std::ffi::c_char);
        pg_sys::deconstruct_array(array, element_type, -1, false, align, &mut elements, &mut nulls, &mut count);
        (0..count as usize).map(|i| (!*nulls.add(i)).then(|| Varlena::new(*elements.add(i)).to_vec())).collect()
    }
}

/// The number of elements of an array: the product of its dimensions, which follow ndim, dataoffset and elemtype.
pub fn count_of(array: &[u8]) -> usize {
    let mut words = array.as_chunks::<4>().0.iter().map(|word| i32::from_ne_bytes(*word));
    let dimensions = words.next().unwrap_or(0);
    if dimensions == 0 { 0 } else { words.skip(2).take(dimensions as usize).map(|len| len as usize).product() }
}

/// A new value in the current memory context.
pub fn varlena_from(bytes: &[u8]) -> Datum {
    const HEADER: usize = 4;
    let size = bytes.len() + HEADER;
    check_size(size);
    // SAFETY: palloc returns room for header and bytes or raises an ERROR.
    unsafe {
        let value = pg_sys::palloc(size).cast::<u8>();
        varlena::set_varsize_4b(value.cast(), size as i32);
        value.add(HEADER).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        Datum::from(value)
    }
}
