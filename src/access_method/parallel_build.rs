//! CREATE INDEX and REINDEX by several processes: the leader, which runs the command, and the server's workers.
//!
//! Takes a number of workers; returns what they and the leader have read together, or `None` if the server has started
//! none of them. The scan of the table hands out ranges of blocks to whoever asks next, so that a process that is slow
//! or was never started holds up nobody.
//!
//! Each process writes a segment of its own, from reading to the last page, so all of the work splits. One segment of all
//! games is quicker to search, but one process would have to write it, which is more than a third of the work, and to
//! merge the segments at the end takes longer than the workers have saved. A search for a rare board takes some 0.03 ms
//! for each segment more, a question of the explorer up to 0.5 ms (docs/scaling.md). [`MOST_PROCESSES`] bounds that, and
//! who wants one segment calls `chess_index_merge`.
//!
//! An ERROR in a worker becomes one in the leader, which ends the other workers; so does the end of the leader. The
//! segments that others have written by then go with the index, which nobody could use yet.

use std::ffi::{CStr, c_char, c_void};

use chess_index::tiers::FAN;
use pgrx::pg_sys::{self, Relation};

use crate::access_method::build_share::{Plan, Tally, build_share};
use crate::access_method::new_segment::maintenance_memory;
use crate::server::versions;

/// Most processes of a build, and so segments. Were they as many as a merge takes, VACUUM would merge them at once, in one
/// process.
const MOST_PROCESSES: usize = FAN - 1;
/// Bytes that each process has at least. With less it would take more than its share of `maintenance_work_mem`, because
/// rankings and sorts have least sizes.
const LEAST_MEMORY: usize = 8 << 20;
/// The library by the name that the functions of the extension have, so that the server finds it in the same way.
const LIBRARY: &CStr = c"$libdir/chess";

/// Keys of the shared memory.
const SHARED: u64 = 1;
const SCAN: u64 = 2;
const USAGE: u64 = 3;
const QUERY: u64 = 4;

/// What the leader and the workers share.
#[repr(C)]
struct Shared {
    heap: pg_sys::Oid,
    index: pg_sys::Oid,
    is_concurrent: bool,
    plan: Plan,
    tally: Tally,
}

/// What a worker has read and written, which counts as the leader's.
#[repr(C)]
#[derive(Clone, Copy)]
struct Usage {
    buffers: pg_sys::BufferUsage,
    wal: pg_sys::WalUsage,
}

/// The number of workers that a build should have.
///
/// # Safety
///
/// As for [`run`].
pub unsafe fn workers(heap: Relation, index: Relation, info: *const pg_sys::IndexInfo) -> usize {
    // SAFETY: the caller's promise.
    let planned = unsafe { versions::workers_of_build(heap, index, info) };
    planned.min(MOST_PROCESSES - 1).min((maintenance_memory() / LEAST_MEMORY).saturating_sub(1))
}

