//! Finds the players behind the names in games: takes the tables and perhaps a [`list`] of players; proposes merges,
//! applies them, takes them back.
//!
//! A [`Spelling`] is compared with those of the list or, without one, with the full names in the games; the [`rules`]
//! decide, from what the games say ([`seats`]), who it is. [`merges`] changes the tables, in one transaction. [`review`] is
//! the file of what was not decided.

pub mod list;
mod rules;
mod seats;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use anyhow::{Result, bail};
use chess_db::names::Names;
use chess_db::schema::Schema;
use postgres::{Client, IsolationLevel, Transaction};

use self::list::{List, Listed};
use self::rules::{Facts, Reason, Verdict};
use crate::merges::{self, Change, NameList, Options, Row};
use crate::read::hash::Hasher;
use crate::review::{self, Line};
use crate::spelling::short::Spelling;
use crate::whole::Whole;

/// What was found.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The number of players (canonical rows) with games, and of their seats: each game has two.
    pub players: (usize, u64),
    /// For each reason the number of players that it decides, and of their seats.
    pub decided: BTreeMap<String, (usize, u64)>,
    /// The number of doubtful players, and of their seats.
    pub doubtful: (usize, u64),
    /// The run that was applied.
    pub applied: Option<Applied>,
    /// The number of lines of the list that could not be read.
    pub unreadable: u64,
}

/// What a run has done.
#[derive(Debug, Default)]
pub struct Applied {
    /// Its number.
    pub run: i64,
    /// The number of rows that it changed.
    pub rows: usize,
    /// The number of spellings of the list that it inserted: no game has them.
    pub spellings: usize,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.unreadable > 0 {
            writeln!(f, "{} lines of the list could not be read and were left out", self.unreadable)?;
        }
        let share = |seats: u64| 100.0 * seats as f64 / self.players.1.max(1) as f64;
        for (reason, (players, seats)) in &self.decided {
            writeln!(f, "{players} by {reason} ({:.1} % of the games' players)", share(*seats))?;
        }
        let decided: usize = self.decided.values().map(|(players, _)| players).sum();
        let seats: u64 = self.decided.values().map(|(_, seats)| seats).sum();
        writeln!(f, "{decided} of {} names decided ({:.1} %)", self.players.0, share(seats))?;
        writeln!(f, "{} doubtful ({:.1} %)", self.doubtful.0, share(self.doubtful.1))?;
        match &self.applied {
            Some(Applied { rows: 0, spellings: 0, .. }) => write!(f, "nothing to change"),
            Some(Applied { run, rows, spellings }) => {
                write!(f, "run {run}: {rows} rows of players changed")?;
                if *spellings > 0 {
                    write!(f, ", {spellings} other spellings of them added")?;
                }
                write!(f, "; --undo takes it back")
            }
            None => write!(f, "nothing was changed: --apply does it"),
        }
    }
}

/// A player as the tables have him before the run: a canonical row and the rows that point to it.
struct Unit {
    root: i32,
    rows: Vec<i32>,
    name: String,
    fide_id: Option<i32>,
    facts: Facts,
}

/// A merge of all rows of a unit with a row of this name and FIDE id, which may have to be inserted.
struct Merge {
    unit: usize,
    name: String,
    fide_id: Option<i32>,
    reason: String,
    score: f32,
    /// The other spellings that the list has of the player.
    others: Vec<String>,
}

