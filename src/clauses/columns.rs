//! The statistics that ANALYZE has stored for a column of games.
//!
//! Takes a column as the planner found it; returns the [`Column`] that estimates its predicates. A session decodes what
//! ANALYZE (`planner/statistics.rs`) has stored in pg_statistic once, because that takes longer than the rest of planning and
//! executing a short query.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use chess_estimates::column::Column;
use chess_estimates::sample::Sample;
use pgrx::pg_sys::{self, HeapTuple, Node, NodeTag, Oid, VariableStatData};

use crate::clauses::expressions::is_type;
use crate::server::datum::Varlena;

/// The kind number of our slot, drawn at random from PostgreSQL's range for private use (catalog/pg_statistic.h, 10000
/// to 30000). Version 0.2.0 stored its statistics as most common elements instead.
pub const KIND: i16 = 17_364;

/// The user whose rights count for a relation of a query: the owner of a view, or the current one.
pub fn user_of(rel: &pg_sys::RelOptInfo) -> pg_sys::Oid {
    // SAFETY: a variable of this process.
    if rel.userid == pg_sys::InvalidOid { unsafe { pg_sys::GetUserId() } } else { rel.userid }
}

/// A column or an expression with its statistics.
pub struct Variable {
    data: Rc<Data>,
    /// Whether the predicate's function may see values from the statistics.
    may_be_read: bool,
}

impl Variable {
    /// Finds the statistics of an expression for a predicate with this function. Their values are read only if the user
    /// may read all rows of the column, or if the function is leakproof: otherwise an estimate could reveal what a
    /// row-level policy or a view with `security_barrier` hides. The share of NULL is always used, as in PostgreSQL's
    /// own estimators.
    ///
    /// # Safety
    ///
    /// `root` and `expression` must be the planner's.
    pub unsafe fn of(root: *mut pg_sys::PlannerInfo, function: Oid, expression: *mut Node) -> Variable {
        // SAFETY: the caller's promise; the function fills all fields.
        unsafe {
            let mut data = std::mem::zeroed();
            pg_sys::examine_variable(root, expression, 0, &mut data);
            let may_be_read = pg_sys::statistic_proc_security_check(&mut data, function);
            Variable { data: Rc::new(Data(data)), may_be_read }
        }
    }

    /// Its row of pg_statistic, if it was analyzed and the user may know it.
    pub fn statistics(&self) -> Option<HeapTuple> {
        self.data.row().filter(|_| self.may_be_read)
    }

    /// The relation that it belongs to, if it is one.
    pub fn relation(&self) -> Option<&pg_sys::RelOptInfo> {
        // SAFETY: the planner's own structures.
        unsafe { self.data.0.rel.as_ref() }
    }

    /// The share of the rows that are not NULL; 1 if unknown.
    pub fn not_null(&self) -> f64 {
        // SAFETY: the row is one of pg_statistic.
        let null = self
            .data
            .row()
            .map(|row| unsafe { (*pg_sys::GETSTRUCT(row).cast::<pg_sys::FormData_pg_statistic>()).stanullfrac });
        1.0 - f64::from(null.unwrap_or(0.0))
    }

    /// The column as a column of games; `None` if it has another type. What ANALYZE has stored is decoded when an estimate needs
    /// it, because often an index tells enough.
    pub fn games(&self) -> Option<Column> {
        // SAFETY: the planner's own structures.
        unsafe {
            if !is_type(self.data.0.vartype, c"chessgame_in") {
                return None;
            }
            let rows = self.data.0.rel.as_ref().map_or(0.0, |rel| rel.tuples);
            let (data, may_be_read) = (self.data.clone(), self.may_be_read);
            let sample = move || data.row().filter(|_| may_be_read).and_then(|row| sample_of(row));
            Some(Column::new(sample, self.not_null(), rows))
        }
    }
}

/// What the planner knows of a variable. `drop` releases its statistics.
struct Data(VariableStatData);

impl Data {
    fn row(&self) -> Option<HeapTuple> {
        Some(self.0.statsTuple).filter(|row| !row.is_null())
    }
}

impl Drop for Data {
    fn drop(&mut self) {
        if let (Some(row), Some(free)) = (self.row(), self.0.freefunc) {
            // SAFETY: the function that the planner set for this row; called through a pointer, it is wrapped by hand.
            unsafe { pg_sys::ffi::pg_guard_ffi_boundary(|| free(row)) };
        }
    }
}

