//! Notebooks: every change can be undone; a tree of moves is added as a whole or not at all; people with a link read and copy, but
//! change nothing; training asks the positions that are due; a repertoire is compared with the games; tables of an earlier version
//! are upgraded.

use std::collections::BTreeMap;
use std::thread;

use chess_system::{Database, Web};
use serde_json::{Value, json};

use crate::sessions::Visitor;
use crate::{hold, serving, shared_site, wait_for_questions};

/// A notebook of a visitor.
struct Notebook<'a> {
    owner: &'a Visitor<'a>,
    path: String,
}

impl<'a> Notebook<'a> {
    fn new(owner: &'a Visitor<'a>, name: &str) -> Notebook<'a> {
        let made = owner.told(201, "POST", "/api/notebooks", json!({ "name": name, "color": "white" })).json();
        Notebook { owner, path: format!("/api/notebooks/{}", made["id"]) }
    }

    #[track_caller]
    fn told(&self, status: u16, method: &str, path: &str, body: impl ToString) -> Value {
        let answer = self.owner.told(status, method, &format!("{}{path}", self.path), body);
        if answer.body.is_empty() { Value::Null } else { answer.json() }
    }

    #[track_caller]
    fn get(&self, path: &str) -> Value {
        self.told(200, "GET", path, "")
    }

    #[track_caller]
    fn undo(&self) {
        self.told(200, "POST", "/undo", "");
    }

    /// The node from which all others come.
    fn root(&self) -> Value {
        self.get("")["nodes"][0]["id"].clone()
    }

    /// Adds a move: its node.
    #[track_caller]
    fn add(&self, parent: &Value, uci: &str) -> Value {
        self.told(201, "POST", "/nodes", json!({ "parent": parent, "uci": uci }))["id"].clone()
    }

    /// The moves, each with its note and glyphs, in their order.
    fn moves(&self) -> String {
        let tree = self.get("");
        let text = |node: &Value| {
            let note = node["note"].as_str().filter(|note| !note.is_empty()).map(|note| format!(":{note}"));
            let glyphs = std::iter::once(&node["glyph"]).chain(node["glyphs"].as_array().unwrap());
            let glyphs: String = glyphs.filter_map(Value::as_i64).filter(|n| *n > 0).map(|n| format!("${n}")).collect();
            format!("{}{}{glyphs}", node["uci"].as_str().unwrap(), note.unwrap_or_default())
        };
        tree["nodes"].as_array().unwrap()[1..].iter().map(text).collect::<Vec<_>>().join(" ")
    }
}

#[test]
#[ignore = "needs a server"]
fn every_change_can_be_undone() {
    let web = serving(&shared_site("undone"));
    let (mine, _) = Visitor::new(&web);
    let book = Notebook::new(&mine, "Spanish");
    let root = book.root();
    assert_eq!(book.get("")["changes"], 0);
    book.told(404, "POST", "/undo", "");

    let e4 = book.add(&root, "e2e4");
    let node = format!("/nodes/{e4}");
    book.told(200, "PATCH", &node, json!({ "note": "b" }));
    book.told(200, "PATCH", &node, json!({ "note": "best" }));
    let tree = json!({ "at": e4, "note": "of both", "moves": [
        { "parent": null, "uci": "e7e5", "note": "open", "glyphs": [1, 14] },
        { "parent": 0, "uci": "g1f3" },
        { "parent": null, "uci": "c7c5" },
        { "parent": 1, "uci": "b8c6" },
    ] });
    assert_eq!(book.told(200, "POST", "/moves", &tree)["added"], 4);
    assert_eq!(book.moves(), "e2e4:best\nof both e7e5:open$1$14 g1f3 c7c5 b8c6");
    assert_eq!(book.told(200, "POST", "/moves", &tree)["added"], 0, "it is there already");
    let whole = book.get("");
    assert_eq!(whole["changes"], 3, "no change is recorded");
    let e5 = whole["nodes"].as_array().unwrap().iter().find(|node| node["uci"] == "e7e5").unwrap()["id"].clone();
    book.told(200, "PATCH", &format!("/nodes/{e5}"), json!({ "glyphs": [14] }));
    assert_eq!(book.moves(), "e2e4:best\nof both e7e5:open$14 g1f3 c7c5 b8c6");
    book.told(200, "PATCH", &format!("/nodes/{e5}"), json!({ "glyphs": [] }));
    assert_eq!(book.moves(), "e2e4:best\nof both e7e5:open g1f3 c7c5 b8c6");
    book.told(204, "DELETE", &format!("/nodes/{e5}"), "");
    assert_eq!(book.moves(), "e2e4:best\nof both c7c5");
    book.told(200, "PATCH", "", json!({ "name": "Other", "color": "black" }));
    for moves in [
        "e2e4:best\nof both c7c5",
        "e2e4:best\nof both e7e5:open g1f3 c7c5 b8c6",
        "e2e4:best\nof both e7e5:open$1$14 g1f3 c7c5 b8c6",
        "e2e4:best",
        "e2e4",
        "",
    ] {
        book.undo();
        let whole = book.get("");
        assert_eq!((&whole["name"], &whole["color"]), (&json!("Spanish"), &json!("white")));
        assert_eq!(book.moves(), moves);
    }
    book.told(404, "POST", "/undo", "");
    book.add(&root, "e2e4");
    Visitor::new(&web).0.told(404, "POST", &format!("{}/undo", book.path), "");
    assert_eq!(book.moves(), "e2e4", "somebody else undoes nothing");
}

