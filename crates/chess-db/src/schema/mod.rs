//! The tables that games are loaded into: creates missing ones, and migrates those of an earlier version.
//!
//! # Ownership
//!
//! The [`door`](crate::door) refuses objects of untrusted roles, before the first change and again before the commit
//! ([`checks`]).
//!
//! # Versions
//!
//! The table `info` has the version of the tables. [`MIGRATIONS`] has scripts from each version to the next; they run in
//! the transaction that also replaces the views and functions of [`REPLACED`].
//!
//! # Other layouts
//!
//! If `games` exists before the other tables, it is used as it is, partitioned, foreign or distributed, provided that it
//! has the columns; [`Layout`] creates a partitioned one. The column `shard` is the number of the server where several
//! share the games ([`shard`]).
//!
//! [`indexes`] and [`foreign_keys`] are created after a load, which is faster without them.

mod checks;
mod deadlocks;
mod foreign_keys;
mod indexes;
mod namesakes;
mod shard;
mod triggers;

use anyhow::{Context, Result, bail};
use postgres::error::SqlState;
use postgres::{Client, GenericClient, Transaction};

pub use self::checks::{LATE, RENAMED, relied_on};
use self::deadlocks::survive;
pub use self::indexes::{IndexClass, NewIndex, key_of_equals, moves_alone};
use crate::door::{Purpose, SAFE_PATH};
use crate::layout::Layout;
use crate::locks::Lock;
use crate::order::{LATEST, RATINGS};
use crate::template;
use crate::unite;

pub(crate) const INFO: &str = include_str!("../info.sql");
const TABLES: &str = include_str!("../tables.sql");
const MERGES: &str = include_str!("../merges.sql");
const ANALYSIS: &str = include_str!("../analysis.sql");
pub(crate) const TYPES: &str = include_str!("../types.sql");
const TWINS: &str = include_str!("../twins.sql");
const BOOK_TABLES: &str = include_str!("../book-tables.sql");
const PUZZLE_TABLES: &str = include_str!("../puzzle-tables.sql");
const EARLIER_TABLES: &str = include_str!("../earlier-tables.sql");
pub(crate) const LICHESS: &str = include_str!("../lichess.sql");
pub(crate) const PLAYERS: &str = include_str!("../players.sql");
pub(crate) const CROSSTABLE: &str = include_str!("../crosstable.sql");
pub(crate) const EXPLORER: &str = include_str!("../explorer.sql");
pub(crate) const REPORTS: &str = include_str!("../reports.sql");
pub(crate) const OPENING_REPORT: &str = include_str!("../opening-report.sql");
pub(crate) const ENDING_REPORT: &str = include_str!("../ending-report.sql");
pub(crate) const REPERTOIRE: &str = include_str!("../repertoire.sql");
/// The scripts for the tables and types of a new schema, in this order. Partitions are created after the first of them.
const NEW: [&str; 9] = [TABLES, MERGES, INFO, ANALYSIS, TYPES, TWINS, BOOK_TABLES, PUZZLE_TABLES, EARLIER_TABLES];
/// The scripts from version 1 to 2, from 2 to 3, and so on: what they change of tables and types, and what they drop.
const MIGRATIONS: [&[&str]; 4] = [
    &[include_str!("../migrate-1-2.sql"), ANALYSIS],
    // from 0.3.0
    &[include_str!("../migrate-2-3.sql"), MERGES, TWINS],
    &[include_str!("../migrate-3-4.sql"), TYPES, BOOK_TABLES, PUZZLE_TABLES, EARLIER_TABLES],
    &[include_str!("../migrate-4-5.sql")],
];
/// The scripts for views and functions. They follow the others, and replace what they find: none is of an earlier version after a
/// migration, whatever a version has changed.
const REPLACED: [&str; 14] = [
    LICHESS,
    include_str!("../views.sql"),
    PLAYERS,
    EXPLORER,
    include_str!("../indexes.sql"),
    CROSSTABLE,
    REPORTS,
    OPENING_REPORT,
    ENDING_REPORT,
    include_str!("../books.sql"),
    REPERTOIRE,
    include_str!("../puzzles.sql"),
    include_str!("../earlier.sql"),
    include_str!("../game-changes.sql"),
];
/// The current version of the tables, stored in `info`.
pub const VERSION: usize = MIGRATIONS.len() + 1;

