//! Encodes rows in the binary format of COPY.

use crate::read::record::{Record, RejectedGame};
use chess_db::wire::GAME_VERSION;

/// The columns of `games` in the order of [`Rows::game`].
pub const GAME_COLUMNS: &str = "source_offset, source_id, event_id, site_id, white_id, black_id, lichess_id, white_elo, black_elo, dates, date, round, \
     result, time_control, eco, tags, game, clocks, evals, error, annotated";
const GAME_FIELDS: i16 = 21;

/// The columns of `rejected` in the order of [`Rows::rejected`].
pub const REJECTED_COLUMNS: &str = "source_id, source_offset, line, number, ply, reason, text, raw";
const REJECTED_FIELDS: i16 = 8;

/// The range type's flag for an inclusive lower bound; the upper bound is exclusive.
const LOWER_INCLUSIVE: u8 = 0x02;
const INT4_OID: u32 = 23;

/// Encoded rows.
pub struct Rows {
    bytes: Vec<u8>,
}

impl Rows {
    /// Starts with the header of COPY.
    pub fn new() -> Rows {
        let mut bytes = Vec::with_capacity(1 << 20);
        bytes.extend_from_slice(b"PGCOPY\n\xff\r\n\0");
        bytes.extend_from_slice(&[0; 8]);
        Rows { bytes }
    }

    /// Appends the trailer of COPY and returns all bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.extend_from_slice(&(-1i16).to_be_bytes());
        self.bytes
    }

    /// Appends a row of `games`.
    pub fn game(&mut self, source: i32, offset: u64, record: &Record<'_>, names: [Option<i32>; 4]) {
        self.bytes.extend_from_slice(&GAME_FIELDS.to_be_bytes());
        self.field(&(offset as i64).to_be_bytes());
        self.field(&source.to_be_bytes());
        for name in names {
            self.int(name);
        }
        match record.lichess_id() {
            Some(id) => self.field(&id.to_be_bytes()),
            None => self.null(),
        }
        for elo in record.elo {
            self.int(elo);
        }
        match record.days {
            None => self.null(),
            Some(days) => {
                let mut range = [LOWER_INCLUSIVE, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0];
                range[5..9].copy_from_slice(&days.first.to_be_bytes());
                range[13..].copy_from_slice(&days.end.to_be_bytes());
                self.field(&range);
            }
        }
        self.text(record.date.as_deref());
        self.text(record.round.as_deref());
        self.text(Some(record.result));
        self.text(record.time_control.as_deref());
        self.text(record.eco.as_deref());
        self.versioned(record.tags.as_deref().map(str::as_bytes), 1);
        self.versioned(Some(record.game.as_bytes()), GAME_VERSION);
        self.ints(record.clocks_evals.clocks.as_deref());
        self.ints(record.clocks_evals.evals.as_deref());
        self.text(record.error.as_deref());
        self.text(record.annotated.as_deref());
    }

    /// Appends a row of `rejected`.
    pub fn rejected(&mut self, source: i32, game: &RejectedGame<'_>) {
        self.bytes.extend_from_slice(&REJECTED_FIELDS.to_be_bytes());
        self.field(&source.to_be_bytes());
        for number in [game.offset, game.line, game.number] {
            self.field(&(number as i64).to_be_bytes());
        }
        self.int(game.ply.map(|ply| ply as i32));
        self.text(Some(&game.reason));
        self.text(Some(&game.text));
        match game.raw {
            Some(raw) => self.field(raw),
            None => self.null(),
        }
    }

    fn null(&mut self) {
        self.bytes.extend_from_slice(&(-1i32).to_be_bytes());
    }

    fn field(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(&(value.len() as i32).to_be_bytes());
        self.bytes.extend_from_slice(value);
    }

    fn int(&mut self, value: Option<i32>) {
        match value {
            Some(value) => self.field(&value.to_be_bytes()),
            None => self.null(),
        }
    }

    fn text(&mut self, value: Option<&str>) {
        match value {
            Some(value) => self.field(value.as_bytes()),
            None => self.null(),
        }
    }

    fn versioned(&mut self, value: Option<&[u8]>, version: u8) {
        match value {
            Some(value) => {
                self.bytes.extend_from_slice(&(value.len() as i32 + 1).to_be_bytes());
                self.bytes.push(version);
                self.bytes.extend_from_slice(value);
            }
            None => self.null(),
        }
    }

    /// Appends a one-dimensional array with the lower bound 1.
    fn ints(&mut self, values: Option<&[Option<i32>]>) {
        let Some(values) = values else { return self.null() };
        let size_at = self.bytes.len();
        self.bytes.extend_from_slice(&[0; 4]);
        let has_null = values.iter().any(Option::is_none);
        for head in [1, i32::from(has_null), INT4_OID as i32, values.len() as i32, 1] {
            self.bytes.extend_from_slice(&head.to_be_bytes());
        }
        for value in values {
            self.int(*value);
        }
        let size = (self.bytes.len() - size_at - 4) as i32;
        self.bytes[size_at..size_at + 4].copy_from_slice(&size.to_be_bytes());
    }
}
