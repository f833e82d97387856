//! Makes a book: games and their results come in, the bytes of a book go out.
//!
//! The entries are those of Polyglot's own `make-book`: the weight of a move is two points for each game that the side
//! to move has won and one for each other game that it has not lost. Games without a result count as draws, and a move
//! that a game plays twice in one position counts twice. Moves without a point are left out.
//!
//! # Large weights
//!
//! A weight has 16 bits. Whenever a move has been counted 16,384 times, the counts of all moves of its position are
//! halved and rounded up. So the weights of popular positions depend on the order of the games.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};
use chess_core::GameRef;
use chess_core::board::key::book_key;
use chess_core::facts::moves::each_legal;
use chess_core::game::legality::Position;
use chess_core::text::{one_move, polyglot_moves};
use chess_db::schema::Schema;
use chess_db::wire::GameBytes;
use postgres::Client;
use postgres::fallible_iterator::FallibleIterator;

use super::{ENTRY_LEN, Entry};
use crate::export::Selection;
use crate::whole::Whole;

/// Counts of games are halved when one reaches this.
const MOST: u32 = 16_384;

/// What goes into a book.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The least number of games that play a move.
    pub games: u32,
    /// The number of half-moves of each game that are counted.
    pub plies: u32,
    /// Only the moves of this side: 0 is White, 1 Black.
    pub color: Option<u8>,
}

/// Makes a book of the selected games. Returns its bytes and the number of games.
///
/// # Errors
///
/// Errors of the server, or a game that does not decode.
pub fn make(
    client: &mut Client,
    schema: &Schema,
    selection: &Selection<'_>,
    options: Options,
) -> Result<(Vec<u8>, u64)> {
    let query = selection.query(schema, "game, result, id");
    let mut rows = client.query_raw::<_, &str, _>(&query, []).map_err(|error| selection.refused(&query, error))?;
    let mut counts = Counts::default();
    let mut games = 0;
    while let Some(row) = rows.next().map_err(|error| selection.refused(&query, error))? {
        let Some(GameBytes(bytes)) = row.try_get(0)? else { continue };
        let result: Option<&str> = row.try_get(1)?;
        let game = GameRef::new(&bytes).and_then(|game| counts.add(game, result.unwrap_or("*"), options.plies));
        game.with_context(|| format!("game {} does not decode", row.get::<_, Option<i64>>(2).unwrap_or_default()))?;
        games += 1;
    }
    let bytes = counts.entries(options).into_iter().flat_map(Entry::to_bytes).collect();
    Ok((bytes, games))
}

/// Writes a book, and returns the number of its entries.
///
/// # Errors
///
/// The file cannot be written, or the book has no entries.
pub fn write(file: &Path, book: &[u8]) -> Result<usize> {
    if book.is_empty() {
        bail!("no move is played by as many games: {} is not written", file.display());
    }
    let mut out = Whole::create(file)?;
    out.write_all(book)?;
    out.finish()?;
    Ok(book.len() / ENTRY_LEN)
}

/// Counts of the moves of positions.
#[derive(Default)]
struct Counts(HashMap<(u64, u16), Count, BuildHasherDefault<KeyHasher>>);

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    games: u32,
    /// Of the side that moves: 2 for a win, 1 for a draw.
    points: u32,
    turn: u8,
}

impl Counts {
    /// Counts the first half-moves of a game.
    fn add(&mut self, game: GameRef<'_>, result: &str, plies: u32) -> Result<(), chess_core::CorruptGame> {
        let beginning;
        let game = if game.ply_count() > plies {
            beginning = game.first_moves(plies)?;
            beginning.view()
        } else {
            game
        };
        let white = match result {
            "1-0" => 2,
            "0-1" => 0,
            _ => 1,
        };
        game.decode(|position, step| {
            let Some(step) = step else { return };
            let turn = position.turn();
            let key = book_key(&position.board(0, 0));
            let count = self.0.entry((key, polyglot_moves::code(position, step))).or_default();
            count.turn = turn;
            count.games += 1;
            count.points += if turn == 0 { white } else { 2 - white };
            if count.games >= MOST {
                self.halve(key, position);
            }
        })
    }

