//! Evaluates the nodes of a program at a moment, incrementally: only nodes whose value may have changed are computed.
//!
//! Takes a program and a moment of a game; returns the values of nodes, and what can change them.
//!
//! Each value is stored with the causes and squares that can change it in the current state. If an `and` is false
//! because of one part, only the watch of that part counts; attacks and lines depend on the squares that they look at. The
//! watches are inverted into bit masks of nodes, one for each cause and each square, so that a half-move invalidates all
//! affected values at once, even if a pattern depends on the whole board. Values are computed lazily, so that an `and`
//! stops at its first part that is not true. Plain nodes, such as the pieces on some squares, cost less to compute than to
//! store: they are stored only if they are asked for by themselves.

use super::bits::ones;
use super::moment::Moment;
use super::relations::{self, Depends};
use crate::board::kinds::{KING, NO_KIND};
use crate::search::pattern::language::tree::{Contents, Function, Line, NOTHING, Reach};
use crate::search::pattern::meaning::geometry;
use crate::search::pattern::meaning::numbers::WORTH;
use crate::search::pattern::meaning::structure;
use crate::search::pattern::program::watch::{ALWAYS, CAUSES, Causes, has_at_most};
use crate::search::pattern::program::{At, Entry, Fact, Node, Program, Step, Watch};

/// The values of a program's nodes.
#[derive(Clone, Debug)]
pub struct Values {
    values: Vec<u64>,
    /// The watch of each value in the current state.
    active: Vec<Watch>,
    /// One bit per node: whether its value is valid, and whether it is not 0.
    fresh: Vec<u64>,
    positive: Vec<u64>,
    /// One bit per word of `fresh`: whether it may have bits.
    known: Vec<u64>,
    /// For each word of nodes: for each cause, and for each square, the nodes that watch it.
    by_cause: Vec<[u64; 32]>,
    by_square: Vec<[u64; 64]>,
    /// The nodes that watch more than [`FEW_SQUARES`] squares: they are treated as watching all.
    everywhere: Vec<u64>,
    /// The parts of each wide `or`, as words and their bits.
    wide: Vec<Vec<(usize, u64)>>,
    /// What has been computed, in about the instructions that it takes.
    pub work: u64,
}

const LIGHT: u64 = 0x55aa_55aa_55aa_55aa;
/// An `or` with more parts than this selects the parts to compute by bit masks, not one by one.
const WIDE: usize = 16;
/// A watch on more squares than this counts as a watch on all, which saves keeping a bit for each.
const FEW_SQUARES: u32 = 24;
/// Instructions, roughly, to store a value with what can change it; and to compute a node at most, besides its parts.
const STORED: u64 = 60;
const MOST_OF_NODE: u32 = 150;
const ALL_CAUSES: Causes = (1 << CAUSES) - 1;

