//! Removes twins, games that are stored twice, so that one record of each stays. In: the table `twins`. Out: games that
//! have taken over the values that they lacked and their twins had; the other twins in the table `twins_removed`, from
//! where [`undo`] restores them.
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
use super::{Groups, store};
use crate::interrupt::Interrupt;
use crate::references;
use chess_db::wire::GameBytes;

/// The number of groups in one transaction.
const BATCH: usize = 200;

/// The columns of `games` that a game `k` takes over from its twin `o`, each with its new value as SQL. An empty text stands
/// for the ordinary rule: the value of `o` where `k` has none.
const TAKEN: [(&str, &str); 17] = [
    ("event_id", ""),
    ("site_id", ""),
    ("white_id", ""),
    ("black_id", ""),
    ("white_elo", ""),
    ("black_elo", ""),
    ("round", ""),
    ("time_control", ""),
    ("eco", ""),
    (
        "date",
        "CASE WHEN k.dates IS NULL AND o.dates IS NOT NULL OR o.dates <@ k.dates AND o.dates <> k.dates THEN o.date ELSE k.date END",
    ),
    ("dates", "CASE WHEN k.dates IS NULL OR o.dates <@ k.dates THEN coalesce(o.dates, k.dates) ELSE k.dates END"),
    (
        "tags",
        "CASE WHEN jsonb_typeof(o.tags) = 'object' AND coalesce(jsonb_typeof(k.tags), 'object') = 'object' \
              THEN o.tags || coalesce(k.tags, '{}') ELSE k.tags END",
    ),
    // They have a value for each half-move; only those of the common half-moves are valid.
    ("clocks", "coalesce(k.clocks, nullif(o.clocks[1:$3], '{}'))"),
    ("evals", "coalesce(k.evals, nullif(o.evals[1:$3], '{}'))"),
    (
        "annotated",
        "CASE WHEN k.annotated IS NULL AND $4 AND k.error IS NULL AND o.error IS NULL \
                   AND (k.result = '*' OR {chess}.result(k.game) = {chess}.result(o.game)) \
              THEN o.annotated ELSE k.annotated END",
    ),
    (
        "game",
        "CASE WHEN k.result = '*' AND {chess}.result(k.game) = '*' AND o.result <> '*' \
              THEN {chess}.withresult(k.game, o.result) ELSE k.game END",
    ),
    ("result", "CASE WHEN k.result = '*' THEN o.result ELSE k.result END"),
];

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

