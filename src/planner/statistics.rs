//! ANALYZE of a column of games: which positions are common.
//!
//! Besides what ANALYZE collects for every type (the histogram that openings are estimated from), the
//! position keys that most games of the sample have, each with its share of the games, are kept as
//! most common elements, like those of arrays: pg_stats shows them. So are the most common coarse keys,
//! in a slot of their own: they say how many candidates a compact index leaves.
//!
//! The sample has far more keys than are worth keeping. They are counted by Lossy Counting (Manku
//! and Motwani, Approximate Frequency Counts over Data Streams, VLDB 2002), which never loses a key
//! whose share is above the error it allows, in memory that does not grow with the sample.

use std::cell::RefCell;
use std::collections::HashMap;

use chess_core::search::index_keys::{coarse_keys, position_keys};
use chess_core::{CorruptGame, GameRef};
use pgrx::pg_guard;
use pgrx::pg_sys::{self, AnalyzeAttrFetchFunc, Datum, Oid, VacAttrStats, VacAttrStatsP};

use crate::functions::refusals::warn_of_damaged_games;
use crate::server::datum::Varlena;
use crate::server::versions;

/// Keys kept per unit of the statistics target, as for arrays.
const KEYS_PER_TARGET: usize = 10;

/// Wider games are counted without their keys, to limit the memory of ANALYZE: 65,536 bytes, as for arrays.
const WIDEST: usize = 0x10000;

/// `=` of bigint and of integer (catalog/pg_operator.dat): which keys a slot holds.
pub const BIGINT_EQUAL: Oid = Oid::from_u32(410);
pub const INTEGER_EQUAL: Oid = Oid::from_u32(96);

/// What is kept of the column's own statistics while ours are collected.
struct Standard {
    compute: pg_sys::AnalyzeAttrComputeStatsFunc,
    extra: *mut std::ffi::c_void,
    keys: usize,
}

sql_fn!(chessgame_typanalyze, |call| {
    let stats = call.internal::<VacAttrStats>(0);
    // SAFETY: a typanalyze function is called with the statistics to set up.
    unsafe {
        let analyzed = pg_sys::std_typanalyze(stats);
        if analyzed {
            let standard = pg_sys::palloc(size_of::<Standard>()).cast::<Standard>();
            standard.write(Standard {
                compute: (*stats).compute_stats,
                extra: (*stats).extra_data,
                keys: versions::statistics_target(stats) * KEYS_PER_TARGET,
            });
            (*stats).compute_stats = Some(compute);
            (*stats).extra_data = standard.cast();
        }
        analyzed
    }
});

#[pg_guard]
unsafe extern "C-unwind" fn compute(stats: VacAttrStatsP, fetch: AnalyzeAttrFetchFunc, rows: i32, total: f64) {
    // SAFETY: ANALYZE calls with what typanalyze set up. C functions called through pointers are
    // wrapped by hand: the bindings wrap only those called by name.
    unsafe {
        let standard = (*stats).extra_data.cast::<Standard>();
        let Some(fetch) = fetch else { return };
        let wanted = (*standard).keys;
        let mut counts = LossyCounts::new(wanted);
        // There are few coarse keys: each has its count.
        let mut coarse_counts = vec![0u32; 1 << 16];
        let (mut keys, mut coarse) = (Vec::new(), Vec::new());
        let mut games = 0u32;
        let mut sample = Sample { fetch, rows: Vec::with_capacity(rows as usize), damaged: Vec::new() };
        for row in 0..rows {
            versions::vacuum_delay_point();
            let mut is_null = false;
            let datum = pg_sys::ffi::pg_guard_ffi_boundary(|| fetch(stats, row, &mut is_null));
            if is_null {
                sample.rows.push(row);
                continue;
            }
            keys.clear();
            coarse.clear();
            let is_wide = pg_sys::toast_raw_datum_size(datum) > WIDEST;
            let game = Varlena::new(datum);
            let read = GameRef::new(&game).and_then(|game| match is_wide {
                true => Ok(()),
                false => position_keys(game, &mut keys).and(coarse_keys(game, &mut coarse)),
            });
            if let Err(error) = read {
                sample.damaged.push(error);
                continue;
            }
            sample.rows.push(row);
            games += 1;
            keys.sort_unstable();
            keys.dedup();
            for key in &keys {
                counts.add(*key);
            }
            coarse.sort_unstable();
            coarse.dedup();
            for key in &coarse {
                coarse_counts[usize::from(*key)] += 1;
            }
        }
        sample.compute_standard(stats, &*standard, total);
        let (common, left_out) = counts.most_common(wanted);
        let common = common.into_iter().map(|(key, count)| (Datum::from(key), count)).collect();
        store(stats, &Keys::Positions, common, left_out, games);
        let counts = coarse_counts.into_iter().enumerate().map(|(key, count)| (key as i32, count));
        let (common, left_out) = the_most_common(counts, wanted, 1, |key| *key);
        let common = common.into_iter().map(|(key, count)| (Datum::from(key), count)).collect();
        store(stats, &Keys::Coarse, common, left_out, games);
    }
}

