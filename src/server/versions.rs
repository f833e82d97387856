//! Differences between PostgreSQL 15 to 19, and functions that the bindings lack.
//!
//! The default version of pgrx has no feature for 19, so a condition names the versions before a change, not those after it.

use std::ffi::c_void;

use pgrx::pg_sys;

use crate::server::error::{InputError, raise};
use crate::server::fmgr::Call;

// exported by the server, but missing in the bindings (common/hashfn.h, utils/multirangetypes.h)
unsafe extern "C-unwind" {
    fn hash_bytes(key: *const u8, len: i32) -> u32;
    fn hash_bytes_extended(key: *const u8, len: i32, seed: u64) -> u64;
    pub fn multirange_deserialize(
        of_range: *mut pg_sys::TypeCacheEntry,
        value: *const c_void,
        count: *mut i32,
        ranges: *mut *mut *const pg_sys::RangeType,
    );
}

/// The server's hash of bytes.
pub fn hash(bytes: &[u8]) -> i32 {
    // SAFETY: reads `len` bytes; a value is shorter than 2^30 bytes.
    unsafe { hash_bytes(bytes.as_ptr(), bytes.len() as i32) as i32 }
}

/// The server's seeded hash of bytes.
pub fn hash_extended(bytes: &[u8], seed: i64) -> i64 {
    // SAFETY: as above.
    unsafe { hash_bytes_extended(bytes.as_ptr(), bytes.len() as i32, seed as u64) as i64 }
}

/// The statistics target of a column, or the default.
///
/// # Safety
///
/// `stats` must be what ANALYZE passed, after `std_typanalyze`.
pub unsafe fn statistics_target(stats: *const pg_sys::VacAttrStats) -> usize {
    // SAFETY: the caller's promise.
    #[cfg(any(feature = "pg15", feature = "pg16"))]
    let target = unsafe { (*(*stats).attr).attstattarget };
    // SAFETY: as above; the target has moved to the statistics in PostgreSQL 17.
    #[cfg(not(any(feature = "pg15", feature = "pg16")))]
    let target = unsafe { (*stats).attstattarget };
    usize::try_from(target).unwrap_or(0)
}

/// Allows a long ANALYZE, or else a long VACUUM, to be cancelled and throttled.
pub fn vacuum_delay_point(_is_analyze: bool) {
    // SAFETY: may raise an ERROR, like any function of the server.
    unsafe {
        #[cfg(any(feature = "pg15", feature = "pg16", feature = "pg17"))]
        pg_sys::vacuum_delay_point();
        #[cfg(not(any(feature = "pg15", feature = "pg16", feature = "pg17")))]
        pg_sys::vacuum_delay_point(_is_analyze);
    }
}

/// The number of relations of a plan, by which EXPLAIN decides whether it names the table of a column. Since PostgreSQL 18 a
/// query that groups has one more in its list, which does not count.
///
/// # Safety
///
/// The state must be that of a running EXPLAIN.
pub unsafe fn explained_relations(es: *mut pg_sys::ExplainState) -> usize {
    // SAFETY: the caller's promise.
    unsafe {
        #[cfg(any(feature = "pg15", feature = "pg16", feature = "pg17"))]
        return pgrx::PgList::<pg_sys::RangeTblEntry>::from_pg((*es).rtable).len();
        #[cfg(not(any(feature = "pg15", feature = "pg16", feature = "pg17")))]
        return (*es).rtable_size as usize;
    }
}

/// Fills in what an index access method says of itself only since some version.
pub const fn describe_index_am(_am: &mut pg_sys::IndexAmRoutine) {
    #[cfg(not(feature = "pg15"))]
    {
        _am.amsummarizing = false;
    }
    #[cfg(not(any(feature = "pg15", feature = "pg16")))]
    {
        _am.amcanbuildparallel = true;
        _am.aminsertcleanup = None;
    }
    #[cfg(not(any(feature = "pg15", feature = "pg16", feature = "pg17")))]
    {
        _am.amcanhash = false;
        _am.amconsistentequality = false;
        _am.amconsistentordering = false;
    }
}

