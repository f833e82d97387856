//! Sets of squares at all moments of a stretch: pieces, files, unions, cuts, functions, distances.

use super::grid::Grid;
use super::stretch::{OF_SQUARE, Set, Source, Stretch, add, join};
use super::times::Times;
use crate::board::squares::members;
use crate::search::pattern::language::tree::{BLACK, Contents, Function, Reach, WHITE, file_squares};
use crate::search::pattern::meaning::geometry::{near, ring};
use crate::search::pattern::meaning::structure::{self, Squares};
use crate::search::pattern::program::{At, Node, Program};

impl Stretch {
    pub(super) fn find_set(&mut self, program: &Program, at: At) -> Set {
        let node = &program.entries[usize::from(at)].node;
        match node {
            Node::Pieces(contents, squares) => {
                let set = self.contents(*contents);
                Set { support: set.support & squares, ..set }
            }
            Node::OpenFiles => self.files(structure::open_files),
            Node::HalfOpenFiles(0) => self.files(structure::half_open_files),
            Node::HalfOpenFiles(_) => self.files(|[white, black]| structure::half_open_files([black, white])),
            Node::Union(parts) => self.union(program, parts),
            Node::Cut(parts) => self.cut_of_all(program, parts),
            Node::Inverse(at) => {
                let set = self.set(program, *at);
                self.inverse(set)
            }
            Node::Attacks(a, b) => self.related(program, at, true, [*a, *b]),
            Node::AttackedBy(a, b) => self.related(program, at, false, [*a, *b]),
            Node::Moved => Set { source: Source::To, support: self.record.moves.to.support },
            Node::Vacated => Set { source: Source::From, support: self.record.moves.from.support },
            Node::Function(function, at) => {
                let set = self.set(program, *at);
                if set.support == 0 {
                    return set;
                }
                match function {
                    Function::Beside => self.beside(set),
                    Function::Span => self.span(set),
                    _ => {
                        let of_board = self.of_board(*function);
                        self.cut(of_board, set)
                    }
                }
            }
            Node::Reach(reach, at, from, to) => {
                let set = self.set(program, *at);
                match reach {
                    Reach::Near => self.near(set, *from, *to),
                    _ => self.ranks_off(set, *reach == Reach::Ahead, *from, *to),
                }
            }
            Node::Between(a, b) => {
                let (from, to) = (self.set(program, *a), self.set(program, *b));
                self.between(from, to)
            }
            _ => Set::NONE,
        }
    }

    fn union(&mut self, program: &Program, parts: &[At]) -> Set {
        let mut grid = self.take();
        let mut support = 0;
        for part in parts {
            let part = self.set(program, *part);
            self.work += OF_SQUARE * u64::from(part.support.count_ones());
            support = join(&mut grid, support, self.grid(part.source), part.support);
        }
        self.make(grid, support)
    }

    fn cut_of_all(&mut self, program: &Program, parts: &[At]) -> Set {
        let mut cut = Set { source: Source::Full, support: !0 };
        for part in parts {
            let part = self.set(program, *part);
            cut = self.cut(cut, part);
            if cut.support == 0 {
                break;
            }
        }
        cut
    }

    /// The squares of the first set that attack squares of the second one, or are attacked from there.
    fn related(&mut self, program: &Program, at: At, is_attack: bool, [a, b]: [At; 2]) -> Set {
        let first = self.set(program, a);
        if first.support == 0 {
            return Set::NONE;
        }
        let second = self.set(program, b);
        if second.support == 0 {
            return Set::NONE;
        }
        if self.shares(program, at) {
            let related = self.all_related(is_attack, b, second);
            return self.cut(first, related);
        }
        if is_attack { self.attacking(first, second) } else { self.attacked(first, second) }
    }

