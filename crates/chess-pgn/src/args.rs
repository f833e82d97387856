//! The command line: options and their descriptions for --help.

use std::path::PathBuf;
use std::time::Duration;

use chess_db::layout::Layout;
use chess_db::schema::{IndexClass, Schema};
use chess_db::shards::LAST_SHARD;
use chess_uci::Limit;
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};

use crate::names::Of;
use crate::play::clock::TimeControl;
use crate::read::condition::Condition;
use crate::read::encoding::Encoding;
use crate::read::source::ending;
use crate::twins::Kind;
use crate::twins::keep::Keep;

/// Loads chess games from PGN files into PostgreSQL and writes them out again.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Load games, except those already loaded
    Load(Load),
    /// Remove what was loaded from files
    Unload(Unload),
    /// Replace a stored game by a corrected one, or bring back what it was
    Replace(Replace),
    /// Write stored games as PGN to standard output
    Export(Export),
    /// Convert files of games to other files, without a database
    Convert(Convert),
    /// Have an engine analyze the positions of stored games
    Analyze(Box<Analyze>),
    /// Have two engines play games, and store them
    Play(Box<Play>),
    /// Make puzzles of analyzed mistakes, or exchange puzzles as CSV
    Puzzles(Puzzles),
    /// Find out which names are of one player, and merge them
    Players(Merging),
    /// Find out which names are of one event or one site, and merge them
    Names(Names),
    /// Until 0.3.0: counted what was played in popular positions
    #[command(hide = true)]
    Explorer(Explorer),
    /// Make opening books in Polyglot's format, and store those of files
    #[command(subcommand)]
    Book(Book),
    /// Find games that are stored twice
    Twins(Twins),
    /// Upgrade the tables of an earlier version; load does this as well
    Migrate(Migrate),
    /// Look whether everything is as it should be, and print the statement that mends what is not
    Doctor(Doctor),
    /// Create the tables without loading anything; load does this as well
    Schema(Tables),
}

/// The database and the schema.
#[derive(Debug, clap::Args)]
pub struct Target {
    /// The database: postgres://…, settings such as "host=… dbname=…", or a name; missing settings come from a service
    /// file, libpq's variables (PGHOST, PGSSLMODE …) and ~/.pgpass
    #[arg(short, long)]
    pub database: Option<String>,
    /// The schema that holds the tables
    #[arg(long, default_value = "chess", value_parser = Schema::read_name)]
    pub schema: String,
    /// A role whose tables, views and functions may run code with the rights of the login, beside those of the login itself and
    /// of superusers
    #[arg(long, value_name = "ROLE")]
    pub owner: Option<String>,
}

impl Target {
    /// The schema.
    pub fn schema(&self) -> Schema {
        Schema { owner: self.owner.clone(), ..Schema::new(&self.schema) }
    }
}

/// Which index of positions is created.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Index {
    /// The access method chess, for positions and patterns: small, and exact for rare positions
    Chess,
    /// GIN, for positions: ten times the size, quicker for a rare position
    #[value(alias = "default")]
    Gin,
}

impl From<Index> for IndexClass {
    fn from(index: Index) -> IndexClass {
        match index {
            Index::Chess => IndexClass::Chess,
            Index::Gin => IndexClass::Gin,
        }
    }
}

