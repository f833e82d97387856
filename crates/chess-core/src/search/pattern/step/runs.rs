//! Follows a chain through a game, one half-move at a time.
//!
//! Takes a chain, the values of its conditions and the half-moves of a game in order; returns with which half-moves matches
//! end, and when they began.
//!
//! A pattern that is looked for everywhere on the board has hundreds of elements, of which a half-move concerns few. An
//! element is *awake* if it may begin; bit masks select the awake elements whose condition is true, or must be computed
//! anew, so that the others cost nothing. `C for n` is *held* while C holds: it is visited when C may have failed, and
//! when its time has come. Behind a link it is *busy*, and visited at every half-move.
//!
//! Each link remembers when the element before it ended, and the latest half-move at which such a match began.

use std::collections::VecDeque;

use super::bits::{Bits, ones};
use super::evaluate::Values;
use super::moment::Moment;
use super::trips::{Began, Trips};
use crate::search::pattern::program::chain::{Chain, Element, Gap, Input, Output, What};
use crate::search::pattern::program::watch::ALWAYS;
use crate::search::pattern::program::{At, Program, Step, Watch};

/// With more awake elements than this, nearly every half-move concerns one of them, so searching for half-moves to skip
/// would cost more than it saves.
const FEW_AWAKE: u32 = 12;

/// The times at which the elements before a link have ended.
#[derive(Clone, Debug, Default)]
struct LinkState {
    /// The ends after which the next element may not begin yet, each with the beginning of its match.
    waiting: VecDeque<(u32, u32)>,
    /// The ends after which it may begin now. Later ends are kept only with earlier beginnings, so the first entry has the
    /// latest beginning.
    open: VecDeque<(u32, u32)>,
    /// The latest beginning, if the link stays open.
    latest: Began,
    /// The beginning of a match whose element has ended at the current half-move.
    ended: Began,
    /// Whether it is in [`Runs::opened`], and in [`Runs::guarded`].
    is_listed: bool,
    is_guarded: bool,
}

impl LinkState {
    fn clear(&mut self) {
        self.waiting.clear();
        self.open.clear();
        self.latest = None;
    }

    fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.open.is_empty() && self.latest.is_none()
    }

    /// Returns whether the next element may begin at a half-move.
    fn may_begin(&mut self, gap: &Gap, now: u32) -> Began {
        while let Some((end, began)) = self.waiting.front().copied().filter(|(end, _)| now - end >= gap.from) {
            self.waiting.pop_front();
            self.let_begin(gap, end, began);
        }
        let Some(to) = gap.to else { return self.latest };
        while self.open.front().is_some_and(|(end, _)| now - end > to) {
            self.open.pop_front();
        }
        self.open.front().map(|(_, began)| *began)
    }

    /// Lets the next element begin from now on.
    fn let_begin(&mut self, gap: &Gap, end: u32, began: u32) {
        if gap.to.is_none() {
            self.latest = self.latest.max(Some(began));
            return;
        }
        while self.open.back().is_some_and(|(_, other)| *other <= began) {
            self.open.pop_back();
        }
        self.open.push_back((end, began));
    }
}

/// The progress of one element.
#[derive(Clone, Debug)]
enum Progress {
    None,
    /// The half-move since which a condition holds that may begin at any time.
    Since(u32),
    /// Half-moves at which a condition behind a link began to hold, and when the match began.
    Lasting(VecDeque<(u32, u32)>),
}

/// The progress of all matches in the current game.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    links: Vec<LinkState>,
    progress: Vec<Progress>,
    awake: Bits,
    /// Elements behind a link whose condition holds, and must hold for some time.
    busy: Bits,
    /// The same for elements that may begin at any time. They sleep until the condition fails.
    held: Bits,
    /// The nodes that held elements have as their condition, and how many do for each.
    kept: Bits,
    holders: Vec<u16>,
    /// No held element ends before this half-move as long as its condition holds.
    due: u32,
    /// The nodes that awake elements wait for, and how many do for each.
    awaited: Bits,
    waiters: Vec<u16>,
    /// The same at the start of a game.
    first_awake: Bits,
    first_awaited: Bits,
    first_waiters: Vec<u16>,
    /// By node the elements that have it as their condition.
    of_node: Vec<Vec<usize>>,
    /// By link the elements behind it.
    followers: Vec<Vec<usize>>,
    /// Links that have been open in this game, and those that something has entered at the current half-move.
    opened: Vec<usize>,
    entered: Vec<usize>,
    /// Open links that a condition keeps open.
    guarded: Vec<usize>,
    trips: Trips,
}

