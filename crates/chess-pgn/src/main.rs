//! The command `chess-pgn`: PGN files into PostgreSQL and back.
//!
//! - [`load`] stores the games of files, in threads: [`read`] unpacks files, splits them between games and parses the
//!   games. [`follow`] finds the files of a directory that have come or grown. [`index`] creates the indexes. [`unload`]
//!   removes what was loaded from a file. [`replace`] corrects a game.
//! - [`convert`] writes files of games as other files, without a server; [`columns`] are those of all tables.
//! - [`export`] writes games out again, [`parquet`] as tables. [`book`] makes and stores opening books.
//! - [`analyze`] has engines analyze stored positions, [`play`] has them play games.
//! - [`players`] and [`names`] find out which names are of one player, event or site; [`merges`] changes the tables.
//! - [`twins`] finds games that are stored twice.
//! - [`puzzles`] makes puzzles of mistakes.
//! - [`doctor`] looks for what is not as it should be.
//!
//! Connections and tables are in the crate `chess-db`, engines in `chess-uci`. Only `chess_core` creates the bytes of games.
//!
//! # The reader of PGN
//!
//! Games are read by [`chess_core::text::read_pgn`], not by a stream reader such as `pgn-reader`: it continues
//! after a broken game without loss, returns the text of what it rejects, and is the reader behind
//! the extension's `pgngames`, so the same PGN gives the same games either way. It reads a text
//! in memory; [`read::split`] cuts a stream of any size into texts of some MiB between games.

#![forbid(unsafe_code)]
// output writes to both, and lets nothing through that commands a terminal
#![deny(clippy::print_stdout, clippy::print_stderr)]
// the module `whole` writes all files; clippy.toml lists the functions that could leave half a file
#![deny(clippy::disallowed_methods)]

mod analyze;
mod args;
mod book;
mod columns;
mod convert;
mod doctor;
mod export;
mod follow;
mod index;
mod interrupt;
mod load;
mod merges;
mod names;
mod output;
#[cfg(feature = "parquet")]
mod parquet;
mod play;
mod players;
mod puzzles;
mod read;
mod references;
mod replace;
mod review;
mod spelling;
mod twins;
mod unload;
mod whole;

use std::fmt::Display;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use chess_db::door;
use chess_db::errors::explained;
use chess_db::schema::{Created, Schema, TableOptions, VERSION, relied_on};
use chess_db::settings::Settings;
use clap::Parser;
use postgres::Client;

use args::{Args, Command, Merging, Target};
use convert::Format;
use export::Selection;
use follow::Followed;
use interrupt::Interrupt;
use load::totals::Count;
use merges::NameList;
use output::{say, tell};
use read::condition::Condition;
use read::record::Keep;
use read::{source, split};

