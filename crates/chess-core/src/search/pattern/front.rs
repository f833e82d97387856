//! Finds where the first match of a chain ends, with a few bits for each element.
//!
//! Takes a [plan](super::plan) of the chain, the values of its conditions and the half-moves of a game in order; returns
//! whether a match ends with a half-move. When the match began is not asked, so that two things are enough to know of an
//! element: whether it may begin, and at which of the last half-moves something before it has ended. 64 elements are
//! advanced by a few operations on words, and words in which nothing may begin are not visited.
//!
//! Some links stay open once they are open. The elements before such a link then have nothing left to do in this game:
//! they *retire*.

use std::collections::VecDeque;

use super::bits::{Bits, ones};
use super::evaluate::Values;
use super::observe::Moment;
use super::plan::{Elements, LONGEST, Plan};
use super::program::{ALWAYS, Program, Watch};
use super::runs::FEW_AWAKE;
use super::time::{Chain, Input, Output, What};
use super::trips::{Together, Trips};

/// Where so many half-moves on end had to be judged, the next ones are judged without asking: what is waited for is
/// likely to be frequent, and to find it out costs as much as a judgement.
const IN_A_ROW: u32 = 4;
const PATIENCE: u32 = 8;

/// The progress of 64 elements in the current game.
#[derive(Clone, Debug, Default)]
struct Progress {
    /// They may begin now and at any later half-move.
    open: u64,
    /// No match needs them any more.
    retired: u64,
    /// For each of the last half-moves: the elements whose predecessor ended there. [`ago`] gives the index.
    history: [u64; LONGEST],
    /// Bit n: the entry of n + 1 half-moves ago is not empty.
    recent: u32,
    /// Held elements whose condition holds; and of these, those that have held for their time.
    holding: u64,
    ripe: u64,
    /// Lasting elements that have begun.
    busy: u64,
}

/// The progress of all matches in the current game.
#[derive(Clone, Debug)]
pub(super) struct Front {
    words: Vec<Progress>,
    /// The words that have an element that may begin, or has begun; of these, those with a history, with a held element
    /// whose condition holds, and with a lasting element that has begun.
    alive: u64,
    timed: u64,
    holding: u64,
    busy: u64,
    /// The words in which other elements may begin than at the half-move before.
    stale: u64,
    /// The entry of the histories that this half-move writes.
    place: usize,
    /// The half-move at which [`Front::watch`] was last found out, for how many half-moves on end it has been, and for
    /// how many it is not.
    watched: u32,
    in_a_row: u32,
    patience: u32,
    /// For each link, the number of elements behind it that have not retired.
    needed: Vec<u32>,
    /// Links before which all have retired.
    passed: Bits,
    /// Since when held elements hold; none of them ends before the half-move `due`.
    since: Vec<u32>,
    due: u32,
    /// The half-moves at which lasting elements have begun.
    begun: Vec<VecDeque<u32>>,
    trips: Trips,
    together: Together,
    /// Of the half-move at hand: which elements may begin, whose condition is asked and holds, which end, and before
    /// which something has ended. All are empty in words that nothing concerns.
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
        let lasts = plan.roles.iter().any(|roles| roles.lasting != 0);
        let mut front = Front {
            words: vec![Progress::default(); plan.roles.len()],
            alive: 0,
            timed: 0,
            holding: 0,
            busy: 0,
            stale: 0,
            place: 0,
            watched: 0,
            in_a_row: 0,
            patience: 0,
            needed: Vec::new(),
            passed: Bits::new(plan.feeders.len()),
            since: vec![0; count],
            due: u32::MAX,
            begun: vec![VecDeque::new(); if lasts { count } else { 0 }],
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
        for (word, progress) in self.words.iter_mut().enumerate() {
            for n in ones(word, progress.busy) {
                self.begun[n].clear();
            }
            *progress = Progress::default();
        }
        for set in [&mut self.live, &mut self.wanted, &mut self.ended, &mut self.arrived, &mut self.passed] {
            set.0.fill(0);
        }
        (self.alive, self.stale, self.place, self.due) = (plan.starting, plan.starting, 0, u32::MAX);
        (self.timed, self.holding, self.busy) = (0, 0, 0);
        (self.watched, self.in_a_row, self.patience) = (0, 0, 0);
        self.needed.clone_from(&plan.needed);
        self.trips.clear();
        self.together.clear();
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
        self.may_begin(plan);
        plan.conditions.true_of(self.alive, &self.wanted.0, &mut self.holds.0, (program, values, moment));
        let in_words = self.end(plan, chain, moment.ply) | plan.travelling;
        if plan.travelling != 0 {
            let Front { trips, together, live, ended, .. } = self;
            if !trips.is_empty() {
                let may_begin = |_: &mut Bits, n: usize| live.has(n).then_some(0);
                trips.travel(chain, moment, ended, may_begin, |ended, n, _| ended.insert(n));
            }
            together.travel(&plan.routes, moment, live, ended);
        }
        let Some(arrived) = self.arrive(plan, chain, in_words) else { return true };
        if plan.guarded & (self.alive | self.timed) != 0 {
            self.keep(plan, program, values, moment);
        }
        self.remember(plan, chain, arrived);
        false
    }

