//! The end of an opening's range: the next game in the order.
//!
//! Takes an opening; returns the least game above all that begin with its moves ([`GameRef::cmp`]): its last half-move
//! is replaced by the legal one with the next code, or if there is none, the half-move before it. The result is an
//! ordinary game, so it can bound a range wherever values are stored: in partitions, in dumps.

use crate::board::Board;
use crate::board::kinds::{KING, NO_KIND};
use crate::game::legality::Position;
use crate::game::slots::{ESCAPE, Step, code_len};
use crate::game::start::GameStart;
use crate::game::{CorruptGame, Game, GameRef, GameResult, Remains};
use crate::pause::Pauses;
use crate::varint;

/// The code of a half-move: one byte or three.
#[derive(Clone, Copy, Debug)]
struct Code {
    bytes: [u8; 3],
    len: usize,
}

impl GameRef<'_> {
    /// The least game above all games that begin with the moves of this one, whatever their results. After the last
    /// opening from the standard start this is the least game from another start. After the last one from another start
    /// it is a game from the same board with higher clocks: above all of them, but perhaps not the least.
    pub fn successor(self) -> Result<Game, CorruptGame> {
        let custom;
        let start = if self.has_custom_start() {
            custom = GameStart::new(&self.start_board()?).map_err(|_| CorruptGame::Start)?;
            &custom
        } else {
            GameStart::standard()
        };
        let codes = || codes(self.moves());
        let count = codes().count();
        // Usually the last half-move can be replaced.
        for least in [count.saturating_sub(1), 0] {
            let mut position = Position::new(start);
            let mut pauses = Pauses::default();
            let (mut at, mut found) = (0, None);
            for (ply, code) in codes().enumerate() {
                pauses.step();
                if ply >= least
                    && let Some((next, step)) = next_code(&position, code)
                {
                    found = Some((ply, at, next, position.after(step).replay.state));
                }
                let corrupt = || CorruptGame::Move(ply as u32 + 1);
                let step = position.replay.decode(code).filter(|step| position.is_legal(*step)).ok_or_else(corrupt)?;
                position.play(step);
                at += code.len();
            }
            if let Some((ply, at, next, state)) = found {
                let moves = [&self.moves()[..at], &next.bytes[..next.len]].concat();
                let remains = Remains::of(state);
                return Ok(Game::assemble(GameResult::Unknown, false, ply as u32 + 1, remains, &start.bytes, &moves));
            }
        }
        let next = if self.has_custom_start() { later(&self.start_board()?) } else { Some(least_custom_start()) };
        let game = next.and_then(|board| GameStart::new(&board).ok()).map(|start| {
            let remains = Remains::of(Position::new(&start).replay.state);
            Game::assemble(GameResult::Unknown, false, 0, remains, &start.bytes, &[])
        });
        Ok(game.unwrap_or_else(|| self.upper_bound()))
    }
}

/// The codes of the moves; the last one may be truncated.
fn codes(moves: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = moves;
    std::iter::from_fn(move || {
        let len = code_len(*rest.first()?).min(rest.len());
        let (code, tail) = rest.split_at(len);
        rest = tail;
        Some(code)
    })
}

/// The least code above `code` of a legal move.
fn next_code(position: &Position<'_>, code: &[u8]) -> Option<(Code, Step)> {
    let legal = |code: Code| {
        let step = position.replay.decode(&code.bytes[..code.len])?;
        position.is_legal(step).then_some((code, step))
    };
    let mut word = match *code {
        [ESCAPE, high, low] => u32::from(u16::from_be_bytes([high, low])) + 1,
        [byte] if byte < ESCAPE => {
            let others = (byte + 1..ESCAPE).find_map(|byte| legal(Code { bytes: [byte, 0, 0], len: 1 }));
            if others.is_some() {
                return others;
            }
            0
        }
        _ => return None,
    };
    // The upper six bits are a from-square; few pieces are escaped, mostly none.
    while let Ok(bytes) = u16::try_from(word).map(u16::to_be_bytes) {
        let code = |low: u8| Code { bytes: [ESCAPE, bytes[0], low], len: 3 };
        if let Some(found) = legal(code(bytes[1])) {
            return Some(found);
        }
        let names_a_piece = position.replay.decode(&code(bytes[1] & 0xf0).bytes).is_some();
        word = if names_a_piece { word + 1 } else { (word | 0x3ff) + 1 };
    }
    None
}

/// The clock whose bytes sort last, among those of a start.
const LAST_CLOCK: u32 = GameStart::MAX_CLOCK - 1;

/// The same board with clocks whose bytes sort later; `None` after the last ones.
fn later(board: &Board) -> Option<Board> {
    let bytes = |clock: u32| {
        let mut bytes = Vec::new();
        varint::write(clock.into(), &mut bytes);
        bytes
    };
    let after = |clock: u32| {
        let later = [clock.saturating_add(1), clock.saturating_add(2), LAST_CLOCK].into_iter();
        later.filter(move |next| *next <= LAST_CLOCK && bytes(*next) > bytes(clock))
    };
    let moves = after(board.fullmove_number).map(|fullmove_number| Board { fullmove_number, ..board.clone() });
    let half_moves = after(board.halfmove_clock);
    let half_moves = half_moves.map(|halfmove_clock| Board { halfmove_clock, fullmove_number: 0, ..board.clone() });
    // The standard start sorts before all others.
    moves.chain(half_moves).find(|later| *later != Board::default())
}

/// The first of all starts other than the standard one: White to move, no castling rights, clocks of 0, and two kings
/// on the first squares that are legal together.
fn least_custom_start() -> Board {
    let mut kinds = [NO_KIND; 64];
    kinds[0] = KING;
    kinds[2] = 6 + KING;
    Board { kinds, turn: 0, castling: [0, 0], en_passant: None, halfmove_clock: 0, fullmove_number: 0 }
}
