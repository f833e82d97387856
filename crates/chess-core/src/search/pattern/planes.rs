//! Evaluates all conditions of a family at once, bit-sliced: one bit for each condition.
//!
//! A family ([`super::family`]) consists of *images*: conditions that differ only in their squares, as `shift`,
//! `rotate` and `mirror` make them. `shift(Nd4 and Pe6)` has an image for each place of the two pieces. This module
//! takes a family and a position, and returns the bit set of the images that hold.
//!
//! A *plane* is a bit set of images: bit n stands for image n. Values of all images are stored as planes:
//!
//! - A condition is one plane: the images for which it is true.
//! - A set of squares is 64 planes, one for each square: the images whose set contains that square. In the example, the
//!   set of the knights contains d5 only in the image with Nd5 and Pe7, and only while a knight stands on d5.
//! - A number is one plane for each binary digit. If image 0 has the number 2 and image 1 has 3, the plane of the
//!   lowest digit has bit 1, and the plane of the next digit has bits 0 and 1.
//!
//! When a square changes, a few bitwise operations on planes update a part of the condition for all images; the cost
//! does not grow with the number of images.
//!
//! Values are cached from one half-move to the next. When a set changes, it marks the changed squares as pending in the
//! parts that use it. A part recomputes its pending squares only when it is evaluated, which an `and` that has already
//! failed avoids.

use std::array;

use super::family::{Family, Masks, Part, Place, Plane, Rays, Source, Spread};
use super::observe::Moment;
use super::program::{At, Program, Step, Watch};
use super::relations;
use super::structure;
use super::tree::{Comparison, Function};
use crate::board::reach::REACH;
use crate::board::squares::members;

/// Access to nodes outside of the family, for the parts that are the same in all images.
pub(super) trait Singles {
    /// Returns the value of a node in a position, from the cache if nothing has changed it.
    fn value(&mut self, program: &Program, moment: &Moment, at: At) -> u64;
    /// Returns the changes that can affect the current value of a node.
    fn active(&self, at: At) -> Watch;
    /// Returns the cached table of attacks, which all families share.
    fn table(&mut self) -> &mut Option<Box<Table>>;
}

#[inline(always)]
pub(super) fn and<const W: usize>(a: Plane<W>, b: Plane<W>) -> Plane<W> {
    array::from_fn(|n| a[n] & b[n])
}

#[inline(always)]
fn or<const W: usize>(a: Plane<W>, b: Plane<W>) -> Plane<W> {
    array::from_fn(|n| a[n] | b[n])
}

#[inline(always)]
pub(super) fn xor<const W: usize>(a: Plane<W>, b: Plane<W>) -> Plane<W> {
    array::from_fn(|n| a[n] ^ b[n])
}

#[inline(always)]
fn but<const W: usize>(a: Plane<W>, b: Plane<W>) -> Plane<W> {
    array::from_fn(|n| a[n] & !b[n])
}

#[inline(always)]
fn not<const W: usize>(a: Plane<W>) -> Plane<W> {
    array::from_fn(|n| !a[n])
}

#[inline(always)]
pub(super) fn is_none<const W: usize>(a: Plane<W>) -> bool {
    a.iter().fold(0, |all, word| all | word) == 0
}

/// Increments the bit-sliced number of each image in `carry`. This is a ripple-carry adder on planes.
#[inline]
fn add<const W: usize>(digits: &mut [Plane<W>], mut carry: Plane<W>) {
    for digit in digits {
        if is_none(carry) {
            return;
        }
        let next = and(*digit, carry);
        *digit = xor(*digit, carry);
        carry = next;
    }
}

/// Decrements the bit-sliced number of each image in `borrow`.
#[inline]
fn subtract<const W: usize>(digits: &mut [Plane<W>], mut borrow: Plane<W>) {
    for digit in digits {
        if is_none(borrow) {
            return;
        }
        let next = but(borrow, *digit);
        *digit = xor(*digit, borrow);
        borrow = next;
    }
}

/// Binary digits of the number of squares in a set, which is at most 64, and of the points of the pieces on them, which
/// are at most 9 * 64 = 576.
const DIGITS_OF_SIZE: usize = 7;
const DIGITS_OF_POINTS: usize = 10;

/// The most binary digits that the number of squares in a set can have.
fn digits_of_size<const W: usize>(family: &Family<W>, set: Place) -> usize {
    match &family.parts[usize::from(set)] {
        Part::Masked(_, masks) => {
            let most = View { squares: masks.covered, planes: &masks.by_square }.size();
            most.iter().rposition(|digit| !is_none(*digit)).map_or(1, |last| last + 1)
        }
        Part::Cut(sets) => sets.iter().map(|set| digits_of_size(family, *set)).min().unwrap_or(DIGITS_OF_SIZE),
        Part::Attacks(of, _) | Part::AttackedBy(of, _) => digits_of_size(family, *of),
        _ => DIGITS_OF_SIZE,
    }
}

/// If more squares have changed than this, and than half of a set has, all are counted again.
const FEW_CHANGES: u32 = 12;
/// Up to this number of attacking pieces, computing their attacks is cheaper than updating the table of all attacks.
const FEW_ATTACKERS: u32 = 3;

