//! The UCI protocol: takes a [`Root`] and a [`Limit`], returns an [`Analysis`].
//!
//! The result of a search is the last exact score of each line, because the very last report may be only a bound. An illegal best
//! move is an error, and so is a best move without a score if lines are requested. Every wait has a deadline; an overdue search
//! is told to stop and has a second to do so.

use std::fmt;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::line::{self, Info, Line, Score};
use crate::process::{NoLine, Process, find};
use crate::root::Root;

/// How long an engine may take to start, and to answer `isready`.
const START: Duration = Duration::from_secs(10);
/// How long it may take to answer `stop`.
const STOP: Duration = Duration::from_secs(1);
/// How often `visit` is called while the engine is silent.
const TICK: Duration = Duration::from_millis(100);
/// The maximum number of bytes that an engine may write about a position. Stockfish writes about 100 for each line and
/// depth.
pub const MAX_BYTES: u64 = 64 << 20;
/// The maximum number of bytes that it may write before `uciok`.
const START_BYTES: u64 = 1 << 20;
/// The maximum number of options that are read. Stockfish has 22.
const MAX_OPTIONS: usize = 1000;
/// The number of moves that are kept of a line.
pub const MAX_MOVES: usize = 32;

/// How an engine is run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// A path, or a name in PATH.
    pub program: String,
    /// Options to set after the start. An engine without one of them is an error.
    pub options: Vec<(String, String)>,
    /// Options to set if the engine has them.
    pub preferred: Vec<(String, String)>,
    /// Numeric options that the user has not set; each is set to the nearest value that the engine accepts.
    pub defaults: Vec<(String, i64)>,
    /// How much the priority is lowered: 0 to 19.
    pub nice: u8,
    /// How long the engine may take to start, and to answer `isready`.
    pub start: Duration,
}

impl Settings {
    /// Default settings, at a priority lowered by 10.
    pub fn new(program: &str) -> Settings {
        Settings {
            program: program.to_owned(),
            options: Vec::new(),
            preferred: Vec::new(),
            defaults: Vec::new(),
            nice: 10,
            start: START,
        }
    }
}

/// The limit of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A number of nodes.
    Nodes(u64),
    /// A depth in half-moves.
    Depth(u32),
    /// A duration.
    Movetime(Duration),
}

impl Limit {
    /// When a search is overdue: generously after its usual end. Engines search at least 100,000 nodes a second; the
    /// time for a depth cannot be predicted.
    pub fn deadline(self) -> Duration {
        match self {
            Limit::Nodes(nodes) => Duration::from_secs(5 + nodes / 20_000),
            Limit::Depth(_) => Duration::from_secs(120),
            Limit::Movetime(time) => time + Duration::from_secs(2),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Nodes(nodes) => write!(f, "nodes {nodes}"),
            Limit::Depth(depth) => write!(f, "depth {depth}"),
            Limit::Movetime(time) => write!(f, "movetime {}", time.as_millis()),
        }
    }
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// The best move in UCI; empty until the search ends.
    pub best: String,
    /// The lines, best first.
    pub variations: Vec<Variation>,
    /// The depth of the first line in half-moves.
    pub depth: u32,
    /// The greatest depth reached.
    pub seldepth: u32,
    /// The number of nodes searched.
    pub nodes: u64,
    /// The time in milliseconds, as the engine reports it.
    pub time_ms: u64,
    /// Whether the search was stopped before its limit.
    pub stopped: bool,
}

/// A line: a sequence of best moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variation {
    /// The score for the side to move.
    pub score: Score,
    /// Wins, draws and losses per 1,000 games, for the side to move, if the engine reports them.
    pub wdl: Option<[u16; 3]>,
    /// The moves in UCI; all are legal.
    pub moves: Vec<String>,
    depth: u32,
}

