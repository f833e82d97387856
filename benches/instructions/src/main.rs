//! Counts the instructions of chess-core's hot loops with valgrind's callgrind.
//!
//! ```text
//! cargo run --release -p chess-bench-instructions [FILE.pgn [WORD]]
//! ```
//!
//! Takes the first games of a PGN file or of the project's generator, and the loops whose names contain WORD; prints
//! instructions per half-move or per game. Unlike times, these do not depend on the machine's load: the same build on
//! the same games gives the same counts.
//!
//! The program runs itself under callgrind once per loop, with `--measure LOOP` and the games as lines of move text
//! on standard input. Instructions are counted only inside [`counted`], so that parsing the games is excluded.

#![forbid(unsafe_code)]

use std::env;
use std::fs;
use std::hint::black_box;
use std::io::{self, Write};
use std::process::{Command, ExitCode, Stdio};

use chess_core::search::finder::{Finder, Matching};
use chess_core::search::hybrid_keys::each_key;
use chess_core::search::index_keys::position_keys;
use chess_core::search::material::Material;
use chess_core::search::pattern::{Pattern, pattern_keys};
use chess_core::text::movetext;
use chess_core::text::read_pgn;
use chess_core::{Board, Game};

/// The number of games.
const GAMES: usize = 500;
const SEED: u64 = 1;

/// The loops by name, and what their instructions are divided by.
const LOOPS: [(&str, Per); 17] = [
    ("replay", Per::HalfMove),
    ("replay with a key (position_keys)", Per::HalfMove),
    ("keys of a segment (hybrid_keys)", Per::HalfMove),
    ("keys of an index, sorted, unique", Per::HalfMove),
    ("keys of an index of patterns", Per::HalfMove),
    ("search: after 1. e4", Per::Game),
    ("search: after 1. Nf3 Nf6", Per::Game),
    ("search: Najdorf, after 5... a6", Per::Game),
    ("search: half-move 30", Per::Game),
    ("search: half-move 70", Per::Game),
    ("search: never", Per::Game),
    ("search of the placement: half-move 30", Per::Game),
    ("text in", Per::HalfMove),
    ("text out", Per::HalfMove),
    ("binary in", Per::HalfMove),
    ("comparison of two games", Per::Game),
    ("material: KRPPPvKRPPP", Per::Game),
];

/// Patterns, each a loop of its own: whether it occurs in a game.
const PATTERNS: [&str; 28] = [
    "KRPPPvKRPPP",
    "KRP*vKRP*",
    "Pc3 Pd4 Pe3 Pf4 Kg1",
    "Nd5",
    "pa6 Bb3 Nf3",
    "flip(Nd5 and not [bn] attacks d5)",
    "isolated(Pd)",
    "outpost(N)",
    "flip(oppositebishops and [QRN] = 0)",
    "flip(Rx[bn] directly axR then within 2 R + 1 = r and [BN] = [bn] + 1 for 8)",
    "flip(shift(Pe4 Pf4 pe5 pf5))",
    "Nf1-g3-f5",
    "check and mate",
    // Slow patterns: every square of the board, with parts that any half-move may change. The last eleven are the
    // slowest that `worst_patterns` draws, or of a sort of their own.
    "shift(islands(A[d1-g1]) = 3)",
    "flip(shift(.[b-d] <= (r3[open][e-h] attacks _8)))",
    "line(_, P, N) for 300",
    "shift(not ([pq]d) then while not (not _) k[b1-f3,d4])",
    "mirror(shift((qdxPe or 2 = (vacated) + near(a[a8], 1..3))))",
    "shift(line(B[a4-c6], [pr]) for 300)",
    "shift(flip((_ then within 4 flip([Bk])) then 3.. (Bc8 then ([Q]2 or [^k]))))",
    "flip(rotate(B[a3,h] >= qe6 directly _[e5-f8] directly [P]3 directly (2 < [PQ]b8 then 2 while (2 = R) mirror([r]3))))",
    "shift(flip([aq]-c3 directly ke3 > b directly (2 <> halfmove then 2 rotate(bc5))))",
    "mirror(shift(diagonal(af4, ((moved attacks pc3) attackedby (moved | [QR][f8-h8,d4])))))",
    "shift(R-a4-c4)",
    "flip(rotate((shift((line(qh, [^r]f5, [nK][c8-e8,5-8])) for 20)) then (shift((line(nh5, .e4)) then 3.. (B[f1-g6,f6-h8])))))",
    "rotate(shift(((mirror([q]5)) then while (flip(_[c-h])) (shift(KRP*vKR*P*))) then 2..5 (shift(shift(q)))))",
    "rotate(shift(((([Pn]) directly ([_]7)) directly ((capture) then 2..5 (pb-R))) directly (Nb3)))",
    "shift(([QP]f6) then (((line([n_][5-6,f6], A[e7], Rd4) or line(A[6-7], .f8, [Pb][e4-h4]))) then 3.. while (not ([r]8)) ((pg6) then (capture))))",
];

