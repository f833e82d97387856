//! Merges segments into one.
//!
//! Takes segments in an order; returns the pages of one segment with their living games in that order. The lists of a
//! key are concatenated, so nothing is sorted. A merge of rich segments equals a build of the living games in this
//! order. In a merge of other segments, games from short lists go to plain lists.
//!
//! Memory: one page of each segment and the masks, a bit and a half for a game.

use crate::attributes::{Attributes, Value};
use crate::block::Block;
use crate::directory;
use crate::fault::{Broken, Fault};
use crate::key::Class;
use crate::mask::Mask;
use crate::segment::{Segment, Tree};
use crate::sink::Sink;
use crate::source::{Pages, read_page};
use crate::walk::Walk;
use crate::writer::{Posting, SegmentWriter, Shape, TooLarge};

/// Errors of a merge. `P` and `S` are the errors of the caller's pages and sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeError<P, S> {
    /// A segment cannot be read.
    Fault {
        /// Index of the segment, from 0.
        segment: usize,
        /// The fault that a reader found.
        fault: Fault<P>,
    },
    /// The merged segment would have too many games or pages.
    TooLarge(TooLarge),
    /// The sink cannot write a page.
    Sink(S),
}

impl<P: std::fmt::Display, S: std::fmt::Display> std::fmt::Display for MergeError<P, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MergeError::Fault { fault, .. } => write!(f, "{fault}"),
            MergeError::TooLarge(error) => write!(f, "{error}"),
            MergeError::Sink(error) => write!(f, "{error}"),
        }
    }
}

impl<P, S> std::error::Error for MergeError<P, S>
where
    P: std::fmt::Debug + std::fmt::Display,
    S: std::fmt::Debug + std::fmt::Display,
{
}

/// Maps the numbers of some games of a segment to new ones.
#[derive(Clone, Debug)]
pub struct Renumbered {
    /// A bit for each of these games.
    games: Vec<u64>,
    /// New number of the first of them at or after each word of `games`.
    first: Vec<u32>,
}

impl Renumbered {
    /// Numbers the games whose bits are set, ascending from `first`; `None` if there are too many.
    #[must_use]
    pub fn new(games: Vec<u64>, first: u32) -> Option<Renumbered> {
        let mut next = first;
        let mut first = Vec::with_capacity(games.len());
        for word in &games {
            first.push(next);
            next = next.checked_add(word.count_ones())?;
        }
        Some(Renumbered { games, first })
    }

    /// The new number of a game; `None` if it is not one of these.
    #[inline]
    pub fn number(&self, game: u32) -> Option<u32> {
        let (word, bit) = (game as usize / 64, game % 64);
        let games = *self.games.get(word)?;
        let before = (games & ((1 << bit) - 1)).count_ones();
        (games >> bit & 1 == 1).then(|| self.first[word] + before)
    }

