//! Patterns in mirrors: what `flip`, `mirror`, `rotate` and `shift` make of a tree.
//!
//! Takes a tree with transforms and returns one without: a transform is the `or` of the images of its
//! argument (for a set their union), each image once. Transforms commute with `or` and `|`, so the
//! images of alternatives are made one by one, and nested transforms do not multiply equal images.

use std::collections::HashMap;
use std::hash::Hash;

use super::budget::Budget;
use crate::board::squares::members;
use crate::board::symmetry::turned;
use crate::search::pattern::language::error::{Fault, limits};
use crate::search::pattern::language::tree::{
    Balance, Condition, Contents, Designator, Function, Item, Line, Link, Move, NOTHING, Name, Number, PAWNS,
    Placement, Reach, Right, Set, State, Timed, Transform, file_squares, rank_squares,
};

/// One image of a board.
#[derive(Clone, Copy, Debug)]
pub enum Map {
    Flip,
    Mirror,
    /// Bit 0 exchanges files, bit 1 ranks, bit 2 files for ranks.
    Rotate(u8),
    Shift(i32, i32),
}

/// Why a tree has no image under one map.
pub enum Lost {
    /// A set has left the board: this variant does not exist.
    Off,
    Refused(&'static str),
}

pub type Image<T> = Result<T, Lost>;

/// The images of a transform; `None` is the tree itself.
fn maps(transform: Transform) -> Vec<Option<Map>> {
    match transform {
        Transform::Flip => vec![None, Some(Map::Flip)],
        Transform::Mirror => vec![None, Some(Map::Mirror)],
        Transform::Rotate => (0..8).map(|k| Some(Map::Rotate(k))).collect(),
        Transform::Shift => {
            (-7..=7).flat_map(|files| (-7..=7).map(move |ranks| Some(Map::Shift(files, ranks)))).collect()
        }
    }
}

/// The tree without transforms.
///
/// # Errors
///
/// A construct has no image, or there are too many images; the error names the place of the transform.
pub fn expand<T: Tree>(tree: &T, budget: &mut Budget) -> Result<T, Fault> {
    tree.expanded(budget)
}

/// What has images.
pub trait Tree: Sized + Clone + Eq + Hash {
    /// The image under one map, of a tree without transforms.
    fn image(&self, map: Map) -> Image<Self>;
    /// The same with the transforms written out.
    fn expanded(&self, budget: &mut Budget) -> Result<Self, Fault>;
    fn alternatives(self) -> Vec<Self>;
    fn join(alternatives: Vec<Self>) -> Self;
    /// Number of parts: the cost of one image.
    fn size(&self) -> usize;
}

fn images<T: Tree>(transform: Transform, inner: &T, budget: &mut Budget) -> Result<T, Fault> {
    let inner = inner.expanded(budget)?.alternatives();
    let at = budget.next_transform();
    let sizes: Vec<usize> = inner.iter().map(Tree::size).collect();
    let mut found = HashMap::new();
    for map in maps(transform) {
        for (alternative, size) in inner.iter().zip(&sizes) {
            budget.spend(*size, at)?;
            let image = match map {
                None => alternative.clone(),
                Some(map) => match alternative.image(map) {
                    Ok(image) => image,
                    Err(Lost::Off) => continue,
                    Err(Lost::Refused(reason)) => return Err(Fault::new(at, reason)),
                },
            };
            let n = found.len();
            found.entry(image).or_insert(n);
            if n == limits::VARIANTS && found.len() > n {
                let reason = format!("the transforms make more than {} variants of this pattern", limits::VARIANTS);
                return Err(Fault::too_complex(at, reason));
            }
        }
    }
    let mut found: Vec<(T, usize)> = found.into_iter().collect();
    found.sort_unstable_by_key(|(_, n)| *n);
    Ok(T::join(found.into_iter().map(|(image, _)| image).collect()))
}

fn expanded_all<T: Tree>(trees: &[T], budget: &mut Budget) -> Result<Vec<T>, Fault> {
    trees.iter().map(|tree| tree.expanded(budget)).collect()
}

fn image_all<T: Tree>(trees: &[T], map: Map) -> Image<Vec<T>> {
    trees.iter().map(|tree| tree.image(map)).collect()
}

/// The images of those alternatives that stay on the board.
fn image_any<T: Tree>(trees: &[T], map: Map) -> Image<Vec<T>> {
    let mut images = Vec::new();
    for tree in trees {
        match tree.image(map) {
            Ok(image) => images.push(image),
            Err(Lost::Off) => {}
            Err(refused) => return Err(refused),
        }
    }
    if images.is_empty() { Err(Lost::Off) } else { Ok(images) }
}

/// The one tree, or all of them together.
fn one_or<T>(mut trees: Vec<T>, join: impl FnOnce(Vec<T>) -> T) -> T {
    match trees.pop() {
        Some(only) if trees.is_empty() => only,
        Some(last) => {
            trees.push(last);
            join(trees)
        }
        None => join(trees),
    }
}

/// The kinds of the other side.
fn other_side(contents: Contents) -> Contents {
    contents & NOTHING | (contents & 0x3f) << 6 | contents >> 6 & 0x3f
}

/// The other side's bits of castling.
fn other_castling(bits: u8) -> u8 {
    bits >> 2 & 3 | (bits & 3) << 2
}

fn rotated(squares: u64, how: u8) -> u64 {
    members(squares).fold(0, |set, square| set | 1 << turned(square, how))
}

fn shifted(mask: u8, by: i32) -> Image<u8> {
    let wide = u32::from(mask);
    let moved = if by >= 0 { wide << by } else { wide >> -by } as u8;
    if moved == 0 && mask != 0 { Err(Lost::Off) } else { Ok(moved) }
}

impl Item {
    fn image(self, map: Map) -> Image<Item> {
        let other_color = |name: Name| match name {
            Name::Light => Name::Dark,
            Name::Dark => Name::Light,
            name => name,
        };
        Ok(match (map, self) {
            (Map::Flip, Item::Ranks(ranks)) => Item::Ranks(ranks.reverse_bits()),
            (Map::Flip, Item::Squares(squares)) => Item::Squares(crate::board::squares::flipped(squares)),
            (Map::Mirror, Item::Files(files)) => Item::Files(files.reverse_bits()),
            (Map::Mirror, Item::Squares(squares)) => Item::Squares(crate::board::squares::mirrored(squares)),
            (Map::Flip | Map::Mirror, Item::Named(name)) => Item::Named(other_color(name)),
            (Map::Shift(files, _), Item::Files(mask)) => Item::Files(shifted(mask, files)?),
            (Map::Shift(_, ranks), Item::Ranks(mask)) => Item::Ranks(shifted(mask, ranks)?),
            (Map::Shift(files, ranks), Item::Squares(squares)) => {
                match crate::board::squares::moved(squares, files, ranks) {
                    0 if squares != 0 => return Err(Lost::Off),
                    moved => Item::Squares(moved),
                }
            }
            (Map::Shift(files, ranks), Item::Named(name @ (Name::Light | Name::Dark))) => {
                Item::Named(if (files + ranks) % 2 == 0 { name } else { other_color(name) })
            }
            (Map::Shift(..), Item::Named(Name::Edge | Name::Corner | Name::Centre)) => {
                return Err(Lost::Refused("edge, corner and centre cannot be shifted"));
            }
            (_, item) => item,
        })
    }
}

impl Designator {
    fn size(&self) -> usize {
        1 + self.parts.iter().map(Vec::len).sum::<usize>()
    }

