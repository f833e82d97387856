//! A worker thread: claims games, has its engine analyze their positions, and stores the results.

use std::collections::HashSet;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use chess_uci::{Failure, Supervisor};
use postgres::Client;

use super::question::{Open, Question, questions};
use super::store::{Answer, Store};
use super::{Counters, Options, Shared};
use crate::output::tell;
use crate::puzzles::Rules;

/// Results are stored at least this often, also in the middle of a game: a crash loses no more than that.
const STORE_EVERY: Duration = Duration::from_secs(10);

/// How many lines decide whether an answer is the only right one.
const PUZZLE_LINES: i16 = 2;

/// The connection and the engine of a thread.
pub struct Worker<'a, 'o> {
    client: Client,
    shared: &'a Shared<'o>,
    supervisor: &'a mut Supervisor,
    name: String,
}

/// Starts the engine and returns its name; `None` if `stop` ended the start.
pub fn engine_name(supervisor: &mut Supervisor, options: &Options, stop: &dyn Fn() -> bool) -> Result<Option<String>> {
    match supervisor.engine(stop) {
        Ok(engine) => Ok(Some(engine.name().to_owned())),
        Err(Failure::Stopped) => Ok(None),
        Err(failure) => Err(anyhow!("engine {} {failure}", options.engine.program)),
    }
}

impl<'a, 'o> Worker<'a, 'o> {
    /// Starts the engine, whose name the statements need; `None` if the run ends before it has started.
    pub fn new(client: Client, shared: &'a Shared<'o>, supervisor: &'a mut Supervisor) -> Result<Option<Self>> {
        let Some(name) = engine_name(supervisor, shared.options, &|| shared.stopped())? else { return Ok(None) };
        *shared.engine.lock().unwrap_or_else(PoisonError::into_inner) = Some(name.clone());
        Ok(Some(Worker { client, shared, supervisor, name }))
    }

    /// Analyzes games until none is left.
    pub fn work(&mut self) -> Result<()> {
        let mut store = Store::new(&mut self.client, self.shared.options, &self.name)?;
        while let Some(game) = self.shared.next() {
            if !store.claim(game)? {
                Counters::add(&self.shared.counters.passed, 1);
                continue;
            }
            let (shared, name) = (self.shared, &self.name);
            let mut asking = Asking { shared, supervisor: self.supervisor, name, game, fresh: true };
            asking.analyze(&mut store)?;
            store.release(game)?;
        }
        Ok(())
    }
}

/// An engine that is asked about one game.
struct Asking<'a, 'o> {
    shared: &'a Shared<'o>,
    supervisor: &'a mut Supervisor,
    name: &'a str,
    game: i64,
    /// Whether the engine is to forget what it knows before the next question.
    fresh: bool,
}

impl Asking<'_, '_> {
    fn analyze(&mut self, store: &mut Store<'_>) -> Result<()> {
        let counters = &self.shared.counters;
        let Some(bytes) = store.game(self.game)? else {
            Counters::add(&counters.passed, 1);
            return Ok(());
        };
        let questions = match questions(&bytes, self.shared.options.plies) {
            Ok(questions) => questions,
            Err(error) => {
                tell!("chess-pgn: game {}: {error}", self.game);
                Counters::add(&counters.passed, 1);
                return Ok(());
            }
        };
        let known = store.known(&questions)?;
        Counters::add(&counters.known, known.iter().filter(|known| **known).count() as u64);
        let open = questions.into_iter().zip(known).filter(|(_, known)| !known).map(|(question, _)| question).collect();
        let is_whole = self.positions(store, open)?
            && match &self.shared.options.puzzles {
                Some(rules) => self.puzzles(store, rules)?,
                None => true,
            };
        if is_whole {
            Counters::add(&counters.games, 1);
        }
        Ok(())
    }

    /// Asks about positions, the last one first, and stores the answers, even if a later position fails. False if the run was
    /// stopped.
    fn positions(&mut self, store: &mut Store<'_>, open: Vec<Question>) -> Result<bool> {
        let (game, name) = (self.game, self.name);
        let unstored = |answers: &[(Question, Answer)]| {
            // Positions are analyzed backwards, so half-moves are in descending order.
            let plies = answers.iter().map(|(question, _)| question.ply);
            let (first, last) = (plies.clone().min().unwrap_or(0), plies.max().unwrap_or(0));
            format!("cannot store the analysis of game {game}, half-moves {first} to {last}, by {name}")
        };
        let mut answers = Vec::new();
        let mut stored = Instant::now();
        let mut is_whole = true;
        for question in open.into_iter().rev() {
            match self.ask(&question, self.shared.options.multipv) {
                Ok(Some(answer)) => answers.push((question, answer)),
                Ok(None) => {
                    is_whole = false;
                    break;
                }
                Err(error) => {
                    store.store(&mut answers, None).with_context(|| unstored(&answers))?;
                    return Err(error);
                }
            }
            if stored.elapsed() > STORE_EVERY {
                store.store(&mut answers, None).with_context(|| unstored(&answers))?;
                stored = Instant::now();
            }
        }
        store.store(&mut answers, is_whole.then_some(game)).with_context(|| unstored(&answers))?;
        Ok(is_whole)
    }

    /// Asks for two lines about what may be a puzzle, and about the boards within its solution as long as each answer is
    /// the only right one. False if the run was stopped.
    fn puzzles(&mut self, store: &mut Store<'_>, rules: &Rules) -> Result<bool> {
        // An engine that fails at a board is not asked about it again.
        let mut asked = HashSet::new();
        loop {
            let mut lacking = store.lacking(self.game, rules)?;
            lacking.retain(|question| asked.insert(question.fen.clone()));
            if lacking.is_empty() {
                return Ok(true);
            }
            for question in lacking {
                let Some(answer) = self.ask(&question, PUZZLE_LINES as u32)? else { return Ok(false) };
                store.store_lines(&mut vec![(question, answer)], PUZZLE_LINES, None)?;
            }
        }
    }

    /// Asks the engine about a position; `None` if the run was stopped.
    ///
    /// # Errors
    ///
    /// The engine is given up.
    fn ask(&mut self, question: &Question, multipv: u32) -> Result<Option<Answer>> {
        let Asking { shared, name, game, .. } = self;
        let (options, counters) = (shared.options, &shared.counters);
        if shared.stopped() {
            return Ok(None);
        }
        let root = match question.open() {
            Open::Nobody(eval) => return Ok(Some(Answer::Over(eval))),
            Open::Nothing(reason) => return Ok(Some(Answer::Failed(reason))),
            Open::Engine(root) => root,
        };
        let fresh = std::mem::take(&mut self.fresh) || options.reproducible;
        let stop = || shared.stopped();
        match self.supervisor.search(&root, options.limit, multipv, fresh, options.deadline, &stop) {
            Ok(analysis) => {
                Counters::add(&counters.asked, 1);
                Ok(Some(Answer::Engine(analysis)))
            }
            Err(Failure::Stopped) => Ok(None),
            Err(Failure::Position(error)) => {
                Counters::add(&counters.asked, 1);
                Counters::add(&counters.failed, 1);
                tell!("chess-pgn: game {game}, half-move {}: {name} {error}, asked about {root}", question.ply);
                Ok(Some(Answer::Failed(error.to_string())))
            }
            Err(Failure::Engine(error)) => Err(anyhow!(
                "{name} {error}, asked about {root} (game {game}, half-move {}); this engine gets no more positions",
                question.ply
            )),
        }
    }
}