/// The cached value of one part of a family, with what is needed to update it.
#[derive(Clone, Debug)]
struct State<const W: usize> {
    /// The last moment for which the part was evaluated, by the number that [`Images::judge`] takes.
    asked: u32,
    /// The version of a number increases with every change. The basis is the version of the inputs, or the sum of their
    /// versions, for which the value was computed: while it is the same, the value is valid.
    version: u32,
    basis: u32,
    /// A masked set keeps the squares of its source here; any other set keeps the squares that at least one image has.
    /// What other parts keep here is said where they write it.
    squares: u64,
    /// The squares of the inputs that have changed since the value was computed, by slot (see [`Part`]).
    pending: [u64; 3],
    /// The pieces for which the value was computed, where it depends on the board besides its inputs: by their owner,
    /// or by their worth in points.
    owners: [u64; 4],
    /// The cached result of [`Images::filtered`].
    passing: u64,
    /// Whether the attacks were last computed without the table. Its pending squares are then incomplete.
    is_direct: bool,
    /// The planes of a number, lowest digit first; the single plane of a condition.
    planes: Vec<Plane<W>>,
    /// The planes of a set. For a number of squares or points, the planes of its input that have been counted: the
    /// difference to the current ones is what must be added and subtracted.
    by_square: Option<Box<[Plane<W>; 64]>>,
    /// What is known of each file (islands) or ray (lines) by itself.
    counted: Vec<Plane<W>>,
}

/// A read-only view of a set of squares for all images.
#[derive(Clone, Copy)]
struct View<'a, const W: usize> {
    /// The squares that at least one image has.
    squares: u64,
    /// For each of these squares, the images that have it; the planes of other squares are not meaningful.
    planes: &'a [Plane<W>; 64],
}

impl<const W: usize> View<'_, W> {
    const EMPTY: View<'static, W> = View { squares: 0, planes: &[[0; W]; 64] };

    /// Returns the images that have a square; the caller knows that it is in `squares`.
    #[inline(always)]
    fn of(&self, square: u8) -> Plane<W> {
        self.planes[usize::from(square & 63)]
    }

    #[inline(always)]
    fn at(&self, square: u8) -> Plane<W> {
        if self.squares >> (square & 63) & 1 == 1 { self.of(square) } else { [0; W] }
    }

    /// Returns the number of squares, as binary digits. Four squares at a time go through carry-save adders: they keep
    /// sum and carry apart, so that few digits have to be carried on.
    fn size(&self) -> [Plane<W>; DIGITS_OF_SIZE] {
        let full = |a, b, c| (xor(xor(a, b), c), or(and(a, b), and(c, or(a, b))));
        let mut digits = [[0; W]; DIGITS_OF_SIZE];
        let (mut ones, mut twos) = ([0; W], [0; W]);
        let mut squares = members(self.squares);
        while let Some(first) = squares.next() {
            let mut next = || squares.next().map_or([0; W], |square| self.of(square));
            let (second, third, fourth) = (next(), next(), next());
            let (sum, more) = full(ones, self.of(first), second);
            let (sum, also) = full(sum, third, fourth);
            let (pairs, fours) = full(twos, more, also);
            (ones, twos) = (sum, pairs);
            add(&mut digits[2..], fours);
        }
        digits[0] = ones;
        add(&mut digits[1..], twos);
        digits
    }

    /// Returns the images that have at least one of these squares.
    #[inline(always)]
    fn any(&self, squares: u64) -> Plane<W> {
        let mut found = [0; W];
        for square in members(squares & self.squares) {
            found = or(found, self.of(square));
        }
        found
    }
}

/// The planes of a set during an update, which records the squares whose plane has changed.
struct Kept<const W: usize> {
    planes: Box<[Plane<W>; 64]>,
    squares: u64,
    changed: u64,
}

impl<const W: usize> Kept<W> {
    #[inline(always)]
    fn put(&mut self, square: u8, plane: Plane<W>) {
        let (old, bit) = (&mut self.planes[usize::from(square & 63)], 1u64 << (square & 63));
        if *old != plane {
            *old = plane;
            self.squares = if is_none(plane) { self.squares & !bit } else { self.squares | bit };
            self.changed |= bit;
        }
    }
}

/// A cache of the squares that every piece attacks. It is updated only when a family needs it.
#[derive(Clone, Debug)]
pub(super) struct Table {
    sets: [u64; 12],
    /// For each square, the squares that the piece there attacks, and the squares of the pieces that attack it.
    from: [u64; 64],
    to: [u64; 64],
    /// The version increases with every update. For the last update: the squares of the pieces whose attacks were
    /// computed again, and the squares that have gained or lost an attacker.
    version: u32,
    moved: u64,
    reached: u64,
}

impl Table {
    pub fn new() -> Table {
        Table { sets: [0; 12], from: [0; 64], to: [0; 64], version: 0, moved: 0, reached: 0 }
    }

    fn bring_to(&mut self, moment: &Moment) {
        let mut moved = 0;
        for (old, new) in self.sets.iter_mut().zip(&moment.sets) {
            moved |= *old ^ new;
            *old = *new;
        }
        if moved == 0 {
            return;
        }
        let occupied = moment.occupied();
        let sliders = [2, 3, 4, 8, 9, 10].iter().fold(0, |set, kind| set | moment.sets[*kind]);
        let mut again = moved;
        for from in members(sliders & !moved) {
            again |= u64::from(self.from[usize::from(from & 63)] & moved != 0) << (from & 63);
        }
        let mut reached = 0;
        for from in members(again) {
            let now = relations::attacks_from(moment, from, occupied);
            let old = std::mem::replace(&mut self.from[usize::from(from & 63)], now);
            for to in members(old ^ now) {
                self.to[usize::from(to & 63)] ^= 1 << (from & 63);
            }
            reached |= old ^ now;
        }
        (self.moved, self.reached, self.version) = (again, reached, self.version.wrapping_add(1));
    }
}

