//! Support functions of the GIN operator class `chessgame_ops`.
//!
//! From a game they extract its position keys ([`chess_core::board::key`]): one for the start and one for each half-move,
//! each of placement and side to move. From boards they extract the keys to look up. A key does not say everything about a
//! position, so a game that has it is a candidate, which is rechecked.

use chess_core::Board;
use chess_core::board::key::{other_side, position_key};
use chess_core::pause;
use chess_core::search::index_keys::position_keys;
use pgrx::check_for_interrupts;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED;
use pgrx::pg_sys::{self, Datum};

use crate::clauses::predicate::{Operand, Predicate};
use crate::removed;
use crate::server::datum::each_element;
use crate::server::error::{MAX_ALLOC, raise};
use crate::server::fmgr::Call;
use crate::values::board::unpack;
use crate::values::game::view;
use crate::values::refusals::corrupt_game;

/// The predicate that a support function is asked about: the number of its strategy is an argument.
fn predicate(call: &Call, argument: usize) -> Predicate {
    let number = call.datum(argument).value() as u16;
    Predicate::of_strategy(number).unwrap_or_else(|| panic!("unrecognized strategy number: {number}"))
}

/// The keys as the array that GIN expects.
fn key_array(keys: &[u64], count: *mut i32) -> Datum {
    // SAFETY: `count` is the output argument of the call; palloc returns room for all keys.
    unsafe {
        *count = keys.len() as i32;
        let array = pg_sys::palloc(size_of::<Datum>() * keys.len().max(1)).cast::<Datum>();
        for (i, key) in keys.iter().enumerate() {
            array.add(i).write((*key).into());
        }
        Datum::from(array)
    }
}

/// Sorts in the order of GIN, which is that of bigint: sorted input costs GIN little. Millions of keys are sorted a
/// part at a time, so that the work can be cancelled, and then merged.
fn sort(keys: &mut [u64]) {
    const PART: usize = 1 << 18;
    for part in keys.chunks_mut(PART) {
        check_for_interrupts!();
        part.sort_unstable_by_key(|key| *key as i64);
    }
    if keys.len() > PART {
        pause::sort_by(keys, |a, b| (*a as i64).cmp(&(*b as i64)));
    }
}

sql_fn!(chessgame_gin_extract_value(chessgame, internal, internal) -> internal, |call| {
    let bytes = call.varlena(0);
    let game = view(&bytes);
    // GIN allocates twice the size of each key, and PostgreSQL at most a gigabyte at once.
    const MOST: usize = MAX_ALLOC / (2 * size_of::<Datum>());
    if game.moves().len() >= MOST {
        let detail = format!("It has {} bytes of moves; the limit is {MOST}.", game.moves().len());
        raise(
            ERRCODE_PROGRAM_LIMIT_EXCEEDED,
            "game is too long for a GIN index of positions".into(),
            Some(detail),
            None,
        );
    }
    let mut keys = Vec::new();
    if let Err(error) = position_keys(game, &mut keys) {
        corrupt_game(error);
    }
    sort(&mut keys);
    keys.dedup();
    key_array(&keys, call.internal(1))
});

sql_fn!(chessgame_gin_extract_query(chessgame, internal, int2, internal, internal, internal, internal) -> internal, |call| {
    key_array(&query_keys(&call, predicate(&call, 2)), call.internal(1))
});

/// The keys of the board, or boards, of a query.
fn query_keys(call: &Call, predicate: Predicate) -> Vec<u64> {
    let all_games = || {
        // SAFETY: the seventh argument is the search mode, an output.
        unsafe { *call.internal::<i32>(6) = pg_sys::GIN_SEARCH_MODE_ALL as i32 }
        Vec::new()
    };
    if removed::lacks_keys(call) {
        return all_games();
    }
    let both_sides = predicate == Predicate::Pieces;
    let keys_of = |board: &Board| {
        let key = position_key(board);
        std::iter::once(key).chain(both_sides.then(|| other_side(key)))
    };
    let operand = predicate.operand();
    let query = call.varlena(0);
    if operand == Operand::Board {
        return keys_of(&unpack(&query)).collect();
    }
    let (mut keys, mut has_null) = (Vec::new(), false);
    each_element(&query, |board| match board {
        Some(board) => keys.extend(keys_of(&unpack(board))),
        None => has_null = true,
    });
    // No game has a NULL: no keys and no match. Every game has all boards of an empty array.
    if operand == Operand::AllBoards && has_null {
        return Vec::new();
    }
    if operand == Operand::AllBoards && keys.is_empty() { all_games() } else { keys }
}

/// The state of each of the query's keys in a candidate.
fn checks(call: &Call) -> &[i8] {
    let count = call.int(3) as usize;
    if count == 0 {
        return &[];
    }
    // SAFETY: the first argument is an array of as many bool, or GinTernaryValue, as the fourth says.
    unsafe { std::slice::from_raw_parts(call.internal::<i8>(0), count) }
}

const FALSE: i8 = pg_sys::GIN_FALSE as i8;
const TRUE: i8 = pg_sys::GIN_TRUE as i8;
const MAYBE: i8 = pg_sys::GIN_MAYBE as i8;

/// Whether a game with these keys is a candidate. Only an empty array of boards makes a certain match.
fn is_consistent(call: &Call) -> i8 {
    let all = predicate(call, 1) == Predicate::AllPositions;
    let is_there = |check: &i8| *check != FALSE;
    match checks(call) {
        [] if removed::lacks_keys(call) => MAYBE,
        [] if all => TRUE,
        checks if all && checks.iter().all(is_there) => MAYBE,
        checks if !all && checks.iter().any(is_there) => MAYBE,
        _ => FALSE,
    }
}

sql_fn!(chessgame_gin_consistent(internal, int2, chessgame, int4, internal, internal, internal, internal) -> bool, |call| {
    let result = is_consistent(&call);
    // SAFETY: the sixth argument is the recheck flag, an output.
    unsafe { *call.internal::<bool>(5) = result == MAYBE }
    result != FALSE
});

sql_fn!(chessgame_gin_triconsistent(internal, int2, chessgame, int4, internal, internal, internal) -> char, |call| is_consistent(&call));
