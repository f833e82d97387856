//! What a query wants to know of its groups, as columns that an index knows.
//!
//! Takes the expressions of a query above its grouping; returns the keys and aggregates that they are made of, and for each
//! its column, or `None` if an index cannot tell it.

use chess_core::facts::groups::Part;
use pgrx::PgList;
use pgrx::pg_sys::{self, Datum, IndexOptInfo, List, Node, NodeTag, Oid, PlannerInfo};

use crate::access_method::attributes::{Within, within, within_range};
use crate::access_method::sums::node::plan::{Figure, Kind, Output, Report, Side, Test};
use crate::clauses::expressions::{Constant, constant, function_of, is_deterministic, walk};
use crate::planner::aggregates::question::{
    Question, board_of_call, column_of, namespace_of, pattern_of_clause, test_of,
};
use crate::planner::aggregates::results::Results;
use crate::planner::aggregates::tables::Table;
use crate::server::datum::Varlena;

/// The expressions that a query groups by.
///
/// # Safety
///
/// The query must be one that the planner has prepared for grouping.
pub unsafe fn keys(root: *mut PlannerInfo) -> Vec<*mut Node> {
    // SAFETY: the caller's promise. The planner leaves the keys in the list that it has shortened, but a query with keys
    // that are constants still has no group where it finds no row, so this is the query's own list.
    unsafe {
        let groups = PgList::<pg_sys::SortGroupClause>::from_pg((*(*root).parse).groupClause);
        let key = |group| pg_sys::get_sortgroupclause_expr(group, (*root).processed_tlist);
        groups.iter_ptr().map(key).collect()
    }
}

/// The column of a key; `None` if the index cannot group by it.
///
/// # Safety
///
/// All must be the planner's.
pub unsafe fn output_of_key(key: *mut Node, known: &Known) -> Option<Output> {
    let Known { info, question, .. } = *known;
    // SAFETY: the caller's promise.
    unsafe {
        let board = question.position().and_then(|position| Some((position, board_of_call(key, c"nextmove", info)?)));
        if board.is_some_and(|(position, board)| pg_sys::equal(board.cast(), position.cast())) {
            return Some(Output::Move);
        }
        if question.is_keyed && pattern_of_clause(key, info).is_some() {
            let (_, pattern) = pattern_of_clause(key, info)?;
            let is_it = question.boards.last().is_some_and(|(_, last)| pg_sys::equal((*last).cast(), pattern.cast()));
            return is_it.then_some(Output::HasPattern);
        }
        if let (Constant::Value(value), pg_sys::BOOLOID) = (constant(key), pg_sys::exprType(key)) {
            return Some(Output::Fixed(i32::from(value.value() != 0), pg_sys::BOOLOID));
        }
        let is_result = |results: &&Results| {
            pg_sys::equal(key.cast(), results.text.cast()) && is_deterministic(pg_sys::exprCollation(key))
        };
        match question.results.as_ref().filter(is_result) {
            Some(results) => results.are_all((known.checks)()).then_some(Output::Result),
            None => fixed(key, known),
        }
    }
}

/// A column that is the same number in all rows by a constraint, `CHECK (shard = 1)`.
unsafe fn fixed(key: *mut Node, known: &Known) -> Option<Output> {
    // SAFETY: the planner's own expressions; the tags say what the nodes are.
    unsafe {
        if (*key).type_ != NodeTag::T_Var {
            return None;
        }
        let var = &*key.cast::<pg_sys::Var>();
        let number = known.checks().iter_ptr().find_map(|check: *mut Node| {
            if (*check).type_ != NodeTag::T_OpExpr {
                return None;
            }
            let operator = &*check.cast::<pg_sys::OpExpr>();
            let args = PgList::<Node>::from_pg(operator.args);
            let Constant::Value(value) = constant(args.get_ptr(1)?) else { return None };
            let number = match u32::from(pg_sys::get_opcode(operator.opno)) {
                pg_sys::F_INT2EQ => i32::from(value.value() as i16),
                pg_sys::F_INT4EQ | pg_sys::F_INT24EQ => value.value() as i32,
                _ => return None,
            };
            pg_sys::equal(args.get_ptr(0)?.cast(), key.cast()).then_some(number)
        })?;
        // NULL would be a group of its own, and no constraint but NOT NULL forbids it.
        (var.varattno > 0 && known.table.has_no_null(var.varattno)).then_some(Output::Fixed(number, var.vartype))
    }
}

