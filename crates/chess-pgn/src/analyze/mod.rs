//! Positions of stored games through engines, into the table `analysis`.
//!
//! Each of the `workers` threads has a connection and an engine process of its own. It claims a game by an advisory lock,
//! so that any number of programs on any number of machines can work on one database; what is stored already ([`store`]) is
//! not asked again, whichever game it was asked for; the rest is, from the end of the game backwards ([`worker`]), for
//! a hash table that knows the end helps with what leads there. There is no table of jobs: to go on, run the same again.
//!
//! The calling thread shows the [`progress`].

mod progress;
mod question;
mod store;
mod worker;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result, anyhow};
use chess_db::schema::Schema;
use chess_db::settings::Settings;
use chess_uci::{Limit, Supervisor};
use postgres::Client;
use postgres::fallible_iterator::FallibleIterator as _;

use self::progress::Progress;
use self::worker::Worker;
use crate::export::refused;
use crate::interrupt::Interrupt;

/// What a user asks for.
#[derive(Debug)]
pub struct Options {
    /// Where the tables are.
    pub schema: Schema,
    /// A condition on the columns of `pgn_view`.
    pub condition: Option<String>,
    /// The most games.
    pub games: Option<u64>,
    /// How the engine is run.
    pub engine: chess_uci::Settings,
    /// How long it searches.
    pub limit: Limit,
    /// When a search is late, if not after the time that the limit gives.
    pub deadline: Option<Duration>,
    /// How many lines are wanted.
    pub multipv: u32,
    /// How many engines.
    pub workers: usize,
    /// The first and the last position of each game, in half-moves.
    pub plies: (u32, u32),
    /// Whether what has failed or was stopped is asked again.
    pub retry: bool,
    /// Whether the engine forgets everything before each position.
    pub reproducible: bool,
}

/// How far it is, over all workers.
#[derive(Debug, Default)]
pub struct Counters {
    /// Games gone through.
    pub games: AtomicU64,
    /// Games that others have in work, or that are gone.
    pub passed: AtomicU64,
    /// Positions asked.
    pub asked: AtomicU64,
    /// Positions known before.
    pub known: AtomicU64,
    /// Positions without an answer, of those asked.
    pub failed: AtomicU64,
    /// Microseconds that engines were waited for.
    pub busy: AtomicU64,
    /// Microseconds from the start to where there was no game left, over all workers.
    pub worked: AtomicU64,
}

impl Counters {
    fn add(counter: &AtomicU64, n: u64) {
        counter.fetch_add(n, Ordering::Relaxed);
    }
}

/// What all workers know.
struct Shared<'a> {
    options: &'a Options,
    games: Vec<i64>,
    next: AtomicUsize,
    counters: Counters,
    interrupt: &'a Interrupt,
    stop: AtomicBool,
    errors: Mutex<Vec<Error>>,
    /// What the engine calls itself.
    engine: Mutex<Option<String>>,
}

impl Shared<'_> {
    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.interrupt.wanted()
    }

    fn next(&self) -> Option<i64> {
        if self.stopped() {
            return None;
        }
        self.games.get(self.next.fetch_add(1, Ordering::Relaxed)).copied()
    }

    /// The first error is the cause; the others follow from it.
    fn fail(&self, error: Error) {
        if !self.stop.swap(true, Ordering::Relaxed) {
            self.errors.lock().unwrap_or_else(PoisonError::into_inner).push(error);
        }
    }
}

/// What came of it.
pub struct Outcome {
    counters: Counters,
    games: usize,
    workers: usize,
    engine: Option<String>,
    time: Duration,
    /// Why it ended early.
    pub error: Option<Error>,
    /// Whether the user has ended it.
    pub interrupted: bool,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (seconds, counters) = (self.time.as_secs_f64(), &self.counters);
        let share = 100.0 * get(&counters.busy) as f64 / get(&counters.worked).max(1) as f64;
        if let Some(engine) = &self.engine {
            writeln!(f, "{engine}")?;
        }
        write!(
            f,
            "{} of {} games: {} positions asked, {} known, {} failed in {seconds:.1} s",
            get(&counters.games),
            self.games,
            get(&counters.asked),
            get(&counters.known),
            get(&counters.failed)
        )?;
        if get(&counters.asked) > 0 {
            write!(f, "; engines had {share:.1} % of the time of {} workers", self.workers)?;
        }
        if get(&counters.passed) > 0 {
            write!(f, "\n{} games were in work elsewhere, or are gone", get(&counters.passed))?;
        }
        // an engine that has not even started will not do so the next time
        let has_begun = get(&counters.asked) + get(&counters.known) > 0;
        if self.interrupted || self.error.is_some() && has_begun {
            write!(f, "\nthe analysis is not complete: run the same command again to go on")?;
        }
        Ok(())
    }
}