/// Why a search failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineError {
    /// The program does not exist.
    NotFound,
    /// The program cannot be started, for this reason of the system.
    Start(String),
    /// The engine has no option of this name.
    NoOption(String),
    /// The value is not valid for the option.
    OptionValue(String, String),
    /// The program did not answer `uci`; its last lines.
    NotUci(String),
    /// The process has ended: its status and last lines.
    Died(String, String),
    /// The engine did not answer in time; the expected answer.
    Late(&'static str),
    /// The engine wrote too much.
    Floods,
    /// The engine named no move although there are legal ones.
    NoMove,
    /// The engine named an illegal move.
    IllegalMove(String),
    /// The engine named a move without a score.
    NoScore,
    /// The position needs Chess960, which the engine does not support.
    NoChess960,
}

impl EngineError {
    /// Whether the settings are wrong, so that another attempt is useless.
    pub fn is_final(&self) -> bool {
        matches!(self, EngineError::NotFound | EngineError::NoOption(_) | EngineError::OptionValue(..))
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |tail: &str| if tail.is_empty() { String::new() } else { format!("; its last lines: {tail}") };
        match self {
            EngineError::NotFound => f.write_str("was not found"),
            EngineError::Start(reason) => write!(f, "cannot be started: {reason}"),
            EngineError::NoOption(name) => write!(f, "has no option \"{name}\""),
            EngineError::OptionValue(name, value) => write!(f, "does not take \"{value}\" for its option \"{name}\""),
            EngineError::NotUci(tail) => write!(f, "is not a UCI engine: no answer to \"uci\"{}", told(tail)),
            EngineError::Died(status, tail) => write!(f, "ended ({status}){}", told(tail)),
            EngineError::Late(what) => write!(f, "did not answer in time ({what})"),
            EngineError::Floods => write!(f, "wrote more than {} MiB about one position", MAX_BYTES >> 20),
            EngineError::NoMove => f.write_str("named no best move although there are legal moves"),
            EngineError::IllegalMove(text) => write!(f, "named \"{text}\" as the best move, which is not legal"),
            EngineError::NoScore => f.write_str("named a best move without a score"),
            EngineError::NoChess960 => f.write_str("does not know Chess960, which the position needs"),
        }
    }
}

impl std::error::Error for EngineError {}

/// An option that the engine has declared.
#[derive(Clone, Debug)]
struct Declared {
    name: String,
    kind: String,
    range: [Option<i64>; 2],
    values: Vec<String>,
}

/// A running engine.
#[derive(Debug)]
pub struct Engine {
    process: Process,
    name: String,
    options: Vec<Declared>,
    start: Duration,
    multipv: u32,
    chess960: bool,
}

impl Engine {
    /// Starts an engine and sets its options. `UCI_ShowWDL` is always set if it exists, since it does not affect the
    /// search.
    ///
    /// # Errors
    ///
    /// The program does not exist, is not a UCI engine, or does not accept the options.
    pub fn start(settings: &Settings) -> Result<Engine, EngineError> {
        let program = find(&settings.program).ok_or(EngineError::NotFound)?;
        let process = Process::start(&program, settings.nice).map_err(|error| EngineError::Start(error.to_string()))?;
        let mut engine = Engine {
            process,
            name: settings.program.clone(),
            options: Vec::new(),
            start: settings.start,
            multipv: 1,
            chess960: false,
        };
        engine.shake_hands()?;
        if engine.declared("UCI_ShowWDL").is_some() {
            engine.set("UCI_ShowWDL", "true");
        }
        for (name, number) in &settings.defaults {
            if let Some(value) = engine.nearest(name, *number) {
                engine.set(name, &value.to_string());
            }
        }
        for (name, value) in &settings.preferred {
            if engine.has_option(name) {
                engine.check(name, value)?;
                engine.set(name, value);
            }
        }
        for (name, value) in &settings.options {
            engine.check(name, value)?;
            engine.set(name, value);
        }
        engine.ready()?;
        Ok(engine)
    }