    fn image(&self, map: Map) -> Image<Designator> {
        let contents = if let Map::Flip = map { other_side(self.contents) } else { self.contents };
        if let Map::Rotate(how) = map {
            if self.has_files() {
                return Err(Lost::Refused("open files cannot be rotated"));
            }
            if self.parts.is_empty() {
                return Ok(self.clone());
            }
            let squares = rotated(self.squares(), how);
            let files = (0..8).fold(0, |mask, file| {
                mask | u8::from(squares >> file & 0xff_u64 != 0 && squares & file_squares(1 << file) != 0) << file
            });
            let ranks = (0..8).fold(0, |mask, rank| mask | u8::from(squares & rank_squares(1 << rank) != 0) << rank);
            let item = if squares == file_squares(files) {
                Item::Files(files)
            } else if squares == rank_squares(ranks) {
                Item::Ranks(ranks)
            } else {
                Item::Squares(squares)
            };
            return Ok(Designator { contents, parts: vec![vec![item]] });
        }
        let part = |part: &Vec<Item>| part.iter().map(|item| item.image(map)).collect::<Image<Vec<Item>>>();
        let image = Designator { contents, parts: self.parts.iter().map(part).collect::<Image<_>>()? };
        if let Map::Shift(..) = map {
            let squares = image.squares();
            let no_pawns = contents & !PAWNS == 0 && squares & !rank_squares(0x81) == 0;
            if squares == 0 || !image.parts.is_empty() && no_pawns {
                return Err(Lost::Off);
            }
        }
        Ok(image)
    }
}

impl Placement {
    fn image(&self, map: Map) -> Image<Placement> {
        let mut squares = vec![None; 64];
        for (square, contents) in self.squares.iter().enumerate() {
            let Some(contents) = *contents else { continue };
            let image = Designator::on(contents, 1 << square).image(map)?;
            squares[image.squares().trailing_zeros() as usize & 63] = Some(image.contents);
        }
        Ok(Placement { pawns: self.pawns, squares })
    }
}

impl Tree for Set {
    fn image(&self, map: Map) -> Image<Set> {
        let boxed = |set: &Set| set.image(map).map(Box::new);
        Ok(match self {
            Set::Pieces(designator) => Set::Pieces(designator.image(map)?),
            Set::Union(sets) => one_or(image_any(sets, map)?, Set::Union),
            Set::Cut(sets) => Set::Cut(image_all(sets, map)?),
            Set::Inverse(set) => Set::Inverse(boxed(set)?),
            Set::Attacks(a, b) => Set::Attacks(boxed(a)?, boxed(b)?),
            Set::AttackedBy(a, b) => Set::AttackedBy(boxed(a)?, boxed(b)?),
            Set::Moved => Set::Moved,
            Set::Vacated => Set::Vacated,
            Set::Function(function, set) => {
                if let Map::Rotate(_) = map
                    && *function != Function::Pinned
                {
                    return Err(Lost::Refused("what has a direction cannot be rotated"));
                }
                Set::Function(*function, boxed(set)?)
            }
            Set::Reach(reach, set, range) => {
                if let Map::Rotate(_) = map
                    && *reach != Reach::Near
                {
                    return Err(Lost::Refused("what has a direction cannot be rotated"));
                }
                Set::Reach(*reach, boxed(set)?, *range)
            }
            Set::Between(a, b) => Set::Between(boxed(a)?, boxed(b)?),
            Set::Transform(transform, set) => Set::Transform(*transform, boxed(set)?),
        })
    }

