//! Names of people: takes a name, returns it as searches and merges compare it.

use chess_core::text::names;

use crate::server::datum::varlena_from;
use crate::server::encoding::{server_encoded, utf8};

sql_fn!(chess_foldname(text) -> text, |call| {
    let name = call.varlena(0);
    varlena_from(&server_encoded(&names::fold(utf8(&name))))
});
