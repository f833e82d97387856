//! A hosted server without the extension publishes texts, and a server with it subscribes to them: the statements of
//! docs/hosted.md go in. Out: the explorer there is that of a load, texts that are no games are kept and marked, and a
//! subscription without the trigger stops at one until its transaction is skipped.

use std::fs;
use std::time::Instant;

use chess_system::{Client, Database, Server, Session, generated, repository, wait_for};

/// The statements of the page that begin with this remark.
fn statements(remark: &str) -> String {
    let page = fs::read_to_string(repository("docs/hosted.md")).unwrap();
    let mark = format!("```sql\n-- not run: {remark}\n");
    let (_, rest) = page.split_once(&mark).unwrap_or_else(|| panic!("no statements {remark}"));
    rest.split_once("```").unwrap().0.to_owned()
}

/// A server that keeps what logical replication needs.
fn server() -> Server {
    let server = Server::stopped(&["wal_level = logical", "max_wal_senders = 10", "max_replication_slots = 10"], 5432);
    server.start();
    server
}

/// A hosted database, and one that can subscribe to it; the statement that does so.
fn two_servers<'a>(hosted: &'a Server, own: &'a Server) -> (Database<'a>, Database<'a>, String) {
    let hosted = Database::on(hosted, "hosted_games");
    let own = Database::on(own, "own_games");
    hosted.sql(&statements("on the hosted server"));
    let subscription = statements("on your server, after the table");
    let settings = subscription.split('\'').nth(1).unwrap();
    let subscription = subscription.replace(settings, &hosted.settings("postgres"));
    (hosted, own, subscription)
}

/// Waits until a query says true.
fn until(db: &Client, query: &str) {
    wait_for(query, || db.sql(query) == "t");
}

const EXPLORER: &str = "SELECT san, games, white, draws, black, rated, reached FROM chess.explorer(startBoard(), rating => '[1000,)') ORDER BY san";

#[test]
#[ignore = "needs a server"]
fn texts_of_a_hosted_database_become_games() {
    let servers = [server(), server()];
    let (hosted, own, subscription) = two_servers(&servers[0], &servers[1]);
    assert_eq!(hosted.sql("SELECT count(*) FROM pg_extension WHERE extname = 'chess'"), "0");

    let loaded = Database::on(&servers[1], "loaded_games");
    loaded.pgn("load --index").arg(loaded.file("games.pgn", generated(51, 600))).succeeds();
    let rows = loaded.rows(
        "SELECT format('(%s, %L, %L, %L, %L, %L, %L, %L, %L)', id, white, black, event, date, white_elo, black_elo, result, game)
         FROM chess.pgn_view ORDER BY id",
    );
    let insert = |rows: &[String]| hosted.sql(&format!("INSERT INTO games VALUES {}", rows.join(", ")));
    insert(&rows[..300]);

    own.pgn("schema").succeeds();
    own.sql(&statements("on your server"));
    own.sql(&subscription);
    until(&own, &statements("whether the first copy is there"));
    own.pgn("migrate --index").succeeds();
    own.sql("VACUUM ANALYZE chess.games");
    insert(&rows[300..]);
    until(&own, &format!("SELECT count(*) = {} FROM chess.games", rows.len()));
    assert_eq!(own.sql("SELECT count(problem) FROM public.games"), "0");
    let games =
        "SELECT white, black, event, date, dates, white_elo, black_elo, result, game FROM chess.pgn_view ORDER BY id";
    assert_eq!(own.rows(games), loaded.rows(games));
    assert_eq!(own.sql("SELECT chess.explorer_source(startBoard())"), "index");
    assert_eq!(own.rows(EXPLORER), loaded.rows(EXPLORER));

    // what is no game is kept and marked, and what follows arrives
    hosted.sql(
        "INSERT INTO games (id, movetext) VALUES (900001, '1. e4 e5 2. Ke3'), (900002, 'no game'), (900003, NULL), (900004, '1. a3 * 1. a4 *'),
         (900005, '1. h4 h5');
         INSERT INTO games (id, white, movetext) SELECT 900006, string_agg(md5(n::text), ''), '1. e4' FROM generate_series(1, 400) n;
         INSERT INTO games (id, result, movetext) VALUES (900007, 'foo', '1. e4')",
    );
    until(&own, "SELECT count(*) = 7 FROM public.games WHERE id > 900000");
    let problems = own.rows(&statements("what cannot be read"));
    let said = [
        "900001|half-move 3, \"Ke3\": illegal move",
        "900002|",
        "900003|0 games in one text",
        "900004|2 games in one text",
        "900006|index row ",
        "900007|no result: foo",
    ];
    assert_eq!(problems.len(), said.len(), "{problems:?}");
    for (problem, said) in problems.iter().zip(said) {
        assert!(problem.starts_with(said), "{problem}");
    }
    let stored = "SELECT id, game, left(error, 32) FROM chess.games WHERE id > 900000 ORDER BY id";
    let beginnings = [
        "900001|1. e4 e5|half-move 3, \"Ke3\": illegal move",
        "900004|1. a3|2 games in one text",
        "900005|1. h4 h5|",
        "900007|1. e4|no result: foo",
    ];
    assert_eq!(own.rows(stored), beginnings);

    // corrected, removed
    hosted.sql("UPDATE games SET movetext = '1. e4 e5 2. Ke2' WHERE id = 900001; DELETE FROM games WHERE id > 900001");
    until(&own, "SELECT count(*) = 1 AND bool_and(problem IS NULL) FROM public.games WHERE id > 900000");
    assert_eq!(own.rows(stored), ["900001|1. e4 e5 2. Ke2|"]);

    // The time that one game takes from the hosted server to this one is printed, not judged.
    let begun = Instant::now();
    hosted.sql("INSERT INTO games (id, movetext) VALUES (900010, '1. c4 c5')");
    until(&own, "SELECT EXISTS (SELECT FROM chess.games WHERE id = 900010)");
    println!("one game is there after {:.0} ms", begun.elapsed().as_secs_f64() * 1e3);
    until(
        &hosted,
        &format!(
            "SELECT bool_and(behind = 0) FROM ({}) s",
            statements("on the hosted server, bytes that have not arrived").trim_end().trim_end_matches(';')
        ),
    );
    own.sql("DROP SUBSCRIPTION games");
    assert_eq!(hosted.sql("SELECT count(*) FROM pg_replication_slots"), "0");
}

