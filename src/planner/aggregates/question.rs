//! The conditions of a query as a question to an index.
//!
//! Takes the conditions of a table and an index as the planner has them; returns boards, tests of attributes and filters of
//! groups, or `None` if a condition is of another kind.

use std::ffi::CStr;

use pgrx::PgList;
use pgrx::pg_sys::{self, Datum, IndexOptInfo, Node, NodeTag, Oid};

use crate::access_method::attributes::Comparison;
use crate::access_method::sums::node::plan::{Kind, Test};
use crate::clauses::expressions::{Constant, constant, function_of, is_type, walk};
use crate::clauses::predicate::Predicate;
use crate::planner::aggregates::results::Results;

/// A condition of a query.
pub struct Condition {
    /// As the query has it.
    pub original: *mut Node,
    /// The same for the table with the index, which may be a partition.
    pub here: *mut Node,
}

/// A question that an index answers.
pub struct Question {
    /// What games reach: any of these boards or arrays of boards, or all of these patterns.
    pub boards: Vec<(Predicate, *mut Node)>,
    /// Whether the last pattern is no condition: the games are grouped by it.
    pub is_keyed: bool,
    pub tests: Vec<Test>,
    /// The values of the comparisons, in the order of the tests.
    pub values: Vec<*mut Node>,
    /// Conditions on the move played in the position, `nextmove(game, board)`, as the query has them. Each holds for all
    /// games of a group by moves, or for none.
    pub filters: Vec<*mut Node>,
    /// The results of the index.
    pub results: Option<Results>,
}

impl Question {
    /// The conditions as a question to this index.
    ///
    /// # Safety
    ///
    /// The conditions and the index must be the planner's.
    pub unsafe fn new(conditions: &[Condition], info: &IndexOptInfo) -> Option<Question> {
        // SAFETY: the planner's own structures.
        unsafe {
            let (mut boards, mut others) = (Vec::new(), Vec::new());
            for condition in conditions {
                match boards_of(condition.here, info).or_else(|| Some(vec![pattern_of_clause(condition.here, info)?])) {
                    Some(found) if boards.iter().chain(&found).all(is_pattern) => boards.extend(found),
                    Some(_) if !boards.is_empty() => return None,
                    Some(found) => boards = found,
                    None => others.push(condition),
                }
            }
            let (mut tests, mut values, mut filters) = (Vec::new(), Vec::new(), Vec::new());
            if boards.is_empty() || !boards.iter().all(|(_, board)| is_known_before(*board)) {
                return None;
            }
            let position = position_of(&boards);
            let results = Results::of_index(info);
            for Condition { original, here } in others {
                let found = test_of(*here, info).or_else(|| test_of_result(*here, results.as_ref()?));
                match found {
                    Some((test, value)) => {
                        if value.is_some_and(|value| !is_known_before(value)) {
                            return None;
                        }
                        tests.push(test);
                        values.extend(value);
                    }
                    None if position.is_some_and(|board| is_about_move(*here, board, info)) => filters.push(*original),
                    None => return None,
                }
            }
            Some(Question { boards, is_keyed: false, tests, values, filters, results })
        }
    }

    /// Whether it is about patterns.
    pub fn has_patterns(&self) -> bool {
        self.boards.first().is_some_and(is_pattern)
    }

    /// Groups by a pattern, if one of these keys is one, beside conditions that are patterns.
    ///
    /// # Safety
    ///
    /// The keys and the index must be the planner's.
    pub unsafe fn key_by_pattern(&mut self, keys: impl IntoIterator<Item = *mut Node>, info: &IndexOptInfo) {
        // SAFETY: the caller's promise.
        let key = keys.into_iter().find_map(|key| unsafe { pattern_of_clause(key, info) });
        if let Some(key) = key.filter(|_| self.has_patterns()) {
            self.boards.push(key);
            self.is_keyed = true;
        }
    }

    /// The position, if the question is about a single one, in which moves are played.
    pub fn position(&self) -> Option<*mut Node> {
        position_of(&self.boards)
    }

