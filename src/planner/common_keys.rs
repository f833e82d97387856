//! The most common keys of a column of games, from its statistics.
//!
//! Takes a row of pg_statistic and returns the keys that [`super::statistics`] put into it. A row is
//! read once per session: decompressing a thousand keys takes longer than planning the rest of
//! a query and finding its game.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use pgrx::pg_sys::{self, HeapTuple, Oid};

/// The keys that most games have, of one kind, and their shares of the games.
#[derive(Default)]
pub struct CommonKeys {
    /// In their numeric order.
    keys: Vec<i64>,
    /// One for each key, and then the share that no other key exceeds.
    shares: Vec<f32>,
}

impl CommonKeys {
    /// The keys that a row of pg_statistic holds for an equality operator, if any.
    ///
    /// # Safety
    ///
    /// The tuple must be one of pg_statistic, and the operator one of bigint or integer.
    pub unsafe fn of(row: HeapTuple, equality: Oid) -> Rc<CommonKeys> {
        // SAFETY: the caller's promise.
        let read = || Rc::new(unsafe { CommonKeys::read(row, equality) });
        // SAFETY: as above.
        let Some((column, version)) = (unsafe { identity(row) }) else { return read() };
        READ.with_borrow_mut(|held| {
            if let Some((known, keys)) = held.get(&(column, equality))
                && *known == version
            {
                return keys.clone();
            }
            let keys = read();
            held.remove(&(column, equality));
            if held.values().map(|(_, keys)| keys.keys.len()).sum::<usize>() > MOST_KEYS_HELD {
                held.clear();
            }
            held.insert((column, equality), (version, keys.clone()));
            keys
        })
    }

    /// The share of the games that have a key, if it is common.
    pub fn share_of(&self, key: i64) -> Option<f64> {
        let at = self.keys.binary_search(&key).ok()?;
        self.shares.get(at).map(|share| f64::from(*share))
    }

    /// The share that no other key exceeds, if there are statistics.
    pub fn at_most(&self) -> Option<f64> {
        self.shares.get(self.keys.len()).filter(|_| !self.keys.is_empty()).map(|share| f64::from(*share))
    }

    unsafe fn read(row: HeapTuple, equality: Oid) -> CommonKeys {
        let mut found = CommonKeys::default();
        // SAFETY: the caller's promise; what the slot holds is copied before it is freed.
        unsafe {
            let mut slot = std::mem::zeroed::<pg_sys::AttStatsSlot>();
            let wanted = (pg_sys::ATTSTATSSLOT_VALUES | pg_sys::ATTSTATSSLOT_NUMBERS) as i32;
            let kind = pg_sys::STATISTIC_KIND_MCELEM as i32;
            if pg_sys::get_attstatsslot(&mut slot, row, kind, equality, wanted) {
                let values = std::slice::from_raw_parts(slot.values, slot.nvalues as usize);
                found.keys = values.iter().map(|value| value.value() as i64).collect();
                found.shares = std::slice::from_raw_parts(slot.numbers, slot.nnumbers as usize).to_vec();
                pg_sys::free_attstatsslot(&mut slot);
            }
        }
        found
    }
}

/// A column of a table, with or without its child tables.
type Column = (Oid, i16, bool);
/// Where a row is stored, and which transaction and command put it there.
type Version = (u32, u16, u32, u32);

/// By column and equality operator.
type Held = HashMap<(Column, Oid), (Version, Rc<CommonKeys>)>;

thread_local! {
    static READ: RefCell<Held> = RefCell::default();
}

/// 3 MB: the columns of 250 tables at the default statistics target.
const MOST_KEYS_HELD: usize = 250_000;

/// Which column a row is about, and which version of the row it is. A row that is not from the table
/// itself (those of extended statistics and of hooks) has no such place.
unsafe fn identity(row: HeapTuple) -> Option<(Column, Version)> {
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
