//! Evaluations that are stored, and those of an engine that searches for a visitor: both are told, pages of other sites get no
//! engine, and an engine is free again when its client has gone. A whole game, or the games of a list, are analyzed as a job.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;

use chess_system::{Client, Database, Web, wait_for};
use serde_json::{Value, json};

use crate::shares::{code_of, cookie_of};
use crate::{reading, serving, shared_site};

/// A database with what an engine says of one game, which brings no evaluations of its own; the number of the game.
fn analyzed(name: &str) -> (Database<'static>, String) {
    let db = shared_site(name);
    let id = db.sql("SELECT min(id) FROM chess.games WHERE evals IS NULL AND ply_count > 40");
    db.pgn("analyze --nodes 2000 --reproducible --where").arg(format!("id = {id}")).succeeds();
    // one position beyond the reach of the fifty-move rule and near it; one of which endgame tables and a deep search say something
    db.sql(
        "INSERT INTO chess.analysis (key, halfmove_clock, engine_id, multipv, limit_kind, limit_value, status, board, best, evals, pvs, depth, nodes)
         SELECT zobrist(b), c, (SELECT min(id) FROM chess.engines), 1, 'nodes', 5, 'done', b, 'h1h2', ARRAY[c], ARRAY['h1h2'], 5, 5
         FROM (VALUES ('8/8/8/8/8/8/k7/2K4R w - - 80 100'::chessboard, 80), ('8/8/8/8/8/8/k7/2K4R w - - 0 1', 0)) v (b, c);
         INSERT INTO chess.engines (name) VALUES ('Syzygy');
         INSERT INTO chess.analysis (key, halfmove_clock, engine_id, multipv, limit_kind, limit_value, status, board, best, evals, pvs, depth, nodes, tb_wdl, tb_dtz)
         SELECT zobrist(b), 0, (SELECT min(id) FROM chess.engines WHERE name = e), 1, k, 1, 'done', b, m, ARRAY[v], ARRAY[m], d, d, w, w
         FROM (VALUES ('8/8/8/8/8/k7/7Q/K7 w - - 0 1'::chessboard)) b (b),
           (VALUES ('Syzygy', 'tables', 'h2h3', 19999, NULL, 2),
                   ((SELECT name FROM chess.engines ORDER BY id LIMIT 1), 'depth', 'h2h1', 7, 99, NULL)) v (e, k, m, v, d, w)",
    );
    (db, id)
}

fn with_engine(db: &Client) -> Web {
    reading(db, &["--engine", "stockfish"])
}

/// The position after the second half-move of the game, as a parameter, and what is stored of it.
fn stored(db: &Client, id: &str) -> (String, Value) {
    let position = format!("FROM chess.evaluations WHERE game_id = {id} AND ply = 2");
    let eval = db.sql(&format!("SELECT eval {position}")).parse::<i64>().expect("an evaluation");
    (db.sql(&format!("SELECT replace(board::text, ' ', '_') {position}")), json!(eval))
}