/// Proposes merges, and makes them if the options say so. Calls `report` for each.
///
/// # Errors
///
/// A file cannot be read or written, or the server refuses a change.
pub fn run(client: &mut Client, schema: &Schema, options: &Options, mut report: impl FnMut(&str)) -> Result<Outcome> {
    let list = options.list.as_ref().map(List::of_file).transpose()?;
    let reviewed = options.reviewed.as_deref().map(review::open).transpose()?.unwrap_or_default();
    let mut review = options.review.as_deref().map(Whole::create).transpose()?;
    // A dry run reads one snapshot. A run that changes rows must see what others have committed while it waited for
    // the lock.
    let isolation = if options.apply { IsolationLevel::ReadCommitted } else { IsolationLevel::RepeatableRead };
    let mut transaction = client.build_transaction().isolation_level(isolation).start()?;
    if options.apply {
        merges::lock(&mut transaction)?;
    }
    let rows = merges::rows(&mut transaction, schema, Names::Players)?;
    let units = units(&rows, &mut seats::facts(&mut transaction, schema)?);
    let mut merges = from_review(&units, &rows, &reviewed)?;
    let mut doubtful = Vec::new();
    let decided: HashSet<usize> = merges.iter().map(|merge| merge.unit).collect();
    let others = (0..units.len()).filter(|unit| !decided.contains(unit));
    match &list {
        Some(list) => from_list(&mut transaction, schema, list, &units, others, &mut merges, &mut doubtful)?,
        None if reviewed.is_empty() => from_games(&mut transaction, schema, &rows, &units, &mut merges, &mut doubtful)?,
        None => (),
    }
    for merge in targets(&rows, &units, &mut merges) {
        let listed = Listed { name: merge.name, fide_id: merge.fide_id, ..Listed::default() };
        doubtful.push(doubt(&units, merge.unit, &listed, "the canonical row is another player's"));
    }
    let mut outcome = Outcome { unreadable: list.as_ref().map_or(0, |list| list.unreadable), ..Outcome::default() };
    for unit in units.iter().filter(|unit| unit.facts.seats > 0) {
        outcome.players.0 += 1;
        outcome.players.1 += u64::from(unit.facts.seats);
    }
    for merge in &merges {
        let unit = &units[merge.unit];
        if unit.facts.seats == 0 {
            continue;
        }
        let (count, seats) = outcome.decided.entry(merge.reason.clone()).or_default();
        (*count, *seats) = (*count + 1, *seats + u64::from(unit.facts.seats));
        if unit.name != merge.name {
            let id = merge.fide_id.map(|id| format!(" ({id})")).unwrap_or_default();
            report(&format!(
                "{} = {}{id}: {}, score {:.2}, {} games",
                unit.name, merge.name, merge.reason, merge.score, unit.facts.seats
            ));
        }
    }
    let units_in_doubt: HashSet<usize> = doubtful.iter().map(|(unit, _)| *unit).collect();
    outcome.doubtful.0 = units_in_doubt.len();
    outcome.doubtful.1 = units_in_doubt.iter().map(|unit| u64::from(units[*unit].facts.seats)).sum();
    if let Some(file) = &mut review {
        doubtful.sort_by_key(|(unit, _)| (std::cmp::Reverse(units[*unit].facts.seats), *unit));
        let lines: Vec<Line> = doubtful.into_iter().map(|(_, line)| line).collect();
        review::save(&lines, file)?;
    }
    if options.apply {
        outcome.applied = Some(apply(&mut transaction, schema, rows, &units, &merges, list.as_ref())?);
        transaction.commit()?;
    }
    review::finish(review, options.apply)?;
    Ok(outcome)
}

/// What a load has merged the players by: a list, and the games and merges that were there then. Without anything new, the
/// same list would say the same again.
pub struct Mark {
    list: String,
}

impl Mark {
    /// The mark of a list.
    pub fn of_list(list: &NameList) -> Mark {
        Mark { list: hex::encode(Hasher::new(&list.bytes).of_piece()) }
    }

    /// Whether the last load with a list used this one.
    pub fn is_known(&self, client: &mut Client, schema: &Schema) -> Result<bool> {
        let query = format!("SELECT value FROM {}.info WHERE name = '{MARK}'", schema.quoted);
        let stored = client.query_opt(&query, &[])?;
        Ok(stored.is_some_and(|row| row.get::<_, &str>(0).starts_with(&self.list)))
    }

