//! Checks stored sums: each must be the sum over the games of its list, or of a group of them.
//!
//! Takes a segment, then its exact lists and their games; returns the first fault.

use std::collections::BTreeMap;

use crate::attributes::Attributes;
use crate::block::Block;
use crate::directory::DirectoryWalk;
use crate::fault::Fault;
use crate::grouping::Groupings;
use crate::groups::Choice;
use crate::segment::Segment;
use crate::source::{Pages, read_page};
use crate::summed::SUMMED;
use crate::summing::{Summed, Summing};
use crate::sums::Stored;

/// Games of lists that wait for their attributes. They take 8 bytes each.
const WAITING: u32 = 1 << 20;

/// The stored sums that no list has claimed yet.
pub(crate) struct CheckedSums {
    summing: Summing,
    stored: BTreeMap<u64, Stored>,
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
        let (mut stored, mut count) = (BTreeMap::<u64, Stored>::new(), 0);
        let seen = |page| {
            count += 1;
            seen(page);
        };
        segment.each_sums(pages, seen, |hash, sums| drop(stored.insert(hash, sums)))?;
        if (stored.len(), count) != (of.lists as usize, of.pages) {
            return Err(Fault::Damaged { page: last, what: "the segment counts other sums than it has" });
        }
        // All lists are grouped as the first one.
        let mut groupings = Groupings::default();
        let grouped = stored.iter().find_map(|(hash, (sums, groups))| Some((*hash, sums, (*groups)?)));
        if let Some((hash, sums, groups)) = grouped {
            let choose = |known: &Groupings, _: &_| {
                groupings = *known;
                Choice::Stop
            };
            segment.each_group(pages, groups, (hash, &sums.sums), choose, |_, _| Ok(()))?;
        }
        let summing = Summing::new(of.least, WAITING, groupings);
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
                let end = attributes.first.saturating_add(attributes.count);
                self.summing.add(end, |game, column| attributes.value(column, game));
                Ok(())
            })?;
        }
        for Summed { hash, mut sums, groups } in self.summing.end() {
            let Some((stored, stored_groups)) = self.stored.remove(&hash) else { continue };
            sums.leaders = sums.leaders.filter(|_| stored.leaders.is_some());
            if stored != sums {
                return Err(Fault::Damaged { page: self.page, what: "sums are not those of their list" });
            }
            let Some(of) = stored_groups else { continue };
            let mut left = groups.iter();
            let mut are_equal = true;
            let groupings = self.summing.groupings;
            let choose = |known: &Groupings, _: &_| if *known == groupings { Choice::Take } else { Choice::Stop };
            let found = |_, group| {
                are_equal &= left.next() == Some(&group);
                Ok(())
            };
            are_equal &= segment.each_group(pages, of, (hash, &stored.sums), choose, found)?;
            if !are_equal || left.next().is_some() {
                return Err(Fault::Damaged { page: of.first, what: "groups are not those of their list" });
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
