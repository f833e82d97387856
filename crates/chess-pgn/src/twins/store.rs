//! Reads games for the search for twins, and writes the table `twins`.

use std::collections::{HashMap, HashSet};

use anyhow::{Context, Result, bail};
use chess_db::locks::Lock;
use chess_db::schema::Schema;
use clap::ValueEnum;
use postgres::binary_copy::{BinaryCopyInWriter, BinaryCopyOutIter};
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::Type;
use postgres::{Client, IsolationLevel, Transaction};

use super::agreement::{Facts, Player};
use super::candidates::{NEIGHBOURS, Row};
use super::{Kind, Pair};
use crate::interrupt::Interrupt;
use crate::output::tell;
use crate::spelling::person::Person;
use chess_db::wire::GameBytes;

/// Runs while no other search for twins of the schema does.
pub fn locked<T>(client: &mut Client, schema: &Schema, run: impl FnOnce(&mut Client) -> Result<T>) -> Result<T> {
    // Removed games are stored as JSON, which must mean the same in a later session with other settings.
    // Policies that hide rows must be an error: what is hidden would be lost.
    client.batch_execute("SET row_security = off; SET datestyle = 'ISO, YMD'; SET intervalstyle = 'postgres'; SET extra_float_digits = 1")?;
    let lock = Lock::twins(&schema.name);
    if !lock.try_take(client)? {
        tell!("{}", lock.waiting(client)?);
        lock.take(client)?;
    }
    let done = run(client);
    let unlocked = lock.release(client);
    let done = done?;
    unlocked?;
    Ok(done)
}

/// Reads the games of one snapshot.
pub struct Reader<'c> {
    transaction: Transaction<'c>,
    schema: String,
    interrupt: &'c Interrupt,
    /// If only games with higher ids are compared with the others.
    after: Option<i64>,
}

/// Rows that are read to each side of a new game in the order by moves: its neighbours and theirs.
const AROUND: i64 = 2 * NEIGHBOURS as i64;

/// The days that the date of a game `g` can mean, from 2000-01-01 on. PostgreSQL does not subtract infinite dates. The day
/// on which an event began is not that of its games.
const DAYS: &str = "CASE WHEN isfinite(lower(g.dates)) AND isfinite(upper(g.dates)) \
          AND NOT (g.date IS NULL AND g.tags ? 'EventDate' AND NOT g.tags ? 'UTCDate') THEN lower(g.dates) - date '2000-01-01' END, \
     CASE WHEN isfinite(lower(g.dates)) AND isfinite(upper(g.dates)) \
          AND NOT (g.date IS NULL AND g.tags ? 'EventDate' AND NOT g.tags ? 'UTCDate') THEN upper(g.dates) - date '2000-01-01' END";

