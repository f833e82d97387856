//! INSERT, COPY and UPDATE: appends a game to the last page of pending games.
//!
//! Usually nothing else happens. If the page is full, the session adds a page, and if enough games are pending, it
//! writes them to a segment ([`flush`]).

use chess_core::search::hybrid_keys::each_key;
use chess_index::meta::{Tail, tail};
use chess_index::page::Page;
use chess_index::pending::{self, RowReader, RowWriter};
use chess_index::rows::Row;
use pgrx::pg_guard;
use pgrx::pg_sys::{self, Datum, Relation};

use crate::access_method::build::row_of;
use crate::access_method::pages::{Change, Index, Lock, Locked, ROOM};
use crate::access_method::{flush, metapage, options};
use crate::server::datum::Varlena;
use crate::values::game::view;
use crate::values::refusals::corrupt_game;

/// Bytes of a pending row without its game: the head of its piece and the row pointer.
const ROW_BYTES: usize = 8;
/// Least number of blocks that the list of pending games gets at once.
const LEAST_BLOCKS: u32 = 16;
/// The list is also flushed when it has a page for each 16 games of its limit: long games take longer to search.
const GAMES_A_PAGE: u32 = 16;

#[allow(clippy::too_many_arguments, reason = "the server calls it with these")]
#[pg_guard]
pub unsafe extern "C-unwind" fn aminsert(
    relation: Relation,
    values: *mut Datum,
    nulls: *mut bool,
    tid: pg_sys::ItemPointer,
    _heap: Relation,
    _unique: pg_sys::IndexUniqueCheck::Type,
    _is_unchanged: bool,
    _info: *mut pg_sys::IndexInfo,
) -> bool {
    // SAFETY: called by the server with the row of a table that the index is on; there is one column, of type chessgame.
    let (index, row, game) = unsafe {
        let game = if *nulls { None } else { Some(Varlena::new(*values)) };
        (Index::new(relation), row_of(&*tid), game)
    };
    if let Some(game) = &game {
        // A damaged game must not become pending, because every flush would fail on it.
        if let Err(error) = each_key(view(game), |_| ()) {
            corrupt_game(error);
        }
    }
    insert(index, row, game.as_deref());
    // Only unique indexes use the result.
    false
}

fn insert(index: Index, row: Row, game: Option<&[u8]>) {
    let bytes = ROW_BYTES + game.map_or(0, <[u8]>::len);
    if bytes > ROOM - pending::new_page(0, 0).len() {
        flush::write_large(index, row, game);
    } else if !append(index, row, game, bytes) {
        let pending = add_page(index, row, game, bytes);
        let most = options::pending_games(index);
        if pending.is_some_and(|(games, pages)| games >= most || pages >= (most / GAMES_A_PAGE).max(2)) {
            flush::after_insert(index);
        }
    }
}

/// Appends to the last page of pending games, if there is one with room for it.
fn append(index: Index, row: Row, game: Option<&[u8]>, bytes: usize) -> bool {
    let meta = index.lock(metapage::BLOCK, Lock::Share);
    let tail = tail(meta.written()).unwrap_or_else(|broken| index.damaged(metapage::BLOCK, broken.0));
    let Some(tail) = tail else { return false };
    // Only these few bytes of the metapage are read, without its checksum.
    if tail.block >= index.blocks() {
        index.damaged(metapage::BLOCK, "the last page of pending games is beyond the end of the index");
    }
    // Locked before the metapage is released, so that this remains the last page of the open list.
    let page = index.lock(tail.block, Lock::Exclusive);
    drop(meta);
    append_to(index, &page, tail, row, game, bytes)
}

/// Appends to a page, if there is room.
fn append_to(index: Index, page: &Locked, tail: Tail, row: Row, game: Option<&[u8]>, bytes: usize) -> bool {
    let mut content = page.written().to_vec();
    let is_tail = Page::read(&content).is_ok_and(|head| head.segment == tail.number && head.number == tail.page);
    if !is_tail {
        index.damaged(tail.block, "it is not the last page of pending games");
    }
    if content.len() + bytes > ROOM {
        return false;
    }
    let is_complete = RowWriter::new(row, game).write(&mut content, ROOM);
    assert!(is_complete, "a pending game was cut");
    let mut change = Change::start(index);
    change.put(page, &content, false);
    change.finish();
    true
}

/// Adds a page with the row to the list of pending games. Returns the number of games on the earlier pages and the
/// number of pages; `None` if another session has added a page meanwhile that had room for the row.
fn add_page(index: Index, row: Row, game: Option<&[u8]>, bytes: usize) -> Option<(u32, u32)> {
    let meta_page = index.lock(metapage::BLOCK, Lock::Exclusive);
    let mut meta = metapage::decode(index, &meta_page);
    if let Some(last) = meta.pending.pages.checked_sub(1) {
        let block = meta.pending.block(last).unwrap_or_else(|| index.damaged(metapage::BLOCK, "it lacks a block"));
        let page = index.lock(block, Lock::Exclusive);
        if append_to(index, &page, Tail { number: meta.pending.number, page: last, block }, row, game, bytes) {
            return None;
        }
        meta.pending.games += rows_of(index, &page);
    }
    let (number, page) = (meta.pending.number, meta.pending.pages);
    let block = loop {
        if let Some(block) = meta.pending.block(page) {
            break block;
        }
        metapage::roomy(index, meta.grow(number, (page / 4).max(LEAST_BLOCKS), ROOM));
    };
    meta.pending.pages += 1;
    let mut content = pending::new_page(number, page);
    let is_complete = RowWriter::new(row, game).write(&mut content, ROOM);
    assert!(is_complete, "a pending game was cut");
    let new = index.fresh(block);
    let mut change = Change::start(index);
    change.put(&new, &content, true);
    change.put(&meta_page, &metapage::encode(index, &meta), false);
    change.finish();
    Some((meta.pending.games, meta.pending.pages))
}

/// Number of rows on a page of pending games.
fn rows_of(index: Index, page: &Locked) -> u32 {
    let mut rows = 0;
    let read = Page::read(page.written()).and_then(|page| RowReader::default().read(&page, |_, _| rows += 1));
    match read {
        Ok(()) => rows,
        Err(broken) => index.damaged(page.block, broken.0),
    }
}
