//! The tables that games are loaded into: made where they are missing, moved on where an earlier version
//! has made them, finished after a load.
//!
//! # Ownership
//!
//! The [`door`](crate::door) refuses objects of roles that the caller has not chosen to trust. It checks before the
//! first change, and again before the commit.
//!
//! # Versions
//!
//! The table `info` says which version of the tables is there. [`MIGRATIONS`] has a script from each version to the next
//! one; they run in the transaction that also makes the view anew.
//!
//! # Foreign keys
//!
//! Foreign keys are added when the first load has ended, for then they are checked by one join each
//! instead of four look-ups for every game; later loads into the same schema pay for the look-ups. Where the server
//! can have none, as on foreign and distributed tables, the load says so and goes on.
//!
//! # Other layouts
//!
//! A table of games that is there before all others is used as it is, partitioned, foreign or distributed, if it has the
//! columns ([`check_games`]); [`Layout`] makes one that is partitioned. The column `shard` is the number of the server
//! where several hold the games together.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use postgres::error::SqlState;
use postgres::{Client, GenericClient, Transaction};

use crate::door::{self, Purpose, SAFE_PATH};
use crate::layout::Layout;
use crate::order::{LATEST, RATINGS};
use crate::shards::{first_id, first_name};

pub(crate) const INFO: &str = include_str!("info.sql");
const TABLES: &str = include_str!("tables.sql");
const ANALYSIS: &str = include_str!("analysis.sql");
const VIEWS: &str = include_str!("views.sql");
const CUBE: &str = include_str!("cube.sql");
pub(crate) const EXPLORER: &str = include_str!("explorer.sql");
/// What makes a new schema, in this order; partitions are made after the first of them.
const NEW: [&str; 6] = [TABLES, INFO, ANALYSIS, VIEWS, CUBE, EXPLORER];
/// What leads from version 1 to 2, from 2 to 3, and so on; the view follows it, and what else is replaced.
const MIGRATIONS: [&[&str]; 1] = [&[include_str!("migrate-1-2.sql"), ANALYSIS, CUBE, EXPLORER]];
/// What the tables look like; `info` holds it.
pub const VERSION: usize = MIGRATIONS.len() + 1;

/// Table, its columns, the table that they refer to, and what becomes of the row when the other one is deleted.
const FOREIGN_KEYS: [(&str, &str, &str, &str); 9] = [
    ("analyzed_games", "game_id", "games", "ON DELETE CASCADE"),
    ("pieces", "source_id", "sources", ""),
    ("rejected", "source_id", "sources", ""),
    ("rejected", "game_id", "games", "ON DELETE CASCADE"),
    ("games", "source_id", "sources", ""),
    ("games", "event_id", "events", ""),
    ("games", "site_id", "sites", ""),
    ("games", "white_id", "players", ""),
    ("games", "black_id", "players", ""),
];

/// Indexes by name, access method and columns; those for the lists of the explorer and one of positions come after them.
const INDEXES: [(&str, &str, &str); 8] = [
    ("games_dates_idx", "gist", "dates"),
    ("games_white_id_idx", "btree", "white_id"),
    ("games_black_id_idx", "btree", "black_id"),
    ("games_result_idx", "btree", "result"),
    ("games_white_elo_idx", "btree", "white_elo"),
    ("games_black_elo_idx", "btree", "black_elo"),
    ("games_ply_count_idx", "btree", "ply_count"),
    ("games_game_idx", "btree", "game"),
];

/// The name of a schema, and how it is written in SQL.
#[derive(Clone, Debug)]
pub struct Schema {
    /// As it is.
    pub name: String,
    /// Quoted.
    pub quoted: String,
}

/// Which index finds positions, and whether there is one for patterns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexClass {
    /// The default operator class.
    #[default]
    Default,
    /// The default operator class for the first half-moves, [`OPENING`] of them; the rest as in the compact one.
    Opening,
    /// A fraction of its size, with more games to check in a search.
    Compact,
    /// The same, and an index of patterns.
    Patterns,
}

/// How many half-moves [`IndexClass::Opening`] tells apart exactly: more than the explorer's page is used for.
const OPENING: u8 = 30;

