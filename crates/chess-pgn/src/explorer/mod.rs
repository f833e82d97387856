//! The cube of popular positions: what was played in them, counted beforehand, so that the SQL function `explorer` need not
//! go through the games.
//!
//! # Exact at any moment
//!
//! A build and a refresh count the games of one snapshot and write the counts in the transaction of that snapshot. What
//! changes after it is written down by triggers in the transaction that changes it: pieces and games that come
//! (`explorer_pending`, `explorer_pending_game`), and that games were changed or have gone (`explorer_stale`). A build
//! removes what it sees of these marks and no others. So in every snapshot the games are those of the cube and those
//! that are pending, or there is a mark and the cube is not used.
//!
//! Builds and refreshes of a schema run one after the other. If one is killed, its transaction has never been.

mod count;
mod sketch;

use std::collections::HashMap;
use std::io::Write;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use chess_core::board::key::position_key;
use chess_core::search::index_keys::position_keys;
use chess_core::{Board, GameRef};
use chess_db::order::{LATEST, RATINGS};
use chess_db::schema::Schema;
use chess_db::wire::GameBytes;
use postgres::binary_copy::BinaryCopyOutIter;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::Type;
use postgres::{Client, Transaction};

use self::count::{Counter, Facts};
use self::sketch::Sketch;

/// Half-moves whose positions may be popular.
const OPENING: usize = 60;
/// Columns of `explorer_cell` in the order of the rows.
const CELL_COLUMNS: &str = "key, move, year, rating_group, speed, result, games, rated, opponents, last_played, \
    rating_sum, opponent_sum, game_id";

/// Columns of `explorer_total`.
const TOTAL_COLUMNS: &str =
    "key, move, result, games, rated, opponents, last_played, rating_sum, opponent_sum, game_id";

/// Columns of `explorer_list`.
const LIST_COLUMNS: &str = "key, rating, date";

/// The cube of a schema.
pub struct Cube<'c> {
    client: &'c mut Client,
    schema: &'c Schema,
}

