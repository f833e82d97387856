//! Makes any number of games from those of a PGN file: first the same games in random order, then variants of them.
//!
//! ```text
//! cargo run --release -p chess-bench-core --bin variants -- FILE.pgn COUNT [PART PARTS]
//! ```
//!
//! Prints a line of move text per game, for `COPY` into a column of games. With PART, a number from 1 to PARTS, it
//! prints PGN with the players, ratings, date and result of the original game, and only this part of the COUNT games.
//! Several processes can so make the parts of one collection, with each game of the file in one of them.
//!
//! A variant follows its game up to a half-move from the 5th to the 30th, then plays another legal move, then
//! continues with the moves of its game as far as they are legal, otherwise with any legal move. So variants share
//! openings, as more games of the same kind would, while nearly all of their later positions are new: a corpus that
//! grows like a real one, generated about ten times as fast as one from scratch.

use std::borrow::Cow;
use std::env;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use chess_core::Game;
use chess_core::text::movetext;
use chess_core::text::read_pgn;
use chess_gamegen::splitmix64;

#[path = "../variant.rs"]
mod variant;
use variant::variant;

/// The tags that queries use. The result must be that of the moves.
const TAGS: [&str; 5] = ["Date", "White", "Black", "WhiteElo", "BlackElo"];

/// A game of the file, with its tags as lines.
struct Original {
    game: Game,
    tags: String,
}

/// The part of the games that is printed as PGN.
#[derive(Clone, Copy)]
struct Part {
    number: usize,
    of: usize,
}

fn tags(tags: &[(&str, Cow<'_, str>)]) -> String {
    let kept = tags.iter().filter(|(name, _)| TAGS.contains(name));
    kept.map(|(name, value)| format!("[{name} \"{}\"]\n", value.replace('\\', "\\\\").replace('"', "\\\""))).collect()
}

fn run(path: &str, count: usize, part: Option<Part>) -> Result<(), String> {
    let bytes = fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|error| format!("{path}: {error}"))?;
    let mut games: Vec<Original> = read_pgn::games(&text)
        .filter_map(|read| {
            Some(Original { tags: part.map_or_else(String::new, |_| tags(&read.tags)), game: read.game.ok()? })
        })
        .filter(|read| !read.game.view().has_custom_start())
        .collect();
    drop(text);
    if games.is_empty() {
        return Err(format!("{path}: no games"));
    }
    // The file may be sorted by opening; shuffled, any prefix of the output is a representative sample.
    let mut seed = 1;
    for last in (1..games.len()).rev() {
        games.swap(last, splitmix64(&mut seed) as usize % (last + 1));
    }
    games.truncate(count);
    let (mut rest, Part { number, of }) = (count - games.len(), part.unwrap_or(Part { number: 1, of: 1 }));
    if part.is_some() {
        // the number of variants in this part
        rest = rest / of + usize::from(number <= rest % of);
        let mut at = 0..;
        games.retain(|_| at.next().is_some_and(|at: usize| at % of == number - 1));
        seed = number as u64;
        if games.is_empty() && rest > 0 {
            return Err(format!("{path}: fewer games than parts"));
        }
    }
    let mut out = BufWriter::new(io::stdout().lock());
    let mut write = |game: &Game, tags: &str| {
        let text = movetext::write(game.view()).expect("a sound game");
        let written = match part {
            None => writeln!(out, "{text}"),
            Some(_) => writeln!(out, "{tags}[Result \"{}\"]\n\n{text}\n", game.view().result().as_str()),
        };
        written.map_err(|error| error.to_string())
    };
    games.iter().try_for_each(|original| write(&original.game, &original.tags))?;
    let mut variants = games.iter().cycle().take(rest);
    variants.try_for_each(|original| write(&variant(original.game.view(), &mut seed), &original.tags))?;
    out.flush().map_err(|error| error.to_string())
}

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let arguments = match &args[..] {
        [path, count] => count.parse().ok().map(|count| (path, count, None)),
        [path, count, number, of] => match (count.parse(), number.parse(), of.parse()) {
            (Ok(count), Ok(number), Ok(of)) if (1..=of).contains(&number) => {
                Some((path, count, Some(Part { number, of })))
            }
            _ => None,
        },
        _ => None,
    };
    let Some((path, count, part)) = arguments else {
        eprintln!("usage: variants FILE.pgn COUNT [PART PARTS]");
        return ExitCode::from(2);
    };
    match run(path, count, part) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
