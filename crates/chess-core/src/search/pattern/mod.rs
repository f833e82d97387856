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
//! in a mirror, [`program`] and [`time`] compile, [`prune`] reads headers, and in a replay [`observe`]
//! keeps sets of squares up to date, of which [`evaluate`], with [`structure`] and [`relations`], computes
//! what has changed.
//!
//! # Stability
//!
//! The text that a pattern is [written](std::fmt::Display) as is stored. What a text means does not change.

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
mod structure;
mod time;
mod token;
mod transform;
mod tree;
mod write;

use std::fmt;
use std::sync::{Arc, LazyLock};

use crate::board::Board;
use crate::game::pieces::Pieces;
use crate::game::replay::Replay;
use crate::game::seating::STANDARD;
use crate::game::state::Course;
use crate::game::{CorruptGame, GameRef};
use crate::pause::Pauses;
use ending::{board_of, finish};
use evaluate::Values;
use observe::Moment;
use program::{At, Causes, Node, Program};
use prune::Needs;
use time::{Chain, Runs};
use tree::Timed;

pub use error::{PatternError, PatternErrorKind, limits};
pub use key_tree::{KeyTree, Wanted};
pub use keys::{FREQUENT_KEYS, Families, material_key, pattern_keys, place_of, signature, signature_in};

/// The start of nearly every game.
static STANDARD_MOMENT: LazyLock<Moment> = LazyLock::new(|| Moment::start(&STANDARD));

/// A pattern, checked and compiled.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    compiled: Arc<Compiled>,
}

#[derive(Clone, Debug)]
struct Compiled {
    program: Program,
    goal: Goal,
    needs: Needs,
    /// Whether mate or stalemate matter.
    needs_finish: bool,
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
        let explain = |fault: error::Fault| fault.explain(text);
        let tree = parse::pattern(text).map_err(explain)?;
        let compiled = compile(&tree).map_err(|refused| explain(refused.fault(0)))?;
        Ok(Pattern { text: write::pattern(&tree), compiled: Arc::new(compiled) })
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

    /// Prepares the search in many games.
    pub fn matcher(&self) -> Matcher {
        let compiled = self.compiled.clone();
        let course = match &compiled.goal {
            Goal::Chain(chain) => Runs::new(chain),
            Goal::Moment(_) => Runs::default(),
        };
        Matcher { values: Values::new(&compiled.program), compiled, course }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn compile(tree: &Timed) -> Result<Compiled, transform::Refused> {
    let tree = transform::expand(tree)?;
    let mut program = Program::default();
    let (goal, needs) = match &tree {
        Timed::Moment(condition) => {
            let at = program.condition(condition)?;
            (Goal::Moment(at), Needs::of(&program, at))
        }
        timed => {
            let (chain, needs) = Chain::new(&mut program, timed)?;
            (Goal::Chain(chain), needs)
        }
    };
    let needs_finish = program
        .entries
        .iter()
        .any(|entry| matches!(entry.node, Node::State(tree::State::Mate | tree::State::Stalemate)));
    Ok(Compiled { program, goal, needs, needs_finish })
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
        if self.compiled.needs_finish {
            finish(&mut moment, board);
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
        let Matcher { compiled, values, course } = self;
        let Compiled { program, goal, needs, needs_finish } = &**compiled;
        if !needs.may_match(game) {
            return Ok(());
        }
        let last = game.ply_count();
        let from = if needs.at_end { needs.from.max(last) } else { needs.from };
        let until = limit.min(needs.to);
        if from > last.min(until) {
            return Ok(());
        }
        let start = game.start_position()?;
        let mut replay = Replay::<Course>::new(&start);
        let mut rest = game.moves();
        let mut moment;
        // What a half-move answers may be two half-moves before.
        let skipped = from.saturating_sub(2);
        if skipped > 0 {
            let played = replay.run(rest, skipped, |_, _| false)?;
            rest = rest.get(game.code_len_of(played)..).unwrap_or_default();
            moment = Moment::after(&replay.pieces, replay.state, played);
        } else if game.has_custom_start() {
            moment = Moment::start(&start);
        } else {
            moment = STANDARD_MOMENT.clone();
        }
        values.clear();
        let mut pauses = Pauses::default();
        // What is still to be judged: not the moments before the first that matters.
        let mut prepare = |moment: &mut Moment, pieces: &Pieces, state: Course| {
            pauses.step();
            moment.is_last = moment.ply == last;
            if moment.is_last && *needs_finish {
                finish(moment, &board_of(&start, pieces, state));
            }
            moment.ply >= from
        };
        let (pieces, state) = (&replay.pieces, replay.state);
        let run = match goal {
            Goal::Moment(at) => {
                // What has changed since the condition was last looked at, and what can change its value.
                let mut changed = 0;
                let mut active = 0;
                let mut judge = |moment: &mut Moment, pieces: &Pieces, state: Course, changed: Causes| {
                    values.change(changed);
                    if !prepare(moment, pieces, state) {
                        return (false, !0);
                    }
                    let holds = values.holds(program, moment, *at);
                    // What holds is reported at every half-move.
                    (holds && found(moment.ply, moment.ply), if holds { !0 } else { values.active(*at) })
                };
                let mut stops = false;
                if skipped == 0 {
                    (stops, active) = judge(&mut moment, pieces, state, 0);
                }
                if stops || needs.is_lost(moment.total, state.home) {
                    return Ok(());
                }
                if skipped > 0 {
                    active = !0;
                }
                let can_be_lost = needs.can_be_lost();
                replay.run(rest, until - skipped, |pieces, state| {
                    changed |= moment.follow(pieces, state);
                    if changed & active != 0 {
                        (stops, active) = judge(&mut moment, pieces, state, changed);
                        changed = 0;
                    }
                    stops || can_be_lost && needs.is_lost(moment.total, state.home)
                })
            }
            Goal::Chain(chain) => {
                course.reset();
                let mut judge = |moment: &mut Moment, pieces: &Pieces, state: Course, changed: Causes| {
                    values.change(changed);
                    prepare(moment, pieces, state);
                    let began = course.advance(chain, program, values, moment);
                    began.is_some_and(|began| found(began, moment.ply)) || needs.is_lost(moment.total, state.home)
                };
                if judge(&mut moment, pieces, state, 0) {
                    return Ok(());
                }
                replay.run(rest, until, |pieces, state| {
                    let changed = moment.follow(pieces, state);
                    judge(&mut moment, pieces, state, changed)
                })
            }
        };
        run.map_err(|error| CorruptGame::Move(skipped + error.ply))?;
        Ok(())
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
        let explain = |fault: error::Fault| fault.explain(text);
        let tree = parse::set(text).map_err(explain)?;
        let mut program = Program::default();
        let made = transform::expand(&tree).and_then(|tree| program.set(&tree));
        let at = made.map_err(|refused| explain(refused.fault(0)))?;
        if program.needs_game {
            return Err(explain(error::Fault::new(0, "a board has no half-move that led to it")));
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