    /// Finds out which elements may begin at this half-move, and whose condition is asked.
    fn may_begin(&mut self, plan: &Plan) {
        for word in ones(0, std::mem::take(&mut self.stale) | self.timed) {
            let (roles, progress) = (&plan.roles[word], &mut self.words[word]);
            let mut live = roles.starts;
            for n in ones(0, (progress.recent & roles.asked).into()) {
                let ended = progress.history[ago(self.place, n)];
                live |= ended & roles.windows[n % LONGEST];
                progress.open |= ended & roles.stays[n % LONGEST];
            }
            live = (live | progress.open) & !progress.retired;
            (self.live.0[word], self.wanted.0[word]) = (live, live | progress.busy);
            let bit = 1 << word;
            if progress.recent != 0 {
                self.stale |= bit;
            }
            if live | progress.busy == 0 { self.alive &= !bit } else { self.alive |= bit }
        }
    }

    /// Ends elements whose condition holds, or has held long enough. Returns their words.
    fn end(&mut self, plan: &Plan, chain: &Chain, now: u32) -> u64 {
        let mut in_words = 0;
        for word in ones(0, self.alive) {
            let (roles, holds) = (&plan.roles[word], self.holds.0[word]);
            if holds | (self.holding | self.busy) >> word & 1 == 0 {
                continue;
            }
            let live = self.live.0[word];
            self.ended.0[word] = live & holds & roles.moments;
            if roles.held != 0 {
                let progress = &mut self.words[word];
                let held = live & holds & roles.held;
                for n in ones(word, held & !progress.holding) {
                    self.since[n] = now;
                    self.due = self.due.min(end_of(chain, n, now));
                }
                progress.holding = held;
                progress.ripe &= held;
                self.ended.0[word] |= progress.ripe;
                self.holding = self.holding & !(1 << word) | u64::from(held != 0) << word;
            }
            if roles.lasting & self.wanted.0[word] != 0 {
                self.last(chain, word, holds & roles.lasting, now);
            }
            in_words |= u64::from(self.ended.0[word] != 0) << word;
        }
        if now >= self.due {
            in_words |= self.holding;
            self.ripen(chain, now);
        }
        in_words
    }

    /// Ends the held elements whose time has come.
    fn ripen(&mut self, chain: &Chain, now: u32) {
        self.due = u32::MAX;
        for word in ones(0, self.holding) {
            let progress = &mut self.words[word];
            for n in ones(word, progress.holding & !progress.ripe) {
                let end = end_of(chain, n, self.since[n]);
                if end <= now {
                    self.ended.insert(n);
                    progress.ripe |= 1 << (n % 64);
                } else {
                    self.due = self.due.min(end);
                }
            }
        }
    }