#[derive(Clone, Copy)]
enum Per {
    HalfMove,
    Game,
}

/// callgrind counts inside this function, by its name.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) {
    work();
}

fn after(text: &str) -> Board {
    final_board(&movetext::read(text).expect("an opening"))
}

fn final_board(game: &Game) -> Board {
    board_at(game, game.view().ply_count())
}

fn board_at(game: &Game, ply: u32) -> Board {
    game.view().board_at(ply).expect("sound bytes").expect("in range")
}

/// Runs a loop over values, once to warm up (tables are computed at their first use) and once to be counted.
fn each<'a, T: 'a>(values: impl IntoIterator<Item = &'a T> + Clone, mut work: impl FnMut(&'a T)) {
    let mut all = || values.clone().into_iter().for_each(|value| work(black_box(value)));
    all();
    counted(&mut all);
}

/// Collects the keys of each game and passes them to `then`.
fn keys_of<K>(games: &[Game], find: impl Fn(&Game, &mut Vec<K>) -> bool, then: impl Fn(&mut Vec<K>)) {
    let mut keys = Vec::with_capacity(10_000);
    each(games, |game| {
        keys.clear();
        black_box(find(game, &mut keys));
        then(&mut keys);
    });
}

fn search(games: &[Game], board: &Board, matching: Matching) {
    let finder = Finder::new(board, matching);
    each(games, |game| {
        black_box(finder.find(game.view(), u32::MAX).is_ok());
    });
}

/// Runs the loop of this name.
fn measure(name: &str, games: &[Game]) -> Result<(), String> {
    let long = games.iter().find(|game| game.view().ply_count() > 100).ok_or("no game of more than 100 half-moves")?;
    if let Some(text) = name.strip_prefix("pattern: ") {
        let mut matcher = Pattern::read(text).map_err(|error| error.to_string())?.matcher();
        each(games, |game| {
            black_box(matcher.find(game.view(), u32::MAX).is_ok());
        });
        return Ok(());
    }
    let position = |board: &Board| search(games, board, Matching::Position);
    match name {
        "material: KRPPPvKRPPP" => {
            let material = Material::read("KRPPPvKRPPP").expect("material");
            each(games, |game| {
                black_box(material.find(game.view(), u32::MAX).is_ok());
            });
        }
        "search: after 1. e4" => position(&after("1. e4")),
        "search: after 1. Nf3 Nf6" => position(&after("1. Nf3 Nf6")),
        "search: Najdorf, after 5... a6" => position(&after("1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6")),
        "search: half-move 30" => position(&board_at(long, 30)),
        "search: half-move 70" => position(&board_at(long, 70)),
        "search: never" => {
            let mut nowhere = board_at(long, 30);
            nowhere.turn ^= 1;
            position(&nowhere);
        }
        "search of the placement: half-move 30" => search(games, &board_at(long, 30), Matching::Placement),
        "replay" => each(games, |game| {
            black_box(final_board(game));
        }),
        "replay with a key (position_keys)" => {
            keys_of(games, |game, keys| position_keys(game.view(), keys).is_ok(), |_| ());
        }
        "keys of a segment (hybrid_keys)" => {
            keys_of(games, |game, keys| each_key(game.view(), |key| keys.push(key)).is_ok(), |_| ());
        }
        "keys of an index, sorted, unique" => {
            let sorted = |keys: &mut Vec<u64>| {
                keys.sort_unstable_by_key(|key| *key as i64);
                keys.dedup();
                black_box(&keys);
            };
            keys_of(games, |game, keys| position_keys(game.view(), keys).is_ok(), sorted);
        }
        "keys of an index of patterns" => {
            keys_of(games, |game, keys| pattern_keys(game.view(), keys).is_ok(), |_| ());
        }
        "text in" => {
            let texts: Vec<String> = games.iter().map(|g| movetext::write(g.view()).expect("sound bytes")).collect();
            each(&texts, |text| {
                black_box(movetext::read(text).is_ok());
            });
        }
        "text out" => each(games, |game| {
            black_box(movetext::write(game.view()).is_ok());
        }),
        "binary in" => each(games, |game| {
            black_box(Game::from_bytes(game.as_bytes()).is_ok());
        }),
        "comparison of two games" => {
            let mut others = games.iter().cycle().skip(1);
            each(games, |game| {
                black_box(game.view().cmp(black_box(others.next().unwrap_or(game)).view()));
            });
        }
        _ => return Err(format!("no such loop: {name}")),
    }
    Ok(())
}

