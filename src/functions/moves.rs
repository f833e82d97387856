//! The moves and positions of a game, and the moves of a board.
//!
//! Takes games, boards and moves as text; returns rows, moves in SAN and UCI, games and boards.

use std::ops::ControlFlow;

use chess_core::board::squares;
use chess_core::facts::explorer::Explorer;
use chess_core::facts::moves::{MoveDetails, each_legal};
use chess_core::facts::positions;
use chess_core::facts::rules::{self, PlayError};
use chess_core::search::any_board::AnyFinder;
use chess_core::search::finder::Matching;
use chess_core::text::uci;
use chess_core::{Board, Finder};
use pgrx::check_for_interrupts;
use pgrx::pg_sys::Datum;

use crate::server::datum::{each_element, varlena_from};
use crate::server::encoding::utf8;
use crate::server::fmgr::{Bytes, Call, Text};
use crate::server::rows::Rows;
use crate::values::board::unpack;
use crate::values::game::{stored, view};
use crate::values::refusals::{corrupt_game, illegal_position, refused_move, refused_uci};

/// Texts that are shared by many rows.
struct Names {
    squares: [Datum; 64],
    letters: [Datum; 12],
    turns: [Datum; 2],
}

impl Names {
    fn new() -> Names {
        let letter = |kind| squares::letter(kind).map_or_else(String::new, String::from);
        Names {
            squares: std::array::from_fn(|square| varlena_from(squares::name(square as u8).as_bytes())),
            letters: std::array::from_fn(|kind| varlena_from(letter(kind as u8).as_bytes())),
            turns: [varlena_from(b"w"), varlena_from(b"b")],
        }
    }

    /// Sets the columns that describe a move.
    #[inline]
    fn columns(&self, details: &MoveDetails) -> [Option<Datum>; 13] {
        let letter = |kind: u8| self.letters.get(usize::from(kind)).copied();
        let square = |square: u8| Some(self.squares[usize::from(square & 63)]);
        [
            Some(Datum::from(details.number as i32)),
            Some(self.turns[usize::from(details.turn & 1)]),
            Some(varlena_from(details.san.as_bytes())),
            Some(varlena_from(details.uci.as_bytes())),
            letter(details.piece),
            square(details.from),
            square(details.to),
            details.captured.and_then(letter),
            details.promotion.and_then(letter),
            Some(Datum::from(details.is_check)),
            Some(Datum::from(details.is_mate)),
            Some(Datum::from(details.is_castling)),
            Some(Datum::from(details.is_en_passant)),
        ]
    }
}

sql_fn!(chessgame_moves(chessgame) -> setof record, |call| {
    let bytes = call.varlena(0);
    let game = view(&bytes);
    let chess960 = game.is_chess960();
    let names = Names::new();
    let mut rows = Rows::new(&call);
    let mut details = MoveDetails::default();
    let mut ply = 0;
    let (mut clock, mut number) = match game.start_board() {
        Ok(board) => (board.halfmove_clock, board.fullmove_number),
        Err(error) => corrupt_game(error),
    };
    let decoded = game.decode(|position, step| {
        check_for_interrupts!();
        // the board after a move is the next position
        if ply > 0 {
            let board = position.board(ply, clock);
            rows.put(|| {
                let mut row = [None; 15];
                row[0] = Some(Datum::from(ply as i32));
                row[1..14].copy_from_slice(&names.columns(&details));
                row[14] = Some(varlena_from(&board.to_bytes()));
                row
            });
        }
        let Some(step) = step else { return };
        details.describe(position, step, number, chess960);
        clock = if details.resets_clock() { 0 } else { clock.saturating_add(1) };
        number += u32::from(details.turn);
        ply += 1;
    });
    if let Err(error) = decoded {
        corrupt_game(error);
    }
});

sql_fn!(chessboard_legalmoves(chessboard) -> setof record, |call| {
    let board = unpack(&call.varlena(0));
    let names = Names::new();
    let mut rows = Rows::new(&call);
    if let Err(reason) = each_legal(&board, |details| rows.put(|| names.columns(details))) {
        illegal_position(&board, reason);
    }
});

sql_fn!(chessgame_positions(chessgame) -> setof record, |call| {
    let bytes = call.varlena(0);
    let mut rows = Rows::new(&call);
    let replayed = positions::each(view(&bytes), |ply, board| {
        check_for_interrupts!();
        rows.put(|| [Some(Datum::from(ply as i32)), Some(varlena_from(&board.to_bytes()))]);
        ControlFlow::Continue(())
    });
    if let Err(error) = replayed {
        corrupt_game(error);
    }
});

