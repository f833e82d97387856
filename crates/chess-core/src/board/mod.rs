//! A position with its six FEN fields, and its packed form.
//!
//! A [`Board`] is whatever a well-formed FEN says, reachable or not, legal or not. Code that needs a
//! legal position calls [`Board::position`], which says what is wrong with an illegal one.
//!
//! Squares are numbered a1 = 0, b1 = 1 … h8 = 63; kinds of pieces as in [`crate::game::slots`].

pub mod diagram;
pub mod drawings;
pub mod fen;
pub mod key;
pub mod kinds;
pub mod position;
pub(crate) mod reach;
pub mod squares;
pub mod svg;
pub mod symmetry;

use std::fmt;

use shakmaty::{Bitboard, CastlingMode, Chess, Color, FromSetup, Position, PositionErrorKinds, Setup, Square, attacks};

use crate::board::kinds::{BISHOP, KINDS, KNIGHT, NO_KIND, PAWN, QUEEN, ROOK};
use crate::board::kinds::{kind_of, piece_of};
use crate::varint;

/// The version of the packed form.
const VERSION: u8 = 1;
const BLACK_TO_MOVE: u8 = 0x01;
const HAS_CASTLING: u8 = 0x02;
const HAS_EN_PASSANT: u8 = 0x04;

/// The largest half-move clock and move number, so that both fit an `int4` column.
pub const MAX_CLOCK: u32 = i32::MAX as u32;

/// The six fields of a FEN.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    /// The kind of piece on each square, [`NO_KIND`] where there is none.
    pub kinds: [u8; 64],
    /// The side to move: 0 is White, 1 Black.
    pub turn: u8,
    /// Castling rights of White and Black: a bit for the file of each rook, bit 0 for the a-file.
    pub castling: [u8; 2],
    /// The square behind a pawn that has just made a double push, whether or not it can be captured.
    pub en_passant: Option<u8>,
    /// Half-moves since the last capture or pawn move.
    pub halfmove_clock: u32,
    /// The move number, which increases after Black's half-move.
    pub fullmove_number: u32,
}

impl Default for Board {
    /// The start position of standard chess.
    fn default() -> Board {
        Board::from_position(&Chess::default())
    }
}

impl Board {
    /// The board of a legal position; the en passant square is kept after every double push.
    pub fn from_position(position: &Chess) -> Board {
        let mut kinds = [NO_KIND; 64];
        for (square, piece) in position.board() {
            kinds[square as usize] = kind_of(piece);
        }
        let rights = position.castles().castling_rights().0;
        Board {
            kinds,
            turn: position.turn().is_black().into(),
            castling: [rights as u8, (rights >> 56) as u8],
            en_passant: position.maybe_ep_square().map(|square| square as u8),
            halfmove_clock: position.halfmoves(),
            fullmove_number: position.fullmoves().get(),
        }
    }

    /// The legal position of this board, under the castling rules of Chess960, which include those
    /// of standard chess.
    ///
    /// Its move number is at least 1, as shakmaty counts from there.
    ///
    /// # Errors
    ///
    /// [`IllegalPosition`] says which rule the board breaks. A check that no move could have given is
    /// accepted: composed positions have such checks, and the legal moves are clear all the same.
    pub fn position(&self) -> Result<Chess, IllegalPosition> {
        let mut setup = Setup::empty();
        for (square, &kind) in self.kinds.iter().enumerate() {
            if let Some(piece) = piece_of(kind) {
                setup.board.set_piece_at(Square::new(square as u32), piece);
            }
        }
        setup.turn = Color::from_black(self.turn == 1);
        setup.castling_rights = Bitboard(u64::from(self.castling[0]) | u64::from(self.castling[1]) << 56);
        setup.ep_square = self.en_passant.map(|square| Square::new(u32::from(square)));
        setup.halfmoves = self.halfmove_clock;
        setup.fullmoves = std::num::NonZeroU32::new(self.fullmove_number).unwrap_or(std::num::NonZeroU32::MIN);
        match Chess::from_setup(setup, CastlingMode::Chess960) {
            Ok(position) => Ok(position),
            Err(error) => error.ignore_impossible_check().map_err(|error| IllegalPosition(error.kinds())),
        }
    }

    /// The set of occupied squares.
    pub fn occupied(&self) -> u64 {
        self.set_of(|kind| kind != NO_KIND)
    }

    /// The pawns on their second rank: White's by file in bits 0 to 7, Black's in 8 to 15.
    pub fn home_pawns(&self) -> u16 {
        let files = |rank: usize, pawn: u8| {
            (0..8).fold(0u8, |files, file| files | u8::from(self.kinds[8 * rank + file] == pawn) << file)
        };
        u16::from_le_bytes([files(1, PAWN), files(6, 6 + PAWN)])
    }

    pub(crate) fn set_of(&self, is_in: impl Fn(u8) -> bool) -> u64 {
        let mut set = 0;
        for (square, &kind) in self.kinds.iter().enumerate() {
            set |= u64::from(is_in(kind)) << square;
        }
        set
    }

