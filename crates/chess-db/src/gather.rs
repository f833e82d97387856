//! One schema over the games of several servers: foreign servers of postgres_fdw go in, whose games chess-pgn has loaded,
//! each under a number of its own; foreign tables come out, and over them the tables, views and functions that a schema of
//! chess-pgn has. It holds no games itself.
//!
//! Numbers of games and names are distinct among servers, since each counts from a place of its own
//! ([`shards`](crate::shards)): so a number alone says which game is meant.

use anyhow::{Context, Result, bail};
use postgres::{Client, Transaction};

use crate::schema::{EXPLORER, INFO, Schema, VERSION};
use crate::shards::first_id;

const GATHERED: &str = include_str!("gathered.sql");

/// What is asked of the other servers. The first two are partitions here, the first of all says what the server holds.
const IMPORTED: [&str; 14] = [
    "info",
    "games",
    "pgn_view",
    "players",
    "events",
    "sites",
    "sources",
    "explorer_build",
    "explorer_stale",
    "explorer_known",
    "explorer_cell",
    "explorer_total",
    "explorer_listed",
    "explorer_pending_games",
];
const PARTITIONED: [&str; 2] = ["games", "pgn_view"];

impl Schema {
    /// Makes this schema one over the games of these foreign servers, which each of them has in the schema `theirs`. Returns
    /// how many there are.
    ///
    /// # Errors
    ///
    /// A schema that has its tables; a server that is not there, cannot be reached, does not let functions of the extension
    /// through, or whose games have no number of a server, or that of another one.
    pub fn gather(&self, client: &mut Client, servers: &[String], theirs: &Schema) -> Result<usize> {
        let mut transaction = self.begin(client)?;
        let query = "SELECT to_regclass($1) IS NOT NULL";
        if transaction.query_one(query, &[&format!("{}.games", self.quoted)])?.get(0) {
            bail!("schema {} has its tables already: DROP SCHEMA, or choose another one with --schema", self.name);
        }
        self.make(&mut transaction)?;
        let mut shards: Vec<i16> = Vec::new();
        for server in servers {
            check_server(&mut transaction, server)?;
            let shard = self.import(&mut transaction, server, theirs)?;
            shards.push(shard);
        }
        let Some(first) = shards.first() else { bail!("no servers") };
        for table in PARTITIONED {
            self.partition(&mut transaction, table, *first, &shards)?;
        }
        let count = shards.len().to_string();
        let mut script = GATHERED.replace("{servers}", &count);
        for table in IMPORTED {
            let each: Vec<String> =
                shards.iter().map(|shard| format!("SELECT * FROM {}.{table}_{shard}", self.quoted)).collect();
            script = script.replace(&format!("{{all {table}}}"), &each.join(" UNION ALL "));
        }
        self.run(&mut transaction, INFO)?;
        self.run(&mut transaction, &script)?;
        self.run(&mut transaction, &EXPLORER.replace("{by_shard}", "g.shard, ").replace("{servers}", &count))?;
        transaction.batch_execute(&format!(
            "ALTER FUNCTION {0}.explorer SET enable_partitionwise_aggregate = on; \
             ALTER FUNCTION {0}.explorer_games SET enable_partitionwise_aggregate = on",
            self.quoted
        ))?;
        self.sign(&mut transaction)?;
        let insert = format!("INSERT INTO {}.info VALUES ('servers', $1)", self.quoted);
        transaction.execute(&insert, &[&servers.join(", ")])?;
        self.check_owners(&mut transaction)?;
        transaction.commit()?;
        for table in PARTITIONED {
            client.batch_execute(&format!("ANALYZE {}.{table}", self.quoted))?;
        }
        Ok(shards.len())
    }

    /// The foreign tables of a server, named after its number, which is returned.
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
            bail!(
                "server {server} has no {table} in schema {}: chess-pgn migrate there makes what is missing",
                theirs.name
            );
        }
        let query = format!("SELECT name, value FROM {schema}.info WHERE name IN ('schema version', 'shard')");
        let facts = transaction.query(&query, &[]).with_context(|| format!("cannot ask server {server}"))?;
        let fact = |name: &str| facts.iter().find(|row| row.get::<_, &str>(0) == name).map(|row| row.get::<_, &str>(1));
        if fact("schema version") != Some(&VERSION.to_string()) {
            bail!("the tables of server {server} are of another version: chess-pgn migrate there moves them on");
        }
        let Some(shard) = fact("shard").and_then(|value| value.parse::<i16>().ok()) else {
            bail!(
                "server {server} has no number among servers, or its games were numbered before it got one: \
                 load them there into a new schema with --shard"
            )
        };
        for table in IMPORTED {
            let renamed = format!("{table}_{shard}");
            if transaction
                .query_one("SELECT to_regclass($1) IS NOT NULL", &[&format!("{schema}.{renamed}")])?
                .get::<_, bool>(0)
            {
                bail!("server {server} is shard {shard}, as another one is");
            }
            transaction.batch_execute(&format!("ALTER FOREIGN TABLE {schema}.{table} RENAME TO {renamed}"))?;
        }
        Ok(shard)
    }

    /// A table of which those of the servers are partitions.
    fn partition(&self, transaction: &mut Transaction<'_>, table: &str, first: i16, shards: &[i16]) -> Result<()> {
        let whole = format!("{}.{table}", self.quoted);
        // As if there were few games: a function of the game then has few values, and is worth grouping by on the server.
        transaction.batch_execute(&format!(
            "CREATE TABLE {whole} (LIKE {whole}_{first}) PARTITION BY LIST (shard); \
             ALTER TABLE {whole} ALTER COLUMN game SET (n_distinct = 50, n_distinct_inherited = 50)"
        ))?;
        for shard in shards {
            let (from, to) = (first_id(*shard), first_id(*shard + 1));
            transaction.batch_execute(&format!(
                "ALTER FOREIGN TABLE {whole}_{shard} ALTER COLUMN game SET (n_distinct = 50), \
                     ADD CHECK (id > {from} AND id <= {to}); \
                 ALTER TABLE {whole} ATTACH PARTITION {whole}_{shard} FOR VALUES IN ({shard})"
            ))?;
        }
        Ok(())
    }
}

/// Refuses a server that would have to send all games for a question about them.
fn check_server(transaction: &mut Transaction<'_>, server: &str) -> Result<()> {
    let query = "SELECT w.fdwname = 'postgres_fdw', \
                        EXISTS (SELECT FROM unnest(s.srvoptions) o, string_to_table(substr(o, 12), ',') e \
                                WHERE o LIKE 'extensions=%' AND btrim(e) = 'chess') \
                 FROM pg_foreign_server s JOIN pg_foreign_data_wrapper w ON w.oid = s.srvfdw WHERE s.srvname = $1";
    let Some(row) = transaction.query_opt(query, &[&server])? else {
        bail!("there is no foreign server {server}: CREATE SERVER makes one, docs/scaling.md says how")
    };
    if !row.get::<_, bool>(0) {
        bail!("foreign server {server} is not one of postgres_fdw");
    }
    if !row.get::<_, bool>(1) {
        bail!("functions would not run on server {server}: ALTER SERVER {server} OPTIONS (ADD extensions 'chess')");
    }
    Ok(())
}
