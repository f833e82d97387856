//! Evaluates the nodes of a program at a moment, incrementally: only nodes whose value may have changed are computed.
//!
//! Each value is stored with the causes and squares that can change it in the current state. If an `and` is false
//! because of one part, only the watch of that part counts. The watches are inverted into bit masks of nodes, one for
//! each cause and each square, so that a half-move invalidates all affected values at once, even if a pattern depends
//! on the whole board. Values are computed lazily, so that an `and` stops at its first part that is not true.

use super::observe::Moment;
use super::program::{ALWAYS, At, CAUSES, Causes, Node, Program, Step, Watch};
use super::relations;
use super::structure;
use super::tree::{Comparison, Contents, Function, NOTHING, Reach, State, WHATEVER};
use crate::board::kinds::{KING, NO_KIND};

/// The values of a program's nodes.
#[derive(Clone, Debug)]
pub(super) struct Values {
    values: Vec<u64>,
    /// The watch of each value in the current state.
    active: Vec<Watch>,
    /// One bit per node: whether its value is valid, and whether it is not 0.
    fresh: Vec<u64>,
    positive: Vec<u64>,
    /// For each cause, and for each square, the nodes that watch it.
    by_cause: Vec<u64>,
    by_square: Vec<u64>,
    /// The nodes that watch more than [`FEW_SQUARES`] squares: they are treated as watching all.
    everywhere: Vec<u64>,
    /// The parts of each wide `or`, as words and their bits.
    wide: Vec<Vec<(usize, u64)>>,
}

const LIGHT: u64 = 0x55aa_55aa_55aa_55aa;
/// An `or` with more parts than this selects the parts to compute by bit masks, not one by one.
const WIDE: usize = 16;
/// A watch on more squares than this counts as a watch on all, which saves keeping a bit for each.
const FEW_SQUARES: u32 = 24;
const ALL_CAUSES: Causes = (1 << CAUSES) - 1;

/// Words with the bits of these nodes.
fn words_of(parts: &[At]) -> Vec<(usize, u64)> {
    let mut words: Vec<(usize, u64)> = Vec::new();
    let mut sorted = parts.to_vec();
    sorted.sort_unstable();
    for at in sorted {
        let (word, bit) = (usize::from(at) / 64, 1 << (at % 64));
        match words.last_mut() {
            Some((last, bits)) if *last == word => *bits |= bit,
            _ => words.push((word, bit)),
        }
    }
    words
}

impl Values {
    pub fn new(program: &Program) -> Values {
        let (nodes, words) = (program.entries.len(), program.entries.len().div_ceil(64));
        let wide = |node: &Node| match node {
            Node::Any(parts) if parts.len() > WIDE => words_of(parts),
            _ => Vec::new(),
        };
        let mut values = Values {
            values: vec![0; nodes],
            active: vec![Watch::ALWAYS; nodes],
            fresh: vec![0; words],
            positive: vec![0; words],
            by_cause: vec![!0; CAUSES * words],
            by_square: vec![0; 64 * words],
            everywhere: vec![!0; words],
            wide: program.entries.iter().map(|entry| wide(&entry.node)).collect(),
        };
        for (n, entry) in program.entries.iter().enumerate() {
            if entry.node.is_steady() {
                values.activate(n, Watch::of(entry.causes, entry.squares));
            }
        }
        values
    }

    /// Forgets all values.
    #[inline]
    pub fn clear(&mut self) {
        self.fresh.fill(0);
    }

    /// Invalidates the values that this change may affect.
    #[inline(always)]
    pub fn change(&mut self, change: Watch) {
        let (mut causes, all_squares) = (change.causes & ALL_CAUSES, change.squares.count_ones() > 8);
        if let [fresh] = self.fresh.as_mut_slice() {
            // Nearly every program fits into one word.
            let mut caused = 0;
            while causes != 0 {
                caused |= self.by_cause.get(causes.trailing_zeros() as usize).unwrap_or(&0);
                causes &= causes - 1;
            }
            if *fresh & caused == 0 {
                return;
            }
            if !all_squares {
                let mut on = self.everywhere.first().copied().unwrap_or(!0);
                let mut squares = change.squares;
                while squares != 0 {
                    on |= self.by_square.get(squares.trailing_zeros() as usize).unwrap_or(&0);
                    squares &= squares - 1;
                }
                caused &= on;
            }
            *fresh &= !caused;
            return;
        }
        let words = self.fresh.len();
        for word in 0..words {
            let mut caused = 0;
            let mut rest = causes;
            while rest != 0 {
                caused |= self.by_cause[rest.trailing_zeros() as usize * words + word];
                rest &= rest - 1;
            }
            caused &= self.fresh[word];
            if caused != 0 && !all_squares {
                let mut on = self.everywhere[word];
                let mut squares = change.squares;
                while squares != 0 {
                    on |= self.by_square[squares.trailing_zeros() as usize * words + word];
                    squares &= squares - 1;
                }
                caused &= on;
            }
            self.fresh[word] &= !caused;
        }
    }

