//! Private servers, databases and programs for the tests of the whole: a test asks for a database and gets one on a
//! server that belongs to its process and ends with it.
//!
//! The tests need a PostgreSQL with the extension installed, so all of them are `#[ignore]`d and run only when they are
//! asked for by their subject: `scripts/private.sh scripts/test-system.sh loader`.

#![forbid(unsafe_code)]

mod asking;
mod database;
mod files;
mod hurdle;
mod program;
mod server;
mod supply;
mod web;

pub use asking::{paged, plans};
pub use database::{Client, Database, Refusal, Session};
pub use files::{Folder, endgame_tables, generated, gzipped, read, repository, zipped};
pub use hurdle::Hurdle;
pub use program::{Output, Program, Running, built, chess_pgn, tool};
pub use server::{Server, is_root, pg_config};
pub use supply::supply;
pub use web::{Answer, Request, Web, encoded};

use std::io::Write;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long an event may take, on slow machines too.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// Waits until the condition holds.
///
/// # Panics
/// If it does not hold after [`PATIENCE`].
#[track_caller]
pub fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "after {} minutes there is still not: {what}", PATIENCE.as_secs() / 60);
        sleep(Duration::from_millis(20));
    }
}

/// A number that a variable of the environment chooses, or the usual one.
pub fn number(variable: &str, usual: u32) -> u32 {
    let chosen = std::env::var(variable).ok().filter(|value| !value.is_empty());
    chosen.map_or(usual, |value| value.parse().unwrap_or_else(|_| panic!("{variable} is no number: {value}")))
}

/// Reports a check that this machine cannot make, past the test runner's capture, in the words that `scripts/test.sh`
/// counts. `how` says what would make it possible.
pub fn skip(what: &str, how: &str) {
    let _ = writeln!(std::io::stdout(), "\n1 skipped: {what} ({how})");
}
