//! A load: files come in, rows go out, and a count of every game.
//!
//! One thread reads: it opens one file after the other, takes it apart and passes over the pieces
//! that are stored already ([`Reader`]). `jobs` threads, each with its connection, turn pieces into rows
//! and store them ([`crate::store`]). The calling thread shows the progress.
//!
//! A file that cannot be read stops no other; a server that fails stops the load. Whatever stops it,
//! what is committed counts, and the next run goes on from there.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Error, Result, anyhow, bail};
use postgres::{Client, Config};
use sha2::{Digest, Sha256};

use crate::connection::connect;
use crate::encoding::Encoding;
use crate::ledger::Ledger;
use crate::ocgdb;
use crate::parse::hash;
use crate::progress::Progress;
use crate::record::Keep;
use crate::schema::Schema;
use crate::source::{self, Kind, STDIN};
use crate::split::{Piece, Splitter};
use crate::store::{Directory, Storer};
use crate::totals::{Count, Totals};

/// What a user asks for.
pub struct Options {
    /// Where the tables are.
    pub schema: Schema,
    /// The number of connections that store.
    pub jobs: usize,
    /// About how many bytes of PGN go into one transaction.
    pub batch: usize,
    /// What is kept of comments.
    pub keep: Keep,
    /// Whether equal games are stored once.
    pub dedupe: bool,
    /// How bytes are read.
    pub encoding: Encoding,
}

/// What came of it.
pub struct Outcome {
    /// The counters.
    pub count: Count,
    /// How long it took.
    pub time: Duration,
    /// What could not be read, or why the load ended early.
    pub errors: Vec<Error>,
}

/// One source while it is being loaded.
pub struct Input {
    /// Its number in the table `sources`.
    pub id: i32,
    /// The numbers of its games.
    pub ledger: Ledger,
    pending: Mutex<Pending>,
}

#[derive(Default)]
struct Pending {
    pieces: usize,
    all_sent: bool,
    complete: bool,
}

impl Input {
    fn pending(&self) -> std::sync::MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A piece is stored; true if that was the last one of a source that was read to its end.
    pub fn stored(&self) -> bool {
        let mut pending = self.pending();
        pending.pieces -= 1;
        pending.pieces == 0 && pending.all_sent && pending.complete
    }
}

/// What a job is to store.
pub enum Content {
    /// Text.
    Pgn(Piece),
    /// Rows of another database.
    Ocgdb(ocgdb::Rows),
}

/// A piece on its way to the server.
pub struct Job {
    /// Where it is from.
    pub input: Arc<Input>,
    /// The how manieth piece of its source, from 0.
    pub number: usize,
    /// The games.
    pub content: Content,
}

/// Loads files into tables that exist.
pub fn load(config: &Config, files: &[String], options: &Options) -> Result<Outcome> {
    let mut reader_client = connect(config)?;
    if options.dedupe {
        options.schema.index_for_duplicates(&mut reader_client)?;
    }
    // Equal games are looked for among those before, so that the first of them is the one that stays.
    let jobs = if options.dedupe { 1 } else { options.jobs };
    let totals = Totals::default();
    let directory = Directory::default();
    let stop = AtomicBool::new(false);
    let errors = Mutex::new(Vec::new());
    let report = |error: Error| errors.lock().unwrap_or_else(PoisonError::into_inner).push(error);
    let (sender, receiver) = sync_channel::<Job>(jobs);
    let receiver = Arc::new(Mutex::new(receiver));
    let mut storers = Vec::new();
    for _ in 0..jobs {
        storers.push(Storer::new(connect(config)?, options, &directory, &totals)?);
    }
    let sizes: Option<Vec<u64>> =
        files.iter().map(|name| (name != STDIN).then(|| Path::new(name).metadata().map_or(0, |m| m.len()))).collect();
    let mut progress = Progress::new(sizes.map(|sizes| sizes.iter().sum()));
    thread::scope(|scope| {
        let (totals, stop, report) = (&totals, &stop, &report);
        let mut threads = Vec::new();
        for mut storer in storers {
            let receiver = Arc::clone(&receiver);
            threads.push(scope.spawn(move || {
                loop {
                    let job = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(job) = job else { break };
                    if stop.load(Ordering::Relaxed) {
                        job.input.ledger.give_up();
                        continue;
                    }
                    if let Err(error) = storer.store(&job) {
                        job.input.ledger.give_up();
                        // The first error is the cause; the others follow from it.
                        if !stop.swap(true, Ordering::Relaxed) {
                            report(error);
                        }
                    }
                }
            }));
        }
        // The threads alone keep it: when they have ended, the reader's channel is closed.
        drop(receiver);
        threads.push(scope.spawn(move || {
            let mut reader = Reader { client: &mut reader_client, options, totals, stop, sender };
            reader.read_all(files, report);
        }));
        while !threads.iter().all(thread::ScopedJoinHandle::is_finished) {
            progress.tick(totals.count());
            thread::sleep(Duration::from_millis(50));
        }
    });
    let count = totals.count();
    progress.tick(count);
    let time = progress.finish();
    Ok(Outcome { count, time, errors: errors.into_inner().unwrap_or_else(PoisonError::into_inner) })
}

