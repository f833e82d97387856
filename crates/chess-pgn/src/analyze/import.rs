//! Puts evaluations from elsewhere into the table `analysis`.
//!
//! Takes lines of JSON as lichess publishes them, plain or compressed: a position and its evaluations, each with a depth
//! and lines of moves. Stores a row for each evaluation, by the engine that the user names. Lines are read one after the
//! other, so a file may have any size; a line that cannot be read is counted, and the first ones are named. Of a damaged
//! file, such as a packed one that is cut off, the lines before the damage are stored.

use std::fmt;
use std::io::{self, BufRead as _, BufReader};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use chess_core::board::fen;
use chess_core::board::key::polyglot_key;
use chess_core::text::clocks_evals::MATE;
use chess_db::schema::Schema;
use chess_uci::engine::MAX_MOVES;
use chess_uci::root::canonical;
use chess_uci::{Root, Standing};
use postgres::{Client, Statement};
use serde_json::Value;

use super::store::{array, engine_id};
use crate::interrupt::Interrupt;
use crate::output::tell;
use crate::read::source::{self, Opened};

/// The number of lines between two transactions.
const LINES: usize = 5000;
/// The longest line, in bytes; lichess's have some 10,000.
const MAX_LINE: u64 = 1 << 20;
/// The size of rows, in bytes, that ends a transaction earlier: lines may have thousands of evaluations.
const ROWS: usize = 8 << 20;
/// What a row takes besides its texts, in bytes.
const ROW: usize = 100;
/// The most lines of moves in an evaluation: no position has more legal moves.
const MAX_PVS: usize = 218;
/// The number of bad lines that are named.
const NAMED: usize = 10;
/// The bound of centipawns, below the evaluation of a mate.
const MAX_CENTIPAWNS: i64 = 89_990;

/// The result of an import.
#[derive(Debug, Default)]
pub struct Outcome {
    lines: u64,
    stored: u64,
    known: u64,
    /// Lines that cannot be read.
    pub bad: u64,
    time: Duration,
    /// Whether the user interrupted the run.
    pub interrupted: bool,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcome { lines, stored, known, bad, .. } = self;
        let seconds = self.time.as_secs_f64();
        write!(
            f,
            "{lines} lines: {stored} evaluations stored, {known} known, {bad} lines cannot be read, in {seconds:.1} s"
        )?;
        if self.interrupted {
            write!(f, "\nthe import is not complete: run the same command again to go on")?;
        }
        Ok(())
    }
}

/// An evaluation.
#[derive(Debug, PartialEq, Eq)]
struct Evaluation {
    depth: i16,
    nodes: Option<i64>,
    evals: Vec<i32>,
    pvs: Vec<String>,
}

/// A position and its evaluations.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    key: i64,
    clock: i32,
    fen: String,
    evaluations: Vec<Evaluation>,
}

/// Reads a line.
fn entry(line: &str) -> Result<Entry> {
    let value: Value = serde_json::from_str(line).context("it is not JSON")?;
    let text = value["fen"].as_str().context("it has no fen")?;
    let board = canonical(&fen::read(text).map_err(|error| anyhow::anyhow!("fen: {error}"))?);
    let root = match Standing::of(&board) {
        Ok(Standing::Open(root)) => root,
        Ok(Standing::Over(_)) => bail!("the position has no moves"),
        Err(error) => bail!("fen: {error}"),
    };
    let evaluations = value["evals"].as_array().context("it has no evals")?;
    Ok(Entry {
        key: polyglot_key(&board) as i64,
        clock: board.halfmove_clock as i32,
        fen: fen::write(&board),
        evaluations: evaluations.iter().map(|value| evaluation(value, &root)).collect::<Result<_>>()?,
    })
}