/// A note that is saved while a tree is added stays.
#[test]
#[ignore = "needs a server"]
fn a_tree_is_added_to_what_others_have_saved_meanwhile() {
    let db = shared_site("trees_beside");
    let web = serving(&db);
    let (mine, _) = Visitor::new(&web);
    let book = Notebook::new(&mine, "Spanish");
    let e4 = book.add(&book.root(), "e2e4");
    let e5 = book.add(&e4, "e7e5");
    book.told(200, "PATCH", &format!("/nodes/{e4}"), json!({ "note": "old" }));
    let mut saving = db.session();
    // others read the nodes, and wait to change them
    saving.sql("BEGIN; LOCK TABLE chess_web.notebook_nodes IN EXCLUSIVE MODE");
    let tree = json!({ "at": e4, "note": "added", "moves": [
        { "parent": null, "uci": "e7e5", "note": "open", "glyphs": [1] }, { "parent": 0, "uci": "g1f3" }
    ] });
    thread::scope(|scope| {
        let adding = scope.spawn(|| book.told(200, "POST", "/moves", tree));
        wait_for_questions(&db, 1);
        saving.sql(&format!(
            "UPDATE chess_web.notebook_nodes SET note = 'saved' WHERE id = {e4};
             UPDATE chess_web.notebook_nodes SET glyph = 5 WHERE id = {e5}; COMMIT"
        ));
        assert_eq!(adding.join().unwrap()["added"], 1);
    });
    assert_eq!(book.moves(), "e2e4:saved\nadded e7e5:open$5 g1f3");
    book.undo();
    assert_eq!(book.moves(), "e2e4:saved e7e5$5");
}

#[test]
#[ignore = "needs a server"]
fn a_tree_is_added_as_a_whole_or_not_at_all() {
    let web = serving(&shared_site("trees"));
    let (mine, _) = Visitor::new(&web);
    let book = Notebook::new(&mine, "Spanish");
    let e4 = book.add(&book.root(), "e2e4");
    for (status, at, moves) in [
        (400, &e4, json!([{ "parent": null, "uci": "e7e5" }, { "parent": 0, "uci": "e7e5" }])),
        (400, &e4, json!([{ "parent": 1, "uci": "e7e5" }, { "parent": null, "uci": "c7c5" }])),
        (400, &e4, json!([{ "parent": null, "uci": "nonsense" }])),
        (400, &e4, json!([{ "parent": null, "uci": "e7e5", "note": "x".repeat(8001) }])),
        (422, &e4, json!([{ "parent": null, "uci": "e7e5", "glyphs": [256] }])),
        (404, &json!(0), json!([])),
    ] {
        book.told(status, "POST", "/moves", json!({ "at": at, "moves": moves }));
    }
    assert_eq!(book.moves(), "e2e4", "nothing of them is there");

    let long = |length: usize| {
        let line = ["g8f6", "g1f3", "f6g8", "f3g1"];
        let moves: Vec<Value> = (0..length)
            .map(|n| json!({ "parent": n.checked_sub(1), "uci": line[n % 4], "note": "", "glyphs": [] }))
            .collect();
        json!({ "at": e4, "moves": moves })
    };
    book.told(400, "POST", "/moves", long(9999));
    book.told(200, "POST", "/moves", long(9998));
    assert_eq!(book.get("")["nodes"].as_array().map(Vec::len), Some(10_000), "no more than 10,000 positions");
    assert_eq!(book.get("/training")["total"], 3, "three positions, of which each counts once");
    book.undo();
    assert_eq!(book.moves(), "e2e4");
}