/// The cached values of a family.
#[derive(Clone, Debug)]
pub(super) struct Images<const W: usize> {
    states: Vec<State<W>>,
    /// The moment for which the images were last evaluated.
    pub judged: u32,
    /// The images that held at that moment.
    pub holding: Plane<W>,
}

/// The inputs of an evaluation, passed down to all parts.
struct Scene<'a, const W: usize> {
    family: &'a Family<W>,
    program: &'a Program,
    moment: &'a Moment,
    values: &'a mut dyn Singles,
    now: u32,
    /// The moment of the last evaluation, and what has changed since.
    before: u32,
    changed: Watch,
}

impl<const W: usize> Images<W> {
    pub fn new(family: &Family<W>) -> Images<W> {
        let has_squares = |part: &Part<W>| match part {
            Part::Masked(..) => false,
            Part::Size(_) | Part::Points(_) => true,
            part => part.is_set(),
        };
        let state = |part: &Part<W>| {
            let planes = match part {
                Part::Table | Part::Masked(..) | Part::Number(_) | Part::Constant(_) | Part::Sum(_) => 0,
                Part::Size(set) => digits_of_size(family, *set),
                Part::Points(_) => DIGITS_OF_POINTS,
                Part::Islands(_) => 3,
                part if part.is_set() => 0,
                _ => 1,
            };
            let counted = match part {
                Part::Islands(_) => 8,
                Part::Line(rays, _) => rays.rays.len(),
                _ => 0,
            };
            State {
                pending: [!0; 3],
                planes: vec![[0; W]; planes],
                by_square: has_squares(part).then(|| Box::new([[0; W]; 64])),
                counted: vec![[0; W]; counted],
                // A basis that no version equals marks the value as not yet computed.
                basis: u32::MAX,
                asked: 0,
                version: 0,
                squares: 0,
                owners: [0; 4],
                passing: 0,
                is_direct: false,
            }
        };
        Images { states: family.parts.iter().map(state).collect(), judged: u32::MAX, holding: [0; W] }
    }

    /// Evaluates all images in a position; the result is in `holding`. `now` identifies the position: it differs from
    /// that of the last evaluation unless nothing has changed since, and is never 0. `changed` is what has changed since
    /// the last evaluation.
    pub fn judge(
        &mut self,
        family: &Family<W>,
        program: &Program,
        moment: &Moment,
        values: &mut dyn Singles,
        (now, changed): (u32, Watch),
    ) {
        let mut scene = Scene { family, program, moment, values, now, before: self.judged, changed };
        self.holding = and(self.condition(&mut scene, family.root), family.images);
        self.judged = now;
    }

    /// Returns the changes that can make an image hold, given that none does. Must be called right after
    /// [`Images::judge`].
    pub fn awaited(&self, family: &Family<W>, values: &dyn Singles) -> Watch {
        self.why_not(family, values, family.root)
    }

    /// What can make a condition true that is false of all images.
    fn why_not(&self, family: &Family<W>, values: &dyn Singles, place: Place) -> Watch {
        let whole = family.watches[usize::from(place)];
        match &family.parts[usize::from(place)] {
            Part::Shared(at) => values.active(*at),
            Part::All(parts) => {
                let mut asked = parts.iter().filter(|part| self.states[usize::from(**part)].asked == self.judged);
                let is_false = |part: &&Place| is_none(self.states[usize::from(**part)].planes[0]);
                asked.find(is_false).map_or(whole, |part| self.why_not(family, values, *part))
            }
            Part::Any(parts) => {
                parts.iter().fold(Watch::NEVER, |watch, part| watch.or(self.why_not(family, values, *part)))
            }
            Part::Some(set) if self.is_empty(*set) => self.why_empty(family, values, *set),
            Part::Within(number, 1.., _) => match &family.parts[usize::from(*number)] {
                Part::Size(set) if self.is_empty(*set) => self.why_empty(family, values, *set),
                _ => whole,
            },
            Part::Move(step, masks) => {
                let [from, to] = &**masks;
                Step { from: from.covered, to: to.covered, ..*step }.watch()
            }
            Part::Line(_, sets) => match sets.iter().find(|set| self.is_empty(**set)) {
                Some(set) => self.why_empty(family, values, *set),
                None => whole,
            },
            _ => whole,
        }
    }

    /// Whether a set is empty for all images. False if the set was not evaluated, because it may be out of date then.
    fn is_empty(&self, place: Place) -> bool {
        self.some(place) == 0 && self.states[usize::from(place)].asked == self.judged
    }

