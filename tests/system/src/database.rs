//! A database for one test: SQL goes in, its rows come out as text, as `psql -At` prints them.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use postgres::error::DbError;
use postgres::{Config, NoTls, SimpleQueryMessage};

use crate::program::{Program, Running, chess_pgn, tool};
use crate::server::{Server, pg_config};
use crate::{Folder, PATIENCE, wait_for};

/// Where a database is, for SQL and for programs. One connection is kept for SQL that leaves nothing in its session.
#[derive(Debug)]
pub struct Client {
    host: PathBuf,
    port: u16,
    database: String,
    kept: Mutex<Option<Session>>,
}

/// A database of its own on a server, with a folder for its files.
#[derive(Debug)]
pub struct Database<'a> {
    client: Client,
    files: Folder,
    server: &'a Server,
}

/// A connection, with its settings and its transaction.
pub struct Session {
    client: postgres::Client,
    notices: Arc<Mutex<Vec<String>>>,
}

/// Why a statement was refused.
#[derive(Debug)]
pub struct Refusal {
    /// SQLSTATE.
    pub code: String,
    /// The message.
    pub message: String,
    /// The hint, or an empty text.
    pub hint: String,
}

impl Client {
    /// A database of the server with its socket in this directory, on the port that scripts give their servers.
    pub fn new(host: &Path, database: &str) -> Client {
        Client::with_port(host, 5432, database)
    }

    fn with_port(host: &Path, port: u16, database: &str) -> Client {
        Client { host: host.to_owned(), port, database: database.to_owned(), kept: Mutex::new(None) }
    }

    /// The name of the database.
    pub fn name(&self) -> &str {
        &self.database
    }

    /// A new connection as a superuser.
    #[track_caller]
    pub fn session(&self) -> Session {
        self.session_as("postgres")
    }

    /// A new connection of a role.
    #[track_caller]
    pub fn session_as(&self, role: &str) -> Session {
        self.connect(role).unwrap_or_else(|error| panic!("{} in {}: {error:?}", self.database, self.host.display()))
    }

    /// A new connection, which the server may refuse.
    pub fn try_session_as(&self, role: &str) -> Option<Session> {
        self.connect(role).ok()
    }

    /// The settings with which a role connects, as programs take them.
    pub fn settings(&self, role: &str) -> String {
        format!("host={} port={} dbname={} user={role}", self.host.display(), self.port, self.database)
    }

    fn connect(&self, role: &str) -> Result<Session, postgres::Error> {
        let notices = Arc::new(Mutex::new(Vec::new()));
        let said = Arc::clone(&notices);
        let client = Config::new()
            .host_path(&self.host)
            .port(self.port)
            .user(role)
            .dbname(&self.database)
            .notice_callback(move |notice| said.lock().expect("notices").push(notice.message().to_owned()))
            .connect(NoTls)?;
        Ok(Session { client, notices })
    }

    /// Executes statements: the rows, a line each, with bars between the columns and NULL as an empty text.
    #[track_caller]
    pub fn sql(&self, statements: &str) -> String {
        self.rows(statements).join("\n")
    }

    /// Executes statements: a text for each row.
    #[track_caller]
    pub fn rows(&self, statements: &str) -> Vec<String> {
        let mut kept = self.kept();
        kept.get_or_insert_with(|| self.session()).rows(statements)
    }

    /// Executes statements of which one must be refused. They have a session of their own, because settings before the
    /// refusal stay.
    #[track_caller]
    pub fn refuses(&self, statements: &str) -> Refusal {
        self.session().refuses(statements)
    }

    /// A program whose environment names this database.
    pub fn program(&self, program: Program) -> Program {
        program
            .env("PGHOST", &self.host)
            .env("PGPORT", self.port.to_string())
            .env("PGUSER", "postgres")
            .env("PGDATABASE", &self.database)
    }

    /// psql on this database, which stops at the first ERROR.
    pub fn psql(&self) -> Program {
        self.program(tool(pg_config("bindir").join("psql"))).words("-X -q -v ON_ERROR_STOP=1")
    }

    /// Waits until another session of this database satisfies a condition on `pg_stat_activity`, or the program has ended.
    #[track_caller]
    pub fn wait_for_activity(&self, what: &str, condition: &str, mut program: Option<&mut Running>) {
        let question = format!(
            "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND {condition}"
        );
        wait_for(what, || program.as_mut().is_some_and(|program| !program.runs()) || self.sql(&question) == "t");
    }

    /// The kept session, unless its server has gone away since.
    fn kept(&self) -> MutexGuard<'_, Option<Session>> {
        let mut kept = self.kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        kept.take_if(|session| session.client.is_valid(PATIENCE).is_err());
        kept
    }
}