/// The column that an expression is, and its relation; `None` for another expression, or if the planner does not know the
/// relation.
///
/// # Safety
///
/// `root` and `expression` must be the planner's.
pub unsafe fn column_of(
    root: &pg_sys::PlannerInfo,
    mut expression: *mut Node,
) -> Option<(&pg_sys::Var, &pg_sys::RelOptInfo)> {
    // SAFETY: the caller's promise; the tags say what the nodes are.
    unsafe {
        while (*expression).type_ == NodeTag::T_RelabelType {
            expression = (*expression.cast::<pg_sys::RelabelType>()).arg.cast();
        }
        if (*expression).type_ != NodeTag::T_Var {
            return None;
        }
        let column = &*expression.cast::<pg_sys::Var>();
        let relation =
            usize::try_from(column.varno).ok().filter(|number| *number < root.simple_rel_array_size as usize);
        let relation = relation.and_then(|number| (*root.simple_rel_array.add(number)).as_ref());
        Some((column, relation.filter(|_| column.varlevelsup == 0)?))
    }
}

/// The sample in a row of pg_statistic, if it has one of ours.
unsafe fn sample_of(row: HeapTuple) -> Option<Rc<Sample>> {
    // SAFETY: the row is one of pg_statistic.
    let read = || unsafe { read(row).map(Rc::new) };
    // SAFETY: as above.
    let Some((column, version)) = (unsafe { identity(row) }) else { return read() };
    READ.with_borrow_mut(|held| {
        if let Some((known, sample)) = held.get(&column)
            && *known == version
        {
            return sample.clone();
        }
        let sample = read();
        held.remove(&column);
        let held_already: usize = held.values().flat_map(|(_, sample)| sample).map(|sample| sample.len()).sum();
        if held_already + sample.as_ref().map_or(0, |sample| sample.len()) > MOST_HELD {
            held.clear();
        }
        held.insert(column, (version, sample.clone()));
        sample
    })
}

unsafe fn read(row: HeapTuple) -> Option<Sample> {
    // SAFETY: the row is one of pg_statistic; what the slot holds is read before it is freed.
    unsafe {
        let mut slot = std::mem::zeroed::<pg_sys::AttStatsSlot>();
        let wanted = pg_sys::ATTSTATSSLOT_VALUES as i32;
        if !pg_sys::get_attstatsslot(&mut slot, row, i32::from(KIND), Oid::INVALID, wanted) {
            return None;
        }
        // Another extension may use the same kind number.
        let sample = if slot.valuetype == pg_sys::BYTEAOID {
            let values = std::slice::from_raw_parts(slot.values, slot.nvalues as usize);
            let parts: Vec<Varlena> = values.iter().map(|value| Varlena::new(*value)).collect();
            Sample::read(parts.iter().map(|part| &**part))
        } else {
            None
        };
        pg_sys::free_attstatsslot(&mut slot);
        sample
    }
}

/// A column of a table, alone or with its children.
type ColumnOfTable = (Oid, i16, bool);
/// Row pointer, and the transaction and command that wrote the row.
type Version = (u32, u16, u32, u32);

type Held = HashMap<ColumnOfTable, (Version, Option<Rc<Sample>>)>;

thread_local! {
    static READ: RefCell<Held> = RefCell::default();
}

/// Size of the cache in units of 16 bytes, some 40 MB: the columns of 60 tables at the default statistics target, or of
/// 30 that were asked for patterns.
const MOST_HELD: usize = 2_400_000;

/// The column that a row describes, and the version of the row; `None` for rows that are not from the table
/// pg_statistic, such as those of extended statistics and of hooks.
unsafe fn identity(row: HeapTuple) -> Option<(ColumnOfTable, Version)> {
    // SAFETY: the caller's promise.
    unsafe {
        let place = (*row).t_self;
        if (*row).t_tableOid != pg_sys::StatisticRelationId || place.ip_posid == 0 {
            return None;
        }
        let about = &*pg_sys::GETSTRUCT(row).cast::<pg_sys::FormData_pg_statistic>();
        let block = u32::from(place.ip_blkid.bi_hi) << 16 | u32::from(place.ip_blkid.bi_lo);
        let written = (*(*row).t_data).t_choice.t_heap;
        let version = (block, place.ip_posid, u32::from(written.t_xmin), written.t_field3.t_cid);
        Some(((about.starelid, about.staattnum, about.stainherit), version))
    }
}
