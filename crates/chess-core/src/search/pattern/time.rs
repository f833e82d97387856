//! Patterns that take several half-moves: steps, and what lies between them.
//!
//! Takes a tree, returns a chain of elements that is advanced with the replay, one half-move at a
//! time, so that the first match ends it and a step is looked at only once the one before it has been
//! seen. Each link remembers when the step before it ended, and the latest half-move at which such a match
//! began; nothing is allocated that has not been needed by an earlier game.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use super::error::Fault;
use super::evaluate::Values;
use super::keys::promoted_from;
use super::observe::Moment;
use super::program::{ALWAYS, At, Program, Step, Watch};
use super::prune::Needs;
use super::transform::Tree;
use super::tree::{Condition, Designator, Timed, WHATEVER};
use crate::board::squares::members;

/// When an element may begin.
#[derive(Clone, Copy, Debug)]
pub(super) enum Input {
    Always,
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
}

/// How much later the element behind a link begins, and what holds in between.
#[derive(Clone, Copy, Debug)]
struct Gap {
    from: u32,
    to: Option<u32>,
    while_: Option<At>,
}

/// The elements of a timed pattern.
#[derive(Clone, Debug, Default)]
pub(super) struct Chain {
    pub elements: Vec<Element>,
    gaps: Vec<Gap>,
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

    /// The elements of `timed`, whose conditions go into `program`; and what a match needs.
    pub fn new(program: &mut Program, timed: &Timed) -> Result<(Chain, Needs), Fault> {
        let mut chain = Chain::default();
        let needs = chain.add(program, timed, Input::Always, Output::Match)?;
        program.needs_game = true;
        Ok((chain, needs.of_any_moment()))
    }

    fn add(&mut self, program: &mut Program, timed: &Timed, input: Input, output: Output) -> Result<Needs, Fault> {
        let (what, needs) = match timed {
            Timed::Moment(condition) => {
                let at = program.condition(condition)?;
                (What::Moment(at), Needs::of(program, at))
            }
            Timed::For(condition, half_moves) => {
                let at = program.condition(condition)?;
                (What::Lasting(at, *half_moves), Needs::of(program, at))
            }
            Timed::Trip(from, moves) => {
                let anywhere = Designator::on(WHATEVER, !0);
                let from = std::iter::once(from).chain(std::iter::repeat(&anywhere));
                let steps = moves.iter().zip(from).map(|((takes, to), from)| Step::new(from, *takes, to, None));
                // A search stores each move for all squares.
                program.spend(8 * moves.len())?;
                (What::Trip(steps.collect()), Needs::NOTHING)
            }
            Timed::Sequence(first, rest) => {
                let mut needs = None::<Needs>;
                let mut input = input;
                let steps = std::iter::once(&**first).chain(rest.iter().map(|(_, next)| next));
                for (n, step) in steps.enumerate() {
                    let link = match rest.get(n) {
                        Some((link, _)) => {
                            let while_ = link.while_.as_ref().map(|guard| program.condition(guard)).transpose()?;
                            self.gaps.push(Gap { from: link.after.from, to: link.after.to, while_ });
                            Some(self.gaps.len() - 1)
                        }
                        None => None,
                    };
                    let of_step = self.add(program, step, input, link.map_or(output, Output::Link))?;
                    needs = Some(needs.map_or(of_step, |needs| needs.then(of_step)));
                    if let Some(link) = link {
                        input = Input::Link(link);
                    }
                }
                return Ok(needs.unwrap_or(Needs::NOTHING));
            }
            Timed::Any(parts) => {
                let mut moments = Vec::new();
                let mut needs = None::<Needs>;
                let mut also = |of_part: Needs| needs = Some(needs.map_or(of_part, |needs| needs.or(of_part)));
                let parts = factored(parts);
                // Joined alternatives are new trees: each of their parts is charged.
                let made = parts.iter().filter(|part| matches!(part, Cow::Owned(_)));
                program.spend(made.map(|part| part.size()).sum())?;
                for part in parts {
                    match &*part {
                        Timed::Moment(condition) => moments.push(condition.clone()),
                        part => also(self.add(program, part, input, output)?),
                    }
                }
                if !moments.is_empty() {
                    let either = Timed::Moment(Condition::Any(moments));
                    also(self.add(program, &either, input, output)?);
                }
                return Ok(needs.unwrap_or(Needs::NOTHING));
            }
            Timed::Transform(_, inner) => return self.add(program, inner, input, output),
        };
        program.spend(1)?;
        self.endings.entry(output).or_default().push(self.elements.len());
        self.elements.push(Element { input, what, output });
        Ok(needs)
    }
}

