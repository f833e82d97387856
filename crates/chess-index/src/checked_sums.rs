//! Checks stored sums: each must be the sum over the games of its list.
//!
//! Takes a segment, then its exact lists and their games; returns the first fault.

use std::collections::BTreeMap;

use crate::attributes::Attributes;
use crate::block::Block;
use crate::directory::DirectoryWalk;
use crate::fault::Fault;
use crate::segment::Segment;
use crate::source::{Pages, read_page};
use crate::summed::SUMMED;
use crate::summed::summed;
use crate::summing::Summing;
use crate::sums::ListSums;

/// Games of lists that wait for their attributes. They take 8 bytes each.
const WAITING: u32 = 1 << 20;

/// The stored sums that no list has claimed yet.
pub(crate) struct CheckedSums {
    summing: Summing,
    stored: BTreeMap<u64, ListSums>,
    /// The root of their directory.
    page: u32,
}

impl CheckedSums {
    /// Reads the sums of a segment; `None` if it has none. Calls `seen` with each page.
    pub(crate) fn read<P: Pages + ?Sized>(
        pages: &P,
        segment: &Segment,
        last: u32,
        mut seen: impl FnMut(u32),
    ) -> Result<Option<CheckedSums>, Fault<P::Error>> {
        let Some(of) = segment.sums else { return Ok(None) };
        let (mut stored, mut count) = (BTreeMap::new(), 0);
        let seen = |page| {
            count += 1;
            seen(page);
        };
        segment.each_sums(pages, seen, |hash, sums| drop(stored.insert(hash, sums)))?;
        if (stored.len(), count) != (of.lists as usize, of.pages) {
            return Err(Fault::Damaged { page: last, what: "the segment counts other sums than it has" });
        }
        let summing = Summing::new(of.least, WAITING);
        let is_sound = segment.columns as usize >= SUMMED && summing.least == of.least;
        let what = "the segment has sums that it cannot have";
        is_sound
            .then_some(Some(CheckedSums { summing, stored, page: of.root.page }))
            .ok_or(Fault::Damaged { page: last, what })
    }

    /// Adds games of the current list.
    pub(crate) fn push<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        block: &Block,
    ) -> Result<(), Fault<P::Error>> {
        let mut is_full = false;
        for (game, note) in block.games.iter().zip(&block.notes) {
            is_full = self.summing.push(*game, note.bits());
        }
        if is_full { self.compare(pages, segment) } else { Ok(()) }
    }

    /// Ends the list of a position key.
    pub(crate) fn end_list(&mut self, hash: u64) {
        self.summing.end_list(|| Some(hash));
    }

    /// Compares the sums of the lists that have ended with the stored ones. A list may be without sums.
    fn compare<P: Pages + ?Sized>(&mut self, pages: &P, segment: &Segment) -> Result<(), Fault<P::Error>> {
        self.summing.begin();
        let mut walk = DirectoryWalk::new(segment.number, segment.attributes);
        while let Some((_, number)) = walk.next(pages, |_| ())? {
            read_page(pages, segment.number, number, |page| {
                let attributes = Attributes::read(page, segment.columns)?;
                self.summing.add(attributes.first.saturating_add(attributes.count), |game| summed(&attributes, game));
                Ok(())
            })?;
        }
        for (hash, mut sums) in self.summing.end() {
            let Some(stored) = self.stored.remove(&hash) else { continue };
            sums.leaders = sums.leaders.filter(|_| stored.leaders.is_some());
            if stored != sums {
                return Err(Fault::Damaged { page: self.page, what: "sums are not those of their list" });
            }
        }
        Ok(())
    }

    /// Checks that each sum has a list.
    pub(crate) fn end<P: Pages + ?Sized>(mut self, pages: &P, segment: &Segment) -> Result<(), Fault<P::Error>> {
        self.compare(pages, segment)?;
        let what = "sums are those of no list";
        self.stored.is_empty().then_some(()).ok_or(Fault::Damaged { page: self.page, what })
    }
}
