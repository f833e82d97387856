//! Pages of an index: buffers, their locks, and changes that are logged.
//!
//! Takes block numbers; reads and writes the content of their pages, which chess-index defines. A page is a standard
//! page: PostgreSQL's header, the content up to `pd_lower`, an empty hole, and a special area of eight bytes that names
//! the access method. WAL leaves the hole out.
//!
//! Damaged bytes raise XX001: the header is checked here, the content by chess-index.

use std::ffi::CStr;

use chess_index::page::room;
use pgrx::pg_sys::{self, BlockNumber, Buffer, ForkNumber, Relation, Snapshot};
use pgrx::{PgSqlErrorCode, check_for_interrupts};

use crate::server::error::{raise, sentence};
use crate::server::versions;
pub use crate::server::versions::Lock;

const BLOCK: usize = pg_sys::BLCKSZ as usize;
const HEADER: usize = 24;
const SPECIAL: usize = 8;
/// Content of the special area, by which tools that inspect pages recognize the access method.
const OURS: [u8; SPECIAL] = *b"chess\0\0\x01";
/// Bytes of content that a page has room for.
pub const ROOM: usize = room(BLOCK);
/// The maximum number of pages that a session adds to the file before it lets others add some.
const STEP: u32 = 64;

/// An open index of the access method, and the snapshot of the query that reads it, or null.
#[derive(Clone, Copy)]
pub struct Index(Relation, Snapshot);

impl Index {
    /// Wraps a relation.
    ///
    /// # Safety
    ///
    /// It must be an index of the access method that stays open, and locked, as long as the result is used.
    pub unsafe fn new(relation: Relation) -> Index {
        Index(relation, std::ptr::null_mut())
    }

    /// Returns the same index for a query: a page that has changed since raises an ERROR if the snapshot is too old.
    ///
    /// # Safety
    ///
    /// The snapshot must be registered or active as long as the result is used.
    pub unsafe fn seen_by(self, snapshot: Snapshot) -> Index {
        Index(self.0, snapshot)
    }

    /// The relation.
    pub fn relation(self) -> Relation {
        self.0
    }

    /// The name, for messages.
    pub fn name(self) -> String {
        // SAFETY: an open relation has a name that ends with NUL.
        let name = unsafe { CStr::from_ptr((*(*self.0).rd_rel).relname.data.as_ptr()) };
        name.to_string_lossy().into_owned()
    }

    /// The number of the file, which changes when all of the index is written anew.
    pub fn file(self) -> pg_sys::Oid {
        // SAFETY: an open relation.
        unsafe { (*(*self.0).rd_rel).relfilenode }
    }

    /// Number of blocks of the file.
    pub fn blocks(self) -> BlockNumber {
        // SAFETY: an open relation.
        unsafe { pg_sys::RelationGetNumberOfBlocksInFork(self.0, ForkNumber::MAIN_FORKNUM) }
    }

    /// Locks an existing page.
    pub fn lock(self, block: BlockNumber, how: Lock) -> Locked {
        self.lock_with(block, how, std::ptr::null_mut())
    }

    fn lock_with(self, block: BlockNumber, how: Lock, strategy: pg_sys::BufferAccessStrategy) -> Locked {
        // SAFETY: an open relation; the buffer is pinned, then locked, and both are given back by `Locked`.
        unsafe {
            let normal = pg_sys::ReadBufferMode::RBM_NORMAL;
            let buffer = pg_sys::ReadBufferExtended(self.0, ForkNumber::MAIN_FORKNUM, block, normal, strategy);
            versions::lock_buffer(buffer, how);
            let locked = Locked { index: self, buffer, block };
            versions::test_for_old_snapshot(self.1, self.0, buffer);
            locked
        }
    }

    /// A copy of the content of a page; `None` if it has never been written. No lock is kept.
    pub fn read(self, block: BlockNumber, strategy: pg_sys::BufferAccessStrategy) -> Option<Vec<u8>> {
        self.lock_with(block, Lock::Share, strategy).content().map(<[u8]>::to_vec)
    }

