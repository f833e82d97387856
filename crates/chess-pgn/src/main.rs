//! The command `chess-pgn`: PGN files into PostgreSQL and back.
//!
//! A game's way in: [`source`] unpacks, [`split`] cuts between games, [`encoding`] and [`parse`] read,
//! [`record`] sorts tags into columns, [`store`] sends [`rows`]; [`load`] runs it all. Its way out is
//! [`export`]. [`schema`] makes the tables. Bytes of games are made by `chess_core` alone.
//!
//! # The reader of PGN
//!
//! Games are read by [`chess_core::text::read_pgn`], not by a reader of streams such as `pgn-reader`: it goes on
//! after a broken game without loss, hands out the text of what it rejects, and is the reader that
//! the extension's `pgngames` has, so that one PGN gives the same games on every way. It reads a text
//! in memory; [`split`] cuts a stream of any size into texts of some MiB between games.

#![forbid(unsafe_code)]

mod args;
mod connection;
mod dates;
mod encoding;
mod export;
mod ledger;
mod load;
mod names;
mod ocgdb;
mod parse;
mod progress;
mod record;
mod rows;
mod schema;
mod source;
mod split;
mod store;
mod totals;

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use args::{Args, Command};
use record::Keep;
use schema::Schema;

fn main() -> ExitCode {
    let done = match Args::parse().command {
        Command::Load(args) => load(&args),
        Command::Export(args) => export::export(&args.target, args.condition.as_deref()).map(|()| true),
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

/// True if every game of every file is stored, or recorded as rejected.
fn load(args: &args::Load) -> Result<bool> {
    let config = connection::config(args.target.database.as_deref())?;
    let schema = Schema::new(&args.target.schema);
    let mut client = connection::connect(&config)?;
    schema.create(&mut client)?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let options = load::Options {
        schema,
        jobs: args.jobs.map_or(processors, usize::from),
        batch: args.batch as usize * 1024,
        keep: Keep { clocks: args.clocks, evals: args.evals },
        dedupe: args.dedupe,
        encoding: args.encoding,
    };
    let outcome = load::load(&config, &args.files, &options)?;
    for error in &outcome.errors {
        eprintln!("chess-pgn: {error:#}");
    }
    let complete = outcome.errors.is_empty();
    if complete {
        options.schema.finish(&mut client)?;
        if args.index {
            options.schema.index(&mut client, |line| eprintln!("{line}"))?;
        }
    }
    // Whether anybody reads it does not change what has been stored.
    let _ = io::stdout().write_all(summary(&outcome, &options.schema).as_bytes());
    Ok(complete)
}

fn summary(outcome: &load::Outcome, schema: &Schema) -> String {
    let (count, seconds) = (outcome.count, outcome.time.as_secs_f64());
    let rate = count.read() as f64 / seconds.max(0.001);
    let mut text = format!(
        "{} games read in {seconds:.1} s ({rate:.0} games/s): {} stored, {} rejected, {} duplicates\n",
        count.read(),
        count.stored,
        count.rejected,
        count.duplicates
    );
    if count.before > 0 {
        text.push_str(&format!("{} games had been loaded before\n", count.before));
    }
    if count.rejected > 0 {
        text.push_str(&format!("why games were rejected: SELECT * FROM {}.rejected\n", schema.quoted));
    }
    if !outcome.errors.is_empty() {
        text.push_str("the load is not complete: run the same command again to go on\n");
    }
    text
}
