//! Moves as the Polyglot book format has them: `to | from << 6 | promotion << 12`.
//!
//! Squares are numbered a1 = 0, b1 = 1 … h8 = 63; promotions are knight 1, bishop 2, rook 3, queen 4. Castling is
//! written as the king's move onto its rook. A code says nothing without its position: the same code is castling in one
//! and a move of a rook in another.

use crate::board::kinds::{KNIGHT, QUEEN};
use crate::game::legality::Position;
use crate::game::slots::Step;

/// The code of a legal step.
///
/// # Examples
///
/// ```
/// use chess_core::game::legality::Position;
/// use chess_core::game::start::GameStart;
/// use chess_core::text::{one_move, polyglot_moves};
///
/// let position = Position::new(GameStart::standard());
/// let code = |uci| one_move::read(&position, uci).map(|step| polyglot_moves::code(&position, step));
/// assert_eq!(code("e2e4"), Ok(12 << 6 | 28));
/// assert_eq!(polyglot_moves::step(&position, 12 << 6 | 28), one_move::read(&position, "e2e4").ok());
/// assert_eq!(polyglot_moves::step(&position, 12 << 6 | 36), None);
/// ```
pub fn code(position: &Position<'_>, step: Step) -> u16 {
    let (from, to) = position.ends(step);
    let to = position.castling_rook(step).unwrap_or(to);
    u16::from(to) | u16::from(from) << 6 | u16::from(step.promotion().unwrap_or(0)) << 12
}

/// The legal step that a code means; `None` if there is none. Castling may also be written as the king's move to its
/// target square.
pub fn step(position: &Position<'_>, code: u16) -> Option<Step> {
    let promotion = match (code >> 12) as u8 {
        0 => None,
        role @ KNIGHT..=QUEEN => Some(role),
        _ => return None,
    };
    position.step((code >> 6) as u8 & 63, code as u8 & 63, promotion)
}

/// Whether a code can be a move of any position.
pub fn is_move(code: u16) -> bool {
    code >> 12 <= u16::from(QUEEN) && code & 63 != code >> 6 & 63
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::fen;
    use crate::game::start::GameStart;
    use crate::text::one_move;

    #[test]
    fn castling_promotions_and_nonsense() {
        let check = |text: &str, uci: &str, expected: u16| {
            let start = GameStart::new(&fen::read(text).unwrap()).unwrap();
            let position = Position::new(&start);
            let played = one_move::read(&position, uci).unwrap();
            assert_eq!(code(&position, played), expected, "{uci} in {text}");
            assert_eq!(step(&position, expected), Some(played), "{uci} in {text}");
        };
        let both = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        check(both, "e1g1", 0o0407);
        check(both, "e1c1", 0o0400);
        check(&both.replace('w', "b"), "e8g8", 0o7477);
        check(&both.replace('w', "b"), "e8c8", 0o7470);
        // the same code is a move of a rook where no king stands
        check("3k4/8/8/8/8/8/8/K3R3 w - - 0 1", "e1h1", 0o0407);
        check("1k6/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1", 0o0506);
        for (letter, role) in [("n", 1), ("b", 2), ("r", 3), ("q", 4)] {
            check("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", &format!("a7a8{letter}"), role << 12 | 0o6070);
        }
        let standard = GameStart::standard();
        let position = Position::new(standard);
        for nonsense in [0, 0o0101, 0o1434 | 5 << 12, 0o1434 | 1 << 12, 0o1434 | 1 << 15, u16::MAX] {
            assert_eq!(step(&position, nonsense), None, "{nonsense:o}");
        }
        let king_alone = GameStart::new(&fen::read(both).unwrap()).unwrap();
        let position = Position::new(&king_alone);
        assert_eq!(step(&position, 0o0406), step(&position, 0o0407), "the king's target square");
        assert!(is_move(0o1434) && !is_move(0) && !is_move(0o1434 | 5 << 12) && !is_move(u16::MAX));
    }
}