/// The most bytes of all notes.
const TEXT: usize = 2 << 20;

/// Replies to a move, each with a note of 8000 letters.
fn noted(at: &Value, count: usize) -> Value {
    let line = ["g8f6", "g1f3", "f6g8", "f3g1"];
    let moves: Vec<Value> = (0..count)
        .map(|n| json!({ "parent": n.checked_sub(1), "uci": line[n % 4], "note": "x".repeat(8000) }))
        .collect();
    json!({ "at": at, "moves": moves })
}

#[test]
#[ignore = "needs a server"]
fn a_notebook_has_only_so_much_text() {
    let db = shared_site("much_text");
    let web = serving(&db);
    let (mine, _) = Visitor::new(&web);
    let book = Notebook::new(&mine, "Long");
    let e4 = book.add(&book.root(), "e2e4");
    let refused = |status, method: &str, path: &str, body: Value| {
        let answer = book.told(status, method, path, body);
        assert_eq!(answer["error"], "a notebook has at most 2 MiB of notes", "{answer}");
    };
    let full = TEXT / 8000;
    refused(400, "POST", "/moves", noted(&e4, full + 1));
    assert_eq!(book.moves(), "e2e4", "nothing of it is there");
    book.told(200, "POST", "/moves", noted(&e4, full));
    let last = book.get("")["nodes"].as_array().unwrap().last().unwrap()["id"].clone();
    let [last, first] = [&last, &e4].map(|node| format!("/nodes/{node}"));
    let (rest, note) = (TEXT % 8000, |length: usize| json!({ "note": "x".repeat(length) }));
    refused(400, "PATCH", &first, note(rest + 1));
    // in bytes
    refused(400, "PATCH", &first, json!({ "note": "\u{265e}".repeat(rest / 3 + 1) }));
    book.told(200, "PATCH", &first, note(rest));
    refused(400, "POST", "/moves", json!({ "at": e4, "note": "y", "moves": [] }));
    book.told(200, "PATCH", &last, json!({ "note": "x".repeat(7999), "glyphs": [1] }));
    book.told(200, "PATCH", &last, note(8000));
    book.add(&e4, "a7a6");
    book.told(204, "DELETE", &last, "");
    book.undo();
    let text = || db.sql("SELECT sum(octet_length(note)) FROM chess_web.notebook_nodes");
    assert_eq!(text(), TEXT.to_string(), "what was deleted is back");

    // one of an earlier version
    let key = book.told(200, "POST", "/share", "")["key"].as_str().unwrap().to_owned();
    db.sql("UPDATE chess_web.notebook_nodes SET note = repeat('x', 16000) WHERE note <> ''");
    assert!(text().parse::<usize>().unwrap() > TEXT + TEXT / 2);
    assert_eq!(book.get("")["nodes"].as_array().unwrap().len(), full + 3, "it is read");
    refused(400, "PATCH", &first, json!({ "note": "\u{265e}".repeat(8000) }));
    book.told(200, "PATCH", &first, json!({ "glyphs": [2] }));
    book.told(200, "PATCH", &first, note(100));
    book.told(204, "DELETE", &last, "");
    refused(400, "POST", "/undo", json!({}));
    assert!(text().parse::<usize>().unwrap() > TEXT);
    assert_eq!(web.get(&format!("/api/shared/{key}")).status(), 200);
    let copy = Visitor::new(&web).0.ask("POST", &format!("/api/shared/{key}"), "");
    assert_eq!((copy.status, &*copy.error()), (400, "a notebook has at most 2 MiB of notes"));
    book.told(204, "DELETE", "", "");
}

