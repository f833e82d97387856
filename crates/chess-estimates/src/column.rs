//! Estimates the share of the games of a column that a predicate finds.
//!
//! Takes the statistics of a sample ([`Sample`]), if there are any, and a predicate's opening, board, material or
//! pattern; returns a share between 0 and 1. The statistics are read when an estimate first needs them. For a key in the statistics
//! it is the share in the sample. A key that is not there is rarer than all that are, but not rarer than one game of the table.

use std::cell::LazyCell;
use std::rc::Rc;

use chess_core::board::key::{other_side, position_key};
use chess_core::search::distance::{least_half_moves, moved_pieces};
use chess_core::search::finder::Matching;
use chess_core::search::material::Material;
use chess_core::search::pattern::{Pattern, signature};
use chess_core::{Board, Finder, GameRef};

use crate::keys::CommonKeys;
use crate::patterns::{Trial, part_of};
use crate::sample::Sample;

/// Share for an opening that is unknown at planning time, in a table without statistics.
pub const UNKNOWN_OPENING: f64 = 0.005;
/// The same for a board.
pub const UNKNOWN_BOARD: f64 = 0.001;
/// The same for material.
pub const UNKNOWN_MATERIAL: f64 = 0.005;
/// The same for a pattern.
pub const UNKNOWN_PATTERN: f64 = 0.05;
/// Share of the rarest boards, without statistics.
const RAREST_BOARD: f64 = 0.0001;
/// Without statistics: the share of games with a board that still share it after one more piece has moved.
const SHARE_PER_MOVED_PIECE: f64 = 0.4;

/// The number of games kept that tell well enough in which part of all games a board arises soon.
const ENOUGH: f64 = 10.0;
/// The part of the games with a position that have it two half-moves before it usually occurs.
const PART_TWO_EARLIER: f64 = 0.1;
/// Most games in which the half-move of a board is looked for; a replay takes about 1 µs.
const MOST_GAMES_REPLAYED: usize = 400;

/// A pattern of a lower share is in some ten games of those that a sample keeps, or in fewer: too few to tell its share.
const RARE: f64 = 0.005;
/// The number of matches assumed where candidates were searched and none of them matched. They are a good part of all candidates,
/// so a pattern that they lack is in few games.
const UNSEEN_CANDIDATE: f64 = 0.3;

/// What an index knows of a pattern, and of some of the games with its keys, which were searched for it.
#[derive(Clone, Copy, Debug)]
pub struct Candidates {
    /// The share of the games with its keys.
    pub share: f64,
    /// The number of games that were searched.
    pub searched: f64,
    /// The number of matches among them.
    pub matches: f64,
    /// Whether all games with the keys were searched.
    pub are_all: bool,
}

/// A sample that is read when it is first needed.
type Lazy = LazyCell<Option<Rc<Sample>>, Box<dyn FnOnce() -> Option<Rc<Sample>>>>;

/// A column of games.
#[derive(Clone, Debug)]
pub struct Column {
    sample: Rc<Lazy>,
    not_null: f64,
    one_game: f64,
}

impl Column {
    /// Takes a function that reads the statistics of the column, the share of rows that are not NULL, and the number of rows,
    /// 0 if it is unknown.
    pub fn new(read: impl FnOnce() -> Option<Rc<Sample>> + 'static, not_null: f64, rows: f64) -> Column {
        let sample = Rc::new(LazyCell::new(Box::new(read) as Box<dyn FnOnce() -> _>));
        Column { sample, not_null, one_game: if rows > 0.0 { 1.0 / rows } else { 0.0 } }
    }

    fn sample(&self) -> Option<&Sample> {
        (**self.sample).as_deref()
    }

    /// Whether the column was analyzed.
    pub fn is_known(&self) -> bool {
        self.sample().is_some()
    }

    /// The share of the rows that are not NULL.
    pub fn not_null(&self) -> f64 {
        self.not_null
    }

    /// The average number of half-moves of a game.
    pub fn mean_plies(&self) -> Option<f64> {
        self.sample().map(|sample| sample.plies as f64 / f64::from(sample.games))
    }

