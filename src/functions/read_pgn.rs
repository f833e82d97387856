//! `pgngames(pgn text)`: the games of a PGN text as rows.

use std::ffi::CString;

use chess_core::text::read_pgn::{PgnGame, games};
use pgrx::check_for_interrupts;
use pgrx::pg_sys::{self, Datum};
use serde_json::{Map, Value};

use crate::server::datum::varlena_from;
use crate::server::encoding::{server_encoded, utf8};
use crate::server::rows::Rows;

sql_fn!(pgngames(text) -> setof record, |call| {
    let server_text = call.varlena(0);
    let text = utf8(&server_text);
    let mut rows = Rows::new(&call);
    for game in games(text) {
        check_for_interrupts!();
        rows.put(|| row(&game));
    }
});

fn row(game: &PgnGame<'_>) -> [Option<Datum>; 5] {
    let number = Datum::from(game.number as i32);
    let tags = jsonb(&tags_as_json(game));
    let (packed, error) = match &game.game {
        Ok(packed) => (Some(varlena_from(packed.as_bytes())), None),
        Err(incomplete) => (
            incomplete.prefix.as_ref().map(|prefix| varlena_from(prefix.as_bytes())),
            Some(varlena_from(&server_encoded(&incomplete.to_string()))),
        ),
    };
    let annotated = game.annotated.as_ref().map(|text| varlena_from(&server_encoded(text)));
    [Some(number), Some(tags), packed, error, annotated]
}

/// The tags as a JSON object. A repeated tag has an array of its values.
fn tags_as_json(game: &PgnGame<'_>) -> Value {
    let mut object = Map::new();
    for (name, value) in &game.tags {
        let value = Value::from(value.as_ref());
        match object.get_mut(*name) {
            None => {
                object.insert((*name).to_string(), value);
            }
            Some(Value::Array(values)) => values.push(value),
            Some(first) => *first = Value::Array(vec![first.take(), value]),
        }
    }
    Value::Object(object)
}

fn jsonb(value: &Value) -> Datum {
    let mut json = server_encoded(&value.to_string()).into_owned();
    json.push(0);
    let json = CString::from_vec_with_nul(json).expect("JSON text has no NUL");
    // SAFETY: jsonb_in takes a cstring, which lives until it returns.
    unsafe { pg_sys::OidInputFunctionCall(pg_sys::F_JSONB_IN.into(), json.as_ptr().cast_mut(), pg_sys::JSONBOID, -1) }
}