#[test]
#[ignore = "needs a server and Stockfish"]
fn what_is_stored_is_told() {
    let (db, id) = analyzed("evaluations");
    let (web, plain) = (with_engine(&db), reading(&db, &[]));
    assert_eq!(
        (&web.json("/api/status")["engine"], &plain.json("/api/status")["engine"]),
        (&json!(true), &json!(false))
    );

    let (fen, eval) = stored(&db, &id);
    let [played, answered] =
        ["1", "2"].map(|ply| db.sql(&format!("SELECT (ucis(game))[{ply}] FROM chess.games WHERE id = {id}")));
    let explorer = web.json(&format!("/api/explorer?play={played}"));
    let moves = explorer["moves"].as_array().unwrap();
    let of_move: Vec<&Value> = moves.iter().filter(|m| m["uci"] == answered).map(|m| &m["eval"]["cp"]).collect();
    assert_eq!(of_move, [&eval], "an evaluation beside a move");
    let cloud = web.json(&format!("/api/cloud-eval?multiPv=1&variant=standard&fen={fen}"));
    assert_eq!(cloud["pvs"][0]["cp"], eval);
    let line = cloud["pvs"][0]["moves"].as_str().unwrap();
    assert!(cloud["depth"].as_i64() > Some(0) && line.len() > 3, "{cloud}");

    // moves that lost chances, by the number that the page has for the game
    let game = plain.json(&format!("/api/games/{}", code_of(&id)));
    let moves = game["moves"].as_array().unwrap().iter().zip(1..);
    let told: Vec<String> = moves
        .filter(|(played, _)| !played["mistake"].is_null())
        .map(|(played, ply)| {
            let mistake = &played["mistake"];
            let (judgement, best) =
                (mistake["judgement"].as_str().unwrap(), mistake["best"].as_str().unwrap_or_default());
            format!("{ply}|{judgement}|{}|{best}", mistake["loss"])
        })
        .collect();
    assert_eq!(
        told,
        db.rows(&format!(
            "SELECT ply, judgement, round(loss), best FROM chess.mistakes WHERE game_id = {id} ORDER BY ply"
        ))
    );

    let rook = "8/8/8/8/8/8/k7/2K4R_w_-_-";
    let near = |clock: u32| web.json(&format!("/api/cloud-eval?fen={rook}_{clock}_100"))["pvs"][0]["cp"].clone();
    assert_eq!([80, 60, 0].map(near), [80, 0, 0], "near the fifty-move rule");
    let queen = "8/8/8/8/8/k7/7Q/K7_w_-_-_0_1";
    let exact = web.json(&format!("/api/cloud-eval?fen={queen}"));
    let best = &exact["pvs"][0];
    assert_eq!(
        [&best["cp"], &best["moves"], &exact["depth"]],
        [&json!(19999), &json!("h2h3"), &json!(0)],
        "tables before an engine"
    );
    assert_eq!(
        web.json(&format!("/api/cloud-eval?multiPv=3&fen={queen}"))["pvs"][0]["cp"],
        19999,
        "also with more lines"
    );
    for (what, path, status) in [
        ("what is not stored", "/api/cloud-eval?fen=8/8/8/8/8/k7/8/1K5R_w_-_-_0_1", 404),
        ("stored with another clock", &*format!("/api/cloud-eval?fen={rook}_81_100"), 404),
        ("no position", "/api/engine?fen=8/8/8/8/8/8/8/8_w_-_-_0_1", 400),
    ] {
        assert_eq!(web.get(path).status(), status, "{what}");
    }
    assert_eq!(plain.get("/api/engine").status(), 404, "without an engine there is none");
    assert_eq!(web.get("/api/engine").header("Sec-Fetch-Site", "cross-site").status(), 403, "a page of others");
}

/// The data of the last event of this name.
fn event(events: &str, name: &str) -> Value {
    let found = events.rsplit("\n\n").find(|event| event.lines().any(|line| line == format!("event: {name}")));
    let event = found.unwrap_or_else(|| panic!("no event {name}: {events}"));
    let data = event.lines().find_map(|line| line.strip_prefix("data: ")).expect("data");
    serde_json::from_str(data).unwrap()
}

/// The first event of a stream that goes on.
fn first_event(stream: &TcpStream) -> String {
    let lines = BufReader::new(stream).lines().map(Result::unwrap);
    let event = lines.skip_while(|line| !line.starts_with("event: ")).take_while(|line| !line.is_empty());
    event.collect::<Vec<_>>().join("\n")
}

#[test]
#[ignore = "needs a server and Stockfish"]
fn an_engine_searches_for_one_client_at_a_time() {
    let (db, id) = analyzed("searching");
    let web = with_engine(&db);
    let mate = "/api/engine?fen=7k/8/8/8/8/8/R7/1R4K1_w_-_-_0_1";
    let end = event(&web.get(mate).answer().text(), "end");
    let line = &end["pvs"][0];
    assert_eq!([&line["mate"], &line["moves"][0], &line["san"][0]], [&json!(2), &json!("a2a7"), &json!("Ra7")]);
    assert!(end["engine"].as_str().unwrap().starts_with("Stockfish"), "{end}");
    let over = web.get("/api/engine?fen=7k/6Q1/6K1/8/8/8/8/8_b_-_-_0_1").answer().text();
    assert_eq!(event(&over, "end")["over"], "white wins", "what is over");

    let (fen, eval) = stored(&db, &id);
    let searching = web.get(&format!("/api/engine?fen={fen}")).sent();
    assert_eq!(event(&first_event(&searching), "stored")["pvs"][0]["cp"], eval, "what is stored comes first");
    drop(searching);
    wait_for("an engine that is free again", || {
        let answer = web.get(mate).answer();
        answer.status == 200 && event(&answer.text(), "end")["pvs"][0]["mate"] == 2
    });
    // before its first event it is not certain that this client has the engine
    let busy = web.get("/api/engine").sent();
    first_event(&busy);
    assert_eq!(web.get("/api/engine").status(), 503, "an engine that is busy");
}

