//! Finds names of events or sites that are one without a list, from the names alone. In: the names with their numbers of
//! games. Out: a verdict for each.
//!
//! Names that differ in case, accents and punctuation are one; so are a place with and without its country, if it has one
//! country in these games. One wrong letter is doubtful: a single letter or a number can be what tells two events apart.

use std::collections::HashMap;

use chess_core::text::names::words;

use super::list::city;
use super::{Name, Of, Verdict};
use crate::spelling::{key, one_letter_apart};

/// Words with fewer letters are not compared letter by letter.
const LEAST_LETTERS: usize = 5;
/// Names with more words are not compared letter by letter: the memory for a name grows with their square.
const MOST_WORDS: usize = 20;
/// Groups of names that differ in one word are compared up to this size; larger ones are series of events.
const LARGEST: usize = 100;

/// Decides for each name.
pub fn decide(names: &[Name], of: Of) -> Vec<Verdict> {
    let mut verdicts = vec![Verdict::Unknown; names.len()];
    let mut by_key: HashMap<String, Vec<usize>> = HashMap::new();
    for (number, name) in names.iter().enumerate() {
        by_key.entry(key(&name.name)).or_default().push(number);
    }
    by_key.remove("");
    // The spelling with the most games stands for the others.
    for group in by_key.values_mut() {
        group.sort_by_key(|number| (std::cmp::Reverse(names[*number].games), names[*number].id));
        for &number in &group[1..] {
            verdicts[number] = Verdict::Is(names[group[0]].name.clone(), "the same letters", 0.99);
        }
    }
    let mut first: Vec<usize> = by_key.values().map(|group| group[0]).collect();
    first.sort_unstable();
    if of == Of::Sites {
        let mut by_city: HashMap<String, Vec<usize>> = HashMap::new();
        for &number in &first {
            if let Some(city) = city(&names[number].name) {
                by_city.entry(key(city)).or_default().push(number);
            }
        }
        for (city, countries) in by_city {
            let Some(group) = by_key.get(&city) else { continue };
            for &number in group {
                verdicts[number] = match countries[..] {
                    [only] => Verdict::Is(names[only].name.clone(), "the only country of this place", 0.95),
                    _ => {
                        let all = countries.iter().map(|country| names[*country].name.clone());
                        Verdict::Doubtful(all.collect(), "several countries have this place")
                    }
                };
            }
        }
    }
    one_letter_wrong(names, &first, &mut verdicts);
    verdicts
}

/// Whether a word is a Roman numeral, in which one letter makes another number.
fn is_numeral(word: &str) -> bool {
    word.bytes().all(|letter| b"ivxlcdm".contains(&letter))
}

/// A word of a name, with the index of the name.
type Word<'n> = (usize, &'n str);

/// Names of the same words but one, which has a letter changed, missing or added.
fn one_letter_wrong(names: &[Name], first: &[usize], verdicts: &mut [Verdict]) {
    let mut by_others: HashMap<(usize, Vec<&str>), Vec<Word<'_>>> = HashMap::new();
    let folded: Vec<(usize, Vec<String>)> = first.iter().map(|number| (*number, words(&names[*number].name))).collect();
    for (number, words) in folded.iter().filter(|(_, words)| words.len() <= MOST_WORDS) {
        for (at, word) in words.iter().enumerate() {
            let has_digit = word.contains(|letter: char| letter.is_ascii_digit());
            if word.chars().count() >= LEAST_LETTERS && !has_digit && !is_numeral(word) {
                let others = words[..at].iter().chain(&words[at + 1..]).map(String::as_str).collect();
                by_others.entry((at, others)).or_default().push((*number, word));
            }
        }
    }
    let mut doubts: HashMap<usize, Vec<usize>> = HashMap::new();
    for group in by_others.values().filter(|group| group.len() <= LARGEST) {
        for (at, (one, word)) in group.iter().enumerate() {
            for (other, of_other) in &group[at + 1..] {
                if word != of_other && one_letter_apart(word, of_other) {
                    let fewer = |number: &usize| (names[*number].games, std::cmp::Reverse(*number));
                    let (rare, common) = if fewer(one) < fewer(other) { (one, other) } else { (other, one) };
                    doubts.entry(*rare).or_default().push(*common);
                }
            }
        }
    }
    for (rare, mut commons) in doubts {
        if verdicts[rare] == Verdict::Unknown {
            commons.sort_unstable();
            commons.dedup();
            let commons = commons.into_iter().map(|number| names[number].name.clone());
            verdicts[rare] = Verdict::Doubtful(commons.collect(), "one letter differs");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(of: Of, names: &[(&str, u32)]) -> Vec<String> {
        let names: Vec<Name> =
            names.iter().zip(1..).map(|((name, games), id)| Name { id, name: (*name).into(), games: *games }).collect();
        let told = |(name, verdict): (&Name, Verdict)| match verdict {
            Verdict::Is(into, ..) => Some(format!("{} = {into}", name.name)),
            Verdict::Doubtful(into, _) => Some(format!("{}? {}", name.name, into.join(" or "))),
            Verdict::Unknown => None,
        };
        names.iter().zip(decide(&names, of)).filter_map(told).collect()
    }

    #[test]
    fn sites() {
        let found = decided(
            Of::Sites,
            &[
                ("St. Petersburg", 5),
                ("St Petersburg RUS", 9),
                ("ST PETERSBURG", 2),
                ("London", 3),
                ("London ENG", 9),
                ("London CAN", 1),
                ("Wijk aan Zee NED", 4),
                ("Wijk an Zee NED", 1),
                ("Reykjavik", 1),
                ("Reykjavík", 2),
                ("Köln", 2),
                ("Koeln", 1),
                ("?!", 1),
                ("--", 1),
                ("Nice", 1),
                ("Nica", 1),
            ],
        );
        let expected = [
            "St. Petersburg = St Petersburg RUS",
            "ST PETERSBURG = St Petersburg RUS",
            "London? London ENG or London CAN",
            "Reykjavik = Reykjavík",
            "Koeln = Köln",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn events() {
        let found = decided(
            Of::Events,
            &[
                ("World Cup 2013", 1),
                ("World Cup 2015", 1),
                ("Open A", 1),
                ("Open B", 1),
                ("Candidates Tournament", 9),
                ("Candidats Tournament", 5),
                ("Tal mem", 1),
                ("Tal Mem", 2),
                ("XXVII Open", 1),
                ("XXVIII Open", 1),
                ("Group 1-12", 1),
                ("Group 11-2", 1),
                ("London", 1),
                ("London ENG", 1),
            ],
        );
        assert_eq!(found, ["Candidats Tournament? Candidates Tournament", "Tal mem = Tal Mem"]);
        let long = "of the ".repeat(MOST_WORDS / 2);
        let names = [format!("Candidates {long}"), format!("Candidats {long}")];
        assert_eq!(decided(Of::Events, &[(&names[0], 1), (&names[1], 1)]), [""; 0], "texts are no names");
    }
}
