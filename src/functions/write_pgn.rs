//! `pgn(game, tags jsonb)`: writes a game and its tags as PGN.

use std::ffi::CStr;

use chess_core::text::write_pgn;
use pgrx::pg_sys;
use serde_json::{Map, Value};

use crate::server::encoding::utf8;
use crate::server::error::unknown_name;
use crate::server::fmgr::{Call, ServerText};
use crate::values::game::view;
use crate::values::refusals::corrupt_game;

sql_fn!(chessgame_pgn(chessgame, jsonb) -> text, |call| {
    if call.is_null(0) {
        None
    } else {
        let tags = tags_of(&call, 1);
        let tags: Vec<(&str, &str)> = tags.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        match write_pgn::write(view(&call.varlena(0)), &tags) {
            Ok(text) => Some(ServerText(text)),
            Err(error) => corrupt_game(error),
        }
    }
});

/// The tags in an argument of type jsonb, sorted by name. An array, as pgngames() returns for a repeated tag, becomes
/// several tags; a JSON null becomes none, and so does NULL.
pub fn tags_of(call: &Call, n: usize) -> Vec<(String, String)> {
    if call.is_null(n) {
        return Vec::new();
    }
    // SAFETY: the argument is a jsonb; its output function returns a cstring that lives as long as
    // the call.
    let json = unsafe {
        let json = pg_sys::OidOutputFunctionCall(pg_sys::F_JSONB_OUT.into(), call.datum(n));
        utf8(CStr::from_ptr(json).to_bytes())
    };
    let hint = "Tags are an object of names with texts or numbers, such as {\"White\": \"Morphy, Paul\"}.";
    let Ok(object) = serde_json::from_str::<Map<String, Value>>(json) else {
        unknown_name("tags", json, hint);
    };
    let mut tags = Vec::new();
    for (name, value) in object {
        if !write_pgn::is_tag_name(&name) {
            unknown_name("tag name", &name, "A name consists of ASCII letters, digits and \"_\".");
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
                Value::Array(_) | Value::Object(_) => unknown_name("tag value", &name, hint),
            }
        }
    }
    tags
}
