//! Attacks, pins, lines and squares between, at all moments of a stretch.
//!
//! A view goes from square to square in each direction, together with the moments at which nothing stands in its way.

use super::grid::Grid;
use super::stretch::{Set, Stretch, add};
use super::times::Times;
use crate::board::kinds::{KING, KNIGHT, NO_KIND};
use crate::board::reach::REACH;
use crate::board::squares::members;
use crate::search::pattern::language::tree::{BLACK, Contents, Line, WHITE};
use crate::search::pattern::meaning::geometry::{ENTERED, STEP, rays};
use crate::search::pattern::program::{At, Node, Program};

const STRAIGHT: std::ops::Range<usize> = 0..4;
const DIAGONAL: std::ops::Range<usize> = 4..8;

/// Instructions, roughly, to look on from a square.
const OF_VIEW: u64 = 55;
/// For at most this many targets, the squares from which pieces attack them are looked up, one target after the other.
const FEW_TARGETS: u32 = 4;
/// The same for a line of more than two sets, besides.
const OF_LINE: u64 = 250;
/// The same for each set that a line of several sets has met there.
const OF_MEETING: u64 = 70;

/// Pieces that move along files and ranks, and along diagonals, of both sides.
const STRAIGHT_MOVERS: Contents = 0x18 | 0x18 << 6;
const DIAGONAL_MOVERS: Contents = 0x14 | 0x14 << 6;

/// The directions in which the squares of these sets may follow each other, one bit each.
pub(super) fn directions(program: &Program, line: Line, parts: &[At]) -> u16 {
    let squares = |at: &At| match &program.entries[usize::from(*at)].node {
        Node::Pieces(_, squares) => *squares,
        _ => !0,
    };
    let all = match line {
        Line::Any => 0..8,
        Line::File => 0..2,
        Line::Rank => 2..4,
        Line::Diagonal => DIAGONAL,
    };
    all.filter(|direction| {
        let back = |ahead: u64, at: &At| rays(ahead, direction ^ 1) & squares(at);
        parts.split_last().is_some_and(|(last, before)| before.iter().rev().fold(squares(last), back) != 0)
    })
    .fold(0, |set, direction| set | 1 << direction)
}

/// For each set but the last the squares from which the next sets are ahead, as far as their squares tell; the first has
/// none if any set is out of reach.
fn from_where_all_follow(sets: &[Set], direction: usize, work: &mut u64) -> [u64; 8] {
    let mut useful = [!0; 8];
    for n in (0..sets.len() - 1).rev() {
        *work += OF_VIEW;
        useful[n] = rays(sets[n + 1].support & useful[n + 1], direction ^ 1);
        if useful[n] & sets[n].support == 0 {
            useful[0] = 0;
            break;
        }
    }
    useful
}

/// The squares of a set, in a direction. Calls `visit` with each, and the one before it.
#[inline(always)]
fn along(mut set: u64, direction: usize, mut visit: impl FnMut(usize, usize)) {
    let step = STEP[direction & 7];
    while set != 0 {
        let square = if step > 0 { set.trailing_zeros() } else { 63 - set.leading_zeros() } as usize & 63;
        set &= !(1 << square);
        visit(square, square.wrapping_add_signed(-step as isize) & 63);
    }
}

/// Looks from each square of a set in a direction. Calls `hit` with each square of `wanted` that is seen, and when. Returns
/// the work.
#[inline(always)]
fn look(
    (from, sources): (&Grid, u64),
    wanted: u64,
    empty: &Grid,
    direction: usize,
    view: &mut Grid,
    mut hit: impl FnMut(usize, Times),
) -> u64 {
    let visited = rays(sources, direction) & (rays(wanted, direction ^ 1) | wanted);
    let (mut seen, mut work) = (0u64, OF_VIEW);
    along(visited, direction, |square, before| {
        let mut times = if sources >> before & 1 == 1 { from.0[before] } else { Times::NONE };
        if seen >> before & 1 == 1 {
            times |= view.0[before] & empty.0[before];
        }
        work += OF_VIEW;
        if times.is_none() {
            return;
        }
        seen |= 1 << square;
        view.0[square] = times;
        if wanted >> square & 1 == 1 {
            hit(square, times);
        }
    });
    work
}

