//! A bitmap scan: returns the row pointers for a question. [`super::tuples`] returns them one by one.
//!
//! Adds every row that may answer the question to the bitmap, marked for a recheck: several boards may share a key. Only
//! games that are found by attributes alone or by lists of material, which are exact, need none. A row pointer that was removed and used
//! again since needs none either: the snapshot does not see the new row. A scan that restarts adds rows twice, which
//! changes nothing.

use chess_core::pause;
use chess_index::mask::Mask;
use chess_index::meta::{Meta, State};
use chess_index::page::Page;
use chess_index::rows::Row;
use chess_index::segment::Segment;
use chess_index::select::{Selection, Sought};
use pgrx::memcxt::PgMemoryContexts;
use pgrx::pg_guard;
use pgrx::pg_sys::{self, IndexScanDesc, Relation, ScanKey};

use crate::access_method::pages::Index;
use crate::access_method::pending;
use crate::access_method::question::{Condition, LookUp, Question};
use crate::access_method::row_pointers::tid_of;
use crate::access_method::segments::{PartPages, Replaced, games_of_any, read_sound};
use crate::access_method::tuples::{Kept, TupleScan};
use crate::server::versions;

#[pg_guard]
pub unsafe extern "C-unwind" fn ambeginscan(relation: Relation, keys: i32, orderbys: i32) -> IndexScanDesc {
    // SAFETY: called by the server with an open index. What `opaque` points to is dropped with the memory of the scan.
    unsafe {
        let scan = pg_sys::RelationGetIndexScan(relation, keys, orderbys);
        (*scan).opaque = PgMemoryContexts::CurrentMemoryContext.leak_and_drop_on_delete(Kept::new()).cast();
        scan
    }
}

#[pg_guard]
pub unsafe extern "C-unwind" fn amrescan(
    scan: IndexScanDesc,
    keys: ScanKey,
    _key_count: i32,
    _orderbys: ScanKey,
    _orderby_count: i32,
) {
    // SAFETY: called by the server with its scan; both sets of keys may be the same memory.
    unsafe {
        kept(scan).end();
        if !keys.is_null() && (*scan).numberOfKeys > 0 {
            std::ptr::copy(keys, (*scan).keyData, (*scan).numberOfKeys as usize);
        }
    }
}

#[pg_guard]
pub unsafe extern "C-unwind" fn amendscan(scan: IndexScanDesc) {
    // SAFETY: called by the server with its scan.
    unsafe { kept(scan).end() };
}

/// What a scan keeps between two rows.
unsafe fn kept<'a>(scan: IndexScanDesc) -> &'a mut Kept {
    // SAFETY: the caller passes a scan that `ambeginscan` has made.
    unsafe { &mut *(*scan).opaque.cast() }
}

/// Returns the index of a scan, to be read for the snapshot of the scan.
unsafe fn index_of(scan: IndexScanDesc) -> Index {
    // SAFETY: the caller passes a scan of an index of this access method; both belong to it until its end.
    unsafe { Index::new((*scan).indexRelation).seen_by((*scan).xs_snapshot) }
}

/// The index and the question of a scan whose keys were set by `amrescan`; no question if no row answers it.
unsafe fn asked(scan: IndexScanDesc) -> (Index, Option<Question>) {
    // SAFETY: the caller passes a scan of an index of this access method.
    unsafe {
        let count = (*scan).numberOfKeys as usize;
        let keys = if count == 0 { &[] } else { std::slice::from_raw_parts((*scan).keyData, count) };
        let index = index_of(scan);
        (index, Question::of_keys(index, keys))
    }
}

#[pg_guard]
pub unsafe extern "C-unwind" fn amgettuple(scan: IndexScanDesc, _direction: pg_sys::ScanDirection::Type) -> bool {
    // SAFETY: called by the server with its scan, only forward.
    unsafe {
        let begin = || {
            versions::count_index_scan(scan);
            let (index, question) = asked(scan);
            TupleScan::new(index, question, work_memory())
        };
        kept(scan).with(begin, |tuples| match tuples.next(index_of(scan)) {
            Some(row) => {
                (*scan).xs_heaptid = tid_of(row);
                (*scan).xs_recheck = tuples.needs_recheck();
                true
            }
            None => false,
        })
    }
}

/// The setting `work_mem`, in bytes.
pub fn work_memory() -> usize {
    // SAFETY: a setting of this process, in kilobytes.
    unsafe { pg_sys::work_mem as usize * 1024 }
}

