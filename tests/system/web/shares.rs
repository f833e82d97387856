//! Of everything that visitors share, one address can hold only a part while another one gets its answer.
//!
//! Each kind of places that the program names has the test of its name: it holds such places from one address, which is near,
//! and then asks from another one, which is far, for what needs such a place. Both come through a proxy that the server trusts,
//! so that their addresses are what a header says.

use std::fs::{read, read_dir, read_to_string};
use std::io::{ErrorKind, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use chess_system::{Answer, Database, Request, Server, Web, built, encoded, generated, skip, wait_for};
use serde_json::{Value, json};

use crate::places::{endless, own_address, told_and_open};
use crate::{hold, roles, wait_for_questions};

/// An engine that searches until it is stopped, but for depth 1.
const ENGINE: &str = r#"#!/bin/bash
line() { echo "info depth 12 nodes 1000 score cp 10 pv e2e4 e7e5"; }
while read -r word; do
  case $word in
  uci)
    echo "id name Patient"
    echo "option name Threads type spin default 1 min 1 max 9"
    echo "option name Hash type spin default 16 min 1 max 999"
    echo "option name MultiPV type spin default 1 min 1 max 9"
    echo uciok ;;
  isready) echo readyok ;;
  go*)
    line
    if [[ $word != *"depth 1" ]]; then
      # the status says that no word has come yet
      while read -r -t 0.05 word; [ $? -gt 128 ]; do line; done
    fi
    echo "bestmove e2e4" ;;
  esac
  [ "$word" != quit ] || exit
done
"#;

/// A loader that stores something of files of one name, and comes to no end with them while its chess-web runs.
const LOADER: &str = r#"#!/bin/sh
for last; do :; done
case $last in
slow*)
  echo '{"stored": 1, "before": 0}'
  while kill -0 $PPID; do sleep 0.1; done
  exit 1 ;;
esac
exec LOADER "$@"
"#;

const BOARD: &str = r#"{"name":"b","pgn":"1. e4 *"}"#;

/// A chess-web with everything that visitors share.
pub(crate) struct Crowd {
    pub(crate) db: Database<'static>,
    arguments: Vec<String>,
    pub(crate) web: Web,
}

/// A database whose games belong to the role that stores what visitors bring.
fn crowded(name: &str) -> Database<'static> {
    static CROWD: OnceLock<()> = OnceLock::new();
    let open = |db: &Database<'_>| db.sql(&format!("GRANT CREATE ON DATABASE {} TO chess_web", db.name()));
    CROWD.get_or_init(|| {
        let db = Database::on(Server::shared(), "crowd");
        roles(&db);
        open(&db);
        db.sql(
            "CREATE EXTENSION chess;
             ALTER DEFAULT PRIVILEGES FOR ROLE chess_web GRANT USAGE ON SCHEMAS TO chess_web_read;
             ALTER DEFAULT PRIVILEGES FOR ROLE chess_web GRANT SELECT ON TABLES TO chess_web_read",
        );
        // as PGN more than the buffers of a connection hold
        let games = db.file("games.pgn", generated(50, 8000));
        db.pgn("load --index").arg(games).env("PGUSER", "chess_web").succeeds();
    });
    let db = Database::copy("crowd", name);
    open(&db);
    db
}

impl Crowd {
    pub(crate) fn new(name: &str) -> Crowd {
        Crowd::with(name, &[])
    }