/// An aggregate of a query.
pub struct Aggregate {
    pub node: *mut Node,
    /// Whether it is asked for only where a group has a single row, `CASE WHEN count(*) = 1 THEN min(id) END`.
    pub of_one: bool,
}

/// The maximum number of nodes above aggregates that are looked at, and so of aggregates. There is a limit because each is
/// compared with the keys, or with the aggregates before it.
const MOST_NODES: usize = 512;

/// Returns the aggregates in expressions that consist only of keys and aggregates, each once; `None` for other or longer
/// expressions.
///
/// # Safety
///
/// The expressions must be the planner's, or null.
pub unsafe fn aggregates(
    expressions: impl IntoIterator<Item = *mut Node>,
    keys: &[*mut Node],
) -> Option<Vec<Aggregate>> {
    let mut found: Vec<Aggregate> = Vec::new();
    let mut nodes = 0..MOST_NODES;
    // SAFETY: the caller's promise.
    unsafe {
        let mut add = |node: *mut Node, of_one: bool| match found
            .iter_mut()
            .find(|known| pg_sys::equal(known.node.cast(), node.cast()))
        {
            Some(known) => known.of_one &= of_one,
            None => found.push(Aggregate { node, of_one }),
        };
        walk(expressions, |node| {
            nodes.next()?;
            if keys.iter().any(|key| pg_sys::equal((*key).cast(), node.cast())) {
                return Some(false);
            }
            match (*node).type_ {
                NodeTag::T_Aggref => add(node, false),
                NodeTag::T_Var | NodeTag::T_PlaceHolderVar | NodeTag::T_GroupingFunc | NodeTag::T_WindowFunc => {
                    return None;
                }
                NodeTag::T_CaseExpr if let Some((count, of_one)) = aggregate_of_one(node) => {
                    add(count, false);
                    add(of_one, true);
                }
                _ => return Some(true),
            }
            Some(false)
        })?;
    }
    Some(found)
}

/// The two aggregates of `CASE WHEN count(*) = 1 THEN aggregate END`.
unsafe fn aggregate_of_one(node: *mut Node) -> Option<(*mut Node, *mut Node)> {
    // SAFETY: the tags say what the nodes are.
    unsafe {
        let case = &*node.cast::<pg_sys::CaseExpr>();
        let whens = PgList::<pg_sys::CaseWhen>::from_pg(case.args);
        let when = &*whens.get_ptr(0)?;
        let is_alone =
            whens.len() == 1 && case.arg.is_null() && matches!(constant(case.defresult.cast()), Constant::Null);
        if !is_alone || (*when.expr).type_ != NodeTag::T_OpExpr || (*when.result).type_ != NodeTag::T_Aggref {
            return None;
        }
        let operator = &*when.expr.cast::<pg_sys::OpExpr>();
        let args = PgList::<Node>::from_pg(operator.args);
        let (count, one) = (args.get_ptr(0)?, args.get_ptr(1)?);
        let Constant::Value(one) = constant(one) else { return None };
        let number = match u32::from(pg_sys::get_opcode(operator.opno)) {
            pg_sys::F_INT84EQ => i64::from(one.value() as i32),
            pg_sys::F_INT8EQ => one.value() as i64,
            _ => return None,
        };
        let is_count = (*count).type_ == NodeTag::T_Aggref && {
            let count = &*count.cast::<pg_sys::Aggref>();
            count.aggfnoid == Oid::from(pg_sys::F_COUNT_) && count.aggfilter.is_null()
        };
        (is_count && number == 1).then_some((count, when.result.cast()))
    }
}

