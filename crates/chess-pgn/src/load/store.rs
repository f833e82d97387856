//! Stores a piece in one transaction: its row in `pieces`, which marks it as stored, and its games.
//!
//! The row of `pieces` is inserted first. If another loader is inserting the same row, the database makes this one
//! wait; then the piece is either stored, and skipped, or the other loader has failed, and this one stores it.
//!
//! A game that the server refuses, because of a limit, a constraint or somebody's index, is rejected with the reason. To
//! find it, the piece is stored once more, in halves.

use std::io::Write;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use postgres::error::SqlState;
use postgres::{Client, Transaction};

use chess_db::locks::Lock;
use chess_db::names::Directory;
use chess_db::schema::{LATE, Schema, key_of_equals, moves_alone};

use super::job::{Content, Job};
use super::reader::mark_finished;
use super::rows::{GAME_COLUMNS, REJECTED_COLUMNS, Rows};
use super::shared::{Options, Shared};
use super::state::State;
use super::totals::Totals;
use super::turns::Turn;
use crate::read::condition::Condition;
use crate::read::hash::Hasher;
use crate::read::ocgdb;
use crate::read::parse::{Decoded, Games};
use crate::read::record::Record;

const PIECE_COLUMNS: &str =
    "source_id, start_offset, end_offset, last, hash, games, stored, rejected, duplicates, incomplete, left_out";

/// A connection that stores pieces.
pub struct Storer<'s> {
    client: Client,
    options: &'s Options,
    directory: &'s Directory,
    shared: &'s Shared,
    /// The quoted schema of the extension.
    extension: String,
    /// Whether there is the index of equal games, see [`Schema::index_for_duplicates`].
    has_index: bool,
}

/// The values of a row of `pieces`.
struct PieceRow {
    source: i32,
    start: u64,
    end: u64,
    last: bool,
    hash: [u8; 16],
}

impl<'s> Storer<'s> {
    /// Prepares a connection.
    pub fn new(
        mut client: Client,
        options: &'s Options,
        directory: &'s Directory,
        shared: &'s Shared,
    ) -> Result<Storer<'s>> {
        let extension = Schema::extension(&mut client)?;
        let mut has_index = false;
        if options.dedupe {
            let schema = &options.schema.quoted;
            has_index = options.schema.has_index_for_duplicates(&mut client)?;
            client.batch_execute(&format!(
                "CREATE TEMP TABLE incoming ON COMMIT DELETE ROWS AS SELECT {GAME_COLUMNS} FROM {schema}.games \
                 WITH NO DATA"
            ))?;
        }
        Ok(Storer { client, options, directory, shared, extension, has_index })
    }

    fn store_games(&mut self, job: &Job, piece: &PieceRow, mut games: Games<'_>, lines_before: u64) -> Result<()> {
        if !games.rejected.is_empty() {
            let before = games_before(job)?;
            for game in &mut games.rejected {
                game.number += before;
                game.line += lines_before;
            }
        }
        let mut attempts = 1;
        let done = loop {
            match self.store_with_names(job, piece, &mut games, lines_before) {
                // Somebody has removed a name since it was looked up.
                Err(error) if lacks_name(&error) && attempts < ATTEMPTS => {
                    self.directory.forget();
                    attempts += 1;
                }
                done => break done?,
            }
        };
        let Some((stored, incomplete)) = done else {
            Totals::add(&self.shared.totals.before, games.len() - games.left_out());
            return Ok(());
        };
        Totals::add(&self.shared.totals.stored, stored);
        Totals::add(&self.shared.totals.incomplete, incomplete);
        Totals::add(&self.shared.totals.duplicates, games.records.len() - stored);
        Totals::add(&self.shared.totals.rejected, games.rejected.len() - games.incomplete);
        self.shared.totals.leave_out(&games.left_out);
        Ok(())
    }

    /// Looks up the names of a piece and stores its rows.
    fn store_with_names(
        &mut self,
        job: &Job,
        piece: &PieceRow,
        games: &mut Games<'_>,
        lines_before: u64,
    ) -> Result<Option<(usize, usize)>> {
        let records = games.records.iter().map(|(_, record)| record.known_by());
        let names = self.directory.resolve(&mut self.client, &self.options.schema, records)?;
        match self.store_rows(job, piece, games, &names, None) {
            // The server refuses a game: the others are stored without it.
            Err(error) if refusal(&error).is_some() => self.store_rows(job, piece, games, &names, Some(lines_before)),
            done => done,
        }
    }

    /// Stores the rows of a piece in one transaction. Returns the numbers of stored games and of incomplete ones among them;
    /// `None` if the piece is stored already. With the number of lines before the piece, games that the server refuses are
    /// rejected; otherwise they are errors.
    fn store_rows(
        &mut self,
        job: &Job,
        piece: &PieceRow,
        games: &mut Games<'_>,
        names: &[[Option<i32>; 4]],
        carefully: Option<u64>,
    ) -> Result<Option<(usize, usize)>> {
        let schema = &self.options.schema.quoted;
        let fence = if self.has_index { "OFFSET 0" } else { "" };
        let (extension, dedupe) = (&self.extension, self.options.dedupe);
        let target = Target { schema, extension, source: piece.source, dedupe, fence };
        let mut transaction = self.client.transaction()?;
        if self.options.dedupe {
            // Serialized, because two concurrent transactions cannot see each other's games.
            Lock::equal_games().take_here(&mut transaction)?;
        }
        if !insert_piece(&mut transaction, schema, piece, games)? {
            transaction.rollback()?;
            return Ok(None);
        }
        let all = 0..games.records.len();
        let mut refused = Vec::new();
        let stored = match carefully {
            None => target.insert(&mut transaction, games, names, all)?,
            Some(_) => target.insert_possible(&mut transaction, games, names, all, &mut refused)?,
        };
        if let Some(lines_before) = carefully {
            if let [.., (last, reason)] = &refused[..]
                && refused.len() == games.records.len()
                && refused.len() > MOST_REFUSED
            {
                let offset = games.records[*last].0;
                bail!("the server refuses all games, such as that at byte {offset}: {reason}");
            }
            games.refuse(refused, (games_before(job)?, lines_before));
        }
        if !games.rejected.is_empty() {
            let mut rows = Rows::new();
            games.rejected.iter().for_each(|game| rows.rejected(piece.source, game));
            copy(&mut transaction, &format!("{schema}.rejected ({REJECTED_COLUMNS})"), rows.finish())?;
        }
        let mut incomplete = games.incomplete;
        if incomplete > 0 {
            incomplete = link_incomplete(&mut transaction, schema, piece, games)?;
        }
        if stored < games.records.len() || carefully.is_some() {
            let update = format!(
                "UPDATE {schema}.pieces SET stored = $3, rejected = $4, duplicates = games - left_out - $3 - $4, incomplete = $5 \
                 WHERE source_id = $1 AND start_offset = $2"
            );
            let rejected = (games.rejected.len() - games.incomplete) as i32;
            let numbers = (stored as i32, incomplete as i32);
            let start = piece.start as i64;
            transaction.execute(&update, &[&piece.source, &start, &numbers.0, &rejected, &numbers.1])?;
        }
        transaction.commit()?;
        Ok(Some((stored, incomplete)))
    }
}

