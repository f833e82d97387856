//! Pictures of boards as Chromium draws them: takes pages, makes screenshots, and compares colours at chosen points
//! with those of the expected squares and pieces. The text of a picture does not show whether it is right: in a
//! browser, correct-looking rules and names need not take effect.
//!
//! The tests need Chromium, or the program named by `CHROMIUM`, and run only on request: `scripts/test-crate.sh
//! chess-core --ignored browser`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use chess_core::board::drawings::Drawings;
use chess_core::board::svg::{Options, draw, draw_with};
use chess_core::board::{fen, squares};

/// Pixels per unit of the picture: several, so that the centre of a thin line has its colour.
const SCALE: u32 = 2;
/// The side of a board, of a square and of the margin, in units of the picture.
const SIDE: u32 = 400;
const SQUARE: u32 = 45;
const MARGIN: u32 = 20;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const ITALIAN: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
/// only Black's pieces, and White's queen and king on other squares
const OTHER: &str = "rnbqkbnr/pppppppp/8/8/3Q4/8/8/6K1 b kq - 0 1";

const FRAME: Colour = [0xf7, 0xf2, 0xea];
const TEXT: Colour = [0x44; 3];
const LIGHT: Colour = [0xf0, 0xd9, 0xb5];
const DARK: Colour = [0xb5, 0x88, 0x63];
const LAST_MOVE: Colour = [0xcd, 0xd2, 0x6a];
const MARK: Colour = [0xcc, 0x33, 0x33];
const WHITE: (Colour, Colour) = ([0xff; 3], [0x11; 3]);
const BLACK: (Colour, Colour) = ([0x22; 3], [0xee; 3]);

type Colour = [u8; 3];

/// For each of White's FEN letters: points that show the fill and, if there are any, a line or a dot.
fn points(piece: char) -> ((f32, f32), Option<(f32, f32)>) {
    match piece {
        'P' => ((22.5, 36.0), None),
        'N' => ((27.0, 33.0), Some((16.5, 17.0))),
        'B' => ((22.5, 26.0), Some((22.5, 19.5))),
        'R' => ((22.5, 25.0), Some((22.5, 17.5))),
        'Q' => ((22.5, 32.3), Some((22.5, 34.65))),
        'K' => ((12.0, 25.0), Some((22.5, 26.0))),
        other => panic!("no piece: {other}"),
    }
}

/// A screenshot.
struct Screenshot {
    width: u32,
    rgb: Vec<Colour>,
}

impl Screenshot {
    fn read(path: &Path) -> Screenshot {
        let mut reader = png::Decoder::new(std::io::BufReader::new(File::open(path).unwrap())).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let channels = match info.color_type {
            png::ColorType::Rgb => 3,
            png::ColorType::Rgba => 4,
            other => panic!("a screenshot of colour type {other:?}"),
        };
        assert_eq!(info.bit_depth, png::BitDepth::Eight);
        let rgb =
            bytes[..info.buffer_size()].chunks_exact(channels).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        Screenshot { width: info.width, rgb }
    }

    /// The colour at a point, in units of the picture.
    fn at(&self, (x, y): (f32, f32)) -> Colour {
        let pixel = |n: f32| (n * SCALE as f32) as u32;
        self.rgb[(pixel(y) * self.width + pixel(x)) as usize]
    }

    #[track_caller]
    fn expect(&self, what: &str, place: (f32, f32), colour: Colour) {
        let found = self.at(place);
        let near = found.iter().zip(colour).all(|(a, b)| a.abs_diff(b) <= 6);
        assert!(near, "{what}: {found:02x?} at {place:?}, expected {colour:02x?}");
    }
}

/// Compares the board whose corner is at `left`, `top`.
struct Expected<'a> {
    fen: &'a str,
    left: u32,
    top: u32,
    options: Options,
}