    /// Stores the watch of a value.
    #[inline]
    fn activate(&mut self, n: usize, watch: Watch) {
        let before = self.active[n];
        if before == watch {
            return;
        }
        self.active[n] = watch;
        let words = self.fresh.len();
        let (word, bit) = (n / 64, 1 << (n % 64));
        let mut causes = (before.causes ^ watch.causes) & ALL_CAUSES;
        while causes != 0 {
            self.by_cause[causes.trailing_zeros() as usize * words + word] ^= bit;
            causes &= causes - 1;
        }
        let few = |squares: u64| if squares.count_ones() > FEW_SQUARES { 0 } else { squares };
        let mut squares = few(before.squares) ^ few(watch.squares);
        while squares != 0 {
            self.by_square[squares.trailing_zeros() as usize * words + word] ^= bit;
            squares &= squares - 1;
        }
        if watch.squares.count_ones() > FEW_SQUARES {
            self.everywhere[word] |= bit;
        } else {
            self.everywhere[word] &= !bit;
        }
    }

    /// Whether a condition holds.
    #[inline]
    pub fn holds(&mut self, program: &Program, moment: &Moment, at: At) -> bool {
        self.value(program, moment, at) != 0
    }

    /// The value of a node.
    #[inline]
    pub fn value(&mut self, program: &Program, moment: &Moment, at: At) -> u64 {
        let n = usize::from(at);
        let (word, bit) = (n / 64, 1 << (n % 64));
        if self.fresh[word] & bit != 0 {
            return self.values[n];
        }
        let node = &program.entries[n].node;
        if let Node::Pieces(contents, squares) = node {
            let value = pieces(moment, *contents) & squares;
            self.values[n] = value;
            self.fresh[word] |= bit;
            return value;
        }
        let value = self.compute(program, moment, n);
        if !node.is_steady() {
            self.activate(n, self.watch_of(program, n, value));
        }
        self.values[n] = value;
        self.fresh[word] |= bit;
        self.positive[word] = self.positive[word] & !bit | u64::from(value != 0) << (n % 64);
        value
    }

    /// What can change a value that has just been computed.
    #[inline]
    pub fn active(&self, at: At) -> Watch {
        self.active[usize::from(at)]
    }

    /// What can make a condition true: nothing is known of one that has not been computed, or is true.
    pub fn awaited(&self, at: At) -> Watch {
        if self.is_fresh(at) && self.values[usize::from(at)] == 0 { self.active(at) } else { Watch::ALWAYS }
    }

    /// What can make a condition that holds false: nothing is known of any other.
    pub fn kept(&self, at: At) -> Watch {
        if self.is_fresh(at) && self.values[usize::from(at)] != 0 { self.active(at) } else { Watch::ALWAYS }
    }

    /// The watch of a value in the current state.
    fn watch_of(&self, program: &Program, n: usize, value: u64) -> Watch {
        let entry = &program.entries[n];
        let own = Watch::of(entry.causes, entry.squares);
        let of = |parts: &[At]| parts.iter().fold(Watch::NEVER, |watch, at| watch.or(self.active(*at)));
        let first = |parts: &[At], wanted: bool| {
            let decides = |at: &&At| (self.values[usize::from(**at)] != 0) == wanted && self.is_fresh(**at);
            parts.iter().find(decides).map_or(own, |at| self.active(*at))
        };
        let is_empty = |at: At| self.is_fresh(at) && self.values[usize::from(at)] == 0;
        match &entry.node {
            Node::All(parts) if value == 0 => first(parts, false),
            Node::Any(parts) if value != 0 => first(parts, true),
            // Joining the watches of many parts costs more than it saves, unless every half-move would change the node.
            Node::All(parts) | Node::Any(parts) | Node::Union(parts) | Node::Sum(parts)
                if parts.len() > WIDE && entry.causes & ALWAYS == 0 =>
            {
                own
            }
            Node::All(parts) | Node::Any(parts) | Node::Union(parts) | Node::Sum(parts) => of(parts),
            Node::Cut(parts) | Node::Line(_, parts) if value == 0 => first(parts, false),
            Node::Cut(parts) => of(parts),
            Node::Some(part)
            | Node::Not(part)
            | Node::Size(part)
            | Node::Within(part, ..)
            | Node::Inverse(part)
            | Node::Islands(part)
            | Node::Function(Function::Beside, part)
            | Node::Reach(Reach::Near, part, ..) => self.active(*part),
            Node::Compare(_, a, b) | Node::Exceeds(a, b, _) => of(&[*a, *b]),
            Node::Attacks(part, _)
            | Node::AttackedBy(part, _)
            | Node::Between(part, _)
            | Node::Function(_, part)
            | Node::Reach(_, part, ..)
            | Node::Points(part)
                if is_empty(*part) =>
            {
                self.active(*part)
            }
            Node::Attacks(_, part) | Node::AttackedBy(_, part) | Node::Between(_, part) if is_empty(*part) => {
                self.active(*part)
            }
            Node::Between(a, b) => of(&[*a, *b]),
            // The next half-move is another one.
            Node::Move(_) | Node::Castles(_) if value != 0 => Watch::ALWAYS,
            Node::Move(step) => step.watch(),
            Node::Castles(bits) => {
                let side = |bits: u8, side: u32| if bits == 0 { Watch::NEVER } else { king_moves(side) };
                side(bits & 3, 0).or(side(bits & 12, 1))
            }
            Node::State(State::Capture | State::Recapture | State::EnPassant | State::Promotion) if value == 0 => {
                Watch::of(0xfff << 12, !0)
            }
            Node::State(State::Castling) if value == 0 => king_moves(0).or(king_moves(1)),
            _ => own,
        }
    }

