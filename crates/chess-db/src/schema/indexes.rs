//! The indexes of the table `games`: takes a class of index of positions, names and creates the missing indexes, or replaces
//! those of GIN classes by one of the access method `chess`.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use postgres::error::SqlState;
use postgres::{Client, Row};

use super::deadlocks::{change, change_once, survive};
use super::namesakes::begins_with;
use super::{Schema, code, is_impossible};
use crate::locks::Lock;
use crate::order::{LATEST, RATINGS};

/// Indexes by name, access method and column. Those for ids, for the order of lists, of positions and of patterns follow them.
///
/// The sites of a server that gives each game an address of its own follow the order of the games, so a summary of each stretch of
/// the table finds one. The ids of lichess are in no order.
const INDEXES: [(&str, &str, &str); 6] = [
    ("games_white_id_idx", "btree", "white_id"),
    ("games_black_id_idx", "btree", "black_id"),
    ("games_event_id_idx", "btree", "event_id"),
    ("games_result_idx", "btree", "result"),
    ("games_ply_count_idx", "btree", "ply_count"),
    ("games_site_id_idx", "brin", "site_id int4_minmax_multi_ops"),
];
/// The index of ids in the tag GameId, which are in no order. Games without the tag are not in it, nor are those whose tag is no id,
/// but a text that may be too long for an index.
const GIVEN_IDS: (&str, &str, &str) =
    ("games_given_id_idx", "btree", "((tags ->> 'GameId')) WHERE length(tags ->> 'GameId') <= 20");
/// The index of ids of lichess. Games without one are not in it.
const LICHESS_IDS: (&str, &str, &str) = ("games_lichess_id_idx", "btree", "(lichess_id) WHERE lichess_id IS NOT NULL");
/// The indexes that go with a GIN index of positions. The access method finds openings itself, and takes games of any length;
/// ratings are among its attributes. Results are, too, but those that few games have are found by their index alone in less time.
const BESIDE_GIN: [(&str, &str, &str); 3] = [
    ("games_game_idx", "btree", "game"),
    ("games_white_elo_idx", "btree", "white_elo"),
    ("games_black_elo_idx", "btree", "black_elo"),
];

/// Which index of positions is created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexClass {
    /// The access method `chess`: positions, placements, openings, patterns, material.
    #[default]
    Chess,
    /// GIN: a key for each half-move.
    Gin,
}

/// The bytes of a game in an index of the access method `chess`, measured in docs/performance.md.
const CHESS_BYTES: f64 = 260.0;
/// The index of the access method.
const CHESS: &str = "games_chess_idx";
/// The index of positions by GIN.
const GIN: (&str, &str, &str) = ("games_game_gin", "gin", "game");
/// The index of days that earlier versions made. The first day is an attribute of the index of the access method, and the lists
/// find it in their own index.
const DATES: (&str, &str, &str) = ("games_dates_idx", "spgist", "dates");
/// What the index of the access method replaces: a GIN index and those beside it, one without attributes, and that of days.
const REPLACED: [(&str, &str, &str); 6] =
    [GIN, ("games_game_chess", "chess", "game"), BESIDE_GIN[0], BESIDE_GIN[1], BESIDE_GIN[2], DATES];
const NO_ACCESS_METHOD: &str =
    "this database has an extension before 0.4.0, without the access method chess: run ALTER EXTENSION chess UPDATE";

/// An index, such as one to create: its name, its access method, its columns in parentheses and a condition, if it has one.
pub type NewIndex = (&'static str, &'static str, String);

impl IndexClass {
    /// The approximate size in the index of a game of 80 half-moves, measured in docs/choosing.md.
    fn bytes_per_game(self) -> f64 {
        match self {
            IndexClass::Chess => CHESS_BYTES,
            IndexClass::Gin => 2700.0,
        }
    }
}

/// The pause between two looks whether another session still works on the indexes.
const PAUSE: Duration = Duration::from_millis(200);

impl Schema {
    /// Runs while no other session of these programs creates or drops indexes of the schema. A second one would take the
    /// unfinished index of the first for one that an interrupted session has left; and the first, which waits for all
    /// older snapshots, would wait for an ANALYZE that waits for it. Calls `report` before it waits.
    pub fn alone_with_indexes<T>(
        &self,
        client: &mut Client,
        mut report: impl FnMut(&str),
        run: impl FnOnce(&mut Client) -> Result<T>,
    ) -> Result<T> {
        let lock = Lock::indexes(&self.name);
        let mut waits = false;
        // A statement that waits for the lock has a snapshot, for whose end CREATE INDEX CONCURRENTLY waits: a deadlock.
        while !lock.try_take(client)? {
            if !std::mem::replace(&mut waits, true) {
                report(&lock.waiting(client)?);
            }
            thread::sleep(PAUSE);
        }
        let done = run(client);
        let unlocked = lock.release(client);
        let done = done?;
        unlocked?;
        Ok(done)
    }

