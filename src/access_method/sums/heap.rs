//! Which rows count: those of a table that the snapshot of the query sees, for a user who may read all of them.
//!
//! A row that the index names is visible if its heap page is all-visible; otherwise the table is asked. The bits of the
//! visibility map are read first, the mask of dead games afterwards: VACUUM sets the mask before it removes a row, and
//! the bit of the map after that. In the other order, a row that is removed in between would count, because its page may
//! have become all-visible. A bit holds for the whole question: while the snapshot is in use, nobody removes a row that
//! it sees, and a row that came later is in no segment that was live before.

use std::iter;
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;

use chess_core::GameRef;
use chess_index::ranges::Ranges;
use chess_index::rows::Row;
use pgrx::pg_sys::{self, Datum, Oid};

use crate::access_method::inspect::Opened;
use crate::access_method::row_pointers::tid_of;
use crate::server::datum::{Varlena, is_plain};
use crate::server::versions;
use crate::values::game::view;

/// Blocks of the table in a word of the visibility map, which has two bits for each, the lower one for all-visible.
const BLOCKS_A_WORD: u32 = 32;
/// The lower bits.
const ALL_VISIBLE: u64 = 0x5555_5555_5555_5555;
/// Words in a page of the visibility map, which fill the page after its head of 24 bytes.
const WORDS_A_PAGE: usize = (pg_sys::BLCKSZ as usize - 24) / size_of::<u64>();

/// The maximum number of blocks that [`Heap::are_visible_pages`] looks at.
const MOST_BLOCKS: u32 = 64;
/// The maximum number of ranges of blocks that are not all-visible.
const MOST_UNSEEN: usize = 1 << 16;

/// A table with the snapshot that decides which of its rows are visible.
pub struct Heap {
    heap: pg_sys::Relation,
    snapshot: pg_sys::Snapshot,
    fetch: *mut pg_sys::IndexFetchTableData,
    slot: *mut pg_sys::TupleTableSlot,
    /// The page of the visibility map that was read last; it stays pinned.
    map: pg_sys::Buffer,
    /// Whether the table has the server's own access method, and so a visibility map.
    has_map: bool,
    /// While one row is read, the pages of this many next rows are prefetched, so that a slow disk reads them meanwhile.
    ahead: usize,
    /// Number of the column with the game.
    game: i16,
    visible: Rc<Visible>,
}

/// The pages of a table that were all-visible when [`Heap::look`] was called. This holds as long as the snapshot is in use.
#[derive(Default)]
pub struct Visible {
    /// The words of the visibility map. Of the two bits of a page only the one for all-visible is kept.
    words: Vec<u64>,
    /// Ranges of the blocks that are not all-visible, ascending. If there would be too many, they also contain blocks in between.
    unseen: Vec<Range<u32>>,
}

impl Heap {
    /// The rows that a snapshot sees. The table must stay open, and the snapshot registered or active, as long as the
    /// result. No page is all-visible before [`Heap::look`].
    pub unsafe fn at(opened: &Opened, game: i16, snapshot: pg_sys::Snapshot) -> Heap {
        // SAFETY: an open table.
        unsafe {
            // That of the index stops a row that is in the table already, and comes into the index after this.
            versions::predicate_lock_relation(opened.heap, snapshot);
            versions::predicate_lock_relation(opened.relation, snapshot);
            Heap {
                heap: opened.heap,
                snapshot,
                fetch: versions::index_fetch_begin(opened.heap),
                slot: pg_sys::table_slot_create(opened.heap, std::ptr::null_mut()),
                map: pg_sys::InvalidBuffer as pg_sys::Buffer,
                has_map: std::ptr::eq((*opened.heap).rd_tableam, pg_sys::GetHeapamTableAmRoutine()),
                ahead: usize::try_from(pg_sys::get_tablespace_io_concurrency((*(*opened.heap).rd_rel).reltablespace))
                    .unwrap_or(0),
                game,
                visible: Rc::default(),
            }
        }
    }

    /// Whether the table has the server's own access method.
    pub fn is_of_the_server(&self) -> bool {
        self.has_map
    }

    /// Reads the visibility map. The caller has read the metapage of the index: rows that came later are in none of its
    /// segments.
    pub fn look(&mut self) {
        let (mut words, mut block) = (Vec::new(), 0);
        // SAFETY: an open table. A page of the map is pinned while it is read. Others may set or clear bits meanwhile, as when
        // the server itself reads it.
        let blocks = unsafe {
            let main = pg_sys::ForkNumber::MAIN_FORKNUM;
            while self.has_map && block < pg_sys::RelationGetNumberOfBlocksInFork(self.heap, main) {
                pgrx::check_for_interrupts!();
                pg_sys::visibilitymap_get_status(self.heap, block, &mut self.map);
                if self.map == pg_sys::InvalidBuffer as pg_sys::Buffer {
                    break;
                }
                let content = pg_sys::PageGetContents(pg_sys::BufferGetPage(self.map)).cast::<u64>();
                let word = |nth| u64::from_le(content.add(nth).read_volatile()) & ALL_VISIBLE;
                words.extend((0..WORDS_A_PAGE).map(word));
                block += WORDS_A_PAGE as u32 * BLOCKS_A_WORD;
            }
            // Counted last, so that a page that comes meanwhile counts as not visible.
            pg_sys::RelationGetNumberOfBlocksInFork(self.heap, main)
        };
        let first_of = (0..blocks).step_by(BLOCKS_A_WORD as usize);
        let some = first_of.zip(words.iter().copied().chain(iter::repeat(0))).filter(|(_, word)| *word != ALL_VISIBLE);
        let mut unseen = Ranges::new(MOST_UNSEEN);
        for (first, word) in some {
            (first..blocks.min(first.saturating_add(BLOCKS_A_WORD)))
                .filter(|block| word >> (2 * (block - first)) & 1 == 0)
                .for_each(|block| unseen.add(block));
        }
        // Rows of another table access method may have block numbers beyond the file, so none of them counts as visible.
        let unseen = if self.has_map { unseen.into_vec() } else { iter::once(0..u32::MAX).collect() };
        self.visible = Rc::new(Visible { words, unseen });
    }