impl Expected<'_> {
    #[track_caller]
    fn compare(&self, page: &str, seen: &Screenshot) {
        let black = self.options.bottom == 1;
        let (left, top) = (self.left as f32, self.top as f32);
        let mut pieces = 0;
        for (row, rank) in self.fen.split(' ').next().unwrap().split('/').enumerate() {
            let squares = rank.chars().flat_map(|c| match c.to_digit(10) {
                Some(empty) => vec![None; empty as usize],
                None => vec![Some(c)],
            });
            for (column, piece) in squares.enumerate() {
                let number = (8 * (7 - row) + column) as u8;
                let name = format!("{page}: {} on {}", piece.unwrap_or('-'), squares::name(number));
                let (column, row) = if black { (7 - column, 7 - row) } else { (column, row) };
                let at = |(x, y): (f32, f32)| {
                    let corner = |n: usize| (MARGIN + SQUARE * n as u32) as f32;
                    (left + corner(column) + x, top + corner(row) + y)
                };
                let mut below = if (row + column) % 2 == 0 { LIGHT } else { DARK };
                if self.options.last_move.is_some_and(|(from, to)| [from, to].contains(&number)) {
                    below = std::array::from_fn(|i| ((4 * u32::from(LAST_MOVE[i]) + u32::from(below[i])) / 5) as u8);
                }
                seen.expect(&name, at((6.0, 6.0)), below);
                let marked = self.options.marked >> number & 1 == 1;
                seen.expect(&format!("{name}, the edge"), at((2.0, 22.5)), if marked { MARK } else { below });
                let Some(piece) = piece else {
                    seen.expect(&name, at((22.5, 22.5)), below);
                    continue;
                };
                pieces += 1;
                let (fill, line) = if piece.is_ascii_uppercase() { WHITE } else { BLACK };
                let (body, stroke) = points(piece.to_ascii_uppercase());
                seen.expect(&name, at(body), fill);
                if let Some(stroke) = stroke {
                    seen.expect(&format!("{name}, a line"), at(stroke), line);
                }
            }
        }
        assert!(pieces > 0, "{page}: {} has no pieces", self.fen);
        seen.expect(&format!("{page}: the margin"), (left + 3.0, top + 3.0), FRAME);
        let files = (0..8 * SQUARE).flat_map(|x| (0..MARGIN).map(move |y| (x + MARGIN, SIDE - MARGIN + y)));
        let darkest = files.map(|(x, y)| seen.at((left + x as f32, top + y as f32))).min().unwrap();
        assert!(darkest[0].abs_diff(TEXT[0]) < 40, "{page}: the letters of the files are {darkest:02x?}");
    }
}

fn plain(fen: &str, left: u32, top: u32) -> Expected<'_> {
    Expected { fen, left, top, options: Options::default() }
}

fn picture(fen: &str, options: Options) -> String {
    draw(&fen::read(fen).unwrap(), options)
}

fn page(style: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html><html><head><meta charset='utf-8'><style>body{{margin:0;{style}}}svg,img{{display:block}}</style>\
         </head><body>{body}</body></html>"
    )
}

/// The name of Chromium on this system.
fn browser() -> String {
    const KNOWN: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = |name: &&str| std::env::split_paths(&path).any(|dir| dir.join(name).is_file());
    std::env::var("CHROMIUM")
        .ok()
        .or_else(|| KNOWN.into_iter().find(there).map(str::to_owned))
        .expect("no Chromium: scripts/setup.sh test installs it, CHROMIUM names another")
}

