//! Lets functions with text arguments be evaluated on a foreign server.
//!
//! Takes a call; returns the same call without a collation. Our functions parse their text arguments as moves,
//! squares and letters, for which collations do not matter. postgres_fdw does not send calls with a collation that no
//! column of its table has, such as that of `hasmaterial(game, 'KRPPvKR')`; it would fetch all games.

use pgrx::pg_sys::{self, Datum, Node, NodeTag, Oid};

sql_fn!(textarguments_support(internal) -> internal, |call| {
    let node = call.internal::<Node>(0);
    // SAFETY: a support function is called with a request node; its tag says which.
    unsafe {
        match (*node).type_ {
            NodeTag::T_SupportRequestSimplify => simplified(&*node.cast()),
            _ => Datum::null(),
        }
    }
});

/// The call without a collation, or NULL if it has none.
///
/// # Safety
///
/// The request must be the planner's, for a call of a function that does not use collations.
pub unsafe fn simplified(request: &pg_sys::SupportRequestSimplify) -> Datum {
    // SAFETY: the request holds a call; the arguments of the copy are those of the original, as the request allows.
    unsafe {
        if (*request.fcall).inputcollid == Oid::INVALID {
            return Datum::null();
        }
        let copy = pg_sys::palloc(size_of::<pg_sys::FuncExpr>()).cast::<pg_sys::FuncExpr>();
        copy.copy_from_nonoverlapping(request.fcall, 1);
        (*copy).inputcollid = Oid::INVALID;
        Datum::from(copy)
    }
}
