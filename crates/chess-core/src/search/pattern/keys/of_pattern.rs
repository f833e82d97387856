//! Which keys a game must have for a pattern to occur in it.
//!
//! Takes a compiled pattern, returns a tree of *and* and *or* over [`super::of_game`]. What no key tells is left
//! out of an *and*, and makes an *or* useless. All counts that one moment needs are one question about its
//! material: whether some [signature](super::of_game) of the game does not contradict the pattern. A game that the tree
//! lets through may have the pattern; another one has it not.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::of_game::{Event, material_key, signature_in, square_key};
use crate::board::kinds::PAWN;
use crate::pause;
use crate::search::pattern::exclude::material::{SIGNATURE_ORDER, STANDARD_SIGNATURE, counts_of, signature};
use crate::search::pattern::exclude::possible::{Bounds, Judge};
use crate::search::pattern::language::tree::{
    Comparison, Contents, NOTHING, PAWNS, WHITE, kinds, promoted_from, rank_squares,
};
use crate::search::pattern::program::chain::{Chain, Input, Output, What, legs};
use crate::search::pattern::program::{At, Fact, Node as Part, Program, Step};

/// More keys than these are not asked for: a set with more is left out.
const MOST_KEYS: usize = 256;
const MOST_KEYS_OF_SET: usize = 64;
/// Limit of steps for a pattern; conditions beyond it are not looked up.
const MOST_STEPS: usize = 100_000;
/// The pieces of a side take in 30 ways: six kinds take five. Nearly every game has one of more ways than this, so that
/// looking for them excludes hardly any game.
const MOST_CAPTURES: usize = 20;

/// One thing to look up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// One key.
    Key(u64),
    /// Keys of material from the first to the last, as far as they do not contradict the pattern.
    Material {
        /// The first key to look at: of each kind the least number of pieces.
        from: u64,
        /// The last: of each kind the greatest number.
        to: u64,
        /// The conditions one of which must be possible.
        conditions: Vec<u16>,
    },
}

/// A node of a tree of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// One of the wanted keys, by its place among them.
    Wanted(usize),
    /// All of these nodes.
    All(Vec<usize>),
    /// One of these nodes.
    Any(Vec<usize>),
}

/// The keys that a match needs.
#[derive(Clone, Debug)]
pub struct KeyTree {
    wanted: Vec<Wanted>,
    nodes: Vec<Node>,
    root: Option<usize>,
    program: Arc<Program>,
    judge: RefCell<Judge>,
}

impl KeyTree {
    /// That of a condition of one moment.
    pub(in crate::search::pattern) fn of_moment(program: &Arc<Program>, at: At) -> KeyTree {
        Maker::new(program).finish(|maker| maker.condition(at, true))
    }

    /// That of a pattern that takes several.
    pub(in crate::search::pattern) fn of_chain(program: &Arc<Program>, chain: &Chain) -> KeyTree {
        let mut known = HashMap::new();
        Maker::new(program).finish(|maker| maker.ended(chain, Output::Match, &mut known))
    }

    /// Whether any key is asked for; otherwise every game may match.
    pub fn is_known(&self) -> bool {
        self.root.is_some()
    }

    /// What is to be looked up.
    pub fn wanted(&self) -> &[Wanted] {
        &self.wanted
    }

    /// The nodes, each after those that it is made of. The last one is the root; without a root there are none.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Whether a game may match that has these of the wanted keys.
    pub fn may_match(&self, mut has: impl FnMut(usize) -> bool) -> bool {
        pause::count(self.nodes.len());
        self.root.is_none_or(|root| self.holds(root, &mut has))
    }

    fn holds(&self, node: usize, has: &mut impl FnMut(usize) -> bool) -> bool {
        match &self.nodes[node] {
            Node::Wanted(wanted) => has(*wanted),
            Node::All(parts) => parts.iter().all(|part| self.holds(*part, has)),
            Node::Any(parts) => parts.iter().any(|part| self.holds(*part, has)),
        }
    }

    /// The same of all keys of a game, in ascending order.
    pub fn may_match_game(&self, keys: &[u64]) -> bool {
        let signatures = keys.iter().filter_map(|key| signature_in(*key));
        self.may_match(|wanted| match &self.wanted[wanted] {
            Wanted::Key(key) => keys.binary_search(key).is_ok(),
            Wanted::Material { .. } => signatures.clone().any(|signature| self.allows(wanted, signature)),
        })
    }

