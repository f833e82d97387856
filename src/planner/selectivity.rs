//! Estimates how many rows a predicate lets through.
//!
//! Takes a predicate as the planner has it and finds its operands: the column of games with its statistics
//! ([`columns`](crate::clauses::columns)), and a constant, or an expression whose values are known ([`samples`]). The crate
//! `chess_estimates` computes the share ([`chess_estimates::column`]); an index that has the games counts those of a
//! constant ([`super::index_counts`]).

use chess_core::Finder;
use chess_core::search::material::Material;
use chess_estimates::column::{self, Column, UNKNOWN_BOARD, UNKNOWN_MATERIAL, UNKNOWN_OPENING, UNKNOWN_PATTERN};
use pgrx::PgList;
use pgrx::pg_sys::{self, Datum, JoinType, Node, NodeTag, Oid};

use super::index_counts::{IndexCounts, Sought};
use crate::clauses::columns::Variable;
use crate::clauses::expressions::{Constant, Range, clause, constant, operator_of, result_of};
use crate::clauses::look_ups::{self, Sides, sides};
use crate::clauses::predicate::{Operand, Predicate};
use crate::clauses::samples::{self, Derived, MOST_GAMES, MOST_PATTERNS};
use crate::server::datum::{Varlena, count_of, each_element};
use crate::server::fmgr::Call;
use crate::values::board::unpack;
use crate::values::game::view;
use crate::values::pattern::pattern_of;

sql_fn!(chessgame_opening_sel(internal, oid, internal, int4) -> float8, |call| restriction(&call, Predicate::Opening));
sql_fn!(chessgame_board_sel(internal, oid, internal, int4) -> float8, |call| restriction(&call, Predicate::Position));
sql_fn!(chessgame_pieces_sel(internal, oid, internal, int4) -> float8, |call| restriction(&call, Predicate::Pieces));
sql_fn!(chessgame_allboards_sel(internal, oid, internal, int4) -> float8, |call| restriction(&call, Predicate::AllPositions));
sql_fn!(chessgame_anyboard_sel(internal, oid, internal, int4) -> float8, |call| restriction(&call, Predicate::AnyPosition));
sql_fn!(chessgame_pattern_sel(internal, oid, internal, int4) -> float8, |call| restriction(&call, Predicate::Pattern));
sql_fn!(chessgame_pattern_joinsel(internal, oid, internal, int2, internal) -> float8, |call| join(&call, Predicate::Pattern));
sql_fn!(chessgame_opening_joinsel(internal, oid, internal, int2, internal) -> float8, |call| join(&call, Predicate::Opening));
sql_fn!(chessgame_board_joinsel(internal, oid, internal, int2, internal) -> float8, |call| join(&call, Predicate::Position));
sql_fn!(chessgame_pieces_joinsel(internal, oid, internal, int2, internal) -> float8, |call| join(&call, Predicate::Pieces));
sql_fn!(chessgame_allboards_joinsel(internal, oid, internal, int2, internal) -> float8, |call| join(&call, Predicate::AllPositions));
sql_fn!(chessgame_anyboard_joinsel(internal, oid, internal, int2, internal) -> float8, |call| join(&call, Predicate::AnyPosition));

/// A predicate as the planner asks for it.
pub struct Request {
    /// The planner.
    pub root: *mut pg_sys::PlannerInfo,
    /// The function of the predicate.
    pub function: Oid,
    /// Its arguments.
    pub args: *mut pg_sys::List,
    /// The relation whose rows are estimated, 0 if the predicate is about all its relations.
    pub relation: i32,
    /// The join, if it is one.
    pub join: *mut pg_sys::SpecialJoinInfo,
}

fn restriction(call: &Call, predicate: Predicate) -> f64 {
    estimate(call, predicate, call.int(3), std::ptr::null_mut())
}

fn join(call: &Call, predicate: Predicate) -> f64 {
    estimate(call, predicate, 0, call.internal(4))
}

fn estimate(call: &Call, predicate: Predicate, relation: i32, join: *mut pg_sys::SpecialJoinInfo) -> f64 {
    // SAFETY: either kind of estimator is called with root, operator and arguments first.
    unsafe {
        let request =
            Request { root: call.internal(0), function: function(call), args: call.internal(2), relation, join };
        share(predicate, &request)
    }
}

