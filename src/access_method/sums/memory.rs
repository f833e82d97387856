//! What a session remembers of the segments that it has read.
//!
//! Takes facts about segments, by the file of the index and the segment; returns them later. All facts are forgotten when an
//! index has changed ([`changes`](crate::access_method::changes)).

use chess_index::segment::Segment;
use pgrx::pg_sys::Oid;

use crate::access_method::changes::{changes, watch};
use crate::access_method::segments::PartPages;

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
        watch(pages.index());
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