/// Builds an index that has its first page with this many workers; `pages` is the expected number of pages. Returns what
/// was read, or `None` if no worker could be started, and nothing was read.
///
/// # Safety
///
/// Both relations must be open and locked, and the information that of a build of the index.
pub unsafe fn run(
    heap: Relation,
    index: Relation,
    info: *mut pg_sys::IndexInfo,
    workers: usize,
    pages: u32,
) -> Option<Tally> {
    let processes = workers as u32 + 1;
    let plan = Plan { processes, pages: pages.div_ceil(processes) };
    // SAFETY: the caller's promise. After an ERROR the end of the transaction stops the workers and frees the memory.
    unsafe {
        pg_sys::EnterParallelMode();
        let context = pg_sys::CreateParallelContext(LIBRARY.as_ptr(), c"chess_build_worker".as_ptr(), workers as i32);
        // As for a build by one process: rows that any snapshot may see, or, beside writers, those of one snapshot.
        let is_concurrent = (*info).ii_Concurrent;
        let snapshot = match is_concurrent {
            true => pg_sys::RegisterSnapshot(pg_sys::GetTransactionSnapshot()),
            false => &raw mut pg_sys::SnapshotAnyData,
        };
        let scan_size = pg_sys::table_parallelscan_estimate(heap, snapshot);
        let query = pg_sys::debug_query_string;
        let query = if query.is_null() { &[] } else { CStr::from_ptr(query).to_bytes_with_nul() };
        for size in [size_of::<Shared>(), scan_size, size_of::<Usage>() * workers, query.len()] {
            reserve(&mut (*context).estimator, size);
        }
        pg_sys::InitializeParallelDSM(context);

        let toc = (*context).toc;
        let put = |key: u64, size: usize| {
            let chunk = pg_sys::shm_toc_allocate(toc, size);
            pg_sys::shm_toc_insert(toc, key, chunk);
            chunk
        };
        let shared = put(SHARED, size_of::<Shared>()).cast::<Shared>();
        let tally = Tally::default();
        shared.write(Shared { heap: (*heap).rd_id, index: (*index).rd_id, is_concurrent, plan, tally });
        let scan = put(SCAN, scan_size).cast::<pg_sys::ParallelTableScanDescData>();
        pg_sys::table_parallelscan_initialize(heap, scan, snapshot);
        // Row pointers that ascend are stored in fewer bits.
        (*scan).phs_syncscan = false;
        let usage = put(USAGE, size_of::<Usage>() * workers).cast::<Usage>();
        usage.write_bytes(0, workers);
        if !query.is_empty() {
            put(QUERY, query.len()).cast::<u8>().copy_from_nonoverlapping(query.as_ptr(), query.len());
        }

        pg_sys::LaunchParallelWorkers(context);
        let launched = (*context).nworkers_launched as usize;
        let tally = (launched > 0).then(|| {
            let shared = &*shared;
            build_share(heap, index, info, versions::begin_parallel_scan(heap, scan), plan, &shared.tally);
            pg_sys::WaitForParallelWorkersToFinish(context);
            shared.tally.report();
            for usage in std::slice::from_raw_parts_mut(usage, launched) {
                pg_sys::InstrAccumParallelQuery(&raw mut usage.buffers, &raw mut usage.wal);
            }
            shared.tally.copy()
        });
        if is_concurrent {
            pg_sys::UnregisterSnapshot(snapshot);
        }
        pg_sys::DestroyParallelContext(context);
        pg_sys::ExitParallelMode();
        tally
    }
}

/// Reserves shared memory for a chunk and its key, as `shm_toc_estimate_chunk` and `shm_toc_estimate_keys` do.
fn reserve(estimator: &mut pg_sys::shm_toc_estimator, size: usize) {
    let aligned = size.next_multiple_of(pg_sys::ALIGNOF_BUFFER as usize);
    // SAFETY: an addition of numbers, which raises an ERROR if the sum is too large.
    estimator.space_for_chunks = unsafe { pg_sys::add_size(estimator.space_for_chunks, aligned) };
    estimator.number_of_keys += 1;
}

/// The worker's part, which the server calls by its name, in the leader's transaction.
///
/// # Safety
///
/// The memory must be what [`run`] has prepared.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn chess_build_worker(_: *mut pg_sys::dsm_segment, toc: *mut pg_sys::shm_toc) {
    // SAFETY: the caller's promise. The leader has locked both relations in these modes, which do not conflict among the
    // processes of a parallel command.
    let run = move || unsafe {
        let get = |key: u64| -> *mut c_void { pg_sys::shm_toc_lookup(toc, key, key == QUERY) };
        let shared = &*get(SHARED).cast::<Shared>();
        let query = get(QUERY).cast::<c_char>();
        pg_sys::debug_query_string = query;
        pg_sys::pgstat_report_activity(pg_sys::BackendState::STATE_RUNNING, query);
        let (heap_lock, index_lock) = match shared.is_concurrent {
            true => (pg_sys::ShareUpdateExclusiveLock, pg_sys::RowExclusiveLock),
            false => (pg_sys::ShareLock, pg_sys::AccessExclusiveLock),
        };
        let (heap_lock, index_lock) = (heap_lock as pg_sys::LOCKMODE, index_lock as pg_sys::LOCKMODE);
        let heap = pg_sys::table_open(shared.heap, heap_lock);
        let index = pg_sys::index_open(shared.index, index_lock);
        let info = pg_sys::BuildIndexInfo(index);
        (*info).ii_Concurrent = shared.is_concurrent;
        pg_sys::InstrStartParallelQuery();
        let scan = versions::begin_parallel_scan(heap, get(SCAN).cast());
        build_share(heap, index, info, scan, shared.plan, &shared.tally);
        let usage = get(USAGE).cast::<Usage>().add(pg_sys::ParallelWorkerNumber as usize);
        pg_sys::InstrEndParallelQuery(&raw mut (*usage).buffers, &raw mut (*usage).wal);
        pg_sys::index_close(index, index_lock);
        pg_sys::table_close(heap, heap_lock);
    };
    // SAFETY: called from C; the guard keeps panics out of C frames.
    unsafe { pg_sys::panic::pgrx_extern_c_guard(run) }
}
