//! Finds names of events and sites that are one: takes one of these tables and perhaps a [`list`]; proposes merges, applies
//! them, takes them back.
//!
//! Without a list, [`alike`] compares the names with each other. [`merges`] changes the tables, in one transaction.
//! [`review`] is the file of what was not decided.

mod alike;
mod list;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use anyhow::{Result, bail};
use chess_db::names::Names;
use chess_db::schema::Schema;
use clap::ValueEnum;
use postgres::{Client, IsolationLevel, Transaction};

use self::list::List;
use crate::merges::{self, Change, Options, Row};
use crate::review::{self, Line};
use crate::whole::Whole;

/// Whose names. `--help` shows these descriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Of {
    /// Names of events
    Events,
    /// Names of sites
    Sites,
}

impl Of {
    /// The name of the table.
    pub fn table(self) -> &'static str {
        Names::from(self).table()
    }
}

impl From<Of> for Names {
    fn from(of: Of) -> Names {
        match of {
            Of::Events => Names::Events,
            Of::Sites => Names::Sites,
        }
    }
}

/// A name in the games: a canonical row with the rows that point to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The id of the canonical row.
    pub id: i32,
    /// Its name.
    pub name: String,
    /// The number of games under all of its spellings.
    pub games: u32,
}

impl Name {
    /// A line for the review file: this name, and another one that it may be.
    fn may_be(&self, canonical: String, reason: &str) -> Line {
        Line {
            apply: false,
            id: self.id,
            name: self.name.clone(),
            games: self.games,
            canonical,
            fide_id: None,
            reason: reason.to_owned(),
        }
    }
}

/// What is decided about a name.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It stands for this name, for a reason, with a score from 0 to 1.
    Is(String, &'static str, f32),
    /// It may stand for one of these names. The text says why nothing is decided.
    Doubtful(Vec<String>, &'static str),
    /// Nothing is known about it.
    Unknown,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The number of names with games, and of these games.
    names: (usize, u64),
    /// For each reason the number of names that it decides, and of their games.
    decided: BTreeMap<&'static str, (usize, u64)>,
    /// The number of doubtful names, and of their games.
    doubtful: (usize, u64),
    /// The number of the run that was applied, and of the rows that it changed.
    applied: Option<(i64, usize)>,
    /// The number of lines of the list that could not be read.
    unreadable: u64,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.unreadable > 0 {
            writeln!(f, "{} lines of the list could not be read and were left out", self.unreadable)?;
        }
        let share = |games: u64| 100.0 * games as f64 / self.names.1.max(1) as f64;
        for (reason, (names, games)) in &self.decided {
            writeln!(f, "{names} by {reason} ({:.1} % of the games)", share(*games))?;
        }
        let decided: usize = self.decided.values().map(|(names, _)| names).sum();
        writeln!(f, "{decided} of {} names decided", self.names.0)?;
        writeln!(f, "{} doubtful ({:.1} %)", self.doubtful.0, share(self.doubtful.1))?;
        match self.applied {
            Some((_, 0)) => write!(f, "nothing to change"),
            Some((run, rows)) => write!(f, "run {run}: {rows} rows changed; --undo takes it back"),
            None => write!(f, "nothing was changed: --apply does it"),
        }
    }
}

/// A decided merge of a name with another one.
struct Merge {
    id: i32,
    into: String,
    reason: &'static str,
    score: f32,
}

