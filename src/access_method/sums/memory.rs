//! What a session remembers of the segments that it has read.
//!
//! Takes facts about segments, by the file of the index and the segment; returns them later. A segment does not change, but a
//! file may be emptied, and its segments are then numbered anew: TRUNCATE does that to an index that has kept its file while
//! its table has a new one, and to temporary tables. The server tells all sessions of it, as of any other change of a relation
//! but its rows, before they can open the index. All facts are then forgotten.

use std::cell::{Cell, RefCell};
use std::sync::Once;

use chess_index::segment::Segment;
use pgrx::pg_guard;
use pgrx::pg_sys::{self, Datum, Oid};

use crate::access_method::segments::PartPages;

thread_local! {
    /// Counts the changes of indexes that something is remembered of.
    static CHANGES: Cell<u64> = const { Cell::new(0) };
    /// Those indexes.
    static INDEXES: RefCell<Vec<Oid>> = const { RefCell::new(Vec::new()) };
}

/// Called by the server when a relation has changed; all have if it is invalid.
#[pg_guard]
unsafe extern "C-unwind" fn changed(_argument: Datum, relation: Oid) {
    INDEXES.with_borrow_mut(|indexes| {
        if relation == Oid::INVALID || indexes.contains(&relation) {
            indexes.clear();
            CHANGES.set(CHANGES.get().wrapping_add(1));
        }
    });
}

fn changes() -> u64 {
    static REGISTERED: Once = Once::new();
    // SAFETY: the function stays loaded as long as the process.
    REGISTERED.call_once(|| unsafe { pg_sys::CacheRegisterRelcacheCallback(Some(changed), Datum::from(0)) });
    CHANGES.get()
}

/// A file, a segment in it, and what is remembered of it.
type Fact<T> = (Oid, Segment, T);

/// Facts of one kind.
pub struct Memory<T> {
    /// The number of changes that the facts outlived.
    changes: u64,
    /// What was asked for last comes first.
    facts: Vec<Fact<T>>,
}

impl<T> Memory<T> {
    pub const fn new() -> Memory<T> {
        Memory { changes: 0, facts: Vec::new() }
    }

    fn forget(&mut self) {
        let changes = changes();
        if self.changes != changes {
            self.changes = changes;
            self.facts.clear();
        }
    }

    /// The fact about a segment that is wanted.
    pub fn find(&mut self, pages: &PartPages<'_>, segment: &Segment, is_wanted: impl Fn(&T) -> bool) -> Option<&T> {
        self.forget();
        let file = pages.file();
        let is_it = |(of, other, fact): &Fact<T>| *of == file && other == segment && is_wanted(fact);
        let at = self.facts.iter().position(is_it)?;
        self.facts[..=at].rotate_right(1);
        Some(&self.facts[0].2)
    }

    /// Remembers a fact; then the facts, the latest first, as long as `is_kept`.
    pub fn add(&mut self, pages: &PartPages<'_>, segment: &Segment, fact: T, mut is_kept: impl FnMut(&T) -> bool) {
        self.forget();
        INDEXES.with_borrow_mut(|indexes| {
            let index = pages.index();
            if !indexes.contains(&index) {
                indexes.push(index);
            }
        });
        self.facts.insert(0, (pages.file(), *segment, fact));
        let kept = self.facts.iter().position(|(.., fact)| !is_kept(fact));
        self.facts.truncate(kept.unwrap_or(self.facts.len()));
    }
}
