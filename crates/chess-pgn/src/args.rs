//! The command line.

use chess_db::layout::Layout;
use chess_db::schema::IndexClass;
use clap::{Parser, Subcommand, ValueEnum};

use crate::read::encoding::Encoding;

/// Loads chess games from PGN files into PostgreSQL and writes them out again.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Load games, except those already loaded
    Load(Load),
    /// Remove what was loaded from files
    Unload(Unload),
    /// Write stored games as PGN to standard output
    Export(Export),
    /// Upgrade the tables of an earlier version; load does this as well
    Migrate(Migrate),
    /// Create the tables without loading anything; load does this as well
    Schema(Tables),
}

/// Which database.
#[derive(Debug, clap::Args)]
pub struct Target {
    /// The database: postgres://…, settings such as "host=… dbname=…", or a name; what it leaves out
    /// comes from a service file, the variables of libpq (PGHOST, PGSSLMODE …) and ~/.pgpass
    #[arg(short, long)]
    pub database: Option<String>,
    /// The schema that holds the tables
    #[arg(long, default_value = "chess")]
    pub schema: String,
}

/// Which index finds positions.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Index {
    /// The default operator class
    Default,
    /// chessgame_compact_ops: a fraction of its size, more games to check in a search
    Compact,
}

impl From<Index> for IndexClass {
    fn from(index: Index) -> IndexClass {
        match index {
            Index::Default => IndexClass::Default,
            Index::Compact => IndexClass::Compact,
        }
    }
}

/// Arguments of `load`.
#[derive(Debug, clap::Args)]
pub struct Load {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
    /// Connections that store games at the same time [default: the number of processors, at most 8]
    #[arg(short, long, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub jobs: Option<u16>,
    /// Create the B-tree and GIN indexes after the load; --index=compact creates the smaller index of positions
    #[arg(long, value_name = "CLASS", num_args = 0..=1, require_equals = true, default_missing_value = "default")]
    pub index: Option<Index>,
    /// Skip games with the same players, date, result and moves as a stored one (one job)
    #[arg(long)]
    pub dedupe: bool,
    /// Load a file that has changed since it was loaded as a new source, with --dedupe
    #[arg(long)]
    pub changed: bool,
    /// Reject games that cannot be read to their end, instead of keeping their beginning
    #[arg(long)]
    pub strict: bool,
    /// Keep the clocks of [%clk] comments
    #[arg(long)]
    pub clocks: bool,
    /// Keep the evaluations of [%eval] comments
    #[arg(long)]
    pub evals: bool,
    /// How text is encoded: auto (UTF-8 or else windows-1252, game by game), utf-8, latin1, koi8-r …
    #[arg(long, default_value = "auto", value_parser = |label: &str| Encoding::from_label(label))]
    pub encoding: Encoding,
    /// The number of this server, among those that hold the games together: a constant column of games and pgn_view
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(i16).range(0..))]
    pub shard: Option<i16>,
    /// KiB of PGN that go into one transaction
    #[arg(long, default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..=8192))]
    pub batch: u32,
    /// Files: .pgn, plain or compressed as .zst, .gz, .bz2 or .zip, or ocgdb databases; - is standard input
    #[arg(required = true)]
    pub files: Vec<String>,
}

/// Arguments of `unload`.
#[derive(Debug, clap::Args)]
pub struct Unload {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
    /// Sources, by their numbers in the table sources
    #[arg(long, value_name = "NUMBER")]
    pub source: Vec<i32>,
    /// Files that were loaded; one that no longer exists is found by its name
    #[arg(required_unless_present = "source")]
    pub files: Vec<String>,
}

/// Arguments of `export`.
#[derive(Debug, clap::Args)]
pub struct Export {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
    /// A condition in SQL on the columns of pgn_view, such as "white = 'Adams, Michael'"
    #[arg(long = "where", value_name = "CONDITION")]
    pub condition: Option<String>,
    /// The sort order, in SQL on the columns of pgn_view, such as "date, white DESC"
    /// [default: their order in their sources]
    #[arg(long, value_name = "COLUMNS")]
    pub order: Option<String>,
}

/// Arguments of `migrate`.
#[derive(Debug, clap::Args)]
pub struct Migrate {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
}

/// Arguments of `schema`.
#[derive(Debug, clap::Args)]
pub struct Tables {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
    /// How games are partitioned: id:N or game:N (by hash), source:N (a partition for each of the first N files),
    /// date:DAY,… or opening:MOVES,… (a partition begins at each)
    #[arg(long, value_name = "LAYOUT")]
    pub partition_by: Option<Layout>,
    /// The number of this server, among those that hold the games together: a constant column of games and pgn_view
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(i16).range(0..))]
    pub shard: Option<i16>,
}
