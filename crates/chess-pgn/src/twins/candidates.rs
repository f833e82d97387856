//! Finds candidates: pairs of games that may be one game stored twice. In: all games twice, once sorted by their
//! players ([`ByPlayers`]), once by their moves ([`ByMoves`]). Out: the pairs, and how many half-moves each of their
//! games shares with games of other players.
//!
//! Copies of a game stand close to each other in at least one of the two orders. So each game is compared only with its
//! neighbours in a sliding window, never with all games, and the time grows in proportion to the number of games.
//! Memory holds only the window and the pairs found so far.
//!
//! A pair found here is not yet a twin: `judge.rs` decides with everything that is stored of both games.

use std::collections::{HashMap, HashSet};

use chess_core::GameRef;

use super::shape::MAX_EDITS;

/// The size of the sliding window: a game is compared with at most this many games before it and after it.
pub const NEIGHBOURS: usize = 64;
/// Games of different players are candidates only if at least their first 16 half-moves are equal. Shorter common
/// beginnings are opening theory.
const LEAST_COMMON: u32 = 16;
/// At least this many of the common half-moves must occur in no game of third players. Otherwise two pairs of players
/// have only followed the same known line.
const LEAST_OWN: u32 = 3;
/// The number of equal half-moves at the beginning that makes candidates of two games by the same players that differ
/// early. Such games must also have the same or neighbouring days, or overlapping dates and similar lengths.
const LEAST_BEGINNING: u32 = 4;
/// The number of games that are kept in memory at once.
const CHUNK: usize = 4096;

/// The candidates found so far.
#[derive(Debug, Default)]
pub struct Candidates {
    /// The ids of both games, the smaller one first.
    pub pairs: HashSet<(i64, i64)>,
    /// For each game of a pair, the maximum number of half-moves that it shares with a game of other players. These
    /// half-moves are no evidence for twins, because they may be opening theory.
    pub known: HashMap<i64, u32>,
}

impl Candidates {
    fn add(&mut self, first: i64, second: i64) {
        if first != second && self.pairs.insert((first.min(second), first.max(second))) {
            for id in [first, second] {
                self.known.entry(id).or_insert(0);
            }
        }
    }
}

/// A game as it is read in one of the two orders.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its id.
    pub id: i64,
    /// The packed game.
    pub game: Vec<u8>,
    /// The keys of the names of White and Black, which all spellings that can be one person share; `None` if a name is
    /// missing.
    pub players: Option<(i64, i64)>,
    /// The first day that the date can mean, and the day after the last.
    pub days: Option<(i32, i32)>,
}

impl Row {
    fn view(&self) -> Option<GameRef<'_>> {
        GameRef::new(&self.game).ok()
    }

    fn plies(&self) -> u32 {
        self.view().map_or(0, GameRef::ply_count)
    }

    fn common(&self, other: &Row) -> u32 {
        match (self.view(), other.view()) {
            (Some(first), Some(second)) => first.common_plies(second),
            _ => 0,
        }
    }
}

/// Finds candidates among games sorted by their players. It collects the games of one pair of players, then compares
/// them.
#[derive(Debug, Default)]
pub struct ByPlayers {
    group: Vec<Row>,
}

impl ByPlayers {
    /// Takes the next game.
    pub fn add(&mut self, row: Row, found: &mut Candidates) {
        let Some(players) = row.players.filter(|_| row.view().is_some()) else { return };
        if self.group.first().is_some_and(|first| first.players != Some(players)) || self.group.len() >= CHUNK {
            self.finish(found);
        }
        self.group.push(row);
    }

    /// Compares the games collected for the current pair of players, and forgets them.
    pub fn finish(&mut self, found: &mut Candidates) {
        let mut group = std::mem::take(&mut self.group);
        if group.len() < 2 {
            return;
        }
        // The window slides over the games sorted by moves, then over the same games sorted by date. The second order
        // brings together copies that differ early, which the first one sets apart.
        group.sort_by(|first, second| match (first.view(), second.view()) {
            (Some(mine), Some(others)) => mine.cmp(others).then(first.id.cmp(&second.id)),
            _ => first.id.cmp(&second.id),
        });
        for (at, first) in group.iter().enumerate() {
            for second in group[at + 1..].iter().take(NEIGHBOURS) {
                if near_ends(first.plies(), second.plies(), first.common(second)) {
                    found.add(first.id, second.id);
                }
            }
        }
        group.sort_by_key(|row| (row.days.is_none(), row.days, row.id));
        for (at, first) in group.iter().enumerate() {
            let Some((day, end)) = first.days else { break };
            for second in group[at + 1..].iter().take(NEIGHBOURS) {
                let Some((start, _)) = second.days.filter(|(start, _)| *start <= end) else { continue };
                // A date that covers a month or a year overlaps with many games, so it needs games of similar length.
                let similar = first.plies().abs_diff(second.plies()) <= MAX_EDITS
                    || start - day <= 1 && is_day(first) && is_day(second);
                if similar && first.common(second) >= LEAST_BEGINNING {
                    found.add(first.id, second.id);
                }
            }
        }
    }
}

