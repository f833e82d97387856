//! What a sample tells about patterns: how many games have each key of squares and events, how many have each of the
//! common signatures of material, and some whole games.
//!
//! Takes the keys of one game after another ([`chess_core::search::pattern::pattern_keys`]); returns the share of the games
//! that a pattern, or its keys, find. A pattern joins conditions that hang together, so that the shares of its parts do not tell
//! its own: that is tried on the games kept, which know of all that is not rare. What is in none of them is as rare
//! as its keys.

use std::collections::HashMap;

use chess_core::search::pattern::{
    FREQUENT_KEYS, Families, KeyTree, Pattern, Wanted, pattern_keys, place_of, signature_in,
};
use chess_core::{CorruptGame, GameRef};

use crate::varints;

/// The share that a pattern without keys is taken to find before it is tried.
const WITHOUT_KEYS: f64 = 0.1;
/// The part of the games with the keys of a pattern that are taken to have the pattern.
const PART_OF_CANDIDATES: f64 = 0.3;
/// A game has several signatures that do not contradict a pattern, about so many; what counts them all counts it as often.
const SIGNATURES_PER_GAME: f64 = 3.0;
/// How far the shares by keys are trusted: as if tried on so many games that one would have been found.
const TRUST: f64 = 0.5;

/// The keys of games as they come in.
#[derive(Debug, Default)]
pub struct Counts {
    frequent: Vec<u32>,
    signatures: HashMap<u64, u32>,
    games: Vec<Vec<u8>>,
    keys: Vec<u64>,
    seen: usize,
}

impl Counts {
    /// Takes a game of about `expected`, of which it keeps some `kept` evenly.
    ///
    /// # Errors
    ///
    /// [`CorruptGame`] if the game does not decode; it is not counted then.
    pub fn add(&mut self, game: GameRef<'_>, bytes: &[u8], expected: usize, kept: usize) -> Result<(), CorruptGame> {
        self.keys.clear();
        pattern_keys(game, Families::ALL, &mut self.keys)?;
        self.frequent.resize(FREQUENT_KEYS, 0);
        for key in &self.keys {
            if let Some(signature) = signature_in(*key) {
                *self.signatures.entry(signature).or_insert(0) += 1;
            } else if let Some(count) = place_of(*key).and_then(|place| self.frequent.get_mut(place)) {
                *count += 1;
            }
        }
        // The n-th is kept where n times `kept` passes a multiple of `expected`.
        let expected = expected.max(1);
        let passed = |n: usize| n * kept / expected;
        if expected <= kept || passed(self.seen + 1) > passed(self.seen) {
            self.games.push(bytes.to_vec());
        }
        self.seen += 1;
        Ok(())
    }

    /// What is kept: of the signatures the `wanted` commonest, of those of one game alone none but of a `whole` table.
    pub fn finish(self, wanted: usize, whole: bool) -> PatternStatistics {
        let least = if whole { 1 } else { 2 };
        let mut missed = 0;
        let mut common: Vec<(u64, u32)> = Vec::new();
        for (signature, count) in self.signatures {
            if count >= least {
                common.push((signature, count));
            } else {
                missed = 1;
            }
        }
        common.sort_unstable_by_key(|(signature, count)| (std::cmp::Reverse(*count), *signature));
        let left_out = common.get(wanted).map_or(missed, |(_, count)| *count);
        common.truncate(wanted);
        common.sort_unstable();
        let games = self.games.iter().filter_map(|bytes| Known::new(bytes)).collect();
        PatternStatistics { frequent: self.frequent, signatures: common, left_out, games }
    }
}

/// A game with its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    bytes: Vec<u8>,
    keys: Vec<u64>,
}

impl Known {
    fn new(bytes: &[u8]) -> Option<Known> {
        let mut keys = Vec::new();
        pattern_keys(GameRef::new(bytes).ok()?, Families::ALL, &mut keys).ok()?;
        Some(Known { bytes: bytes.to_vec(), keys })
    }
}

/// What is kept of a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternStatistics {
    /// The number of games with each key of squares and events, by [`place_of`].
    frequent: Vec<u32>,
    /// The commonest signatures, in ascending order, and the number of games with each.
    signatures: Vec<(u64, u32)>,
    /// No other signature is in more games.
    left_out: u32,
    games: Vec<Known>,
}

