//! Sums over the games with a position, from the index: what the opening explorer shows.
//!
//! Takes a board and conditions on attributes; returns for each move played there, and each result, the number of games, the
//! sums of their ratings and the latest day. They are those that a query of the table with the same snapshot finds.
//!
//! # Which rows count
//!
//! A function reads the index outside of a plan, so it does what the executor would: it takes the snapshot of the query, and a
//! predicate lock of the table in a SERIALIZABLE transaction. A row that the index names is visible if its heap page is
//! all-visible; otherwise the table is asked. The bits of the visibility map are read first, the mask of dead games
//! afterwards: VACUUM sets the mask before it removes a row, and the bit of the map after that. In the other order, a row that
//! is removed in between would count, because its page may have become all-visible.
//!
//! # Which games reach the position
//!
//! An exact list has the games that reach it by half-move 28, with the move that each of them plays. The table is asked for
//! games that the lists do not decide: where rights of castling or en passant differ, before promotions, and candidates of
//! plain lists. Pending games are replayed.

use std::collections::HashMap;

use chess_core::facts::explorer::Explorer;
use chess_core::facts::moves::each_legal;
use chess_core::search::finder::Matching;
use chess_core::search::hybrid_keys::{Next, Rights};
use chess_core::{Board, Finder, GameRef};
use chess_index::attributes::{Value, Within};
use chess_index::block::Block;
use chess_index::key::{self, Class};
use chess_index::meta::{Meta, State};
use chess_index::rows::Row;
use chess_index::segment::Segment;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, Datum, Oid};

use crate::access_method::attributes::numbers_of;
use crate::access_method::build::tid_of;
use crate::access_method::inspect::Opened;
use crate::access_method::pages::Index;
use crate::access_method::pending;
use crate::access_method::segments::{PartPages, Replaced, read_sound};
use crate::server::datum::{Varlena, varlena_from};
use crate::server::error::raise;
use crate::server::fmgr::Call;
use crate::server::rows::Rows;
use crate::server::versions;
use crate::values::board::unpack;
use crate::values::game::view;
use crate::values::refusals::corrupt_game;

/// Games whose rows are looked up at once.
const BATCH: usize = 8192;

/// The number of a continuation: 0 if the game ends, otherwise one more than the number of the legal move. No position has
/// more than 218.
type Played = u8;

/// A legal move.
struct Move {
    uci: String,
    san: String,
    /// The squares in a note; `None` for a promotion.
    squares: Option<(u8, u8)>,
}

/// Conditions on attributes.
struct Conditions {
    /// Columns of the ratings of White and Black.
    ratings: [usize; 2],
    /// A game meets one of them.
    alternatives: Vec<Alternative>,
}

/// Conditions that all hold.
struct Alternative {
    /// Of the mean of the ratings, rounded down, where both are positive.
    mean: Option<Within>,
    /// Of single columns.
    others: Vec<(usize, Within)>,
}

/// The column of a triple that is the mean of the ratings.
const MEAN: i64 = 0;
/// The column of a triple that begins another alternative.
const OR: i64 = -1;

impl Conditions {
    /// Reads triples of a column, the least and the greatest value. The triples of one column are alternatives.
    fn read(numbers: &[i64], ratings: [usize; 2], columns: usize) -> Conditions {
        let (triples, rest) = numbers.as_chunks::<3>();
        let is_known = |column: i64| column == MEAN || column == OR || (2..columns as i64 + 2).contains(&column);
        if !rest.is_empty() || !triples.iter().all(|[column, ..]| is_known(*column)) {
            let message = "conditions must be triples of a column of the index and two values".into();
            raise(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, message, None, None);
        }
        let alternatives = triples.split(|[column, ..]| *column == OR).map(Alternative::read).collect();
        Conditions { ratings, alternatives }
    }

    fn are_none(&self) -> bool {
        self.alternatives.iter().any(|all| all.mean.is_none() && all.others.is_empty())
    }

    fn are_met(&self, value: impl Fn(usize) -> Value) -> bool {
        self.alternatives.iter().any(|all| {
            all.others.iter().all(|(column, within)| within.has(value(*column)))
                && all.mean.as_ref().is_none_or(|within| {
                    let [white, black] = self.ratings.map(|column| value(column).filter(|rating| *rating > 0));
                    let mean = |(white, black): (i32, i32)| ((i64::from(white) + i64::from(black)) / 2) as i32;
                    within.has(white.zip(black).map(mean))
                })
        })
    }
}