impl Runs {
    pub fn new(chain: &Chain, program: &Program) -> Runs {
        let (elements, nodes, links) = (chain.elements.len(), program.entries.len(), chain.gaps.len());
        let progress = |element: &Element| match (&element.what, element.input) {
            (What::Moment(_), _) => Progress::None,
            (What::Lasting(..), Input::Always) => Progress::Since(0),
            (What::Lasting(..), Input::Link(_)) => Progress::Lasting(VecDeque::new()),
            (What::Trip(_), _) => Progress::None,
        };
        let mut runs = Runs {
            links: vec![LinkState::default(); links],
            progress: chain.elements.iter().map(progress).collect(),
            awake: Bits::new(elements),
            busy: Bits::new(elements),
            held: Bits::new(elements),
            kept: Bits::new(nodes),
            holders: vec![0; nodes],
            awaited: Bits::new(nodes),
            waiters: vec![0; nodes],
            of_node: vec![Vec::new(); nodes],
            followers: vec![Vec::new(); links],
            ..Runs::default()
        };
        for (n, element) in chain.elements.iter().enumerate() {
            match &element.what {
                What::Moment(at) | What::Lasting(at, _) => runs.of_node[usize::from(*at)].push(n),
                What::Trip(_) => {}
            }
            if let Input::Link(link) = element.input {
                runs.followers[link].push(n);
            }
        }
        runs.trips = Trips::new(chain);
        for (n, element) in chain.elements.iter().enumerate() {
            if let Input::Always = element.input {
                runs.wake(chain, n);
            }
        }
        (runs.first_awake, runs.first_awaited) = (runs.awake.clone(), runs.awaited.clone());
        runs.first_waiters = runs.waiters.clone();
        runs.reset();
        runs
    }

    /// Resets the state for a new game.
    pub fn reset(&mut self) {
        for link in self.opened.drain(..) {
            self.links[link].clear();
            self.links[link].is_listed = false;
        }
        for link in self.guarded.drain(..) {
            self.links[link].is_guarded = false;
        }
        for link in self.entered.drain(..) {
            self.links[link].ended = None;
        }
        for (word, bits) in self.busy.0.iter_mut().enumerate() {
            for n in ones(word, std::mem::take(bits)) {
                if let Progress::Lasting(begun) = &mut self.progress[n] {
                    begun.clear();
                }
            }
        }
        self.held.0.fill(0);
        self.kept.0.fill(0);
        self.holders.fill(0);
        self.due = u32::MAX;
        self.trips.clear();
        self.awake.clone_from(&self.first_awake);
        self.awaited.clone_from(&self.first_awaited);
        self.waiters.clone_from(&self.first_waiters);
    }

    /// Returns whether a match is under way that later half-moves may complete.
    pub fn is_under_way(&self) -> bool {
        !self.opened.is_empty() || self.is_lasting() || self.trips.squares() != 0
    }

    /// Returns whether an element `C for n` is waiting for its time.
    fn is_lasting(&self) -> bool {
        self.busy.0.iter().chain(&self.held.0).any(|word| *word != 0)
    }

    /// Advances by one half-move. If matches end with it, returns the latest half-move at which one of them began.
    pub fn advance(&mut self, chain: &Chain, program: &Program, values: &mut Values, moment: &Moment) -> Began {
        let mut matched = self.go_on(chain, program, values, moment);
        matched = matched.max(self.hold(chain, program, values, moment));
        matched = matched.max(self.begin(chain, program, values, moment));
        if !self.trips.is_empty() {
            matched = matched.max(self.travel(chain, moment));
        }
        self.keep(chain, program, values, moment);
        self.enter(chain, moment.ply);
        matched
    }

    /// Advances the elements that have begun.
    fn go_on(&mut self, chain: &Chain, program: &Program, values: &mut Values, moment: &Moment) -> Began {
        let (now, mut matched) = (moment.ply, None);
        for word in 0..self.busy.0.len() {
            for n in ones(word, self.busy.0[word]) {
                let element = &chain.elements[n];
                let What::Lasting(at, half_moves) = element.what else { continue };
                if !values.holds(program, moment, at) {
                    self.busy.remove(n);
                    if let Progress::Lasting(begun) = &mut self.progress[n] {
                        begun.clear();
                    }
                    continue;
                }
                let began = self.may_begin(chain, element, now);
                matched = matched.max(self.last(n, half_moves, element.output, began, now));
            }
        }
        matched
    }

