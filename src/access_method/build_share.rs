//! What one process of a build does: it reads rows of the table, all of them or a share, and writes their games to a
//! segment of its own, or to several if one cannot hold them.
//!
//! Takes a scan of the table; adds what it has read to a [`Tally`], which the processes of a build share. A process
//! that meets no row writes no segment.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use chess_core::GameRef;
use chess_index::attributes::Value;
use chess_index::build::Builder;
use chess_index::rows::Row;
use chess_index::segment;
use pgrx::pg_guard;
use pgrx::pg_sys::{self, Datum, Relation};

use crate::access_method::attributes;
use crate::access_method::new_segment::{NewSegment, built, memory_of_one, shape};
use crate::access_method::pages::Index;
use crate::access_method::row_pointers::row_of;
use crate::access_method::spill::TemporaryFile;
use crate::server::datum::Varlena;
use crate::values::game::view;

/// The phases in `pg_stat_progress_create_index`.
pub const READING: i64 = 2;
pub const WRITING: i64 = 3;

/// What each process of a build is given.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Plan {
    /// Number of processes that share the memory.
    pub processes: u32,
    /// Expected number of pages of its segment.
    pub pages: u32,
}

/// What the processes of a build have read.
#[repr(C)]
#[derive(Default)]
pub struct Tally {
    /// Rows that are in the index.
    pub games: AtomicU64,
    /// Living rows of the table.
    pub heap_tuples: AtomicU64,
    /// Whether old snapshots may not use the index, because rows changed that they see.
    pub has_broken_hot_chain: AtomicBool,
}

/// The state of a process during its scan of the table.
struct Share<'a> {
    index: Index,
    plan: Plan,
    tally: &'a Tally,
    /// The segment that takes the games; `None` before the first row.
    open: Option<Open>,
}

struct Open {
    builder: Builder<TemporaryFile>,
    segment: NewSegment,
    games: u32,
}

/// Most games of a segment, of which a test has not as many.
#[cfg(feature = "pg_test")]
pub static MOST_GAMES: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(segment::MOST_GAMES);

fn most_games() -> u32 {
    #[cfg(feature = "pg_test")]
    let most = MOST_GAMES.load(Relaxed);
    #[cfg(not(feature = "pg_test"))]
    let most = segment::MOST_GAMES;
    most
}

impl Share<'_> {
    fn add(&mut self, row: Row, game: Option<GameRef<'_>>, values: &[Value]) {
        if self.open.as_ref().is_some_and(|open| open.games == most_games()) {
            self.end();
        }
        let Open { builder, segment, games } = self.open.get_or_insert_with(|| {
            let segment = NewSegment::begin_beside(self.index, self.plan.pages);
            let processes = self.plan.processes;
            let shape = shape(self.index, segment.number, false, processes);
            Open { builder: Builder::new(shape, memory_of_one(processes), TemporaryFile::default()), segment, games: 0 }
        });
        built(builder.add(row, game, values, segment));
        *games += 1;
        self.tally.games.fetch_add(1, Relaxed);
        self.tally.report();
    }

    /// Writes the segment, if there is one.
    fn end(&mut self) {
        if let Some(Open { builder, mut segment, .. }) = self.open.take() {
            let built = built(builder.finish(&mut segment));
            segment.publish(&built, &[]);
        }
    }
}

impl Tally {
    /// The numbers outside of the memory that is shared.
    pub fn copy(&self) -> Tally {
        Tally {
            games: self.games.load(Relaxed).into(),
            heap_tuples: self.heap_tuples.load(Relaxed).into(),
            has_broken_hot_chain: self.has_broken_hot_chain.load(Relaxed).into(),
        }
    }

    /// Tells other sessions how many games were read. Nobody sees what a worker reports.
    pub fn report(&self) {
        report(pg_sys::PROGRESS_CREATEIDX_TUPLES_DONE, self.games.load(Relaxed) as i64);
    }
}

/// Called for each row that a snapshot may see. The memory context lasts for the whole build, so `Varlena` must free
/// each detoasted value.
#[pg_guard]
unsafe extern "C-unwind" fn add_row(
    _index: Relation,
    tid: pg_sys::ItemPointer,
    values: *mut Datum,
    nulls: *mut bool,
    _is_alive: bool,
    state: *mut c_void,
) {
    // SAFETY: the state is that of `build_share`; the first column is of type chessgame.
    unsafe {
        let share = &mut *state.cast::<Share<'_>>();
        let row = row_of(&*tid);
        let attributes = attributes::values_of(share.index, values, nulls);
        if *nulls {
            share.add(row, None, &attributes);
        } else {
            share.add(row, Some(view(&Varlena::new(*values))), &attributes);
        }
    }
}

/// Reads the rows that a scan gives to this process, or all rows if the scan is null, and writes their games.
///
/// # Safety
///
/// Both relations must be open, and the information that of a build of the index. A scan must be one of the table; it is
/// ended.
pub unsafe fn build_share(
    heap: Relation,
    index: Relation,
    info: *mut pg_sys::IndexInfo,
    scan: pg_sys::TableScanDesc,
    plan: Plan,
    tally: &Tally,
) {
    report(pg_sys::PROGRESS_CREATEIDX_SUBPHASE, READING);
    // SAFETY: the caller's promise.
    unsafe {
        let mut share = Share { index: Index::new(index), plan, tally, open: None };
        // These are the contents of `table_index_build_scan`, which is inline in C. The function pointer needs a guard,
        // so that an ERROR does not jump over this frame. Without a scan of the caller, allow_sync is false, so that
        // rows come in table order; with one it must be true, and means nothing.
        let read = (*(*heap).rd_tableam).index_build_range_scan.expect("a table that indexes can be built of");
        let state = (&raw mut share).cast::<c_void>();
        let heap_tuples = pg_sys::ffi::pg_guard_ffi_boundary(|| {
            let (allow_sync, from, all) = (!scan.is_null(), 0, pg_sys::InvalidBlockNumber);
            read(heap, index, info, allow_sync, false, true, from, all, Some(add_row), state, scan)
        });
        tally.heap_tuples.fetch_add(heap_tuples as u64, Relaxed);
        tally.has_broken_hot_chain.fetch_or((*info).ii_BrokenHotChain, Relaxed);
        report(pg_sys::PROGRESS_CREATEIDX_SUBPHASE, WRITING);
        share.end();
    }
}

fn report(what: u32, value: i64) {
    // SAFETY: sets a number that other sessions see.
    unsafe { pg_sys::pgstat_progress_update_param(what as i32, value) };
}
