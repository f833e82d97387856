//! ANALYZE of a column of games: computes and stores its statistics.
//!
//! After the standard statistics of every type, [`chess_estimates::sample`] reads the sample twice. Its result is
//! stored as an array of `bytea` in one slot of pg_statistic, with a kind number of our own.

use std::cell::RefCell;

use chess_core::{CorruptGame, GameRef};
use chess_estimates::sample::Gathering;
use pgrx::memcxt::PgMemoryContexts;
use pgrx::pg_guard;
use pgrx::pg_sys::{self, AnalyzeAttrFetchFunc, Datum, Oid, VacAttrStats, VacAttrStatsP};

use crate::clauses::columns::KIND;
use crate::server::datum::{Varlena, varlena_from};
use crate::server::versions;
use crate::values::refusals::warn_of_damaged_games;

/// Games wider than this, in bytes, are counted without their keys, which limits the memory of ANALYZE. PostgreSQL has
/// the same limit for arrays.
const WIDEST: usize = 0x10000;

/// The function and data of the standard statistics.
struct Standard {
    compute: pg_sys::AnalyzeAttrComputeStatsFunc,
    extra: *mut std::ffi::c_void,
    target: usize,
}

sql_fn!(chessgame_typanalyze(internal) -> bool, |call| {
    let stats = call.internal::<VacAttrStats>(0);
    // SAFETY: a typanalyze function is called with the statistics to set up.
    unsafe {
        let analyzed = pg_sys::std_typanalyze(stats);
        if analyzed {
            let standard = pg_sys::palloc(size_of::<Standard>()).cast::<Standard>();
            standard.write(Standard {
                compute: (*stats).compute_stats,
                extra: (*stats).extra_data,
                target: versions::statistics_target(stats),
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
        let value = |row| {
            versions::vacuum_delay_point(true);
            let mut is_null = false;
            let datum = pg_sys::ffi::pg_guard_ffi_boundary(|| fetch(stats, row, &mut is_null));
            (!is_null).then_some(datum)
        };
        let mut gathering = Gathering::new((*standard).target, rows.max(0) as usize, f64::from(rows) >= total);
        let mut sound = Sound { fetch, rows: Vec::with_capacity(rows.max(0) as usize), damaged: Vec::new() };
        let mut taken = Vec::with_capacity(rows.max(0) as usize);
        for row in 0..rows {
            let Some(datum) = value(row) else {
                sound.rows.push(row);
                continue;
            };
            let is_wide = pg_sys::toast_raw_datum_size(datum) > WIDEST;
            let bytes = Varlena::new(datum);
            let read =
                GameRef::new(&bytes).and_then(|game| if is_wide { Ok(()) } else { gathering.first(game, &bytes) });
            match read {
                Ok(()) if is_wide => gathering.pass_over(),
                Ok(()) => taken.push(row),
                Err(error) => {
                    sound.damaged.push(error);
                    continue;
                }
            }
            sound.rows.push(row);
        }
        sound.compute_standard(stats, &*standard, total);
        gathering.choose();
        for row in taken {
            if let Some(datum) = value(row)
                && let Ok(game) = GameRef::new(&Varlena::new(datum))
            {
                gathering.second(game);
            }
        }
        if let Some(sample) = gathering.finish() {
            store(stats, &sample.parts());
        }
    }
}

/// The rows of a sample whose values can be read. A damaged value is left out, also of the standard statistics, which
/// compare values; otherwise it would stop ANALYZE and autovacuum for the whole table.
struct Sound {
    fetch: Fetch,
    rows: Vec<i32>,
    damaged: Vec<CorruptGame>,
}

/// The function behind [`AnalyzeAttrFetchFunc`].
type Fetch = unsafe extern "C-unwind" fn(VacAttrStatsP, i32, *mut bool) -> Datum;

thread_local! {
    /// The sample of the column that is being analyzed. A thread-local, because the fetch function receives nothing but
    /// a row number.
    static SAMPLE: RefCell<Option<(Fetch, Vec<i32>)>> = const { RefCell::new(None) };
}

impl Sound {
    /// Computes the standard statistics of every type.
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

/// The value of a row; the number counts only rows that can be read.
#[pg_guard]
unsafe extern "C-unwind" fn fetch_sound(stats: VacAttrStatsP, row: i32, is_null: *mut bool) -> Datum {
    let (fetch, row) = SAMPLE.with_borrow(|sample| {
        let (fetch, rows) = sample.as_ref().expect("set before the rows are asked for");
        (*fetch, rows[row as usize])
    });
    // SAFETY: ANALYZE's own function, for a row that it has.
    unsafe { pg_sys::ffi::pg_guard_ffi_boundary(|| fetch(stats, row, is_null)) }
}

/// Puts the parts into the first free slot.
unsafe fn store(stats: VacAttrStatsP, parts: &[Vec<u8>]) {
    // SAFETY: the values are allocated in the context that ANALYZE asks for; the slot is free.
    unsafe {
        let Some(slot) = (0..pg_sys::STATISTIC_NUM_SLOTS as usize).find(|slot| (*stats).stakind[*slot] == 0) else {
            return;
        };
        let values = PgMemoryContexts::For((*stats).anl_context).switch_to(|_| {
            let values = pg_sys::palloc(size_of::<Datum>() * parts.len()).cast::<Datum>();
            for (i, part) in parts.iter().enumerate() {
                values.add(i).write(varlena_from(part));
            }
            values
        });
        (*stats).stats_valid = true;
        (*stats).stakind[slot] = KIND;
        (*stats).staop[slot] = Oid::INVALID;
        (*stats).stacoll[slot] = Oid::INVALID;
        (*stats).stavalues[slot] = values;
        (*stats).numvalues[slot] = parts.len() as i32;
        (*stats).statypid[slot] = pg_sys::BYTEAOID;
        (*stats).statyplen[slot] = -1;
        (*stats).statypbyval[slot] = false;
        (*stats).statypalign[slot] = pg_sys::TYPALIGN_INT as std::ffi::c_char;
    }
}
