//! The explorer over all servers, also while games come and go.

use chess_system::{paged, plans, skip};

use crate::{Cluster, NODES, pgn, psql};

/// Positions early and late.
pub(crate) const POSITIONS: [&str; 2] = ["1. e4", "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6"];

/// All that explorer.sql asks: the same of all servers and of the one table.
fn same(cluster: &Cluster, what: &str) {
    let question = "SELECT * FROM explored";
    let (all, one) = (cluster.all().rows(question), cluster.plain().rows(question));
    assert_eq!(all.len(), one.len(), "{what}");
    for (all, one) in all.iter().zip(&one) {
        assert_eq!(all, one, "{what}");
    }
}

/// Where the coordinator finds its answers, for a role that is asked for no policy.
fn source(cluster: &Cluster) -> String {
    cluster.all().sql("SELECT chess.explorer_source(startBoard())")
}

/// Some 25 boards with seven sets of filters, from the indexes of all servers, and from the games while one lacks its own.
pub(crate) fn the_explorer_answers_from_the_indexes(cluster: &Cluster) {
    let (all, plain) = (cluster.all(), cluster.plain());
    let places = plain.rows(
        "SELECT place.* FROM (SELECT DISTINCT epd(getBoard(game, n)) || ' 0 1' FROM (SELECT game FROM games ORDER BY md5(source_offset::text) LIMIT 5) g,
         unnest('{0,1,2,5,12,30}'::integer[]) n WHERE plyCount(game) >= n) place ORDER BY md5(place::text)",
    );
    for client in [&all, &plain] {
        psql(client, "explorer.sql", &[]);
        for place in &places {
            let board = place.trim_matches(['(', ')', '"']);
            client.sql(&format!("INSERT INTO places VALUES ('{board}')"));
        }
    }
    assert_eq!(source(cluster), "index");
    same(cluster, "from the indexes");
    cluster.node(2).sql("DROP INDEX chess.games_chess_idx");
    assert_eq!(source(cluster), "games", "one server has no index");
    same(cluster, "from the games");
    pgn(&cluster.node(2), "migrate --index").succeeds();
    assert_eq!(source(cluster), "index", "it has one again");
    all.sql("ALTER SERVER node2 OPTIONS (SET extensions 'postgres_fdw')");
    assert_eq!(source(cluster), "games", "postgres_fdw would ask indexes of this server for those of the other");
    let rare = "SELECT san, games, reached FROM chess.explorer(finalBoard('1. e4 a6 2. e5 a5'))";
    assert_eq!(all.rows(rare), plain.rows(rare));
    all.sql("ALTER SERVER node2 OPTIONS (SET extensions 'chess')");
    assert_eq!(source(cluster), "index", "the other is asked again");
}

/// Rows that travel for a question and the statements of its functions, by their plans; `None` without `auto_explain`.
fn travels(cluster: &Cluster, question: &str) -> Option<u64> {
    let plans = plans(&mut cluster.all().session(), question)?;
    let scans = plans
        .lines()
        .filter_map(|line| line.split_once("Foreign Scan"))
        .filter_map(|(_, rest)| rest.rsplit_once(" rows="));
    Some(scans.map(|(_, rows)| rows.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse::<u64>().unwrap()).sum())
}

/// Counts travel, and no games.
pub(crate) fn few_rows_travel(cluster: &Cluster) {
    let nodes = u64::from(NODES);
    for moves in POSITIONS {
        let board = format!("finalBoard('{moves}')");
        let Some(rows) = travels(cluster, &format!("SELECT * FROM chess.explorer({board}, reached => false)")) else {
            return skip(
                "rows of the explorer: this server has no auto_explain",
                "in a PostgreSQL that is built from source: make -C contrib install",
            );
        };
        let played = cluster.plain().sql(&format!(
            "SELECT count(DISTINCT coalesce(nextMove(game, {board}), '')) FROM games WHERE hasBoard(game, {board})"
        ));
        let most = nodes * (played.parse::<u64>().unwrap() + 1);
        assert!((1..=most).contains(&rows), "{rows} rows travel for the moves after {moves}, and may be {most}");
    }
    // as many as are looked at before sorting, then those of a page from each server
    let rows = travels(cluster, "SELECT * FROM chess.explorer_games(finalBoard('1. e4'))").unwrap();
    assert!((15..=2500 + nodes * 32).contains(&rows), "{rows} rows travel for a list");
}

