//! The planner's estimate of a scan.
//!
//! Each board of a condition is looked up in each segment, which reads a few pages whatever the size of the segment.
//! Added to this are the pages of long lists and of row pointers, and the replay of all pending games. The operators'
//! estimators give the number of rows; for a pattern it is that of the candidates, which have its keys. The lists of these
//! keys are read whole. Conditions on attributes are tested for the games that the others leave.
//!
//! A bitmap scan pays all of this before its first row, a plain index scan only the first segment, so a query that may stop
//! early gets a plain one. Both read the pages of the table in their order, but a bitmap scan can ask for them ahead and locks
//! each only once: a query that reads many rows to the end gets a bitmap.

use chess_core::search::pattern::Pattern;
use chess_index::meta::{Meta, State};
use pgrx::pg_sys::{self, Cost, IndexPath, Node, NodeTag, PlannerInfo, Selectivity};
use pgrx::{PgList, pg_guard};

use crate::access_method::candidates;
use crate::access_method::metapage;
use crate::access_method::pages::Index;
use crate::access_method::segments::PartPages;
use crate::clauses::columns::user_of;
use crate::clauses::look_ups::{boards_of_array, pattern_candidates};

/// Pages of a segment that every search reads: one of row pointers. Upper pages are assumed to be in memory, as for
/// other access methods.
const PAGES_PER_SEGMENT: f64 = 1.0;
/// Pages for each board: it is looked up under two keys, one leaf each.
const PAGES_PER_BOARD: f64 = 2.0;
/// Approximate number of games of a long list in one page.
const GAMES_PER_PAGE: f64 = 5000.0;
/// Cost of replaying a pending game, in units of `cpu_operator_cost`: the COST of the predicates of one board.
const COST_PER_GAME: f64 = 10.0;

/// The number of rows from which on a bitmap scan that reads all of them is faster than a plain scan.
const MANY: f64 = 250.0;

/// Pages for each list of a pattern, besides those of its games.
const PAGES_PER_LIST: f64 = 1.0;
/// Share of the games that have a key of a pattern, on average, and games of its list in one page.
const SHARE_OF_KEY: f64 = 0.1;
const GAMES_PER_PATTERN_PAGE: f64 = 12_000.0;
/// Cost of reading a game of such a list, in units of `cpu_operator_cost`.
const COST_PER_POSTING: f64 = 0.005;
/// Cost of a range of materials for each game of the index, and for each that it finds, in the same units.
const COST_PER_RANGE: f64 = 0.05;
const COST_PER_UNITED: f64 = 0.5;
/// Cost of replaying a pending game for a pattern: the COST of `haspattern`.
const COST_PER_PATTERN: f64 = 100.0;

/// Approximate number of bytes of an attribute of a game.
const BYTES_PER_ATTRIBUTE: f64 = 1.5;
/// Cost of testing an attribute of a game, in units of `cpu_operator_cost`.
const COST_PER_ATTRIBUTE: f64 = 0.1;

/// Sizes from the metapage.
struct Size {
    segments: f64,
    pending_games: f64,
    pending_pages: f64,
    /// Share of the games in segments that have no lists of patterns.
    without_patterns: f64,
}

/// What the conditions look up.
#[derive(Default)]
struct LookUps {
    /// Boards and openings.
    boards: f64,
    /// Patterns.
    patterns: f64,
    /// Lists for them.
    lists: f64,
    /// Those that are ranges of materials.
    ranges: f64,
    /// Conditions on attributes.
    attributes: f64,
    /// Whether there are conditions, and none narrows the search: patterns without keys, a game that is NULL or not.
    is_useless: bool,
}

/// The estimate of a scan.
struct Estimate {
    startup: Cost,
    total: Cost,
    selectivity: Selectivity,
    correlation: f64,
    pages: f64,
}

#[allow(clippy::too_many_arguments, reason = "the server calls it with these")]
#[pg_guard]
pub unsafe extern "C-unwind" fn amcostestimate(
    root: *mut PlannerInfo,
    path: *mut IndexPath,
    loop_count: f64,
    startup: *mut Cost,
    total: *mut Cost,
    selectivity: *mut Selectivity,
    correlation: *mut f64,
    pages: *mut f64,
) {
    // SAFETY: called by the planner for a path over an index of this access method; the results are its variables.
    unsafe {
        let estimate = estimate(root, path, loop_count);
        *startup = estimate.startup;
        *total = estimate.total;
        *selectivity = estimate.selectivity;
        *correlation = estimate.correlation;
        *pages = estimate.pages;
    }
}

