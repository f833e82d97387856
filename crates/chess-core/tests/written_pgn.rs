//! Games written as PGN one after another read back as exactly these games, whatever their tags and comments contain:
//! control characters, line separators, quotes, backslashes, tags and moves of other games.

use chess_core::Game;
use chess_core::game::start::GameStart;
use chess_core::text::tree::Tree;
use chess_core::text::{movetext, read_pgn, write_pgn};

use crate::common::{Rng, effort, random_game};

/// Text that a reader may take for the end of a line, a value, a comment or a game.
const NASTY: &[&str] = &[
    "\"",
    "\\",
    "\\\"",
    "\"]",
    "\"] ",
    "]",
    "[",
    "{",
    "(",
    ")",
    ";",
    "%",
    " ",
    "\u{2028}",
    "\u{2029}",
    "\u{feff}",
    "\u{a0}",
    "é",
    "x",
    "\r[Event \"forged\"]\r\r1. d4 *\r\r",
    "\"]\r\n\r\n1. d4 1-0\r\n\r\n[White \"forged",
    "\u{85}[Event \"forged\"]\u{85}\u{85}1. d4 *\u{85}",
    "[Event \"forged\"]",
    "1. d4 *",
    "1-0",
];

/// Random text of these and of control characters, without the characters in `without`.
fn nasty(rng: &mut Rng, without: &[char]) -> String {
    let mut text = String::new();
    for _ in 0..rng.below(6) {
        match rng.below(2) {
            0 => text.push_str(rng.word(NASTY)),
            _ => text.extend(char::from_u32(control(rng))),
        }
    }
    text.retain(|found| !without.contains(&found));
    text
}

/// U+0000 to U+001F, or U+007F to U+009F.
fn control(rng: &mut Rng) -> u32 {
    match rng.below(65) as u32 {
        low @ 0..32 => low,
        high => high - 32 + 0x7f,
    }
}

fn blanked(value: &str) -> String {
    value.replace(|found: char| found.is_control(), " ")
}

#[test]
fn tags_forge_no_games() {
    let mut rng = Rng(71);
    for _ in 0..effort(4_000, 300) {
        let (mut text, mut expected) = (String::new(), Vec::new());
        for _ in 0..1 + rng.below(4) {
            let game = random_game(&mut rng, 10);
            let names = ["Event", "Site", "Date", "Round", "White", "Black", "Annotator", "X_1"];
            let tags: Vec<(&str, String)> = names.into_iter().map(|name| (name, nasty(&mut rng, &[]))).collect();
            let written: Vec<(&str, &str)> = tags.iter().map(|(name, value)| (*name, value.as_str())).collect();
            text.push_str(&write_pgn::write(game.view(), &written).unwrap());
            text.push('\n');
            expected.push((tags, game));
        }
        let read: Vec<_> = read_pgn::games(&text).collect();
        assert_eq!(read.len(), expected.len(), "{text:?}");
        for (read, (tags, game)) in read.iter().zip(&expected) {
            assert_eq!(read.game.as_ref(), Ok(game), "{text:?}");
            for (name, value) in tags {
                let found: Vec<&str> = read.tags.iter().filter(|(n, _)| n == name).map(|(_, v)| v.as_ref()).collect();
                assert_eq!(found, [blanked(value)], "{text:?}");
            }
        }
    }
}

/// The moves of a game with comments between them, which contain anything that does not end a comment.
fn annotated(rng: &mut Rng, game: &Game) -> String {
    let moves = movetext::write(game.view()).unwrap();
    let moves = moves.rsplit(']').next().unwrap().trim();
    let mut text = String::from(rng.word(&["", "\u{feff}"]));
    for word in moves.split(' ') {
        text.extend([word, " "]);
        match rng.below(4) {
            0 => text.extend([
                "{",
                &nasty(rng, &['}']),
                rng.word(&["", "", "", "\n\u{feff}", "\n\n[Event \"forged\"]\n\n1. d4 *"]),
                "}",
            ]),
            1 => text.extend([";", &nasty(rng, &['\n', '\r']), "\n"]),
            _ => continue,
        }
        text.push(' ');
    }
    text
}

#[test]
fn comments_forge_no_games() {
    let mut rng = Rng(72);
    let mut commented = 0;
    for _ in 0..effort(4_000, 300) {
        let (mut text, mut expected) = (String::new(), Vec::new());
        for _ in 0..1 + rng.below(4) {
            let start = rng.one_in(2);
            let game = std::iter::repeat_with(|| random_game(&mut rng, 10))
                .find(|game| !game.view().is_chess960() && (start || !game.view().has_custom_start()))
                .unwrap();
            let notes = annotated(&mut rng, &game);
            let Some(written) = write_pgn::write_annotated(game.view(), &[], &notes).unwrap() else {
                // A mark before a move number of ten digits is no move number.
                assert!(notes.starts_with('\u{feff}'), "{notes:?}");
                continue;
            };
            text.extend([&written, "\n"]);
            expected.push((notes, game));
        }
        let read: Vec<_> = read_pgn::games(&text).collect();
        assert_eq!(read.len(), expected.len(), "{text:?}");
        for (read, (notes, game)) in read.iter().zip(&expected) {
            assert_eq!(read.game.as_ref().unwrap().view().moves(), game.view().moves(), "{text:?}");
            assert_eq!(read.tags.iter().filter(|(name, _)| *name == "Event").count(), 1, "{text:?}");
            let start = GameStart::new(&game.view().start_board().unwrap()).unwrap();
            let found = words(&Tree::read(&start, false, read.annotated.as_deref().unwrap_or(read.movetext)));
            assert_eq!(found, words(&Tree::read(&start, false, notes)), "{text:?} of {notes:?}");
            commented += usize::from(!found.concat().is_empty());
        }
    }
    assert!(commented > 100, "{commented}");
}

/// The words of the comments of each half-move, in characters that a comment can have.
fn words(tree: &Tree<'_>) -> Vec<String> {
    let plain = |found: char| match found {
        '{' => '(',
        '}' => ')',
        '\u{2028}' | '\u{2029}' | '\u{feff}' => ' ',
        found if found.is_control() => ' ',
        found => found,
    };
    let comment = |texts: &[&str]| texts.join(" ").chars().map(plain).collect::<String>();
    let words =
        |texts: &[&str]| comment(texts).split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    tree.nodes.iter().map(|node| [words(&node.before), words(&node.after)].join("|")).collect()
}
