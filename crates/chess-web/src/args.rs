//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Parser;

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
    #[arg(long, default_value = "chess")]
    pub schema: String,
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
    #[arg(short, long, default_value = "127.0.0.1:8765")]
    pub listen: SocketAddr,
    /// A further name under which the page may be asked for, such as chess.example.org
    #[arg(long = "host", value_name = "NAME")]
    pub hosts: Vec<String>,
    /// Serve everybody who can reach an address that is not of this machine alone; keeps no sessions
    #[arg(long)]
    pub public: bool,
    /// A file whose first line is the password that everybody must give (HTTP Basic, any user name)
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
    /// The address of a reverse proxy whose X-Forwarded-For and X-Forwarded-Proto are believed
    #[arg(long, value_name = "ADDRESS")]
    pub trust_proxy: Vec<std::net::IpAddr>,
    /// An engine for the board on the screen: a file, or a name in PATH, such as stockfish; not with --public
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
    /// MiB that a file of games may have
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub upload_limit: u32,
    /// The loader for --upload [default: chess-pgn beside this program, or in PATH]
    #[arg(long, value_name = "PROGRAM")]
    pub loader: Option<PathBuf>,
    /// Seconds that a query may take
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=600))]
    pub timeout: u16,
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
}
