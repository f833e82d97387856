//! Planner support functions: derive an index condition from the user's predicate, its selectivity
//! ([`super::selectivity`]) and, for an array of boards, its cost.
//!
//! * `hasopening(game, opening)` and `game ^@ opening` become `game >= lower AND game < upper` for a B-tree index.
//!   For a constant this is exact. If the opening is a parameter or a column, the bounds are function calls, and the
//!   predicate is rechecked, because after the last opening from a start no game ends the range exactly.
//! * `hasboard(game, board)` becomes `game @> board` and `haspieces(game, board)` becomes `game @~ board` for a GIN
//!   index, with or without a number of half-moves. The bitmap scan has the predicate itself as its filter and drops
//!   the recheck, so that it is evaluated once.
//! * An index of the access method `chess` serves `@>`, `@~`, `@>>`, `&&`, `^@` and `@@` as they are; functions become
//!   these operators, `hasmaterial` becomes `@@`. It is not used for a pattern that is a constant and that no key narrows.

use chess_core::GameResult;
use chess_core::game::recorder::Recorder;
use chess_core::game::start::GameStart;
use chess_core::search::material::Material;
use pgrx::PgList;
use pgrx::pg_sys::{self, Datum, Node, NodeTag, Oid};

use super::selectivity::{self, Request};
use super::{pattern_costs, text_arguments};
use crate::clauses::expressions::{
    Constant, Range, all_may_call, call_of, clause, constant, is_type, may_call, operator_of, type_of,
};
use crate::clauses::look_ups::{Sides, boards_of_array, has_keys, operands, sides};
use crate::clauses::predicate::{Operand, Predicate};
use crate::server::datum::{Varlena, varlena_from};
use crate::server::fmgr::Call;
use crate::values::pattern::pattern_of_material;

sql_fn!(hasopening_support(internal) -> internal, |call| support(&call, Predicate::Opening));
sql_fn!(hasboard_support(internal) -> internal, |call| support(&call, Predicate::Position));
sql_fn!(haspieces_support(internal) -> internal, |call| support(&call, Predicate::Pieces));
sql_fn!(hasallboards_support(internal) -> internal, |call| support(&call, Predicate::AllPositions));
sql_fn!(hasanyboard_support(internal) -> internal, |call| support(&call, Predicate::AnyPosition));
sql_fn!(haspattern_support(internal) -> internal, |call| support(&call, Predicate::Pattern));
sql_fn!(hasmaterial_support(internal) -> internal, |call| support(&call, Predicate::Material));

fn support(call: &Call, predicate: Predicate) -> Datum {
    let node = call.internal::<Node>(0);
    // SAFETY: a support function is called with a request node; its tag says which.
    unsafe {
        match (*node).type_ {
            NodeTag::T_SupportRequestIndexCondition => {
                let request = &mut *node.cast::<pg_sys::SupportRequestIndexCondition>();
                index_condition(request, predicate).map_or(Datum::null(), |list| Datum::from(list.into_pg()))
            }
            NodeTag::T_SupportRequestSelectivity => {
                let request = &mut *node.cast::<pg_sys::SupportRequestSelectivity>();
                let join = if request.is_join { request.sjinfo } else { std::ptr::null_mut() };
                let asked = Request {
                    root: request.root,
                    function: request.funcid,
                    args: request.args,
                    relation: request.varRelid,
                    join,
                };
                request.selectivity = selectivity::share(predicate, &asked);
                Datum::from(node)
            }
            NodeTag::T_SupportRequestCost if predicate == Predicate::Pattern => {
                pattern_costs::answer(&mut *node.cast())
            }
            NodeTag::T_SupportRequestCost => {
                let request = &mut *node.cast::<pg_sys::SupportRequestCost>();
                let cost = match boards_of_array(request.node) {
                    Some(boards) => {
                        let cost = COST_PER_BOARD * boards.max(1) as f64;
                        Some(if predicate.operand() == Operand::AnyBoard {
                            cost.min(COST_OF_MANY_BOARDS)
                        } else {
                            cost
                        })
                    }
                    None => None,
                };
                match cost {
                    Some(cost) => {
                        request.startup = 0.0;
                        request.per_tuple = cost * pg_sys::cpu_operator_cost;
                        Datum::from(node)
                    }
                    None => Datum::null(),
                }
            }
            NodeTag::T_SupportRequestSimplify => {
                let request = &*node.cast();
                let pattern = if predicate == Predicate::Material { as_pattern(request) } else { None };
                pattern.map_or_else(|| text_arguments::simplified(request), Datum::from)
            }
            _ => Datum::null(),
        }
    }
}

