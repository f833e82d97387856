//! The tables of a query: one, or the partitions that the planner reads.
//!
//! Takes the relation that is grouped; returns each table with rows, and translates expressions of the query to it.

use pgrx::PgList;
use pgrx::pg_sys::{self, AppendRelInfo, IndexOptInfo, Node, PlannerInfo, RelOptInfo};

use crate::access_method::Counts;
use crate::planner::aggregates::question::Condition;
use crate::server::versions;

/// A table that a query reads.
pub struct Table<'a> {
    pub rel: &'a RelOptInfo,
    pub oid: pg_sys::Oid,
    /// From the partitioned table of the query down to this partition.
    path: Vec<*mut AppendRelInfo>,
}

impl<'a> Table<'a> {
    /// The table of a relation, perhaps a partition, if it has an index that answers; `None` for other relations.
    ///
    /// # Safety
    ///
    /// The relation must be the planner's.
    pub unsafe fn of(root: *mut PlannerInfo, rel: &'a RelOptInfo) -> Option<Table<'a>> {
        // SAFETY: the planner's own structures.
        unsafe {
            let mut path = Vec::new();
            let mut number = rel.relid;
            while !(*root).append_rel_array.is_null() {
                let info = *(*root).append_rel_array.add(number as usize);
                let Some(parent) = info.as_ref().map(|info| info.parent_relid) else { break };
                path.insert(0, info);
                number = parent;
            }
            let mut found = Vec::new();
            let is_one = !(**(*root).simple_rte_array.add(rel.relid as usize)).inh;
            let is_table = is_one && add_tables(root, rel, &path, &mut found);
            if is_table { found.pop() } else { None }
        }
    }

    /// The indexes of our access method that cover all rows of the table, and have the game as a column, not as an expression.
    pub fn indexes(&self) -> Vec<&'a IndexOptInfo> {
        // SAFETY: the planner's own structures.
        unsafe {
            let infos = PgList::<IndexOptInfo>::from_pg(self.rel.indexlist);
            let is_ours = |info: &&IndexOptInfo| Counts::are_in(info) && info.indpred.is_null() && *info.indexkeys > 0;
            infos.iter_ptr().map(|info| &*info).filter(is_ours).collect()
        }
    }

    /// The number of the relation of the query that has this table, or this partition.
    pub fn of_query(&self) -> u32 {
        // SAFETY: the planner's own structures.
        self.path.first().map_or(self.rel.relid, |info| unsafe { (**info).parent_relid })
    }

    /// An expression of the query for this table.
    ///
    /// # Safety
    ///
    /// Both must be the planner's.
    pub unsafe fn translate(&self, root: *mut PlannerInfo, node: *mut Node) -> *mut Node {
        self.path.iter().fold(node, |node, info| {
            let mut info = *info;
            // SAFETY: the caller's promise.
            unsafe { pg_sys::adjust_appendrel_attrs(root, node, 1, &mut info) }
        })
    }

    /// The valid CHECK constraints, as a list of conditions.
    ///
    /// # Safety
    ///
    /// The planner must have the table open.
    pub unsafe fn checks(&self, root: *mut PlannerInfo) -> *mut pg_sys::List {
        // SAFETY: the caller's promise; makes expressions in the planner's memory.
        unsafe {
            let relation = pg_sys::table_open(self.oid, pg_sys::NoLock as pg_sys::LOCKMODE);
            let mut found = PgList::<Node>::new();
            if let Some(constraints) = (*(*relation).rd_att).constr.as_ref() {
                for nth in 0..usize::from(constraints.num_check) {
                    let check = &*constraints.check.add(nth);
                    if versions::is_enforced(check) {
                        let mut node = pg_sys::stringToNode(check.ccbin).cast::<Node>();
                        pg_sys::ChangeVarNodes(node, 1, self.rel.relid as i32, 0);
                        node = pg_sys::eval_const_expressions(root, node);
                        found.push(pg_sys::canonicalize_qual(node.cast(), true).cast());
                    }
                }
            }
            pg_sys::table_close(relation, pg_sys::NoLock as pg_sys::LOCKMODE);
            found.into_pg()
        }
    }

    /// Whether a column has no NULL.
    ///
    /// # Safety
    ///
    /// The planner must have the table open, and the table must have the column.
    pub unsafe fn has_no_null(&self, column: i16) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            let relation = pg_sys::table_open(self.oid, pg_sys::NoLock as pg_sys::LOCKMODE);
            let has_none = versions::has_no_null((*relation).rd_att, column);
            pg_sys::table_close(relation, pg_sys::NoLock as pg_sys::LOCKMODE);
            has_none
        }
    }
}

/// The tables that hold the rows of a relation; `None` if one of them has no index that answers, or if they cannot be determined.
///
/// # Safety
///
/// The relation must be the planner's.
pub unsafe fn tables<'a>(root: *mut PlannerInfo, rel: &'a RelOptInfo) -> Option<Vec<Table<'a>>> {
    let mut found = Vec::new();
    // SAFETY: the caller's promise.
    unsafe { add_tables(root, rel, &[], &mut found).then_some(found) }
}

unsafe fn add_tables<'a>(
    root: *mut PlannerInfo,
    rel: &'a RelOptInfo,
    path: &[*mut AppendRelInfo],
    found: &mut Vec<Table<'a>>,
) -> bool {
    // SAFETY: the planner's own structures.
    unsafe {
        let entry = &**(*root).simple_rte_array.add(rel.relid as usize);
        if rel.rtekind != pg_sys::RTEKind::RTE_RELATION
            || !entry.tablesample.is_null()
            || !entry.securityQuals.is_null()
        {
            return false;
        }
        if !entry.inh {
            let is_table = matches!(entry.relkind as u8, pg_sys::RELKIND_RELATION | pg_sys::RELKIND_MATVIEW);
            let table = Table { rel, oid: entry.relid, path: path.to_vec() };
            let can_answer = is_table && !table.indexes().is_empty();
            found.push(table);
            return can_answer;
        }
        // A table with children by INHERITS has rows of its own, too.
        if entry.relkind as u8 != pg_sys::RELKIND_PARTITIONED_TABLE || rel.part_rels.is_null() {
            return false;
        }
        let parts = std::slice::from_raw_parts(rel.part_rels, rel.nparts as usize);
        parts.iter().filter_map(|part| part.as_ref()).all(|part| {
            if pg_sys::is_dummy_rel((&raw const *part).cast_mut()) {
                return true; // the planner has excluded it
            }
            let mut path = path.to_vec();
            path.push(*(*root).append_rel_array.add(part.relid as usize));
            add_tables(root, part, &path, found)
        })
    }
}

/// The conditions of a query on a table; `None` if one must be tested before all others, or does not depend on the rows.
///
/// # Safety
///
/// Both relations must be the planner's.
pub unsafe fn conditions(root: *mut PlannerInfo, rel: &RelOptInfo, table: &Table) -> Option<Vec<Condition>> {
    // SAFETY: the planner's own structures.
    unsafe {
        let restrictions = PgList::<pg_sys::RestrictInfo>::from_pg(rel.baserestrictinfo);
        let condition = |rinfo: *mut pg_sys::RestrictInfo| {
            // A condition of a security barrier has a level of its own.
            if (*rinfo).pseudoconstant || (*rinfo).security_level > 0 {
                return None;
            }
            let original = (*rinfo).clause.cast();
            Some(Condition { original, here: table.translate(root, original) })
        };
        restrictions.iter_ptr().map(condition).collect()
    }
}
