//! The slowest of many random patterns, in times of a replay of the same games.
//!
//! ```text
//! cargo run --release -p chess-bench-instructions --bin worst_patterns -- COUNT [SEED [GAMES [FILE.pgn]]]
//! cargo run --release -p chess-bench-instructions --bin worst_patterns -- broad COUNT [SEED [GAMES [FILE.pgn]]]
//! cargo run --release -p chess-bench-instructions --bin worst_patterns -- named [GAMES [FILE.pgn]]
//! cargo run --release -p chess-bench-instructions --bin worst_patterns -- - [GAMES [FILE.pgn]] < PATTERNS
//! ```
//!
//! It draws COUNT patterns of up to 200 bytes from a seed, takes those of `named.txt`, which were found to be slow, or
//! reads them, one a line. With `broad` it draws patterns that compare numbers of many squares. It looks for each pattern
//! in the first games of a PGN file or of the project's generator, and prints the median, the 99th percentile, the maximum
//! and the slowest. All figures are instructions, counted by valgrind, so that they are nearly the same on every machine
//! and under any load. The same seed gives the same patterns with every version of chess-core that reads the same language.

#![forbid(unsafe_code)]

mod random;

use std::env;
use std::fs;
use std::hint::black_box;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use chess_core::Game;
use chess_core::search::pattern::Pattern;
use chess_core::text::{movetext, read_pgn};
use random::Rng;

/// The fewest patterns that are listed, if there are as many; and the limit: what takes longer is listed, too.
const LISTED: usize = 25;
const LIMIT: u64 = 25;
/// Patterns that one run of valgrind measures: each leaves a file of some 50 kB.
const BATCH: usize = 200;

/// A directory for the files of callgrind, removed with all that is in it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, String> {
        let path = env::temp_dir().join(format!("worst-patterns-{}", std::process::id()));
        fs::create_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// All that callgrind counts; it writes a file whenever this function returns.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) {
    work();
}

fn games(texts: &[&str]) -> Result<Vec<Game>, String> {
    texts.iter().map(|text| movetext::read(text)).collect::<Result<_, _>>().map_err(|error| error.to_string())
}

/// Looks for the patterns of standard input in its games: move texts, an empty line, patterns.
fn measure() -> Result<(), String> {
    let text = io::read_to_string(io::stdin()).map_err(|error| error.to_string())?;
    let lines: Vec<&str> = text.lines().collect();
    let mut parts = lines.split(|line| line.is_empty());
    let games = games(parts.next().unwrap_or_default())?;
    let patterns = parts.next().unwrap_or_default();
    let replay = |game: &Game| {
        black_box(game.view().board_at(game.view().ply_count()).is_ok());
    };
    // Tables are computed at their first use.
    games.iter().for_each(replay);
    counted(&mut || games.iter().for_each(replay));
    for text in patterns {
        let pattern = Pattern::read(text).map_err(|error| format!("{text}: {error}"))?;
        let mut matcher = pattern.matcher();
        let mut find = |game: &Game| {
            black_box(matcher.find(black_box(game).view(), u32::MAX).is_ok());
        };
        // The matcher learns from the games which way to search takes less work.
        games.iter().for_each(&mut find);
        counted(&mut || games.iter().for_each(&mut find));
    }
    Ok(())
}

/// Instructions of a replay of all games, then of each pattern.
fn count(texts: &str, patterns: &[String], folder: &Path) -> Result<Vec<u64>, String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let out = folder.join("out");
    let mut child = Command::new("valgrind")
        .args(["--tool=callgrind", "--toggle-collect=worst_patterns::counted"])
        .args(["--dump-after=worst_patterns::counted", "--dump-line=no"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(program)
        .arg("--measure")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("valgrind: {error}; on Debian: apt-get install valgrind"))?;
    let mut pipe = child.stdin.take().expect("it was piped");
    // The child reads all of it before it says anything more than valgrind's greeting.
    pipe.write_all(format!("{texts}\n{}\n", patterns.join("\n")).as_bytes()).map_err(|error| error.to_string())?;
    drop(pipe);
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    (1..=patterns.len() + 1)
        .map(|n| {
            let path = folder.join(format!("out.{n}"));
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let total = text.lines().find_map(|line| line.strip_prefix("summary: "));
            let total = total.or(text.lines().find_map(|line| line.strip_prefix("totals: ")));
            fs::remove_file(&path).map_err(|error| error.to_string())?;
            total.and_then(|total| total.trim().parse().ok()).ok_or(format!("{}: no total", path.display()))
        })
        .collect()
}