    /// Converts a share of the games that are not NULL to a share of the rows, at least one row.
    fn of_rows(&self, share: f64) -> f64 {
        (share * self.not_null).max(self.one_game).min(1.0)
    }

    /// The share of the games that begin with an opening; `None` if the column was never analyzed.
    pub fn opening(&self, opening: GameRef<'_>) -> Option<f64> {
        Some(self.of_rows(self.sample()?.openings.share_of(opening)))
    }

    /// The average share of the games that begin with the first half-moves of a game of another column; `None` if one
    /// of the columns was never analyzed.
    pub fn first_moves_of(&self, other: &Column, plies: u32) -> Option<f64> {
        let (own, other) = (self.sample()?, other.sample()?);
        Some(self.of_rows(other.openings.average_over_first_moves(plies, &own.openings, self.one_game)))
    }

    /// For a column of openings: the share of the openings that a game begins with; `None` if it was never analyzed.
    pub fn openings_of(&self, game: GameRef<'_>) -> Option<f64> {
        Some(self.of_rows(self.sample()?.openings.share_that_begin(game)))
    }

    /// The share of the games in which a board occurs within `limit` half-moves.
    pub fn board(&self, board: &Board, matching: Matching, limit: u32) -> f64 {
        let key = position_key(board);
        let mut share = self.position(key, board);
        if matching == Matching::Placement {
            share += self.position(other_side(key), board);
        }
        self.of_rows(share * self.part_within(board, matching, limit, || None))
    }

    /// The part of the games with a board in which it occurs within `limit` half-moves: of the games kept that have it, of
    /// those that an index has, and as likely as the move number of the board makes it. `searched` returns how many games of
    /// an index have the board, and how many of them have it within the limit.
    pub fn part_within(
        &self,
        board: &Board,
        matching: Matching,
        limit: u32,
        searched: impl FnOnce() -> Option<(f64, f64)>,
    ) -> f64 {
        if limit == u32::MAX {
            return 1.0;
        }
        let least = least_half_moves(board, matching == Matching::Placement);
        let likely = if limit < least {
            self.other_starts()
        } else {
            // A board that was typed may have any move number.
            let usual = 2 * u64::from(board.fullmove_number.saturating_sub(1)) + u64::from(board.turn);
            let missing = if usual < u64::from(least) { 0 } else { usual.saturating_sub(limit.into()) };
            PART_TWO_EARLIER.powi(missing.div_ceil(2).min(100) as i32)
        };
        if likely == 0.0 {
            return 0.0;
        }
        let finder = Finder::new(board, matching);
        let (mut found, mut early) = (0.0, 0.0);
        for game in
            self.sample().into_iter().flat_map(|sample| sample.patterns.games().views().take(MOST_GAMES_REPLAYED))
        {
            if let Ok(Some(ply)) = finder.find(game, u32::MAX) {
                found += 1.0;
                early += f64::from(u8::from(ply <= limit));
            }
        }
        let (more_found, more_early) = if early < ENOUGH { searched().unwrap_or_default() } else { (0.0, 0.0) };
        (early + more_early + likely) / (found + more_found + 1.0)
    }

    fn position(&self, key: u64, board: &Board) -> f64 {
        let moved = moved_pieces(board);
        match self.sample() {
            Some(sample) => share_of(sample, &sample.positions, key, || rarity(moved)),
            None => SHARE_PER_MOVED_PIECE.powi(moved as i32).max(RAREST_BOARD),
        }
    }

    /// The share of the games that have a material within `limit` half-moves.
    pub fn material(&self, material: Material, limit: u32) -> f64 {
        let Some(sample) = self.sample() else { return self.of_rows(UNKNOWN_MATERIAL) };
        let counts = material.counts();
        // A side has sixteen pieces, one of them the king.
        let share = if counts[5] == 1 && counts[11] == 1 && counts.iter().all(|count| *count < 16) {
            let rarest = f64::from(sample.patterns.left_out()) * 0.25;
            let games = sample.patterns.with_signature(signature(|kind| u64::from(counts[usize::from(kind)])));
            games.map_or(rarest, f64::from) / f64::from(sample.games)
        } else {
            0.0
        };
        // A half-move captures at most one piece.
        let within = limit >= 32u32.saturating_sub(material.total());
        self.of_rows(if within { share } else { share.min(self.other_starts()) })
    }

