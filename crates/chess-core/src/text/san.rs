//! Standard algebraic notation: parses moves, and writes them canonically.
//!
//! Parsing accepts unnecessary disambiguation, missing or wrong `+` and `#`, `!` and `?`, `0-0` for `O-O`, `e8Q` for
//! `e8=Q`, a trailing `e.p.`, `P` before a pawn move, and a pawn capture without its file. Captures must be marked
//! correctly; `spellings` parses informal notation. Writing disambiguates only as far as necessary.
//!
//! Tests compare both with shakmaty on the moves of random games and on random tokens.

use crate::board::kinds::LETTERS;
use crate::board::kinds::{KING, KNIGHT, PAWN, QUEEN};
use crate::board::squares::members;
use crate::game::legality::{Position, is_last_rank};
use crate::game::replay::Replay;
use crate::game::slots::Step;
use crate::game::start::GameStart;
use crate::game::state::Course;
use crate::game::{CorruptGame, GameRef};

/// A parsed move, before it is applied to a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum San {
    /// O-O, or O-O-O if `long`.
    Castle {
        /// Whether towards the a-file.
        long: bool,
    },
    /// Any other move.
    Plain {
        /// The role of the piece: 0 pawn, 1 knight, 2 bishop, 3 rook, 4 queen, 5 king.
        role: u8,
        /// The squares from which the piece may come.
        from: u64,
        /// Whether the move captures.
        takes: bool,
        /// The target square.
        to: u8,
        /// The role of a promotion.
        promotion: Option<u8>,
    },
}

/// Why a SAN is not a move of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SanError {
    /// No legal move matches.
    Illegal,
    /// Several legal moves match.
    Ambiguous,
}

impl San {
    /// Parses a move; `None` if the text is not SAN.
    #[inline(always)]
    pub fn read(text: &str) -> Option<San> {
        match text.as_bytes() {
            // most moves end with their target
            text @ [.., b'a'..=b'h', b'1'..=b'8'] => plain(text, None),
            text => marked(text),
        }
    }

    /// The matching legal move.
    ///
    /// # Errors
    ///
    /// [`SanError`] unless exactly one legal move matches.
    #[inline(always)]
    pub fn step(self, position: &Position<'_>) -> Result<Step, SanError> {
        let (role, from, takes, to, promotion) = match self {
            San::Castle { long } => {
                let step = Step::Castle { long };
                return if position.is_legal(step) { Ok(step) } else { Err(SanError::Illegal) };
            }
            San::Plain { role, from, takes, to, promotion } => (role, from, takes, to, promotion),
        };
        if takes != position.takes(role, to) || promotion.is_some() != (role == PAWN && is_last_rank(to)) {
            return Err(SanError::Illegal);
        }
        let mut legal = members(position.sources(role, to) & from).filter(|from| position.is_safe(*from, to));
        let from = legal.next().ok_or(SanError::Illegal)?;
        match legal.next() {
            None => Ok(Step::Plain { from, to, promotion }),
            Some(_) => Err(SanError::Ambiguous),
        }
    }

    /// All legal moves that match, if [`San::step`] says that there are several.
    pub(crate) fn steps(self, position: &Position<'_>) -> Vec<Step> {
        let San::Plain { role, from, to, promotion, .. } = self else { return Vec::new() };
        let legal = members(position.sources(role, to) & from).filter(|from| position.is_safe(*from, to));
        legal.map(|from| Step::Plain { from, to, promotion }).collect()
    }
}

/// Parses a move that does not end with a square.
#[inline(never)]
fn marked(text: &[u8]) -> Option<San> {
    let text = match without_marks(text) {
        [rest @ .., b'e', b'.', b'p', b'.'] | [rest @ .., b'e', b'.', b'p'] => without_marks(rest),
        text => text,
    };
    match text {
        [b'O' | b'0', ..] => castling(text),
        [squares @ .., b'=', letter] => plain(squares, Some(officer(letter.to_ascii_uppercase())?)),
        [squares @ .., letter @ (b'N' | b'B' | b'R' | b'Q')] if matches!(squares, [.., b'1' | b'8']) => {
            plain(squares, officer(*letter))
        }
        _ => plain(text, None),
    }
}

/// Parses a piece, its origin, and the target.
#[inline(always)]
fn plain(text: &[u8], promotion: Option<u8>) -> Option<San> {
    let (before, &[to_file, to_rank]) = text.split_last_chunk()?;
    let to = 8 * number(to_rank, b'1')? + number(to_file, b'a')?;
    // A pawn move begins with a file, mostly that of its target.
    let role = ROLES[usize::from(text[0])];
    let (role, origin) = if role == NO_ROLE { (PAWN, before) } else { (role, before.get(1..)?) };
    let (origin, takes) = origin.strip_suffix(b"x").map_or((origin, false), |origin| (origin, true));
    let from = match *origin {
        [] => !0,
        [file @ b'a'..=b'h'] => on_file(number(file, b'a')?),
        [rank] => on_rank(number(rank, b'1')?),
        [file, rank] => on_file(number(file, b'a')?) & on_rank(number(rank, b'1')?),
        _ => return None,
    };
    Some(San::Plain { role, from, takes, to, promotion })
}

const NO_ROLE: u8 = 255;