impl Alternative {
    fn read(triples: &[[i64; 3]]) -> Alternative {
        let mut ranges: HashMap<i64, Vec<(i64, i64)>> = HashMap::new();
        for [column, least, most] in triples {
            ranges.entry(*column).or_default().push((*least, *most));
        }
        let mean = ranges.remove(&MEAN).map(Within::any_of);
        let others = ranges.into_iter().map(|(column, ranges)| (column as usize - 2, Within::any_of(ranges))).collect();
        Alternative { mean, others }
    }
}

/// The attributes that are summed: ratings of White and Black, result, day.
type Values = [Value; 4];

/// Where the row pointer of a game is.
#[derive(Clone, Copy)]
enum Place {
    Row(Row),
    /// The number of a segment, and of the game in it.
    Game(u32, u32),
}

/// A game that reaches the position.
struct Found {
    place: Place,
    played: Played,
    /// NULL if only the number of games is asked for.
    values: Values,
}

/// What is asked.
struct Asked {
    finder: Finder,
    explorer: Explorer,
    /// The legal moves; none if no game can have the position.
    moves: Vec<Move>,
    rights: Rights,
    question: key::Question,
    conditions: Conditions,
    /// The columns of [`Values`]; a number beyond the last column stands for NULL.
    columns: [usize; 4],
    /// Whether values are summed, not only games counted.
    has_sums: bool,
    /// The continuation for each pair of squares.
    known: Vec<Option<Played>>,
}

impl Asked {
    fn new(board: &Board, columns: [usize; 4], has_sums: bool, conditions: Conditions) -> Asked {
        let mut moves = Vec::new();
        // An en passant square without a legal capture is not part of the position, and may be impossible.
        let mut asked = board.clone();
        asked.en_passant = board.legal_en_passant_file().and(board.en_passant);
        // No game has a position that the rules do not apply to.
        let _ = each_legal(&asked, |details| {
            let squares = details.promotion.is_none().then_some((details.from, details.to));
            moves.push(Move { uci: details.uci.clone(), san: details.san.clone(), squares });
        });
        let mut known = vec![None; 1 << 12];
        for (number, (from, to)) in
            moves.iter().enumerate().filter_map(|(number, found)| Some((number, found.squares?)))
        {
            known[place_of(from, to)] = Some(number as Played + 1);
        }
        Asked {
            finder: Finder::new(board, Matching::Position),
            explorer: Explorer::new(board),
            moves,
            rights: Rights::of(board),
            question: key::Question::position(board, u32::MAX),
            conditions,
            columns,
            has_sums,
            known,
        }
    }

    /// The continuation of a game by its note; `None` if the game must be replayed.
    fn played(&self, next: Next) -> Option<Played> {
        match next {
            Next::End => Some(0),
            Next::Move { from, to } => self.known[place_of(from, to)],
        }
    }

    /// The continuation of a game; `None` if it does not reach the position.
    fn replay(&self, game: GameRef<'_>) -> Option<Played> {
        let ply = self.finder.find(game, u32::MAX).unwrap_or_else(|error| corrupt_game(error))?;
        if ply == game.ply_count() {
            return Some(0);
        }
        let san = self.explorer.next_move(game).unwrap_or_else(|error| corrupt_game(error))?;
        self.moves.iter().position(|found| found.san == san).map(|number| number as Played + 1)
    }
}

/// The place of a pair of squares in a table of them.
fn place_of(from: u8, to: u8) -> usize {
    usize::from(from & 63) << 6 | usize::from(to & 63)
}

/// A table with the snapshot that decides which of its rows are visible.
struct Heap {
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
    last: Option<(u32, bool)>,
}

