//! Trips: the moves of one piece, with others in between.
//!
//! Takes the elements of a chain that are trips, and the half-moves of a game; reports which trips end. A half-move
//! concerns the trips that stand where a piece leaves, enters or is taken, and those that it may begin; bit masks by square
//! select them. Where only the first match matters, trips that differ in their squares are followed together.

use std::collections::HashMap;

use super::bits::{Bits, ones};
use super::family::{IMAGES, Masks, Plane, masks};
use super::observe::Moment;
use super::planes::{and, is_none};
use super::program::Step;
use super::time::{Chain, What};

/// The half-move at which a match began.
pub(super) type Began = Option<u32>;

/// The trips of a chain.
#[derive(Clone, Debug, Default)]
pub(super) struct Trips {
    /// The elements that are trips. The sets below contain indexes into this list.
    elements: Vec<usize>,
    /// For each square, the trips whose first move may leave it, and those whose first move may enter it.
    leave: Vec<Bits>,
    enter: Vec<Bits>,
    /// For each square, the trips whose piece stands there.
    on: Vec<Bits>,
    /// The squares with trips under way.
    squares: u64,
    /// For each trip, by square and number of moves made, the half-move at which its match began.
    begun: Vec<Vec<Began>>,
}

impl Trips {
    /// The trips among those elements of a chain that are `wanted`.
    pub fn new(chain: &Chain, wanted: impl Fn(usize) -> bool) -> Trips {
        let mut trips = Trips::default();
        let mut all = Vec::new();
        for (n, element) in chain.elements.iter().enumerate() {
            if let What::Trip(steps) = &element.what
                && wanted(n)
            {
                trips.elements.push(n);
                trips.begun.push(vec![None; 64 * steps.len()]);
                all.push(steps);
            }
        }
        let sets = || vec![Bits::new(all.len()); 64];
        (trips.leave, trips.enter, trips.on) = (sets(), sets(), sets());
        for (trip, steps) in all.iter().enumerate() {
            let Some(first) = steps.first() else { continue };
            for square in 0..64 {
                if first.from >> square & 1 == 1 {
                    trips.leave[square].insert(trip);
                }
                if first.to >> square & 1 == 1 {
                    trips.enter[square].insert(trip);
                }
            }
        }
        trips
    }

    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// The squares with trips under way.
    pub fn squares(&self) -> u64 {
        self.squares
    }

    /// Moves the trips that the half-move concerns, and begins others. `may_begin` says when the match began of an element
    /// that may begin now; `ended` gets the elements that end.
    pub fn travel<T>(
        &mut self,
        chain: &Chain,
        moment: &Moment,
        state: &mut T,
        may_begin: impl Fn(&mut T, usize) -> Began,
        mut ended: impl FnMut(&mut T, usize, Began),
    ) {
        let Some(played) = moment.played() else { return };
        let [from, to, taken_at] = [played.from, played.to, played.taken_at].map(|square| usize::from(square & 63));
        for word in 0..self.elements.len().div_ceil(64) {
            let on = |square: usize| self.on[square].0[word];
            let concerned = on(from) | on(to) | on(taken_at) | self.leave[from].0[word] & self.enter[to].0[word];
            for trip in ones(word, concerned) {
                let n = self.elements[trip];
                let What::Trip(steps) = &chain.elements[n].what else { continue };
                let began = may_begin(state, n);
                let begun = &mut self.begun[trip];
                let end = follow(steps, begun, moment, began);
                for square in [from, to, taken_at] {
                    let is_on = begun[square * steps.len()..(square + 1) * steps.len()].iter().any(Option::is_some);
                    mark(&mut self.on[square], &mut self.squares, trip, square, is_on);
                }
                if end.is_some() {
                    ended(state, n, end);
                }
            }
        }
    }

    /// Resets the state for a new game.
    pub fn clear(&mut self) {
        for square in ones(0, std::mem::take(&mut self.squares)) {
            for (word, bits) in self.on[square].0.iter_mut().enumerate() {
                for trip in ones(word, std::mem::take(bits)) {
                    let legs = self.begun[trip].len() / 64;
                    self.begun[trip][legs * square..legs * (square + 1)].fill(None);
                }
            }
        }
    }
}

fn mark(on: &mut Bits, squares: &mut u64, trip: usize, square: usize, is_on: bool) {
    if is_on {
        on.insert(trip);
        *squares |= 1 << square;
    } else {
        on.remove(trip);
        if on.is_empty() {
            *squares &= !(1 << square);
        }
    }
}

/// Moves the trips of one element that are under way, and begins one.
fn follow(steps: &[Step], squares: &mut [Began], moment: &Moment, began: Began) -> Began {
    let played = moment.played()?;
    let begins = began.filter(|_| steps[0].is_played(moment));
    let legs = steps.len();
    let row = |square: u8| usize::from(square & 63) * legs..(usize::from(square & 63) + 1) * legs;
    let mut ended = None;
    let (from, to) = (row(played.from), row(played.to));
    if played.en_passant {
        squares[row(played.taken_at)].fill(None);
    }
    if from != to {
        squares[to.clone()].fill(None);
    }
    // From the last leg on, so that none is moved twice; entry k has made k + 1 moves.
    for done in (1..legs).rev() {
        let under_way = squares[from.start + done - 1].take().filter(|_| steps[done].is_played(moment));
        if done + 1 == legs {
            ended = under_way;
        } else {
            squares[to.start + done] = under_way;
        }
    }
    squares[to.start] = begins;
    ended
}

/// The fewest trips that are followed together.
const FEWEST: usize = 6;