/// Arguments of `load`.
#[derive(Debug, clap::Args)]
pub struct Load {
    /// The database and the schema.
    #[command(flatten)]
    pub target: Target,
    /// Connections that store games in parallel [default: the number of processors, at most 8]
    #[arg(short, long, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub jobs: Option<u16>,
    /// Create the indexes after the load: one for positions and patterns, and B-trees. CLASS is chess (the default) or
    /// gin. If an index of positions exists, another is created only if CLASS is given
    #[arg(long, value_name = "CLASS", num_args = 0..=1, require_equals = true)]
    pub index: Option<Option<Index>>,
    /// Store only games for which a condition holds, such as "rating >= 2000 and speed != bullet"; docs/loading.md has the
    /// words. Games that cannot be read are kept as rejected if their tags do not decide
    #[arg(long = "where", value_name = "CONDITION", value_parser = Condition::read)]
    pub condition: Option<Condition>,
    /// Skip games with the same players, date, result and moves as a stored game (uses one job)
    #[arg(long)]
    pub dedupe: bool,
    /// Load a file that has changed since it was loaded as a new source, skipping equal games
    #[arg(long)]
    pub changed: bool,
    /// For files of strangers: recognize a file by all of its bytes, and add nothing to what other files have brought; skip equal
    /// games
    #[arg(long)]
    pub apart: bool,
    /// After the load, look for stored games that are the same as new ones; see the command twins
    #[arg(long)]
    pub twins: bool,
    /// Reject games that cannot be read to their end, instead of keeping the readable beginning
    #[arg(long)]
    pub strict: bool,
    /// Leave out comments, variations and glyphs
    #[arg(long)]
    pub no_annotations: bool,
    /// Keep the clocks of [%clk] comments in a column
    #[arg(long)]
    pub clocks: bool,
    /// Keep the evaluations of [%eval] comments in a column
    #[arg(long)]
    pub evals: bool,
    /// The encoding of the files: auto (UTF-8, and windows-1252 where it is not valid UTF-8), utf-8, latin1, koi8-r …
    #[arg(long, default_value = "auto", value_parser = |label: &str| Encoding::from_label(label))]
    pub encoding: Encoding,
    /// The number of this server among several that share the games: a constant column of games and pgn_view
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(i16).range(0..=i64::from(LAST_SHARD)))]
    pub shard: Option<i16>,
    /// After the load, merge the names of players with this list, as chess-pgn players --list FILE --apply does
    #[arg(long, value_name = "FILE")]
    pub players: Option<String>,
    /// End with VACUUM (ANALYZE), as a load does that adds more than 5 %
    #[arg(long, conflicts_with = "no_analyze")]
    pub analyze: bool,
    /// Leave VACUUM and ANALYZE to autovacuum
    #[arg(long)]
    pub no_analyze: bool,
    /// Report the progress and the outcome on standard output, as lines of JSON for programs
    #[arg(long)]
    pub json: bool,
    /// Read at most this many MiB of each file, after decompression, and 10000 files of an archive: for files from strangers
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub most: Option<u64>,
    /// KiB of PGN per transaction
    #[arg(long, default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..=8192))]
    pub batch: u32,
    /// Load the files of this directory (.pgn, .zst, .gz, .bz2, .zip), and go on with those that come or grow, until Ctrl-C or
    /// SIGTERM
    #[arg(long, value_name = "DIR", conflicts_with_all = ["files", "json"])]
    pub follow: Option<PathBuf>,
    /// Files: .pgn, plain or compressed as .zst, .gz, .bz2 or .zip, tables in Parquet, databases of
    /// ocgdb, or of Scid (.si4); - is standard input
    #[arg(required_unless_present = "follow")]
    pub files: Vec<String>,
}

/// Arguments of `unload`.
#[derive(Debug, clap::Args)]
pub struct Unload {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
    /// Sources, by their ids in the table sources
    #[arg(long, value_name = "NUMBER", value_delimiter = ',')]
    pub source: Vec<i32>,
    /// Remove games also where rows of other tables, such as your own, refer to them and go with them
    #[arg(long)]
    pub with_rows: bool,
    /// Files that were loaded, with the contents that they had then
    #[arg(required_unless_present = "source")]
    pub files: Vec<String>,
}

/// Arguments of `replace`.
#[derive(Debug, clap::Args)]
pub struct Replace {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
    /// The game, by its id in the table games
    #[arg(long, value_name = "NUMBER")]
    pub game: i64,
    /// Only if the row of the game has this xmin: otherwise somebody else has changed it
    #[arg(long, value_name = "XMIN")]
    pub expect: Option<String>,
    /// Bring back what the game was before it was replaced last
    #[arg(long, conflicts_with = "file")]
    pub undo: bool,
    /// Report to programs, in a line of JSON on standard output
    #[arg(long)]
    pub json: bool,
    /// PGN with one game, which takes its place; - is standard input. Earlier states are kept in the table earlier_games
    #[arg(required_unless_present = "undo")]
    pub file: Option<String>,
}

