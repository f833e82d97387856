//! Removes twins, games that are stored twice, so that one record of each stays. In: the table `twins`, or pairs that are not
//! stored in it. Out: games that have taken over from their twins the values that they lacked; the other twins in the table
//! `twins_removed`, from which [`undo`] restores them.
//!
//! The pairs form groups, of which one game stays. Another game of the group is removed only if `twins` pairs it
//! directly with the one that stays: a short record can be paired with two different games, which are then not twins of
//! each other. Each transaction handles [`BATCH`] groups, and skips games that have changed since the search. Games to which
//! other tables refer stay: nothing could restore the rows that would go with them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use anyhow::{Context, Result, bail};
use chess_core::GameRef;
use chess_db::schema::Schema;
use clap::ValueEnum;
use postgres::{Client, Statement, Transaction};

use super::judge::Kind;
use super::shape::Shape;
use super::{Groups, Pair, store};
use crate::interrupt::Interrupt;
use crate::references;
use chess_db::wire::GameBytes;

/// The number of groups in one transaction.
const BATCH: usize = 200;

/// Which of several twins stays. `--help` shows these descriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Keep {
    /// The one with the most half-moves; among equals, the best
    Longest,
    /// The one stored last
    Newest,
    /// The one that can be replayed to its end, then the one with comments, clocks and evaluations, then the longest,
    /// then the one with the most tags
    Best,
}

/// Which twins are removed, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which game of a group stays.
    pub keep: Keep,
    /// The kinds of twins that are removed; those of other kinds stay.
    pub kinds: Vec<Kind>,
    /// The minimum score of the pairs that count.
    pub score: f32,
    /// Whether to report what would be done, and change nothing.
    pub dry_run: bool,
}

/// The result of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Done {
    /// The number of games that have stayed in place of others.
    pub kept: usize,
    /// Games that were removed.
    pub removed: usize,
    /// The number of the run, for [`undo`]; without meaning if nothing was removed.
    pub run: i32,
    /// Whether the user interrupted the run; each transaction until then is complete.
    pub interrupted: bool,
}

/// A game of a group, with what decides whether it stays.
struct Member {
    id: i64,
    game: Vec<u8>,
    whole: bool,
    annotations: i32,
    known: i32,
    /// The names of other tables that refer to it; empty if there are none.
    referring: String,
}

impl Member {
    fn plies(&self) -> u32 {
        GameRef::new(&self.game).map_or(0, GameRef::ply_count)
    }
}

/// The pairs of the table.
#[derive(Default)]
struct Pairs {
    reasons: HashMap<(i64, i64), String>,
    /// The games that each game is paired with.
    partners: HashMap<i64, Vec<i64>>,
    /// Groups of equal games. The table has only some of their pairs.
    equal: Groups,
}

impl Pairs {
    /// Selects the pairs that count, and groups the games that they connect.
    fn new(all: Vec<Pair>, options: &Options) -> (Pairs, Groups) {
        let (mut pairs, mut groups) = (Pairs::default(), Groups::default());
        let counts = |pair: &Pair| options.kinds.contains(&pair.kind) && pair.score >= options.score;
        for Pair { games: (a, b), kind, score, reason } in all.into_iter().filter(counts) {
            groups.join(a, b);
            if kind == Kind::Same {
                pairs.equal.join(a, b);
            }
            pairs.partners.entry(a).or_default().push(b);
            pairs.partners.entry(b).or_default().push(a);
            pairs.reasons.insert((a, b), format!("{}, {score}: {reason}", kind.name()));
        }
        (pairs, groups)
    }

    /// Why two games are twins.
    fn reason(&self, one: i64, other: i64) -> &str {
        let pair = (one.min(other), one.max(other));
        self.reasons.get(&pair).map_or("same: equal to another twin of it", String::as_str)
    }
}

/// The games of a group, the best first.
struct Group {
    members: Vec<Member>,
    /// Where each game is among the members.
    places: HashMap<i64, usize>,
    /// The members that are equal, by the game that stands for them.
    equal: HashMap<i64, Vec<usize>>,
}

impl Group {
    fn new(members: Vec<Member>, pairs: &mut Pairs) -> Group {
        let places = members.iter().enumerate().map(|(at, member)| (member.id, at)).collect();
        let mut equal: HashMap<i64, Vec<usize>> = HashMap::new();
        for (at, member) in members.iter().enumerate() {
            equal.entry(pairs.equal.first(member.id)).or_default().push(at);
        }
        Group { members, places, equal }
    }

