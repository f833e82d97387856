//! Functions for the owner of an index: `chess_index_info`, `chess_index_check`, `chess_index_merge`.
//!
//! Each takes the index. They raise 42501 for anybody but its owner and 42809 for a relation that is not an index of
//! this access method.

use std::ffi::{CStr, c_void};
use std::ops::Range;

use chess_core::pause;
use chess_index::check::{check, fingerprint, fingerprint_of_values, fingerprints};
use chess_index::merge::Renumbered;
use chess_index::meta::{Meta, Part, State};
use pgrx::pg_sys::{self, BlockNumber, Datum, Oid, Relation};
use pgrx::{PgSqlErrorCode, check_for_interrupts, pg_guard};

use crate::access_method::new_segment::maintenance_memory;
use crate::access_method::pages::{Index, IndexLock, MERGE_LOCK};
use crate::access_method::row_pointers::row_of;
use crate::access_method::scan::{dead_games, each_living_row};
use crate::access_method::segments::{PartPages, Replaced, read_sound};
use crate::access_method::{attributes, flush, merge, metapage, pending};
use crate::server::datum::{Varlena, varlena_from};
use crate::server::error::raise;
use crate::server::fmgr::Call;
use crate::server::rows::Rows;
use crate::server::versions;
use crate::values::game::view;
use crate::values::refusals::corrupt_game;

/// An open index and its table.
pub struct Opened {
    /// The table.
    pub heap: Relation,
    /// The index.
    pub relation: Relation,
    /// Those of the table and the index that closing releases.
    locks: [pg_sys::LOCKMODE; 2],
}

impl Opened {
    /// Opens the index of the first argument for its owner. It has pages that can be read.
    fn new(call: &Call, lock: u32) -> Opened {
        let oid = Oid::from(call.datum(0).value() as u32);
        // SAFETY: look-ups in the system catalogs. A stranger takes no lock.
        unsafe {
            let name = pg_sys::get_rel_name(oid);
            let is_index = !name.is_null() && pg_sys::get_rel_relkind(oid) as u8 == pg_sys::RELKIND_INDEX;
            if is_index && !versions::is_owner_of_relation(oid) {
                let (not_owner, index) = (pg_sys::AclResult::ACLCHECK_NOT_OWNER, pg_sys::ObjectType::OBJECT_INDEX);
                pg_sys::aclcheck_error(not_owner, index, name);
            }
        }
        let opened = Opened::of(call, lock);
        // SAFETY: an open relation.
        unsafe {
            let form = &*(*opened.relation).rd_rel;
            if !(*(*opened.relation).rd_index).indisready {
                opened.refuse_invalid();
            }
            if form.relpersistence as u8 == pg_sys::RELPERSISTENCE_UNLOGGED && pg_sys::RecoveryInProgress() {
                let message = "cannot access temporary or unlogged relations during recovery".into();
                raise(PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED, message, None, None);
            }
        }
        opened
    }

    /// Opens the index of the first argument.
    pub fn of(call: &Call, lock: u32) -> Opened {
        Opened::find(call, lock).unwrap_or_else(|oid| refuse_kind(oid))
    }

    /// Opens the index of the first argument; its OID if that is no index of this access method with pages.
    pub fn find(call: &Call, lock: u32) -> Result<Opened, Oid> {
        let (oid, lock) = (Oid::from(call.datum(0).value() as u32), lock as pg_sys::LOCKMODE);
        // SAFETY: look-ups in the system catalogs; the relations are closed by `drop` or by the end of the transaction.
        unsafe {
            // All commands lock the table before its index.
            let table = pg_sys::IndexGetRelation(oid, true);
            if table == Oid::INVALID {
                return Err(oid);
            }
            let share = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
            let heap = pg_sys::try_relation_open(table, share);
            if heap.is_null() {
                return Err(oid);
            }
            let relation = pg_sys::try_relation_open(oid, lock);
            if relation.is_null() {
                pg_sys::relation_close(heap, share);
                return Err(oid);
            }
            let opened = Opened { heap, relation, locks: [share, lock] };
            let form = &*(*relation).rd_rel;
            let method = pg_sys::get_am_name(form.relam);
            let is_ours = !method.is_null() && CStr::from_ptr(method) == c"chess";
            if !is_ours || form.relkind as u8 != pg_sys::RELKIND_INDEX {
                return Err(oid);
            }
            // RELATION_IS_OTHER_TEMP
            if form.relpersistence as u8 == pg_sys::RELPERSISTENCE_TEMP && !(*relation).rd_islocaltemp {
                let message = "cannot access temporary indexes of other sessions".into();
                raise(PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED, message, None, None);
            }
            Ok(opened)
        }
    }

