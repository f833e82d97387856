//! Parses a piece of a source into rows to be stored and rejected games.

use std::borrow::Cow;

use chess_core::text::read_pgn;
use chess_core::{Game, GameRef};

use super::condition::{Condition, Tags};
use super::cuts::line_breaks;
use super::encoding::{self, Encoding};
use super::record::{Keep, Read, Record, RejectedGame, Rejection, printable};
use super::split::{MAX_GAME, Piece};

/// The games of a piece. Numbers and lines of rejected games are relative to the piece.
#[derive(Default)]
pub struct Games<'a> {
    /// Offset and row of each game to be stored.
    pub records: Vec<(u64, Record<'a>)>,
    /// Where each record comes from.
    origins: Vec<Origin<'a>>,
    /// The games that cannot be read to their end. Those with a readable beginning are also in `records`.
    pub rejected: Vec<RejectedGame<'a>>,
    /// The number of records that are such beginnings.
    pub incomplete: usize,
    /// For each part of the condition the number of games that were left out because they fail it.
    pub left_out: Vec<u64>,
    /// Whether the last game was left out.
    pub ends_left_out: bool,
}

/// The text of a game, and its place.
struct Origin<'a> {
    line: u64,
    number: u64,
    text: Cow<'a, str>,
    raw: &'a [u8],
}

impl<'a> Games<'a> {
    /// The number of games.
    pub fn len(&self) -> usize {
        self.records.len() + self.rejected.len() - self.incomplete + self.left_out()
    }

    /// The number of games that were left out.
    pub fn left_out(&self) -> usize {
        self.left_out.iter().sum::<u64>() as usize
    }

    /// Whether the game fails the condition, and is therefore left out. Without its moves, a game fails only by its tags.
    pub fn leaves_out(
        &mut self,
        condition: Option<&mut Condition>,
        tags: Tags<'_, '_>,
        game: Option<GameRef<'_>>,
    ) -> bool {
        let Some(condition) = condition else { return false };
        let Some(part) = condition.fails(tags, game) else { return false };
        self.left_out.resize(condition.parts().len(), 0);
        self.left_out[part] += 1;
        self.ends_left_out = true;
        true
    }

    /// Adds a game: its offset and line, the result of reading it, its text and its bytes.
    pub fn add(&mut self, at: (u64, u64), read: Read<'a>, text: Cow<'a, str>, raw: &'a [u8]) {
        self.ends_left_out = false;
        let ((offset, line), number) = (at, self.len() as u64 + 1);
        let (record, rejection) = match read {
            Ok((record, incomplete)) => (Some(record), incomplete),
            Err(rejection) => (None, Some(rejection)),
        };
        if let Some(rejection) = rejection {
            self.incomplete += usize::from(record.is_some());
            self.rejected.push(rejected((offset, line, number), rejection, text.clone(), raw));
        }
        if let Some(record) = record {
            self.records.push((offset, record));
            self.origins.push(Origin { line, number, text, raw });
        }
    }

    /// The records with the numbers of their games in the piece, from 1.
    pub fn numbered(&self) -> impl Iterator<Item = (u64, &Record<'a>)> {
        self.origins.iter().zip(&self.records).map(|(origin, (_, record))| (origin.number, record))
    }

    /// Moves records that the server refuses, by index in ascending order with the reasons, to the rejected games. `before`
    /// are the games and the lines before the piece, from which those of the others are counted already.
    pub fn refuse(&mut self, refused: Vec<(usize, String)>, before: (u64, u64)) {
        for (index, reason) in refused.into_iter().rev() {
            let (offset, record) = self.records.remove(index);
            let Origin { line, number, text, raw } = self.origins.remove(index);
            if record.error.is_some() {
                self.incomplete -= 1;
                self.rejected.retain(|game| game.offset != offset);
            }
            let reason = record.error.map_or(reason.clone(), |error| format!("{error}; {reason}"));
            let at = (offset, line + before.1, number + before.0);
            self.rejected.push(rejected(at, Rejection::new(reason), text, raw));
        }
    }
}

/// A piece, decoded to text.
pub struct Decoded<'a> {
    piece: &'a Piece,
    units: Vec<encoding::Unit<'a>>,
}

impl<'a> Decoded<'a> {
    /// Decodes a piece.
    pub fn new(piece: &'a Piece, encoding: Encoding) -> Decoded<'a> {
        Decoded { piece, units: encoding::units(&piece.bytes, encoding).collect() }
    }

    /// Parses the games for which the condition holds. Those that cannot be read are only left out for their tags.
    pub fn games(&'a self, keep: Keep, mut condition: Option<&mut Condition>) -> Games<'a> {
        let mut games = Games::default();
        if self.piece.oversize {
            games.rejected.push(self.too_long());
            return games;
        }
        let mut lines = 0;
        for (n, unit) in self.units.iter().enumerate() {
            let mut place = unit.place();
            let ends_file = self.piece.last && n + 1 == self.units.len();
            let mut found = read_pgn::games(&unit.text);
            while let Some(unread) = found.next_unread() {
                if games.leaves_out(condition.as_deref_mut(), &unread.tags, None) {
                    continue;
                }
                let read = unread.read();
                // Only the last game can be truncated.
                let read = if ends_file { read.ends_file() } else { read };
                let at = place.raw_offset(read.offset);
                let len = place.raw_len(read.offset, read.text.len());
                let raw = &unit.raw[at..at + len];
                let offset = self.piece.start + (unit.at + at) as u64;
                let (line, text) = (lines + u64::from(read.line), read.text);
                let read = if unit.malformed && !raw.is_ascii() && std::str::from_utf8(raw).is_err() {
                    Err(Rejection::new("the text is not valid UTF-8"))
                } else {
                    let game = keep.readable(&read).map(Game::view);
                    if game.is_some() && games.leaves_out(condition.as_deref_mut(), &read.tags, game) {
                        continue;
                    }
                    Record::new(read, keep)
                };
                games.add((offset, line), read, Cow::Borrowed(text), raw);
            }
            lines += line_breaks(unit.raw);
        }
        games
    }

    /// Whether the last game is truncated, if the file ends with this piece.
    pub fn ends_cut_off(&self) -> bool {
        let last = self.units.last().and_then(|unit| read_pgn::games(&unit.text).last());
        last.is_some_and(|game| game.ends_file().game.is_err_and(|incomplete| incomplete.reason.is_end()))
    }

    fn too_long(&self) -> RejectedGame<'a> {
        let len = self.piece.end - self.piece.start;
        let reason = format!("the game has {len} bytes, more than {MAX_GAME}; only its beginning is kept");
        let text = self.units.iter().map(|unit| unit.text.as_ref()).collect();
        rejected((self.piece.start, 1, 1), Rejection::new(reason), Cow::Owned(text), &self.piece.bytes)
    }
}

/// The row for a game that cannot be read to its end, with its offset, line and number. Its bytes are kept if the text
/// does not determine them.
fn rejected<'a>(at: (u64, u64, u64), rejection: Rejection, text: Cow<'a, str>, raw: &'a [u8]) -> RejectedGame<'a> {
    let text = if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{fffd}")) } else { text };
    let raw = (text.as_bytes() != raw).then_some(raw);
    let (offset, line, number) = at;
    let reason = printable(&rejection.reason).into_owned();
    RejectedGame { offset, line, number, ply: rejection.ply, reason, text, raw }
}
