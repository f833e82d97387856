//! When the steps of a sequence end, for all moments of a game at once.
//!
//! Takes a chain and the values of its conditions. Of each link it keeps the moments at which something before it has
//! ended; of a match, those at which it ends. The beginnings of matches are not asked.

use super::Survey;
use super::stretch::Stretch;
use super::times::Whole;
use crate::search::pattern::program::chain::{Chain, Gap, Input, Output, What};
use crate::search::pattern::program::{At, Node, Program, Step};

/// Instructions, roughly, to handle an element, and a link.
const OF_ELEMENT: u64 = 75;
const OF_LINK: u64 = 40;

/// What is known of an element from the games before, and of the game at hand.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Past {
    /// How often its condition has held at no moment lately, less how often it has.
    failed: i8,
    /// Whether a match may follow when it ends.
    matters: bool,
}

/// Conditions that cost less than this are computed to find out whether they ever hold.
const LITTLE: u32 = 60;
/// The most that [`Past::failed`] counts.
const LATELY: i8 = 3;

impl Survey {
    /// The moments at which matches end.
    pub(super) fn ends_of_chain<const M: usize>(&mut self, program: &Program, chain: &Chain) -> Whole<M> {
        let mut past = std::mem::take(&mut self.past);
        past.resize(chain.elements.len(), Past::default());
        let ends = if self.look_back(program, chain, &mut past) {
            self.look_on(program, chain, &mut past)
        } else {
            Whole::NONE
        };
        self.past = past;
        ends
    }

    /// Finds the elements that may lead to a match, as far as those that seldom hold are asked whether they do. Returns
    /// whether there are any.
    #[inline(never)]
    fn look_back(&mut self, program: &Program, chain: &Chain, past: &mut [Past]) -> bool {
        let mut leads = std::mem::take(&mut self.leads);
        leads.clear();
        leads.resize(chain.gaps.len(), false);
        let mut any = false;
        self.work += OF_ELEMENT / 2 * chain.elements.len() as u64;
        // The elements before a link stand before those behind it.
        for (element, past) in chain.elements.iter().zip(past).rev() {
            past.matters = match element.output {
                Output::Link(link) => leads[link],
                Output::Match => true,
            };
            if past.matters && past.failed >= 0 {
                let stretches = &mut self.stretches;
                past.matters = match &element.what {
                    What::Moment(at) | What::Lasting(at, _) => {
                        stretches.iter_mut().any(|stretch| stretch.may_hold(program, *at))
                    }
                    What::Trip(steps) => {
                        steps.iter().all(|step| stretches.iter_mut().any(|stretch| !stretch.played(step).is_none()))
                    }
                };
                past.failed = if past.matters { (past.failed - 1).max(-LATELY) } else { LATELY.min(past.failed + 1) };
            }
            if past.matters {
                match element.input {
                    Input::Link(link) => leads[link] = true,
                    Input::Always => any = true,
                }
            }
        }
        self.leads = leads;
        any
    }

    #[inline(never)]
    fn look_on<const M: usize>(&mut self, program: &Program, chain: &Chain, past: &mut [Past]) -> Whole<M> {
        let all = self.all_moments();
        let mut ended = vec![Whole::<M>::NONE; chain.gaps.len()];
        let mut open: Vec<Option<Whole<M>>> = vec![None; chain.gaps.len()];
        let mut found = Whole::NONE;
        // The elements before a link stand before those behind it.
        for (element, past) in chain.elements.iter().zip(past) {
            if !past.matters {
                continue;
            }
            let begin = match element.input {
                Input::Always => all,
                Input::Link(link) => match open[link] {
                    Some(open) => open,
                    None => {
                        let moments = self.open(program, &chain.gaps[link], ended[link]).and(all);
                        *open[link].insert(moments)
                    }
                },
            };
            self.work += OF_ELEMENT / 4;
            if begin.is_none() {
                continue;
            }
            self.work += OF_ELEMENT;
            let ends = match &element.what {
                What::Moment(at) => self.truth(program, *at, begin).and(begin),
                What::Lasting(at, half_moves) => {
                    let length = (*half_moves).max(1) as usize;
                    let begin = begin.later(length - 1);
                    if begin.is_none() { begin } else { self.truth(program, *at, all).runs(length).and(begin) }
                }
                What::Trip(steps) => self.travel(steps, begin),
            };
            if ends.is_none() {
                past.failed = LATELY.min(past.failed + 1);
                continue;
            }
            match element.output {
                Output::Link(link) => ended[link] = ended[link].or(ends),
                Output::Match => found = found.or(ends),
            }
        }
        found
    }

