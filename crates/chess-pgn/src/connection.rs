//! How the server is reached: a URL, a string of settings or a name of a database comes in, with
//! libpq's environment for what it does not say; a connection goes out.
//!
//! The connection is not encrypted.

use std::env;
use std::path::Path;

use anyhow::{Context, Result};
use postgres::config::Host;
use postgres::{Client, Config, NoTls};

/// Where Unix sockets are: as Debian has it, and as PostgreSQL has it.
const SOCKET_DIRECTORIES: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// The settings of a connection.
pub fn config(database: Option<&str>) -> Result<Config> {
    let mut config = match database {
        None => Config::new(),
        Some(text) if text.contains("://") || text.contains('=') => {
            text.parse().with_context(|| "cannot read the connection's URL or settings")?
        }
        Some(name) => {
            let mut config = Config::new();
            config.dbname(name);
            config
        }
    };
    let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        match set("PGHOST") {
            Some(hosts) => hosts.split(',').for_each(|host| {
                config.host(host);
            }),
            None => {
                let found = SOCKET_DIRECTORIES.iter().find(|directory| Path::new(directory).is_dir());
                config.host_path(found.unwrap_or(&SOCKET_DIRECTORIES[1]));
            }
        }
    }
    if config.get_ports().is_empty()
        && let Some(ports) = set("PGPORT")
    {
        for port in ports.split(',') {
            config.port(port.parse().with_context(|| format!("PGPORT is no port: {port}"))?);
        }
    }
    if config.get_user().is_none()
        && let Some(user) = set("PGUSER").or_else(|| set("USER"))
    {
        config.user(&user);
    }
    if config.get_password().is_none()
        && let Some(password) = set("PGPASSWORD")
    {
        config.password(password);
    }
    if config.get_dbname().is_none()
        && let Some(name) = set("PGDATABASE")
    {
        config.dbname(&name);
    }
    if config.get_options().is_none()
        && let Some(options) = set("PGOPTIONS")
    {
        config.options(&options);
    }
    config.application_name(&set("PGAPPNAME").unwrap_or_else(|| "chess-pgn".to_owned()));
    Ok(config)
}

/// Connects.
pub fn connect(config: &Config) -> Result<Client> {
    config.connect(NoTls).with_context(|| {
        let hosts: Vec<String> = config
            .get_hosts()
            .iter()
            .map(|host| match host {
                Host::Tcp(name) => name.clone(),
                Host::Unix(path) => path.display().to_string(),
            })
            .collect();
        format!("cannot connect to {}", hosts.join(", "))
    })
}