    /// Opens an index of a plan. The executor has locked the table. The lock of the index is kept until the end of the
    /// transaction, as by an index scan.
    ///
    /// # Safety
    ///
    /// The table must be locked, and the index be one of its.
    pub unsafe fn planned(table: Oid, index: Oid) -> Opened {
        let none = pg_sys::NoLock as pg_sys::LOCKMODE;
        // SAFETY: the caller's promise.
        unsafe {
            let heap = pg_sys::table_open(table, none);
            let relation = pg_sys::index_open(index, pg_sys::AccessShareLock as pg_sys::LOCKMODE);
            Opened { heap, relation, locks: [none; 2] }
        }
    }

    /// Raises the server's ERROR for a materialized view that is not populated.
    pub fn check_populated(&self) {
        // SAFETY: an open relation, whose name ends with NUL.
        let (is_populated, name) = unsafe {
            let form = &*(*self.heap).rd_rel;
            (form.relispopulated, CStr::from_ptr(form.relname.data.as_ptr()))
        };
        if !is_populated {
            let message = format!("materialized view \"{}\" has not been populated", name.to_string_lossy());
            let hint = "Use the REFRESH MATERIALIZED VIEW command.";
            raise(PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message, None, Some(hint));
        }
    }

    /// Whether every query of this transaction may use the index. The planner makes the same test before it uses one.
    pub fn serves_transaction(&self) -> bool {
        // SAFETY: an open relation.
        unsafe { (*(*self.relation).rd_index).indisvalid && versions::is_old_enough(self.relation) }
    }

    /// Raises an ERROR if the index may lack rows that the next snapshot of this transaction sees.
    fn check_complete(&self) {
        if self.serves_transaction() {
            return;
        }
        // SAFETY: an open relation, and a variable of this process.
        let (is_valid, level) = unsafe { ((*(*self.relation).rd_index).indisvalid, pg_sys::XactIsoLevel as u32) };
        if !is_valid {
            self.refuse_invalid();
        }
        // A READ COMMITTED transaction takes a new snapshot, which sees no row that was replaced before the index was made.
        if level >= pg_sys::XACT_REPEATABLE_READ {
            let message = format!("index \"{}\" may lack rows that this transaction sees", self.index().name());
            let detail = "The transaction's snapshot may be older than the index.".to_owned();
            let code = PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
            raise(code, message, Some(detail), Some("Repeat this in a new transaction."));
        }
    }

    /// Raises the ERROR for an index that CREATE INDEX CONCURRENTLY has not finished.
    #[cold]
    fn refuse_invalid(&self) -> ! {
        let message = format!("index \"{}\" is not valid", self.index().name());
        raise(PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message, None, None)
    }

    /// Keeps the locks until the end of the transaction.
    pub fn keeping_locks(self) -> Opened {
        let mut opened = self;
        opened.locks = [pg_sys::NoLock as pg_sys::LOCKMODE; 2];
        opened
    }

    /// The index.
    pub fn index(&self) -> Index {
        // SAFETY: open as long as `self`.
        unsafe { Index::new(self.relation) }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: opened by `new`.
            unsafe {
                pg_sys::relation_close(self.relation, self.locks[1]);
                pg_sys::relation_close(self.heap, self.locks[0]);
            }
        }
    }
}

