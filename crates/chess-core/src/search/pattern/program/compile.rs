//! The compiled form of a pattern: nodes, each once, after those that they use.
//!
//! Takes a tree without transforms; returns nodes with their dependencies, so that a replay recomputes only the values
//! that a half-move may have changed. Sets with the same contents are joined, material becomes comparisons of counts,
//! and the parts of an `and` are ordered by cost.

use std::collections::HashMap;

use super::budget::Budget;
use super::node::{At, Entry, Fact, Node, Step};
use super::watch::{ALWAYS, Causes};
use crate::search::pattern::language::error::{Fault, limits};
use crate::search::pattern::language::tree::{
    BLACK, Balance, Comparison, Condition, Contents, Designator, Function, Group, Item, NOTHING, Name, Number, PAWNS,
    Placement, Range, Reach, Right, Set, State, WHATEVER, WHITE, rank_squares,
};
use crate::search::pattern::meaning::structure;

/// A plain node costs at most this much.
const PLAIN: u32 = 64;

/// Nodes, each after those that it uses.
#[derive(Clone, Debug)]
pub struct Program {
    pub entries: Vec<Entry>,
    known: HashMap<Node, At>,
    budget: Budget,
    /// The number of nodes that do not count as parts of the pattern.
    free: usize,
    /// Whether a node needs a game, not only a board.
    pub needs_game: bool,
    /// Union of the causes of all nodes.
    pub causes: Causes,
}

type Made = Result<At, Fault>;
/// The parts that several lists have in common, and the rest of each list.
type Common = (Vec<At>, Vec<Vec<At>>);

impl Program {
    /// An empty program; the budget limits its growth.
    pub fn new(budget: Budget) -> Program {
        Program { entries: Vec::new(), known: HashMap::new(), budget, free: 0, needs_game: false, causes: 0 }
    }

    /// Charges `parts` parts to the budget.
    pub fn spend(&mut self, parts: usize) -> Result<(), Fault> {
        self.budget.spend(parts, 0)
    }

    /// Cost of computing every node once, in steps of about ten microseconds at most.
    pub fn steps(&self) -> usize {
        let of = |entry: &Entry| match entry.node {
            Node::Attacks(..) | Node::AttackedBy(..) | Node::Between(..) | Node::Reach(..) | Node::Line(..) => 32,
            _ => 1,
        };
        1 + self.entries.iter().map(of).sum::<usize>() / 32
    }

    /// The nodes that these use, and they themselves, each once.
    pub fn reached_from(&self, roots: Vec<At>) -> Vec<&Entry> {
        let (mut found, mut is_found, mut rest) = (Vec::new(), vec![false; self.entries.len()], roots);
        while let Some(at) = rest.pop() {
            if !std::mem::replace(&mut is_found[usize::from(at)], true) {
                let entry = self.of(at);
                rest.extend(entry.node.parts());
                found.push(entry);
            }
        }
        found
    }

    /// Approximate instructions to compute a node, without those that it uses.
    pub fn own_cost(&self, entry: &Entry) -> u32 {
        entry.node.parts().fold(entry.cost, |cost, part| cost.saturating_sub(self.of(part).cost))
    }

    /// The place of a node, which is appended if it is new.
    pub fn put(&mut self, node: Node) -> Made {
        self.spend(1 + node.listed())?;
        if let Some(at) = self.known.get(&node) {
            return Ok(*at);
        }
        if self.entries.len() - self.free >= limits::PARTS {
            let reason = format!("the pattern has more than {} parts, as written out", limits::PARTS);
            return Err(Fault::too_complex(0, reason));
        }
        let at = self.push(node.clone());
        self.known.insert(node, at);
        Ok(at)
    }

    fn push(&mut self, node: Node) -> At {
        let at = self.entries.len() as At;
        let (causes, cost) = self.causes(&node);
        self.causes |= causes;
        let (squares, is_owned) = (self.squares(&node), self.is_owned(&node));
        let is_steady = self.is_steady(&node);
        let may_be_plain = cost <= PLAIN && !matches!(node, Node::Shifted(..));
        let is_plain = is_steady && may_be_plain && node.parts().all(|part| self.of(part).is_plain);
        let entry = Entry { causes, squares, cost, is_owned, is_steady, is_plain, node };
        self.entries.push(entry);
        at
    }

    fn of(&self, at: At) -> &Entry {
        &self.entries[usize::from(at)]
    }