    /// Whether another question has the same answer from an index with the same columns.
    ///
    /// # Safety
    ///
    /// Both must be the planner's.
    pub unsafe fn is_like(&self, other: &Question) -> bool {
        let columns = |of: &Question| of.results.as_ref().map(Results::column);
        let nodes =
            |of: &Question| of.boards.iter().map(|(_, board)| *board).chain(of.values.clone()).collect::<Vec<_>>();
        let predicates = |of: &Question| of.boards.iter().map(|(predicate, _)| *predicate).collect::<Vec<_>>();
        let (one, another) = (nodes(self), nodes(other));
        // SAFETY: the caller's promise.
        let are_equal =
            |(one, other): (&*mut Node, &*mut Node)| unsafe { pg_sys::equal((*one).cast(), (*other).cast()) };
        self.tests == other.tests
            && self.is_keyed == other.is_keyed
            && columns(self) == columns(other)
            && predicates(self) == predicates(other)
            && one.len() == another.len()
            && one.iter().zip(&another).all(are_equal)
    }
}

fn is_pattern((predicate, _): &(Predicate, *mut Node)) -> bool {
    *predicate == Predicate::Pattern
}

fn position_of(boards: &[(Predicate, *mut Node)]) -> Option<*mut Node> {
    match boards {
        [(Predicate::Position, board)] => Some(*board),
        _ => None,
    }
}

/// Whether a value is the same for all rows, so that it can be computed before any is read.
unsafe fn is_known_before(value: *mut Node) -> bool {
    // SAFETY: the planner's own expression.
    unsafe {
        !pg_sys::contain_var_clause(value)
            && !pg_sys::contain_volatile_functions(value)
            && !pg_sys::contain_subplans(value)
    }
}

/// Whether an expression is the game of the index.
unsafe fn is_game(node: *mut Node, info: &IndexOptInfo) -> bool {
    // SAFETY: the planner's own structures.
    unsafe { pg_sys::match_index_to_operand(node, 0, (&raw const *info).cast_mut()) }
}

/// The boards of a condition that holds for games that reach any of them: `hasboard`, `haspieces`, the operators `@>`, `@~` and
/// `&&`, `game @> ANY (boards)`, and these joined by OR. The game is the first column of the index.
unsafe fn boards_of(clause: *mut Node, info: &IndexOptInfo) -> Option<Vec<(Predicate, *mut Node)>> {
    // SAFETY: the tags say what the nodes are.
    unsafe {
        match (*clause).type_ {
            NodeTag::T_FuncExpr => {
                let names = [(c"hasboard", Predicate::Position), (c"haspieces", Predicate::Pieces)];
                let found = |(name, predicate)| Some(vec![(predicate, board_of_call(clause, name, info)?)]);
                names.into_iter().find_map(found)
            }
            NodeTag::T_OpExpr => {
                let operator = &*clause.cast::<pg_sys::OpExpr>();
                let args = PgList::<Node>::from_pg(operator.args);
                let (left, right) = (args.get_ptr(0)?, args.get_ptr(1)?);
                let (operator, game, board) = match is_game(left, info) {
                    true => (operator.opno, left, right),
                    false => (pg_sys::get_commutator(operator.opno), right, left),
                };
                let predicate = is_game(game, info).then(|| predicate_of(operator, info))??;
                let is_any = matches!(predicate, Predicate::Position | Predicate::Pieces | Predicate::AnyPosition);
                is_any.then(|| vec![(predicate, board)])
            }
            NodeTag::T_ScalarArrayOpExpr => {
                let any = &*clause.cast::<pg_sys::ScalarArrayOpExpr>();
                let args = PgList::<Node>::from_pg(any.args);
                let (game, boards) = (args.get_ptr(0)?, args.get_ptr(1)?);
                // Unlike the operators, this takes arrays of any length, so it must be known that the array is short.
                let is_it = any.useOr
                    && is_game(game, info)
                    && predicate_of(any.opno, info) == Some(Predicate::Position)
                    && matches!(constant(boards), Constant::Value(_));
                is_it.then(|| vec![(Predicate::AnyPosition, boards)])
            }
            NodeTag::T_BoolExpr if (*clause.cast::<pg_sys::BoolExpr>()).boolop == pg_sys::BoolExprType::OR_EXPR => {
                let args = PgList::<Node>::from_pg((*clause.cast::<pg_sys::BoolExpr>()).args);
                let found: Option<Vec<_>> = args.iter_ptr().map(|arg| boards_of(arg, info)).collect();
                Some(found?.into_iter().flatten().collect())
            }
            _ => None,
        }
    }
}

