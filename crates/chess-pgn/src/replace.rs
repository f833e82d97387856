//! Replaces a stored game by one of a file, or brings back what was replaced. In: the id of a game and PGN. Out: the game has the
//! new contents under its old id, source and analysis, and the table `earlier_games` has the old ones. All is one transaction, so
//! that a game that is refused leaves no names behind. The functions of
//! `earlier.sql` keep and restore them, so that users of SQL can do the same.

use std::{array, iter};

use anyhow::{Result, bail};
use chess_core::Game;
use chess_core::text::clocks_evals::ClocksEvals;
use chess_db::names::Directory;
use chess_db::pgn::{self, Lost};
use chess_db::schema::Schema;
use postgres::error::SqlState;
use postgres::{Client, Transaction};

use crate::load::rows::{GAME_COLUMNS, Rows};
use crate::load::store::{copy, refusal};
use crate::read::encoding::Encoding;
use crate::read::parse::Decoded;
use crate::read::record::{Keep, Record};
use crate::read::split::Piece;

/// What becomes of a game as a whole; clocks and evaluations go to their columns, as uploads have them.
const KEEP: Keep = Keep { whole_only: true, annotations: true, clocks: true, evals: true };

/// Replaces a game by the one in `bytes`, if it is still of the version `expected`. Returns false if it was so already.
///
/// What the new game says as the stored one does when it is written as PGN is not changed: the columns may hold more than PGN says.
///
/// # Errors
///
/// The bytes are not one game that can be read to its end, there is no game of this id, it has changed, the new one would take
/// what PGN cannot express, or the server refuses it.
pub fn replace(client: &mut Client, schema: &Schema, id: i64, expected: Option<&str>, bytes: Vec<u8>) -> Result<bool> {
    let after = piece(bytes);
    let after = Decoded::new(&after, Encoding::Auto);
    let after = one_game(&after)?;
    let mut transaction = client.transaction()?;
    // Ranges of dates are compared as texts, which depend on DateStyle.
    transaction.batch_execute("SET LOCAL datestyle = 'ISO'")?;
    let keep = format!("SELECT {}.keep_game($1::bigint, $2::text)", schema.quoted);
    let kept: i64 = transaction.query_one(&keep, &[&id, &expected])?.get(0);
    let (written, lost) = write(&mut transaction, schema, id)?;
    let before = piece(written);
    let before = Decoded::new(&before, Encoding::Auto);
    let before = one_game(&before).ok();
    if let Some(lost) = lost.iter().find(|lost| !lost.starts_with("its tag"))
        && before.as_ref().is_none_or(|before| moves(before) != moves(&after))
    {
        bail!("game {id} has what PGN cannot express, and other moves would take it: {lost}");
    }
    let is_new = change(&mut transaction, schema, (id, kept), before.as_ref(), &after)?;
    if is_new {
        transaction.commit()?
    } else {
        transaction.rollback()?
    }
    Ok(is_new)
}

/// A text as a whole file.
fn piece(bytes: Vec<u8>) -> Piece {
    let end = bytes.len() as u64;
    Piece { start: 0, end, lines_before: 0, lines: 0, bytes, oversize: false, last: true }
}

fn one_game<'d>(decoded: &'d Decoded<'_>) -> Result<Record<'d>> {
    let mut games = decoded.games(KEEP, None);
    if let Some(unread) = games.rejected.first() {
        bail!("line {}: {}", unread.line, unread.reason);
    }
    match (games.records.pop(), games.records.len()) {
        (Some((_, record)), 0) => Ok(record),
        (_, others) => bail!("{} games instead of one", if others == 0 { 0 } else { others + 1 }),
    }
}

/// A stored game as PGN, and what this does not express.
fn write(transaction: &mut Transaction<'_>, schema: &Schema, id: i64) -> Result<(Vec<u8>, Lost)> {
    let query = format!("SELECT {} FROM {}.pgn_view WHERE id = $1", pgn::COLUMNS, schema.quoted);
    let (mut lost, mut text) = (Lost::new(), String::new());
    let row = pgn::read(&transaction.query_one(&query, &[&id])?, &mut lost);
    pgn::write_game(&mut text, row, &mut lost);
    Ok((text.into_bytes(), lost))
}

/// What belongs to the moves of a game.
fn moves<'r>(record: &'r Record<'_>) -> (&'r Game, &'r ClocksEvals, Option<&'r str>, Option<&'r str>) {
    (&record.game, &record.clocks_evals, record.error.as_deref(), record.annotated.as_deref())
}

/// Changes a game by its id, and that of the row that has kept it, as one record differs from another. Returns false if nothing
/// differs.
fn change(
    transaction: &mut Transaction<'_>,
    schema: &Schema,
    (id, kept): (i64, i64),
    before: Option<&Record<'_>>,
    after: &Record<'_>,
) -> Result<bool> {
    let were = before.map_or([None; 4], Record::known_by);
    let mut names = after.known_by();
    // A name that is not another one keeps its number.
    let other: [bool; 4] = array::from_fn(|n| names[n] != were[n]);
    for (name, other) in names.iter_mut().zip(other) {
        *name = name.filter(|_| other);
    }
    let ids = Directory::default().resolve(transaction, schema, iter::once(names))?[0];
    let schema = &schema.quoted;
    transaction.batch_execute(&format!(
        "CREATE TEMP TABLE replacement ON COMMIT DROP AS SELECT {GAME_COLUMNS} FROM {schema}.games WITH NO DATA"
    ))?;
    let mut rows = Rows::new();
    if let Some(before) = before {
        rows.game(0, 0, before, other.map(|other| other.then_some(0)));
    }
    rows.game(1, 0, after, ids);
    copy(transaction, &format!("replacement ({GAME_COLUMNS})"), rows.finish())?;
    let query = format!(include_str!("sql/replace.sql"), schema = schema);
    let Some(row) = transaction.query_opt(&query, &[&kept])? else { return Ok(false) };
    transaction
        .execute(&format!("SELECT {schema}.set_game($1::bigint, $2::text::jsonb)"), &[&id, &row.get::<_, String>(0)])?;
    Ok(true)
}

/// Makes a game what it was before it was replaced last, if it is still of the version `expected`.
///
/// # Errors
///
/// There is no such game, it has changed, or it was never replaced.
pub fn restore(client: &mut Client, schema: &Schema, id: i64, expected: Option<&str>) -> Result<()> {
    // The server would end a single statement although this program was ended while it waits.
    let mut transaction = client.transaction()?;
    let query = format!("SELECT {}.restore_game($1::bigint, $2::text)", schema.quoted);
    let restored = transaction.query_one(&query, &[&id, &expected])?.get(0);
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