/// The name of a schema.
#[derive(Clone, Debug)]
pub struct Schema {
    /// Unquoted.
    pub name: String,
    /// Quoted.
    pub quoted: String,
    /// A role whose things in it are trusted, beside those of the login and of superusers.
    pub owner: Option<String>,
}

/// Options of new tables.
#[derive(Clone, Debug, Default)]
pub struct TableOptions {
    /// How games are partitioned.
    pub layout: Option<Layout>,
    /// The number of this server among several that share the games.
    pub shard: Option<i16>,
}

/// What [`Schema::create`] has found and done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Created {
    /// The tables are new.
    New,
    /// The tables have existed.
    Found,
    /// The tables were upgraded from this version.
    Upgraded(usize),
}

impl Schema {
    /// The schema with this unquoted name.
    pub fn new(name: &str) -> Schema {
        Schema { name: name.to_owned(), quoted: format!("\"{}\"", name.replace('"', "\"\"")), owner: None }
    }

    /// A name as a user writes it.
    ///
    /// # Errors
    ///
    /// The name is too long: PostgreSQL would cut it in statements, but not in texts that are compared with it.
    pub fn read_name(name: &str) -> Result<String, String> {
        match name.len() {
            ..64 => Ok(name.to_owned()),
            bytes => Err(format!("the name has {bytes} bytes, and one of a schema at most 63")),
        }
    }

