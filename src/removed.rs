//! C functions of SQL that version 0.4.0 has removed: the GIN operator classes `chessgame_compact_ops` and
//! `chessgame_pattern_ops`, their operators and estimators, and the option `max_ply` of the class `chessgame_ops`.
//!
//! With a new library a database keeps the SQL of an earlier version until `ALTER EXTENSION chess UPDATE`, and PostgreSQL calls
//! the options function of an operator class whenever it opens an index. Without it nobody could even drop the index.
//! In: calls from such SQL. Out: no options, or an ERROR that says how to go on. Only an index with `max_ply` answers without
//! one: it returns all games.

use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;

use crate::server::error::raise;
use crate::server::fmgr::Call;

#[cold]
fn refuse() -> bool {
    let message = "the GIN classes chessgame_compact_ops and chessgame_pattern_ops and their operators were removed";
    // The upgrade script (sql/chess--0.3.0--0.4.0.sql) prints these statements for each index.
    let hint =
        "Drop the indexes that use them, run ALTER EXTENSION chess UPDATE, then CREATE INDEX ... USING chess (game).";
    raise(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message.into(), None, Some(hint))
}

/// Declares functions that only refuse, and lists them for the test that compares signatures with the catalog.
macro_rules! refuses {
    ($($name:ident($($argument:ident),*) -> $result:ident)*) => {
        $(sql_fn!($name($($argument),*) -> $result, |_call| refuse());)*
        #[cfg(feature = "pg_test")]
        pub const NAMES: &[&str] = &[
            $(stringify!($name),)*
            "chessgame_gin_options", "chessgame_gin_compact_options", "chessgame_gin_pattern_options",
        ];
    };
}

refuses! {
    chessgame_candidate_sel(internal, oid, internal, int4) -> float8
    chessgame_allcandidates_sel(internal, oid, internal, int4) -> float8
    chessgame_anycandidate_sel(internal, oid, internal, int4) -> float8
    chessgame_structure_sel(internal, oid, internal, int4) -> float8
    chessgame_allstructures_sel(internal, oid, internal, int4) -> float8
    chessgame_anystructure_sel(internal, oid, internal, int4) -> float8
    chessgame_patterncandidate_sel(internal, oid, internal, int4) -> float8
    chessgame_candidate_joinsel(internal, oid, internal, int2, internal) -> float8
    chessgame_allcandidates_joinsel(internal, oid, internal, int2, internal) -> float8
    chessgame_anycandidate_joinsel(internal, oid, internal, int2, internal) -> float8
    chessgame_structure_joinsel(internal, oid, internal, int2, internal) -> float8
    chessgame_allstructures_joinsel(internal, oid, internal, int2, internal) -> float8
    chessgame_anystructure_joinsel(internal, oid, internal, int2, internal) -> float8
    chessgame_patterncandidate_joinsel(internal, oid, internal, int2, internal) -> float8
    chessgame_mayhaveboard(chessgame, chessboard) -> bool
    chessgame_mayhaveallboards(chessgame, _chessboard) -> bool
    chessgame_mayhaveanyboard(chessgame, _chessboard) -> bool
    chessgame_mayhavepattern(chessgame, chesspattern) -> bool
    chessgame_gin_compact_extract_value(chessgame, internal, internal) -> internal
    chessgame_gin_compact_extract_query(chessgame, internal, int2, internal, internal, internal, internal) -> internal
    chessgame_gin_pattern_extract_value(chessgame, internal, internal) -> internal
    chessgame_gin_pattern_extract_query(chessgame, internal, int2, internal, internal, internal, internal) -> internal
    chessgame_gin_pattern_compare_partial(int8, int8, int2, internal) -> int4
    chessgame_gin_pattern_consistent(internal, int2, chessgame, int4, internal, internal, internal, internal) -> bool
    chessgame_gin_pattern_triconsistent(internal, int2, chessgame, int4, internal, internal, internal) -> char
}

/// The options of `chessgame_ops`, as the server lays them out.
#[repr(C)]
struct Options {
    header: i32,
    /// The last half-move with a position key; 0 for all.
    max_ply: i32,
}

/// Whether the index that a support function of `chessgame_ops` is called for has the option `max_ply`. Such an index lacks
/// the keys of later positions, so all of its games are candidates.
pub fn lacks_keys(call: &Call) -> bool {
    call.class_options::<Options>().is_some_and(|options| options.max_ply > 0)
}

sql_fn!(chessgame_gin_options(internal) -> void, |call| {
    let options = call.internal::<pg_sys::local_relopts>(0);
    // SAFETY: called with the options to describe; the texts are copied or static.
    unsafe {
        pg_sys::init_local_reloptions(options, size_of::<Options>());
        let (name, description) = (c"max_ply".as_ptr(), c"removed".as_ptr());
        let offset = std::mem::offset_of!(Options, max_ply) as i32;
        pg_sys::add_local_int_reloption(options, name, description, 0, 1, i32::MAX, offset);
    }
});

/// No options: those that an index has are passed over.
fn no_options(call: &Call) {
    // SAFETY: called with the options to describe. The server writes a header of four bytes in any case.
    unsafe { pg_sys::init_local_reloptions(call.internal(0), size_of::<i32>()) }
}

sql_fn!(chessgame_gin_compact_options(internal) -> void, |call| no_options(&call));
sql_fn!(chessgame_gin_pattern_options(internal) -> void, |call| no_options(&call));
