//! Writes games as PGN: tags, an empty line, and moves in lines shorter than 80 characters.
//!
//! Takes a game and tags; returns text in export format, which [`crate::text::read_pgn`] and other programs read as the same
//! game. The seven tag roster comes first and is always complete. Tags that the game determines (Result, FEN, SetUp,
//! Variant) are taken from the game. Whatever an annotated text has, only its [`Tree`] is written: moves in English SAN,
//! numbers of glyphs, closed comments.

use std::borrow::Cow;

use crate::board::{Board, fen};
use crate::game::start::GameStart;
use crate::game::{CorruptGame, GameRef, GameResult};
use crate::pause::{Pauses, pause};
use crate::text::clocks_evals::{ClocksEvals, Commands};
use crate::text::san;
use crate::text::tags::{ROSTER, is_blank, is_start_tag};
use crate::text::tree::{Node, Tree};

/// The values of the tags that every game has, where nothing is known.
const UNKNOWN: [&str; ROSTER.len()] = ["?", "?", "????.??.??", "?", "?", "?", "*"];

/// The maximum length of a line of moves: the export format requires less than 80 characters.
const LINE_LEN: usize = 79;

/// Whether a tag can have this name: ASCII letters, digits and `_`.
pub fn is_tag_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Writes a game. The given tags follow the roster in their order. If the result of the game is unknown, a valid Result
/// tag is used.
pub fn write(game: GameRef<'_>, tags: &[(&str, &str)]) -> Result<String, CorruptGame> {
    let (mut out, result) = write_tags(game, tags)?;
    push_moves(&mut out, game, &ClocksEvals::default(), result)?;
    out.push('\n');
    Ok(out)
}

/// Writes a game with the comments, glyphs and variations of its annotated text. `None` if the text has other moves.
pub fn write_annotated(game: GameRef<'_>, tags: &[(&str, &str)], text: &str) -> Result<Option<String>, CorruptGame> {
    let (mut out, result) = write_tags(game, tags)?;
    let written = push_annotated(&mut out, game, text, &ClocksEvals::default(), result)?;
    out.push('\n');
    Ok(written.then_some(out))
}

/// Appends the moves of a game with the clocks and evaluations of columns, and the result.
pub fn push_moves(out: &mut String, game: GameRef<'_>, columns: &ClocksEvals, result: &str) -> Result<(), CorruptGame> {
    let mut moves = Moves::new(out, &game.start_board()?);
    let mut ply = 0;
    san::each(game, |_, san| {
        ply += 1;
        moves.half_move(ply, san);
        moves.comment(&columns.comment(ply as usize - 1));
    })?;
    moves.word(result);
    Ok(())
}

/// Appends the moves of a game with what its annotated text and the columns say, and the result. Returns false, and appends
/// nothing, if the text has other moves.
pub fn push_annotated(
    out: &mut String,
    game: GameRef<'_>,
    text: &str,
    columns: &ClocksEvals,
    result: &str,
) -> Result<bool, CorruptGame> {
    let board = game.start_board()?;
    let start = GameStart::new(&board).map_err(|_| CorruptGame::Start)?;
    let text = match columns {
        ClocksEvals { clocks: None, evals: None } => Cow::Borrowed(text),
        columns => Cow::Owned(Commands::find(text, game).text_with(columns)),
    };
    let tree = Tree::read(&start, game.is_chess960(), &text);
    // A comment may be nearly all of a huge text: a single step, but a long one.
    pause();
    if tree.game.view().moves() != game.moves() || tree.game.view().ply_count() != game.ply_count() {
        return Ok(false);
    }
    let mut moves = Moves::new(out, &board);
    moves.tree(&tree);
    moves.word(result);
    Ok(true)
}

/// Writes moves in lines.
struct Moves<'o> {
    out: &'o mut String,
    /// The offset of the current line.
    line: usize,
    /// The move number at the start, and the side to move: 0 is White, 1 Black.
    number: u32,
    turn: u32,
    number_due: bool,
}

/// What is left to be written of a tree.
enum Left {
    /// The line that begins with a node.
    Line(usize),
    Open,
    Close,
}

