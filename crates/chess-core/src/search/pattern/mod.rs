//! Patterns: what may happen on the board, and whether, when and how often it happens in a game.
//!
//! Takes a text such as `flip(isolated(Pd))` or `Rxc3 directly Pxc3`; [`Pattern::read`] says what is wrong with it, and
//! where. A [`Matcher`] looks for the pattern in games, at the cost of one replay each; make it once and use it for many
//! games, because it keeps its memory.
//!
//! A *moment* is a board together with the half-move that led to it; moment 0 is the start. Whatever is joined by `and`
//! holds at one moment.
//!
//! The path of a pattern:
//!
//! 1. [`lex`], [`literals`] and [`parse`] turn the text into a [`tree`].
//! 2. [`transform`] writes out `flip`, `mirror`, `rotate` and `shift`, within a [`budget`].
//! 3. [`program`] and [`time`] compile the tree: conditions become nodes, steps in time a chain.
//! 4. [`prune`] and [`required`] find out what the header and the bytes of a game must say for a match.
//! 5. [`matcher`] replays a game. [`observe`] keeps sets of squares up to date; [`evaluate`], with [`structure`] and
//!    [`relations`], computes what a half-move may have changed; [`runs`] and [`trips`] follow a chain.
//! 6. [`survey`] judges all moments of a game at once instead, if that is less work.
//!
//! # Stability
//!
//! The text that a pattern is [written](std::fmt::Display) as is stored. What a text means does not change.

mod advice;
mod alternatives;
mod bits;
mod budget;
mod cursor;
mod ending;
mod error;
mod evaluate;
mod geometry;
mod key_tree;
mod keys;
mod lex;
mod literals;
mod matcher;
mod observe;
mod parse;
mod possible;
mod program;
mod prune;
mod relations;
mod required;
mod runs;
mod structure;
mod survey;
mod time;
mod token;
mod transform;
mod tree;
mod trips;
mod write;

use std::fmt;
use std::sync::Arc;

use crate::board::Board;
use crate::search::material::Material;
use budget::Budget;
use ending::Finish;
use error::Fault;
use evaluate::Values;
use observe::Moment;
use parse::Parsed;
use possible::{Judge, Verdict};
use program::{At, Node, Program};
use prune::Needs;
use required::Required;
use time::Chain;
use tree::{State, Timed};

pub use error::{PatternError, PatternErrorKind, limits};
pub use key_tree::{KeyTree, Node as KeyNode, Wanted};
pub use keys::{FREQUENT_KEYS, material_key, pattern_keys, place_of, signature, signature_in};
pub use matcher::Matcher;
pub use possible::{Certainty, STANDARD_SIGNATURE};

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
    /// Whether it asks what the last half-move was.
    asks_move: bool,
    /// Most steps for one moment.
    steps: u32,
    /// The fewest half-moves of a game that has a match.
    shortest: u32,
    /// The material, if the pattern is exactly that.
    material: Option<Material>,
}

#[derive(Clone, Debug)]
enum Goal {
    /// A condition of one moment.
    Moment(At),
    /// Steps in time.
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

    /// The keys that a game must have for the pattern to occur in it.
    pub fn key_tree(&self) -> KeyTree {
        let Compiled { program, goal, .. } = &*self.compiled;
        match goal {
            Goal::Moment(at) => KeyTree::of_moment(program, *at),
            Goal::Chain(chain) => KeyTree::of_chain(program, chain),
        }
    }

    /// With which material the pattern holds wherever the pieces stand; `None` if it takes more than one moment.
    pub fn certainty(&self) -> Option<Certainty> {
        match &self.compiled.goal {
            Goal::Moment(at) => Some(Certainty::of(&self.compiled.program, *at)),
            Goal::Chain(..) => None,
        }
    }

    /// The material, if the pattern is exactly that: `KRPPvKR`.
    pub fn material(&self) -> Option<Material> {
        self.compiled.material
    }

