//! Statistics of patterns: how many games of a sample have each key of squares and events and each common signature of
//! material, the material that games go through, and some whole games.
//!
//! Takes the keys of each game ([`chess_core::search::pattern::pattern_keys`]); returns the share of the games that a
//! pattern, or its keys, find. The conditions of a pattern depend on each other, so its share does not follow from
//! those of its parts. Instead the pattern is tried: its material on the courses ([`crate::courses`]), which decide a
//! pattern about nothing else; the rest on the games kept ([`crate::kept_games`]), most of which its keys exclude. A
//! pattern that no tried game has is rare but possible: it counts as half a game.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};

use chess_core::pause;
use chess_core::search::pattern::{
    Certainty, FREQUENT_KEYS, KeyTree, Matcher, Pattern, Wanted, pattern_keys, place_of, signature_in,
};
use chess_core::{CorruptGame, GameRef};

use crate::courses::{Courses, Gathered, Tally};
use crate::kept_games::{KeptGame, KeptGames, spread};
use crate::varints;

/// Assumed share of a pattern without keys, before it is tried.
const WITHOUT_KEYS: f64 = 0.1;
/// Assumed part of the games with its keys that have a pattern, before it is tried.
const PART_OF_CANDIDATES: f64 = 0.3;
/// Average number of signatures of a game that agree with a pattern. A sum over signatures counts the game that often;
/// statistics without courses divide by it.
const SIGNATURES_PER_GAME: f64 = 3.0;
/// Weight of the share by keys, as the number of matches that a trial of equal weight would have found.
const TRUST: f64 = 0.5;
/// Number of games assumed for a pattern that no tried game has. A sample of 30,000 cannot distinguish a pattern that
/// no game of a million has from one that ten have. To expect ten rows where there are none does no harm to a plan; the
/// opposite does.
const UNSEEN: f64 = 0.5;
/// A trial stops at this number of matches: the standard error is a tenth, and more precision does not change a plan.
const ENOUGH: f64 = 100.0;
/// Most games that a trial replays. Half of all patterns need fewer than a hundred, because keys exclude most games; a
/// pattern without keys takes some 3 ms.
const MOST_REPLAYS: usize = 1000;
/// The work of a trial for each game that it may replay ([`Matcher::work`]), so that planning a slow pattern takes no
/// longer than some ten milliseconds.
const WORK_OF_REPLAY: u64 = 30_000;
/// The number of games that a trial searches even beyond this work: a pattern that none of them has is in few games. In as
/// many games the work of a search is also counted where the keys exclude a match, because a scan searches these, too.
const LEAST: usize = 24;
/// The work at which a trial ends with fewer games; and how many these are at least.
const MOST_WORK: u64 = 35_000_000;
const FEWEST: usize = 4;
/// The work of a step of judging material ([`pause::steps`]), measured in time.
const WORK_OF_STEP: u64 = 40;
/// The most work of judging the material of the courses and of the common signatures.
const WORK_OF_MATERIAL: u64 = 15_000_000;
/// Number of trials that are kept.
const LAST: usize = 8;
/// Bit for games whose material alone makes a match.
const CERTAIN: usize = 63;

/// Collects the keys of games.
#[derive(Debug, Default)]
pub struct Counts {
    frequent: Vec<u32>,
    signatures: HashMap<u64, u32>,
    games: Vec<Box<[u8]>>,
    courses: Gathered,
    keys: Vec<u64>,
    seen: usize,
}

