//! Who may write: the reading role nothing, a visitor what is the visitor's own.

use chess_system::{Answer, Request, Web};
use serde_json::{Value, json};

use crate::{serving, shared_site, wait_for_questions};

#[test]
#[ignore = "needs a server"]
fn the_reading_role_writes_nothing() {
    let db = shared_site("reader");
    // the first session makes its tables
    Visitor::new(&serving(&db));
    for statement in [
        "CREATE TABLE chess.x ()",
        "CREATE TEMP TABLE x ()",
        "DELETE FROM chess.games",
        "UPDATE chess.games SET eco = NULL",
        "SELECT pg_read_file('/etc/passwd')",
        "COPY chess.games TO PROGRAM 'cat'",
        "SELECT * FROM chess_web.sessions",
    ] {
        assert_eq!(db.session_as("chess_web_read").refuses(statement).code, "42501", "{statement}");
    }
    assert_eq!(db.session_as("chess_web_read").sql("SELECT count(*) > 50 FROM chess.games"), "t");
}

/// The secret in the session cookie that an answer sets.
pub(crate) fn secret_of(answer: &Answer) -> Option<String> {
    let (_, rest) = answer.header("set-cookie")?.strip_prefix("chess.")?.split_once('=')?;
    Some(rest.split(';').next()?.to_owned())
}

/// A visitor with a session.
pub(crate) struct Visitor<'a> {
    web: &'a Web,
    /// What the cookie holds.
    pub(crate) secret: String,
}