    fn shake_hands(&mut self) -> Result<(), EngineError> {
        self.process.send("uci");
        let deadline = Instant::now() + self.start;
        let mut bytes = 0;
        loop {
            let line = match self.process.line(deadline) {
                Ok(line) => line,
                Err(NoLine::Late) => return Err(EngineError::NotUci(self.process.tail())),
                Err(NoLine::Ended) => return Err(self.died()),
            };
            bytes += line.bytes;
            if bytes > START_BYTES {
                return Err(EngineError::NotUci("a flood".into()));
            }
            match line::read(&line.text) {
                Line::Name(name) if !name.is_empty() => self.name = name.chars().take(200).collect(),
                Line::Option(option) if self.options.len() < MAX_OPTIONS => self.options.push(Declared {
                    name: option.name.to_owned(),
                    kind: option.kind.to_owned(),
                    range: [option.min, option.max],
                    values: option.values.iter().map(|value| (*value).to_owned()).collect(),
                }),
                Line::UciOk => return Ok(()),
                _ => (),
            }
        }
    }

    /// The name that the engine reports.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The id of the process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Whether it has an option of this name, in upper or lower case.
    pub fn has_option(&self, name: &str) -> bool {
        self.declared(name).is_some()
    }

    fn declared(&self, name: &str) -> Option<&Declared> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// The nearest value that an option accepts; `None` without such an option, or if its range is empty.
    fn nearest(&self, name: &str, number: i64) -> Option<i64> {
        let [min, max] = self.declared(name).filter(|option| option.kind == "spin")?.range;
        let (min, max) = (min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX));
        (min <= max).then(|| number.clamp(min, max))
    }

    fn check(&self, name: &str, value: &str) -> Result<(), EngineError> {
        let option = self.declared(name).ok_or_else(|| EngineError::NoOption(name.to_owned()))?;
        let is_possible = match option.kind.as_str() {
            "check" => matches!(value, "true" | "false"),
            "spin" => value.parse().is_ok_and(|number: i64| {
                option.range[0].is_none_or(|min| min <= number) && option.range[1].is_none_or(|max| number <= max)
            }),
            "combo" => option.values.iter().any(|known| known.eq_ignore_ascii_case(value)),
            "button" => value.is_empty(),
            _ => true,
        };
        // a line break would start another command
        if is_possible && !value.contains(['\n', '\r']) {
            Ok(())
        } else {
            Err(EngineError::OptionValue(name.to_owned(), value.to_owned()))
        }
    }

    fn set(&self, name: &str, value: &str) {
        let value = if value.is_empty() { String::new() } else { format!(" value {value}") };
        self.process.send(&format!("setoption name {name}{value}"));
    }

    /// Waits until the engine has processed all commands; discards what it writes meanwhile.
    fn ready(&mut self) -> Result<(), EngineError> {
        self.process.send("isready");
        let deadline = Instant::now() + self.start;
        let mut bytes = 0;
        loop {
            let line = match self.process.line(deadline) {
                Ok(line) => line,
                Err(NoLine::Late) => return Err(EngineError::Late("readyok")),
                Err(NoLine::Ended) => return Err(self.died()),
            };
            bytes += line.bytes;
            if bytes > MAX_BYTES {
                return Err(EngineError::Floods);
            }
            if line::read(&line.text) == Line::ReadyOk {
                return Ok(());
            }
        }
    }

    fn died(&self) -> EngineError {
        let status = self.process.ended().unwrap_or_else(|| "its output is closed".into());
        EngineError::Died(status, self.process.tail())
    }

    /// Makes the engine forget other positions.
    ///
    /// # Errors
    ///
    /// The process has ended, or does not answer.
    pub fn forget(&mut self) -> Result<(), EngineError> {
        self.process.send("ucinewgame");
        self.ready()
    }

    /// Searches a position with `multipv` lines. With 0, only the best move is needed. It may come without a score, because UCI
    /// does not require one and moves from a book have none. `visit` is called with each new state of the analysis, and from time
    /// to time while the engine is silent; if it returns `Break`, the search is stopped.
    ///
    /// # Errors
    ///
    /// After any error other than [`EngineError::NoChess960`] the engine must be discarded.
    pub fn search(
        &mut self,
        root: &Root,
        limit: Limit,
        multipv: u32,
        deadline: Duration,
        mut visit: impl FnMut(&Analysis) -> ControlFlow<()>,
    ) -> Result<Analysis, EngineError> {
        self.prepare(root.is_chess960(), multipv)?;
        self.process.send(&format!("position {}", root.words()));
        self.process.send(&format!("go {limit}"));
        let mut until = Instant::now() + deadline;
        let mut told_to_stop = false;
        let mut bytes = 0;
        let mut analysis = Analysis::default();
        let mut lines: Vec<Option<Variation>> = vec![None; multipv.max(1) as usize];
        loop {
            let wait = until.min(Instant::now() + TICK);
            let mut change = false;
            match self.process.line(wait) {
                Err(NoLine::Ended) => return Err(self.died()),
                Err(NoLine::Late) => (),
                Ok(line) => {
                    bytes += line.bytes;
                    match line::read(&line.text) {
                        Line::Info(info) => change = take(&info, root, &mut lines, &mut analysis),
                        Line::BestMove(best) => {
                            let analysis = finish(best, root, lines, analysis)?;
                            let has_score = multipv == 0 || !analysis.variations.is_empty();
                            return if has_score { Ok(analysis) } else { Err(EngineError::NoScore) };
                        }
                        _ => (),
                    }
                }
            }
            if bytes > MAX_BYTES {
                return Err(EngineError::Floods);
            }
            if change {
                analysis.variations = lines.iter().flatten().cloned().collect();
            }
            let late = Instant::now() >= until;
            if told_to_stop {
                if late {
                    return Err(EngineError::Late("bestmove"));
                }
            } else if late || visit(&analysis).is_break() {
                told_to_stop = true;
                analysis.stopped = true;
                self.process.send("stop");
                until = Instant::now() + STOP;
            }
        }
    }

    /// Sets what differs from the search before.
    fn prepare(&mut self, chess960: bool, multipv: u32) -> Result<(), EngineError> {
        if chess960 != self.chess960 {
            if !self.has_option("UCI_Chess960") {
                return Err(EngineError::NoChess960);
            }
            self.set("UCI_Chess960", if chess960 { "true" } else { "false" });
            self.chess960 = chess960;
        }
        let multipv = multipv.max(1);
        if multipv != self.multipv && self.has_option("MultiPV") {
            self.set("MultiPV", &multipv.to_string());
        }
        self.multipv = multipv;
        self.ready()
    }

    /// Kills the process.
    pub fn kill(&mut self) {
        self.process.kill();
    }
}