    /// Returns the changes that can add a square to a set, given that it is empty for all images.
    fn why_empty(&self, family: &Family<W>, values: &dyn Singles, place: Place) -> Watch {
        let whole = family.watches[usize::from(place)];
        match &family.parts[usize::from(place)] {
            Part::Masked(Source::Node(at), _) => values.active(*at),
            Part::Cut(sets) | Part::Union(sets) if sets.is_empty() => whole,
            Part::Cut(sets) => match sets.iter().find(|set| self.is_empty(**set)) {
                Some(set) => self.why_empty(family, values, *set),
                None => whole,
            },
            Part::Union(sets) => {
                sets.iter().fold(Watch::NEVER, |watch, set| watch.or(self.why_empty(family, values, *set)))
            }
            Part::Attacks(a, b) | Part::AttackedBy(a, b) | Part::Between(a, b) => {
                match [a, b].into_iter().find(|set| self.is_empty(**set)) {
                    Some(set) => self.why_empty(family, values, *set),
                    None => whole,
                }
            }
            Part::Spread(_, set) if self.is_empty(*set) => self.why_empty(family, values, *set),
            _ => whole,
        }
    }

    #[inline]
    fn state(&mut self, place: Place) -> &mut State<W> {
        &mut self.states[usize::from(place)]
    }

    /// Returns whether the stored value of a part is still right: it was computed at this moment, or at the last one and the
    /// half-move between changed nothing that it depends on. Marks it as computed at this moment.
    #[inline]
    fn is_known(&mut self, scene: &Scene<W>, place: Place) -> bool {
        let asked = std::mem::replace(&mut self.state(place).asked, scene.now);
        let watch = &scene.family.watches[usize::from(place)];
        asked == scene.now || asked == scene.before && !watch.touches(scene.changed)
    }

    // Sets.

    #[inline(always)]
    fn view<'a>(&'a self, family: &'a Family<W>, place: Place) -> View<'a, W> {
        let state = &self.states[usize::from(place)];
        match (&family.parts[usize::from(place)], &state.by_square) {
            (Part::Masked(_, masks), _) => View { squares: state.squares, planes: &masks.by_square },
            (_, Some(planes)) => View { squares: state.squares, planes },
            _ => View::EMPTY,
        }
    }

    /// The squares that are in the set of at least one image.
    #[inline(always)]
    fn some(&self, place: Place) -> u64 {
        self.states[usize::from(place)].squares
    }

    fn take_pending(&mut self, place: Place, slot: usize) -> u64 {
        std::mem::take(&mut self.state(place).pending[slot])
    }

    /// Lets `work` update the planes of a set, and returns the squares whose plane has changed. The planes are moved
    /// out meanwhile, so that `work` can read other parts.
    #[inline(always)]
    fn renew(&mut self, place: Place, work: impl FnOnce(&Images<W>, &mut Kept<W>)) -> u64 {
        let state = self.state(place);
        let Some(planes) = state.by_square.take() else { return 0 };
        let mut kept = Kept { planes, squares: state.squares, changed: 0 };
        work(self, &mut kept);
        let state = self.state(place);
        (state.by_square, state.squares) = (Some(kept.planes), kept.squares);
        kept.changed
    }

    /// Updates a set, after the sets that it is computed from.
    fn set(&mut self, scene: &mut Scene<W>, place: Place) {
        if self.is_known(scene, place) {
            return;
        }
        let family = scene.family;
        let changed = match &family.parts[usize::from(place)] {
            Part::Masked(source, masks) => self.masked(scene, place, source, masks),
            Part::Union(inputs) => {
                inputs.iter().for_each(|input| self.set(scene, *input));
                let dirty = self.take_pending(place, 0);
                self.renew(place, |images, kept| {
                    for square in members(dirty) {
                        let mut union = [0; W];
                        for input in inputs {
                            union = or(union, images.view(family, *input).at(square));
                        }
                        kept.put(square, union);
                    }
                })
            }
            Part::Cut(inputs) => {
                let mut some = !0;
                for input in inputs {
                    self.set(scene, *input);
                    some &= self.some(*input);
                    if some | self.some(place) == 0 {
                        // The result was and is empty, so the remaining inputs need no update.
                        return;
                    }
                }
                // Other squares were not in the set and cannot be now.
                let dirty = self.take_pending(place, 0) & (some | self.some(place));
                self.renew(place, |images, kept| {
                    for square in members(dirty) {
                        let mut cut = [!0; W];
                        for input in inputs {
                            cut = and(cut, images.view(family, *input).at(square));
                        }
                        kept.put(square, cut);
                    }
                })
            }
            Part::Inverse(input) => {
                self.set(scene, *input);
                let dirty = self.take_pending(place, 0);
                self.renew(place, |images, kept| {
                    let view = images.view(family, *input);
                    members(dirty).for_each(|square| kept.put(square, not(view.at(square))));
                })
            }
            Part::Attacks(of, on) => self.related(scene, place, *of, *on, true),
            Part::AttackedBy(of, by) => self.related(scene, place, *of, *by, false),
            Part::Spread(spread, input) => self.spread(scene, place, spread, *input),
            Part::Between(a, b) => self.between(scene, place, *a, *b),
            _ => 0,
        };
        self.tell(family, place, changed);
    }

    /// Marks the changed squares of a set as pending in the parts that use it.
    #[inline]
    fn tell(&mut self, family: &Family<W>, place: Place, changed: u64) {
        if changed != 0 {
            for (user, slot) in &family.users[usize::from(place)] {
                self.state(*user).pending[usize::from(*slot)] |= changed;
            }
        }
    }

    fn masked(&mut self, scene: &mut Scene<W>, place: Place, source: &Source, masks: &Masks<W>) -> u64 {
        let moment = scene.moment;
        let squares = masks.covered
            & match source {
                Source::Pieces(contents) => relations::pieces(moment, *contents),
                Source::Node(at) => scene.values.value(scene.program, moment, *at),
                Source::Filter(function) => self.filtered(scene, place, *function),
            };
        squares ^ std::mem::replace(&mut self.state(place).squares, squares)
    }

