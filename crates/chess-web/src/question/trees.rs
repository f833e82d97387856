//! Games of PGN as trees of moves, for the page, which reads no notation itself.
//!
//! Takes a text; returns the JSON of `/api/pgn`, and of the answers that have a game or a note.

use chess_core::board::{fen, squares};
use chess_core::text::clocks_evals::{MATE, write_clock, write_eval};
use chess_core::text::commands::Said;
use chess_core::text::read_pgn::{self, PgnGame};
use chess_core::text::tree;
use serde::Serialize;
use serde_json::{Value as Json_, json};

use crate::failure::{Failure, Outcome};
use crate::question::blocking::run_blocking;

/// The most moves of a text, in all games together.
const MOVES: usize = 100_000;
/// Glyphs with which programs ask for a diagram.
const DIAGRAM: [u32; 2] = [220, 221];

/// A game.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Game {
    tags: Vec<(String, String)>,
    /// Null if the start cannot be read.
    start_fen: Option<String>,
    /// The start first, each move after the one before it.
    nodes: Vec<Node>,
    /// Why the game ends before its text.
    error: Option<String>,
}

/// A move and what is written beside it.
#[derive(Debug, Default, Serialize)]
struct Node {
    /// The place of the node before it; null at the start.
    parent: Option<u32>,
    san: String,
    uci: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    variation: bool,
    /// After a null move.
    #[serde(skip_serializing_if = "Option::is_none")]
    fen: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    before: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    glyphs: Vec<u32>,
    #[serde(flatten)]
    after: Note,
}

/// A stored evaluation as JSON: centipawns for White, or the number of moves to mate, negative if White is mated.
pub fn score(stored: i32) -> Json_ {
    match stored {
        // mate in n is stored as MATE - n, being mated in n as n - MATE
        mate if mate > MATE - 10_000 => json!({ "mate": MATE - mate }),
        mated if mated < 10_000 - MATE => json!({ "mate": -(MATE + mated) }),
        centipawns => json!({ "cp": centipawns }),
    }
}

/// A comment.
#[derive(Debug, Default, Serialize)]
pub struct Note {
    #[serde(skip_serializing_if = "String::is_empty")]
    text: String,
    /// Tenths of a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spent: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    eval: Option<Json_>,
    /// These three as they stand in the comment, if the page would write them otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commands: Vec<String>,
    /// `Gd5` and `Ge2e4`, as PGN has them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shapes: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    diagram: bool,
}

impl Note {
    /// Reads the commands of comments.
    pub fn read<'a>(comments: impl IntoIterator<Item = &'a str> + Clone) -> Note {
        let said = Said::read(comments.clone());
        let shape = |shape: &chess_core::text::commands::Shape| {
            let to = if shape.to == shape.from { String::new() } else { squares::name(shape.to) };
            format!("{}{}{to}", shape.color, squares::name(shape.from))
        };
        Note {
            commands: unusual(comments, &said),
            shapes: said.shapes.iter().map(shape).collect(),
            text: said.text,
            clock: said.clock,
            spent: said.spent,
            eval: said.eval.map(score),
            diagram: said.diagram,
        }
    }
}

/// The commands with evaluations and times, if they are not those that ui/tree.ts writes.
fn unusual<'a>(comments: impl IntoIterator<Item = &'a str>, said: &Said) -> Vec<String> {
    if said.eval.is_none() && said.clock.is_none() && said.spent.is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for comment in comments {
        for (inside, _) in comment.split("[%").skip(1).filter_map(|command| command.split_once(']')) {
            let command = format!("[%{inside}]");
            let is_known = ["eval", "clk", "emt"].iter().any(|name| inside.starts_with(name));
            if is_known && Said::read([command.as_str()]).text.is_empty() {
                found.push(command);
            }
        }
    }
    let usual: Vec<String> = [
        // mate in 0 has no sign in JSON
        said.eval.filter(|eval| *eval != -MATE).map(|eval| format!("[%eval {}]", write_eval(eval))),
        said.clock.map(|tenths| format!("[%clk {}]", write_clock(tenths))),
        said.spent.map(|tenths| format!("[%emt {}]", write_clock(tenths))),
    ]
    .into_iter()
    .flatten()
    .collect();
    let differ = usual.len() != found.len() || found.iter().any(|command| !usual.iter().any(|usual| usual == command));
    if differ { found } else { Vec::new() }
}

