//! Compares spellings of names: of players ([`person`], [`short`]), and of events and places (the functions here). In: names
//! as files have them. Out: whether they can be one name, or a key that spellings of one name share.
//!
//! Letters are those of [`names`], as searches in the database fold them, too; what letters sound like is in [`sound`].

pub mod person;
pub mod short;
mod sound;

use chess_core::text::names;

/// Signs that do not tell names of events and places apart. Others do: a tournament and its play-off are `London` and
/// `London+`.
const SEPARATORS: &str = " .,'`-_()";

/// The name of an event or a place without blanks, accents and punctuation. Numbers stay apart: `11-2` is not `1-12`. A name
/// that is longer than what is folded is its own key.
pub fn key(name: &str) -> String {
    if name.chars().nth(names::MAX_CHARS).is_some() {
        return name.to_owned();
    }
    let is_sign = |letter: char| letter.is_ascii_punctuation() && !SEPARATORS.contains(letter);
    let is_digit = |letter: char| letter.is_ascii_digit();
    let mut key = String::new();
    for part in name.split_inclusive(is_sign) {
        for word in names::words(part) {
            if key.ends_with(is_digit) && word.starts_with(is_digit) {
                key.push(' ');
            }
            key.push_str(&word);
        }
        key.extend(part.chars().next_back().filter(|letter| is_sign(*letter)));
    }
    key
}

/// Whether at most one letter is changed, missing or added, or two neighbours are swapped. Digits are no letters, nor are the
/// signs of Chinese: each of them makes another name.
pub fn one_letter_apart(first: &str, second: &str) -> bool {
    let is_spelled = |word: &str| word.chars().all(char::is_lowercase);
    // the longest letter has four bytes
    first.len().abs_diff(second.len()) <= 4
        && is_spelled(first)
        && is_spelled(second)
        && strsim::osa_distance(first, second) <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_events_and_places() {
        for (one, other) in [
            ("Óbidos (PT)", "obidos, pt"),
            ("St. Petersburg", "ST PETERSBURG"),
            ("Köln", "KOELN"),
            ("Москва", "Moskva"),
            ("Val d'Isère", "Val d’Isere"),
            ("Cap d`Agde", "Cap d'Agde"),
        ] {
            assert_eq!(key(one), key(other), "{one}");
        }
        for (one, other) in
            [("Open 1-12", "Open 11-2"), ("Open A", "Open B"), ("London", "London ENG"), ("London", "London+")]
        {
            assert_ne!(key(one), key(other), "{one}");
        }
        assert_eq!(key("--"), "");
        let long = "x".repeat(names::MAX_CHARS);
        assert_ne!(key(&format!("{long} a")), key(&format!("{long} b")));
    }

    #[test]
    fn one_wrong_letter() {
        for (one, other) in [
            ("kasparov", "kasparov"),
            ("kasparov", "kaspatov"),
            ("kasparov", "kasparo"),
            ("kasparov", "kapsarov"),
            ("reykjavík", "reykjavik"),
            ("", "a"),
        ] {
            assert!(one_letter_apart(one, other) && one_letter_apart(other, one), "{one} {other}");
        }
        for (one, other) in [
            ("kasparov", "kaspatow"),
            ("kasparov", "kaspar"),
            ("ab", "ca"),
            ("", "ab"),
            ("bot1", "bot2"),
            ("王皓", "王昊"),
        ] {
            assert!(!one_letter_apart(one, other), "{one} {other}");
        }
    }
}