    /// Ends held elements whose condition fails, and those that have held for their time.
    fn hold(&mut self, chain: &Chain, program: &Program, values: &mut Values, moment: &Moment) -> Began {
        for word in 0..self.kept.0.len() {
            let may_be_false = self.kept.0[word] & values.may_be_false(word);
            for node in ones(word, may_be_false) {
                if values.holds(program, moment, node as At) {
                    continue;
                }
                self.kept.remove(node);
                self.holders[node] = 0;
                for k in 0..self.of_node[node].len() {
                    let n = self.of_node[node][k];
                    if self.held.has(n) {
                        self.held.remove(n);
                        self.wake(chain, n);
                    }
                }
            }
        }
        let now = moment.ply;
        if now < self.due {
            return None;
        }
        let mut matched = None;
        self.due = u32::MAX;
        for word in 0..self.held.0.len() {
            for n in ones(word, self.held.0[word]) {
                let (element, Progress::Since(since)) = (&chain.elements[n], &self.progress[n]) else { continue };
                let What::Lasting(_, half_moves) = element.what else { continue };
                let due = since.saturating_add(half_moves - 1);
                self.due = self.due.min(due.max(now + 1));
                if due <= now {
                    matched = matched.max(self.end(element.output, Some(now + 1 - half_moves)));
                }
            }
        }
        matched
    }

    /// Starts an element `C for n` that may begin at any time, because its condition begins to hold.
    fn begin_to_hold(&mut self, chain: &Chain, n: usize, node: usize, half_moves: u32, now: u32) -> Began {
        let Progress::Since(since) = &mut self.progress[n] else { return None };
        *since = now;
        self.sleep(chain, n);
        self.held.insert(n);
        self.kept.insert(node);
        self.holders[node] += 1;
        self.due = self.due.min(now.saturating_add(half_moves - 1).max(now + 1));
        if half_moves == 1 { self.end(chain.elements[n].output, Some(now)) } else { None }
    }

    /// Begins the awake elements whose condition is true.
    fn begin(&mut self, chain: &Chain, program: &Program, values: &mut Values, moment: &Moment) -> Began {
        let (now, mut matched) = (moment.ply, None);
        for word in 0..self.awaited.0.len() {
            let may_be_true = self.awaited.0[word] & values.may_be_true(word);
            for node in ones(word, may_be_true) {
                for k in 0..self.of_node[node].len() {
                    let n = self.of_node[node][k];
                    if !self.awake.has(n) || self.busy.has(n) {
                        continue;
                    }
                    let element = &chain.elements[n];
                    let began = self.may_begin(chain, element, now);
                    if began.is_none() {
                        if let Input::Link(link) = element.input
                            && self.links[link].is_empty()
                        {
                            self.sleep(chain, n);
                        }
                        continue;
                    }
                    if !values.holds(program, moment, node as At) {
                        break;
                    }
                    let ended = match element.what {
                        What::Lasting(_, half_moves) if let Input::Always = element.input => {
                            self.begin_to_hold(chain, n, node, half_moves, now)
                        }
                        What::Lasting(_, half_moves) => {
                            self.busy.insert(n);
                            self.last(n, half_moves, element.output, began, now)
                        }
                        _ => self.end(element.output, began),
                    };
                    matched = matched.max(ended);
                }
            }
        }
        matched
    }

    /// Continues an element `C for n` behind a link, whose condition holds at this half-move.
    fn last(&mut self, n: usize, half_moves: u32, output: Output, began: Began, now: u32) -> Began {
        let ended = match &mut self.progress[n] {
            Progress::Lasting(begun) => {
                begun.extend(began.map(|began| (now, began)));
                let is_over = begun.front().is_some_and(|(from, _)| now - from + 1 >= half_moves);
                let ended = if is_over { begun.pop_front().map(|(_, began)| began) } else { None };
                if begun.is_empty() {
                    self.busy.remove(n);
                }
                ended
            }
            _ => None,
        };
        self.end(output, ended)
    }

    /// Ends an element. If it was the last of a match, returns when the match began.
    fn end(&mut self, output: Output, began: Began) -> Began {
        match output {
            Output::Match => return began,
            Output::Link(link) if began.is_some() => {
                let ended = &mut self.links[link].ended;
                if ended.is_none() {
                    self.entered.push(link);
                }
                *ended = (*ended).max(began);
            }
            Output::Link(_) => {}
        }
        None
    }