/// Joins alternatives that begin with the same step and the same link, so that their common prefix is followed once.
fn factored(parts: &[Timed]) -> Vec<Cow<'_, Timed>> {
    let mut groups: Vec<Vec<&Timed>> = Vec::new();
    let mut known = HashMap::new();
    for part in parts {
        let head = match part {
            Timed::Sequence(first, rest) => rest.first().map(|(link, _)| (first, link)),
            _ => None,
        };
        match head.map(|head| *known.entry(head).or_insert(groups.len())).filter(|n| *n < groups.len()) {
            Some(n) => groups[n].push(part),
            None => groups.push(vec![part]),
        }
    }
    groups.into_iter().map(joined).collect()
}

/// Joins sequences with a common beginning; leaves any other group unchanged.
fn joined(group: Vec<&Timed>) -> Cow<'_, Timed> {
    let tails: Option<Vec<Timed>> = group.iter().map(|part| tail(part)).collect();
    match (group.as_slice(), tails) {
        ([Timed::Sequence(first, rest), _, ..], Some(tails)) if !rest.is_empty() => {
            Cow::Owned(Timed::Sequence(first.clone(), vec![(rest[0].0.clone(), Timed::Any(tails))]))
        }
        _ => Cow::Borrowed(group[0]),
    }
}

/// A sequence without its first step.
fn tail(sequence: &Timed) -> Option<Timed> {
    let Timed::Sequence(_, rest) = sequence else { return None };
    let ((_, next), more) = rest.split_first()?;
    Some(if more.is_empty() { next.clone() } else { Timed::Sequence(Box::new(next.clone()), more.to_vec()) })
}

/// The half-move at which what has ended, or may go on, began.
type Began = Option<u32>;

/// When steps before a link have ended.
#[derive(Clone, Debug, Default)]
struct LinkState {
    /// End and beginning of those that end too late for the next step to begin yet.
    waiting: VecDeque<(u32, u32)>,
    /// Those after which it may begin now: later ends have earlier beginnings, so that the first is the latest.
    open: VecDeque<(u32, u32)>,
    /// The latest beginning, where no end of time is set.
    latest: Began,
    /// What the half-move at hand has ended.
    ended: Began,
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

    /// Whether the next step may begin at a half-move.
    fn may_begin(&mut self, gap: &Gap, now: u32) -> Began {
        while let Some((end, began)) = self.waiting.front().copied().filter(|(end, _)| now - end >= gap.from) {
            self.waiting.pop_front();
            if gap.to.is_none() {
                self.latest = self.latest.max(Some(began));
                continue;
            }
            while self.open.back().is_some_and(|(_, other)| *other <= began) {
                self.open.pop_back();
            }
            self.open.push_back((end, began));
        }
        let Some(to) = gap.to else { return self.latest };
        while self.open.front().is_some_and(|(end, _)| now - end > to) {
            self.open.pop_front();
        }
        self.open.front().map(|(_, began)| *began)
    }
}

/// How far an element has come.
#[derive(Clone, Debug)]
enum Progress {
    None,
    /// Half-moves at which a condition began to hold, and when what it ends began.
    Lasting(VecDeque<(u32, u32)>),
    /// How many half-moves it has held.
    Run(u32),
    /// For each square and number of moves made the beginning of such a trip; and the squares where there may be any.
    Trips(Vec<Began>, u64),
}

/// How far the matches of a game have come.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs {
    links: Vec<LinkState>,
    progress: Vec<Progress>,
}

impl Runs {
    pub fn new(chain: &Chain) -> Runs {
        let progress = |element: &Element| match (&element.what, element.input) {
            (What::Moment(_), _) => Progress::None,
            (What::Lasting(..), Input::Always) => Progress::Run(0),
            (What::Lasting(..), Input::Link(_)) => Progress::Lasting(VecDeque::new()),
            (What::Trip(steps), _) => Progress::Trips(vec![None; 64 * steps.len()], 0),
        };
        Runs {
            links: vec![LinkState::default(); chain.gaps.len()],
            progress: chain.elements.iter().map(progress).collect(),
        }
    }