fn load(path: Option<&str>) -> Result<Vec<Game>, String> {
    let text = match path {
        None => chess_gamegen::Generator::new(SEED).take(GAMES).map(|game| game.pgn()).collect(),
        Some(path) => {
            let bytes = fs::read(path).map_err(|error| format!("{path}: {error}"))?;
            String::from_utf8(bytes).map_err(|error| format!("{path}: {error}"))?
        }
    };
    let games: Vec<Game> = read_pgn::games(&text).filter_map(|read| read.game.ok()).take(GAMES).collect();
    if games.is_empty() { Err("no games".to_owned()) } else { Ok(games) }
}

/// The instructions of one loop, from callgrind's report at the end of the program.
fn count(name: &str, texts: &str) -> Result<u64, String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let mut child = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*::counted*"])
        .arg(program)
        .args(["--measure", name])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("valgrind: {error}; on Debian: apt-get install valgrind"))?;
    // The child reads all input before it writes more than valgrind's greeting.
    let mut pipe = child.stdin.take().expect("it was piped");
    pipe.write_all(texts.as_bytes()).map_err(|error| error.to_string())?;
    drop(pipe);
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let report = String::from_utf8_lossy(&output.stderr);
    let collected = report.lines().find_map(|line| line.split_once("Collected : "));
    match collected.and_then(|(_, number)| number.trim().parse().ok()) {
        Some(number) if output.status.success() && number > 0 => Ok(number),
        _ => Err(format!("{name}: valgrind counted nothing:\n{report}")),
    }
}

fn games_on_stdin() -> Result<Vec<Game>, String> {
    let lines = io::stdin().lines().map(|line| line.map_err(|error| error.to_string()));
    lines.map(|line| movetext::read(&line?).map_err(|error| error.to_string())).collect()
}

fn run(path: Option<&str>, wanted: &str) -> Result<(), String> {
    let games = load(path)?;
    let half_moves: u64 = games.iter().map(|game| u64::from(game.view().ply_count())).sum();
    let texts: String = games.iter().map(|game| movetext::write(game.view()).expect("sound bytes") + "\n").collect();
    println!("{} games, {half_moves} half-moves", games.len());
    let patterns = PATTERNS.map(|text| (format!("pattern: {text}"), Per::Game));
    let loops = LOOPS.into_iter().map(|(name, per)| (name.to_owned(), per)).chain(patterns);
    for (name, per) in loops.filter(|(name, _)| name.contains(wanted)) {
        let instructions = count(&name, &texts)? as f64;
        let (divisor, unit) = match per {
            Per::HalfMove => (half_moves, "half-move"),
            Per::Game => (games.len() as u64, "game"),
        };
        println!("{name:<40} {:>10.1} instructions per {unit}", instructions / divisor as f64);
    }
    Ok(())
}

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        [] => run(None, ""),
        ["--measure", name] => games_on_stdin().and_then(|games| measure(name, &games)),
        [path] => run(Some(path), ""),
        [path, wanted] => run(Some(path), wanted),
        _ => Err("usage: chess-bench-instructions [FILE.pgn [WORD]]".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