    pub(super) fn cut(&mut self, a: Set, b: Set) -> Set {
        let squares = a.support & b.support;
        if a.source == Source::Full || a.source == b.source {
            return Set { support: squares, ..b };
        }
        if b.source == Source::Full {
            return Set { support: squares, ..a };
        }
        if squares == 0 {
            return Set::NONE;
        }
        let mut grid = self.take();
        let mut support = 0;
        let (of_a, of_b) = (self.grid(a.source), self.grid(b.source));
        for square in members(squares) {
            let square = usize::from(square);
            let times = of_a.0[square] & of_b.0[square];
            grid.0[square] = times;
            support |= u64::from(!times.is_none()) << square;
        }
        self.make(grid, support)
    }

    pub(super) fn inverse(&mut self, set: Set) -> Set {
        if set.source == Source::Full {
            return Set { support: !set.support, ..set };
        }
        let mut grid = self.take();
        let mut support = !set.support;
        members(support).for_each(|square| grid.0[usize::from(square)] = Times::ALL);
        let of_set = self.grid(set.source);
        for square in members(set.support) {
            let square = usize::from(square);
            let times = !of_set.0[square] & self.all;
            grid.0[square] = times;
            support |= u64::from(!times.is_none()) << square;
        }
        self.make(grid, support)
    }

    /// The squares of files, given when each has pawns of White and of Black.
    fn files(&mut self, meaning: impl Fn([Times; 2]) -> Times) -> Set {
        let mut grid = self.take();
        let mut support = 0;
        for file in 0..8 {
            let squares = file_squares(1 << file);
            let with_pawns = [0, 6].map(|pawn| {
                let pawns = &self.record.contents[pawn];
                pawns.grid.union_on(pawns.support & squares)
            });
            let times = meaning(with_pawns) & self.all;
            if !times.is_none() {
                members(squares).for_each(|square| grid.0[usize::from(square)] = times);
                support |= squares;
            }
        }
        self.work += 64 * OF_SQUARE;
        self.make(grid, support)
    }

    /// A set that `make` computes from the pawns of White and Black, in about `operations` operations on each square.
    #[inline(always)]
    fn of_pawns(&mut self, operations: u64, make: impl FnOnce([Grid; 2]) -> Grid) -> Set {
        let pawns = [1, 1 << 6].map(|contents| self.whole_contents(contents));
        self.work += 64 * operations * OF_SQUARE;
        self.make_whole(&make(pawns))
    }

    #[inline(always)]
    fn whole_contents(&mut self, contents: Contents) -> Grid {
        let set = self.contents(contents);
        self.whole(set)
    }

    pub(super) fn find_of_board(&mut self, function: Function) -> Set {
        if function == Function::Pinned {
            return self.pinned();
        }
        let sides = match function {
            Function::Outpost => [WHITE, BLACK].map(|contents| self.whole_contents(contents)),
            _ => [Grid::NONE; 2],
        };
        self.of_pawns(40, |pawns| structure::of(function, !Grid::NONE, pawns, || sides))
    }

    fn span(&mut self, set: Set) -> Set {
        let whole = self.whole(set);
        self.of_pawns(24, |pawns| structure::of(Function::Span, whole, pawns, || pawns))
    }

    fn beside(&mut self, set: Set) -> Set {
        let mut out = self.take();
        let mut support = 0;
        let grid = self.grid(set.source);
        for square in members(set.support) {
            let square = usize::from(square);
            if square % 8 != 0 {
                add(&mut out, &mut support, square - 1, grid.0[square]);
            }
            if square % 8 != 7 {
                add(&mut out, &mut support, square + 1, grid.0[square]);
            }
        }
        self.make(out, support)
    }

    /// The squares that are `from` to `to` ranks ahead of the pieces of a set, or behind them.
    fn ranks_off(&mut self, set: Set, is_ahead: bool, from: u32, to: u32) -> Set {
        let mut out = self.take();
        let mut support = 0;
        for (contents, is_up) in [(WHITE, is_ahead), (BLACK, !is_ahead)] {
            let side = self.contents(contents);
            let (grid, of_side) = (self.grid(set.source), self.grid(side.source));
            let mut work = 0;
            for square in members(set.support & side.support) {
                let square = usize::from(square);
                let times = grid.0[square] & of_side.0[square];
                for by in from..=to {
                    let by = 8 * by as usize;
                    let target = if is_up { Some(square + by).filter(|to| *to < 64) } else { square.checked_sub(by) };
                    let Some(target) = target else { break };
                    add(&mut out, &mut support, target, times);
                    work += 2 * OF_SQUARE;
                }
            }
            self.work += work;
        }
        self.make(out, support)
    }