#[test]
#[ignore = "needs a server"]
fn training_remembers_only_so_many_positions() {
    let db = shared_site("many_remembered");
    let web = serving(&db);
    let (mine, _) = Visitor::new(&web);
    let book = Notebook::new(&mine, "Spanish");
    book.add(&book.root(), "e2e4");
    db.sql(
        "INSERT INTO chess_web.training (notebook_id, position, stability, difficulty, due)
         SELECT n.id, m::text, 1, 1, now() FROM chess_web.notebooks n, generate_series(1, 19999) m",
    );
    let position = |king: &str| {
        let position = format!("8/8/8/8/8/k7/8/{king} w - -");
        json!({ "position": position, "stability": 1, "difficulty": 1, "answered": 0, "days": 1 })
    };
    let add = |status, kings: &[&str]| {
        let positions: Vec<Value> = kings.iter().map(|king| position(king)).collect();
        book.told(status, "POST", "/training/remembered", json!({ "positions": positions }))
    };
    let refused = add(400, &["K7", "1K6"]);
    assert_eq!(refused["error"], "training remembers at most 20000 positions of a notebook");
    add(204, &["4K3"]);
    add(400, &["5K2"]);
    add(204, &["4K3"]);
    book.told(400, "POST", "/training", json!({ "node": book.root(), "uci": "e2e4" }));
    db.sql("DELETE FROM chess_web.training WHERE position = '1'");
    book.told(200, "POST", "/training", json!({ "node": book.root(), "uci": "e2e4" }));
}

#[test]
#[ignore = "needs a server"]
fn people_with_a_link_read_and_copy_it() {
    let web = serving(&shared_site("links"));
    let ((mine, _), (others, _)) = (Visitor::new(&web), Visitor::new(&web));
    let book = Notebook::new(&mine, "Spanish");
    let e4 = book.add(&book.root(), "e2e4");
    let share = format!("{}/share", book.path);
    let key = book.told(200, "POST", "/share", "")["key"].clone();
    assert_eq!(book.told(200, "POST", "/share", "")["key"], key, "the same link");
    let key = key.as_str().unwrap();
    assert_eq!(key.len(), 32, "128 random bits");
    others.told(404, "POST", &share, "");
    let link = format!("/api/shared/{key}");
    let shared = web.json(&link);
    assert_eq!([&shared["kind"], &shared["name"], &shared["color"]], ["notebook", "Spanish", "white"]);
    assert_eq!(shared["nodes"].as_array().map(Vec::len), Some(2));

    let copied = others.told(201, "POST", &link, "").json();
    let copy = Notebook { owner: &others, path: format!("/api/notebooks/{}", copied["id"]) };
    assert_eq!(copy.moves(), "e2e4", "it belongs to who made it");
    mine.told(404, "GET", &copy.path, "");
    book.add(&e4, "e7e5");
    assert_eq!(copy.moves(), "e2e4", "it stays when the other one goes on");
    others.told(404, "DELETE", &share, "");
    book.told(204, "DELETE", "/share", "");
    let gone = web.get(&link).answer();
    assert_eq!(gone.status, 404);
    assert!(gone.text().contains("its owner has taken it back"), "{}", gone.text());
    others.told(404, "POST", &link, "");
    for guess in ["0", "%00", "'%20OR%20true%20--", &"0".repeat(32)] {
        assert_eq!(web.get(&format!("/api/shared/{guess}")).status(), 404, "{guess}");
    }

    let board = mine.told(201, "POST", "/api/boards", json!({ "name": "b", "pgn": "1. e4 (1. d4) e5 *" })).json();
    let key = mine.told(200, "POST", &format!("/api/boards/{}/share", board["id"]), "").json()["key"].clone();
    let copy = web.request("POST", &format!("/api/shared/{}", key.as_str().unwrap())).answer();
    assert_eq!((copy.status, &copy.json()["kind"]), (201, &json!("board")));
    assert!(copy.head.contains("\nset-cookie: chess."), "for who has no session yet: {}", copy.head);
}

/// Numbers of positions in training: all, due, new.
fn counts(training: &Value) -> [i64; 3] {
    ["total", "due", "new"].map(|name| training[name].as_i64().unwrap())
}

