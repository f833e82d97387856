//! Which values an expression has, as far as ANALYZE knows: for a join, whose other side is not a
//! constant, the average over them says how many games a value finds.
//!
//! Takes a column, or `getboard` or `getfirstmoves` of one with a constant number of half-moves;
//! returns the most common values of the column and its histogram, each with its weight.

use std::ffi::CStr;

use chess_core::GameRef;
use pgrx::PgList;
use pgrx::pg_sys::{self, Datum, Node, NodeTag, Oid};

use super::expressions::is_type;
use crate::server::datum::Varlena;

/// What becomes of a value of the column.
enum Derived {
    Itself,
    BoardAfter(u32),
    FirstMoves(u32),
}

impl Derived {
    fn of(&self, value: &[u8]) -> Option<Vec<u8>> {
        match self {
            Derived::Itself => Some(value.to_vec()),
            // A shorter or damaged game is left out: the query may leave it out too.
            Derived::BoardAfter(ply) => Some(GameRef::new(value).ok()?.board_at(*ply).ok()?.ok()?.to_bytes()),
            Derived::FirstMoves(plies) => Some(GameRef::new(value).ok()?.first_moves(*plies).ok()?.into_bytes()),
        }
    }
}

/// The average of `share_of` over the values of an expression, of which at most `at_most` common ones and as many
/// others are tried; `None` if nothing is known of them, or they are not for the user to know. `input_name` says what
/// type they must have, `function` for what they are looked at.
///
/// # Safety
///
/// `root` and `expression` must be the planner's.
pub unsafe fn average(
    root: *mut pg_sys::PlannerInfo,
    function: Oid,
    expression: *mut Node,
    input_name: &CStr,
    at_most: usize,
    mut share_of: impl FnMut(&[u8]) -> f64,
) -> Option<f64> {
    // SAFETY: the statistics are those of the column, whose type is checked before its values are read.
    unsafe {
        if !is_type(pg_sys::exprType(expression), input_name) {
            return None;
        }
        let (column, derived) = derivation(expression, input_name);
        let stored_as = if matches!(derived, Derived::Itself) { input_name } else { c"chessgame_in" };
        let mut variable = std::mem::zeroed::<pg_sys::VariableStatData>();
        pg_sys::examine_variable(root, column, 0, &mut variable);
        let (mut sum, mut weights) = (0.0, 0.0);
        if !variable.statsTuple.is_null() && may_be_read(&variable, function) {
            let form = pg_sys::GETSTRUCT(variable.statsTuple).cast::<pg_sys::FormData_pg_statistic>();
            let mut rest = 1.0 - f64::from((*form).stanullfrac);
            for kind in [pg_sys::STATISTIC_KIND_MCV, pg_sys::STATISTIC_KIND_HISTOGRAM] {
                let mut slot = std::mem::zeroed::<pg_sys::AttStatsSlot>();
                let is_mcv = kind == pg_sys::STATISTIC_KIND_MCV;
                let numbers = if is_mcv { pg_sys::ATTSTATSSLOT_NUMBERS } else { 0 };
                let wanted = (pg_sys::ATTSTATSSLOT_VALUES | numbers) as i32;
                if !pg_sys::get_attstatsslot(&mut slot, variable.statsTuple, kind as i32, Oid::INVALID, wanted) {
                    continue;
                }
                if is_type(slot.valuetype, stored_as) {
                    let values = std::slice::from_raw_parts(slot.values, slot.nvalues as usize);
                    let step = if is_mcv { 1 } else { values.len().div_ceil(at_most) };
                    let tried: Vec<Datum> = values.iter().copied().step_by(step).take(at_most).collect();
                    for (i, value) in tried.iter().enumerate() {
                        let weight = if is_mcv { f64::from(*slot.numbers.add(i)) } else { rest / tried.len() as f64 };
                        if let Some(value) = derived.of(&Varlena::new(*value)) {
                            sum += weight * share_of(&value);
                            weights += weight;
                        }
                    }
                    if is_mcv {
                        let common = std::slice::from_raw_parts(slot.numbers, slot.nnumbers as usize);
                        rest -= common.iter().map(|share| f64::from(*share)).sum::<f64>();
                    }
                }
                pg_sys::free_attstatsslot(&mut slot);
            }
        }
        release(&variable);
        (weights > 0.0).then(|| sum / weights)
    }
}

/// Whether values out of the statistics of a column may be shown to the function of a predicate: the user may read the
/// column, all rows of it, or the function gives nothing away. An estimate would else tell what a row-level policy or a
/// view with `security_barrier` hides. How many values are NULL is told in any case, as PostgreSQL's estimators do.
///
/// # Safety
///
/// The statistics must be those that the planner has found.
pub unsafe fn may_be_read(variable: &pg_sys::VariableStatData, function: Oid) -> bool {
    // SAFETY: the function reads the statistics, and looks up the function in the system catalogs.
    unsafe { pg_sys::statistic_proc_security_check(std::ptr::from_ref(variable).cast_mut(), function) }
}

/// Releases the statistics of a column.
///
/// # Safety
///
/// The statistics must not be used any more.
pub unsafe fn release(variable: &pg_sys::VariableStatData) {
    if !variable.statsTuple.is_null()
        && let Some(free) = variable.freefunc
    {
        // SAFETY: the function that the planner set for this tuple. Called through a pointer, it is wrapped by hand.
        unsafe { pg_sys::ffi::pg_guard_ffi_boundary(|| free(variable.statsTuple)) };
    }
}

/// The column of an expression whose type reads its text by `input_name`, and what becomes of its values.
unsafe fn derivation(expression: *mut Node, input_name: &CStr) -> (*mut Node, Derived) {
    // SAFETY: the tags say what the nodes are. A function of another origin with such a name makes for a wrong
    // estimate only.
    unsafe {
        let itself = (expression, Derived::Itself);
        if (*expression).type_ != NodeTag::T_FuncExpr {
            return itself;
        }
        let call = &*expression.cast::<pg_sys::FuncExpr>();
        let args = PgList::<Node>::from_pg(call.args);
        let (Some(game), Some(plies), 2) = (args.get_ptr(0), args.get_ptr(1), args.len()) else { return itself };
        if (*plies).type_ != NodeTag::T_Const || !is_type(pg_sys::exprType(game), c"chessgame_in") {
            return itself;
        }
        let constant = &*plies.cast::<pg_sys::Const>();
        let Ok(plies) = u32::try_from(constant.constvalue.value() as i32) else { return itself };
        let name = pg_sys::get_func_name(call.funcid);
        if constant.constisnull || constant.consttype != pg_sys::INT4OID || name.is_null() {
            return itself;
        }
        match CStr::from_ptr(name).to_bytes() {
            b"getboard" if input_name == c"chessboard_in" => (game, Derived::BoardAfter(plies)),
            b"getfirstmoves" if input_name == c"chessgame_in" => (game, Derived::FirstMoves(plies)),
            _ => itself,
        }
    }
}