    /// Whether a [signature](crate::search::pattern::signature) is one of those wanted, with which the pattern may hold.
    pub fn allows(&self, wanted: usize, signature: u64) -> bool {
        let key = material_key(signature);
        match self.wanted.get(wanted) {
            Some(Wanted::Key(only)) => key == *only,
            Some(Wanted::Material { from, to, conditions }) => {
                is_within(key, *from, *to) && self.judge.borrow_mut().may_hold(&self.program, conditions, signature)
            }
            None => false,
        }
    }

    /// A [signature](crate::search::pattern::signature) of wanted material, with as few pieces as possible; `None` if a key
    /// of something else is wanted, or if more than two pieces must be added to the least numbers of each kind.
    pub fn example(&self, wanted: usize) -> Option<u64> {
        let from = match self.wanted.get(wanted)? {
            Wanted::Key(key) => return signature_in(*key),
            Wanted::Material { from, .. } => signature_in(*from)?,
        };
        let least = counts_of(from);
        let with = |added: &[u8]| {
            let count = |kind: u8| {
                let more = added.iter().filter(|other| **other == kind).count();
                (usize::from(least[usize::from(kind)]) + more).min(15) as u64
            };
            Some(signature(count)).filter(|signature| self.allows(wanted, *signature))
        };
        let kinds = SIGNATURE_ORDER;
        with(&[])
            .or_else(|| kinds.iter().find_map(|kind| with(&[*kind])))
            .or_else(|| kinds.iter().find_map(|kind| kinds.iter().find_map(|other| with(&[*kind, *other]))))
    }

    /// The share of the games that may match, by the share of the games that have each of the wanted keys.
    ///
    /// Keys of one pattern often come together: of several that are all needed, the rarest counts in full, the
    /// next with its square root, the third with its cube root, and so on.
    pub fn share(&self, mut share_of: impl FnMut(usize) -> f64) -> f64 {
        self.root.map_or(1.0, |root| self.share_at(root, &mut share_of))
    }

    fn share_at(&self, node: usize, share_of: &mut impl FnMut(usize) -> f64) -> f64 {
        match &self.nodes[node] {
            Node::Wanted(wanted) => share_of(*wanted),
            Node::All(parts) => {
                let mut shares: Vec<f64> = parts.iter().map(|part| self.share_at(*part, share_of)).collect();
                shares.sort_by(f64::total_cmp);
                let powers = (1..).map(f64::from);
                shares.iter().zip(powers).map(|(share, n)| share.powf(1.0 / n)).product()
            }
            Node::Any(parts) => {
                1.0 - parts.iter().fold(1.0, |none, part| none * (1.0 - self.share_at(*part, share_of)))
            }
        }
    }
}

/// What is known of a part: its node.
type Known = Option<usize>;

/// Makes a tree.
struct Maker<'a> {
    program: &'a Arc<Program>,
    wanted: Vec<Wanted>,
    /// Where each of them is wanted.
    places: HashMap<Wanted, usize>,
    nodes: Vec<Node>,
    judge: Judge,
    /// The same for the material of the standard start, cached because it is needed most.
    at_first: Judge,
    conditions: HashMap<(At, bool), Known>,
    sets: HashMap<At, Known>,
    steps: usize,
}