/// Arguments of `export`.
#[derive(Debug, clap::Args)]
pub struct Export {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
    /// A condition in SQL on the columns of pgn_view, such as "white = 'Adams, Michael' AND date >= '2015'"
    #[arg(long = "where", value_name = "CONDITION")]
    pub condition: Option<String>,
    /// The sort order, in SQL on the columns of pgn_view, such as "date, white DESC"
    /// [default: their order in their sources]
    #[arg(long, value_name = "COLUMNS")]
    pub order: Option<String>,
    /// Write the evaluations of chess-pgn analyze into games that have none
    #[arg(long)]
    pub analysis: bool,
    /// Write the canonical names of players, events and sites instead of those of the PGN
    #[arg(long)]
    pub canonical_names: bool,
    /// Write a table of games in Parquet to this file (- is standard output), instead of PGN to standard output
    #[cfg_attr(not(feature = "parquet"), doc = "(this chess-pgn was built without Parquet and refuses it)")]
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(table_file))]
    pub parquet: Option<PathBuf>,
    /// With --parquet, also write a table of their half-moves to this file
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(table_file), requires = "parquet")]
    pub plies: Option<PathBuf>,
}

/// Arguments of `convert`.
#[derive(Debug, clap::Args)]
pub struct Convert {
    /// What is written.
    #[command(flatten)]
    pub to: ConvertTo,
    /// Only games for which a condition holds, such as "rating >= 2000 and pattern = 'Bxh7 and check'"; docs/loading.md has the words
    #[arg(long = "where", value_name = "CONDITION", value_parser = Condition::read)]
    pub condition: Option<Condition>,
    /// Leave out games with the same players, date, result and moves as an earlier one; takes 20 bytes or more of memory for
    /// each game
    #[arg(long)]
    pub dedupe: bool,
    /// Leave out games that cannot be read to their end, instead of writing the readable beginning
    #[arg(long)]
    pub strict: bool,
    /// Leave out comments, variations and glyphs
    #[arg(long)]
    pub no_annotations: bool,
    /// Threads that convert games [default: the number of processors]
    #[arg(short, long, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,
    /// The encoding of the files: auto (UTF-8, and windows-1252 where it is not valid UTF-8), utf-8, latin1, koi8-r …
    #[arg(long, default_value = "auto", value_parser = |label: &str| Encoding::from_label(label))]
    pub encoding: Encoding,
    /// Files: .pgn, plain or compressed as .zst, .gz, .bz2 or .zip, tables in Parquet, databases of
    /// ocgdb, or of Scid (.si4); - is standard input
    #[arg(required = true)]
    pub files: Vec<String>,
}

/// What `convert` writes: files, of which those that end in .zst are compressed; - is standard output.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
pub struct ConvertTo {
    /// PGN in export format
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
    /// Lines of JSON, one for each game
    #[arg(long, value_name = "FILE")]
    pub jsonl: Option<PathBuf>,
    /// A table as comma-separated values
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// The texts of the games that cannot be read to their end
    #[arg(long, value_name = "FILE")]
    pub rejected: Option<PathBuf>,
    /// A table of games in Parquet
    #[cfg_attr(not(feature = "parquet"), doc = "(this chess-pgn was built without Parquet and refuses it)")]
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(table_file))]
    pub parquet: Option<PathBuf>,
    /// A table of half-moves in Parquet
    #[cfg_attr(not(feature = "parquet"), doc = "(this chess-pgn was built without Parquet and refuses it)")]
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(table_file))]
    pub plies: Option<PathBuf>,
}

/// How names are merged: the arguments of `players`, and of `names` besides their kind.
#[derive(Debug, clap::Args)]
pub struct Merging {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
    /// A list in the .ssp form of Scid: Debian's scid-spell-data has players, events and sites, scid-rating-data has
    /// players [default: the names in the games]
    #[arg(long, value_name = "FILE")]
    pub list: Option<String>,
    /// Only show what would be merged; the default
    #[arg(long, conflicts_with_all = ["apply", "undo"])]
    pub dry_run: bool,
    /// Merge
    #[arg(long)]
    pub apply: bool,
    /// Take back the last run that has merged
    #[arg(long, conflicts_with_all = ["apply", "list", "review", "reviewed"])]
    pub undo: bool,
    /// Write what is doubtful to a CSV file; write yes into its first column to merge a line
    #[arg(long, value_name = "FILE.csv")]
    pub review: Option<PathBuf>,
    /// Merge what such a file says; with --list also what the list decides
    #[arg(long, value_name = "FILE.csv")]
    pub reviewed: Option<String>,
}