/// The function of the operator that an estimator is called for.
fn function(call: &Call) -> Oid {
    // SAFETY: a look-up in the system catalogs; the second argument of an estimator is an operator.
    unsafe { pg_sys::get_opcode(Oid::from(call.datum(1).value() as u32)) }
}

/// The share of the rows that a predicate lets through; for a join, of the pairs of rows; for a semijoin, of the outer
/// rows.
///
/// # Safety
///
/// The request must be the planner's.
pub unsafe fn share(predicate: Predicate, request: &Request) -> f64 {
    // SAFETY: the caller's promise.
    unsafe {
        let share = of_pairs(predicate, request).clamp(0.0, 1.0);
        match request.join.as_ref() {
            Some(join) if matches!(join.jointype, JoinType::JOIN_SEMI | JoinType::JOIN_ANTI) => {
                1.0 - (1.0 - share).powf(rows_of(request.root, join.min_righthand).max(1.0))
            }
            _ => share,
        }
    }
}

/// The number of rows of the relations of one side of a join.
unsafe fn rows_of(root: *mut pg_sys::PlannerInfo, relations: pg_sys::Relids) -> f64 {
    // SAFETY: the planner's own structures.
    unsafe {
        let mut one = 0;
        let relation = if pg_sys::bms_get_singleton_member(relations, &mut one) {
            pg_sys::find_base_rel(root, one)
        } else {
            pg_sys::find_join_rel(root, relations)
        };
        relation.as_ref().map_or(1.0, |relation| relation.rows)
    }
}

unsafe fn of_pairs(predicate: Predicate, request: &Request) -> f64 {
    // SAFETY: the caller's promise; the types of both sides are checked before their bytes are read.
    unsafe {
        let root = request.root;
        let operand = predicate.operand();
        let unknown = match operand {
            Operand::Opening => UNKNOWN_OPENING,
            Operand::Material => UNKNOWN_MATERIAL,
            Operand::Pattern => UNKNOWN_PATTERN,
            _ => UNKNOWN_BOARD,
        };
        let args = PgList::<Node>::from_pg(request.args);
        let Some(Sides { game, other, .. }) = sides(&args) else { return unknown };
        if !samples::is_operand(operand, pg_sys::exprType(other)) {
            return unknown;
        }
        let game = pg_sys::estimate_expression_value(root, game);
        let other = result_of(pg_sys::estimate_expression_value(root, other));
        let limit = args.get_ptr(2).map_or(u32::MAX, |limit| half_moves(root, limit));
        match (constant(game), constant(other)) {
            (Constant::Null, _) | (_, Constant::Null) => 0.0,
            (Constant::Value(game), _) => of_game(predicate, request, &Varlena::new(game), other, limit),
            (Constant::Unknown, value) => of_column(predicate, request, game, other, value, limit).unwrap_or(unknown),
        }
    }
}

/// The selectivity for the games of a column; `value` is that of `other`. `None` if nothing is known of the games.
unsafe fn of_column(
    predicate: Predicate,
    request: &Request,
    game: *mut Node,
    other: *mut Node,
    value: Constant,
    limit: u32,
) -> Option<f64> {
    // SAFETY: the caller's promise; the types of both sides are checked before their bytes are read.
    unsafe {
        let &Request { root, function, .. } = request;
        let operand = predicate.operand();
        let variable = Variable::of(root, function, game);
        let mut column = variable.games()?;
        let counts = match &value {
            Constant::Value(value) if predicate.is_counted() && boards_of(operand, *value) <= MOST_BOARDS => {
                IndexCounts::of(root, variable.relation(), game)
            }
            _ => None,
        };
        // A join is not narrowed by the conditions of its tables: they have done so already.
        let (before, times) = match (&counts, &value, variable.relation()) {
            (Some(_), Constant::Value(value), Some(relation))
                if request.join.is_null() && matches!(operand, Operand::Board | Operand::AllBoards) =>
            {
                boards_before(relation, game, predicate, *value)
            }
            _ => (Vec::new(), 1),
        };
        let mut asked = Asked { limit, games: usize::MAX, counts: None, before: &before };
        if let Some((whole, plies)) = samples::whole_games(root, function, game, &column) {
            (column, asked.limit) = (whole, limit.min(plies));
        }
        if predicate == Predicate::Opening && !column.is_known() {
            let reached = match (&counts, &value) {
                (Some(counts), Constant::Value(value)) => counts.opening(view(&Varlena::new(*value))),
                _ => None,
            };
            return Some(reached.unwrap_or_else(|| of_range(request, game, other)));
        }
        Some(match value {
            Constant::Value(value) if operand == Operand::Pattern => {
                let pattern = pattern_of(&Varlena::new(value));
                column.pattern_with(&pattern, asked.limit, |spent| {
                    let counts = IndexCounts::of(root, variable.relation(), game)?;
                    counts.candidates(&pattern, asked.limit, spent)
                })
            }
            Constant::Value(value) => {
                let counts = counts.as_ref();
                let share = of_value(predicate, &column, &Varlena::new(value), Asked { counts, ..asked });
                share.powf(1.0 / times as f64)
            }
            _ => of_values(predicate, request, &column, other, asked),
        })
    }
}

