//! Relations of squares: attacks, pins, squares between and near, lines.
//!
//! Takes and returns sets; the tables of attacks are shakmaty's.

use shakmaty::{Bitboard, Color, Square, attacks};

use super::moment::Moment;
use crate::board::kinds::{BISHOP, KINDS, KING, KNIGHT, PAWN, QUEEN, ROOK, piece_of};
use crate::board::reach::REACH;
use crate::board::squares::members;
use crate::search::pattern::language::tree::{BLACK, Contents, Line, Reach, WHATEVER, WHITE, file_squares};
use crate::search::pattern::meaning::geometry::near;
use crate::search::pattern::meaning::structure;

fn square(number: u8) -> Square {
    Square::new(u32::from(number & 63))
}

fn of_role(moment: &Moment, role: u8) -> u64 {
    moment.sets[usize::from(role)] | moment.sets[usize::from(6 + role)]
}

/// The pieces of both sides that attack a square.
fn attackers(moment: &Moment, target: u8, occupied: u64) -> u64 {
    let reach = |role: u8| REACH[usize::from(role)][usize::from(target & 63)];
    let pawns = |by: Color| attacks::pawn_attacks(!by, square(target)).0;
    let queens = of_role(moment, QUEEN);
    let mut found = reach(KNIGHT) & of_role(moment, KNIGHT)
        | reach(KING) & of_role(moment, KING)
        | pawns(Color::White) & moment.sets[usize::from(PAWN)]
        | pawns(Color::Black) & moment.sets[usize::from(6 + PAWN)];
    let straight = of_role(moment, ROOK) | queens;
    if reach(ROOK) & straight != 0 {
        found |= attacks::rook_attacks(square(target), Bitboard(occupied)).0 & straight;
    }
    let diagonal = of_role(moment, BISHOP) | queens;
    if reach(BISHOP) & diagonal != 0 {
        found |= attacks::bishop_attacks(square(target), Bitboard(occupied)).0 & diagonal;
    }
    found
}

/// The squares that the piece on a square attacks; none if the square is empty.
fn attacks_from(moment: &Moment, from: u8, occupied: u64) -> u64 {
    let bit = 1u64 << (from & 63);
    let is = |role: u8| of_role(moment, role) & bit != 0;
    let occupied = Bitboard(occupied);
    let from = square(from);
    if is(PAWN) {
        let color = if moment.sets[usize::from(PAWN)] & bit != 0 { Color::White } else { Color::Black };
        return attacks::pawn_attacks(color, from).0;
    }
    if is(KNIGHT) {
        return attacks::knight_attacks(from).0;
    }
    if is(BISHOP) {
        return attacks::bishop_attacks(from, occupied).0;
    }
    if is(ROOK) {
        return attacks::rook_attacks(from, occupied).0;
    }
    if is(QUEEN) {
        return attacks::queen_attacks(from, occupied).0;
    }
    if is(KING) { attacks::king_attacks(from).0 } else { 0 }
}

/// Each piece on a square of `by`, with the squares that it attacks.
fn attacks_of(moment: &Moment, by: u64, occupied: u64) -> impl Iterator<Item = (u8, u64)> {
    (0..KINDS as u8).flat_map(move |kind| {
        let own = members(by & moment.sets[usize::from(kind)]);
        own.filter_map(move |from| Some((from, attacks::attacks(square(from), piece_of(kind)?, Bitboard(occupied)).0)))
    })
}

/// The squares whose contents decide a relation of two sets, besides the set that the search started from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depends {
    /// These squares; the search started from the first set.
    FromFirst(u64),
    /// The same for the second set.
    FromSecond(u64),
    Anywhere,
}

/// The squares from which a piece could attack a square on an empty board.
fn attackable_from(target: u8) -> u64 {
    REACH[usize::from(QUEEN)][usize::from(target & 63)] | REACH[usize::from(KNIGHT)][usize::from(target & 63)]
}

/// The pieces on squares of `by` that attack a square of `targets`.
pub(super) fn attacking(moment: &Moment, by: u64, targets: u64) -> (u64, Depends) {
    let occupied = moment.occupied();
    let pieces = by & occupied;
    if is_few(by) {
        let (mut found, mut seen) = (0, by);
        for from in members(pieces) {
            let attacked = attacks_from(moment, from, occupied);
            seen |= attacked;
            found |= u64::from(attacked & targets != 0) << from;
        }
        return (found, Depends::FromFirst(seen));
    }
    if is_few(targets) {
        let (mut found, mut seen) = (0, 0);
        for target in members(targets) {
            found |= attackers(moment, target, occupied);
            seen |= attackable_from(target);
        }
        return (pieces & found, Depends::FromSecond(seen));
    }
    let found = if targets.count_ones() <= pieces.count_ones() {
        pieces & members(targets).fold(0, |set, target| set | attackers(moment, target, occupied))
    } else {
        attacks_of(moment, pieces, occupied)
            .fold(0, |set, (from, attacked)| set | u64::from(attacked & targets != 0) << from)
    };
    (found, Depends::Anywhere)
}