    /// The twins of a member among those behind it. These are few, while the group may have thousands of games.
    fn later_twins(&self, at: usize, pairs: &mut Pairs) -> BTreeSet<usize> {
        let id = self.members[at].id;
        let equals = self.equal.get(&pairs.equal.first(id)).into_iter().flatten().copied();
        let partners = pairs.partners.get(&id).into_iter().flatten().filter_map(|id| self.places.get(id).copied());
        partners.chain(equals).filter(|other| *other > at).collect()
    }
}

/// What has become of a group.
#[derive(Default)]
struct Settled {
    /// The number of games that stay in place of others.
    kept: usize,
    /// The games that go.
    removed: HashSet<i64>,
    /// A line for each pair.
    lines: Vec<String>,
}

/// Removes twins as `options` say: those of the table, or those of `unstored` if it is given. Calls `report` with a line for
/// each.
///
/// # Errors
///
/// The server's errors. Transactions that have been committed stay.
pub fn keep(
    client: &mut Client,
    schema: &Schema,
    unstored: Option<Vec<Pair>>,
    options: &Options,
    interrupt: &Interrupt,
    mut report: impl FnMut(&str),
) -> Result<Done> {
    store::locked(client, schema, |client| {
        let table = &schema.quoted;
        let all = unstored.map_or_else(|| store::pairs(client, schema), Ok)?;
        let (mut pairs, mut groups) = Pairs::new(all, options);
        let mut members: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        for game in groups.games() {
            members.entry(groups.first(game)).or_default().push(game);
        }
        let mut done = Done::default();
        if !options.dry_run && !members.is_empty() {
            let query = "SELECT nextval($1::text::regclass)::integer";
            done.run = client.query_one(query, &[&format!("{table}.twins_runs")])?.get(0);
        }
        let groups: Vec<Vec<i64>> = members.into_values().collect();
        for batch in groups.chunks(BATCH) {
            if interrupt.wanted() {
                done.interrupted = true;
                break;
            }
            let mut transaction = client.transaction()?;
            // Functions of the extension need its schema: the search path is the user's.
            let extension = Schema::extension(&mut transaction)?;
            // Planning these takes longer than running them.
            let taking =
                transaction.prepare(&format!(include_str!("sql/take.sql"), schema = table, chess = extension))?;
            let copying = transaction.prepare(&format!(include_str!("sql/copy.sql"), schema = table))?;
            let referring =
                references::names(&mut transaction, schema, &references::OF_GAME)?.unwrap_or("''".to_owned());
            let mut keeper = Keeper { transaction, schema: table, taking, copying, referring, options, run: done.run };
            let settled = batch.iter().map(|group| keeper.settle(group, &mut pairs)).collect::<Result<Vec<_>>>()?;
            let removed: Vec<i64> = settled.iter().flat_map(|group| &group.removed).copied().collect();
            keeper.remove(&removed)?;
            match options.dry_run {
                true => keeper.transaction.rollback()?,
                false => keeper.transaction.commit()?,
            }
            done.removed += removed.len();
            for group in &settled {
                done.kept += group.kept;
                group.lines.iter().for_each(|line| report(line));
            }
        }
        Ok(done)
    })
}

struct Keeper<'a> {
    transaction: Transaction<'a>,
    schema: &'a str,
    taking: Statement,
    copying: Statement,
    /// An expression: the other tables that refer to a game.
    referring: String,
    options: &'a Options,
    run: i32,
}

