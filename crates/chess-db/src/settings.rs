//! Connection settings, found as libpq finds them: first what the user gives (a URL, settings, or the name of a
//! database), then the service named there, the environment (`PGHOST`, `PGSSLMODE` …), libpq's defaults, and the
//! password file.
//!
//! Keywords of libpq that are not implemented here are refused if they promise safety (`requirepeer`, `require_auth`,
//! `gssencmode=require`). Those that do not matter to these programs, such as `client_encoding`, are ignored.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Error, Result, bail};
use tokio_postgres::Config;
use tokio_postgres::config::SslNegotiation;

use crate::conninfo::{self, Pairs};
use crate::passfile::{self, Place};
use crate::servicefile;

/// The directories of Unix sockets: Debian's, then PostgreSQL's default.
const SOCKET_DIRECTORIES: [&str; 2] = ["/var/run/postgresql", "/tmp"];
/// The directory of the system's service file unless PGSYSCONFDIR is set, as in Debian.
const SYSTEM_DIRECTORY: &str = "/etc/postgresql-common";
const DEFAULT_PORT: &str = "5432";

/// The keywords of libpq and their environment variables.
const KEYWORDS: [(&str, Option<&str>); 44] = [
    ("application_name", Some("PGAPPNAME")),
    ("channel_binding", Some("PGCHANNELBINDING")),
    ("client_encoding", Some("PGCLIENTENCODING")),
    ("connect_timeout", Some("PGCONNECT_TIMEOUT")),
    ("dbname", Some("PGDATABASE")),
    ("fallback_application_name", None),
    ("gssdelegation", Some("PGGSSDELEGATION")),
    ("gssencmode", Some("PGGSSENCMODE")),
    ("gsslib", Some("PGGSSLIB")),
    ("host", Some("PGHOST")),
    ("hostaddr", Some("PGHOSTADDR")),
    ("keepalives", None),
    ("keepalives_count", None),
    ("keepalives_idle", None),
    ("keepalives_interval", None),
    ("krbsrvname", Some("PGKRBSRVNAME")),
    ("load_balance_hosts", Some("PGLOADBALANCEHOSTS")),
    ("max_protocol_version", Some("PGMAXPROTOCOLVERSION")),
    ("min_protocol_version", Some("PGMINPROTOCOLVERSION")),
    ("options", Some("PGOPTIONS")),
    ("passfile", Some("PGPASSFILE")),
    ("password", Some("PGPASSWORD")),
    ("port", Some("PGPORT")),
    ("replication", None),
    ("require_auth", Some("PGREQUIREAUTH")),
    ("requirepeer", Some("PGREQUIREPEER")),
    ("service", Some("PGSERVICE")),
    ("servicefile", Some("PGSERVICEFILE")),
    ("ssl_max_protocol_version", Some("PGSSLMAXPROTOCOLVERSION")),
    ("ssl_min_protocol_version", Some("PGSSLMINPROTOCOLVERSION")),
    ("sslcert", Some("PGSSLCERT")),
    ("sslcertmode", Some("PGSSLCERTMODE")),
    ("sslcompression", Some("PGSSLCOMPRESSION")),
    ("sslcrl", Some("PGSSLCRL")),
    ("sslcrldir", Some("PGSSLCRLDIR")),
    ("sslkey", Some("PGSSLKEY")),
    ("sslmode", Some("PGSSLMODE")),
    ("sslnegotiation", Some("PGSSLNEGOTIATION")),
    ("sslpassword", None),
    ("sslrootcert", Some("PGSSLROOTCERT")),
    ("sslsni", Some("PGSSLSNI")),
    ("target_session_attrs", Some("PGTARGETSESSIONATTRS")),
    ("tcp_user_timeout", None),
    ("user", Some("PGUSER")),
];

/// The environment: variables and the home directory.
pub struct Surroundings<'e> {
    /// The value of a variable.
    pub variable: &'e dyn Fn(&str) -> Option<OsString>,
    /// The home directory, which may have `.pgpass` and `.postgresql`.
    pub home: Option<PathBuf>,
}

/// The settings of a connection.
#[derive(Clone, Debug)]
pub struct Settings {
    values: BTreeMap<&'static str, String>,
    home: Option<PathBuf>,
}

/// A server, as the user describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Server {
    /// A host name, an address, or the directory of a socket.
    pub(crate) host: String,
    /// The address, if the host name is not to be resolved.
    pub(crate) address: Option<String>,
    pub(crate) port: String,
}

impl Server {
    pub(crate) fn is_socket(&self) -> bool {
        self.address.is_none() && (self.host.starts_with('/') || self.host.starts_with('@'))
    }