    /// Whether the players are merged by this list, and nothing has changed since.
    pub fn is_merged(&self, client: &mut Client, schema: &Schema) -> Result<bool> {
        let query = format!("SELECT value FROM {}.info WHERE name = '{MARK}'", schema.quoted);
        let now = self.now(client, schema)?;
        Ok(client.query_opt(&query, &[])?.is_some_and(|row| row.get::<_, &str>(0) == now))
    }

    /// Notes that the players are merged by this list.
    pub fn set(&self, client: &mut Client, schema: &Schema) -> Result<()> {
        let now = self.now(client, schema)?;
        let query = format!(
            "INSERT INTO {}.info (name, value) VALUES ('{MARK}', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            schema.quoted
        );
        client.execute(&query, &[&now])?;
        Ok(())
    }

    fn now(&self, client: &mut Client, schema: &Schema) -> Result<String> {
        let query = format!(
            "SELECT concat_ws(' ', $1::text, (SELECT max(id) FROM {0}.games), (SELECT max(id) FROM {0}.players), \
                    (SELECT max(id) FROM {0}.name_merges), \
                    (SELECT count(*) FROM {0}.name_merges WHERE undone_at IS NOT NULL))",
            schema.quoted
        );
        Ok(client.query_one(&query, &[&self.list])?.get(0))
    }
}

/// The row of the table `info` with [`Mark`].
const MARK: &str = "players merged by list";

/// Checks early whether a list can be used.
pub fn check_list(list: &NameList) -> Result<()> {
    List::of_file(list).map(drop)
}

/// Takes the last run back. Returns a sentence about it.
///
/// # Errors
///
/// There is none, or the server refuses it.
pub fn undo(client: &mut Client, schema: &Schema) -> Result<String> {
    let mut transaction = client.transaction()?;
    merges::lock(&mut transaction)?;
    let Some((run, done, kept)) = merges::undo(&mut transaction, schema, Names::Players)? else {
        bail!("no run of chess-pgn players is left to be undone");
    };
    transaction.commit()?;
    Ok(match kept {
        0 => format!("run {run} undone: {done} rows of players"),
        _ => format!("run {run} undone: {done} rows of players; {kept} were changed since, and stay"),
    })
}

/// Groups the rows by player, and moves the facts of the rows into the groups.
fn units(rows: &BTreeMap<i32, Row>, facts: &mut HashMap<i32, Facts>) -> Vec<Unit> {
    let mut units: BTreeMap<i32, Unit> = BTreeMap::new();
    for row in rows.values() {
        let root = row.same_as.unwrap_or(row.id);
        let unit = units.entry(root).or_insert_with(|| Unit {
            root,
            rows: Vec::new(),
            name: rows.get(&root).map_or_else(String::new, |row| row.name.clone()),
            fide_id: rows.get(&root).and_then(|row| row.fide_id),
            facts: Facts::default(),
        });
        unit.rows.push(row.id);
        unit.fide_id = unit.fide_id.or(row.fide_id);
        match facts.remove(&row.id) {
            Some(own) if unit.facts.seats == 0 => unit.facts = own,
            Some(own) => unit.facts.add(&own),
            None => (),
        }
    }
    units.into_values().collect()
}

/// The merges of a reviewed file.
fn from_review(units: &[Unit], rows: &BTreeMap<i32, Row>, lines: &[Line]) -> Result<Vec<Merge>> {
    let by_root: HashMap<i32, usize> = units.iter().enumerate().map(|(number, unit)| (unit.root, number)).collect();
    let mut merges: HashMap<usize, Merge> = HashMap::new();
    for line in lines {
        let id = line.id;
        let Some(row) = rows.get(&id).filter(|row| line.is_of(row)) else {
            bail!("there is no player {id} of the name {}: the file is of other tables", line.name);
        };
        let Some(unit) = by_root.get(&row.same_as.unwrap_or(id)).copied() else { continue };
        let merge = Merge {
            unit,
            name: line.target(rows),
            fide_id: line.fide_id,
            reason: "review".to_owned(),
            score: 1.0,
            others: Vec::new(),
        };
        if merges.insert(unit, merge).is_some() {
            bail!("player {id}, {}, is to be two players: say yes in one line only", line.name);
        }
    }
    let mut merges: Vec<_> = merges.into_values().collect();
    merges.sort_by_key(|merge| merge.unit);
    Ok(merges)
}