/// Further properties of the request.
#[derive(Clone, Copy)]
struct Asked<'a> {
    /// The number of half-moves within which the predicate must match.
    limit: u32,
    /// How many sampled games a pattern is tried on.
    games: usize,
    /// An index in which the games of a constant can be counted.
    counts: Option<&'a IndexCounts>,
    /// The boards of other conditions, by whose shares the planner multiplies this one.
    before: &'a [Sought],
}

/// Most conditions of a table that are looked through for those on the same game. Each condition looks through all of them.
const MOST_CONDITIONS: usize = 256;

/// Most boards in an array that are counted in an index, because each is looked up in each segment.
pub const MOST_BOARDS: usize = 64;

/// Most boards of which any is to arise that are counted together, because each is looked up in the lists of the others.
const MOST_TOGETHER: usize = 8;

/// The number of boards of a constant.
///
/// # Safety
///
/// The constant must have the type of its operand.
pub unsafe fn boards_of(operand: Operand, value: Datum) -> usize {
    match operand {
        // SAFETY: the caller passes an array of boards for these.
        Operand::AllBoards | Operand::AnyBoard => unsafe { count_of(&Varlena::new(value)) },
        _ => 1,
    }
}

/// The share of the games of a column that a constant finds.
fn of_value(predicate: Predicate, column: &Column, value: &[u8], asked: Asked<'_>) -> f64 {
    let Asked { limit, games, counts, before } = asked;
    let part = |sought: &Sought| {
        let searched = || counts?.early(sought, limit);
        column.part_within(&sought.board, sought.matching, limit, searched)
    };
    let share_of_board = |sought: &Sought| {
        let (board, matching) = (&sought.board, sought.matching);
        match counts.and_then(|counts| counts.board(sought, limit)) {
            // Lists do not say when a position arises, the sample and some of their games do.
            Some(counted) => counted * part(sought),
            None => column.board(board, matching, limit),
        }
    };
    let boards = || boards(predicate, value);
    match predicate.operand() {
        Operand::Opening if view(value).ply_count() > limit => 0.0,
        Operand::Opening => {
            // Games with other first moves may reach the position.
            let reached = counts.and_then(|counts| counts.opening(view(value)));
            column.opening(view(value)).unwrap_or(UNKNOWN_OPENING).min(reached.unwrap_or(1.0))
        }
        Operand::Material => match std::str::from_utf8(value).ok().and_then(Material::read) {
            Some(material) => column.material(material, limit),
            None => UNKNOWN_MATERIAL,
        },
        Operand::Pattern => column.pattern(&pattern_of(value), limit, games),
        Operand::Board | Operand::AllBoards => {
            // No game contains a NULL board.
            let Some(boards) = boards().into_iter().collect::<Option<Vec<Sought>>>() else { return 0.0 };
            let together = counts.filter(|_| before.len() + boards.len() > 1).and_then(|counts| {
                let known = if before.is_empty() { 1.0 } else { counts.boards(before.iter())? };
                (known > 0.0).then_some(counts.boards(before.iter().chain(&boards))? / known)
            });
            match together {
                Some(share) => share.min(1.0) * boards.iter().map(part).product::<f64>(),
                None => column::all(boards.iter().map(share_of_board)).min(column.not_null()),
            }
        }
        Operand::AnyBoard => {
            let boards: Vec<Sought> = boards().into_iter().flatten().collect();
            let together = counts.filter(|_| limit == u32::MAX && (2..=MOST_TOGETHER).contains(&boards.len()));
            match together.and_then(|counts| counts.any_board(boards.iter())) {
                Some(share) => share.min(column.not_null()),
                None => column::any(boards.iter().map(share_of_board)),
            }
        }
    }
}