/// What is known of a table.
pub struct Known<'a> {
    pub table: &'a Table<'a>,
    pub info: &'a IndexOptInfo,
    pub question: &'a Question,
    /// Its CHECK constraints, a list of conditions.
    pub checks: &'a dyn Fn() -> *mut List,
}

impl Known<'_> {
    /// The conditions that CHECK constraints make sure of, where they are not NULL.
    unsafe fn checks(&self) -> PgList<Node> {
        // SAFETY: makes lists in the planner's memory.
        unsafe { PgList::from_pg(pg_sys::make_ands_implicit(pg_sys::make_ands_explicit((self.checks)()))) }
    }

    /// Whether a column has no values but NULL and those above 0 in the rows of the question.
    unsafe fn is_positive(&self, column: usize) -> bool {
        let (tests, mut values) = (self.question.tests.iter(), self.question.values.iter());
        let mut asked = tests.map(|test| (*test, if test.kind.has_value() { values.next().copied() } else { None }));
        // SAFETY: the planner's own expressions.
        let is_it = |(test, value): (Test, Option<*mut Node>)| unsafe {
            test.column == column && value.and_then(|value| least_of(test.kind, value)) > Some(0)
        };
        // SAFETY: as above. A CHECK constraint holds for NULL, so it does where an array has NULL.
        asked.any(is_it)
            || unsafe {
                let checks = self.checks();
                let mut tests = checks.iter_ptr().filter_map(|check| test_of(check, self.info));
                tests.any(|(test, value)| !test.kind.is_of_array() && is_it((test, value)))
            }
    }
}

/// The least number that a test allows; `None` if it is not known.
unsafe fn least_of(kind: Kind, value: *mut Node) -> Option<i64> {
    // SAFETY: the planner's own expression, of the type of the test.
    unsafe {
        let Constant::Value(value) = constant(value) else { return None };
        let within = match kind {
            Kind::Compares { comparison, type_oid, is_array } => within(comparison, type_oid, is_array, value),
            Kind::InRange { type_oid } => within_range(type_oid, value),
            Kind::IsNull | Kind::IsNotNull => return None,
        };
        match within {
            Within::Ranges(ranges) => Some(ranges.first().map_or(i64::MAX, |(least, _)| i64::from(*least))),
            _ => None,
        }
    }
}

/// The rows that an aggregate is about: those with one of these codes of results, and with a value above 0 in this column.
#[derive(Default)]
struct Filter {
    codes: Option<Vec<i32>>,
    positive: Option<usize>,
}

impl Filter {
    /// `None` if the index cannot tell these rows.
    unsafe fn of(filter: *mut Node, known: &Known) -> Option<Filter> {
        let mut found = Filter::default();
        // SAFETY: the planner's own expression.
        let parts = unsafe { PgList::<Node>::from_pg(pg_sys::make_ands_implicit(filter.cast())) };
        for part in parts.iter_ptr() {
            // SAFETY: as above.
            unsafe {
                if let Some(codes) = known.question.results.as_ref().and_then(|results| results.codes_of(part)) {
                    match &mut found.codes {
                        Some(before) => before.retain(|code| codes.contains(code)),
                        none => *none = Some(codes),
                    }
                    continue;
                }
                let (test, value) = test_of(part, known.info)?;
                let Kind::Compares { comparison, type_oid, is_array: false } = test.kind else { return None };
                let Constant::Value(value) = constant(value?) else { return None };
                let is_positive = within(comparison, type_oid, false, value) == Within::Ranges(vec![(1, i32::MAX)]);
                let is_only = found.positive.is_none_or(|column| column == test.column);
                found.positive = (is_positive && is_only).then_some(Some(test.column))?;
            }
        }
        Some(found)
    }
}

