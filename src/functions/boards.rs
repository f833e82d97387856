//! The status of a game or a board under the rules, and the pieces of a board.

use chess_core::board::fen;
use chess_core::board::key;
use chess_core::board::squares;
use chess_core::board::symmetry;
use chess_core::facts::rules;
use chess_core::search::material::Material;
use chess_core::search::nearest::distance;

use crate::functions::square_sets::square_argument;
use crate::functions::two_byte_moves::move_code;
use crate::server::datum::{array_of, varlena_from};
use crate::server::encoding::utf8;
use crate::server::fmgr::{Bytes, Text};
use crate::values::board::unpack;
use crate::values::game::view;
use crate::values::refusals::{corrupt_game, illegal_position, not_symmetric, refused_move};

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
sql_fn!(chessboard_polyglotkey(chessboard) -> int8, |call| key::book_key(&unpack(&call.varlena(0))) as i64);

sql_fn!(chessboard_polyglotmove(chessboard, int4) -> text, |call| {
    let board = unpack(&call.varlena(0));
    let code = move_code(call.int(1));
    match rules::polyglot_move(&board, code) {
        Ok(uci) => uci.map(Text),
        Err(reason) => illegal_position(&board, reason),
    }
});

sql_fn!(chessboard_mirror(chessboard) -> chessboard, |call| Bytes(symmetry::mirror(&unpack(&call.varlena(0))).to_bytes()));
sql_fn!(chessboard_flip(chessboard) -> chessboard, |call| Bytes(symmetry::flip(&unpack(&call.varlena(0))).to_bytes()));

sql_fn!(chessboard_symmetricboards(chessboard) -> _chessboard, |call| {
    let boards = symmetry::symmetric_boards(&unpack(&call.varlena(0)));
    let elements = boards.iter().map(|board| Some(varlena_from(&board.to_bytes())));
    array_of(call.element_type(), &[boards.len()], elements)
});

sql_fn!(chessboard_symmetricmove(chessboard, text, chessboard) -> text, |call| {
    let [board, other] = [0, 2].map(|n| unpack(&call.varlena(n)));
    let argument = call.varlena(1);
    let text = utf8(&argument);
    match rules::symmetric_move(&board, text.trim_ascii(), &other) {
        Ok(Some(san)) => Text(san),
        Ok(None) => not_symmetric(&board, &other),
        Err(error) => refused_move(&board, text, error),
    }
});

sql_fn!(chessboard_sameposition(chessboard, chessboard) -> bool, |call| {
    symmetry::same_position(&unpack(&call.varlena(0)), &unpack(&call.varlena(1)))
});
sql_fn!(chessboard_samepieces(chessboard, chessboard) -> bool, |call| unpack(&call.varlena(0)).kinds == unpack(&call.varlena(1)).kinds);
sql_fn!(chessboard_distance(chessboard, chessboard) -> int4, |call| distance(&unpack(&call.varlena(0)), &unpack(&call.varlena(1))) as i32);
