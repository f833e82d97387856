//! The reading thread: takes names of files and hands pieces to the threads that store.
//!
//! Before a source is read, it is looked up among those that are known: by its fingerprint or, if that is not
//! known, by its contents, since it may be a known one that has grown. Stored pieces are compared by
//! their hashes and skipped.
//!
//! # Sources that have grown
//!
//! A known source may be the beginning of the current one. The load continues after it, under the same number. The last
//! game may have grown, too, as a live game does: if it now reads differently, or was stored as truncated by the end of
//! the file, it is deleted, and its piece ends before it. The old fingerprint stays with the source, so that the
//! earlier file is recognized, too.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::io::Read;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Error, Result};
use chess_db::schema::Schema;
use postgres::Client;
use sha2::{Digest, Sha256};

use super::job::{Content, Job};
use super::shared::{Options, Shared};
use super::state::{Input, State};
use super::totals::Totals;
use crate::read::encoding::starts;
use crate::read::ocgdb;
use crate::read::parse::{Decoded, hash, short};
use crate::read::source::{self, Archive, MEMBER_BEGINNING, Opened, STDIN, STREAM_BEGINNING};
use crate::read::split::{MAX_GAME, Piece, Splitter};

/// A piece that an earlier run has stored.
struct Stored {
    start: u64,
    end: u64,
    last: bool,
    hash: Vec<u8>,
    games: u64,
}

/// A source that this loader alone reads now.
struct Begun {
    input: Arc<Input>,
    stored: VecDeque<Stored>,
    /// Whether the source has grown since it was as it is read now.
    earlier: bool,
}

/// What came of a source.
enum Passage {
    All(Arc<Input>),
    /// Another loader is at it.
    Busy,
}

/// A known source has different contents now.
#[derive(Debug)]
struct Changed {
    place: String,
}

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = &self.place;
        write!(
            f,
            "it is not what was loaded before: {place} \
             (--changed loads it as a new source, without the games that are stored already)"
        )
    }
}

impl std::error::Error for Changed {}

fn changed(place: impl fmt::Display) -> Error {
    Error::new(Changed { place: place.to_string() })
}

/// Opens a stream again and returns it.
type Again<'a> = &'a mut dyn FnMut(&mut dyn FnMut(&mut dyn Read) -> Result<bool>) -> Result<bool>;

/// See above.
pub struct Reader<'r> {
    client: &'r mut Client,
    options: &'r Options,
    shared: &'r Shared,
    sender: SyncSender<Job>,
    /// The sources that are read and not yet unlocked, with their names.
    open: Vec<(Arc<Input>, String)>,
    /// Source, end and hash of the first pieces that were there before, by their ends.
    firsts: Option<Vec<(i32, u64, Vec<u8>)>>,
    /// The sources that this run has read, with their first bytes.
    heads: Vec<(Arc<Input>, Vec<u8>)>,
    /// The members of archives that this run has read.
    members: HashSet<String>,
}

/// How many first bytes tell whether a source may be one that this run has read, and more.
const HEAD: usize = 1 << 10;