    /// Advances the lasting elements of a word, of which these conditions hold.
    fn last(&mut self, chain: &Chain, word: usize, holds: u64, now: u32) {
        let progress = &mut self.words[word];
        for n in ones(word, progress.busy & !holds) {
            self.begun[n].clear();
        }
        progress.busy = holds;
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
                progress.busy &= !(1 << (n % 64));
            }
        }
        self.busy = self.busy & !(1 << word) | u64::from(progress.busy != 0) << word;
        self.stale |= 1 << word;
    }

    /// Lets the elements begin that follow those that have ended, in the given words; returns their words, or `None` if a
    /// match has ended.
    fn arrive(&mut self, plan: &Plan, chain: &Chain, in_words: u64) -> Option<u64> {
        let (mut words, mut is_joined) = (0, false);
        for word in ones(0, in_words) {
            let (ended, roles) = (self.ended.0[word], &plan.roles[word]);
            if ended == 0 {
                continue;
            }
            if ended & roles.matches != 0 {
                return None;
            }
            is_joined |= ended & roles.joined != 0;
            for n in ones(word, ended & roles.scattered) {
                if let Output::Link(link) = chain.elements[n].output {
                    let followers = &plan.followers[link];
                    followers.words.iter().for_each(|(word, bits)| self.arrived.0[*word] |= bits);
                    words |= followers.in_words;
                }
            }
            if ended & roles.chained == 0 {
                continue;
            }
            for (elements, by) in roles.steps.iter().filter(|(elements, _)| ended & elements != 0) {
                let (bits, at, by) = (ended & elements, word + by / 64, by % 64);
                self.arrived.0[at] |= bits << by;
                words |= 1 << at;
                if by != 0 && bits >> (64 - by) != 0 {
                    self.arrived.0[at + 1] |= bits >> (64 - by);
                    words |= 1 << (at + 1);
                }
            }
        }
        if is_joined {
            let are_met = |(feeders, _): &&(Elements, usize)| feeders.meet(in_words, &self.ended.0);
            for (_, link) in plan.joints.iter().filter(are_met) {
                let followers = &plan.followers[*link];
                followers.words.iter().for_each(|(word, bits)| self.arrived.0[*word] |= bits);
                words |= followers.in_words;
            }
        }
        for word in ones(0, in_words) {
            self.ended.0[word] = 0;
        }
        Some(words)
    }

    /// Closes the links whose condition fails at this half-move.
    fn keep(&mut self, plan: &Plan, program: &Program, values: &mut Values, moment: &Moment) {
        let in_words = plan.guarded & (self.alive | self.timed);
        // Those that have ended have been dealt with.
        let mut wanted = std::mem::take(&mut self.ended);
        for word in ones(0, in_words) {
            let (roles, progress) = (&plan.roles[word], &self.words[word]);
            let recent = ones(0, progress.recent.into()).map(|n| progress.history[ago(self.place, n)]);
            let known = recent.fold(progress.open, |known, ended| known | ended);
            wanted.0[word] = known & roles.guarded & !progress.retired;
        }
        plan.guards.true_of(in_words, &wanted.0, &mut self.holds.0, (program, values, moment));
        for word in ones(0, in_words) {
            let failed = wanted.0[word] & !self.holds.0[word];
            if failed != 0 {
                let progress = &mut self.words[word];
                progress.open &= !failed;
                progress.history.iter_mut().for_each(|history| *history &= !failed);
                self.stale |= 1 << word;
            }
            wanted.0[word] = 0;
        }
        self.ended = wanted;
    }

    /// Records before which elements something has ended at this half-move; they are in the given words.
    fn remember(&mut self, plan: &Plan, chain: &Chain, in_words: u64) {
        self.stale |= in_words;
        for word in ones(0, in_words | self.timed) {
            let (roles, progress) = (&plan.roles[word], &mut self.words[word]);
            let arrived = std::mem::take(&mut self.arrived.0[word]) & !progress.open & !progress.retired;
            // The next half-move is at least one later.
            let opens = arrived & roles.stays[0];
            progress.open |= opens;
            progress.history[self.place] = arrived & !opens;
            progress.recent = (progress.recent << 1 | u32::from(arrived != opens)) & roles.recalled;
            self.timed = self.timed & !(1 << word) | u64::from(progress.recent != 0) << word;
            for n in ones(word, arrived & roles.staying) {
                if let Input::Link(link) = chain.elements[n].input {
                    self.retire_feeders(plan, chain, link);
                }
            }
        }
        self.place = (self.place + 1) % LONGEST;
    }

    /// Retires the elements before a link that stays open, and those that lead only to retired ones.
    fn retire_feeders(&mut self, plan: &Plan, chain: &Chain, link: usize) {
        if self.passed.has(link) {
            return;
        }
        self.passed.insert(link);
        for n in &plan.feeders[link] {
            let (progress, bit) = (&mut self.words[n / 64], 1u64 << (n % 64));
            if progress.retired & bit != 0 {
                continue;
            }
            progress.retired |= bit;
            self.stale |= 1 << (n / 64);
            progress.busy &= !bit;
            progress.holding &= !bit;
            self.busy &= !(u64::from(progress.busy == 0) << (n / 64));
            self.holding &= !(u64::from(progress.holding == 0) << (n / 64));
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
    pub fn watch(&mut self, plan: &Plan, chain: &Chain, values: &Values, now: u32) -> Watch {
        if self.timed | self.holding | self.busy != 0 {
            return Watch::ALWAYS;
        }
        if self.patience > 0 {
            self.patience -= 1;
            return Watch::ALWAYS;
        }
        self.in_a_row = if now == self.watched + 1 { self.in_a_row + 1 } else { 0 };
        self.watched = now;
        if self.in_a_row > IN_A_ROW {
            self.patience = PATIENCE;
        }
        let live = |word: usize| (plan.roles[word].starts | self.words[word].open) & !self.words[word].retired;
        let mut count = 0;
        for word in ones(0, self.alive | self.stale) {
            count += live(word).count_ones();
            if count > FEW_AWAKE {
                // There will hardly be fewer soon.
                self.patience = PATIENCE;
                return Watch::ALWAYS;
            }
        }
        let on = self.trips.squares() | self.together.squares();
        let mut watch = if on == 0 { Watch::NEVER } else { Watch::of(ALWAYS, on) };
        for word in ones(0, self.alive | self.stale) {
            for n in ones(word, live(word)) {
                watch = watch.or(match &chain.elements[n].what {
                    What::Moment(_) | What::Lasting(..) => plan.conditions.watch(values, n, false),
                    What::Trip(_) => plan.departures[n],
                });
                if watch == Watch::ALWAYS {
                    return watch;
                }
            }
            for n in ones(word, self.words[word].open & plan.roles[word].guarded & !self.words[word].retired) {
                watch = watch.or(plan.guards.watch(values, n, true));
            }
        }
        watch
    }
}

/// Returns the entry of a history that was written n + 1 half-moves ago, if `place` is the one to be written now.
#[inline(always)]
fn ago(place: usize, n: usize) -> usize {
    place.wrapping_sub(n + 1) % LONGEST
}

/// Returns the half-move at which an element ends, given the half-move since which its condition holds.
fn end_of(chain: &Chain, n: usize, since: u32) -> u32 {
    match chain.elements[n].what {
        What::Lasting(_, half_moves) => since.saturating_add(half_moves).saturating_sub(1),
        _ => u32::MAX,
    }
}