/// An index of positions: its name, access method and column.
pub type PositionIndex = (&'static str, &'static str, String);

impl IndexClass {
    /// Approximate bytes that a game of 80 half-moves takes in the index of positions: measured, see docs/choosing.md.
    fn bytes_per_game(self) -> f64 {
        match self {
            IndexClass::Default => 2700.0,
            IndexClass::Opening => 680.0,
            IndexClass::Compact | IndexClass::Patterns => 150.0,
        }
    }
}

/// What a user asks of new tables.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// How games are partitioned.
    pub layout: Option<Layout>,
    /// The number of this server, among those that hold the games together.
    pub shard: Option<i16>,
}

/// What [`Schema::create`] has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// The tables are new.
    New,
    /// They were there.
    Found,
    /// They were of this earlier version.
    MovedOn(usize),
}

impl Schema {
    /// The schema of that name.
    pub fn new(name: &str) -> Schema {
        Schema { name: name.to_owned(), quoted: format!("\"{}\"", name.replace('"', "\"\"")) }
    }

    /// Whether there is something that [`Schema::create`] would not have to make.
    fn exists(&self, client: &mut Client) -> Result<bool> {
        let table = format!("{}.info", self.quoted);
        Ok(client.query_one("SELECT pg_catalog.to_regclass($1) IS NOT NULL", &[&table])?.get(0))
    }

    /// Refuses a schema without the tables.
    ///
    /// # Errors
    ///
    /// What to do about it.
    pub fn check_exists(&self, client: &mut Client) -> Result<()> {
        match self.exists(client)? {
            true => Ok(()),
            false if self.is_elsewhere(client)? => {
                bail!("the games of schema {} are on other servers: run this on each of them", self.name)
            }
            false => bail!("schema {} holds no tables of chess-pgn", self.name),
        }
    }

    /// Whether partitions of the games are tables of other servers.
    fn is_elsewhere(&self, client: &mut impl GenericClient) -> Result<bool> {
        let query = "SELECT EXISTS (SELECT FROM pg_catalog.pg_partition_tree(pg_catalog.to_regclass($1)) p \
                     JOIN pg_catalog.pg_class c ON c.oid = p.relid WHERE c.relkind = 'f')";
        Ok(client.query_one(query, &[&format!("{}.games", self.quoted)])?.get(0))
    }

    /// Whether it is one over several servers.
    fn is_gathered(&self, client: &mut impl GenericClient) -> Result<bool> {
        let query = format!("SELECT EXISTS (SELECT FROM {}.info WHERE name = 'servers')", self.quoted);
        Ok(self.version(client).is_ok() && client.query_one(&query, &[])?.get(0))
    }

    /// Creates missing objects, including the extension, and migrates tables of an earlier version.
    ///
    /// # Errors
    ///
    /// A schema or tables of somebody else, of something else, or of a later version; a database that is not in UTF8;
    /// missing rights.
    pub fn create(&self, client: &mut Client) -> Result<Made> {
        self.create_as(client, &Wanted::default())
    }