    fn expanded(&self, budget: &mut Budget) -> Result<Set, Fault> {
        budget.spend(self.own_size(), 0)?;
        let mut boxed = |set: &Set| set.expanded(budget).map(Box::new);
        Ok(match self {
            Set::Pieces(_) | Set::Moved | Set::Vacated => self.clone(),
            Set::Inverse(set) => Set::Inverse(boxed(set)?),
            Set::Attacks(a, b) => Set::Attacks(boxed(a)?, boxed(b)?),
            Set::AttackedBy(a, b) => Set::AttackedBy(boxed(a)?, boxed(b)?),
            Set::Function(function, set) => Set::Function(*function, boxed(set)?),
            Set::Reach(reach, set, range) => Set::Reach(*reach, boxed(set)?, *range),
            Set::Between(a, b) => Set::Between(boxed(a)?, boxed(b)?),
            Set::Union(sets) => Set::Union(expanded_all(sets, budget)?),
            Set::Cut(sets) => Set::Cut(expanded_all(sets, budget)?),
            Set::Transform(transform, set) => images(*transform, &**set, budget)?,
        })
    }

    fn alternatives(self) -> Vec<Set> {
        match self {
            Set::Union(sets) => sets,
            set => vec![set],
        }
    }

    fn join(sets: Vec<Set>) -> Set {
        one_or(sets, Set::Union)
    }

    fn size(&self) -> usize {
        let of = |sets: &[Set]| sets.iter().map(Set::size).sum::<usize>();
        self.own_size()
            + match self {
                Set::Pieces(_) | Set::Moved | Set::Vacated => 0,
                Set::Union(sets) | Set::Cut(sets) => of(sets),
                Set::Inverse(set) | Set::Function(_, set) | Set::Reach(_, set, _) | Set::Transform(_, set) => {
                    set.size()
                }
                Set::Attacks(a, b) | Set::AttackedBy(a, b) | Set::Between(a, b) => a.size() + b.size(),
            }
    }
}

impl Set {
    /// Size without its sets.
    fn own_size(&self) -> usize {
        if let Set::Pieces(designator) = self { designator.size() } else { 1 }
    }
}

impl Number {
    /// The number with its sets replaced.
    fn with<E>(&self, change: &mut impl FnMut(&Set) -> Result<Set, E>) -> Result<Number, E> {
        Ok(match self {
            Number::Constant(_) | Number::HalfMove | Number::Move => self.clone(),
            Number::Count(set) => Number::Count(Box::new(change(set)?)),
            Number::Points(set) => Number::Points(Box::new(change(set)?)),
            Number::Islands(set) => Number::Islands(Box::new(change(set)?)),
            Number::Sum(numbers) => {
                let mut sum = Vec::new();
                for number in numbers {
                    sum.push(number.with(change)?);
                }
                Number::Sum(sum)
            }
        })
    }