impl<'r> Reader<'r> {
    /// A reader that sends pieces to `sender`.
    pub fn new(
        client: &'r mut Client,
        options: &'r Options,
        shared: &'r Shared,
        sender: SyncSender<Job>,
    ) -> Reader<'r> {
        Reader {
            client,
            options,
            shared,
            sender,
            open: Vec::new(),
            firsts: None,
            heads: Vec::new(),
            members: HashSet::new(),
        }
    }

    /// Reads all files. The locks of sources are held until everything of them is stored.
    pub fn read_all(&mut self, files: &[String]) {
        let mut waiting: VecDeque<&String> = files.iter().collect();
        let mut busy_in_a_row = 0;
        while let Some(name) = waiting.pop_front() {
            if self.shared.stopped() {
                break;
            }
            match self.read(name) {
                Ok(true) => busy_in_a_row = 0,
                Ok(false) => {
                    waiting.push_back(name);
                    busy_in_a_row += 1;
                }
                Err(error) => self.shared.report(error.context(name.clone())),
            }
            // Other loaders may wait for what is done; and this one must not wait with a lock in hand.
            let wait = busy_in_a_row > waiting.len();
            self.close(wait);
            if wait {
                thread::sleep(Duration::from_millis(200));
            }
        }
        self.close(true);
    }

    /// Unlocks the sources that are stored; all of them if it is to wait.
    fn close(&mut self, wait: bool) {
        for (input, name) in std::mem::take(&mut self.open) {
            if !wait && !input.is_settled() {
                self.open.push((input, name));
                continue;
            }
            let settled = input.settled();
            if self.shared.stopped() {
                continue;
            }
            if let Err(error) = self.close_one(&input, settled, &name) {
                self.shared.fail(error.context(name));
            }
        }
    }

    fn close_one(&mut self, input: &Input, settled: State, name: &str) -> Result<()> {
        if settled == (State::Done { whole: true }) {
            let query = format!(
                "SELECT sum(stored + duplicates), sum(rejected) FROM {}.pieces WHERE source_id = $1",
                self.options.schema.quoted
            );
            let row = self.client.query_one(&query, &[&input.id])?;
            let (read, rejected): (Option<i64>, Option<i64>) = (row.get(0), row.get(1));
            if read.unwrap_or(0) == 0 {
                let rejected = rejected.unwrap_or(0);
                self.shared.report(match rejected {
                    0 => Error::msg("no games in it").context(name.to_owned()),
                    _ => Error::msg(format!("no game in it that can be read; {rejected} rejected"))
                        .context(name.to_owned()),
                });
            }
        }
        let lock = &self.options.schema.name;
        self.client.execute("SELECT pg_advisory_unlock(hashtext('chess-pgn ' || $1), $2)", &[lock, &input.id])?;
        Ok(())
    }

    /// Reads one file; false if another loader is at it.
    fn read(&mut self, name: &str) -> Result<bool> {
        let consumed = || Arc::clone(&self.shared.totals.bytes);
        match source::open(name, consumed())? {
            Opened::Sqlite(size, fingerprint) => self.read_ocgdb(name, size, &fingerprint),
            Opened::Zip(archive) => self.read_archive(name, archive),
            Opened::Pgn(stream) => {
                let (batch, encoding) = (self.options.batch, self.options.encoding);
                let mut splitter = Splitter::new(stream.input, batch, encoding);
                let Some((size, fingerprint)) = stream.file else {
                    let fingerprint = source::stream_fingerprint(splitter.peek(STREAM_BEGINNING)?);
                    let shown = if name == STDIN { "(standard input)" } else { name };
                    let passage = self.read_stream(shown, &fingerprint, None, splitter, None)?;
                    return Ok(self.passed(passage, name));
                };
                let mut again = |look: &mut dyn FnMut(&mut dyn Read) -> Result<bool>| match source::open(
                    name,
                    source::Consumed::default(),
                )? {
                    Opened::Pgn(mut stream) => look(&mut stream.input),
                    _ => Ok(false),
                };
                let passage = match self.read_stream(name, &fingerprint, Some(size), splitter, Some(&mut again)) {
                    Err(error) if self.options.changed && error.is::<Changed>() => {
                        let Opened::Pgn(stream) = source::open(name, source::Consumed::default())? else {
                            return Err(error);
                        };
                        let splitter = Splitter::new(stream.input, batch, encoding);
                        self.read_stream(name, &source::whole_fingerprint(name)?, Some(size), splitter, None)?
                    }
                    passage => passage?,
                };
                Ok(self.passed(passage, name))
            }
        }
    }

    fn passed(&mut self, passage: Passage, name: &str) -> bool {
        match passage {
            Passage::All(input) => {
                self.open.push((input, name.to_owned()));
                true
            }
            Passage::Busy => false,
        }
    }

    /// Reads the members of an archive, each as a source of its own.
    fn read_archive(&mut self, name: &str, mut archive: Archive) -> Result<bool> {
        let mut all = true;
        for (at, member) in archive.members.clone() {
            if self.shared.stopped() {
                break;
            }
            let shown = format!("{name}: {member}");
            if self.members.contains(&shown) {
                continue;
            }
            match self.read_member(&mut archive, at, &shown) {
                Ok(Passage::Busy) => all = false,
                Ok(passage) => {
                    self.passed(passage, &shown);
                    self.members.insert(shown);
                }
                // One that cannot be read stops no other.
                Err(error) => {
                    self.shared.report(error.context(shown.clone()));
                    self.members.insert(shown);
                }
            }
        }
        Ok(all)
    }

    fn read_member(&mut self, archive: &mut Archive, at: usize, shown: &str) -> Result<Passage> {
        let (member, size, checksum) = archive.member(at)?;
        let mut splitter = Splitter::new(member, self.options.batch, self.options.encoding);
        let fingerprint = source::member_fingerprint(size, checksum, splitter.peek(MEMBER_BEGINNING)?);
        self.read_stream(shown, &fingerprint, Some(size), splitter, None)
    }

    /// Reads one stream. If another loader is at it, not now.
    fn read_stream<R: Read>(
        &mut self,
        name: &str,
        fingerprint: &[u8],
        size: Option<u64>,
        mut splitter: Splitter<R>,
        again: Option<Again<'_>>,
    ) -> Result<Passage> {
        let grown = match self.known(fingerprint)? {
            true => None,
            false => self.find_grown(&mut splitter, again)?,
        };
        let Some(mut begun) = self.begin(name, fingerprint, size, grown)? else { return Ok(Passage::Busy) };
        if let Ok(head) = splitter.peek(HEAD) {
            self.heads.push((Arc::clone(&begun.input), head.to_vec()));
        }
        let read = self.send_pieces(&mut splitter, &mut begun);
        self.end(begun.input, read)
    }

    /// The source whose pieces are the beginning of this stream; the longest of several.
    fn find_grown<R: Read>(&mut self, splitter: &mut Splitter<R>, again: Option<Again<'_>>) -> Result<Option<i32>> {
        let head = splitter.peek(HEAD).unwrap_or_default();
        let ours: Vec<_> =
            self.heads.iter().filter(|(_, other)| head.starts_with(other)).map(|(i, _)| Arc::clone(i)).collect();
        // What may be the beginning of this one is stored first, so that it can be compared.
        let mut firsts = Vec::new();
        for input in ours {
            input.settled();
            firsts.extend(self.first_pieces(Some(input.id))?);
        }
        if self.firsts.is_none() {
            self.firsts = Some(self.first_pieces(None)?);
        }
        firsts.extend(self.firsts.iter().flatten().cloned());
        firsts.sort_by_key(|(_, end, _)| *end);
        let Some(longest) = firsts.iter().map(|(_, end, _)| *end).filter(|end| *end <= MAX_GAME as u64).max() else {
            return Ok(None);
        };
        // What cannot be read is told when it is read.
        let Ok(beginning) = splitter.peek(longest as usize) else { return Ok(None) };
        let mut hash = Sha256::new();
        let mut hashed = 0;
        let mut alike = Vec::new();
        for (id, end, known) in firsts {
            let Some(more) = beginning.get(hashed..end as usize) else { break };
            hash.update(more);
            hashed = end as usize;
            if short(hash.clone())[..] == known[..] {
                alike.push(id);
            }
        }
        let mut best = None;
        let mut again = again;
        for id in alike {
            let pieces = self.pieces(id)?;
            let end = pieces.back().map_or(0, |piece| piece.end);
            if end == 0 || best.is_some_and(|(_, other)| other >= end) {
                continue;
            }
            let matches = match &mut again {
                Some(again) => again(&mut |stream| begins_with(&pieces, stream))?,
                // A stream can be looked at only as far as it is kept.
                None => end <= MAX_GAME as u64 && begins_with(&pieces, &mut splitter.peek(end as usize)?)?,
            };
            if matches {
                best = Some((id, end));
            }
        }
        Ok(best.map(|(id, _)| id))
    }

    /// Source, end and hash of the first piece of a source, or of all sources, by their ends.
    fn first_pieces(&mut self, source: Option<i32>) -> Result<Vec<(i32, u64, Vec<u8>)>> {
        let query = format!(
            "SELECT source_id, end_offset, hash FROM {}.pieces \
             WHERE start_offset = 0 AND ($1::integer IS NULL OR source_id = $1) ORDER BY end_offset",
            self.options.schema.quoted
        );
        let rows = self.client.query(&query, &[&source])?;
        Ok(rows.iter().map(|row| (row.get(0), row.get::<_, i64>(1) as u64, row.get(2))).collect())
    }

    fn send_pieces<R: Read>(&mut self, splitter: &mut Splitter<R>, begun: &mut Begun) -> Result<()> {
        let input = Arc::clone(&begun.input);
        let mut number = 0;
        while !self.shared.stopped() {
            let position = splitter.position();
            let next = begun.stored.front().map(|piece| piece.start);
            if begun.earlier && splitter.peek(1)?.is_empty() {
                // What follows has been read since from what it has become.
                break;
            }
            if next.is_some_and(|start| start < position) {
                return Err(changed(format_args!("byte {position}")));
            }
            if next == Some(position) {
                let Some(known) = begun.stored.pop_front() else { break };
                let mut piece = splitter.again(known.end)?;
                if piece.end != known.end || hash(&piece.bytes)[..] != known.hash[..] {
                    if begun.earlier && splitter.peek(1)?.is_empty() {
                        break;
                    }
                    return Err(changed(format_args!("byte {position}")));
                }
                let mut games = known.games;
                if known.last && !splitter.peek(1)?.is_empty() {
                    games = self.grow(splitter, &mut piece, input.id, games)?;
                }
                if piece.end > piece.start {
                    input.holds(number, games);
                    Totals::add(&self.shared.totals.before, games as usize);
                    number += 1;
                }
                continue;
            }
            let Some(piece) = splitter.next(next)? else {
                if next.is_some() && !begun.earlier {
                    return Err(changed(format_args!("byte {position}")));
                }
                break;
            };
            self.send(&input, number, Content::Pgn(piece));
            number += 1;
        }
        Ok(())
    }

    /// The last piece that is known is no longer the end of its source: the games that stay in it.
    fn grow<R: Read>(&mut self, splitter: &mut Splitter<R>, piece: &mut Piece, source: i32, games: u64) -> Result<u64> {
        let len = piece.bytes.len();
        let mut longer = piece.bytes.clone();
        longer.extend_from_slice(splitter.peek(MAX_GAME)?);
        let (before, after) = if piece.oversize {
            (Vec::new(), Vec::new())
        } else {
            (starts(&piece.bytes, self.options.encoding), starts(&longer, self.options.encoding))
        };
        let mut alike = before.iter().zip(&after).take_while(|(before, after)| before == after).count();
        // A game truncated by the end of the file is read again, because the file is longer now.
        if alike == before.len()
            && let Some(last) = before.last()
            && self.is_rejected(source, piece.start + last.start as u64)?
            && Decoded::new(piece, self.options.encoding).ends_cut_off()
        {
            alike -= 1;
        }
        let joined = after.get(before.len()).is_none_or(|next| next.start >= len);
        let cut = match before.get(alike) {
            None if joined => len,
            // The last game has grown; or there was none, and what was there belongs to the next one.
            Some(last) if alike + 1 == before.len() => last.start,
            None => after.get(before.len()).map_or(len, |next| next.start),
            Some(_) => return Err(changed(format_args!("byte {}", piece.start))),
        };
        let schema = &self.options.schema.quoted;
        let (id, start, at) = (&source, piece.start as i64, (piece.start + cut as u64) as i64);
        let mut transaction = self.client.transaction()?;
        let mut taken = 0;
        if cut < len && alike < before.len() {
            taken = 1;
            let end = piece.end as i64;
            let range = "source_id = $1 AND source_offset >= $2 AND source_offset < $3";
            let lost = transaction.query(
                &format!("DELETE FROM {schema}.games WHERE {range} RETURNING error IS NOT NULL"),
                &[id, &at, &end],
            )?;
            let (stored, incomplete) = (lost.len() as i32, lost.iter().filter(|row| row.get(0)).count() as i32);
            let rejected = transaction.execute(
                &format!("DELETE FROM {schema}.rejected WHERE {range} AND game_id IS NULL"),
                &[id, &at, &end],
            )? as i32;
            transaction.execute(&format!("DELETE FROM {schema}.rejected WHERE {range}"), &[id, &at, &end])?;
            // A game that somebody has deleted was a duplicate, or it was stored.
            transaction.execute(
                &format!(
                    "UPDATE {schema}.pieces SET games = games - 1, incomplete = incomplete - $3, \
                     rejected = rejected - $4, \
                     duplicates = duplicates - CASE WHEN $5 + $4 = 0 AND duplicates > 0 THEN 1 ELSE 0 END, \
                     stored = stored - CASE WHEN $5 + $4 = 0 AND duplicates = 0 THEN 1 ELSE $5 END \
                     WHERE source_id = $1 AND start_offset = $2"
                ),
                &[id, &start, &incomplete, &rejected, &stored],
            )?;
        }
        splitter.give_back(piece, cut);
        let place = "WHERE source_id = $1 AND start_offset = $2";
        if cut == 0 {
            transaction.execute(&format!("DELETE FROM {schema}.pieces {place}"), &[id, &start])?;
        } else {
            transaction.execute(
                &format!("UPDATE {schema}.pieces SET last = false, end_offset = $3, hash = $4 {place}"),
                &[id, &start, &at, &&hash(&piece.bytes)[..]],
            )?;
        }
        transaction.execute(&format!("UPDATE {schema}.sources SET finished = NULL WHERE id = $1"), &[id])?;
        transaction.commit()?;
        Ok(games - taken)
    }

    /// Whether the game at this offset could not be read to its end.
    fn is_rejected(&mut self, source: i32, offset: u64) -> Result<bool> {
        let query = format!(
            "SELECT EXISTS (SELECT FROM {}.rejected WHERE source_id = $1 AND source_offset = $2)",
            self.options.schema.quoted
        );
        Ok(self.client.query_one(&query, &[&source, &(offset as i64)])?.get(0))
    }

    fn read_ocgdb(&mut self, name: &str, size: u64, fingerprint: &[u8]) -> Result<bool> {
        let mut database = ocgdb::read(name)?;
        let grown = match self.known(fingerprint)? {
            true => None,
            false => self.find_grown_ocgdb(name)?,
        };
        let Some(begun) = self.begin(name, fingerprint, Some(size), grown)? else { return Ok(false) };
        let read = self.send_rows(&mut database, &begun);
        Totals::add(&self.shared.totals.bytes, size as usize);
        let passage = self.end(begun.input, read)?;
        Ok(self.passed(passage, name))
    }

    /// The rows of a write-ahead log, too, come after what is known.
    fn send_rows(&mut self, database: &mut ocgdb::Database, begun: &Begun) -> Result<()> {
        let mut number = 0;
        while !self.shared.stopped() {
            let next = begun.stored.iter().find(|piece| piece.start >= database.position());
            let known = next.filter(|piece| piece.start == database.position());
            let limit = known.map(|piece| piece.end).or(next.map(|piece| piece.start));
            let Some(rows) = database.next(limit)? else {
                if known.is_some() && !begun.earlier {
                    return Err(changed(format_args!("no games from {} on", database.position())));
                }
                // Between two pieces that are known there may be no game.
                match next {
                    Some(next) if known.is_none() => database.go_to(next.start),
                    _ => break,
                }
                continue;
            };
            match known {
                Some(known) if known.hash[..] == rows.hash[..] && known.end == rows.end => {
                    begun.input.holds(number, known.games);
                    Totals::add(&self.shared.totals.before, known.games as usize);
                }
                Some(_) if begun.earlier => break,
                Some(_) => return Err(changed(format_args!("games from {} on", rows.start))),
                None => self.send(&begun.input, number, Content::Ocgdb(rows)),
            }
            number += 1;
        }
        Ok(())
    }

    fn find_grown_ocgdb(&mut self, name: &str) -> Result<Option<i32>> {
        let firsts = self.first_pieces(None)?;
        let mut best = None;
        for (id, end, known) in firsts {
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

    fn send(&self, input: &Arc<Input>, number: usize, content: Content) {
        // Without a receiver all storing threads have ended, which they do only when the load stops.
        if self.sender.send(Job::new(input, number, content)).is_err() {
            self.shared.fail(Error::msg("nobody is left to store games"));
        }
    }

    /// Whether a source has this fingerprint, or had it.
    fn known(&mut self, fingerprint: &[u8]) -> Result<bool> {
        let table = format!("{}.sources", self.options.schema.quoted);
        let query = format!("SELECT EXISTS (SELECT FROM {table} WHERE fingerprint = $1 OR $1 = ANY (earlier))");
        Ok(self.client.query_one(&query, &[&fingerprint])?.get(0))
    }

    /// The source, and its pieces that are stored; `None` if another loader is at it.
    fn begin(
        &mut self,
        name: &str,
        fingerprint: &[u8],
        size: Option<u64>,
        grown: Option<i32>,
    ) -> Result<Option<Begun>> {
        let table = format!("{}.sources", self.options.schema.quoted);
        let size = size.map(|size| size as i64);
        if grown.is_none() && !self.known(fingerprint)? {
            let namesake = format!("SELECT EXISTS (SELECT FROM {table} WHERE name = $1)");
            if name.starts_with('(') || !self.client.query_one(&namesake, &[&name])?.get::<_, bool>(0) {
            } else if !self.options.dedupe {
                eprintln!(
                    "{name}: other games were loaded under this name before; these are loaded beside them \
                     (--dedupe leaves out those that are equal)"
                );
            }
            self.client.execute(
                &format!("INSERT INTO {table} (name, fingerprint, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"),
                &[&name, &fingerprint, &size],
            )?;
        }
        let id = match grown {
            Some(id) => id,
            None => {
                let query = format!("SELECT id FROM {table} WHERE fingerprint = $1 OR $1 = ANY (earlier) ORDER BY id");
                self.client.query_one(&format!("{query} LIMIT 1"), &[&fingerprint])?.get(0)
            }
        };
        let lock = "SELECT pg_try_advisory_lock(hashtext('chess-pgn ' || $1), $2)";
        if !self.client.query_one(lock, &[&self.options.schema.name, &id])?.get::<_, bool>(0) {
            return Ok(None);
        }
        // This run may have read it under another name, and may still be storing it.
        if let Some((input, _)) = self.heads.iter().find(|(input, _)| input.id == id) {
            input.settled();
        }
        if grown.is_some() {
            self.client.execute(
                &format!(
                    "UPDATE {table} SET earlier = earlier || fingerprint, fingerprint = $2, bytes = $3 \
                     WHERE id = $1 AND fingerprint <> $2"
                ),
                &[&id, &fingerprint, &size],
            )?;
        }
        let query = format!("SELECT fingerprint <> $2 FROM {table} WHERE id = $1");
        let earlier = self.client.query_one(&query, &[&id, &fingerprint])?.get(0);
        Ok(Some(Begun { input: Arc::new(Input::new(id)), stored: self.pieces(id)?, earlier }))
    }

    /// The pieces of a source that are stored, in order.
    fn pieces(&mut self, source: i32) -> Result<VecDeque<Stored>> {
        let query = format!(
            "SELECT start_offset, end_offset, last, hash, games FROM {}.pieces WHERE source_id = $1 ORDER BY 1",
            self.options.schema.quoted
        );
        let rows = self.client.query(&query, &[&source])?;
        let stored = rows.iter().map(|row| Stored {
            start: row.get::<_, i64>(0) as u64,
            end: row.get::<_, i64>(1) as u64,
            last: row.get(2),
            hash: row.get(3),
            games: row.get::<_, i32>(4) as u64,
        });
        Ok(stored.collect())
    }

    /// All pieces are sent, or reading has failed after some of them.
    fn end(&mut self, input: Arc<Input>, read: Result<()>) -> Result<Passage> {
        let whole = read.is_ok() && !self.shared.stopped();
        if input.read(whole) == (State::Done { whole: true }) {
            mark_finished(self.client, &self.options.schema, input.id)?;
        }
        match read {
            Ok(()) => Ok(Passage::All(input)),
            Err(error) => {
                // Its lock is given up when what could be read is stored.
                self.open.push((input, String::new()));
                Err(error)
            }
        }
    }
}

/// Whether these pieces are in a stream where they were.
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
        if hash(&bytes)[..] != piece.hash[..] || skip(stream, rest)? < rest {
            return Ok(false);
        }
        at = piece.end;
    }
    Ok(true)
}

fn skip(stream: &mut dyn Read, len: u64) -> Result<u64> {
    Ok(std::io::copy(&mut stream.take(len), &mut std::io::sink())?)
}

/// Writes down that a source is loaded.
pub fn mark_finished(client: &mut Client, schema: &Schema, source: i32) -> Result<()> {
    let schema = &schema.quoted;
    let query = format!("UPDATE {schema}.sources SET finished = now() WHERE id = $1 AND finished IS NULL");
    client.execute(&query, &[&source]).context("cannot mark the source as finished")?;
    Ok(())
}
