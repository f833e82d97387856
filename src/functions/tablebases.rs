//! Exact values of boards with few men, from tables that the server's administrator names.
//!
//! Takes boards, and the setting `chess.syzygy_path`, which only superusers can set, because it names files of the
//! server; returns rows. A session reads the directories once, and again when the setting changes.

use std::cell::RefCell;
use std::ffi::CString;

use chess_core::Board;
use chess_core::facts::rules::name_of_wdl;
use chess_tablebases::{Fault, Tablebases, Unreadable};
use pgrx::PgSqlErrorCode::{ERRCODE_DATA_CORRUPTED, ERRCODE_UNDEFINED_FILE};
use pgrx::pg_sys::{self, Datum};
use pgrx::{GucContext, GucFlags, GucRegistry, GucSetting};

use crate::server::datum::{TextArray, varlena_from};
use crate::server::error::raise;
use crate::server::rows::{Rows, row};
use crate::values::board::unpack;
use crate::values::refusals::illegal_position;

static PATH: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(None);

thread_local! {
    /// The tables, and the setting that names them.
    static TABLES: RefCell<Option<(CString, Tablebases)>> = const { RefCell::new(None) };
}

/// Declares the setting. Called when the library is loaded.
pub fn init() {
    GucRegistry::define_string_guc(
        c"chess.syzygy_path",
        c"Directories with endgame tables in the format of Syzygy, separated by colons.",
        c"The functions tablebase() and tablebase_moves() read them. Empty: there are none.",
        &PATH,
        GucContext::Suset,
        GucFlags::SUPERUSER_ONLY,
    );
}

/// Asks the tables of the setting, of which there may be none.
fn ask<T>(question: impl FnOnce(&mut Tablebases) -> T) -> T {
    let path = PATH.get().unwrap_or_default();
    TABLES.with_borrow_mut(|kept| {
        let tables = match kept {
            Some((of, tables)) if *of == path => tables,
            _ => {
                let tables = Tablebases::open(&path.to_string_lossy()).unwrap_or_else(|error| unreadable(&error));
                &mut kept.insert((path, tables)).1
            }
        };
        question(tables)
    })
}

/// DETAIL names the directory for those who may read the setting; programs show the message to all.
#[cold]
fn unreadable(fault: &Unreadable) -> ! {
    let hint = "A superuser names the directories with endgame tables in chess.syzygy_path.";
    // SAFETY: reads catalogs of the server.
    let may_see = unsafe { pg_sys::has_privs_of_role(pg_sys::GetUserId(), pg_sys::ROLE_PG_READ_ALL_SETTINGS.into()) };
    let reason = fault.error.to_string();
    let reason = reason.split(" (os error").next().unwrap_or_default();
    let message = format!("could not read a directory of endgame tables: {reason}");
    let detail = may_see.then(|| format!("The directory is \"{}\".", fault.directory));
    raise(ERRCODE_UNDEFINED_FILE, message, detail, Some(hint))
}

/// The ERROR for what tables cannot answer.
#[cold]
fn refuse(board: &Board, fault: Fault) -> ! {
    match fault {
        Fault::Illegal(reason) => illegal_position(board, reason),
        Fault::Table(name, reason) => {
            let hint = "Copy its files again, or remove them.";
            raise(ERRCODE_DATA_CORRUPTED, format!("endgame table {name} {reason}"), None, Some(hint))
        }
    }
}

sql_fn!(chessboard_tablebase(chessboard) -> record, |call| {
    let board = unpack(&call.varlena(0));
    let verdict = ask(|tables| tables.probe(&board)).unwrap_or_else(|fault| refuse(&board, fault));
    // Two kings need no table, but where the setting is empty nothing is said of them either.
    verdict.filter(|_| PATH.get().is_some_and(|path| !path.is_empty())).map(|verdict| {
        let mut best = TextArray::new();
        verdict.line.iter().flat_map(|line| &line.best).for_each(|uci| best.push(uci));
        let wdl = Some(Datum::from(verdict.wdl));
        match verdict.line {
            Some(line) => row(&call, [wdl, Some(Datum::from(line.dtz)), Some(best.into_datum())]),
            None => row(&call, [wdl, None, None]),
        }
    })
});

sql_fn!(chessboard_tablebasemoves(chessboard) -> setof record, |call| {
    let board = unpack(&call.varlena(0));
    let moves = ask(|tables| tables.moves(&board)).unwrap_or_else(|fault| refuse(&board, fault));
    let mut rows = Rows::new(&call);
    for played in moves {
        let text = |text: &str| varlena_from(text.as_bytes());
        rows.put(|| {
            [
                Some(text(&played.san)),
                Some(text(&played.uci)),
                played.wdl.map(Datum::from),
                played.dtz.map(Datum::from),
                played.wdl.map(|wdl| text(name_of_wdl(wdl))),
                Some(Datum::from(played.is_zeroing)),
                played.missing.as_deref().map(text),
            ]
        });
    }
});