/// Stores a piece, unless it is stored already. Reads its games first, and then waits for its turn with the connection.
pub fn store(
    storer: &Mutex<Storer<'_>>,
    job: Job,
    turn: &Turn<'_>,
    options: &Options,
    condition: Option<&mut Condition>,
) -> Result<()> {
    let source = job.input.id;
    let begin = |games: &Games<'_>| {
        job.input.holds(job.number, games.len() as u64);
        turn.wait();
        let storer = storer.lock().unwrap_or_else(PoisonError::into_inner);
        (!storer.shared.stopped()).then_some(storer)
    };
    match &job.content {
        Content::Pgn(piece) => {
            let decoded = Decoded::new(piece, options.encoding);
            let games = decoded.games(options.keep, condition);
            let hash = Hasher::new(&piece.bytes).of_piece();
            let row = PieceRow { source, start: piece.start, end: piece.end, last: piece.last, hash };
            let Some(mut storer) = begin(&games) else { return Ok(()) };
            storer.store_games(&job, &row, games, piece.lines_before)?;
        }
        Content::Ocgdb(rows) => {
            let games = ocgdb::games(rows, options.keep, condition);
            let row = PieceRow { source, start: rows.start, end: rows.end, last: rows.last, hash: rows.hash };
            let Some(mut storer) = begin(&games) else { return Ok(()) };
            storer.store_games(&job, &row, games, 0)?;
        }
    }
    if job.stored() == (State::Done { whole: true }) {
        let mut storer = storer.lock().unwrap_or_else(PoisonError::into_inner);
        mark_finished(&mut storer.client, &options.schema, source)?;
    }
    Ok(())
}

/// The number of games of the source before a piece.
fn games_before(job: &Job) -> Result<u64> {
    job.input.games_before(job.number).context("an earlier piece could not be stored")
}

/// If the server refuses all of more games than this, the reason is not in the games, and the load ends.
const MOST_REFUSED: usize = 16;