fn is_day(row: &Row) -> bool {
    row.days.is_some_and(|(start, end)| end - start == 1)
}

/// Whether the shorter game ends within [`MAX_EDITS`] half-moves of the point where the games part. Copies of a game
/// differ near the end or not at all; games that part earlier are different games with the same opening.
fn near_ends(first: u32, second: u32, common: u32) -> bool {
    first.min(second) - common <= MAX_EDITS
}

/// Finds candidates among games sorted by their moves, as a stream of which only a window is in memory.
#[derive(Debug, Default)]
pub struct ByMoves {
    rows: Vec<Row>,
    /// `common[n]` is the number of half-moves that row n shares with row n - 1. The rows are sorted, so two distant
    /// rows share the minimum of the numbers between them.
    common: Vec<u32>,
    /// The number of rows at the front that have been compared; they stay as context for the rows that follow.
    done: usize,
}

impl ByMoves {
    /// Takes the next game.
    pub fn add(&mut self, row: Row, found: &mut Candidates) {
        if row.view().is_none() {
            return;
        }
        self.common.push(self.rows.last().map_or(0, |before| before.common(&row)));
        self.rows.push(row);
        if self.rows.len() >= CHUNK {
            let until = self.rows.len() - NEIGHBOURS;
            self.compare(until, found);
            let forgotten = until.saturating_sub(NEIGHBOURS);
            self.rows.drain(..forgotten);
            self.common.drain(..forgotten);
            self.done = until - forgotten;
        }
    }

    /// Compares the remaining rows after the last game.
    pub fn finish(&mut self, found: &mut Candidates) {
        self.compare(self.rows.len(), found);
        *self = ByMoves::default();
    }

    /// Compares all rows before `until` with the rows that follow them.
    fn compare(&self, until: usize, found: &mut Candidates) {
        for at in self.done..until {
            let mut common = u32::MAX;
            for next in at + 1..self.rows.len().min(at + 1 + NEIGHBOURS) {
                common = common.min(self.common[next]);
                if common < LEAST_COMMON {
                    break;
                }
                let (first, second) = (&self.rows[at], &self.rows[next]);
                if near_ends(first.plies(), second.plies(), common) && self.own(at, next, common) {
                    found.add(first.id, second.id);
                }
            }
        }
        for at in self.done..until {
            if let Some(known) = found.known.get_mut(&self.rows[at].id) {
                *known = (*known).max(self.known(at, at, self.rows[at].players, self.rows[at].players));
            }
        }
    }

    /// Whether two games share half-moves that no other players have played. Two games of the same players need none,
    /// because `judge.rs` weighs how often players repeat a line.
    fn own(&self, first: usize, second: usize, common: u32) -> bool {
        let (mine, others) = (self.rows[first].players, self.rows[second].players);
        mine.is_some() && mine == others || self.known(first, second, mine, others) + LEAST_OWN <= common
    }

