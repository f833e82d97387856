//! Values of variable length: converts datums to bytes and back.
//!
//! A value may have a header of one byte or of four, be compressed, or be stored out of line. Reading copies only the
//! last two.

use std::ops::Deref;

use pgrx::pg_sys::{self, Datum};
use pgrx::varlena;
use pgrx::{PgSqlErrorCode, check_for_interrupts};

use crate::server::error::{check_size, corrupt_array, invalid_binary, raise};

/// The bytes of a value without its header.
pub struct Varlena<'a> {
    bytes: &'a [u8],
    /// The decompressed copy that `bytes` points to, to be freed.
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
        // SAFETY: the caller's promise. The checks read the header in place, without a function call.
        unsafe {
            if !is_plain(datum) {
                copy = pg_sys::pg_detoast_datum_packed(pointer);
                pointer = copy;
            }
            Varlena { bytes: varlena::varlena_to_byte_slice(pointer), copy }
        }
    }
}

/// Whether a value stands where the datum points to, neither compressed nor in another table.
///
/// # Safety
///
/// As for [`Varlena::new`].
pub unsafe fn is_plain(datum: Datum) -> bool {
    let pointer = datum.cast_mut_ptr::<pg_sys::varlena>();
    // SAFETY: the caller's promise.
    unsafe { !varlena::varatt_is_1b_e(pointer) && !varlena::varatt_is_4b_c(pointer) }
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
            // SAFETY: the copy was palloc'ed by `new` and nothing else refers to it. It is freed because comparators
            // run in memory contexts that are not reset between calls.
            unsafe { pg_sys::pfree(self.copy.cast()) }
        }
    }
}

/// Calls `visit` with each element of an array with elements of variable length and int alignment, `None` for NULL.
/// The loop can be cancelled, because an array may have millions of elements.
pub fn each_element(array: &[u8], mut visit: impl FnMut(Option<&[u8]>)) {
    let count = accepted(count_of(array));
    // The copy is aligned, unlike a value with a header of one byte.
    let copy = varlena_from(array);
    let start = copy.cast_mut_ptr::<u8>();
    let len = array.len() + HEADER;
    // SAFETY: the copy begins with the header of an array, to which all offsets are relative, and reads are within
    // its bounds.
    unsafe {
        let pg_sys::ArrayType { ndim, dataoffset, .. } = *start.cast::<pg_sys::ArrayType>();
        let bitmap = size_of::<pg_sys::ArrayType>() + 2 * size_of::<i32>() * ndim as usize;
        let has_nulls = dataoffset != 0;
        let mut at = if has_nulls { dataoffset as usize } else { bitmap.next_multiple_of(MAX_ALIGN) };
        for i in 0..count {
            if i.is_multiple_of(1024) {
                check_for_interrupts!();
            }
            if has_nulls && *start.add(bitmap + i / 8) >> (i % 8) & 1 == 0 {
                visit(None);
                continue;
            }
            // Zeros pad an element with a long header; a short header starts with another byte.
            if at < len && *start.add(at) == 0 {
                at = at.next_multiple_of(size_of::<i32>());
            }
            let size = if at + HEADER <= len { varlena::varsize_any(start.add(at).cast()) } else { 0 };
            if size == 0 || size > len - at {
                corrupt_array();
            }
            visit(Some(&Varlena::new(Datum::from(start.add(at)))));
            at += size;
        }
        pg_sys::pfree(start.cast());
    }
}

/// The most elements of an array that are read. What is made of them takes several times their memory.
pub const MOST_ELEMENTS: usize = 1 << 22;

/// The number of elements; an ERROR if it is too large.
pub fn accepted(elements: usize) -> usize {
    if elements > MOST_ELEMENTS {
        let detail = format!("It has {elements} elements; the limit is {MOST_ELEMENTS}.");
        raise(PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED, "array is too long".into(), Some(detail), None);
    }
    elements
}

/// Calls `visit` with each element of an array of a type that is passed by value, `None` for NULL. The loop can be cancelled.
///
/// # Safety
///
/// The datum must be an array of this type.
pub unsafe fn each_by_value(type_oid: pg_sys::Oid, array: Datum, mut visit: impl FnMut(Option<Datum>)) {
    let (mut len, mut by_value, mut align) = (0, false, 0);
    // SAFETY: the caller passes an array. Its elements follow each other without gaps, because such a type is aligned by its
    // length; `dataoffset` is 0 if no bitmap of NULLs comes before them.
    unsafe {
        let pointer = array.cast_mut_ptr::<pg_sys::varlena>();
        let array = pg_sys::pg_detoast_datum(pointer).cast::<pg_sys::ArrayType>();
        let pg_sys::ArrayType { ndim, dataoffset, .. } = *array;
        let count = pg_sys::ArrayGetNItems(ndim, array.add(1).cast()) as usize;
        pg_sys::get_typlenbyvalalign(type_oid, &mut len, &mut by_value, &mut align);
        let start = array.cast::<u8>();
        let bitmap = size_of::<pg_sys::ArrayType>() + 2 * size_of::<i32>() * ndim as usize;
        let first = if dataoffset == 0 { bitmap.next_multiple_of(MAX_ALIGN) } else { dataoffset as usize };
        let mut at = start.add(first);
        for i in 0..count {
            if i.is_multiple_of(1 << 16) {
                check_for_interrupts!();
            }
            if dataoffset != 0 && *start.add(bitmap + i / 8) >> (i % 8) & 1 == 0 {
                visit(None);
                continue;
            }
            visit(Some(match len {
                1 => Datum::from(*at.cast::<i8>()),
                2 => Datum::from(at.cast::<i16>().read_unaligned()),
                4 => Datum::from(at.cast::<i32>().read_unaligned()),
                _ => Datum::from(at.cast::<i64>().read_unaligned()),
            }));
            at = at.add(len as usize);
        }
        if start.cast() != pointer {
            pg_sys::pfree(start.cast());
        }
    }
}