/// Raises the ERROR for an argument that is not an index of this access method with pages.
#[cold]
fn refuse_kind(oid: Oid) -> ! {
    // SAFETY: a look-up in the system catalogs; the name ends with NUL.
    let name = unsafe {
        let name = pg_sys::get_rel_name(oid);
        if name.is_null() {
            format!("relation with OID {oid}")
        } else {
            format!("\"{}\"", CStr::from_ptr(name).to_string_lossy())
        }
    };
    // SAFETY: a look-up in the system catalogs.
    let is_partitioned = unsafe { pg_sys::get_rel_relkind(oid) } as u8 == pg_sys::RELKIND_PARTITIONED_INDEX;
    let hint = is_partitioned.then_some("A partitioned index has no pages: name the index of a partition.");
    let code = PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE;
    raise(code, format!("{name} is not an index of the access method chess"), None, hint)
}

const BYTES: i64 = pg_sys::BLCKSZ as i64;

sql_fn!(chess_index_info(regclass) -> setof record, |call| {
    let opened = Opened::new(&call, pg_sys::AccessShareLock);
    let rows = read_sound(opened.index(), |meta| describe(opened.index(), meta));
    let mut put = Rows::new(&call);
    for row in &rows {
        put.put(|| row.datums());
    }
});

/// A row of `chess_index_info`.
struct Described {
    part: &'static str,
    number: Option<u32>,
    games: Option<u32>,
    dead: Option<u32>,
    lists: Option<u64>,
    postings: Option<u64>,
    pages: u32,
}

impl Described {
    fn new(part: &'static str, pages: u32) -> Described {
        Described { part, number: None, games: None, dead: None, lists: None, postings: None, pages }
    }

    fn datums(&self) -> [Option<Datum>; 7] {
        let bigint = |number: u64| Datum::from(number as i64);
        [
            Some(varlena_from(self.part.as_bytes())),
            self.number.map(|number| bigint(number.into())),
            self.games.map(|games| bigint(games.into())),
            self.dead.map(|dead| bigint(dead.into())),
            self.lists.map(bigint),
            self.postings.map(bigint),
            Some(Datum::from(i64::from(self.pages) * BYTES)),
        ]
    }
}

/// The parts of an index. Their pages and the free ones add up to its file.
fn describe(index: Index, meta: &Meta) -> Result<Vec<Described>, Replaced> {
    let blocks = index.blocks();
    let mut rows = vec![Described::new("metapage", 1)];
    for part in &meta.parts {
        let row = match part.state {
            State::Live => {
                let pages = PartPages::new(index, part);
                let segment = pages.open()?;
                let dead = dead_games(&pages, &segment)?;
                let of_patterns = segment.patterns.map_or(0, |patterns| patterns.pages);
                let of_sums = segment.sums.map_or(0, |sums| sums.pages);
                let of_rankings = segment.rankings.map_or(0, |rankings| rankings.pages);
                let others = of_patterns + of_sums + of_rankings + segment.attribute_pages;
                rows.push(Described {
                    number: Some(part.number),
                    games: Some(segment.games),
                    dead: Some(dead.len() as u32),
                    lists: Some(segment.lists),
                    postings: Some(segment.postings),
                    ..Described::new("segment", part.blocks().saturating_sub(others))
                });
                if segment.columns > 0 {
                    let pages = segment.attribute_pages;
                    rows.push(Described { number: Some(part.number), ..Described::new("attributes", pages) });
                }
                if let Some(sums) = segment.sums {
                    rows.push(Described {
                        number: Some(part.number),
                        lists: Some(sums.lists.into()),
                        ..Described::new("sums", sums.pages)
                    });
                }
                if let Some(rankings) = segment.rankings {
                    rows.push(Described { number: Some(part.number), ..Described::new("rankings", rankings.pages) });
                }
                let Some(patterns) = segment.patterns else { continue };
                Described {
                    number: Some(part.number),
                    lists: Some(patterns.lists),
                    postings: Some(patterns.postings),
                    ..Described::new("patterns", patterns.pages)
                }
            }
            State::Closed | State::Pending => describe_pending(index, part, blocks)?,
            State::Flushing | State::Merging => {
                Described { number: Some(part.number), ..Described::new("unfinished", blocks_in_file(part, blocks)) }
            }
        };
        rows.push(row);
    }
    rows.push(describe_pending(index, &meta.pending, blocks)?);
    rows.push(Described::new("free", meta.free_blocks(blocks)));
    Ok(rows)
}

