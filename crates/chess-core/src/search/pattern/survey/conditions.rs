//! Conditions at all moments of a stretch.

use super::relations::directions;
use super::stretch::{DIRECTIONS_KNOWN, OF_SQUARE, Set, Stretch};
use super::times::Times;
use crate::board::squares::members;
use crate::search::pattern::language::tree::{Contents, Line, NOTHING, Name};
use crate::search::pattern::program::{At, Fact, Node, Program, Step};

impl Stretch {
    pub(super) fn find_truth(&mut self, program: &Program, at: At) -> Times {
        match &program.entries[usize::from(at)].node {
            Node::Some(at) => self.some(program, *at),
            Node::All(parts) => {
                let mut times = self.all;
                for part in parts {
                    times &= self.truth(program, *part);
                    if times.is_none() {
                        break;
                    }
                }
                times
            }
            Node::Any(parts) => {
                let mut times = Times::NONE;
                for part in parts {
                    times |= self.truth(program, *part);
                    if times == self.all {
                        break;
                    }
                }
                times
            }
            Node::Not(at) => !self.truth(program, *at),
            Node::Compare(comparison, a, b) => {
                let (a, b) = (self.number(program, *a), self.number(program, *b));
                self.compare(*comparison, a, b)
            }
            Node::Within(at, from, to) => {
                let number = self.number(program, *at);
                self.within(number, *from, *to)
            }
            Node::Exceeds(a, b, by) => {
                let (a, b) = (self.number(program, *a), self.number(program, *b));
                self.exceeds(a, b, *by)
            }
            Node::Move(step) => self.played(step),
            Node::Castles(bits) => self.castles(*bits),
            Node::Rights(bits) => {
                let rights = self.record.rights.iter().enumerate();
                rights.filter(|(n, _)| bits >> n & 1 == 1).fold(Times::ALL, |times, (_, right)| times & *right)
            }
            Node::Fact(fact) => self.fact(*fact),
            Node::Line(line, parts) if parts.len() <= 3 => self.line_of::<3>(program, at, *line, parts),
            Node::Line(line, parts) => self.line_of::<8>(program, at, *line, parts),
            Node::Shifted(anchors, sets) => self.shifted(program, *anchors, sets),
            _ => Times::NONE,
        }
    }

    /// A line of at most `N` sets.
    #[inline(never)]
    fn line_of<const N: usize>(&mut self, program: &Program, at: At, line: Line, parts: &[At]) -> Times {
        let mut sets = [Set::NONE; N];
        let Some(sets) = sets.get_mut(..parts.len()) else { return Times::NONE };
        for (set, at) in sets.iter_mut().zip(parts) {
            *set = self.set(program, *at);
            if set.support == 0 {
                return Times::NONE;
            }
        }
        let n = usize::from(at);
        if self.directions[n] & DIRECTIONS_KNOWN == 0 {
            self.directions[n] = DIRECTIONS_KNOWN | directions(program, line, parts);
        }
        self.line(self.directions[n], sets)
    }

    #[inline(never)]
    fn shifted(&mut self, program: &Program, anchors: u64, sets: &[(At, u8)]) -> Times {
        let mut possible = anchors;
        let mut known = Vec::with_capacity(sets.len());
        for (at, by) in sets {
            let set = self.set(program, *at);
            possible &= set.support >> by;
            if possible == 0 {
                return Times::NONE;
            }
            known.push((set, usize::from(*by)));
        }
        self.work += OF_SQUARE * u64::from(possible.count_ones()) * known.len() as u64;
        let at = |square: u8| {
            let here = |times: Times, (set, by): &(Set, usize)| {
                times & self.grid(set.source).0[(usize::from(square) + by) & 63]
            };
            known.iter().fold(Times::ALL, here)
        };
        members(possible).fold(Times::NONE, |times, square| times | at(square))
    }

    /// The moments whose half-move is one of these.
    pub(super) fn played(&mut self, step: &Step) -> Times {
        let anywhere = Step { from: !0, to: !0, ..*step };
        let mut times = match self.steps.iter().find(|(known, _)| *known == anywhere) {
            Some((_, times)) => *times,
            None => {
                let times = self.played_anywhere(step);
                self.steps.push((anywhere, times));
                times
            }
        };
        let moves = &self.record.moves;
        self.work += 20;
        for (squares, places) in [(step.from, &moves.from), (step.to, &moves.to)] {
            if squares == !0 || times.is_none() {
                continue;
            }
            self.work += OF_SQUARE * 8;
            times &= places.grid.union_on(squares & places.support);
        }
        times
    }

    fn played_anywhere(&mut self, step: &Step) -> Times {
        let moves = &self.record.moves;
        let of_kinds = |times: &[Times; 16], contents: Contents| {
            let chosen = times.iter().take(13).enumerate().filter(|(kind, _)| contents >> kind & 1 == 1);
            chosen.fold(Times::NONE, |all, (_, times)| all | *times)
        };
        let mut times = of_kinds(&moves.mover, step.mover);
        times &= if step.takes {
            of_kinds(&moves.taken, step.stood & !NOTHING)
        } else {
            let stood = of_kinds(&moves.taken, step.stood).without(moves.en_passant);
            if step.stood & NOTHING == 0 { stood } else { stood | moves.en_passant }
        };
        if let Some(kinds) = step.promotion {
            times &= of_kinds(&moves.promoted, kinds & !NOTHING);
        }
        self.work += 300;
        times
    }

    fn castles(&self, bits: u8) -> Times {
        let castled = self.record.moves.castled.iter().enumerate();
        castled.filter(|(n, _)| bits >> n & 1 == 1).fold(Times::NONE, |times, (_, castled)| times | *castled)
    }

    fn fact(&mut self, fact: Fact) -> Times {
        match fact {
            Fact::Any => Times::ALL,
            Fact::WhiteToMove => self.white,
            Fact::BlackToMove => !self.white,
            Fact::Check => self.check(),
            Fact::Mate => self.mate,
            Fact::Stalemate => self.stalemate,
            Fact::End => self.end,
            Fact::Recapture => self.record.moves.retakes,
            Fact::EnPassant => self.record.moves.en_passant,
            Fact::OppositeBishops | Fact::SameBishops => {
                let (mut one_each, mut light, mut dark) = (self.all, Times::NONE, Times::NONE);
                for kind in [2, 8] {
                    let bishops = &self.record.contents[kind];
                    let (mut one, mut more) = (Times::NONE, Times::NONE);
                    for square in members(bishops.support) {
                        let times = bishops.grid.0[usize::from(square)];
                        more |= one & times;
                        one |= times;
                        let color = if Name::Light.squares() >> square & 1 == 1 { &mut light } else { &mut dark };
                        *color |= times;
                    }
                    one_each &= one.without(more);
                }
                let differ = light & dark;
                one_each & if fact == Fact::OppositeBishops { differ } else { !differ }
            }
        }
    }
}