/// The rows of a sample whose values can be read. One damaged value does not keep a table without statistics, nor
/// autovacuum from its work: it is left out, of the standard statistics, too, which compare the values.
struct Sample {
    fetch: Fetch,
    rows: Vec<i32>,
    damaged: Vec<CorruptGame>,
}

/// The function behind [`AnalyzeAttrFetchFunc`].
type Fetch = unsafe extern "C-unwind" fn(VacAttrStatsP, i32, *mut bool) -> Datum;

thread_local! {
    /// The sample of the column that is being analyzed: ANALYZE hands its function for values no more than a row number.
    static SAMPLE: RefCell<Option<(Fetch, Vec<i32>)>> = const { RefCell::new(None) };
}

impl Sample {
    /// The column's own statistics, those of every type.
    unsafe fn compute_standard(self, stats: VacAttrStatsP, standard: &Standard, total: f64) {
        let rows = self.rows.len() as i32;
        let mut fetch: AnalyzeAttrFetchFunc = Some(self.fetch);
        if let Some(first) = self.damaged.first() {
            warn_of_damaged_games(self.damaged.len(), first);
            SAMPLE.set(Some((self.fetch, self.rows)));
            fetch = Some(fetch_sound);
        }
        if rows == 0 {
            return;
        }
        // SAFETY: the function and its data are those of std_typanalyze; it is called through a pointer, so that it is
        // wrapped by hand.
        unsafe {
            if let Some(compute) = standard.compute {
                let ours = (*stats).extra_data;
                (*stats).extra_data = standard.extra;
                pg_sys::ffi::pg_guard_ffi_boundary(|| compute(stats, fetch, rows, total));
                (*stats).extra_data = ours;
            }
        }
    }
}

/// The value of a row, counted among those that can be read.
#[pg_guard]
unsafe extern "C-unwind" fn fetch_sound(stats: VacAttrStatsP, row: i32, is_null: *mut bool) -> Datum {
    let (fetch, row) = SAMPLE.with_borrow(|sample| {
        let (fetch, rows) = sample.as_ref().expect("set before the rows are asked for");
        (*fetch, rows[row as usize])
    });
    // SAFETY: ANALYZE's own function, for a row that it has.
    unsafe { pg_sys::ffi::pg_guard_ffi_boundary(|| fetch(stats, row, is_null)) }
}

/// Which keys a slot holds.
enum Keys {
    Positions,
    Coarse,
}