/// Updates the lines by a report of the engine; returns whether anything has changed.
fn take(info: &Info<'_>, root: &Root, lines: &mut [Option<Variation>], analysis: &mut Analysis) -> bool {
    analysis.nodes = info.nodes.unwrap_or(analysis.nodes);
    analysis.time_ms = info.time_ms.unwrap_or(analysis.time_ms);
    let number = info.multipv.unwrap_or(1);
    let Some(place) = number.checked_sub(1).and_then(|at| lines.get_mut(at as usize)) else { return false };
    let Some(score) = info.score.filter(|_| !info.is_bound) else { return false };
    let depth = info.depth.unwrap_or(0);
    if number == 1 {
        analysis.depth = depth;
        analysis.seldepth = info.seldepth.unwrap_or(depth).max(depth);
    }
    // mate in 0 means that the game is over, which it is not
    if score == Score::Mate(0) {
        return false;
    }
    let moves = root.legal(info.pv.iter().copied(), MAX_MOVES);
    // a report without moves must not replace the moves that the engine has reported before
    if moves.is_empty() && place.as_ref().is_some_and(|line| !line.moves.is_empty()) {
        return false;
    }
    *place = Some(Variation { score, wdl: info.wdl, moves, depth });
    true
}

fn finish(
    best: Option<&str>,
    root: &Root,
    lines: Vec<Option<Variation>>,
    mut analysis: Analysis,
) -> Result<Analysis, EngineError> {
    let best = best.ok_or(EngineError::NoMove)?;
    let mut legal = root.legal([best], 1);
    analysis.best = legal.pop().ok_or_else(|| EngineError::IllegalMove(best.to_owned()))?;
    // lines after a missing one are dropped
    analysis.variations = lines.into_iter().map_while(|line| line).collect();
    analysis.depth = analysis.variations.first().map_or(analysis.depth, |first| first.depth);
    Ok(analysis)
}
