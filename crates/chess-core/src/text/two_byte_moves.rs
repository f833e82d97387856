//! Moves and games in two bytes per half-move: `from | to << 6 | promotion << 12`.
//!
//! There are two numberings, in which a code means different moves:
//!
//! | | [`Numbering::Plain`] | [`Numbering::Ocgdb`] |
//! |---|---|---|
//! | squares | a1 = 0, b1 = 1 … h8 = 63 | a8 = 0, b8 = 1 … h1 = 63 |
//! | promotion | queen 1, bishop 2, rook 3, knight 4 | queen 2, rook 3, bishop 4, knight 5 |
//! | bit 15 | never set | a comment follows |
//!
//! The second one is that of the column `Moves2` in ocgdb databases. Some programs write its promotions with the
//! squares of the first one, so both squares are tried when a game is read.
//!
//! A game is the sequence of its codes, low byte first, without start position and result. Castling is written as the
//! king's move to the g- or c-file, or as its move onto its rook where that would be an ordinary king move (only in
//! Chess960); both are read.

use std::fmt;

use shakmaty::{Role, Square};

use crate::board::Board;
use crate::board::fen;
use crate::board::kinds::role_of;
use crate::game::legality::Position;
use crate::game::recorder::Recorder;
use crate::game::slots::Step;
use crate::game::start::{GameStart, StartError};
use crate::game::{CorruptGame, Game, GameRef, GameResult};
use crate::pause::Pauses;

/// The numbering of codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// a1 = 0; queen 1, bishop 2, rook 3, knight 4.
    Plain,
    /// a8 = 0; queen 2, rook 3, bishop 4, knight 5; bit 15 for a comment.
    Ocgdb,
}

/// A move without its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BareMove {
    /// The from-square.
    pub from: Square,
    /// The to-square.
    pub to: Square,
    /// The role of a promotion.
    pub promotion: Option<Role>,
}

/// Why codes are not a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moves2Error {
    /// The number of bytes is odd.
    OddLength(usize),
    /// A code is not a move: its half-move, from 1, and the code.
    Code(u32, u16),
    /// A move is illegal: half-move, move, board.
    Illegal(u32, BareMove, Box<Board>),
    /// No game can start from the board.
    Start(StartError),
}

impl fmt::Display for Moves2Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moves2Error::OddLength(len) => write!(f, "each half-move takes two bytes, and {len} is an odd number"),
            Moves2Error::Code(ply, code) => write!(f, "half-move {ply}: code {code} is not a move"),
            Moves2Error::Illegal(ply, played, board) => {
                write!(f, "half-move {ply}, {played}: illegal move in {}", fen::write(board))
            }
            Moves2Error::Start(reason) => reason.fmt(f),
        }
    }
}

impl std::error::Error for Moves2Error {}

impl fmt::Display for BareMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)?;
        match self.promotion {
            Some(role) => write!(f, "{}", role.char()),
            None => Ok(()),
        }
    }
}

impl BareMove {
    /// Parses a move in UCI: `e2e4`, `e7e8q`.
    pub fn from_uci(text: &str) -> Option<BareMove> {
        let from = text.get(..2)?.parse().ok()?;
        let to = text.get(2..4)?.parse().ok()?;
        let promotion = match &text[4..] {
            "" => None,
            "q" => Some(Role::Queen),
            "r" => Some(Role::Rook),
            "b" => Some(Role::Bishop),
            "n" => Some(Role::Knight),
            _ => return None,
        };
        Some(BareMove { from, to, promotion })
    }

    /// The code of a move.
    ///
    /// # Examples
    ///
    /// ```
    /// use chess_core::text::two_byte_moves::{BareMove, Numbering};
    ///
    /// let code = |uci, numbering| BareMove::from_uci(uci).map(|played| played.to_code(numbering));
    /// assert_eq!(code("e2e4", Numbering::Plain), Some(1804));
    /// assert_eq!(code("e7e8q", Numbering::Plain), Some(7988));
    /// assert_eq!(code("h7h8n", Numbering::Plain), Some(20471));
    /// assert_eq!(code("e2e4", Numbering::Ocgdb), Some(52 | 36 << 6));
    /// ```
    pub fn to_code(self, numbering: Numbering) -> u16 {
        let (square, roles): (fn(Square) -> u16, _) = match numbering {
            Numbering::Plain => (|square| square as u16, PLAIN_ROLES),
            Numbering::Ocgdb => (|square| square.flip_vertical() as u16, OCGDB_ROLES),
        };
        let promotion = roles.iter().position(|role| *role == self.promotion).unwrap_or(0);
        square(self.from) | square(self.to) << 6 | (promotion as u16) << 12
    }

