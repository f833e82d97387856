//! Boards as self-contained SVG pictures, drawn with the paths in this file.
//!
//! Takes a board and [`Options`]; returns an SVG document in ASCII: squares, coordinates in the margin, the last move
//! and a set of squares in colour, the pieces, and the squares and arrows of a comment.
//!
//! A picture can be embedded in a page with others. So it has no names (`id`) and no style sheet, which would apply to
//! the whole page. Shapes are styled by attributes, which also work where a page forbids styles.

use std::fmt::Write;

use crate::board::Board;
use crate::board::drawings::{Colour, Drawings};
use crate::board::kinds::NO_KIND;
use crate::board::squares::{members, name};

/// The side of a square and the width of the margin.
const SQUARE: u32 = 45;
const MARGIN: u32 = 20;
const SIZE: u32 = 8 * SQUARE + 2 * MARGIN;

/// Colours. The margin has one, too, so that coordinates are legible on a page of any colour.
const FRAME: &str = "#f7f2ea";
const TEXT: &str = "#444";
const LIGHT: &str = "#f0d9b5";
const DARK: &str = "#b58863";
const LAST_MOVE: &str = "#cdd26a";
const MARK: &str = "#c33";

/// The colours of squares and arrows.
fn paint(colour: Colour) -> &'static str {
    match colour {
        Colour::Green => "#15781b",
        Colour::Red => "#a02020",
        Colour::Yellow => "#e6a000",
        Colour::Blue => "#103098",
    }
}

/// Options of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The from-square and to-square of the last move.
    pub last_move: Option<(u8, u8)>,
    /// The squares to be marked.
    pub marked: u64,
    /// The side at the bottom: 0 is White, 1 Black.
    pub bottom: u8,
}

/// A piece in a square of 45 x 45, for either colour.
struct Shape {
    /// The paths that are filled and outlined.
    body: &'static str,
    /// Lines on top, as the data of one path; empty if there are none.
    lines: &'static str,
    /// Dots on top, filled with the colour of lines.
    dots: &'static str,
}