/// The boards of a constant.
pub fn boards(predicate: Predicate, value: &[u8]) -> Vec<Option<Sought>> {
    let matching = predicate.matching();
    let sought = |bytes: &[u8]| Sought { board: unpack(bytes), matching };
    if predicate.operand() == Operand::Board {
        return vec![Some(sought(value))];
    }
    let mut boards = Vec::new();
    each_element(value, |board| boards.push(board.map(sought)));
    boards
}

/// The boards that other conditions on a table ask of the same game, if these come before this condition, and how often it
/// stands there itself. The planner multiplies the shares of all conditions as if they were independent, so each of them gets
/// its share of the games that meet those before it.
unsafe fn boards_before(
    relation: &pg_sys::RelOptInfo,
    game: *mut Node,
    predicate: Predicate,
    value: Datum,
) -> (Vec<Sought>, usize) {
    // SAFETY: the planner's own structures; the constants have the types of their predicates.
    unsafe {
        let conditions = PgList::<pg_sys::RestrictInfo>::from_pg(relation.baserestrictinfo);
        if conditions.len() < 2 {
            return (Vec::new(), 1);
        }
        let clauses = conditions.iter_ptr().take(MOST_CONDITIONS).map(|rinfo| (*rinfo).clause.cast::<Node>());
        let clauses = clauses.filter_map(|clause| Some((clause, look_ups::predicate_of_boards(clause)?)));
        let clauses: Vec<(*mut Node, Predicate)> = clauses.collect();
        let (mut before, mut times, mut looked_at) = (Vec::new(), 0, 0);
        let own = boards(predicate, &Varlena::new(value));
        for (clause, other) in clauses {
            let Some((of_game, value)) = look_ups::boards_of(clause, other) else { continue };
            if !pg_sys::equal(of_game.cast(), game.cast()) {
                continue;
            }
            looked_at += boards_of(other.operand(), value);
            if looked_at > MOST_BOARDS {
                break;
            }
            let others = boards(other, &Varlena::new(value));
            if other == predicate && others == own {
                times += 1;
            } else if times == 0 {
                before.extend(others.into_iter().flatten());
            }
        }
        // The condition may be a part of another one.
        if times == 0 { (Vec::new(), 1) } else { (before, times) }
    }
}

/// The average share of the games of a column that the values of an expression find.
unsafe fn of_values(
    predicate: Predicate,
    request: &Request,
    column: &Column,
    other: *mut Node,
    asked: Asked<'_>,
) -> f64 {
    // SAFETY: as for `share`.
    unsafe {
        let &Request { root, function, .. } = request;
        let operand = predicate.operand();
        match operand {
            Operand::Opening => {
                // The statistics of another column of openings are a tree of them.
                if let (games, Derived::FirstMoves(plies)) = samples::derivation(other, operand) {
                    let variable = Variable::of(root, function, games);
                    let share = variable.games().and_then(|games| column.first_moves_of(&games, plies));
                    if let Some(share) = share {
                        return share * variable.not_null();
                    }
                }
            }
            Operand::AllBoards | Operand::AnyBoard if (*other).type_ == NodeTag::T_ArrayExpr => {
                let elements = PgList::<Node>::from_pg((*other.cast::<pg_sys::ArrayExpr>()).elements);
                let one = predicate.of_one_board();
                let shares = elements.iter_ptr().map(|element| match constant(element) {
                    Constant::Null => 0.0,
                    Constant::Value(board) if samples::is_operand(Operand::Board, pg_sys::exprType(element)) => {
                        of_value(one, column, &Varlena::new(board), asked)
                    }
                    _ => of_values(one, request, column, element, asked),
                });
                return if operand == Operand::AllBoards { column::all(shares) } else { column::any(shares) };
            }
            _ => {}
        }
        let unknown = match operand {
            Operand::Opening => UNKNOWN_OPENING,
            Operand::Material => UNKNOWN_MATERIAL,
            Operand::Pattern => UNKNOWN_PATTERN,
            _ => column.any_board(),
        };
        let at_most = if operand == Operand::Pattern { MOST_PATTERNS } else { MOST_VALUES };
        samples::average(root, function, other, operand, at_most, unknown, |value| {
            of_value(predicate, column, value, Asked { games: MOST_GAMES, ..asked })
        })
    }
}