/// Trips that differ only in their squares, with a bit for each.
#[derive(Clone, Debug)]
pub(super) struct Route {
    /// The moves, from anywhere to anywhere.
    steps: Vec<Step>,
    /// Of each move the trips that it may begin on a square, and end on it.
    from: Vec<Masks<4>>,
    to: Vec<Masks<4>>,
    /// The elements in the order of the bits.
    pub elements: Vec<usize>,
    /// The first element, if the others follow it.
    first: Option<usize>,
}

impl Route {
    /// The routes that several trips of a chain take.
    pub fn all(chain: &Chain) -> Vec<Route> {
        let mut known: HashMap<Vec<Step>, Vec<usize>> = HashMap::new();
        for (n, element) in chain.elements.iter().enumerate() {
            if let What::Trip(steps) = &element.what {
                let anywhere = steps.iter().map(|step| Step { from: !0, to: !0, ..*step }).collect();
                known.entry(anywhere).or_default().push(n);
            }
        }
        let mut routes = Vec::new();
        for (steps, elements) in &known {
            for elements in elements.chunks(IMAGES).filter(|elements| elements.len() >= FEWEST && steps.len() > 1) {
                let squares = |leg: usize, which: fn(&Step) -> u64| {
                    *masks(elements.iter().map(|n| match &chain.elements[*n].what {
                        What::Trip(steps) => steps.get(leg).map_or(0, which),
                        _ => 0,
                    }))
                };
                let each = |which: fn(&Step) -> u64| (0..steps.len()).map(|leg| squares(leg, which)).collect();
                let first = elements[0];
                routes.push(Route {
                    from: each(|step| step.from),
                    to: each(|step| step.to),
                    steps: steps.clone(),
                    elements: elements.to_vec(),
                    first: elements.iter().enumerate().all(|(k, n)| *n == first + k).then_some(first),
                });
            }
        }
        routes.sort_by_key(|route| route.elements[0]);
        routes
    }

    /// Those trips whose element is in a set.
    fn of(&self, elements: &Bits, wanted: Plane<4>) -> Plane<4> {
        if let Some(first) = self.first {
            let word = |n: usize| elements.0.get(n).copied().unwrap_or(0);
            let (at, by) = (first / 64, first % 64);
            let bits = |n: usize| word(at + n) >> by | if by == 0 { 0 } else { word(at + n + 1) << (64 - by) };
            return and(wanted, std::array::from_fn(bits));
        }
        let mut found = wanted;
        for (word, bits) in wanted.iter().enumerate() {
            for n in ones(word, *bits) {
                if !elements.has(self.elements[n]) {
                    found[word] &= !(1 << (n % 64));
                }
            }
        }
        found
    }
}

/// The trips of routes that are under way. When they began is not asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Together {
    /// For each route and each number of moves made, the trips by square.
    begun: Vec<Vec<[Plane<4>; 64]>>,
    /// For each route the squares with trips under way.
    on: Vec<u64>,
}

impl Together {
    pub fn new(routes: &[Route]) -> Together {
        let begun = |route: &Route| vec![[[0; 4]; 64]; route.steps.len() - 1];
        Together { begun: routes.iter().map(begun).collect(), on: vec![0; routes.len()] }
    }

    /// Resets the state for a new game.
    pub fn clear(&mut self) {
        for (begun, on) in self.begun.iter_mut().zip(&mut self.on) {
            for square in ones(0, std::mem::take(on)) {
                begun.iter_mut().for_each(|leg| leg[square] = [0; 4]);
            }
        }
    }

    /// The squares with trips under way.
    pub fn squares(&self) -> u64 {
        self.on.iter().fold(0, |set, on| set | on)
    }

    /// Moves the trips that the half-move concerns, and begins those of live elements; adds the elements that end.
    pub fn travel(&mut self, routes: &[Route], moment: &Moment, live: &Bits, ended: &mut Bits) {
        let Some(played) = moment.played() else { return };
        let [from, to, taken_at] = [played.from, played.to, played.taken_at].map(|square| usize::from(square & 63));
        let here = 1u64 << from | 1 << to | 1 << taken_at;
        for (route, (begun, on)) in routes.iter().zip(self.begun.iter_mut().zip(&mut self.on)) {
            let last = route.steps.len() - 1;
            let step = |leg: usize| {
                let squares = || and(route.from[leg].by_square[from], route.to[leg].by_square[to]);
                if route.steps[leg].is_played(moment) { squares() } else { [0; 4] }
            };
            let mut begins = step(0);
            if !is_none(begins) {
                begins = route.of(live, begins);
            }
            if *on & here == 0 && is_none(begins) {
                continue;
            }
            if played.en_passant {
                begun.iter_mut().for_each(|leg| leg[taken_at] = [0; 4]);
            }
            if from != to {
                begun.iter_mut().for_each(|leg| leg[to] = [0; 4]);
            }
            // From the last leg on, so that none is moved twice; entry k has made k + 1 moves.
            for leg in (1..=last).rev() {
                let under_way = std::mem::take(&mut begun[leg - 1][from]);
                if is_none(under_way) {
                    continue;
                }
                let moved = and(under_way, step(leg));
                if leg < last {
                    begun[leg][to] = moved;
                    continue;
                }
                for (word, bits) in moved.iter().enumerate() {
                    ones(word, *bits).for_each(|n| ended.insert(route.elements[n]));
                }
            }
            begun[0][to] = begins;
            for square in [from, to, taken_at] {
                let is_on = begun.iter().any(|leg| !is_none(leg[square]));
                *on = *on & !(1 << square) | u64::from(is_on) << square;
            }
        }
    }
}
