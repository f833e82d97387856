//! Questions that make no sense, names that look like code, and texts of games.

use chess_system::{Answer, encoded};
use serde_json::{Value, json};

use crate::{reading, serving, shared_site};

#[test]
#[ignore = "needs a server"]
fn questions_that_make_no_sense_are_refused_and_explained() {
    let web = serving(&shared_site("nonsense"));
    for (what, path) in [
        ("no FEN", "/api/explorer?fen=nonsense"),
        ("a long FEN", &format!("/api/explorer?fen={}", "8".repeat(200))),
        ("an illegal position", "/api/explorer?fen=8/8/8/8/8/8/8/8+w+-+-+0+1"),
        ("an illegal move", "/api/explorer?play=e2e5"),
        ("too many moves", &format!("/api/explorer?play={}", "g1f3,g8f6,f3g1,f6g8,".repeat(200))),
        ("an unknown parameter", "/api/explorer?order=id%3BDROP+TABLE+chess.games"),
        ("a parameter that comes twice", "/api/explorer?fen=startpos&fen=startpos"),
        ("month 13", "/api/games?since=2015-13"),
        ("30 February", "/api/games?until=2015-02-30"),
        ("no rating", "/api/games?rating=1%20OR%201=1"),
        ("a NUL", "/api/games?player=a%00b"),
        ("a sort order", "/api/games?sort=id%3BSELECT+1"),
        ("no position to be near", "/api/games?near=8/8"),
        ("two orders", "/api/games?near=startpos&sort=date"),
        ("a cursor of another order", "/api/games?near=startpos&after=2015-01-01.00000001"),
        ("a cursor", "/api/games?after=2015-01-01'.00000001"),
        ("a limit", "/api/games?limit=100000"),
        ("no pattern", "/api/games?pattern=Nd5+and+Xe4"),
        ("a pattern twice", "/api/games?pattern=Nd5&pattern=Nd5"),
        ("a pattern of 5 kB", &format!("/api/pattern?pattern={}", "Nd5+".repeat(1300))),
        ("a section", "/api/reports/player?player=A&sections=x%27%29%3BSELECT+1"),
        ("sections of 500 bytes", &format!("/api/reports/opening?sections={}", "summary,".repeat(63))),
        ("a report on nobody", "/api/reports/player"),
        ("a report on no ending", "/api/reports/ending"),
        ("a pattern", "/api/reports/ending?ending=KRPvK9x"),
        ("a sample", "/api/reports/ending?ending=KRPvKR&sample=0"),
        ("endings by what reports do not filter by", "/api/reports/ending?ending=KRvK&eco=B90"),
        ("mistakes of nobody", "/api/endings/thrown?result=1-0"),
        ("a limit of mistakes", "/api/endings/thrown?player=A&limit=1000"),
        ("a kind of tournament", "/api/crosstable?event=London&kind=%27"),
        ("deep nesting", &format!("/api/pattern?pattern={}", "flip(".repeat(100))),
    ] {
        let answer = web.get(path).answer();
        assert_eq!(answer.status, 400, "{what}: {}", answer.text());
        assert!(!answer.error().is_empty(), "{what}");
        if what == "no pattern" {
            assert_eq!(answer.json()["at"], 8, "the place in a pattern");
        }
    }
    for (what, method, path, status) in [
        ("no such game", "GET", "/api/games/zzzzzzzz", 404),
        ("no number of a game", "GET", "/api/games/..%2f..%2fetc%2fpasswd", 404),
        ("no such path", "GET", "/api/nothing", 404),
        ("a file of the system", "GET", "/../../etc/passwd.txt", 404),
        ("another method", "DELETE", "/api/explorer", 405),
        ("text that is no UTF-8", "GET", "/api/games?player=%ff%fe", 200),
        ("a request that is none", "G T", "/", 400),
    ] {
        assert_eq!(web.request(method, path).status(), status, "{what}");
    }
}