impl<'o> Moves<'o> {
    fn new(out: &'o mut String, start: &Board) -> Moves<'o> {
        let line = out.len();
        Moves { out, line, number: start.fullmove_number, turn: start.turn.into(), number_due: true }
    }

    fn word(&mut self, word: &str) {
        push_word(self.out, &mut self.line, word);
    }

    /// A half-move, with its number where one is needed.
    fn half_move(&mut self, ply: u32, san: &str) {
        let before = self.turn + ply - 1;
        let is_white = before.is_multiple_of(2);
        if is_white || self.number_due {
            let number = self.number.saturating_add(before / 2);
            self.word(&format!("{number}{}", if is_white { "." } else { "..." }));
        }
        self.number_due = false;
        self.word(san);
    }

    /// A comment. It cannot end early or open another one, and none of its lines looks like a tag or an escape line.
    fn comment(&mut self, text: &str) {
        let mut pauses = Pauses::default();
        let mut words = text.split(ends_line).filter(|word| !word.is_empty()).peekable();
        if words.peek().is_none() {
            return;
        }
        // Words that stay on one line.
        let mut together = String::from("{");
        let mut in_command = false;
        for word in words {
            pauses.step();
            let is_tag = word
                .trim_start_matches(is_blank)
                .strip_prefix('[')
                .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
            if in_command || is_tag || word.starts_with(['%', ';']) {
                together.push(' ');
            } else {
                self.word(&together);
                together.clear();
            }
            in_command = word.starts_with("[%") && !word.contains(']');
            together.extend(word.chars().map(|found| match found {
                '{' => '(',
                '}' => ')',
                found => found,
            }));
        }
        self.word(&together);
        self.word("}");
        self.number_due = true;
    }

    fn comments(&mut self, comments: &[&str]) {
        comments.iter().for_each(|text| self.comment(text));
    }

    fn node(&mut self, node: &Node<'_>) {
        self.comments(&node.before);
        if node.ply > 0 {
            self.half_move(node.ply, &node.san);
        }
        node.glyphs.iter().for_each(|number| self.word(&format!("${number}")));
        self.comments(&node.after);
    }

    fn tree(&mut self, tree: &Tree<'_>) {
        const NONE: usize = 0;
        // For each node the move that continues its line, the variations beside that, and the next one of those.
        let (mut continued, mut first, mut next) =
            (vec![NONE; tree.nodes.len()], vec![NONE; tree.nodes.len()], vec![NONE; tree.nodes.len()]);
        for (place, node) in tree.nodes.iter().enumerate().skip(1).rev() {
            if node.begins_variation {
                next[place] = std::mem::replace(&mut first[node.parent as usize], place);
            } else {
                continued[node.parent as usize] = place;
            }
        }
        let mut pauses = Pauses::default();
        let mut left = vec![Left::Line(0)];
        while let Some(what) = left.pop() {
            pauses.step();
            match what {
                Left::Line(place) => {
                    let node = &tree.nodes[place];
                    self.node(node);
                    if continued[place] != NONE {
                        left.push(Left::Line(continued[place]));
                    }
                    let mut variation =
                        if node.begins_variation || place == 0 { NONE } else { first[node.parent as usize] };
                    let from = left.len();
                    while variation != NONE {
                        left.extend([Left::Open, Left::Line(variation), Left::Close]);
                        variation = next[variation];
                    }
                    left[from..].reverse();
                }
                Left::Open => {
                    self.word("(");
                    self.number_due = true;
                }
                Left::Close => {
                    self.word(")");
                    self.number_due = true;
                }
            }
        }
    }
}

/// Whether a character may end a line or a file for some reader. In a comment it is a space.
fn ends_line(found: char) -> bool {
    found == ' ' || found.is_control() || matches!(found, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// The tags, an empty line, and the result for the end of the moves.
fn write_tags<'a>(game: GameRef<'_>, tags: &[(&str, &'a str)]) -> Result<(String, &'a str), CorruptGame> {
    let mut pauses = Pauses::default();
    let mut tag = |name: &str| {
        let mut known = tags.iter().inspect(|_| pauses.step());
        known.find(|(known, _)| *known == name).map(|(_, value)| *value)
    };
    let result = match game.result() {
        GameResult::Unknown | GameResult::UpperBound => {
            tag("Result").filter(|token| matches!(*token, "1-0" | "0-1" | "1/2-1/2")).unwrap_or("*")
        }
        known => known.as_str(),
    };
    let mut out = String::with_capacity(256 + 6 * game.moves().len());
    for (name, unknown) in ROSTER.into_iter().zip(UNKNOWN) {
        push_tag(&mut out, name, if name == "Result" { result } else { tag(name).unwrap_or(unknown) });
    }
    for (name, value) in tags {
        pauses.step();
        if !is_start_tag(name) && !ROSTER.contains(name) {
            push_tag(&mut out, name, value);
        }
    }
    let start = game.start_board()?;
    if game.is_chess960() {
        push_tag(&mut out, "Variant", "Chess960");
    }
    if game.has_custom_start() {
        push_tag(&mut out, "SetUp", "1");
        push_tag(&mut out, "FEN", &fen::write(&start));
    }
    out.push('\n');
    Ok((out, result))
}

/// Appends a tag and a line break. Control characters become spaces: some readers end a line at CR or U+0085 and would
/// read the rest of the value as tags and moves.
pub fn push_tag(out: &mut String, name: &str, value: &str) {
    out.extend(["[", name, " \""]);
    let mut pauses = Pauses::default();
    for found in value.chars() {
        pauses.step();
        match found {
            '"' | '\\' => out.extend(['\\', found]),
            _ if found.is_control() => out.push(' '),
            _ => out.push(found),
        }
    }
    out.push_str("\"]\n");
}

/// Trims a text and removes byte order marks at line starts, which a reader would take for the start of another file.
pub fn without_marks(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if !text.contains('\u{feff}') {
        return Cow::Borrowed(text);
    }
    let lines: Vec<&str> = text.split('\n').map(|line| line.trim_start_matches('\u{feff}')).collect();
    Cow::Owned(lines.join("\n").trim().to_owned())
}

/// Appends a word to the moves, on a new line if the current one would become too long; `line` is the offset of the
/// current line.
fn push_word(out: &mut String, line: &mut usize, word: &str) {
    if out.len() > *line {
        if out.len() - *line + 1 + word.len() > LINE_LEN {
            out.push('\n');
            *line = out.len();
        } else {
            out.push(' ');
        }
    }
    out.push_str(word);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::movetext;

    fn body(game: &str, text: &str) -> Option<String> {
        let game = movetext::read(game).unwrap();
        let written = write_annotated(game.view(), &[("White", "A")], text).unwrap()?;
        Some(written.split_once("]\n\n").unwrap().1.trim_end().to_string())
    }

    #[test]
    fn tags_about_the_start_are_those_of_the_game() {
        let text = "[fen \"8/8/8/8/8/4k3/8/4K2R w - - 0 1\"]\n[FEN \"?\"]\n[VARIANT \"chess\"]\n\n1. Rh3+ *";
        let read = crate::text::read_pgn::games(text).next().unwrap();
        let tags: Vec<_> = read.tags.iter().map(|(name, value)| (*name, value.as_ref())).collect();
        for game in [read.game.unwrap(), movetext::read("1. e4").unwrap()] {
            let written = write(game.view(), &tags).unwrap();
            assert_eq!(crate::text::read_pgn::games(&written).next().unwrap().game.unwrap(), game, "{written}");
        }
    }

    #[test]
    fn annotated_text_is_written_in_export_format() {
        for (game, text, written) in [
            ("1. e4 e5 1-0", "1.e4! {x} e5 1-0", "1. e4 $1 { x } 1... e5 1-0"),
            ("1. e4 e5 1-0", "1.e4! {x} e5 ; y", "1. e4 $1 { x } 1... e5 { y } 1-0"),
            ("1. e4 e5", "1.e4! {x} e5", "1. e4 $1 { x } 1... e5 *"),
            ("1. e4 e5 2. Nf3", "1. e2e4 {x} e7-e5\n\n2. ♘f3", "1. e4 { x } 1... e5 2. Nf3 *"),
            ("1. e4 d5 2. exd5", "1.e4! d5 2. e:d5 (2. Sc3)", "1. e4 $1 d5 2. exd5 ( 2. Nc3 ) *"),
            ("1. e4", "1.e4 {open\n\n[White \"x\"] e5", "1. e4 { open [White \"x\"] e5 } *"),
            ("1. e4 e5", "1.e4 {a {b} c} e5 {d", "1. e4 { a (b } { c } 1... e5 { d } *"),
            ("1. e4 e5", "1.e4 ; a } {\ne5\n% {\n", "1. e4 { a ) ( } 1... e5 *"),
            ("1. e4 e5", "1.e4! {x} e5 2. Ke3 (2. Nf3 {y}) Nc6", "1. e4 $1 { x } 1... e5 { Ke3 (2. Nf3 (y)) Nc6 } *"),
            ("1. e4 e5", "1.e4 (1. c4 -- 2. Nc3 (2. Nf3)) e5", "1. e4 ( 1. c4 -- 2. Nc3 ( 2. Nf3 ) ) 1... e5 *"),
            ("1. e4 e5", "(1. d4 d5) 1. e4 ({only this}) e5", "1. e4 { only this } ( 1. d4 d5 ) 1... e5 *"),
            ("1. e4 e5 1-0", "1. e4 (1. Ke3) e5 black resigns 1-0", "1. e4 { (1. Ke3) } 1... e5 { black resigns } 1-0"),
            ("", "(1. d4) {x}", "{ x } { (1. d4) } *"),
            ("1. e4 e5", "1. e4 (1. d4 [(])) e5", "1. e4 ( 1. d4 { [(]) } ) 1... e5 *"),
            ("1. e4 e5", "1. e4 (1. d4 [a { b ] ) }) e5", "1. e4 ( 1. d4 { [a } { b ] ) } ) 1... e5 *"),
        ] {
            assert_eq!(body(game, text).as_deref(), Some(written), "{text}");
        }
        assert_eq!(body("1. e4 e5", "1.d4! {x} d5"), None);
        let long = "a".repeat(70);
        for tag in ["[A \"1\"]", "[1 \"1\"]", "[_\"1\"]"] {
            let written = body("1. e4", &format!("1. e4 {{{long} {tag}}}")).unwrap();
            assert!(!written.lines().any(|line| line.starts_with('[')), "{written}");
        }
    }
}
