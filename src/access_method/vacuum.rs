//! VACUUM: marks dead rows in the masks of the segments, merges segments and counts statistics.
//!
//! Pending games are written to a segment first, so that every row that VACUUM asks about is in a segment; rows
//! inserted afterwards are alive. The merge lock keeps merges from copying a segment while its mask changes.

use std::ffi::c_void;

use chess_index::mask::mark_dead;
use chess_index::meta::{Part, State};
use chess_index::rows::Row;
use chess_index::tiers::Merger;
use pgrx::pg_guard;
use pgrx::pg_sys::{self, IndexBulkDeleteCallback, IndexBulkDeleteResult, IndexVacuumInfo};

use crate::access_method::pages::{Change, Index, IndexLock, Lock, MERGE_LOCK};
use crate::access_method::row_pointers::tid_of;
use crate::access_method::scan::each_living_row;
use crate::access_method::segments::{PartPages, unreplaced};
use crate::access_method::{flush, merge, metapage};
use crate::server::versions::vacuum_delay_point;

/// The server's callback, which says whether a row is dead.
#[derive(Clone, Copy)]
struct Callback {
    ask: IndexBulkDeleteCallback,
    state: *mut c_void,
}

impl Callback {
    /// Whether each of the rows is dead. The callback may raise an ERROR, as that of CREATE INDEX CONCURRENTLY sorts on
    /// disk, so the call needs a guard. One guard covers a batch, so the loop must not panic.
    fn are_dead(self, rows: &mut [pg_sys::ItemPointerData], dead: &mut Vec<bool>) {
        dead.clear();
        dead.resize(rows.len(), false);
        let Some(ask) = self.ask else { return };
        let (rows, dead, count, state) = (rows.as_mut_ptr(), dead.as_mut_ptr(), rows.len(), self.state);
        // SAFETY: the callback is the server's; both arrays have `count` elements.
        unsafe {
            pg_sys::ffi::pg_guard_ffi_boundary(|| {
                let mut nth = 0;
                while nth < count {
                    *dead.add(nth) = ask(rows.add(nth), state);
                    nth += 1;
                }
            });
        }
    }
}

const BATCH: usize = 1024;

/// Marks the dead games of a segment; returns the numbers of living and of newly dead games.
fn mark(index: Index, part: &Part, callback: Callback, strategy: pg_sys::BufferAccessStrategy) -> (u32, u32) {
    let pages = PartPages::maintained(index, part, strategy);
    let segment = unreplaced(index, pages.open());
    let mut newly_dead: Vec<u32> = Vec::new();
    let mut living = 0;
    let mut batch: Vec<(u32, Row)> = Vec::with_capacity(BATCH);
    let (mut tids, mut dead) = (Vec::with_capacity(BATCH), Vec::with_capacity(BATCH));
    let mut ask = |batch: &mut Vec<(u32, Row)>| {
        vacuum_delay_point(false);
        tids.clear();
        tids.extend(batch.iter().map(|(_, row)| tid_of(*row)));
        callback.are_dead(&mut tids, &mut dead);
        living += dead.iter().filter(|dead| !**dead).count() as u32;
        newly_dead.extend(batch.iter().zip(&dead).filter(|(_, dead)| **dead).map(|((game, _), _)| *game));
        batch.clear();
    };
    // No lock is held while the callback runs: pages are copies.
    let read = each_living_row(&pages, &segment, |game, row| {
        batch.push((game, row));
        if batch.len() == BATCH {
            ask(&mut batch);
        }
    });
    unreplaced(index, read);
    ask(&mut batch);
    for games in newly_dead.chunk_by(|a, b| segment.mask_page_of(*a) == segment.mask_page_of(*b)) {
        vacuum_delay_point(false);
        let block = pages.block(segment.mask_page_of(games[0]));
        let page = index.lock(block, Lock::Exclusive);
        let mut content = page.written().to_vec();
        if let Err(broken) = mark_dead(&mut content, games) {
            index.damaged(block, broken.0);
        }
        let mut change = Change::start(index);
        change.put(&page, &content, false);
        change.finish();
    }
    (living, newly_dead.len() as u32)
}

/// Called each time VACUUM's memory for dead rows is full, and by CREATE INDEX CONCURRENTLY, whose callback collects
/// rows and removes none.
#[pg_guard]
pub unsafe extern "C-unwind" fn ambulkdelete(
    info: *mut IndexVacuumInfo,
    stats: *mut IndexBulkDeleteResult,
    ask: IndexBulkDeleteCallback,
    state: *mut c_void,
) -> *mut IndexBulkDeleteResult {
    // SAFETY: called by the server with an open index of this access method.
    let (index, strategy, stats) = unsafe {
        let stats = if stats.is_null() { new_stats() } else { stats };
        (Index::new((*info).index), (*info).strategy, &mut *stats)
    };
    let lock = IndexLock::wait(index, MERGE_LOCK);
    flush::everything(index, &lock);
    let meta = metapage::read(index);
    stats.num_index_tuples = 0.0;
    let mut counted = Vec::new();
    for part in meta.in_state(State::Live) {
        let (living, removed) = mark(index, part, Callback { ask, state }, strategy);
        stats.num_index_tuples += f64::from(living);
        stats.tuples_removed += f64::from(removed);
        if part.games - living != part.dead {
            counted.push((part.number, part.games - living));
        }
    }
    if !counted.is_empty() {
        metapage::change(index, |meta| {
            for (number, dead) in counted {
                if let Some(part) = meta.part_mut(number) {
                    part.dead = dead.min(part.games);
                }
            }
            Ok(())
        });
    }
    drop(lock);
    stats
}

/// Merges segments and returns the size of the index. ANALYZE alone calls it, too.
#[pg_guard]
pub unsafe extern "C-unwind" fn amvacuumcleanup(
    info: *mut IndexVacuumInfo,
    stats: *mut IndexBulkDeleteResult,
) -> *mut IndexBulkDeleteResult {
    // SAFETY: called by the server with an open index of this access method.
    let (index, is_flushed, stats) = unsafe {
        if (*info).analyze_only {
            return stats;
        }
        let is_flushed = !stats.is_null();
        let stats = if is_flushed { stats } else { new_stats() };
        (Index::new((*info).index), is_flushed, &mut *stats)
    };
    let lock = IndexLock::wait(index, MERGE_LOCK);
    if !is_flushed {
        flush::everything(index, &lock);
    }
    merge::run(index, &lock, Merger::Vacuum);
    drop(lock);
    let meta = metapage::read(index);
    let in_segments: f64 = meta.in_state(State::Live).map(|part| f64::from(part.living())).sum();
    // The metapage does not count the games of the last pending page.
    let pending: f64 = meta.in_state(State::Closed).chain([&meta.pending]).map(|part| f64::from(part.games)).sum();
    stats.num_index_tuples = in_segments + pending;
    stats.estimated_count = meta.pending.pages > 0;
    stats.num_pages = index.blocks();
    stats.pages_free = meta.free_blocks(stats.num_pages);
    stats
}

/// A plain struct in the caller's memory, because parallel VACUUM copies it.
unsafe fn new_stats() -> *mut IndexBulkDeleteResult {
    // SAFETY: zeros are a result that counts nothing.
    unsafe { pg_sys::palloc0(size_of::<IndexBulkDeleteResult>()).cast() }
}
