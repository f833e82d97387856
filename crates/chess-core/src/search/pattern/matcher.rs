//! Looks for a pattern in games: one replay for each, which stops as soon as the answer is known.
//!
//! Takes a compiled pattern and the bytes of a game; returns the half-moves at which matches end. The header and the bytes
//! tell most games apart before anything is replayed. Then a replay alternates between two ways: it *skips* half-moves
//! that cannot matter, with nothing but the pieces kept up to date, and it *follows* half-moves with all that a program
//! asks for, judging the moments that may make a difference.

use std::sync::Arc;

use super::exclude::prune::Needs;
use super::plan::Plan;
use super::program::{Compiled, Goal, Watch, watch};
use super::step::ending::board_of;
use super::step::evaluate::Values;
use super::step::moment::{Moment, Trace};
use super::step::runs::Runs;
use super::survey::{Choice, Survey};
use crate::board::Board;
use crate::game::pieces::{EMPTY, Pieces};
use crate::game::replay::{BadCode, Replay};
use crate::game::seating::{STANDARD, Start};
use crate::game::state::{Course, Home, Traced};
use crate::game::{CorruptGame, GameRef};
use crate::pause::{self, Pauses};

/// A pattern with the memory that a search needs.
#[derive(Clone, Debug)]
pub struct Matcher {
    plan: Arc<Plan>,
    values: Values,
    runs: Runs,
    moment: Moment,
    /// The change that must come before anything can match in a game from the standard start; `None` if unknown.
    awaited: Option<Watch>,
    /// The work of all searches so far.
    work: u64,
    /// For a pattern whose searches take much work.
    choice: Choice,
    survey: Option<Box<Survey>>,
}

/// A pattern asks for more than a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeedsGame;

/// Work of judging a moment, besides that of the values that are computed, and for each element of a sequence.
const OF_MOMENT: u64 = 300;
const OF_ELEMENT: u64 = 8;
/// Work of reading the header of a game, of reading a byte of its moves, and of replaying a half-move.
const OF_GAME: u64 = 200;
const OF_BYTE: u64 = 1;
const OF_REPLAYED: u64 = 60;
/// How many times as long a unit of the work of steps takes as one of the work of a survey.
const OF_STEPS: u64 = 2;

/// What a search reports of the matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Report {
    /// The half-move at which the first match ends.
    FirstEnd,
    /// All half-moves at which matches end, each with the latest half-move at which such a match began.
    All,
}

impl Matcher {
    pub(super) fn new(plan: Arc<Plan>) -> Matcher {
        let Plan { compiled: Compiled { program, goal, .. }, needs, .. } = &*plan;
        pause::count(program.entries.len());
        let mut values = Values::new(program);
        let mut runs = Runs::default();
        let moment = Moment::start(&STANDARD);
        let awaited = match goal {
            Goal::Moment(_) if needs.from > 0 || needs.at_end => Watch::ALWAYS,
            Goal::Moment(condition) => {
                values.holds(program, &moment, *condition);
                values.awaited(*condition)
            }
            Goal::Chain(chain) => {
                runs = Runs::new(chain, program);
                let began = runs.advance(chain, program, &mut values, &moment);
                // A search that begins later has not seen what began here.
                if began.is_some() || runs.is_under_way() { Watch::ALWAYS } else { runs.watch(chain, &values) }
            }
        };
        let elements = if let Goal::Chain(chain) = goal { chain.elements.len() } else { 0 };
        let choice = Choice::new(program, elements);
        let awaited = Some(awaited).filter(|watch| watch.causes & watch::ALWAYS == 0 || watch.squares != !0);
        Matcher { plan, values, runs, moment, awaited, work: 0, choice, survey: None }
    }

    /// The first half-move, at most `limit`, at which a match ends; 0 is the start.
    ///
    /// # Errors
    ///
    /// [`CorruptGame`] if the stored bytes do not decode. Only what had to be read is checked.
    pub fn find(&mut self, game: GameRef<'_>, limit: u32) -> Result<Option<u32>, CorruptGame> {
        // It has a faster loop of its own.
        if let Some(material) = self.plan.material {
            let is_replayed = u32::from(game.remains().pieces) <= material.total();
            self.work += OF_GAME + u64::from(is_replayed) * OF_REPLAYED * u64::from(game.ply_count());
            return material.find(game, limit);
        }
        let mut found = None;
        self.search(game, limit, Report::FirstEnd, |_, last| {
            found = Some(last);
            true
        })?;
        Ok(found)
    }

    /// Calls `visit` for every half-move at which a match ends, in order, with the latest half-move at which such a
    /// match begins, and that half-move itself; `visit` returns true to stop.
    pub fn each(&mut self, game: GameRef<'_>, visit: impl FnMut(u32, u32) -> bool) -> Result<(), CorruptGame> {
        self.search(game, u32::MAX, Report::All, visit)
    }

