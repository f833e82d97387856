//! Tags: `[Name "value"]`, with the quotes that people use, and the tags about the start and the result of a game.
//!
//! Takes text; returns names and values, and the [`GameStart`] that FEN and Variant tags describe.

use std::borrow::Cow;

use crate::board::fen;
use crate::game::GameResult;
use crate::game::start::GameStart;
use crate::pause::Pauses;
use crate::text::error::{MovetextError, MovetextErrorKind};
use crate::text::tokens::line_end;

/// Parses a tag `[Name "value"]` at the start of `text`; returns name, value and length.
pub(crate) fn read_tag(text: &str) -> Option<(&str, Cow<'_, str>, usize)> {
    let (name, after) = tag_name(text)?;
    let value = after.trim_ascii_start().strip_prefix('"')?;
    let mut unescaped: Option<String> = None;
    let mut chars = value.char_indices();
    let mut pauses = Pauses::default();
    while let Some((at, found)) = chars.next() {
        pauses.step();
        let kept = match found {
            '\n' => return None,
            // the next tag, in a file with CR as line break
            '\r' if value[at + 1..].starts_with('[') => return None,
            '"' => {
                let close = value[at + 1..].trim_ascii_start().strip_prefix(']');
                if let Some(after) = close {
                    let value = unescaped.map_or(Cow::Borrowed(&value[..at]), Cow::Owned);
                    return Some((name, value, text.len() - after.len()));
                }
                // a quote that should have been escaped
                found
            }
            '\\' if value[at + 1..].starts_with(['"', '\\']) => {
                let text = unescaped.get_or_insert_with(|| value[..at].to_string());
                text.extend(chars.next().map(|(_, escaped)| escaped));
                continue;
            }
            _ => found,
        };
        if let Some(text) = &mut unescaped {
            text.push(kept);
        }
    }
    None
}

/// The name of a tag and the text after it.
fn tag_name(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('[')?.trim_ascii_start();
    let name_len = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|len| *len > 0)?;
    Some(inner.split_at(name_len))
}

/// Parses a tag with quotes that the standard does not allow: typographic ones, or a missing one at the end of the line.
/// Returns the same as [`read_tag`].
#[cold]
pub(crate) fn read_tag_otherwise(text: &str) -> Option<(&str, Cow<'_, str>, usize)> {
    let (name, after) = tag_name(&text[..line_end(text, 0)])?;
    let value = after.trim_start().strip_prefix(QUOTES)?;
    let start = text.len() - text[line_end(text, 0)..].len() - value.len();
    for (end, _) in value.match_indices(']') {
        if let Some(bare) = value[..end].trim_end().strip_suffix(QUOTES) {
            return Some((name, Cow::Borrowed(bare), start + end + 1));
        }
    }
    // the line without a final bracket or quote
    let line = value.trim_end();
    let inside = line.strip_suffix(']').unwrap_or(line).trim_end();
    let bare = inside.strip_suffix(QUOTES).unwrap_or(inside);
    if bare.contains(['[', ']']) {
        return None;
    }
    Some((name, Cow::Borrowed(bare.trim_end()), start + line.len()))
}

/// Quotes that people and word processors put around values of tags.
const QUOTES: [char; 10] = ['"', '“', '”', '„', '‟', '«', '»', '″', '’', '‘'];

/// Whether a text seems to start with a tag: `[Name "`.
pub fn opens_tag(text: &[u8]) -> bool {
    let Some(name) = text.strip_prefix(b"[") else { return false };
    let len = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let after = name[len..].iter().find(|byte| !matches!(byte, b' ' | b'\t'));
    len > 0 && (after == Some(&b'"') || after.is_some_and(|first| !first.is_ascii()) && is_quoted(&name[len..]))
}

/// Whether a text starts with a quote, after spaces.
fn is_quoted(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    QUOTES.iter().any(|quote| text.starts_with(quote.encode_utf8(&mut [0; 4]).as_bytes()))
}

/// The result in a Result tag, including informal notation: `½-½`, `1/2`, `1 : 0`.
pub fn tag_result(text: &str) -> Option<GameResult> {
    if let Some(result) = GameResult::from_token(text) {
        return Some(result);
    }
    let plain: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    match plain.replace('½', "1/2").replace(':', "-").as_str() {
        "1/2" | "0.5-0.5" => Some(GameResult::Draw),
        plain => GameResult::from_token(plain),
    }
}

/// The tags that determine the start of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartTags<'a> {
    /// The value of the FEN tag.
    pub fen: Option<Cow<'a, str>>,
    /// The value of the Variant tag.
    pub variant: Option<Cow<'a, str>>,
    /// Whether impossible castling rights in the FEN are ignored; otherwise they are an error.
    pub possible_rights: bool,
}

impl<'a> StartTags<'a> {
    /// Takes a tag; returns whether it affects the start.
    pub fn take(&mut self, name: &str, value: Cow<'a, str>) -> bool {
        let place = match name {
            "FEN" => &mut self.fen,
            "Variant" => &mut self.variant,
            "SetUp" => return true,
            _ => return false,
        };
        // Empty values, "?" and "-" mean "unknown".
        *place = Some(value).filter(|value| !matches!(value.trim(), "" | "?" | "-"));
        true
    }

    pub(super) fn is_chess960(&self) -> Result<bool, MovetextError> {
        let Some(variant) = &self.variant else { return Ok(false) };
        let letters: String = variant.chars().filter(char::is_ascii_alphanumeric).collect();
        match letters.to_ascii_lowercase().as_str() {
            "chess960" | "fischerandom" | "fischerrandom" | "freestyle" | "freestylechess" => Ok(true),
            "standard" | "chess" | "normal" | "classical" | "fromposition" => Ok(false),
            _ => Err(MovetextError::new(1, variant, MovetextErrorKind::Variant)),
        }
    }

    /// The start of the game.
    pub(super) fn start(&self) -> Result<Cow<'static, GameStart>, MovetextError> {
        let Some(fen) = &self.fen else { return Ok(Cow::Borrowed(GameStart::standard())) };
        let start = fen::read(fen)
            .map_err(MovetextErrorKind::Fen)
            .and_then(|board| GameStart::new(&board).map_err(MovetextErrorKind::Start));
        let start = start.or_else(|kind| {
            let board = self.possible_rights.then(|| GameStart::possible_board(fen)).flatten();
            let start = board.and_then(|board| GameStart::new(&board).ok());
            start.ok_or_else(|| MovetextError::new(1, fen, kind))
        });
        Ok(Cow::Owned(start?))
    }
}