impl Counts {
    /// Adds one of about `expected` games. Keeps about `kept` of them, evenly spread, and the material of about
    /// `courses`.
    ///
    /// # Errors
    ///
    /// [`CorruptGame`] if the game does not decode; it is not counted then.
    pub fn add(
        &mut self,
        game: GameRef<'_>,
        bytes: &[u8],
        expected: usize,
        kept: usize,
        courses: usize,
    ) -> Result<(), CorruptGame> {
        self.keys.clear();
        pattern_keys(game, &mut self.keys)?;
        self.frequent.resize(FREQUENT_KEYS, 0);
        for key in &self.keys {
            if let Some(signature) = signature_in(*key) {
                *self.signatures.entry(signature).or_insert(0) += 1;
            } else if let Some(count) = place_of(*key).and_then(|place| self.frequent.get_mut(place)) {
                *count += 1;
            }
        }
        // A game is kept whenever its number times `kept` passes a multiple of `expected`.
        let expected = expected.max(1);
        let is_kept = |kept: usize| {
            let passed = |n: usize| n * kept / expected;
            expected <= kept || passed(self.seen + 1) > passed(self.seen)
        };
        if is_kept(kept) {
            self.games.push(bytes.into());
        }
        if is_kept(courses) {
            self.courses.add(self.keys.iter().filter_map(|key| signature_in(*key)));
        }
        self.seen += 1;
        Ok(())
    }

    /// The statistics, with the `wanted` most common signatures. Signatures of one game only are kept if the sample is
    /// the `whole` table.
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
        PatternStatistics {
            frequent: self.frequent,
            signatures: common,
            left_out,
            games: KeptGames::new(self.games),
            courses: self.courses.finish(),
            last: LastTrials::default(),
        }
    }
}

/// Statistics of a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternStatistics {
    /// The number of games with each key of squares and events, by [`place_of`].
    frequent: Vec<u32>,
    /// The most common signatures in ascending order, and the number of games with each.
    signatures: Vec<(u64, u32)>,
    /// No other signature is in more games.
    left_out: u32,
    games: KeptGames,
    /// The material that some of the games go through; empty in statistics of version 0.3.0.
    courses: Courses,
    last: LastTrials,
}

/// What a trial of a pattern tells of all games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// The share of the games in which it occurs.
    pub share: f64,
    /// The work of a search in one game, in the mean over all games ([`Matcher::work`]).
    pub work: f64,
    /// The work of the trial itself.
    pub spent: u64,
    /// The number of games with its keys among those that were tried.
    pub searched: f64,
    /// The number of matches among these.
    pub matches: f64,
}

/// A pattern that was tried.
#[derive(Clone, Debug)]
struct Asked {
    text: Box<str>,
    limit: u32,
    all: u32,
    at_most: usize,
    trial: Trial,
}

/// The last trials. They follow from the rest of the statistics, so they are not compared.
#[derive(Clone, Debug, Default)]
struct LastTrials(RefCell<VecDeque<Asked>>);

impl PartialEq for LastTrials {
    fn eq(&self, _: &LastTrials) -> bool {
        true
    }
}

impl Eq for LastTrials {}

/// Games of one kind in a trial: how many there are, and how much work it took to search how many of them.
#[derive(Default)]
struct Kind {
    games: f64,
    searched: f64,
    work: f64,
}

/// The games of a trial so far.
#[derive(Default)]
struct Tried {
    /// Those that lack the keys.
    lacking: Kind,
    /// Those whose material makes a match.
    certain: Kind,
    /// Those whose material leaves it open, and the matches among them.
    open: Kind,
    open_hits: f64,
}

impl Tried {
    fn hits(&self) -> f64 {
        self.certain.games + self.open_hits
    }

    fn candidates(&self) -> f64 {
        self.certain.games + self.open.games
    }

    /// The mean work for a game; `None` if no game was searched.
    fn mean_work(&self) -> Option<f64> {
        let kinds = [&self.lacking, &self.certain, &self.open];
        let searched = || kinds.iter().filter(|kind| kind.searched > 0.0);
        let games: f64 = searched().map(|kind| kind.games).sum();
        (games > 0.0).then(|| searched().map(|kind| kind.work / kind.searched * kind.games).sum::<f64>() / games)
    }

