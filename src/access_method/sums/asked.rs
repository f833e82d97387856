//! What is asked of an index: a position, conditions, and what is summed.
//!
//! Takes a board; returns its legal moves, and which of them a game plays, by its note in a list or by a replay.

use chess_core::facts::explorer::Explorer;
use chess_core::facts::moves::each_legal;
use chess_core::search::finder::Matching;
use chess_core::search::hybrid_keys::{Next, Note, Rights};
use chess_core::{Board, Finder, GameRef};
use chess_index::key;

use crate::access_method::sums::conditions::Conditions;
use crate::values::refusals::corrupt_game;

/// The number of a continuation: 0 if the game ends, otherwise one more than the number of the legal move. No position has
/// more than 218.
pub type Played = u8;

/// The note does not tell the continuation: the game must be replayed.
pub const UNSURE: Played = Played::MAX;

/// The lower bits of a note have the squares from and to, six bits each; 0 if the game ends.
const SQUARE_BITS: u32 = 12;

/// A legal move.
pub struct Move {
    pub uci: String,
    pub san: String,
    /// The squares in a note; `None` for a promotion.
    squares: Option<(u8, u8)>,
}

/// A question about a position.
pub struct Asked {
    finder: Finder,
    explorer: Explorer,
    /// The legal moves; none if no game can have the position.
    pub moves: Vec<Move>,
    /// The upper bits of the notes of games with the rights of the board; none if no note tells.
    rights: u32,
    /// The lists that have the games.
    pub question: key::Question,
    /// What games must meet.
    pub conditions: Conditions,
    /// The columns that are summed: ratings of White and Black, result, day. A number beyond the last column stands for NULL.
    pub columns: [usize; 4],
    /// Whether values are summed, not only games counted.
    pub has_sums: bool,
    /// The count may stop at this number of games.
    pub most: i64,
    /// The numbers of the columns that the question tests or sums. No other column is read.
    pub read: Vec<usize>,
    /// The continuation by the lower bits of a note.
    known: Box<[Played; 1 << SQUARE_BITS]>,
}

impl Asked {
    /// A question about a board.
    pub fn new(board: &Board, columns: [usize; 4], has_sums: bool, conditions: Conditions) -> Asked {
        let mut moves = Vec::new();
        // An en passant square without a legal capture is not part of the position, and may be impossible.
        let mut asked = board.clone();
        asked.en_passant = board.legal_en_passant_file().and(board.en_passant);
        // No game has a position that the rules do not apply to.
        let _ = each_legal(&asked, |details| {
            let squares = details.promotion.is_none().then_some((details.from, details.to));
            moves.push(Move { uci: details.uci.clone(), san: details.san.clone(), squares });
        });
        let rights = Rights::of(board);
        let of_end = |upper: &u32| Note::from_bits(upper << SQUARE_BITS).played(rights) == Some(Next::End);
        let rights = (0..1 << (Note::BITS - SQUARE_BITS)).find(of_end).unwrap_or(u32::MAX);
        let mut known = Box::new([UNSURE; 1 << SQUARE_BITS]);
        known[0] = 0;
        for (number, (from, to)) in
            moves.iter().enumerate().filter_map(|(number, found)| Some((number, found.squares?)))
        {
            known[usize::from(from & 63) | usize::from(to & 63) << 6] = number as Played + 1;
        }
        let mut read = conditions.columns();
        read.extend(columns.iter().filter(|_| has_sums));
        read.sort_unstable();
        read.dedup();
        Asked {
            read,
            finder: Finder::new(board, Matching::Position),
            explorer: Explorer::new(board),
            moves,
            rights,
            question: key::Question::position(board, u32::MAX),
            conditions,
            columns,
            has_sums,
            most: i64::MAX,
            known,
        }
    }

    /// The continuation of a game by its note.
    #[inline]
    pub fn played(&self, note: Note) -> Played {
        let bits = note.bits();
        let played = self.known[(bits & ((1 << SQUARE_BITS) - 1)) as usize];
        if bits >> SQUARE_BITS == self.rights { played } else { UNSURE }
    }

    /// The continuation of a game; `None` if it does not reach the position.
    pub fn replay(&self, game: GameRef<'_>) -> Option<Played> {
        let ply = self.finder.find(game, u32::MAX).unwrap_or_else(|error| corrupt_game(error))?;
        if ply == game.ply_count() {
            return Some(0);
        }
        let san = self.explorer.next_move(game).unwrap_or_else(|error| corrupt_game(error))?;
        self.moves.iter().position(|found| found.san == san).map(|number| number as Played + 1)
    }
}