/// The squares that a pawn attacks.
fn pawn_attacks(square: u8, side: usize) -> u64 {
    let pawn = 1u64 << (square & 63);
    let [left, right] = if side == 0 { [7, 4] } else { [5, 6] };
    [left, right].into_iter().fold(0, |set, n| set | ENTERED[n] & pawn.rotate_left((STEP[n] & 63) as u32))
}

/// The pieces that attack neighbouring squares: their kind, the squares that they attack, and those from which they may
/// attack one of the targets.
fn steppers(targets: u64) -> impl Iterator<Item = (usize, impl Fn(u8) -> u64, u64)> {
    [(0, KNIGHT), (6, KNIGHT), (0, KING), (6, KING), (0, 0), (6, 0)].into_iter().map(move |(side, role)| {
        let of = move |square: u8, side: usize| {
            if role == 0 { pawn_attacks(square, side) } else { REACH[usize::from(role)][usize::from(square & 63)] }
        };
        let back = match targets.count_ones() {
            0..=FEW_TARGETS => members(targets).fold(0, |set, square| set | of(square, 6 - side)),
            _ => !0,
        };
        (side + usize::from(role), move |square| of(square, side), back)
    })
}

impl Stretch {
    fn empty(&self) -> &Grid {
        &self.record.contents[usize::from(NO_KIND)].grid
    }

    /// The pieces of a set that attack a square of another.
    pub(super) fn attacking(&mut self, by: Set, targets: Set) -> Set {
        let (mut out, mut view, mut support) = (self.take(), self.take(), 0);
        let mut work = 0;
        for (directions, movers) in [(STRAIGHT, STRAIGHT_MOVERS), (DIAGONAL, DIAGONAL_MOVERS)] {
            let movers = self.contents(movers);
            let wanted = by.support & movers.support;
            if wanted == 0 {
                continue;
            }
            let (grid, of_movers) = (self.grid(by.source), self.grid(movers.source));
            let from = (self.grid(targets.source), targets.support);
            for direction in directions {
                work += look(from, wanted, self.empty(), direction, &mut view, |square, times| {
                    add(&mut out, &mut support, square, times & grid.0[square] & of_movers.0[square]);
                });
            }
        }
        let (grid, of_targets) = (self.grid(by.source), self.grid(targets.source));
        for (kind, attacks, back) in steppers(targets.support) {
            let places = &self.record.contents[kind];
            for square in members(by.support & places.support & back) {
                let times = of_targets.union_on(attacks(square) & targets.support);
                let square = usize::from(square);
                add(&mut out, &mut support, square, times & grid.0[square] & places.grid.0[square]);
                work += OF_VIEW;
            }
        }
        self.work += work;
        self.give_back(view);
        self.make(out, support)
    }

    /// The squares of a set that a piece of another attacks.
    pub(super) fn attacked(&mut self, targets: Set, by: Set) -> Set {
        let (mut out, mut view, mut support) = (self.take(), self.take(), 0);
        let mut work = 0;
        for (directions, movers) in [(STRAIGHT, STRAIGHT_MOVERS), (DIAGONAL, DIAGONAL_MOVERS)] {
            let movers = self.contents(movers);
            let sources = self.cut(movers, by);
            if sources.support == 0 {
                continue;
            }
            let grid = self.grid(targets.source);
            let from = (self.grid(sources.source), sources.support);
            for direction in directions {
                work += look(from, targets.support, self.empty(), direction, &mut view, |square, times| {
                    add(&mut out, &mut support, square, times & grid.0[square]);
                });
            }
        }
        let (grid, of_by) = (self.grid(targets.source), self.grid(by.source));
        for (kind, attacks, back) in steppers(targets.support) {
            let places = &self.record.contents[kind];
            for square in members(by.support & places.support & back) {
                let times = of_by.0[usize::from(square)] & places.grid.0[usize::from(square)];
                for to in members(attacks(square) & targets.support) {
                    let to = usize::from(to);
                    add(&mut out, &mut support, to, times & grid.0[to]);
                    work += OF_VIEW;
                }
                work += OF_VIEW;
            }
        }
        self.work += work;
        self.give_back(view);
        self.make(out, support)
    }

