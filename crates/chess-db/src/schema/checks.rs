//! What a schema already holds, and whether a program may use it: its version, objects of other roles, tables that somebody
//! else has created, lost columns.

use std::io::Read as _;

use anyhow::{Result, bail};
use postgres::{Client, GenericClient, Transaction};

use super::{MIGRATIONS, NEW, REPLACED, Schema, TABLES};
use crate::door;
use crate::template;

/// A query that returns a row if a schema, or that of the extension, has been renamed since the functions were made. Its
/// parameter is the name of the schema.
pub const RENAMED: &str = include_str!("../renamed.sql");

/// What to say of sequences that are behind their columns, before the statements that set them.
pub const LATE: &str = "ids would be given twice, because sequences are behind them";

impl Schema {
    /// Whether the schema has the tables.
    ///
    /// # Errors
    ///
    /// The server's.
    pub fn exists(&self, client: &mut Client) -> Result<bool> {
        let table = format!("{}.info", self.quoted);
        Ok(client.query_one("SELECT pg_catalog.to_regclass($1) IS NOT NULL", &[&table])?.get(0))
    }

    /// Refuses a schema without the tables.
    ///
    /// # Errors
    ///
    /// The schema has no tables, or those of other servers.
    pub fn check_exists(&self, client: &mut Client) -> Result<()> {
        match self.exists(client)? {
            true => Ok(()),
            false if self.is_elsewhere(client)? => {
                bail!("the games of schema {} are on other servers: run this on each of them", self.name)
            }
            false => bail!("schema {} holds no tables of chess-pgn", self.name),
        }
    }

    /// Whether partitions of `games` are foreign tables.
    pub(super) fn is_elsewhere(&self, client: &mut impl GenericClient) -> Result<bool> {
        let query = "SELECT EXISTS (SELECT FROM pg_catalog.pg_partition_tree(pg_catalog.to_regclass($1)) p \
                     JOIN pg_catalog.pg_class c ON c.oid = p.relid WHERE c.relkind = 'f')";
        Ok(client.query_one(query, &[&format!("{}.games", self.quoted)])?.get(0))
    }

    /// Whether the schema combines the games of several servers.
    pub(super) fn is_gathered(&self, client: &mut impl GenericClient) -> Result<bool> {
        Ok(self.info(client)?.is_some_and(|info| info.iter().any(|(name, _)| name == "servers")))
    }

    /// The version of the tables.
    ///
    /// # Errors
    ///
    /// The table `info` is from elsewhere, or has lost its rows.
    pub fn version(&self, client: &mut impl GenericClient) -> Result<usize> {
        let info = self.info(client)?;
        let version = info.as_ref().map(|info| info.iter().find(|(name, _)| name == "schema version"));
        match version.map(|row| row.map(|(_, value)| value.parse())) {
            Some(Some(Ok(version))) if version > 0 => Ok(version),
            Some(None) => bail!(
                "{}.info does not say which version the tables have, as after a restore of the schema alone (pg_dump -s): copy \
                 its rows, pg_dump --data-only --table='{}.info' OLD | psql NEW, or choose another schema with --schema",
                self.name,
                self.quoted
            ),
            _ => bail!("{}.info is not a table of chess-pgn: choose another schema with --schema", self.name),
        }
    }

    /// The rows of the table `info`, names and values; `None` if it is no table with these columns. Backslashes and control
    /// characters in them are written as COPY does.
    ///
    /// COPY runs nothing of the table's owner, whoever that is: a query would be planned, for which PostgreSQL computes what is
    /// constant in the conditions of the table's indexes, and would read the tables that inherit from it.
    fn info(&self, client: &mut impl GenericClient) -> Result<Option<Vec<(String, String)>>> {
        let columns = "SELECT pg_catalog.count(*) FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid \
                       WHERE c.oid = pg_catalog.to_regclass($1) AND c.relkind = 'r' AND NOT a.attisdropped \
                       AND a.attname IN ('name', 'value') AND a.atttypid = 'pg_catalog.text'::pg_catalog.regtype";
        let table = format!("{}.info", self.quoted);
        if client.query_one(columns, &[&table])?.get::<_, i64>(0) != 2 {
            return Ok(None);
        }
        let mut transaction = client.transaction()?;
        // where a policy would make a query of it, COPY fails
        transaction.batch_execute("SET LOCAL row_security = off")?;
        let mut text = String::new();
        transaction.copy_out(&format!("COPY {table} (name, value) TO STDOUT"))?.read_to_string(&mut text)?;
        transaction.rollback()?;
        Ok(Some(
            text.lines().filter_map(|line| line.split_once('\t')).map(|(n, v)| (n.to_owned(), v.to_owned())).collect(),
        ))
    }

    /// Whether the schema, or that of the extension, has been renamed since the functions were made, which still use the earlier
    /// name.
    ///
    /// # Errors
    ///
    /// The server's.
    pub fn is_renamed(&self, client: &mut impl GenericClient) -> Result<bool> {
        Ok(client.query_opt(RENAMED, &[&self.name])?.is_some())
    }