fn describe_pending(index: Index, part: &Part, blocks: BlockNumber) -> Result<Described, Replaced> {
    let pages = PartPages::new(index, part);
    let mut games = 0;
    for page in 0..part.pages {
        pending::each_row(index, &pages, page, |_, _, _| games += 1)?;
    }
    Ok(Described {
        number: Some(part.number),
        games: Some(games),
        ..Described::new("pending", blocks_in_file(part, blocks))
    })
}

/// The blocks of a part that exist: a part owns blocks before the file is extended to them.
fn blocks_in_file(part: &Part, blocks: BlockNumber) -> u32 {
    let in_file = |first: u32, len: u32| blocks.saturating_sub(first).min(len);
    part.extents.iter().map(|extent| in_file(extent.first, extent.len)).sum()
}

sql_fn!(chess_index_merge(regclass) -> void, |call| {
    // SAFETY: raises an ERROR on a standby, and in a transaction that only reads.
    unsafe {
        pg_sys::PreventCommandDuringRecovery(c"chess_index_merge()".as_ptr());
        pg_sys::PreventCommandIfReadOnly(c"chess_index_merge()".as_ptr());
    }
    let opened = Opened::new(&call, pg_sys::RowExclusiveLock);
    let lock = IndexLock::wait(opened.index(), MERGE_LOCK);
    flush::everything(opened.index(), &lock);
    merge::run_all(opened.index(), &lock);
});

sql_fn!(chess_index_check(regclass, bool) -> void, |call| {
    let opened = Opened::new(&call, pg_sys::AccessShareLock);
    let index = opened.index();
    let with_heap = call.bool(1);
    if with_heap {
        opened.check_complete();
    }
    // Prevents merges. A flush may replace pending games, and on a standby replay any page; then the check restarts.
    let lock = IndexLock::wait(index, MERGE_LOCK);
    // Taken before the index is read, so that the index has every row that the snapshot sees.
    let snapshot = with_heap.then(Snapshot::new);
    for (nth, blocks) in portions(&opened).into_iter().enumerate() {
        let entries = read_sound(index, |meta| entries_of(index, meta, &blocks, nth == 0, with_heap));
        if let Some(snapshot) = &snapshot {
            check_heap(&opened, entries, &blocks, snapshot);
        }
    }
    drop(lock);
});

/// The blocks of the table in portions whose entries take about as much memory as sorts may take.
fn portions(opened: &Opened) -> Vec<Range<BlockNumber>> {
    /// What an entry takes, and a copy for the sort.
    const BYTES: usize = 2 * size_of::<Entry>();
    const LEAST: usize = 1 << 18;
    // SAFETY: an open relation.
    let blocks = unsafe { pg_sys::RelationGetNumberOfBlocksInFork(opened.heap, pg_sys::ForkNumber::MAIN_FORKNUM) };
    let meta = metapage::read(opened.index());
    let rows: usize = meta.all().map(|part| part.games as usize).sum();
    let count = rows.div_ceil((maintenance_memory() / BYTES).max(LEAST)).max(1);
    let each = (blocks as usize).div_ceil(count).max(1);
    let starts = (0..blocks.max(1)).step_by(each);
    // The last one has no end: other sessions add blocks.
    starts.map(|start| start..start.checked_add(each as u32).filter(|end| *end < blocks).unwrap_or(u32::MAX)).collect()
}

/// A row of the index.
struct Entry {
    row: u64,
    /// Fingerprint of the keys under which the index finds the row, and of its attributes.
    fingerprint: u64,
    /// Whether it includes keys of patterns.
    patterns: bool,
}

fn number_of(row: chess_index::rows::Row) -> u64 {
    u64::from(row.block) << 16 | u64::from(row.offset)
}

