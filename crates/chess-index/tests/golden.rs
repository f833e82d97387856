//! Pins the bytes of every kind of page: today's writer writes the golden pages, and today's reader reads them.
//!
//! `golden/*.tsv` contain a page a line. `WRITE_GOLDEN=1` rewrites them; do not use it after the first release with
//! this index format.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{ROOMS, build, keys_of, row, shape, values_of, with_sums};
use chess_core::game::recorder::Recorder;
use chess_core::game::slots::Step;
use chess_core::game::start::GameStart;
use chess_core::text::movetext;
use chess_core::{Game, GameResult};
use chess_index::attributes::{Filter, Within};
use chess_index::build::Builder;
use chess_index::check::{check, is_found};
use chess_index::grouping::{Grouping, Groupings};
use chess_index::key::Question;
use chess_index::mask::mark_dead;
use chess_index::meta::{Meta, State, tail};
use chess_index::page::{Kind, Page, is_sealed};
use chess_index::pending::{RowReader, RowWriter, new_page};
use chess_index::rows::Row;
use chess_index::segment::Segment;
use chess_index::writer::Shape;
use shakmaty::{Chess, Position};

const FULL_GAMES: [&str; 3] = [
    "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Bg5 e6 7. f4 Be7 8. Qf3 Qc7 9. O-O-O Nbd7 10. g4 b5 11. Bxf6 \
     Nxf6 12. g5 Nd7 13. f5 Nc5 14. f6 gxf6 15. gxf6 Bf8 16. Rg1 Bd7 17. Rg7 1-0",
    "1. e4 a6 2. e5 d5 3. exd6 Nf6 4. dxc7 Nc6 5. cxd8=N Nxd8 *",
    "[FEN \"8/P6k/8/8/8/8/p6K/8 w - - 0 1\"] 1. a8=Q a1=Q 2. Qb7+ Kh6 0-1",
];

/// All openings of two half-moves, ordered by their squares, then whole games, then a row without a game.
fn rows() -> Vec<(Row, Option<Game>)> {
    fn steps(position: &Chess) -> Vec<(Step, Chess)> {
        let mut steps: Vec<_> = position
            .legal_moves()
            .into_iter()
            .map(|played| {
                let mut after = position.clone();
                after.play_unchecked(played);
                (Step::of(played).unwrap(), after)
            })
            .collect();
        steps.sort_by_key(|(step, _)| match step {
            Step::Plain { from, to, .. } => (*from, *to),
            Step::Castle { .. } => (64, 64),
        });
        steps
    }
    let mut games = Vec::new();
    for (first, after) in steps(&Chess::default()) {
        for (second, _) in steps(&after) {
            let mut recorder = Recorder::new(GameStart::standard());
            recorder.play(first).unwrap();
            recorder.play(second).unwrap();
            games.push(Some(recorder.finish(GameResult::Draw, false)));
        }
    }
    games.extend(FULL_GAMES.map(|text| Some(movetext::read(text).unwrap())));
    games.push(None);
    games.into_iter().enumerate().map(|(number, game)| (row(number), game)).collect()
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// The pages of a golden file; fails if `today` differs from them.
fn golden(name: &str, today: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut text = String::from("# number of the page, its kind, its content in hexadecimal\n");
    for (number, page) in today.iter().enumerate() {
        write!(text, "{number}\t{:?}\t", Page::read(page).unwrap().kind).unwrap();
        page.iter().for_each(|byte| write!(text, "{byte:02x}").unwrap());
        text.push('\n');
    }
    if std::env::var_os("WRITE_GOLDEN").is_some() {
        fs::write(path(name), &text).unwrap();
    }
    let golden = fs::read_to_string(path(name)).unwrap();
    let differs = golden.lines().zip(text.lines()).position(|(golden, today)| golden != today);
    assert!(golden == text, "{name}: line {differs:?} is not the golden one");
    read(&golden)
}

/// The pages in the text of a golden file.
fn read(golden: &str) -> Vec<Vec<u8>> {
    let bytes =
        |hex: &str| (0..hex.len() / 2).map(|n| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).unwrap()).collect();
    golden.lines().filter(|line| !line.starts_with('#')).map(|line| bytes(line.rsplit('\t').next().unwrap())).collect()
}

#[test]
fn segments() {
    let rows = rows();
    for (name, shape) in [
        ("segment.tsv", shape(ROOMS[0], false)),
        ("rich-segment.tsv", shape(ROOMS[0], true)),
        ("sums-segment.tsv", with_sums(shape(ROOMS[0], false))),
    ] {
        let mut built = build(shape, 0, &rows);
        let mask = built.segment.mask_page_of(3) as usize;
        mark_dead(&mut built.pages[mask], &[3, 401]).unwrap();
        let pages = golden(name, &built.pages);
        let kinds = [Kind::Segment, Kind::Directory, Kind::Leaf, Kind::Lists, Kind::Rows, Kind::Mask, Kind::Attributes];
        assert!(kinds.iter().all(|kind| pages.iter().any(|page| Page::read(page).unwrap().kind == *kind)));
        for kind in [Kind::Leaders, Kind::Ranking, Kind::Catalog] {
            assert_eq!(pages.iter().any(|page| Page::read(page).unwrap().kind == kind), shape.sums > 0);
        }
        let last = pages.len() as u32 - 1;
        built.check();
        assert_eq!(check(&pages[..], 7, last), Ok(built.segment));
        let segment = Segment::open(&pages[..], 7, last).unwrap();
        for (number, (_, game)) in rows.iter().enumerate() {
            assert_eq!(is_found(&pages[..], &segment, number as u32, &keys_of(game)), Ok(true));
        }
        let board = rows[3].1.as_ref().unwrap().view().board_at(1).unwrap().unwrap();
        let games = segment.games(&pages[..], &Question::position(&board, 28)).unwrap();
        assert_eq!(games, (0..20).filter(|game| *game != 3).collect::<Vec<_>>());
    }
}

