//! Offers the planner an answer from the sums of an index for aggregates that it can tell without the rows.
//!
//! In: a query as the planner has it when it groups. Out: one more path, if
//!
//! * the query reads one table, which may have partitions, and no policy or security barrier narrows it ([`tables`]),
//! * its conditions are a position (`hasboard` or `@>`), any of several boards (`haspieces`, `&&`, OR), or patterns (`@@`) that lists
//!   of materials decide, comparisons of columns
//!   of an index of the access method `chess` with values that do not depend on the row, results, and the move played in the
//!   position ([`question`], [`results`]),
//! * it groups by nothing, by `nextmove` of the same board, by another pattern, by the result, by columns that are the same in all
//!   rows, or by several of these, and
//! * its aggregates are `count(*)`, `avg` and `sum` of `score(result, color)`, `count`, `sum` and `avg` of a column whose values are
//!   above 0 by a FILTER, a condition or a CHECK constraint, `max` of a column, all but the scores also with a FILTER for results,
//!   the value of any column where a group has one row, and `reportGroups` by ratings and dates ([`outputs`]).
//!
//! Anything else is left to the planner: no error, no other plan. The planner takes the path if it is the cheapest ([`cost`]).
//! [`crate::access_method::sums::node`] executes it.
//!
//! The hook is set when the library is loaded. That is always early enough: before the planner knows the indexes of a table,
//! the server asks the handler of their access method, which is in this library.

pub mod cost;
mod outputs;
pub mod question;
mod results;
pub mod tables;

use std::cell::OnceCell;
use std::ffi::c_void;

use pgrx::pg_sys::{self, List, Node, NodeTag, PlannerInfo, RelOptInfo};
use pgrx::{GucContext, GucFlags, GucRegistry, GucSetting, PgList, pg_guard};

use crate::access_method::sums::custom::Methods;
use crate::access_method::sums::node;
use crate::access_method::sums::node::plan::{Output, Part, Plan};
use crate::planner::aggregates::outputs::{Aggregate, Known, aggregates, keys, output_of, output_of_key};
use crate::planner::aggregates::question::Question;
use crate::planner::aggregates::tables::{Table, conditions, tables};

static IS_ENABLED: GucSetting<bool> = GucSetting::<bool>::new(true);
static mut PREVIOUS: pg_sys::create_upper_paths_hook_type = None;

/// Sets the hook, and declares the setting. Called when the library is loaded.
pub fn init() {
    GucRegistry::define_bool_guc(
        c"chess.enable_index_sums",
        c"Enables the planner's use of an index of the access method chess for aggregates and for the first rows in an order.",
        c"",
        &IS_ENABLED,
        GucContext::Userset,
        GucFlags::EXPLAIN,
    );
    node::init();
    // SAFETY: a server process has a single thread.
    unsafe {
        PREVIOUS = pg_sys::create_upper_paths_hook;
        pg_sys::create_upper_paths_hook = Some(upper_paths);
    }
}

/// Whether the setting is on.
pub fn are_enabled() -> bool {
    IS_ENABLED.get()
}

#[pg_guard]
unsafe extern "C-unwind" fn upper_paths(
    root: *mut PlannerInfo,
    stage: pg_sys::UpperRelationKind::Type,
    input: *mut RelOptInfo,
    output: *mut RelOptInfo,
    extra: *mut c_void,
) {
    // SAFETY: called by the planner with its own structures.
    unsafe {
        if let Some(previous) = PREVIOUS {
            pg_sys::ffi::pg_guard_ffi_boundary(|| previous(root, stage, input, output, extra));
        }
        if stage == pg_sys::UpperRelationKind::UPPERREL_GROUP_AGG && are_enabled() {
            let having =
                extra.cast::<pg_sys::GroupPathExtraData>().as_ref().map_or(std::ptr::null_mut(), |e| e.havingQual);
            if let Some(path) = path_for(root, &*input, &*output, having) {
                pg_sys::add_path(output, path.cast());
            }
        }
    }
}

