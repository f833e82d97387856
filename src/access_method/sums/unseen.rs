//! The games of a segment whose rows may lie on pages that are not all-visible.
//!
//! Takes a segment and the pages of the table that are not all-visible; returns ranges of games. Rows of other games need no
//! look. For that it must know which pages of the table each page of rows leads to. Pages of rows do not change, so a session
//! remembers this of the large segments that it has read last.

use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;

use chess_index::segment::Segment;
use pgrx::pg_sys::Oid;

use crate::access_method::segments::{PartPages, Replaced};
use crate::access_method::sums::heap::Heap;

/// The games of a page of rows, and the blocks of these rows.
type Span = (Range<u32>, RangeInclusive<u32>);

/// The spans of a segment in this file.
type Known = (Oid, Segment, Rc<[Span]>);

/// Segments of fewer games are read each time.
const LEAST_GAMES: u32 = 1 << 10;
/// Most segments that are remembered. Ten million games take some 100 kB.
const MOST_SEGMENTS: usize = 64;

thread_local! {
    /// By the file of the index and the segment; the segment that was asked for last comes first.
    static KNOWN: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

/// The games that may lie on such pages, as ascending ranges.
pub fn unseen_games(pages: &PartPages<'_>, segment: &Segment, heap: &Heap) -> Result<Vec<Range<u32>>, Replaced> {
    let mut ranges: Vec<Range<u32>> = Vec::new();
    let Some(unseen) = heap.unseen() else {
        ranges.push(0..segment.games);
        return Ok(ranges);
    };
    if unseen.is_empty() {
        return Ok(ranges);
    }
    for (games, blocks) in spans(pages, segment)?.iter() {
        let first = unseen.partition_point(|block| block < blocks.start());
        if unseen.get(first).is_none_or(|block| block > blocks.end()) {
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
    let file = pages.lasting_file();
    let known = KNOWN.with_borrow_mut(|known| {
        let at = known.iter().position(|(of, segment_of, _)| Some(*of) == file && segment_of == segment)?;
        known[..=at].rotate_right(1);
        Some(known[0].2.clone())
    });
    if let Some(known) = known {
        return Ok(known);
    }
    let mut spans = Vec::new();
    pages.sound(segment.row_spans(pages, |games, blocks| spans.push((games, blocks))))?;
    let spans: Rc<[Span]> = spans.into();
    if let Some(file) = file.filter(|_| segment.games >= LEAST_GAMES) {
        KNOWN.with_borrow_mut(|known| {
            known.truncate(MOST_SEGMENTS - 1);
            known.insert(0, (file, *segment, spans.clone()));
        });
    }
    Ok(spans)
}
