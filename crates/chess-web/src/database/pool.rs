//! A pool of connections to PostgreSQL, and queries over it.
//!
//! Connection settings go in, rows come out. Sessions that read cannot write; every session has a timeout for statements and
//! a fixed search path. A query is cancelled when its request ends early.

use std::mem::take;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow};
use axum::http::StatusCode;
use chess_db::connection::{Attempt, another_may_do, session};
use chess_db::door::{self, Purpose, Refusal};
use chess_db::errors;
use chess_db::settings::Settings;
use deadpool_postgres::{
    Connect, Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime,
};
use futures_util::TryStreamExt as _;
use futures_util::future::{BoxFuture, try_join_all, try_join3};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config, Error, NoTls, Row};

use crate::database::query::{Names, Query, Value};
use crate::failure::{Failure, Outcome};
use crate::http::places::{Place, Places, current};

/// Timeout for the connection of somebody who has a place: a connection whose query was cancelled may have to be replaced.
const WAIT: Duration = Duration::from_secs(2);

/// What a connection may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Only read.
    Read,
    /// Write as well.
    Write,
}

/// How often the text of a query is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// It is parsed each time.
    Once,
    /// Sessions keep it prepared.
    Often,
}

/// A session that keeps more queries prepared forgets all of them.
const MOST_PREPARED: usize = 64;

/// A pool of connections.
#[derive(Clone)]
pub struct Database {
    pool: Pool,
    access: Access,
    /// As many as connections.
    places: Arc<Places>,
    attempts: Arc<Vec<Attempt>>,
}

/// Connects to the first server of the settings that accepts the connection.
struct Connector(Arc<Vec<Attempt>>);

impl Connect for Connector {
    fn connect(&self, _: &Config) -> BoxFuture<'_, Result<(Client, JoinHandle<()>), Error>> {
        let attempts = self.0.clone();
        Box::pin(async move {
            let mut failed = None;
            for attempt in attempts.iter() {
                let connected = match &attempt.tls {
                    None => attempt
                        .config
                        .connect(NoTls)
                        .await
                        .map(|(client, connection)| (client, tokio::spawn(async move { drop(connection.await) }))),
                    Some(tls) => attempt
                        .config
                        .connect(tls.clone())
                        .await
                        .map(|(client, connection)| (client, tokio::spawn(async move { drop(connection.await) }))),
                };
                match connected {
                    Ok(made) => return Ok(made),
                    Err(error) if another_may_do(error.code()) => failed = failed.or(Some(error)),
                    Err(error) => return Err(error),
                }
            }
            match failed {
                Some(error) => Err(error),
                // the settings name at least one server; if not, the driver reports that
                None => Config::new().connect(NoTls).await.map(|(client, _)| (client, tokio::spawn(async {}))),
            }
        })
    }
}

/// Cancels the query of a connection if it is dropped before the answer is there. The connection is then closed: the
/// cancellation may arrive late and would hit the next query.
struct CancelOnDrop {
    client: Option<Object>,
    attempts: Arc<Vec<Attempt>>,
    /// Freed after the connection is back in the pool.
    _place: Place,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let Some(client) = self.client.take().map(Object::take) else { return };
        let token = client.cancel_token();
        let tls = self.attempts.iter().find_map(|attempt| attempt.tls.clone());
        tokio::spawn(async move {
            // an error means that the query has ended
            match tls {
                None => drop(token.cancel_query(NoTls).await),
                Some(tls) => drop(token.cancel_query(tls).await),
            }
            drop(client);
        });
    }
}