    /// The share of the games in which a pattern occurs within `limit` half-moves. Tries it on at most `at_most` games.
    pub fn pattern(&self, pattern: &Pattern, limit: u32, at_most: usize) -> f64 {
        if let Some(material) = pattern.material() {
            return self.material(material, limit);
        }
        self.of_rows(match self.sample() {
            Some(sample) => sample.patterns.trial(pattern, limit, sample.games, at_most).share,
            None => UNKNOWN_PATTERN,
        })
    }

    /// Like [`Column::pattern`]. Of a rare pattern it also asks an index, by `look_up`, which takes the work of the trial.
    pub fn pattern_with(&self, pattern: &Pattern, limit: u32, look_up: impl FnOnce(u64) -> Option<Candidates>) -> f64 {
        let share = self.pattern(pattern, limit, usize::MAX);
        let sample = self.sample();
        if sample.is_some() && share >= RARE {
            return share;
        }
        // The material of a game is in its keys.
        let tried = sample.filter(|_| pattern.material().is_none());
        let trial = tried.map(|sample| sample.patterns.trial(pattern, limit, sample.games, usize::MAX));
        let (spent, searched, matches) = match trial {
            Some(Trial { spent, searched, matches, .. }) => (spent, searched, matches),
            None => (0, 0.0, 0.0),
        };
        match look_up(spent) {
            Some(found) if found.are_all => self.of_rows(found.share * found.matches / found.searched.max(1.0)),
            Some(found) if found.searched + searched > 0.0 => self
                .of_rows(found.share * part_of(matches + found.matches, searched + found.searched, UNSEEN_CANDIDATE)),
            _ => share,
        }
    }

    /// The mean work of a search for a pattern within `limit` half-moves of a game
    /// ([`chess_core::search::pattern::Matcher::work`]). Tries it on at most `at_most` games.
    pub fn work(&self, pattern: &Pattern, limit: u32, at_most: usize) -> f64 {
        match self.sample() {
            Some(sample) if pattern.material().is_none() => {
                sample.patterns.trial(pattern, limit, sample.games, at_most).work
            }
            _ => pattern.likely_work(),
        }
    }

    /// The share of the games that have the keys of a pattern. Looks at no more than `at_most` games.
    pub fn pattern_candidates(&self, pattern: &Pattern, at_most: usize) -> f64 {
        // Each game that has the key of a material matches.
        if let Some(material) = pattern.material() {
            return self.material(material, u32::MAX);
        }
        let tree = pattern.key_tree();
        self.of_rows(match self.sample() {
            Some(sample) => sample.patterns.candidates(&tree, sample.games, at_most),
            None if tree.is_known() => UNKNOWN_PATTERN,
            None => 1.0,
        })
    }

    /// The share of the games that do not begin with the standard start.
    fn other_starts(&self) -> f64 {
        self.sample().map_or(0.0, |sample| 1.0 - sample.openings.share_of_standard_start())
    }

    /// The share of an unknown board: that of the rarest board in the statistics.
    pub fn any_board(&self) -> f64 {
        self.of_rows(match self.sample() {
            Some(sample) => f64::from(sample.positions.left_out()) / f64::from(sample.games),
            None => UNKNOWN_BOARD,
        })
    }
}

/// The share of a key among the games of a sample. A key that is not in the statistics gets the part `rarity` of the
/// most that such a key can have.
fn share_of(sample: &Sample, keys: &CommonKeys, key: u64, rarity: impl FnOnce() -> f64) -> f64 {
    let games = match keys.count_of(key) {
        Some(count) => f64::from(count),
        None => f64::from(keys.left_out()) * rarity(),
    };
    games / f64::from(sample.games)
}