/// Proposes merges, and makes them if the options say so. Calls `report` for each.
///
/// # Errors
///
/// A file cannot be read or written, or the server refuses a change.
pub fn run(
    client: &mut Client,
    schema: &Schema,
    of: Of,
    options: &Options,
    mut report: impl FnMut(&str),
) -> Result<Outcome> {
    let list = options.list.as_ref().map(|file| List::of_file(file, of)).transpose()?;
    let reviewed = options.reviewed.as_deref().map(review::open).transpose()?.unwrap_or_default();
    let mut review = options.review.as_deref().map(Whole::create).transpose()?;
    // What is shown is of one snapshot; what is changed is read again after waiting for others.
    let isolation = if options.apply { IsolationLevel::ReadCommitted } else { IsolationLevel::RepeatableRead };
    let mut transaction = client.build_transaction().isolation_level(isolation).start()?;
    if options.apply {
        merges::lock(&mut transaction)?;
    }
    let rows = merges::rows(&mut transaction, schema, of.into())?;
    let names = names(&mut transaction, schema, of, &rows)?;
    let mut outcome = Outcome { unreadable: list.as_ref().map_or(0, List::unreadable), ..Outcome::default() };
    outcome.names = (names.len(), names.iter().map(|name| u64::from(name.games)).sum());

    let mut merges = from_review(&rows, &reviewed)?;
    let decided: HashSet<i32> = merges.iter().map(|merge| merge.id).collect();
    let verdicts: Vec<Verdict> = match &list {
        Some(list) => names.iter().map(|name| list.decide(&name.name)).collect(),
        None if reviewed.is_empty() => alike::decide(&names, of),
        None => Vec::new(),
    };
    let mut doubtful: Vec<Line> = Vec::new();
    for (name, verdict) in names.iter().zip(verdicts).filter(|(name, _)| !decided.contains(&name.id)) {
        match verdict {
            Verdict::Is(into, ..) if into == name.name => (),
            Verdict::Is(into, reason, score) => merges.push(Merge { id: name.id, into, reason, score }),
            Verdict::Doubtful(others, reason) => {
                outcome.doubtful.0 += 1;
                outcome.doubtful.1 += u64::from(name.games);
                doubtful.extend(others.into_iter().map(|other| name.may_be(other, reason)));
            }
            Verdict::Unknown => (),
        }
    }
    let by_id: HashMap<i32, &Name> = names.iter().map(|name| (name.id, name)).collect();
    for merge in &merges {
        let Some(name) = by_id.get(&merge.id) else { continue };
        let (count, games) = outcome.decided.entry(merge.reason).or_default();
        (*count, *games) = (*count + 1, *games + u64::from(name.games));
        report(&format!(
            "{} = {}: {}, score {:.2}, {} games",
            name.name, merge.into, merge.reason, merge.score, name.games
        ));
    }
    if let Some(file) = &mut review {
        doubtful.sort_by_key(|line| (std::cmp::Reverse(line.games), line.id));
        review::save(&doubtful, file)?;
    }
    if options.apply {
        outcome.applied = Some(apply(&mut transaction, schema, of, &rows, &merges)?);
        transaction.commit()?;
    }
    review::finish(review, options.apply)?;
    Ok(outcome)
}

/// Takes the last run back. Returns a sentence about it.
///
/// # Errors
///
/// There is none, or the server refuses it.
pub fn undo(client: &mut Client, schema: &Schema, of: Of) -> Result<String> {
    let mut transaction = client.transaction()?;
    merges::lock(&mut transaction)?;
    let Some((run, done, kept)) = merges::undo(&mut transaction, schema, of.into())? else {
        bail!("no run of chess-pgn names {} is left to be undone", of.table());
    };
    transaction.commit()?;
    Ok(match kept {
        0 => format!("run {run} undone: {done} rows of {}", of.table()),
        _ => format!("run {run} undone: {done} rows of {}; {kept} were changed since, and stay", of.table()),
    })
}

