//! What the node is to do, as the planner decides it.
//!
//! A plan is copied and cached by the server, so it is a list of integers beside expressions. Takes and returns both forms.

use pgrx::pg_sys::{self, List, Oid};

use crate::access_method::attributes::Comparison;
use crate::access_method::sums::stored::COLUMNS;
use crate::clauses::predicate::Predicate;

/// A table with the index that is asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub table: Oid,
    pub index: Oid,
    /// The number of the table's column with the game.
    pub game: i16,
    /// The columns of the table whose values are asked for where a group has a single game.
    pub only: Vec<i16>,
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
    /// The attribute is in a range or multirange of this type, whose value is an expression of the plan.
    InRange {
        type_oid: Oid,
    },
}

impl Kind {
    /// Whether it compares with the elements of an array.
    pub fn is_of_array(self) -> bool {
        matches!(self, Kind::Compares { is_array: true, .. })
    }

    /// Whether it compares with a value.
    pub fn has_value(self) -> bool {
        !matches!(self, Kind::IsNull | Kind::IsNotNull)
    }
}

/// A column of the node's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// The move played in the position; NULL where the game ends. The games are grouped by it.
    Move,
    /// The result as text. The games are grouped by it.
    Result,
    /// A number that all rows of the table have in this column. The games are grouped by it.
    Fixed(i32, Oid),
    /// Whether the game has the last pattern of the plan. The games are grouped by it.
    HasPattern,
    /// The groups of a report, as an array of this type.
    Report(Report, Oid),
    /// Of all games, or of those with one of these codes of results.
    Of(Figure, Option<Vec<i32>>),
    /// The mean of the score of a side.
    MeanScore(Side),
    /// The sum of the score of a side.
    SumScore(Side),
    /// The value that the only game of a group has in this column of [`Part::only`]; nobody looks at it in other groups.
    Only(usize),
    /// A column of the table that only EXPLAIN names.
    Unused,
}

impl Output {
    /// Adds the numbers that stand for it.
    fn add_to(&self, numbers: &mut Vec<i32>) {
        match self {
            Output::Move => numbers.push(0),
            Output::Result => numbers.push(1),
            Output::Of(figure, codes) => {
                numbers.push(2);
                match *figure {
                    Figure::Games => numbers.push(0),
                    Figure::Positive(column) => numbers.extend([1, column as i32]),
                    Figure::Sum(column) => numbers.extend([2, column as i32]),
                    Figure::Mean(column) => numbers.extend([3, column as i32]),
                    Figure::Greatest(column, type_oid) => {
                        numbers.extend([4, column as i32, u32::from(type_oid) as i32]);
                    }
                }
                numbers.push(codes.as_ref().map_or(-1, |codes| codes.len() as i32));
                numbers.extend(codes.iter().flatten());
            }
            Output::MeanScore(side) => numbers.extend([3, *side as i32]),
            Output::SumScore(side) => numbers.extend([4, *side as i32]),
            Output::Only(nth) => numbers.extend([5, *nth as i32]),
            Output::Fixed(number, type_oid) => numbers.extend([6, *number, u32::from(*type_oid) as i32]),
            Output::Unused => numbers.push(7),
            Output::HasPattern => numbers.push(8),
            Output::Report(report, type_oid) => {
                let Report { wanted, white, black, first, last, until_last } = *report;
                let columns = [white, black, first, last].map(|column| column as i32);
                numbers.extend([9, wanted as i32, until_last, u32::from(*type_oid) as i32]);
                numbers.extend(columns);
            }
        }
    }

    /// The opposite of [`Output::add_to`]. `next` returns one number after the other.
    fn of_numbers(mut next: impl FnMut() -> i32) -> Output {
        let side = |number| if number == Side::White as i32 { Side::White } else { Side::Black };
        match next() {
            0 => Output::Move,
            1 => Output::Result,
            2 => {
                let figure = match next() {
                    0 => Figure::Games,
                    1 => Figure::Positive(next() as usize),
                    2 => Figure::Sum(next() as usize),
                    3 => Figure::Mean(next() as usize),
                    _ => {
                        let column = next() as usize;
                        Figure::Greatest(column, Oid::from(next() as u32))
                    }
                };
                let codes = usize::try_from(next()).ok();
                Output::Of(figure, codes.map(|count| (0..count).map(|_| next()).collect()))
            }
            3 => Output::MeanScore(side(next())),
            4 => Output::SumScore(side(next())),
            5 => Output::Only(next() as usize),
            6 => {
                let number = next();
                Output::Fixed(number, Oid::from(next() as u32))
            }
            8 => Output::HasPattern,
            9 => {
                let (wanted, until_last, type_oid) = (next() as u32, next(), Oid::from(next() as u32));
                let [white, black, first, last] = [(); 4].map(|()| next() as usize);
                Output::Report(Report { wanted, white, black, first, last, until_last }, type_oid)
            }
            _ => Output::Unused,
        }
    }
}

