//! The status of a board or a game under the rules, and moves on a board.
//!
//! Takes boards and games; returns a [`Status`], or the board after a move. If a board is illegal, the error says why.

use crate::board::kinds::{KING, PAWN, QUEEN, ROOK};
use crate::board::squares;
use crate::board::symmetry::{Symmetry, same_position};
use crate::board::{Board, IllegalPosition, MAX_CLOCK};
use crate::game::legality::Position;
use crate::game::pieces::{EMPTY, Pieces};
use crate::game::recorder::Recorder;
use crate::game::replay::Replay;
use crate::game::slots::through_last_pawn_move;
use crate::game::start::GameStart;
use crate::game::state::{Course, Keyed, Traced};
use crate::game::{CorruptGame, GameRef};
use crate::text::one_move::{self, MoveError};
use crate::text::polyglot_moves;
use crate::text::san;
use shakmaty::{Chess, Position as _};

/// The status of a game under the FIDE Laws of Chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The game continues, and neither side can claim a draw.
    InProgress,
    /// Black is mated.
    WhiteWins,
    /// White is mated.
    BlackWins,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// Neither side has enough pieces to mate by any sequence of moves.
    InsufficientMaterial,
    /// The position has arisen five times: drawn (9.6.1).
    FivefoldRepetition,
    /// 75 moves of each side without a capture or a pawn move: drawn (9.6.2).
    SeventyFiveMoveRule,
    /// The position has arisen three times: a draw may be claimed (9.2).
    ThreefoldRepetition,
    /// 50 moves of each side without a capture or a pawn move: a draw may be claimed (9.3).
    FiftyMoveRule,
}

impl Status {
    /// All statuses, in the reverse order of their checks.
    pub const ALL: &[Status] = &[
        Status::InProgress,
        Status::WhiteWins,
        Status::BlackWins,
        Status::Stalemate,
        Status::InsufficientMaterial,
        Status::FivefoldRepetition,
        Status::SeventyFiveMoveRule,
        Status::ThreefoldRepetition,
        Status::FiftyMoveRule,
    ];

    /// The text of the status.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::InProgress => "in progress",
            Status::WhiteWins => "white wins",
            Status::BlackWins => "black wins",
            Status::Stalemate => "stalemate",
            Status::InsufficientMaterial => "insufficient material",
            Status::FivefoldRepetition => "fivefold repetition",
            Status::SeventyFiveMoveRule => "seventy-five-move rule",
            Status::ThreefoldRepetition => "threefold repetition",
            Status::FiftyMoveRule => "fifty-move rule",
        }
    }

    fn of(position: &Chess, halfmove_clock: u32) -> Status {
        if position.is_checkmate() {
            return Status::mate(position.turn().is_black());
        }
        if position.is_stalemate() {
            return Status::Stalemate;
        }
        if position.is_insufficient_material() {
            return Status::InsufficientMaterial;
        }
        Status::by_history(halfmove_clock, 1)
    }

    fn mate(is_black_mated: bool) -> Status {
        if is_black_mated { Status::WhiteWins } else { Status::BlackWins }
    }

    /// The status of a position whose board decides nothing.
    fn by_history(halfmove_clock: u32, occurrences: u32) -> Status {
        match (occurrences, halfmove_clock) {
            (5.., _) => Status::FivefoldRepetition,
            (_, 150..) => Status::SeventyFiveMoveRule,
            (3.., _) => Status::ThreefoldRepetition,
            (_, 100..) => Status::FiftyMoveRule,
            _ => Status::InProgress,
        }
    }
}

/// The status of a board. Its only history is the half-move clock.
///
/// # Errors
///
/// [`IllegalPosition`] if the rules do not apply to the board.
pub fn status_of_board(board: &Board) -> Result<Status, IllegalPosition> {
    Ok(Status::of(&board.position()?, board.halfmove_clock))
}

