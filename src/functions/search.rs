//! The functions that search a game for an opening, for boards, for the position nearest to one, and for material, or list
//! its materials.
//!
//! What is searched for is usually constant in a scan, so it is prepared once per expression, and again when its
//! bytes change.

use chess_core::Finder;
use chess_core::search::any_board::AnyFinder;
use chess_core::search::finder::Matching;
use chess_core::search::material::Material;
use chess_core::search::nearest::{Compared, Nearest, NearestFinder};
use pgrx::check_for_interrupts;
use pgrx::pg_sys::Datum;

use crate::functions::patterns::material_of;
use crate::server::datum::{count_of, each_element, varlena_from};
use crate::server::fmgr::Call;
use crate::server::rows::Rows;
use crate::values::board::unpack;
use crate::values::game::view;
use crate::values::refusals::{corrupt_game, non_negative};

#[inline(always)]
fn is_in(finder: &Finder, game: &[u8], limit: u32) -> bool {
    match finder.is_in(view(game), limit) {
        Ok(found) => found,
        Err(error) => corrupt_game(error),
    }
}

/// Whether the game in one argument has the board in another.
#[inline(always)]
fn contains(call: &Call, game: usize, board: usize, matching: Matching, limit: u32) -> bool {
    let board = call.varlena(board);
    let finder = call.prepared(&board, |bytes| Finder::new(&unpack(bytes), matching));
    is_in(finder, &call.varlena(game), limit)
}

const ALL: u32 = u32::MAX;

sql_fn!(chessgame_hasboard(chessgame, chessboard) -> bool, |call| contains(&call, 0, 1, Matching::Position, ALL));
sql_fn!(chessgame_hasboard_within(chessgame, chessboard, int4) -> bool, |call| contains(&call, 0, 1, Matching::Position, non_negative(call.int(2))));
sql_fn!(chessgame_haspieces(chessgame, chessboard) -> bool, |call| contains(&call, 0, 1, Matching::Placement, ALL));
sql_fn!(chessgame_haspieces_within(chessgame, chessboard, int4) -> bool, |call| contains(&call, 0, 1, Matching::Placement, non_negative(call.int(2))));
sql_fn!(chessboard_in_game(chessboard, chessgame) -> bool, |call| contains(&call, 1, 0, Matching::Position, ALL));
sql_fn!(chessboard_pieces_in_game(chessboard, chessgame) -> bool, |call| contains(&call, 1, 0, Matching::Placement, ALL));

/// A prepared array of boards.
struct Boards {
    finders: Vec<Finder>,
    has_null: bool,
}

fn prepare_array(bytes: &[u8]) -> Boards {
    let mut boards = Boards { finders: Vec::new(), has_null: false };
    each_element(bytes, |board| match board {
        Some(board) => boards.finders.push(Finder::new(&unpack(board), Matching::Position)),
        None => boards.has_null = true,
    });
    boards
}

/// From this many boards on, a game is replayed once and each position is looked up among them.
const MANY: usize = 16;

/// A prepared array of boards for a search for any of them.
enum AnyBoard {
    Few(Vec<Finder>),
    Many(AnyFinder),
}

fn prepare_any(bytes: &[u8]) -> AnyBoard {
    if count_of(bytes) < MANY {
        return AnyBoard::Few(prepare_array(bytes).finders);
    }
    let mut many = AnyFinder::default();
    each_element(bytes, |board| {
        if let Some(board) = board {
            many.add(&unpack(board));
        }
    });
    many.prepare();
    AnyBoard::Many(many)
}

fn is_in_one_of_many(finder: &Finder, game: &[u8]) -> bool {
    check_for_interrupts!();
    is_in(finder, game, ALL)
}

/// As with arrays of other types, nothing contains NULL.
fn has_all(call: &Call, game: usize, array: usize) -> bool {
    let boards = call.prepared_argument(array, prepare_array);
    let game = call.varlena(game);
    !boards.has_null && boards.finders.iter().all(|finder| is_in_one_of_many(finder, &game))
}

fn has_any(call: &Call, game: usize, array: usize) -> bool {
    let boards = call.prepared_argument(array, prepare_any);
    let game = call.varlena(game);
    match boards {
        AnyBoard::Few(finders) => finders.iter().any(|finder| is_in_one_of_many(finder, &game)),
        AnyBoard::Many(many) => match many.find(view(&game)) {
            Ok(found) => found.is_some(),
            Err(error) => corrupt_game(error),
        },
    }
}