    /// How many games these are.
    pub fn count(&self) -> usize {
        self.games.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// Merges segments, each given by its description and its pages, in this order. The caller ensures that no game is
/// marked as dead meanwhile. The new segment has patterns if all of these have them and `shape` asks for them. All of them
/// must have the attributes that `shape` asks for.
///
/// # Errors
///
/// A [`MergeError`].
pub fn merge<P: Pages + ?Sized, S: Sink>(
    inputs: &[(&Segment, &P)],
    shape: Shape,
    sink: &mut S,
) -> Result<Segment, MergeError<P::Error, S::Error>> {
    let mut writer = SegmentWriter::new(shape);
    let mut numbers = Vec::with_capacity(inputs.len());
    for (nth, (segment, pages)) in inputs.iter().enumerate() {
        numbers.push(add_rows(nth, segment, *pages, &mut writer, sink)?);
    }

    merge_lists(inputs, Tree::Positions, &numbers, &mut writer, sink)?;
    if shape.patterns && inputs.iter().all(|(segment, _)| segment.patterns.is_some()) {
        writer.begin_patterns(sink).map_err(MergeError::Sink)?;
        merge_lists(inputs, Tree::Patterns, &numbers, &mut writer, sink)?;
    }
    writer.finish(sink).map_err(MergeError::Sink)?.ok_or(MergeError::TooLarge(TooLarge))
}

/// Adds the lists of segments to the new one.
fn merge_lists<P: Pages + ?Sized, S: Sink>(
    inputs: &[(&Segment, &P)],
    tree: Tree,
    numbers: &[Renumbered],
    writer: &mut SegmentWriter,
    sink: &mut S,
) -> Result<(), MergeError<P::Error, S::Error>> {
    let mut walks: Vec<Walk<'_, P>> = inputs.iter().map(|(segment, pages)| Walk::new(*pages, segment, tree)).collect();
    let at = |segment: usize| move |fault| MergeError::Fault { segment, fault };
    let mut heads: Vec<Option<(u64, Class)>> = Vec::with_capacity(walks.len());
    let list_of = |walk: &mut Walk<'_, P>| walk.next_list(&mut ()).map(|list| list.map(|list| (list.key, list.class)));
    for (nth, walk) in walks.iter_mut().enumerate() {
        heads.push(list_of(walk).map_err(at(nth))?);
    }
    let mut block = Block::default();
    while let Some((key, class)) = heads.iter().flatten().min().copied() {
        for (nth, walk) in walks.iter_mut().enumerate() {
            if heads[nth] != Some((key, class)) {
                continue;
            }
            while walk.next_block(&mut block).map_err(at(nth))?.0 {
                for (game, note) in games_and_notes(&block) {
                    if let Some(game) = numbers[nth].number(game) {
                        writer.push(Posting { key, class, game, note }, sink).map_err(MergeError::Sink)?;
                    }
                }
            }
            heads[nth] = list_of(walk).map_err(at(nth))?;
        }
    }
    Ok(())
}

/// The games of a block with the bits of their notes; 0 in a plain list.
fn games_and_notes(block: &Block) -> impl Iterator<Item = (u32, u32)> + '_ {
    let notes = block.notes.iter().map(|note| note.bits()).chain(std::iter::repeat(0));
    block.games.iter().copied().zip(notes)
}

/// The attributes of a page, decoded.
struct Values {
    /// The first game of the page.
    game: u32,
    rows: Vec<Vec<Value>>,
}

impl Values {
    /// The attributes of a game. Games come in ascending order.
    fn of<P: Pages + ?Sized>(&mut self, pages: &P, segment: &Segment, game: u32) -> Result<&[Value], Fault<P::Error>> {
        if segment.columns == 0 {
            return Ok(&[]);
        }
        if game.wrapping_sub(self.game) as usize >= self.rows.len() {
            let page = directory::find(pages, segment.number, segment.attributes, game.into())?;
            let lacks = Fault::Damaged { page: segment.attributes.page, what: "attributes are missing" };
            read_page(pages, segment.number, page.ok_or(lacks)?, |page| {
                let attributes = Attributes::read(page, segment.columns)?;
                self.game = attributes.first;
                self.rows =
                    (0..attributes.count).map(|nth| attributes.values(attributes.first.wrapping_add(nth))).collect();
                let is_there = (game.wrapping_sub(self.game) as usize) < self.rows.len();
                if is_there { Ok(()) } else { Err(Broken("attributes are missing")) }
            })?;
        }
        Ok(&self.rows[(game - self.game) as usize])
    }
}

/// Adds the rows of the living games of a segment, with their attributes.
fn add_rows<P: Pages + ?Sized, S: Sink>(
    nth: usize,
    segment: &Segment,
    pages: &P,
    writer: &mut SegmentWriter,
    sink: &mut S,
) -> Result<Renumbered, MergeError<P::Error, S::Error>> {
    let at = |fault| MergeError::Fault { segment: nth, fault };
    let mut living = Vec::new();
    for number in segment.mask_pages() {
        let first = living.len() as u32 * 64;
        let count = segment.mask_games.min(segment.games - first.min(segment.games));
        read_page(pages, segment.number, number, |page| {
            let mask = Mask::read(page)?;
            mask.check()?;
            mask.is_of(first, count)?;
            for from in (first..first + count).step_by(64) {
                let games = from..(from + 64).min(first + count);
                living.push(games.fold(0, |word, game| word | u64::from(!mask.is_dead(game)) << (game - from)));
            }
            Ok(())
        })
        .map_err(at)?;
    }
    let next = writer.next_game().ok_or(MergeError::TooLarge(TooLarge))?;
    let numbers = Renumbered::new(living, next).ok_or(MergeError::TooLarge(TooLarge))?;
    let mut values = Values { game: 0, rows: Vec::new() };
    let mut failed = None;
    segment
        .each_row(pages, |game, row| {
            if numbers.number(game).is_none() || failed.is_some() {
                return;
            }
            failed = match (writer.next_game(), values.of(pages, segment, game)) {
                (None, _) => Some(MergeError::TooLarge(TooLarge)),
                (_, Err(fault)) => Some(at(fault)),
                (_, Ok(values)) => writer.add_row(row, values, sink).err().map(MergeError::Sink),
            };
        })
        .map_err(at)?;
    failed.map_or(Ok(numbers), Err)
}
