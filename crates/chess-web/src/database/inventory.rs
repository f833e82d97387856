//! What the database holds: the version of the extension, how many games, and which of the optional parts. Cached for some
//! seconds, so that a load or an upgrade shows without a restart.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use chess_db::features::Feature;
use chess_db::schema::{RENAMED, Schema, relied_on};
use tokio::sync::Mutex;
use tokio_postgres::Row;

use crate::database::pool::Database;
use crate::database::query::{Names, Query, Value};
use crate::failure::{Failure, Outcome};
use crate::http::places::for_all;

/// How long an inventory is used.
const LIFETIME: Duration = Duration::from_secs(5);
/// The least time between two inventories while the database changes.
const MIN_LIFETIME: Duration = Duration::from_secs(1);

/// What the database holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inventory {
    /// The names of the schemas.
    pub names: Names,
    /// The version of the extension.
    pub version: String,
    /// The number of games, counted or from the statistics.
    pub games: i64,
    /// Whether the number is exact.
    pub exact: bool,
    /// Whether the games table has a column for annotated text.
    pub annotated: bool,
    /// Whether an index finds positions.
    pub positions_indexed: bool,
    /// Whether there are evaluations by `chess-pgn analyze`.
    pub analyzed: bool,
    /// Whether the view `mistakes` can be read.
    pub judged: bool,
    /// Whether the server has endgame tables, readable or not.
    pub endgame_tables: bool,
    /// Whether this role may read the tables.
    pub readable: bool,
    /// The numbers of the sources whose games are asked for, as the text of an array; `None` for all games.
    pub sources: Option<String>,
    /// Whether the games are on several other servers.
    pub gathered: bool,
}

impl Inventory {
    /// The reason for which no games can be shown.
    pub fn error(&self) -> Option<&'static str> {
        (!self.readable).then_some("the tables cannot be read")
    }

    /// Whether questions of this kind can be answered.
    pub fn has(&self, _: Feature) -> bool {
        !self.gathered
    }

    /// Refuses what cannot be answered.
    ///
    /// # Errors
    ///
    /// 501, with the reason and the alternative.
    pub fn needs(&self, feature: Feature) -> Outcome<()> {
        match self.has(feature) {
            true => Ok(()),
            false => Err(Failure::new(StatusCode::NOT_IMPLEMENTED, feature.reason()).hint(feature.alternative())),
        }
    }

    /// What to do so that there are games, or so that they are found faster.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Inventory { readable: false, .. } => Some(
                "this role may not read the tables: GRANT USAGE ON SCHEMA and GRANT SELECT ON ALL TABLES IN SCHEMA",
            ),
            Inventory { games: 0, .. } => Some("chess-pgn load -d DATABASE --index FILE.pgn loads games"),
            Inventory { positions_indexed: false, .. } => Some(
                "there is no index of positions, so every search reads all games: chess-pgn load -d DATABASE --index FILE.pgn",
            ),
            _ => None,
        }
    }
}

/// The latest inventory, renewed when it is too old.
pub struct InventoryCache {
    database: Database,
    schema: Schema,
    source: Option<String>,
    last: Mutex<Option<(Instant, Arc<Inventory>)>>,
}

/// $1 is the name of the schema.
const EXTENSION: &str = include_str!("sql/extension.sql");

/// $1 is the name of the schema. `reltuples` is -1 before the first ANALYZE.
const TABLES: &str = include_str!("sql/tables.sql");

/// $1 is the quoted name of the schema.
const PARTS: &str = "\
SELECT to_regclass($1 || '.analysis') IS NOT NULL AS analysis,
       coalesce(has_table_privilege(to_regclass($1 || '.mistakes'), 'SELECT'), false) AS mistakes";

const GATHERED: &str = "SELECT EXISTS (SELECT FROM {schema}.info WHERE name = 'servers') AS gathered";

const ANALYZED: &str = "SELECT EXISTS (SELECT FROM {schema}.analysis) AS analyzed";

