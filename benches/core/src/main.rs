//! Measures chess-core against shakmaty on the games of a PGN file.
//!
//! ```text
//! cargo run --release -p chess-bench-core -- FILE.pgn [rounds]
//! ```
//!
//! Every answer is first compared with shakmaty's. Each round then runs all measurements in turn, so that a slow
//! moment of the machine affects all of them. Printed are the median of the rounds, the minimum and the maximum.
//! Ratios are only printed for measurements of the same run.
//!
//! The peer stores a move in two bytes (from, to, promotion) and replays it with shakmaty's rules, without checking
//! legality; its search hashes every position as shakmaty offers, incrementally where possible. It reads and writes
//! SAN with shakmaty's `to_move` and `from_move_and_play_unchecked`, from and to the simplest text, and stores
//! nothing.

use std::env;
use std::fmt::Write;
use std::fs;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use chess_core::board::fen;
use chess_core::game::legality;
use chess_core::game::slots::Step;
use chess_core::search::finder::{Finder, Matching};
use chess_core::search::index_keys::position_keys;
use chess_core::text::movetext;
use chess_core::text::read_pgn;
use chess_core::{Board, Game, GameRef, GameResult};
use shakmaty::san::SanPlus;
use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{Chess, EnPassantMode, Move, Position, Role, Square};

/// A measurement is repeated until it has taken this long.
const LEAST_SECONDS: f64 = 0.2;
/// Parsing text is slow and even: this many games suffice.
const TEXT_GAMES: usize = 20_000;

/// A game in two bytes per half-move: `from | to << 6 | promotion << 12`, castling as the king's
/// move onto its rook.
struct Squares {
    start: Chess,
    moves: Vec<u16>,
}

impl Squares {
    fn new(game: &Game) -> Squares {
        let start = game.view().start_board().expect("a sound game").position().expect("a legal start");
        let mut moves = Vec::new();
        let pack = |position: &legality::Position<'_>, step: Step| {
            let (from, to) = position.ends(step);
            let promotion = step.promotion().map_or(0, |role| u16::from(role) + 1);
            u16::from(from) | u16::from(position.castling_rook(step).unwrap_or(to)) << 6 | promotion << 12
        };
        let all = game.view().decode(|position, step| moves.extend(step.map(|step| pack(position, step))));
        all.expect("a sound game");
        Squares { start, moves }
    }
}

#[inline(always)]
fn unpack(position: &Chess, code: u16) -> Move {
    let from = Square::new(u32::from(code & 63));
    let to = Square::new(u32::from(code >> 6 & 63));
    let board = position.board();
    let role = board.role_at(from).expect("a piece to move");
    let capture = board.role_at(to);
    if role == Role::Pawn {
        if from.file() != to.file() && capture.is_none() {
            return Move::EnPassant { from, to };
        }
    } else if role == Role::King && board.by_color(position.turn()).contains(to) {
        return Move::Castle { king: from, rook: to };
    }
    let promotion = if code >> 12 == 0 { None } else { Role::try_from(u32::from(code >> 12)).ok() };
    Move::Normal { role, from, capture, to, promotion }
}

fn replay(game: &Squares) -> Chess {
    let mut position = game.start.clone();
    for code in &game.moves {
        let m = unpack(&position, *code);
        position.play_unchecked(m);
    }
    position
}

/// Plays a move and hashes: incrementally where shakmaty offers that, otherwise from scratch.
#[inline(always)]
fn play_hashed(position: &mut Chess, key: Zobrist64, code: u16) -> Zobrist64 {
    let m = unpack(position, code);
    let updated = position.update_zobrist_hash(key, m, EnPassantMode::Legal);
    position.play_unchecked(m);
    updated.unwrap_or_else(|| position.zobrist_hash(EnPassantMode::Legal))
}

fn replay_keys(game: &Squares, keys: &mut Vec<u64>) {
    let mut position = game.start.clone();
    let mut key: Zobrist64 = position.zobrist_hash(EnPassantMode::Legal);
    keys.push(key.0);
    for code in &game.moves {
        key = play_hashed(&mut position, key, *code);
        keys.push(key.0);
    }
}

fn search(game: &Squares, start_key: Zobrist64, wanted: Zobrist64) -> Option<u32> {
    let mut key = start_key;
    if key == wanted {
        return Some(0);
    }
    let mut position = game.start.clone();
    for (ply, code) in game.moves.iter().enumerate() {
        key = play_hashed(&mut position, key, *code);
        if key == wanted {
            return Some(ply as u32 + 1);
        }
    }
    None
}

