//! Measures how fast chess-web answers. Each client has a connection of its own and walks from the start position like
//! somebody who explores openings: it draws moves by how often they were played.
//!
//! In: the address of a chess-web; the number of questions (10,000) and of clients (16); the path (api/explorer, or one of
//! lichess's). Out: one line with questions per second, the number of different questions, and the times of the answers (median,
//! 99th percentile, slowest); on standard error the slowest questions. The same arguments ask the same questions as long as the
//! games are the same.

#[path = "../tests/http/mod.rs"]
mod http;

use std::collections::HashSet;
use std::env;
use std::thread;
use std::time::{Duration, Instant};

use http::Http;
use serde_json::Value;

/// The longest walk, in half-moves. The next one begins at the start position.
const LONGEST: usize = 24;

/// A generator with a fixed sequence.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

/// Asks a number of questions; returns the time of each answer, `None` for an error, and the path.
fn walk(url: &str, path: &str, questions: usize, seed: u64) -> Vec<(Option<Duration>, String)> {
    let mut http = Http::new(url);
    let mut random = Random(seed);
    let mut times = Vec::new();
    let mut line: Vec<String> = Vec::new();
    while times.len() < questions {
        let path = format!("/{path}?play={}", line.join(","));
        let start = Instant::now();
        let (status, body) = http.get(&path);
        let time = start.elapsed();
        times.push(((status == 200).then_some(time), path));
        if status != 200 {
            line.clear();
            continue;
        }
        let answer: Value = serde_json::from_str(&body).unwrap();
        let moves = answer["moves"].as_array().unwrap();
        let games = |row: &Value| {
            let results = || ["white", "draws", "black"].iter().filter_map(|result| row[*result].as_u64()).sum();
            row["games"].as_u64().unwrap_or_else(results)
        };
        let all: u64 = moves.iter().map(games).sum();
        if all == 0 || line.len() >= LONGEST || random.below(8) == 0 {
            line.clear();
            continue;
        }
        let mut drawn = random.below(all);
        let chosen = moves.iter().find(|row| {
            let here = drawn < games(row);
            drawn = drawn.saturating_sub(games(row));
            here
        });
        line.extend(chosen.and_then(|row| row["uci"].as_str()).map(str::to_owned));
    }
    times
}

fn main() {
    let mut args = env::args().skip(1);
    let url = args.next().expect("the address of a chess-web");
    let mut number = |default: usize| args.next().map_or(default, |text| text.parse().expect("a number"));
    let (questions, clients) = (number(10_000), number(16));
    let path = args.next().unwrap_or_else(|| "api/explorer".to_owned());
    // warms up files and plans
    drop(walk(&url, &path, 50, 1));
    let start = Instant::now();
    let walks: Vec<_> = (0..clients)
        .map(|client| {
            let (url, path) = (url.clone(), path.clone());
            thread::spawn(move || walk(&url, &path, questions / clients, 1000 + client as u64))
        })
        .collect();
    let asked: Vec<(Option<Duration>, String)> = walks.into_iter().flat_map(|walk| walk.join().unwrap()).collect();
    let seconds = start.elapsed().as_secs_f64();
    let different = asked.iter().map(|(_, path)| path).collect::<HashSet<_>>().len();
    let mut times: Vec<(Duration, &String)> = asked.iter().filter_map(|(time, path)| Some(((*time)?, path))).collect();
    times.sort();
    assert!(!times.is_empty(), "no question was answered");
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].0.as_secs_f64() * 1000.0;
    println!(
        "{} questions ({different} different), {:.0} a second; p50 {:.1} ms, p99 {:.1} ms, slowest {:.1} ms{}",
        asked.len(),
        asked.len() as f64 / seconds,
        at(0.5),
        at(0.99),
        at(1.0),
        match asked.len() - times.len() {
            0 => String::new(),
            failed => format!("; {failed} NOT ANSWERED"),
        }
    );
    for (time, path) in times.iter().rev().take(5) {
        eprintln!("{:10.1} ms  {path}", time.as_secs_f64() * 1000.0);
    }
}
