//! A plain index scan: returns the row pointers for a question one by one.
//!
//! Reads lists only as far as rows are asked for, segment by segment, then the pending games: `LIMIT`, `EXISTS` and cursors
//! stop early. Rows are marked for a recheck as in a bitmap scan.
//!
//! The index may change between two rows. If a page was replaced, the scan restarts and skips the rows that it has
//! returned, so it remembers them. A row that the snapshot sees keeps its row pointer as long as the snapshot exists, so it
//! is neither returned twice nor missed. When half of `work_mem` is full, or after several restarts, the scan reads all remaining
//! rows at once, into memory and a temporary file, and needs no more pages of the index.

use std::collections::VecDeque;

use chess_core::pause;
use chess_index::common::CommonGames;
use chess_index::key;
use chess_index::meta::{Meta, Part, State};
use chess_index::rows::Row;
use chess_index::search::List;
use chess_index::segment::Segment;
use chess_index::select::{Selection, Sought};
use chess_index::sink::Spill;
#[cfg(feature = "pg_test")]
use pgrx::pg_sys;

use crate::access_method::metapage;
use crate::access_method::pages::{Index, IndexLock};
use crate::access_method::pending;
use crate::access_method::question::{LookUp, Question};
use crate::access_method::segments::{MOST_RESTARTS, PartPages, Replaced, games_of_any, refuse_if_listed};
use crate::access_method::spill::TemporaryFile;
use crate::server::memory::ScanMemory;

/// Rows looked up at first; the number doubles with each batch.
const FIRST_ROWS: usize = 16;
const MOST_ROWS: usize = 1024;

/// A scan.
pub struct TupleScan {
    question: Question,
    /// Parts not begun yet, the next one last.
    parts: Vec<Part>,
    open: Option<Open>,
    /// Rows looked up but not returned yet.
    found: VecDeque<Row>,
    /// Whether these need no recheck.
    are_certain: bool,
    returned: Returned,
    restarts: u32,
    /// All remaining rows, once they have been read.
    rest: Option<Rest>,
    /// Rows to look up next.
    batch: usize,
    /// The most rows to remember.
    most_returned: usize,
}