fn load(count: usize, path: Option<&str>) -> Result<String, String> {
    let text = match path {
        None => chess_gamegen::Generator::new(1).take(count).map(|game| game.pgn()).collect(),
        Some(path) => {
            let bytes = fs::read(path).map_err(|error| format!("{path}: {error}"))?;
            String::from_utf8(bytes).map_err(|error| format!("{path}: {error}"))?
        }
    };
    let games = read_pgn::games(&text).filter_map(|read| read.game.ok()).take(count);
    Ok(games.map(|game| movetext::write(game.view()).expect("sound bytes") + "\n").collect())
}

fn patterns(count: &str, seed: u64, draw: fn(&mut Rng) -> String) -> Result<Vec<String>, String> {
    if count == "named" {
        return Ok(include_str!("named.txt").lines().map(str::to_owned).collect());
    }
    if count == "-" {
        return io::stdin().lines().collect::<Result<_, _>>().map_err(|error| error.to_string());
    }
    let count = count.parse().map_err(|_| format!("{count}: not a number"))?;
    let mut rng = Rng(seed);
    let is_pattern = |text: &String| Pattern::read(text).is_ok();
    // What is no pattern is drawn again.
    Ok(std::iter::repeat_with(|| draw(&mut rng)).filter(is_pattern).take(count).collect())
}

fn run(patterns: &[String], games: usize, path: Option<&str>) -> Result<(), String> {
    let texts = load(games, path)?;
    let folder = Folder::new()?;
    let mut replay = 0;
    let mut measured = Vec::new();
    for batch in patterns.chunks(BATCH) {
        let counts = count(&texts, batch, &folder.0)?;
        replay = counts[0];
        measured.extend(batch.iter().zip(counts.into_iter().skip(1)));
    }
    println!(
        "{} patterns, {} games, {} instructions a replay",
        measured.len(),
        texts.lines().count(),
        replay / texts.lines().count().max(1) as u64
    );
    measured.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let times = |n: usize| measured.get(n).map_or(0.0, |(_, count)| *count as f64 / replay as f64);
    println!(
        "median {:.1}, 99 % {:.1}, most {:.1} times a replay",
        times(measured.len() / 2),
        times(measured.len() / 100),
        times(0)
    );
    for limit in [10, 25, 50] {
        let above = measured.iter().filter(|(_, count)| *count > limit * replay).count();
        println!("{above} above {limit} times a replay");
    }
    for (n, (text, count)) in measured.iter().enumerate() {
        if n < LISTED || *count > LIMIT * replay {
            println!("{:7.1}  {text}", times(n));
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let number = |text: Option<&&str>, default: u64| text.and_then(|text| text.parse().ok()).unwrap_or(default);
    let draw = |count: &str, rest: &[&str], draw: fn(&mut Rng) -> String| {
        patterns(count, number(rest.first(), 1), draw)
            .and_then(|drawn| run(&drawn, number(rest.get(1), 20) as usize, rest.get(2).copied()))
    };
    let done = match args.as_slice() {
        ["--measure"] => measure(),
        [from @ ("-" | "named"), rest @ ..] => patterns(from, 0, random::text)
            .and_then(|read| run(&read, number(rest.first(), 20) as usize, rest.get(1).copied())),
        ["broad"] | [] => Err("usage: worst_patterns [broad] COUNT [SEED [GAMES [FILE.pgn]]], \
                               or worst_patterns named|- [GAMES [FILE.pgn]]"
            .into()),
        ["broad", count, rest @ ..] => draw(count, rest, random::broad),
        [count, rest @ ..] => draw(count, rest, random::text),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