/// The column of an aggregate; `None` if the index does not know it. `of_one` as in [`Aggregate`]; `only` gets the column of
/// the table that is asked for.
///
/// # Safety
///
/// All must be the planner's.
pub unsafe fn output_of(aggregate: *mut Node, of_one: bool, known: &Known, only: &mut Vec<i16>) -> Option<Output> {
    // SAFETY: the tags say what the nodes are.
    unsafe {
        let aggregate = &*aggregate.cast::<pg_sys::Aggref>();
        let is_simple = aggregate.agglevelsup == 0
            && aggregate.aggsplit == pg_sys::AggSplit::AGGSPLIT_SIMPLE
            && aggregate.aggdistinct.is_null()
            && aggregate.aggorder.is_null();
        if !is_simple {
            return None;
        }
        let entry = PgList::<pg_sys::TargetEntry>::from_pg(aggregate.args);
        let argument: Option<*mut Node> = entry.get_ptr(0).map(|entry| (*entry).expr.cast());
        let column = argument.and_then(|argument| column_of(argument, known.info));
        let filter = Filter::of(aggregate.aggfilter.cast(), known)?;
        let summed = |figure: fn(usize) -> Figure| {
            let column = column?;
            let is_summed = filter.positive.map_or_else(|| known.is_positive(column), |positive| positive == column);
            is_summed.then(|| figure(column))
        };
        let function = u32::from(aggregate.aggfnoid);
        let is_count = match function {
            pg_sys::F_COUNT_ => true,
            pg_sys::F_COUNT_ANY => argument.is_some_and(|argument| matches!(constant(argument), Constant::Value(_))),
            _ => false,
        };
        let figure = match function {
            _ if is_count => Some(filter.positive.map_or(Figure::Games, Figure::Positive)),
            pg_sys::F_COUNT_ANY => summed(Figure::Positive),
            pg_sys::F_SUM_INT2 | pg_sys::F_SUM_INT4 => summed(Figure::Sum),
            pg_sys::F_AVG_INT2 | pg_sys::F_AVG_INT4 => summed(Figure::Mean),
            pg_sys::F_MAX_INT2 | pg_sys::F_MAX_INT4 | pg_sys::F_MAX_DATE if filter.positive.is_none() => {
                column.map(|column| Figure::Greatest(column, aggregate.aggtype))
            }
            _ => None,
        };
        if let Some(figure) = figure {
            return Some(Output::Of(figure, filter.codes));
        }
        let argument = argument.filter(|_| aggregate.aggfilter.is_null())?;
        if of_one {
            only.push(column_of_one(aggregate, argument)?);
            return Some(Output::Only(only.len() - 1));
        }
        if let Some(report) = report_of(aggregate, known) {
            return Some(Output::Report(report, pg_sys::get_element_type(aggregate.aggtype)));
        }
        let score = match function {
            pg_sys::F_AVG_NUMERIC => Output::MeanScore,
            pg_sys::F_SUM_NUMERIC => Output::SumScore,
            _ => return None,
        };
        let results = known.question.results.as_ref()?;
        let side = side_of_score(argument, *known.info.opcintype, results)?;
        let has_codes = results.column().codes[..3].iter().all(Option::is_some);
        (has_codes && results.are_all((known.checks)())).then(|| score(side))
    }
}