#[test]
#[ignore = "needs a server"]
fn training_asks_what_is_due() {
    let db = shared_site("training");
    let web = serving(&db);
    let (mine, _) = Visitor::new(&web);
    let book = Notebook::new(&mine, "Spanish");
    let root = book.root();
    let e4 = book.add(&root, "e2e4");
    book.add(&e4, "e7e5");
    let asked = book.get("/training");
    assert_eq!(counts(&asked), [1, 0, 1]);
    assert_eq!((&asked["next"]["node"], &asked["soonest"]), (&root, &Value::Null));
    let answer = |status, node: &Value, uci: Value| {
        let body = if uci.is_null() { json!({ "node": node }) } else { json!({ "node": node, "uci": uci }) };
        book.told(status, "POST", "/training", body)
    };
    let wrong = answer(200, &root, json!("d2d4"));
    assert_eq!([&wrong["right"], &wrong["moves"], &wrong["days"]], [&json!(false), &json!(["e2e4"]), &json!(0)]);
    let again = &wrong["training"];
    assert_eq!((&again["due"], &again["next"]["node"]), (&json!(1), &root), "it is asked again");
    answer(400, &root, json!("e2e5"));
    answer(404, &e4, json!("e7e5"));
    let right = answer(200, &root, json!("e4"));
    assert_eq!(
        [&right["right"], &right["training"]["due"], &right["training"]["next"]],
        [&json!(true), &json!(0), &Value::Null]
    );
    assert!(right["days"].as_i64() >= Some(1), "it is asked another day: {right}");
    db.sql("UPDATE chess_web.training SET due = now() - interval '1 day', answered = now() - interval '10 days'");
    let due = book.get("/training");
    assert_eq!((&due["due"], &due["next"]["node"]), (&json!(1), &root));
    let later = answer(200, &root, json!("e2e4"));
    assert!(later["days"].as_i64() > Some(2), "it comes later than the first time: {later}");
    // an answer that comes late counts from when it was given
    db.sql("UPDATE chess_web.training SET due = now() - interval '1 day', answered = now() - interval '10 days', stability = 2");
    assert_eq!(book.get("/training")["queue"], json!([root]));
    let late = |ago: i64| json!({ "node": root, "uci": "e2e4", "ago": ago });
    book.told(400, "POST", "/training", late(400 * 86_400));
    book.told(422, "POST", "/training", late(-1));
    let came = book.told(200, "POST", "/training", late(3 * 86_400));
    let stored = "SELECT answered < now() - interval '2.9 days', round(extract(epoch FROM due - answered) / 86400) FROM chess_web.training";
    assert_eq!(db.rows(stored), [format!("t|{}", came["days"])]);
    assert_eq!(answer(200, &root, Value::Null)["right"], false, "given up");
    Visitor::new(&web).0.told(404, "GET", &format!("{}/training", book.path), "");

    book.told(204, "DELETE", &format!("/nodes/{e4}"), "");
    let cut = book.get("/training");
    assert_eq!(
        (&cut["total"], &cut["due"], &cut["next"]),
        (&json!(0), &json!(0), &Value::Null),
        "a branch that is cut"
    );
    answer(404, &root, json!("e2e4"));
    book.undo();
    assert_eq!(counts(&book.get("/training")), [1, 1, 0], "it is remembered when it is back");
    assert_eq!(counts(&book.told(200, "DELETE", "/training", "")), [1, 0, 1], "from scratch");
    book.told(200, "PATCH", "", json!({ "color": null }));
    for path in ["/training", "/check", "/gaps"] {
        let refused = book.told(400, "GET", path, "").to_string();
        assert!(refused.contains("choose the colour"), "{path} for both sides: {refused}");
    }
}

#[test]
#[ignore = "needs a server"]
fn an_answer_that_comes_twice_is_stored_once() {
    let db = shared_site("training_twice");
    let web = serving(&db);
    let (mine, _) = Visitor::new(&web);
    let book = Notebook::new(&mine, "Spanish");
    let root = book.root();
    book.add(&root, "e2e4");
    let answer = |key: &str| book.told(200, "POST", "/training", json!({ "node": root, "uci": "e2e4", "key": key }));
    let stored = || db.sql("SELECT stability, difficulty, answered, due FROM chess_web.training");
    answer("first");
    db.sql("UPDATE chess_web.training SET due = due - interval '9 days', answered = answered - interval '9 days'");
    let second = answer("second");
    let once = stored();
    for key in ["second", "first"] {
        assert_eq!(answer(key), second, "the same reply");
        assert_eq!(stored(), once, "{key}");
    }
    answer("third");
    assert_ne!(stored(), once, "another answer");
    // an answer that was given before the last one, and comes later, changes nothing
    let last = stored();
    let early = json!({ "node": root, "uci": "d2d4", "key": "early", "ago": 3600 });
    for _ in 0..2 {
        let told = book.told(200, "POST", "/training", early.clone());
        assert_eq!((&told["right"], &told["training"]["due"]), (&json!(false), &json!(0)), "{told}");
        assert_eq!(stored(), last);
    }
    assert_eq!(db.sql("SELECT keys[1] FROM chess_web.training"), "early");
    book.told(400, "POST", "/training", json!({ "node": root, "key": "x".repeat(41) }));
    // programs need no keys
    for _ in 0..2 {
        let before = stored();
        book.told(200, "POST", "/training", json!({ "node": root, "uci": "e2e4" }));
        assert_ne!(stored(), before);
    }
}