/// Reads an evaluation. Scores are White's.
fn evaluation(value: &Value, root: &Root) -> Result<Evaluation> {
    let depth = value["depth"].as_i64().and_then(|depth| i16::try_from(depth).ok()).filter(|depth| *depth > 0);
    let nodes = value["knodes"].as_i64().filter(|knodes| *knodes >= 0).map(|knodes| knodes.saturating_mul(1000));
    let lines = value["pvs"].as_array().filter(|lines| !lines.is_empty()).context("an evaluation has no pvs")?;
    anyhow::ensure!(lines.len() <= MAX_PVS, "an evaluation has more than {MAX_PVS} pvs");
    let mut evals = Vec::new();
    let mut pvs = Vec::new();
    for line in lines {
        evals.push(match (line["cp"].as_i64(), line["mate"].as_i64()) {
            (Some(centipawns), None) => centipawns.clamp(-MAX_CENTIPAWNS, MAX_CENTIPAWNS) as i32,
            (None, Some(mate @ 1..=9_999)) => MATE - mate as i32,
            (None, Some(mate @ -9_999..=-1)) => -MATE - mate as i32,
            _ => bail!("a line of moves has no score"),
        });
        let moves = line["line"].as_str().context("a score has no line")?;
        let legal = root.legal(moves.split_ascii_whitespace(), MAX_MOVES);
        anyhow::ensure!(!legal.is_empty(), "illegal moves: {:?}", moves.chars().take(40).collect::<String>());
        pvs.push(legal.join(" "));
    }
    Ok(Evaluation { depth: depth.context("an evaluation has no depth")?, nodes, evals, pvs })
}

/// Imports `file`, or standard input if it is `-`, as evaluations of the engine `name`.
///
/// # Errors
///
/// The server's, or those of the file; the lines before the place of damage are stored then.
pub fn import(client: &mut Client, schema: &Schema, file: &str, name: &str, interrupt: &Interrupt) -> Result<Outcome> {
    let begun = Instant::now();
    let Opened::Pgn(stream) = source::open(file, Arc::new(AtomicU64::new(0)), None).with_context(|| file.to_owned())?
    else {
        bail!("{file}: it is an archive or a database, not lines of JSON");
    };
    let mut input = BufReader::with_capacity(1 << 18, stream.input);
    let engine = engine_id(client, &schema.quoted, name, "{}", false)?;
    let insert = statement(client, schema)?;
    let mut outcome = Outcome::default();
    let mut rows = Rows::default();
    let mut line = Vec::new();
    loop {
        if interrupt.wanted() {
            outcome.interrupted = true;
            break;
        }
        line.clear();
        let read = match read_line(&mut input, &mut line) {
            Ok(Line::End) => break,
            Ok(read) => read,
            Err(error) => {
                rows.store(client, &insert, engine, &mut outcome)?;
                let Outcome { lines, stored, known, .. } = outcome;
                return Err(error).context(format!(
                    "{file}: it cannot be read behind line {lines} ({stored} evaluations stored, {known} known)"
                ));
            }
        };
        outcome.lines += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let parsed = match std::str::from_utf8(&line) {
            _ if read == Line::TooLong => Err(anyhow::anyhow!("it has more than {MAX_LINE} bytes")),
            Ok(text) => entry(text),
            Err(_) => Err(anyhow::anyhow!("it is not UTF-8")),
        };
        match parsed {
            Ok(entry) => rows.add(&entry),
            Err(error) => {
                outcome.bad += 1;
                if outcome.bad <= NAMED as u64 {
                    tell!("chess-pgn: {file}, line {}: {error:#}", outcome.lines);
                }
            }
        }
        if outcome.lines % LINES as u64 == 0 || rows.bytes >= ROWS {
            rows.store(client, &insert, engine, &mut outcome)?;
        }
    }
    rows.store(client, &insert, engine, &mut outcome)?;
    outcome.time = begun.elapsed();
    Ok(outcome)
}

/// What [`read_line`] has read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Whole,
    /// The beginning of a line with more than [`MAX_LINE`] bytes.
    TooLong,
    End,
}

/// Reads a line, and skips what is too long of it.
fn read_line(input: &mut impl io::BufRead, line: &mut Vec<u8>) -> io::Result<Line> {
    match io::Read::take(&mut *input, MAX_LINE).read_until(b'\n', line)? {
        0 => Ok(Line::End),
        read if read as u64 == MAX_LINE && line.last() != Some(&b'\n') => skip_line(input).map(|()| Line::TooLong),
        _ => Ok(Line::Whole),
    }
}

/// Skips the rest of a line.
fn skip_line(input: &mut impl io::BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let (used, ended) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), false),
        };
        input.consume(used);
        if ended {
            return Ok(());
        }
    }
}

/// The evaluations of a position at the same depth, with as many lines, are one row: the first one stays.
fn statement(client: &mut Client, schema: &Schema) -> Result<Statement> {
    let extension = Schema::extension(client)?;
    let schema = &schema.quoted;
    Ok(client.prepare(&format!(include_str!("sql/import.sql"), schema = schema, extension = extension))?)
}

