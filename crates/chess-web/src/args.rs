//! The command line.

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use chess_db::schema::Schema;
use clap::{Parser, ValueEnum as _};

use crate::http::base::Base;
use crate::http::places::{Kind, Places, Size, share};

/// Shows the games of a database on a web page, and answers as the opening explorer of lichess does.
///
/// The page and the API are served over HTTP, on this machine alone unless --listen says otherwise.
/// The games are those that chess-pgn has loaded; they are only read, unless --upload is given.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub struct Args {
    /// The database: postgres://…, settings such as "host=… dbname=…", or a name; what it leaves out
    /// comes from a service file, the variables of libpq (PGHOST, PGSSLMODE …) and ~/.pgpass
    #[arg(short, long)]
    pub database: Option<String>,
    /// The schema that holds the tables
    #[arg(long, default_value = "chess", value_parser = Schema::read_name)]
    pub schema: String,
    /// The games that /masters answers with, if not all of --schema: another schema, or source: and a file that was loaded,
    /// by its number in the table sources or, without --upload, by its name, in which * stands for any letters
    #[arg(long, value_name = "SCHEMA|source:FILE")]
    pub masters: Option<Games>,
    /// The games of /lichess
    #[arg(long, value_name = "SCHEMA|source:FILE")]
    pub lichess: Option<Games>,
    /// The games of /player
    #[arg(long, value_name = "SCHEMA|source:FILE")]
    pub player: Option<Games>,
    /// A role whose tables, views and functions may run code with the rights of this server's role; asked for only where
    /// these are rights to run programs or to reach files on the server, such as a superuser's
    #[arg(long, value_name = "ROLE")]
    pub owner: Option<String>,
    /// Where sessions are kept (filters, notebooks, boards), if not in the same database as the same role
    #[arg(long, value_name = "DATABASE", conflicts_with = "no_sessions")]
    pub sessions: Option<String>,
    /// Keep no sessions: nothing is ever written
    #[arg(long)]
    pub no_sessions: bool,
    /// Address and port; port 0 takes one that is free
    #[arg(short, long, value_parser = address, default_value = "127.0.0.1:8765")]
    pub listen: SocketAddr,
    /// The path below which a proxy serves the page, such as /chess
    #[arg(long, value_name = "PATH", default_value = "/", hide_default_value = true)]
    pub base_path: Base,
    /// A further name under which the page may be asked for, such as chess.example.org
    #[arg(long = "host", value_name = "NAME")]
    pub hosts: Vec<String>,
    /// Serve everybody who can reach an address that is not of this machine alone; keeps no sessions
    #[arg(long)]
    pub public: bool,
    /// A file whose first line is the password that everybody must give (HTTP Basic, any user name)
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
    /// A file with a token on each line, one of which everybody must send (Authorization: Bearer TOKEN); with --password-file,
    /// one of them or the password
    #[arg(long, value_name = "FILE")]
    pub token: Option<PathBuf>,
    /// The address of a reverse proxy whose X-Forwarded-For and X-Forwarded-Proto are believed; of several in a row, each
    #[arg(long, value_name = "ADDRESS")]
    pub trust_proxy: Vec<std::net::IpAddr>,
    /// An engine for the board on the screen: a file, or a name in PATH or /usr/games, such as stockfish; not with --public
    #[arg(long, value_name = "PROGRAM", conflicts_with = "public")]
    pub engine: Option<String>,
    /// Engines that run at a time
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub engines: u16,
    /// Threads of each engine
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    pub engine_threads: u16,
    /// MiB for the hash table of each engine
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub engine_memory: u32,
    /// Let visitors add games, which chess-pgn loads, and remove sources; keep what the engine finds. DATABASE connects as a role that may write; if it
    /// is missing, that of --sessions does, or else that of --database. Not with --public
    #[arg(long, value_name = "DATABASE", num_args = 0..=1, require_equals = true, conflicts_with = "public")]
    pub upload: Option<Option<String>>,
    /// With --upload: let visitors also cancel what others have sent, and remove sources that others have brought, such as those
    /// of the command line
    #[arg(long, requires = "upload")]
    pub upload_manage: bool,
    /// MiB that a file of games may have
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub upload_limit: u32,
    /// MiB that one address that is not of this machine may send and have stored in a day, with what its searches of the engine
    /// store [default: 4 times --upload-limit]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=1 << 22))]
    pub upload_daily: Option<u32>,
    /// The most games of a list that the engine goes through for a visitor, with --upload; a single game is always taken
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub analyze_limit: u32,
    /// The loader for --upload [default: chess-pgn beside this program, or in PATH]
    #[arg(long, value_name = "PROGRAM")]
    pub loader: Option<PathBuf>,
    /// Seconds that a query may take
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=600))]
    pub timeout: u16,
    /// Milliseconds after which a question gets a line in the log, with its path and parameters; 0: each one does
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 1000)]
    pub log_slow: u32,
    /// Connections to the database
    #[arg(long, value_name = "NUMBER", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub pool: u16,
    /// Connections of browsers and programs that are open at a time
    #[arg(long, value_name = "NUMBER", default_value_t = 512, value_parser = clap::value_parser!(u16).range(1..))]
    pub connections: u16,
    /// Of these, from one address that is not of this machine or a trusted proxy's
    #[arg(long, value_name = "NUMBER", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    pub connections_per_address: u16,
    /// Seconds that a browser or program may take to send the head of a request, or read nothing of an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u16).range(1..=600))]
    pub silence: u16,
    /// Questions to the database under way from one address that is not of this machine [default: 3/8 of --pool]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=100))]
    pub questions: Option<u16>,
    /// Questions a second from one address that is not of this machine
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    pub rate: u16,
    /// A further address and port, whose path /metrics tells a monitor what is going on, in the format of Prometheus
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub metrics: Option<SocketAddr>,
    /// Print what visitors share, one kind a line, with the number of places and the share of one address, and end
    #[arg(long)]
    pub places: bool,
}