/// The number of workers that the server's settings, the table and its size allow for the build of an index. Before
/// PostgreSQL 17 the server asks only for B-trees.
///
/// # Safety
///
/// The relations must be open, and the information that of a build of the index.
pub unsafe fn workers_of_build(
    heap: pg_sys::Relation,
    index: pg_sys::Relation,
    info: *const pg_sys::IndexInfo,
) -> usize {
    // SAFETY: the caller's promise.
    #[cfg(any(feature = "pg15", feature = "pg16"))]
    let workers = unsafe {
        let _ = info;
        pg_sys::plan_create_index_workers((*heap).rd_id, (*index).rd_id)
    };
    // SAFETY: the caller's promise.
    #[cfg(not(any(feature = "pg15", feature = "pg16")))]
    let workers = unsafe {
        let _ = (heap, index);
        (*info).ii_ParallelWorkers
    };
    usize::try_from(workers).unwrap_or(0)
}

/// Begins a share of a parallel scan of a table.
///
/// # Safety
///
/// The table must be open, and the scan initialized for it.
pub unsafe fn begin_parallel_scan(
    table: pg_sys::Relation,
    scan: pg_sys::ParallelTableScanDesc,
) -> pg_sys::TableScanDesc {
    // SAFETY: the caller's promise.
    unsafe {
        #[cfg(any(feature = "pg15", feature = "pg16", feature = "pg17", feature = "pg18"))]
        let scan = pg_sys::table_beginscan_parallel(table, scan);
        #[cfg(not(any(feature = "pg15", feature = "pg16", feature = "pg17", feature = "pg18")))]
        let scan = pg_sys::table_beginscan_parallel(table, scan, 0);
        scan
    }
}

/// What the handler of an index access method returns: before PostgreSQL 19 a copy, which the caller frees.
pub fn index_am_routine(am: &'static pg_sys::IndexAmRoutine) -> *const pg_sys::IndexAmRoutine {
    #[cfg(any(feature = "pg15", feature = "pg16", feature = "pg17", feature = "pg18"))]
    // SAFETY: makes a node of its size in the caller's memory context.
    let am = unsafe {
        let copy = pg_sys::palloc(size_of::<pg_sys::IndexAmRoutine>()).cast::<pg_sys::IndexAmRoutine>();
        copy.copy_from_nonoverlapping(am, 1);
        copy
    };
    am
}

/// Locks a buffer.
///
/// # Safety
///
/// The buffer must be pinned, and not locked by this process.
pub unsafe fn lock_buffer(buffer: pg_sys::Buffer, lock: Lock) {
    #[cfg(any(feature = "pg15", feature = "pg16", feature = "pg17", feature = "pg18"))]
    let mode = match lock {
        Lock::Share => pg_sys::BUFFER_LOCK_SHARE as i32,
        Lock::Exclusive => pg_sys::BUFFER_LOCK_EXCLUSIVE as i32,
    };
    #[cfg(not(any(feature = "pg15", feature = "pg16", feature = "pg17", feature = "pg18")))]
    let mode = match lock {
        Lock::Share => pg_sys::BufferLockMode::BUFFER_LOCK_SHARE,
        Lock::Exclusive => pg_sys::BufferLockMode::BUFFER_LOCK_EXCLUSIVE,
    };
    // SAFETY: the caller's promise.
    unsafe { pg_sys::LockBuffer(buffer, mode) }
}

/// Mode of a buffer lock.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// Shared with other readers.
    Share,
    /// Alone.
    Exclusive,
}

/// Begins to fetch rows of a table by the pointers of an index.
///
/// # Safety
///
/// The table must be open.
pub unsafe fn index_fetch_begin(table: pg_sys::Relation) -> *mut pg_sys::IndexFetchTableData {
    // SAFETY: the caller's promise.
    unsafe {
        #[cfg(any(feature = "pg15", feature = "pg16", feature = "pg17", feature = "pg18"))]
        let fetch = pg_sys::table_index_fetch_begin(table);
        #[cfg(not(any(feature = "pg15", feature = "pg16", feature = "pg17", feature = "pg18")))]
        let fetch = pg_sys::table_index_fetch_begin(table, 0);
        fetch
    }
}

