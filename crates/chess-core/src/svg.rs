//! Boards as pictures: self-contained SVG, drawn with the paths of this file.
//!
//! In go a board and [`Options`], out comes an SVG document of ASCII characters: squares,
//! coordinates in the margin, the last move and a set of squares in colour, the pieces.

use std::fmt::Write;

use crate::board::Board;
use crate::slots::NO_KIND;
use crate::squares::{letter, members, name};

/// The side of a square, and the width of the margin.
const SQUARE: u32 = 45;
const MARGIN: u32 = 20;
const SIZE: u32 = 8 * SQUARE + 2 * MARGIN;

/// What a picture shows beside the pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// From- and to-square of the last move.
    pub last_move: Option<(u8, u8)>,
    /// Squares that are marked.
    pub marked: u64,
    /// Which side sits at the bottom: 0 White, 1 Black.
    pub bottom: u8,
}

/// Shapes by role, pawn to king, on a square of 45 x 45. What has no class is filled and outlined;
/// class `d` is a line of the other colour, on top.
const SHAPES: [&str; 6] = [
    // Pawn: head, collar and body.
    "<path d='M22.5 9a5 5 0 0 0-3.9 8.1C15.9 18.7 14.5 21.3 14.5 24c0 2.2 1 4.2 2.5 5.6C13.5 31 10.5 34 10.5 39.5h24\
     c0-5.500-3-8.500-6.500-9.900 1.500-1.400 2.500-3.400 2.500-5.600 0-2.700-1.400-5.300-4.100-6.900A5 5 0 0 0 22.500 9z'/>",
    // Knight: a head that looks left.
    "<path d='M22 10.500L20.500 6.500l-3.500 4.500C12 14 9.500 20 6.500 26.500c-.8 1.800.2 4 2.200 4.700 1.500.5 2.800-.2 3.800-1.700\
     l3.500-3c2.500 0 5-.8 6.500-2.500C23 29 15 31.500 14.500 39.500h22.500C38.500 25 36 13.500 22 10.500z'/>\
     <path class='d' d='M24.500 12.500C32 15.500 34.500 25 34.200 37'/>\
     <circle class='e' cx='16.500' cy='17' r='1.500'/><circle class='e' cx='9.800' cy='27.200' r='1'/>",
    // Bishop: ball, mitre with its cross, collar, base.
    "<path d='M9 39.500c0-3 3-4.500 7-4.500h13c4 0 7 1.500 7 4.500z'/>\
     <path d='M16 35c-.5-2.500.5-4 1.500-5-3.500-2-5-5-5-8.500 0-5 5-8.500 10-12 5 3.500 10 7 10 12 0 3.500-1.500 6.500-5 8.500\
     1 1 2 2.500 1.500 5z'/>\
     <circle cx='22.500' cy='7.500' r='2.500'/><path class='d' d='M17.500 30h10M22.500 15.500v8M18.500 19.500h8'/>",
    // Rook: battlements, tower, base.
    "<path d='M9 39.500v-4h4l1.500-4v-14L11 14.500V8.500h5v2.500h4V8.500h5v2.500h4V8.500h5v6l-3.500 3v14l1.500 4h4v4z'/>\
     <path class='d' d='M11 14.500h23M14.500 17.500h16M14.500 31.500h16M13 35.500h19'/>",
    // Queen: five points with balls, band, base.
    "<path d='M9.500 26L6.500 13.500l7 9.500L15 10.500l5 11.500 2.500-13 2.500 13 5-11.500 1.500 12.500 7-9.500-3 12.500c-1.500 2-2 4-1.500 5.500\
     1 1.500 1.500 3 1.500 8h-26c0-5 .5-6.500 1.500-8 .5-1.500 0-3.500-1.500-5.500z'/>\
     <circle cx='6' cy='12' r='2.200'/><circle cx='14.500' cy='9' r='2.200'/><circle cx='22.500' cy='7.500' r='2.200'/>\
     <circle cx='30.500' cy='9' r='2.200'/><circle cx='39' cy='12' r='2.200'/>\
     <path class='d' d='M10.500 27.500c8-2.500 16-2.500 24 0M11.500 31.500c7-2 15-2 22 0M10.500 35.500c8-1.800 16-1.800 24 0'/>",
    // King: cross, two arches, base.
    "<path d='M22.500 13V5M19 8h7' fill='none'/>\
     <path d='M22.500 25s4.500-7 3-10c0 0-1-2.500-3-2.500s-3 2.500-3 2.500c-1.500 3 3 10 3 10z'/>\
     <path d='M11.500 39.500v-8.500C6 28 4 22 8 18c4-3.500 11-1.500 14.500 5.500v2V23.500C26 16.500 33 14.500 37 18c4 4 2 10-3.500 13v8.500z'/>\
     <path class='d' d='M11.500 31c7-3 15-3 22 0M11.500 35.500c7-2.500 15-2.500 22 0M22.500 24v4.500'/>",
];

