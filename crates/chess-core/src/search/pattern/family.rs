//! Finds conditions of a program that differ only in their squares, so that they can be evaluated together.
//!
//! `shift(Nd4 attacks Pe6)` becomes an `or` of dozens of conditions: a knight on d4 attacks a pawn on e6, one on d5
//! attacks one on e7, and so on. Each is an *image*, and all of them are a *family*. Conditions are in one family if
//! their nodes have the same *shape*: they are equal once squares and constants are left out.
//!
//! This module takes a program and the conditions that a search evaluates; it returns the families. A family has the
//! common shape once, as a list of *parts* (the knights, the pawns, what attacks what), and the squares of the images
//! as planes. A *plane* is a bit set with one bit for each image: bit 0 for d4 and e6, bit 1 for d5 and e7. The part
//! "pawns" has a plane for each square of the board; the one for e7 has bit 1 set. [`super::planes`] evaluates a
//! family.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::observe::Moment;
use super::program::{At, FAMILY, NO_FAMILY, Node, Program, Step, Watch, words_of};
use super::relations;
use super::structure;
use super::tree::{Comparison, Contents, Function, Line, Reach};
use crate::pause;

/// A bit set of images: bit n of the 64 * W bits stands for image n.
pub(super) type Plane<const W: usize> = [u64; W];

/// Index of a part in [`Family::parts`].
pub(super) type Place = u16;

/// The squares that the images name, transposed: a bit set of images for each square.
#[derive(Clone, Debug)]
pub(super) struct Masks<const W: usize> {
    pub by_square: [Plane<W>; 64],
    /// The squares that at least one image names.
    pub covered: u64,
}

/// A set of squares that is the same for all images, before each takes its own squares of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source {
    Pieces(Contents),
    Node(At),
    /// The squares that a function of the pawns, such as `passed`, keeps of any set.
    Filter(Function),
}

/// A relation between squares, such as "beside" or "ahead of", as a table by square. Where the direction depends on a
/// colour, there is a table for each side, White's first.
#[derive(Clone, Debug)]
pub(super) struct Spread {
    /// By side and square, the squares that it leads to.
    pub to: [[u64; 64]; 2],
    /// The reverse: the squares that lead to it.
    pub from: [[u64; 64]; 2],
    owners: Owners,
}

#[derive(Clone, Copy, Debug)]
enum Owners {
    Nobody,
    Pawns,
    Pieces,
}

impl Spread {
    /// Returns the squares for which White's table applies, and those for Black's. White's applies to all squares where
    /// the colour makes no difference.
    pub fn owners(&self, moment: &Moment) -> [u64; 2] {
        match self.owners {
            Owners::Nobody => [!0, 0],
            Owners::Pawns => [moment.sets[0], moment.sets[6]],
            Owners::Pieces => [moment.of_side(0), moment.of_side(1)],
        }
    }

    fn new(node: &Node) -> Spread {
        let owners = match node {
            Node::Function(Function::Span, _) => Owners::Pawns,
            Node::Reach(Reach::Ahead | Reach::Behind, ..) => Owners::Pieces,
            _ => Owners::Nobody,
        };
        let (mut to, mut from) = ([[0; 64]; 2], [[0; 64]; 2]);
        for side in 0..2 {
            for square in 0..64u8 {
                let set = 1u64 << square;
                let mut moment = Moment::EMPTY;
                moment.sets[6 * side] = set;
                let reached = match node {
                    Node::Reach(reach, _, from, to) => relations::reach(&moment, *reach, set, *from, *to),
                    Node::Function(Function::Beside, _) => structure::beside(set),
                    Node::Function(function, _) => {
                        structure::of(*function, set, [moment.sets[0], moment.sets[6]], || [0; 2])
                    }
                    _ => 0,
                };
                to[side][usize::from(square)] = reached;
                for there in crate::board::squares::members(reached) {
                    from[side][usize::from(there & 63)] |= set;
                }
            }
        }
        Spread { to, from, owners }
    }
}

/// The rows of squares from one edge of the board to the opposite one, on which squares may follow each other. In each,
/// the numbers of the squares rise in one direction and fall in the other.
#[derive(Clone, Debug)]
pub(super) struct Rays {
    pub rays: Vec<u64>,
    /// For each square, the bit set of the rays that contain it.
    pub by_square: [u64; 64],
}