    /// The contents and squares that all parts of a cut share that are pieces on squares; and the other parts.
    pub fn cut(&self, parts: &[At]) -> (Contents, u64, Vec<At>) {
        let (mut contents, mut squares) = (!0, !0);
        let mut others = Vec::new();
        for part in parts {
            match self.of(*part).node {
                Node::Pieces(also, on) => (contents, squares) = (contents & also, squares & on),
                _ => others.push(*part),
            }
        }
        (contents, squares, others)
    }

    fn is_owned(&self, node: &Node) -> bool {
        let of = |at: At| self.of(at).is_owned;
        match node {
            Node::Pieces(contents, _) => contents & NOTHING == 0,
            Node::Function(Function::Beside | Function::Span, _) => false,
            Node::Function(Function::Outpost | Function::Pinned, part) => of(*part),
            Node::Function(..) => true,
            Node::Attacks(a, _) | Node::AttackedBy(a, _) => of(*a),
            Node::Cut(parts) => parts.iter().any(|part| of(*part)),
            Node::Union(parts) => parts.iter().all(|part| of(*part)),
            _ => false,
        }
    }

    /// Whether the kind of a node and all its parts are steady.
    fn is_steady(&self, node: &Node) -> bool {
        let may_be = match node {
            Node::Cut(_) | Node::Attacks(..) | Node::AttackedBy(..) | Node::Between(..) | Node::Line(..) => false,
            Node::All(_) | Node::Any(_) | Node::Move(_) | Node::Castles(_) | Node::Fact(_) => false,
            // Where no piece is far enough ahead, an outpost waits for that, which few half-moves change.
            Node::Function(function, _) => !matches!(function, Function::Pinned | Function::Outpost),
            _ => true,
        };
        may_be && node.parts().all(|part| self.of(part).is_steady)
    }

    /// The dependencies of a node, and its approximate cost in instructions.
    fn causes(&self, node: &Node) -> (Causes, u32) {
        let kinds = |contents: Contents| -> Causes {
            match contents {
                WHATEVER => 0,
                contents if contents & NOTHING != 0 => ALWAYS,
                contents => contents.into(),
            }
        };
        let (below, cost) = node.parts().fold((0, 0u32), |(causes, cost): (Causes, _), part| {
            (causes | self.of(part).causes, cost.saturating_add(self.of(part).cost))
        });
        let (causes, own): (Causes, u32) = match node {
            Node::Pieces(contents, _) => {
                (kinds(*contents), contents.count_ones().min(13 - contents.count_ones().min(13)) + 1)
            }
            Node::OpenFiles | Node::HalfOpenFiles(_) => (PAWNS.into(), 10),
            Node::Union(_) | Node::Cut(_) | Node::Sum(_) | Node::All(_) | Node::Any(_) => (0, 2),
            Node::Inverse(_) | Node::Some(_) | Node::Not(_) | Node::Within(..) => (0, 2),
            Node::Size(_) => (0, 14),
            Node::Points(part) => match self.of(*part).node {
                // What pieces are worth, wherever they stand, changes with their number.
                Node::Pieces(contents, u64::MAX) if contents & NOTHING == 0 => {
                    return (Causes::from(contents) << 12, 80 + cost);
                }
                Node::Pieces(contents, _) if contents & NOTHING == 0 => (0, 80),
                _ => (0x7df, 80),
            },
            Node::Islands(_) => (0, 8),
            Node::Attacks(..) | Node::AttackedBy(..) => (ALWAYS, 60),
            Node::Between(..) => (0, 60),
            Node::Compare(..) | Node::Exceeds(..) => (0, 3),
            Node::Function(function, part) => match function {
                Function::Pinned => (ALWAYS, 80),
                // Pawns decide which squares are outposts, any piece can be on one.
                Function::Outpost if self.of(*part).is_owned => (PAWNS.into(), 30),
                Function::Outpost => (0xfff, 30),
                Function::Beside => (0, 4),
                // For pawns of one side only that side's pawns matter.
                Function::Isolated | Function::Doubled | Function::Connected => {
                    let pawns = match self.of(*part).node {
                        Node::Pieces(contents, _) => contents & PAWNS,
                        _ => PAWNS,
                    };
                    (pawns.into(), 25)
                }
                _ => (PAWNS.into(), 25),
            },
            // The direction depends on the colour of the piece on the square.
            Node::Reach(reach, part, ..) => match reach {
                Reach::Near => (0, 100),
                _ if self.of(*part).is_owned => (0, 10),
                _ => (0xfff, 10),
            },
            Node::Moved | Node::Vacated | Node::HalfMove | Node::MoveNumber => (ALWAYS, 2),
            Node::Move(_) | Node::Castles(_) | Node::Rights(_) => (ALWAYS, 5),
            Node::Constant(_) => (0, 0),
            Node::Count(contents) => (Causes::from(contents & !NOTHING) << 12, 3),
            Node::Fact(fact) => match fact {
                Fact::Any => (0, 0),
                Fact::OppositeBishops | Fact::SameBishops => (1 << 2 | 1 << 8, 6),
                Fact::Check => (ALWAYS, 40),
                // Both can hold only at the end of a game.
                Fact::Mate | Fact::Stalemate => (ALWAYS, 1),
                _ => (ALWAYS, 2),
            },
            Node::Line(..) => (ALWAYS, 100),
            Node::Shifted(_, sets) => (0, 4 + 2 * sets.len() as u32),
        };
        (causes | below, cost.saturating_add(own))
    }

