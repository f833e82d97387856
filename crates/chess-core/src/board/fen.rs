//! FEN and EPD: text to [`Board`] and back.
//!
//! Reading accepts
//! * one to six fields, separated by any spaces; the missing ones are `w`, `-`, `-`, `0`, `1`
//! * X-FEN and Shredder-FEN castling letters in any order (`KQkq`, `HAha`), at most two a side
//! * at most 400 bytes
//! * any placement of 8 ranks of 8 files, with or without kings
//!
//! Writing uses X-FEN: `K` and `Q` stand for the outermost rooks, a file letter for any other.

use std::fmt;

use crate::board::kinds::LETTERS;
use crate::board::kinds::{KING, NO_KIND, ROOK};
use crate::board::{Board, MAX_CLOCK};

/// Why a text is not a FEN. The message names the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FenError {
    /// More bytes than any FEN needs.
    TooLong,
    /// No field at all.
    Empty,
    /// More than six fields.
    TooManyFields,
    /// The placement does not have eight ranks.
    RankCount(usize),
    /// A rank (1 to 8) does not have eight files.
    FileCount(u8, usize),
    /// A character that is neither a piece nor a digit from 1 to 8, and its rank.
    Placement(u8, char),
    /// The side to move is neither `w` nor `b`.
    Turn(String),
    /// The castling field.
    Castling(String),
    /// The en passant field is neither `-` nor a square on the third or sixth rank.
    EnPassant(String),
    /// The half-move clock.
    HalfmoveClock(String),
    /// The move number.
    FullmoveNumber(String),
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FenError::TooLong => write!(f, "a FEN has at most {MAX_LEN} bytes"),
            FenError::Empty => write!(f, "the piece placement is missing"),
            FenError::TooManyFields => write!(f, "a FEN has at most six fields"),
            FenError::RankCount(1) => write!(f, "piece placement: 1 rank instead of 8"),
            FenError::RankCount(n) => write!(f, "piece placement: {n} ranks instead of 8"),
            FenError::FileCount(rank, 1) => write!(f, "piece placement: rank {rank} has 1 file instead of 8"),
            FenError::FileCount(rank, n) => write!(f, "piece placement: rank {rank} has {n} files instead of 8"),
            FenError::Placement(rank, found) => {
                write!(f, "piece placement: \"{found}\" on rank {rank} is neither a piece nor a digit from 1 to 8")
            }
            FenError::Turn(s) => write!(f, "side to move: \"{s}\" is neither \"w\" nor \"b\""),
            FenError::Castling(s) => {
                write!(f, "castling rights: \"{s}\" is neither \"-\" nor up to two of K, Q, A-H for each side")
            }
            FenError::EnPassant(s) => {
                write!(f, "en passant square: \"{s}\" is neither \"-\" nor a square on the third or sixth rank")
            }
            FenError::HalfmoveClock(s) => write!(f, "half-move clock: \"{s}\" is not a number from 0 to {MAX_CLOCK}"),
            FenError::FullmoveNumber(s) => write!(f, "move number: \"{s}\" is not a number from 0 to {MAX_CLOCK}"),
        }
    }
}

impl std::error::Error for FenError {}

/// The part of a token that an error message quotes: the start of its first line.
pub(crate) fn quote(token: &str) -> String {
    const LIMIT: usize = 40;
    let line = token.lines().next().unwrap_or("").trim_ascii_end();
    let mut quoted: String = line.chars().take(LIMIT).collect();
    if quoted.len() < token.trim_ascii_end().len() {
        quoted.push_str("...");
    }
    quoted
}

/// A longer text is not a FEN.
pub const MAX_LEN: usize = 400;

/// Reads a FEN.
///
/// # Errors
///
/// [`FenError`], naming the field that is malformed.
///
/// # Examples
///
/// ```
/// use chess_core::board::fen;
///
/// let board = fen::read("4k3/8/8/8/8/8/4P3/4K3")?;
/// assert_eq!(fen::write(&board), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
/// assert!(fen::read("rnbgkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").is_err());
/// # Ok::<_, fen::FenError>(())
/// ```
pub fn read(text: &str) -> Result<Board, FenError> {
    if text.len() > MAX_LEN {
        return Err(FenError::TooLong);
    }
    let mut fields = text.split_ascii_whitespace();
    let kinds = read_placement(fields.next().ok_or(FenError::Empty)?)?;
    let turn = match fields.next() {
        None | Some("w") => 0,
        Some("b") => 1,
        Some(other) => return Err(FenError::Turn(quote(other))),
    };
    let castling = match fields.next() {
        None | Some("-") => [0, 0],
        Some(letters) => read_castling(&kinds, letters).ok_or_else(|| FenError::Castling(quote(letters)))?,
    };
    let en_passant = match fields.next() {
        None | Some("-") => None,
        Some(square) => Some(read_en_passant(square).ok_or_else(|| FenError::EnPassant(quote(square)))?),
    };
    let halfmove_clock = match fields.next() {
        None => 0,
        Some(number) => read_clock(number).ok_or_else(|| FenError::HalfmoveClock(quote(number)))?,
    };
    let fullmove_number = match fields.next() {
        None => 1,
        Some(number) => read_clock(number).ok_or_else(|| FenError::FullmoveNumber(quote(number)))?,
    };
    match fields.next() {
        None => Ok(Board { kinds, turn, castling, en_passant, halfmove_clock, fullmove_number }),
        Some(_) => Err(FenError::TooManyFields),
    }
}