unsafe fn estimate(root: *mut PlannerInfo, path: *mut IndexPath, loop_count: f64) -> Estimate {
    // SAFETY: the planner's own structures.
    unsafe {
        let info = &mut *(*path).indexinfo;
        let (conditions, look_ups) = look_ups_of(root, info, (*path).indexclauses);
        let size = size_of_index(info, look_ups.patterns > 0.0);
        let (relation, inner, none) = ((*info.rel).relid as i32, pg_sys::JoinType::JOIN_INNER, std::ptr::null_mut());
        let share_of = |quals| {
            let share = pg_sys::clauselist_selectivity(root, quals, relation, inner, none);
            share * conditions.candidates
        };
        let share = share_of(pg_sys::add_predicate_to_index_quals(info, conditions.all));
        let only_patterns = look_ups.boards == 0.0 && look_ups.patterns > 0.0;
        let share = if only_patterns { share + (1.0 - share) * size.without_patterns } else { share };
        let games = (share * (*info.rel).tuples).max(1.0);
        // The games whose attributes are tested, and the pages that have them.
        let tested = if look_ups.attributes > 0.0 { share_of(conditions.of_games) * (*info.rel).tuples } else { 0.0 };
        let attributes = f64::from(info.nkeycolumns - 1);
        let attribute_pages = (*info.rel).tuples * attributes * BYTES_PER_ATTRIBUTE / f64::from(pg_sys::BLCKSZ);
        info.amhasgettuple = games < MANY || !reads_all(root, &*path, loop_count);
        // The planner charges a bitmap scan for the recheck of every game, although the certain ones get none.
        let recheck = match recheck_cost(root, &*path, false) {
            recheck if info.amhasgettuple => recheck,
            0.0 if only_patterns => -recheck_cost(root, &*path, true),
            _ => 0.0,
        };

        let indexed = info.tuples.clamp(1.0, (*info.rel).tuples.max(1.0));
        let postings = look_ups.lists * SHARE_OF_KEY * indexed;
        let united = look_ups.ranges * (COST_PER_RANGE * indexed + COST_PER_UNITED * games);
        let first_pages = PAGES_PER_SEGMENT + PAGES_PER_BOARD * look_ups.boards + PAGES_PER_LIST * look_ups.lists;
        let read = size.segments * first_pages
            + games / GAMES_PER_PAGE
            + postings / GAMES_PER_PATTERN_PAGE
            + attribute_pages.min(tested);
        let read = read.min(f64::from(info.pages).max(1.0)) + size.pending_pages;
        // The scans of a nested loop read some pages repeatedly.
        let pages = if loop_count > 1.0 {
            pg_sys::index_pages_fetched(read * loop_count, info.pages, f64::from(info.pages), root) / loop_count
        } else {
            read
        };
        let mut page_cost = 0.0;
        pg_sys::get_tablespace_page_costs(info.reltablespace, &mut page_cost, std::ptr::null_mut());
        let operator_cost = pg_sys::cpu_operator_cost;
        let cost_per_game = COST_PER_GAME * look_ups.boards + COST_PER_PATTERN * look_ups.patterns;
        // Every row would be fetched, which a scan of the table does faster.
        let useless = if look_ups.is_useless { pg_sys::disable_cost } else { 0.0 };
        let startup = pages.min(first_pages) * page_cost + united * operator_cost + useless;
        let total = pages * page_cost
            + united * operator_cost
            + size.pending_games * cost_per_game * operator_cost
            + postings * COST_PER_POSTING * operator_cost
            + tested * look_ups.attributes * COST_PER_ATTRIBUTE * operator_cost
            // Without cpu_index_tuple_cost: a game of a list is a few bits, no tuple.
            + games * (operator_cost + recheck)
            + refuse_index_only(root, &mut *path, games)
            + useless;
        let correlation = correlation_of(&*info.rel, share);
        Estimate { startup, total: total.max(startup), selectivity: share, correlation, pages }
    }
}

