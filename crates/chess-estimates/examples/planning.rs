//! How long the planner takes to know what a random pattern costs and finds.
//!
//! ```text
//! cargo run --release -p chess-estimates --example planning -- [COUNT [SEED [FILE.pgn]]]
//! ```
//!
//! It draws COUNT patterns from a seed, and half as many that compare numbers of many squares; the statistics are those of
//! a sample of the games of a file, or of generated ones. For each pattern it reads the text and tries it as the planner
//! does, in several rounds, of which the shortest counts: other programs make a round longer, never shorter. It prints the median, the 99th percentile and the most of the milliseconds, and the slowest patterns with their counted work.

#![forbid(unsafe_code)]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../../../benches/instructions/src/bin/worst_patterns/random.rs"]
mod random;

use std::env;
use std::fs;
use std::time::Instant;

use chess_core::Game;
use chess_core::search::pattern::Pattern;
use chess_core::text::read_pgn;
use chess_estimates::patterns::Trial;

const GENERATED: usize = 7000;
/// The default of default_statistics_target.
const TARGET: usize = 100;
const LISTED: usize = 10;
const ROUNDS: usize = 5;

fn games(path: Option<&String>) -> Vec<Game> {
    let Some(path) = path else { return common::games(GENERATED) };
    let bytes = fs::read(path).expect("a file");
    read_pgn::games(&String::from_utf8_lossy(&bytes)).filter_map(|read| read.game.ok()).collect()
}

fn drawn(count: usize, seed: u64, draw: fn(&mut random::Rng) -> String) -> impl Iterator<Item = String> {
    let mut rng = random::Rng(seed);
    std::iter::repeat_with(move || draw(&mut rng)).filter(|text| Pattern::read(text).is_ok()).take(count)
}

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    let number = |n: usize, default: u64| args.get(n).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (count, seed) = (number(0, 1000) as usize, number(1, 1));
    let sample = common::sample(&games(args.get(2)), TARGET);
    let patterns: Vec<String> = drawn(count, seed, random::text).chain(drawn(count / 2, seed, random::broad)).collect();
    let plan = |text: &String| {
        let start = Instant::now();
        let pattern = Pattern::read(text).expect("a pattern");
        let Trial { spent, .. } = sample.patterns.trial(&pattern, u32::MAX, sample.games, usize::MAX);
        (start.elapsed().as_secs_f64() * 1000.0, spent)
    };
    let mut planned: Vec<(f64, u64, &String)> = patterns.iter().map(|text| (f64::MAX, 0, text)).collect();
    // A trial is kept until some others have been made.
    for _ in 0..ROUNDS {
        for (least, spent, text) in &mut planned {
            let (ms, work) = plan(text);
            (*least, *spent) = (least.min(ms), work);
        }
    }
    planned.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (name, at) in [("median", planned.len() / 2), ("99 %", planned.len() / 100), ("most", 0)] {
        if let Some((ms, ..)) = planned.get(at) {
            println!("{name}: {ms:.2} ms");
        }
    }
    for (ms, spent, text) in planned.iter().take(LISTED) {
        println!("{ms:6.2} ms, {:6.1} million units  {text}", *spent as f64 / 1e6);
    }
}