impl Database {
    /// A pool of connections for these places, which are made when they are needed; a query may take `timeout` seconds.
    pub fn new(settings: &Settings, access: Access, places: Arc<Places>, timeout: u16) -> Result<Database> {
        let attempts = Arc::new(settings.attempts()?);
        let read_only = if access == Access::Read { "on" } else { "off" };
        let setup = format!(
            "{}; SET default_transaction_read_only = {read_only}; \
             SET statement_timeout = '{timeout}s'; SET idle_in_transaction_session_timeout = '{timeout}s'; \
             SET client_min_messages = warning; {OWN_PLANS}; \
             SET jit = off; SET DateStyle = 'ISO, YMD'",
            session()
        );
        let config = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_connect(Config::new(), Connector(attempts.clone()), config);
        let hook = Hook::async_fn(move |client: &mut deadpool_postgres::ClientWrapper, _| {
            let setup = setup.clone();
            Box::pin(async move { client.batch_execute(&setup).await.map_err(HookError::Backend) })
        });
        let pool = Pool::builder(manager)
            .max_size(places.most())
            .wait_timeout(Some(WAIT))
            .create_timeout(Some(Duration::from_secs(5)))
            .runtime(Runtime::Tokio1)
            .post_create(hook)
            .build()?;
        Ok(Database { pool, access, places, attempts })
    }

    /// Whether all connections are to one server.
    pub fn is_one_server(&self) -> bool {
        self.attempts.iter().all(|attempt| attempt.place == self.attempts[0].place)
    }

    /// Connects once at startup, to report errors that only a change of the settings or of the server can remove. An
    /// unreachable server is no error, because it may start later.
    ///
    /// # Errors
    ///
    /// The database or the role does not exist, the password is wrong, or the role may not connect.
    pub async fn check(&self) -> Result<()> {
        let Err(PoolError::Backend(error)) = self.pool.get().await else { return Ok(()) };
        if errors::no_session(&error).is_none() {
            return Ok(());
        }
        let place = if self.is_one_server() { format!(" to {}", self.attempts[0].place) } else { String::new() };
        Err(anyhow!("cannot connect{place}: {}", errors::explained(&error)))
    }

    /// A connection, on a place of the client for which this is done.
    async fn connection(&self) -> Outcome<CancelOnDrop> {
        let place = self.places.take(current()).await?;
        let connected = self.pool.get().await.map_err(|error| match error {
            PoolError::Timeout(deadpool_postgres::TimeoutType::Wait) => busy(),
            PoolError::Backend(error) => match refused(&error) {
                Some(failure) => {
                    tracing::error!("{}", errors::in_line(&error));
                    failure
                }
                None => explain(&error),
            },
            PoolError::PostCreateHook(HookError::Backend(error)) => explain(&error),
            _ => unreachable(),
        });
        Ok(CancelOnDrop { client: Some(connected?), attempts: self.attempts.clone(), _place: place })
    }

    /// The rows of a query.
    pub async fn rows(&self, query: &Query, names: &Names) -> Outcome<Vec<Row>> {
        let (text, values) = query.sent(names);
        self.ask(&text, &values).await
    }

    /// The only row of a query, if there is one.
    pub async fn row(&self, query: &Query, names: &Names) -> Outcome<Option<Row>> {
        Ok(self.rows(query, names).await?.into_iter().next())
    }

    /// The rows of a query that is written out in this program.
    pub async fn ask(&self, text: &str, values: &[&Value]) -> Outcome<Vec<Row>> {
        let mut answers = self.ask_all(&[(text.to_owned(), values.to_vec())], Asked::Once).await?;
        Ok(answers.pop().unwrap_or_default())
    }

    /// The rows of a query without values that is written out in this program and asked often.
    pub async fn ask_often(&self, text: &str) -> Outcome<Vec<Row>> {
        let mut answers = self.ask_all(&[(text.to_owned(), Vec::new())], Asked::Often).await?;
        Ok(answers.pop().unwrap_or_default())
    }

    /// The rows of several queries, which are sent together and run one after the other.
    pub async fn rows_of_all(&self, queries: &[&Query], names: &Names) -> Outcome<Vec<Vec<Row>>> {
        self.ask_all(&queries.iter().map(|query| query.sent(names)).collect::<Vec<_>>(), Asked::Once).await
    }

    /// The rows of several queries whose texts are asked often. The server may keep their plans, so their plans must not depend
    /// on the values. None of them may depend on what another one has changed.
    pub async fn rows_of_often(&self, queries: &[&Query], names: &Names) -> Outcome<Vec<Vec<Row>>> {
        self.ask_all(&queries.iter().map(|query| query.sent(names)).collect::<Vec<_>>(), Asked::Often).await
    }

