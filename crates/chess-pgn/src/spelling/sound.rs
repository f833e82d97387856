//! Spells a word by its sound, so that transcriptions of one foreign name agree. In: a word as `chess_core::text::names`
//! folds it. Out: its sounds as letters, to be compared with those of another word.

/// Letters that stand for one sound, longer ones first. Behind them that sound, as transcriptions into one language agree
/// on it (`Gaivoronskii`, `Gayvoronskiy`), and its consonant, as transcriptions into any language do (`Korchnoi`,
/// `Kortschnoj`; `Alekhine`, `Aljechin`). Other letters stand for themselves.
const SOUNDS: [(&str, &str, &str); 29] = [
    ("tsch", "ch", "k"),
    ("tch", "ch", "k"),
    ("sch", "sh", "s"),
    ("ch", "ch", "k"),
    ("cz", "cz", "k"),
    ("cs", "cs", "k"),
    ("ck", "k", "k"),
    ("dj", "di", "d"),
    ("kh", "h", "k"),
    ("ks", "ks", "x"),
    ("ph", "f", "f"),
    ("sh", "sh", "s"),
    ("sz", "sz", "s"),
    ("th", "t", "t"),
    ("ts", "ts", "s"),
    ("tz", "ts", "s"),
    ("zh", "zh", "z"),
    ("a", "a", ""),
    ("e", "e", ""),
    ("i", "i", ""),
    ("j", "i", ""),
    ("o", "o", ""),
    ("u", "u", ""),
    ("y", "i", ""),
    ("h", "h", ""),
    ("c", "c", "k"),
    ("q", "q", "k"),
    ("w", "v", "v"),
    ("x", "ks", "x"),
];

/// Splits a word into groups of letters that stand for one sound, and returns each group with its sound and its consonant.
fn sounds(word: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let begins =
            |(letters, ..): &&(&str, _, _)| letters.as_bytes()[0] == rest.as_bytes()[0] && rest.starts_with(letters);
        let known = SOUNDS.iter().find(begins).copied();
        let (letters, after) = rest.split_at(known.map_or(first.len_utf8(), |(letters, ..)| letters.len()));
        rest = after;
        Some(known.unwrap_or((letters, letters, letters)))
    })
}

/// Appends sounds. A double letter sounds like one; digits all count, because they tell players apart.
fn push(heard: &mut String, sounds: &str) {
    for sound in sounds.chars() {
        if sound.is_ascii_digit() || !heard.ends_with(sound) {
            heard.push(sound);
        }
    }
}

/// What is heard of a word.
pub fn sound(word: &str) -> String {
    let mut heard = String::with_capacity(word.len());
    for (_, sound, _) in sounds(word) {
        push(&mut heard, sound);
    }
    heard
}

/// The consonants that are heard of a word, after the vowel or the `h` that it begins with. Words of up to three letters
/// stay as they are.
pub fn consonants(word: &str) -> String {
    if word.chars().nth(3).is_none() {
        return word.to_owned();
    }
    let mut heard = String::with_capacity(word.len());
    for (_, sound, consonant) in sounds(word) {
        let is_first = heard.is_empty();
        push(&mut heard, if is_first && consonant.is_empty() { beginning(sound) } else { consonant });
    }
    heard
}

/// The vowel or `h` that a word begins with. Transliterations disagree on it: Yusupov and Jussupow, Eljanov and Yeljanov.
fn beginning(sound: &str) -> &str {
    match sound {
        "e" => "i",
        _ => sound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_language() {
        for (one, other) in [
            ("gaivoronskii", "gayvoronskiy"),
            ("pshmakhov", "pshmahov"),
            ("alexander", "aleksander"),
            ("tchaikovsky", "chaikovski"),
            ("joseph", "yosef"),
            ("schmidt", "shmidt"),
        ] {
            assert_eq!(sound(one), sound(other));
        }
        for (one, other) in [("ivanov", "ivanova"), ("carlsen", "carlson"), ("player1", "player11")] {
            assert_ne!(sound(one), sound(other));
        }
    }

    #[test]
    fn spellings_of_several_languages() {
        for (one, other) in [
            ("korchnoi", "kortschnoj"),
            ("alekhine", "aljechin"),
            ("nimzowitsch", "nimzovich"),
            ("yusupov", "jussupow"),
            ("eljanov", "yeljanov"),
            ("carlsen", "karlsson"),
        ] {
            assert_eq!(consonants(one), consonants(other));
        }
        for (one, other) in [("li", "lu"), ("smyslov", "spassky"), ("bot11", "bot1"), ("王皓", "王昊")] {
            assert_ne!(consonants(one), consonants(other));
        }
    }
}