    /// Before the first half-move of a game.
    pub fn reset(&mut self) {
        for link in &mut self.links {
            link.clear();
            link.ended = None;
        }
        for progress in &mut self.progress {
            match progress {
                Progress::None => {}
                Progress::Lasting(begun) => begun.clear(),
                Progress::Run(half_moves) => *half_moves = 0,
                Progress::Trips(squares, on) => {
                    let legs = squares.len() / 64;
                    for square in members(std::mem::take(on)) {
                        squares[legs * usize::from(square)..legs * (usize::from(square) + 1)].fill(None);
                    }
                }
            }
        }
    }

    /// Takes in the next half-move: if matches end with it, the latest half-move at which one began.
    pub fn advance(&mut self, chain: &Chain, program: &Program, values: &mut Values, moment: &Moment) -> Began {
        let now = moment.ply;
        let mut matched = None;
        for (element, progress) in chain.elements.iter().zip(&mut self.progress) {
            let (began, always) = match element.input {
                Input::Always => (Some(now), true),
                Input::Link(link) => (self.links[link].may_begin(&chain.gaps[link], now), false),
            };
            let mut holds = |at: At| values.holds(program, moment, at);
            let ended = match (&element.what, progress) {
                (What::Moment(at), _) => began.filter(|_| holds(*at)),
                (What::Lasting(at, half_moves), Progress::Run(run)) if always => {
                    *run = if holds(*at) { run.saturating_add(1) } else { 0 };
                    (*run >= *half_moves).then(|| now + 1 - half_moves)
                }
                (What::Lasting(at, half_moves), Progress::Lasting(begun)) => {
                    if began.is_none() && begun.is_empty() {
                        continue;
                    }
                    if !holds(*at) {
                        begun.clear();
                        continue;
                    }
                    begun.extend(began.map(|began| (now, began)));
                    let is_over = begun.front().is_some_and(|(from, _)| now - from + 1 >= *half_moves);
                    if is_over { begun.pop_front().map(|(_, began)| began) } else { None }
                }
                (What::Trip(steps), Progress::Trips(squares, on)) => travel(steps, squares, on, moment, began),
                _ => None,
            };
            if ended.is_some() {
                match element.output {
                    Output::Match => matched = matched.max(ended),
                    Output::Link(link) => self.links[link].ended = self.links[link].ended.max(ended),
                }
            }
        }
        for (link, gap) in self.links.iter_mut().zip(&chain.gaps) {
            if let Some(at) = gap.while_
                && !link.is_empty()
                && !values.holds(program, moment, at)
            {
                link.clear();
            }
            link.waiting.extend(link.ended.take().map(|began| (now, began)));
        }
        matched
    }

    /// What the next half-move that must be taken in changes; nothing happens at those before it.
    pub fn watch(&self, chain: &Chain, values: &Values) -> Watch {
        let mut watch = Watch::NEVER;
        for (element, progress) in chain.elements.iter().zip(&self.progress) {
            let may_begin = match element.input {
                Input::Always => true,
                Input::Link(link) => !self.links[link].is_empty(),
            };
            watch = watch.or(match (&element.what, progress) {
                (What::Moment(at), _) if may_begin => values.awaited(*at),
                (What::Lasting(at, _), Progress::Run(0)) => values.awaited(*at),
                (What::Lasting(..), Progress::Run(_)) => Watch::ALWAYS,
                (What::Lasting(at, _), Progress::Lasting(begun)) if may_begin || !begun.is_empty() => {
                    values.awaited(*at)
                }
                (What::Trip(steps), Progress::Trips(_, on)) => {
                    let under_way = if *on == 0 { Watch::NEVER } else { Watch::of(ALWAYS, *on) };
                    let first = steps.first().filter(|_| may_begin).map_or(Watch::NEVER, Step::watch);
                    under_way.or(first)
                }
                _ => Watch::NEVER,
            });
        }
        for (link, gap) in self.links.iter().zip(&chain.gaps) {
            if !link.waiting.is_empty() {
                // Time goes on.
                return Watch::ALWAYS;
            }
            if let Some(at) = gap.while_
                && !link.is_empty()
            {
                watch = watch.or(values.kept(at));
            }
        }
        watch
    }
}

/// Moves the trips that are under way, and begins one.
fn travel(steps: &[Step], squares: &mut [Began], on: &mut u64, moment: &Moment, began: Began) -> Began {
    let played = moment.played()?;
    let begins = began.filter(|_| steps[0].is_played(moment));
    if *on == 0 && begins.is_none() {
        return None;
    }
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
    *on |= 1 << (played.to & 63);
    ended
}