    /// The indexes that are missing, optionally with one of positions, which takes longest and comes first. Calls `report`
    /// for existing ones, and for what else has their names. Runs within [`Schema::alone_with_indexes`].
    pub fn missing_indexes(
        &self,
        client: &mut Client,
        positions: Option<NewIndex>,
        mut report: impl FnMut(&str),
    ) -> Result<Vec<NewIndex>> {
        let is_gin = positions.as_ref().is_some_and(|(_, method, _)| *method == "gin");
        let beside = BESIDE_GIN.map(|(name, method, column)| (name, method, format!("({column})")));
        let beside = beside.into_iter().filter(|_| is_gin);
        let mut missing: Vec<_> = positions.into_iter().chain(usual()).chain(beside).collect();
        for name in self.drop_unfinished(client, &missing)? {
            report(&format!("dropped {name}, which was not finished"));
        }
        let (there, others): (Vec<_>, Vec<_>) =
            self.namesakes(client, &missing)?.into_iter().partition(|found| found.is_it);
        missing.retain(|(name, ..)| there.iter().chain(&others).all(|found| found.name != *name));
        if !there.is_empty() {
            let names: Vec<&str> = there.iter().map(|found| found.name.as_str()).collect();
            report(&format!("indexes that are there already: {}", names.join(", ")));
        }
        others.iter().for_each(|other| report(&other.in_the_way()));
        Ok(missing)
    }

    /// Creates an index, in any session, and says what has become of it: a game may be too large for it. `concurrently`, others
    /// can write meanwhile, which a partitioned table does not allow. Calls `report` after a deadlock. Another session of the
    /// caller may create another index meanwhile: their locks do not conflict.
    pub fn create_index(
        &self,
        client: &mut Client,
        index: &NewIndex,
        concurrently: bool,
        report: impl FnMut(&str),
    ) -> Result<String> {
        let start = Instant::now();
        let (name, method, _) = index;
        match self.build(client, index, if concurrently { "CONCURRENTLY" } else { "IF NOT EXISTS" }, report) {
            Ok(()) => Ok(format!("{name} ({method}) in {:.1} s", start.elapsed().as_secs_f64())),
            Err(error) if is_impossible(code(&error)) || code(&error) == Some(&SqlState::PROGRAM_LIMIT_EXCEEDED) => {
                Ok(format!("{name} ({method}) is not possible: {}", message(&error)))
            }
            Err(error) => Err(error),
        }
    }

    /// Creates an index; after a deadlock again, without what the attempt has left.
    fn build(&self, client: &mut Client, index: &NewIndex, how: &str, report: impl FnMut(&str)) -> Result<()> {
        let create = self.creation(index, how);
        survive(client, &create, report, |client| {
            self.drop_unfinished(client, std::slice::from_ref(index))?;
            change_once(client, &self.games(), &create)
        })
    }

    fn games(&self) -> String {
        format!("{}.games", self.quoted)
    }

    fn creation(&self, (name, method, columns): &NewIndex, how: &str) -> String {
        format!("CREATE INDEX {how} {name} ON {}.games USING {method} {columns}", self.quoted)
    }

