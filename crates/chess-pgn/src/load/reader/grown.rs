//! Sources that have grown: takes the beginning of a stream, finds the stored source that it continues.
//!
//! A load continues after the stored pieces, under the id of the old source. The last stored game may have grown, too, as
//! the file of a live game does: if it now reads differently, or was truncated by the end of the file, it is deleted (unless
//! other tables refer to it, or it was changed), and its piece ends before it. The source keeps its old fingerprints, so that earlier copies of the file are recognized.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::Arc;

use anyhow::{Result, bail};
use chess_db::schema::Schema;
use postgres::Transaction;
use postgres::types::ToSql;

use super::stored::{FirstPiece, Stored};
use super::{HEAD, Reader, changed};
use crate::read::encoding::starts;
use crate::read::hash::Hasher;
use crate::read::ocgdb;
use crate::read::parse::Decoded;
use crate::read::split::{MAX_GAME, Piece, Splitter};
use crate::references;

/// Opens a file once more and passes its stream to a function.
pub type Again<'a> = &'a mut dyn FnMut(&mut dyn FnMut(&mut dyn Read) -> Result<bool>) -> Result<bool>;

/// What has become of the last game of a piece that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gone {
    /// It stays.
    Nothing,
    /// It is no longer in the piece.
    Game,
    /// The same, and it had been left out.
    LeftOut,
}

