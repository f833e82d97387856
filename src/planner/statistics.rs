//! ANALYZE of a column of games: what its sample tells about openings, positions, candidates and material.
//!
//! Besides what ANALYZE gathers for every type, [`chess_estimates::sample`] goes over the sample twice; what it keeps is
//! stored as an array of `bytea` in one slot of pg_statistic, of a kind of our own.

use chess_core::GameRef;
use chess_estimates::sample::Gathering;
use pgrx::memcxt::PgMemoryContexts;
use pgrx::pg_sys::{self, AnalyzeAttrFetchFunc, Datum, Oid, VacAttrStats, VacAttrStatsP};
use pgrx::{pg_guard, warning};

use crate::server::datum::{Varlena, varlena_from};
use crate::server::versions;

/// The kind of our slot: a number from the range that PostgreSQL leaves to private use (catalog/pg_statistic.h, 10000 to
/// 30000), drawn by lot. Statistics of another kind are none of ours; version 0.2.0 kept its own as most common elements.
pub const KIND: i16 = 17_364;

/// Wider games are counted without their keys, so that the memory of ANALYZE has a limit: 65,536 bytes, as for arrays.
const WIDEST: usize = 0x10000;

/// What stands behind the column's own statistics while ours are gathered.
struct Standard {
    compute: pg_sys::AnalyzeAttrComputeStatsFunc,
    extra: *mut std::ffi::c_void,
    target: usize,
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
        if let Some(compute) = (*standard).compute {
            (*stats).extra_data = (*standard).extra;
            pg_sys::ffi::pg_guard_ffi_boundary(|| compute(stats, fetch, rows, total));
            (*stats).extra_data = standard.cast();
        }
        let Some(fetch) = fetch else { return };
        let value = |row| {
            versions::vacuum_delay_point();
            let mut is_null = false;
            let datum = pg_sys::ffi::pg_guard_ffi_boundary(|| fetch(stats, row, &mut is_null));
            (!is_null).then_some(datum)
        };
        let mut gathering = Gathering::new((*standard).target, rows.max(0) as usize, f64::from(rows) >= total);
        let mut taken = vec![false; rows.max(0) as usize];
        let mut damaged = 0;
        for (row, taken) in (0..).zip(&mut taken) {
            let Some(datum) = value(row) else { continue };
            if pg_sys::toast_raw_datum_size(datum) > WIDEST {
                gathering.pass_over();
                continue;
            }
            *taken = GameRef::new(&Varlena::new(datum)).is_ok_and(|game| gathering.first(game).is_ok());
            damaged += u32::from(!*taken);
        }
        if damaged > 0 {
            warning!("{damaged} damaged games were left out of the statistics of positions and openings");
        }
        gathering.choose();
        for (row, _) in (0..).zip(&taken).filter(|(_, taken)| **taken) {
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
