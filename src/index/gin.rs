//! Support functions of the GIN operator classes.
//!
//! From games they extract keys ([`chess_core::board::key`]): for `chessgame_ops` one per half-move and
//! one for the start, each of placement and side to move; for `chessgame_compact_ops` the few coarse keys
//! of a game. From boards they extract the keys to look up. Neither key says everything about a
//! position: a game that has it is a candidate. The default class has few false candidates and asks for them
//! to be rechecked; the compact one supports operators whose answer the candidates are.
//!
//! With the option `key_bits` the compact class keeps that many bits of the keys of pawn structures instead. It then
//! serves operators that mean what those of the default class mean; of the others' candidates it knows nothing, and every
//! game is one.
//!
//! With the option `max_ply` the default class keeps the position keys of that many half-moves, and
//! coarse keys of those after: a query then looks for either.

use chess_core::Board;
use chess_core::board::key::{other_side, position_key};
use chess_core::search::index_keys::{board_structure_key, coarse_board_key};
use chess_core::search::index_keys::{keys_up_to, position_keys};
use pgrx::check_for_interrupts;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED;
use pgrx::pg_sys::{self, Datum};

use crate::index::predicate::{Operand, Predicate};
use crate::server::datum::each_element;
use crate::server::error::{MAX_ALLOC, raise};
use crate::server::fmgr::Call;
use crate::values::board::unpack;
use crate::values::game::view;
use crate::values::keys::{coarse_keys_of_game, structure_keys_of_game};
use crate::values::refusals::corrupt_game;

/// The predicate that a support function is asked about: the number of its strategy is an argument.
fn predicate(call: &Call, argument: usize) -> Predicate {
    Predicate::of_strategy(call.datum(argument).value() as u16)
}

