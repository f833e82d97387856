//! How many games a predicate lets through.
//!
//! For openings the histogram of the column knows: an opening is a range. For boards the common
//! position keys that ANALYZE keeps ([`super::statistics`]) know; a board that is not among them is
//! rarer than they are, and the rarer the more pieces have left their places in the start position.

use std::rc::Rc;

use chess_core::Board;
use chess_core::key::{coarse_board_key, other_side, position_key};
use chess_core::slots::NO_KIND;
use pgrx::PgList;
use pgrx::pg_sys::{self, Datum, Node, NodeTag, Oid};

use super::common_keys::CommonKeys;
use super::expressions::{bounds, clause, is_type, qualified};
use super::statistics::{BIGINT_EQUAL, INTEGER_EQUAL};
use crate::chessboard::unpack;
use crate::datum::{Varlena, elements_of};
use crate::fmgr::Call;

/// For what is not known at planning time.
const UNKNOWN_OPENING: f64 = 0.005;
const UNKNOWN_BOARD: f64 = 0.001;
/// A board as rare as they get, before ANALYZE.
const RAREST_BOARD: f64 = 0.0001;
const RAREST_CANDIDATES: f64 = 0.0005;
/// How many games still have a board in common after one more piece has moved.
const SHARE_PER_MOVED_PIECE: f64 = 0.4;

sql_fn!(chessgame_opening_sel, |call| {
    // SAFETY: a restriction estimator is called with root, operator, arguments and relation.
    unsafe {
        let namespace = pg_sys::get_func_namespace(pg_sys::get_opcode(operator(&call)));
        of_opening(call.internal(0), namespace, call.internal(2), call.int(3), false)
    }
});
sql_fn!(chessgame_board_sel, |call| board_sel(&call, Question::Position));
sql_fn!(chessgame_pieces_sel, |call| board_sel(&call, Question::Pieces));
sql_fn!(chessgame_allboards_sel, |call| board_sel(&call, Question::AllPositions));
sql_fn!(chessgame_anyboard_sel, |call| board_sel(&call, Question::AnyPosition));
sql_fn!(chessgame_candidate_sel, |call| board_sel(&call, Question::Candidate));
sql_fn!(chessgame_allcandidates_sel, |call| board_sel(&call, Question::AllCandidates));
sql_fn!(chessgame_anycandidate_sel, |call| board_sel(&call, Question::AnyCandidate));
sql_fn!(chessgame_opening_joinsel, |_call| UNKNOWN_OPENING);
sql_fn!(chessgame_board_joinsel, |_call| UNKNOWN_BOARD);

fn board_sel(call: &Call, question: Question) -> f64 {
    // SAFETY: as above.
    unsafe { of_board(call.internal(0), call.internal(2), call.int(3), question, false) }
}

fn operator(call: &Call) -> Oid {
    Oid::from(call.datum(1).value() as u32)
}

/// The share of games that begin with an opening: that of the range of its bounds.
///
/// # Safety
///
/// The arguments must be those of a selectivity request or an estimator.
pub unsafe fn of_opening(
    root: *mut pg_sys::PlannerInfo,
    namespace: Oid,
    args: *mut pg_sys::List,
    relation: i32,
    is_join: bool,
) -> f64 {
    if is_join {
        return UNKNOWN_OPENING;
    }
    // SAFETY: the caller's promise; new nodes are built in the planner's memory.
    unsafe {
        let args = PgList::<Node>::from_pg(args);
        let (Some(game), Some(opening)) = (args.get_ptr(0), args.get_ptr(1)) else { return UNKNOWN_OPENING };
        let opening = pg_sys::estimate_expression_value(root, opening);
        let game_type = pg_sys::exprType(opening);
        if !is_type(game_type, c"chessgame_in") {
            return UNKNOWN_OPENING;
        }
        let operator = |name: &std::ffi::CStr| {
            let found = pg_sys::OpernameGetOprid(qualified(namespace, name), game_type, game_type);
            (found != Oid::INVALID).then_some(found)
        };
        let range = bounds(namespace, game_type, opening);
        let (Some((lower, upper)), Some(at_least), Some(below)) = (range, operator(c">="), operator(c"<")) else {
            return UNKNOWN_OPENING;
        };
        let mut clauses = PgList::<Node>::new();
        clauses.push(clause(at_least, game, lower));
        clauses.push(clause(below, game, upper));
        let inner = pg_sys::JoinType::JOIN_INNER;
        pg_sys::clauselist_selectivity(root, clauses.into_pg(), relation, inner, std::ptr::null_mut()).clamp(0.0, 1.0)
    }
}

