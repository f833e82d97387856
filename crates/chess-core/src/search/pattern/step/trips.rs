//! Trips: the moves of one piece, with others in between.
//!
//! Takes the elements of a chain that are trips, and the half-moves of a game; reports which trips end. A half-move
//! concerns the trips that stand where a piece leaves, enters or is taken, and those that it may begin; bit masks by square
//! select them.

use super::bits::{Bits, ones};
use super::moment::Moment;
use crate::search::pattern::program::Step;
use crate::search::pattern::program::chain::{Chain, What};

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
    /// The trips among the elements of a chain.
    pub fn new(chain: &Chain) -> Trips {
        let mut trips = Trips::default();
        let mut all = Vec::new();
        for (n, element) in chain.elements.iter().enumerate() {
            if let What::Trip(steps) = &element.what {
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