/// The squares of `targets` that a piece on a square of `by` attacks.
pub(super) fn attacked(moment: &Moment, targets: u64, by: u64) -> (u64, Depends) {
    let occupied = moment.occupied();
    let pieces = by & occupied;
    if is_few(by) {
        let (mut found, mut seen) = (0, by);
        for from in members(pieces) {
            let attacked = attacks_from(moment, from, occupied);
            seen |= attacked;
            found |= attacked;
        }
        return (found & targets, Depends::FromSecond(seen));
    }
    let is_attacked = |target: u8| attackers(moment, target, occupied) & pieces != 0;
    if is_few(targets) {
        let (mut found, mut seen) = (0, 0);
        for target in members(targets) {
            found |= u64::from(is_attacked(target)) << target;
            seen |= attackable_from(target);
        }
        return (found, Depends::FromFirst(seen));
    }
    let found = if targets.count_ones() < pieces.count_ones() {
        members(targets).fold(0, |set, target| set | u64::from(is_attacked(target)) << target)
    } else {
        targets & attacks_of(moment, pieces, occupied).fold(0, |set, (_, attacked)| set | attacked)
    };
    (found, Depends::Anywhere)
}

/// Whether a set has at most three squares, so that handling them one by one is fast.
pub(super) fn is_few(set: u64) -> bool {
    let two_less = set & set.wrapping_sub(1);
    let two_less = two_less & two_less.wrapping_sub(1);
    two_less & two_less.wrapping_sub(1) == 0
}

/// Whether a king of the side to move is attacked.
pub(super) fn is_check(moment: &Moment) -> bool {
    let us = (moment.turn & 1) as usize;
    let occupied = moment.occupied();
    let them = moment.of_side(us ^ 1);
    members(moment.sets[6 * us + usize::from(KING)]).any(|king| attackers(moment, king, occupied) & them != 0)
}

/// Whether the side to move, which is not in check, has an obvious legal move: a piece that is on no line with its
/// king, so that it cannot be pinned, moves to a neighbouring square. False does not mean that there is no legal move.
pub(super) fn can_surely_move(moment: &Moment) -> bool {
    let us = (moment.turn & 1) as usize;
    let of_kind = |side: usize, role: u8| moment.sets[6 * side + usize::from(role)];
    let kings = of_kind(us, KING);
    let in_line = members(kings).fold(kings, |set, king| set | REACH[usize::from(QUEEN)][usize::from(king)]);
    let enterable = !(moment.of_side(us) | of_kind(us ^ 1, KING));
    let pawns = of_kind(us, PAWN) & !in_line;
    let ahead = if us == 0 { pawns << 8 } else { pawns >> 8 };
    let steps = |role: u8, from: u8| {
        let reach = REACH[usize::from(role)][usize::from(from)];
        if role == KNIGHT { reach } else { reach & REACH[usize::from(KING)][usize::from(from)] }
    };
    ahead & !moment.occupied() != 0
        || [KNIGHT, BISHOP, ROOK, QUEEN]
            .into_iter()
            .any(|role| members(of_kind(us, role) & !in_line).any(|from| steps(role, from) & enterable != 0))
}

/// Those pieces of a set that are the only piece between a king of their side and a slider that would attack it.
pub(super) fn pinned(moment: &Moment, set: u64) -> u64 {
    let occupied = moment.occupied();
    let mut found = 0;
    for us in 0..2 {
        let own = moment.of_side(us) & set;
        if own == 0 {
            continue;
        }
        let them = 6 * (us ^ 1);
        let theirs = |role: u8| moment.sets[them + usize::from(role)];
        for king in members(moment.sets[6 * us + usize::from(KING)]) {
            let reach = |role: u8| REACH[usize::from(role)][usize::from(king)];
            let snipers =
                reach(ROOK) & (theirs(ROOK) | theirs(QUEEN)) | reach(BISHOP) & (theirs(BISHOP) | theirs(QUEEN));
            for sniper in members(snipers) {
                let between = attacks::between(square(king), square(sniper)).0 & occupied;
                if between.is_power_of_two() {
                    found |= between & own;
                }
            }
        }
    }
    found
}

/// The squares at these distances ahead of the pieces of a set, behind them, or around its squares.
pub(super) fn reach(moment: &Moment, reach: Reach, set: u64, from: u32, to: u32) -> u64 {
    let ranks = |set: u64, ahead: bool| {
        (from..=to).fold(0, |found, by| {
            let by = 8 * by;
            found | if ahead { set.checked_shl(by).unwrap_or(0) } else { set.checked_shr(by).unwrap_or(0) }
        })
    };
    match reach {
        Reach::Near => near(set, from, to),
        Reach::Ahead => ranks(set & moment.of_side(0), true) | ranks(set & moment.of_side(1), false),
        Reach::Behind => ranks(set & moment.of_side(0), false) | ranks(set & moment.of_side(1), true),
    }
}

/// The ranks of a set.
fn ranks(set: u64) -> u64 {
    (0..8).map(|rank| 0xff << (8 * rank)).filter(|rank| rank & set != 0).fold(0, |all, rank| all | rank)
}

