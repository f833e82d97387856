//! Games and their half-moves as tables for data programs: rows of `pgn_view` come in, a Parquet file of games and one of
//! half-moves go out.
//!
//! Moves of games are the two-byte codes of [`two_byte_moves`], which the SQL function `moves2` returns as well. A
//! half-move has the position in which it is played, so that positions and moves are pairs.

use std::fs::File;
use std::path::Path;

use ::parquet::errors::ParquetError;
use anyhow::{Error, Result, anyhow};
use chess_core::board::{fen, key};
use chess_core::facts::moves::MoveDetails;
use chess_core::text::two_byte_moves::{self, Numbering};
use chess_core::{CorruptGame, GameRef};
use chess_db::plies::Plies;
use chess_db::schema::Schema;
use chess_db::wire::GameBytes;
use postgres::fallible_iterator::FallibleIterator;
use postgres::{Client, Row};

use super::{Value, Writer};
use crate::export::{Selection, refused};

/// The columns of the file of games.
const GAMES: &str = "message games {
    optional int64 id;
    optional byte_array event (string);
    optional byte_array site (string);
    optional byte_array date (string);
    optional int32 first_day (date);
    optional int32 last_day (date);
    optional byte_array round (string);
    optional byte_array white (string);
    optional byte_array black (string);
    optional int32 white_elo;
    optional int32 black_elo;
    optional byte_array result (string);
    optional byte_array time_control (string);
    optional byte_array eco (string);
    optional int32 ply_count;
    optional byte_array fen (string);
    optional byte_array moves;
    optional byte_array tags (string);
    optional byte_array annotated (string);
    optional byte_array error (string);
}";

/// The columns of the file of half-moves.
const PLIES: &str = "message plies {
    optional int64 game_id;
    required int32 ply;
    required byte_array fen (string);
    required int64 position;
    required int32 move;
    required byte_array uci (string);
    required byte_array san (string);
    optional int32 clock;
    optional int32 eval;
}";

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
    let mut rows = client.query_raw::<_, &str, _>(&query, []).map_err(refused)?;
    let mut games = Table::create(games, GAMES)?;
    let mut plies = plies.map(|path| Table::create(path, PLIES)).transpose()?;
    let mut written = Written::default();
    while let Some(row) = rows.next().map_err(refused)? {
        let id: Option<i64> = row.try_get(0)?;
        let bytes: Option<GameBytes> = row.try_get(17)?;
        let read = bytes.as_ref().map(|bytes| read(&bytes.0)).transpose();
        let game = read.unwrap_or_else(|error| {
            eprintln!("chess-pgn: game {} is written without its moves: {error}", id.unwrap_or_default());
            written.damaged += 1;
            None
        });
        write_game(&mut games, &row, id, game.as_ref())?;
        if let (Some(plies), Some((game, _, codes))) = (&mut plies, &game) {
            write_plies(plies, &row, id, *game, codes)?;
        }
    }
    written.games = games.finish()?;
    written.plies = plies.map(Table::finish).transpose()?.unwrap_or_default();
    Ok(written)
}

/// A file that is written. Its errors name it.
struct Table<'a> {
    path: &'a Path,
    rows: Writer<File>,
}

impl<'a> Table<'a> {
    fn create(path: &'a Path, schema: &str) -> Result<Table<'a>> {
        let file = File::create(path).map_err(|error| cannot_write(path, error.into()))?;
        let rows = Writer::new(file, schema).map_err(|error| cannot_write(path, error))?;
        Ok(Table { path, rows })
    }

    fn row(&mut self, values: &[Value<'_>]) -> Result<()> {
        self.rows.row(values).map_err(|error| cannot_write(self.path, error))
    }

    fn finish(self) -> Result<usize> {
        self.rows.finish().map_err(|error| cannot_write(self.path, error))
    }
}

fn cannot_write(path: &Path, error: ParquetError) -> Error {
    let cause = match error {
        // its text repeats that of the cause
        ParquetError::External(cause) => anyhow!(cause),
        error => error.into(),
    };
    cause.context(format!("cannot write {}", path.display()))
}

/// A game, its start position if it is not the standard one, and its moves.
fn read(bytes: &[u8]) -> Result<(GameRef<'_>, Option<String>, Vec<u8>), CorruptGame> {
    let game = GameRef::new(bytes)?;
    let start = game.has_custom_start().then(|| game.start_board()).transpose()?;
    Ok((game, start.map(|board| fen::write(&board)), two_byte_moves::write(game, Numbering::Plain)?))
}

fn write_game(
    out: &mut Table<'_>,
    row: &Row,
    id: Option<i64>,
    game: Option<&(GameRef<'_>, Option<String>, Vec<u8>)>,
) -> Result<()> {
    let text = |column: usize| row.try_get::<_, Option<&str>>(column).map(Value::from);
    let int = |column: usize| row.try_get::<_, Option<i32>>(column).map(Value::from);
    let start = game.and_then(|(_, start, _)| start.as_deref());
    out.row(&[
        id.map_or(Value::Null, Value::Int),
        text(1)?,
        text(2)?,
        text(3)?,
        int(4)?,
        int(5)?,
        text(6)?,
        text(7)?,
        text(8)?,
        int(9)?,
        int(10)?,
        text(11)?,
        text(12)?,
        text(13)?,
        game.map_or(Value::Null, |(game, ..)| Value::Int(game.ply_count().into())),
        start.into(),
        game.map_or(Value::Null, |(_, _, codes)| Value::Bytes(codes)),
        text(14)?,
        text(15)?,
        text(16)?,
    ])
}

fn write_plies(out: &mut Table<'_>, row: &Row, id: Option<i64>, game: GameRef<'_>, codes: &[u8]) -> Result<()> {
    // Arrays of another shape, which anybody may have stored, are none.
    let values = |column: usize| {
        let plies = row.try_get::<_, Option<Plies>>(column).ok().flatten();
        plies.map(|plies| plies.of_game(game.ply_count() as usize).0).unwrap_or_default()
    };
    let (clocks, evals) = (values(18), values(19));
    let value = |values: &[Option<i32>], ply: usize| Value::from(values.get(ply).copied().flatten());
    let start = game.start_board()?;
    let (mut clock, mut number) = (start.halfmove_clock, start.fullmove_number);
    let mut details = MoveDetails::default();
    let mut ply = 0;
    let mut done = Ok(());
    game.decode(|position, step| {
        let Some(step) = step.filter(|_| done.is_ok()) else { return };
        let board = position.board(ply as u32, clock);
        details.describe(position, step, number, game.is_chess960());
        let code =
            codes.get(2 * ply..).and_then(|codes| codes.first_chunk()).map_or(0, |code| u16::from_le_bytes(*code));
        done = out.row(&[
            id.map_or(Value::Null, Value::Int),
            Value::Int(ply as i64 + 1),
            Value::Bytes(fen::write(&board).as_bytes()),
            Value::Int(key::polyglot_key(&board) as i64),
            Value::Int(code.into()),
            Value::Bytes(details.uci.as_bytes()),
            Value::Bytes(details.san.as_bytes()),
            value(&clocks, ply),
            value(&evals, ply),
        ]);
        clock = if details.resets_clock() { 0 } else { clock.saturating_add(1) };
        number = number.saturating_add(u32::from(details.turn));
        ply += 1;
    })?;
    done
}