/// The status of the last position of a game. The recorded result is ignored.
///
/// # Errors
///
/// [`CorruptGame`] if the stored bytes do not decode.
pub fn status_of_game(game: GameRef<'_>) -> Result<Status, CorruptGame> {
    Ok(ending(game, |_, _| ())?.0)
}

/// The fewest half-moves until a position has come three times: players return to it twice, and each return takes four.
const LEAST_REPEATED: u32 = 8;

/// Replays a game, calls `visit` with the position after each half-move, and returns the status of the last position with a
/// set of the roles that have pieces there, a bit for each.
///
/// # Errors
///
/// [`CorruptGame`] if the stored bytes do not decode.
#[inline(always)]
pub(crate) fn ending(game: GameRef<'_>, mut visit: impl FnMut(&Pieces, Traced)) -> Result<(Status, u8), CorruptGame> {
    let start = game.start_position()?;
    let mut replay = Replay::<Traced>::new(&start);
    let (mut played, mut captured_at) = (0, 0);
    replay.run(game.moves(), u32::MAX, |pieces, state| {
        played += 1;
        if state.taken != EMPTY {
            captured_at = played;
        }
        visit(pieces, state);
        false
    })?;
    if played != game.ply_count() {
        return Err(CorruptGame::Length);
    }
    let zeroed_at = captured_at.max(through_last_pawn_move(game.moves(), played).0);
    let since = played - zeroed_at;
    let position = Position::of(replay.counting());
    let roles = (PAWN..=KING).fold(0, |roles, role| roles | u8::from(position.in_role(role) != 0) << role);
    let status = if position.is_mate() {
        Status::mate(position.turn() == 1)
    } else if !position.is_check() && !position.has_step() {
        Status::Stalemate
    } else if roles & (1 << PAWN | 1 << ROOK | 1 << QUEEN) == 0
        && let board = position.board(played, since)
        && board.position().map_err(|_| CorruptGame::Move(played))?.is_insufficient_material()
    {
        Status::InsufficientMaterial
    } else {
        let clock = if zeroed_at == 0 { start.halfmove_clock.saturating_add(played) } else { since };
        Status::by_history(clock, if since >= LEAST_REPEATED { repetitions(game)? } else { 1 })
    };
    Ok((status, roles))
}

/// How often the last position of a game occurs in it, including the last time. No pawn has moved since the first time.
///
/// # Errors
///
/// [`CorruptGame`] if the stored bytes do not decode.
pub fn repetitions(game: GameRef<'_>) -> Result<u32, CorruptGame> {
    let start = game.start_position()?;
    let (plies, len) = through_last_pawn_move(game.moves(), u32::MAX);
    let (before, since) = game.moves().split_at(len);
    let mut replay = Replay::<Course>::new(&start);
    replay.run(before, u32::MAX, |_, _| false)?;
    let first = replay.keyed();
    let mut replay = first.clone();
    replay.run(since, u32::MAX, |_, _| false).map_err(|error| CorruptGame::Move(plies + error.ply))?;
    let last = replay.state;
    let last_en_passant = last.legal_en_passant_file(&replay.pieces);
    let is_last = |pieces: &Pieces, state: Keyed| {
        state.key == last.key
            && state.home.castling() == last.home.castling()
            && state.legal_en_passant_file(pieces) == last_en_passant
    };
    let mut count = u32::from(is_last(&first.pieces, first.state));
    first.clone().run(since, u32::MAX, |pieces, state| {
        count += u32::from(is_last(pieces, state));
        false
    })?;
    Ok(count)
}

/// Why a move cannot be played on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayError {
    /// The rules do not apply to the board.
    Position(IllegalPosition),
    /// The text is not a legal move.
    Move(MoveError),
}

