//! Tables on other servers, by postgres_fdw: here, other databases of the same server.

use chess_system::{Database, Server, pg_config, skip};

use crate::{export, missing_keys, outcome, plain};

/// A database that knows others of these names as foreign servers.
pub(crate) fn coordinator(name: &str, nodes: &[&str]) -> Option<Database<'static>> {
    if !pg_config("sharedir").join("extension/postgres_fdw.control").exists() {
        skip(
            "foreign tables: this server has no extension postgres_fdw",
            "in a PostgreSQL that is built from source: make -C contrib install",
        );
        return None;
    }
    let db = Database::new(name);
    db.sql("CREATE EXTENSION chess; CREATE EXTENSION postgres_fdw");
    for node in nodes {
        let server = Server::shared();
        db.sql(&format!(
            "CREATE SERVER {node} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '{}', port '{}', dbname '{node}', extensions 'chess', batch_size '1000');
             CREATE USER MAPPING FOR PUBLIC SERVER {node} OPTIONS (user 'postgres')",
            server.dir().display(),
            server.port()
        ));
    }
    Some(db)
}

#[test]
#[ignore = "needs a server"]
fn foreign_partitions_are_filled_and_emptied() {
    let nodes = ["far1", "far2"];
    let Some(db) = coordinator("far", &nodes) else { return };
    let plain = plain();
    db.pgn("schema --schema plain").succeeds();
    db.sql("CREATE SCHEMA far; CREATE TABLE far.games (LIKE plain.games INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING IDENTITY) PARTITION BY HASH (id)");
    for (n, node) in nodes.iter().enumerate() {
        Database::new(node).pgn("schema").succeeds();
        db.sql(&format!(
            "CREATE FOREIGN TABLE far.games_{n} PARTITION OF far.games FOR VALUES WITH (MODULUS 2, REMAINDER {n})
             SERVER {node} OPTIONS (schema_name 'chess', table_name 'games')"
        ));
    }
    let said = db.pgn("load --schema far --index").args(&plain.files).succeeds();
    assert_eq!(outcome(&said), plain.all.outcome, "what is loaded into them");
    assert_eq!(missing_keys(&said), 9, "keys that cannot be: {said}");
    assert!(export(&db, "far", "") == plain.all.export, "the export");
    assert_eq!(db.sql("SELECT count(*) > 1000 FROM far.games_0"), "t", "each has some");
    db.pgn("load --schema far").args(&plain.files).succeeds();
    assert!(export(&db, "far", "") == plain.all.export, "nothing new");
    db.pgn("unload --schema far").arg(&plain.files[1]).succeeds();
    db.pgn("load --schema far").arg(&plain.files[1]).succeeds();
    assert!(export(&db, "far", "--order source") == plain.all.export_by_source, "what was taken back is there again");
}

/// The column that version 5 adds would be missing in a foreign table, whatever is asked of it.
#[test]
#[ignore = "needs a server"]
fn other_servers_are_upgraded_first() {
    let Some(db) = coordinator("late", &["late1"]) else { return };
    let node = Database::new("late1");
    node.pgn("schema").succeeds();
    db.pgn("schema --schema plain").succeeds();
    db.sql(
        "CREATE SCHEMA \"Far's\";
         CREATE TABLE \"Far's\".games (LIKE plain.games INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING IDENTITY) PARTITION BY HASH (id);
         CREATE FOREIGN TABLE \"Far's\".\"The games\" PARTITION OF \"Far's\".games FOR VALUES WITH (MODULUS 1, REMAINDER 0)
         SERVER late1 OPTIONS (schema_name 'chess', table_name 'games')",
    );
    let pgn = |what: &str| db.pgn(&format!("{what} --schema Far's"));
    pgn("load").arg(&plain().files[0]).succeeds();
    let exported = pgn("export").succeeds();
    for (of, schema) in [(&db, "\"Far's\""), (&node, "chess")] {
        of.sql(&format!(
            "ALTER TABLE {schema}.games DROP COLUMN lichess_id CASCADE;
             DROP FUNCTION {schema}.lichess_id(text), {schema}.lichess_site(bigint);
             UPDATE {schema}.info SET value = '4' WHERE name = 'schema version'"
        ));
    }
    let said = pgn("migrate").fails();
    let table = "foreign table \"Far's\".\"The games\"";
    assert!(said.contains(table) && said.contains("run chess-pgn migrate on server late1 first"), "{said}");
    assert_eq!(db.sql("SELECT value FROM \"Far's\".info WHERE name = 'schema version'"), "4", "nothing has changed");
    assert_eq!(db.sql("SELECT count(g) > 0 FROM \"Far's\".games g"), "t", "the games are still read");
    node.pgn("migrate").succeeds();
    pgn("migrate").succeeds();
    assert!(pgn("export").succeeds() == exported, "the same games as before");
}

