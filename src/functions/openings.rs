//! Named openings: of a game, of a board, and the table of all.

use chess_core::facts::openings;
use pgrx::pg_sys::Datum;

use crate::server::datum::varlena_from;
use crate::server::encoding::{Repertoire, repertoire, server_encoded};
use crate::server::fmgr::Call;
use crate::server::rows::{Rows, row};
use crate::values::board::unpack;
use crate::values::game::view;
use crate::values::refusals::corrupt_game;

sql_fn!(chessgame_opening(chessgame) -> record, |call| match openings::of_game(view(&call.varlena(0))) {
    Ok(opening) => opening.map(|opening| opening_row(&call, opening)),
    Err(error) => corrupt_game(error),
});
sql_fn!(chessboard_opening(chessboard) -> record, |call| {
    openings::of_board(&unpack(&call.varlena(0))).map(|opening| opening_row(&call, opening))
});

/// The name in the server's encoding, or a plain spelling if that lacks a letter.
fn name(opening: &openings::Opening) -> Datum {
    let kept = match repertoire() {
        Repertoire::Unicode => return varlena_from(opening.name.as_bytes()),
        Repertoire::Latin1 => openings::plain_name(opening.name, true),
        Repertoire::Other => openings::plain_name(opening.name, false),
    };
    varlena_from(&server_encoded(&kept))
}

/// A row of code and name.
fn opening_row(call: &Call, opening: openings::Opening) -> Datum {
    row(call, [Some(varlena_from(opening.eco.as_bytes())), Some(name(&opening))])
}

sql_fn!(chess_opening_table() -> setof record, |call| {
    let mut rows = Rows::new(&call);
    for (opening, game) in openings::all() {
        rows.put(|| {
            let name = name(&opening);
            [Some(varlena_from(opening.eco.as_bytes())), Some(name), Some(varlena_from(game.as_bytes()))]
        });
    }
});