    /// Returns when the match began if an element may begin at a half-move.
    fn may_begin(&mut self, chain: &Chain, element: &Element, now: u32) -> Began {
        match element.input {
            Input::Always => Some(now),
            Input::Link(link) => self.links[link].may_begin(&chain.gaps[link], now),
        }
    }

    /// Closes the links whose condition no longer holds.
    fn keep(&mut self, chain: &Chain, program: &Program, values: &mut Values, moment: &Moment) {
        let mut n = 0;
        while let Some(link) = self.guarded.get(n).copied() {
            n += 1;
            let Some(at) = chain.gaps[link].while_ else { continue };
            let state = &mut self.links[link];
            if !state.is_empty() {
                if values.holds(program, moment, at) {
                    continue;
                }
                state.clear();
            }
            for k in 0..self.followers[link].len() {
                self.sleep(chain, self.followers[link][k]);
            }
            self.links[link].is_guarded = false;
            n -= 1;
            self.guarded.swap_remove(n);
        }
    }

    /// Opens the links that elements have entered at this half-move.
    fn enter(&mut self, chain: &Chain, now: u32) {
        while let Some(link) = self.entered.pop() {
            let (gap, state) = (&chain.gaps[link], &mut self.links[link]);
            let Some(began) = state.ended.take() else { continue };
            if gap.from > 1 {
                state.waiting.push_back((now, began));
            } else {
                // The next half-move is one later.
                state.let_begin(gap, now, began);
            }
            if !state.is_listed {
                state.is_listed = true;
                self.opened.push(link);
            }
            if gap.while_.is_some() && !state.is_guarded {
                state.is_guarded = true;
                self.guarded.push(link);
            }
            for k in 0..self.followers[link].len() {
                self.wake(chain, self.followers[link][k]);
            }
        }
    }

    fn wake(&mut self, chain: &Chain, n: usize) {
        if self.awake.has(n) {
            return;
        }
        self.awake.insert(n);
        if let What::Moment(at) | What::Lasting(at, _) = chain.elements[n].what {
            self.waiters[usize::from(at)] += 1;
            self.awaited.insert(at.into());
        }
    }

    fn sleep(&mut self, chain: &Chain, n: usize) {
        if !self.awake.has(n) {
            return;
        }
        self.awake.remove(n);
        if let What::Moment(at) | What::Lasting(at, _) = chain.elements[n].what {
            self.waiters[usize::from(at)] -= 1;
            if self.waiters[usize::from(at)] == 0 {
                self.awaited.remove(at.into());
            }
        }
    }

    /// Returns which changes can matter next: half-moves without one of them can be skipped.
    pub fn watch(&self, chain: &Chain, values: &Values) -> Watch {
        if self.is_lasting() || self.awake.0.iter().map(|word| word.count_ones()).sum::<u32>() > FEW_AWAKE {
            return Watch::ALWAYS;
        }
        let mut watch = if self.trips.squares() == 0 { Watch::NEVER } else { Watch::of(ALWAYS, self.trips.squares()) };
        for (word, bits) in self.awake.0.iter().enumerate() {
            for n in ones(word, *bits) {
                watch = watch.or(match &chain.elements[n].what {
                    What::Moment(at) | What::Lasting(at, _) => values.awaited(*at),
                    What::Trip(steps) => steps.first().map_or(Watch::NEVER, Step::watch),
                });
            }
        }
        for link in &self.opened {
            let state = &self.links[*link];
            if !state.waiting.is_empty() {
                // The next element may begin without a change on the board.
                return Watch::ALWAYS;
            }
            if let Some(at) = chain.gaps[*link].while_
                && !state.is_empty()
            {
                watch = watch.or(values.kept(at));
            }
        }
        watch
    }

    /// Moves the trips that the half-move concerns, and begins others.
    fn travel(&mut self, chain: &Chain, moment: &Moment) -> Began {
        let mut trips = std::mem::take(&mut self.trips);
        let mut matched = None;
        trips.travel(
            chain,
            moment,
            self,
            |runs, n| {
                if !runs.awake.has(n) {
                    return None;
                }
                let element = &chain.elements[n];
                let began = runs.may_begin(chain, element, moment.ply);
                if began.is_none()
                    && let Input::Link(link) = element.input
                    && runs.links[link].is_empty()
                {
                    runs.sleep(chain, n);
                }
                began
            },
            |runs, n, began| matched = matched.max(runs.end(chain.elements[n].output, began)),
        );
        self.trips = trips;
        matched
    }
}