/// Plays the SAN in the simplest move text: words separated by single spaces, without the start.
fn shakmaty_read(start: &Chess, text: &str) -> Option<Chess> {
    let mut position = start.clone();
    let moves = text.rsplit_once(']').map_or(text, |(_, moves)| moves);
    for word in moves.split(' ').filter(|word| !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit())) {
        let m = SanPlus::from_ascii(word.as_bytes()).ok()?.san.to_move(&position).ok()?;
        position.play_unchecked(m);
    }
    Some(position)
}

/// The text of a game with shakmaty's SAN; everything else is chess-core's.
fn shakmaty_text(moves: &Squares, game: GameRef<'_>) -> String {
    let mut out = String::with_capacity(64 + 6 * moves.moves.len());
    if game.has_custom_start() || game.is_chess960() {
        let text = movetext::write(game).expect("a sound game");
        out.push_str(&text[..text.rfind(']').map_or(0, |at| at + 2)]);
    }
    let mut position = moves.start.clone();
    for (ply, code) in moves.moves.iter().enumerate() {
        if position.turn().is_white() || ply == 0 {
            let dots = if position.turn().is_white() { "." } else { "..." };
            let _ = write!(out, "{}{dots} ", position.fullmoves());
        }
        let m = unpack(&position, *code);
        SanPlus::from_move_and_play_unchecked(&mut position, m).append_to_string(&mut out);
        out.push(' ');
    }
    if game.result() == GameResult::Unknown {
        out.truncate(out.trim_end().len());
    } else {
        out.push_str(game.result().as_str());
    }
    out
}

/// Whether every move is legal.
fn shakmaty_check(game: &Squares) -> bool {
    let mut position = game.start.clone();
    game.moves.iter().all(|code| {
        let m = unpack(&position, *code);
        let is_legal = position.is_legal(m);
        position.play_unchecked(m);
        is_legal
    })
}

fn placement_key(position: &Chess) -> u64 {
    let mut key = if position.turn().is_white() { Zobrist64::zobrist_for_white_turn().0 } else { 0 };
    for (square, piece) in position.board() {
        key ^= Zobrist64::zobrist_for_piece(square, piece).0;
    }
    key
}

/// A measurement, with the seconds per run in each round.
struct Measurement<'a> {
    work: Box<dyn FnMut() + 'a>,
    repeats: u32,
    seconds: Vec<f64>,
}

impl<'a> Measurement<'a> {
    fn new(work: impl FnMut() + 'a) -> Measurement<'a> {
        let mut work: Box<dyn FnMut()> = Box::new(work);
        work();
        let begin = Instant::now();
        work();
        let repeats = (LEAST_SECONDS / begin.elapsed().as_secs_f64().max(1e-9)).ceil().clamp(1.0, 1e6) as u32;
        Measurement { work, repeats, seconds: Vec::new() }
    }

    fn run(&mut self) {
        let begin = Instant::now();
        for _ in 0..self.repeats {
            (self.work)();
        }
        self.seconds.push(begin.elapsed().as_secs_f64() / f64::from(self.repeats));
    }

    fn median(&self) -> f64 {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }

    /// Median, minimum and maximum in nanoseconds, divided by `per`.
    fn cell(&self, per: usize) -> String {
        let scale = 1e9 / per as f64;
        let least = self.seconds.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = self.seconds.iter().copied().fold(0.0, f64::max);
        format!("{:.1} ({:.1}-{:.1})", self.median() * scale, least * scale, greatest * scale)
    }
}

/// A line of the table: chess-core, its peer, and the maximum ratio.
struct Line<'a> {
    name: &'static str,
    ours: Measurement<'a>,
    peer: Measurement<'a>,
    most: f64,
    per: usize,
}

impl Line<'_> {
    fn print(&self) {
        let ratio = self.ours.median() / self.peer.median();
        let verdict = if ratio <= self.most { "ok" } else { "TOO SLOW" };
        let (ours, peer) = (self.ours.cell(self.per), self.peer.cell(self.per));
        println!("{:<34} {ours:>24} {peer:>28} {ratio:>7.3} {:>6} {verdict}", self.name, self.most);
    }
}

