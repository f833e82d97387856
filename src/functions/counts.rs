//! Aggregates over games: which piece stands where, what is captured where, how long a piece lives, where the kings
//! walk, results and ratings. The time that each half-move took. What reports count of a game.
//!
//! Takes games, half-moves, squares, results, ratings, clocks and time controls; returns arrays of numbers. A negative half-move counts
//! from the end, as for `getBoard` and `getMoves`.

use chess_core::facts::counts::{self, PIECE_SQUARES};
use chess_core::facts::report;
use chess_core::facts::sums::{GAME_SUMS, Summand};
use chess_core::text::time_control::TimeControl;
use chess_core::{CorruptGame, GameRef, GameResult};
use pgrx::check_for_interrupts;
use pgrx::pg_sys::{self, Datum};

use crate::functions::square_sets::square_argument;
use crate::server::datum::{accepted, array_of, count_of, each_by_value};
use crate::server::encoding::utf8;
use crate::server::fmgr::Call;
use crate::server::state::State;
use crate::values::game::view;
use crate::values::refusals::corrupt_game;

/// The number of counts for kings: a board for each side.
const KING_SQUARES: usize = 2 * 64;

/// The half-moves of two arguments, which may be NULL for the first and the last; `None` if there is none between
/// them. `end` is the number that -1 precedes.
fn plies(call: &Call, end: u32) -> Option<(u32, u32)> {
    let number = |n: usize| match call.is_null(n) {
        true => None,
        false => Some(i64::from(call.int(n))).map(|ply| if ply < 0 { ply + i64::from(end) } else { ply }),
    };
    let first = number(2).map_or(0, |ply| u32::try_from(ply).unwrap_or(0));
    let last = number(3).map_or(Some(u32::MAX), |ply| u32::try_from(ply).ok())?;
    Some((first, last))
}

