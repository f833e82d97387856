//! The statistics of a sample of games: gathered in two passes, written as parts, read again.
//!
//! Takes each game of a sample, twice; returns parts of bytes. The first byte of a part names its content:
//!
//! | part | holds |
//! |---|---|
//! | `v` | version of the parts (2), number of games, of their half-moves |
//! | `o` | the common openings ([`crate::openings`]) |
//! | `p` | the commonest position keys ([`crate::keys`]) |
//! | `k` | the keys of patterns, the commonest material, some games ([`crate::patterns`]) |
//! | `m` | the courses of material of some games ([`crate::courses`]); version 0.3.0 and before had none |
//!
//! A reader skips unknown parts, such as `c` and `s` of version 0.3.0, and reads nothing of an unknown version.

use chess_core::search::index_keys::position_keys;
use chess_core::{CorruptGame, GameRef};

use crate::courses::Courses;
use crate::keys::{CommonKeys, KeyCounts};
use crate::openings::{Beginnings, Openings};
use crate::patterns::{Counts, PatternStatistics};
use crate::varints;

const VERSION: u64 = 2;

/// Position keys kept per unit of the statistics target.
const POSITIONS_PER_TARGET: usize = 80;
/// The same for keys of material.
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
    /// Statistics of patterns and of material.
    pub patterns: PatternStatistics,
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
    patterns: Counts,
    expected: usize,
    keys: Vec<u64>,
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
            patterns: Counts::default(),
            expected: games,
            keys: Vec::new(),
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
        self.keys.clear();
        position_keys(game, &mut self.keys)?;
        self.keys.iter().for_each(|key| self.positions.foresee(*key));
        self.games += 1;
        self.plies += u64::from(game.ply_count());
        self.beginnings.add(game);
        Ok(())
    }

    /// Between the passes.
    pub fn choose(&mut self) {
        self.positions.choose(self.whole);
    }

    /// The second pass, over the games that [`Gathering::first`] took.
    pub fn second(&mut self, game: GameRef<'_>) {
        self.keys.clear();
        if position_keys(game, &mut self.keys).is_err() {
            return;
        }
        self.keys.retain(|key| self.positions.may_be_common(*key));
        self.keys.sort_unstable();
        self.keys.dedup();
        self.keys.iter().for_each(|key| self.positions.count(*key));
    }

    /// The statistics; `None` without games.
    pub fn finish(self) -> Option<Sample> {
        (self.games > 0).then(|| Sample {
            games: self.games,
            plies: self.plies,
            openings: self.beginnings.tree(self.target * OPENINGS_PER_TARGET, self.whole),
            positions: self.positions.commonest(),
            patterns: self.patterns.finish(self.target * MATERIAL_PER_TARGET, self.whole),
        })
    }
}

impl Sample {
    /// Approximate size in memory, in units of 16 bytes.
    pub fn len(&self) -> usize {
        self.openings.len() + self.positions.len() + self.patterns.len()
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
        let mut positions = vec![b'p'];
        self.positions.write(&mut positions);
        vec![head, openings, positions, patterns, courses]
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
                b'k' => sample.patterns = PatternStatistics::read(bytes)?,
                b'm' => sample.patterns.set_courses(Courses::read(bytes)?),
                _ => {}
            }
        }
        (sample.games > 0).then_some(sample)
    }
}
