//! Converts files of games to other files, without a server: names of files come in, files of the games for which a condition
//! holds go out.
//!
//! One thread reads: it opens the files in turn and splits them into pieces. The others parse pieces and write the games of
//! each as text; they take turns to number the games ([`in_order`]) and to write what they have made, so that the memory is
//! that of a few pieces, and the output does not depend on the number of threads. The first error stops all, and no file
//! gets its name ([`target`]); but members of archives that cannot be opened are only named, as a load names them.

mod converted;
mod formats;
mod in_order;
mod target;

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Error, Result, bail};

use self::converted::{Before, Converted};
pub use self::formats::Format;
use self::in_order::InOrder;
use self::target::Target;
use crate::interrupt::Interrupt;
use crate::load::job::Content;
use crate::load::progress::Progress;
use crate::load::shared::Shared;
use crate::load::told;
use crate::load::totals::{Count, Totals};
use crate::output::tell;
use crate::read::condition::Condition;
use crate::read::encoding::Encoding;
use crate::read::hash::Hasher;
use crate::read::ocgdb;
use crate::read::parse::{Decoded, Games};
use crate::read::record::{Keep, Record};
use crate::read::source::{self, Opened, STDIN};
use crate::read::split::Splitter;

/// The bytes of a piece.
const PIECE: usize = 1 << 20;

/// The most messages about single games.
const MESSAGES: u64 = 100;

/// What is converted, and to what.
pub struct Options {
    /// Which games are wanted; without a condition all.
    pub condition: Option<Condition>,
    /// What is kept of a game besides its moves.
    pub keep: Keep,
    /// Whether a game that equals an earlier one is left out.
    pub dedupe: bool,
    /// The encoding of the files.
    pub encoding: Encoding,
    /// The number of threads.
    pub jobs: usize,
    /// What is written.
    pub targets: Vec<(Format, PathBuf)>,
}

/// The result.
pub struct Outcome {
    /// The counters; stored are those written.
    pub count: Count,
    /// For each part of the condition, the games that were left out because they fail it; the last parts may be missing.
    pub left_out: Vec<u64>,
    /// How long it took.
    pub time: Duration,
    /// Whether a member of an archive could not be opened; it has been named.
    pub unopened: bool,
}

/// A piece of a file.
struct Work {
    /// Its place among all pieces.
    number: usize,
    /// The place of its file among all files, and its name.
    file: (usize, Arc<str>),
    content: Content,
}

/// What numbers games and finds equal ones, piece by piece.
#[derive(Default)]
struct Numbers {
    /// The games of all pieces so far, and the file to which the last piece belongs.
    before: Before,
    file: usize,
    /// For each file, whether a game of it could be read.
    readable: Vec<bool>,
    /// What tells written games apart.
    seen: HashSet<[u8; 16]>,
}

/// Where output goes, piece by piece.
struct Output {
    targets: Vec<Target>,
    messages: u64,
}

/// Converts files. `None` if the user has interrupted it.
///
/// # Errors
///
/// A file cannot be read or written, or has no games.
pub fn convert(files: &[String], options: &Options, interrupt: &Interrupt) -> Result<Option<Outcome>> {
    let mut targets = Vec::new();
    for (format, name) in &options.targets {
        targets.push(Target::create(*format, name)?);
    }
    let known = files.iter().all(|name| name != STDIN);
    let total = known.then(|| files.iter().map(|name| source::size(name)).sum());
    let mut progress = Progress::new(total, false);
    let shared = Shared::default();
    let unopened = AtomicBool::new(false);
    let numbers = InOrder::new(Numbers::default());
    let output = InOrder::new(Output { targets, messages: 0 });
    let stop = |error: Option<Error>| {
        match error {
            Some(error) => shared.fail(error),
            None => shared.stop(),
        }
        numbers.stop();
        output.stop();
    };
    // An error or a panic of a thread stops the others.
    let run = |work: &mut dyn FnMut() -> Result<()>| match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => (),
        Ok(Err(error)) => stop(Some(error)),
        Err(panic) => stop(Some(told(&*panic))),
    };
    let (sender, receiver) = sync_channel::<Work>(options.jobs);
    let receiver = Arc::new(Mutex::new(receiver));
    thread::scope(|scope| {
        let (shared, numbers, output, run, unopened) = (&shared, &numbers, &output, &run, &unopened);
        let mut threads = Vec::new();
        for _ in 0..options.jobs {
            let receiver = Arc::clone(&receiver);
            threads.push(scope.spawn(move || {
                let condition = options.condition.clone();
                let mut worker = Worker { options, condition, totals: &shared.totals, numbers, output };
                run(&mut || worker.work(&receiver, shared));
            }));
        }
        drop(receiver);
        threads.push(scope.spawn(move || run(&mut || read_all(files, options.encoding, shared, unopened, &sender))));
        while !threads.iter().all(thread::ScopedJoinHandle::is_finished) {
            progress.tick(shared.totals.count());
            if interrupt.wanted() {
                stop(None);
            }
            thread::sleep(Duration::from_millis(20));
        }
    });
    let time = progress.finish();
    let (count, left_out, stopped) = (shared.totals.count(), shared.totals.left_out(), shared.stopped());
    if let Some(error) = shared.into_errors().into_iter().next() {
        return Err(error);
    }
    // A signal may have come since the last look, and removed what is written.
    if stopped || interrupt.wanted() {
        return Ok(None);
    }
    finish(files, &numbers.into_inner().readable, output.into_inner().targets)?;
    Ok(Some(Outcome { count, left_out, time, unopened: unopened.into_inner() }))
}

