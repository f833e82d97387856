//! Finds where the first match of a chain ends, with one bit for each element.
//!
//! Takes a chain, the values of its conditions and the half-moves of a game in order; returns whether a match ends with a
//! half-move. When the match began is not asked, so that an element needs no more than a few bits: whether it may begin, and
//! at which of the last half-moves something before it ended. A pattern that is looked for everywhere on the board has hundreds
//! of elements; 64 of them are advanced by a few operations on words, as an automaton that is run bit by bit.
//!
//! Each element has a node of its own at the end of the program, in the order of the elements, so that the bits of
//! [`Values`] are those of the elements. A condition that many elements share is computed once instead. Conditions of a
//! [family](super::family) are judged together.
//!
//! Once a link is open that stays open, the elements before it retire for the rest of the game.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::bits::{Bits, ones};
use super::evaluate::Values;
use super::observe::Moment;
use super::program::{ALWAYS, At, NO_FAMILY, Program, Step, Watch};
use super::runs::FEW_AWAKE;
use super::time::{Chain, Input, Output, What};
use super::trips::{Route, Together, Trips};

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
    /// The elements that have a node of their own, which is judged by itself.
    own: Bits,
    /// The families of nodes, each with its elements; and all these elements.
    families: Vec<(u16, Elements)>,
    related: Bits,
    /// The nodes that many elements share, each with its elements.
    shared: Vec<(At, Elements)>,
}

/// Some elements.
#[derive(Clone, Debug)]
struct Elements {
    /// A bit for each word that has some, or for several.
    summary: u64,
    words: Vec<(usize, u64)>,
}

impl Elements {
    fn new(elements: &[usize]) -> Elements {
        let words = words_of(elements);
        Elements { summary: words.iter().fold(0, |set, (word, _)| set | 1 << (word % 64)), words }
    }

    /// Whether they include one of these, of which the summary is known.
    #[inline(always)]
    fn meet(&self, elements: &[u64], summary: u64) -> bool {
        self.summary & summary != 0 && self.words.iter().any(|(word, bits)| elements[*word] & bits != 0)
    }
}

impl Conditions {
    fn new(program: &mut Program, nodes: &[Option<At>]) -> Conditions {
        let mut users: HashMap<At, usize> = HashMap::new();
        let mut places: HashMap<At, usize> = HashMap::new();
        for at in nodes.iter().flatten() {
            *users.entry(*at).or_default() += 1;
        }
        let set = || Bits::new(nodes.len());
        let (first, mut shared) = (program.next_word(), Vec::<(At, Vec<usize>)>::new());
        let mut conditions = Conditions { first, own: set(), related: set(), ..Conditions::default() };
        for (n, at) in nodes.iter().enumerate() {
            let is_shared = at.is_none_or(|at| users[&at] > SHARED);
            program.put_copy(at.filter(|_| !is_shared));
            let Some(at) = *at else { continue };
            if !is_shared {
                conditions.own.insert(n);
                continue;
            }
            let place = *places.entry(at).or_insert(shared.len());
            match shared.get_mut(place) {
                Some((_, elements)) => elements.push(n),
                None => shared.push((at, vec![n])),
            }
        }
        conditions.shared = shared.into_iter().map(|(at, elements)| (at, Elements::new(&elements))).collect();
        conditions
    }

    /// Takes in which nodes belong to families.
    fn relate(&mut self, program: &Program, families: usize) {
        let mut elements: Vec<Vec<usize>> = vec![Vec::new(); families];
        for word in 0..self.own.0.len() {
            for n in ones(word, self.own.0[word]) {
                let family = program.entries[self.first + n].family;
                if family != NO_FAMILY {
                    elements[usize::from(family)].push(n);
                    self.own.remove(n);
                    self.related.insert(n);
                }
            }
        }
        let known = elements.iter().enumerate().filter(|(_, elements)| !elements.is_empty());
        self.families = known.map(|(family, elements)| (family as u16, Elements::new(elements))).collect();
    }

