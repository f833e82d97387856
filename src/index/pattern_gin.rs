//! Support functions of `chessgame_pattern_ops`: what GIN asks about patterns in games.
//!
//! From a game come its keys ([`chess_core::search::pattern::pattern_keys`]); from a pattern comes a tree of
//! keys ([`KeyTree`]), some of them ranges of material that GIN walks through. The tree is made when a scan
//! begins and goes to the other functions as the extra data of each key. It never says more than that a game may match.

use std::ffi::{CStr, c_char};

use chess_core::search::pattern::{Families, KeyTree, Wanted};
use pgrx::PgSqlErrorCode;
use pgrx::memcxt::PgMemoryContexts;
use pgrx::pg_sys;

use crate::index::gin::{FALSE, MAYBE, checks, key_array};
use crate::server::error::raise;
use crate::server::fmgr::Call;
use crate::values::keys::pattern_keys_of_game;
use crate::values::pattern::pattern_of;

/// The options of the class, as the server lays them out.
#[repr(C)]
pub struct Options {
    header: i32,
    /// Where the names of the families begin; 0 for all families.
    families: i32,
}

impl Options {
    /// The families of an index with these options, or with none.
    ///
    /// # Safety
    ///
    /// The options must have been laid out by the class's own function.
    pub unsafe fn families(options: Option<&Options>) -> Families {
        let Some(options) = options.filter(|options| options.families != 0) else { return Families::ALL };
        // SAFETY: the text lies behind the options, at that distance from their beginning.
        let names =
            unsafe { CStr::from_ptr(std::ptr::from_ref(options).cast::<c_char>().offset(options.families as isize)) };
        names.to_str().ok().and_then(Families::read).unwrap_or(Families::ALL)
    }

    /// Those of a column of an index.
    ///
    /// # Safety
    ///
    /// The index must be the planner's, the column one of its columns, counted from 0, and of this class.
    pub unsafe fn families_of_index(index: &pg_sys::IndexOptInfo, column: usize) -> Families {
        let options = index.opclassoptions;
        // SAFETY: where there are options, there is a place for each column.
        unsafe {
            let options = if options.is_null() { options.cast() } else { *options.add(column) };
            Options::families(options.cast::<Options>().as_ref())
        }
    }
}

/// Refuses names that are none.
#[pgrx::pg_guard]
unsafe extern "C-unwind" fn validate(names: *const c_char) {
    // SAFETY: called with the text of the option, or NULL where there is none.
    let names = if names.is_null() { return } else { unsafe { CStr::from_ptr(names) } };
    if names.to_str().ok().and_then(Families::read).is_none() {
        let code = PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE;
        let message = format!("invalid value for option \"families\": \"{}\"", names.to_string_lossy());
        let known = Families::NAMES.map(|(name, _)| format!("\"{name}\"")).join(", ");
        raise(code, message, Some(format!("Names, with commas between them, are {known}.")), None);
    }
}

sql_fn!(chessgame_gin_pattern_options(internal) -> void, |call| {
    let options = call.internal::<pg_sys::local_relopts>(0);
    // SAFETY: called with the options to describe; the texts are copied or static.
    unsafe {
        pg_sys::init_local_reloptions(options, size_of::<Options>());
        let (name, description) = (c"families".as_ptr(), c"what the index has keys of".as_ptr());
        let offset = std::mem::offset_of!(Options, families) as i32;
        let none = std::ptr::null();
        pg_sys::add_local_string_reloption(options, name, description, none, Some(validate), None, offset);
    }
});

fn families(call: &Call) -> Families {
    // SAFETY: the options are those of the function above.
    unsafe { Options::families(call.class_options()) }
}

sql_fn!(chessgame_gin_pattern_extract_value(chessgame, internal, internal) -> internal, |call| {
    key_array(&pattern_keys_of_game(&call.varlena(0), families(&call)), call.internal(1))
});

/// The extra data of a key: the tree, and which of the wanted keys it is.
struct Extra {
    tree: *const KeyTree,
    wanted: usize,
}

sql_fn!(chessgame_gin_pattern_extract_query(chessgame, internal, int2, internal, internal, internal, internal) -> internal, |call| {
    let query = call.varlena(0);
    let families = families(&call);
    let tree = pattern_of(&query).key_tree(families);
    let of_all_games = [Wanted::all_material()];
    let has_wanted = tree.is_known() || !families.have(Families::MATERIAL);
    if !tree.is_known() && has_wanted {
        // SAFETY: the seventh argument is the search mode, an output.
        unsafe { *call.internal::<i32>(6) = pg_sys::GIN_SEARCH_MODE_ALL as i32 }
    }
    let tree = PgMemoryContexts::CurrentMemoryContext.leak_and_drop_on_delete(tree);
    // SAFETY: the tree lives as long as the memory of the scan's keys, which is what GIN calls this in; the arrays are
    // outputs with a place for each key.
    unsafe {
        // A pattern that was not known to the planner may be one of which no key tells anything. Every game has a key of
        // material, and there are far fewer of those than keys in all.
        let wanted = if has_wanted { (*tree).wanted() } else { &of_all_games };
        let partial = pg_sys::palloc(size_of::<bool>() * wanted.len().max(1)).cast::<bool>();
        let extra = pg_sys::palloc(size_of::<*mut Extra>() * wanted.len().max(1)).cast::<*mut Extra>();
        let mut keys = Vec::with_capacity(wanted.len());
        for (n, one) in wanted.iter().enumerate() {
            let (key, is_partial) = match one {
                Wanted::Key(key) => (*key, false),
                Wanted::Material { from, .. } => (*from, true),
            };
            keys.push(key);
            partial.add(n).write(is_partial);
            let data = pg_sys::palloc(size_of::<Extra>()).cast::<Extra>();
            data.write(Extra { tree, wanted: n });
            extra.add(n).write(data);
        }
        *call.internal::<*mut bool>(3) = partial;
        *call.internal::<*mut *mut Extra>(4) = extra;
        key_array(&keys, call.internal(1))
    }
});

sql_fn!(chessgame_gin_pattern_compare_partial(int8, int8, int2, internal) -> int4, |call| {
    // SAFETY: the extra data of the key, made above.
    let place = unsafe {
        let extra = &*call.internal::<Extra>(3);
        (*extra.tree).place(extra.wanted, call.bigint(1) as u64)
    };
    // What is negative is passed over, what is positive ends the walk.
    match place {
        Some(true) => 0,
        Some(false) => -1,
        None => 1,
    }
});

fn is_consistent(call: &Call) -> i8 {
    let checks = checks(call);
    let extra = call.internal::<*const Extra>(4);
    // SAFETY: the extra data of the keys, made above; of no keys there is none.
    let tree = unsafe {
        match checks.is_empty() || extra.is_null() {
            true => return MAYBE,
            false => &*(**extra).tree,
        }
    };
    if tree.may_match(|wanted| checks.get(wanted).is_none_or(|check| *check != FALSE)) { MAYBE } else { FALSE }
}

sql_fn!(chessgame_gin_pattern_consistent(internal, int2, chessgame, int4, internal, internal, internal, internal) -> bool, |call| {
    // SAFETY: the sixth argument is the recheck flag, an output.
    unsafe { *call.internal::<bool>(5) = true }
    is_consistent(&call) != FALSE
});

sql_fn!(chessgame_gin_pattern_triconsistent(internal, int2, chessgame, int4, internal, internal, internal) -> char, |call| is_consistent(&call));