/// Ends what is written, if each file has a game that can be read.
fn finish(files: &[String], readable: &[bool], targets: Vec<Target>) -> Result<()> {
    for (n, name) in files.iter().enumerate() {
        if !readable.get(n).copied().unwrap_or(false) {
            bail!("{name}: no game in it that can be read");
        }
    }
    targets.into_iter().try_for_each(Target::finish)
}

/// Reads all files, and sends their pieces.
fn read_all(
    files: &[String],
    encoding: Encoding,
    shared: &Shared,
    unopened: &AtomicBool,
    sender: &SyncSender<Work>,
) -> Result<()> {
    let mut number = 0;
    for (n, name) in files.iter().enumerate() {
        let mut send = |shown: &Arc<str>, content: Content| {
            // Sending fails after an error of the others.
            let sent = sender.send(Work { number, file: (n, Arc::clone(shown)), content }).is_ok();
            number += 1;
            sent && !shared.stopped()
        };
        let read = match source::open(name, Arc::clone(&shared.totals.bytes), None) {
            Err(error) => Err(error),
            Ok(Opened::Pgn(stream)) => {
                let shown = if name == STDIN { "(standard input)" } else { name };
                split(&shown.into(), Splitter::new(stream.input, PIECE, encoding), &mut send)
            }
            Ok(Opened::Zip(mut archive)) => archive.members.clone().into_iter().try_for_each(|(at, member)| {
                let shown: Arc<str> = format!("{name}: {member}").into();
                match archive.member(at) {
                    Ok((input, ..)) => split(&shown, Splitter::new(input, PIECE, encoding), &mut send).context(member),
                    // the other members may be readable
                    Err(error) => {
                        tell!("chess-pgn: {shown}: {error:#}");
                        unopened.store(true, Ordering::Relaxed);
                        Ok(())
                    }
                }
            }),
            Ok(Opened::Sqlite(size, _)) => {
                Totals::add(&shared.totals.bytes, size as usize);
                send_rows(name, &mut send)
            }
        };
        read.with_context(|| name.clone())?;
        if shared.stopped() {
            break;
        }
    }
    Ok(())
}

fn split<R: std::io::Read>(
    shown: &Arc<str>,
    mut splitter: Splitter<R>,
    send: &mut dyn FnMut(&Arc<str>, Content) -> bool,
) -> Result<()> {
    while let Some(piece) = splitter.next(None)? {
        if !send(shown, Content::Pgn(piece)) {
            break;
        }
    }
    Ok(())
}

fn send_rows(name: &str, send: &mut dyn FnMut(&Arc<str>, Content) -> bool) -> Result<()> {
    let mut database = ocgdb::read(name)?;
    while let Some(rows) = database.next(None)? {
        if !send(&name.into(), Content::Ocgdb(rows)) {
            break;
        }
    }
    Ok(())
}

/// A thread that converts pieces.
struct Worker<'w> {
    options: &'w Options,
    /// That of the options, with the memory of this thread.
    condition: Option<Condition>,
    totals: &'w Totals,
    numbers: &'w InOrder<Numbers>,
    output: &'w InOrder<Output>,
}

