//! Patterns that take several half-moves: steps, and what lies between them.
//!
//! Takes a tree, returns a chain: elements, each a step of the pattern, and the links between them. [`super::runs`] follows
//! a chain through a game.

use std::collections::HashMap;

use super::alternatives::{Group, Run, Side, grouped};
use super::error::Fault;
use super::keys::promoted_from;
use super::possible::{Judge, Verdict};
use super::program::{At, Program, Step};
use super::prune::Needs;
use super::tree::{Condition, Designator, Link, State, Timed, WHATEVER};

/// When an element may begin.
#[derive(Clone, Copy, Debug)]
pub(super) enum Input {
    /// At any half-move.
    Always,
    /// When the link says so.
    Link(usize),
}

/// What happens when an element has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Output {
    Link(usize),
    Match,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    Moment(At),
    /// A condition that holds at so many half-moves.
    Lasting(At, u32),
    /// The moves of one piece.
    Trip(Vec<Step>),
}

#[derive(Clone, Debug)]
pub(super) struct Element {
    pub input: Input,
    pub what: What,
    pub output: Output,
    /// The first and the last half-move at which its condition may hold.
    from: u32,
    to: u32,
}

impl Element {
    /// How many half-moves after its first one it ends, at least and at most.
    fn length(&self) -> (u32, u32) {
        match &self.what {
            What::Moment(_) => (0, 0),
            What::Lasting(_, half_moves) => (half_moves.saturating_sub(1), half_moves.saturating_sub(1)),
            // A piece moves at every other half-move, if at all.
            What::Trip(steps) => (2 * (steps.len() as u32).saturating_sub(1), u32::MAX),
        }
    }
}

/// How much later the element behind a link begins, and what holds in between.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    pub from: u32,
    pub to: Option<u32>,
    pub while_: Option<At>,
}

/// The elements of a timed pattern.
#[derive(Clone, Debug, Default)]
pub(super) struct Chain {
    pub elements: Vec<Element>,
    pub gaps: Vec<Gap>,
    /// The elements whose ends lead to each link, or to a match.
    endings: HashMap<Output, Vec<usize>>,
}

/// The moves of a trip, each with the kinds that may make it: one piece makes all of them, as what it set out, or
/// promoted.
pub(super) fn legs(steps: &[Step]) -> impl Iterator<Item = Step> {
    let first = steps.first().map_or(0, |step| step.mover);
    let later = first | promoted_from(first);
    let mover = move |n: usize, step: &Step| if n == 0 { first } else { later & step.mover };
    steps.iter().enumerate().map(move |(n, step)| Step { mover: mover(n, step), ..*step })
}

impl Chain {
    /// The elements with that output.
    pub fn ending(&self, output: Output) -> impl Iterator<Item = usize> {
        self.endings.get(&output).into_iter().flatten().copied()
    }

    /// The first and the last half-move at which a match may end; `None` if there is no such half-move.
    pub fn ends(&self) -> Option<(u32, u32)> {
        self.possible().1
    }

    /// Which elements may end at all, given what is before them, and when those may that end a match.
    fn possible(&self) -> (Vec<bool>, Option<(u32, u32)>) {
        let mut reached: Vec<Option<(u32, u32)>> = vec![None; self.gaps.len()];
        let mut matched = None;
        // The elements before a link stand before those behind it.
        let may_end = self.elements.iter().map(|element| {
            let (mut first, mut last) = match element.input {
                Input::Always => (0, u32::MAX),
                Input::Link(link) => {
                    let Gap { from, to, .. } = self.gaps[link];
                    let Some((first, last)) = reached[link] else { return false };
                    let from = from.max(1);
                    (first.saturating_add(from), last.saturating_add(to.map_or(u32::MAX, |to| to.max(from))))
                }
            };
            let (least, most) = element.length();
            first = first.max(element.from).saturating_add(least);
            last = last.saturating_add(most).min(element.to);
            if first > last {
                return false;
            }
            let known = if let Output::Link(link) = element.output { &mut reached[link] } else { &mut matched };
            let before = known.unwrap_or((first, last));
            *known = Some((before.0.min(first), before.1.max(last)));
            true
        });
        let may_end = may_end.collect();
        (may_end, matched)
    }

    /// Drops the elements that no match can contain. A match can contain an element only if the element can end, and can
    /// be reached from the start of the chain, and the end of the chain can be reached from it.
    fn drop_impossible(&mut self) {
        let (mut useful, _) = self.possible();
        let mut leads_on = vec![false; self.gaps.len()];
        for (n, element) in self.elements.iter().enumerate().rev() {
            useful[n] &= if let Output::Link(link) = element.output { leads_on[link] } else { true };
            if let Input::Link(link) = element.input {
                leads_on[link] |= useful[n];
            }
        }
        let mut useful = useful.into_iter();
        self.elements.retain(|_| useful.next() == Some(true));
    }