/// `game @@ pattern` in the place of `hasmaterial(game, material)`. The executor tests the call of a function for each row
/// that an index has found, and an operator that the index serves only where the index is not certain. `None` for another
/// predicate, for a material that is not a constant, and if there is a role that may not call both functions.
unsafe fn as_pattern(request: &pg_sys::SupportRequestSimplify) -> Option<*mut Node> {
    // SAFETY: the request is PostgreSQL's; builds an expression in the planner's memory.
    unsafe {
        let call = &*request.fcall;
        let args = PgList::<Node>::from_pg(call.args);
        let (Some(game), Some(material), 2) = (args.get_ptr(0), args.get_ptr(1), args.len()) else { return None };
        let is_material =
            pg_sys::exprType(material) == pg_sys::TEXTOID && is_type(pg_sys::exprType(game), c"chessgame_in");
        if !is_material || !matches!(constant(material), Constant::Value(_)) || !all_may_call(call.funcid) {
            return None;
        }
        let namespace = pg_sys::get_func_namespace(call.funcid);
        let pattern_type = type_of(namespace, c"chesspattern")?;
        let pattern = pattern_of_text(request.root, namespace, pattern_type, material)?;
        let game_type = pg_sys::getBaseType(pg_sys::exprType(game));
        let operator = operator_of(namespace, Predicate::Pattern.operator()?, game_type, pattern_type)?;
        all_may_call(pg_sys::get_opcode(operator)).then(|| clause(operator, game, pattern))
    }
}

/// The COST of predicates with one board (sql/search.sql).
const COST_PER_BOARD: f64 = 10.0;
/// The cost of a search for any of many boards: each position of the game is looked up among them.
const COST_OF_MANY_BOARDS: f64 = 160.0;

unsafe fn index_condition(
    request: &mut pg_sys::SupportRequestIndexCondition,
    predicate: Predicate,
) -> Option<PgList<Node>> {
    // SAFETY: the request is PostgreSQL's; its nodes live in the planner's memory.
    unsafe {
        let args = operands(request.node)?;
        let Sides { game, other: query, game_at } = sides(&args)?;
        // No index knows which of its games are beginnings of a given one. The other argument must not depend on the row.
        if request.indexarg != game_at || !pg_sys::is_pseudo_constant_for_index(request.root, query, request.index) {
            return None;
        }
        let game_type = pg_sys::getBaseType(pg_sys::exprType(game));
        let namespace = pg_sys::get_func_namespace(request.funcid);
        // Other operator families may use the same numbers for other operators.
        let ours = |name, right_type| {
            let operator = operator_of(namespace, name, game_type, right_type)?;
            let serves = pg_sys::op_in_opfamily(operator, request.opfamily);
            (serves && may_call(request.root, pg_sys::get_opcode(operator))).then_some(operator)
        };
        let mut conditions = PgList::new();
        match (predicate, (*request.index).relam) {
            (Predicate::Opening, pg_sys::BTREE_AM_OID) => {
                let (at_least, below) = (ours(c">=", game_type)?, ours(c"<", game_type)?);
                let range = match opening_of(query) {
                    Some(opening) => Range::of_constant(game_type, &opening),
                    None => Range::of_expression(request.root, namespace, game_type, query)?,
                };
                conditions.push(clause(at_least, game, range.lower));
                conditions.push(clause(below, game, range.upper));
                request.lossy = !range.is_exact;
            }
            (_, pg_sys::BTREE_AM_OID) => return None,
            // GIN, the access method `chess`, which has no oid of its own, or another that serves the operator.
            _ => {
                let (predicate, query) = match predicate {
                    Predicate::Material => {
                        let pattern_type = type_of(namespace, c"chesspattern")?;
                        (Predicate::Pattern, pattern_of_text(request.root, namespace, pattern_type, query)?)
                    }
                    _ => (predicate, query),
                };
                let query_type = pg_sys::exprType(query);
                let earlier = || ours(predicate.earlier_operator()?, query_type);
                let operator = ours(predicate.operator()?, query_type).or_else(earlier)?;
                if predicate == Predicate::Pattern && !has_keys(query) {
                    return None;
                }
                conditions.push(clause(operator, game, with_limit(request, &args, query)?));
                // Indexes do not store numbers of half-moves.
                request.lossy = args.len() > 2;
            }
        }
        Some(conditions)
    }
}

