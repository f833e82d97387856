//! Glyphs: signs after a move, such as `!?`, and their numbers in the PGN standard.
//!
//! Takes the text of a glyph, of a sign, or of a move with attached signs; returns numbers: 1 for `$1` and for `!`.
//!
//! Signs are those of the standard's table, of the Chess Informant and of lichess, as people and programs spell them.
//! The standard often has one number for White and one for Black (22 and 23 for zugzwang) where books have one sign; it
//! gets the number of White, as on lichess. Signs beyond the standard's 139 have the numbers of ChessBase.

/// The signs by number, separated by blanks. Dashes and full-width characters are spelled as in ASCII.
const SIGNS: [(u32, &str); 40] = [
    (1, "!"),
    (2, "?"),
    (3, "!! ‼"),
    (4, "?? ⁇"),
    (5, "!? ⁉"),
    (6, "?! ⁈"),
    (7, "□ ☐ ▢ ◻ ⬜ []"),
    (10, "="),
    (13, "∞ ~"),
    (14, "⩲ += +/="),
    (15, "⩱ =+ =/+"),
    (16, "± +/-"),
    (17, "∓ -/+"),
    (18, "+-"),
    (19, "-+"),
    (20, "+--"),
    (21, "--+"),
    (22, "⨀ ⊙ ☉ ⦿ ◉ (.)"),
    (26, "○ ◯ ⚪ (_)"),
    (32, "⟳ ↻ ⭮ ↑↑ ⇈"),
    (36, "↑ ⬆ ^"),
    (40, "→ ⟶ ➔ ➡ ->"),
    (44, "=∞ ∞= =/∞ ⯹ ~= =~ =& =/&"),
    (132, "⇆ ⇄ ⇌ ⇋ ⮂ <=>"),
    (138, "⊕ ⨁ (+)"),
    (140, "∆ Δ △ ▵ /\\"),
    (141, "∇ ▽ ▿ \\/"),
    (142, "⌓ >="),
    (143, "<="),
    (144, "=="),
    (145, "RR"),
    (146, "N TN"),
    (220, "D ⬒ [#]"),
    (221, "⬓"),
    (239, "⇔ <->"),
    (240, "⇗ ↗"),
    (241, "⊞ [+]"),
    (242, "⟫ >>"),
    (243, "⟪ <<"),
    (244, "✕ ×"),
];

/// The signs of endgames, bishops and pawns, likewise.
const SIGNS_OF_MATERIAL: [(u32, &str); 9] = [
    (245, "⊥ ⟂ _|_"),
    (246, "◫"),
    (247, "◨ ◧"),
    (249, "⯺"),
    (250, "⯻"),
    (251, "⯼"),
    (252, "⯽"),
    (254, "∟"),
    (255, "⯾"),
];

/// The longest sign, in characters.
const LONGEST: usize = 3;

/// Words attached to a move that only say what the move shows. Of two that begin alike, the longer comes first.
pub(crate) const MARKS: [&str; 14] =
    ["e.p.", "e.p", "ep.", "ep", "EP", "e/p", "i.p.", "a.p.", "dblch", "dbl", "dis", "ch.", "ch", "mate"];

/// Signs of letters, likewise.
pub(crate) const REMARKS: [&str; 4] = ["TN", "RR", "N", "D"];

/// The evaluations that are also written with blanks between their characters: `+ -`.
const APART: [&str; 10] = ["+-", "-+", "+=", "=+", "+/-", "-/+", "+/=", "=/+", "=∞", "=/∞"];

/// The number of a glyph `$n`, and the length up to its last digit.
pub(crate) fn glyph(text: &str) -> Option<(u32, usize)> {
    let digits = text.strip_prefix('$')?;
    let len = digits.bytes().take_while(u8::is_ascii_digit).count();
    let number = digits[..len].parse().ok().filter(|number| *number <= i32::MAX as u32)?;
    Some((number, 1 + len))
}

/// The number of a sign, if it has one.
pub(crate) fn sign(text: &str) -> Option<u32> {
    at(text).filter(|(_, end)| *end == text.len()).map(|(number, _)| number)
}

/// Whether a character can be part of a sign, or is one that no move has.
pub(crate) fn is_sign(found: char) -> bool {
    if found.is_ascii() {
        return matches!(
            found,
            '!' | '?' | '+' | '-' | '/' | '=' | '#' | '~' | '^' | '&' | '<' | '>' | '\\' | '[' | ']' | '_' | '|'
        );
    }
    let is_figurine = matches!(found, '♔'..='♟');
    // the marks of footnotes
    let is_raised = matches!(found, '¹' | '²' | '³');
    found == 'Δ'
        || is_raised
        || !(found.is_alphanumeric() || found.is_whitespace() || found.is_control() || is_figurine)
}

/// The sign that a text begins with: its number and its end. Of several the longest counts.
pub(crate) fn at(text: &str) -> Option<(u32, usize)> {
    let (mut signs, mut len) = (String::new(), 0);
    let mut found = None;
    // Characters that choose a picture are no part of the sign, and may be many.
    for (at, next) in text.char_indices().take(3 * LONGEST) {
        let end = at + next.len_utf8();
        match next {
            // chooses the picture of the character before it
            '\u{fe0e}' | '\u{fe0f}' => {
                found = found.map(|(number, end_of_it)| (number, if end_of_it == at { end } else { end_of_it }));
                continue;
            }
            _ if len == LONGEST => break,
            _ => signs.push(spelled(next)),
        }
        len += 1;
        found = number(&signs).map(|number| (number, end)).or(found);
    }
    apart(text).filter(|(_, end)| found.is_none_or(|(_, other)| *end > other)).or(found)
}