/// Arguments of `names`.
#[derive(Debug, clap::Args)]
pub struct Names {
    /// Whose names
    pub of: Of,
    /// How they are merged.
    #[command(flatten)]
    pub merging: Merging,
}

/// The limit of a search.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
pub struct Search {
    /// Nodes for each position [default: 100000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    pub nodes: Option<u64>,
    /// Depth in half-moves for each position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200))]
    pub depth: Option<u32>,
    /// Milliseconds for each position
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    pub movetime: Option<u64>,
}

impl Search {
    /// The given limit.
    pub fn limit(&self) -> Option<Limit> {
        let movetime = self.movetime.map(|ms| Limit::Movetime(Duration::from_millis(ms)));
        self.nodes.map(Limit::Nodes).or(self.depth.map(Limit::Depth)).or(movetime)
    }
}

/// Arguments of `analyze`.
#[derive(Debug, clap::Args)]
pub struct Analyze {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
    /// A condition in SQL on the columns of pgn_view, such as "white = 'Adams, Michael' AND date >= '2015'"
    #[arg(long = "where", value_name = "CONDITION")]
    pub condition: Option<String>,
    /// At most this many games, the last loaded first
    #[arg(long, value_name = "GAMES")]
    pub limit: Option<u64>,
    /// The engine: a path, or a name in PATH or /usr/games [default: stockfish]; with --import the name under which evaluations are stored
    /// [default: lichess]
    #[arg(long, value_name = "PROGRAM")]
    pub engine: Option<String>,
    /// An option of the engine, as NAME=VALUE; can be given more than once
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = option)]
    pub options: Vec<(String, String)>,
    /// The limit of a search.
    #[command(flatten)]
    pub search: Search,
    /// Lines (principal variations) per position
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub multipv: u32,
    /// Engines at the same time, each with one thread [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub workers: Option<u16>,
    /// Only positions after these half-moves, as FIRST..LAST; 0 is the start
    #[arg(long, value_name = "A..B", default_value = "0..", value_parser = plies)]
    pub plies: (u32, u32),
    /// MiB for the hash table of each engine [default: 16, or the nearest value that the engine accepts]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..))]
    pub hash: Option<u32>,
    /// Seconds after which a search, or the start of the engine, counts as failed [default: depends on the limit; 120 for
    /// a depth, 10 for the start, which never has less]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub deadline: Option<u64>,
    /// Analyze positions again whose analysis failed or was stopped
    #[arg(long)]
    pub retry: bool,
    /// Make the engine forget all other positions before each one, so that results (except with movetime) can be
    /// reproduced
    #[arg(long)]
    pub reproducible: bool,
    /// Only report how much of the analysis is stored
    #[arg(long, conflicts_with_all = ["player", "min_loss", "problems"])]
    pub status: bool,
    /// Report the progress and the outcome on standard output, as lines of JSON for programs
    #[arg(long, conflicts_with_all = ["status", "syzygy", "import"])]
    pub json: bool,
    /// Take exact values of positions with few men from the endgame tables in these directories (Syzygy; separated by
    /// colons), and ask no engine
    #[arg(long, value_name = "DIR", conflicts_with_all = ["status", "engine", "options", "Search", "multipv", "workers", "hash", "deadline", "reproducible", "retry", "player", "min_loss", "problems"])]
    pub syzygy: Option<String>,
    /// Take evaluations from a file as lichess publishes them, and ask no engine: lines of JSON, plain or compressed; - is
    /// standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["syzygy", "status", "condition", "limit", "options", "Search", "multipv", "workers", "plies", "hash", "deadline", "reproducible", "retry", "player", "min_loss", "problems"])]
    pub import: Option<String>,
    /// Ask for a second line where a mistake may be a puzzle, and follow its solution; see the command puzzles
    #[arg(long, conflicts_with_all = ["status", "syzygy", "import"])]
    pub puzzles: bool,
    /// With --puzzles: only the mistakes of this player, under any spelling
    #[arg(long, value_name = "NAME", requires = "puzzles")]
    pub player: Option<String>,
    /// With --puzzles: the winning chances in percent that a mistake has lost at least
    #[arg(long, value_name = "PERCENT", requires = "puzzles", default_value_t = 20.0, value_parser = percent)]
    pub min_loss: f64,
    /// With --puzzles: instead of mistakes, the first position of each game
    #[arg(long, requires = "puzzles", conflicts_with_all = ["player", "min_loss"])]
    pub problems: bool,
}

