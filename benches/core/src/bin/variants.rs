//! Makes any number of games from those of a PGN file: first the same games in random order, then variants of them.
//!
//! ```text
//! cargo run --release -p chess-bench-core --bin variants -- FILE.pgn COUNT [FIRST]
//! ```
//!
//! Prints COUNT games as PGN, beginning with number FIRST (default 0), with the players, ratings, date and result of the original
//! game. It uses all processors, because each game depends only on its number.
//!
//! A variant follows its game up to a half-move from the 5th to the 30th, then plays another legal move, then
//! continues with the moves of its game as far as they are legal, otherwise with any legal move. So variants share
//! openings, as more games of the same kind would, while nearly all of their later positions are new: a corpus that
//! grows like a real one, generated about ten times as fast as one from scratch.

use std::borrow::Cow;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;

use chess_core::Game;
use chess_core::text::movetext;
use chess_core::text::read_pgn;
use chess_gamegen::splitmix64;

#[path = "../variant.rs"]
mod variant;
use variant::variant;

/// The tags that queries use. The result must be that of the moves.
const TAGS: [&str; 5] = ["Date", "White", "Black", "WhiteElo", "BlackElo"];

/// The number of games that a thread makes before it hands them over.
const CHUNK: usize = 1000;

/// A game of the file, with its tags as lines.
struct Original {
    game: Game,
    tags: String,
}

fn tags(tags: &[(&str, Cow<'_, str>)]) -> String {
    let kept = tags.iter().filter(|(name, _)| TAGS.contains(name));
    kept.map(|(name, value)| format!("[{name} \"{}\"]\n", value.replace('\\', "\\\\").replace('"', "\\\""))).collect()
}

fn originals(path: &str) -> Result<Vec<Original>, String> {
    let bytes = fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|error| format!("{path}: {error}"))?;
    let mut games: Vec<Original> = read_pgn::games(&text)
        .filter_map(|read| Some(Original { tags: tags(&read.tags), game: read.game.ok()? }))
        .filter(|read| !read.game.view().has_custom_start())
        .collect();
    // The file may be sorted by opening; shuffled, any prefix of the output is a representative sample.
    let mut seed = 1;
    for last in (1..games.len()).rev() {
        games.swap(last, splitmix64(&mut seed) as usize % (last + 1));
    }
    if games.is_empty() { Err(format!("{path}: no games")) } else { Ok(games) }
}

/// Returns the games with these numbers as PGN.
fn made(games: &[Original], numbers: impl Iterator<Item = usize>) -> String {
    let mut text = String::new();
    for number in numbers {
        let Original { game, tags } = &games[number % games.len()];
        let varied = (number >= games.len()).then(|| variant(game.view(), &mut (number as u64)));
        let game = varied.as_ref().unwrap_or(game).view();
        let moves = movetext::write(game).expect("a sound game");
        writeln!(text, "{tags}[Result \"{}\"]\n\n{moves}\n", game.result().as_str()).expect("text takes more text");
    }
    text
}

fn run(path: &str, count: usize, first: usize) -> Result<(), String> {
    let games = &originals(path)?;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut out = io::stdout().lock();
    thread::scope(|scope| {
        // Of n threads, each makes every nth chunk, and waits while two of its chunks are not written yet.
        let made: Vec<_> = (0..threads)
            .map(|thread| {
                let (sender, made_by_it) = mpsc::sync_channel(2);
                scope.spawn(move || {
                    let chunks = (0..count).step_by(CHUNK).skip(thread).step_by(threads);
                    let chunks = chunks.map(|from| made(games, (from..count.min(from + CHUNK)).map(|n| first + n)));
                    // Sending fails only after an error of the receiver, which reports it.
                    chunks.map(|text| sender.send(text)).take_while(Result::is_ok).for_each(drop);
                });
                made_by_it
            })
            .collect();
        let mut chunks = made.iter().cycle().map_while(|made_by_it| made_by_it.recv().ok());
        chunks.try_for_each(|text| out.write_all(text.as_bytes())).map_err(|error| error.to_string())
    })
}

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let arguments = match &args[..] {
        [path, count] => count.parse().ok().map(|count| (path, count, 0)),
        [path, count, first] => count.parse().ok().zip(first.parse().ok()).map(|(count, first)| (path, count, first)),
        _ => None,
    };
    let Some((path, count, first)) = arguments else {
        eprintln!("usage: variants FILE.pgn COUNT [FIRST]");
        return ExitCode::from(2);
    };
    match run(path, count, first) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
