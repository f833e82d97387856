//! `pgngames(pgn text)`: the games of a PGN text as rows.

use std::borrow::Cow;
use std::ffi::CString;

use chess_core::pause;
use chess_core::text::read_pgn::{PgnGame, games};
use pgrx::check_for_interrupts;
use pgrx::pg_sys::{self, Datum};
use serde_json::Value;

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
    let tags = jsonb(&tags_as_json(&game.tags));
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
fn tags_as_json(tags: &[(&str, Cow<'_, str>)]) -> String {
    let mut tags: Vec<_> = tags.iter().map(|(name, value)| (*name, value.as_ref())).collect();
    pause::sort_by(&mut tags, |a, b| a.0.cmp(b.0));
    let mut json = String::from("{");
    for of_name in tags.chunk_by(|a, b| a.0 == b.0) {
        let is_repeated = of_name.len() > 1;
        let comma = if json.len() > 1 { "," } else { "" };
        json.extend([comma, "\"", of_name[0].0, if is_repeated { "\":[" } else { "\":" }]);
        for (n, (_, value)) in of_name.iter().enumerate() {
            check_for_interrupts!();
            json.push_str(if n > 0 { "," } else { "" });
            json.push_str(&Value::from(*value).to_string());
        }
        json.push_str(if is_repeated { "]" } else { "" });
    }
    json.push('}');
    json
}

fn jsonb(json: &str) -> Datum {
    let mut json = server_encoded(json).into_owned();
    json.push(0);
    let json = CString::from_vec_with_nul(json).expect("JSON text has no NUL");
    // SAFETY: jsonb_in takes a cstring, which lives until it returns.
    unsafe { pg_sys::OidInputFunctionCall(pg_sys::F_JSONB_IN.into(), json.as_ptr().cast_mut(), pg_sys::JSONBOID, -1) }
}
