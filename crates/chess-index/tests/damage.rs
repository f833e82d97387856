//! Proves that no input makes a reader panic, loop or use much memory, and that a check detects a change of any byte.

use crate::common::games::{Rng, effort};
use crate::common::{Built, ROOMS, Table, build, keys_of, questions, rows, seal, shape, with_sums};
use chess_core::Game;
use chess_core::search::pattern::Pattern;
use chess_index::block::Block;
use chess_index::check::{check, is_found};
use chess_index::common::CommonGames;
use chess_index::fault::Fault;
use chess_index::key::Question;
use chess_index::mask::mark_dead;
use chess_index::members::Members;
use chess_index::merge::merge;
use chess_index::page::is_sealed;
use chess_index::ranking::RankedGames;
use chess_index::rows::Row;
use chess_index::segment::Segment;
use chess_index::select::{Selection, Sought};
use chess_index::summed::Ranking;

/// Calls every reader and ignores the answers.
fn read_all(pages: &[Vec<u8>], segment: &Segment, rows: &[(Row, Option<Game>)], questions: &[Question]) {
    let last = segment.pages - 1;
    let _ = check(pages, segment.number, last);
    let Ok(opened) = Segment::open(pages, segment.number, last) else { return };
    for question in questions {
        if let Ok(games) = opened.games(pages, question) {
            assert!(games.is_sorted() && games.iter().all(|game| *game < opened.games));
            let _ = opened.rows(pages, &games, |_, _| ());
        }
        let _ = opened.sums(pages, question.exact[0]);
        if let Ok(lists) = opened.lists(pages, question) {
            for list in &lists {
                let Ok(mut members) = Members::of(list, pages, &opened) else { continue };
                let is_sound = |block: &Block| assert!(block.games.iter().all(|game| *game < opened.games));
                let _ = members.decode(pages, &opened, &[opened.games / 2, opened.games.saturating_sub(1)], is_sound);
                let _ = members.decode_rest(pages, &opened, is_sound);
            }
            let mut common = CommonGames::new(vec![lists]);
            let mut least = 0;
            while let Ok(Some(game)) = common.next(pages, &opened) {
                assert!((least..opened.games).contains(&game));
                least = game + 1;
            }
        }
    }
    let tree = Pattern::read("flip(Nd5 or KRP*vKR or Pe4 pe5)").unwrap().key_tree();
    let sought = Sought { tree: &tree, certainty: None };
    if let Ok(Some(mut selection)) = Selection::new(pages, &opened, &[sought], None) {
        let mut games = Vec::new();
        while selection.next(pages, &opened, &mut games).is_ok_and(|more| more) {
            assert!(games.is_sorted() && games.iter().all(|game| *game < opened.games));
        }
    }
    for ranking in Ranking::ALL {
        let Some(mut walk) = RankedGames::new(&opened, ranking) else { continue };
        let mut games = Vec::new();
        while walk.next(pages, &opened, &mut games).is_ok_and(|more| more) {
            assert!(games.iter().all(|game| *game < opened.games));
        }
    }
    let _ = opened.each_row(pages, |_, _| ());
    let _ = is_found(pages, &opened, 3, &keys_of(&rows[3].1));
    let mut out = Vec::new();
    if let Ok(merged) = merge(&[(&opened, pages), (&opened, pages)], with_sums(shape(ROOMS[0], segment.rich)), &mut out)
    {
        assert!(merged.games <= 2 * opened.games);
    }
    for number in opened.mask_pages().take(3) {
        if let Some(page) = pages.get(number as usize) {
            let _ = mark_dead(&mut page.clone(), &[0, 5, 70_000, u32::MAX]);
        }
    }
}

fn sample(rich: bool, count: usize) -> (Built, Table, Vec<Question>) {
    let rows = rows(60, count);
    let built = build(with_sums(shape(ROOMS[0], rich)), 0, &rows);
    built.check();
    let questions = questions(&mut Rng(61), &rows, 6).into_iter().map(|asked| asked.3).collect();
    (built, rows, questions)
}

#[test]
fn a_check_finds_a_change_of_any_byte() {
    let (built, _, _) = sample(false, effort(400, 60));
    let Built { segment, mut pages } = built;
    let last = segment.pages - 1;
    let step = effort(1, 37);
    for page in 0..pages.len() {
        for at in (0..pages[page].len()).step_by(step) {
            let bit = 1 << ((at + page) % 8);
            pages[page][at] ^= bit;
            assert!(!is_sealed(&pages[page]));
            // The full check begins with the checksums of all pages, so it runs only on a sample.
            if at % 64 == 0 || at < 16 {
                assert!(check(&pages[..], segment.number, last).is_err(), "byte {at} of page {page}");
            }
            pages[page][at] ^= bit;
        }
        for len in [0, 3, 15, 16, 17, pages[page].len() - 1] {
            let whole = pages[page].clone();
            pages[page].truncate(len);
            assert!(check(&pages[..], segment.number, last).is_err(), "{len} bytes of page {page}");
            pages[page] = whole;
        }
    }
    assert_eq!(check(&pages[..], segment.number, last), Ok(segment));
}

