//! Pictures of boards for terminals and browsers.

use chess_core::board::diagram;
use chess_core::board::drawings::Drawings;
use chess_core::board::squares;
use chess_core::board::svg;

use crate::functions::square_sets::color_argument;
use crate::server::encoding::utf8;
use crate::server::error::unknown_name;
use crate::server::fmgr::{Call, ServerText, Text};
use crate::values::board::unpack;

sql_fn!(chessboard_ascii(chessboard) -> text, |call| Text(diagram::ascii(&unpack(&call.varlena(0)))));
sql_fn!(chessboard_unicode(chessboard) -> text, |call| ServerText(diagram::unicode(&unpack(&call.varlena(0)))));

sql_fn!(chessboard_svg(chessboard, text, int8, text, text) -> text, |call| {
    // SQL of 0.2.0 calls this without drawings, until ALTER EXTENSION chess UPDATE.
    let drawings = if call.arguments() > 4 { Drawings::read(utf8(&call.varlena(4))) } else { Drawings::default() };
    let options =
        svg::Options { last_move: last_move(&call), marked: call.bigint(2) as u64, bottom: color_argument(&call, 3) };
    Text(svg::draw_with(&unpack(&call.varlena(0)), options, &drawings))
});

/// The squares of a move in UCI; `None` for an empty text.
fn last_move(call: &Call) -> Option<(u8, u8)> {
    let argument = call.varlena(1);
    let text = utf8(&argument);
    if text.is_empty() {
        return None;
    }
    let square = |range| text.get(range).and_then(squares::from_name);
    let is_promotion = |letter: &str| matches!(letter, "" | "q" | "r" | "b" | "n" | "Q" | "R" | "B" | "N");
    match (square(0..2), square(2..4)) {
        (Some(from), Some(to)) if text.get(4..).is_some_and(is_promotion) => Some((from, to)),
        _ => unknown_name("last move", text, "Name its squares as UCI does, such as \"e2e4\"."),
    }
}
