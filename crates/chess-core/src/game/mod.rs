//! The packed game: header, start position, moves.
//!
//! Takes legal games (through [`Game::from_bytes`] or [`crate::text::movetext::read`]); returns parts of them, their
//! order and their boards. docs/format.md describes every byte:
//!
//! | bytes | |
//! |---|---|
//! | 1 | version (3 bits), custom start, Chess960, result (3 bits) |
//! | 1 to 5 | number of half-moves, 7 bits a byte |
//! | 3 | what is left at the end: see [`Remains`] |
//! | 12 to 38 | the start position, if it is not the standard one: a packed [`Board`] |
//! | rest | the moves in the code of [`crate::game::slots`] |
//!
//! A game has exactly one encoding: equal games are equal bytes.

use std::borrow::Cow;
mod decode;
pub mod legality;
pub mod parts;
pub(crate) mod pieces;
pub(crate) mod rare_moves;
pub mod recorder;
pub mod replay;
pub mod seating;
mod sets;
pub mod slots;
pub mod start;
pub mod state;
mod successor;

use std::cmp::Ordering;
use std::fmt;

use crate::board::Board;
use crate::game::legality::Position;
use crate::game::replay::{BadCode, Replay};
use crate::game::seating::{STANDARD, Start};
use crate::game::slots::{Step, code_len, through_last_pawn_move};
use crate::game::start::GameStart;
use crate::game::state::{Counted, Course};
use crate::pause::Pauses;
use crate::varint;

const VERSION: u8 = 1;
const VERSION_SHIFT: u32 = 5;
const CUSTOM_START: u8 = 0x10;
const CHESS960: u8 = 0x08;
const RESULT: u8 = 0x07;

/// The result of a game, as its token says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum GameResult {
    /// `*`: unknown, or the game is still in progress.
    #[default]
    Unknown = 0,
    /// `1-0`
    WhiteWins = 1,
    /// `0-1`
    BlackWins = 2,
    /// `1/2-1/2`
    Draw = 3,
    /// `~`: not a game but the upper bound of an opening, see [`GameRef::upper_bound`]. Input with it is refused.
    UpperBound = 4,
}

impl GameResult {
    /// The results of games, in the order of their numbers.
    pub const OF_PGN: &[GameResult] =
        &[GameResult::Unknown, GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw];

    /// All results, including the upper bound.
    pub const ALL: &[GameResult] =
        &[GameResult::Unknown, GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw, GameResult::UpperBound];

    /// The token in PGN.
    pub fn as_str(self) -> &'static str {
        match self {
            GameResult::Unknown => "*",
            GameResult::WhiteWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::UpperBound => "~",
        }
    }

    /// The result for a token in PGN.
    pub fn from_token(token: &str) -> Option<GameResult> {
        GameResult::OF_PGN.iter().copied().find(|result| result.as_str() == token)
    }
}

/// The stored bytes are not a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CorruptGame {
    /// The header is truncated or has another format version.
    Header,
    /// The start position does not decode, or is illegal, or is the standard one written out.
    Start,
    /// A half-move (counted from 1) is not a legal move, or not in its one encoding.
    Move(u32),
    /// The number of half-moves differs from that in the header.
    Length,
    /// The remaining pieces differ from those in the header.
    Remains,
    /// The value is the end of an opening ([`GameResult::UpperBound`]), not a game.
    UpperBound,
}

impl fmt::Display for CorruptGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CorruptGame::Header => write!(f, "the header is truncated or has an unknown format version"),
            CorruptGame::Start => write!(f, "the start position does not decode"),
            CorruptGame::Move(ply) => write!(f, "half-move {ply} does not decode to a legal move"),
            CorruptGame::Length => write!(f, "the number of half-moves is not the one in the header"),
            CorruptGame::Remains => write!(f, "the pieces left at the end are not those in the header"),
            CorruptGame::UpperBound => write!(f, "the value is the end of an opening, not a game"),
        }
    }
}

impl std::error::Error for CorruptGame {}

impl From<BadCode> for CorruptGame {
    fn from(error: BadCode) -> CorruptGame {
        CorruptGame::Move(error.ply)
    }
}

/// A half-move number that the game does not reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlyOutOfRange {
    /// The number of half-moves of the game.
    pub ply_count: u32,
}

/// The pieces that remain at the end of a game, which can only decrease. A board with fewer than these cannot occur in
/// the game, so a search reads this before it replays anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Remains {
    /// Pawns that never left their second rank: White's by file in bits 0 to 7, Black's in 8 to 15.
    pub home_pawns: u16,
    /// The number of pieces on the board, both sides together.
    pub pieces: u8,
}

impl Remains {
    const LEN: usize = 3;