    /// The same, but each game is surveyed if it can be, or none is. The answers do not depend on that, only the time that
    /// they take.
    #[must_use]
    pub fn surveying(mut self, surveys: bool) -> Matcher {
        self.choice.fix(surveys);
        self
    }

    /// The work of all searches so far, in about the instructions that they took. It is counted, not measured: the same
    /// searches take the same work.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Whether a board matches.
    ///
    /// Mate and stalemate are those of a legal position; an illegal one is neither.
    ///
    /// # Errors
    ///
    /// [`NeedsGame`] if the pattern asks for moves or for time.
    pub fn is_on(&mut self, board: &Board) -> Result<bool, NeedsGame> {
        let Compiled { program, goal, finish, .. } = &self.plan.compiled;
        let Goal::Moment(at) = goal else { return Err(NeedsGame) };
        if program.needs_game {
            return Err(NeedsGame);
        }
        let mut moment = Moment::board(board);
        if finish.matters() {
            finish.of(&mut moment, || board.clone());
        }
        self.values.clear();
        Ok(self.values.holds(program, &moment, *at))
    }

    #[inline]
    fn search(
        &mut self,
        game: GameRef<'_>,
        limit: u32,
        report: Report,
        mut found: impl FnMut(u32, u32) -> bool,
    ) -> Result<(), CorruptGame> {
        self.work += OF_GAME;
        if self.plan.required.is_some() {
            self.work += OF_BYTE * game.moves().len() as u64;
        }
        let Some(window) = self.plan.window(game, limit) else { return Ok(()) };
        // A survey does not find out when the matches of a sequence began. So it only tells whether there is one; if so, the
        // game is searched step by step.
        let asks_beginnings = report == Report::All && !self.is_of_moment();
        let surveyed = match self.choice.is_survey() {
            true => self.survey(game, window, |end| asks_beginnings || found(end, end)),
            false => None,
        };
        match surveyed {
            Some(has_match) if !has_match || !asks_beginnings => Ok(()),
            _ => self.step(game, window, surveyed.is_none(), found),
        }
    }

    fn is_of_moment(&self) -> bool {
        matches!(self.plan.compiled.goal, Goal::Moment(_))
    }

    /// Judges all half-moves of a window at once: whether any has a match; `None` for a game that cannot be surveyed.
    #[inline]
    fn survey(
        &mut self,
        game: GameRef<'_>,
        (from, until): (u32, u32),
        mut found: impl FnMut(u32) -> bool,
    ) -> Option<bool> {
        let from = if self.is_of_moment() { from } else { 0 };
        let survey = self.survey.get_or_insert_with(|| Box::new(Survey::new()));
        let mut first = None;
        let is_surveyed = survey.search(&self.plan.compiled, game, (from, until), |end| {
            first = first.or(Some(end));
            found(end)
        });
        if !is_surveyed {
            return None;
        }
        let last = until.min(game.ply_count());
        self.work += survey.work;
        self.choice.surveyed(survey.work, (first.unwrap_or(last), last));
        Some(first.is_some())
    }

    /// Replays a window of a game, and judges one half-move after the other. The choice between the ways `learns` from it.
    #[inline]
    fn step(
        &mut self,
        game: GameRef<'_>,
        (from, until): (u32, u32),
        learns: bool,
        found: impl FnMut(u32, u32) -> bool,
    ) -> Result<(), CorruptGame> {
        let Matcher { plan, values, runs, moment, awaited, work, choice, .. } = self;
        let (compiled, needs) = (&plan.compiled, &plan.needs);
        let start = game.start_position()?;
        let last = game.ply_count();
        values.work = 0;
        if let Goal::Chain(_) = compiled.goal {
            runs.reset();
        }
        let judge = Judge {
            compiled,
            steps: plan.steps,
            values,
            runs,
            start: &start,
            from,
            last,
            found,
            active: Watch::ALWAYS,
            judged: 0,
            pauses: Pauses::default(),
        };
        let mut search = Search {
            replay: Replay::new(&start),
            moves: game.moves(),
            at: 0,
            ply: 0,
            until,
            moment,
            judge,
            losses: Losses { needs, by_half_move: [needs.keeps(), needs.can_be_lost()] },
            total: start.state.count,
            now: Trace::NONE,
            before: Trace::NONE,
            changed: Watch::ALWAYS,
        };
        // A condition may look at the two half-moves before.
        let done = match from {
            3.. => search.run_from(from - 2),
            _ => search.run(awaited.filter(|_| !game.has_custom_start() && last > 0)),
        };
        let (judged, searched) = (u64::from(search.judge.judged), search.ply);
        let of_moment = match &compiled.goal {
            Goal::Moment(_) => OF_MOMENT,
            Goal::Chain(chain) => 2 * OF_MOMENT + OF_ELEMENT * chain.elements.len() as u64,
        };
        let of_steps = values.work + of_moment * judged + OF_REPLAYED * u64::from(searched);
        *work += OF_STEPS * of_steps;
        if learns {
            choice.stepped(OF_STEPS * of_steps, (searched, until.min(last)));
        }
        done
    }
}

