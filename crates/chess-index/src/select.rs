//! Selects the games of a segment that may match patterns, by intersecting and uniting posting lists.
//!
//! A pattern is reduced to a [`KeyTree`]: an expression of AND and OR over the keys that a matching game must have.
//! Each key has a posting list, the ascending numbers of the games that have the key. This module takes the trees of
//! several patterns, all of which must match, and optionally a list of games to which earlier conditions have narrowed
//! the search. It returns the numbers of the games that may match, in ascending order.
//!
//! The games are processed in *windows* of 16,384 consecutive numbers. Within a window each node of a tree is a bitmap,
//! so AND and OR are operations on words. A caller that needs only a few games stops after the first windows, and the
//! rest of the lists is never read. The exception is a range of materials, such as "at least two queens": it may have
//! thousands of short lists, so they are read up front into one bitmap of the whole segment.
//!
//! Most lists contain games that match only perhaps, and the caller must recheck those against the pattern. But some
//! patterns hold for a material wherever its pieces stand. All games in the list of such a material match. If every
//! list that was read is of this kind, [`Selection::is_certain`] tells the caller to skip the recheck.
//!

use std::cell::RefCell;

use chess_core::search::pattern::{
    Certainty, KeyNode, KeyTree, STANDARD_SIGNATURE, Wanted, material_key, signature_in,
};

use crate::block::Window;
use crate::directory::DirectoryWalk;
use crate::fault::{Broken, Fault};
use crate::leaf::{Entry, Leaf};
use crate::pattern_key::{self, number_of, signature_of};
use crate::search::{List, ListReader};
use crate::segment::{Segment, Tree};
use crate::source::{Pages, read_page};

/// The number of games in a window. A bitmap of this size takes 2 kB, so several fit into the processor's first cache.
pub const WINDOW: u32 = 1 << 14;
const WORDS: usize = WINDOW as usize / 64;
/// The number of postings that can be read in the time of one recheck. An intersection ignores a list whose reading
/// would take longer than the rechecks that it avoids.
const POSTINGS_PER_GAME: f64 = 2000.0;

/// The number of leaves that [`is_certain`] reads. Each takes some microseconds.
const MOST_LEAVES: usize = 256;

/// The bitmap of a window: one bit for each of its games.
type Bits = Box<[u64; WORDS]>;

/// A pattern to search for.
#[derive(Clone, Copy, Debug)]
pub struct Sought<'a> {
    /// The keys that a matching game must have.
    pub tree: &'a KeyTree,
    /// Tells for which materials the pattern holds wherever the pieces stand; `None` for a pattern over several moments
    /// of a game, for which this is never known.
    pub certainty: Option<&'a RefCell<Certainty>>,
}

impl Sought<'_> {
    /// Whether every game with this key matches, so that its list needs no recheck.
    fn is_certain(&self, key: u64) -> bool {
        let Some((certainty, signature)) = self.certainty.zip(signature_in(key)) else { return false };
        certainty.borrow_mut().holds(signature)
    }
}

/// A leaf of the expression: where games come from.
#[derive(Clone, Debug)]
enum Source {
    /// A posting list that is decoded block by block, when a window needs it, and the games that were decoded but come
    /// after the last window.
    List(ListReader, Vec<u32>),
    /// A bitmap of the whole segment.
    Bits(Vec<u64>),
    /// A list of games in memory, and the index of the first one that no window has consumed yet.
    Games(Vec<u32>, usize),
}

/// A node of the expression. The numbers are indexes into [`Selection::sources`] or [`Selection::nodes`].
#[derive(Clone, Debug)]
enum Node {
    Source(usize),
    All(Vec<usize>),
    Any(Vec<usize>),
}

/// Estimates for a node. They determine the order of an intersection, and which lists it ignores.
#[derive(Clone, Copy, Debug)]
struct Size {
    /// Upper bound for the number of games that the node finds.
    games: f64,
    /// Number of postings that the node reads from lists.
    postings: f64,
}

/// A running search for the games of one segment that may match all patterns.
#[derive(Debug)]
pub struct Selection {
    nodes: Vec<Node>,
    sizes: Vec<Size>,
    /// For each node, the number of nodes that refer to it.
    parents: Vec<u32>,
    /// For each node with several parents, its bitmap of the current window. A source can be read only once per window,
    /// so the other parents take this copy.
    known: Vec<Option<Bits>>,
    sources: Vec<Source>,
    root: usize,
    /// The first game of the next window.
    next: u32,
    /// Whether all games that the search returns are known to match.
    is_certain: bool,
}

