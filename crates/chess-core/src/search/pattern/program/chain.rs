//! Patterns that take several half-moves: steps, and what lies between them.
//!
//! Takes a tree, returns a chain: elements, each a step of the pattern, and the links between them. What the
//! steps mean, and which of them can occur, is for others to say.

use std::collections::HashMap;

use super::alternatives::{Group, Run, Side, grouped};
use super::compile::Program;
use super::node::{At, Step};
use crate::search::pattern::language::error::Fault;
use crate::search::pattern::language::tree::{Condition, Designator, Link, Timed, WHATEVER, promoted_from};

/// When an element may begin.
#[derive(Clone, Copy, Debug)]
pub enum Input {
    /// At any half-move.
    Always,
    /// When the link says so.
    Link(usize),
}

/// What happens when an element has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Output {
    Link(usize),
    Match,
}

#[derive(Clone, Debug)]
pub enum What {
    Moment(At),
    /// A condition that holds at this number of half-moves in a row.
    Lasting(At, u32),
    /// The moves of one piece.
    Trip(Vec<Step>),
}

impl What {
    /// The node of its condition; none of a trip.
    pub fn condition(&self) -> Option<At> {
        match self {
            What::Moment(at) | What::Lasting(at, _) => Some(*at),
            What::Trip(_) => None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Element {
    pub input: Input,
    pub what: What,
    pub output: Output,
    /// The first and the last half-move at which its condition may hold, as far as is known.
    pub from: u32,
    pub to: u32,
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
pub struct Gap {
    pub from: u32,
    pub to: Option<u32>,
    pub while_: Option<At>,
}

/// The elements of a timed pattern.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    pub elements: Vec<Element>,
    pub gaps: Vec<Gap>,
    /// The elements whose ends lead to each link, or to a match.
    endings: HashMap<Output, Vec<usize>>,
}

/// The moves of a trip, each with the kinds that may make it: one piece makes all of them, as what it set out, or
/// promoted.
pub fn legs(steps: &[Step]) -> impl Iterator<Item = Step> {
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

    /// Which elements a match can contain. It can contain an element only if the element can end, and can be reached from
    /// the start of the chain, and the end of the chain can be reached from it.
    pub fn useful(&self) -> Vec<bool> {
        let (mut useful, _) = self.possible();
        let mut leads_on = vec![false; self.gaps.len()];
        for (n, element) in self.elements.iter().enumerate().rev() {
            useful[n] &= if let Output::Link(link) = element.output { leads_on[link] } else { true };
            if let Input::Link(link) = element.input {
                leads_on[link] |= useful[n];
            }
        }
        useful
    }

    /// Drops the other elements.
    pub fn keep(&mut self, useful: &[bool]) {
        let mut useful = useful.iter();
        self.elements.retain(|_| useful.next() == Some(&true));
        self.endings.clear();
        for (n, element) in self.elements.iter().enumerate() {
            self.endings.entry(element.output).or_default().push(n);
        }
    }

    /// Whether it follows the moves of a piece.
    pub fn has_trips(&self) -> bool {
        self.elements.iter().any(|element| matches!(element.what, What::Trip(_)))
    }

    /// The nodes of its conditions.
    pub fn conditions(&self) -> Vec<At> {
        let of_elements = self.elements.iter().filter_map(|element| element.what.condition());
        of_elements.chain(self.gaps.iter().filter_map(|gap| gap.while_)).collect()
    }

    /// The elements of `timed`, whose conditions go into `program`.
    pub fn new(program: &mut Program, timed: &Timed) -> Result<Chain, Fault> {
        let mut chain = Chain::default();
        chain.add(program, timed, (Input::Always, Output::Match))?;
        program.needs_game = true;
        Ok(chain)
    }

    fn add(&mut self, program: &mut Program, timed: &Timed, (input, output): (Input, Output)) -> Result<(), Fault> {
        let what = match timed {
            Timed::Moment(condition) => What::Moment(program.condition(condition)?),
            Timed::For(condition, half_moves) => What::Lasting(program.condition(condition)?, *half_moves),
            Timed::Trip(from, moves) => {
                let anywhere = Designator::on(WHATEVER, !0);
                let from = std::iter::once(from).chain(std::iter::repeat(&anywhere));
                let steps = moves.iter().zip(from).map(|((takes, to), from)| Step::new(from, *takes, to, None));
                // A search stores each move for all squares.
                program.spend(8 * moves.len())?;
                What::Trip(steps.collect())
            }
            Timed::Sequence(..) => return self.add_run(program, &Run::of(timed), (input, output)),
            Timed::Any(parts) => {
                let runs = parts.iter().map(Run::of).collect();
                return self.add_any(program, runs, (input, output), &[Side::Start, Side::End]);
            }
            Timed::Transform(_, inner) => return self.add(program, inner, (input, output)),
        };
        program.spend(1)?;
        self.elements.push(Element { input, what, output, from: 0, to: u32::MAX });
        Ok(())
    }

    /// Adds a link and returns its place.
    fn link(&mut self, program: &mut Program, link: &Link) -> Result<usize, Fault> {
        let while_ = link.while_.as_ref().map(|guard| program.condition(guard)).transpose()?;
        self.gaps.push(Gap { from: link.after.from, to: link.after.to, while_ });
        Ok(self.gaps.len() - 1)
    }

    fn add_run(&mut self, program: &mut Program, run: &Run, (input, output): (Input, Output)) -> Result<(), Fault> {
        let mut input = input;
        for (n, step) in run.steps.iter().enumerate() {
            let link = run.links.get(n).map(|link| self.link(program, link)).transpose()?;
            self.add(program, step, (input, link.map_or(output, Output::Link)))?;
            input = link.map_or(input, Input::Link);
        }
        Ok(())
    }

    /// Adds alternatives. What several of them begin or end with, on each of these sides, is added once.
    fn add_any(
        &mut self,
        program: &mut Program,
        mut runs: Vec<Run>,
        (input, output): (Input, Output),
        sides: &[Side],
    ) -> Result<(), Fault> {
        program.spend(runs.iter().map(|run| run.steps.len()).sum())?;
        for (n, side) in sides.iter().enumerate() {
            let (groups, alone) = grouped(runs, *side);
            for Group { shared, link, others } in groups {
                let link = self.link(program, link)?;
                if *side == Side::Start {
                    self.add_run(program, &shared, (input, Output::Link(link)))?;
                    self.add_any(program, others, (Input::Link(link), output), sides)?;
                } else {
                    // These runs begin with different steps.
                    self.add_any(program, others, (input, Output::Link(link)), &sides[n..])?;
                    self.add_run(program, &shared, (Input::Link(link), output))?;
                }
            }
            runs = alone;
        }
        let mut moments = Vec::new();
        for run in runs {
            match run.steps.as_slice() {
                [Timed::Moment(condition)] => moments.push(condition.clone()),
                _ => self.add_run(program, &run, (input, output))?,
            }
        }
        if !moments.is_empty() {
            self.add(program, &Timed::Moment(Condition::Any(moments)), (input, output))?;
        }
        Ok(())
    }
}