/// Arguments of `puzzles`.
#[derive(Debug, clap::Args)]
pub struct Puzzles {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
    /// Only the mistakes of this player, under any spelling
    #[arg(long, value_name = "NAME")]
    pub player: Option<String>,
    /// The winning chances in percent that a mistake has lost at least
    #[arg(long, value_name = "PERCENT", default_value_t = 20.0, value_parser = percent)]
    pub min_loss: f64,
    /// Instead of mistakes, the first position of each game: problems in PGN
    #[arg(long, conflicts_with_all = ["player", "min_loss"])]
    pub problems: bool,
    /// With --problems: prove mates in at most this many moves, without an engine
    #[arg(long, value_name = "MOVES", requires = "problems", default_value_t = 4, value_parser = clap::value_parser!(u8).range(0..=8))]
    pub mate_in: u8,
    /// A condition in SQL on the columns of pgn_view
    #[arg(long = "where", value_name = "CONDITION")]
    pub condition: Option<String>,
    /// Write all puzzles as CSV with the columns of lichess's puzzles; - is standard output
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["player", "min_loss", "problems", "mate_in", "condition", "import"])]
    pub export: Option<PathBuf>,
    /// Read puzzles from such a file; - is standard input
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["player", "min_loss", "problems", "mate_in", "condition"])]
    pub import: Option<String>,
}

/// Parses a percentage.
fn percent(text: &str) -> Result<f64, String> {
    let percent = text.parse().ok().filter(|percent| (0.0..=100.0).contains(percent));
    percent.ok_or_else(|| "winning chances are a number from 0 to 100".to_owned())
}

/// Arguments of `play`.
#[derive(Debug, clap::Args)]
pub struct Play {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
    /// The engine that plays White: a path, or a name in PATH or /usr/games
    #[arg(long, value_name = "PROGRAM", default_value = "stockfish")]
    pub white: String,
    /// The engine that plays Black
    #[arg(long, value_name = "PROGRAM", default_value = "stockfish")]
    pub black: String,
    /// An option of White's engine, as NAME=VALUE; can be given more than once
    #[arg(long = "white-option", value_name = "NAME=VALUE", value_parser = option)]
    pub white_options: Vec<(String, String)>,
    /// An option of Black's engine
    #[arg(long = "black-option", value_name = "NAME=VALUE", value_parser = option)]
    pub black_options: Vec<(String, String)>,
    /// The position that the games start from, in FEN
    #[arg(long, value_name = "FEN")]
    pub from: Option<String>,
    /// The number of games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub games: u32,
    /// Swap colours after each game
    #[arg(long)]
    pub swap: bool,
    /// Minutes per game and seconds added per move, such as 5+3; a move takes a thirtieth of the remaining time plus
    /// four fifths of the increment
    #[arg(long, value_name = "MIN+SEC", value_parser = clock, conflicts_with = "Search")]
    pub clock: Option<TimeControl>,
    /// The limit of a search.
    #[command(flatten)]
    pub search: Search,
    /// MiB for the hash table of each engine [default: 16, or the nearest value that the engine accepts]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..))]
    pub hash: Option<u32>,
    /// The value of the tag Event
    #[arg(long, value_name = "NAME", default_value = "Engine match")]
    pub event: String,
}

/// Parses MINUTES+SECONDS, such as 5+3.
fn clock(text: &str) -> Result<TimeControl, String> {
    TimeControl::read(text).ok_or_else(|| "a time control has the form MINUTES+SECONDS, such as 5+3".to_owned())
}

/// Parses NAME=VALUE. Options of type button have no value.
fn option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    match name.trim() {
        "" => Err("an option has the form NAME=VALUE".to_owned()),
        name => Ok((name.to_owned(), value.trim().to_owned())),
    }
}

/// The name of a Parquet file, which is compressed within.
fn table_file(name: PathBuf) -> Result<PathBuf, &'static str> {
    match ending(&name).as_str() {
        "zst" => Err("a Parquet file is compressed within: give it a name that does not end in .zst"),
        _ => Ok(name),
    }
}