    /// The maximum number of half-moves that the rows `first` to `second` share with a game of third players. One pair
    /// of third players is ignored if its games equal this one nearly to the end: such a game is probably a copy under
    /// wrong names, not proof of a known line.
    fn known(&self, first: usize, second: usize, mine: Option<(i64, i64)>, others: Option<(i64, i64)>) -> u32 {
        let plies = self.rows[first].plies().min(self.rows[second].plies());
        let mut copy: Option<Option<(i64, i64)>> = None;
        let mut strange = |row: &Row, common: u32| {
            if row.players.is_some() && (row.players == mine || row.players == others) {
                return false;
            }
            let is_copy = plies.min(row.plies()) - common.min(plies).min(row.plies()) <= 2;
            if is_copy && *copy.get_or_insert(row.players) == row.players {
                return false;
            }
            true
        };
        let mut known = 0;
        let mut common = u32::MAX;
        for between in first + 1..second {
            common = common.min(self.common[between]);
            if strange(&self.rows[between], common) {
                known = known.max(common);
            }
        }
        // If the window ends before a game of third players is found, everything that its games share counts as known.
        // At the first or last row of the table nothing does.
        let mut look = |rows: &mut dyn Iterator<Item = (usize, usize)>| {
            let mut common = plies;
            for _ in 0..NEIGHBOURS {
                let Some((at, shared)) = rows.next() else { return known };
                common = common.min(self.common[shared]);
                if common <= known || strange(&self.rows[at], common) {
                    break;
                }
            }
            known.max(common)
        };
        let before = look(&mut (0..first).rev().map(|at| (at, at + 1)));
        let after = look(&mut (second + 1..self.rows.len()).map(|at| (at, at)));
        before.max(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_core::text::movetext;

    fn row(id: i64, players: (i64, i64), moves: &str) -> Row {
        Row { id, game: movetext::read(moves).unwrap().into_bytes(), players: Some(players), days: None }
    }

    fn by_moves(mut rows: Vec<Row>) -> Candidates {
        rows.sort_by(|one, other| one.view().unwrap().cmp(other.view().unwrap()));
        let mut found = Candidates::default();
        let mut order = ByMoves::default();
        rows.into_iter().for_each(|row| order.add(row, &mut found));
        order.finish(&mut found);
        found
    }

    fn by_players(rows: Vec<Row>) -> Vec<(i64, i64)> {
        let mut found = Candidates::default();
        let mut order = ByPlayers::default();
        rows.into_iter().for_each(|row| order.add(row, &mut found));
        order.finish(&mut found);
        let mut pairs: Vec<_> = found.pairs.into_iter().collect();
        pairs.sort_unstable();
        pairs
    }

    const LINE: &str =
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7";
    const REST: &str = "11. Nbd2 Bb7 12. Bc2 Re8 13. Nf1 Bf8 14. Ng3 g6 15. a4 c5";

    #[test]
    fn equal_games_of_others() {
        let whole = format!("{LINE} {REST}");
        let deviation = format!("{LINE} 11. c4 c6 12. cxb5 axb5");
        let found = by_moves(vec![
            row(1, (1, 2), &whole),
            row(2, (3, 4), &whole),
            row(3, (5, 6), &deviation),
            row(4, (7, 8), "1. d4"),
        ]);
        assert!(found.pairs.contains(&(1, 2)));
        assert_eq!(found.known[&1], 20, "what the third players have played");
        // four pairs of players have played the same game, so it is a known line
        let found = by_moves((0..4).map(|n| row(n, (2 * n, 2 * n + 1), &whole)).collect());
        assert_eq!(found.pairs, HashSet::new());
        // a third copy is no proof of a known line if it has the players of the second one
        let found = by_moves(vec![row(1, (1, 2), &whole), row(2, (3, 4), &whole), row(3, (3, 4), &whole)]);
        assert_eq!(found.pairs, HashSet::from([(1, 2), (1, 3), (2, 3)]));
    }

    #[test]
    fn chunks_do_not_separate_neighbours() {
        // The games differ early, and each of them is there three times.
        let squares = ["a3", "a4", "b3", "b4", "c3", "c4", "d3", "d4", "e3", "e4", "f3", "f4", "g3", "g4", "h3", "h4"];
        let mut rows = Vec::new();
        for (at, first) in squares.iter().enumerate() {
            for (next, second) in squares.iter().enumerate().filter(|(_, square)| square[..1] != first[..1]) {
                for black in 0..12 {
                    let reply = squares[black + 2].replace('3', "6").replace('4', "5");
                    let moves = format!(
                        "1. {first} {reply} 2. {second} Nc6 3. Nf3 Nf6 4. Nd4 Nd5 5. Nf3 Nf6 6. Nd4 Nd5 7. Nf3 Nf6 8. Nd4 Nd5 9. Nf3 Nf6 10. Nd4 Nd5"
                    );
                    let Ok(_) = movetext::read(&moves) else { continue };
                    let id = (at * 1000 + next * 20 + black) as i64 * 3;
                    rows.extend((id..id + 3).map(|id| row(id, (id, id), &moves)));
                }
            }
        }
        let games = rows.len();
        assert!(games > CHUNK, "{games}");
        assert_eq!(by_moves(rows).pairs.len(), games);
    }

    #[test]
    fn games_of_the_same_players() {
        let whole = format!("{LINE} {REST}");
        let rows = vec![row(1, (1, 2), &whole), row(2, (1, 2), LINE), row(3, (1, 2), "*"), row(4, (2, 1), &whole)];
        assert_eq!(by_players(rows), [(1, 2), (1, 3), (2, 3)]);
        // the games differ early but were played on one day
        let other = whole.replace("4. Ba4", "4. Bc4");
        let mut rows = vec![row(1, (1, 2), &whole), row(2, (1, 2), &other)];
        assert_eq!(by_players(rows.clone()), []);
        rows.iter_mut().for_each(|row| row.days = Some((5, 6)));
        assert_eq!(by_players(rows.clone()), [(1, 2)]);
        rows[1].days = Some((7, 8));
        assert_eq!(by_players(rows), []);
    }

    #[test]
    fn damaged_games_are_no_twins() {
        let damaged = Row { id: 1, game: vec![0], players: Some((1, 2)), days: None };
        assert_eq!(by_players(vec![damaged.clone(), row(2, (1, 2), LINE)]), []);
        let mut found = Candidates::default();
        let mut order = ByMoves::default();
        order.add(damaged, &mut found);
        order.finish(&mut found);
        assert!(found.pairs.is_empty());
    }
}