    fn size(&self) -> usize {
        1 + match self {
            Number::Constant(_) | Number::HalfMove | Number::Move => 0,
            Number::Count(set) | Number::Points(set) | Number::Islands(set) => set.size(),
            Number::Sum(numbers) => numbers.iter().map(Number::size).sum(),
        }
    }
}

impl Right {
    fn with<E>(&self, change: &mut impl FnMut(&Set) -> Result<Set, E>) -> Result<Right, E> {
        Ok(match self {
            Right::Range(range) => Right::Range(*range),
            Right::Number(number) => Right::Number(number.with(change)?),
        })
    }
}

impl Tree for Condition {
    fn image(&self, map: Map) -> Image<Condition> {
        let mut set = |set: &Set| set.image(map);
        let flips = matches!(map, Map::Flip);
        Ok(match self {
            Condition::Some(inner) => Condition::Some(inner.image(map)?),
            Condition::All(conditions) => Condition::All(image_all(conditions, map)?),
            Condition::Any(conditions) => one_or(image_any(conditions, map)?, Condition::Any),
            Condition::Not(condition) => Condition::Not(Box::new(condition.image(map)?)),
            Condition::Compare(how, left, right) => {
                Condition::Compare(*how, left.with(&mut set)?, right.with(&mut set)?)
            }
            Condition::Move(step) => Condition::Move(Move {
                from: step.from.image(map)?,
                takes: step.takes,
                to: step.to.image(map)?,
                promotion: step.promotion.map(|contents| if flips { other_side(contents) } else { contents }),
            }),
            Condition::Castles(bits) if flips => Condition::Castles(other_castling(*bits)),
            Condition::Rights(bits) if flips => Condition::Rights(other_castling(*bits)),
            Condition::Castles(_) | Condition::Rights(_) => {
                return Err(Lost::Refused("castling has no image but the other side's: it can only be flipped"));
            }
            Condition::Material(white, black) if flips => Condition::Material(black.clone(), white.clone()),
            Condition::Imbalance(balances) if flips => Condition::Imbalance(
                balances.iter().map(|b| Balance { roles: b.roles, difference: b.difference.map(|d| -d) }).collect(),
            ),
            Condition::Material(..) | Condition::Imbalance(_) => self.clone(),
            Condition::Placement(placement) => Condition::Placement(placement.image(map)?),
            Condition::State(State::WhiteToMove) if flips => Condition::State(State::BlackToMove),
            Condition::State(State::BlackToMove) if flips => Condition::State(State::WhiteToMove),
            Condition::State(state) => Condition::State(*state),
            Condition::Line(Line::File | Line::Rank, _) if matches!(map, Map::Rotate(_)) => {
                return Err(Lost::Refused("what has a direction cannot be rotated"));
            }
            Condition::Line(line, sets) => Condition::Line(*line, image_all(sets, map)?),
            Condition::Transform(transform, inner) => Condition::Transform(*transform, Box::new(inner.image(map)?)),
        })
    }

    fn expanded(&self, budget: &mut Budget) -> Result<Condition, Fault> {
        budget.spend(self.own_size(), 0)?;
        Ok(match self {
            Condition::Some(set) => Condition::Some(set.expanded(budget)?),
            Condition::All(conditions) => Condition::All(expanded_all(conditions, budget)?),
            Condition::Any(conditions) => Condition::Any(expanded_all(conditions, budget)?),
            Condition::Not(condition) => Condition::Not(Box::new(condition.expanded(budget)?)),
            Condition::Compare(how, left, right) => {
                let mut set = |set: &Set| set.expanded(budget);
                Condition::Compare(*how, left.with(&mut set)?, right.with(&mut set)?)
            }
            Condition::Line(line, sets) => Condition::Line(*line, expanded_all(sets, budget)?),
            Condition::Transform(transform, inner) => images(*transform, &**inner, budget)?,
            _ => self.clone(),
        })
    }

    fn alternatives(self) -> Vec<Condition> {
        match self {
            Condition::Any(conditions) => conditions,
            condition => vec![condition],
        }
    }

