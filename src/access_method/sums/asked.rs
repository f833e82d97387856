//! What is asked of an index: a position or any of several, conditions, and what is summed.
//!
//! Takes a board; returns its legal moves, and which of them a game plays, by its note in a list or by a replay. Of several
//! boards, only whether a game reaches one of them is told, and of patterns, whether it has them.

use chess_core::facts::explorer::Explorer;
use chess_core::facts::moves::each_legal;
use chess_core::search::finder::Matching;
use chess_core::search::hybrid_keys::{Next, Note, Rights};
use chess_core::{Board, Finder, GameRef};
use chess_index::key;

use crate::access_method::question::Condition;
use crate::access_method::sums::conditions::Conditions;
use crate::clauses::predicate::{Operand, Predicate};
use crate::server::datum::each_element;
use crate::values::board::unpack;
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
    pub san: String,
    /// The squares in a note; `None` for a promotion.
    squares: Option<(u8, u8)>,
}

/// How a replay tells what a game plays.
enum Test {
    Board(Box<(Finder, Explorer)>),
    /// Nothing but that the game is one.
    Any(Condition),
    /// That the game meets all of these, and whether it meets another one, by which games are grouped.
    Patterns(Box<Patterns>),
}

/// Patterns that games have, all of which are conditions, and one by which they are grouped.
pub struct Patterns {
    pub conditions: Vec<Condition>,
    pub key: Option<Condition>,
}

/// The continuation of a game that has the pattern of [`Patterns::key`]; 0 is that of the others.
pub const HAS_KEY: Played = 1;

/// One of several things that a game may reach.
pub struct Alternative {
    pub question: key::Question,
    /// The upper bits of the notes that decide; `None` if an exact list decides without notes.
    rights: Option<u32>,
}

impl Alternative {
    /// Whether a game with this note in an exact list, if it has one there, reaches it.
    #[inline]
    pub fn is_reached(&self, note: Option<&Note>) -> bool {
        self.rights.is_none_or(|rights| note.is_some_and(|note| note.bits() >> SQUARE_BITS == rights))
    }
}

/// A question about a position.
pub struct Asked {
    test: Test,
    /// What games may reach, if the question is not about a single board.
    pub alternatives: Vec<Alternative>,
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
    /// The numbers of the columns that the question tests or sums. No other column is read.
    pub read: Vec<usize>,
    /// The continuation by the lower bits of a note.
    known: Box<[Played; 1 << SQUARE_BITS]>,
}

impl Asked {
    /// A question about a board.
    pub fn new(board: &Board, columns: [usize; 4], has_sums: bool, conditions: Conditions) -> Asked {
        let mut moves = Vec::new();
        let asked = board.with_legal_en_passant();
        // No game has a position that the rules do not apply to.
        let _ = each_legal(&asked, |details| {
            let squares = details.promotion.is_none().then_some((details.from, details.to));
            moves.push(Move { san: details.san.clone(), squares });
        });
        let mut known = Box::new([UNSURE; 1 << SQUARE_BITS]);
        known[0] = 0;
        for (number, (from, to)) in
            moves.iter().enumerate().filter_map(|(number, found)| Some((number, found.squares?)))
        {
            known[usize::from(from & 63) | usize::from(to & 63) << 6] = number as Played + 1;
        }
        Asked {
            read: read(columns, has_sums, &conditions),
            test: Test::Board(Box::new((Finder::new(board, Matching::Position), Explorer::new(board)))),
            alternatives: Vec::new(),
            moves,
            rights: rights_of(board),
            question: key::Question::position(board, u32::MAX),
            conditions,
            columns,
            has_sums,
            known,
        }
    }

