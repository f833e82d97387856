//! Whether the next game is searched step by step or surveyed.
//!
//! Takes the counted work of the searches and surveys so far. Of a game that was searched one way, the work of the other way
//! is estimated: that of steps from the half-moves up to the end of the first match, that of a survey from the stretches
//! and the half-moves of the game. The way that takes less work over all games so far is chosen, so that the same pattern
//! on the same games always goes the same way. The first game is searched step by step, and no pattern is surveyed whose
//! searches take little work.

use super::times::STRETCH;
use crate::search::pattern::program::Program;

/// Searches that take less work than this per half-move are not slow. A half-move of a replay takes 67 instructions.
const LITTLE: u64 = 300;
/// What a survey is expected to take before there has been one: for a half-move, and for each node and each element of a
/// chain, as far as most surveys ask for them.
const OF_HALF_MOVE: u64 = 220;
const OF_PART: u64 = 35;

/// Work over half-moves, or over stretches of games.
#[derive(Clone, Copy, Debug)]
struct Way {
    work: u64,
    over: u64,
}

impl Way {
    const NEW: Way = Way { work: 0, over: 0 };

    fn add(&mut self, work: u64, over: u64) {
        self.work = self.work.saturating_add(work);
        self.over = self.over.saturating_add(over);
    }

    /// Returns the work to expect over this number of half-moves or stretches.
    fn of(&self, over: u64) -> u64 {
        (u128::from(self.work) * u128::from(over) / u128::from(self.over.max(1))) as u64
    }
}

/// Returns the number of stretches of a game.
fn stretches(half_moves: u64) -> u64 {
    half_moves / STRETCH as u64 + 1
}

/// Measured and estimated work of both ways.
#[derive(Clone, Debug)]
pub struct Choice {
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
        let is_less = self.all_steps > LITTLE * self.half_moves && self.all_steps > self.all_surveys;
        self.fixed.unwrap_or(is_less)
    }

    /// Counts a search of a game by steps, which searched `searched` of its half-moves.
    pub fn stepped(&mut self, work: u64, (searched, half_moves): (u32, u32)) {
        let (searched, half_moves) = (u64::from(searched), u64::from(half_moves));
        self.steps.add(work, searched);
        self.all_steps = self.all_steps.saturating_add(work);
        let survey = match self.surveys.over {
            0 => self.expected,
            _ => self.surveys.of(stretches(half_moves)),
        };
        self.all_surveys = self.all_surveys.saturating_add(survey + OF_HALF_MOVE * half_moves);
        self.half_moves += half_moves;
        self.stretches += stretches(half_moves);
    }

    /// Counts a survey of a game, of which steps would have searched `searched` half-moves.
    pub fn surveyed(&mut self, work: u64, (searched, half_moves): (u32, u32)) {
        let half_moves = u64::from(half_moves);
        let is_first = self.surveys.over == 0;
        self.surveys.add(work.saturating_sub(OF_HALF_MOVE * half_moves), stretches(half_moves));
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
