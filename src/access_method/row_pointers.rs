//! The server's item pointers as the rows of chess-index, and back.

use chess_index::rows::Row;
use pgrx::pg_sys;

/// The row that an item pointer names.
pub fn row_of(tid: &pg_sys::ItemPointerData) -> Row {
    Row { block: u32::from(tid.ip_blkid.bi_hi) << 16 | u32::from(tid.ip_blkid.bi_lo), offset: tid.ip_posid }
}

/// The item pointer of a row.
pub fn tid_of(row: Row) -> pg_sys::ItemPointerData {
    let ip_blkid = pg_sys::BlockIdData { bi_hi: (row.block >> 16) as u16, bi_lo: row.block as u16 };
    pg_sys::ItemPointerData { ip_blkid, ip_posid: row.offset }
}