impl Database<'static> {
    /// A new database on the server that the tests of this process share.
    #[track_caller]
    pub fn new(name: &str) -> Database<'static> {
        Database::on(Server::shared(), name)
    }

    /// The same with the extension. Creating that takes four times as long as copying a database that has it.
    #[track_caller]
    pub fn with_extension(name: &str) -> Database<'static> {
        static FIRST: OnceLock<()> = OnceLock::new();
        FIRST.get_or_init(|| drop(Database::new("extension").sql("CREATE EXTENSION chess")));
        Database::copy("extension", name)
    }

    /// The same with the empty tables of the loader.
    #[track_caller]
    pub fn with_tables(name: &str) -> Database<'static> {
        static FIRST: OnceLock<()> = OnceLock::new();
        FIRST.get_or_init(|| {
            Database::with_extension("empty_tables").pgn("schema").succeeds();
        });
        Database::copy("empty_tables", name)
    }

    /// The same with the games of a text.
    #[track_caller]
    pub fn loaded(name: &str, pgn: impl AsRef<[u8]>) -> Database<'static> {
        let db = Database::with_tables(name);
        db.pgn("load").arg(db.file("games.pgn", pgn)).succeeds();
        db
    }

    /// The same as a copy of another one, which is to be used by nobody. Sessions that are about to end are waited for.
    #[track_caller]
    pub fn copy(template: &str, name: &str) -> Database<'static> {
        let server = Server::shared();
        let postgres = Database::existing(server, "postgres");
        let clients = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = '{template}' AND backend_type = 'client backend'"
        );
        wait_for("the end of sessions", || postgres.sql(&clients) == "0");
        postgres.sql(&format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY"));
        Database::existing(server, name)
    }
}

impl<'a> Database<'a> {
    /// A new database on this server. Copying its files takes a third of the time that writing them to the log does.
    #[track_caller]
    pub fn on(server: &'a Server, name: &str) -> Database<'a> {
        Database::existing(server, "postgres").sql(&format!("CREATE DATABASE {name} STRATEGY FILE_COPY"));
        Database::existing(server, name)
    }

    /// A database that is there.
    pub fn existing(server: &'a Server, name: &str) -> Database<'a> {
        let client = Client::with_port(server.dir(), server.port(), name);
        Database { client, files: Folder::under(server.dir()), server }
    }

    /// The loader on this database, with these words as its arguments.
    pub fn pgn(&self, words: &str) -> Program {
        self.program(chess_pgn()).words(words)
    }

    /// Writes a file that goes with this database.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        self.files.write(name, bytes)
    }

    /// Writes a script that goes with this database. Linux executes no file that is open for writing, and what this process has
    /// open is also open in those that other tests are starting, so another process writes it.
    pub fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        tool("install").args(["-m", "755"]).arg(self.file(&format!("{name}.text"), text)).arg(&path).succeeds();
        path
    }

    /// The path of a file that goes with this database.
    pub fn path(&self, name: &str) -> PathBuf {
        self.files.path(name)
    }
}

impl Deref for Database<'_> {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Drop for Database<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the end of the server's log:\n{}", self.server.log());
        }
    }
}

impl Session {
    /// As [`Client::sql`], in this session.
    #[track_caller]
    pub fn sql(&mut self, statements: &str) -> String {
        self.rows(statements).join("\n")
    }

    /// As [`Client::rows`], in this session.
    #[track_caller]
    pub fn rows(&mut self, statements: &str) -> Vec<String> {
        match self.client.simple_query(statements) {
            Ok(messages) => rows(&messages),
            Err(error) => panic!("{}\n{statements}", reason(&error)),
        }
    }

    /// Executes statements of which one must be refused.
    #[track_caller]
    pub fn refuses(&mut self, statements: &str) -> Refusal {
        match self.attempt(statements) {
            Ok(rows) => panic!("not refused: {statements}\n{}", rows.join("\n")),
            Err(refusal) => refusal,
        }
    }

    /// Executes statements: a text for each row, or why they were refused.
    #[track_caller]
    pub fn attempt(&mut self, statements: &str) -> Result<Vec<String>, Refusal> {
        match self.client.simple_query(statements) {
            Ok(messages) => Ok(rows(&messages)),
            Err(error) => Err(Refusal::from(error.as_db_error().unwrap_or_else(|| panic!("{error}\n{statements}")))),
        }
    }

    /// Executes a statement if the server can.
    pub fn can(&mut self, statement: &str) -> bool {
        self.client.simple_query(statement).is_ok()
    }

    /// The notices since the last time.
    pub fn notices(&mut self) -> Vec<String> {
        std::mem::take(&mut *self.notices.lock().expect("notices"))
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

impl From<&DbError> for Refusal {
    fn from(error: &DbError) -> Refusal {
        Refusal {
            code: error.code().code().to_owned(),
            message: error.message().to_owned(),
            hint: error.hint().unwrap_or_default().to_owned(),
        }
    }
}

fn reason(error: &postgres::Error) -> String {
    match error.as_db_error() {
        Some(refused) => {
            format!("{}: {} {}", refused.code().code(), refused.message(), refused.detail().unwrap_or_default())
        }
        None => error.to_string(),
    }
}

fn rows(messages: &[SimpleQueryMessage]) -> Vec<String> {
    let mut rows = Vec::new();
    for message in messages {
        if let SimpleQueryMessage::Row(row) = message {
            let columns: Vec<&str> = (0..row.len()).map(|n| row.get(n).unwrap_or_default()).collect();
            rows.push(columns.join("|"));
        }
    }
    rows
}
