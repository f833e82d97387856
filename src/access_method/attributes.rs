//! Attributes: the columns of an index after the game.
//!
//! Takes datums of types of at most four bytes, and scan keys on them. Returns 32-bit numbers that sort as the type does, and
//! conditions on these numbers, which chess-index tests.

use chess_index::attributes::Value;
pub use chess_index::attributes::{Filter, Within};
use chess_index::grouping::{Grouping, Groupings};
use chess_index::summed::SUMMED;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, Datum, Oid};

use crate::access_method::pages::Index;
use crate::clauses::expressions::is_type;
use crate::server::datum::each_by_value;
use crate::server::error::raise;
use crate::server::ranges::each_range;

/// Types of attributes.
pub const TYPES: [Oid; 5] = [pg_sys::BOOLOID, pg_sys::CHAROID, pg_sys::INT2OID, pg_sys::INT4OID, pg_sys::DATEOID];

/// A comparison with the attribute on the left. The strategy number of each is its place, counted from 1
/// (`sql/access_method.sql`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Less,
    LessOrEqual,
    Equal,
    GreaterOrEqual,
    Greater,
}

impl Comparison {
    const ALL: [Comparison; 5] =
        [Comparison::Less, Comparison::LessOrEqual, Comparison::Equal, Comparison::GreaterOrEqual, Comparison::Greater];

    /// The comparison of a strategy number.
    pub fn of_strategy(number: u16) -> Option<Comparison> {
        Comparison::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }

    /// The opposite of [`Comparison::of_strategy`].
    pub fn strategy(self) -> u16 {
        self as u16 + 1
    }

    /// The numbers that it holds for, both ends included.
    fn range(self, than: i64) -> (i64, i64) {
        match self {
            Comparison::Less => (i64::MIN, than.saturating_sub(1)),
            Comparison::LessOrEqual => (i64::MIN, than),
            Comparison::Equal => (than, than),
            Comparison::GreaterOrEqual => (than, i64::MAX),
            Comparison::Greater => (than.saturating_add(1), i64::MAX),
        }
    }
}

/// Whether an attribute of one type is compared with a value of the other.
pub fn are_comparable(left: Oid, right: Oid) -> bool {
    let is_integer = |oid| oid == pg_sys::INT2OID || oid == pg_sys::INT4OID;
    TYPES.contains(&left) && (left == right || is_integer(left) && (is_integer(right) || right == pg_sys::INT8OID))
}

/// The number of a datum, in the order of its type: one of [`TYPES`], or an integer of eight bytes.
fn number(type_oid: Oid, datum: Datum) -> i64 {
    let bits = datum.value();
    match type_oid {
        pg_sys::BOOLOID => i64::from(bits as u8 != 0),
        pg_sys::CHAROID => i64::from(bits as u8),
        pg_sys::INT2OID => i64::from(bits as i16),
        pg_sys::INT8OID => bits as i64,
        _ => i64::from(bits as i32),
    }
}

/// The opposite of [`number`], for numbers that an index stores.
pub fn datum(type_oid: Oid, number: i32) -> Datum {
    match type_oid {
        pg_sys::BOOLOID => Datum::from(number != 0),
        pg_sys::CHAROID => Datum::from(number as i8),
        pg_sys::INT2OID => Datum::from(number as i16),
        _ => Datum::from(number),
    }
}

/// The number of a datum of one of these types; `None` for another type.
pub fn number_of(type_oid: Oid, datum: Datum) -> Option<i64> {
    (TYPES.contains(&type_oid) || type_oid == pg_sys::INT8OID).then(|| number(type_oid, datum))
}

/// The types of the columns of an index, as its operator classes have them.
fn types<'a>(index: Index) -> &'a [Oid] {
    // SAFETY: an open index has a type for each key column, as long as it is open.
    unsafe {
        let relation = &*index.relation();
        std::slice::from_raw_parts(relation.rd_opcintype, (*relation.rd_index).indnkeyatts as usize)
    }
}

/// Number of attributes of an index.
pub fn columns(index: Index) -> u16 {
    types(index).len() as u16 - 1
}

/// What the games of a long list are grouped by: the attributes after those of the ratings and the result. Groups are a year, a
/// hundred of what `integer` holds, and each value of the smaller types, which often stand for few things.
pub fn groupings(index: Index) -> Groupings {
    let grouping = |type_oid: Oid| match type_oid {
        pg_sys::DATEOID => Grouping::Years,
        pg_sys::INT4OID => Grouping::Hundreds,
        _ => Grouping::Each,
    };
    let attributes = (0..).zip(types(index).iter().skip(1)).skip(SUMMED - 1);
    Groupings::new(attributes.map(|(column, type_oid)| (column, grouping(*type_oid))))
}