/// Judges the moments of a game.
struct Judge<'a, F> {
    compiled: &'a Compiled,
    /// Most steps for one moment.
    steps: u32,
    values: &'a mut Values,
    runs: &'a mut Runs,
    start: &'a Start,
    /// The first half-move that matters, and the last of the game.
    from: u32,
    last: u32,
    found: F,
    /// The changes that can affect the search in its current state.
    active: Watch,
    /// The number of moments that have been judged.
    judged: u32,
    pauses: Pauses,
}

impl<F: FnMut(u32, u32) -> bool> Judge<'_, F> {
    /// Judges the moment after the half-move that a replay has just played.
    ///
    /// It stays out of line: most half-moves do not come here, and without it the loop of the replay is small.
    #[inline(never)]
    fn judge_played(
        &mut self,
        moment: &mut Moment,
        pieces: &Pieces,
        state: Traced,
        (before, ply): (Trace, u32),
        changed: Watch,
    ) -> bool {
        moment.settle(state, ply);
        if self.compiled.asks_move {
            moment.settle_move(self.start, pieces, state, before);
        }
        self.judge(moment, pieces, state.course, changed)
    }

    /// Judges a moment with what has changed since the previous one; returns whether the search is over.
    #[inline(always)]
    fn judge(&mut self, moment: &mut Moment, pieces: &Pieces, state: Course, changed: Watch) -> bool {
        let Compiled { program, goal, finish, .. } = self.compiled;
        self.pauses.steps(self.steps);
        self.judged = self.judged.wrapping_add(1);
        if changed == Watch::ALWAYS {
            self.values.clear();
        } else {
            self.values.change(changed);
        }
        moment.is_last = moment.ply == self.last;
        if moment.is_last && finish.matters() {
            finish.of(moment, || board_of(self.start, pieces, state));
        }
        match goal {
            Goal::Moment(_) if moment.ply < self.from => false,
            Goal::Moment(condition) => {
                let holds = self.values.holds(program, moment, *condition);
                self.active = self.values.awaited(*condition);
                holds && (self.found)(moment.ply, moment.ply)
            }
            Goal::Chain(chain) => {
                let began = self.runs.advance(chain, program, self.values, moment);
                self.active = self.runs.watch(chain, self.values);
                began.is_some_and(|began| (self.found)(began, moment.ply))
            }
        }
    }
}

/// Tells whether no later moment can match, because something that a match needs is lost.
#[derive(Clone, Copy)]
struct Losses<'a> {
    needs: &'a Needs,
    /// Whether a half-move that takes nothing, and one that takes a piece, can lose it.
    by_half_move: [bool; 2],
}

impl Losses<'_> {
    #[inline(always)]
    fn has_lost(&self, took: bool, total: u32, home: Home) -> bool {
        self.by_half_move[usize::from(took)] && self.needs.is_lost(total, home)
    }
}

/// A search in one game.
struct Search<'a, F> {
    replay: Replay<'a, Traced>,
    moves: &'a [u8],
    /// The byte that comes next.
    at: usize,
    /// Half-moves played, and to be played at most.
    ply: u32,
    until: u32,
    moment: &'a mut Moment,
    judge: Judge<'a, F>,
    losses: Losses<'a>,
    /// The number of pieces while half-moves are skipped, and the last two half-moves.
    total: u32,
    now: Trace,
    before: Trace,
    /// What has changed since the last moment that was judged.
    changed: Watch,
}

/// The rule by which half-moves are skipped.
#[derive(Clone, Copy)]
enum Until {
    /// Skip until a half-move meets this watch.
    Met(Watch),
    /// Skip until enough pieces have been captured.
    Thinned,
}