/// Adds what a list decides about these units, and what stays doubtful.
fn from_list(
    transaction: &mut Transaction<'_>,
    schema: &Schema,
    list: &List,
    units: &[Unit],
    asked: impl Iterator<Item = usize>,
    merges: &mut Vec<Merge>,
    doubtful: &mut Vec<(usize, Line)>,
) -> Result<()> {
    let line = |number, player: usize, reason| doubt(units, number, &list.players[player], reason);
    let mut decided: Vec<(usize, usize, Reason)> = Vec::new();
    for number in asked {
        let unit = &units[number];
        // A row without games and ids was inserted by an earlier run as a canonical row.
        if unit.facts.seats == 0 && unit.fide_id.is_none() {
            continue;
        }
        match rules::decide(list, &unit.name, unit.fide_id, &unit.facts) {
            Verdict::Is(player, reason) => {
                // If the list has two entries with one id, the first one counts.
                let player = list.players[player].fide_id.and_then(|id| list.with_id(id)).unwrap_or(player);
                decided.push((number, player, reason));
            }
            Verdict::Doubtful(players, reason) => {
                doubtful.extend(players.into_iter().map(|player| line(number, player, reason)));
            }
            Verdict::Unknown => (),
        }
    }
    keep_apart(transaction, schema, list, units, &[], decided, merges, doubtful)
}

/// A line for the review file: a unit, and the player that it may be.
fn doubt(units: &[Unit], number: usize, listed: &Listed, reason: &str) -> (usize, Line) {
    let unit = &units[number];
    let line = Line {
        apply: false,
        id: unit.root,
        name: unit.name.clone(),
        games: unit.facts.seats,
        canonical: listed.name.clone(),
        fide_id: listed.fide_id,
        reason: reason.to_owned(),
    };
    (number, line)
}

/// The players whose full names are in the games.
struct FullNames {
    players: Vec<Listed>,
    /// For each player the unit that it comes from: (unit, player).
    standing: Vec<(usize, usize)>,
    /// The other units of the same players.
    decided: Vec<(usize, usize, Reason)>,
    /// The units that have no given name.
    short: Vec<usize>,
}

/// Takes units of one full name for one player, unless FIDE ids, digits or dates tell them apart.
fn full_names(rows: &BTreeMap<i32, Row>, units: &[Unit]) -> FullNames {
    let mut alike: BTreeMap<(Vec<String>, String), Vec<usize>> = BTreeMap::new();
    let mut short = Vec::new();
    for (number, unit) in units.iter().enumerate().filter(|(_, unit)| unit.facts.seats > 0) {
        let spelling = Spelling::new(&unit.name);
        // Files tell players of one name apart by numbers: `Sokolov,And2`.
        let digits: String = unit.name.chars().filter(char::is_ascii_digit).collect();
        match spelling.has_given_name() {
            true => alike.entry((spelling.words().to_vec(), digits)).or_default().push(number),
            false if unit.fide_id.is_none() && digits.is_empty() => short.push(number),
            false => (),
        }
    }
    let (mut players, mut standing) = (Vec::new(), Vec::new());
    let mut decided = Vec::new();
    for mut of_name in alike.into_values() {
        // The unit with a FIDE id, or else with the most games, is the canonical one. Several ids are several players.
        of_name.sort_by_key(|number| {
            let unit = &units[*number];
            (unit.fide_id.is_none(), std::cmp::Reverse(unit.facts.seats), unit.root)
        });
        let ids = of_name.iter().filter(|number| units[**number].fide_id.is_some()).count();
        let first = players.len();
        for number in of_name {
            let unit = &units[number];
            let same = ids <= 1 && first < players.len() && rules::may_be(&players[first], &unit.facts);
            match players.get_mut(first).filter(|_| same) {
                Some(player) => {
                    add_ratings(player, &unit.facts);
                    decided.push((number, first, Reason::FullName));
                }
                None => {
                    let fide_id = rows.get(&unit.root).and_then(|row| row.fide_id);
                    let spellings = vec![Spelling::new(&unit.name)];
                    let mut player = Listed { name: unit.name.clone(), spellings, fide_id, ..Listed::default() };
                    add_ratings(&mut player, &unit.facts);
                    standing.push((number, players.len()));
                    players.push(player);
                }
            }
        }
    }
    FullNames { players, standing, decided, short }
}

