//! Finds games that are stored twice. In: a schema. Out: its table `twins`, a row for each pair, with the kind, a score
//! and the reasons.
//!
//! All games are read twice, sorted by the server: by their players, and by their moves as a B-tree on the game has
//! them. [`candidates`] compares neighbours; [`judge`] decides about the pairs that are left, with all that is stored of
//! both games; [`store`] writes them. Memory is bounded by the players' names and the pairs.
//!
//! After a load, only the games that no search has covered are compared, each with the games of the same players and its
//! neighbours in the B-tree, which are few. The rows of earlier runs then stay.
//!
//! The games are those of one snapshot. Runs on a schema follow each other.

mod agreement;
mod candidates;
mod judge;
pub mod keep;
mod shape;
mod store;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use chess_db::schema::Schema;
use chess_db::settings::Settings;
use clap::ValueEnum;
use postgres::Client;

use self::candidates::{ByMoves, ByPlayers, Candidates};
pub use self::judge::Kind;
use self::judge::judge;
use crate::interrupt::Interrupt;

/// Pairs that are judged with one query.
const BATCH: usize = 20_000;
/// The number of games of one group of which all pairs are listed; of larger groups, each game is listed with one other.
const LARGEST: usize = 12;

/// A pair of twins.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The ids, the smaller first.
    pub games: (i64, i64),
    /// The kind.
    pub kind: Kind,
    /// From 0 to 1.
    pub score: f32,
    /// The evidence in words.
    pub reason: String,
}

/// What a run has found.
#[derive(Debug, Default)]
pub struct Found {
    /// Games that were compared by their moves.
    games: u64,
    /// Whether only new games were compared with the others.
    only_new: bool,
    compared: usize,
    kinds: BTreeMap<Kind, usize>,
    times: [Duration; 4],
    /// The pairs that [`Search::DryRun`] has found but not stored.
    pub unstored: Option<Vec<Pair>>,
}

/// Which games are compared, and what happens to the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// All games are compared, and the pairs replace those of earlier searches.
    All,
    /// All games are compared, but nothing is stored.
    DryRun,
    /// Only the games that no search has covered are compared with the others, and the rows of earlier searches stay. If there
    /// are too many of these games, this is the same as `All`.
    New,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs: usize = self.kinds.values().sum();
        match self.only_new {
            true => write!(f, "{pairs} new pairs of twins, by a look at {} games", self.games)?,
            false => write!(f, "{pairs} pairs of twins among {} games", self.games)?,
        }
        for (at, kind) in Kind::value_variants().iter().filter(|kind| self.kinds.contains_key(kind)).enumerate() {
            let mark = if at == 0 { ": " } else { ", " };
            write!(f, "{mark}{} {}", self.kinds[kind], kind.name())?;
        }
        let [players, moves, judged, stored] = self.times.map(|time| time.as_secs_f64());
        write!(
            f,
            "\nsorted by players in {players:.1} s and by moves in {moves:.1} s, {} pairs judged in {judged:.1} s, stored \
             in {stored:.1} s",
            self.compared
        )
    }
}

/// Finds the twins of a schema.
///
/// # Errors
///
/// The server's, also if the run is interrupted or policies hide games from the role. Nothing is changed then.
pub fn search(
    settings: &Settings,
    client: &mut Client,
    schema: &Schema,
    search: Search,
    interrupt: &Interrupt,
) -> Result<Found> {
    let session: i32 = client.query_one("SELECT pg_backend_pid()", &[])?.get(0);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        // While the server sorts, nothing else would notice the interrupt.
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                if interrupt.wanted() {
                    let cancel = |mut client: Client| client.execute("SELECT pg_cancel_backend($1)", &[&session]);
                    let _ = settings.connect().map(cancel);
                    break;
                }
                thread::sleep(Duration::from_millis(50));
            }
        });
        // Also after a panic: the scope waits for its threads.
        let _end = End(&done);
        search_locked(client, schema, search, interrupt)
    })
}

/// Says that it is dropped.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn search_locked(client: &mut Client, schema: &Schema, search: Search, interrupt: &Interrupt) -> Result<Found> {
    // Pairs of only some games would be published to everybody.
    client.batch_execute("SET row_security = off")?;
    store::locked(client, schema, |client| {
        let mut found = Found::default();
        let (pairs, covered) = find(client, schema, search, interrupt, &mut found)?;
        let start = Instant::now();
        for pair in &pairs {
            *found.kinds.entry(pair.kind).or_default() += 1;
        }
        match search {
            Search::DryRun => found.unstored = Some(pairs),
            Search::All | Search::New => store::replace(client, schema, &pairs, found.only_new, covered)?,
        }
        found.times[3] = start.elapsed();
        Ok(found)
    })
}

