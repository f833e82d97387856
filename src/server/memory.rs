//! Memory of a scan, which the server's own memory outlives.
//!
//! A query that is asked again and again, as the inner side of a nested loop is, allocates in the memory of the query whatever
//! its scans do not free themselves: copies of ranges, the state of a sort. A million rescans would add up.

use pgrx::memcxt::PgMemoryContexts;
use pgrx::pg_sys;

/// What a scan allocates until it starts again.
pub struct ScanMemory(pg_sys::MemoryContext);

impl ScanMemory {
    /// Memory that is freed with the current memory context, if not before.
    pub fn new() -> ScanMemory {
        let (smallest, first, most) =
            (pg_sys::ALLOCSET_SMALL_MINSIZE, pg_sys::ALLOCSET_SMALL_INITSIZE, pg_sys::ALLOCSET_DEFAULT_MAXSIZE);
        let name = c"chess scan".as_ptr();
        // SAFETY: a name that is static, and sizes of the server.
        ScanMemory(unsafe {
            let parent = pg_sys::CurrentMemoryContext;
            pg_sys::AllocSetContextCreateInternal(parent, name, smallest as usize, first as usize, most as usize)
        })
    }

    /// Calls a function that allocates here.
    pub fn with<T>(&self, work: impl FnOnce() -> T) -> T {
        // SAFETY: the caller runs within the memory context in which this was made.
        unsafe { PgMemoryContexts::For(self.0).switch_to(|_| work()) }
    }

    /// Frees what was allocated here.
    pub fn reset(&self) {
        // SAFETY: as above; what points here was dropped before.
        unsafe { pg_sys::MemoryContextReset(self.0) }
    }
}
