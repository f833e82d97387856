//! Compares the names of players of two games. In: names as PGN has them. Out: whether they can be one person, and a key
//! that is equal for names that can be: a sort by it brings them together.
//!
//! A name is its surname and the given names or initials: `Korchnoi, Viktor L`, `V. Korchnoi`, `Viktor Korchnoi`.
//! Letters are compared as [`names`] folds them. Different transliterations agree in their consonants: Korchnoi and
//! Kortschnoj, Alekhine and Aljechin, Nimzowitsch and Nimzovich.

use std::hash::{DefaultHasher, Hash, Hasher};

use chess_core::text::names;

/// The parts of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The surname in plain letters without blanks: `vandersterren`.
    surname: String,
    /// The consonants of the surname by sound.
    sound: String,
    /// Given names and initials in plain letters.
    given: Vec<String>,
    /// All words, sorted. `Carlsen Magnus`, without a comma, may have its surname at either end.
    words: Vec<String>,
}

/// How far two names agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// Two people.
    Different,
    /// One of the names is not known.
    Unknown,
    /// Perhaps one person: the surnames are equal and a given name is missing, or the surnames sound alike.
    Alike,
    /// One person, as far as names can tell.
    Same,
}

impl Person {
    /// Reads a name. Titles in front and notes in brackets are left out.
    pub fn new(name: &str) -> Person {
        let name = name.split(['(', '[']).next().unwrap_or_default();
        let (surname, given) = match name.split_once(',') {
            Some((surname, given)) => (words(surname), words(given)),
            None => split(words(name)),
        };
        let mut words = [&surname[..], &given[..]].concat();
        words.sort_unstable();
        let surname = surname.concat();
        Person { sound: sound(&surname), surname, given, words }
    }

    /// Whether there is no name at all.
    pub fn is_unknown(&self) -> bool {
        self.surname.is_empty()
    }

    /// Names that can be one person have equal keys, except where only the order of a name's words tells its surname.
    pub fn key(&self) -> i64 {
        let mut hasher = DefaultHasher::new();
        self.sound.hash(&mut hasher);
        hasher.finish() as i64
    }

    /// Compares two names.
    pub fn compare(&self, other: &Person) -> Likeness {
        if self.is_unknown() || other.is_unknown() {
            return Likeness::Unknown;
        }
        if self.words == other.words {
            return Likeness::Same;
        }
        let given = given_likeness(&self.given, &other.given);
        // Nicknames, numbered engines and players are told apart by single letters.
        let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
        let exact = has_digit(&self.surname) || has_digit(&other.surname);
        match given {
            _ if given == Likeness::Different => Likeness::Different,
            _ if self.surname == other.surname => given,
            _ if exact => Likeness::Different,
            // Two surnames that sound alike need the given names to agree.
            Likeness::Same if self.sound == other.sound && self.sound.len() > 1 => Likeness::Same,
            Likeness::Same
                if self.surname.len().min(other.surname.len()) > 4
                    && one_letter_apart(&self.surname, &other.surname) =>
            {
                Likeness::Alike
            }
            Likeness::Same if contains_surname(&self.surname, &other.surname) => Likeness::Alike,
            _ => Likeness::Different,
        }
    }
}

/// A double surname of which one part is missing: Polgar and Polgarsanz.
fn contains_surname(first: &str, second: &str) -> bool {
    let (long, short) = if first.len() > second.len() { (first, second) } else { (second, first) };
    short.len() > 3 && (long.starts_with(short) || long.ends_with(short))
}

/// [`Likeness::Same`] if the first given names or their initials agree, [`Likeness::Alike`] if one is missing.
fn given_likeness(first: &[String], second: &[String]) -> Likeness {
    let (Some(mine), Some(others)) = (first.first(), second.first()) else {
        return if first.len() == second.len() { Likeness::Same } else { Likeness::Alike };
    };
    let (long, short) = if mine.len() > others.len() { (mine, others) } else { (others, mine) };
    let same = long.starts_with(short.as_str())
        // `VL` stands for Viktor Lvovich
        || initials(first).starts_with(others.as_str())
        || initials(second).starts_with(mine.as_str())
        || (long.as_bytes()[0] == short.as_bytes()[0] && (one_letter_apart(long, short) || sound(long) == sound(short)))
        || sound(long) == sound(short) && short.len() > 3;
    if same { Likeness::Same } else { Likeness::Different }
}

