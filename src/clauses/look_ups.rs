//! What the clauses of a query look up in an index.
//!
//! Takes a clause as the planner has it; returns its arguments, the number of its boards, or the lists of its pattern.

use chess_core::search::pattern::Families;
use pgrx::PgList;
use pgrx::pg_sys::{self, Node, NodeTag};

use crate::clauses::expressions::{Constant, clause, constant, is_type, operator_of};
use crate::index::predicate::Predicate;
use crate::server::datum::{Varlena, count_of};
use crate::values::pattern::pattern_of;

/// The arguments of a predicate.
///
/// # Safety
///
/// The node must be the planner's.
pub unsafe fn operands(clause: *mut Node) -> Option<PgList<Node>> {
    // SAFETY: the caller passes a clause; the tag says what it is.
    unsafe {
        let args = match (*clause).type_ {
            NodeTag::T_FuncExpr => (*clause.cast::<pg_sys::FuncExpr>()).args,
            NodeTag::T_OpExpr => (*clause.cast::<pg_sys::OpExpr>()).args,
            _ => return None,
        };
        Some(PgList::from_pg(args))
    }
}

/// The number of boards in a predicate with a constant array.
///
/// # Safety
///
/// The predicate must be the planner's, or null.
pub unsafe fn boards_of_array(predicate: *mut Node) -> Option<usize> {
    // SAFETY: the tags say what the nodes are, their types what the bytes are.
    unsafe {
        if predicate.is_null() {
            return None;
        }
        let args = operands(predicate)?;
        let constants = args.iter_ptr().filter(|arg| (**arg).type_ == NodeTag::T_Const);
        let mut arrays = constants.map(|arg| &*arg.cast::<pg_sys::Const>()).filter(|constant| {
            !constant.constisnull && is_type(pg_sys::get_element_type(constant.consttype), c"chessboard_in")
        });
        arrays.next().map(|array| count_of(&Varlena::new(array.constvalue)))
    }
}

/// The candidates of an operator clause about a pattern, and the number of lists that an index of the access method
/// `chess` reads for it: `None` if no key narrows the search. The operator of candidates estimates how many games the
/// index leaves.
///
/// # Safety
///
/// The clause must be the planner's.
pub unsafe fn pattern_candidates(qual: *mut Node) -> Option<(*mut Node, Option<usize>)> {
    /// Lists of a pattern that is not known yet.
    const UNKNOWN: usize = 2;
    // SAFETY: the caller's promise; the types are checked.
    unsafe {
        if (*qual).type_ != NodeTag::T_OpExpr {
            return None;
        }
        let args = operands(qual)?;
        let (game, pattern) = (args.get_ptr(0)?, args.get_ptr(1)?);
        let pattern_type = pg_sys::exprType(pattern);
        if !is_type(pattern_type, c"chesspattern_in") {
            return None;
        }
        let namespace = pg_sys::get_func_namespace(pg_sys::get_opcode((*qual.cast::<pg_sys::OpExpr>()).opno));
        let game_type = pg_sys::getBaseType(pg_sys::exprType(game));
        let name = Predicate::PatternCandidate.operator()?;
        let operator = operator_of(namespace, name, game_type, pattern_type)?;
        let lists = match constant(pattern) {
            Constant::Value(value) => {
                let tree = pattern_of(&Varlena::new(value)).key_tree(Families::ALL);
                tree.is_known().then(|| tree.wanted().len())
            }
            _ => Some(UNKNOWN),
        };
        Some((clause(operator, game, pattern), lists))
    }
}

/// Whether keys of these families narrow the search for a pattern: for some patterns none does. True for a pattern that
/// is not a constant.
///
/// # Safety
///
/// The node must be the planner's.
pub unsafe fn has_keys(pattern: *mut Node, families: Families) -> bool {
    // SAFETY: the caller passes an expression of the planner; the type says what the bytes are.
    unsafe {
        match constant(pattern) {
            Constant::Value(value) => pattern_of(&Varlena::new(value)).key_tree(families).is_known(),
            _ => true,
        }
    }
}
