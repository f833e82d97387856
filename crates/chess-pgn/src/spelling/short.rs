//! Whether a name is short for a fuller one, such as those of a list. In: names as files write them, such as `Carlsen,M` and
//! `Magnus Carlsen`. Out: how well one fits another. ([`super::person`] asks something else: whether two names of two games
//! can be one person.)
//!
//! Numbers behind the words (`Ivan2`) are ignored.

use chess_core::text::names;

use super::sound::sound;

/// The words of a name in lower case, without accents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spelling {
    words: Vec<String>,
    /// The number of words before the comma; 0 without a comma.
    surname: usize,
}

/// How well a name fits a fuller one, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// The surname alone.
    Surname,
    /// The surname and initials.
    Initials,
    /// The surname and the beginning of the first given name.
    Beginning,
    /// The surname and the first given name.
    Given,
    /// All words.
    Equal,
}

/// Names are cut off after this many words.
const MAX_WORDS: usize = 8;

impl Spelling {
    /// Reads a name.
    pub fn new(name: &str) -> Spelling {
        let mut spelling = Spelling::default();
        let (surname, given) = name.split_once(',').unwrap_or((name, ""));
        spelling.push(surname);
        spelling.surname = spelling.words.len();
        spelling.push(given);
        if spelling.surname == spelling.words.len() {
            spelling.surname = 0;
        }
        spelling
    }

    /// Adds the words of a part of a name. Numbers tell players of one name apart (`Ivan2`), and years are those of birth.
    fn push(&mut self, part: &str) {
        let words = names::words(part).into_iter();
        let words = words.map(|word| word.trim_end_matches(|letter: char| letter.is_ascii_digit()).to_owned());
        let left = MAX_WORDS - self.words.len();
        self.words.extend(words.filter(|word| !word.is_empty()).take(left));
    }

    /// The possible orders of the words, surname first, each with the number of its words; without a comma any word may
    /// begin the surname.
    fn orders(&self) -> impl Iterator<Item = (Vec<&str>, usize)> {
        let turns = if self.surname == 0 { self.words.len() } else { 1 };
        (0..turns).map(|turn| {
            let words = self.words[turn..].iter().chain(&self.words[..turn]).map(String::as_str).collect();
            // After a turn, the words that have moved to the front are the surname.
            (words, if self.surname > 0 || turn == 0 { self.surname } else { self.words.len() - turn })
        })
    }

    /// The words that the name can begin with.
    pub fn first_words(&self) -> impl Iterator<Item = &str> {
        let turns = if self.surname == 0 { self.words.len() } else { 1 };
        self.words[..turns.min(self.words.len())].iter().map(String::as_str)
    }

    /// The words.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// A key that is equal for transcriptions of one foreign name, such as `Gaivoronskii` and `Gayvoronskiy`.
    pub fn sound(&self) -> String {
        self.words.iter().map(|word| sound(word)).collect::<Vec<_>>().join(" ")
    }

    /// The first word.
    pub fn first(&self) -> Option<&str> {
        self.words.first().map(String::as_str)
    }

    /// Whether a given name is there in full.
    pub fn has_given_name(&self) -> bool {
        self.words.len() > 1 && self.words[self.surname.max(1)..].iter().any(|word| word.chars().count() > 1)
    }

    /// How well this name fits another one, which is as full or fuller.
    pub fn fits(&self, fuller: &Spelling) -> Option<Likeness> {
        self.orders().filter_map(|(words, surname)| fits(&words, surname, fuller)).max()
    }
}

fn fits(words: &[&str], surname: usize, fuller: &Spelling) -> Option<Likeness> {
    if surname > 0 && fuller.surname > 0 && surname != fuller.surname {
        return None;
    }
    if words.len() > fuller.words.len() {
        return None;
    }
    let surname = surname.max(fuller.surname).max(1);
    let mut likeness = if words.len() == fuller.words.len() { Likeness::Equal } else { Likeness::Given };
    if words.len() <= surname {
        likeness = if words.len() == fuller.words.len() { Likeness::Equal } else { Likeness::Surname };
    }
    for (at, (word, full)) in words.iter().zip(&fuller.words).enumerate() {
        if word == full {
            // Both names have the same initial, which proves no more than initials do.
            if at == surname && word.chars().count() == 1 && likeness < Likeness::Equal {
                likeness = likeness.min(Likeness::Initials);
            }
        } else if at < surname || !full.starts_with(word) {
            return None;
        } else if at > surname {
            likeness = likeness.min(Likeness::Given);
        } else {
            let initial = is_short(word);
            likeness = likeness.min(if initial { Likeness::Initials } else { Likeness::Beginning });
        }
    }
    Some(likeness)
}

