//! Proves that pending rows survive a round trip, that a search of them is exact, and that damage is an error.

use crate::common::games::{Rng, STANDARD, Style, effort, pack, play};
use crate::common::{ROOMS, Table, replayed, rows, values_of};
use chess_core::Game;
use chess_core::search::finder::{Finder, Matching};
use chess_index::attributes::Value;
use chess_index::fault::Broken;
use chess_index::page::{Page, is_sealed};
use chess_index::pending::{RowReader, RowWriter, is_match, new_page};
use chess_index::rows::Row;

fn write(rows: &[(Row, Option<Game>)], room: usize) -> Vec<Vec<u8>> {
    let mut pages = vec![new_page(3, 0)];
    for (row, game) in rows {
        let mut writer = RowWriter::new(*row, &values_of(*row), game.as_ref().map(Game::as_bytes));
        while !writer.write(pages.last_mut().unwrap(), room) {
            pages.push(new_page(3, pages.len() as u32));
        }
    }
    assert!(pages.iter().all(|page| page.len() <= room && is_sealed(page)));
    pages
}

/// Rows with their attributes and packed games.
type Packed = Vec<(Row, [Value; 3], Option<Vec<u8>>)>;

fn read(pages: &[Vec<u8>]) -> Result<Packed, Broken> {
    let (mut reader, mut rows) = (RowReader::new(3), Vec::new());
    for page in pages {
        reader.read(&Page::read(page)?, |row, values, game| {
            rows.push((row, *values.as_array().unwrap(), game.map(<[u8]>::to_vec)))
        })?;
    }
    reader.end()?;
    Ok(rows)
}

fn some_rows(count: usize) -> Table {
    let mut rows = rows(70, count);
    // Longer than a page and than two pieces.
    let plies = effort(40_000, 3000);
    rows[count / 2].1 = Some(pack(&play(&mut Rng(71), STANDARD, plies, Style::Endless)));
    rows
}

#[test]
fn rows_come_back() {
    let rows = some_rows(effort(300, 60));
    let wanted: Packed = rows
        .iter()
        .map(|(row, game)| (*row, values_of(*row), game.as_ref().map(|game| game.as_bytes().to_vec())))
        .collect();
    for room in ROOMS.into_iter().chain([32_736]) {
        let pages = write(&rows, room);
        assert_eq!(read(&pages), Ok(wanted.clone()));
        let bytes: usize = pages.iter().map(Vec::len).sum();
        let games: usize = wanted.iter().map(|(_, _, game)| game.as_ref().map_or(0, Vec::len)).sum();
        assert!(bytes <= games + (8 + 13) * rows.len() + 100 * pages.len(), "{bytes} bytes for {games} of games");
    }
    assert_eq!(read(&[new_page(1, 0)]), Ok(Vec::new()));
}

#[test]
fn a_search_of_pending_games_is_exact() {
    let rows = rows(72, effort(400, 80));
    let pages = write(&rows, ROOMS[1]);
    let mut rng = Rng(73);
    for _ in 0..effort(200, 30) {
        let Some(game) = &rng.pick(&rows).1 else { continue };
        let ply = rng.below(game.view().ply_count() as usize + 1) as u32;
        let board = game.view().board_at(ply).unwrap().unwrap();
        let (matching, limit) = (*rng.pick(&[Matching::Position, Matching::Placement]), *rng.pick(&[ply, u32::MAX]));
        let finder = Finder::new(&board, matching);
        let (mut reader, mut found) = (RowReader::new(3), Vec::new());
        for page in &pages {
            let each = |row, _: &[Value], game: Option<&[u8]>| {
                if is_match(game, &finder, limit).unwrap() {
                    found.push(row);
                }
            };
            reader.read(&Page::read(page).unwrap(), each).unwrap();
        }
        let wanted = replayed(&rows, &board, matching, limit);
        assert_eq!(found, wanted.iter().map(|game| rows[*game as usize].0).collect::<Vec<_>>());
    }
}

#[test]
fn damage_is_an_error_or_other_rows() {
    let rows = some_rows(60);
    let pages = write(&rows, ROOMS[0]);
    let mut rng = Rng(74);
    for _ in 0..effort(20_000, 500) {
        let mut damaged = pages.clone();
        let page = rng.below(pages.len());
        match rng.below(4) {
            0 => drop(damaged.remove(page)),
            1 => damaged.swap(page, pages.len() - 1),
            2 => {
                let len = rng.below(damaged[page].len());
                damaged[page].truncate(len);
            }
            _ => {
                let at = rng.below(damaged[page].len());
                damaged[page][at] ^= 1 << rng.below(8);
                assert!(!is_sealed(&damaged[page]));
            }
        }
        if let Ok(rows) = read(&damaged) {
            let finder = Finder::new(&Default::default(), Matching::Position);
            rows.iter().for_each(|(_, _, game)| drop(is_match(game.as_deref(), &finder, u32::MAX)));
        }
    }
    // The last page of a row is missing.
    let cut = (1..pages.len()).find(|len| read(&pages[..*len]).is_err());
    assert!(cut.is_some());
}
