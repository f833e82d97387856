//! Segments of random games and their expected answers, shared by the tests in this folder.
#![allow(dead_code)]

#[path = "../../../chess-core/tests/common/mod.rs"]
pub mod games;

use std::collections::BTreeSet;

use chess_core::search::finder::{Finder, Matching};
use chess_core::search::hybrid_keys::{EXACT_PLIES, Key, each_key};
use chess_core::{Board, Game};
use chess_index::attributes::{Attributes, Value};
use chess_index::build::Builder;
use chess_index::check;
use chess_index::key::Question;
use chess_index::mask::mark_dead;
use chess_index::merge::merge;
use chess_index::rows::Row;
use chess_index::segment::Segment;
use chess_index::writer::Shape;
use games::{Rng, STANDARD, Style, any_start, chess960, pack, play};

/// A table: rows, most with a game.
pub type Table = Vec<(Row, Option<Game>)>;

/// The smallest room of a page, and that of a PostgreSQL page of 8 kB.
pub const ROOMS: [usize; 2] = [1280, 8160];

/// A segment in memory and its input.
pub struct Built {
    pub segment: Segment,
    pub pages: Vec<Vec<u8>>,
}

impl Built {
    pub fn games(&self, question: &Question) -> Vec<u32> {
        self.segment.games(&self.pages[..], question).unwrap()
    }

    pub fn check(&self) {
        assert_eq!(check::check(&self.pages[..], self.segment.number, self.segment.pages - 1), Ok(self.segment));
        assert_eq!(self.pages.len(), self.segment.pages as usize);
        let mut rows = Vec::new();
        self.segment.each_row(&self.pages[..], |_, row| rows.push(row)).unwrap();
        let games: Vec<u32> = (0..self.segment.games).collect();
        let compare = |attributes: &Attributes<'_>, games: &[u32]| {
            for game in games {
                let wanted = values_in(self.segment.columns, rows[*game as usize]);
                assert_eq!(attributes.values(*game), wanted);
            }
        };
        if self.segment.columns > 0 {
            self.segment.attributes(&self.pages[..], &games, compare).unwrap();
        }
    }
}

/// A row of the test's table.
pub fn row(number: usize) -> Row {
    Row { block: (number / 38) as u32, offset: (number % 38) as u16 + 1 }
}

/// The attributes of the test's rows: a rating, a date that few rows have, and numbers of any size.
pub fn values_of(row: Row) -> [Value; 3] {
    let number = row.block as i32 * 38 + i32::from(row.offset);
    [
        (number % 7 > 0).then_some(1200 + number * 37 % 1500),
        (number % 5 == 0).then_some(number),
        Some(number.wrapping_mul(99_991_999)),
    ]
}

/// The attributes of the test's rows. From four columns on they are ratings, a result, a day, and another
/// number.
pub fn values_in(columns: u16, row: Row) -> Vec<Value> {
    let number = row.block as i32 * 38 + i32::from(row.offset);
    let summed = [
        (number % 7 > 0).then_some(1200 + number * 37 % 1500),
        (number % 11 > 0).then_some(number * 71 % 2700 - 50),
        (number % 13 > 0).then_some(number % 4),
        (number % 5 > 0).then_some(number * 331 % 9000 - 2000),
        Some(number.wrapping_mul(99_991_999)),
    ];
    let values = if columns < 4 { values_of(row).to_vec() } else { summed.to_vec() };
    values[..columns.into()].to_vec()
}

pub fn shape(room: usize, rich: bool) -> Shape {
    Shape { rich, patterns: true, columns: 3, ..Shape::of_keys(7, room) }
}

/// A shape with sums of all exact lists that can have them.
pub fn with_sums(shape: Shape) -> Shape {
    Shape { columns: 5, sums: 1, waiting: u32::MAX, ..shape }
}

/// Builds a segment of rows with their games.
pub fn build(shape: Shape, memory: usize, rows: &[(Row, Option<Game>)]) -> Built {
    let (mut builder, mut pages) = (Builder::new(shape, memory, Vec::new()), Vec::new());
    for (row, game) in rows {
        builder.add(*row, game.as_ref().map(Game::view), &values_in(shape.columns, *row), &mut pages).unwrap();
    }
    let segment = builder.finish(&mut pages).unwrap();
    Built { segment, pages }
}