/// Most common values of an expression that are tried; as many others are.
const MOST_VALUES: usize = 200;

/// The share of the values of an expression that find one game.
unsafe fn of_game(predicate: Predicate, request: &Request, game: &[u8], other: *mut Node, limit: u32) -> f64 {
    // SAFETY: as for `share`.
    unsafe {
        let &Request { root, function, .. } = request;
        let game = view(game);
        if predicate == Predicate::Opening {
            let known = Variable::of(root, function, other).games().and_then(|openings| openings.openings_of(game));
            if let Some(share) = known {
                return share;
            }
        }
        let is_found = |value: &[u8]| match predicate {
            Predicate::Opening => game.starts_with(view(value)),
            Predicate::Position | Predicate::Pieces => {
                Finder::new(&unpack(value), predicate.matching()).is_in(game, limit).unwrap_or(false)
            }
            Predicate::Pattern => pattern_of(value).matcher().find(game, limit).is_ok_and(|found| found.is_some()),
            _ => false,
        };
        let unknown = match predicate {
            Predicate::Opening => UNKNOWN_OPENING,
            Predicate::Pattern => UNKNOWN_PATTERN,
            _ => UNKNOWN_BOARD,
        };
        match predicate {
            Predicate::Opening | Predicate::Position | Predicate::Pieces | Predicate::Pattern => {
                samples::average(root, function, other, predicate.operand(), MOST_VALUES, unknown, |value| {
                    f64::from(u8::from(is_found(value)))
                })
            }
            _ => unknown,
        }
    }
}

/// The share of the games that begin with an opening, for a column without our statistics: PostgreSQL's estimate for
/// the range between its bounds, from a histogram if there is one.
unsafe fn of_range(request: &Request, game: *mut Node, opening: *mut Node) -> f64 {
    // SAFETY: as for `share`; new nodes are built in the planner's memory.
    unsafe {
        let &Request { root, function, relation, .. } = request;
        let namespace = pg_sys::get_func_namespace(function);
        let game_type = pg_sys::getBaseType(pg_sys::exprType(opening));
        let operator = |name| operator_of(namespace, name, game_type, game_type);
        let (Some(at_least), Some(below)) = (operator(c">="), operator(c"<")) else { return UNKNOWN_OPENING };
        let share_of = |opening: &[u8]| {
            let Range { lower, upper, .. } = Range::of_constant(game_type, opening);
            let mut clauses = PgList::<Node>::new();
            clauses.push(clause(at_least, game, lower));
            clauses.push(clause(below, game, upper));
            let inner = JoinType::JOIN_INNER;
            pg_sys::clauselist_selectivity(root, clauses.into_pg(), relation, inner, std::ptr::null_mut())
        };
        match constant(opening) {
            Constant::Value(value) => share_of(&Varlena::new(value)),
            _ => samples::average(root, function, opening, Operand::Opening, 20, UNKNOWN_OPENING, share_of),
        }
    }
}

/// The number of half-moves that a predicate allows.
///
/// # Safety
///
/// `root` and `limit` must be the planner's.
pub unsafe fn half_moves(root: *mut pg_sys::PlannerInfo, limit: *mut Node) -> u32 {
    // SAFETY: the third argument of a predicate is an integer.
    match unsafe { constant(pg_sys::estimate_expression_value(root, limit)) } {
        Constant::Value(limit) => u32::try_from(limit.value() as i32).unwrap_or(0),
        _ => u32::MAX,
    }
}