    /// The share of `all` games that match; `by_keys` is that of the games with the keys.
    fn share(&self, tree: &KeyTree, by_keys: f64, material: Option<&Material>, all: f64) -> f64 {
        let tried = self.lacking.games + self.candidates();
        let may = if tree.is_known() { corrected(by_keys, self.candidates(), tried) } else { 1.0 };
        let unknown = if tree.is_known() { PART_OF_CANDIDATES } else { WITHOUT_KEYS };
        let part = |hits: f64, of: f64| if of > 0.0 { part_of(hits, of, UNSEEN) } else { unknown };
        match material {
            Some(material) if material.decides => by_keys,
            _ if tried >= all => self.hits() / all,
            // The courses tell of more games than those kept whether their material makes a match.
            Some(material) => {
                let must = material.must / f64::from(material.tally.games.max(1));
                (must + (may - must).max(0.0) * part(self.open_hits, self.open.games)).min(1.0)
            }
            None => may * part(self.hits(), self.candidates()),
        }
    }
}

/// The steps of judging material so far.
struct Judging {
    before: u64,
}

impl Judging {
    fn begin() -> Judging {
        Judging { before: pause::steps() }
    }

    /// What they took, in the unit of [`Matcher::work`].
    fn work(&self) -> u64 {
        WORK_OF_STEP * pause::steps().wrapping_sub(self.before)
    }

    /// Whether they took so much that the rest is to be left out: a pattern of many parts takes long to judge.
    fn is_long(&self) -> bool {
        self.work() > WORK_OF_MATERIAL
    }
}

/// The number of games with the material that a pattern needs, according to the courses.
struct Material {
    tally: Tally,
    /// Wanted key of each bit of the tally.
    wanted: Vec<usize>,
    /// Whether the pattern wants nothing but material.
    is_all: bool,
    /// The numbers of games whose material allows a match, and of those whose material makes one.
    may: f64,
    must: f64,
    /// Whether material alone decides, as far as the courses tell.
    decides: bool,
}

impl Material {
    fn has(&self, wanted: usize, bits: u64) -> bool {
        self.wanted.iter().position(|known| *known == wanted).is_none_or(|bit| bits >> bit & 1 == 1)
    }
}

