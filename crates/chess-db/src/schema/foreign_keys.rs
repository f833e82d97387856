//! Foreign keys between the tables, added after the first load.
//!
//! Then each key is checked by one join, not by a look-up per row; later loads into the same schema pay for the look-ups.

use anyhow::Result;
use postgres::Client;

use super::deadlocks::survive;
use super::{Schema, is_impossible};
use crate::locks::Lock;

/// Table, column, referenced table, and the action when the referenced row is deleted.
type Key = (&'static str, &'static str, &'static str, &'static str);
const FOREIGN_KEYS: [Key; 11] = [
    ("analyzed_games", "game_id", "games", "ON DELETE CASCADE"),
    ("pieces", "source_id", "sources", ""),
    ("rejected", "source_id", "sources", ""),
    ("rejected", "game_id", "games", "ON DELETE CASCADE"),
    ("games", "source_id", "sources", ""),
    ("games", "event_id", "events", ""),
    ("games", "site_id", "sites", ""),
    ("games", "white_id", "players", ""),
    ("games", "black_id", "players", ""),
    ("twins", "a", "games", "ON DELETE CASCADE"),
    ("twins", "b", "games", "ON DELETE CASCADE"),
];

impl Schema {
    /// Adds missing foreign keys. Calls `report` for keys that are not possible, such as those of
    /// foreign or distributed tables. Runs within [`Schema::alone_with_indexes`].
    pub fn finish(&self, client: &mut Client, mut report: impl FnMut(&str)) -> Result<()> {
        for impossible in survive(client, "foreign keys", &mut report, |client| self.add_foreign_keys(client))? {
            report(&impossible);
        }
        Ok(())
    }

    /// Finds foreign keys that could exist but are missing or not valid. Returns a message for each, and the statements that mend it.
    pub fn lacking_keys(&self, client: &mut Client) -> Result<Vec<(String, String)>> {
        let [tables, columns, referred] =
            [FOREIGN_KEYS.map(|key| key.0), FOREIGN_KEYS.map(|key| key.1), FOREIGN_KEYS.map(|key| key.2)];
        let lists = [tables, columns, referred].map(Vec::from);
        let rows = client.query(include_str!("missing_keys.sql"), &[&self.quoted, &lists[0], &lists[1], &lists[2]])?;
        let lacking = |row: &postgres::Row| {
            let key @ (table, column, referred, _) = FOREIGN_KEYS[row.get::<_, i32>(0) as usize];
            match row.get::<_, Option<&str>>(1) {
                None => {
                    let problem = format!("no foreign key from {table}.{column} to {referred}");
                    let statements = self.orphans(key).into_iter().chain([self.addition(key, "")]);
                    (problem, statements.collect::<Vec<_>>().join("; "))
                }
                Some(name) => (
                    format!("the foreign key from {table}.{column} to {referred} was not validated"),
                    format!("ALTER TABLE {}.{table} VALIDATE CONSTRAINT {}", self.quoted, Schema::new(name).quoted),
                ),
            }
        };
        Ok(rows.iter().map(lacking).collect())
    }

    /// The statement that removes rows that have stayed without the key, when their games were deleted.
    fn orphans(&self, (table, column, ..): Key) -> Option<String> {
        ["analyzed_games", "twins"].contains(&table).then(|| {
            format!(
                "DELETE FROM {0}.{table} t WHERE NOT EXISTS (SELECT FROM {0}.games g WHERE g.id = t.{column})",
                self.quoted
            )
        })
    }

    /// The statement that adds a key. `name` is `CONSTRAINT` with a name, or empty.
    fn addition(&self, (table, column, referred, deleted): Key, name: &str) -> String {
        let schema = &self.quoted;
        let key = format!("FOREIGN KEY ({column}) REFERENCES {schema}.{referred} (id) {deleted}");
        format!("ALTER TABLE {schema}.{table} ADD {name} {}", key.trim_end())
    }

    /// Adds missing foreign keys in one transaction, and returns what to say of those that are not possible.
    fn add_foreign_keys(&self, client: &mut Client) -> Result<Vec<String>> {
        let mut impossible = Vec::new();
        let mut transaction = client.transaction()?;
        Lock::tables().take_here(&mut transaction)?;
        let existing = "SELECT c.contype = 'f' AND c.confrelid = to_regclass($4) AND c.conkey = ARRAY[a.attnum] \
                        FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attname = $3 \
                        WHERE c.conrelid = to_regclass($1) AND c.conname = $2";
        for key @ (table, column, referred, _) in FOREIGN_KEYS {
            let name = format!("{table}_{column}_fkey");
            let [from, to] = [table, referred].map(|table| format!("{}.{table}", self.quoted));
            if let Some(row) = transaction.query_opt(existing, &[&from, &name, &column, &to])? {
                if !row.get::<_, bool>(0) {
                    let reason = format!("another constraint has the name {name}: rename that one");
                    impossible.push(format!("no foreign key from {table}.{column} to {referred}: {reason}"));
                }
                continue;
            }
            if let Some(delete) = self.orphans(key) {
                transaction.batch_execute(&delete)?;
            }
            let mut attempt = transaction.transaction()?;
            match attempt.batch_execute(&self.addition(key, &format!("CONSTRAINT {name}"))) {
                Ok(()) => attempt.commit()?,
                Err(error) if is_impossible(error.code()) => {
                    attempt.rollback()?;
                    let reason = error.as_db_error().map_or("", |error| error.message());
                    impossible.push(format!("no foreign key from {table}.{column} to {referred}: {reason}"));
                }
                Err(error) => return Err(error.into()),
            }
        }
        transaction.commit()?;
        Ok(impossible)
    }

    /// Whether a load of `games` games changes the tables by more than statistics and the visibility map tolerate: they
    /// were empty or never analyzed, or have grown by more than a twentieth. After less, autovacuum is enough.
    pub fn has_outgrown_statistics(&self, client: &mut Client, games: u64) -> Result<bool> {
        let query =
            "SELECT greatest(reltuples, 0)::float8 FROM pg_catalog.pg_class WHERE oid = pg_catalog.to_regclass($1)";
        let before: f64 = client.query_one(query, &[&format!("{}.games", self.quoted)])?.get(0);
        Ok(games > 0 && 20.0 * games as f64 > before)
    }

    /// Brings statistics and the visibility map up to date, so that everything is at once as quick as it will be.
    /// Calls `report` when a deadlock makes it try again.
    pub fn vacuum_analyze(&self, client: &mut Client, mut report: impl FnMut(&str)) -> Result<()> {
        for table in ["events", "sites", "players", "games"] {
            let table = format!("{}.{table}", self.quoted);
            // The server of a foreign table vacuums it.
            let query = "SELECT relkind = 'f' FROM pg_catalog.pg_class WHERE oid = pg_catalog.to_regclass($1)";
            let foreign: bool = client.query_one(query, &[&table])?.get(0);
            let statement = format!("{} {table}", if foreign { "ANALYZE" } else { "VACUUM (ANALYZE)" });
            survive(client, &statement, &mut report, |client| Ok(client.batch_execute(&statement)?))?;
        }
        Ok(())
    }
}