impl Heap {
    /// The heap must stay open as long as the result.
    unsafe fn new(opened: &Opened, game: i16) -> Heap {
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
                last: None,
            }
        }
    }

    /// Whether every page is all-visible.
    fn is_all_visible(&self) -> bool {
        let (mut visible, none) = (0, std::ptr::null_mut());
        if !self.has_map {
            return false;
        }
        // SAFETY: an open table. The pages are counted last, so that a page that comes meanwhile counts as not visible.
        unsafe {
            pg_sys::visibilitymap_count(self.heap, &mut visible, none);
            pg_sys::RelationGetNumberOfBlocksInFork(self.heap, pg_sys::ForkNumber::MAIN_FORKNUM) == visible
        }
    }

    /// Whether a page is all-visible.
    fn is_visible_page(&mut self, block: u32) -> bool {
        if let Some((known, is_visible)) = self.last
            && known == block
        {
            return is_visible;
        }
        let status = match self.has_map {
            // SAFETY: an open table; the buffer is that of the page read last.
            true => unsafe { pg_sys::visibilitymap_get_status(self.heap, block, &mut self.map) },
            false => 0,
        };
        let is_visible = u32::from(status) & pg_sys::VISIBILITYMAP_ALL_VISIBLE != 0;
        self.last = Some((block, is_visible));
        is_visible
    }

    /// Fetches the visible version of a row into the slot; false if there is none.
    fn fetch(&mut self, row: Row) -> bool {
        pgrx::check_for_interrupts!();
        let (mut tid, mut again) = (tid_of(row), false);
        // SAFETY: all are of this table.
        unsafe {
            let none = std::ptr::null_mut();
            pg_sys::table_index_fetch_tuple(self.fetch, &mut tid, self.snapshot, self.slot, &mut again, none)
        }
    }

    /// Calls `read` with the game of a visible row; `None` if the row is not visible or has no game.
    fn game<T>(&mut self, row: Row, read: impl FnOnce(GameRef<'_>) -> T) -> Option<T> {
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
    fn current(&mut self, row: Row) -> Option<pg_sys::ItemPointerData> {
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

/// Calls `found` with each visible game that reaches the position and fulfils the conditions.
fn each_game(
    index: Index,
    meta: &Meta,
    asked: &Asked,
    heap: &mut Heap,
    found: &mut impl FnMut(Found),
) -> Result<(), Replaced> {
    for part in meta.in_state(State::Live) {
        let pages = PartPages::new(index, part);
        let segment = pages.open()?;
        in_segment(&pages, &segment, asked, heap, found)?;
    }
    for part in meta.in_state(State::Closed).chain([&meta.pending]) {
        let pages = PartPages::new(index, part);
        for page in 0..part.pages {
            let mut reached = Vec::new();
            pending::each_row(index, &pages, page, |row, values, game| {
                let value = |column: usize| values.get(column).copied().flatten();
                if let Some(game) = game
                    && asked.conditions.are_met(value)
                    && let Some(played) = asked.replay(pending::decode(index, &pages, page, game))
                {
                    reached.push((row, played, asked.columns.map(value)));
                }
            })?;
            for (row, played, values) in reached {
                if heap.fetch(row) {
                    found(Found { place: Place::Row(row), played, values });
                }
            }
        }
    }
    Ok(())
}

fn in_segment(
    pages: &PartPages<'_>,
    segment: &Segment,
    asked: &Asked,
    heap: &mut Heap,
    found: &mut impl FnMut(Found),
) -> Result<(), Replaced> {
    let lists = pages.sound(segment.lists(pages, &asked.question))?;
    // Games that a list does not decide, and those that one has, which count once.
    let mut unsure: Vec<u32> = Vec::new();
    let has_plain = lists.iter().any(|list| list.class == Class::Plain);
    let mut decided = vec![0u64; if has_plain { (segment.games as usize).div_ceil(64) } else { 0 }];
    let (mut games, mut played) = (Vec::with_capacity(BATCH), Vec::with_capacity(BATCH));
    let mut block = Block::default();
    for list in &lists {
        let mut reader = list.read();
        while pages.sound(reader.next(pages, segment, &mut block))? {
            if block.notes.is_empty() {
                unsure.extend_from_slice(&block.games);
                continue;
            }
            for (game, note) in block.games.iter().zip(&block.notes) {
                match note.played(asked.rights).and_then(|next| asked.played(next)) {
                    Some(next) => {
                        games.push(*game);
                        played.push(next);
                        if let Some(word) = decided.get_mut(*game as usize / 64) {
                            *word |= 1 << (game % 64);
                        }
                    }
                    None => unsure.push(*game),
                }
            }
            if games.len() + block.games.len() > BATCH {
                visible(pages, segment, asked, heap, &mut games, &mut played, found)?;
            }
        }
        visible(pages, segment, asked, heap, &mut games, &mut played, found)?;
    }
    unsure.sort_unstable();
    unsure.dedup();
    unsure.retain(|game| decided.get(*game as usize / 64).is_none_or(|word| word >> (game % 64) & 1 == 0));
    replayed(pages, segment, asked, heap, &unsure, found)
}

/// Removes the games of a batch that do not fulfil the conditions, and their continuations.
fn retain_met(
    pages: &PartPages<'_>,
    segment: &Segment,
    asked: &Asked,
    games: &mut Vec<u32>,
    played: &mut Vec<Played>,
) -> Result<(), Replaced> {
    if asked.conditions.are_none() {
        return Ok(());
    }
    let (mut nth, mut kept) = (0, 0);
    let all = games.clone();
    let mut test = |met: bool, game: u32| {
        if met {
            (games[kept], played[kept]) = (game, played[nth]);
            kept += 1;
        }
        nth += 1;
    };
    if segment.columns == 0 {
        let met = asked.conditions.are_met(|_| None);
        all.iter().for_each(|game| test(met, *game));
    } else {
        pages.sound(segment.attributes(pages, &all, |attributes, here| {
            for game in here {
                test(asked.conditions.are_met(|column| attributes.value(column, *game)), *game);
            }
        }))?;
    }
    games.truncate(kept);
    played.truncate(kept);
    Ok(())
}

/// Calls `found` with the visible games of a batch that fulfil the conditions, and empties the batch.
fn visible(
    pages: &PartPages<'_>,
    segment: &Segment,
    asked: &Asked,
    heap: &mut Heap,
    games: &mut Vec<u32>,
    played: &mut Vec<Played>,
    found: &mut impl FnMut(Found),
) -> Result<(), Replaced> {
    retain_met(pages, segment, asked, games, played)?;
    // First the visibility map, then the mask.
    let (mut rows, mut is_visible) = (Vec::new(), Vec::new());
    if !heap.is_all_visible() {
        pages.sound(segment.rows(pages, games, |_, row| rows.push(row)))?;
        is_visible.extend(rows.iter().map(|row: &Row| heap.is_visible_page(row.block)));
        heap.last = None;
    }
    let mut living = games.clone();
    pages.sound(segment.retain_living(pages, &mut living))?;
    if living.len() < games.len() || !rows.is_empty() {
        let mut living = living.into_iter().peekable();
        let mut kept = 0;
        for at in 0..games.len() {
            let is_living = living.next_if_eq(&games[at]).is_some();
            if is_living && (is_visible.get(at).is_none_or(|is_visible| *is_visible) || heap.fetch(rows[at])) {
                (games[kept], played[kept]) = (games[at], played[at]);
                kept += 1;
            }
        }
        games.truncate(kept);
        played.truncate(kept);
    }
    add_up(pages, segment, asked, games, played, found)?;
    games.clear();
    played.clear();
    Ok(())
}

/// Calls `found` with games, their continuations and their attributes.
fn add_up(
    pages: &PartPages<'_>,
    segment: &Segment,
    asked: &Asked,
    games: &[u32],
    played: &[Played],
    found: &mut impl FnMut(Found),
) -> Result<(), Replaced> {
    let mut played = played.iter().copied();
    let mut add = |game: u32, values: Values| {
        let played = played.next().unwrap_or_default();
        found(Found { place: Place::Game(segment.number, game), played, values });
    };
    if !asked.has_sums || segment.columns == 0 {
        games.iter().for_each(|game| add(*game, [None; 4]));
        return Ok(());
    }
    pages.sound(segment.attributes(pages, games, |attributes, here| {
        let columns = asked.columns.map(|column| attributes.column(column));
        for game in here {
            add(*game, columns.map(|column| column.value(*game - attributes.first)));
        }
    }))
}

/// Calls `found` with those of the games that fulfil the conditions and reach the position, by a replay of each.
fn replayed(
    pages: &PartPages<'_>,
    segment: &Segment,
    asked: &Asked,
    heap: &mut Heap,
    games: &[u32],
    found: &mut impl FnMut(Found),
) -> Result<(), Replaced> {
    for games in games.chunks(BATCH) {
        let (mut games, mut played) = (games.to_vec(), vec![0; games.len()]);
        retain_met(pages, segment, asked, &mut games, &mut played)?;
        pages.sound(segment.retain_living(pages, &mut games))?;
        let mut rows = Vec::with_capacity(games.len());
        pages.sound(segment.rows(pages, &games, |game, row| rows.push((game, row))))?;
        games.clear();
        played.clear();
        for (game, row) in rows {
            if let Some(continuation) = heap.game(row, |game| asked.replay(game)).flatten() {
                games.push(game);
                played.push(continuation);
            }
        }
        add_up(pages, segment, asked, &games, &played, found)?;
    }
    Ok(())
}

/// The sums of the games with one continuation and one result.
struct Sum {
    played: Played,
    result: Value,
    games: i64,
    /// Numbers and sums of the positive ratings of White and Black.
    rated: [i64; 2],
    ratings: [i64; 2],
    day: Value,
    /// One of the games.
    place: Place,
}

impl Sum {
    fn add(&mut self, game: &Found) {
        self.games += 1;
        for side in 0..2 {
            if let Some(rating) = game.values[side].filter(|rating| *rating > 0) {
                self.rated[side] += 1;
                self.ratings[side] += i64::from(rating);
            }
        }
        self.day = self.day.max(game.values[3]);
        self.place = game.place;
    }
}

/// All sums.
struct Sums {
    sums: Vec<Sum>,
    /// For each continuation and each usual result one more than the place of the sum; 0 if there is none yet.
    places: Vec<u32>,
}

/// NULL and the results from 0 on that are looked up in a table.
const RESULTS: usize = 8;

impl Sums {
    fn new() -> Sums {
        Sums { sums: Vec::new(), places: vec![0; RESULTS << Played::BITS] }
    }

    fn add(&mut self, game: &Found) {
        let result = game.values[2];
        let number =
            result.map_or(0, |result| usize::try_from(result).map_or(RESULTS, |result| result.saturating_add(1)));
        let known = (number < RESULTS).then(|| usize::from(game.played) * RESULTS + number);
        let at = match known.map(|known| self.places[known] as usize) {
            Some(at) if at > 0 => at - 1,
            Some(_) => self.begin(game),
            None => {
                let is_it = |sum: &Sum| (sum.played, sum.result) == (game.played, result);
                self.sums.iter().position(is_it).unwrap_or_else(|| self.begin(game))
            }
        };
        if let Some(known) = known {
            self.places[known] = at as u32 + 1;
        }
        self.sums[at].add(game);
    }

    /// Adds a sum without games, and returns its place.
    fn begin(&mut self, game: &Found) -> usize {
        let Found { place, played, values } = *game;
        self.sums.push(Sum { played, result: values[2], games: 0, rated: [0; 2], ratings: [0; 2], day: None, place });
        self.sums.len() - 1
    }
}

/// Why an index cannot answer for the current user.
enum Obstacle {
    /// The user may not read the table.
    Denied(pg_sys::AclResult::Type),
    /// Only the table can tell.
    Table(&'static str),
}

/// The column of the table with the game, of an index that can answer for the current user.
fn game_column(opened: &Opened) -> Result<i16, Obstacle> {
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

/// Opens the index of the first argument for a user who may read all of its table, and prepares the question.
fn open(call: &Call, columns: [usize; 4], conditions: usize, has_sums: bool) -> (Opened, Asked, i16) {
    let opened = Opened::of(call, pg_sys::AccessShareLock);
    let game = match game_column(&opened) {
        Ok(game) => game,
        Err(Obstacle::Table(why)) => refuse(&opened, why),
        Err(Obstacle::Denied(rights)) => {
            // SAFETY: an open table; raises the ERROR.
            unsafe {
                let name = (*(*opened.heap).rd_rel).relname.data.as_ptr();
                pg_sys::aclcheck_error(rights, pg_sys::ObjectType::OBJECT_TABLE, name);
            }
            unreachable!("the user may not read the table")
        }
    };
    let count = usize::from(crate::access_method::attributes::columns(opened.index()));
    // SAFETY: the argument is an array of integers.
    let numbers = unsafe { numbers_of(pg_sys::INT4OID, call.datum(conditions)) };
    let conditions = Conditions::read(&numbers, [columns[0], columns[1]], count);
    let asked = Asked::new(&unpack(&call.varlena(1)), columns, has_sums, conditions);
    (opened, asked, game)
}

#[cold]
fn refuse(opened: &Opened, why: &str) -> ! {
    let code = PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
    let hint = "Ask the table instead, with hasBoard and nextMove.";
    raise(code, format!("index \"{}\" {why}", opened.index().name()), None, Some(hint))
}

/// The place of a column of the index among its attributes; 0 is a column of NULL.
fn place(call: &Call, argument: usize) -> usize {
    usize::try_from(call.int(argument) - 2).unwrap_or(usize::MAX)
}

sql_fn!(chess_index_moves(regclass, chessboard, int4, int4, int4, int4, _int4) -> setof record, |call| {
    let columns = [place(&call, 2), place(&call, 3), place(&call, 4), place(&call, 5)];
    let (opened, asked, game) = open(&call, columns, 6, true);
    // SAFETY: `opened` outlives it.
    let mut heap = unsafe { Heap::new(&opened, game) };
    let sums = read_sound(opened.index(), |meta| {
        let mut found = Sums::new();
        each_game(opened.index(), meta, &asked, &mut heap, &mut |game| found.add(&game))?;
        let mut sums = found.sums;
        for sum in sums.iter_mut().filter(|sum| sum.games == 1) {
            if let Place::Game(segment, game) = sum.place {
                sum.place = Place::Row(row_of(opened.index(), meta, segment, game)?);
            }
        }
        Ok(sums)
    });
    let mut put = Rows::new(&call);
    for sum in &sums {
        let only = match sum.place {
            Place::Row(row) if sum.games == 1 => heap.current(row),
            _ => None,
        };
        put.put(|| {
            let bigint = |number: i64| Some(Datum::from(number));
            let played = sum.played.checked_sub(1).and_then(|number| asked.moves.get(usize::from(number)));
            [
                played.map(|played| varlena_from(played.uci.as_bytes())),
                played.map(|played| varlena_from(played.san.as_bytes())),
                sum.result.map(Datum::from),
                bigint(sum.games),
                bigint(sum.rated[0]),
                bigint(sum.ratings[0]),
                bigint(sum.rated[1]),
                bigint(sum.ratings[1]),
                sum.day.map(Datum::from),
                only.map(item_pointer),
            ]
        });
    }
});

/// The row of a game of a segment.
fn row_of(index: Index, meta: &Meta, segment: u32, game: u32) -> Result<Row, Replaced> {
    let mut found = Row { block: 0, offset: 0 };
    if let Some(part) = meta.part(segment) {
        let pages = PartPages::new(index, part);
        let segment = pages.open()?;
        pages.sound(segment.rows(&pages, &[game], |_, row| found = row))?;
    }
    Ok(found)
}

/// A row pointer as a datum, in the memory of the row.
fn item_pointer(tid: pg_sys::ItemPointerData) -> Datum {
    // SAFETY: allocated for its size.
    unsafe {
        let copy = pg_sys::palloc(size_of::<pg_sys::ItemPointerData>()).cast::<pg_sys::ItemPointerData>();
        copy.write(tid);
        Datum::from(copy)
    }
}

sql_fn!(chess_index_games(regclass, chessboard, int4, int4, _int4) -> int8, |call| {
    let columns = [place(&call, 2), place(&call, 3), usize::MAX, usize::MAX];
    let (opened, asked, game) = open(&call, columns, 4, false);
    // SAFETY: `opened` outlives it.
    let mut heap = unsafe { Heap::new(&opened, game) };
    read_sound(opened.index(), |meta| {
        let mut games = 0i64;
        each_game(opened.index(), meta, &asked, &mut heap, &mut |_| games += 1)?;
        Ok(games)
    })
});

sql_fn!(chess_index_answers(regclass) -> bool, |call| {
    // Locks are kept, so that the index still answers when it is asked.
    Opened::find(&call, pg_sys::AccessShareLock).is_ok_and(|opened| game_column(&opened.keeping_locks()).is_ok())
});
