//! What the node is to do, as the planner decides it.
//!
//! A plan is copied and cached by the server, so it is a list of integers beside expressions. Takes and returns both forms.

use pgrx::pg_sys::{self, List, Oid};

use crate::access_method::attributes::Comparison;
use crate::clauses::predicate::Predicate;

/// A table with the index that is asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub table: Oid,
    pub index: Oid,
    /// The number of the table's column with the game.
    pub game: i16,
}

/// What a game must meet: a test of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    /// The attribute, counted from 0.
    pub column: usize,
    pub kind: Kind,
}

/// A kind of test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    IsNull,
    IsNotNull,
    /// A comparison with a value, which is an expression of the plan.
    Compares {
        comparison: Comparison,
        type_oid: Oid,
        /// The value is an array of this type, and the comparison holds for any of its elements.
        is_array: bool,
    },
}

/// A column of the node's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// The move played in the position; NULL where the game ends. The games are grouped by it.
    Move,
    /// The result as text. The games are grouped by it.
    Result,
    /// The number of games.
    Games,
    /// The number of games with one of these codes of results.
    GamesWith(Vec<i32>),
    /// The mean of the score of a side.
    Mean(Side),
    /// The sum of the score of a side.
    Sum(Side),
    /// A column of the table that only EXPLAIN names.
    Unused,
}

/// Whose score is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    White,
    Black,
}

/// The attribute that has results as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultColumn {
    /// The attribute, counted from 0.
    pub column: usize,
    /// The codes of a draw, of 1-0, of 0-1, and of a game without a result; `None` for one that has no code of its own.
    pub codes: [Option<i32>; 4],
}

/// The texts of [`ResultColumn::codes`].
pub const RESULTS: [&str; 4] = ["1/2-1/2", "1-0", "0-1", "*"];

/// What the node is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub parts: Vec<Part>,
    /// What games reach: a position, or any of several boards. Each is a predicate about a board, or about any board of an
    /// array, whose value is an expression of the plan.
    pub boards: Vec<Predicate>,
    pub result: Option<ResultColumn>,
    pub tests: Vec<Test>,
    pub outputs: Vec<Output>,
}

impl Plan {
    /// Whether it is about a single position, in which moves are played.
    pub fn has_moves(&self) -> bool {
        self.boards == [Predicate::Position]
    }

    pub fn groups_by_move(&self) -> bool {
        self.outputs.contains(&Output::Move)
    }

    pub fn groups_by_result(&self) -> bool {
        self.outputs.contains(&Output::Result)
    }

    /// Whether the results of the games are needed.
    pub fn needs_results(&self) -> bool {
        let needs = |of: &Output| !matches!(of, Output::Move | Output::Games | Output::Unused);
        self.outputs.iter().any(needs)
    }

    /// The plan as a list that the server can copy.
    ///
    /// # Safety
    ///
    /// A memory context must be current.
    pub unsafe fn to_list(&self) -> *mut List {
        let mut numbers = Vec::new();
        numbers.push(self.parts.len() as i32);
        for part in &self.parts {
            numbers.extend([u32::from(part.table) as i32, u32::from(part.index) as i32, part.game.into()]);
        }
        numbers.push(self.boards.len() as i32);
        numbers.extend(self.boards.iter().map(|board| i32::from(board.strategy().unwrap_or(0))));
        numbers.push(self.result.map_or(-1, |result| result.column as i32));
        for code in self.result.iter().flat_map(|result| result.codes) {
            numbers.extend([i32::from(code.is_some()), code.unwrap_or(0)]);
        }
        numbers.push(self.tests.len() as i32);
        for test in &self.tests {
            numbers.push(test.column as i32);
            match test.kind {
                Kind::IsNull => numbers.push(0),
                Kind::IsNotNull => numbers.push(-1),
                Kind::Compares { comparison, type_oid, is_array } => {
                    numbers.extend([comparison.strategy().into(), u32::from(type_oid) as i32, i32::from(is_array)]);
                }
            }
        }
        numbers.push(self.outputs.len() as i32);
        for output in &self.outputs {
            match output {
                Output::Move => numbers.push(0),
                Output::Result => numbers.push(1),
                Output::Games => numbers.push(2),
                Output::GamesWith(codes) => {
                    numbers.extend([3, codes.len() as i32]);
                    numbers.extend(codes);
                }
                Output::Mean(side) => numbers.extend([4, *side as i32]),
                Output::Sum(side) => numbers.extend([5, *side as i32]),
                Output::Unused => numbers.push(6),
            }
        }
        // SAFETY: the caller's promise.
        numbers.into_iter().fold(std::ptr::null_mut(), |list, number| unsafe { pg_sys::lappend_int(list, number) })
    }

    /// The opposite of [`Plan::to_list`].
    ///
    /// # Safety
    ///
    /// The list must be one that `to_list` has made, or a copy.
    pub unsafe fn of_list(list: *mut List) -> Plan {
        let mut at = 0;
        let mut next = || {
            at += 1;
            // SAFETY: the caller's promise.
            unsafe { pg_sys::list_nth_int(list, at - 1) }
        };
        let parts = (0..next()).map(|_| {
            let (table, index) = (Oid::from(next() as u32), Oid::from(next() as u32));
            Part { table, index, game: next() as i16 }
        });
        let parts = parts.collect();
        let boards = (0..next()).filter_map(|_| Predicate::of_strategy(next() as u16)).collect();
        let result = usize::try_from(next()).ok().map(|column| {
            let codes = [(); 4].map(|()| {
                let (is_some, code) = (next() != 0, next());
                is_some.then_some(code)
            });
            ResultColumn { column, codes }
        });
        let tests = (0..next()).map(|_| {
            let column = next() as usize;
            let kind = match next() {
                -1 => Kind::IsNotNull,
                strategy => match Comparison::of_strategy(strategy as u16) {
                    None => Kind::IsNull,
                    Some(comparison) => {
                        let type_oid = Oid::from(next() as u32);
                        Kind::Compares { comparison, type_oid, is_array: next() != 0 }
                    }
                },
            };
            Test { column, kind }
        });
        let tests = tests.collect();
        let outputs = (0..next()).map(|_| {
            let side = |number| if number == Side::White as i32 { Side::White } else { Side::Black };
            match next() {
                0 => Output::Move,
                1 => Output::Result,
                2 => Output::Games,
                3 => Output::GamesWith((0..next()).map(|_| next()).collect()),
                4 => Output::Mean(side(next())),
                5 => Output::Sum(side(next())),
                _ => Output::Unused,
            }
        });
        Plan { outputs: outputs.collect(), parts, boards, result, tests }
    }
}