/// The boards to search for.
fn targets(games: &[Game]) -> Vec<(&'static str, Board)> {
    let after = |text: &str| {
        let game = movetext::read(text).expect("an opening");
        game.view().board_at(game.view().ply_count()).expect("sound").expect("in range")
    };
    let from = games.len() / 2;
    let long = games[from..].iter().chain(&games[..from]).find(|g| g.view().ply_count() >= 90).expect("a long game");
    let at = |ply| long.view().board_at(ply).expect("sound").expect("in range");
    let mut nowhere = at(30);
    nowhere.turn ^= 1;
    vec![
        ("search: 1. e4", after("1. e4")),
        ("search: 1. Nf3 Nf6", after("1. Nf3 Nf6")),
        ("search: Najdorf, 5... a6", after("1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6")),
        ("search: after half-move 30", at(30)),
        ("search: after half-move 80", at(80)),
        ("search: in no game", nowhere),
    ]
}

/// Asserts that chess-core and shakmaty agree on every half-move.
fn check(games: &[Game], squares: &[Squares]) {
    let mut keys = Vec::new();
    let mut peer_keys = Vec::new();
    for (game, moves) in games.iter().zip(squares) {
        keys.clear();
        position_keys(game.view(), &mut keys).expect("sound");
        peer_keys.clear();
        let mut position = moves.start.clone();
        peer_keys.push(placement_key(&position));
        for code in &moves.moves {
            let m = unpack(&position, *code);
            position.play_unchecked(m);
            peer_keys.push(placement_key(&position));
        }
        assert_eq!(keys, peer_keys);
        let last = game.view().board_at(game.view().ply_count()).expect("sound").expect("in range");
        assert_eq!(fen::write(&last), fen::write(&Board::from_position(&position)));
        assert_eq!(replay(moves), position);
    }
}

fn load(path: &str) -> Result<Vec<Game>, String> {
    let bytes = fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        // Latin-1: every byte is the code point of its character
        Err(error) => error.as_bytes().iter().map(|byte| char::from(*byte)).collect(),
    };
    let begin = Instant::now();
    let mut games = Vec::new();
    let mut failed = 0;
    for read in read_pgn::games(&text) {
        match read.game {
            Ok(game) => games.push(game),
            Err(error) => {
                failed += 1;
                eprintln!("{path}:{}: game {}: {error}", read.line, read.number);
            }
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    println!("{} games read in {seconds:.2} s, {failed} not readable", games.len());
    Ok(games)
}

/// Asserts that every game survives the round trip through text and bytes.
fn check_round_trips(games: &[Game]) {
    for game in games {
        let text = movetext::write(game.view()).expect("sound");
        assert_eq!(movetext::read(&text).expect("own text"), *game, "{text}");
        assert_eq!(Game::from_bytes(game.as_bytes()).expect("own bytes"), *game, "{text}");
    }
    println!("every game: read, written and read again to the same bytes");
}

/// Measures work on each of these values.
fn each<'a, T>(values: &'a [T], mut work: impl FnMut(&'a T) + 'a) -> Measurement<'a> {
    Measurement::new(move || values.iter().for_each(|value| work(black_box(value))))
}

/// Replays, with and without keys.
fn replays<'a>(games: &'a [Game], squares: &'a [Squares]) -> [Line<'a>; 2] {
    let per = squares.iter().map(|game| game.moves.len()).sum();
    let (mut keys, mut peer_keys) = (Vec::new(), Vec::new());
    [
        Line {
            name: "replay, per half-move",
            ours: each(games, |game| {
                let view = game.view();
                black_box(view.board_at(view.ply_count()).is_ok());
            }),
            peer: each(squares, |game| {
                black_box(replay(game));
            }),
            most: 0.4,
            per,
        },
        Line {
            name: "replay with key, per half-move",
            ours: each(games, move |game| {
                keys.clear();
                black_box(position_keys(game.view(), &mut keys).is_ok());
            }),
            peer: each(squares, move |game| {
                peer_keys.clear();
                replay_keys(game, &mut peer_keys);
            }),
            most: 0.4,
            per,
        },
    ]
}