/// Parses `16..80`, `16..` or `..80`.
fn plies(text: &str) -> Result<(u32, u32), String> {
    let number = |text: &str, default: u32| if text.is_empty() { Some(default) } else { text.parse().ok() };
    let range = text.split_once("..").and_then(|(first, last)| Some((number(first, 0)?, number(last, u32::MAX)?)));
    range.filter(|(first, last)| first <= last).ok_or_else(|| "half-moves have the form FIRST..LAST".to_owned())
}

/// Arguments of `twins`.
#[derive(Debug, clap::Args)]
pub struct Twins {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
    /// Keep one of several twins: the longest, the one stored last, or the one with the most in it. It takes over what it
    /// lacks; the others move to the table twins_removed
    #[arg(long, value_name = "WHICH")]
    pub keep: Option<Keep>,
    /// Only print what --keep would do
    #[arg(long, requires = "keep")]
    pub dry_run: bool,
    /// Use the table twins as it is, with rows that you have deleted or changed, instead of looking for twins again
    #[arg(long, requires = "keep")]
    pub stored: bool,
    /// The kinds of twins of which one is kept
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', requires = "keep", default_values = ["same", "prefix", "last_moves", "stub"])]
    pub kinds: Vec<Kind>,
    /// The least score of twins of which one is kept
    #[arg(long, value_name = "SCORE", requires = "keep", default_value_t = 0.95, value_parser = score)]
    pub score: f32,
    /// Bring back the games that a run of --keep has removed [default: the last run]
    #[arg(long, value_name = "RUN", num_args = 0..=1, require_equals = true, conflicts_with_all = ["keep", "dry_run", "stored", "kinds", "score"])]
    pub undo: Option<Option<i32>>,
}

/// Parses a score.
fn score(text: &str) -> Result<f32, String> {
    let score = text.parse().ok().filter(|score| (0.0..=1.0).contains(score));
    score.ok_or_else(|| "a score is a number from 0 to 1".to_owned())
}

/// Arguments of `migrate`.
#[derive(Debug, clap::Args)]
pub struct Migrate {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
    /// Create an index of the access method chess, drop the GIN indexes of earlier versions that it replaces, and create the
    /// other indexes that are missing
    #[arg(long)]
    pub index: bool,
}

/// Arguments of `doctor`.
#[derive(Debug, clap::Args)]
pub struct Doctor {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
    /// The role with which chess-web reads [default: chess_web_read, if there is one]
    #[arg(long, value_name = "ROLE")]
    pub reader: Option<String>,
    /// The role with which chess-web saves what visitors keep [default: chess_web, if there is one]
    #[arg(long, value_name = "ROLE")]
    pub saver: Option<String>,
}

/// Arguments of `schema`.
#[derive(Debug, clap::Args)]
pub struct Tables {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
    /// Partition the games by id:N or game:N (hash), source:N (a partition for each of the first N files),
    /// month:FIRST..LAST (one for each month, such as month:2016-01..2025-12), date:DAY,… or opening:MOVES,… (each value
    /// starts a partition)
    #[arg(long, value_name = "LAYOUT")]
    pub partition_by: Option<Layout>,
    /// The number of this server among several that share the games: a constant column of games and pgn_view
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(i16).range(0..=i64::from(LAST_SHARD)))]
    pub shard: Option<i16>,
    /// Create a schema that combines the games of several servers, given as foreign servers of postgres_fdw; each of
    /// them was loaded with a different --shard
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', num_args = 1.., conflicts_with_all = ["partition_by", "shard"])]
    pub servers: Vec<String>,
    /// The schema with the tables on these servers [default: that of --schema]
    #[arg(long, value_name = "NAME", requires = "servers", value_parser = Schema::read_name)]
    pub remote_schema: Option<String>,
}

/// Arguments of `explorer`, which says what replaces it.
#[derive(Debug, clap::Args)]
pub struct Explorer {
    /// What 0.3.0 took
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}

/// What to do with opening books.
#[derive(Debug, Subcommand)]
pub enum Book {
    /// Write a book of stored games, the same as polyglot make-book does of their PGN
    Make(BookMake),
    /// Store a book, so that SQL can ask it: book_moves(board)
    Load(BookLoad),
    /// Remove a stored book
    Drop(BookDrop),
}

/// The side whose moves are in a book.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Color {
    /// White
    W,
    /// Black
    B,
}