fn main() -> ExitCode {
    if let Err(error) = interrupt::survive_limit_of_files() {
        warn(&error.to_string());
    }
    let done = match Args::parse().command {
        Command::Load(args) => match &args.follow {
            Some(directory) => follow(&args, directory).map(|()| true),
            None => load(&args, &args.files).map(|(ended, _)| ended == Ended::Done),
        },
        Command::Unload(args) => unload(&args).map(|()| true),
        Command::Replace(args) => replace(&args).map(|()| true),
        Command::Export(args) => export(&args),
        Command::Convert(args) => match convert(&args) {
            Ok(Ended::Interrupted) => return ExitCode::from(interrupt::EXIT as u8),
            ended => ended.map(|ended| ended == Ended::Done),
        },
        Command::Analyze(args) => match analyze(&args) {
            Ok(Ended::Interrupted) => return ExitCode::from(interrupt::EXIT as u8),
            ended => ended.map(|ended| ended == Ended::Done),
        },
        Command::Play(args) => match play(&args) {
            Ok(Ended::Interrupted) => return ExitCode::from(interrupt::EXIT as u8),
            ended => ended.map(|ended| ended == Ended::Done),
        },
        Command::Puzzles(args) => puzzles(&args),
        Command::Players(args) => players(&args).map(|()| true),
        Command::Names(args) => names(&args).map(|()| true),
        Command::Explorer(args) => Err(replaced(&args)),
        Command::Book(args) => book(&args).map(|()| true),
        Command::Twins(args) => match twins(&args) {
            Ok(Ended::Interrupted) => return ExitCode::from(interrupt::EXIT as u8),
            ended => ended.map(|ended| ended == Ended::Done),
        },
        Command::Migrate(args) => migrate(&args).map(|()| true),
        Command::Doctor(args) => examine(&args),
        Command::Schema(args) => tables(&args).map(|()| true),
    };
    let unwritten = output::failed().map(|error| anyhow::anyhow!("cannot write to standard output: {error}"));
    for error in done.as_ref().err().into_iter().chain(&unwritten) {
        tell!("chess-pgn: {}", explained(error.as_ref()));
    }
    if unwritten.is_none() && matches!(done, Ok(true)) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// How a run ended.
#[derive(PartialEq, Eq)]
enum Ended {
    Done,
    Failed,
    Interrupted,
}

fn settings(target: &Target) -> Result<Settings> {
    Settings::new(target.database.as_deref(), "chess-pgn")
}

/// Names the database, schema and user before any change, so that a forgotten -d is noticed.
fn say_where(client: &mut Client, schema: &Schema, verb: &str) -> Result<()> {
    let row = client
        .query_one("SELECT pg_catalog.current_database()::pg_catalog.text, current_user::pg_catalog.text", &[])?;
    let (database, user): (&str, &str) = (row.get(0), row.get(1));
    tell!("{verb} database {database}, schema {}, as {user}", schema.name);
    Ok(())
}

fn warn(line: &str) {
    tell!("chess-pgn: {line}");
}

/// Opens a session and a schema that has tables. Tables of an earlier version are upgraded.
fn open(target: &Target, verb: &str) -> Result<(Client, Schema)> {
    let (mut client, schema) = connect(target, verb)?;
    schema.check_exists(&mut client)?;
    create(&mut client, &schema)?;
    Ok((client, schema))
}

/// Opens a session and a schema, which gets tables if it has none: for commands that store games, books or puzzles. They open
/// their input first, so that a missing file creates nothing.
fn open_or_create(target: &Target, verb: &str) -> Result<(Client, Schema)> {
    let (mut client, schema) = connect(target, verb)?;
    create(&mut client, &schema)?;
    schema.check_sequences(&mut client, &relied_on())?;
    Ok((client, schema))
}

/// Opens a session and a schema that may have no tables. Prints what the command does there.
fn connect(target: &Target, verb: &str) -> Result<(Client, Schema)> {
    let schema = target.schema();
    let mut client = settings(target)?.connect()?;
    say_where(&mut client, &schema, verb)?;
    Ok((client, schema))
}

/// Creates the tables, or upgrades those of an earlier version.
fn create(client: &mut Client, schema: &Schema) -> Result<()> {
    create_as(client, schema, &TableOptions::default())
}

fn create_as(client: &mut Client, schema: &Schema, options: &TableOptions) -> Result<()> {
    if let Created::Upgraded(version) = schema.create_as(client, options)? {
        tell!("schema {} upgraded from version {version} to version {VERSION}", schema.name);
    }
    Ok(())
}

fn migrate(args: &args::Migrate) -> Result<()> {
    let (mut client, schema) = open(&args.target, "upgrading")?;
    say!("schema {} is at version {VERSION}", schema.name);
    if args.index {
        let say = |line: &str| say!("{line}");
        return schema.alone_with_indexes(&mut client, say, |client| schema.replace_indexes(client, say));
    }
    if let Some(found) = schema.replaceable(&mut client)? {
        let names = found.names.join(", ");
        match found.replacement {
            Some(new) => say!(
                "one index of about {:.0} MB can replace {names} ({:.0} MB): chess-pgn migrate --index",
                new.max(1.0),
                found.megabytes
            ),
            None => say!("nothing needs {names} ({:.0} MB): chess-pgn migrate --index drops it", found.megabytes),
        }
    }
    Ok(())
}

/// True if nothing is wrong.
fn examine(args: &args::Doctor) -> Result<bool> {
    anyhow::ensure!(args.target.owner.is_none(), "doctor runs nobody's code, and so needs no --owner");
    let mut client = settings(&args.target)?.connect()?;
    doctor::doctor(&mut client, &args.target.schema(), [args.reader.as_deref(), args.saver.as_deref()])
}

fn tables(args: &args::Tables) -> Result<()> {
    let (mut client, schema) = connect(&args.target, "creating tables in")?;
    if !args.servers.is_empty() {
        let theirs = Schema::new(args.remote_schema.as_deref().unwrap_or(&schema.name));
        let servers = schema.gather(&mut client, &args.servers, &theirs)?;
        say!("schema {} combines the games of {servers} servers", schema.name);
        return Ok(());
    }
    create_as(&mut client, &schema, &TableOptions { layout: args.partition_by.clone(), shard: args.shard })?;
    say!("schema {} is at version {VERSION}", schema.name);
    Ok(())
}

fn players(args: &Merging) -> Result<()> {
    let (mut client, schema) = open_for_merging(args, "players")?;
    if args.undo {
        say!("{}", players::undo(&mut client, &schema)?);
        return Ok(());
    }
    let options = merging(args)?;
    tell_merges(&options, |tell| players::run(&mut client, &schema, &options, tell))
}

fn names(args: &args::Names) -> Result<()> {
    let (mut client, schema) = open_for_merging(&args.merging, args.of.table())?;
    if args.merging.undo {
        say!("{}", names::undo(&mut client, &schema, args.of)?);
        return Ok(());
    }
    let options = merging(&args.merging)?;
    tell_merges(&options, |tell| names::run(&mut client, &schema, args.of, &options, tell))
}

fn open_for_merging(args: &Merging, names: &str) -> Result<(Client, Schema)> {
    let verb = if args.apply || args.undo { "merging" } else { "reading" };
    let (mut client, schema) = open(&args.target, &format!("{verb} {names} of"))?;
    if args.apply {
        schema.check_sequences(&mut client, &relied_on())?;
    }
    Ok((client, schema))
}

fn merging(args: &Merging) -> Result<merges::Options> {
    let mut read = [&args.list, &args.reviewed].into_iter().flatten();
    if let Some(review) = &args.review
        && let Some(file) = read.find(|file| whole::overwrites(review, file))
    {
        bail!("--review would overwrite {file}, which is read: name another file");
    }
    Ok(merges::Options {
        list: args.list.as_deref().map(NameList::open).transpose()?,
        reviewed: args.reviewed.clone(),
        review: args.review.clone(),
        apply: args.apply,
    })
}

/// Prints the lines of a run, and its outcome.
fn tell_merges<T: Display>(
    options: &merges::Options,
    run: impl FnOnce(&mut dyn FnMut(&str)) -> Result<T>,
) -> Result<()> {
    let out: Box<dyn Write> = match options.review.as_deref().is_some_and(output::is_stdout) {
        true => Box::new(io::stderr()),
        false => Box::new(io::stdout().lock()),
    };
    let mut out = io::BufWriter::new(out);
    let outcome = run(&mut |line| output::note(writeln!(out, "{line}")))?;
    output::note(writeln!(out, "{outcome}").and_then(|()| out.flush()));
    Ok(())
}

/// What replaces a command of 0.3.0.
fn replaced(args: &args::Explorer) -> anyhow::Error {
    anyhow::anyhow!(
        "there is no command \"{}\" any more, for nothing is counted beforehand: the explorer asks the index of the games, \
         which \"chess-pgn load --index\" creates with the games, and \"chess-pgn migrate --index\" in existing tables",
        [&["explorer".to_owned()], args.words.as_slice()].concat().join(" ")
    )
}

fn book(args: &args::Book) -> Result<()> {
    const BOOKS: &str = "changing books of";
    match args {
        args::Book::Make(args) => make_book(args)?,
        args::Book::Load(args) => {
            let file = args.file.display();
            let read = book::load::read(&source::bytes(&args.file)?).with_context(|| file.to_string())?;
            let stem = source::stem(&args.file);
            let name = args.name.as_deref().unwrap_or(&stem);
            let (mut client, schema) = open_or_create(&args.target, BOOKS)?;
            let positions = book::load::store(&mut client, &schema, name, &read)?;
            say!("book {name}: {} entries of {positions} positions", read.entries.len());
            if !read.sorted {
                warn("its entries are not sorted by key: programs that search in the file miss some of them");
            }
            if read.without_move > 0 {
                warn(&format!("{} of its entries hold no move", read.without_move));
            }
        }
        args::Book::Drop(args) => {
            let (mut client, schema) = open(&args.target, BOOKS)?;
            book::load::remove(&mut client, &schema, &args.name)?;
            say!("book {} removed", args.name);
        }
    }
    Ok(())
}

fn make_book(args: &args::BookMake) -> Result<()> {
    let (mut client, schema) = reader(&args.target, args.condition.is_some())?;
    let options =
        book::make::Options { games: args.min_games, plies: args.max_ply, color: args.color.map(|color| color as u8) };
    let condition = args.condition.as_deref();
    let selection = Selection { condition, order: None, analysis: false, canonical_names: false };
    let (book, games) = book::make::make(&mut client, &schema, &selection, options)?;
    let entries = book::make::write(&args.out, &book)?;
    output::about(&[&args.out])(format_args!("{entries} entries of {games} games in {}", args.out.display()));
    Ok(())
}

fn twins(args: &args::Twins) -> Result<Ended> {
    let interrupt = Interrupt::new()?;
    let verb = if args.undo.is_some() { "bringing games back in" } else { "looking for twins in" };
    let (mut client, schema) = open(&args.target, verb)?;
    if let Some(run) = args.undo {
        let (run, [back, away]) = twins::keep::undo(&mut client, &schema, run, |line| say!("{line}"))?;
        say!("{back} games of run {run} are back");
        return Ok(ended(false, away == 0));
    }
    let mut unstored = None;
    if !args.stored {
        let search = if args.dry_run { twins::Search::DryRun } else { twins::Search::All };
        match twins::search(&settings(&args.target)?, &mut client, &schema, search, &interrupt) {
            Ok(found) => {
                say!("{found}");
                unstored = found.unstored;
            }
            Err(_) if interrupt.wanted() => {
                tell!("chess-pgn: interrupted; the table twins is as it was");
                return Ok(Ended::Interrupted);
            }
            Err(error) => return Err(error),
        }
    }
    let Some(keep) = args.keep else { return Ok(Ended::Done) };
    schema.check_sequences(&mut client, &[])?;
    let options = twins::keep::Options { keep, kinds: args.kinds.clone(), score: args.score, dry_run: args.dry_run };
    let done = twins::keep::keep(&mut client, &schema, unstored, &options, &interrupt, |line| say!("{line}"))?;
    match (args.dry_run, done.removed) {
        (true, removed) => {
            say!("{removed} games would go, {} would stay in their place; nothing was changed", done.kept)
        }
        (false, 0) => say!("no games were removed"),
        (false, removed) => say!(
            "{removed} games moved to {}.twins_removed, {} stay in their place: run {}, which chess-pgn twins --undo takes back",
            schema.quoted,
            done.kept,
            done.run
        ),
    }
    Ok(if done.interrupted { Ended::Interrupted } else { Ended::Done })
}

fn unload(args: &args::Unload) -> Result<()> {
    let (mut client, schema) = open(&args.target, "removing games from")?;
    unload::unload(&mut client, &schema, &args.files, &args.source, args.with_rows, |line| say!("{line}"))
}

fn replace(args: &args::Replace) -> Result<()> {
    let schema = args.target.schema();
    let mut client = settings(&args.target)?.connect()?;
    if !args.json {
        say_where(&mut client, &schema, "replacing a game in")?;
    }
    schema.check_exists(&mut client)?;
    create(&mut client, &schema)?;
    schema.check_sequences(&mut client, &relied_on())?;
    let (game, expected) = (args.game, args.expect.as_deref());
    let done = match &args.file {
        None => replace::restore(&mut client, &schema, game, expected)
            .map(|()| format!("game {game} is what it was before")),
        Some(name) => read_all(name)
            .and_then(|bytes| replace::replace(&mut client, &schema, game, expected, bytes))
            .map(|is_new| format!("game {game} {}", if is_new { "replaced" } else { "is so already" })),
    };
    match &done {
        Ok(told) if !args.json => say!("{told}"),
        Ok(_) => say!("{}", serde_json::json!({ "done": true })),
        Err(error) if args.json => {
            say!(
                "{}",
                serde_json::json!({ "done": false, "reason": replace::reason(error), "error": explained(error.as_ref()) })
            )
        }
        Err(_) => (),
    }
    done.map(drop)
}

/// All of a file, or of standard input, unpacked and in the encodings that a load takes.
fn read_all(name: &str) -> Result<Vec<u8>> {
    // a letter may have two bytes, and be one in UTF-8
    const MOST: u64 = 2 * split::MAX_GAME as u64;
    let opened = source::open(name, source::Consumed::default(), Some(MOST)).with_context(|| name.to_owned())?;
    let source::Opened::Pgn(mut stream) = opened else { bail!("{name}: an archive or a database, not PGN") };
    let mut bytes = Vec::new();
    stream.input.read_to_end(&mut bytes).with_context(|| name.to_owned())?;
    Ok(bytes)
}

/// A session that reads games of a schema, and may run SQL that the user has written.
fn reader(target: &Target, with_sql: bool) -> Result<(Client, Schema)> {
    let mut client = settings(target)?.connect()?;
    let schema = target.schema();
    schema.check_exists(&mut client)?;
    schema.check_reading(&mut client)?;
    schema.check_view(&mut client)?;
    if with_sql {
        door::users_path(&mut client, schema.reading(), warn)?;
    }
    Ok((client, schema))
}

/// Why Parquet files are refused.
#[cfg(not(feature = "parquet"))]
const WITHOUT_PARQUET: &str = "this chess-pgn was built without Parquet, as by make demo: make build, or cargo install --locked \
                               --path crates/chess-pgn --features parquet, builds it with Parquet";

/// True if every game was written completely.
fn export(args: &args::Export) -> Result<bool> {
    #[cfg(not(feature = "parquet"))]
    anyhow::ensure!(args.parquet.is_none() && args.plies.is_none(), WITHOUT_PARQUET);
    let with_sql = args.condition.is_some() || args.order.is_some();
    let (mut client, schema) = reader(&args.target, with_sql)?;
    let selection = Selection {
        condition: args.condition.as_deref(),
        order: args.order.as_deref(),
        analysis: args.analysis,
        canonical_names: args.canonical_names,
    };
    #[cfg(feature = "parquet")]
    if let Some(file) = &args.parquet {
        anyhow::ensure!(
            !args.plies.as_ref().is_some_and(|plies| whole::is_same(plies, file)),
            "--parquet and --plies name the same file, {}",
            file.display()
        );
        let written = parquet::games::export(&mut client, &schema, &selection, file, args.plies.as_deref())?;
        let say = output::about(&[file, args.plies.as_ref().unwrap_or(file)]);
        say(format_args!("{} games in {}", written.games, file.display()));
        if let Some(plies) = &args.plies {
            say(format_args!("{} half-moves in {}", written.plies, plies.display()));
        }
        return Ok(written.damaged == 0);
    }
    export::export(&mut client, &schema, &selection)
}

/// Says what was converted on standard error, because standard output may be one of the files.
fn convert(args: &args::Convert) -> Result<Ended> {
    let to = &args.to;
    let files = [
        (Format::Pgn, &to.pgn),
        (Format::Jsonl, &to.jsonl),
        (Format::Csv, &to.csv),
        (Format::Rejected, &to.rejected),
        (Format::Parquet, &to.parquet),
        (Format::Plies, &to.plies),
    ];
    let targets: Vec<_> = files.into_iter().filter_map(|(format, file)| Some((format, file.clone()?))).collect();
    for (n, (_, file)) in targets.iter().enumerate() {
        anyhow::ensure!(
            !targets[..n].iter().any(|(_, other)| whole::is_same(other, file)),
            "two outputs are one file, {}",
            file.display()
        );
        if let Some(input) = args.files.iter().find(|input| whole::overwrites(file, input)) {
            bail!("{} would overwrite {input}, which is read: name another file", file.display());
        }
    }
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let options = convert::Options {
        condition: args.condition.clone(),
        keep: Keep {
            whole_only: args.strict,
            annotations: !args.no_annotations,
            clocks: to.plies.is_some(),
            evals: to.plies.is_some(),
        },
        dedupe: args.dedupe,
        encoding: args.encoding,
        jobs: args.jobs.map_or(processors, usize::from),
        targets,
    };
    let Some(outcome) = convert::convert(&args.files, &options, &Interrupt::new()?)? else {
        tell!("chess-pgn: interrupted; nothing is written");
        return Ok(Ended::Interrupted);
    };
    let told = summary(outcome.count, outcome.time, "written", options.condition.as_ref(), &outcome.left_out);
    tell!("{}", told.trim_end());
    Ok(if outcome.unopened { Ended::Failed } else { Ended::Done })
}

/// Starts an engine with the user's options, one thread, and a hash table of `hash` MiB.
fn engine(program: &str, options: &[(String, String)], hash: Option<u32>) -> chess_uci::Settings {
    let mut engine = chess_uci::Settings::new(program);
    engine.options = options.to_vec();
    let is_set = |name: &str| options.iter().any(|(set, _)| set.eq_ignore_ascii_case(name));
    if !is_set("Threads") {
        engine.defaults.push(("Threads".to_owned(), 1));
    }
    match hash {
        _ if is_set("Hash") => (),
        Some(hash) => engine.preferred.push(("Hash".to_owned(), hash.to_string())),
        None => engine.defaults.push(("Hash".to_owned(), 16)),
    }
    engine
}

fn play(args: &args::Play) -> Result<Ended> {
    let interrupt = Interrupt::new()?;
    let (mut client, schema) = open_or_create(&args.target, "storing games in")?;
    let mut engines =
        [engine(&args.white, &args.white_options, args.hash), engine(&args.black, &args.black_options, args.hash)];
    // Games are played at normal priority: there is nothing to yield to, and the clocks run.
    engines.iter_mut().for_each(|engine| engine.nice = 0);
    let pace = match args.clock {
        Some(control) => play::Pace::Clock(control),
        None => play::Pace::Fixed(args.search.limit().unwrap_or(chess_uci::Limit::Nodes(100_000))),
    };
    let options = play::Options {
        schema,
        engines,
        from: args.from.clone(),
        games: args.games,
        swap: args.swap,
        pace,
        event: args.event.clone(),
    };
    let outcome = play::run(&mut client, &options, &interrupt, |line| say!("{line}"))?;
    let [wins, draws, losses] = outcome.score;
    say!("the first engine won {wins}, drew {draws} and lost {losses}");
    Ok(if outcome.interrupted { Ended::Interrupted } else { Ended::Done })
}

fn analyze(args: &args::Analyze) -> Result<Ended> {
    let interrupt = Interrupt::new()?;
    let (mut client, schema) = open(&args.target, "analyzing games of")?;
    let settings = settings(&args.target)?;
    if args.condition.is_some() {
        door::users_path(&mut client, schema.writing(), warn)?;
    }
    if let Some(file) = &args.import {
        let name = args.engine.as_deref().unwrap_or("lichess");
        let outcome = analyze::import::import(&mut settings.connect()?, &schema, file, name, &interrupt)?;
        say!("{outcome}");
        return Ok(ended(outcome.interrupted, outcome.bad == 0));
    }
    if let Some(directories) = &args.syzygy {
        let options = analyze::exact::Options {
            schema,
            condition: args.condition.clone(),
            games: args.limit,
            directories: directories.clone(),
            plies: args.plies,
        };
        let outcome = analyze::exact::evaluate(&mut client, &mut settings.connect()?, &options, &interrupt)?;
        say!("{outcome}");
        for fault in &outcome.faults {
            tell!("chess-pgn: {fault}");
        }
        return Ok(ended(outcome.interrupted, outcome.faults.is_empty()));
    }
    let options = with_engine(args, schema);
    if args.status {
        say!("{}", analyze::status(&mut client, &settings, &options)?);
        return Ok(Ended::Done);
    }
    let outcome = analyze::analyze(&mut client, &settings, &options, &interrupt)?;
    match args.json {
        true => say!("{}", outcome.json()),
        false => say!("{outcome}"),
    }
    if let Some(error) = &outcome.error {
        tell!("chess-pgn: {}", explained(error.as_ref()));
        return Ok(Ended::Failed);
    }
    Ok(ended(outcome.interrupted, true))
}

fn ended(interrupted: bool, is_complete: bool) -> Ended {
    match (interrupted, is_complete) {
        (true, _) => Ended::Interrupted,
        (false, true) => Ended::Done,
        (false, false) => Ended::Failed,
    }
}

/// The options of an analysis by an engine.
fn with_engine(args: &args::Analyze, schema: Schema) -> analyze::Options {
    let program = args.engine.as_deref().unwrap_or("stockfish");
    let mut engine = engine(program, &args.options, args.hash);
    let deadline = args.deadline.map(Duration::from_secs);
    // whoever gives an engine minutes for a position has a machine on which it may also take longer to start
    engine.start = engine.start.max(deadline.unwrap_or_default());
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    analyze::Options {
        schema,
        condition: args.condition.clone(),
        games: args.limit,
        engine,
        limit: args.search.limit().unwrap_or(chess_uci::Limit::Nodes(100_000)),
        deadline,
        multipv: args.multipv,
        workers: args.workers.map_or(processors, usize::from),
        plies: args.plies,
        retry: args.retry,
        reproducible: args.reproducible,
        json: args.json,
        puzzles: args.puzzles.then(|| puzzles::Rules {
            player: args.player.clone(),
            min_loss: args.min_loss,
            problems: args.problems,
        }),
    }
}

/// False if a file has wrong puzzles.
fn puzzles(args: &args::Puzzles) -> Result<bool> {
    const STORING: &str = "storing puzzles in";
    if let Some(path) = &args.import {
        let file = puzzles::open(path)?;
        let (mut client, schema) = open_or_create(&args.target, STORING)?;
        let [made, known, wrong] = puzzles::import(&mut client, &schema, path, file, warn)?;
        say!("{made} new puzzles, {known} known, {wrong} wrong");
        return Ok(wrong == 0);
    }
    let verb = if args.export.is_some() { "reading puzzles of" } else { STORING };
    let (mut client, schema) = open(&args.target, verb)?;
    if let Some(path) = &args.export {
        let (written, others) = puzzles::export(&mut client, &schema, path)?;
        tell!("{written} puzzles written");
        if others > 0 {
            tell!("{others} puzzles begin with their game: no move leads to them, which the file needs");
        }
        return Ok(true);
    }
    if args.condition.is_some() {
        door::users_path(&mut client, schema.writing(), warn)?;
    }
    let games = analyze::games(&mut client, &schema, args.condition.as_deref(), None)?;
    let rules = puzzles::Rules { player: args.player.clone(), min_loss: args.min_loss, problems: args.problems };
    say!("{}", puzzles::make(&mut client, &schema, &games, &rules, args.mate_in.into())?);
    Ok(true)
}

/// How long the program waits between two looks at a directory, and after a failure: of a look, of the server, or of reading a
/// file.
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);
const AFTER_FAILURE: Duration = Duration::from_secs(5);

