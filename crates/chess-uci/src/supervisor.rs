//! An engine that is started again when it fails.
//!
//! A position that fails is tried once more with a new engine; then the failure is the position's. [`GIVE_UP`] failures
//! in a row without any result are the engine's: nothing more is asked of it. Before each new start there is a
//! pause, longer each time.

use std::fmt;
use std::ops::ControlFlow;
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::{Analysis, Engine, EngineError, Limit, Settings};
use crate::root::Root;

/// So many failures in a row end it.
pub const GIVE_UP: u32 = 3;
/// The first pause, by how much it grows, and the longest one.
const PAUSE: (Duration, u32, Duration) = (Duration::from_millis(100), 4, Duration::from_secs(10));

/// Why there is no analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The engine has failed twice at this position; others may do better.
    Position(EngineError),
    /// The engine is of no use.
    Engine(EngineError),
    /// The caller does not want it any more.
    Stopped,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Position(error) | Failure::Engine(error) => error.fmt(f),
            Failure::Stopped => f.write_str("stopped"),
        }
    }
}

/// Keeps an engine running.
#[derive(Debug)]
pub struct Supervisor {
    settings: Settings,
    engine: Option<Engine>,
    failures: u32,
    busy: Duration,
}

impl Supervisor {
    /// Nothing is started yet.
    pub fn new(settings: Settings) -> Supervisor {
        Supervisor { settings, engine: None, failures: 0, busy: Duration::ZERO }
    }

    /// How long the engine was waited for, its start included.
    pub fn busy(&self) -> Duration {
        self.busy
    }

    /// The engine, started if it is not running.
    ///
    /// # Errors
    ///
    /// [`Failure::Engine`] when it does not start, however often it is tried; [`Failure::Stopped`] if `stop` says so
    /// in between.
    pub fn engine(&mut self, stop: &dyn Fn() -> bool) -> Result<&mut Engine, Failure> {
        while self.engine.is_none() {
            self.pause(stop)?;
            let start = Instant::now();
            let started = Engine::start(&self.settings);
            self.busy += start.elapsed();
            match started {
                Ok(engine) => self.engine = Some(engine),
                Err(error) => self.failed(error, true)?,
            }
        }
        self.engine.as_mut().ok_or(Failure::Stopped)
    }

    /// Searches a position; `fresh` makes the engine forget all others before, so that the result depends on nothing
    /// else. A deadline of its own is taken instead of that of the limit.
    ///
    /// # Errors
    ///
    /// See [`Failure`].
    pub fn search(
        &mut self,
        root: &Root,
        limit: Limit,
        multipv: u32,
        fresh: bool,
        deadline: Option<Duration>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Analysis, Failure> {
        let deadline = deadline.unwrap_or_else(|| limit.deadline());
        let mut tried = 0;
        loop {
            let engine = self.engine(stop)?;
            let start = Instant::now();
            let ready = if fresh { engine.forget() } else { Ok(()) };
            let result =
                ready.and_then(|()| engine.search(root, limit, multipv, deadline, |_| ControlFlow::Continue(())));
            self.busy += start.elapsed();
            match result {
                Ok(analysis) => {
                    self.failures = 0;
                    return Ok(analysis);
                }
                // It is as good as before.
                Err(error @ EngineError::NoChess960) => return Err(Failure::Position(error)),
                Err(error) => {
                    tried += 1;
                    self.failed(error.clone(), false)?;
                    if tried == 2 {
                        return Err(Failure::Position(error));
                    }
                }
            }
        }
    }

    /// Takes the engine away and counts; an error if it was once too often.
    fn failed(&mut self, error: EngineError, at_start: bool) -> Result<(), Failure> {
        if let Some(mut engine) = self.engine.take() {
            engine.kill();
        }
        self.failures += 1;
        let is_final = at_start && error.is_final();
        if is_final || self.failures >= GIVE_UP { Err(Failure::Engine(error)) } else { Ok(()) }
    }

    fn pause(&self, stop: &dyn Fn() -> bool) -> Result<(), Failure> {
        let (first, growth, longest) = PAUSE;
        let pause = match self.failures {
            0 => Duration::ZERO,
            n => first.saturating_mul(growth.saturating_pow(n - 1)).min(longest),
        };
        let end = Instant::now() + pause;
        loop {
            if stop() {
                return Err(Failure::Stopped);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(Duration::from_millis(20)));
        }
    }
}
