//! The position of a question: a FEN and moves from there go in; a board, the name of its opening, and SQL for the games that
//! reach it come out.

use chess_core::board::{Board, fen, kinds};
use chess_core::facts::openings::{self, Opening};
use chess_core::facts::rules;
use chess_core::game::legality::Position;
use chess_core::game::start::GameStart;
use chess_core::text::one_move;

use crate::database::query::Query;
use crate::failure::{Failure, Outcome};
use crate::http::params::Params;

/// The longest FEN, in bytes.
const FEN: usize = 120;
/// The most moves after it.
const PLIES: usize = 600;

/// The position that a question is about.
#[derive(Clone, Debug)]
pub struct AskedPosition {
    /// The board. It is a legal position.
    pub board: Board,
    /// The last named opening among the positions of the moves.
    pub opening: Option<Opening>,
    /// Whether positions that are the same but for a symmetry count as well.
    pub symmetries: bool,
}

/// How strictly a FEN is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Any mistake is an error.
    Strict,
    /// Castling rights without king or rook and impossible en passant squares are ignored, as lichess ignores them.
    Lenient,
}

impl AskedPosition {
    /// Reads the parameters `fen` and `play`.
    ///
    /// # Errors
    ///
    /// 400 for an illegal position or move.
    pub fn read(params: &mut Params, reading: Reading) -> Outcome<AskedPosition> {
        let fen = params.long_text("fen", FEN)?;
        let play = params.long_text("play", PLIES * 8)?;
        AskedPosition::new(fen.as_deref(), play.as_deref(), reading)
    }

    /// Reads the flag `symmetries` as well.
    ///
    /// # Errors
    ///
    /// As for [`AskedPosition::read`], and 400 for another value of the flag.
    pub fn read_with_symmetries(params: &mut Params) -> Outcome<AskedPosition> {
        let symmetries = params.flag("symmetries")?;
        Ok(AskedPosition { symmetries, ..AskedPosition::read(params, Reading::Strict)? })
    }

    /// Reads the two texts.
    ///
    /// # Errors
    ///
    /// As for [`AskedPosition::read`].
    pub fn new(fen: Option<&str>, play: Option<&str>, reading: Reading) -> Outcome<AskedPosition> {
        if fen.is_some_and(|text| text.len() > FEN) {
            return Err(Failure::bad(format!("a FEN has at most {FEN} characters")));
        }
        let mut board = match fen.map(|text| text.replace('_', " ")) {
            None => Board::default(),
            Some(text) if matches!(text.trim(), "startpos" | "") => Board::default(),
            Some(text) => read_fen(&text, reading)?,
        };
        board.position().map_err(|error| Failure::bad(format!("FEN: {error}")))?;
        let mut opening = openings::of_board(&board);
        let moves: Vec<&str> = play.unwrap_or_default().split([',', ' ']).filter(|text| !text.is_empty()).collect();
        if moves.len() > PLIES {
            return Err(Failure::bad(format!("more than {PLIES} moves")));
        }
        for (number, text) in moves.iter().enumerate() {
            board = rules::play(&board, text).map_err(|error| {
                let shown: String = text.chars().take(20).collect();
                let reason = match error {
                    rules::PlayError::Position(reason) => reason.to_string(),
                    rules::PlayError::Move(reason) => reason.to_string(),
                };
                Failure::bad(format!("half-move {}, \"{shown}\": {reason} in {}", number + 1, fen::write(&board)))
            })?;
            opening = openings::of_board(&board).or(opening);
        }
        Ok(AskedPosition { board, opening, symmetries: false })
    }

    /// The board as a FEN.
    pub fn fen(&self) -> String {
        fen::write(&self.board)
    }

    /// Appends the condition that game `g` reaches the position.
    pub fn condition(&self, query: &mut Query) {
        let condition = match self.symmetries {
            true => "g.game {&&} {chess}.symmetricBoards({}::{chess}.chessboard)",
            false => "{chess}.hasBoard(g.game, {}::{chess}.chessboard)",
        };
        query.push(condition, [self.fen().into()]);
    }

    /// Appends the board by which game `g` reaches the position.
    pub fn reached(&self, query: &mut Query) {
        let board = match self.symmetries {
            true => "{chess}.reachedBoard(g.game, {chess}.symmetricBoards({}::{chess}.chessboard))",
            false => "{}::{chess}.chessboard",
        };
        query.push(board, [self.fen().into()]);
    }
}

