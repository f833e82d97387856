//! What the clauses of a query look up in an index.
//!
//! Takes a clause as the planner has it; returns its arguments, the number of its boards, or the lists of its pattern and the
//! share of the games that are in them.

use std::ffi::CStr;

use chess_core::search::pattern::{Pattern, Wanted};
use chess_estimates::column::UNKNOWN_PATTERN;
use pgrx::PgList;
use pgrx::pg_sys::{self, Datum, Node, NodeTag, Oid, PlannerInfo};

use crate::clauses::columns::Variable;
use crate::clauses::expressions::{Constant, constant, is_type, result_of};
use crate::clauses::predicate::{Operand, Predicate};
use crate::clauses::samples::{self, MOST_GAMES, MOST_PATTERNS};
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

/// The predicate of a clause about boards that all arise in the game; `None` for another clause.
///
/// # Safety
///
/// The clause must be the planner's.
pub unsafe fn predicate_of_boards(clause: *mut Node) -> Option<Predicate> {
    // SAFETY: the tags say what the nodes are; look-ups in the system catalogs.
    unsafe {
        let function = match (*clause).type_ {
            NodeTag::T_FuncExpr => (*clause.cast::<pg_sys::FuncExpr>()).funcid,
            NodeTag::T_OpExpr => pg_sys::get_opcode((*clause.cast::<pg_sys::OpExpr>()).opno),
            _ => return None,
        };
        // Only a superuser gives a function its planner support, which tells what it asks.
        let support = pg_sys::get_func_support(function);
        let name = if support == Oid::INVALID { std::ptr::null_mut() } else { pg_sys::get_func_name(support) };
        match (!name.is_null()).then(|| CStr::from_ptr(name))?.to_bytes() {
            b"hasboard_support" => Some(Predicate::Position),
            b"haspieces_support" => Some(Predicate::Pieces),
            b"hasallboards_support" => Some(Predicate::AllPositions),
            _ => None,
        }
    }
}

/// The game of such a clause, and its board or array of boards, if that is a constant.
///
/// # Safety
///
/// The clause must be one of the planner's with this predicate.
pub unsafe fn boards_of(clause: *mut Node, predicate: Predicate) -> Option<(*mut Node, Datum)> {
    // SAFETY: the caller's promise.
    unsafe {
        let Sides { game, other, .. } = sides(&operands(clause)?)?;
        let Constant::Value(value) = constant(other) else { return None };
        samples::is_operand(predicate.operand(), pg_sys::exprType(other)).then_some((game, value))
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
        let constants = args.iter_ptr().map(|arg| result_of(arg)).filter(|arg| (**arg).type_ == NodeTag::T_Const);
        let mut arrays = constants.map(|arg| &*arg.cast::<pg_sys::Const>()).filter(|constant| {
            !constant.constisnull && is_type(pg_sys::get_element_type(constant.consttype), c"chessboard_in")
        });
        arrays.next().map(|array| count_of(&Varlena::new(array.constvalue)))
    }
}

/// What an index of the access method `chess` finds for an operator clause about a pattern.
pub struct Candidates {
    /// The function of the operator.
    function: Oid,
    game: *mut Node,
    pattern: *mut Node,
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
        let (game, pattern) = (args.get_ptr(0)?, result_of(args.get_ptr(1)?));
        if !is_type(pg_sys::exprType(pattern), c"chesspattern_in") {
            return None;
        }
        let function = pg_sys::get_opcode((*qual.cast::<pg_sys::OpExpr>()).opno);
        let found = |lists, ranges, are_certain| Candidates { function, game, pattern, lists, ranges, are_certain };
        let Constant::Value(value) = constant(pattern) else { return Some(found(Some(UNKNOWN), 0, false)) };
        let known = pattern_of(&Varlena::new(value));
        let tree = known.key_tree();
        // A pattern that holds with one material of a range mostly does so with all of them.
        let are_certain = known.certainty().is_some_and(|mut certainty| {
            (0..tree.wanted().len()).all(|wanted| tree.example(wanted).is_some_and(|example| certainty.holds(example)))
        });
        let lists = tree.is_known().then(|| tree.wanted().len());
        let ranges = tree.wanted().iter().filter(|wanted| matches!(wanted, Wanted::Material { .. })).count();
        Some(found(lists, ranges, are_certain && lists.is_some()))
    }
}

impl Candidates {
    /// The estimated share of the rows that are among them. `counted` tells the share of a constant, if that is known.
    ///
    /// # Safety
    ///
    /// The clause must be one of this planner.
    pub unsafe fn share(&self, root: *mut PlannerInfo, counted: impl Fn(&Pattern) -> Option<f64>) -> f64 {
        // SAFETY: the caller's promise; the types of both sides are checked before their bytes are read.
        unsafe {
            let game = pg_sys::estimate_expression_value(root, self.game);
            let pattern = pg_sys::estimate_expression_value(root, self.pattern);
            let Some(own) = Variable::of(root, self.function, game).games() else { return UNKNOWN_PATTERN };
            let whole = samples::whole_games(root, self.function, game, &own);
            let column = whole.map_or(own, |(whole, _)| whole);
            let of_pattern = |pattern: &[u8], games| column.pattern_candidates(&pattern_of(pattern), games);
            match constant(pattern) {
                Constant::Null => 0.0,
                Constant::Value(pattern) => {
                    let pattern = pattern_of(&Varlena::new(pattern));
                    counted(&pattern).unwrap_or_else(|| column.pattern_candidates(&pattern, usize::MAX))
                }
                Constant::Unknown => {
                    let (function, unknown) = (self.function, UNKNOWN_PATTERN);
                    samples::average(root, function, pattern, Operand::Pattern, MOST_PATTERNS, unknown, |pattern| {
                        of_pattern(pattern, MOST_GAMES)
                    })
                }
            }
        }
    }
}

/// Whether keys narrow the search for a pattern: for some patterns none does. True for a pattern that is not a constant.
///
/// # Safety
///
/// The node must be the planner's.
pub unsafe fn has_keys(pattern: *mut Node) -> bool {
    // SAFETY: the caller passes an expression of the planner; the type says what the bytes are.
    unsafe {
        match constant(pattern) {
            Constant::Value(value) => pattern_of(&Varlena::new(value)).key_tree().is_known(),
            _ => true,
        }
    }
}
