//! Finds where the first match of a chain ends, with one bit for each element.
//!
//! Takes a chain, the values of its conditions and the half-moves of a game in order; returns whether a match ends with a
//! half-move. When the match began is not asked, so that an element needs no more than a few bits: whether it may begin, and
//! at which of the last half-moves something before it ended. A pattern that is looked for everywhere on the board has hundreds
//! of elements; 64 of them are advanced by a few operations on words, as an automaton that is run bit by bit.
//!
//! Each element has a node of its own at the end of the program, in the order of the elements, so that the bits of
//! [`Values`] are those of the elements. A condition that many elements share is computed once instead.
//!
//! Once a link is open that stays open, the elements before it retire for the rest of the game.

use std::collections::{HashMap, VecDeque};

use super::bits::{Bits, ones};
use super::evaluate::Values;
use super::observe::Moment;
use super::program::{ALWAYS, At, Program, Step, Watch};
use super::runs::FEW_AWAKE;
use super::time::{Chain, Input, Output, What};
use super::trips::Trips;

/// The longest time between two elements, in half-moves, that this file can track. [`super::runs`] follows chains with
/// longer times.
const LONGEST: u32 = 8;
/// How many elements a chain may have here. Shorter chains are faster in [`super::runs`]; in longer ones the numbers of
/// nodes, which have 16 bits, could run out.
const COUNT: std::ops::RangeInclusive<usize> = 16..=4096;
/// A condition that more elements share than this is computed once for all.
const SHARED: usize = 4;

/// Maps elements to the nodes of their conditions.
#[derive(Clone, Debug, Default)]
struct Conditions {
    /// The node of the first element. The nodes of the other elements follow it.
    first: usize,
    /// The elements that have a node of their own.
    own: Bits,
    /// The nodes that many elements share, each with its elements.
    shared: Vec<(At, Bits)>,
}

impl Conditions {
    fn new(program: &mut Program, nodes: &[Option<At>]) -> Conditions {
        let mut users: HashMap<At, usize> = HashMap::new();
        for at in nodes.iter().flatten() {
            *users.entry(*at).or_default() += 1;
        }
        let mut conditions = Conditions { first: program.next_word(), own: Bits::new(nodes.len()), shared: Vec::new() };
        for (n, at) in nodes.iter().enumerate() {
            let is_shared = at.is_none_or(|at| users[&at] > SHARED);
            program.put_copy(at.filter(|_| !is_shared));
            let Some(at) = *at else { continue };
            if !is_shared {
                conditions.own.insert(n);
                continue;
            }
            let place = conditions.shared.iter().position(|(known, _)| *known == at).unwrap_or_else(|| {
                conditions.shared.push((at, Bits::new(nodes.len())));
                conditions.shared.len() - 1
            });
            conditions.shared[place].1.insert(n);
        }
        conditions
    }

    /// Returns those of the given elements whose condition holds.
    fn true_of(&self, wanted: &[u64], held: &mut [u64], program: &Program, values: &mut Values, moment: &Moment) {
        let first = self.first / 64;
        for (word, held) in held.iter_mut().enumerate() {
            let wanted = wanted[word] & self.own.0[word];
            *held = 0;
            if wanted == 0 {
                continue;
            }
            for n in ones(first + word, wanted & values.unknown(first + word)) {
                values.holds(program, moment, n as At);
            }
            *held = wanted & !values.unknown(first + word) & values.may_be_true(first + word);
        }
        for (at, of) in &self.shared {
            let is_wanted = wanted.iter().zip(&of.0).any(|(wanted, of)| wanted & of != 0);
            if is_wanted && values.holds(program, moment, *at) {
                for (held, (wanted, of)) in held.iter_mut().zip(wanted.iter().zip(&of.0)) {
                    *held |= wanted & of;
                }
            }
        }
    }

    /// Returns the node of an element's condition.
    fn node(&self, n: usize) -> At {
        let shared = || self.shared.iter().find(|(_, of)| of.has(n)).map(|(at, _)| *at);
        let own = || (self.first + n) as At;
        if self.own.has(n) { own() } else { shared().unwrap_or_else(own) }
    }
}

