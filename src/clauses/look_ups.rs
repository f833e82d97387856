//! What the clauses of a query look up in an index.
//!
//! Takes a clause as the planner has it; returns its arguments, the number of its boards, or the lists of its pattern.

use chess_core::search::pattern::{Families, Wanted};
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

/// The sides of a predicate.
pub struct Sides {
    /// The game that is searched.
    pub game: *mut Node,
    /// What is looked for in it.
    pub other: *mut Node,
    /// The place of the game among the arguments, counted from 0.
    pub game_at: i32,
}

/// The sides of a predicate: the game is the first argument that is one, because an opening is a game, too. Only the game
/// can be the column of an index.
///
/// # Safety
///
/// The arguments must be the planner's.
pub unsafe fn sides(args: &PgList<Node>) -> Option<Sides> {
    // SAFETY: the caller's promise.
    let is_game = |node| unsafe { is_type(pg_sys::exprType(node), c"chessgame_in") };
    let (left, right) = (args.get_ptr(0)?, args.get_ptr(1)?);
    if is_game(left) {
        Some(Sides { game: left, other: right, game_at: 0 })
    } else {
        is_game(right).then_some(Sides { game: right, other: left, game_at: 1 })
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

/// What an index of the access method `chess` finds for an operator clause about a pattern.
pub struct Candidates {
    /// A clause whose estimate is the number of games that the index finds.
    pub clause: *mut Node,
    /// The number of lists to read; `None` if no key narrows the search.
    pub lists: Option<usize>,
    /// How many of them are ranges of materials, whose lists are united before the first game is known.
    pub ranges: usize,
    /// Whether all of these games match, as far as the planner can tell.
    pub are_certain: bool,
}

/// The candidates of an operator clause about a pattern; `None` for another clause.
///
/// # Safety
///
/// The clause must be the planner's.
pub unsafe fn pattern_candidates(qual: *mut Node) -> Option<Candidates> {
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
        let clause = clause(operator_of(namespace, name, game_type, pattern_type)?, game, pattern);
        let Constant::Value(value) = constant(pattern) else {
            return Some(Candidates { clause, lists: Some(UNKNOWN), ranges: 0, are_certain: false });
        };
        let pattern = pattern_of(&Varlena::new(value));
        let tree = pattern.key_tree(Families::ALL.with(Families::COMMON));
        // A pattern that holds with one material of a range mostly does so with all of them.
        let are_certain = pattern.certainty().is_some_and(|mut certainty| {
            (0..tree.wanted().len()).all(|wanted| tree.example(wanted).is_some_and(|example| certainty.holds(example)))
        });
        let lists = tree.is_known().then(|| tree.wanted().len());
        let ranges = tree.wanted().iter().filter(|wanted| matches!(wanted, Wanted::Material { .. })).count();
        Some(Candidates { clause, lists, ranges, are_certain: are_certain && lists.is_some() })
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