fn read_placement(text: &str) -> Result<[u8; 64], FenError> {
    let count = text.split('/').count();
    if count != 8 {
        return Err(FenError::RankCount(count));
    }
    let mut kinds = [NO_KIND; 64];
    for (row, rank) in text.split('/').enumerate() {
        let number = 8 - row as u8;
        let mut file = 0;
        for found in rank.chars() {
            if let Some(empty @ 1..=8) = found.to_digit(10) {
                file += empty as usize;
                continue;
            }
            let kind = LETTERS.iter().position(|letter| char::from(*letter) == found);
            let kind = kind.ok_or(FenError::Placement(number, found))?;
            if file < 8 {
                kinds[(7 - row) * 8 + file] = kind as u8;
            }
            file += 1;
        }
        if file != 8 {
            return Err(FenError::FileCount(number, file));
        }
    }
    Ok(kinds)
}

/// The file that `K` (`king_side`) or `Q` stands for: that of the last or first rook of the back rank, unless the king stands
/// beyond it, else that of the corner.
fn rook_file(kinds: &[u8; 64], color: usize, king_side: bool) -> u8 {
    let rank = if color == 0 { 0 } else { 56 };
    let (rook, king) = (6 * color as u8 + ROOK, 6 * color as u8 + KING);
    let stands = |file: &usize| kinds[rank + file] == rook || kinds[rank + file] == king;
    let (found, corner) = if king_side { ((0..8).rfind(stands), 7) } else { ((0..8).find(stands), 0) };
    match found {
        Some(file) if kinds[rank + file] == rook => file as u8,
        _ => corner,
    }
}

fn read_castling(kinds: &[u8; 64], letters: &str) -> Option<[u8; 2]> {
    let mut rights = [0u8; 2];
    for letter in letters.bytes() {
        let color = usize::from(letter.is_ascii_lowercase());
        let file = match letter.to_ascii_lowercase() {
            b'k' => rook_file(kinds, color, true),
            b'q' => rook_file(kinds, color, false),
            file @ b'a'..=b'h' => file - b'a',
            _ => return None,
        };
        rights[color] |= 1 << file;
    }
    let too_many = letters.is_empty() || rights.iter().any(|files| files.count_ones() > 2);
    (!too_many).then_some(rights)
}

fn read_en_passant(text: &str) -> Option<u8> {
    match text.as_bytes() {
        &[file @ b'a'..=b'h', rank @ (b'3' | b'6')] => Some((rank - b'1') * 8 + (file - b'a')),
        _ => None,
    }
}

fn read_clock(text: &str) -> Option<u32> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok()?;
    (digits && number <= MAX_CLOCK).then_some(number)
}

/// Writes the six fields.
pub fn write(board: &Board) -> String {
    let mut out = write_four(board, board.en_passant);
    out.push_str(&format!(" {} {}", board.halfmove_clock, board.fullmove_number));
    out
}

/// Writes the castling field alone: `KQkq`, or `-`.
pub fn write_castling(board: &Board) -> String {
    let mut out = String::with_capacity(4);
    push_castling(&mut out, board);
    out
}

/// Writes the first four fields, with an en passant square only where a capture is legal: two
/// boards have the same EPD if and only if they are the same position (FIDE Laws of Chess, 9.2).
pub fn write_epd(board: &Board) -> String {
    write_four(board, board.legal_en_passant())
}

fn write_four(board: &Board, en_passant: Option<u8>) -> String {
    let mut out = String::with_capacity(80);
    for row in (0..8).rev() {
        let mut empty = 0;
        for &kind in &board.kinds[8 * row..8 * row + 8] {
            match LETTERS.get(usize::from(kind)) {
                None => empty += 1,
                Some(&letter) => {
                    push_empty(&mut out, empty);
                    empty = 0;
                    out.push(char::from(letter));
                }
            }
        }
        push_empty(&mut out, empty);
        if row > 0 {
            out.push('/');
        }
    }
    out.push_str(if board.turn == 0 { " w " } else { " b " });
    push_castling(&mut out, board);
    out.push(' ');
    match en_passant {
        None => out.push('-'),
        Some(square) => push_square(&mut out, square),
    }
    out
}