#[test]
fn no_reader_falls_over_damaged_bytes() {
    for rich in [false, true] {
        let (built, rows, questions) = sample(rich, effort(120, 40));
        let Built { segment, mut pages } = built;
        let mut rng = Rng(62);
        for page in 0..pages.len() {
            for at in 0..pages[page].len() {
                // Heads and section counts are damaged most often, the rest by samples.
                if at > 80 && !rng.one_in(effort(200, 800)) || !rng.one_in(effort(1, 8)) {
                    continue;
                }
                let whole = pages[page].clone();
                pages[page][at] =
                    *rng.pick(&[0, 1, 0x7f, 0x80, 0xff, whole[at] ^ 1, whole[at] ^ 0x10, whole[at].wrapping_add(1)]);
                read_all(&pages, &segment, &rows, &questions);
                seal(&mut pages[page]);
                read_all(&pages, &segment, &rows, &questions);
                pages[page] = whole;
            }
        }
    }
}

#[test]
fn no_reader_falls_over_exchanged_or_random_pages() {
    let (built, rows, questions) = sample(true, 60);
    assert!(built.segment.sums.is_some() && built.segment.rankings.is_some());
    let Built { segment, pages } = built;
    let mut rng = Rng(63);
    for _ in 0..effort(3000, 60) {
        let mut damaged = pages.clone();
        for _ in 0..=rng.below(3) {
            let page = rng.below(pages.len());
            match rng.below(4) {
                // Another page under this number, with a matching head.
                0 => {
                    damaged[page] = pages[rng.below(pages.len())].clone();
                    damaged[page][8..12].copy_from_slice(&(page as u32).to_le_bytes());
                }
                1 => {
                    let len = rng.below(damaged[page].len() + 1);
                    damaged[page].truncate(len);
                }
                2 => {
                    let from = rng.below(damaged[page].len().max(1));
                    damaged[page].iter_mut().skip(from).take(40).for_each(|byte| *byte = rng.next() as u8);
                }
                _ => damaged[page].extend((0..rng.below(50)).map(|n| n as u8)),
            }
            seal(&mut damaged[page]);
        }
        read_all(&damaged, &segment, &rows, &questions);
    }
}

#[test]
fn a_page_of_another_segment_is_told_from_damage() {
    let (built, _, questions) = sample(false, 60);
    let Built { segment, mut pages } = built;
    let leaf = pages.iter().position(|page| page[12] == 3).unwrap();
    pages[leaf][4] ^= 0xff;
    seal(&mut pages[leaf]);
    let mut replaced = 0;
    for question in &questions {
        match segment.games(&pages[..], question) {
            Err(Fault::Replaced { page }) => {
                assert_eq!(page as usize, leaf);
                replaced += 1;
            }
            other => assert!(other.is_ok()),
        }
    }
    assert!(replaced > 0);
    assert_eq!(check(&pages[..], segment.number, segment.pages - 1), Err(Fault::Replaced { page: leaf as u32 }));
}

/// Faults that checksums miss: pages without a reference, or with two.
#[test]
fn a_check_finds_sealed_pages_in_the_wrong_place() {
    let (built, _, _) = sample(false, 300);
    let Built { segment, pages } = built;
    let last = segment.pages - 1;
    let kind = |page: &Vec<u8>| page[12];
    let mut tried = 0;
    for page in 0..pages.len() {
        for other in (0..pages.len()).filter(|other| *other != page && kind(&pages[*other]) == kind(&pages[page])) {
            let mut wrong = pages.clone();
            wrong[page] = pages[other].clone();
            wrong[page][8..12].copy_from_slice(&(page as u32).to_le_bytes());
            seal(&mut wrong[page]);
            assert!(check(&wrong[..], segment.number, last).is_err(), "page {other} in place of {page}");
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
    // A directory entry greater than the first key of its leaf: a search for that key would find nothing.
    let kind_of =
        |number: &[u8]| pages[u32::from_le_bytes([number[0], number[1], number[2], number[3] & 15]) as usize][12];
    let directory =
        pages.iter().position(|page| page[12] == 2 && page.len() >= 32 && kind_of(&page[24..28]) == 3).unwrap();
    let mut wrong = pages.clone();
    let entry = u64::from_le_bytes(wrong[directory][24..32].try_into().unwrap()) + (1 << 28);
    wrong[directory][24..32].copy_from_slice(&entry.to_le_bytes());
    seal(&mut wrong[directory]);
    let what = "a leaf does not begin with the key that leads to it";
    assert!(
        matches!(check(&wrong[..], segment.number, last), Err(Fault::Damaged { what: found, .. }) if found == what)
    );
    // A page between the others without a reference; the last page counts it.
    let mut more = pages.clone();
    let mut header = more.pop().unwrap();
    let mut spare = pages[0].clone();
    spare[8..12].copy_from_slice(&last.to_le_bytes());
    seal(&mut spare);
    header[8..12].copy_from_slice(&(last + 1).to_le_bytes());
    header[20..24].copy_from_slice(&(last + 2).to_le_bytes());
    seal(&mut header);
    more.extend([spare, header]);
    assert_eq!(
        check(&more[..], segment.number, last + 1),
        Err(Fault::Damaged { page: last, what: "it belongs to nothing" })
    );
}
