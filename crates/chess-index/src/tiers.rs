//! Which segments to merge.
//!
//! Takes the segments of an index; returns the numbers of those to merge next. Segments of a similar number of games are
//! a tier: each begins at eight times the games of the one below. Eight segments of a tier become one of the next, so a
//! game is written once for each tier, and an index has a few segments for each.

use crate::meta::{Meta, Part, State};

/// Segments that become one.
const FAN: usize = 8;
/// Segments of a larger tier that an INSERT leaves to VACUUM.
const LEFT: usize = 12;
/// Beyond this number of segments an INSERT merges the smallest, of whatever tier.
const MANY: usize = 32;
/// The lowest tier has segments of fewer games.
const LOWEST: u32 = 2048;
/// A merge of more games is left to VACUUM, if there are not too many segments.
const LARGE: u32 = 131_072;

/// Merged segments of at most this number of games keep the hashes and notes of short lists.
pub const RICH_GAMES: u32 = 1 << 20;

/// Who merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merger {
    /// An INSERT that has filled a segment: only what is small, or cannot wait.
    Insert,
    /// VACUUM: also larger tiers, and segments in which many games are dead.
    Vacuum,
}

/// Logarithm to base eight of the games, with the boundaries at 2,048 games and eight times as many each.
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
