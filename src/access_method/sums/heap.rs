//! Which rows count: those of a table that the snapshot of the query sees, for a user who may read all of them.
//!
//! A row that the index names is visible if its heap page is all-visible; otherwise the table is asked. The bits of the
//! visibility map are read first, the mask of dead games afterwards: VACUUM sets the mask before it removes a row, and
//! the bit of the map after that. In the other order, a row that is removed in between would count, because its page may
//! have become all-visible. A bit holds for the whole question: while the snapshot is in use, nobody removes a row that
//! it sees, and a row that came later is in no segment that was live before.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use chess_core::GameRef;
use chess_index::rows::Row;
use pgrx::pg_sys::{self, Oid};

use crate::access_method::build::tid_of;
use crate::access_method::inspect::Opened;
use crate::server::datum::Varlena;
use crate::server::versions;
use crate::values::game::view;

/// Bits of the visibility map for 64 blocks: which were read, and which of these are set.
#[derive(Clone, Copy, Default)]
struct Bits {
    read: u64,
    set: u64,
}

/// No bits were read yet. No block has this place.
const NONE: (u32, Bits) = (u32::MAX, Bits { read: 0, set: 0 });

/// Most blocks that [`Heap::are_visible_pages`] looks at.
const MOST_BLOCKS: u32 = 64;

/// A table with the snapshot that decides which of its rows are visible.
pub struct Heap {
    heap: pg_sys::Relation,
    snapshot: pg_sys::Snapshot,
    fetch: *mut pg_sys::IndexFetchTableData,
    slot: *mut pg_sys::TupleTableSlot,
    /// The page of the visibility map that was read last.
    map: pg_sys::Buffer,
    /// Whether the table has a visibility map.
    has_map: bool,
    /// Number of the column with the game.
    game: i16,
    /// Whether every page is all-visible.
    is_all_visible: bool,
    /// The bits that were read, by block / 64.
    known: HashMap<u32, Bits>,
    /// The bits that were used last, with their block / 64. They go to `known` when others take their place.
    last: (u32, Bits),
}

impl Heap {
    /// The heap must stay open as long as the result.
    pub unsafe fn new(opened: &Opened, game: i16) -> Heap {
        // SAFETY: an open table; the snapshot is that of the running query.
        unsafe {
            let snapshot = pg_sys::GetActiveSnapshot();
            versions::predicate_lock_relation(opened.heap, snapshot);
            Heap {
                heap: opened.heap,
                snapshot,
                fetch: pg_sys::table_index_fetch_begin(opened.heap),
                slot: pg_sys::table_slot_create(opened.heap, std::ptr::null_mut()),
                map: pg_sys::InvalidBuffer as pg_sys::Buffer,
                has_map: std::ptr::eq((*opened.heap).rd_tableam, pg_sys::GetHeapamTableAmRoutine()),
                game,
                is_all_visible: false,
                known: HashMap::new(),
                last: NONE,
            }
        }
    }

    /// Forgets the bits of the visibility map, and looks whether all are set. The caller has read the metapage of the index:
    /// rows that came later are in none of its segments.
    pub fn look(&mut self) {
        self.known.clear();
        self.last = NONE;
        let (mut visible, none) = (0, std::ptr::null_mut());
        self.is_all_visible = self.has_map && {
            // SAFETY: an open table. The pages are counted last, so that a page that comes meanwhile counts as not visible.
            unsafe {
                pg_sys::visibilitymap_count(self.heap, &mut visible, none);
                pg_sys::RelationGetNumberOfBlocksInFork(self.heap, pg_sys::ForkNumber::MAIN_FORKNUM) == visible
            }
        };
    }

    /// Whether every page is all-visible.
    pub fn is_all_visible(&self) -> bool {
        self.is_all_visible
    }

