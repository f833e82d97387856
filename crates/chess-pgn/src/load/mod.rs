//! Loads files into the tables and counts every game.
//!
//! One thread reads ([`reader`]): it opens the files in turn, splits them into pieces and skips pieces that are already
//! stored. For each of `jobs` connections two threads turn pieces ([`job`]) into [`rows`] and store them ([`store`]), in
//! [`turns`]: while the server works on a piece, the next one is read.
//! [`state`] tracks whether all pieces of a source are stored. The calling thread shows the [`progress`] of the
//! [`totals`]. Options and errors are [`shared`] by all threads.
//!
//! An unreadable file does not stop the load; a server error or a panic does. In any case committed pieces stay, and
//! the next run continues from there.

pub mod job;
pub mod progress;
mod reader;
pub mod rows;
pub mod shared;
mod state;
pub mod store;
pub mod totals;
mod turns;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};
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
use self::turns::{Turn, Turns};
use crate::output::tell;
use crate::read::source::{self, STDIN};

/// The threads of a connection.
const THREADS: usize = 2;

/// The result of a load.
pub struct Outcome {
    /// The counters.
    pub count: Count,
    /// For each part of the condition, the games that were left out because they fail it; the last parts may be missing.
    pub left_out: Vec<u64>,
    /// The ids of the sources that were read.
    pub sources: Vec<i32>,
    /// How long it took.
    pub time: Duration,
    /// The files that could not be read, but may be later.
    pub unread: Vec<String>,
    /// Files that could not be read, or the reason why the load ended early.
    pub errors: Vec<Error>,
    /// Whether it ended before all files were read.
    pub interrupted: bool,
}

/// Loads files into tables that exist.
pub fn load(settings: &Settings, files: &[String], options: &Options) -> Result<Outcome> {
    let mut reader_client = settings.connect()?;
    if options.dedupe {
        options.schema.index_for_duplicates(&mut reader_client, |line| tell!("{line}"))?;
    }
    // A duplicate is compared with stored games only. One job stores in order, so the first of equal games stays.
    let jobs = if options.dedupe { 1 } else { options.jobs };
    let shared = Shared::default();
    let directory = Directory::default();
    let (sender, receiver) = sync_channel::<Job>(jobs);
    let receiver = Arc::new(Mutex::new(receiver));
    let mut storers = Vec::new();
    for _ in 0..jobs {
        let storer = Storer::new(settings.connect()?, options, &directory, &shared)?;
        storers.push((Mutex::new(storer), Turns::default()));
    }
    let known = files.iter().all(|name| name != STDIN);
    let total = known.then(|| files.iter().map(|name| source::size(name)).sum());
    let mut progress = Progress::new(total, options.json);
    thread::scope(|scope| {
        let shared = &shared;
        let mut threads = Vec::new();
        for (storer, turns) in storers.iter().flat_map(|storer| [storer; THREADS]) {
            let receiver = Arc::clone(&receiver);
            let mut condition = options.condition.clone();
            threads.push(scope.spawn(move || {
                let store = |job, turn: &Turn<'_>| store::store(storer, job, turn, options, condition.as_mut());
                store_all(&receiver, shared, turns, store);
            }));
        }
        // Only the threads hold the receiver: when they have ended, sending fails.
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
    drop(storers);
    let count = shared.totals.count();
    progress.tick(count);
    let (interrupted, sources, left_out) = (shared.stopped(), shared.sources(), shared.totals.left_out());
    let (time, unread) = (progress.finish(), shared.unread());
    Ok(Outcome { count, left_out, sources, time, unread, errors: shared.into_errors(), interrupted })
}

/// Stores jobs until the channel closes. After the load has stopped, jobs are dropped, which marks their sources as
/// failed.
fn store_all(
    receiver: &Mutex<Receiver<Job>>,
    shared: &Shared,
    turns: &Turns,
    mut store: impl FnMut(Job, &Turn<'_>) -> Result<()>,
) {
    while let Some((job, turn)) = turns.receive(receiver) {
        if shared.stopped() {
            continue;
        }
        match catch_unwind(AssertUnwindSafe(|| store(job, &turn))) {
            Ok(Ok(())) => (),
            Ok(Err(error)) => shared.fail(error),
            Err(panic) => shared.fail(told(&*panic)),
        }
    }
}

/// A panic as an error.
pub fn told(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    anyhow!("a bug in chess-pgn: {}", text.unwrap_or("panic"))
}

#[cfg(test)]
mod tests {
    use std::sync::Condvar;

    use super::state::{Input, State};
    use super::*;
    use crate::read::split::Piece;

    /// Sends `pieces` pieces, stores them with `store`, two threads with each of `turns`, and returns the final state of their
    /// source and the errors.
    fn run(
        pieces: usize,
        turns: &[Turns],
        store: impl Fn(&Input, Job, &Turn<'_>) -> Result<()> + Copy + Send,
    ) -> (State, Vec<String>) {
        let input = Arc::new(Input::new(1));
        let shared = Shared::default();
        let (sender, receiver) = sync_channel::<Job>(turns.len());
        let receiver = Arc::new(Mutex::new(receiver));
        let settled = thread::scope(|scope| {
            for turns in turns.iter().flat_map(|turns| [turns; THREADS]) {
                let (receiver, input, shared) = (Arc::clone(&receiver), &input, &shared);
                scope.spawn(move || store_all(&receiver, shared, turns, |job, turn| store(input, job, turn)));
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
        let store = |input: &Input, job: Job, _: &Turn<'_>| {
            if job.number == 7 {
                panic!("at piece {}", job.number);
            }
            // the others wait for the number of games in earlier pieces, which will never be known
            let number = job.number;
            if number < 7 {
                input.holds(number, 1);
            } else if input.games_before(number).is_none() {
                anyhow::bail!("an earlier piece is lost");
            }
            job.stored();
            Ok(())
        };
        let (state, errors) = run(20, &[(); 4].map(|()| Turns::default()), store);
        assert_eq!(state, State::Failed);
        assert_eq!(errors.len(), 1);
        let text = &errors[0];
        assert!(text == "a bug in chess-pgn: at piece 7" || text == "an earlier piece is lost", "{text}");
    }

    #[test]
    fn all_pieces_are_stored() {
        let (state, errors) = run(50, &[(); 3].map(|()| Turns::default()), |_, job, _| {
            job.stored();
            Ok(())
        });
        assert_eq!((state, errors), (State::Done { whole: true }, vec![]));
    }

    #[test]
    fn a_connection_stores_in_order_and_reads_ahead() {
        // Each piece but the last is stored only once the next one is read.
        let read = (Mutex::new(0), Condvar::new());
        let stored = Mutex::new(Vec::new());
        let store = |_: &Input, job: Job, turn: &Turn<'_>| {
            *read.0.lock().unwrap() += 1;
            read.1.notify_all();
            turn.wait();
            let next = (job.number + 2).min(40);
            drop(read.1.wait_while(read.0.lock().unwrap(), |read| *read < next).unwrap());
            stored.lock().unwrap().push(job.number);
            job.stored();
            Ok(())
        };
        let (state, errors) = run(40, &[Turns::default()], store);
        assert_eq!((state, errors), (State::Done { whole: true }, vec![]));
        assert_eq!(*stored.lock().unwrap(), Vec::from_iter(0..40));
    }
}