/// The path, if indexes can answer.
unsafe fn path_for(
    root: *mut PlannerInfo,
    rel: &RelOptInfo,
    output: &RelOptInfo,
    having: *mut Node,
) -> Option<*mut pg_sys::CustomPath> {
    // SAFETY: the planner's own structures; makes nodes in the planner's memory.
    unsafe {
        let query = &*(*root).parse;
        if rel.reloptkind != pg_sys::RelOptKind::RELOPT_BASEREL || !query.groupingSets.is_null() {
            return None;
        }
        let tables = tables(root, rel)?;
        let keys = keys(root);
        let wanted = PgList::<Node>::from_pg((*output.reltarget).exprs);
        // The aggregates are collected only once the conditions are known to be a question, which they rarely are.
        let found = OnceCell::new();
        let aggregates = || found.get_or_init(|| aggregates(wanted.iter_ptr().chain([having]), &keys)).as_deref();
        let mut answers = tables.iter().map(|table| Answer::of(root, rel, table, &keys, &aggregates));
        let mut answer = answers.next()??;
        for other in answers {
            answer.add(other?)?;
        }
        let Answer { question, mut plan, cost } = answer;

        let mut columns = PgList::<Node>::new();
        let aggregates = aggregates()?.iter().map(|aggregate| aggregate.node);
        keys.iter().copied().chain(aggregates).for_each(|column| columns.push(column));
        // For EXPLAIN: the conditions, and the columns of the table that they name.
        let mut all = PgList::<Node>::new();
        for rinfo in PgList::<pg_sys::RestrictInfo>::from_pg(rel.baserestrictinfo).iter_ptr() {
            let clause = (*rinfo).clause.cast();
            if !question.filters.contains(&clause) {
                all.push(clause);
            }
        }
        let all: *mut Node = pg_sys::make_ands_explicit(all.into_pg()).cast();
        for var in PgList::<Node>::from_pg(pg_sys::pull_var_clause(all, 0)).iter_ptr() {
            columns.push(var);
            plan.outputs.push(Output::Unused);
        }
        let mut expressions = PgList::<Node>::new();
        question.boards.iter().for_each(|(_, board)| expressions.push(*board));
        question.values.iter().for_each(|value| expressions.push(*value));
        expressions.push(all);
        let mut filters = PgList::<Node>::from_pg(pg_sys::list_copy(having.cast()));
        question.filters.iter().for_each(|filter| filters.push(*filter));

        let mut private = PgList::<List>::new();
        private.push(plan.to_list());
        private.push(expressions.into_pg());
        private.push(columns.into_pg());
        private.push(filters.into_pg());
        let rows = if keys.is_empty() { 1.0 } else { rel.rows.clamp(1.0, GROUPS) };
        Some(custom_path(output, rows, cost, private))
    }
}

/// The path that [`PATH`] plans; `private` is what its plan is made of.
unsafe fn custom_path(output: &RelOptInfo, rows: f64, cost: f64, private: PgList<List>) -> *mut pg_sys::CustomPath {
    // SAFETY: makes a node in the planner's memory.
    unsafe {
        let path = pg_sys::palloc0(size_of::<pg_sys::CustomPath>()).cast::<pg_sys::CustomPath>();
        (*path).path.type_ = NodeTag::T_CustomPath;
        (*path).path.pathtype = NodeTag::T_CustomScan;
        (*path).path.parent = (&raw const *output).cast_mut();
        (*path).path.pathtarget = output.reltarget;
        (*path).path.rows = rows;
        (*path).path.startup_cost = cost;
        (*path).path.total_cost = cost + rows * pg_sys::cpu_tuple_cost;
        (*path).flags = pg_sys::CUSTOMPATH_SUPPORT_PROJECTION;
        (*path).methods = &PATH.0;
        (*path).custom_private = private.into_pg();
        path
    }
}

/// About how many moves are played in a position.
const GROUPS: f64 = 30.0;

/// A question that indexes answer, and what it costs.
struct Answer {
    question: Question,
    plan: Plan,
    cost: f64,
}