/// Loads the files of a directory as they come, until a signal. A failure ends the program only before the first load has
/// succeeded. After that, the server or the directory may come back.
fn follow(args: &args::Load, directory: &Path) -> Result<()> {
    let interrupt = Interrupt::new()?;
    let mut followed = Followed::new(directory.to_owned());
    let mut has_loaded = false;
    while !interrupt.wanted() {
        let mut rest = BETWEEN_LOOKS;
        let files = match followed.changed(warn).with_context(|| format!("directory {}", directory.display())) {
            Err(error) if !has_loaded => return Err(error),
            Err(error) => {
                warn(&explained(error.as_ref()));
                rest = AFTER_FAILURE;
                Vec::new()
            }
            Ok(files) => files,
        };
        if !files.is_empty() {
            match load(args, &files) {
                Ok((Ended::Done | Ended::Failed, unread)) => {
                    has_loaded = true;
                    if !unread.is_empty() {
                        followed.forget(&unread);
                        rest = AFTER_FAILURE;
                    }
                }
                Err(error) if !has_loaded => return Err(error),
                Ok((Ended::Interrupted, _)) if !has_loaded => bail!("the load has ended early"),
                ended => {
                    ended.err().iter().for_each(|error| warn(&explained(error.as_ref())));
                    followed.forget(&files);
                    rest = AFTER_FAILURE;
                }
            }
        }
        // a signal is not waited for longer than this
        let until = Instant::now() + rest;
        while !interrupt.wanted() && Instant::now() < until {
            thread::sleep(Duration::from_millis(50));
        }
    }
    Ok(())
}

