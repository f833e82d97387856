//! The reading thread: takes names of files, splits their contents into pieces, and sends these to the storing threads.
//!
//! Before a source is read, it is looked up in the tables ([`stored`]): by its fingerprint or, if that is unknown, by its
//! contents, because it may be a stored source that has grown ([`grown`]). Pieces that are stored already are compared by
//! hash and skipped. An advisory lock keeps other loaders away from a source until all of its pieces are stored.

mod grown;
mod stored;

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::io::Read;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::Duration;

use anyhow::{Error, Result, bail};
use chess_db::locks::Lock;
use postgres::Client;
use serde_json::json;

use self::grown::{Again, Gone};
use self::stored::FirstPiece;
use self::stored::Stored;
pub use self::stored::mark_finished;
use super::job::{Content, Job};
use super::shared::{Options, Shared};
use super::state::{Input, State};
use super::totals::Totals;
use crate::output::{say, tell};
use crate::read::condition::Condition;
use crate::read::hash::Hasher;
use crate::read::ocgdb;
use crate::read::source::{self, Archive, MEMBER_BEGINNING, Opened, STDIN, STREAM_BEGINNING};
use crate::read::split::Splitter;

/// A source that this loader has locked and reads.
struct Begun {
    input: Arc<Input>,
    stored: VecDeque<Stored>,
    /// Whether the file is an earlier state of the source, which has grown since.
    earlier: bool,
}

/// The outcome of reading a source.
enum Passage {
    All(Arc<Input>),
    /// Another loader has locked it.
    Busy,
}

/// The contents of a stored source have changed.
#[derive(Debug)]
struct Changed {
    place: String,
}

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = &self.place;
        write!(
            f,
            "it has changed since it was loaded: {place} \
             (--changed loads it as a new source, without the games that are stored already)"
        )
    }
}

impl std::error::Error for Changed {}

fn changed(place: impl fmt::Display) -> Error {
    Error::new(Changed { place: place.to_string() })
}

/// The state of the reading thread.
pub struct Reader<'r> {
    client: &'r mut Client,
    options: &'r Options,
    shared: &'r Shared,
    sender: SyncSender<Job>,
    /// Sources that are read but still locked, with their names.
    open: Vec<(Arc<Input>, String)>,
    /// The first pieces of all sources that were stored before this run; read when they are needed first.
    firsts: Option<Vec<FirstPiece>>,
    /// The sources that this run has read, with their first [`HEAD`] bytes.
    heads: Vec<(Arc<Input>, Vec<u8>)>,
    /// Members of archives that this run has read: an archive is read again if another loader had locked a member.
    members: HashSet<String>,
    /// What is to be said of the last file that another loader had locked.
    busy: String,
}