/// The share of games in which a board arises, or all or any of an array of boards.
///
/// # Safety
///
/// The arguments must be those of a selectivity request or an estimator, in either order.
pub unsafe fn of_board(
    root: *mut pg_sys::PlannerInfo,
    args: *mut pg_sys::List,
    relation: i32,
    question: Question,
    is_join: bool,
) -> f64 {
    if is_join {
        return UNKNOWN_BOARD;
    }
    // SAFETY: the caller's promise. The first two arguments are the game and the boards, so that if
    // the column is a game, the constant is what the question asks for.
    unsafe {
        let mut list = PgList::<Node>::from_pg(args);
        if list.len() > 2 {
            let mut first_two = PgList::<Node>::new();
            first_two.push(list.get_ptr(0).unwrap_or(std::ptr::null_mut()));
            first_two.push(list.get_ptr(1).unwrap_or(std::ptr::null_mut()));
            list = first_two;
        }
        let mut column = std::mem::zeroed::<pg_sys::VariableStatData>();
        let mut other = std::ptr::null_mut::<Node>();
        let mut on_left = false;
        if !pg_sys::get_restriction_variable(root, list.into_pg(), relation, &mut column, &mut other, &mut on_left) {
            return UNKNOWN_BOARD;
        }
        let known = is_type(column.vartype, c"chessgame_in") && is_asked_for(question, pg_sys::exprType(other));
        let share = match constant(other) {
            _ if !known => UNKNOWN_BOARD,
            Constant::Unknown => UNKNOWN_BOARD,
            Constant::Null => 0.0,
            Constant::Value(value) => {
                let common = Common::read(&column, kept_for(question));
                let boards = Varlena::new(value);
                match question {
                    Question::Position => common.share_of(&unpack(&boards)),
                    Question::Pieces => common.share_of_pieces(&unpack(&boards)),
                    Question::Candidate => common.share_of_candidates(&unpack(&boards)),
                    Question::AllPositions => common.share_of_all(&boards, Common::share_of),
                    Question::AnyPosition => common.share_of_any(&boards, Common::share_of),
                    Question::AllCandidates => common.share_of_all(&boards, Common::share_of_candidates),
                    Question::AnyCandidate => common.share_of_any(&boards, Common::share_of_candidates),
                }
            }
        };
        if !column.statsTuple.is_null()
            && let Some(free) = column.freefunc
        {
            pg_sys::ffi::pg_guard_ffi_boundary(|| free(column.statsTuple));
        }
        share.clamp(0.0, 1.0)
    }
}

/// What is asked of the games.
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

/// Whether a constant has the type that its bytes are going to be read as. Anybody may name an
/// estimator for an operator on other types, and the constant may be the game.
unsafe fn is_asked_for(question: Question, type_oid: Oid) -> bool {
    // SAFETY: as above; get_element_type gives no type for what is no array.
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

/// `=` of the keys that tell about a question: which of the slots that ANALYZE filled.
fn kept_for(question: Question) -> Oid {
    match question {
        Question::Candidate | Question::AllCandidates | Question::AnyCandidate => INTEGER_EQUAL,
        _ => BIGINT_EQUAL,
    }
}

/// What is known of a column of games.
struct Common {
    keys: Rc<CommonKeys>,
    /// The share of the games that are not NULL.
    not_null: f64,
    /// One game of the table.
    one_game: f64,
}

impl Common {
    unsafe fn read(column: &pg_sys::VariableStatData, keys: Oid) -> Common {
        let mut common = Common { keys: Rc::default(), not_null: 1.0, one_game: 0.0 };
        // SAFETY: the statistics are those of get_restriction_variable.
        unsafe {
            if !column.rel.is_null() && (*column.rel).tuples > 0.0 {
                common.one_game = 1.0 / (*column.rel).tuples;
            }
            if !column.statsTuple.is_null() {
                let form = pg_sys::GETSTRUCT(column.statsTuple).cast::<pg_sys::FormData_pg_statistic>();
                common.not_null = 1.0 - f64::from((*form).stanullfrac);
                common.keys = CommonKeys::of(column.statsTuple, keys);
            }
        }
        common
    }

    fn share_of(&self, board: &Board) -> f64 {
        self.share_of_key(position_key(board) as i64, board)
    }

    fn share_of_pieces(&self, board: &Board) -> f64 {
        let key = position_key(board);
        self.share_of_key(key as i64, board) + self.share_of_key(other_side(key) as i64, board)
    }

    fn share_of_key(&self, key: i64, board: &Board) -> f64 {
        let among_games = match self.keys.share_of(key) {
            Some(share) => share,
            // Rarer than what was kept, and the rarer the more pieces have moved.
            None => {
                let guess = SHARE_PER_MOVED_PIECE.powi(moved_pieces(board));
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
                let guess = SHARE_PER_MOVED_PIECE.powi(irreversible_changes(board));
                self.keys.at_most().map_or(guess.max(RAREST_CANDIDATES), |at_most| at_most / 2.0)
            }
        };
        (among_games * self.not_null).max(self.one_game)
    }

    /// At most the rarest.
    fn share_of_all(&self, boards: &[u8], share_of: impl Fn(&Common, &Board) -> f64) -> f64 {
        self.shares_of(boards, share_of).fold(self.not_null, f64::min)
    }

    /// At most all together.
    fn share_of_any(&self, boards: &[u8], share_of: impl Fn(&Common, &Board) -> f64) -> f64 {
        self.shares_of(boards, share_of).sum()
    }

    /// NULL is in no game.
    fn shares_of(&self, boards: &[u8], share_of: impl Fn(&Common, &Board) -> f64) -> impl Iterator<Item = f64> {
        elements_of(boards).into_iter().map(move |board| board.map_or(0.0, |bytes| share_of(self, &unpack(&bytes))))
    }
}

/// How many pieces of the start position are not on their squares any more.
fn moved_pieces(board: &Board) -> i32 {
    let start = Board::default();
    let moved = |square: &usize| start.kinds[*square] != NO_KIND && start.kinds[*square] != board.kinds[*square];
    (0..64).filter(moved).count() as i32
}

/// How many pawns have left their second rank and how many pieces were taken.
fn irreversible_changes(board: &Board) -> i32 {
    16 - board.home_pawns().count_ones() as i32 + (32 - board.occupied().count_ones() as i32).max(0)
}