/// A move on a board in SAN or UCI, written in both.
///
/// # Errors
///
/// [`PlayError`] if the board is not a legal position, or the text not a legal move on it.
///
/// # Examples
///
/// ```
/// use chess_core::Board;
/// use chess_core::facts::rules;
///
/// let (san, uci) = rules::spell(&Board::default(), "g1f3").unwrap();
/// assert_eq!((san.as_str(), uci.as_str()), ("Nf3", "g1f3"));
/// ```
pub fn spell(board: &Board, text: &str) -> Result<(String, String), PlayError> {
    let start = GameStart::at(board).map_err(PlayError::Position)?;
    let position = Position::new(&start);
    let step = one_move::read(&position, text).map_err(PlayError::Move)?;
    let (mut in_san, mut in_uci) = (String::new(), String::new());
    san::push(&mut in_san, &position, step);
    san::push_mark(&mut in_san, &position.after(step));
    one_move::push_uci(&mut in_uci, &position, step, false);
    Ok((in_san, in_uci))
}

/// A move on a board in SAN or UCI, as the same move on a board that is equal under a symmetry, in SAN; `None` if the boards are
/// not equal. A board that equals itself under a symmetry has several moves that are the same: the first of them in UCI is
/// returned.
///
/// # Errors
///
/// [`PlayError`] if the board is not a legal position, or the text not a legal move on it.
///
/// # Examples
///
/// ```
/// use chess_core::board::fen;
/// use chess_core::facts::rules;
///
/// let board = fen::read("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1")?;
/// let other = fen::read("3k4/3p4/8/8/3K4/8/8/8 b - - 0 1")?;
/// assert_eq!(rules::symmetric_move(&board, "Kf2", &other), Ok(Some("Kc7".to_string())));
/// # Ok::<_, fen::FenError>(())
/// ```
pub fn symmetric_move(board: &Board, text: &str, other: &Board) -> Result<Option<String>, PlayError> {
    let board = board.with_legal_en_passant();
    let (_, uci) = spell(&board, text)?;
    let square = |symmetry: Symmetry, name: &str| {
        squares::from_name(name).map_or_else(String::new, |square| squares::name(symmetry.square(square)))
    };
    let images = Symmetry::all_of(&board).filter(|symmetry| same_position(&symmetry.board(&board), other));
    let moves =
        images.map(|symmetry| [&square(symmetry, &uci[..2]), &square(symmetry, &uci[2..4]), &uci[4..]].concat());
    moves.min().map(|uci| Ok(spell(&other.with_legal_en_passant(), &uci)?.0)).transpose()
}

/// The move in UCI that a code of a Polyglot book means on a board; `None` if there is no such legal move.
///
/// # Errors
///
/// [`IllegalPosition`] if the rules do not apply to the board.
pub fn polyglot_move(board: &Board, code: u16) -> Result<Option<String>, IllegalPosition> {
    let start = GameStart::at(board)?;
    let position = Position::new(&start);
    Ok(polyglot_moves::step(&position, code).map(|step| {
        let mut uci = String::new();
        one_move::push_uci(&mut uci, &position, step, false);
        uci
    }))
}

/// The board after a move in SAN or UCI.
///
/// # Errors
///
/// [`PlayError`] if the board is not a legal position or the text is not a legal move in it.
///
/// # Examples
///
/// ```
/// use chess_core::Board;
/// use chess_core::board::fen;
/// use chess_core::facts::rules;
///
/// let board = rules::play(&Board::default(), "e4").unwrap();
/// assert_eq!(fen::write(&board), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1");
/// assert!(rules::play(&board, "Ke2").is_err());
/// ```
pub fn play(board: &Board, text: &str) -> Result<Board, PlayError> {
    let start = GameStart::at(board).map_err(PlayError::Position)?;
    let mut recorder = Recorder::new(&start);
    let step = one_move::read(recorder.position(), text).map_err(PlayError::Move)?;
    recorder.play_legal(step);
    let mut after = recorder.board();
    after.halfmove_clock = after.halfmove_clock.min(MAX_CLOCK);
    after.fullmove_number = after.fullmove_number.min(MAX_CLOCK);
    Ok(after)
}

