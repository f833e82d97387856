//! Sets of squares, as bigint: bit 0 is a1, bit 63 h8.

use chess_core::board::squares;

use crate::server::datum::{each_element, varlena_from};
use crate::server::encoding::utf8;
use crate::server::error::unknown_name;
use crate::server::fmgr::{Call, Text};
use crate::server::rows::Rows;
use crate::values::board::unpack;

fn square_named(name: &str) -> u8 {
    match squares::from_name(name) {
        Some(square) => square,
        None => unknown_name("square", name, "Squares are named \"a1\" to \"h8\"."),
    }
}

/// An argument that names a square.
pub fn square_argument(call: &Call, n: usize) -> u8 {
    square_named(utf8(&call.varlena(n)))
}

/// An argument that names a side: 0 is White, 1 Black.
pub fn color_argument(call: &Call, n: usize) -> u8 {
    let argument = call.varlena(n);
    let name = utf8(&argument);
    match squares::color_from_name(name) {
        Some(color) => color,
        None => unknown_name("color", name, "Colors are \"w\" or \"white\", and \"b\" or \"black\"."),
    }
}

fn set_argument(call: &Call, n: usize) -> u64 {
    call.bigint(n) as u64
}

sql_fn!(chessboard_pieces(chessboard, text) -> int8, |call| {
    let argument = call.varlena(1);
    let letters = utf8(&argument);
    match squares::of_pieces(&unpack(&call.varlena(0)), letters) {
        Some(set) => set as i64,
        None => {
            let hint = "Pieces are the letters of FEN: \"PNBRQK\" for White's, \"pnbrqk\" for Black's.";
            unknown_name("piece", letters, hint)
        }
    }
});
sql_fn!(chessboard_occupied(chessboard) -> int8, |call| unpack(&call.varlena(0)).occupied() as i64);
sql_fn!(chessboard_occupied_by(chessboard, text) -> int8, |call| {
    squares::of_color(&unpack(&call.varlena(0)), color_argument(&call, 1)) as i64
});
sql_fn!(chessboard_attacks(chessboard, text) -> int8, |call| {
    squares::attacked_from(&unpack(&call.varlena(0)), square_argument(&call, 1)) as i64
});
sql_fn!(chessboard_attackers(chessboard, text, text) -> int8, |call| {
    let (square, color) = (square_argument(&call, 1), color_argument(&call, 2));
    squares::attackers_of(&unpack(&call.varlena(0)), square, color) as i64
});

sql_fn!(squareset_squares(int8) -> setof text, |call| {
    let mut rows = Rows::new(&call);
    for square in squares::members(set_argument(&call, 0)) {
        rows.put(|| [Some(varlena_from(squares::name(square).as_bytes()))]);
    }
});

sql_fn!(squareset_from_names(_text) -> int8, |call| {
    let mut set = 0u64;
    each_element(&call.varlena(0), |name| {
        if let Some(name) = name {
            set |= 1 << square_named(utf8(name));
        }
    });
    set as i64
});

sql_fn!(squareset_count(int8) -> int4, |call| set_argument(&call, 0).count_ones() as i32);
sql_fn!(squareset_shl(int8, int4) -> int8, |call| squares::shifted_bits(set_argument(&call, 0), call.int(1)) as i64);
sql_fn!(squareset_shr(int8, int4) -> int8, |call| squares::shifted_bits(set_argument(&call, 0), call.int(1).saturating_neg()) as i64);
sql_fn!(squareset_shift(int8, int4, int4) -> int8, |call| squares::moved(set_argument(&call, 0), call.int(1), call.int(2)) as i64);
sql_fn!(squareset_flip(int8) -> int8, |call| squares::flipped(set_argument(&call, 0)) as i64);
sql_fn!(squareset_mirror(int8) -> int8, |call| squares::mirrored(set_argument(&call, 0)) as i64);
sql_fn!(squareset_text(int8) -> text, |call| Text(squares::picture(set_argument(&call, 0))));
