//! What cannot be given back has an end for each address: sessions, what visitors save, files, what engines find. Other addresses go
//! on, and this machine has no limit.

use chess_system::{encoded, gzipped, wait_for, zipped};
use serde_json::{Value, json};

use crate::shares::{Crowd, cookie_of, upload};

#[test]
#[ignore = "needs a server"]
fn what_cannot_be_given_back_has_an_end() {
    let crowd = Crowd::new("budgets");
    let made: Vec<_> = (0..70).map(|_| crowd.session("10.0.0.1").0).collect();
    assert_eq!((made[0], made[69]), (201, 429), "sessions of one address");
    let (status, cookie) = crowd.session("10.0.0.2");
    assert_eq!(status, 201, "one of another address");
    let board = json!({ "name": "b", "pgn": format!("{{{}}} 1. e4 *", "x".repeat(59_000)) }).to_string();
    let path = crowd.board("10.0.0.2", &cookie, &board);
    let save = || crowd.far("PUT", &path).header("Cookie", &cookie).json(&*board).status();
    let most = (70 << 20) / board.len();
    assert!((0..most).any(|_| save() != 200), "one address has saved 70 MiB");
    assert_eq!(crowd.session("10.0.0.3").0, 201, "a third address");
}

/// A notebook whose second node has, below it, a branch with a MiB of notes: its path, and that of the node.
fn thick(crowd: &Crowd, cookie: &str) -> (String, String) {
    let ask = |path: &str, body: Value| {
        crowd.far("POST", path).header("Cookie", cookie).json(body.to_string()).answer().json()
    };
    let book = ask("/api/notebooks", json!({ "name": "thick" }))["id"].clone();
    let path = format!("/api/notebooks/{book}");
    let root = crowd.db.sql(&format!("SELECT id FROM chess_web.notebook_nodes WHERE notebook_id = {book}"));
    let node =
        ask(&format!("{path}/nodes"), json!({ "parent": root.parse::<i64>().unwrap(), "uci": "e2e4" }))["id"].clone();
    crowd.db.sql(&format!(
        "INSERT INTO chess_web.notebook_nodes (notebook_id, parent, uci, fen, note)
         SELECT {book}, {node}, n::text, 'x', repeat('x', 8000) FROM generate_series(1, 131) n"
    ));
    (path.clone(), format!("{path}/nodes/{node}"))
}