    /// The purpose of a program that only reads.
    pub fn reading(&self) -> Purpose<'_> {
        Purpose::Read(self.owner.as_deref())
    }

    /// The purpose of a program that writes.
    pub fn writing(&self) -> Purpose<'_> {
        Purpose::Write(self.owner.as_deref())
    }

    /// Creates missing objects, including the extension, and migrates tables of an earlier version.
    ///
    /// # Errors
    ///
    /// The schema or its objects belong to somebody else, the tables are from elsewhere or of a later version, the
    /// database's encoding is not UTF8, or rights are missing.
    pub fn create(&self, client: &mut Client) -> Result<Created> {
        self.create_as(client, &TableOptions::default())
    }

    /// [`Schema::create`] with options.
    ///
    /// # Errors
    ///
    /// The same. Existing tables cannot be given a layout, nor games of one shard another number.
    pub fn create_as(&self, client: &mut Client, options: &TableOptions) -> Result<Created> {
        survive(client, "tables", |_| (), |client| self.create_once(client, options))
    }

    fn create_once(&self, client: &mut Client, options: &TableOptions) -> Result<Created> {
        let mut transaction = self.begin(client)?;
        let table = |name: &str| format!("{}.{name}", self.quoted);
        let exists = transaction.query_one(
            "SELECT to_regclass($1) IS NOT NULL, to_regclass($2) IS NOT NULL",
            &[&table("info"), &table("games")],
        )?;
        if options.layout.is_some() && (exists.get(0) || exists.get(1)) {
            bail!("schema {} has its tables already: they can be partitioned only when they are created", self.name);
        }
        if exists.get(0) && self.is_gathered(&mut transaction)? {
            bail!("the games of schema {} are on other servers: run this on each of them", self.name);
        }
        if exists.get(0) && exists.get(1) {
            self.check_column(&mut transaction)?;
        }
        let made = match (exists.get(0), exists.get(1)) {
            (true, _) => self.upgrade(&mut transaction)?,
            (false, games_exist) => {
                self.make(&mut transaction, games_exist, options)?;
                Created::New
            }
        };
        if let Some(shard) = options.shard {
            self.set_shard(&mut transaction, shard)?;
        }
        self.check_owners(&mut transaction)?;
        transaction.commit()?;
        Ok(made)
    }

    /// Brings the tables to this version.
    fn upgrade(&self, transaction: &mut Transaction<'_>) -> Result<Created> {
        match self.version(transaction)? {
            VERSION => {
                if self.is_renamed(transaction)? {
                    self.check_extension(transaction)?;
                    self.replace(transaction)?;
                }
                Ok(Created::Found)
            }
            version @ 1..VERSION => {
                self.check_extension(transaction)?;
                Lock::names().take_here(transaction)?;
                let last = format!("SELECT coalesce(max(id), 0) FROM {}.players", self.quoted);
                let last: i32 = transaction.query_one(&last, &[])?.get(0);
                for script in MIGRATIONS[version - 1..].iter().copied().flatten() {
                    self.run(transaction, script)
                        .with_context(|| format!("cannot upgrade schema {} to version {VERSION}", self.name))?;
                }
                self.replace(transaction)?;
                // with the rows that have been made for FIDE ids
                unite::after(transaction, &self.quoted, last)?;
                let update = format!("UPDATE {}.info SET value = $1 WHERE name = 'schema version'", self.quoted);
                transaction.execute(&update, &[&VERSION.to_string()])?;
                Ok(Created::Upgraded(version))
            }
            later => bail!(
                "schema {} is at version {later}, from a later chess-pgn; this one knows versions up to {VERSION}",
                self.name
            ),
        }
    }

    /// Replaces the views and functions.
    fn replace(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        REPLACED.iter().try_for_each(|script| self.run(transaction, script))
    }

    /// Makes the tables, some of which a user may have made beforehand.
    fn make(&self, transaction: &mut Transaction<'_>, games_exist: bool, options: &TableOptions) -> Result<()> {
        self.check_extension(transaction)?;
        if games_exist {
            self.check_games(transaction)?;
            self.run(transaction, TABLES)?;
        } else {
            self.create_schema(transaction)?;
            self.run(transaction, &TABLES.replace("IF NOT EXISTS ", ""))?;
        }
        if let Some(layout) = &options.layout {
            let extension = Schema::extension(transaction)?;
            layout.apply(transaction, &self.quoted, &extension).context("cannot partition the games")?;
        }
        for script in NEW[1..].iter().chain(&REPLACED) {
            // CREATE without OR REPLACE, so that it fails on objects of other roles
            self.run(transaction, &script.replace("CREATE OR REPLACE ", "CREATE "))?;
        }
        self.insert_version(transaction)
    }

    /// Begins a transaction that creates tables: locks out other loaders, creates the extension, and checks owners.
    pub(crate) fn begin<'a>(&self, client: &'a mut Client) -> Result<Transaction<'a>> {
        let encoding: String = client.query_one("SHOW server_encoding", &[])?.get(0);
        if encoding != "UTF8" {
            bail!("the database's encoding is {encoding}; it must be UTF8, which has the characters of all names");
        }
        let mut transaction = client.transaction()?;
        // CREATE … IF NOT EXISTS alone can fail if two loaders run at once.
        Lock::tables().take_here(&mut transaction)?;
        transaction.batch_execute("SET LOCAL client_min_messages = warning")?;
        // Event triggers run at CREATE EXTENSION. They could make their owner a superuser, whom a later check would trust.
        self.check_owners(&mut transaction)?;
        if create_extension(&mut transaction)? {
            self.check_owners(&mut transaction)?;
        }
        Ok(transaction)
    }

    /// Creates the schema if it does not exist.
    pub(crate) fn create_schema(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        if transaction.query_opt("SELECT FROM pg_namespace WHERE nspname = $1::text::name", &[&self.name])?.is_none() {
            transaction.batch_execute(&format!("CREATE SCHEMA {}", self.quoted))?;
        }
        Ok(())
    }

    /// Inserts the version of the tables, and of the program that has created them.
    pub(crate) fn insert_version(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        let insert =
            format!("INSERT INTO {}.info (name, value) VALUES ('schema version', $1), ('created by', $2)", self.quoted);
        let program = format!("chess-pgn {}", env!("CARGO_PKG_VERSION"));
        transaction.execute(&insert, &[&VERSION.to_string(), &program])?;
        Ok(())
    }

    /// Refuses an extension that is older than this program, whose scripts need its functions.
    fn check_extension(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        let query = "SELECT extversion FROM pg_extension WHERE extname = 'chess'";
        let found: String = transaction.query_one(query, &[])?.get(0);
        let wanted = env!("CARGO_PKG_VERSION");
        let parts = |version: &str| version.split('.').map(|part| part.parse().unwrap_or(0)).collect::<Vec<u32>>();
        if parts(&found) < parts(wanted) {
            bail!(
                "this database has the extension chess {found}, and tables of version {VERSION} need {wanted}: \
                 run ALTER EXTENSION chess UPDATE first"
            );
        }
        Ok(())
    }

    /// The quoted schema of the extension.
    pub fn extension(client: &mut impl GenericClient) -> Result<String> {
        let query = "SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension e \
                     JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'chess'";
        let found = client.query_opt(query, &[])?.context("the extension \"chess\" is not installed")?;
        Ok(found.get(0))
    }

    /// Runs a script with its placeholders filled in.
    pub(crate) fn run(&self, transaction: &mut Transaction<'_>, script: &str) -> Result<()> {
        self.run_with(transaction, script, &[("by_shard", "")])
    }

    /// Runs a script with these values of placeholders, and those that all scripts have.
    pub(crate) fn run_with(
        &self,
        transaction: &mut Transaction<'_>,
        script: &str,
        values: &[(&str, &str)],
    ) -> Result<()> {
        let extension = Schema::extension(transaction)?;
        let in_literal = |text: &str| text.replace('\'', "''");
        let mut values = values.to_vec();
        let literals = [&self.quoted, &extension, RATINGS, LATEST].map(in_literal);
        values.extend([
            ("schema", self.quoted.as_str()),
            ("schema_literal", &literals[0]),
            ("chess", &extension),
            ("chess_literal", &literals[1]),
            ("ratings", RATINGS),
            ("ratings_literal", &literals[2]),
            ("latest", LATEST),
            ("latest_literal", &literals[3]),
        ]);
        Ok(transaction.batch_execute(&template::fill(script, &values)?)?)
    }
}

