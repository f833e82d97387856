//! `amvalidate(oid)`: checks that scans can serve an operator class.
//!
//! An operator with a game on the left must have a strategy of [`Predicate::of_strategy`], and on the right the type
//! that the predicate expects. An operator of an attribute must be a [`Comparison`] with a value of a comparable type. Faults
//! are reported as INFO.

use pgrx::pg_guard;
use pgrx::pg_sys::{self, Datum, Oid, SysCacheIdentifier};

use crate::access_method::attributes::{Comparison, are_comparable};
use crate::clauses::expressions::is_type;
use crate::clauses::predicate::{Operand, Predicate};

#[pg_guard]
pub unsafe extern "C-unwind" fn amvalidate(class: Oid) -> bool {
    // SAFETY: look-ups in the system catalogs; the tuples are those of the caches that are asked.
    unsafe {
        let tuple = pg_sys::SearchSysCache1(SysCacheIdentifier::CLAOID as i32, Datum::from(class));
        if tuple.is_null() {
            pgrx::error!("cache lookup failed for operator class {class}");
        }
        let family = (*pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_opclass>()).opcfamily;
        pg_sys::ReleaseSysCache(tuple);

        let mut is_valid = true;
        each_member(SysCacheIdentifier::AMOPSTRATEGY as i32, family, |member| {
            let member = &*pg_sys::GETSTRUCT(member).cast::<pg_sys::FormData_pg_amop>();
            if !is_operator_of_ours(member) {
                pgrx::info!("operator {} does not belong into operator family {family}", member.amopopr);
                is_valid = false;
            }
        });
        each_member(SysCacheIdentifier::AMPROCNUM as i32, family, |_| {
            pgrx::info!("operator family {family} has a support function, and needs none");
            is_valid = false;
        });
        is_valid
    }
}

/// Calls `found` with the members of an operator family in a catalog cache.
unsafe fn each_member(cache: i32, family: Oid, mut found: impl FnMut(*mut pg_sys::HeapTupleData)) {
    // SAFETY: the first key of both caches is the family; after an ERROR the resource owner releases the list.
    unsafe {
        let none = Datum::null();
        let list = pg_sys::SearchSysCacheList(cache, 1, Datum::from(family), none, none);
        let count = (*list).n_members as usize;
        for member in (*list).members.as_slice(count) {
            found(&raw mut (**member).tuple);
        }
        pg_sys::ReleaseCatCacheList(list);
    }
}

unsafe fn is_operator_of_ours(member: &pg_sys::FormData_pg_amop) -> bool {
    let number = u16::try_from(member.amopstrategy).unwrap_or(0);
    let (left, right) = (member.amoplefttype, member.amoprighttype);
    // SAFETY: look-ups in the system catalogs.
    unsafe {
        let is_search = member.amoppurpose as u8 == b's'
            && pg_sys::get_func_rettype(pg_sys::get_opcode(member.amopopr)) == pg_sys::BOOLOID;
        if are_comparable(left, right) {
            return is_search && Comparison::of_strategy(number).is_some();
        }
        let Some(predicate) = Predicate::of_strategy(number) else { return false };
        let fits = match predicate.operand() {
            Operand::Board => is_type(right, c"chessboard_in"),
            Operand::AllBoards | Operand::AnyBoard => is_type(pg_sys::get_element_type(right), c"chessboard_in"),
            Operand::Pattern => is_type(right, c"chesspattern_in"),
            _ => is_type(right, c"chessgame_in"),
        };
        fits && is_type(left, c"chessgame_in") && is_search
    }
}
