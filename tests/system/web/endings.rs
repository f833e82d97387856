//! Endings on the page's API: positions that are the same but for a symmetry, as the functions of the explorer answer, and what
//! endgame tables say.

use std::path::Path;
use std::process::Command;

use chess_system::{Web, encoded, endgame_tables};
use serde_json::Value;

use crate::{serving, shared_site};

/// A rook ending from four sides, and one in which it arises on two boards that are the same.
const ENDINGS: &str = r#"
[White "Ann"]
[Black "Bob"]
[WhiteElo "2000"]
[BlackElo "1900"]
[Result "1-0"]
[Date "2001.01.01"]
[FEN "8/8/8/8/8/2k5/8/K3R3 w - - 0 1"]

1. Re8 Kb3 1-0

[White "Cid"]
[Black "Dan"]
[WhiteElo "2100"]
[Result "1/2-1/2"]
[Date "2002.01.01"]
[FEN "8/8/8/8/8/5k2/8/3R3K w - - 0 1"]

1. Rd2 Ke3 1/2-1/2

[White "Eve"]
[Black "Fay"]
[WhiteElo "2200"]
[BlackElo "2300"]
[Result "0-1"]
[Date "2003.01.01"]
[FEN "k3r3/8/2K5/8/8/8/8/8 b - - 0 1"]

1... Re1 2. Kb6 0-1

[White "Gus"]
[Black "Hal"]
[Result "*"]
[FEN "8/8/8/4R3/8/2k5/8/K7 b - - 0 1"]

1... Kd3 2. Re1 Kc3 3. Re5 Kb3 4. Ra5 Kc3 5. Ra2 *
"#;

const ASKED: &str = "K7/8/2k5/8/R7/8/8/8 w - - 0 1";

/// Members of the objects of a list, as a row of SQL prints them.
fn rows(list: &Value, names: &[&str]) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let row = |object: &Value| {
        names.iter().map(|name| text(object.pointer(name).unwrap_or(&Value::Null))).collect::<Vec<_>>().join("|")
    };
    list.as_array().unwrap().iter().map(row).collect()
}

#[test]
#[ignore = "needs a server"]
fn symmetric_positions_are_one() {
    let db = shared_site("symmetries");
    db.pgn("load").arg(db.file("endings.pgn", ENDINGS)).succeeds();
    let web = serving(&db);
    let asked = format!("fen={}", encoded(ASKED));
    assert_eq!(web.json(&format!("/api/explorer?{asked}"))["games"], 0, "without symmetries");
    let names = ["/uci", "/san", "/games", "/white", "/draws", "/black", "/unknown", "/averageRating", "/reached"];
    let played = |filter: &str, reached: &str| {
        db.rows(&format!(
            "SELECT uci, san, games, white, draws, black, unknown, round(average_rating::numeric), {reached}
             FROM chess.explorer('{ASKED}', symmetries => true{filter}) WHERE san IS NOT NULL"
        ))
    };
    let answer = web.json(&format!("/api/explorer?{asked}&symmetries=1&reached=1"));
    assert_eq!(rows(&answer["moves"], &names), played("", "reached"));
    assert_eq!((&answer["games"], &answer["source"]), (&4.into(), &Value::Null), "each game once");
    // the functions lack this filter, which all games pass: the games are read by another query
    let read = web.json(&format!("/api/explorer?{asked}&symmetries=1&length=1-"));
    assert_eq!(rows(&read["moves"], &names), played("", "NULL"));
    let figures = ["/uci", "/score", "/performance", "/lastPlayed"];
    assert_eq!(rows(&read["moves"], &figures), rows(&answer["moves"], &figures));
    let since = web.json(&format!("/api/explorer?{asked}&symmetries=1&since=2002&reached=1"));
    assert_eq!(rows(&since["moves"], &names), played(", dates => '[2002-01-01,)'", "reached"));

    // the lists beside it, and their queries
    let games = ["/white/name", "/result", "/uci"];
    let listed = db.rows(&format!(
        "SELECT white, result, uci FROM chess.explorer_games('{ASKED}', symmetries => true, sort => 'date')"
    ));
    assert_eq!(listed.len(), 4);
    for answer in [&answer, &read] {
        assert_eq!(rows(&answer["recent"], &games), listed);
        assert_eq!(db.rows(answer["recentSql"].as_str().unwrap()).len(), 4, "{}", answer["recentSql"]);
        assert_eq!(db.rows(answer["sql"].as_str().unwrap()).len(), 3, "{}", answer["sql"]);
    }
    let all = web.json(&format!("/api/games?{asked}&symmetries=1"));
    assert_eq!(rows(&all["games"], &["/white/name", "/ply"]), ["Eve|0", "Cid|0", "Ann|0", "Gus|3"]);
    assert_eq!(db.rows(all["sql"].as_str().unwrap()).len(), 4, "{}", all["sql"]);
    assert_eq!(web.json(&format!("/api/games/count?{asked}&symmetries=1"))["games"], 4);
    // and the marks in a game
    let id = all["games"][3]["id"].as_str().unwrap();
    let game = web.json(&format!("/api/games/{id}?{asked}&symmetries=1"));
    assert_eq!(game["matches"].to_string(), "[3,7]");
}

/// With castling rights, a position is the same only with the colours exchanged.
#[test]
#[ignore = "needs a server"]
fn symmetries_of_positions_with_castling() {
    let web = serving(&shared_site("rights"));
    let asked = "play=e2e4,c7c5&symmetries=1";
    let (one, two) = (web.json("/api/explorer?play=e2e4,c7c5"), web.json(&format!("/api/explorer?{asked}")));
    assert_eq!(one["moves"], two["moves"]);
    assert_eq!(web.json(&format!("/api/games/count?{asked}"))["games"], one["games"]);
}

