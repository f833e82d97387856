//! As many games as asked for, made from those of a PGN file: the same games in random order, then
//! variants of them.
//!
//! ```text
//! cargo run --release -p chess-bench-core --bin variants -- FILE.pgn COUNT
//! ```
//!
//! Prints a line of move text per game, for `COPY` into a column of games. A variant plays its
//! game up to a half-move from the 5th to the 30th, then some other legal move, then again what its
//! game played as far as that is legal, else any legal move. So variants share openings, as more
//! games of the same kind would, while nearly all of their later positions are new: a corpus that
//! grows like a real one, generated some ten times as fast as one made from scratch.

use std::env;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use chess_core::Game;
use chess_core::game::recorder::Recorder;
use chess_core::game::slots::Step;
use chess_core::game::start::GameStart;
use chess_core::text::movetext;
use chess_core::text::read_pgn;
use shakmaty::Position;

#[path = "../random.rs"]
mod random;
use random::splitmix;

fn variant(game: &Game, seed: &mut u64) -> Game {
    let mut steps = Vec::new();
    game.view().decode(|_, step| steps.extend(step)).expect("a sound game");
    let mut recorder = Recorder::new(GameStart::standard());
    let leave = 4 + splitmix(seed) as usize % 26;
    for (ply, step) in steps.into_iter().enumerate() {
        if ply != leave && recorder.play(step).is_ok() {
            continue;
        }
        let position = recorder.board().position().expect("the position of a game");
        let mut others: Vec<Step> = position.legal_moves().into_iter().filter_map(Step::of).collect();
        let is_other = |other: &Step| recorder.position().ends(*other) != recorder.position().ends(step);
        others.retain(is_other);
        if others.is_empty() {
            break;
        }
        recorder.play(others[splitmix(seed) as usize % others.len()]).expect("a legal move");
    }
    recorder.finish(game.view().result(), false)
}

fn run(path: &str, count: usize) -> Result<(), String> {
    let bytes = fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|error| format!("{path}: {error}"))?;
    let mut games: Vec<Game> = read_pgn::games(&text)
        .filter_map(|read| read.game.ok())
        .filter(|game| !game.view().has_custom_start())
        .collect();
    drop(text);
    if games.is_empty() {
        return Err(format!("{path}: no games"));
    }
    // A file may be sorted by openings; any beginning of the output is a fair sample.
    let mut seed = 1;
    for last in (1..games.len()).rev() {
        games.swap(last, splitmix(&mut seed) as usize % (last + 1));
    }
    games.truncate(count);
    let mut out = BufWriter::new(io::stdout().lock());
    let mut write = |game: &Game| {
        let text = movetext::write(game.view()).expect("a sound game");
        writeln!(out, "{text}").map_err(|error| error.to_string())
    };
    games.iter().try_for_each(&mut write)?;
    games.iter().cycle().take(count - games.len()).try_for_each(|game| write(&variant(game, &mut seed)))?;
    out.flush().map_err(|error| error.to_string())
}

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let arguments = match &args[..] {
        [path, count] => count.parse().ok().map(|count| (path, count)),
        _ => None,
    };
    let Some((path, count)) = arguments else {
        eprintln!("usage: variants FILE.pgn COUNT");
        return ExitCode::from(2);
    };
    match run(path, count) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