    fn is_default_socket(&self) -> bool {
        SOCKET_DIRECTORIES.contains(&self.host.as_str())
    }
}

impl Settings {
    /// The settings from `database` (a URL, settings or a name), completed by the service, the environment and
    /// defaults. `program` becomes the application name.
    pub fn new(database: Option<&str>, program: &str) -> Result<Settings> {
        let variable = |name: &str| env::var_os(name);
        Settings::within(database, program, &Surroundings { variable: &variable, home: env::home_dir() })
    }

    /// [`Settings::new`] with the given environment.
    pub fn within(database: Option<&str>, program: &str, around: &Surroundings<'_>) -> Result<Settings> {
        let mut settings = Settings { values: BTreeMap::new(), home: around.home.clone() };
        match database {
            Some(text) if conninfo::is_conninfo(text) => {
                let pairs = conninfo::parse(text).context("cannot read the connection's URL or settings")?;
                // as in libpq, the last of repeated keywords counts
                settings.fill(pairs.into_iter().rev().collect())?;
            }
            Some(name) => {
                settings.values.insert("dbname", name.to_owned());
            }
            None => (),
        }
        let variable = |name: &str| match (around.variable)(name).map(OsString::into_string).transpose() {
            Ok(value) => Ok(value.filter(|value| !value.is_empty())),
            // If it were left out, a default would choose another server or database.
            Err(_) => bail!("the variable {name} is not in UTF-8"),
        };
        let of_keyword = |name: Option<&str>| Ok::<_, Error>(name.map(variable).transpose()?.flatten());
        for (keyword, name) in KEYWORDS {
            if keyword.starts_with("service")
                && !settings.values.contains_key(keyword)
                && let Some(value) = of_keyword(name)?
            {
                settings.values.insert(keyword, value);
            }
        }
        if let Some(service) = settings.get("service").map(str::to_owned) {
            let found = settings.find_service(&service, variable("PGSYSCONFDIR")?)?;
            settings.fill(found.into_iter().rev().collect()).with_context(|| format!("service \"{service}\""))?;
        }
        for (keyword, name) in KEYWORDS {
            if let Some(value) = of_keyword(name)? {
                settings.values.entry(keyword).or_insert(value);
            }
        }
        if let Some(value) = variable("PGREQUIRESSL")?
            && value.starts_with('1')
        {
            settings.values.entry("sslmode").or_insert("require".to_owned());
        }
        let application = settings.get("fallback_application_name").unwrap_or(program).to_owned();
        settings.values.entry("application_name").or_insert(application);
        if settings.get("user").is_none() {
            let user =
                whoami::username().context("no user is given, and the system has no name for the current one")?;
            settings.values.insert("user", user);
        }
        let user = settings.get("user").unwrap_or_default().to_owned();
        if settings.get("dbname").is_none() {
            settings.values.insert("dbname", user);
        }
        settings.check()?;
        Ok(settings)
    }

    /// Adds settings that have no value yet.
    fn fill(&mut self, pairs: Pairs) -> Result<()> {
        for (keyword, value) in pairs {
            let Some((keyword, _)) = KEYWORDS.iter().find(|(known, _)| *known == keyword) else {
                bail!("unknown setting \"{keyword}\"");
            };
            self.values.entry(keyword).or_insert(value);
        }
        Ok(())
    }

