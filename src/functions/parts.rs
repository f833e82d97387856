//! Half-moves of a game, and games made from games.
//!
//! Takes games, boards, numbers of half-moves, and texts of moves; returns moves in SAN and UCI, and games. Negative
//! numbers count from the end: half-move -1 is the last one, and board -1 the board before it.

use chess_core::board::fen;
use chess_core::game::parts::{self, AppendError};
use chess_core::game::start::GameStart;
use chess_core::text::outcome::Outcome;
use chess_core::text::tags::{StartTags, tag_outcome};
use chess_core::text::{dates, movetext, one_move, san};
use chess_core::{Board, Game, GameResult};

use crate::functions::square_sets::color_argument;
use crate::server::datum::{TextArray, numeric_of_tenths};
use crate::server::encoding::utf8;
use crate::server::error::unknown_name;
use crate::server::fmgr::{Call, Text};
use crate::values::board::unpack;
use crate::values::game::{stored, view};
use crate::values::refusals::{corrupt_game, non_negative, refused_moves, refused_start, taken_back_too_many};

sql_fn!(chessgame_ischess960(chessgame) -> bool, |call| view(&call.varlena(0)).is_chess960());

/// A half-move, from 1; negative numbers count from the end; 0 if there is no such half-move.
fn numbered(number: i32, ply_count: u32) -> u32 {
    match u32::try_from(number) {
        Ok(number) => number,
        Err(_) => (ply_count + 1).saturating_sub(number.unsigned_abs()),
    }
}

sql_fn!(chessgame_moveat(chessgame, int4) -> text, |call| {
    let bytes = call.varlena(0);
    let game = view(&bytes);
    match san::at(game, numbered(call.int(1), game.ply_count())) {
        Ok(san) => san.map(Text),
        Err(error) => corrupt_game(error),
    }
});

sql_fn!(chessgame_getmoves(chessgame, int4, int4) -> chessgame, |call| {
    let bytes = call.varlena(0);
    let game = view(&bytes);
    let number = |n| numbered(call.int(n), game.ply_count());
    match parts::between(game, number(1), number(2)) {
        Ok(Ok(part)) => stored(part),
        Ok(Err(error)) => match game.board_at(number(1).saturating_sub(1)) {
            Ok(Ok(board)) => refused_start(&board, error),
            _ => corrupt_game(chess_core::CorruptGame::Length),
        },
        Err(error) => corrupt_game(error),
    }
});

sql_fn!(chessgame_sans(chessgame) -> _text, |call| {
    let mut array = TextArray::new();
    match san::each(view(&call.varlena(0)), |_, san| array.push(san)) {
        Ok(()) => array,
        Err(error) => corrupt_game(error),
    }
});

sql_fn!(chessgame_ucis(chessgame) -> _text, |call| {
    let bytes = call.varlena(0);
    let game = view(&bytes);
    let mut array = TextArray::new();
    let mut uci = String::new();
    let decoded = game.decode(|position, step| {
        if let Some(step) = step {
            uci.clear();
            one_move::push_uci(&mut uci, position, step, game.is_chess960());
            array.push(&uci);
        }
    });
    match decoded {
        Ok(()) => array,
        Err(error) => corrupt_game(error),
    }
});

/// A game from a board, with the moves of an argument, and the result that they end with, if any.
fn moves_from(board: &Board, call: &Call, n: usize) -> (Game, Option<GameResult>) {
    if let Err(error) = GameStart::new(board) {
        refused_start(board, error);
    }
    let argument = call.varlena(n);
    let start = StartTags { fen: Some(fen::write(board).into()), ..StartTags::default() };
    movetext::read_moves_and_result(&start, utf8(&argument)).unwrap_or_else(|error| refused_moves(error.reason))
}

sql_fn!(chessgame_play(chessgame, text) -> chessgame, |call| {
    let bytes = call.varlena(0);
    let game = view(&bytes);
    let last = match game.board_at(game.ply_count()) {
        Ok(Ok(board)) => board,
        Ok(Err(_)) => corrupt_game(chess_core::CorruptGame::Length),
        Err(error) => corrupt_game(error),
    };
    let (more, result) = moves_from(&last, &call, 1);
    match parts::append(game, more.view(), result.unwrap_or(game.result())) {
        Ok(longer) => stored(longer),
        Err(AppendError::Corrupt(error)) => corrupt_game(error),
        // every move is legal on the last board, so another error means damaged data
        Err(AppendError::Illegal(ply)) => corrupt_game(chess_core::CorruptGame::Move(ply)),
    }
});

sql_fn!(chessgame_newgame(chessboard, text) -> chessgame, |call| stored(moves_from(&unpack(&call.varlena(0)), &call, 1).0));

sql_fn!(chessgame_takeback(chessgame, int4) -> chessgame, |call| {
    let bytes = call.varlena(0);
    let game = view(&bytes);
    let plies = non_negative(call.int(1));
    if plies > game.ply_count() {
        taken_back_too_many(plies, game.ply_count());
    }
    match parts::without_last(game, plies) {
        Ok(shorter) => stored(shorter),
        Err(error) => corrupt_game(error),
    }
});

sql_fn!(chessgame_withresult(chessgame, text) -> chessgame, |call| {
    let bytes = call.varlena(0);
    let game = view(&bytes);
    let Some(result) = GameResult::from_token(utf8(&call.varlena(1)).trim_ascii()) else {
        unknown_name("result", utf8(&call.varlena(1)), "Results are \"1-0\", \"0-1\", \"1/2-1/2\" and \"*\".")
    };
    stored(game.marked(result, game.is_chess960()))
});

sql_fn!(chess_score(text, text) -> numeric, |call| {
    let color = color_argument(&call, 1);
    let halves = tag_outcome(utf8(&call.varlena(0))).and_then(Outcome::halves);
    halves.map(|halves| numeric_of_tenths(5 * i64::from(halves[usize::from(color)])))
});

sql_fn!(chess_isforfeit(text) -> bool, |call| {
    tag_outcome(utf8(&call.varlena(0))).filter(|outcome| outcome.halves().is_some()).map(Outcome::is_forfeit)
});

sql_fn!(chess_datebounds(text) -> text, |call| dates::days(utf8(&call.varlena(0))).map(|days| Text(days.to_string())));
