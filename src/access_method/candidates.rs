//! How many games are candidates of a pattern, kept from the estimate of a query's rows for the costs of its scans.
//!
//! The planner estimates rows before costs. For a rare pattern [`super::Counts::candidates`] counts in the index; the cost of a
//! scan takes that number from here, so that both go by the same one. It is kept for the user who may know it.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use chess_core::search::pattern::Pattern;
use chess_index::meta::Meta;
use pgrx::pg_sys::Oid;

/// Patterns that are kept.
const MOST_KNOWN: usize = 8;

/// The candidates of a pattern in an index, as its metapage was then.
struct Known {
    /// The file of the index.
    file: Oid,
    meta: Rc<Meta>,
    user: Oid,
    pattern: String,
    kept: Kept,
}

/// What was counted.
#[derive(Clone, Copy)]
pub struct Kept {
    /// The games that are candidates, and their share of those that were looked at.
    pub games: f64,
    pub share: f64,
    /// Whether all of them have the pattern, by the lists.
    pub are_certain: bool,
}

thread_local! {
    static KNOWN: RefCell<VecDeque<Known>> = const { RefCell::new(VecDeque::new()) };
}

/// Keeps what was counted of a pattern in an index.
pub fn keep(file: Oid, meta: &Rc<Meta>, user: Oid, pattern: &Pattern, kept: Kept) {
    let (meta, pattern) = (meta.clone(), pattern.as_str().to_owned());
    KNOWN.with_borrow_mut(|known| {
        known.retain(|other| other.file != file || other.user != user || other.pattern != pattern);
        known.truncate(MOST_KNOWN - 1);
        known.push_front(Known { file, meta, user, pattern, kept });
    });
}

/// What was counted of a pattern in an index for this user, if the index is as then.
pub fn kept(file: Oid, meta: &Meta, user: Oid, pattern: &Pattern) -> Option<Kept> {
    let is_it = |known: &&Known| {
        known.file == file && known.user == user && known.pattern == pattern.as_str() && *known.meta == *meta
    };
    KNOWN.with_borrow(|known| known.iter().find(is_it).map(|known| known.kept))
}
