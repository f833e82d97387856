//! `pgngames(pgn text)`: the games of a PGN text as rows.
//!
//! Rows go to a tuplestore, which spills to disk beyond work_mem, one game at a time.

use std::ffi::CString;

use chess_core::pgn::{PgnGame, games};
use pgrx::pg_sys::{self, Datum};
use pgrx::{check_for_interrupts, memcxt::PgMemoryContexts};
use serde_json::{Map, Value};

use crate::datum::varlena_from;
use crate::encoding::{server_encoded, utf8};

sql_fn!(pgngames, |call| {
    let server_text = call.varlena(0);
    let text = utf8(&server_text);
    let mut row_memory = PgMemoryContexts::new("pgngames row");
    // SAFETY: the function is declared to return rows of number, tags, game and error.
    unsafe {
        // Without the flag the server would work out the columns anew, at the cost of memory that only the end of the
        // query gives back.
        pg_sys::InitMaterializedSRF(call.fcinfo(), pg_sys::MAT_SRF_USE_EXPECTED_DESC);
        let result = (*call.fcinfo()).resultinfo.cast::<pg_sys::ReturnSetInfo>();
        for game in games(&text) {
            check_for_interrupts!();
            row_memory.switch_to(|_| {
                let (mut values, mut nulls) = row(&game);
                let (store, columns) = ((*result).setResult, (*result).setDesc);
                pg_sys::tuplestore_putvalues(store, columns, values.as_mut_ptr(), nulls.as_mut_ptr());
            });
            row_memory.reset();
        }
    }
});

fn row(game: &PgnGame<'_>) -> ([Datum; 4], [bool; 4]) {
    let number = Datum::from(game.number as i32);
    let tags = jsonb(&tags_as_json(game));
    match &game.game {
        Ok(packed) => ([number, tags, varlena_from(packed.as_bytes()), Datum::null()], [false, false, false, true]),
        Err(error) => {
            let error = varlena_from(&server_encoded(&error.to_string()));
            ([number, tags, Datum::null(), error], [false, false, true, false])
        }
    }
}

/// An object of the tags; a name that stands more than once has an array of its values.
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
    let mut json = server_encoded(&value.to_string());
    json.push(0);
    let json = CString::from_vec_with_nul(json).expect("JSON text has no NUL");
    // SAFETY: jsonb_in takes a cstring, which lives until it returns.
    unsafe { pg_sys::OidInputFunctionCall(pg_sys::F_JSONB_IN.into(), json.as_ptr().cast_mut(), pg_sys::JSONBOID, -1) }
}
