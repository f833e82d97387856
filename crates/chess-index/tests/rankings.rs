//! Proves that rankings have all games of a segment, highest first, and that a check finds any other order.

use crate::common::games::{Rng, effort};
use crate::common::{Built, ROOMS, Table, build, merged, row, rows, seal, shape, values_in, with_sums};
use chess_index::build::Builder;
use chess_index::check::check;
use chess_index::fault::Fault;
use chess_index::ranking::RankedGames;
use chess_index::segment::Segment;
use chess_index::summed::Ranking;
use chess_index::writer::Shape;

/// The sum of both ratings; the day.
fn numbers_of(values: &[Option<i32>]) -> [i64; 2] {
    [
        i64::from(values[0].unwrap_or(0)) + i64::from(values[1].unwrap_or(0)),
        values[3].map_or(i32::MIN.into(), i64::from),
    ]
}

/// Walks over a ranking: each game comes once, games of a portion are in order, and none exceeds what was announced.
fn compare(pages: &[Vec<u8>], segment: &Segment, numbers: &[[i64; 2]]) -> usize {
    assert_eq!(check(pages, segment.number, segment.pages - 1), Ok(*segment));
    let mut portions = 0;
    for (nth, ranking) in Ranking::ALL.into_iter().enumerate() {
        let mut walk = RankedGames::new(segment, ranking).unwrap();
        let (mut games, mut all, mut most) = (Vec::new(), Vec::new(), i64::MAX);
        while let Some(announced) = walk.next_number(pages, segment).unwrap() {
            assert!(announced <= most);
            most = announced;
            assert!(walk.next(pages, segment, &mut games).unwrap());
            let of = |game: &u32| numbers[*game as usize][nth];
            assert_eq!(of(&games[0]), announced);
            assert!(games.is_sorted_by_key(|game| (std::cmp::Reverse(of(game)), *game)));
            all.append(&mut games);
            portions += 1;
        }
        assert!(!walk.next(pages, segment, &mut games).unwrap() && games.is_empty());
        all.sort_unstable();
        assert_eq!(all, (0..segment.games).collect::<Vec<u32>>());
    }
    portions
}

/// A segment of rows without games, whose attributes are random: some are equal, some NULL, some extreme.
fn of_values(shape: Shape, count: usize, seed: u64) -> (Vec<Vec<u8>>, Segment, Vec<[i64; 2]>) {
    let mut rng = Rng(seed);
    let (mut builder, mut pages, mut numbers) = (Builder::new(shape, 0, Vec::new()), Vec::new(), Vec::new());
    for nth in 0..count {
        let mut value = |most: usize| match rng.below(40) {
            0 => Some(*rng.pick(&[i32::MIN, i32::MAX, -1, 0])),
            1..4 => None,
            _ => Some(rng.below(most) as i32),
        };
        let values = [value(3000), value(3000), value(4), value(8000), value(9)];
        numbers.push(numbers_of(&values));
        builder.add(row(nth), None, &values[..shape.columns.into()], &mut pages).unwrap();
    }
    let segment = builder.finish(&mut pages).unwrap();
    (pages, segment, numbers)
}

#[test]
fn rankings_have_all_games_highest_first() {
    for (room, count) in
        [(ROOMS[0], 1), (ROOMS[0], 5000), (ROOMS[1], 262_143), (ROOMS[0], 262_144), (ROOMS[1], 300_000)]
    {
        let (pages, segment, numbers) = of_values(with_sums(shape(room, false)), count, 80);
        let portions = compare(&pages, &segment, &numbers);
        // A stretch has five portions in its first page and one in each other page, which holds 2,704 or 416 games.
        let of_stretch = |games: usize| games.div_ceil(if room == ROOMS[1] { 2704 } else { 416 }) + 4;
        let wanted =
            2 * (0..count).step_by(1 << 18).map(|first| of_stretch((count - first).min(1 << 18))).sum::<usize>();
        assert!(portions == wanted || count < 2000, "{portions}");
    }
    let rows = rows(81, effort(2000, 600));
    let built = build(with_sums(shape(ROOMS[0], true)), 0, &rows);
    let numbers: Vec<_> = rows.iter().map(|(row, _)| numbers_of(&values_in(5, *row))).collect();
    compare(&built.pages, &built.segment, &numbers);
}

#[test]
fn some_segments_have_no_rankings() {
    let all = with_sums(shape(ROOMS[1], false));
    let has_some = |shape, count| of_values(shape, count, 82).1.rankings.is_some();
    assert!(has_some(Shape { columns: 4, ..all }, 300) && has_some(Shape { sums: 300, ..all }, 300));
    assert!(has_some(Shape { sums: 1 << 20, ..all }, 262_144));
    for shape in
        [Shape { sums: 0, ..all }, Shape { sums: 301, ..all }, Shape { columns: 3, ..all }, Shape { columns: 0, ..all }]
    {
        assert!(!has_some(shape, 300), "{shape:?}");
        assert!(RankedGames::new(&of_values(shape, 300, 82).1, Ranking::Day).is_none());
    }
    assert!(!has_some(all, 0));
}

#[test]
fn merges_make_the_rankings_of_a_build() {
    let rows = rows(83, 900);
    let shape = with_sums(shape(ROOMS[0], true));
    let (merged, built, living) = merged(&rows, shape, 5);
    assert_eq!((merged.segment, &merged.pages), (built.segment, &built.pages));
    let numbers: Vec<_> = living.iter().map(|(row, _)| numbers_of(&values_in(5, *row))).collect();
    compare(&merged.pages, &merged.segment, &numbers);
}

/// A check ranks the games itself, so that it finds a wrong order under a right checksum.
#[test]
fn a_check_finds_wrong_rankings() {
    let rows: Table = rows(84, 300).into_iter().enumerate().map(|(nth, (_, game))| (row(nth), game)).collect();
    let Built { segment, mut pages } = build(with_sums(shape(ROOMS[1], false)), 0, &rows);
    let mut wrong = 0;
    for page in 0..pages.len() {
        if !(11..=12).contains(&pages[page][12]) {
            continue;
        }
        for at in 16..pages[page].len() {
            pages[page][at] ^= 1;
            seal(&mut pages[page]);
            let checked = check(&pages[..], segment.number, segment.pages - 1);
            assert!(matches!(checked, Err(Fault::Damaged { .. } | Fault::Pages(_))), "byte {at} of page {page}");
            wrong += 1;
            pages[page][at] ^= 1;
        }
        seal(&mut pages[page]);
    }
    assert!(wrong > 1200, "{wrong}");
    // The check also finds a portion that the catalog names twice, and one that it lacks.
    let catalog = pages.iter().position(|page| page[12] == 12).unwrap();
    let entry = |nth: usize| 16 + 16 * nth..32 + 16 * nth;
    let mut other = pages.clone();
    let copy = other[catalog][entry(1)].to_vec();
    other[catalog][entry(0)].copy_from_slice(&copy);
    seal(&mut other[catalog]);
    assert!(check(&other[..], segment.number, segment.pages - 1).is_err());
    let mut other = pages.clone();
    let len = other[catalog].len() - 16;
    other[catalog].truncate(len);
    seal(&mut other[catalog]);
    assert!(check(&other[..], segment.number, segment.pages - 1).is_err());
    assert_eq!(check(&pages[..], segment.number, segment.pages - 1), Ok(segment));
}