/// Returns the pairs, and the id up to which all games are covered, as [`store::Reader::covers`] determines it.
fn find(
    client: &mut Client,
    schema: &Schema,
    search: Search,
    interrupt: &Interrupt,
    found: &mut Found,
) -> Result<(Vec<Pair>, Option<i64>)> {
    let mut reader = store::Reader::new(client, schema, interrupt)?;
    let covered = reader.covers()?;
    let after = if search == Search::New { reader.look_only_at_new()? } else { None };
    found.only_new = after.is_some();
    let mut candidates = Candidates::default();
    let start = Instant::now();
    let mut by_players = ByPlayers::default();
    reader.by_players(|row| by_players.add(row, &mut candidates))?;
    by_players.finish(&mut candidates);
    found.times[0] = start.elapsed();

    let start = Instant::now();
    let mut by_moves = ByMoves::default();
    reader.by_moves(|row| {
        found.games += 1;
        by_moves.add(row, &mut candidates);
    })?;
    by_moves.finish(&mut candidates);
    found.times[1] = start.elapsed();

    let start = Instant::now();
    let mut compared: Vec<(i64, i64)> = std::mem::take(&mut candidates.pairs).into_iter().collect();
    compared.retain(|(_, later)| after.is_none_or(|after| *later > after));
    compared.sort_unstable();
    found.compared = compared.len();
    let mut pairs = Vec::new();
    for batch in compared.chunks(BATCH) {
        let facts = reader.facts(batch, &candidates.known)?;
        for &(first, second) in batch {
            let (Some(one), Some(other)) = (facts.get(&first), facts.get(&second)) else { continue };
            let verdict = judge(one, other).with_context(|| format!("games {first} and {second}"))?;
            if let Some(verdict) = verdict {
                let judge::Verdict { kind, score, reason } = verdict;
                pairs.push(Pair { games: (first, second), kind, score, reason });
            }
        }
    }
    reader.finish()?;
    let pairs = few(pairs);
    found.times[2] = start.elapsed();
    Ok((pairs, covered))
}

/// Leaves out pairs of large groups: there, each game stays with the one that it is most certainly equal to.
fn few(mut pairs: Vec<Pair>) -> Vec<Pair> {
    let mut groups = Groups::default();
    for pair in &pairs {
        groups.join(pair.games.0, pair.games.1);
    }
    let mut sizes: HashMap<i64, usize> = HashMap::new();
    for game in groups.games() {
        *sizes.entry(groups.first(game)).or_default() += 1;
    }
    pairs.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.games.cmp(&other.games)));
    let mut joined = Groups::default();
    pairs.retain(|pair| {
        let (first, second) = pair.games;
        let is_new = joined.join(first, second);
        is_new || sizes[&groups.first(first)] <= LARGEST
    });
    pairs.sort_by_key(|pair| pair.games);
    pairs
}

/// Groups of games that are joined in pairs.
#[derive(Debug, Default)]
pub struct Groups(HashMap<i64, i64>);

impl Groups {
    /// The game that stands for the group.
    pub fn first(&mut self, game: i64) -> i64 {
        let mut first = game;
        while let Some(&next) = self.0.get(&first)
            && next != first
        {
            first = next;
        }
        // The next search is short.
        let mut at = game;
        while let Some(next) = self.0.insert(at, first)
            && next != at
        {
            at = next;
        }
        first
    }

    /// Joins the groups of two games; false if they are one already.
    pub fn join(&mut self, first: i64, second: i64) -> bool {
        let (first, second) = (self.first(first), self.first(second));
        if first != second {
            self.0.insert(first.max(second), first.min(second));
        }
        first != second
    }

    /// All games.
    pub fn games(&self) -> Vec<i64> {
        self.0.keys().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs of this number of equal games.
    fn equal(games: i64) -> Vec<Pair> {
        let pair = |games| Pair { games, kind: Kind::Same, score: 0.9, reason: String::new() };
        (1..=games).flat_map(|second| (1..second).map(move |first| pair((first, second)))).collect()
    }

    #[test]
    fn pairs_of_large_groups_are_few() {
        let largest = LARGEST as i64;
        assert_eq!(few(equal(largest)).len(), LARGEST * (LARGEST - 1) / 2);
        let mut pairs = equal(largest + 1);
        pairs[40].score = 0.95;
        let best = pairs[40].clone();
        let left = few(pairs);
        assert_eq!(left.len(), LARGEST, "each game is in a pair");
        assert!(left.contains(&best));
        let mut groups = Groups::default();
        left.iter().for_each(|pair| assert!(groups.join(pair.games.0, pair.games.1)));
        assert_eq!(few(Vec::new()), []);
    }

    #[test]
    fn groups_are_joined() {
        let mut groups = Groups::default();
        assert!(groups.join(7, 3) && groups.join(9, 8) && groups.join(3, 9));
        assert!(!groups.join(8, 7));
        assert_eq!([7, 3, 9, 8].map(|game| groups.first(game)), [3; 4]);
        assert_eq!(groups.first(5), 5);
        let mut games = groups.games();
        games.sort_unstable();
        assert_eq!(games, [3, 5, 7, 8, 9]);
    }
}