    fn is_fresh(&self, at: At) -> bool {
        self.fresh[usize::from(at / 64)] >> (at % 64) & 1 == 1
    }

    /// Whether one of many parts holds. Known values are tested before others are computed.
    fn any(&mut self, program: &Program, moment: &Moment, n: usize) -> bool {
        let words = self.wide[n].len();
        for k in 0..words {
            let (word, bits) = self.wide[n][k];
            if bits & self.fresh[word] & self.positive[word] != 0 {
                return true;
            }
        }
        for k in 0..words {
            let (word, bits) = self.wide[n][k];
            let mut rest = bits & !self.fresh[word];
            while rest != 0 {
                if self.holds(program, moment, (64 * word) as At + rest.trailing_zeros() as At) {
                    return true;
                }
                rest &= rest - 1;
            }
        }
        false
    }

    fn compute(&mut self, program: &Program, moment: &Moment, n: usize) -> u64 {
        let mut value = |at: At| self.value(program, moment, at);
        match &program.entries[n].node {
            Node::Pieces(contents, squares) => pieces(moment, *contents) & squares,
            Node::OpenFiles => !structure::files(moment.sets[0] | moment.sets[6]),
            Node::HalfOpenFiles(side) => {
                let own = 6 * usize::from(*side & 1);
                !structure::files(moment.sets[own]) & structure::files(moment.sets[6 - own])
            }
            Node::Union(parts) => parts.iter().fold(0, |set, at| set | value(*at)),
            Node::Cut(parts) => {
                let mut set = !0;
                for at in parts {
                    set &= value(*at);
                    if set == 0 {
                        break;
                    }
                }
                set
            }
            Node::Inverse(at) => !value(*at),
            Node::Attacks(a, b) => match value(*a) {
                0 => 0,
                by => relations::attacking(moment, by, value(*b)),
            },
            Node::AttackedBy(a, b) => match value(*a) {
                0 => 0,
                targets => relations::attacked(moment, targets, value(*b)),
            },
            Node::Moved => moment.played().map_or(0, |played| 1 << played.to),
            Node::Vacated => moment.played().map_or(0, |played| 1 << played.from),
            Node::Function(function, at) => match (function, value(*at)) {
                (_, 0) => 0,
                (Function::Beside, set) => structure::beside(set),
                (Function::Pinned, set) => relations::pinned(moment, set),
                (function, set) => {
                    let sides = || [moment.of_side(0), moment.of_side(1)];
                    structure::of(*function, set, [moment.sets[0], moment.sets[6]], sides)
                }
            },
            Node::Reach(reach, at, from, to) => match value(*at) {
                0 => 0,
                set => relations::reach(moment, *reach, set, *from, *to),
            },
            Node::Between(a, b) => relations::between(value(*a), value(*b)),

            Node::Constant(n) => u64::from(*n),
            Node::Size(at) => value(*at).count_ones().into(),
            Node::Count(contents) => count(moment, *contents),
            Node::Sum(parts) => parts.iter().map(|at| value(*at)).sum(),
            Node::Points(at) => {
                let set = value(*at);
                let of = |role: usize| u64::from((set & (moment.sets[role] | moment.sets[6 + role])).count_ones());
                [1, 3, 3, 5, 9].iter().enumerate().map(|(role, points)| points * of(role)).sum()
            }
            Node::Islands(at) => structure::islands(value(*at)).into(),
            Node::HalfMove => moment.ply.into(),
            Node::MoveNumber => u64::from(moment.ply).div_ceil(2),

            Node::Some(at) => u64::from(value(*at) != 0),
            Node::All(parts) => u64::from(parts.iter().all(|at| value(*at) != 0)),
            Node::Any(parts) if parts.len() > WIDE => u64::from(self.any(program, moment, n)),
            Node::Any(parts) => u64::from(parts.iter().any(|at| value(*at) != 0)),
            Node::Not(at) => u64::from(value(*at) == 0),
            Node::Compare(comparison, a, b) => {
                let (a, b) = (value(*a), value(*b));
                u64::from(match comparison {
                    Comparison::Equal => a == b,
                    Comparison::Unequal => a != b,
                    Comparison::Less => a < b,
                    Comparison::AtMost => a <= b,
                    Comparison::Greater => a > b,
                    Comparison::AtLeast => a >= b,
                })
            }
            Node::Within(at, from, to) => {
                let n = value(*at);
                u64::from(n >= u64::from(*from) && to.is_none_or(|to| n <= u64::from(to)))
            }
            Node::Exceeds(a, b, by) => {
                // Counts of pieces, far below the ends of the type.
                u64::from(value(*a) as i64 - value(*b) as i64 == i64::from(*by))
            }
            Node::Move(step) => u64::from(step.is_played(moment)),
            Node::Castles(bits) => u64::from(moment.played().is_some_and(|played| played.castled & bits != 0)),
            Node::Rights(bits) => u64::from(moment.rights() & bits == *bits),
            Node::State(state) => u64::from(holds(*state, moment)),
            Node::Line(line, parts) => {
                // A line has eight squares.
                let mut sets = [0; 8];
                let Some(sets) = sets.get_mut(..parts.len()) else { return 0 };
                for (set, at) in sets.iter_mut().zip(parts) {
                    *set = value(*at);
                    if *set == 0 {
                        return 0;
                    }
                }
                u64::from(relations::in_line(moment, *line, sets))
            }
            Node::Shifted(anchors, sets) => {
                let mut found = *anchors;
                for (at, by) in sets {
                    found &= value(*at) >> by;
                    if found == 0 {
                        break;
                    }
                }
                found
            }
        }
    }
}