    /// Returns the squares that a function of the pawns, such as `passed`, keeps of any set. The result depends only on
    /// the pawns, for outposts also on the other pieces, and is cached while those stay.
    fn filtered(&mut self, scene: &Scene<W>, place: Place, function: Function) -> u64 {
        let moment = scene.moment;
        let pawns = [moment.sets[0], moment.sets[6]];
        let sides = match function {
            Function::Outpost => [moment.of_side(0), moment.of_side(1)],
            _ => pawns,
        };
        let now = [pawns[0], pawns[1], sides[0], sides[1]];
        let state = self.state(place);
        if state.owners != now {
            state.owners = now;
            state.passing = structure::of(function, !0, pawns, || sides);
        }
        state.passing
    }

    /// Updates a set of attackers (the squares of `of` whose piece attacks a square of `other`) or a set of attacked
    /// squares (those of `of` that a piece on a square of `other` attacks). Returns the squares that have changed.
    fn related(&mut self, scene: &mut Scene<W>, place: Place, of: Place, other: Place, is_attacker: bool) -> u64 {
        self.set(scene, of);
        if self.some(of) | self.some(place) == 0 {
            return 0;
        }
        self.set(scene, other);
        let (family, moment) = (scene.family, scene.moment);
        let occupied = moment.occupied();
        let attackers = occupied & if is_attacker { self.some(of) } else { self.some(other) };
        let all = self.some(of) | self.some(place);
        if attackers.count_ones() <= FEW_ATTACKERS {
            self.state(place).is_direct = true;
            self.state(place).pending = [0; 3];
            return self.renew(place, |images, kept| {
                let (of, other) = (images.view(family, of), images.view(family, other));
                let mut found = [[0; W]; 64];
                for from in members(attackers) {
                    let reach = relations::attacks_from(moment, from, occupied);
                    if is_attacker {
                        found[usize::from(from & 63)] = other.any(reach);
                        continue;
                    }
                    let by = other.of(from);
                    for square in members(reach & all) {
                        let found = &mut found[usize::from(square & 63)];
                        *found = or(*found, by);
                    }
                }
                members(all).for_each(|square| kept.put(square, and(of.at(square), found[usize::from(square & 63)])));
            });
        }
        let table = self.attacks(scene);
        let (reach, back) = if is_attacker { (&table.from, &table.to) } else { (&table.to, &table.from) };
        let mut dirty = self.take_pending(place, 0) | self.take_pending(place, 2);
        for square in members(self.take_pending(place, 1)) {
            dirty |= back[usize::from(square & 63)];
        }
        if std::mem::take(&mut self.state(place).is_direct) {
            dirty = !0;
        }
        let changed = self.renew(place, |images, kept| {
            let (of, other) = (images.view(family, of), images.view(family, other));
            for square in members(dirty & all) {
                let found = other.any(reach[usize::from(square & 63)]);
                kept.put(square, and(of.at(square), found));
            }
        });
        *scene.values.table() = Some(table);
        changed
    }

    /// Takes the table of attacks out of the cache and updates it; the caller puts it back. Parts that use the table
    /// have the last update marked as pending, or all squares if this family has missed an update.
    fn attacks(&mut self, scene: &mut Scene<W>) -> Box<Table> {
        let mut table = scene.values.table().take().unwrap_or_else(|| Box::new(Table::new()));
        table.bring_to(scene.moment);
        let family = scene.family;
        let Some(place) = family.table else { return table };
        let version = std::mem::replace(&mut self.state(place).version, table.version);
        if version != table.version {
            let is_next = version.wrapping_add(1) == table.version;
            for (user, slot) in &family.users[usize::from(place)] {
                let is_attacker = matches!(family.parts[usize::from(*user)], Part::Attacks(..));
                let changed = if is_attacker { table.moved } else { table.reached };
                self.states[usize::from(*user)].pending[usize::from(*slot)] |= if is_next { changed } else { !0 };
            }
        }
        table
    }

    /// Updates a set whose squares lie in a fixed relation to those of another, such as beside them or ahead of them;
    /// the relation may depend on the side that owns the square.
    fn spread(&mut self, scene: &mut Scene<W>, place: Place, spread: &Spread, input: Place) -> u64 {
        self.set(scene, input);
        let family = scene.family;
        let owners = spread.owners(scene.moment);
        let before = std::mem::replace(&mut self.state(place).owners, [owners[0], owners[1], 0, 0]);
        let sources = self.take_pending(place, 0) | owners[0] ^ before[0] | owners[1] ^ before[1];
        let mut dirty = 0;
        for square in members(sources) {
            dirty |= spread.to[0][usize::from(square & 63)] | spread.to[1][usize::from(square & 63)];
        }
        self.renew(place, |images, kept| {
            let view = images.view(family, input);
            for square in members(dirty) {
                let from = |side: usize| spread.from[side][usize::from(square & 63)] & owners[side];
                kept.put(square, view.any(from(0) | from(1)));
            }
        })
    }