    /// The squares on which a change can change the value of a node.
    fn squares(&self, node: &Node) -> u64 {
        let below = node.parts().fold(0, |set, part| set | self.of(part).squares);
        match node {
            Node::Pieces(WHATEVER, _) | Node::Constant(_) | Node::Fact(Fact::Any) => 0,
            Node::Pieces(_, squares) => *squares,
            Node::Union(_) | Node::Cut(_) | Node::Sum(_) | Node::All(_) | Node::Any(_) => below,
            Node::Inverse(_) | Node::Size(_) | Node::Islands(_) | Node::Some(_) | Node::Not(_) | Node::Within(..) => {
                below
            }
            Node::Between(..) | Node::Compare(..) | Node::Exceeds(..) => below,
            Node::Function(Function::Beside, _) | Node::Reach(Reach::Near, ..) => below,
            Node::Points(part) => match self.of(*part).node {
                Node::Pieces(_, squares) => squares,
                _ => !0,
            },
            Node::Reach(_, part, ..) if self.of(*part).is_owned => below,
            Node::Function(function, part) if *function != Function::Pinned && self.of(*part).is_owned => {
                // Pawns on the same and on neighbouring files.
                let files = structure::files(below);
                files | structure::beside(files)
            }
            Node::Shifted(anchors, sets) => sets.iter().fold(0, |set, (_, by)| set | anchors << by),
            _ => !0,
        }
    }

    // Sets.

    pub fn set(&mut self, set: &Set) -> Made {
        Ok(match set {
            Set::Pieces(designator) => self.designator(designator)?,
            Set::Union(sets) => {
                let parts = sets.iter().map(|set| self.set(set)).collect::<Result<Vec<At>, _>>()?;
                self.union(parts)?
            }
            Set::Cut(sets) => {
                let mut parts = sets.iter().map(|set| self.set(set)).collect::<Result<Vec<At>, _>>()?;
                self.order(&mut parts);
                self.joined(parts, Node::Cut)?
            }
            Set::Inverse(set) => {
                let at = self.set(set)?;
                match self.of(at).node {
                    Node::Pieces(WHATEVER, u64::MAX) => self.put(Node::Pieces(WHATEVER, 0))?,
                    Node::Pieces(contents, u64::MAX) => self.put(Node::Pieces(WHATEVER & !contents, !0))?,
                    Node::Inverse(of) => of,
                    _ => self.put(Node::Inverse(at))?,
                }
            }
            Set::Attacks(a, b) => {
                let node = Node::Attacks(self.set(a)?, self.set(b)?);
                self.put(node)?
            }
            Set::AttackedBy(a, b) => {
                let node = Node::AttackedBy(self.set(a)?, self.set(b)?);
                self.put(node)?
            }
            Set::Moved => self.of_game(Node::Moved)?,
            Set::Vacated => self.of_game(Node::Vacated)?,
            Set::Function(function, set) => self.function(*function, set)?,
            Set::Reach(reach, set, range) => {
                let range = range.unwrap_or(Range { from: 1, to: Some(1) });
                let (from, to) = (range.from.min(8), range.to.unwrap_or(7).min(7));
                let node = Node::Reach(*reach, self.set(set)?, from, to);
                self.put(node)?
            }
            Set::Between(a, b) => {
                let node = Node::Between(self.set(a)?, self.set(b)?);
                self.put(node)?
            }
            Set::Transform(_, inner) => self.set(inner)?,
        })
    }