/// Adds to counts of pieces on squares. `count` gets the game, and says between which half-moves.
fn add_piece_squares(
    call: &Call,
    count: impl FnOnce(GameRef<'_>, &mut [i64; PIECE_SQUARES]) -> Result<(), CorruptGame>,
) -> State {
    let mut state = State::with_len(call, 0, PIECE_SQUARES);
    if !call.is_null(1)
        && let Ok(counts) = state.numbers().try_into()
        && let Err(error) = count(view(&call.varlena(1)), counts)
    {
        corrupt_game(error);
    }
    state
}

sql_fn!(squarecounts_add(_int8, chessgame) -> _int8, |call| {
    add_piece_squares(&call, |game, state| counts::square_counts(game, 0, u32::MAX, state))
});

sql_fn!(squarecounts_add_between(_int8, chessgame, int4, int4) -> _int8, |call| {
    add_piece_squares(&call, |game, state| match plies(&call, game.ply_count()) {
        Some((first, last)) => counts::square_counts(game, first, last, state),
        None => Ok(()),
    })
});

sql_fn!(capturecounts_add(_int8, chessgame) -> _int8, |call| {
    add_piece_squares(&call, |game, state| counts::capture_counts(game, 0, u32::MAX, state))
});

sql_fn!(capturecounts_add_between(_int8, chessgame, int4, int4) -> _int8, |call| {
    add_piece_squares(&call, |game, state| match plies(&call, game.ply_count().saturating_add(1)) {
        Some((first, last)) => counts::capture_counts(game, first, last, state),
        None => Ok(()),
    })
});

sql_fn!(piecesquares_result(_int8) -> _int8, |call| State::with_len(&call, 0, PIECE_SQUARES));

sql_fn!(kingwalks_add(_int8, chessgame) -> _int8, |call| {
    let mut state = State::with_len(&call, 0, KING_SQUARES);
    if !call.is_null(1) {
        let sets = counts::king_squares(view(&call.varlena(1))).unwrap_or_else(|error| corrupt_game(error));
        for (square, count) in state.numbers().iter_mut().enumerate() {
            *count = count.wrapping_add((sets[square / 64] >> (square % 64) & 1) as i64);
        }
    }
    state
});

sql_fn!(kingwalks_result(_int8) -> _int8, |call| State::with_len(&call, 0, KING_SQUARES));

// The state has two numbers for each half-move: pieces that live no longer, and games that are no longer.
sql_fn!(survival_add(_int8, chessgame, text) -> _int8, |call| {
    let mut state = State::of(&call, 0).unwrap_or_else(|| State::zeros(0));
    if !call.is_null(1) && !call.is_null(2) {
        let bytes = call.varlena(1);
        let game = view(&bytes);
        let life = counts::life(game, square_argument(&call, 2)).unwrap_or_else(|error| corrupt_game(error));
        if let Some(life) = life {
            let (life, length) = (2 * life as usize, 2 * game.ply_count() as usize);
            state = state.at_least(length + 2);
            let counts = state.numbers();
            counts[life] = counts[life].wrapping_add(1);
            counts[length + 1] = counts[length + 1].wrapping_add(1);
        }
    }
    state
});

sql_fn!(survival_result(_int8) -> _int8, |call| {
    let state = State::of(&call, 0).unwrap_or_else(|| State::zeros(0));
    let (pairs, _) = state.as_slice().as_chunks::<2>();
    let longest = pairs.iter().rposition(|pair| *pair != [0, 0]).map_or(0, |last| last + 1);
    // Whatever lasts for n half-moves lasts for all before them.
    let mut sums = [0i64; 2];
    let mut rows = vec![[0; 2]; longest];
    for (pair, row) in pairs.iter().zip(&mut rows).rev() {
        sums = [0, 1].map(|n| sums[n].wrapping_add(pair[n]));
        *row = sums;
    }
    array_of(pg_sys::INT8OID, &[longest, 2], rows.as_flattened().iter().map(|sum| Some(Datum::from(*sum))))
});

sql_fn!(counts_combine(_int8, _int8) -> _int8, |call| {
    let [state, other] = [0, 1].map(|n| State::of(&call, n).unwrap_or_else(|| State::zeros(0)));
    let mut state = state.at_least(other.as_slice().len());
    for (count, more) in state.numbers().iter_mut().zip(other.as_slice()) {
        *count = count.wrapping_add(*more);
    }
    state
});

sql_fn!(chessgame_gamefacts(chessgame) -> int4, |call| match report::facts(view(&call.varlena(0))) {
    Ok(facts) => facts as i32,
    Err(error) => corrupt_game(error),
});

sql_fn!(gamesums_add(_int8, text, int4, int4) -> _int8, |call| {
    let mut state = State::with_len(&call, 0, GAME_SUMS);
    let Ok(sums) = state.numbers().try_into() else { unreachable!("it has this length") };
    let result = if call.is_null(1) { None } else { GameResult::from_token(utf8(&call.varlena(1))) };
    let [white, black] = [2, 3].map(|n| (!call.is_null(n)).then(|| call.int(n)));
    Summand::new(result, white, black).add_to(sums);
    state
});

sql_fn!(chess_timecontrolseconds(text) -> int8, |call| TimeControl::seconds(utf8(&call.varlena(0))));

sql_fn!(chess_thinktimes(_int4, text) -> _float8, |call| {
    let control = call.varlena(1);
    TimeControl::read(utf8(&control)).map(|control| {
        let mut clocks = Vec::with_capacity(accepted(count_of(&call.varlena(0))));
        // SAFETY: the argument is an integer[].
        unsafe {
            each_by_value(pg_sys::INT4OID, call.datum(0), |clock| clocks.push(clock.map(|clock| clock.value() as i32)));
        }
        let times = control.think_times(&clocks);
        check_for_interrupts!();
        let seconds = |time: i64| Datum::from((time as f64 / 1000.0).to_bits());
        array_of(pg_sys::FLOAT8OID, &[times.len()], times.into_iter().map(|time| time.map(seconds)))
    })
});