/// An evaluation with blanks between its characters, as [`at`].
fn apart(text: &str) -> Option<(u32, usize)> {
    let mut signs = String::new();
    let mut found = None;
    for (at, next) in text.char_indices().take(3 * LONGEST) {
        match next {
            ' ' | '\u{a0}' if !signs.is_empty() => continue,
            _ => signs.push(spelled(next)),
        }
        if !APART.iter().any(|sign| sign.starts_with(&signs)) {
            // a sign of its own begins here, such as `+-` behind `=`
            let separate = is_sign(next) && !text[..at].ends_with(is_sign);
            return found.filter(|_| separate || !is_sign(next));
        }
        if APART.contains(&signs.as_str()) {
            found = number(&signs).map(|number| (number, at + next.len_utf8()));
        }
    }
    found
}

/// A character as the table spells it.
fn spelled(found: char) -> char {
    match found {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{96}' | '\u{97}' => '-',
        '\u{ff01}'..='\u{ff5e}' => char::from((found as u32 - 0xfee0) as u8),
        '\u{2215}' | '\u{2044}' => '/',
        other => other,
    }
}

fn number(signs: &str) -> Option<u32> {
    let is_it = |of: &&(u32, &str)| of.1.split(' ').any(|sign| sign == signs);
    SIGNS.iter().chain(&SIGNS_OF_MATERIAL).find(is_it).map(|(number, _)| *number)
}

/// The offset of the signs attached to a move: `!` in `e4!`, `+-` in `Rxe8+-`, `N` in `c5N`.
pub(crate) fn glued(read: &str) -> usize {
    // After the last rank and after `=` a letter is a promotion.
    let may_be_remark = |before: &str| before.ends_with(|last| matches!(last, '2'..='7' | '!' | '?' | '+' | '#'));
    let mut rest = read.trim_end_matches(is_sign);
    loop {
        let mark = MARKS.iter().find_map(|mark| rest.strip_suffix(mark));
        let remark = || REMARKS.iter().filter_map(|word| rest.strip_suffix(word)).find(|before| may_be_remark(before));
        let Some(before) = mark.or_else(remark) else { return rest.len() };
        rest = before.trim_end_matches(is_sign);
    }
}

/// Whether a word has nothing but signs, perhaps behind `e.p.` or a sign of letters.
pub(crate) fn is_run(word: &str) -> bool {
    let first = word.trim_end_matches(is_sign);
    first.is_empty() || REMARKS.contains(&first) || MARKS[..8].contains(&first)
}

/// The first glyph in a run of signs, and the length up to its end. Signs without a glyph, such as `+`, are skipped.
pub(crate) fn first(signs: &str) -> Option<(u32, usize)> {
    signs.char_indices().find_map(|(from, _)| at(&signs[from..]).map(|(number, end)| (number, from + end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_told_from_the_move() {
        let all = |read: &str| {
            let mut signs = &read[glued(read)..];
            let mut found = Vec::new();
            while let Some((number, len)) = first(signs) {
                found.push(number);
                signs = &signs[len..];
            }
            found
        };
        let cases: [(&str, &[u32]); 22] = [
            ("e4", &[]),
            ("Bb5+", &[]),
            ("Qh7#", &[]),
            ("e8=Q", &[]),
            ("e8=N", &[]),
            ("e8N", &[]),
            ("e8♕", &[]),
            ("O-O", &[]),
            ("e4!", &[1]),
            ("Bb5+!?", &[5]),
            ("e4!!", &[3]),
            ("e4!!!", &[3, 1]),
            ("e4‼", &[3]),
            ("e4⁉️", &[5]),
            ("Rxe8+-", &[18]),
            ("Rxe8+−", &[18]),
            ("e4!+/-", &[1, 16]),
            ("e4!⩲", &[1, 14]),
            ("e4↑↑→", &[32, 40]),
            ("c5N", &[146]),
            ("c5±", &[16]),
            ("c5=∞", &[44]),
        ];
        for (read, expected) in cases {
            assert_eq!(all(read), expected, "{read}");
        }
    }

    #[test]
    fn signs_have_one_number() {
        let mut seen = std::collections::BTreeSet::new();
        for (number, spellings) in SIGNS.iter().chain(&SIGNS_OF_MATERIAL) {
            for spelling in spellings.split(' ') {
                assert!(seen.insert(spelling), "{spelling}");
                assert_eq!(sign(spelling), Some(*number), "{spelling}");
                assert!(spelling.chars().count() <= LONGEST, "{spelling}");
                assert!(
                    spelling.chars().all(|c| is_sign(c) || c.is_ascii_uppercase() || "(.)".contains(c)),
                    "{spelling}"
                );
            }
        }
        assert!(APART.iter().all(|spelling| seen.contains(spelling)));
    }

    #[test]
    fn evaluations_with_blanks() {
        for (text, expected) in [
            ("+ -", Some((18, 3))),
            ("- + e5", Some((19, 3))),
            ("+ / - ", Some((16, 5))),
            ("= / +", Some((15, 5))),
            ("= ∞", Some((44, 5))),
            ("= + -", Some((15, 3))),
            ("= +-", Some((10, 1))),
            ("= e5", Some((10, 1))),
            ("+ e5", None),
            ("- e5", None),
        ] {
            assert_eq!(at(text), expected, "{text}");
        }
    }
}
