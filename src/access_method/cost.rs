//! The planner's estimate of a scan.
//!
//! Each board of a condition is looked up in each segment, which reads a few pages whatever the size of the segment.
//! Added to this are the pages of long lists and of row pointers, and the replay of all pending games. The operators'
//! estimators give the number of rows.
//!
//! A bitmap scan pays all of this before its first row, a plain index scan only the first segment, so `LIMIT` gets a plain
//! one. Its heap pages cost more than those of a bitmap, as for other access methods, so many rows get a bitmap.

use chess_index::meta::State;
use pgrx::pg_sys::{self, Cost, IndexPath, Node, NodeTag, PlannerInfo, Selectivity};
use pgrx::{PgList, pg_guard};

use crate::access_method::metapage;
use crate::access_method::pages::Index;
use crate::planner::index_condition::boards_of_array;

/// Pages of a segment that every search reads: one of row pointers. Upper pages are assumed to be in memory, as for
/// other access methods.
const PAGES_PER_SEGMENT: f64 = 1.0;
/// Pages for each board: it is looked up under two keys, one leaf each.
const PAGES_PER_BOARD: f64 = 2.0;
/// Approximate number of games of a long list in one page.
const GAMES_PER_PAGE: f64 = 5000.0;
/// Cost of replaying a pending game, in units of `cpu_operator_cost`: the COST of the predicates of one board.
const COST_PER_GAME: f64 = 10.0;

/// Sizes from the metapage.
struct Size {
    segments: f64,
    pending_games: f64,
    pending_pages: f64,
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
        let info = &mut *(*path).indexinfo;
        let quals = pg_sys::get_quals_from_indexclauses((*path).indexclauses);
        let boards = boards_of(quals);
        let with_predicate = pg_sys::add_predicate_to_index_quals(info, quals);
        let (relation, none) = ((*info.rel).relid as i32, std::ptr::null_mut());
        let share = pg_sys::clauselist_selectivity(root, with_predicate, relation, pg_sys::JoinType::JOIN_INNER, none);
        let games = (share * (*info.rel).tuples).max(1.0);

        let size = size_of_index(info);
        let read = size.segments * (PAGES_PER_SEGMENT + PAGES_PER_BOARD * boards) + games / GAMES_PER_PAGE;
        let read = read.min(f64::from(info.pages).max(1.0)) + size.pending_pages;
        // The scans of a nested loop read some pages repeatedly.
        let read = if loop_count > 1.0 {
            pg_sys::index_pages_fetched(read * loop_count, info.pages, f64::from(info.pages), root) / loop_count
        } else {
            read
        };
        let mut page_cost = 0.0;
        pg_sys::get_tablespace_page_costs(info.reltablespace, &mut page_cost, std::ptr::null_mut());
        let operator_cost = pg_sys::cpu_operator_cost;
        *startup = read.min(PAGES_PER_SEGMENT + PAGES_PER_BOARD * boards) * page_cost;
        *total = read * page_cost
            + size.pending_games * COST_PER_GAME * operator_cost * boards
            + games * (pg_sys::cpu_index_tuple_cost + operator_cost)
            + refuse_index_only(root, &mut *path, games);
        *selectivity = share;
        *correlation = 0.0;
        *pages = read;
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

/// The number of boards and openings that are looked up.
unsafe fn boards_of(quals: *mut pg_sys::List) -> f64 {
    // SAFETY: the quals of an index are clauses with an operator.
    unsafe {
        let quals = PgList::<Node>::from_pg(quals);
        let boards = quals.iter_ptr().map(|qual| {
            let clause = match (*qual).type_ {
                NodeTag::T_RestrictInfo => (*qual.cast::<pg_sys::RestrictInfo>()).clause.cast(),
                _ => qual,
            };
            boards_of_array(clause).unwrap_or(1).max(1) as f64
        });
        boards.sum()
    }
}

/// Reads the metapage. A hypothetical index has none.
unsafe fn size_of_index(info: &pg_sys::IndexOptInfo) -> Size {
    if info.hypothetical {
        return Size { segments: 1.0, pending_games: 0.0, pending_pages: 0.0 };
    }
    // SAFETY: the planner holds a lock on the indexes of the tables of a query.
    unsafe {
        let relation = pg_sys::index_open(info.indexoid, pg_sys::NoLock as pg_sys::LOCKMODE);
        let meta = metapage::read(Index::new(relation));
        pg_sys::index_close(relation, pg_sys::NoLock as pg_sys::LOCKMODE);
        let pending = || meta.in_state(State::Closed).chain([&meta.pending]);
        Size {
            segments: meta.in_state(State::Live).count() as f64,
            pending_games: pending().map(|part| f64::from(part.games)).sum(),
            pending_pages: pending().map(|part| f64::from(part.pages)).sum(),
        }
    }
}