    fn function(&mut self, function: Function, set: &Set) -> Made {
        let mut of = self.set(set)?;
        if let (Function::Outpost, Node::Pieces(contents, squares)) = (function, &self.of(of).node) {
            // The fourth to the seventh rank as the side sees them.
            let white = if contents & WHITE != 0 { rank_squares(0x78) } else { 0 };
            let black = if contents & BLACK != 0 { rank_squares(0x1e) } else { 0 };
            let node = Node::Pieces(*contents, squares & (white | black));
            of = self.put(node)?;
        }
        if function == Function::Pinned {
            // The set of all pinned pieces is one node, which images share.
            let all = self.put(Node::Pieces(WHATEVER, !0))?;
            let mut parts = vec![of, self.put(Node::Function(Function::Pinned, all))?];
            self.order(&mut parts);
            return self.joined(parts, Node::Cut);
        }
        self.put(Node::Function(function, of))
    }

    fn of_game(&mut self, node: Node) -> Made {
        self.needs_game = true;
        self.put(node)
    }

    /// The union of sets. Sets with the same contents are joined first, then those on the same squares.
    fn union(&mut self, parts: Vec<At>) -> Made {
        self.spend(parts.len())?;
        let mut by_contents: Vec<(Contents, u64)> = Vec::new();
        let mut places = HashMap::new();
        let mut others = Vec::new();
        for at in parts {
            match self.of(at).node {
                Node::Pieces(contents, squares) => {
                    let place = *places.entry(contents).or_insert(by_contents.len());
                    match by_contents.get_mut(place) {
                        Some((_, on)) => *on |= squares,
                        None => by_contents.push((contents, squares)),
                    }
                }
                _ => others.push(at),
            }
        }
        let mut by_squares: Vec<(Contents, u64)> = Vec::new();
        let mut places = HashMap::new();
        for (contents, squares) in by_contents {
            let place = *places.entry(squares).or_insert(by_squares.len());
            match by_squares.get_mut(place) {
                Some((known, _)) => *known |= contents,
                None => by_squares.push((contents, squares)),
            }
        }
        let mut others = self.uncharged(|program| program.merged(others))?;
        for (contents, squares) in by_squares {
            others.push(self.put(Node::Pieces(contents, squares))?);
        }
        others.sort_unstable();
        self.joined(others, Node::Union)
    }

    /// Joins sets that differ in one argument: the passed pawns of two sets are those of their union. Images of a set then
    /// cost as much as one.
    fn merged(&mut self, mut sets: Vec<At>) -> Result<Vec<At>, Fault> {
        for argument in 0..ARGUMENTS {
            let mut groups: Vec<(Option<Node>, Vec<At>, Vec<At>)> = Vec::new();
            let mut known: HashMap<Node, usize> = HashMap::new();
            for at in sets {
                let Some((node, of)) = without(&self.of(at).node, argument) else {
                    groups.push((None, vec![at], Vec::new()));
                    continue;
                };
                let n = *known.entry(node.clone()).or_insert(groups.len());
                if n == groups.len() {
                    groups.push((Some(node), Vec::new(), Vec::new()));
                }
                groups[n].1.push(at);
                groups[n].2.push(of);
            }
            sets = Vec::with_capacity(groups.len());
            for (node, same, arguments) in groups {
                match node {
                    Some(node) if same.len() > 1 => {
                        let of = self.union(arguments)?;
                        sets.push(match with(node, argument, of) {
                            Node::Cut(mut parts) => {
                                self.order(&mut parts);
                                self.joined(parts, Node::Cut)?
                            }
                            node => self.put(node)?,
                        });
                    }
                    _ => sets.extend(same),
                }
            }
        }
        Ok(sets)
    }

    /// Makes nodes that have been charged with others, and are no parts of the pattern that would count.
    fn uncharged<T>(&mut self, make: impl FnOnce(&mut Program) -> Result<T, Fault>) -> Result<T, Fault> {
        let left = std::mem::replace(&mut self.budget, Budget::new(Vec::new()));
        let (free, before) = (self.free, self.entries.len());
        self.free = before;
        let made = make(self);
        (self.budget, self.free) = (left, free + self.entries.len() - before);
        made
    }

    /// The only part, or all parts joined.
    fn joined(&mut self, mut parts: Vec<At>, join: fn(Vec<At>) -> Node) -> Made {
        parts.dedup();
        match parts.as_slice() {
            [only] => Ok(*only),
            _ => self.put(join(parts)),
        }
    }

    /// Sorts parts by cost. Of two with about the same cost, the one that is computed less often comes first.
    fn order(&self, parts: &mut [At]) {
        parts.sort_by_key(|at| {
            let entry = self.of(*at);
            (entry.cost / 8, entry.causes & ALWAYS, entry.cost, *at)
        });
    }