fn read_fen(text: &str, reading: Reading) -> Outcome<Board> {
    let failed = |error: fen::FenError| Failure::bad(format!("FEN: {error}"));
    if reading == Reading::Strict {
        return fen::read(text).map_err(failed);
    }
    let mut fields: Vec<&str> = text.split_ascii_whitespace().collect();
    let with_rights = fen::read(&fields.join(" "));
    if matches!(with_rights, Err(fen::FenError::Castling(_))) {
        fields[2] = "-";
    }
    if matches!(fen::read(&fields.join(" ")), Err(fen::FenError::EnPassant(_))) {
        fields[3] = "-";
    }
    let mut board = fen::read(&fields.join(" ")).map_err(failed)?;
    for color in 0..2 {
        let (home, king, rook) = (56 * color, 6 * color + 5, 6 * color + 3);
        let rank = &board.kinds[home..home + 8];
        let rooks = (0..8).filter(|file| rank[*file] == rook as u8).fold(0, |set, file| set | 1 << file);
        board.castling[color] &= if rank.contains(&(king as u8)) { rooks } else { 0 };
    }
    if board.legal_en_passant_file().is_none() {
        board.en_passant = None;
    }
    debug_assert!(board.kinds.iter().all(|kind| *kind <= kinds::NO_KIND));
    Ok(board)
}

/// A move, given in SAN or UCI, as lichess writes it: castling is the king's move to its rook. `None` if it is illegal.
pub fn as_lichess(board: &Board, text: &str) -> Option<String> {
    let board = Board { halfmove_clock: 0, fullmove_number: 1, ..board.clone() };
    let start = GameStart::new(&board).ok()?;
    let position = Position::new(&start);
    let step = one_move::read(&position, text).ok()?;
    let mut uci = String::new();
    one_move::push_uci(&mut uci, &position, step, true);
    Some(uci)
}

/// Moves in UCI, separated by blanks, as lichess writes them, up to the first illegal one.
pub fn line_as_lichess(board: &Board, moves: &str) -> String {
    let mut board = board.clone();
    let mut written = Vec::new();
    for text in moves.split_ascii_whitespace() {
        let (Some(uci), Ok(after)) = (as_lichess(&board, text), rules::play(&board, text)) else { break };
        written.push(uci);
        board = after;
    }
    written.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fen_of(fen: &str, play: &str, reading: Reading) -> Result<String, String> {
        AskedPosition::new(Some(fen), Some(play), reading).map(|asked| asked.fen()).map_err(|failure| failure.error)
    }

    #[test]
    fn a_position_and_moves() {
        let after = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2";
        for (fen, play) in [("", "e2e4,c7c5"), ("startpos", "e4,c5"), ("", "e4 c5,")] {
            assert_eq!(fen_of(fen, play, Reading::Strict).as_deref(), Ok(after));
        }
        assert_eq!(fen_of(&after.replace(' ', "_"), "", Reading::Strict).as_deref(), Ok(after));
        let najdorf = "e4,c5,Nf3,d6,d4,cxd4,Nxd4,Nf6,Nc3,a6,a3,h6,a4,h5";
        assert_eq!(
            AskedPosition::new(None, Some(najdorf), Reading::Strict).unwrap().opening.map(|known| known.eco),
            Some("B90")
        );
    }

    #[test]
    fn positions_and_moves_that_are_illegal() {
        for (fen, play, part) in [
            ("rnbgkbnr/8/8/8/8/8/8/8", "", "neither a piece"),
            ("8/8/8/8/8/8/8/8 w - - 0 1", "", "king"),
            ("", "e2e4,e2e4", "half-move 2"),
            ("", "e9", "half-move 1"),
            ("'; DROP TABLE games", "", "FEN"),
            ("8/8/8/8/8/8/8/8 w - - 0 1 more", "", "six"),
        ] {
            let error = fen_of(fen, play, Reading::Strict).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        assert!(fen_of("", &"e2e4,".repeat(601), Reading::Strict).is_err());
        assert!(fen_of(&"8/".repeat(100), "", Reading::Strict).is_err());
    }

    #[test]
    fn lichess_ignores_impossible_rights() {
        let strict = |fen| fen_of(fen, "", Reading::Strict);
        let lenient = |fen| fen_of(fen, "", Reading::Lenient);
        for (fen, read) in [
            ("4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
            ("4k3/8/8/8/8/8/8/4K2R w xyz e9 0 1", "4k3/8/8/8/8/8/8/4K2R w - - 0 1"),
            ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ] {
            assert!(strict(fen).is_err(), "{fen}");
            assert_eq!(lenient(fen).as_deref(), Ok(read));
        }
    }

    #[test]
    fn castling_of_lichess() {
        let board =
            AskedPosition::new(Some("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"), None, Reading::Strict).unwrap().board;
        assert_eq!(as_lichess(&board, "O-O").as_deref(), Some("e1h1"));
        assert_eq!(as_lichess(&board, "e1c1").as_deref(), Some("e1a1"));
        assert_eq!(as_lichess(&board, "Ra8").as_deref(), None);
        assert_eq!(as_lichess(&board, "Rxa8+").as_deref(), Some("a1a8"));
        assert_eq!(line_as_lichess(&board, "e1g1 e8c8 h2h4"), "e1h1 e8a8");
    }
}