    /// Returns those of the given elements whose condition holds.
    fn true_of(&self, wanted: &[u64], held: &mut [u64], program: &Program, values: &mut Values, moment: &Moment) {
        let first = self.first / 64;
        let mut summary = 0;
        for (word, wanted) in wanted.iter().enumerate() {
            summary |= u64::from(*wanted != 0) << (word % 64);
        }
        for (family, elements) in &self.families {
            if elements.meet(wanted, summary) {
                values.tell(program, moment, *family);
            }
        }
        for (word, held) in held.iter_mut().enumerate() {
            *held = 0;
            if wanted[word] == 0 {
                continue;
            }
            let related = wanted[word] & self.related.0[word];
            if related != 0 {
                *held = related & values.told(first + word);
            }
            let wanted = wanted[word] & self.own.0[word];
            if wanted == 0 {
                continue;
            }
            for n in ones(first + word, wanted & values.unknown(first + word)) {
                values.holds(program, moment, n as At);
            }
            *held |= wanted & !values.unknown(first + word) & values.may_be_true(first + word);
        }
        for (at, elements) in &self.shared {
            if elements.meet(wanted, summary) && values.holds(program, moment, *at) {
                elements.words.iter().for_each(|(word, bits)| held[*word] |= wanted[*word] & bits);
            }
        }
    }

    /// Returns the nodes of elements that have one of their own.
    fn nodes(&self) -> Vec<At> {
        (0..64 * self.own.0.len()).filter(|n| self.own.has(*n)).map(|n| (self.first + n) as At).collect()
    }

    /// Returns the node of an element's condition.
    fn node(&self, n: usize) -> At {
        let has = |of: &[(usize, u64)]| of.iter().any(|(word, bits)| *word == n / 64 && bits >> (n % 64) & 1 == 1);
        let shared = || self.shared.iter().find(|(_, of)| has(&of.words)).map(|(at, _)| *at);
        let own = || (self.first + n) as At;
        if self.own.has(n) || self.related.has(n) { own() } else { shared().unwrap_or_else(own) }
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
    /// Elements that lead to few others: many of them equally far, or each somewhere else.
    chained: Bits,
    scattered: Bits,
    /// By word these elements, and how much later those stand.
    steps: Vec<Vec<(u64, usize)>>,
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
    /// Trips that differ only in their squares, and all elements that are among them.
    routes: Vec<Route>,
    trips: Bits,
    /// Elements behind a link that stays open.
    staying: Bits,
    /// For each link, the elements before it.
    feeders: Vec<Vec<usize>>,
    /// For each link, the elements behind it.
    followers: Vec<Vec<usize>>,
    /// The same as words of bits, for the other links; and all elements before them.
    joints: Vec<[Vec<(usize, u64)>; 2]>,
    joined: Bits,
}

/// Fewer elements of a word that lead equally far are followed one by one.
const FEW_STEPS: u32 = 4;
/// A link with more pairs of elements, one before it and one behind it, is followed once for all of them.
const FEW_PAIRS: usize = 9;

impl Plan {
    /// Returns the nodes that only this plan asks: those of conditions, and those of links.
    pub fn nodes(&self) -> [Vec<At>; 2] {
        [self.conditions.nodes(), self.guards.nodes()]
    }

    /// Takes in which nodes belong to families.
    pub fn relate(&mut self, program: &Program, families: usize) {
        self.conditions.relate(program, families);
        self.guards.relate(program, families);
    }

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
            scattered: set(),
            steps: vec![Vec::new(); count.div_ceil(64)],
            held: set(),
            lasting: set(),
            windows: vec![set(); longest as usize],
            stays: vec![set(); longest as usize],
            guarded: set(),
            conditions: Conditions::default(),
            guards: Conditions::default(),
            routes: Route::all(chain),
            trips: set(),
            staying: set(),
            feeders: of_links(),
            followers: of_links(),
            joints: Vec::new(),
            joined: set(),
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
                None => {
                    plan.stays[from as usize - 1].insert(n);
                    plan.staying.insert(n);
                }
            }
            if let Some(guard) = gap.while_ {
                plan.guarded.insert(n);
                guards[n] = Some(guard);
            }
        }
        let mut steps: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (feeders, followers) in plan.feeders.iter().zip(&plan.followers) {
            if feeders.len() * followers.len() <= FEW_PAIRS {
                for (feeder, follower) in feeders.iter().flat_map(|n| followers.iter().map(move |next| (n, next))) {
                    steps.entry(follower - feeder).or_default().push(*feeder);
                }
            } else {
                plan.joints.push([words_of(feeders), words_of(followers)]);
                feeders.iter().for_each(|n| plan.joined.insert(*n));
            }
        }
        for (by, elements) in steps {
            for (word, bits) in words_of(&elements) {
                if bits.count_ones() < FEW_STEPS {
                    plan.scattered.0[word] |= bits;
                    continue;
                }
                plan.steps[word].push((bits, by));
                plan.chained.0[word] |= bits;
            }
        }
        for route in &plan.routes {
            route.elements.iter().for_each(|n| plan.trips.insert(*n));
        }
        plan.conditions = Conditions::new(program, &conditions);
        if !plan.guarded.is_empty() {
            plan.guards = Conditions::new(program, &guards);
        }
        Some(plan)
    }
}

