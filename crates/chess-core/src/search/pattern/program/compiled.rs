//! A pattern after its compilation: the program, and what is asked of it.

use std::sync::Arc;

use super::budget::Budget;
use super::chain::Chain;
use super::compile::Program;
use super::node::{At, Fact, Node};
use super::transform;
use crate::search::pattern::language::error::Fault;
use crate::search::pattern::language::parse::Parsed;
use crate::search::pattern::language::tree::{Set, Timed};

/// A pattern as a search takes it.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub program: Arc<Program>,
    pub goal: Goal,
    pub finish: Finish,
    /// Whether it asks what the last half-move was.
    pub asks_move: bool,
}

/// What is asked of a program.
#[derive(Clone, Debug)]
pub enum Goal {
    /// A condition of one moment.
    Moment(At),
    /// Steps in time.
    Chain(Chain),
}

/// Which ends of a game matter: they cost a look at all legal moves.
#[derive(Clone, Copy, Debug)]
pub struct Finish {
    pub mate: bool,
    pub stalemate: bool,
}

impl Finish {
    pub fn matters(self) -> bool {
        self.mate || self.stalemate
    }
}

impl Program {
    /// Compiles a set of squares.
    ///
    /// # Errors
    ///
    /// As of a pattern.
    pub fn of_set(Parsed { tree, transforms }: Parsed<Set>) -> Result<(Program, At), Fault> {
        let mut budget = Budget::new(transforms);
        let tree = transform::expand(&tree, &mut budget)?;
        let mut program = Program::new(budget);
        let at = program.set(&tree)?;
        Ok((program, at))
    }
}

impl Compiled {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// It is too complex, or a transform has no image.
    pub fn of(Parsed { tree, transforms }: Parsed<Timed>) -> Result<Compiled, Fault> {
        let mut budget = Budget::new(transforms);
        let tree = transform::expand(&tree, &mut budget)?;
        let mut program = Program::new(budget);
        let (goal, has_trips) = match &tree {
            Timed::Moment(condition) => (Goal::Moment(program.condition(condition)?), false),
            timed => {
                let chain = Chain::new(&mut program, timed)?;
                let has_trips = chain.has_trips();
                (Goal::Chain(chain), has_trips)
            }
        };
        let has = |fact| program.entries.iter().any(|entry| entry.node == Node::Fact(fact));
        let finish = Finish { mate: has(Fact::Mate), stalemate: has(Fact::Stalemate) };
        let asks_move = has_trips || program.entries.iter().any(|entry| entry.node.asks_move());
        Ok(Compiled { program: Arc::new(program), goal, finish, asks_move })
    }
}