#[test]
#[ignore = "needs a server and Stockfish"]
fn a_whole_game_is_analyzed_as_a_job() {
    let db = shared_site("whole_game");
    let web = Web::new(&db, &["--upload", "--engine", "stockfish"]);
    let games = web.json("/api/games?limit=200&sort=id");
    let games = games["games"].as_array().unwrap();
    // short, and without evaluations of its own
    let of_20 = db.sql(
        "SELECT place - 1 FROM (SELECT row_number() OVER (ORDER BY id) AS place, evals, ply_count FROM chess.games) g
         WHERE evals IS NULL AND ply_count > 20 ORDER BY ply_count, place LIMIT 1",
    );
    let of_20: usize = of_20.parse().unwrap();
    let of_40 = games.iter().position(|game| game["plies"].as_i64() > Some(40)).unwrap();
    let (short, longest) = (&games[of_20], games[of_40]["id"].as_str().unwrap());
    let number = db.sql(&format!("SELECT id FROM chess.games ORDER BY id OFFSET {of_20} LIMIT 1"));
    let path = format!("/api/games/{}", short["id"].as_str().unwrap());
    let plies = short["plies"].as_i64().unwrap();
    let before = web.json(&path);
    assert_eq!((&before["accuracy"], &before["moves"][0]["eval"]), (&json!([]), &Value::Null), "nothing is known yet");

    let begun = web.request("POST", &format!("{path}/analysis")).answer();
    assert_eq!(begun.status, 202, "{}", begun.text());
    let id = begun.json()["id"].clone();
    assert_eq!(begun.json()["game"], short["id"]);
    let cookie = cookie_of(&begun).unwrap();
    let job = |id: &Value| {
        let jobs = web.json("/api/uploads");
        jobs["uploads"].as_array().unwrap().iter().find(|job| &job["id"] == id).cloned().unwrap_or_default()
    };
    // another game waits until this one is done, and can be cancelled by who has asked for it
    let other = format!("/api/games/{longest}/analysis");
    let waits = web.request("POST", &other).header("Cookie", &cookie).answer().json();
    assert_eq!(web.request("POST", &other).answer().json()["id"], waits["id"], "of a game there is one job");
    let cancel = format!("/api/uploads/{}", waits["id"]);
    assert_eq!(web.request("DELETE", &cancel).status(), 403, "by nobody else");
    assert_eq!(web.request("DELETE", &cancel).header("Cookie", &cookie).status(), 204);
    assert_eq!(job(&waits["id"])["stage"], "cancelled");

    wait_for("the end of the analysis", || job(&id)["stage"] == "done" || job(&id)["stage"] == "failed");
    let done = job(&id);
    assert_eq!((&done["stage"], &done["error"]), (&json!("done"), &Value::Null));
    let after = web.json(&path);
    let moves = after["moves"].as_array().unwrap();
    assert_eq!((moves.len() as i64, moves.iter().filter(|m| m["eval"].is_null()).count()), (plies, 0), "all are known");
    let whole: Vec<String> = after["accuracy"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|side| side["phase"].is_null())
        .map(|side| format!("{}|{}|{}", side["color"].as_str().unwrap(), side["moves"], side["blunders"]))
        .collect();
    let told =
        format!("SELECT color, moves, blunders FROM chess.accuracies WHERE game_id = {number} ORDER BY color DESC");
    assert_eq!(whole, db.rows(&told));
    let phases: i64 = after["accuracy"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| !one["phase"].is_null())
        .map(|one| one["moves"].as_i64().unwrap())
        .sum();
    assert_eq!(phases.to_string(), db.sql(&format!("SELECT count(*) FROM chess.losses WHERE game_id = {number}")));
    let marked = moves.iter().filter(|m| !m["mistake"].is_null()).count();
    assert_eq!(marked.to_string(), db.sql(&format!("SELECT count(*) FROM chess.mistakes WHERE game_id = {number}")));
    assert_eq!(db.sql(&format!("SELECT count(*) FROM chess.analyzed_games WHERE game_id = {number}")), "1");

    // one that would keep the engine for long
    let endless = "Nf3 Nf6 Ng1 Ng8 ".repeat(151);
    db.pgn("load").arg(db.file("endless.pgn", format!("[White \"Endless\"]\n\n{endless}*\n"))).succeeds();
    let id = db.sql("SELECT id FROM chess.games WHERE ply_count = 604");
    let refused = web.request("POST", &format!("/api/games/{}/analysis", code_of(&id))).answer();
    assert_eq!(refused.status, 422, "{}", refused.text());
    assert!(refused.text().contains("more than 600 half-moves"), "{}", refused.text());

    // who may not
    assert_eq!(web.request("POST", "/api/games/zzzzzzzz/analysis").status(), 404);
    let foreign = web.request("POST", &other).header("Sec-Fetch-Site", "cross-site");
    assert_eq!(foreign.status(), 403);
    for arguments in [&["--engine", "stockfish"][..], &[]] {
        assert_eq!(reading(&db, arguments).request("POST", &other).status(), 404, "not where nothing is stored");
    }
}

