//! The page over all servers says what that of one server says.

use chess_system::Web;
use serde_json::{Value, json};

use crate::Cluster;

/// The values of a field of each element.
fn each(list: &Value, field: &str) -> Vec<Value> {
    list.as_array().unwrap().iter().map(|element| element[field].clone()).collect()
}

/// The number in a field, 0 for none.
fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or(0)
}

/// A path, and the part of its answer that does not depend on the numbers of games.
type Question = (&'static str, fn(&Value) -> Value);

const QUESTIONS: [Question; 11] = [
    ("/api/explorer?play=e2e4,c7c5&reached=1", |answer| answer["moves"].clone()),
    ("/api/explorer?play=e2e4&rating=2400-&result=1-0", |answer| answer["moves"].clone()),
    ("/api/explorer?play=d2d4", |answer| {
        answer["top"]
            .as_array()
            .unwrap()
            .iter()
            .map(|game| number(&game["white"]["rating"]) + number(&game["black"]["rating"]))
            .collect()
    }),
    ("/api/explorer?play=d2d4", |answer| each(&answer["recent"], "date").into()),
    ("/api/games/count?play=e2e4,e7e5,g1f3", |answer| answer["games"].clone()),
    ("/api/games/count?material=KRPvKR", |answer| answer["games"].clone()),
    ("/api/games?limit=200&sort=plies", |answer| {
        let mut plies: Vec<i64> = each(&answer["games"], "plies").iter().map(number).collect();
        plies.sort_unstable();
        plies.into()
    }),
    ("/api/games?limit=5&pattern=Nd5", |answer| each(&answer["games"], "date").into()),
    ("/api/players?prefix=", |answer| answer["players"].clone()),
    ("/api/events?prefix=", |answer| answer["events"].clone()),
    ("/lichess?play=e2e4&history=1&topGames=0&recentGames=0", |answer| {
        let history = answer["history"].as_array().unwrap();
        let moves = answer["moves"].as_array().unwrap();
        let moves: Vec<Value> = moves.iter().map(|m| json!([m["uci"], m["white"], m["draws"]])).collect();
        json!([history[history.len().saturating_sub(3)..], moves])
    }),
];

pub(crate) fn the_page_is_that_of_one_server(cluster: &Cluster) {
    let one = Web::new(&cluster.plain(), &["--no-sessions"]);
    let all = Web::new(&cluster.all(), &["--no-sessions"]);
    for (path, part) in QUESTIONS {
        let expected = part(&one.json(path));
        assert_eq!(part(&all.json(path)), expected, "{path}");
        assert!(
            expected.to_string().contains(|c: char| c.is_ascii_alphabetic() || ('1'..='9').contains(&c)),
            "{path} has an answer"
        );
    }
    let games = all.json("/api/games?limit=1&sort=rating");
    let id = &games["games"][0]["id"];
    let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    let game = all.json(&format!("/api/games/{id}"));
    let length = |value: &Value| value.as_array().map_or_else(|| value.as_object().unwrap().len(), Vec::len);
    assert!(length(&game["moves"]) > 10 && length(&game["tags"]) > 6, "a game is shown: {game}");
}

/// Sources have numbers of their own on each server.
pub(crate) fn a_path_answers_from_a_source(cluster: &Cluster) {
    let db = cluster.all();
    assert_eq!(db.sql("SELECT count(*) = count(DISTINCT id) FROM chess.sources"), "t");
    let [id, name] = ["max(id)", "max(name)"].map(|column| db.sql(&format!("SELECT {column} FROM chess.sources")));
    for (asked, condition) in [(&id, format!("id = {id}")), (&name, format!("name = '{name}'"))] {
        let web = Web::new(&db, &["--no-sessions", "--masters", &format!("source:{asked}")]);
        let answer = web.json("/masters");
        let games: i64 = ["white", "draws", "black"].iter().map(|name| number(&answer[name])).sum();
        let counted = db.sql(&format!(
            "SELECT count(*) FROM chess.games WHERE source_id IN (SELECT id FROM chess.sources WHERE {condition})
             AND result <> '*' AND hasBoard(game, startBoard()) AND nextMove(game, startBoard()) IS NOT NULL"
        ));
        assert_eq!(games.to_string(), counted, "source:{asked}");
        assert_ne!(games, 0, "source:{asked}");
    }
}

/// A game of lichess is found by its address, wherever it is. Changes a game.
pub(crate) fn an_address_is_found(cluster: &Cluster) {
    let site = "https://lichess.org/AbCd1234";
    cluster
        .node(1)
        .sql(&format!("UPDATE chess.pgn_view SET site = '{site}' WHERE id = (SELECT max(id) FROM chess.games)"));
    let db = cluster.all();
    assert_eq!(db.sql(&format!("SELECT count(*) FROM chess.pgn_view WHERE site = '{site}' AND pgn_site = site")), "1");
    let by_id =
        format!("SELECT chess.lichess_site(lichess_id) FROM chess.games WHERE lichess_id = chess.lichess_id('{site}')");
    assert_eq!(db.sql(&by_id), site);
    let web = Web::new(&db, &["--no-sessions"]);
    let asked = site.replace('/', "%2F");
    assert_eq!(web.json(&format!("/api/games/count?site={asked}"))["games"], 1);
    assert_eq!(web.json(&format!("/api/sites?prefix={asked}"))["known"], true);
    assert!(web.get("/game/export/AbCd1234").answer().text().contains(&format!("[Site \"{site}\"]")));
}