/// How many bytes are compared to find sources of this run that another one may continue.
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
            busy: String::new(),
        }
    }

    /// Reads all files, those that another loader has locked again later.
    pub fn read_all(&mut self, files: &[String]) {
        let mut waiting: VecDeque<&String> = files.iter().collect();
        let mut busy_in_a_row = 0;
        let mut told = String::new();
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
                Err(error) => self.shared.report_file(name, error.context(name.clone())),
            }
            // Other loaders may wait for finished sources; and waiting with a lock could be a deadlock.
            let wait = busy_in_a_row > waiting.len();
            self.close(wait);
            if wait {
                if told != self.busy {
                    told.clone_from(&self.busy);
                    tell!("{name}: {told}");
                }
                thread::sleep(Duration::from_millis(200));
            }
        }
        self.close(true);
    }

    /// Unlocks stored sources. With `wait`, waits until all sources are stored.
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
                "SELECT sum(stored + duplicates + left_out), sum(rejected) FROM {}.pieces WHERE source_id = $1",
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
        Ok(Lock::source(&self.options.schema.name, input.id).release(self.client)?)
    }

    /// Reads one file. Returns false if another loader has locked it.
    fn read(&mut self, name: &str) -> Result<bool> {
        let consumed = || Arc::clone(&self.shared.totals.bytes);
        let most = self.options.most;
        match source::open(name, consumed(), most)? {
            Opened::Sqlite(size, fingerprint) => {
                let fingerprint = if self.options.apart { source::whole_fingerprint(name)? } else { fingerprint };
                self.read_ocgdb(name, size, &fingerprint)
            }
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
                if self.options.apart {
                    let whole = source::whole_fingerprint(name)?;
                    // what was loaded otherwise is told by its pieces, of which none is missing: nothing is added to it
                    let passage = match !self.known(&whole)? && self.is_finished(&fingerprint)? {
                        true => self.read_stream(name, &fingerprint, Some(size), splitter, None),
                        false => return self.read_whole(name, &whole, size),
                    };
                    return match passage {
                        Err(error) if error.is::<Changed>() => self.read_whole(name, &whole, size),
                        passage => Ok(self.passed(passage?, name)),
                    };
                }
                let mut again = |look: &mut dyn FnMut(&mut dyn Read) -> Result<bool>| match source::open(
                    name,
                    source::Consumed::default(),
                    most,
                )? {
                    Opened::Pgn(mut stream) => look(&mut stream.input),
                    _ => Ok(false),
                };
                let passage = match self.read_stream(name, &fingerprint, Some(size), splitter, Some(&mut again)) {
                    Err(error) if self.options.changed && error.is::<Changed>() => {
                        return self.read_whole(name, &source::whole_fingerprint(name)?, size);
                    }
                    passage => passage?,
                };
                Ok(self.passed(passage, name))
            }
        }
    }

    /// Reads a file that is identified by all of its bytes.
    fn read_whole(&mut self, name: &str, whole: &[u8], size: u64) -> Result<bool> {
        let Opened::Pgn(stream) = source::open(name, source::Consumed::default(), self.options.most)? else {
            return Err(changed("while it was read"));
        };
        let splitter = Splitter::new(stream.input, self.options.batch, self.options.encoding);
        let passage = self.read_stream(name, whole, Some(size), splitter, None)?;
        Ok(self.passed(passage, name))
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
        let whole = if self.options.apart { Some(source::whole_fingerprint(name)?) } else { None };
        for (at, member) in archive.members.clone() {
            if self.shared.stopped() {
                break;
            }
            let shown = format!("{name}: {member}");
            if self.members.contains(&shown) {
                continue;
            }
            match self.read_member(&mut archive, at, &shown, whole.as_deref()) {
                Ok(Passage::Busy) => all = false,
                Ok(passage) => {
                    self.passed(passage, &shown);
                    self.members.insert(shown);
                }
                // the other members may be readable
                Err(error) => {
                    self.shared.report_file(name, error.context(shown.clone()));
                    self.members.insert(shown);
                }
            }
        }
        Ok(all)
    }

    fn read_member(&mut self, archive: &mut Archive, at: usize, shown: &str, whole: Option<&[u8]>) -> Result<Passage> {
        let (member, size, checksum) = archive.member(at)?;
        let mut splitter = Splitter::new(member, self.options.batch, self.options.encoding);
        let fingerprint = match whole {
            Some(whole) => source::whole_member_fingerprint(whole, at),
            None => source::member_fingerprint(size, checksum, splitter.peek(MEMBER_BEGINNING)?),
        };
        self.read_stream(shown, &fingerprint, Some(size), splitter, None)
    }

    /// Reads one stream, unless another loader has locked it.
    fn read_stream<R: Read>(
        &mut self,
        name: &str,
        fingerprint: &[u8],
        size: Option<u64>,
        mut splitter: Splitter<R>,
        again: Option<Again<'_>>,
    ) -> Result<Passage> {
        let grown = match self.options.apart || self.known(fingerprint)? {
            true => None,
            false => self.find_grown(&mut splitter, again)?,
        };
        let Some(mut begun) = self.begin(name, fingerprint, size, grown)? else { return Ok(Passage::Busy) };
        self.shared.reads(begun.input.id);
        if let Ok(head) = splitter.peek(HEAD) {
            self.heads.push((Arc::clone(&begun.input), head.to_vec()));
        }
        let read = self.send_pieces(&mut splitter, &mut begun);
        self.end(begun.input, read)
    }

    fn send_pieces<R: Read>(&mut self, splitter: &mut Splitter<R>, begun: &mut Begun) -> Result<()> {
        let input = Arc::clone(&begun.input);
        let mut number = 0;
        while !self.shared.stopped() {
            let position = splitter.position();
            let next = begun.stored.front().map(|piece| piece.start);
            if begun.earlier && splitter.peek(1)?.is_empty() {
                // The rest was loaded from a later state of the file.
                break;
            }
            if next.is_some_and(|start| start < position) {
                return Err(changed(format_args!("from byte {position} on")));
            }
            if next == Some(position) {
                let Some(known) = begun.stored.pop_front() else { break };
                let mut piece = splitter.again(known.end)?;
                if piece.end != known.end || Hasher::new(&piece.bytes).of_piece()[..] != known.hash[..] {
                    if begun.earlier && splitter.peek(1)?.is_empty() {
                        break;
                    }
                    return Err(changed(format_args!("from byte {position} on")));
                }
                let (mut games, mut left_out) = (known.games, known.left_out);
                if known.last && !splitter.peek(1)?.is_empty() {
                    let gone = self.grow(splitter, &mut piece, input.id)?;
                    games -= u64::from(gone != Gone::Nothing);
                    left_out -= u64::from(gone == Gone::LeftOut);
                }
                if piece.end > piece.start {
                    input.holds(number, games);
                    Totals::add(&self.shared.totals.before, (games - left_out) as usize);
                    number += 1;
                }
                continue;
            }
            let Some(piece) = splitter.next(next)? else {
                if next.is_some() && !begun.earlier {
                    return Err(changed(format_args!("from byte {position} on")));
                }
                break;
            };
            self.send(&input, number, Content::Pgn(piece));
            number += 1;
        }
        Ok(())
    }

    fn read_ocgdb(&mut self, name: &str, size: u64, fingerprint: &[u8]) -> Result<bool> {
        let mut database = ocgdb::read(name)?;
        let grown = match self.options.apart || self.known(fingerprint)? {
            true => None,
            false => self.find_grown_ocgdb(name)?,
        };
        let Some(begun) = self.begin(name, fingerprint, Some(size), grown)? else { return Ok(false) };
        self.shared.reads(begun.input.id);
        let read = self.send_rows(&mut database, &begun);
        Totals::add(&self.shared.totals.bytes, size as usize);
        let passage = self.end(begun.input, read)?;
        Ok(self.passed(passage, name))
    }

    /// Sends the rows whose pieces are not stored.
    fn send_rows(&mut self, database: &mut ocgdb::Database, begun: &Begun) -> Result<()> {
        let mut number = 0;
        while !self.shared.stopped() {
            let next = begun.stored.iter().find(|piece| piece.start >= database.position());
            let known = next.filter(|piece| piece.start == database.position());
            let limit = known.map(|piece| piece.end).or(next.map(|piece| piece.start));
            let Some(rows) = database.next(limit)? else {
                if known.is_some() && !begun.earlier {
                    return Err(changed(format_args!("the games from id {} on are missing", database.position())));
                }
                // Between two stored pieces there may be no game.
                match next {
                    Some(next) if known.is_none() => database.go_to(next.start),
                    _ => break,
                }
                continue;
            };
            match known {
                Some(known) if known.hash[..] == rows.hash[..] && known.end == rows.end => {
                    begun.input.holds(number, known.games);
                    Totals::add(&self.shared.totals.before, (known.games - known.left_out) as usize);
                }
                Some(_) if begun.earlier => break,
                Some(_) => return Err(changed(format_args!("the games from id {} on differ", rows.start))),
                None => self.send(&begun.input, number, Content::Ocgdb(rows)),
            }
            number += 1;
        }
        Ok(())
    }

    fn send(&self, input: &Arc<Input>, number: usize, content: Content) {
        // Sending fails only when all storing threads have ended, which stops the load.
        if self.sender.send(Job::new(input, number, content)).is_err() {
            self.shared.fail(Error::msg("all connections that store games have ended"));
        }
    }

    /// Inserts a new source. That another one has its name is told where games may be stored twice.
    fn insert(&mut self, name: &str, fingerprint: &[u8], size: Option<i64>) -> Result<()> {
        let table = format!("{}.sources", self.options.schema.quoted);
        let namesake = format!("SELECT EXISTS (SELECT FROM {table} WHERE name = $1)");
        if !self.options.dedupe
            && !name.starts_with('(')
            && self.client.query_one(&namesake, &[&name])?.get::<_, bool>(0)
        {
            tell!(
                "{name}: another file of this name was loaded before; its games stay \
                 (--dedupe skips games that equal stored ones)"
            );
        }
        let insert = format!(
            "INSERT INTO {table} (name, fingerprint, bytes, condition) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (fingerprint) DO NOTHING RETURNING id"
        );
        let condition = self.options.condition.as_ref().map(Condition::as_str);
        let made = self.client.query_opt(&insert, &[&name, &fingerprint, &size, &condition])?;
        if let (true, Some(made)) = (self.options.json, made) {
            say!("{}", json!({ "made": made.get::<_, i32>(0) }));
        }
        Ok(())
    }

    /// Inserts the source if it is new, and locks it; `None` if another loader has locked it.
    fn begin(
        &mut self,
        name: &str,
        fingerprint: &[u8],
        size: Option<u64>,
        grown: Option<i32>,
    ) -> Result<Option<Begun>> {
        let table = format!("{}.sources", self.options.schema.quoted);
        let size = size.map(|size| size as i64);
        let condition = self.options.condition.as_ref().map(Condition::as_str);
        if grown.is_none() && !self.known(fingerprint)? {
            self.insert(name, fingerprint, size)?;
        }
        let id = match grown {
            Some(id) => id,
            None => {
                let query = format!("SELECT id FROM {table} WHERE fingerprint = $1 OR $1 = ANY (earlier) ORDER BY id");
                self.client.query_one(&format!("{query} LIMIT 1"), &[&fingerprint])?.get(0)
            }
        };
        // Which games of its pieces are stored cannot be changed afterwards.
        let known = self.client.query_one(&format!("SELECT condition FROM {table} WHERE id = $1"), &[&id])?;
        let known: Option<&str> = known.get(0);
        if known != condition {
            bail!(
                "it was loaded with {}: give the same again, or remove its games by chess-pgn unload --source {id}",
                known.map_or("no --where".to_owned(), |known| format!("--where {known:?}"))
            );
        }
        let lock = Lock::source(&self.options.schema.name, id);
        if !lock.try_take(self.client)? {
            self.busy = lock.waiting(self.client)?;
            return Ok(None);
        }
        // This run may have read it under another name; its pieces must be stored before they are compared.
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

    /// Called when all pieces are sent, or reading has failed.
    fn end(&mut self, input: Arc<Input>, read: Result<()>) -> Result<Passage> {
        let whole = read.is_ok() && !self.shared.stopped();
        if input.read(whole) == (State::Done { whole: true }) {
            mark_finished(self.client, &self.options.schema, input.id)?;
        }
        match read {
            Ok(()) => Ok(Passage::All(input)),
            Err(error) => {
                // It is unlocked when the pieces before the error are stored.
                self.open.push((input, String::new()));
                Err(error)
            }
        }
    }
}
