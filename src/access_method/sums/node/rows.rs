//! The rows of the node: asks each index, groups what they answer, and makes values of it.
//!
//! Takes a plan, its boards and the values of its tests; returns a row for each group, exact for a snapshot.

use std::collections::BTreeMap;

use pgrx::pg_sys::{self, Datum, Oid};

use crate::access_method::attributes::{self, Filter, Within};
use crate::access_method::inspect::Opened;
use crate::access_method::segments::read_sound;
use crate::access_method::sums::asked::Asked;
use crate::access_method::sums::conditions::Conditions;
use crate::access_method::sums::games::add_games;
use crate::access_method::sums::heap::Heap;
use crate::access_method::sums::node::plan::{Kind, Output, Part, Plan, RESULTS, ResultColumn, Side};
use crate::access_method::sums::stored::COLUMNS;
use crate::access_method::sums::totals::Sums;
use crate::clauses::predicate::Predicate;
use crate::server::datum::varlena_from;
use crate::server::versions;
use crate::values::board::unpack;

/// What games are grouped by: the move, and the code of the result.
type Key = (Option<String>, Option<i32>);

/// A group of games.
#[derive(Default)]
pub struct Row {
    /// The move, if games are grouped by it; `None` where they end.
    san: Option<String>,
    /// The code of the result, if games are grouped by it.
    result: Option<i32>,
    /// The numbers of games by the code of their result; `None` is NULL, or a result that nobody asks for.
    games: Vec<(Option<i32>, i64)>,
}

/// What games are looked for.
pub struct Sought<'a> {
    /// The boards of the plan, and their predicates, without those that are NULL.
    pub boards: &'a [(Predicate, Vec<u8>)],
    /// Conditions on attributes, all of which hold.
    pub filters: &'a [Filter],
}

/// The filters of a plan's tests. `values` are those of its comparisons, in their order.
///
/// # Safety
///
/// The values must have the types of the tests.
pub unsafe fn filters(plan: &Plan, values: &[Datum]) -> Vec<Filter> {
    let mut values = values.iter();
    let filter = |test: &super::plan::Test| {
        let within = match test.kind {
            Kind::IsNull => Within::Null,
            Kind::IsNotNull => Within::NotNull,
            Kind::Compares { comparison, type_oid, is_array } => {
                let value = *values.next().unwrap_or(&Datum::null());
                // SAFETY: the caller's promise.
                unsafe { attributes::within(comparison, type_oid, is_array, value) }
            }
        };
        Filter { column: test.column, within }
    };
    plan.tests.iter().map(filter).collect()
}

/// The rows. If no game can match, `sought` is `None`.
///
/// # Safety
///
/// The tables must be locked, and the snapshot registered or active.
pub unsafe fn rows(plan: &Plan, sought: Option<Sought>, snapshot: pg_sys::Snapshot) -> Vec<Row> {
    let mut groups: BTreeMap<Key, BTreeMap<Option<i32>, i64>> = BTreeMap::new();
    for part in &plan.parts {
        // SAFETY: the caller's promise.
        unsafe {
            let opened = Opened::planned(part.table, part.index);
            versions::count_scan_of(opened.relation);
            let Some(sought) = &sought else {
                // That there is no such game is read, too.
                versions::predicate_lock_relation(opened.heap, snapshot);
                continue;
            };
            each_sum(plan, part, &opened, sought, snapshot, |san, result, games| {
                let key = (san, if plan.groups_by_result() { result } else { None });
                *groups.entry(key).or_default().entry(result).or_default() += games;
            });
        }
    }
    if groups.is_empty() && !plan.groups_by_move() && !plan.groups_by_result() {
        return vec![Row::default()];
    }
    let row = |((san, result), games): (Key, BTreeMap<_, _>)| Row { san, result, games: games.into_iter().collect() };
    groups.into_iter().map(row).collect()
}