    /// Whether it follows the moves of a piece.
    pub fn has_trips(&self) -> bool {
        self.elements.iter().any(|element| matches!(element.what, What::Trip(_)))
    }

    /// The nodes of its conditions.
    pub fn conditions(&self) -> Vec<At> {
        let of = |element: &Element| match element.what {
            What::Moment(at) | What::Lasting(at, _) => Some(at),
            What::Trip(_) => None,
        };
        self.elements.iter().filter_map(of).chain(self.gaps.iter().filter_map(|gap| gap.while_)).collect()
    }

    /// The elements of `timed`, whose conditions go into `program`; and what a match needs.
    pub fn new(program: &mut Program, timed: &Timed) -> Result<(Chain, Needs), Fault> {
        let mut chain = Chain::default();
        let needs = chain.add(program, timed, (Input::Always, Output::Match))?;
        program.needs_game = true;
        chain.drop_impossible();
        for (n, element) in chain.elements.iter().enumerate() {
            chain.endings.entry(element.output).or_default().push(n);
        }
        let until = chain.ends().map_or(0, |(_, last)| last);
        Ok((chain, needs.of_any_moment(until)))
    }

    /// The node of a condition, and what a moment needs for it; `None` if there is no such moment.
    fn condition(program: &mut Program, condition: &Condition) -> Result<(At, Option<Needs>), Fault> {
        let at = program.condition(condition)?;
        Ok(match Judge::of_any_game(program, at) {
            Verdict::Never => (at, None),
            Verdict::Always => (program.condition(&Condition::State(State::Any))?, Some(Needs::NOTHING)),
            Verdict::Perhaps => (at, Some(Needs::of(program, at))),
        })
    }

    fn add(&mut self, program: &mut Program, timed: &Timed, (input, output): (Input, Output)) -> Result<Needs, Fault> {
        let (what, needs) = match timed {
            Timed::Moment(condition) => {
                let (at, needs) = Chain::condition(program, condition)?;
                (What::Moment(at), needs)
            }
            Timed::For(condition, half_moves) => {
                let (at, needs) = Chain::condition(program, condition)?;
                (What::Lasting(at, *half_moves), needs)
            }
            Timed::Trip(from, moves) => {
                let anywhere = Designator::on(WHATEVER, !0);
                let from = std::iter::once(from).chain(std::iter::repeat(&anywhere));
                let steps = moves.iter().zip(from).map(|((takes, to), from)| Step::new(from, *takes, to, None));
                // A search stores each move for all squares.
                program.spend(8 * moves.len())?;
                (What::Trip(steps.collect()), Some(Needs::NOTHING))
            }
            Timed::Sequence(..) => return self.add_run(program, &Run::of(timed), (input, output)),
            Timed::Any(parts) => {
                let runs = parts.iter().map(Run::of).collect();
                return self.add_any(program, runs, (input, output), &[Side::Start, Side::End]);
            }
            Timed::Transform(_, inner) => return self.add(program, inner, (input, output)),
        };
        program.spend(1)?;
        let Some(needs) = needs else { return Ok(Needs::IMPOSSIBLE) };
        self.elements.push(Element { input, what, output, from: needs.from, to: needs.to });
        Ok(needs)
    }

    /// Adds a link and returns its place.
    fn link(&mut self, program: &mut Program, link: &Link) -> Result<usize, Fault> {
        let while_ = link.while_.as_ref().map(|guard| program.condition(guard)).transpose()?;
        let while_ = while_.filter(|at| Judge::of_any_game(program, *at) != Verdict::Always);
        self.gaps.push(Gap { from: link.after.from, to: link.after.to, while_ });
        Ok(self.gaps.len() - 1)
    }

    fn add_run(&mut self, program: &mut Program, run: &Run, (input, output): (Input, Output)) -> Result<Needs, Fault> {
        let (mut input, mut needs) = (input, None::<Needs>);
        for (n, step) in run.steps.iter().enumerate() {
            let link = run.links.get(n).map(|link| self.link(program, link)).transpose()?;
            let of_step = self.add(program, step, (input, link.map_or(output, Output::Link)))?;
            needs = Some(needs.map_or(of_step, |needs| needs.then(of_step)));
            input = link.map_or(input, Input::Link);
        }
        Ok(needs.unwrap_or(Needs::NOTHING))
    }

