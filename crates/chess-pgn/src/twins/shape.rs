//! Compares the moves of two games. In: packed games. Out: how many half-moves are equal, and what has to be changed to
//! make one game the beginning of the other.

use chess_core::GameRef;
use chess_core::game::CorruptGame;
use chess_core::text::two_byte_moves::{self, Numbering};

/// The maximum number of changed, missing or added half-moves.
pub const MAX_EDITS: u32 = 12;

/// How two games agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Half-moves that both begin with.
    pub common: u32,
    /// Changed, missing or added half-moves before the shorter game ends. 0: it is the beginning of the other.
    pub edits: u32,
    /// Half-moves of the longer game behind that.
    pub more: u32,
    /// Half-moves of the shorter game.
    pub shorter: u32,
}

impl Shape {
    /// Compares two games; `None` if more than [`MAX_EDITS`] half-moves differ.
    pub fn new(first: GameRef<'_>, second: GameRef<'_>) -> Result<Option<Shape>, CorruptGame> {
        if first.start_bytes() != second.start_bytes() {
            return Ok(None);
        }
        let common = first.common_plies(second);
        let shorter = first.ply_count().min(second.ply_count());
        let longer = first.ply_count().max(second.ply_count());
        if common == shorter {
            return Ok(Some(Shape { common, edits: 0, more: longer - shorter, shorter }));
        }
        // From here on bytes may differ for equal moves: they depend on the squares of all pieces of a kind.
        let (first, second) = (codes(first)?, codes(second)?);
        let skip = common as usize * 2;
        Ok(edits(first[skip..].as_chunks().0, second[skip..].as_chunks().0).map(|(edits, more)| Shape {
            common,
            edits,
            more,
            shorter,
        }))
    }

    /// Half-moves that are equal, before and after the changes.
    pub fn equal(&self) -> u32 {
        self.shorter.saturating_sub(self.edits)
    }
}

fn codes(game: GameRef<'_>) -> Result<Vec<u8>, CorruptGame> {
    two_byte_moves::write(game, Numbering::Plain)
}

/// The number of edits after which one text has ended, and what is left of the other. Ukkonen's algorithm: for each
/// number of edits and each diagonal, how far the texts agree.
fn edits(first: &[[u8; 2]], second: &[[u8; 2]]) -> Option<(u32, u32)> {
    const WIDTH: usize = 2 * MAX_EDITS as usize + 3;
    const CENTRE: isize = MAX_EDITS as isize + 1;
    const NONE: isize = isize::MIN / 2;
    // The number of half-moves of `first` used; on diagonal d, `second` has used d more.
    let mut reached = [NONE; WIDTH];
    for edits in 0..=MAX_EDITS as isize {
        let mut next = [NONE; WIDTH];
        let mut ended: Option<usize> = None;
        for diagonal in -edits..=edits {
            let at = (CENTRE + diagonal) as usize;
            let start = match edits {
                0 => 0,
                // changed, added in the second game, missing in the second game
                _ => (reached[at] + 1).max(reached[at - 1]).max(reached[at + 1] + 1),
            };
            let start = start.min(first.len() as isize).min(second.len() as isize - diagonal);
            if start < 0 || start + diagonal < 0 {
                continue;
            }
            let (mut used, mut others) = (start as usize, (start + diagonal) as usize);
            while used < first.len() && others < second.len() && first[used] == second[others] {
                (used, others) = (used + 1, others + 1);
            }
            if used == first.len() || others == second.len() {
                let more = (first.len() - used) + (second.len() - others);
                ended = Some(ended.map_or(more, |least| least.min(more)));
            }
            next[at] = used as isize;
        }
        if let Some(more) = ended {
            return Some((edits as u32, more as u32));
        }
        reached = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_core::text::movetext;

    fn shape(first: &str, second: &str) -> Option<Shape> {
        let [first, second] = [first, second].map(|text| movetext::read(text).unwrap());
        let there = Shape::new(first.view(), second.view()).unwrap();
        assert_eq!(there, Shape::new(second.view(), first.view()).unwrap());
        there
    }

    const GAME: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8";

    #[test]
    fn equal_games_and_beginnings() {
        assert_eq!(shape(GAME, GAME), Some(Shape { common: 18, edits: 0, more: 0, shorter: 18 }));
        assert_eq!(shape(GAME, "1. e4 e5"), Some(Shape { common: 2, edits: 0, more: 16, shorter: 2 }));
        assert_eq!(shape(GAME, "*"), Some(Shape { common: 0, edits: 0, more: 18, shorter: 0 }));
        assert_eq!(shape("*", "1-0"), Some(Shape { common: 0, edits: 0, more: 0, shorter: 0 }));
    }

    #[test]
    fn changes() {
        let changed = GAME.replace("Nb8", "Na5");
        assert_eq!(shape(GAME, &changed), Some(Shape { common: 17, edits: 1, more: 0, shorter: 18 }));
        // a typing error in the middle, after which the moves are the same again
        let early = GAME.replace("5. O-O Be7", "5. O-O Bd6").replace("7. Bb3 d6", "7. Bb3 h6");
        assert_eq!(shape(GAME, &early), Some(Shape { common: 9, edits: 2, more: 0, shorter: 18 }));
        let forgotten = GAME.replace("8. c3 O-O 9. h3 Nb8", "8. h3 O-O 9. c3 Nb8 10. d4");
        assert_eq!(shape(GAME, &forgotten).unwrap().edits, 2);
        let missing = GAME.replace("4. Ba4 Nf6 5. O-O Be7 6. Re1", "4. Ba4 Be7 5. O-O Nf6 6. Re1");
        assert_eq!(shape(GAME, &missing).unwrap().edits, 2);
    }

    #[test]
    fn other_games() {
        let other = "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 Nbd7 7. Rc1 c6 8. Bd3 dxc4 9. Bxc4 Nd5";
        assert_eq!(shape(GAME, other), None);
        let start = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]";
        assert_eq!(shape(&format!("{start} 1. e4"), "1. e4"), None);
        assert_eq!(shape(&format!("{start} 1. e4"), &format!("{start} 1. e4 Ke7")).unwrap().more, 1);
    }

    #[test]
    fn edits_are_the_least() {
        // All pairs of short texts, compared with the plain table of distances.
        let texts: Vec<Vec<[u8; 2]>> = (0..243u32)
            .flat_map(|code| {
                (0..=5u32).map(move |len| (0..len).map(|at| [(code / 3u32.pow(at) % 3) as u8, 0]).collect())
            })
            .step_by(7)
            .collect();
        for first in &texts {
            for second in &texts {
                let (rows, columns) = (first.len(), second.len());
                let mut table = vec![vec![0; columns + 1]; rows + 1];
                for row in 0..=rows {
                    for column in 0..=columns {
                        table[row][column] = match (row, column) {
                            (0, _) => column,
                            (_, 0) => row,
                            _ => (table[row - 1][column - 1] + usize::from(first[row - 1] != second[column - 1]))
                                .min(table[row - 1][column] + 1)
                                .min(table[row][column - 1] + 1),
                        };
                    }
                }
                let least =
                    (0..=rows).map(|row| table[row][columns]).chain((0..=columns).map(|c| table[rows][c])).min();
                assert_eq!(edits(first, second).map(|(edits, _)| edits as usize), least, "{first:?} {second:?}");
            }
        }
    }
}
