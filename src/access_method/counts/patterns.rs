//! Looks for a constant pattern in some of the games that may have it, for the planner.
//!
//! Takes an index and a pattern; returns the share of the games with the keys of the pattern, and how many of some of them
//! match. The games kept by ANALYZE are too few to tell in how many a rare pattern is: where none of 2,000 has it, none of
//! 200,000 may have it, or a hundred. The lists of an index leave some hundred candidates, of which some dozens tell that.
//!
//! To keep planning short, long lists are read in part, and few games are searched. The planner estimates the rows of a query
//! before the costs of its scans; these take the number of candidates from there.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use chess_core::search::pattern::{Certainty, Pattern, Wanted};
use chess_estimates::column::Candidates;
use chess_index::meta::Meta;
use chess_index::rows::Row;
use chess_index::select::{Selection, Sought, WINDOW, is_certain};
use pgrx::pg_sys::Oid;

use crate::access_method::candidates::{self, Kept};
use crate::access_method::counts::searched::searched_of;
use crate::access_method::counts::{Counted, Counts};

/// The work of these searches and of the trial on the games kept, together ([`chess_core::search::pattern::Matcher::work`]):
/// some five milliseconds. A pattern on which a trial has spent more is not looked up.
const MOST_WORK: u64 = 16_000_000;
/// Lists that are looked up, in all segments, which takes about 4 µs each.
const MOST_LISTS: usize = 200;
/// Postings that are read, which takes about 1 ns each. Of longer lists some windows are read; but the pages of the others
/// are passed, too, so of much longer ones none is.
const MOST_POSTINGS: f64 = 3e6;
const MOST_PASSED: f64 = 3e7;
/// Patterns of which is kept whether lists decide them.
const MOST_DECIDED: usize = 8;

/// Whether lists decide a pattern in an index, as its metapage was then. To look this up takes up to a hundredth of a second.
struct Decided {
    file: Oid,
    meta: Rc<Meta>,
    pattern: String,
    by_lists: bool,
}

thread_local! {
    static DECIDED: RefCell<VecDeque<Decided>> = const { RefCell::new(VecDeque::new()) };
}

impl Counts {
    /// What the index and some of its games tell a user of a pattern within `limit` half-moves, if a trial has already taken
    /// the work `spent`. `None` if that would take long, if no key narrows the search, or if a page is replaced meanwhile.
    pub fn candidates(&self, user: Oid, pattern: &Pattern, limit: u32, spent: u64) -> Option<Candidates> {
        let work = MOST_WORK.checked_sub(spent)?;
        if let Some(Kept { share, are_certain: true, .. }) = self.kept(user, pattern).filter(|_| limit == u32::MAX) {
            return Some(Candidates { share, searched: 1.0, matches: 1.0, are_all: true });
        }
        let (tree, largest) = (pattern.key_tree(), self.largest()?);
        let ranges = tree.wanted().iter().filter(|wanted| matches!(wanted, Wanted::Material { .. })).count();
        let games: f64 = largest.iter().map(|counted| f64::from(counted.segment.games)).sum();
        // The lists of a range are all read before the first game is known.
        let is_long = tree.wanted().len() * largest.len() > MOST_LISTS || ranges as f64 * games > MOST_POSTINGS;
        if !tree.is_known() || games == 0.0 || is_long {
            return None;
        }
        let certainty = pattern.certainty().filter(|_| limit == u32::MAX).map(RefCell::new);
        let sought = [Sought { tree: &tree, certainty: certainty.as_ref() }];
        let mut selections = Vec::new();
        for Counted { pages, segment, .. } in largest {
            selections.push(pages.sound(Selection::new(pages, segment, &sought, None)).ok()??);
        }
        let postings: f64 = selections.iter().map(Selection::postings).sum();
        if postings > MOST_PASSED {
            return None;
        }
        let step = (postings / MOST_POSTINGS).ceil().max(1.0) as u32;
        let (mut looked_at, mut living) = (0.0, 0.0);
        let mut found = Vec::new();
        for (counted, selection) in largest.iter().zip(&mut selections) {
            let (here, of) = some_windows(counted, selection, step)?;
            looked_at += of;
            living += here.len() as f64 * counted.living;
            found.push(here);
        }
        let number: usize = found.iter().map(Vec::len).sum();
        let share = living / looked_at;
        let are_certain = selections.iter().all(Selection::is_certain);
        let kept = Kept { games: share * self.games(), share, are_certain };
        candidates::keep(self.index.file(), &self.meta, user, pattern, kept);
        if number == 0 || are_certain {
            return Some(Candidates { share, searched: 1.0, matches: 1.0, are_all: true });
        }
        let wanted = searched_of(number);
        let rows = some_rows(largest, &found, |nth| nth * wanted / number != (nth + 1) * wanted / number)?;
        let (searched, matches) = self.search(pattern, limit, work, &rows);
        let are_all = step == 1 && wanted == number && searched > 0.0;
        Some(Candidates { share, searched, matches, are_all })
    }