/// How often a piece is tried whose names others remove meanwhile.
const ATTEMPTS: u32 = 10;

/// The foreign keys from games to names.
const KEYS_OF_NAMES: [&str; 4] =
    ["games_event_id_fkey", "games_site_id_fkey", "games_white_id_fkey", "games_black_id_fkey"];

/// Whether an error says that a name of a game is not stored, which is not the game's fault.
fn lacks_name(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<postgres::Error>().and_then(postgres::Error::as_db_error);
    error.is_some_and(|error| {
        *error.code() == SqlState::FOREIGN_KEY_VIOLATION
            && error.constraint().is_some_and(|constraint| KEYS_OF_NAMES.contains(&constraint))
    })
}

/// Why the server refuses a game, if an error says that: values beyond its limits, such as those of a row of an index; a
/// constraint, a trigger or a partition that is missing.
pub fn refusal(error: &anyhow::Error) -> Option<String> {
    if lacks_name(error) {
        return None;
    }
    let error = error.downcast_ref::<postgres::Error>()?.as_db_error()?;
    let is_of_rows = ["22", "23", "44", "54", "P0"].iter().any(|class| error.code().code().starts_with(class));
    let detail = error.detail().filter(|_| error.code().code().starts_with("23"));
    let detail = detail.map(|detail| format!(" ({detail})")).unwrap_or_default();
    is_of_rows.then(|| format!("the server refuses the game: {}{detail}", error.message()))
}

/// Ends the load if an error is that an id is there already: the server gives the ids, so no game is at fault.
fn check_sequence(transaction: &mut Transaction<'_>, error: &anyhow::Error) -> Result<()> {
    let error = error.downcast_ref::<postgres::Error>().and_then(postgres::Error::as_db_error);
    let duplicate = error.filter(|error| *error.code() == SqlState::UNIQUE_VIOLATION);
    let Some(index) = duplicate.and_then(|error| error.schema().zip(error.constraint())) else { return Ok(()) };
    match transaction.query_opt(include_str!("sql/late_sequence.sql"), &[&index.0, &index.1])? {
        Some(row) => bail!("{LATE}: {};", row.get::<_, &str>(0)),
        None => Ok(()),
    }
}

/// What equal incomplete games have in common besides their moves: the text, without which none equals another.
const INCOMPLETE: &str = "CASE WHEN error IS NOT NULL THEN annotated END, \
     CASE WHEN error IS NOT NULL AND annotated IS NULL THEN source_offset END";

/// Where games are inserted.
struct Target<'t> {
    schema: &'t str,
    extension: &'t str,
    source: i32,
    dedupe: bool,
    /// What keeps the planner from reading all games to find equal ones, if their index is there.
    fence: &'t str,
}

impl Target<'_> {
    /// Inserts some of the records. Returns the number of those that are not duplicates.
    fn insert(
        &self,
        transaction: &mut Transaction<'_>,
        games: &Games<'_>,
        names: &[[Option<i32>; 4]],
        range: Range<usize>,
    ) -> Result<usize> {
        if range.is_empty() {
            return Ok(0);
        }
        let rows = game_rows(self.source, &games.records[range.clone()], &names[range.clone()]);
        if self.dedupe {
            copy(transaction, &format!("incoming ({GAME_COLUMNS})"), rows)?;
            return self.insert_new(transaction);
        }
        copy(transaction, &format!("{}.games ({GAME_COLUMNS})", self.schema), rows)?;
        Ok(range.len())
    }

    /// [`Target::insert`] without the records that the server refuses: halves of what is refused are tried again, down to
    /// single games. Adds the indexes of these, in ascending order, and the reasons.
    fn insert_possible(
        &self,
        transaction: &mut Transaction<'_>,
        games: &Games<'_>,
        names: &[[Option<i32>; 4]],
        range: Range<usize>,
        refused: &mut Vec<(usize, String)>,
    ) -> Result<usize> {
        let mut attempt = transaction.transaction()?;
        let inserted = self.insert(&mut attempt, games, names, range.clone()).and_then(|stored| {
            // what would otherwise be found at the commit
            attempt.batch_execute("SET CONSTRAINTS ALL IMMEDIATE")?;
            if self.dedupe {
                attempt.batch_execute("DELETE FROM incoming")?;
            }
            Ok(stored)
        });
        let error = match inserted {
            Ok(stored) => {
                attempt.commit()?;
                return Ok(stored);
            }
            Err(error) => error,
        };
        let Some(reason) = refusal(&error) else { return Err(error) };
        attempt.rollback()?;
        check_sequence(transaction, &error)?;
        if range.len() == 1 {
            refused.push((range.start, reason));
            return Ok(0);
        }
        let middle = range.start + range.len() / 2;
        let first = self.insert_possible(transaction, games, names, range.start..middle, refused)?;
        Ok(first + self.insert_possible(transaction, games, names, middle..range.end, refused)?)
    }

    /// Moves games that do not equal a stored one from `incoming` to `games`, and returns their number.
    ///
    /// Games are equal if their players, dates, results and moves are; incomplete ones if their texts are, too, because a text
    /// goes with its game. The result inside the game does not count, because
    /// the column `result` does. A player is the same under another spelling, or under the same name with no FIDE id.
    fn insert_new(&self, transaction: &mut Transaction<'_>) -> Result<usize> {
        let Target { schema, extension, source, fence, .. } = self;
        let [moves, stored_moves, new_moves] = ["game", "g.game", "n.game"].map(|game| moves_alone(extension, game));
        let insert = format!(
            include_str!("sql/insert_new.sql"),
            schema = schema,
            columns = GAME_COLUMNS,
            moves = moves,
            incomplete = INCOMPLETE,
            stored_moves = stored_moves,
            extension = extension,
            source = source,
            new_moves = new_moves,
            stored_key = key_of_equals(extension, "g.game", ["g.white_id", "g.black_id"]),
            new_key = key_of_equals(extension, "n.game", ["w.stored", "b.stored"]),
            fence = fence
        );
        // Its cost is overestimated, so the server would compile it for seconds.
        transaction.batch_execute("SET LOCAL jit = off")?;
        Ok(transaction.execute(&insert, &[])? as usize)
    }
}