#[pg_guard]
pub unsafe extern "C-unwind" fn amgetbitmap(scan: IndexScanDesc, bitmap: *mut pg_sys::TIDBitmap) -> i64 {
    // SAFETY: called by the server with its scan of an index of this access method, whose keys were set by `amrescan`.
    unsafe {
        versions::count_index_scan(scan);
        kept(scan).within(|| {
            let (index, question) = asked(scan);
            let Some(question) = question else { return 0 };
            read_sound(index, |meta| {
                let mut found = Found { bitmap, rows: Vec::with_capacity(BATCH), are_certain: false, count: 0 };
                search(index, meta, &question, &mut found)?;
                found.pass_on();
                Ok(found.count)
            })
        })
    }
}

/// Collects rows for the bitmap. It passes them on in batches, because each call of the server costs a guard.
struct Found {
    bitmap: *mut pg_sys::TIDBitmap,
    rows: Vec<pg_sys::ItemPointerData>,
    /// Whether these rows need no recheck.
    are_certain: bool,
    count: i64,
}

const BATCH: usize = 1024;

impl Found {
    /// Says whether the rows that follow need no recheck.
    fn turn_to(&mut self, are_certain: bool) {
        self.pass_on();
        self.are_certain = are_certain;
    }

    fn add(&mut self, row: Row) {
        self.rows.push(tid_of(row));
        if self.rows.len() == BATCH {
            self.pass_on();
        }
    }

    fn pass_on(&mut self) {
        // SAFETY: the bitmap is the server's, and copies the row pointers.
        unsafe {
            pg_sys::tbm_add_tuples(self.bitmap, self.rows.as_mut_ptr(), self.rows.len() as i32, !self.are_certain)
        };
        self.count += self.rows.len() as i64;
        self.rows.clear();
    }
}

fn search(index: Index, meta: &Meta, question: &Question, found: &mut Found) -> Result<(), Replaced> {
    // The pending games come first, because their pages are replaced first.
    found.turn_to(question.is_of_attributes());
    for part in meta.in_state(State::Closed).chain([&meta.pending]) {
        let pages = PartPages::new(index, part);
        for page in 0..part.pages {
            pending::each_match(index, &pages, page, question, |row| found.add(row))?;
        }
    }
    for part in meta.in_state(State::Live) {
        let pages = PartPages::new(index, part);
        let segment = pages.open()?;
        let candidates = candidates(&pages, &segment, question)?;
        found.turn_to(candidates.as_ref().is_some_and(|candidates| candidates.are_certain));
        match candidates {
            Some(candidates) => pages.sound(segment.rows(&pages, &candidates.games, |_, row| found.add(row)))?,
            None => each_living_row(&pages, &segment, |_, row| found.add(row))?,
        }
    }
    Ok(())
}

/// Games of a segment, ascending.
pub struct Candidates {
    pub games: Vec<u32>,
    /// Whether they fulfil all conditions, so that they need no recheck.
    pub are_certain: bool,
}

impl Candidates {
    fn unsure(games: Vec<u32>) -> Candidates {
        Candidates { games, are_certain: false }
    }
}

/// The games of a segment that may fulfil all conditions, without dead ones. `None` if all games may.
fn candidates(pages: &PartPages<'_>, segment: &Segment, question: &Question) -> Result<Option<Candidates>, Replaced> {
    let mut found = of_conditions(pages, segment, &question.conditions)?;
    if let Some(found) = &mut found {
        found.are_certain &= question.is_of_patterns();
    }
    if question.filters.is_empty() {
        return Ok(found);
    }
    let candidates = match found {
        Some(mut found) => {
            pages.sound(segment.retain_met(pages, &question.filters, &mut found.games))?;
            found
        }
        None => {
            let mut games = pages.sound(segment.met(pages, &question.filters))?;
            pages.sound(segment.retain_living(pages, &mut games))?;
            Candidates { games, are_certain: question.is_of_attributes() }
        }
    };
    Ok(Some(candidates))
}