    /// Begins to read an existing page, if it is not in the buffers.
    pub fn begin_to_read(self, block: BlockNumber) {
        // SAFETY: an open relation.
        unsafe { pg_sys::PrefetchBuffer(self.0, ForkNumber::MAIN_FORKNUM, block) };
    }

    /// How many pages to read ahead: the setting for maintenance, or for queries, of the tablespace.
    pub fn concurrency(self, is_maintenance: bool) -> usize {
        // SAFETY: an open relation.
        let count = unsafe {
            let tablespace = (*(*self.0).rd_rel).reltablespace;
            match is_maintenance {
                true => pg_sys::get_tablespace_maintenance_io_concurrency(tablespace),
                false => pg_sys::get_tablespace_io_concurrency(tablespace),
            }
        };
        count.max(0) as usize
    }

    /// Locks a page exclusively and clears it. Extends the file if the block does not exist yet.
    pub fn fresh(self, block: BlockNumber) -> Locked {
        self.extend_to(block);
        // SAFETY: the block exists. The buffer comes pinned and locked.
        unsafe {
            let zero = pg_sys::ReadBufferMode::RBM_ZERO_AND_LOCK;
            let main = ForkNumber::MAIN_FORKNUM;
            let buffer = pg_sys::ReadBufferExtended(self.0, main, block, zero, std::ptr::null_mut());
            Locked { index: self, buffer, block }
        }
    }

    /// Adds pages of zeros until the block exists. They are not logged, because the first write to a page logs all of it. There
    /// may be many of them, because a merge owns blocks long before it writes them, so others may add pages in between.
    pub fn extend_to(self, block: BlockNumber) {
        while self.blocks() <= block {
            check_for_interrupts!();
            // SAFETY: an open relation. After an ERROR the end of the transaction gives back the lock and the pin.
            unsafe {
                let lock = pg_sys::ExclusiveLock as pg_sys::LOCKMODE;
                pg_sys::LockRelationForExtension(self.0, lock);
                let end = block.min(self.blocks().saturating_add(STEP - 1));
                while self.blocks() <= end {
                    let (normal, main) = (pg_sys::ReadBufferMode::RBM_NORMAL, ForkNumber::MAIN_FORKNUM);
                    let new = pg_sys::InvalidBlockNumber;
                    let buffer = pg_sys::ReadBufferExtended(self.0, main, new, normal, std::ptr::null_mut());
                    pg_sys::ReleaseBuffer(buffer);
                }
                pg_sys::UnlockRelationForExtension(self.0, lock);
            }
        }
    }

    /// Raises the ERROR for a damaged page.
    #[cold]
    pub fn damaged(self, block: BlockNumber, what: &str) -> ! {
        raise(
            PgSqlErrorCode::ERRCODE_DATA_CORRUPTED,
            format!("index \"{}\" is damaged", self.name()),
            Some(sentence(&format!("in block {block}: {what}"))),
            Some("Rebuild it with REINDEX."),
        )
    }
}

/// A pinned and locked buffer.
pub struct Locked {
    index: Index,
    buffer: Buffer,
    /// Its block.
    pub block: BlockNumber,
}

impl Locked {
    /// The content of the page; `None` if it has never been written.
    pub fn content(&self) -> Option<&[u8]> {
        // SAFETY: a pinned and locked buffer is a page of BLOCK bytes, which do not change while it is locked.
        let page = unsafe { std::slice::from_raw_parts(pg_sys::BufferGetPage(self.buffer).cast::<u8>(), BLOCK) };
        let number = |at: usize| usize::from(u16::from_ne_bytes([page[at], page[at + 1]]));
        // Offsets in PageHeaderData.
        let (lower, upper, special) = (number(12), number(14), number(16));
        if upper == 0 {
            return None;
        }
        let end = BLOCK - SPECIAL;
        if special != end || upper != end || !(HEADER..=end).contains(&lower) || page[end..] != OURS {
            self.index.damaged(self.block, "it is not a page of such an index");
        }
        Some(&page[HEADER..lower])
    }