/// Adds what the full names in the games decide about the others.
fn from_games(
    transaction: &mut Transaction<'_>,
    schema: &Schema,
    rows: &BTreeMap<i32, Row>,
    units: &[Unit],
    merges: &mut Vec<Merge>,
    doubtful: &mut Vec<(usize, Line)>,
) -> Result<()> {
    let FullNames { players, standing, mut decided, short } = full_names(rows, units);
    let list = List::of(players);
    let same_seats = same_seats(transaction, schema, units, &standing)?;
    for number in short {
        let unit = &units[number];
        // A player whom the name fits, and who played the same opponent in the same round.
        let seated = same_seats.get(&number).and_then(|players| {
            let fits = list.whom_fits(&Spelling::new(&unit.name));
            let mut both = fits.iter().map(|(player, _)| *player).filter(|player| players.contains(player));
            both.next().filter(|_| both.next().is_none())
        });
        let verdict = match seated.filter(|player| rules::may_be(&list.players[*player], &unit.facts)) {
            Some(player) => Verdict::Is(player, Reason::SameSeat),
            None => rules::decide_within(&list, &unit.name, &unit.facts),
        };
        match verdict {
            Verdict::Is(player, reason) => decided.push((number, player, reason)),
            Verdict::Doubtful(found, reason) => {
                doubtful.extend(found.into_iter().map(|player| doubt(units, number, &list.players[player], reason)));
            }
            Verdict::Unknown => (),
        }
    }
    keep_apart(transaction, schema, &list, units, &standing, decided, merges, doubtful)
}

/// Returns for each unit the players of `standing` (unit, player) that shared a seat with it, as `same_seats.sql` says.
fn same_seats(
    transaction: &mut Transaction<'_>,
    schema: &Schema,
    units: &[Unit],
    standing: &[(usize, usize)],
) -> Result<HashMap<usize, HashSet<usize>>> {
    let unit_of: HashMap<i32, usize> =
        units.iter().enumerate().flat_map(|(number, unit)| unit.rows.iter().map(move |row| (*row, number))).collect();
    let player_of: HashMap<usize, usize> = standing.iter().copied().collect();
    let mut found: HashMap<usize, HashSet<usize>> = HashMap::new();
    for rows in seats::same_seats(transaction, schema)? {
        let sharing: HashSet<usize> = rows.iter().filter_map(|row| unit_of.get(row)).copied().collect();
        let (standing, others): (Vec<usize>, Vec<usize>) =
            sharing.into_iter().partition(|unit| player_of.contains_key(unit));
        for unit in others {
            found.entry(unit).or_default().extend(standing.iter().filter_map(|unit| player_of.get(unit)));
        }
    }
    Ok(found)
}

fn add_ratings(player: &mut Listed, facts: &Facts) {
    for &(year, elo) in facts.elos.keys() {
        match player.elos.iter_mut().find(|(of, _)| *of == year) {
            Some((_, elos)) => elos.push(elo),
            None => player.elos.push((year, vec![elo])),
        }
    }
}