    /// Updates the set of the squares that lie on a line between a square of one set and a square of the other.
    fn between(&mut self, scene: &mut Scene<W>, place: Place, a: Place, b: Place) -> u64 {
        self.set(scene, a);
        if self.some(a) | self.some(place) == 0 {
            return 0;
        }
        self.set(scene, b);
        let family = scene.family;
        let straight = |square: u8| REACH[usize::from(crate::board::kinds::QUEEN)][usize::from(square & 63)];
        let mut dirty = 0;
        for square in members(self.take_pending(place, 0)) {
            dirty |= straight(square);
        }
        self.renew(place, |images, kept| {
            let (a, b) = (images.view(family, a), images.view(family, b));
            for square in members(dirty) {
                let mut found = [0; W];
                for [ahead, behind] in family.opposite[usize::from(square & 63)] {
                    for (here, there) in [(ahead, behind), (behind, ahead)] {
                        if here & a.squares != 0 && there & b.squares != 0 {
                            found = or(found, and(a.any(here), b.any(there)));
                        }
                    }
                }
                kept.put(square, found);
            }
        })
    }

    // Numbers.

    /// Updates a number, and its version if it has changed.
    fn number(&mut self, scene: &mut Scene<W>, place: Place) {
        if self.is_known(scene, place) {
            return;
        }
        let family = scene.family;
        let is_changed = match &family.parts[usize::from(place)] {
            Part::Number(at) => {
                let n = scene.values.value(scene.program, scene.moment, *at);
                let state = self.state(place);
                let is_changed = state.basis == u32::MAX || state.squares != n;
                (state.squares, state.basis) = (n, 0);
                if is_changed {
                    let digit = |n: u64| if n & 1 == 1 { [!0; W] } else { [0; W] };
                    state.planes.clear();
                    state.planes.extend((0..u64::BITS - n.leading_zeros()).map(|at| digit(n >> at)));
                }
                is_changed
            }
            Part::Constant(digits) => {
                let state = self.state(place);
                let is_changed = state.basis == u32::MAX;
                if is_changed {
                    state.planes.clone_from(digits);
                    state.basis = 0;
                }
                is_changed
            }
            Part::Size(input) => self.size(scene, place, *input),
            Part::Points(input) => self.points(scene, place, *input),
            Part::Islands(input) => self.islands(scene, place, *input),
            Part::Sum(inputs) => self.sum(scene, place, inputs),
            _ => false,
        };
        if is_changed {
            let state = self.state(place);
            state.version = state.version.wrapping_add(1);
        }
    }

    fn size(&mut self, scene: &mut Scene<W>, place: Place, input: Place) -> bool {
        self.set(scene, input);
        let dirty = self.take_pending(place, 0);
        let (mut digits, Some(mut counted)) =
            (std::mem::take(&mut self.state(place).planes), self.state(place).by_square.take())
        else {
            return false;
        };
        let view = self.view(scene.family, input);
        let is_counted_anew = dirty.count_ones() > FEW_CHANGES.max(view.squares.count_ones() / 2);
        if is_counted_anew {
            // Higher digits are 0 for all images.
            digits.iter_mut().zip(view.size()).for_each(|(digit, size)| *digit = size);
        }
        for square in members(dirty) {
            let now = view.at(square);
            let old = std::mem::replace(&mut counted[usize::from(square & 63)], now);
            if !is_counted_anew {
                add(&mut digits, but(now, old));
                subtract(&mut digits, but(old, now));
            }
        }
        let state = self.state(place);
        (state.planes, state.by_square) = (digits, Some(counted));
        dirty != 0
    }

    fn points(&mut self, scene: &mut Scene<W>, place: Place, input: Place) -> bool {
        self.set(scene, input);
        let of = |role: usize| scene.moment.sets[role] | scene.moment.sets[6 + role];
        // The pieces worth 1, 3, 5 and 9 points.
        let worth = [of(0), of(1) | of(2), of(3), of(4)];
        let before = std::mem::replace(&mut self.state(place).owners, worth);
        let moved = worth.iter().zip(&before).fold(0, |set, (new, old)| set | new ^ old);
        let dirty = self.take_pending(place, 0) | moved & (self.some(input) | self.some(place));
        let binary = |worth: &[u64; 4], square: u8| {
            let is = |n: usize| worth[n] >> (square & 63) & 1 == 1;
            if is(0) {
                1u32
            } else if is(1) {
                3
            } else if is(2) {
                5
            } else if is(3) {
                9
            } else {
                0
            }
        };
        let (mut digits, Some(mut counted)) =
            (std::mem::take(&mut self.state(place).planes), self.state(place).by_square.take())
        else {
            return false;
        };
        let mut counts = self.some(place);
        let view = self.view(scene.family, input);
        for square in members(dirty) {
            let now = view.at(square);
            let old = std::mem::replace(&mut counted[usize::from(square & 63)], now);
            let bit = 1u64 << (square & 63);
            counts = if is_none(now) { counts & !bit } else { counts | bit };
            let (was, is) = (binary(&before, square), binary(&worth, square));
            for digit in 0..4 {
                if was >> digit & 1 == 1 {
                    subtract(&mut digits[digit..], old);
                }
                if is >> digit & 1 == 1 {
                    add(&mut digits[digit..], now);
                }
            }
        }
        let state = self.state(place);
        (state.planes, state.by_square, state.squares) = (digits, Some(counted), counts);
        dirty != 0
    }

