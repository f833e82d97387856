//! The games of a segment whose rows may lie on pages that are not all-visible.
//!
//! Takes a segment and the pages of the table that are not all-visible; returns ranges of games. Rows of other games need no
//! look. For that it must know which pages of the table each page of rows leads to. Pages of rows do not change, so a session
//! remembers this of the large segments that it has read last.

use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;

use chess_index::segment::Segment;

use crate::access_method::segments::{PartPages, Replaced};
use crate::access_method::sums::heap::Heap;
use crate::access_method::sums::memory::Memory;

/// The games of a page of rows, and the blocks of these rows.
type Span = (Range<u32>, RangeInclusive<u32>);

/// Segments of fewer games are read each time.
const LEAST_GAMES: u32 = 1 << 10;
/// Most segments that are remembered. Ten million games take some 100 kB.
const MOST_SEGMENTS: usize = 64;

thread_local! {
    static KNOWN: RefCell<Memory<Rc<[Span]>>> = const { RefCell::new(Memory::new(MOST_SEGMENTS)) };
}

/// The games that may lie on such pages, as ascending ranges.
pub fn unseen_games(pages: &PartPages<'_>, segment: &Segment, heap: &Heap) -> Result<Vec<Range<u32>>, Replaced> {
    let mut ranges: Vec<Range<u32>> = Vec::new();
    let unseen = heap.unseen();
    if unseen.is_empty() {
        return Ok(ranges);
    }
    for (games, blocks) in spans(pages, segment)?.iter() {
        let first = unseen.partition_point(|unseen| unseen.end <= *blocks.start());
        if unseen.get(first).is_none_or(|unseen| unseen.start > *blocks.end()) {
            continue;
        }
        match ranges.last_mut() {
            Some(last) if last.end == games.start => last.end = games.end,
            _ => ranges.push(games.clone()),
        }
    }
    Ok(ranges)
}

fn spans(pages: &PartPages<'_>, segment: &Segment) -> Result<Rc<[Span]>, Replaced> {
    let known = KNOWN.with_borrow_mut(|known| known.find(pages, segment, |_| true).cloned());
    if let Some(known) = known {
        return Ok(known);
    }
    let mut spans = Vec::new();
    pages.sound(segment.row_spans(pages, |games, blocks| spans.push((games, blocks))))?;
    let spans: Rc<[Span]> = spans.into();
    if segment.games >= LEAST_GAMES {
        KNOWN.with_borrow_mut(|known| known.add(pages, segment, spans.clone(), 1));
    }
    Ok(spans)
}