impl Values {
    /// The values of a program.
    pub fn new(program: &Program) -> Values {
        let (nodes, words) = (program.entries.len(), program.entries.len().div_ceil(64));
        let wide = |entry: &Entry| match &entry.node {
            Node::Any(parts) if parts.len() > WIDE => words_of(parts),
            _ => Vec::new(),
        };
        let mut values = Values {
            values: vec![0; nodes],
            active: vec![Watch::ALWAYS; nodes],
            fresh: vec![0; words],
            positive: vec![0; words],
            known: vec![0; words.div_ceil(64)],
            by_cause: vec![[!0; 32]; words],
            by_square: vec![[0; 64]; words],
            everywhere: vec![!0; words],
            wide: program.entries.iter().map(wide).collect(),
            work: 0,
        };
        for (n, entry) in program.entries.iter().enumerate() {
            if entry.is_steady {
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
        let (causes, all_squares) = (change.causes & ALL_CAUSES, !has_at_most(8, change.squares));
        let changed = |word: usize, fresh: u64| {
            let (mut caused, mut rest) = (0, causes);
            let by_cause = &self.by_cause[word];
            while rest != 0 {
                caused |= by_cause[rest.trailing_zeros() as usize & 31];
                rest &= rest - 1;
            }
            if fresh & caused == 0 || all_squares {
                return caused;
            }
            let (mut on, mut rest) = (self.everywhere[word], change.squares);
            let by_square = &self.by_square[word];
            while rest != 0 {
                on |= by_square[rest.trailing_zeros() as usize & 63];
                rest &= rest - 1;
            }
            caused & on
        };
        if let [fresh] = self.fresh.as_mut_slice() {
            // Nearly every program fits into one word.
            *fresh &= !changed(0, *fresh);
            return;
        }
        for (at, known) in self.known.iter_mut().enumerate() {
            for word in ones(at, *known) {
                let fresh = &mut self.fresh[word];
                *fresh &= !changed(word, *fresh);
                *known &= !(u64::from(*fresh == 0) << (word % 64));
            }
        }
    }

    /// Makes values of a word of nodes known.
    #[inline]
    fn freshen(&mut self, word: usize, bits: u64) {
        self.fresh[word] |= bits;
        self.known[word / 64] |= 1 << (word % 64);
    }

    /// Stores the watch of a value.
    #[inline]
    fn activate(&mut self, n: usize, watch: Watch) {
        let before = self.active[n];
        if before == watch || watch.is_little_less_than(before) {
            return;
        }
        self.active[n] = watch;
        let (word, bit) = (n / 64, 1 << (n % 64));
        let mut causes = (before.causes ^ watch.causes) & ALL_CAUSES;
        while causes != 0 {
            self.by_cause[word][causes.trailing_zeros() as usize & 31] ^= bit;
            causes &= causes - 1;
        }
        let few = |squares: u64| if squares.count_ones() > FEW_SQUARES { 0 } else { squares };
        let mut squares = few(before.squares) ^ few(watch.squares);
        while squares != 0 {
            self.by_square[word][squares.trailing_zeros() as usize & 63] ^= bit;
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
        self.stored(program, moment, at) != 0
    }

    /// Of 64 nodes those that are not known to be 0.
    #[inline]
    pub fn may_be_true(&self, word: usize) -> u64 {
        !self.fresh[word] | self.positive[word]
    }

    /// Of 64 nodes those that are not known to be other than 0.
    #[inline]
    pub fn may_be_false(&self, word: usize) -> u64 {
        !(self.fresh[word] & self.positive[word])
    }

    /// The value of a node.
    #[inline]
    pub fn value(&mut self, program: &Program, moment: &Moment, at: At) -> u64 {
        if program.entries[usize::from(at)].is_plain {
            return plain(program, moment, at);
        }
        self.stored(program, moment, at)
    }

    /// The value of a node, which is stored even if the node is plain.
    #[inline]
    fn stored(&mut self, program: &Program, moment: &Moment, at: At) -> u64 {
        let n = usize::from(at);
        if self.fresh[n / 64] >> (n % 64) & 1 == 1 {
            return self.values[n];
        }
        self.refresh(program, moment, at)
    }

    /// Computes and stores a value.
    fn refresh(&mut self, program: &Program, moment: &Moment, at: At) -> u64 {
        let n = usize::from(at);
        let entry = &program.entries[n];
        self.work = self.work.wrapping_add(STORED + u64::from(entry.cost.min(MOST_OF_NODE)));
        let value = if entry.is_plain {
            plain(program, moment, at)
        } else {
            let (value, watch) = self.compute(program, moment, n);
            if !entry.is_steady {
                self.activate(n, watch);
            }
            value
        };
        self.values[n] = value;
        let (word, bit) = (n / 64, 1 << (n % 64));
        self.freshen(word, bit);
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

    fn is_fresh(&self, at: At) -> bool {
        self.fresh[usize::from(at / 64)] >> (at % 64) & 1 == 1
    }

    /// One of many parts that holds. Known values are tested before others are computed.
    fn any(&mut self, program: &Program, moment: &Moment, n: usize) -> Option<At> {
        let first = |word: usize, bits: u64| (64 * word) as At + bits.trailing_zeros() as At;
        for (word, bits) in &self.wide[n] {
            let known = bits & self.fresh[*word] & self.positive[*word];
            if known != 0 {
                return Some(first(*word, known));
            }
        }
        for k in 0..self.wide[n].len() {
            let (word, bits) = self.wide[n][k];
            while bits & !self.fresh[word] != 0 {
                let at = first(word, bits & !self.fresh[word]);
                if self.refresh(program, moment, at) != 0 {
                    return Some(at);
                }
            }
        }
        None
    }

    /// The value of a node that is not plain, and what can change it in the current state; of a steady node the watch is
    /// not used.
    fn compute(&mut self, program: &Program, moment: &Moment, n: usize) -> (u64, Watch) {
        let entry = &program.entries[n];
        let own = Watch::of(entry.causes, entry.squares);
        let mut value = |at: At| self.value(program, moment, at);
        match &entry.node {
            Node::Cut(parts) => self.cut(program, moment, entry, parts),
            Node::Attacks(a, b) => self.attacks(program, moment, [*a, *b], own, relations::attacking),
            Node::AttackedBy(a, b) => self.attacks(program, moment, [*a, *b], own, relations::attacked),
            Node::Function(_, at) | Node::Reach(_, at, ..) | Node::Points(at) => {
                let set = value(*at);
                // These two go by the squares alone.
                let is_local = matches!(entry.node, Node::Function(Function::Beside, _) | Node::Reach(Reach::Near, ..));
                let watch = if set == 0 || is_local { self.active(*at) } else { own };
                let value = match &entry.node {
                    Node::Points(_) => points(moment, set),
                    node => of_parts(node, moment, |_| set),
                };
                (value, watch)
            }
            Node::Between(a, b) => match (value(*a), value(*b)) {
                (0, _) => (0, self.active(*a)),
                (_, 0) => (0, self.active(*b)),
                (from, to) => (geometry::between(from, to), self.watch_of(entry, &[*a, *b])),
            },

            Node::All(parts) => match parts.iter().position(|at| value(*at) == 0) {
                Some(n) => (0, self.narrowest(program, moment, &parts[n..])),
                None => (1, self.watch_of(entry, parts)),
            },
            Node::Any(parts) if parts.len() > WIDE => match self.any(program, moment, n) {
                Some(at) => (1, self.active(at)),
                None => (0, self.watch_of(entry, parts)),
            },
            Node::Any(parts) => match parts.iter().find(|at| value(**at) != 0) {
                Some(at) => (1, self.active(*at)),
                None => (0, self.watch_of(entry, parts)),
            },
            Node::Move(step) => match step.is_played(moment) {
                // The next half-move is another one.
                true => (1, Watch::ALWAYS),
                false => (0, step.watch()),
            },
            Node::Castles(bits) => castles(*bits, moment),
            Node::Fact(fact) => {
                let holds = holds(*fact, moment);
                let waits = !holds && matches!(fact, Fact::Recapture | Fact::EnPassant);
                (holds.into(), if waits { Watch::of(0xfff << 12, !0) } else { own })
            }
            Node::Line(line, parts) => self.line(program, moment, *line, parts, own),
            node => {
                let value = of_parts(node, moment, value);
                let watch = match node {
                    Node::Union(parts) | Node::Sum(parts) => self.watch_of(entry, parts),
                    Node::Compare(_, a, b) | Node::Exceeds(a, b, _) => self.watch_of(entry, &[*a, *b]),
                    Node::Inverse(at) | Node::Size(at) | Node::Islands(at) => self.active(*at),
                    Node::Some(at) | Node::Not(at) | Node::Within(at, ..) => self.active(*at),
                    _ => own,
                };
                (value, watch)
            }
        }
    }

    /// The squares that all sets have, and what can change them.
    #[inline]
    fn cut(&mut self, program: &Program, moment: &Moment, entry: &Entry, parts: &[At]) -> (u64, Watch) {
        let mut set = !0;
        for (n, at) in parts.iter().enumerate() {
            let part = self.value(program, moment, *at);
            if part == 0 {
                return (0, self.active(*at));
            }
            set &= part;
            if set == 0 {
                return (0, self.watch_of(entry, &parts[..=n]));
            }
        }
        (set, self.watch_of(entry, parts))
    }

    /// The pieces of the first set that attack one of the second, or are attacked by one, and what can change them.
    #[inline]
    fn attacks(
        &mut self,
        program: &Program,
        moment: &Moment,
        sets: [At; 2],
        own: Watch,
        find: impl Fn(&Moment, u64, u64) -> (u64, Depends),
    ) -> (u64, Watch) {
        let [a, b] = sets;
        let first = self.value(program, moment, a);
        if first == 0 {
            return (0, self.active(a));
        }
        let second = self.value(program, moment, b);
        if second == 0 {
            return (0, self.active(b));
        }
        let (set, depends) = find(moment, first, second);
        let watch = match depends {
            Depends::FromFirst(squares) => self.active(a).or(self.seen(program, b, squares)),
            Depends::FromSecond(squares) => self.active(b).or(self.seen(program, a, squares)),
            Depends::Anywhere => own,
        };
        (set, watch)
    }

    /// Whether pieces of these sets stand in a line in this order, and what can change that.
    #[inline]
    fn line(&mut self, program: &Program, moment: &Moment, line: Line, parts: &[At], own: Watch) -> (u64, Watch) {
        // A line has eight squares.
        let mut sets = [0; 8];
        let Some(sets) = sets.get_mut(..parts.len()) else { return (0, own) };
        for (set, at) in sets.iter_mut().zip(parts) {
            *set = self.value(program, moment, *at);
            if *set == 0 {
                return (0, self.active(*at));
            }
        }
        // Where it begins with many squares and ends with few, it is looked for from its end. That makes no
        // difference if only pieces are in the middle: then the next one on a line decides.
        let (begin, end) = (sets[0], sets[sets.len() - 1]);
        let middle = sets.get(1..sets.len() - 1).unwrap_or_default().iter().fold(0, |all, set| all | set);
        let is_reversed = !relations::is_few(begin) && relations::is_few(end) && middle & moment.occupied() == middle;
        if is_reversed {
            sets.reverse();
        }
        let (holds, depends) = relations::in_line(moment, line, sets);
        let near = if is_reversed { parts.len() - 1 } else { 0 };
        let watch = depends.map_or(own, |squares| {
            let of = |(n, at): (usize, &At)| {
                if n == near { self.active(*at) } else { self.seen(program, *at, squares) }
            };
            parts.iter().enumerate().map(of).fold(Watch::NEVER, Watch::or)
        });
        (holds.into(), watch)
    }

    /// What can change the first of these parts, which is false; if any half-move can, a later one is looked for that is
    /// false, too, and that few half-moves can change.
    fn narrowest(&mut self, program: &Program, moment: &Moment, parts: &[At]) -> Watch {
        let [first, rest @ ..] = parts else { return Watch::ALWAYS };
        let watch = self.active(*first);
        if watch.causes & ALWAYS == 0 || watch.squares != !0 {
            return watch;
        }
        for at in rest {
            let entry = &program.entries[usize::from(*at)];
            let is_cheap = entry.is_plain || matches!(entry.node, Node::Fact(_) | Node::Move(_) | Node::Castles(_));
            if is_cheap && self.value(program, moment, *at) == 0 {
                let other = self.active(*at);
                if other.causes & ALWAYS == 0 {
                    return other;
                }
            }
        }
        watch
    }

    /// What can change a value that depends on a set on these squares only.
    fn seen(&self, program: &Program, set: At, squares: u64) -> Watch {
        let here = Watch::of(ALWAYS, squares);
        match program.entries[usize::from(set)].node {
            Node::Pieces(..) => here,
            // What decides whether a square belongs to another set may be elsewhere.
            _ => here.or(self.active(set)),
        }
    }

    /// What can change a value that depends on all of these parts.
    fn watch_of(&self, entry: &Entry, parts: &[At]) -> Watch {
        // Joining the watches of many parts costs more than it saves, unless every half-move would change the node.
        if entry.is_steady || parts.len() > WIDE && entry.causes & ALWAYS == 0 {
            return Watch::of(entry.causes, entry.squares);
        }
        parts.iter().fold(Watch::NEVER, |watch, at| watch.or(self.active(*at)))
    }
}

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

/// The value of a plain node, which costs less to compute than to store.
fn plain(program: &Program, moment: &Moment, at: At) -> u64 {
    of_parts(&program.entries[usize::from(at)].node, moment, |at| plain(program, moment, at))
}

/// The value of a node, from the values of its parts; not of a node for which the order of its parts or what they depend on
/// matters.
#[inline(always)]
fn of_parts(node: &Node, moment: &Moment, mut value: impl FnMut(At) -> u64) -> u64 {
    let files = |pawns: [usize; 2]| pawns.map(|kind| structure::files(moment.sets[kind]));
    match node {
        Node::Pieces(contents, squares) => relations::pieces(moment, *contents) & squares,
        Node::Constant(n) => u64::from(*n),
        Node::Count(contents) => count(moment, *contents),
        Node::HalfMove => moment.ply.into(),
        Node::MoveNumber => u64::from(moment.ply).div_ceil(2),
        Node::Moved => moment.played().map_or(0, |played| 1 << played.to),
        Node::Vacated => moment.played().map_or(0, |played| 1 << played.from),
        Node::Rights(bits) => u64::from(moment.rights() & bits == *bits),
        Node::OpenFiles => structure::open_files(files([0, 6])),
        Node::HalfOpenFiles(0) => structure::half_open_files(files([0, 6])),
        Node::HalfOpenFiles(_) => structure::half_open_files(files([6, 0])),
        Node::Some(at) => u64::from(value(*at) != 0),
        Node::Not(at) => u64::from(value(*at) == 0),
        Node::Inverse(at) => !value(*at),
        Node::Union(parts) => parts.iter().fold(0, |set, at| set | value(*at)),
        Node::Sum(parts) => parts.iter().map(|at| value(*at)).sum(),
        Node::Function(function, at) => function_of(moment, *function, value(*at)),
        Node::Reach(reach, at, from, to) => relations::reach(moment, *reach, value(*at), *from, *to),
        Node::Size(at) => value(*at).count_ones().into(),
        Node::Islands(at) => structure::islands(value(*at)).into(),
        Node::Points(at) => points(moment, value(*at)),
        Node::Within(at, from, to) => is_within(value(*at), *from, *to).into(),
        Node::Compare(comparison, a, b) => {
            let (a, b) = (value(*a), value(*b));
            comparison.of(a < b, a == b).into()
        }
        // Counts of pieces, far below the ends of the type.
        Node::Exceeds(a, b, by) => u64::from(value(*a) as i64 - value(*b) as i64 == i64::from(*by)),
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
        _ => 0,
    }
}

#[inline]
fn is_within(n: u64, from: u32, to: Option<u32>) -> bool {
    n >= u64::from(from) && to.is_none_or(|to| n <= u64::from(to))
}

/// What the pieces on a set of squares are worth.
fn points(moment: &Moment, set: u64) -> u64 {
    if set == 0 {
        return 0;
    }
    let of = |role: usize| u64::from((set & (moment.sets[role] | moment.sets[6 + role])).count_ones());
    // Knights and bishops are worth the same.
    WORTH[0] * of(0) + WORTH[1] * (of(1) + of(2)) + WORTH[3] * of(3) + WORTH[4] * of(4)
}

fn function_of(moment: &Moment, function: Function, set: u64) -> u64 {
    match function {
        Function::Beside => structure::beside(set),
        Function::Pinned => relations::pinned(moment, set),
        _ => {
            let sides = || [moment.of_side(0), moment.of_side(1)];
            structure::of(function, set, [moment.sets[0], moment.sets[6]], sides)
        }
    }
}

/// Whether a half-move castles in one of these ways, and what can change that.
fn castles(bits: u8, moment: &Moment) -> (u64, Watch) {
    let holds = moment.played().is_some_and(|played| played.castled & bits != 0);
    let side = |bits: u8, side: u32| if bits == 0 { Watch::NEVER } else { king_moves(side) };
    let watch = if holds { Watch::ALWAYS } else { side(bits & 3, 0).or(side(bits & 12, 1)) };
    (holds.into(), watch)
}

/// What a king changes that moves along its first rank.
fn king_moves(side: u32) -> Watch {
    let king = 6 * side + u32::from(KING);
    Watch { movers: 1 << king, causes: 1 << king, squares: 0xff << (56 * side) }
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

/// Whether a fact is true of a moment.
fn holds(fact: Fact, moment: &Moment) -> bool {
    match fact {
        Fact::Any => true,
        Fact::WhiteToMove => moment.turn == 0,
        Fact::BlackToMove => moment.turn == 1,
        Fact::Check => relations::is_check(moment),
        Fact::Mate => moment.is_mate,
        Fact::Stalemate => moment.is_stalemate,
        Fact::End => moment.is_last,
        Fact::Recapture => moment.played().is_some_and(|played| played.retakes),
        Fact::EnPassant => moment.played().is_some_and(|played| played.en_passant),
        Fact::OppositeBishops | Fact::SameBishops => {
            let bishops = moment.sets[2] | moment.sets[8];
            let differ = bishops & LIGHT != 0 && bishops & !LIGHT != 0;
            moment.counts[2] == 1 && moment.counts[8] == 1 && differ == (fact == Fact::OppositeBishops)
        }
    }
}