    /// The moments at which a condition holds, at least those of `wanted`.
    pub(super) fn truth<const M: usize>(&mut self, program: &Program, at: At, wanted: Whole<M>) -> Whole<M> {
        let mut moments = Whole::NONE;
        for ((times, wanted), stretch) in moments.0.iter_mut().zip(wanted.0).zip(&mut self.stretches) {
            if !wanted.is_none() {
                *times = stretch.truth(program, at);
            }
        }
        moments
    }

    /// The moments at which what is behind a link may begin, given those at which something before it has ended.
    fn open<const M: usize>(&mut self, program: &Program, gap: &Gap, ended: Whole<M>) -> Whole<M> {
        self.work += OF_LINK;
        if ended.is_none() {
            return ended;
        }
        let from = gap.from.max(1) as usize;
        let most = gap.to.map_or(usize::MAX, |to| to as usize);
        if most < from {
            return Whole::NONE;
        }
        let Some(at) = gap.while_ else {
            if gap.to.is_none() {
                return ended.later(from).onward();
            }
            let first = if from == 1 { ended.next() } else { ended.later(from) };
            return first.and_up_to(most - from);
        };
        let held = self.truth(program, at, self.all_moments());
        let mut moments = ended.next();
        for _ in 1..from {
            if moments.is_none() {
                return moments;
            }
            moments = moments.and(held).next();
            self.work += OF_LINK / 4;
        }
        if gap.to.is_none() {
            return moments.flood(held);
        }
        let mut open = moments;
        for _ in from..most {
            moments = moments.and(held).next();
            if moments.is_none() {
                break;
            }
            open = open.or(moments);
            self.work += OF_LINK / 4;
        }
        open
    }

    fn all_moments<const M: usize>(&self) -> Whole<M> {
        Whole(std::array::from_fn(|n| self.stretches.get(n).map_or_else(Default::default, |of| of.all)))
    }

    /// The moments at which a piece has made these moves, the first one at a moment of `begin`.
    fn travel<const M: usize>(&mut self, steps: &[Step], begin: Whole<M>) -> Whole<M> {
        let mut at = begin;
        for (leg, step) in steps.iter().enumerate() {
            if leg > 0 {
                let mut next = Whole::NONE;
                for moment in at.moments() {
                    self.work += OF_ELEMENT / 2;
                    if let Some(then) = self.next.get(moment).copied().flatten() {
                        next.insert(then as usize);
                    }
                }
                at = next;
            }
            if at.is_none() {
                break;
            }
            let mut played = Whole::NONE;
            for ((times, wanted), stretch) in played.0.iter_mut().zip(at.0).zip(&mut self.stretches) {
                if !wanted.is_none() {
                    *times = stretch.played(step);
                }
            }
            at = at.and(played);
        }
        at
    }
}

impl Stretch {
    /// Whether a condition holds at some moment, as far as that takes little to find out.
    fn may_hold(&mut self, program: &Program, at: At) -> bool {
        self.work += OF_ELEMENT;
        let entry = |at: At| &program.entries[usize::from(at)];
        if entry(at).cost < LITTLE {
            return !self.truth(program, at).is_none();
        }
        match &entry(at).node {
            Node::Line(_, parts) => {
                parts.iter().all(|part| entry(*part).cost >= LITTLE || self.set(program, *part).support != 0)
            }
            Node::All(parts) => parts.iter().all(|part| self.may_hold(program, *part)),
            _ => true,
        }
    }
}