/// Puts the keys into the first free slot.
unsafe fn store(stats: VacAttrStatsP, keys: &Keys, common: Vec<(Datum, u32)>, left_out: u32, games: u32) {
    // The catalog has no empty arrays.
    if common.is_empty() {
        return;
    }
    // SAFETY: the arrays are allocated in the context that ANALYZE asks for; the slot is free.
    unsafe {
        let Some(slot) = (0..pg_sys::STATISTIC_NUM_SLOTS as usize).find(|slot| (*stats).stakind[*slot] == 0) else {
            return;
        };
        let share = |count: u32| count as f32 / games as f32;
        let context = (*stats).anl_context;
        let values = pg_sys::MemoryContextAlloc(context, size_of::<Datum>() * common.len()).cast::<Datum>();
        let numbers = pg_sys::MemoryContextAlloc(context, size_of::<f32>() * (common.len() + 3)).cast::<f32>();
        for (i, (key, count)) in common.iter().enumerate() {
            values.add(i).write(*key);
            numbers.add(i).write(share(*count));
        }
        // As for arrays, the shares are followed by the least, the greatest and that of NULL; here the
        // least is what no key that was left out exceeds.
        numbers.add(common.len()).write(share(left_out));
        numbers.add(common.len() + 1).write(share(common.iter().map(|(_, count)| *count).max().unwrap_or(0)));
        numbers.add(common.len() + 2).write(0.0);
        let (operator, key_type, length, alignment) = match keys {
            Keys::Positions => (BIGINT_EQUAL, pg_sys::INT8OID, 8, b'd'),
            Keys::Coarse => (INTEGER_EQUAL, pg_sys::INT4OID, 4, b'i'),
        };
        (*stats).stats_valid = true;
        (*stats).stakind[slot] = pg_sys::STATISTIC_KIND_MCELEM as i16;
        (*stats).staop[slot] = operator;
        (*stats).stacoll[slot] = Oid::INVALID;
        (*stats).stanumbers[slot] = numbers;
        (*stats).numnumbers[slot] = common.len() as i32 + 3;
        (*stats).stavalues[slot] = values;
        (*stats).numvalues[slot] = common.len() as i32;
        (*stats).statypid[slot] = key_type;
        (*stats).statyplen[slot] = length;
        (*stats).statypbyval[slot] = true;
        (*stats).statypalign[slot] = alignment as std::ffi::c_char;
    }
}

/// Keys with their counts and the counts they may have missed.
struct LossyCounts {
    entries: HashMap<u64, (u32, u32)>,
    seen: usize,
    bucket_width: usize,
}

impl LossyCounts {
    /// The width keeps every key whose share of all keys could be among the wanted ones, as
    /// that of tsvector statistics does: they are expected to follow Zipf's law.
    fn new(wanted: usize) -> LossyCounts {
        LossyCounts { entries: HashMap::new(), seen: 0, bucket_width: (wanted + 10) * 1000 / 7 }
    }

    fn add(&mut self, key: u64) {
        let bucket = (self.seen / self.bucket_width) as u32;
        self.entries.entry(key).or_insert((0, bucket)).0 += 1;
        self.seen += 1;
        if self.seen.is_multiple_of(self.bucket_width) {
            self.entries.retain(|_, (count, missed)| *count + *missed > bucket + 1);
        }
    }

    /// At most `wanted` keys that occur more than once, in the order of bigint, and how often a key that
    /// is not among them can occur.
    fn most_common(self, wanted: usize) -> (Vec<(u64, u32)>, u32) {
        let missed_at_most = (self.seen / self.bucket_width) as u32;
        let counts = self.entries.into_iter().map(|(key, (count, _))| (key, count));
        the_most_common(counts, wanted, missed_at_most.max(1), |key| *key as i64)
    }
}

/// At most `wanted` keys whose count is above `least`, in the order of `rank`, and how often a key that is not
/// among them can occur.
fn the_most_common<K: Copy + Ord, R: Ord>(
    counts: impl Iterator<Item = (K, u32)>,
    wanted: usize,
    least: u32,
    rank: impl Fn(&K) -> R,
) -> (Vec<(K, u32)>, u32) {
    let mut common: Vec<_> = counts.filter(|(_, count)| *count > least).collect();
    common.sort_unstable_by_key(|(key, count)| (std::cmp::Reverse(*count), *key));
    let left_out = common.get(wanted).map_or(least, |(_, count)| *count);
    common.truncate(wanted);
    common.sort_unstable_by_key(|(key, _)| rank(key));
    (common, left_out)
}