/// The part that is the same for all games: masks of elements by their role.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Elements that may begin at any half-move.
    starts: Bits,
    /// Elements whose condition must hold at one half-move only.
    moments: Bits,
    /// Elements that end a match.
    matches: Bits,
    /// Elements that lead only to the next one, to which no other element leads.
    chained: Bits,
    /// Elements `C for n` that may begin at any half-move.
    held: Bits,
    /// Elements `C for n` behind a link.
    lasting: Bits,
    /// Entry n: the elements that may begin n + 1 half-moves after an element before them has ended.
    windows: Vec<Bits>,
    /// Entry n: the elements that may begin at any time from n + 1 half-moves after on.
    stays: Vec<Bits>,
    /// Elements behind a link that only a condition keeps open.
    guarded: Bits,
    conditions: Conditions,
    guards: Conditions,
    /// For each link, the elements before it.
    feeders: Vec<Vec<usize>>,
    /// For each link, the elements behind it.
    followers: Vec<Vec<usize>>,
}

impl Plan {
    /// Makes the plan of a chain; `None` if its times exceed [`LONGEST`] or its length is outside [`COUNT`].
    pub fn new(program: &mut Program, chain: &Chain) -> Option<Plan> {
        let times = chain.gaps.iter().map(|gap| gap.to.unwrap_or(gap.from).max(gap.from).max(1));
        let longest = times.max().unwrap_or(1);
        let count = chain.elements.len();
        if longest > LONGEST || !COUNT.contains(&count) {
            return None;
        }
        let set = || Bits::new(count);
        let of_links = || vec![Vec::new(); chain.gaps.len()];
        let mut plan = Plan {
            starts: set(),
            moments: set(),
            matches: set(),
            chained: set(),
            held: set(),
            lasting: set(),
            windows: vec![set(); longest as usize],
            stays: vec![set(); longest as usize],
            guarded: set(),
            conditions: Conditions::default(),
            guards: Conditions::default(),
            feeders: of_links(),
            followers: of_links(),
        };
        let (mut conditions, mut guards) = (vec![None; count], vec![None; count]);
        for (n, element) in chain.elements.iter().enumerate() {
            match &element.what {
                What::Moment(at) => {
                    plan.moments.insert(n);
                    conditions[n] = Some(*at);
                }
                What::Lasting(at, _) => {
                    let is_start = matches!(element.input, Input::Always);
                    if is_start { &mut plan.held } else { &mut plan.lasting }.insert(n);
                    conditions[n] = Some(*at);
                }
                What::Trip(_) => {}
            }
            match element.output {
                Output::Match => plan.matches.insert(n),
                Output::Link(link) => plan.feeders[link].push(n),
            }
            let Input::Link(link) = element.input else {
                plan.starts.insert(n);
                continue;
            };
            plan.followers[link].push(n);
            let gap = chain.gaps[link];
            let from = gap.from.max(1);
            match gap.to {
                Some(to) => (from..=to).for_each(|time| plan.windows[time as usize - 1].insert(n)),
                None => plan.stays[from as usize - 1].insert(n),
            }
            if let Some(guard) = gap.while_ {
                plan.guarded.insert(n);
                guards[n] = Some(guard);
            }
        }
        for (feeders, followers) in plan.feeders.iter().zip(&plan.followers) {
            if let ([feeder], [follower]) = (feeders.as_slice(), followers.as_slice())
                && feeder + 1 == *follower
            {
                plan.chained.insert(*feeder);
            }
        }
        plan.conditions = Conditions::new(program, &conditions);
        if !plan.guarded.is_empty() {
            plan.guards = Conditions::new(program, &guards);
        }
        Some(plan)
    }
}

/// The progress of all matches in the current game.
#[derive(Clone, Debug)]
pub(super) struct Front {
    /// For each of the last half-moves, the latest first: the elements before which another element ended then.
    history: Vec<Bits>,
    /// Elements that may begin now and at any later half-move.
    open: Bits,
    /// Elements that no match needs any more, and how many of those behind a link have not retired.
    retired: Bits,
    needed: Vec<u32>,
    /// Held elements whose condition holds, and since when; none of them ends before the half-move `due`.
    holding: Bits,
    since: Vec<u32>,
    due: u32,
    /// Elements behind a link whose condition holds, and the half-moves at which they have begun.
    busy: Bits,
    begun: Vec<VecDeque<u32>>,
    trips: Trips,
    /// Of the half-move at hand: which elements may begin, whose condition is asked and holds, which end, and before
    /// which something has ended.
    live: Bits,
    wanted: Bits,
    holds: Bits,
    ended: Bits,
    arrived: Bits,
}