impl Keeper<'_> {
    /// Decides which games of a group stay. Each of them takes over what it lacks from its twins, of which copies are made.
    fn settle(&mut self, ids: &[i64], pairs: &mut Pairs) -> Result<Settled> {
        let group = Group::new(self.ranked(ids)?, pairs);
        let mut settled = Settled::default();
        for (at, kept) in group.members.iter().enumerate() {
            if settled.removed.contains(&kept.id) {
                continue;
            }
            let before = settled.removed.len();
            for other in group.later_twins(at, pairs).into_iter().map(|at| &group.members[at]) {
                if settled.removed.contains(&other.id) {
                    continue;
                }
                let (is_removed, line) = self.replace(other, kept, pairs.reason(kept.id, other.id))?;
                if is_removed {
                    settled.removed.insert(other.id);
                }
                settled.lines.push(line);
            }
            settled.kept += usize::from(settled.removed.len() > before);
        }
        Ok(settled)
    }

    /// Puts a game in the place of its twin. Returns whether the twin can go, and a line about both.
    fn replace(&mut self, other: &Member, kept: &Member, reason: &str) -> Result<(bool, String)> {
        if !other.referring.is_empty() {
            let tables = &other.referring;
            return Ok((false, format!("games {} and {} stay: {tables} has rows for both", kept.id, other.id)));
        }
        let Some(shape) = Shape::new(GameRef::new(&kept.game)?, GameRef::new(&other.game)?)? else {
            return Ok((false, format!("games {} and {} have changed since and stay", kept.id, other.id)));
        };
        let is_equal = shape.edits == 0 && shape.more == 0;
        let taken = self.take(kept.id, other.id, shape.common, is_equal)?;
        self.transaction.execute(&self.copying, &[&other.id, &kept.id, &self.run, &reason])?;
        let taken = if taken.is_empty() { String::new() } else { format!("; takes over {}", taken.join(", ")) };
        Ok((true, format!("game {} stays, game {} goes ({reason}){taken}", kept.id, other.id)))
    }

    /// Locks the games and reads them, the best first. A game to which other tables refer stays in any case.
    fn ranked(&mut self, ids: &[i64]) -> Result<Vec<Member>> {
        let mut members = self.members(ids)?;
        members.sort_by_key(|member| {
            let rest = (member.whole, member.annotations, member.plies(), member.known);
            let first = match self.options.keep {
                Keep::Longest => i64::from(member.plies()),
                Keep::Newest => member.id,
                Keep::Best => 0,
            };
            Reverse((!member.referring.is_empty(), first, rest, Reverse(member.id)))
        });
        Ok(members)
    }

    fn members(&mut self, ids: &[i64]) -> Result<Vec<Member>> {
        let query = format!(include_str!("sql/members.sql"), schema = self.schema, referring = self.referring);
        let rows = self.transaction.query(&query, &[&ids])?;
        let member = |row: &postgres::Row| -> Result<Member> {
            Ok(Member {
                id: row.get(0),
                game: row.try_get::<_, GameBytes>(1)?.0,
                whole: row.get(2),
                annotations: row.get(3),
                known: row.get(4),
                referring: row.get(5),
            })
        };
        rows.iter().map(member).collect()
    }

    /// Copies values that the game `kept` lacks from its twin. Returns the names of the columns that have changed.
    fn take(&mut self, kept: i64, other: i64, common: u32, is_equal: bool) -> Result<Vec<String>> {
        let common = i32::try_from(common)?;
        let rows = self
            .transaction
            .query(&self.taking, &[&kept, &other, &common, &is_equal, &self.run])
            .with_context(|| format!("game {kept} cannot take over from game {other}"))?;
        let mut names: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        names.sort_unstable();
        Ok(names)
    }

    /// Deletes games and what refers to them.
    fn remove(&mut self, ids: &[i64]) -> Result<()> {
        for condition in [
            "rejected WHERE game_id = ANY ($1)",
            "analyzed_games WHERE game_id = ANY ($1)",
            "twins WHERE a = ANY ($1) OR b = ANY ($1)",
            "games WHERE id = ANY ($1)",
        ] {
            self.transaction.execute(&format!("DELETE FROM {}.{condition}", self.schema), &[&ids])?;
        }
        Ok(())
    }
}

/// Restores the games that a run has removed, by default the last one, with their rows in other tables. Takes back what the
/// remaining games had taken over, except for values that have changed since. Runs can be undone in any order: what a later run
/// has built upon is corrected in its records. Returns the number of the run, how many games are back, and how many cannot be
/// restored. Calls `report` for each of the latter.
///
/// # Errors
///
/// No run has this number, or an error of the server.
pub fn undo(
    client: &mut Client,
    schema: &Schema,
    run: Option<i32>,
    mut report: impl FnMut(&str),
) -> Result<(i32, [usize; 2])> {
    store::locked(client, schema, |client| {
        let table = &schema.quoted;
        let mut transaction = client.transaction()?;
        let query = format!("SELECT max(run) FROM {table}.twins_removed WHERE $1::integer IS NULL OR run = $1");
        let Some(run) = transaction.query_one(&query, &[&run])?.get::<_, Option<i32>>(0) else {
            match run {
                Some(run) => bail!("there is nothing of run {run} in {table}.twins_removed"),
                None => bail!("there is nothing in {table}.twins_removed"),
            }
        };
        // Values that were taken over are removed first: a unique value must be free again for the restored game.
        give_back(&mut transaction, table, run, &mut report)?;
        let counts = restore(&mut transaction, table, run, &mut report)?;
        transaction.commit()?;
        Ok((run, counts))
    })
}