fn push_empty(out: &mut String, count: u8) {
    if count > 0 {
        out.push(char::from(b'0' + count));
    }
}

pub(crate) fn push_square(out: &mut String, square: u8) {
    out.push(char::from(b'a' + (square & 7)));
    out.push(char::from(b'1' + (square >> 3 & 7)));
}

fn push_castling(out: &mut String, board: &Board) {
    if board.castling == [0, 0] {
        out.push('-');
    }
    for (color, &files) in board.castling.iter().enumerate() {
        let outermost = [rook_file(&board.kinds, color, true), rook_file(&board.kinds, color, false)];
        for file in (0..8).rev().filter(|file| files >> file & 1 == 1) {
            let letter = match outermost {
                [king_side, queen_side] if king_side == queen_side => b'A' + file,
                [king_side, _] if king_side == file => b'K',
                [_, queen_side] if queen_side == file => b'Q',
                _ => b'A' + file,
            };
            out.push(char::from(if color == 0 { letter } else { letter.to_ascii_lowercase() }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_as_read() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/3PP3/8/PPP2PPP/RNBQKBNR b KQkq d3 0 2",
            "nrk1brnb/pp1ppppp/8/2p5/3P4/1N1Q1N2/1PP1PPPP/qRK1BR1B w KQkq - 2 10",
            "rr2k2r/8/8/8/8/8/8/RR2K2R w KBkb - 0 1",
            "8/8/8/8/8/8/8/8 w KQkq - 0 0",
            "R7/8/8/8/8/8/8/r7 b - e6 2147483647 2147483647",
        ] {
            let board = read(fen).unwrap();
            assert_eq!(write(&board), fen);
            assert_eq!(Board::from_bytes(&board.to_bytes()).unwrap(), board);
        }
    }

    #[test]
    fn castling_letters_of_other_dialects() {
        let shredder = read("nrk1brnb/pp1ppppp/8/8/8/8/PP1PPPPP/NRK1BRNB w FBfb - 0 1").unwrap();
        assert_eq!(write(&shredder), "nrk1brnb/pp1ppppp/8/8/8/8/PP1PPPPP/NRK1BRNB w KQkq - 0 1");
        // K and Q would both mean the only rook, so it is written by its file.
        let lone = read("8/8/8/8/8/8/8/R7 w Q - 0 1").unwrap();
        assert_eq!(read(&write(&lone)).unwrap(), lone);
    }

    #[test]
    fn errors_name_the_field() {
        let message = |fen: &str| read(fen).unwrap_err().to_string();
        assert_eq!(message(""), "the piece placement is missing");
        assert_eq!(message("8/8/8/8/8/8/8"), "piece placement: 7 ranks instead of 8");
        assert_eq!(message("8/8/8/8/8/8/8/8/8"), "piece placement: 9 ranks instead of 8");
        assert_eq!(message("8/8/8/7/8/8/8/8"), "piece placement: rank 5 has 7 files instead of 8");
        assert_eq!(message("8/8/8/8/8/8/8/8p"), "piece placement: rank 1 has 9 files instead of 8");
        assert!(message("8/8/8/8/8/8/8/9").contains("\"9\" on rank 1"));
        assert!(message("0/8/8/8/8/8/8/8").contains("\"0\" on rank 8"));
        assert!(message("rnbgkbnr/8/8/8/8/8/8/8 w").contains("\"g\" on rank 8"));
        assert!(message("8/8/8/8/8/8/8/8 x").starts_with("side to move: \"x\""));
        assert!(message("8/8/8/8/8/8/8/8 w KK QQ").starts_with("en passant square"));
        assert!(message("8/8/8/8/8/8/8/8 w KQX").starts_with("castling rights"));
        assert!(message("8/8/8/8/8/8/8/8 w ABC").starts_with("castling rights"));
        assert!(message("8/8/8/8/8/8/8/8 w - e4").starts_with("en passant square: \"e4\""));
        assert!(message("8/8/8/8/8/8/8/8 w - - -1").starts_with("half-move clock"));
        assert!(message("8/8/8/8/8/8/8/8 w - - +1").starts_with("half-move clock"));
        assert!(message("8/8/8/8/8/8/8/8 w - - 0 2147483648").starts_with("move number"));
        assert!(message("8/8/8/8/8/8/8/8 w - - 0 1 x").contains("six fields"));
        assert_eq!(message(&"8/".repeat(201)), "a FEN has at most 400 bytes");
    }
}