/// The games that a path of lichess answers with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Games {
    /// All of a schema.
    Schema(String),
    /// Those of some files of the schema that the page shows.
    Source(String),
}

impl FromStr for Games {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Games, &'static str> {
        match text.strip_prefix("source:") {
            None => Ok(Games::Schema(text.to_owned())),
            Some("") => Err("a source has a name or a number"),
            Some(file) => Ok(Games::Source(file.to_owned())),
        }
    }
}

/// The address of a name or a number, and a port.
fn address(text: &str) -> Result<SocketAddr, &'static str> {
    let found = text.to_socket_addrs().ok().and_then(|found| found.min_by_key(SocketAddr::is_ipv6));
    found.ok_or("an address has a port, such as 127.0.0.1:8765 or localhost:8765")
}

/// Connections to the database for sessions, which few requests need.
const SAVING: usize = 2;
/// Connections that store what engines find.
const FINDING: usize = 2;
/// Exports at a time: each holds a connection to the database for as long as its client reads.
const EXPORTS: usize = 2;
/// MiB of bodies that arrive.
const BODIES: usize = 64;
/// MiB of answers that were made as a whole and wait for their clients.
const ANSWERS: usize = 256;
/// Files that arrive at a time.
const ARRIVING: usize = 4;
/// Files that are not loaded to their end.
const JOBS: usize = 20;
/// Whole games that an engine has not gone through to their end.
const ANALYSES: usize = 20;

/// How long most requests wait for a place.
const WAIT: Duration = Duration::from_secs(2);
/// How long a request waits for a thread, where many requests take some ten milliseconds each.
const PATIENCE: Duration = Duration::from_secs(8);

impl Args {
    /// The connections that are kept for what is found by a key, and as many again for questions that need not read every game.
    fn kept(&self) -> usize {
        usize::from(self.pool).div_ceil(8)
    }

    /// The bytes of games that one address may bring in a day.
    pub fn daily(&self) -> f64 {
        f64::from(self.upload_daily.unwrap_or(4 * self.upload_limit)) * f64::from(1 << 20)
    }

    /// Whether visitors save something.
    pub fn keeps_sessions(&self) -> bool {
        !self.no_sessions && !self.public
    }