/// Turns decisions (unit, player, reason) into merges. If two names of one player meet in a game, at least one of them
/// belongs to somebody else: then only the surest name is merged, by its reason and its spelling, and the others become
/// doubtful. `standing` has the units that are canonical themselves, as (unit, player).
#[expect(clippy::too_many_arguments)]
fn keep_apart(
    transaction: &mut Transaction<'_>,
    schema: &Schema,
    list: &List,
    units: &[Unit],
    standing: &[(usize, usize)],
    decided: Vec<(usize, usize, Reason)>,
    merges: &mut Vec<Merge>,
    doubtful: &mut Vec<(usize, Line)>,
) -> Result<()> {
    let themselves = standing.iter().map(|(unit, player)| (*unit, *player, Reason::FideId));
    let all: Vec<_> = themselves.chain(decided.iter().copied()).collect();
    let of_rows: Vec<(i32, i32)> =
        all.iter().flat_map(|(unit, player, _)| units[*unit].rows.iter().map(|row| (*row, *player as i32))).collect();
    let meet = seats::meet_themselves(transaction, schema, &of_rows)?;
    let sure = |unit: usize, player: usize, reason: Reason| {
        (reason, Spelling::new(&units[unit].name).words() != Spelling::new(&list.players[player].name).words())
    };
    let mut surest: HashMap<usize, ((Reason, bool), usize)> = HashMap::new();
    for &(unit, player, reason) in all.iter().filter(|(_, player, _)| meet.contains(&(*player as i32))) {
        let own = sure(unit, player, reason);
        let best = surest.entry(player).or_insert((own, 0));
        if own < best.0 {
            *best = (own, 0);
        }
        best.1 += usize::from(own == best.0);
    }
    for (number, player, reason) in decided {
        let listed = &list.players[player];
        let alone = surest.get(&player).is_none_or(|best| *best == (sure(number, player, reason), 1));
        if !alone && reason != Reason::FideId {
            doubtful.push(doubt(units, number, listed, "plays against the same player"));
            continue;
        }
        merges.push(Merge {
            unit: number,
            name: listed.name.clone(),
            fide_id: listed.fide_id,
            reason: reason.text().to_owned(),
            score: reason.score(),
            others: listed.others.clone(),
        });
    }
    Ok(())
}

/// The name and the FIDE id of the canonical row of a merge, which may have to be inserted.
type Target = (String, Option<i32>);

/// Finds the canonical row of each merge. Takes out, and returns, merges whose canonical row is a spelling of another
/// player.
fn targets(rows: &BTreeMap<i32, Row>, units: &[Unit], merges: &mut Vec<Merge>) -> Vec<Merge> {
    let of_units = |(number, unit): (usize, &Unit)| unit.rows.iter().map(move |row| (*row, number)).collect::<Vec<_>>();
    let unit_of: HashMap<i32, usize> = units.iter().enumerate().flat_map(of_units).collect();
    let with_id: HashMap<i32, usize> =
        unit_of.iter().filter_map(|(row, unit)| Some((rows.get(row)?.fide_id?, *unit))).collect();
    let merged: HashSet<usize> = merges.iter().map(|merge| merge.unit).collect();
    for merge in merges.iter_mut() {
        // The canonical row with this id may have another spelling than the list.
        let other = merge.fide_id.and_then(|id| with_id.get(&id)).filter(|unit| !merged.contains(unit));
        if let Some(row) = other.and_then(|unit| rows.get(&units[*unit].root)) {
            (merge.name, merge.fide_id) = (row.name.clone(), row.fide_id);
        }
    }
    let by_name: HashMap<(&str, Option<i32>), i32> =
        rows.values().map(|row| ((row.name.as_str(), row.fide_id), row.id)).collect();
    let target_of: HashMap<usize, Target> =
        merges.iter().map(|merge| (merge.unit, (merge.name.clone(), merge.fide_id))).collect();
    let is_taken = |merge: &Merge| {
        let own = (merge.name.clone(), merge.fide_id);
        let Some(row) = by_name.get(&(own.0.as_str(), own.1)) else { return false };
        let Some(&owner) = unit_of.get(row).filter(|owner| **owner != merge.unit) else { return false };
        // Unless the whole other player is merged with the same row.
        target_of.get(&owner).map_or(units[owner].root != *row, |target| *target != own)
    };
    let (taken, free) = std::mem::take(merges).into_iter().partition(is_taken);
    *merges = free;
    taken
}