impl<'c> Reader<'c> {
    /// Begins the snapshot.
    pub fn new(client: &'c mut Client, schema: &Schema, interrupt: &'c Interrupt) -> Result<Reader<'c>> {
        let mut transaction = client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).start()?;
        // Sorting writes to disk what this does not hold.
        transaction.batch_execute(include_str!("sql/begin.sql"))?;
        let schema = schema.quoted.clone();
        let rows = transaction.query(&format!("SELECT id, coalesce(canonical, name) FROM {schema}.players"), &[])?;
        let mut writer = BinaryCopyInWriter::new(
            transaction.copy_in("COPY pg_temp.twin_names FROM STDIN (FORMAT binary)")?,
            &[Type::INT4, Type::INT8],
        );
        for row in &rows {
            let (id, name): (i32, &str) = (row.get(0), row.get(1));
            let name = Person::new(name);
            if !name.is_unknown() {
                writer.write(&[&id, &name.key()])?;
            }
        }
        writer.finish()?;
        transaction.batch_execute("ANALYZE pg_temp.twin_names")?;
        Ok(Reader { transaction, schema, interrupt, after: None })
    }

    /// Returns the id up to which a search of this snapshot covers all games: the highest one. `None` while a source is not
    /// completely loaded, because another load may later store games with lower ids.
    pub fn covers(&mut self) -> Result<Option<i64>> {
        let query = format!(
            "SELECT max(id) FROM {0}.games WHERE NOT EXISTS (SELECT FROM {0}.sources WHERE finished IS NULL)",
            self.schema
        );
        Ok(self.transaction.query_one(&query, &[])?.get(0))
    }

    /// Restricts reading to the games that no search has covered and those to compare them with, if the former are few: indexes
    /// are then faster than sorting all games. In this case, returns the highest id that is covered.
    pub fn look_only_at_new(&mut self) -> Result<Option<i64>> {
        let query = format!("SELECT value::bigint FROM {}.info WHERE name = '{COVERED}'", self.schema);
        let Some(row) = self.transaction.query_opt(&query, &[])? else { return Ok(None) };
        let after: i64 = row.get(0);
        let games = format!("{}.games", self.schema);
        let query = format!(include_str!("sql/few_are_new.sql"), games = games, around = AROUND);
        let few: Option<bool> = self.transaction.query_one(&query, &[&after, &games])?.get(0);
        self.after = Some(after).filter(|_| few == Some(true));
        if self.after.is_some() {
            self.transaction.batch_execute("CREATE INDEX ON pg_temp.twin_names (key)")?;
        }
        Ok(self.after)
    }

    /// All games of known players, sorted by these.
    pub fn by_players(&mut self, visit: impl FnMut(Row)) -> Result<()> {
        let of_new = self.after.map_or(String::new(), |after| {
            format!(
                "AND (w.key, b.key) IN (SELECT w.key, b.key FROM {}.games n JOIN pg_temp.twin_names w ON w.id = n.white_id \
                 JOIN pg_temp.twin_names b ON b.id = n.black_id WHERE n.id > {after})",
                self.schema
            )
        });
        self.each(
            &format!(
                "SELECT g.id, g.game, w.key, b.key, {DAYS} FROM {}.games g \
                 JOIN pg_temp.twin_names w ON w.id = g.white_id JOIN pg_temp.twin_names b ON b.id = g.black_id \
                 WHERE g.game IS NOT NULL {of_new} ORDER BY w.key, b.key",
                self.schema
            ),
            visit,
        )
    }

    /// All games, sorted by their moves.
    pub fn by_moves(&mut self, visit: impl FnMut(Row)) -> Result<()> {
        let chess = Schema::extension(&mut self.transaction)?;
        let near_new = self.after.map_or(String::new(), |after| {
            format!(
                include_str!("sql/near_new.sql"),
                schema = self.schema,
                chess = chess,
                around = AROUND,
                after = after
            )
        });
        self.each(
            &format!(
                "SELECT g.id, g.game, w.key, b.key, NULL::integer, NULL::integer FROM {}.games g \
                 LEFT JOIN pg_temp.twin_names w ON w.id = g.white_id LEFT JOIN pg_temp.twin_names b ON b.id = g.black_id \
                 WHERE g.game IS NOT NULL {near_new} ORDER BY g.game",
                self.schema
            ),
            visit,
        )
    }

    fn each(&mut self, query: &str, mut visit: impl FnMut(Row)) -> Result<()> {
        let game_type = self.transaction.prepare(query)?.columns()[1].type_().clone();
        let types = [Type::INT8, game_type, Type::INT8, Type::INT8, Type::INT4, Type::INT4];
        let reader = self.transaction.copy_out(&format!("COPY ({query}) TO STDOUT (FORMAT binary)"))?;
        let mut rows = BinaryCopyOutIter::new(reader, &types);
        while let Some(row) = rows.next()? {
            if self.interrupt.wanted() {
                bail!("interrupted");
            }
            let id: i64 = row.get(0);
            let game = row.try_get::<GameBytes>(1).with_context(|| format!("game {id}"))?.0;
            let players = row.get::<Option<i64>>(2).zip(row.get(3));
            visit(Row { id, game, players, days: row.get::<Option<i32>>(4).zip(row.get(5)) });
        }
        Ok(())
    }

    /// What is stored of the games of these pairs.
    pub fn facts(&mut self, pairs: &[(i64, i64)], known: &HashMap<i64, u32>) -> Result<HashMap<i64, Facts>> {
        if self.interrupt.wanted() {
            bail!("interrupted");
        }
        let ids: HashSet<i64> = pairs.iter().flat_map(|&(first, second)| [first, second]).collect();
        let ids: Vec<i64> = ids.into_iter().collect();
        let query = format!(include_str!("sql/facts.sql"), days = DAYS, schema = self.schema);
        let mut facts = HashMap::with_capacity(ids.len());
        for row in self.transaction.query(&query, &[&ids])? {
            let id: i64 = row.get(0);
            let game = row.try_get::<_, GameBytes>(1).with_context(|| format!("game {id}"))?.0;
            let player = |at: usize| Player {
                name: Person::new(row.get::<_, Option<&str>>(at).unwrap_or_default()),
                number: row.get(at + 1),
                fide_id: row.get(at + 2),
            };
            facts.insert(
                id,
                Facts {
                    game,
                    players: [player(2), player(5)],
                    days: row.get::<_, Option<i32>>(8).zip(row.get(9)),
                    event: row.get(10),
                    site: row.get(11),
                    round: row.get(12),
                    result: row.get(13),
                    time: row.get(14),
                    address: row.get(15),
                    // Rows of users may have arrays of two dimensions.
                    clocks: row.try_get(16).unwrap_or_default(),
                    known: known.get(&id).copied().unwrap_or_default(),
                },
            );
        }
        Ok(facts)
    }

    /// Ends the snapshot.
    pub fn finish(self) -> Result<()> {
        Ok(self.transaction.commit()?)
    }
}

