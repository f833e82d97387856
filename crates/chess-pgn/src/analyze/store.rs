//! What is known of positions, and what becomes known: the tables `engines`, `analysis` and `analyzed_games`.

use anyhow::{Context, Result};
use chess_db::schema::Schema;
use chess_uci::{Analysis, Limit};
use postgres::{Client, Statement};

use super::Options;
use super::question::Question;
use crate::wire::GameBytes;

/// What came of a question.
#[derive(Debug)]
pub enum Answer {
    /// The engine's analysis.
    Engine(Analysis),
    /// Nobody was asked: it is over, and stands so for White.
    Over(i32),
    /// None, for this reason.
    Failed(String),
}

/// A connection that reads games and stores answers.
pub struct Store<'a> {
    client: &'a mut Client,
    engine: i32,
    multipv: i16,
    limit: (&'static str, i64),
    retry: bool,
    lock_name: String,
    game: Statement,
    known: Statement,
    insert: Statement,
    done: Statement,
}

impl<'a> Store<'a> {
    /// Prepares a connection for what an engine of that name says.
    pub fn new(client: &'a mut Client, options: &Options, name: &str) -> Result<Store<'a>> {
        let schema = &options.schema.quoted;
        let extension = Schema::extension(client)?;
        let engine = engine_id(client, schema, name, options)?;
        let game = client.prepare(&format!("SELECT game FROM {schema}.games WHERE id = $1"))?;
        // A search that went further than asked for serves as well.
        let known = client.prepare(&format!(
            "SELECT EXISTS (SELECT FROM {schema}.analysis a \
                 WHERE a.key = q.key AND a.halfmove_clock = q.clock AND a.engine_id = $4 AND a.multipv >= $5 \
                   AND (a.limit_kind = $6 AND a.limit_value >= $7 OR $6 = 'nodes' AND a.nodes >= $7 \
                        OR $6 = 'depth' AND a.depth >= $7 OR a.status = 'over') \
                   AND NOT ($8 AND a.status IN ('failed', 'stopped')) \
                   AND {extension}.sameposition(a.board, q.fen::{extension}.chessboard)) \
             FROM unnest($1::bigint[], $2::integer[], $3::text[]) WITH ORDINALITY AS q (key, clock, fen, n) ORDER BY n"
        ))?;
        // Of two who have asked the same at once, the first counts; a failure gives way.
        let insert = client.prepare(&format!(
            "INSERT INTO {schema}.analysis AS a (key, halfmove_clock, board, engine_id, multipv, limit_kind, limit_value, \
                 status, depth, seldepth, time_ms, nodes, best, evals, pvs, wdl, reason) \
             VALUES ($1, $2, ($3::text)::{extension}.chessboard, $4, $5, $6, $7, \
                 $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) \
             ON CONFLICT (key, halfmove_clock, engine_id, multipv, limit_kind, limit_value) DO UPDATE \
             SET status = excluded.status, depth = excluded.depth, seldepth = excluded.seldepth, \
                 time_ms = excluded.time_ms, nodes = excluded.nodes, best = excluded.best, evals = excluded.evals, \
                 pvs = excluded.pvs, wdl = excluded.wdl, reason = excluded.reason, at = excluded.at \
             WHERE a.status IN ('failed', 'stopped') AND {extension}.sameposition(a.board, excluded.board)"
        ))?;
        let done = client
            .prepare(&format!(
                "INSERT INTO {schema}.analyzed_games SELECT id FROM {schema}.games WHERE id = $1 ON CONFLICT DO NOTHING"
            ))
            .context("cannot prepare the tables of the analysis")?;
        let limit = match options.limit {
            Limit::Nodes(nodes) => ("nodes", nodes as i64),
            Limit::Depth(depth) => ("depth", i64::from(depth)),
            Limit::Movetime(time) => ("movetime", time.as_millis() as i64),
        };
        let lock_name = format!("chess-pgn analyze {}", options.schema.name);
        let multipv = options.multipv as i16;
        let retry = options.retry;
        Ok(Store { client, engine, multipv, limit, retry, lock_name, game, known, insert, done })
    }

    /// Takes a game for this session; false if another has it.
    pub fn claim(&mut self, game: i64) -> Result<bool> {
        let query = "SELECT pg_try_advisory_lock(hashtextextended($1, $2))";
        Ok(self.client.query_one(query, &[&self.lock_name, &game])?.get(0))
    }

    /// Gives it back.
    pub fn release(&mut self, game: i64) -> Result<()> {
        self.client.execute("SELECT pg_advisory_unlock(hashtextextended($1, $2))", &[&self.lock_name, &game])?;
        Ok(())
    }

    /// The bytes of a game; none if it is gone.
    pub fn game(&mut self, id: i64) -> Result<Option<Vec<u8>>> {
        let row = self.client.query_opt(&self.game, &[&id])?;
        Ok(row.map(|row| row.try_get::<_, GameBytes>(0)).transpose()?.map(|game| game.0))
    }

    /// Which of the questions need no answer any more.
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

    /// Stores answers in one transaction, and with `game` that it has been gone through.
    pub fn store(&mut self, answers: &mut Vec<(Question, Answer)>, game: Option<i64>) -> Result<()> {
        // Whoever stores the same positions at the same time does so in the same order.
        answers.sort_by_key(|(question, _)| (question.key, question.clock));
        let mut transaction = self.client.transaction()?;
        for (question, answer) in answers.iter() {
            let mut row = Row::default();
            row.fill(question, answer);
            transaction.execute(
                &self.insert,
                &[
                    &question.key,
                    &question.clock,
                    &question.fen,
                    &self.engine,
                    &self.multipv,
                    &self.limit.0,
                    &self.limit.1,
                    &row.status,
                    &row.depth,
                    &row.seldepth,
                    &row.time_ms,
                    &row.nodes,
                    &row.best,
                    &row.evals,
                    &row.pvs,
                    &row.wdl,
                    &row.reason,
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

/// The columns that the answer fills.
#[derive(Default)]
struct Row {
    status: &'static str,
    depth: Option<i16>,
    seldepth: Option<i16>,
    time_ms: Option<i32>,
    nodes: Option<i64>,
    best: Option<String>,
    evals: Option<Vec<i32>>,
    pvs: Option<Vec<String>>,
    wdl: Option<Vec<i16>>,
    reason: Option<String>,
}

impl Row {
    fn fill(&mut self, question: &Question, answer: &Answer) {
        let turn = question.board.turn;
        match answer {
            Answer::Engine(analysis) => {
                self.status = if analysis.stopped { "stopped" } else { "done" };
                let small = |value: u32| i16::try_from(value).unwrap_or(i16::MAX);
                self.depth = Some(small(analysis.depth));
                self.seldepth = Some(small(analysis.seldepth));
                self.time_ms = Some(i32::try_from(analysis.time_ms).unwrap_or(i32::MAX));
                self.nodes = Some(i64::try_from(analysis.nodes).unwrap_or(i64::MAX));
                self.best = Some(analysis.best.clone());
                self.evals = Some(analysis.variations.iter().map(|line| line.score.for_white(turn)).collect());
                self.pvs = Some(analysis.variations.iter().map(|line| line.moves.join(" ")).collect());
                self.wdl = analysis.variations.first().and_then(|line| line.wdl).map(|mut wdl| {
                    if turn == 1 {
                        wdl.reverse();
                    }
                    wdl.iter().map(|share| *share as i16).collect()
                });
            }
            Answer::Over(eval) => {
                self.status = "over";
                self.evals = Some(vec![*eval]);
                self.pvs = Some(vec![String::new()]);
            }
            Answer::Failed(reason) => {
                self.status = "failed";
                self.reason = Some(reason.replace('\0', "\\0"));
            }
        }
    }
}

/// The number of the engine with these options, made if it is new.
fn engine_id(client: &mut Client, schema: &str, name: &str, options: &Options) -> Result<i32> {
    let set: serde_json::Map<String, serde_json::Value> = options
        .engine
        .preferred
        .iter()
        .chain(&options.engine.options)
        .map(|(name, value)| (name.clone(), value.as_str().into()))
        .collect();
    let set = serde_json::Value::Object(set).to_string();
    let name = name.replace('\0', "");
    let params: [&(dyn postgres::types::ToSql + Sync); 3] = [&name, &set, &options.reproducible];
    let same = "name = $1 AND options = ($2::text)::jsonb AND reproducible = $3";
    let find = format!("SELECT id FROM {schema}.engines WHERE {same}");
    if let Some(row) = client.query_opt(&find, &params)? {
        return Ok(row.get(0));
    }
    let insert = format!(
        "INSERT INTO {schema}.engines (name, options, reproducible) VALUES ($1, ($2::text)::jsonb, $3) \
         ON CONFLICT DO NOTHING"
    );
    client.execute(&insert, &params)?;
    Ok(client.query_one(&find, &params)?.get(0))
}
