//! Which segments to merge.
//!
//! Takes the segments of an index; returns the numbers of those to merge next. Segments with similar numbers of games
//! form a tier; each tier begins at eight times the games of the one below. Eight segments of a tier are merged into
//! one of the next, so a game is written once per tier, and an index has a few segments per tier.

use crate::directory::MOST_PAGES;
use crate::meta::{Meta, Part, State};
use crate::segment::MOST_GAMES;

/// Number of segments in a merge.
pub const FAN: usize = 8;
/// Most pages of the segments that an INSERT merges: those of about 24,000 games, which take a fifth of a second. VACUUM makes
/// larger merges.
const PAGES_OF_INSERT: u32 = 1400;
/// Beyond this number of segments VACUUM merges the smallest, whatever their tiers.
const MANY: usize = 32;
/// Beyond this number of segments an INSERT merges the smallest, whatever their tiers and their pages.
const MANY_OF_INSERT: usize = 128;
/// Segments with fewer games are in the lowest tier.
const LOWEST: u32 = 2048;

/// Merged segments of at most this number of games keep the hashes and notes of short lists.
pub const RICH_GAMES: u32 = 1 << 20;

/// Who merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merger {
    /// An INSERT that has filled a segment. It makes small merges, and large ones only where there is no VACUUM.
    Insert,
    /// VACUUM. It makes all merges, and rewrites segments in which many games are dead.
    Vacuum,
}

/// Segments to be merged into one, which must not become too large.
struct Load {
    games: u64,
    pages: u64,
    most_pages: u32,
}

impl Load {
    fn new(most_pages: u32) -> Load {
        Load { games: 0, pages: 0, most_pages }
    }

    /// Adds a segment, unless the merged one would be too large.
    fn takes(&mut self, part: &Part) -> bool {
        let (games, pages) = (self.games + u64::from(part.living()), self.pages + u64::from(part.pages));
        let fits = games <= MOST_GAMES.into() && pages <= self.most_pages.into();
        if fits {
            (self.games, self.pages) = (games, pages);
        }
        fits
    }
}

/// Whether an index has so many segments that VACUUM merges the smallest, whatever their tiers.
pub fn are_many(meta: &Meta) -> bool {
    meta.in_state(State::Live).count() > MANY
}

/// All segments, in groups of neighbours that fit into one segment: in one group, unless they have more than two billion games.
pub fn groups(meta: &Meta) -> Vec<Vec<&Part>> {
    let mut groups: Vec<(Load, Vec<&Part>)> = Vec::new();
    for part in meta.in_state(State::Live) {
        let joined = groups.last_mut().is_some_and(|(load, group)| {
            let fits = load.takes(part);
            if fits {
                group.push(part);
            }
            fits
        });
        if !joined {
            let mut load = Load::new(MOST_PAGES);
            load.takes(part);
            groups.push((load, vec![part]));
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// The tier of a segment: the logarithm of its games to base eight. The lowest boundary is at 2,048 games.
fn tier(games: u32) -> u32 {
    (games.max(LOWEST / 2).ilog2() + 1) / 3
}

/// The numbers of the segments to merge next, in the order of the index; none if there is nothing to do. `room` is that of
/// the metapage. The caller holds the merge lock, so an unfinished merge is one that has failed.
pub fn next(meta: &Meta, merger: Merger, room: usize) -> Vec<u32> {
    let segments: Vec<&Part> = meta.in_state(State::Live).collect();
    let is_insert = merger == Merger::Insert;
    // An INSERT would begin again and again what takes longer than its statement may.
    let has_failed = meta.in_state(State::Merging).next().is_some();
    for wanted in tier(0)..=tier(u32::MAX) {
        let of_tier: Vec<&&Part> = segments.iter().filter(|part| tier(part.living()) == wanted).collect();
        if of_tier.len() < FAN || is_insert && has_failed {
            continue;
        }
        let mut load = Load::new(if is_insert { PAGES_OF_INSERT } else { MOST_PAGES });
        let merged = of_tier.iter().filter(|part| load.takes(part)).take(FAN);
        let merged: Vec<u32> = merged.map(|part| part.number).collect();
        if merged.len() > 1 {
            return merged;
        }
    }
    let most = if is_insert { MANY_OF_INSERT } else { MANY };
    if segments.len() > most || segments.len() > FAN && !meta.has_room(room) {
        let mut smallest = segments.clone();
        smallest.sort_by_key(|part| part.living());
        let mut load = Load::new(MOST_PAGES);
        smallest.retain(|part| load.takes(part));
        smallest.truncate(FAN);
        if smallest.len() > 1 {
            let is_small = |part: &&&Part| smallest.iter().any(|small| small.number == part.number);
            return segments.iter().filter(is_small).map(|part| part.number).collect();
        }
    }
    let is_mostly_dead = |part: &&&Part| !is_insert && part.dead > part.games / 4;
    segments.iter().find(is_mostly_dead).map(|part| part.number).into_iter().collect()
}