    /// How an index is created while the games are in use; `None` if they are indexed on their own server.
    fn how_in_use(&self, client: &mut Client) -> Result<Option<&'static str>> {
        let kind = "SELECT relkind::text FROM pg_class WHERE oid = to_regclass($1)";
        Ok(match client.query_one(kind, &[&self.games()])?.get(0) {
            "r" => Some("CONCURRENTLY"),
            "p" => Some("IF NOT EXISTS"),
            _ => None,
        })
    }

    /// The valid indexes of positions.
    fn position_indexes(&self, client: &mut Client) -> Result<Vec<Row>> {
        Ok(client.query(include_str!("position_indexes.sql"), &[&self.games()])?)
    }

    /// The statements that create the index by which the explorer answers, if only other indexes of positions are there.
    pub fn explorer_index(&self, client: &mut Client) -> Result<Option<String>> {
        let Some(how) = self.how_in_use(client)? else { return Ok(None) };
        let wanted = self.positions_index(IndexClass::Chess);
        let there = self.position_indexes(client)?;
        if there.is_empty() || there.iter().any(|row| begins_with(row.get(4), &wanted.2)) {
            return Ok(None);
        }
        // An earlier version may have created this index with fewer columns; it must go before the new one can have its name.
        let room = self.namesakes(client, std::slice::from_ref(&wanted))?.pop().map(|found| match found.is_it {
            true => format!("DROP INDEX {}.{}; ", self.quoted, found.name),
            false => format!("{}; ", found.rename),
        });
        Ok(Some(room.unwrap_or_default() + &self.creation(&wanted, how)))
    }

    /// The indexes that a table of games should have and has not: what to say of each, and the statements that create it. Any
    /// index of positions suffices.
    pub fn lacking(&self, client: &mut Client) -> Result<Vec<(String, String)>> {
        let Some(how) = self.how_in_use(client)? else { return Ok(Vec::new()) };
        let positions = self.position_indexes(client)?.is_empty().then(|| self.positions_index(IndexClass::Chess));
        let wanted: Vec<NewIndex> = usual().into_iter().chain(positions).collect();
        let found = self.namesakes(client, &wanted)?;
        let missing = wanted.iter().filter_map(|index| {
            let create = self.creation(index, how);
            match found.iter().find(|found| found.name == index.0) {
                Some(found) if found.is_it => None,
                Some(other) => Some((other.in_the_way(), format!("{}; {create}", other.rename))),
                None => Some((format!("index {} is missing", index.0), create)),
            }
        });
        Ok(missing.collect())
    }

    /// The partitions that lack the index of positions, the largest first, each with the statement that creates it.
    /// The index on the partitioned table, which is created after them, attaches them. Empty if `games` is not partitioned or has the index.
    pub fn partition_indexes(&self, client: &mut Client, positions: &NewIndex) -> Result<Vec<(String, String)>> {
        let (index, method, columns) = positions;
        let query = "SELECT p.relid::regclass::text, quote_ident(c.relname || '_' || $2) \
                     FROM pg_partition_tree(to_regclass($1)) p JOIN pg_class c ON c.oid = p.relid \
                     WHERE p.isleaf AND p.level > 0 AND c.relkind = 'r' AND to_regclass($3) IS NULL ORDER BY c.reltuples DESC";
        let suffix = index.trim_start_matches("games_");
        let names: [&(dyn postgres::types::ToSql + Sync); 3] =
            [&self.games(), &suffix, &format!("{}.{index}", self.quoted)];
        let rows = client.query(query, &names)?;
        let statement = |row: &Row| {
            let (table, name): (String, String) = (row.get(0), row.get(1));
            let statement = format!("CREATE INDEX IF NOT EXISTS {name} ON {table} USING {method} {columns}");
            (table, statement)
        };
        Ok(rows.iter().map(statement).collect())
    }

    /// Creates the index of [`Schema::partition_indexes`] on a partition.
    pub fn index_partition(
        &self,
        client: &mut Client,
        (table, statement): &(String, String),
        report: impl FnMut(&str),
    ) -> Result<()> {
        change(client, table, statement, report)
    }

    /// The index of positions to create. Without a class, any existing index of positions suffices. Calls `report` with existing indexes and the cost of another one.
    pub fn positions(
        &self,
        client: &mut Client,
        class: Option<IndexClass>,
        mut report: impl FnMut(&str),
    ) -> Result<Option<NewIndex>> {
        let kind = class.unwrap_or_default();
        if kind == IndexClass::Chess && !has_access_method(client)? {
            bail!(NO_ACCESS_METHOD);
        }
        let wanted = self.positions_index(kind);
        let there = self.position_indexes(client)?;
        if there.is_empty() || there.iter().any(|row| row.get::<_, &str>(0) == wanted.0) {
            return Ok(Some(wanted));
        }
        let shown = |row: &Row| {
            let (name, class, size): (&str, &str, &str) = (row.get(0), row.get(1), row.get(3));
            format!("{name} ({class}, {size})")
        };
        let names = there.iter().map(shown).collect::<Vec<_>>().join(", ");
        let megabytes = there[0].get::<_, f64>(2) * kind.bytes_per_game() / (1 << 20) as f64;
        let cost = format!("about {megabytes:.0} MB more, and slower loads");
        if class.is_none() {
            report(&format!(
                "positions are indexed already: {names}; --index=chess creates another index, at the cost of {cost}"
            ));
            return Ok(None);
        }
        report(&format!(
            "index {} is created beside {names}, at the cost of {cost}: drop the one that you do not need",
            wanted.0
        ));
        Ok(Some(wanted))
    }

    /// Names the indexes of this program that an index of the access method replaces, with their size and that of the
    /// index, in megabytes; `None` if there is none, or no access method. An index of the same name that this program would make
    /// otherwise is the user's.
    pub fn replaceable(&self, client: &mut Client) -> Result<Option<Replaceable>> {
        if !has_access_method(client)? {
            return Ok(None);
        }
        let query = include_str!("replaceable_indexes.sql");
        let [names, methods, columns] =
            [REPLACED.map(|index| index.0), REPLACED.map(|index| index.1), REPLACED.map(|index| index.2)];
        let row =
            client.query_one(query, &[&self.games(), &names.as_slice(), &methods.as_slice(), &columns.as_slice()])?;
        let names: Vec<String> = row.get(0);
        let (megabytes, games): (f64, f64) = (row.get(1), row.get(2));
        let chess = self.namesakes(client, &[self.positions_index(IndexClass::Chess)])?;
        let is_there = chess.iter().any(|found| found.is_it && found.is_valid);
        let replacement = (!is_there).then_some(games * CHESS_BYTES / f64::from(1 << 20));
        Ok((!names.is_empty()).then_some(Replaceable { names, megabytes, replacement }))
    }

    /// Creates the index of the access method, unless it is there, drops the indexes that it replaces, and creates those that
    /// earlier versions did not have. On a plain table other sessions can write meanwhile. Runs within [`Schema::alone_with_indexes`].
    pub fn replace_indexes(&self, client: &mut Client, mut report: impl FnMut(&str)) -> Result<()> {
        if !has_access_method(client)? {
            bail!(NO_ACCESS_METHOD);
        }
        let (games, chess) = (self.games(), self.positions_index(IndexClass::Chess));
        self.drop_unfinished(client, std::slice::from_ref(&chess))?;
        let state = "SELECT t.relkind = 'r', c.oid IS NOT NULL, c.oid IS NULL OR coalesce(i.indrelid = t.oid \
                     AND i.indkey[0] = k.attnum AND a.amname = 'chess' AND i.indpred IS NULL, false) \
                     FROM pg_class t JOIN pg_attribute k ON k.attrelid = t.oid AND k.attname = 'game' \
                     LEFT JOIN pg_class c ON c.oid = to_regclass($2) \
                     LEFT JOIN pg_am a ON a.oid = c.relam LEFT JOIN pg_index i ON i.indexrelid = c.oid \
                     WHERE t.oid = to_regclass($1)";
        let row = client.query_one(state, &[&games, &format!("{}.{CHESS}", self.quoted)])?;
        if !row.get::<_, bool>(2) {
            bail!("{CHESS} is not an index of all games by the access method chess: rename it first");
        }
        let is_plain = row.get(0);
        let concurrently = if is_plain { "CONCURRENTLY" } else { "" };
        let start = Instant::now();
        if !row.get::<_, bool>(1) {
            self.build(client, &chess, concurrently, &mut report)?;
            report(&format!("index {CHESS} (chess) in {:.1} s", start.elapsed().as_secs_f64()));
        }
        for name in self.replaceable(client)?.map(|found| found.names).unwrap_or_default() {
            let drop = format!("DROP INDEX {concurrently} {}.{name}", self.quoted);
            change(client, &games, &drop, &mut report)?;
            report(&format!("dropped {name}"));
        }
        for index in self.missing_indexes(client, None, &mut report)? {
            let said = self.create_index(client, &index, is_plain, &mut report)?;
            report(&format!("index {said}"));
        }
        Ok(())
    }

    /// Drops those of these indexes that an interrupted CREATE INDEX CONCURRENTLY has left, and returns their names.
    fn drop_unfinished(&self, client: &mut Client, indexes: &[NewIndex]) -> Result<Vec<String>> {
        let unfinished = self.namesakes(client, indexes)?.into_iter().filter(|found| found.is_it && !found.is_valid);
        let names: Vec<String> = unfinished.map(|found| found.name).collect();
        for name in &names {
            change(client, &self.games(), &format!("DROP INDEX {}.{name}", self.quoted), |_| ())?;
        }
        Ok(names)
    }

    /// The index of positions of a class.
    fn positions_index(&self, class: IndexClass) -> NewIndex {
        match class {
            IndexClass::Chess => (CHESS, "chess", format!("({})", self.chess_columns())),
            IndexClass::Gin => (GIN.0, GIN.1, format!("({})", GIN.2)),
        }
    }

    /// The columns of the index of the access method: the game and the attributes by which the explorer answers, as
    /// indexes.sql expects them.
    fn chess_columns(&self) -> String {
        format!(
            "game, white_elo, black_elo, ({0}.result_code(result)), (lower(dates)), ({0}.last_day(dates)), \
             ({0}.speed_number(time_control)), ({0}.mean_elo(white_elo, black_elo))",
            self.quoted
        )
    }

    /// The index by which a load finds equal games: of their moves and players. Many games can have the same moves, such as none.
    fn equal_games(&self, client: &mut Client) -> Result<NewIndex> {
        let key = key_of_equals(&Schema::extension(client)?, "game", ["white_id", "black_id"]);
        Ok(("games_equal_hash", "hash", format!("(({key}))")))
    }

    /// Whether there is the index that [`Schema::index_for_duplicates`] creates.
    pub fn has_index_for_duplicates(&self, client: &mut Client) -> Result<bool> {
        let index = self.equal_games(client)?;
        Ok(self.namesakes(client, &[index])?.iter().any(|found| found.is_it && found.is_valid))
    }

    /// Creates the index by which a load finds equal games, and drops the one that earlier versions made, of moves alone. Calls
    /// `report` if something else has its name.
    pub fn index_for_duplicates(&self, client: &mut Client, report: impl Fn(&str) + Copy) -> Result<()> {
        let moves = moves_alone(&Schema::extension(client)?, "game");
        let earlier = ("games_moves_hash", "hash", format!("(({moves}))"));
        let has_earlier = self.namesakes(client, std::slice::from_ref(&earlier))?.iter().any(|found| found.is_it);
        if has_earlier || !self.has_index_for_duplicates(client)? {
            self.alone_with_indexes(client, report, |client| {
                self.replace_index_for_duplicates(client, earlier, report)
            })?;
        }
        Ok(())
    }

    fn replace_index_for_duplicates(
        &self,
        client: &mut Client,
        earlier: NewIndex,
        report: impl Fn(&str) + Copy,
    ) -> Result<()> {
        let index = self.equal_games(client)?;
        if let Some(other) = self.namesakes(client, std::slice::from_ref(&index))?.iter().find(|found| !found.is_it) {
            report(&other.in_the_way());
            return Ok(());
        }
        match self.build(client, &index, "IF NOT EXISTS", report) {
            // A foreign table is indexed on its own server, or not at all.
            Err(error) if is_impossible(code(&error)) => return Ok(()),
            made => made?,
        }
        if self.namesakes(client, &[earlier])?.iter().any(|found| found.is_it) {
            change(client, &self.games(), &format!("DROP INDEX {}.games_moves_hash", self.quoted), report)?;
        }
        Ok(())
    }
}