    /// Counts the islands of a set: groups of adjacent files that have squares of it. Each begins with a file whose
    /// left neighbour has none.
    fn islands(&mut self, scene: &mut Scene<W>, place: Place, input: Place) -> bool {
        self.set(scene, input);
        let dirty = self.take_pending(place, 0);
        let mut is_changed = false;
        for file in 0..8u8 {
            let squares = 0x0101_0101_0101_0101u64 << file;
            if dirty & squares == 0 {
                continue;
            }
            let now = self.view(scene.family, input).any(squares);
            let counted = &mut self.state(place).counted[usize::from(file)];
            is_changed |= *counted != now;
            *counted = now;
        }
        if is_changed {
            let state = self.state(place);
            state.planes.fill([0; W]);
            let mut before = [0; W];
            for file in &state.counted {
                add(&mut state.planes, but(*file, before));
                before = *file;
            }
        }
        is_changed
    }

    fn sum(&mut self, scene: &mut Scene<W>, place: Place, inputs: &[Place]) -> bool {
        let mut basis = 0u32;
        for input in inputs {
            self.number(scene, *input);
            basis = basis.wrapping_add(self.state(*input).version);
        }
        if self.state(place).basis == basis {
            return false;
        }
        let mut sum = std::mem::take(&mut self.state(place).planes);
        sum.clear();
        for input in inputs {
            let more = &self.states[usize::from(*input)].planes;
            let mut carry = [0; W];
            for n in 0..sum.len().max(more.len()) {
                let (a, b) = (digit(&sum, n), digit(more, n));
                if n == sum.len() {
                    sum.push([0; W]);
                }
                sum[n] = xor(xor(a, b), carry);
                carry = or(and(a, b), and(carry, or(a, b)));
            }
            if !is_none(carry) {
                sum.push(carry);
            }
        }
        let state = self.state(place);
        (state.planes, state.basis) = (sum, basis);
        true
    }

    // Conditions.

    /// Evaluates a condition and returns the images for which it holds. Bits that belong to no image may be set, too.
    fn condition(&mut self, scene: &mut Scene<W>, place: Place) -> Plane<W> {
        if self.is_known(scene, place) {
            return self.states[usize::from(place)].planes[0];
        }
        let family = scene.family;
        let plane = match &family.parts[usize::from(place)] {
            Part::Shared(at) => {
                if scene.values.value(scene.program, scene.moment, *at) == 0 {
                    [0; W]
                } else {
                    [!0; W]
                }
            }
            Part::All(parts) => {
                let mut all = family.images;
                for part in parts {
                    if is_none(all) {
                        break;
                    }
                    all = and(all, self.condition(scene, *part));
                }
                all
            }
            Part::Any(parts) => {
                let mut any = [0; W];
                for part in parts {
                    any = or(any, self.condition(scene, *part));
                }
                any
            }
            Part::Not(part) => not(self.condition(scene, *part)),
            Part::Some(input) => {
                self.set(scene, *input);
                if self.take_pending(place, 0) == 0 {
                    self.states[usize::from(place)].planes[0]
                } else {
                    self.view(family, *input).any(!0)
                }
            }
            Part::Within(number, from, to) => {
                self.number(scene, *number);
                let version = self.state(*number).version;
                let old = &self.states[usize::from(place)];
                if old.basis == version {
                    old.planes[0]
                } else {
                    self.state(place).basis = version;
                    within(&self.states[usize::from(*number)].planes, *from, *to)
                }
            }
            Part::Compare(comparison, a, b) => {
                self.number(scene, *a);
                self.number(scene, *b);
                let version = self.state(*a).version.wrapping_add(self.state(*b).version);
                let old = &self.states[usize::from(place)];
                if old.basis == version {
                    old.planes[0]
                } else {
                    self.state(place).basis = version;
                    let digits = |place: Place| &self.states[usize::from(place)].planes;
                    compare(*comparison, digits(*a), digits(*b))
                }
            }
            Part::Move(step, masks) => match scene.moment.played() {
                Some(played) if step.is_played(scene.moment) => {
                    let [from, to] = &**masks;
                    and(from.by_square[usize::from(played.from & 63)], to.by_square[usize::from(played.to & 63)])
                }
                _ => [0; W],
            },
            Part::Line(rays, inputs) => self.line(scene, place, rays, inputs),
            _ => [0; W],
        };
        self.state(place).planes[0] = plane;
        plane
    }

    /// Returns the images that have a line: squares of the sets that follow each other on a ray, a row of squares from
    /// edge to edge (see [`Rays`]). Only rays with a changed square are looked at again.
    fn line(&mut self, scene: &mut Scene<W>, place: Place, rays: &Rays, inputs: &[Place]) -> Plane<W> {
        let family = scene.family;
        for input in inputs {
            self.set(scene, *input);
            if self.some(*input) | self.states[usize::from(place)].squares == 0 {
                // There was no line and is none, so the remaining inputs need no update.
                return [0; W];
            }
        }
        let occupied = scene.moment.occupied();
        let before = std::mem::replace(&mut self.state(place).owners[0], occupied);
        let dirty = self.take_pending(place, 0) | before ^ occupied;
        let again = members(dirty).fold(0, |set, square| set | rays.by_square[usize::from(square & 63)]);
        let mut views = [View::EMPTY; 8];
        let mut counted = std::mem::take(&mut self.state(place).counted);
        let Some(views) = views.get_mut(..inputs.len()) else { return [0; W] };
        for (view, input) in views.iter_mut().zip(inputs) {
            *view = self.view(family, *input);
        }
        let mut have_lines = self.some(place);
        let mut is_changed = false;
        for n in members(again) {
            let old = have_lines >> n & 1;
            let now = on_ray(rays.rays[usize::from(n)], views, occupied);
            let has_line = u64::from(!is_none(now));
            if old | has_line != 0 {
                is_changed |= std::mem::replace(&mut counted[usize::from(n)], now) != now;
                have_lines = have_lines & !(1 << n) | has_line << n;
            }
        }
        let state = &mut self.states[usize::from(place)];
        (state.squares, state.counted) = (have_lines, counted);
        if !is_changed {
            return state.planes[0];
        }
        members(have_lines).fold([0; W], |any, n| or(any, state.counted[usize::from(n)]))
    }
}

