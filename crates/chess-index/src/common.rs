//! Games that posting lists have in common, one after the other.
//!
//! Takes groups of lists of a segment; returns the games that are in a list of each group, ascending. Lists are decoded
//! block by block and only as far as needed, so that a caller that stops early reads little.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use crate::block::Block;
use crate::fault::Fault;
use crate::search::{List, ListReader};
use crate::segment::Segment;
use crate::source::Pages;

/// The games that are in a list of each group, dead ones included.
#[derive(Debug)]
pub struct CommonGames {
    groups: Vec<Group>,
    /// Games before this one have been returned or are not common.
    least: u32,
}

impl CommonGames {
    /// Begins with the first game. Without groups it returns every game.
    pub fn new(mut groups: Vec<Vec<List>>) -> CommonGames {
        // The shortest group leads, so that the others skip most of their games.
        groups.sort_by_key(|lists| lists.iter().map(|list| u64::from(list.count)).sum::<u64>());
        CommonGames { groups: groups.iter().map(|lists| Group::new(lists)).collect(), least: 0 }
    }

    /// The next game; `None` at the end.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn next<P: Pages + ?Sized>(&mut self, pages: &P, segment: &Segment) -> Result<Option<u32>, Fault<P::Error>> {
        let mut game = self.least;
        let mut agreed = 0;
        while agreed < self.groups.len() {
            match self.groups[agreed].seek(pages, segment, game)? {
                None => return Ok(None),
                Some(found) if found == game => agreed += 1,
                Some(found) => (game, agreed) = (found, 0),
            }
        }
        self.least = game.saturating_add(1);
        Ok((game < segment.games).then_some(game))
    }

    /// The first common game from `least` on that is not before the one of the last call; it may come again.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn next_from<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        least: u32,
    ) -> Result<Option<u32>, Fault<P::Error>> {
        self.least = self.least.max(least);
        let found = self.next(pages, segment)?;
        self.least = found.unwrap_or(self.least);
        Ok(found)
    }
}

/// Lists whose games count alike.
#[derive(Debug)]
struct Group {
    cursors: Vec<Cursor>,
    /// The game of each cursor that is not at its end, or a game before it, and the number of the cursor.
    nearest: BinaryHeap<Reverse<(u32, usize)>>,
}

impl Group {
    fn new(lists: &[List]) -> Group {
        Group {
            cursors: lists.iter().map(Cursor::new).collect(),
            nearest: (0..lists.len()).map(|nth| Reverse((0, nth))).collect(),
        }
    }

    /// The first game from `least` on.
    fn seek<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        least: u32,
    ) -> Result<Option<u32>, Fault<P::Error>> {
        while let Some(mut nearest) = self.nearest.peek_mut() {
            let Reverse((game, nth)) = *nearest;
            let cursor = &mut self.cursors[nth];
            if game >= least && cursor.game() == Some(game) {
                return Ok(Some(game));
            }
            match cursor.seek(pages, segment, least)? {
                Some(game) => *nearest = Reverse((game, nth)),
                None => drop(PeekMut::pop(nearest)),
            }
        }
        Ok(None)
    }
}

/// A place in a list.
#[derive(Debug)]
struct Cursor {
    reader: ListReader,
    block: Block,
    at: usize,
}

impl Cursor {
    fn new(list: &List) -> Cursor {
        Cursor { reader: list.read(), block: Block::default(), at: 0 }
    }

    /// The game at this place, if its block is decoded.
    fn game(&self) -> Option<u32> {
        self.block.games.get(self.at).copied()
    }

    /// Goes on to the first game from `least` on.
    fn seek<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        least: u32,
    ) -> Result<Option<u32>, Fault<P::Error>> {
        while self.block.games.last().is_none_or(|last| *last < least) {
            self.at = 0;
            if !self.reader.next(pages, segment, &mut self.block)? {
                return Ok(None);
            }
        }
        self.at += self.block.games[self.at..].partition_point(|game| *game < least);
        Ok(self.game())
    }
}
