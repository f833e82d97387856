//! Random legal games from fixed seeds, played by shakmaty, for the tests next to this folder.
#![allow(dead_code)]

use std::sync::LazyLock;

use chess_core::board::fen;
use chess_core::game::recorder::Recorder;
use chess_core::game::slots::Step;
use chess_core::game::start::GameStart;
use chess_core::{Board, Game, GameResult};
use chess_gamegen::splitmix64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, fen::Fen};

/// The en passant file under FIDE 9.2, for a position.
pub fn legal_en_passant_file(position: &Chess) -> Option<u8> {
    position.ep_square(EnPassantMode::Legal).map(|square| square.file() as u8)
}

/// Random numbers: a seed gives the same games everywhere.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        splitmix64(&mut self.0)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn word(&mut self, from: &[&'static str]) -> &'static str {
        from[self.below(from.len())]
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// How much a test does: the first number where `WHOLE` is set, as in `make test-rest`; otherwise a quarter of it, or four
/// times as long a step; the second number with debug assertions.
pub fn effort(whole: usize, debug: usize) -> usize {
    static WHOLE: LazyLock<bool> = LazyLock::new(|| std::env::var_os("WHOLE").is_some());
    match whole {
        _ if cfg!(debug_assertions) => debug,
        _ if *WHOLE => whole,
        step if step < debug => debug.min(4 * step),
        count => debug.max(count / 4),
    }
}

/// Processor time of this thread, in seconds.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux counts a thread's processor time");
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

/// Checks that work on a text of `size` bytes takes linear time. Compares its processor time with that of reading as
/// many bytes of ordinary moves, so that the machine's speed and load do not matter. Linear work takes up to sixty
/// times as long, quadratic work thousands of times.
pub fn is_linear(what: &str, size: usize, work: impl FnOnce()) {
    const MOVES: usize = 4_000_000;
    let moves = "Nf3 Nf6 Ng1 Ng8 ".repeat(MOVES / 16);
    let begun = processor_time();
    chess_core::text::movetext::read(&moves).unwrap();
    let ordinary = (processor_time() - begun) * size as f64 / MOVES as f64;
    let begun = processor_time();
    work();
    let taken = processor_time() - begun;
    // the resolution of the kernel's clock is a tick
    assert!(taken < 300.0 * ordinary + 0.5, "{size} bytes of {what:?} take {taken} s, and of moves {ordinary} s");
}

/// Checks that work on a text that repeats `piece` takes linear time: eight times the text takes at most 24 times as long.
pub fn grows_linearly(piece: &str, work: impl Fn(&str)) {
    const SIZE: usize = 15_000;
    // the resolution of the kernel's clock is a tick
    const TICK: f64 = 0.004;
    let taken = |times: usize| {
        let text = piece.repeat(times * SIZE / piece.len());
        let begun = processor_time();
        work(&text);
        processor_time() - begun
    };
    let (few, many) = (taken(1), taken(8));
    assert!(many < 24.0 * few.max(TICK), "{SIZE} bytes of {piece:?} take {few} s, eight times as many {many} s");
}

pub const STANDARD: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Starts with properties that random games from the standard start seldom reach.
pub const CUSTOM_STARTS: &[&str] = &[
    // promoted pieces beyond the slots of their role, of both sides
    "qqqqk3/4p3/8/8/8/8/3P4/3KQQQQ w - - 0 1",
    "nnnnk3/nnnn4/8/8/8/8/BBBB4/BBBBK3 b - - 7 30",
    "rrrrkrrr/8/8/8/8/8/8/RRRRKRRR w - - 0 1",
    "rnbqkbnr/8/8/QN5R/qn5r/8/8/RNBQKBNR w KQkq - 0 1",
    "2bqkb2/pppp4/NN4NN/8/8/nn4nn/PPPP4/2BQKB2 b - - 12 40",
    // before a promotion, with and without a capture
    "n1n1k3/PPP3PP/8/8/8/8/ppp3pp/N1N1K3 w - - 0 1",
    "n1n1k3/PPP3PP/8/8/8/8/ppp3pp/N1N1K3 b - - 0 1",
    "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R w KQkq - 0 1",
    "4k3/P6P/8/8/8/8/p6p/4K3 b - - 99 200",
    // Castling.
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b KQkq - 3 9",
    "r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1",
    "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1",
    "rr2k1rr/8/8/8/8/8/8/RR2K1RR w HBgb - 5 20",
    "rk5r/8/8/8/8/8/8/RK5R b KQkq - 0 1",
    "r5kr/8/8/8/8/8/8/R5KR w KQkq - 0 1",
    // En passant, legal or not.
    "4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 w - - 0 1",
    "4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2",
    "4k3/8/8/3p4/8/8/8/4K3 w - d6 0 2",
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
    "8/6bb/8/8/R1pP2k1/4P3/P7/K7 b - d3 0 1",
    // the highest clocks, and move number 0
    "4k3/8/8/8/8/8/4P3/4K3 w - - 1073741824 1073741824",
    "4k3/8/8/8/8/8/4P3/4K3 b - - 0 0",
    // a check that no move can have given, and one with an en passant square
    "4k3/8/8/8/7b/5n2/8/q3K3 w - - 0 1",
    "4k3/8/8/3pP3/8/3n4/8/4K3 w - d6 0 2",
];

