//! Fuzz targets for segments of the access method `chess`: damaged pages, and lookups of games.

use std::sync::LazyLock;

use chess_core::search::hybrid_keys::{Key, each_key};
use chess_core::search::pattern::{Pattern, STANDARD_SIGNATURE, material_key, pattern_keys};
use chess_core::text::movetext;
use chess_core::{Board, Game, GameRef};
use chess_index::attributes::{Filter, Value, Within};
use chess_index::block::Block;
use chess_index::build::Builder;
use chess_index::check::{check, is_found};
use chess_index::common::CommonGames;
use chess_index::key::Question;
use chess_index::mask::mark_dead;
use chess_index::merge::merge;
use chess_index::meta::{Meta, State, tail};
use chess_index::page::{MIN_ROOM, Page, is_sealed};
use chess_index::pending::{RowReader, RowWriter, new_page};
use chess_index::rows::Row;
use chess_index::segment::Segment;
use chess_index::select::{Selection, Sought};
use chess_index::tiers::{Merger, next};
use chess_index::writer::Shape;

const LINES: [&str; 4] = [
    "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Be2 e5 7. Nb3 Be7 8. O-O O-O 9. Be3 Be6 10. f4 Qc7 1-0",
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 11. Nbd2 \
     Bb7 12. Bc2 Re8 13. Nf1 Bf8 14. Ng3 g6 15. a4 c5 16. d5 c4 17. Bg5 h6 18. Be3 Nc5 19. Qd2 h5 20. Bg5 Be7 1/2-1/2",
    "1. e4",
    "",
];

fn shape(segment: u32, rich: bool) -> Shape {
    Shape { rich, patterns: true, columns: 2, ..Shape::of_keys(segment, MIN_ROOM) }
}

fn row(number: usize) -> Row {
    Row { block: number as u32 / 40, offset: number as u16 % 40 + 1 }
}

/// Two attributes of a game.
fn values(game: GameRef<'_>) -> [Value; 2] {
    let plies = game.ply_count() as i32;
    [Some(plies * 1_000_003), (plies % 3 > 0).then_some(plies)]
}

fn build(shape: Shape, games: &[Game]) -> (Segment, Vec<Vec<u8>>) {
    let (mut builder, mut pages) = (Builder::new(shape, 0, Vec::new()), Vec::new());
    for (number, game) in games.iter().enumerate() {
        builder.add(row(number), Some(game.view()), &values(game.view()), &mut pages).unwrap();
    }
    (builder.finish(&mut pages).unwrap(), pages)
}

fn keys_of(game: GameRef<'_>) -> Vec<Key> {
    let mut keys = Vec::new();
    each_key(game, |key| keys.push(key)).unwrap();
    keys
}

/// Segments with every kind of page, plain and rich: 300 games, most of them short, so that lists are long.
static SEGMENTS: LazyLock<[(Segment, Vec<Vec<u8>>); 2]> = LazyLock::new(|| {
    let lines = LINES.map(|text| movetext::read(text).unwrap());
    let games: Vec<Game> = (0..300).map(|n| lines[if n < 20 { n % 2 } else { 2 + n * n % 2 }].clone()).collect();
    [false, true].map(|rich| build(shape(1, rich), &games))
});

static QUESTIONS: LazyLock<Vec<Question>> = LazyLock::new(|| {
    let board = |line: usize, ply| movetext::read(LINES[line]).unwrap().view().board_at(ply).unwrap().unwrap();
    let boards: [Board; 4] = [board(0, 0), board(0, 1), board(1, 28), board(1, 39)];
    boards.iter().map(|board| Question::position(board, u32::MAX)).collect()
});

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let texts = ["Nd4 and ke8", "flip(O-O or PxN)", "P < 8", "Q = 1 and q = 1 and [Pp] < 16"];
    texts.iter().filter_map(|text| Pattern::read(text).ok()).collect()
});

/// Stores a CRC-32C that is computed bit by bit, independently of the tables in chess-index.
fn seal(content: &mut [u8]) {
    if let Some((checksum, rest)) = content.split_first_chunk_mut::<4>() {
        let step = |crc: u32, _| crc >> 1 ^ if crc & 1 == 1 { 0x82f6_3b78 } else { 0 };
        *checksum = (!rest.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))).to_le_bytes();
    }
}

