//! Patterns: what may happen on the board, and whether, when and how often it happens in a game.
//!
//! Takes a text such as `flip(isolated(Pd))` or `Rxc3 directly Pxc3`; [`Pattern::read`] says what is
//! wrong with it, and where. A [`Matcher`] finds the pattern in games, at the cost of one replay each; it
//! is made once and keeps its memory from game to game.
//!
//! A *moment* is a board together with the half-move that led to it; moment 0 is the start. Whatever is
//! joined by `and` holds at one moment.
//!
//! The path of a pattern: [`lex`], [`literals`] and [`parse`] make a [`tree`], [`transform`] writes out what is the same
//! in a mirror within a [`budget`], [`program`] and [`time`] compile, [`prune`] reads headers, [`required`] follows the pieces, and in a
//! replay [`observe`] keeps sets of squares up to date, of which [`evaluate`], with [`structure`] and [`relations`],
//! computes what has changed.
//!
//! # Stability
//!
//! The text that a pattern is [written](std::fmt::Display) as is stored. What a text means does not change.

mod advice;
mod budget;
mod cursor;
mod ending;
mod error;
mod evaluate;
mod key_tree;
mod keys;
mod lex;
mod literals;
mod observe;
mod parse;
mod possible;
mod program;
mod prune;
mod relations;
mod required;
mod structure;
mod time;
mod token;
mod transform;
mod tree;
mod write;

use std::fmt;
use std::sync::Arc;

use crate::board::Board;
use crate::game::pieces::{EMPTY, Pieces};
use crate::game::replay::{BadCode, Replay};
use crate::game::seating::STANDARD;
use crate::game::state::{Course, Home, Traced};
use crate::game::{CorruptGame, GameRef};
use crate::pause::{self, Pauses};
use budget::Budget;
use ending::{Finish, board_of};
use error::Fault;
use evaluate::Values;
use observe::{Moment, Trace};
use parse::Parsed;
use program::{At, Node, Program, Watch};
use prune::Needs;
use required::Required;
use time::{Chain, Runs};
use tree::{State, Timed};

pub use error::{PatternError, PatternErrorKind, limits};
pub use key_tree::{KeyTree, Wanted};
pub use keys::{FREQUENT_KEYS, Families, material_key, pattern_keys, place_of, signature, signature_in};
pub use possible::Certainty;

/// A pattern, checked and compiled.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    compiled: Arc<Compiled>,
}

#[derive(Clone, Debug)]
struct Compiled {
    program: Arc<Program>,
    goal: Goal,
    needs: Needs,
    /// Moves that a match needs, in a game from the standard start.
    required: Option<Required>,
    finish: Finish,
    /// Most steps for one moment.
    steps: u32,
}

#[derive(Clone, Debug)]
enum Goal {
    /// A condition of one moment.
    Moment(At),
    Chain(Chain),
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// [`PatternError`] with the place, if the text is not a pattern or exceeds one of the [`limits`].
    ///
    /// # Examples
    ///
    /// ```
    /// use chess_core::search::pattern::Pattern;
    ///
    /// assert_eq!(Pattern::read("Nd5 not [bn]  attacks d5")?.to_string(), "Nd5 and not [nb] attacks d5");
    /// assert_eq!(Pattern::read("Nd9").unwrap_err().at, 3);
    /// # Ok::<_, chess_core::search::pattern::PatternError>(())
    /// ```
    pub fn read(text: &str) -> Result<Pattern, PatternError> {
        read(text).map_err(|fault| fault.explain(text))
    }

    /// Its canonical text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it asks for moves or for time, so that a board alone cannot match.
    pub fn needs_game(&self) -> bool {
        self.compiled.program.needs_game
    }

    /// The keys that a game must have for the pattern to occur in it, of these families.
    pub fn key_tree(&self, families: Families) -> KeyTree {
        let Compiled { program, goal, .. } = &*self.compiled;
        match goal {
            Goal::Moment(at) => KeyTree::of_moment(program, *at, families),
            Goal::Chain(chain) => KeyTree::of_chain(program, chain, families),
        }
    }

    /// With which material the pattern holds wherever the pieces stand; `None` if it takes more than one moment.
    pub fn certainty(&self) -> Option<Certainty> {
        match &self.compiled.goal {
            Goal::Moment(at) => Some(Certainty::of(&self.compiled.program, *at)),
            Goal::Chain(_) => None,
        }
    }

