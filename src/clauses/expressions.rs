//! Planner expressions: recognizes constants and the extension's types, and builds new expressions.
//!
//! All look-ups are in the extension's schema, by name and exact argument types. They need no rights of the user.

use std::ffi::{CStr, c_void};

use pgrx::pg_sys::{self, Datum, Node, NodeTag, Oid};
use pgrx::{PgBuiltInOids, PgList, pg_guard};

use crate::server::datum::varlena_from;
use crate::server::versions;
use crate::values::game::view;

/// The boolean expression `left operator right`.
pub unsafe fn clause(operator: Oid, left: *mut Node, right: *mut Node) -> *mut Node {
    let boolean = PgBuiltInOids::BOOLOID.into();
    // SAFETY: both sides are expressions in the planner's memory; the types have no collation.
    unsafe {
        pg_sys::make_opclause(operator, boolean, false, left.cast(), right.cast(), Oid::INVALID, Oid::INVALID).cast()
    }
}

/// Calls `visit` with expressions and all their parts. It returns whether to continue below a node, or `None` to end the walk,
/// which then returns `None`, too. The walk does not recurse, because its stack frames would be larger than those of the server:
/// an expression that the server accepts must not be too deep for us.
///
/// # Safety
///
/// The expressions must be those of the planner or of a plan, or null.
pub unsafe fn walk(
    expressions: impl IntoIterator<Item = *mut Node>,
    mut visit: impl FnMut(*mut Node) -> Option<bool>,
) -> Option<()> {
    let mut open: Vec<*mut Node> = expressions.into_iter().filter(|node| !node.is_null()).collect();
    while let Some(node) = open.pop() {
        if visit(node)? {
            // SAFETY: the caller's promise.
            unsafe { pg_sys::expression_tree_walker(node, Some(add), (&raw mut open).cast()) };
        }
    }
    Some(())
}

/// Adds a node to those that are still to be visited.
#[pg_guard]
unsafe extern "C-unwind" fn add(node: *mut Node, open: *mut c_void) -> bool {
    if !node.is_null() {
        // SAFETY: called by the server's walker with the nodes that `walk` passes.
        unsafe { (*open.cast::<Vec<*mut Node>>()).push(node) };
    }
    false
}

/// Whether texts that are equal in a collation have the same bytes. Where there is none, as in a comparison of texts in different
/// collations, the executor raises an ERROR.
pub fn is_deterministic(collation: Oid) -> bool {
    // SAFETY: a look-up in the system catalogs.
    collation != Oid::INVALID && unsafe { pg_sys::get_collation_isdeterministic(collation) }
}

/// The range of games that begin with an opening.
pub struct Range {
    /// The lower bound, as an expression.
    pub lower: *mut Node,
    /// A value above all of them, as an expression.
    pub upper: *mut Node,
    /// Whether the range contains no other games.
    pub is_exact: bool,
}

impl Range {
    /// The range of a constant, with constant bounds.
    ///
    /// # Safety
    ///
    /// The value must be a game, and the type that of games.
    pub unsafe fn of_constant(game_type: Oid, opening: &[u8]) -> Range {
        // SAFETY: builds constants in the planner's memory.
        let constant = |bytes: &[u8]| unsafe {
            pg_sys::makeConst(game_type, -1, Oid::INVALID, -1, varlena_from(bytes), false, false).cast()
        };
        let opening = view(opening);
        Range {
            lower: constant(opening.lower_bound().as_bytes()),
            upper: constant(opening.upper_bound().as_bytes()),
            is_exact: true,
        }
    }

