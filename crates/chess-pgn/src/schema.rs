//! The tables that games are loaded into: made where they are missing, finished after a load.
//!
//! Foreign keys are added when the first load has ended, for then they are checked by one join each
//! instead of four look-ups for every game; later loads into the same schema pay for the look-ups.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use postgres::Client;

const TABLES: &str = include_str!("schema.sql");
/// What the tables look like; `info` holds it.
const VERSION: &str = "1";

/// Table, its columns, and the table that they refer to.
const FOREIGN_KEYS: [(&str, &str, &str); 7] = [
    ("pieces", "source_id", "sources"),
    ("rejected", "source_id", "sources"),
    ("games", "source_id", "sources"),
    ("games", "event_id", "events"),
    ("games", "site_id", "sites"),
    ("games", "white_id", "players"),
    ("games", "black_id", "players"),
];

/// Indexes by name, access method and column.
const INDEXES: [(&str, &str, &str); 9] = [
    ("games_dates_idx", "gist", "dates"),
    ("games_white_id_idx", "btree", "white_id"),
    ("games_black_id_idx", "btree", "black_id"),
    ("games_result_idx", "btree", "result"),
    ("games_white_elo_idx", "btree", "white_elo"),
    ("games_black_elo_idx", "btree", "black_elo"),
    ("games_ply_count_idx", "btree", "ply_count"),
    ("games_game_idx", "btree", "game"),
    ("games_game_gin", "gin", "game"),
];

/// The name of a schema, and how it is written in SQL.
#[derive(Clone, Debug)]
pub struct Schema {
    /// As it is.
    pub name: String,
    /// Quoted.
    pub quoted: String,
}

impl Schema {
    /// The schema of that name.
    pub fn new(name: &str) -> Schema {
        Schema { name: name.to_owned(), quoted: format!("\"{}\"", name.replace('"', "\"\"")) }
    }

    /// Makes what is missing, and the extension if it is.
    pub fn create(&self, client: &mut Client) -> Result<()> {
        let encoding: String = client.query_one("SHOW server_encoding", &[])?.get(0);
        if encoding != "UTF8" {
            bail!("the database's encoding is {encoding}; names from all over the world need UTF8");
        }
        let mut transaction = client.transaction()?;
        // Two loaders at once: CREATE … IF NOT EXISTS alone is no protection against that.
        transaction.execute("SELECT pg_advisory_xact_lock(hashtext('chess-pgn schema'), 0)", &[])?;
        transaction
            .batch_execute("SET LOCAL client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS chess")
            .context("the extension \"chess\" is not there and cannot be created")?;
        let table = |name: &str| format!("{}.{name}", self.quoted);
        let exists = transaction.query_one(
            "SELECT to_regclass($1) IS NOT NULL, to_regclass($2) IS NOT NULL",
            &[&table("info"), &table("games")],
        )?;
        let (info, games): (bool, bool) = (exists.get(0), exists.get(1));
        if info {
            let query = format!("SELECT value FROM {}.info WHERE name = 'schema version'", self.quoted);
            let version: Option<String> = transaction.query_opt(&query, &[])?.map(|row| row.get(0));
            match version.as_deref() {
                Some(VERSION) => return Ok(transaction.commit()?),
                Some(other) => bail!("schema {} is of version {other}, not {VERSION}", self.name),
                None => bail!("schema {} has a table info of something else: name another by --schema", self.name),
            }
        }
        if games {
            bail!("schema {} has a table games of something else: name another by --schema", self.name);
        }
        let extension: String = transaction
            .query_one(
                "SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace \
                 WHERE e.extname = 'chess'",
                &[],
            )?
            .get(0);
        transaction.batch_execute(&TABLES.replace("{schema}", &self.quoted).replace("{chess}", &extension))?;
        let insert = format!("INSERT INTO {}.info VALUES ('schema version', $1), ('created by', $2)", self.quoted);
        transaction.execute(&insert, &[&VERSION, &format!("chess-pgn {}", env!("CARGO_PKG_VERSION"))])?;
        Ok(transaction.commit()?)
    }

    /// Adds the foreign keys that are missing, and gathers statistics.
    pub fn finish(&self, client: &mut Client) -> Result<()> {
        let mut transaction = client.transaction()?;
        transaction.execute("SELECT pg_advisory_xact_lock(hashtext('chess-pgn schema'), 0)", &[])?;
        let existing = "SELECT FROM pg_constraint WHERE conrelid = to_regclass($1) AND conname = $2";
        for (table, column, referred) in FOREIGN_KEYS {
            let name = format!("{table}_{column}_fkey");
            if transaction.query_opt(existing, &[&format!("{}.{table}", self.quoted), &name])?.is_none() {
                let schema = &self.quoted;
                transaction.batch_execute(&format!(
                    "ALTER TABLE {schema}.{table} ADD CONSTRAINT {name} FOREIGN KEY ({column}) REFERENCES {schema}.{referred}"
                ))?;
            }
        }
        transaction.commit()?;
        for table in ["events", "sites", "players", "games"] {
            client.batch_execute(&format!("ANALYZE {}.{table}", self.quoted))?;
        }
        Ok(())
    }

    /// Makes the indexes that are missing, one after the other; `report` is told of each.
    pub fn index(&self, client: &mut Client, mut report: impl FnMut(&str)) -> Result<()> {
        client.batch_execute("SET client_min_messages = warning")?;
        for (done, (name, method, column)) in INDEXES.into_iter().enumerate() {
            let start = Instant::now();
            client.batch_execute(&format!(
                "CREATE INDEX IF NOT EXISTS {name} ON {}.games USING {method} ({column})",
                self.quoted
            ))?;
            let (number, all, time) = (done + 1, INDEXES.len(), start.elapsed().as_secs_f64());
            report(&format!("index {number} of {all}: {name} ({method}) in {time:.1} s"));
        }
        Ok(())
    }

    /// What looking for equal games needs: an index of the games by their moves.
    pub fn index_for_duplicates(&self, client: &mut Client) -> Result<()> {
        client.batch_execute(&format!(
            "SET client_min_messages = warning; \
             CREATE INDEX IF NOT EXISTS games_game_hash ON {}.games USING hash (game)",
            self.quoted
        ))?;
        Ok(())
    }
}