/// What the value of an endgame table is called, for the side whose value it is: 2 for a win to -2 for a loss. With 1 and -1 the
/// fifty-move rule makes a draw of it.
pub fn name_of_wdl(wdl: i32) -> &'static str {
    match wdl {
        2.. => "win",
        1 => "cursed win",
        0 => "draw",
        -1 => "blessed loss",
        _ => "loss",
    }
}

#[cfg(test)]
mod tests {
    use chess_gamegen::splitmix64;

    use super::*;
    use crate::board::fen;
    use crate::board::kinds::NO_KIND;
    use crate::board::symmetry::symmetric_boards;
    use crate::facts::moves::each_legal;

    fn moves(board: &Board) -> Vec<String> {
        let mut moves = Vec::new();
        each_legal(board, |details| moves.push(details.san.clone())).unwrap();
        moves
    }

    /// Whether `boards` has `board` as a position.
    fn has(boards: &[Board], board: &Board) -> bool {
        boards.iter().any(|other| same_position(other, board))
    }

    /// What must hold for every board that is legal.
    fn check(board: &Board) -> usize {
        let images = symmetric_boards(board);
        assert!(same_position(&images[0], board));
        for image in &images {
            let told = |san: &String| symmetric_move(board, san, image).unwrap().unwrap();
            let again = symmetric_boards(image);
            assert!(
                again.len() == images.len() && again.iter().all(|other| has(&images, other)),
                "{}",
                fen::write(image)
            );
            assert_eq!(moves(image).len(), moves(board).len(), "{}", fen::write(image));
            for san in moves(board) {
                let (one, other) = (play(board, &san).unwrap(), play(image, &told(&san)).unwrap());
                assert!(
                    has(&symmetric_boards(&one), &other),
                    "{san} of {} on {}",
                    fen::write(board),
                    fen::write(image)
                );
                // telling it back and forth once more changes nothing, also where several moves are the same
                let back = symmetric_move(image, &told(&san), board).unwrap().unwrap();
                assert_eq!(told(&back), told(&san), "{san} of {} on {}", fen::write(board), fen::write(image));
            }
        }
        images.len()
    }

    #[test]
    fn moves_of_symmetric_boards_are_the_same() {
        let cases = [
            ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 2),
            ("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1", 2),
            ("8/8/8/8/k2pP3/8/8/4K3 b - e3 0 1", 4),
            ("8/8/8/8/k2pP2Q/8/8/4K3 b - e3 0 1", 4),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", 4),
            ("8/8/8/8/8/2k5/8/KQ6 w - - 7 70", 16),
            // men on a diagonal alone
            ("8/8/8/8/3Q4/2k5/8/K7 b - - 0 1", 8),
        ];
        for (text, count) in cases {
            assert_eq!(check(&fen::read(text).unwrap()), count, "{text}");
        }
        let board = fen::read("8/8/8/8/3Q4/2k5/8/K7 b - - 0 1").unwrap();
        assert_eq!(symmetric_move(&board, "Kc2", &board), Ok(Some("Kb3".into())), "the diagonal makes c2 of b3");
        assert_eq!(symmetric_move(&Board::default(), "e4", &board), Ok(None));
        assert_eq!(symmetric_move(&board, "Kc5", &board), Err(PlayError::Move(MoveError::Illegal)));
        let idle = fen::read("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1").unwrap();
        assert_eq!(
            symmetric_move(&idle, "Kd7", &idle),
            Ok(Some("Kd7".into())),
            "an en passant square that nobody captures on"
        );
    }

    #[test]
    fn moves_of_random_endings_are_the_same() {
        let mut seed = 11;
        let mut below = |n: u64| splitmix64(&mut seed) % n;
        let mut checked = 0;
        while checked < 60 {
            let mut board = Board {
                kinds: [NO_KIND; 64],
                castling: [0, 0],
                en_passant: None,
                turn: below(2) as u8,
                ..Board::default()
            };
            for kind in [KING, 6 + KING, below(12) as u8, below(12) as u8] {
                board.kinds[below(64) as usize] = kind;
            }
            if board.position().is_ok() {
                check(&board);
                checked += 1;
            }
        }
    }
}