    /// The range of an opening that is known only at execution, by function calls. `None` if the user must not call
    /// these.
    ///
    /// # Safety
    ///
    /// `root` and `opening` must be the planner's.
    pub unsafe fn of_expression(
        root: *mut pg_sys::PlannerInfo,
        namespace: Oid,
        game_type: Oid,
        opening: *mut Node,
    ) -> Option<Range> {
        // SAFETY: the opening is an expression of type chessgame in the planner's memory.
        unsafe {
            let lower = if is_call_of(opening, namespace, c"getfirstmoves", &[game_type, pg_sys::INT4OID]) {
                // An opening is its own lower bound.
                opening
            } else {
                call_of(root, namespace, c"openinglowerbound", (game_type, game_type), opening)?
            };
            let upper = call_of(root, namespace, c"openingupperbound", (game_type, game_type), opening)?;
            Some(Range { lower, upper, is_exact: false })
        }
    }
}

/// Whether an expression calls the extension's function with this name and argument types.
unsafe fn is_call_of(expression: *mut Node, namespace: Oid, name: &CStr, arguments: &[Oid]) -> bool {
    // SAFETY: the tag says what the node is.
    unsafe {
        (*expression).type_ == NodeTag::T_FuncExpr
            && function_of(namespace, name, arguments) == Some((*expression.cast::<pg_sys::FuncExpr>()).funcid)
    }
}

/// A function of the extension, looked up in the catalog directly. This needs no right on its schema, which a query
/// through a view or policy may lack.
pub unsafe fn function_of(namespace: Oid, name: &CStr, arguments: &[Oid]) -> Option<Oid> {
    // SAFETY: builds a key of the cache.
    let arguments = unsafe { pg_sys::buildoidvector(arguments.as_ptr(), arguments.len() as i32) };
    let keys = [Datum::from(name.as_ptr()), Datum::from(arguments), Datum::from(namespace), Datum::null()];
    let columns = [pg_sys::Anum_pg_proc_oid, pg_sys::Anum_pg_proc_proowner];
    // SAFETY: the keys and columns are those of the cache.
    unsafe { ours(namespace, pg_sys::SysCacheIdentifier::PROCNAMEARGSNSP, columns, keys) }
}

/// An operator of the extension, looked up in the same way.
pub unsafe fn operator_of(namespace: Oid, name: &CStr, left: Oid, right: Oid) -> Option<Oid> {
    let keys = [Datum::from(name.as_ptr()), Datum::from(left), Datum::from(right), Datum::from(namespace)];
    let columns = [pg_sys::Anum_pg_operator_oid, pg_sys::Anum_pg_operator_oprowner];
    // SAFETY: the keys and columns are those of the cache.
    unsafe { ours(namespace, pg_sys::SysCacheIdentifier::OPERNAMENSP, columns, keys) }
}

/// A type of the extension, looked up in the same way.
pub unsafe fn type_of(namespace: Oid, name: &CStr) -> Option<Oid> {
    // SAFETY: the keys and columns are those of the cache.
    unsafe { ours(namespace, pg_sys::SysCacheIdentifier::TYPENAMENSP, TYPE_COLUMNS, type_keys(namespace, name)) }
}

const TYPE_COLUMNS: [u32; 2] = [pg_sys::Anum_pg_type_oid, pg_sys::Anum_pg_type_typowner];

fn type_keys(namespace: Oid, name: &CStr) -> [Datum; 4] {
    [Datum::from(name.as_ptr()), Datum::from(namespace), Datum::null(), Datum::null()]
}

/// The object with these keys, if it belongs to a superuser or to the owner of the type chessgame. Others may create
/// objects in the extension's schema, and the extension may be of a version that lacks the object in question.
///
/// # Safety
///
/// The columns must be those of the OID and of the owner in the catalog of the cache, and the keys those of the cache.
unsafe fn ours(
    namespace: Oid,
    cache: pg_sys::SysCacheIdentifier::Type,
    columns: [u32; 2],
    keys: [Datum; 4],
) -> Option<Oid> {
    // SAFETY: look-ups in the system catalogs; the caller's promise.
    unsafe {
        let get = |cache: pg_sys::SysCacheIdentifier::Type, column: u32, [a, b, c, d]: [Datum; 4]| {
            pg_sys::GetSysCacheOid(cache as i32, column as i16, a, b, c, d)
        };
        let found = get(cache, columns[0], keys);
        if found == Oid::INVALID {
            return None;
        }
        let owner = get(cache, columns[1], keys);
        let owner_of_games =
            || get(pg_sys::SysCacheIdentifier::TYPENAMENSP, TYPE_COLUMNS[1], type_keys(namespace, c"chessgame"));
        (pg_sys::superuser_arg(owner) || owner == owner_of_games()).then_some(found)
    }
}

