//! Glyphs: signs after a move, such as `!?`, and their numbers in the PGN standard.
//!
//! Takes the text of a glyph, of a sign, or of a move with attached signs; returns numbers: 1 for `$1` and for `!`.

/// The number of a glyph: `$n`, or one of the six suffixes.
pub(crate) fn glyph(text: &str) -> Option<u32> {
    match text {
        "!" => Some(1),
        "?" => Some(2),
        "!!" => Some(3),
        "??" => Some(4),
        "!?" => Some(5),
        "?!" => Some(6),
        _ => {
            let digits = text.strip_prefix('$')?.trim_end_matches(['!', '?']);
            digits.parse().ok().filter(|number| *number <= i32::MAX as u32)
        }
    }
}

/// The number of a sign, if the standard has a glyph for it.
pub(crate) fn sign(text: &str) -> Option<u32> {
    Some(match text {
        "=" => 10,
        "∞" => 13,
        "+=" | "⩲" | "+/=" => 14,
        "=+" | "⩱" | "=/+" => 15,
        "±" | "+/-" => 16,
        "∓" | "-/+" => 17,
        "+-" => 18,
        "-+" => 19,
        "N" | "TN" => 146,
        "D" => 220,
        _ => return None,
    })
}

/// The offset of the signs attached to a move: `!` in `e4!`, `+-` in `Rxe8+-`, `N` in `c5N`.
pub(crate) fn glued(read: &str) -> usize {
    // After the last rank a letter is a promotion.
    let remark = ["TN", "N", "D"].into_iter().find(|word| {
        let before = read.strip_suffix(word).unwrap_or_default();
        before.ends_with(|before: char| ('2'..='7').contains(&before))
    });
    if let Some(word) = remark {
        return read.len() - word.len();
    }
    let is_sign = |next: char| matches!(next, '!' | '?' | '+' | '-' | '/' | '=' | '±' | '∓' | '⩲' | '⩱' | '∞' | '#');
    read.trim_end_matches(is_sign).len()
}

/// The first glyph in a run of signs, and the length up to its end. Signs without a glyph, such as `+`, are skipped.
pub(crate) fn first(signs: &str) -> Option<(u32, usize)> {
    for (at, _) in signs.char_indices() {
        let rest = &signs[at..];
        // The longest sign has three characters.
        let ends = rest.char_indices().map(|(i, c)| i + c.len_utf8()).take(3).collect::<Vec<_>>();
        let found = ends.iter().rev().find_map(|end| Some((glyph(&rest[..*end]).or(sign(&rest[..*end]))?, at + end)));
        if found.is_some() {
            return found;
        }
    }
    None
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
        let cases: [(&str, &[u32]); 14] = [
            ("e4", &[]),
            ("Bb5+", &[]),
            ("Qh7#", &[]),
            ("e8=Q", &[]),
            ("e8=N", &[]),
            ("e8N", &[]),
            ("O-O", &[]),
            ("e4!", &[1]),
            ("Bb5+!?", &[5]),
            ("e4!!", &[3]),
            ("Rxe8+-", &[18]),
            ("e4!+/-", &[1, 16]),
            ("c5N", &[146]),
            ("c5±", &[16]),
        ];
        for (read, expected) in cases {
            assert_eq!(all(read), expected, "{read}");
        }
    }
}
