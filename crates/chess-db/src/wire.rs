//! Games in the binary format of the type chessgame: a version byte, then the bytes of the core.

use std::error::Error;

use postgres::types::private::BytesMut;
use postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// The version byte.
pub const GAME_VERSION: u8 = 1;

/// The bytes of a value of type chessgame.
#[derive(Debug)]
pub struct GameBytes(pub Vec<u8>);

impl FromSql<'_> for GameBytes {
    fn from_sql(_: &Type, raw: &[u8]) -> Result<GameBytes, Box<dyn Error + Sync + Send>> {
        match raw {
            [GAME_VERSION, bytes @ ..] => Ok(GameBytes(bytes.to_vec())),
            _ => Err("unknown format version of a game".into()),
        }
    }

    fn accepts(type_: &Type) -> bool {
        type_.name() == "chessgame"
    }
}

impl ToSql for GameBytes {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(&[GAME_VERSION]);
        out.extend_from_slice(&self.0);
        Ok(IsNull::No)
    }

    fn accepts(type_: &Type) -> bool {
        type_.name() == "chessgame"
    }

    to_sql_checked!();
}
