//! What a search in a game goes by: the compiled pattern, and what tells most games apart before anything is replayed.

use super::exclude;
use super::exclude::prune::Needs;
use super::exclude::required::Required;
use super::language::error::Fault;
use super::program::{Compiled, Goal};
use crate::game::GameRef;
use crate::search::material::Material;

#[derive(Clone, Debug)]
pub struct Plan {
    pub compiled: Compiled,
    pub needs: Needs,
    /// Moves that a match needs, in a game from the standard start.
    pub required: Option<Required>,
    /// Most steps for one moment.
    pub steps: u32,
    /// The fewest half-moves of a game that has a match.
    shortest: u32,
    /// The material, if the pattern is exactly that.
    pub material: Option<Material>,
}

impl Plan {
    /// How to search for a pattern.
    ///
    /// # Errors
    ///
    /// The pattern is too complex.
    pub fn of(mut compiled: Compiled, material: Option<Material>) -> Result<Plan, Fault> {
        let (needs, required) = exclude::excluded(&mut compiled)?;
        let (elements, shortest) = match &compiled.goal {
            Goal::Chain(chain) => (chain.elements.len(), chain.ends().map_or(u32::MAX, |(first, _)| first)),
            Goal::Moment(_) => (0, 0),
        };
        let steps = (compiled.program.steps() + elements / 8) as u32;
        Ok(Plan { compiled, needs, required, steps, shortest, material })
    }

    /// The first and the last half-move of a game that a match may end with; `None` if its bytes show that it has none.
    #[inline]
    pub fn window(&self, game: GameRef<'_>, limit: u32) -> Option<(u32, u32)> {
        let Plan { compiled, needs, required, shortest, .. } = self;
        if !needs.may_match(game) {
            return None;
        }
        let last = game.ply_count();
        let mut from = if needs.at_end { needs.from.max(last) } else { needs.from };
        let until = limit.min(needs.to);
        if from.max(*shortest) > last.min(until) {
            return None;
        }
        if let Some(required) = required
            && !game.has_custom_start()
        {
            let first = required.first(game.moves()).filter(|first| *first <= until)?;
            // Several moments are followed from the first on.
            if let Goal::Moment(_) = compiled.goal {
                from = from.max(first);
            }
        }
        Some((from, until))
    }
}
