//! What a game can only lose, for a pattern: which games need no replay, and when a replay can stop.
//!
//! Takes a program, returns what every match needs: a number of pieces, pawns that still are, or no longer are, on their
//! second rank, castling rights, a number of half-moves. Pieces, such pawns and rights only become fewer in the course of a
//! game, and its header says what is left of them at its end.

use crate::game::GameRef;
use crate::game::state::Home;
use crate::pause;
use crate::search::pattern::language::tree::{Contents, Function, PAWNS, file_squares};
use crate::search::pattern::program::{At, Fact, Node, Program};

/// What a match needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Pieces at a moment, both sides together.
    most: u32,
    least: u32,
    /// Pawns that have left their second rank, in the bits of [`Home`].
    gone: u32,
    /// What must be there still, in the same bits: pawns and castling rights.
    kept: u32,
    /// Of these bits one must have been there half a move before; 0 if none need.
    before: u32,
    /// The first and last half-move that matter.
    pub from: u32,
    pub to: u32,
    /// Whether only the last half-move of a game matters.
    pub at_end: bool,
}

impl Needs {
    pub const NOTHING: Needs =
        Needs { most: 64, least: 0, gone: 0, kept: 0, before: 0, from: 0, to: u32::MAX, at_end: false };
    /// What nothing fulfils.
    pub const IMPOSSIBLE: Needs =
        Needs { most: 0, least: 64, gone: !0, kept: !0, before: 0, from: u32::MAX, to: 0, at_end: true };

    /// What is needed for both, at one moment.
    fn and(self, other: Needs) -> Needs {
        Needs {
            most: self.most.min(other.most),
            least: self.least.max(other.least),
            gone: self.gone | other.gone,
            kept: self.kept | other.kept,
            before: if self.before == 0 || other.before == 0 { self.before | other.before } else { self.before },
            from: self.from.max(other.from),
            to: self.to.min(other.to),
            at_end: self.at_end || other.at_end,
        }
    }

    /// What is needed for either.
    pub fn or(self, other: Needs) -> Needs {
        Needs {
            most: self.most.max(other.most),
            least: self.least.min(other.least),
            gone: self.gone & other.gone,
            kept: self.kept & other.kept,
            before: if self.before == 0 || other.before == 0 { 0 } else { self.before | other.before },
            from: self.from.min(other.from),
            to: self.to.max(other.to),
            at_end: self.at_end && other.at_end,
        }
    }

    /// What is needed for one and, at a later moment, for the other: what is lost at the first stays lost.
    pub fn then(self, later: Needs) -> Needs {
        Needs {
            most: self.most.min(later.most),
            gone: self.gone | later.gone,
            from: 0,
            to: u32::MAX,
            at_end: false,
            ..later
        }
    }

    /// The same without what holds of one moment only; a match ends at half-move `until` at the latest.
    pub fn of_any_moment(self, until: u32) -> Needs {
        Needs { from: 0, to: until, at_end: false, ..self }
    }

    /// Whether few games can match, as far as their headers say: those that end with few pieces.
    pub fn exclude_most(&self) -> bool {
        self.most <= 10
    }

    /// Whether a game can match, as far as its header says.
    #[inline]
    pub fn may_match(&self, game: GameRef<'_>) -> bool {
        let remains = game.remains();
        u32::from(remains.home_pawns) & self.gone == 0 && u32::from(remains.pieces) <= self.most
    }

    /// Whether a moment comes too early: with too many pieces, or with pawns at home that are not.
    #[inline(always)]
    pub fn is_early(&self, Home(home): Home, total: u32) -> bool {
        total > self.most || home & self.gone != 0
    }

    /// Whether [`Needs::is_lost`] can ever be true.
    pub fn can_be_lost(&self) -> bool {
        self.keeps() || self.least > 2
    }

    /// Whether it can become true without a capture.
    pub fn keeps(&self) -> bool {
        self.kept != 0 || self.before != 0
    }

    /// Whether nothing can match after a moment with `total` pieces and these pawns and rights left.
    #[inline(always)]
    pub fn is_lost(&self, total: u32, Home(home): Home) -> bool {
        home & self.kept != self.kept || total < self.least || self.before != 0 && home & self.before == 0
    }