    /// Sends the queries. Sends them once more if the connection turns out to be broken or stale, or if the server has ended them
    /// because of a conflict with others. A query that writes is sent only once: if the connection breaks, the database may
    /// already have stored the change.
    async fn ask_all(&self, questions: &[(String, Vec<&Value>)], asked: Asked) -> Outcome<Vec<Vec<Row>>> {
        let typed: Vec<Vec<_>> =
            questions.iter().map(|(_, values)| values.iter().map(|value| value.typed()).collect()).collect();
        let writes = self.access == Access::Write && questions.iter().any(|(text, _)| may_write(text));
        for again in [true, false] {
            let mut running = self.connection().await?;
            let Some(client) = &running.client else { break };
            let all = questions.iter().zip(&typed);
            let rows = match asked {
                Asked::Once => try_join_all(all.map(|((text, _), values)| client.query_typed(text, values))).await,
                Asked::Often => {
                    // All are sent together in this order. A query that is prepared for the first time is sent later, after
                    // the setting is back, and then gets a plan of its own.
                    let rows = try_join_all(all.map(|((text, _), values)| prepared(client, text, values)));
                    let (before, after) = (client.batch_execute(KEPT_PLANS), client.batch_execute(OWN_PLANS));
                    try_join3(before, rows, after).await.map(|(_, rows, _)| rows)
                }
            };
            match rows {
                Ok(rows) => {
                    running.client = None; // back to the pool
                    return Ok(rows);
                }
                Err(error) if again && (is_broken(&error) || is_stale(&error, asked)) => {
                    // The server has probably restarted, or a migration has made prepared queries stale. Either concerns
                    // all connections.
                    drop(running.client.take().map(Object::take));
                    self.pool.retain(|_, _| false);
                    if writes && is_broken(&error) {
                        tracing::error!("{}", errors::in_line(&error));
                        return Err(unknown());
                    }
                }
                // A deadlock or the replay on a standby has ended the query. That conflict is over, so the query is sent again.
                Err(error) if again && !writes && is_conflict(&error) => (),
                Err(error) => {
                    // after an error in one of several queries the others may still run
                    if questions.len() == 1 {
                        running.client = None;
                    }
                    return Err(explain(&error));
                }
            }
        }
        Err(unreachable())
    }

    /// Sends the rows of a query from one transaction, as soon as they have `bytes` together; ends early if nobody receives
    /// them. The first row is fetched alone, so that an error still gets a status of its own; the others are fetched in batches of
    /// `batch` rows, each of which may take `patience` seconds. Rows are not fetched faster than the receiver takes them.
    pub async fn stream(
        &self,
        query: &Query,
        names: &Names,
        (batch, bytes): (i32, usize),
        patience: u16,
        sender: &mpsc::Sender<Outcome<Vec<Row>>>,
    ) -> Outcome<()> {
        let (text, values) = query.sent(names);
        let typed: Vec<_> = values.iter().map(|value| value.typed()).collect();
        let (types, values): (Vec<Type>, Vec<&(dyn ToSql + Sync)>) =
            typed.into_iter().map(|(value, of)| (of, value)).unzip();
        let mut running = self.connection().await?;
        let Some(client) = &mut running.client else { return Err(unreachable()) };
        let done = async {
            let transaction = client.transaction().await?;
            transaction
                .batch_execute(&format!("SET LOCAL idle_in_transaction_session_timeout = '{patience}s'"))
                .await?;
            let statement = transaction.prepare_typed(&text, &types).await?;
            let portal = transaction.bind(&statement, &values).await?;
            let (mut lot, mut size, mut wanted) = (Vec::new(), 0, 1);
            loop {
                let mut rows = pin!(transaction.query_portal_raw(&portal, wanted).await?);
                let mut missing = wanted;
                while let Some(row) = rows.try_next().await? {
                    (missing, size) = (missing - 1, size + row.raw_size_bytes());
                    lot.push(row);
                    if size >= bytes {
                        if sender.send(Ok(take(&mut lot))).await.is_err() {
                            return Ok(());
                        }
                        size = 0;
                    }
                }
                if missing > 0 {
                    break;
                }
                if wanted != batch {
                    transaction.batch_execute(&format!("SET LOCAL statement_timeout = '{patience}s'")).await?;
                    wanted = batch;
                }
            }
            // nobody receives them if this fails
            let _ = sender.send(Ok(lot)).await;
            transaction.commit().await
        };
        done.await.map_err(|error| explain(&error))?;
        running.client = None; // back to the pool
        Ok(())
    }

