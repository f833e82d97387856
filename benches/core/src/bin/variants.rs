//! As many games as asked for, out of those of a PGN file: the same games in random order, then
//! variants of them.
//!
//! ```text
//! cargo run --release -p chess-bench-core --bin variants -- FILE.pgn COUNT
//! ```
//!
//! Out comes a line of move text per game, for `COPY` into a column of games. A variant plays its
//! game up to a half-move from the 5th to the 30th, then some other legal move, then again what its
//! game played as far as that is legal, else any legal move. So variants share openings, as more
//! games of the same kind would, while nearly all of their later positions are new: a corpus that
//! grows like a real one, some ten times faster than one made up from nothing.

use std::env;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use chess_core::recorder::{GameStart, Recorder};
use chess_core::{Game, movetext, pgn};
use shakmaty::{Move, Position, Square};

#[path = "../random.rs"]
mod random;
use random::splitmix;

/// The move from the same square to the same square on another board, if there is something to move.
fn adapted(recorder: &Recorder, played: Move) -> Option<Move> {
    let Move::Normal { from, to, promotion, .. } = played else { return Some(played) };
    let board = recorder.position().board();
    Some(Move::Normal { role: board.role_at(from)?, from, capture: board.role_at(to), to, promotion })
}

fn variant(game: &Game, seed: &mut u64) -> Game {
    let mut moves: Vec<Move> = Vec::new();
    game.view().decode(|_, played| moves.push(played)).expect("a sound game");
    let mut recorder = Recorder::new(GameStart::standard());
    let leave = 4 + splitmix(seed) as usize % 26;
    for (ply, played) in moves.into_iter().enumerate() {
        if ply != leave && adapted(&recorder, played).is_some_and(|adapted| recorder.play(adapted).is_ok()) {
            continue;
        }
        let ends = |m: &Move| (m.from().unwrap_or(Square::A1), m.to());
        let mut others = recorder.position().legal_moves();
        others.retain(|other| ends(other) != ends(&played));
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
    let mut games: Vec<Game> =
        pgn::games(&text).filter_map(|read| read.game.ok()).filter(|game| !game.view().has_custom_start()).collect();
    drop(text);
    if games.is_empty() {
        return Err(format!("{path}: no games"));
    }
    // A file may be sorted by openings; any beginning of what comes out is a fair sample.
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
