//! Locks of the programs against each other, for work that PostgreSQL's own locks do not order: advisory locks, whose keys are the
//! hash of a name and a number.
//!
//! They need no rights, because some are held from one transaction to the next and PostgreSQL has no other locks of this kind. So
//! any role that may connect can hold them, and stops the programs, as it also can by an open snapshot, for which CREATE INDEX
//! CONCURRENTLY waits. Whoever waits for one says which role and process has it.

use std::io::{self, Write as _};
use std::thread;
use std::time::{Duration, Instant};

use postgres::{Error, GenericClient, Transaction};

use crate::terminal;

/// How long a wait is no news, and the pauses between looks meanwhile.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(2);
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// A lock.
#[derive(Clone, Debug)]
pub struct Lock {
    /// The two numbers of the key, in SQL.
    key: String,
    /// What its holder does.
    work: &'static str,
}

impl Lock {
    /// Held while tables are created or upgraded, in any schema.
    pub fn tables() -> Lock {
        Lock::new("schema", "0", "makes tables")
    }

    /// Held by a transaction that changes `same_as` of players, events or sites.
    pub fn names() -> Lock {
        Lock::new("players", "0", "changes names")
    }

    /// Held by a transaction that stores games after it has looked for equal ones, because two cannot see each other's games.
    pub fn equal_games() -> Lock {
        Lock::new("dedupe", "0", "looks for duplicates")
    }

    /// Held while indexes of the schema are created or dropped.
    pub fn indexes(schema: &str) -> Lock {
        Lock::new("indexes", &hash(schema), "works on the indexes")
    }

    /// Held during a search for twins in the schema.
    pub fn twins(schema: &str) -> Lock {
        Lock::new("twins", &hash(schema), "looks for twins")
    }

    /// Held until all pieces of a source are stored, or while it is removed.
    pub fn source(schema: &str, id: i32) -> Lock {
        Lock::new(schema, &id.to_string(), "loads or removes this file")
    }

    fn new(name: &str, number: &str, work: &'static str) -> Lock {
        Lock { key: format!("{}, {number}", hash(&format!("chess-pgn {name}"))), work }
    }

    /// Takes the lock for the session if nobody has it.
    pub fn try_take(&self, client: &mut impl GenericClient) -> Result<bool, Error> {
        self.ask(client, "pg_try_advisory_lock")
    }

    /// Takes the lock until the end of the transaction if nobody has it.
    pub fn try_take_here(&self, transaction: &mut Transaction<'_>) -> Result<bool, Error> {
        self.ask(transaction, "pg_try_advisory_xact_lock")
    }

    /// Waits for the lock, and takes it for the session.
    pub fn take(&self, client: &mut impl GenericClient) -> Result<(), Error> {
        client.execute(&self.call("pg_advisory_lock"), &[]).map(drop)
    }

    /// Waits for the lock, and takes it until the end of the transaction. Says on standard error whom it waits for, if that takes
    /// long.
    pub fn take_here(&self, transaction: &mut Transaction<'_>) -> Result<(), Error> {
        let (began, mut pause) = (Instant::now(), FIRST_PAUSE);
        while !self.try_take_here(transaction)? {
            if began.elapsed() > PATIENCE {
                let line = self.waiting(transaction)?;
                _ = writeln!(io::stderr(), "{}", terminal::line(&line));
                transaction.execute(&self.call("pg_advisory_xact_lock"), &[])?;
                break;
            }
            thread::sleep(pause);
            pause = LONGEST_PAUSE.min(pause * 2);
        }
        Ok(())
    }

    /// Gives back a lock of the session.
    pub fn release(&self, client: &mut impl GenericClient) -> Result<(), Error> {
        client.execute(&self.call("pg_advisory_unlock"), &[]).map(drop)
    }

    /// Returns a line that says which role and process the program waits for.
    pub fn waiting(&self, client: &mut impl GenericClient) -> Result<String, Error> {
        Ok(format!("another session {}: waiting for it{}", self.work, self.holder(client)?))
    }

    /// Who has the lock, in parentheses after a blank; nothing if nobody has it any more.
    pub fn holder(&self, client: &mut impl GenericClient) -> Result<String, Error> {
        let query = format!(include_str!("holder.sql"), key = self.key);
        Ok(client.query_one(&query, &[])?.get(0))
    }

    fn ask(&self, client: &mut impl GenericClient, function: &str) -> Result<bool, Error> {
        Ok(client.query_one(&self.call(function), &[])?.get(0))
    }

    fn call(&self, function: &str) -> String {
        format!("SELECT pg_catalog.{function}({})", self.key)
    }
}

fn hash(text: &str) -> String {
    format!("pg_catalog.hashtext('{}')", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_literals() {
        let key = Lock::source("it's", 7).key;
        assert_eq!(key, "pg_catalog.hashtext('chess-pgn it''s'), 7");
    }
}
