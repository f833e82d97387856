//! An index as a query sees it, read once for all questions of a plan node.
//!
//! Takes an index and a snapshot; returns its segments and pending games, with what is known of their visibility. The snapshot does
//! not change while the node runs, so neither does what it sees: rows that come later are not in it, and rows that it sees are not
//! removed. A question after the first one, as of a nested loop, therefore reads neither the metapage nor the visibility map.
//!
//! A merge may replace a segment meanwhile. The question that meets one of its pages reads all anew, and begins again.

use std::ops::Range;
use std::rc::Rc;

use chess_index::meta::{Meta, State};
use chess_index::segment::Segment;

use crate::access_method::metapage;
use crate::access_method::pages::Index;
use crate::access_method::segments::{PartPages, Replaced, read_sound, refuse_if_listed};
use crate::access_method::sums::dead::Dead;
use crate::access_method::sums::heap::{Heap, Visible};
use crate::access_method::sums::unseen::unseen_games;

/// What a query sees of an index.
pub struct View {
    index: Index,
    visible: Rc<Visible>,
    segments: Vec<SegmentView>,
    pending: Vec<PartPages<'static>>,
}

/// A segment that a query sees.
pub struct SegmentView {
    pub pages: PartPages<'static>,
    pub segment: Segment,
    /// The games that may lie on pages that are not all-visible.
    pub unseen: Vec<Range<u32>>,
    pub dead: Dead,
}

impl View {
    fn read(index: Index, meta: &Meta, heap: &mut Heap) -> Result<View, Replaced> {
        heap.look();
        // This is read after the visibility map, because VACUUM counts the dead before it removes their rows and marks pages
        // all-visible.
        let counted = metapage::read(index);
        let mut segments = Vec::new();
        for part in meta.in_state(State::Live) {
            let pages = PartPages::owned(index, part.clone());
            let segment = pages.open()?;
            let unseen = unseen_games(&pages, &segment, heap)?;
            // VACUUM marks nothing in the mask of a segment that was merged away meanwhile.
            let Some(counted) = counted.part(part.number) else { return Err(Replaced { part: part.number, page: 0 }) };
            let dead = Dead::of(&pages, &segment, counted.dead)?;
            segments.push(SegmentView { pages, segment, unseen, dead });
        }
        let pending = meta.in_state(State::Closed).chain([&meta.pending]);
        let pending = pending.map(|part| PartPages::owned(index, part.clone())).collect();
        Ok(View { index, visible: heap.visible(), segments, pending })
    }

    /// Calls `work` with the view that was kept, or with a new one, and keeps it. If a page was replaced meanwhile, `work` is called
    /// again with a new view.
    ///
    /// # Safety
    ///
    /// The index, the table and the snapshot must be those of the view that was kept.
    pub unsafe fn ask<T>(
        kept: &mut Option<View>,
        index: Index,
        heap: &mut Heap,
        mut work: impl FnMut(&View, &mut Heap) -> Result<T, Replaced>,
    ) -> T {
        if let Some(view) = kept.take() {
            heap.look_again(view.visible.clone());
            match work(&view, heap) {
                Ok(value) => {
                    *kept = Some(view);
                    return value;
                }
                Err(replaced) => refuse_if_listed(index, &metapage::read(index), replaced),
            }
        }
        read_sound(index, |meta| {
            let view = View::read(index, meta, heap)?;
            let value = work(&view, heap)?;
            *kept = Some(view);
            Ok(value)
        })
    }

    pub fn index(&self) -> Index {
        self.index
    }

    pub fn segments(&self) -> &[SegmentView] {
        &self.segments
    }

    /// A segment by its number.
    pub fn segment(&self, number: u32) -> Option<&SegmentView> {
        self.segments.iter().find(|view| view.segment.number == number)
    }

    /// The lists of pending games.
    pub fn pending(&self) -> &[PartPages<'static>] {
        &self.pending
    }
}