/// The numbers of the games that the user asks for, the last loaded first.
fn games(client: &mut Client, options: &Options) -> Result<Vec<i64>> {
    let condition = options.condition.as_deref().unwrap_or("true");
    let limit = options.games.map(|games| format!("LIMIT {games}")).unwrap_or_default();
    let query =
        format!("SELECT id FROM {}.pgn_view WHERE (\n{condition}\n) ORDER BY id DESC {limit}", options.schema.quoted);
    // row by row: there may be a hundred million
    let rows = client.query_raw::<_, &str, _>(&query, []).map_err(refused)?;
    rows.map(|row| Ok(row.get(0))).collect().context("cannot query the games")
}

/// Goes through the games. `client` is the user's own session, in which the condition is read.
pub fn analyze(client: &mut Client, settings: &Settings, options: &Options, interrupt: &Interrupt) -> Result<Outcome> {
    let games = games(client, options)?;
    let workers = options.workers.min(games.len()).max(1);
    let shared = Shared {
        options,
        games,
        next: AtomicUsize::new(0),
        counters: Counters::default(),
        interrupt,
        stop: AtomicBool::new(false),
        errors: Mutex::default(),
        engine: Mutex::default(),
    };
    let mut clients = Vec::new();
    for _ in 0..workers {
        clients.push(settings.connect()?);
    }
    let start = Instant::now();
    let mut progress = Progress::new(shared.games.len() as u64);
    thread::scope(|scope| {
        let shared = &shared;
        let mut threads = Vec::new();
        for client in clients {
            threads.push(scope.spawn(move || {
                let mut supervisor = Supervisor::new(shared.options.engine.clone());
                let start = Instant::now();
                let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    Worker::new(client, shared, &mut supervisor).and_then(|mut worker| worker.work())
                }));
                Counters::add(&shared.counters.worked, start.elapsed().as_micros() as u64);
                Counters::add(&shared.counters.busy, supervisor.busy().as_micros() as u64);
                match worked {
                    Ok(Ok(())) => (),
                    Ok(Err(error)) => shared.fail(error),
                    Err(_) => shared.fail(anyhow!("a defect of chess-pgn")),
                }
            }));
        }
        while !threads.iter().all(thread::ScopedJoinHandle::is_finished) {
            progress.tick(&shared.counters, interrupt.wanted());
            thread::sleep(Duration::from_millis(20));
        }
    });
    progress.finish();
    let error = shared.errors.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().next();
    Ok(Outcome {
        counters: shared.counters,
        games: shared.games.len(),
        workers,
        engine: shared.engine.into_inner().unwrap_or_else(PoisonError::into_inner),
        time: start.elapsed(),
        error,
        interrupted: interrupt.wanted(),
    })
}

/// How much of what the user asks for is stored: games and positions, nothing is asked.
pub fn status(client: &mut Client, settings: &Settings, options: &Options) -> Result<String> {
    let games = games(client, options)?;
    let mut client = settings.connect()?;
    let mut supervisor = Supervisor::new(options.engine.clone());
    let name = worker::engine_name(&mut supervisor, options, &|| false)?;
    let mut store = store::Store::new(&mut client, options, &name)?;
    let (mut done, mut stored, mut open) = (0, 0, 0);
    for id in &games {
        let Some(game) = store.game(*id)? else { continue };
        let questions = question::questions(&game, options.plies).with_context(|| format!("game {id}"))?;
        let known = store.known(&questions)?;
        let missing = known.iter().filter(|known| !**known).count();
        stored += known.len() - missing;
        open += missing;
        done += usize::from(missing == 0);
    }
    Ok(format!(
        "{name}, {}, {} {}\n{done} of {} games done; {stored} positions stored, {open} open",
        options.limit,
        options.multipv,
        if options.multipv == 1 { "line" } else { "lines" },
        games.len()
    ))
}
