//! Replaces a stored game by one of a file, or brings back what was replaced. In: the id of a game and PGN. Out: the game has the
//! new contents under its old id, source and analysis, and the table `earlier_games` has the old ones. The functions of
//! `earlier.sql` keep and restore them, so that users of SQL can do the same.

use std::iter;

use anyhow::{Result, bail};
use chess_db::names::Directory;
use chess_db::schema::Schema;
use postgres::error::SqlState;
use postgres::{Client, IsolationLevel};

use crate::load::rows::{CONTENT_COLUMNS, GAME_COLUMNS, Rows};
use crate::load::store::{copy, refusal};
use crate::read::encoding::Encoding;
use crate::read::parse::Decoded;
use crate::read::record::Keep;
use crate::read::split::Piece;

/// What becomes of a game as a whole; clocks and evaluations go to their columns, as uploads have them.
const KEEP: Keep = Keep { whole_only: true, annotations: true, clocks: true, evals: true };

/// Replaces a game by the one in `bytes`, if it is still of the version `expected`. Returns false if it was so already.
///
/// # Errors
///
/// The bytes are not one game that can be read to its end, there is no game of this id, it has changed, or the server refuses
/// the new one.
pub fn replace(client: &mut Client, schema: &Schema, id: i64, expected: Option<&str>, bytes: Vec<u8>) -> Result<bool> {
    let end = bytes.len() as u64;
    let piece = Piece { start: 0, end, lines_before: 0, lines: 0, bytes, oversize: false, last: true };
    let decoded = Decoded::new(&piece, Encoding::Auto);
    let games = decoded.games(KEEP, None);
    if let Some(unread) = games.rejected.first() {
        bail!("line {}: {}", unread.line, unread.reason);
    }
    let [(_, record)] = &games.records[..] else { bail!("{} games instead of one", games.records.len()) };
    let names = Directory::default().resolve(client, schema, iter::once(record.known_by()))?;
    let mut row = Rows::new();
    // the columns of the place in a source are not taken over
    row.game(0, 0, record, names[0]);

    let schema = &schema.quoted;
    let mut transaction = client.build_transaction().isolation_level(IsolationLevel::ReadCommitted).start()?;
    let table = format!(
        "CREATE TEMP TABLE replacement ON COMMIT DROP AS SELECT {GAME_COLUMNS} FROM {schema}.games WITH NO DATA"
    );
    transaction.batch_execute(&table)?;
    copy(&mut transaction, &format!("replacement ({GAME_COLUMNS})"), row.finish())?;
    let keep = format!("SELECT {schema}.keep_game($1::bigint, $2::text)");
    let kept: i64 = transaction.query_one(&keep, &[&id, &expected])?.get(0);
    let update = format!(
        "UPDATE {schema}.games SET ({CONTENT_COLUMNS}) = (SELECT {CONTENT_COLUMNS} FROM replacement) WHERE id = $1 \
         RETURNING ROW({CONTENT_COLUMNS})::record *<> (SELECT ROW({CONTENT_COLUMNS})::record \
         FROM jsonb_populate_record(NULL::{schema}.games, (SELECT e.game FROM {schema}.earlier_games e WHERE e.id = $2)))"
    );
    let is_new = transaction.query_one(&update, &[&id, &kept])?.get(0);
    if is_new {
        transaction.commit()?
    } else {
        transaction.rollback()?
    }
    Ok(is_new)
}

/// Makes a game what it was before it was replaced last.
///
/// # Errors
///
/// There is no such game, or it was never replaced.
pub fn restore(client: &mut Client, schema: &Schema, id: i64) -> Result<()> {
    // The server would end a single statement although this program was ended while it waits.
    let mut transaction = client.transaction()?;
    let restored = transaction.query_one(&format!("SELECT {}.restore_game($1::bigint)", schema.quoted), &[&id])?.get(0);
    transaction.commit()?;
    match restored {
        true => Ok(()),
        false => bail!("nothing is known of what game {id} was before"),
    }
}

/// Why a game was not replaced, in a word for programs: it has `changed` meanwhile, is `missing`, what was to take its place is
/// `refused`, or it `failed` for other reasons.
pub fn reason(error: &anyhow::Error) -> &'static str {
    let Some(of_server) = error.downcast_ref::<postgres::Error>() else { return "refused" };
    match of_server.code() {
        Some(code) if *code == SqlState::T_R_SERIALIZATION_FAILURE => "changed",
        Some(code) if *code == SqlState::NO_DATA_FOUND => "missing",
        _ if refusal(error).is_some() => "refused",
        _ => "failed",
    }
}
