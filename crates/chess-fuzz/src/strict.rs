//! A reader of PGN's export format that forgives nothing, as there are among other programs.
//!
//! Takes the board before the moves and a move text; panics unless it consists of move numbers that are right, legal moves
//! as shakmaty writes them, comments, glyphs, variations, and one result at its end, in lines shorter than 80 characters
//! where words allow it, none of which looks like a tag or an escape line.

use chess_core::Board;
use chess_core::text::read_pgn;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position};

/// Panics unless the text is in export format.
pub fn check(start: &Board, text: &str) {
    let first = start.position().expect("a legal start");
    // For each open line the positions before and after its last move, with the number of half-moves.
    type Place = (Chess, u32);
    let mut lines: Vec<(Option<Place>, Place)> = vec![(None, (first, 0))];
    let mut words = text.split_ascii_whitespace();
    let mut result = None;
    let is_long = |word: &str| word.len() > 12 || word.starts_with(['[', '%', ';']);
    assert!(text.lines().all(|line| line.len() < 80 || line.split(' ').any(is_long)), "{text}");
    assert!(
        !text
            .lines()
            .any(|line| line.starts_with(['%', ';']) || line.is_empty() || read_pgn::opens_tag(line.as_bytes())),
        "{text}"
    );
    while let Some(word) = words.next() {
        assert_eq!(result, None, "{text}");
        let (before, now) = lines.last_mut().expect("the main line");
        match word {
            "{" => {
                let is_end = |word: &str| {
                    assert!(!word.contains('{') && (word == "}" || !word.contains('}')), "{text}");
                    word == "}"
                };
                assert!(words.any(is_end), "{text}");
            }
            "(" => {
                let from = before.clone().unwrap_or_else(|| panic!("nothing to replace: {text}"));
                lines.push((None, from));
            }
            ")" => {
                let (moved, _) = lines.pop().expect("a variation");
                assert!(moved.is_some() && !lines.is_empty(), "{text}");
            }
            "1-0" | "0-1" | "1/2-1/2" | "*" => result = Some(word),
            glyph if glyph.starts_with('$') => assert!(glyph[1..].parse::<u32>().is_ok(), "{text}"),
            "--" => {
                let passed = now.0.clone().swap_turn().unwrap_or_else(|_| panic!("-- in check: {text}"));
                let plies = now.1 + 1;
                *before = Some(std::mem::replace(now, (passed, plies)));
            }
            number if number.ends_with('.') => {
                let dots = if now.0.turn().is_white() { "." } else { "..." };
                let expected = start.fullmove_number + (u32::from(start.turn) + now.1) / 2;
                assert_eq!(number, format!("{expected}{dots}"), "{text}");
            }
            san => {
                let played = san.parse::<SanPlus>().ok().and_then(|read| read.san.to_move(&now.0).ok());
                let played = played.unwrap_or_else(|| panic!("{san}: {text}"));
                assert_eq!(SanPlus::from_move(now.0.clone(), played).to_string(), san, "{text}");
                let (mut after, plies) = (now.0.clone(), now.1 + 1);
                after.play_unchecked(played);
                *before = Some(std::mem::replace(now, (after, plies)));
            }
        }
    }
    assert!(result.is_some() && lines.len() == 1, "{text}");
}
