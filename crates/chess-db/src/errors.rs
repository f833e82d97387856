//! What errors say, for people. In: an error with its causes. Out: the causes in one line, and below it the DETAIL and the HINT
//! of the server, or a hint of our own where the server refuses a session.

use std::error::Error;

use tokio_postgres::error::{DbError, Severity, SqlState};

const PASSWORD: &str = "it comes from the settings, PGPASSWORD, PGPASSFILE or ~/.pgpass";

/// The error with its causes.
pub fn explained(error: &(dyn Error + 'static)) -> String {
    let (mut causes, mut advice) = (Vec::new(), String::new());
    let mut next = Some(error);
    while let Some(cause) = next {
        next = cause.source();
        let of_driver = cause.downcast_ref::<tokio_postgres::Error>();
        advice.extend(of_driver.map(below));
        match of_driver.and_then(tokio_postgres::Error::as_db_error) {
            // the driver's own words for it are "db error"
            Some(server) => {
                causes.push(message(server));
                break;
            }
            None => causes.push(cause.to_string()),
        }
    }
    causes.join(": ") + &advice
}

/// The same in one line, for a log.
pub fn in_line(error: &(dyn Error + 'static)) -> String {
    explained(error).replace('\n', "; ")
}

/// The message; for what should not happen with its SQLSTATE.
fn message(server: &DbError) -> String {
    match server.code().code() {
        code if code.starts_with("XX") => format!("{} (SQLSTATE {code})", server.message()),
        _ => server.message().to_owned(),
    }
}

/// DETAIL and HINT, a line each.
fn below(error: &tokio_postgres::Error) -> String {
    let server = error.as_db_error();
    let own = || no_session(error).map(|(_, hint)| hint);
    let parts = [("DETAIL", server.and_then(DbError::detail)), ("HINT", server.and_then(DbError::hint).or_else(own))];
    parts.into_iter().filter_map(|(name, text)| Some(format!("\n{name}:  {}", text?))).collect()
}

/// Why a server that can be reached gives no session, without names, and what to do.
pub fn no_session(error: &tokio_postgres::Error) -> Option<(&'static str, &'static str)> {
    let Some(server) = error.as_db_error() else {
        // the driver says this before it asks the server
        let is_password = error.source().is_some_and(|cause| cause.to_string() == "password missing");
        return is_password.then_some(("the database asks for a password", PASSWORD));
    };
    if server.parsed_severity() != Some(Severity::Fatal) {
        return None;
    }
    Some(match *server.code() {
        SqlState::INVALID_CATALOG_NAME => (
            "the database does not exist",
            "createdb creates it, and chess-pgn load -d DATABASE --index FILE.pgn fills it",
        ),
        SqlState::INVALID_PASSWORD => ("the database refuses the password", PASSWORD),
        SqlState::INVALID_AUTHORIZATION_SPECIFICATION => (
            "the database server refuses this role",
            "it does not exist, may not log in, or pg_hba.conf does not let it in",
        ),
        SqlState::INSUFFICIENT_PRIVILEGE => {
            ("this role may not connect to the database", "GRANT CONNECT ON DATABASE allows it")
        }
        _ => return None,
    })
}
