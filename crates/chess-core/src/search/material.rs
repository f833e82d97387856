//! Material: the number of pieces of each kind, written `KRPPvKR`, White first.
//!
//! Takes texts, boards and games; finds out whether a game ever has exactly that material, and which materials it has.
//! Only captures and promotions change it, so a replay compares few boards.

use crate::board::Board;
use crate::board::kinds::{KINDS, NO_KIND};
use crate::game::pieces::Pieces;
use crate::game::replay::Replay;
use crate::game::state::Counted;
use crate::game::{CorruptGame, GameRef};

/// The letters in the order of writing, and their roles.
const ORDER: [(char, u8); 6] = [('K', 5), ('Q', 4), ('R', 3), ('B', 2), ('N', 1), ('P', 0)];

/// The number of pieces of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Material {
    counts: [u8; KINDS],
}

impl Material {
    /// The material on a board.
    pub fn of(board: &Board) -> Material {
        Material::of_kinds(board.kinds.iter().copied())
    }

    fn of_kinds(kinds: impl Iterator<Item = u8>) -> Material {
        let mut material = Material::default();
        for kind in kinds.filter(|kind| *kind != NO_KIND) {
            if let Some(count) = material.counts.get_mut(usize::from(kind)) {
                *count += 1;
            }
        }
        material
    }

    /// Parses White's pieces, `v`, and Black's pieces: capital letters in any order.
    ///
    /// # Examples
    ///
    /// ```
    /// use chess_core::search::material::Material;
    ///
    /// assert_eq!(Material::read("KPRPvRK").unwrap().to_string(), "KRPPvKR");
    /// assert_eq!(Material::read("KRPP"), None);
    /// ```
    pub fn read(text: &str) -> Option<Material> {
        let (white, black) = text.split_once('v')?;
        let mut material = Material::default();
        for (color, letters) in [(0, white), (1, black)] {
            for letter in letters.chars() {
                let (_, role) = ORDER.iter().find(|(known, _)| *known == letter)?;
                let count = &mut material.counts[usize::from(6 * color + role)];
                *count = count.checked_add(1).filter(|count| *count <= 64)?;
            }
        }
        Some(material)
    }

    /// The number of pieces of each kind. The sixth and the last are kings.
    pub fn counts(self) -> [u8; KINDS] {
        self.counts
    }

    /// Whether each side has a king, as in every position of a game.
    pub fn has_kings(self) -> bool {
        [0, 6].into_iter().all(|side| self.counts[side + usize::from(ORDER[0].1)] > 0)
    }

    /// The number of all pieces.
    pub fn total(self) -> u32 {
        self.counts.iter().map(|count| u32::from(*count)).sum()
    }

    /// The first half-move, at most `limit`, after which the game has exactly this material; 0 is the start.
    ///
    /// # Errors
    ///
    /// [`CorruptGame`] if the stored bytes do not decode. Only what had to be read is checked.
    pub fn find(self, game: GameRef<'_>, limit: u32) -> Result<Option<u32>, CorruptGame> {
        let total = self.total();
        if u32::from(game.remains().pieces) > total {
            return Ok(None);
        }
        let start = game.start_position()?;
        let is_on = |pieces: &Pieces| Material::of_kinds(pieces.kinds().into_iter()) == self;
        if start.state.count == total && is_on(&start.pieces) {
            return Ok(Some(0));
        }
        if start.state.count < total {
            return Ok(None);
        }
        let mut found = false;
        let mut count = start.state.count;
        let played = Replay::new(&start).run(game.moves(), limit, |pieces, state: Counted| {
            let changed = state.count != count || state.last.is_promotion();
            count = state.count;
            if changed && count == total {
                found = is_on(pieces);
            }
            found || count < total
        })?;
        Ok(found.then_some(played))
    }

    /// Calls `visit` with each material of a game, and the first and the last half-move after which it stands; 0 is the
    /// start. None comes twice, because what is captured or promoted does not come back.
    pub fn each(game: GameRef<'_>, mut visit: impl FnMut(Material, u32, u32)) -> Result<(), CorruptGame> {
        let start = game.start_position()?;
        let mut material = Material::of_kinds(start.pieces.kinds().into_iter());
        let (mut count, mut first, mut ply) = (start.state.count, 0, 0);
        let played = Replay::new(&start).run(game.moves(), u32::MAX, |pieces, state: Counted| {
            ply += 1;
            if state.count != count || state.last.is_promotion() {
                visit(material, first, ply - 1);
                (material, count, first) = (Material::of_kinds(pieces.kinds().into_iter()), state.count, ply);
            }
            false
        })?;
        visit(material, first, played);
        if played == game.ply_count() { Ok(()) } else { Err(CorruptGame::Length) }
    }
}

impl std::fmt::Display for Material {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for color in 0..2u8 {
            if color == 1 {
                f.write_str("v")?;
            }
            for (letter, role) in ORDER {
                for _ in 0..self.counts[usize::from(6 * color + role)] {
                    write!(f, "{letter}")?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_as_read() {
        assert_eq!(Material::of(&Board::default()).to_string(), "KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP");
        assert_eq!(Material::read("v").unwrap().to_string(), "v");
        for bad in ["", "K", "Kvk", "KvKvK", "KXvK", "K v K"] {
            assert_eq!(Material::read(bad), None, "{bad}");
        }
        assert_eq!(Material::read(&format!("{}v", "Q".repeat(300))), None);
    }
}
