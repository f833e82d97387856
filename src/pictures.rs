//! Pictures of boards, and games as PGN with tags: texts for people and other programs.

use std::ffi::CStr;

use chess_core::{diagram, pgn_export, squares, svg};
use pgrx::pg_sys;
use serde_json::{Map, Value};

use crate::chessboard::unpack;
use crate::chessgame::view;
use crate::encoding::utf8;
use crate::error::{corrupt_game, unknown_name};
use crate::fmgr::{Call, ServerText, Text};
use crate::square_sets::color_argument;

sql_fn!(chessboard_ascii, |call| Text(diagram::ascii(&unpack(&call.varlena(0)))));
sql_fn!(chessboard_unicode, |call| ServerText(diagram::unicode(&unpack(&call.varlena(0)))));

sql_fn!(chessboard_svg, |call| {
    let options =
        svg::Options { last_move: last_move(&call), marked: call.bigint(2) as u64, bottom: color_argument(&call, 3) };
    Text(svg::draw(&unpack(&call.varlena(0)), options))
});

/// The squares of a move in UCI; none for the empty text.
fn last_move(call: &Call) -> Option<(u8, u8)> {
    let argument = call.varlena(1);
    let text = utf8(&argument);
    if text.is_empty() {
        return None;
    }
    let square = |range| text.get(range).and_then(squares::from_name);
    match (square(0..2), square(2..4), text.len()) {
        (Some(from), Some(to), 4 | 5) => Some((from, to)),
        _ => unknown_name("last move", &text, "Name its squares as UCI does, such as \"e2e4\"."),
    }
}

sql_fn!(chessgame_pgn, |call| {
    let tags = tags_of(&call, 1);
    let tags: Vec<(&str, &str)> = tags.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    match pgn_export::write(view(&call.varlena(0)), &tags) {
        Ok(text) => ServerText(text),
        Err(error) => corrupt_game(error),
    }
});

/// The tags in an argument of type jsonb, in alphabetical order. An array, as pgngames() makes them
/// of a name that stands more than once, is a tag for each of its values; null is none.
fn tags_of(call: &Call, n: usize) -> Vec<(String, String)> {
    // SAFETY: the argument is a jsonb; its output function returns a cstring that lives as long as
    // the call.
    let json = unsafe {
        let json = pg_sys::OidOutputFunctionCall(pg_sys::F_JSONB_OUT.into(), call.datum(n));
        utf8(CStr::from_ptr(json).to_bytes())
    };
    let hint = "Give an object of names and texts or numbers, such as {\"White\": \"Morphy, Paul\"}.";
    let Ok(object) = serde_json::from_str::<Map<String, Value>>(&json) else {
        unknown_name("tags", &json, hint);
    };
    let mut tags = Vec::new();
    for (name, value) in object {
        if !pgn_export::is_tag_name(&name) {
            unknown_name("tag name", &name, "A name has letters of ASCII, digits and \"_\".");
        }
        let values = match value {
            Value::Array(values) => values,
            value => vec![value],
        };
        for value in values {
            match value {
                Value::Null => (),
                Value::String(text) => tags.push((name.clone(), text)),
                Value::Number(number) => tags.push((name.clone(), number.to_string())),
                Value::Bool(truth) => tags.push((name.clone(), truth.to_string())),
                Value::Array(_) | Value::Object(_) => unknown_name("value of a tag", &name, hint),
            }
        }
    }
    tags
}
