//! Runs a statement again that PostgreSQL has ended because of a deadlock.
//!
//! REINDEX CONCURRENTLY keeps its lock on a table while it waits for all older snapshots. A statement that needs this lock
//! waits for it with a snapshot, so one of the two must end. It is mostly the statement, which then succeeds when it is
//! repeated.

use postgres::Client;
use postgres::error::SqlState;

/// How often a statement is tried. Each attempt takes at least the server's `deadlock_timeout`.
const ATTEMPTS: u32 = 20;

/// Runs what `run` does in one transaction, and again after a deadlock. Calls `report` before that.
pub(super) fn survive<T>(
    client: &mut Client,
    what: &str,
    mut report: impl FnMut(&str),
    run: impl Fn(&mut Client) -> Result<T, postgres::Error>,
) -> Result<T, postgres::Error> {
    let mut attempts = 1;
    loop {
        match run(client) {
            Err(error) if error.code() == Some(&SqlState::T_R_DEADLOCK_DETECTED) && attempts < ATTEMPTS => {
                report(&format!("{what}: a deadlock with another session, trying again"));
                attempts += 1;
            }
            done => return done,
        }
    }
}