fn node(place: usize, node: tree::Node<'_>) -> Node {
    let before = Said::read(node.before);
    let mut after = Note::read(node.after);
    after.diagram |= before.diagram || node.glyphs.iter().any(|glyph| DIAGRAM.contains(glyph));
    Node {
        parent: (place > 0).then_some(node.parent),
        san: node.san.to_string(),
        uci: node.uci.to_string(),
        variation: node.begins_variation,
        fen: node.fen.map(Into::into),
        before: before.text,
        glyphs: node.glyphs.into_iter().filter(|glyph| !DIAGRAM.contains(glyph)).collect(),
        after,
    }
}

fn game(read: &PgnGame<'_>) -> Game {
    let tags = read.tags.iter().map(|(name, value)| ((*name).to_owned(), value.clone().into_owned())).collect();
    let error = read.game.as_ref().err().map(ToString::to_string);
    match read.tree() {
        Ok((start, tree)) => {
            let nodes = tree.nodes.into_iter().enumerate().map(|(place, read)| node(place, read)).collect();
            Game { tags, start_fen: Some(fen::write(&start)), nodes, error }
        }
        Err(_) => Game { tags, start_fen: None, nodes: Vec::new(), error },
    }
}

/// The games of a text.
///
/// # Errors
///
/// 400 if they have too many moves.
pub fn games(pgn: &str) -> Outcome<Vec<Game>> {
    let (mut games, mut moves) = (Vec::new(), 0);
    for read in read_pgn::games(pgn) {
        let read = game(&read);
        // a game without moves is not for nothing, either
        moves += read.nodes.len().max(1);
        if moves > MOVES {
            return Err(Failure::bad(format!("the text has more than {MOVES} moves")));
        }
        games.push(read);
    }
    Ok(games)
}

/// Whether the moves of a stored game, with what is written beside them, could make a tree of too many moves.
pub fn is_long(annotated: &str) -> bool {
    let words = annotated.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.take(MOVES + 1).count() > MOVES
}

/// The first game of a text, which is stored; null if there is none.
pub async fn of_stored(pgn: String) -> Outcome<Json_> {
    run_blocking(move || {
        let first = read_pgn::games(&pgn).next().map(|read| game(&read));
        serde_json::to_value(first).map_err(|error| Failure::bad(error.to_string()))
    })
    .await?
}

