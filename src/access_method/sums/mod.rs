//! Sums over the games with a position, from the index: what the opening explorer shows.
//!
//! Takes a board and conditions on attributes; returns for each move played there, and each result, the number of games, the
//! sums of their ratings and the latest day. They are those that a query of the table with the same snapshot finds.
//!
//! A function reads the index outside of a plan, so it does what the executor would: it takes the snapshot of the query, a
//! predicate lock of the table in a SERIALIZABLE transaction, and the rights of the user ([`heap`]).
//!
//! * [`asked`]: the question; [`conditions`]: what games must meet
//! * [`games`]: the games that reach a position, as in [`found`]; [`heap`]: which of them count; [`unseen`]: which need a look for that;
//!   [`dead`]: which do not
//! * [`stored`]: the sums that a segment has of long lists
//! * [`columns`]: their attributes, a page at a time; [`known`]: those of the last question; [`memory`]: what a session remembers
//! * [`node`]: the plan node that answers a query of the table from them
//! * [`totals`]: their sums; [`top`]: the highest rated or latest of them, which are [`leading`]; [`ranked`]: by rankings
//! * [`ordered`]: the plan node that returns the rows of games in an order

mod asked;
mod columns;
mod conditions;
pub mod custom;
mod dead;
mod found;
mod games;
mod heap;
mod known;
pub mod leading;
mod memory;
pub mod node;
pub mod ordered;
mod ranked;
mod stored;
mod top;
mod totals;
mod unseen;

use std::collections::BTreeMap;

use chess_index::attributes::Value;
use chess_index::meta::Meta;
use chess_index::rows::Row;
use chess_index::search::OfGame;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, Datum};

use crate::access_method::attributes::{self, numbers_of};
use crate::access_method::inspect::Opened;
use crate::access_method::pages::Index;
use crate::access_method::segments::{PartPages, Replaced, read_sound};
use crate::access_method::sums::asked::Asked;
use crate::access_method::sums::conditions::Conditions;
use crate::access_method::sums::found::Place;
use crate::access_method::sums::games::add_games;
use crate::access_method::sums::heap::{Heap, Obstacle, game_column};
use crate::access_method::sums::totals::{Kind, Sum, Sums};
use crate::server::datum::{accepted, count_of, varlena_from};
use crate::server::error::{negative, raise};
use crate::server::fmgr::Call;
use crate::server::rows::Rows;
use crate::server::versions;
use crate::values::board::unpack;

/// Opens the index of the first argument for a user who may read all of its table, and prepares the question.
fn open(call: &Call, summed: [usize; 4], conditions: usize, has_sums: bool) -> (Opened, Asked, i16) {
    let opened = Opened::of(call, pg_sys::AccessShareLock);
    let game = match game_column(&opened) {
        Ok(game) => game,
        Err(Obstacle::Table(why)) => refuse(&opened, why),
        Err(Obstacle::Denied(rights)) => {
            // SAFETY: an open table; raises the ERROR.
            unsafe {
                let name = (*(*opened.heap).rd_rel).relname.data.as_ptr();
                pg_sys::aclcheck_error(rights, pg_sys::ObjectType::OBJECT_TABLE, name);
            }
            unreachable!("the user may not read the table")
        }
    };
    // SAFETY: an open index.
    unsafe { versions::count_scan_of(opened.relation) };
    let count = usize::from(attributes::columns(opened.index()));
    accepted(count_of(&call.varlena(conditions)));
    // SAFETY: the argument is an array of integers.
    let numbers = unsafe { numbers_of(pg_sys::INT4OID, call.datum(conditions)) };
    let conditions = Conditions::read(&numbers, [summed[0], summed[1]], count);
    let asked = Asked::new(&unpack(&call.varlena(1)), summed, has_sums, conditions);
    (opened, asked, game)
}

/// Returns the index, to be read for the snapshot of the query.
///
/// # Safety
///
/// A snapshot must be active.
unsafe fn asked_index(opened: &Opened) -> Index {
    // SAFETY: the caller's promise; the snapshot is active until the function returns.
    unsafe { opened.index().seen_by(pg_sys::GetActiveSnapshot()) }
}

#[cold]
fn refuse(opened: &Opened, why: &str) -> ! {
    let code = PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
    let hint = "Ask the table instead, with hasBoard and nextMove.";
    raise(code, format!("index \"{}\" {why}", opened.index().name()), None, Some(hint))
}

/// The place of a column of the index among its attributes; 0 is a column of NULL.
fn place(call: &Call, argument: usize) -> usize {
    usize::try_from(i64::from(call.int(argument)) - 2).unwrap_or(usize::MAX)
}

