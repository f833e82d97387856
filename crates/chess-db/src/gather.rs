//! Combines the games of several servers in one schema. In: foreign servers of postgres_fdw, whose games chess-pgn has
//! loaded with a different shard number on each. Out: foreign tables, and over them the tables, views and functions of
//! a schema of chess-pgn. The schema itself stores no games.
//!
//! Ids of games and names are distinct among servers, because each server has a range of its own
//! ([`shards`](crate::shards)).

use anyhow::{Context, Result, bail};
use postgres::{Client, Transaction};

use crate::door::{self, Refusal};
use crate::features::Feature;
use crate::schema::{
    CROSSTABLE, ENDING_REPORT, EXPLORER, INFO, LICHESS, OPENING_REPORT, PLAYERS, REPERTOIRE, REPORTS, Schema, TYPES,
    VERSION,
};
use crate::shards::game_id_offset;

const GATHERED: &str = include_str!("gathered.sql");
const REMOTE_INDEXES: &str = include_str!("remote-indexes.sql");
const REFUSING: &str = include_str!("refusing.sql");

/// The foreign tables to import. `info` identifies the server; [`PARTITIONED`] become partitions here.
const IMPORTED: [&str; 8] = ["info", "games", "pgn_view", "players", "events", "sites", "sources", "explorer_index"];
const PARTITIONED: [&str; 2] = ["games", "pgn_view"];

impl Schema {
    /// Creates tables, views and functions over the games of these foreign servers, which have them in the schema
    /// `theirs`. Returns the number of servers.
    ///
    /// # Errors
    ///
    /// The schema has tables already. A server does not exist, cannot be reached, does not run functions of the extension,
    /// has no shard number, or that of another server.
    pub fn gather(&self, client: &mut Client, servers: &[String], theirs: &Schema) -> Result<usize> {
        let mut transaction = self.begin(client)?;
        let query = "SELECT to_regclass($1) IS NOT NULL";
        if transaction.query_one(query, &[&format!("{}.games", self.quoted)])?.get(0) {
            bail!("schema {} has its tables already: DROP SCHEMA, or choose another one with --schema", self.name);
        }
        self.create_schema(&mut transaction)?;
        let mut shards: Vec<i16> = Vec::new();
        for server in servers {
            self.check_server(&mut transaction, server)?;
            let shard = self.import(&mut transaction, server, theirs)?;
            shards.push(shard);
        }
        let Some(first) = shards.first() else { bail!("no servers") };
        for table in PARTITIONED {
            self.partition(&mut transaction, table, *first, &shards)?;
        }
        let all_rows = IMPORTED.map(|table| {
            let each: Vec<String> =
                shards.iter().map(|shard| format!("SELECT * FROM {}.{table}_{shard}", self.quoted)).collect();
            (format!("all {table}"), each.join(" UNION ALL "))
        });
        let mut values: Vec<(&str, &str)> = all_rows.iter().map(|(name, rows)| (&**name, &**rows)).collect();
        let of_server = |shard: &i16| {
            format!("SELECT {shard}::smallint AS shard, i.index FROM {}.explorer_index_{shard} i", self.quoted)
        };
        let indexes = shards.iter().map(of_server).collect::<Vec<_>>().join(" UNION ALL ");
        let count = shards.len().to_string();
        values.extend([("servers", &*count), ("indexes", &*indexes)]);
        values.push(("by_shard", "g.shard, "));
        self.run(&mut transaction, INFO)?;
        self.run_with(&mut transaction, GATHERED, &values)?;
        let refusals = refusals();
        values.push(("refusals", &*refusals));
        let answering = [TYPES, LICHESS, PLAYERS, EXPLORER, REMOTE_INDEXES, REPERTOIRE];
        for script in answering.into_iter().chain([CROSSTABLE, REPORTS, OPENING_REPORT, ENDING_REPORT, REFUSING]) {
            // CREATE without OR REPLACE, so that it fails on objects of other roles
            self.run_with(&mut transaction, &script.replace("CREATE OR REPLACE ", "CREATE "), &values)?;
        }
        transaction.batch_execute(&format!(
            "ALTER FUNCTION {0}.explorer SET enable_partitionwise_aggregate = on; \
             ALTER FUNCTION {0}.explorer_games SET enable_partitionwise_aggregate = on",
            self.quoted
        ))?;
        self.insert_version(&mut transaction)?;
        let insert = format!("INSERT INTO {}.info VALUES ('servers', $1)", self.quoted);
        transaction.execute(&insert, &[&servers.join(", ")])?;
        self.check_owners(&mut transaction)?;
        transaction.commit()?;
        for table in PARTITIONED {
            client.batch_execute(&format!("ANALYZE {}.{table}", self.quoted))?;
        }
        Ok(shards.len())
    }

