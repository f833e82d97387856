//! The share of games that a constant finds, counted in an index of the access method `chess`.
//!
//! Takes a column as the planner has it; returns the share of its rows with a board, an opening or a pattern. Like statistics, such a
//! count reveals something about all rows, so it is used only if the user may read all rows of the column.

use chess_core::search::finder::Matching;
use chess_core::search::pattern::Pattern;
use chess_core::{Board, Finder, GameRef};
use chess_estimates::column::Candidates;
use chess_index::key::Question;
use pgrx::PgList;
use pgrx::pg_sys::{self, Node, NodeTag};

use crate::access_method::{Counts, Which};
use crate::clauses::columns::user_of;

/// Most relations of a query, partitions included, for which indexes are read. For more, planning would take too long.
const MOST_RELATIONS: i32 = 100;

/// Most relations of a query for which games are searched, too.
const MOST_SEARCHED: i32 = 10;

/// An index on a column, opened for counting.
pub struct IndexCounts {
    counts: Counts,
    /// Who may know them.
    user: pg_sys::Oid,
    /// Number of rows that the shares refer to.
    rows: f64,
    /// Whether the query has so few relations that games may be searched for each.
    may_search: bool,
}

impl IndexCounts {
    /// Opens the index on an expression, if there is one that may be read.
    ///
    /// # Safety
    ///
    /// `root`, `rel`, the relation of the expression, and the expression must be the planner's.
    pub unsafe fn of(
        root: *mut pg_sys::PlannerInfo,
        rel: Option<&pg_sys::RelOptInfo>,
        expression: *mut Node,
    ) -> Option<IndexCounts> {
        // SAFETY: the caller's promise. The planner has locked the indexes of its relations. It lists only valid indexes that
        // the snapshot may use, and has tested which predicates the query implies.
        unsafe {
            let rel = rel.filter(|rel| rel.rtekind == pg_sys::RTEKind::RTE_RELATION && rel.tuples > 0.0)?;
            if (*root).simple_rel_array_size > MOST_RELATIONS || rel.indexlist.is_null() {
                return None;
            }
            let mut found: Option<(&pg_sys::IndexOptInfo, bool)> = None;
            for info in PgList::<pg_sys::IndexOptInfo>::from_pg(rel.indexlist).iter_ptr() {
                let is_whole = (*info).indpred.is_null();
                let is_on_it = (0..(*info).nkeycolumns).any(|at| pg_sys::match_index_to_operand(expression, at, info));
                if Counts::are_in(&*info) && is_on_it && (is_whole || (*info).predOK && found.is_none()) {
                    found = Some((&*info, is_whole));
                }
            }
            let (info, is_whole) = found?;
            if !may_read(root, rel, expression) {
                return None;
            }
            let counts = Counts::open(info);
            // The planner multiplies the share by that of the predicate of a partial index.
            let rows = if is_whole { rel.tuples } else { counts.games() };
            let user = user_of(rel);
            Some(IndexCounts { counts, user, rows, may_search: (*root).simple_rel_array_size <= MOST_SEARCHED })
        }
    }

    /// The share of games in which a board arises. `limit` is a number of half-moves; if it is 28 or less, games in which the
    /// board arises after half-move 28 are not counted.
    pub fn board(&self, sought: &Sought, limit: u32) -> Option<f64> {
        let finder = sought.finder();
        self.share(&[sought.question(limit)], Which::All, |game| finder.is_in(game, u32::MAX))
    }

    /// Replays some games with a board. Returns how many it has replayed, and how many of these have the board within `limit`
    /// half-moves.
    pub fn early(&self, sought: &Sought, limit: u32) -> Option<(f64, f64)> {
        self.may_search.then(|| self.counts.early(&sought.question(limit), &sought.finder(), limit))?
    }