/// The part being read.
enum Open {
    Segment { pages: PartPages<'static>, segment: Segment, games: Box<Games> },
    Pending { pages: PartPages<'static>, page: u32, end: u32 },
}

/// The games of a segment that may answer the question.
struct Games {
    /// Those of boards and openings; all if there are no such conditions.
    common: CommonGames,
    /// Those of patterns, if their keys narrow the search.
    patterns: Option<Selection>,
    /// Games of patterns that come next, and the place of the first.
    window: (Vec<u32>, usize),
    /// Whether all of them fulfil the conditions.
    are_certain: bool,
}

impl Games {
    fn next(&mut self, pages: &PartPages<'_>, segment: &Segment) -> Result<Option<u32>, Replaced> {
        let Some(patterns) = &mut self.patterns else { return pages.sound(self.common.next(pages, segment)) };
        let (window, at) = &mut self.window;
        loop {
            let Some(game) = window.get(*at).copied() else {
                if !pages.sound(patterns.next(pages, segment, window))? {
                    return Ok(None);
                }
                *at = 0;
                continue;
            };
            match pages.sound(self.common.next_from(pages, segment, game))? {
                None => return Ok(None),
                Some(common) if common == game => {
                    *at += 1;
                    return Ok(Some(game));
                }
                Some(common) => {
                    *at += window[*at..].partition_point(|game| *game < common);
                    patterns.skip_to(common);
                }
            }
        }
    }
}

impl TupleScan {
    /// Starts a scan; without a question it finds nothing. `memory` limits the rows that it keeps in memory, in bytes.
    pub fn new(index: Index, question: Option<Question>, memory: usize) -> TupleScan {
        let has_answers = question.is_some();
        let mut scan = TupleScan {
            question: question.unwrap_or_default(),
            parts: Vec::new(),
            open: None,
            found: VecDeque::new(),
            are_certain: false,
            returned: Returned::default(),
            restarts: 0,
            rest: None,
            batch: FIRST_ROWS,
            most_returned: memory / 2 / size_of::<Row>(),
        };
        if has_answers {
            scan.begin(metapage::read(index));
        }
        scan
    }

    /// The next row that may answer the question; `None` at the end.
    pub fn next(&mut self, index: Index) -> Option<Row> {
        loop {
            if let Some(row) = self.found.pop_front() {
                return Some(row);
            }
            if let Some(rest) = &mut self.rest {
                rest.read(&mut self.found);
                return self.found.pop_front();
            }
            let lock = self.lock(index);
            if self.returned.len() >= self.most_returned || lock.is_some() {
                self.read_rest(index, lock);
                continue;
            }
            let mut rows = Vec::new();
            match self.read(index, &mut rows) {
                Ok(true) => self.returned.add(&rows),
                Ok(false) => return None,
                Err(replaced) => {
                    self.restart(index, replaced);
                    continue;
                }
            }
            self.found.extend(rows);
            self.batch = (2 * self.batch).min(MOST_ROWS);
        }
    }

    /// Whether the row that [`TupleScan::next`] has returned needs a recheck.
    pub fn needs_recheck(&self) -> bool {
        !self.are_certain && !self.question.is_of_attributes()
    }

    fn begin(&mut self, meta: Meta) {
        let Meta { pending, parts, .. } = meta;
        let (segments, others): (Vec<Part>, Vec<Part>) = parts.into_iter().partition(|part| part.state == State::Live);
        let closed = others.into_iter().filter(|part| part.state == State::Closed);
        self.parts = segments.into_iter().chain(closed).chain([pending]).collect();
        self.parts.reverse();
        self.open = None;
    }

    fn restart(&mut self, index: Index, replaced: Replaced) {
        pgrx::check_for_interrupts!();
        let meta = metapage::read(index);
        refuse_if_listed(index, &meta, replaced);
        self.begin(meta);
        self.returned.know();
        self.restarts = self.restarts.saturating_add(1);
    }

    /// After several restarts, returns the lock that prevents pages from being replaced. It is not held between two rows, because
    /// a cursor may stay open for hours.
    fn lock(&self, index: Index) -> Option<IndexLock> {
        if self.restarts >= MOST_RESTARTS { IndexLock::against_reuse(index) } else { None }
    }

    /// Appends rows that have not been returned yet, perhaps none, and says whether they need no recheck. Returns false
    /// at the end.
    fn read(&mut self, index: Index, rows: &mut Vec<Row>) -> Result<bool, Replaced> {
        let returned = &self.returned;
        let mut add = |row| {
            if !returned.has(row) {
                rows.push(row);
            }
        };
        self.are_certain = matches!(&self.open, Some(Open::Segment { games, .. }) if games.are_certain);
        match &mut self.open {
            None => {
                let Some(part) = self.parts.pop() else { return Ok(false) };
                self.open = Some(open(index, part, &self.question)?);
            }
            Some(Open::Segment { pages, segment, games }) => {
                let mut numbers = Vec::with_capacity(self.batch);
                while numbers.len() < self.batch
                    && let Some(game) = games.next(pages, segment)?
                {
                    numbers.push(game);
                }
                let is_over = numbers.len() < self.batch;
                pages.sound(segment.retain_living(&*pages, &mut numbers))?;
                pages.sound(segment.retain_met(&*pages, &self.question.filters, &mut numbers))?;
                pages.sound(segment.rows(&*pages, &numbers, |_, row| add(row)))?;
                if is_over {
                    self.open = None;
                }
            }
            Some(Open::Pending { pages, page, end }) => {
                if *page < *end {
                    pending::each_match(index, pages, *page, &self.question, add)?;
                    *page += 1;
                } else {
                    self.open = None;
                }
            }
        }
        Ok(true)
    }

    /// Reads all remaining rows.
    fn read_rest(&mut self, index: Index, mut lock: Option<IndexLock>) {
        let mut rest = Rest::default();
        let mut rows = Vec::new();
        self.batch = MOST_ROWS;
        let mut are_certain = true;
        loop {
            rows.clear();
            match self.read(index, &mut rows) {
                Ok(true) => {
                    rest.add(&rows, self.most_returned);
                    are_certain &= self.are_certain || rows.is_empty();
                }
                Ok(false) => break,
                Err(replaced) => {
                    rest = Rest::default();
                    lock = lock.or_else(|| self.lock(index));
                    self.restart(index, replaced);
                }
            }
        }
        self.are_certain = are_certain;
        self.returned = Returned::default();
        self.rest = Some(rest);
    }
}

/// Starts to read a part.
fn open(index: Index, part: Part, question: &Question) -> Result<Open, Replaced> {
    let (state, end) = (part.state, part.pages);
    let pages = PartPages::owned(index, part);
    if state != State::Live {
        return Ok(Open::Pending { pages, page: 0, end });
    }
    let segment = pages.open()?;
    let (mut groups, mut sought) = (Vec::new(), Vec::new());
    for condition in &question.conditions {
        match &condition.look_up {
            LookUp::AnyOf(questions) => groups.push(lists_of(&pages, &segment, questions)?),
            LookUp::Keys(tree, certainty) => sought.push(Sought { tree, certainty: certainty.as_deref() }),
            LookUp::AnyKeys(trees) => {
                let games = games_of_any(&pages, &segment, trees)?;
                groups.extend(games.map(|games| vec![List::of_games(games)]));
            }
        }
    }
    let patterns = pages.sound(Selection::new(&pages, &segment, &sought, None))?;
    let are_certain = question.is_of_patterns() && patterns.as_ref().is_some_and(Selection::is_certain);
    let games = Box::new(Games { common: CommonGames::new(groups), patterns, window: (Vec::new(), 0), are_certain });
    Ok(Open::Segment { pages, segment, games })
}

/// The lists of the questions of a condition, without duplicates.
fn lists_of(pages: &PartPages<'_>, segment: &Segment, questions: &[key::Question]) -> Result<Vec<List>, Replaced> {
    let mut questions: Vec<&key::Question> = questions.iter().collect();
    pause::sort_by(&mut questions, |a, b| (&a.exact, a.tail).cmp(&(&b.exact, b.tail)));
    questions.dedup();
    let mut lists = Vec::new();
    for question in questions {
        lists.append(&mut pages.sound(segment.lists(pages, question))?);
    }
    Ok(lists)
}

/// Rows that the scan has returned.
#[derive(Default)]
struct Returned {
    rows: Vec<Row>,
    /// The first rows, from before the last restart, are sorted. A scan returns each row at most once without a restart.
    known: usize,
}

impl Returned {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn add(&mut self, rows: &[Row]) {
        self.rows.extend_from_slice(rows);
    }

    /// Prepares for a restart.
    fn know(&mut self) {
        pause::sort(&mut self.rows);
        self.known = self.rows.len();
    }

    fn has(&self, row: Row) -> bool {
        self.rows[..self.known].binary_search(&row).is_ok()
    }
}

/// Rows in a temporary file, then rows in memory.
#[derive(Default)]
struct Rest {
    rows: Vec<Row>,
    file: TemporaryFile,
    /// Bytes of the file written and read.
    written: u64,
    read: u64,
}

/// Bytes of a row in the file.
const ROW: usize = 6;

impl Rest {
    fn add(&mut self, rows: &[Row], most: usize) {
        self.rows.extend_from_slice(rows);
        if self.rows.len() >= most.max(MOST_ROWS) {
            let mut bytes = Vec::with_capacity(ROW * MOST_ROWS);
            for rows in self.rows.chunks(MOST_ROWS) {
                bytes.clear();
                for row in rows {
                    bytes.extend(row.block.to_le_bytes());
                    bytes.extend(row.offset.to_le_bytes());
                }
                let Ok(()) = self.file.write(&bytes);
                self.written += bytes.len() as u64;
            }
            self.rows.clear();
        }
    }

    /// Moves some rows to `found`.
    fn read(&mut self, found: &mut VecDeque<Row>) {
        let left = (self.written - self.read).min((ROW * MOST_ROWS) as u64);
        if left == 0 {
            found.extend(self.rows.drain(..));
            return;
        }
        let mut bytes = vec![0; left as usize];
        let Ok(()) = self.file.read(self.read, &mut bytes);
        self.read += left;
        found.extend(bytes.as_chunks::<ROW>().0.iter().map(|row| Row {
            block: u32::from_le_bytes([row[0], row[1], row[2], row[3]]),
            offset: u16::from_le_bytes([row[4], row[5]]),
        }));
    }
}

/// What a scan descriptor points to.
pub struct Kept {
    /// The scan, from its first row on.
    scan: Option<TupleScan>,
    /// What it allocates.
    memory: ScanMemory,
}

impl Kept {
    /// No scan yet.
    pub fn new() -> Kept {
        Kept { scan: None, memory: ScanMemory::new() }
    }

    /// Calls `work` with the scan, which `begin` starts if it has not begun. Both allocate in the memory of the scan.
    pub fn with<T>(&mut self, begin: impl FnOnce() -> TupleScan, work: impl FnOnce(&mut TupleScan) -> T) -> T {
        let Kept { scan, memory } = self;
        memory.with(|| work(scan.get_or_insert_with(begin)))
    }

    /// Calls `work`, which needs no scan row by row, in the memory of the scan.
    pub fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        self.memory.with(work)
    }

    /// Ends the scan.
    pub fn end(&mut self) {
        self.scan = None;
        self.memory.reset();
    }
}

impl Drop for Kept {
    /// Runs when the query's memory is freed. A scan still open then has ended with an ERROR, and the transaction closes
    /// its file, perhaps before.
    fn drop(&mut self) {
        if let Some(TupleScan { rest: Some(rest), .. }) = &mut self.scan {
            rest.file.forget();
        }
    }
}

/// All rows, and whether the scan has restarted. Calls `meanwhile` before each row, with the number of rows so far.
#[cfg(feature = "pg_test")]
pub fn rows_while(index: pg_sys::Oid, memory: usize, mut meanwhile: impl FnMut(usize)) -> (Vec<Row>, bool) {
    let lock = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
    // SAFETY: the tests name an index of this access method; it is closed below.
    let relation = unsafe { pg_sys::index_open(index, lock) };
    // SAFETY: as above.
    let index = unsafe { Index::new(relation) };
    let mut scan = TupleScan::new(index, Some(Question::default()), memory);
    let (mut rows, mut has_restarted) = (Vec::new(), false);
    loop {
        meanwhile(rows.len());
        let next = scan.next(index);
        has_restarted |= scan.returned.known > 0;
        match next {
            Some(row) => rows.push(row),
            None => break,
        }
    }
    // SAFETY: opened above.
    unsafe { pg_sys::index_close(relation, lock) };
    (rows, has_restarted)
}