    /// How many places of a kind there are; `None` if this server has nothing of the kind.
    pub fn size(&self, kind: Kind) -> Option<Size> {
        let pool = usize::from(self.pool);
        let questions = (pool - self.kept()).max(1);
        let each = self.questions.map_or(share(pool), usize::from);
        let open = (usize::from(self.connections), usize::from(self.connections_per_address));
        let shared = |most| (most, share(most));
        let (most, each) = match kind {
            Kind::Connections | Kind::Requests => open,
            Kind::Bodies => shared(BODIES),
            Kind::Answers => shared(ANSWERS),
            Kind::Questions => (questions, each),
            Kind::Searches => (questions.saturating_sub(self.kept()).max(1), each),
            // one more than questions, for what is found by a key
            Kind::Reading => (pool, each + 1),
            Kind::Saving if !self.keeps_sessions() => return None,
            Kind::Saving => shared(SAVING),
            Kind::Finding if self.upload.is_none() || self.engine.is_none() => return None,
            Kind::Finding => shared(FINDING),
            Kind::Exports => shared(EXPORTS),
            Kind::Parsing => shared(available_parallelism().map_or(1, |processors| processors.get())),
            Kind::Engines if self.engine.is_none() => return None,
            Kind::Engines => shared(self.engines.into()),
            Kind::Arriving | Kind::Jobs | Kind::Loading if self.upload.is_none() => return None,
            Kind::Arriving => shared(ARRIVING),
            Kind::Jobs => shared(JOBS),
            Kind::Loading => shared(1),
            Kind::Analyses | Kind::Analyzing if self.upload.is_none() || self.engine.is_none() => return None,
            Kind::Analyses => shared(ANALYSES),
            Kind::Analyzing => shared(1),
        };
        let wait = match kind {
            Kind::Connections | Kind::Bodies | Kind::Answers => Some(Duration::ZERO),
            Kind::Parsing => Some(PATIENCE),
            Kind::Loading | Kind::Analyzing => None,
            _ => Some(WAIT),
        };
        Some(Size { most, each: each.min(most), wait })
    }

    /// The places of a kind, which the metrics count.
    pub fn places(&self, kind: Kind) -> Option<Arc<Places>> {
        // behind a proxy that says whose requests it passes on, each client has its share of them
        let shared = if matches!(kind, Kind::Connections | Kind::Requests) { &self.trust_proxy[..] } else { &[] };
        let places = Places::new(kind, self.size(kind)?, shared);
        places.watch();
        Some(places)
    }

    /// A line for each kind: its name, the number of its places, and the share of one address.
    pub fn list_places(&self) -> String {
        let line = |kind: &Kind| {
            let (size, value) = (self.size(*kind)?, kind.to_possible_value()?);
            let help = value.get_help().map(ToString::to_string).unwrap_or_default();
            Some(format!("{:<12} {:>5} {:>5}  {help}\n", value.get_name(), size.most, size.each))
        };
        Kind::value_variants().iter().filter_map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(words: &[&str], kind: Kind) -> Option<(usize, usize)> {
        let args = Args::try_parse_from([&["chess-web"], words].concat()).unwrap();
        args.size(kind).map(|size| (size.most, size.each))
    }

    #[test]
    fn an_address_may_have_a_name() {
        let listen = |text: &str| Args::try_parse_from(["chess-web", "--listen", text]).map(|args| args.listen.port());
        assert_eq!(listen("localhost:8765").unwrap(), 8765);
        assert!(listen("8765").unwrap_err().to_string().contains("such as 127.0.0.1:8765"));
    }

    #[test]
    fn every_size_of_a_pool_has_room() {
        let of = |pool: &str| {
            let size = |kind| sizes(&["--pool", pool], kind).unwrap();
            (size(Kind::Questions).0, size(Kind::Searches).0, size(Kind::Questions).1, size(Kind::Reading))
        };
        assert_eq!(of("1"), (1, 1, 1, (1, 1)));
        assert_eq!(of("2"), (1, 1, 1, (2, 2)));
        assert_eq!(of("4"), (3, 2, 1, (4, 2)));
        assert_eq!(of("8"), (7, 6, 3, (8, 4)));
        assert_eq!(of("16"), (14, 12, 6, (16, 7)));
        assert_eq!(of("100"), (87, 74, 37, (100, 38)));
    }

    #[test]
    fn no_address_has_all_places() {
        for kind in Kind::value_variants() {
            let (most, each) = sizes(&["--engine", "stockfish", "--engines", "4", "--upload"], *kind).unwrap();
            // one processor has no second place; a load and an analysis give way
            assert!(each < most || most == 1, "{kind:?}");
            assert!(matches!(kind, Kind::Parsing | Kind::Loading | Kind::Analyzing) || most > 1);
        }
        assert_eq!(sizes(&["--public"], Kind::Saving), None);
        assert_eq!(sizes(&[], Kind::Loading), None);
    }
}
