//! What it costs to answer from an index.
//!
//! Takes a table with its index and a question; returns a cost in the planner's unit.

use pgrx::pg_sys::{self, IndexOptInfo};

use crate::access_method::Counts;
use crate::clauses::expressions::{Constant, constant};
use crate::planner::aggregates::question::Question;
use crate::planner::aggregates::tables::Table;
use crate::planner::selectivity::{MOST_BOARDS, boards, boards_of};
use crate::server::datum::Varlena;

/// Pages of a segment that a question reads: its head, the way to a list, and the stored sums.
const PAGES_OF_SEGMENT: f64 = 5.0;
/// Operators that a replay of a game costs.
const REPLAY: f64 = 10.0;
/// The cost of a game in an exact list, in operators: without tests, with tests, and for each of them. It is low because
/// attributes are read a page at a time.
const UNTESTED: f64 = 0.1;
const TESTED: f64 = 0.5;
const TEST: f64 = 0.25;

/// Some pages of each segment for each board; for each game whose list does not decide, its row and a replay; with tests, a
/// look at the attributes of each game. `None` for more boards than [`MOST_BOARDS`], whose games take long to count.
///
/// # Safety
///
/// All must be the planner's, and [`Counts::are_in`] true for the index.
pub unsafe fn cost_of(table: &Table, info: &IndexOptInfo, question: &Question) -> Option<f64> {
    // SAFETY: the caller's promise; settings of this process.
    unsafe {
        let counts = Counts::open(info);
        let (segments, pending) = counts.parts();
        let (mut looked_up, mut exact, mut candidates) = (0.0, 0.0, 0.0);
        for (predicate, board) in &question.boards {
            let Constant::Value(value) = constant(*board) else {
                // A board that is not known yet is taken for one that exact lists have, like most that are asked for often.
                looked_up += 1.0;
                exact += table.rel.rows;
                continue;
            };
            looked_up += boards_of(predicate.operand(), value) as f64;
            if looked_up > MOST_BOARDS as f64 {
                return None;
            }
            for board in boards(*predicate, &Varlena::new(value)).iter().flatten() {
                let lists = counts.lists(&board.question(u32::MAX));
                let (certain, others) = lists.unwrap_or((table.rel.rows, table.rel.rows));
                exact += certain;
                candidates += others;
            }
        }
        let (page, operator) = (pg_sys::random_page_cost, pg_sys::cpu_operator_cost);
        let replay = REPLAY * operator + pg_sys::cpu_tuple_cost;
        let look = if question.tests.is_empty() { UNTESTED } else { TESTED + TEST * question.tests.len() as f64 };
        let pages = PAGES_OF_SEGMENT * segments * looked_up + candidates.min(f64::from(table.rel.pages));
        Some(pages * page + (candidates + pending) * replay + exact * look * operator)
    }
}