/// Refuses a text that is not one game that can be read to its end.
///
/// # Errors
///
/// 400, with the reason.
pub fn one_whole_game(pgn: &str) -> Outcome<()> {
    let mut games = read_pgn::games(pgn);
    match games.next() {
        Some(game) => match game.game {
            Ok(_) if games.next().is_none() => Ok(()),
            Ok(_) => Err(Failure::bad("\"pgn\" holds more than one game")),
            Err(rest) => Err(Failure::bad(format!("\"pgn\": {}", rest.reason))),
        },
        None => Err(Failure::bad("\"pgn\" holds no game")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(pgn: &str) -> Json_ {
        serde_json::to_value(games(pgn).unwrap().remove(0).nodes).unwrap()
    }

    #[test]
    fn scores() {
        assert_eq!(score(35), json!({ "cp": 35 }));
        assert_eq!(score(MATE - 3), json!({ "mate": 3 }));
        assert_eq!(score(3 - MATE), json!({ "mate": -3 }));
    }

    #[test]
    fn any_notation_is_one_tree() {
        let english = "1. e4 {the usual} e5 2. Nf3! (2. Nc3 Nf6) Nc6 0-1";
        for text in [
            "1. e4 {the usual} e5 2. Sf3! (2. Sc3 Sf6) Sc6 0-1",
            "1. e4 {the usual} e5 2. \u{2658}f3! (2. \u{2658}c3 \u{265e}f6) \u{265e}c6 0-1",
            "1. e2e4 {the usual} e7e5 2. g1f3 $1 (2. b1-c3 g8-f6) b8c6 0-1",
            "1. e4 {the usual} e5\n\n2. nf3! (2. nc3 nf6)\n\nnc6 0-1",
        ] {
            assert_eq!(nodes(text), nodes(english), "{text}");
        }
        assert_eq!(nodes(english)[3], json!({ "parent": 2, "san": "Nf3", "uci": "g1f3", "glyphs": [1] }));
        assert_eq!(nodes(english)[4]["variation"], true);
    }

    #[test]
    fn comments_and_their_commands() {
        let read = nodes(
            "{Start [%diagram]} 1. e4 $220 {[%clk 0:01:00] Best [%csl Gd5] [%cal Be4e5] [%eval #-3]} ({or [%diagram]} 1. d4 -- 2. c4)",
        );
        assert_eq!(
            read[1],
            json!({ "parent": 0, "san": "e4", "uci": "e2e4", "text": "Best", "clock": 600, "eval": { "mate": -3 }, "shapes": ["Gd5", "Be4e5"], "diagram": true })
        );
        assert_eq!((&read[0]["text"], &read[0]["diagram"]), (&json!("Start"), &json!(true)));
        assert_eq!((&read[2]["before"], &read[2]["diagram"]), (&json!("or"), &json!(true)));
        assert_eq!(
            read[3],
            json!({ "parent": 2, "san": "--", "uci": "0000", "fen": "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2" })
        );
    }

    #[test]
    fn commands_that_the_page_would_write_otherwise() {
        let read = nodes(
            "1. e4 {[%clk 0:01:00] [%eval 0.3] [%emt 0:00:07.5]} e5 {[%eval 0.30] [%clk 0:01:00]} \
             2. Nf3 {[%emt 0:00:01] [%emt 0:00:02] [%foo 1]} Nc6 {[%eval #-3]} 3. Bb5 {[%clk 0:01:07.53] [%clk x]} \
             a6 {[%eval #-0]} 4. Ba4 {[%eval #0]}",
        );
        let commands = |at: usize| &read[at]["commands"];
        assert_eq!((commands(1), commands(4)), (&Json_::Null, &Json_::Null));
        assert_eq!(commands(2), &json!(["[%eval 0.30]", "[%clk 0:01:00]"]));
        assert_eq!(commands(3), &json!(["[%emt 0:00:01]", "[%emt 0:00:02]"]));
        assert_eq!((&read[3]["spent"], &read[3]["text"]), (&json!(10), &json!("[%foo 1]")));
        assert_eq!(commands(5), &json!(["[%clk 0:01:07.53]"]));
        assert_eq!((commands(6), commands(7)), (&json!(["[%eval #-0]"]), &Json_::Null));
    }

    #[test]
    fn games_that_make_no_tree() {
        for part in ["1. e4 ", "(e4)", "{a}"] {
            let words = if part.starts_with('1') { 2 } else { 1 };
            assert!(!is_long(&part.repeat(MOVES / words)), "{part}");
            assert!(is_long(&part.repeat(MOVES / words + 1)), "{part}");
        }
    }

    #[test]
    fn what_cannot_be_read() {
        let read =
            games("[White \"A\"]\n\n1. e4 e5 2. Ke3 *\n\n[FEN \"nonsense\"]\n\n1. e4 *\n\n[Event \"x\"]\n").unwrap();
        assert_eq!(read.iter().map(|game| game.nodes.len()).collect::<Vec<_>>(), [3, 0, 1]);
        assert!(read[0].error.as_ref().is_some_and(|error| error.contains("Ke3")));
        assert!(read[1].start_fen.is_none() && read[1].error.is_some() && read[2].error.is_none());
        assert_eq!(nodes("1. e4 e5 2. Ke3 Nf6")[2]["text"], "Ke3 Nf6");
        assert!(games("").unwrap().is_empty());
        assert!(games(&"1. e4 * ".repeat(MOVES)).is_err());
    }
}
