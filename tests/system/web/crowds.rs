//! Too much, too long, too many: what one client asks for leaves room for others. Questions last as long as a test needs, because
//! they wait for a lock that it holds.

use std::collections::HashMap;
use std::fs;
use std::io::{ErrorKind, Read as _};
use std::net::TcpStream;
use std::thread::scope;
use std::time::{Duration, Instant};

use chess_system::{Answer, Database, PATIENCE, Web, built, wait_for};

use crate::{hold, reading, serving, shared_site, wait_for_questions, waiting};

/// Lists of games, which wait for a lock on the players' names.
const SLOW: &str = "/api/games?sort=plies&limit=";
/// What needs no database.
const QUICK: &str = "/api/pattern?pattern=Nd5";

#[test]
#[ignore = "needs a server"]
fn requests_may_only_be_so_large() {
    let web = serving(&shared_site("large"));
    let large = "x".repeat(1_000_000);
    assert_eq!(web.request("POST", "/api/views").json(&*large).status(), 413, "a body of 1 MB");
    let chunked = format!(
        "POST /api/views HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nf4240\r\n{large}\r\n0\r\n\r\n",
        web.address()
    );
    assert_eq!(Answer::read(web.send(chunked)).status, 413, "one that does not say how long it is");
    assert_eq!(web.get("/").header("X-Large", &large[..100_000]).status(), 431, "a head of 100 kB");
}

#[test]
#[ignore = "needs a server"]
fn questions_may_only_take_so_long() {
    let db = shared_site("long_questions");
    let web = reading(&db, &["--timeout", "1"]);
    // a first answer takes more than a second on a slow machine
    wait_for("an answer within a second", || web.get(&format!("{SLOW}20")).status() == 200);
    let _lock = hold(&db, "chess.players");
    let late = web.get(&format!("{SLOW}1")).answer();
    assert_eq!(late.status, 504);
    assert!(late.text().contains("\"hint\""), "what would make it faster: {}", late.text());
}

/// How many clients are connected to a server.
fn connected(web: &Web) -> usize {
    let (_, port) = web.address().split_once(':').expect("a port");
    let server = format!(":{:04X}", port.parse::<u16>().expect("a port"));
    let table = fs::read_to_string("/proc/net/tcp").expect("connections");
    let fields = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    // its clients' ends that are established
    table.lines().map(fields).filter(|line| line[2].ends_with(&server) && line[3] == "01").count()
}

#[test]
#[ignore = "needs a server"]
fn slow_questions_let_others_pass() {
    let db = shared_site("slow_questions");
    let web = reading(&db, &["--timeout", "600"]);
    assert_eq!(web.get(&format!("{SLOW}20")).status(), 200);
    let ask = |limit: usize| web.get(&format!("{SLOW}{limit}")).status();

    let lock = hold(&db, "chess.players");
    scope(|scope| {
        let asked: Vec<_> = (1..=6).map(|limit| scope.spawn(move || ask(limit))).collect();
        wait_for_questions(&db, 6);
        assert_eq!(web.get(QUICK).status(), 200, "others are answered meanwhile");
        drop(lock);
        assert!(asked.into_iter().all(|asked| asked.join().unwrap() == 200), "then those are answered");
    });

    let lock = hold(&db, "chess.players");
    scope(|scope| {
        let asked: Vec<_> = (1..=6).map(|_| scope.spawn(move || ask(7))).collect();
        wait_for("six clients", || connected(&web) == 6);
        // their questions came first
        assert_eq!(web.get(QUICK).status(), 200, "six clients and another one");
        wait_for_questions(&db, 1);
        assert_eq!(waiting(&db).len(), 1, "the same question six times at once is asked once");
        drop(lock);
        assert!(asked.into_iter().all(|asked| asked.join().unwrap() == 200), "and answered six times");
    });

    let _lock = hold(&db, "chess.players");
    let leaves = web.get(&format!("{SLOW}8")).sent();
    wait_for_questions(&db, 1);
    drop(leaves);
    wait_for_questions(&db, 0);
}

