//! Segments of the access method `chess` with the games of a PGN file: size, and times to build, look up, sum, merge
//! and check.
//!
//! ```text
//! cargo run --release -p chess-bench-core --bin index -- FILE.pgn [COUNT [MEGABYTES]]
//! ```
//!
//! Takes the games of the file in random order, then variants of them up to COUNT. Builds a segment in memory; the sort
//! has MEGABYTES (default 64) and a temporary file. Each lookup takes a board of a game and verifies that the game is
//! found. Times are processor time of the only thread on Linux, elapsed time elsewhere.

use std::env;
use std::fs::{self, File};
use std::hint::black_box;
use std::io;
use std::os::unix::fs::FileExt;
use std::process::ExitCode;
use std::time::Instant;

use chess_core::search::finder::{Finder, Matching};
use chess_core::search::hybrid_keys::{Key, Rights, each_key};
use chess_core::search::index_keys::position_keys;
use chess_core::text::{movetext, read_pgn};
use chess_core::{Board, Game};
use chess_gamegen::splitmix64;
use chess_index::block::Block;
use chess_index::build::Builder;
use chess_index::check::check;
use chess_index::key::{Class, Question};
use chess_index::merge::merge;
use chess_index::page::room;
use chess_index::rows::Row;
use chess_index::segment::Segment;
use chess_index::sink::Spill;
use chess_index::writer::Shape;

#[path = "../variant.rs"]
mod variant;

/// Rows in a heap page, for games of this length.
const ROWS_A_BLOCK: usize = 45;
/// Games in each of the merged segments.
const PART: usize = 10_000;
/// Lookups for each band of half-moves.
const BOARDS: usize = 2000;
/// Boards in more games than this do not count as rare.
const RARE: usize = 20;
const BANDS: [(u32, u32); 5] = [(4, 11), (12, 19), (20, 29), (30, 59), (60, 99)];

/// Seconds of processor time of this thread.
fn processor() -> Option<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}

/// Returns the result of `work` and its duration in seconds.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let (clock, before) = (Instant::now(), processor());
    let result = work();
    let used = processor().zip(before).map(|(after, before)| after - before);
    (result, used.unwrap_or_else(|| clock.elapsed().as_secs_f64()))
}

/// An unlinked temporary file.
struct Temporary {
    file: File,
    len: u64,
}

impl Temporary {
    fn new() -> io::Result<Temporary> {
        let path = env::temp_dir().join(format!("chess-index-bench-{}", std::process::id()));
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        fs::remove_file(path)?;
        Ok(Temporary { file, len: 0 })
    }
}

impl Spill for Temporary {
    type Error = io::Error;

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, self.len)?;
        self.len += bytes.len() as u64;
        Ok(())
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(into, at)
    }
}

struct Built {
    segment: Segment,
    pages: Vec<Vec<u8>>,
}

fn shape(segment: u32, rich: bool) -> Shape {
    Shape { rich, ..Shape::of_keys(segment, room(8192)) }
}

fn row(number: usize) -> Row {
    Row { block: (number / ROWS_A_BLOCK) as u32, offset: (number % ROWS_A_BLOCK) as u16 + 1 }
}

fn build(shape: Shape, first: usize, games: &[Game], memory: usize) -> Built {
    let mut pages: Vec<Vec<u8>> = Vec::new();
    let mut builder = Builder::new(shape, memory, Temporary::new().expect("a temporary file"));
    for (number, game) in games.iter().enumerate() {
        builder.add(row(first + number), Some(game.view()), &[], &mut pages).expect("a sound game");
    }
    let segment = builder.finish(&mut pages).expect("a segment");
    Built { segment, pages }
}

fn read(path: &str, count: Option<usize>) -> Result<Vec<Game>, String> {
    let bytes = fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut games: Vec<Game> = read_pgn::games(&text).filter_map(|read| read.game.ok()).collect();
    if games.is_empty() {
        return Err(format!("{path}: no games"));
    }
    let mut seed = 1;
    for last in (1..games.len()).rev() {
        games.swap(last, splitmix64(&mut seed) as usize % (last + 1));
    }
    let count = count.unwrap_or(games.len());
    games.truncate(count);
    let originals = games.len();
    for number in originals..count {
        let original = &games[number % originals];
        games.push(variant::variant(original.view(), &mut seed));
    }
    Ok(games)
}

fn sizes(built: &Built, games: usize) {
    const KINDS: [&str; 7] = ["header", "directory", "leaves", "lists", "rows", "mask", "pending"];
    let mut of_kind = [0; 7];
    for page in &built.pages {
        of_kind[usize::from(page[12]) - 1] += 1;
    }
    let per = |pages: usize| (pages * 8192) as f64 / games as f64;
    print!("  {:.1} bytes a game in whole pages:", per(built.pages.len()));
    for (kind, pages) in KINDS.iter().zip(of_kind).filter(|(_, pages)| *pages > 0) {
        print!(" {kind} {:.2}", per(pages));
    }
    let segment = &built.segment;
    let full: usize = built.pages.iter().map(Vec::len).sum();
    println!(
        "; {:.1} % full; {:.2} postings and {:.2} lists a game",
        100.0 * full as f64 / (built.pages.len() * room(8192)) as f64,
        segment.postings as f64 / games as f64,
        segment.lists as f64 / games as f64
    );
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted.get(((sorted.len().max(1) - 1) as f64 * share) as usize).copied().unwrap_or(f64::NAN)
}