/// The correlation with which the planner charges a plain scan the same for the pages of the table as a bitmap scan. For a
/// correlation of 0 it would charge random reads of as many pages, for 1 sequential reads of as few pages as can have the
/// rows, and between them it interpolates by the square.
unsafe fn correlation_of(table: &pg_sys::RelOptInfo, share: Selectivity) -> f64 {
    let (mut random, mut sequential) = (0.0, 0.0);
    // SAFETY: a look-up in the system catalogs.
    unsafe { pg_sys::get_tablespace_page_costs(table.reltablespace, &mut random, &mut sequential) };
    let (pages, rows) = (f64::from(table.pages).max(1.0), (share * table.tuples).max(1.0));
    let read = (2.0 * pages * rows / (2.0 * pages + rows)).min(pages);
    let by_bitmap = read * (random - (random - sequential) * (read / pages).sqrt());
    let at_random = read * random;
    let clustered = random + ((share * pages).ceil() - 1.0).max(0.0) * sequential;
    if at_random <= clustered {
        return 0.0;
    }
    ((at_random - by_bitmap) / (at_random - clustered)).clamp(0.0, 1.0).sqrt()
}

/// Whether a query reads all rows of a path that it has started. Then a bitmap scan is better for many rows, as it locks
/// each page of the table once, not for each row. The planner knows nothing of that; it would prefer a plain scan where
/// random pages cost little.
unsafe fn reads_all(root: *mut PlannerInfo, path: &IndexPath, loop_count: f64) -> bool {
    // SAFETY: the planner's own structures and settings.
    unsafe {
        let mut only = 0;
        let is_alone = pg_sys::bms_get_singleton_member((*root).all_baserels, &mut only);
        let is_inner = loop_count > 1.0 || !path.path.param_info.is_null();
        is_alone && !is_inner && (*root).tuple_fraction == 0.0 && pg_sys::enable_bitmapscan
    }
}

/// The cost of looking for patterns in a row that the index has found, as far as they are not filters of the scan, too: of
/// the patterns that the index is certain of, or of the others. The planner does not charge a plain index scan for this,
/// which would seem cheaper than a scan of the table for a pattern of most games.
unsafe fn recheck_cost(root: *mut PlannerInfo, path: &IndexPath, are_certain: bool) -> Cost {
    // SAFETY: the planner's own structures.
    unsafe {
        let is_rechecked = |qual: *mut pg_sys::RestrictInfo| {
            pattern_candidates((*qual).clause.cast()).is_some_and(|candidates| candidates.are_certain == are_certain)
        };
        let mut sum = 0.0;
        for clause in PgList::<pg_sys::IndexClause>::from_pg(path.indexclauses).iter_ptr() {
            let quals = PgList::<pg_sys::RestrictInfo>::from_pg((*clause).indexquals);
            if !(*clause).lossy && quals.iter_ptr().any(is_rechecked) {
                let mut cost = pg_sys::QualCost::default();
                pg_sys::cost_qual_eval_node(&mut cost, (*clause).rinfo.cast(), root);
                sum += cost.per_tuple;
            }
        }
        sum
    }
}

/// Makes a plain index scan of an index-only scan, which the planner considers where no column is needed, as in `count(*)`
/// through a partial index. Only a heap page tells whether a row is still there: the row may be removed after the scan has
/// read its pointer, and the page be all-visible then. Returns the cost of the heap pages that the planner will leave out.
unsafe fn refuse_index_only(root: *mut PlannerInfo, path: &mut IndexPath, games: f64) -> Cost {
    if path.path.pathtype != NodeTag::T_IndexOnlyScan {
        return 0.0;
    }
    path.path.pathtype = NodeTag::T_IndexScan;
    // SAFETY: the planner's own structures.
    unsafe {
        let (info, table) = (&*path.indexinfo, &*path.path.parent);
        let pages = pg_sys::index_pages_fetched(games, table.pages, f64::from(info.pages), root);
        let mut page_cost = 0.0;
        pg_sys::get_tablespace_page_costs(table.reltablespace, &mut page_cost, std::ptr::null_mut());
        pages * table.allvisfrac * page_cost
    }
}

/// The conditions that the index tests.
struct Conditions {
    /// Those on games, without patterns.
    of_games: *mut pg_sys::List,
    /// These, and those on attributes.
    all: *mut pg_sys::List,
    /// The share of the rows that are candidates of the patterns.
    candidates: Selectivity,
}

