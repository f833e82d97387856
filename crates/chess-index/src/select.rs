//! Games that may match patterns: the lists of a segment, combined.
//!
//! Takes trees of keys ([`KeyTree`]), of which all must hold, and games that are known already, if other conditions left
//! some; returns the games that may match, ascending. They come by windows of some thousand games, so that a caller who
//! needs few games stops early and reads no more of the lists than that. Within a window the lists are bits. The lists of
//! a range of material, which may be thousands, are united at once.
//!
//! A list of a material with which a pattern holds wherever the pieces stand has only games that match. Where all lists
//! are such lists, the games need no check.

use std::cell::RefCell;

use chess_core::search::pattern::{
    Certainty, KeyNode, KeyTree, STANDARD_SIGNATURE, Wanted, material_key, signature_in,
};

use crate::block::Block;
use crate::directory::DirectoryWalk;
use crate::fault::{Broken, Fault};
use crate::leaf::Leaf;
use crate::pattern_key::{number_of, numbers_between, signature_of};
use crate::search::{List, ListReader};
use crate::segment::{Segment, Tree};
use crate::source::{Pages, read_page};

/// Games of a window.
const WINDOW: u32 = 1 << 14;
const WORDS: usize = WINDOW as usize / 64;
/// Reading so many postings takes as long as checking one game: a list is read only where it saves more than it takes.
const POSTINGS_PER_GAME: f64 = 2000.0;

/// The bits of a window.
type Bits = Box<[u64; WORDS]>;

fn set(words: &mut [u64], nth: u32) {
    if let Some(word) = words.get_mut(nth as usize / 64) {
        *word |= 1 << (nth % 64);
    }
}

/// A pattern that is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Sought<'a> {
    /// The keys that it needs.
    pub tree: &'a KeyTree,
    /// With which material it holds, if it is a pattern of one moment.
    pub certainty: Option<&'a RefCell<Certainty>>,
}

impl Sought<'_> {
    /// Whether every game that has a key matches.
    fn is_certain(&self, key: u64) -> bool {
        let Some((certainty, signature)) = self.certainty.zip(signature_in(key)) else { return false };
        certainty.borrow_mut().holds(signature)
    }
}

/// A source of games.
#[derive(Clone, Debug)]
enum Source {
    /// A list that is decoded as it is needed; the games of its open block from `at` on are still to come.
    List { reader: ListReader, block: Block, at: usize },
    /// A bit for each game of the segment.
    Bits(Vec<u64>),
    /// Games, and the place of the next one.
    Games(Vec<u32>, usize),
}

/// Games to choose, and how.
#[derive(Clone, Debug)]
enum Node {
    Source(usize),
    All(Vec<usize>),
    Any(Vec<usize>),
}

/// The work of a node, to find an order.
#[derive(Clone, Copy, Debug)]
struct Size {
    /// Most games that it finds.
    games: f64,
    /// Postings that it reads.
    postings: f64,
}

/// A choice of games of a segment.
#[derive(Debug)]
pub struct Selection {
    nodes: Vec<Node>,
    sizes: Vec<Size>,
    /// How many other nodes a node is part of.
    parents: Vec<u32>,
    /// The window of a node that is part of several. A list is read only once.
    known: Vec<Option<Bits>>,
    sources: Vec<Source>,
    root: usize,
    /// First game of the next window.
    next: u32,
    /// Whether all games match.
    is_certain: bool,
}

impl Selection {
    /// Chooses the games that may match all of the patterns, among some if they are given. None if no key narrows the
    /// choice: the games are all, or those given.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn new<P: Pages + ?Sized>(
        pages: &P,
        segment: &Segment,
        patterns: &[Sought<'_>],
        among: Option<&[u32]>,
    ) -> Result<Option<Selection>, Fault<P::Error>> {
        let mut selection = Selection {
            nodes: Vec::new(),
            sizes: Vec::new(),
            parents: Vec::new(),
            known: Vec::new(),
            sources: Vec::new(),
            root: 0,
            next: 0,
            is_certain: among.is_none(),
        };
        if segment.patterns.is_none() {
            return Ok(None);
        }
        let games = f64::from(segment.games);
        let mut all = Vec::new();
        for pattern in patterns {
            if pattern.tree.is_known() {
                all.push(selection.add_tree(pages, segment, pattern)?);
            } else {
                selection.is_certain = false;
            }
        }
        let has_tree = !all.is_empty();
        if let Some(among) = among {
            let size = Size { games: among.len() as f64, postings: 0.0 };
            all.push(selection.add_source(Source::Games(among.to_vec(), 0), size));
        }
        let root = selection.all(all, games);
        let is_only_given = among.is_some() && matches!(selection.nodes[root], Node::Source(_));
        if !has_tree || is_only_given {
            return Ok(None);
        }
        selection.root = root;
        selection.known = vec![None; selection.nodes.len()];
        Ok(Some(selection))
    }

