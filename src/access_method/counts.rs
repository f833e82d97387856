//! Counts the games of a question, for the planner.
//!
//! Of a segment it reads only the lengths of lists, a few pages whatever the number of games. Dead games are subtracted in
//! proportion. Of the pending games it replays some and scales the result.
//!
//! For a position that arises by half-move 28 the count is exact, except for games that reach it only later, or with other
//! castling rights or en passant squares. For a later position it is an upper bound: the list also has games that do not
//! match, which a scan rechecks. A game may be in the lists of both kinds, so the larger count is taken.
//!
//! To keep planning short, an index of many segments is counted in the largest ones, and the result is scaled. The planner
//! asks for the same count twice, for the rows and for the cost of a scan, so the last one is kept.

use std::cell::{OnceCell, RefCell};

use chess_core::{Board, CorruptGame, GameRef};
use chess_index::key::Question;
use chess_index::meta::{Meta, Part, State};
use chess_index::segment::Segment;
use pgrx::pg_sys::{self, Oid};

use crate::access_method::pages::Index;
use crate::access_method::segments::PartPages;
use crate::access_method::{cost, metapage, pending};

/// Pending games replayed for a question, which takes about 10 µs.
const MOST_PENDING: u32 = 128;
/// Segments searched for a question, which takes about 4 µs each.
const MOST_SEGMENTS: usize = 8;

/// An index opened for counting.
pub struct Counts {
    index: Index,
    meta: Meta,
    largest: OnceCell<Vec<Counted>>,
}

/// A segment and the share of its games that are not dead.
struct Counted {
    pages: PartPages<'static>,
    segment: Segment,
    living: f64,
}

/// The last count.
struct Last {
    /// The file of the index.
    file: Oid,
    meta: Meta,
    question: Question,
    count: f64,
}

thread_local! {
    static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
}

impl Counts {
    /// Whether an index can be counted: it belongs to this access method and is not hypothetical.
    pub fn are_in(info: &pg_sys::IndexOptInfo) -> bool {
        let ours = cost::amcostestimate as *const () as usize;
        !info.hypothetical && info.amcostestimate.is_some_and(|estimate| estimate as usize == ours)
    }

    /// Opens an index.
    ///
    /// # Safety
    ///
    /// [`Counts::are_in`] must be true for the index, and the planner must hold a lock on it.
    pub unsafe fn open(info: &pg_sys::IndexOptInfo) -> Counts {
        // SAFETY: the caller's promise; closed by `drop`.
        let index = unsafe { Index::new(pg_sys::index_open(info.indexoid, pg_sys::NoLock as pg_sys::LOCKMODE)) };
        Counts { index, meta: metapage::read(index), largest: OnceCell::new() }
    }

    /// Number of games in the index.
    pub fn games(&self) -> f64 {
        let living: f64 = self.meta.in_state(State::Live).map(|part| f64::from(part.living())).sum();
        living + self.pending().map(games_of).sum::<f64>()
    }

    /// The number of segments and about that of pending games.
    pub fn parts(&self) -> (f64, f64) {
        (self.meta.in_state(State::Live).count() as f64, self.pending().map(games_of).sum())
    }

    /// About how many games lists have that tell whether a game reaches a board, and lists that only name candidates.
    /// `None` if a page is replaced meanwhile.
    pub fn lists(&self, board: &Board) -> Option<(f64, f64)> {
        let (mut exact, mut candidates) = (0.0, 0.0);
        let scale = self.each_segment(&Question::position(board, u32::MAX), |early, late, _| {
            exact += early;
            candidates += late;
        })?;
        Some((exact * scale, candidates * scale))
    }

    fn pending(&self) -> impl Iterator<Item = &Part> {
        self.meta.in_state(State::Closed).chain([&self.meta.pending])
    }