/// Whether a word is an abbreviation: one letter, or two that are no given name, such as `Dm` and `Al`. `Yi` and `An` are
/// given names.
fn is_short(word: &str) -> bool {
    match word.as_bytes() {
        [_] => true,
        [_, last] => last.is_ascii_alphabetic() && !b"aeiouyn".contains(last),
        _ => word.chars().count() == 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(name: &str, fuller: &str) -> Option<Likeness> {
        Spelling::new(name).fits(&Spelling::new(fuller))
    }

    #[test]
    fn names_that_fit() {
        for (name, fuller, likeness) in [
            ("Carlsen,Magnus", "Carlsen, Magnus", Likeness::Equal),
            ("Magnus Carlsen", "Carlsen, Magnus", Likeness::Equal),
            ("CARLSEN, M.", "Carlsen, Magnus", Likeness::Initials),
            ("M. Carlsen", "Carlsen, Magnus", Likeness::Initials),
            ("Carlsen,Mag", "Carlsen, Magnus", Likeness::Beginning),
            ("Kokarev,Dm", "Kokarev, Dmitry", Likeness::Initials),
            ("Yu,Yi", "Yu, Yilin", Likeness::Beginning),
            ("Prokhorov,Ivan", "Prokhorov, Ivan2", Likeness::Equal),
            ("Grigoryan,K2", "Grigoryan, Karen H.", Likeness::Initials),
            ("Garcia,Victor 2007", "Garcia, Victor", Likeness::Equal),
            ("Carlsen,Magnus", "Carlsen, Magnus Oen", Likeness::Given),
            ("Carlsen,Magnus O", "Carlsen, Magnus Oen", Likeness::Given),
            ("Carlsen", "Carlsen, Magnus", Likeness::Surname),
            ("Muller,K", "Müller, Karsten", Likeness::Initials),
            ("Mueller,Karsten", "Müller, Karsten", Likeness::Equal),
            ("Weiss, A", "Weiß, Anna", Likeness::Initials),
            ("van der Wiel, J", "Van der Wiel, John", Likeness::Initials),
            ("John van der Wiel", "Van der Wiel, John", Likeness::Equal),
            ("O'Kelly, A", "OKelly, Alberic", Likeness::Initials),
            ("Aadarsh Kumar", "Aadarsh Kumar M E", Likeness::Given),
        ] {
            assert_eq!(fits(name, fuller), Some(likeness), "{name} {fuller}");
        }
    }

    #[test]
    fn names_that_do_not_fit() {
        for (name, fuller) in [
            ("Li,M", "Lim, Aaron"),
            ("Xu,Y", "Xue, Yi"),
            ("Carlsen, N", "Carlsen, Magnus"),
            ("Garcia,V", "Garcia Fernandez, Victor"),
            ("Carlsen, Magnus Oen", "Carlsen, Magnus"),
            ("", "Carlsen, Magnus"),
            (", M", "Carlsen, Magnus"),
            ("Carlsen, Magnus", ""),
        ] {
            assert_eq!(fits(name, fuller), None, "{name} {fuller}");
        }
    }

    #[test]
    fn transcriptions() {
        let sound = |name: &str| Spelling::new(name).sound();
        assert_eq!(sound("Gaivoronskii,Andrei"), sound("Gayvoronskiy, Andrey"));
        assert_eq!(sound("Pshmakhov,Osman"), sound("Pshmahov, Osman"));
        assert_eq!(sound("Kortschnoj, Wiktor"), sound("Korchnoi, Viktor"));
        assert_ne!(sound("Li, Na"), sound("Lina"));
        assert_ne!(sound("Ivanov, Alexander"), sound("Ivanova, Alexandra"));
    }

    #[test]
    fn names_of_any_length() {
        let long = "ﷺ ".repeat(5000);
        let spelling = Spelling::new(&long);
        assert!(spelling.words.len() <= MAX_WORDS);
        assert_eq!(spelling.fits(&spelling), Some(Likeness::Equal));
        assert_eq!(Spelling::new(",,, .-").fits(&Spelling::new("-")), None);
    }
}
