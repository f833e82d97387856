//! `/api/games/{id}/novelty`: the half-move by which a game left the earlier ones, as a search through all games finds it.

use chess_system::{Web, encoded};
use serde_json::Value;

use crate::{serving, shared_site};

/// Games that nobody played: of one year, of one day, without a date, copies, and from a board that was set up.
const GAMES: &str = r#"
[White "First"]
[Date "1700.02.03"]
[Result "1-0"]

1. Na3 Na6 2. Rb1 Rb8 3. Ra1 1-0

[White "Same day"]
[Date "1700.02.03"]
[Result "1-0"]

1. Na3 Na6 2. Rb1 Rb8 3. h4 1-0

[White "Day after"]
[Date "1700.02.04"]
[Result "1-0"]

1. Na3 Na6 2. Rb1 h5 1-0

[White "Some day of the year"]
[Date "1700.??.??"]
[Result "1-0"]

1. Na3 Na6 2. g4 h5 1-0

[White "Next year"]
[Date "1701.??.??"]
[Result "1-0"]

1. Na3 Na6 2. g4 h5 3. g5 1-0

[White "Copy"]
[Date "2030.01.01"]
[Result "1-0"]

1. Na3 Na6 2. g4 h5 3. g5 1-0

[White "By another order"]
[Date "2030.01.02"]
[Result "1-0"]

1. Nf3 Nf6 2. Ng1 Ng8 3. Na3 Na6 4. g4 h5 5. gxh5 1-0

[White "No date"]
[Result "1-0"]

1. Na3 Na6 2. g4 h5 3. g5 e5 1-0

[White "No date, either"]
[Result "1-0"]

1. Na3 Na6 2. g4 h5 3. g5 e5 4. f4 1-0

[White "Set up"]
[Date "2030.01.01"]
[FEN "8/8/8/8/4k3/8/4P3/4K3 w - - 0 1"]
[Result "1-0"]

1. Kd2 Kd4 1-0

[White "Set up again"]
[Date "2030.01.02"]
[FEN "8/8/8/8/4k3/8/4P3/4K3 w - - 0 1"]
[Result "1-0"]

1. Kd2 Kf4 1-0
"#;

/// The half-move of a game, by its name, and what it was compared with.
fn of(web: &Web, white: &str) -> (Value, Value) {
    let games = web.json(&format!("/api/games?white={}", encoded(white)));
    let id = games["games"][0]["id"].as_str().unwrap_or_else(|| panic!("no game of {white}")).to_owned();
    let answer = web.json(&format!("/api/games/{id}/novelty"));
    (answer["ply"].clone(), answer["compared"].clone())
}

#[test]
#[ignore = "needs a server"]
fn the_first_position_that_no_earlier_game_has() {
    let db = shared_site("novelty");
    let knights = "Nf3 Nf6 Ng1 Ng8 ".repeat(55);
    let long = format!(
        "\n[White \"Long\"]\n[Date \"1990.01.01\"]\n\n{knights}*\n\n[White \"Longer\"]\n[Date \"1991.01.01\"]\n\n{knights}e4 *\n"
    );
    db.pgn("load").arg(db.file("novelties.pgn", [GAMES, &long].concat())).succeeds();
    db.sql(
        "UPDATE chess.games SET dates = 'empty' WHERE white_id = (SELECT id FROM chess.players WHERE name = 'Copy')",
    );
    let web = serving(&db);
    for (white, ply, compared) in [
        // nobody could have played anything before
        ("First", None, "earlier"),
        ("Same day", None, "earlier"),
        ("Day after", Some(4), "earlier"),
        ("Some day of the year", None, "earlier"),
        ("Next year", Some(5), "earlier"),
        // it has no days
        ("Copy", None, "other"),
        ("By another order", Some(9), "earlier"),
        ("No date", None, "other"),
        ("No date, either", Some(7), "other"),
        ("Set up", None, "earlier"),
        ("Set up again", Some(2), "earlier"),
        // only the first 200 half-moves are looked up
        ("Longer", None, "earlier"),
    ] {
        let expected = (ply.map_or(Value::Null, Value::from), Value::from(compared));
        assert_eq!(of(&web, white), expected, "{white}");
    }
    // The answer contains SQL for users, which reads the games. It must find what the index has found.
    let mut found = 0;
    let games = web.json("/api/games?length=1-100&limit=200");
    for game in games["games"].as_array().unwrap() {
        let answer = web.json(&format!("/api/games/{}/novelty", game["id"].as_str().unwrap()));
        let told = answer["sql"].as_str().unwrap_or_else(|| panic!("no query: {answer}"));
        let read = db.sql(&format!("SET enable_indexscan = off; SET enable_bitmapscan = off; {told}"));
        let read = read.parse().ok().filter(|ply: &i64| *ply > 0);
        assert_eq!(answer["ply"].as_i64(), read, "{game}: {answer}");
        found += usize::from(read.is_some());
    }
    assert!(found > 20, "{found} games have a novelty");
    // the plan shows that the index answers both counts without reading a game
    let mut query = include_str!("../../../crates/chess-web/src/api/sql/earlier_games.sql").to_owned();
    for value in ["$1", "$2", "$1", "$2", "$3"] {
        query = query.replacen("{}", value, 1);
    }
    let query = query.replace("{chess}.", "public.").replace("{schema}", "chess");
    let plan = db.sql(&format!(
        "SET plan_cache_mode = force_custom_plan; SET enable_seqscan = off; PREPARE earlier (text, int, int) AS {query};
         EXPLAIN (COSTS OFF) EXECUTE earlier ('rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1', 366, 400)"
    ));
    assert_eq!((plan.matches("Chess Index Sums").count(), plan.matches("Seq Scan").count()), (2, 0), "{plan}");
    assert_eq!(web.get("/api/games/zzzzzzzz/novelty").status(), 404);
    assert_eq!(web.get("/api/games/00000001/novelty?x=1").status(), 400);
    // without an index each position would be a search through all games
    db.sql("DROP INDEX chess.games_chess_idx");
    let bare = serving(&db);
    assert_eq!(of(&bare, "Day after"), (Value::Null, Value::Null));
}