    /// What a condition needs.
    pub fn of(program: &Program, at: At) -> Needs {
        pause::count(1);
        let entry = |at: At| &program.entries[usize::from(at)].node;
        let nothing = Needs::NOTHING;
        match entry(at) {
            Node::All(parts) => {
                let needs = parts.iter().fold(nothing, |needs, part| needs.and(Needs::of(program, *part)));
                needs.and(Needs::of_counts(program, parts))
            }
            Node::Any(parts) => parts.iter().fold(Needs::IMPOSSIBLE, |needs, part| needs.or(Needs::of(program, *part))),
            Node::Some(set) => Needs::of_set(program, *set),
            Node::Within(number, from, to) => match (entry(*number), *to) {
                (Node::HalfMove, to) => Needs { from: *from, to: to.unwrap_or(u32::MAX), ..nothing },
                (Node::MoveNumber, to) => Needs {
                    from: from.saturating_mul(2).saturating_sub(1),
                    to: to.map_or(u32::MAX, |to| to.saturating_mul(2)),
                    ..nothing
                },
                (Node::Size(set), Some(0)) => match entry(*set) {
                    Node::Pieces(contents, squares) => Needs { gone: home_pawns(*contents, *squares), ..nothing },
                    _ => nothing,
                },
                (Node::Count(_), _) => Needs::of_counts(program, &[at]),
                (Node::Size(set), _) if *from > 0 => Needs::of_set(program, *set),
                _ => nothing,
            },
            Node::Castles(bits) => Needs { before: Home::new(0, (*bits).into()).0, ..nothing },
            Node::Rights(bits) => Needs { kept: Home::new(0, (*bits).into()).0, ..nothing },
            Node::Fact(Fact::Mate | Fact::Stalemate | Fact::End) => Needs { at_end: true, ..nothing },
            _ => nothing,
        }
    }

    /// What a set needs to have squares.
    fn of_set(program: &Program, at: At) -> Needs {
        pause::count(1);
        let nothing = Needs::NOTHING;
        let node = |at: At| &program.entries[usize::from(at)].node;
        match node(at) {
            Node::Pieces(contents, squares) if squares.is_power_of_two() => {
                let here = home_pawns(PAWNS, *squares);
                let own: Contents = if *squares < 1 << 32 { 1 } else { 1 << 6 };
                match contents & own {
                    0 => Needs { gone: here, ..nothing },
                    _ if *contents == own => Needs { kept: here, ..nothing },
                    _ => nothing,
                }
            }
            Node::Union(parts) => {
                parts.iter().fold(Needs::IMPOSSIBLE, |needs, part| needs.or(Needs::of_set(program, *part)))
            }
            Node::Cut(parts) => {
                let of_parts = parts.iter().fold(nothing, |needs, part| needs.and(Needs::of_set(program, *part)));
                // Squares of one file, and that file open.
                let squares = parts.iter().fold(!0, |set, part| match node(*part) {
                    Node::Pieces(_, squares) => set & squares,
                    _ => set,
                });
                let is_open = parts.iter().any(|part| matches!(node(*part), Node::OpenFiles));
                match file_of(squares) {
                    Some(file) if is_open => of_parts.and(Needs { gone: 0x101 << file, ..nothing }),
                    _ => of_parts,
                }
            }
            Node::Function(function, part) => {
                let own = Needs::of_set(program, *part);
                match (function, node(*part)) {
                    (Function::Isolated, Node::Pieces(contents, squares)) => {
                        let Some(file) = file_of(*squares) else { return own };
                        let files = (1u32 << file << 1 | 1 << file >> 1) & 0xff;
                        let gone = match contents & PAWNS {
                            1 => files,
                            0x40 => files << 8,
                            _ => 0,
                        };
                        own.and(Needs { gone, ..nothing })
                    }
                    (Function::Beside | Function::Span, _) => nothing,
                    _ => own,
                }
            }
            Node::Attacks(a, b) | Node::AttackedBy(a, b) => Needs::of_set(program, *a).and(Needs::of_set(program, *b)),
            _ => nothing,
        }
    }

    /// What counts that must all be right say of the number of pieces.
    fn of_counts(program: &Program, parts: &[At]) -> Needs {
        let mut ranges: Vec<(Contents, u32, Option<u32>)> = Vec::new();
        for at in parts {
            if let Node::Within(number, from, to) = program.entries[usize::from(*at)].node
                && let Node::Count(kinds) = program.entries[usize::from(number)].node
            {
                ranges.push((kinds, from, to));
            }
        }
        let (mut most, mut least) = (0u32, 2u32);
        for side in [0x3f, 0xfc0] {
            // Of overlapping groups the first ones count; a king there is always one.
            let (mut bounded, mut at_most) = (0, 0u32);
            for (kinds, _, to) in &ranges {
                let own = kinds & side & !0x820;
                let Some(to) = *to else { continue };
                if own != 0 && own & bounded == 0 {
                    bounded |= own;
                    at_most = at_most.saturating_add(to);
                }
            }
            most += if bounded == side & !0x820 { at_most.saturating_add(1).min(16) } else { 16 };
        }
        let mut counted = 0x820;
        for (kinds, from, _) in &ranges {
            if kinds & counted == 0 {
                counted |= kinds;
                least = least.saturating_add(*from);
            }
        }
        Needs { most, least: if ranges.is_empty() { 0 } else { least }, ..Needs::NOTHING }
    }
}

/// The pawns that would be at home on these squares, if they are among the contents.
fn home_pawns(contents: Contents, squares: u64) -> u32 {
    let white = if contents & 1 != 0 { squares >> 8 & 0xff } else { 0 };
    let black = if contents & 1 << 6 != 0 { squares >> 48 & 0xff } else { 0 };
    (white | black << 8) as u32
}

/// The file that all squares are on.
fn file_of(squares: u64) -> Option<u32> {
    (0..8).find(|file| squares != 0 && squares & !file_squares(1 << file) == 0)
}
