//! Gates: conditions that must hold somewhere in a game for a sequence to have a match there.
//!
//! Takes the chain of a sequence and its program; returns conditions of one moment. Every match passes one element of each
//! *cut*: the elements that may be the last of a match, those that may stand before these, and so on. In a game in which
//! the condition of no element of a cut ever holds, there is no match. To find that out is often much cheaper than to
//! follow the sequence: most steps come to nothing because one of them is rare.
//!
//! Nobody knows in advance which gates exclude games, and how much work that saves. The searches learn it from the games
//! that they have seen. A sequence gets gates only when its searches have taken more work than it takes to make them.

use std::sync::Arc;

use super::budget::Budget;
use super::evaluate::Values;
use super::observe::Moment;
use super::program::{At, Node, Program};
use super::prune::Needs;
use super::required::Required;
use super::time::{Chain, Input, Output, What};
use super::tree::State;
use super::{Compiled, Goal, family};
use crate::game::seating::STANDARD;
use crate::pause;

/// The number of cuts from which gates are made.
const MOST_CUTS: usize = 16;
/// The number of gates that are kept. They are the cheapest ones.
const MOST_GATES: usize = 6;
/// A gate that fails to exclude a game rests for this number of games. Each further failure doubles the rest.
const FIRST_REST: u32 = 4;
/// The longest rest, in games.
const LONGEST_REST: u32 = 64;
/// Each game that a gate excludes allows it one failure without a rest, up to this number.
const MOST_CREDIT: u32 = 4;
/// A gate is useful if it takes less than half of the work of a search.
const WORTH: u64 = 2;

/// A condition that every match needs at some moment of the game.
#[derive(Clone, Debug)]
struct Gate<S> {
    /// What searches for the condition.
    search: S,
    /// How many games it may fail to exclude before it rests.
    credit: u32,
    /// For how many games it still rests.
    rests: u32,
    /// How long it rests after the next failure.
    next_rest: u32,
}

/// The gates of a chain, the most useful ones first.
#[derive(Clone, Debug)]
pub(super) struct Gates<S>(Vec<Gate<S>>);

impl<S> Gates<S> {
    /// `search` makes what searches for a condition.
    pub fn new(program: &Program, chain: &Chain, search: impl Fn(Compiled) -> S) -> Gates<S> {
        let gate = |compiled| Gate { search: search(compiled), credit: 0, rests: 0, next_rest: FIRST_REST };
        Gates(conditions(program, chain).into_iter().map(gate).collect())
    }

    /// Whether a game has no match. False if that is not known. `work` is what it takes to search a game for a match. `lacks`
    /// searches it for a condition, and returns whether the game lacks it, with the work of that.
    pub fn exclude(&mut self, work: u64, mut lacks: impl FnMut(&mut S) -> (bool, u64)) -> bool {
        for n in 0..self.0.len() {
            let gate = &mut self.0[n];
            if gate.rests > 0 {
                gate.rests -= 1;
                continue;
            }
            let (excludes, taken) = lacks(&mut gate.search);
            if excludes && taken < work / WORTH {
                gate.credit = MOST_CREDIT.min(gate.credit + 1);
                gate.next_rest = FIRST_REST;
                self.0[..=n].rotate_right(1);
            } else if gate.credit > 0 {
                gate.credit -= 1;
            } else {
                gate.rests = gate.next_rest;
                gate.next_rest = LONGEST_REST.min(2 * gate.next_rest);
            }
            if excludes {
                return true;
            }
        }
        false
    }
}

/// The gates of a chain, each a compiled condition; those that cost least come first.
fn conditions(program: &Program, chain: &Chain) -> Vec<Compiled> {
    let last = chain.conditions().into_iter().max().map_or(0, usize::from);
    let mut program = program.beginning(last + 1, Budget::new(Vec::new()));
    let mut made: Vec<At> = Vec::new();
    let cuts = cuts(chain);
    let lists: Vec<Vec<At>> = cuts.iter().flat_map(|cut| alternatives(&mut program, chain, cut)).collect();
    for parts in lists {
        let is_any = |at: &At| program.entries[usize::from(*at)].node == Node::State(State::Any);
        if parts.iter().any(is_any) {
            continue;
        }
        // A gate that takes too many parts is left out.
        if let Ok(at) = program.any(parts)
            && !made.contains(&at)
        {
            made.push(at);
        }
    }
    let families = family::find(&mut program, &[]);
    let mut values = Values::new(&program, Arc::clone(&families));
    let start = Moment::start(&STANDARD);
    // What holds at the start of nearly all games excludes none.
    made.retain(|at| !values.holds(&program, &start, *at));
    made.sort_by_key(|at| program.entries[usize::from(*at)].cost);
    made.truncate(MOST_GATES);
    let program = Arc::new(program);
    let compiled = |at: At| {
        let (needs, required) = (Needs::of(&program, at), Required::of_moment(&program, at));
        Compiled::new(Arc::clone(&program), Arc::clone(&families), Goal::Moment(at), needs, required)
    };
    made.into_iter().map(compiled).collect()
}

