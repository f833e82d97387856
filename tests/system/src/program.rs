//! A program under test: its arguments, its input, how it ended and what it said.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};

/// A program that has not been started yet.
#[derive(Debug)]
pub struct Program {
    command: Command,
    input: Option<Vec<u8>>,
    to: Option<File>,
}

/// How a program ended.
#[derive(Debug)]
pub struct Output {
    /// Its exit code; a signal has none.
    pub code: Option<i32>,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

/// The target directory of this build.
pub(crate) fn target() -> PathBuf {
    let test = std::env::current_exe().expect("the path of the test");
    // target/release/deps/test-hash
    test.ancestors().nth(3).expect("a path in the target directory").to_owned()
}

/// A program of this workspace.
pub fn built(name: &str) -> Program {
    let program = target().join("release").join(name);
    assert!(program.exists(), "no {}: run scripts/build.sh", program.display());
    Program::new(program)
}

/// The loader, for a server and a database that its arguments or its environment name.
pub fn chess_pgn() -> Program {
    built("chess-pgn")
}

/// Another program, by its name or its path.
pub fn tool(program: impl AsRef<OsStr>) -> Program {
    Program::new(program)
}

impl Program {
    fn new(program: impl AsRef<OsStr>) -> Program {
        let mut command = Command::new(program);
        command.env("LC_ALL", "C.UTF-8");
        // libpq's variables would lead to other servers; what scripts/env.sh keeps tells where PostgreSQL is
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("PG") && !["PG", "PG_CONFIG"].contains(&&*text) && !text.starts_with("PGRX_") {
                command.env_remove(name);
            }
        }
        Program { command, input: None, to: None }
    }

    /// Its path.
    pub fn path(&self) -> &OsStr {
        self.command.get_program()
    }

    /// Adds the words of a text as arguments.
    #[must_use]
    pub fn words(mut self, words: &str) -> Program {
        self.command.args(words.split_whitespace());
        self
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Program {
        self.command.arg(arg);
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Program {
        self.command.args(args);
        self
    }

    /// Sets a variable of the environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Program {
        self.command.env(name, value);
        self
    }

    /// Gives bytes to the program through a pipe.
    #[must_use]
    pub fn input(mut self, bytes: impl Into<Vec<u8>>) -> Program {
        self.input = Some(bytes.into());
        self
    }

    /// Makes a file the program's standard output. What the program then has said is its standard error.
    #[must_use]
    pub fn to(mut self, file: File) -> Program {
        self.to = Some(file);
        self
    }

    /// Starts the program. Standard output and standard error are read as one text, in the order in which they are
    /// written.
    pub fn spawn(mut self) -> Running {
        let (mut reader, writer) = std::io::pipe().expect("a pipe");
        match self.to.take() {
            Some(file) => self.command.stdout(file),
            None => self.command.stdout(writer.try_clone().expect("a pipe")),
        };
        self.command.stderr(writer);
        let (child, feeder) = self.start();
        let name = format!("{:?}", self.command);
        // the command holds the writing end, so the reader ends only when it is dropped
        drop(self.command);
        let reader = thread::spawn(move || {
            let mut said = Vec::new();
            reader.read_to_end(&mut said).expect("the program's output");
            String::from_utf8_lossy(&said).into_owned()
        });
        Running { name, child, reader: Some(reader), feeder }
    }

    /// Runs the program: its output and its errors apart.
    pub fn output(mut self) -> Output {
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let (child, feeder) = self.start();
        let output = child.wait_with_output().expect("the program");
        feeder.map(JoinHandle::join);
        Output {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Runs the program, which must end with this exit code; what it said.
    #[track_caller]
    pub fn ends(self, code: i32) -> String {
        self.spawn().ends(code)
    }

    /// Runs the program, which must succeed; what it said.
    #[track_caller]
    pub fn succeeds(self) -> String {
        self.ends(0)
    }

    /// Runs the program, which must fail with exit code 1; what it said.
    #[track_caller]
    pub fn fails(self) -> String {
        self.ends(1)
    }

    /// Runs the program, which must succeed; its standard output.
    #[track_caller]
    pub fn writes(self) -> String {
        let name = format!("{:?}", self.command);
        let output = self.output();
        assert_eq!(output.code, Some(0), "{name}\n{}", output.stderr);
        output.stdout
    }

    fn start(&mut self) -> (Child, Option<JoinHandle<()>>) {
        self.command.stdin(if self.input.is_some() { Stdio::piped() } else { Stdio::null() });
        let mut child = self.command.spawn().unwrap_or_else(|error| panic!("{:?}: {error}", self.command));
        let feeder = self.input.take().map(|bytes| {
            let mut stdin = child.stdin.take().expect("standard input");
            // a program that fails reads no more
            thread::spawn(move || drop(stdin.write_all(&bytes)))
        });
        (child, feeder)
    }
}

/// A program that runs; it is killed when this is dropped.
#[derive(Debug)]
pub struct Running {
    name: String,
    child: Child,
    reader: Option<JoinHandle<String>>,
    feeder: Option<JoinHandle<()>>,
}

impl Running {
    /// Waits for the end, which must have this exit code; what the program said.
    #[track_caller]
    pub fn ends(mut self, code: i32) -> String {
        let status = self.child.wait().expect("the program");
        let said = self.said();
        assert_eq!(status.code(), Some(code), "exit code of {}\n{said}", self.name);
        said
    }

    /// Whether it still runs.
    pub fn runs(&mut self) -> bool {
        self.child.try_wait().expect("the program").is_none()
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it, and waits for its end. It must have run until then.
    #[track_caller]
    pub fn killed(mut self) {
        if let Some(ended) = self.child.try_wait().expect("the program") {
            let said = self.said();
            panic!("{} ended before it was killed: {ended}\n{said}", self.name);
        }
        self.child.kill().expect("kill");
        self.child.wait().expect("the program");
    }

    fn said(&mut self) -> String {
        self.feeder.take().map(JoinHandle::join);
        self.reader.take().map(|reader| reader.join().expect("the program's output")).unwrap_or_default()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