    /// The same, with what the user asks of the tables.
    ///
    /// # Errors
    ///
    /// Those, tables that are there where a layout is wanted, and games of another shard.
    pub fn create_as(&self, client: &mut Client, wanted: &Wanted) -> Result<Made> {
        let mut transaction = self.begin(client)?;
        let table = |name: &str| format!("{}.{name}", self.quoted);
        let exists = transaction.query_one(
            "SELECT to_regclass($1) IS NOT NULL, to_regclass($2) IS NOT NULL",
            &[&table("info"), &table("games")],
        )?;
        if wanted.layout.is_some() && (exists.get(0) || exists.get(1)) {
            bail!("schema {} has its tables already: partitions are made with them", self.name);
        }
        if exists.get(0) && self.is_gathered(&mut transaction)? {
            bail!("the games of schema {} are on other servers: run this on each of them", self.name);
        }
        if exists.get(0) && exists.get(1) {
            self.check_column(&mut transaction)?;
        }
        let made = match (exists.get(0), exists.get(1)) {
            (true, _) => match self.version(&mut transaction)? {
                VERSION => Made::Found,
                version @ 1..VERSION => {
                    for script in MIGRATIONS[version - 1..].iter().copied().flatten() {
                        self.run(&mut transaction, script)
                            .with_context(|| format!("cannot move schema {} on to version {VERSION}", self.name))?;
                    }
                    self.run(&mut transaction, VIEWS)?;
                    let update = format!("UPDATE {}.info SET value = $1 WHERE name = 'schema version'", self.quoted);
                    transaction.execute(&update, &[&VERSION.to_string()])?;
                    Made::MovedOn(version)
                }
                later => bail!(
                    "schema {} is of version {later}, which a later chess-pgn has made; this one knows {VERSION}",
                    self.name
                ),
            },
            (false, games_exist) => {
                if games_exist {
                    self.check_games(&mut transaction)?;
                    self.run(&mut transaction, TABLES)?;
                } else {
                    self.make(&mut transaction)?;
                    self.run(&mut transaction, &TABLES.replace("IF NOT EXISTS ", ""))?;
                }
                if let Some(layout) = &wanted.layout {
                    let extension = Schema::extension(&mut transaction)?;
                    layout.apply(&mut transaction, &self.quoted, &extension).context("cannot partition the games")?;
                }
                for script in &NEW[1..] {
                    // CREATE without OR REPLACE, so that it fails on objects of other roles
                    self.run(&mut transaction, &script.replace("CREATE OR REPLACE ", "CREATE "))?;
                }
                self.sign(&mut transaction)?;
                Made::New
            }
        };
        if let Some(shard) = wanted.shard {
            self.set_shard(&mut transaction, shard)?;
        }
        self.check_owners(&mut transaction)?;
        transaction.commit()?;
        Ok(made)
    }