/// Whatever made the error: a handler, the reading of a path or of a body, or no handler at all.
#[test]
#[ignore = "needs a server"]
fn every_error_of_the_api_is_json() {
    let web = serving(&shared_site("errors"));
    let large = json!({ "name": "x".repeat(100_000), "url": "/" }).to_string();
    for (method, path, status) in [
        ("GET", "/api/notebooks/abc", 400),
        ("GET", "/api/notebooks/99999999999999999999", 400),
        ("PATCH", "/api/notebooks/1/nodes/x", 400),
        ("GET", "/api/puzzles/abc", 400),
        ("DELETE", "/api/devices/-", 400),
        ("DELETE", "/api/sources/99999999999", 400),
        ("DELETE", "/api/uploads/abc", 400),
        ("GET", "/api/games/%ff", 400),
        ("GET", "/api/shared/%ff", 400),
        ("DELETE", "/api/explorer", 405),
        ("PUT", "/api/notebooks", 405),
        ("POST", "/api/engine", 405),
        ("GET", "/api/nothing", 404),
        ("POST", "/api/games/1/nothing", 404),
    ] {
        let answer = web.request(method, path).answer();
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text());
        assert_eq!(answer.header("content-type"), Some("application/json"), "{method} {path}");
        assert!(!answer.error().is_empty(), "{method} {path}");
    }
    let chunked = format!(
        "POST /api/views HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{large}\r\n0\r\n\r\n",
        web.address(),
        large.len()
    );
    for (what, answer) in [
        ("of this length", web.request("POST", "/api/views").json(large).answer()),
        ("in chunks", Answer::read(web.send(chunked))),
    ] {
        assert_eq!((answer.status, answer.error().is_empty()), (413, false), "a large body, {what}");
    }
    let number = web.get("/api/notebooks/abc").answer().error();
    assert_eq!(number, "\"abc\" in the path is not a number, or is out of range");
    let wrong = web.request("DELETE", "/api/views").answer();
    assert_eq!(
        (wrong.header("allow"), &wrong.json()["hint"]),
        (Some("get,head,post"), &json!("it takes GET, HEAD, POST"))
    );
}