    fn join(conditions: Vec<Condition>) -> Condition {
        one_or(conditions, Condition::Any)
    }

    fn size(&self) -> usize {
        self.own_size()
            + match self {
                Condition::Some(set) => set.size(),
                Condition::All(conditions) | Condition::Any(conditions) => conditions.iter().map(Tree::size).sum(),
                Condition::Not(condition) | Condition::Transform(_, condition) => condition.size(),
                Condition::Compare(_, left, right) => {
                    left.size()
                        + match right {
                            Right::Number(number) => number.size(),
                            Right::Range(_) => 0,
                        }
                }
                Condition::Line(_, sets) => sets.iter().map(Tree::size).sum(),
                _ => 0,
            }
    }
}

impl Condition {
    /// Size without its conditions, numbers and sets.
    fn own_size(&self) -> usize {
        1 + match self {
            Condition::Move(step) => step.from.size() + step.to.size(),
            Condition::Material(white, black) => white.len() + black.len(),
            Condition::Imbalance(balances) => balances.len(),
            // Each square becomes a designator of its own temporarily.
            Condition::Placement(placement) => 4 + 2 * placement.squares.iter().flatten().count(),
            _ => 0,
        }
    }
}

impl Tree for Timed {
    fn image(&self, map: Map) -> Image<Timed> {
        Ok(match self {
            Timed::Moment(condition) => Timed::Moment(condition.image(map)?),
            Timed::For(condition, half_moves) => Timed::For(condition.image(map)?, *half_moves),
            Timed::Trip(from, moves) => {
                let moves = moves.iter().map(|(takes, to)| Ok((*takes, to.image(map)?))).collect::<Image<_>>()?;
                Timed::Trip(from.image(map)?, moves)
            }
            Timed::Sequence(first, rest) => {
                let link = |(link, next): &(Link, Timed)| {
                    let while_ = link.while_.as_ref().map(|condition| condition.image(map)).transpose()?;
                    Ok((Link { after: link.after, while_ }, next.image(map)?))
                };
                Timed::Sequence(Box::new(first.image(map)?), rest.iter().map(link).collect::<Image<_>>()?)
            }
            Timed::Any(parts) => one_or(image_any(parts, map)?, Timed::Any),
            Timed::Transform(transform, inner) => Timed::Transform(*transform, Box::new(inner.image(map)?)),
        })
    }

    fn expanded(&self, budget: &mut Budget) -> Result<Timed, Fault> {
        budget.spend(self.own_size(), 0)?;
        Ok(match self {
            Timed::Moment(condition) => Timed::Moment(condition.expanded(budget)?),
            Timed::For(condition, half_moves) => Timed::For(condition.expanded(budget)?, *half_moves),
            Timed::Trip(..) => self.clone(),
            Timed::Sequence(first, rest) => {
                let first = Box::new(first.expanded(budget)?);
                let mut links = Vec::new();
                for (link, next) in rest {
                    let while_ = link.while_.as_ref().map(|condition| condition.expanded(budget)).transpose()?;
                    links.push((Link { after: link.after, while_ }, next.expanded(budget)?));
                }
                Timed::Sequence(first, links)
            }
            Timed::Any(parts) => Timed::Any(expanded_all(parts, budget)?),
            Timed::Transform(transform, inner) => images(*transform, &**inner, budget)?,
        })
    }

    fn alternatives(self) -> Vec<Timed> {
        match self {
            Timed::Any(parts) => parts,
            timed => vec![timed],
        }
    }

    fn join(parts: Vec<Timed>) -> Timed {
        one_or(parts, Timed::Any)
    }

    fn size(&self) -> usize {
        self.own_size()
            + match self {
                Timed::Moment(condition) | Timed::For(condition, _) => condition.size(),
                Timed::Trip(..) => 0,
                Timed::Sequence(first, rest) => {
                    let of = |(link, next): &(Link, Timed)| next.size() + link.while_.as_ref().map_or(0, Tree::size);
                    first.size() + rest.iter().map(of).sum::<usize>()
                }
                Timed::Any(parts) => parts.iter().map(Tree::size).sum(),
                Timed::Transform(_, inner) => inner.size(),
            }
    }
}

impl Timed {
    /// Size without its steps and conditions.
    fn own_size(&self) -> usize {
        1 + match self {
            // A search stores each move for all squares.
            Timed::Trip(from, moves) => from.size() + moves.iter().map(|(_, to)| 8 + to.size()).sum::<usize>(),
            _ => 0,
        }
    }
}