    /// The likely work of a search in one game, in the unit of [`Matcher::work`], where no games are known to try the
    /// pattern on. Fitted to 1,000 random patterns; of others it finds six of ten within a factor of 3, because a program
    /// does not say how rare its parts are.
    pub fn likely_work(&self) -> f64 {
        let Compiled { program, goal, needs, required, .. } = &*self.compiled;
        let (elements, roots) = match goal {
            Goal::Moment(at) => (0, vec![*at]),
            Goal::Chain(chain) => (chain.elements.len(), chain.conditions()),
        };
        let nodes = program.reached_from(roots);
        let is_relation = |node: &Node| matches!(node, Node::Attacks(..) | Node::AttackedBy(..) | Node::Between(..));
        let relations = nodes.iter().filter(|entry| is_relation(&entry.node)).count();
        let own: f64 = nodes.iter().map(|entry| f64::from(program.own_cost(entry).max(1))).sum();
        // Most games are told apart by their header, or by the squares that their moves lead to.
        let told_apart = if needs.exclude_most() { 0.09 } else { 1.0 } * if required.is_some() { 0.31 } else { 1.0 };
        let power = |n: f64, exponent: f64| (1.0 + n).powf(exponent);
        1800.0 * told_apart * power(own, 0.11) * power(elements as f64, 0.2) * power(relations as f64, 0.26)
    }

    /// Prepares the search in many games.
    pub fn matcher(&self) -> Matcher {
        Matcher::new(self.compiled.clone())
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
    let material = material_of(&spelling);
    Ok(Pattern { text: spelling, compiled: Arc::new(Compiled { material, ..compiled }) })
}

/// The material that a pattern names, if it is nothing else: `KRP4vKR`.
fn material_of(spelling: &str) -> Option<Material> {
    let mut letters = String::new();
    let mut rest = spelling.chars().peekable();
    while let Some(letter) = rest.next() {
        let mut count = None;
        while let Some(digit) = rest.peek().and_then(|next| next.to_digit(10)) {
            count = Some((10 * count.unwrap_or(0) + digit).min(64));
            rest.next();
        }
        letters.extend(std::iter::repeat_n(letter, count.unwrap_or(1) as usize));
    }
    Material::read(&letters)
}

fn compile(tree: &Timed, mut budget: Budget) -> Result<Compiled, Fault> {
    let tree = transform::expand(tree, &mut budget)?;
    let mut program = Program::new(budget);
    let (goal, needs, required) = match &tree {
        Timed::Moment(condition) => {
            let at = program.condition(condition)?;
            let needs = match Judge::of_any_game(&program, at) {
                Verdict::Never => Needs::IMPOSSIBLE,
                _ => Needs::of(&program, at),
            };
            (Goal::Moment(at), needs, Required::of_moment(&program, at))
        }
        timed => {
            let (chain, needs) = Chain::new(&mut program, timed)?;
            let required = Required::of_chain(&program, &chain);
            (Goal::Chain(chain), needs, required)
        }
    };
    Ok(Compiled::new(Arc::new(program), goal, needs, required))
}

impl Compiled {
    fn new(program: Arc<Program>, goal: Goal, needs: Needs, required: Option<Required>) -> Compiled {
        let has = |state| program.entries.iter().any(|entry| entry.node == Node::State(state));
        let finish = Finish { mate: has(State::Mate), stalemate: has(State::Stalemate) };
        let (elements, shortest, has_trips) = match &goal {
            Goal::Chain(chain) => {
                (chain.elements.len(), chain.ends().map_or(u32::MAX, |(first, _)| first), chain.has_trips())
            }
            Goal::Moment(_) => (0, 0, false),
        };
        let steps = (program.steps() + elements / 8) as u32;
        let asks_move = has_trips || program.entries.iter().any(|entry| entry.node.asks_move());
        Compiled { program, goal, needs, required, finish, asks_move, steps, shortest, material: None }
    }
}

/// A pattern asks for more than a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeedsGame;

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