    /// The content of a page that a part of the index owns. Such a page has been written, or the index is damaged.
    pub fn written(&self) -> &[u8] {
        self.content().unwrap_or_else(|| self.index.damaged(self.block, "it is empty"))
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // After an ERROR the end of the transaction releases locks and pins; they must not be released twice.
        if !std::thread::panicking() {
            // SAFETY: pinned and locked by the functions that make a `Locked`.
            unsafe { pg_sys::UnlockReleaseBuffer(self.buffer) }
        }
    }
}

/// A change of several pages; after a crash either all or none of them have changed. Nothing changes before `finish`.
pub struct Change {
    state: *mut pg_sys::GenericXLogState,
}

impl Change {
    /// Begins a change of up to four pages.
    pub fn start(index: Index) -> Change {
        // SAFETY: an open relation; the state lies in the current memory context.
        Change { state: unsafe { pg_sys::GenericXLogStart(index.0) } }
    }

    /// Replaces the content of a page that is locked exclusively. `is_new` logs the whole page.
    pub fn put(&mut self, page: &Locked, content: &[u8], is_new: bool) {
        assert!(content.len() <= ROOM, "the content does not fit into a page");
        // SAFETY: the copy of the page has BLOCK bytes.
        let bytes = unsafe {
            let flags = if is_new { pg_sys::GENERIC_XLOG_FULL_IMAGE as i32 } else { 0 };
            let copy = pg_sys::GenericXLogRegisterBuffer(self.state, page.buffer, flags);
            if is_new {
                pg_sys::PageInit(copy, BLOCK, SPECIAL);
            }
            std::slice::from_raw_parts_mut(copy.cast::<u8>(), BLOCK)
        };
        set_content(bytes, content);
    }

    /// Makes the change. The pages stay locked.
    pub fn finish(self) {
        // SAFETY: begun by `start`; it has a critical section of its own.
        unsafe { pg_sys::GenericXLogFinish(self.state) };
    }
}

/// Sets the content of a page that PageInit has prepared.
fn set_content(page: &mut [u8], content: &[u8]) {
    let end = HEADER + content.len();
    page[HEADER..end].copy_from_slice(content);
    page[12..14].copy_from_slice(&(end as u16).to_ne_bytes());
    page[BLOCK - SPECIAL..].copy_from_slice(&OURS);
}

/// Writes the only page of the init fork, from which the server restores an unlogged index after a crash. The page is
/// logged although the index is not, which GenericXLog would not do.
///
/// # Safety
///
/// The relation must be a new index of the access method.
pub unsafe fn write_init_fork(relation: Relation, content: &[u8]) {
    // SAFETY: the caller's promise; the block is new. In the critical section only the disk can fail.
    unsafe {
        let (normal, init) = (pg_sys::ReadBufferMode::RBM_NORMAL, ForkNumber::INIT_FORKNUM);
        let lock = pg_sys::ExclusiveLock as pg_sys::LOCKMODE;
        pg_sys::LockRelationForExtension(relation, lock);
        let new = pg_sys::InvalidBlockNumber;
        let buffer = pg_sys::ReadBufferExtended(relation, init, new, normal, std::ptr::null_mut());
        versions::lock_buffer(buffer, Lock::Exclusive);
        pg_sys::UnlockRelationForExtension(relation, lock);
        let mut page = vec![0; BLOCK];
        pg_sys::PageInit(page.as_mut_ptr().cast(), BLOCK, SPECIAL);
        set_content(&mut page, content);
        pg_sys::CritSectionCount += 1;
        pg_sys::BufferGetPage(buffer).cast::<u8>().copy_from_nonoverlapping(page.as_ptr(), BLOCK);
        pg_sys::MarkBufferDirty(buffer);
        pg_sys::log_newpage_buffer(buffer, true);
        pg_sys::CritSectionCount -= 1;
        pg_sys::UnlockReleaseBuffer(buffer);
    }
}