/// The FEN of a Chess960 start by its number.
pub fn chess960(number: usize) -> String {
    const KNIGHTS: [(usize, usize); 10] =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    let mut rank = [b'.'; 8];
    rank[number % 4 * 2 + 1] = b'B';
    rank[number / 4 % 4 * 2] = b'B';
    let put = |rank: &mut [u8; 8], nth: usize, piece| {
        let empty: Vec<usize> = (0..8).filter(|file| rank[*file] == b'.').collect();
        rank[empty[nth]] = piece;
    };
    put(&mut rank, number / 16 % 6, b'Q');
    let (first, second) = KNIGHTS[number / 96];
    put(&mut rank, second, b'N');
    put(&mut rank, first, b'N');
    for piece in *b"RKR" {
        put(&mut rank, 0, piece);
    }
    let white = String::from_utf8(rank.to_vec()).unwrap();
    format!("{}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1", white.to_lowercase())
}

/// A game played by shakmaty; there is one more position than moves.
pub struct Played {
    pub fen: String,
    pub positions: Vec<Chess>,
    pub moves: Vec<Move>,
    pub result: GameResult,
    pub chess960: bool,
}

/// How the moves of a random game are selected.
#[derive(Clone, Copy)]
pub enum Style {
    /// Castling, en passant and promotions are preferred.
    Special,
    /// Pieces move back and forth, and the game goes on as long as possible.
    Endless,
}

pub fn oracle_start(text: &str) -> Chess {
    let setup = text.parse::<Fen>().unwrap();
    match setup.into_position(CastlingMode::Chess960) {
        Ok(position) => position,
        Err(error) => error.ignore_impossible_check().unwrap(),
    }
}

pub fn play(rng: &mut Rng, start: &str, plies: usize, style: Style) -> Played {
    let mut position = oracle_start(start);
    let mut played = Played {
        fen: start.into(),
        positions: vec![position.clone()],
        moves: Vec::new(),
        result: GameResult::Unknown,
        chess960: false,
    };
    for _ in 0..plies {
        let legal = position.legal_moves();
        let Some(choice) = choose(rng, &position, &legal, style) else { break };
        position.play_unchecked(choice);
        played.moves.push(choice);
        played.positions.push(position.clone());
    }
    played.result = *rng.pick(&[GameResult::Unknown, GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw]);
    played.chess960 = rng.one_in(4);
    played
}

fn choose(rng: &mut Rng, position: &Chess, legal: &[Move], style: Style) -> Option<Move> {
    if legal.is_empty() {
        return None;
    }
    match style {
        Style::Special => {
            let special: Vec<Move> =
                legal.iter().copied().filter(|m| m.is_castle() || m.is_en_passant() || m.is_promotion()).collect();
            let promoting: Vec<Move> = special.iter().copied().filter(|m| m.is_promotion() && m.is_capture()).collect();
            if !promoting.is_empty() && rng.one_in(3) {
                return Some(*rng.pick(&promoting));
            }
            if !special.is_empty() && !rng.one_in(3) {
                return Some(*rng.pick(&special));
            }
            Some(*rng.pick(legal))
        }
        Style::Endless => {
            let goes_on = |m: &&Move| {
                let mut after = position.clone();
                after.play_unchecked(**m);
                !after.legal_moves().is_empty()
            };
            let quiet: Vec<Move> = legal.iter().filter(goes_on).filter(|m| !m.is_capture()).copied().collect();
            if quiet.is_empty() || rng.one_in(500) { Some(*rng.pick(legal)) } else { Some(*rng.pick(&quiet)) }
        }
    }
}

/// A random start: standard, Chess960 or one of [`CUSTOM_STARTS`].
pub fn any_start(rng: &mut Rng) -> String {
    match rng.below(4) {
        0 => STANDARD.into(),
        1 => chess960(rng.below(960)),
        _ => (*rng.pick(CUSTOM_STARTS)).into(),
    }
}

/// This many short games from random starts.
pub fn games(seed: u64, count: usize) -> Vec<Played> {
    let mut rng = Rng(seed);
    (0..count)
        .map(|_| {
            let start = any_start(&mut rng);
            let plies = rng.below(90);
            play(&mut rng, &start, plies, Style::Special)
        })
        .collect()
}

/// The packed form of a played game.
pub fn pack(played: &Played) -> Game {
    let start = GameStart::new(&fen::read(&played.fen).unwrap()).unwrap();
    let mut recorder = Recorder::new(&start);
    for m in &played.moves {
        recorder.play(Step::of(*m).unwrap()).unwrap();
    }
    recorder.finish(played.result, played.chess960)
}

/// Random packed games of every kind.
pub fn random_game(rng: &mut Rng, max_plies: usize) -> Game {
    let start = any_start(rng);
    let plies = rng.below(max_plies + 1);
    pack(&play(rng, &start, plies, Style::Special))
}

/// shakmaty's position as a board, field by field.
pub fn board_of(played: &Played, ply: usize) -> Board {
    let mut board = Board::from_position(&played.positions[ply]);
    // shakmaty counts moves from 1; a FEN may start at 0.
    if played.fen.ends_with(" 0") {
        board.fullmove_number -= 1;
    }
    board
}