    fn designator(&mut self, designator: &Designator) -> Made {
        if !designator.has_files() {
            return self.put(Node::Pieces(designator.contents, designator.squares()));
        }
        // Each side has half-open files of its own.
        let mut sides = Vec::new();
        for (side, contents) in [(0, designator.contents & WHITE), (1, designator.contents & !WHITE)] {
            if contents == 0 {
                continue;
            }
            let mut cut = Vec::new();
            let mut fixed = !0;
            for part in &designator.parts {
                let is_file = |item: &&Item| matches!(item, Item::Named(name) if name.is_file());
                let squares = part.iter().filter(|item| !is_file(item)).fold(0, |set, item| set | item.squares());
                let mut union = Vec::new();
                for item in part {
                    match item {
                        Item::Named(Name::Open) => union.push(self.put(Node::OpenFiles)?),
                        Item::Named(Name::HalfOpen) => union.push(self.put(Node::HalfOpenFiles(side))?),
                        _ => {}
                    }
                }
                if union.is_empty() {
                    fixed &= squares;
                    continue;
                }
                if squares != 0 {
                    union.push(self.put(Node::Pieces(WHATEVER, squares))?);
                }
                cut.push(self.union(union)?);
            }
            cut.push(self.put(Node::Pieces(contents, fixed))?);
            self.order(&mut cut);
            sides.push(self.joined(cut, Node::Cut)?);
        }
        self.union(sides)
    }

    // Numbers.

    fn number(&mut self, number: &Number) -> Made {
        match number {
            Number::Constant(n) => self.put(Node::Constant(*n)),
            Number::Count(set) => {
                let at = self.set(set)?;
                self.size(at)
            }
            Number::Sum(numbers) => {
                let mut parts = numbers.iter().map(|number| self.number(number)).collect::<Result<Vec<At>, _>>()?;
                parts.sort_unstable();
                self.put(Node::Sum(parts))
            }
            Number::Points(set) => {
                let node = Node::Points(self.set(set)?);
                self.put(node)
            }
            Number::Islands(set) => {
                let node = Node::Islands(self.set(set)?);
                self.put(node)
            }
            Number::HalfMove => self.of_game(Node::HalfMove),
            Number::Move => self.of_game(Node::MoveNumber),
        }
    }

    /// The number of squares in a set.
    fn size(&mut self, at: At) -> Made {
        match self.of(at).node {
            Node::Pieces(WHATEVER, squares) => self.put(Node::Constant(squares.count_ones())),
            Node::Pieces(contents, u64::MAX) if contents & NOTHING == 0 => self.put(Node::Count(contents)),
            _ => self.put(Node::Size(at)),
        }
    }

    /// The kinds of some roles of one side.
    fn kinds(roles: u8, side: u8) -> Contents {
        Contents::from(roles) << (6 * side)
    }

    fn count(&mut self, roles: u8, side: u8) -> Made {
        self.put(Node::Count(Program::kinds(roles, side)))
    }

    // Conditions.

    pub fn condition(&mut self, condition: &Condition) -> Made {
        match condition {
            Condition::Some(set) => {
                let at = self.set(set)?;
                self.some(at)
            }
            Condition::All(conditions) => {
                let parts = conditions.iter().map(|part| self.condition(part)).collect::<Result<Vec<At>, _>>()?;
                self.all(parts)
            }
            Condition::Any(conditions) => {
                let (mut parts, rest) = self.shifted(conditions)?;
                for part in rest {
                    parts.push(self.condition(part)?);
                }
                self.any(parts)
            }
            Condition::Not(condition) => {
                let at = self.condition(condition)?;
                match self.of(at).node {
                    Node::Not(of) => Ok(of),
                    _ => self.put(Node::Not(at)),
                }
            }
            Condition::Compare(comparison, left, right) => self.compare(*comparison, left, right),
            Condition::Move(step) => {
                self.of_game(Node::Move(Step::new(&step.from, step.takes, &step.to, step.promotion)))
            }
            Condition::Castles(bits) => self.of_game(Node::Castles(*bits)),
            Condition::Rights(bits) => self.put(Node::Rights(*bits)),
            Condition::Material(white, black) => self.material(white, black),
            Condition::Imbalance(balances) => self.imbalance(balances),
            Condition::Placement(placement) => self.placement(placement),
            Condition::State(state) => self.state(*state),
            Condition::Line(line, sets) => {
                let parts = sets.iter().map(|set| self.set(set)).collect::<Result<Vec<At>, _>>()?;
                self.put(Node::Line(*line, parts))
            }
            Condition::Transform(_, inner) => self.condition(inner),
        }
    }