/// The pattern of `game @@ pattern`, whose game is the first column of the index. The pattern must be a constant, because what its
/// lists tell is looked up by the planner.
///
/// # Safety
///
/// The clause and the index must be the planner's.
pub unsafe fn pattern_of_clause(clause: *mut Node, info: &IndexOptInfo) -> Option<(Predicate, *mut Node)> {
    // SAFETY: the tag says what the node is.
    unsafe {
        if (*clause).type_ != NodeTag::T_OpExpr {
            return None;
        }
        let operator = &*clause.cast::<pg_sys::OpExpr>();
        let args = PgList::<Node>::from_pg(operator.args);
        let (game, pattern) = (args.get_ptr(0)?, args.get_ptr(1)?);
        let is_it = is_game(game, info)
            && predicate_of(operator.opno, info) == Some(Predicate::Pattern)
            && matches!(constant(pattern), Constant::Value(_));
        is_it.then_some((Predicate::Pattern, pattern))
    }
}

/// The predicate of an operator in the index's class of games.
unsafe fn predicate_of(operator: Oid, info: &IndexOptInfo) -> Option<Predicate> {
    if operator == Oid::INVALID {
        return None;
    }
    // SAFETY: a look-up in the system catalogs.
    let strategy = unsafe { pg_sys::get_op_opfamily_strategy(operator, *info.opfamily) };
    Predicate::of_strategy(u16::try_from(strategy).ok()?)
}

/// The board of a call of the extension's function with this name, `name(game, board)`, whose game is the first column of
/// the index.
///
/// # Safety
///
/// The expression and the index must be the planner's.
pub unsafe fn board_of_call(expression: *mut Node, name: &CStr, info: &IndexOptInfo) -> Option<*mut Node> {
    // SAFETY: the tag says what the node is; look-ups in the system catalogs.
    unsafe {
        if (*expression).type_ != NodeTag::T_FuncExpr {
            return None;
        }
        let call = &*expression.cast::<pg_sys::FuncExpr>();
        let args = PgList::<Node>::from_pg(call.args);
        let (game, board) = (args.get_ptr(0)?, args.get_ptr(1)?);
        if args.len() != 2 || !is_game(game, info) {
            return None;
        }
        let type_of = |node| pg_sys::getBaseType(pg_sys::exprType(node));
        let (game_type, board_type) = (type_of(game), type_of(board));
        let is_ours = is_type(game_type, c"chessgame_in")
            && is_type(board_type, c"chessboard_in")
            && function_of(namespace_of(game_type), name, &[game_type, board_type]) == Some(call.funcid);
        is_ours.then_some(board)
    }
}

/// The schema of the extension: that of its type's input function.
///
/// # Safety
///
/// The type must exist.
pub unsafe fn namespace_of(type_oid: Oid) -> Oid {
    let (mut input, mut parameter) = (Oid::INVALID, Oid::INVALID);
    // SAFETY: look-ups in the system catalogs.
    unsafe {
        pg_sys::getTypeInputInfo(type_oid, &mut input, &mut parameter);
        pg_sys::get_func_namespace(input)
    }
}

/// The attribute that an expression is, counted from 0.
///
/// # Safety
///
/// The expression and the index must be the planner's.
pub unsafe fn column_of(expression: *mut Node, info: &IndexOptInfo) -> Option<usize> {
    let is_it = |column: &i32| {
        // SAFETY: the caller's promise.
        unsafe { pg_sys::match_index_to_operand(expression, *column, (&raw const *info).cast_mut()) }
    };
    (1..info.nkeycolumns).find(is_it).map(|column| column as usize - 1)
}

/// Whether an operator tells whether its left side, or its right side, is in a range or multirange on the other.
unsafe fn sides_of_range(operator: Oid) -> Option<bool> {
    // SAFETY: a look-up in the system catalogs.
    match u32::from(unsafe { pg_sys::get_opcode(operator) }) {
        pg_sys::F_ELEM_CONTAINED_BY_RANGE | pg_sys::F_ELEM_CONTAINED_BY_MULTIRANGE => Some(true),
        pg_sys::F_RANGE_CONTAINS_ELEM | pg_sys::F_MULTIRANGE_CONTAINS_ELEM => Some(false),
        _ => None,
    }
}

