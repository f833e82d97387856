//! Which of a few games are in a list, without decoding the rest of it.
//!
//! Takes a list and ascending games; decodes the blocks in which these can be. Before the first games are looked up, the head of
//! each block is read. Of a block that is not decoded nothing else is checked.

use std::mem;

use crate::block::{Block, BlockReader, NOT_ASCENDING};
use crate::fault::{Broken, Fault};
use crate::leaf::Place;
use crate::search::{List, blocks_at};
use crate::segment::Segment;
use crate::source::{Pages, read_page};

/// A list whose blocks are decoded as they are needed.
pub struct Members {
    /// The games of a short list, until they are told.
    short: Vec<u32>,
    heads: Vec<Head>,
    /// Knows the notes of all blocks.
    blocks: BlockReader,
}

/// Where a block is, and whether it was decoded.
struct Head {
    first: u32,
    place: Place,
    /// How many notes the list has up to this block.
    notes: usize,
    is_decoded: bool,
}

impl Members {
    /// Reads the heads of a list.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn of<P: Pages + ?Sized>(list: &List, pages: &P, segment: &Segment) -> Result<Members, Fault<P::Error>> {
        let mut heads = Vec::new();
        let (short, blocks) = list.read().skip(pages, segment, |place, first, notes| {
            heads.push(Head { first, place, notes, is_decoded: false });
        })?;
        Ok(Members { short, heads, blocks })
    }

    /// Decodes the blocks that may contain some of ascending games, except for those that were decoded before, and calls `found`
    /// with each.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn decode<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        games: &[u32],
        found: impl FnMut(&Block),
    ) -> Result<(), Fault<P::Error>> {
        let last_to = |game: &u32| self.heads.partition_point(|head| head.first <= *game).checked_sub(1);
        let mut wanted: Vec<usize> = games.iter().filter_map(last_to).collect();
        wanted.dedup();
        self.decode_blocks(pages, segment, wanted, found)
    }

    /// Decodes the blocks that were not decoded before, and calls `found` with each.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn decode_rest<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        found: impl FnMut(&Block),
    ) -> Result<(), Fault<P::Error>> {
        self.decode_blocks(pages, segment, (0..self.heads.len()).collect(), found)
    }

    fn decode_blocks<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        mut wanted: Vec<usize>,
        mut found: impl FnMut(&Block),
    ) -> Result<(), Fault<P::Error>> {
        let mut block = Block { games: mem::take(&mut self.short), notes: Vec::new() };
        if !block.games.is_empty() {
            found(&block);
        }
        wanted.retain(|nth| !mem::replace(&mut self.heads[*nth].is_decoded, true));
        for of_page in wanted.chunk_by(|one, other| self.heads[*one].place.page == self.heads[*other].place.page) {
            let Some(Place { page, in_leaf, .. }) = of_page.first().map(|nth| self.heads[*nth].place) else { continue };
            read_page(pages, segment.number, page, |page| {
                for nth in of_page {
                    let Head { place, notes, .. } = self.heads[*nth];
                    self.blocks.read_skipped(blocks_at(page, place.at, in_leaf)?, segment.games, notes, &mut block)?;
                    let next = self.heads.get(nth + 1);
                    if next.is_some_and(|next| block.games.last().is_some_and(|last| *last >= next.first)) {
                        return Err(Broken(NOT_ASCENDING));
                    }
                    found(&block);
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}