/// A directory for a test, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Scratch {
        let dir = std::env::temp_dir().join(format!("chess-browser-{test}-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        Scratch(dir)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// Draws a file into a window of this many boards horizontally and vertically.
    fn draw(&self, file: &Path, columns: u32, rows: u32) -> Screenshot {
        let shot = self.0.join("shot.png");
        let _ = fs::remove_file(&shot);
        let log = self.0.join("log");
        let mut child = Command::new(browser())
            // shows only its own files; containers and root have no sandbox
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"])
            .args(["--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args([
                "--disable-extensions",
                "--force-color-profile=srgb",
                &format!("--force-device-scale-factor={SCALE}"),
            ])
            .arg(format!("--window-size={},{}", columns * SIDE, rows * SIDE))
            .arg(format!("--user-data-dir={}", self.0.join("profile").display()))
            .arg(format!("--screenshot={}", shot.display()))
            .arg(format!("file://{}", file.display()))
            .env("HOME", &self.0)
            .stdin(Stdio::null())
            .stdout(File::create(&log).unwrap())
            .stderr(File::options().append(true).open(&log).unwrap())
            .spawn()
            .expect("the browser starts");
        let started = Instant::now();
        let ended = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if started.elapsed() > Duration::from_secs(600) {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        assert!(
            ended.is_some_and(|status| status.success()) && shot.is_file(),
            "the browser drew nothing ({ended:?}):\n{}",
            fs::read_to_string(&log).unwrap_or_default()
        );
        Screenshot::read(&shot)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
#[ignore = "needs Chromium"]
fn a_file_shows_pieces_squares_and_marks() {
    let scratch = Scratch::new("file");
    for bottom in [0, 1] {
        let options = Options { last_move: Some((5, 26)), marked: 1 << 53 | 1 << 44 | 1 << 19, bottom };
        let file = scratch.file("board.svg", &picture(ITALIAN, options));
        Expected { fen: ITALIAN, left: 0, top: 0, options }.compare("a file", &scratch.draw(&file, 1, 1));
    }
}

/// A colour blended over another one.
fn over(colour: Colour, below: Colour, opacity: f32) -> Colour {
    std::array::from_fn(|i| (f32::from(colour[i]) * opacity + f32::from(below[i]) * (1.0 - opacity)) as u8)
}

#[test]
#[ignore = "needs Chromium"]
fn a_file_shows_arrows_and_coloured_squares() {
    let scratch = Scratch::new("drawings");
    let drawings = Drawings::read("[%csl Gc5,Re5] what now? [%cal Ba3h3,Yh6a6]");
    for bottom in [0, 1] {
        let drawn = draw_with(&fen::read(OTHER).unwrap(), Options { bottom, ..Options::default() }, &drawings);
        let seen = scratch.draw(&scratch.file("drawings.svg", &drawn), 1, 1);
        let at = |square: &str, (x, y): (f32, f32)| {
            let number = u32::from(squares::from_name(square).unwrap());
            let (column, row) = if bottom == 1 { (7 - number % 8, number / 8) } else { (number % 8, 7 - number / 8) };
            ((MARGIN + SQUARE * column) as f32 + x, (MARGIN + SQUARE * row) as f32 + y)
        };
        let (green, red) = ([0x15, 0x78, 0x1b], [0xa0, 0x20, 0x20]);
        seen.expect("a green square", at("c5", (6.0, 6.0)), over(green, DARK, 0.7));
        seen.expect("a red square", at("e5", (40.0, 40.0)), over(red, DARK, 0.7));
        seen.expect("the square between them", at("d5", (6.0, 6.0)), LIGHT);
        for (colour, from, through, to) in
            [([0x10, 0x30, 0x98], "a3", "d3", "h3"), ([0xe6, 0xa0, 0x00], "h6", "e6", "a6")]
        {
            let below = |square: &str| {
                let number = squares::from_name(square).unwrap();
                if (number / 8 + number % 8) % 2 == 1 { LIGHT } else { DARK }
            };
            seen.expect("the shaft", at(through, (22.5, 22.5)), over(colour, below(through), 0.75));
            seen.expect("beside the shaft", at(through, (22.5, 30.0)), below(through));
            // the head points away from the start of the arrow
            let towards_right = (from < to) != (bottom == 1);
            let (wide, beyond) = if towards_right { (10.0, 30.0) } else { (35.0, 15.0) };
            seen.expect("the head", at(to, (wide, 16.5)), over(colour, below(to), 0.75));
            seen.expect("behind the head", at(to, (beyond, 22.5)), below(to));
        }
    }
}

/// The picture in README.md.
#[test]
#[ignore = "needs Chromium"]
fn the_picture_of_the_documents_is_right() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/board.svg").canonicalize().unwrap();
    let scratch = Scratch::new("documents");
    let seen = scratch.draw(&file, 1, 1);
    let attacked = ["a6", "b5", "d5", "e6", "f7", "a2", "b3", "d3", "e2", "f1"];
    let marked = attacked.iter().fold(0, |set, name| set | 1 << squares::from_name(name).unwrap());
    Expected { fen: ITALIAN, left: 0, top: 0, options: Options { last_move: Some((5, 26)), marked, bottom: 0 } }
        .compare("docs/board.svg", &seen);
}

#[test]
#[ignore = "needs Chromium"]
fn boards_of_one_page_leave_each_other_alone() {
    let scratch = Scratch::new("page");
    let black = Options { bottom: 1, ..Options::default() };
    // the first one is hidden: shapes that others borrow from it would be missing, too
    let body = format!(
        "<div style='display:none'>{}</div><div style='display:flex'>{}{}</div><div style='display:flex'>{}<img src='board.svg'></div>",
        picture(START, Options::default()),
        picture(OTHER, Options::default()),
        picture(ITALIAN, black),
        picture(START, Options::default())
    );
    scratch.file("board.svg", &picture(ITALIAN, Options::default()));
    // a page in either colour, with rules for names and classes that its own icons may have
    for (name, style) in [
        ("a light page", "background:#fff"),
        ("a dark page", "background:#0d1117;color:#e6edf3;color-scheme:dark"),
        ("a page of icons", "}svg{fill:currentColor;stroke:#0a0}.l,.s,.m,.h,.w,.b,.d,.e,.t{display:none;fill:#00f}.x{"),
    ] {
        let seen = scratch.draw(&scratch.file("page.html", &page(style, &body)), 2, 2);
        plain(OTHER, 0, 0).compare(name, &seen);
        Expected { fen: ITALIAN, left: SIDE, top: 0, options: black }.compare(name, &seen);
        plain(START, 0, SIDE).compare(name, &seen);
        plain(ITALIAN, SIDE, SIDE).compare(&format!("{name}, <img>"), &seen);
    }
}