impl<'c> Cube<'c> {
    /// The cube of existing tables; see [`Schema::create`]. If policies hide games from the role, reads fail from now
    /// on: otherwise counts of only some games would be published to everybody.
    pub fn new(client: &'c mut Client, schema: &'c Schema) -> Result<Cube<'c>> {
        client.batch_execute("SET row_security = off")?;
        Ok(Cube { client, schema })
    }

    /// Whether it has been built.
    pub fn exists(&mut self) -> Result<bool> {
        let query = format!("SELECT EXISTS (SELECT FROM {}.explorer_build)", self.schema.quoted);
        Ok(self.client.query_one(&query, &[])?.get(0))
    }

    /// Counts everything: positions that at least `least` games reach. Returns what to tell the user.
    pub fn build(&mut self, least: u16) -> Result<String> {
        let start = Instant::now();
        self.locked(|cube| cube.build_locked(least, start))
    }

    /// Counts the games that have come since; everything, if games have changed.
    pub fn refresh(&mut self) -> Result<String> {
        let start = Instant::now();
        self.locked(|cube| {
            let schema = &cube.schema.quoted;
            let state =
                format!("SELECT least, EXISTS (SELECT FROM {schema}.explorer_stale) FROM {schema}.explorer_build");
            let Some(row) = cube.client.query_opt(&state, &[])? else {
                bail!("schema {} has no counts yet: chess-pgn explorer build", cube.schema.name);
            };
            if row.get(1) {
                let least: i32 = row.get(0);
                return cube.build_locked(u16::try_from(least)?, start);
            }
            cube.refresh_locked(start)
        })
    }

    /// Removes the counts, and the triggers that kept them right.
    pub fn remove(&mut self) -> Result<()> {
        self.locked(|cube| {
            let schema = &cube.schema.quoted;
            cube.client.batch_execute("SET client_min_messages = warning")?;
            // What nobody keeps right any more must not be there.
            let counts = TABLES.map(|table| format!("DELETE FROM {schema}.explorer_{table}; ")).concat();
            cube.client.batch_execute(&format!("BEGIN; {counts}COMMIT"))?;
            for (table, triggers) in TRIGGERS {
                let drop = |(name, ..): &Trigger| format!("DROP TRIGGER IF EXISTS {name} ON {schema}.{table}; ");
                let script: String = triggers.iter().map(drop).collect();
                cube.client.batch_execute(&format!("BEGIN; {script}COMMIT"))?;
            }
            // Until the last of them had gone, the others went on writing.
            Ok(cube.client.batch_execute(&format!("BEGIN; {counts}COMMIT"))?)
        })
    }

    /// Compares so many positions with the games: how many were compared, and the boards that differ.
    pub fn check(&mut self, positions: u32) -> Result<(i64, Vec<String>)> {
        if !self.exists()? {
            bail!("schema {} has no counts yet: chess-pgn explorer build", self.schema.name);
        }
        let schema = &self.schema.quoted;
        // One statement, one snapshot.
        let answer = |cube| {
            format!(
                "(ARRAY(SELECT e::text FROM {schema}.explorer(p.board, cube => {cube}, result => r.result) e ORDER BY 1), \
                 ARRAY(SELECT g.id FROM {schema}.explorer_games(p.board, sort => 'rating', cube => {cube}) g), \
                 ARRAY(SELECT g.id FROM {schema}.explorer_games(p.board, sort => 'date', cube => {cube}) g))"
            )
        };
        let query = format!(
            "SELECT pg_catalog.format('%s', p.board), {} = {} FROM \
             (SELECT board FROM {schema}.explorer_position WHERE complete ORDER BY random() LIMIT $1) p \
             CROSS JOIN LATERAL (SELECT (ARRAY[NULL, '1-0', NULL])[1 + floor(3 * random())::integer]) r (result)",
            answer(true),
            answer(false)
        );
        let rows = self.client.query(&query, &[&i64::from(positions)])?;
        let wrong = rows.iter().filter(|row| !row.get::<_, bool>(1)).map(|row| row.get(0)).collect();
        Ok((rows.len() as i64, wrong))
    }

    /// Sees to it that what happens to games from now on is written down.
    ///
    /// A trigger is made once no transaction is left that has changed its table without it; a snapshot taken after that has
    /// all of their changes. Each table has a transaction of its own: loads lock pieces before games, and whoever takes a
    /// source back games before pieces, so that to hold one while waiting for the other would be a deadlock with some.
    fn watch(&mut self) -> Result<()> {
        let schema = &self.schema.quoted;
        self.client.batch_execute("SET client_min_messages = warning")?;
        for (table, triggers) in TRIGGERS {
            let mut script = String::from("BEGIN; ");
            let mut missing = false;
            for (name, fires, rest) in triggers {
                // A or R: the first letter of what it is enabled for
                let query = format!(
                    "SELECT FROM pg_trigger WHERE tgrelid = to_regclass($1) AND tgname = $2 AND tgenabled = left('{fires}', 1)"
                );
                missing |= self.client.query_opt(&query, &[&format!("{schema}.{table}"), name])?.is_none();
                let rest = rest.replace("{schema}", schema);
                script.push_str(&format!(
                    "CREATE OR REPLACE TRIGGER {name} {rest}; \
                     ALTER TABLE {schema}.{table} ENABLE {fires} TRIGGER {name}; "
                ));
            }
            if missing {
                self.client.batch_execute(&(script + "COMMIT")).context("cannot watch the games")?;
            }
        }
        Ok(())
    }

    /// Runs while no other build or refresh of the schema does.
    fn locked<T>(&mut self, run: impl FnOnce(&mut Cube<'_>) -> Result<T>) -> Result<T> {
        // Before the snapshot of the transaction: what another one has written must be in it.
        let key: [&(dyn postgres::types::ToSql + Sync); 1] = [&self.schema.name];
        let lock = |word: &str| format!("SELECT {word}(hashtext('chess-pgn explorer'), hashtext($1))");
        if !self.client.query_one(&lock("pg_try_advisory_lock"), &key)?.get::<_, bool>(0) {
            eprintln!("another chess-pgn is counting: waiting for it");
            self.client.execute(&lock("pg_advisory_lock"), &key)?;
        }
        let done = run(self);
        let key: [&(dyn postgres::types::ToSql + Sync); 1] = [&self.schema.name];
        let unlocked = self.client.execute(&lock("pg_advisory_unlock"), &key);
        let done = done?;
        unlocked?;
        Ok(done)
    }

    fn build_locked(&mut self, least: u16, start: Instant) -> Result<String> {
        // Nobody removes the triggers meanwhile.
        self.watch()?;
        let schema = &self.schema.quoted;
        let mut transaction = snapshot(self.client)?;
        let games = format!("{schema}.games");
        // The number of counters; it need not be right.
        let estimate: f32 =
            transaction.query_one("SELECT reltuples FROM pg_class WHERE oid = to_regclass($1)", &[&games])?.get(0);
        let mut sketch = Sketch::new(if estimate > 0.0 { estimate as u64 } else { 1 << 20 }, least);
        let mut popular: HashMap<u64, Board> = HashMap::new();
        let mut keys = Vec::new();
        each_game(&mut transaction, &format!("SELECT id, game FROM {games}"), &[Type::INT8], |game, _, id| {
            keys.clear();
            position_keys(game, &mut keys).with_context(|| format!("game {id}"))?;
            for (ply, &key) in keys.iter().enumerate().take(OPENING + 1) {
                if sketch.visit(key)
                    && !popular.contains_key(&key)
                    && let Ok(board) = game.board_at(ply as u32)?
                {
                    debug_assert_eq!(position_key(&board), key);
                    popular.insert(key, board);
                }
            }
            Ok(())
        })?;
        drop(sketch);
        let mut counter = Counter::of_popular(&popular);
        drop(popular);
        let mut odd = Vec::new();
        let count = count_games(&mut transaction, &facts_query(schema, &games), &mut counter, &mut odd)?;
        let rows = counter.rows(Some(least))?;
        for table in TABLES {
            transaction.execute(&format!("DELETE FROM {schema}.explorer_{table}"), &[])?;
        }
        copy(&mut transaction, &format!("{schema}.explorer_position (key, complete, board)"), &rows.positions)?;
        copy(&mut transaction, &format!("{schema}.explorer_cell ({CELL_COLUMNS})"), &rows.cells)?;
        copy(&mut transaction, &format!("{schema}.explorer_total ({TOTAL_COLUMNS})"), &rows.totals)?;
        copy(&mut transaction, &format!("{schema}.explorer_list ({LIST_COLUMNS})"), &rows.lists)?;
        keep_odd(&mut transaction, schema, &odd)?;
        transaction.execute(
            &format!(
                "INSERT INTO {schema}.explorer_build (least, games, positions) \
                 SELECT $1, $2, count(*) FROM {schema}.explorer_position WHERE complete"
            ),
            &[&i32::from(least), &count],
        )?;
        transaction.commit()?;
        // What was replaced leaves its place; and the planner is to know the new sizes.
        for table in TABLES {
            self.client.batch_execute(&format!("VACUUM (ANALYZE) {schema}.explorer_{table}"))?;
        }
        Ok(format!(
            "{count} games counted in {:.1} s: {} positions, those that at least {least} games reach and what follows",
            start.elapsed().as_secs_f64(),
            rows.position_count
        ))
    }

    fn refresh_locked(&mut self, start: Instant) -> Result<String> {
        let schema = &self.schema.quoted;
        let mut transaction = snapshot(self.client)?;
        let pending = format!(
            "SELECT EXISTS (SELECT FROM {schema}.explorer_pending), EXISTS (SELECT FROM {schema}.explorer_pending_game)"
        );
        let pending = transaction.query_one(&pending, &[])?;
        if !pending.get::<_, bool>(0) && !pending.get::<_, bool>(1) {
            return Ok("no new games to count for the explorer".to_owned());
        }
        let query = format!("SELECT key, format('%s', board), complete FROM {schema}.explorer_position");
        let mut boards = Vec::new();
        for row in transaction.query(&query, &[])? {
            boards.push((row.get(0), count::read_board(row.get(1))?, row.get(2)));
        }
        let mut counter = Counter::of_positions(boards.into_iter());
        let mut odd = Vec::new();
        let games = format!("{schema}.explorer_pending_games");
        let count = count_games(&mut transaction, &facts_query(schema, &games), &mut counter, &mut odd)?;
        let rows = counter.rows(None)?;
        for (table, columns, rows) in [
            ("cell", CELL_COLUMNS, &rows.cells),
            ("total", TOTAL_COLUMNS, &rows.totals),
            ("list", LIST_COLUMNS, &rows.lists),
        ] {
            transaction.batch_execute(&format!(
                "CREATE TEMP TABLE new_{table} ON COMMIT DROP AS SELECT {columns} FROM {schema}.explorer_{table} \
                 WITH NO DATA"
            ))?;
            copy(&mut transaction, &format!("pg_temp.new_{table} ({columns})"), rows)?;
        }
        let sums = |names: &[&str]| {
            let each = names.iter().map(|name| format!("{name} = c.{name} + excluded.{name}"));
            each.chain(["last_played = greatest(c.last_played, excluded.last_played)".to_owned()])
                .collect::<Vec<_>>()
                .join(", ")
        };
        let sums = sums(&["games", "rated", "opponents", "rating_sum", "opponent_sum"]);
        let first = |list: &str, value: &str| {
            format!(
                "{list} = ARRAY(SELECT g.id FROM {schema}.games g WHERE g.id = ANY (c.{list} || n.{list}) \
                 ORDER BY {value} DESC, g.id DESC LIMIT 15)"
            )
        };
        let ratings = first("rating", RATINGS);
        let dates = first("date", LATEST);
        transaction.batch_execute(&format!(
            "INSERT INTO {schema}.explorer_cell AS c ({CELL_COLUMNS}) SELECT {CELL_COLUMNS} FROM pg_temp.new_cell \
             ON CONFLICT (key, move, year, rating_group, speed, result) DO UPDATE SET {sums}; \
             INSERT INTO {schema}.explorer_total AS c ({TOTAL_COLUMNS}) SELECT {TOTAL_COLUMNS} FROM pg_temp.new_total \
             ON CONFLICT (key, move, result) DO UPDATE SET {sums}; \
             UPDATE {schema}.explorer_list AS c SET {ratings}, {dates} FROM pg_temp.new_list n WHERE n.key = c.key; \
             DELETE FROM {schema}.explorer_pending; DELETE FROM {schema}.explorer_pending_game"
        ))?;
        keep_odd(&mut transaction, schema, &odd)?;
        transaction.execute(&format!("UPDATE {schema}.explorer_build SET games = games + $1"), &[&count])?;
        transaction.commit()?;
        Ok(format!("{count} new games counted for the explorer in {:.1} s", start.elapsed().as_secs_f64()))
    }
}

