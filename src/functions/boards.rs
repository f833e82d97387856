//! What the rules of chess say about a game or a board, and what a board says about its pieces.

use chess_core::board::fen;
use chess_core::board::key;
use chess_core::board::squares;
use chess_core::board::symmetry;
use chess_core::facts::openings;
use chess_core::facts::rules;
use chess_core::search::material::Material;
use pgrx::pg_sys::{self, Datum};

use crate::functions::chessboard::unpack;
use crate::functions::chessgame::view;
use crate::functions::patterns::pattern_of_material;
use crate::functions::refusals::{corrupt_game, illegal_position, non_negative};
use crate::functions::square_sets::square_argument;
use crate::server::datum::varlena_from;
use crate::server::encoding::{server_encoded, utf8};
use crate::server::error::unknown_name;
use crate::server::fmgr::{Bytes, Call, Text};
use crate::server::rows::Rows;

sql_fn!(chessgame_status(chessgame) -> text, |call| match rules::status_of_game(view(&call.varlena(0))) {
    Ok(status) => Text(status.as_str()),
    Err(error) => corrupt_game(error),
});

sql_fn!(chessboard_status(chessboard) -> text, |call| {
    let board = unpack(&call.varlena(0));
    match rules::status_of_board(&board) {
        Ok(status) => Text(status.as_str()),
        Err(reason) => illegal_position(&board, reason),
    }
});

sql_fn!(chessboard_ischeck(chessboard) -> bool, |call| {
    let board = unpack(&call.varlena(0));
    board.king_is_attacked(board.turn)
});

/// The material that a text names.
fn material_of(bytes: &[u8]) -> Material {
    let hint = "Write White's pieces, a \"v\" and Black's pieces in capital letters, such as \"KRPPvKR\".";
    let material = Material::read(utf8(bytes)).unwrap_or_else(|| unknown_name("material", utf8(bytes), hint));
    // No position of a game lacks one.
    if !bytes.split(|byte| *byte == b'v').all(|side| side.contains(&b'K')) {
        unknown_name("material", utf8(bytes), "Each side has its king, a K: such as \"KRPvKR\".");
    }
    material
}

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
// No game has what no pattern says, such as two kings of a side: NULL finds nothing.
sql_fn!(chesspattern_material(text) -> chesspattern, |call| pattern_of_material(material_of(&call.varlena(0))).map(Bytes));
sql_fn!(chessboard_material(chessboard) -> text, |call| Text(Material::of(&unpack(&call.varlena(0))).to_string()));

sql_fn!(chessboard_pieceat(chessboard, text) -> text, |call| {
    let square = square_argument(&call, 1);
    squares::letter(unpack(&call.varlena(0)).kinds[usize::from(square & 63)]).map(|letter| Text(letter.to_string()))
});

sql_fn!(chessboard_turn(chessboard) -> text, |call| Text(if unpack(&call.varlena(0)).turn == 0 { "w" } else { "b" }));
sql_fn!(chessboard_castling(chessboard) -> text, |call| Text(fen::write_castling(&unpack(&call.varlena(0)))));
sql_fn!(chessboard_enpassant(chessboard) -> text, |call| { unpack(&call.varlena(0)).en_passant.map(|square| Text(squares::name(square))) });
sql_fn!(chessboard_halfmoveclock(chessboard) -> int4, |call| unpack(&call.varlena(0)).halfmove_clock as i32);
sql_fn!(chessboard_fullmovenumber(chessboard) -> int4, |call| unpack(&call.varlena(0)).fullmove_number as i32);
sql_fn!(chessboard_zobrist(chessboard) -> int8, |call| key::polyglot_key(&unpack(&call.varlena(0))) as i64);

sql_fn!(chessboard_mirror(chessboard) -> chessboard, |call| Bytes(symmetry::mirror(&unpack(&call.varlena(0))).to_bytes()));
sql_fn!(chessboard_flip(chessboard) -> chessboard, |call| Bytes(symmetry::flip(&unpack(&call.varlena(0))).to_bytes()));
sql_fn!(chessboard_sameposition(chessboard, chessboard) -> bool, |call| {
    symmetry::same_position(&unpack(&call.varlena(0)), &unpack(&call.varlena(1)))
});
sql_fn!(chessboard_samepieces(chessboard, chessboard) -> bool, |call| unpack(&call.varlena(0)).kinds == unpack(&call.varlena(1)).kinds);

sql_fn!(chessgame_opening(chessgame) -> record, |call| match openings::of_game(view(&call.varlena(0))) {
    Ok(opening) => opening.map(|opening| opening_row(&call, opening)),
    Err(error) => corrupt_game(error),
});
sql_fn!(chessboard_opening(chessboard) -> record, |call| {
    openings::of_board(&unpack(&call.varlena(0))).map(|opening| opening_row(&call, opening))
});

/// A row of code and name.
fn opening_row(call: &Call, opening: openings::Opening) -> Datum {
    let mut values = [varlena_from(opening.eco.as_bytes()), varlena_from(&server_encoded(opening.name))];
    let mut nulls = [false; 2];
    // SAFETY: the functions are declared to return a row of two texts, from which the server derives
    // the columns.
    unsafe {
        let mut columns = std::ptr::null_mut();
        pg_sys::get_call_result_type(call.fcinfo(), std::ptr::null_mut(), &mut columns);
        let columns = pg_sys::BlessTupleDesc(columns);
        let row = pg_sys::heap_form_tuple(columns, values.as_mut_ptr(), nulls.as_mut_ptr());
        pg_sys::HeapTupleHeaderGetDatum((*row).t_data)
    }
}

sql_fn!(chess_opening_table() -> setof record, |call| {
    let mut rows = Rows::new(&call);
    for (opening, game) in openings::all() {
        rows.put(|| {
            let name = varlena_from(&server_encoded(opening.name));
            [Some(varlena_from(opening.eco.as_bytes())), Some(name), Some(varlena_from(game.as_bytes()))]
        });
    }
});
