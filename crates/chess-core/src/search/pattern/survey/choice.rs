//! Whether the next game is searched step by step or surveyed.
//!
//! Takes the work of the searches and surveys so far, and how long some of them took. The work of steps is a quarter to
//! all of the instructions that they take, so the times of a few games say what a unit of each way's work costs. Of a game
//! that was searched one way, the work of the other way is estimated: that of steps from the half-moves up to the end of
//! the first match, that of a survey from the stretches and the half-moves of the game. The way that takes less time over
//! all games so far is chosen. The first game is searched step by step, and no pattern is surveyed whose searches take
//! little work.

use std::time::Duration;

use super::times::STRETCH;
use crate::search::pattern::program::Program;

/// Searches that take less work than this per half-move are not slow. A half-move of a replay takes 67 instructions.
const LITTLE: u64 = 150;
/// Work of steps that is not counted, for each half-move.
const OF_STEP: u64 = 60;
/// Before there has been a survey, a unit of the work of steps is taken to last so many times as long as one of a survey. Few
/// surveys that would pay are then left untried.
const MOST_TRUE: u64 = 4;
/// What a survey is expected to take before there has been one: for a half-move, and for each node and each element of a
/// chain, as far as most surveys ask for them.
const OF_HALF_MOVE: u64 = 220;
const OF_PART: u64 = 35;
/// Each way is timed in so many games, because the clock itself takes time.
const TIMED: u32 = 8;
/// A way may turn out to take so many times less than its times say, after none, one and two of them, because code and
/// memory are new to the processor at first.
const DOUBT: [f64; 3] = [f64::INFINITY, 32.0, 4.0];

/// Work over half-moves, or over stretches of games, and the least time, in nanoseconds, that a unit of it took. It is the
/// least because an interruption makes a search longer, never shorter.
#[derive(Clone, Copy, Debug)]
struct Way {
    work: u64,
    over: u64,
    timed: u32,
    price: f64,
}

impl Way {
    const NEW: Way = Way { work: 0, over: 0, timed: 0, price: f64::INFINITY };

    fn add(&mut self, work: u64, over: u64) {
        self.work = self.work.saturating_add(work);
        self.over = self.over.saturating_add(over);
    }

    fn time(&mut self, work: u64, time: Option<Duration>) {
        if let Some(time) = time {
            self.timed += 1;
            self.price = self.price.min(time.as_nanos() as f64 / work.max(1) as f64);
        }
    }

    /// Returns the work for so many half-moves or stretches.
    fn of(&self, many: u64) -> u64 {
        (u128::from(self.work) * u128::from(many) / u128::from(self.over.max(1))) as u64
    }
}

/// Returns how many stretches a game with so many half-moves has.
fn stretches(half_moves: u64) -> u64 {
    half_moves / STRETCH as u64 + 1
}

/// Measured and estimated work of both ways.
#[derive(Clone, Debug)]
pub(in crate::search::pattern) struct Choice {
    steps: Way,
    /// Work over stretches. It leaves out [`OF_HALF_MOVE`], which goes by half-moves.
    surveys: Way,
    /// The work of each way for all games so far, estimated where a game was searched the other way.
    all_steps: u64,
    all_surveys: u64,
    half_moves: u64,
    stretches: u64,
    /// The work of a survey before there has been one, besides that for the half-moves.
    expected: u64,
    /// The answer, if it has been fixed.
    fixed: Option<bool>,
}

impl Choice {
    pub fn new(program: &Program, elements: usize) -> Choice {
        Choice {
            steps: Way::NEW,
            surveys: Way::NEW,
            all_steps: 0,
            all_surveys: 0,
            half_moves: 0,
            stretches: 0,
            expected: OF_PART * (program.entries.len() + elements) as u64,
            fixed: None,
        }
    }

    /// Chooses the same way for all games.
    pub fn fix(&mut self, surveys: bool) {
        self.fixed = Some(surveys);
    }

    /// Whether the next game is surveyed.
    pub fn is_survey(&self) -> bool {
        self.fixed.unwrap_or_else(|| self.all_steps > LITTLE * self.half_moves && self.is_less())
    }

    fn is_less(&self) -> bool {
        if self.surveys.timed == 0 {
            return self.all_steps.saturating_mul(MOST_TRUE) > self.all_surveys;
        }
        let steps = self.all_steps as f64 * self.steps.price;
        let surveys = self.all_surveys as f64 * self.surveys.price;
        // A way that may still turn out to take less is tried again.
        match (DOUBT.get(self.surveys.timed as usize), DOUBT.get(self.steps.timed as usize)) {
            (Some(doubt), _) if surveys < doubt * steps => true,
            (_, Some(doubt)) if steps < doubt * surveys => false,
            _ => surveys < steps,
        }
    }

    /// Returns whether the next search by steps, or survey, is to be timed.
    pub fn is_timed(&self, survey: bool) -> bool {
        let way = if survey { &self.surveys } else { &self.steps };
        self.fixed.is_none() && way.timed < TIMED
    }

    /// Takes in a search by steps of a game, of which so many half-moves were searched.
    pub fn stepped(&mut self, work: u64, (searched, half_moves): (u32, u32), time: Option<Duration>) {
        let (searched, half_moves) = (u64::from(searched), u64::from(half_moves));
        let work = work.saturating_add(OF_STEP * searched);
        self.steps.add(work, searched);
        self.steps.time(work, time);
        self.all_steps = self.all_steps.saturating_add(work);
        let survey = match self.surveys.over {
            0 => self.expected,
            _ => self.surveys.of(stretches(half_moves)),
        };
        self.all_surveys = self.all_surveys.saturating_add(survey + OF_HALF_MOVE * half_moves);
        self.half_moves += half_moves;
        self.stretches += stretches(half_moves);
    }

    /// Takes in a survey of a game, in which steps would have searched so many half-moves.
    pub fn surveyed(&mut self, work: u64, (searched, half_moves): (u32, u32), time: Option<Duration>) {
        let half_moves = u64::from(half_moves);
        let is_first = self.surveys.over == 0;
        self.surveys.add(work.saturating_sub(OF_HALF_MOVE * half_moves), stretches(half_moves));
        self.surveys.time(work, time);
        if is_first {
            // From now on the measured work replaces the expectation.
            self.all_surveys = self.surveys.of(self.stretches) + OF_HALF_MOVE * self.half_moves;
        }
        self.all_surveys = self.all_surveys.saturating_add(work);
        self.all_steps = self.all_steps.saturating_add(self.steps.of(searched.into()));
        self.half_moves += half_moves;
        self.stretches += stretches(half_moves);
    }
}