    /// About how many games a question finds; `is_met` tests a pending game. `None` if a page is replaced meanwhile.
    pub fn count(&self, question: &Question, is_met: impl Fn(GameRef<'_>) -> Result<bool, CorruptGame>) -> Option<f64> {
        let file = self.index.file();
        let is_same = |last: &&Last| last.file == file && last.question == *question && last.meta == self.meta;
        let known = LAST.with_borrow(|last| last.as_ref().filter(is_same).map(|last| last.count));
        known.or_else(|| {
            let count = self.in_segments(question)? + self.in_pending(is_met)?;
            let last = Last { file, meta: self.meta.clone(), question: question.clone(), count };
            LAST.set(Some(last));
            Some(count)
        })
    }

    fn in_segments(&self, question: &Question) -> Option<f64> {
        let mut count = 0.0;
        let scale = self.each_segment(question, |early, late, counted| {
            count += early.max(late).min(f64::from(counted.segment.games)) * counted.living;
        })?;
        Some(count * scale)
    }

    /// Calls `read` with the number of games in exact and in other lists of each of the largest segments. Returns how many
    /// times the games of these segments all games are.
    fn each_segment(&self, question: &Question, mut read: impl FnMut(f64, f64, &Counted)) -> Option<f64> {
        let largest = match self.largest.get() {
            Some(largest) => largest,
            None => {
                let opened = self.open_largest()?;
                self.largest.get_or_init(|| opened)
            }
        };
        let mut searched = 0.0;
        for counted in largest {
            let Counted { pages, segment, .. } = counted;
            let games = |question: &Question| {
                let lists = pages.sound(segment.lists(pages, question)).ok()?;
                Some(lists.iter().map(|list| f64::from(list.count)).sum::<f64>())
            };
            let early = games(&Question { exact: question.exact.clone(), tail: None })?;
            let late = games(&Question { exact: Vec::new(), tail: question.tail })?;
            read(early, late, counted);
            searched += f64::from(segment.games);
        }
        let all: f64 = self.meta.in_state(State::Live).map(|part| f64::from(part.games)).sum();
        Some(if searched > 0.0 { all / searched } else { 0.0 })
    }

    fn open_largest(&self) -> Option<Vec<Counted>> {
        let mut parts: Vec<&Part> = self.meta.in_state(State::Live).collect();
        parts.sort_by_key(|part| std::cmp::Reverse(part.games));
        let open = |part: &&Part| {
            let pages = PartPages::owned(self.index, (*part).clone());
            let segment = pages.open().ok()?;
            Some(Counted { pages, segment, living: f64::from(part.living()) / f64::from(part.games.max(1)) })
        };
        parts.iter().take(MOST_SEGMENTS).map(open).collect()
    }

    fn in_pending(&self, is_met: impl Fn(GameRef<'_>) -> Result<bool, CorruptGame>) -> Option<f64> {
        let mut count = 0.0;
        for part in self.pending() {
            let pages = PartPages::new(self.index, part);
            let (mut tested, mut met) = (0, 0);
            let mut page = 0;
            while page < part.pages && tested < MOST_PENDING {
                pending::each_row(self.index, &pages, page, |_, _, game| {
                    tested += 1;
                    let game = game.map(|game| pending::decode(self.index, &pages, page, game));
                    met += u32::from(game.is_some_and(|game| is_met(game).unwrap_or(false)));
                })
                .ok()?;
                page += 1;
            }
            let all = if page < part.pages { games_of(part) } else { f64::from(tested) };
            count += f64::from(met) * all / f64::from(tested.max(1));
        }
        Some(count)
    }
}

/// About how many games are pending; the part does not count those on its last page.
fn games_of(part: &Part) -> f64 {
    let pages = f64::from(part.pages);
    f64::from(part.games) * if part.pages > 1 { pages / (pages - 1.0) } else { 1.0 }
}

impl Drop for Counts {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: opened by `open`.
            unsafe { pg_sys::index_close(self.index.relation(), pg_sys::NoLock as pg_sys::LOCKMODE) }
        }
    }
}
