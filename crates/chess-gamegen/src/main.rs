//! The command `chess-gamegen`: takes a number of games and a seed, writes PGN to standard output.

#![forbid(unsafe_code)]

use std::io::{self, BufWriter, ErrorKind, Write};
use std::process::ExitCode;

use chess_gamegen::Generator;
use clap::Parser;

/// Writes made-up chess games as PGN to standard output
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    /// The number of games
    #[arg(long, value_name = "N", default_value_t = 1000)]
    games: u64,
    /// Selects the games: the same seed gives the same games
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Add comments, glyphs and variations
    #[arg(long)]
    annotated: bool,
}

fn main() -> ExitCode {
    match write(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        // the reader has seen enough, as `head` does
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("chess-gamegen: cannot write: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(args: &Args) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut text = String::new();
    for (n, game) in (0..args.games).zip(Generator::new(args.seed)) {
        text.clear();
        if args.annotated {
            game.write_annotated(n ^ args.seed.rotate_left(32), &mut text);
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

    fn read(args: &[&str]) -> Option<(u64, u64, bool)> {
        let args = Args::try_parse_from([&["chess-gamegen"], args].concat()).ok()?;
        Some((args.games, args.seed, args.annotated))
    }

    #[test]
    fn arguments() {
        assert_eq!(read(&[]), Some((1000, 1, false)));
        assert_eq!(read(&["--seed=7", "--games", "5"]), Some((5, 7, false)));
        assert_eq!(read(&["--annotated"]), Some((1000, 1, true)));
        for bad in [&["--games"][..], &["--games", "-1"], &["--seed", "x"], &["file.pgn"], &["--annotated=1"]] {
            assert_eq!(read(bad), None, "{bad:?}");
        }
    }
}