    /// Returns what [`Heap::look`] has seen, for [`Heap::look_again`].
    pub fn visible(&self) -> Rc<Visible> {
        self.visible.clone()
    }

    /// Takes what another `Heap` has seen of the same table in the same snapshot, instead of reading the map again.
    pub fn look_again(&mut self, visible: Rc<Visible>) {
        self.visible = visible;
    }

    /// Ascending ranges that contain all blocks that are not all-visible, and perhaps some others.
    pub fn unseen(&self) -> &[Range<u32>] {
        &self.visible.unseen
    }

    /// Whether a page is all-visible.
    pub fn is_visible_page(&self, block: u32) -> bool {
        let word = self.visible.words.get((block / BLOCKS_A_WORD) as usize);
        word.is_some_and(|word| word >> (2 * (block % BLOCKS_A_WORD)) & 1 == 1)
    }

    /// Whether all of these pages are all-visible. It returns false without a look if they are many, because rows that are
    /// not in the order of the table may lie anywhere.
    pub fn are_visible_pages(&self, mut blocks: RangeInclusive<u32>) -> bool {
        blocks.end() - blocks.start() < MOST_BLOCKS && blocks.all(|block| self.is_visible_page(block))
    }

    /// Passes on what comes with each row, and lets the server read the pages of the rows after it meanwhile.
    pub fn each<T>(&mut self, rows: &[T], row_of: impl Fn(&T) -> Option<Row>, mut pass_on: impl FnMut(&mut Heap, &T)) {
        // The first row is fetched at once.
        let (mut begun, mut last) = (1, None);
        for (nth, row) in rows.iter().enumerate() {
            let end = rows.len().min(nth + 1 + if self.has_map { self.ahead } else { 0 });
            while begun < end {
                if let Some(Row { block, .. }) = row_of(&rows[begun])
                    && last.replace(block) != Some(block)
                {
                    // SAFETY: an open table, which has the blocks that the index names.
                    unsafe { pg_sys::PrefetchBuffer(self.heap, pg_sys::ForkNumber::MAIN_FORKNUM, block) };
                }
                begun += 1;
            }
            pass_on(self, row);
        }
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

    /// Like [`Heap::game`], but never raises an ERROR: `None` also for a game that is damaged, compressed or in another table.
    pub fn plain_game<T>(&mut self, row: Row, read: impl FnOnce(GameRef<'_>) -> T) -> Option<T> {
        if !self.fetch(row) {
            return None;
        }
        let mut is_null = false;
        // SAFETY: the slot has a row of the table; the column is of type chessgame.
        unsafe {
            let datum = pg_sys::slot_getattr(self.slot, self.game.into(), &mut is_null);
            let game = (!is_null && is_plain(datum)).then(|| Varlena::new(datum))?;
            Some(read(GameRef::new(&game).ok()?))
        }
    }

    /// The values of a visible row in these columns, whose types are passed by value; none if it is not visible.
    pub fn values(&mut self, row: Row, columns: &[i16]) -> Vec<Option<Datum>> {
        if !self.fetch(row) {
            return Vec::new();
        }
        let value = |column: &i16| {
            let mut is_null = false;
            // SAFETY: the slot has a row of the table.
            let value = unsafe { pg_sys::slot_getattr(self.slot, (*column).into(), &mut is_null) };
            (!is_null).then_some(value)
        };
        columns.iter().map(value).collect()
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: made by `at`; the buffer is pinned unless it is invalid.
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

/// Whether an index has the games of all rows of its table, and the current user may read all of them.
pub fn answers(opened: &Opened) -> bool {
    // SAFETY: open relations.
    unsafe {
        let (heap, index) = (&*opened.heap, &*opened.relation);
        let may = pg_sys::ACL_SELECT as pg_sys::AclMode;
        if pg_sys::pg_class_aclcheck(heap.rd_id, pg_sys::GetUserId(), may) != pg_sys::AclResult::ACLCHECK_OK
            || pg_sys::check_enable_rls(heap.rd_id, Oid::INVALID, true)
                == pg_sys::CheckEnableRlsResult::RLS_ENABLED as i32
        {
            return false;
        }
        let form = &*index.rd_index;
        // RelationGetIndexPredicate would evaluate what is constant in it, with the rights of the current user.
        let predicate = pg_sys::Anum_pg_index_indpred as i32;
        let is_whole = pg_sys::heap_attisnull(index.rd_indextuple, predicate, std::ptr::null_mut());
        // A column of the table, and not an expression, has the game.
        opened.serves_transaction() && is_whole && *form.indkey.values.as_ptr() > 0
    }
}