impl PatternStatistics {
    /// Approximate size in memory, in units of 16 bytes.
    pub fn len(&self) -> usize {
        self.frequent.len() / 4 + self.signatures.len() + (self.games.size() + self.courses.len()) / 16
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The courses of material, to store.
    pub fn courses(&self) -> &Courses {
        &self.courses
    }

    /// Adds the courses of material.
    pub fn set_courses(&mut self, courses: Courses) {
        self.courses = courses;
    }

    /// The games kept.
    pub fn games(&self) -> &KeptGames {
        &self.games
    }

    /// The number of games, of `all`, with a signature.
    pub fn with_signature(&self, signature: u64) -> Option<u32> {
        let at = self.signatures.binary_search_by_key(&signature, |(known, _)| *known).ok()?;
        Some(self.signatures[at].1)
    }

    /// No other signature is in more games than this.
    pub fn left_out(&self) -> u32 {
        self.left_out
    }

    /// Counts the courses with the material that a tree asks for; `None` if it asks for none, or if there are no
    /// courses, or if to judge them takes long.
    fn material(
        &self,
        tree: &KeyTree,
        certainty: Option<&mut Certainty>,
        all: f64,
        judging: &Judging,
    ) -> Option<Material> {
        let is_whole = f64::from(self.courses.games()) >= all;
        let is_material = |wanted: &Wanted| match wanted {
            Wanted::Key(key) => signature_in(*key).is_some(),
            Wanted::Material { .. } => true,
        };
        let mut wanted: Vec<usize> = (0..tree.wanted().len()).filter(|at| is_material(&tree.wanted()[*at])).collect();
        if self.courses.is_empty() || wanted.is_empty() {
            return None;
        }
        let is_all = wanted.len() == tree.wanted().len();
        wanted.truncate(CERTAIN);
        let certainty = RefCell::new(certainty);
        let is_certain = |signature: u64| certainty.borrow_mut().as_mut().is_some_and(|known| known.holds(signature));
        let least = |wanted: &Wanted| match wanted {
            Wanted::Key(key) | Wanted::Material { from: key, .. } => signature_in(*key).is_some_and(is_certain),
        };
        let decides = is_all && tree.wanted().iter().all(least);
        let mut found = Material { tally: Tally::default(), wanted, is_all, may: 0.0, must: 0.0, decides };
        // Counts of single signatures come from the whole sample, and need no look at the courses.
        let is_counted = |wanted: &Wanted| match wanted {
            Wanted::Key(key) => signature_in(*key).is_some_and(|signature| self.with_signature(signature).is_some()),
            Wanted::Material { .. } => false,
        };
        if decides && tree.wanted().iter().all(is_counted) {
            return Some(found);
        }
        let may = |found: &Material, bits: u64| tree.may_match(|wanted| found.has(wanted, bits));
        let tally = self.courses.tally(
            |signature| {
                if judging.is_long() {
                    return None;
                }
                let bits = found
                    .wanted
                    .iter()
                    .enumerate()
                    .fold(0, |bits, (bit, wanted)| bits | u64::from(tree.allows(*wanted, signature)) << bit);
                Some(if bits != 0 && is_certain(signature) { bits | 1 << CERTAIN } else { bits })
            },
            |tally| judging.is_long() || !is_whole && f64::from(tally.games_with(|bits| may(&found, bits))) >= ENOUGH,
        );
        if tally.games == 0 {
            return None;
        }
        found.may = f64::from(tally.games_with(|bits| may(&found, bits)));
        found.must = f64::from(tally.games_with(|bits| bits >> CERTAIN & 1 == 1));
        found.decides |= is_all && found.must > 0.0 && found.must == found.may;
        found.tally = tally;
        Some(found)
    }

    /// The share of the games with one of the wanted keys of a tree. The sample had `all` games.
    fn share_of_wanted(
        &self,
        tree: &KeyTree,
        wanted: usize,
        all: f64,
        material: Option<&Material>,
        judging: &Judging,
    ) -> f64 {
        let of_courses = |material: &Material, most: f64| {
            let bit = material.wanted.iter().position(|known| *known == wanted)?;
            let games = f64::from(material.tally.games_with(|bits| bits >> bit & 1 == 1));
            Some((share_of(games, &material.tally, all) * all).max(most))
        };
        let games = match &tree.wanted()[wanted] {
            Wanted::Key(key) => match signature_in(*key) {
                Some(signature) => self.with_signature(signature).map_or_else(
                    || {
                        let most = f64::from(self.left_out);
                        material.and_then(|material| of_courses(material, 0.0)).unwrap_or(most / 4.0).min(most)
                    },
                    f64::from,
                ),
                None => {
                    place_of(*key).and_then(|place| self.frequent.get(place)).map_or(0.0, |count| f64::from(*count))
                }
            },
            Wanted::Material { .. } => {
                let (mut sum, mut most, mut judged) = (0.0, 0.0f64, 0.0f64);
                for (signature, count) in spread(&self.signatures).take_while(|_| !judging.is_long()) {
                    judged += 1.0;
                    if tree.allows(wanted, *signature) {
                        sum += f64::from(*count);
                        most = most.max(f64::from(*count));
                    }
                }
                // Where nothing was judged, every game may have the material.
                let by_signatures = || match self.signatures.len() as f64 {
                    number if number > 0.0 && judged == 0.0 => all,
                    number => most.max(sum * number / judged.max(1.0) / SIGNATURES_PER_GAME),
                };
                material.and_then(|material| of_courses(material, most)).unwrap_or_else(by_signatures)
            }
        };
        (games.max(UNSEEN) / all).min(1.0)
    }

    /// The share of the games with the keys that a tree asks for, from the counts of single keys and of material.
    fn by_keys(&self, tree: &KeyTree, all: f64, material: Option<&Material>, judging: &Judging) -> f64 {
        if !tree.is_known() {
            return 1.0;
        }
        let share = tree.share(|wanted| self.share_of_wanted(tree, wanted, all, material, judging));
        match material {
            Some(material) => {
                let may = share_of(material.may, &material.tally, all);
                if material.is_all && material.wanted.len() > 1 && material.tally.games > 0 {
                    may
                } else {
                    share.min(may)
                }
            }
            None => share,
        }
    }

    /// The share of the games with the keys that a tree asks for, corrected by at most `at_most` of the games kept.
    pub fn candidates(&self, tree: &KeyTree, all: u32, at_most: usize) -> f64 {
        let all = f64::from(all);
        if !tree.is_known() {
            return 1.0;
        }
        let judging = Judging::begin();
        let material = self.material(tree, None, all, &judging);
        let by_keys = self.by_keys(tree, all, material.as_ref(), &judging);
        if material.is_some_and(|material| material.is_all) {
            return by_keys;
        }
        let (mut tried, mut found) = (0.0, 0.0);
        for game in self.games.spread().take(at_most).take_while(|_| !judging.is_long()) {
            tried += 1.0;
            found += f64::from(u8::from(game.may_match(tree)));
        }
        if tried >= all { found / all } else { corrected(by_keys, found, tried) }
    }

    /// Tries a pattern, which must occur within `limit` half-moves, on at most `at_most` of the games kept. The answers to
    /// the last few patterns are kept, because the planner asks several times.
    pub fn trial(&self, pattern: &Pattern, limit: u32, all: u32, at_most: usize) -> Trial {
        let is_it = |known: &&Asked| {
            *known.text == *pattern.as_str() && (known.limit, known.all, known.at_most) == (limit, all, at_most)
        };
        let known = self.last.0.borrow().iter().find(is_it).map(|known| known.trial);
        known.unwrap_or_else(|| {
            let trial = self.tried(pattern, limit, all, at_most);
            let mut last = self.last.0.borrow_mut();
            last.truncate(LAST - 1);
            last.push_front(Asked { text: pattern.as_str().into(), limit, all, at_most, trial });
            trial
        })
    }

    fn tried(&self, pattern: &Pattern, limit: u32, all: u32, at_most: usize) -> Trial {
        let all = f64::from(all);
        let tree = pattern.key_tree();
        let mut certainty = pattern.certainty().filter(|_| limit == u32::MAX);
        let judging = Judging::begin();
        let material = self.material(&tree, certainty.as_mut(), all, &judging);
        // Where no key of material is wanted, material alone hardly makes a match; asking it of each game takes long.
        let mut certainty = certainty.filter(|_| material.is_some());
        let by_keys = self.by_keys(&tree, all, material.as_ref(), &judging);
        let decides = material.as_ref().is_some_and(|material| material.decides);
        let mut matcher = pattern.matcher();
        let find = |matcher: &mut Matcher, game: &KeptGame<'_>| {
            game.view().is_some_and(|game| matcher.find(game, limit).is_ok_and(|found| found.is_some()))
        };
        // A matcher learns from its first game how to search others. Over a table that game does not count.
        if let Some(first) = self.games.spread().next() {
            find(&mut matcher, &first);
        }
        let judging_games = Judging::begin();
        let replays = at_most.min(MOST_REPLAYS);
        let most_work = WORK_OF_REPLAY * replays as u64;
        let is_whole = self.games.len() as f64 >= all;
        let mut tried = Tried::default();
        for (n, game) in self.games.spread().enumerate() {
            let work = matcher.work() + judging_games.work();
            let is_enough = decides
                || tried.open.games >= replays as f64
                || tried.hits() >= ENOUGH && !is_whole
                || tried.open.games >= LEAST as f64 && work > most_work;
            if is_enough && n >= LEAST || n >= FEWEST && work > MOST_WORK {
                break;
            }
            let (kind, is_open) = if !game.may_match(&tree) {
                (&mut tried.lacking, false)
            } else if certainty.as_mut().is_some_and(|certainty| game.must_match(certainty)) {
                (&mut tried.certain, false)
            } else {
                (&mut tried.open, true)
            };
            kind.games += 1.0;
            if is_open || n < LEAST {
                let before = matcher.work();
                let found = find(&mut matcher, &game);
                kind.searched += 1.0;
                kind.work += (matcher.work() - before) as f64;
                tried.open_hits += f64::from(u8::from(is_open && found));
            }
        }
        let work = tried.mean_work().unwrap_or_else(|| pattern.likely_work());
        let share = tried.share(&tree, by_keys, material.as_ref(), all);
        let (searched, matches) = (tried.candidates(), tried.hits());
        Trial { share, work, spent: matcher.work() + judging.work(), searched, matches }
    }