fn game_rows(source: i32, records: &[(u64, Record<'_>)], names: &[[Option<i32>; 4]]) -> Vec<u8> {
    let mut rows = Rows::new();
    for ((offset, record), names) in records.iter().zip(names) {
        rows.game(source, *offset, record, *names);
    }
    rows.finish()
}

/// Returns false if the piece is stored already.
fn insert_piece(transaction: &mut Transaction<'_>, schema: &str, piece: &PieceRow, games: &Games<'_>) -> Result<bool> {
    let query = format!(
        "INSERT INTO {schema}.pieces ({PIECE_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, $10) \
         ON CONFLICT (source_id, start_offset) DO NOTHING"
    );
    let (stored, incomplete) = (games.records.len() as i32, games.incomplete as i32);
    let (rejected, left_out) = (games.rejected.len() as i32 - incomplete, games.left_out() as i32);
    let inserted = transaction.execute(
        &query,
        &[
            &piece.source,
            &(piece.start as i64),
            &(piece.end as i64),
            &piece.last,
            &&piece.hash[..],
            &(stored + rejected + left_out),
            &stored,
            &rejected,
            &incomplete,
            &left_out,
        ],
    )?;
    Ok(inserted > 0)
}

/// Copies rows into a table.
pub fn copy(transaction: &mut Transaction<'_>, target: &str, rows: Vec<u8>) -> Result<()> {
    let mut writer = transaction.copy_in(&format!("COPY {target} FROM STDIN (FORMAT binary)"))?;
    writer.write_all(&rows)?;
    writer.finish().with_context(|| format!("cannot copy into {target}"))?;
    Ok(())
}

/// Sets `game_id` in the texts of incomplete games. Returns the number of stored incomplete games.
fn link_incomplete(
    transaction: &mut Transaction<'_>,
    schema: &str,
    piece: &PieceRow,
    games: &Games<'_>,
) -> Result<usize> {
    let offsets: Vec<i64> =
        games.records.iter().filter(|(_, record)| record.error.is_some()).map(|(offset, _)| *offset as i64).collect();
    // The statistics know nothing of a new source, so the planner expects one row and would choose a nested loop, which
    // compares each game with all offsets.
    transaction.batch_execute("SET LOCAL enable_nestloop = off")?;
    let linked = transaction.execute(
        &format!(
            "UPDATE {schema}.rejected r SET game_id = g.id FROM {schema}.games g \
             WHERE r.source_id = $1 AND r.source_offset = ANY ($2) \
               AND g.source_id = $1 AND g.source_offset = ANY ($2) AND g.source_offset = r.source_offset"
        ),
        &[&piece.source, &offsets],
    )? as usize;
    if linked < offsets.len() {
        // The remaining texts belong to duplicates, whose texts are stored with the game that they equal.
        transaction.execute(
            &format!(
                "DELETE FROM {schema}.rejected WHERE source_id = $1 AND source_offset = ANY ($2) AND game_id IS NULL"
            ),
            &[&piece.source, &offsets],
        )?;
    }
    Ok(linked)
}