    fn kept(&self, user: Oid, pattern: &Pattern) -> Option<Kept> {
        candidates::kept(self.index.file(), &self.meta, user, pattern)
    }

    /// Whether the lists of the largest segments decide which games have a pattern. Those of the others probably do, too.
    pub fn are_certain(&self, user: Oid, pattern: &Pattern) -> bool {
        if self.kept(user, pattern).is_some_and(|kept| kept.are_certain) {
            return true;
        }
        let Some(certainty) = pattern.certainty().map(RefCell::new) else { return false };
        let file = self.index.file();
        let is_known =
            |known: &&Decided| known.file == file && known.pattern == pattern.as_str() && known.meta == self.meta;
        let known = DECIDED.with_borrow(|known| known.iter().find(is_known).map(|known| known.by_lists));
        known.unwrap_or_else(|| {
            let by_lists = self.decide(pattern, &certainty);
            let decided = Decided { file, meta: self.meta.clone(), pattern: pattern.as_str().to_owned(), by_lists };
            DECIDED.with_borrow_mut(|known| {
                known.truncate(MOST_DECIDED - 1);
                known.push_front(decided);
            });
            by_lists
        })
    }

    /// Whether the leaves of the largest segments tell that their lists decide.
    fn decide(&self, pattern: &Pattern, certainty: &RefCell<Certainty>) -> bool {
        let tree = pattern.key_tree();
        let sought = Sought { tree: &tree, certainty: Some(certainty) };
        let is_it = |Counted { pages, segment, .. }: &Counted| {
            matches!(pages.sound(is_certain(pages, segment, &sought)), Ok(true))
        };
        self.largest().is_some_and(|largest| largest.iter().all(is_it))
    }

    /// Searches games, as far as they stand in their rows, until that has taken this much work. Returns their number and that of
    /// the matches.
    fn search(&self, pattern: &Pattern, limit: u32, work: u64, rows: &[Row]) -> (f64, f64) {
        let (mut searched, mut matches) = (0.0, 0.0);
        let mut matcher = pattern.matcher();
        self.each_game(rows, |game| {
            if let Ok(found) = matcher.find(game, limit) {
                searched += 1.0;
                matches += f64::from(u8::from(found.is_some()));
            }
            matcher.work() <= work
        });
        (searched, matches)
    }
}

/// The games of every `step`th window of a segment, and the number of all games there.
fn some_windows(counted: &Counted, selection: &mut Selection, step: u32) -> Option<(Vec<u32>, f64)> {
    let Counted { pages, segment, .. } = counted;
    let (mut found, mut window, mut from) = (Vec::new(), Vec::new(), 0u32);
    while from < segment.games {
        selection.skip_to(from);
        if !pages.sound(selection.next(pages, segment, &mut window)).ok()? {
            break;
        }
        let nth = window[0] / WINDOW;
        if nth.is_multiple_of(step) {
            found.append(&mut window);
        }
        from = (nth / step + 1).saturating_mul(step).saturating_mul(WINDOW);
    }
    let windows = (0..segment.games).step_by(WINDOW as usize).step_by(step as usize);
    Some((found, windows.map(|first| f64::from(WINDOW.min(segment.games - first))).sum()))
}

/// The rows of the games that are chosen by their place among those of all segments.
fn some_rows(largest: &[Counted], found: &[Vec<u32>], is_chosen: impl Fn(usize) -> bool) -> Option<Vec<Row>> {
    let (mut rows, mut nth) = (Vec::new(), 0..);
    for (Counted { pages, segment, .. }, games) in largest.iter().zip(found) {
        let chosen: Vec<u32> = games.iter().copied().filter(|_| nth.next().is_some_and(&is_chosen)).collect();
        pages.sound(segment.rows(pages, &chosen, |_, row| rows.push(row))).ok()?;
    }
    Some(rows)
}