/// A piece that an earlier run has stored.
struct Stored {
    start: u64,
    end: u64,
    last: bool,
    hash: Vec<u8>,
    games: u64,
}

struct Reader<'r> {
    client: &'r mut Client,
    options: &'r Options,
    totals: &'r Totals,
    stop: &'r AtomicBool,
    sender: SyncSender<Job>,
}

/// What came of a file.
enum Passage {
    All(Arc<Input>),
    Busy,
}

impl Reader<'_> {
    fn read_all(&mut self, files: &[String], report: &dyn Fn(Error)) {
        let mut waiting: VecDeque<&String> = files.iter().collect();
        let mut open: Vec<Arc<Input>> = Vec::new();
        let mut busy_in_a_row = 0;
        while let Some(name) = waiting.pop_front() {
            if self.stopped() {
                return;
            }
            match self.read(name) {
                Ok(Passage::All(input)) => {
                    busy_in_a_row = 0;
                    open.push(input);
                }
                Ok(Passage::Busy) => {
                    waiting.push_back(name);
                    busy_in_a_row += 1;
                }
                Err(error) => report(error.context(name.clone())),
            }
            // Other loaders may wait for what is done; and this one must not wait with a lock in hand.
            let done = |input: &Arc<Input>| input.pending().pieces == 0;
            while busy_in_a_row > waiting.len() && !open.iter().all(done) && !self.stopped() {
                thread::sleep(Duration::from_millis(20));
            }
            for input in open.extract_if(.., |input| done(input)) {
                if let Err(error) = self.unlock(input.id) {
                    return report(error);
                }
            }
            if busy_in_a_row > waiting.len() {
                thread::sleep(Duration::from_millis(200));
            }
        }
        // The locks are held until everything is stored.
        while !open.iter().all(|input| input.pending().pieces == 0) && !self.stopped() {
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn unlock(&mut self, source: i32) -> Result<()> {
        let name = &self.options.schema.name;
        self.client.execute("SELECT pg_advisory_unlock(hashtext('chess-pgn ' || $1), $2)", &[name, &source])?;
        Ok(())
    }

    /// Reads one file; if another loader is at it, not now.
    fn read(&mut self, name: &str) -> Result<Passage> {
        if let Kind::Sqlite = source::kind(name)? {
            return self.read_ocgdb(name);
        }
        let opened = source::open(name, Arc::clone(&self.totals.bytes))?;
        let mut splitter = Splitter::new(opened.input, self.options.batch, self.options.encoding);
        let fingerprint = match opened.size {
            Some(_) => file_fingerprint(name)?,
            None => Sha256::new_with_prefix("stream").chain_update(splitter.peek(1 << 16)?).finalize().to_vec(),
        };
        let Some((input, mut stored)) = self.begin(name, &fingerprint, opened.size)? else { return Ok(Passage::Busy) };
        let read = self.send_pieces(&mut splitter, &input, &mut stored);
        self.end(&input, read.is_ok())?;
        read.map(|()| Passage::All(input))
    }

    fn send_pieces<R: Read>(
        &mut self,
        splitter: &mut Splitter<R>,
        input: &Arc<Input>,
        stored: &mut VecDeque<Stored>,
    ) -> Result<()> {
        let changed =
            |place: u64| anyhow!("it is not what was loaded before: byte {place} (save it under another name)");
        for number in 0.. {
            if self.stopped() {
                break;
            }
            let position = splitter.position();
            let next = stored.front().map(|piece| piece.start);
            if next.is_some_and(|start| start < position) {
                bail!(changed(position));
            }
            if next == Some(position) {
                let Some(known) = stored.pop_front() else { break };
                let piece = splitter.again(known.end)?;
                let goes_on = known.last && !splitter.peek(1)?.is_empty();
                if piece.end != known.end || hash(&piece.bytes)[..] != known.hash[..] || goes_on {
                    bail!(changed(position));
                }
                input.ledger.enter(number, known.games);
                Totals::add(&self.totals.before, known.games as usize);
                continue;
            }
            let Some(piece) = splitter.next(next)? else {
                if next.is_some() {
                    bail!(changed(position));
                }
                break;
            };
            self.send(Job { input: Arc::clone(input), number, content: Content::Pgn(piece) });
        }
        Ok(())
    }

    fn read_ocgdb(&mut self, name: &str) -> Result<Passage> {
        let size = Path::new(name).metadata()?.len();
        let Some((input, stored)) = self.begin(name, &file_fingerprint(name)?, Some(size))? else {
            return Ok(Passage::Busy);
        };
        let read = ocgdb::read(name).and_then(|mut database| {
            let mut number = 0;
            while let Some(rows) = database.next()? {
                if self.stopped() {
                    break;
                }
                match stored.iter().find(|piece| piece.start == rows.start && piece.end == rows.end) {
                    Some(known) if known.hash[..] == rows.hash[..] => {
                        input.ledger.enter(number, known.games);
                        Totals::add(&self.totals.before, known.games as usize);
                    }
                    Some(_) => bail!("it is not what was loaded before: games from {} on", rows.start),
                    None => self.send(Job { input: Arc::clone(&input), number, content: Content::Ocgdb(rows) }),
                }
                number += 1;
            }
            Ok(())
        });
        Totals::add(&self.totals.bytes, size as usize);
        self.end(&input, read.is_ok())?;
        read.map(|()| Passage::All(input))
    }

    fn send(&self, job: Job) {
        job.input.pending().pieces += 1;
        let input = Arc::clone(&job.input);
        // Without a receiver all storing threads have ended, which they do only when the load stops.
        if self.sender.send(job).is_err() {
            self.stop.store(true, Ordering::Relaxed);
            input.pending().pieces -= 1;
        }
    }

    /// The source, and its pieces that are stored; `None` if another loader is at it.
    fn begin(
        &mut self,
        name: &str,
        fingerprint: &[u8],
        size: Option<u64>,
    ) -> Result<Option<(Arc<Input>, VecDeque<Stored>)>> {
        let schema = &self.options.schema;
        let table = format!("{}.sources", schema.quoted);
        let name = if name == STDIN { "(standard input)" } else { name };
        self.client.execute(
            &format!("INSERT INTO {table} (name, fingerprint, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"),
            &[&name, &fingerprint, &size.map(|size| size as i64)],
        )?;
        let id: i32 =
            self.client.query_one(&format!("SELECT id FROM {table} WHERE fingerprint = $1"), &[&fingerprint])?.get(0);
        let locked: bool = self
            .client
            .query_one("SELECT pg_try_advisory_lock(hashtext('chess-pgn ' || $1), $2)", &[&schema.name, &id])?
            .get(0);
        if !locked {
            return Ok(None);
        }
        let rows = self.client.query(
            &format!(
                "SELECT start_offset, end_offset, last, hash, games FROM {}.pieces WHERE source_id = $1 ORDER BY 1",
                schema.quoted
            ),
            &[&id],
        )?;
        let stored = rows.iter().map(|row| Stored {
            start: row.get::<_, i64>(0) as u64,
            end: row.get::<_, i64>(1) as u64,
            last: row.get(2),
            hash: row.get(3),
            games: row.get::<_, i32>(4) as u64,
        });
        let input = Input { id, ledger: Ledger::default(), pending: Mutex::default() };
        Ok(Some((Arc::new(input), stored.collect())))
    }

    /// All pieces are sent; `complete` if they are all that there is.
    fn end(&mut self, input: &Input, complete: bool) -> Result<()> {
        let complete = complete && !self.stopped();
        let finished = {
            let mut pending = input.pending();
            pending.all_sent = true;
            pending.complete = complete;
            pending.pieces == 0 && complete
        };
        if !complete {
            input.ledger.give_up();
        }
        if finished {
            mark_finished(self.client, &self.options.schema, input.id)?;
        }
        Ok(())
    }
}

/// Writes down that a source is loaded.
pub fn mark_finished(client: &mut Client, schema: &Schema, source: i32) -> Result<()> {
    let schema = &schema.quoted;
    let query = format!("UPDATE {schema}.sources SET finished = now() WHERE id = $1 AND finished IS NULL");
    client.execute(&query, &[&source]).context("cannot mark the source as finished")?;
    Ok(())
}

/// Tells files apart by their size, beginning and end, so that a file may be moved and renamed. The
/// pieces' hashes tell whether it has changed in between.
fn file_fingerprint(name: &str) -> Result<Vec<u8>> {
    const BEGINNING: u64 = 1 << 20;
    const END: u64 = 1 << 16;
    let mut file = File::open(name)?;
    let size = file.metadata()?.len();
    let mut bytes = Vec::new();
    file.by_ref().take(BEGINNING).read_to_end(&mut bytes)?;
    file.seek(SeekFrom::Start(size.saturating_sub(END)))?;
    file.take(END).read_to_end(&mut bytes)?;
    Ok(Sha256::new_with_prefix("file").chain_update(size.to_be_bytes()).chain_update(&bytes).finalize().to_vec())
}