sql_fn!(chessgame_hasallboards(chessgame, _chessboard) -> bool, |call| has_all(&call, 0, 1));
sql_fn!(chessgame_hasanyboard(chessgame, _chessboard) -> bool, |call| has_any(&call, 0, 1));
sql_fn!(chessboards_all_in_game(_chessboard, chessgame) -> bool, |call| has_all(&call, 1, 0));
sql_fn!(chessboards_any_in_game(_chessboard, chessgame) -> bool, |call| has_any(&call, 1, 0));

sql_fn!(chessgame_hasopening(chessgame, chessgame) -> bool, |call| view(&call.varlena(0)).starts_with(view(&call.varlena(1))));

/// Whether the game in one argument begins with an opening from the array in another. NULL elements match nothing.
fn has_any_opening(call: &Call, game: usize, openings: usize) -> bool {
    let (bytes, openings) = (call.varlena(game), call.varlena(openings));
    let game = view(&bytes);
    let mut found = false;
    each_element(&openings, |opening| found = found || opening.is_some_and(|opening| game.starts_with(view(opening))));
    found
}

sql_fn!(chessgame_isopening(chessgame, chessgame) -> bool, |call| view(&call.varlena(1)).starts_with(view(&call.varlena(0))));
sql_fn!(chessgame_hasanyopening(chessgame, _chessgame) -> bool, |call| has_any_opening(&call, 0, 1));
sql_fn!(chessgame_isanyopening(_chessgame, chessgame) -> bool, |call| has_any_opening(&call, 1, 0));

fn has_material(call: &Call, limit: u32) -> bool {
    let text = call.varlena(1);
    let material = call.prepared(&text, material_of);
    match material.find(view(&call.varlena(0)), limit) {
        Ok(ply) => ply.is_some(),
        Err(error) => corrupt_game(error),
    }
}

sql_fn!(chessgame_hasmaterial(chessgame, text) -> bool, |call| has_material(&call, u32::MAX));
sql_fn!(chessgame_hasmaterial_within(chessgame, text, int4) -> bool, |call| has_material(&call, non_negative(call.int(2))));

sql_fn!(chessgame_materials(chessgame) -> setof record, |call| {
    let game = call.varlena(0);
    let mut rows = Rows::new(&call);
    let replayed = Material::each(view(&game), |material, first, last| {
        let text = material.to_string();
        rows.put(|| [Some(varlena_from(text.as_bytes())), Some(Datum::from(first as i32)), Some(Datum::from(last as i32))]);
    });
    if let Err(error) = replayed {
        corrupt_game(error);
    }
});

/// The position of the game in one argument that is nearest to the board in another.
#[inline(always)]
fn nearest(call: &Call, game: usize, board: usize, compared: Compared) -> Nearest {
    let board = call.varlena(board);
    let finder = call.prepared(&board, |bytes| NearestFinder::new(&unpack(bytes), compared));
    match finder.find(view(&call.varlena(game))) {
        Ok(nearest) => nearest,
        Err(error) => corrupt_game(error),
    }
}

sql_fn!(chessgame_leastdistance(chessgame, chessboard) -> int4, |call| nearest(&call, 0, 1, Compared::Pieces).distance as i32);
sql_fn!(chessgame_plyofnearest(chessgame, chessboard) -> int4, |call| nearest(&call, 0, 1, Compared::Pieces).ply as i32);
sql_fn!(chessgame_leastpawndistance(chessgame, chessboard) -> int4, |call| nearest(&call, 0, 1, Compared::Pawns).distance as i32);
sql_fn!(chessgame_plyofnearestpawns(chessgame, chessboard) -> int4, |call| nearest(&call, 0, 1, Compared::Pawns).ply as i32);
sql_fn!(chessboard_leastdistance(chessboard, chessgame) -> int4, |call| nearest(&call, 1, 0, Compared::Pieces).distance as i32);
sql_fn!(chessboard_leastpawndistance(chessboard, chessgame) -> int4, |call| nearest(&call, 1, 0, Compared::Pawns).distance as i32);
