//! How many games a predicate lets through.
//!
//! For openings the answer is in the histogram of the column: an opening is a range. For boards it is in the common
//! position keys that ANALYZE keeps ([`super::statistics`]); a board that is not among them is
//! rarer than they are, and the rarer the more pieces have left their places in the start position.

use std::rc::Rc;

use chess_core::Board;
use chess_core::board::key::{other_side, position_key};
use chess_core::search::distance::{irreversible_changes, least_half_moves, moved_pieces};
use chess_core::search::index_keys::coarse_board_key;
use pgrx::PgList;
use pgrx::pg_sys::{self, Datum, Node, NodeTag, Oid};

use super::common_keys::CommonKeys;
use super::expressions::{Range, clause, is_type, operator_of};
use super::samples;
use super::statistics::{BIGINT_EQUAL, INTEGER_EQUAL};
use crate::functions::chessboard::unpack;
use crate::functions::chessgame::view;
use crate::server::datum::{Varlena, each_element};
use crate::server::fmgr::Call;

/// For what is not known at planning time.
const UNKNOWN_OPENING: f64 = 0.005;
const UNKNOWN_BOARD: f64 = 0.001;
/// A board as rare as they get, before ANALYZE.
const RAREST_BOARD: f64 = 0.0001;
const RAREST_CANDIDATES: f64 = 0.0005;
/// The share of games that still have a board in common after one more piece has moved.
const SHARE_PER_MOVED_PIECE: f64 = 0.4;

sql_fn!(chessgame_opening_sel, |call| {
    // SAFETY: a restriction estimator is called with root, operator, arguments and relation.
    unsafe { of_opening(call.internal(0), estimated(&call), call.internal(2), call.int(3)) }
});
sql_fn!(chessgame_board_sel, |call| board_sel(&call, Question::Position));
sql_fn!(chessgame_pieces_sel, |call| board_sel(&call, Question::Pieces));
sql_fn!(chessgame_allboards_sel, |call| board_sel(&call, Question::AllPositions));
sql_fn!(chessgame_anyboard_sel, |call| board_sel(&call, Question::AnyPosition));
sql_fn!(chessgame_candidate_sel, |call| board_sel(&call, Question::Candidate));
sql_fn!(chessgame_allcandidates_sel, |call| board_sel(&call, Question::AllCandidates));
sql_fn!(chessgame_anycandidate_sel, |call| board_sel(&call, Question::AnyCandidate));
sql_fn!(chessgame_opening_joinsel, |call| {
    // SAFETY: a join estimator is called with root, operator and arguments.
    unsafe { of_opening(call.internal(0), estimated(&call), call.internal(2), 0) }
});
sql_fn!(chessgame_board_joinsel, |call| board_joinsel(&call, Question::Position));
sql_fn!(chessgame_pieces_joinsel, |call| board_joinsel(&call, Question::Pieces));
sql_fn!(chessgame_candidate_joinsel, |call| board_joinsel(&call, Question::Candidate));

fn board_sel(call: &Call, question: Question) -> f64 {
    // SAFETY: as above.
    unsafe { of_board(call.internal(0), estimated(call), call.internal(2), call.int(3), question, false) }
}

fn board_joinsel(call: &Call, question: Question) -> f64 {
    // SAFETY: as above.
    unsafe { of_board(call.internal(0), estimated(call), call.internal(2), 0, question, true) }
}

/// The function of the operator that an estimator is called for.
fn estimated(call: &Call) -> Oid {
    // SAFETY: a look-up in the system catalogs; the second argument of an estimator is an operator.
    unsafe { pg_sys::get_opcode(Oid::from(call.datum(1).value() as u32)) }
}

/// The share of games that begin with an opening: that of the range of its bounds, or the average over
/// the openings that there are.
///
/// # Safety
///
/// The arguments must be those of a selectivity request or an estimator.
pub unsafe fn of_opening(root: *mut pg_sys::PlannerInfo, function: Oid, args: *mut pg_sys::List, relation: i32) -> f64 {
    // SAFETY: the caller's promise; new nodes are built in the planner's memory.
    unsafe {
        let namespace = pg_sys::get_func_namespace(function);
        let args = PgList::<Node>::from_pg(args);
        let (Some(game), Some(opening)) = (args.get_ptr(0), args.get_ptr(1)) else { return UNKNOWN_OPENING };
        let game = pg_sys::estimate_expression_value(root, game);
        let opening = pg_sys::estimate_expression_value(root, opening);
        let game_type = pg_sys::exprType(opening);
        if !is_type(game_type, c"chessgame_in") || !is_type(pg_sys::exprType(game), c"chessgame_in") {
            return UNKNOWN_OPENING;
        }
        let operator = |name| operator_of(namespace, name, game_type, game_type);
        let (Some(at_least), Some(below)) = (operator(c">="), operator(c"<")) else { return UNKNOWN_OPENING };
        let share_of = |opening: &[u8]| {
            let Range { lower, upper, .. } = Range::of_constant(game_type, opening);
            let mut clauses = PgList::<Node>::new();
            clauses.push(clause(at_least, game, lower));
            clauses.push(clause(below, game, upper));
            let inner = pg_sys::JoinType::JOIN_INNER;
            pg_sys::clauselist_selectivity(root, clauses.into_pg(), relation, inner, std::ptr::null_mut())
        };
        let share = match (constant(game), constant(opening)) {
            (_, Constant::Value(opening)) => share_of(&Varlena::new(opening)),
            (Constant::Null, _) | (_, Constant::Null) => 0.0,
            (game, Constant::Unknown) => {
                samples::average(root, function, opening, c"chessgame_in", 20, |bytes| match game {
                    Constant::Value(game) => f64::from(u8::from(view(&Varlena::new(game)).starts_with(view(bytes)))),
                    _ => share_of(bytes),
                })
                .unwrap_or(UNKNOWN_OPENING)
            }
        };
        share.clamp(0.0, 1.0)
    }
}