/// Searches boards: two keys each, with a recheck of every candidate.
fn rare_boards(built: &Built, games: &[Game]) {
    let mut seed = 5;
    for (from, to) in BANDS {
        let (mut candidates, mut times, mut lookups, mut answers) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for _ in 0..BOARDS {
            let number = splitmix64(&mut seed) as usize % games.len();
            let ply = from + splitmix64(&mut seed) as u32 % (to - from + 1);
            let Ok(board) = games[number].view().board_at(ply).expect("a sound game") else { continue };
            let clock = Instant::now();
            let question = Question::position(&board, u32::MAX);
            let finder = Finder::new(&board, Matching::Position);
            let found = built.segment.games(&built.pages[..], &question).expect("a sound segment");
            let looked_up = clock.elapsed().as_secs_f64();
            let has = |game: &&u32| finder.is_in(games[**game as usize].view(), u32::MAX).expect("a sound game");
            let has_it = found.iter().filter(has).count();
            let took = clock.elapsed().as_secs_f64();
            assert!(found.binary_search(&(number as u32)).is_ok(), "a board is not found in its game");
            if has_it <= RARE {
                candidates.push(found.len() as f64);
                times.push(took * 1e6);
                lookups.push(looked_up * 1e6);
                answers += has_it;
            }
        }
        for list in [&mut candidates, &mut times, &mut lookups] {
            list.sort_by(f64::total_cmp);
        }
        println!(
            "  half-moves {from:>2}-{to}: {} boards in {:.2} games; candidates mean {:.2}, 99 % {}, most {}; \
             µs to look up: median {:.1}; and search: median {:.1}, 99 % {:.1}, worst {:.1}",
            times.len(),
            answers as f64 / times.len() as f64,
            candidates.iter().sum::<f64>() / times.len() as f64,
            quantile(&candidates, 0.99),
            quantile(&candidates, 1.0),
            quantile(&lookups, 0.5),
            quantile(&times, 0.5),
            quantile(&times, 0.99),
            quantile(&times, 1.0)
        );
    }
}

/// Looks up single keys that few games have.
fn one_key(built: &Built, games: &[Game]) {
    let mut seed = 9;
    let mut hashes = Vec::new();
    for _ in 0..200_000 {
        let game = &games[splitmix64(&mut seed) as usize % games.len()];
        let mut keys = Vec::new();
        each_key(game.view(), |key| keys.push(key)).expect("a sound game");
        match keys[keys.len() - 1 - splitmix64(&mut seed) as usize % keys.len().min(20)] {
            Key::Position(hash, _) => hashes.push(Question { exact: vec![hash], tail: None }),
            Key::Tail(hash) => hashes.push(Question { exact: Vec::new(), tail: Some(hash) }),
        }
    }
    let (found, seconds) = timed(|| {
        let lists = |question| built.segment.lists(&built.pages[..], question).expect("a sound segment").len();
        hashes.iter().map(lists).sum::<usize>()
    });
    assert!(found >= hashes.len());
    let absent: Vec<Question> =
        (0..200_000).map(|_| Question { exact: vec![splitmix64(&mut seed)], tail: None }).collect();
    let (found, nothing) = timed(|| {
        let lists = |question| built.segment.lists(&built.pages[..], question).expect("a sound segment").len();
        absent.iter().map(lists).sum::<usize>()
    });
    println!(
        "  one key {:.2} µs, one that no game has {:.2} µs ({found} of {} found by chance)",
        seconds * 1e6 / hashes.len() as f64,
        nothing * 1e6 / absent.len() as f64,
        absent.len()
    );
}