/// The conditions, and what they look up.
unsafe fn look_ups_of(
    root: *mut PlannerInfo,
    info: &pg_sys::IndexOptInfo,
    clauses: *mut pg_sys::List,
) -> (Conditions, LookUps) {
    // SAFETY: the quals of an index are clauses with an operator, or tests for NULL.
    unsafe {
        let mut look_ups = LookUps::default();
        let (mut all, mut of_games) = (PgList::<Node>::new(), PgList::<Node>::new());
        let mut share = 1.0;
        let clauses = PgList::<pg_sys::IndexClause>::from_pg(clauses);
        for index_clause in clauses.iter_ptr() {
            for qual in PgList::<pg_sys::RestrictInfo>::from_pg((*index_clause).indexquals).iter_ptr() {
                let clause: *mut Node = (*qual).clause.cast();
                if (*index_clause).indexcol > 0 {
                    look_ups.attributes += 1.0;
                    all.push(qual.cast());
                } else if let Some(candidates) = pattern_candidates(clause) {
                    look_ups.patterns += 1.0;
                    look_ups.lists += candidates.lists.unwrap_or(0) as f64;
                    look_ups.ranges += candidates.ranges as f64;
                    share *= candidates.share(root, |pattern| known_candidates(info, pattern));
                } else if (*clause).type_ != NodeTag::T_NullTest {
                    look_ups.boards += boards_of_array(clause).unwrap_or(1).max(1) as f64;
                    of_games.push(qual.cast());
                }
            }
        }
        of_games.iter_ptr().for_each(|qual| all.push(qual));
        let narrows = look_ups.boards + look_ups.lists + look_ups.attributes > 0.0;
        look_ups.is_useless = !clauses.is_empty() && !narrows;
        (Conditions { of_games: of_games.into_pg(), all: all.into_pg(), candidates: share }, look_ups)
    }
}

/// The share of the rows that are candidates of a pattern, if the estimate of the rows that match has counted them.
unsafe fn known_candidates(info: &pg_sys::IndexOptInfo, pattern: &Pattern) -> Option<f64> {
    if info.hypothetical {
        return None;
    }
    // SAFETY: the planner knows the table of an index, and holds a lock on both.
    unsafe {
        let table = &*info.rel;
        let kept = with_metapage(info, |index, meta| candidates::kept(index.file(), &meta, user_of(table), pattern))?;
        // The caller multiplies by the share of the predicate of a partial index.
        let rows = if info.indpred.is_null() { table.tuples } else { info.tuples };
        Some((kept.games / rows.max(1.0)).min(1.0))
    }
}

/// Calls a function with an index and its metapage.
unsafe fn with_metapage<T>(info: &pg_sys::IndexOptInfo, read: impl FnOnce(Index, Meta) -> T) -> T {
    // SAFETY: the planner holds a lock on the indexes of the tables of a query.
    unsafe {
        let relation = pg_sys::index_open(info.indexoid, pg_sys::NoLock as pg_sys::LOCKMODE);
        let index = Index::new(relation);
        let found = read(index, metapage::read(index));
        pg_sys::index_close(relation, pg_sys::NoLock as pg_sys::LOCKMODE);
        found
    }
}

/// Reads the metapage. A hypothetical index has none.
unsafe fn size_of_index(info: &pg_sys::IndexOptInfo, with_patterns: bool) -> Size {
    if info.hypothetical {
        return Size { segments: 1.0, pending_games: 0.0, pending_pages: 0.0, without_patterns: 0.0 };
    }
    let read = |index, meta: Meta| {
        let without_patterns = if with_patterns { share_without_patterns(index, &meta) } else { 0.0 };
        let pending = || meta.in_state(State::Closed).chain([&meta.pending]);
        Size {
            segments: meta.in_state(State::Live).count() as f64,
            pending_games: pending().map(|part| f64::from(part.games)).sum(),
            pending_pages: pending().map(|part| f64::from(part.pages)).sum(),
            without_patterns,
        }
    };
    // SAFETY: the index of a path.
    unsafe { with_metapage(info, read) }
}

/// The share of the games in segments that have no lists of patterns: the option may have been changed since they were
/// written. Segments that are being replaced count as having them.
fn share_without_patterns(index: Index, meta: &Meta) -> f64 {
    let (mut games, mut without) = (0.0, 0.0);
    for part in meta.in_state(State::Live) {
        games += f64::from(part.games);
        if PartPages::new(index, part).open().is_ok_and(|segment| segment.patterns.is_none()) {
            without += f64::from(part.games);
        }
    }
    if games > 0.0 { without / games } else { 0.0 }
}
