//! The rows of the games that meet a question, in an order, read from the index as far as they are asked for.
//!
//! Takes a question, an order and a snapshot; returns rows one by one. It asks the index for the first few games, then for
//! the next ones, eight times as many each time. What a round returns has no higher number than the last one of the round
//! before, and is in part equal to it: rows that were returned with this number are left out. A row that the snapshot sees
//! keeps its row pointer as long as the snapshot exists, whatever happens to the index between two rounds, so it is
//! neither returned twice nor missed. What does not fit into a quarter of `work_mem` is sorted by the server in one last round.
//!
//! Between two rows no page of the index is locked or pinned.

use std::collections::{HashSet, VecDeque};

use chess_index::rows::Row;
use pgrx::pg_sys;

use crate::access_method::inspect::Opened;
use crate::access_method::scan::work_memory;
use crate::access_method::segments::Replaced;
use crate::access_method::sums::asked::Asked;
use crate::access_method::sums::games::add_games;
use crate::access_method::sums::heap::Heap;
use crate::access_method::sums::leading::{Leading, Order};
use crate::access_method::sums::ordered::sorted::Sorted;
use crate::access_method::sums::rows_at;
use crate::access_method::sums::totals::Sums;
use crate::access_method::sums::view::View;

/// How many times as many games the next round asks for.
const GROWTH: usize = 8;
/// Bytes of memory that a game of a round takes: twice in its list, once among the rows, once in a set.
const BYTES: usize = 96;

/// A walk over the rows.
pub struct Walk {
    /// The column of the table with the game.
    game: i16,
    asked: Asked,
    order: Order,
    /// How many games the next round asks for.
    count: usize,
    /// The lowest number that was returned, and the rows that were returned with it.
    last: i64,
    returned: HashSet<Row>,
    /// Rows of the last round, with their numbers.
    next: VecDeque<(i64, Row)>,
    /// All other rows, once they are sorted.
    rest: Option<Sorted>,
    /// What the rounds before have seen of the index.
    view: Option<View>,
    /// Whether no round comes after this one.
    is_last: bool,
}

impl Walk {
    /// Begins a walk that asks for `count` games at first.
    pub fn new(game: i16, asked: Asked, order: Order, count: usize) -> Walk {
        let (next, returned, last) = (VecDeque::new(), HashSet::new(), i64::MAX);
        let count = count.max(1);
        Walk { game, asked, order, count, last, returned, next, rest: None, view: None, is_last: false }
    }

    /// The next row of a table and its index.
    ///
    /// # Safety
    ///
    /// They must always be the same, the snapshot be registered or active and always the same one, and the memory context live as
    /// long as the walk.
    pub unsafe fn next(&mut self, opened: &Opened, snapshot: pg_sys::Snapshot) -> Option<Row> {
        loop {
            let found = match &mut self.rest {
                Some(rest) => rest.next(),
                None => self.next.pop_front(),
            };
            match found {
                Some((number, row)) if number < self.last => {
                    self.returned.clear();
                    self.last = number;
                    self.returned.insert(row);
                    return Some(row);
                }
                // The sort has no row twice.
                Some((_, row)) if !self.returned.contains(&row) => {
                    if self.rest.is_none() {
                        self.returned.insert(row);
                    }
                    return Some(row);
                }
                Some(_) => (),
                None if self.is_last => return None,
                // SAFETY: the caller's promise.
                None => unsafe { self.ask(opened, snapshot) },
            }
        }
    }

    /// Asks the index.
    unsafe fn ask(&mut self, opened: &Opened, snapshot: pg_sys::Snapshot) {
        // SAFETY: the caller's promise; `opened` outlives the rest.
        unsafe {
            let mut heap = Heap::at(opened, self.game, snapshot);
            let index = opened.index().seen_by(snapshot);
            let count = self.count.saturating_add(self.returned.len());
            let Walk { asked, order, last, view, .. } = self;
            let games_of = |view: &View, heap: &mut Heap, leading: Leading| -> Result<Option<Leading>, Replaced> {
                let mut sums = Sums::listing(leading);
                match add_games(view, asked, heap, &mut sums) {
                    Ok(()) => Ok(sums.leading),
                    Err(replaced) => {
                        sums.leading.and_then(|leading| leading.sorted).into_iter().for_each(Sorted::end);
                        Err(replaced)
                    }
                }
            };
            if count <= work_memory() / 4 / BYTES {
                let mut rows = View::ask(view, index, &mut heap, |view, heap| {
                    let leading = games_of(view, heap, Leading::after(*order, count, *last))?;
                    rows_at(view, leading.map(Leading::into_games).unwrap_or_default())
                });
                rows.sort_unstable_by(|(one, row), (number, other)| number.cmp(one).then(row.cmp(other)));
                self.is_last = rows.len() < count;
                self.next = rows.into();
                self.count = self.count.saturating_mul(GROWTH);
            } else {
                let mut rest = View::ask(view, index, &mut heap, |view, heap| {
                    let mut leading = games_of(view, heap, Leading::all(*order, *last, Sorted::new()))?;
                    let sorted = leading.as_mut().and_then(|leading| leading.sorted.take());
                    // Those that are not in segments.
                    let others = leading.map(Leading::into_games).unwrap_or_default();
                    let mut sorted = sorted.unwrap_or_else(Sorted::new);
                    for (number, row) in rows_at(view, others)? {
                        sorted.add(number, row);
                    }
                    Ok(sorted)
                });
                rest.sort();
                self.rest = Some(rest);
                self.is_last = true;
            }
        }
    }

    /// Frees what the server would free at the end of the query.
    pub fn end(self) {
        self.rest.into_iter().for_each(Sorted::end);
    }
}