/// Input: flags (bit 0 the rich segment, bit 1 seal pages again, bit 2 replace a whole page), then changes. A change is
/// a page, an offset of two bytes and the new byte; or a page and its new content.
pub fn index_pages(data: &[u8]) {
    let Some((&choice, changes)) = data.split_first() else { return };
    let (segment, sound) = &SEGMENTS[usize::from(choice & 1)];
    let mut pages = sound.clone();
    let mut changed = Vec::new();
    if let (true, Some((page, content))) = (choice & 4 != 0, changes.split_first()) {
        let page = usize::from(*page) % pages.len();
        pages[page] = content.to_vec();
        changed.push(page);
    }
    for change in changes.as_chunks::<4>().0.iter().filter(|_| choice & 4 == 0) {
        let page = usize::from(change[0]) % pages.len();
        let len = pages[page].len();
        pages[page][usize::from(u16::from_le_bytes([change[1], change[2]])) % len] = change[3];
        changed.push(page);
    }
    if choice & 2 != 0 {
        changed.iter().for_each(|page| seal(&mut pages[*page]));
    }
    let last = segment.pages - 1;
    let checked = check(&pages[..], segment.number, last);
    if pages == *sound {
        assert_eq!(checked, Ok(*segment));
    } else if pages.iter().any(|page| !is_sealed(page)) {
        assert!(checked.is_err());
    }
    survive(&pages, segment, checked.is_ok());
    if let Some(content) = changed.first().map(|page| &pages[*page])
        && let Ok(page) = Page::read(content)
    {
        let _ = RowReader::new(2).read(&page, |_, _, _| ());
    }
}

/// Every reader returns an answer or a fault; pages that a check accepts are all readable.
fn survive(pages: &[Vec<u8>], segment: &Segment, is_sound: bool) {
    let opened = match Segment::open(pages, segment.number, segment.pages - 1) {
        Ok(opened) => opened,
        Err(_) => return assert!(!is_sound),
    };
    for question in QUESTIONS.iter() {
        match opened.games(pages, question) {
            Ok(games) => {
                assert!(games.is_sorted() && games.last().is_none_or(|game| *game < opened.games));
                assert!(opened.rows(pages, &games, |_, _| ()).is_ok() || !is_sound);
                let mut common = CommonGames::new(vec![opened.lists(pages, question).unwrap_or_default()]);
                let mut one_by_one = std::iter::from_fn(|| common.next(pages, &opened).ok().flatten());
                assert!(games.iter().all(|game| one_by_one.any(|other| other == *game)) || !is_sound);
            }
            Err(_) => assert!(!is_sound),
        }
    }
    for pattern in PATTERNS.iter() {
        let tree = pattern.key_tree();
        let sought = Sought { tree: &tree, certainty: None };
        let found = Selection::new(pages, &opened, &[sought], None).and_then(|selection| {
            let mut games = Vec::new();
            if let Some(mut selection) = selection {
                while selection.next(pages, &opened, &mut games)? {
                    assert!(games.is_sorted() && games.last().is_none_or(|game| *game < opened.games));
                }
            }
            Ok(())
        });
        assert!(found.is_ok() || !is_sound);
    }
    assert!(opened.each_row(pages, |_, _| ()).is_ok() || !is_sound);
    let filters =
        [Filter { column: 0, within: Within::between(1, 1 << 40) }, Filter { column: 1, within: Within::Null }];
    let mut games = (0..opened.games.min(300)).collect();
    assert!(opened.retain_met(pages, &filters, &mut games).is_ok() || !is_sound);
    assert!(games.is_sorted() && games.last().is_none_or(|game| *game < opened.games));
    assert!(is_found(pages, &opened, 0, &[]).is_ok());
    let merged = merge(&[(&opened, pages)], shape(2, opened.rich), &mut Vec::new());
    assert!(merged.is_ok() || !is_sound);
    if let Some(mask) = pages.get(opened.mask_page_of(0) as usize) {
        let _ = mark_dead(&mut mask.clone(), &[0, 299, u32::MAX]);
    }
}