/// The board after a number of half-moves; the game must have that many.
fn board_at(bytes: &[u8], ply: impl FnOnce(chess_core::GameRef<'_>) -> u32) -> Bytes<Vec<u8>> {
    let game = view(bytes);
    match game.board_at(ply(game)) {
        Ok(Ok(board)) => Bytes(board.to_bytes()),
        Ok(Err(_)) => corrupt_game(chess_core::CorruptGame::Length),
        Err(error) => corrupt_game(error),
    }
}

sql_fn!(standard_startboard() -> chessboard, |_call| Bytes(Board::default().to_bytes()));
sql_fn!(chessgame_startboard(chessgame) -> chessboard, |call| board_at(&call.varlena(0), |_| 0));
sql_fn!(chessgame_finalboard(chessgame) -> chessboard, |call| board_at(&call.varlena(0), |game| game.ply_count()));

sql_fn!(chessgame_nextmove(chessgame, chessboard) -> text, |call| {
    let board = call.varlena(1);
    let explorer = call.prepared(&board, |bytes| Explorer::new(&unpack(bytes)));
    match explorer.next_move(view(&call.varlena(0))) {
        Ok(san) => san.map(Text),
        Err(error) => corrupt_game(error),
    }
});

sql_fn!(chessgame_plyof(chessgame, chessboard) -> int4, |call| {
    let board = call.varlena(1);
    let finder = call.prepared(&board, |bytes| Finder::new(&unpack(bytes), Matching::Position));
    match finder.find(view(&call.varlena(0)), u32::MAX) {
        Ok(ply) => ply.map(|ply| ply as i32),
        Err(error) => corrupt_game(error),
    }
});

/// Boards with a search for any of them.
struct Boards {
    finder: AnyFinder,
    /// As they stand in the array, without NULL.
    boards: Vec<Vec<u8>>,
}

sql_fn!(chessgame_reachedboard(chessgame, _chessboard) -> chessboard, |call| {
    let boards = call.prepared_argument(1, |array| {
        let mut made = Boards { finder: AnyFinder::default(), boards: Vec::new() };
        each_element(array, |board| {
            if let Some(board) = board {
                made.finder.add(&unpack(board));
                made.boards.push(board.to_vec());
            }
        });
        made.finder.prepare();
        made
    });
    match boards.finder.find(view(&call.varlena(0))) {
        Ok(found) => found.and_then(|(_, number)| boards.boards.get(number).map(|board| Bytes(board.as_slice()))),
        Err(error) => corrupt_game(error),
    }
});

sql_fn!(chessgame_uci(chessgame) -> text, |call| match uci::write(view(&call.varlena(0))) {
    Ok(text) => Text(text),
    Err(error) => corrupt_game(error),
});

sql_fn!(chessgame_fromuci(text) -> chessgame, |call| {
    match uci::read(utf8(&call.varlena(0))) {
        Ok(game) => stored(game),
        Err(error) => refused_uci(&error),
    }
});

sql_fn!(chessboard_play(chessboard, text) -> chessboard, |call| {
    let board = unpack(&call.varlena(0));
    let argument = call.varlena(1);
    let text = utf8(&argument);
    match rules::play(&board, text.trim_ascii()) {
        Ok(after) => Bytes(after.to_bytes()),
        Err(error) => refused_move(&board, text, error),
    }
});

/// A move on a board, in SAN and UCI.
fn spelt(call: &Call) -> Result<(String, String), (Board, String, PlayError)> {
    let board = unpack(&call.varlena(0));
    let argument = call.varlena(1);
    let text = utf8(&argument);
    rules::spell(&board, text.trim_ascii()).map_err(|error| (board, text.to_string(), error))
}

sql_fn!(chessboard_san(chessboard, text) -> text, |call| match spelt(&call) {
    Ok((san, _)) => Text(san),
    Err((board, text, error)) => refused_move(&board, &text, error),
});

sql_fn!(chessboard_uci(chessboard, text) -> text, |call| match spelt(&call) {
    Ok((_, uci)) => Text(uci),
    Err((board, text, error)) => refused_move(&board, &text, error),
});

sql_fn!(chessboard_islegal(chessboard, text) -> bool, |call| match spelt(&call) {
    Ok(_) => true,
    Err((_, _, PlayError::Move(_))) => false,
    Err((board, _, PlayError::Position(reason))) => illegal_position(&board, reason),
});
