//! The predicates that search a game for boards.
//!
//! The board is the same for all rows of a scan, so it is prepared once per expression, and again
//! when its bytes change.

use chess_core::Finder;
use chess_core::search::finder::Matching;
use chess_core::search::index_keys::coarse_board_key;
use chess_core::search::index_keys::coarse_keys;
use pgrx::check_for_interrupts;

use crate::functions::chessboard::unpack;
use crate::functions::chessgame::view;
use crate::functions::refusals::{corrupt_game, non_negative};
use crate::server::datum::elements_of;
use crate::server::fmgr::Call;

#[inline(always)]
fn is_in(finder: &Finder, game: &[u8], limit: u32) -> bool {
    match finder.is_in(view(game), limit) {
        Ok(found) => found,
        Err(error) => corrupt_game(error),
    }
}

/// Whether the board of one argument is in the game of the other.
#[inline(always)]
fn contains(call: &Call, game: usize, board: usize, matching: Matching, limit: u32) -> bool {
    let board = call.varlena(board);
    let finder = call.prepared(&board, |bytes| Finder::new(&unpack(bytes), matching));
    is_in(finder, &call.varlena(game), limit)
}

const ALL: u32 = u32::MAX;

sql_fn!(chessgame_hasboard, |call| contains(&call, 0, 1, Matching::Position, ALL));
sql_fn!(chessgame_hasboard_within, |call| contains(&call, 0, 1, Matching::Position, non_negative(call.int(2))));
sql_fn!(chessgame_haspieces, |call| contains(&call, 0, 1, Matching::Placement, ALL));
sql_fn!(chessgame_haspieces_within, |call| contains(&call, 0, 1, Matching::Placement, non_negative(call.int(2))));
sql_fn!(chessboard_in_game, |call| contains(&call, 1, 0, Matching::Position, ALL));
sql_fn!(chessboard_pieces_in_game, |call| contains(&call, 1, 0, Matching::Placement, ALL));

/// An array of boards, prepared.
struct Boards {
    finders: Vec<Finder>,
    has_null: bool,
}

fn prepare_array(bytes: &[u8]) -> Boards {
    let boards = elements_of(bytes);
    let finder = |board: &Vec<u8>| {
        check_for_interrupts!();
        Finder::new(&unpack(board), Matching::Position)
    };
    Boards { finders: boards.iter().flatten().map(finder).collect(), has_null: boards.iter().any(Option::is_none) }
}

/// Applies `decide` to the boards of an array argument and the game of the other.
fn with_array(call: &Call, game: usize, array: usize, decide: impl Fn(&Boards, &[u8]) -> bool) -> bool {
    let array = call.varlena(array);
    decide(call.prepared(&array, prepare_array), &call.varlena(game))
}

fn is_in_one_of_many(finder: &Finder, game: &[u8]) -> bool {
    check_for_interrupts!();
    is_in(finder, game, ALL)
}

/// As for arrays of other types, nothing contains NULL.
fn has_all(boards: &Boards, game: &[u8]) -> bool {
    !boards.has_null && boards.finders.iter().all(|finder| is_in_one_of_many(finder, game))
}

fn has_any(boards: &Boards, game: &[u8]) -> bool {
    boards.finders.iter().any(|finder| is_in_one_of_many(finder, game))
}

sql_fn!(chessgame_hasallboards, |call| with_array(&call, 0, 1, has_all));
sql_fn!(chessgame_hasanyboard, |call| with_array(&call, 0, 1, has_any));
sql_fn!(chessboards_all_in_game, |call| with_array(&call, 1, 0, has_all));
sql_fn!(chessboards_any_in_game, |call| with_array(&call, 1, 0, has_any));

/// The coarse keys of a game, possibly with duplicates.
pub fn coarse_keys_of_game(game: &[u8]) -> Vec<u16> {
    let mut keys = Vec::new();
    if let Err(error) = coarse_keys(view(game), &mut keys) {
        corrupt_game(error);
    }
    keys
}

/// The coarse keys of an array of boards; `None` for NULL.
fn coarse_keys_of(boards: &[u8]) -> Vec<Option<u16>> {
    elements_of(boards).iter().map(|board| board.as_ref().map(|bytes| coarse_board_key(&unpack(bytes)))).collect()
}

sql_fn!(chessgame_mayhaveboard, |call| {
    coarse_keys_of_game(&call.varlena(0)).contains(&coarse_board_key(&unpack(&call.varlena(1))))
});
sql_fn!(chessgame_mayhaveallboards, |call| {
    let keys = coarse_keys_of_game(&call.varlena(0));
    coarse_keys_of(&call.varlena(1)).iter().all(|key| key.is_some_and(|key| keys.contains(&key)))
});
sql_fn!(chessgame_mayhaveanyboard, |call| {
    let keys = coarse_keys_of_game(&call.varlena(0));
    coarse_keys_of(&call.varlena(1)).iter().flatten().any(|key| keys.contains(key))
});