/// The place at which the log says that the transaction ends which the subscription cannot apply.
fn end_of_transaction(server: &Server) -> Option<String> {
    let log = server.log();
    let place = log.rsplit_once("finished at ")?.1;
    Some(place.split_whitespace().next()?.trim_end_matches('.').to_owned())
}

#[test]
#[ignore = "needs a server"]
fn a_subscription_without_the_trigger_stops_at_an_illegal_game() {
    let servers = [server(), server()];
    let (hosted, own, subscription) = two_servers(&servers[0], &servers[1]);
    own.sql(
        "CREATE EXTENSION chess; CREATE TABLE games (id bigint PRIMARY KEY, white text, black text, event text, date text,
             white_elo integer, black_elo integer, result text, movetext chessgame);
         CREATE INDEX ON games USING chess (movetext)",
    );
    hosted.sql("INSERT INTO games (id, movetext) VALUES (1, '1. e4 e5'), (2, '1. d4 d5')");
    own.sql(&subscription);
    until(&own, &statements("whether the first copy is there"));
    hosted.sql("INSERT INTO games (id, movetext) VALUES (3, '1. e4 c5')");
    hosted.sql("INSERT INTO games (id, movetext) VALUES (4, '1. e4 e5 2. Ke3')");
    hosted.sql("UPDATE games SET movetext = '1. e4 e5 2. Ke2' WHERE id = 4");
    hosted.sql("INSERT INTO games (id, movetext) VALUES (5, '1. e4 e6')");
    wait_for("the log to name the transaction", || end_of_transaction(&servers[1]).is_some());
    assert!(servers[1].log().contains("invalid input syntax for type chessgame: \"Ke3\""), "{}", servers[1].log());
    assert_eq!(own.sql("SELECT string_agg(id::text, ' ' ORDER BY id) FROM games"), "1 2 3");
    let skip = statements("on your server, past a transaction");
    let example = skip.split('\'').nth(1).unwrap();
    own.sql(&skip.replace(example, &end_of_transaction(&servers[1]).unwrap()));
    until(&own, "SELECT EXISTS (SELECT FROM games WHERE id = 5)");
    assert_eq!(
        own.sql("SELECT string_agg(id::text, ' ' ORDER BY id) FROM games"),
        "1 2 3 5",
        "the row is left out, and so is its correction"
    );
    let mut session: Session = own.session();
    session.sql("SET enable_seqscan = off");
    let moves = "SELECT nextMove(movetext, getBoard('1. e4', 1)), count(*) FROM games WHERE hasBoard(movetext, getBoard('1. e4', 1)) GROUP BY 1 ORDER BY 1";
    assert_eq!(session.rows(moves), ["c5|1", "e5|1", "e6|1"]);
    own.sql("DROP SUBSCRIPTION games");
}