    /// What is not named is equal on both sides.
    fn imbalance(&mut self, balances: &[Balance]) -> Made {
        let mut parts = Vec::new();
        let mut level = 0x1f;
        for balance in balances {
            level &= !balance.roles;
            if let Some(difference) = balance.difference {
                parts.push((balance.roles, difference));
            }
        }
        parts.extend((0..5).filter(|role| level >> role & 1 == 1).map(|role| (1 << role, 0)));
        let mut conditions = Vec::new();
        for (roles, difference) in parts {
            let node = Node::Exceeds(self.count(roles, 0)?, self.count(roles, 1)?, difference);
            conditions.push(self.put(node)?);
        }
        self.all(conditions)
    }

    fn placement(&mut self, placement: &Placement) -> Made {
        let mut parts = Vec::new();
        for (square, contents) in placement.squares.iter().enumerate() {
            let Some(contents) = *contents else { continue };
            let at = self.put(Node::Pieces(contents, 1 << square))?;
            parts.push(self.some(at)?);
        }
        if placement.pawns {
            let squares = |of| placement.squares.iter().filter(|contents| **contents == Some(of)).count() as u32;
            let (white, black, either) = (squares(1), squares(1 << 6), squares(PAWNS));
            for (pawns, least) in [(self.count(1, 0)?, white), (self.count(1, 1)?, black)] {
                parts.push(self.put(Node::Within(pawns, least, Some(least + either)))?);
            }
            if either > 0 {
                let (pawns, all) = (self.put(Node::Count(PAWNS))?, white + black + either);
                parts.push(self.put(Node::Within(pawns, all, Some(all)))?);
            }
        }
        self.all(parts)
    }

    fn state(&mut self, state: State) -> Made {
        match state {
            State::WhiteToMove => self.put(Node::Fact(Fact::WhiteToMove)),
            State::BlackToMove => self.put(Node::Fact(Fact::BlackToMove)),
            State::Check => self.put(Node::Fact(Fact::Check)),
            State::Mate => self.put(Node::Fact(Fact::Mate)),
            State::Stalemate => self.put(Node::Fact(Fact::Stalemate)),
            State::Any => self.put(Node::Fact(Fact::Any)),
            State::OppositeBishops => self.put(Node::Fact(Fact::OppositeBishops)),
            State::SameBishops => self.put(Node::Fact(Fact::SameBishops)),
            State::Recapture => self.of_game(Node::Fact(Fact::Recapture)),
            State::EnPassant => self.of_game(Node::Fact(Fact::EnPassant)),
            State::End => self.of_game(Node::Fact(Fact::End)),
            State::Capture => self.of_game(Node::Move(Step::CAPTURE)),
            State::Promotion => self.of_game(Node::Move(Step::PROMOTION)),
            State::Castling => self.of_game(Node::Castles(15)),
            State::Start => {
                let number = self.uncharged(|program| program.of_game(Node::HalfMove))?;
                self.within(number, 0, Some(0), false)
            }
        }
    }