/// What a report groups: the arguments of `reportGroups` that are not NULL. Columns are attributes, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// A bit for each grouping.
    pub wanted: u32,
    /// The ratings of White and Black.
    pub white: usize,
    pub black: usize,
    /// The first day of the dates, and the last one.
    pub first: usize,
    pub last: usize,
    /// The days from the last one to the end of the dates.
    pub until_last: i32,
}

/// What is told of some games. Columns are attributes, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// How many they are.
    Games,
    /// How many have a value above 0 in this column.
    Positive(usize),
    /// The sum of the values above 0 of this column, and their mean.
    Sum(usize),
    Mean(usize),
    /// The greatest value of this column.
    Greatest(usize, Oid),
}

impl Figure {
    /// The column whose values above 0 it is about.
    fn summed(self) -> Option<usize> {
        match self {
            Figure::Positive(column) | Figure::Sum(column) | Figure::Mean(column) => Some(column),
            Figure::Games | Figure::Greatest(..) => None,
        }
    }
}

/// A column that no index has.
const NONE: usize = usize::MAX;

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
    /// What games reach: a position, or any of several boards, or all of several patterns. Each is a predicate about a board, about
    /// any board of an array, or about a pattern, whose value is an expression of the plan.
    pub boards: Vec<Predicate>,
    /// Whether the last pattern is no condition: the games are grouped by it.
    pub is_keyed: bool,
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

    /// Whether it is about patterns.
    pub fn has_patterns(&self) -> bool {
        self.boards.first() == Some(&Predicate::Pattern)
    }

    /// The report that is asked for.
    pub fn report(&self) -> Option<Report> {
        self.outputs.iter().find_map(|output| if let Output::Report(report, _) = output { Some(*report) } else { None })
    }

    pub fn groups_by_result(&self) -> bool {
        self.outputs.contains(&Output::Result)
    }

    /// Whether there is no row without games.
    pub fn is_grouped(&self) -> bool {
        let is_key = |of: &Output| matches!(of, Output::Move | Output::Result | Output::Fixed(..) | Output::HasPattern);
        self.outputs.iter().any(is_key)
    }

    /// Whether the results of the games are needed.
    pub fn needs_results(&self) -> bool {
        let needs = |of: &Output| {
            matches!(of, Output::Result | Output::Of(_, Some(_)) | Output::MeanScore(_) | Output::SumScore(_))
        };
        self.outputs.iter().any(needs)
    }

    /// Whether more than the number of games is needed.
    pub fn needs_sums(&self) -> bool {
        let is_counted = |of: &Output| {
            matches!(of, Output::Of(Figure::Games, None) | Output::Fixed(..) | Output::Report(..) | Output::Unused)
        };
        !self.outputs.iter().all(is_counted)
    }

    /// The columns of a question to the index: two whose values above 0 are summed, the result, and one whose greatest value
    /// is found. `None` if it would need more.
    pub fn columns(&self) -> Option<[usize; 4]> {
        let (mut summed, mut greatest) = (Vec::new(), None);
        for output in &self.outputs {
            let Output::Of(figure, _) = *output else { continue };
            summed.extend(figure.summed().filter(|column| !summed.contains(column)));
            if let Figure::Greatest(column, _) = figure
                && *greatest.get_or_insert(column) != column
            {
                return None;
            }
        }
        let result = self.result.map(|result| result.column);
        // Stored sums are those of the first columns, and are used if these are summed.
        let are_stored = summed.iter().all(|column| COLUMNS[..2].contains(column))
            && result == Some(COLUMNS[2])
            && greatest.is_none_or(|column| column == COLUMNS[3]);
        if are_stored {
            return Some(COLUMNS);
        }
        summed.resize(summed.len().max(2), NONE);
        let [white, black] = summed.try_into().ok()?;
        let result = result.filter(|_| self.needs_results()).unwrap_or(NONE);
        Some([white, black, result, greatest.unwrap_or(NONE)])
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
            numbers.push(part.only.len() as i32);
            numbers.extend(part.only.iter().map(|column| i32::from(*column)));
        }
        numbers.push(self.boards.len() as i32);
        numbers.extend(self.boards.iter().map(|board| i32::from(board.strategy().unwrap_or(0))));
        numbers.push(i32::from(self.is_keyed));
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
                Kind::InRange { type_oid } => numbers.extend([-2, u32::from(type_oid) as i32]),
            }
        }
        numbers.push(self.outputs.len() as i32);
        self.outputs.iter().for_each(|output| output.add_to(&mut numbers));
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
            let game = next() as i16;
            Part { table, index, game, only: (0..next()).map(|_| next() as i16).collect() }
        });
        let parts = parts.collect();
        let boards = (0..next()).filter_map(|_| Predicate::of_strategy(next() as u16)).collect();
        let is_keyed = next() != 0;
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
                -2 => Kind::InRange { type_oid: Oid::from(next() as u32) },
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
        let outputs = (0..next()).map(|_| Output::of_numbers(&mut next));
        Plan { outputs: outputs.collect(), parts, boards, is_keyed, result, tests }
    }
}
