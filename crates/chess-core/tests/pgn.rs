//! A PGN text always yields each of its games, in order: broken ones with errors, the others intact.

use chess_core::game::start::GameStart;
use chess_core::text::tree::Tree;
use chess_core::text::{annotated, movetext, read_pgn, write_pgn};

use crate::common::{Rng, effort, grows_linearly, is_linear, random_game};

/// Moves that cannot be read, none with a result before the end.
const BROKEN: &[&str] = &[
    "1. e4 e5 2. Ke3 *",
    "1. e4 hello 1-0",
    "1. e4 {this comment stays open",
    "1. e4 e5 (2. d4 {both stay open",
    "1. e4 (1. d4 d5 *",
    "1. e4 e5 ((((",
    "1. e4 -- 2. d4 0-1",
    "1. Nf3 d5 2. d4 e6 3. Nd2 *",
    "{",
    "(",
    "1. e4 e9 *",
    "1. e4 <",
    "1. e4 [ e5",
    "1. é4 *",
];

/// Tags with which no game can be read.
const BROKEN_TAGS: &[&str] = &[
    "[White]",
    "[White \"a [b]",
    "[",
    "[FEN \"8/8/8/8 w\"]",
    "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]",
    "[Variant \"Crazyhouse\"]",
];

#[test]
fn each_of_many_games_comes_out() {
    let mut rng = Rng(41);
    for _ in 0..effort(400, 15) {
        let newline = if rng.one_in(4) { "\r\n" } else { "\n" };
        let mut text =
            String::from(rng.word(&["", "\u{feff}", "\n\n", "% an escape line\n", "{ a comment }\n", "; a line\n"]));
        let mut expected = Vec::new();
        let count = 1 + rng.below(30);
        for number in 1..=count {
            let offset = text.len();
            text.push_str(&format!("[Event \"{number}\"]{newline}"));
            let mut broken = false;
            if rng.one_in(8) {
                text.push_str(rng.word(BROKEN_TAGS));
                text.push_str(newline);
                broken = true;
            }
            let game = random_game(&mut rng, 60);
            let game = game.view().first_moves(u32::MAX).unwrap();
            let written = movetext::write(game.view()).unwrap();
            // the body's own start tag becomes one of the tags
            let (tag, moves) = match written.split_once("] ") {
                Some((tag, moves)) => (format!("{tag}]{newline}"), moves.to_string()),
                None if written.ends_with(']') => (format!("{written}{newline}"), String::new()),
                None => (String::new(), written),
            };
            if !broken {
                text.push_str(&tag);
            }
            text.push_str(newline);
            if rng.one_in(3) {
                text.push_str(newline);
            }
            if rng.one_in(4) {
                broken = true;
                text.push_str(if tag.is_empty() { rng.word(BROKEN) } else { "(" });
            } else {
                text.push_str(&moves.replace(' ', rng.word(&[" ", newline, " {[%clk 0:01:02] [Event \"no\"]} "])));
                text.push_str(rng.word(&["", " *", " 1-0", " {the end} 0-1", " $1 1/2-1/2", " (1. e4 *) *"]));
            }
            text.push_str(newline);
            text.push_str(newline);
            if rng.one_in(5) {
                text.push_str(newline);
            }
            expected.push((offset, (!broken).then_some(game)));
        }
        let read: Vec<_> = read_pgn::games(&text).collect();
        assert_eq!(read.len(), count, "{text}");
        for (i, (found, (offset, game))) in read.iter().zip(&expected).enumerate() {
            assert_eq!(found.number as usize, i + 1);
            assert_eq!(found.tags.first().map(|(_, value)| value.to_string()), Some((i + 1).to_string()), "{text}");
            let opens = text[found.offset..].find("[Event").unwrap() + found.offset;
            assert!(opens == *offset || (i == 0 && opens >= *offset), "{i} {text}");
            assert_eq!(found.line as usize, 1 + text[..found.offset].matches('\n').count());
            match game {
                None => assert!(found.game.is_err(), "game {} of\n{text}", i + 1),
                Some(game) => match &found.game {
                    Ok(read) => {
                        assert_eq!(read.view().first_moves(u32::MAX).unwrap(), *game, "game {} of\n{text}", i + 1)
                    }
                    Err(error) => panic!("game {}: {error}\n{text}", i + 1),
                },
            }
        }
    }
}

