//! Merges segments into one, without their dead games.
//!
//! All of this happens under the merge lock, so that no mask changes while a segment is copied. One change of the
//! metapage makes the new segment live and drops the others.

use chess_index::merge::{MergeError, merge};
use chess_index::meta::{Meta, Part, State};
use chess_index::segment::Segment;
use chess_index::tiers::{self, Merger, RICH_GAMES};

use crate::access_method::metapage;
use crate::access_method::new_segment::{NewSegment, shape, too_large};
use crate::access_method::pages::{Index, IndexLock, ROOM};
use crate::access_method::segments::{PartPages, unreplaced};

/// Merges the segments that the tiers select, until they select none. VACUUM also drops what a failed merge has left.
pub fn run(index: Index, lock: &IndexLock, merger: Merger) {
    loop {
        let meta = metapage::read(index);
        let numbers = tiers::next(&meta, merger, ROOM);
        if numbers.is_empty() {
            let is_failed = |part: &Part| part.state == State::Merging;
            if merger == Merger::Vacuum && meta.parts.iter().any(is_failed) {
                metapage::change(index, |meta| {
                    meta.parts.retain(|part| !is_failed(part));
                    Ok(())
                });
            }
            return;
        }
        merge_some(index, lock, &meta, &numbers);
    }
}

/// Merges all segments into one, or into as few as can hold their games, if there are several or some games are dead.
pub fn run_all(index: Index, lock: &IndexLock) {
    let meta = metapage::read(index);
    for segments in tiers::groups(&meta) {
        if segments.len() > 1 || segments.iter().any(|part| part.dead > 0) {
            let numbers: Vec<u32> = segments.iter().map(|part| part.number).collect();
            merge_some(index, lock, &meta, &numbers);
        }
    }
}

fn merge_some(index: Index, _lock: &IndexLock, meta: &Meta, numbers: &[u32]) {
    let parts: Vec<&Part> = meta.in_state(State::Live).filter(|part| numbers.contains(&part.number)).collect();
    let living: u64 = parts.iter().map(|part| u64::from(part.living())).sum();
    let estimate = parts.iter().map(|part| part.pages).fold(0, u32::saturating_add);
    let mut new = NewSegment::begin(index, State::Merging, estimate);
    let pages: Vec<PartPages<'_>> =
        parts.iter().map(|part| PartPages::maintained(index, part, std::ptr::null_mut())).collect();
    let segments: Vec<Segment> = pages.iter().map(|pages| unreplaced(index, pages.open())).collect();
    let is_rich = segments.iter().all(|segment| segment.rich) && living <= u64::from(RICH_GAMES);
    let shape = shape(index, new.number, is_rich, 1);
    let inputs: Vec<(&Segment, &PartPages<'_>)> = segments.iter().zip(&pages).collect();
    match merge(&inputs, shape, &mut new) {
        Ok(merged) => new.publish(&merged, numbers),
        Err(MergeError::TooLarge(error)) => too_large(error),
        Err(MergeError::Fault { segment, fault }) => unreplaced(index, pages[segment].sound(Err(fault))),
    }
}