impl Reader<'_> {
    /// The stored source whose pieces are the beginning of this stream; of several, the longest.
    pub(super) fn find_grown<R: Read>(
        &mut self,
        splitter: &mut Splitter<R>,
        mut again: Option<Again<'_>>,
    ) -> Result<Option<i32>> {
        let head = splitter.peek(HEAD).unwrap_or_default();
        let ours: Vec<_> =
            self.heads.iter().filter(|(_, other)| head.starts_with(other)).map(|(i, _)| Arc::clone(i)).collect();
        // Sources of this run that may be its beginning must be stored before they can be compared.
        let mut firsts = Vec::new();
        for input in ours {
            input.settled();
            firsts.extend(self.first_pieces(Some(input.id))?);
        }
        if self.firsts.is_none() {
            self.firsts = Some(self.first_pieces(None)?);
        }
        firsts.extend(self.firsts.iter().flatten().cloned());
        firsts.sort_by_key(|first| first.end);
        let Some(longest) = firsts.iter().map(|first| first.end).filter(|end| *end <= MAX_GAME as u64).max() else {
            return Ok(None);
        };
        // A read error is reported when the pieces are read.
        let Ok(beginning) = splitter.peek(longest as usize) else { return Ok(None) };
        let mut hash = Hasher::new(&[]);
        let mut hashed = 0;
        let mut alike = Vec::new();
        for FirstPiece { source, end, hash: known } in firsts {
            let Some(more) = beginning.get(hashed..end as usize) else { break };
            hash.add(more);
            hashed = end as usize;
            if hash.clone().of_piece()[..] == known[..] {
                alike.push(source);
            }
        }
        let mut best = None;
        for id in alike {
            let pieces = self.pieces(id)?;
            let end = pieces.back().map_or(0, |piece| piece.end);
            if end == 0 || best.is_some_and(|(_, other)| other >= end) {
                continue;
            }
            let matches = match &mut again {
                Some(again) => again(&mut |stream| begins_with(&pieces, stream))?,
                // A stream cannot be opened again: only what is buffered can be compared.
                None => end <= MAX_GAME as u64 && begins_with(&pieces, &mut splitter.peek(end as usize)?)?,
            };
            if matches {
                best = Some((id, end));
            }
        }
        Ok(best.map(|(id, _)| id))
    }

    /// The same for an ocgdb database.
    pub(super) fn find_grown_ocgdb(&mut self, name: &str) -> Result<Option<i32>> {
        let firsts = self.first_pieces(None)?;
        let mut best = None;
        for FirstPiece { source: id, end, hash: known } in firsts {
            let first = ocgdb::read(name)?.next(Some(end))?;
            if first.is_none_or(|rows| rows.end != end || rows.hash[..] != known[..]) {
                continue;
            }
            let pieces = self.pieces(id)?;
            let end = pieces.back().map_or(0, |piece| piece.end);
            let mut database = ocgdb::read(name)?;
            let mut alike = best.is_none_or(|(_, other)| other < end);
            for piece in &pieces {
                database.go_to(piece.start);
                let rows = if alike { database.next(Some(piece.end))? } else { None };
                alike = rows.is_some_and(|rows| rows.end == piece.end && rows.hash[..] == piece.hash[..]);
            }
            if alike {
                best = Some((id, end));
            }
        }
        Ok(best.map(|(id, _)| id))
    }

    /// Shortens the last stored piece of a source that goes on: deletes its last game if that has changed, and gives the
    /// text back to the splitter. Returns what has become of this game.
    pub(super) fn grow<R: Read>(&mut self, splitter: &mut Splitter<R>, piece: &mut Piece, source: i32) -> Result<Gone> {
        let (cut, is_shorter) = self.cut(splitter, piece, source)?;
        let gone = match (is_shorter, self.options.condition.clone()) {
            (false, _) => Gone::Nothing,
            (true, Some(mut condition)) => {
                let decoded = Decoded::new(piece, self.options.encoding);
                let games = decoded.games(self.options.keep, Some(&mut condition));
                if games.ends_left_out { Gone::LeftOut } else { Gone::Game }
            }
            (true, None) => Gone::Game,
        };
        let (start, end) = (piece.start as i64, piece.end as i64);
        let at = (piece.start + cut as u64) as i64;
        let schema = &self.options.schema.quoted;
        let mut transaction = self.client.transaction()?;
        if is_shorter {
            take_back(&mut transaction, &self.options.schema, source, (start, at, end), gone)?;
        }
        splitter.give_back(piece, cut);
        let place = "WHERE source_id = $1 AND start_offset = $2";
        if cut == 0 {
            transaction.execute(&format!("DELETE FROM {schema}.pieces {place}"), &[&source, &start])?;
        } else {
            transaction.execute(
                &format!("UPDATE {schema}.pieces SET last = false, end_offset = $3, hash = $4 {place}"),
                &[&source, &start, &at, &&Hasher::new(&piece.bytes).of_piece()[..]],
            )?;
        }
        transaction.execute(&format!("UPDATE {schema}.sources SET finished = NULL WHERE id = $1"), &[&source])?;
        transaction.commit()?;
        Ok(gone)
    }

    /// Where the last stored piece of a source that goes on is to end, in bytes of the piece, and whether its last game is
    /// then no longer in it.
    fn cut<R: Read>(&mut self, splitter: &mut Splitter<R>, piece: &Piece, source: i32) -> Result<(usize, bool)> {
        let len = piece.bytes.len();
        let mut longer = piece.bytes.clone();
        longer.extend_from_slice(splitter.peek(MAX_GAME)?);
        let (before, after) = if piece.oversize {
            (Vec::new(), Vec::new())
        } else {
            (starts(&piece.bytes, self.options.encoding), starts(&longer, self.options.encoding))
        };
        let mut alike = before.iter().zip(&after).take_while(|(before, after)| before == after).count();
        // A game that the end of the file had truncated is parsed again, because the file is longer now.
        if alike == before.len()
            && let Some(last) = before.last()
            // one that was left out has left no trace
            && (self.options.condition.is_some() || self.is_rejected(source, piece.start + last.start as u64)?)
            && Decoded::new(piece, self.options.encoding).ends_cut_off()
        {
            alike -= 1;
        }
        let joined = after.get(before.len()).is_none_or(|next| next.start >= len);
        let cut = match before.get(alike) {
            None if joined => len,
            // Either the last game has grown, or the end of the piece held no game and belongs to the next one.
            Some(last) if alike + 1 == before.len() => last.start,
            None => after.get(before.len()).map_or(len, |next| next.start),
            Some(_) => return Err(changed(format_args!("from byte {} on", piece.start))),
        };
        Ok((cut, cut < len && alike < before.len()))
    }
}