/// What a king changes that moves along its first rank.
fn king_moves(side: u32) -> Watch {
    let king = 6 * side + u32::from(KING);
    Watch { movers: 1 << king, causes: 1 << king, squares: 0xff << (56 * side) }
}

/// The squares that hold one of the contents.
#[inline(always)]
fn pieces(moment: &Moment, contents: Contents) -> u64 {
    if contents.is_power_of_two() {
        return moment.sets[contents.trailing_zeros() as usize & 15];
    }
    if contents.count_ones() > 6 {
        return if contents == WHATEVER { !0 } else { !pieces(moment, WHATEVER & !contents) };
    }
    let mut set = 0;
    let mut rest = contents;
    while rest != 0 {
        set |= moment.sets[rest.trailing_zeros() as usize & 15];
        rest &= rest - 1;
    }
    set
}

/// How many pieces there are of these kinds.
fn count(moment: &Moment, contents: Contents) -> u64 {
    let mut sum = 0;
    let mut rest = contents & !NOTHING;
    while rest != 0 {
        sum += u64::from(moment.counts[rest.trailing_zeros() as usize & 15]);
        rest &= rest - 1;
    }
    sum
}

impl Step {
    /// Whether the half-move of a moment is one of these.
    pub fn is_played(&self, moment: &Moment) -> bool {
        let Some(played) = moment.played() else { return false };
        let stood = if self.takes { Contents::from(played.takes()) << played.taken } else { played.stood() };
        self.mover >> played.mover & 1 == 1
            && self.from >> played.from & 1 == 1
            && self.to >> played.to & 1 == 1
            && self.stood & stood != 0
            && self.promotion.is_none_or(|kinds| played.promoted != NO_KIND && kinds >> played.promoted & 1 == 1)
    }
}

/// Whether a word is true of a moment.
fn holds(state: State, moment: &Moment) -> bool {
    let played = || moment.played();
    match state {
        State::WhiteToMove => moment.turn == 0,
        State::BlackToMove => moment.turn == 1,
        State::Check => relations::is_check(moment),
        State::Mate => moment.is_mate,
        State::Stalemate => moment.is_stalemate,
        State::Capture => played().is_some_and(|played| played.takes()),
        State::Recapture => played().is_some_and(|played| played.retakes),
        State::Castling => played().is_some_and(|played| played.castled != 0),
        State::Promotion => played().is_some_and(|played| played.promoted != NO_KIND),
        State::EnPassant => played().is_some_and(|played| played.en_passant),
        State::Start => moment.ply == 0,
        State::End => moment.is_last,
        State::Any => true,
        State::OppositeBishops | State::SameBishops => {
            let bishops = moment.sets[2] | moment.sets[8];
            let differ = bishops & LIGHT != 0 && bishops & !LIGHT != 0;
            moment.counts[2] == 1 && moment.counts[8] == 1 && differ == (state == State::OppositeBishops)
        }
    }
}