/// They are values for the database and text for a browser.
#[test]
#[ignore = "needs a server"]
fn names_with_quotes_and_marks_are_values() {
    let db = shared_site("names");
    let web = serving(&db);
    let with_marks = "<img src=x onerror=alert(1)>";
    for name in
        ["O'Neil", "'; DROP TABLE chess.games; --", with_marks, r#"\'"#, r#"" OR 1=1 --"#, "$1", "%", "{}", r#"ß"%_"#]
    {
        let value = encoded(name);
        for (path, status) in [
            ("games?player=", 200),
            ("explorer?player=", 200),
            ("reports/player?sections=summary&player=", 200),
            ("endings/thrown?player=", 200),
            ("tournaments?event=", 200),
            ("crosstable?event=", 404),
            ("players?prefix=", 200),
        ] {
            assert_eq!(web.get(&format!("/api/{path}{value}")).status(), status, "{path}{name}");
        }
        // the query that is shown gives the same games when it is pasted
        let counted = web.json(&format!("/api/games/count?player={value}"));
        assert_eq!(db.sql(counted["sql"].as_str().unwrap()), counted["games"].to_string(), "{counted}");
    }
    let answer = web.get(&format!("/api/games?player={}", encoded(with_marks))).answer();
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert!(answer.text().contains(with_marks), "{}", answer.text());
    let game = answer.json()["games"][0]["id"].as_str().unwrap().to_owned();
    let download = web.get(&format!("/api/games/{game}/pgn")).answer();
    assert_eq!(download.status, 200);
    assert!(download.head.contains("content-type: application/x-chess-pgn"), "no page: {}", download.head);
    let named = format!("filename=\"game-{game}.pgn\"").to_lowercase();
    assert!(download.head.contains(&named), "the server names the file: {}", download.head);
}

/// The list has every game once, in the order in which the database sorts them, and each with its nearest position.
#[test]
#[ignore = "needs a server"]
fn the_nearest_games_come_first() {
    let db = shared_site("near");
    let web = serving(&db);
    let board = "r1bqkbnr/pp1ppppp/2n5/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -";
    let near = format!("near={}", encoded(board));
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let (mut listed, mut after) = (Vec::new(), String::new());
    while listed.len() < 25 {
        let page = web.json(&format!("/api/games?limit=5&{near}{after}"));
        for game in page["games"].as_array().unwrap() {
            let told = [&game["distance"], &game["ply"], &game["fen"], &game["white"]["name"]];
            listed.push(told.map(word).join("|"));
        }
        after = format!("&after={}", page["next"].as_str().unwrap());
    }
    let expected = db.rows(&format!(
        "SELECT game <-> b, plyofnearest(game, b), getboard(game, plyofnearest(game, b)), white
         FROM chess.pgn_view, CAST('{board}' AS chessboard) AS b ORDER BY game <-> b, id LIMIT 25"
    ));
    assert_eq!(listed, expected);
    // the query that is shown and the export have the same order
    let page = web.json(&format!("/api/games?limit=25&{near}"));
    let shown = db.rows(page["sql"].as_str().unwrap());
    let whites: Vec<&str> = shown.iter().map(|row| row.split('|').nth(1).unwrap()).collect();
    assert_eq!(listed.iter().map(|row| row.rsplit('|').next().unwrap()).collect::<Vec<_>>(), whites);
    let text = web.get(&format!("/api/games/pgn?bare=1&{near}")).answer().text();
    let tags = text.lines().filter_map(|line| line.strip_prefix("[White \"")?.strip_suffix("\"]"));
    assert_eq!(tags.take(25).collect::<Vec<_>>(), whites);
}

#[test]
#[ignore = "needs a server"]
fn texts_of_games_are_read() {
    let web = serving(&shared_site("texts"));
    let read = |text: &str| web.request("POST", "/api/pgn").json(json!({ "pgn": text }).to_string());
    let other = read("[White \"A\"]\n\n1. e2e4 {x}\n\ne5 2. Sf3 (2. \u{2657}c4) *\n").answer();
    assert_eq!(other.status, 200, "other notation");
    let moves = other.json()["games"][0].to_string();
    assert!(moves.contains(r#""san":"Nf3""#), "a German knight: {moves}");
    let bishop = r#"{"parent":2,"san":"Bc4","uci":"f1c4","variation":true}"#;
    assert!(moves.contains(bishop), "a bishop's figurine: {moves}");
    let none: Value = read("\n").answer().json();
    assert_eq!(none, json!({ "games": [] }), "no game");
    for (what, text, status) in [
        ("nonsense", "<script>alert(1)</script> ((( {{{ ;", 200),
        ("deep nesting", &*format!("1. e4 {}", "(1. d4 ".repeat(20_000)), 200),
        ("too many moves", &*"Nf3 Nf6 Ng1 Ng8 ".repeat(25_001), 400),
        ("too long", &*"x".repeat(5_000_000), 413),
    ] {
        assert_eq!(read(text).status(), status, "{what}");
    }
    assert_eq!(read("1. e4").header("Sec-Fetch-Site", "cross-site").status(), 403, "a text of another site");
    assert_eq!(web.request("POST", "/api/pgn").json("{").status(), 400, "no JSON");
}

#[test]
#[ignore = "needs a server"]
fn a_right_that_is_missing_is_told_without_names() {
    let db = shared_site("missing_right");
    let web = reading(&db, &[]);
    assert_eq!(web.get("/api/puzzles").status(), 200);
    db.sql("REVOKE SELECT ON chess.puzzles FROM chess_web_read");
    let answer = web.get("/api/puzzles?after=1").answer();
    assert_eq!((answer.status, answer.text().contains("puzzles")), (403, false), "{}", answer.text());
}