/// Shapes by role, pawn to king.
const SHAPES: [Shape; 6] = [
    // Pawn: head, shoulders, base.
    Shape {
        body: "<path d='M22.5 9A5 5 0 0 0 18.6 17.1C15.9 18.7 14.5 21.3 14.5 24C14.5 26.2 15.5 28.2 17 29.6C13.5 31 10.5 34 10.5 39.5\
     H34.5C34.5 34 31.5 31 28 29.6C29.5 28.2 30.5 26.2 30.5 24C30.5 21.3 29.1 18.7 26.4 17.1A5 5 0 0 0 22.5 9Z'/>",
        lines: "",
        dots: "",
    },
    // Knight: a head that looks left, its mane, eye and nostril.
    Shape {
        body: "<path d='M22 10.5L20.5 6.5L17 11C12 14 9.5 20 6.5 26.5C5.7 28.3 6.7 30.5 8.7 31.2C10.2 31.7 11.5 31 12.5 29.5L16 26.5\
     C18.5 26.5 21 25.7 22.5 24C23 29 15 31.5 14.5 39.5H37C38.5 25 36 13.5 22 10.5Z'/>",
        lines: "M24.5 12.5C32 15.5 34.5 25 34.2 37",
        dots: "<circle cx='16.5' cy='17' r='1.5'/><circle cx='9.8' cy='27.2' r='1'/>",
    },
    // Bishop: base, mitre with its cross, ball.
    Shape {
        body: "<path d='M9 39.5C9 36.5 12 35 16 35H29C33 35 36 36.5 36 39.5Z'/>\
     <path d='M16.5 35C16 32.5 16.5 31 17.5 30C14 28 12.5 25 12.5 21.5C12.5 16.5 17.5 13 22.5 9.5\
     C27.5 13 32.5 16.5 32.5 21.5C32.5 25 31 28 27.5 30C28.5 31 29 32.5 28.5 35Z'/>\
     <circle cx='22.5' cy='7.5' r='2.5'/>",
        lines: "M17.5 30H27.5M22.5 15.5V23.5M18.5 19.5H26.5",
        dots: "",
    },
    // Rook: battlements, tower, base.
    Shape {
        body: "<path d='M9 39.5V35.5H13L14.5 31.5V17.5L11 14.5V8.5H16V11H20V8.5H25V11H29V8.5H34V14.5L30.5 17.5V31.5L32 35.5H36V39.5Z'/>",
        lines: "M11 14.5H34M14.5 17.5H30.5M14.5 31.5H30.5M13 35.5H32",
        dots: "",
    },
    // Queen: a crown of five points with balls, bands.
    Shape {
        body: "<path d='M9.5 26L6.5 13.5L13.5 23L15 10.5L20 22L22.5 9L25 22L30 10.5L31.5 23L38.5 13.5L35.5 26C34 28 33.5 30 34 31.5\
     C35 33 35.5 34.5 35.5 39.5H9.5C9.5 34.5 10 33 11 31.5C11.5 30 11 28 9.5 26Z'/>\
     <circle cx='6' cy='12' r='2.2'/><circle cx='14.5' cy='9' r='2.2'/><circle cx='22.5' cy='7.5' r='2.2'/>\
     <circle cx='30.5' cy='9' r='2.2'/><circle cx='39' cy='12' r='2.2'/>",
        lines: "M10 27C18 24.5 27 24.5 35 27M11.5 31.5C18.5 29.5 26.5 29.5 33.5 31.5M10 36C18 34.2 27 34.2 35 36",
        dots: "",
    },
    // King: cross, crown of two arches, bands.
    Shape {
        body: "<path d='M22.5 13V5M19 8H26'/>\
     <path d='M22.5 25S27 18 25.5 15C25.5 15 24.5 12.5 22.5 12.5S19.5 15 19.5 15C18 18 22.5 25 22.5 25Z'/>\
     <path d='M11.5 39.5V31C5.5 28 4 21.5 8 18C12 14.5 19 16.5 22.5 23.5C26 16.5 33 14.5 37 18C41 21.5 39.5 28 33.5 31V39.5Z'/>",
        lines: "M11.5 31C18.5 28 26.5 28 33.5 31M11.5 35.5C18.5 33 26.5 33 33.5 35.5M22.5 23.5V28.5",
        dots: "",
    },
];

/// The colours of a side: fill, outline, and attributes of lines on top.
const SIDES: [(&str, &str, &str); 2] = [("#fff", "#111", ""), ("#222", "#eee", " stroke='#eee' stroke-width='1.2'")];

/// Draws a board.
///
/// # Examples
///
/// ```
/// use chess_core::Board;
/// use chess_core::board::svg;
///
/// let picture = svg::draw(&Board::default(), svg::Options::default());
/// assert!(picture.starts_with("<svg xmlns='http://www.w3.org/2000/svg'") && picture.ends_with("</svg>"));
/// ```
pub fn draw(board: &Board, options: Options) -> String {
    draw_with(board, options, &Drawings::default())
}

/// Draws a board with coloured squares below the pieces and arrows above them.
pub fn draw_with(board: &Board, options: Options, drawings: &Drawings) -> String {
    let mut picture = Picture { out: String::with_capacity(18_000), black: options.bottom == 1 };
    let _ = write!(
        picture.out,
        "<svg xmlns='http://www.w3.org/2000/svg' class='chess' viewBox='0 0 {SIZE} {SIZE}' width='{SIZE}' height='{SIZE}'>\
         <g stroke='none'><rect width='{SIZE}' height='{SIZE}' fill='{FRAME}'/>"
    );
    picture.draw_squares(options.last_move, drawings);
    picture.draw_coordinates();
    picture.out.push_str("</g>");
    picture.draw_pieces(board);
    picture.draw_marks(options.marked);
    picture.draw_arrows(drawings);
    picture.out.push_str("</svg>");
    picture.out
}