    fn add(&mut self, node: Node, size: Size) -> usize {
        if let Node::All(parts) | Node::Any(parts) = &node {
            parts.iter().for_each(|part| self.parents[*part] += 1);
        }
        self.nodes.push(node);
        self.sizes.push(size);
        self.parents.push(0);
        self.nodes.len() - 1
    }

    fn add_source(&mut self, source: Source, size: Size) -> usize {
        self.sources.push(source);
        self.add(Node::Source(self.sources.len() - 1), size)
    }

    fn add_tree<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        pattern: &Sought<'_>,
    ) -> Result<usize, Fault<P::Error>> {
        let (tree, games) = (pattern.tree, f64::from(segment.games));
        let mut places: Vec<usize> = Vec::with_capacity(tree.nodes().len());
        for node in tree.nodes() {
            let of = |parts: &[usize]| parts.iter().map(|part| places[*part]).collect::<Vec<usize>>();
            let place = match node {
                KeyNode::Wanted(wanted) => match &tree.wanted()[*wanted] {
                    Wanted::Key(key) => {
                        let (source, count) = match segment.pattern_list(pages, *key)? {
                            Some(list) => (Source::of_list(&list), list.count.into()),
                            None if number_of(*key).is_none() => {
                                self.is_certain = false;
                                (Source::Bits(all_games(segment)), games)
                            }
                            None => (Source::Games(Vec::new(), 0), 0.0),
                        };
                        self.is_certain &= pattern.is_certain(*key);
                        self.add_source(source, Size { games: count, postings: count })
                    }
                    Wanted::Material { from, to, .. } => {
                        let found = materials(pages, segment, pattern, *wanted, *from, *to)?;
                        self.is_certain &= found.is_certain;
                        self.add_source(Source::Bits(found.games), Size { games: found.count, postings: 0.0 })
                    }
                },
                KeyNode::All(parts) => {
                    self.is_certain = false;
                    self.all(of(parts), games)
                }
                KeyNode::Any(parts) => {
                    let parts = of(parts);
                    let sum = |size: fn(&Size) -> f64| parts.iter().map(|part| size(&self.sizes[*part])).sum::<f64>();
                    let size = Size { games: sum(|size| size.games).min(games), postings: sum(|size| size.postings) };
                    self.add(Node::Any(parts), size)
                }
            };
            places.push(place);
        }
        Ok(places.pop().unwrap_or_default())
    }

    /// All of these, the smallest first, without those that would take longer than they save.
    fn all(&mut self, mut parts: Vec<usize>, games: f64) -> usize {
        parts.sort_by(|a, b| self.sizes[*a].games.total_cmp(&self.sizes[*b].games));
        let Some(least) = parts.first().map(|part| self.sizes[*part].games) else {
            return self.add(Node::Any(Vec::new()), Size { games: 0.0, postings: 0.0 });
        };
        let (first, count) = (parts[0], parts.len());
        parts.retain(|part| {
            let size = self.sizes[*part];
            let saved = least * (1.0 - size.games / games.max(1.0));
            *part == first || saved * POSTINGS_PER_GAME >= size.postings
        });
        self.is_certain &= parts.len() == count;
        match parts.as_slice() {
            [only] => *only,
            _ => {
                let postings = parts.iter().map(|part| self.sizes[*part].postings).sum();
                self.add(Node::All(parts), Size { games: least, postings })
            }
        }
    }

    /// Whether all games of the selection match.
    pub fn is_certain(&self) -> bool {
        self.is_certain
    }

    /// Replaces the content of `games` with the next games that may match, dead ones included; false if there are none.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if a page cannot be read.
    pub fn next<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        games: &mut Vec<u32>,
    ) -> Result<bool, Fault<P::Error>> {
        games.clear();
        while games.is_empty() && self.next < segment.games {
            let first = self.next;
            self.next = first.saturating_add(WINDOW);
            self.known.iter_mut().for_each(|known| *known = None);
            let bits = self.window(pages, segment, self.root, first)?;
            for (base, word) in (first..).step_by(64).zip(bits.iter()) {
                let mut word = *word;
                while word != 0 {
                    games.push(base + word.trailing_zeros());
                    word &= word - 1;
                }
            }
        }
        Ok(!games.is_empty())
    }

    /// Passes over the windows in which all games are before `game`. Games before it may still come, but the blocks of
    /// lists that hold no others are not decoded.
    pub fn skip_to(&mut self, game: u32) {
        self.next = self.next.max(game / WINDOW * WINDOW);
    }

    /// The games of a node in the window that begins with `first`.
    fn window<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        node: usize,
        first: u32,
    ) -> Result<Bits, Fault<P::Error>> {
        if let Some(bits) = &self.known[node] {
            return Ok(bits.clone());
        }
        let mut bits: Bits = Box::new([0; WORDS]);
        match &self.nodes[node] {
            Node::Source(source) => self.sources[*source].fill(pages, segment, first, &mut bits)?,
            Node::All(parts) => {
                for (nth, part) in parts.clone().into_iter().enumerate() {
                    let others = self.window(pages, segment, part, first)?;
                    if nth == 0 {
                        bits = others;
                    } else {
                        bits.iter_mut().zip(others.iter()).for_each(|(bits, others)| *bits &= others);
                    }
                    if bits.iter().all(|word| *word == 0) {
                        break;
                    }
                }
            }
            Node::Any(parts) => {
                for part in parts.clone() {
                    if let Node::Source(source) = self.nodes[part]
                        && self.parents[part] == 1
                    {
                        self.sources[source].fill(pages, segment, first, &mut bits)?;
                        continue;
                    }
                    let others = self.window(pages, segment, part, first)?;
                    bits.iter_mut().zip(others.iter()).for_each(|(bits, others)| *bits |= others);
                }
            }
        }
        if self.parents[node] > 1 {
            self.known[node] = Some(bits.clone());
        }
        Ok(bits)
    }
}

