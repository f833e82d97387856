//! Order and hash of games, boards and positions, for B-tree and hash operator classes.
//!
//! Games are ordered by [`chess_core::GameRef::cmp`], so the games of one opening are neighbours;
//! boards and positions by their bytes. Equal values have equal bytes, so B-tree indexes can deduplicate.

use std::cmp::Ordering;

use pgrx::pg_guard;
use pgrx::pg_sys::{self, Datum, SortSupport};

use crate::server::datum::Varlena;
use crate::server::fmgr::Call;
use crate::server::versions::{hash, hash_extended};
use crate::values::game::view;

fn compare_games(a: &[u8], b: &[u8]) -> Ordering {
    view(a).cmp(view(b))
}

fn compare_boards(a: &[u8], b: &[u8]) -> Ordering {
    a.cmp(b)
}

macro_rules! comparisons {
    ($type:ident, $compare:ident, $cmp:ident, $lt:ident, $le:ident, $eq:ident, $ne:ident, $ge:ident, $gt:ident) => {
        sql_fn!($cmp($type, $type) -> int4, |call| $compare(&call.varlena(0), &call.varlena(1)) as i32);
        sql_fn!($lt($type, $type) -> bool, |call| $compare(&call.varlena(0), &call.varlena(1)).is_lt());
        sql_fn!($le($type, $type) -> bool, |call| $compare(&call.varlena(0), &call.varlena(1)).is_le());
        sql_fn!($eq($type, $type) -> bool, |call| *call.varlena(0) == *call.varlena(1));
        sql_fn!($ne($type, $type) -> bool, |call| *call.varlena(0) != *call.varlena(1));
        sql_fn!($ge($type, $type) -> bool, |call| $compare(&call.varlena(0), &call.varlena(1)).is_ge());
        sql_fn!($gt($type, $type) -> bool, |call| $compare(&call.varlena(0), &call.varlena(1)).is_gt());
    };
}

comparisons!(
    chessgame,
    compare_games,
    chessgame_cmp,
    chessgame_lt,
    chessgame_le,
    chessgame_eq,
    chessgame_ne,
    chessgame_ge,
    chessgame_gt
);
comparisons!(
    chessboard,
    compare_boards,
    chessboard_cmp,
    chessboard_lt,
    chessboard_le,
    chessboard_eq,
    chessboard_ne,
    chessboard_ge,
    chessboard_gt
);
comparisons!(
    chessposition,
    compare_boards,
    chessposition_cmp,
    chessposition_lt,
    chessposition_le,
    chessposition_eq,
    chessposition_ne,
    chessposition_ge,
    chessposition_gt
);

/// One of the two arguments, as it came.
fn of_two(call: &Call, second: bool) -> Datum {
    call.datum(usize::from(second))
}

sql_fn!(chessgame_smaller(chessgame, chessgame) -> chessgame, |call| of_two(&call, compare_games(&call.varlena(0), &call.varlena(1)).is_gt()));
sql_fn!(chessgame_larger(chessgame, chessgame) -> chessgame, |call| of_two(&call, compare_games(&call.varlena(0), &call.varlena(1)).is_lt()));
sql_fn!(chessboard_smaller(chessboard, chessboard) -> chessboard, |call| of_two(&call, compare_boards(&call.varlena(0), &call.varlena(1)).is_gt()));
sql_fn!(chessboard_larger(chessboard, chessboard) -> chessboard, |call| of_two(&call, compare_boards(&call.varlena(0), &call.varlena(1)).is_lt()));

sql_fn!(chessgame_hash(chessgame) -> int4, |call| hash(&call.varlena(0)));
sql_fn!(chessgame_hash_extended(chessgame, int8) -> int8, |call| hash_extended(&call.varlena(0), call.bigint(1)));
sql_fn!(chessboard_hash(chessboard) -> int4, |call| hash(&call.varlena(0)));
sql_fn!(chessboard_hash_extended(chessboard, int8) -> int8, |call| hash_extended(&call.varlena(0), call.bigint(1)));
sql_fn!(chessposition_hash(chessposition) -> int4, |call| hash(&call.varlena(0)));
sql_fn!(chessposition_hash_extended(chessposition, int8) -> int8, |call| hash_extended(&call.varlena(0), call.bigint(1)));

type Comparator = unsafe extern "C-unwind" fn(Datum, Datum, SortSupport) -> i32;
type Abbreviate = unsafe extern "C-unwind" fn(Datum, SortSupport) -> Datum;

#[pg_guard]
unsafe extern "C-unwind" fn sort_games(a: Datum, b: Datum, _sort: SortSupport) -> i32 {
    // SAFETY: a sort of chessgame compares values of chessgame.
    unsafe { compare_games(&Varlena::new(a), &Varlena::new(b)) as i32 }
}

#[pg_guard]
unsafe extern "C-unwind" fn sort_boards(a: Datum, b: Datum, _sort: SortSupport) -> i32 {
    // SAFETY: a sort of chessboard or chessposition compares values of that type.
    unsafe { compare_boards(&Varlena::new(a), &Varlena::new(b)) as i32 }
}

#[pg_guard]
unsafe extern "C-unwind" fn abbreviate_game(game: Datum, _sort: SortSupport) -> Datum {
    // SAFETY: a sort of chessgame abbreviates values of chessgame.
    Datum::from(unsafe { view(&Varlena::new(game)).order_prefix() })
}

#[pg_guard]
unsafe extern "C-unwind" fn abbreviate_board(board: Datum, _sort: SortSupport) -> Datum {
    let mut first = [0; 8];
    // SAFETY: a sort of chessboard or chessposition abbreviates values of that type.
    let bytes = unsafe { Varlena::new(board) };
    let len = bytes.len().min(8);
    first[..len].copy_from_slice(&bytes[..len]);
    Datum::from(u64::from_be_bytes(first))
}

#[pg_guard]
unsafe extern "C-unwind" fn compare_abbreviated(a: Datum, b: Datum, _sort: SortSupport) -> i32 {
    a.value().cmp(&b.value()) as i32
}

/// Abbreviation is cheap compared with reading the value, so it is never abandoned.
#[pg_guard]
unsafe extern "C-unwind" fn keep_abbreviating(_count: i32, _sort: SortSupport) -> bool {
    false
}

fn set_up_sort(sort: SortSupport, compare: Comparator, abbreviate: Abbreviate) {
    // SAFETY: a sort support function is called with a SortSupport to fill in.
    unsafe {
        (*sort).comparator = Some(compare);
        // An abbreviated key of eight bytes needs a datum of eight bytes.
        if (*sort).abbreviate && size_of::<Datum>() == 8 {
            (*sort).comparator = Some(compare_abbreviated);
            (*sort).abbrev_converter = Some(abbreviate);
            (*sort).abbrev_abort = Some(keep_abbreviating);
            (*sort).abbrev_full_comparator = Some(compare);
        }
    }
}

sql_fn!(chessgame_sortsupport(internal) -> void, |call| set_up_sort(
    call.internal::<pg_sys::SortSupportData>(0),
    sort_games,
    abbreviate_game
));
sql_fn!(chessboard_sortsupport(internal) -> void, |call| set_up_sort(
    call.internal::<pg_sys::SortSupportData>(0),
    sort_boards,
    abbreviate_board
));
sql_fn!(chessposition_sortsupport(internal) -> void, |call| set_up_sort(
    call.internal::<pg_sys::SortSupportData>(0),
    sort_boards,
    abbreviate_board
));