    /// The share of games in which each of some boards arises.
    pub fn boards<'a>(&self, sought: impl Iterator<Item = &'a Sought> + Clone) -> Option<f64> {
        let questions: Vec<Question> = sought.clone().map(|sought| sought.question(u32::MAX)).collect();
        let finders: Vec<Finder> = sought.map(Sought::finder).collect();
        self.share(&questions, Which::All, |game| {
            for finder in &finders {
                if !finder.is_in(game, u32::MAX)? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// The share of games in which any of some boards arises.
    pub fn any_board<'a>(&self, sought: impl Iterator<Item = &'a Sought> + Clone) -> Option<f64> {
        let questions: Vec<Question> = sought.clone().map(|sought| sought.question(u32::MAX)).collect();
        let finders: Vec<Finder> = sought.map(Sought::finder).collect();
        self.share(&questions, Which::Any, |game| {
            for finder in &finders {
                if finder.is_in(game, u32::MAX)? {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// The share of games that reach the position of an opening, which is at least that of games that begin with it.
    pub fn opening(&self, opening: GameRef<'_>) -> Option<f64> {
        self.share(&[Question::opening(opening).ok()?], Which::All, |game| Ok(game.starts_with(opening)))
    }

    /// What the index and some of its games tell of a pattern, as a share of the rows. `spent` is the work of a trial on others.
    pub fn candidates(&self, pattern: &Pattern, limit: u32, spent: u64) -> Option<Candidates> {
        let found = self.may_search.then(|| self.counts.candidates(self.user, pattern, limit, spent))??;
        Some(Candidates { share: (found.share * self.counts.games() / self.rows.max(1.0)).min(1.0), ..found })
    }

    fn share(
        &self,
        questions: &[Question],
        which: Which,
        is_met: impl Fn(GameRef<'_>) -> Result<bool, chess_core::CorruptGame>,
    ) -> Option<f64> {
        let count = self.counts.count(questions, which, is_met)?;
        Some((count / self.rows.max(1.0)).min(1.0))
    }
}

/// A board that is looked for.
#[derive(Clone, PartialEq, Eq)]
pub struct Sought {
    pub board: Board,
    pub matching: Matching,
}

impl Sought {
    /// What an index looks up for it.
    pub fn question(&self, limit: u32) -> Question {
        match self.matching {
            Matching::Position => Question::position(&self.board, limit),
            Matching::Placement => Question::placement(&self.board, limit),
        }
    }

    fn finder(&self) -> Finder {
        Finder::new(&self.board, self.matching)
    }
}

/// Whether the user may read an expression in all rows of a relation: no policy or security barrier view hides any, and the
/// user has SELECT on the table or on one that it is a partition of.
unsafe fn may_read(root: *mut pg_sys::PlannerInfo, rel: &pg_sys::RelOptInfo, expression: *mut Node) -> bool {
    // SAFETY: the planner's own structures; look-ups in the system catalogs.
    unsafe {
        let user = user_of(rel);
        let may = pg_sys::ACL_SELECT as pg_sys::AclMode;
        let mut column = column_of(expression);
        let mut number = rel.relid;
        let mut is_readable = false;
        loop {
            let entry = &**(*root).simple_rte_array.add(number as usize);
            if !entry.securityQuals.is_null() {
                return false;
            }
            if entry.rtekind != pg_sys::RTEKind::RTE_RELATION {
                return is_readable;
            }
            let ok = pg_sys::AclResult::ACLCHECK_OK;
            is_readable |= pg_sys::pg_class_aclcheck(entry.relid, user, may) == ok
                || column > 0 && pg_sys::pg_attribute_aclcheck(entry.relid, column, user, may) == ok;
            let child = match (*root).append_rel_array.is_null() {
                true => None,
                false => (*(*root).append_rel_array.add(number as usize)).as_ref(),
            };
            let Some(child) = child else { return is_readable };
            let at = usize::try_from(column - 1).ok().filter(|at| *at < child.num_child_cols as usize);
            column = at.map_or(0, |at| *child.parent_colnos.add(at));
            number = child.parent_relid;
        }
    }
}

/// The number of a column. It is 0 for another expression, which needs SELECT on the whole table.
unsafe fn column_of(mut expression: *mut Node) -> i16 {
    // SAFETY: the tags say what the nodes are.
    unsafe {
        while (*expression).type_ == NodeTag::T_RelabelType {
            expression = (*expression.cast::<pg_sys::RelabelType>()).arg.cast();
        }
        if (*expression).type_ == NodeTag::T_Var { (*expression.cast::<pg_sys::Var>()).varattno } else { 0 }
    }
}
