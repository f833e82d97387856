//! A piece of a source to rows: what its games become, stored or rejected.

use std::borrow::Cow;

use chess_core::text::read_pgn;
use sha2::{Digest, Sha256};

use crate::encoding::{self, Encoding};
use crate::record::{Keep, Record, Rejection};
use crate::rows::RejectedGame;
use crate::split::{MAX_GAME, Piece};

/// The games of a piece. Numbers and lines of rejected games are counted from the start of the piece.
#[derive(Default)]
pub struct Games<'a> {
    /// Offset and row of each game to be stored.
    pub records: Vec<(u64, Record<'a>)>,
    /// The games that are not.
    pub rejected: Vec<RejectedGame<'a>>,
}

impl Games<'_> {
    /// All games.
    pub fn len(&self) -> usize {
        self.records.len() + self.rejected.len()
    }
}

/// The hash that tells whether a piece has changed.
pub fn hash(bytes: &[u8]) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&Sha256::digest(bytes)[..16]);
    short
}

/// A piece in text.
pub struct Decoded<'a> {
    piece: &'a Piece,
    units: Vec<encoding::Unit<'a>>,
}

impl<'a> Decoded<'a> {
    /// Decodes a piece.
    pub fn new(piece: &'a Piece, encoding: Encoding) -> Decoded<'a> {
        Decoded { piece, units: encoding::units(&piece.bytes, encoding).collect() }
    }

    /// Reads the games.
    pub fn games(&'a self, keep: Keep) -> Games<'a> {
        let mut games = Games::default();
        if self.piece.oversize {
            games.rejected.push(self.too_long());
            return games;
        }
        let mut lines = 0;
        for unit in &self.units {
            let mut place = unit.place();
            for read in read_pgn::games(&unit.text) {
                let at = place.raw_offset(read.offset);
                let len = place.raw_len(read.offset, read.text.len());
                let raw = &unit.raw[at..at + len];
                let offset = self.piece.start + (unit.at + at) as u64;
                let (line, text) = (lines + u64::from(read.line), read.text);
                let record = if unit.malformed && !raw.is_ascii() && std::str::from_utf8(raw).is_err() {
                    Err(Rejection::new("the text is not valid UTF-8"))
                } else {
                    Record::new(read, keep)
                };
                match record {
                    Ok(record) => games.records.push((offset, record)),
                    Err(rejection) => {
                        let number = games.len() as u64 + 1;
                        games.rejected.push(rejected(offset, line, number, rejection, Cow::Borrowed(text), raw));
                    }
                }
            }
            lines += memchr::memchr_iter(b'\n', unit.raw).count() as u64;
        }
        games
    }

    fn too_long(&self) -> RejectedGame<'a> {
        let len = self.piece.end - self.piece.start;
        let reason = format!("no end of the game within {MAX_GAME} bytes; it has {len}, of which the first are kept");
        let text = self.units.iter().map(|unit| unit.text.as_ref()).collect();
        rejected(self.piece.start, 1, 1, Rejection::new(reason), Cow::Owned(text), &self.piece.bytes)
    }
}

/// The row of a game that is not stored; its bytes are kept where the text does not give them back.
pub fn rejected<'a>(
    offset: u64,
    line: u64,
    number: u64,
    rejection: Rejection,
    text: Cow<'a, str>,
    raw: &'a [u8],
) -> RejectedGame<'a> {
    let text = if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{fffd}")) } else { text };
    let raw = (text.as_bytes() != raw).then_some(raw);
    RejectedGame { offset, line, number, ply: rejection.ply, reason: rejection.reason, text, raw }
}