/// The groups of `reportGroups`, if they are by ratings and dates alone: all other arguments must be constants without a value.
unsafe fn report_of(aggregate: &pg_sys::Aggref, known: &Known) -> Option<Report> {
    const DATE_PLUS: u32 = 1141;
    /// The groupings by what attributes tell.
    const GROUPINGS: [Part; 4] = [Part::All, Part::Dates, Part::Rating, Part::Months];
    // SAFETY: the tags say what the nodes are; look-ups in the system catalogs.
    unsafe {
        let entries = PgList::<pg_sys::TargetEntry>::from_pg(aggregate.args);
        let args: Vec<*mut Node> = entries.iter_ptr().map(|entry| (*entry).expr.cast()).collect();
        let types: Vec<Oid> = PgList::<pg_sys::Oid>::from_pg(aggregate.aggargtypes).iter_oid().collect();
        let game_type = *known.info.opcintype;
        let name = c"reportgroups";
        if args.len() != 18 || function_of(namespace_of(game_type), name, &types) != Some(aggregate.aggfnoid) {
            return None;
        }
        let number = |nth: usize| match constant(args[nth]) {
            Constant::Value(value) => Some(value.value() as i32),
            _ => None,
        };
        let is_null = |nth: usize| matches!(constant(args[nth]), Constant::Null);
        let results = known.question.results.as_ref()?;
        let is_found = matches!(constant(args[15]), Constant::Value(value) if value.value() != 0);
        let wanted = number(0)? as u32;
        let is_told = is_found
            && number(1)? >= 0
            && wanted & !GROUPINGS.iter().fold(0, |bits, part| bits | 1 << *part as u32) == 0
            && pg_sys::equal(args[2].cast(), results.text.cast())
            && results.are_all((known.checks)())
            && [5].into_iter().chain(8..15).chain(16..18).all(is_null);
        if !is_told || (*args[7]).type_ != NodeTag::T_OpExpr {
            return None;
        }
        let until = &*args[7].cast::<pg_sys::OpExpr>();
        let sides = PgList::<Node>::from_pg(until.args);
        let Constant::Value(until_last) = constant(sides.get_ptr(1)?) else { return None };
        let column = |node: *mut Node| column_of(node, known.info);
        Some(Report {
            wanted,
            white: column(args[3])?,
            black: column(args[4])?,
            first: column(args[6])?,
            last: column(sides.get_ptr(0)?).filter(|_| until.opfuncid == Oid::from(DATE_PLUS))?,
            until_last: until_last.value() as i32,
        })
    }
}

/// The column of the table whose value an aggregate like `min` returns for a single row.
unsafe fn column_of_one(aggregate: &pg_sys::Aggref, argument: *mut Node) -> Option<i16> {
    /// The column of pg_aggregate with the operator to sort by; the bindings lack it.
    const SORT_OPERATOR: i16 = 16;
    // SAFETY: the tag says what the node is; look-ups in the system catalogs.
    unsafe {
        let (cache, null) = (pg_sys::SysCacheIdentifier::AGGFNOID as i32, Datum::null());
        let function = Datum::from(aggregate.aggfnoid);
        // Aggregates with an operator to sort by return the first or the last of the values.
        let sorts = pg_sys::GetSysCacheOid(cache, SORT_OPERATOR, function, null, null, null);
        let is_first = sorts != Oid::INVALID && u32::from(aggregate.aggfnoid) < pg_sys::FirstNormalObjectId;
        if !is_first || (*argument).type_ != NodeTag::T_Var {
            return None;
        }
        let var = &*argument.cast::<pg_sys::Var>();
        (var.varattno > 0 && pg_sys::get_typbyval(var.vartype)).then_some(var.varattno)
    }
}

/// The side of `score(result, 'w')` or `score(result, 'b')`, for the text behind the results.
unsafe fn side_of_score(expression: *mut Node, game_type: Oid, results: &Results) -> Option<Side> {
    // SAFETY: the tag says what the node is.
    unsafe {
        if (*expression).type_ != NodeTag::T_FuncExpr {
            return None;
        }
        let call = &*expression.cast::<pg_sys::FuncExpr>();
        let args = PgList::<Node>::from_pg(call.args);
        let (result, color) = (args.get_ptr(0)?, args.get_ptr(1)?);
        let Constant::Value(color) = constant(color) else { return None };
        let is_score = function_of(namespace_of(game_type), c"score", &[pg_sys::TEXTOID; 2]) == Some(call.funcid)
            && pg_sys::equal(result.cast(), results.text.cast());
        match &*Varlena::new(color) {
            b"w" if is_score => Some(Side::White),
            b"b" if is_score => Some(Side::Black),
            _ => None,
        }
    }
}