/// A connection to the database that is lost in the middle of an answer: the question is asked once more, then the client is told.
#[test]
#[ignore = "needs a server"]
fn a_lost_connection_gives_a_clear_answer() {
    let db = shared_site("lost_connection");
    let web = reading(&db, &["--timeout", "600"]);
    let question = "/api/games?limit=3";
    let lock = hold(&db, "chess.players");
    scope(|scope| {
        let asked = scope.spawn(|| web.get(question).answer());
        wait_for_questions(&db, 1);
        let first = waiting(&db).remove(0);
        db.sql(&format!("SELECT pg_terminate_backend({first})"));
        let mut again = None;
        wait_for("the question once more", || {
            again = waiting(&db).into_iter().find(|pid| *pid != first);
            again.is_some()
        });
        db.sql(&format!("SELECT pg_terminate_backend({})", again.expect("a process")));
        let answer = asked.join().unwrap();
        assert_eq!((answer.status, &*answer.error()), (503, "the database does not answer"));
    });
    drop(lock);
    assert_eq!(web.json(question)["games"].as_array().map(Vec::len), Some(3), "the next question is answered");
}

/// The most memory that a chess-web has had, in kB.
fn peak(web: &Web) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", web.id())).expect("its memory");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its memory");
    peak.trim_end_matches("kB").trim().parse().expect("its memory")
}

#[test]
#[ignore = "needs a server"]
fn an_export_of_long_games_needs_little_memory() {
    let db = shared_site("long_games");
    let long = format!("[White \"Long\"]\n\n{{{}}} 1. e4 *\n", "x ".repeat(2_000_000));
    db.pgn("load --clocks --evals").arg(db.file("long.pgn", long)).succeeds();
    db.sql(
        "INSERT INTO chess.games (source_id, source_offset, white_id, result, game, annotated)
         SELECT source_id, source_offset + n, white_id, result, game, annotated
         FROM chess.games, generate_series(1, 99) n WHERE octet_length(annotated) > 1000000",
    );
    let web = reading(&db, &[]);
    let mut stream = web.get("/api/games/pgn?player=Long&sort=id").header("Connection", "close").sent();
    let (mut part, mut read) = (vec![0; 1 << 16], 0);
    loop {
        match stream.read(&mut part).expect("the games") {
            0 => break,
            more => read += more,
        }
    }
    assert!(read > 400_000_000, "{read} bytes of a hundred games");
    let peak = peak(&web);
    println!("{read} bytes, {peak} kB of memory");
    assert!(peak < 200 * 1024, "{peak} kB of memory");
}

#[test]
#[ignore = "needs a server"]
fn a_game_with_countless_variations_is_shown_without_them() {
    let db = shared_site("variations");
    let variations = "(1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7) ".repeat(100_000);
    let long = format!("[White \"Wide\"]\n\n1. e4 {variations} e5 *\n");
    db.pgn("load --clocks --evals").arg(db.file("long.pgn", long)).succeeds();
    let web = reading(&db, &[]);
    let game = web.json("/api/games?player=Wide")["games"][0]["id"].as_str().unwrap().to_owned();
    let shown = web.json(&format!("/api/games/{game}"));
    assert_eq!((&shown["annotated"], shown["moves"].as_array().unwrap().len()), (&true.into(), 2));
    assert!(shown["pgn"].as_str().unwrap().len() > 4_000_000, "its PGN has them");
    assert_eq!(shown["game"]["nodes"].as_array().unwrap().len(), 3);
    let peak = peak(&web);
    println!("{peak} kB of memory");
    assert!(peak < 500 * 1024, "{peak} kB of memory");
}

