//! Reads and writes the tables `engines`, `analysis` and `analyzed_games`.

use anyhow::{Context, Result};
use chess_db::schema::Schema;
use chess_uci::{Analysis, Limit};
use postgres::{Client, Statement};

use super::Options;
use super::question::Question;
use crate::puzzles::Rules;
use chess_core::board::fen;
use chess_db::wire::GameBytes;

/// What is stored for a position.
#[derive(Debug)]
pub enum Answer {
    /// The result of a search.
    Engine(Analysis),
    /// The game is over here, with this value for White.
    Over(i32),
    /// There is no result, for this reason.
    Failed(String),
}

/// A connection with the prepared statements for one engine.
pub struct Store<'a> {
    client: &'a mut Client,
    engine: i32,
    multipv: i16,
    limit: (&'static str, i64),
    retry: bool,
    lock_name: String,
    lacking: Statement,
    game: Statement,
    known: Statement,
    insert: Statement,
    done: Statement,
}

impl<'a> Store<'a> {
    /// Prepares the statements for the engine with this name, and gives it a row.
    pub fn new(client: &'a mut Client, options: &Options, name: &str) -> Result<Store<'a>> {
        let engine = engine_id(client, &options.schema.quoted, name, &requested(options), options.reproducible)?;
        Store::of_engine(client, options, engine)
    }

    /// [`Store::new`], but only to read, also without a row of the engine.
    pub fn reading(client: &'a mut Client, options: &Options, name: &str) -> Result<Store<'a>> {
        let engine = find_engine(client, &options.schema.quoted, name, &requested(options), options.reproducible)?;
        // An engine without a row has stored nothing, and neither has number 0, which no row gets.
        Store::of_engine(client, options, engine.unwrap_or(0))
    }

    fn of_engine(client: &'a mut Client, options: &Options, engine: i32) -> Result<Store<'a>> {
        let schema = &options.schema.quoted;
        let extension = Schema::extension(client)?;
        let game = client.prepare(&format!("SELECT game FROM {schema}.games WHERE id = $1"))?;
        // A stored search with a higher limit counts, too.
        let known = client.prepare(&format!(include_str!("sql/known.sql"), schema = schema, extension = extension))?;
        // If two sessions insert the same position, the first row stays, unless it records a failure.
        let insert =
            client.prepare(&format!(include_str!("sql/insert.sql"), schema = schema, extension = extension))?;
        let done = client
            .prepare(&format!(
                "INSERT INTO {schema}.analyzed_games SELECT id FROM {schema}.games WHERE id = $1 ON CONFLICT DO NOTHING"
            ))
            .context("cannot prepare the statements of the analysis")?;
        let lacking = client.prepare(&format!(
            "SELECT DISTINCT ON (l.lacking::text) c.ply, l.lacking::text \
             FROM {schema}.puzzle_candidates(ARRAY[$1::bigint], $2::text, $3::double precision, $4::boolean) c CROSS JOIN LATERAL {schema}.puzzle_line(c.board) l \
             WHERE l.lacking IS NOT NULL ORDER BY 2, 1"
        ))?;
        let limit = match options.limit {
            Limit::Nodes(nodes) => ("nodes", nodes as i64),
            Limit::Depth(depth) => ("depth", i64::from(depth)),
            Limit::Movetime(time) => ("movetime", time.as_millis() as i64),
        };
        let lock_name = format!("chess-pgn analyze {}", options.schema.name);
        let multipv = options.multipv as i16;
        let retry = options.retry;
        Ok(Store { client, engine, multipv, limit, retry, lock_name, lacking, game, known, insert, done })
    }

    /// Locks a game for this session; returns false if another session has it.
    pub fn claim(&mut self, game: i64) -> Result<bool> {
        let query = "SELECT pg_try_advisory_lock(hashtextextended($1, $2))";
        Ok(self.client.query_one(query, &[&self.lock_name, &game])?.get(0))
    }

    /// Unlocks a game.
    pub fn release(&mut self, game: i64) -> Result<()> {
        self.client.execute("SELECT pg_advisory_unlock(hashtextextended($1, $2))", &[&self.lock_name, &game])?;
        Ok(())
    }

    /// The bytes of a game, or `None` if it was deleted.
    pub fn game(&mut self, id: i64) -> Result<Option<Vec<u8>>> {
        let row = self.client.query_opt(&self.game, &[&id])?;
        Ok(row.map(|row| row.try_get::<_, GameBytes>(0)).transpose()?.map(|game| game.0))
    }

    /// Whether each question has a stored answer.
    pub fn known(&mut self, questions: &[Question]) -> Result<Vec<bool>> {
        let keys: Vec<i64> = questions.iter().map(|question| question.key).collect();
        let clocks: Vec<i32> = questions.iter().map(|question| question.clock).collect();
        let fens: Vec<&str> = questions.iter().map(|question| question.fen.as_str()).collect();
        let rows = self.client.query(
            &self.known,
            &[&keys, &clocks, &fens, &self.engine, &self.multipv, &self.limit.0, &self.limit.1, &self.retry],
        )?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    /// The boards whose analysis with two lines would tell more about the puzzles of a game.
    pub fn lacking(&mut self, game: i64, rules: &Rules) -> Result<Vec<Question>> {
        let rows = self.client.query(&self.lacking, &[&game, &rules.player, &rules.min_loss, &rules.problems])?;
        let question = |row: &postgres::Row| {
            Ok(Question::new(row.get::<_, i32>(0).try_into().unwrap_or(0), &fen::read(row.get(1))?))
        };
        rows.iter().map(question).collect()
    }

    /// Stores answers in one transaction. `game` is then marked as completely analyzed.
    pub fn store(&mut self, answers: &mut Vec<(Question, Answer)>, game: Option<i64>) -> Result<()> {
        self.store_lines(answers, self.multipv, game)
    }

    /// [`Store::store`], for answers to questions for this number of lines.
    pub fn store_lines(
        &mut self,
        answers: &mut Vec<(Question, Answer)>,
        multipv: i16,
        game: Option<i64>,
    ) -> Result<()> {
        // All sessions insert in the same order, which prevents deadlocks.
        answers.sort_by_key(|(question, _)| (question.key, question.clock));
        let mut rows = Rows::default();
        answers.iter().for_each(|(question, answer)| rows.add(question, answer));
        let mut transaction = self.client.transaction()?;
        if !answers.is_empty() {
            transaction.execute(
                &self.insert,
                &[
                    &self.engine,
                    &multipv,
                    &self.limit.0,
                    &self.limit.1,
                    &rows.key,
                    &rows.clock,
                    &rows.fen,
                    &rows.status,
                    &rows.depth,
                    &rows.seldepth,
                    &rows.time_ms,
                    &rows.nodes,
                    &rows.best,
                    &rows.evals,
                    &rows.pvs,
                    &rows.wdl,
                    &rows.reason,
                ],
            )?;
        }
        if let Some(game) = game {
            transaction.execute(&self.done, &[&game])?;
        }
        transaction.commit()?;
        answers.clear();
        Ok(())
    }
}

/// The answers by column. Arrays are sent as text, so that one statement inserts all rows.
#[derive(Default)]
struct Rows {
    key: Vec<i64>,
    clock: Vec<i32>,
    fen: Vec<String>,
    status: Vec<&'static str>,
    depth: Vec<Option<i16>>,
    seldepth: Vec<Option<i16>>,
    time_ms: Vec<Option<i32>>,
    nodes: Vec<Option<i64>>,
    best: Vec<Option<String>>,
    evals: Vec<Option<String>>,
    pvs: Vec<Option<String>>,
    wdl: Vec<Option<String>>,
    reason: Vec<Option<String>>,
}

/// An array literal. The values are numbers or moves with spaces, so quotes suffice and nothing needs an escape.
pub fn array<T: std::fmt::Display>(values: impl IntoIterator<Item = T>) -> String {
    let values: Vec<String> = values.into_iter().map(|value| format!("\"{value}\"")).collect();
    format!("{{{}}}", values.join(","))
}

impl Rows {
    fn add(&mut self, question: &Question, answer: &Answer) {
        let turn = question.board.turn;
        self.key.push(question.key);
        self.clock.push(question.clock);
        self.fen.push(question.fen.clone());
        let analysis = match answer {
            Answer::Engine(analysis) => Some(analysis),
            _ => None,
        };
        self.status.push(match answer {
            Answer::Engine(analysis) if analysis.stopped => "stopped",
            Answer::Engine(_) => "done",
            Answer::Over(_) => "over",
            Answer::Failed(_) => "failed",
        });
        let small = |value: u32| i16::try_from(value).unwrap_or(i16::MAX);
        self.depth.push(analysis.map(|analysis| small(analysis.depth)));
        self.seldepth.push(analysis.map(|analysis| small(analysis.seldepth)));
        self.time_ms.push(analysis.map(|analysis| i32::try_from(analysis.time_ms).unwrap_or(i32::MAX)));
        self.nodes.push(analysis.map(|analysis| i64::try_from(analysis.nodes).unwrap_or(i64::MAX)));
        self.best.push(analysis.map(|analysis| analysis.best.clone()));
        self.evals.push(match answer {
            Answer::Engine(analysis) => Some(array(analysis.variations.iter().map(|line| line.score.for_white(turn)))),
            Answer::Over(eval) => Some(array([eval])),
            Answer::Failed(_) => None,
        });
        self.pvs.push(match answer {
            Answer::Engine(analysis) => Some(array(analysis.variations.iter().map(|line| line.moves.join(" ")))),
            Answer::Over(_) => Some(array([""])),
            Answer::Failed(_) => None,
        });
        let wdl = analysis.and_then(|analysis| analysis.variations.first()).and_then(|line| line.wdl);
        self.wdl.push(wdl.map(|mut wdl| {
            if turn == 1 {
                wdl.reverse();
            }
            array(wdl)
        }));
        self.reason.push(match answer {
            Answer::Failed(reason) => Some(reason.replace('\0', "\\0")),
            _ => None,
        });
    }
}

/// The id of the engine with these options, which are JSON; inserts it if it is new.
pub fn engine_id(client: &mut Client, schema: &str, name: &str, options: &str, reproducible: bool) -> Result<i32> {
    if let Some(id) = find_engine(client, schema, name, options, reproducible)? {
        return Ok(id);
    }
    let insert = format!(
        "INSERT INTO {schema}.engines (name, options, reproducible) VALUES ($1, ($2::text)::jsonb, $3) \
         ON CONFLICT (name, options, reproducible) DO NOTHING"
    );
    client.execute(&insert, &[&name.replace('\0', ""), &options, &reproducible])?;
    find_engine(client, schema, name, options, reproducible)?.context("the row of the engine is hidden or was deleted")
}

fn find_engine(
    client: &mut Client,
    schema: &str,
    name: &str,
    options: &str,
    reproducible: bool,
) -> Result<Option<i32>> {
    let same = "name = $1 AND options = ($2::text)::jsonb AND reproducible = $3";
    let find = format!("SELECT id FROM {schema}.engines WHERE {same}");
    let row = client.query_opt(&find, &[&name.replace('\0', ""), &options, &reproducible])?;
    Ok(row.map(|row| row.get(0)))
}

/// The options that were requested, as JSON. Requested defaults are stored, because the values that an engine accepts
/// depend on the engine alone.
fn requested(options: &Options) -> String {
    let engine = &options.engine;
    let defaults = engine.defaults.iter().map(|(name, number)| (name.clone(), number.to_string().into()));
    let asked = engine.preferred.iter().chain(&engine.options);
    let set: serde_json::Map<String, serde_json::Value> =
        defaults.chain(asked.map(|(name, value)| (name.clone(), value.as_str().into()))).collect();
    serde_json::Value::Object(set).to_string()
}