fn initials(given: &[String]) -> String {
    given.iter().filter_map(|word| word.chars().next()).collect()
}

/// Whether one letter is changed, missing or added, or two neighbours are swapped. Letters beyond ASCII count as two.
pub fn one_letter_apart(first: &str, second: &str) -> bool {
    let (long, short) = if first.len() > second.len() { (first, second) } else { (second, first) };
    let (long, short) = (long.as_bytes(), short.as_bytes());
    let same = long.iter().zip(short).take_while(|(a, b)| a == b).count();
    let (rest, other) = (&long[same..], &short[same..]);
    match long.len() - short.len() {
        0 => {
            rest.len() < 2
                || rest[1..] == other[1..]
                || rest[0] == other[1] && rest[1] == other[0] && rest[2..] == other[2..]
        }
        1 => rest[1..] == *other,
        _ => false,
    }
}

/// Surname and given names where no comma tells: the last word is the surname, unless only initials follow it.
fn split(mut words: Vec<String>) -> (Vec<String>, Vec<String>) {
    const TITLES: [&str; 9] = ["gm", "im", "fm", "cm", "wgm", "wim", "wfm", "wcm", "dr"];
    while words.len() > 1 && TITLES.contains(&words[0].as_str()) {
        words.remove(0);
    }
    let initials = words.iter().rev().take_while(|word| word.len() == 1).count();
    if initials > 0 && initials < words.len() {
        let given = words.split_off(words.len() - initials);
        return (words, given);
    }
    let given = words.len().saturating_sub(1);
    // Particles belong to the surname.
    let given = words[..given].iter().position(|word| PARTICLES.contains(&word.as_str())).unwrap_or(given);
    let surname = words.split_off(given);
    (surname, words)
}

const PARTICLES: [&str; 10] = ["van", "von", "de", "der", "den", "da", "del", "di", "la", "le"];

/// The words of a text in plain lower-case letters and digits. `M.V.` is two. Letters of other alphabets are kept by their
/// numbers: what follows compares bytes.
fn words(text: &str) -> Vec<String> {
    let in_ascii = |word: String| match word.is_ascii() {
        true => word,
        false => word
            .chars()
            .map(|letter| if letter.is_ascii() { letter.to_string() } else { format!("{:x}", letter as u32) })
            .collect(),
    };
    names::words(text).into_iter().map(in_ascii).collect()
}

/// The consonants of a word by sound, with its first letter; short words stay as they are. In: plain letters.
fn sound(word: &str) -> String {
    const SOUNDS: [(&str, u8); 17] = [
        ("tsch", b'k'),
        ("tch", b'k'),
        ("sch", b's'),
        ("ch", b'k'),
        ("cz", b'k'),
        ("cs", b'k'),
        ("sh", b's'),
        ("sz", b's'),
        ("zh", b'z'),
        ("kh", b'k'),
        ("ph", b'f'),
        ("th", b't'),
        ("ck", b'k'),
        ("ts", b's'),
        ("tz", b's'),
        ("dj", b'd'),
        ("ks", b'x'),
    ];
    if word.len() <= 3 {
        return word.to_owned();
    }
    let mut out: Vec<u8> = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some(&letter) = rest.as_bytes().first() {
        let (found, len) = match SOUNDS.iter().find(|(letters, _)| rest.starts_with(letters)) {
            Some((letters, sound)) => (Some(*sound), letters.len()),
            None => match letter {
                b'a' | b'e' | b'i' | b'o' | b'u' | b'y' | b'j' => (out.is_empty().then_some(vowel(letter)), 1),
                b'h' => (out.is_empty().then_some(b'h'), 1),
                b'w' => (Some(b'v'), 1),
                b'c' | b'q' => (Some(b'k'), 1),
                other => (Some(other), 1),
            },
        };
        if let Some(found) = found
            && (out.last() != Some(&found) || found.is_ascii_digit())
        {
            out.push(found);
        }
        rest = &rest[len..];
    }
    String::from_utf8(out).unwrap_or_default()
}