/// The alignment of array elements.
const MAX_ALIGN: usize = pg_sys::MAXIMUM_ALIGNOF as usize;

/// The number of elements of an array: the product of its dimensions, which follow ndim, dataoffset and elemtype.
pub fn count_of(array: &[u8]) -> usize {
    let mut words = array.as_chunks::<4>().0.iter().map(|word| i32::from_ne_bytes(*word));
    let dimensions = words.next().unwrap_or(0);
    if dimensions == 0 { 0 } else { words.skip(2).take(dimensions as usize).map(|len| len as usize).product() }
}

/// Builds a one-dimensional array of texts. It is laid out here (utils/array.h), because a datum per text would take
/// several times the memory.
pub struct TextArray {
    /// Everything after the array's own header: dimensions, data offset, element type and, unless the array is empty,
    /// length, lower bound and the elements, each aligned to four bytes.
    bytes: Vec<u8>,
    len: i32,
}

impl TextArray {
    /// The offset of the length in `bytes`.
    const LEN_AT: usize = 12;

    /// An empty array.
    pub fn new() -> TextArray {
        let words = [0, 0, pg_sys::TEXTOID.to_u32()];
        TextArray { bytes: words.iter().flat_map(|word| word.to_ne_bytes()).collect(), len: 0 }
    }

    /// Appends an ASCII text.
    pub fn push(&mut self, text: &str) {
        if self.len == 0 {
            self.bytes[..4].copy_from_slice(&1i32.to_ne_bytes());
            self.bytes.extend([1i32, 1].iter().flat_map(|word| word.to_ne_bytes()));
        }
        self.len += 1;
        let mut header = 0u32;
        // SAFETY: a header of four bytes is written into four bytes.
        unsafe { varlena::set_varsize_4b((&raw mut header).cast(), text.len() as i32 + 4) };
        self.bytes.extend(header.to_ne_bytes());
        self.bytes.extend(text.as_bytes());
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        check_size(self.bytes.len() + 4);
    }

    /// The finished array.
    pub fn into_datum(mut self) -> Datum {
        if self.len > 0 {
            self.bytes[TextArray::LEN_AT..TextArray::LEN_AT + 4].copy_from_slice(&self.len.to_ne_bytes());
        }
        varlena_from(&self.bytes)
    }
}

/// An array of numbers of a type, with these lengths of its dimensions; the empty array if there are no values.
pub fn array_of(number: pg_sys::Oid, lengths: &[usize], values: impl Iterator<Item = Option<Datum>>) -> Datum {
    let (mut elements, mut nulls): (Vec<Datum>, Vec<bool>) =
        values.map(|value| (value.unwrap_or(Datum::null()), value.is_none())).unzip();
    check_size(elements.len() * size_of::<Datum>());
    let dimensions = if elements.is_empty() { 0 } else { lengths.len() as i32 };
    let mut lengths: Vec<i32> = lengths.iter().map(|length| *length as i32).collect();
    let mut first_subscripts = vec![1; lengths.len()];
    let (mut len, mut by_value, mut align) = (0, false, 0);
    // SAFETY: the type exists, and the server says how it is laid out; there are as many elements as the dimensions say.
    unsafe {
        pg_sys::get_typlenbyvalalign(number, &mut len, &mut by_value, &mut align);
        Datum::from(pg_sys::construct_md_array(
            elements.as_mut_ptr(),
            nulls.as_mut_ptr(),
            dimensions,
            lengths.as_mut_ptr(),
            first_subscripts.as_mut_ptr(),
            number,
            len.into(),
            by_value,
            align,
        ))
    }
}

/// A number with one decimal, as numeric.
pub fn numeric_of_tenths(tenths: i64) -> Datum {
    // SAFETY: makes a numeric in the current memory context.
    unsafe {
        match tenths % 10 {
            0 => Datum::from(pg_sys::int64_to_numeric(tenths / 10)),
            _ => Datum::from(pg_sys::int64_div_fast_to_numeric(tenths, 1)),
        }
    }
}

/// The size of a long header.
const HEADER: usize = 4;

/// A new value in the current memory context.
pub fn varlena_from(bytes: &[u8]) -> Datum {
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

/// The unread part of a binary message.
pub fn received<'a>(buffer: pg_sys::StringInfo, type_name: &str) -> &'a [u8] {
    // SAFETY: a receive function is called with a StringInfo. pq_getmsgbytes returns a pointer into the message,
    // which outlives the call.
    unsafe {
        let len = (*buffer).len - (*buffer).cursor;
        if len < 1 {
            invalid_binary(type_name, "the message is empty");
        }
        std::slice::from_raw_parts(pg_sys::pq_getmsgbytes(buffer, len).cast(), len as usize)
    }
}
