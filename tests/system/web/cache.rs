//! The same question again gets the same answer from memory as long as nothing was written, and another one as soon as something
//! was: games, names, by whatever means. No answer is kept where that cannot be told.

use std::fs;

use chess_system::{Answer, Server, Web, wait_for};
use serde_json::json;

use crate::{reading, site};

/// A server of its own, because any write there changes what is kept: that of autovacuum, too. A crash loses nothing.
fn calm() -> Server {
    let server = Server::stopped(&["fsync = on", "autovacuum = off"], 5432);
    server.start();
    server
}

/// Asks for a path with tags of earlier answers: the status, the tag, and the answer.
fn ask(web: &Web, path: &str, tags: &str) -> (u16, String, Answer) {
    let request = web.get(path);
    let answer = if tags.is_empty() { request.answer() } else { request.header("If-None-Match", tags).answer() };
    (answer.status, answer.header("etag").unwrap_or_default().to_owned(), answer)
}

/// Asks until the answer has a tag: its tag and the answer.
fn quiet(web: &Web, path: &str) -> (String, Answer) {
    let mut found = None;
    wait_for(&format!("an answer to {path} with a tag"), || {
        let (_, tag, answer) = ask(web, path, "");
        found = (!tag.is_empty()).then_some((tag, answer));
        found.is_some()
    });
    found.expect("an answer")
}

/// How many games an answer counts.
fn games(answer: &Answer) -> i64 {
    let answer = answer.json();
    answer["games"]
        .as_i64()
        .unwrap_or_else(|| ["white", "draws", "black"].iter().filter_map(|n| answer[n].as_i64()).sum())
}

#[test]
#[ignore = "needs a server"]
fn the_same_question_has_the_same_tag() {
    let server = calm();
    let db = site(&server, "chess");
    let web = reading(&db, &[]);
    for path in [
        "/api/explorer?play=e2e4&reached=1",
        "/masters?play=e4",
        "/lichess",
        "/api/games?limit=5",
        "/api/games/count?result=1-0",
        "/api/reports/player?player=Tal,+Mikhail",
        "/api/tournaments?event=London",
    ] {
        let (first, answer) = quiet(&web, path);
        assert_eq!(first.len(), 26, "{path}: {first}");
        let (status, tag, again) = ask(&web, path, &format!("\"x\", {first}"));
        assert_eq!((status, &tag, again.text().as_str()), (304, &first, ""), "{path}");
        let (status, tag, again) = ask(&web, path, "\"x\"");
        assert_eq!((status, tag, again.text()), (200, first.clone(), answer.text()), "{path}");
        let (_, tag, _) = ask(&web, &format!("{path}&orient=x"), "");
        assert_ne!(tag, first, "another question than {path}");
    }
    let (_, tag, answer) = ask(&web, "/api/status", "");
    assert_eq!((tag.as_str(), answer.header("cache-control")), ("", Some("no-store")), "the status is not kept");
    let (status, tag, _) = ask(&web, "/api/explorer?fen=x", "");
    assert_eq!((status, tag.as_str()), (400, ""), "an error is not kept");
}

#[test]
#[ignore = "needs a server"]
fn what_is_written_shows_at_once() {
    let server = calm();
    let db = site(&server, "chess");
    let web = reading(&db, &[]);
    let path = "/api/games/count";
    let (mut tag, answer) = quiet(&web, path);
    let before = games(&answer);
    for round in 1..=8 {
        let id = db.sql(&format!(
            "INSERT INTO chess.games (game, result, date) VALUES ('1. e4 e5 2. Ke2', '1-0', '2020.01.0{round}') RETURNING id"
        ));
        let (status, _, answer) = ask(&web, path, &tag);
        assert_eq!((status, games(&answer)), (200, before + 1), "round {round}: after INSERT");
        let (with, answer) = quiet(&web, path);
        assert_eq!(games(&answer), before + 1, "round {round}: after INSERT, again");
        db.sql(&format!("DELETE FROM chess.games WHERE id = {id}"));
        let (status, _, answer) = ask(&web, path, &with);
        assert_eq!((status, games(&answer)), (200, before), "round {round}: after DELETE");
        tag = quiet(&web, path).0;
    }

    let name = db.sql(
        "SELECT quote_literal(name) FROM chess.players p JOIN chess.games g ON g.white_id = p.id ORDER BY g.id LIMIT 1",
    );
    let plain = |table| db.sql(&format!("SELECT min(name) FROM chess.{table} WHERE name ~ '^[A-Za-z ]+$'"));
    let (event, site) = (plain("events"), plain("sites"));
    for (change, undo, path) in [
        (
            &*format!("UPDATE chess.players SET name = name || '!' WHERE name = {name}"),
            "UPDATE chess.players SET name = left(name, -1) WHERE name LIKE '%!'",
            "/api/games?limit=200",
        ),
        (
            "ALTER TABLE chess.games DISABLE TRIGGER ALL; UPDATE chess.games SET eco = 'Z' || eco WHERE eco IS NOT NULL;
             ALTER TABLE chess.games ENABLE TRIGGER ALL",
            "UPDATE chess.games SET eco = substr(eco, 2) WHERE eco LIKE 'Z%'",
            "/api/explorer",
        ),
        (
            "ALTER TABLE chess.events RENAME TO events_; CREATE TABLE chess.events AS TABLE chess.events_;
             UPDATE chess.events SET name = name || '?'; GRANT SELECT ON chess.events TO PUBLIC",
            "DROP TABLE chess.events; ALTER TABLE chess.events_ RENAME TO events",
            &*format!("/api/games/count?event={}", event.replace(' ', "+")),
        ),
        (
            &*format!(
                "UPDATE chess.sites SET same_as = (SELECT id FROM chess.sites WHERE name = '{site}')
                 WHERE id = (SELECT max(id) FROM chess.sites)"
            ),
            "UPDATE chess.sites SET same_as = NULL",
            &*format!("/api/games/count?site={}", site.replace(' ', "+")),
        ),
    ] {
        let (first, answer) = quiet(&web, path);
        db.sql(change);
        let (status, _, other) = ask(&web, path, &first);
        assert!(status == 200 && other.body != answer.body, "{change}: {status} {}", other.text());
        db.sql(undo);
        let (status, _, same) = ask(&web, path, &first);
        assert_eq!((status, same.text()), (200, answer.text()), "{undo}");
    }

    // a word of another table makes every answer forgotten
    db.sql("CREATE TABLE chess.counted (n integer)");
    std::thread::scope(|scope| {
        scope.spawn(|| (0..40).for_each(|_| drop(db.sql("INSERT INTO chess.counted VALUES (1)"))));
        for _ in 0..20 {
            let (status, _, answer) = ask(&web, "/api/games/count", "");
            assert_eq!((status, games(&answer)), (200, before), "a count while something else is written");
        }
    });
}