/// Gives the state of a scan of a table the slot of its rows.
///
/// # Safety
///
/// The table must be open, and the state be one of this query.
pub unsafe fn init_scan_slot(query: *mut pg_sys::EState, scan: *mut pg_sys::ScanState, table: pg_sys::Relation) {
    // SAFETY: the caller's promise.
    unsafe {
        let (columns, slots) = ((*table).rd_att, pg_sys::table_slot_callbacks(table));
        #[cfg(any(feature = "pg15", feature = "pg16", feature = "pg17", feature = "pg18"))]
        pg_sys::ExecInitScanTupleSlot(query, scan, columns, slots);
        #[cfg(not(any(feature = "pg15", feature = "pg16", feature = "pg17", feature = "pg18")))]
        pg_sys::ExecInitScanTupleSlot(query, scan, columns, slots, 0);
    }
}

/// Counts a scan of an index, for `pg_stat_user_indexes` and, from PostgreSQL 18 on, EXPLAIN.
///
/// # Safety
///
/// The scan must be that of an open index.
pub unsafe fn count_index_scan(scan: pg_sys::IndexScanDesc) {
    // SAFETY: the caller's promise.
    unsafe {
        count_scan_of((*scan).indexRelation);
        #[cfg(not(any(feature = "pg15", feature = "pg16", feature = "pg17")))]
        if let Some(instrument) = (*scan).instrument.as_mut() {
            instrument.nsearches += 1;
        }
    }
}

/// Counts a scan of an index, for `pg_stat_user_indexes`.
///
/// # Safety
///
/// The index must be open.
pub unsafe fn count_scan_of(index: pg_sys::Relation) {
    // SAFETY: the caller's promise. The macro `pgstat_count_index_scan`.
    unsafe {
        if (*index).pgstat_info.is_null() && (*index).pgstat_enabled {
            pg_sys::pgstat_assoc_relation(index);
        }
        if let Some(info) = (*index).pgstat_info.as_mut() {
            #[cfg(feature = "pg15")]
            {
                info.t_counts.t_numscans += 1;
            }
            #[cfg(not(feature = "pg15"))]
            {
                info.counts.numscans += 1;
            }
        }
    }
}

/// Whether a CHECK constraint holds for all rows of its table.
pub fn is_enforced(check: &pg_sys::ConstrCheck) -> bool {
    #[cfg(not(any(feature = "pg15", feature = "pg16", feature = "pg17")))]
    if !check.ccenforced {
        return false;
    }
    check.ccvalid
}

/// Whether a column of a table has no NULL.
///
/// # Safety
///
/// The description must be that of an open table that has the column.
pub unsafe fn has_no_null(table: pg_sys::TupleDesc, column: i16) -> bool {
    let nth = column as usize - 1;
    // SAFETY: the caller's promise.
    unsafe {
        #[cfg(any(feature = "pg15", feature = "pg16", feature = "pg17"))]
        return (*(*table).attrs.as_ptr().add(nth)).attnotnull;
        #[cfg(not(any(feature = "pg15", feature = "pg16", feature = "pg17")))]
        return (*(*table).compact_attrs.as_ptr().add(nth)).attnullability as u8 == pg_sys::ATTNULLABLE_VALID;
    }
}

/// Takes the predicate lock of a whole table, or does nothing outside of a SERIALIZABLE transaction.
///
/// # Safety
///
/// The relation must be open, and the snapshot registered or active.
pub unsafe fn predicate_lock_relation(relation: pg_sys::Relation, snapshot: pg_sys::Snapshot) {
    unsafe extern "C-unwind" {
        fn PredicateLockRelation(relation: pg_sys::Relation, snapshot: pg_sys::Snapshot);
    }
    // SAFETY: the caller's promise; an ERROR must not jump over this frame.
    unsafe { pg_sys::ffi::pg_guard_ffi_boundary(|| PredicateLockRelation(relation, snapshot)) }
}