/// The other spellings of the players whom a list has decided, each with the canonical row of the player: those that no row
/// has, and that nobody else of the list has.
fn other_spellings<'m>(
    list: Option<&List>,
    rows: &BTreeMap<i32, Row>,
    merges: &'m [Merge],
    targets: &[i32],
) -> Vec<(&'m str, i32)> {
    let known: HashSet<&str> = rows.values().map(|row| row.name.as_str()).collect();
    let mut found: BTreeMap<&str, i32> = BTreeMap::new();
    for (merge, target) in merges.iter().zip(targets) {
        found.extend(merge.others.iter().map(|name| (name.as_str(), *target)));
    }
    let mut players: HashMap<&str, usize> = HashMap::new();
    for player in list.iter().flat_map(|list| &list.players) {
        let mut names: Vec<&str> = player.others.iter().chain([&player.name]).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            *players.entry(name).or_default() += 1;
        }
    }
    found.retain(|name, _| !known.contains(name) && players.get(name) == Some(&1));
    found.into_iter().collect()
}

/// Makes merges, and inserts the spellings that a list has besides.
fn apply(
    transaction: &mut Transaction<'_>,
    schema: &Schema,
    mut rows: BTreeMap<i32, Row>,
    units: &[Unit],
    merges: &[Merge],
    list: Option<&List>,
) -> Result<Applied> {
    let wanted: Vec<(&str, Option<i32>)> = merges.iter().map(|merge| (merge.name.as_str(), merge.fide_id)).collect();
    let (targets, new) = merges::insert(transaction, schema, Names::Players, &wanted)?;
    // Rows that were just inserted point to nobody.
    for (id, merge) in targets.iter().zip(merges) {
        let row = || Row { id: *id, name: merge.name.clone(), fide_id: merge.fide_id, same_as: None };
        rows.entry(*id).or_insert_with(row);
    }
    let mut changes = Vec::new();
    for (merge, target) in merges.iter().zip(&targets) {
        let mut of_unit = units[merge.unit].rows.clone();
        if !of_unit.contains(target) {
            of_unit.push(*target);
        }
        for id in of_unit {
            let same_as = Some(*target).filter(|target| *target != id);
            if rows.get(&id).is_some_and(|row| row.same_as != same_as) {
                let change = Change { id, same_as, reason: merge.reason.clone(), score: merge.score };
                changes.push(change);
            }
        }
    }
    changes.sort_by_key(|change| change.id);
    changes.dedup_by_key(|change| change.id);
    let changed = changes.len();
    let others = other_spellings(list, &rows, merges, &targets);
    let wanted: Vec<(&str, Option<i32>)> = others.iter().map(|(name, _)| (*name, None)).collect();
    let (ids, _) = merges::insert(transaction, schema, Names::Players, &wanted)?;
    for (id, (_, root)) in ids.into_iter().zip(&others) {
        let reason = merges::OTHER_SPELLING.to_owned();
        changes.push(Change { id, same_as: Some(*root), reason, score: 1.0 });
    }
    let run = merges::next_run(transaction, schema, Names::Players)?;
    if !changes.is_empty() {
        merges::change(transaction, schema, Names::Players, &rows, &changes, &new, Some(run))?;
    }
    Ok(Applied { run, rows: changed, spellings: others.len() })
}
