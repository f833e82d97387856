//! What the extension promises to whom a server belongs: rights are neither needed nor gained, memory stays within its
//! settings, long work can be cancelled, and installing it disturbs no session. Each test has a server of its own, because it
//! reads that server's log or needs settings of its own.

mod cancel;
mod in_use;
mod limits;
mod rights;

use chess_system::{Client, Server};

/// A running server with these settings, on which one process does all the work of a statement.
fn server(settings: &[&str]) -> Server {
    let alone = ["autovacuum = off", "max_parallel_workers_per_gather = 0", "max_parallel_maintenance_workers = 0"];
    let server = Server::stopped(&[&alone, settings].concat(), 5432);
    server.start();
    server
}

/// What the system says of a server process in a file of /proc.
fn proc(pid: &str, file: &str) -> String {
    let path = format!("/proc/{pid}/{file}");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Executes statements one after the other, each in its own transaction.
#[track_caller]
fn run(db: &Client, statements: &[&str]) {
    for statement in statements {
        db.sql(statement);
    }
}
