//! Decides which player of a list a name stands for. In: the name, and the years, ratings and titles in its games. Out: the
//! player with a reason and a score, or all players that it may be.
//!
//! A wrong merge is worse than a missed one: nothing is decided if two players are possible, or if the games contradict the
//! only one. docs/players.md has the measured errors of each rule, which are the base of the scores.

use std::collections::BTreeMap;

use super::list::{List, Listed};
use crate::spelling::short::{Likeness, Spelling};

/// The years, ratings and titles in the games of a name.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The number of games, with either colour.
    pub seats: u32,
    /// The number of games for each year and Elo.
    pub elos: BTreeMap<(i16, i16), u32>,
    /// The number of games for each year.
    pub years: BTreeMap<i16, u32>,
    /// The number of games for each title.
    pub titles: BTreeMap<String, u32>,
}

impl Facts {
    /// Adds the games of another spelling of the same player.
    pub fn add(&mut self, other: &Facts) {
        self.seats += other.seats;
        other.elos.iter().for_each(|(key, count)| *self.elos.entry(*key).or_default() += count);
        other.years.iter().for_each(|(key, count)| *self.years.entry(*key).or_default() += count);
        other.titles.iter().for_each(|(key, count)| *self.titles.entry(key.clone()).or_default() += count);
    }

    /// The most frequent title.
    fn title(&self) -> Option<&str> {
        self.titles.iter().max_by_key(|(_, count)| **count).map(|(title, _)| title.as_str())
    }
}

/// The reason for a decision, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The tags have the FIDE id of the player.
    FideId,
    /// Several players fit, but only one had the ratings of the games at that time.
    Elo,
    /// Several players fit, but only one has the title of the tags.
    Title,
    /// The given name is there in full, and only one player has this name.
    FullName,
    /// Several players fit, but only one is spelled exactly so.
    Spelling,
    /// The name fits a player who had the same opponent in the same round: one game is stored twice.
    SameSeat,
    /// A short name fits one player, who had the ratings of the games at that time.
    ShortNameElo,
    /// A short name fits one player, and the ratings do not contradict.
    ShortName,
    /// The name fits nobody, but is another transcription of the name of a player with similar ratings.
    Transcription,
}

impl Reason {
    /// The reason in words.
    pub fn text(self) -> &'static str {
        match self {
            Reason::FideId => "FIDE id",
            Reason::Elo => "Elo at the time",
            Reason::Title => "title",
            Reason::FullName => "full name",
            Reason::Spelling => "spelling",
            Reason::SameSeat => "same round and opponent",
            Reason::ShortNameElo => "initials and Elo",
            Reason::ShortName => "initials",
            Reason::Transcription => "transcription",
        }
    }

    /// How sure it is, from 0 to 1.
    pub fn score(self) -> f32 {
        match self {
            Reason::FideId => 1.0,
            Reason::Elo | Reason::ShortNameElo => 0.99,
            Reason::Title | Reason::FullName | Reason::SameSeat => 0.98,
            Reason::Spelling => 0.95,
            Reason::ShortName | Reason::Transcription => 0.9,
        }
    }
}

/// A decision about a name. Players are indexes into the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It stands for this player.
    Is(usize, Reason),
    /// It may stand for one of these players or for somebody else. The text says why nothing is decided.
    Doubtful(Vec<usize>, &'static str),
    /// The list has nobody whom it fits.
    Unknown,
}

/// Decides for a name by a list of all players. A FIDE id in the games decides alone.
pub fn decide(list: &List, name: &str, fide_id: Option<i32>, facts: &Facts) -> Verdict {
    match fide_id {
        Some(id) => list.with_id(id).map_or(Verdict::Unknown, |player| Verdict::Is(player, Reason::FideId)),
        None => by_name(list, name, facts, Knows::Everybody),
    }
}

/// Decides for a short name by the full names in the games. Players who are not among them may have the same initials, so
/// only equal ratings count.
pub fn decide_within(list: &List, name: &str, facts: &Facts) -> Verdict {
    by_name(list, name, facts, Knows::Some)
}

/// Whether the games do not contradict that a name is that of a player.
pub fn may_be(player: &Listed, facts: &Facts) -> bool {
    Fit::new(0, player, Likeness::Equal, facts, i16::MAX).possible
}

/// Whether a list is complete.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Knows {
    Everybody,
    Some,
}