/// Rows by column, so that one statement inserts all.
#[derive(Default)]
struct Rows {
    key: Vec<i64>,
    clock: Vec<i32>,
    fen: Vec<String>,
    depth: Vec<i16>,
    nodes: Vec<Option<i64>>,
    evals: Vec<String>,
    pvs: Vec<String>,
    /// About how much memory they take.
    bytes: usize,
}

impl Rows {
    fn add(&mut self, entry: &Entry) {
        for evaluation in &entry.evaluations {
            self.key.push(entry.key);
            self.clock.push(entry.clock);
            self.fen.push(entry.fen.clone());
            self.depth.push(evaluation.depth);
            self.nodes.push(evaluation.nodes);
            let (evals, pvs) = (array(&evaluation.evals), array(&evaluation.pvs));
            self.bytes += ROW + entry.fen.len() + evals.len() + pvs.len();
            self.evals.push(evals);
            self.pvs.push(pvs);
        }
    }

    fn store(&mut self, client: &mut Client, insert: &Statement, engine: i32, outcome: &mut Outcome) -> Result<()> {
        let Rows { key, clock, fen, depth, nodes, evals, pvs, .. } = std::mem::take(self);
        if key.is_empty() {
            return Ok(());
        }
        let stored = client.execute(insert, &[&engine, &key, &clock, &fen, &depth, &nodes, &evals, &pvs])?;
        outcome.stored += stored;
        outcome.known += key.len() as u64 - stored;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_lichess() {
        let line = r#"{"fen":"r3k2r/8/8/8/8/8/8/R3K2R w KQkq -","evals":[{"pvs":[{"cp":311,"line":"e1h1 e8c8"},{"mate":-3,"line":"a1a8"}],"knodes":206765,"depth":36},{"pvs":[{"mate":2,"line":"a1a8 e8d7"}],"knodes":1,"depth":5}]}"#;
        let entry = entry(line).unwrap();
        assert_eq!(entry.fen, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
        assert_eq!(entry.evaluations[0].pvs, ["e1g1 e8c8", "a1a8"]);
        assert_eq!(entry.evaluations[0].evals, [311, 3 - MATE]);
        assert_eq!((entry.evaluations[0].depth, entry.evaluations[0].nodes), (36, Some(206_765_000)));
        assert_eq!(entry.evaluations[1].evals, [MATE - 2]);
    }

    #[test]
    fn bad_lines_say_why() {
        let reason = |line: &str| format!("{:#}", entry(line).unwrap_err());
        let with = |evals: &str| reason(&format!(r#"{{"fen":"4k3/8/8/8/8/8/8/4K2R w - -","evals":{evals}}}"#));
        assert!(reason("{").starts_with("it is not JSON"));
        assert_eq!(reason("[]"), "it has no fen");
        assert!(reason(r#"{"fen":"nonsense"}"#).starts_with("fen: "));
        assert!(reason(r#"{"fen":"8/8/8/8/8/8/8/8 w - -"}"#).starts_with("fen: "));
        assert_eq!(reason(r#"{"fen":"7k/5Q2/6K1/8/8/8/8/8 b - -"}"#), "the position has no moves");
        assert_eq!(with("7"), "it has no evals");
        assert_eq!(with(r#"[{"depth":3}]"#), "an evaluation has no pvs");
        assert_eq!(with(r#"[{"depth":3,"pvs":[{"line":"e1e2"}]}]"#), "a line of moves has no score");
        assert_eq!(with(r#"[{"depth":3,"pvs":[{"cp":1,"mate":1,"line":"e1e2"}]}]"#), "a line of moves has no score");
        assert_eq!(with(r#"[{"depth":3,"pvs":[{"mate":0,"line":"e1e2"}]}]"#), "a line of moves has no score");
        assert_eq!(with(r#"[{"depth":3,"pvs":[{"cp":1}]}]"#), "a score has no line");
        assert_eq!(with(r#"[{"depth":3,"pvs":[{"cp":1,"line":"e2e4"}]}]"#), "illegal moves: \"e2e4\"");
        let many = [r#"{"cp":1,"line":"e1e2"}"#; MAX_PVS + 1].join(",");
        assert_eq!(with(&format!(r#"[{{"depth":3,"pvs":[{many}]}}]"#)), "an evaluation has more than 218 pvs");
        assert_eq!(with(r#"[{"depth":99999,"pvs":[{"cp":1,"line":"e1e2"}]}]"#), "an evaluation has no depth");
    }
}
