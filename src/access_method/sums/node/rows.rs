//! The rows of the node: asks each index, groups what they answer, and makes values of it.
//!
//! Takes a plan, its boards and the values of its tests; returns a row for each group, exact for a snapshot.

use std::collections::BTreeMap;

use chess_core::facts::groups::Groups;
use pgrx::pg_sys::{self, Datum, Oid};

use crate::access_method::attributes::{self, Filter, Within};
use crate::access_method::inspect::Opened;
use crate::access_method::sums::asked::{Asked, HAS_KEY, Played};
use crate::access_method::sums::conditions::Conditions;
use crate::access_method::sums::custom::Held;
use crate::access_method::sums::found::Place;
use crate::access_method::sums::games::add_games;
use crate::access_method::sums::heap::Heap;
use crate::access_method::sums::located;
use crate::access_method::sums::node::plan::{Figure, Kind, Output, Part, Plan, RESULTS, Side};
use crate::access_method::sums::reported::Reported;
use crate::access_method::sums::totals::{Sum, Sums};
use crate::access_method::sums::view::View;
use crate::clauses::predicate::Predicate;
use crate::functions::report_groups::array_of_groups;
use crate::server::datum::varlena_from;
use crate::server::versions;
use crate::values::board::unpack;

/// What games are grouped by: the move, whether they have a pattern, and the code of the result.
type Key = (Option<String>, Option<bool>, Option<i32>);

/// A group of games.
#[derive(Default)]
pub struct Row {
    /// The move, if games are grouped by it; `None` where they end.
    san: Option<String>,
    /// Whether they have the pattern, if games are grouped by that.
    has_pattern: Option<bool>,
    /// The code of the result, if games are grouped by it.
    result: Option<i32>,
    games: Games,
}

/// The games of a group.
#[derive(Default)]
struct Games {
    /// Their sums by the code of their result; `None` is NULL, or a result that nobody asks for.
    sums: BTreeMap<Option<i32>, Sum>,
    /// If there is only one, its values in the columns of the table that are asked for.
    only: Vec<Option<Datum>>,
    /// The groups of a report, if one is asked for.
    reported: Option<Box<Groups>>,
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
    let mut values = values.iter().copied();
    let mut value = || values.next().unwrap_or(Datum::null());
    let filter = |test: &super::plan::Test| {
        let within = match test.kind {
            Kind::IsNull => Within::Null,
            Kind::IsNotNull => Within::NotNull,
            Kind::Compares { comparison, type_oid, is_array } => {
                // SAFETY: the caller's promise.
                unsafe { attributes::within(comparison, type_oid, is_array, value()) }
            }
            // SAFETY: the caller's promise.
            Kind::InRange { type_oid } => unsafe { attributes::within_range(type_oid, value()) },
        };
        Filter { column: test.column, within }
    };
    plan.tests.iter().map(filter).collect()
}

/// The rows, from the tables and indexes of the plan. If no game can match, `sought` is `None`. `views` keeps what was seen of
/// the indexes.
///
/// # Safety
///
/// The tables must be locked, and the snapshot registered or active and always the same one for the same views.
pub unsafe fn rows(
    plan: &Plan,
    held: &Held,
    views: &mut Vec<Option<View>>,
    sought: Option<Sought>,
    snapshot: pg_sys::Snapshot,
) -> Vec<Row> {
    let mut groups: BTreeMap<Key, Games> = BTreeMap::new();
    views.resize_with(plan.parts.len(), || None);
    for ((part, opened), view) in plan.parts.iter().zip(held.each()).zip(views) {
        // SAFETY: the caller's promise.
        unsafe {
            versions::count_scan_of(opened.relation);
            let Some(sought) = &sought else {
                // That there is no such game is read, too.
                versions::predicate_lock_relation(opened.heap, snapshot);
                continue;
            };
            each_sum(plan, (part, opened, view), sought, snapshot, |(san, has_pattern), found| match found {
                Found::Sum(result, sum, only) => {
                    let key = (san, has_pattern, if plan.groups_by_result() { result } else { None });
                    let group = groups.entry(key).or_default();
                    group.sums.entry(result).or_insert(Sum::NONE).join(sum);
                    group.only = only;
                }
                Found::Reported(reported) => {
                    let group = groups.entry((san, has_pattern, None)).or_default();
                    match &mut group.reported {
                        Some(before) => before.merge(&reported),
                        none => *none = Some(reported),
                    }
                }
            });
        }
    }
    if groups.is_empty() && !plan.is_grouped() {
        return vec![Row::default()];
    }
    groups.into_iter().map(|((san, has_pattern, result), games)| Row { san, has_pattern, result, games }).collect()
}

/// The question of a plan, which sums these columns.
pub fn asked(plan: &Plan, sought: &Sought, columns: [usize; 4], has_sums: bool) -> Asked {
    let conditions = Conditions::new(sought.filters.to_vec());
    match sought.boards {
        [(_, board)] if plan.has_moves() => Asked::new(&unpack(board), columns, has_sums, conditions),
        patterns if plan.has_patterns() => Asked::patterns(patterns, plan.is_keyed, columns, has_sums, conditions),
        boards => Asked::any(boards, columns, has_sums, conditions),
    }
}

/// What an index has of the games of a group.
enum Found {
    /// The sum of those with a result; also values of the row, if it is of a single game.
    Sum(Option<i32>, Sum, Vec<Option<Datum>>),
    /// The groups of a report.
    Reported(Box<Groups>),
}