/// A picture that is being drawn, and whether Black is at the bottom.
struct Picture {
    out: String,
    black: bool,
}

impl Picture {
    /// The upper left corner of a square.
    fn corner(&self, square: u8) -> (u32, u32) {
        let (column, row) = (u32::from(square % 8), u32::from(square / 8));
        let (column, row) = if self.black { (7 - column, row) } else { (column, 7 - row) };
        (MARGIN + SQUARE * column, MARGIN + SQUARE * row)
    }

    fn draw_squares(&mut self, last_move: Option<(u8, u8)>, drawings: &Drawings) {
        for square in 0..64u8 {
            let (x, y) = self.corner(square);
            let colour = if (square / 8 + square % 8) % 2 == 1 { LIGHT } else { DARK };
            let _ = write!(self.out, "<rect fill='{colour}' x='{x}' y='{y}' width='{SQUARE}' height='{SQUARE}'/>");
        }
        for square in last_move.map(|(from, to)| [from & 63, to & 63]).into_iter().flatten() {
            let (x, y) = self.corner(square);
            let _ = write!(
                self.out,
                "<rect fill='{LAST_MOVE}' fill-opacity='.8' x='{x}' y='{y}' width='{SQUARE}' height='{SQUARE}'/>"
            );
        }
        for (square, colour) in &drawings.squares {
            let ((x, y), fill) = (self.corner(square & 63), paint(*colour));
            let _ = write!(
                self.out,
                "<rect fill='{fill}' fill-opacity='.7' x='{x}' y='{y}' width='{SQUARE}' height='{SQUARE}'><title>{}</title></rect>",
                name(*square)
            );
        }
    }

    fn draw_coordinates(&mut self) {
        let _ = write!(self.out, "<g font-family='sans-serif' font-size='12' fill='{TEXT}' text-anchor='middle'>");
        for i in 0..8u8 {
            let (x, y) = self.corner(9 * i);
            let (file, rank) = (char::from(b'a' + i), i + 1);
            let (middle, low) = (x + SQUARE / 2, SIZE - 6);
            let _ = write!(self.out, "<text x='{middle}' y='{low}'>{file}</text>");
            let _ = write!(self.out, "<text x='10' y='{}'>{rank}</text>", y + SQUARE / 2 + 4);
        }
        self.out.push_str("</g>");
    }

    fn draw_pieces(&mut self, board: &Board) {
        for (side, (fill, _, _)) in (0u8..).zip(SIDES) {
            let _ = write!(
                self.out,
                "<g fill='{fill}' stroke='#111' stroke-width='1.5' stroke-linecap='round' stroke-linejoin='round'>"
            );
            let own = |kind: u8| kind < NO_KIND && kind / 6 == side;
            for (square, &kind) in (0..64).zip(&board.kinds).filter(|(_, kind)| own(**kind)) {
                let (x, y) = self.corner(square);
                let _ = write!(self.out, "<g transform='translate({x} {y})'>");
                piece(&mut self.out, kind);
                self.out.push_str("</g>");
            }
            self.out.push_str("</g>");
        }
    }

    fn draw_marks(&mut self, marked: u64) {
        for square in members(marked) {
            let (x, y) = self.corner(square);
            let (x, y, size) = (x + 2, y + 2, SQUARE - 4);
            let _ = write!(
                self.out,
                "<rect fill='none' stroke='{MARK}' stroke-width='3' x='{x}' y='{y}' width='{size}' height='{size}'>\
                 <title>{}</title></rect>",
                name(square)
            );
        }
    }

    fn draw_arrows(&mut self, drawings: &Drawings) {
        for (from, to, colour) in &drawings.arrows {
            let [begin, end] = [from, to].map(|square| {
                let (x, y) = self.corner(square & 63);
                (f64::from(x) + f64::from(SQUARE) / 2.0, f64::from(y) + f64::from(SQUARE) / 2.0)
            });
            let _ = write!(
                self.out,
                "<path fill='{}' fill-opacity='.75' stroke='none' d='{}'><title>{}{}</title></path>",
                paint(*colour),
                arrow(begin, end),
                name(*from),
                name(*to)
            );
        }
    }
}

