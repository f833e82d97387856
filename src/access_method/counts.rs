//! Counts the games of questions, for the planner.
//!
//! Of a segment it reads only the lengths of lists, a few pages whatever the number of games; for games that several questions
//! find, or any of several, also some games of the lists. Dead games are subtracted in proportion. Of the pending games it
//! replays some and scales the result.
//!
//! For a position that arises by half-move 28 the count is exact, except for games that reach it only later, or with other
//! castling rights or en passant squares. For a later position it is an upper bound: the list also has games that do not
//! match, which a scan rechecks. A game may be in the lists of both kinds, so the larger count is taken.
//!
//! To keep planning short, an index of many segments is counted in the largest ones, and the result is scaled. The planner
//! asks for the same counts several times, for the rows and for the costs of scans and sums, so the last ones are kept.

mod patterns;
mod searched;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::slice;

use chess_core::{CorruptGame, GameRef};
use chess_index::block::Block;
use chess_index::key::Question;
use chess_index::meta::{Meta, Part, State};
use chess_index::search::List;
use chess_index::segment::Segment;
use pgrx::pg_sys::{self, Oid};

use crate::access_method::pages::Index;
use crate::access_method::segments::{PartPages, in_list};
use crate::access_method::{cost, metapage, pending};

/// Pending games replayed for a question, which takes about 10 µs.
const MOST_PENDING: u32 = 128;
/// Segments searched for a question, which takes about 4 µs each.
const MOST_SEGMENTS: usize = 8;
/// Games of the rarest question that are looked up in the lists of the others, and parts of a segment that they are from.
/// Neighbouring games share the blocks of the other lists.
const MOST_LOOKED_UP: usize = 4096;
const PARTS_OF_SEGMENT: u32 = 16;
/// Games that count as found where none of those looked up is in the other lists, but not all games were looked up.
const UNSEEN: f64 = 0.3;
/// Counts that are kept.
const MOST_KNOWN: usize = 8;

/// An index opened for counting.
pub struct Counts {
    index: Index,
    meta: Rc<Meta>,
    largest: OnceCell<Vec<Counted>>,
}

/// A segment and the share of its games that are not dead.
struct Counted {
    pages: PartPages<'static>,
    segment: Segment,
    living: f64,
}

/// Which games of several questions are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those that all questions find.
    All,
    /// Those that any question finds.
    Any,
}

/// What was counted in the segments of an index, as its metapage was then.
struct Known {
    /// The file of the index.
    file: Oid,
    meta: Rc<Meta>,
    questions: Vec<Question>,
    which: Which,
    in_segments: InSegments,
    /// The games among the pending ones, once they are counted.
    pending: Cell<Option<f64>>,
}

/// About how many games of the segments some questions find.
#[derive(Clone, Copy, Default)]
struct InSegments {
    /// Those that all or any find.
    games: f64,
    /// If there is a single question, the games of its lists that tell whether a game matches.
    exact: f64,
    /// Likewise, those of its lists that only name candidates.
    candidates: f64,
}

