//! Chooses the first moves of a game from a weighted table of well-known lines.
//!
//! Lines with a common beginning form a tree as in real games, whose first half-moves repeat often, so that a search by
//! opening finds something. Games leave their line early now and then, so that they diverge at many depths.

use crate::rng::Rng;
use shakmaty::san::San;
use shakmaty::{Chess, Move, Position};

/// The weight of each line, and its moves.
const LINES: &[(u32, &str)] = &[
    // 1.e4 c5
    (27, "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be3"),
    (21, "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bg5 e6"),
    (18, "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be2 e5"),
    (10, "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bc4 e6"),
    (16, "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6 Be3 Bg7"),
    (12, "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 Nc6 Bg5 e6"),
    (9, "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 e6 Be2 Be7"),
    (11, "e4 c5 Nf3 d6 Bb5+ Bd7 Bxd7+ Qxd7 O-O"),
    (15, "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5 Ndb5 d6"),
    (10, "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 g6 c4 Bg7 Be3"),
    (16, "e4 c5 Nf3 Nc6 Bb5 g6 O-O Bg7 Re1 Nf6"),
    (13, "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nc6 Nc3 Qc7 Be2"),
    (13, "e4 c5 Nf3 e6 d4 cxd4 Nxd4 a6 Bd3 Nf6 O-O"),
    (14, "e4 c5 c3 Nf6 e5 Nd5 d4 cxd4 Nf3 Nc6"),
    (10, "e4 c5 c3 d5 exd5 Qxd5 d4 Nf6 Nf3"),
    (15, "e4 c5 Nc3 Nc6 g3 g6 Bg2 Bg7 d3 d6"),
    (5, "e4 c5 d4 cxd4 c3 dxc3 Nxc3 Nc6"),
    // 1.e4 e5
    (22, "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5"),
    (10, "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Nxe4 d4 b5"),
    (8, "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 d6 c3 Bd7 d4"),
    (9, "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O f6 d4"),
    (20, "e4 e5 Nf3 Nc6 Bb5 Nf6 O-O Nxe4 d4 Nd6 Bxc6 dxc6"),
    (6, "e4 e5 Nf3 Nc6 Bb5 f5 Nc3 fxe4"),
    (17, "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d3 d6 O-O"),
    (9, "e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5 d5 exd5 Na5"),
    (5, "e4 e5 Nf3 Nc6 Bc4 Bc5 b4 Bxb4 c3 Ba5"),
    (13, "e4 e5 Nf3 Nc6 d4 exd4 Nxd4 Nf6 Nxc6 bxc6 e5"),
    (7, "e4 e5 Nf3 Nc6 Nc3 Nf6 Bb5 Bb4 O-O O-O"),
    (16, "e4 e5 Nf3 Nf6 Nxe5 d6 Nf3 Nxe4 d4 d5 Bd3"),
    (7, "e4 e5 Nf3 d6 d4 exd4 Nxd4 Nf6 Nc3 Be7"),
    (6, "e4 e5 Nc3 Nf6 f4 d5 fxe5 Nxe4"),
    (6, "e4 e5 f4 exf4 Nf3 g5 h4 g4 Ne5 Nf6"),
    // 1.e4, the rest
    (17, "e4 e6 d4 d5 Nc3 Bb4 e5 c5 a3 Bxc3+ bxc3 Ne7"),
    (15, "e4 e6 d4 d5 Nc3 Nf6 Bg5 Be7 e5 Nfd7"),
    (16, "e4 e6 d4 d5 Nd2 Nf6 e5 Nfd7 Bd3 c5 c3 Nc6"),
    (9, "e4 e6 d4 d5 Nd2 c5 exd5 exd5 Ngf3 Nc6"),
    (12, "e4 e6 d4 d5 e5 c5 c3 Nc6 Nf3 Qb6"),
    (7, "e4 e6 d4 d5 exd5 exd5 Nf3 Nf6 Bd3 Bd6"),
    (14, "e4 c6 d4 d5 Nc3 dxe4 Nxe4 Bf5 Ng3 Bg6 h4 h6"),
    (9, "e4 c6 d4 d5 Nd2 dxe4 Nxe4 Nd7 Nf3 Ngf6"),
    (14, "e4 c6 d4 d5 e5 Bf5 Nf3 e6 Be2 c5"),
    (10, "e4 c6 d4 d5 exd5 cxd5 c4 Nf6 Nc3 e6"),
    (12, "e4 d6 d4 Nf6 Nc3 g6 f4 Bg7 Nf3 O-O"),
    (7, "e4 g6 d4 Bg7 Nc3 d6 Be3 a6"),
    (10, "e4 d5 exd5 Qxd5 Nc3 Qa5 d4 Nf6 Nf3"),
    (8, "e4 Nf6 e5 Nd5 d4 d6 Nf3 Bg4 Be2"),
    // 1.d4
    (28, "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2 e5"),
    (12, "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 f3 O-O Be3 e5"),
    (10, "d4 Nf6 c4 g6 Nf3 Bg7 g3 O-O Bg2 d6 O-O"),
    (14, "d4 Nf6 c4 g6 Nc3 d5 cxd5 Nxd5 e4 Nxc3 bxc3 Bg7"),
    (8, "d4 Nf6 c4 g6 Nc3 d5 Nf3 Bg7 Qb3 dxc4 Qxc4"),
    (20, "d4 Nf6 c4 e6 Nc3 Bb4 e3 O-O Bd3 d5 Nf3 c5"),
    (13, "d4 Nf6 c4 e6 Nc3 Bb4 Qc2 O-O a3 Bxc3+ Qxc3 b6"),
    (19, "d4 Nf6 c4 e6 Nf3 b6 g3 Ba6 b3 Bb4+ Bd2 Be7"),
    (9, "d4 Nf6 c4 e6 Nf3 Bb4+ Bd2 Qe7 g3 Nc6"),
    (12, "d4 Nf6 c4 e6 g3 d5 Bg2 Be7 Nf3 O-O O-O dxc4"),
    (9, "d4 Nf6 c4 c5 d5 e6 Nc3 exd5 cxd5 d6 e4"),
    (8, "d4 Nf6 c4 c5 d5 b5 cxb5 a6 bxa6 g6"),
    (23, "d4 d5 c4 c6 Nf3 Nf6 Nc3 dxc4 a4 Bf5 e3 e6"),
    (16, "d4 d5 c4 c6 Nf3 Nf6 Nc3 e6 e3 Nbd7 Bd3 dxc4"),
    (9, "d4 d5 c4 c6 Nf3 Nf6 Nc3 e6 Bg5 h6"),
    (6, "d4 d5 c4 c6 cxd5 cxd5 Nc3 Nf6 Bf4"),
    (22, "d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7 e3 O-O Nf3 Nbd7"),
    (10, "d4 d5 c4 e6 Nc3 Nf6 cxd5 exd5 Bg5 c6 e3"),
    (10, "d4 d5 c4 e6 Nf3 Nf6 Nc3 Be7 Bf4 O-O e3"),
    (6, "d4 d5 c4 e6 Nc3 c5 cxd5 exd5 Nf3 Nc6 g3 Nf6"),
    (12, "d4 d5 c4 dxc4 Nf3 Nf6 e3 e6 Bxc4 c5 O-O a6"),
    (3, "d4 d5 c4 e5 dxe5 d4 Nf3 Nc6"),
    (10, "d4 d5 Nf3 Nf6 Bf4 c5 e3 Nc6 c3"),
    (7, "d4 Nf6 Bg5 Ne4 Bf4 d5 e3 c5"),
    (8, "d4 Nf6 Nf3 e6 Bg5 c5 e3 Be7"),
    (9, "d4 f5 g3 Nf6 Bg2 g6 Nf3 Bg7 O-O O-O c4 d6"),
    (5, "d4 f5 c4 Nf6 g3 e6 Bg2 Be7 Nf3 O-O"),
    // 1.Nf3, 1.c4 and the rest
    (16, "Nf3 Nf6 c4 c5 Nc3 Nc6 g3 d5 cxd5 Nxd5"),
    (12, "Nf3 d5 g3 Nf6 Bg2 c6 O-O Bg4 d3 Nbd7"),
    (10, "Nf3 d5 c4 e6 g3 Nf6 Bg2 Be7 O-O O-O"),
    (10, "Nf3 Nf6 g3 g6 Bg2 Bg7 O-O O-O d3 d6"),
    (9, "Nf3 c5 c4 Nc6 Nc3 g6 e3 Nf6 d4"),
    (15, "c4 e5 Nc3 Nf6 Nf3 Nc6 g3 d5 cxd5 Nxd5 Bg2 Nb6"),
    (11, "c4 c5 Nc3 Nc6 g3 g6 Bg2 Bg7 Nf3 e6"),
    (9, "c4 Nf6 Nc3 e6 e4 d5 e5 d4 exf6 dxc3"),
    (8, "c4 e6 Nf3 d5 g3 Nf6 Bg2 Be7 O-O O-O b3"),
    (6, "g3 d5 Bg2 e5 d3 Nf6 Nf3 Nc6"),
    (5, "b3 e5 Bb2 Nc6 e3 d5 Bb5 Bd6"),
    (5, "f4 d5 Nf3 g6 g3 Bg7 Bg2 Nf6"),
];

