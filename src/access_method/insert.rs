//! INSERT, COPY and UPDATE: appends a game to the last page of pending games.
//!
//! Usually nothing else happens. If the page is full, the session adds a page, and if the list is long enough, it is
//! closed, and perhaps written to a segment ([`flush`]).

use chess_core::search::hybrid_keys::each_key;
use chess_index::attributes::Value;
use chess_index::meta::{Tail, tail};
use chess_index::page::Page;
use chess_index::pending::{self, RowReader, RowWriter};
use chess_index::rows::Row;
use pgrx::pg_guard;
use pgrx::pg_sys::{self, Datum, Relation};

use crate::access_method::pages::{Change, Index, Lock, Locked, ROOM};
use crate::access_method::row_pointers::row_of;
use crate::access_method::{attributes, flush, metapage, options};
use crate::server::datum::Varlena;
use crate::values::game::view;
use crate::values::refusals::corrupt_game;

/// Bytes of a pending row without its attributes and its game: the head of its piece and the row pointer.
const ROW_BYTES: usize = 8;
/// Least number of blocks that the list of pending games gets at once.
const LEAST_BLOCKS: u32 = 16;
/// The list is also flushed when it has a page for each 48 games of its limit: long games take longer to search and to
/// write.
const GAMES_A_PAGE: u32 = 48;

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
    // SAFETY: called by the server with the row of a table that the index is on; the first column is of type chessgame.
    let (index, new, game) = unsafe {
        let index = Index::new(relation);
        let game = if *nulls { None } else { Some(Varlena::new(*values)) };
        (index, (row_of(&*tid), attributes::values_of(index, values, nulls)), game)
    };
    if let Some(game) = &game {
        // A damaged game must not become pending, because every flush would fail on it.
        if let Err(error) = each_key(view(game), |_| ()) {
            corrupt_game(error);
        }
    }
    insert(index, &NewRow { row: new.0, values: &new.1, game: game.as_deref() });
    // Only unique indexes use the result.
    false
}

/// A row to be inserted.
struct NewRow<'a> {
    row: Row,
    values: &'a [Value],
    game: Option<&'a [u8]>,
}

impl NewRow<'_> {
    /// The most bytes that it takes on a page.
    fn bytes(&self) -> usize {
        ROW_BYTES + pending::bytes_of_values(self.values.len()) + self.game.map_or(0, <[u8]>::len)
    }

    /// Appends the row to the content of a page that has room for it.
    fn write(&self, content: &mut Vec<u8>) {
        let is_complete = RowWriter::new(self.row, self.values, self.game).write(content, ROOM);
        assert!(is_complete, "a pending game was cut");
    }
}

fn insert(index: Index, new: &NewRow<'_>) {
    if new.bytes() > ROOM - pending::new_page(0, 0).len() {
        flush::write_large(index, new.row, new.values, new.game);
    } else if !append(index, new) {
        let pending = add_page(index, new);
        let most = options::pending_games(index).min(options::GAMES_OF_LIST);
        if pending.is_some_and(|(games, pages)| games >= most || pages >= (most / GAMES_A_PAGE).max(2)) {
            flush::after_insert(index);
        }
    }
}

/// Appends to the last page of pending games, if there is one with room for it.
fn append(index: Index, new: &NewRow<'_>) -> bool {
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
    append_to(index, &page, tail, new)
}

/// Appends to a page, if there is room.
fn append_to(index: Index, page: &Locked, tail: Tail, new: &NewRow<'_>) -> bool {
    let mut content = page.written().to_vec();
    let is_tail = Page::read(&content).is_ok_and(|head| head.segment == tail.number && head.number == tail.page);
    if !is_tail {
        index.damaged(tail.block, "it is not the last page of pending games");
    }
    if content.len() + new.bytes() > ROOM {
        return false;
    }
    new.write(&mut content);
    let mut change = Change::start(index);
    change.put(page, &content, false);
    change.finish();
    true
}

/// Adds a page with the row to the list of pending games. Returns the number of games on the earlier pages and the
/// number of pages; `None` if another session has added a page meanwhile that had room for the row.
fn add_page(index: Index, new: &NewRow<'_>) -> Option<(u32, u32)> {
    loop {
        match add_existing_page(index, new) {
            Ok(pending) => return pending,
            // A merge may own many blocks before this one that do not exist yet. They are added without the lock on the metapage,
            // so that nobody waits for it. After that, this session may get another block.
            Err(TooFar(block)) => index.extend_to(block),
        }
    }
}

/// The block of the next page, if blocks before it do not exist yet.
struct TooFar(u32);

/// Like [`add_page`], but only if the block of the page exists or is the next one of the file.
fn add_existing_page(index: Index, new: &NewRow<'_>) -> Result<Option<(u32, u32)>, TooFar> {
    let meta_page = index.lock(metapage::BLOCK, Lock::Exclusive);
    let mut meta = metapage::decode(index, &meta_page);
    if let Some(last) = meta.pending.pages.checked_sub(1) {
        let block = meta.pending.block(last).unwrap_or_else(|| index.damaged(metapage::BLOCK, "it lacks a block"));
        let page = index.lock(block, Lock::Exclusive);
        if append_to(index, &page, Tail { number: meta.pending.number, page: last, block }, new) {
            return Ok(None);
        }
        meta.pending.games += rows_of(index, &page);
    }
    let (number, page) = (meta.pending.number, meta.pending.pages);
    let block = loop {
        if let Some(block) = meta.pending.block(page) {
            break block;
        }
        let grown = metapage::grow(index, &mut meta, number, (page / 4).max(LEAST_BLOCKS));
        metapage::roomy(index, grown);
    };
    if block > index.blocks() {
        return Err(TooFar(block));
    }
    meta.pending.pages += 1;
    let mut content = pending::new_page(number, page);
    new.write(&mut content);
    let fresh = index.fresh(block);
    let mut change = Change::start(index);
    change.put(&fresh, &content, true);
    change.put(&meta_page, &metapage::encode(index, &meta), false);
    change.finish();
    Ok(Some((meta.pending.games, meta.pending.pages)))
}

/// Number of rows on a page of pending games.
fn rows_of(index: Index, page: &Locked) -> u32 {
    let mut rows = 0;
    let mut reader = RowReader::new(attributes::columns(index).into());
    let read = Page::read(page.written()).and_then(|page| reader.read(&page, |_, _, _| rows += 1));
    match read {
        Ok(()) => rows,
        Err(broken) => index.damaged(page.block, broken.0),
    }
}