    /// Whether a page is all-visible.
    pub fn is_visible_page(&mut self, block: u32) -> bool {
        let (place, bit) = (block / 64, 1 << (block % 64));
        if self.last.0 != place {
            let (known, bits) =
                std::mem::replace(&mut self.last, (place, self.known.get(&place).copied().unwrap_or_default()));
            self.known.insert(known, bits);
        }
        let bits = &mut self.last.1;
        if bits.read & bit == 0 {
            bits.read |= bit;
            let is_visible = self.has_map && {
                // SAFETY: an open table; the buffer is that of the page read last.
                let status = unsafe { pg_sys::visibilitymap_get_status(self.heap, block, &mut self.map) };
                u32::from(status) & pg_sys::VISIBILITYMAP_ALL_VISIBLE != 0
            };
            bits.set |= if is_visible { bit } else { 0 };
        }
        bits.set & bit != 0
    }

    /// Whether all of these pages are all-visible. It returns false without a look if they are many, because rows that are
    /// not in the order of the table may lie anywhere.
    pub fn are_visible_pages(&mut self, mut blocks: RangeInclusive<u32>) -> bool {
        blocks.end() - blocks.start() < MOST_BLOCKS && blocks.all(|block| self.is_visible_page(block))
    }

    /// Fetches the visible version of a row into the slot; false if there is none.
    pub fn fetch(&mut self, row: Row) -> bool {
        pgrx::check_for_interrupts!();
        let (mut tid, mut again) = (tid_of(row), false);
        // SAFETY: all are of this table.
        unsafe {
            let none = std::ptr::null_mut();
            pg_sys::table_index_fetch_tuple(self.fetch, &mut tid, self.snapshot, self.slot, &mut again, none)
        }
    }

    /// Calls `read` with the game of a visible row; `None` if the row is not visible or has no game.
    pub fn game<T>(&mut self, row: Row, read: impl FnOnce(GameRef<'_>) -> T) -> Option<T> {
        if !self.fetch(row) {
            return None;
        }
        let mut is_null = false;
        // SAFETY: the slot has a row of the table; the column is of type chessgame.
        unsafe {
            let datum = pg_sys::slot_getattr(self.slot, self.game.into(), &mut is_null);
            (!is_null).then(|| read(view(&Varlena::new(datum))))
        }
    }

    /// The row pointer of the visible version of a row.
    pub fn current(&mut self, row: Row) -> Option<pg_sys::ItemPointerData> {
        // SAFETY: the slot has the row.
        self.fetch(row).then(|| unsafe { (*self.slot).tts_tid })
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: made by `new`; the buffer is pinned unless it is invalid.
            unsafe {
                pg_sys::table_index_fetch_end(self.fetch);
                pg_sys::ExecDropSingleTupleTableSlot(self.slot);
                if self.map != pg_sys::InvalidBuffer as pg_sys::Buffer {
                    pg_sys::ReleaseBuffer(self.map);
                }
            }
        }
    }
}

/// Why an index cannot answer for the current user.
pub enum Obstacle {
    /// The user may not read the table.
    Denied(pg_sys::AclResult::Type),
    /// Only the table can tell.
    Table(&'static str),
}

/// The column of the table with the game, of an index that can answer for the current user.
pub fn game_column(opened: &Opened) -> Result<i16, Obstacle> {
    // SAFETY: open relations.
    unsafe {
        let (heap, index) = (&*opened.heap, &*opened.relation);
        let may = pg_sys::ACL_SELECT as pg_sys::AclMode;
        let rights = pg_sys::pg_class_aclcheck(heap.rd_id, pg_sys::GetUserId(), may);
        if rights != pg_sys::AclResult::ACLCHECK_OK {
            return Err(Obstacle::Denied(rights));
        }
        if pg_sys::check_enable_rls(heap.rd_id, Oid::INVALID, true) == pg_sys::CheckEnableRlsResult::RLS_ENABLED as i32
        {
            return Err(Obstacle::Table("has a table with row-level security"));
        }
        let form = &*index.rd_index;
        let is_whole = pg_sys::RelationGetIndexPredicate(opened.relation).is_null();
        if !form.indisvalid || !is_whole || !versions::is_old_enough(opened.relation) {
            return Err(Obstacle::Table("does not have all games"));
        }
        match *form.indkey.values.as_ptr() {
            game @ 1.. => Ok(game),
            _ => Err(Obstacle::Table("has an expression in the place of the game")),
        }
    }
}
