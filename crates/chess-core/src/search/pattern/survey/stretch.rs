//! The values of a program's nodes at all moments of a stretch of a game.
//!
//! Takes a [`Record`] of the stretch; returns for a set the moments at which it has each square, for a number the moments at
//! which it has each binary digit, for a condition the moments at which it holds. Each node is computed once, when it is
//! asked. Sets know the squares that they have at some moment: those of images have few.

use std::collections::HashMap;

use super::grid::{EMPTY, FULL, Grid};
use super::record::Record;
use super::times::Times;
use crate::board::squares::members;
use crate::search::pattern::language::tree::{Contents, Function, WHATEVER};
use crate::search::pattern::program::{At, Entry, Node, Program, Step};

/// Where the squares of a set are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Full,
    /// The squares that hold one of the 13 contents, from the record.
    Contents(u8),
    /// The squares on which half-moves begin.
    From,
    /// The squares on which half-moves end.
    To,
    /// A grid that was computed, by its place in `made`.
    Made(u32),
}

/// A set of squares. Outside of its support it is empty, whatever its grid says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Set {
    pub source: Source,
    pub support: u64,
}

impl Set {
    pub const NONE: Set = Set { source: Source::Full, support: 0 };
}

/// A number, as a range of [`Stretch::digits`], the lowest first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub first: u32,
    pub count: u32,
}

impl Number {
    pub const ZERO: Number = Number { first: 0, count: 0 };
}

/// Instructions, roughly, to look up a node; to store a value, besides; and to handle a square.
const ASKED: u64 = 25;
const STORED: u64 = 80;
pub(super) const OF_SQUARE: u64 = 11;
/// A set that lacks fewer contents than this is computed as what is left without these.
const FEW_OTHERS: u32 = 5;

/// If at least this number of nodes ask for attacks on the same set, or by it, all attacks are found at once. For fewer nodes
/// it takes less to find those of each.
const MANY: usize = 8;

/// Of a line, besides the bits of its directions.
pub(super) const DIRECTIONS_KNOWN: u16 = 1 << 8;

#[derive(Clone, Debug, Default)]
#[expect(clippy::vec_box, reason = "grids change owners")]
pub(super) struct Stretch {
    pub record: Record,
    /// The number of the first moment in the game.
    pub first: u32,
    /// The moments of the game; of these, those with White to move, the last one of the game, and those of mate and stalemate.
    pub all: Times,
    pub white: Times,
    pub end: Times,
    pub mate: Times,
    pub stalemate: Times,
    /// For each node the number of the game for which its value was computed last; the value is in one of the three lists
    /// that follow. A value of an earlier game is out of date.
    known: Vec<u32>,
    sets: Vec<Set>,
    numbers: Vec<Number>,
    truths: Vec<Times>,
    game: u32,
    /// Grids that have been made, and others that wait to be used.
    made: Vec<Box<Grid>>,
    free: Vec<Box<Grid>>,
    pub digits: Vec<Times>,
    /// Sets of several contents on the whole board, and results of functions on the set of all squares.
    joint: Vec<(Contents, Set)>,
    functions: Vec<(Function, Set)>,
    /// All squares that attack a set (true), or that it attacks (false), for each set whose attacks many nodes ask for.
    all_related: HashMap<(bool, At), Set>,
    /// Says for each node whether it asks for such attacks. It is filled when the first node of this kind is asked.
    shares: Option<Vec<bool>>,
    /// The moments whose half-moves fit steps, regardless of their squares.
    pub steps: Vec<(Step, Times)>,
    /// For each line the directions that its squares allow, if [`DIRECTIONS_KNOWN`].
    pub directions: Vec<u16>,
    /// Grids for [`Stretch::line`].
    pub met: Vec<Box<Grid>>,
    /// The work so far, in approximate instructions.
    pub work: u64,
}