    /// One with further options.
    pub(crate) fn with(name: &str, options: &[&str]) -> Crowd {
        let db = crowded(&format!("crowd_{name}"));
        let loader = LOADER.replace("LOADER", built("chess-pgn").path().to_str().unwrap());
        let [engine, loader] = [("engine", ENGINE), ("loader", &loader)].map(|(name, text)| db.script(name, text));
        let arguments = "--trust-proxy 127.0.0.1 --upload --timeout 300 --rate 10000 --connections 200 \
                         --connections-per-address 40 --silence 600";
        let mut arguments: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
        for (option, value) in [
            ("--database", db.settings("chess_web_read")),
            ("--sessions", db.settings("chess_web")),
            ("--engine", engine.display().to_string()),
            ("--loader", loader.display().to_string()),
        ] {
            arguments.extend([option.to_owned(), value]);
        }
        arguments.extend(options.iter().map(|option| (*option).to_owned()));
        let web = Web::new(&db, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
        Crowd { db, arguments, web }
    }

    /// For each kind of places, how many there are and how many of them an address may have.
    fn places(&self) -> Vec<(String, usize, usize)> {
        let listed = built("chess-web").args(&self.arguments).arg("--places").writes();
        let line = |line: &str| {
            let mut words = line.split_whitespace();
            let mut word = || words.next().unwrap_or_else(|| panic!("{line}"));
            (word().to_owned(), word().parse().unwrap(), word().parse().unwrap())
        };
        listed.lines().map(line).collect()
    }

    /// The share of one address.
    fn each(&self, kind: &str) -> usize {
        let places = self.places();
        places.iter().find(|(name, ..)| name == kind).unwrap_or_else(|| panic!("no {kind}: {places:?}")).2
    }

    pub(crate) fn near(&self, method: &str, path: &str) -> Request {
        self.from("10.0.0.1", method, path)
    }

    pub(crate) fn far(&self, method: &str, path: &str) -> Request {
        self.from("10.0.0.2", method, path)
    }

    pub(crate) fn from(&self, address: &str, method: &str, path: &str) -> Request {
        self.web.request(method, path).header("X-Forwarded-For", address)
    }

    /// The status of a GET from far.
    fn answers(&self, path: &str) -> u16 {
        self.far("GET", path).status()
    }

    /// Sends requests from near, and waits until `under_way` of them are and the others were told 429.
    fn settled(&self, requests: impl IntoIterator<Item = Request>, under_way: usize) -> Vec<TcpStream> {
        settled(requests.into_iter().map(Request::sent).collect(), under_way)
    }

    /// Begins requests from near whose bodies do not come to their end.
    fn begun(&self, paths: impl IntoIterator<Item = String>, media_type: &str, under_way: usize) -> Vec<TcpStream> {
        let begin = |path: String| {
            let request = self.near("POST", &path).header("Content-Type", media_type);
            let mut stream = request.header("Content-Length", "1000").sent();
            // a server that refuses a request need not read it
            let _ = stream.write_all(b"{");
            stream
        };
        settled(paths.into_iter().map(begin).collect(), under_way)
    }

    pub(crate) fn job(&self, id: &Value) -> Value {
        let jobs = self.far("GET", "/api/uploads").answer().json();
        jobs["uploads"].as_array().unwrap().iter().find(|job| &job["id"] == id).cloned().unwrap_or_default()
    }

    /// Sends a file from far and waits for the end of its job: how many games it stored.
    pub(crate) fn stored(&self, name: &str, pgn: &str) -> Value {
        let answer = upload(self.far("POST", &format!("/api/uploads?name={name}")), pgn);
        assert_eq!(answer.status, 202, "{}", answer.text());
        let id = answer.json()["id"].clone();
        wait_for("the end of the job", || ["done", "failed"].iter().any(|stage| self.job(&id)["stage"] == *stage));
        self.job(&id)["stored"].clone()
    }

    /// Sends files from near with which the loader comes to no end: the jobs, and how many were refused.
    fn jobs(&self, count: usize) -> (Vec<Value>, usize) {
        let (mut cookie, mut jobs, mut refused) = (String::new(), Vec::new(), 0);
        for n in 0..count {
            let request = self.near("POST", &format!("/api/uploads?name=slow{n}.pgn")).header("Cookie", &cookie);
            let answer = upload(request, format!("1. e4 {n} *"));
            cookie = cookie_of(&answer).unwrap_or(cookie);
            match answer.status {
                202 => {
                    assert_eq!(answer.json()["removable"], true);
                    jobs.push(answer.json()["id"].clone());
                }
                429 => refused += 1,
                status => panic!("{status}: {}", answer.text()),
            }
        }
        (jobs, refused)
    }

    /// Loads this many games of two half-moves, after which e2e4 is legal: the paths of their analyses.
    pub(crate) fn games(&self, count: usize) -> Vec<String> {
        let moves = |n| format!("1. {}{} {}{} *\n\n", b"abcdfgh"[n % 7] as char, 3, b"abcdefgh"[n / 7] as char, 6);
        let games = self.db.file("short.pgn", (0..count).map(moves).collect::<String>());
        self.db.pgn("load").arg(games).env("PGUSER", "chess_web").succeeds();
        let ids = self.db.rows("SELECT id FROM chess.games WHERE ply_count = 2 ORDER BY id");
        assert_eq!(ids.len(), count);
        ids.iter().map(|id| format!("/api/games/{}/analysis", code_of(id))).collect()
    }

    /// Processes of the engine.
    fn engines(&self) -> Vec<PathBuf> {
        let engine = self.arguments.iter().skip_while(|word| *word != "--engine").nth(1).expect("an engine");
        let is_engine = |process: &PathBuf| {
            let words = read(process.join("cmdline")).unwrap_or_default();
            words.split(|byte| *byte == 0).nth(1) == Some(engine.as_bytes())
        };
        let processes = read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
        processes.filter(is_engine).collect()
    }

    /// Whether a search from far comes to its end.
    fn searches(&self) -> bool {
        let answer = self.far("GET", "/api/engine?depth=1&multipv=2").answer();
        answer.status == 200 && answer.text().contains("event: end")
    }

    /// Begins a session: the answer, and the cookie.
    pub(crate) fn session(&self, address: &str) -> (u16, String) {
        let answer = self.from(address, "POST", "/api/views").json(r#"{"name":"x","url":"/?fen="}"#).answer();
        (answer.status, cookie_of(&answer).unwrap_or_default())
    }

    /// Saves a board: its path.
    pub(crate) fn board(&self, address: &str, cookie: &str, board: &str) -> String {
        let saved = self.from(address, "POST", "/api/boards").header("Cookie", cookie).json(board).answer().json();
        format!("/api/boards/{}", saved["id"])
    }
}

pub(crate) fn upload(request: Request, file: impl AsRef<[u8]>) -> Answer {
    request.body("application/octet-stream", file.as_ref()).answer()
}

/// What an answer wants to have back, as a value of the header Cookie.
pub(crate) fn cookie_of(answer: &Answer) -> Option<String> {
    Some(answer.header("set-cookie")?.split(';').next()?.to_owned())
}

/// How the page writes the number of a game.
pub(crate) fn code_of(number: &str) -> String {
    let digits = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let number: usize = number.parse().expect("a number");
    (0..8).rev().map(|place| char::from(digits[number / 62_usize.pow(place) % 62])).collect()
}

/// The limit of a process's address space.
fn address_space(process: impl AsRef<Path>) -> String {
    let limits = read_to_string(process.as_ref().join("limits")).expect("limits");
    limits.lines().find(|line| line.starts_with("Max address space")).expect("a limit").to_owned()
}

/// The status of an answer of which nothing was read; `None` if there is none yet, 0 if there will be none.
fn status(connection: &TcpStream) -> Option<u16> {
    connection.set_nonblocking(true).unwrap();
    let mut said = [0; 12];
    match connection.peek(&mut said) {
        Err(error) if error.kind() == ErrorKind::WouldBlock => None,
        Ok(12) => Some(String::from_utf8_lossy(&said[9..]).parse().unwrap_or(0)),
        _ => Some(0),
    }
}

fn settled(connections: Vec<TcpStream>, under_way: usize) -> Vec<TcpStream> {
    wait_for(&format!("{under_way} of {} requests under way", connections.len()), || {
        let told: Vec<_> = connections.iter().map(status).collect();
        let count = |wanted| told.iter().filter(|told| **told == wanted).count();
        count(None) == under_way && count(Some(429)) == connections.len() - under_way
    });
    connections
}

#[test]
#[ignore = "needs a server"]
fn every_kind_is_shared_and_has_a_test() {
    let places = Crowd::new("kinds").places();
    assert!(places.len() > 5, "{places:?}");
    for (kind, most, each) in places {
        assert!(each < most || most == 1, "{kind}: one address has all of {most}");
        assert!(include_str!("shares.rs").contains(&format!("\nfn {kind}() {{\n")), "no test holds {kind}");
    }
}

#[test]
#[ignore = "needs a server"]
fn connections() {
    let Some(own) = own_address() else {
        return skip("connections that are shared: this machine has no address but its own", "a network");
    };
    let crowd = Crowd::new("connections");
    let each = crowd.each("connections");
    let limits =
        "-l 0.0.0.0:0 --public --trust-proxy 127.0.0.1 --connections 200 --connections-per-address 40 --silence 600";
    let reader = crowd.db.settings("chess_web_read");
    let more = ["--database", &reader, "--host", &own];
    let web = Web::new(&crowd.db, &limits.split(' ').chain(more).collect::<Vec<_>>());
    let (_, port) = web.address().rsplit_once(':').unwrap();
    let [outside, inside] = [&*own, "127.0.0.1"].map(|host| format!("{host}:{port}"));
    let mut held = endless(&web, &outside, each);
    for _ in 0..3 {
        assert_eq!(web.get("/api/status").at(&outside).status(), 429);
    }
    assert_eq!(web.get("/api/status").at(&inside).header("X-Forwarded-For", "10.0.0.2").status(), 200);
    assert_eq!(told_and_open(&mut held), (0, each), "they are all in work still");
}

#[test]
#[ignore = "needs a server"]
fn requests() {
    let crowd = Crowd::new("requests");
    let each = crowd.each("requests");
    let paths = vec!["/api/explorer/batch".to_owned(); each + 5];
    let _held = crowd.begun(paths, "application/json", each);
    assert_eq!(crowd.answers("/api/status"), 200);
}

#[test]
#[ignore = "needs a server"]
fn answers() {
    let crowd = Crowd::new("answers");
    let each = crowd.each("answers");
    let (_, cookie) = crowd.session("10.0.0.1");
    let ask = |path: &str, body: &str| {
        let request = crowd.near("POST", path).header("Cookie", &cookie);
        (if body.is_empty() { request } else { request.json(body) }).answer().json()
    };
    let book = ask("/api/notebooks", r#"{"name":"long"}"#)["id"].clone();
    let key = ask(&format!("/api/notebooks/{book}/share"), "")["key"].clone();
    // of an earlier version: each note comes twice
    let quarter = (each << 20) / 8;
    crowd.db.sql(&format!("UPDATE chess_web.notebook_nodes SET note = repeat('x', {quarter})"));
    let path = format!("/api/shared/{}", key.as_str().unwrap());
    // nobody reads them
    let held: Vec<_> = (0..6).map(|_| crowd.near("GET", &path).sent()).collect();
    wait_for("long answers", || {
        let told: Vec<_> = held.iter().filter_map(status).collect();
        let count = |wanted| told.iter().filter(|told| **told == wanted).count();
        count(200) == 4 && count(429) == 2
    });
    assert_eq!(crowd.near("GET", "/api/status").status(), 200, "a short one");
    let answer = crowd.far("GET", &path).answer();
    assert_eq!((answer.status, answer.body.len() > 2 * quarter), (200, true), "a long one of another address");
}

#[test]
#[ignore = "needs a server"]
fn questions() {
    let crowd = Crowd::new("questions");
    let each = crowd.each("questions");
    let _lock = hold(&crowd.db, "chess.players");
    let games = (1..each + 5).map(|n| crowd.near("GET", &format!("/api/games?sort=plies&limit={n}")));
    let _held = crowd.settled(games, each);
    wait_for_questions(&crowd.db, each);
    assert_eq!(crowd.answers("/api/games/count?result=1-0"), 200);
}

#[test]
#[ignore = "needs a server"]
fn searches() {
    let crowd = Crowd::new("searches");
    let each = crowd.each("searches");
    let _lock = hold(&crowd.db, "chess.players");
    let games = (0..each + 4).map(|n| crowd.near("GET", &format!("/api/games/count?player=near{n}&pattern=Nd5")));
    let _held = crowd.settled(games, each);
    assert_eq!(crowd.answers("/api/games/count?pattern=Nd5&result=1-0"), 200);
}

#[test]
#[ignore = "needs a server"]
fn reading() {
    let crowd = Crowd::new("reading");
    let each = crowd.each("reading");
    let _lock = hold(&crowd.db, "chess.players");
    // a single game is no question that takes turns
    let games = (1..each + 20).map(|n| crowd.near("GET", &format!("/api/games/{n:08}/pgn")));
    let _held = crowd.settled(games, each);
    assert_eq!(crowd.answers("/api/games/count?result=0-1"), 200);
}

#[test]
#[ignore = "needs a server"]
fn what_is_looked_for_takes_turns() {
    let crowd = Crowd::new("turns");
    let each = crowd.each("questions");
    for (table, path) in [
        ("chess.puzzles", (|n| format!("/api/puzzles?theme=fork&after={n}")) as fn(usize) -> String),
        ("chess.puzzles", |_| "/api/puzzles/themes".to_owned()),
        ("chess.players", |n| format!("/api/games/{n:08}?pattern=Nd5")),
        ("chess.sources", |_| "/api/sources".to_owned()),
        ("chess.rejected", |n| format!("/api/sources/{n}/rejected")),
    ] {
        let _lock = hold(&crowd.db, table);
        let _held = crowd.settled((1..each + 5).map(|n| crowd.near("GET", &path(n))), each);
        wait_for_questions(&crowd.db, each);
    }
}

#[test]
#[ignore = "needs a server"]
fn bodies() {
    let crowd = Crowd::new("bodies");
    // of 4 MiB each, which never come
    let begun = |_| {
        crowd.near("POST", "/api/pgn").header("Content-Type", "application/json").header("Content-Length", "4194304")
    };
    let most = crowd.each("bodies") / 4;
    let _held = crowd.settled((0..most + 3).map(begun), most);
    let games = |request: Request, length| {
        request.json(json!({ "pgn": format!("1. e4 {{{}}} *", "x".repeat(length)) }).to_string())
    };
    assert_eq!(games(crowd.near("POST", "/api/pgn"), 10).status(), 200, "a short one");
    assert_eq!(games(crowd.near("POST", "/api/pgn"), 2 << 20).status(), 429);
    assert_eq!(games(crowd.far("POST", "/api/pgn"), 2 << 20).status(), 200, "a long one of another address");
}

#[test]
#[ignore = "needs a server"]
fn saving() {
    let crowd = Crowd::new("saving");
    let (_, cookie) = crowd.session("10.0.0.1");
    let path = crowd.board("10.0.0.1", &cookie, BOARD);
    let stored = crowd.near("GET", &path).header("Cookie", &cookie).answer().json();
    let board = json!({ "name": "b", "pgn": "1. e4 *", "version": stored["version"] }).to_string();
    let mut lock = crowd.db.session();
    lock.sql("BEGIN");
    lock.sql("SELECT FROM chess_web.boards FOR UPDATE");
    let saves = (0..20).map(|_| crowd.near("PUT", &path).header("Cookie", &cookie).json(board.as_str()));
    let _held = crowd.settled(saves, crowd.each("saving"));
    assert_eq!(crowd.session("10.0.0.2").0, 201);
}

#[test]
#[ignore = "needs a server"]
fn finding() {
    let crowd = Crowd::new("finding");
    let each = crowd.each("finding");
    let search = || crowd.near("GET", "/api/engine?depth=1&multipv=1");
    assert_eq!(search().status(), 200);
    // what the search from far finds is in another row
    let mut lock = crowd.db.session();
    lock.sql("BEGIN");
    lock.sql("SELECT FROM chess.analysis FOR UPDATE");
    let _held: Vec<_> = (0..each).map(|_| search().sent()).collect();
    wait_for_questions(&crowd.db, each);
    assert!(crowd.searches());
}

#[test]
#[ignore = "needs a server"]
fn engines() {
    let crowd = Crowd::new("engines");
    let held: Vec<_> = (0..crowd.each("engines")).map(|_| crowd.near("GET", "/api/engine?depth=60").sent()).collect();
    wait_for("searches", || held.iter().all(|search| status(search) == Some(200)));
    assert!(crowd.searches());
}

#[test]
#[ignore = "needs a server"]
fn exports() {
    let crowd = Crowd::new("exports");
    let each = crowd.each("exports");
    // all games, which nobody reads
    let held: Vec<_> = (0..=each).map(|_| crowd.near("GET", "/api/games/pgn").sent()).collect();
    wait_for("exports", || {
        let told: Vec<_> = held.iter().filter_map(status).collect();
        let count = |wanted| told.iter().filter(|told| **told == wanted).count();
        count(200) == each && count(429) == 1
    });
    let answer = crowd.far("GET", "/api/games/pgn?result=1-0").answer();
    assert_eq!(answer.status, 200);
    let games = crowd.db.sql("SELECT count(*) FROM chess.games WHERE result = '1-0'");
    assert_eq!(answer.text().matches("[Event ").count().to_string(), games);
}

#[test]
#[ignore = "needs a server"]
fn parsing() {
    let crowd = Crowd::new("parsing");
    let pattern = |at: usize| {
        let parts: Vec<_> = (at..at + 60).map(|n| format!("(flip(Nd{}))", n % 8 + 1)).collect();
        encoded(&format!("Nd5 {}", parts.join(" or ")))
    };
    let path = |at| format!("/api/pattern?pattern={}", pattern(at));
    let _held: Vec<_> = (0..35).map(|at| crowd.near("GET", &path(at)).sent()).collect();
    assert_eq!(crowd.answers("/api/pattern?pattern=Nd5"), 200);
}

#[test]
#[ignore = "needs a server"]
fn arriving() {
    let crowd = Crowd::new("arriving");
    let each = crowd.each("arriving");
    let paths = (0..each + 3).map(|n| format!("/api/uploads?name=begun{n}.pgn"));
    let _held = crowd.begun(paths, "application/octet-stream", each);
    assert_eq!(crowd.stored("far.pgn", "[White \"Far\"]\n\n1. e4 *\n"), 1);
}

#[test]
#[ignore = "needs a server"]
fn jobs() {
    let crowd = Crowd::new("jobs");
    let each = crowd.each("jobs");
    let (jobs, refused) = crowd.jobs(each + 2);
    assert_eq!((jobs.len(), refused), (each, 2), "files of one address that wait");
    let waits = upload(crowd.far("POST", "/api/uploads?name=waits.pgn"), "[White \"Waits\"]\n\n1. d4 *\n");
    assert_eq!(waits.status, 202, "{}", waits.text());
}

#[test]
#[ignore = "needs a server"]
fn loading() {
    let crowd = Crowd::new("loading");
    let (jobs, _) = crowd.jobs(3);
    wait_for("a load", || {
        let job = crowd.job(&jobs[0]);
        assert!(job["error"].is_null(), "{job}");
        job["stage"] == "loading"
    });
    assert_eq!(crowd.stored("turn.pgn", "[White \"Turn\"]\n\n1. c4 *\n"), 1);
}

#[test]
#[ignore = "needs a server"]
fn analyses() {
    let crowd = Crowd::new("analyses");
    let (_, most, each) = crowd.places().into_iter().find(|(kind, ..)| kind == "analyses").unwrap();
    let games = crowd.games(most + 1);
    let asked = |address: &str, games: &[String]| -> Vec<u16> {
        games.iter().map(|game| crowd.from(address, "POST", game).status()).collect()
    };
    assert_eq!(asked("10.0.0.1", &games[..each + 1]), [vec![202; each], vec![429]].concat(), "of one address");
    assert_eq!(asked("10.0.0.1", &games[..1]), [202], "one that is asked for already");
    // other addresses have the rest
    for (at, part) in games[each..].chunks(each).enumerate() {
        let rest = most - (at + 1) * each;
        let expected: Vec<u16> = (0..part.len()).map(|n| if n < rest { 202 } else { 503 }).collect();
        assert_eq!(asked(&format!("10.0.0.{}", at + 3), part), expected, "{at}");
    }
    // Analyses take no places of files, so uploads go on while many games wait for the engine.
    assert_eq!(upload(crowd.near("POST", "/api/uploads?name=near.pgn"), "1. e4 a5 *").status, 202);
    assert_eq!(crowd.stored("far.pgn", "[White \"Far\"]\n\n1. e4 *\n"), 1);
}

#[test]
#[ignore = "needs a server"]
fn analyzing() {
    let crowd = Crowd::new("analyzing");
    let games = crowd.games(2);
    // the engine comes to no end with either
    let near = crowd.near("POST", &games[0]).answer();
    let far = crowd.far("POST", &games[1]).answer();
    let [first, second] = [&near, &far].map(|answer| answer.json()["id"].clone());
    let stages = || [&first, &second].map(|id| crowd.job(id)["stage"].as_str().unwrap_or_default().to_owned());
    wait_for("an analysis", || stages() == ["analyzing", "waiting"] && !crowd.engines().is_empty());
    assert_eq!(address_space(&crowd.engines()[0]), address_space("/proc/self"), "the memory of an engine");
    wait_for("the turn of another address", || stages() == ["waiting", "analyzing"]);
    wait_for("one engine", || crowd.engines().len() == 1);
    wait_for("the turn of the first one", || stages() == ["analyzing", "waiting"]);
    for (answer, id) in [(&far, &second), (&near, &first)] {
        let cancel = crowd.near("DELETE", &format!("/api/uploads/{id}")).header("Cookie", &cookie_of(answer).unwrap());
        assert_eq!(cancel.status(), 204);
    }
    assert_eq!(stages(), ["cancelled", "cancelled"]);
    wait_for("the end of the engine", || crowd.engines().is_empty());
}

#[test]
#[ignore = "needs a server"]
fn a_file_that_comes_byte_by_byte_is_refused() {
    let crowd = Crowd::new("drops");
    let request = crowd.near("POST", "/api/uploads?name=drops.pgn").header("Content-Type", "application/octet-stream");
    let connection = request.header("Content-Length", "100000").sent();
    let mut sender = connection.try_clone().unwrap();
    thread::spawn(move || {
        while sender.write_all(b".").is_ok() {
            thread::sleep(Duration::from_secs(2));
        }
    });
    assert_eq!(Answer::read(connection).status, 408);
    assert_eq!(crowd.answers("/api/status"), 200);
}
