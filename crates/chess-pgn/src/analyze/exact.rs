//! Puts what endgame tables say of the positions of stored games into the table `analysis`.
//!
//! Takes the selected games and directories with tables; stores a row for each position with few men, by the engine
//! [`ENGINE`], limited by `tables`. No engine is asked. Games that end with too many men are passed over by their
//! header. A position that has its row is not looked up again, so an interrupted run continues when it is run again.

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use chess_core::board::fen;
use chess_core::board::key::polyglot_key;
use chess_core::facts::positions;
use chess_core::text::clocks_evals::MATE;
use chess_core::{Board, Game, GameRef};
use chess_db::schema::Schema;
use chess_db::wire::GameBytes;
use chess_tablebases::{Tablebases, Verdict};
use chess_uci::root::canonical;
use postgres::Client;

use super::store::{array, engine_id};
use crate::interrupt::Interrupt;
use crate::output::tell;

/// The name of the tables among the engines.
const ENGINE: &str = "Syzygy";

/// The evaluation of a position that the tables call won, less the half-moves to the next capture or pawn move: above
/// that of any engine without a mate.
const WON: i32 = 20_000;

/// The fifty-move rule, in half-moves.
const FIFTY_MOVES: i32 = 100;

/// The number of games that are read at a time.
const GAMES: usize = 2000;

/// What is looked up, and where.
#[derive(Debug)]
pub struct Options {
    /// The schema with the tables.
    pub schema: Schema,
    /// A condition on the columns of `pgn_view`.
    pub condition: Option<String>,
    /// The maximum number of games.
    pub games: Option<u64>,
    /// The directories with tables, separated by colons.
    pub directories: String,
    /// The first and the last half-move after which positions are looked up.
    pub plies: (u32, u32),
}

/// The result of a run.
#[derive(Debug, Default)]
pub struct Outcome {
    games: usize,
    /// Games with a position that the tables know.
    reaching: usize,
    stored: usize,
    known: usize,
    /// Positions without a value, because a table is missing or damaged.
    missing: usize,
    unreadable: usize,
    men: usize,
    time: Duration,
    /// What was wrong with tables.
    pub faults: BTreeSet<String>,
    /// Whether the user interrupted the run.
    pub interrupted: bool,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} games have positions of up to {} men: {} stored, {} known in {:.1} s",
            self.reaching,
            self.games,
            self.men,
            self.stored,
            self.known,
            self.time.as_secs_f64()
        )?;
        if self.missing > 0 {
            write!(f, "\n{} positions have no value: a table is missing or damaged", self.missing)?;
        }
        if self.unreadable > 0 {
            write!(f, "\n{} games cannot be read", self.unreadable)?;
        }
        if self.interrupted {
            write!(f, "\nthe run is not complete: run the same command again to go on")?;
        }
        Ok(())
    }
}

/// A position of a game.
struct Position {
    key: i64,
    clock: i32,
    board: Board,
    fen: String,
}

