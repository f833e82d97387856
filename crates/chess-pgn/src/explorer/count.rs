//! Counts what was played: games and facts about them come in, sums for each popular position, move, year, group of ratings,
//! speed and result go out.
//!
//! A position is told by its key and compared as a whole. Of those that follow a popular one only the games are counted:
//! that is how many games reach what a move leads to, by any order of moves.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::fmt::Write as _;
use std::ops::ControlFlow;

use anyhow::{Context, Result};
use chess_core::board::fen;
use chess_core::board::key::{polyglot_key, position_key};
use chess_core::facts::{moves, positions, rules};
use chess_core::search::index_keys::position_keys;
use chess_core::text::two_byte_moves::{self, BareMove, Numbering};
use chess_core::{Board, GameRef};

/// The move of the rows that count all games of a position.
const ANY: i32 = -1;
/// The move of the games that end in a position; it is no move.
const END: i32 = 0;
/// How many games of a position are listed.
const LISTED: usize = 15;
/// The Julian day of 1 January 2000.
const JULIAN: i64 = 2_451_545;

/// What is known of a game besides its moves.
pub struct Facts {
    /// Its number.
    pub id: i64,
    /// Its year, 0 if it is unknown.
    pub year: i16,
    /// The first day it can have been played, from 1 January 2000.
    pub day: Option<i32>,
    /// The group of its ratings, -1 if one is unknown.
    pub rating_group: i16,
    /// The number of its speed, -1 if it is unknown.
    pub speed: i16,
    /// Of White's point of view: 1 won, 2 lost, 0 a draw, 3 unknown.
    pub result: u8,
    /// The ratings of White and Black.
    pub elo: [Option<i32>; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Place {
    position: u32,
    played: i32,
    year: i16,
    rating_group: i16,
    speed: i16,
    result: u8,
}

#[derive(Clone, Copy, Debug)]
struct Sum {
    games: u32,
    rated: u32,
    opponents: u32,
    day: Option<i32>,
    rating_sum: u64,
    opponent_sum: u64,
    id: i64,
}

impl Sum {
    fn add(&mut self, other: &Sum) {
        self.games += other.games;
        self.rated += other.rated;
        self.opponents += other.opponents;
        self.day = self.day.max(other.day);
        self.rating_sum += other.rating_sum;
        self.opponent_sum += other.opponent_sum;
        self.id = self.id.min(other.id);
    }
}

/// The greatest of some values, each with the number of its game.
#[derive(Default)]
struct Greatest(BinaryHeap<Reverse<(i64, i64)>>);

impl Greatest {
    fn offer(&mut self, value: i64, id: i64) {
        let offered = Reverse((value, id));
        if self.0.len() < LISTED {
            self.0.push(offered);
        } else if let Some(mut least) = self.0.peek_mut()
            && offered < *least
        {
            *least = offered;
        }
    }

    /// The numbers of the games, the greatest value first, as an array of SQL.
    fn array(self) -> String {
        let ids: Vec<String> = self.0.into_sorted_vec().iter().map(|Reverse((_, id))| id.to_string()).collect();
        format!("{{{}}}", ids.join(","))
    }
}

/// The games of a position with the highest ratings, and the latest.
#[derive(Default)]
struct Lists {
    rating: Greatest,
    date: Greatest,
}

struct Counted {
    key: i64,
    board: Board,
    complete: bool,
    /// Filled for complete positions.
    lists: Lists,
}

/// The rows of the tables, as `COPY` reads them.
pub struct Rows {
    /// `explorer_position`.
    pub positions: String,
    /// How many.
    pub position_count: usize,
    /// `explorer_cell`.
    pub cells: String,
    /// `explorer_total`.
    pub totals: String,
    /// `explorer_list`.
    pub lists: String,
}

/// Counts games.
#[derive(Default)]
pub struct Counter {
    /// Position keys of what is counted, and whether with its moves.
    wanted: HashMap<u64, bool>,
    /// Whether no more positions are taken in.
    fixed: bool,
    positions: Vec<Counted>,
    by_key: HashMap<i64, u32>,
    sums: HashMap<Place, Sum>,
    keys: Vec<u64>,
    seen: Vec<u32>,
}

impl Counter {
    /// Counts the positions with the placements of these boards, and those that follow them.
    pub fn of_popular(boards: &HashMap<u64, Board>) -> Counter {
        let mut counter = Counter::default();
        for board in boards.values() {
            // A position that is not legal is followed by nothing.
            let mut following = Vec::new();
            let _ = moves::each_legal(board, |details| following.push(details.uci.clone()));
            for uci in following {
                if let Ok(next) = rules::play(board, &uci) {
                    counter.wanted.entry(position_key(&next)).or_insert(false);
                }
            }
        }
        counter.wanted.extend(boards.keys().map(|key| (*key, true)));
        counter
    }

    /// Counts these positions: key, board, and whether with its moves.
    pub fn of_positions(boards: impl Iterator<Item = (i64, Board, bool)>) -> Counter {
        let mut counter = Counter { fixed: true, ..Counter::default() };
        for (key, board, complete) in boards {
            *counter.wanted.entry(position_key(&board)).or_insert(complete) |= complete;
            counter.by_key.insert(key, counter.positions.len() as u32);
            counter.positions.push(Counted { key, board, complete, lists: Lists::default() });
        }
        counter
    }

    /// Counts a game.
    pub fn add(&mut self, game: GameRef<'_>, facts: &Facts) -> Result<()> {
        self.keys.clear();
        position_keys(game, &mut self.keys)?;
        let Some(last) = self.keys.iter().rposition(|key| self.wanted.contains_key(key)) else { return Ok(()) };
        let codes = two_byte_moves::write(game.first_moves(last as u32 + 1)?.view(), Numbering::Plain)?;
        self.seen.clear();
        positions::each(game, |ply, board| {
            let ply = ply as usize;
            if let Some(complete) = self.keys.get(ply).and_then(|key| self.wanted.get(key)).copied()
                && let Some(position) = self.position(board, complete)
                && !self.seen.contains(&position)
            {
                self.seen.push(position);
                let played = match codes.get(2 * ply..2 * ply + 2) {
                    Some(code) => i32::from(u16::from_le_bytes([code[0], code[1]])),
                    None => END,
                };
                let counted = &mut self.positions[position as usize];
                let played = if counted.complete { played } else { ANY };
                if counted.complete {
                    let ratings = facts.elo.iter().flatten().map(|elo| i64::from(*elo)).sum();
                    counted.lists.rating.offer(ratings, facts.id);
                    counted.lists.date.offer(facts.day.map_or(i64::MIN, i64::from), facts.id);
                }
                self.count(position, played, board.turn, facts);
            }
            if ply < last { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(())
    }

    /// The number of the position; none if it is not counted, or another one has its key.
    fn position(&mut self, board: &Board, complete: bool) -> Option<u32> {
        let key = polyglot_key(board) as i64;
        if let Some(&position) = self.by_key.get(&key) {
            return is_same(&self.positions[position as usize].board, board).then_some(position);
        }
        if self.fixed {
            return None;
        }
        let position = self.positions.len() as u32;
        let board = Board { halfmove_clock: 0, fullmove_number: 1, ..board.clone() };
        self.positions.push(Counted { key, board, complete, lists: Lists::default() });
        self.by_key.insert(key, position);
        Some(position)
    }

    fn count(&mut self, position: u32, played: i32, turn: u8, facts: &Facts) {
        let result = match (facts.result, turn) {
            (won @ 1..=2, 1) => 3 - won,
            (result, _) => result,
        };
        let place =
            Place { position, played, year: facts.year, rating_group: facts.rating_group, speed: facts.speed, result };
        let rating = |side: u8| facts.elo[usize::from(side)].filter(|elo| *elo > 0);
        let (own, other) = (rating(turn), rating(1 - turn));
        let sum = Sum {
            games: 1,
            rated: own.is_some().into(),
            opponents: other.is_some().into(),
            day: facts.day,
            rating_sum: own.map_or(0, |elo| elo as u64),
            opponent_sum: other.map_or(0, |elo| elo as u64),
            id: facts.id,
        };
        self.sums.entry(place).and_modify(|known| known.add(&sum)).or_insert(sum);
    }

    /// What was counted. Without `least` that is all; with it the positions that at least so many games reach, and what they
    /// lead to.
    pub fn rows(self, least: Option<u16>) -> Result<Rows> {
        let Counter { mut positions, sums, by_key, .. } = self;
        if let Some(least) = least {
            let mut games = vec![0u64; positions.len()];
            for (place, sum) in &sums {
                games[place.position as usize] += u64::from(sum.games);
            }
            for (position, games) in positions.iter_mut().zip(games) {
                position.complete &= games >= u64::from(least);
            }
        }
        // The code of a move is that of what uci(board, move) writes; a position with a move that has none is left out.
        let played: HashSet<(u32, i32)> = sums.keys().map(|place| (place.position, place.played)).collect();
        let mut spelled = HashMap::new();
        let mut follows: HashSet<u32> = HashSet::new();
        for (position, code) in played {
            let counted = &mut positions[position as usize];
            if code <= END || !counted.complete {
                continue;
            }
            match spell(&counted.board, code) {
                Some((canonical, next)) => {
                    spelled.insert((position, code), canonical);
                    follows.extend(by_key.get(&(polyglot_key(&next) as i64)));
                }
                None if least.is_some() => counted.complete = false,
                None => anyhow::bail!("no move {code} in {}", fen::write(&counted.board)),
            }
        }
        let mut cells = HashMap::with_capacity(sums.len());
        let mut totals = HashMap::new();
        let mut used = vec![false; positions.len()];
        for (place, sum) in &sums {
            let complete = positions[place.position as usize].complete;
            if !complete && least.is_some() && !follows.contains(&place.position) {
                continue;
            }
            used[place.position as usize] = true;
            let total = |played| Place { played, year: 0, rating_group: 0, speed: 0, ..*place };
            if complete {
                let played = spelled.get(&(place.position, place.played)).copied().unwrap_or(place.played);
                put(&mut cells, Place { played, ..*place }, sum);
                put(&mut totals, total(played), sum);
            }
            put(&mut totals, total(ANY), sum);
        }
        let mut rows = Rows {
            positions: String::new(),
            position_count: 0,
            cells: String::new(),
            totals: String::new(),
            lists: String::new(),
        };
        for (position, _) in positions.iter_mut().zip(&used).filter(|(_, used)| **used) {
            rows.position_count += 1;
            writeln!(rows.positions, "{}\t{}\t{}", position.key, position.complete, fen::write(&position.board))?;
            if position.complete {
                let Lists { rating, date } = std::mem::take(&mut position.lists);
                writeln!(rows.lists, "{}\t{}\t{}", position.key, rating.array(), date.array())?;
            }
        }
        write_sums(&mut rows.cells, &positions, cells, |place| {
            format!("{}\t{}\t{}\t", place.year, place.rating_group, place.speed)
        })?;
        write_sums(&mut rows.totals, &positions, totals, |_| String::new())?;
        Ok(rows)
    }
}

fn put(sums: &mut HashMap<Place, Sum>, place: Place, sum: &Sum) {
    sums.entry(place).and_modify(|known| known.add(sum)).or_insert(*sum);
}

/// Rows in the order of their index: those that are asked for together are stored together.
fn write_sums(
    out: &mut String,
    positions: &[Counted],
    sums: HashMap<Place, Sum>,
    kind: impl Fn(&Place) -> String,
) -> Result<()> {
    let mut sums: Vec<(Place, Sum)> = sums.into_iter().collect();
    let key = |place: &Place| positions[place.position as usize].key;
    sums.sort_unstable_by_key(|(place, _)| {
        (key(place), place.played, place.year, place.rating_group, place.speed, place.result)
    });
    for (place, sum) in sums {
        write!(out, "{}\t{}\t{}{}\t", key(&place), place.played, kind(&place), place.result)?;
        write!(out, "{}\t{}\t{}\t", sum.games, sum.rated, sum.opponents)?;
        match sum.day {
            Some(day) => write!(out, "J{}", i64::from(day) + JULIAN)?,
            None => out.push_str("\\N"),
        }
        writeln!(out, "\t{}\t{}\t{}", sum.rating_sum, sum.opponent_sum, sum.id)?;
    }
    Ok(())
}

/// The code of a move as `uci(board, move)` spells it, and where it leads.
fn spell(board: &Board, code: i32) -> Option<(i32, Board)> {
    let bare = BareMove::from_code(u16::try_from(code).ok()?, Numbering::Plain)?;
    let (_, uci) = rules::spell(board, &bare.to_string()).ok()?;
    let canonical = BareMove::from_uci(&uci)?.to_code(Numbering::Plain);
    Some((canonical.into(), rules::play(board, &uci).ok()?))
}

/// Whether two boards are the same position, as `samePosition` has it.
fn is_same(a: &Board, b: &Board) -> bool {
    a.turn == b.turn
        && a.kinds == b.kinds
        && a.castling == b.castling
        && a.legal_en_passant_file() == b.legal_en_passant_file()
}

/// A position from its FEN.
pub fn read_board(text: &str) -> Result<Board> {
    fen::read(text).ok().with_context(|| format!("no board: {text}"))
}