impl PatternStatistics {
    /// How many things are kept: what it takes in memory is some 16 bytes for each.
    pub fn len(&self) -> usize {
        self.frequent.len() / 4
            + self.signatures.len()
            + self.games.iter().map(|game| game.keys.len() / 2).sum::<usize>()
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of games, of `all`, with a signature.
    pub fn with_signature(&self, signature: u64) -> Option<u32> {
        let at = self.signatures.binary_search_by_key(&signature, |(known, _)| *known).ok()?;
        Some(self.signatures[at].1)
    }

    /// What the count of no other signature exceeds.
    pub fn left_out(&self) -> u32 {
        self.left_out
    }

    /// The share of the games, of which the sample had `all`, that have one of the wanted keys of a tree.
    fn share_of_wanted(&self, tree: &KeyTree, wanted: usize, all: f64) -> f64 {
        let rarest = 0.5;
        let games = match &tree.wanted()[wanted] {
            Wanted::Key(key) => match signature_in(*key) {
                Some(signature) => self.with_signature(signature).map_or(f64::from(self.left_out) / 4.0, f64::from),
                None => {
                    place_of(*key).and_then(|place| self.frequent.get(place)).map_or(0.0, |count| f64::from(*count))
                }
            },
            Wanted::Material { .. } => {
                let (mut sum, mut most) = (0.0, 0.0f64);
                for (signature, count) in &self.signatures {
                    if tree.place(wanted, chess_core::search::pattern::material_key(*signature)) == Some(true) {
                        sum += f64::from(*count);
                        most = most.max(f64::from(*count));
                    }
                }
                most.max(sum / SIGNATURES_PER_GAME)
            }
        };
        (games.max(rarest) / all).min(1.0)
    }

    /// A share by keys, corrected by the games that it was tried on, at most so many, evenly taken.
    fn tried(&self, by_keys: f64, all: f64, at_most: usize, found: impl Fn(&Known) -> bool) -> f64 {
        let step = self.games.len().div_ceil(at_most.max(1)).max(1);
        let games = self.games.iter().step_by(step);
        let tried = games.len() as f64;
        let hits = games.filter(|game| found(game)).count() as f64;
        if tried >= all {
            return hits / all;
        }
        (TRUST + hits) / (TRUST / by_keys.max(1e-9) + tried)
    }

    fn by_keys(&self, tree: &KeyTree, all: f64) -> f64 {
        if tree.is_known() { tree.share(|wanted| self.share_of_wanted(tree, wanted, all)) } else { 1.0 }
    }

    /// The share of the games that have the keys that a tree asks for, as far as at most so many of those kept tell.
    pub fn candidates(&self, tree: &KeyTree, all: u32, at_most: usize) -> f64 {
        let all = f64::from(all);
        if !tree.is_known() {
            return 1.0;
        }
        self.tried(self.by_keys(tree, all), all, at_most, |game| tree.may_match_game(&game.keys))
    }

    /// The share of the games in which a pattern occurs within so many half-moves, as far as at most so many of those kept
    /// tell.
    pub fn matches(&self, pattern: &Pattern, limit: u32, all: u32, at_most: usize) -> f64 {
        let all = f64::from(all);
        let tree = pattern.key_tree(Families::ALL);
        let by_keys = if tree.is_known() { PART_OF_CANDIDATES * self.by_keys(&tree, all) } else { WITHOUT_KEYS };
        let matcher = std::cell::RefCell::new(pattern.matcher());
        self.tried(by_keys, all, at_most, |game| {
            let view = GameRef::new(&game.bytes).ok();
            tree.may_match_game(&game.keys)
                && view.is_some_and(|game| matcher.borrow_mut().find(game, limit).is_ok_and(|found| found.is_some()))
        })
    }

    /// Appends the counts and the signatures as bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        varints::write(self.frequent.len() as u64, out);
        self.frequent.iter().for_each(|count| varints::write(u64::from(*count), out));
        varints::write(self.left_out.into(), out);
        varints::write(self.signatures.len() as u64, out);
        let mut before = 0;
        for (signature, count) in &self.signatures {
            varints::write(signature - before, out);
            varints::write(u64::from(*count), out);
            before = *signature;
        }
        varints::write(self.games.len() as u64, out);
        for game in &self.games {
            varints::write(game.bytes.len() as u64, out);
            out.extend_from_slice(&game.bytes);
        }
    }

