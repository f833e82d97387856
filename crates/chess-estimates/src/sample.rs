//! The statistics of a sample of games: gathered in two passes, written as parts, read again.
//!
//! Takes each game of a sample, twice; returns parts of bytes. The first byte of a part names its content:
//!
//! | part | holds |
//! |---|---|
//! | `v` | version of the parts (2), number of games, of their half-moves |
//! | `o` | the common openings ([`crate::openings`]) |
//! | `p` | the commonest position keys ([`crate::keys`]) |
//! | `c` | the commonest coarse keys |
//! | `s` | the commonest keys of pawn structures |
//! | `k` | the keys of patterns, the commonest material, some games ([`crate::patterns`]) |
//! | `m` | the courses of material of some games ([`crate::courses`]); version 0.3.0 and before had none |
//!
//! A reader skips unknown parts, and reads nothing of an unknown version.

use chess_core::search::index_keys::{self, all_keys};
use chess_core::{CorruptGame, GameRef};

use crate::courses::Courses;
use crate::keys::{CommonKeys, KeyCounts};
use crate::openings::{Beginnings, Openings};
use crate::patterns::{Counts, PatternStatistics};
use crate::varints;

const VERSION: u64 = 2;

/// Position keys kept per unit of the statistics target.
const POSITIONS_PER_TARGET: usize = 80;
/// The same for coarse keys and keys of pawn structures.
const COARSE_PER_TARGET: usize = 20;
const MATERIAL_PER_TARGET: usize = 40;
/// Whole games, per unit of the target.
const GAMES_PER_TARGET: usize = 20;
/// In a small sample at most one game in this many is kept: to try a pattern on more would take as long as to search
/// the table.
const GAMES_PER_KEPT: usize = 5;
/// Least number of whole games per unit of the target.
const FEWEST_GAMES_PER_TARGET: usize = 2;
/// Courses of material per unit of the target. By default, material that one game in 2,000 has is in five of them.
const COURSES_PER_TARGET: usize = 100;
/// Limits for high targets, because planning goes through all of them.
const MOST_GAMES: usize = 5000;
const MOST_COURSES: usize = 30_000;
/// Bytes of openings kept per unit of the statistics target.
const OPENINGS_PER_TARGET: usize = 400;

/// Statistics of a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// The number of games.
    pub games: u32,
    /// The number of their half-moves.
    pub plies: u64,
    /// Their common openings.
    pub openings: Openings,
    /// The keys of their common positions ([`chess_core::board::key::position_key`]).
    pub positions: CommonKeys,
    /// Their common coarse keys ([`chess_core::search::index_keys::coarse_board_key`]).
    pub coarse: CommonKeys,
    /// The keys of their common pawn structures ([`chess_core::search::index_keys::board_structure_key`]).
    pub structures: CommonKeys,
    /// Statistics of patterns and of material.
    pub patterns: PatternStatistics,
}

