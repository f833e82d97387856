//! The schema `chess_web`, in which visitors save things: created on first use, and checked before each use.

use axum::http::StatusCode;
use chess_db::door::{self, Purpose, Refusal};
use tokio::sync::OnceCell;

use crate::database::pool::{Database, Script};
use crate::failure::{Failure, Outcome};
use crate::http::places::{Budget, current, for_all};

const SCHEMA: &str = "chess_web";
const NEW: &str = "CREATE SCHEMA chess_web; \
                   COMMENT ON SCHEMA chess_web IS 'what visitors of chess-web keep: filters, notebooks, boards';";
const TABLES: &str = include_str!("sessions.sql");
/// If several servers start at once, only one creates the tables.
const LOCK: &str = "SELECT pg_advisory_xact_lock(hashtext('chess-web sessions'), 0)";

/// New sessions of one address in a day, and bytes that it may store.
const SESSIONS: f64 = 50.0;
const STORED: f64 = (64 << 20) as f64;
/// What a change stores at least, in bytes: its row, and that of what undoes it.
pub const ROW: f64 = 500.0;

/// Where sessions are stored, if they are.
pub struct Sessions {
    database: Option<Database>,
    /// The name of the cookie.
    pub cookie: String,
    /// New sessions that each address may begin.
    pub begun: Budget,
    /// Bytes that each address may store.
    pub stored: Budget,
    /// Set once this program has created or found the tables.
    has_tables: OnceCell<()>,
}

impl Sessions {
    /// Sessions in a database, which a cookie with this name identifies. Without a database, visitors save nothing.
    pub fn new(database: Option<Database>, cookie: String) -> Sessions {
        Sessions {
            database,
            cookie,
            begun: Budget::daily(SESSIONS),
            stored: Budget::daily(STORED),
            has_tables: OnceCell::new(),
        }
    }

    /// The database, with tables that can be trusted. Their owner is checked each time, because another role may have
    /// dropped and created the schema meanwhile.
    ///
    /// # Errors
    ///
    /// 404 if there are no sessions, or an untrusted role owns the schema; 503 without a database.
    pub async fn open(&self) -> Outcome<&Database> {
        let Some(database) = &self.database else { return Err(none()) };
        let names = door::names([TABLES], &["chess_web."]);
        let made = self.has_tables.get_or_try_init(|| {
            for_all(async {
                let script = Script { new: format!("{NEW} {}", TABLES.replace("IF NOT EXISTS ", "")), again: TABLES };
                check(database.make(SCHEMA, &names, LOCK, &script).await?)?;
                database.ask("DELETE FROM chess_web.sessions WHERE expires < now()", &[]).await.map(drop)
            })
        });
        made.await?;
        check(database.refusal(SCHEMA, &names, Purpose::Write(None)).await?)?;
        Ok(database)
    }

    /// Counts bytes that a client sends to be stored.
    ///
    /// # Errors
    ///
    /// 429 if its address has stored too much in a day.
    pub fn count(&self, bytes: f64) -> Outcome<()> {
        match self.stored.takes(current(), bytes) {
            true => Ok(()),
            false => {
                let error = "this address has saved too much today; try again tomorrow";
                Err(Failure::new(StatusCode::TOO_MANY_REQUESTS, error).tomorrow())
            }
        }
    }
}

fn none() -> Failure {
    Failure::missing("this server does not save filters, notebooks and boards")
}

fn check(refusal: Option<Refusal>) -> Outcome<()> {
    let Some(refusal) = refusal else { return Ok(()) };
    tracing::error!("{refusal}: filters, notebooks and boards are not saved: {}", refusal.advice(Purpose::Write(None)));
    Err(none())
}
