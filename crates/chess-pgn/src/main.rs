//! The command `chess-pgn`: PGN files into PostgreSQL and back.
//!
//! The path of a game: [`read`] unpacks files, cuts them between games and reads the games; [`load`] runs that in
//! threads and sends rows to the server, and [`index`] makes its indexes. The way out is [`export`]; [`unload`] removes a file. How a server is
//! reached, and the tables, are in the crate `chess-db`. Only `chess_core` makes the bytes of games.
//!
//! # The reader of PGN
//!
//! Games are read by [`chess_core::text::read_pgn`], not by a stream reader such as `pgn-reader`: it continues
//! after a broken game without loss, returns the text of what it rejects, and is the reader behind
//! the extension's `pgngames`, so the same PGN gives the same games either way. It reads a text
//! in memory; [`read::split`] cuts a stream of any size into texts of some MiB between games.

#![forbid(unsafe_code)]

mod args;
mod export;
mod index;
mod load;
mod read;
mod unload;

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Result, bail};
use chess_db::schema::{Made, Schema, VERSION, Wanted};
use chess_db::settings::Settings;
use clap::Parser;
use postgres::Client;

use args::{Args, Command, Target};
use read::record::Keep;

fn main() -> ExitCode {
    let done = match Args::parse().command {
        Command::Load(args) => load(&args),
        Command::Unload(args) => unload(&args).map(|()| true),
        Command::Export(args) => export(&args).map(|()| true),
        Command::Migrate(args) => migrate(&args).map(|()| true),
        Command::Schema(args) => tables(&args).map(|()| true),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("chess-pgn: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn settings(target: &Target) -> Result<Settings> {
    Settings::new(target.database.as_deref(), "chess-pgn")
}

/// Says where something is done before it is done, so that a forgotten -d is noticed.
fn say_where(client: &mut Client, schema: &Schema, verb: &str) -> Result<()> {
    let row = client
        .query_one("SELECT pg_catalog.current_database()::pg_catalog.text, current_user::pg_catalog.text", &[])?;
    let (database, user): (&str, &str) = (row.get(0), row.get(1));
    eprintln!("{verb} database {database}, schema {}, as {user}", schema.name);
    Ok(())
}

/// Creates the tables, or upgrades them.
fn create(client: &mut Client, schema: &Schema, wanted: &Wanted) -> Result<()> {
    if let Made::MovedOn(version) = schema.create_as(client, wanted)? {
        eprintln!("schema {} was of version {version} and is now of version {VERSION}", schema.name);
    }
    Ok(())
}

fn migrate(args: &args::Migrate) -> Result<()> {
    let schema = Schema::new(&args.target.schema);
    let mut client = settings(&args.target)?.connect()?;
    say_where(&mut client, &schema, "moving on")?;
    if !schema.exists(&mut client)? {
        bail!("schema {} holds no tables of chess-pgn", schema.name);
    }
    create(&mut client, &schema, &Wanted::default())?;
    println!("schema {} is of version {VERSION}", schema.name);
    Ok(())
}

fn tables(args: &args::Tables) -> Result<()> {
    let schema = Schema::new(&args.target.schema);
    let mut client = settings(&args.target)?.connect()?;
    say_where(&mut client, &schema, "making tables in")?;
    create(&mut client, &schema, &Wanted { layout: args.partition_by.clone(), shard: args.shard })?;
    println!("schema {} is of version {VERSION}", schema.name);
    Ok(())
}

fn unload(args: &args::Unload) -> Result<()> {
    let schema = Schema::new(&args.target.schema);
    let mut client = settings(&args.target)?.connect()?;
    say_where(&mut client, &schema, "taking back from")?;
    if !schema.exists(&mut client)? {
        bail!("schema {} holds no tables of chess-pgn", schema.name);
    }
    create(&mut client, &schema, &Wanted::default())?;
    unload::unload(&mut client, &schema, &args.files, &args.source, |line| println!("{line}"))
}

fn export(args: &args::Export) -> Result<()> {
    let mut client = settings(&args.target)?.connect()?;
    let schema = Schema::new(&args.target.schema);
    export::export(&mut client, &schema, args.condition.as_deref(), args.order.as_deref())
}

/// True if every game of every file is stored, or recorded as rejected.
fn load(args: &args::Load) -> Result<bool> {
    let settings = settings(&args.target)?;
    let schema = Schema::new(&args.target.schema);
    let mut client = settings.connect()?;
    say_where(&mut client, &schema, "loading into")?;
    create(&mut client, &schema, &Wanted { layout: None, shard: args.shard })?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let options = load::shared::Options {
        schema,
        jobs: args.jobs.map_or(processors, usize::from),
        batch: args.batch as usize * 1024,
        keep: Keep { whole_only: args.strict, clocks: args.clocks, evals: args.evals },
        dedupe: args.dedupe || args.changed,
        changed: args.changed,
        encoding: args.encoding,
    };
    let outcome = load::load(&settings, &args.files, &options)?;
    for error in &outcome.errors {
        eprintln!("chess-pgn: {error:#}");
    }
    // Whether anybody reads it does not change what has been stored.
    let _ = io::stdout().write_all(summary(&outcome, &options.schema).as_bytes());
    if !outcome.interrupted {
        options.schema.finish(&mut client, |line| eprintln!("{line}"))?;
        if let Some(class) = args.index {
            index::index(&settings, &mut client, &options, class.into())?;
        }
    }
    Ok(outcome.errors.is_empty())
}

fn summary(outcome: &load::Outcome, schema: &Schema) -> String {
    let (count, seconds) = (outcome.count, outcome.time.as_secs_f64());
    let rate = count.read() as f64 / seconds.max(0.001);
    let mut text = format!(
        "{} games read in {seconds:.1} s ({rate:.0} games/s): {} stored, {} of them incomplete, {} rejected, {} duplicates\n",
        count.read(),
        count.stored,
        count.incomplete,
        count.rejected,
        count.duplicates
    );
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