/// What a cube consists of, each name after `explorer_`.
const TABLES: [&str; 8] = ["build", "position", "cell", "total", "list", "pending", "pending_game", "stale"];

/// The name of a trigger, where it fires, and what follows the name.
type Trigger = (&'static str, &'static str, &'static str);

/// By table. Changes that a subscription applies fire no triggers for statements; so there is one for rows that fires only
/// there.
const TRIGGERS: [(&str, &[Trigger]); 2] = [
    (
        "pieces",
        &[
            (
                "explorer_piece_comes",
                "ALWAYS",
                "AFTER INSERT ON {schema}.pieces FOR EACH ROW EXECUTE FUNCTION {schema}.explorer_piece_comes()",
            ),
            (
                "explorer_piece_changes",
                "ALWAYS",
                "AFTER UPDATE OR DELETE ON {schema}.pieces FOR EACH ROW EXECUTE FUNCTION {schema}.explorer_piece_changes()",
            ),
            (
                "explorer_pieces_vanish",
                "ALWAYS",
                "AFTER TRUNCATE ON {schema}.pieces FOR EACH STATEMENT EXECUTE FUNCTION {schema}.explorer_piece_changes()",
            ),
        ],
    ),
    (
        "games",
        &[
            (
                "explorer_games_come",
                "ALWAYS",
                "AFTER INSERT ON {schema}.games REFERENCING NEW TABLE AS new_games FOR EACH STATEMENT \
                 EXECUTE FUNCTION {schema}.explorer_games_come()",
            ),
            (
                "explorer_games_change",
                "ALWAYS",
                "AFTER UPDATE ON {schema}.games REFERENCING OLD TABLE AS old_games NEW TABLE AS new_games \
                 FOR EACH STATEMENT EXECUTE FUNCTION {schema}.explorer_games_change()",
            ),
            (
                "explorer_games_go",
                "ALWAYS",
                "AFTER DELETE ON {schema}.games REFERENCING OLD TABLE AS old_games FOR EACH STATEMENT \
                 EXECUTE FUNCTION {schema}.explorer_games_go()",
            ),
            (
                "explorer_games_vanish",
                "ALWAYS",
                "AFTER TRUNCATE ON {schema}.games FOR EACH STATEMENT EXECUTE FUNCTION {schema}.explorer_games_go()",
            ),
            (
                "explorer_game_applied",
                "REPLICA",
                "AFTER INSERT OR UPDATE OR DELETE ON {schema}.games FOR EACH ROW \
                 EXECUTE FUNCTION {schema}.explorer_game_applied()",
            ),
        ],
    ),
];

fn snapshot(client: &mut Client) -> Result<Transaction<'_>> {
    Ok(client.build_transaction().isolation_level(postgres::IsolationLevel::RepeatableRead).start()?)
}

