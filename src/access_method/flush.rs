//! Writes pending games to a segment.
//!
//! A full list of pending games is closed, so that INSERT appends to a new one. A flush writes the oldest closed list to a
//! segment. One change of the metapage then makes the segment live and drops the list. All of this happens under the
//! flush lock. Where more games may be pending than a flush writes, several closed lists wait.

use chess_index::attributes::Value;
use chess_index::build::Builder;
use chess_index::meta::State;
use chess_index::rows::Row;
use chess_index::tiers::{Merger, RICH_GAMES};
use pgrx::{check_for_interrupts, pg_sys};

use crate::access_method::new_segment::{NewSegment, built, maintenance_memory, shape};
use crate::access_method::options::GAMES_OF_LIST;
use crate::access_method::pages::{FLUSH_LOCK, Index, IndexLock, MERGE_LOCK, ROOM};
use crate::access_method::segments::{PartPages, unreplaced};
use crate::access_method::spill::TemporaryFile;
use crate::access_method::{merge, metapage, options, pending};
use crate::values::game::view;

/// Closes the list of pending games. If enough games are pending with it, writes the oldest list to a segment and merges small
/// segments, unless another session is doing so.
pub fn after_insert(index: Index) {
    let Some(lock) = IndexLock::try_now(index, FLUSH_LOCK) else { return };
    // If the metapage has no room for another segment, games stay pending until a merge makes room.
    if metapage::read(index).has_room(ROOM) {
        metapage::change(index, |meta| meta.close_pending());
        let waiting = options::pending_games(index) / GAMES_OF_LIST;
        let waiting = waiting.saturating_sub(1) as usize;
        // Two, so that the lists become fewer that were closed while the lock was not free.
        for _ in 0..2 {
            if metapage::read(index).in_state(State::Closed).count() > waiting {
                without_cancel(|| flush(index, &lock));
            }
        }
    }
    drop(lock);
    if let Some(lock) = IndexLock::try_now(index, MERGE_LOCK) {
        merge::run(index, &lock, Merger::Insert);
    }
}

/// Runs without the query being cancelled. A statement whose time ends during a flush would leave the flush to the next
/// statement, whose time ends as well.
fn without_cancel(run: impl FnOnce()) {
    // SAFETY: a counter of this process, which the server sets to 0 after an ERROR.
    unsafe {
        pg_sys::QueryCancelHoldoffCount += 1;
        run();
        pg_sys::QueryCancelHoldoffCount -= 1;
    }
    check_for_interrupts!();
}

/// Writes all games that are pending at the time of the call to segments. The caller holds the merge lock.
pub fn everything(index: Index, merge_lock: &IndexLock) {
    if !metapage::read(index).has_room(ROOM) {
        merge::run(index, merge_lock, Merger::Vacuum);
    }
    let lock = IndexLock::wait(index, FLUSH_LOCK);
    metapage::change(index, |meta| meta.close_pending());
    while metapage::read(index).in_state(State::Closed).next().is_some() {
        flush(index, &lock);
    }
}

/// Writes the oldest closed list to a segment.
fn flush(index: Index, _lock: &IndexLock) {
    let meta = metapage::read(index);
    let Some(closed) = meta.in_state(State::Closed).next() else { return };
    let mut segment = NewSegment::begin(index, State::Flushing, closed.pages.saturating_mul(4));
    // This count excludes the games of the last page.
    let is_rich = closed.games < RICH_GAMES;
    let shape = shape(index, segment.number, is_rich, 1);
    let mut builder = Builder::new(shape, maintenance_memory(), TemporaryFile::default());
    let pages = PartPages::new(index, closed);
    for page in 0..closed.pages {
        let read = pending::each_row(index, &pages, page, |row, values, game| {
            let game = game.map(|game| pending::decode(index, &pages, page, game));
            built(builder.add(row, game, values, &mut segment));
        });
        unreplaced(index, read);
    }
    let built = built(builder.finish(&mut segment));
    segment.publish(&built, &[closed.number]);
}

/// Writes a game that is longer than a page to a segment of its own, which is small because one game has few keys.
pub fn write_large(index: Index, row: Row, values: &[Value], game: Option<&[u8]>) {
    let lock = loop {
        let lock = IndexLock::wait(index, FLUSH_LOCK);
        if metapage::read(index).has_room(ROOM) {
            break lock;
        }
        // The merge lock is taken before the flush lock.
        drop(lock);
        merge::run(index, &IndexLock::wait(index, MERGE_LOCK), Merger::Insert);
    };
    let mut segment = NewSegment::begin(index, State::Flushing, 0);
    let shape = shape(index, segment.number, true, 1);
    let mut builder = Builder::new(shape, maintenance_memory(), TemporaryFile::default());
    built(builder.add(row, game.map(view), values, &mut segment));
    let built = built(builder.finish(&mut segment));
    segment.publish(&built, &[]);
    drop(lock);
    if let Some(lock) = IndexLock::try_now(index, MERGE_LOCK) {
        merge::run(index, &lock, Merger::Insert);
    }
}
