//! Creates the indexes after a load: those of positions on all partitions, then all others, in several sessions at the same
//! time.
//!
//! An index of positions takes longest to build, so partitions are indexed in as many sessions as there are jobs; the index
//! on the partitioned table then attaches the finished ones. On a plain table the index of positions takes longer than all
//! others together, and has the server's workers, so two sessions are enough. Progress goes to standard error.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Result, anyhow};
use chess_db::errors::explained;
use chess_db::schema::IndexClass;
use chess_db::settings::Settings;
use postgres::Client;

use crate::load::shared::Options;
use crate::output::tell;

/// Most sessions for the indexes of a plain table. Each takes `maintenance_work_mem`.
const SIDE_BY_SIDE: usize = 2;
/// Sets the most workers for an index, unless the server allows fewer.
const LIMIT_WORKERS: &str = "SELECT pg_catalog.set_config(name, least(setting::int, $1)::text, false) \
    FROM pg_catalog.pg_settings WHERE name = 'max_parallel_maintenance_workers'";

/// Creates the missing indexes. Without a class, any existing index of positions suffices. Returns whether any was made.
pub fn index(settings: &Settings, client: &mut Client, options: &Options, class: Option<IndexClass>) -> Result<bool> {
    let report = |line: &str| tell!("{line}");
    let (schema, jobs) = (&options.schema, options.jobs);
    let positions = schema.positions(client, class, report)?;
    let partitions = match &positions {
        Some(positions) => schema.partition_indexes(client, positions)?,
        None => Vec::new(),
    };
    if partitions.len() > 1 && jobs > 1 {
        let (start, all) = (Instant::now(), partitions.len());
        // The jobs share the processors already: each index has only the workers for which there are jobs left.
        let workers = jobs / jobs.min(all) - 1;
        let sessions = in_sessions(settings, client, jobs, partitions, |client, partition| {
            client.execute(LIMIT_WORKERS, &[&(workers as i32)])?;
            schema.index_partition(client, &partition, report)
        })?;
        client.batch_execute("RESET max_parallel_maintenance_workers")?;
        let time = start.elapsed().as_secs_f64();
        tell!("indexed the positions of {all} partitions in {sessions} sessions, {time:.1} s");
    }
    let missing = schema.missing_indexes(client, positions, report)?;
    let (all, done) = (missing.len(), AtomicUsize::new(0));
    in_sessions(settings, client, jobs.min(SIDE_BY_SIDE), missing, |client, index| {
        let said = schema.create_index(client, &index, false, report)?;
        tell!("index {} of {all}: {said}", 1 + done.fetch_add(1, Ordering::Relaxed));
        Ok(())
    })?;
    Ok(all > 0)
}

/// Runs `run` with each item, in this session and, as far as the server admits them, in others, at most `most` in all.
/// Returns the number of sessions. After an error nothing else is begun; what is left is for the next run.
fn in_sessions<T: Send>(
    settings: &Settings,
    client: &mut Client,
    most: usize,
    items: Vec<T>,
    run: impl Fn(&mut Client, T) -> Result<()> + Sync,
) -> Result<usize> {
    let sessions = most.min(items.len()).max(1);
    let queue = Mutex::new(items.into_iter());
    let work = |client: &mut Client| {
        client.batch_execute("SET client_min_messages = warning")?;
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(item) = next else { return Ok(()) };
            run(client, item).inspect_err(|_| {
                queue.lock().unwrap_or_else(PoisonError::into_inner).by_ref().for_each(drop);
            })?;
        }
    };
    let admitted = AtomicUsize::new(1);
    let other = || match settings.connect() {
        Ok(mut client) => {
            admitted.fetch_add(1, Ordering::Relaxed);
            work(&mut client)
        }
        Err(error) => {
            tell!("the server admits no other session for indexes: {}", explained(error.as_ref()));
            Ok(())
        }
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..sessions).map(|_| scope.spawn(other)).collect();
        let own = work(client);
        others.into_iter().fold(own, |before, ended| {
            before.and(ended.join().unwrap_or_else(|_| Err(anyhow!("a bug in chess-pgn: panic"))))
        })
    })?;
    Ok(admitted.into_inner())
}