/// Merges three segments of rows, in each of which one game in `dead` is dead. Returns the merged segment, one that was built of
/// the living rows, and these rows.
pub fn merged(rows: &[(Row, Option<Game>)], shape: Shape, dead: usize) -> (Built, Built, Table) {
    let mut living = Table::new();
    let mut parts = Vec::new();
    for (nth, part) in rows.chunks(rows.len() / 3).enumerate() {
        let mut built = build(Shape { segment: 20 + nth as u32, ..shape }, 0, part);
        for (game, row) in part.iter().enumerate() {
            if game % dead == nth {
                let page = built.segment.mask_page_of(game as u32) as usize;
                mark_dead(&mut built.pages[page], &[game as u32]).unwrap();
            } else {
                living.push(row.clone());
            }
        }
        parts.push(built);
    }
    let inputs: Vec<_> = parts.iter().map(|built| (&built.segment, &built.pages[..])).collect();
    let mut pages = Vec::new();
    let segment = merge(&inputs, shape, &mut pages).unwrap();
    (Built { segment, pages }, build(shape, 1 << 30, &living), living)
}

/// Rows with random games of every sort; some have no game. Most share an opening, so that lists are long.
pub fn rows(seed: u64, count: usize) -> Table {
    let mut rng = Rng(seed);
    let game = |rng: &mut Rng| match rng.below(10) {
        0 => {
            let (start, plies) = (any_start(rng), rng.below(90));
            pack(&play(rng, &start, plies, Style::Special))
        }
        1 => {
            let (start, plies) = (chess960(rng.below(20)), rng.below(60));
            pack(&play(rng, &start, plies, Style::Special))
        }
        2 => {
            let plies = rng.below(400);
            pack(&play(rng, STANDARD, plies, Style::Endless))
        }
        // Few different first moves, so that many games share their positions.
        3..7 => {
            let plies = rng.below(4);
            pack(&play(rng, STANDARD, plies, Style::Special))
        }
        _ => {
            let plies = rng.below(120);
            pack(&play(rng, STANDARD, plies, Style::Special))
        }
    };
    (0..count).map(|number| (row(number), (!rng.one_in(30)).then(|| game(&mut rng)))).collect()
}

/// The games that reach a board, found by a replay of each.
pub fn replayed(rows: &[(Row, Option<Game>)], board: &Board, matching: Matching, limit: u32) -> BTreeSet<u32> {
    let finder = Finder::new(board, matching);
    let has = |game: &Option<Game>| game.as_ref().is_some_and(|game| finder.is_in(game.view(), limit).unwrap());
    (0..).zip(rows).filter(|(_, (_, game))| has(game)).map(|(number, _)| number).collect()
}

/// The games that have one of a question's keys.
pub fn with_keys(keys: &[Vec<Key>], question: &Question) -> Vec<u32> {
    let is_asked = |key: &Key| match key {
        Key::Position(hash, _) => question.exact.contains(hash),
        Key::Tail(hash) => question.tail == Some(*hash),
    };
    (0..).zip(keys).filter(|(_, keys)| keys.iter().any(is_asked)).map(|(number, _)| number).collect()
}

pub fn keys_of(game: &Option<Game>) -> Vec<Key> {
    let mut keys = Vec::new();
    if let Some(game) = game {
        each_key(game.view(), |key| keys.push(key)).unwrap();
    }
    keys
}

/// Questions for boards of random games, and for boards that no game reaches.
pub fn questions(rng: &mut Rng, rows: &[(Row, Option<Game>)], count: usize) -> Vec<(Board, Matching, u32, Question)> {
    let mut questions = Vec::new();
    while questions.len() < count {
        let Some(game) = &rng.pick(rows).1 else { continue };
        let ply = rng.below(game.view().ply_count() as usize + 1) as u32;
        let mut board = game.view().board_at(ply).unwrap().unwrap();
        if rng.one_in(5) {
            board.turn = 1 - board.turn;
        }
        let limit = *rng.pick(&[u32::MAX, ply, ply.saturating_sub(1), EXACT_PLIES, EXACT_PLIES + 1]);
        let matching = *rng.pick(&[Matching::Position, Matching::Placement]);
        let question = match matching {
            Matching::Position => Question::position(&board, limit),
            Matching::Placement => Question::placement(&board, limit),
        };
        questions.push((board, matching, limit, question));
    }
    questions
}

fn crc32c(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| crc >> 1 ^ if crc & 1 == 1 { 0x82f6_3b78 } else { 0 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

/// Seals a damaged page again, so that readers get past the checksum.
pub fn seal(content: &mut [u8]) {
    if content.len() >= 4 {
        let checksum = crc32c(&content[4..]);
        content[..4].copy_from_slice(&checksum.to_le_bytes());
    }
}
