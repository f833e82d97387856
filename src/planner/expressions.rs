//! Planner expressions: which of our types they have, and new ones built from them.
//!
//! All look-ups are in the schema of the extension, by name and exact argument types.

use std::ffi::CStr;

use pgrx::pg_sys::{self, Node, NodeTag, Oid};
use pgrx::{PgBuiltInOids, PgList};

use crate::functions::chessgame::view;
use crate::server::datum::{Varlena, varlena_from};

/// `left operator right`, a boolean.
pub unsafe fn clause(operator: Oid, left: *mut Node, right: *mut Node) -> *mut Node {
    let boolean = PgBuiltInOids::BOOLOID.into();
    // SAFETY: both sides are expressions in the planner's memory; the types have no collation.
    unsafe {
        pg_sys::make_opclause(operator, boolean, false, left.cast(), right.cast(), Oid::INVALID, Oid::INVALID).cast()
    }
}

/// The smallest game of an opening and the first value beyond it, as expressions.
pub unsafe fn bounds(namespace: Oid, game_type: Oid, opening: *mut Node) -> Option<(*mut Node, *mut Node)> {
    // SAFETY: the opening is an expression of type chessgame in the planner's memory.
    unsafe {
        let lower = if (*opening).type_ == NodeTag::T_Const {
            let constant = &*opening.cast::<pg_sys::Const>();
            if constant.constisnull || !is_type(constant.consttype, c"chessgame_in") {
                return None;
            }
            let lower = varlena_from(view(&Varlena::new(constant.constvalue)).lower_bound().as_bytes());
            pg_sys::makeConst(game_type, -1, Oid::INVALID, -1, lower, false, false).cast()
        } else if is_call_of(opening, namespace, c"getfirstmoves", &[game_type, pg_sys::INT4OID]) {
            // Its result is its own lower bound.
            opening
        } else {
            call_of(namespace, c"openinglowerbound", game_type, opening)?
        };
        Some((lower, call_of(namespace, c"openingupperbound", game_type, opening)?))
    }
}

/// Whether an expression calls our function of this name and these arguments, and not another of the same name.
unsafe fn is_call_of(expression: *mut Node, namespace: Oid, name: &CStr, arguments: &[Oid]) -> bool {
    // SAFETY: the tag says what the node is.
    unsafe {
        (*expression).type_ == NodeTag::T_FuncExpr
            && function_of(namespace, name, arguments) == Some((*expression.cast::<pg_sys::FuncExpr>()).funcid)
    }
}

unsafe fn function_of(namespace: Oid, name: &CStr, arguments: &[Oid]) -> Option<Oid> {
    // SAFETY: a look-up in the system catalogs.
    unsafe {
        let function =
            pg_sys::LookupFuncName(qualified(namespace, name), arguments.len() as i32, arguments.as_ptr(), true);
        (function != Oid::INVALID).then_some(function)
    }
}

unsafe fn call_of(namespace: Oid, name: &CStr, game_type: Oid, argument: *mut Node) -> Option<*mut Node> {
    // SAFETY: builds an expression in the planner's memory.
    unsafe {
        let function = function_of(namespace, name, &[game_type])?;
        let mut args = PgList::<Node>::new();
        args.push(argument);
        let none = Oid::INVALID;
        let form = pg_sys::CoercionForm::COERCE_EXPLICIT_CALL;
        Some(pg_sys::makeFuncExpr(function, game_type, args.into_pg(), none, none, form).cast())
    }
}

/// A name in a schema, as the look-ups of the system catalogs take it.
pub unsafe fn qualified(namespace: Oid, name: &CStr) -> *mut pg_sys::List {
    let mut names = PgList::<Node>::new();
    // SAFETY: builds a list in the planner's memory.
    unsafe {
        names.push(pg_sys::makeString(pg_sys::get_namespace_name(namespace)).cast());
        names.push(pg_sys::makeString(pg_sys::pstrdup(name.as_ptr())).cast());
    }
    names.into_pg()
}

/// Whether a type, or the base type of a domain, has this function of ours as its input function: that is
/// how to tell which of our types it is, in whatever schema it lives.
pub unsafe fn is_type(type_oid: Oid, input_name: &CStr) -> bool {
    if type_oid == Oid::INVALID {
        return false;
    }
    let (mut input, mut parameter) = (Oid::INVALID, Oid::INVALID);
    // SAFETY: look-ups in the system catalogs; the type is that of an expression.
    unsafe {
        pg_sys::getTypeInputInfo(pg_sys::getBaseType(type_oid), &mut input, &mut parameter);
        let name = pg_sys::get_func_name(input);
        !name.is_null() && CStr::from_ptr(name) == input_name
    }
}
