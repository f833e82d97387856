//! Block 0: lists the segments, the pending games and the blocks that each of them owns.

use chess_index::meta::{Full, Meta};
use pgrx::PgSqlErrorCode;

use crate::access_method::pages::{Change, Index, IndexLock, Lock, Locked, ROOM};
use crate::server::error::raise;

/// The block of the metapage.
pub const BLOCK: u32 = 0;

/// The metapage as it is now.
pub fn read(index: Index) -> Meta {
    decode(index, &index.lock(BLOCK, Lock::Share))
}

/// The metapage in a locked buffer.
pub fn decode(index: Index, page: &Locked) -> Meta {
    Meta::read(page.written()).unwrap_or_else(|broken| index.damaged(BLOCK, broken.0))
}

/// Changes the metapage. Other sessions see all effects of the change at once.
pub fn change<T>(index: Index, how: impl FnOnce(&mut Meta) -> Result<T, Full>) -> T {
    let page = index.lock(BLOCK, Lock::Exclusive);
    let mut meta = decode(index, &page);
    let result = roomy(index, how(&mut meta));
    let mut change = Change::start(index);
    change.put(&page, &encode(index, &meta), false);
    change.finish();
    result
}

/// Gives a part about `wanted` more blocks. The caller has locked the metapage exclusively.
pub fn grow(index: Index, meta: &mut Meta, number: u32, wanted: u32) -> Result<(), Full> {
    // All blocks that a reader may still read lie before the end of the file.
    let from = if IndexLock::allows_reuse(index) { 0 } else { index.blocks() };
    meta.grow(number, wanted, ROOM, from)
}

/// The content of the page.
pub fn encode(index: Index, meta: &Meta) -> Vec<u8> {
    roomy(index, meta.write(ROOM))
}

/// The result, or the ERROR for an index with too many parts. Flushes stop before that, so this happens only when the
/// numbers of parts, which have 32 bits, or the blocks are used up.
pub fn roomy<T>(index: Index, result: Result<T, Full>) -> T {
    result.unwrap_or_else(|Full| {
        let code = PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED;
        raise(code, format!("index \"{}\" has too many parts", index.name()), None, Some("Rebuild it with REINDEX."))
    })
}