/// A segment with sums by groups: games of one opening, years and hundreds of ratings.
#[test]
fn segments_with_groups() {
    let groupings = Groupings::new([(3, Grouping::Years), (4, Grouping::Hundreds)]);
    let shape = Shape { groupings, ..with_sums(shape(ROOMS[0], false)) };
    let (mut builder, mut pages) = (Builder::new(shape, 0, Vec::new()), Vec::new());
    let game = movetext::read("1. d4 d5 2. c4").unwrap();
    for number in 0..400 {
        let (rating, day) = ((number % 9 > 0).then_some(2360 + number % 71), (number % 7 > 0).then_some(number - 100));
        let values = [rating, Some(2400), Some(number % 2), day, rating];
        builder.add(row(number as usize), Some(game.view()), &values, &mut pages).unwrap();
    }
    let built = builder.finish(&mut pages).unwrap();
    let pages = golden("groups-segment.tsv", &pages);
    for kind in [Kind::Grouped, Kind::Groups] {
        assert!(pages.iter().any(|page| Page::read(page).unwrap().kind == kind));
    }
    let segment = check(&pages[..], 7, pages.len() as u32 - 1).unwrap();
    assert_eq!(segment, built);
    let hash = Question::position(&game.view().board_at(1).unwrap().unwrap(), 28).exact[0];
    let filters = [
        Filter { column: 3, within: Within::between(0, i64::MAX) },
        Filter { column: 4, within: Within::between(2400, 2499) },
    ];
    let sums = segment.sums_of_met(&pages[..], hash, &filters).unwrap().unwrap();
    let met = (100..400).filter(|number| number % 9 > 0 && number % 7 > 0 && number % 71 >= 40).count();
    assert_eq!(sums.iter().map(|sum| sum.games as usize).sum::<usize>(), met);
}

/// Segments that were written before there were leaders and rankings stay readable.
#[test]
fn segments_with_sums_alone() {
    let pages = read(&fs::read_to_string(path("sums-alone.tsv")).unwrap());
    let segment = check(&pages[..], 7, pages.len() as u32 - 1).unwrap();
    assert!(segment.sums.is_some() && segment.rankings.is_none());
    let board = rows()[3].1.as_ref().unwrap().view().board_at(1).unwrap().unwrap();
    let sums = segment.sums(&pages[..], Question::position(&board, 28).exact[0]).unwrap().unwrap();
    assert!(!sums.sums.is_empty() && sums.leaders.is_none());
    for (number, (_, game)) in rows().iter().enumerate() {
        assert_eq!(is_found(&pages[..], &segment, number as u32, &keys_of(game)), Ok(true));
    }
}

#[test]
fn pending() {
    let mut pages = vec![new_page(9, 0)];
    for (row, game) in &rows()[300..] {
        let mut writer = RowWriter::new(*row, &values_of(*row), game.as_ref().map(Game::as_bytes));
        while !writer.write(pages.last_mut().unwrap(), ROOMS[0]) {
            pages.push(new_page(9, pages.len() as u32));
        }
    }
    let pages = golden("pending.tsv", &pages);
    let (mut reader, mut read) = (RowReader::new(3), Vec::new());
    for page in &pages {
        assert!(is_sealed(page));
        reader
            .read(&Page::read(page).unwrap(), |row, values, game| {
                assert_eq!(values, values_of(row));
                read.push((row, game.map(<[u8]>::to_vec)));
            })
            .unwrap();
    }
    reader.end().unwrap();
    let wanted: Vec<_> =
        rows()[300..].iter().map(|(row, game)| (*row, game.as_ref().map(|game| game.as_bytes().to_vec()))).collect();
    assert_eq!(read, wanted);
}

#[test]
fn metapages() {
    let mut meta = Meta::default();
    let empty = meta.write(ROOMS[0]).unwrap();
    for (state, pages, games, dead) in [
        (State::Live, 40, 300_000, 7),
        (State::Closed, 3, 200, 0),
        (State::Flushing, 0, 0, 0),
        (State::Merging, 0, 0, 0),
    ] {
        let number = meta.begin(state).unwrap();
        for _ in 0..2 {
            meta.grow(number, 20, ROOMS[0], 0).unwrap();
            meta.grow(1, 2, ROOMS[0], 0).unwrap();
        }
        let part = meta.part_mut(number).unwrap();
        (part.pages, part.games, part.dead) = (pages, games, dead);
    }
    (meta.pending.pages, meta.pending.games) = (3, 150);
    let pages = golden("metapage.tsv", &[empty, meta.write(ROOMS[0]).unwrap()]);
    assert_eq!(Meta::read(&pages[0]), Ok(Meta::default()));
    assert_eq!(tail(&pages[0]), Ok(None));
    assert_eq!(Meta::read(&pages[1]), Ok(meta));
}