    /// A question about any of some boards, without their moves. Each comes with its predicate, and may be an array of boards.
    pub fn any(boards: &[(Predicate, Vec<u8>)], columns: [usize; 4], has_sums: bool, conditions: Conditions) -> Asked {
        let mut alternatives = Vec::new();
        for (predicate, value) in boards {
            let mut add = |board: &[u8]| {
                let board = unpack(board);
                alternatives.push(match predicate.matching() {
                    Matching::Position => Alternative {
                        question: key::Question::position(&board, u32::MAX),
                        rights: Some(rights_of(&board)),
                    },
                    // The lists do not tell positions apart that differ in rights alone, as a placement does not.
                    Matching::Placement => {
                        Alternative { question: key::Question::placement(&board, u32::MAX), rights: None }
                    }
                });
            };
            match predicate.operand() {
                Operand::AnyBoard => each_element(value, |board| board.into_iter().for_each(&mut add)),
                _ => add(value),
            }
        }
        Asked {
            read: read(columns, has_sums, &conditions),
            test: Test::Any(Condition::of_any(boards)),
            alternatives,
            moves: Vec::new(),
            rights: u32::MAX,
            question: key::Question { exact: Vec::new(), tail: None },
            conditions,
            columns,
            has_sums,
            known: Box::new([UNSURE; 1 << SQUARE_BITS]),
        }
    }

    /// Asks for the games with all of these patterns. If `is_keyed`, the last pattern is no condition: it groups the games.
    pub fn patterns(
        patterns: &[(Predicate, Vec<u8>)],
        is_keyed: bool,
        columns: [usize; 4],
        has_sums: bool,
        conditions: Conditions,
    ) -> Asked {
        let mut of_games: Vec<_> = patterns.iter().map(|(_, pattern)| Condition::of_pattern(pattern)).collect();
        let key = of_games.pop_if(|_| is_keyed);
        let test = Test::Patterns(Box::new(Patterns { conditions: of_games, key }));
        Asked { test, ..Asked::any(&[], columns, has_sums, conditions) }
    }

    /// The patterns, if the question is about them.
    pub fn of_patterns(&self) -> Option<&Patterns> {
        match &self.test {
            Test::Patterns(patterns) => Some(patterns),
            Test::Board(_) | Test::Any(_) => None,
        }
    }

    /// The continuation of a game by its note.
    #[inline]
    pub fn played(&self, note: Note) -> Played {
        let bits = note.bits();
        let played = self.known[(bits & ((1 << SQUARE_BITS) - 1)) as usize];
        if bits >> SQUARE_BITS == self.rights { played } else { UNSURE }
    }

    /// Replays a game to find its continuation; `None` if it does not reach the position. No move is asked for with several
    /// boards, so it is 0 for them.
    pub fn replay(&self, game: GameRef<'_>) -> Option<Played> {
        let (finder, explorer) = match &self.test {
            Test::Board(one) => &**one,
            Test::Any(condition) => {
                let is_met = condition.is_met(game).unwrap_or_else(|error| corrupt_game(error));
                return is_met.then_some(0);
            }
            Test::Patterns(patterns) => {
                let is_met = |condition: &Condition| condition.is_met(game).unwrap_or_else(|error| corrupt_game(error));
                let has_key = || if patterns.key.as_ref().is_some_and(is_met) { HAS_KEY } else { 0 };
                return patterns.conditions.iter().all(is_met).then(has_key);
            }
        };
        let ply = finder.find(game, u32::MAX).unwrap_or_else(|error| corrupt_game(error))?;
        if ply == game.ply_count() {
            return Some(0);
        }
        let san = explorer.next_move(game).unwrap_or_else(|error| corrupt_game(error))?;
        self.moves.iter().position(|found| found.san == san).map(|number| number as Played + 1)
    }
}

/// The upper bits of the notes of games with the rights of a board; none if no note tells.
fn rights_of(board: &Board) -> u32 {
    let rights = Rights::of(board);
    let of_end = |upper: &u32| Note::from_bits(upper << SQUARE_BITS).played(rights) == Some(Next::End);
    (0..1 << (Note::BITS - SQUARE_BITS)).find(of_end).unwrap_or(u32::MAX)
}

/// The columns that a question tests or sums.
fn read(columns: [usize; 4], has_sums: bool, conditions: &Conditions) -> Vec<usize> {
    let mut read = conditions.columns();
    read.extend(columns.iter().filter(|_| has_sums));
    read.sort_unstable();
    read.dedup();
    read
}
