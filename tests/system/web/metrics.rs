//! The numbers for a monitor: they count what visitors do, and no address but the monitor's tells them.

use chess_system::{Client, Web, wait_for};

use crate::places::endless;
use crate::{hold, serving_with, shared_site};

const MONITOR: [&str; 2] = ["--metrics", "127.0.0.1:0"];

/// Where a chess-web tells its numbers.
fn address(web: &Web) -> String {
    let mut found = None;
    wait_for("the address of the monitor", || {
        let said = web.said();
        let line = said.lines().nth(1).and_then(|line| line.strip_prefix("http://")?.strip_suffix("/metrics"));
        found = line.map(str::to_owned);
        found.is_some()
    });
    found.expect("an address")
}

/// A number by its name and labels; 0 if it is not told.
fn number(web: &Web, name: &str) -> f64 {
    let answer = web.get("/metrics").at(&address(web)).answer();
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4"));
    let text = answer.text();
    let found = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok());
    found.unwrap_or(0.0)
}

fn monitored(db: &Client, more: &[&str]) -> Web {
    serving_with(db, &[&MONITOR[..], more].concat())
}

#[test]
#[ignore = "needs a server"]
fn what_visitors_do_is_counted() {
    let db = shared_site("metrics");
    let web = monitored(&db, &[]);
    assert_eq!(number(&web, "chess_web_database_up"), 1.0);
    assert!(number(&web, "chess_web_games") > 50.0);
    assert_eq!(number(&web, &format!("chess_web_info{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"))), 1.0);
    let asked = "chess_web_question_seconds_count{path=\"/api/players\",status=\"200\"}";
    let wrong = "chess_web_question_seconds_count{path=\"/api/games/{id}\",status=\"404\"}";
    for count in 1..=3 {
        assert_eq!(web.get("/api/players?prefix=Kas").status(), 200);
        assert_eq!(web.get("/api/games/9").status(), 404);
        assert_eq!((number(&web, asked), number(&web, wrong)), (count.into(), count.into()));
    }
    assert_eq!(
        number(&web, "chess_web_question_seconds_bucket{path=\"/api/players\",status=\"200\",le=\"+Inf\"}"),
        3.0
    );
    // other tests write to this server, so an answer is kept only for a moment
    wait_for("an answer from the cache", || {
        web.json("/api/explorer");
        number(&web, "chess_web_cache_questions_total{answer=\"cache\"}") > 0.0
    });
    assert!(number(&web, "chess_web_cache_questions_total{answer=\"new\"}") > 0.0);
    assert!(number(&web, "chess_web_cache_bytes") > 0.0);
}

#[test]
#[ignore = "needs a server"]
fn places_and_refusals_are_counted() {
    let db = shared_site("metrics_places");
    let web = monitored(&db, &["--pool", "2", "--timeout", "600"]);
    assert_eq!(number(&web, "chess_web_places{kind=\"reading\"}"), 2.0);
    assert_eq!(number(&web, "chess_web_places{kind=\"loading\"}"), 1.0);
    assert_eq!(number(&web, "chess_web_refused_total{kind=\"searches\"}"), 0.0);
    let held = hold(&db, "chess.games");
    let waits = web.get("/api/games/count?pattern=Nd5").sent();
    wait_for("a search", || number(&web, "chess_web_places_taken{kind=\"searches\"}") == 1.0);
    let second = web.get("/api/games/count?pattern=Ne5").sent();
    wait_for("another one that waits", || number(&web, "chess_web_places_waiting{kind=\"searches\"}") == 1.0);
    wait_for("its refusal", || number(&web, "chess_web_refused_total{kind=\"searches\"}") == 1.0);
    drop((held, waits, second));
    wait_for("free places", || number(&web, "chess_web_places_taken{kind=\"searches\"}") == 0.0);
}

#[test]
#[ignore = "needs a server"]
fn uploads_are_counted() {
    let db = shared_site("metrics_uploads");
    let web = Web::new(&db, &[&MONITOR[..], &["--upload"]].concat());
    let pgn = "[White \"Ann\"]\n\n1. e4 e5 1/2-1/2\n";
    let sent = web.request("POST", "/api/uploads?name=a.pgn").body("application/octet-stream", pgn);
    assert_eq!(sent.status(), 202);
    assert_eq!(number(&web, "chess_web_upload_bytes_total"), pgn.len() as f64);
    wait_for("the end of the upload", || number(&web, "chess_web_uploads_total{end=\"done\"}") == 1.0);
}

#[test]
#[ignore = "needs a server"]
fn only_the_monitor_is_told() {
    let db = shared_site("metrics_secret");
    let password = db.file("password", "secret\n");
    let web = monitored(&db, &["--password-file", password.to_str().expect("a path")]);
    let asked = |host: Option<&str>, word: &str| {
        let at = address(&web);
        let request = web.get("/metrics").at(&at).header("Host", host.unwrap_or(&at));
        if word.is_empty() { request } else { request.header("Authorization", word) }.status()
    };
    assert_eq!(asked(None, ""), 401);
    assert_eq!(asked(None, "Basic eDpzZWNyZXQ="), 200);
    assert_eq!(asked(Some("evil.example"), "Basic eDpzZWNyZXQ="), 403, "a page that has this machine's address");
    let page = web.get("/metrics").header("Authorization", "Basic eDpzZWNyZXQ=").answer();
    assert!(!page.text().contains("chess_web_"), "the address of the page tells nothing");
    let open = chess_system::built("chess-web").args(["-d", "nowhere", "--metrics", "0.0.0.0:0"]).fails();
    assert!(open.contains("0.0.0.0 can be reached from other machines"), "{open}");
}

#[test]
#[ignore = "needs a server"]
fn nobody_hides_the_numbers() {
    let web = monitored(&shared_site("hidden"), &["--connections", "4", "--timeout", "600"]);
    let monitor = address(&web);
    let _held = endless(&web, web.address(), 4);
    assert_eq!(web.get("/metrics").at(&monitor).status(), 200);
}