/// Raises the ERROR for a snapshot that is too old for a page. With the setting `old_snapshot_threshold` VACUUM also removes
/// rows that an old snapshot sees, so a page that has changed since may lack some of them. PostgreSQL 17 has no such setting.
///
/// # Safety
///
/// The relation must be open, the buffer pinned, and the snapshot registered, active or null.
#[cfg(any(feature = "pg15", feature = "pg16"))]
pub unsafe fn test_for_old_snapshot(snapshot: pg_sys::Snapshot, relation: pg_sys::Relation, buffer: pg_sys::Buffer) {
    // SAFETY: the caller's promise; this is TestForOldSnapshot, which is inline in C.
    unsafe {
        if pg_sys::old_snapshot_threshold < 0 || snapshot.is_null() {
            return;
        }
        let is_mvcc = (*snapshot).snapshot_type == pg_sys::SnapshotType::SNAPSHOT_MVCC;
        if is_mvcc && (*snapshot).lsn != 0 && pg_sys::BufferGetLSNAtomic(buffer) > (*snapshot).lsn {
            pg_sys::TestForOldSnapshot_impl(snapshot, relation);
        }
    }
}

/// Does nothing, because VACUUM keeps every row that a snapshot sees.
///
/// # Safety
///
/// None is needed.
#[cfg(not(any(feature = "pg15", feature = "pg16")))]
pub unsafe fn test_for_old_snapshot(_: pg_sys::Snapshot, _: pg_sys::Relation, _: pg_sys::Buffer) {}

/// Whether every snapshot of the transaction may use an index: false while some can see rows whose changes, made before
/// the index, it does not have.
///
/// # Safety
///
/// The index must be open.
pub unsafe fn is_old_enough(index: pg_sys::Relation) -> bool {
    // SAFETY: the caller's promise; an open index has a row in pg_index. The condition is the planner's.
    unsafe {
        if !(*(*index).rd_index).indcheckxmin {
            return true;
        }
        let row = &*(*(*index).rd_indextuple).t_data;
        // HeapTupleHeaderGetXmin
        let is_frozen = u32::from(row.t_infomask) & pg_sys::HEAP_XMIN_FROZEN == pg_sys::HEAP_XMIN_FROZEN;
        is_frozen || pg_sys::TransactionIdPrecedes(row.t_choice.t_heap.t_xmin, pg_sys::TransactionXmin)
    }
}

/// Writes bytes to a temporary file.
///
/// # Safety
///
/// The file must be open.
pub unsafe fn write_temporary_file(file: *mut pg_sys::BufFile, bytes: &[u8]) {
    // SAFETY: the caller's promise; the bytes are only read.
    unsafe {
        #[cfg(feature = "pg15")]
        pg_sys::BufFileWrite(file, bytes.as_ptr().cast_mut().cast(), bytes.len());
        #[cfg(not(feature = "pg15"))]
        pg_sys::BufFileWrite(file, bytes.as_ptr().cast(), bytes.len());
    }
}

/// Whether the current user owns a relation, or may act as if.
pub fn is_owner_of_relation(relation: pg_sys::Oid) -> bool {
    // SAFETY: a look-up in the system catalogs.
    unsafe {
        #[cfg(feature = "pg15")]
        let is_owner = pg_sys::pg_class_ownercheck(relation, pg_sys::GetUserId());
        #[cfg(not(feature = "pg15"))]
        let is_owner = pg_sys::object_ownercheck(pg_sys::RelationRelationId, relation, pg_sys::GetUserId());
        is_owner
    }
}

/// Sets the search path of commands that evaluate what others have written, since PostgreSQL 17.
pub fn restrict_search_path() {
    #[cfg(not(any(feature = "pg15", feature = "pg16")))]
    // SAFETY: sets a variable of the current nest level.
    unsafe {
        pg_sys::RestrictSearchPath();
    }
}

/// Whether a role may call a function.
pub fn may_execute(function: pg_sys::Oid, role: pg_sys::Oid) -> bool {
    let right = pg_sys::ACL_EXECUTE as pg_sys::AclMode;
    // SAFETY: a look-up in the system catalogs.
    let answer = unsafe {
        #[cfg(feature = "pg15")]
        let answer = pg_sys::pg_proc_aclcheck(function, role, right);
        #[cfg(not(feature = "pg15"))]
        let answer = pg_sys::object_aclcheck(pg_sys::ProcedureRelationId, function, role, right);
        answer
    };
    answer == pg_sys::AclResult::ACLCHECK_OK
}

