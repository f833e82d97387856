//! Intersects groups of posting lists, one game at a time.
//!
//! A posting list holds the ascending numbers of the games that have a key. Each condition of a query contributes one
//! group of lists, and a game fulfils it if it is in any list of the group. [`CommonGames`] takes all groups and
//! returns, in ascending order, the games that are in every group.
//!
//! It is a leapfrog join: the groups take turns to skip ahead to the greatest game seen so far, until all agree on one.
//! Blocks of lists are decoded only when they are reached, so a query with LIMIT, which stops early, reads little.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use crate::block::Block;
use crate::fault::Fault;
use crate::search::{List, ListReader};
use crate::segment::Segment;
use crate::source::Pages;

/// Iterates over the games that are in every group. Dead games, whose rows VACUUM has removed, are included.
#[derive(Debug)]
pub struct CommonGames {
    groups: Vec<Group>,
    /// The next game to consider. All common games before it have been returned.
    least: u32,
}

impl CommonGames {
    /// Starts before the first game. Without any groups, every game of the segment is returned.
    pub fn new(mut groups: Vec<Vec<List>>) -> CommonGames {
        // The shortest group leads, so that the others skip most of their games.
        groups.sort_by_key(|lists| lists.iter().map(|list| u64::from(list.count)).sum::<u64>());
        CommonGames { groups: groups.iter().map(|lists| Group::new(lists)).collect(), least: 0 }
    }

    /// Returns the next common game; `None` at the end.
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

    /// Returns the first common game that is not before `least`, nor before the previous result; `None` at the end. A
    /// call with the same `least` returns the same game again.
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

/// The lists of one condition. The group contains a game if any of its lists does.
#[derive(Debug)]
struct Group {
    cursors: Vec<Cursor>,
    /// For each cursor that is not at its end, its current game or an earlier one, and the index of the cursor. The
    /// heap yields the cursor that is furthest behind.
    nearest: BinaryHeap<Reverse<(u32, usize)>>,
}

impl Group {
    fn new(lists: &[List]) -> Group {
        Group {
            cursors: lists.iter().map(Cursor::new).collect(),
            nearest: (0..lists.len()).map(|nth| Reverse((0, nth))).collect(),
        }
    }

    /// Returns the first game of the group that is not before `least`.
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

/// A position in a list. `block` is the last decoded block, and `at` an index into its games.
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

    /// The current game; `None` if no block has been decoded yet, or at the end.
    fn game(&self) -> Option<u32> {
        self.block.games.get(self.at).copied()
    }

    /// Moves forward to the first game that is not before `least`, and returns it; `None` at the end of the list.
    fn seek<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        least: u32,
    ) -> Result<Option<u32>, Fault<P::Error>> {
        while self.block.games.last().is_none_or(|last| *last < least) {
            self.at = 0;
            if !self.reader.next_from(pages, segment, least, &mut self.block)? {
                return Ok(None);
            }
        }
        self.at += self.block.games[self.at..].partition_point(|game| *game < least);
        Ok(self.game())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::{Class, Question, REST_BITS};
    use crate::page;
    use crate::rows::Row;
    use crate::writer::{Posting, SegmentWriter, Shape};

    /// The number of bytes in a block before its games.
    const HEAD: usize = 8;

    /// Blocks of a common list between two games of a rare list are not decoded, so their content does not matter.
    #[test]
    fn blocks_between_two_games_are_skipped() {
        let games = 20_000;
        let (mut writer, mut pages) = (SegmentWriter::new(Shape::of_keys(1, 8160)), Vec::<Vec<u8>>::new());
        for game in 0..games {
            writer.add_row(Row { block: game, offset: 1 }, &[], &mut pages).unwrap();
        }
        let rare = [300, 19_500];
        let common: Vec<u32> = (0..games).step_by(3).collect();
        for (key, games) in [(7, &rare[..]), (8, &common)] {
            for game in games {
                writer.push(Posting { key, class: Class::Plain, game: *game, note: 0 }, &mut pages).unwrap();
            }
        }
        let segment = writer.finish(&mut pages).unwrap().unwrap();
        let lists = [7, 8].map(|key| {
            let question = Question { exact: vec![], tail: Some(key << REST_BITS) };
            segment.lists(&pages[..], &question).unwrap()
        });
        let mut blocks = Vec::new();
        let reader = lists[1][0].read();
        reader.skip(&pages[..], &segment, |place, first, _| blocks.push((place, first))).unwrap();
        let mut between = 0;
        for pair in blocks.windows(2) {
            let [(place, first), (next, next_first)] = [pair[0], pair[1]];
            if first > rare[0] && next_first <= rare[1] && place.page == next.page {
                pages[place.page as usize][page::HEAD + place.at + HEAD..page::HEAD + next.at].fill(0xff);
                between += 1;
            }
        }
        assert!(between > 30, "only {between} blocks");
        let mut found = CommonGames::new(lists.into());
        let found: Vec<u32> = std::iter::from_fn(|| found.next(&pages[..], &segment).unwrap()).collect();
        assert_eq!(found, rare);
    }
}