/// The outline of an arrow, as the data of a path.
fn arrow((from_x, from_y): (f64, f64), (to_x, to_y): (f64, f64)) -> String {
    const SHAFT: f64 = 4.0;
    const HEAD: (f64, f64) = (17.0, 10.5);
    let length = (to_x - from_x).hypot(to_y - from_y);
    let (along_x, along_y) = ((to_x - from_x) / length, (to_y - from_y) / length);
    let neck = length - HEAD.0;
    let outline =
        [(0.0, SHAFT), (neck, SHAFT), (neck, HEAD.1), (length, 0.0), (neck, -HEAD.1), (neck, -SHAFT), (0.0, -SHAFT)];
    let mut path = String::with_capacity(96);
    for (forward, aside) in outline {
        let x = from_x + forward * along_x - aside * along_y;
        let y = from_y + forward * along_y + aside * along_x;
        let _ = write!(path, "{}{x:.1} {y:.1}", if path.is_empty() { 'M' } else { 'L' });
    }
    path.push('Z');
    path
}

/// Draws a piece at the origin; the colours are set by an enclosing element.
fn piece(out: &mut String, kind: u8) {
    let Shape { body, lines, dots } = SHAPES[usize::from(kind % 6)];
    let (_, colour, line) = SIDES[usize::from(kind / 6)];
    out.push_str(body);
    if !lines.is_empty() {
        let _ = write!(out, "<path fill='none'{line} d='{lines}'/>");
    }
    if !dots.is_empty() {
        let _ = write!(out, "<g fill='{colour}' stroke='none'>{dots}</g>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(picture: &str, what: &str) -> usize {
        picture.matches(what).count()
    }

    #[test]
    fn draws_what_is_there() {
        let start = draw(&Board::default(), Options::default());
        assert_eq!(count(&start, "<g transform="), 32);
        assert_eq!(count(&start, MARK) + count(&start, LAST_MOVE), 0);
        assert!(start.is_ascii());
        let marked = draw(&Board::default(), Options { last_move: Some((12, 28)), marked: u64::MAX, bottom: 1 });
        assert_eq!((count(&marked, LAST_MOVE), count(&marked, MARK)), (2, 64));
    }

    #[test]
    fn draws_what_a_comment_asks_for() {
        let drawings = Drawings::read("[%csl Gd4,Re5][%cal Ye2e4,Bg1f3,Ye2e4]");
        let drawn = draw_with(&Board::default(), Options::default(), &drawings);
        assert_eq!((count(&drawn, "<path fill='#e6a000'"), count(&drawn, "<path fill='#103098'")), (1, 1));
        assert_eq!((count(&drawn, "<rect fill='#15781b'"), count(&drawn, "<rect fill='#a02020'")), (1, 1));
        assert_eq!((count(&drawn, "<title>e2e4</title>"), count(&drawn, "<title>e5</title>")), (1, 1));
        // Straight up the e-file, a shaft of 8 and a head of 21.
        let path = "d='M226.5 312.5L226.5 239.5L233.0 239.5L222.5 222.5L212.0 239.5L218.5 239.5L218.5 312.5Z'";
        assert_eq!(count(&drawn, path), 1);
        assert!(drawn.is_ascii() && count(&drawn, " id=") == 0);
    }

    #[test]
    fn has_no_names_and_no_rules_that_a_page_would_share() {
        let options = Options { last_move: Some((12, 28)), marked: u64::MAX, bottom: 0 };
        let picture = draw(&Board::default(), options);
        for word in [" id=", "<style", "style=", "<use", "href", "url("] {
            assert_eq!(count(&picture, word), 0, "{word}");
        }
        assert_eq!(count(&picture, "class="), 1);
    }
}