    /// Adds alternatives. What several of them begin or end with, on each of these sides, is added once.
    fn add_any(
        &mut self,
        program: &mut Program,
        mut runs: Vec<Run>,
        (input, output): (Input, Output),
        sides: &[Side],
    ) -> Result<Needs, Fault> {
        program.spend(runs.iter().map(|run| run.steps.len()).sum())?;
        let mut needs = Vec::new();
        for (n, side) in sides.iter().enumerate() {
            let (groups, alone) = grouped(runs, *side);
            for Group { shared, link, others } in groups {
                let link = self.link(program, link)?;
                needs.push(if *side == Side::Start {
                    let start = self.add_run(program, &shared, (input, Output::Link(link)))?;
                    start.then(self.add_any(program, others, (Input::Link(link), output), sides)?)
                } else {
                    // These runs begin with different steps.
                    let start = self.add_any(program, others, (input, Output::Link(link)), &sides[n..])?;
                    start.then(self.add_run(program, &shared, (Input::Link(link), output))?)
                });
            }
            runs = alone;
        }
        let mut moments = Vec::new();
        for run in runs {
            match run.steps.as_slice() {
                [Timed::Moment(condition)] => moments.push(condition.clone()),
                _ => needs.push(self.add_run(program, &run, (input, output))?),
            }
        }
        if !moments.is_empty() {
            let either = Timed::Moment(Condition::Any(moments));
            needs.push(self.add(program, &either, (input, output))?);
        }
        Ok(needs.into_iter().reduce(Needs::or).unwrap_or(Needs::NOTHING))
    }
}

#[cfg(test)]
mod tests {
    use super::super::program::Node;
    use super::super::{Goal, Pattern};
    use super::*;

    /// The number of elements of a pattern, and when a match may end.
    fn chain(text: &str) -> (usize, Option<(u32, u32)>) {
        let pattern = Pattern::read(text).expect(text);
        let Goal::Chain(chain) = &pattern.compiled.goal else { panic!("{text} takes one moment") };
        (chain.elements.len(), chain.ends())
    }

    #[test]
    fn steps_that_lead_to_no_match_are_dropped() {
        const EVER: u32 = u32::MAX;
        for (text, elements, ends) in [
            ("Nf3 then Nd5", 2, Some((1, EVER))),
            ("Nf3 then (0 > n)", 0, None),
            ("Nf3 then not A directly Nd5", 0, None),
            ("(Nf3 then K = 2) or (Nf3 then a > 16) or (Ke4 directly Kf4)", 2, Some((1, EVER))),
            ("Nf3 then halfmove = 2 then Nd5", 3, Some((3, EVER))),
            ("Nf3 then Nd5 then halfmove = 1", 0, None),
            ("Nf3 directly halfmove = 12 directly Nd5", 3, Some((13, 13))),
            ("halfmove <= 10 then 2..4 Nd5", 2, Some((2, 14))),
            ("Nf3 then halfmove <= 10 for 11", 0, None),
            ("Nf3 then move = 5..6 for 3", 2, Some((11, 12))),
            ("halfmove <= 10 then Nf1-g3-f5", 2, Some((3, EVER))),
            ("Nf1-g3-f5 then halfmove <= 10", 2, Some((3, 10))),
        ] {
            assert_eq!(chain(text), (elements, ends), "{text}");
        }
    }

    #[test]
    fn what_alternatives_share_is_followed_once() {
        for (text, elements) in [
            ("(Nf3 then check) or (Ke5 then check)", 2),
            ("(Nf3 then check) or (Ke5 directly check)", 4),
            ("(Nf3 then check then Nd5) or (Nf3 then check then Ke5)", 3),
            ("(Nf3 then check then mate) or (Nf3 then Nd5 then mate)", 3),
            ("(Nf3 then (check then mate)) or ((Ke5 then check) then mate) or btm for 9", 4),
            ("shift(Nf3 then check)", 2),
            ("shift(Nf1 then check then Ng1)", 7 * 8 * 3),
        ] {
            assert_eq!(chain(text).0, elements, "{text}");
        }
    }

    #[test]
    fn what_holds_always_is_not_computed() {
        for text in ["Nf3 directly K for 3", "A then Nf3", "Nf3 then while _ >= 32 Nd5"] {
            let pattern = Pattern::read(text).expect(text);
            let Goal::Chain(chain) = &pattern.compiled.goal else { panic!("{text} takes one moment") };
            let is_piece = |at: &At| matches!(pattern.compiled.program.entries[usize::from(*at)].node, Node::Some(_));
            let is_any = |at: &At| pattern.compiled.program.entries[usize::from(*at)].node == Node::State(State::Any);
            assert!(chain.conditions().iter().all(|at| is_piece(at) || is_any(at)), "{text}");
        }
    }
}
