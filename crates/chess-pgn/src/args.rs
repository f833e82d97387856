//! The command line.

use clap::{Parser, Subcommand};

use crate::encoding::Encoding;

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
    /// Load games; what is loaded already is passed over
    Load(Load),
    /// Write stored games as PGN to standard output
    Export(Export),
}

/// Which database.
#[derive(Debug, clap::Args)]
pub struct Target {
    /// The database: postgres://…, settings such as "host=… dbname=…", or a name; what it does not say
    /// comes from PGHOST, PGPORT, PGUSER, PGPASSWORD and PGDATABASE
    #[arg(short, long)]
    pub database: Option<String>,
    /// The schema that holds the tables
    #[arg(long, default_value = "chess")]
    pub schema: String,
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
    /// Make the B-tree and GIN indexes after the load
    #[arg(long)]
    pub index: bool,
    /// Pass over games with the same players, date, result and moves as one that is stored (one job)
    #[arg(long)]
    pub dedupe: bool,
    /// Keep the clocks of [%clk] comments
    #[arg(long)]
    pub clocks: bool,
    /// Keep the evaluations of [%eval] comments
    #[arg(long)]
    pub evals: bool,
    /// How text is encoded: auto (UTF-8 or else windows-1252, game by game), utf-8, latin1, koi8-r …
    #[arg(long, default_value = "auto", value_parser = |label: &str| Encoding::from_label(label))]
    pub encoding: Encoding,
    /// KiB of PGN that go into one transaction
    #[arg(long, default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..=8192))]
    pub batch: u32,
    /// Files: .pgn, also packed as .zst, .gz or .bz2, or ocgdb databases; - is standard input
    #[arg(required = true)]
    pub files: Vec<String>,
}

/// Arguments of `export`.
#[derive(Debug, clap::Args)]
pub struct Export {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
    /// A condition in SQL over the columns of pgn_view, such as "white = 'Adams, Michael'"
    #[arg(long = "where", value_name = "CONDITION")]
    pub condition: Option<String>,
}