/// The names with games, by the ids of their canonical rows. Addresses of single games are left out.
fn names(transaction: &mut Transaction<'_>, schema: &Schema, of: Of, rows: &BTreeMap<i32, Row>) -> Result<Vec<Name>> {
    let column = match of {
        Of::Events => "event_id",
        Of::Sites => "site_id",
    };
    let query = format!(
        "SELECT coalesce(n.same_as, n.id), sum(g.games)::bigint \
         FROM (SELECT {column} AS id, count(*) AS games FROM {0}.games WHERE {column} IS NOT NULL GROUP BY 1) g \
         JOIN {0}.{1} n USING (id) GROUP BY 1 ORDER BY 1",
        schema.quoted,
        of.table()
    );
    let found = transaction.query(&query, &[])?;
    let names = found.iter().filter_map(|row| {
        let (id, games): (i32, i64) = (row.get(0), row.get(1));
        let name = rows.get(&id)?.name.clone();
        Some(Name { id, name, games: u32::try_from(games).unwrap_or(u32::MAX) })
    });
    Ok(names.filter(|name| !name.name.contains("://")).collect())
}

/// The merges of a reviewed file.
fn from_review(rows: &BTreeMap<i32, Row>, lines: &[Line]) -> Result<Vec<Merge>> {
    let mut merges: BTreeMap<i32, Merge> = BTreeMap::new();
    for line in lines {
        let Some(row) = rows.get(&line.id).filter(|row| line.is_of(row)) else {
            bail!("there is no row {} of the name {}: the file is of other tables", line.id, line.name);
        };
        let id = row.same_as.unwrap_or(row.id);
        if merges.insert(id, Merge { id, into: line.target(rows), reason: "review", score: 1.0 }).is_some() {
            bail!("row {id}, {}, is to be two names: say yes in one line only", line.name);
        }
    }
    let by_name: HashMap<&str, i32> = rows.values().map(|row| (&*row.name, row.same_as.unwrap_or(row.id))).collect();
    let next = |id: i32| merges.get(&id).and_then(|merge| by_name.get(&*merge.into)).copied();
    for (&id, merge) in &merges {
        let circle = std::iter::successors(next(id), |at| next(*at)).take(merges.len()).skip(1).any(|at| at == id);
        if circle && next(id) != Some(id) {
            let name = rows.get(&id).map_or("", |row| &row.name);
            bail!("{name} is to be {}, which by other lines is to be {name}: say yes in fewer of them", merge.into);
        }
    }
    Ok(merges.into_values().collect())
}

/// Makes merges. Returns the number of the run, and how many rows it changed.
fn apply(
    transaction: &mut Transaction<'_>,
    schema: &Schema,
    of: Of,
    rows: &BTreeMap<i32, Row>,
    merges: &[Merge],
) -> Result<(i64, usize)> {
    let wanted: Vec<(&str, Option<i32>)> = merges.iter().map(|merge| (merge.into.as_str(), None)).collect();
    let (targets, new) = merges::insert(transaction, schema, of.into(), &wanted)?;
    let rows_of = |root: i32| rows.values().filter(move |row| row.id == root || row.same_as == Some(root));
    // A row that is a spelling of another name stands for that one. A name may be merged with one that is merged itself.
    let root = |id: i32| rows.get(&id).and_then(|row| row.same_as).unwrap_or(id);
    let next: HashMap<i32, i32> = merges.iter().zip(&targets).map(|(merge, target)| (merge.id, *target)).collect();
    let mut changes: BTreeMap<i32, Change> = BTreeMap::new();
    for merge in merges {
        let mut target = next[&merge.id];
        for _ in 0..next.len() {
            match next.get(&root(target)) {
                Some(&further) if root(target) != merge.id && further != target => target = further,
                _ => break,
            }
        }
        if root(target) != merge.id {
            target = root(target);
        }
        for row in rows_of(merge.id) {
            let same_as = Some(target).filter(|target| *target != row.id);
            if row.same_as != same_as {
                let change = Change { id: row.id, same_as, reason: merge.reason.to_owned(), score: merge.score };
                changes.insert(row.id, change);
            }
        }
    }
    let changes: Vec<Change> = changes.into_values().collect();
    let run = merges::next_run(transaction, schema, of.into())?;
    if !changes.is_empty() {
        merges::change(transaction, schema, of.into(), rows, &changes, &new, Some(run))?;
    }
    Ok((run, changes.len()))
}
