//! Converts files of games to other files, without a server: names of files come in, files of the games for which a condition
//! holds go out.
//!
//! One thread reads: it opens the files in turn and splits them into pieces. The others parse pieces and write the games of
//! each as text; they take turns to number the games ([`in_order`]) and to write what they have made, so that the memory is
//! that of a few pieces, and the output does not depend on the number of threads. The first error stops all, and no file
//! gets its name ([`target`]).

mod formats;
mod in_order;
mod target;

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Error, Result, bail};
#[cfg(feature = "parquet")]
use chess_core::text::clocks_evals::ClocksEvals;

pub use self::formats::Format;
use self::in_order::InOrder;
use self::target::{Made, Target};
#[cfg(feature = "parquet")]
use crate::columns::games::COLUMNS;
use crate::columns::games::GameRow;
use crate::interrupt::Interrupt;
use crate::load::job::Content;
use crate::load::progress::Progress;
use crate::load::shared::Shared;
use crate::load::told;
use crate::load::totals::{Count, Totals};
#[cfg(feature = "parquet")]
use crate::parquet::plies::each_ply;
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
    /// The games of all pieces so far, and those of this file.
    games: u64,
    file: usize,
    of_file: u64,
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
    let numbers = InOrder::new(Numbers::default());
    let output = InOrder::new(Output { targets, messages: 0 });
    let (sender, receiver) = sync_channel::<Work>(options.jobs);
    let receiver = Arc::new(Mutex::new(receiver));
    let stop = |error: Option<Error>| {
        match error {
            Some(error) => shared.fail(error),
            None => shared.stop(),
        }
        numbers.stop();
        output.stop();
    };
    thread::scope(|scope| {
        let (shared, numbers, output, stop) = (&shared, &numbers, &output, &stop);
        let mut threads = Vec::new();
        for _ in 0..options.jobs {
            let receiver = Arc::clone(&receiver);
            threads.push(scope.spawn(move || {
                let mut worker =
                    Worker { options, condition: options.condition.clone(), totals: &shared.totals, numbers, output };
                let done = catch_unwind(AssertUnwindSafe(|| worker.work(&receiver, shared)));
                match done {
                    Ok(Ok(())) => (),
                    Ok(Err(error)) => stop(Some(error)),
                    Err(panic) => stop(Some(told(&*panic))),
                }
            }));
        }
        drop(receiver);
        threads.push(scope.spawn(move || {
            let done = catch_unwind(AssertUnwindSafe(|| read_all(files, options.encoding, shared, &sender)));
            match done {
                Ok(Ok(())) => (),
                Ok(Err(error)) => stop(Some(error)),
                Err(panic) => stop(Some(told(&*panic))),
            }
        }));
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
    if stopped {
        return Ok(None);
    }
    let readable = numbers.into_inner().readable;
    for (n, name) in files.iter().enumerate() {
        if !readable.get(n).copied().unwrap_or(false) {
            bail!("{name}: no game in it that can be read");
        }
    }
    for target in output.into_inner().targets {
        target.finish()?;
    }
    Ok(Some(Outcome { count, left_out, time }))
}

/// Reads all files, and sends their pieces.
fn read_all(files: &[String], encoding: Encoding, shared: &Shared, sender: &SyncSender<Work>) -> Result<()> {
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
                let shown = format!("{name}: {member}").into();
                let read = archive
                    .member(at)
                    .and_then(|(input, ..)| split(&shown, Splitter::new(input, PIECE, encoding), &mut send));
                read.context(member)
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
        let identities: Vec<_> = match self.options.dedupe {
            true => games.records.iter().map(|(_, record)| identity(record)).collect(),
            false => Vec::new(),
        };
        let numbered = self.numbers.turn(work.number, |numbers| {
            if numbers.file != work.file.0 {
                (numbers.file, numbers.of_file) = (work.file.0, 0);
            }
            let before = (numbers.games, numbers.of_file);
            numbers.games += games.len() as u64;
            numbers.of_file += games.len() as u64;
            numbers.readable.resize(work.file.0 + 1, false);
            numbers.readable[work.file.0] |= !games.records.is_empty() || games.left_out() > 0;
            let is_new: Vec<bool> = identities.into_iter().map(|identity| numbers.seen.insert(identity)).collect();
            (before, is_new)
        });
        let Some(((before, of_file), is_new)) = numbered else { return Ok(()) };
        let formats = || self.options.targets.iter().map(|(format, _)| *format);
        let mut all = formats().map(Made::new).collect::<Result<Vec<_>>>()?;
        let has_rows = formats().any(|format| !matches!(format, Format::Pgn | Format::Rejected));
        let mut messages = Vec::new();
        let (mut written, mut incomplete) = (0, 0);
        for (n, (number, record)) in games.numbered().enumerate() {
            if is_new.get(n) == Some(&false) {
                continue;
            }
            written += 1;
            incomplete += usize::from(record.error.is_some());
            let row = has_rows.then(|| GameRow::of((before + number) as i64, record)).transpose()?;
            for (format, made) in formats().zip(&mut all) {
                match (format, made, &row) {
                    (Format::Pgn, Made::Text(text), _) => {
                        let mut lost = Vec::new();
                        formats::push_pgn(text, record, &mut lost);
                        let name =
                            |lost| format!("{}: game {} is written without {lost}", work.file.1, of_file + number);
                        messages.extend(lost.into_iter().map(name));
                    }
                    (Format::Csv, Made::Text(text), Some(row)) => formats::push_csv(text, row)?,
                    (Format::Jsonl, Made::Text(text), Some(row)) => formats::push_json(text, row)?,
                    #[cfg(feature = "parquet")]
                    (Format::Parquet, Made::Rows(rows), Some(row)) => rows.row(COLUMNS.iter().map(|(.., of)| of(row))),
                    #[cfg(feature = "parquet")]
                    (Format::Plies, Made::Rows(rows), Some(GameRow { id, moves: Some(moves), .. })) => {
                        let ClocksEvals { clocks, evals } = &record.clocks_evals;
                        let columns = [clocks, evals].map(|column| column.as_deref().unwrap_or_default());
                        each_ply(moves, *id, columns, |ply| {
                            rows.row(ply);
                            Ok(())
                        })?;
                    }
                    _ => (),
                }
            }
        }
        for game in &games.rejected {
            let place = match lines {
                Some(lines) => format!("line {}, game {}", lines + game.line, of_file + game.number),
                None => format!("game {}", of_file + game.number),
            };
            messages.push(format!("{}, {place}: {}", work.file.1, game.reason));
            for made in formats().zip(&mut all) {
                if let (Format::Rejected, Made::Text(text)) = made {
                    text.extend([game.text.trim_end(), "\n\n"]);
                }
            }
        }
        let done = self.output.turn(work.number, |output| output.write(all, &messages));
        done.transpose()?;
        Totals::add(&self.totals.stored, written);
        Totals::add(&self.totals.duplicates, games.records.len() - written);
        Totals::add(&self.totals.incomplete, incomplete);
        Totals::add(&self.totals.rejected, games.rejected.len() - games.incomplete);
        self.totals.leave_out(&games.left_out);
        Ok(())
    }
}

impl Output {
    fn write(&mut self, all: Vec<Made>, messages: &[String]) -> Result<()> {
        for message in messages {
            self.messages += 1;
            match self.messages {
                ..=MESSAGES => eprintln!("chess-pgn: {message}"),
                n if n == MESSAGES + 1 => eprintln!("chess-pgn: more messages of this kind are not shown"),
                _ => (),
            }
        }
        self.targets.iter_mut().zip(all).try_for_each(|(target, made)| target.write(made))
    }
}

/// What equal games have in common, as for `load --dedupe`: players, date, result and moves, and whether they are whole.
fn identity(record: &Record<'_>) -> [u8; 16] {
    let mut hash = Hasher::new(record.result.as_bytes());
    let [.., white, black] = record.names.each_ref().map(Option::as_deref);
    for text in [white, black, record.date.as_deref()] {
        // no tag has a NUL byte
        hash.add(&[text.is_some().into()]);
        hash.add(text.unwrap_or_default().as_bytes());
        hash.add(&[0]);
    }
    hash.add(&[record.error.is_none().into()]);
    hash.add(record.game.view().lower_bound().as_bytes());
    hash.of_piece()
}