/// What [`Facts`] needs of each game of a table or view, id and game first.
fn facts_query(schema: &str, games: &str) -> String {
    format!(
        "SELECT id, game, {schema}.explorer_year(dates), \
         CASE WHEN {schema}.explorer_year(dates) > 0 THEN lower(dates) - date '2000-01-01' END, \
         {schema}.rating_group(white_elo, black_elo), {schema}.speed_number(time_control), \
         (CASE result WHEN '1-0' THEN 1 WHEN '0-1' THEN 2 WHEN '1/2-1/2' THEN 0 ELSE 3 END)::smallint, \
         white_elo, black_elo FROM {games}"
    )
}

/// Counts the games of a query; those whose year is none go to `odd`.
fn count_games(
    transaction: &mut Transaction<'_>,
    query: &str,
    counter: &mut Counter,
    odd: &mut Vec<i64>,
) -> Result<i64> {
    let types = [Type::INT8, Type::INT2, Type::INT4, Type::INT2, Type::INT2, Type::INT2, Type::INT4, Type::INT4];
    let mut count = 0;
    each_game(transaction, query, &types, |game, row, id| {
        let Some(year) = row.get::<Option<i16>>(2) else {
            odd.push(id);
            return Ok(());
        };
        let facts = Facts {
            id,
            year,
            day: row.get(3),
            rating_group: row.get(4),
            speed: row.get(5),
            result: row.get::<i16>(6) as u8,
            elo: [row.get(7), row.get(8)],
        };
        count += 1;
        counter.add(game, &facts).with_context(|| format!("game {id}"))
    })?;
    Ok(count)
}