/// Calls `found` with the move, the result and the number of games of each sum that an index has.
unsafe fn each_sum(
    plan: &Plan,
    part: &Part,
    opened: &Opened,
    sought: &Sought,
    snapshot: pg_sys::Snapshot,
    mut found: impl FnMut(Option<String>, Option<i32>, i64),
) {
    /// A column that is not summed.
    const NONE: usize = usize::MAX;
    // SAFETY: the caller's promise; `opened` outlives the rest.
    unsafe {
        let needs_results = plan.needs_results();
        let has_sums = needs_results || plan.groups_by_move();
        // Stored sums are those of the first columns, and are used if these are summed.
        let columns = match plan.result.map(|result| result.column) {
            Some(result) if result == COLUMNS[2] => COLUMNS,
            Some(result) if needs_results => [NONE, NONE, result, NONE],
            _ => [NONE; 4],
        };
        let conditions = Conditions::all(sought.filters.to_vec());
        let asked = match sought.boards {
            [(_, board)] if plan.has_moves() => Asked::new(&unpack(board), columns, has_sums, conditions),
            boards => Asked::any(boards, columns, has_sums, conditions),
        };
        let mut heap = Heap::at(opened, part.game, snapshot);
        let index = opened.index().seen_by(snapshot);
        let (counted, sums) = read_sound(index, |meta| {
            let mut sums = Sums::new(asked.moves.len() + 1);
            add_games(index, meta, &asked, &mut heap, &mut sums)?;
            Ok((sums.counted, sums.each().collect::<Vec<_>>()))
        });
        if counted > 0 {
            found(None, None, counted);
        }
        for ((played, result), sum) in sums {
            let played = played.checked_sub(1).and_then(|number| asked.moves.get(usize::from(number)));
            let san = played.filter(|_| plan.groups_by_move()).map(|played| played.san.clone());
            found(san, result.filter(|_| needs_results), sum.games);
        }
    }
}

impl Row {
    /// A value of the row, in the current memory context; `None` is NULL.
    pub fn value(&self, output: &Output, result: Option<&ResultColumn>) -> Option<Datum> {
        match output {
            Output::Move => self.san.as_ref().map(|san| varlena_from(san.as_bytes())),
            Output::Result => {
                let known = result?.codes.iter().position(|code| code.is_some() && *code == self.result)?;
                Some(varlena_from(RESULTS[known].as_bytes()))
            }
            Output::Games => Some(Datum::from(self.games.iter().map(|(_, games)| *games).sum::<i64>())),
            Output::GamesWith(codes) => Some(Datum::from(codes.iter().map(|code| self.with(Some(*code))).sum::<i64>())),
            Output::Unused => None,
            Output::Mean(side) | Output::Sum(side) => {
                let [draws, white, black, _] =
                    result?.codes.map(|code| if code.is_some() { self.with(code) } else { 0 });
                let won = match side {
                    Side::White => white,
                    Side::Black => black,
                };
                let all = draws + white + black;
                (all > 0)
                    .then(|| if matches!(output, Output::Sum(_)) { sum(won, draws) } else { mean(won, draws, all) })
            }
        }
    }

    fn with(&self, code: Option<i32>) -> i64 {
        self.games.iter().filter(|(of, _)| *of == code).map(|(_, games)| *games).sum()
    }
}

/// A sum of scores, with the digits that `sum` gives it: one after the point if a score was 0.5.
fn sum(won: i64, draws: i64) -> Datum {
    const NUMERIC_IN: u32 = 1701;
    let mut sum = (won + draws / 2).to_string();
    if draws > 0 {
        sum += if draws % 2 == 1 { ".5" } else { ".0" };
    }
    sum.push('\0');
    let (none, any) = (Datum::from(0), Datum::from(-1_i32));
    // SAFETY: the function of this OID has these arguments.
    unsafe { pg_sys::OidFunctionCall3Coll(NUMERIC_IN.into(), Oid::INVALID, Datum::from(sum.as_ptr()), none, any) }
}

/// The mean of scores. The server's function divides, as in `avg`, so that it has the same digits.
fn mean(won: i64, draws: i64, all: i64) -> Datum {
    const NUMERIC_DIV: u32 = 1727;
    // SAFETY: the function of this OID has these arguments.
    unsafe {
        let all = Datum::from(pg_sys::int64_to_numeric(all));
        pg_sys::OidFunctionCall2Coll(NUMERIC_DIV.into(), Oid::INVALID, sum(won, draws), all)
    }
}
