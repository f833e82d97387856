//! Sums over the games with a position, from the index: what the opening explorer shows.
//!
//! Takes boards, conditions on attributes and a snapshot; returns for each move played there, and each result, the number of
//! games, the sums of their ratings and the latest day. They are those that a query of the table with the same snapshot finds.
//!
//! * [`asked`]: the question; [`conditions`]: what games must meet
//! * [`view`]: an index as a query sees it
//! * [`games`]: the games that reach a position, as in [`found`]; [`heap`]: which of them count; [`unseen`]: which need a look for that;
//!   [`dead`]: which do not
//! * [`stored`]: the sums that a segment has of long lists
//! * [`columns`]: their attributes, a page at a time; [`known`]: those of the last question; [`memory`]: what a session remembers
//! * [`node`]: the plan node that answers a query of the table from them
//! * [`totals`]: their sums; [`reported`]: the groups of a report; [`leading`]: the first of them in an order; [`ranked`]: by rankings
//! * [`ordered`]: the plan node that returns the rows of games in an order

mod asked;
mod columns;
mod conditions;
pub mod custom;
mod dead;
mod found;
mod games;
pub mod heap;
mod known;
pub mod leading;
mod memory;
pub mod node;
pub mod ordered;
mod ranked;
mod reported;
mod stored;
mod totals;
mod unseen;
mod view;

use std::collections::BTreeMap;

use chess_index::rows::Row;
use chess_index::search::OfGame;
use pgrx::pg_sys;

use crate::access_method::inspect::Opened;
use crate::access_method::segments::Replaced;
use crate::access_method::sums::found::Place;
use crate::access_method::sums::heap::answers;
use crate::access_method::sums::totals::{Kind, Sum, Sums};
use crate::access_method::sums::view::{SegmentView, View};

/// The sums that have games. Those of a single game name its row, which others can fetch, and not its number in a segment.
fn located(view: &View, sums: &Sums) -> Result<Vec<(Kind, Sum)>, Replaced> {
    let mut sums: Vec<_> = sums.each().collect();
    for (_, sum) in sums.iter_mut().filter(|(_, sum)| sum.games == 1) {
        if let Place::Game(segment, game) = sum.place {
            rows_of(view, segment, &[game], |_, row| sum.place = Place::Row(row))?;
        }
    }
    Ok(sums)
}

/// Calls `found` with each of these games of a segment and its row. The games must be in ascending order.
fn rows_of<G: OfGame + Copy>(
    view: &View,
    segment: u32,
    games: &[G],
    found: impl FnMut(G, Row),
) -> Result<(), Replaced> {
    if let Some(SegmentView { pages, segment, .. }) = view.segment(segment) {
        pages.sound(segment.rows(pages, games, found))?;
    }
    Ok(())
}

/// The rows of games, with what comes with each, in no order.
fn rows_at(view: &View, places: Vec<(i64, Place)>) -> Result<Vec<(i64, Row)>, Replaced> {
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
        rows_of(view, segment, &games, |(_, number), row| rows.push((number, row)))?;
    }
    Ok(rows)
}

sql_fn!(chess_index_answers(regclass) -> bool, |call| {
    // Locks are kept, so that the index still answers when it is asked.
    Opened::find(&call, pg_sys::AccessShareLock).is_ok_and(|opened| {
        let does = answers(&opened);
        if does {
            drop(opened.keeping_locks());
        }
        does
    })
});
