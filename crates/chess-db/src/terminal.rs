//! Text for a terminal or a log. In: what users, files and servers say. Out: the same without signs that command a terminal or
//! change where text stands: these are written as their code, as JSON does, so that JSON stays what it means.

use std::fmt::Write as _;

/// The text without signs that command a terminal or change the direction of what follows. Line breaks and tabs stay.
pub fn lines(text: &str) -> String {
    escaped(text, |letter| !matches!(letter, '\n' | '\t') && moves_text(letter))
}

/// The text in one line.
pub fn line(text: &str) -> String {
    escaped(text, moves_text)
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match is_escaped(letter) {
            // writing to a String cannot fail
            true => _ = write!(out, "\\u{:04x}", u32::from(letter)),
            false => out.push(letter),
        }
    }
    out
}

/// Whether a sign ends a line, controls a terminal, or changes the direction of what follows.
fn moves_text(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_commands_a_terminal() {
        let said = "Müller\n\tround 1 \u{1b}]0;title\u{7} \u{9b}2J \u{202e}";
        assert_eq!(lines(said), "Müller\n\tround 1 \\u001b]0;title\\u0007 \\u009b2J \\u202e");
        assert_eq!(line("a\nb\u{2066}"), "a\\u000ab\\u2066");
    }
}