    /// Appends the counts, the signatures and the games as bytes.
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
        self.games.write(out);
    }

    /// Reads the statistics; `None` if the bytes are none. Keys that only a later version counts have no count.
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
        statistics.games = KeptGames::take(bytes)?;
        bytes.is_empty().then_some(statistics)
    }
}

/// The part of the games with the keys of a pattern that match, estimated from the `matches` among `searched` games. `unseen` is what
/// counts for the matches of a sample that has none.
pub fn part_of(matches: f64, searched: f64, unseen: f64) -> f64 {
    (unseen + matches) / (2.0 * unseen + searched)
}

/// A share from counts, corrected by `found` of `tried` games.
fn corrected(share: f64, found: f64, tried: f64) -> f64 {
    (TRUST + found) / (TRUST / share.max(1e-9) + tried)
}

/// The share of `games` among those of a tally over a sample of `all`. If there is none, it is that of half a game,
/// unless the tally has all games.
fn share_of(games: f64, tally: &Tally, all: f64) -> f64 {
    let looked_at = f64::from(tally.games);
    if tally.games == 0 {
        1.0
    } else if looked_at >= all {
        games / all
    } else {
        (games.max(UNSEEN) / looked_at).min(1.0)
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
        games.iter().for_each(|game| counts.add(game.view(), game.as_bytes(), games.len(), kept, 10_000).unwrap());
        (counts.finish(100, whole), games.len() as u32)
    }

    /// The statistics after a round trip through bytes.
    fn statistics(texts: &[(&str, usize)], kept: usize, whole: bool) -> (PatternStatistics, u32) {
        let (kept, games) = counted(texts, kept, whole);
        let mut bytes = Vec::new();
        kept.write(&mut bytes);
        let mut read = PatternStatistics::read(&bytes).unwrap();
        read.set_courses(kept.courses().clone());
        assert!(read == kept);
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
        let tree = pattern.key_tree();
        let most = usize::MAX;
        (
            statistics.0.candidates(&tree, statistics.1, most),
            statistics.0.trial(&pattern, u32::MAX, statistics.1, most).share,
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
    fn on_fewer_games_the_shares_are_near_too() {
        let (all, games) = counted(&GAMES, 1000, true);
        for (text, expected) in [("qa5", 0.3), ("pd5", 0.99), ("Nc3 and Pd4", 0.69), ("mate", 0.01)] {
            let pattern = Pattern::read(text).unwrap();
            for at_most in [1, 10, 100, 999, 1000, usize::MAX] {
                let share = all.trial(&pattern, u32::MAX, games, at_most).share;
                let candidates = all.candidates(&pattern.key_tree(), games, at_most);
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
        // A pattern that no game has is rare but possible.
        let (c, m) = share(&some, "Qb8 and qb1");
        assert!(c > 0.0 && c < 0.001 && m > 0.0 && m < 0.001, "{c} {m}");
        assert!(share(&some, "KQvKQ").1 < 0.01);
    }
}