    /// A setting, unless it is missing or empty.
    pub fn get(&self, keyword: &str) -> Option<&str> {
        self.values.get(keyword).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The file that a setting names, or else a file of this name in `~/.postgresql`.
    pub(crate) fn file(&self, keyword: &str, default: &str) -> Option<PathBuf> {
        match self.get(keyword) {
            Some(path) => Some(PathBuf::from(path)),
            None => self.home.as_ref().map(|home| home.join(".postgresql").join(default)).filter(|path| path.exists()),
        }
    }

    fn find_service(&self, name: &str, system: Option<String>) -> Result<Pairs> {
        let own = match self.get("servicefile") {
            Some(path) => Some(PathBuf::from(path)),
            None => self.home.as_ref().map(|home| home.join(".pg_service.conf")).filter(|path| path.exists()),
        };
        let system = Path::new(system.as_deref().unwrap_or(SYSTEM_DIRECTORY)).join("pg_service.conf");
        for path in own.into_iter().chain(Some(system).filter(|path| path.exists())) {
            let file = fs::read(&path).with_context(|| format!("service file {}", path.display()))?;
            let found =
                servicefile::service(&file, name).with_context(|| format!("service file {}", path.display()))?;
            if let Some(pairs) = found {
                return Ok(pairs);
            }
        }
        bail!("no service file has the service \"{name}\"")
    }

    /// Refuses settings that promise more than is implemented.
    fn check(&self) -> Result<()> {
        for keyword in ["requirepeer", "require_auth", "replication"] {
            if self.get(keyword).is_some() {
                bail!("{keyword} is not supported");
            }
        }
        for (keyword, values) in [
            ("gssencmode", &["disable", "prefer"][..]),
            ("sslcertmode", &["allow", "disable"]),
            ("sslmode", &["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]),
            ("sslnegotiation", &["postgres", "direct"]),
            ("target_session_attrs", &["any", "read-write", "read-only", "primary"]),
            ("channel_binding", &["disable", "prefer", "require"]),
            ("load_balance_hosts", &["disable", "random"]),
        ] {
            if let Some(value) = self.get(keyword)
                && !values.contains(&value)
            {
                bail!("{keyword} \"{value}\" is not supported: {}", values.join(", "));
            }
        }
        let weak = !matches!(self.ssl_mode(), "require" | "verify-ca" | "verify-full");
        if weak && self.get("sslnegotiation") == Some("direct") {
            bail!("sslnegotiation \"direct\" needs sslmode \"require\" or stronger");
        }
        if self.get("sslrootcert") == Some("system") && self.ssl_mode() != "verify-full" {
            bail!("sslrootcert \"system\" needs sslmode \"verify-full\"");
        }
        self.servers().map(drop)
    }

    /// The effective `sslmode`.
    pub(crate) fn ssl_mode(&self) -> &str {
        let system = self.get("sslrootcert") == Some("system");
        self.get("sslmode").unwrap_or(if system { "verify-full" } else { "prefer" })
    }

    /// The servers to try, in order.
    pub(crate) fn servers(&self) -> Result<Vec<Server>> {
        let list = |keyword| self.get(keyword).map(|text| text.split(',').collect::<Vec<_>>());
        let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"));
        let count = hosts.as_ref().or(addresses.as_ref()).map_or(1, Vec::len);
        if let Some(addresses) = &addresses
            && addresses.len() != count
        {
            bail!("{count} hosts and {} addresses", addresses.len());
        }
        if let Some(ports) = &ports
            && ports.len() != 1
            && ports.len() != count
        {
            bail!("{count} hosts and {} ports", ports.len());
        }
        let socket = || {
            let found = SOCKET_DIRECTORIES.iter().find(|directory| Path::new(directory).is_dir());
            (*found.unwrap_or(&SOCKET_DIRECTORIES[1])).to_owned()
        };
        (0..count)
            .map(|at| {
                let pick = |list: &Option<Vec<&str>>| {
                    let value = list.as_ref().and_then(|list| list.get(at).or(list.first()).copied());
                    value.filter(|value| !value.is_empty()).map(str::to_owned)
                };
                let address = pick(&addresses);
                let port = pick(&ports).unwrap_or_else(|| DEFAULT_PORT.to_owned());
                if port.parse::<u16>().is_ok_and(|port| port > 0) {
                    let host = pick(&hosts).or_else(|| address.clone()).unwrap_or_else(socket);
                    Ok(Server { host, address, port })
                } else {
                    bail!("invalid port \"{port}\"")
                }
            })
            .collect()
    }

    /// The password, from the settings or the password file.
    pub(crate) fn password(&self, server: &Server) -> Result<Option<Vec<u8>>> {
        if let Some(password) = self.get("password") {
            return Ok(Some(password.into()));
        }
        let named = self.get("passfile").map(PathBuf::from);
        let Some(path) = named.or_else(|| self.home.as_ref().map(|home| home.join(".pgpass"))) else { return Ok(None) };
        let Ok(metadata) = path.metadata() else { return Ok(None) };
        if !metadata.is_file() {
            return Ok(None);
        }
        if !is_private(&metadata, 0o077) {
            eprintln!("warning: password file {} is readable by others and is ignored", path.display());
            return Ok(None);
        }
        let file = fs::read(&path).with_context(|| format!("password file {}", path.display()))?;
        let host = if server.is_default_socket() { "localhost" } else { &server.host };
        let (database, user) = (self.get("dbname").unwrap_or_default(), self.get("user").unwrap_or_default());
        Ok(passfile::password(&file, Place { host, port: &server.port, database, user }))
    }

    /// The settings that the driver supports, under its names.
    pub(crate) fn driver_settings(&self) -> Result<Config> {
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
}

/// Whether a file grants none of the rights in `mask`.
pub(crate) fn is_private(metadata: &fs::Metadata, mask: u32) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        metadata.permissions().mode() & mask == 0
    }
    #[cfg(not(unix))]
    {
        let _ = (metadata, mask);
        true
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::connection::Attempt;

    fn settings(database: &str, variables: &[(&str, &str)], home: Option<&Path>) -> Result<Settings> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| (*value).into())
        };
        let database = Some(database).filter(|text| !text.is_empty());
        Settings::within(database, "test", &Surroundings { variable: &variable, home: home.map(Path::to_owned) })
    }

