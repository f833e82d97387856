//! Correct answers to random questions about a PGN file, by a plain replay with shakmaty.
//!
//! ```text
//! cargo run --release -p chess-bench-core --bin answers -- FILE.pgn [boards] [openings] [seed]
//! ```
//!
//! Prints lines with six fields for `COPY`, each with a question and numbers of games: `kind`, `question` (a FEN, or
//! move text), `within` (half-moves), `games` (with the position, or the opening), `games_within`, `games_pieces`
//! (with the placement, whichever side is to move). `benches/server/verify.sql` compares them with the server's
//! answers.

use std::collections::{HashMap, HashSet};
use std::env;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use chess_core::board::fen;
use chess_core::game::slots::Step;
use chess_core::text::movetext;
use chess_core::text::read_pgn;
use chess_core::{Board, Game};
use chess_gamegen::splitmix64;
use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{Chess, EnPassantMode, Position};

/// The number of games with a board, with it in time, and with its placement.
#[derive(Clone, Copy, Default)]
struct Counts {
    games: u32,
    within: u32,
    pieces: u32,
}

struct Question {
    position: Chess,
    within: usize,
    counts: Counts,
}

/// Every position of a game, by shakmaty.
fn positions(game: &Game) -> Vec<Chess> {
    let mut all = vec![game.view().start_board().expect("a sound game").position().expect("a legal start")];
    for step in steps(game) {
        let mut next = all[all.len() - 1].clone();
        let played = next.legal_moves().into_iter().find(|played| Step::of(*played) == Some(step));
        next.play_unchecked(played.expect("a legal move"));
        all.push(next);
    }
    all
}

fn steps(game: &Game) -> Vec<Step> {
    let mut steps = Vec::new();
    game.view().decode(|_, step| steps.extend(step)).expect("a sound game");
    steps
}

/// A hash of the position, and one of its placement.
fn hashes(position: &Chess) -> (u64, u64) {
    let mut placement = 0;
    for (square, piece) in position.board() {
        placement ^= Zobrist64::zobrist_for_piece(square, piece).0;
    }
    (position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0, placement)
}

fn ask(games: &[Game], count: usize, seed: &mut u64) -> Vec<Question> {
    let mut questions: Vec<Question> = Vec::new();
    while questions.len() < count {
        let all = positions(&games[splitmix64(seed) as usize % games.len()]);
        // Half of the boards are from the opening, which many games share.
        let last = if questions.len().is_multiple_of(2) { all.len() } else { all.len().min(20) };
        let ply = splitmix64(seed) as usize % last;
        let within = (ply + splitmix64(seed) as usize % 5).saturating_sub(2);
        questions.push(Question { position: all[ply].clone(), within, counts: Counts::default() });
    }
    questions
}

fn answer(games: &[Game], questions: &mut [Question]) {
    let mut by_position: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut by_placement: HashMap<u64, Vec<usize>> = HashMap::new();
    for (i, question) in questions.iter().enumerate() {
        let (position, placement) = hashes(&question.position);
        by_position.entry(position).or_default().push(i);
        by_placement.entry(placement).or_default().push(i);
    }
    for game in games {
        let (mut seen, mut seen_within, mut seen_pieces) = (HashSet::new(), HashSet::new(), HashSet::new());
        for (ply, position) in positions(game).iter().enumerate() {
            let (key, placement) = hashes(position);
            for &i in by_position.get(&key).into_iter().flatten() {
                if questions[i].position == *position {
                    seen.insert(i);
                    if ply <= questions[i].within {
                        seen_within.insert(i);
                    }
                }
            }
            for &i in by_placement.get(&placement).into_iter().flatten() {
                if questions[i].position.board() == position.board() {
                    seen_pieces.insert(i);
                }
            }
        }
        seen.into_iter().for_each(|i| questions[i].counts.games += 1);
        seen_within.into_iter().for_each(|i| questions[i].counts.within += 1);
        seen_pieces.into_iter().for_each(|i| questions[i].counts.pieces += 1);
    }
}

/// Openings with the number of games that begin with them, by comparing the moves one by one.
fn openings(games: &[Game], count: usize, seed: &mut u64) -> Vec<(String, usize)> {
    let moves = |game: &Game| (game.view().start_board().expect("a sound game"), steps(game));
    let all: Vec<_> = games.iter().map(moves).collect();
    let mut asked = Vec::new();
    while asked.len() < count {
        let i = splitmix64(seed) as usize % games.len();
        let plies = splitmix64(seed) as usize % all[i].1.len().clamp(1, 24);
        let begins_so = |other: &&(Board, Vec<Step>)| {
            other.0 == all[i].0 && other.1.len() >= plies && other.1[..plies] == all[i].1[..plies]
        };
        let opening = games[i].view().first_moves(plies as u32).expect("a sound game");
        let text = movetext::write(opening.view()).expect("a sound game");
        asked.push((text, all.iter().filter(begins_so).count()));
    }
    asked
}

fn main() -> ExitCode {
    let mut args = env::args().skip(1);
    let Some(file) = args.next() else {
        eprintln!("usage: answers FILE.pgn [boards] [openings] [seed]");
        return ExitCode::from(2);
    };
    let mut number = |default: usize| args.next().map_or(Some(default), |arg| arg.parse().ok());
    let (Some(boards), Some(opening_count), Some(seed)) = (number(1000), number(200), number(1)) else {
        eprintln!("answers: not a number");
        return ExitCode::from(2);
    };
    let text = match fs::read(&file) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => {
            eprintln!("answers: {file}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let games: Vec<Game> = read_pgn::games(&text).filter_map(|game| game.game.ok()).collect();
    if games.is_empty() {
        eprintln!("answers: no games in {file}");
        return ExitCode::FAILURE;
    }
    let mut seed = seed as u64;
    let mut questions = ask(&games, boards, &mut seed);
    answer(&games, &mut questions);
    let mut out = BufWriter::new(io::stdout().lock());
    let mut write = || -> io::Result<()> {
        for question in &questions {
            let (board, counts) = (Board::from_position(&question.position), question.counts);
            let (fen, within) = (fen::write(&board), question.within);
            writeln!(out, "board\t{fen}\t{within}\t{}\t{}\t{}", counts.games, counts.within, counts.pieces)?;
        }
        for (opening, count) in openings(&games, opening_count, &mut seed) {
            writeln!(out, "opening\t{opening}\t\\N\t{count}\t\\N\t\\N")?;
        }
        out.flush()
    };
    match write() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("answers: {error}");
            ExitCode::FAILURE
        }
    }
}