impl Worker<'_> {
    /// Converts pieces until there are no more.
    fn work(&mut self, receiver: &Mutex<Receiver<Work>>, shared: &Shared) -> Result<()> {
        loop {
            let work = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(work) = work else { return Ok(()) };
            if shared.stopped() {
                continue;
            }
            match &work.content {
                Content::Pgn(piece) => {
                    let decoded = Decoded::new(piece, self.options.encoding);
                    let games = decoded.games(self.options.keep, self.condition.as_mut());
                    self.write(&work, &games, Some(piece.lines_before))?;
                }
                Content::Ocgdb(rows) => {
                    let games = ocgdb::games(rows, self.options.keep, self.condition.as_mut());
                    self.write(&work, &games, None)?;
                }
            }
        }
    }

    /// Writes the games of a piece. `lines` is the number of lines before it, if it is text.
    fn write(&self, work: &Work, games: &Games<'_>, lines: Option<u64>) -> Result<()> {
        let Some((before, is_new)) = self.number(work, games) else { return Ok(()) };
        let mut piece = Converted::new(&self.options.targets, &work.file.1, before)?;
        let (mut written, mut incomplete) = (0, 0);
        for (n, (number, record)) in games.numbered().enumerate() {
            if is_new.get(n) != Some(&false) {
                written += 1;
                incomplete += usize::from(record.error.is_some());
                piece.add(number, record)?;
            }
        }
        games.rejected.iter().for_each(|game| piece.reject(game, lines));
        let done = self.output.turn(work.number, |output| output.write(piece));
        done.transpose()?;
        Totals::add(&self.totals.stored, written);
        Totals::add(&self.totals.duplicates, games.records.len() - written);
        Totals::add(&self.totals.incomplete, incomplete);
        Totals::add(&self.totals.rejected, games.rejected.len() - games.incomplete);
        self.totals.leave_out(&games.left_out);
        Ok(())
    }

    /// Numbers the games of a piece behind those of the pieces before it, and tells which of them no earlier one equals, if
    /// that is asked. `None` if the conversion has ended.
    fn number(&self, work: &Work, games: &Games<'_>) -> Option<(Before, Vec<bool>)> {
        let identities: Vec<_> = match self.options.dedupe {
            true => games.records.iter().map(|(_, record)| identity(record)).collect(),
            false => Vec::new(),
        };
        self.numbers.turn(work.number, |numbers| {
            let file = work.file.0;
            if numbers.file != file {
                (numbers.file, numbers.before.of_file) = (file, 0);
            }
            let before = numbers.before;
            numbers.before.games += games.len() as u64;
            numbers.before.of_file += games.len() as u64;
            numbers.readable.resize(file + 1, false);
            numbers.readable[file] |= !games.records.is_empty() || games.left_out() > 0;
            let is_new = |identity: Option<_>| identity.is_none_or(|identity| numbers.seen.insert(identity));
            (before, identities.into_iter().map(is_new).collect())
        })
    }
}

impl Output {
    fn write(&mut self, piece: Converted<'_>) -> Result<()> {
        for message in &piece.messages {
            self.messages += 1;
            match self.messages {
                ..=MESSAGES => tell!("chess-pgn: {message}"),
                n if n == MESSAGES + 1 => tell!("chess-pgn: more messages of this kind are not shown"),
                _ => (),
            }
        }
        self.targets.iter_mut().zip(piece.made).try_for_each(|(target, (_, made))| target.write(made))
    }
}

/// What equal games have in common, as for `load --dedupe`: players, date, result and moves; why they are incomplete, and their
/// texts, without which no incomplete game equals another.
fn identity(record: &Record<'_>) -> Option<[u8; 16]> {
    let rest = match &record.error {
        Some(error) => [error, record.annotated.as_deref()?],
        None => [""; 2],
    };
    let mut hash = Hasher::new(record.result.as_bytes());
    let [.., white, black] = record.names.each_ref().map(Option::as_deref);
    for text in [white, black, record.date.as_deref()] {
        // no tag has a NUL byte
        hash.add(&[text.is_some().into()]);
        hash.add(text.unwrap_or_default().as_bytes());
        hash.add(&[0]);
    }
    hash.add(&[record.error.is_none().into()]);
    for text in rest {
        hash.add(text.as_bytes());
        hash.add(&[0]);
    }
    hash.add(record.game.view().lower_bound().as_bytes());
    Some(hash.of_piece())
}