/// Sums the moves played in a position, from the notes alone.
fn sums(built: &Built, name: &str, board: &Board, games: &[Game]) {
    let question = Question { tail: None, ..Question::position(board, u32::MAX) };
    let rights = Rights::of(board);
    let (mut block, mut moves, mut replayed) = (Block::default(), [0u32; 4096], 0);
    let mut once = || {
        let mut count = 0;
        (moves, replayed) = ([0; 4096], 0);
        for list in built.segment.lists(&built.pages[..], &question).expect("a sound segment") {
            let mut reader = list.read();
            while reader.next(&built.pages[..], &built.segment, &mut block).expect("a sound segment") {
                count += block.games.len();
                if list.class == Class::Plain {
                    replayed += block.games.len();
                }
                for note in &block.notes {
                    match note.played(rights) {
                        Some(_) => moves[(note.bits() & 4095) as usize] += 1,
                        None => replayed += 1,
                    }
                }
            }
        }
        count
    };
    // One run is shorter than the resolution of the clock: takes the best of several.
    let (mut count, mut seconds) = (0, f64::INFINITY);
    for _ in 0..20 {
        let clock = Instant::now();
        count = once();
        seconds = seconds.min(clock.elapsed().as_secs_f64());
    }
    let finder = Finder::new(board, Matching::Position);
    let has = |game: &&Game| finder.is_in(game.view(), 28).expect("a sound game");
    assert!(count >= games.iter().filter(has).count());
    let different = black_box(moves).iter().filter(|count| **count > 0).count();
    println!(
        "  {name}: {count} games, {different} moves, {replayed} to be replayed; {:.3} ms, {:.2} ns a game",
        seconds * 1e3,
        seconds * 1e9 / count.max(1) as f64
    );
}

/// Finds the keys of all games.
fn keys_of(games: &[Game]) {
    let (keys, seconds) = timed(|| {
        let mut keys = 0u64;
        for game in games {
            each_key(game.view(), |_| keys += 1).expect("a sound game");
        }
        keys
    });
    let nanoseconds = |seconds: f64| seconds * 1e9 / games.len() as f64;
    println!("keys: {:.2} a game, {:.0} ns a game", keys as f64 / games.len() as f64, nanoseconds(seconds));
    let mut positions = Vec::new();
    let ((), seconds) = timed(|| {
        for game in games {
            positions.clear();
            position_keys(game.view(), &mut positions).expect("a sound game");
            black_box(&positions);
        }
    });
    println!("for comparison: a position key for each half-move, {:.0} ns a game", nanoseconds(seconds));
}

/// Merges up to eight segments.
fn merges(games: &[Game], memory: usize) {
    let parts: Vec<Built> = games
        .chunks(PART)
        .take(8)
        .enumerate()
        .map(|(nth, part)| build(shape(nth as u32 + 2, true), nth * PART, part, memory))
        .collect();
    let inputs: Vec<_> = parts.iter().map(|built| (&built.segment, &built.pages[..])).collect();
    let (merged, seconds) = timed(|| {
        let mut pages = Vec::new();
        merge(&inputs, shape(1, false), &mut pages).map(|segment| Built { segment, pages }).expect("sound segments")
    });
    let count = merged.segment.games as usize;
    let whole = build(shape(1, false), 0, &games[..count], memory);
    assert!(merged.pages == whole.pages, "a merge is not what a build is");
    println!(
        "merge of {} rich segments of up to {PART} games: {seconds:.2} s, {:.2} µs a game",
        inputs.len(),
        seconds * 1e6 / count as f64
    );
}

fn run(path: &str, count: Option<usize>, memory: usize) -> Result<(), String> {
    let games = read(path, count)?;
    let half_moves: u64 = games.iter().map(|game| u64::from(game.view().ply_count())).sum();
    println!("{} games of {path}, {:.1} half-moves each", games.len(), half_moves as f64 / games.len() as f64);
    keys_of(&games);
    for rich in [false, true] {
        let (built, seconds) = timed(|| build(shape(1, rich), 0, &games, memory << 20));
        let name = if rich { "rich segment" } else { "segment" };
        println!("{name}: built in {seconds:.2} s, {:.0} games a second", games.len() as f64 / seconds);
        sizes(&built, games.len());
        let (checked, seconds) = timed(|| check(&built.pages[..], 1, built.segment.pages - 1));
        assert_eq!(checked, Ok(built.segment));
        println!("  check {seconds:.2} s");
        if rich {
            continue;
        }
        let (rows, seconds) = timed(|| {
            let mut rows = 0;
            built
                .segment
                .each_row(&built.pages[..], |_, row| rows += u64::from(black_box(row).offset > 0))
                .map(|()| rows)
        });
        assert_eq!(rows, Ok(games.len() as u64));
        println!("  all rows, as VACUUM asks for them, {seconds:.3} s");
        one_key(&built, &games);
        rare_boards(&built, &games);
        for (name, text) in [
            ("start", ""),
            ("1. e4", "1. e4"),
            ("1. Nf3 Nf6", "1. Nf3 Nf6"),
            ("Najdorf", "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6"),
        ] {
            let line = movetext::read(text).expect("a line");
            let board = line.view().board_at(line.view().ply_count()).expect("sound").expect("in range");
            sums(&built, name, &board, &games);
        }
    }

    merges(&games, memory << 20);
    Ok(())
}

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let number = |nth: usize| args.get(nth).map(|text| text.parse::<usize>()).transpose();
    let (Some(path), Ok(count), Ok(memory), true) = (args.first(), number(1), number(2), args.len() <= 3) else {
        eprintln!("usage: index FILE.pgn [COUNT [MEGABYTES]]");
        return ExitCode::from(2);
    };
    match run(path, count, memory.unwrap_or(64)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