/// Returns the square on a file and a rank, both from 0; `None` beyond the edge.
fn square_at(file: i32, rank: i32) -> Option<u8> {
    ((0..8).contains(&file) && (0..8).contains(&rank)).then_some((8 * rank + file) as u8)
}

/// Returns the squares from the next one in a direction to the edge.
fn beyond(square: u8, (files, ranks): (i32, i32)) -> impl Iterator<Item = u8> {
    let (file, rank) = (i32::from(square % 8), i32::from(square / 8));
    (1..8).map_while(move |by| square_at(file + by * files, rank + by * ranks))
}

/// Returns, for the file, the rank and the two diagonals of a square, the squares on either side of it.
fn opposite_rays(square: u8) -> [[u64; 2]; 4] {
    let set = |files, ranks| beyond(square, (files, ranks)).fold(0, |set, square| set | 1u64 << square);
    [(0, 1), (1, 0), (1, 1), (1, -1)].map(|(files, ranks)| [set(files, ranks), set(-files, -ranks)])
}

impl Rays {
    fn new(line: Line) -> Rays {
        let (mut rays, mut by_square) = (Vec::new(), [0; 64]);
        // Of each two opposite directions one.
        for (files, ranks) in relations::steps(line).iter().step_by(2) {
            for first in 0..64u8 {
                let (file, rank) = (i32::from(first % 8), i32::from(first / 8));
                let ray = beyond(first, (*files, *ranks)).fold(1u64 << first, |set, square| set | 1 << square);
                if square_at(file - files, rank - ranks).is_some() || ray.is_power_of_two() {
                    continue;
                }
                for square in crate::board::squares::members(ray) {
                    // A board has 8 files, 8 ranks and 26 diagonals.
                    by_square[usize::from(square & 63)] |= 1 << (rays.len() % 64);
                }
                rays.push(ray);
            }
        }
        Rays { rays, by_square }
    }
}

/// A node of the common shape of a family. A [`Place`] refers to another part. The groups below are sets of squares,
/// numbers and conditions; most parts correspond to the [`Node`] of the same name.
///
/// A part has up to three *slots*: in each it collects changed squares of one input, or of inputs that it treats alike.
#[derive(Clone, Debug)]
pub(super) enum Part<const W: usize> {
    /// Stands for the table of all attacks, so that its changes reach the parts that use it.
    Table,

    /// The squares of the source that the image names.
    Masked(Source, Box<Masks<W>>),
    Union(Vec<Place>),
    Cut(Vec<Place>),
    Inverse(Place),
    Attacks(Place, Place),
    AttackedBy(Place, Place),
    Spread(Box<Spread>, Place),
    Between(Place, Place),

    /// A number node that is the same for all images.
    Number(At),
    Constant(Vec<Plane<W>>),
    Size(Place),
    Points(Place),
    Islands(Place),
    Sum(Vec<Place>),

    /// A condition node that is the same for all images.
    Shared(At),
    All(Vec<Place>),
    Any(Vec<Place>),
    Not(Place),
    /// Whether a set has a square.
    Some(Place),
    Compare(Comparison, Place, Place),
    Within(Place, u32, Option<u32>),
    /// A move with all squares allowed, and the squares from which and to which each image allows it.
    Move(Step, Box<[Masks<W>; 2]>),
    Line(Box<Rays>, Vec<Place>),
}

impl<const W: usize> Part<W> {
    pub fn is_set(&self) -> bool {
        matches!(
            self,
            Part::Masked(..)
                | Part::Union(_)
                | Part::Cut(_)
                | Part::Inverse(_)
                | Part::Attacks(..)
                | Part::AttackedBy(..)
                | Part::Spread(..)
                | Part::Between(..)
        )
    }

    /// Returns the sets that the part is computed from, each with the slot that collects its changed squares.
    fn inputs(&self) -> Vec<(Place, u8)> {
        match self {
            Part::Union(parts) | Part::Cut(parts) | Part::Line(_, parts) => parts.iter().map(|at| (*at, 0)).collect(),
            Part::Inverse(at)
            | Part::Spread(_, at)
            | Part::Size(at)
            | Part::Points(at)
            | Part::Islands(at)
            | Part::Some(at) => vec![(*at, 0)],
            Part::Attacks(a, b) | Part::AttackedBy(a, b) => vec![(*a, 0), (*b, 1)],
            Part::Between(a, b) => vec![(*a, 0), (*b, 0)],
            _ => Vec::new(),
        }
    }
}