#[test]
#[ignore = "needs a server and Stockfish"]
fn the_games_of_a_list_are_analyzed_as_one_job() {
    let db = shared_site("list_of_games");
    let short = "\n[White \"Short\"]\n\n1. f3 e5 2. g4 *\n\n[White \"Mated\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n";
    let endless = format!("[White \"Endless\"]\n\n{}*\n", "Nf3 Nf6 Ng1 Ng8 ".repeat(151));
    db.pgn("load").arg(db.file("list.pgn", [short, &endless].concat())).succeeds();
    let web = Web::new(&db, &["--upload", "--engine", "stockfish", "--analyze-limit", "3"]);
    let id = |white: &str| {
        let games = web.json(&format!("/api/games?white={white}"));
        games["games"][0]["id"].as_str().unwrap_or_else(|| panic!("no game of {white}")).to_owned()
    };
    let [short, mated, endless] = ["Short", "Mated", "Endless"].map(id);
    let ask = |games: &[&str]| {
        web.request("POST", "/api/games/analysis").json(json!({ "games": games }).to_string()).answer()
    };
    let may = web.json("/api/uploads")["analysis"].clone();
    assert_eq!(may, json!({ "games": 3, "plies": 600, "seconds": 0.25 }), "nothing is measured yet");

    let begun = ask(&[&short, &mated, &endless]);
    assert_eq!(begun.status, 202, "{}", begun.text());
    let begun = begun.json();
    // the start and each half-move; the long one is left out
    assert_eq!((&begun["games"], &begun["of"], &begun["game"]), (&json!(2), &json!(4 + 5), &Value::Null), "{begun}");
    // of a list there is one job, and of its games
    let job = |id: &Value| {
        let jobs = web.json("/api/uploads");
        jobs["uploads"].as_array().unwrap().iter().find(|job| &job["id"] == id).cloned().unwrap_or_default()
    };
    wait_for("the end of the analysis", || ["done", "failed"].contains(&job(&begun["id"])["stage"].as_str().unwrap()));
    let done = job(&begun["id"]);
    assert_eq!((&done["stage"], &done["error"]), (&json!("done"), &Value::Null), "{done}");
    for (game, plies) in [(&short, 3), (&mated, 4)] {
        let moves = web.json(&format!("/api/games/{game}"))["moves"].as_array().unwrap().clone();
        assert_eq!((moves.len(), moves.iter().filter(|m| m["eval"].is_null()).count()), (plies, 0), "{game}");
    }
    assert_eq!(db.sql("SELECT count(*) FROM chess.analyzed_games"), "2");

    let refused = ask(&[&short, &mated, &short, &mated]);
    assert_eq!(refused.status, 422, "{}", refused.text());
    assert!(refused.text().contains("4 games are too many: an analysis here takes up to 3"), "{}", refused.text());
    assert_eq!(ask(&[&endless]).status, 422);
    assert_eq!(ask(&["zzzzzzzz"]).status, 404);
    assert_eq!(ask(&["no game"]).status, 404);
    assert_eq!(ask(&[]).status, 404);
    let single = Web::new(&db, &["--upload", "--engine", "stockfish", "--analyze-limit", "0"]);
    let body = json!({ "games": [short] }).to_string();
    assert_eq!(single.request("POST", "/api/games/analysis").json(body.clone()).status(), 422, "no lists");
    assert_eq!(single.request("POST", &format!("/api/games/{short}/analysis")).status(), 202, "but single games");
    assert_eq!(reading(&db, &[]).request("POST", "/api/games/analysis").json(body).status(), 404);
    assert_eq!(serving(&db).json("/api/uploads")["analysis"], Value::Null, "no engine");
}