/// The name of the row in the table `info` that holds the highest id that a search has covered.
const COVERED: &str = "twins searched up to game";

/// Replaces the rows of the table, or adds to them, and stores the id up to which games are covered. Leaves out pairs of which a
/// game has been deleted meanwhile.
pub fn replace(
    client: &mut Client,
    schema: &Schema,
    pairs: &[Pair],
    keep_rows: bool,
    covered: Option<i64>,
) -> Result<()> {
    let schema = &schema.quoted;
    let mut transaction = client.transaction()?;
    transaction.batch_execute(&format!(
        "CREATE TEMP TABLE new_twins ON COMMIT DROP AS SELECT a, b, kind, score, reason FROM {schema}.twins WITH NO DATA; \
         DELETE FROM {schema}.twins WHERE NOT {keep_rows}"
    ))?;
    let mut writer = BinaryCopyInWriter::new(
        transaction.copy_in("COPY pg_temp.new_twins FROM STDIN (FORMAT binary)")?,
        &[Type::INT8, Type::INT8, Type::TEXT, Type::FLOAT4, Type::TEXT],
    );
    for pair in pairs {
        writer.write(&[&pair.games.0, &pair.games.1, &pair.kind.name(), &pair.score, &pair.reason])?;
    }
    writer.finish()?;
    transaction.batch_execute(&format!(include_str!("sql/insert.sql"), schema = schema))?;
    let note = format!(
        "INSERT INTO {schema}.info (name, value) SELECT '{COVERED}', $1::bigint::text WHERE $1 IS NOT NULL \
         ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    );
    transaction.execute(&note, &[&covered])?;
    Ok(transaction.commit()?)
}

/// Returns the pairs that the table holds.
pub fn pairs(client: &mut Client, schema: &Schema) -> Result<Vec<Pair>> {
    let query = format!("SELECT a, b, kind, score, reason FROM {}.twins", schema.quoted);
    let pair = |row: &postgres::Row| {
        let kind = Kind::value_variants().iter().find(|kind| kind.name() == row.get::<_, &str>(2))?;
        Some(Pair { games: (row.get(0), row.get(1)), kind: *kind, score: row.get(3), reason: row.get(4) })
    };
    Ok(client.query(&query, &[])?.iter().filter_map(pair).collect())
}