/// Conditions that differ only in their squares, with up to 64 * W images.
#[derive(Clone, Debug)]
pub(super) struct Family<const W: usize> {
    pub parts: Vec<Part<W>>,
    /// For each part, the changes that can affect its value for at least one image.
    pub watches: Vec<Watch>,
    /// The part that is the whole condition.
    pub root: Place,
    /// The part [`Part::Table`], if one is needed.
    pub table: Option<Place>,
    /// By square, the result of [`opposite_rays`]; empty if no part needs it.
    pub opposite: Vec<[[u64; 2]; 4]>,
    /// For each part, the parts that use it, with the slot that collects its changed squares.
    pub users: Vec<Vec<(Place, u8)>>,
    /// The node of each image.
    pub nodes: Vec<At>,
    /// All images; the bits beyond the last one are 0.
    pub images: Plane<W>,
    /// The same nodes as a sparse bit set (see [`words_of`]).
    pub words: Vec<(usize, u64)>,
}

/// A node without its squares: nodes of equal shape can be images of each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Shape {
    /// A node of a kind that families do not support: only the same node has this shape.
    Only(At),
    /// The node with empty squares, and with the numbers of their shapes in place of its parts.
    Like(Node),
}

/// Returns the conditions inside of a condition that its family evaluates, too.
fn parts_of(node: &Node) -> Vec<At> {
    match node {
        Node::All(parts) => parts.clone(),
        Node::Any(parts) if parts.len() <= FEW_PARTS => parts.clone(),
        Node::Not(at) => vec![*at],
        _ => Vec::new(),
    }
}

/// The shape of each node as a number, equal for equal shapes.
struct Shapes<'a> {
    program: &'a Program,
    of_node: Vec<At>,
}

impl Shapes<'_> {
    fn new(program: &Program) -> Shapes<'_> {
        let mut known: HashMap<Shape, At> = HashMap::new();
        let mut of_node: Vec<At> = Vec::with_capacity(program.entries.len());
        for (n, entry) in program.entries.iter().enumerate() {
            let shape = shape(&entry.node, n as At, &of_node);
            let next = known.len() as At;
            of_node.push(*known.entry(shape).or_insert(next));
        }
        Shapes { program, of_node }
    }

    fn of(&self, at: At) -> At {
        self.of_node[usize::from(at)]
    }

    /// Marks the conditions inside of a node that its family evaluates, too.
    fn enter(&self, at: At, inside: &mut [bool]) {
        let mut more = parts_of(&self.program.entries[usize::from(at)].node);
        while let Some(at) = more.pop() {
            if !std::mem::replace(&mut inside[usize::from(at)], true) {
                more.extend(parts_of(&self.program.entries[usize::from(at)].node));
            }
        }
    }

    /// Sorts the parts of a node for which their order makes no difference by shape, so that those of two images
    /// correspond.
    fn sorted(&self, parts: &[At]) -> Vec<At> {
        let mut parts = parts.to_vec();
        parts.sort_by_key(|at| self.of(*at));
        parts
    }
}

/// Returns a number for each node of a program: it is the same for nodes that can be images of each other.
pub(super) fn shapes(program: &Program) -> Vec<At> {
    Shapes::new(program).of_node
}

/// The most parts of an `or` that can be part of an image. The parts of a longer one are likely a family themselves.
const FEW_PARTS: usize = 16;