/// The keys as the array that GIN expects.
pub fn key_array<T: Copy + Into<Datum>>(keys: &[T], count: *mut i32) -> Datum {
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

/// The options of the default class, as the server lays them out.
#[repr(C)]
struct Options {
    header: i32,
    /// The last half-move with a position key; 0 for all.
    max_ply: i32,
}

sql_fn!(chessgame_gin_options(internal) -> void, |call| {
    let options = call.internal::<pg_sys::local_relopts>(0);
    // SAFETY: called with the options to describe; the texts are copied or static.
    unsafe {
        pg_sys::init_local_reloptions(options, size_of::<Options>());
        let (name, description) = (c"max_ply".as_ptr(), c"last half-move whose position has a key of its own".as_ptr());
        let offset = std::mem::offset_of!(Options, max_ply) as i32;
        pg_sys::add_local_int_reloption(options, name, description, 0, 1, i32::MAX, offset);
    }
});

/// The option `max_ply` of the index that a support function of the default class is called for.
fn max_ply(call: &Call) -> Option<u32> {
    call.class_options::<Options>().map(|options| options.max_ply as u32).filter(|max_ply| *max_ply > 0)
}

/// The options of the compact class, as the server lays them out.
#[repr(C)]
pub struct CompactOptions {
    header: i32,
    /// Bits of the keys of pawn structures; 0 for coarse keys.
    key_bits: i32,
}

sql_fn!(chessgame_gin_compact_options(internal) -> void, |call| {
    let options = call.internal::<pg_sys::local_relopts>(0);
    // SAFETY: called with the options to describe; the texts are copied or static.
    unsafe {
        pg_sys::init_local_reloptions(options, size_of::<CompactOptions>());
        let (name, description) = (c"key_bits".as_ptr(), c"bits of a key of the pawns and pieces".as_ptr());
        let offset = std::mem::offset_of!(CompactOptions, key_bits) as i32;
        // Keys are integers, and those of coarse keys have 16 bits.
        pg_sys::add_local_int_reloption(options, name, description, 0, 17, 31, offset);
    }
});

/// The bits of the keys of pawn structures of an index of the compact class; `None` if it has coarse keys.
pub fn structure_bits(options: Option<&CompactOptions>) -> Option<u32> {
    options.map(|options| options.key_bits as u32).filter(|bits| *bits > 0)
}

fn key_bits(call: &Call) -> Option<u32> {
    structure_bits(call.class_options())
}

/// The upper bits of a key.
fn cut(key: u64, bits: u32) -> u32 {
    (key >> (64 - bits)) as u32
}

/// Sorts in the order of GIN, which is that of bigint: sorted input costs GIN little. Millions of keys are sorted a
/// part at a time, so that the work can be cancelled, and then merged.
fn sort(keys: &mut [u64]) {
    const PART: usize = 1 << 20;
    for part in keys.chunks_mut(PART) {
        check_for_interrupts!();
        part.sort_unstable_by_key(|key| *key as i64);
    }
    if keys.len() > PART {
        keys.sort_by_key(|key| *key as i64);
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
    let extracted = match max_ply(&call) {
        Some(max_ply) => keys_up_to(game, max_ply, &mut keys),
        None => position_keys(game, &mut keys),
    };
    if let Err(error) = extracted {
        corrupt_game(error);
    }
    sort(&mut keys);
    keys.dedup();
    key_array(&keys, call.internal(1))
});

sql_fn!(chessgame_gin_compact_extract_value(chessgame, internal, internal) -> internal, |call| {
    let game = call.varlena(0);
    let mut keys: Vec<u32> = match key_bits(&call) {
        Some(bits) => structure_keys_of_game(&game).into_iter().map(|key| cut(key, bits)).collect(),
        None => coarse_keys_of_game(&game).into_iter().map(u32::from).collect(),
    };
    keys.sort_unstable();
    keys.dedup();
    key_array(&keys, call.internal(1))
});

sql_fn!(chessgame_gin_extract_query(chessgame, internal, int2, internal, internal, internal, internal) -> internal, |call| {
    let both_sides = predicate(&call, 2) == Predicate::Pieces;
    let with_coarse = max_ply(&call).is_some();
    let keys = query_keys(&call, |board| {
        let key = position_key(board);
        let coarse = with_coarse.then(|| u64::from(coarse_board_key(board)));
        std::iter::once(key).chain(both_sides.then(|| other_side(key))).chain(coarse)
    });
    key_array(&keys, call.internal(1))
});

sql_fn!(chessgame_gin_compact_extract_query(chessgame, internal, int2, internal, internal, internal, internal) -> internal, |call| {
    let keys = match (key_bits(&call), predicate(&call, 2).is_of_candidates()) {
        (Some(_), true) => {
            // SAFETY: the seventh argument is the search mode, an output.
            unsafe { *call.internal::<i32>(6) = pg_sys::GIN_SEARCH_MODE_ALL as i32 }
            Vec::new()
        }
        (Some(bits), false) => query_keys(&call, |board| [cut(board_structure_key(board), bits)]),
        (None, _) => query_keys(&call, |board| [u32::from(coarse_board_key(board))]),
    };
    key_array(&keys, call.internal(1))
});

/// The keys of the board, or boards, of a query.
fn query_keys<T, I: IntoIterator<Item = T>>(call: &Call, keys_of: impl Fn(&Board) -> I) -> Vec<T> {
    let operand = predicate(call, 2).operand();
    let query = call.varlena(0);
    match operand {
        Operand::Board => keys_of(&unpack(&query)).into_iter().collect(),
        _ => {
            let (mut keys, mut has_null) = (Vec::new(), false);
            each_element(&query, |board| match board {
                Some(board) => keys.extend(keys_of(&unpack(board))),
                None => has_null = true,
            });
            // No game has a NULL: no keys and no match. Every game has all boards of an empty array.
            if operand == Operand::AllBoards && has_null {
                return Vec::new();
            }
            if operand == Operand::AllBoards && keys.is_empty() {
                // SAFETY: the seventh argument is the search mode, an output.
                unsafe { *call.internal::<i32>(6) = pg_sys::GIN_SEARCH_MODE_ALL as i32 }
            }
            keys
        }
    }
}

/// The state of each of the query's keys in a candidate.
pub fn checks(call: &Call) -> &[i8] {
    let count = call.int(3) as usize;
    if count == 0 {
        return &[];
    }
    // SAFETY: the first argument is an array of as many bool, or GinTernaryValue, as the fourth says.
    unsafe { std::slice::from_raw_parts(call.internal::<i8>(0), count) }
}

pub const FALSE: i8 = pg_sys::GIN_FALSE as i8;
const TRUE: i8 = pg_sys::GIN_TRUE as i8;
pub const MAYBE: i8 = pg_sys::GIN_MAYBE as i8;

/// For a board, one of its keys is enough; `keys_per_board` of the checks belong to each board of an array that must
/// all be present.
fn consistent(predicate: Predicate, checks: &[i8], keys_per_board: usize) -> i8 {
    // FALSE < TRUE < MAYBE are 0, 1, 2.
    let any = |checks: &[i8]| if checks.contains(&TRUE) { TRUE } else { checks.iter().copied().max().unwrap_or(FALSE) };
    let combined = if predicate.operand() == Operand::AllBoards {
        let boards = checks.chunks(keys_per_board).map(any);
        boards.fold(TRUE, |all, board| if all == FALSE || board == FALSE { FALSE } else { all.max(board) })
    } else {
        any(checks)
    };
    if combined == TRUE && !checks.is_empty() && !predicate.is_of_candidates() { MAYBE } else { combined }
}

fn is_consistent(call: &Call) -> i8 {
    let predicate = predicate(call, 1);
    if predicate.is_of_candidates() && key_bits(call).is_some() {
        return MAYBE;
    }
    // Called for every candidate: the options are read only where they matter.
    let keys_per_board = if predicate == Predicate::AllPositions && max_ply(call).is_some() { 2 } else { 1 };
    consistent(predicate, checks(call), keys_per_board)
}

sql_fn!(chessgame_gin_consistent(internal, int2, chessgame, int4, internal, internal, internal, internal) -> bool, |call| {
    let result = is_consistent(&call);
    // SAFETY: the sixth argument is the recheck flag, an output.
    unsafe { *call.internal::<bool>(5) = result == MAYBE }
    result != FALSE
});

sql_fn!(chessgame_gin_triconsistent(internal, int2, chessgame, int4, internal, internal, internal) -> char, |call| is_consistent(&call));
