//! Support functions of the GIN operator class.
//!
//! In go games, out come their position keys: one per half-move and one for the start, placement
//! and side to move each ([`chess_core::key`]). In go boards, out come the keys to look up. Castling
//! and en passant are not in a key, so a candidate is checked again against the game.

use chess_core::key::{other_side, position_key};
use chess_core::search::position_keys;
use pgrx::pg_sys::{self, Datum};

use crate::chessboard::unpack;
use crate::chessgame::view;
use crate::error::corrupt_game;
use crate::fmgr::Call;
use crate::search::boards_of;

/// The operators of the class; the numbers are those of `sql/opclasses.sql`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// `game @> board`
    Position = 1,
    /// `game @> boards`
    AllPositions = 2,
    /// `game && boards`
    AnyPosition = 3,
    /// `game @~ board`
    Pieces = 4,
}

impl Strategy {
    fn from_datum(datum: Datum) -> Strategy {
        match datum.value() as u16 {
            1 => Strategy::Position,
            2 => Strategy::AllPositions,
            3 => Strategy::AnyPosition,
            4 => Strategy::Pieces,
            other => panic!("unrecognized strategy number: {other}"),
        }
    }

    /// Whether every key must be in the game, or any.
    fn needs_all(self) -> bool {
        matches!(self, Strategy::Position | Strategy::AllPositions)
    }
}

/// The keys as the array that GIN asks for.
fn key_array(keys: &[u64], count: *mut i32) -> Datum {
    // SAFETY: `count` is the output argument of the call; palloc returns room for all keys.
    unsafe {
        *count = keys.len() as i32;
        let array = pg_sys::palloc(size_of::<Datum>() * keys.len().max(1)).cast::<Datum>();
        for (i, key) in keys.iter().enumerate() {
            array.add(i).write(Datum::from(*key));
        }
        Datum::from(array)
    }
}

sql_fn!(chessgame_gin_extract_value, |call| {
    let bytes = call.varlena(0);
    let mut keys = Vec::new();
    if let Err(error) = position_keys(view(&bytes), &mut keys) {
        corrupt_game(error);
    }
    // In the order of GIN, which is that of bigint: it sorts what is sorted at little cost.
    keys.sort_unstable_by_key(|key| *key as i64);
    keys.dedup();
    key_array(&keys, call.internal(1))
});

sql_fn!(chessgame_gin_extract_query, |call| {
    let strategy = Strategy::from_datum(call.datum(2));
    let query = call.varlena(0);
    let mut keys = Vec::new();
    match strategy {
        Strategy::Position => keys.push(position_key(&unpack(&query))),
        Strategy::Pieces => {
            let key = position_key(&unpack(&query));
            keys.extend([key, other_side(key)]);
        }
        Strategy::AllPositions | Strategy::AnyPosition => {
            let boards = boards_of(&query);
            let has_null = boards.iter().any(Option::is_none);
            // A NULL is in no game: no keys and no match. Without boards every game has them all.
            if strategy == Strategy::AnyPosition || !has_null {
                keys.extend(boards.iter().flatten().map(|board| position_key(&unpack(board))));
                if strategy == Strategy::AllPositions && boards.is_empty() {
                    // SAFETY: the seventh argument is the search mode, an output.
                    unsafe { *call.internal::<i32>(6) = pg_sys::GIN_SEARCH_MODE_ALL as i32 }
                }
            }
        }
    }
    key_array(&keys, call.internal(1))
});

/// The states of the query's keys in a candidate.
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

fn consistent(strategy: Strategy, checks: &[i8]) -> i8 {
    // FALSE < TRUE < MAYBE are 0, 1, 2.
    let combined = if strategy.needs_all() {
        if checks.contains(&FALSE) { FALSE } else { checks.iter().copied().max().unwrap_or(TRUE) }
    } else if checks.contains(&TRUE) {
        TRUE
    } else {
        checks.iter().copied().max().unwrap_or(FALSE)
    };
    if combined == TRUE && !checks.is_empty() { MAYBE } else { combined }
}

sql_fn!(chessgame_gin_consistent, |call| {
    let result = consistent(Strategy::from_datum(call.datum(1)), checks(&call));
    // SAFETY: the sixth argument is the recheck flag, an output.
    unsafe { *call.internal::<bool>(5) = result == MAYBE }
    result != FALSE
});

sql_fn!(chessgame_gin_triconsistent, |call| consistent(Strategy::from_datum(call.datum(1)), checks(&call)));