/// Runs a query whose first columns are id and game; `types` are those of id and of what follows the game.
fn each_game(
    transaction: &mut Transaction<'_>,
    query: &str,
    types: &[Type],
    mut visit: impl FnMut(GameRef<'_>, &postgres::binary_copy::BinaryCopyOutRow, i64) -> Result<()>,
) -> Result<()> {
    let game_type = transaction.prepare(query)?.columns()[1].type_().clone();
    let mut all = vec![types[0].clone(), game_type];
    all.extend_from_slice(&types[1..]);
    let reader = transaction.copy_out(&format!("COPY ({query}) TO STDOUT (FORMAT binary)"))?;
    let mut rows = BinaryCopyOutIter::new(reader, &all);
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0);
        let bytes: GameBytes = row.try_get(1).with_context(|| format!("game {id}"))?;
        let game = GameRef::new(&bytes.0).with_context(|| format!("game {id}"))?;
        visit(game, &row, id)?;
    }
    Ok(())
}

fn copy(transaction: &mut Transaction<'_>, target: &str, rows: &str) -> Result<()> {
    let mut writer = transaction.copy_in(&format!("COPY {target} FROM STDIN"))?;
    writer.write_all(rows.as_bytes())?;
    writer.finish().with_context(|| format!("cannot copy into {target}"))?;
    Ok(())
}

/// Games that have no place among the years stay pending.
fn keep_odd(transaction: &mut Transaction<'_>, schema: &str, odd: &[i64]) -> Result<()> {
    transaction.execute(&format!("INSERT INTO {schema}.explorer_pending_game SELECT unnest($1::bigint[])"), &[&odd])?;
    Ok(())
}
