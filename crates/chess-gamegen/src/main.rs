//! The command `chess-gamegen`: takes a number of games and a seed, writes PGN to standard output.
//!
//! The games come from the library of this crate; this file has only the arguments and the pipe.

#![forbid(unsafe_code)]

use chess_gamegen::Generator;
use std::ffi::OsString;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::process::ExitCode;

const USAGE: &str = "\
Writes made-up chess games as PGN to standard output.

Usage: chess-gamegen [--games N] [--seed S] [--annotated]

  --games N   how many games to write (default 1000)
  --seed S    which games: the same seed gives the same games (default 1)
  --annotated with comments, glyphs and variations
  --help      shows this text
";

enum Task {
    Help,
    Write { games: u64, seed: u64, annotated: bool },
}

fn main() -> ExitCode {
    let done = match task(std::env::args_os().skip(1)) {
        Ok(Task::Help) => io::stdout().write_all(USAGE.as_bytes()),
        Ok(Task::Write { games, seed, annotated }) => write(games, seed, annotated),
        Err(message) => {
            // Nobody is left to tell when standard error is gone.
            let _ = writeln!(io::stderr(), "chess-gamegen: {message}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has seen enough, as `head` does.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "chess-gamegen: cannot write: {error}");
            ExitCode::FAILURE
        }
    }
}

fn task(args: impl Iterator<Item = OsString>) -> Result<Task, String> {
    let mut args = args.map(|arg| arg.to_string_lossy().into_owned());
    let (mut games, mut seed) = (1000, 1);
    let mut annotated = false;
    while let Some(arg) = args.next() {
        let (name, joined) = match arg.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (arg.as_str(), None),
        };
        let place = match name {
            "--help" | "-h" if joined.is_none() => return Ok(Task::Help),
            "--annotated" if joined.is_none() => {
                annotated = true;
                continue;
            }
            "--games" => &mut games,
            "--seed" => &mut seed,
            _ => return Err(format!("unknown argument \"{arg}\"")),
        };
        let value = joined.or_else(|| args.next()).ok_or_else(|| format!("{name} needs a number"))?;
        *place = value.parse().map_err(|_| format!("{name} needs a whole number from 0 on, not \"{value}\""))?;
    }
    Ok(Task::Write { games, seed, annotated })
}

fn write(games: u64, seed: u64, annotated: bool) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut text = String::new();
    for (n, game) in (0..games).zip(Generator::new(seed)) {
        text.clear();
        if annotated {
            game.write_annotated(n ^ seed.rotate_left(32), &mut text);
        } else {
            game.write_pgn(&mut text);
        }
        out.write_all(text.as_bytes())?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(args: &[&str]) -> Result<Task, String> {
        task(args.iter().map(OsString::from))
    }

    #[test]
    fn arguments() {
        assert!(matches!(read(&[]), Ok(Task::Write { games: 1000, seed: 1, annotated: false })));
        assert!(matches!(read(&["--seed=7", "--games", "5"]), Ok(Task::Write { games: 5, seed: 7, annotated: false })));
        assert!(matches!(read(&["--help"]), Ok(Task::Help)));
        assert!(matches!(read(&["--annotated"]), Ok(Task::Write { annotated: true, .. })));
        for bad in
            [&["--games"][..], &["--games", "-1"], &["--seed", "x"], &["file.pgn"], &["--help=1"], &["--annotated=1"]]
        {
            assert!(read(bad).is_err(), "{bad:?}");
        }
    }
}