/// Returns the value to look up. A negative number of half-moves is an error of the predicate, which an index scan without
/// results would hide. If the number is known only at execution, the value becomes `CASE WHEN predicate(empty game) THEN value
/// ELSE value END`, which the executor evaluates once for each scan. `None` for a number that is known to be negative.
unsafe fn with_limit(
    request: &pg_sys::SupportRequestIndexCondition,
    args: &PgList<Node>,
    value: *mut Node,
) -> Option<*mut Node> {
    // SAFETY: the request is PostgreSQL's; builds expressions in the planner's memory.
    unsafe {
        let Some(limit) = args.get_ptr(2) else { return Some(value) };
        if let Constant::Value(limit) = constant(limit) {
            return (limit.value() as i32 >= 0).then_some(value);
        }
        // A number that depends on the row is tested with the row.
        if !pg_sys::is_pseudo_constant_for_index(request.root, limit, request.index) {
            return Some(value);
        }
        let copy = |node: *mut Node| pg_sys::copyObjectImpl(node.cast()).cast::<Node>();
        let empty = varlena_from(Recorder::new(GameStart::standard()).finish(GameResult::Unknown, false).as_bytes());
        let mut tested = PgList::<Node>::new();
        for (nth, arg) in args.iter_ptr().enumerate() {
            let is_game = nth as i32 == request.indexarg;
            let game_type = pg_sys::getBaseType(pg_sys::exprType(arg));
            let game = || pg_sys::makeConst(game_type, -1, Oid::INVALID, -1, empty, false, false).cast();
            tested.push(if is_game { game() } else { copy(arg) });
        }
        let (none, form) = (Oid::INVALID, pg_sys::CoercionForm::COERCE_EXPLICIT_CALL);
        let when = pg_sys::palloc0(size_of::<pg_sys::CaseWhen>()).cast::<pg_sys::CaseWhen>();
        (*when).xpr.type_ = NodeTag::T_CaseWhen;
        (*when).expr = pg_sys::makeFuncExpr(request.funcid, pg_sys::BOOLOID, tested.into_pg(), none, none, form).cast();
        (*when).result = value.cast();
        let mut whens = PgList::<pg_sys::CaseWhen>::new();
        whens.push(when);
        let case = pg_sys::palloc0(size_of::<pg_sys::CaseExpr>()).cast::<pg_sys::CaseExpr>();
        (*case).xpr.type_ = NodeTag::T_CaseExpr;
        (*case).casetype = pg_sys::exprType(value);
        (*case).args = whens.into_pg();
        (*case).defresult = copy(value).cast();
        Some(case.cast())
    }
}

/// The pattern of a material, as an expression.
unsafe fn pattern_of_text(
    root: *mut pg_sys::PlannerInfo,
    namespace: Oid,
    pattern_type: Oid,
    text: *mut Node,
) -> Option<*mut Node> {
    // SAFETY: the caller passes a text; builds an expression in the planner's memory.
    unsafe {
        let Constant::Value(value) = constant(text) else {
            return call_of(root, namespace, c"chesspattern_material", (pg_sys::TEXTOID, pattern_type), text);
        };
        let value = Varlena::new(value);
        let material = std::str::from_utf8(&value).ok().and_then(Material::read)?;
        let pattern = varlena_from(&pattern_of_material(material)?);
        Some(pg_sys::makeConst(pattern_type, -1, Oid::INVALID, -1, pattern, false, false).cast())
    }
}

/// The opening, if it is a constant.
unsafe fn opening_of(query: *mut Node) -> Option<Varlena<'static>> {
    // SAFETY: the tag says what the node is, the type what its bytes are; the constant is the planner's.
    unsafe {
        if (*query).type_ != NodeTag::T_Const {
            return None;
        }
        let constant = &*query.cast::<pg_sys::Const>();
        let is_opening = !constant.constisnull && is_type(constant.consttype, c"chessgame_in");
        is_opening.then(|| Varlena::new(constant.constvalue))
    }
}
