//! Plays one game between two engines: takes the start and the engines; returns moves, clocks, evaluations and the
//! result.

use std::time::{Duration, Instant};

use chess_core::board::{Board, fen};
use chess_core::facts::rules::{self, Status};
use chess_core::game::recorder::Recorder;
use chess_core::game::start::GameStart;
use chess_core::text::one_move::{push_uci, read_uci};
use chess_core::{Game, GameResult};
use chess_uci::root::needs_chess960;
use chess_uci::{EngineError, Failure, Limit, Standing, Supervisor};
use shakmaty::{Color, Position};

use super::clock::TimeControl;

/// How the time for a move is determined.
#[derive(Clone, Copy, Debug)]
pub enum Pace {
    /// The same limit for each move.
    Fixed(Limit),
    /// By the clock.
    Clock(TimeControl),
}

impl Pace {
    /// The time on a clock at the start.
    fn start(self) -> Duration {
        match self {
            Pace::Clock(control) => control.first(),
            Pace::Fixed(_) => Duration::ZERO,
        }
    }

    /// The limit of a search, and when it is stopped, with this time on the clock.
    fn limit(self, left: Duration) -> (Limit, Option<Duration>) {
        match self {
            Pace::Fixed(limit) => (limit, None),
            // The search is stopped when the flag falls; an engine that thinks longer is not waited for.
            Pace::Clock(control) => (Limit::Movetime(control.think(left)), Some(left)),
        }
    }
}

/// A finished game.
#[derive(Debug)]
pub struct Played {
    /// The moves and the result.
    pub game: Game,
    /// The value of the tag Termination.
    pub termination: &'static str,
    /// The reason in words.
    pub reason: String,
    /// Tenths of a second left after each half-move, in games with clocks.
    pub clocks: Option<Vec<i32>>,
    /// For each move, the evaluation that the engine reported with it, if any, in centipawns for White.
    pub evals: Vec<Option<i32>>,
}

/// Why a game was not finished.
#[derive(Debug)]
pub enum Unplayed {
    /// The user interrupted it.
    Stopped,
    /// An engine cannot be used: its side (0 is White, 1 Black) and the reason.
    Engine(usize, String),
}

impl Unplayed {
    fn of(side: usize, failure: Failure) -> Unplayed {
        match failure {
            Failure::Stopped => Unplayed::Stopped,
            failure => Unplayed::Engine(side, failure.to_string()),
        }
    }
}

/// Plays a game from a legal start. A side whose engine fails twice at one move loses.
pub fn play(
    start: &GameStart,
    board: &Board,
    engines: &mut [Supervisor; 2],
    pace: Pace,
    stop: &dyn Fn() -> bool,
) -> Result<Played, Unplayed> {
    let chess960 = needs_chess960(board);
    let mut recorder = Recorder::new(start);
    let mut told: Vec<String> = Vec::new();
    let mut left = [pace.start(); 2];
    let mut clocks = Vec::new();
    let mut evals = Vec::new();
    let (result, termination, reason) = loop {
        let now = recorder.board();
        let side = usize::from(now.turn);
        if let Some(end) = ended(&recorder) {
            break end;
        }
        let name = ["White", "Black"][side];
        let lost = loss(&now, side);
        // Not reached: `ended` has found no end of the game.
        let Ok(Standing::Open(root)) = Standing::in_game(board, &told, &now) else {
            break (GameResult::Unknown, "unterminated", "the position cannot be given to an engine".to_owned());
        };
        let (limit, deadline) = pace.limit(left[side]);
        let engine = &mut engines[side];
        engine.engine(stop).map_err(|failure| Unplayed::of(side, failure))?;
        let asked = Instant::now();
        let answer = engine.search(&root, limit, 0, told.len() < 2, deadline, stop);
        let taken = asked.elapsed();
        let analysis = match answer {
            Ok(analysis) => analysis,
            Err(Failure::Position(error)) if error != EngineError::NoChess960 => {
                break (lost, "rules infraction", format!("{name} {error}"));
            }
            Err(failure) => return Err(Unplayed::of(side, failure)),
        };
        if let Pace::Clock(control) = pace {
            match left[side].checked_sub(taken) {
                Some(rest) => left[side] = rest + control.increment,
                None => break (lost, "time forfeit", format!("{name} exceeded the time limit")),
            }
        }
        let illegal = |best: &str| (lost, "rules infraction", format!("{name} played {best}, an illegal move"));
        let Ok(step) = read_uci(recorder.position(), &analysis.best) else { break illegal(&analysis.best) };
        let mut text = String::new();
        push_uci(&mut text, recorder.position(), step, chess960);
        if recorder.play(step).is_err() {
            break illegal(&analysis.best);
        }
        told.push(text);
        clocks.push(i32::try_from(left[side].as_millis() / 100).unwrap_or(i32::MAX));
        evals.push(analysis.variations.first().map(|line| line.score.for_white(now.turn)));
    };
    let clocks = matches!(pace, Pace::Clock(_)).then_some(clocks);
    Ok(Played { game: recorder.finish(result, chess960), termination, reason, clocks, evals })
}

/// The result when a side, 0 is White, exceeds its time or plays what is illegal: a draw if no moves at all let the other give
/// mate (FIDE Laws of Chess, 6.9 and 7.5.5).
fn loss(board: &Board, side: usize) -> GameResult {
    let (winner, result) = [(Color::Black, GameResult::BlackWins), (Color::White, GameResult::WhiteWins)][side];
    let cannot_win = board.position().is_ok_and(|position| position.has_insufficient_material(winner));
    if cannot_win { GameResult::Draw } else { result }
}

/// The end by the rules. Draws that can be claimed are claimed.
fn ended(recorder: &Recorder<'_>) -> Option<(GameResult, &'static str, String)> {
    let game = recorder.clone().finish(GameResult::Unknown, false);
    let status = rules::status_of_game(game.view()).ok()?;
    let result = match status {
        Status::InProgress => return None,
        Status::WhiteWins => GameResult::WhiteWins,
        Status::BlackWins => GameResult::BlackWins,
        _ => GameResult::Draw,
    };
    let reason = match status {
        Status::WhiteWins | Status::BlackWins => "mate",
        draw => draw.as_str(),
    };
    Some((result, "normal", reason.to_owned()))
}

/// The start of a game: that of a FEN, or the standard start without one.
///
/// # Errors
///
/// The FEN is invalid, the position is illegal, or it has no legal moves.
pub fn start_of(text: Option<&str>) -> Result<(GameStart, Board), String> {
    let board = match text {
        None => Board::default(),
        Some(text) => fen::read(text).map_err(|error| error.to_string())?,
    };
    let start = GameStart::new(&board).map_err(|error| error.to_string())?;
    match Standing::of(&board) {
        Ok(Standing::Open(_)) => Ok((start, board)),
        Ok(Standing::Over(status)) => Err(format!("the game is over there: {}", status.as_str())),
        Err(error) => Err(error.to_string()),
    }
}