    /// The board with an en passant square only if a capture is legal there. Any other square is not part of the position, and
    /// may be impossible.
    pub fn with_legal_en_passant(&self) -> Board {
        Board { en_passant: self.legal_en_passant(), ..self.clone() }
    }

    /// The en passant square if a pawn of the side to move can legally capture there.
    pub fn legal_en_passant(&self) -> Option<u8> {
        self.legal_en_passant_file().and(self.en_passant)
    }

    /// The file (0 to 7) of the en passant square if a pawn of the side to move can legally capture there. Only then
    /// does the square distinguish positions (FIDE Laws of Chess, 9.2).
    pub fn legal_en_passant_file(&self) -> Option<u8> {
        let square = self.en_passant?;
        let (pushed_to, mut beside) = self.en_passant_capturers()?;
        let legal = beside.any(|from| {
            let mut after = self.clone();
            after.kinds[usize::from(from)] = NO_KIND;
            after.kinds[usize::from(pushed_to)] = NO_KIND;
            after.kinds[usize::from(square)] = 6 * self.turn + PAWN;
            !after.king_is_attacked(self.turn)
        });
        legal.then_some(square % 8)
    }

    /// The file of the en passant square if a pawn of the side to move stands beside the pushed pawn, even if its king
    /// forbids the capture.
    pub fn contested_en_passant_file(&self) -> Option<u8> {
        self.en_passant_capturers()?.1.next()?;
        self.en_passant.map(|square| square % 8)
    }

    /// The square of the pawn that has just been pushed over the en passant square, and the squares of the pawns beside
    /// it. `None` if no pawn can have been pushed over the square.
    fn en_passant_capturers(&self) -> Option<(u8, impl Iterator<Item = u8>)> {
        let square = self.en_passant?;
        let (pushed_from, pushed_to) = if self.turn == 0 { (square + 8, square - 8) } else { (square - 8, square + 8) };
        let own_pawn = 6 * self.turn + PAWN;
        let their_pawn = 6 * (1 - self.turn) + PAWN;
        let right_rank = square / 8 == if self.turn == 0 { 5 } else { 2 };
        let pushed = right_rank
            && self.kinds[usize::from(square)] == NO_KIND
            && self.kinds[usize::from(pushed_from)] == NO_KIND
            && self.kinds[usize::from(pushed_to)] == their_pawn;
        let file = square % 8;
        let beside = [(file > 0).then(|| pushed_to - 1), (file < 7).then(|| pushed_to + 1)];
        let pawns = beside.into_iter().flatten().filter(move |from| self.kinds[usize::from(*from)] == own_pawn);
        pushed.then_some((pushed_to, pawns))
    }

    /// Whether a king of side `color` (0 White, 1 Black) is attacked. A side without a king never is.
    pub fn king_is_attacked(&self, color: u8) -> bool {
        let them = 6 * (1 - color);
        let set = |role: u8| Bitboard(self.set_of(|kind| kind == them + role));
        let occupied = Bitboard(self.occupied());
        let queens = set(QUEEN);
        Bitboard(self.set_of(|kind| kind == 6 * color + crate::board::kinds::KING)).into_iter().any(|king| {
            let attackers = attacks::rook_attacks(king, occupied) & (set(ROOK) | queens)
                | attacks::bishop_attacks(king, occupied) & (set(BISHOP) | queens)
                | attacks::knight_attacks(king) & set(KNIGHT)
                | attacks::pawn_attacks(Color::from_black(color == 1), king) & set(PAWN)
                | attacks::king_attacks(king) & set(crate::board::kinds::KING);
            attackers.any()
        })
    }

    /// Appends the packed form, 11 to 54 bytes; docs/format.md describes it.
    pub fn pack(&self, out: &mut Vec<u8>) {
        self.pack_fields(Clocks::Kept, out);
    }

    fn pack_fields(&self, clocks: Clocks, out: &mut Vec<u8>) {
        let castling = self.castling != [0, 0];
        out.push(
            VERSION << 4
                | if self.turn == 1 { BLACK_TO_MOVE } else { 0 }
                | if castling { HAS_CASTLING } else { 0 }
                | if self.en_passant.is_some() { HAS_EN_PASSANT } else { 0 },
        );
        if castling {
            out.extend_from_slice(&self.castling);
        }
        out.extend(self.en_passant);
        if clocks == Clocks::Kept {
            varint::write(self.halfmove_clock.into(), out);
            varint::write(self.fullmove_number.into(), out);
        }
        out.extend_from_slice(&self.occupied().to_be_bytes());
        let mut pieces = self.kinds.iter().filter(|&&kind| kind != NO_KIND);
        while let Some(high) = pieces.next() {
            out.push(high << 4 | pieces.next().unwrap_or(&0));
        }
    }