/// Calls `found` with the move, whether the games have the pattern of the plan, and what an index has of them.
unsafe fn each_sum(
    plan: &Plan,
    (part, opened, view): (&Part, &Opened, &mut Option<View>),
    sought: &Sought,
    snapshot: pg_sys::Snapshot,
    mut found: impl FnMut((Option<String>, Option<bool>), Found),
) {
    // SAFETY: the caller's promise; `opened` outlives the rest.
    unsafe {
        let columns = plan.columns().unwrap_or_else(|| panic!("too many columns are summed"));
        let (needs_results, has_sums) = (plan.needs_results(), plan.needs_sums());
        let asked = asked(plan, sought, columns, has_sums);
        let mut heap = Heap::at(opened, part.game, snapshot);
        let index = opened.index().seen_by(snapshot);
        let (counted, reported, sums) = View::ask(view, index, &mut heap, |view, heap| {
            let mut sums = Sums::new(asked.moves.len().max(usize::from(HAS_KEY)) + 1);
            sums.reported = plan.report().zip(plan.result).map(|(report, result)| Reported::new(report, result));
            add_games(view, &asked, heap, &mut sums)?;
            let each = if part.only.is_empty() { sums.each().collect() } else { located(view, &sums)? };
            Ok((sums.counted, sums.reported, each))
        });
        let group = |played: Played| {
            let san = played.checked_sub(1).and_then(|number| Some(asked.moves.get(usize::from(number))?.san.clone()));
            (san.filter(|_| plan.groups_by_move()), plan.is_keyed.then_some(played == HAS_KEY))
        };
        if counted > 0 {
            found((None, None), Found::Sum(None, Sum { games: counted, ..Sum::NONE }, Vec::new()));
        }
        for (played, groups) in reported.into_iter().flat_map(Reported::into_groups) {
            found(group(played), Found::Reported(Box::new(groups)));
        }
        for ((played, result), sum) in sums {
            let values = match sum.place {
                Place::Row(row) if sum.games == 1 => heap.values(row, &part.only),
                _ => Vec::new(),
            };
            found(group(played), Found::Sum(result.filter(|_| needs_results), sum, values));
        }
    }
}

impl Row {
    /// A value of the row, in the current memory context; `None` is NULL.
    pub fn value(&self, output: &Output, plan: &Plan) -> Option<Datum> {
        let result = plan.result.as_ref();
        match output {
            Output::Move => self.san.as_ref().map(|san| varlena_from(san.as_bytes())),
            Output::Result => {
                let known = result?.codes.iter().position(|code| code.is_some() && *code == self.result)?;
                Some(varlena_from(RESULTS[known].as_bytes()))
            }
            Output::Fixed(number, type_oid) => Some(attributes::datum(*type_oid, *number)),
            Output::Of(figure, codes) => {
                let side = |column: usize| plan.columns()?[..2].iter().position(|summed| *summed == column);
                number(*figure, &self.of(codes.as_deref()), side)
            }
            Output::HasPattern => self.has_pattern.map(Datum::from),
            Output::Report(_, type_oid) => array_of_groups(*type_oid, self.games.reported.as_deref()),
            Output::Only(nth) => self.games.only.get(*nth).copied().flatten(),
            Output::Unused => None,
            Output::MeanScore(side) | Output::SumScore(side) => {
                let [draws, white, black, _] =
                    result?.codes.map(|code| code.map_or(0, |code| self.of(Some(&[code])).games));
                let won = match side {
                    Side::White => white,
                    Side::Black => black,
                };
                let all = draws + white + black;
                (all > 0).then(|| {
                    if matches!(output, Output::SumScore(_)) { score(won, draws) } else { mean(score(won, draws), all) }
                })
            }
        }
    }

    /// The sums of all games, or of those with one of these results.
    fn of(&self, codes: Option<&[i32]>) -> Sum {
        let is_wanted = |code: &Option<i32>| codes.is_none_or(|codes| code.is_some_and(|code| codes.contains(&code)));
        let mut all = Sum::NONE;
        self.games.sums.iter().filter(|(code, _)| is_wanted(code)).for_each(|(_, sum)| all.join(*sum));
        all
    }
}

/// A figure of some games, as the aggregate returns it. `side` finds the place of a column among those that are summed.
fn number(figure: Figure, games: &Sum, side: impl Fn(usize) -> Option<usize>) -> Option<Datum> {
    match figure {
        Figure::Games => Some(Datum::from(games.games)),
        Figure::Positive(column) => Some(Datum::from(games.rated[side(column)?])),
        Figure::Sum(column) | Figure::Mean(column) => {
            let side = side(column)?;
            let (values, sum) = (games.rated[side], games.ratings[side]);
            (values > 0).then(|| match figure {
                Figure::Sum(_) => Datum::from(sum),
                // SAFETY: makes a number in the current memory context.
                _ => mean(unsafe { Datum::from(pg_sys::int64_to_numeric(sum)) }, values),
            })
        }
        Figure::Greatest(_, type_oid) => games.day.map(|value| attributes::datum(type_oid, value)),
    }
}

/// A sum of scores, with the digits that `sum` gives it: one after the point if a score was 0.5.
fn score(won: i64, draws: i64) -> Datum {
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

/// The mean of values, from their sum and their number. The server's function divides, as in `avg`, so that it has the same digits.
fn mean(sum: Datum, values: i64) -> Datum {
    const NUMERIC_DIV: u32 = 1727;
    // SAFETY: the function of this OID has these arguments.
    unsafe {
        let values = Datum::from(pg_sys::int64_to_numeric(values));
        pg_sys::OidFunctionCall2Coll(NUMERIC_DIV.into(), Oid::INVALID, sum, values)
    }
}