impl<'a> Visitor<'a> {
    /// Saves a filter, with which a session begins; also the answer.
    #[track_caller]
    pub(crate) fn new(web: &'a Web) -> (Visitor<'a>, Answer) {
        let answer = web.request("POST", "/api/views").json(r#"{"name":"x","url":"/?fen="}"#).answer();
        assert_eq!(answer.status, 201, "{}", answer.text());
        let secret = secret_of(&answer).expect("a cookie");
        (Visitor { web, secret }, answer)
    }

    /// One whose cookie has this secret.
    pub(crate) fn with(web: &'a Web, secret: &str) -> Visitor<'a> {
        Visitor { web, secret: secret.to_owned() }
    }

    /// A request with the cookie, under the name that it had in earlier versions.
    pub(crate) fn request(&self, method: &str, path: &str) -> Request {
        self.web.request(method, path).header("Cookie", &format!("chess={}", self.secret))
    }

    /// Sends a request with a body, unless that is an empty text.
    #[track_caller]
    pub(crate) fn ask(&self, method: &str, path: &str, body: impl ToString) -> Answer {
        let request = self.request(method, path);
        match body.to_string() {
            body if body.is_empty() => request.answer(),
            body => request.json(body).answer(),
        }
    }

    /// The same, with an answer of this status.
    #[track_caller]
    pub(crate) fn told(&self, status: u16, method: &str, path: &str, body: impl ToString) -> Answer {
        let answer = self.ask(method, path, body);
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text());
        answer
    }
}

/// Browsers ignore ports: they send the cookies of all servers on a host to each of them.
#[test]
#[ignore = "needs a server"]
fn two_servers_of_a_host_leave_each_other_their_sessions() {
    let webs = ["cookies_one", "cookies_two"].map(|name| serving(&shared_site(name)));
    let mut jar = std::collections::BTreeMap::<String, String>::new();
    for round in 1..=2 {
        for (at, web) in webs.iter().enumerate() {
            let sent = jar.iter().map(|(name, secret)| format!("{name}={secret}")).collect::<Vec<_>>().join("; ");
            let ask = |method: &str| web.request(method, "/api/views").header("Cookie", &sent);
            let made = ask("POST").json(r#"{"name":"x","url":"/?fen="}"#).answer();
            let (name, secret) = made.header("set-cookie").and_then(|set| set.split_once('=')).expect("a cookie");
            jar.insert(name.to_owned(), secret.split(';').next().unwrap_or_default().to_owned());
            if round == 2 {
                assert_eq!(ask("GET").answer().json()["views"].as_array().map(Vec::len), Some(2), "server {at}");
            }
        }
    }
    assert_eq!(jar.len(), 2, "{jar:?}");
}

/// A secure cookie of an earlier version continues as a plain one, which Safari keeps, too.
#[test]
#[ignore = "needs a server"]
fn cookies_of_earlier_versions_stay() {
    let web = serving(&shared_site("cookies_before"));
    let (mine, _) = Visitor::new(&web);
    for name in ["chess", "__Host-chess", "chess.00000000"] {
        let cookies = format!("{}={}; {name}={}", "chess.11111111", "0".repeat(64), mine.secret);
        let answer = web.request("GET", "/api/views").header("Cookie", &cookies).answer();
        assert_eq!(answer.json()["views"].as_array().map(Vec::len), Some(1), "{name}");
        assert_eq!(secret_of(&answer).as_ref(), Some(&mine.secret), "{name}: by its name of now");
    }
    let strange = web.request("GET", "/api/views").header("Cookie", &format!("chess={}", "0".repeat(64))).answer();
    assert_eq!(strange.header("set-cookie"), None, "what nobody has is not kept");
}

#[test]
#[ignore = "needs a server"]
fn filters_belong_to_a_session() {
    let db = shared_site("filters");
    let web = serving(&db);
    let (mine, made) = Visitor::new(&web);
    assert_eq!(mine.secret.len(), 64, "256 random bits");
    let cookie = made.header("set-cookie").expect("a cookie").to_owned();
    let attributes = format!("={}; path=/; max-age=31536000; httponly; samesite=lax", mine.secret);
    assert!(cookie.ends_with(&attributes), "{cookie}");
    let id = made.json()["id"].clone();
    let views = mine.told(200, "GET", "/api/views", "");
    assert_eq!(views.json()["views"][0]["name"], "x", "{}", views.text());
    assert_eq!(views.header("set-cookie"), Some(&*cookie), "for another year");
    let none = json!({ "views": [] });
    assert_eq!(web.json("/api/views"), none, "a stranger sees nothing of mine");
    let stranger = Visitor::with(&web, &mine.secret.replace(|c: char| c.is_ascii_digit(), "7"));
    stranger.told(404, "DELETE", &format!("/api/views/{id}"), "");
    Visitor::with(&web, "' OR true --").told(200, "GET", "/api/views", "");
    for (what, status, body) in [
        ("another site's address", 400, r#"{"name":"x","url":"//evil.example"}"#),
        ("a script as an address", 400, r#"{"name":"x","url":"javascript:alert(1)"}"#),
        ("a NUL in JSON", 400, r#"{"name":"a\u0000b","url":"/"}"#),
        ("no JSON", 400, "{"),
        ("another field", 422, r#"{"name":"x","url":"/","session_id":1}"#),
    ] {
        assert_eq!(mine.ask("POST", "/api/views", body).status, status, "{what}");
    }
    for (path, body) in [("/api/views", "7"), ("/api/notebooks/1/moves", r#"{"at":1,"moves":["e2e4"]}"#)] {
        let error = mine.told(422, "POST", path, body).error();
        assert!(error.contains("expected an object at line 1"), "{error}");
    }
    let told = db.sql(&format!("SELECT count(*) FROM chess_web.devices d WHERE d::text LIKE '%{}%'", mine.secret));
    assert_eq!(told, "0", "no secret in the database");
}

#[test]
#[ignore = "needs a server"]
fn notebooks_and_boards_belong_to_a_session() {
    let web = serving(&shared_site("belongings"));
    let (mine, _) = Visitor::new(&web);
    let made = mine.told(201, "POST", "/api/notebooks", json!({ "name": "Mine", "color": "white" })).json();
    let book = format!("/api/notebooks/{}", made["id"]);
    assert_eq!(web.get(&book).status(), 404, "a stranger's look at it");
    let root = mine.told(200, "GET", &book, "").json()["nodes"][0]["id"].clone();
    let nodes = format!("{book}/nodes");
    let first = mine.told(201, "POST", &nodes, json!({ "parent": root, "uci": "e2e4" })).json()["id"].clone();
    mine.told(200, "POST", &nodes, json!({ "parent": root, "uci": "e2e4" }));
    mine.told(400, "POST", &nodes, json!({ "parent": root, "uci": "e2e5" }));
    mine.told(404, "POST", &nodes, json!({ "parent": 1_000_000, "uci": "e2e4" }));
    let node = format!("{nodes}/{first}");
    mine.told(200, "PATCH", &node, json!({ "note": "<b>best</b>", "glyphs": [1, 14] }));
    mine.told(422, "PATCH", &node, json!({ "glyphs": [9999] }));
    let without = mine.told(200, "PATCH", &node, json!({ "glyphs": [] })).json();
    assert_eq!(
        (&without["glyph"], &without["glyphs"], &without["note"]),
        (&Value::Null, &json!([]), &json!("<b>best</b>")),
        "the note stays"
    );
    mine.told(204, "DELETE", &node, "");
    mine.told(400, "DELETE", &format!("{nodes}/{root}"), "");
    mine.told(201, "POST", "/api/boards", json!({ "name": "b", "pgn": "1. e4 (1. d4) e5 *" }));
    mine.told(400, "POST", "/api/boards", json!({ "name": "b", "pgn": "1. e5" }));
}

#[test]
#[ignore = "needs a server"]
fn a_board_is_replaced_only_by_who_knows_it() {
    let db = shared_site("versions");
    let web = serving(&db);
    let (mine, _) = Visitor::new(&web);
    let (other, _) = Visitor::new(&web);
    let made = mine.told(201, "POST", "/api/boards", json!({ "name": "b", "pgn": "1. e4 *", "key": "one" })).json();
    let path = format!("/api/boards/{}", made["id"]);
    let put = |status, pgn: &str, version: &Value, key: &str| {
        mine.told(status, "PUT", &path, json!({ "name": "b", "pgn": pgn, "version": version, "key": key })).json()
    };
    let stored = || mine.told(200, "GET", &path, "").json();
    assert_eq!(stored()["version"], made["version"]);
    let second = put(200, "1. e4 e5 *", &made["version"], "two");
    assert_ne!(second["version"], made["version"]);
    put(409, "1. e4 c5 *", &made["version"], "one");
    put(409, "1. e4 c5 *", &made["version"], "");
    assert_eq!((&stored()["pgn"], &stored()["version"]), (&json!("1. e4 e5 *"), &second["version"]));
    // its answer was lost
    put(200, "1. e4 e5 2. f4 *", &made["version"], "two");
    put(200, "1. e4 e6 *", &stored()["version"], "");
    put(409, "1. e4 *", &second["version"], "two");
    mine.told(422, "PUT", &path, json!({ "name": "b", "pgn": "1. e4 *" }));
    other.told(404, "PUT", &path, json!({ "name": "b", "pgn": "1. e4 *", "version": stored()["version"] }));

    let new = |visitor: &Visitor, pgn: &str, key: &str| {
        visitor.told(201, "POST", "/api/boards", json!({ "name": "c", "pgn": pgn, "key": key })).json()["id"].clone()
    };
    let id = new(&mine, "1. d4 *", "three");
    assert_eq!(new(&mine, "1. d4 d5 *", "three"), id, "sent again");
    assert_eq!(mine.told(200, "GET", &format!("/api/boards/{id}"), "").json()["pgn"], "1. d4 d5 *");
    assert_ne!(new(&mine, "1. d4 *", ""), new(&mine, "1. d4 *", ""));
    assert_ne!(new(&other, "1. c4 *", "three"), id);
    assert_eq!(mine.told(200, "GET", "/api/boards", "").json()["boards"].as_array().unwrap().len(), 4);
}

#[test]
#[ignore = "needs a server"]
fn a_board_that_is_sent_again_meanwhile_is_one_board() {
    let db = shared_site("resent");
    let web = serving(&db);
    let (mine, _) = Visitor::new(&web);
    let new = |key: &str| json!({ "name": "b", "pgn": "1. e4 *", "key": key }).to_string();
    let mut lock = db.session();
    lock.sql("BEGIN");
    // a new board waits for its session
    lock.sql("SELECT FROM chess_web.sessions FOR UPDATE");
    let sent = [(); 2].map(|()| mine.request("POST", "/api/boards").json(new("one")).sent());
    wait_for_questions(&db, 2);
    lock.sql("COMMIT");
    let [first, second] = sent.map(Answer::read);
    assert_eq!([first.status, second.status], [201, 201], "{} {}", first.text(), second.text());
    assert_eq!(first.json()["id"], second.json()["id"]);
    let count = || db.sql("SELECT count(*) FROM chess_web.boards");
    assert_eq!(count(), "1");

    db.sql(
        "INSERT INTO chess_web.boards (session_id, name, pgn)
         SELECT session_id, 'b', '1. e4 *' FROM chess_web.boards, generate_series(1, 499)",
    );
    mine.told(400, "POST", "/api/boards", new("two"));
    mine.told(400, "POST", "/api/boards", new(""));
    assert_eq!(mine.told(201, "POST", "/api/boards", new("one")).json()["id"], first.json()["id"], "no new board");
    assert_eq!(count(), "500");
}