    /// The move for a code; `None` if the code is not a move.
    pub fn from_code(code: u16, numbering: Numbering) -> Option<BareMove> {
        let (from, to) = (Square::new(u32::from(code & 63)), Square::new(u32::from(code >> 6 & 63)));
        let (from, to, roles) = match numbering {
            Numbering::Plain => (from, to, PLAIN_ROLES),
            Numbering::Ocgdb => (from.flip_vertical(), to.flip_vertical(), OCGDB_ROLES),
        };
        let number = usize::from(code >> 12 & 7);
        let promotion = roles[number];
        let is_move = (number == 0 || promotion.is_some()) && (code >> 15 == 0 || numbering == Numbering::Ocgdb);
        is_move.then_some(BareMove { from, to, promotion })
    }
}

const PLAIN_ROLES: [Option<Role>; 8] =
    [None, Some(Role::Queen), Some(Role::Bishop), Some(Role::Rook), Some(Role::Knight), None, None, None];
const OCGDB_ROLES: [Option<Role>; 8] =
    [None, None, Some(Role::Queen), Some(Role::Rook), Some(Role::Bishop), Some(Role::Knight), None, None];

/// The codes of a game.
pub fn write(game: GameRef<'_>, numbering: Numbering) -> Result<Vec<u8>, CorruptGame> {
    let mut out = Vec::with_capacity(2 * game.moves().len());
    game.decode(|position, step| {
        if let Some(step) = step {
            out.extend_from_slice(&bare(position, step).to_code(numbering).to_le_bytes());
        }
    })?;
    Ok(out)
}

fn bare(position: &Position<'_>, step: Step) -> BareMove {
    let (from, to) = position.ends(step);
    let to = match position.castling_rook(step) {
        Some(rook) if to == from || position.is_legal(Step::Plain { from, to, promotion: None }) => rook,
        _ => to,
    };
    let square = |square: u8| Square::new(square.into());
    BareMove { from: square(from), to: square(to), promotion: step.promotion().and_then(role_of) }
}

/// Reads the codes of a game that starts from a board.
///
/// # Errors
///
/// [`Moves2Error`] for the first code that is not a legal move.
///
/// # Examples
///
/// ```
/// use chess_core::text::two_byte_moves::{self, Numbering};
/// use chess_core::{Board, GameResult};
/// use chess_core::text::movetext;
///
/// let game = movetext::read("1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O *")?;
/// let codes = two_byte_moves::write(game.view(), Numbering::Plain)?;
/// assert_eq!(codes[..2], 1804u16.to_le_bytes());
/// let read = two_byte_moves::read(&codes, &Board::default(), GameResult::Unknown, false, Numbering::Plain)?;
/// assert_eq!(read, game);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn read(
    codes: &[u8],
    start: &Board,
    result: GameResult,
    chess960: bool,
    numbering: Numbering,
) -> Result<Game, Moves2Error> {
    let start = GameStart::new(start).map_err(Moves2Error::Start)?;
    let (first, first_plies) = match play_all(codes, &start, |code| BareMove::from_code(code, numbering)) {
        Ok(recorder) => return Ok(recorder.finish(result, chess960)),
        Err(failed) => failed,
    };
    if numbering == Numbering::Ocgdb {
        let from_a1 = |code| {
            let read = BareMove::from_code(code, numbering)?;
            Some(BareMove { from: read.from.flip_vertical(), to: read.to.flip_vertical(), ..read })
        };
        match play_all(codes, &start, from_a1) {
            Ok(recorder) => return Ok(recorder.finish(result, chess960)),
            // Report the error that occurs later: its numbering is probably the right one.
            Err((second, plies)) if plies > first_plies => return Err(second),
            Err(_) => (),
        }
    }
    Err(first)
}

