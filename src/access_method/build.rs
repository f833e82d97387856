//! CREATE INDEX and REINDEX: writes the games of a table to a segment, or to one for each process.
//!
//! The sort uses at most `maintenance_work_mem`, shared among the processes, and spills to temporary files. Each page is
//! written and logged when it is full; the metapage lists them at the end. Other sessions cannot see the index before
//! the command commits.

use std::ffi::c_char;
use std::sync::atomic::Ordering::Relaxed;

use chess_index::meta::Meta;
use pgrx::pg_sys::{self, Relation};
use pgrx::{PgSqlErrorCode, pg_guard};

use crate::access_method::build_share::{Plan, READING, Tally, WRITING, build_share};
use crate::access_method::pages::{Change, Index, write_init_fork};
use crate::access_method::{attributes, metapage, parallel_build};
use crate::server::error::raise;

#[pg_guard]
pub unsafe extern "C-unwind" fn ambuild(
    heap: Relation,
    relation: Relation,
    info: *mut pg_sys::IndexInfo,
) -> *mut pg_sys::IndexBuildResult {
    // SAFETY: called by the server to fill a new index of this access method.
    unsafe {
        let index = Index::new(relation);
        if index.blocks() != 0 {
            let code = PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
            raise(code, format!("index \"{}\" already contains data", index.name()), None, None);
        }
        attributes::check_columns(index);
        write_first_page(index);
        // The index takes about as many pages as the games in the table.
        let pages = pg_sys::RelationGetNumberOfBlocksInFork(heap, pg_sys::ForkNumber::MAIN_FORKNUM);
        let workers = parallel_build::workers(heap, relation, info);
        let by_several = if workers > 0 { parallel_build::run(heap, relation, info, workers, pages) } else { None };
        let tally = by_several.unwrap_or_else(|| {
            let (plan, tally) = (Plan { processes: 1, pages }, Tally::default());
            build_share(heap, relation, info, std::ptr::null_mut(), plan, &tally);
            tally
        });

        let result = pg_sys::palloc0(size_of::<pg_sys::IndexBuildResult>()).cast::<pg_sys::IndexBuildResult>();
        (*info).ii_BrokenHotChain = tally.has_broken_hot_chain.load(Relaxed);
        (*result).heap_tuples = tally.heap_tuples.load(Relaxed) as f64;
        (*result).index_tuples = tally.games.load(Relaxed) as f64;
        result
    }
}

/// Writes the metapage of an index without games.
fn write_first_page(index: Index) {
    let page = index.fresh(metapage::BLOCK);
    let mut change = Change::start(index);
    change.put(&page, &metapage::encode(index, &Meta::default()), true);
    change.finish();
}

#[pg_guard]
pub unsafe extern "C-unwind" fn ambuildphasename(phase: i64) -> *mut c_char {
    let name = match phase {
        // PROGRESS_CREATEIDX_SUBPHASE_INITIALIZE
        1 => c"initializing",
        READING => c"reading games",
        WRITING => c"sorting keys and writing lists",
        _ => return std::ptr::null_mut(),
    };
    name.as_ptr().cast_mut()
}

#[pg_guard]
pub unsafe extern "C-unwind" fn ambuildempty(relation: Relation) {
    // SAFETY: called by the server for a new unlogged index of this access method.
    unsafe {
        let content = metapage::encode(Index::new(relation), &Meta::default());
        write_init_fork(relation, &content);
    }
}