/// Loads files. Returns how the load ended, and which files could not be read now but may be readable later.
fn load(args: &args::Load, files: &[String]) -> Result<(Ended, Vec<String>)> {
    let list = args.players.as_deref().map(NameList::open).transpose()?;
    let mark = list.as_ref().map(players::Mark::of_list);
    let settings = settings(&args.target)?;
    let schema = args.target.schema();
    let mut client = settings.connect()?;
    say_where(&mut client, &schema, "loading into")?;
    create_for(args, list.as_ref().zip(mark.as_ref()), &mut client, &schema)?;
    let options = loading(args, schema);
    let outcome = load::load(&settings, files, &options)?;
    for error in &outcome.errors {
        tell!("chess-pgn: {}", explained(error.as_ref()));
    }
    match args.json {
        true => say!("{{\"finishing\":true}}"),
        false => {
            let condition = options.condition.as_ref();
            output::text(&summary(outcome.count, outcome.time, "stored", condition, &outcome.left_out));
            output::text(&what_to_do(&outcome, &options.schema));
        }
    }
    if !outcome.interrupted {
        index_loaded(args, &settings, &mut client, &options, outcome.count.stored)?;
        // standard output is for the JSON
        let say = |line: &dyn std::fmt::Display| if args.json { tell!("{line}") } else { say!("{line}") };
        if let Some(mark) = mark
            && (outcome.count.stored > 0 || !mark.is_merged(&mut client, &options.schema)?)
        {
            let merging = merges::Options { list, apply: true, ..merges::Options::default() };
            let merged = players::run(&mut client, &options.schema, &merging, |_| ());
            say(&merged.context("the games are loaded, but their players are not merged")?);
            mark.set(&mut client, &options.schema)?;
        }
        if args.twins {
            let found =
                twins::search(&settings, &mut client, &options.schema, twins::Search::New, &Interrupt::default());
            say(&found.context("the games are loaded, but twins were not looked for")?);
        }
    }
    if args.json {
        say!("{}", report(&outcome, options.condition.as_ref()));
    }
    Ok((ended(outcome.interrupted, outcome.errors.is_empty()), outcome.unread))
}

