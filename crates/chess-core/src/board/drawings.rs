//! Coloured squares and arrows from PGN comments: `[%csl Rd4,Ge5]` and `[%cal Gd1h5,Re2e4]`.
//!
//! Takes a comment; returns its squares and arrows with their colours, each once. The first letter is the colour: G
//! green, R red, Y yellow, B blue. Anything else in the comment is ignored.

use crate::board::squares::from_name;
use crate::pause::Pauses;

/// A colour of a square or an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// G.
    Green,
    /// R.
    Red,
    /// Y.
    Yellow,
    /// B.
    Blue,
}

impl Colour {
    fn from_letter(letter: u8) -> Option<Colour> {
        match letter {
            b'G' => Some(Colour::Green),
            b'R' => Some(Colour::Red),
            b'Y' => Some(Colour::Yellow),
            b'B' => Some(Colour::Blue),
            _ => None,
        }
    }
}

/// The drawings on a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawings {
    /// Squares.
    pub squares: Vec<(u8, Colour)>,
    /// Arrows: from-square, to-square, colour.
    pub arrows: Vec<(u8, u8, Colour)>,
}

impl Drawings {
    /// Reads all commands in a comment. If several name the same squares, the last one counts.
    ///
    /// # Examples
    ///
    /// ```
    /// use chess_core::board::drawings::{Colour, Drawings};
    ///
    /// let drawn = Drawings::read("[%csl Rd4] [%cal Gd1h5,Ya1a8] and so on");
    /// assert_eq!(drawn.squares, [(27, Colour::Red)]);
    /// assert_eq!(drawn.arrows, [(3, 39, Colour::Green), (0, 56, Colour::Yellow)]);
    /// ```
    pub fn read(comment: &str) -> Drawings {
        let mut drawings = Drawings::default();
        // Bounded, however long the comment is.
        let mut squares = [None; 64];
        let mut arrows = vec![None; 64 * 64];
        let mut order = Vec::new();
        let mut pauses = Pauses::default();
        for command in comment.split("[%").skip(1) {
            let command = command.split(']').next().unwrap_or_default();
            let Some((name, list)) = command.split_once(char::is_whitespace) else { continue };
            for one in list.split(',').map(str::trim) {
                pauses.step();
                let Some(colour) = one.bytes().next().and_then(Colour::from_letter) else { continue };
                let square = |range| one.get(range).and_then(from_name);
                match (name, one.len(), square(1..3), square(3..5)) {
                    ("csl", 3, Some(square), _) => squares[usize::from(square)] = Some(colour),
                    ("cal", 5, Some(from), Some(to)) if from != to => {
                        let place = &mut arrows[usize::from(from) << 6 | usize::from(to)];
                        if place.replace(colour).is_none() {
                            order.push((from, to));
                        }
                    }
                    _ => (),
                }
            }
        }
        drawings.squares = (0..64u8).filter_map(|square| Some((square, squares[usize::from(square)]?))).collect();
        let colour = |(from, to): (u8, u8)| arrows[usize::from(from) << 6 | usize::from(to)];
        drawings.arrows = order.into_iter().filter_map(|(from, to)| Some((from, to, colour((from, to))?))).collect();
        drawings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let none =
            ["", "d1h5", "[%cal]", "[%cal ]", "[%cal Gd1]", "[%cal Gd1d1]", "[%cal Xd1h5]", "[%csl Gd9]", "[%csl Gé1]"];
        for comment in none {
            assert_eq!(Drawings::read(comment), Drawings::default(), "{comment}");
        }
        let drawn = Drawings::read("{a [%cal Gd1h5, Rd1h5 ,z,Be2e4][%csl Ga1,Ra1,Yb2 and [%clk 0:01:00] [%csl\nBc3");
        assert_eq!(drawn.squares, [(0, Colour::Red), (18, Colour::Blue)]);
        assert_eq!(drawn.arrows, [(3, 39, Colour::Red), (12, 28, Colour::Blue)]);
    }
}
