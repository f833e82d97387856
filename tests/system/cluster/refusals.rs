//! What cannot be done on the coordinator, and servers that cannot be one schema.

use crate::{Cluster, pgn};

/// Programs that write say that they are to be run on each server.
pub(crate) fn programs_write_on_each_server_by_itself(cluster: &Cluster) {
    let all = cluster.all();
    let load = format!("load {}", cluster.files[0]);
    for command in [&load, "migrate", "analyze"] {
        let said = pgn(&all, command).fails();
        assert_eq!(said.matches("are on other servers: run this on each of them").count(), 1, "{command}: {said}");
    }
}

/// A schema over servers that lack something is not made, and it is said why.
pub(crate) fn servers_that_cannot_be_one_schema(cluster: &Cluster) {
    let (all, plain) = (cluster.all(), cluster.plain());
    let coordinator = cluster.servers.join("coordinator");
    let host = coordinator.display();
    all.sql(&format!(
        "CREATE SERVER silent FOREIGN DATA WRAPPER postgres_fdw;
         CREATE SERVER unnumbered FOREIGN DATA WRAPPER postgres_fdw
             OPTIONS (host '{host}', port '5432', dbname 'plain', extensions 'postgres_fdw, chess');
         CREATE SERVER empty FOREIGN DATA WRAPPER postgres_fdw
             OPTIONS (host '{host}', port '5432', dbname 'postgres', extensions 'chess');
         CREATE USER MAPPING FOR PUBLIC SERVER unnumbered OPTIONS (user 'postgres');
         CREATE USER MAPPING FOR PUBLIC SERVER empty OPTIONS (user 'postgres')"
    ));
    let other = |servers: &str| pgn(&all, "schema --schema other --remote-schema chess --servers").arg(servers);
    let wrong = [
        ("node9", "there is no foreign server node9"),
        ("node1,node1", "server node1 has the shard number 1 of another server"),
        ("silent", "ALTER SERVER silent OPTIONS (ADD extensions 'chess')"),
        ("unnumbered", "has no shard number"),
        ("empty", "cannot read schema"),
    ];
    for (servers, reason) in wrong {
        let said = other(servers).fails();
        assert_eq!(said.lines().filter(|line| line.contains(reason)).count(), 1, "{servers}: {said}");
    }
    assert_eq!(all.sql("SELECT to_regnamespace('other') IS NULL"), "t", "nothing is left of it");
    other("node1,node4").succeeds();
    let games = "SELECT (SELECT count(*) FROM other.games) = (SELECT count(*) FROM games WHERE shard IN (1, 4))";
    assert_eq!(all.sql(games), "t", "a schema of another name has the games of two of them");
    let said = pgn(&plain, "schema --servers node1").fails();
    assert_eq!(said.matches("has its tables already").count(), 1, "{said}");
}