/// Opens silent connections, one after the other: each must be kept until the timeout for silence, or be told at once to come
/// again; the limit must hold; the process must stay small.
fn crowd(web: &Web, wanted: usize, limit: usize) {
    // as many as this process may have
    let limits = fs::read_to_string("/proc/self/limits").expect("limits");
    let files = limits.lines().find_map(|line| line.strip_prefix("Max open files")).expect("a limit");
    let most: usize = files.split_whitespace().next().and_then(|soft| soft.parse().ok()).unwrap_or(usize::MAX);
    let wanted = wanted.min(most.saturating_sub(200));
    /// Seconds until chess-web closes a silent connection, see listen.rs.
    const SILENCE: u64 = 15;
    let files = || fs::read_dir(format!("/proc/{}/fd", web.id())).expect("its files").count();
    let (begin, before) = (Instant::now(), files());
    let (mut most, mut told, mut silent, mut lost) = (before, 0, 0, 0);
    let mut undecided: HashMap<usize, TcpStream> = HashMap::new();
    // what has become of connections: an answer, or an end
    let mut look = |undecided: &mut HashMap<usize, TcpStream>| {
        undecided.retain(|_, connection| {
            let mut answer = [0; 100];
            match connection.read(&mut answer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
                Ok(_) if answer.starts_with(b"HTTP/1.1 503") => told += 1,
                Ok(read) if read == 0 || answer.starts_with(b"HTTP/1.1 408") => silent += 1,
                _ => lost += 1,
            }
            false
        });
    };
    for n in 0..wanted {
        let connection = TcpStream::connect(web.address()).expect("a connection");
        connection.set_nonblocking(true).expect("a connection that does not wait");
        undecided.insert(n, connection);
        if n % 50 == 0 {
            look(&mut undecided);
        }
        if n % 10 == 0 {
            most = most.max(files());
        }
    }
    // served connections stay open; refused ones were accepted first
    while undecided.len() > limit && begin.elapsed() < PATIENCE {
        look(&mut undecided);
        most = most.max(files());
        std::thread::sleep(Duration::from_millis(50));
    }
    look(&mut undecided);
    // if connecting takes long, early connections have timed out and made room for others
    let served = limit * (1 + usize::try_from(begin.elapsed().as_secs() / SILENCE).expect("seconds"));
    let memory = peak(web);
    let kept = undecided.len();
    println!(
        "{wanted} connections: {kept} are served, {silent} have been, {told} told to come again; {} files at most, {memory} kB",
        most - before
    );
    assert_eq!(lost, 0, "without an answer");
    assert!(kept <= limit, "{kept} open at the end");
    assert!(kept + silent <= served, "{kept} and {silent} served");
    // and the connection that is being refused
    assert!(most - before <= limit + 1, "{} files open at a time", most - before);
    assert!(memory <= 100 * 1024, "{memory} kB of memory");
    assert!(told > 0, "nobody is told to come again");
}

#[test]
#[ignore = "needs a server"]
fn of_many_connections_those_that_are_too_many_are_told() {
    let db = shared_site("many_connections");
    for (wanted, limit) in [(1000, 20), (10_000, 512)] {
        let web = reading(&db, &["--connections", &limit.to_string()]);
        crowd(&web, wanted, limit);
        // the server hears a moment later that they have gone
        wait_for("the next answer", || Answer::read(web.get("/api/status").sent()).status == 200);
    }
}

#[test]
#[ignore = "needs a server"]
fn beyond_this_machine_it_asks_for_a_password() {
    let db = shared_site("beyond");
    let refused = db.program(built("chess-web")).args(["-l", "0.0.0.0:0"]).fails();
    assert!(refused.contains("--password-file"), "{refused}");
    let file = db.file("password", "geheim\n");
    let web = reading(&db, &["--password-file", file.to_str().unwrap()]);
    let asked = web.get("/").answer();
    assert_eq!(asked.status, 401);
    assert!(asked.header("www-authenticate").is_some_and(|asks| asks.starts_with("basic")), "{}", asked.head);
    // any:wrong, any:geheim
    assert_eq!(web.get("/").header("Authorization", "Basic YW55Ondyb25n").status(), 401);
    assert_eq!(web.get("/api/status").header("Authorization", "Basic YW55OmdlaGVpbQ==").status(), 200);
}

/// The page is there without a database, and no password is in the log.
#[test]
#[ignore = "needs a server"]
fn without_a_database_it_says_what_to_do() {
    let db = Database::new("nothing_there");
    let gone = Web::new(&db, &["--no-sessions", "-d", "host=/nonexistent user=nobody password=geheim123"]);
    let status = gone.get("/api/status").answer();
    assert!(status.status == 200 && status.text().contains("\"hint\""), "{}", status.text());
    assert_eq!(gone.get("/api/explorer").status(), 503);
    assert_eq!(gone.get("/").status(), 200);
    assert!(!gone.log().contains("geheim"), "{}", gone.log());
    for question in ["/api/explorer", "/api/games"] {
        let web = Web::new(&db, &["--no-sessions"]);
        let answer = web.get(question).answer();
        assert!(answer.status == 503 && answer.text().contains("chess-pgn load"), "{}", answer.text());
        // then there are no tables
        db.sql("CREATE EXTENSION IF NOT EXISTS chess");
    }
}
