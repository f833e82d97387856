//! The highest rated or the latest games with a position, from the index.
//!
//! Takes a board, conditions and a number of games; returns their row pointers. No row of the table is read to sort the
//! games, only those that are returned.

use chess_index::summed::Ranking;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, Datum};

use crate::access_method::segments::read_sound;
use crate::access_method::sums::games::add_games;
use crate::access_method::sums::heap::Heap;
use crate::access_method::sums::leading::{Leading, Order};
use crate::access_method::sums::totals::Sums;
use crate::access_method::sums::{asked_index, item_pointer, open, place, rows_at};
use crate::server::datum::array_of;
use crate::server::error::{negative, raise};

/// The greatest number of games that are compared. The first ones and those equal to the last of them are kept in memory, 24 bytes each.
const MOST: i64 = 1_000_000;

sql_fn!(chess_index_top(regclass, chessboard, int4, int4, int4, _int4, int4, int8) -> _tid, |call| {
    let Ok(count) = usize::try_from(call.int(6)) else { negative("count") };
    let (white, black, day) = (place(&call, 2), place(&call, 3), place(&call, 4));
    let (opened, mut asked, game) = open(&call, [white, black, usize::MAX, day], 5, true);
    let ranking = if call.int(4) == 0 { Ranking::Ratings } else { Ranking::Day };
    if ranking == Ranking::Day {
        asked.columns = [usize::MAX, usize::MAX, usize::MAX, day];
    }
    asked.most = call.bigint(7);
    if !(0..=MOST).contains(&asked.most) {
        let message = format!("most must be between 0 and {MOST}");
        raise(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, message, None, None);
    }
    // SAFETY: `opened` outlives both, and a function runs with an active snapshot.
    let (mut heap, index) = unsafe { (Heap::new(&opened, game), asked_index(&opened)) };
    let rows = read_sound(index, |meta| {
        let mut sums = Sums::listing(Leading::new(Order::of(ranking), count));
        add_games(index, meta, &asked, &mut heap, &mut sums)?;
        if sums.has(asked.most) {
            return Ok(None);
        }
        let games = sums.leading.map(Leading::into_games).unwrap_or_default();
        let is_known = games.len() as i64 <= asked.most;
        is_known.then(|| rows_at(index, meta, games)).transpose()
    });
    rows.map(|rows| {
        let visible: Vec<Datum> = rows.into_iter().filter_map(|(_, row)| heap.current(row)).map(item_pointer).collect();
        array_of(pg_sys::TIDOID, &[visible.len()], visible.into_iter().map(Some))
    })
});
