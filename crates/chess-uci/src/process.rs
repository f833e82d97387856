//! The process of an engine: takes commands, returns lines; both are bounded, and the process always ends.
//!
//! A thread per engine starts the process and reads its output. It buffers at most [`LINES`] lines of [`LINE_BYTES`];
//! an engine that writes more blocks in its own write. Another thread writes the commands, so that an engine that reads
//! nothing does not block the caller.
//!
//! The process has a process group of its own, so that Ctrl-C on a terminal does not reach it. `nice` lowers its
//! priority. Where `setpriv` exists (Linux), the kernel kills the engine when the thread that has started it ends;
//! elsewhere the engine sees the end of its standard input.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, io, thread};

/// The maximum length of a line; the rest is dropped.
pub const LINE_BYTES: usize = 16 * 1024;
/// The maximum number of buffered lines.
pub const LINES: usize = 256;
/// The maximum number of buffered commands, many times what a search needs.
const COMMANDS: usize = 64;
/// How many of the last lines are kept for messages, and how many characters of each.
const TAIL: (usize, usize) = (5, 200);
/// How long an engine may take to exit after `quit`.
const LEAVE: Duration = Duration::from_millis(300);
/// How long the last lines of standard error are waited for when the process has ended.
const LAST_LINES: Duration = Duration::from_secs(2);

/// A line of output.
#[derive(Debug)]
pub struct Written {
    /// The text, at most [`LINE_BYTES`] long.
    pub text: String,
    /// The number of bytes before truncation.
    pub bytes: u64,
}

/// Why there is no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLine {
    /// The deadline has passed.
    Late,
    /// The engine has closed its output.
    Ended,
}

type Tail = Arc<Mutex<VecDeque<String>>>;

/// The process with its child processes, which share its process group.
#[derive(Debug)]
struct Group {
    child: Child,
    /// Whether the group was killed. Its number may then be reused for an unrelated group, which must not be killed.
    killed: bool,
}

impl Group {
    /// The exit status, if the process has ended; then its child processes are killed, too.
    fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        let status = self.child.try_wait();
        // the number is free from now on, unless child processes are left
        if !matches!(status, Ok(None)) {
            self.kill();
        }
        status
    }

    /// Kills the group; later calls do nothing.
    fn kill(&mut self) {
        if std::mem::replace(&mut self.killed, true) {
            return;
        }
        let _ = Command::new("/bin/sh")
            .args(["-c", "kill -9 -\"$1\"", "sh", &self.child.id().to_string()])
            .stderr(Stdio::null())
            .status();
        // has no effect on a process that was waited for
        let _ = self.child.kill();
    }
}

/// A running engine.
#[derive(Debug)]
pub struct Process {
    group: Arc<Mutex<Group>>,
    commands: Option<SyncSender<String>>,
    lines: Receiver<Written>,
    /// Disconnected when standard error has been read to its end.
    errors_end: Receiver<()>,
    tail: Tail,
}

/// The file of a program: a path, or a name in PATH or in `/usr/games`, where Debian installs engines and which is not
/// in root's PATH.
pub fn find(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|path| path.is_file());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain([PathBuf::from("/usr/games")]);
    folders.map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// The command that runs a program at a lower priority and, where the system can, ends it with its parent.