/// The sources of a number, or of a name with or without the folders that the loader was given.
const SOURCE: &str = "SELECT s.id::bigint AS id FROM {schema}.sources s WHERE s.id = {}";
const SOURCES: &str = "SELECT s.id::bigint AS id FROM {schema}.sources s WHERE s.name LIKE {} OR s.name LIKE {}";
/// Two kings are drawn where the server has a directory of endgame tables; otherwise nothing is known of them.
const ENDGAME_TABLES: &str =
    "SELECT wdl IS NOT NULL AS named FROM {chess}.tablebase('8/8/4k3/8/8/4K3/8/8 w - - 0 1'::{chess}.chessboard)";

/// Tables with fewer games by the statistics are counted, which takes some milliseconds.
const COUNTED: i64 = 300_000;

impl InventoryCache {
    /// The inventory of a schema. `source` is the number or the name of the sources of which it has the numbers. `owner` is a
    /// trusted role: its functions may run with the rights of this server's role.
    pub fn new(database: Database, schema: &str, source: Option<&str>, owner: Option<String>) -> InventoryCache {
        let schema = Schema { owner, ..Schema::new(schema) };
        InventoryCache { database, schema, source: source.map(str::to_owned), last: Mutex::new(None) }
    }

    /// Whether both are of the same schema.
    pub fn has_schema_of(&self, other: &InventoryCache) -> bool {
        self.schema.name == other.schema.name
    }

    /// The inventory, at most some seconds old.
    ///
    /// # Errors
    ///
    /// 503 with advice if the database, the extension or the tables are missing, or belong to an untrusted role.
    pub async fn get(&self) -> Outcome<Arc<Inventory>> {
        let mut last = self.last.lock().await;
        if let Some((at, inventory)) = &*last
            && at.elapsed() < LIFETIME
        {
            return Ok(inventory.clone());
        }
        let begun = Instant::now();
        let inventory = Arc::new(for_all(self.take()).await?);
        *last = Some((begun, inventory.clone()));
        Ok(inventory)
    }

    /// Makes sure that the next [`get`](Self::get) returns an inventory that was taken after a moment. Returns false if it
    /// cannot, because the present one is older than that, but too young to be replaced.
    pub async fn is_since(&self, then: Instant) -> bool {
        let mut last = self.last.lock().await;
        match &*last {
            Some((at, _)) if *at < then && at.elapsed() < MIN_LIFETIME => false,
            Some((at, _)) if *at < then => {
                *last = None;
                true
            }
            _ => true,
        }
    }

    /// The inventory of a database that can answer questions.
    ///
    /// # Errors
    ///
    /// Those of [`get`](Self::get), and 503 if this role may not read the tables.
    pub async fn readable(&self) -> Outcome<Arc<Inventory>> {
        let inventory = self.get().await?;
        match inventory.error() {
            None => Ok(inventory),
            Some(error) => Err(Failure::unavailable(error).hint(inventory.hint().unwrap_or_default())),
        }
    }

    /// Whether a connection may store something in the schema. It may unless objects of somebody else in the schema would
    /// run code with the connection's rights.
    pub async fn may_write(&self, database: &Database) -> bool {
        match database.refusal(&self.schema.name, &relied_on(), self.schema.writing()).await {
            Ok(None) => true,
            Ok(Some(refusal)) => {
                tracing::error!("{refusal}: {}", refusal.advice(self.schema.writing()));
                false
            }
            Err(_) => false,
        }
    }

