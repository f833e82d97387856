//! Connects to a server by settings: tries every server in turn, and every way that `sslmode` allows.

use anyhow::{Context, Error, Result};
use postgres::Client;
use postgres::error::SqlState;
use postgres_openssl::MakeTlsConnector;
use tokio_postgres::config::SslMode;
use tokio_postgres::{Config, NoTls};

use crate::door::SAFE_PATH;
use crate::settings::{Server, Settings};
use crate::tls;

/// The statements with which every session of the programs begins. They replace settings of the database and the role, which are
/// meant for other sessions: unqualified names are PostgreSQL's own; the programs write standard literals; all of them quote names
/// in the same way, and create functions that stricter checks would refuse; a transaction that waits for a lock must see what its
/// last holder has written; and a load may take hours and wait for its input, so there are no time limits, except those in the
/// user's own options (PGOPTIONS). All run in one transaction, because a standby refuses to begin a serializable one.
pub fn session() -> String {
    format!(
        "BEGIN ISOLATION LEVEL READ COMMITTED; {SAFE_PATH}; SET standard_conforming_strings = on; \
         SET quote_all_identifiers = off; SET plpgsql.extra_errors = 'none'; \
         SET default_transaction_isolation = 'read committed'; \
         SELECT set_config(name, '0', false) FROM pg_settings WHERE source <> 'client' AND name IN ('statement_timeout', \
         'lock_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout', 'transaction_timeout'); \
         COMMIT"
    )
}

/// The server looks every two seconds whether the program is still there, and ends the query if it was interrupted or
/// killed. Servers on some systems refuse the setting.
const END_IF_ABANDONED: &str = "SET client_connection_check_interval = '2s'";

/// One way to connect: a host, with or without TLS.
#[derive(Clone)]
pub struct Attempt {
    /// The driver's settings.
    pub config: Config,
    /// The TLS connector; `None` for a plain connection.
    pub tls: Option<MakeTlsConnector>,
    /// The host and port, for messages.
    pub place: String,
}

/// Whether the next attempt makes sense after this error code, or after an error without one: another server may be up,
/// or another way to this one may be allowed.
pub fn another_may_do(refused: Option<&SqlState>) -> bool {
    match refused {
        None | Some(&SqlState::INVALID_AUTHORIZATION_SPECIFICATION) => true,
        Some(code) => code.code().starts_with("57P"),
    }
}

impl Settings {
    /// All attempts in order. [`Settings::connect`] makes them; programs with connections of their own kind do the
    /// same.
    pub fn attempts(&self) -> Result<Vec<Attempt>> {
        let mut attempts = Vec::new();
        for server in self.servers()? {
            attempts.extend(self.attempts_at(&server)?);
        }
        Ok(attempts)
    }

    fn attempts_at(&self, server: &Server) -> Result<Vec<Attempt>> {
        // As in libpq, sockets are never encrypted, whatever sslmode says.
        let modes: &[SslMode] = match self.ssl_mode() {
            _ if server.is_socket() => &[SslMode::Disable],
            "disable" => &[SslMode::Disable],
            "allow" => &[SslMode::Disable, SslMode::Require],
            "prefer" => &[SslMode::Prefer, SslMode::Disable],
            _ => &[SslMode::Require],
        };
        let mut config = self.driver_settings()?;
        match &server.address {
            Some(address) => {
                config.host(&server.host);
                config.hostaddr(address.parse().with_context(|| format!("invalid address \"{address}\""))?);
            }
            None => {
                config.host(&server.host);
            }
        }
        config.port(server.port.parse()?);
        if let Some(password) = self.password(server)? {
            config.password(password);
        }
        let place = format!("{}:{}", server.host, server.port);
        let mut attempts = Vec::new();
        for mode in modes {
            let mut config = config.clone();
            config.ssl_mode(*mode);
            let tls = match mode {
                SslMode::Disable => None,
                _ => Some(tls::connector(self)?),
            };
            attempts.push(Attempt { config, tls, place: place.clone() });
        }
        Ok(attempts)
    }

    /// Connects, and runs the statements of [`session`].
    ///
    /// # Errors
    ///
    /// Those of the last server. If a server refuses the user, database or password, its error is returned at once,
    /// because the others would do the same.
    pub fn connect(&self) -> Result<Client> {
        let mut failed: Option<Error> = None;
        for server in self.servers()? {
            for attempt in self.attempts_at(&server)? {
                let config = postgres::Config::from(attempt.config);
                let error = match match attempt.tls {
                    None => config.connect(NoTls),
                    Some(tls) => config.connect(tls),
                } {
                    Ok(mut client) => {
                        client.batch_execute(&session())?;
                        drop(client.batch_execute(END_IF_ABANDONED));
                        return Ok(client);
                    }
                    Err(error) => error,
                };
                let refused = error.code().cloned();
                let error = Error::new(error).context(format!("cannot connect to {}", attempt.place));
                if !another_may_do(refused.as_ref()) {
                    return Err(error);
                }
                // If all ways to a server fail in the same manner, the first error is reported.
                failed = Some(match failed {
                    Some(first) if first.to_string() == error.to_string() => first,
                    _ => error,
                });
            }
        }
        Err(failed.unwrap_or_else(|| Error::msg("no server to connect to")))
    }
}