    /// Reads them; `None` if the bytes are not such statistics. Of keys that a later version counts nothing is known.
    pub fn read(mut bytes: &[u8]) -> Option<PatternStatistics> {
        let bytes = &mut bytes;
        let mut statistics = PatternStatistics::default();
        for _ in 0..varints::take(bytes)? {
            statistics.frequent.push(varints::take_u32(bytes)?);
        }
        statistics.left_out = varints::take_u32(bytes)?;
        let mut before = 0u64;
        for n in 0..varints::take(bytes)? {
            let step = varints::take(bytes)?;
            before = before.checked_add(step).filter(|_| n == 0 || step > 0)?;
            statistics.signatures.push((before, varints::take_u32(bytes)?));
        }
        for _ in 0..varints::take(bytes)? {
            let len = usize::try_from(varints::take(bytes)?).ok()?;
            let game = bytes.get(..len)?;
            *bytes = &bytes[len..];
            statistics.games.push(Known::new(game)?);
        }
        bytes.is_empty().then_some(statistics)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_core::Game;
    use chess_core::text::movetext;

    fn counted(texts: &[(&str, usize)], kept: usize, whole: bool) -> (PatternStatistics, u32) {
        let games: Vec<Game> =
            texts.iter().flat_map(|(text, times)| std::iter::repeat_n(movetext::read(text).unwrap(), *times)).collect();
        let mut counts = Counts::default();
        games.iter().for_each(|game| counts.add(game.view(), game.as_bytes(), games.len(), kept).unwrap());
        (counts.finish(100, whole), games.len() as u32)
    }

    /// The same, written and read.
    fn statistics(texts: &[(&str, usize)], kept: usize, whole: bool) -> (PatternStatistics, u32) {
        let (kept, games) = counted(texts, kept, whole);
        let mut bytes = Vec::new();
        kept.write(&mut bytes);
        assert_eq!(PatternStatistics::read(&bytes).as_ref(), Some(&kept));
        for at in (0..bytes.len()).step_by(1 + bytes.len() / 300) {
            let _ = PatternStatistics::read(&bytes[..at]);
            let mut changed = bytes.clone();
            changed[at] ^= 0x55;
            let _ = PatternStatistics::read(&changed);
        }
        (kept, games)
    }

    const GAMES: [(&str, usize); 3] =
        [("1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5", 300), ("1. d4 d5 2. c4 e6 3. Nc3 Nf6", 690), ("1. f3 e5 2. g4 Qh4#", 10)];

    fn share(statistics: &(PatternStatistics, u32), text: &str) -> (f64, f64) {
        let pattern = Pattern::read(text).unwrap();
        let tree = pattern.key_tree(Families::ALL);
        let most = usize::MAX;
        (
            statistics.0.candidates(&tree, statistics.1, most),
            statistics.0.matches(&pattern, u32::MAX, statistics.1, most),
        )
    }

    #[test]
    fn a_table_that_is_kept_whole_is_known() {
        let all = statistics(&GAMES, 1000, true);
        for (text, candidates, matches) in [
            ("qa5", 0.3, 0.3),
            ("Nc3 and Pe4", 0.3, 0.0),
            ("mate", 0.01, 0.01),
            ("P = 7 and p = 7", 0.3, 0.3),
            ("N >= 1", 1.0, 1.0),
            ("isolated(Pg)", 1.0, 0.0),
        ] {
            let (c, m) = share(&all, text);
            assert!((c - candidates).abs() < 1e-9 && (m - matches).abs() < 1e-9, "{text} {c} {m}");
        }
        assert_eq!(all.0.with_signature(0x11_2222_2277), Some(300));
    }

    #[test]
    fn of_some_families_the_candidates_are_those_of_their_keys() {
        let all = counted(&GAMES, 1000, true);
        let share = |text: &str, families| {
            all.0.candidates(&Pattern::read(text).unwrap().key_tree(families), all.1, usize::MAX)
        };
        let taken = "P = 7 and p = 7 and qa5";
        for (families, candidates) in
            [(Families::ALL, 0.3), (Families::MATERIAL, 0.3), (Families::SQUARES, 0.3), (Families::EVENTS, 1.0)]
        {
            assert!((share(taken, families) - candidates).abs() < 1e-9, "{families:?}");
        }
        assert!((share("mate and Pf3", Families::SQUARES) - 0.01).abs() < 1e-9);
        assert!((share("mate and Nc3", Families::SQUARES) - 0.99).abs() < 1e-9);
        assert!((share("mate and Nc3", Families::ALL) - 0.01).abs() < 1e-9);
    }

    #[test]
    fn on_fewer_games_the_shares_are_near_too() {
        let (all, games) = counted(&GAMES, 1000, true);
        for (text, expected) in [("qa5", 0.3), ("pd5", 0.99), ("Nc3 and Pd4", 0.69), ("mate", 0.01)] {
            let pattern = Pattern::read(text).unwrap();
            for at_most in [1, 10, 100, 999, 1000, usize::MAX] {
                let share = all.matches(&pattern, u32::MAX, games, at_most);
                let candidates = all.candidates(&pattern.key_tree(Families::ALL), games, at_most);
                assert!(share > 0.0 && share <= 1.0 && candidates > 0.0 && candidates <= 1.0, "{text} {at_most}");
                let near = |share: f64| share > expected / 2.0 && share < expected * 2.0;
                assert!(at_most < 100 || near(share) && near(candidates), "{text} {at_most} {share} {candidates}");
            }
        }
    }

    #[test]
    fn of_a_sample_the_shares_are_near() {
        let some = statistics(&GAMES, 100, false);
        assert_eq!(some.0.games.len(), 100);
        for (text, candidates) in [("qa5", 0.3), ("pd5", 0.99), ("Nc3 and Pd4", 0.69), ("mate", 0.01)] {
            let (c, _) = share(&some, text);
            assert!(c > candidates / 1.5 && c < candidates * 1.5, "{text} {c}");
        }
        // What is nowhere is rare, and not impossible.
        let (c, m) = share(&some, "Qb8 and qb1");
        assert!(c > 0.0 && c < 0.001 && m > 0.0 && m < 0.001, "{c} {m}");
        assert!(share(&some, "KQvKQ").1 < 0.01);
    }
}