/// Returns the cuts of a chain, beginning at its end. A cut is a set of elements, and every match passes through one of them.
fn cuts(chain: &Chain) -> Vec<Vec<usize>> {
    let mut cuts: Vec<Vec<usize>> = Vec::new();
    let mut cut: Vec<usize> = chain.ending(Output::Match).collect();
    while cuts.len() < MOST_CUTS && cuts.last() != Some(&cut) {
        pause::count(cut.len());
        let mut before: Vec<usize> = Vec::new();
        for n in &cut {
            match chain.elements[*n].input {
                Input::Always => before.push(*n),
                Input::Link(link) => before.extend(chain.ending(Output::Link(link))),
            }
        }
        before.sort_unstable();
        before.dedup();
        cuts.push(std::mem::replace(&mut cut, before));
    }
    cuts
}

/// Returns the conditions of a cut: the conditions of its elements, and a second list in which an element is replaced by
/// what must hold at the half-moves before it, if there is such a condition.
fn alternatives(program: &mut Program, chain: &Chain, cut: &[usize]) -> Vec<Vec<At>> {
    let (mut own, mut guards) = (Vec::new(), Vec::new());
    for n in cut {
        let element = &chain.elements[*n];
        let condition = match &element.what {
            What::Moment(at) | What::Lasting(at, _) => Some(*at),
            What::Trip(steps) => steps.first().and_then(|step| program.put(Node::Move(*step)).ok()),
        };
        let Some(condition) = condition else { return Vec::new() };
        let guard = match element.input {
            // With fewer half-moves in between there may be none at which it is asked.
            Input::Link(link) if chain.gaps[link].from > 1 => chain.gaps[link].while_,
            _ => None,
        };
        own.push(condition);
        guards.push(guard.unwrap_or(condition));
    }
    if own == guards { vec![own] } else { vec![own, guards] }
}

#[cfg(test)]
mod tests {
    use super::super::Pattern;
    use super::super::matcher::Matcher;
    use super::*;
    use crate::Game;
    use crate::text::read_pgn;

    fn games(count: usize) -> Vec<Game> {
        let text: String = chess_gamegen::Generator::new(25).take(count).map(|game| game.pgn()).collect();
        read_pgn::games(&text).map(|read| read.game.expect("a legal game")).collect()
    }

    fn gates_of(pattern: &Pattern) -> Gates<Matcher> {
        let Goal::Chain(chain, _) = &pattern.compiled.goal else { panic!("{pattern} takes one moment") };
        Gates::new(&pattern.compiled.program, chain, |compiled| Matcher::new(Arc::new(compiled)))
    }

    /// Patterns of which one step, or what holds between two, is rare.
    const PATTERNS: [&str; 8] = [
        "shift(K[f-g] then 2 while ([K]6 and [p]1) Rc1)",
        "not Nd5 then 2..5 promotion",
        "(A then 3.. enpassant) or (a directly pxQ)",
        "a for 3 then Qd4 for 2",
        "halfmove > 3 then shift(Na1-b3-d4)",
        "shift(flip(_d4 then Nd4 attacks qf5 then 2.. a))",
        "_e4 then mate",
        "a directly castling directly btm directly [RrQq]x.",
    ];

    #[test]
    fn what_a_gate_excludes_has_no_match() {
        let games = games(60);
        for text in PATTERNS {
            let pattern = Pattern::read(text).expect(text);
            let mut excluded = 0;
            for limit in [u32::MAX, 30] {
                let mut gates = gates_of(&pattern);
                for game in &games {
                    // All gates are asked; none rests.
                    let mut one_excludes = false;
                    for gate in &mut gates.0 {
                        one_excludes |= matches!(gate.search.find(game.view(), limit), Ok(None));
                    }
                    // A new matcher asks no gates.
                    let found = pattern.matcher().find(game.view(), limit).expect("sound bytes");
                    assert!(found.is_none() || !one_excludes, "{text} until half-move {limit}");
                    excluded += u32::from(one_excludes);
                }
            }
            assert!(excluded > 0, "{text}: no gate excludes a game");
        }
    }

    #[test]
    fn slow_searches_ask_gates_and_find_the_same() {
        let games = games(400);
        for text in PATTERNS {
            let pattern = Pattern::read(text).expect(text);
            let mut matcher = pattern.matcher();
            for game in &games {
                let alone = pattern.matcher().find(game.view(), u32::MAX).expect("sound bytes");
                assert_eq!(matcher.find(game.view(), u32::MAX).expect("sound bytes"), alone, "{text}");
            }
        }
    }

    #[test]
    fn only_slow_searches_ask_gates() {
        let games = games(400);
        let asks = |text: &str| {
            let mut matcher = Pattern::read(text).expect(text).matcher().surveying(false);
            games.iter().for_each(|game| assert!(matcher.find(game.view(), u32::MAX).is_ok()));
            matcher.gates.is_some()
        };
        assert!(asks(PATTERNS[0]));
        for text in ["Bxph7 directly kxh7 directly N-g5", "castling then castling", "shift(Nd4 and pe6)"] {
            assert!(!asks(text), "{text}");
        }
    }
}
