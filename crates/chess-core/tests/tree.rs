//! Trees of annotated games: written in export format and read again, or spelled in other notations, they are the same; and
//! their main line is what the reader of games reads.

use chess_core::game::start::GameStart;
use chess_core::text::read_pgn::games;
use chess_core::text::tree::{Node, Tree};
use chess_core::text::write_pgn;
use chess_gamegen::Generator;

use crate::common::{Rng, effort};

fn read(text: &str) -> Tree<'_> {
    Tree::read(GameStart::standard(), false, text)
}

/// The moves of a game as it is exported with an annotated text.
fn written(tree: &Tree<'_>, text: &str) -> String {
    let pgn = write_pgn::write_annotated(tree.game.view(), &[], text).unwrap().expect("the text of this game");
    pgn.split_once("\n\n").unwrap().1.to_string()
}

/// Nodes with their comments, whose spaces do not matter. The order of lines that are written elsewhere does not, either.
fn said(tree: &Tree<'_>) -> Vec<String> {
    let words =
        |comments: &[&str]| comments.iter().flat_map(|text| text.split_whitespace()).collect::<Vec<_>>().join(" ");
    let mut lines: Vec<(String, String)> = Vec::new();
    for Node { parent, begins_variation, san, uci, before, glyphs, after, .. } in &tree.nodes {
        let path = lines.get(*parent as usize).map_or("", |(path, _)| path);
        let path = format!("{path}{}{uci} ", if *begins_variation { "~" } else { "" });
        lines.push((path, format!("{san} {:?} {glyphs:?} {:?}", words(before), words(after))));
    }
    let mut lines: Vec<_> = lines.into_iter().map(|(path, said)| format!("{path}: {said}")).collect();
    lines.sort();
    lines
}

/// The move texts of generated games with comments, glyphs and variations.
fn annotated_games() -> Vec<String> {
    let write = |(n, game): (usize, chess_gamegen::Game)| {
        let mut out = String::new();
        game.write_annotated(n as u64, &mut out);
        out.split_once("\n\n").unwrap().1.to_string()
    };
    Generator::new(51).take(effort(400, 40)).enumerate().map(write).collect()
}

#[test]
fn a_tree_is_written_and_read_again() {
    let mut nodes = 0;
    for text in annotated_games() {
        let tree = read(&text);
        assert_eq!(tree.end, None, "{text}");
        nodes += tree.nodes.len();
        let again = written(&tree, &text);
        assert_eq!(said(&read(&again)), said(&tree), "{text}\n{again}");
        assert!(again.lines().all(|line| !line.is_empty() && line.len() < 80), "{again}");
        assert_eq!(written(&tree, &again), again);
    }
    assert!(nodes > effort(20_000, 2_000), "{nodes}");
}

/// Moves in figurines, with German letters, in lower case, as coordinates, with other signs, and blank lines between them.
#[test]
fn a_tree_is_the_same_in_any_notation() {
    let letters = |san: &str, to: &[(char, char)]| -> String {
        san.chars().map(|found| to.iter().find(|(from, _)| *from == found).map_or(found, |(_, to)| *to)).collect()
    };
    for text in annotated_games() {
        let tree = read(&text);
        let text = written(&tree, &text);
        let tree = read(&text);
        let ways: [&dyn Fn(&Node<'_>) -> String; 6] = [
            &|node| letters(&node.san, &[('N', '♘'), ('B', '♗'), ('R', '♖'), ('Q', '♕'), ('K', '♔')]),
            &|node| letters(&node.san, &[('N', '♞'), ('B', '♝'), ('R', '♜'), ('Q', '♛'), ('K', '♚')]),
            &|node| letters(&node.san, &[('N', 'S'), ('B', 'L'), ('R', 'T'), ('Q', 'D')]),
            &|node| {
                if node.san.starts_with(['N', 'R', 'Q', 'K']) { node.san.to_lowercase() } else { node.san.to_string() }
            },
            &|node| node.uci.to_string(),
            &|node| format!("{}\n\n", node.san.replace('x', ":").replace("O-O", "0-0").replace("0-0-O", "0-0-0")),
        ];
        for way in ways {
            let mut in_comment = false;
            let mut moves = tree.nodes.iter().skip(1);
            let words = text.split_ascii_whitespace().map(|word| {
                in_comment = (in_comment || word == "{") && word != "}";
                let is_move = !in_comment && word.starts_with(|first: char| first.is_ascii_alphabetic());
                if is_move { way(moves.next().unwrap()) } else { word.to_string() }
            });
            let other = words.collect::<Vec<_>>().join(" ");
            let read = read(&other);
            assert_eq!(said(&read), said(&tree), "{other}");
            assert_eq!(written(&read, &other), text);
            // The game reader agrees.
            let game = games(&other).next().unwrap().game;
            assert_eq!(game.map_err(|error| error.to_string()), Ok(tree.game.clone()), "{other}");
        }
    }
}

/// Whatever is done to a text: what is exported is a game of its own, and the one behind it stays.
#[test]
fn no_text_harms_the_games_around_it() {
    const PIECES: &[&str] = &[
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "\"",
        ";",
        "%",
        "\n",
        "\n\n",
        "\r",
        "\t",
        "\0",
        "\u{1a}",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "\n%x\n",
        ";x\n",
        "[Event \"x\"]\n",
        "\n\n[White \"y\"]\n\n",
        "1-0",
        "*",
        "½-½",
        "--",
        "Z0",
        "$1",
        "$999",
        "!?",
        "+-",
        "e.p.",
        "1. e4",
        "♘f3",
        "Sf3",
        "e2e4",
        "e:d5",
        "0-0",
        "Ke9",
        "[%clk 0:01:00]",
        "{[%eval 0.3]",
        "resigns",
        "<x>",
        "(1. d4)",
        "(--",
    ];
    let mut rng = Rng(511);
    let games_of = annotated_games();
    for _ in 0..effort(20_000, 500) {
        let mut text: String = rng.pick(&games_of).chars().take(20 + rng.below(300)).collect();
        for _ in 0..1 + rng.below(5) {
            let at = text.floor_char_boundary(rng.below(text.len() + 1));
            text.insert_str(at, &format!(" {} ", rng.word(PIECES)));
        }
        let tree = read(&text);
        let pgn = write_pgn::write_annotated(tree.game.view(), &[("Event", "one")], &text).unwrap().unwrap();
        let both = format!("{pgn}\n[Event \"two\"]\n\n1. d4 d5 *\n");
        let read_back: Vec<_> = games(&both).collect();
        assert_eq!(read_back.len(), 2, "{both}");
        let moves: Vec<_> = read_back.iter().map(|game| game.game.as_ref().unwrap().view().moves()).collect();
        assert_eq!(moves[0], tree.game.view().moves(), "{text:?}\n{both}");
        assert_eq!((read_back[0].tags.len(), read_back[1].tags[0].1.as_ref()), (7, "two"), "{both}");
    }
}
