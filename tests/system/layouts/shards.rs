//! Shards: schemas whose games and names have numbers that no other shard's have.

use chess_system::Database;

use crate::{export, plain};

#[test]
#[ignore = "needs a server"]
fn a_shard_numbers_its_games_from_where_no_other_is() {
    let db = Database::new("shards");
    let [a, b, c] = &plain().files;
    db.pgn("load --schema shard --shard 7").arg(a).succeeds();
    db.pgn("load --schema shard --shard 7").arg(b).succeeds();
    db.pgn("load --schema shard").arg(c).succeeds();
    assert_eq!(db.sql("SELECT DISTINCT shard FROM shard.pgn_view"), "7");
    let first = "SELECT (SELECT min(id) FROM shard.games) = (7::bigint << 41) + 1 AND (SELECT min(id) FROM shard.players) = (7 << 25) + 1
        AND (SELECT min(id) FROM shard.sources) = (7 << 25) + 1";
    assert_eq!(db.sql(first), "t");
    assert_eq!(db.sql("SELECT value FROM shard.info WHERE name = 'shard'"), "7", "the number is written down");
    assert!(export(&db, "shard", "") == plain().all.export);
    let said = db.pgn("load --schema shard --shard 8").arg(a).fails();
    assert_eq!(said.matches("schema shard is shard 7, not 8").count(), 1, "{said}");
    let said = db.pgn("schema --schema great --shard 64").ends(2);
    assert_eq!(said.matches("64 is not in 0..=63").count(), 1, "{said}");

    db.sql("INSERT INTO shard.pgn_view (game) VALUES ('1. a3')");
    assert_eq!(db.sql("SELECT shard FROM shard.games WHERE source_id IS NULL"), "7", "a row by hand");
    let refusal = db.refuses("UPDATE shard.pgn_view SET shard = 8 WHERE source_id IS NULL");
    assert!(refusal.message.contains("games_shard_check"), "a row of another shard: {refusal:?}");
}

#[test]
#[ignore = "needs a server"]
fn games_that_are_there_keep_their_numbers() {
    let db = Database::new("numbers");
    db.pgn("load --schema single").arg(&plain().files[0]).succeeds();
    db.pgn("schema --schema single --shard 0").succeeds();
    assert_eq!(db.sql("SELECT DISTINCT shard FROM single.games"), "0");
    assert_eq!(db.sql("SELECT value FROM single.info WHERE name = 'shard'"), "");
}

#[test]
#[ignore = "needs a server"]
fn a_shard_may_be_partitioned() {
    let db = Database::new("parts");
    db.pgn("schema --schema parts --shard 3 --partition-by game:2").succeeds();
    db.pgn("load --schema parts").args(&plain().files).succeeds();
    assert_eq!(db.sql("SELECT DISTINCT shard FROM parts.games"), "3");
    assert!(export(&db, "parts", "") == plain().all.export);
    assert_eq!(db.sql("SELECT min(id) = (3::bigint << 41) + 1 FROM parts.games"), "t");
}