/// The indexes that every table has, beside one of positions.
fn usual() -> Vec<NewIndex> {
    let lists = [("games_ratings_idx", RATINGS), ("games_latest_idx", LATEST)]
        .map(|(name, key)| (name, "btree", format!("({}, id)", key.replace("g.", ""))));
    let ids = [GIVEN_IDS, LICHESS_IDS].map(|(name, method, columns)| (name, method, columns.to_owned()));
    INDEXES
        .map(|(name, method, column)| (name, method, format!("({column})")))
        .into_iter()
        .chain(ids)
        .chain(lists)
        .collect()
}

/// Indexes that one of the access method replaces.
#[derive(Debug)]
pub struct Replaceable {
    /// Their names.
    pub names: Vec<String>,
    /// Their size together.
    pub megabytes: f64,
    /// The approximate size of the index that would replace them, in megabytes; `None` if it is there.
    pub replacement: Option<f64>,
}

/// Returns the message of the server for an error; it is empty if the error is not the server's.
fn message(error: &anyhow::Error) -> &str {
    let error = error.downcast_ref::<postgres::Error>().and_then(postgres::Error::as_db_error);
    error.map_or("", |error| error.message())
}

fn has_access_method(client: &mut Client) -> Result<bool> {
    Ok(client.query_one("SELECT EXISTS (SELECT FROM pg_am WHERE amname = 'chess')", &[])?.get(0))
}

/// The SQL expression for a game without its result. `extension` is the quoted schema of the extension.
pub fn moves_alone(extension: &str, game: &str) -> String {
    format!("{extension}.getfirstmoves({game}, {})", i32::MAX)
}

/// The SQL expression for a number that equal games have in common: of their moves without the result, and of the ids of White and
/// Black.
pub fn key_of_equals(extension: &str, game: &str, [white, black]: [&str; 2]) -> String {
    let moves = moves_alone(extension, game);
    format!(
        "pg_catalog.hashint8extended(COALESCE({black}, 0)::bigint, \
         {extension}.chessgame_hash_extended({moves}, COALESCE({white}, 0)::bigint))"
    )
}
