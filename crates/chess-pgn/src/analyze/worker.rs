//! One thread: games from the list, their positions through an engine, the answers into the tables.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use chess_uci::{Failure, Supervisor};
use postgres::Client;

use super::question::{Open, Question, questions};
use super::store::{Answer, Store};
use super::{Counters, Options, Shared};

/// What is not stored by then is stored although the game is not at its end: so much is lost at most.
const STORE_EVERY: Duration = Duration::from_secs(10);

/// A thread's connection and engine.
pub struct Worker<'a, 'o> {
    client: Client,
    shared: &'a Shared<'o>,
    supervisor: &'a mut Supervisor,
    name: String,
}

/// The name of the engine, which is started for it.
pub fn engine_name(supervisor: &mut Supervisor, options: &Options, stop: &dyn Fn() -> bool) -> Result<String> {
    match supervisor.engine(stop) {
        Ok(engine) => Ok(engine.name().to_owned()),
        Err(failure) => Err(anyhow!("engine {} {failure}", options.engine.program)),
    }
}

impl<'a, 'o> Worker<'a, 'o> {
    /// Starts the engine.
    pub fn new(client: Client, shared: &'a Shared<'o>, supervisor: &'a mut Supervisor) -> Result<Worker<'a, 'o>> {
        let name = engine_name(supervisor, shared.options, &|| shared.stopped())?;
        *shared.engine.lock().unwrap_or_else(PoisonError::into_inner) = Some(name.clone());
        Ok(Worker { client, shared, supervisor, name })
    }

    /// Takes one game after the other.
    pub fn work(&mut self) -> Result<()> {
        let mut store = Store::new(&mut self.client, self.shared.options, &self.name)?;
        while let Some(game) = self.shared.next() {
            if !store.claim(game)? {
                Counters::add(&self.shared.counters.passed, 1);
                continue;
            }
            analyze(&mut store, self.shared, self.supervisor, &self.name, game)?;
            store.release(game)?;
        }
        Ok(())
    }
}

/// One game. What was answered is stored, whatever happens to the rest.
fn analyze(
    store: &mut Store<'_>,
    shared: &Shared<'_>,
    supervisor: &mut Supervisor,
    name: &str,
    game: i64,
) -> Result<()> {
    let options = shared.options;
    let counters = &shared.counters;
    let Some(bytes) = store.game(game)? else {
        Counters::add(&counters.passed, 1);
        return Ok(());
    };
    let questions = match questions(&bytes, options.plies) {
        Ok(questions) => questions,
        Err(error) => {
            eprintln!("chess-pgn: game {game}: {error}");
            Counters::add(&counters.passed, 1);
            return Ok(());
        }
    };
    let unstored = |answers: &[(Question, Answer)]| {
        // They come from the end of the game.
        let plies = answers.iter().map(|(question, _)| question.ply);
        let (first, last) = (plies.clone().min().unwrap_or(0), plies.max().unwrap_or(0));
        format!("cannot store what {name} has said of game {game}, half-moves {first} to {last}")
    };
    let known = store.known(&questions)?;
    Counters::add(&counters.known, known.iter().filter(|known| **known).count() as u64);
    let open: Vec<Question> =
        questions.into_iter().zip(known).filter(|(_, known)| !known).map(|(question, _)| question).collect();
    let mut answers = Vec::new();
    let mut stored = Instant::now();
    let mut fresh = true;
    let mut whole = true;
    for question in open.into_iter().rev() {
        if shared.stopped() {
            whole = false;
            break;
        }
        let answer = match question.open() {
            Open::Nobody(eval) => Answer::Over(eval),
            Open::Nothing(reason) => Answer::Failed(reason),
            Open::Engine(root) => {
                let fresh = std::mem::replace(&mut fresh, false) || options.reproducible;
                let stop = || shared.stopped();
                let result = supervisor.search(&root, options.limit, options.multipv, fresh, options.deadline, &stop);
                match result {
                    Ok(analysis) => {
                        Counters::add(&counters.asked, 1);
                        Answer::Engine(analysis)
                    }
                    Err(Failure::Stopped) => {
                        whole = false;
                        break;
                    }
                    Err(Failure::Position(error)) => {
                        Counters::add(&counters.asked, 1);
                        Counters::add(&counters.failed, 1);
                        eprintln!(
                            "chess-pgn: game {game}, half-move {}: {name} {error}, asked about {root}",
                            question.ply
                        );
                        Answer::Failed(error.to_string())
                    }
                    Err(Failure::Engine(error)) => {
                        store.store(&mut answers, None).with_context(|| unstored(&answers))?;
                        return Err(anyhow!(
                            "{name} {error}, asked about {root} (game {game}, half-move {}); nothing more is asked of it",
                            question.ply
                        ));
                    }
                }
            }
        };
        answers.push((question, answer));
        if stored.elapsed() > STORE_EVERY {
            store.store(&mut answers, None).with_context(|| unstored(&answers))?;
            stored = Instant::now();
        }
    }
    store.store(&mut answers, whole.then_some(game)).with_context(|| unstored(&answers))?;
    if whole {
        Counters::add(&counters.games, 1);
    }
    Ok(())
}
