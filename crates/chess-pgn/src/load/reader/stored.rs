//! What the tables know of sources: fingerprints in `sources`, stored pieces in `pieces`, broken games in `rejected`.

use std::collections::VecDeque;

use anyhow::{Context, Result};
use chess_db::schema::Schema;
use postgres::Client;

use super::Reader;

/// A piece that an earlier run has stored.
pub struct Stored {
    pub start: u64,
    pub end: u64,
    pub last: bool,
    pub hash: Vec<u8>,
    pub games: u64,
    /// Those of them that were left out.
    pub left_out: u64,
}

/// The first piece of a stored source.
#[derive(Clone)]
pub struct FirstPiece {
    pub source: i32,
    pub end: u64,
    pub hash: Vec<u8>,
}

impl Reader<'_> {
    /// Whether a source has this fingerprint, or had it before it grew.
    pub(super) fn known(&mut self, fingerprint: &[u8]) -> Result<bool> {
        let table = format!("{}.sources", self.options.schema.quoted);
        let query = format!("SELECT EXISTS (SELECT FROM {table} WHERE fingerprint = $1 OR $1 = ANY (earlier))");
        Ok(self.client.query_one(&query, &[&fingerprint])?.get(0))
    }

    /// Whether a source that was loaded to its end has this fingerprint now.
    pub(super) fn is_finished(&mut self, fingerprint: &[u8]) -> Result<bool> {
        let table = format!("{}.sources", self.options.schema.quoted);
        let query = format!("SELECT EXISTS (SELECT FROM {table} WHERE fingerprint = $1 AND finished IS NOT NULL)");
        Ok(self.client.query_one(&query, &[&fingerprint])?.get(0))
    }

    /// The first piece of one source, or of every source, in ascending order of their ends.
    pub(super) fn first_pieces(&mut self, source: Option<i32>) -> Result<Vec<FirstPiece>> {
        let query = format!(
            "SELECT source_id, end_offset, hash FROM {}.pieces \
             WHERE start_offset = 0 AND ($1::integer IS NULL OR source_id = $1) ORDER BY end_offset",
            self.options.schema.quoted
        );
        let rows = self.client.query(&query, &[&source])?;
        let piece =
            |row: &postgres::Row| FirstPiece { source: row.get(0), end: row.get::<_, i64>(1) as u64, hash: row.get(2) };
        Ok(rows.iter().map(piece).collect())
    }

    /// The stored pieces of a source, in order.
    pub(super) fn pieces(&mut self, source: i32) -> Result<VecDeque<Stored>> {
        let query = format!(
            "SELECT start_offset, end_offset, last, hash, games, left_out FROM {}.pieces WHERE source_id = $1 ORDER BY 1",
            self.options.schema.quoted
        );
        let rows = self.client.query(&query, &[&source])?;
        let stored = rows.iter().map(|row| Stored {
            start: row.get::<_, i64>(0) as u64,
            end: row.get::<_, i64>(1) as u64,
            last: row.get(2),
            hash: row.get(3),
            games: row.get::<_, i32>(4) as u64,
            left_out: row.get::<_, i32>(5) as u64,
        });
        Ok(stored.collect())
    }

    /// Whether the game at this offset could not be read to its end.
    pub(super) fn is_rejected(&mut self, source: i32, offset: u64) -> Result<bool> {
        let query = format!(
            "SELECT EXISTS (SELECT FROM {}.rejected WHERE source_id = $1 AND source_offset = $2)",
            self.options.schema.quoted
        );
        Ok(self.client.query_one(&query, &[&source, &(offset as i64)])?.get(0))
    }
}

/// Marks a source as completely loaded. Games that somebody had changed, and that were read anew, are then changed in the same way.
pub fn mark_finished(client: &mut Client, schema: &Schema, source: i32) -> Result<()> {
    let schema = &schema.quoted;
    let mut transaction = client.transaction()?;
    let query = format!("UPDATE {schema}.sources SET finished = now() WHERE id = $1 AND finished IS NULL");
    if transaction.execute(&query, &[&source]).context("cannot mark the source as finished")? > 0 {
        let change = format!("SELECT {schema}.change_again($1::integer)");
        transaction.execute(&change, &[&source]).context("cannot change the games that were read anew")?;
        // those that had only been kept for other tables
        let kept = "(game ->> 'source_id')::integer = $1 AND changed_by = ''";
        transaction.execute(&format!("DELETE FROM {schema}.earlier_games WHERE {kept}"), &[&source])?;
    }
    transaction.commit()?;
    Ok(())
}