/// Input: packed games, each after its length in a byte. A segment of the valid games finds each under all of its keys of
/// positions and patterns, and equals the merge of two halves.
pub fn index_games(data: &[u8]) {
    let (mut games, mut rest) = (Vec::new(), data);
    while let Some((&len, behind)) = rest.split_first() {
        let (bytes, behind) = behind.split_at(behind.len().min(len.into()));
        games.extend(Game::from_bytes(bytes));
        rest = behind;
    }
    let rich = data.len().is_multiple_of(2);
    let (segment, pages) = build(shape(1, rich), &games);
    assert_eq!(check(&pages[..], 1, segment.pages - 1), Ok(segment));
    for (number, game) in games.iter().enumerate() {
        assert_eq!(is_found(&pages[..], &segment, number as u32, &keys_of(game.view())), Ok(true));
        let mut keys = Vec::new();
        pattern_keys(game.view(), &mut keys).unwrap();
        for key in keys.into_iter().filter(|key| *key != material_key(STANDARD_SIGNATURE)) {
            let list = segment.pattern_list(&pages[..], key).unwrap().unwrap();
            let (mut reader, mut block, mut found) = (list.read(), Block::default(), false);
            while reader.next_from(&pages[..], &segment, number as u32, &mut block).unwrap() {
                found |= block.games.contains(&(number as u32));
            }
            assert!(found, "game {number} lacks the key {key:x}");
        }
    }
    let (first, second) = games.split_at(games.len() / 3);
    let parts = [build(shape(2, true), first), build(shape(3, true), second)];
    let mut merged = Vec::new();
    merge(&parts.each_ref().map(|(segment, pages)| (segment, &pages[..])), shape(1, rich), &mut merged).unwrap();
    // Rows are numbered within each half, so pages of rows differ; all others must be equal.
    let of_keys = |pages: &[Vec<u8>]| pages.iter().filter(|page| page[12] != 5).cloned().collect::<Vec<_>>();
    assert_eq!(of_keys(&merged), of_keys(&pages));

    let mut waiting = vec![new_page(1, 0)];
    for (number, game) in games.iter().enumerate() {
        let mut writer = RowWriter::new(row(number), &values(game.view()), Some(game.as_bytes()));
        while !writer.write(waiting.last_mut().unwrap(), MIN_ROOM) {
            waiting.push(new_page(1, waiting.len() as u32));
        }
    }
    let (mut reader, mut back) = (RowReader::new(2), Vec::new());
    for page in &waiting {
        reader
            .read(&Page::read(page).unwrap(), |row, of, game| back.push((row, of.to_vec(), game.map(<[u8]>::to_vec))))
            .unwrap();
    }
    reader.end().unwrap();
    let wanted: Vec<_> = games
        .iter()
        .enumerate()
        .map(|(n, game)| (row(n), values(game.view()).to_vec(), Some(game.as_bytes().to_vec())))
        .collect();
    assert_eq!(back, wanted);
}

/// Input: the content of the first page of an index, whose checksum is set. What a reader accepts it writes again as the
/// same bytes, and no block has two owners after more are given.
pub fn index_meta(data: &[u8]) {
    let mut content = data.to_vec();
    seal(&mut content);
    let _ = tail(&content);
    let Ok(mut meta) = Meta::read(&content) else { return };
    assert_eq!(meta.write(usize::MAX), Ok(content));
    let _ = (next(&meta, Merger::Insert, ROOM), next(&meta, Merger::Vacuum, ROOM), meta.free_blocks(1 << 20));
    let _ = meta.close_pending();
    if let Ok(number) = meta.begin(State::Flushing) {
        let _ = (meta.grow(number, 40, ROOM, 0), meta.grow(meta.pending.number, 16, ROOM, 0));
    }
    if let Ok(content) = meta.write(usize::MAX) {
        assert_eq!(Meta::read(&content), Ok(meta));
    }
}

/// Bytes of the first page that more blocks are given in.
const ROOM: usize = 8160;
