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

/// Returns the number of changes. The first call asks the server to report them.
fn changes() -> u64 {
    static REGISTERED: Once = Once::new();
    // SAFETY: the function stays loaded as long as the process.
    REGISTERED.call_once(|| unsafe { pg_sys::CacheRegisterRelcacheCallback(Some(changed), Datum::from(0)) });
    CHANGES.get()
}

/// What is remembered of a segment in a file, and its size.
struct Fact<T> {
    file: Oid,
    segment: Segment,
    size: usize,
    what: T,
}

/// Facts of one kind.
pub struct Memory<T> {
    /// Facts that are larger together are forgotten, those first that were asked for longest ago.
    most: usize,
    /// The number of changes when the facts were remembered.
    changes: u64,
    /// The fact that was asked for last comes first.
    facts: Vec<Fact<T>>,
}

impl<T> Memory<T> {
    /// Remembers facts whose sizes add up to at most `most`.
    pub const fn new(most: usize) -> Memory<T> {
        Memory { most, changes: 0, facts: Vec::new() }
    }

    /// Forgets all facts if an index has changed since.
    fn forget(&mut self) {
        let changes = changes();
        if self.changes != changes {
            self.changes = changes;
            self.facts.clear();
        }
    }

    /// Returns the fact about a segment that is wanted, if it is remembered.
    pub fn find(&mut self, pages: &PartPages<'_>, segment: &Segment, is_wanted: impl Fn(&T) -> bool) -> Option<&T> {
        self.forget();
        let file = pages.file();
        let is_it = |fact: &Fact<T>| fact.file == file && fact.segment == *segment && is_wanted(&fact.what);
        let at = self.facts.iter().position(is_it)?;
        self.facts[..=at].rotate_right(1);
        Some(&self.facts[0].what)
    }

    /// Remembers a fact of this size.
    pub fn add(&mut self, pages: &PartPages<'_>, segment: &Segment, what: T, size: usize) {
        self.forget();
        INDEXES.with_borrow_mut(|indexes| {
            let index = pages.index();
            if !indexes.contains(&index) {
                indexes.push(index);
            }
        });
        self.facts.insert(0, Fact { file: pages.file(), segment: *segment, size, what });
        let mut all = 0;
        let is_too_much = |fact: &Fact<T>| {
            all += fact.size;
            all > self.most
        };
        let kept = self.facts.iter().position(is_too_much);
        self.facts.truncate(kept.unwrap_or(self.facts.len()));
    }
}