    /// The moments at which a king of the side to move is attacked.
    pub(super) fn check(&mut self) -> Times {
        let mut times = Times::NONE;
        for (side, them, turn) in [(0, BLACK, self.white), (6, WHITE, !self.white)] {
            let (kings, them) = (self.contents(1 << (side + KING)), self.contents(them));
            let attacked = self.attacked(kings, them);
            times |= self.some_of(attacked) & turn;
        }
        times
    }

    /// All pieces that are the only one between a king of their side and a piece that would attack it.
    pub(super) fn pinned(&mut self) -> Set {
        let (mut out, mut seen, mut view, mut support) = (self.take(), self.take(), self.take(), 0);
        let mut work = 0;
        for side in 0..2 {
            let (us, them) = (6 * side, 6 - 6 * side);
            let kings = self.contents(1 << (us + u16::from(KING)));
            let own = self.contents(0x3f << us);
            for (directions, movers) in [(STRAIGHT, STRAIGHT_MOVERS), (DIAGONAL, DIAGONAL_MOVERS)] {
                let snipers = self.contents(movers & 0x3f << them);
                let (of_kings, of_snipers) = (self.grid(kings.source), self.grid(snipers.source));
                let of_own = self.grid(own.source);
                for direction in directions {
                    let mut near_king = 0;
                    work += look(
                        (of_kings, kings.support),
                        own.support,
                        self.empty(),
                        direction,
                        &mut view,
                        |square, times| add(&mut seen, &mut near_king, square, times & of_own.0[square]),
                    );
                    work += look(
                        (of_snipers, snipers.support),
                        near_king,
                        self.empty(),
                        direction ^ 1,
                        &mut view,
                        |square, times| add(&mut out, &mut support, square, times & seen.0[square]),
                    );
                }
            }
        }
        self.work += work;
        self.give_back(view);
        self.give_back(seen);
        self.make(out, support)
    }

    /// The squares between a square of one set and a square of another.
    pub(super) fn between(&mut self, a: Set, b: Set) -> Set {
        let (mut out, mut first, mut second, mut support) = (self.take(), self.take(), self.take(), 0);
        let mut work = 0;
        let (of_a, of_b) = (self.grid(a.source), self.grid(b.source));
        for direction in 0..8 {
            let visited = rays(a.support, direction) & rays(b.support, direction ^ 1);
            if visited == 0 {
                continue;
            }
            let mut sweep = |of: &Grid, support: u64, direction: usize, into: &mut Grid| {
                along(visited, direction, |square, before| {
                    let mut times = if support >> before & 1 == 1 { of.0[before] } else { Times::NONE };
                    if visited >> before & 1 == 1 {
                        times |= into.0[before];
                    }
                    into.0[square] = times;
                    work += OF_VIEW;
                });
            };
            sweep(of_a, a.support, direction, &mut first);
            sweep(of_b, b.support, direction ^ 1, &mut second);
            for square in members(visited) {
                let square = usize::from(square);
                add(&mut out, &mut support, square, first.0[square] & second.0[square]);
            }
        }
        self.work += work;
        self.give_back(first);
        self.give_back(second);
        self.make(out, support)
    }

