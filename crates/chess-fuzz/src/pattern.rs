//! Properties of every text that may be a pattern, and of its matches in any game.

use chess_core::search::pattern::{Pattern, SquareSet, pattern_keys};
use chess_core::text::movetext;
use chess_core::{Board, Game};

/// Input: a text that may be a pattern or a set of squares.
pub fn pattern(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let _ = read(&text);
    match SquareSet::read(&text) {
        Ok(mut set) => {
            set.of(&Board::default());
        }
        Err(error) => assert!(error.at <= text.chars().count() + 1, "{error}"),
    }
}

/// Input: a pattern, a line feed or byte 0, and the moves of a game.
pub fn pattern_in_game(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Some((text, moves)) = text.split_once(['\0', '\n']) else { return };
    if let Some(pattern) = read(text)
        && let Ok(game) = movetext::read(moves)
    {
        find(&pattern, &game);
    }
}

/// Parses a pattern; its canonical text must parse to the same pattern.
fn read(text: &str) -> Option<Pattern> {
    match Pattern::read(text) {
        Ok(pattern) => {
            let again = Pattern::read(pattern.as_str()).unwrap_or_else(|error| panic!("{pattern}: {error}"));
            assert_eq!(again.as_str(), pattern.as_str(), "{text}");
            assert_eq!(again.needs_game(), pattern.needs_game(), "{pattern}");
            Some(again)
        }
        Err(error) => {
            assert!(error.at <= text.chars().count() + 1, "{error}");
            assert!(error.excerpt.ends_with('^'), "{error}");
            None
        }
    }
}

/// All ways to search return the same matches, a single board matches as it does in the game, and index keys miss no
/// match.
fn find(pattern: &Pattern, game: &Game) {
    let mut matcher = pattern.matcher();
    let mut ends = Vec::new();
    let visit = |first, last| {
        assert!(first <= last && ends.last().is_none_or(|end| *end < last), "{pattern}");
        ends.push(last);
        false
    };
    matcher.each(game.view(), visit).expect("a sound game");
    for mut matcher in [matcher.clone(), pattern.matcher().surveying(false), pattern.matcher().surveying(true)] {
        let mut first = |limit: u32| matcher.find(game.view(), limit).expect("a sound game");
        assert_eq!(first(u32::MAX), ends.first().copied(), "{pattern}");
        let limit = game.view().ply_count() / 2;
        assert_eq!(first(limit), ends.first().copied().filter(|end| *end <= limit), "{pattern} until {limit}");
        let mut also = Vec::new();
        matcher
            .each(game.view(), |_, last| {
                also.push(last);
                false
            })
            .expect("a sound game");
        assert_eq!(also, ends, "{pattern}");
    }
    let mut keys = Vec::new();
    pattern_keys(game.view(), &mut keys).expect("a sound game");
    assert!(ends.is_empty() || pattern.key_tree().may_match_game(&keys), "{pattern}");
    if !pattern.needs_game() {
        for ply in 0..=game.view().ply_count().min(40) {
            let board = game.view().board_at(ply).expect("a sound game").expect("not beyond its end");
            assert_eq!(matcher.is_on(&board), Ok(ends.contains(&ply)), "{pattern} at {ply}");
        }
    }
}