/// The share of games in which a board arises, or all or any of an array of boards; of a board that is
/// not known the average over the boards that there are.
///
/// # Safety
///
/// The arguments must be those of a selectivity request or an estimator, in either order.
pub unsafe fn of_board(
    root: *mut pg_sys::PlannerInfo,
    function: Oid,
    args: *mut pg_sys::List,
    relation: i32,
    question: Question,
    is_join: bool,
) -> f64 {
    // SAFETY: the caller's promise. The first two arguments are the game and the boards, so that if
    // the column is a game, the other is what the question asks for.
    unsafe {
        let args = PgList::<Node>::from_pg(args);
        let (Some(left), Some(right)) = (args.get_ptr(0), args.get_ptr(1)) else { return UNKNOWN_BOARD };
        let mut column = std::mem::zeroed::<pg_sys::VariableStatData>();
        let mut other = std::ptr::null_mut::<Node>();
        if is_join {
            let (game, boards) =
                if is_type(pg_sys::exprType(left), c"chessgame_in") { (left, right) } else { (right, left) };
            pg_sys::examine_variable(root, game, 0, &mut column);
            other = boards;
        } else {
            let mut both = PgList::<Node>::new();
            both.push(left);
            both.push(right);
            let mut on_left = false;
            if !pg_sys::get_restriction_variable(root, both.into_pg(), relation, &mut column, &mut other, &mut on_left)
            {
                return UNKNOWN_BOARD;
            }
        }
        let share = if is_type(column.vartype, c"chessgame_in") && is_asked_for(question, pg_sys::exprType(other)) {
            match constant(other) {
                Constant::Null => 0.0,
                value => {
                    let common = Common::read(&column, function, kept_for(question));
                    let limit = args.get_ptr(2).map_or(u32::MAX, |limit| half_moves(root, limit));
                    match value {
                        Constant::Value(value) => common.share_of(question, &Varlena::new(value), limit),
                        _ => samples::average(root, function, other, c"chessboard_in", 200, |board| {
                            common.share_of(question, board, limit)
                        })
                        .unwrap_or(common.typical()),
                    }
                }
            }
        } else {
            UNKNOWN_BOARD
        };
        samples::release(&column);
        share.clamp(0.0, 1.0)
    }
}

/// The number of half-moves that a predicate allows.
unsafe fn half_moves(root: *mut pg_sys::PlannerInfo, limit: *mut Node) -> u32 {
    // SAFETY: the third argument of a predicate is an integer.
    match unsafe { constant(pg_sys::estimate_expression_value(root, limit)) } {
        Constant::Value(limit) => u32::try_from(limit.value() as i32).unwrap_or(0),
        _ => u32::MAX,
    }
}

/// What a predicate asks of the games.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// A position arises.
    Position,
    /// A placement arises, with either side to move.
    Pieces,
    /// All positions of an array arise.
    AllPositions,
    /// One of the positions of an array arises.
    AnyPosition,
    /// A placement may arise, as far as coarse keys tell.
    Candidate,
    /// All placements of an array may arise.
    AllCandidates,
    /// One of the placements of an array may arise.
    AnyCandidate,
}

/// Whether a constant has the type that its bytes are going to be read as. Anyone can name an
/// estimator for an operator on other types, and the constant may be the game.
unsafe fn is_asked_for(question: Question, type_oid: Oid) -> bool {
    // SAFETY: as above; get_element_type returns no type for what is not an array.
    unsafe {
        let board_type = match question {
            Question::Position | Question::Pieces | Question::Candidate => type_oid,
            _ => pg_sys::get_element_type(pg_sys::getBaseType(type_oid)),
        };
        is_type(board_type, c"chessboard_in")
    }
}

enum Constant {
    Unknown,
    Null,
    Value(Datum),
}

unsafe fn constant(node: *mut Node) -> Constant {
    // SAFETY: the tag says what the node is.
    unsafe {
        if (*node).type_ != NodeTag::T_Const {
            return Constant::Unknown;
        }
        let constant = &*node.cast::<pg_sys::Const>();
        if constant.constisnull { Constant::Null } else { Constant::Value(constant.constvalue) }
    }
}