/// Creates the tables for a load. In a new schema, a bad list of players stops the load before anything is created. The list of
/// an earlier load is known to be good.
fn create_for(
    args: &args::Load,
    list: Option<(&NameList, &players::Mark)>,
    client: &mut Client,
    schema: &Schema,
) -> Result<()> {
    let is_new = list.is_some() && !schema.exists(client)?;
    if let Some((list, _)) = list.filter(|_| is_new) {
        players::check_list(list)?;
    }
    create_as(client, schema, &TableOptions { layout: None, shard: args.shard })?;
    schema.check_sequences(client, &relied_on())?;
    match list {
        Some((list, mark)) if !is_new && !mark.is_known(client, schema)? => players::check_list(list),
        _ => Ok(()),
    }
}

/// The options of a load.
fn loading(args: &args::Load, schema: Schema) -> load::shared::Options {
    let processors = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    load::shared::Options {
        schema,
        jobs: args.jobs.map_or(processors, usize::from),
        batch: args.batch as usize * 1024,
        condition: args.condition.clone(),
        keep: Keep {
            whole_only: args.strict,
            annotations: !args.no_annotations,
            clocks: args.clocks,
            evals: args.evals,
        },
        dedupe: args.dedupe || args.changed || args.apart,
        changed: args.changed || args.apart,
        apart: args.apart,
        encoding: args.encoding,
        most: args.most.map(|mib| mib << 20),
        json: args.json,
    }
}