/// Returns the images that have a line on this ray, in either direction.
fn on_ray<const W: usize>(ray: u64, views: &[View<W>], occupied: u64) -> Plane<W> {
    let [first, .., last] = views else { return [0; W] };
    let (first, last) = (first.squares & ray, last.squares & ray);
    if first == 0 || last == 0 {
        return [0; W];
    }
    // Squares that are empty and belong to no set neither block a line nor extend it.
    let mut matters = occupied;
    for view in views {
        if view.squares & ray == 0 {
            return [0; W];
        }
        matters |= view.squares;
    }
    let squares = matters & ray;
    let rising = squares & !0 << first.trailing_zeros() & !0 >> last.leading_zeros();
    let falling = squares & !0 << last.trailing_zeros() & !0 >> first.leading_zeros();
    let mut found = [0; W];
    if rising & rising.wrapping_sub(1) != 0 {
        found = follow(members(rising), views, occupied);
    }
    if falling & falling.wrapping_sub(1) != 0 {
        found = or(found, follow(descending(falling), views, occupied));
    }
    found
}

/// The members of a set from the highest to the lowest.
fn descending(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = set.checked_ilog2()?;
        set &= !(1 << square);
        Some(square as u8)
    })
}

/// Returns the images for which squares of the sets follow each other in their order, with nothing between, among these
/// squares of a ray.
#[inline(always)]
fn follow<const W: usize>(squares: impl Iterator<Item = u8>, views: &[View<W>], occupied: u64) -> Plane<W> {
    // after[n]: the images with squares of the first n + 1 sets, and only empty squares since.
    let mut after = [[0; W]; 8];
    // A bit for each entry that may have images.
    let mut open = 0u32;
    let last = views.len() - 1;
    for square in squares {
        let bit = 1u64 << (square & 63);
        let is_occupied = occupied & bit != 0;
        // Descending, so that one square advances a line by one set only.
        let mut rest = open;
        while rest != 0 {
            let n = rest.ilog2() as usize;
            rest &= !(1 << n);
            let here = after[n];
            let next = views[n + 1].at(square);
            after[n + 1] = or(after[n + 1], and(here, next));
            if n + 1 < last {
                open |= 1 << (n + 1);
            }
            if is_occupied {
                after[n] = [0; W];
                open &= !(1 << n);
            } else {
                after[n] = but(here, next);
            }
        }
        if views[0].squares & bit != 0 {
            after[0] = or(after[0], views[0].of(square));
            open |= 1;
        }
    }
    after[last]
}

#[inline(always)]
fn digit<const W: usize>(digits: &[Plane<W>], n: usize) -> Plane<W> {
    digits.get(n).copied().unwrap_or([0; W])
}

/// Compares two bit-sliced numbers of `width` digits; `a` and `b` return the plane of a digit. Returns the images for
/// which `a` is less, and those for which both are equal.
fn order<const W: usize>(
    width: usize,
    a: impl Fn(usize) -> Plane<W>,
    b: impl Fn(usize) -> Plane<W>,
) -> (Plane<W>, Plane<W>) {
    let (mut less, mut equal) = ([0; W], [!0; W]);
    for n in 0..width {
        let (a, b) = (a(n), b(n));
        let differ = xor(a, b);
        less = or(and(differ, b), but(less, differ));
        equal = but(equal, differ);
    }
    (less, equal)
}

fn compare<const W: usize>(comparison: Comparison, a: &[Plane<W>], b: &[Plane<W>]) -> Plane<W> {
    let (less, equal) = order(a.len().max(b.len()), |n| digit(a, n), |n| digit(b, n));
    match comparison {
        Comparison::Equal => equal,
        Comparison::Unequal => not(equal),
        Comparison::Less => less,
        Comparison::AtMost => or(less, equal),
        Comparison::Greater => not(or(less, equal)),
        Comparison::AtLeast => not(less),
    }
}

fn within<const W: usize>(digits: &[Plane<W>], from: u32, to: Option<u32>) -> Plane<W> {
    let with = |n: u32| {
        let width = digits.len().max((u32::BITS - n.leading_zeros()) as usize);
        order(width, |at| digit(digits, at), |at| if u64::from(n) >> at & 1 == 1 { [!0; W] } else { [0; W] })
    };
    if to == Some(from) {
        return with(from).1;
    }
    let least = match from {
        0 => [!0; W],
        1 => digits.iter().fold([0; W], |any, digit| or(any, *digit)),
        _ => not(with(from).0),
    };
    match to {
        None => least,
        Some(to) => {
            let (less, equal) = with(to);
            and(least, or(less, equal))
        }
    }
}