thread_local! {
    static KNOWN: RefCell<VecDeque<Rc<Known>>> = const { RefCell::new(VecDeque::new()) };
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
        Counts { index, meta: Rc::new(metapage::read(index)), largest: OnceCell::new() }
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

    /// About how many games lists have that tell whether a game matches, and lists that only name candidates. `None` if a page
    /// is replaced meanwhile.
    pub fn lists(&self, question: &Question) -> Option<(f64, f64)> {
        let found = self.known(slice::from_ref(question), Which::All)?.in_segments;
        Some((found.exact, found.candidates))
    }

    fn pending(&self) -> impl Iterator<Item = &Part> {
        self.meta.in_state(State::Closed).chain([&self.meta.pending])
    }

    /// About how many games all questions find, or any; `is_met` tests a pending game. `None` if a page is replaced meanwhile.
    pub fn count(
        &self,
        questions: &[Question],
        which: Which,
        is_met: impl Fn(GameRef<'_>) -> Result<bool, CorruptGame>,
    ) -> Option<f64> {
        let known = self.known(questions, which)?;
        let pending = match known.pending.get() {
            Some(pending) => pending,
            None => self.in_pending(is_met)?,
        };
        known.pending.set(Some(pending));
        Some(known.in_segments.games + pending)
    }

    /// What the segments have for these questions, counted now or not long ago.
    fn known(&self, questions: &[Question], which: Which) -> Option<Rc<Known>> {
        let file = self.index.file();
        let is_it = |known: &&Rc<Known>| {
            known.file == file && known.which == which && known.questions == questions && known.meta == self.meta
        };
        let known = KNOWN.with_borrow(|known| known.iter().find(is_it).cloned());
        known.or_else(|| {
            let in_segments = self.in_segments(questions, which)?;
            let (meta, pending) = (self.meta.clone(), Cell::new(None));
            let found = Rc::new(Known { file, meta, questions: questions.to_vec(), which, in_segments, pending });
            KNOWN.with_borrow_mut(|known| {
                known.truncate(MOST_KNOWN - 1);
                known.push_front(found.clone());
            });
            Some(found)
        })
    }

    /// Counts in the largest segments, and scales what it finds to all.
    fn in_segments(&self, questions: &[Question], which: Which) -> Option<InSegments> {
        let largest = self.largest()?;
        let searched: f64 = largest.iter().map(|counted| f64::from(counted.segment.games)).sum();
        let all: f64 = self.meta.in_state(State::Live).map(|part| f64::from(part.games)).sum();
        let scale = if searched > 0.0 { all / searched } else { 0.0 };
        let mut found = InSegments::default();
        for counted in largest {
            let mut asked = Vec::with_capacity(questions.len());
            for question in questions {
                asked.push(Lists::of(counted, question)?);
            }
            asked.sort_by(|one, other| one.count().total_cmp(&other.count()));
            let Some((rarest, others)) = asked.split_first() else { continue };
            found.exact += rarest.exact * scale;
            found.candidates += rarest.candidates * scale;
            let at_most = MOST_LOOKED_UP / largest.len();
            let count = match (others, which) {
                ([], _) => rarest.count(),
                (others, Which::All) => rarest.count_in(others, counted, at_most)?,
                (_, Which::Any) => {
                    let mut count = 0.0;
                    for (nth, lists) in asked.iter().enumerate() {
                        let share = lists.share_outside(&asked[nth + 1..], counted, at_most / asked.len())?;
                        count += lists.count() * share;
                    }
                    count
                }
            };
            found.games += count.min(f64::from(counted.segment.games)) * counted.living * scale;
        }
        Some(found)
    }

    /// Returns the largest segments. The first call opens them, because many estimates need none.
    fn largest(&self) -> Option<&[Counted]> {
        if self.largest.get().is_none() {
            let opened = self.open_largest()?;
            return Some(self.largest.get_or_init(|| opened));
        }
        self.largest.get().map(Vec::as_slice)
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

/// The lists of a question in a segment, and the numbers of their games, by what they tell.
struct Lists {
    all: Vec<List>,
    exact: f64,
    candidates: f64,
}

impl Lists {
    fn of(counted: &Counted, question: &Question) -> Option<Lists> {
        let Counted { pages, segment, .. } = counted;
        let find = |question: &Question| pages.sound(segment.lists(pages, question)).ok();
        let sum = |lists: &[List]| lists.iter().map(|list| f64::from(list.count)).sum::<f64>();
        let mut all = find(&Question { exact: question.exact.clone(), tail: None })?;
        let others = find(&Question { exact: Vec::new(), tail: question.tail })?;
        let (exact, candidates) = (sum(&all), sum(&others));
        all.extend(others);
        Some(Lists { all, exact, candidates })
    }

    /// About how many games they have: a game may be in lists of both kinds.
    fn count(&self) -> f64 {
        self.exact.max(self.candidates)
    }

    /// About how many games they have that are also in the lists of each of the others. Looks up some of them.
    fn count_in(&self, others: &[Lists], counted: &Counted, at_most: usize) -> Option<f64> {
        let Counted { pages, segment, .. } = counted;
        let mut sum = 0.0;
        for list in &self.all {
            let mut games = some_games(pages, segment, list, at_most)?;
            let looked_up = games.len() as f64;
            for other in others {
                let mut found = Vec::with_capacity(games.len());
                for list in &other.all {
                    in_list(pages, segment, list, &games, |game, _| found.push(game)).ok()?;
                }
                found.sort_unstable();
                found.dedup();
                games = found;
            }
            let is_all = looked_up >= f64::from(list.count);
            let found = if games.is_empty() && !is_all { UNSEEN } else { games.len() as f64 };
            sum += found * f64::from(list.count) / looked_up.max(1.0);
        }
        Some(sum)
    }

    /// About which share of their games is in the lists of none of the others. Looks up some of them.
    fn share_outside(&self, others: &[Lists], counted: &Counted, at_most: usize) -> Option<f64> {
        let Counted { pages, segment, .. } = counted;
        let (mut outside, mut all) = (0.0, 0.0);
        for list in &self.all {
            let mut games = some_games(pages, segment, list, at_most.max(1))?;
            let looked_up = games.len() as f64;
            for other in others {
                let mut found = Vec::new();
                for list in &other.all {
                    in_list(pages, segment, list, &games, |game, _| found.push(game)).ok()?;
                }
                found.sort_unstable();
                games.retain(|game| found.binary_search(game).is_err());
            }
            outside += f64::from(list.count) * games.len() as f64 / looked_up.max(1.0);
            all += f64::from(list.count);
        }
        Some(if all > 0.0 { outside / all } else { 0.0 })
    }
}

/// Some ascending games of a list, from all parts of the segment.
fn some_games(pages: &PartPages<'_>, segment: &Segment, list: &List, at_most: usize) -> Option<Vec<u32>> {
    let (mut games, mut reader, mut block) = (Vec::new(), list.read(), Block::default());
    let is_whole = list.count as usize <= at_most;
    for part in 1..=PARTS_OF_SEGMENT {
        let from = if is_whole { 0 } else { segment.games / PARTS_OF_SEGMENT * (part - 1) };
        let wanted = if is_whole { usize::MAX } else { at_most / PARTS_OF_SEGMENT as usize * part as usize };
        while games.len() < wanted && pages.sound(reader.next_from(pages, segment, from, &mut block)).ok()? {
            games.extend(block.games.iter().filter(|game| **game >= from));
        }
    }
    Some(games)
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