fn shape(node: &Node, at: At, of: &[At]) -> Shape {
    let of = |at: &At| of[usize::from(*at)];
    let all = |parts: &[At]| parts.iter().map(of).collect::<Vec<At>>();
    let sorted = |parts: &[At]| {
        let mut parts = all(parts);
        parts.sort_unstable();
        parts
    };
    Shape::Like(match node {
        Node::Pieces(contents, _) => Node::Pieces(*contents, 0),
        Node::Union(parts) => Node::Union(sorted(parts)),
        Node::Cut(parts) => Node::Cut(sorted(parts)),
        Node::Sum(parts) => Node::Sum(sorted(parts)),
        Node::All(parts) => Node::All(sorted(parts)),
        Node::Any(parts) if parts.len() <= FEW_PARTS => Node::Any(sorted(parts)),
        Node::Inverse(of_) => Node::Inverse(of(of_)),
        Node::Attacks(a, b) => Node::Attacks(of(a), of(b)),
        Node::AttackedBy(a, b) => Node::AttackedBy(of(a), of(b)),
        Node::Between(a, b) => Node::Between(of(a), of(b)),
        Node::Function(function, of_) if *function != Function::Pinned => Node::Function(*function, of(of_)),
        Node::Reach(reach, of_, from, to) => Node::Reach(*reach, of(of_), *from, *to),
        Node::Constant(_) => Node::Constant(0),
        Node::Size(of_) => Node::Size(of(of_)),
        Node::Points(of_) => Node::Points(of(of_)),
        Node::Islands(of_) => Node::Islands(of(of_)),
        Node::Some(of_) => Node::Some(of(of_)),
        Node::Not(of_) => Node::Not(of(of_)),
        Node::Compare(comparison, a, b) => Node::Compare(*comparison, of(a), of(b)),
        Node::Within(of_, from, to) => Node::Within(of(of_), *from, *to),
        Node::Move(step) => Node::Move(Step { from: 0, to: 0, ..*step }),
        Node::Line(line, parts) if (2..=8).contains(&parts.len()) => Node::Line(*line, all(parts)),
        _ => return Shape::Only(at),
    })
}

/// A family whose planes have as many words as its images need.
#[derive(Clone, Debug)]
pub(super) enum Relatives {
    Few(Family<1>),
    Some(Family<2>),
    Many(Family<4>),
}

/// The most images of a family.
pub(super) const IMAGES: usize = 256;

impl Relatives {
    fn new(shapes: &Shapes<'_>, nodes: &[At]) -> Relatives {
        match nodes.len() {
            0..=64 => Relatives::Few(Maker::new(shapes, nodes.len()).family(nodes)),
            65..=128 => Relatives::Some(Maker::new(shapes, nodes.len()).family(nodes)),
            _ => Relatives::Many(Maker::new(shapes, nodes.len()).family(nodes)),
        }
    }

    /// The node of each image.
    pub fn nodes(&self) -> &[At] {
        match self {
            Relatives::Few(family) => &family.nodes,
            Relatives::Some(family) => &family.nodes,
            Relatives::Many(family) => &family.nodes,
        }
    }

    /// The nodes of the images as a sparse bit set (see [`words_of`]).
    pub fn words(&self) -> &[(usize, u64)] {
        match self {
            Relatives::Few(family) => &family.words,
            Relatives::Some(family) => &family.words,
            Relatives::Many(family) => &family.words,
        }
    }

    /// The number of parts of the common shape.
    pub fn parts(&self) -> usize {
        match self {
            Relatives::Few(family) => family.parts.len(),
            Relatives::Some(family) => family.parts.len(),
            Relatives::Many(family) => family.parts.len(),
        }
    }

    /// Returns the changes that can affect the value of at least one image.
    pub fn watch(&self) -> Watch {
        match self {
            Relatives::Few(family) => family.watches[usize::from(family.root)],
            Relatives::Some(family) => family.watches[usize::from(family.root)],
            Relatives::Many(family) => family.watches[usize::from(family.root)],
        }
    }
}