/// These elements as words of bits.
fn words_of(elements: &[usize]) -> Vec<(usize, u64)> {
    super::program::words_of(&elements.iter().map(|n| *n as At).collect::<Vec<At>>())
}

/// The progress of all matches in the current game.
#[derive(Clone, Debug)]
pub(super) struct Front {
    /// For each of the last half-moves, the latest first: the elements before which another element ended then.
    history: Vec<Bits>,
    /// Which entries of the history may have bits.
    recent: u32,
    /// Elements that may begin now and at any later half-move.
    open: Bits,
    /// Elements that no match needs any more, and how many of those behind a link have not retired.
    retired: Bits,
    needed: Vec<u32>,
    /// Links before which all have retired.
    passed: Bits,
    /// Held elements whose condition holds, and since when; none of them ends before the half-move `due`.
    holding: Bits,
    /// Of these, those that have held for their time.
    ripe: Bits,
    since: Vec<u32>,
    due: u32,
    /// Elements behind a link whose condition holds, and the half-moves at which they have begun.
    busy: Bits,
    begun: Vec<VecDeque<u32>>,
    trips: Trips,
    together: Together,
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
            recent: 0,
            passed: Bits::new(plan.feeders.len()),
            open: set(),
            retired: set(),
            needed: Vec::new(),
            holding: set(),
            ripe: set(),
            since: vec![0; count],
            due: u32::MAX,
            busy: set(),
            begun: vec![VecDeque::new(); if plan.lasting.is_empty() { 0 } else { count }],
            trips: Trips::new(chain, |n| !plan.trips.has(n)),
            together: Together::new(&plan.routes),
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
        self.recent = 0;
        for set in [&mut self.open, &mut self.retired, &mut self.holding, &mut self.ripe, &mut self.passed] {
            set.0.fill(0);
        }
        self.due = u32::MAX;
        self.needed.clear();
        self.needed.extend(plan.followers.iter().map(|followers| followers.len() as u32));
        self.trips.clear();
        self.together.clear();
    }

    /// Returns whether the next half-move must be judged even if it changes nothing on the board.
    fn is_timed(&self) -> bool {
        self.recent != 0 && self.history.iter().any(|history| !history.is_empty())
            || !self.holding.is_empty()
            || !self.busy.is_empty()
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
        self.live.0.copy_from_slice(&plan.starts.0);
        for n in ones(0, self.recent.into()) {
            let (history, window, stays) = (&self.history[n].0, &plan.windows[n].0, &plan.stays[n].0);
            for (word, history) in history.iter().enumerate().filter(|(_, history)| **history != 0) {
                self.live.0[word] |= history & window[word];
                self.open.0[word] |= history & stays[word];
            }
        }
        let states = self.open.0.iter().zip(&self.retired.0).zip(&self.busy.0);
        for ((live, wanted), ((open, retired), busy)) in self.live.0.iter_mut().zip(&mut self.wanted.0).zip(states) {
            *live = (*live | open) & !retired;
            *wanted = *live | busy;
        }
        plan.conditions.true_of(&self.wanted.0, &mut self.holds.0, program, values, moment);
        let conditions = self.holds.0.iter().zip(&plan.moments.0);
        for ((ended, live), (holds, moments)) in self.ended.0.iter_mut().zip(&self.live.0).zip(conditions) {
            *ended = live & holds & moments;
        }
        self.hold(plan, chain, moment.ply);
        self.last(plan, chain, moment.ply);
        if !self.trips.is_empty() {
            let mut trips = std::mem::take(&mut self.trips);
            let may_begin = |front: &mut Front, n: usize| front.live.has(n).then_some(0);
            trips.travel(chain, moment, self, may_begin, |front, n, _| front.ended.insert(n));
            self.trips = trips;
        }
        self.together.travel(&plan.routes, moment, &self.live, &mut self.ended);
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
        if plan.held.is_empty() {
            return;
        }
        for word in 0..self.holding.0.len() {
            let held = self.live.0[word] & self.holds.0[word] & plan.held.0[word];
            for n in ones(word, held & !self.holding.0[word]) {
                self.since[n] = now;
                self.due = self.due.min(end_of(chain, n, now));
            }
            self.holding.0[word] = held;
            self.ripe.0[word] &= held;
            self.ended.0[word] |= self.ripe.0[word];
        }
        if now < self.due {
            return;
        }
        self.due = u32::MAX;
        for word in 0..self.holding.0.len() {
            for n in ones(word, self.holding.0[word] & !self.ripe.0[word]) {
                let end = end_of(chain, n, self.since[n]);
                if end <= now {
                    self.ended.insert(n);
                    self.ripe.insert(n);
                } else {
                    self.due = self.due.min(end);
                }
            }
        }
    }

    /// Advances the elements behind a link whose condition must hold for some time.
    fn last(&mut self, plan: &Plan, chain: &Chain, now: u32) {
        if plan.lasting.is_empty() {
            return;
        }
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
        self.arrived.0.fill(0);
        let mut is_joined = false;
        for (word, ended) in self.ended.0.iter().enumerate().filter(|(_, ended)| **ended != 0) {
            is_joined |= ended & plan.joined.0[word] != 0;
            for n in ones(word, ended & plan.scattered.0[word]) {
                if let Output::Link(link) = chain.elements[n].output {
                    plan.followers[link].iter().for_each(|next| self.arrived.insert(*next));
                }
            }
            if ended & plan.chained.0[word] == 0 {
                continue;
            }
            for (elements, by) in plan.steps[word].iter().filter(|(elements, _)| ended & elements != 0) {
                let (bits, words, by) = (ended & elements, by / 64, by % 64);
                self.arrived.0[word + words] |= bits << by;
                if by != 0 && bits >> (64 - by) != 0 {
                    self.arrived.0[word + words + 1] |= bits >> (64 - by);
                }
            }
        }
        for [feeders, followers] in plan.joints.iter().filter(|_| is_joined) {
            if feeders.iter().any(|(word, bits)| self.ended.0[*word] & bits != 0) {
                followers.iter().for_each(|(word, bits)| self.arrived.0[*word] |= bits);
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
        self.recent = (self.recent << 1) & ((1 << self.history.len()) - 1);
        for word in 0..self.arrived.0.len() {
            let arrived = self.arrived.0[word] & !self.open.0[word] & !self.retired.0[word];
            // The next half-move is at least one later.
            let opens = arrived & plan.stays[0].0[word];
            self.open.0[word] |= opens;
            self.history[0].0[word] = arrived & !opens;
            self.recent |= u32::from(arrived & !opens != 0);
            for n in ones(word, arrived & plan.staying.0[word] & !plan.guarded.0[word]) {
                if let Input::Link(link) = chain.elements[n].input {
                    self.retire_feeders(plan, chain, link);
                }
            }
        }
    }

    /// Retires the elements before a link that stays open, and those that lead only to retired ones.
    fn retire_feeders(&mut self, plan: &Plan, chain: &Chain, link: usize) {
        if self.passed.has(link) {
            return;
        }
        self.passed.insert(link);
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
        let mut count = 0;
        for word in 0..words {
            count += live(word).count_ones();
            if count > FEW_AWAKE {
                return Watch::ALWAYS;
            }
        }
        let on = self.trips.squares() | self.together.squares();
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
