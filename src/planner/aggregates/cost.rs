//! What it costs to answer from an index.
//!
//! Takes a table with its index and a question; returns a cost in the planner's unit.

use chess_core::search::pattern::Wanted;
use pgrx::pg_sys::{self, IndexOptInfo};

use crate::access_method::Counts;
use crate::clauses::columns::user_of;
use crate::clauses::expressions::{Constant, constant};
use crate::planner::aggregates::question::Question;
use crate::planner::aggregates::tables::Table;
use crate::planner::selectivity::{MOST_BOARDS, boards, boards_of};
use crate::server::datum::Varlena;
use crate::values::pattern::pattern_of;

/// Pages of a segment that a question reads: its head, the way to a list, and the stored sums.
const PAGES_OF_SEGMENT: f64 = 5.0;
/// Operators that a replay of a game costs.
const REPLAY: f64 = 10.0;
/// The cost of a game in an exact list, in operators: without tests, with tests, and for each of them. It is low because
/// attributes are read a page at a time.
const UNTESTED: f64 = 0.1;
const TESTED: f64 = 0.5;
const TEST: f64 = 0.25;
/// Operators for each game of a list that a ranking is compared with, for each game of the ranking, and for each that both
/// have: the page with its attributes is decoded.
const MARKED: f64 = 0.05;
const WALKED: f64 = 0.05;
const FOUND: f64 = 100.0;

/// Operators for each game of the index where the lists of a range of materials are united.
const UNITED: f64 = 0.05;

/// What a question reads of an index.
struct Read {
    segments: f64,
    /// Games that are not in segments.
    pending: f64,
    /// Boards, or lists of patterns.
    looked_up: f64,
    /// Games of lists that decide, and of those that only name candidates.
    exact: f64,
    candidates: f64,
    /// Games of the index for each range of materials, whose lists are united.
    united: f64,
}

impl Read {
    /// `None` for more boards than [`MOST_BOARDS`], whose games take long to count.
    unsafe fn of(table: &Table, info: &IndexOptInfo, question: &Question) -> Option<Read> {
        // SAFETY: the caller's promise.
        unsafe {
            let counts = Counts::open(info);
            let (segments, pending) = counts.parts();
            let mut read = Read { segments, pending, looked_up: 0.0, exact: 0.0, candidates: 0.0, united: 0.0 };
            if question.has_patterns() {
                return read.with_patterns(&counts, table, info, question);
            }
            for (predicate, board) in &question.boards {
                let Constant::Value(value) = constant(*board) else {
                    // A board that is not known yet counts as one that exact lists have, because most that are asked for do.
                    read.looked_up += 1.0;
                    read.exact += table.rel.rows;
                    continue;
                };
                read.looked_up += boards_of(predicate.operand(), value) as f64;
                if read.looked_up > MOST_BOARDS as f64 {
                    return None;
                }
                for board in boards(*predicate, &Varlena::new(value)).iter().flatten() {
                    let lists = counts.lists(&board.question(u32::MAX));
                    let (certain, others) = lists.unwrap_or((table.rel.rows, table.rel.rows));
                    read.exact += certain;
                    read.candidates += others;
                }
            }
            Some(read)
        }
    }

    /// Of patterns, whose lists must decide.
    unsafe fn with_patterns(
        mut self,
        counts: &Counts,
        table: &Table,
        info: &IndexOptInfo,
        question: &Question,
    ) -> Option<Read> {
        // SAFETY: the caller's promise.
        unsafe {
            for (_, pattern) in &question.boards {
                let Constant::Value(value) = constant(*pattern) else { return None };
                let pattern = pattern_of(&Varlena::new(value));
                let tree = pattern.key_tree();
                let ranges = tree.wanted().iter().filter(|wanted| matches!(wanted, Wanted::Material { .. })).count();
                if !counts.are_certain(user_of(table.rel), &pattern) {
                    return None;
                }
                self.looked_up += tree.wanted().len() as f64;
                self.united += ranges as f64 * info.tuples;
            }
            self.exact = table.rel.rows;
            Some(self)
        }
    }

    /// Some pages of each segment for each board; for each game whose list does not decide, its row and a replay; for the
    /// others a number of operators.
    unsafe fn cost(&self, table: &Table, operators: f64) -> f64 {
        // SAFETY: settings of this process.
        unsafe {
            let (page, operator) = (pg_sys::random_page_cost, pg_sys::cpu_operator_cost);
            let replay = REPLAY * operator + pg_sys::cpu_tuple_cost;
            let pages = PAGES_OF_SEGMENT * self.segments * self.looked_up;
            let pages = pages + self.candidates.min(f64::from(table.rel.pages));
            let operators = operators + self.united * UNITED;
            pages * page + (self.candidates + self.pending) * replay + operators * operator
        }
    }
}

/// The cost of an aggregate: with tests, a look at the attributes of each game. `None` for more boards than [`MOST_BOARDS`].
///
/// # Safety
///
/// All must be the planner's, and [`Counts::are_in`] true for the index.
pub unsafe fn cost_of(table: &Table, info: &IndexOptInfo, question: &Question) -> Option<f64> {
    // SAFETY: the caller's promise.
    unsafe {
        let read = Read::of(table, info, question)?;
        let look = if question.tests.is_empty() { UNTESTED } else { look_at_attributes(question) };
        Some(read.cost(table, read.exact * look))
    }
}

fn look_at_attributes(question: &Question) -> f64 {
    TESTED + TEST * question.tests.len() as f64
}

/// The cost of the first `count` games in an order: a look at the attributes of each game, or, where the segments rank the
/// games, only at those of the games that come first. `None` as for [`cost_of`].
///
/// # Safety
///
/// As for [`cost_of`].
pub unsafe fn cost_of_order(
    table: &Table,
    info: &IndexOptInfo,
    question: &Question,
    is_ranked: bool,
    count: f64,
) -> Option<f64> {
    // SAFETY: the caller's promise.
    unsafe {
        let read = Read::of(table, info, question)?;
        let all = read.exact * look_at_attributes(question);
        // So many games of the lists are looked at until `count` of them have met the tests.
        let found = (count * read.exact / table.rel.rows.max(1.0)).min(read.exact);
        let walked = found * table.rel.tuples / read.exact.max(1.0);
        let by_ranking = read.exact * MARKED + walked * WALKED + found * FOUND;
        Some(read.cost(table, if is_ranked { all.min(by_ranking) } else { all }))
    }
}