#[test]
#[ignore = "needs a server"]
fn what_training_remembers_goes_out_and_in() {
    let db = shared_site("remembered");
    let web = serving(&db);
    let [(mine, _), (others, _)] = [(); 2].map(|()| Visitor::new(&web));
    let books = [&mine, &others].map(|owner| {
        let book = Notebook::new(owner, "Spanish");
        book.add(&book.root(), "e2e4");
        book
    });
    let [book, other] = &books;
    let remembered = |book: &Notebook| book.get("/training/remembered")["positions"].clone();
    assert_eq!(remembered(book), json!([]));
    book.told(200, "POST", "/training", json!({ "node": book.root(), "uci": "e2e4" }));
    let known = remembered(book);
    assert_eq!((known.as_array().map(Vec::len), &known[0]["days"]), (Some(1), &json!(2)), "{known}");
    let all = json!({ "positions": known });
    other.told(204, "POST", "/training/remembered", all.clone());
    assert_eq!(remembered(other), known);
    assert_eq!(counts(&other.get("/training")), [1, 0, 0]);
    // the later answer counts
    let mut earlier = all.clone();
    let answered = known[0]["answered"].as_i64().unwrap();
    (earlier["positions"][0]["answered"], earlier["positions"][0]["days"]) = (json!(answered - 9), json!(7));
    other.told(204, "POST", "/training/remembered", earlier);
    assert_eq!(remembered(other), known);
    // nobody has answered tomorrow
    let mut future = all.clone();
    future["positions"][0]["answered"] = json!(answered + 90_000);
    other.told(204, "POST", "/training/remembered", future);
    assert_eq!(db.sql("SELECT count(*) FROM chess_web.training WHERE answered > now()"), "0");
    for (name, value) in [
        ("position", json!("nonsense")),
        ("position", json!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")),
        ("stability", json!(0)),
        ("difficulty", json!(11)),
        ("days", json!(-1)),
        ("answered", json!(-1)),
    ] {
        let mut wrong = all.clone();
        wrong["positions"][0][name] = value;
        let refused = other.told(400, "POST", "/training/remembered", wrong).to_string();
        assert!(refused.contains("position 1: "), "{refused}");
    }
    let twice = json!({ "positions": [known[0], known[0]] });
    other.told(400, "POST", "/training/remembered", twice);
    others.told(404, "GET", &format!("{}/training/remembered", book.path), "");
    others.told(404, "POST", &format!("{}/training/remembered", book.path), all);
}

/// The repertoire of docs/training.md.
const REPERTOIRE: &str = "1. e4 e5 (1... c5 2. Nf3 d6 3. d4) 2. Nf3 Nc6 (2... d6 3. d4) 3. Bb5 a6 4. Ba4 *";

fn repertoire<'a>(owner: &'a Visitor<'a>) -> Notebook<'a> {
    let book = Notebook::new(owner, "Docs");
    let refused = book.told(400, "GET", "/check", "").to_string();
    assert!(refused.contains("no moves yet"), "{refused}");
    let moves: Vec<Value> = [
        (None, "e2e4"),
        (Some(0), "e7e5"),
        (Some(0), "c7c5"),
        (Some(2), "g1f3"),
        (Some(3), "d7d6"),
        (Some(4), "d2d4"),
        (Some(1), "g1f3"),
        (Some(6), "b8c6"),
        (Some(6), "d7d6"),
        (Some(8), "d2d4"),
        (Some(7), "f1b5"),
        (Some(10), "a7a6"),
        (Some(11), "b5a4"),
    ]
    .iter()
    .map(|(parent, uci)| json!({ "parent": parent, "uci": uci }))
    .collect();
    book.told(200, "POST", "/moves", json!({ "at": book.root(), "moves": moves }));
    book
}

/// How many games a check finds in each state.
fn totals(check: &Value) -> BTreeMap<String, i64> {
    let totals = check["totals"].as_object().unwrap();
    totals.iter().map(|(state, games)| (state.clone(), games.as_i64().unwrap())).collect()
}

/// The sum of a number over the positions of a check.
fn sum(check: &Value, what: &str) -> i64 {
    check["positions"].as_array().unwrap().iter().map(|position| position[what].as_i64().unwrap()).sum()
}

#[test]
#[ignore = "needs a server"]
fn a_repertoire_is_compared_with_the_games_as_in_sql() {
    let db = shared_site("compared");
    let web = serving(&db);
    let (mine, _) = Visitor::new(&web);
    let book = repertoire(&mine);
    for (filters, arguments) in [
        ("", "NULL, 'w'"),
        ("result=1-0", "NULL, 'w', result => '1-0'"),
        ("since=1950", "NULL, 'w', dates => '[1950-01-01,)'"),
        ("player=Fischer%2C+Robert+James", "'Fischer, Robert James', 'w'"),
        ("opponent=Spassky%2C+Boris+V", "NULL, 'w', opponent => 'Spassky, Boris V'"),
    ] {
        let check = book.get(&format!("/check?{filters}"));
        let totals = totals(&check);
        let told: Vec<String> =
            totals.iter().filter(|(_, games)| **games > 0).map(|(state, games)| format!("{state}|{games}")).collect();
        let counted = db.rows(&format!(
            "SELECT status, count(*) FROM chess.repertoire_check(chess.repertoire('{REPERTOIRE}'), {arguments})
             GROUP BY 1 ORDER BY status COLLATE \"C\""
        ));
        assert_eq!(told, counted, "{filters}");
        assert_eq!(sum(&check, "games"), totals["left"] + totals["opponent left"], "its positions: {filters}");
        // the query that is shown, with a row for each position
        let shown = db.rows(check["sql"].as_str().unwrap());
        let games: i64 = shown.iter().filter_map(|row| row.split('|').nth(4)?.parse::<i64>().ok()).sum();
        assert_eq!(games, totals.values().sum::<i64>(), "{filters}");
    }
    let gaps = book.get("/gaps");
    let told: Vec<String> = gaps["gaps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|gap| {
            let (kind, played) = (gap["kind"].as_str().unwrap(), gap["move"].as_str().unwrap_or_default());
            format!("{kind}|{played}|{:.6}", gap["probability"].as_f64().unwrap())
        })
        .collect();
    let found = db.rows(&format!(
        "SELECT kind, move, to_char(probability, 'FM0.000000') FROM chess.repertoire_gaps(chess.repertoire('{REPERTOIRE}'), 'w') LIMIT 200"
    ));
    assert_eq!(told, found);
}