    /// The moments at which squares of sets follow each other on a line, with only empty squares between.
    pub(super) fn line(&mut self, directions: u16, sets: &[Set]) -> Times {
        let last = match sets {
            [] => return Times::NONE,
            [only] => return self.some_of(*only),
            [.., _] => sets.len() - 1,
        };
        // A line has eight squares.
        if last > 7 || sets.iter().any(|set| set.support == 0) {
            return Times::NONE;
        }
        let directions = (0..8usize).filter(|n| directions >> n & 1 == 1);
        if last == 1 {
            return self.line_of_two(directions, sets[0], sets[1]);
        }
        self.line_of_more(directions, sets)
    }

    fn line_of_more(&mut self, directions: impl Iterator<Item = usize>, sets: &[Set]) -> Times {
        let last = sets.len() - 1;
        // met[n]: for each square the moments at which a line that ends there has met the first n + 1 sets.
        let mut met = std::mem::take(&mut self.met);
        while met.len() < last {
            met.push(self.take());
        }
        self.work += OF_LINE;
        let (mut grids, empty) = ([self.empty(); 8], self.empty());
        for (grid, set) in grids.iter_mut().zip(sets) {
            *grid = self.grid(set.source);
        }
        let (mut found, mut work) = (Times::NONE, 0);
        for direction in directions {
            let useful = from_where_all_follow(sets, direction, &mut work);
            let begins = sets[0].support & useful[0];
            if begins == 0 {
                continue;
            }
            let passed = useful[..last].iter().fold(sets[last].support, |set, more| set | more);
            let ends = sets[last].support;
            let mut has = [0u64; 8];
            along(begins | rays(begins, direction) & passed, direction, |square, before| {
                let bit = 1u64 << square;
                let from = if ENTERED[direction] & bit == 0 { 0 } else { 1u64 << before };
                if ends & bit != 0 && has[last - 1] & from != 0 {
                    found |= met[last - 1].0[before] & grids[last].0[square];
                }
                for n in (0..last).rev() {
                    if useful[n] & bit == 0 {
                        continue;
                    }
                    work += OF_MEETING;
                    let mut times = match n.checked_sub(1) {
                        None if begins & bit != 0 => grids[0].0[square],
                        Some(less) if has[less] & from != 0 && sets[n].support & bit != 0 => {
                            met[less].0[before] & grids[n].0[square]
                        }
                        _ => Times::NONE,
                    };
                    if has[n] & from != 0 {
                        let passes = met[n].0[before] & empty.0[square];
                        let meets = sets[n + 1].support & bit != 0;
                        times |= if meets { passes.without(grids[n + 1].0[square]) } else { passes };
                    }
                    if !times.is_none() {
                        met[n].0[square] = times;
                        has[n] |= bit;
                    }
                }
                work += OF_VIEW;
            });
            if self.all.without(found).is_none() {
                break;
            }
        }
        self.work += work;
        self.met = met;
        found
    }

    fn line_of_two(&mut self, directions: impl Iterator<Item = usize>, first: Set, second: Set) -> Times {
        let mut view = self.take();
        let (mut found, mut work) = (Times::NONE, 0);
        let (from, to, empty) = (self.grid(first.source), self.grid(second.source), self.empty());
        for direction in directions {
            let mut seen = 0u64;
            let visited = rays(first.support, direction) & (rays(second.support, direction ^ 1) | second.support);
            work += OF_VIEW;
            along(visited, direction, |square, before| {
                work += OF_VIEW;
                let bit = 1u64 << before;
                let mut times = if first.support & bit == 0 { Times::NONE } else { from.0[before] };
                if seen & bit != 0 {
                    let passes = view.0[before] & empty.0[before];
                    times |= if second.support & bit == 0 { passes } else { passes.without(to.0[before]) };
                }
                if times.is_none() {
                    return;
                }
                seen |= 1 << square;
                view.0[square] = times;
                if second.support >> square & 1 == 1 {
                    found |= times & to.0[square];
                }
            });
            if self.all.without(found).is_none() {
                break;
            }
        }
        self.work += work;
        self.give_back(view);
        found
    }
}