/// Whether everybody may call a function that an expression gets when it is simplified. The server keeps the expressions of an
/// index for all roles of a session, and an index serves a query only if both have the same expression. So the rights of one role
/// decide nothing here.
pub fn all_may_call(function: Oid) -> bool {
    versions::may_execute(function, pg_sys::ACL_ID_PUBLIC.into())
}

/// Whether the user may call a function that the query does not name. The plan then depends on the rights of the user.
pub unsafe fn may_call(root: *mut pg_sys::PlannerInfo, function: Oid) -> bool {
    // SAFETY: the planner's own state; a look-up in the system catalogs.
    unsafe {
        if !(*root).glob.is_null() {
            (*(*root).glob).dependsOnRole = true;
        }
        versions::may_execute(function, pg_sys::GetUserId())
    }
}

/// A call of an extension's function with one argument, if the user may call it. Takes the types of argument and
/// result.
///
/// # Safety
///
/// `root` and `argument` must be the planner's.
pub unsafe fn call_of(
    root: *mut pg_sys::PlannerInfo,
    namespace: Oid,
    name: &CStr,
    (argument_type, result_type): (Oid, Oid),
    argument: *mut Node,
) -> Option<*mut Node> {
    // SAFETY: builds an expression in the planner's memory.
    unsafe {
        let function = function_of(namespace, name, &[argument_type]).filter(|function| may_call(root, *function))?;
        let mut args = PgList::<Node>::new();
        args.push(argument);
        let none = Oid::INVALID;
        let form = pg_sys::CoercionForm::COERCE_EXPLICIT_CALL;
        Some(pg_sys::makeFuncExpr(function, result_type, args.into_pg(), none, none, form).cast())
    }
}

/// Whether a type, or the base type of a domain, has this input function of the extension. That identifies our types
/// in whatever schema they are.
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

/// The constant that a CASE returns in each case, otherwise the expression itself. It is for estimates alone: to evaluate the CASE may
/// raise an ERROR, for which index conditions have such expressions.
///
/// # Safety
///
/// The node must be an expression of the planner's.
pub unsafe fn result_of(node: *mut Node) -> *mut Node {
    // SAFETY: the tags say what the nodes are.
    unsafe {
        if (*node).type_ != NodeTag::T_CaseExpr {
            return node;
        }
        let case = &*node.cast::<pg_sys::CaseExpr>();
        let result: *mut Node = case.defresult.cast();
        let is_same = |when: *mut pg_sys::CaseWhen| pg_sys::equal((*when).result.cast(), result.cast());
        let is_one = !result.is_null()
            && (*result).type_ == NodeTag::T_Const
            && PgList::<pg_sys::CaseWhen>::from_pg(case.args).iter_ptr().all(is_same);
        if is_one { result } else { node }
    }
}

/// What is known of a value at planning time.
pub enum Constant {
    /// Only its expression.
    Unknown,
    /// That it is NULL.
    Null,
    /// The value.
    Value(Datum),
}

/// The value of an expression, if it is a constant.
///
/// # Safety
///
/// The node must be an expression of the planner's.
pub unsafe fn constant(node: *mut Node) -> Constant {
    // SAFETY: the tag says what the node is.
    unsafe {
        if (*node).type_ != NodeTag::T_Const {
            return Constant::Unknown;
        }
        let constant = &*node.cast::<pg_sys::Const>();
        if constant.constisnull { Constant::Null } else { Constant::Value(constant.constvalue) }
    }
}
