//! Judges many images of one condition at once, with one bit for each image.
//!
//! Takes a family (see [`super::family`]): conditions of a program that differ only in their squares, as `shift`, `rotate` and
//! `mirror` make them. Returns which of them hold at a moment.
//!
//! A *plane* has a bit for each image. A set of squares is a plane for each square: the images whose set has it. A number is
//! a plane for each of its binary digits. So a square that changes costs a few operations on planes for each part of the
//! condition, however many images there are.
//!
//! Everything is kept from one moment to the next. A set tells the parts that use it which of its squares have changed;
//! they look at these squares when they are asked. A part that is not asked falls behind and catches up later.

use std::array;

use super::family::{Family, Masks, Part, Place, Plane, Ray, Rays, Source, Spread};
use super::observe::Moment;
use super::program::{At, Program, Step, Watch};
use super::relations;
use super::structure;
use super::tree::{Comparison, Function};
use crate::board::reach::REACH;
use crate::board::squares::members;

/// The values of single nodes, for parts that the images of a family share.
pub(super) trait Singles {
    /// The value of a node at a moment.
    fn value(&mut self, program: &Program, moment: &Moment, at: At) -> u64;
    /// What can change the value of a node.
    fn active(&self, at: At) -> Watch;
    /// What every piece attacks, kept from moment to moment.
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

/// Adds 1 to a number where a plane has bits.
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

/// Subtracts 1 from a number where a plane has bits.
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

/// Digits of a number of squares, and of the points on them.
const DIGITS_OF_SIZE: usize = 7;
const DIGITS_OF_POINTS: usize = 10;
/// So few attacking pieces are looked at without a table.
const FEW_ATTACKERS: u32 = 3;

/// What one part of a family was when it was last computed.
#[derive(Clone, Debug)]
struct State<const W: usize> {
    /// The moment of which it was asked last.
    asked: u32,
    /// Of numbers: counts the times that it has changed, and the changes of what it was computed from.
    version: u32,
    basis: u32,
    /// The squares of a masked set's source; of any other set the squares that an image has.
    squares: u64,
    /// Squares of its inputs that have changed since.
    pending: [u64; 3],
    /// Pieces that it depends on besides its inputs, by owner or by worth.
    owners: [u64; 4],
    /// The squares that a function of pawns leaves of any set.
    passing: u64,
    /// Whether attacks were last looked up without the table.
    is_direct: bool,
    /// Of a number by digit, of a condition one.
    planes: Vec<Plane<W>>,
    /// Of a set its planes, of a number those that it was counted from.
    by_square: Option<Box<[Plane<W>; 64]>>,
    /// The planes by file, or by ray, that a number was counted from.
    counted: Vec<Plane<W>>,
}

/// A set of each image.
#[derive(Clone, Copy)]
struct View<'a, const W: usize> {
    /// The squares that some image has.
    squares: u64,
    /// By square the images that have it, if some has it.
    planes: &'a [Plane<W>; 64],
}

impl<const W: usize> View<'_, W> {
    const EMPTY: View<'static, W> = View { squares: 0, planes: &[[0; W]; 64] };

    /// The images that have a square which some image has.
    #[inline(always)]
    fn of(&self, square: u8) -> Plane<W> {
        self.planes[usize::from(square & 63)]
    }

    #[inline(always)]
    fn at(&self, square: u8) -> Plane<W> {
        if self.squares >> (square & 63) & 1 == 1 { self.of(square) } else { [0; W] }
    }

    /// The images that have one of these squares.
    #[inline(always)]
    fn any(&self, squares: u64) -> Plane<W> {
        let mut found = [0; W];
        for square in members(squares & self.squares) {
            found = or(found, self.of(square));
        }
        found
    }
}

/// The planes of a set while they are changed.
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