impl Stretch {
    /// Forgets the values of the game before.
    pub fn clear(&mut self, nodes: usize) {
        self.known.resize(nodes, 0);
        self.sets.resize(nodes, Set::NONE);
        self.numbers.resize(nodes, Number::ZERO);
        self.truths.resize(nodes, Times::NONE);
        self.directions.resize(nodes, 0);
        self.game = self.game.wrapping_add(1);
        if self.game == 0 {
            self.known.fill(0);
            self.game = 1;
        }
        self.steps.clear();
        self.free.append(&mut self.made);
        self.digits.clear();
        self.joint.clear();
        self.functions.clear();
        self.all_related.clear();
        (self.mate, self.stalemate, self.end) = Default::default();
        self.work = 0;
    }

    /// A grid of which nothing is known.
    pub fn take(&mut self) -> Box<Grid> {
        self.free.pop().unwrap_or_default()
    }

    pub fn give_back(&mut self, grid: Box<Grid>) {
        self.free.push(grid);
    }

    /// The set with the squares of a grid.
    pub fn make(&mut self, grid: Box<Grid>, support: u64) -> Set {
        self.work += OF_SQUARE * u64::from(support.count_ones());
        if support == 0 {
            self.free.push(grid);
            return Set::NONE;
        }
        self.made.push(grid);
        Set { source: Source::Made(self.made.len() as u32 - 1), support }
    }

    #[inline(always)]
    pub fn grid(&self, source: Source) -> &Grid {
        match source {
            Source::Full => &FULL,
            Source::Contents(n) => &self.record.contents[usize::from(n)].grid,
            Source::From => &self.record.moves.from.grid,
            Source::To => &self.record.moves.to.grid,
            Source::Made(n) => self.made.get(n as usize).map_or(&EMPTY, |grid| grid),
        }
    }

    /// Whether the value of a node is known. It is from now on.
    #[inline(always)]
    fn is_known(&mut self, n: usize) -> bool {
        let is_known = self.known[n] == self.game;
        self.work += if is_known { ASKED } else { ASKED + STORED };
        self.known[n] = self.game;
        is_known
    }

    /// The squares of a set.
    #[inline]
    pub fn set(&mut self, program: &Program, at: At) -> Set {
        let n = usize::from(at);
        if let Node::Pieces(contents, squares) = &program.entries[n].node
            && contents.is_power_of_two()
        {
            // To look for it costs less than to store it.
            self.work += ASKED;
            let set = self.contents(*contents);
            return Set { support: set.support & squares, ..set };
        }
        if self.is_known(n) {
            return self.sets[n];
        }
        let set = self.find_set(program, at);
        self.sets[n] = set;
        set
    }

    /// A number.
    #[inline]
    pub fn number(&mut self, program: &Program, at: At) -> Number {
        let n = usize::from(at);
        if self.is_known(n) {
            return self.numbers[n];
        }
        let number = self.find_number(program, &program.entries[n].node);
        self.numbers[n] = number;
        number
    }

    /// The moments at which a condition holds.
    #[inline]
    pub fn truth(&mut self, program: &Program, at: At) -> Times {
        let n = usize::from(at);
        if let Node::Some(part) = &program.entries[n].node
            && let Node::Pieces(contents, squares) = &program.entries[usize::from(*part)].node
            && contents.is_power_of_two()
        {
            // To look for them costs less than to store whether they are there.
            self.work += ASKED;
            let set = self.contents(*contents);
            return self.some_of(Set { support: set.support & squares, ..set }) & self.all;
        }
        if self.is_known(n) {
            return self.truths[n];
        }
        let times = self.find_truth(program, at) & self.all;
        self.truths[n] = times;
        times
    }

    /// The squares with one of the contents, on the whole board.
    #[inline]
    pub fn contents(&mut self, contents: Contents) -> Set {
        if contents.is_power_of_two() {
            let n = contents.trailing_zeros() as u8 % 13;
            return Set { source: Source::Contents(n), support: self.record.contents[usize::from(n)].support };
        }
        self.contents_of_several(contents)
    }

    fn contents_of_several(&mut self, contents: Contents) -> Set {
        if contents & WHATEVER == WHATEVER {
            return Set { source: Source::Full, support: !0 };
        }
        if let Some((_, set)) = self.joint.iter().find(|(known, _)| *known == contents) {
            return *set;
        }
        let others = WHATEVER & !contents;
        if others.count_ones() < FEW_OTHERS {
            let others = self.contents(others);
            let set = self.inverse(others);
            self.joint.push((contents, set));
            return set;
        }
        let mut grid = self.take();
        let mut support = 0;
        for n in 0..13 {
            let places = &self.record.contents[n];
            if contents >> n & 1 == 1 {
                support = join(&mut grid, support, &places.grid, places.support);
                self.work += OF_SQUARE * u64::from(places.support.count_ones());
            }
        }
        let set = self.make(grid, support);
        self.joint.push((contents, set));
        set
    }

