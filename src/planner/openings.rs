//! Predicates on openings that the planner cannot use: with the opening on the left, or with an array.
//!
//! Takes a call of such a predicate; returns `game ^@ opening`, which has an estimate and an index condition
//! ([`super::index_condition`]). An array becomes one condition per opening, joined by OR, so that each can use the
//! index.

use pgrx::PgList;
use pgrx::pg_sys::{self, BoolExprType, Datum, Node, NodeTag, Oid};

use crate::clauses::expressions::{all_may_call, clause, is_type, operator_of};
use crate::server::datum::{Varlena, count_of, each_element, varlena_from};
use crate::server::fmgr::Call;

sql_fn!(openings_support(internal) -> internal, |call| support(&call));

/// Larger arrays stay as they are: planning would take longer than checking many games.
const MOST_OPENINGS: usize = 64;

fn support(call: &Call) -> Datum {
    let node = call.internal::<Node>(0);
    // SAFETY: a support function is called with a request node; its tag says which.
    unsafe {
        if (*node).type_ != NodeTag::T_SupportRequestSimplify {
            return Datum::null();
        }
        let request = &*node.cast::<pg_sys::SupportRequestSimplify>();
        Datum::from(simplified(request).unwrap_or(std::ptr::null_mut()))
    }
}

unsafe fn simplified(request: &pg_sys::SupportRequestSimplify) -> Option<*mut Node> {
    // SAFETY: the request is PostgreSQL's; its nodes live in the planner's memory, their types say what their bytes are.
    unsafe {
        let call = &*request.fcall;
        let args = PgList::<Node>::from_pg(call.args);
        let (left, right) = (args.get_ptr(0)?, args.get_ptr(1)?);
        let array_of = |node| is_type(pg_sys::get_element_type(pg_sys::exprType(node)), c"chessgame_in");
        let (game, openings, in_array) = match (array_of(left), array_of(right)) {
            (false, true) => (left, right, true),
            (true, false) => (right, left, true),
            _ => (right, left, false),
        };
        let game_type = pg_sys::getBaseType(pg_sys::exprType(game));
        let operator = operator_of(pg_sys::get_func_namespace(call.funcid), c"^@", game_type, game_type)?;
        if !all_may_call(pg_sys::get_opcode(operator)) {
            return None;
        }
        let starts_with = |opening: *mut Node| {
            // each has its own copy, because the planner changes some nodes in place
            let test = clause(operator, pg_sys::copyObjectImpl(game.cast()).cast(), opening);
            pg_sys::set_opfuncid(test.cast());
            test
        };
        if !in_array {
            return Some(starts_with(openings));
        }
        // The game occurs once per opening, so evaluating it must cost nothing.
        if (*openings).type_ != NodeTag::T_Const || (*plain(game)).type_ != NodeTag::T_Var {
            return None;
        }
        let constant = &*openings.cast::<pg_sys::Const>();
        if constant.constisnull {
            return None;
        }
        let mut known: Vec<Vec<u8>> = Vec::new();
        let array = Varlena::new(constant.constvalue);
        if count_of(&array) > MOST_OPENINGS {
            return None;
        }
        each_element(&array, |opening| known.extend(opening.map(<[u8]>::to_vec)));
        known.sort_unstable();
        known.dedup();
        // Without openings the result is false, unless the game is NULL.
        if known.is_empty() {
            return None;
        }
        let mut tests = PgList::<Node>::new();
        for opening in known {
            let value = varlena_from(&opening);
            tests.push(starts_with(pg_sys::makeConst(game_type, -1, Oid::INVALID, -1, value, false, false).cast()));
        }
        match tests.len() {
            1 => tests.get_ptr(0),
            _ => Some(pg_sys::makeBoolExpr(BoolExprType::OR_EXPR, tests.into_pg(), -1).cast()),
        }
    }
}

/// An expression without coercions to a domain.
unsafe fn plain(mut node: *mut Node) -> *mut Node {
    // SAFETY: the tag says what the node is.
    unsafe {
        while (*node).type_ == NodeTag::T_RelabelType {
            node = (*node.cast::<pg_sys::RelabelType>()).arg.cast();
        }
        node
    }
}