#[test]
#[ignore = "needs a server"]
fn what_is_deleted_and_undone_counts() {
    let crowd = Crowd::new("undone");
    let (_, cookie) = crowd.session("10.0.0.2");
    let (book, node) = thick(&crowd, &cookie);
    let ask = |method: &str, path: &str| crowd.far(method, path).header("Cookie", &cookie);
    let undo = format!("{book}/undo");
    let refused = (0..40).find_map(|_| {
        let answers = [ask("DELETE", &node).answer(), ask("POST", &undo).answer()];
        answers.into_iter().find(|answer| answer.status == 429)
    });
    let refused = refused.expect("an end after 80 MiB of changes");
    assert!(refused.error().starts_with("this address has saved too much today"), "{}", refused.text());
    assert_eq!(ask("DELETE", &book).status(), 204, "a whole notebook can be deleted");
    let (status, cookie) = crowd.session("10.0.0.1");
    assert_eq!(status, 201, "another address saves something");
    let made = crowd.near("POST", "/api/notebooks").header("Cookie", &cookie).json(r#"{"name":"other"}"#);
    assert_eq!(made.status(), 201);
}

/// A notebook: its path, and its root.
fn book(crowd: &Crowd, cookie: &str) -> (String, i64) {
    let made = crowd.far("POST", "/api/notebooks").header("Cookie", cookie).json(r#"{"name":"book"}"#).answer().json();
    let root = crowd.db.sql(&format!("SELECT id FROM chess_web.notebook_nodes WHERE notebook_id = {}", made["id"]));
    (format!("/api/notebooks/{}", made["id"]), root.parse().unwrap())
}

#[test]
#[ignore = "needs a server"]
fn a_mark_counts_as_the_note_beside_it() {
    let crowd = Crowd::new("marks");
    let (_, cookie) = crowd.session("10.0.0.2");
    let (path, root) = book(&crowd, &cookie);
    // undo keeps the note, too
    crowd.db.sql("UPDATE chess_web.notebook_nodes SET note = repeat('\u{265e}', 600000)");
    let path = format!("{path}/nodes/{root}");
    let mark = |glyph: usize| {
        crowd.far("PATCH", &path).header("Cookie", &cookie).json(json!({ "glyphs": [glyph] }).to_string()).status()
    };
    assert!((0..20).all(|_| mark(256) == 422), "no glyph");
    assert!((0..20).all(|n| mark(n) == 200));
    assert!((0..20).any(|n| mark(n) == 429), "40 glyphs beside 1.8 MB");
}

/// A line of this number of moves, of which the first have a long note.
fn line(root: i64, moves: usize, notes: usize) -> String {
    let line = ["g1f3", "g8f6", "f3g1", "f6g8"].into_iter().cycle();
    let step = |(n, uci): (usize, &str)| {
        let note = if n < notes { "x".repeat(8000) } else { String::new() };
        json!({ "parent": n.checked_sub(1), "uci": uci, "note": note })
    };
    json!({ "at": root, "moves": line.enumerate().take(moves).map(step).collect::<Vec<_>>() }).to_string()
}

#[test]
#[ignore = "needs a server"]
fn a_tree_counts_as_what_it_stores() {
    let crowd = Crowd::new("trees");
    let (_, cookie) = crowd.session("10.0.0.2");
    let add = |moves, notes| {
        let (path, root) = book(&crowd, &cookie);
        let tree = line(root, moves, notes);
        crowd.far("POST", &format!("{path}/moves")).header("Cookie", &cookie).json(tree).answer()
    };
    let added = add(5000, 262);
    assert_eq!((added.status, added.text()), (200, r#"{"added":5000}"#.into()), "3 MB, of which 2.4 MB are sent");
    let stored = (0..40).take_while(|_| add(5000, 262).status == 200).count();
    assert!((16..24).contains(&stored), "{stored} more of them in 64 MiB");
}

#[test]
#[ignore = "needs a server"]
fn a_tree_that_is_refused_counts_as_what_is_sent() {
    let crowd = Crowd::new("refused_trees");
    let (_, cookie) = crowd.session("10.0.0.2");
    let (path, root) = book(&crowd, &cookie);
    let tree = line(root, 10_000, 0);
    for n in 0..40 {
        let answer = crowd.far("POST", &format!("{path}/moves")).header("Cookie", &cookie).json(&*tree).answer();
        assert_eq!(answer.error(), "a notebook has at most 10000 positions", "after {n} of them");
    }
}

/// A file of almost a MiB, with one game.
fn large(name: &str) -> String {
    format!("[White \"{name}\"]\n\n{{{}}} 1. e4 *\n", "x".repeat(1_000_000))
}

#[test]
#[ignore = "needs a server"]
fn files_of_an_address_have_an_end() {
    let crowd = Crowd::with("files", &["--upload-limit", "1"]);
    let send = |n: usize| upload(crowd.near("POST", &format!("/api/uploads?name={n}.pgn")), large(&n.to_string()));
    let answers: Vec<_> = (0..6).map(send).collect();
    let statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [202, 202, 202, 202, 429, 429], "four of the greatest files a day");
    let refused = &answers[5];
    assert!(refused.error().starts_with("this address has sent too much today"), "{}", refused.text());
    assert!(refused.header("retry-after").is_some_and(|wait| wait.parse::<u32>().unwrap() > 60), "{}", refused.head);
    assert_eq!(crowd.stored("far.pgn", "[White \"Far\"]\n\n1. e4 *\n"), 1, "a file of another address");
    for n in 6..12 {
        let own = crowd.web.request("POST", &format!("/api/uploads?name={n}.pgn"));
        assert_eq!(upload(own, large(&n.to_string())).status, 202, "file {n} of this machine");
    }

    let crowd = Crowd::with("daily", &["--upload-limit", "1", "--upload-daily", "2"]);
    // the length of a body is not known beforehand
    let chunked = |n: usize| {
        let large = large(&n.to_string());
        let request = crowd.near("POST", &format!("/api/uploads?name={n}.pgn"));
        let request = request.header("Content-Type", "application/octet-stream").header("Transfer-Encoding", "chunked");
        let mut stream = request.sent();
        let _ = std::io::Write::write_all(&mut stream, format!("{:x}\r\n{large}\r\n0\r\n\r\n", large.len()).as_bytes());
        chess_system::Answer::read(stream).status
    };
    assert_eq!([0, 1, 2].map(chunked), [202, 202, 429], "as the option says");
}

#[test]
#[ignore = "needs a server"]
fn packed_files_count_as_what_they_hold() {
    let crowd = Crowd::with("packed", &["--upload-limit", "1"]);
    let numbers: String = (0..220_000).map(|n| format!("{n} ").repeat(3)).collect();
    let game = format!("[White \"Packed\"]\n\n{{{numbers}}} 1. e4 *\n");
    let packed = gzipped(&game);
    assert!((game.len() / 19..1 << 20).contains(&packed.len()), "{} bytes of {}", packed.len(), game.len());
    assert!(game.len() > 4 << 20);
    let sent = upload(crowd.near("POST", "/api/uploads?name=packed.pgn.gz"), &packed);
    let id = sent.json()["id"].clone();
    wait_for("the end of the job", || crowd.job(&id)["stage"] == "done");
    // the loader has ended a moment before it is counted
    let send = || upload(crowd.near("POST", "/api/uploads?name=next.pgn"), "[White \"Next\"]\n\n1. d4 *\n").status;
    wait_for("the end of what it may send", || send() == 429);
    assert_eq!(crowd.stored("far.pgn", "[White \"Far\"]\n\n1. c4 *\n"), 1, "a file of another address");
}

#[test]
#[ignore = "needs a server"]
fn every_file_of_an_archive_counts() {
    let crowd = Crowd::with("members", &["--upload-limit", "1"]);
    let members: Vec<_> = (0..200).map(|n| (format!("{n}.pgn"), format!("[White \"{n}\"]\n\n1. e4 *\n"))).collect();
    let members: Vec<_> = members.iter().map(|(name, text)| (&**name, text.as_bytes())).collect();
    let answer = upload(crowd.near("POST", "/api/uploads?name=many.zip"), zipped(&members));
    let id = answer.json()["id"].clone();
    wait_for("the end of the job", || ["done", "failed"].iter().any(|stage| crowd.job(&id)["stage"] == *stage));
    let job = crowd.job(&id);
    assert_eq!(job["stage"], "failed", "{job}");
    assert!(job["error"].as_str().unwrap().starts_with("this address has sent too much today"), "{job}");
    let sources: usize = crowd.db.sql("SELECT count(*) FROM chess.sources WHERE name LIKE '%.zip%'").parse().unwrap();
    assert!((50..200).contains(&sources), "{sources} sources");
}

#[test]
#[ignore = "needs a server"]
fn findings_of_an_address_have_an_end() {
    let crowd = Crowd::with("findings", &["--upload-limit", "1"]);
    let stored = || crowd.db.sql("SELECT count(*) FROM chess.analysis").parse::<usize>().unwrap();
    let fen = |n: usize| encoded(&format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - {} 1", 61 + n));
    let search = |request: chess_system::Request| assert_eq!(request.status(), 200);
    search(crowd.near("GET", &format!("/api/engine?depth=1&fen={}", fen(0))));
    assert_eq!(stored(), 1);
    for n in 0..4 {
        // the last one finds no room
        upload(crowd.near("POST", &format!("/api/uploads?name={n}.pgn")), large(&n.to_string()));
    }
    let rest = crowd.near("POST", "/api/uploads?name=rest.pgn");
    assert_eq!(upload(rest, "x".repeat(170_000)).status, 202);
    let before = stored();
    for n in 1..38 {
        search(crowd.near("GET", &format!("/api/engine?depth=1&fen={}", fen(n))));
    }
    let near = stored() - before;
    assert!(near < 37, "{near} of 37 searches are stored");
    let before = stored();
    search(crowd.far("GET", &format!("/api/engine?depth=1&fen={}", fen(38))));
    assert_eq!(stored() - before, 1, "one of another address");
}

#[test]
#[ignore = "needs a server"]
fn a_finding_replaces_what_says_less_of_its_position() {
    let crowd = Crowd::new("lesser");
    let search = || assert_eq!(crowd.near("GET", "/api/engine?depth=1").status(), 200);
    search();
    for (known, now) in [
        ("status = 'stopped', depth = 11", "done|12|e2e4"),
        ("status = 'stopped', depth = 30", "done|12|e2e4"),
        ("status = 'done', depth = 11", "done|11|a2a3"),
        ("status = 'stopped', depth = 11, board = '7k/8/8/8/8/8/8/K7 w - - 0 1'", "stopped|11|a2a3"),
    ] {
        crowd.db.sql(&format!("UPDATE chess.analysis SET best = 'a2a3', {known}"));
        search();
        assert_eq!(crowd.db.sql("SELECT status, depth, best FROM chess.analysis"), now, "{known}");
    }
}

#[test]
#[ignore = "needs a server"]
fn nobody_hides_the_sources_of_others() {
    let crowd = Crowd::new("hidden");
    let mine = upload(crowd.far("POST", "/api/uploads?name=mine.pgn"), "[White \"Mine\"]\n\n1. e4 *\n");
    let (id, cookie) = (mine.json()["id"].clone(), cookie_of(&mine).unwrap());
    wait_for("the end of the job", || crowd.job(&id)["stage"] == "done");
    crowd.db.sql(
        "INSERT INTO chess.sources (name, fingerprint, first_seen)
         SELECT 'many.zip (' || n || '.pgn)', sha256(n::text::bytea), now() + interval '1 minute' FROM generate_series(1, 501) n",
    );
    let sources = crowd.far("GET", "/api/sources").header("Cookie", &cookie).answer().json()["sources"].clone();
    let sources = sources.as_array().unwrap();
    assert_eq!(sources.len(), 500);
    let mine = sources.iter().find(|source| source["name"] == "mine.pgn").expect("what this visitor has brought");
    assert_eq!([&mine["removable"], &mine["stored"]], [&json!(true), &json!(1)]);
    let removal = crowd.far("DELETE", &format!("/api/sources/{}", mine["id"])).header("Cookie", &cookie).answer();
    assert_eq!((removal.status, &removal.json()["removable"]), (202, &json!(true)), "{}", removal.text());
}
