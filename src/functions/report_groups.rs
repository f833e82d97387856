//! The aggregate behind the reports on an opening and on an ending: all their groups of games in one pass.
//!
//! Takes what the report needs of each game; returns an array of groups, or NULL if they would take too much memory. A state is
//! freed with the memory context of the aggregate.

use chess_core::GameResult;
use chess_core::facts::groups::{Group, Groups, Part, Sample};
use chess_core::facts::sums::Summand;
use pgrx::PgSqlErrorCode;
use pgrx::memcxt::PgMemoryContexts;
use pgrx::pg_sys::{self, Datum, Oid};

use crate::server::datum::{array_of, varlena_from};
use crate::server::encoding::utf8;
use crate::server::error::{MAX_ALLOC, invalid_binary, negative, raise};
use crate::server::fmgr::{Bytes, Call};

/// The states of all groups take this many times work_mem at most.
const WORK_MEMS: usize = 4;
/// And no more than this: an array of as many groups has at most a gigabyte.
const MOST_BYTES: usize = MAX_ALLOC / 2;

/// The bytes that all groups of a state may take.
pub fn limit() -> usize {
    // SAFETY: a setting of the server, read by its only thread.
    let work_mem = unsafe { pg_sys::work_mem } as usize * 1024;
    MOST_BYTES.min(WORK_MEMS * work_mem)
}

/// Keeps a state until the aggregate ends.
fn keep(call: &Call, groups: Groups) -> *mut Groups {
    let mut context = std::ptr::null_mut();
    // SAFETY: an aggregate has a memory context.
    unsafe {
        if pg_sys::AggCheckCallContext(call.fcinfo(), &mut context) == 0 {
            let message = "aggregate function called in non-aggregate context".into();
            raise(PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED, message, None, None);
        }
        PgMemoryContexts::For(context).leak_and_drop_on_delete(groups)
    }
}

/// The state of an argument, `None` if it is NULL.
fn state(call: &Call, n: usize) -> Option<*mut Groups> {
    (!call.is_null(n)).then(|| call.internal::<Groups>(n))
}

sql_fn!(reportgroups_add(internal, int4, int4, text, int4, int4, int8, date, date, int4, int4, int4, text, int4, text, chessgame, bool, bool, bool) -> internal, |call| {
    let groups = match state(&call, 0) {
        Some(groups) => groups,
        None => {
            let [wanted, count] = [1, 2].map(|n| if call.is_null(n) { 0 } else { call.int(n) });
            let Ok(count) = usize::try_from(count) else { negative("count") };
            keep(&call, Groups::new(wanted.max(0) as u32, count, limit()))
        }
    };
    let text = |n| (!call.is_null(n)).then(|| call.varlena(n));
    let int = |n| (!call.is_null(n)).then(|| call.datum(n).value() as i32);
    let bool = |n| !call.is_null(n) && call.bool(n);
    let [result, time_control, termination, opening] = [3, 12, 14, 15].map(text);
    let game = Sample {
        result: result.as_deref(),
        summand: Summand::new(result.as_deref().and_then(|result| GameResult::from_token(utf8(result))), int(4), int(5)),
        id: (!call.is_null(6)).then(|| call.bigint(6)),
        from: int(7),
        until: int(8),
        plies: int(9).unwrap_or(0),
        white: int(10),
        black: int(11),
        time_control: time_control.as_deref(),
        facts: int(13),
        termination: termination.as_deref(),
        opening: opening.as_deref(),
        is_found: bool(16),
        is_annotated: bool(17),
        is_old: bool(18),
    };
    // SAFETY: every value of type internal in the aggregate was made by `keep`; nothing else refers to it during the call.
    unsafe { (*groups).add(&game) };
    Datum::from(groups)
});

sql_fn!(reportgroups_combine(internal, internal) -> internal, |call| {
    let mut groups = state(&call, 0);
    if let Some(other) = state(&call, 1) {
        // SAFETY: as above; the two states are different ones.
        unsafe { (**groups.get_or_insert_with(|| keep(&call, Groups::like(&*other)))).merge(&*other) };
    }
    groups.map(Datum::from)
});

sql_fn!(reportgroups_send(internal) -> bytea, |call| state(&call, 0).map(|groups| {
    // SAFETY: as above.
    Bytes(unsafe { (*groups).to_bytes() })
}));

sql_fn!(reportgroups_receive(bytea, internal) -> internal, |call| match Groups::from_bytes(&call.varlena(0)) {
    Some(groups) => Datum::from(keep(&call, groups)),
    None => invalid_binary("reportgroups", "the state of a worker is cut off"),
});

sql_fn!(reportgroups_result(internal) -> _reportgroup, |call| result(&call));

fn result(call: &Call) -> Option<Datum> {
    // SAFETY: as above.
    let groups = state(call, 0).map(|groups| unsafe { &*groups });
    array_of_groups(call.element_type(), groups)
}

/// The groups as an array of type reportgroup, whose OID is `kind`; `None` if they were given up.
pub fn array_of_groups(kind: Oid, groups: Option<&Groups>) -> Option<Datum> {
    if groups.is_some_and(Groups::is_too_large) {
        return None;
    }
    let mut rows = Vec::new();
    // SAFETY: the type of the elements is a row type, as sql/ declares it, with the columns that `columns` makes; the
    // regression tests call the function.
    unsafe {
        let described = pg_sys::lookup_rowtype_tupdesc_copy(kind, -1);
        if let Some(groups) = groups {
            groups.each(|part, group| {
                let row = columns(part, group);
                let mut nulls = row.map(|value| value.is_none());
                let mut values = row.map(|value| value.unwrap_or(Datum::null()));
                let row = pg_sys::heap_form_tuple(described, values.as_mut_ptr(), nulls.as_mut_ptr());
                rows.push(Some(Datum::from((*row).t_data)));
            });
        }
    }
    Some(array_of(kind, &[rows.len()], rows.into_iter()))
}

/// The columns of type reportgroup.
fn columns(part: Part, group: &Group) -> [Option<Datum>; 12] {
    let label = group.label.as_deref().map(varlena_from);
    let (label, opening) = if part == Part::Opening { (None, label) } else { (label, None) };
    let sums = group.sums.iter().map(|sum| Some(Datum::from(*sum)));
    let has_games = group.sums[0] > 0;
    let (first, last) = group.days.unzip();
    [
        Some(varlena_from(part.name().as_bytes())),
        group.number.map(Datum::from),
        label,
        opening,
        has_games.then(|| array_of(pg_sys::INT8OID, &[group.sums.len()], sums)),
        first.map(Datum::from),
        last.map(Datum::from),
        group.id.map(Datum::from),
        has_games.then(|| Datum::from(group.old)),
        has_games.then(|| Datum::from(group.moves)),
        has_games.then(|| Datum::from(group.shortest)),
        has_games.then(|| Datum::from(group.longest)),
    ]
}
