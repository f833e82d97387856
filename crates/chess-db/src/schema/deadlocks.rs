//! Changes tables that others use: waits for its lock in a way that stops nobody, and tries again what PostgreSQL has ended
//! because of a deadlock.
//!
//! REINDEX CONCURRENTLY keeps its lock on a table while it waits for all older snapshots. A statement that needs this lock
//! would wait for it with a snapshot, so one of the two would have to end. LOCK TABLE needs none, so it waits first.
//! Another session may take the lock between the two statements, and some statements need locks on several tables: then the
//! statement that was ended succeeds when it is repeated.

use anyhow::Result;
use postgres::Client;
use postgres::error::SqlState;

use super::code;

/// How often a statement is tried. Each attempt takes at least the server's `deadlock_timeout`.
const ATTEMPTS: u32 = 20;

/// Runs what `run` does in one transaction, and again after a deadlock. Calls `report` before that.
pub(super) fn survive<T>(
    client: &mut Client,
    what: &str,
    mut report: impl FnMut(&str),
    run: impl Fn(&mut Client) -> Result<T>,
) -> Result<T> {
    let mut attempts = 1;
    loop {
        match run(client) {
            Err(error) if code(&error) == Some(&SqlState::T_R_DEADLOCK_DETECTED) && attempts < ATTEMPTS => {
                report(&format!("{what}: a deadlock with another session, trying again"));
                attempts += 1;
            }
            done => return done,
        }
    }
}

/// Runs a statement that creates or drops an index of a table, and again after a deadlock.
pub(super) fn change(client: &mut Client, table: &str, statement: &str, report: impl FnMut(&str)) -> Result<()> {
    survive(client, statement, report, |client| change_once(client, table, statement))
}

/// The same without another attempt.
pub(super) fn change_once(client: &mut Client, table: &str, statement: &str) -> Result<()> {
    let mode = match statement {
        _ if statement.contains(" INDEX CONCURRENTLY ") => "SHARE UPDATE EXCLUSIVE",
        _ if statement.starts_with("DROP ") => "ACCESS EXCLUSIVE",
        _ => "SHARE",
    };
    wait_for(client, table, mode)?;
    Ok(client.batch_execute(statement)?)
}

/// Waits until a lock on a table and its partitions is free. LOCK TABLE would look up the partitions, and names that the session
/// has not seen, with a snapshot of the catalogs, and keep that while it waits: so the first of two locks, which waits for
/// next to nobody, looks up all that the second one needs.
fn wait_for(client: &mut Client, table: &str, mode: &str) -> Result<()> {
    let query = "SELECT string_agg('ONLY ' || c.oid::regclass, ', ' ORDER BY c.oid) FROM pg_class c \
                 WHERE c.relkind IN ('r', 'p') AND (c.oid = to_regclass($1) \
                 OR c.oid IN (SELECT p.relid FROM pg_partition_tree(to_regclass($1)) p))";
    let Some(tables) = client.query_one(query, &[&table])?.get::<_, Option<String>>(0) else { return Ok(()) };
    for mode in ["ACCESS SHARE", mode] {
        let mut waiting = client.transaction()?;
        match waiting.batch_execute(&format!("LOCK TABLE {tables} IN {mode} MODE")) {
            Ok(()) => waiting.commit()?,
            // The statement that follows reports the missing right better, if it needs it at all.
            Err(error) if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => return Ok(waiting.rollback()?),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
