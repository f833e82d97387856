//! Where pieces must arrive for a pattern to occur in a game from the standard start.
//!
//! Takes a compiled pattern; returns the half-move before which no match can end, or that a game has none. A byte names
//! a piece and one of its targets, so that it is enough to follow where each piece stands: not what stands on a square, nor
//! what is taken. First it is told by the bytes alone what may happen at all.

use std::collections::HashMap;

use super::material::HOME;
use crate::board::kinds::{PAWN, QUEEN};
use crate::game::seating::STANDARD;
use crate::game::slots::{CASTLE, DECODE, NO_TARGET, PROMOTION, PROMOTION_SHIFT, SLOT_ROLE, TARGETS};
use crate::pause;
use crate::search::pattern::language::tree::{
    Comparison, Contents, NOTHING, PAWNS, kinds, promoted_from, rank_squares,
};
use crate::search::pattern::program::chain::{Chain, Input, Output, What, legs};
use crate::search::pattern::program::{At, Node, Program, Step};

/// More events than this are not asked for.
const MOST: usize = 32;
/// Nor more alternatives.
const MOST_ALTERNATIVES: usize = 16;
/// An event with more alternatives than this happens in nearly every game, so it excludes nothing.
const MOST_PLACES: u32 = 16;
/// Limit of steps for a pattern; requirements beyond it are not used.
const MOST_STEPS: usize = 50_000;

/// What may happen: that a piece of a kind enters a square, that a side castles, that a pawn promotes to a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Event {
    enters: [u64; 12],
    /// O-O, O-O-O, o-o, o-o-o.
    castles: u8,
    promotes: Contents,
}

/// The events that a match needs: of one of the alternatives all.
#[derive(Clone, Debug)]
pub struct Required {
    /// By unit and square the events that it is to enter it.
    enters: Box<[[u32; 64]; 32]>,
    castles: [u32; 4],
    promotes: [u32; 12],
    alternatives: Vec<u32>,
    /// By side and byte what it may make happen; all, if it is not that of a whole half-move.
    may: Box<[[u32; 256]; 2]>,
    /// The first half-move that may make something happen, and how many it is to the next.
    sides: (usize, usize),
}

impl Required {
    /// Those of a condition of one moment; `None` if nothing is known of it.
    pub fn of_moment(program: &Program, at: At) -> Option<Required> {
        Maker::new(program).finish(|maker| maker.condition(at))
    }

    /// Those of a pattern that takes several.
    pub fn of_chain(program: &Program, chain: &Chain) -> Option<Required> {
        Maker::new(program).finish(|maker| {
            let mut known = HashMap::new();
            maker.ended(chain, Output::Match, &mut known)
        })
    }

    /// The first half-move with which a match may end, in a game from the standard start with these moves.
    pub fn first(&self, moves: &[u8]) -> Option<u32> {
        let pairs = moves.chunks_exact(2);
        let last = pairs.remainder().first().map_or(0, |byte| self.may[0][usize::from(*byte)]);
        let may =
            pairs.fold(last, |may, pair| may | self.may[0][usize::from(pair[0])] | self.may[1][usize::from(pair[1])]);
        if !self.is_enough(may) {
            return None;
        }
        // Where every half-move is one byte, those of a side that nothing is asked of are passed over.
        let (mut ply, step) = if may == u32::MAX { (0, 1) } else { self.sides };
        let mut square = STANDARD.pieces.square;
        let mut seen = 0;
        while let Some(byte) = moves.get(ply) {
            let code = DECODE[ply & 1][usize::from(*byte)];
            let unit = (code & 63) as usize;
            let from = usize::from(square[unit] & 63);
            let target = TARGETS[((code >> 8) as usize + 16 * from) & 8191];
            let happens = if let Some(enters) = self.enters.get(unit)
                && target & (PROMOTION | CASTLE | NO_TARGET) == 0
            {
                let to = usize::from(target & 63);
                square[unit] = to as u8;
                enters[to]
            } else {
                if unit >= self.enters.len() || target & NO_TARGET != 0 {
                    // A promoted piece moves: from here on nothing is known.
                    return Some(ply as u32 + 1);
                }
                if target & CASTLE != 0 {
                    for (unit, to) in castling(unit / 16, target) {
                        square[unit] = to as u8;
                    }
                }
                self.rare(unit, target)
            };
            if happens & !seen != 0 {
                seen |= happens;
                if self.is_enough(seen) {
                    return Some(ply as u32 + 1);
                }
            }
            ply += step;
        }
        None
    }