    /// Of a set that has the same squares at all moments at which it has any: these, and the moments.
    #[inline]
    pub(super) fn all_or_none(&mut self, program: &Program, at: At) -> Option<(u64, Times)> {
        let Node::Reach(Reach::Near, of, from, to) = program.entries[usize::from(at)].node else { return None };
        let set = self.set(program, of);
        let square = Some(set.support).filter(|support| support.is_power_of_two())?.trailing_zeros() as u8;
        Some((ring(square, from, to), self.grid(set.source).0[usize::from(square & 63)]))
    }

    /// The squares at these distances from squares of a set.
    fn near(&mut self, set: Set, from: u32, to: u32) -> Set {
        if from > to || set.support == 0 {
            return Set::NONE;
        }
        if set.source == Source::Full {
            // It is the same at all moments.
            return Set { support: near(set.support, from, to), ..set };
        }
        const FEW: u32 = 6;
        if set.support.count_ones() <= FEW {
            let mut out = self.take();
            let mut support = 0;
            let grid = self.grid(set.source);
            let mut work = 0;
            for square in members(set.support) {
                let (ring, times) = (ring(square, from, to), grid.0[usize::from(square)]);
                for target in members(ring) {
                    add(&mut out, &mut support, usize::from(target), times);
                }
                work += 2 * OF_SQUARE * u64::from(ring.count_ones());
            }
            self.work += work;
            return self.make(out, support);
        }
        let (from, to) = (from as usize, to as usize);
        let whole = self.whole(set);
        if to >= 7 {
            self.work += OF_SQUARE * 64 * 6;
            let found = beyond(&whole, from);
            return self.make_whole(&found);
        }
        // So far along files and at most so far along ranks, or the other way round.
        let wide = dilated(&whole, 1, 0, to);
        let tall = dilated(&whole, 8, 0, to);
        let found = dilated(&wide, 8, from, to) | dilated(&tall, 1, from, to);
        self.work += OF_SQUARE * 64 * 12 * (1 + to as u64);
        self.make_whole(&found)
    }
}

/// Returns the squares that are at least so far from some square of a grid, in king's moves. Such a square is so far away
/// in files or in ranks, so sixteen sums of files and ranks suffice.
fn beyond(grid: &Grid, distance: usize) -> Grid {
    let (mut ranks, mut files) = ([Times::NONE; 8], [Times::NONE; 8]);
    for (square, times) in grid.0.iter().enumerate() {
        ranks[square / 8] |= *times;
        files[square % 8] |= *times;
    }
    // Returns for each rank, or file, the moments at which another one so far from it has a square.
    let beyond = |lines: [Times; 8]| {
        let of = |at: usize| (0..8).filter(|n| at.abs_diff(*n) >= distance).fold(Times::NONE, |all, n| all | lines[n]);
        std::array::from_fn::<Times, 8, _>(of)
    };
    let (ranks, files) = (beyond(ranks), beyond(files));
    Grid(std::array::from_fn(|square| ranks[square / 8] | files[square % 8]))
}

/// The squares at these distances from squares of a grid, in steps of one file or eight squares, within files or ranks.
fn dilated(grid: &Grid, step: usize, from: usize, to: usize) -> Grid {
    let mut found = Grid::NONE;
    for square in 0..64 {
        let place = square / step % 8;
        let mut times = Times::NONE;
        for by in from..=to {
            if by <= place {
                times |= grid.0[square - by * step];
            }
            if place + by < 8 {
                times |= grid.0[square + by * step];
            }
        }
        found.0[square] = times;
    }
    found
}