    /// Alternatives with the same pieces at other places become one node for all places. Returns these nodes and the
    /// other alternatives.
    fn shifted<'a>(&mut self, conditions: &'a [Condition]) -> Result<(Vec<At>, Vec<&'a Condition>), Fault> {
        type Shape = Vec<(Contents, u8)>;
        let mut shapes: Vec<(Shape, u64, Vec<&Condition>)> = Vec::new();
        let mut known: HashMap<Shape, usize> = HashMap::new();
        let mut rest = Vec::new();
        for condition in conditions {
            let Some((first, shape)) = shape(condition) else {
                rest.push(condition);
                continue;
            };
            self.spend(shape.len())?;
            let n = *known.entry(shape.clone()).or_insert(shapes.len());
            if n == shapes.len() {
                shapes.push((shape, 0, Vec::new()));
            }
            let (_, anchors, of) = &mut shapes[n];
            *anchors |= 1 << first;
            of.push(condition);
        }
        let mut made = Vec::new();
        for (shape, anchors, of) in shapes {
            // One or two are cheaper as separate nodes.
            if of.len() < 3 {
                rest.extend(of);
                continue;
            }
            let mut sets = Vec::new();
            for (contents, by) in shape {
                sets.push((self.put(Node::Pieces(contents, !0))?, by));
            }
            made.push(self.put(Node::Shifted(anchors, sets))?);
        }
        Ok((made, rest))
    }

    fn some(&mut self, at: At) -> Made {
        match &self.of(at).node {
            // Whether any piece of a kind exists is a question of its count.
            Node::Pieces(contents, u64::MAX) if contents & NOTHING == 0 => {
                let count = self.put(Node::Count(*contents))?;
                self.put(Node::Within(count, 1, None))
            }
            _ => self.put(Node::Some(at)),
        }
    }

    fn all(&mut self, parts: Vec<At>) -> Made {
        let mut flat = Vec::new();
        for at in parts {
            match &self.of(at).node {
                Node::All(more) => flat.extend_from_slice(more),
                Node::Fact(Fact::Any) => {}
                _ => flat.push(at),
            }
        }
        self.spend(flat.len())?;
        flat.sort_unstable();
        flat.dedup();
        self.order(&mut flat);
        if flat.is_empty() {
            return self.put(Node::Fact(Fact::Any));
        }
        self.joined(flat, Node::All)
    }

    /// Whether one of these conditions holds.
    pub fn any(&mut self, parts: Vec<At>) -> Made {
        let mut sets = Vec::new();
        let mut flat = Vec::new();
        for at in parts {
            match &self.of(at).node {
                Node::Any(more) => flat.extend_from_slice(more),
                Node::Some(set) => sets.push(*set),
                _ => flat.push(at),
            }
        }
        self.spend(flat.len())?;
        // One of several sets is not empty exactly if their union is not.
        if !sets.is_empty() {
            let union = self.union(sets)?;
            flat.push(self.some(union)?);
        }
        flat.sort_unstable();
        flat.dedup();
        if let Some((common, rests)) = self.common(&flat)? {
            // Parts that name no squares are the same in all images and are evaluated once.
            let mut rest = Vec::new();
            for parts in rests {
                rest.push(self.joined(parts, Node::All)?);
            }
            self.order(&mut rest);
            let mut parts = common;
            parts.push(self.joined(rest, Node::Any)?);
            return self.all(parts);
        }
        self.order(&mut flat);
        self.joined(flat, Node::Any)
    }

    /// The parts that several alternatives share, each of which is an `and`, and the rest of each. `None` if they share
    /// no part, or one has no other.
    fn common(&mut self, alternatives: &[At]) -> Result<Option<Common>, Fault> {
        if alternatives.len() < 3 {
            return Ok(None);
        }
        let parts = |at: &At| match &self.of(*at).node {
            Node::All(parts) => Some(parts.clone()),
            _ => None,
        };
        let Some(lists) = alternatives.iter().map(parts).collect::<Option<Vec<Vec<At>>>>() else { return Ok(None) };
        self.spend(lists.iter().map(Vec::len).sum())?;
        let mut common = lists[0].clone();
        for list in &lists {
            common.retain(|at| list.contains(at));
        }
        let rests: Vec<Vec<At>> =
            lists.into_iter().map(|list| list.into_iter().filter(|at| !common.contains(at)).collect()).collect();
        let is_useful = !common.is_empty() && rests.iter().all(|rest| !rest.is_empty());
        Ok(is_useful.then_some((common, rests)))
    }

    fn compare(&mut self, comparison: Comparison, left: &Number, right: &Right) -> Made {
        let left = self.number(left)?;
        let right = match right {
            Right::Number(Number::Constant(n)) => {
                let n = *n;
                let (from, to, not) = match comparison {
                    Comparison::Equal => (n, Some(n), false),
                    Comparison::Unequal => (n, Some(n), true),
                    Comparison::Less => (n, None, true),
                    Comparison::AtMost => (0, Some(n), false),
                    Comparison::Greater => (n + 1, None, false),
                    Comparison::AtLeast => (n, None, false),
                };
                return self.within(left, from, to, not);
            }
            Right::Range(range) => {
                return self.within(left, range.from, range.to, comparison == Comparison::Unequal);
            }
            Right::Number(number) => self.number(number)?,
        };
        self.put(Node::Compare(comparison, left, right))
    }

    fn within(&mut self, number: At, from: u32, to: Option<u32>, not: bool) -> Made {
        let at = self.put(Node::Within(number, from, to))?;
        if not { self.put(Node::Not(at)) } else { Ok(at) }
    }

    fn material(&mut self, white: &[Group], black: &[Group]) -> Made {
        let mut parts = Vec::new();
        for (side, groups) in [(0, white), (1, black)] {
            let king = self.count(1 << 5, side)?;
            parts.push(self.put(Node::Within(king, 1, Some(1)))?);
            let mut none = 0x1f;
            for group in groups {
                none &= !group.roles;
                let count = self.count(group.roles, side)?;
                parts.push(self.put(Node::Within(count, group.count.from, group.count.to))?);
            }
            if none != 0 {
                let count = self.count(none, side)?;
                parts.push(self.put(Node::Within(count, 0, Some(0)))?);
            }
        }
        self.all(parts)
    }
}

