//! The handler: the table of functions that PostgreSQL calls.

use pgrx::pg_sys;

use crate::access_method::{build, cost, insert, options, scan, vacuum, validate};
use crate::server::versions;

/// Number of strategies of the operator class of games ([`crate::clauses::predicate::Predicate::of_strategy`]); those of
/// attributes have fewer.
const STRATEGIES: u16 = 6;

sql_fn!(chess_handler(internal) -> index_am_handler, |_call| pg_sys::Datum::from(versions::index_am_routine(&ROUTINE)));

static ROUTINE: pg_sys::IndexAmRoutine = routine();

/// The fields that differ from zero. The first column is a game, which may be NULL, the others are its attributes.
/// A scan returns candidates, as a bitmap or one by one. It has no order, so no merge join asks to mark it.
const fn routine() -> pg_sys::IndexAmRoutine {
    // SAFETY: zeros are false, 0 and no function.
    let mut am: pg_sys::IndexAmRoutine = unsafe { std::mem::zeroed() };
    am.type_ = pg_sys::NodeTag::T_IndexAmRoutine;
    am.amstrategies = STRATEGIES;
    am.amcanmulticol = true;
    am.amoptionalkey = true;
    am.amsearcharray = true;
    am.amsearchnulls = true;
    am.amusemaintenanceworkmem = true;
    am.amparallelvacuumoptions =
        (pg_sys::VACUUM_OPTION_PARALLEL_BULKDEL | pg_sys::VACUUM_OPTION_PARALLEL_CLEANUP) as u8;
    // PostgreSQL then takes the predicate lock of a SERIALIZABLE scan on the whole index.
    am.ampredlocks = false;
    am.ambuild = Some(build::ambuild);
    am.ambuildempty = Some(build::ambuildempty);
    am.aminsert = Some(insert::aminsert);
    am.ambulkdelete = Some(vacuum::ambulkdelete);
    am.amvacuumcleanup = Some(vacuum::amvacuumcleanup);
    am.amcostestimate = Some(cost::amcostestimate);
    am.amoptions = Some(options::amoptions);
    am.ambuildphasename = Some(build::ambuildphasename);
    am.amvalidate = Some(validate::amvalidate);
    am.ambeginscan = Some(scan::ambeginscan);
    am.amrescan = Some(scan::amrescan);
    am.amgettuple = Some(scan::amgettuple);
    am.amgetbitmap = Some(scan::amgetbitmap);
    am.amendscan = Some(scan::amendscan);
    versions::describe_index_am(&mut am);
    am
}