    pub(crate) fn of(state: Counted) -> Remains {
        Remains { home_pawns: state.home.pawns(), pieces: state.count as u8 }
    }

    fn to_bytes(self) -> [u8; Remains::LEN] {
        let [white, black] = self.home_pawns.to_le_bytes();
        [white, black, self.pieces]
    }

    #[inline(always)]
    fn from_bytes([white, black, pieces]: [u8; Remains::LEN]) -> Remains {
        Remains { home_pawns: u16::from_le_bytes([white, black]), pieces }
    }
}

/// The bytes of a packed game, borrowed, with the header read.
#[derive(Clone, Copy, Debug)]
pub struct GameRef<'a> {
    head: u8,
    ply_count: u32,
    remains: Remains,
    /// The packed start position; empty for the standard one.
    start: &'a [u8],
    moves: &'a [u8],
}

impl<'a> GameRef<'a> {
    /// Reads the header. The moves are read only by callers that need them.
    ///
    /// # Errors
    ///
    /// [`CorruptGame`] if the header or the start position does not decode.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Result<GameRef<'a>, CorruptGame> {
        let (&head, rest) = bytes.split_first().ok_or(CorruptGame::Header)?;
        if head >> VERSION_SHIFT != VERSION || usize::from(head & RESULT) >= GameResult::ALL.len() {
            return Err(CorruptGame::Header);
        }
        let (ply_count, used) = varint::read(rest).ok_or(CorruptGame::Header)?;
        let (remains, rest) = rest[used..].split_first_chunk().ok_or(CorruptGame::Header)?;
        let start_len =
            if head & CUSTOM_START == 0 { 0 } else { Board::unpack(rest).map_err(|_| CorruptGame::Start)?.1 };
        let (start, moves) = rest.split_at(start_len);
        Ok(GameRef { head, ply_count, remains: Remains::from_bytes(*remains), start, moves })
    }

    /// The number of half-moves.
    pub fn ply_count(self) -> u32 {
        self.ply_count
    }

    /// The pieces that remain at the end.
    #[inline(always)]
    pub(crate) fn remains(self) -> Remains {
        self.remains
    }

    /// The number of men on the board at the end, both sides together: as the header says it, without a replay.
    pub fn men_left(self) -> u32 {
        self.remains.pieces.into()
    }

    /// The result.
    pub fn result(self) -> GameResult {
        GameResult::ALL[usize::from(self.head & RESULT)]
    }

    /// Whether the game was marked as Chess960.
    pub fn is_chess960(self) -> bool {
        self.head & CHESS960 != 0
    }

    /// Whether the game starts from another position than the standard one.
    #[inline(always)]
    pub fn has_custom_start(self) -> bool {
        self.head & CUSTOM_START != 0
    }

    /// The moves, in the code of [`crate::game::slots`].
    #[inline(always)]
    pub fn moves(self) -> &'a [u8] {
        self.moves
    }

    /// The packed start position; empty for the standard one.
    #[inline(always)]
    pub fn start_bytes(self) -> &'a [u8] {
        self.start
    }

    /// The board that the game starts from.
    ///
    /// # Errors
    ///
    /// [`CorruptGame::Start`] if it does not decode.
    pub fn start_board(self) -> Result<Board, CorruptGame> {
        if self.has_custom_start() {
            Board::from_bytes(self.start).map_err(|_| CorruptGame::Start)
        } else {
            Ok(Board::default())
        }
    }

    /// The start, prepared for a replay.
    #[inline]
    pub(crate) fn start_position(self) -> Result<Cow<'static, Start>, CorruptGame> {
        if self.has_custom_start() {
            Start::new(&self.start_board()?).map(Cow::Owned).ok_or(CorruptGame::Start)
        } else {
            Ok(Cow::Borrowed(&STANDARD))
        }
    }

    /// The board after `ply` half-moves, 0 for the start.
    ///
    /// # Errors
    ///
    /// `Ok(Err(_))` if the game is shorter; [`CorruptGame`] if the bytes do not decode.
    pub fn board_at(self, ply: u32) -> Result<Result<Board, PlyOutOfRange>, CorruptGame> {
        if ply > self.ply_count {
            return Ok(Err(PlyOutOfRange { ply_count: self.ply_count }));
        }
        let start = self.start_position()?;
        let mut replay = Replay::<Course>::new(&start);
        // After the last pawn move, only captures reset the half-move clock.
        let (pawn_plies, pawn_len) = through_last_pawn_move(self.moves, ply);
        let mut played = replay.run(&self.moves[..pawn_len], pawn_plies, |_, _| false)?;
        let mut zeroed_at = (pawn_plies > 0).then_some(pawn_plies);
        let mut replay = replay.counting();
        let mut count = replay.state.count;
        let rest = replay.run(&self.moves[pawn_len..], ply - pawn_plies, |_, state| {
            played += 1;
            if state.count != count {
                count = state.count;
                zeroed_at = Some(played);
            }
            false
        });
        rest.map_err(|error| CorruptGame::Move(pawn_plies + error.ply))?;
        if played != ply {
            return Err(CorruptGame::Length);
        }
        let clock = zeroed_at.map_or(start.halfmove_clock.saturating_add(ply), |zeroed_at| ply - zeroed_at);
        let mut board = replay.board(ply, clock);
        if ply == 0 {
            board.en_passant = self.start_board()?.en_passant;
        }
        Ok(Ok(board))
    }

    /// The first `plies` half-moves, or all if there are fewer, as an opening: without a result or Chess960 mark, so
    /// that equal openings are equal.
    ///
    /// # Errors
    ///
    /// [`CorruptGame`] if the bytes do not decode.
    pub fn first_moves(self, plies: u32) -> Result<Game, CorruptGame> {
        if plies >= self.ply_count {
            return Ok(self.lower_bound());
        }
        let start = self.start_position()?;
        let mut replay = Replay::<Counted>::new(&start);
        let played = replay.run(self.moves, plies, |_, _| false)?;
        if played != plies {
            return Err(CorruptGame::Length);
        }
        let len = self.code_len_of(plies);
        let remains = Remains::of(replay.state);
        Ok(Game::assemble(GameResult::Unknown, false, plies, remains, self.start, &self.moves[..len]))
    }

    /// The number of bytes of the first half-moves.
    pub(crate) fn code_len_of(self, plies: u32) -> usize {
        let mut len = 0;
        for _ in 0..plies {
            len += self.moves.get(len).map_or(0, |byte| code_len(*byte));
        }
        len.min(self.moves.len())
    }

    /// Whether the game begins with the moves of `opening`, from the same start position. The
    /// result of the opening does not count.
    #[inline]
    pub fn starts_with(self, opening: GameRef<'_>) -> bool {
        self.start == opening.start
            && self.moves.starts_with(opening.moves)
            && !(self.result() == GameResult::UpperBound && self.moves.len() == opening.moves.len())
    }

    /// The number of half-moves that both games begin with; none if they start from different positions.
    ///
    /// # Examples
    ///
    /// ```
    /// use chess_core::text::movetext;
    ///
    /// let [first, second] = ["1. e4 e5 2. Nf3 Nc6", "1. e4 e5 2. f4"].map(|text| movetext::read(text).unwrap());
    /// assert_eq!(first.view().common_plies(second.view()), 2);
    /// ```
    pub fn common_plies(self, other: GameRef<'_>) -> u32 {
        if self.start != other.start {
            return 0;
        }
        let common = self.moves.iter().zip(other.moves).take_while(|(mine, others)| mine == others).count();
        let (mut plies, mut len) = (0, 0);
        while len < common {
            len += code_len(self.moves[len]);
            // The games may part within the code of a move.
            plies += u32::from(len <= common);
        }
        plies
    }

    /// The least game that begins with these moves, in the order of [`GameRef::cmp`].
    pub fn lower_bound(self) -> Game {
        Game::assemble(GameResult::Unknown, false, self.ply_count, self.remains, self.start, self.moves)
    }

    /// A value above every game that begins with these moves and below every game that sorts after them: the end of an
    /// index range. Its text is the moves and `~`. It is not a game, and no input produces it; [`GameRef::successor`]
    /// is a game.
    pub fn upper_bound(self) -> Game {
        Game::assemble(GameResult::UpperBound, false, self.ply_count, self.remains, self.start, self.moves)
    }

    /// The same moves with another result and Chess960 mark.
    pub fn marked(self, result: GameResult, chess960: bool) -> Game {
        Game::assemble(result, chess960, self.ply_count, self.remains, self.start, self.moves)
    }

    /// Orders by start position (the standard one first), then by the moves' bytes, so that games of
    /// one opening are neighbours; then shorter before longer, then by result.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "views are compared by value, and have no `==` to agree with")]
    pub fn cmp(self, other: GameRef<'_>) -> Ordering {
        self.start.cmp(other.start).then_with(|| {
            let common = self.moves.len().min(other.moves.len());
            self.moves[..common].cmp(&other.moves[..common]).then_with(|| {
                // The end of the moves sorts before any move, the end of an upper bound after.
                let end = |game: GameRef<'_>| match game.moves.len() == common {
                    false => 1,
                    true if game.result() == GameResult::UpperBound => 2,
                    true => 0,
                };
                end(self).cmp(&end(other)).then(self.head.cmp(&other.head))
            })
        })
    }

    /// The first eight bytes of an order that agrees with [`GameRef::cmp`]: if the prefixes of two games differ, the
    /// games compare as the prefixes do.
    #[inline]
    pub fn order_prefix(self) -> u64 {
        let source = if self.has_custom_start() { self.start } else { self.moves };
        let end_filler = if !self.has_custom_start() && self.result() == GameResult::UpperBound { 0xff } else { 0 };
        let mut first = [end_filler; 8];
        let len = source.len().min(8);
        first[..len].copy_from_slice(&source[..len]);
        u64::from_be_bytes(first) >> 1 | u64::from(self.has_custom_start()) << 63
    }

    /// Calls `visit` with every position and the step played in it, `None` at the end. Checks what [`GameRef::check`] checks.
    ///
    /// # Errors
    ///
    /// [`CorruptGame`] where the bytes do not decode.
    pub fn decode(self, mut visit: impl FnMut(&Position<'_>, Option<Step>)) -> Result<(), CorruptGame> {
        self.play_all(|position, code| {
            let Some(code) = code else {
                visit(position, None);
                return true;
            };
            let step = position.read_code(code);
            if let Some(step) = step {
                visit(position, Some(step));
                position.play(step);
            }
            step.is_some()
        })
    }

    /// Text, binary input and storage are all checked here: every step is legal, and since each has only one code, the bytes
    /// are the only encoding of the game.
    ///
    /// # Errors
    ///
    /// [`CorruptGame`] where the bytes do not decode.
    pub fn check(self) -> Result<(), CorruptGame> {
        self.play_all(|position, code| match code {
            Some(code) => {
                position.play_plain(code[0]) || position.read_code(code).map(|step| position.play(step)).is_some()
            }
            None => true,
        })
    }

    /// Calls `play` with every position and the code of the step that it plays there, `None` at the end; it returns false if it
    /// cannot.
    #[inline(always)]
    fn play_all(self, mut play: impl FnMut(&mut Position<'_>, Option<&[u8]>) -> bool) -> Result<(), CorruptGame> {
        let custom;
        let start = if self.has_custom_start() {
            custom = GameStart::new(&self.start_board()?).map_err(|_| CorruptGame::Start)?;
            if custom.bytes != self.start {
                return Err(CorruptGame::Start);
            }
            &custom
        } else {
            GameStart::standard()
        };
        let mut position = Position::new(start);
        let mut rest = self.moves;
        let mut ply = 0;
        let mut pauses = Pauses::default();
        while let Some(byte) = rest.first() {
            pauses.step();
            ply += 1;
            let Some((code, tail)) = rest.split_at_checked(code_len(*byte)) else { return Err(CorruptGame::Move(ply)) };
            if !play(&mut position, Some(code)) {
                return Err(CorruptGame::Move(ply));
            }
            rest = tail;
        }
        if ply != self.ply_count {
            return Err(CorruptGame::Length);
        }
        if Remains::of(position.replay.state) != self.remains {
            return Err(CorruptGame::Remains);
        }
        play(&mut position, None);
        Ok(())
    }
}

/// The bytes of a packed game, owned.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Game {
    bytes: Vec<u8>,
}

impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Game({:02x?})", self.bytes)
    }
}

impl Game {
    pub(crate) fn assemble(
        result: GameResult,
        chess960: bool,
        ply_count: u32,
        remains: Remains,
        start: &[u8],
        moves: &[u8],
    ) -> Game {
        let mut bytes = Vec::with_capacity(6 + start.len() + moves.len());
        bytes.push(
            VERSION << VERSION_SHIFT
                | if start.is_empty() { 0 } else { CUSTOM_START }
                | if chess960 { CHESS960 } else { 0 }
                | result as u8,
        );
        varint::write(ply_count.into(), &mut bytes);
        bytes.extend_from_slice(&remains.to_bytes());
        bytes.extend_from_slice(start);
        bytes.extend_from_slice(moves);
        Game { bytes }
    }

    /// Checks and accepts bytes from outside.
    ///
    /// # Errors
    ///
    /// [`CorruptGame`] unless the bytes are what this crate writes for a legal game.
    pub fn from_bytes(bytes: &[u8]) -> Result<Game, CorruptGame> {
        let game = GameRef::new(bytes)?;
        game.check()?;
        if game.result() == GameResult::UpperBound {
            return Err(CorruptGame::UpperBound);
        }
        Ok(Game { bytes: bytes.to_vec() })
    }

    /// The bytes to store, owned.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The bytes to store.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A view with the parsed header.
    #[inline]
    pub fn view(&self) -> GameRef<'_> {
        GameRef::new(&self.bytes).expect("a game is built with its header")
    }
}