/// Finds the families among the parts of each `or`, and within each of the given groups of conditions, which the search
/// evaluates by themselves. Enters them in the nodes of the program.
pub(super) fn find(program: &mut Program, conditions: &[Vec<At>]) -> Arc<[Relatives]> {
    // The outermost `or` comes first, because conditions inside of a family need no family of their own.
    let ors = program.entries.iter().rev().filter_map(|entry| match &entry.node {
        Node::Any(parts) if parts.len() >= FAMILY => Some(parts.clone()),
        _ => None,
    });
    let groups: Vec<(bool, Vec<At>)> =
        conditions.iter().map(|group| (true, group.clone())).chain(ors.map(|parts| (false, parts))).collect();
    if groups.iter().all(|(_, group)| group.len() < FAMILY) {
        return Arc::default();
    }
    pause::count(program.entries.len());
    let mut families: Vec<Relatives> = Vec::new();
    let mut family_of = vec![NO_FAMILY; program.entries.len()];
    {
        let shapes = Shapes::new(program);
        // Whether a node is inside of an image.
        let mut inside = vec![false; program.entries.len()];
        for (is_asked, group) in groups {
            let mut seen = HashSet::new();
            let mut order: Vec<At> = Vec::new();
            let mut by_shape: HashMap<At, Vec<At>> = HashMap::new();
            for at in group {
                let n = usize::from(at);
                if inside[n] && !is_asked || family_of[n] != NO_FAMILY || !seen.insert(at) {
                    continue;
                }
                let like = by_shape.entry(shapes.of(at)).or_default();
                if like.is_empty() {
                    order.push(shapes.of(at));
                }
                like.push(at);
            }
            for shape in order {
                for nodes in by_shape[&shape].chunks(IMAGES).filter(|nodes| nodes.len() >= FAMILY) {
                    for at in nodes {
                        family_of[usize::from(*at)] = families.len() as u16;
                        shapes.enter(*at, &mut inside);
                    }
                    families.push(Relatives::new(&shapes, nodes));
                }
            }
        }
    }
    for (entry, family) in program.entries.iter_mut().zip(family_of) {
        entry.family = family;
    }
    for n in 0..program.entries.len() {
        let Node::Any(parts) = &program.entries[n].node else { continue };
        let mut members: HashMap<u16, usize> = HashMap::new();
        for at in parts {
            *members.entry(program.entries[usize::from(*at)].family).or_default() += 1;
        }
        let is_all = |(family, count): &(&u16, &usize)| {
            families.get(usize::from(**family)).is_some_and(|family| family.nodes().len() == **count)
        };
        let mut contained: Vec<u16> = members.iter().filter(is_all).map(|(family, _)| *family).collect();
        contained.sort_unstable();
        if !contained.is_empty() {
            program.entries[n].has_families = true;
            program.contained.insert(n as At, contained);
        }
    }
    families.into()
}

/// Builds a family. Parts are found again by their nodes, one for each image, so that none is built twice.
struct Maker<'a, const W: usize> {
    shapes: &'a Shapes<'a>,
    parts: Vec<Part<W>>,
    watches: Vec<Watch>,
    images: Plane<W>,
    table: Option<Place>,
    sets: HashMap<Vec<At>, Place>,
    numbers: HashMap<Vec<At>, Place>,
    conditions: HashMap<Vec<At>, Place>,
    filters: HashMap<Function, Place>,
}

/// Transposes the squares of each image, in the order of the images, to a plane for each square.
pub(super) fn masks<const W: usize>(squares: impl Iterator<Item = u64>) -> Box<Masks<W>> {
    let mut masks = Masks { by_square: [[0; W]; 64], covered: 0 };
    for (n, squares) in squares.enumerate() {
        masks.covered |= squares;
        for square in crate::board::squares::members(squares) {
            masks.by_square[usize::from(square & 63)][n / 64 % W] |= 1 << (n % 64);
        }
    }
    Box::new(masks)
}