sql_fn!(chess_index_moves(regclass, chessboard, int4, int4, int4, int4, _int4) -> setof record, |call| {
    let columns = [place(&call, 2), place(&call, 3), place(&call, 4), place(&call, 5)];
    let (opened, asked, game) = open(&call, columns, 6, true);
    // SAFETY: `opened` outlives both, and a function runs with an active snapshot.
    let (mut heap, index) = unsafe { (Heap::new(&opened, game), asked_index(&opened)) };
    let sums = read_sound(index, |meta| {
        let mut sums = Sums::new(asked.moves.len() + 1);
        add_games(index, meta, &asked, &mut heap, &mut sums)?;
        located(index, meta, &sums)
    });
    let mut put = Rows::new(&call);
    for ((played, result), sum) in &sums {
        let only = match sum.place {
            Place::Row(row) if sum.games == 1 => heap.current(row),
            _ => None,
        };
        put.put(|| {
            let bigint = |number: i64| Some(Datum::from(number));
            let integer = |value: Value| value.map(Datum::from);
            let played = played.checked_sub(1).and_then(|number| asked.moves.get(usize::from(number)));
            [
                played.map(|played| varlena_from(played.uci.as_bytes())),
                played.map(|played| varlena_from(played.san.as_bytes())),
                integer(*result),
                bigint(sum.games),
                bigint(sum.rated[0]),
                bigint(sum.ratings[0]),
                bigint(sum.rated[1]),
                bigint(sum.ratings[1]),
                integer(sum.day),
                only.map(item_pointer),
            ]
        });
    }
});

/// The sums that have games. Those of a single game name its row, which others can fetch, and not its number in a segment.
fn located(index: Index, meta: &Meta, sums: &Sums) -> Result<Vec<(Kind, Sum)>, Replaced> {
    let mut sums: Vec<_> = sums.each().collect();
    for (_, sum) in sums.iter_mut().filter(|(_, sum)| sum.games == 1) {
        if let Place::Game(segment, game) = sum.place {
            rows_of(index, meta, segment, &[game], |_, row| sum.place = Place::Row(row))?;
        }
    }
    Ok(sums)
}

/// Calls `found` with each of these games of a segment and its row. The games must be in ascending order.
fn rows_of<G: OfGame + Copy>(
    index: Index,
    meta: &Meta,
    segment: u32,
    games: &[G],
    found: impl FnMut(G, Row),
) -> Result<(), Replaced> {
    if let Some(part) = meta.part(segment) {
        let pages = PartPages::new(index, part);
        let segment = pages.open()?;
        pages.sound(segment.rows(&pages, games, found))?;
    }
    Ok(())
}

/// The rows of games, with what comes with each, in no order.
fn rows_at(index: Index, meta: &Meta, places: Vec<(i64, Place)>) -> Result<Vec<(i64, Row)>, Replaced> {
    let mut rows = Vec::with_capacity(places.len());
    let mut of_segments: BTreeMap<u32, Vec<(u32, i64)>> = BTreeMap::new();
    for (number, place) in places {
        match place {
            Place::Row(row) => rows.push((number, row)),
            Place::Game(segment, game) => of_segments.entry(segment).or_default().push((game, number)),
        }
    }
    for (segment, mut games) in of_segments {
        games.sort_unstable();
        rows_of(index, meta, segment, &games, |(_, number), row| rows.push((number, row)))?;
    }
    Ok(rows)
}

/// A row pointer as a datum, in the memory of the row.
fn item_pointer(tid: pg_sys::ItemPointerData) -> Datum {
    // SAFETY: allocated for its size.
    unsafe {
        let copy = pg_sys::palloc(size_of::<pg_sys::ItemPointerData>()).cast::<pg_sys::ItemPointerData>();
        copy.write(tid);
        Datum::from(copy)
    }
}

sql_fn!(chess_index_games(regclass, chessboard, int4, int4, _int4, int8) -> int8, |call| {
    let columns = [place(&call, 2), place(&call, 3), usize::MAX, usize::MAX];
    let (opened, mut asked, game) = open(&call, columns, 4, false);
    asked.most = call.bigint(5);
    if asked.most < 0 {
        negative("most");
    }
    // SAFETY: `opened` outlives both, and a function runs with an active snapshot.
    let (mut heap, index) = unsafe { (Heap::new(&opened, game), asked_index(&opened)) };
    read_sound(index, |meta| {
        let mut sums = Sums::new(asked.moves.len() + 1);
        add_games(index, meta, &asked, &mut heap, &mut sums)?;
        Ok(sums.games().min(asked.most))
    })
});

sql_fn!(chess_index_answers(regclass) -> bool, |call| {
    // Locks are kept, so that the index still answers when it is asked.
    Opened::find(&call, pg_sys::AccessShareLock).is_ok_and(|opened| game_column(&opened.keeping_locks()).is_ok())
});