    /// The result of a function on the set of all squares.
    pub fn of_board(&mut self, function: Function) -> Set {
        if let Some((_, set)) = self.functions.iter().find(|(known, _)| *known == function) {
            return *set;
        }
        let set = self.find_of_board(function);
        self.functions.push((function, set));
        set
    }

    /// Returns whether this node and many others ask which of their squares attack the same set, or are attacked by it.
    pub fn shares(&mut self, program: &Program, at: At) -> bool {
        let find = || {
            let related = |entry: &Entry| match entry.node {
                Node::Attacks(_, second) => Some((true, second)),
                Node::AttackedBy(_, second) => Some((false, second)),
                _ => None,
            };
            let mut sharing = HashMap::new();
            for related in program.entries.iter().filter_map(related) {
                *sharing.entry(related).or_insert(0) += 1;
            }
            let shares = |entry: &Entry| related(entry).is_some_and(|related| sharing[&related] >= MANY);
            program.entries.iter().map(shares).collect()
        };
        self.shares.get_or_insert_with(find)[usize::from(at)]
    }

    /// Returns all squares that attack a set, or all that it attacks.
    pub fn all_related(&mut self, attack: bool, at: At, set: Set) -> Set {
        if let Some(known) = self.all_related.get(&(attack, at)) {
            return *known;
        }
        let all = Set { source: Source::Full, support: !0 };
        let related = if attack { self.attacking(all, set) } else { self.attacked(all, set) };
        self.all_related.insert((attack, at), related);
        related
    }

    /// A copy of a set without what its grid has outside of the support.
    pub fn whole(&self, set: Set) -> Grid {
        let (mut whole, grid) = (EMPTY, self.grid(set.source));
        for square in members(set.support) {
            whole.0[usize::from(square)] = grid.0[usize::from(square)];
        }
        whole
    }

    /// The set with the squares that a grid has at some moment.
    pub fn make_whole(&mut self, whole: &Grid) -> Set {
        let mut grid = self.take();
        let mut support = 0;
        for (square, times) in whole.0.iter().enumerate() {
            grid.0[square] = *times;
            support |= u64::from(!times.is_none()) << square;
        }
        self.work += 64 * OF_SQUARE;
        self.make(grid, support)
    }

    /// The moments at which a set has a square.
    pub fn some(&mut self, program: &Program, at: At) -> Times {
        if let Node::Union(parts) = &program.entries[usize::from(at)].node {
            let mut times = Times::NONE;
            for part in parts {
                times |= self.some(program, *part);
                if self.all.without(times).is_none() {
                    break;
                }
            }
            return times;
        }
        if let Some((squares, times)) = self.all_or_none(program, at) {
            return if squares == 0 { Times::NONE } else { times };
        }
        let set = self.set(program, at);
        self.some_of(set)
    }

    #[inline]
    pub fn some_of(&mut self, set: Set) -> Times {
        self.work += 4 * u64::from(set.support.count_ones());
        self.grid(set.source).union_on(set.support)
    }
}

/// Adds the squares of a set to a grid, of which the support is given; returns the new support.
pub(super) fn join(grid: &mut Grid, support: u64, more: &Grid, of_more: u64) -> u64 {
    for square in members(of_more & support) {
        grid.0[usize::from(square)] |= more.0[usize::from(square)];
    }
    for square in members(of_more & !support) {
        grid.0[usize::from(square)] = more.0[usize::from(square)];
    }
    support | of_more
}

/// Adds moments of a square to a grid.
#[inline(always)]
pub(super) fn add(grid: &mut Grid, support: &mut u64, square: usize, times: Times) {
    if times.is_none() {
        return;
    }
    let (bit, at) = (1 << square, &mut grid.0[square]);
    *at = if *support & bit == 0 { times } else { *at | times };
    *support |= bit;
}
