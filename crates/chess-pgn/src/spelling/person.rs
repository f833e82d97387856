//! Compares the names of players of two games. In: names as PGN has them. Out: whether they can be one person, and a key
//! that is equal for names that can be: a sort by it brings them together.
//!
//! A name is its surname and the given names or initials: `Korchnoi, Viktor L`, `V. Korchnoi`, `Viktor Korchnoi`.
//! Different transliterations agree in their consonants: Korchnoi and Kortschnoj, Alekhine and Aljechin, Nimzowitsch and
//! Nimzovich.

use std::hash::{DefaultHasher, Hash, Hasher};

use chess_core::text::names::words;

use super::one_letter_apart;
use super::sound::consonants;

/// The parts of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The surname in plain letters without blanks: `vandersterren`.
    surname: String,
    /// The consonants of the surname.
    consonants: String,
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
        Person { consonants: consonants(&surname), surname, given, words }
    }

    /// Whether there is no name at all.
    pub fn is_unknown(&self) -> bool {
        self.surname.is_empty()
    }

    /// Names that can be one person have equal keys, except where only the order of a name's words tells its surname.
    pub fn key(&self) -> i64 {
        let mut hasher = DefaultHasher::new();
        self.consonants.hash(&mut hasher);
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
            Likeness::Same if self.consonants == other.consonants && self.consonants.len() > 1 => Likeness::Same,
            Likeness::Same if misspells(&self.surname, &other.surname) => Likeness::Alike,
            Likeness::Same if contains_surname(&self.surname, &other.surname) => Likeness::Alike,
            _ => Likeness::Different,
        }
    }
}

/// Whether two surnames of five letters or more differ in one.
fn misspells(first: &str, second: &str) -> bool {
    first.chars().count().min(second.chars().count()) > 4 && one_letter_apart(first, second)
}

/// A double surname of which one part is missing: Polgar and Polgarsanz.
fn contains_surname(first: &str, second: &str) -> bool {
    let (long, short) = if first.len() > second.len() { (first, second) } else { (second, first) };
    short.chars().count() > 3 && (long.starts_with(short) || long.ends_with(short))
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
        || begin_alike(long, short) && one_letter_apart(long, short)
        || (begin_alike(long, short) || short.chars().count() > 3) && consonants(long) == consonants(short);
    if same { Likeness::Same } else { Likeness::Different }
}

fn begin_alike(first: &str, second: &str) -> bool {
    first.chars().next() == second.chars().next()
}

fn initials(given: &[String]) -> String {
    given.iter().filter_map(|word| word.chars().next()).collect()
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
        // a sign of Chinese or Japanese is no letter: one is half of a name
        for (first, second) in
            [("王皓", "王昊"), ("王", "王皓"), ("佐々木勇気", "佐々木勇人"), ("王, 天明", "王, 天亮")]
        {
            assert_eq!(likeness(first, second), Likeness::Different, "{first} {second}");
        }
        assert_eq!(likeness("Παπαδόπουλος, Γ", "Παπαδόπυλος, Γ"), Likeness::Alike);
    }
}