fn command(program: &Path, nice: u8) -> Command {
    let mut words: Vec<PathBuf> = Vec::new();
    if cfg!(target_os = "linux")
        && let Some(setpriv) = find("setpriv")
    {
        words.extend([setpriv, "--pdeathsig".into(), "KILL".into()]);
    }
    if nice > 0
        && let Some(command) = find("nice")
    {
        words.extend([command, "-n".into(), nice.to_string().into()]);
    }
    words.push(program.to_path_buf());
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Process {
    /// Starts a program; `nice` lowers its priority.
    ///
    /// # Errors
    ///
    /// The program cannot be started.
    pub fn start(program: &Path, nice: u8) -> io::Result<Process> {
        let mut command = command(program, nice);
        let (started, wait) = sync_channel(1);
        let (line_sender, lines) = sync_channel(LINES);
        let tail = Tail::default();
        let reader_tail = Arc::clone(&tail);
        // This thread must live as long as the process: the kernel kills the process when the thread ends.
        thread::Builder::new().name("engine".into()).spawn(move || {
            let mut child = match command.spawn() {
                Ok(child) => child,
                Err(error) => return drop(started.send(Err(error))),
            };
            let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
            let (Some(stdin), Some(stdout), Some(stderr)) = pipes else { return };
            let group = Arc::new(Mutex::new(Group { child, killed: false }));
            if started.send(Ok((Arc::clone(&group), stdin, stderr))).is_err() {
                return;
            }
            each_line(stdout, |line| {
                keep(&reader_tail, &line.text);
                line_sender.send(line).is_ok()
            });
            drop(line_sender);
            // its output is closed, so it must not go on
            end(&group, Duration::from_secs(1));
        })?;
        let (group, mut stdin, stderr) =
            wait.recv().unwrap_or_else(|_| Err(io::Error::other("the thread of the engine has ended")))?;
        let (commands, to_write) = sync_channel::<String>(COMMANDS);
        let thread = thread::Builder::new().name("engine input".into());
        thread.spawn(move || {
            for command in to_write {
                if stdin.write_all(command.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        })?;
        let error_tail = Arc::clone(&tail);
        let (errors_open, errors_end) = sync_channel(0);
        let thread = thread::Builder::new().name("engine errors".into());
        thread.spawn(move || {
            each_line(stderr, |line| {
                keep(&error_tail, &line.text);
                true
            });
            drop(errors_open);
        })?;
        Ok(Process { group, commands: Some(commands), lines, errors_end, tail })
    }

    /// Sends a command, without its line break. If the buffer is full because the engine does not read, the command is
    /// dropped; the missing answer is noticed later.
    pub fn send(&self, command: &str) {
        if let Some(commands) = &self.commands {
            let _ = commands.try_send(format!("{command}\n"));
        }
    }

    /// Waits for the next line, until `deadline`.
    pub fn line(&self, deadline: Instant) -> Result<Written, NoLine> {
        match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => Err(NoLine::Late),
            Err(RecvTimeoutError::Disconnected) => Err(NoLine::Ended),
        }
    }

    /// The last lines written to standard output and standard error.
    pub fn tail(&self) -> String {
        lock(&self.tail).iter().cloned().collect::<Vec<_>>().join("; ")
    }

    /// The id of the process.
    pub fn id(&self) -> u32 {
        lock(&self.group).child.id()
    }

    /// The exit status, if the process ends within a moment.
    pub fn ended(&self) -> Option<String> {
        let deadline = Instant::now() + LEAVE;
        loop {
            match lock(&self.group).ended() {
                Ok(Some(status)) => {
                    // Waits until all error lines are read. A child process of the engine may keep the pipe open, so there is a limit.
                    let _ = self.errors_end.recv_timeout(LAST_LINES);
                    return Some(status.to_string());
                }
                Ok(None) if Instant::now() < deadline => (),
                _ => return None,
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Kills the process and its child processes.
    pub fn kill(&mut self) {
        self.commands = None;
        end(&self.group, Duration::ZERO);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.send("quit");
        // its input is closed after the last command
        self.commands = None;
        end(&self.group, LEAVE);
    }
}

/// Waits for the process to end, kills it after `patience`, and its child processes in any case.
fn end(group: &Mutex<Group>, patience: Duration) {
    let deadline = Instant::now() + patience;
    while matches!(lock(group).ended(), Ok(None)) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(2));
    }
    let mut group = lock(group);
    group.kill();
    // A killed process ends at once, unless the kernel blocks it; then it is left alone after a second.
    for _ in 0..500 {
        if !matches!(group.ended(), Ok(None)) {
            return;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

fn keep(tail: &Tail, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    let mut tail = lock(tail);
    if tail.len() == TAIL.0 {
        tail.pop_front();
    }
    tail.push_back(text.chars().filter(|char| !char.is_control()).take(TAIL.1).collect());
}

/// Calls `visit` with each line until it returns false or the input ends. An incomplete last line is dropped.
fn each_line(input: impl Read, mut visit: impl FnMut(Written) -> bool) {
    let mut input = BufReader::with_capacity(LINE_BYTES, input);
    let mut line = Vec::new();
    let mut bytes = 0u64;
    loop {
        let chunk = match input.fill_buf() {
            Ok([]) => return,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
            Ok(chunk) => chunk,
        };
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let part = &chunk[..end.unwrap_or(chunk.len())];
        let room = LINE_BYTES - line.len();
        line.extend_from_slice(&part[..part.len().min(room)]);
        let used = part.len() + usize::from(end.is_some());
        bytes += used as u64;
        input.consume(used);
        if end.is_some() {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            line.clear();
            if !visit(Written { text, bytes: std::mem::take(&mut bytes) }) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process that ends by itself is cleaned up, and its number is not used again.
    #[test]
    fn a_group_is_killed_once() {
        let mut command = Command::new("/bin/sh");
        let spawned = command.args(["-c", "sleep 1000 & echo $!"]).process_group(0).stdout(Stdio::piped()).spawn();
        let mut group = Group { child: spawned.unwrap(), killed: false };
        let mut line = String::new();
        BufReader::new(group.child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let group = Mutex::new(group);
        end(&group, Duration::from_secs(10));
        let mut group = lock(&group);
        assert!(group.killed && group.ended().unwrap().is_some());
        let left =
            || Command::new("/bin/sh").args(["-c", "kill -0 \"$1\"", "sh", line.trim()]).stderr(Stdio::null()).status();
        let state = || std::fs::read_to_string(format!("/proc/{}/stat", line.trim())).unwrap_or_default();
        let gone = || !left().unwrap().success() || state().contains(") Z ");
        let deadline = Instant::now() + Duration::from_secs(600);
        while !gone() {
            assert!(Instant::now() < deadline, "a child process lives on");
            thread::sleep(Duration::from_millis(2));
        }
        // Not repeated: the number may belong to another group by now.
        group.kill();
        assert!(group.killed);
    }

    #[test]
    fn lines_are_cut_where_they_are_too_long() {
        let mut input = vec![b'x'; 3 * LINE_BYTES];
        input.extend_from_slice(b"\nuciok\r\n\xff\nhalf");
        let mut seen = Vec::new();
        each_line(&input[..], |line| {
            seen.push((line.text.len(), line.bytes, line.text));
            true
        });
        assert_eq!((seen[0].0, seen[0].1), (LINE_BYTES, 3 * LINE_BYTES as u64 + 1));
        assert_eq!((seen[1].1, seen[1].2.as_str()), (7, "uciok"));
        assert_eq!(seen[2].2, "\u{fffd}");
        assert_eq!(seen.len(), 3);
    }
}