impl<'a, const W: usize> Maker<'a, W> {
    fn new(shapes: &'a Shapes<'a>, count: usize) -> Maker<'a, W> {
        let mut images = [0; W];
        (0..count).for_each(|n| images[n / 64 % W] |= 1 << (n % 64));
        Maker {
            shapes,
            parts: Vec::new(),
            watches: Vec::new(),
            images,
            table: None,
            sets: HashMap::new(),
            numbers: HashMap::new(),
            conditions: HashMap::new(),
            filters: HashMap::new(),
        }
    }

    fn family(mut self, nodes: &[At]) -> Family<W> {
        let root = self.condition(nodes.to_vec());
        let mut users = vec![Vec::new(); self.parts.len()];
        for (n, part) in self.parts.iter().enumerate() {
            for (input, slot) in part.inputs() {
                users[usize::from(input)].push((n as Place, slot));
            }
            if let (Part::Attacks(..) | Part::AttackedBy(..), Some(table)) = (part, self.table) {
                users[usize::from(table)].push((n as Place, 2));
            }
        }
        let has_between = self.parts.iter().any(|part| matches!(part, Part::Between(..)));
        Family {
            opposite: if has_between { (0..64).map(opposite_rays).collect() } else { Vec::new() },
            parts: self.parts,
            watches: self.watches,
            root,
            table: self.table,
            users,
            nodes: nodes.to_vec(),
            images: self.images,
            words: words_of(nodes),
        }
    }

    /// Appends a part. The nodes, one for each image, tell what can change it.
    fn put(&mut self, part: Part<W>, nodes: &[At]) -> Place {
        let watch = |at: &At| {
            let entry = &self.shapes.program.entries[usize::from(*at)];
            Watch::of(entry.causes, entry.squares)
        };
        self.watches.push(nodes.iter().fold(Watch::NEVER, |all, at| all.or(watch(at))));
        self.parts.push(part);
        (self.parts.len() - 1) as Place
    }

    fn node(&self, at: At) -> &'a Node {
        &self.shapes.program.entries[usize::from(at)].node
    }

    /// Returns for each image the part of its node that `part` selects.
    fn each(&self, nodes: &[At], part: impl Fn(&Node) -> Option<At>) -> Vec<At> {
        nodes.iter().map(|at| part(self.node(*at)).unwrap_or(*at)).collect()
    }

    /// Aligns the parts of nodes for which their order makes no difference: each list has one part of every image, all
    /// of the same shape. The lists are in the order of the first image's parts, which is the order of evaluation.
    fn lists(&self, nodes: &[At]) -> Vec<Vec<At>> {
        let parts = |at: &At| match self.node(*at) {
            Node::Union(parts) | Node::Cut(parts) | Node::Sum(parts) | Node::All(parts) | Node::Any(parts) => {
                parts.as_slice()
            }
            _ => &[],
        };
        let sorted: Vec<Vec<At>> = nodes.iter().map(|at| self.shapes.sorted(parts(at))).collect();
        let Some((first, original)) = sorted.first().zip(nodes.first().map(parts)) else { return Vec::new() };
        let mut order: Vec<usize> = (0..first.len()).collect();
        order.sort_by_key(|n| original.iter().position(|at| *at == first[*n]));
        order.into_iter().map(|n| sorted.iter().map(|list| list[n]).collect()).collect()
    }

    fn set(&mut self, nodes: Vec<At>) -> Place {
        if let Some(known) = self.sets.get(&nodes) {
            return *known;
        }
        let part = self.set_part(&nodes);
        let place = self.put(part, &nodes);
        self.sets.insert(nodes, place);
        place
    }

    fn set_part(&mut self, nodes: &[At]) -> Part<W> {
        let first = self.node(nodes[0]);
        if let Node::Pieces(contents, _) = first {
            let squares = nodes.iter().map(|at| match self.node(*at) {
                Node::Pieces(_, squares) => *squares,
                _ => 0,
            });
            return Part::Masked(Source::Pieces(*contents), masks(squares));
        }
        if let Some(only) = only(nodes) {
            return Part::Masked(Source::Node(only), masks(nodes.iter().map(|_| !0)));
        }
        match first {
            Node::Union(_) => Part::Union(self.lists(nodes).into_iter().map(|list| self.set(list)).collect()),
            Node::Cut(_) => Part::Cut(self.lists(nodes).into_iter().map(|list| self.set(list)).collect()),
            Node::Inverse(_) => Part::Inverse(self.set(self.each(nodes, first_part))),
            Node::Attacks(..) | Node::AttackedBy(..) => {
                let [a, b] =
                    [first_part, second_part].map(|part: fn(&Node) -> Option<At>| self.set(self.each(nodes, part)));
                if self.table.is_none() {
                    self.table = Some(self.put(Part::Table, nodes));
                }
                if let Node::Attacks(..) = first { Part::Attacks(a, b) } else { Part::AttackedBy(a, b) }
            }
            Node::Between(..) => {
                let [a, b] =
                    [first_part, second_part].map(|part: fn(&Node) -> Option<At>| self.set(self.each(nodes, part)));
                Part::Between(a, b)
            }
            Node::Function(Function::Beside | Function::Span, _) | Node::Reach(..) => {
                Part::Spread(Box::new(Spread::new(first)), self.set(self.each(nodes, first_part)))
            }
            Node::Function(function, _) => {
                let of = self.set(self.each(nodes, first_part));
                let filter = match self.filters.get(function) {
                    Some(filter) => *filter,
                    None => {
                        let part = Part::Masked(Source::Filter(*function), masks(nodes.iter().map(|_| !0)));
                        let filter = self.put(part, nodes);
                        self.filters.insert(*function, filter);
                        filter
                    }
                };
                Part::Cut(vec![of, filter])
            }
            _ => Part::Union(Vec::new()),
        }
    }

    fn number(&mut self, nodes: Vec<At>) -> Place {
        if let Some(known) = self.numbers.get(&nodes) {
            return *known;
        }
        let first = self.node(nodes[0]);
        let part = match first {
            _ if let Some(only) = only(&nodes) => Part::Number(only),
            Node::Constant(_) => {
                let mut digits = Vec::new();
                for (n, at) in nodes.iter().enumerate() {
                    let Node::Constant(number) = self.node(*at) else { continue };
                    for digit in 0..(u32::BITS - number.leading_zeros()) as usize {
                        if digits.len() <= digit {
                            digits.resize(digit + 1, [0; W]);
                        }
                        digits[digit][n / 64 % W] |= u64::from(number >> digit & 1) << (n % 64);
                    }
                }
                Part::Constant(digits)
            }
            Node::Size(_) => Part::Size(self.set(self.each(&nodes, first_part))),
            Node::Points(_) => Part::Points(self.set(self.each(&nodes, first_part))),
            Node::Islands(_) => Part::Islands(self.set(self.each(&nodes, first_part))),
            _ => Part::Sum(self.lists(&nodes).into_iter().map(|list| self.number(list)).collect()),
        };
        let place = self.put(part, &nodes);
        self.numbers.insert(nodes, place);
        place
    }

    fn condition(&mut self, nodes: Vec<At>) -> Place {
        if let Some(known) = self.conditions.get(&nodes) {
            return *known;
        }
        let first = self.node(nodes[0]);
        let part = match first {
            _ if let Some(only) = only(&nodes) => Part::Shared(only),
            Node::Some(_) => Part::Some(self.set(self.each(&nodes, first_part))),
            Node::All(_) => Part::All(self.lists(&nodes).into_iter().map(|list| self.condition(list)).collect()),
            Node::Any(_) => Part::Any(self.lists(&nodes).into_iter().map(|list| self.condition(list)).collect()),
            Node::Not(_) => Part::Not(self.condition(self.each(&nodes, first_part))),
            Node::Compare(comparison, ..) => {
                let [a, b] =
                    [first_part, second_part].map(|part: fn(&Node) -> Option<At>| self.number(self.each(&nodes, part)));
                Part::Compare(*comparison, a, b)
            }
            Node::Within(_, from, to) => Part::Within(self.number(self.each(&nodes, first_part)), *from, *to),
            Node::Move(step) => {
                let squares = |which: fn(&Step) -> u64| {
                    let of = |at: &At| if let Node::Move(step) = self.node(*at) { which(step) } else { 0 };
                    *masks(nodes.iter().map(of))
                };
                let masks = [squares(|step| step.from), squares(|step| step.to)];
                Part::Move(Step { from: !0, to: !0, ..*step }, Box::new(masks))
            }
            Node::Line(line, parts) => {
                let nth = |n: usize| {
                    move |node: &Node| match node {
                        Node::Line(_, parts) => parts.get(n).copied(),
                        _ => None,
                    }
                };
                let inputs = (0..parts.len()).map(|n| self.set(self.each(&nodes, nth(n)))).collect();
                Part::Line(Box::new(Rays::new(*line)), inputs)
            }
            _ => Part::Any(Vec::new()),
        };
        let place = self.put(part, &nodes);
        self.conditions.insert(nodes, place);
        place
    }
}

/// Returns the node if all images have the same one.
fn only(nodes: &[At]) -> Option<At> {
    let (first, rest) = nodes.split_first()?;
    rest.iter().all(|at| at == first).then_some(*first)
}

fn first_part(node: &Node) -> Option<At> {
    match node {
        Node::Inverse(at)
        | Node::Attacks(at, _)
        | Node::AttackedBy(at, _)
        | Node::Between(at, _)
        | Node::Function(_, at)
        | Node::Reach(_, at, ..)
        | Node::Size(at)
        | Node::Points(at)
        | Node::Islands(at)
        | Node::Some(at)
        | Node::Not(at)
        | Node::Compare(_, at, _)
        | Node::Within(at, ..) => Some(*at),
        _ => None,
    }
}

fn second_part(node: &Node) -> Option<At> {
    match node {
        Node::Attacks(_, at) | Node::AttackedBy(_, at) | Node::Between(_, at) | Node::Compare(_, _, at) => Some(*at),
        _ => None,
    }
}