/// Creates the extension if it is missing, and returns whether it was. If it exists, the command is not run, because an event
/// trigger may forbid it.
fn create_extension(transaction: &mut Transaction<'_>) -> Result<bool> {
    let state = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'chess'), current_setting('transaction_read_only')::boolean";
    let state = transaction.query_one(state, &[])?;
    if state.get(1) {
        bail!("nothing can be stored here: the server is a standby, or transactions only read");
    }
    let is_missing = !state.get::<_, bool>(0);
    if is_missing {
        // The user's search_path determines its schema.
        transaction
            .batch_execute("SET search_path TO DEFAULT; CREATE EXTENSION IF NOT EXISTS chess")
            .context("the extension \"chess\" is not installed and cannot be created")?;
        transaction.batch_execute(SAFE_PATH)?;
    }
    Ok(is_missing)
}

/// Whether an error with this code means that tables of this kind, such as foreign ones, cannot have a key or an index.
fn is_impossible(code: Option<&SqlState>) -> bool {
    let states = [SqlState::WRONG_OBJECT_TYPE, SqlState::INVALID_FOREIGN_KEY, SqlState::FEATURE_NOT_SUPPORTED];
    code.is_some_and(|code| states.contains(code))
}

/// The server's code of an error.
fn code(error: &anyhow::Error) -> Option<&SqlState> {
    error.downcast_ref::<postgres::Error>().and_then(postgres::Error::code)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The server parses the body of a function when it runs, with the settings of the caller. In `E'…'` a backslash means the
    /// same with all of them.
    #[test]
    fn literals_do_not_depend_on_standard_conforming_strings() {
        for line in REPLACED.iter().flat_map(|script| script.lines()) {
            let code = line.split("-- ").next().unwrap_or_default();
            let literal = code.find('\\').map(|at| code[..at].rfind('\'').map(|quote| &code[..quote]));
            let Some(before) = literal else { continue };
            assert!(before.is_some_and(|before| before.ends_with('E')), "{line}");
        }
    }
}