impl Selection {
    /// Begins a search for the games that may match all `patterns`. If `among` is given, only its games are considered;
    /// they must be ascending. Returns `None` if no key narrows the search: then all games are candidates, or all of
    /// `among`.
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

    /// Adds the intersection of `parts`; `games` is the number of games in the segment. The part with the fewest games
    /// comes first, so that an empty window ends the work early. Parts that would take longer to read than the rechecks
    /// that they avoid are left out.
    fn all(&mut self, mut parts: Vec<usize>, games: f64) -> usize {
        parts.sort_by(|a, b| self.sizes[*a].games.total_cmp(&self.sizes[*b].games));
        let Some(least) = parts.first().map(|part| self.sizes[*part].games) else {
            return self.add(Node::Any(Vec::new()), Size { games: 0.0, postings: 0.0 });
        };
        let (first, count, mut left) = (parts[0], parts.len(), least);
        parts.retain(|part| {
            let size = self.sizes[*part];
            let share = size.games / games.max(1.0);
            let is_worth = left * (1.0 - share) * POSTINGS_PER_GAME >= size.postings;
            // Keys of one pattern often come together, so a further one excludes fewer games than by chance.
            if *part != first && is_worth {
                left *= share.sqrt();
            }
            *part == first || is_worth
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

    /// Whether every game that [`Selection::next`] returns matches all patterns, so that no recheck is needed.
    pub fn is_certain(&self) -> bool {
        self.is_certain
    }

    /// Estimates how many postings the whole search reads, by the lengths of its lists.
    pub fn postings(&self) -> f64 {
        self.sizes[self.root].postings
    }

    /// Replaces the content of `games` with the candidates of the next window that has any, ascending. Dead games,
    /// whose rows VACUUM has removed, are included. Returns false at the end.
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

    /// Skips the windows that contain only games before `game`. The next window may still contain games before `game`.
    /// List blocks without later games are not decoded.
    pub fn skip_to(&mut self, game: u32) {
        self.next = self.next.max(game / WINDOW * WINDOW);
    }

    /// Computes the bitmap of a node for the window that starts with game `first`.
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
        Source::List(list.read(), Vec::new())
    }

    /// Sets the bits of this source's games in the window that starts with game `first`. Windows must be requested in
    /// ascending order, because lists are only read forward.
    fn fill<P: Pages + ?Sized>(
        &mut self,
        pages: &P,
        segment: &Segment,
        first: u32,
        bits: &mut Bits,
    ) -> Result<(), Fault<P::Error>> {
        let mut window = Window { first, words: &mut bits[..] };
        let end = first.saturating_add(WINDOW);
        match self {
            Source::List(reader, later) => loop {
                let here = later.partition_point(|game| *game < end);
                window.set_games(&later[..here]);
                later.drain(..here);
                if !later.is_empty() {
                    break;
                }
                reader.fill(pages, segment, &mut window, later)?;
                if later.is_empty() {
                    break;
                }
            },
            Source::Bits(all) => {
                let from = first as usize / 64;
                let here = all.get(from..).unwrap_or_default();
                bits.iter_mut().zip(here).for_each(|(bits, here)| *bits |= here);
            }
            Source::Games(games, at) => {
                let here = games[*at..].partition_point(|game| *game < end);
                window.set_games(&games[*at..*at + here]);
                *at += here;
            }
        }
        Ok(())
    }
}

/// A bitmap with all games of the segment. It stands for a key that has no list, which excludes no game.
fn all_games(segment: &Segment) -> Vec<u64> {
    let mut bits = vec![!0; (segment.games as usize).div_ceil(64)];
    if let Some(last) = bits.last_mut() {
        *last >>= (64 - segment.games % 64) % 64;
    }
    bits
}

/// Whether all games that a search for the pattern returns are known to match, so that lists alone answer. Reads directories and
/// leaves, but no list. Returns false, too, if that takes more than [`MOST_LEAVES`].
///
/// # Errors
///
/// A [`Fault`] if a page cannot be read.
pub fn is_certain<P: Pages + ?Sized>(
    pages: &P,
    segment: &Segment,
    pattern: &Sought<'_>,
) -> Result<bool, Fault<P::Error>> {
    let tree = pattern.tree;
    let is_united = tree.nodes().iter().all(|node| !matches!(node, KeyNode::All(_)));
    let may_be = segment.patterns.is_some() && pattern.certainty.is_some() && tree.is_known() && is_united;
    let (mut is_certain, mut leaves) = (may_be, 0);
    for (nth, wanted) in tree.wanted().iter().enumerate().filter(|_| may_be) {
        match wanted {
            Wanted::Key(key) => is_certain = is_certain && number_of(*key).is_some() && pattern.is_certain(*key),
            Wanted::Material { .. } if tree.allows(nth, STANDARD_SIGNATURE) => is_certain = false,
            Wanted::Material { from, to, .. } => each_leaf(pages, segment, (*from, *to), |number| {
                leaves += 1;
                read_page(pages, segment.number, number, |page| {
                    for (number, _) in Leaf::read(page)?.entries()? {
                        let signature = signature_of(number).filter(|signature| tree.allows(nth, *signature));
                        is_certain &= signature.is_none_or(|signature| pattern.is_certain(material_key(signature)));
                    }
                    Ok(())
                })?;
                is_certain &= leaves <= MOST_LEAVES;
                Ok(is_certain)
            })?,
        }
    }
    Ok(is_certain)
}

/// Calls `visit` with the number of each leaf that may have materials between two keys, until it returns false.
fn each_leaf<P: Pages + ?Sized>(
    pages: &P,
    segment: &Segment,
    (from, to): (u64, u64),
    mut visit: impl FnMut(u32) -> Result<bool, Fault<P::Error>>,
) -> Result<(), Fault<P::Error>> {
    let Some((from, to)) = signature_in(from).zip(signature_in(to)) else { return Ok(()) };
    let wanted = pattern_key::Materials::between(from, to);
    let Some(mut least) = wanted.first_from(0) else { return Ok(()) };
    let mut walk = DirectoryWalk::beginning_at(segment.number, segment.tree(Tree::Patterns).0, least);
    let mut leaf = walk.next(pages, |_| ())?;
    while let Some((first, number)) = leaf {
        leaf = walk.next(pages, |_| ())?;
        match wanted.first_from(least.max(first)) {
            Some(next) => least = next,
            None => break,
        }
        // The next leaf begins with the first key that is not in this one.
        if leaf.is_some_and(|(first, _)| first <= least) {
            continue;
        }
        if !visit(number)? {
            break;
        }
    }
    Ok(())
}

/// The games that have any of a range of materials.
struct Materials {
    /// A bitmap of the whole segment.
    games: Vec<u64>,
    /// Upper bound for the number of games: the sum of the list lengths, because a game may be in several lists.
    count: f64,
    is_certain: bool,
}

/// Unites the lists of all materials between the keys `from` and `to` that the pattern allows for its wanted key number
/// `wanted`. Reads the directory once, from the first key to the last, because a range may have thousands of keys.
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
    let (mut found, mut games) = (Vec::new(), Vec::new());
    each_leaf(pages, segment, (from, to), |number| {
        read_page(pages, segment.number, number, |page| {
            let leaf = Leaf::read(page)?;
            if leaf.next.is_some() {
                return Err(Broken("the lists of a material take several leaves"));
            }
            for (number, entry) in leaf.entries()? {
                if let Some(signature) =
                    signature_of(number).filter(|signature| pattern.tree.allows(wanted, *signature))
                {
                    of.is_certain = of.is_certain && pattern.is_certain(material_key(signature));
                    match entry {
                        Entry::Short(_, postings) => leaf.games(postings, segment.games, &mut games)?,
                        long => found.push(segment.list(&leaf, long)?),
                    }
                    of.count += games.len() as f64;
                    Window { first: 0, words: &mut of.games }.set_games(&games);
                    games.clear();
                }
            }
            Ok(())
        })?;
        for list in found.drain(..) {
            of.count += f64::from(list.count);
            list.read().fill(pages, segment, &mut Window { first: 0, words: &mut of.games }, &mut games)?;
        }
        Ok(true)
    })?;
    of.count = of.count.min(all);
    Ok(of)
}
