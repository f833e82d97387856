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
    games: f64,
}

thread_local! {
    static KNOWN: RefCell<VecDeque<Known>> = const { RefCell::new(VecDeque::new()) };
}

/// Keeps the number of games in an index that are candidates of a pattern.
pub fn keep(file: Oid, meta: &Rc<Meta>, user: Oid, pattern: &Pattern, games: f64) {
    let (meta, pattern) = (meta.clone(), pattern.as_str().to_owned());
    KNOWN.with_borrow_mut(|known| {
        known.retain(|other| other.file != file || other.user != user || other.pattern != pattern);
        known.truncate(MOST_KNOWN - 1);
        known.push_front(Known { file, meta, user, pattern, games });
    });
}

/// The number of games in an index that are candidates of a pattern, if it was counted for this user and the index is as then.
pub fn kept(file: Oid, meta: &Meta, user: Oid, pattern: &Pattern) -> Option<f64> {
    let is_it = |known: &&Known| {
        known.file == file && known.user == user && known.pattern == pattern.as_str() && *known.meta == *meta
    };
    KNOWN.with_borrow(|known| known.iter().find(is_it).map(|known| known.games))
}