/// The search for a board, of which both say the same.
fn searches<'a>(
    name: &'static str,
    board: &Board,
    games: &'a [Game],
    squares: &'a [Squares],
) -> Result<Line<'a>, String> {
    let position = board.position().map_err(|error| format!("{name}: {error}"))?;
    let wanted: Zobrist64 = position.zobrist_hash(EnPassantMode::Legal);
    let finder = Finder::new(board, Matching::Position);
    let start_keys: Vec<Zobrist64> = squares.iter().map(|g| g.start.zobrist_hash(EnPassantMode::Legal)).collect();
    let mut found = 0;
    for ((game, peer), key) in games.iter().zip(squares).zip(&start_keys) {
        let at = finder.find(game.view(), u32::MAX).map_err(|error| error.to_string())?;
        assert_eq!(at, search(peer, *key, wanted), "{name}");
        found += usize::from(at.is_some());
    }
    println!("{name}: in {found} games");
    Ok(Line {
        name,
        ours: each(games, move |game| {
            black_box(finder.find(game.view(), u32::MAX).ok());
        }),
        peer: Measurement::new(move || {
            for (game, key) in squares.iter().zip(&start_keys) {
                black_box(search(black_box(game), *key, wanted));
            }
        }),
        most: 0.1,
        per: games.len(),
    })
}

/// Text in and out, and bytes checked, of these games, whose texts both write alike.
fn texts<'a>(games: &'a [Game], squares: &'a [Squares], texts: &'a [String]) -> [Line<'a>; 3] {
    let per = games.len();
    [
        Line {
            name: "text in, per game",
            ours: each(texts, |text| {
                black_box(movetext::read(text).is_ok());
            }),
            peer: Measurement::new(move || {
                for (text, moves) in texts.iter().zip(squares) {
                    black_box(shakmaty_read(&moves.start, black_box(text)));
                }
            }),
            most: 0.667,
            per,
        },
        Line {
            name: "text out, per game",
            ours: each(games, |game| {
                black_box(movetext::write(game.view()).is_ok());
            }),
            peer: Measurement::new(move || {
                for (game, moves) in games.iter().zip(squares) {
                    black_box(shakmaty_text(black_box(moves), game.view()));
                }
            }),
            most: 0.667,
            per,
        },
        Line {
            name: "bytes checked, per game",
            ours: each(games, |game| {
                black_box(Game::from_bytes(game.as_bytes()).is_ok());
            }),
            peer: each(squares, |moves| {
                black_box(shakmaty_check(moves));
            }),
            most: 0.667,
            per,
        },
    ]
}

fn run(path: &str, rounds: usize) -> Result<(), String> {
    let games = load(path)?;
    if games.is_empty() {
        return Err(format!("{path}: no games"));
    }
    check_round_trips(&games);
    let squares: Vec<Squares> = games.iter().map(Squares::new).collect();
    check(&games, &squares);
    println!("every half-move: same position keys, same last board as shakmaty");

    let plies: usize = squares.iter().map(|game| game.moves.len()).sum();
    let bytes: usize = games.iter().map(|game| game.as_bytes().len()).sum();
    let moves: usize = games.iter().map(|game| game.view().moves().len()).sum();
    let count = games.len();
    println!(
        "{count} games, {plies} half-moves: {:.4} bytes per half-move for the moves, {:.1} bytes per game with its header",
        moves as f64 / plies as f64,
        bytes as f64 / count as f64,
    );

    let sample = &games[..count.min(TEXT_GAMES)];
    let written: Vec<String> = sample.iter().map(|game| movetext::write(game.view()).expect("sound")).collect();
    for ((game, moves), text) in sample.iter().zip(&squares).zip(&written) {
        assert_eq!(shakmaty_text(moves, game.view()), *text);
        assert_eq!(shakmaty_read(&moves.start, text), Some(replay(moves)), "{text}");
    }
    let mut lines = Vec::from(replays(&games, &squares));
    for (name, board) in targets(&games) {
        lines.push(searches(name, &board, &games, &squares)?);
    }
    lines.extend(texts(sample, &squares[..sample.len()], &written));

    for _ in 0..rounds {
        for line in &mut lines {
            line.ours.run();
            line.peer.run();
        }
    }
    println!();
    println!("{rounds} rounds, ns as median (least-greatest); search is per game");
    println!("{:<34} {:>24} {:>28} {:>7} {:>6}", "", "chess-core", "shakmaty", "ratio", "most");
    lines.iter().for_each(Line::print);
    Ok(())
}

fn main() -> ExitCode {
    let mut args = env::args().skip(1);
    let path = args.next();
    let rounds = args.next().map_or(Some(7), |text| text.parse().ok()).filter(|rounds| *rounds > 0);
    let (Some(path), Some(rounds)) = (path, rounds) else {
        eprintln!("usage: chess-bench-core FILE.pgn [rounds]");
        return ExitCode::from(2);
    };
    match run(&path, rounds) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