/// Takes back what remaining games had taken over in a run. Reports values that have changed since.
fn give_back(transaction: &mut Transaction<'_>, schema: &str, run: i32, report: &mut impl FnMut(&str)) -> Result<()> {
    let taken =
        format!("SELECT kept_id, name, taken_from FROM {schema}.twins_taken WHERE run = $1 ORDER BY kept_id, name");
    for row in transaction.query(&taken, &[&run])? {
        let (kept, name, from): (i64, String, i64) = (row.get(0), row.get(1), row.get(2));
        let places = [
            format!(include_str!("sql/undo_in_later_run.sql"), schema = schema),
            format!(include_str!("sql/undo_in_game.sql"), schema = schema, column = Schema::new(&name).quoted),
            format!(include_str!("sql/undo_in_removed.sql"), schema = schema),
        ];
        let mut is_back = false;
        for statement in places {
            is_back = is_back || transaction.execute(&statement, &[&kept, &run, &name])? > 0;
        }
        if !is_back {
            report(&format!("game {kept} keeps {name}, which it took over from game {from}: it has changed since"));
        }
    }
    transaction.execute(&format!("DELETE FROM {schema}.twins_taken WHERE run = $1"), &[&run])?;
    Ok(())
}

/// Restores the games that a run has removed, and reports those that cannot be restored. Returns how many are back, and how many
/// are not.
fn restore(
    transaction: &mut Transaction<'_>,
    schema: &str,
    run: i32,
    report: &mut impl FnMut(&str),
) -> Result<[usize; 2]> {
    let statements = restoring(transaction, schema)?;
    let statements = statements.iter().map(|text| transaction.prepare(text)).collect::<Result<Vec<_>, _>>()?;
    let ids = format!("SELECT game_id FROM {schema}.twins_removed WHERE run = $1 ORDER BY game_id");
    let [mut back, mut away] = [0, 0];
    for row in transaction.query(&ids, &[&run])? {
        let id: i64 = row.get(0);
        let mut attempt = transaction.transaction()?;
        match statements.iter().try_for_each(|statement| attempt.execute(statement, &[&run, &id]).map(|_| ())) {
            Ok(()) => {
                attempt.commit()?;
                back += 1;
            }
            Err(error) if error.code().is_some_and(|code| code.code().starts_with("23")) => {
                attempt.rollback()?;
                away += 1;
                let reason = error.as_db_error().map_or("", |error| error.message());
                report(&format!("game {id} cannot come back: {reason}"));
            }
            Err(error) => return Err(error).with_context(|| format!("game {id}")),
        }
    }
    Ok([back, away])
}

/// The statements that restore a game and its rows in other tables, one after the other.
fn restoring(transaction: &mut Transaction<'_>, schema: &str) -> Result<Vec<String>> {
    let mut columns = |table: &str| -> Result<(String, String)> {
        let row = transaction.query_one(include_str!("sql/columns.sql"), &[&format!("{schema}.{table}")])?;
        Ok((row.get(0), row.get(1)))
    };
    let stored = |table: &str, id: &str| format!("EXISTS (SELECT FROM {schema}.{table} x WHERE x.id = r.{id})");
    let (names, values) = columns("games")?;
    let mut statements =
        vec![format!(include_str!("sql/restore_game.sql"), schema = schema, names = names, values = values)];
    for (table, of_table, condition) in [
        ("rejected", "rejected", stored("sources", "source_id")),
        ("analyzed_games", "analyzed", "true".to_owned()),
        ("twins", "pairs", format!("{} AND {}", stored("games", "a"), stored("games", "b"))),
    ] {
        let (names, values) = columns(table)?;
        statements.push(format!(
            include_str!("sql/restore_rows.sql"),
            schema = schema,
            table = table,
            names = names,
            values = values,
            stored = of_table,
            condition = condition
        ));
    }
    statements.push(format!(include_str!("sql/restore_pairs.sql"), schema = schema));
    statements.push(format!("DELETE FROM {schema}.twins_removed t WHERE t.run = $1 AND t.game_id = $2"));
    Ok(statements)
}