    /// Refuses tables whose sequences are behind their ids, as after a switch-over of logical replication, because ids would be
    /// given twice. The sequence of runs of twins is looked at in any case.
    ///
    /// # Errors
    ///
    /// The statements that set the sequences.
    pub fn check_sequences(&self, client: &mut Client, tables: &[&str]) -> Result<()> {
        let mut remedies = Vec::new();
        for row in client.query(include_str!("../late_sequences.sql"), &[&self.name, &tables])? {
            let late = client.query_opt(row.get::<_, &str>(0), &[])?;
            remedies.extend(late.map(|row| format!("{};", row.get::<_, &str>(0))));
        }
        match remedies.is_empty() {
            true => Ok(()),
            false => bail!("{LATE}: {}", remedies.join(" ")),
        }
    }

    /// Refuses a view or functions of another version, or with earlier names of schemas. This is for programs that do not replace
    /// them and may read nothing else.
    ///
    /// # Errors
    ///
    /// What is wrong with them, with advice.
    pub fn check_view(&self, client: &mut Client) -> Result<()> {
        let query = "SELECT count(*) FILTER (WHERE attname = 'pgn_event') = 0 AND count(*) > 0 FROM pg_catalog.pg_attribute \
                     WHERE attrelid = pg_catalog.to_regclass($1)";
        if client.query_one(query, &[&format!("{}.pgn_view", self.quoted)])?.get(0) {
            bail!("schema {} is of an earlier version: chess-pgn migrate upgrades it", self.name);
        }
        if self.is_renamed(client)? {
            bail!(
                "the functions of schema {} name schemas that have been renamed: chess-pgn migrate replaces them",
                self.name
            );
        }
        Ok(())
    }

    /// Refuses a schema in which code of roles that are not trusted would run with the caller's rights.
    ///
    /// # Errors
    ///
    /// The untrusted object and its owner, with advice.
    pub fn check_reading(&self, client: &mut impl GenericClient) -> Result<()> {
        door::check(client, &self.name, &relied_on(), self.reading())
    }

    /// The same check for writers.
    pub(crate) fn check_owners(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        door::check(transaction, &self.name, &relied_on(), self.writing())
    }

    /// Refuses an existing table `games` with a column that is missing, has another type, or is not generated. Tables made
    /// before there was a column `facts` may lack it: reports then replay the games.
    pub(super) fn check_games(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        let table = format!("{}.games", self.quoted);
        let query = "SELECT relkind IN ('r', 'p', 'f') FROM pg_class WHERE oid = to_regclass($1)";
        if !transaction.query_one(query, &[&table])?.get::<_, bool>(0) {
            bail!("schema {} has a relation games that is not a table: choose another schema with --schema", self.name);
        }
        // Creates the expected tables as temporary ones, compares the columns, and rolls back.
        let mut model = transaction.transaction()?;
        let extension = Schema::extension(&mut model)?;
        let temporary = template::fill(TABLES, &[("schema", "pg_temp"), ("chess", &extension)])?;
        model.batch_execute(&temporary)?;
        let query = include_str!("wrong_column.sql");
        let wrong = model.query_opt(query, &[&table])?;
        model.rollback()?;
        let Some(row) = wrong else { return Ok(()) };
        let advice = match self.is_elsewhere(transaction)? {
            true => "run this on each of the servers that hold its games",
            false => "give it the columns of a table that chess-pgn has made, or choose another schema with --schema",
        };
        let (column, wanted, missing, found): (&str, &str, bool, &str) =
            (row.get(0), row.get(1), row.get(2), row.get(3));
        let what = match (missing, column) {
            (true, _) => format!("has no column {column}, which must be of type {wanted}"),
            (false, "id") if found == wanted => "has a column id without a default or identity".to_owned(),
            (false, _) if found == wanted => {
                format!("has a column {column} that should be generated as by chess-pgn schema, or not at all")
            }
            (false, _) => format!("has a column {column} of type {found}, which must be of type {wanted}"),
        };
        bail!("the table games in schema {} {what}: {advice}", self.name)
    }

    /// Refuses a table `games` without its column `game`, which is dropped with the extension. A load would skip the files
    /// of these games as already loaded.
    pub(super) fn check_column(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        let query = "SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'game' \
                     AND NOT attisdropped)";
        if transaction.query_one(query, &[&format!("{}.games", self.quoted)])?.get(0) {
            return Ok(());
        }
        bail!(
            "the table games in schema {} has lost its column game, as DROP EXTENSION chess CASCADE does, and with it the \
             moves of all games: restore a backup, or DROP SCHEMA {} CASCADE and load the files again",
            self.name,
            self.quoted
        )
    }
}

/// The names of objects in a schema that programs use.
pub fn relied_on() -> Vec<&'static str> {
    let scripts = NEW.iter().chain(&REPLACED).chain(MIGRATIONS.iter().copied().flatten()).copied();
    door::names(scripts, &["{schema}.", "{schema_literal}."])
}
