//! Has engines analyze the positions of stored games, and stores the results in the table `analysis`.
//!
//! Each of the `workers` threads has its own connection and engine process. A worker claims a game by an advisory lock,
//! so any number of programs on any number of machines can share one database. It skips positions whose analysis is
//! already stored ([`store`]), also when it was stored for another game. The others it analyzes from the end of the
//! game backwards ([`worker`]), because a hash table filled by later positions helps with earlier ones. There is no
//! table of jobs: an interrupted analysis continues when the same command runs again.
//!
//! The calling thread shows the [`progress`]. [`exact`] has endgame tables instead of an
//! engine, [`import`] evaluations from elsewhere.

pub mod exact;
pub mod import;
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
use chess_db::errors::explained;
use chess_db::schema::Schema;
use chess_db::settings::Settings;
use chess_uci::{Limit, Supervisor};
use postgres::Client;
use postgres::fallible_iterator::FallibleIterator as _;
use serde_json::{Value, json};

use self::progress::Progress;
use self::worker::Worker;
use crate::export::Selection;
use crate::interrupt::Interrupt;
use crate::puzzles::Rules;

/// The options of an analysis.
#[derive(Debug)]
pub struct Options {
    /// The schema with the tables.
    pub schema: Schema,
    /// A condition on the columns of `pgn_view`.
    pub condition: Option<String>,
    /// The maximum number of games.
    pub games: Option<u64>,
    /// How the engine is run.
    pub engine: chess_uci::Settings,
    /// How long the engine searches each position.
    pub limit: Limit,
    /// When a search counts as overdue; the default depends on the limit.
    pub deadline: Option<Duration>,
    /// The number of lines (principal variations) per position.
    pub multipv: u32,
    /// The number of engines, each with a thread of its own.
    pub workers: usize,
    /// The first and the last half-move after which positions are analyzed.
    pub plies: (u32, u32),
    /// Whether positions are analyzed again whose analysis failed or was stopped.
    pub retry: bool,
    /// Whether the engine clears its state before each position.
    pub reproducible: bool,
    /// Whether the progress is reported as lines of JSON on standard output.
    pub json: bool,
    /// Which puzzles the engine is asked about, with two lines.
    pub puzzles: Option<Rules>,
}

/// Progress, summed over all workers.
#[derive(Debug, Default)]
pub struct Counters {
    /// Games completed.
    pub games: AtomicU64,
    /// Games skipped because another session analyzes them, they are deleted, or they cannot be decoded.
    pub passed: AtomicU64,
    /// Positions sent to an engine.
    pub asked: AtomicU64,
    /// Positions whose analysis was already stored.
    pub known: AtomicU64,
    /// Positions for which the engine failed.
    pub failed: AtomicU64,
    /// Microseconds spent waiting for engines.
    pub busy: AtomicU64,
    /// Microseconds that all workers ran.
    pub worked: AtomicU64,
}

impl Counters {
    fn add(counter: &AtomicU64, n: u64) {
        counter.fetch_add(n, Ordering::Relaxed);
    }

    /// The counts as JSON for programs. `games` is the number of games to analyze.
    fn json(&self, games: u64) -> Value {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let searched = get(&self.asked);
        json!({
            "positions": searched + get(&self.known), "searched": searched, "failed": get(&self.failed),
            "games": get(&self.games) + get(&self.passed), "of": games
        })
    }
}

/// State shared by all workers.
struct Shared<'a> {
    options: &'a Options,
    games: Vec<i64>,
    next: AtomicUsize,
    counters: Counters,
    interrupt: &'a Interrupt,
    stop: AtomicBool,
    errors: Mutex<Vec<Error>>,
    /// The name that the engine reports.
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

/// The result of a run.
pub struct Outcome {
    counters: Counters,
    games: usize,
    workers: usize,
    engine: Option<String>,
    time: Duration,
    /// The error that ended the run early.
    pub error: Option<Error>,
    /// Whether the user interrupted the run.
    pub interrupted: bool,
}

impl Outcome {
    /// The outcome as JSON for programs.
    pub fn json(&self) -> Value {
        let mut report = self.counters.json(self.games as u64);
        report["done"] = (!self.interrupted && self.error.is_none()).into();
        report["error"] = self.error.as_ref().map(|error| explained(error.as_ref())).into();
        report
    }
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
            "{} of {} games: {} positions analyzed, {} known, {} failed in {seconds:.1} s",
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
            write!(
                f,
                "\n{} games were skipped: another session analyzes them, or they cannot be read",
                get(&counters.passed)
            )?;
        }
        // an engine that failed to start will fail again
        let has_begun = get(&counters.asked) + get(&counters.known) > 0;
        if self.interrupted || self.error.is_some() && has_begun {
            write!(f, "\nthe analysis is not complete: run the same command again to go on")?;
        }
        Ok(())
    }
}

/// The ids of the selected games, latest first.
pub fn games(client: &mut Client, schema: &Schema, condition: Option<&str>, most: Option<u64>) -> Result<Vec<i64>> {
    let selection = Selection { condition, order: None, analysis: false, canonical_names: false };
    let condition = condition.unwrap_or("true");
    let limit = most.map(|games| format!("LIMIT {games}")).unwrap_or_default();
    let query = format!("SELECT id FROM {}.pgn_view WHERE (\n{condition}\n) ORDER BY id DESC {limit}", schema.quoted);
    // row by row: there may be a hundred million games
    let rows = client.query_raw::<_, &str, _>(&query, []).map_err(|error| selection.refused(&query, error))?;
    rows.map(|row| Ok(row.get(0))).collect().context("cannot query the games")
}

/// Analyzes the selected games. `client` is the user's session; the condition is evaluated there.
pub fn analyze(client: &mut Client, settings: &Settings, options: &Options, interrupt: &Interrupt) -> Result<Outcome> {
    let games = games(client, &options.schema, options.condition.as_deref(), options.games)?;
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
    let mut progress = Progress::new(shared.games.len() as u64, options.json);
    thread::scope(|scope| {
        let shared = &shared;
        let mut threads = Vec::new();
        for client in clients {
            threads.push(scope.spawn(move || {
                let mut supervisor = Supervisor::new(shared.options.engine.clone());
                let start = Instant::now();
                let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    Worker::new(client, shared, &mut supervisor)?.map_or(Ok(()), |mut worker| worker.work())
                }));
                Counters::add(&shared.counters.worked, start.elapsed().as_micros() as u64);
                Counters::add(&shared.counters.busy, supervisor.busy().as_micros() as u64);
                match worked {
                    Ok(Ok(())) => (),
                    Ok(Err(error)) => shared.fail(error),
                    Err(_) => shared.fail(anyhow!("a bug in chess-pgn: panic")),
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

/// Counts the stored and the missing results of the selected games, without running a search.
pub fn status(client: &mut Client, settings: &Settings, options: &Options) -> Result<String> {
    let games = games(client, &options.schema, options.condition.as_deref(), options.games)?;
    let mut client = settings.connect()?;
    let mut supervisor = Supervisor::new(options.engine.clone());
    let name = worker::engine_name(&mut supervisor, options, &|| false)?.context("the engine did not start")?;
    let mut store = store::Store::reading(&mut client, options, &name)?;
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