impl Answer {
    /// The answer from the first index of a table that has one.
    unsafe fn of<'a>(
        root: *mut PlannerInfo,
        rel: &RelOptInfo,
        table: &Table,
        keys: &[*mut Node],
        aggregates: &dyn Fn() -> Option<&'a [Aggregate]>,
    ) -> Option<Answer> {
        // SAFETY: the planner's own structures.
        unsafe {
            let conditions = conditions(root, rel, table)?;
            let known = OnceCell::new();
            let checks = || *known.get_or_init(|| table.checks(root));
            table.indexes().into_iter().find_map(|info| {
                let mut question = Question::new(&conditions, info)?;
                question.key_by_pattern(keys.iter().map(|key| table.translate(root, *key)), info);
                let results = question.results.as_ref();
                let known = Known { table, info, question: &question, checks: &checks };
                let (mut outputs, mut only) = (Vec::new(), Vec::new());
                for key in keys {
                    outputs.push(output_of_key(table.translate(root, *key), &known)?);
                }
                for Aggregate { node, of_one } in aggregates()? {
                    outputs.push(output_of(table.translate(root, *node), *of_one, &known, &mut only)?);
                }
                // The groups of a report are not told apart by results, and those of one report are kept.
                let reports = outputs.iter().filter(|output| matches!(output, Output::Report(..))).count();
                if reports > 1 || reports > 0 && outputs.contains(&Output::Result) {
                    return None;
                }
                // A filter of the move decides groups by moves.
                if !question.filters.is_empty() && !outputs.contains(&Output::Move) {
                    return None;
                }
                let part = Part { table: table.oid, index: info.indexoid, game: *info.indexkeys as i16, only };
                let result = results.map(|results| results.column());
                let boards = question.boards.iter().map(|(predicate, _)| *predicate).collect();
                let (is_keyed, tests) = (question.is_keyed, question.tests.clone());
                let plan = Plan { parts: vec![part], boards, is_keyed, result, tests, outputs };
                plan.columns()?;
                let cost = cost::cost_of(table, info, &question)?;
                Some(Answer { question, plan, cost })
            })
        }
    }

    /// Adds the answer for another partition, if its index has the same columns.
    unsafe fn add(&mut self, other: Answer) -> Option<()> {
        // SAFETY: both are the planner's.
        let is_like = unsafe { self.question.is_like(&other.question) };
        (is_like && self.plan.outputs == other.plan.outputs).then(|| {
            self.plan.parts.extend(other.plan.parts);
            self.cost += other.cost;
        })
    }
}

static PATH: Methods<pg_sys::CustomPathMethods> = Methods(pg_sys::CustomPathMethods {
    CustomName: node::NAME.as_ptr(),
    PlanCustomPath: Some(plan),
    ReparameterizeCustomPathByChild: None,
});

#[pg_guard]
unsafe extern "C-unwind" fn plan(
    _root: *mut PlannerInfo,
    _rel: *mut RelOptInfo,
    path: *mut pg_sys::CustomPath,
    tlist: *mut List,
    _clauses: *mut List,
    _plans: *mut List,
) -> *mut pg_sys::Plan {
    // SAFETY: called by the planner with a path of `path_for`; makes a node of its size.
    unsafe {
        let private = PgList::<c_void>::from_pg((*path).custom_private);
        let part = |nth| private.get_ptr(nth).unwrap_or(std::ptr::null_mut());
        let scan = pg_sys::palloc0(size_of::<pg_sys::CustomScan>()).cast::<pg_sys::CustomScan>();
        (*scan).scan.plan.type_ = NodeTag::T_CustomScan;
        (*scan).scan.plan.targetlist = tlist;
        (*scan).scan.plan.qual = part(3).cast();
        (*scan).flags = (*path).flags;
        let mut entries = PgList::<pg_sys::TargetEntry>::new();
        for (nth, column) in PgList::<pg_sys::Expr>::from_pg(part(2).cast()).iter_ptr().enumerate() {
            let copy = pg_sys::copyObjectImpl(column.cast()).cast();
            entries.push(pg_sys::makeTargetEntry(copy, nth as i16 + 1, std::ptr::null_mut(), false));
        }
        (*scan).custom_scan_tlist = entries.into_pg();
        node::describe(&mut *scan, part(0).cast(), part(1).cast());
        scan.cast()
    }
}