    /// The packed form on its own.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(32);
        self.pack(&mut bytes);
        bytes
    }

    /// The board at the start of `bytes` and the number of bytes it takes.
    ///
    /// # Errors
    ///
    /// [`CorruptBoard`] if the bytes are not what [`Board::pack`] writes.
    pub fn unpack(bytes: &[u8]) -> Result<(Board, usize), CorruptBoard> {
        Board::unpack_fields(bytes, Clocks::Kept)
    }

    fn unpack_fields(bytes: &[u8], clocks: Clocks) -> Result<(Board, usize), CorruptBoard> {
        let mut rest = bytes;
        let mut take = |n: usize| {
            let (head, tail) = rest.split_at_checked(n).ok_or(CorruptBoard)?;
            rest = tail;
            Ok::<&[u8], CorruptBoard>(head)
        };
        let flags = take(1)?[0];
        if flags >> 4 != VERSION || flags & 0x08 != 0 {
            return Err(CorruptBoard);
        }
        let mut castling = [0, 0];
        if flags & HAS_CASTLING != 0 {
            castling.copy_from_slice(take(2)?);
            if castling == [0, 0] || castling.iter().any(|files| files.count_ones() > 2) {
                return Err(CorruptBoard);
            }
        }
        let mut en_passant = None;
        if flags & HAS_EN_PASSANT != 0 {
            let square = take(1)?[0];
            if !matches!(square, 16..24 | 40..48) {
                return Err(CorruptBoard);
            }
            en_passant = Some(square);
        }
        let (mut halfmove_clock, mut fullmove_number) = (0, 1);
        if clocks == Clocks::Kept {
            for number in [&mut halfmove_clock, &mut fullmove_number] {
                let (value, used) = varint::read(rest).ok_or(CorruptBoard)?;
                (*number, rest) = (value, &rest[used..]);
            }
        }
        if halfmove_clock > MAX_CLOCK || fullmove_number > MAX_CLOCK {
            return Err(CorruptBoard);
        }
        let (occupied, tail) = rest.split_first_chunk::<8>().ok_or(CorruptBoard)?;
        let mut occupied = u64::from_be_bytes(*occupied);
        let count = occupied.count_ones() as usize;
        let (nibbles, tail) = tail.split_at_checked(count.div_ceil(2)).ok_or(CorruptBoard)?;
        let mut kinds = [NO_KIND; 64];
        for i in 0..count {
            let kind = if i % 2 == 0 { nibbles[i / 2] >> 4 } else { nibbles[i / 2] & 15 };
            if usize::from(kind) >= KINDS {
                return Err(CorruptBoard);
            }
            kinds[occupied.trailing_zeros() as usize] = kind;
            occupied &= occupied - 1;
        }
        if count % 2 == 1 && nibbles[count / 2] & 15 != 0 {
            return Err(CorruptBoard);
        }
        let turn = flags & BLACK_TO_MOVE;
        let board = Board { kinds, turn, castling, en_passant, halfmove_clock, fullmove_number };
        Ok((board, bytes.len() - tail.len()))
    }

    /// The board that takes all of `bytes`.
    ///
    /// # Errors
    ///
    /// [`CorruptBoard`] if the bytes are not what [`Board::to_bytes`] writes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Board, CorruptBoard> {
        match Board::unpack(bytes)? {
            (board, used) if used == bytes.len() => Ok(board),
            _ => Err(CorruptBoard),
        }
    }
}

/// Whether a packed form has the two clocks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clocks {
    /// As in a packed board.
    Kept,
    /// As in a packed position.
    LeftOut,
}

/// The bytes are not a packed board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CorruptBoard;

impl fmt::Display for CorruptBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes are not a packed board")
    }
}

impl std::error::Error for CorruptBoard {}

/// Why a position is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalPosition(PositionErrorKinds);

impl IllegalPosition {
    /// More pieces than a game can have.
    pub(crate) const TOO_MANY_PIECES: IllegalPosition = IllegalPosition(PositionErrorKinds::TOO_MUCH_MATERIAL);
}

impl fmt::Display for IllegalPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons = [
            (PositionErrorKinds::EMPTY_BOARD, "the board is empty"),
            (PositionErrorKinds::MISSING_KING, "a side has no king"),
            (PositionErrorKinds::TOO_MANY_KINGS, "a side has more than one king"),
            (PositionErrorKinds::PAWNS_ON_BACKRANK, "a pawn stands on the first or eighth rank"),
            (
                PositionErrorKinds::INVALID_CASTLING_RIGHTS,
                "a castling right lacks its king or its outermost rook on the back rank",
            ),
            (
                PositionErrorKinds::INVALID_EP_SQUARE,
                "the en passant square is not behind a pawn that has just made a double push",
            ),
            (PositionErrorKinds::OPPOSITE_CHECK, "the side that is not to move is in check"),
            (PositionErrorKinds::TOO_MUCH_MATERIAL, "a side has more pieces than promotion can give"),
        ];
        let mut separator = "";
        for (_, reason) in reasons.iter().filter(|(kind, _)| self.0.contains(*kind)) {
            write!(f, "{separator}{reason}")?;
            separator = "; ";
        }
        Ok(())
    }
}

impl std::error::Error for IllegalPosition {}