    /// A transaction that makes tables: alone, with the extension, in a schema whose owners are trusted.
    pub(crate) fn begin<'a>(&self, client: &'a mut Client) -> Result<Transaction<'a>> {
        let encoding: String = client.query_one("SHOW server_encoding", &[])?.get(0);
        if encoding != "UTF8" {
            bail!("the database's encoding is {encoding}; names from all over the world need UTF8");
        }
        let mut transaction = client.transaction()?;
        // Two loaders at once: CREATE … IF NOT EXISTS alone is no protection against that.
        transaction
            .execute("SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('chess-pgn schema'), 0)", &[])?;
        // The user's search_path decides where the extension goes.
        transaction
            .batch_execute(
                "SET LOCAL client_min_messages = warning; SET search_path TO DEFAULT; CREATE EXTENSION IF NOT EXISTS chess",
            )
            .context("the extension \"chess\" is not installed and cannot be created")?;
        transaction.batch_execute(SAFE_PATH)?;
        self.check_owners(&mut transaction)?;
        Ok(transaction)
    }

    /// Creates the schema if it does not exist.
    pub(crate) fn make(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        if transaction.query_opt("SELECT FROM pg_namespace WHERE nspname = $1::text::name", &[&self.name])?.is_none() {
            transaction.batch_execute(&format!("CREATE SCHEMA {}", self.quoted))?;
        }
        Ok(())
    }

    /// Writes down what is there, and who has made it.
    pub(crate) fn sign(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        let insert =
            format!("INSERT INTO {}.info (name, value) VALUES ('schema version', $1), ('created by', $2)", self.quoted);
        let program = format!("chess-pgn {}", env!("CARGO_PKG_VERSION"));
        transaction.execute(&insert, &[&VERSION.to_string(), &program])?;
        Ok(())
    }

    /// The schema of the extension, quoted.
    pub fn extension(client: &mut impl GenericClient) -> Result<String> {
        let query = "SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension e \
                     JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'chess'";
        let found = client.query_opt(query, &[])?.context("the extension \"chess\" is not installed")?;
        Ok(found.get(0))
    }

    pub(crate) fn run(&self, transaction: &mut Transaction<'_>, script: &str) -> Result<()> {
        let extension = Schema::extension(transaction)?;
        let literal = |name: &str| name.replace('\'', "''");
        let script = script.replace("{by_shard}", "").replace("{servers}", "1");
        let script = script.replace("{ratings}", RATINGS).replace("{latest}", LATEST);
        let script =
            script.replace("{ratings_literal}", &literal(RATINGS)).replace("{latest_literal}", &literal(LATEST));
        // names last: nothing in them is a mark
        let script = script.replace("{chess_literal}", &literal(&extension)).replace("{chess}", &extension);
        let script = script.replace("{schema_literal}", &literal(&self.quoted)).replace("{schema}", &self.quoted);
        Ok(transaction.batch_execute(&script)?)
    }

    /// Refuses a table of games, made by somebody else, that lacks a column, has it with another type, or does not fill it.
    fn check_games(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        let table = format!("{}.games", self.quoted);
        let query = "SELECT relkind IN ('r', 'p', 'f') FROM pg_class WHERE oid = to_regclass($1)";
        if !transaction.query_one(query, &[&table])?.get::<_, bool>(0) {
            bail!("schema {} has a relation games that is no table: choose another schema with --schema", self.name);
        }
        // The tables as they should be, for a moment.
        let mut model = transaction.transaction()?;
        let extension = Schema::extension(&mut model)?;
        model.batch_execute(&TABLES.replace("{schema}", "pg_temp").replace("{chess}", &extension))?;
        let query = "SELECT m.attname::text, format_type(m.atttypid, m.atttypmod), g.atttypid IS NULL, \
                            coalesce(format_type(g.atttypid, g.atttypmod), '') \
                     FROM pg_attribute m LEFT JOIN pg_attribute g \
                       ON g.attrelid = to_regclass($1) AND g.attname = m.attname AND NOT g.attisdropped \
                     WHERE m.attrelid = to_regclass('pg_temp.games') AND m.attnum > 0 AND NOT m.attisdropped \
                       AND ((g.atttypid, g.atttypmod) IS DISTINCT FROM (m.atttypid, m.atttypmod) \
                            OR g.attgenerated <> m.attgenerated \
                            OR m.attidentity <> '' AND g.attidentity = '' AND NOT g.atthasdef) \
                     ORDER BY m.attnum LIMIT 1";
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
                format!(
                    "has a column {column} that should be generated, as chess-pgn schema makes it, or should not be"
                )
            }
            (false, _) => format!("has a column {column} of type {found}, which must be of type {wanted}"),
        };
        bail!("the table games in schema {} {what}: {advice}", self.name)
    }

    /// Refuses tables that lost their games with the extension: the source files would still count as loaded.
    fn check_column(&self, transaction: &mut Transaction<'_>) -> Result<()> {
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

    /// Says in every row, now and later, that these are the games of this shard.
    fn set_shard(&self, transaction: &mut Transaction<'_>, shard: i16) -> Result<()> {
        let schema = &self.quoted;
        let query = "SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attribute a \
                     JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
                     WHERE a.attrelid = to_regclass($1) AND a.attname = 'shard'";
        if let Some(row) = transaction.query_opt(query, &[&format!("{schema}.games")])? {
            let default: String = row.get(0);
            let digits: String = default.chars().filter(char::is_ascii_digit).collect();
            if digits.parse() != Ok(shard) {
                bail!("schema {} is shard {digits}, not {shard}", self.name);
            }
            return Ok(());
        }
        self.number(transaction, shard)?;
        transaction
            .batch_execute(&format!(
                "UPDATE {schema}.games SET shard = {shard} WHERE shard IS NULL; \
                 ALTER TABLE {schema}.games ALTER shard SET DEFAULT {shard}, ALTER shard SET NOT NULL, \
                     ADD CONSTRAINT games_shard_check CHECK (shard = {shard}); \
                 ALTER VIEW {schema}.pgn_view ALTER shard SET DEFAULT {shard}"
            ))
            .with_context(|| format!("cannot make schema {} shard {shard}", self.name))
    }

    /// Lets the numbers of its games and names begin where no other server's are, if none has been given yet.
    fn number(&self, transaction: &mut Transaction<'_>, shard: i16) -> Result<()> {
        let schema = &self.quoted;
        let counted = [
            ("games", first_id(shard)),
            ("players", first_name(shard)),
            ("events", first_name(shard)),
            ("sites", first_name(shard)),
            ("sources", first_name(shard)),
        ];
        for (table, _) in counted {
            if transaction.query_opt(&format!("SELECT FROM {schema}.{table} LIMIT 1"), &[])?.is_some() {
                return Ok(());
            }
        }
        for (table, first) in counted {
            // a table of games made by hand may count them by other means, and answers for them
            let query =
                "SELECT attidentity <> '' FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'id'";
            if !transaction.query_one(query, &[&format!("{schema}.{table}")])?.get::<_, bool>(0) {
                return Ok(());
            }
            transaction.batch_execute(&format!("ALTER TABLE {schema}.{table} ALTER id RESTART WITH {}", first + 1))?;
        }
        transaction.execute(&format!("INSERT INTO {schema}.info VALUES ('shard', $1)"), &[&shard.to_string()])?;
        Ok(())
    }

    fn version(&self, client: &mut impl GenericClient) -> Result<usize> {
        let columns = "SELECT count(*) FROM pg_attribute WHERE attrelid = to_regclass($1) AND NOT attisdropped \
                       AND attname IN ('name', 'value') AND atttypid = 'text'::regtype";
        let columns: i64 = client.query_one(columns, &[&format!("{}.info", self.quoted)])?.get(0);
        let query = format!("SELECT value FROM {}.info WHERE name = 'schema version'", self.quoted);
        let found = if columns == 2 { client.query_opt(&query, &[])? } else { None };
        let version: Option<String> = found.map(|row| row.get(0));
        match version.as_deref().map(str::parse) {
            Some(Ok(version)) if version > 0 => Ok(version),
            _ => bail!(
                "schema {} has a table info that is not from chess-pgn: choose another schema with --schema",
                self.name
            ),
        }
    }

    /// Refuses a schema in which code of other roles would run with the caller's rights. A reader may name an owner to
    /// trust.
    ///
    /// # Errors
    ///
    /// The untrusted object and its owner, with advice.
    pub fn check_reading(&self, client: &mut impl GenericClient, owner: Option<&str>) -> Result<()> {
        door::check(client, &self.name, &relied_on(), Purpose::Read(owner))
    }

    /// The same check for writers.
    pub(crate) fn check_owners(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        door::check(transaction, &self.name, &relied_on(), Purpose::Write)
    }

    /// Adds the foreign keys that are missing, and gathers statistics; `report` is told of keys that the tables cannot have.
    pub fn finish(&self, client: &mut Client, mut report: impl FnMut(&str)) -> Result<()> {
        let mut transaction = client.transaction()?;
        transaction.execute("SELECT pg_advisory_xact_lock(hashtext('chess-pgn schema'), 0)", &[])?;
        let existing = "SELECT FROM pg_constraint WHERE conrelid = to_regclass($1) AND conname = $2";
        for (table, column, referred, deleted) in FOREIGN_KEYS {
            let name = format!("{table}_{column}_fkey");
            if transaction.query_opt(existing, &[&format!("{}.{table}", self.quoted), &name])?.is_some() {
                continue;
            }
            if table == "analyzed_games" {
                // Until there is a key, games go without their row here.
                transaction.batch_execute(&format!(
                    "DELETE FROM {0}.analyzed_games a WHERE NOT EXISTS (SELECT FROM {0}.games g WHERE g.id = a.game_id)",
                    self.quoted
                ))?;
            }
            let schema = &self.quoted;
            let mut attempt = transaction.transaction()?;
            let added = attempt.batch_execute(&format!(
                "ALTER TABLE {schema}.{table} ADD CONSTRAINT {name} FOREIGN KEY ({column}) \
                 REFERENCES {schema}.{referred} (id) {deleted}"
            ));
            match added {
                Ok(()) => attempt.commit()?,
                Err(error) if cannot_be(&error) => {
                    attempt.rollback()?;
                    let reason = error.as_db_error().map_or("", |error| error.message());
                    report(&format!("no foreign key from {table}.{column} to {referred}: {reason}"));
                }
                Err(error) => return Err(error.into()),
            }
        }
        transaction.commit()?;
        for table in ["events", "sites", "players", "games"] {
            client.batch_execute(&format!("ANALYZE {}.{table}", self.quoted))?;
        }
        Ok(())
    }

    /// Creates the missing indexes one by one, optionally one of positions and one of patterns. `report` is called for
    /// each, and for existing ones.
    pub fn index(
        &self,
        client: &mut Client,
        positions: Option<PositionIndex>,
        with_patterns: bool,
        mut report: impl FnMut(&str),
    ) -> Result<()> {
        client.batch_execute("SET client_min_messages = warning")?;
        let extension = Schema::extension(client)?;
        let others = INDEXES.map(|(name, method, column)| (name, method, column.to_owned()));
        let lists = [("games_ratings_idx", RATINGS), ("games_latest_idx", LATEST)]
            .map(|(name, key)| (name, "btree", format!("{}, id", key.replace("g.", ""))));
        let patterns = ("games_game_pattern_gin", "gin", format!("game {extension}.chessgame_pattern_ops"));
        let patterns = with_patterns.then_some(patterns);
        let mut missing: Vec<_> = others.into_iter().chain(lists).chain(positions).chain(patterns).collect();
        let names: Vec<_> = missing.iter().map(|(name, ..)| *name).collect();
        let there: Vec<String> = client
            .query_one(
                "SELECT array(SELECT name FROM unnest($1::text[]) AS name \
                 WHERE to_regclass($2 || '.' || name) IS NOT NULL)",
                &[&names, &self.quoted],
            )?
            .get(0);
        missing.retain(|(name, ..)| !there.iter().any(|there| there == name));
        if !there.is_empty() {
            report(&format!("indexes that are there already: {}", there.join(", ")));
        }
        for (done, (name, method, column)) in missing.iter().enumerate() {
            let start = Instant::now();
            let made = client.batch_execute(&format!(
                "CREATE INDEX IF NOT EXISTS {name} ON {}.games USING {method} ({column})",
                self.quoted
            ));
            let (number, all) = (done + 1, missing.len());
            match made {
                Ok(()) => {
                    let time = start.elapsed().as_secs_f64();
                    report(&format!("index {number} of {all}: {name} ({method}) in {time:.1} s"));
                }
                Err(error) if cannot_be(&error) => {
                    let reason = error.as_db_error().map_or("", |error| error.message());
                    report(&format!("index {number} of {all}: no {name} ({method}): {reason}"));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// The partitions that the index of positions can be built on one by one, and the statement for each: what
    /// [`Schema::index`] then finds and takes over. None where games have no partitions, or the index is there.
    pub fn partition_indexes(&self, client: &mut Client, positions: &PositionIndex) -> Result<Vec<(String, String)>> {
        let (index, method, column) = positions;
        let query = "SELECT p.relid::regclass::text, quote_ident(c.relname || '_' || $2) \
                     FROM pg_partition_tree(to_regclass($1)) p JOIN pg_class c ON c.oid = p.relid \
                     WHERE p.isleaf AND p.level > 0 AND c.relkind = 'r' AND to_regclass($3) IS NULL ORDER BY c.reltuples DESC";
        let suffix = index.trim_start_matches("games_");
        let names: [&(dyn postgres::types::ToSql + Sync); 3] =
            [&format!("{}.games", self.quoted), &suffix, &format!("{}.{index}", self.quoted)];
        let rows = client.query(query, &names)?;
        let statement = |row: &postgres::Row| {
            let (table, name): (String, String) = (row.get(0), row.get(1));
            let statement = format!("CREATE INDEX IF NOT EXISTS {name} ON {table} USING {method} ({column})");
            (table, statement)
        };
        Ok(rows.iter().map(statement).collect())
    }

    /// The index of positions to create. Without a class, any existing index of positions is enough, and so is one that
    /// also answers patterns. `report` is told about existing indexes and the cost of another one.
    pub fn positions(
        &self,
        client: &mut Client,
        class: Option<IndexClass>,
        mut report: impl FnMut(&str),
    ) -> Result<Option<PositionIndex>> {
        let kind = class.unwrap_or_default();
        let wanted = positions(&Schema::extension(client)?, kind);
        let query = "SELECT c.relname::text, o.opcname::text, greatest(t.reltuples, 0)::float8, \
                            pg_size_pretty(coalesce((SELECT sum(pg_relation_size(p.relid)) FROM pg_partition_tree(c.oid) p), \
                                                    pg_relation_size(c.oid))) \
                     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid \
                     JOIN pg_opclass o ON o.oid = i.indclass[0] JOIN pg_am a ON a.oid = o.opcmethod AND a.amname = 'gin' \
                     WHERE i.indrelid = to_regclass($1) AND i.indisvalid AND i.indpred IS NULL \
                       AND o.opcname IN ('chessgame_ops', 'chessgame_compact_ops') ORDER BY 1";
        let there = client.query(query, &[&format!("{}.games", self.quoted)])?;
        if there.is_empty() || there.iter().any(|row| row.get::<_, &str>(0) == wanted.0) {
            return Ok(Some(wanted));
        }
        let shown = |row: &postgres::Row| {
            let (name, class, size): (&str, &str, &str) = (row.get(0), row.get(1), row.get(3));
            format!("{name} ({class}, {size})")
        };
        let names = there.iter().map(shown).collect::<Vec<_>>().join(", ");
        let megabytes = there[0].get::<_, f64>(2) * kind.bytes_per_game() / (1 << 20) as f64;
        let cost = format!("about {megabytes:.0} MB more, and slower loads, which write to each of them");
        if class.is_none_or(|class| class == IndexClass::Patterns) {
            let asked = if class.is_none() { "default" } else { "compact" };
            report(&format!(
                "positions are indexed already: {names}; --index={asked} makes another index of them, {cost}"
            ));
            return Ok(None);
        }
        report(&format!("index {} beside {names}: {cost}; drop the one that you do not need", wanted.0));
        Ok(Some(wanted))
    }

    /// What looking for equal games needs: an index of the games by their moves, whatever they end with.
    pub fn index_for_duplicates(&self, client: &mut Client) -> Result<()> {
        let extension = Schema::extension(client)?;
        let made = client.batch_execute(&format!(
            "SET client_min_messages = warning; \
             CREATE INDEX IF NOT EXISTS games_moves_hash ON {}.games USING hash (({}))",
            self.quoted,
            moves_alone(&extension, "game")
        ));
        match made {
            // Foreign tables have indexes of their own, or none.
            Err(error) if cannot_be(&error) => Ok(()),
            made => Ok(made?),
        }
    }
}

/// The names that programs use in a schema.
pub fn relied_on() -> Vec<&'static str> {
    let scripts = NEW.iter().chain(MIGRATIONS.iter().copied().flatten()).copied();
    door::names(scripts, &["{schema}.", "{schema_literal}."])
}

/// The index of positions of a class.
fn positions(extension: &str, class: IndexClass) -> PositionIndex {
    match class {
        IndexClass::Default => ("games_game_gin", "gin", "game".to_owned()),
        IndexClass::Opening => {
            ("games_game_opening_gin", "gin", format!("game {extension}.chessgame_ops (max_ply = {OPENING})"))
        }
        IndexClass::Compact | IndexClass::Patterns => {
            ("games_game_compact_gin", "gin", format!("game {extension}.chessgame_compact_ops"))
        }
    }
}

/// Whether the server says that tables of this kind cannot have what was asked for, and not that the rows break it.
fn cannot_be(error: &postgres::Error) -> bool {
    let states = [SqlState::WRONG_OBJECT_TYPE, SqlState::INVALID_FOREIGN_KEY, SqlState::FEATURE_NOT_SUPPORTED];
    error.code().is_some_and(|code| states.contains(code))
}

/// In SQL, a game without the result that its moves end with; `extension` is the quoted schema of the extension.
pub fn moves_alone(extension: &str, game: &str) -> String {
    format!("{extension}.getfirstmoves({game}, {})", i32::MAX)
}