fn play_all<'s>(
    codes: &[u8],
    start: &'s GameStart,
    decode: impl Fn(u16) -> Option<BareMove>,
) -> Result<Recorder<'s>, (Moves2Error, u32)> {
    let mut recorder = Recorder::new(start);
    let (pairs, rest) = codes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err((Moves2Error::OddLength(codes.len()), 0));
    }
    let mut pauses = Pauses::default();
    for pair in pairs {
        pauses.step();
        let code = u16::from_le_bytes(*pair);
        let ply = recorder.plies() + 1;
        let bare = decode(code).ok_or((Moves2Error::Code(ply, code), ply))?;
        let promotion = bare.promotion.map(|role| role as u8 - 1);
        match recorder.position().step(bare.from as u8, bare.to as u8, promotion) {
            Some(step) => recorder.play_legal(step),
            None => return Err((Moves2Error::Illegal(ply, bare, Box::new(recorder.board())), ply)),
        }
    }
    Ok(recorder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::movetext;

    const BOTH: [Numbering; 2] = [Numbering::Plain, Numbering::Ocgdb];

    #[test]
    fn single_codes() {
        for numbering in BOTH {
            for uci in ["a1h8", "h8a1", "e2e4", "e7e8q", "a2a1r", "h7h8b", "b2a1n"] {
                let played = BareMove::from_uci(uci).unwrap();
                assert_eq!(BareMove::from_code(played.to_code(numbering), numbering), Some(played));
                assert_eq!(played.to_string(), uci);
            }
        }
        for promotion in 5..8 {
            assert_eq!(BareMove::from_code(promotion << 12, Numbering::Plain), None);
        }
        for promotion in [1, 6, 7] {
            assert_eq!(BareMove::from_code(promotion << 12, Numbering::Ocgdb), None);
        }
        assert_eq!(BareMove::from_code(0x8000, Numbering::Plain), None);
        assert!(BareMove::from_code(0x8000, Numbering::Ocgdb).is_some());
        for bad in ["", "e2", "e2e9", "e7e8k", "e7e8Q", "e2e4 ", "\u{e9}2e4", "e\u{6cb}3"] {
            assert_eq!(BareMove::from_uci(bad), None, "{bad}");
        }
    }

    #[test]
    fn games_and_back() {
        for text in [
            "",
            "1. e4 c5 2. e5 d5 3. exd6 Nf6 4. dxe7 Kd7 5. exf8=N+ Kc7 6. Nf3 Nc6 7. Be2 b6 8. O-O Bb7",
            "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. O-O-O O-O-O",
            "[Variant \"Chess960\"] [FEN \"1k6/8/8/8/8/8/8/5KR1 w G - 0 1\"] 1. O-O",
            "[Variant \"Chess960\"] [FEN \"1k6/8/8/8/8/8/8/5K1R w H - 0 1\"] 1. O-O",
            "[Variant \"Chess960\"] [FEN \"1k6/8/8/8/8/8/8/5K1R w H - 0 1\"] 1. Kg1",
            "[Variant \"Chess960\"] [FEN \"1k6/8/8/8/8/8/8/2K4R w H - 0 1\"] 1. O-O",
            "[Variant \"Chess960\"] [FEN \"1k6/8/8/8/8/8/8/R1K5 w A - 0 1\"] 1. O-O-O",
            "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 3 40\"] 40... Kd7 41. e4",
        ] {
            let game = movetext::read(text).unwrap();
            let start = game.view().start_board().unwrap();
            for numbering in BOTH {
                let codes = write(game.view(), numbering).unwrap();
                let chess960 = game.view().is_chess960();
                assert_eq!(read(&codes, &start, GameResult::Unknown, chess960, numbering), Ok(game.clone()), "{text}");
            }
        }
        let castled = movetext::read("1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O").unwrap();
        let mut codes = write(castled.view(), Numbering::Plain).unwrap();
        assert_eq!(codes[12..], (4u16 | 6 << 6).to_le_bytes());
        codes.splice(12.., (4u16 | 7 << 6).to_le_bytes());
        let standard = Board::default();
        assert_eq!(read(&codes, &standard, GameResult::Unknown, false, Numbering::Plain), Ok(castled));
    }

    #[test]
    fn blobs_of_other_writers() {
        let game = movetext::read("1. e4 d5 2. exd5 c6 3. dxc6 Nf6 4. cxb7 Nd5 5. bxa8=Q *").unwrap();
        let standard = Board::default();
        let codes = write(game.view(), Numbering::Ocgdb).unwrap();
        // with comments, and with squares numbered from a1
        let mut commented = codes.clone();
        commented[1] |= 0x80;
        let mut from_a1 = Vec::new();
        game.view()
            .decode(|position, step| {
                let Some(step) = step else { return };
                let bare = bare(position, step);
                let turned = BareMove { from: bare.from.flip_vertical(), to: bare.to.flip_vertical(), ..bare };
                from_a1.extend_from_slice(&turned.to_code(Numbering::Ocgdb).to_le_bytes());
            })
            .unwrap();
        for blob in [codes, commented, from_a1] {
            assert_eq!(read(&blob, &standard, GameResult::Unknown, false, Numbering::Ocgdb), Ok(game.clone()));
        }
        let bad = |codes: &[u8]| read(codes, &standard, GameResult::Unknown, false, Numbering::Plain).unwrap_err();
        assert_eq!(bad(&[1]), Moves2Error::OddLength(1));
        assert_eq!(bad(&(1804u16 | 5 << 12).to_le_bytes()), Moves2Error::Code(1, 1804 | 5 << 12));
        assert_eq!(
            bad(&[12, 7, 12, 7]).to_string(),
            "half-move 2, e2e4: illegal move in rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
        );
    }
}