/// `=` of the keys that answer a question: it says which of the slots that ANALYZE filled to use.
fn kept_for(question: Question) -> Oid {
    match question {
        Question::Candidate | Question::AllCandidates | Question::AnyCandidate => INTEGER_EQUAL,
        _ => BIGINT_EQUAL,
    }
}

/// What is known about a column of games.
struct Common {
    keys: Rc<CommonKeys>,
    /// The share of the games that are not NULL.
    not_null: f64,
    /// One game of the table.
    one_game: f64,
}

impl Common {
    unsafe fn read(column: &pg_sys::VariableStatData, function: Oid, keys: Oid) -> Common {
        let mut common = Common { keys: Rc::default(), not_null: 1.0, one_game: 0.0 };
        // SAFETY: the statistics are those of get_restriction_variable.
        unsafe {
            if !column.rel.is_null() && (*column.rel).tuples > 0.0 {
                common.one_game = 1.0 / (*column.rel).tuples;
            }
            if !column.statsTuple.is_null() {
                let form = pg_sys::GETSTRUCT(column.statsTuple).cast::<pg_sys::FormData_pg_statistic>();
                common.not_null = 1.0 - f64::from((*form).stanullfrac);
                if samples::may_be_read(column, function) {
                    common.keys = CommonKeys::of(column.statsTuple, keys);
                }
            }
        }
        common
    }

    /// The share of a board, or of an array of boards, in the first half-moves of the games.
    fn share_of(&self, question: Question, boards: &[u8], limit: u32) -> f64 {
        match question {
            Question::Position | Question::Pieces => {
                let board = unpack(boards);
                let share = self.share_of_board(question, &board);
                if limit < u32::MAX && limit < least_half_moves(&board, question == Question::Pieces) {
                    share.min(self.share_of_other_starts()).max(self.one_game)
                } else {
                    share
                }
            }
            Question::Candidate => self.share_of_board(question, &unpack(boards)),
            // At most the rarest of all, at most any together.
            Question::AllPositions => self.fold_shares(Question::Position, boards, self.not_null, f64::min),
            Question::AnyPosition => self.fold_shares(Question::Position, boards, 0.0, |all, one| all + one),
            Question::AllCandidates => self.fold_shares(Question::Candidate, boards, self.not_null, f64::min),
            Question::AnyCandidate => self.fold_shares(Question::Candidate, boards, 0.0, |all, one| all + one),
        }
    }

    /// What the shares of the boards of an array come to. NULL is in no game.
    fn fold_shares(&self, question: Question, boards: &[u8], first: f64, combine: impl Fn(f64, f64) -> f64) -> f64 {
        let mut folded = first;
        each_element(boards, |board| {
            let share = board.map_or(0.0, |bytes| self.share_of_board(question, &unpack(bytes)));
            folded = combine(folded, share);
        });
        folded
    }

    fn share_of_board(&self, question: Question, board: &Board) -> f64 {
        let key = position_key(board);
        match question {
            Question::Candidate => self.share_of_candidates(board),
            Question::Pieces => self.share_of_key(key as i64, board) + self.share_of_key(other_side(key) as i64, board),
            _ => self.share_of_key(key as i64, board),
        }
    }

    /// The share of games that do not begin with the standard start; none if nothing is known.
    fn share_of_other_starts(&self) -> f64 {
        match (self.keys.share_of(position_key(&Board::default()) as i64), self.keys.at_most()) {
            (Some(standard), _) => (1.0 - standard) * self.not_null,
            (None, Some(_)) => self.not_null,
            (None, None) => 0.0,
        }
    }

    /// The share of a board about which nothing is known: as rare as the rarest that ANALYZE kept.
    fn typical(&self) -> f64 {
        (self.keys.at_most().unwrap_or(UNKNOWN_BOARD) * self.not_null).max(self.one_game)
    }

    fn share_of_key(&self, key: i64, board: &Board) -> f64 {
        let among_games = match self.keys.share_of(key) {
            Some(share) => share,
            // Rarer than what was kept, and the rarer the more pieces have moved.
            None => {
                let guess = SHARE_PER_MOVED_PIECE.powi(moved_pieces(board) as i32);
                self.keys.at_most().map_or(guess.max(RAREST_BOARD), |at_most| guess.min(at_most / 2.0))
            }
        };
        (among_games * self.not_null).max(self.one_game)
    }

    /// The same for games that have the coarse key of the board.
    fn share_of_candidates(&self, board: &Board) -> f64 {
        let key = i64::from(coarse_board_key(board));
        let among_games = match self.keys.share_of(key) {
            Some(share) => share,
            None => {
                let guess = SHARE_PER_MOVED_PIECE.powi(irreversible_changes(board) as i32);
                self.keys.at_most().map_or(guess.max(RAREST_CANDIDATES), |at_most| at_most / 2.0)
            }
        };
        (among_games * self.not_null).max(self.one_game)
    }
}