/// Transliterations disagree on the vowel that a name begins with: Yusupov and Jussupow, Eljanov and Yeljanov.
fn vowel(letter: u8) -> u8 {
    match letter {
        b'a' | b'o' | b'u' => letter,
        _ => b'i',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(first: &str, second: &str) -> Likeness {
        let (first, second) = (Person::new(first), Person::new(second));
        assert_eq!(first.compare(&second), second.compare(&first), "{first:?} {second:?}");
        first.compare(&second)
    }

    #[test]
    fn spellings_of_one_name() {
        for (first, second) in [
            ("Carlsen, Magnus", "Carlsen,M"),
            ("Carlsen, Magnus", "Magnus Carlsen"),
            ("Carlsen, Magnus", "Carlsen M."),
            ("Carlsen, Magnus", "GM Magnus Carlsen"),
            ("Carlsen, Magnus", "CARLSEN, MAGNUS (NOR)"),
            ("Magnus Carlsen", "Carlsen Magnus"),
            ("Castellanos Rodriguez,R", "R Castellanos Rodriguez"),
            ("Korchnoi, Viktor L", "Kortschnoj, V."),
            ("Korchnoi, Viktor", "Korchnoi, Victor"),
            ("Alekhine, Alexander", "Aljechin, A"),
            ("Nimzowitsch, Aaron", "Nimzovich, A"),
            ("Müller, Karsten", "Muller, K"),
            ("Grünfeld, Ernst", "Gruenfeld, Ernst"),
            ("Yusupov, Artur", "Jussupow, A"),
            ("Van der Sterren, Paul", "Paul van der Sterren"),
            ("Đurić, Stefan", "Djuric, S"),
            ("Карпов, Анатолий", "Karpov, Anatolij"),
            ("O'Kelly, A", "O\u{2019}Kelly, Alberic"),
            ("Nakamura", "nakamura"),
            ("Korchnoi, Viktor Lvovich", "Korchnoi, VL"),
        ] {
            assert_eq!(likeness(first, second), Likeness::Same, "{first} {second}");
            assert_eq!(
                Person::new(first).key() == Person::new(second).key(),
                // without a comma, the last word counts as the surname
                !["Carlsen Magnus", "R Castellanos Rodriguez"].contains(&second),
                "{first} {second}"
            );
        }
    }

    #[test]
    fn perhaps_one_person() {
        for (first, second) in [
            ("Carlsen", "Carlsen, Magnus"),
            ("Tartakower, S", "Tartakover, Savielly"),
            ("Petrosian, T", "Petrosjan, T"),
        ] {
            assert!(likeness(first, second) >= Likeness::Alike, "{first} {second}");
        }
        assert_eq!(likeness("Nakamura, Hikaru", "Nakamara, Hikaru"), Likeness::Same);
        assert_eq!(likeness("Kasparov, G", "Kaspatov, G"), Likeness::Alike);
        assert_eq!(likeness("?", "Carlsen, M"), Likeness::Unknown);
        assert_eq!(likeness("", "?"), Likeness::Unknown);
    }

    #[test]
    fn different_people() {
        for (first, second) in [
            ("Carlsen, Magnus", "Carlsen, Henrik"),
            ("Polgar, Judit", "Polgar, Susan"),
            ("Li, Chao", "Lu, Chao"),
            ("Stockfish 14", "Stockfish 15"),
            ("bot1", "bot2"),
            ("Smyslov, V", "Spassky, B"),
            ("Petrosian, T", "Petrosian, A"),
        ] {
            assert_eq!(likeness(first, second), Likeness::Different, "{first} {second}");
        }
    }

    #[test]
    fn odd_names() {
        for name in ["", ",", ",,", "  ", "((", "\u{301}", "王皓", "😀", "-", "a,", ",a", &"x".repeat(10_000)] {
            let person = Person::new(name);
            person.key();
            assert!(matches!(person.compare(&person), Likeness::Same | Likeness::Unknown), "{name}");
            assert!(person.compare(&Person::new("Carlsen, M")) <= Likeness::Unknown, "{name}");
        }
        assert_eq!(likeness("王皓", "王皓"), Likeness::Same);
        assert_eq!(likeness("王皓", "王昊"), Likeness::Different);
    }
}
