//! A piece to the tables, in one transaction: its row in `pieces`, which says that it is there, and
//! its games.
//!
//! The row of `pieces` comes first. Where another loader has inserted the same row, the database
//! makes this one wait; then nothing is left to do here, or everything, if the other one failed.

use std::io::Write;

use anyhow::{Context, Result};
use postgres::{Client, Transaction};

use crate::load::{Content, Job, Options, mark_finished};
pub use crate::names::Directory;
use crate::ocgdb;
use crate::parse::{Decoded, Games, hash};
use crate::record::Record;
use crate::rows::{GAME_COLUMNS, REJECTED_COLUMNS, Rows};
use crate::totals::Totals;

/// A connection that stores pieces.
pub struct Storer<'s> {
    client: Client,
    options: &'s Options,
    directory: &'s Directory,
    totals: &'s Totals,
}

/// The row of `pieces`.
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
        if options.dedupe {
            let schema = &options.schema.quoted;
            // The operators of the extension's types are looked for by their bare names.
            client.batch_execute(&format!(
                "SELECT set_config('search_path', quote_ident(n.nspname) || ', pg_catalog', false) \
                 FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'chess'; \
                 CREATE TEMP TABLE incoming ON COMMIT DELETE ROWS AS SELECT {GAME_COLUMNS} FROM {schema}.games \
                 WITH NO DATA"
            ))?;
        }
        Ok(Storer { client, options, directory, totals })
    }

    /// Stores a piece, unless another loader has.
    pub fn store(&mut self, job: &Job) -> Result<()> {
        let source = job.input.id;
        match &job.content {
            Content::Pgn(piece) => {
                let decoded = Decoded::new(piece, self.options.encoding);
                let games = decoded.games(self.options.keep);
                let hash = hash(&piece.bytes);
                let row = PieceRow { source, start: piece.start, end: piece.end, last: piece.last, hash };
                self.store_games(job, &row, games, piece.lines_before)?;
            }
            Content::Ocgdb(rows) => {
                let games = ocgdb::games(rows);
                let row = PieceRow { source, start: rows.start, end: rows.end, last: rows.last, hash: rows.hash };
                self.store_games(job, &row, games, 0)?;
            }
        }
        if job.input.stored() {
            mark_finished(&mut self.client, &self.options.schema, source)?;
        }
        Ok(())
    }

    fn store_games(&mut self, job: &Job, piece: &PieceRow, mut games: Games<'_>, lines_before: u64) -> Result<()> {
        job.input.ledger.enter(job.number, games.len() as u64);
        if !games.rejected.is_empty() {
            let before = job.input.ledger.before(job.number).context("an earlier piece could not be stored")?;
            for game in &mut games.rejected {
                game.number += before;
                game.line += lines_before;
            }
        }
        let schema = &self.options.schema;
        let records = games.records.iter().map(|(_, record)| record);
        let names = self.directory.resolve(&mut self.client, schema, records)?;
        let rows = game_rows(piece.source, &games.records, &names);
        let mut transaction = self.client.transaction()?;
        if self.options.dedupe {
            // Two loaders at once see each other's games only one after the other.
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
                let stored = insert_new(&mut transaction, &schema.quoted, piece)?;
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
        transaction.commit()?;
        Totals::add(&self.totals.stored, games.records.len() - duplicates);
        Totals::add(&self.totals.duplicates, duplicates);
        Totals::add(&self.totals.rejected, games.rejected.len());
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

/// False if the piece is stored already.
fn insert_piece(transaction: &mut Transaction<'_>, schema: &str, piece: &PieceRow, games: &Games<'_>) -> Result<bool> {
    let query =
        format!("INSERT INTO {schema}.pieces VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0) ON CONFLICT DO NOTHING");
    let (stored, rejected) = (games.records.len() as i32, games.rejected.len() as i32);
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

/// Moves the games that are not there yet from `incoming` to `games`: how many they are.
fn insert_new(transaction: &mut Transaction<'_>, schema: &str, piece: &PieceRow) -> Result<usize> {
    let stored = transaction.execute(
        &format!(
            "INSERT INTO {schema}.games ({GAME_COLUMNS}) \
             SELECT {GAME_COLUMNS} FROM (SELECT DISTINCT ON (game, white_id, black_id, date, result) * FROM incoming \
                 ORDER BY game, white_id, black_id, date, result, source_offset) n \
             WHERE NOT EXISTS (SELECT FROM {schema}.games g WHERE g.game = n.game \
                 AND g.white_id IS NOT DISTINCT FROM n.white_id AND g.black_id IS NOT DISTINCT FROM n.black_id \
                 AND g.date IS NOT DISTINCT FROM n.date AND g.result = n.result) \
             ORDER BY source_offset"
        ),
        &[],
    )?;
    transaction.execute(
        &format!(
            "UPDATE {schema}.pieces SET stored = $3, duplicates = duplicates + stored - $3 \
             WHERE source_id = $1 AND start_offset = $2"
        ),
        &[&piece.source, &(piece.start as i64), &(stored as i32)],
    )?;
    Ok(stored as usize)
}