/// Estimates a position that is not in the statistics: its share as a part of the share of the rarest position there.
/// Takes the number of pieces that have left their first squares. Fitted to the average over such positions in games.
fn rarity(moved: u32) -> f64 {
    let early = (24.0 - f64::from(moved.clamp(3, 24))) / 21.0;
    0.5 * early * early
}

/// The share of the games that all predicates find: at most that of the rarest.
pub fn all(shares: impl Iterator<Item = f64>) -> f64 {
    shares.fold(1.0, f64::min)
}

/// The share of the games that any of the predicates finds, as if they were independent.
pub fn any(shares: impl Iterator<Item = f64>) -> f64 {
    1.0 - shares.fold(1.0, |none, share| none * (1.0 - share))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::sample::Gathering;
    use chess_core::Game;
    use chess_core::text::movetext;

    fn game(text: &str) -> Game {
        movetext::read(text).unwrap()
    }

    fn sample(games: &[Game], target: usize, whole: bool) -> Sample {
        let mut gathering = Gathering::new(target, games.len(), whole);
        games.iter().for_each(|game| gathering.first(game.view(), game.as_bytes()).unwrap());
        gathering.choose();
        games.iter().for_each(|game| gathering.second(game.view()));
        let sample = gathering.finish().unwrap();
        let parts = sample.parts();
        assert_eq!(Sample::read(parts.iter().map(Vec::as_slice)).as_ref(), Some(&sample));
        sample
    }

    /// Sixty Spanish games, thirty with other openings, ten of one move.
    fn games() -> Vec<Game> {
        let spanish = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. Nxe5";
        let texts = [(spanish, 60), ("1. d4 d5 2. c4 dxc4", 20), ("1. Nf3 d5 2. c4 dxc4 3. d4", 10), ("1. a3", 10)];
        texts.iter().flat_map(|(text, times)| std::iter::repeat_n(game(text), *times)).collect()
    }

    fn near(estimated: f64, actual: f64) {
        assert!((estimated - actual).abs() < 1e-9, "{estimated}, not {actual}");
    }

    #[test]
    fn a_whole_table_is_known() {
        let column = Column::new(|| Some(Rc::new(sample(&games(), 100, true))), 0.5, 200.0);
        let board = |text, ply| game(text).view().board_at(ply).unwrap().unwrap();
        let share = |board: &Board, limit| column.board(board, Matching::Position, limit);
        let all = u32::MAX;
        // Half of the rows are NULL.
        near(column.opening(game("1. e4 e5").view()).unwrap(), 0.3);
        near(column.opening(game("1. e4 c5").view()).unwrap(), 1.0 / 200.0);
        near(share(&Board::default(), all), 0.5);
        // A position that two move orders reach.
        let transposed = board("1. d4 d5 2. c4 dxc4 3. Nf3", 5);
        near(share(&transposed, all), 0.05);
        near(share(&transposed, 4), 1.0 / 200.0);
        near(share(&board("1. b3", 1), all), 1.0 / 200.0);
        let with_other_side = Board { turn: 1, ..board("1. e4 e5", 2) };
        near(share(&with_other_side, all), 1.0 / 200.0);
        near(column.board(&with_other_side, Matching::Placement, all), 0.3);
        let material = |text, limit| column.material(Material::read(text).unwrap(), limit);
        near(material("KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP", all), 0.5);
        near(material("KQRRBNNPPPPPPPPvKQRRBBNPPPPPPPP", all), 0.3);
        near(material("KQRRBNNPPPPPPPPvKQRRBBNPPPPPPPP", 1), 1.0 / 200.0);
        near(material(&format!("{}vK", "Q".repeat(40)), all), 1.0 / 200.0);
        near(column.first_moves_of(&column, 1).unwrap(), 0.5 * (0.36 + 0.04 + 0.01 + 0.01));
        near(column.mean_plies().unwrap(), 6.8);
    }

    #[test]
    fn games_of_an_index_tell_how_soon_a_board_arises() {
        let sicilian = game("1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4").view().board_at(7).unwrap().unwrap();
        let part = |column: &Column, limit, searched| {
            column.part_within(&sicilian, Matching::Position, limit, || Some(searched))
        };
        let unknown = Column::new(|| None, 1.0, 1e6);
        assert!(part(&unknown, 5, (600.0, 0.0)) < 0.001, "none of many has it two half-moves earlier");
        assert!((0.45..0.55).contains(&part(&unknown, 5, (600.0, 300.0))));
        near(part(&unknown, 1, (600.0, 300.0)), 0.0);
        // Where the games kept tell it, no index is asked.
        let known = Column::new(|| Some(Rc::new(sample(&games(), 100, true))), 1.0, 100.0);
        let spanish = game("1. e4 e5 2. Nf3 Nc6 3. Bb5").view().board_at(5).unwrap().unwrap();
        let all = known.part_within(&spanish, Matching::Position, 5, || panic!("sixty games are enough"));
        assert!(all > 0.9, "{all}");
    }

    #[test]
    fn of_a_sample_what_was_seen_once_is_not_known() {
        let mut games = games();
        games.push(game("1. h4 h5"));
        let column = Column::new(move || Some(Rc::new(sample(&games, 1, false))), 1.0, 1e6);
        near(column.opening(game("1. e4 e5").view()).unwrap(), 60.0 / 101.0);
        let once = column.opening(game("1. h4 h5").view()).unwrap();
        assert!((1e-6..=1.0 / 101.0).contains(&once), "{once}");
        let board = game("1. h4 h5").view().board_at(2).unwrap().unwrap();
        let once = column.board(&board, Matching::Position, u32::MAX);
        assert!((1e-6..=1.0 / 101.0).contains(&once), "{once}");
        assert!(column.any_board() <= 1.0 / 101.0 + 1e-9);
    }

    #[test]
    fn an_index_is_asked_about_rare_patterns_alone() {
        let pattern = |text| Pattern::read(text).unwrap();
        let rare = pattern("mate and Qa8");
        let found = |are_all| Some(Candidates { share: 0.001, searched: 10.0, matches: 2.0, are_all });
        let all = u32::MAX;
        let known = Column::new(|| Some(Rc::new(sample(&games(), 100, false))), 1.0, 1e6);
        let common = known.pattern_with(&pattern("Bb5"), all, |_| panic!("it is common"));
        assert!((0.4..0.8).contains(&common), "{common}");
        let unknown = Column::new(|| None, 1.0, 1e6);
        near(unknown.pattern_with(&rare, all, |_| None), UNKNOWN_PATTERN);
        for column in [known, unknown] {
            near(column.pattern_with(&rare, all, |_| found(true)), 0.0002);
            let some = column.pattern_with(&rare, all, |_| found(false));
            assert!((0.0001..0.0003).contains(&some), "{some}");
        }
    }

    #[test]
    fn a_column_never_analyzed() {
        let column = Column::new(|| None, 1.0, 0.0);
        assert!(column.opening(game("1. e4").view()).is_none() && !column.is_known());
        let share = |board: &Board| column.board(board, Matching::Position, u32::MAX);
        let late = game("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6").view().board_at(6).unwrap().unwrap();
        assert!(share(&Board::default()) > share(&late) && share(&late) > 0.0);
        assert!(column.material(Material::read("KvK").unwrap(), u32::MAX) > 0.0 && column.mean_plies().is_none());
    }

    #[test]
    fn statistics_are_read_when_they_are_needed() {
        let read = Rc::new(Cell::new(0));
        let times = read.clone();
        let read_once = move || {
            times.set(times.get() + 1);
            Some(Rc::new(sample(&games(), 100, true)))
        };
        let column = Column::new(read_once, 0.5, 200.0);
        near(column.part_within(&Board::default(), Matching::Position, u32::MAX, || None) * column.not_null(), 0.5);
        assert_eq!(read.get(), 0);
        let copy = column.clone();
        assert!(column.is_known() && copy.mean_plies().is_some());
        assert_eq!(read.get(), 1);
    }

    #[test]
    fn several_at_once() {
        near(all([0.5, 0.2, 0.9].into_iter()), 0.2);
        near(any([0.5, 0.2].into_iter()), 0.6);
        near(any([].into_iter()), 0.0);
        near(all([].into_iter()), 1.0);
    }
}