/// The finalizer of MurmurHash3 (fmix64), which spreads a number over all bits.
fn spread(number: u64) -> u64 {
    let x = (number ^ number >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let x = (x ^ x >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ x >> 33
}

/// A coarse key, spread over all bits.
pub fn coarse_key(key: u16) -> u64 {
    spread(u64::from(key) + 1)
}

/// Gathers a sample: [`Gathering::first`] of every game, then [`Gathering::choose`], then [`Gathering::second`] of
/// every game.
pub struct Gathering {
    target: usize,
    /// Whether the sample is the whole table: then keys and openings of one game only are kept, too.
    whole: bool,
    games: u32,
    plies: u64,
    beginnings: Beginnings,
    positions: KeyCounts,
    coarse: KeyCounts,
    structures: KeyCounts,
    patterns: Counts,
    expected: usize,
    keys: Vec<u64>,
    coarse_keys: Vec<u64>,
    structure_keys: Vec<u64>,
}

impl Gathering {
    /// Prepares for about `games` games; the statistics target sets the sizes. `whole`: the sample is the whole table.
    pub fn new(target: usize, games: usize, whole: bool) -> Gathering {
        Gathering {
            target,
            whole,
            games: 0,
            plies: 0,
            beginnings: Beginnings::default(),
            positions: KeyCounts::new(games * 80, target * POSITIONS_PER_TARGET),
            coarse: KeyCounts::new(1 << 16, target * COARSE_PER_TARGET),
            structures: KeyCounts::new(games * 30, target * COARSE_PER_TARGET),
            patterns: Counts::default(),
            expected: games,
            keys: Vec::new(),
            coarse_keys: Vec::new(),
            structure_keys: Vec::new(),
        }
    }

    /// Counts a game that is not read, as one without keys.
    pub fn pass_over(&mut self) {
        self.games += 1;
    }

    /// The first pass: a game and its bytes.
    ///
    /// # Errors
    ///
    /// [`CorruptGame`] if the game does not decode; then it must not be given to the second pass.
    pub fn first(&mut self, game: GameRef<'_>, bytes: &[u8]) -> Result<(), CorruptGame> {
        let fewest = self.target * FEWEST_GAMES_PER_TARGET;
        let most = fewest.max((self.target * GAMES_PER_TARGET).min(MOST_GAMES));
        let kept = (self.expected / GAMES_PER_KEPT).clamp(fewest, most);
        let courses = (self.target * COURSES_PER_TARGET).min(MOST_COURSES);
        self.patterns.add(game, bytes, self.expected, kept, courses)?;
        let (positions, coarse) = (&mut self.positions, &mut self.coarse);
        all_keys(game, |key| positions.foresee(key), |key| coarse.foresee(coarse_key(key)))?;
        index_keys::structure_keys(game, |key| self.structures.foresee(key))?;
        self.games += 1;
        self.plies += u64::from(game.ply_count());
        self.beginnings.add(game);
        Ok(())
    }

    /// Between the passes.
    pub fn choose(&mut self) {
        for counts in [&mut self.positions, &mut self.coarse, &mut self.structures] {
            counts.choose(self.whole);
        }
    }

    /// The second pass, over the games that [`Gathering::first`] took.
    pub fn second(&mut self, game: GameRef<'_>) {
        let (positions, coarse) = (&self.positions, &self.coarse);
        let (keys, coarse_keys) = (&mut self.keys, &mut self.coarse_keys);
        keys.clear();
        coarse_keys.clear();
        let replayed = all_keys(
            game,
            |key| {
                if positions.may_be_common(key) {
                    keys.push(key);
                }
            },
            |key| {
                let key = coarse_key(key);
                if coarse.may_be_common(key) {
                    coarse_keys.push(key);
                }
            },
        );
        let (structures, structure_keys) = (&self.structures, &mut self.structure_keys);
        structure_keys.clear();
        let replayed = replayed.and_then(|()| {
            index_keys::structure_keys(game, |key| {
                if structures.may_be_common(key) {
                    structure_keys.push(key);
                }
            })
        });
        if replayed.is_ok() {
            count_once(&mut self.structures, &mut self.structure_keys);
            count_once(&mut self.positions, &mut self.keys);
            count_once(&mut self.coarse, &mut self.coarse_keys);
        }
    }

    /// The statistics; `None` without games.
    pub fn finish(self) -> Option<Sample> {
        (self.games > 0).then(|| Sample {
            games: self.games,
            plies: self.plies,
            openings: self.beginnings.tree(self.target * OPENINGS_PER_TARGET, self.whole),
            positions: self.positions.commonest(),
            coarse: self.coarse.commonest(),
            structures: self.structures.commonest(),
            patterns: self.patterns.finish(self.target * MATERIAL_PER_TARGET, self.whole),
        })
    }
}

/// Counts the keys of a game, each once.
fn count_once(counts: &mut KeyCounts, keys: &mut Vec<u64>) {
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        counts.count(*key);
    }
}

impl Sample {
    /// Approximate size in memory, in units of 16 bytes.
    pub fn len(&self) -> usize {
        self.openings.len() + self.positions.len() + self.coarse.len() + self.structures.len() + self.patterns.len()
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The parts to store.
    pub fn parts(&self) -> Vec<Vec<u8>> {
        let mut head = vec![b'v'];
        for number in [VERSION, self.games.into(), self.plies] {
            varints::write(number, &mut head);
        }
        let mut openings = vec![b'o'];
        self.openings.write(&mut openings);
        let mut patterns = vec![b'k'];
        self.patterns.write(&mut patterns);
        let mut courses = vec![b'm'];
        self.patterns.courses().write(&mut courses);
        let keys = [(b'p', &self.positions), (b'c', &self.coarse), (b's', &self.structures)];
        let keys = keys.map(|(tag, keys)| {
            let mut part = vec![tag];
            keys.write(&mut part);
            part
        });
        [head, openings].into_iter().chain(keys).chain([patterns, courses]).collect()
    }

    /// Reads the parts; `None` if there are none, or if they are of another version.
    pub fn read<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Option<Sample> {
        let mut sample = Sample::default();
        for part in parts {
            let (tag, mut bytes) = part.split_first()?;
            match tag {
                b'v' => {
                    if varints::take(&mut bytes)? != VERSION {
                        return None;
                    }
                    sample.games = varints::take_u32(&mut bytes)?;
                    sample.plies = varints::take(&mut bytes)?;
                }
                b'o' => sample.openings = Openings::read(bytes)?,
                b'p' => sample.positions = CommonKeys::read(bytes)?,
                b'c' => sample.coarse = CommonKeys::read(bytes)?,
                b's' => sample.structures = CommonKeys::read(bytes)?,
                b'k' => sample.patterns = PatternStatistics::read(bytes)?,
                b'm' => sample.patterns.set_courses(Courses::read(bytes)?),
                _ => {}
            }
        }
        (sample.games > 0).then_some(sample)
    }
}
