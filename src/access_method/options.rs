//! The options of an index: `WITH (pending_games = …)`.

use std::sync::atomic::{AtomicU32, Ordering};

use pgrx::pg_guard;
use pgrx::pg_sys::{self, Datum};

use crate::access_method::pages::Index;

/// The options in the server's layout.
#[repr(C)]
struct Options {
    header: i32,
    pending_games: i32,
}

/// Default number of pending games that INSERT turns into a segment. A search replays every pending game.
const PENDING_GAMES: i32 = 4096;
const LEAST: i32 = 64;
const MOST: i32 = 1_000_000;

static KIND: AtomicU32 = AtomicU32::new(0);

/// Registers the options. Called once per server process, because the server has few kinds of options to give.
pub fn init() {
    // SAFETY: the texts are static; a change of the option needs no more than the lock that ALTER INDEX takes for it.
    unsafe {
        let kind = pg_sys::add_reloption_kind();
        KIND.store(kind, Ordering::Relaxed);
        let (name, description) = (
            c"pending_games".as_ptr(),
            c"inserted games that are searched one by one before they become a segment".as_ptr(),
        );
        let lock = pg_sys::ShareUpdateExclusiveLock as pg_sys::LOCKMODE;
        pg_sys::add_int_reloption(kind, name, description, PENDING_GAMES, LEAST, MOST, lock);
    }
}

#[pg_guard]
pub unsafe extern "C-unwind" fn amoptions(reloptions: Datum, validate: bool) -> *mut pg_sys::bytea {
    // Zeroed, because PostgreSQL 18 has one more field, and 0 there means unused. SAFETY: plain data.
    let mut option: pg_sys::relopt_parse_elt = unsafe { std::mem::zeroed() };
    option.optname = c"pending_games".as_ptr();
    option.opttype = pg_sys::relopt_type::RELOPT_TYPE_INT;
    option.offset = std::mem::offset_of!(Options, pending_games) as i32;
    // SAFETY: called by the server with the options as they were written.
    unsafe {
        let kind = KIND.load(Ordering::Relaxed);
        pg_sys::build_reloptions(reloptions, validate, kind, size_of::<Options>(), &raw const option, 1).cast()
    }
}

/// The option `pending_games` of an index.
pub fn pending_games(index: Index) -> u32 {
    // SAFETY: the options were laid out by `amoptions`; there are none if none was set.
    let options = unsafe { (*index.relation()).rd_options.cast::<Options>().as_ref() };
    options.map_or(PENDING_GAMES, |options| options.pending_games) as u32
}