/// Makes the indexes and statistics that are due after a load of this number of games.
fn index_loaded(
    args: &args::Load,
    settings: &Settings,
    client: &mut Client,
    options: &load::shared::Options,
    stored: u64,
) -> Result<()> {
    let report = |line: &str| tell!("{line}");
    options.schema.alone_with_indexes(client, report, |client| {
        options.schema.finish(client, report)?;
        let indexed = match args.index {
            Some(class) => index::index(settings, client, options, class.map(Into::into))?,
            None => false,
        };
        let outgrown = indexed || options.schema.has_outgrown_statistics(client, stored)?;
        if args.analyze || outgrown && !args.no_analyze {
            options.schema.vacuum_analyze(client, report)?;
        }
        anyhow::Ok(())
    })
}

/// The outcome for programs.
fn report(outcome: &load::Outcome, condition: Option<&Condition>) -> serde_json::Value {
    let mut report = outcome.count.json();
    if let Some(condition) = condition {
        let failed = condition.failed(&outcome.left_out);
        report["left_out_by"] =
            failed.map(|(part, games)| serde_json::json!({ "condition": part, "games": games })).collect();
    }
    report["done"] = (!outcome.interrupted).into();
    report["sources"] = outcome.sources.clone().into();
    report["errors"] = outcome.errors.iter().map(|error| explained(error.as_ref())).collect();
    report
}

