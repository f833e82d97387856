//! Offers the planner the rows of games with a position in the order of the query, for `ORDER BY … LIMIT`.
//!
//! In: a table as the planner has it when it looks for ways to read it. Out: one more path, if
//!
//! * the query does not want all rows,
//! * an index of the access method `chess` answers all conditions on the table, one of which is about boards
//!   ([`Question`]), and
//! * the query's order begins with an attribute of the index, in either direction, or with the sum of its first two: the
//!   ratings. An unknown value may count as a constant, by `coalesce` or as `CASE WHEN x IS NULL THEN 0 ELSE x END`.
//!
//! The path has this order, so the planner puts no sort above it, or an incremental one if the order goes on; with
//! partitions, a MergeAppend. [`crate::access_method::sums::ordered`] executes it.
//!
//! It is no path of the index itself. The server takes two kinds of indexes for ordered: those that always return rows in the
//! order of their columns (`amcanorder`), and those that order by the distance to a constant (`amcanorderbyop`). The columns
//! of this one have no order among each other, and an attribute alone has no operator with a constant.

use chess_index::summed::Ranking;
use pgrx::pg_sys::{self, IndexOptInfo, List, Node, NodeTag, Oid, PathKey, PlannerInfo, RelOptInfo};
use pgrx::{PgList, pg_guard};

use crate::access_method::attributes;
use crate::access_method::sums::custom::Methods;
use crate::access_method::sums::leading::{Order, Unknown};
use crate::access_method::sums::node::plan::{Kind, Part, Plan};
use crate::access_method::sums::ordered::{self, Ordered};
use crate::clauses::expressions::{Constant, constant};
use crate::planner::aggregates;
use crate::planner::aggregates::cost;
use crate::planner::aggregates::question::Question;
use crate::planner::aggregates::tables::{Table, conditions};
use crate::server::versions;

static mut PREVIOUS: pg_sys::set_rel_pathlist_hook_type = None;

/// Rows that are probably asked for if the query does not tell.
const ROWS: f64 = 100.0;
/// The fewest that are asked for at first where no ranking helps, and the most.
const UNRANKED_ROWS: f64 = 256.0;
const MOST_ROWS: f64 = 10_000.0;

