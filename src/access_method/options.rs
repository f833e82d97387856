//! The options of an index: `WITH (pending_games = …, patterns = …, sums = …)`.

use std::sync::atomic::{AtomicU32, Ordering};

use pgrx::pg_guard;
use pgrx::pg_sys::{self, Datum};

use crate::access_method::pages::Index;

/// The options in the server's layout.
#[repr(C)]
struct Options {
    header: i32,
    pending_games: i32,
    patterns: bool,
    sums: i32,
}

/// Default number of pending games that INSERT turns into a segment. A search replays every pending game.
const PENDING_GAMES: i32 = 3072;
/// Default number of games from which on a list gets sums, and a segment gets rankings. Sums of a shorter list take more bytes
/// for each of its games and save less time.
const SUMS: i32 = 512;
/// Most games of a list that a flush writes to a segment, which takes some 50 ms.
pub const GAMES_OF_LIST: u32 = 4096;
const LEAST: i32 = 64;
/// Sixteen lists wait to be flushed.
const MOST: i32 = 16 * GAMES_OF_LIST as i32;

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
        let (name, description) = (c"patterns".as_ptr(), c"whether new segments have lists for patterns".as_ptr());
        pg_sys::add_bool_reloption(kind, name, description, true, lock);
        let (name, description) = (
            c"sums".as_ptr(),
            c"games from which on the list of a position gets sums in new segments; 0 for none".as_ptr(),
        );
        pg_sys::add_int_reloption(kind, name, description, SUMS, 0, i32::MAX, lock);
    }
}

#[pg_guard]
pub unsafe extern "C-unwind" fn amoptions(reloptions: Datum, validate: bool) -> *mut pg_sys::bytea {
    // Zeroed, because PostgreSQL 18 has one more field, and 0 there means unused. SAFETY: plain data.
    let mut options: [pg_sys::relopt_parse_elt; 3] = unsafe { std::mem::zeroed() };
    options[0].optname = c"pending_games".as_ptr();
    options[0].opttype = pg_sys::relopt_type::RELOPT_TYPE_INT;
    options[0].offset = std::mem::offset_of!(Options, pending_games) as i32;
    options[1].optname = c"patterns".as_ptr();
    options[1].opttype = pg_sys::relopt_type::RELOPT_TYPE_BOOL;
    options[1].offset = std::mem::offset_of!(Options, patterns) as i32;
    options[2].optname = c"sums".as_ptr();
    options[2].opttype = pg_sys::relopt_type::RELOPT_TYPE_INT;
    options[2].offset = std::mem::offset_of!(Options, sums) as i32;
    // SAFETY: called by the server with the options as they were written.
    unsafe {
        let kind = KIND.load(Ordering::Relaxed);
        let (size, count) = (size_of::<Options>(), options.len() as i32);
        pg_sys::build_reloptions(reloptions, validate, kind, size, options.as_ptr(), count).cast()
    }
}

/// The options of an index; `None` if none was set.
fn options<'a>(index: Index) -> Option<&'a Options> {
    // SAFETY: the options were laid out by `amoptions`.
    unsafe { (*index.relation()).rd_options.cast::<Options>().as_ref() }
}

/// The option `pending_games` of an index.
pub fn pending_games(index: Index) -> u32 {
    options(index).map_or(PENDING_GAMES, |options| options.pending_games) as u32
}

/// The option `patterns` of an index: whether new segments have lists for patterns.
pub fn patterns(index: Index) -> bool {
    options(index).is_none_or(|options| options.patterns)
}

/// The option `sums` of an index: the number of games from which on a list gets sums in new segments. 0: none does.
pub fn sums(index: Index) -> u32 {
    options(index).map_or(SUMS, |options| options.sums) as u32
}