impl Front {
    pub fn new(plan: &Plan, chain: &Chain) -> Front {
        let count = chain.elements.len();
        let set = || Bits::new(count);
        let mut front = Front {
            history: vec![set(); plan.windows.len()],
            open: set(),
            retired: set(),
            needed: Vec::new(),
            holding: set(),
            since: vec![0; count],
            due: u32::MAX,
            busy: set(),
            begun: vec![VecDeque::new(); if plan.lasting.is_empty() { 0 } else { count }],
            trips: Trips::new(chain),
            live: set(),
            wanted: set(),
            holds: set(),
            ended: set(),
            arrived: set(),
        };
        front.reset(plan);
        front
    }

    /// Resets the state for a new game.
    pub fn reset(&mut self, plan: &Plan) {
        for history in &mut self.history {
            history.0.fill(0);
        }
        for (word, bits) in self.busy.0.iter_mut().enumerate() {
            for n in ones(word, std::mem::take(bits)) {
                self.begun[n].clear();
            }
        }
        for set in [&mut self.open, &mut self.retired, &mut self.holding] {
            set.0.fill(0);
        }
        self.due = u32::MAX;
        self.needed.clear();
        self.needed.extend(plan.followers.iter().map(|followers| followers.len() as u32));
        self.trips.clear();
    }

    /// Returns whether the next half-move must be judged even if it changes nothing on the board.
    fn is_timed(&self) -> bool {
        !self.holding.is_empty() || !self.busy.is_empty() || self.history.iter().any(|history| !history.is_empty())
    }

    /// Advances by one half-move and returns whether a match ends with it.
    pub fn advance(
        &mut self,
        plan: &Plan,
        chain: &Chain,
        program: &Program,
        values: &mut Values,
        moment: &Moment,
    ) -> bool {
        for word in 0..self.live.0.len() {
            let mut live = plan.starts.0[word];
            for (history, (window, stays)) in self.history.iter().zip(plan.windows.iter().zip(&plan.stays)) {
                live |= history.0[word] & window.0[word];
                self.open.0[word] |= history.0[word] & stays.0[word];
            }
            self.live.0[word] = (live | self.open.0[word]) & !self.retired.0[word];
            self.wanted.0[word] = self.live.0[word] | self.busy.0[word];
        }
        plan.conditions.true_of(&self.wanted.0, &mut self.holds.0, program, values, moment);
        for word in 0..self.live.0.len() {
            self.ended.0[word] = self.live.0[word] & self.holds.0[word] & plan.moments.0[word];
        }
        self.hold(plan, chain, moment.ply);
        self.last(plan, chain, moment.ply);
        if !self.trips.is_empty() {
            let mut trips = std::mem::take(&mut self.trips);
            let may_begin = |front: &mut Front, n: usize| front.live.has(n).then_some(0);
            trips.travel(chain, moment, self, may_begin, |front, n, _| front.ended.insert(n));
            self.trips = trips;
        }
        if self.ended.0.iter().zip(&plan.matches.0).any(|(ended, matches)| ended & matches != 0) {
            return true;
        }
        self.arrive(plan, chain);
        self.keep(plan, program, values, moment);
        self.remember(plan, chain);
        false
    }

    /// Ends the held elements whose condition has held long enough.
    fn hold(&mut self, plan: &Plan, chain: &Chain, now: u32) {
        for word in 0..self.holding.0.len() {
            let held = self.live.0[word] & self.holds.0[word] & plan.held.0[word];
            for n in ones(word, held & !self.holding.0[word]) {
                self.since[n] = now;
                self.due = self.due.min(end_of(chain, n, now));
            }
            self.holding.0[word] = held;
        }
        if now < self.due {
            return;
        }
        self.due = u32::MAX;
        for word in 0..self.holding.0.len() {
            for n in ones(word, self.holding.0[word]) {
                let end = end_of(chain, n, self.since[n]);
                if end <= now {
                    self.ended.insert(n);
                }
                self.due = self.due.min(end.max(now + 1));
            }
        }
    }

    /// Advances the elements behind a link whose condition must hold for some time.
    fn last(&mut self, plan: &Plan, chain: &Chain, now: u32) {
        for word in 0..self.busy.0.len() {
            let holds = self.holds.0[word] & plan.lasting.0[word];
            for n in ones(word, self.busy.0[word] & !holds) {
                self.begun[n].clear();
            }
            self.busy.0[word] = holds;
            for n in ones(word, holds) {
                let begun = &mut self.begun[n];
                if self.live.has(n) {
                    begun.push_back(now);
                }
                if begun.front().is_some_and(|since| end_of(chain, n, *since) <= now) {
                    begun.pop_front();
                    self.ended.insert(n);
                }
                if begun.is_empty() {
                    self.busy.remove(n);
                }
            }
        }
    }