/// The role for a letter.
static ROLES: [u8; 256] = {
    let mut roles = [NO_ROLE; 256];
    let mut role = PAWN;
    while role <= KING {
        roles[LETTERS[role as usize] as usize] = role;
        role += 1;
    }
    roles
};

/// The usual notation of a null move.
pub(crate) const NULL_MOVE: &str = "--";

/// Whether a text is a notation of a null move, which packed games cannot hold.
pub(crate) fn is_null_move(text: &str) -> bool {
    matches!(text, "--" | "Z0" | "@@@@" | "null")
}

pub(crate) fn without_marks(text: &[u8]) -> &[u8] {
    let len = text.iter().rposition(|byte| !matches!(byte, b'+' | b'#' | b'!' | b'?')).map_or(0, |last| last + 1);
    &text[..len]
}

/// Zeros stand for the letter O only if the first one does.
fn castling(text: &[u8]) -> Option<San> {
    let is_letter = |byte: &u8| *byte == b'O' || *byte == b'0' && text[0] == b'0';
    match text {
        [a, b'-', b] if is_letter(a) && is_letter(b) => Some(San::Castle { long: false }),
        [a, b'-', b, b'-', c] if [a, b, c].into_iter().all(is_letter) => Some(San::Castle { long: true }),
        _ => None,
    }
}

/// The role for the letter of a promotion.
pub(crate) fn officer(letter: u8) -> Option<u8> {
    Some(ROLES[usize::from(letter)]).filter(|role| (KNIGHT..=QUEEN).contains(role))
}

fn number(byte: u8, first: u8) -> Option<u8> {
    Some(byte.wrapping_sub(first)).filter(|number| *number < 8)
}

fn on_file(file: u8) -> u64 {
    0x0101_0101_0101_0101 << file
}

fn on_rank(rank: u8) -> u64 {
    0xff << (8 * rank)
}

/// Appends the canonical SAN of a legal move, without its check or mate mark.
pub fn push(out: &mut String, position: &Position<'_>, step: Step) {
    let (from, to, promotion) = match step {
        Step::Castle { long } => return out.push_str(if long { "O-O-O" } else { "O-O" }),
        Step::Plain { from, to, promotion } => (from, to, promotion),
    };
    let role = position.kind_at(from) % 6;
    let takes = position.takes(role, to);
    let (file, rank) = (char::from(b'a' + (from & 7)), char::from(b'1' + (from >> 3 & 7)));
    if role == PAWN {
        if takes {
            out.push(file);
        }
    } else {
        out.push(letter(role));
        let others = if role == KING { 0 } else { position.sources(role, to) & !(1 << from) };
        let others = members(others).filter(|from| position.is_safe(*from, to)).fold(0, |set, from| set | 1 << from);
        if others != 0 {
            let on_file = others & on_file(from & 7) != 0;
            if !on_file || others & on_rank(from >> 3) != 0 {
                out.push(file);
            }
            if on_file {
                out.push(rank);
            }
        }
    }
    if takes {
        out.push('x');
    }
    crate::board::fen::push_square(out, to);
    if let Some(role) = promotion {
        out.push('=');
        out.push(letter(role));
    }
}

/// Appends the mark of the move that led to this position: `+`, `#` or nothing.
pub fn push_mark(out: &mut String, after: &Position<'_>) {
    if after.is_check() {
        out.push(if after.is_mate() { '#' } else { '+' });
    }
}

pub(crate) fn letter(role: u8) -> char {
    char::from(LETTERS[usize::from(role)])
}

/// The half-move with this number, from 1, in SAN; `None` if the game is shorter.
///
/// # Errors
///
/// [`CorruptGame`] if the stored bytes do not decode. Only what had to be read is checked.
pub fn at(game: GameRef<'_>, ply: u32) -> Result<Option<String>, CorruptGame> {
    if ply == 0 || ply > game.ply_count() {
        return Ok(None);
    }
    let corrupt = || CorruptGame::Move(ply);
    let start = game.start_position()?;
    let mut replay = Replay::<Course>::new(&start);
    if replay.run(game.moves(), ply - 1, |_, _| false)? != ply - 1 {
        return Err(CorruptGame::Length);
    }
    let step = replay.decode(&game.moves()[game.code_len_of(ply - 1)..]).ok_or_else(corrupt)?;
    // the half-move clock does not affect the move
    let mut board = replay.board(ply - 1, 0);
    if ply == 1 {
        board.en_passant = game.start_board()?.en_passant;
    }
    let start = GameStart::at(&board).map_err(|_| corrupt())?;
    let position = Position::new(&start);
    if !position.is_legal(step) {
        return Err(corrupt());
    }
    let mut san = String::new();
    push(&mut san, &position, step);
    push_mark(&mut san, &position.after(step));
    Ok(Some(san))
}

/// Calls `visit` with each move of a game: its side (0 is White, 1 Black) and SAN.
pub fn each(game: GameRef<'_>, mut visit: impl FnMut(u8, &str)) -> Result<(), CorruptGame> {
    let mut san = String::with_capacity(8);
    game.decode(|position, step| {
        // The mark is known only from the position after the move.
        if !san.is_empty() {
            push_mark(&mut san, position);
            visit(1 - position.turn(), &san);
            san.clear();
        }
        if let Some(step) = step {
            push(&mut san, position, step);
        }
    })
}