    /// The first row; `None` also if this role may not read the table, which then counts as missing.
    async fn if_readable(&self, query: &'static str, names: &Names) -> Outcome<Option<Row>> {
        match self.database.rows(&Query::new(query, []), names).await {
            Ok(rows) => Ok(rows.into_iter().next()),
            Err(failure) if failure.status == StatusCode::FORBIDDEN => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// The numbers of the sources that were asked for. Several servers that share the games number their sources in ranges of
    /// their own ([`shards`](chess_db::shards)).
    async fn sources(&self, names: &Names) -> Outcome<Option<String>> {
        let Some(source) = &self.source else { return Ok(None) };
        let found = match source.parse::<i64>() {
            Ok(number) => Query::new(SOURCE, [number.into()]),
            Err(_) => {
                let pattern = like(source);
                Query::new(SOURCES, [pattern.as_str().into(), format!("%/{pattern}").into()])
            }
        };
        let rows = self.database.rows(&found, names).await?;
        let found: Vec<String> = rows.iter().map(|row| row.get::<_, i64>("id").to_string()).collect();
        if found.is_empty() {
            let failure = Failure::unavailable(format!("no source is called {source}"));
            return Err(failure.hint(format!("the table {}.sources has their names and numbers", names.schema)));
        }
        Ok(Some(format!("{{{}}}", found.join(","))))
    }

    async fn take(&self) -> Outcome<Inventory> {
        let name = Value::from(self.schema.name.as_str());
        let advice = "chess-pgn load -d DATABASE --index FILE.pgn creates what is missing and loads games";
        let rows = self.database.ask(EXTENSION, &[&name]).await?;
        let Some(row) = rows.first() else {
            return Err(Failure::unavailable("the database has no extension chess").hint(advice));
        };
        if !row.get::<_, bool>("has_tables") {
            let text = format!("schema {} holds no tables of chess-pgn", self.schema.name);
            return Err(Failure::unavailable(text).hint(advice));
        }
        if row.get("is_earlier") {
            let text = format!("schema {} is of an earlier version of chess-pgn", self.schema.name);
            return Err(Failure::unavailable(text).hint("chess-pgn migrate -d DATABASE upgrades its tables"));
        }
        if !self.database.ask(RENAMED, &[&name]).await?.is_empty() {
            let text = format!("the functions of schema {} name schemas that have been renamed", self.schema.name);
            return Err(Failure::unavailable(text).hint("chess-pgn migrate -d DATABASE replaces them"));
        }
        let purpose = self.schema.reading();
        if let Some(refusal) = self.database.refusal(&self.schema.name, &relied_on(), purpose).await? {
            tracing::error!("{refusal}: {}", refusal.advice(purpose));
            return Err(Failure::unavailable("the tables belong to a role that this server does not trust")
                .hint("the log of chess-web says what belongs to whom"));
        }
        let names = Names { schema: row.get("tables"), extension: row.get("schema") };
        let version = row.get("version");
        let rows = self.database.ask(TABLES, &[&name]).await?;
        let Some(row) = rows.first() else {
            return Err(Failure::unavailable("the tables of games no longer exist").hint(advice));
        };
        let readable = row.get("readable");
        let (games, exact) = self.count(&names, row.get("games"), readable).await;
        let parts = self.database.ask(PARTS, &[&Value::from(names.schema.as_str())]).await?;
        let has = |column: &str| readable && parts.first().is_some_and(|row| row.get(column));
        let mut analyzed = false;
        if has("analysis") {
            analyzed = self.if_readable(ANALYZED, &names).await?.is_some_and(|row| row.get("analyzed"));
        }
        let gathered = self.if_readable(GATHERED, &names).await?.is_some_and(|row| row.get("gathered"));
        let sources = if readable { self.sources(&names).await? } else { None };
        Ok(Inventory {
            endgame_tables: self.has_endgame_tables(&names).await,
            names,
            version,
            games,
            exact,
            annotated: row.get("annotated"),
            positions_indexed: row.get("positions_indexed"),
            analyzed,
            judged: has("mistakes"),
            readable,
            sources,
            gathered,
        })
    }

    /// The number of games, and whether it is exact; `estimate` is that of the statistics.
    async fn count(&self, names: &Names, estimate: i64, readable: bool) -> (i64, bool) {
        if !readable || estimate >= COUNTED {
            return (estimate, false);
        }
        match self.database.ask(&format!("SELECT count(*) FROM {}.games", names.schema), &[]).await {
            Ok(counted) => (counted.first().map_or(0, |row| row.get("count")), true),
            // a large table without statistics may take longer than the timeout
            Err(_) => (estimate.max(1), false),
        }
    }

    async fn has_endgame_tables(&self, names: &Names) -> bool {
        match self.database.rows(&Query::new(ENDGAME_TABLES, []), names).await {
            Ok(rows) => rows.first().is_some_and(|row| row.get("named")),
            // a directory that cannot be read: whoever asks the tables learns that
            Err(failure) => failure.status == StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

/// A name in which `*` stands for any letters, as a pattern of LIKE.
fn like(name: &str) -> String {
    name.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_").replace('*', "%")
}
