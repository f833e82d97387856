//! Whole games of a sample, on which patterns are tried.
//!
//! Takes the bytes of games in table order; returns them in an order in which any number of first games is spread over
//! the whole table. The keys, by which a game is excluded without a replay, are computed for the first pattern only:
//! most sessions never ask for one.

use std::cell::OnceCell;

use chess_core::GameRef;
use chess_core::search::pattern::{Certainty, FREQUENT_KEYS, KeyTree, Wanted, pattern_keys, place_of, signature_in};

use crate::varints;

const WORDS: usize = FREQUENT_KEYS.div_ceil(64);

/// The keys of a game: those of squares and events as bits, the signatures of its material in ascending order.
#[derive(Clone, Debug)]
struct Keys {
    frequent: [u64; WORDS],
    signatures: Box<[u64]>,
}

impl Keys {
    fn of(game: GameRef<'_>, all: &mut Vec<u64>) -> Option<Keys> {
        all.clear();
        pattern_keys(game, all).ok()?;
        let mut frequent = [0; WORDS];
        for place in all.iter().filter_map(|key| place_of(*key)) {
            frequent[place / 64] |= 1 << (place % 64);
        }
        Some(Keys { frequent, signatures: all.iter().filter_map(|key| signature_in(*key)).collect() })
    }

    fn has(&self, tree: &KeyTree, wanted: usize) -> bool {
        match &tree.wanted()[wanted] {
            Wanted::Key(key) => match (place_of(*key), signature_in(*key)) {
                (Some(place), _) => self.frequent[place / 64] >> (place % 64) & 1 == 1,
                (None, Some(signature)) => self.signatures.binary_search(&signature).is_ok(),
                (None, None) => false,
            },
            Wanted::Material { .. } => self.signatures.iter().any(|signature| tree.allows(wanted, *signature)),
        }
    }
}

/// A game on which a pattern is tried.
pub struct KeptGame<'a> {
    bytes: &'a [u8],
    keys: &'a Keys,
}

impl KeptGame<'_> {
    /// Whether the game may match, judged by its keys.
    pub fn may_match(&self, tree: &KeyTree) -> bool {
        tree.may_match(|wanted| self.keys.has(tree, wanted))
    }

    /// Whether its material alone is enough for a match.
    pub fn must_match(&self, certainty: &mut Certainty) -> bool {
        self.keys.signatures.iter().any(|signature| certainty.holds(*signature))
    }

    /// The game itself.
    pub fn view(&self) -> Option<GameRef<'_>> {
        GameRef::new(self.bytes).ok()
    }
}

/// The games kept.
#[derive(Clone, Debug, Default)]
pub struct KeptGames {
    games: Vec<Box<[u8]>>,
    /// The keys of each game; `None` if it is damaged.
    keys: OnceCell<Vec<Option<Keys>>>,
}

/// Items in an order in which any number of first ones is spread over all of them.
pub fn spread<T>(items: &[T]) -> impl Iterator<Item = &T> {
    let step = step_through(items.len());
    (0..items.len()).map(move |n| &items[n * step % items.len()])
}

/// The keys follow from the games, so they are not compared.
impl PartialEq for KeptGames {
    fn eq(&self, other: &KeptGames) -> bool {
        self.games == other.games
    }
}

impl Eq for KeptGames {}

impl KeptGames {
    /// Takes the bytes of each game.
    pub fn new(games: Vec<Box<[u8]>>) -> KeptGames {
        KeptGames { games, keys: OnceCell::new() }
    }

    /// The number of games.
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// Approximate bytes in memory; includes the keys once they are computed.
    pub fn size(&self) -> usize {
        let signatures = |keys: &Keys| keys.signatures.len() * size_of::<u64>();
        let keys = self.keys.get().map_or(0, |keys| {
            keys.iter().map(|keys| size_of_val(keys) + keys.as_ref().map_or(0, signatures)).sum::<usize>()
        });
        keys + self.games.iter().map(|game| size_of_val(game) + game.len()).sum::<usize>()
    }

    /// The games, in an order in which any number of first games is spread over all of them.
    pub fn spread(&self) -> impl Iterator<Item = KeptGame<'_>> {
        let keys = self.keys.get_or_init(|| {
            let mut all = Vec::new();
            self.games.iter().map(|game| Keys::of(GameRef::new(game).ok()?, &mut all)).collect()
        });
        let games = spread(&self.games).zip(spread(keys));
        games.filter_map(|(bytes, keys)| keys.as_ref().map(|keys| KeptGame { bytes, keys }))
    }

    /// The same games without their keys.
    pub fn views(&self) -> impl Iterator<Item = GameRef<'_>> {
        spread(&self.games).filter_map(|game| GameRef::new(game).ok())
    }

    /// Appends them as bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        varints::write(self.games.len() as u64, out);
        for game in &self.games {
            varints::write(game.len() as u64, out);
            out.extend_from_slice(game);
        }
    }

    /// Reads games from the start of `bytes` and removes them there; `None` if the bytes are truncated.
    pub fn take(bytes: &mut &[u8]) -> Option<KeptGames> {
        let mut games = Vec::new();
        for _ in 0..varints::take(bytes)? {
            let len = usize::try_from(varints::take(bytes)?).ok()?;
            let game = bytes.get(..len)?;
            *bytes = &bytes[len..];
            games.push(game.into());
        }
        Some(KeptGames::new(games))
    }
}

/// A step that is coprime to `number`, near the golden section: steps of this size visit every place, and those visited
/// first lie evenly.
fn step_through(number: usize) -> usize {
    let divides = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a > 1
    };
    let mut step = ((number as f64 * 0.618_034) as usize).max(1);
    while divides(step, number) && step > 1 {
        step -= 1;
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_beginning_is_spread_and_every_place_is_visited_once() {
        for number in [1, 2, 3, 10, 199, 200, 1000, 2000] {
            let step = step_through(number);
            let order: Vec<usize> = (0..number).map(|n| n * step % number).collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..number), "{number}");
            // The first quarter of the order takes a quarter of its games from each quarter of the table.
            let early = &order[..number / 4];
            for quarter in 0..4 {
                let of_quarter = early.iter().filter(|at| **at * 4 / number == quarter).count();
                assert!(of_quarter.abs_diff(early.len() / 4) <= 3, "{number} {quarter} {of_quarter}");
            }
        }
    }
}
