//! The predicates that look for boards in a game.
//!
//! The board is the same for all rows of a scan, so it is prepared once per expression, and again
//! when its bytes change.

use chess_core::Finder;
use chess_core::search::Matching;
use pgrx::pg_sys;

use crate::chessboard::unpack;
use crate::chessgame::view;
use crate::datum::Varlena;
use crate::error::{corrupt_game, non_negative};
use crate::fmgr::Call;

/// Boards as they came, and prepared.
struct Prepared {
    bytes: Vec<u8>,
    finders: Vec<Finder>,
    /// An array had a NULL in it.
    has_null: bool,
}

fn prepare_one(bytes: &[u8], matching: Matching) -> Prepared {
    Prepared { bytes: bytes.to_vec(), finders: vec![Finder::new(&unpack(bytes), matching)], has_null: false }
}

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
    let prepared = call.cached(|p: &Prepared| p.bytes == *board, || prepare_one(&board, matching));
    is_in(&prepared.finders[0], &call.varlena(game), limit)
}

const ALL: u32 = u32::MAX;

sql_fn!(chessgame_hasboard, |call| contains(&call, 0, 1, Matching::Position, ALL));
sql_fn!(chessgame_hasboard_within, |call| contains(&call, 0, 1, Matching::Position, non_negative(call.int(2))));
sql_fn!(chessgame_haspieces, |call| contains(&call, 0, 1, Matching::Placement, ALL));
sql_fn!(chessgame_haspieces_within, |call| contains(&call, 0, 1, Matching::Placement, non_negative(call.int(2))));
sql_fn!(chessboard_in_game, |call| contains(&call, 1, 0, Matching::Position, ALL));
sql_fn!(chessboard_pieces_in_game, |call| contains(&call, 1, 0, Matching::Placement, ALL));

/// The boards of an argument of type chessboard[]; NULL for one that is NULL.
pub fn boards_of(array: &[u8]) -> Vec<Option<Vec<u8>>> {
    let array = crate::datum::varlena_from(array);
    let mut elements = std::ptr::null_mut();
    let mut nulls = std::ptr::null_mut();
    let mut count = 0;
    // SAFETY: the bytes are those of an array of a type of variable length and int alignment;
    // deconstruct_array sets `count` elements and nulls.
    unsafe {
        let array = array.cast_mut_ptr::<pg_sys::ArrayType>();
        let element_type = (*array).elemtype;
        let align = pg_sys::TYPALIGN_INT as std::ffi::c_char;
        pg_sys::deconstruct_array(array, element_type, -1, false, align, &mut elements, &mut nulls, &mut count);
        (0..count as usize).map(|i| (!*nulls.add(i)).then(|| Varlena::new(*elements.add(i)).to_vec())).collect()
    }
}

fn prepare_array(bytes: &[u8]) -> Prepared {
    let boards = boards_of(bytes);
    let has_null = boards.iter().any(Option::is_none);
    let finders = boards.iter().flatten().map(|board| Finder::new(&unpack(board), Matching::Position)).collect();
    Prepared { bytes: bytes.to_vec(), finders, has_null }
}

/// Applies `decide` to the boards of an array argument and the game of the other.
fn with_array(call: &Call, game: usize, array: usize, decide: impl Fn(&Prepared, &[u8]) -> bool) -> bool {
    let array = call.varlena(array);
    let prepared = call.cached(|p: &Prepared| p.bytes == *array, || prepare_array(&array));
    decide(prepared, &call.varlena(game))
}

/// As for arrays of other types, NULL is in nothing.
fn has_all(boards: &Prepared, game: &[u8]) -> bool {
    !boards.has_null && boards.finders.iter().all(|finder| is_in(finder, game, ALL))
}

fn has_any(boards: &Prepared, game: &[u8]) -> bool {
    boards.finders.iter().any(|finder| is_in(finder, game, ALL))
}

sql_fn!(chessgame_hasallboards, |call| with_array(&call, 0, 1, has_all));
sql_fn!(chessgame_hasanyboard, |call| with_array(&call, 0, 1, has_any));
sql_fn!(chessboards_all_in_game, |call| with_array(&call, 1, 0, has_all));
sql_fn!(chessboards_any_in_game, |call| with_array(&call, 1, 0, has_any));
