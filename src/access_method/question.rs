//! A question: which games a scan looks for.
//!
//! Takes the scan keys; returns the keys to look up in a segment, and the test for a pending game. A scan's conditions
//! are joined by AND; an array of boards is several conditions (`@>>`) or one with alternatives (`&&`).

use std::cell::RefCell;

use chess_core::search::any_board::AnyFinder;
use chess_core::search::pattern::{Certainty, Families, KeyTree, Matcher};
use chess_core::{CorruptGame, Finder, GameRef};
use chess_index::key;
use pgrx::pg_sys;

use crate::index::predicate::{Operand, Predicate};
use crate::server::datum::{Varlena, each_element};
use crate::values::board::unpack;
use crate::values::game::view;
use crate::values::pattern::pattern_of;
use crate::values::refusals::corrupt_game;

/// What a scan looks for.
pub enum Question {
    /// Every row, also those without a game.
    All,
    /// No row: operators are strict, and no game has a board that is NULL.
    Nothing,
    /// The games that fulfil all conditions.
    Games(Vec<Condition>),
}

/// A condition on a game.
pub struct Condition {
    /// What to look up in a segment. Each game that fulfils the condition is found by it.
    pub look_up: LookUp,
    test: Test,
}

/// What to look up in a segment.
pub enum LookUp {
    /// The games of any of these questions.
    AnyOf(Vec<key::Question>),
    /// The games that may have a pattern, by its keys, and with which material it holds. A pattern without keys leaves all
    /// games.
    Keys(KeyTree, Option<RefCell<Certainty>>),
}

/// Test for a pending game.
enum Test {
    Boards(Vec<Finder>),
    ManyBoards(Box<AnyFinder>),
    Opening(Vec<u8>),
    Pattern(Box<RefCell<Matcher>>),
}

/// With at least this many boards, a pending game is replayed once and its positions are looked up in a table of the
/// boards.
const MANY: usize = 16;

impl Question {
    /// The question of a scan.
    ///
    /// # Safety
    ///
    /// The keys must be those of a scan of an index of this access method: their arguments are what the operators of
    /// its classes have on the right.
    pub unsafe fn of_keys(keys: &[pg_sys::ScanKeyData]) -> Question {
        if keys.is_empty() {
            return Question::All;
        }
        let mut conditions = Vec::new();
        for key in keys {
            if key.sk_flags & pg_sys::SK_ISNULL as i32 != 0 {
                return Question::Nothing;
            }
            let number = key.sk_strategy;
            let predicate = Predicate::of_chess_strategy(number)
                .unwrap_or_else(|| panic!("unrecognized strategy number: {number}"));
            // SAFETY: the caller's promise.
            let argument = unsafe { Varlena::new(key.sk_argument) };
            if !add(&mut conditions, predicate, &argument) {
                return Question::Nothing;
            }
        }
        // Only the question for all boards of an empty array has no condition. A NULL game does not match it; the
        // recheck removes such rows.
        if conditions.is_empty() { Question::All } else { Question::Games(conditions) }
    }
}

/// Adds the conditions of one scan key; false if nothing fulfils them.
fn add(conditions: &mut Vec<Condition>, predicate: Predicate, argument: &[u8]) -> bool {
    match predicate.operand() {
        Operand::Board => conditions.push(Condition::of_board(predicate, argument)),
        Operand::AllBoards => {
            let mut has_null = false;
            each_element(argument, |board| match board {
                Some(board) => conditions.push(Condition::of_board(Predicate::Position, board)),
                None => has_null = true,
            });
            return !has_null;
        }
        Operand::AnyBoard => {
            let mut boards = Vec::new();
            each_element(argument, |board| boards.extend(board.map(unpack)));
            let any_of = boards.iter().map(|board| key::Question::position(board, u32::MAX)).collect();
            let test = if boards.len() < MANY {
                Test::Boards(boards.iter().map(|board| Finder::new(board, predicate.matching())).collect())
            } else {
                let mut many = Box::new(AnyFinder::default());
                boards.iter().for_each(|board| many.add(board));
                many.prepare();
                Test::ManyBoards(many)
            };
            conditions.push(Condition { look_up: LookUp::AnyOf(any_of), test });
        }
        Operand::Pattern => {
            let pattern = pattern_of(argument);
            let certainty = pattern.certainty().map(RefCell::new);
            let look_up = LookUp::Keys(pattern.key_tree(Families::ALL), certainty);
            conditions.push(Condition { look_up, test: Test::Pattern(Box::new(RefCell::new(pattern.matcher()))) });
        }
        _ => {
            let opening = key::Question::opening(view(argument)).unwrap_or_else(|error| corrupt_game(error));
            let look_up = LookUp::AnyOf(vec![opening]);
            conditions.push(Condition { look_up, test: Test::Opening(argument.to_vec()) });
        }
    }
    true
}

impl Condition {
    fn of_board(predicate: Predicate, bytes: &[u8]) -> Condition {
        let board = unpack(bytes);
        let question = match predicate {
            Predicate::Pieces => key::Question::placement(&board, u32::MAX),
            _ => key::Question::position(&board, u32::MAX),
        };
        let finder = Finder::new(&board, predicate.matching());
        Condition { look_up: LookUp::AnyOf(vec![question]), test: Test::Boards(vec![finder]) }
    }

    /// Whether a game fulfils it.
    ///
    /// # Errors
    ///
    /// [`CorruptGame`] if the game does not decode.
    pub fn is_met(&self, game: GameRef<'_>) -> Result<bool, CorruptGame> {
        match &self.test {
            Test::Boards(finders) => {
                for finder in finders {
                    if finder.is_in(game, u32::MAX)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Test::ManyBoards(many) => many.find(game).map(|found| found.is_some()),
            Test::Opening(opening) => Ok(game.starts_with(view(opening))),
            Test::Pattern(matcher) => Ok(matcher.borrow_mut().find(game, u32::MAX)?.is_some()),
        }
    }
}