/// Stands for an argument that a node is without.
const NO_ARGUMENT: At = At::MAX;

/// Images of a set are joined if they differ in one of this number of first arguments. Only cuts have more than two.
const ARGUMENTS: usize = 4;

/// For a set that consists of what it is for each square of an argument, by the number of the argument: the set without it,
/// and the argument.
fn without(node: &Node, argument: usize) -> Option<(Node, At)> {
    let of = match (node, argument) {
        (Node::Function(_, of) | Node::Reach(_, of, ..), 0) => *of,
        (Node::Attacks(of, _) | Node::AttackedBy(of, _) | Node::Between(of, _), 0) => *of,
        (Node::Attacks(_, of) | Node::AttackedBy(_, of) | Node::Between(_, of), 1) => *of,
        (Node::Cut(parts), _) => *parts.get(argument)?,
        _ => return None,
    };
    Some((with(node.clone(), argument, NO_ARGUMENT), of))
}

/// A set with another argument.
fn with(mut node: Node, argument: usize, other: At) -> Node {
    match (&mut node, argument) {
        (Node::Function(_, of) | Node::Reach(_, of, ..), 0)
        | (Node::Attacks(of, _) | Node::AttackedBy(of, _) | Node::Between(of, _), 0)
        | (Node::Attacks(_, of) | Node::AttackedBy(_, of) | Node::Between(_, of), 1) => *of = other,
        (Node::Cut(parts), _) => {
            if let Some(of) = parts.get_mut(argument) {
                *of = other;
            }
        }
        _ => {}
    }
    node
}

/// For an `and` of pieces on single squares: the first square, and for each piece its contents and how much higher its
/// square is.
fn shape(condition: &Condition) -> Option<(u8, Vec<(Contents, u8)>)> {
    let piece = |condition: &Condition| match condition {
        Condition::Some(Set::Pieces(designator)) if !designator.has_files() => {
            let squares = designator.squares();
            squares.is_power_of_two().then_some((squares.trailing_zeros() as u8, designator.contents))
        }
        _ => None,
    };
    let Condition::All(parts) = condition else { return None };
    let mut pieces = parts.iter().map(piece).collect::<Option<Vec<_>>>()?;
    pieces.sort_unstable();
    let first = pieces.first()?.0;
    Some((first, pieces.into_iter().map(|(square, contents)| (contents, square - first)).collect()))
}

#[cfg(test)]
mod tests {
    use super::super::transform;
    use super::*;
    use crate::search::pattern::language::parse;
    use crate::search::pattern::language::parse::Parsed;
    use crate::search::pattern::language::tree::Timed;

    /// Whether a pattern asks for one set that is neither a union nor an alternative.
    fn is_one_set(text: &str) -> bool {
        let Parsed { tree, transforms } = parse::pattern(text).expect(text);
        let mut budget = Budget::new(transforms);
        let Timed::Moment(condition) = transform::expand(&tree, &mut budget).expect(text) else {
            panic!("{text} takes several moments")
        };
        let mut program = Program::new(budget);
        let at = program.condition(&condition).expect(text);
        matches!(program.of(at).node, Node::Some(set) if !matches!(program.of(set).node, Node::Union(_)))
    }

    #[test]
    fn images_of_a_set_that_differ_in_one_argument_are_one_set() {
        for text in [
            "shift(passed(P[a-b]))",
            "shift(near(kd4, 2))",
            "shift(ahead(Rd4, 1..3))",
            "shift(N[d4,e5] attacks k)",
            "shift(k attackedby N[d4,e5])",
            "shift(between(Kd4, k))",
            "shift(k attackedby beside(passed(Pd4)))",
            "shift(Bd3 & connected(A))",
            "shift(Nd5 & outpost(N))",
        ] {
            assert!(is_one_set(text), "{text}");
        }
        // The images of both sets belong together, place by place.
        for text in ["shift(Nd4 attacks kf5)", "shift(between(Kd4, kf5))"] {
            assert!(!is_one_set(text), "{text}");
        }
    }
}
