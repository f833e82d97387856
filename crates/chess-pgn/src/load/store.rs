//! Stores a piece in one transaction: its row in `pieces`, which marks it as stored, and its games.
//!
//! The row of `pieces` is inserted first. If another loader is inserting the same row, the database makes this one
//! wait; then the piece is either stored, and skipped, or the other loader has failed, and this one stores it.

use std::io::Write;

use anyhow::{Context, Result};
use postgres::{Client, Transaction};

use chess_db::names::Directory;
use chess_db::schema::{Schema, moves_alone};

use super::job::{Content, Job};
use super::reader::mark_finished;
use super::rows::{GAME_COLUMNS, REJECTED_COLUMNS, Rows};
use super::shared::Options;
use super::state::State;
use super::totals::Totals;
use crate::read::hash::Hasher;
use crate::read::ocgdb;
use crate::read::parse::{Decoded, Games};
use crate::read::record::Record;

const PIECE_COLUMNS: &str =
    "source_id, start_offset, end_offset, last, hash, games, stored, rejected, duplicates, incomplete";

/// A connection that stores pieces.
pub struct Storer<'s> {
    client: Client,
    options: &'s Options,
    directory: &'s Directory,
    totals: &'s Totals,
    /// The quoted schema of the extension.
    extension: String,
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
        totals: &'s Totals,
    ) -> Result<Storer<'s>> {
        let extension = Schema::extension(&mut client)?;
        if options.dedupe {
            let schema = &options.schema.quoted;
            client.batch_execute(&format!(
                "CREATE TEMP TABLE incoming ON COMMIT DELETE ROWS AS SELECT {GAME_COLUMNS} FROM {schema}.games \
                 WITH NO DATA"
            ))?;
        }
        Ok(Storer { client, options, directory, totals, extension })
    }

    /// Stores a piece, unless it is stored already.
    pub fn store(&mut self, job: Job) -> Result<()> {
        let source = job.input.id;
        match &job.content {
            Content::Pgn(piece) => {
                let decoded = Decoded::new(piece, self.options.encoding);
                let games = decoded.games(self.options.keep);
                let hash = Hasher::new(&piece.bytes).of_piece();
                let row = PieceRow { source, start: piece.start, end: piece.end, last: piece.last, hash };
                self.store_games(&job, &row, games, piece.lines_before)?;
            }
            Content::Ocgdb(rows) => {
                let games = ocgdb::games(rows, self.options.keep);
                let row = PieceRow { source, start: rows.start, end: rows.end, last: rows.last, hash: rows.hash };
                self.store_games(&job, &row, games, 0)?;
            }
        }
        if job.stored() == (State::Done { whole: true }) {
            mark_finished(&mut self.client, &self.options.schema, source)?;
        }
        Ok(())
    }

    fn store_games(&mut self, job: &Job, piece: &PieceRow, mut games: Games<'_>, lines_before: u64) -> Result<()> {
        job.input.holds(job.number, games.len() as u64);
        if !games.rejected.is_empty() {
            let before = job.input.games_before(job.number).context("an earlier piece could not be stored")?;
            for game in &mut games.rejected {
                game.number += before;
                game.line += lines_before;
            }
        }
        let schema = &self.options.schema;
        let records = games.records.iter().map(|(_, record)| record.known_by());
        let names = self.directory.resolve(&mut self.client, schema, records)?;
        let rows = game_rows(piece.source, &games.records, &names);
        let mut transaction = self.client.transaction()?;
        if self.options.dedupe {
            // Serialized, because two concurrent transactions cannot see each other's games.
            transaction.execute("SELECT pg_advisory_xact_lock(hashtext('chess-pgn dedupe'), 0)", &[])?;
        }
        if !insert_piece(&mut transaction, &schema.quoted, piece, &games)? {
            transaction.rollback()?;
            Totals::add(&self.totals.before, games.len());
            return Ok(());
        }
        let mut duplicates = 0;
        if !games.records.is_empty() {
            if self.options.dedupe {
                copy(&mut transaction, &format!("incoming ({GAME_COLUMNS})"), rows)?;
                let stored = insert_new(&mut transaction, &schema.quoted, &self.extension, piece)?;
                duplicates = games.records.len() - stored;
            } else {
                copy(&mut transaction, &format!("{}.games ({GAME_COLUMNS})", schema.quoted), rows)?;
            }
        }
        if !games.rejected.is_empty() {
            let mut rows = Rows::new();
            games.rejected.iter().for_each(|game| rows.rejected(piece.source, game));
            copy(&mut transaction, &format!("{}.rejected ({REJECTED_COLUMNS})", schema.quoted), rows.finish())?;
        }
        let mut incomplete = games.incomplete;
        if incomplete > 0 {
            incomplete = link_incomplete(&mut transaction, &schema.quoted, piece, &games)?;
        }
        transaction.commit()?;
        Totals::add(&self.totals.stored, games.records.len() - duplicates);
        Totals::add(&self.totals.incomplete, incomplete);
        Totals::add(&self.totals.duplicates, duplicates);
        Totals::add(&self.totals.rejected, games.rejected.len() - games.incomplete);
        Ok(())
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
        "INSERT INTO {schema}.pieces ({PIECE_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9) ON CONFLICT DO NOTHING"
    );
    let (stored, incomplete) = (games.records.len() as i32, games.incomplete as i32);
    let rejected = games.rejected.len() as i32 - incomplete;
    let inserted = transaction.execute(
        &query,
        &[
            &piece.source,
            &(piece.start as i64),
            &(piece.end as i64),
            &piece.last,
            &&piece.hash[..],
            &(stored + rejected),
            &stored,
            &rejected,
            &incomplete,
        ],
    )?;
    Ok(inserted > 0)
}