impl<'a> Maker<'a> {
    fn new(program: &'a Arc<Program>) -> Maker<'a> {
        Maker {
            program,
            wanted: Vec::new(),
            places: HashMap::new(),
            nodes: Vec::new(),
            judge: Judge::new(program),
            at_first: Judge::new(program),
            conditions: HashMap::new(),
            sets: HashMap::new(),
            steps: 0,
        }
    }

    fn finish(mut self, make: impl FnOnce(&mut Maker) -> Known) -> KeyTree {
        let root = make(&mut self);
        let mut tree = KeyTree {
            wanted: Vec::new(),
            nodes: Vec::new(),
            root: None,
            judge: RefCell::new(self.judge),
            program: self.program.clone(),
        };
        // Of what was made on the way only what the root needs.
        let mut kept = HashMap::new();
        tree.root = root.map(|root| keep(&self.nodes, &self.wanted, root, &mut tree, &mut kept));
        tree
    }

    /// Counts steps; false once the limit is reached.
    fn goes_on(&mut self, steps: usize) -> bool {
        pause::count(steps);
        self.steps += steps;
        self.steps <= MOST_STEPS
    }

    fn put(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn want(&mut self, wanted: Wanted) -> usize {
        if let Some(node) = self.places.get(&wanted) {
            return *node;
        }
        self.wanted.push(wanted.clone());
        let node = self.put(Node::Wanted(self.wanted.len() - 1));
        self.places.insert(wanted, node);
        node
    }

    fn key(&mut self, key: u64) -> usize {
        self.want(Wanted::Key(key))
    }

    /// What is known of all of these together.
    fn all(&mut self, parts: Vec<Known>) -> Known {
        let mut parts: Vec<usize> = parts.into_iter().flatten().collect();
        parts.sort_unstable();
        parts.dedup();
        match parts.as_slice() {
            [] => None,
            [only] => Some(*only),
            _ => Some(self.put(Node::All(parts))),
        }
    }

    /// What is known if any of these is; of none, that nothing matches.
    fn any(&mut self, parts: Vec<Known>) -> Known {
        let mut parts = parts.into_iter().collect::<Option<Vec<usize>>>()?;
        parts.sort_unstable();
        parts.dedup();
        match parts.as_slice() {
            [only] => Some(*only),
            _ => Some(self.put(Node::Any(parts))),
        }
    }

    fn any_key(&mut self, keys: Vec<u64>) -> Known {
        let new = keys.iter().filter(|key| !self.places.contains_key(&Wanted::Key(**key))).count();
        if keys.len() > MOST_KEYS_OF_SET || self.wanted.len() + new > MOST_KEYS {
            return None;
        }
        let parts = keys.into_iter().map(|key| Some(self.key(key))).collect();
        self.any(parts)
    }

    fn part(&self, at: At) -> &'a Part {
        &self.program.entries[usize::from(at)].node
    }

    // Conditions.

    /// What a condition needs; with what it needs of material, if that was not asked for yet.
    fn condition(&mut self, at: At, with_material: bool) -> Known {
        if let Some(known) = self.conditions.get(&(at, with_material)) {
            return *known;
        }
        let parts = self.part(at).listed();
        if !self.goes_on(1 + parts) {
            return None;
        }
        let known = match self.part(at) {
            Part::All(parts) => {
                let material = if with_material { self.material(&[at]) } else { None };
                let still = with_material && material.is_none();
                let parts = parts.iter().map(|part| self.condition(*part, still)).collect();
                let rest = self.all(parts);
                self.all(vec![material, rest])
            }
            Part::Any(parts) => {
                // Branches with keys of their own, or with few signatures, one by one, the others in one question.
                let mut known = Vec::new();
                let mut others = Vec::new();
                for part in parts {
                    let is_small = self.bounds(*part).is_none_or(Bounds::fix_pieces);
                    if with_material && !is_small && self.condition(*part, false).is_none() {
                        others.push(*part);
                    } else {
                        known.push(self.condition(*part, with_material));
                    }
                }
                if !others.is_empty() {
                    known.push(self.material(&others));
                }
                match self.any(known) {
                    None if with_material => self.material(&[at]),
                    known => known,
                }
            }
            part => {
                let keys = self.leaf(part);
                let material = if with_material { self.material(&[at]) } else { None };
                self.all(vec![keys, material])
            }
        };
        self.conditions.insert((at, with_material), known);
        known
    }

    /// The bounds that a condition sets on material.
    fn bounds(&mut self, at: At) -> Option<Bounds> {
        let before = pause::steps();
        let bounds = Bounds::of(self.program, at);
        self.steps += pause::steps().wrapping_sub(before) as usize;
        bounds
    }

    fn leaf(&mut self, part: &Part) -> Known {
        match part {
            Part::Some(set) => self.set(*set),
            Part::Within(number, from, _) if *from > 0 => self.positive(*number),
            Part::Compare(Comparison::Greater, number, _) | Part::Compare(Comparison::Less, _, number) => {
                self.positive(*number)
            }
            Part::Move(step) => self.step(step),
            Part::Castles(bits) => self.castles(*bits),
            Part::Line(_, sets) => {
                let parts = sets.iter().map(|set| self.set(*set)).collect();
                self.all(parts)
            }
            Part::Fact(Fact::Mate) => self.events(vec![Event::Mate]),
            Part::Fact(Fact::Stalemate) => self.events(vec![Event::Stalemate]),
            Part::Fact(Fact::EnPassant) => self.events([0, 1].map(Event::EnPassant).to_vec()),
            _ => None,
        }
    }

    /// What the material must be for one of these conditions to be possible, unless the standard start has it.
    fn material(&mut self, conditions: &[At]) -> Known {
        if self.at_first.may_hold(self.program, conditions, STANDARD_SIGNATURE) {
            return None;
        }
        if !self.goes_on(conditions.len()) {
            return None;
        }
        let bounds = conditions.iter().filter_map(|at| self.bounds(*at)).reduce(Bounds::or);
        let Some(bounds) = bounds else { return Some(self.put(Node::Any(Vec::new()))) };
        let (from, to) = bounds.signatures();
        if self.wanted.len() >= MOST_KEYS {
            return None;
        }
        if from == to {
            // The condition may ask for more than numbers, but no number is left open.
            return if self.judge.may_hold(self.program, conditions, from) {
                Some(self.key(material_key(from)))
            } else {
                Some(self.put(Node::Any(Vec::new())))
            };
        }
        let (from, to) = (material_key(from), material_key(to));
        Some(self.want(Wanted::Material { from, to, conditions: conditions.to_vec() }))
    }

    // Sets and numbers: what is needed for them not to be empty.

    fn set(&mut self, at: At) -> Known {
        if let Some(known) = self.sets.get(&at) {
            return *known;
        }
        let known = self.new_set(at);
        self.sets.insert(at, known);
        known
    }

    fn new_set(&mut self, at: At) -> Known {
        let parts = self.part(at).listed();
        if !self.goes_on(1 + parts) {
            return None;
        }
        match self.part(at) {
            Part::Pieces(contents, squares) => self.pieces(*contents, *squares),
            Part::Union(parts) => {
                let parts = parts.iter().map(|part| self.set(*part)).collect();
                self.any(parts)
            }
            Part::Cut(parts) => {
                let (contents, squares, others) = self.program.cut(parts);
                let mut known: Vec<Known> = others.into_iter().map(|part| self.set(part)).collect();
                known.push(self.pieces(contents, squares));
                self.all(known)
            }
            Part::Attacks(a, b) | Part::AttackedBy(a, b) | Part::Between(a, b) => {
                let parts = vec![self.set(*a), self.set(*b)];
                self.all(parts)
            }
            // Squares of other sets, or near them: of none there are none.
            Part::Function(_, part) | Part::Reach(_, part, ..) => self.set(*part),
            _ => None,
        }
    }

    fn positive(&mut self, number: At) -> Known {
        match self.part(number) {
            Part::Size(set) | Part::Points(set) | Part::Islands(set) => self.set(*set),
            Part::Sum(parts) => {
                let parts = parts.iter().map(|part| self.positive(*part)).collect();
                self.any(parts)
            }
            _ => None,
        }
    }

    /// One of these contents on one of these squares.
    fn pieces(&mut self, contents: Contents, squares: u64) -> Known {
        if contents & NOTHING != 0 || squares == !0 {
            return None;
        }
        let keys = kinds(contents).count() * squares.count_ones() as usize;
        if !self.goes_on(keys) {
            return None;
        }
        self.any_key(keys_of_squares(contents, squares)?)
    }

    // Half-moves.

    fn events(&mut self, events: Vec<Event>) -> Known {
        self.any_key(events.into_iter().map(Event::key).collect())
    }

    fn castles(&mut self, bits: u8) -> Known {
        self.events((0..4).filter(|how| bits >> how & 1 == 1).map(Event::Castles).collect())
    }

    /// A half-move: what stood where it began, what stands where it ended, what it took.
    fn step(&mut self, step: &Step) -> Known {
        let mut known = vec![self.pieces(step.mover, step.from)];
        let last_ranks = rank_squares(0x81);
        let entered = step.to != !0;
        let keys = |contents: Contents, squares: u64| if entered { keys_of_squares(contents, squares) } else { None };
        let pawns = if step.promotion.is_some() { 0 } else { step.to & !last_ranks };
        let promoted = promoted_from(step.mover) & step.promotion.unwrap_or(!0);
        let others = if step.promotion.is_some() { 0 } else { step.mover & !PAWNS };
        let entries = [(step.mover & PAWNS, pawns), (promoted, step.to & last_ranks), (others, step.to)];
        let entries = entries.into_iter().map(|(contents, squares)| keys(contents, squares));
        if let Some(keys) = entries.collect::<Option<Vec<Vec<u64>>>>() {
            let mut keys = keys.concat();
            keys.sort_unstable();
            keys.dedup();
            known.push(self.any_key(keys));
        }
        if step.takes || step.stood & NOTHING == 0 {
            let takes = |mover: u8| {
                let others = if mover < 6 { !WHITE } else { WHITE };
                kinds(step.stood & others & !NOTHING & !0x820).map(move |taken| Event::Takes(mover, taken))
            };
            let events: Vec<Event> = kinds(step.mover & !NOTHING).flat_map(takes).collect();
            if events.len() <= MOST_CAPTURES {
                known.push(self.events(events));
            }
        }
        if step.promotion.is_some() {
            known.push(self.events(kinds(promoted).map(Event::Promotes).collect()));
        }
        self.all(known)
    }

    // Time.

    /// Conditions that must have occurred when an element with this output ends.
    fn ended(&mut self, chain: &Chain, output: Output, known: &mut HashMap<Output, Known>) -> Known {
        if let Some(ended) = known.get(&output) {
            return *ended;
        }
        let parts = chain.ending(output).map(|n| self.element(chain, n, known)).collect();
        let ended = self.any(parts);
        known.insert(output, ended);
        ended
    }

    /// Conditions that must have occurred when an element ends.
    fn element(&mut self, chain: &Chain, n: usize, known: &mut HashMap<Output, Known>) -> Known {
        let element = &chain.elements[n];
        let what = match &element.what {
            What::Moment(at) | What::Lasting(at, _) => self.condition(*at, true),
            What::Trip(steps) => {
                let parts = legs(steps).map(|step| self.step(&step)).collect();
                self.all(parts)
            }
        };
        let before = match element.input {
            Input::Always => None,
            Input::Link(link) => self.ended(chain, Output::Link(link), known),
        };
        self.all(vec![what, before])
    }
}

/// The keys of kinds on squares; `None` if one of them has none.
fn keys_of_squares(contents: Contents, squares: u64) -> Option<Vec<u64>> {
    let mut keys = Vec::new();
    for kind in kinds(contents) {
        // Pawns are on neither end of the board.
        let squares = if kind % 6 == PAWN { squares & !rank_squares(0x81) } else { squares };
        for square in (0..64).filter(|square| squares >> square & 1 == 1) {
            keys.push(square_key(kind, square)?);
        }
    }
    Some(keys)
}

/// Whether each of the numbers of a key of material, four bits each, is between those of two others.
fn is_within(key: u64, from: u64, to: u64) -> bool {
    const LOW: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    // With a byte for each number, a bit above it is lost where a subtraction borrows.
    const ABOVE: u64 = 0x1010_1010_1010_1010;
    let kept = |shift: u32| {
        let [key, from, to] = [key, from, to].map(|number| number >> shift & LOW);
        ((key | ABOVE) - from) & ((to | ABOVE) - key)
    };
    kept(0) & kept(4) & ABOVE == ABOVE
}

/// Copies a node, and what it needs, into a tree.
fn keep(nodes: &[Node], wanted: &[Wanted], at: usize, tree: &mut KeyTree, kept: &mut HashMap<usize, usize>) -> usize {
    if let Some(place) = kept.get(&at) {
        return *place;
    }
    let mut parts = |parts: &[usize]| parts.iter().map(|part| keep(nodes, wanted, *part, tree, kept)).collect();
    let node = match &nodes[at] {
        Node::Wanted(n) => {
            tree.wanted.push(wanted[*n].clone());
            Node::Wanted(tree.wanted.len() - 1)
        }
        Node::All(of) => Node::All(parts(of)),
        Node::Any(of) => Node::Any(parts(of)),
    };
    tree.nodes.push(node);
    kept.insert(at, tree.nodes.len() - 1);
    tree.nodes.len() - 1
}