    fn is_enough(&self, events: u32) -> bool {
        self.alternatives.iter().any(|all| events & all == *all)
    }

    /// What happens when a side castles, or a pawn promotes.
    #[inline(never)]
    fn rare(&self, unit: usize, target: u16) -> u32 {
        let side = unit / 16;
        if target & CASTLE != 0 {
            let enters = castling(side, target).map(|(unit, to)| self.enters[unit][to]);
            return enters[0] | enters[1] | self.castles[2 * side + usize::from(target & 1)];
        }
        let role = QUEEN - (target >> PROMOTION_SHIFT) as u8 % 4;
        // A piece of that kind is asked of as the one that has been there from the start.
        let like = SLOT_ROLE.iter().position(|known| *known == role).unwrap_or(0);
        self.enters[16 * side + like][usize::from(target & 63)] | self.promotes[6 * side + usize::from(role)]
    }

    /// What a byte may make happen, wherever the piece stands that it names.
    fn may_happen(&self, side: usize, byte: usize) -> u32 {
        let code = DECODE[side][byte];
        let unit = (code & 63) as usize;
        if unit >= self.enters.len() {
            return u32::MAX;
        }
        let home = usize::from(STANDARD.pieces.square[unit]);
        let stands = |from: &usize| {
            // A pawn is as many files from its own as it has gone ranks, at most.
            SLOT_ROLE[unit % 16] != PAWN || (from % 8).abs_diff(home % 8) <= (from / 8).abs_diff(home / 8)
        };
        (0..64).filter(stands).fold(0, |may, from| {
            may | match TARGETS[((code >> 8) as usize + 16 * from) & 8191] {
                target if target & NO_TARGET != 0 => 0,
                target if target & (PROMOTION | CASTLE) != 0 => self.rare(unit, target),
                target => self.enters[unit][usize::from(target & 63)],
            }
        })
    }
}

/// Where the king and the rook go when a side castles, by unit.
fn castling(side: usize, target: u16) -> [(usize, usize); 2] {
    // The rooks of the a-file and the h-file are the third and the fourth unit.
    let (rook, king_to, rook_to) = if target & 1 == 1 { (2, 2, 3) } else { (3, 6, 5) };
    [(16 * side, king_to + 56 * side), (16 * side + rook, rook_to + 56 * side)]
}

/// Alternatives: of each all events are needed. One without any says that nothing is known; none at all, that nothing
/// matches.
type Known = Vec<u32>;

fn nothing() -> Known {
    vec![0]
}

/// What is known if any of these is.
fn any(parts: impl IntoIterator<Item = Known>) -> Known {
    let mut all: Known = parts.into_iter().flatten().collect();
    all.sort_unstable_by_key(|events| events.count_ones());
    let mut kept = Known::new();
    for events in all {
        // What asks for more than another adds nothing.
        if !kept.iter().any(|fewer| events & fewer == *fewer) {
            kept.push(events);
        }
        if kept.len() > MOST_ALTERNATIVES {
            return nothing();
        }
    }
    kept
}

/// What is known of all of these together; parts that make too many alternatives are left out.
fn all(mut parts: Vec<Known>) -> Known {
    parts.sort_by_key(Vec::len);
    parts.into_iter().fold(nothing(), |known, part| {
        let both = any(known.iter().map(|events| part.iter().map(|other| events | other).collect()));
        if both == nothing() { known } else { both }
    })
}

struct Maker<'a> {
    program: &'a Program,
    events: Vec<Event>,
    steps: usize,
}

