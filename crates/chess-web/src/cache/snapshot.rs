//! Which state the database is in: the cached answers of a state hold as long as the state does.
//!
//! The state is PostgreSQL's own snapshot, that is, which transactions have ended. Two queries with equal snapshots see the
//! same rows, whatever wrote them, so no load, UPDATE or trigger has to report its changes. Every transaction that writes,
//! in any database of the server, changes the state.
//!
//! Numbers of transactions can be used again after a crash, so the state also has the time of the server's start and the
//! time at which its statistics were last reset, which a crash does.
//!
//! A snapshot does not tell everything: a standby replays changes without new transactions; foreign and distributed tables
//! are on other servers; policies may depend on the time of the day. Where there is one of these, or where the settings
//! name several servers, there is no state, and nothing is cached.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::cache::shared::Shared;
use crate::database::pool::Database;

/// The state.
const STATE: &str = "\
SELECT concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time(), pg_current_snapshot()) AS state";

/// One row with the state; none if the snapshot does not tell everything.
const WHOLE_STATE: &str = include_str!("sql/whole_state.sql");

/// Timeout for the query. Requests that wait for it continue without the cache.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Asks for the state; requests that arrive at the same time share a query.
pub struct Snapshots {
    database: Database,
    shared: Shared<String>,
    /// The last state of which it is known that it tells everything. In an equal one the catalogs are the same.
    whole: Arc<Mutex<Option<String>>>,
}

impl Snapshots {
    /// The states of a database.
    pub fn new(database: Database) -> Snapshots {
        Snapshots { database, shared: Shared::default(), whole: Arc::default() }
    }

    /// The state at a moment after this call.
    pub async fn current(&self) -> Option<String> {
        if !self.database.is_one_server() {
            return None;
        }
        let (database, whole) = (self.database.clone(), self.whole.clone());
        let state = async move {
            let state = async |text| {
                let rows = database.ask_often(text).await.ok()?;
                rows.first().map(|row| row.get::<_, String>("state"))
            };
            let now = state(STATE).await;
            if now.is_some() && now == *whole.lock().unwrap_or_else(PoisonError::into_inner) {
                return now;
            }
            let now = state(WHOLE_STATE).await;
            whole.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&now);
            now
        };
        self.shared.get(|| async move { tokio::time::timeout(TIMEOUT, state).await.ok()? }).await
    }
}