const STYLE: &str = ".l{fill:#f0d9b5}.s{fill:#b58863}.m{fill:#cdd26a;fill-opacity:.8}\
    .h{fill:none;stroke:#c33;stroke-width:3}.t{font:12px sans-serif;fill:#444;text-anchor:middle}\
    .w,.b{stroke:#111;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}.w{fill:#fff}.b{fill:#222}\
    .d{fill:none}.w .d{stroke:#111}.b .d{stroke:#eee;stroke-width:1.2}.w .e{fill:#111;stroke:none}.b .e{fill:#eee;stroke:none}";

/// Draws a board.
///
/// # Examples
///
/// ```
/// use chess_core::{Board, svg};
///
/// let picture = svg::draw(&Board::default(), svg::Options::default());
/// assert!(picture.starts_with("<svg xmlns='http://www.w3.org/2000/svg'") && picture.ends_with("</svg>"));
/// ```
pub fn draw(board: &Board, options: Options) -> String {
    let mut out = String::with_capacity(12_000);
    let _ = write!(
        out,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {SIZE} {SIZE}' width='{SIZE}' height='{SIZE}'>"
    );
    let _ = write!(out, "<style>{STYLE}</style><defs>");
    let mut used = [false; 16];
    board.kinds.iter().for_each(|kind| used[usize::from(kind & 15)] = true);
    for kind in (0..12u8).filter(|kind| used[usize::from(*kind)]) {
        let class = if kind < 6 { 'w' } else { 'b' };
        let shape = SHAPES[usize::from(kind % 6)];
        let _ = write!(out, "<g id='{}' class='{class}'>{shape}</g>", id(kind));
    }
    out.push_str("</defs>");
    let black = options.bottom == 1;
    let corner = |square: u8| {
        let (column, row) = (u32::from(square % 8), u32::from(square / 8));
        let (column, row) = if black { (7 - column, row) } else { (column, 7 - row) };
        (MARGIN + SQUARE * column, MARGIN + SQUARE * row)
    };
    for square in 0..64u8 {
        let (x, y) = corner(square);
        let class = if (square / 8 + square % 8) % 2 == 1 { 'l' } else { 's' };
        let _ = write!(out, "<rect class='{class}' x='{x}' y='{y}' width='{SQUARE}' height='{SQUARE}'/>");
    }
    for square in options.last_move.map(|(from, to)| [from & 63, to & 63]).into_iter().flatten() {
        let (x, y) = corner(square);
        let _ = write!(out, "<rect class='m' x='{x}' y='{y}' width='{SQUARE}' height='{SQUARE}'/>");
    }
    for i in 0..8u8 {
        let (x, y) = corner(9 * i);
        let (file, rank) = (char::from(b'a' + i), i + 1);
        let (middle, low) = (x + SQUARE / 2, SIZE - 6);
        let _ = write!(out, "<text class='t' x='{middle}' y='{low}'>{file}</text>");
        let _ = write!(out, "<text class='t' x='10' y='{}'>{rank}</text>", y + SQUARE / 2 + 4);
    }
    for (square, &kind) in board.kinds.iter().enumerate().filter(|(_, kind)| **kind < NO_KIND) {
        let (x, y) = corner(square as u8);
        let _ = write!(out, "<use href='#{}' x='{x}' y='{y}'/>", id(kind));
    }
    for square in members(options.marked) {
        let (x, y) = corner(square);
        let (x, y, size) = (x + 2, y + 2, SQUARE - 4);
        let _ = write!(
            out,
            "<rect class='h' x='{x}' y='{y}' width='{size}' height='{size}'><title>{}</title></rect>",
            name(square)
        );
    }
    out.push_str("</svg>");
    out
}

/// The name of a piece within the document, such as `wK`.
fn id(kind: u8) -> String {
    format!("{}{}", if kind < 6 { 'w' } else { 'b' }, letter(kind % 6).unwrap_or('P'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_what_is_there() {
        let start = draw(&Board::default(), Options::default());
        assert_eq!(start.matches("<use ").count(), 32);
        assert_eq!(start.matches("<g id=").count(), 12);
        assert_eq!(start.matches("class='h'").count() + start.matches("class='m'").count(), 0);
        assert!(start.is_ascii());
        let marked = draw(&Board::default(), Options { last_move: Some((12, 28)), marked: u64::MAX, bottom: 1 });
        assert_eq!(marked.matches("class='m'").count(), 2);
        assert_eq!(marked.matches("class='h'").count(), 64);
    }
}