    /// Imports the foreign tables of a server, and appends its shard number to their names. Returns this number.
    fn import(&self, transaction: &mut Transaction<'_>, server: &str, theirs: &Schema) -> Result<i16> {
        let schema = &self.quoted;
        let quoted = Schema::new(server).quoted;
        transaction
            .batch_execute(&format!(
                "IMPORT FOREIGN SCHEMA {} LIMIT TO ({}) FROM SERVER {quoted} INTO {schema} \
                 OPTIONS (import_generated 'false')",
                theirs.quoted,
                IMPORTED.join(", ")
            ))
            .with_context(|| format!("cannot read schema {} of server {server}", theirs.name))?;
        let missing = "SELECT name FROM unnest($1::text[]) name WHERE to_regclass($2 || '.' || name) IS NULL LIMIT 1";
        if let Some(row) = transaction.query_opt(missing, &[&IMPORTED.to_vec(), schema])? {
            let table: String = row.get(0);
            bail!("server {server} has no {table} in schema {}: run chess-pgn migrate there", theirs.name);
        }
        // the types of columns are found by the names that the server gives them, and reading rows runs the checks of domains
        door::check(transaction, &self.name, &IMPORTED, self.writing())?;
        let query = format!("SELECT name, value FROM {schema}.info WHERE name IN ('schema version', 'shard')");
        let facts = transaction.query(&query, &[]).with_context(|| format!("cannot query server {server}"))?;
        let fact = |name: &str| facts.iter().find(|row| row.get::<_, &str>(0) == name).map(|row| row.get::<_, &str>(1));
        if fact("schema version") != Some(&VERSION.to_string()) {
            bail!("the tables of server {server} have another version: run chess-pgn migrate there");
        }
        let Some(shard) = fact("shard").and_then(|value| value.parse::<i16>().ok()) else {
            bail!(
                "server {server} has no shard number, or got it after its first games: \
                 load them there into a new schema with --shard"
            )
        };
        for table in IMPORTED {
            let renamed = format!("{table}_{shard}");
            if transaction
                .query_one("SELECT to_regclass($1) IS NOT NULL", &[&format!("{schema}.{renamed}")])?
                .get::<_, bool>(0)
            {
                bail!("server {server} has the shard number {shard} of another server");
            }
            transaction.batch_execute(&format!("ALTER FOREIGN TABLE {schema}.{table} RENAME TO {renamed}"))?;
        }
        Ok(shard)
    }

    /// Refuses a server of another role, and one that does not run functions of the extension: it would send all games to be
    /// searched here.
    fn check_server(&self, transaction: &mut Transaction<'_>, server: &str) -> Result<()> {
        let purpose = self.writing();
        let Some(row) = transaction.query_opt(door::SERVER, &[&purpose.owner(), &server])? else {
            bail!("there is no foreign server {server}: docs/scaling.md shows CREATE SERVER")
        };
        if let Some(role) = row.get(2) {
            let refusal = Refusal::Owner { thing: format!("server {server}"), role, used_by: None };
            bail!("{refusal}: {}", refusal.advice(purpose));
        }
        if !row.get::<_, bool>(0) {
            bail!("foreign server {server} does not belong to postgres_fdw");
        }
        if !row.get::<_, bool>(1) {
            bail!(
                "server {server} would not run functions of chess: ALTER SERVER {server} OPTIONS (ADD extensions 'chess')"
            );
        }
        Ok(())
    }

    /// Creates a partitioned table with the foreign tables as its partitions.
    fn partition(&self, transaction: &mut Transaction<'_>, table: &str, first: i16, shards: &[i16]) -> Result<()> {
        let whole = format!("{}.{table}", self.quoted);
        // With few distinct games, the planner expects few groups and lets each server group its own games.
        transaction.batch_execute(&format!(
            "CREATE TABLE {whole} (LIKE {whole}_{first}) PARTITION BY LIST (shard); \
             ALTER TABLE {whole} ALTER COLUMN game SET (n_distinct = 50, n_distinct_inherited = 50)"
        ))?;
        for shard in shards {
            let (from, to) = (game_id_offset(*shard), game_id_offset(*shard + 1));
            transaction.batch_execute(&format!(
                "ALTER FOREIGN TABLE {whole}_{shard} ALTER COLUMN game SET (n_distinct = 50), \
                     ADD CHECK (id > {from} AND id <= {to}); \
                 ALTER TABLE {whole} ATTACH PARTITION {whole}_{shard} FOR VALUES IN ({shard})"
            ))?;
        }
        Ok(())
    }
}

/// The functions that only say what is missing, with what they say, as rows of SQL.
fn refusals() -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let rows = Feature::ALL.into_iter().flat_map(|feature| {
        let words = [feature.reason(), feature.alternative()].map(quoted).join(", ");
        feature.functions().iter().map(move |function| format!("({}, {words})", quoted(function))).collect::<Vec<_>>()
    });
    rows.collect::<Vec<_>>().join(", ")
}