/// The squares on lines from a square up to and including the first piece.
fn visible(line: Line, from: u8, occupied: u64) -> u64 {
    let (at, occupied) = (square(from), Bitboard(occupied));
    match line {
        Line::Any => attacks::queen_attacks(at, occupied).0,
        Line::File => attacks::rook_attacks(at, occupied).0 & file_squares(1 << (from & 7)),
        Line::Rank => attacks::rook_attacks(at, occupied).0 & 0xff << (from & 56),
        Line::Diagonal => attacks::bishop_attacks(at, occupied).0,
    }
}

fn steps(line: Line) -> &'static [(i32, i32)] {
    const STEPS: [(i32, i32); 8] = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1), (1, -1), (-1, 1)];
    match line {
        Line::Any => &STEPS[..],
        Line::File => &STEPS[..2],
        Line::Rank => &STEPS[2..4],
        Line::Diagonal => &STEPS[4..],
    }
}

/// Whether squares of these sets follow each other in this order on a line, with only empty squares between. Also
/// returns the squares whose contents decide this, besides the first set; `None` if any square may.
pub(super) fn in_line(moment: &Moment, line: Line, sets: &[u64]) -> (bool, Option<u64>) {
    let [first, rest @ ..] = sets else { return (true, None) };
    let [second, more @ ..] = rest else { return (true, None) };
    let occupied = moment.occupied();
    if is_few(*first) {
        let mut seen = 0;
        for from in members(*first) {
            let visible = visible(line, from, occupied);
            seen |= visible;
            if visible & second == 0 {
                continue;
            }
            if more.is_empty() || steps(line).iter().any(|step| is_walked(from, rest, *step, occupied, &mut seen)) {
                return (true, Some(seen));
            }
        }
        return (false, Some(seen));
    }
    // A file or a rank must have squares of all sets.
    let mut lines = !0;
    for set in sets {
        lines &= match line {
            Line::File => structure::files(*set),
            Line::Rank => ranks(*set),
            Line::Any | Line::Diagonal => !0,
        };
    }
    let first = first & lines;
    (first != 0 && steps(line).iter().any(|step| is_followed(first, rest, *step, occupied)), None)
}

/// The same from one square in one direction; adds the squares it visits to `seen`.
fn is_walked(from: u8, mut rest: &[u64], (files, ranks): (i32, i32), occupied: u64, seen: &mut u64) -> bool {
    let mut at = step(1 << (from & 63), files, ranks);
    while at != 0 {
        *seen |= at;
        match rest {
            [next, more @ ..] if next & at != 0 => rest = more,
            _ if occupied & at != 0 => return false,
            _ => {}
        }
        if rest.is_empty() {
            return true;
        }
        at = step(at, files, ranks);
    }
    false
}

/// The set moved by one square in a direction; squares beyond the edge are lost.
fn step(set: u64, files: i32, ranks: i32) -> u64 {
    let set = match files {
        1 => (set & !file_squares(0x80)) << 1,
        -1 => (set & !file_squares(1)) >> 1,
        _ => set,
    };
    match ranks {
        1 => set << 8,
        -1 => set >> 8,
        _ => set,
    }
}

/// The same from many squares in one direction, one square further at a time for all lines. Tracks for each line how
/// many of the sets it has met.
fn is_followed(first: u64, rest: &[u64], (files, ranks): (i32, i32), occupied: u64) -> bool {
    // Seven steps cross the board, so that a line can meet at most this many sets.
    let mut at = [0; 8];
    let Some(after) = at.get_mut(..=rest.len()) else { return false };
    after[0] = first;
    let mut open = first;
    while open != 0 {
        open = 0;
        // Descending, so that one square advances a line by one set only.
        for n in (0..rest.len()).rev() {
            let here = step(std::mem::take(&mut after[n]), files, ranks);
            after[n + 1] |= here & rest[n];
            after[n] = here & !rest[n] & !occupied;
            open |= after[n] | here & rest[n];
        }
        if after[rest.len()] != 0 {
            return true;
        }
    }
    false
}

/// The squares that hold one of the contents.
#[inline(always)]
pub(super) fn pieces(moment: &Moment, contents: Contents) -> u64 {
    let of = |contents: Contents| moment.sets[contents.trailing_zeros() as usize & 15];
    let rest = contents & contents.wrapping_sub(1);
    if rest == 0 {
        return of(contents);
    }
    if rest & rest.wrapping_sub(1) == 0 {
        return of(contents) | of(rest);
    }
    pieces_of_many(moment, contents)
}

fn pieces_of_many(moment: &Moment, contents: Contents) -> u64 {
    match contents {
        WHITE => return moment.of_side(0),
        BLACK => return moment.of_side(1),
        WHATEVER => return !0,
        _ if contents.count_ones() > 6 => return !pieces(moment, WHATEVER & !contents),
        _ => {}
    }
    let mut set = 0;
    let mut rest = contents;
    while rest != 0 {
        set |= moment.sets[rest.trailing_zeros() as usize & 15];
        rest &= rest - 1;
    }
    set
}