fn copy(transaction: &mut Transaction<'_>, target: &str, rows: Vec<u8>) -> Result<()> {
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
        transaction.execute(
            &format!("UPDATE {schema}.pieces SET incomplete = $3 WHERE source_id = $1 AND start_offset = $2"),
            &[&piece.source, &(piece.start as i64), &(linked as i32)],
        )?;
    }
    Ok(linked)
}

/// Moves games that do not equal a stored one from `incoming` to `games`, and returns their number.
///
/// Games are equal if their players, dates, results and moves are. The result inside the game does not count, because
/// the column `result` does. A player is the same under another spelling, or under the same name with no FIDE id.
fn insert_new(transaction: &mut Transaction<'_>, schema: &str, extension: &str, piece: &PieceRow) -> Result<usize> {
    let [moves, stored_moves, new_moves] = ["game", "g.game", "n.game"].map(|game| moves_alone(extension, game));
    let [same_white, same_black] = ["white_id", "black_id"].map(|id| {
        format!(
            "(g.{id} IS NOT DISTINCT FROM n.{id} OR EXISTS (SELECT FROM {schema}.players a, {schema}.players b \
              WHERE a.id = g.{id} AND b.id = n.{id} AND (coalesce(a.same_as, a.id) = coalesce(b.same_as, b.id) \
              OR a.name = b.name AND (a.fide_id IS NULL OR b.fide_id IS NULL))))"
        )
    });
    let stored = transaction.execute(
        &format!(
            "INSERT INTO {schema}.games ({GAME_COLUMNS}) \
             SELECT {GAME_COLUMNS} FROM (SELECT DISTINCT ON ({moves}, white_id, black_id, date, result, error IS NULL) * \
                 FROM incoming \
                 ORDER BY {moves}, white_id, black_id, date, result, error IS NULL, source_offset) n \
             WHERE NOT EXISTS (SELECT FROM {schema}.games g WHERE {stored_moves} OPERATOR({extension}.=) {new_moves} \
                 AND (g.error IS NULL) = (n.error IS NULL) AND {same_white} AND {same_black} \
                 AND g.date IS NOT DISTINCT FROM n.date AND g.result = n.result) \
             ORDER BY source_offset"
        ),
        &[],
    )?;
    transaction.execute(
        &format!(
            "UPDATE {schema}.pieces SET stored = $3, incomplete = least(incomplete, $3), duplicates = duplicates + stored - $3 \
             WHERE source_id = $1 AND start_offset = $2"
        ),
        &[&piece.source, &(piece.start as i64), &(stored as i32)],
    )?;
    Ok(stored as usize)
}
