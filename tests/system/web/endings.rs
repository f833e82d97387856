//! Endings on the page's API: positions that are the same but for a symmetry, as the functions of the explorer answer.

use chess_system::encoded;
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