/// The living rows in some blocks of the table, with fingerprints if `with_keys`. Checks all pages before if `checks`.
fn entries_of(
    index: Index,
    meta: &Meta,
    blocks: &Range<BlockNumber>,
    checks: bool,
    with_keys: bool,
) -> Result<Vec<Entry>, Replaced> {
    let mut entries = Vec::new();
    // The pending games first: only these may be replaced, so that a restart costs little.
    for part in meta.in_state(State::Closed).chain([&meta.pending]) {
        add_pending(index, part, blocks, &mut entries)?;
    }
    for part in meta.in_state(State::Live) {
        let pages = PartPages::maintained(index, part, std::ptr::null_mut());
        let segment = match checks {
            true => pages.sound(check(&pages, part.number, part.pages.saturating_sub(1)))?,
            false => pages.open()?,
        };
        if (segment.games, segment.pages) != (part.games, part.pages) {
            index.damaged(metapage::BLOCK, &format!("it has other numbers than segment {}", part.number));
        }
        let patterns = segment.patterns.is_some();
        if !with_keys {
            each_living_row(&pages, &segment, |_, row| {
                if blocks.contains(&row.block) {
                    entries.push(Entry { row: number_of(row), fingerprint: 0, patterns });
                }
            })?;
            continue;
        }
        let mut here = vec![0u64; (segment.games as usize).div_ceil(64)];
        each_living_row(&pages, &segment, |game, row| {
            if let Some(word) = here.get_mut(game as usize / 64) {
                *word |= u64::from(blocks.contains(&row.block)) << (game % 64);
            }
        })?;
        let Some(here) = Renumbered::new(here, 0) else { continue };
        let keys = pages.sound(fingerprints(&pages, &segment, &here))?;
        entries.reserve_exact(keys.len());
        each_living_row(&pages, &segment, |game, row| {
            if let Some(number) = here.number(game) {
                let fingerprint = keys.get(number as usize).copied().unwrap_or(0);
                entries.push(Entry { row: number_of(row), fingerprint, patterns });
            }
        })?;
    }
    pause::sort_by(&mut entries, |a, b| a.row.cmp(&b.row));
    if let Some(pair) = entries.windows(2).find(|pair| pair[0].row == pair[1].row) {
        let (block, offset) = (pair[0].row >> 16, pair[0].row & 0xffff);
        index.damaged(metapage::BLOCK, &format!("the row ({block},{offset}) is in the index twice"));
    }
    Ok(entries)
}

/// Adds the pending rows in some blocks of the table, and checks all pages of their list.
fn add_pending(
    index: Index,
    part: &Part,
    blocks: &Range<BlockNumber>,
    entries: &mut Vec<Entry>,
) -> Result<(), Replaced> {
    let pages = PartPages::new(index, part);
    let mut counted = 0;
    for page in 0..part.pages {
        let is_last = page + 1 == part.pages;
        pending::each_row(index, &pages, page, |row, values, game| {
            let decoded = game.map(|game| pending::decode(index, &pages, page, game));
            let fingerprint = decoded.map_or(Ok(0), |game| fingerprint(game, true));
            let fingerprint =
                fingerprint.unwrap_or_else(|_| index.damaged(pages.block(page), "a pending game does not decode"));
            let fingerprint = fingerprint.wrapping_add(fingerprint_of_values(values));
            if blocks.contains(&row.block) {
                entries.push(Entry { row: number_of(row), fingerprint, patterns: true });
            }
            counted += u32::from(!is_last);
        })?;
    }
    if counted != part.games {
        index.damaged(metapage::BLOCK, "it counts other pending games than there are");
    }
    Ok(())
}

/// A registered snapshot.
struct Snapshot(pg_sys::Snapshot);

impl Snapshot {
    fn new() -> Snapshot {
        // SAFETY: within a transaction.
        Snapshot(unsafe { pg_sys::RegisterSnapshot(pg_sys::GetTransactionSnapshot()) })
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: registered by `new`.
            unsafe { pg_sys::UnregisterSnapshot(self.0) }
        }
    }
}