    /// Lets the elements begin that follow those that have ended.
    fn arrive(&mut self, plan: &Plan, chain: &Chain) {
        let mut carry = 0;
        for word in 0..self.arrived.0.len() {
            let chained = self.ended.0[word] & plan.chained.0[word];
            self.arrived.0[word] = chained << 1 | carry;
            carry = chained >> 63;
        }
        for word in 0..self.ended.0.len() {
            for n in ones(word, self.ended.0[word] & !plan.chained.0[word]) {
                if let Output::Link(link) = chain.elements[n].output {
                    for follower in &plan.followers[link] {
                        self.arrived.insert(*follower);
                    }
                }
            }
        }
    }

    /// Closes the links whose condition fails at this half-move.
    fn keep(&mut self, plan: &Plan, program: &Program, values: &mut Values, moment: &Moment) {
        if plan.guarded.is_empty() {
            return;
        }
        for word in 0..self.wanted.0.len() {
            let known = self.history.iter().fold(self.open.0[word], |known, history| known | history.0[word]);
            self.wanted.0[word] = known & plan.guarded.0[word] & !self.retired.0[word];
        }
        plan.guards.true_of(&self.wanted.0, &mut self.holds.0, program, values, moment);
        for word in 0..self.wanted.0.len() {
            let failed = self.wanted.0[word] & !self.holds.0[word];
            self.open.0[word] &= !failed;
            for history in &mut self.history {
                history.0[word] &= !failed;
            }
        }
    }

    /// Records which elements have ended at this half-move.
    fn remember(&mut self, plan: &Plan, chain: &Chain) {
        self.history.rotate_right(1);
        for word in 0..self.arrived.0.len() {
            let arrived = self.arrived.0[word] & !self.open.0[word] & !self.retired.0[word];
            // The next half-move is at least one later.
            let opens = arrived & plan.stays[0].0[word];
            self.open.0[word] |= opens;
            self.history[0].0[word] = arrived & !opens;
            let stays = plan.stays.iter().fold(0, |stays, of| stays | of.0[word]);
            for n in ones(word, arrived & stays & !plan.guarded.0[word]) {
                if let Input::Link(link) = chain.elements[n].input {
                    self.retire_feeders(plan, chain, link);
                }
            }
        }
    }

    /// Retires the elements before a link that stays open, and those that lead only to retired ones.
    fn retire_feeders(&mut self, plan: &Plan, chain: &Chain, link: usize) {
        for n in &plan.feeders[link] {
            if self.retired.has(*n) {
                continue;
            }
            self.retired.insert(*n);
            self.busy.remove(*n);
            self.holding.remove(*n);
            if let Some(begun) = self.begun.get_mut(*n) {
                begun.clear();
            }
            if let Input::Link(before) = chain.elements[*n].input {
                self.needed[before] -= 1;
                if self.needed[before] == 0 {
                    self.retire_feeders(plan, chain, before);
                }
            }
        }
    }

    /// Returns which changes can matter next: half-moves without one of them can be skipped.
    pub fn watch(&self, plan: &Plan, chain: &Chain, values: &Values) -> Watch {
        if self.is_timed() {
            return Watch::ALWAYS;
        }
        let live = |word: usize| (plan.starts.0[word] | self.open.0[word]) & !self.retired.0[word];
        let words = self.open.0.len();
        if (0..words).map(|word| live(word).count_ones()).sum::<u32>() > FEW_AWAKE {
            return Watch::ALWAYS;
        }
        let on = self.trips.squares();
        let mut watch = if on == 0 { Watch::NEVER } else { Watch::of(ALWAYS, on) };
        for word in 0..words {
            for n in ones(word, live(word)) {
                watch = watch.or(match &chain.elements[n].what {
                    What::Moment(_) | What::Lasting(..) => values.awaited(plan.conditions.node(n)),
                    What::Trip(steps) => steps.first().map_or(Watch::NEVER, Step::watch),
                });
            }
            for n in ones(word, self.open.0[word] & plan.guarded.0[word] & !self.retired.0[word]) {
                watch = watch.or(values.kept(plan.guards.node(n)));
            }
        }
        watch
    }
}

/// Returns the half-move at which an element ends, given the half-move since which its condition holds.
fn end_of(chain: &Chain, n: usize, since: u32) -> u32 {
    match chain.elements[n].what {
        What::Lasting(_, half_moves) => since.saturating_add(half_moves).saturating_sub(1),
        _ => u32::MAX,
    }
}
