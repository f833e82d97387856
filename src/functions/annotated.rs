//! `annotations(game, annotated)`, `variations(game, annotated)` and `pgn(game, tags, annotated)`: comments, glyphs
//! and variations from the text stored beside a game.
//!
//! The game determines the start of the moves. The text is the column `annotated` of `pgngames`.

use chess_core::game::start::GameStart;
use chess_core::text::{annotated, write_pgn};
use chess_core::{CorruptGame, GameRef};
use pgrx::pg_sys::{self, Datum};

use crate::functions::write_pgn::tags_of;
use crate::server::datum::{array_of, varlena_from};
use crate::server::encoding::{server_encoded, utf8};
use crate::server::error::unknown_name;
use crate::server::fmgr::ServerText;
use crate::server::rows::Rows;
use crate::values::game::view;
use crate::values::refusals::corrupt_game;

fn start(game: GameRef<'_>) -> GameStart {
    match game.start_board().and_then(|board| GameStart::new(&board).map_err(|_| CorruptGame::Start)) {
        Ok(start) => start,
        Err(error) => corrupt_game(error),
    }
}

fn text(text: &str) -> Option<Datum> {
    (!text.is_empty()).then(|| varlena_from(&server_encoded(text)))
}

fn glyphs(numbers: &[u32]) -> Datum {
    array_of(pg_sys::INT4OID, &[numbers.len()], numbers.iter().map(|number| Some(Datum::from(*number as i32))))
}

sql_fn!(chessgame_annotations(chessgame, text) -> setof record, |call| {
    let (game, annotated) = (call.varlena(0), call.varlena(1));
    let mut rows = Rows::new(&call);
    for note in annotated::notes(&start(view(&game)), utf8(&annotated)) {
        pgrx::check_for_interrupts!();
        rows.put(|| {
            [
                Some(Datum::from(note.line as i32)),
                Some(Datum::from(note.ply as i32)),
                text(&note.before),
                (!note.glyphs.is_empty()).then(|| glyphs(&note.glyphs)),
                text(&note.after),
            ]
        });
    }
});

sql_fn!(chessgame_variations(chessgame, text) -> setof record, |call| {
    let (game, annotated) = (call.varlena(0), call.varlena(1));
    let game = view(&game);
    let mut rows = Rows::new(&call);
    annotated::variations(&start(game), game.is_chess960(), utf8(&annotated), |variation| {
        pgrx::check_for_interrupts!();
        rows.put(|| {
            [
                Some(Datum::from(variation.number as i32)),
                Some(Datum::from(variation.parent as i32)),
                Some(Datum::from(variation.ply as i32)),
                Some(varlena_from(variation.line.as_bytes())),
                variation.end.as_ref().and_then(|end| text(&end.to_string())),
            ]
        });
    });
});

sql_fn!(chessgame_pgn_annotated(chessgame, jsonb, text) -> text, |call| {
    if call.is_null(0) {
        None
    } else {
        let game = call.varlena(0);
        let tags = tags_of(&call, 1);
        let written = if call.is_null(2) {
            write_pgn::write(view(&game), &tags)
        } else {
            let annotated = call.varlena(2);
            let annotated = utf8(&annotated);
            write_pgn::write_annotated(view(&game), &tags, annotated).map(|written| {
                written.unwrap_or_else(|| {
                    unknown_name(
                        "annotated text",
                        annotated,
                        "Its main line must have the moves of the game, and no others.",
                    )
                })
            })
        };
        match written {
            Ok(text) => Some(ServerText(text)),
            Err(error) => corrupt_game(error),
        }
    }
});