impl<F: FnMut(u32, u32) -> bool> Search<'_, F> {
    /// Searches the half-moves behind the first `skipped` ones.
    fn run_from(&mut self, skipped: u32) -> Result<(), CorruptGame> {
        self.ply = self.replay.run_on(self.moves, &mut self.at, skipped, |_, _| false)?;
        self.moment.set_up(&self.replay.pieces, self.replay.state.course, self.ply);
        if self.losses.has_lost(true, self.moment.total, self.replay.state.home) || self.follow()? {
            return Ok(());
        }
        let until = Until::Met(self.judge.active);
        self.alternate(until)
    }

    /// Searches from the start, where `awaited` is what must change before anything can match.
    fn run(&mut self, awaited: Option<Watch>) -> Result<(), CorruptGame> {
        let Start { pieces, state, .. } = self.judge.start;
        let course = state.course;
        let is_moment = matches!(self.judge.compiled.goal, Goal::Moment(_));
        let until = if is_moment && self.losses.needs.is_early(course.home, self.total) {
            Some(Until::Thinned)
        } else {
            awaited.map(Until::Met)
        };
        if until.is_none() {
            self.moment.set_up(pieces, course, 0);
            if self.judge.judge(self.moment, pieces, course, Watch::ALWAYS) {
                return Ok(());
            }
            self.changed = Watch::NEVER;
        }
        if self.losses.has_lost(true, self.total, course.home) {
            return Ok(());
        }
        let until = match until {
            Some(until) => until,
            None if self.follow()? => return Ok(()),
            None => Until::Met(self.judge.active),
        };
        self.alternate(until)
    }

    /// Skips and follows half-moves in turns.
    fn alternate(&mut self, mut until: Until) -> Result<(), CorruptGame> {
        loop {
            if !self.skip(until)? || self.take_up() {
                return Ok(());
            }
            if !self.judge.active.is_narrow() {
                self.changed = Watch::NEVER;
                if self.follow()? {
                    return Ok(());
                }
            }
            until = Until::Met(self.judge.active);
        }
    }

    /// Plays half-moves up to one that matters; returns false if there is none.
    #[inline(never)]
    fn skip(&mut self, until: Until) -> Result<bool, CorruptGame> {
        let needs = self.losses.needs;
        // Two loops, so that each has few variables.
        match until {
            Until::Met(watch) => self.skip_until(|now, pieces, state, _| now.touches(pieces, state.turn, watch)),
            Until::Thinned => self.skip_until(|_, _, state, total| !needs.is_early(state.home, total)),
        }
    }

    #[inline(always)]
    fn skip_until(&mut self, matters: impl Fn(Trace, &Pieces, Traced, u32) -> bool) -> Result<bool, CorruptGame> {
        // Local variables can stay in registers.
        let (mut now, mut before, mut total) = (self.now, self.before, self.total);
        let losses = self.losses;
        let mut happens = false;
        let run = self.replay.run_on(self.moves, &mut self.at, self.until - self.ply, |pieces, state: Traced| {
            before = now;
            now = Trace::of(state);
            total = total.wrapping_sub(now.takes().into());
            happens = matters(now, pieces, state, total);
            happens || losses.has_lost(now.takes(), total, state.home)
        });
        let played = self.ply;
        self.ply += run.map_err(|error| corrupt(played, error))?;
        (self.now, self.before, self.total) = (now, before, total);
        Ok(happens)
    }

    /// Judges the moment that half-moves were skipped to; returns whether the search is over.
    #[inline(always)]
    fn take_up(&mut self) -> bool {
        let Search { replay, ply, moment, judge, .. } = self;
        moment.set_up(&replay.pieces, replay.state.course, *ply);
        judge.judge_played(moment, &replay.pieces, replay.state, (self.before, *ply), Watch::ALWAYS)
            || self.losses.has_lost(true, self.total, self.replay.state.home)
    }

    /// Follows half-moves until so few matter that they can be skipped; returns whether the search is over.
    #[inline(never)]
    fn follow(&mut self) -> Result<bool, CorruptGame> {
        let Search { replay, moves, at, moment, judge, .. } = self;
        let (losses, causes, played) = (self.losses, judge.compiled.program.causes, self.ply);
        // Local variables can stay in registers.
        let (mut ply, mut changed, mut active) = (self.ply, self.changed, judge.active);
        let (mut now, mut before) = (self.now, self.before);
        let mut is_over = true;
        let run = replay.run_on(moves, at, self.until - played, |pieces, state: Traced| {
            ply += 1;
            before = now;
            now = Trace::of(state);
            let here = moment.follow(pieces, state, now);
            if here.causes & causes != 0 {
                changed = changed.or(here);
            }
            if here.touches(active) {
                let since = std::mem::replace(&mut changed, Watch::NEVER);
                if judge.judge_played(moment, pieces, state, (before, ply), since) {
                    return true;
                }
                active = judge.active;
                is_over = !active.is_narrow();
            }
            !is_over || losses.has_lost(state.taken != EMPTY, moment.total, state.home)
        });
        run.map_err(|error| corrupt(played, error))?;
        (self.ply, self.changed, self.now, self.before) = (ply, changed, now, before);
        self.total = self.moment.total;
        Ok(is_over || self.losses.has_lost(true, self.total, self.replay.state.home))
    }
}

/// The error of a move, counted from the start of the game.
fn corrupt(played: u32, error: BadCode) -> CorruptGame {
    CorruptGame::Move(played + error.ply)
}