/// What was read and what became of it; `done` is what happens to games.
fn summary(count: Count, time: Duration, done: &str, condition: Option<&Condition>, left_out: &[u64]) -> String {
    let seconds = time.as_secs_f64();
    let rate = count.read() as f64 / seconds.max(0.001);
    let mut text = format!(
        "{} game{} read in {seconds:.1} s ({rate:.0} games/s): {} {done}, {} of them incomplete, {} rejected, {} duplicates\n",
        count.read(),
        if count.read() == 1 { "" } else { "s" },
        count.stored,
        count.incomplete,
        count.rejected,
        count.duplicates
    );
    if let Some(condition) = condition {
        let why = if count.left_out > 0 { ", because they fail" } else { "" };
        text.push_str(&format!("{} games left out{why}\n", count.left_out));
        for (part, games) in condition.failed(left_out) {
            text.push_str(&format!("{games:>12} {part}\n"));
        }
    }
    text
}

/// What a load has found out besides its counts, and what is left to do.
fn what_to_do(outcome: &load::Outcome, schema: &Schema) -> String {
    let (count, mut text) = (outcome.count, String::new());
    if count.before > 0 {
        text.push_str(&format!("{} games had been loaded before\n", count.before));
    }
    if count.rejected + count.incomplete > 0 {
        text.push_str(&format!("why games were rejected or cut short: SELECT * FROM {}.rejected\n", schema.quoted));
    }
    if outcome.interrupted {
        text.push_str("the load is not complete: run the same command again to go on\n");
    }
    text
}

#[cfg(all(test, not(feature = "parquet")))]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn without_parquet_the_option_says_how_to_get_it() {
        let args = Args::parse_from(["chess-pgn", "export", "--parquet", "games.parquet"]);
        let Command::Export(args) = args.command else { panic!("{args:?}") };
        let refused = export(&args).unwrap_err().to_string();
        assert!(refused.contains("cargo install --locked --path crates/chess-pgn"), "{refused}");
        let mut program = Args::command();
        let export = program.find_subcommand_mut("export").unwrap();
        let help = export.render_long_help().to_string();
        assert!(help.contains("built without Parquet"), "{help}");
    }
}