    fn told(settings: &Settings, keyword: &str) -> String {
        settings.get(keyword).unwrap_or("-").to_owned()
    }

    /// A new, empty directory.
    fn directory(name: &str) -> PathBuf {
        let path = env::temp_dir().join(format!("chess-db-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        path
    }

    #[test]
    fn what_is_said_comes_first_then_service_then_environment() {
        let home = directory("service");
        fs::write(home.join(".pg_service.conf"), "[s]\nhost=service\nport=7\nsslmode=require\n").unwrap();
        let variables = [("PGHOST", "variable"), ("PGPORT", "8"), ("PGUSER", "u"), ("PGSSLMODE", "disable")];
        let plain = settings("games", &variables, Some(&home)).unwrap();
        let keywords = ["host", "port", "user", "dbname", "sslmode", "application_name"];
        let all = |settings: &Settings| keywords.map(|keyword| told(settings, keyword)).join(" ");
        assert_eq!(all(&plain), "variable 8 u games disable test");
        let service = settings("service=s port=9 port=10", &variables, Some(&home)).unwrap();
        assert_eq!(all(&service), "service 10 u u require test");
        let by_variable = settings("", &[&variables[..], &[("PGSERVICE", "s")]].concat(), Some(&home)).unwrap();
        assert_eq!(all(&by_variable), "service 7 u u require test");
        let file = home.join("other");
        fs::write(&file, "[s]\nhost=elsewhere\n").unwrap();
        let other = [("PGSERVICEFILE", file.to_str().unwrap()), ("PGSERVICE", "s"), ("PGUSER", "u")];
        assert_eq!(all(&settings("", &other, None).unwrap()), "elsewhere - u u - test");
        assert!(settings("service=none", &[], Some(&home)).is_err());
        fs::remove_dir_all(home).unwrap();
    }

    #[test]
    fn a_variable_that_is_no_text_is_not_left_out() {
        for name in ["PGDATABASE", "PGPASSWORD", "PGSERVICE", "PGREQUIRESSL"] {
            let variable = |asked: &str| (asked == name).then(|| OsString::from_vec(b"M\xfcller".to_vec()));
            let refused =
                Settings::within(None, "test", &Surroundings { variable: &variable, home: None }).unwrap_err();
            assert_eq!(refused.to_string(), format!("the variable {name} is not in UTF-8"));
        }
    }

    #[test]
    fn servers_in_order() {
        let servers = |text: &str| {
            let settings = settings(text, &[("PGUSER", "u")], None)?;
            let servers = settings.servers()?;
            let print = |server: &Server| format!("{}:{}", server.host, server.port);
            anyhow::Ok(servers.iter().map(print).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(servers("host=a,b,/tmp port=1,,3").unwrap(), "a:1 b:5432 /tmp:3");
        assert_eq!(servers("host=a,b port=1").unwrap(), "a:1 b:1");
        assert_eq!(servers("hostaddr=127.0.0.1").unwrap(), "127.0.0.1:5432");
        assert_eq!(servers("postgres://a:1,b/d").unwrap(), "a:1 b:5432");
        assert!(servers("d=1").is_err());
        for wrong in ["host=a,b port=1,2,3", "host=a hostaddr=1.1.1.1,1.1.1.2", "port=0", "port=x", "port=70000"] {
            assert!(servers(wrong).is_err(), "{wrong}");
        }
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
    fn what_cannot_be_kept_to_is_refused() {
        for wrong in [
            "requirepeer=postgres",
            "require_auth=scram-sha-256",
            "gssencmode=require",
            "sslmode=full",
            "sslnegotiation=direct",
            "sslrootcert=system sslmode=require",
            "target_session_attrs=standby",
            "no_such_setting=1",
        ] {
            assert!(settings(wrong, &[("PGUSER", "u")], None).is_err(), "{wrong}");
        }
        // a missing root certificate is an error only where it is needed
        let missing = settings("host=a sslmode=verify-full sslrootcert=/none", &[("PGUSER", "u")], None).unwrap();
        assert!(missing.attempts().is_err());
    }

    #[test]
    fn passwords_of_the_file() {
        let home = directory("pass");
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