fn by_name(list: &List, name: &str, facts: &Facts, knows: Knows) -> Verdict {
    let name = Spelling::new(name);
    let all = list.whom_fits(&name);
    if all.is_empty() {
        return if knows == Knows::Everybody { by_sound(list, &name, facts) } else { Verdict::Unknown };
    }
    let fits: Vec<Fit<'_>> = all
        .iter()
        .map(|(number, likeness)| Fit::new(*number, &list.players[*number], *likeness, facts, list.year))
        .collect();
    let mut possible: Vec<&Fit<'_>> = fits.iter().filter(|fit| fit.possible).collect();
    possible.sort_by_key(|fit| std::cmp::Reverse((fit.equal, fit.likeness)));
    let numbers = |fits: &[&Fit<'_>]| fits.iter().take(5).map(|fit| fit.number).collect();
    match possible[..] {
        [] => Verdict::Doubtful(numbers(&fits.iter().collect::<Vec<_>>()), "Elo or dates are against it"),
        [only] => alone(only, &name, facts, list.year)
            .filter(|reason| knows == Knows::Everybody || *reason == Reason::ShortNameElo && only.equal >= 3)
            .map_or(Verdict::Doubtful(vec![only.number], "a short name alone"), |reason| {
                Verdict::Is(only.number, reason)
            }),
        [first, second, ..] => {
            // The ratings of another player may be equal by chance, but not nearly as often.
            if first.equal >= 3 && first.equal >= 20 * second.equal && first.far * 10 <= first.equal {
                return Verdict::Is(first.number, Reason::Elo);
            }
            if knows == Knows::Some {
                return Verdict::Doubtful(numbers(&possible), "several players of this name");
            }
            // A full name does not stand for a longer one.
            let exact: Vec<_> = possible
                .iter()
                .filter(|fit| name.has_given_name() && fit.likeness == Likeness::Equal)
                .copied()
                .collect();
            if let Some(title) = facts.title() {
                let alike = if exact.is_empty() { &possible } else { &exact };
                let titled: Vec<_> =
                    alike.iter().filter(|fit| fit.player.titles.iter().any(|held| held == title)).collect();
                if let [only] = titled[..] {
                    return Verdict::Is(only.number, Reason::Title);
                }
            }
            match exact[..] {
                [only] if second.equal == 0 => Verdict::Is(only.number, Reason::Spelling),
                _ => Verdict::Doubtful(numbers(&possible), "several players of this name"),
            }
        }
    }
}

/// Decides for a name that fits nobody, by its sound.
fn by_sound(list: &List, name: &Spelling, facts: &Facts) -> Verdict {
    if !name.has_given_name() {
        return Verdict::Unknown;
    }
    let alike = list.who_sounds_like(name);
    let fits = alike.map(|number| Fit::new(number, &list.players[number], Likeness::Initials, facts, list.year));
    match fits.collect::<Vec<_>>()[..] {
        [ref only] if only.possible && only.is_near(facts, list.year) => {
            Verdict::Is(only.number, Reason::Transcription)
        }
        _ => Verdict::Unknown,
    }
}

/// The reason why a name that fits only one player belongs to him; `None` if that is doubtful.
fn alone(fit: &Fit<'_>, name: &Spelling, facts: &Facts, year: i16) -> Option<Reason> {
    let supported = fit.equal > 0 && fit.far <= fit.equal;
    match fit.likeness {
        Likeness::Equal | Likeness::Given if name.has_given_name() => Some(Reason::FullName),
        Likeness::Surname if !supported || fit.equal < 3 => None,
        _ if supported => Some(Reason::ShortNameElo),
        // A beginning may be a name of its own: `Yu, Zhe` is not `Yu, Zhengwen`.
        Likeness::Surname | Likeness::Beginning => None,
        _ if fit.compared > 0 => None,
        // A player who is not in the list may have the same initials: his ratings would differ.
        _ => fit.is_near(facts, year).then_some(Reason::ShortName),
    }
}

/// A player whom a name fits, compared with the ratings and years of its games.
struct Fit<'l> {
    number: usize,
    player: &'l Listed,
    likeness: Likeness,
    /// The number of games whose Elo is one of the player's ratings of that year.
    equal: u32,
    /// The number of games whose Elo differs by more than 100 from all ratings of that year.
    far: u32,
    /// The number of games with an Elo, of years of which the list has ratings.
    compared: u32,
    possible: bool,
}