/// Page after page, every game once, in order.
pub(crate) fn pages_list_every_game_once(cluster: &Cluster) {
    let board = "finalBoard('1. e4 c5 2. Nf3')";
    let games = cluster.plain().sql(&format!("SELECT count(*) FROM games WHERE hasBoard(game, {board})"));
    assert_eq!(cluster.all().sql(&paged(board, 700)), format!("t|{games}|t"));
    assert!(games.parse::<u64>().unwrap() > 2100, "several pages");
}

/// Policies on a server or on the coordinator count for the roles that they concern.
pub(crate) fn roles_are_told_of_what_they_see(cluster: &Cluster) {
    let (all, node3) = (cluster.all(), cluster.node(3));
    // the source of the answer, whether it has the games that the role sees, and whether these are some and not too many
    let pupil = |most: u32| {
        let mut session = cluster.all().session();
        session.sql("SET ROLE pupil");
        session.sql(&format!(
            "SELECT chess.explorer_source(board), (SELECT sum(games) FROM chess.explorer(board)) = seen,
                ARRAY(SELECT id FROM chess.explorer_games(board)) = ARRAY(SELECT g.id FROM chess.games g WHERE hasBoard(g.game, board)
                    ORDER BY coalesce(white_elo, 0) + coalesce(black_elo, 0) DESC, id DESC LIMIT 15), seen BETWEEN 1 AND {most}
             FROM getBoard('1. e4', 1) board, LATERAL (SELECT count(*) AS seen FROM chess.games WHERE hasBoard(game, board)) s"
        ))
    };
    let policy =
        "CREATE POLICY few ON chess.games USING (id % 100 = 0); ALTER TABLE chess.games ENABLE ROW LEVEL SECURITY";
    let no_policy = "DROP POLICY few ON chess.games; ALTER TABLE chess.games DISABLE ROW LEVEL SECURITY";
    let grants = "GRANT USAGE ON SCHEMA chess TO pupil; GRANT SELECT ON ALL TABLES IN SCHEMA chess TO pupil";
    all.sql(&format!("CREATE ROLE pupil; {grants}"));
    for n in 1..=NODES {
        let user = if n == 3 { "pupil" } else { "postgres" };
        all.sql(&format!(
            "CREATE USER MAPPING FOR pupil SERVER node{n} OPTIONS (user '{user}', password_required 'false')"
        ));
    }
    node3.sql(&format!("CREATE ROLE pupil LOGIN; {grants}"));
    assert_eq!(pupil(cluster.games), "index|t|t|t", "a role that sees all games");
    node3.sql(policy);
    assert_eq!(pupil(cluster.games * 4 / 5), "games|t|t|t", "policies on one of the servers");
    node3.sql(no_policy);
    all.sql(policy);
    assert_eq!(pupil(cluster.games / 100), "games|t|t|t", "policies on the coordinator");
    assert_eq!(source(cluster), "index", "which do not concern others");
    all.sql(no_policy);
}

/// The same games come and go on a server and in the one table.
pub(crate) fn games_come_and_go(cluster: &Cluster) {
    let change = |statement: &str| {
        cluster.node(3).sql(statement);
        cluster.plain().sql(statement);
    };
    change(
        "INSERT INTO chess.games (game, white_elo, black_elo, result) VALUES ('1. e4 c5 2. Nf3 1-0', 2900, 2901, '1-0'), ('1. d4 d5 0-1', NULL, 1500, '0-1')",
    );
    same(cluster, "games that have come");
    change("DELETE FROM chess.games WHERE source_id IS NULL");
    same(cluster, "when they have gone");
}
