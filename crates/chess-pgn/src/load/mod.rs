//! A load: turns files into rows, and counts every game.
//!
//! One thread reads ([`reader`]): it opens one file after the other, takes it apart and skips the pieces
//! that are already stored. `jobs` threads, each with its connection, turn pieces ([`job`]) into [`rows`]
//! and store them ([`store`]). What becomes of a source is its [`state`]. The calling thread shows the
//! [`progress`] of the [`totals`]. What all of them know is in [`shared`].
//!
//! A file that cannot be read stops no other; a server that fails stops the load, and so does a panic. Whatever stops
//! it, what is committed counts, and the next run continues from there.

mod job;
mod progress;
mod reader;
pub mod rows;
pub mod shared;
mod state;
mod store;
pub mod totals;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Error, Result, anyhow};
use chess_db::names::Directory;
use chess_db::settings::Settings;

use self::job::Job;
use self::progress::Progress;
use self::reader::Reader;
use self::shared::{Options, Shared};
use self::store::Storer;
use self::totals::Count;
use crate::read::source::{self, STDIN};

/// What came of it.
pub struct Outcome {
    /// The counters.
    pub count: Count,
    /// How long it took.
    pub time: Duration,
    /// What could not be read, or why the load ended early.
    pub errors: Vec<Error>,
    /// Whether it ended before all files had been looked at: the next run has more to do.
    pub interrupted: bool,
}

/// Loads files into tables that exist.
pub fn load(settings: &Settings, files: &[String], options: &Options) -> Result<Outcome> {
    let mut reader_client = settings.connect()?;
    if options.dedupe {
        options.schema.index_for_duplicates(&mut reader_client)?;
    }
    // Equal games are searched for among those before, so the first of them is the one that stays.
    let jobs = if options.dedupe { 1 } else { options.jobs };
    let shared = Shared::default();
    let directory = Directory::default();
    let (sender, receiver) = sync_channel::<Job>(jobs);
    let receiver = Arc::new(Mutex::new(receiver));
    let mut storers = Vec::new();
    for _ in 0..jobs {
        storers.push(Storer::new(settings.connect()?, options, &directory, &shared.totals)?);
    }
    let known = files.iter().all(|name| name != STDIN);
    let mut progress = Progress::new(known.then(|| files.iter().map(|name| source::size(name)).sum()));
    thread::scope(|scope| {
        let shared = &shared;
        let mut threads = Vec::new();
        for mut storer in storers {
            let receiver = Arc::clone(&receiver);
            threads.push(scope.spawn(move || store_all(&receiver, shared, |job| storer.store(job))));
        }
        // The threads alone keep it: when they have ended, the reader's channel is closed.
        drop(receiver);
        threads.push(scope.spawn(move || {
            let mut reader = Reader::new(&mut reader_client, options, shared, sender);
            let read = catch_unwind(AssertUnwindSafe(|| reader.read_all(files)));
            read.unwrap_or_else(|panic| shared.fail(told(&*panic)));
        }));
        while !threads.iter().all(thread::ScopedJoinHandle::is_finished) {
            progress.tick(shared.totals.count());
            thread::sleep(Duration::from_millis(50));
        }
    });
    let count = shared.totals.count();
    progress.tick(count);
    let interrupted = shared.stopped();
    Ok(Outcome { count, time: progress.finish(), errors: shared.into_errors(), interrupted })
}

/// Stores what comes until nothing more comes; once the load stops, what comes is dropped, and so lost.
fn store_all(receiver: &Mutex<Receiver<Job>>, shared: &Shared, mut store: impl FnMut(Job) -> Result<()>) {
    loop {
        let job = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { break };
        if shared.stopped() {
            continue;
        }
        match catch_unwind(AssertUnwindSafe(|| store(job))) {
            Ok(Ok(())) => (),
            Ok(Err(error)) => shared.fail(error),
            Err(panic) => shared.fail(told(&*panic)),
        }
    }
}

/// A panic as an error.
fn told(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    anyhow!("a defect of chess-pgn: {}", text.unwrap_or("panic"))
}

#[cfg(test)]
mod tests {
    use super::state::{Input, State};
    use super::*;
    use crate::read::split::Piece;

    /// So many pieces are sent while `store` stores them: what becomes of their source.
    fn run(pieces: usize, threads: usize, store: fn(&Input, Job) -> Result<()>) -> (State, Vec<String>) {
        let input = Arc::new(Input::new(1));
        let shared = Shared::default();
        let (sender, receiver) = sync_channel::<Job>(threads);
        let receiver = Arc::new(Mutex::new(receiver));
        let settled = thread::scope(|scope| {
            for _ in 0..threads {
                let (receiver, input, shared) = (Arc::clone(&receiver), &input, &shared);
                scope.spawn(move || store_all(&receiver, shared, |job| store(input, job)));
            }
            drop(receiver);
            for number in 0..pieces {
                let piece =
                    Piece { start: 0, end: 1, lines_before: 0, lines: 0, bytes: vec![], oversize: false, last: false };
                if sender.send(Job::new(&input, number, job::Content::Pgn(piece))).is_err() {
                    break;
                }
            }
            input.read(!shared.stopped());
            drop(sender);
            input.settled()
        });
        (settled, shared.into_errors().iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_panic_ends_the_load_and_nobody_waits() {
        let store = |input: &Input, job: Job| {
            if job.number == 7 {
                panic!("at piece {}", job.number);
            }
            // the others wait for the number of games before theirs, which will never be known
            let number = job.number;
            if number < 7 {
                input.holds(number, 1);
            } else if input.games_before(number).is_none() {
                anyhow::bail!("an earlier piece is lost");
            }
            job.stored();
            Ok(())
        };
        let (state, errors) = run(20, 4, store);
        assert_eq!(state, State::Failed);
        assert_eq!(errors.len(), 1);
        let text = &errors[0];
        assert!(text == "a defect of chess-pgn: at piece 7" || text == "an earlier piece is lost", "{text}");
    }

    #[test]
    fn all_pieces_are_stored() {
        let (state, errors) = run(50, 3, |_, job| {
            job.stored();
            Ok(())
        });
        assert_eq!((state, errors), (State::Done { whole: true }, vec![]));
    }
}
