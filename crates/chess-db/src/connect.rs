//! Settings to connections: each server that may be asked, with or without encryption as `sslmode` wants it,
//! with the password that was given or that the password file has.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Error, Result};
use postgres::Client;
use postgres::error::SqlState;
use postgres_openssl::MakeTlsConnector;
use tokio_postgres::config::{SslMode, SslNegotiation};
use tokio_postgres::{Config, NoTls};

use crate::passfile::{self, Place};
use crate::settings::{Server, Settings, is_private};
use crate::tls;

/// One way to try: a host, with or without encryption.
#[derive(Clone)]
pub struct Attempt {
    /// The settings of the driver.
    pub config: Config,
    /// How it is encrypted; `None` if it is not.
    pub tls: Option<MakeTlsConnector>,
    /// The host and port, for messages.
    pub place: String,
}

impl Settings {
    /// The password: the one that was given, or that of the password file.
    fn password(&self, server: &Server) -> Result<Option<String>> {
        if let Some(password) = self.get("password") {
            return Ok(Some(password.to_owned()));
        }
        let named = self.get("passfile").map(PathBuf::from);
        let Some(path) = named.or_else(|| self.home.as_ref().map(|home| home.join(".pgpass"))) else { return Ok(None) };
        let Ok(metadata) = path.metadata() else { return Ok(None) };
        if !metadata.is_file() {
            return Ok(None);
        }
        if !is_private(&metadata, 0o077) {
            eprintln!("warning: password file {} is readable by others and is passed over", path.display());
            return Ok(None);
        }
        let file = fs::read_to_string(&path).with_context(|| format!("password file {}", path.display()))?;
        let host = if server.is_default_socket() { "localhost" } else { &server.host };
        let (database, user) = (self.get("dbname").unwrap_or_default(), self.get("user").unwrap_or_default());
        Ok(passfile::password(&file, Place { host, port: &server.port, database, user }))
    }

    /// All that is to be tried, in order. A program of its own that connects goes through them as
    /// [`Settings::connect`] does.
    pub fn attempts(&self) -> Result<Vec<Attempt>> {
        let mut attempts = Vec::new();
        for server in self.servers()? {
            attempts.extend(self.attempts_at(&server)?);
        }
        Ok(attempts)
    }

    fn attempts_at(&self, server: &Server) -> Result<Vec<Attempt>> {
        // As in libpq, a socket is not encrypted, whatever sslmode says.
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

    /// What the driver reads under the names that it has for them.
    fn driver_settings(&self) -> Result<Config> {
        let mut text = String::new();
        for (keyword, name) in [
            ("user", "user"),
            ("dbname", "dbname"),
            ("options", "options"),
            ("application_name", "application_name"),
            ("connect_timeout", "connect_timeout"),
            ("tcp_user_timeout", "tcp_user_timeout"),
            ("keepalives", "keepalives"),
            ("keepalives_idle", "keepalives_idle"),
            ("keepalives_interval", "keepalives_interval"),
            ("keepalives_count", "keepalives_retries"),
            ("target_session_attrs", "target_session_attrs"),
            ("channel_binding", "channel_binding"),
            ("load_balance_hosts", "load_balance_hosts"),
        ] {
            let Some(value) = self.get(keyword) else { continue };
            let value = match (keyword, value) {
                ("target_session_attrs", "primary") => "read-write",
                _ => value,
            };
            text.push_str(&format!("{name}='{}' ", value.replace('\\', "\\\\").replace('\'', "\\'")));
        }
        let mut config: Config = text.parse().context("cannot read the connection's settings")?;
        if self.get("sslnegotiation") == Some("direct") {
            config.ssl_negotiation(SslNegotiation::Direct);
        }
        Ok(config)
    }

    /// Connects.
    ///
    /// # Errors
    ///
    /// Those of the last server; of one that refuses the user, the database or the password at once,
    /// as the others would.
    pub fn connect(&self) -> Result<Client> {
        let mut failed: Option<Error> = None;
        for server in self.servers()? {
            for attempt in self.attempts_at(&server)? {
                let config = postgres::Config::from(attempt.config);
                let error = match match attempt.tls {
                    None => config.connect(NoTls),
                    Some(tls) => config.connect(tls),
                } {
                    Ok(client) => return Ok(client),
                    Err(error) => error,
                };
                let refused = error.code().cloned();
                let error = Error::new(error).context(format!("cannot connect to {}", attempt.place));
                match refused {
                    // Another server may be up; another way to this one may be allowed.
                    None | Some(SqlState::INVALID_AUTHORIZATION_SPECIFICATION) => (),
                    Some(code) if code.code().starts_with("57P") => (),
                    Some(_) => return Err(error),
                }
                // What the first way ran into is the reason; the second one is a second thought.
                failed = Some(match failed {
                    Some(first) if first.to_string() == error.to_string() => first,
                    _ => error,
                });
            }
        }
        Err(failed.unwrap_or_else(|| Error::msg("no server to connect to")))
    }
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::*;
    use crate::settings::Surroundings;

    fn settings(database: &str, variables: &[(&str, &str)], home: Option<&Path>) -> Result<Settings> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Settings::within(Some(database), "test", &Surroundings { variable: &variable, home: home.map(Path::to_owned) })
    }

    #[test]
    fn ways_to_a_server() {
        let ways = |text: &str| {
            let settings = settings(text, &[("PGUSER", "u")], None).unwrap();
            let way = |attempt: Attempt| format!("{:?} {}", attempt.config.get_ssl_mode(), attempt.tls.is_some());
            settings.attempts().unwrap().into_iter().map(way).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(ways("host=a"), "Prefer true, Disable false");
        assert_eq!(ways("host=a sslmode=allow"), "Disable false, Require true");
        assert_eq!(ways("host=a sslmode=disable"), "Disable false");
        assert_eq!(ways("host=a sslmode=require"), "Require true");
        assert_eq!(ways("host=/tmp sslmode=require"), "Disable false");
    }

    #[test]
    fn a_root_certificate_that_is_missing() {
        let missing = settings("host=a sslmode=verify-full sslrootcert=/none", &[("PGUSER", "u")], None).unwrap();
        assert!(missing.attempts().is_err());
    }

    #[test]
    fn passwords_of_the_file() {
        let home = env::temp_dir().join(format!("chess-db-pass-{}", std::process::id()));
        let _ = fs::remove_dir_all(&home);
        fs::create_dir(&home).unwrap();
        let file = home.join(".pgpass");
        fs::write(&file, "localhost:5432:u:u:socket\na:*:d:u:of\\:a\n").unwrap();
        let password = |text: &str, file: Option<&str>| {
            let mut variables = vec![("PGUSER", "u")];
            variables.extend(file.map(|file| ("PGPASSFILE", file)));
            let attempts = settings(text, &variables, Some(&home)).unwrap().attempts().unwrap();
            attempts[0].config.get_password().map(|password| String::from_utf8(password.to_vec()).unwrap())
        };
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(password("host=a dbname=d", None), None);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(password("host=a dbname=d", None).as_deref(), Some("of:a"));
        assert_eq!(password("host=/tmp", None).as_deref(), Some("socket"));
        assert_eq!(password("host=a dbname=d password=mine", None).as_deref(), Some("mine"));
        assert_eq!(password("host=b dbname=d", None), None);
        assert_eq!(password("host=a dbname=d", Some("/none")), None);
        fs::remove_dir_all(home).unwrap();
    }
}
