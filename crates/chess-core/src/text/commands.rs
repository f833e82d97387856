//! What comments say: their words, and what their commands tell programs.
//!
//! Takes a comment; returns the text that is left without `[%clk …]`, `[%eval …]`, `[%emt …]`, `[%csl …]`, `[%cal …]` and
//! `[%diagram]`, and their values. The first one of a kind counts; unknown commands and unreadable values stay in the text.

use crate::board::squares;
use crate::pause::Pauses;
use crate::text::clocks_evals::{clock, eval};

/// A coloured square, or an arrow between two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// `G`, `R`, `Y` or `B`.
    pub color: char,
    /// The square, or the beginning of the arrow.
    pub from: u8,
    /// Its end; the same square if it is no arrow.
    pub to: u8,
}

/// A comment without its commands, and what they say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// The rest of the text.
    pub text: String,
    /// Tenths of a second left.
    pub clock: Option<i32>,
    /// Tenths of a second that the move took.
    pub spent: Option<i32>,
    /// The evaluation, as in [`crate::text::clocks_evals`].
    pub eval: Option<i32>,
    /// Coloured squares and arrows.
    pub shapes: Vec<Shape>,
    /// Whether a diagram is asked for.
    pub diagram: bool,
}

impl Said {
    /// Reads comments; those after the first follow after a space.
    ///
    /// # Examples
    ///
    /// ```
    /// use chess_core::text::commands::Said;
    ///
    /// let said = Said::read(["Best [%csl Gd5][%eval 0.3]", "[%clk 1:00:00]"]);
    /// assert_eq!((&*said.text, said.eval, said.clock, said.shapes.len()), ("Best", Some(30), Some(36_000), 1));
    /// ```
    pub fn read<'a>(comments: impl IntoIterator<Item = &'a str>) -> Said {
        let mut said = Said::default();
        let mut pauses = Pauses::default();
        for comment in comments {
            let mut rest = comment;
            let mut text = String::new();
            while let Some(at) = rest.find("[%") {
                pauses.step();
                text.push_str(&rest[..at]);
                // No command has another in it, so that each character is looked at a few times, however many begin.
                let inside = rest[at + 2..].split("[%").next().unwrap_or_default();
                let len = inside.find(']').filter(|len| said.take(&inside[..*len])).map(|len| len + 3);
                match len {
                    // a space on both sides would be two
                    Some(len) if text.is_empty() || text.ends_with(char::is_whitespace) => {
                        rest = rest[at + len..].trim_start_matches(' ');
                    }
                    Some(len) => rest = &rest[at + len..],
                    None => {
                        text.push_str("[%");
                        rest = &rest[at + 2..];
                    }
                }
            }
            text.push_str(rest);
            let text = text.trim();
            if !(said.text.is_empty() || text.is_empty()) {
                said.text.push(' ');
            }
            said.text.push_str(text);
        }
        said
    }

    /// Takes a command without its brackets; returns false if it is unknown or unreadable.
    fn take(&mut self, command: &str) -> bool {
        let (name, value) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        let value = value.trim();
        let first = |place: &mut Option<i32>, value: Option<i32>| {
            *place = place.or(value);
            value.is_some()
        };
        match name {
            "clk" => first(&mut self.clock, clock(value)),
            "emt" => first(&mut self.spent, clock(value)),
            "eval" => first(&mut self.eval, eval(value)),
            "csl" | "cal" => {
                let shapes: Option<Vec<Shape>> = value.split(',').map(|shape| read_shape(shape.trim())).collect();
                let readable = shapes.is_some();
                self.shapes.extend(shapes.unwrap_or_default());
                readable
            }
            "diagram" => {
                self.diagram = true;
                true
            }
            _ => false,
        }
    }
}

/// Reads `Gd5` or `Ge2e4`.
fn read_shape(text: &str) -> Option<Shape> {
    let color = text.chars().next().filter(|color| "GRYB".contains(*color))?;
    let from = squares::from_name(text.get(1..3)?)?;
    let to = match text.get(3..)? {
        "" => from,
        to => squares::from_name(to)?,
    };
    Some(Shape { color, from, to })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_left() {
        for (comment, text) in [
            ("", ""),
            (" a  b\nc ", "a  b\nc"),
            ("[%clk 0:01:00]", ""),
            ("before [%clk 0:01:00] after", "before after"),
            ("before[%clk 0:01:00] after", "before after"),
            ("[%eval bad] [%foo 1] [% [%clk", "[%eval bad] [%foo 1] [% [%clk"),
            ("[%csl Gd5,xx] [%cal Ge2e4, Rd1d8] é", "[%csl Gd5,xx] é"),
            ("[%diagram][%emt 0:00:07.5]x", "x"),
        ] {
            assert_eq!(Said::read([comment]).text, text, "{comment}");
        }
        // This takes hours if each of them looks for its end in all of the others.
        let many = "[%clk".repeat(1_000_000) + "]";
        assert!(Said::read([many.as_str()]).text == many);
        let said = Said::read(["[%clk 0:01:00] one", "", "[%clk 0:02:00][%cal Ge2e4]", "two [%diagram]"]);
        assert_eq!((&*said.text, said.clock, said.diagram), ("one two", Some(600), true));
        assert_eq!(said.shapes, [Shape { color: 'G', from: 12, to: 28 }]);
    }
}