#[test]
#[ignore = "needs a server"]
fn a_schema_over_servers_holds_the_games_of_each() {
    let nodes = ["node1", "node2", "node3"];
    let Some(db) = coordinator("gathering", &nodes) else { return };
    let plain = plain();
    for (n, node) in nodes.iter().enumerate() {
        let shard = (n + 1).to_string();
        Database::new(node).pgn("load --schema own --index --shard").arg(shard).arg(&plain.files[n]).succeeds();
    }
    db.pgn("schema --schema every --servers node1,node2,node3 --remote-schema own").succeeds();
    assert!(export(&db, "every", "--order shard") == plain.all.export);
    assert_eq!(db.sql("SELECT count(*) = count(DISTINCT id) FROM every.pgn_view"), "t", "a number is that of one game");
    let plan = db.sql("EXPLAIN SELECT FROM every.pgn_view WHERE shard = 2");
    assert_eq!(plan.matches("Foreign Scan").count(), 1, "a shard is found by its number: {plan}");
}

/// What another server says of its columns chooses types here, whose checks run as soon as a row is read.
#[test]
#[ignore = "needs a server"]
fn servers_and_types_of_others_are_refused() {
    let Some(db) = coordinator("trusting", &["trusting1"]) else { return };
    let node = Database::new("trusting1");
    node.pgn("schema --schema own --shard 1").succeeds();
    node.sql("CREATE SCHEMA odd; CREATE DOMAIN odd.one AS text; ALTER TABLE own.info ALTER value TYPE odd.one");
    db.sql(
        "CREATE ROLE odd; CREATE SCHEMA odd AUTHORIZATION odd; GRANT USAGE ON FOREIGN DATA WRAPPER postgres_fdw TO odd; SET ROLE odd;
         CREATE FUNCTION odd.code(text) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''it runs''; END';
         CREATE DOMAIN odd.one AS text CHECK (odd.code(VALUE)); RESET ROLE",
    );
    let refused = || db.pgn("schema --schema every --servers trusting1 --remote-schema own").fails();
    let said = refused();
    assert!(
        said.contains("belongs to odd, whose code would run with your rights") && said.contains("odd.one"),
        "{said}"
    );
    node.sql("ALTER TABLE own.info ALTER value TYPE text");
    db.sql("ALTER SERVER trusting1 OWNER TO odd");
    let said = refused();
    assert!(said.contains("server trusting1 belongs to odd"), "{said}");
    db.sql("ALTER SERVER trusting1 OWNER TO postgres");
    db.pgn("schema --schema every --servers trusting1 --remote-schema own").succeeds();
}

/// Another server names a game only by its place in a partition, and the first rows of all partitions have the same place. The
/// explorer must still find the right game.
#[test]
#[ignore = "needs a server"]
fn the_only_game_with_a_move_is_told_from_those_of_other_partitions() {
    let Some(db) = coordinator("places", &["places1"]) else { return };
    let node = Database::new("places1");
    let file = node.file(
        "places.pgn",
        "[WhiteElo \"1500\"]\n[BlackElo \"1500\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n\
         [WhiteElo \"2500\"]\n[BlackElo \"2500\"]\n[Result \"1-0\"]\n\n1. e4 c5 1-0\n\n\
         [Date \"2001.02.03\"]\n[Result \"0-1\"]\n\n1. d4 d5 0-1\n\n",
    );
    node.pgn("schema --schema own --shard 1 --partition-by").arg("opening:1. d4,1. e4 e5,1. e4 c5").succeeds();
    node.pgn("load --schema own --index").arg(&file).succeeds();
    db.pgn("schema --schema every --servers places1 --remote-schema own").succeeds();
    assert_eq!(node.sql("SELECT count(DISTINCT tableoid), count(DISTINCT ctid) FROM own.games"), "3|1");
    assert_eq!(db.sql("SELECT every.explorer_source(startBoard())"), "index");
    for filters in ["", ", rating => '[2000,)'", ", rating => '(,2000)'", ", result => '0-1'"] {
        let asked = |schema: &str| {
            format!(
                "SELECT san, games, game_id FROM {schema}.explorer(startBoard(), reached => false{filters}) ORDER BY san"
            )
        };
        let (all, own) = (db.rows(&asked("every")), node.rows(&asked("own")));
        assert_eq!(all, own, "{filters}");
        let has_number = |row: &&String| !row.ends_with('|');
        assert_eq!(own.iter().filter(has_number).count(), 1, "{own:?}");
    }
}
