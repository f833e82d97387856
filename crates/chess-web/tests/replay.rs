//! Compares the explorer with a replay of all games by shakmaty, for 1,000 positions.
//!
//! In: `PGN`, a file of games without comments; `CHESS_WEB_URL`, a chess-web over a database that holds these games only.
//! scripts/test-web.sh runs it.

mod http;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::{env, fs};

use http::Http;
use serde_json::Value;
use shakmaty::fen::{Epd, Fen};
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

const POSITIONS: usize = 1000;
/// Half of the positions come from this number of first half-moves, which many games share.
const EARLY: usize = 24;

/// Results in the order White, draw, Black, unknown.
type Counts = [i64; 4];

/// The games of a position, by their next move in UCI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Played {
    fen: String,
    games: i64,
    moves: BTreeMap<String, Counts>,
    ended: i64,
    results: Counts,
    /// The position after each move.
    after: BTreeMap<String, String>,
}

fn epd(position: &Chess) -> String {
    Epd::from_position(position, EnPassantMode::Legal).to_string()
}

fn replay(pgn: &str) -> (HashMap<String, Played>, Vec<Vec<String>>) {
    let mut all: HashMap<String, Played> = HashMap::new();
    let mut courses = Vec::new();
    for game in pgn.split("[Event ").skip(1) {
        let moves = game.split("\n\n").nth(1).expect("moves follow the tags");
        let mut position = Chess::default();
        let mut seen = BTreeSet::new();
        let mut course = Vec::new();
        // the positions that are new in this game, each with the move and the position after it
        let mut open: Vec<(String, Option<(String, String)>)> = Vec::new();
        let mut result = 3;
        for word in moves.split_whitespace() {
            if let Some(known) = ["1-0", "1/2-1/2", "0-1", "*"].iter().position(|known| *known == word) {
                result = known;
                break;
            }
            if word.ends_with('.') {
                continue;
            }
            let here = epd(&position);
            let is_new = seen.insert(here.clone());
            let entry = all.entry(here.clone()).or_default();
            if entry.fen.is_empty() {
                entry.fen = Fen::from_position(&position, EnPassantMode::Legal).to_string();
            }
            let played = word.parse::<SanPlus>().unwrap().san.to_move(&position).unwrap();
            let uci = played.to_uci(CastlingMode::Standard).to_string();
            position.play_unchecked(played);
            if is_new {
                open.push((here.clone(), Some((uci, epd(&position)))));
            }
            course.push(here);
        }
        let last = epd(&position);
        if seen.insert(last.clone()) {
            open.push((last.clone(), None));
        }
        let fen = Fen::from_position(&position, EnPassantMode::Legal).to_string();
        all.entry(last.clone()).or_default().fen = fen;
        course.push(last);
        courses.push(course);
        for (at, next) in open {
            let entry = all.entry(at).or_default();
            entry.games += 1;
            entry.results[result] += 1;
            match next {
                None => entry.ended += 1,
                Some((uci, after)) => {
                    entry.moves.entry(uci.clone()).or_default()[result] += 1;
                    entry.after.insert(uci, after);
                }
            }
        }
    }
    (all, courses)
}

/// Percent-encodes a value of a URL.
fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// A number of a fixed pseudo-random sequence.
fn random(state: &mut u64, below: usize) -> usize {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 33) as usize % below
}

#[test]
#[ignore = "needs a server: scripts/test-web.sh"]
fn sums_are_those_of_a_replay() {
    let pgn = fs::read_to_string(env::var("PGN").unwrap()).unwrap();
    let (all, courses) = replay(&pgn);
    let mut wanted = BTreeSet::from([epd(&Chess::default())]);
    let mut state = 1;
    while wanted.len() < POSITIONS {
        let course = &courses[random(&mut state, courses.len())];
        let length = if wanted.len() % 2 == 0 { course.len().min(EARLY) } else { course.len() };
        wanted.insert(course[random(&mut state, length)].clone());
    }
    let mut http = Http::new(&env::var("CHESS_WEB_URL").unwrap());
    let mut shared = 0;
    for position in &wanted {
        let expected = &all[position];
        shared += i64::from(expected.games > 1);
        let (status, body) = http.get(&format!("/api/explorer?reached=1&fen={}", encoded(&expected.fen)));
        assert_eq!(status, 200, "{position}: {body}");
        let answer: Value = serde_json::from_str(&body).unwrap();
        let number = |json: &Value, name: &str| json[name].as_i64().unwrap_or_else(|| panic!("{name} of {position}"));
        let counts = |json: &Value| ["white", "draws", "black", "unknown"].map(|name| number(json, name));
        let found: BTreeMap<String, Counts> = answer["moves"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| (row["uci"].as_str().unwrap().into(), counts(row)))
            .collect();
        assert_eq!(found, expected.moves, "moves of {position}");
        assert_eq!(
            (number(&answer, "games"), number(&answer, "ended")),
            (expected.games, expected.ended),
            "{position}"
        );
        for row in answer["moves"].as_array().unwrap() {
            let (uci, reached) = (row["uci"].as_str().unwrap(), number(row, "reached"));
            assert_eq!(number(row, "games"), counts(row).iter().sum::<i64>(), "{position} {uci}");
            let after = &all[&expected.after[uci]];
            assert_eq!(reached, after.games, "reached from {position} by {uci}");
            assert_eq!(counts(&row["position"]), after.results, "results of the position after {uci} in {position}");
        }
    }
    assert!(shared > 100, "only {shared} positions are of more than one game");
    println!("{} positions, {shared} of them of more than one game, as a replay by shakmaty counts them", wanted.len());
}
