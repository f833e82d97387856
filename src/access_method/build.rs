//! CREATE INDEX and REINDEX: writes the games of a table to one segment.
//!
//! The sort uses at most `maintenance_work_mem` and spills to a temporary file. Each page is written and logged when it
//! is full; the metapage lists them at the end. Other sessions cannot see the index before the command commits.

use std::ffi::{c_char, c_void};

use chess_core::GameRef;
use chess_index::attributes::Value;
use chess_index::build::Builder;
use chess_index::meta::{Meta, State};
use chess_index::rows::Row;
use pgrx::pg_sys::{self, Datum, Relation};
use pgrx::{PgSqlErrorCode, pg_guard};

use crate::access_method::new_segment::{NewSegment, built, maintenance_memory, shape};
use crate::access_method::pages::{Change, Index, write_init_fork};
use crate::access_method::row_pointers::row_of;
use crate::access_method::spill::TemporaryFile;
use crate::access_method::{attributes, metapage};
use crate::server::datum::Varlena;
use crate::server::error::raise;
use crate::values::game::view;

/// The phases in `pg_stat_progress_create_index`.
const READING: i64 = 2;
const WRITING: i64 = 3;

/// State of a build during the scan of the table.
struct Build {
    index: Index,
    builder: Builder<TemporaryFile>,
    segment: NewSegment,
    games: u64,
}

impl Build {
    fn add(&mut self, row: Row, game: Option<GameRef<'_>>, values: &[Value]) {
        built(self.builder.add(row, game, values, &mut self.segment));
        self.games += 1;
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
    // SAFETY: the state is that of `ambuild`; the first column is of type chessgame.
    unsafe {
        let build = &mut *state.cast::<Build>();
        let row = row_of(&*tid);
        let attributes = attributes::values_of(build.index, values, nulls);
        if *nulls {
            build.add(row, None, &attributes);
        } else {
            build.add(row, Some(view(&Varlena::new(*values))), &attributes);
        }
    }
}

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
        let segment = NewSegment::begin(index, State::Merging, pages);
        let shape = shape(index, segment.number, false);
        let builder = Builder::new(shape, maintenance_memory(), TemporaryFile::default());
        let mut build = Build { index, builder, segment, games: 0 };

        report_phase(READING);
        // These are the contents of `table_index_build_scan`, which is inline in C. The function pointer needs a guard,
        // so that an ERROR does not jump over this frame. allow_sync is false, so that rows come in table order.
        let scan = (*(*heap).rd_tableam).index_build_range_scan.expect("a table that indexes can be built of");
        let state = (&raw mut build).cast::<c_void>();
        let heap_tuples = pg_sys::ffi::pg_guard_ffi_boundary(|| {
            let (from, all, snapshot) = (0, pg_sys::InvalidBlockNumber, std::ptr::null_mut());
            scan(heap, relation, info, false, false, true, from, all, Some(add_row), state, snapshot)
        });

        report_phase(WRITING);
        let Build { builder, mut segment, games, .. } = build;
        if games > 0 {
            let built = built(builder.finish(&mut segment));
            segment.publish(&built, &[]);
        } else {
            segment.abandon();
        }

        let result = pg_sys::palloc0(size_of::<pg_sys::IndexBuildResult>()).cast::<pg_sys::IndexBuildResult>();
        (*result).heap_tuples = heap_tuples;
        (*result).index_tuples = games as f64;
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

fn report_phase(phase: i64) {
    // SAFETY: sets a number that other sessions see.
    unsafe { pg_sys::pgstat_progress_update_param(pg_sys::PROGRESS_CREATEIDX_SUBPHASE as i32, phase) };
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
