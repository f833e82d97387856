//! What can be told of a pattern before a search: which games, and which half-moves of a game, have no match.
//!
//! Takes a compiled pattern. [`possible`] tells what the numbers of pieces alone decide, [`prune`] what the header of a
//! game must say, [`required`] which moves its bytes must contain. A [signature](material) is the material of a moment.

pub mod material;
pub mod possible;
pub mod prune;
pub mod required;

use std::sync::Arc;

use super::language::error::Fault;
use super::language::tree::{Condition, State};
use super::program::chain::{Input, Output, What};
use super::program::{At, Chain, Compiled, Goal, Program};
use possible::{Judge, Verdict};
use prune::Needs;
use required::Required;

/// What a match needs, according to the header and the moves of a game. Takes out of a sequence the steps that no match can
/// contain, and conditions that always hold.
///
/// # Errors
///
/// The pattern is too complex.
pub fn excluded(compiled: &mut Compiled) -> Result<(Needs, Option<Required>), Fault> {
    let Compiled { program, goal, .. } = compiled;
    match goal {
        Goal::Moment(at) => {
            let needs = match Judge::new(program).of_any_game(program, *at) {
                Verdict::Never => Needs::IMPOSSIBLE,
                _ => Needs::of(program, *at),
            };
            Ok((needs, Required::of_moment(program, *at)))
        }
        Goal::Chain(chain) => {
            let needs = of_chain(Arc::make_mut(program), chain)?;
            Ok((needs, Required::of_chain(program, chain)))
        }
    }
}

fn of_chain(program: &mut Program, chain: &mut Chain) -> Result<Needs, Fault> {
    let mut judge = Judge::new(program);
    let mut verdict = |at: &At| judge.of_any_game(program, *at);
    let of_condition = |what: &What| what.condition().as_ref().map_or(Verdict::Perhaps, &mut verdict);
    let verdicts: Vec<Verdict> = chain.elements.iter().map(|element| &element.what).map(of_condition).collect();
    for gap in &mut chain.gaps {
        gap.while_ = gap.while_.filter(|at| verdict(at) != Verdict::Always);
    }
    let mut needs = Vec::with_capacity(verdicts.len());
    for (element, verdict) in chain.elements.iter_mut().zip(verdicts) {
        let own = match (&mut element.what, verdict) {
            (_, Verdict::Never) => Needs::IMPOSSIBLE,
            (What::Moment(at) | What::Lasting(at, _), Verdict::Always) => {
                *at = program.condition(&Condition::State(State::Any))?;
                Needs::NOTHING
            }
            (What::Moment(at) | What::Lasting(at, _), Verdict::Perhaps) => Needs::of(program, *at),
            (What::Trip(_), _) => Needs::NOTHING,
        };
        (element.from, element.to) = (own.from, own.to);
        needs.push(own);
    }
    let useful = chain.useful();
    let (mut until_link, mut until_match) = (vec![Needs::IMPOSSIBLE; chain.gaps.len()], Needs::IMPOSSIBLE);
    // The elements before a link stand before those behind it.
    for ((element, own), _) in chain.elements.iter().zip(needs).zip(&useful).filter(|(_, useful)| **useful) {
        let all = if let Input::Link(link) = element.input { until_link[link].then(own) } else { own };
        let known = if let Output::Link(link) = element.output { &mut until_link[link] } else { &mut until_match };
        *known = if *known == Needs::IMPOSSIBLE { all } else { known.or(all) };
    }
    chain.keep(&useful);
    let last = chain.ends().map_or(0, |(_, last)| last);
    Ok(until_match.of_any_moment(last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::pattern::language::parse;
    use crate::search::pattern::program::{Fact, Node};

    fn compiled(text: &str) -> (Arc<Program>, Chain) {
        let mut compiled = Compiled::of(parse::pattern(text).expect(text)).expect(text);
        excluded(&mut compiled).expect(text);
        let Goal::Chain(chain) = compiled.goal else { panic!("{text} takes one moment") };
        (compiled.program, chain)
    }

    /// The number of elements of a pattern, and when a match may end.
    fn chain(text: &str) -> (usize, Option<(u32, u32)>) {
        let (_, chain) = compiled(text);
        (chain.elements.len(), chain.ends())
    }

    #[test]
    fn steps_that_lead_to_no_match_are_dropped() {
        const EVER: u32 = u32::MAX;
        for (text, elements, ends) in [
            ("Nf3 then Nd5", 2, Some((1, EVER))),
            ("Nf3 then (0 > n)", 0, None),
            ("Nf3 then not A directly Nd5", 0, None),
            ("(Nf3 then K = 2) or (Nf3 then a > 16) or (Ke4 directly Kf4)", 2, Some((1, EVER))),
            ("Nf3 then halfmove = 2 then Nd5", 3, Some((3, EVER))),
            ("Nf3 then Nd5 then halfmove = 1", 0, None),
            ("Nf3 directly halfmove = 12 directly Nd5", 3, Some((13, 13))),
            ("halfmove <= 10 then 2..4 Nd5", 2, Some((2, 14))),
            ("Nf3 then halfmove <= 10 for 11", 0, None),
            ("Nf3 then move = 5..6 for 3", 2, Some((11, 12))),
            ("halfmove <= 10 then Nf1-g3-f5", 2, Some((3, EVER))),
            ("Nf1-g3-f5 then halfmove <= 10", 2, Some((3, 10))),
        ] {
            assert_eq!(chain(text), (elements, ends), "{text}");
        }
    }

    #[test]
    fn what_alternatives_share_is_followed_once() {
        for (text, elements) in [
            ("(Nf3 then check) or (Ke5 then check)", 2),
            ("(Nf3 then check) or (Ke5 directly check)", 4),
            ("(Nf3 then check then Nd5) or (Nf3 then check then Ke5)", 3),
            ("(Nf3 then check then mate) or (Nf3 then Nd5 then mate)", 3),
            ("(Nf3 then (check then mate)) or ((Ke5 then check) then mate) or btm for 9", 4),
            ("shift(Nf3 then check)", 2),
            ("shift(Nf1 then check then Ng1)", 7 * 8 * 3),
        ] {
            assert_eq!(chain(text).0, elements, "{text}");
        }
    }

    #[test]
    fn what_holds_always_is_not_computed() {
        for text in ["Nf3 directly K for 3", "A then Nf3", "Nf3 then while _ >= 32 Nd5"] {
            let (program, chain) = compiled(text);
            let is_piece = |at: &At| matches!(program.entries[usize::from(*at)].node, Node::Some(_));
            let is_any = |at: &At| program.entries[usize::from(*at)].node == Node::Fact(Fact::Any);
            assert!(chain.conditions().iter().all(|at| is_piece(at) || is_any(at)), "{text}");
        }
    }
}
