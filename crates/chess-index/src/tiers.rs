//! Which segments to merge.
//!
//! Takes the segments of an index; returns the numbers of those to merge next. Segments with similar numbers of games
//! form a tier; each tier begins at eight times the games of the one below. Eight segments of a tier are merged into
//! one of the next, so a game is written once per tier, and an index has a few segments per tier.

use crate::meta::{Meta, Part, State};

/// Number of segments in a merge.
const FAN: usize = 8;
/// Number of segments at which an INSERT makes a large merge itself. Below it, VACUUM does.
const LEFT: usize = 12;
/// Beyond this number of segments the smallest are merged, whatever their tiers.
const MANY: usize = 32;
/// Segments with fewer games are in the lowest tier.
const LOWEST: u32 = 2048;
/// A merge of at least this many games is large.
const LARGE: u32 = 131_072;

/// Merged segments of at most this number of games keep the hashes and notes of short lists.
pub const RICH_GAMES: u32 = 1 << 20;

/// Who merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merger {
    /// An INSERT that has filled a segment. It makes small merges, and large ones that cannot wait.
    Insert,
    /// VACUUM. It makes all merges, and rewrites segments in which many games are dead.
    Vacuum,
}

/// The tier of a segment: the logarithm of its games to base eight. The lowest boundary is at 2,048 games.
fn tier(games: u32) -> u32 {
    (games.max(LOWEST / 2).ilog2() + 1) / 3
}

/// The numbers of the segments to merge next, in the order of the index; none if there is nothing to do.
pub fn next(meta: &Meta, merger: Merger) -> Vec<u32> {
    let segments: Vec<&Part> = meta.in_state(State::Live).collect();
    for wanted in tier(0)..=tier(u32::MAX) {
        let of_tier: Vec<&&Part> = segments.iter().filter(|part| tier(part.living()) == wanted).collect();
        let first = || of_tier.iter().take(FAN);
        let games: u64 = first().map(|part| u64::from(part.living())).sum();
        let enough = if merger == Merger::Vacuum || games < u64::from(LARGE) { FAN } else { LEFT };
        if of_tier.len() >= enough {
            return first().map(|part| part.number).collect();
        }
    }
    if segments.len() > MANY {
        let mut smallest = segments.clone();
        smallest.sort_by_key(|part| part.living());
        smallest.truncate(FAN);
        let is_small = |part: &&&Part| smallest.iter().any(|small| small.number == part.number);
        return segments.iter().filter(is_small).map(|part| part.number).collect();
    }
    let is_mostly_dead = |part: &&&Part| merger == Merger::Vacuum && part.dead > part.games / 4;
    segments.iter().find(is_mostly_dead).map(|part| part.number).into_iter().collect()
}
