//! The highest rated or the latest games with a position, from the index.
//!
//! Takes a board, conditions and a number of games; returns their row pointers. No row of the table is read to sort the
//! games, only those that are returned.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chess_index::meta::Meta;
use chess_index::rows::Row;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, Datum};

use crate::access_method::pages::Index;
use crate::access_method::segments::{Replaced, read_sound};
use crate::access_method::sums::games::add_games;
use crate::access_method::sums::heap::Heap;
use crate::access_method::sums::totals::{Listed, Place, Sums, Values};
use crate::access_method::sums::{item_pointer, open, place, rows_of};
use crate::server::datum::array_of;
use crate::server::error::raise;

/// The greatest number of games that are compared. They are kept in memory, 48 bytes each.
const MOST: i64 = 1_000_000;

/// What decides the order of games.
#[derive(Clone, Copy)]
enum By {
    /// The sum of both ratings. An unknown rating counts as 0.
    Ratings,
    /// The day of the game. A game without one comes last, together with those of the day -infinity.
    Day,
}

impl By {
    fn key(self, [white, black, _, day]: &Values) -> i64 {
        match self {
            By::Ratings => [white, black].into_iter().flatten().map(|rating| i64::from(*rating)).sum(),
            By::Day => day.unwrap_or(i32::MIN).into(),
        }
    }

    /// The first games, and all others whose keys equal that of the last one.
    fn first(self, mut games: Vec<Listed>, count: usize) -> Vec<Place> {
        if count < games.len() {
            let key = |(values, _): &Listed| self.key(values);
            let least = match count.checked_sub(1) {
                Some(last) => key(games.select_nth_unstable_by_key(last, |game| Reverse(key(game))).1),
                None => i64::MAX,
            };
            games.retain(|game| key(game) >= least);
        }
        games.into_iter().map(|(_, place)| place).collect()
    }
}

sql_fn!(chess_index_top(regclass, chessboard, int4, int4, int4, _int4, int4, int8) -> _tid, |call| {
    let refuse = |message: &str| raise(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, message.into(), None, None);
    let Ok(count) = usize::try_from(call.int(6)) else { refuse("count must not be negative") };
    let by = if call.int(4) == 0 { By::Ratings } else { By::Day };
    let (opened, mut asked, game) = open(&call, [place(&call, 2), place(&call, 3), usize::MAX, place(&call, 4)], 5, true);
    asked.most = call.bigint(7);
    if !(0..=MOST).contains(&asked.most) {
        refuse(&format!("most must be between 0 and {MOST}"));
    }
    // SAFETY: `opened` outlives it.
    let mut heap = unsafe { Heap::new(&opened, game) };
    let rows = read_sound(opened.index(), |meta| {
        let mut sums = Sums::listing();
        add_games(opened.index(), meta, &asked, &mut heap, &mut sums)?;
        if sums.has(asked.most) {
            return Ok(None);
        }
        rows_at(opened.index(), meta, by.first(sums.into_list(), count)).map(Some)
    });
    rows.map(|rows| {
        let visible: Vec<Datum> = rows.into_iter().filter_map(|row| heap.current(row)).map(item_pointer).collect();
        array_of(pg_sys::TIDOID, &[visible.len()], visible.into_iter().map(Some))
    })
});

/// The rows of these games, in no order.
fn rows_at(index: Index, meta: &Meta, places: Vec<Place>) -> Result<Vec<Row>, Replaced> {
    let mut rows = Vec::with_capacity(places.len());
    let mut of_segments: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for place in places {
        match place {
            Place::Row(row) => rows.push(row),
            Place::Game(segment, game) => of_segments.entry(segment).or_default().push(game),
        }
    }
    for (segment, mut games) in of_segments {
        games.sort_unstable();
        rows_of(index, meta, segment, &games, |row| rows.push(row))?;
    }
    Ok(rows)
}
