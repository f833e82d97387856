//! Finds what alternative sequences share.
//!
//! Takes trees and returns them as runs of steps, in groups that begin or end alike. A search then follows a step once that
//! several alternatives share. Images of a sequence share each step that names no squares.

use std::collections::HashMap;

use crate::search::pattern::language::tree::{Link, Timed};

/// Steps one after another, and the links between them.
#[derive(Clone, Debug)]
pub(super) struct Run<'a> {
    pub steps: Vec<&'a Timed>,
    pub links: Vec<&'a Link>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Start,
    End,
}

/// Several runs that share steps on one side.
pub(super) struct Group<'a> {
    pub shared: Run<'a>,
    /// It stands between the shared steps and the others.
    pub link: &'a Link,
    pub others: Vec<Run<'a>>,
}

impl<'a> Run<'a> {
    /// Returns the steps of a tree. Those of a sequence inside of it are among them.
    pub fn of(timed: &'a Timed) -> Run<'a> {
        match timed {
            Timed::Sequence(first, rest) => rest.iter().fold(Run::of(first), |mut run, (link, next)| {
                let next = Run::of(next);
                run.links.push(link);
                run.links.extend(next.links);
                run.steps.extend(next.steps);
                run
            }),
            Timed::Transform(_, inner) => Run::of(inner),
            _ => Run { steps: vec![timed], links: Vec::new() },
        }
    }

    /// Returns the step with the number `n`, counted from 0 at this side, and the link to the next one. Returns `None` for
    /// the last step, which has no such link, so that no group shares all steps of a run.
    fn at(&self, side: Side, n: usize) -> Option<(&'a Timed, &'a Link)> {
        let link = if side == Side::Start { n } else { self.links.len().checked_sub(n + 1)? };
        let step = if side == Side::Start { link } else { link + 1 };
        Some((self.steps.get(step)?, self.links.get(link)?))
    }

    fn part(&self, from: usize, to: usize) -> Run<'a> {
        Run { steps: self.steps[from..to].to_vec(), links: self.links[from..to - 1].to_vec() }
    }
}

/// Returns the groups of runs that share steps on one side, and the runs that share none.
pub(super) fn grouped<'a>(runs: Vec<Run<'a>>, side: Side) -> (Vec<Group<'a>>, Vec<Run<'a>>) {
    let mut alike: Vec<Vec<Run>> = Vec::new();
    let mut known = HashMap::new();
    for run in runs {
        let new = alike.len();
        match run.at(side, 0).map_or(new, |outer| *known.entry(outer).or_insert(new)) {
            n if n < new => alike[n].push(run),
            _ => alike.push(vec![run]),
        }
    }
    let (mut groups, mut alone) = (Vec::new(), Vec::new());
    for mut runs in alike {
        let first = &runs[0];
        let is_shared = |n: &usize| {
            let outer = first.at(side, *n);
            outer.is_some() && runs.iter().all(|run| run.at(side, *n) == outer)
        };
        let shared = if runs.len() == 1 { 0 } else { (0..).take_while(is_shared).count() };
        if shared == 0 {
            alone.append(&mut runs);
            continue;
        }
        let split = |run: &Run<'a>| {
            let middle = if side == Side::Start { shared } else { run.steps.len() - shared };
            (run.part(0, middle), run.links[middle - 1], run.part(middle, run.steps.len()))
        };
        let (start, link, end) = split(first);
        let others = runs.iter().map(split);
        groups.push(match side {
            Side::Start => Group { shared: start, link, others: others.map(|(_, _, end)| end).collect() },
            Side::End => Group { shared: end, link, others: others.map(|(start, _, _)| start).collect() },
        });
    }
    (groups, alone)
}
