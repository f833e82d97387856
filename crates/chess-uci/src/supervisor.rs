//! Restarts an engine that fails.
//!
//! A failed search is repeated once with a new process; after that the position is reported as failed. After
//! [`GIVE_UP`] failures in a row the engine is given up. Restarts are delayed, each longer than the one before.

use std::fmt;
use std::ops::ControlFlow;
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::{Analysis, Engine, EngineError, Limit, Settings};
use crate::root::Root;

/// The number of failures in a row after which the engine is given up.
pub const GIVE_UP: u32 = 3;
/// The first delay, its growth factor, and the maximum.
const PAUSE: (Duration, u32, Duration) = (Duration::from_millis(100), 4, Duration::from_secs(10));

/// Why there is no analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The engine has failed twice at this position; others may succeed.
    Position(EngineError),
    /// The engine was given up.
    Engine(EngineError),
    /// The caller has stopped the search.
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
    /// Whether a stop also ends the search that runs, and not only keeps the next one from starting.
    breaks_off: bool,
}

impl Supervisor {
    /// Does not start the engine yet.
    pub fn new(settings: Settings) -> Supervisor {
        Supervisor { settings, engine: None, failures: 0, busy: Duration::ZERO, breaks_off: false }
    }

    /// Has a stop also end the search that runs, without an analysis.
    #[must_use]
    pub fn breaking_off(self) -> Supervisor {
        Supervisor { breaks_off: true, ..self }
    }

    /// The time spent waiting for the engine, including its starts.
    pub fn busy(&self) -> Duration {
        self.busy
    }

    /// The engine; starts it if it is not running.
    ///
    /// # Errors
    ///
    /// [`Failure::Engine`] if repeated starts fail; [`Failure::Stopped`] if `stop` returns true.
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

    /// Searches a position, as [`Engine::search`] does. `fresh` makes the engine forget other positions first, so that the result
    /// does not depend on them. `deadline` replaces that of the limit.
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
        let breaks_off = self.breaks_off;
        let is_broken_off = || breaks_off && stop();
        let visit = |_: &Analysis| if is_broken_off() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let mut tried = 0;
        loop {
            let engine = self.engine(stop)?;
            let start = Instant::now();
            let ready = if fresh { engine.forget() } else { Ok(()) };
            let result = ready.and_then(|()| engine.search(root, limit, multipv, deadline, visit));
            self.busy += start.elapsed();
            match result {
                Ok(_) if is_broken_off() => return Err(Failure::Stopped),
                Ok(analysis) => {
                    self.failures = 0;
                    return Ok(analysis);
                }
                // this does not harm the engine
                Err(error @ EngineError::NoChess960) => return Err(Failure::Position(error)),
                Err(error) => {
                    tried += 1;
                    self.failed(error.clone(), false)?;
                    if tried == 2 && !is_broken_off() {
                        return Err(Failure::Position(error));
                    }
                }
            }
        }
    }

    /// Searches a position once and calls `visit` with each new state of the analysis; `Break` stops the search. The
    /// result includes the name of the engine.
    ///
    /// # Errors
    ///
    /// See [`Failure`]. Earlier failures do not count: each call restarts the engine if necessary.
    pub fn watch(
        &mut self,
        root: &Root,
        limit: Limit,
        multipv: u32,
        deadline: Duration,
        stop: &dyn Fn() -> bool,
        visit: impl FnMut(&Analysis) -> ControlFlow<()>,
    ) -> Result<(String, Analysis), Failure> {
        self.failures = 0;
        let engine = self.engine(stop)?;
        let name = engine.name().to_owned();
        match engine.search(root, limit, multipv, deadline, visit) {
            Ok(analysis) => Ok((name, analysis)),
            Err(error @ EngineError::NoChess960) => Err(Failure::Position(error)),
            Err(error) => {
                self.failed(error.clone(), false)?;
                Err(Failure::Position(error))
            }
        }
    }

    /// Discards the engine and counts the failure; an error if the engine is to be given up.
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