/// Evaluates expressions and conditions of an index with the rights of its table's owner, who has written them, and
/// without what would outlast that. The same as in CREATE INDEX.
struct AsOwner {
    user: Oid,
    context: i32,
    settings: i32,
}

impl AsOwner {
    fn of(heap: Relation) -> AsOwner {
        let mut before = AsOwner { user: Oid::INVALID, context: 0, settings: 0 };
        // SAFETY: the table is open. The end of the transaction undoes all of it after an ERROR.
        unsafe {
            pg_sys::GetUserIdAndSecContext(&mut before.user, &mut before.context);
            let restricted = before.context | pg_sys::SECURITY_RESTRICTED_OPERATION as i32;
            pg_sys::SetUserIdAndSecContext((*(*heap).rd_rel).relowner, restricted);
            before.settings = pg_sys::NewGUCNestLevel();
        }
        versions::restrict_search_path();
        before
    }
}

impl Drop for AsOwner {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: what `of` has read.
            unsafe {
                pg_sys::AtEOXact_GUC(false, self.settings);
                pg_sys::SetUserIdAndSecContext(self.user, self.context);
            }
        }
    }
}

/// State of the comparison with the table.
struct Comparison {
    index: Index,
    entries: Vec<Entry>,
}

/// Compares the rows in some blocks of the table that a snapshot sees with those of the index.
fn check_heap(opened: &Opened, entries: Vec<Entry>, blocks: &Range<BlockNumber>, snapshot: &Snapshot) {
    let mut comparison = Comparison { index: opened.index(), entries };
    let _as_owner = AsOwner::of(opened.heap);
    // SAFETY: the relations are open. `table_index_build_scan` is inline in C; the function pointer has no guard of its own.
    unsafe {
        let info = pg_sys::BuildIndexInfo(opened.relation);
        // Makes the scan return exactly the rows that the snapshot sees.
        (*info).ii_Concurrent = true;
        (*info).ii_Unique = false;
        let none = std::ptr::null_mut();
        let rows = pg_sys::table_beginscan_strat(opened.heap, snapshot.0, 0, none, true, false);
        let scan = (*(*opened.heap).rd_tableam).index_build_range_scan.expect("a table that indexes can be built of");
        let state = (&raw mut comparison).cast::<c_void>();
        let (first, count) = match blocks.end {
            u32::MAX => (blocks.start, pg_sys::InvalidBlockNumber),
            end => (blocks.start, end - blocks.start),
        };
        pg_sys::ffi::pg_guard_ffi_boundary(|| {
            scan(opened.heap, opened.relation, info, false, false, false, first, count, Some(compare_row), state, rows)
        });
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn compare_row(
    _index: Relation,
    tid: pg_sys::ItemPointer,
    values: *mut Datum,
    nulls: *mut bool,
    _is_alive: bool,
    state: *mut c_void,
) {
    // SAFETY: the state is that of `check_heap`; the first column is of type chessgame.
    unsafe {
        check_for_interrupts!();
        let Comparison { index, entries } = &*state.cast::<Comparison>();
        let row = row_of(&*tid);
        let game = (!*nulls).then(|| Varlena::new(*values));
        let of_values = fingerprint_of_values(&attributes::values_of(*index, values, nulls));
        let expected = |patterns| match &game {
            Some(game) => {
                let keys = fingerprint(view(game), patterns).unwrap_or_else(|error| corrupt_game(error));
                keys.wrapping_add(of_values)
            }
            None => of_values,
        };
        let place = || format!("the row ({},{})", row.block, row.offset);
        match entries.binary_search_by_key(&number_of(row), |entry| entry.row) {
            Err(_) => index.damaged(metapage::BLOCK, &format!("{} is missing in the index", place())),
            Ok(at) if entries[at].fingerprint != expected(entries[at].patterns) => {
                index.damaged(metapage::BLOCK, &format!("{} has other keys or attributes in the index", place()))
            }
            Ok(_) => {}
        }
    }
}