/// The games of a segment that may fulfil the conditions on games, without dead ones. `None` if all games may.
pub fn of_conditions(
    pages: &PartPages<'_>,
    segment: &Segment,
    conditions: &[Condition],
) -> Result<Option<Candidates>, Replaced> {
    let mut candidates: Option<Vec<u32>> = None;
    let mut patterns = Vec::new();
    for condition in conditions {
        if candidates.as_ref().is_some_and(Vec::is_empty) {
            return Ok(candidates.map(Candidates::unsure));
        }
        let mut games = Vec::new();
        match &condition.look_up {
            LookUp::AnyOf(any_of) => {
                for (nth, question) in any_of.iter().enumerate() {
                    games.append(&mut pages.sound(segment.games(pages, question))?);
                    // Duplicates are removed early, so that even many boards take no more memory than all games do.
                    if nth + 1 == any_of.len() && nth > 0 || games.len() / 2 > segment.games as usize {
                        pause::sort(&mut games);
                        games.dedup();
                    }
                }
            }
            LookUp::Keys(tree, certainty) => {
                patterns.push(Sought { tree, certainty: certainty.as_deref() });
                continue;
            }
            LookUp::AnyKeys(trees) => {
                let Some(found) = games_of_any(pages, segment, trees)? else { continue };
                games = found;
                pages.sound(segment.retain_living(pages, &mut games))?;
            }
        }
        if let Some(others) = &candidates {
            keep_common(&mut games, others);
        }
        candidates = Some(games);
    }
    let selection = pages.sound(Selection::new(pages, segment, &patterns, candidates.as_deref()))?;
    let Some(mut selection) = selection else { return Ok(candidates.map(Candidates::unsure)) };
    let (mut games, mut window) = (Vec::new(), Vec::new());
    while pages.sound(selection.next(pages, segment, &mut window))? {
        games.append(&mut window);
    }
    pages.sound(segment.retain_living(pages, &mut games))?;
    Ok(Some(Candidates { games, are_certain: selection.is_certain() }))
}

/// Keeps the games that are in both of two ascending lists.
fn keep_common(games: &mut Vec<u32>, others: &[u32]) {
    let mut others = others.iter().copied().peekable();
    games.retain(|game| {
        while others.next_if(|other| other < game).is_some() {}
        others.peek() == Some(game)
    });
}

/// Calls `found` with each game that is not dead and its row.
pub fn each_living_row(
    pages: &PartPages<'_>,
    segment: &Segment,
    mut found: impl FnMut(u32, Row),
) -> Result<(), Replaced> {
    let mut dead = dead_games(pages, segment)?.into_iter().peekable();
    pages.sound(segment.each_row(pages, |game, row| {
        if dead.next_if_eq(&game).is_none() {
            found(game, row);
        }
    }))
}

/// The dead games of a segment, ascending.
pub fn dead_games(pages: &PartPages<'_>, segment: &Segment) -> Result<Vec<u32>, Replaced> {
    let mut dead: Vec<u32> = Vec::new();
    for number in segment.mask_pages() {
        let content = pages.content(number)?;
        let mask = Page::read(&content).and_then(|page| Mask::read(&page));
        let mask = mask.unwrap_or_else(|broken| pages.damaged(number, broken.0));
        if mask.dead > 0 {
            dead.extend((mask.first..mask.first.saturating_add(mask.count)).filter(|game| mask.is_dead(*game)));
        }
    }
    Ok(dead)
}

/// Scans an index for a test and calls `meanwhile` after the first read of the metapage. Returns how often the metapage
/// was read, and the number of rows.
#[cfg(feature = "pg_test")]
pub fn rows_while(index: pg_sys::Oid, mut meanwhile: impl FnMut()) -> (usize, usize) {
    // SAFETY: the tests name an index of this access method.
    let relation = unsafe { pg_sys::index_open(index, pg_sys::AccessShareLock as pg_sys::LOCKMODE) };
    // SAFETY: as above; it is closed below.
    let index = unsafe { Index::new(relation) };
    let mut attempts = 0;
    let rows = read_sound(index, |meta| {
        attempts += 1;
        if attempts == 1 {
            meanwhile();
        }
        let mut rows = 0;
        for part in meta.in_state(State::Live) {
            let pages = PartPages::new(index, part);
            let segment = pages.open()?;
            each_living_row(&pages, &segment, |_, _| rows += 1)?;
        }
        let pages = PartPages::new(index, &meta.pending);
        for page in 0..meta.pending.pages {
            pending::each_row(index, &pages, page, |_, _, _| rows += 1)?;
        }
        Ok(rows)
    });
    // SAFETY: opened above.
    unsafe { pg_sys::index_close(relation, pg_sys::AccessShareLock as pg_sys::LOCKMODE) };
    (attempts, rows)
}