/// Refuses text input. Since PostgreSQL 16 a caller can request a soft error; it then gets NULL.
pub fn refuse_input<T>(call: &Call, error: InputError) -> Option<T> {
    #[cfg(not(feature = "pg15"))]
    if soft::save(call, &error) {
        return None;
    }
    let _ = call;
    raise(error.code, error.message, Some(error.detail), error.hint.as_deref())
}

#[cfg(not(feature = "pg15"))]
mod soft {
    use std::ffi::CString;

    use pgrx::pg_sys;

    use crate::server::error::{InputError, for_message};
    use crate::server::fmgr::Call;

    // missing in the bindings (utils/elog.h)
    unsafe extern "C-unwind" {
        fn errcode(sqlerrcode: i32) -> i32;
        fn errmsg_internal(format: *const std::ffi::c_char, ...) -> i32;
        fn errdetail_internal(format: *const std::ffi::c_char, ...) -> i32;
        fn errhint(format: *const std::ffi::c_char, ...) -> i32;
    }

    /// Passes the error to the caller; returns false if the caller wants an ERROR.
    pub fn save(call: &Call, error: &InputError) -> bool {
        // SAFETY: context is NULL or a node; errsave_start, the reporting functions and errsave_finish are called in
        // the order of the macro errsave().
        unsafe {
            let context = (*call.fcinfo()).context;
            if context.is_null() || (*context).type_ != pg_sys::NodeTag::T_ErrorSaveContext {
                return false;
            }
            if pg_sys::errsave_start(context, std::ptr::null()) {
                let text = |s: &str| CString::new(for_message(s.replace('\0', " "))).unwrap_or_default();
                errcode(error.code as i32);
                errmsg_internal(c"%s".as_ptr(), text(&error.message).as_ptr());
                errdetail_internal(c"%s".as_ptr(), text(&error.detail).as_ptr());
                if let Some(hint) = error.hint.as_deref() {
                    errhint(c"%s".as_ptr(), text(hint).as_ptr());
                }
                pg_sys::errsave_finish(context, c"versions.rs".as_ptr(), line!() as i32, c"save".as_ptr());
            }
            true
        }
    }
}

/// The next value of a sort of datums, a copy in the current memory context.
///
/// # Safety
///
/// The sort must be performed, and its values not be NULL.
pub unsafe fn next_sorted_datum(sort: *mut pg_sys::Tuplesortstate) -> Option<pg_sys::Datum> {
    let (mut value, mut is_null, none) = (pg_sys::Datum::null(), false, std::ptr::null_mut());
    // SAFETY: the caller's promise.
    unsafe {
        #[cfg(feature = "pg15")]
        let has_value = pg_sys::tuplesort_getdatum(sort, true, &mut value, &mut is_null, none);
        #[cfg(not(feature = "pg15"))]
        let has_value = pg_sys::tuplesort_getdatum(sort, true, true, &mut value, &mut is_null, none);
        has_value.then_some(value)
    }
}

/// Whether a path key is of a descending order.
pub fn is_descending(key: &pg_sys::PathKey) -> bool {
    #[cfg(any(feature = "pg15", feature = "pg16", feature = "pg17"))]
    let is_descending = key.pk_strategy == pg_sys::BTGreaterStrategyNumber as i32;
    #[cfg(not(any(feature = "pg15", feature = "pg16", feature = "pg17")))]
    let is_descending = key.pk_cmptype == pg_sys::CompareType::COMPARE_GT;
    is_descending
}

/// Whether a member of an equivalence class is a value that an outer join may have replaced by NULL. Since PostgreSQL 16 its
/// relations tell.
pub fn may_be_nulled(_member: &pg_sys::EquivalenceMember) -> bool {
    #[cfg(feature = "pg15")]
    if !_member.em_nullable_relids.is_null() {
        return true;
    }
    false
}