impl<'l> Fit<'l> {
    fn new(number: usize, player: &'l Listed, likeness: Likeness, facts: &Facts, list_year: i16) -> Fit<'l> {
        let mut fit = Fit { number, player, likeness, equal: 0, far: 0, compared: 0, possible: true };
        for (&(year, elo), &count) in &facts.elos {
            let Some(nearest) = fit.ratings(year).map(|known| known.abs_diff(elo)).min() else { continue };
            fit.compared += count;
            fit.equal += if nearest == 0 { count } else { 0 };
            fit.far += if nearest > 100 { count } else { 0 };
        }
        fit.possible = fit.lived(facts) && fit.was_strong_enough(facts, list_year) && fit.far * 2 <= fit.compared;
        fit
    }

    /// Whether the player was alive, and old enough, in the years of the games. One wrong date in fifty is tolerated.
    fn lived(&self, facts: &Facts) -> bool {
        let (first, last) = (self.player.born.map_or(i16::MIN, |born| born + 5), self.player.died.unwrap_or(i16::MAX));
        let last = self.player.born.map_or(last, |born| last.min(born + 95));
        let outside: u32 = facts.years.iter().filter(|(year, _)| !(first..=last).contains(*year)).map(|(_, n)| n).sum();
        let all: u32 = facts.years.values().sum();
        outside * 50 <= all
    }

    /// The ratings of the player in a year, and the last one of the year before: in January it is still in the tags.
    fn ratings(&self, year: i16) -> impl Iterator<Item = i16> {
        let of = move |year| self.player.elos.iter().filter(move |(of, _)| *of == year).flat_map(|(_, elos)| elos);
        of(year).chain(of(year - 1).last()).copied()
    }

    /// Whether the player may have had the Elo of games of which the list has no rating. The Elo in brackets is not
    /// always the peak, so 200 more is possible before the list was made, and what a player can gain after it.
    fn was_strong_enough(&self, facts: &Facts, list_year: i16) -> bool {
        let ratings = self.player.elos.iter().flat_map(|(_, elos)| elos).copied();
        let Some(best) = self.player.elo.into_iter().chain(ratings).max() else { return true };
        let beyond = |year: i16| if year > list_year { 50 + self.growth(year, list_year) } else { 200 };
        let limit = |year: i16| best.saturating_add(beyond(year));
        let beyond =
            facts.elos.iter().filter(|((year, elo), _)| *elo > limit(*year) && self.ratings(*year).next().is_none());
        let beyond: u32 = beyond.map(|(_, count)| count).sum();
        let all: u32 = facts.elos.values().sum();
        beyond * 20 <= all
    }

    /// The Elo that a player may have gained since the list was made. Children gain more, but only a full name is
    /// sure enough evidence that the player is the child in the list.
    fn growth(&self, year: i16, list_year: i16) -> i16 {
        let young = self.player.born.is_none_or(|born| born + 25 > year);
        let yearly = match self.likeness {
            Likeness::Given | Likeness::Equal if young => 300,
            Likeness::Given | Likeness::Equal => 50,
            _ if young => 100,
            _ => 25,
        };
        yearly * (year - list_year).clamp(0, 6)
    }

    /// Whether nine of ten games have an Elo near the latest one of the player, or nothing can be compared.
    fn is_near(&self, facts: &Facts, list_year: i16) -> bool {
        let Some(latest) = self.player.elo else { return true };
        let near: u32 = facts
            .elos
            .iter()
            .filter(|((year, elo), _)| {
                let tolerance = 150 + self.growth(*year, list_year) / 2;
                (latest - 150 - tolerance..=latest + tolerance).contains(elo)
            })
            .map(|(_, count)| count)
            .sum();
        let all: u32 = facts.elos.values().sum();
        near * 10 >= all * 9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(elos: &[(i16, i16)], title: &str) -> Facts {
        let mut facts = Facts { seats: 1, ..Facts::default() };
        for &(year, elo) in elos {
            if elo > 0 {
                *facts.elos.entry((year, elo)).or_default() += 1;
            }
            *facts.years.entry(year).or_default() += 1;
        }
        if !title.is_empty() {
            facts.titles.insert(title.to_owned(), 1);
        }
        facts
    }

    /// Real players with a few of their ratings, and invented ones.
    const LIST: &str = "\
@PLAYER
Petrosian, Tigran A. #IM ARM [2376] 1971
   %Elo 2005:2341,2338
Petrosian, Tigran L. #GM ARM [2671] 1984.09.17
   %Elo 2005:2551,2552 2006:2560,2589 2012:2657
Petrosian, Tigran V #gm  URS [2645] 1929.06.17--1984.08.13
   = Petrosian, Tigran
Topalov, Veselin #GM BUL [2816] 1975.03.15
   %Elo 2015:2800,2798,2816
Adams, Michael #GM ENG [2761] 1971.11.17
Adams, Mary #- ENG [1500] 1950
Morphy, Paul #- USA [] 1837.06.22--1884.07.10
Newcomer, Ann #- USA [1500] 2004
   %Elo 2021:1500
Same, Ann #- ENG [2500] 1950
   %Elo 2005:2501,2510,2520
Same, Amy #- ENG [2500] 1950
   %Elo 2005:2505
";

    fn verdict(name: &str, facts: &Facts) -> String {
        let list = List::read(LIST.as_bytes()).unwrap();
        match decide(&list, name, None, facts) {
            Verdict::Is(number, reason) => format!("{}: {}", list.players[number].name, reason.text()),
            Verdict::Doubtful(numbers, reason) => format!("{}? {reason}", numbers.len()),
            Verdict::Unknown => "unknown".to_owned(),
        }
    }

    #[test]
    fn what_the_games_say_decides() {
        let petrosian = |elos: &[(i16, i16)], title| verdict("Petrosian,T", &facts(elos, title));
        assert_eq!(
            petrosian(&[(2005, 2551), (2006, 2589), (2006, 2560)], ""),
            "Petrosian, Tigran L.: initials and Elo"
        );
        assert_eq!(petrosian(&[(1963, 0)], ""), "Petrosian, Tigran V: initials", "the others were not born");
        assert_eq!(petrosian(&[(2005, 2300)], ""), "1? a short name alone");
        assert_eq!(petrosian(&[], "IM"), "Petrosian, Tigran A.: title");
        assert_eq!(
            petrosian(&[(2005, 2551), (2006, 2589), (2006, 2560), (1963, 0)], ""),
            "3? Elo or dates are against it"
        );
        assert_eq!(petrosian(&[], ""), "3? several players of this name");
        assert_eq!(verdict("Petrosian, Tigran", &facts(&[], "")), "Petrosian, Tigran V: spelling");
        assert_eq!(
            verdict("Topalov,V", &facts(&[(2015, 2798), (2015, 2803)], "")),
            "Topalov, Veselin: initials and Elo"
        );
        let same = |elos: &[(i16, i16)]| verdict("Same,A", &facts(elos, ""));
        assert_eq!(same(&[(2005, 2501), (2005, 2510), (2005, 2520)]), "Same, Ann: Elo at the time");
        assert_eq!(same(&[(2005, 2501), (2005, 2510), (2005, 2505)]), "2? several players of this name");
        assert_eq!(verdict("Topalov,V", &facts(&[(2015, 2150)], "")), "1? Elo or dates are against it");
        assert_eq!(verdict("Adams,M", &facts(&[(2015, 2740)], "")), "Adams, Michael: initials");
        assert_eq!(verdict("Adams, Michael", &facts(&[], "")), "Adams, Michael: full name");
        assert_eq!(verdict("Morphy", &facts(&[(1858, 0)], "")), "1? a short name alone");
        assert_eq!(verdict("Morphy,P", &facts(&[(1858, 0)], "")), "Morphy, Paul: initials");
        assert_eq!(verdict("Morphy,P", &facts(&[(2001, 0)], "")), "1? Elo or dates are against it");
        assert_eq!(verdict("Newcomer,A", &facts(&[(2025, 2300)], "")), "1? Elo or dates are against it");
        assert_eq!(verdict("Spassky,B", &facts(&[], "")), "unknown");
        assert_eq!(verdict("Topalow, Weselin", &facts(&[(2015, 2790)], "")), "Topalov, Veselin: transcription");
        assert_eq!(verdict("Topalow, Weselin", &facts(&[(2015, 2190)], "")), "unknown");
    }

    #[test]
    fn impossible_ratings_are_compared() {
        let greatest = facts(&[(2020, i16::MAX)], "");
        let player = Listed { elos: vec![(2019, vec![i16::MAX])], ..Listed::default() };
        assert!(may_be(&player, &greatest));
        assert!(may_be(&Listed { elos: vec![(2000, vec![i16::MAX])], ..Listed::default() }, &greatest));
    }

    #[test]
    fn an_id_decides_alone() {
        let list = List::read(&b"@PLAYER\nA, B #\n %Bio FIDEID 7\nA, C #\n"[..]).unwrap();
        assert_eq!(decide(&list, "X", Some(7), &Facts::default()), Verdict::Is(0, Reason::FideId));
        assert_eq!(decide(&list, "A, C", Some(8), &Facts::default()), Verdict::Unknown, "somebody whom the list lacks");
    }
}