    /// Checks whether code of other roles would run with this role's rights if it uses these names of a schema.
    pub async fn refusal(&self, schema: &str, names: &[&str], purpose: Purpose<'_>) -> Outcome<Option<Refusal>> {
        let values = question(schema, names, purpose);
        for _ in 0..purpose.times() {
            if let Some(row) = self.ask(door::CHECK, &values.each_ref()).await?.first() {
                return Ok(Some(Refusal::new(row)));
            }
        }
        Ok(None)
    }

    /// Creates a schema with a script of this program, in one transaction. Refuses if objects in it, before or after
    /// the script, belong to an untrusted role. `begin` runs before the first check.
    pub async fn make(&self, schema: &str, names: &[&str], begin: &str, script: &Script) -> Outcome<Option<Refusal>> {
        let mut running = self.connection().await?;
        let Some(client) = &mut running.client else { return Err(unreachable()) };
        let done = async {
            let transaction = client.transaction().await?;
            transaction.batch_execute(begin).await?;
            let values = question(schema, names, Purpose::Write(None));
            let typed: Vec<_> = values.iter().map(Value::typed).collect();
            let rows = transaction.query_typed(door::CHECK, &typed).await?;
            if let Some(row) = rows.first() {
                return Ok(Some(Refusal::new(row)));
            }
            let there = transaction.query_typed(THERE, &[Value::from(schema).typed()]).await?;
            transaction.batch_execute(if there.is_empty() { &script.new } else { script.again }).await?;
            let rows = transaction.query_typed(door::CHECK, &typed).await?;
            if let Some(row) = rows.first() {
                return Ok(Some(Refusal::new(row)));
            }
            transaction.commit().await?;
            Ok(None)
        };
        let done = done.await.map_err(|error: Error| explain(&error))?;
        running.client = None; // back to the pool
        Ok(done)
    }
}

/// Asks a query that the session keeps prepared, so that it is parsed once.
async fn prepared(client: &Object, text: &str, values: &[(&(dyn ToSql + Sync), Type)]) -> Result<Vec<Row>, Error> {
    if client.statement_cache.size() > MOST_PREPARED {
        client.statement_cache.clear();
    }
    let (values, types): (Vec<_>, Vec<_>) = values.iter().cloned().unzip();
    let statement = client.prepare_typed_cached(text, &types).await?;
    client.query(&statement, &values).await
}

/// Lets the server keep the plan of a prepared query when that costs less than a new one.
const KEPT_PLANS: &str = "SET plan_cache_mode = auto";
/// Makes the server plan each query with its values, because the best plan often depends on the board.
const OWN_PLANS: &str = "SET plan_cache_mode = force_custom_plan";

/// Returns no row if the schema does not exist.
const THERE: &str = "SELECT oid FROM pg_namespace WHERE nspname = $1::text::name";

/// Creates a schema.
pub struct Script {
    /// SQL for a new schema.
    pub new: String,
    /// SQL for an existing schema that may lack tables.
    pub again: &'static str,
}

/// The parameters of [`door::CHECK`].
fn question(schema: &str, names: &[&str], purpose: Purpose<'_>) -> [Value; 4] {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    [purpose.owner().into(), schema.into(), Value::Texts(names), purpose.word().into()]
}

fn is_broken(error: &Error) -> bool {
    error.is_closed() || error.code().is_none() || error.code().is_some_and(|code| code.code().starts_with("57P"))
}