/// The parsed lines.
#[derive(Clone, Debug)]
pub(crate) struct Book {
    lines: Vec<(u32, Vec<Move>)>,
}

impl Book {
    /// Parses the table. An illegal move would end its line.
    pub(crate) fn new() -> Self {
        let lines = LINES.iter().map(|(weight, text)| (*weight, read(text)));
        Book { lines: lines.collect() }
    }

    /// The first moves of one game.
    pub(crate) fn choose(&self, rng: &mut Rng) -> &[Move] {
        let place = rng.weighted(self.lines.iter().map(|(weight, _)| *weight));
        let line = &self.lines[place].1;
        let len = line.len() as u32;
        let keep = if rng.one_in(14) { 1 + rng.below(len) } else { len - rng.below(6).min(len) };
        &line[..keep as usize]
    }
}

fn read(text: &str) -> Vec<Move> {
    let mut pos = Chess::default();
    let mut moves = Vec::new();
    for word in text.split(' ') {
        let Ok(san) = San::from_ascii(word.trim_end_matches('+').as_bytes()) else {
            break;
        };
        let Ok(m) = san.to_move(&pos) else {
            break;
        };
        pos.play_unchecked(m);
        moves.push(m);
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_legal_and_long_enough() {
        for (weight, text) in LINES {
            let words = text.split(' ').count();
            assert!(*weight > 0);
            assert!((8..=12).contains(&words), "{text}");
            assert_eq!(read(text).len(), words, "{text}");
        }
    }
}