/// Every text is read to its end; the parts are in order and do not overlap.
#[test]
fn any_text_comes_to_its_end() {
    let mut rng = Rng(42);
    let pieces = [
        "[Event \"1\"]",
        "[White \"",
        "\"]",
        "[",
        "]",
        "\n",
        "\n\n",
        "\r\n",
        "1. e4",
        " e5",
        " *",
        " 1-0",
        "{",
        "}",
        "(",
        ")",
        ";",
        "%",
        "$",
        "é",
        " ",
        "\\",
        "\"",
        "Event",
        "[FEN \"8/8\"]",
    ];
    for _ in 0..effort(200_000, 5_000) {
        let text: String = (0..rng.below(30)).map(|_| *rng.pick(&pieces)).collect();
        let mut end = 0;
        for game in read_pgn::games(&text) {
            assert!(game.offset >= end && !game.text.is_empty(), "{text:?}");
            assert_eq!(&text[game.offset..game.offset + game.text.len()], game.text);
            end = game.offset + game.text.len();
        }
    }
}

/// Long and adversarial texts take linear time.
#[test]
fn no_text_takes_long() {
    let size = effort(2_000_000, 200_000);
    for piece in [
        "{",
        "(",
        "[",
        "[A \"\"]",
        "[A \"\"]\n\n",
        "1. e4 *\n",
        "[A \"\n",
        "\n\n[",
        "{\n\n[A \"\"]",
        "% \n",
        ";\n",
        "\\\"",
        "[A \"\\",
    ] {
        let text = piece.repeat(size / piece.len());
        is_linear(piece, size, || assert!(read_pgn::games(&text).count() <= size));
    }
}

/// The reader looks at each byte a bounded number of times, whatever is repeated, on one line or on many.
#[test]
fn no_repetition_takes_long() {
    const WORDS: &[&str] = &[
        "1. ",
        "e4 ",
        "Nf3 ",
        "* ",
        "1-0 ",
        "1:0 ",
        "+- ",
        "=",
        "(",
        ") ",
        "{",
        "} ",
        "{a} ",
        ";",
        "$1 ",
        "%",
        "[",
        "]",
        "\"",
        "[A \"b\"] ",
        "[Event \"x\"]",
        "[White \"x\"]",
        "[Result \"1-0\"]",
        "White: x",
        "\n",
        "\n\n",
        "\r",
        " ",
        "\t",
        "won ",
        "on time ",
        "12 ",
        "7 ",
        "0-0 ",
        "--",
        "!?",
        "\u{fffd}",
        "é",
        ".",
        "<",
        ">",
        "Kd9 ",
        "5254 ",
        "Sf3 ",
        "\\",
        "#",
    ];
    let mut rng = Rng(43);
    for _ in 0..effort(1_000, 60) {
        let piece: String = (0..1 + rng.below(6)).map(|_| rng.word(WORDS)).collect();
        grows_linearly(&piece, |text| {
            for game in read_pgn::games(text) {
                drop(game.tree());
            }
        });
    }
}

/// A text of this size after a tag once took quadratic time: minutes.
#[test]
fn what_stands_between_tags_is_read_once() {
    let many = |n: usize| (0..n).map(|i| format!("[A{i} \"b\"]\n\n")).collect::<String>();
    for filler in [" ".repeat(4_000_000), "\n%".repeat(2_000_000), many(100_000)] {
        let text = format!("[White \"a\"]{filler}\n1. e4 *");
        is_linear(&filler[..2], text.len(), || {
            let plies: Vec<_> =
                read_pgn::games(&text).map(|found| found.game.ok().map(|game| game.view().ply_count())).collect();
            assert_eq!(plies, [Some(1)]);
        });
    }
}

/// Annotated text once took quadratic time, too.
#[test]
fn no_annotation_takes_long() {
    let start = GameStart::standard();
    let long = [
        format!("1. e4 {} {}", "(1. d4 ".repeat(100_000), ")".repeat(100_000)),
        format!("1. e4 {{{}}} e5", "word ".repeat(1_000_000)),
        "(".repeat(1_000_000),
        ")".repeat(1_000_000),
        format!("1. e4 {}", "(1. d4 {x} $1) ".repeat(20_000)),
        format!("1. e4 {}", "{x} ".repeat(200_000)),
        format!("1. e4 {}", "(-- ".repeat(100_000)),
    ];
    for text in long {
        is_linear(&text[..16], text.len(), || {
            assert!(!annotated::stream(start, &text).is_empty());
            annotated::notes(start, &text);
        });
        is_linear("tree", text.len(), || {
            let tree = Tree::read(start, false, &text);
            assert!(write_pgn::write_annotated(tree.game.view(), &[], &text).unwrap().is_some());
        });
    }
}