impl Source {
    fn of_list(list: &List) -> Source {
        Source::List { reader: list.read(), block: Block::default(), at: 0 }
    }

    /// Sets the bits of the games of the window that begins with `first`. Windows come in ascending order.
    fn fill<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        first: u32,
        bits: &mut Bits,
    ) -> Result<(), Fault<P::Error>> {
        let take = |games: &[u32], at: &mut usize, bits: &mut Bits| {
            while let Some(game) = games.get(*at) {
                match game.checked_sub(first) {
                    Some(nth) if nth >= WINDOW => return false,
                    Some(nth) => set(&mut bits[..], nth),
                    None => (),
                }
                *at += 1;
            }
            true
        };
        match self {
            Source::List { reader, block, at } => {
                while take(&block.games, at, bits) && reader.next_from(pages, segment, first, block)? {
                    *at = 0;
                }
            }
            Source::Bits(all) => {
                let from = first as usize / 64;
                let here = all.get(from..).unwrap_or_default();
                bits.iter_mut().zip(here).for_each(|(bits, here)| *bits |= here);
            }
            Source::Games(games, at) => {
                take(games, at, bits);
            }
        }
        Ok(())
    }
}

/// The bits of all games of a segment, for a key that has no list.
fn all_games(segment: &Segment) -> Vec<u64> {
    let mut bits = vec![!0; (segment.games as usize).div_ceil(64)];
    if let Some(last) = bits.last_mut() {
        *last >>= (64 - segment.games % 64) % 64;
    }
    bits
}

/// The games that have one of the materials of a range.
struct Materials {
    /// A bit for each game of the segment.
    games: Vec<u64>,
    /// Most games that there can be.
    count: f64,
    is_certain: bool,
}

/// The games that have one of the materials that a pattern wants.
fn materials<P: Pages + ?Sized>(
    pages: &P,
    segment: &Segment,
    pattern: &Sought<'_>,
    wanted: usize,
    from: u64,
    to: u64,
) -> Result<Materials, Fault<P::Error>> {
    let all = f64::from(segment.games);
    if pattern.tree.allows(wanted, STANDARD_SIGNATURE) {
        return Ok(Materials { games: all_games(segment), count: all, is_certain: false });
    }
    let mut of = Materials { games: vec![0; (segment.games as usize).div_ceil(64)], count: 0.0, is_certain: true };
    let Some((from, to)) = signature_in(from).zip(signature_in(to)) else { return Ok(of) };
    let (least, most) = numbers_between(from, to);
    let (mut found, mut block) = (Vec::new(), Block::default());
    let mut walk = DirectoryWalk::beginning_at(segment.number, segment.tree(Tree::Patterns).0, least);
    while let Some((first, number)) = walk.next(pages, |_| ())? {
        if first > most {
            break;
        }
        read_page(pages, segment.number, number, |page| {
            let leaf = Leaf::read(page)?;
            if leaf.next.is_some() {
                return Err(Broken("the lists of a material take several leaves"));
            }
            for (number, entry) in leaf.entries()? {
                let signature = signature_of(number).filter(|_| (least..=most).contains(&number));
                if let Some(signature) = signature.filter(|signature| pattern.tree.allows(wanted, *signature)) {
                    of.is_certain = of.is_certain && pattern.is_certain(material_key(signature));
                    found.push(segment.list(&leaf, entry)?);
                }
            }
            Ok(())
        })?;
        for list in found.drain(..) {
            of.count += f64::from(list.count);
            let mut reader = list.read();
            while reader.next(pages, segment, &mut block)? {
                block.games.iter().for_each(|game| set(&mut of.games, *game));
            }
        }
    }
    of.count = of.count.min(all);
    Ok(of)
}