/// What every piece attacks, at the moment of which it was asked last.
#[derive(Clone, Debug)]
pub(super) struct Table {
    sets: [u64; 12],
    /// By square what the piece there attacks, and what attacks it.
    from: [u64; 64],
    to: [u64; 64],
    /// Counts the changes; and of the last one the squares of pieces that attack others than before, and those squares.
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

/// The state of a family.
#[derive(Clone, Debug)]
pub(super) struct Images<const W: usize> {
    states: Vec<State<W>>,
    /// The moment at which they were judged last.
    pub judged: u32,
    /// The images that held then.
    pub holding: Plane<W>,
}

/// Where the images are judged.
struct Scene<'a, const W: usize> {
    family: &'a Family<W>,
    program: &'a Program,
    moment: &'a Moment,
    values: &'a mut dyn Singles,
    now: u32,
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
                Part::Size(_) => DIGITS_OF_SIZE,
                Part::Points(_) => DIGITS_OF_POINTS,
                Part::Islands(_) => 3,
                // Behind the condition the number of rays that have such a line.
                Part::Line(..) => 1 + DIGITS_OF_SIZE,
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
                // No version is that of anything computed.
                basis: u32::MAX,
                asked: 0,
                version: 0,
                squares: 0,
                owners: [0; 4],
                passing: 0,
                is_direct: false,
            }
        };
        Images { states: family.parts.iter().map(state).collect(), judged: 0, holding: [0; W] }
    }

    /// Judges which images hold at a moment; `now` is another number for each moment, and never 0.
    pub fn judge(
        &mut self,
        family: &Family<W>,
        program: &Program,
        moment: &Moment,
        values: &mut dyn Singles,
        now: u32,
    ) {
        let mut scene = Scene { family, program, moment, values, now };
        self.holding = and(self.condition(&mut scene, family.root), family.images);
        self.judged = now;
    }

    /// What can make an image hold, where none does. Asked right after they were judged.
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

    /// Whether a set that was asked has no squares for any image.
    fn is_empty(&self, place: Place) -> bool {
        self.some(place) == 0 && self.states[usize::from(place)].asked == self.judged
    }

    /// What can put a square into a set that is empty for all images.
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

    /// Notes that a part is asked; returns whether it has been asked of this moment before.
    #[inline]
    fn is_known(&mut self, scene: &Scene<W>, place: Place) -> bool {
        std::mem::replace(&mut self.state(place).asked, scene.now) == scene.now
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

    /// The squares that the set of some image has.
    #[inline(always)]
    fn some(&self, place: Place) -> u64 {
        self.states[usize::from(place)].squares
    }

    fn take_pending(&mut self, place: Place, slot: usize) -> u64 {
        std::mem::take(&mut self.state(place).pending[slot])
    }

    /// Computes the planes of some squares of a set again; returns the squares that have changed.
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

    /// Brings a set up to date.
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
                        // The others are not asked.
                        return;
                    }
                }
                // What neither was nor is in the set stays out of it.
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

    /// Tells the parts that use a set which squares have changed.
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

    /// All squares that a function of pawns leaves of any set.
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

    /// The attacking pieces of a set, or its attacked squares.
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

    /// Takes the table of attacks, up to date.
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

    /// Squares that lie in some relation to those of a set, by who owns these.
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

    /// The squares between those of two sets.
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

    /// Brings a number up to date.
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
        for square in members(dirty) {
            let now = view.at(square);
            let old = std::mem::replace(&mut counted[usize::from(square & 63)], now);
            add(&mut digits, but(now, old));
            subtract(&mut digits, but(old, now));
        }
        let state = self.state(place);
        (state.planes, state.by_square) = (digits, Some(counted));
        dirty != 0
    }

    fn points(&mut self, scene: &mut Scene<W>, place: Place, input: Place) -> bool {
        self.set(scene, input);
        let of = |role: usize| scene.moment.sets[role] | scene.moment.sets[6 + role];
        // Those worth 1, 3, 5, 9.
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

    /// Counts the files that have squares of a set and follow one that has none.
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

    /// Which images of a condition hold; what is not asked of may be there, too.
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
            Part::Line(rays, inputs) => {
                self.line(scene, place, rays, inputs);
                let [_, digits @ ..] = self.states[usize::from(place)].planes.as_slice() else { return [0; W] };
                digits.iter().fold([0; W], |any, digit| or(any, *digit))
            }
            _ => [0; W],
        };
        self.state(place).planes[0] = plane;
        plane
    }

    /// Counts the rays on which squares of sets follow each other.
    fn line(&mut self, scene: &mut Scene<W>, place: Place, rays: &Rays, inputs: &[Place]) {
        let family = scene.family;
        for input in inputs {
            self.set(scene, *input);
            if self.some(*input) | self.states[usize::from(place)].squares == 0 {
                // No ray has a line, nor had one: the others are not asked.
                return;
            }
        }
        let occupied = scene.moment.occupied();
        let before = std::mem::replace(&mut self.state(place).owners[0], occupied);
        let dirty = self.take_pending(place, 0) | before ^ occupied;
        let mut again = [0u64; 2];
        for square in members(dirty) {
            let of_square = rays.by_square[usize::from(square & 63)];
            again = [again[0] | of_square[0], again[1] | of_square[1]];
        }
        let mut views = [View::EMPTY; 8];
        let mut digits = std::mem::take(&mut self.state(place).planes);
        let mut counted = std::mem::take(&mut self.state(place).counted);
        let Some(views) = views.get_mut(..inputs.len()) else { return };
        for (view, input) in views.iter_mut().zip(inputs) {
            *view = self.view(family, *input);
        }
        for (word, again) in again.into_iter().enumerate() {
            for bit in members(again) {
                let n = 64 * word + usize::from(bit);
                let ray = &rays.rays[n];
                let may_be = views.iter().all(|view| view.squares & ray.mask != 0);
                let now = if may_be { on_ray(ray, views, occupied) } else { [0; W] };
                let old = std::mem::replace(&mut counted[n], now);
                if now != old {
                    add(&mut digits[1..], but(now, old));
                    subtract(&mut digits[1..], but(old, now));
                }
            }
        }
        let state = self.state(place);
        state.squares = u64::from(digits[1..].iter().any(|digit| !is_none(*digit)));
        (state.planes, state.counted) = (digits, counted);
    }
}

/// The images that have such a line on a ray.
fn on_ray<const W: usize>(ray: &Ray, views: &[View<W>], occupied: u64) -> Plane<W> {
    // Entry n: the lines that have met n + 1 of the sets, and nothing else since.
    let mut after = [[0; W]; 8];
    let last = views.len() - 1;
    // On other squares nothing ends, begins or goes on.
    let matters = views.iter().fold(occupied, |squares, view| squares | view.squares);
    for square in &ray.squares {
        if matters >> (square & 63) & 1 == 0 {
            continue;
        }
        let is_occupied = occupied >> (square & 63) & 1 == 1;
        for n in (0..last).rev() {
            let here = after[n];
            if is_none(here) {
                continue;
            }
            let next = views[n + 1].at(*square);
            after[n + 1] = or(after[n + 1], and(here, next));
            after[n] = if is_occupied { [0; W] } else { but(here, next) };
        }
        after[0] = or(after[0], views[0].at(*square));
    }
    after[last]
}

#[inline(always)]
fn digit<const W: usize>(digits: &[Plane<W>], n: usize) -> Plane<W> {
    digits.get(n).copied().unwrap_or([0; W])
}

/// Where one number is less than another, and where they are equal.
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
