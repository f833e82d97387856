//! A question: which games a scan looks for.
//!
//! Takes the scan keys; returns the keys to look up in a segment, the conditions on attributes, and the test for a pending
//! game. A scan's conditions are joined by AND; an array of boards is several conditions (`@>>`) or one with alternatives
//! (`&&`, `@> ANY`).

use std::cell::RefCell;

use chess_core::search::any_board::AnyFinder;
use chess_core::search::pattern::{Certainty, KeyTree, Matcher};
use chess_core::{CorruptGame, Finder, GameRef};
use chess_index::attributes::Filter;
use chess_index::key;
use pgrx::pg_sys;

use crate::access_method::attributes;
use crate::access_method::pages::Index;
use crate::clauses::predicate::{Operand, Predicate};
use crate::server::datum::{MOST_ELEMENTS, Varlena, count_of, each_element};
use crate::values::board::unpack;
use crate::values::game::view;
use crate::values::pattern::pattern_of;
use crate::values::refusals::corrupt_game;

/// What a scan looks for: the rows that fulfil all conditions.
#[derive(Default)]
pub struct Question {
    /// Conditions on the game. Without any, rows without a game are found, too.
    pub conditions: Vec<Condition>,
    /// Conditions on the attributes.
    pub filters: Vec<Filter>,
    /// Whether there are other conditions, which only a recheck tests.
    pub is_vague: bool,
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
    Keys(Box<KeyTree>, Option<Box<RefCell<Certainty>>>),
    /// The games that may have any of these patterns.
    AnyKeys(Vec<KeyTree>),
}

/// Test for a pending game.
enum Test {
    Boards(Vec<Finder>),
    ManyBoards(Box<AnyFinder>),
    Opening(Vec<u8>),
    Pattern(Box<RefCell<Matcher>>),
    Any(Vec<Condition>),
}

/// With at least this many boards, a pending game is replayed once and its positions are looked up in a table of the
/// boards.
const MANY: usize = 16;

impl Question {
    /// The question of a scan; `None` if no row can be found: operators are strict, and no game has a board that is NULL.
    ///
    /// # Safety
    ///
    /// The keys must be those of a scan of the index: their arguments are what the operators of its classes have on the
    /// right.
    pub unsafe fn of_keys(index: Index, keys: &[pg_sys::ScanKeyData]) -> Option<Question> {
        let mut question = Question::default();
        for key in keys {
            let has = |flag: u32| key.sk_flags & flag as i32 != 0;
            let is_array = has(pg_sys::SK_SEARCHARRAY) && !has(pg_sys::SK_ISNULL);
            // SAFETY: the argument of such a key is an array.
            let elements = || count_of(&unsafe { Varlena::new(key.sk_argument) });
            if is_array && elements() > MOST_ELEMENTS {
                // The executor tests each row that the other conditions leave, with less memory.
                question.is_vague = true;
                continue;
            }
            if key.sk_attno > 1 {
                // SAFETY: the caller's promise.
                question.filters.push(unsafe { attributes::filter_of(index, key) }?);
                continue;
            }
            if has(pg_sys::SK_SEARCHNULL | pg_sys::SK_SEARCHNOTNULL) {
                question.is_vague = true;
                continue;
            }
            if has(pg_sys::SK_ISNULL) {
                return None;
            }
            let number = key.sk_strategy;
            let predicate =
                Predicate::of_strategy(number).unwrap_or_else(|| panic!("unrecognized strategy number: {number}"));
            // SAFETY: the caller's promise.
            let argument = unsafe { Varlena::new(key.sk_argument) };
            if has(pg_sys::SK_SEARCHARRAY) && predicate == Predicate::Position {
                add(&mut question.conditions, Predicate::AnyPosition, &argument);
            } else if has(pg_sys::SK_SEARCHARRAY) {
                let mut alternatives = Vec::new();
                each_element(&argument, |element| {
                    if let Some(element) = element {
                        add(&mut alternatives, predicate, element);
                    }
                });
                question.conditions.push(Condition::any(alternatives));
            } else if !add(&mut question.conditions, predicate, &argument) {
                return None;
            }
        }
        // The question for all boards of an empty array has no condition. A NULL game does not match it.
        question.is_vague |= question.conditions.is_empty() && keys.iter().any(|key| key.sk_attno == 1);
        Some(question)
    }

    /// Whether rows need no recheck where the lists of all patterns are exact.
    pub fn is_of_patterns(&self) -> bool {
        !self.is_vague && self.conditions.iter().all(|condition| matches!(condition.look_up, LookUp::Keys(..)))
    }

    /// Whether the rows that are found by the attributes alone need no recheck.
    pub fn is_of_attributes(&self) -> bool {
        self.conditions.is_empty() && !self.filters.is_empty() && !self.is_vague
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
        Operand::Pattern => conditions.push(Condition::of_pattern(argument)),
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

    /// The condition that a game has a pattern.
    pub fn of_pattern(bytes: &[u8]) -> Condition {
        let pattern = pattern_of(bytes);
        let certainty = pattern.certainty().map(|certainty| Box::new(RefCell::new(certainty)));
        let look_up = LookUp::Keys(Box::new(pattern.key_tree()), certainty);
        Condition { look_up, test: Test::Pattern(Box::new(RefCell::new(pattern.matcher()))) }
    }

    /// The condition that a game fulfils if it reaches any of some boards, which are values of predicates about one board or any
    /// board.
    pub fn of_any(boards: &[(Predicate, Vec<u8>)]) -> Condition {
        let mut alternatives = Vec::new();
        for (predicate, value) in boards {
            add(&mut alternatives, *predicate, value);
        }
        Condition::any(alternatives)
    }

    /// The condition that a game fulfils if it fulfils one of these, each of a board, an opening or a pattern.
    fn any(alternatives: Vec<Condition>) -> Condition {
        let (mut questions, mut trees) = (Vec::new(), Vec::new());
        for condition in &alternatives {
            match &condition.look_up {
                LookUp::AnyOf(more) => questions.extend_from_slice(more),
                LookUp::Keys(tree, _) => trees.push(KeyTree::clone(tree)),
                LookUp::AnyKeys(more) => trees.extend_from_slice(more),
            }
        }
        // All operators of a scan key are the same, so there are only questions or only patterns.
        let look_up = if trees.is_empty() { LookUp::AnyOf(questions) } else { LookUp::AnyKeys(trees) };
        Condition { look_up, test: Test::Any(alternatives) }
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
            Test::Any(conditions) => {
                for condition in conditions {
                    if condition.is_met(game)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Test::Pattern(matcher) => Ok(matcher.borrow_mut().find(game, u32::MAX)?.is_some()),
        }
    }
}
