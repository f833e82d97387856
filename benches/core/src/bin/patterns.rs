//! Patterns and the games of a PGN file: their matches, or the time of the search beside that of a plain replay.
//!
//! ```text
//! cargo run --release -p chess-bench-core --bin patterns -- rows FILE.pgn < PATTERNS
//! cargo run --release -p chess-bench-core --bin patterns -- time FILE.pgn [rounds] < PATTERNS
//! ```
//!
//! Each line of input is a pattern. `rows` prints for each pattern the matching games, and the first and last
//! half-moves of their matches; or the error of an invalid pattern. It asserts that each matching game has the keys
//! by which an index finds it. `time` prints nanoseconds per game, the median of the rounds, beside a replay of every
//! game to its end.

use std::env;
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{BufRead, Write as _};
use std::process::ExitCode;
use std::time::Instant;

use chess_core::Game;
use chess_core::search::pattern::{Pattern, pattern_keys};
use chess_core::text::read_pgn;

fn main() -> ExitCode {
    let args: Vec<String> = env::args().collect();
    let [_, how, file, rest @ ..] = args.as_slice() else {
        eprintln!("usage: patterns rows|time FILE.pgn [rounds] < PATTERNS");
        return ExitCode::FAILURE;
    };
    let bytes = std::fs::read(file).expect("a readable file");
    // Latin-1 if it is not UTF-8
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|byte| char::from(*byte)).collect());
    let read = read_pgn::games(&text).enumerate().filter_map(|(number, read)| Some((number, read.game.ok()?)));
    let games: Vec<(usize, Game)> = read.collect();
    let patterns: Vec<String> = std::io::stdin().lock().lines().map(|line| line.expect("UTF-8")).collect();
    match how.as_str() {
        "rows" => write_rows(&games, &patterns),
        _ => time(&games, &patterns, rest.first().and_then(|rounds| rounds.parse().ok()).unwrap_or(5)),
    }
    ExitCode::SUCCESS
}

fn write_rows(games: &[(usize, Game)], patterns: &[String]) {
    let mut out = std::io::stdout().lock();
    let keys_of = |(_, game): &(usize, Game)| {
        let mut keys = Vec::new();
        pattern_keys(game.view(), &mut keys).expect("a sound game");
        keys
    };
    let keys: Vec<Vec<u64>> = games.iter().map(keys_of).collect();
    for text in patterns {
        let mut line = String::new();
        match Pattern::read(text) {
            Err(error) => {
                let _ = write!(line, "ERROR {error}");
            }
            Ok(pattern) => {
                let again = Pattern::read(pattern.as_str()).expect("what is written can be read");
                assert_eq!(again.as_str(), pattern.as_str());
                let mut matcher = again.matcher();
                let mut survey = again.matcher().surveying(true);
                let tree = again.key_tree();
                for ((number, game), keys) in games.iter().zip(&keys) {
                    let mut rows = String::new();
                    let mut first = None;
                    let visit = |from, to| {
                        first.get_or_insert(to);
                        let _ = write!(rows, " {from}-{to}");
                        false
                    };
                    matcher.each(game.view(), visit).expect("a sound game");
                    for matcher in [&mut matcher, &mut survey] {
                        assert_eq!(matcher.find(game.view(), u32::MAX).expect("a sound game"), first, "{pattern}");
                    }
                    if !rows.is_empty() {
                        assert!(tree.may_match_game(keys), "an index would pass over game {number}: {pattern}");
                        let _ = write!(line, "{number}:{rows};");
                    }
                }
            }
        }
        writeln!(out, "{line}").expect("a writable output");
    }
}

/// Nanoseconds per game.
#[inline(never)]
fn measure(games: &[(usize, Game)], mut search: impl FnMut(&Game) -> bool) -> (f64, usize) {
    let before = Instant::now();
    let found = games.iter().filter(|(_, game)| black_box(search(game))).count();
    (before.elapsed().as_secs_f64() * 1e9 / games.len() as f64, found)
}

fn time(games: &[(usize, Game)], patterns: &[String], rounds: usize) {
    let half_moves: u64 = games.iter().map(|(_, game)| u64::from(game.view().ply_count())).sum();
    println!("{} games, {:.1} half-moves each", games.len(), half_moves as f64 / games.len() as f64);
    let mut lines: Vec<(String, Vec<f64>, usize)> = vec![("(replay to the end)".into(), Vec::new(), 0)];
    lines.extend(patterns.iter().map(|text| (text.clone(), Vec::new(), 0)));
    for _ in 0..rounds {
        for (n, (text, times, count)) in lines.iter_mut().enumerate() {
            let (time, found) = if n == 0 {
                measure(games, |game| game.view().board_at(game.view().ply_count()).expect("a sound game").is_ok())
            } else {
                let mut matcher = Pattern::read(text).expect("a pattern").matcher();
                measure(games, |game| matcher.find(game.view(), u32::MAX).expect("a sound game").is_some())
            };
            times.push(time);
            *count = found;
        }
    }
    for (text, times, count) in &mut lines {
        times.sort_by(f64::total_cmp);
        println!("{:8.0} ns {count:8}  {text}", times[times.len() / 2]);
    }
}