#[test]
#[ignore = "needs a server"]
fn the_parts_of_a_comparison_are_the_whole() {
    let web = serving(&shared_site("parts"));
    let (mine, _) = Visitor::new(&web);
    let book = repertoire(&mine);
    for filters in ["", "&since=1950"] {
        let whole = book.get(&format!("/check?{}", filters.trim_start_matches('&')));
        let (mut all, mut games, mut decided, mut parts) = (BTreeMap::new(), 0, 0, 0);
        let mut after = String::new();
        loop {
            let part = book.get(&format!("/check?limit=10&after={after}{filters}"));
            totals(&part).into_iter().for_each(|(state, games)| *all.entry(state).or_insert(0) += games);
            games += sum(&part, "games");
            decided += sum(&part, "decided");
            parts += 1;
            match part["next"].as_str() {
                Some(next) => after = next.to_owned(),
                None => break,
            }
        }
        assert!(parts > 1, "{filters}");
        assert_eq!((all, games, decided), (totals(&whole), sum(&whole, "games"), sum(&whole, "decided")), "{filters}");
    }
    let games: i64 = totals(&book.get("/check?since=1950")).values().sum();
    let last = book.get(&format!("/check?limit={games}&since=1950"));
    let next = last["next"].as_str().expect("as many games as there are");
    let nothing = book.get(&format!("/check?limit=5&since=1950&after={next}"));
    assert_eq!((totals(&nothing).values().sum::<i64>(), &nothing["next"]), (0, &Value::Null), "nothing after them");

    let likely = book.get("/gaps?downTo=0.5");
    let listed = likely["gaps"].as_array().unwrap();
    assert!(likely["unexplored"].as_i64() > Some(0), "others are counted: {likely}");
    assert_eq!(likely["total"], listed.len());
    assert!(!listed.is_empty() && listed.iter().all(|gap| gap["kind"] != "unexplored"), "but not listed: {likely}");
    assert_eq!(book.get("/gaps?downTo=0")["unexplored"], 0, "gaps of all");
}