    /// What the search in a game costs, in units of about 10 ns, as measured on 184,627 games (docs/performance.md): little where
    /// the headers of games tell most of them apart, much where several moments are followed.
    pub fn cost(&self) -> f64 {
        let Compiled { goal, needs, .. } = &*self.compiled;
        match goal {
            _ if needs.exclude_most() => 20.0,
            Goal::Moment(_) => 100.0,
            Goal::Chain(_) => 250.0,
        }
    }

    /// Prepares the search in many games.
    pub fn matcher(&self) -> Matcher {
        let compiled = self.compiled.clone();
        let Compiled { program, goal, needs, .. } = &*compiled;
        pause::count(program.entries.len());
        let mut values = Values::new(program);
        let mut course = Runs::default();
        let moment = Moment::start(&STANDARD);
        let awaited = match goal {
            Goal::Moment(_) if needs.from > 0 || needs.at_end => Watch::ALWAYS,
            Goal::Moment(condition) => {
                values.holds(program, &moment, *condition);
                values.awaited(*condition)
            }
            Goal::Chain(chain) => {
                course = Runs::new(chain);
                let began = course.advance(chain, program, &mut values, &moment);
                if began.is_some() { Watch::ALWAYS } else { course.watch(chain, &values) }
            }
        };
        let awaited = Some(awaited).filter(|watch| watch.causes & program::ALWAYS == 0 || watch.squares != !0);
        Matcher { compiled, values, course, moment, awaited }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn read(text: &str) -> Result<Pattern, Fault> {
    let Parsed { tree, transforms } = parse::pattern(text)?;
    let spelling = write::pattern(&tree);
    // Stored patterns stay readable, even if they exceed the current limit for typed text.
    if spelling != text {
        if text.len() > limits::BYTES {
            return Err(Fault::too_long(text, "the text", text.len()));
        }
        if spelling.len() > limits::BYTES {
            return Err(Fault::too_long(text, "the one spelling of the text", spelling.len()));
        }
    }
    let compiled = compile(&tree, Budget::new(transforms))?;
    Ok(Pattern { text: spelling, compiled: Arc::new(compiled) })
}

fn compile(tree: &Timed, mut budget: Budget) -> Result<Compiled, Fault> {
    let tree = transform::expand(tree, &mut budget)?;
    let mut program = Program::new(budget);
    let (goal, needs, required) = match &tree {
        Timed::Moment(condition) => {
            let at = program.condition(condition)?;
            (Goal::Moment(at), Needs::of(&program, at), Required::of_moment(&program, at))
        }
        timed => {
            let (chain, needs) = Chain::new(&mut program, timed)?;
            let required = Required::of_chain(&program, &chain);
            (Goal::Chain(chain), needs, required)
        }
    };
    let has = |state| program.entries.iter().any(|entry| entry.node == Node::State(state));
    let finish = Finish { mate: has(State::Mate), stalemate: has(State::Stalemate) };
    let elements = if let Goal::Chain(chain) = &goal { chain.elements.len() } else { 0 };
    let steps = (program.steps() + elements / 8) as u32;
    Ok(Compiled { program: Arc::new(program), goal, needs, required, finish, steps })
}

/// A pattern asks for more than a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeedsGame;

/// A pattern with the memory that a search needs.
#[derive(Clone, Debug)]
pub struct Matcher {
    compiled: Arc<Compiled>,
    values: Values,
    course: Runs,
    moment: Moment,
    /// What must change before anything can match in a game from the standard start; none if that is not known.
    awaited: Option<Watch>,
}

impl Matcher {
    /// The first half-move, at most `limit`, at which a match ends; 0 is the start.
    ///
    /// # Errors
    ///
    /// [`CorruptGame`] if the stored bytes do not decode. Only what had to be read is checked.
    pub fn find(&mut self, game: GameRef<'_>, limit: u32) -> Result<Option<u32>, CorruptGame> {
        let mut found = None;
        self.search(game, limit, |_, last| {
            found = Some(last);
            true
        })?;
        Ok(found)
    }

    /// Calls `visit` for every half-move at which a match ends, in order, with the latest half-move at which such a
    /// match begins, and that half-move itself; `visit` returns true to stop.
    ///
    /// # Errors
    ///
    /// Those of [`Matcher::find`].
    pub fn each(&mut self, game: GameRef<'_>, visit: impl FnMut(u32, u32) -> bool) -> Result<(), CorruptGame> {
        self.search(game, u32::MAX, visit)
    }

    /// Whether a board matches.
    ///
    /// Mate and stalemate are those of a legal position; an illegal one is neither.
    ///
    /// # Errors
    ///
    /// [`NeedsGame`] if the pattern asks for moves or for time.
    pub fn is_on(&mut self, board: &Board) -> Result<bool, NeedsGame> {
        let Goal::Moment(at) = self.compiled.goal else { return Err(NeedsGame) };
        if self.compiled.program.needs_game {
            return Err(NeedsGame);
        }
        let mut moment = Moment::board(board);
        if self.compiled.finish.matters() {
            self.compiled.finish.of(&mut moment, || board.clone());
        }
        self.values.clear();
        Ok(self.values.holds(&self.compiled.program, &moment, at))
    }

    #[inline]
    fn search(
        &mut self,
        game: GameRef<'_>,
        limit: u32,
        mut found: impl FnMut(u32, u32) -> bool,
    ) -> Result<(), CorruptGame> {
        let Matcher { compiled, values, course, moment, awaited } = self;
        let Compiled { program, goal, needs, required, finish, steps } = &**compiled;
        if !needs.may_match(game) {
            return Ok(());
        }
        let last = game.ply_count();
        let mut from = if needs.at_end { needs.from.max(last) } else { needs.from };
        let until = limit.min(needs.to);
        if from > last.min(until) {
            return Ok(());
        }
        let moves = game.moves();
        if let Some(required) = required
            && !game.has_custom_start()
        {
            match required.first(moves).filter(|first| *first <= until) {
                // Several moments are followed from the first on.
                Some(first) if matches!(goal, Goal::Moment(_)) => from = from.max(first),
                Some(_) => {}
                None => return Ok(()),
            }
        }
        let start = game.start_position()?;
        let mut replay = Replay::<Traced>::new(&start);
        let mut at = 0;
        let mut pauses = Pauses::default();
        // Most needs are lost with a piece only.
        let can_be_lost = [needs.keeps(), needs.can_be_lost()];
        let is_lost = |took: bool, total: u32, home: Home| can_be_lost[usize::from(took)] && needs.is_lost(total, home);
        // What can make a difference to a search as it stands.
        let mut active = Watch::ALWAYS;
        course.reset();
        // Judges a moment; returns whether the search is over.
        let mut judge = |moment: &mut Moment, pieces: &Pieces, state: Course, changed: Watch, active: &mut Watch| {
            pauses.steps(*steps);
            if changed == Watch::ALWAYS {
                values.clear();
            } else {
                values.change(changed);
            }
            moment.is_last = moment.ply == last;
            if moment.is_last && finish.matters() {
                finish.of(moment, || board_of(&start, pieces, state));
            }
            match goal {
                // Moments before the first that matters.
                Goal::Moment(_) if moment.ply < from => false,
                Goal::Moment(condition) => {
                    let holds = values.holds(program, moment, *condition);
                    *active = values.awaited(*condition);
                    holds && found(moment.ply, moment.ply)
                }
                Goal::Chain(chain) => {
                    let began = course.advance(chain, program, values, moment);
                    *active = course.watch(chain, values);
                    began.is_some_and(|began| found(began, moment.ply))
                }
            }
        };

        // What a half-move answers may be two half-moves before.
        let skipped = from.saturating_sub(2);
        let is_early = |home: Home, total: u32| matches!(goal, Goal::Moment(_)) && needs.is_early(home, total);
        let (home, mut total) = (start.state.course.home, start.state.count);
        let mut gated = false;
        let mut ply = 0;
        // The half-moves that must be looked at; until then nothing is kept up to date.
        let mut light = None;
        let (mut now, mut before) = (Trace::NONE, Trace::NONE);
        // Changes since the previous evaluated moment; before the first, everything counts as changed.
        let mut changed = Watch::ALWAYS;
        if skipped > 0 {
            ply = replay.run_on(moves, &mut at, skipped, |_, _| false)?;
            moment.set_up(&replay.pieces, replay.state.course, ply, Trace::NONE);
            if is_lost(true, moment.total, replay.state.home) {
                return Ok(());
            }
        } else {
            gated = is_early(home, total);
            light = awaited.filter(|_| !game.has_custom_start() && last > 0);
            if gated {
                light = Some(Watch::NEVER);
            }
            if light.is_none() {
                moment.set_up(&start.pieces, start.state.course, 0, Trace::NONE);
                if judge(moment, &start.pieces, start.state.course, Watch::ALWAYS, &mut active) {
                    return Ok(());
                }
                changed = Watch::NEVER;
            }
            if is_lost(true, total, home) {
                return Ok(());
            }
        }
        loop {
            let played = ply;
            let corrupt = |error: BadCode| CorruptGame::Move(played + error.ply);
            let mut happens = false;
            if let Some(watch) = light {
                let run = replay.run_on(moves, &mut at, until - ply, |pieces, state: Traced| {
                    before = now;
                    now = Trace::of(state);
                    total = total.wrapping_sub(now.takes().into());
                    happens = if gated { !is_early(state.home, total) } else { now.touches(pieces, state.turn, watch) };
                    happens || is_lost(now.takes(), total, state.home)
                });
                ply += run.map_err(corrupt)?;
                if !happens {
                    return Ok(());
                }
                gated = false;
                moment.set_up(&replay.pieces, replay.state.course, ply, before);
                moment.settle(&start, &replay.pieces, replay.state, ply);
                if judge(moment, &replay.pieces, replay.state.course, Watch::ALWAYS, &mut active)
                    || is_lost(true, total, replay.state.home)
                {
                    return Ok(());
                }
                if active.is_narrow() {
                    light = Some(active);
                    continue;
                }
                changed = Watch::NEVER;
            }
            let played = ply;
            let corrupt = |error: BadCode| CorruptGame::Move(played + error.ply);
            let mut is_over = true;
            let run = replay.run_on(moves, &mut at, until - ply, |pieces, state: Traced| {
                ply += 1;
                let here = moment.follow(pieces, state);
                if here.causes & program.causes != 0 {
                    changed = changed.or(here);
                }
                if here.touches(active) {
                    moment.settle(&start, pieces, state, ply);
                    if judge(moment, pieces, state.course, std::mem::replace(&mut changed, Watch::NEVER), &mut active) {
                        return true;
                    }
                    is_over = !active.is_narrow();
                }
                !is_over || is_lost(state.taken != EMPTY, moment.total, state.home)
            });
            run.map_err(corrupt)?;
            if is_over || is_lost(true, moment.total, replay.state.home) {
                return Ok(());
            }
            (now, total, light) = (moment.trace(), moment.total, Some(active));
        }
    }
}

/// A set of squares in the language of patterns, such as `passed(P)` or `A attacks k`.
#[derive(Clone, Debug)]
pub struct SquareSet {
    program: Program,
    at: At,
    values: Values,
}

impl SquareSet {
    /// Reads a set.
    ///
    /// # Errors
    ///
    /// [`PatternError`] with the place, if the text is not a set or asks for moves.
    pub fn read(text: &str) -> Result<SquareSet, PatternError> {
        SquareSet::compile(text).map_err(|fault| fault.explain(text))
    }

    fn compile(text: &str) -> Result<SquareSet, Fault> {
        let Parsed { tree, transforms } = parse::set(text)?;
        if text.len() > limits::BYTES {
            return Err(Fault::too_long(text, "the text", text.len()));
        }
        let mut budget = Budget::new(transforms);
        let tree = transform::expand(&tree, &mut budget)?;
        let mut program = Program::new(budget);
        let at = program.set(&tree)?;
        if program.needs_game {
            return Err(Fault::new(0, "a board has no half-move that led to it"));
        }
        Ok(SquareSet { values: Values::new(&program), program, at })
    }

    /// The squares on a board, bit 0 for a1.
    ///
    /// # Examples
    ///
    /// ```
    /// use chess_core::{Board, search::pattern::SquareSet};
    ///
    /// assert_eq!(SquareSet::read("P | N[edge]")?.of(&Board::default()), 0xff42);
    /// # Ok::<_, chess_core::search::pattern::PatternError>(())
    /// ```
    pub fn of(&mut self, board: &Board) -> u64 {
        self.values.clear();
        self.values.value(&self.program, &Moment::board(board), self.at)
    }
}
