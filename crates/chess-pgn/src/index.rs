//! Creates the indexes after a load: those of positions on all partitions in parallel, then all others in sequence.
//!
//! An index of positions takes longest to build, and PostgreSQL before 18 builds a GIN index with a single process, so
//! only partitions make it parallel. The index on the partitioned table then attaches the finished ones. Progress goes
//! to standard error.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::thread;
use std::time::Instant;

use anyhow::{Result, anyhow};
use chess_db::schema::IndexClass;
use chess_db::settings::Settings;
use postgres::Client;

use crate::load::shared::Options;

/// Creates the missing indexes. Without a class, any existing index of positions suffices. Returns whether any was made.
pub fn index(settings: &Settings, client: &mut Client, options: &Options, class: Option<IndexClass>) -> Result<bool> {
    let positions = options.schema.positions(client, class, |line| eprintln!("{line}"))?;
    let mut partitions = match &positions {
        Some(positions) => options.schema.partition_indexes(client, positions)?,
        None => Vec::new(),
    };
    if partitions.len() > 1 && options.jobs > 1 {
        let start = Instant::now();
        let (all, sessions) = (partitions.len(), options.jobs.min(partitions.len()));
        // Sorted by size, and popped from the end: the largest partitions are indexed first.
        partitions.reverse();
        let queue = Mutex::new(partitions);
        thread::scope(|scope| {
            let threads: Vec<_> = (0..sessions).map(|_| scope.spawn(|| build(settings.connect()?, &queue))).collect();
            let mut ended = threads.into_iter().map(|thread| thread.join());
            ended.try_for_each(|ended| ended.unwrap_or_else(|_| Err(anyhow!("a bug in chess-pgn: panic"))))
        })?;
        let time = start.elapsed().as_secs_f64();
        eprintln!("indexed the positions of {all} partitions in {sessions} sessions, {time:.1} s");
    }
    options.schema.index(client, positions, |line| eprintln!("{line}"))
}

/// Builds the queued indexes. After an error the others remain to be built by the next run.
fn build(mut client: Client, queue: &Mutex<Vec<(String, String)>>) -> Result<()> {
    client.batch_execute("SET client_min_messages = warning")?;
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let Some((_, statement)) = next else { return Ok(()) };
        client.batch_execute(&statement)?;
    }
}
