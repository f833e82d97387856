//! `pgn(game, tags jsonb)`: writes a game and its tags as PGN.

use std::ffi::CStr;

use chess_core::pause;
use chess_core::text::write_pgn;
use pgrx::pg_sys::JsonbIteratorToken::{
    WJB_BEGIN_ARRAY, WJB_BEGIN_OBJECT, WJB_ELEM, WJB_END_ARRAY, WJB_KEY, WJB_VALUE,
};
use pgrx::pg_sys::{self, Datum, JsonbValue, jbvType};
use pgrx::{PgSqlErrorCode, check_for_interrupts};

use crate::server::encoding::utf8;
use crate::server::error::{raise, unknown_name};
use crate::server::fmgr::{Call, ServerText};
use crate::values::game::view;
use crate::values::refusals::corrupt_game;

sql_fn!(chessgame_pgn(chessgame, jsonb) -> text, |call| {
    if call.is_null(0) {
        None
    } else {
        match write_pgn::write(view(&call.varlena(0)), &tags_of(&call, 1)) {
            Ok(text) => Some(ServerText(text)),
            Err(error) => corrupt_game(error),
        }
    }
});

const HINT: &str = "Tags are an object of names with texts or numbers, such as {\"White\": \"Morphy, Paul\"}.";

/// The tags in an argument of type jsonb, sorted by name. An array, as pgngames() returns for a repeated tag, becomes
/// several tags; a JSON null becomes none, and so does NULL.
pub fn tags_of(call: &Call, n: usize) -> Vec<(&str, &str)> {
    let mut tags = Vec::new();
    if call.is_null(n) {
        return tags;
    }
    let mut value = JsonbValue::default();
    // SAFETY: the argument is a jsonb, which lives as long as the call.
    let mut next = unsafe {
        let jsonb = pg_sys::pg_detoast_datum(call.datum(n).cast_mut_ptr()).cast::<pg_sys::Jsonb>();
        let mut iterator = pg_sys::JsonbIteratorInit(&raw mut (*jsonb).root);
        move || (pg_sys::JsonbIteratorNext(&mut iterator, &mut value, false), value)
    };
    if next().0 != WJB_BEGIN_OBJECT {
        let code = PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE;
        raise(code, "tags are not a JSON object".into(), None, Some(HINT));
    }
    let mut name = "";
    let mut is_in_array = false;
    loop {
        check_for_interrupts!();
        match next() {
            (WJB_KEY, key) => {
                name = text_of(&key).unwrap_or_default();
                if !write_pgn::is_tag_name(name) {
                    unknown_name("tag name", name, "A name consists of ASCII letters, digits and \"_\".");
                }
            }
            (WJB_VALUE | WJB_ELEM, value) => tags.extend(text_of(&value).map(|text| (name, text))),
            (WJB_BEGIN_ARRAY, _) if !is_in_array => is_in_array = true,
            (WJB_BEGIN_ARRAY | WJB_BEGIN_OBJECT, _) => unknown_name("value of tag", name, HINT),
            (WJB_END_ARRAY, _) => is_in_array = false,
            _ => break,
        }
    }
    pause::sort_by(&mut tags, |a, b| a.0.cmp(b.0));
    tags
}

/// The text of a scalar of a jsonb; `None` for null. It lives as long as the call.
fn text_of<'a>(value: &JsonbValue) -> Option<&'a str> {
    // SAFETY: the type says which member of the union is set. A text is part of the jsonb; the output function returns a
    // cstring that lives as long as the call.
    unsafe {
        match value.type_ {
            jbvType::jbvString => {
                let text = value.val.string;
                Some(utf8(std::slice::from_raw_parts(text.val.cast(), text.len as usize)))
            }
            jbvType::jbvNumeric => {
                let number = Datum::from(value.val.numeric);
                Some(utf8(
                    CStr::from_ptr(pg_sys::OidOutputFunctionCall(pg_sys::F_NUMERIC_OUT.into(), number)).to_bytes(),
                ))
            }
            jbvType::jbvBool => Some(if value.val.boolean { "true" } else { "false" }),
            _ => None,
        }
    }
}