#[test]
#[ignore = "needs a server"]
fn odd_dates_and_names_are_answered() {
    let server = calm();
    let db = site(&server, "chess");
    let web = reading(&db, &[]);
    // A table can have such dates, although no PGN has them, and one of them must not make the whole history an error.
    db.sql(
        "INSERT INTO chess.games (game, result, dates) SELECT '1. h4 h5', '1-0', d::daterange
         FROM unnest(ARRAY['[2020-01-01,infinity)', '[-infinity,2020-01-01)', '(,)', 'empty', '[5874000-01-01,5874000-01-02)', '[2020-02-01,2020-02-02)']) d",
    );
    let history = web.json("/lichess?play=h2h4,h7h5&history=1")["history"].clone();
    assert_eq!(history, json!([{ "month": "2020-02", "white": 1, "draws": 0, "black": 0 }]));
    // The locale of this server is C, which has no lower case beyond ASCII.
    db.sql("INSERT INTO chess.events (name) VALUES ('Österreich'); INSERT INTO chess.sites (name) VALUES ('İzmir'); INSERT INTO chess.players (name) VALUES ('Żak, A')");
    for (names, prefix) in [("events", "%C3%96STER"), ("sites", "%C4%B0z"), ("players", "%C5%BB")] {
        let answer = web.json(&format!("/api/{names}?prefix={prefix}"));
        assert_eq!(answer[names].as_array().map(Vec::len), Some(1), "{answer}");
    }
}

#[test]
#[ignore = "needs a server"]
fn nothing_is_kept_where_a_snapshot_does_not_tell_everything() {
    let server = calm();
    let db = site(&server, "chess");
    let web = reading(&db, &[]);
    let (first, _) = quiet(&web, "/lichess");
    for (what, make, undo) in [
        (
            "a policy",
            "CREATE TABLE public.policed (); CREATE POLICY hours ON public.policed USING (now() > '2000-01-01')",
            "DROP TABLE public.policed",
        ),
        (
            "a foreign table",
            "CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing; CREATE FOREIGN TABLE public.far () SERVER nowhere",
            "DROP FOREIGN DATA WRAPPER nothing CASCADE",
        ),
    ] {
        db.sql(make);
        let (status, tag, _) = ask(&web, "/lichess", &first);
        assert_eq!((status, tag.as_str()), (200, ""), "with {what}");
        db.sql(undo);
    }
    assert_ne!(quiet(&web, "/lichess").0, first, "without");
}

#[test]
#[ignore = "needs a server"]
fn a_crash_and_another_process_forget() {
    let server = calm();
    let db = site(&server, "chess");
    let web = reading(&db, &[]);
    let (first, _) = quiet(&web, "/lichess");
    let other = reading(&db, &[]);
    assert_eq!(ask(&other, "/lichess", &first).0, 200, "tags of another process");
    let state = "SELECT concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())";
    let was = db.sql(state);
    let killed = db.sql("SELECT pid FROM pg_stat_activity WHERE backend_type = 'background writer'");
    assert!(server.command("kill").args(["-9", &killed]).status().expect("kill").success());
    wait_for("the end of the process", || !fs::exists(format!("/proc/{killed}")).expect("/proc"));
    let mut now = String::new();
    wait_for("a server after its crash", || {
        now = db.try_session_as("postgres").map(|mut session| session.sql(state)).unwrap_or_default();
        !now.is_empty() && now != was
    });
    let mut after = 503;
    wait_for("chess-web after the crash of the server", || {
        after = ask(&web, "/lichess", &first).0;
        after != 503
    });
    assert_eq!(after, 200, "what was kept before a crash is forgotten");
}