/// A test of an attribute of the index, with the value that it compares with.
///
/// # Safety
///
/// The clause and the index must be the planner's.
pub unsafe fn test_of(clause: *mut Node, info: &IndexOptInfo) -> Option<(Test, Option<*mut Node>)> {
    // SAFETY: the tags say what the nodes are.
    unsafe {
        if (*clause).type_ == NodeTag::T_NullTest {
            let test = &*clause.cast::<pg_sys::NullTest>();
            let is_null = test.nulltesttype == pg_sys::NullTestType::IS_NULL;
            let kind = if is_null { Kind::IsNull } else { Kind::IsNotNull };
            let column = (!test.argisrow).then(|| column_of(test.arg.cast(), info))??;
            return Some((Test { column, kind }, None));
        }
        let (operator, args, is_array) = match (*clause).type_ {
            NodeTag::T_OpExpr => {
                ((*clause.cast::<pg_sys::OpExpr>()).opno, (*clause.cast::<pg_sys::OpExpr>()).args, false)
            }
            NodeTag::T_ScalarArrayOpExpr => {
                let any = &*clause.cast::<pg_sys::ScalarArrayOpExpr>();
                any.useOr.then_some((any.opno, any.args, true))?
            }
            _ => return None,
        };
        let args = PgList::<Node>::from_pg(args);
        let (left, right) = (args.get_ptr(0)?, args.get_ptr(1)?);
        let type_of = |value| pg_sys::getBaseType(pg_sys::exprType(value));
        if let Some(is_left) = sides_of_range(operator).filter(|_| !is_array) {
            let (element, range) = if is_left { (left, right) } else { (right, left) };
            let type_oid = type_of(range);
            // Another type may have an order of its own.
            let is_known = u32::from(type_oid) < pg_sys::FirstNormalObjectId;
            let kind = is_known.then_some(Kind::InRange { type_oid })?;
            return Some((Test { column: column_of(element, info)?, kind }, Some(range)));
        }
        let (column, operator, value) = match column_of(left, info) {
            Some(column) => (column, operator, right),
            None if is_array => return None,
            None => (column_of(right, info)?, pg_sys::get_commutator(operator), left),
        };
        let strategy = match operator {
            Oid::INVALID => 0,
            operator => pg_sys::get_op_opfamily_strategy(operator, *info.opfamily.add(column + 1)),
        };
        let comparison = Comparison::of_strategy(u16::try_from(strategy).ok()?)?;
        let type_oid = if is_array { pg_sys::get_element_type(type_of(value)) } else { type_of(value) };
        let kind = Kind::Compares { comparison, type_oid, is_array };
        Some((Test { column, kind }, Some(value)))
    }
}

/// A condition on the result, such as `result IN ('1-0', '0-1')`, as a test of the number.
unsafe fn test_of_result(clause: *mut Node, results: &Results) -> Option<(Test, Option<*mut Node>)> {
    // SAFETY: the planner's own clause; makes a constant in the planner's memory.
    unsafe {
        let codes = results.codes_of(clause)?;
        let mut elements: Vec<Datum> = codes.into_iter().map(Datum::from).collect();
        let (len, align) = (elements.len() as i32, pg_sys::TYPALIGN_INT as std::ffi::c_char);
        let array = pg_sys::construct_array(elements.as_mut_ptr(), len, pg_sys::INT4OID, 4, true, align);
        let value = pg_sys::makeConst(pg_sys::INT4ARRAYOID, -1, Oid::INVALID, -1, Datum::from(array), false, false);
        let kind = Kind::Compares { comparison: Comparison::Equal, type_oid: pg_sys::INT4OID, is_array: true };
        Some((Test { column: results.column().column, kind }, Some(value.cast())))
    }
}

/// Whether a condition depends on nothing of the row but `nextmove(game, board)`.
unsafe fn is_about_move(clause: *mut Node, board: *mut Node, info: &IndexOptInfo) -> bool {
    let mut has_move = false;
    // SAFETY: the planner's own clause.
    unsafe {
        let has_no_others = walk([clause], |node| {
            let of_call = board_of_call(node, c"nextmove", info);
            if of_call.is_some_and(|of_call| pg_sys::equal(of_call.cast(), board.cast())) {
                has_move = true;
                return Some(false);
            }
            let is_other = matches!((*node).type_, NodeTag::T_Var | NodeTag::T_PlaceHolderVar);
            (!is_other).then_some(true)
        });
        let is_stable = !pg_sys::contain_volatile_functions(clause) && !pg_sys::contain_subplans(clause);
        has_no_others.is_some() && has_move && is_stable
    }
}
