//! Exact values of boards with few men, from tables that the server's administrator names.
//!
//! Takes boards, and the setting `chess.syzygy_path`, which only superusers can set, because it names files of the
//! server; returns rows. A session reads the directories once, and again when the setting changes.

use std::cell::RefCell;
use std::ffi::CString;

use chess_tablebases::{Fault, Tablebases, Verdict};
use pgrx::PgSqlErrorCode::{ERRCODE_DATA_CORRUPTED, ERRCODE_UNDEFINED_FILE};
use pgrx::pg_sys::Datum;
use pgrx::{GucContext, GucFlags, GucRegistry, GucSetting};

use crate::server::datum::TextArray;
use crate::server::error::{raise, sentence};
use crate::server::rows::row;
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
        c"The function tablebase() reads them. Empty: there are none.",
        &PATH,
        GucContext::Suset,
        GucFlags::SUPERUSER_ONLY,
    );
}

/// What the tables of the setting say of a board.
fn probe(board: &chess_core::Board) -> Result<Option<Verdict>, Fault> {
    let Some(path) = PATH.get().filter(|path| !path.is_empty()) else {
        // the rules apply to the board even if there are no tables
        return board.position().map(|_| None).map_err(Fault::Illegal);
    };
    TABLES.with_borrow_mut(|kept| {
        let tables = match kept {
            Some((of, tables)) if *of == path => tables,
            _ => {
                let tables = Tablebases::open(&path.to_string_lossy()).unwrap_or_else(|error| unreadable(&error));
                &mut kept.insert((path, tables)).1
            }
        };
        tables.probe(board)
    })
}

/// The message does not name the directory, which only superusers may know.
#[cold]
fn unreadable(error: &std::io::Error) -> ! {
    let hint = "A superuser names the directories with endgame tables in chess.syzygy_path.";
    let detail = Some(sentence(&error.kind().to_string()));
    raise(ERRCODE_UNDEFINED_FILE, "could not read a directory of endgame tables".into(), detail, Some(hint))
}

sql_fn!(chessboard_tablebase(chessboard) -> record, |call| {
    let board = unpack(&call.varlena(0));
    match probe(&board) {
        Ok(verdict) => verdict.map(|verdict| {
            let mut best = TextArray::new();
            verdict.line.iter().flat_map(|line| &line.best).for_each(|uci| best.push(uci));
            let wdl = Some(Datum::from(verdict.wdl));
            match verdict.line {
                Some(line) => row(&call, [wdl, Some(Datum::from(line.dtz)), Some(best.into_datum())]),
                None => row(&call, [wdl, None, None]),
            }
        }),
        Err(Fault::Illegal(reason)) => illegal_position(&board, reason),
        Err(Fault::Table(name, reason)) => {
            raise(ERRCODE_DATA_CORRUPTED, format!("endgame table {name} {reason}"), None, Some("Copy its files again, or remove them."))
        }
    }
});
