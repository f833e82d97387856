//! Writes games as PGN: tags, an empty line, and moves in lines shorter than 80 characters.
//!
//! Takes a game and tags; returns text that [`crate::text::read_pgn`] reads as the same game. The seven tag roster
//! comes first and is always complete. Tags that the game determines (Result, FEN, SetUp, Variant) are taken from the
//! game.

use std::borrow::Cow;

use crate::board::fen;
use crate::game::start::GameStart;
use crate::game::{CorruptGame, GameRef, GameResult};
use crate::pause::pause;
use crate::text::annotated;
use crate::text::movetext::{Incomplete, push_moves};
use crate::text::read_pgn::{self, PgnError};

/// The seven tag roster, with the notation of unknown values.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// The tags that the game determines.
const OWN: [&str; 4] = ["Result", "FEN", "SetUp", "Variant"];

/// The maximum length of a line of moves: the export format requires less than 80 characters.
const LINE_LEN: usize = 79;

/// Whether a tag can have this name: ASCII letters, digits and `_`.
pub fn is_tag_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Writes a game. The given tags follow the roster in their order. If the result of the game is unknown, a valid Result
/// tag is used.
///
/// # Errors
///
/// [`CorruptGame`] if the stored bytes do not decode.
pub fn write(game: GameRef<'_>, tags: &[(&str, &str)]) -> Result<String, CorruptGame> {
    let (mut out, result) = write_tags(game, tags)?;
    let mut moves = String::with_capacity(6 * game.moves().len());
    push_moves(&mut moves, game, game.start_board()?.fullmove_number)?;
    moves.push_str(result);
    let mut line = out.len();
    for token in moves.split(' ') {
        push_word(&mut out, &mut line, token);
    }
    out.push('\n');
    Ok(out)
}

/// Writes a game with its annotated text in place of the moves. The text is unchanged, except that a missing result is
/// appended. `None` if the text does not read back as this game: it has other moves, tags, or several games.
///
/// # Errors
///
/// [`CorruptGame`] if the stored bytes do not decode.
pub fn write_annotated(game: GameRef<'_>, tags: &[(&str, &str)], text: &str) -> Result<Option<String>, CorruptGame> {
    let start = GameStart::new(&game.start_board()?).map_err(|_| CorruptGame::Start)?;
    let text = without_marks(text);
    let main = annotated::main_line(&start, game.is_chess960(), &text);
    // A comment may be nearly all of a huge text: a single step, but a long one.
    pause();
    if main.game.view().moves() != game.moves() || main.game.view().ply_count() != game.ply_count() {
        return Ok(None);
    }
    let (mut out, result) = write_tags(game, tags)?;
    let lines = out.lines().count() - 1;
    out.push_str(&text);
    // Without a result in the text, the game would read back with its result unknown.
    if !main.has_result && main.end.is_none() && game.result() != GameResult::Unknown {
        out.extend(["\n", result]);
    }
    out.push('\n');
    pause();
    Ok(reads_back(&out, lines, game).then_some(out))
}

/// The tags, an empty line, and the result for the end of the moves.
fn write_tags<'a>(game: GameRef<'_>, tags: &[(&str, &'a str)]) -> Result<(String, &'a str), CorruptGame> {
    let tag = |name: &str| tags.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    let result = match game.result() {
        GameResult::Unknown | GameResult::UpperBound => {
            tag("Result").filter(|token| matches!(*token, "1-0" | "0-1" | "1/2-1/2")).unwrap_or("*")
        }
        known => known.as_str(),
    };
    let mut out = String::with_capacity(256 + 6 * game.moves().len());
    for (name, unknown) in ROSTER {
        push_tag(&mut out, name, if name == "Result" { result } else { tag(name).unwrap_or(unknown) });
    }
    let is_roster = |name: &str| ROSTER.iter().any(|(known, _)| *known == name);
    for (name, value) in tags.iter().filter(|(name, _)| !OWN.contains(name) && !is_roster(name)) {
        push_tag(&mut out, name, value);
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
    for found in value.chars() {
        match found {
            '"' | '\\' => out.extend(['\\', found]),
            _ if found.is_control() => out.push(' '),
            _ => out.push(found),
        }
    }
    out.push_str("\"]\n");
}

/// Trims an annotated text and removes byte order marks at line starts, which a reader would take for the start of
/// another file.
pub fn without_marks(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if !text.contains('\u{feff}') {
        return Cow::Borrowed(text);
    }
    let lines: Vec<&str> = text.split('\n').map(|line| line.trim_start_matches('\u{feff}')).collect();
    Cow::Owned(lines.join("\n").trim().to_owned())
}

/// Whether the output reads back as this game with this number of tags. An annotated text may contain the end of a
/// game, or tags.
pub fn reads_back(out: &str, tags: usize, game: GameRef<'_>) -> bool {
    let mut games = read_pgn::games(out);
    let Some(read) = games.next() else { return false };
    let moves = match &read.game {
        Ok(game) => Some(game),
        Err(Incomplete { reason: PgnError::Tag(_), .. }) => return false,
        Err(incomplete) => incomplete.prefix.as_ref(),
    };
    read.tags.len() == tags
        && moves.map_or(game.ply_count() == 0, |read| read.view().moves() == game.moves())
        && games.next().is_none()
}

/// Appends a word to the moves, on a new line if the current one would become too long; `line` is the offset of the
/// current line.
pub fn push_word(out: &mut String, line: &mut usize, word: &str) {
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

    #[test]
    fn annotated_text_is_written_as_it_is() {
        let body = |game: &str, text: &str| {
            let game = movetext::read(game).unwrap();
            let written = write_annotated(game.view(), &[("White", "A")], text).unwrap()?;
            Some(written.split_once("]\n\n").unwrap().1.to_string())
        };
        assert_eq!(body("1. e4 e5 1-0", "1.e4! {x} e5 1-0").as_deref(), Some("1.e4! {x} e5 1-0\n"));
        assert_eq!(body("1. e4 e5 1-0", "1.e4! {x} e5 ; y").as_deref(), Some("1.e4! {x} e5 ; y\n1-0\n"));
        // a text without a result is not changed
        assert_eq!(body("1. e4 e5", "1.e4! {x} e5").as_deref(), Some("1.e4! {x} e5\n"));
        assert_eq!(body("1. e4 e5", "1.e4! {x} e5 2. Ke3").as_deref(), Some("1.e4! {x} e5 2. Ke3\n"));
        assert_eq!(body("1. e4 e5", "1.d4! {x} d5"), None);
        assert_eq!(body("1. e4 e5", "1. e4 e5 *\n\n1. d4 *"), None);
    }
}