/// Sets the hook. Called when the library is loaded.
pub fn init() {
    ordered::init();
    // SAFETY: a server process has a single thread.
    unsafe {
        PREVIOUS = pg_sys::set_rel_pathlist_hook;
        pg_sys::set_rel_pathlist_hook = Some(pathlist);
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn pathlist(
    root: *mut PlannerInfo,
    rel: *mut RelOptInfo,
    number: pg_sys::Index,
    entry: *mut pg_sys::RangeTblEntry,
) {
    // SAFETY: called by the planner with its own structures.
    unsafe {
        if let Some(previous) = PREVIOUS {
            pg_sys::ffi::pg_guard_ffi_boundary(|| previous(root, rel, number, entry));
        }
        let wants_some = (*root).tuple_fraction > 0.0 && !(*root).query_pathkeys.is_null();
        if wants_some
            && aggregates::are_enabled()
            && let Some(path) = path_for(root, rel)
        {
            pg_sys::add_path(rel, path.cast());
        }
    }
}

/// The path, if an index can answer.
unsafe fn path_for(root: *mut PlannerInfo, rel: *mut RelOptInfo) -> Option<*mut pg_sys::CustomPath> {
    // SAFETY: the planner's own structures; makes nodes in the planner's memory.
    unsafe {
        if !(*rel).lateral_relids.is_null() || pg_sys::is_dummy_rel(rel) {
            return None;
        }
        let table = Table::of(root, &*rel)?;
        let found = table.indexes().into_iter().find_map(|info| Found::of(root, &table, info))?;

        let mut expressions = PgList::<Node>::new();
        found.question.boards.iter().for_each(|(_, board)| expressions.push(*board));
        found.question.values.iter().for_each(|value| expressions.push(*value));
        expressions.push(found.key);

        let path = pg_sys::palloc0(size_of::<pg_sys::CustomPath>()).cast::<pg_sys::CustomPath>();
        let base = &mut (*path).path;
        base.type_ = NodeTag::T_CustomPath;
        base.pathtype = NodeTag::T_CustomScan;
        base.parent = rel;
        base.pathtarget = (*rel).reltarget;
        base.pathkeys = pg_sys::list_copy_head((*root).query_pathkeys, 1);
        base.rows = (*rel).rows;
        let target = &(*(*rel).reltarget).cost;
        base.startup_cost = found.startup + (*rel).baserestrictcost.startup + target.startup;
        base.total_cost = base.startup_cost + (*rel).rows * target.per_tuple + found.rows;
        (*path).flags = pg_sys::CUSTOMPATH_SUPPORT_PROJECTION;
        (*path).methods = &PATH.0;
        let mut private = PgList::<List>::new();
        private.push(found.ordered.to_list());
        private.push(expressions.into_pg());
        (*path).custom_private = private.into_pg();
        Some(path)
    }
}

/// An index that answers a query in its order.
struct Found {
    question: Question,
    ordered: Ordered,
    /// What the rows are ordered by.
    key: *mut Node,
    /// The cost of asking the index, and that of all rows.
    startup: f64,
    rows: f64,
}

impl Found {
    unsafe fn of(root: *mut PlannerInfo, table: &Table, info: &IndexOptInfo) -> Option<Found> {
        // SAFETY: the planner's own structures.
        unsafe {
            let first = PgList::<PathKey>::from_pg((*root).query_pathkeys).get_ptr(0)?;
            let mut key = Key::of(root, table, info, first)?;
            let question = Question::new(&conditions(root, table.rel, table)?, info)?;
            if !question.filters.is_empty() || question.has_patterns() {
                return None;
            }
            // Where a condition excludes NULL, it does not matter where NULL would come.
            let is_excluded =
                question.tests.iter().any(|test| test.column == key.columns[0] && test.kind != Kind::IsNull);
            if key.order.unknown == Unknown::First && is_excluded {
                key.order.unknown = Unknown::Last;
            }
            let is_whole = PgList::<PathKey>::from_pg((*root).query_pathkeys).len() == 1;
            let wanted = match ((*root).limit_tuples, (*root).tuple_fraction) {
                (limit, _) if limit > 0.0 => limit,
                (_, rows) if rows >= 1.0 => rows,
                _ => ROWS,
            };
            let is_ranked = key.order.ranking().is_some() && key.columns == columns_of(key.order.by);
            // An incremental sort reads one row more, to see where the equal ones end. Without a ranking all games are looked
            // at, however many are asked for.
            let wanted = wanted + f64::from(u8::from(!is_whole));
            let count = if is_ranked { wanted } else { wanted.max(UNRANKED_ROWS) }.min(MOST_ROWS).ceil();
            let startup = cost::cost_of_order(table, info, &question, is_ranked, count)?;
            let rel = table.rel;
            let mut page_cost = 0.0;
            pg_sys::get_tablespace_page_costs(rel.reltablespace, &mut page_cost, std::ptr::null_mut());
            let pages = pg_sys::index_pages_fetched(rel.rows, rel.pages, f64::from(info.pages), root);
            let rows = pages * page_cost + rel.rows * (pg_sys::cpu_tuple_cost + rel.baserestrictcost.per_tuple);
            let part = Part { table: table.oid, index: info.indexoid, game: *info.indexkeys as i16, only: Vec::new() };
            let boards = question.boards.iter().map(|(predicate, _)| *predicate).collect();
            let tests = question.tests.clone();
            let plan = Plan { parts: vec![part], boards, is_keyed: false, result: None, tests, outputs: Vec::new() };
            let ordered = Ordered { plan, order: key.order, columns: key.columns, count: count as u32 };
            Some(Found { question, ordered, key: key.expression, startup, rows })
        }
    }
}

/// The attributes by which segments rank.
fn columns_of(by: Ranking) -> [usize; 2] {
    match by {
        Ranking::Ratings => [0, 1],
        Ranking::Day => [3, 3],
    }
}

/// What rows are ordered by.
struct Key {
    order: Order,
    columns: [usize; 2],
    /// As the query has it, for the table.
    expression: *mut Node,
}

impl Key {
    /// The order of a path key, if it is one of attributes of the index.
    unsafe fn of(root: *mut PlannerInfo, table: &Table, info: &IndexOptInfo, key: *mut PathKey) -> Option<Key> {
        // SAFETY: the planner's own structures.
        unsafe {
            let families = [pg_sys::INTEGER_BTREE_FAM_OID, DATETIME_FAMILY, pg_sys::BOOL_BTREE_FAM_OID, CHAR_FAMILY];
            let class = &*(*key).pk_eclass;
            if class.ec_has_volatile || !families.contains(&(*key).pk_opfamily) {
                return None;
            }
            let is_descending = versions::is_descending(&*key);
            let nulls = if (*key).pk_nulls_first { Unknown::First } else { Unknown::Last };
            PgList::<pg_sys::EquivalenceMember>::from_pg(class.ec_members).iter_ptr().find_map(|member| {
                let mut only = 0;
                let is_single = pg_sys::bms_get_singleton_member((*member).em_relids, &mut only);
                let is_of_table = is_single && only as u32 == table.of_query();
                if (*member).em_is_child || !is_of_table || versions::may_be_nulled(&*member) {
                    return None;
                }
                let expression = table.translate(root, (*member).em_expr.cast());
                let (by, columns, default) = columns(expression, info)?;
                let order = Order { by, is_descending, unknown: default.map_or(nulls, Unknown::As) };
                Some(Key { order, columns, expression })
            })
        }
    }
}

const DATETIME_FAMILY: Oid = Oid::from_u32(434);
const CHAR_FAMILY: Oid = Oid::from_u32(429);

/// The attributes of an expression, and what NULL counts as: one attribute, or the sum of the first two, with 0 for NULL.
unsafe fn columns(expression: *mut Node, info: &IndexOptInfo) -> Option<(Ranking, [usize; 2], Option<i32>)> {
    const SUMS: [u32; 8] = [177, 178, 179, 463, 837, 841, 1274, 1278]; // of integers, to those of four or eight bytes
    // SAFETY: the planner's own structures; the tag says what the node is.
    unsafe {
        if let Some((column, default)) = column(expression, info) {
            return Some((Ranking::Day, [column; 2], default));
        }
        if (*expression).type_ != NodeTag::T_OpExpr {
            return None;
        }
        let sum = &*expression.cast::<pg_sys::OpExpr>();
        let args = PgList::<Node>::from_pg(sum.args);
        let side = |nth| column(without_widening(args.get_ptr(nth)?), info);
        let is_sum = SUMS.contains(&u32::from(pg_sys::get_opcode(sum.opno)));
        match (is_sum.then(|| side(0))??, side(1)?) {
            ((0, Some(0)), (1, Some(0))) | ((1, Some(0)), (0, Some(0))) => Some((Ranking::Ratings, [0, 1], None)),
            _ => None,
        }
    }
}

/// The attribute that an expression is, and the constant that takes the place of NULL.
unsafe fn column(expression: *mut Node, info: &IndexOptInfo) -> Option<(usize, Option<i32>)> {
    // SAFETY: the planner's own structures; the tags say what the nodes are.
    unsafe {
        let attribute = |node| {
            let node = without_widening(node);
            let is_column = |column| pg_sys::match_index_to_operand(node, column, (&raw const *info).cast_mut());
            Some((1..info.nkeycolumns).find(|column| is_column(*column))? as usize - 1)
        };
        // The attribute itself may be a CASE.
        if let Some(column) = attribute(expression) {
            return Some((column, None));
        }
        let (value, default) = match (*expression).type_ {
            NodeTag::T_CoalesceExpr => {
                let args = PgList::<Node>::from_pg((*expression.cast::<pg_sys::CoalesceExpr>()).args);
                (args.len() == 2).then_some((args.get_ptr(0)?, args.get_ptr(1)?))?
            }
            NodeTag::T_CaseExpr => {
                let case = &*expression.cast::<pg_sys::CaseExpr>();
                let arms = PgList::<pg_sys::CaseWhen>::from_pg(case.args);
                let arm = arms.get_ptr(0).filter(|_| case.arg.is_null() && arms.len() == 1)?;
                let test = (*arm).expr.cast::<pg_sys::NullTest>();
                let is_test = (*test).xpr.type_ == NodeTag::T_NullTest
                    && (*test).nulltesttype == pg_sys::NullTestType::IS_NULL
                    && attribute((*test).arg.cast()) == attribute(case.defresult.cast());
                is_test.then_some((case.defresult.cast(), (*arm).result.cast()))?
            }
            _ => return None,
        };
        let type_oid = pg_sys::exprType(default);
        let Constant::Value(default) = constant(default) else { return None };
        let number = attributes::number_of(type_oid, default)?;
        Some((attribute(value)?, Some(i32::try_from(number).ok()?)))
    }
}

/// An expression without casts from one type of integers to a wider one.
unsafe fn without_widening(mut node: *mut Node) -> *mut Node {
    const CASTS: [u32; 3] = [313, 481, 754]; // from int2 to int4, from int4 and int2 to int8
    // SAFETY: the tags say what the nodes are.
    unsafe {
        while (*node).type_ == NodeTag::T_FuncExpr {
            let cast = &*node.cast::<pg_sys::FuncExpr>();
            match PgList::<Node>::from_pg(cast.args).get_ptr(0) {
                Some(inner) if CASTS.contains(&u32::from(cast.funcid)) => node = inner,
                _ => break,
            }
        }
        node
    }
}

static PATH: Methods<pg_sys::CustomPathMethods> = Methods(pg_sys::CustomPathMethods {
    CustomName: ordered::NAME.as_ptr(),
    PlanCustomPath: Some(plan),
    ReparameterizeCustomPathByChild: None,
});

#[pg_guard]
unsafe extern "C-unwind" fn plan(
    _root: *mut PlannerInfo,
    rel: *mut RelOptInfo,
    path: *mut pg_sys::CustomPath,
    tlist: *mut List,
    clauses: *mut List,
    _plans: *mut List,
) -> *mut pg_sys::Plan {
    // SAFETY: called by the planner with a path of `path_for`; makes a node of its size.
    unsafe {
        let private = PgList::<List>::from_pg((*path).custom_private);
        let part = |nth| private.get_ptr(nth).unwrap_or(std::ptr::null_mut());
        let scan = pg_sys::palloc0(size_of::<pg_sys::CustomScan>()).cast::<pg_sys::CustomScan>();
        (*scan).scan.plan.type_ = NodeTag::T_CustomScan;
        (*scan).scan.plan.targetlist = tlist;
        (*scan).scan.plan.qual = pg_sys::extract_actual_clauses(clauses, false);
        (*scan).scan.scanrelid = (*rel).relid;
        (*scan).flags = (*path).flags;
        ordered::describe(&mut *scan, part(0), part(1));
        scan.cast()
    }
}
