//! Checks stored sums: each must be the sum over the games of its list.
//!
//! Takes a segment, then its exact lists; returns the first fault.

use std::collections::BTreeMap;

use crate::fault::Fault;
use crate::segment::Segment;
use crate::source::Pages;
use crate::summing::Summing;
use crate::sums::Sum;

/// The stored sums that no list has claimed yet.
pub(crate) struct CheckedSums {
    summing: Summing,
    stored: BTreeMap<u64, Vec<Sum>>,
    /// The root of their directory.
    page: u32,
}

impl CheckedSums {
    /// Reads the sums of a segment, and the attributes of its games; `None` if it has no sums. Calls `seen` with each page.
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
        let mut summing = Summing::new(of.least, segment.games);
        let games: Vec<u32> = (0..segment.games).collect();
        segment.attributes(pages, &games, |attributes, games| {
            games.iter().for_each(|game| summing.add_game(&attributes.values(*game)));
        })?;
        let is_sound = summing.is_possible() && summing.least == of.least;
        let what = "the segment has sums that it cannot have";
        is_sound
            .then_some(Some(CheckedSums { summing, stored, page: of.root.page }))
            .ok_or(Fault::Damaged { page: last, what })
    }

    /// Adds a game of the current list.
    pub(crate) fn push(&mut self, game: u32, note: u32) {
        self.summing.push(game, note);
    }

    /// Ends the list of a position key, and compares its sums with the stored ones. A list may be without sums.
    pub(crate) fn end_list<E>(&mut self, hash: u64) -> Result<(), Fault<E>> {
        let sums = self.summing.end_list();
        let stored = self.stored.remove(&hash);
        let is_sound = stored.is_none() || stored == sums;
        is_sound.then_some(()).ok_or(Fault::Damaged { page: self.page, what: "sums are not those of their list" })
    }

    /// Checks that each sum has a list.
    pub(crate) fn end<E>(self) -> Result<(), Fault<E>> {
        let what = "sums are those of no list";
        self.stored.is_empty().then_some(()).ok_or(Fault::Damaged { page: self.page, what })
    }
}