/// Arguments of `book make`.
#[derive(Debug, clap::Args)]
pub struct BookMake {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
    /// A condition in SQL on the columns of pgn_view, such as "white_elo >= 2500 AND result <> '*'"
    #[arg(long = "where", value_name = "CONDITION")]
    pub condition: Option<String>,
    /// Only moves that at least this many games play
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=16_383))]
    pub min_games: u32,
    /// Only the first half-moves of each game
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub max_ply: u32,
    /// Only the moves of one side
    #[arg(long)]
    pub color: Option<Color>,
    /// The file
    #[arg(long, value_name = "FILE.bin")]
    pub out: PathBuf,
}

/// Arguments of `book load`.
#[derive(Debug, clap::Args)]
pub struct BookLoad {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
    /// The name of the book; one that has it already is replaced [default: that of the file without its ending]
    #[arg(long)]
    pub name: Option<String>,
    /// The file
    pub file: PathBuf,
}

/// Arguments of `book drop`.
#[derive(Debug, clap::Args)]
pub struct BookDrop {
    /// Which database.
    #[command(flatten)]
    pub target: Target,
    /// The name of the book
    pub name: String,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use clap::error::ErrorKind;

    use super::*;

    /// Commands with an option that changes what they do, and the other options that they then accept: those that have an effect,
    /// and for `--status` those that describe the analysis that it reports on.
    const WAYS: [(&str, &str); 12] = [
        ("analyze --import=x", "database schema owner engine"),
        ("analyze --syzygy=x", "database schema owner where limit plies"),
        (
            "analyze --status",
            "database schema owner where limit engine option nodes depth movetime multipv plies workers hash deadline retry reproducible",
        ),
        ("puzzles --export=x", "database schema owner"),
        ("puzzles --import=x", "database schema owner"),
        ("puzzles --problems", "database schema owner where mate-in"),
        ("play --clock=5+3", "database schema owner white black white-option black-option from games swap hash event"),
        ("players --undo", "database schema owner"),
        ("names events --undo", "database schema owner"),
        ("twins --undo", "database schema owner"),
        ("replace --game=1 --undo", "database schema owner expect json"),
        ("schema --servers=x", "database schema owner remote-schema"),
    ];

    #[test]
    fn a_schema_has_a_name_that_postgresql_keeps() {
        let read = |letters| Args::try_parse_from(["chess-pgn", "doctor", "--schema", &"x".repeat(letters)]).is_ok();
        assert_eq!([63, 64].map(read), [true, false]);
    }

    #[test]
    fn an_option_is_read_or_refused() {
        for (way, read) in WAYS {
            let program = Args::command();
            let command = program.find_subcommand(way.split(' ').next().unwrap()).unwrap();
            let read: Vec<&str> = read.split(' ').collect();
            for option in command.get_arguments() {
                let Some(name) = option.get_long().filter(|name| !way.contains(&format!("--{name}"))) else { continue };
                let value = match name {
                    "plies" => "=1..2",
                    "partition-by" => "=id:2",
                    "keep" => "=best",
                    "kinds" => "=same",
                    _ if option.get_action().takes_values() => "=1",
                    _ => "",
                };
                let line = format!("chess-pgn {way} --{name}{value}");
                let refused = Args::command().try_get_matches_from(line.split(' ')).err().map(|error| error.kind());
                match read.contains(&name) {
                    true => assert_eq!(refused, None, "{line}"),
                    false => assert!(
                        matches!(refused, Some(ErrorKind::ArgumentConflict | ErrorKind::MissingRequiredArgument)),
                        "{line}: {refused:?}"
                    ),
                }
            }
        }
    }

    #[test]
    fn parquet_is_not_packed_once_more() {
        for way in ["convert --parquet x.ZST x", "convert --plies x.zst x", "export --parquet x --plies x.zst"] {
            let refused = Args::command().try_get_matches_from(format!("chess-pgn {way}").split(' ')).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::ValueValidation, "{way}");
        }
    }

    #[test]
    fn the_conditions_that_the_help_names_can_be_read() {
        for name in ["load", "convert"] {
            let program = Args::command();
            let command = program.find_subcommand(name).unwrap();
            let option = command.get_arguments().find(|option| option.get_long() == Some("where")).unwrap();
            let help = option.get_help().unwrap().to_string();
            let example = help.split('"').nth(1).unwrap();
            Condition::read(example).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        }
    }
}
