//! Patterns: what may happen on the board, and whether, when and how often it happens in a game.
//!
//! Takes a text such as `flip(isolated(Pd))` or `Rxc3 directly Pxc3`; [`Pattern::read`] says what is wrong with it, and
//! where. A [`Matcher`] looks for the pattern in games, at the cost of one replay each; make it once and use it for many
//! games, because it keeps its memory.
//!
//! A *moment* is a board together with the half-move that led to it; moment 0 is the start. Whatever is joined by `and`
//! holds at one moment.
//!
//! The way of a pattern leads through rooms, each of which uses only those before it:
//!
//! 1. [`language`]: the text becomes a tree. What is wrong with it is said here, with its place.
//! 2. [`meaning`]: geometry, pawn structure and comparisons, as the language means them, at one moment or at many.
//! 3. [`program`]: transforms are written out, and the tree is compiled. Conditions become nodes, each once, after those
//!    that it uses, and words that others can say, such as `capture`, become those; steps in time become a chain of elements
//!    and links. A node knows which half-moves can change it.
//! 4. [`exclude`]: what tells without a search that a game has no match. Steps that cannot occur leave the chain; the header
//!    of a game, and the squares that its moves lead to, decide most games.
//! 5. [`step`]: a replay of the game, which computes at each half-move what that may have changed, and follows the chain.
//! 6. [`survey`]: a replay that only records what stands where and when; then each node is computed once, for all moments
//!    at the same time.
//! 7. [`keys`]: what an index stores of a game, and which of it a pattern needs.
//!
//! A search in a game goes so ([`plan`], [`matcher`]):
//!
//! 1. The header says which pieces and home pawns are left at the end. A match that needs fewer cannot occur.
//! 2. The bytes of the moves say which pieces enter which squares: whether the game has all that a match needs, and from
//!    which half-move on.
//! 3. A survey, if over the games so far surveys have taken less counted work than steps. It finds all ends of matches, but
//!    no beginnings: where these are asked, the game is searched step by step once it is known to match.
//! 4. Otherwise step by step. The search *skips* half-moves that cannot change what it waits for, with nothing but
//!    the pieces kept up to date, and *follows* the others, until the first match ends or none can any more.
//!
//! A pattern that is nothing but a material is found by [`Material`] alone. The answer never depends on the way. Work is
//! counted, not timed, so that the same games in the same order are always searched the same way; the planner of queries
//! prices a pattern by the work of a trial.
//!
//! # Stability
//!
//! The text that a pattern is [written](std::fmt::Display) as is stored. What a text means does not change.

mod exclude;
mod keys;
mod language;
mod matcher;
mod meaning;
mod plan;
mod program;
mod square_set;
mod step;
mod survey;

use std::fmt;
use std::sync::Arc;

use crate::search::material::Material;
use language::error::Fault;
use language::{parse, write};
use plan::Plan;
use program::{Compiled, Goal, Node};

pub use exclude::material::{STANDARD_SIGNATURE, signature};
pub use exclude::possible::Certainty;
pub use keys::{FREQUENT_KEYS, KeyNode, KeyTree, Wanted, material_key, pattern_keys, place_of, signature_in};
pub use language::error::{PatternError, PatternErrorKind, limits};
pub use matcher::{Matcher, NeedsGame};
pub use square_set::SquareSet;

/// A pattern, checked and compiled.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    plan: Arc<Plan>,
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
        self.plan.compiled.program.needs_game
    }

    /// The keys that a game must have for the pattern to occur in it.
    pub fn key_tree(&self) -> KeyTree {
        let Compiled { program, goal, .. } = &self.plan.compiled;
        match goal {
            Goal::Moment(at) => KeyTree::of_moment(program, *at),
            Goal::Chain(chain) => KeyTree::of_chain(program, chain),
        }
    }

    /// With which material the pattern holds wherever the pieces stand; `None` if it takes more than one moment.
    pub fn certainty(&self) -> Option<Certainty> {
        let Compiled { program, goal, .. } = &self.plan.compiled;
        match goal {
            Goal::Moment(at) => Some(Certainty::of(program, *at)),
            Goal::Chain(..) => None,
        }
    }

    /// The material, if the pattern is exactly that: `KRPPvKR`.
    pub fn material(&self) -> Option<Material> {
        self.plan.material
    }

    /// The likely work of a search in one game, in the unit of [`Matcher::work`], where no games are known to try the
    /// pattern on. Fitted to 1,000 random patterns; of others it finds six of ten within a factor of 3, because a program
    /// does not say how rare its parts are.
    pub fn likely_work(&self) -> f64 {
        let Plan { compiled: Compiled { program, goal, .. }, needs, required, .. } = &*self.plan;
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
        Matcher::new(self.plan.clone())
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn read(text: &str) -> Result<Pattern, Fault> {
    let parsed = parse::pattern(text)?;
    let spelling = write::pattern(&parsed.tree);
    // Stored patterns stay readable, even if they exceed the current limit for typed text.
    if spelling != text {
        if text.len() > limits::BYTES {
            return Err(Fault::too_long(text, "the text", text.len()));
        }
        if spelling.len() > limits::BYTES {
            return Err(Fault::too_long(text, "the one spelling of the text", spelling.len()));
        }
    }
    let plan = Plan::of(Compiled::of(parsed)?, material_of(&spelling))?;
    Ok(Pattern { text: spelling, plan: Arc::new(plan) })
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
