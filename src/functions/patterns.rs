//! Type `chesspattern`: text and binary I/O, and searches for patterns in games and on boards.
//!
//! The binary format is that of the datum. A pattern is compiled once per expression, and again when its bytes change;
//! the matcher keeps the working memory of the search.

use std::cell::RefCell;

use chess_core::search::material::Material;
use chess_core::search::pattern::{Matcher, Pattern, PatternError, PatternErrorKind, SquareSet};
use pgrx::PgSqlErrorCode;

use crate::server::datum::received;
use crate::server::encoding::{utf8, utf8_lossy};
use crate::server::error::{INVALID_TEXT, InputError, invalid_binary, raise, sentence, shortened, unknown_name};
use crate::server::fmgr::{Bytes, CString, Call};
use crate::server::rows::Rows;
use crate::server::versions::refuse_input;
use crate::values::board::unpack;
use crate::values::game::view;
use crate::values::pattern::{VERSION, pattern_of, pattern_of_material, spelling, stored};
use crate::values::refusals::{corrupt_game, non_negative};

/// The error for a text that is not a pattern: the reason, the place, and a caret below it.
fn refusal(what: &str, text: &str, error: &PatternError) -> InputError {
    let (code, message) = match error.kind {
        PatternErrorKind::Syntax => (INVALID_TEXT, format!("invalid input syntax for {what}: \"{}\"", shortened(text))),
        PatternErrorKind::TooLong => {
            (PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED, format!("text is too long for {what}"))
        }
        PatternErrorKind::TooComplex => {
            let message = format!("text is too complex for {what}: \"{}\"", shortened(text));
            (PgSqlErrorCode::ERRCODE_STATEMENT_TOO_COMPLEX, message)
        }
    };
    let reason = sentence(&error.to_string());
    let detail = format!("{}:\n{}", reason.trim_end_matches('.'), error.excerpt);
    InputError { code, message, detail, hint: error.hint.clone().map(Into::into) }
}

sql_fn!(chesspattern_in(cstring) -> chesspattern, |call| {
    let text = utf8_lossy(call.cstring(0).to_bytes());
    match Pattern::read(&text) {
        Ok(pattern) => Some(stored(&pattern)),
        Err(error) => refuse_input(&call, refusal("type chesspattern", &text, &error)),
    }
});

sql_fn!(chesspattern_out(chesspattern) -> cstring, |call| CString(spelling(&call.varlena(0)).into()));

sql_fn!(chesspattern_recv(internal) -> chesspattern, |call| {
    match received(call.internal(0), "chesspattern") {
        [VERSION, text @ ..] => match std::str::from_utf8(text).map(Pattern::read) {
            Ok(Ok(pattern)) => stored(&pattern),
            Ok(Err(error)) => invalid_binary("chesspattern", &error.to_string()),
            Err(_) => invalid_binary("chesspattern", "the text is not valid UTF-8"),
        },
        _ => invalid_binary("chesspattern", "unknown format version"),
    }
});

sql_fn!(chesspattern_send(chesspattern) -> bytea, |call| Bytes(call.varlena(0).to_vec()));

sql_fn!(chesspattern_eq(chesspattern, chesspattern) -> bool, |call| *call.varlena(0) == *call.varlena(1));
sql_fn!(chesspattern_ne(chesspattern, chesspattern) -> bool, |call| *call.varlena(0) != *call.varlena(1));
sql_fn!(chesspattern_hash(chesspattern) -> int4, |call| crate::server::versions::hash(&call.varlena(0)));
sql_fn!(chesspattern_hash_extended(chesspattern, int8) -> int8, |call| {
    crate::server::versions::hash_extended(&call.varlena(0), call.bigint(1))
});

/// The material that a text names.
pub fn material_of(bytes: &[u8]) -> Material {
    let hint = "Write White's pieces, a \"v\" and Black's pieces in capital letters, such as \"KRPPvKR\".";
    let material = Material::read(utf8(bytes)).unwrap_or_else(|| unknown_name("material", utf8(bytes), hint));
    if !material.has_kings() {
        unknown_name("material", utf8(bytes), "Each side has its king, a K: such as \"KRPvKR\".");
    }
    material
}

// Some materials, such as two kings of a side, occur in no game, and no pattern expresses them: NULL matches nothing.
sql_fn!(chesspattern_material(text) -> chesspattern, |call| pattern_of_material(material_of(&call.varlena(0))).map(Bytes));

/// A compiled pattern with its working memory.
fn prepare(bytes: &[u8]) -> RefCell<Matcher> {
    RefCell::new(pattern_of(bytes).matcher())
}

/// The first half-move at which a match ends.
#[inline]
fn find(call: &Call, game: usize, pattern: usize, limit: u32) -> Option<u32> {
    let pattern = call.varlena(pattern);
    let matcher = call.prepared(&pattern, prepare);
    match matcher.borrow_mut().find(view(&call.varlena(game)), limit) {
        Ok(ply) => ply,
        Err(error) => corrupt_game(error),
    }
}

sql_fn!(chessgame_haspattern(chessgame, chesspattern) -> bool, |call| find(&call, 0, 1, u32::MAX).is_some());
sql_fn!(chessgame_haspattern_within(chessgame, chesspattern, int4) -> bool, |call| find(&call, 0, 1, non_negative(call.int(2))).is_some());
sql_fn!(chesspattern_in_game(chesspattern, chessgame) -> bool, |call| find(&call, 1, 0, u32::MAX).is_some());
sql_fn!(chessgame_plyofpattern(chessgame, chesspattern) -> int4, |call| find(&call, 0, 1, u32::MAX).map(|ply| ply as i32));

sql_fn!(chessgame_findpattern(chessgame, chesspattern) -> setof record, |call| {
    let pattern = call.varlena(1);
    let mut matcher = call.prepared(&pattern, prepare).borrow_mut();
    let game = call.varlena(0);
    let mut rows = Rows::new(&call);
    let visit = |first: u32, last: u32| {
        rows.put(|| [Some((first as i32).into()), Some((last as i32).into())]);
        false
    };
    if let Err(error) = matcher.each(view(&game), visit) {
        corrupt_game(error);
    }
});

fn is_on(call: &Call, board: usize, pattern: usize) -> bool {
    let pattern = call.varlena(pattern);
    let matcher = call.prepared(&pattern, prepare);
    let matches = matcher.borrow_mut().is_on(&unpack(&call.varlena(board)));
    matches.unwrap_or_else(|_| {
        let message = format!("a board has no moves for the pattern: \"{}\"", shortened(spelling(&pattern)));
        let detail = "The pattern asks for moves, their numbers, or several moments of a game.";
        let code = PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE;
        raise(code, message, Some(detail.into()), Some("Search a game for it."))
    })
}

sql_fn!(chessboard_haspattern(chessboard, chesspattern) -> bool, |call| is_on(&call, 0, 1));
sql_fn!(chesspattern_on_board(chesspattern, chessboard) -> bool, |call| is_on(&call, 1, 0));

sql_fn!(chessboard_squaresof(chessboard, text) -> int8, |call| {
    let text = call.varlena(1);
    let set = call.prepared(&text, |bytes| {
        let text = utf8(bytes);
        match SquareSet::read(text) {
            Ok(set) => RefCell::new(set),
            Err(error) => {
                let InputError { code, message, detail, hint } = refusal("a set of squares", text, &error);
                raise(code, message, Some(detail), hint.as_deref())
            }
        }
    });
    let squares = set.borrow_mut().of(&unpack(&call.varlena(0)));
    squares as i64
});