/// A pawn that wins, a rook that mates at once, and a board that no table has.
const PAWN: &str = "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1";
const ROOK: &str = "8/8/8/8/8/1k6/3r4/K7 b - - 0 1";

#[test]
#[ignore = "needs a server and endgame tables"]
fn the_tables_value_positions_moves_and_squares() {
    let Some(tables) = endgame_tables() else { return };
    let db = shared_site("tables");
    let web = serving(&db);
    let asked = |path: &str, fen: &str| format!("/api/tablebase{path}fen={}", encoded(fen));
    let refused = web.get(&asked("?", PAWN)).answer();
    assert_eq!((refused.status, refused.error().as_str()), (404, "the server has no endgame tables"));
    assert_eq!(web.json("/api/status")["features"]["endgameTables"], false);

    // a directory of their own, in which some can be damaged
    let own = db.path("tables");
    let copied = Command::new("cp").arg("-r").arg(&tables).arg(&own).status().unwrap();
    assert!(copied.success());
    let named = |directory: &Path| {
        let name = db.name();
        db.sql(&format!("ALTER DATABASE {name} SET chess.syzygy_path = '{}'", directory.display()));
        // the connections that are open keep what they had
        Web::new(&db, &["--database", &db.settings("chess_web_read"), "--no-sessions"])
    };
    let web = named(&own);
    assert_eq!(web.json("/api/status")["features"]["endgameTables"], true);

    for fen in [PAWN, ROOK, "8/8/8/8/4k3/8/1q6/K7 w - - 0 1", "7k/5Q2/8/8/8/8/8/K7 b - - 0 1"] {
        let answer = web.json(&asked("?", fen));
        let path = format!("SET chess.syzygy_path = '{}'; ", own.display());
        let value = db.sql(&format!("{path}SELECT wdl, dtz FROM tablebase('{fen}')"));
        assert_eq!(format!("{}|{}", answer["wdl"], answer["dtz"]), value, "{fen}");
        let moves = db.rows(&format!("{path}SELECT uci, san, wdl, dtz, value FROM tablebase_moves('{fen}')"));
        assert_eq!(rows(&answer["moves"], &["/uci", "/san", "/wdl", "/dtz", "/value"]), moves, "{fen}");
        assert_eq!(answer["reason"], Value::Null, "{fen}");
    }
    assert_eq!(web.json(&asked("?", PAWN))["value"], "win");

    // The map says of each square what `tablebase` says of the position with the piece there.
    let map = web.json(&asked("/map?square=d2&", ROOK));
    let squares = map["squares"].as_object().unwrap();
    assert_eq!((squares.len(), &map["reason"]), (48, &Value::Null), "where White is not in check");
    for (square, placement) in
        [("d2", "8/8/8/8/8/1k6/3r4/K7"), ("b2", "8/8/8/8/8/1k6/1r6/K7"), ("h8", "7r/8/8/8/8/1k6/8/K7")]
    {
        let path = format!("SET chess.syzygy_path = '{}'; ", own.display());
        let value = db.sql(&format!("{path}SELECT wdl, dtz FROM tablebase('{placement} b - - 0 1')"));
        let found = &squares[square];
        assert_eq!(format!("{}|{}", found["wdl"], found["dtz"]), value, "{square}");
    }

    // what no table has, and what makes no sense
    let rights = web.json(&asked("?", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"));
    assert_eq!((&rights["value"], &rights["reason"]), (&Value::Null, &"endgame tables know no castling rights".into()));
    assert_eq!(web.json("/api/tablebase")["moves"].as_array().unwrap().len(), 20, "moves without values");
    let eight = web.json(&asked("?", "4k3/pppp4/8/8/8/8/PP6/4K3 w - - 0 1"));
    assert_eq!(eight["reason"], "nobody has endgame tables of more than seven men");
    let five = web.json(&asked("?", "4k3/8/4K3/8/3PP3/8/8/7r w - - 0 1"));
    assert_eq!(five["value"], Value::Null);
    assert!(five["reason"].as_str().unwrap().contains("KPPvKR"), "{}", five["reason"]);
    for wrong in ["/map?square=e2&", "/map?square=x&", "/map?"] {
        assert_eq!(web.get(&asked(wrong, PAWN)).status(), 400, "{wrong}");
    }
    assert_eq!(web.get("/api/tablebase/map?square=e1").status(), 400, "with castling rights");

    // missing and damaged files
    std::fs::remove_file(own.join("KRvK.rtbz")).unwrap();
    std::fs::write(own.join("KPvK.rtbw"), "other").unwrap();
    let web = named(&own);
    let without = web.json(&asked("?", ROOK));
    assert_eq!((&without["value"], &without["reason"]), (&"win".into(), &"the distances of KRvK are missing".into()));
    let damaged = web.get(&asked("?", PAWN)).answer();
    assert_eq!((damaged.status, damaged.error().as_str()), (500, "endgame table KPvK.rtbw is damaged"));
    std::fs::remove_file(own.join("KRvK.rtbw")).unwrap();
    let web = named(&own);
    let without = web.json(&asked("?", ROOK));
    assert_eq!((&without["value"], &without["reason"]), (&Value::Null, &"the table KRvK is missing".into()));
    let map = web.json(&asked("/map?square=d2&", ROOK));
    assert_eq!(map["reason"], "a table is missing");
    let web = named(&own.join("nowhere"));
    assert_eq!(web.json("/api/status")["features"]["endgameTables"], true, "somebody has named a directory");
    let gone = web.get(&asked("?", ROOK)).answer();
    assert_eq!(
        (gone.status, gone.error().as_str()),
        (500, "could not read a directory of endgame tables: No such file or directory")
    );
}