/// Deletes the last game of a piece that begins at `start`, which stands between `at` and `end`, in whatever table it is. A game that
/// was changed, or to which other tables refer, stays without an offset, until it becomes what is read anew, with the changes
/// ([`mark_finished`](super::mark_finished)).
fn take_back(
    transaction: &mut Transaction<'_>,
    schema: &Schema,
    source: i32,
    (start, at, end): (i64, i64, i64),
    gone: Gone,
) -> Result<()> {
    let range = "g.source_id = $1 AND g.source_offset >= $2 AND g.source_offset < $3";
    let place: [&(dyn ToSql + Sync); 3] = [&source, &at, &end];
    keep_what_others_name(transaction, schema, range, &place)?;
    let schema = &schema.quoted;
    // Whether a game was incomplete says its text: it may have been changed since.
    let texts = format!("DELETE FROM {schema}.rejected g WHERE {range} RETURNING g.game_id IS NOT NULL");
    let texts = transaction.query(&texts, &place)?;
    let incomplete = texts.iter().filter(|row| row.get(0)).count() as i32;
    let rejected = texts.len() as i32 - incomplete;
    let changed = format!(
        "UPDATE {schema}.games g SET source_offset = NULL WHERE {range} \
         AND EXISTS (SELECT FROM {schema}.earlier_games e WHERE e.game_id = g.id)"
    );
    let changed = transaction.execute(&changed, &place)? as i32;
    let stored = changed + transaction.execute(&format!("DELETE FROM {schema}.games g WHERE {range}"), &place)? as i32;
    transaction.execute(
        &format!(include_str!("sql/shorten_piece.sql"), schema = schema),
        &[&source, &start, &incomplete, &rejected, &stored, &i32::from(gone == Gone::LeftOut)],
    )?;
    Ok(())
}

/// Keeps the games `g` of a range to which other tables refer, whose rows would go with them; a text that would take such rows
/// is an error.
fn keep_what_others_name(
    transaction: &mut Transaction<'_>,
    schema: &Schema,
    range: &str,
    place: &[&(dyn ToSql + Sync)],
) -> Result<()> {
    let of_games = references::names(transaction, schema, &references::OF_GAME)?;
    let of_texts = references::names(transaction, schema, &[("rejected", "o.id = g.id")])?;
    let schema = &schema.quoted;
    if let Some(names) = of_texts {
        let query = format!("SELECT {names} FROM {schema}.rejected g WHERE {range} FOR UPDATE");
        for row in transaction.query(&query, place)? {
            let names: &str = row.get(0);
            if !names.is_empty() {
                bail!(
                    "{names} has rows for the text of the last game, which has changed: nothing could bring them back"
                );
            }
        }
    }
    if let Some(names) = of_games {
        // nobody can add rows from here on
        transaction.execute(&format!("SELECT FROM {schema}.games g WHERE {range} FOR UPDATE"), place)?;
        transaction.execute(
            &format!(include_str!("sql/keep_for_others.sql"), schema = schema, names = names, range = range),
            place,
        )?;
    }
    Ok(())
}

/// Whether a stream has these pieces at their offsets.
fn begins_with(pieces: &VecDeque<Stored>, stream: &mut dyn Read) -> Result<bool> {
    let mut at = 0;
    for piece in pieces {
        if piece.start < at || skip(stream, piece.start - at)? < piece.start - at {
            return Ok(false);
        }
        let len = piece.end - piece.start;
        let mut bytes = Vec::new();
        stream.take(len.min(MAX_GAME as u64)).read_to_end(&mut bytes)?;
        let rest = len - bytes.len() as u64;
        if Hasher::new(&bytes).of_piece()[..] != piece.hash[..] || skip(stream, rest)? < rest {
            return Ok(false);
        }
        at = piece.end;
    }
    Ok(true)
}

fn skip(stream: &mut dyn Read, len: u64) -> Result<u64> {
    Ok(std::io::copy(&mut stream.take(len), &mut std::io::sink())?)
}