/// A heavyweight lock of the index, held until it is dropped; see [`crate::access_method`].
///
/// It locks a tuple of page 0, which has no tuples. A page lock would not do: up to PostgreSQL 16 the deadlock detector
/// ignores page locks, and a server with assertions does not let their holders wait for another lock.
pub struct IndexLock {
    tag: pg_sys::LOCKTAG,
    mode: pg_sys::LOCKMODE,
}

/// Tuple number of the merge lock.
pub const MERGE_LOCK: u16 = 1;
/// Tuple number of the flush lock.
pub const FLUSH_LOCK: u16 = 2;
/// Tuple number of the reuse lock.
const REUSE_LOCK: u16 = 3;

impl IndexLock {
    /// Waits for the lock.
    pub fn wait(index: Index, tuple: u16) -> IndexLock {
        IndexLock::wait_as(index, tuple, pg_sys::ExclusiveLock)
    }

    /// Takes the lock if it is free.
    pub fn try_now(index: Index, tuple: u16) -> Option<IndexLock> {
        IndexLock::try_as(index, tuple, pg_sys::ExclusiveLock)
    }

    /// Prevents the reuse of all blocks that are freed from now on. `None` on a standby, which repeats what the primary did.
    pub fn against_reuse(index: Index) -> Option<IndexLock> {
        // SAFETY: reads a state of this process.
        let is_standby = unsafe { pg_sys::RecoveryInProgress() };
        (!is_standby).then(|| IndexLock::wait_as(index, REUSE_LOCK, pg_sys::ShareLock))
    }

    /// Whether free blocks may be used. The caller has locked the metapage exclusively, so whoever takes the lock after this
    /// waits for the metapage, and then finds that these blocks are owned.
    pub fn allows_reuse(index: Index) -> bool {
        // This mode conflicts with that of the readers, but not with itself.
        IndexLock::try_as(index, REUSE_LOCK, pg_sys::RowExclusiveLock).is_some()
    }

    fn wait_as(index: Index, tuple: u16, mode: u32) -> IndexLock {
        let (tag, mode) = (tag(index, tuple), mode as pg_sys::LOCKMODE);
        // SAFETY: a complete tag.
        unsafe { pg_sys::LockAcquire(&tag, mode, false, false) };
        IndexLock { tag, mode }
    }

    fn try_as(index: Index, tuple: u16, mode: u32) -> Option<IndexLock> {
        let (tag, mode) = (tag(index, tuple), mode as pg_sys::LOCKMODE);
        // SAFETY: a complete tag.
        let result = unsafe { pg_sys::LockAcquire(&tag, mode, false, true) };
        // Dropping an `IndexLock` releases the lock, so none may exist where it was not taken.
        (result != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL).then(|| IndexLock { tag, mode })
    }
}

/// Equivalent of the C macro `SET_LOCKTAG_TUPLE`.
fn tag(index: Index, tuple: u16) -> pg_sys::LOCKTAG {
    // SAFETY: an open relation.
    let relation = unsafe { (*index.0).rd_lockInfo.lockRelId };
    pg_sys::LOCKTAG {
        locktag_field1: relation.dbId.to_u32(),
        locktag_field2: relation.relId.to_u32(),
        locktag_field3: 0,
        locktag_field4: tuple,
        locktag_type: pg_sys::LockTagType::LOCKTAG_TUPLE as u8,
        locktag_lockmethodid: pg_sys::DEFAULT_LOCKMETHOD as u8,
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        // After an ERROR the transaction's end releases it.
        if !std::thread::panicking() {
            // SAFETY: taken by `wait_as` or `try_as`.
            unsafe { pg_sys::LockRelease(&self.tag, self.mode, false) };
        }
    }
}