impl<'a> Maker<'a> {
    fn new(program: &'a Program) -> Maker<'a> {
        Maker { program, events: Vec::new(), steps: 0 }
    }

    fn finish(mut self, make: impl FnOnce(&mut Maker<'a>) -> Known) -> Option<Required> {
        let alternatives = make(&mut self);
        if alternatives.contains(&0) {
            return None;
        }
        let asked = alternatives.iter().fold(0, |asked, events| asked | events);
        let of = |is_one: &dyn Fn(&Event) -> bool| {
            let events = self.events.iter().enumerate().filter(|(_, event)| is_one(event));
            events.fold(0, |events, (n, _)| events | 1u32 << n) & asked
        };
        let mut enters = Box::new([[0; 64]; 32]);
        for (unit, squares) in enters.iter_mut().enumerate() {
            let kind = 6 * (unit / 16) + usize::from(SLOT_ROLE[unit % 16]);
            for (square, events) in squares.iter_mut().enumerate() {
                *events = of(&|event| event.enters[kind] >> square & 1 == 1);
            }
        }
        let castles = std::array::from_fn(|how| of(&|event| event.castles >> how & 1 == 1));
        let promotes = std::array::from_fn(|kind| of(&|event| event.promotes >> kind & 1 == 1));
        let nothing_yet = Box::new([[0; 256]; 2]);
        let mut required = Required { enters, castles, promotes, alternatives, may: nothing_yet, sides: (0, 1) };
        for side in 0..2 {
            required.may[side] = std::array::from_fn(|byte| required.may_happen(side, byte));
        }
        let asked = [0, 1].map(|side: usize| required.may[side].iter().any(|may| !matches!(*may, 0 | u32::MAX)));
        required.sides = match asked {
            [true, false] => (0, 2),
            [false, true] => (1, 2),
            _ => (0, 1),
        };
        Some(required)
    }

    fn node(&self, at: At) -> &'a Node {
        &self.program.entries[usize::from(at)].node
    }

    fn event(&mut self, event: Event) -> Known {
        if event == Event::default() {
            return Known::new();
        }
        if event.enters.iter().map(|squares| squares.count_ones()).sum::<u32>() > MOST_PLACES {
            return nothing();
        }
        if !self.goes_on(MOST) {
            return nothing();
        }
        let n = self.events.iter().position(|known| *known == event).unwrap_or(self.events.len());
        if n == MOST {
            return nothing();
        }
        if n == self.events.len() {
            self.events.push(event);
        }
        vec![1 << n]
    }

    /// Counts steps; false once the limit is reached.
    fn goes_on(&mut self, steps: usize) -> bool {
        pause::count(steps);
        self.steps += steps;
        self.steps <= MOST_STEPS
    }

    /// Requirements if all of these hold.
    fn all(&mut self, parts: Vec<Known>) -> Known {
        // Each alternative is combined with those of the earlier parts.
        let alternatives = parts.iter().map(Vec::len).sum::<usize>();
        if self.goes_on(MOST_ALTERNATIVES * alternatives) { all(parts) } else { nothing() }
    }

    fn all_of(&mut self, parts: &[At], make: impl Fn(&mut Maker<'a>, At) -> Known) -> Known {
        let parts = parts.iter().map(|part| make(self, *part)).collect();
        self.all(parts)
    }

    /// Requirements if any of these holds.
    fn any(&mut self, parts: Vec<Known>) -> Known {
        if self.goes_on(parts.iter().map(Vec::len).sum()) { any(parts) } else { nothing() }
    }

    fn any_of(&mut self, parts: &[At], make: impl Fn(&mut Maker<'a>, At) -> Known) -> Known {
        let parts = parts.iter().map(|part| make(self, *part)).collect();
        self.any(parts)
    }

    fn condition(&mut self, at: At) -> Known {
        if !self.goes_on(1) {
            return nothing();
        }
        match self.node(at) {
            Node::All(parts) => self.all_of(parts, Maker::condition),
            Node::Any(parts) => self.any_of(parts, Maker::condition),
            Node::Some(set) => self.set(*set),
            Node::Within(number, from, _) if *from > 0 => self.at_least(*number, *from),
            Node::Compare(Comparison::Greater, number, _) | Node::Compare(Comparison::Less, _, number) => {
                self.at_least(*number, 1)
            }
            Node::Move(step) => self.step(step),
            Node::Castles(bits) => self.castles(*bits),
            Node::Line(_, sets) => self.all_of(sets, Maker::set),
            _ => nothing(),
        }
    }

    /// What a number needs to be as great as that.
    fn at_least(&mut self, number: At, least: u32) -> Known {
        match self.node(number) {
            Node::Size(set) | Node::Points(set) | Node::Islands(set) => self.set(*set),
            Node::Sum(parts) => self.any_of(parts, |maker, part| maker.at_least(part, 1)),
            Node::Count(contents) => {
                let at_first = kinds(*contents).map(|kind| HOME[usize::from(kind)].count_ones()).sum::<u32>();
                if least > at_first { self.promotes(*contents) } else { nothing() }
            }
            _ => nothing(),
        }
    }

    /// What a set needs to have squares.
    fn set(&mut self, at: At) -> Known {
        if !self.goes_on(1) {
            return nothing();
        }
        match self.node(at) {
            Node::Pieces(contents, squares) => self.pieces(*contents, *squares),
            Node::Union(parts) => self.any_of(parts, Maker::set),
            Node::Cut(parts) => {
                let (contents, squares, others) = self.program.cut(parts);
                let mut known: Vec<Known> = others.into_iter().map(|part| self.set(part)).collect();
                known.push(self.pieces(contents, squares));
                self.all(known)
            }
            Node::Attacks(a, b) | Node::AttackedBy(a, b) | Node::Between(a, b) => self.all_of(&[*a, *b], Maker::set),
            // Squares of other sets, or near them: of none there are none.
            Node::Function(_, part) | Node::Reach(_, part, ..) => self.set(*part),
            _ => nothing(),
        }
    }

    /// One of these contents on one of these squares.
    fn pieces(&mut self, contents: Contents, squares: u64) -> Known {
        let stands = |kind: u8| HOME[usize::from(kind)] & squares != 0;
        if contents & NOTHING != 0 || kinds(contents).any(stands) {
            return nothing();
        }
        self.enters(contents, squares)
    }

    fn enters(&mut self, contents: Contents, squares: u64) -> Known {
        let mut event = Event::default();
        for kind in kinds(contents) {
            event.enters[usize::from(kind)] = if kind % 6 == PAWN { squares & !rank_squares(0x81) } else { squares };
        }
        self.event(event)
    }

    /// A half-move: what stood where it began, what stands where it ended.
    fn step(&mut self, step: &Step) -> Known {
        let stood = self.pieces(step.mover, step.from);
        let promoted = promoted_from(step.mover);
        let arrived = match step.promotion {
            Some(kinds) => self.promotes(promoted & kinds),
            // A pawn enters the last rank as something else.
            None if step.mover & PAWNS != 0 && step.to & rank_squares(0x81) != 0 => {
                self.enters(step.mover | promoted, step.to)
            }
            None => self.enters(step.mover, step.to),
        };
        self.all(vec![stood, arrived])
    }

    fn castles(&mut self, castles: u8) -> Known {
        self.event(Event { castles, ..Event::default() })
    }

    /// A pawn promotes to one of these kinds.
    fn promotes(&mut self, contents: Contents) -> Known {
        self.event(Event { promotes: contents & promoted_from(PAWNS), ..Event::default() })
    }

    /// Events that must have occurred when an element with this output ends.
    fn ended(&mut self, chain: &Chain, output: Output, known: &mut HashMap<Output, Known>) -> Known {
        if let Some(ended) = known.get(&output) {
            return ended.clone();
        }
        let sources = chain.ending(output).map(|n| self.element(chain, n, known)).collect();
        let ended = self.any(sources);
        known.insert(output, ended.clone());
        ended
    }

    /// Events that must have occurred when an element ends.
    fn element(&mut self, chain: &Chain, n: usize, known: &mut HashMap<Output, Known>) -> Known {
        let element = &chain.elements[n];
        let what = match &element.what {
            What::Moment(at) | What::Lasting(at, _) => self.condition(*at),
            What::Trip(steps) => {
                let legs = legs(steps).map(|step| self.step(&step)).collect();
                self.all(legs)
            }
        };
        let before = match element.input {
            Input::Always => nothing(),
            Input::Link(link) => self.ended(chain, Output::Link(link), known),
        };
        self.all(vec![what, before])
    }
}