    #[cold]
    fn halve(&mut self, key: u64, position: &Position<'_>) {
        let mut halve = |played: &str| {
            let Ok(step) = one_move::read_uci(position, played) else { return };
            if let Some(count) = self.0.get_mut(&(key, polyglot_moves::code(position, step))) {
                *count = Count { games: count.games.div_ceil(2), points: count.points.div_ceil(2), ..*count };
            }
        };
        // The board is legal, because a game has it.
        let _ = each_legal(&position.board(0, 0), |details| halve(&details.uci));
    }

    /// The entries, by key, those of a position by weight.
    fn entries(self, options: Options) -> Vec<Entry> {
        let is_kept = |count: &Count| {
            count.games >= options.games && count.points > 0 && options.color.is_none_or(|color| color == count.turn)
        };
        let counts = self.0.into_iter().filter(|(_, count)| is_kept(count));
        let weight = |count: Count| u16::try_from(count.points).unwrap_or(u16::MAX);
        let mut entries: Vec<Entry> =
            counts.map(|((key, code), count)| Entry { key, code, weight: weight(count), learn: 0 }).collect();
        entries.sort_unstable_by_key(|entry| (entry.key, u16::MAX - entry.weight, entry.code));
        entries
    }
}

/// Keys of positions are hashes already.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u16((*byte).into()));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 ^= key;
    }

    fn write_u16(&mut self, code: u16) {
        self.0 = self.0.wrapping_add(u64::from(code)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use chess_core::text::movetext;

    use super::*;

    const ALL: Options = Options { games: 1, plies: 1024, color: None };

    fn book(games: &[(&str, &str, u32)], options: Options) -> Vec<(u64, u16, u16)> {
        let mut counts = Counts::default();
        for (text, result, times) in games {
            let game = movetext::read(text).unwrap();
            (0..*times).for_each(|_| counts.add(game.view(), result, options.plies).unwrap());
        }
        counts.entries(options).iter().map(|entry| (entry.key, entry.code, entry.weight)).collect()
    }

    const START: u64 = 0x463b_9618_1691_fc9c;
    const E4: u64 = 0x823c_9b50_fd11_4196;

    /// What Polyglot 2.0.4 makes of the same games, without the results behind their moves.
    #[test]
    fn entries_of_polyglot() {
        let games = [
            ("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O", "1-0", 1),
            ("1. e4 c5", "*", 1),
            ("1. d4 d5", "1/2-1/2", 1),
            ("1. e4 a6 2. e5 d5 3. exd6", "1/2-1/2", 1),
        ];
        let expected = [
            (0x0844_931a_6ef4_b9a0, 0x0195, 2),
            (0x31b2_7c5e_1e2f_9f2e, 0x0ce3, 1),
            (START, 0x031c, 4),
            (START, 0x02db, 1),
            (0x50cb_6aa3_1a31_b94a, 0x0724, 1),
            (0x78cd_a70e_1783_7d9e, 0x0161, 2),
            (E4, 0x0c28, 1),
            (E4, 0x0ca2, 1),
            (0x830e_b9b2_0758_d1de, 0x0ce3, 1),
            (0x99e4_8752_9537_16c1, 0x0107, 2),
            (0xa841_8099_be43_41a9, 0x092b, 1),
        ];
        assert_eq!(book(&games, ALL), expected);
        assert_eq!(book(&games, Options { games: 2, ..ALL }), [(START, 0x031c, 4)]);
        assert_eq!(book(&games, Options { plies: 1, ..ALL }), [(START, 0x031c, 4), (START, 0x02db, 1)]);
        let black = book(&games, Options { plies: 2, color: Some(1), ..ALL });
        assert_eq!(black, [(E4, 0x0c28, 1), (E4, 0x0ca2, 1), (0x830e_b9b2_0758_d1de, 0x0ce3, 1)]);
    }

    /// All moves of a position are halved when one has been counted 16,384 times.
    #[test]
    fn popular_moves_are_halved() {
        let popular = |wins| book(&[("1. d4", "0-1", 3), ("1. c4", "1-0", 3), ("1. e4", "1-0", wins)], ALL);
        let weights = |wins| popular(wins).into_iter().map(|(_, code, weight)| (code, weight)).collect::<Vec<_>>();
        assert_eq!(weights(16_383), [(0x031c, 32_766), (0x029a, 6)]);
        assert_eq!(weights(16_384), [(0x031c, 16_384), (0x029a, 3)]);
        assert_eq!(weights(16_385), [(0x031c, 16_386), (0x029a, 3)]);
        assert_eq!(weights(16_384 + 8192), [(0x031c, 16_384), (0x029a, 2)], "again after 8,192 games");
    }
}