/// Whether the server has ended a query because of a conflict with others.
fn is_conflict(error: &Error) -> bool {
    let codes = [&SqlState::T_R_SERIALIZATION_FAILURE, &SqlState::T_R_DEADLOCK_DETECTED];
    error.code().is_some_and(|code| codes.contains(&code))
}

/// Whether a session refuses a query that it keeps prepared, because a migration has changed the types of its columns.
fn is_stale(error: &Error, asked: Asked) -> bool {
    asked == Asked::Often && error.code() == Some(&SqlState::FEATURE_NOT_SUPPORTED)
}

/// Whether a query may change what is stored. This looks only at its text, which does not contain its values. It does not notice
/// a query that writes only through a function, so there must be none.
fn may_write(text: &str) -> bool {
    ["INSERT", "UPDATE", "DELETE"].iter().any(|word| text.contains(word))
}

/// 503: the database was lost while it stored something. Clients are not told to send it again.
fn unknown() -> Failure {
    Failure::unavailable("the database's answer was lost: it is not known whether this was stored")
        .hint("look whether it is there before you try again")
        .once()
}

/// 503: the server has ended the query because of a conflict with others.
fn busy() -> Failure {
    Failure::unavailable("the server is busy; try again in a moment")
}

/// 503: the database cannot be reached.
fn unreachable() -> Failure {
    Failure::unavailable("the database does not answer").hint("chess-web tries again with every request")
}

/// The reason why a reachable server rejects this role. The page shows no names.
fn refused(error: &Error) -> Option<Failure> {
    errors::no_session(error).map(|(text, hint)| Failure::unavailable(text).hint(hint))
}

/// The meaning of a server's error for the client.
fn explain(error: &Error) -> Failure {
    let Some(server) = error.as_db_error() else {
        tracing::error!("{}", errors::in_line(error));
        return unreachable();
    };
    match server.code() {
        &SqlState::QUERY_CANCELED => Failure::new(StatusCode::GATEWAY_TIMEOUT, "the search takes too long")
            .hint("narrow it down: add a player, years or ratings, or search for a rarer position"),
        &SqlState::INSUFFICIENT_PRIVILEGE => {
            tracing::error!("{}", server.message());
            Failure::new(StatusCode::FORBIDDEN, "the database does not allow it; the log has the reason")
        }
        &SqlState::UNDEFINED_TABLE | &SqlState::UNDEFINED_COLUMN | &SqlState::UNDEFINED_FUNCTION => {
            tracing::error!("{}", server.message());
            Failure::unavailable("the tables are not what this program expects")
                .hint("chess-pgn migrate upgrades the tables of an earlier version")
        }
        // two windows of one visitor change the same thing
        &SqlState::UNIQUE_VIOLATION | &SqlState::FOREIGN_KEY_VIOLATION => {
            Failure::new(StatusCode::CONFLICT, "it was changed in another window at the same time")
                .hint("load it again")
        }
        &SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED | &SqlState::LOCK_NOT_AVAILABLE => {
            tracing::error!("{} ({})", server.message(), server.code().code());
            busy()
        }
        &SqlState::READ_ONLY_SQL_TRANSACTION => Failure::new(StatusCode::FORBIDDEN, "the database is read-only"),
        // the message names a table, but no directory
        &SqlState::DATA_CORRUPTED | &SqlState::UNDEFINED_FILE if server.message().contains("endgame table") => {
            tracing::error!("{}", server.message());
            Failure::new(StatusCode::INTERNAL_SERVER_ERROR, server.message())
        }
        code if code.code().starts_with("57P") || code.code().starts_with("08") || code.code().starts_with("53") => {
            tracing::error!("{}", server.message());
            unreachable()
        }
        code if code.code().starts_with("22") || code.code() == "54000" || code.code() == "54001" => {
            let detail = server.detail().unwrap_or_default();
            let failure = Failure::bad(server.message());
            if detail.is_empty() { failure } else { failure.hint(detail) }
        }
        _ => {
            tracing::error!("{} ({})", server.message(), server.code().code());
            Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "the database cannot answer; the log has the reason")
        }
    }
}
