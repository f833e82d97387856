//! Games and their half-moves as tables for data programs: rows of `pgn_view` come in, a Parquet file of games and one of
//! half-moves go out.
//!
//! Moves of games are the two-byte codes of [`two_byte_moves`], which the SQL function `moves2` returns as well. A
//! half-move has the position in which it is played, so that positions and moves are pairs.

use std::borrow::Cow;
use std::path::Path;

use anyhow::Result;
use chess_core::{CorruptGame, GameRef};
use chess_db::plies::Plies;
use chess_db::schema::Schema;
use chess_db::wire::GameBytes;
use postgres::fallible_iterator::FallibleIterator;
use postgres::{Client, Row};

use super::plies::{PLIES, each_ply};
use super::table::Table;
use crate::columns::Kind;
use crate::columns::games::{COLUMNS, Column, GameRow, Moves};
use crate::export::Selection;
use crate::output::tell;

/// The schema of the file of games.
pub fn schema_of_games() -> String {
    let column = |(name, kind, _): &Column| match kind {
        Kind::Long => format!("optional int64 {name};"),
        Kind::Int => format!("optional int32 {name};"),
        Kind::Day => format!("optional int32 {name} (date);"),
        Kind::Time => format!("optional int64 {name} (timestamp(millis,true));"),
        Kind::Text | Kind::Json => format!("optional byte_array {name} (string);"),
        Kind::Bytes => format!("optional byte_array {name};"),
    };
    format!("message games {{ {} }}", COLUMNS.iter().map(column).collect::<String>())
}

/// What was written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written {
    /// The number of games.
    pub games: usize,
    /// The number of half-moves.
    pub plies: usize,
    /// The games whose moves do not decode, and were left out.
    pub damaged: usize,
}

/// Writes the selected games to one file, and, if another is given, their half-moves to that.
///
/// # Errors
///
/// Errors of the server or of the files.
pub fn export(
    client: &mut Client,
    schema: &Schema,
    selection: &Selection<'_>,
    games: &Path,
    plies: Option<&Path>,
) -> Result<Written> {
    // Infinite days and unknown ones are NULL.
    let day = |day: &str| format!("CASE WHEN isfinite({day}) THEN {day} - date '1970-01-01' END");
    let columns = format!(
        "id, pgn_event, pgn_site, date, {}, {}, round, pgn_white, pgn_black, white_elo, black_elo, result, \
         time_control, eco, tags::text, annotated, error, game, clocks, pgn_evals",
        day("lower(dates)"),
        // the first day of PostgreSQL has no day before it
        day("(nullif(upper(dates), date '4714-11-24 BC') - 1)")
    );
    let query = selection.query(schema, &columns);
    let mut rows = client.query_raw::<_, &str, _>(&query, []).map_err(|error| selection.refused(&query, error))?;
    let mut games = Table::create(games, &schema_of_games())?;
    let mut plies = plies.map(|path| Table::create(path, PLIES)).transpose()?;
    let mut written = Written::default();
    while let Some(row) = rows.next().map_err(|error| selection.refused(&query, error))? {
        let bytes: Option<GameBytes> = row.try_get(17)?;
        let game = bytes.as_ref().map(|bytes| GameRef::new(&bytes.0)).transpose();
        let game = game.unwrap_or_else(|error| damage(row.get(0), &error, &mut written.damaged));
        let found = game_row(&row, game, &mut written.damaged)?;
        games.row(COLUMNS.iter().map(|(.., value)| value(&found)))?;
        if let (Some(plies), Some(moves)) = (&mut plies, &found.moves) {
            // Arrays of another shape, which anybody may have stored, are none.
            let values = |column: usize| {
                let values = row.try_get::<_, Option<Plies>>(column).ok().flatten();
                values.map(|values| values.of_game(moves.game.ply_count() as usize).0).unwrap_or_default()
            };
            each_ply(moves, found.id, [&values(18), &values(19)], |ply| plies.row(ply))?;
        }
    }
    written.games = games.finish()?;
    written.plies = plies.map(Table::finish).transpose()?.unwrap_or_default();
    Ok(written)
}

/// The row of a game, as the query of [`export`] has it.
fn game_row<'r>(row: &'r Row, game: Option<GameRef<'r>>, damaged: &mut usize) -> Result<GameRow<'r>> {
    let id: Option<i64> = row.try_get(0)?;
    let text = |column: usize| row.try_get::<_, Option<&str>>(column);
    let int = |column: usize| row.try_get::<_, Option<i32>>(column);
    let moves = game.map(Moves::of).transpose().unwrap_or_else(|error| damage(id, &error, damaged));
    let found = GameRow {
        id,
        names: [text(1)?, text(2)?, text(7)?, text(8)?],
        date: text(3)?,
        days: [int(4)?, int(5)?],
        round: text(6)?,
        elo: [int(9)?, int(10)?],
        result: text(11)?,
        time_control: text(12)?,
        eco: text(13)?,
        tags: text(14)?.map(Cow::Borrowed),
        annotated: text(15)?,
        error: text(16)?,
        moves,
        ..GameRow::default()
    };
    Ok(found.with_extras())
}

/// Tells that the moves of a game do not decode.
fn damage<T>(id: Option<i64>, error: &CorruptGame, damaged: &mut usize) -> Option<T> {
    tell!("chess-pgn: game {} is written without its moves: {error}", id.unwrap_or_default());
    *damaged += 1;
    None
}