#[test]
#[ignore = "needs a server"]
fn filters_of_a_comparison_are_checked() {
    let web = serving(&shared_site("checked"));
    let (mine, _) = Visitor::new(&web);
    let book = repertoire(&mine);
    let long = "x".repeat(2000);
    for path in ["/check?player=", "/check?opponent=", "/gaps?opponent="] {
        book.get(&format!("{path}{long}"));
    }
    for path in ["/api/puzzles?player=", "/api/players?prefix=", "/api/events?prefix="] {
        mine.told(200, "GET", &format!("{path}{long}"), "");
    }
    for wrong in [
        "/check?limit=0",
        "/check?limit=20001",
        "/check?after=x",
        "/gaps?downTo=2",
        "/gaps?downTo=nan",
        "/gaps?downTo=x",
        "/gaps?limit=5",
        &format!("/check?player={long}x"),
        "/check?color=white",
        "/check?white=A",
        "/gaps?player=A",
        "/check?evals=1",
        "/check?eco=B90",
        "/check?nonsense=1",
        "/gaps?rating=x",
    ] {
        book.told(400, "GET", wrong, "");
    }
    Visitor::new(&web).0.told(404, "GET", &format!("{}/check", book.path), "");
}

#[test]
#[ignore = "needs a server"]
fn a_cancelled_check_ends_on_the_server() {
    let db = shared_site("cancelled_check");
    let web = serving(&db);
    let (mine, _) = Visitor::new(&web);
    let book = repertoire(&mine);
    let _lock = hold(&db, "chess.games");
    let asking = mine.request("GET", &format!("{}/check?player=Tal%2C+Mikhail", book.path)).sent();
    wait_for_questions(&db, 1);
    drop(asking);
    wait_for_questions(&db, 0);
}

#[test]
#[ignore = "needs a server"]
fn tables_of_an_earlier_version_are_upgraded() {
    let older = Database::new("older_sessions");
    older.sql(
        "CREATE SCHEMA chess_web;
         CREATE TABLE chess_web.sessions (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id_hash bytea NOT NULL UNIQUE CHECK (octet_length(id_hash) = 32),
           created timestamptz NOT NULL DEFAULT now(), seen timestamptz NOT NULL DEFAULT now(), expires timestamptz NOT NULL DEFAULT now() + interval '1 year');
         CREATE TABLE chess_web.notebooks (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, session_id bigint NOT NULL REFERENCES chess_web.sessions ON DELETE CASCADE,
           name text NOT NULL, color text CHECK (color IN ('white', 'black')), updated timestamptz NOT NULL DEFAULT now());
         CREATE TABLE chess_web.notebook_nodes (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, notebook_id bigint NOT NULL REFERENCES chess_web.notebooks ON DELETE CASCADE,
           parent bigint REFERENCES chess_web.notebook_nodes ON DELETE CASCADE, uci text, fen text NOT NULL, note text NOT NULL DEFAULT '', glyph smallint,
           CHECK ((parent IS NULL) = (uci IS NULL)), UNIQUE (notebook_id, parent, uci));
         INSERT INTO chess_web.sessions (id_hash) VALUES (sha256(repeat('a', 64)::bytea));
         INSERT INTO chess_web.notebooks (session_id, name, color) VALUES (1, 'Old', 'white');
         INSERT INTO chess_web.notebook_nodes (notebook_id, parent, uci, fen) VALUES (1, NULL, NULL, 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'),
           (1, 1, 'e2e4', 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1')",
    );
    let db = shared_site("newer_games");
    let web = Web::new(&db, &["--sessions", &older.settings("postgres")]);
    let mine = Visitor::with(&web, &"a".repeat(64));
    let book = Notebook { owner: &mine, path: "/api/notebooks/1".to_owned() };
    assert_eq!(book.moves(), "e2e4");
    book.told(204, "DELETE", "/nodes/2", "");
    book.undo();
    assert_eq!(book.moves(), "e2e4");
    assert_eq!(book.get("/training")["new"], 1);
    let hashes =
        older.sql("SELECT count(*), bool_and(id_hash = sha256(repeat('a', 64)::bytea)) FROM chess_web.devices");
    assert_eq!(hashes, "1|t", "the cookie leads to a device now");
    // another start finds nothing to do
    drop(web);
    let web = Web::new(&db, &["--sessions", &older.settings("postgres")]);
    Visitor::with(&web, &"a".repeat(64)).told(200, "GET", "/api/notebooks/1", "");
}
