//! When the steps of a sequence end, for all moments of a game at once.
//!
//! Takes a chain and the values of its conditions. Of each link it keeps the moments at which something before it has
//! ended; of a match, those at which it ends. The beginnings of matches are not asked.

use super::Survey;
use super::times::Whole;
use crate::search::pattern::program::{At, Program, Step};
use crate::search::pattern::time::{Chain, Gap, Input, Output, What};

/// Instructions, roughly, to handle an element, and a link.
const OF_ELEMENT: u64 = 50;
const OF_LINK: u64 = 100;

impl Survey {
    /// The moments at which matches end.
    pub(super) fn ends_of_chain<const M: usize>(&mut self, program: &Program, chain: &Chain) -> Whole<M> {
        let all = self.all_moments();
        let mut ended = vec![Whole::<M>::NONE; chain.gaps.len()];
        let mut open: Vec<Option<Whole<M>>> = vec![None; chain.gaps.len()];
        let mut found = Whole::NONE;
        // The elements before a link stand before those behind it.
        for element in &chain.elements {
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