/// Removes twins as `options` say. Calls `report` with a line for each.
///
/// # Errors
///
/// The server's errors. Transactions that have been committed stay.
pub fn keep(
    client: &mut Client,
    schema: &Schema,
    options: &Options,
    interrupt: &Interrupt,
    mut report: impl FnMut(&str),
) -> Result<Done> {
    store::locked(client, schema, |client| {
        let table = &schema.quoted;
        let kinds: Vec<&str> = options.kinds.iter().map(|kind| kind.name()).collect();
        let query =
            format!("SELECT a, b, kind, score, reason FROM {table}.twins WHERE kind = ANY ($1) AND score >= $2");
        let mut pairs = Pairs::default();
        let mut groups = Groups::default();
        for row in client.query(&query, &[&kinds, &options.score])? {
            let (a, b): (i64, i64) = (row.get(0), row.get(1));
            let (kind, score, reason): (&str, f32, &str) = (row.get(2), row.get(3), row.get(4));
            groups.join(a, b);
            if kind == Kind::Same.name() {
                pairs.equal.join(a, b);
            }
            pairs.partners.entry(a).or_default().push(b);
            pairs.partners.entry(b).or_default().push(a);
            pairs.reasons.insert((a, b), format!("{kind}, {score}: {reason}"));
        }
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
            let taking = transaction.prepare(&taking(table, &extension))?;
            let copying = transaction.prepare(&copying(table))?;
            let referring =
                references::names(&mut transaction, schema, &references::OF_GAME)?.unwrap_or("''".to_owned());
            let mut keeper = Keeper { transaction, schema: table, taking, copying, referring, options, run: done.run };
            let (mut lines, mut removed) = (Vec::new(), Vec::new());
            for group in batch {
                keeper.group(group, &mut pairs, &mut done, &mut lines, &mut removed)?;
            }
            keeper.remove(&removed)?;
            match options.dry_run {
                true => keeper.transaction.rollback()?,
                false => keeper.transaction.commit()?,
            }
            lines.iter().for_each(|line| report(line));
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
    fn group(
        &mut self,
        ids: &[i64],
        pairs: &mut Pairs,
        done: &mut Done,
        lines: &mut Vec<String>,
        removed_games: &mut Vec<i64>,
    ) -> Result<()> {
        let mut members = self.members(ids)?;
        members.sort_by_key(|member| {
            let (plies, rest) = (member.plies(), (member.whole, member.annotations, member.plies(), member.known));
            let oldest = Reverse(member.id);
            // these stay in any case
            let is_referred = !member.referring.is_empty();
            Reverse(match self.options.keep {
                Keep::Longest => (is_referred, i64::from(plies), rest, oldest),
                Keep::Newest => (is_referred, member.id, rest, oldest),
                Keep::Best => (is_referred, 0, rest, oldest),
            })
        });
        let places: HashMap<i64, usize> = members.iter().enumerate().map(|(at, member)| (member.id, at)).collect();
        let mut equal: HashMap<i64, Vec<usize>> = HashMap::new();
        for (at, member) in members.iter().enumerate() {
            equal.entry(pairs.equal.first(member.id)).or_default().push(at);
        }
        let mut gone: HashSet<i64> = HashSet::new();
        for (at, kept) in members.iter().enumerate() {
            if gone.contains(&kept.id) {
                continue;
            }
            let mut removed = 0;
            // Only these, and not the whole group, which may have thousands of games.
            let partners = pairs.partners.get(&kept.id).into_iter().flatten().filter_map(|id| places.get(id).copied());
            let equals = equal.get(&pairs.equal.first(kept.id)).into_iter().flatten().copied();
            let others: BTreeSet<usize> = partners.chain(equals).filter(|other| *other > at).collect();
            for other in others.into_iter().map(|at| &members[at]) {
                if gone.contains(&other.id) {
                    continue;
                }
                if !other.referring.is_empty() {
                    let tables = &other.referring;
                    lines.push(format!("games {} and {} stay: {tables} has rows for both", kept.id, other.id));
                    continue;
                }
                let pair = (kept.id.min(other.id), kept.id.max(other.id));
                let reason = pairs.reasons.get(&pair).map_or("same: equal to another twin of it", String::as_str);
                let view = |member: &Member| -> Result<u32> { Ok(GameRef::new(&member.game)?.ply_count()) };
                let (mine, others) = (GameRef::new(&kept.game)?, GameRef::new(&other.game)?);
                let Some(shape) = Shape::new(mine, others)? else {
                    lines.push(format!("games {} and {} have changed since and stay", kept.id, other.id));
                    continue;
                };
                let is_equal = shape.edits == 0 && view(kept)? == view(other)?;
                let taken = self.take(kept.id, other.id, shape.common, is_equal)?;
                self.copy(kept.id, other.id, reason)?;
                gone.insert(other.id);
                removed += 1;
                let taken = if taken.is_empty() { String::new() } else { format!("; takes over {}", taken.join(", ")) };
                lines.push(format!("game {} stays, game {} goes ({reason}){taken}", kept.id, other.id));
            }
            done.kept += usize::from(removed > 0);
            done.removed += removed;
        }
        removed_games.extend(gone);
        Ok(())
    }

    /// Locks the games and reads them. Games that somebody has deleted are left out.
    fn members(&mut self, ids: &[i64]) -> Result<Vec<Member>> {
        let query = format!(
            "SELECT g.id, g.game, g.error IS NULL, \
                    (g.annotated IS NOT NULL)::integer + (g.clocks IS NOT NULL)::integer + (g.evals IS NOT NULL)::integer, \
                    num_nonnulls(g.event_id, g.site_id, g.white_id, g.black_id, g.white_elo, g.black_elo, g.dates, g.round, \
                                 nullif(g.result, '*'), g.time_control, g.eco) \
                    + CASE WHEN jsonb_typeof(g.tags) = 'object' THEN (SELECT count(*)::integer FROM jsonb_object_keys(g.tags)) ELSE 0 END, \
                    {} \
             FROM {}.games g WHERE g.id = ANY ($1) AND g.game IS NOT NULL ORDER BY g.id FOR UPDATE",
            self.referring, self.schema
        );
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

    /// Copies a game to `twins_removed`, from where it can be restored.
    fn copy(&mut self, kept: i64, other: i64, reason: &str) -> Result<()> {
        self.transaction.execute(&self.copying, &[&other, &kept, &self.run, &reason])?;
        Ok(())
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

/// The statement that copies to game `$1` what it lacks and `$2` has, and returns the names of the columns that change.
fn taking(schema: &str, chess: &str) -> String {
    // A game without news is not written: its versions, which a transaction cannot remove, would pile up, and each of
    // thousands of twins would have to pass them.
    let joined = |text: &dyn Fn(&str, &str) -> String| {
        TAKEN.iter().map(|(column, value)| text(column, value)).collect::<Vec<_>>().join(", ")
    };
    format!(
        "WITH wanted AS MATERIALIZED (SELECT to_jsonb(k) AS before, {values} \
             FROM {schema}.games k, {schema}.games o WHERE k.id = $1 AND o.id = $2), \
         kept AS (UPDATE {schema}.games k SET {set} FROM wanted w \
             WHERE k.id = $1 AND ROW({old})::record *<> ROW({new})::record RETURNING w.before, to_jsonb(k) AS game), \
         changed AS (SELECT a.key AS name, nullif(b.value, 'null') AS before, a.value AS after \
             FROM kept, jsonb_each(kept.game) a JOIN jsonb_each(kept.before) b ON b.key = a.key \
             WHERE a.value <> b.value AND a.key NOT IN ('ply_count', 'facts')) \
         INSERT INTO {schema}.twins_taken AS t (kept_id, run, name, taken_from, before, after) \
         SELECT $1, $5, name, $2, before, after FROM changed \
         ON CONFLICT (run, kept_id, name) DO UPDATE SET taken_from = excluded.taken_from, after = excluded.after \
         RETURNING name",
        values = joined(&|column, value| match value {
            "" => format!("coalesce(k.{column}, o.{column}) AS {column}"),
            _ => format!("{} AS {column}", value.replace("{chess}", chess)),
        }),
        set = joined(&|column, _| format!("{column} = w.{column}")),
        old = joined(&|column, _| format!("k.{column}")),
        new = joined(&|column, _| format!("w.{column}")),
    )
}

/// The statement that copies game `$1` to `twins_removed`.
fn copying(schema: &str) -> String {
    format!(
        "INSERT INTO {schema}.twins_removed (run, game_id, kept_id, reason, game, rejected, analyzed, pairs) \
         SELECT $3, g.id, $2, $4, to_jsonb(g), \
                (SELECT jsonb_agg(to_jsonb(r)) FROM {schema}.rejected r WHERE r.game_id = g.id), \
                (SELECT jsonb_agg(to_jsonb(a)) FROM {schema}.analyzed_games a WHERE a.game_id = g.id), \
                (SELECT jsonb_agg(to_jsonb(t)) FROM {schema}.twins t WHERE t.a = g.id OR t.b = g.id) \
         FROM {schema}.games g WHERE g.id = $1"
    )
}

/// Restores the games that a run has removed, by default the last one, with their rows in other tables. Takes back what the
/// remaining games had taken over, except for values that have changed since. Runs can be undone in any order: what a
/// later run has built upon is corrected in its records. Returns the number of restored games, and calls `report` for
/// those that cannot be restored.
///
/// # Errors
///
/// No run has this number, or an error of the server.
pub fn undo(
    client: &mut Client,
    schema: &Schema,
    run: Option<i32>,
    mut report: impl FnMut(&str),
) -> Result<(i32, usize)> {
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
        let columns = |transaction: &mut Transaction<'_>, name: &str| -> Result<(String, String)> {
            let query = "SELECT string_agg(quote_ident(attname), ', '), string_agg('r.' || quote_ident(attname), ', ') \
                         FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped \
                         AND attgenerated = ''";
            let row = transaction.query_one(query, &[&format!("{table}.{name}")])?;
            Ok((row.get(0), row.get(1)))
        };
        // Values that were taken over are removed first: a unique value must be free again for the restored game.
        let taken =
            format!("SELECT kept_id, name, taken_from FROM {table}.twins_taken WHERE run = $1 ORDER BY kept_id, name");
        for row in transaction.query(&taken, &[&run])? {
            let (kept, name, from): (i64, String, i64) = (row.get(0), row.get(1), row.get(2));
            let quoted = Schema::new(&name).quoted;
            let of_run = "t.kept_id = $1 AND t.run = $2 AND t.name = $3";
            let back = [
                // a later run has added to the value: it did so to the one before
                format!(
                    "UPDATE {table}.twins_taken s SET before = t.before FROM {table}.twins_taken t \
                     WHERE {of_run} AND s.kept_id = t.kept_id AND s.name = t.name AND s.before IS NOT DISTINCT FROM t.after \
                       AND s.run = (SELECT min(n.run) FROM {table}.twins_taken n WHERE n.kept_id = $1 AND n.name = $3 AND n.run > $2)"
                ),
                format!(
                    "UPDATE {table}.games g SET {quoted} = r.{quoted} \
                     FROM {table}.twins_taken t, jsonb_populate_record(NULL::{table}.games, jsonb_build_object(t.name, t.before)) r \
                     WHERE {of_run} AND g.id = $1 AND to_jsonb(g) -> t.name = t.after"
                ),
                // a later run has removed the game
                format!(
                    "UPDATE {table}.twins_removed o SET game = o.game || jsonb_build_object(t.name, t.before) \
                     FROM {table}.twins_taken t WHERE {of_run} AND o.game_id = $1 AND o.game -> t.name = t.after"
                ),
            ];
            let mut is_back = false;
            for statement in back {
                is_back = is_back || transaction.execute(&statement, &[&kept, &run, &name])? > 0;
            }
            if !is_back {
                report(&format!("game {kept} keeps {name}, which it took over from game {from}: it has changed since"));
            }
        }
        let (names, values) = columns(&mut transaction, "games")?;
        // If the source of a game has been deleted since, the game is restored without one.
        let back = format!(
            "INSERT INTO {table}.games ({names}) OVERRIDING SYSTEM VALUE \
             SELECT {values} FROM {table}.twins_removed t, jsonb_populate_record(NULL::{table}.games, \
                 CASE WHEN EXISTS (SELECT FROM {table}.sources s WHERE s.id = (t.game ->> 'source_id')::integer) THEN t.game \
                      ELSE t.game || '{{\"source_id\": null, \"source_offset\": null}}' END) r \
             WHERE t.run = $1 AND t.game_id = $2"
        );
        // Rows whose source or other game is not there stay out.
        let of_run = "t.run = $1 AND t.game_id = $2";
        let stored =
            |column: &str, game: &str| format!("EXISTS (SELECT FROM {table}.{column} x WHERE x.id = r.{game})");
        let mut others = Vec::new();
        for (name, column, condition) in [
            ("rejected", "rejected", stored("sources", "source_id")),
            ("analyzed_games", "analyzed", "true".to_owned()),
            ("twins", "pairs", format!("{} AND {}", stored("games", "a"), stored("games", "b"))),
        ] {
            let (names, values) = columns(&mut transaction, name)?;
            others.push(format!(
                "INSERT INTO {table}.{name} ({names}) OVERRIDING SYSTEM VALUE SELECT {values} \
                 FROM {table}.twins_removed t, jsonb_populate_recordset(NULL::{table}.{name}, t.{column}) r \
                 WHERE {of_run} AND {condition} ON CONFLICT DO NOTHING"
            ));
        }
        // A pair with a game that is still away comes back with that one.
        others.push(format!(
            "UPDATE {table}.twins_removed o SET pairs = coalesce(o.pairs, '[]') || p.pair \
             FROM {table}.twins_removed t, jsonb_array_elements(t.pairs) AS p (pair) \
             WHERE {of_run} AND o.game_id <> t.game_id AND o.game_id IN ((p.pair ->> 'a')::bigint, (p.pair ->> 'b')::bigint) \
               AND NOT coalesce(o.pairs, '[]') @> jsonb_build_array(p.pair)"
        ));
        others.push(format!("DELETE FROM {table}.twins_removed t WHERE {of_run}"));
        let back = transaction.prepare(&back)?;
        let others = others.iter().map(|text| transaction.prepare(text)).collect::<Result<Vec<_>, _>>()?;
        let mut count = 0;
        let ids = format!("SELECT game_id FROM {table}.twins_removed WHERE run = $1 ORDER BY game_id");
        for row in transaction.query(&ids, &[&run])? {
            let id: i64 = row.get(0);
            let mut attempt = transaction.transaction()?;
            match attempt.execute(&back, &[&run, &id]) {
                Ok(_) => {
                    for statement in &others {
                        attempt.execute(statement, &[&run, &id])?;
                    }
                    attempt.commit()?;
                    count += 1;
                }
                Err(error) if error.code().is_some_and(|code| code.code().starts_with("23")) => {
                    attempt.rollback()?;
                    let reason = error.as_db_error().map_or("", |error| error.message());
                    report(&format!("game {id} cannot come back: {reason}"));
                }
                Err(error) => return Err(error).with_context(|| format!("game {id}")),
            }
        }
        transaction.execute(&format!("DELETE FROM {table}.twins_taken WHERE run = $1"), &[&run])?;
        transaction.commit()?;
        Ok((run, count))
    })
}