/// The positions of a game that have few men and no castling rights.
fn few_men(game: GameRef<'_>, plies: (u32, u32), men: usize) -> Result<Vec<Position>> {
    let mut found = Vec::new();
    positions::each(game, |ply, board| {
        if ply > plies.1 {
            return ControlFlow::Break(());
        }
        if ply >= plies.0 && board.castling == [0, 0] && board.occupied().count_ones() as usize <= men {
            let board = canonical(board);
            let key = polyglot_key(&board) as i64;
            found.push(Position { key, clock: board.halfmove_clock as i32, fen: fen::write(&board), board });
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// Evaluates the positions of the selected games. `client` is the user's session; the condition is evaluated there.
pub fn evaluate(client: &mut Client, store: &mut Client, options: &Options, interrupt: &Interrupt) -> Result<Outcome> {
    let begun = Instant::now();
    let tables = Tablebases::open(&options.directories).context("cannot read the endgame tables")?;
    anyhow::ensure!(!tables.is_empty(), "{} has no endgame tables, such as KQvK.rtbw", options.directories);
    let games = super::games(client, &options.schema, options.condition.as_deref(), options.games)?;
    let statements = Statements::new(store, &options.schema)?;
    let outcome = Outcome { games: games.len(), men: tables.max_men(), ..Outcome::default() };
    let mut run = Run { tables, statements, plies: options.plies, seen: HashSet::new(), outcome };
    for ids in games.chunks(GAMES) {
        if interrupt.wanted() {
            run.outcome.interrupted = true;
            break;
        }
        let (reaching, positions) = run.read(store, ids)?;
        let rows = run.look_up(store, &positions)?;
        run.statements.store(store, &rows, &reaching)?;
        run.outcome.reaching += reaching.len();
        run.outcome.stored += rows.key.len();
    }
    run.outcome.time = begun.elapsed();
    Ok(run.outcome)
}

/// A run over games.
struct Run {
    tables: Tablebases,
    statements: Statements,
    plies: (u32, u32),
    /// The keys and clocks of the positions that were read, so that each is looked up once.
    seen: HashSet<(i64, i32)>,
    outcome: Outcome,
}

impl Run {
    /// Reads games by their ids. Returns the ids of those that reach positions with few men, and these positions, except for those that
    /// this run has read before.
    fn read(&mut self, store: &mut Client, ids: &[i64]) -> Result<(Vec<i64>, Vec<Position>)> {
        let (mut reaching, mut positions) = (Vec::new(), Vec::new());
        let men = self.tables.max_men();
        for row in store.query(&self.statements.games, &[&ids])? {
            let id: i64 = row.get(0);
            // Anybody may write to the tables, so stored bytes are checked like foreign ones.
            let found =
                row.try_get::<_, GameBytes>(1).map_err(anyhow::Error::from).and_then(|bytes| {
                    match GameRef::new(&bytes.0)?.men_left() as usize <= men {
                        true => few_men(Game::from_bytes(&bytes.0)?.view(), self.plies, men),
                        false => Ok(Vec::new()),
                    }
                });
            match found {
                Ok(found) if found.is_empty() => (),
                Ok(found) => {
                    reaching.push(id);
                    positions.extend(found);
                }
                Err(error) => {
                    self.outcome.unreadable += 1;
                    tell!("chess-pgn: game {id}: {error}");
                }
            }
        }
        positions.retain(|position| self.seen.insert((position.key, position.clock)));
        // All sessions insert in the same order, which prevents deadlocks.
        positions.sort_by_key(|position| (position.key, position.clock));
        Ok((reaching, positions))
    }

    /// Looks up in the endgame tables the positions that have no row yet, and returns the rows to be stored.
    fn look_up(&mut self, store: &mut Client, positions: &[Position]) -> Result<Rows> {
        let keys: Vec<i64> = positions.iter().map(|position| position.key).collect();
        let clocks: Vec<i32> = positions.iter().map(|position| position.clock).collect();
        let known = store.query(&self.statements.known, &[&self.statements.engine, &keys, &clocks])?;
        let mut rows = Rows::default();
        for (position, known) in positions.iter().zip(known) {
            if known.get(0) {
                self.outcome.known += 1;
                continue;
            }
            match self.tables.probe(&position.board) {
                Ok(Some(verdict)) if verdict.line.is_some() => rows.add(position, &verdict),
                Ok(_) => self.outcome.missing += 1,
                Err(fault) => {
                    self.outcome.missing += 1;
                    self.outcome.faults.insert(fault.to_string());
                }
            }
        }
        Ok(rows)
    }
}

/// The evaluation of a position for White, in centipawns.
fn evaluation(board: &Board, verdict: &Verdict, dtz: i32, is_over: bool) -> i32 {
    // canonical boards have a clock only where the fifty-move rule is near
    let clock = i32::try_from(board.halfmove_clock).unwrap_or(i32::MAX);
    let for_mover = match verdict.wdl {
        -2 if is_over => -MATE,
        2 | -2 if dtz.abs().saturating_add(clock) <= FIFTY_MOVES => (WON - dtz.abs()) * verdict.wdl.signum(),
        _ => 0,
    };
    if board.turn == 0 { for_mover } else { -for_mover }
}

/// The prepared statements.
struct Statements {
    engine: i32,
    games: postgres::Statement,
    known: postgres::Statement,
    insert: postgres::Statement,
    done: postgres::Statement,
}

impl Statements {
    fn new(client: &mut Client, schema: &Schema) -> Result<Statements> {
        let extension = Schema::extension(client)?;
        let schema = &schema.quoted;
        let engine = engine_id(client, schema, ENGINE, "{}", true)?;
        let games = client.prepare(&format!("SELECT id, game FROM {schema}.games WHERE id = ANY($1::bigint[])"))?;
        let known = client.prepare(&format!(
            "SELECT EXISTS (SELECT FROM {schema}.analysis a WHERE a.key = q.key AND a.halfmove_clock = q.clock \
                 AND a.engine_id = $1 AND a.limit_kind = 'tables') \
             FROM unnest($2::bigint[], $3::integer[]) WITH ORDINALITY AS q (key, clock, n) ORDER BY n"
        ))?;
        let insert =
            client.prepare(&format!(include_str!("sql/insert_exact.sql"), schema = schema, extension = extension))?;
        let done = client.prepare(&format!(
            "INSERT INTO {schema}.analyzed_games SELECT id FROM {schema}.games WHERE id = ANY($1::bigint[]) \
             ORDER BY id ON CONFLICT DO NOTHING"
        ))?;
        Ok(Statements { engine, games, known, insert, done })
    }

    /// Stores rows in one transaction, and marks their games.
    fn store(&self, client: &mut Client, rows: &Rows, games: &[i64]) -> Result<()> {
        let mut transaction = client.transaction()?;
        transaction.execute(
            &self.insert,
            &[
                &self.engine,
                &rows.key,
                &rows.clock,
                &rows.fen,
                &rows.best,
                &rows.eval,
                &rows.wdl,
                &rows.tb_wdl,
                &rows.tb_dtz,
            ],
        )?;
        transaction.execute(&self.done, &[&games])?;
        transaction.commit()?;
        Ok(())
    }
}

/// Rows by column, so that one statement inserts all.
#[derive(Default)]
struct Rows {
    key: Vec<i64>,
    clock: Vec<i32>,
    fen: Vec<String>,
    best: Vec<Option<String>>,
    eval: Vec<i32>,
    wdl: Vec<String>,
    tb_wdl: Vec<i16>,
    tb_dtz: Vec<i32>,
}

impl Rows {
    fn add(&mut self, position: &Position, verdict: &Verdict) {
        let Some(line) = &verdict.line else { return };
        let best = line.best.first();
        let eval = evaluation(&position.board, verdict, line.dtz, best.is_none());
        self.key.push(position.key);
        self.clock.push(position.clock);
        self.fen.push(position.fen.clone());
        self.best.push(best.cloned());
        self.eval.push(eval);
        self.wdl.push(array(match eval.signum() {
            1 => [1000, 0, 0],
            0 => [0, 1000, 0],
            _ => [0, 0, 1000],
        }));
        self.tb_wdl.push(verdict.wdl as i16);
        self.tb_dtz.push(line.dtz);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_core::text::movetext;
    use chess_tablebases::Line;

    #[test]
    fn evaluations_know_the_fifty_move_rule() {
        let eval = |fen_text: &str, wdl, dtz, over| {
            let verdict = Verdict { wdl, line: Some(Line { dtz, best: Vec::new() }) };
            evaluation(&canonical(&fen::read(fen_text).unwrap()), &verdict, dtz, over)
        };
        let white = "8/8/8/8/8/k7/8/K6Q w - - 0 1";
        assert_eq!(eval(white, 2, 9, false), 19_991);
        assert_eq!(eval(white, -2, -9, false), -19_991);
        assert_eq!([eval(white, 1, 110, false), eval(white, 0, 0, false), eval(white, -1, -101, false)], [0; 3]);
        assert_eq!(eval("8/8/8/8/8/k7/8/K6Q b - - 60 1", -2, -10, false), 19_990);
        assert_eq!(eval("8/8/8/8/8/k7/8/K6Q b - - 90 1", -2, -10, false), 19_990);
        assert_eq!(eval("8/8/8/8/8/k7/8/K6Q b - - 91 1", -2, -10, false), 0);
        assert_eq!(eval("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", -2, -1, true), MATE);
    }

    #[test]
    fn only_positions_of_few_men() {
        let text = "[FEN \"4k3/8/8/8/8/8/4p3/R3K3 w Q - 0 1\"] 1. Kxe2 Kd7 2. Ke3";
        let game = movetext::read(text).unwrap();
        let plies = |range, men| few_men(game.view(), range, men).unwrap().len();
        // the start has castling rights
        assert_eq!(plies((0, u32::MAX), 4), 3);
        assert_eq!(plies((0, u32::MAX), 2), 0);
        assert_eq!(plies((2, 2), 3), 1);
    }
}
