//! How a session learns that what it remembers of an index holds no more.
//!
//! A segment does not change. A file may be emptied, though, and then numbers its segments from the beginning: TRUNCATE does that to
//! an index that has kept its file while its table has a new one, and to the indexes of temporary tables. Before a session can open
//! such an index again, the server tells it that the relation has changed.

use std::cell::{Cell, RefCell};
use std::sync::Once;

use pgrx::pg_guard;
use pgrx::pg_sys::{self, Datum, Oid};

thread_local! {
    /// Counts how often an index of which something is remembered has changed.
    static CHANGES: Cell<u64> = const { Cell::new(0) };
    /// The indexes of which something is remembered.
    static INDEXES: RefCell<Vec<Oid>> = const { RefCell::new(Vec::new()) };
}

/// The server calls this when a relation has changed. If the relation is invalid, any may have.
#[pg_guard]
unsafe extern "C-unwind" fn changed(_argument: Datum, relation: Oid) {
    INDEXES.with_borrow_mut(|indexes| {
        if relation == Oid::INVALID || indexes.contains(&relation) {
            indexes.clear();
            CHANGES.set(CHANGES.get().wrapping_add(1));
        }
    });
}

/// Returns the number of changes. What was remembered when it was another number must be forgotten. The first call asks the
/// server to report them.
pub fn changes() -> u64 {
    static REGISTERED: Once = Once::new();
    // SAFETY: the function stays loaded as long as the process.
    REGISTERED.call_once(|| unsafe { pg_sys::CacheRegisterRelcacheCallback(Some(changed), Datum::from(0)) });
    CHANGES.get()
}

/// Counts changes of this index from now on, because something of it is remembered.
pub fn watch(index: Oid) {
    INDEXES.with_borrow_mut(|indexes| {
        if !indexes.contains(&index) {
            indexes.push(index);
        }
    });
}
