//! Iterates over the lists of a segment in key order, for merges and checks.

use std::ops::Range;

use chess_core::search::hybrid_keys::Note;

use crate::block::Block;
use crate::directory::DirectoryWalk;
use crate::fault::{Broken, Fault};
use crate::key::Class;
use crate::leaf::{Entry, Leaf, Place};
use crate::search::LongReader;
use crate::segment::{Segment, Tree};
use crate::source::{Pages, read_page};

pub(crate) struct Walk<'a, P: ?Sized> {
    pages: &'a P,
    segment: &'a Segment,
    tree: Tree,
    directory: DirectoryWalk,
    /// Remaining entries of the open leaf, in reverse order.
    entries: Vec<(u64, Entry)>,
    /// Games of the leaf's postings; 0 for long lists.
    games: Vec<u32>,
    /// Notes of the leaf's short exact lists.
    notes: Vec<Note>,
    /// Index of the next note.
    note: usize,
    next_leaf: Option<u32>,
    leaves: u32,
    last: Option<(u64, Class)>,
    open: Option<Open>,
}

/// Description of a list, known before it is decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListHead {
    pub key: u64,
    pub class: Class,
    /// Number of games.
    pub count: u32,
}

/// The current list.
enum Open {
    /// Ranges of its postings, and of its notes, in the open leaf.
    Short(Range<usize>, Range<usize>),
    Long(LongReader),
}

/// Callbacks of a walk, for a check.
pub(crate) trait Passed {
    /// A page of a directory.
    fn directory(&mut self, _number: u32) {}

    /// A leaf, and the number of its bytes that belong to long lists.
    fn leaf(&mut self, _number: u32, _bytes: usize) {}

    /// A long list, and the start of its blocks.
    fn long(&mut self, _place: Place) {}
}

/// A merge needs no callbacks.
impl Passed for () {}

impl<'a, P: Pages + ?Sized> Walk<'a, P> {
    pub(crate) fn new(pages: &'a P, segment: &'a Segment, tree: Tree) -> Walk<'a, P> {
        Walk {
            pages,
            segment,
            tree,
            directory: DirectoryWalk::new(segment.number, segment.tree(tree).0),
            entries: Vec::new(),
            games: Vec::new(),
            notes: Vec::new(),
            note: 0,
            next_leaf: None,
            leaves: 0,
            last: None,
            open: None,
        }
    }

    /// Advances to the next list.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read, or lists are not in order.
    pub(crate) fn next_list(&mut self, passed: &mut impl Passed) -> Result<Option<ListHead>, Fault<P::Error>> {
        while self.entries.is_empty() {
            if !self.next_leaf(passed)? {
                return Ok(None);
            }
        }
        let Some((key, entry)) = self.entries.pop() else { return Ok(None) };
        let class = entry.class();
        if self.last >= Some((key, class)) {
            let page = self.segment.tree(self.tree).0.page;
            return Err(Fault::Damaged { page, what: "the keys of leaves are not ascending" });
        }
        self.last = Some((key, class));
        let (open, count) = match entry {
            Entry::Short(class, postings) => {
                let (count, first) = (postings.len(), self.note);
                self.note += if class == Class::Plain { 0 } else { count };
                (Open::Short(postings, first..self.note), count as u32)
            }
            Entry::Long(class, count, place) => {
                passed.long(place);
                (Open::Long(LongReader::new(class, count, place)), count)
            }
        };
        self.open = Some(open);
        Ok(Some(ListHead { key, class, count }))
    }

    /// Reads the next leaf; false at the end.
    fn next_leaf(&mut self, passed: &mut impl Passed) -> Result<bool, Fault<P::Error>> {
        let (first, number) = match self.next_leaf.take() {
            Some(number) => (self.last.map(|(key, _)| key), number),
            None => match self.directory.next(self.pages, |number| passed.directory(number))? {
                Some((first, number)) => (Some(first), number),
                None => return Ok(false),
            },
        };
        let (_, leaves, rich) = self.segment.tree(self.tree);
        self.leaves += 1;
        if self.leaves > leaves {
            return Err(Fault::Damaged { page: number, what: "there are more leaves than the segment has" });
        }
        self.games.clear();
        self.notes.clear();
        self.note = 0;
        let games = &mut self.games;
        let notes = &mut self.notes;
        let segment = self.segment;
        (self.entries, self.next_leaf) = read_page(self.pages, segment.number, number, |page| {
            let leaf = Leaf::read(page)?;
            if leaf.is_rich() != rich {
                return Err(Broken("a leaf is not as rich as its segment"));
            }
            passed.leaf(number, page.body.len() - leaf.blobs_at);
            let mut entries = leaf.entries()?;
            if entries.first().map(|(key, _)| *key) != first {
                return Err(Broken("a leaf does not begin with the key that leads to it"));
            }
            let mut noted = 0;
            for (_, entry) in &entries {
                match entry {
                    Entry::Short(class, postings) => {
                        leaf.games(postings.clone(), segment.games, games)?;
                        noted += if *class == Class::Plain { 0 } else { postings.len() };
                    }
                    Entry::Long(_, count, _) if *count > segment.games => {
                        return Err(Broken("a list has more games than the segment"));
                    }
                    Entry::Long(..) => games.push(0),
                }
            }
            leaf.notes(notes);
            if noted != notes.len() {
                return Err(Broken("a leaf has other notes than its short exact lists"));
            }
            entries.reverse();
            Ok((entries, leaf.next))
        })?;
        Ok(true)
    }

    /// Decodes the next games of the list into `block`, replacing its content; false at the end. For a long list also
    /// returns the end of the block.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub(crate) fn next_block(&mut self, block: &mut Block) -> Result<(bool, Option<Place>), Fault<P::Error>> {
        block.clear();
        match &mut self.open {
            Some(Open::Long(long)) => {
                let more = long.next(self.pages, self.segment, block)?;
                Ok((more, Some(long.place())))
            }
            Some(Open::Short(postings, notes)) => {
                block.games.extend_from_slice(self.games.get(std::mem::take(postings)).unwrap_or_default());
                block.notes.extend_from_slice(self.notes.get(std::mem::take(notes)).unwrap_or_default());
                Ok((!block.games.is_empty(), None))
            }
            None => Ok((false, None)),
        }
    }
}