/// Raises an ERROR unless the first column is a game and the others are attributes.
pub fn check_columns(index: Index) {
    let (game, attributes) = types(index).split_first().unwrap_or((&Oid::INVALID, &[]));
    // SAFETY: a look-up in the system catalogs.
    let has_game = unsafe { is_type(*game, c"chessgame_in") };
    if !has_game || !attributes.iter().all(|attribute| TYPES.contains(attribute)) {
        let message = format!("index \"{}\" does not begin with the only game in it", index.name());
        // SAFETY: an open relation.
        let is_of_partition = unsafe { (*(*index.relation()).rd_rel).relispartition };
        let hint = match is_of_partition {
            true => {
                "Write the game first, as in USING chess (game, white_elo). If the partitioned table has such an index, drop it."
            }
            false => "Write the game first, as in USING chess (game, white_elo).",
        };
        raise(PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED, message, None, Some(hint))
    }
}

/// The attributes of a row, from the values of all columns.
///
/// # Safety
///
/// Both arrays must have an element for each column of the index.
pub unsafe fn values_of(index: Index, values: *const Datum, nulls: *const bool) -> Vec<Value> {
    let value = |(column, type_oid): (usize, &Oid)| {
        // SAFETY: the caller's promise.
        let (datum, is_null) = unsafe { (*values.add(column), *nulls.add(column)) };
        (!is_null).then(|| number(*type_oid, datum) as i32)
    };
    types(index).iter().enumerate().skip(1).map(value).collect()
}

/// The condition of a scan key on an attribute; `None` if no row fulfils it.
///
/// # Safety
///
/// The key must be that of a scan of the index, on a column after the first.
pub unsafe fn filter_of(index: Index, key: &pg_sys::ScanKeyData) -> Option<Filter> {
    let column = key.sk_attno as usize - 2;
    let has = |flag: u32| key.sk_flags & flag as i32 != 0;
    if has(pg_sys::SK_SEARCHNULL) {
        return Some(Filter { column, within: Within::Null });
    }
    if has(pg_sys::SK_SEARCHNOTNULL) {
        return Some(Filter { column, within: Within::NotNull });
    }
    if has(pg_sys::SK_ISNULL) {
        return None;
    }
    let strategy = key.sk_strategy;
    let comparison = Comparison::of_strategy(strategy);
    let comparison = comparison.unwrap_or_else(|| panic!("unrecognized strategy number: {strategy}"));
    let type_oid = if key.sk_subtype == Oid::INVALID { types(index)[column + 1] } else { key.sk_subtype };
    // SAFETY: the argument is of this type, or an array of it.
    let within = unsafe { within(comparison, type_oid, has(pg_sys::SK_SEARCHARRAY), key.sk_argument) };
    Some(Filter { column, within })
}

/// The numbers that a comparison with a value, or with any element of an array, holds for.
///
/// # Safety
///
/// The value must be of the type, or an array of the type.
pub unsafe fn within(comparison: Comparison, type_oid: Oid, is_array: bool, value: Datum) -> Within {
    if !is_array {
        return Within::any_of([comparison.range(number(type_oid, value))]);
    }
    // SAFETY: the caller's promise.
    let numbers = unsafe { numbers_of(type_oid, value) };
    Within::any_of(numbers.into_iter().map(|number| comparison.range(number)))
}

/// The numbers in a range or multirange of one of [`TYPES`].
///
/// # Safety
///
/// The value must be of this type.
pub unsafe fn within_range(type_oid: Oid, value: Datum) -> Within {
    let mut ranges = Vec::new();
    // SAFETY: the caller's promise.
    unsafe {
        each_range(type_oid, value, |element_type, lower, upper| {
            let end = |bound: &pg_sys::RangeBound, beyond: i64, inward: i64| {
                let at = number(element_type, bound.val);
                if bound.infinite { beyond } else { at + if bound.inclusive { 0 } else { inward } }
            };
            ranges.push((end(lower, i64::MIN, 1), end(upper, i64::MAX, -1)));
        });
    }
    Within::any_of(ranges)
}

/// The numbers in an array; NULL is none.
///
/// # Safety
///
/// The datum must be an array of this type.
pub unsafe fn numbers_of(type_oid: Oid, array: Datum) -> Vec<i64> {
    let mut numbers = Vec::new();
    // SAFETY: the caller's promise.
    unsafe {
        each_by_value(type_oid, array, |element| numbers.extend(element.map(|element| number(type_oid, element))))
    };
    numbers
}
