//! The paths of lichess: tokens, schemas for each of them, and the ids that lichess gave games.

use chess_system::{Answer, Database, Web, built};
use serde_json::Value;

use crate::{reading, shared_site};

/// A file of the database's folder, as an argument.
fn file(db: &Database<'_>, name: &str, text: &str) -> String {
    db.file(name, text).to_str().expect("a path").to_owned()
}

#[test]
#[ignore = "needs a server"]
fn a_token_is_asked_for_if_there_are_some() {
    let db = shared_site("tokens");
    let tokens = file(&db, "tokens", "# of the bot\nlip_AbC123\n\n  lip_of.another-one_~+/==  \n");
    let asked = |web: &Web, path: &str, token: &str| web.get(path).header("Authorization", token).answer();
    let web = reading(&db, &["--token", &tokens]);
    let paths =
        ["/masters", "/lichess", "/player?player=x&color=white", "/api/explorer", "/api/status", "/", "/healthz"];
    for path in paths {
        let refused = web.get(path).header("Origin", "https://lichess.org").answer();
        assert_eq!(refused.status, 401, "{path} without a token");
        assert!(refused.json()["error"].as_str().is_some_and(|error| error.contains("token")), "{}", refused.text());
        assert!(refused.header("www-authenticate").is_some_and(|asks| asks.starts_with("bearer")), "{}", refused.head);
        for token in ["Bearer lip_AbC123", "Bearer lip_of.another-one_~+/=="] {
            assert_eq!(asked(&web, path, token).status, 200, "{path}, {token}");
        }
        for token in ["Bearer lip_AbC12", "Bearer lip_abc123", "Bearer # of the bot", "Basic lip_AbC123", "lip_AbC123"]
        {
            assert_eq!(asked(&web, path, token).status, 401, "{path}, {token}");
        }
    }
    // a browser asks before it sends a token
    let preflight = |path: &str| {
        let ask = web.request("OPTIONS", path).header("Origin", "https://lichess.org");
        ask.header("Access-Control-Request-Headers", "authorization").answer()
    };
    for path in ["/masters", "/lichess", "/player", "/masters/pgn/AbCd1234"] {
        let answer = preflight(path);
        assert_eq!((answer.status, answer.header("access-control-allow-origin")), (204, Some("*")), "{path}");
        assert!(!answer.head.contains("allow-credentials"), "{path}: {}", answer.head);
    }
    let closed = preflight("/api/views");
    assert_eq!(closed.status, 401);
    assert!(!closed.head.contains("access-control"), "{}", closed.head);

    let without = reading(&db, &[]);
    assert_eq!(asked(&without, "/lichess", "Bearer of lichess").status, 200, "a token that nobody asks for");
    for (text, said) in [("\n# none\n", "has no token"), ("one\ntwo words\n", "line 2: a token has")] {
        let wrong = file(&db, "wrong", text);
        let refused = db.program(built("chess-web")).args(["-l", "127.0.0.1:0", "--token", &wrong]).fails();
        assert!(refused.contains(said), "{text:?}: {refused}");
    }
}

fn games(answer: &Answer) -> i64 {
    let json = answer.json();
    ["white", "draws", "black"].iter().map(|name| json[name].as_i64().expect("a number")).sum()
}

#[test]
#[ignore = "needs a server"]
fn each_path_has_its_schema() {
    let db = shared_site("bases");
    let one = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. b4 e5 1-0\n";
    db.pgn("load --index --schema amateurs").arg(db.file("one.pgn", one)).succeeds();
    db.sql(
        "GRANT USAGE ON SCHEMA amateurs TO chess_web_read; GRANT SELECT ON ALL TABLES IN SCHEMA amateurs TO chess_web_read",
    );
    let web = reading(&db, &["--lichess", "amateurs", "--player", "amateurs"]);
    let many: i64 = db.sql("SELECT count(*) FROM chess.games WHERE nextMove(game, startBoard()) IS NOT NULL AND result <> '*' AND hasBoard(game, startBoard())").parse().expect("a number");
    // the second time from the cache
    for _ in 0..2 {
        assert_eq!(games(&web.get("/lichess").answer()), 1);
        assert_eq!(games(&web.get("/player?player=A&color=white").answer()), 1);
        assert_eq!(games(&web.get("/player?player=a&color=white").answer()), 1, "ids are names in lower case");
        assert_eq!(games(&web.get("/player?player=%C3%A4&color=white").answer()), 0, "which differ in nothing else");
        assert_eq!(games(&web.get("/masters").answer()), many);
    }
    let rating = |path: &str, name: &str| web.json(path)["moves"][0][name].clone();
    assert_eq!(rating("/lichess", "averageRating"), 0, "not known");
    assert_eq!(rating("/player?player=A&color=white", "averageOpponentRating"), 0);
    let id = web.json("/lichess")["topGames"][0]["id"].as_str().expect("an id").to_owned();
    assert!(web.get(&format!("/game/export/{id}")).answer().text().contains("1. b4 e5 1-0"));
    assert_eq!(id, "l00000001", "the player's schema is that of everybody");
    assert_eq!(web.json("/player?player=A&color=white")["recentGames"][0]["id"], id.as_str());
    let first = web.get("/game/export/00000001").answer().text();
    assert_eq!(web.get("/api/games/00000001/pgn").answer().text(), first, "a number alone is of the page's schema");
    assert_eq!(web.get("/masters/pgn/l00000001").status(), 200, "by each of the paths");
    for missing in ["l00000009", "p00000009", "m0000000", "x00000001"] {
        assert_eq!(web.get(&format!("/game/export/{missing}")).status(), 404, "{missing}");
    }
    db.pgn("load --schema amateurs").arg(db.file("two.pgn", one.replace("b4 e5", "b4 d5"))).succeeds();
    assert_eq!(games(&web.get("/lichess").answer()), 2, "the cache notices a load");
    let gone = reading(&db, &["--masters", "nothing"]);
    assert_eq!((gone.get("/masters").status(), gone.get("/lichess").status()), (503, 200));
}

/// Three schemas, whose games have the same numbers, beside that of the page.
#[test]
#[ignore = "needs a server"]
fn games_of_each_schema_are_found_by_the_ids_of_its_path() {
    let db = shared_site("exports");
    let schemas = ["masters", "everybody", "mine"];
    for (schema, reply) in schemas.into_iter().zip(["e5", "d5", "f5"]) {
        let game = format!("[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. b4 {reply} 1-0\n\n");
        let given = game.replace("[White", &format!("[GameId \"12345678{schema}\"]\n[White"));
        db.pgn(&format!("load --index --schema {schema}")).arg(db.file("two.pgn", game + &given)).succeeds();
        db.sql(&format!(
            "GRANT USAGE ON SCHEMA {schema} TO chess_web_read; GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO chess_web_read"
        ));
    }
    let web = reading(&db, &["--masters", "masters", "--lichess", "everybody", "--player", "mine"]);
    for (path, games, moves) in [
        ("/masters", "topGames", "1. b4 e5 1-0"),
        ("/lichess", "topGames", "1. b4 d5 1-0"),
        ("/player?player=A&color=white", "recentGames", "1. b4 f5 1-0"),
    ] {
        let games = web.json(path)[games].clone();
        assert_eq!(games.as_array().map(Vec::len), Some(2), "{path}: {games}");
        for game in games.as_array().unwrap() {
            let id = game["id"].as_str().unwrap();
            for export in ["/game/export", "/masters/pgn"] {
                let text = web.get(&format!("{export}/{id}")).answer().text();
                assert!(text.contains(moves), "{path}: {export}/{id}: {text}");
            }
        }
    }
}

#[test]
#[ignore = "needs a server"]
fn each_path_has_its_source() {
    let db = shared_site("sources");
    let game = |moves: &str| {
        format!("[White \"A\"]\n[Black \"B\"]\n[Date \"2024.03.01\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n")
    };
    let load = |name: &str, moves: &[&str]| {
        let text: String = moves.iter().map(|moves| game(moves)).collect();
        db.pgn("load").arg(db.file(name, text)).succeeds();
        db.sql("SELECT max(id) FROM chess.sources")
    };
    load("week 1.pgn", &["1. b4 e5 2. Bb2", "1. b4 d5"]);
    load("week_2.pgn", &["1. b4 f5"]);
    let number = load("own%.pgn", &["1. b4 a5", "1. b4 b5", "1. b4 c5", "1. g4 d5"]);
    let own = format!("source:{number}");
    let web = reading(&db, &["--masters", "source:week*.pgn", "--lichess", "source:own%.pgn", "--player", &own]);
    let player = "/player?player=A&color=white";
    // the second time from the cache
    for _ in 0..2 {
        assert_eq!(["/masters", "/lichess", player].map(|path| games(&web.get(path).answer())), [3, 4, 4]);
    }
    let after_b4 = web.json("/masters?play=b2b4");
    let replies: Vec<&str> =
        after_b4["moves"].as_array().unwrap().iter().map(|played| played["uci"].as_str().unwrap()).collect();
    assert_eq!(replies, ["d7d5", "e7e5", "f7f5"]);
    assert_eq!(after_b4["topGames"].as_array().map(Vec::len), Some(3));
    let history = web.json("/lichess?play=g2g4&history=true")["history"].clone();
    assert_eq!(history, serde_json::json!([{ "month": "2024-03", "white": 1, "draws": 0, "black": 0 }]));
    assert_eq!(web.json(player)["recentGames"].as_array().map(Vec::len), Some(4));
    let batch = r#"{"positions":[{"play":"b2b4"},{}]}"#;
    let batch = web.request("POST", "/api/explorer/batch").json(batch).answer().json();
    assert_eq!((batch["answers"][0]["white"].as_i64(), batch["answers"][1]["white"].as_i64()), (Some(3), Some(4)));
    // beside other filters, and the same as plain SQL says
    let condition = format!("source_id = {number} AND result = '1-0' AND hasBoard(game, startBoard())");
    let counted =
        db.sql(&format!("SELECT count(*) FROM chess.games WHERE {condition} AND dates <@ '[2024-01-01,2025-01-01)'"));
    assert_eq!(games(&web.get("/lichess?since=2024-01&until=2024-12").answer()).to_string(), counted);
    assert_eq!(games(&web.get("/lichess?since=2024-04").answer()), 0);
    // the page has all games, and finds those of the paths
    assert!(web.json("/api/explorer")["games"].as_i64() > Some(7));
    let id = after_b4["topGames"][0]["id"].as_str().unwrap();
    assert_eq!(web.get(&format!("/masters/pgn/{id}")).status(), 200);
    // A file that is loaded later is among the sources, and one that is removed no longer is.
    load("week 3.pgn", &["1. b4 g5"]);
    chess_system::wait_for("the new file", || games(&web.get("/masters").answer()) == 4);
    db.pgn(&format!("unload --source {number}")).succeeds();
    chess_system::wait_for("the file that is gone", || web.get("/lichess").status() == 503);
    let refused = web.get("/lichess").answer();
    assert!(refused.text().contains("no source is called own%.pgn"), "{}", refused.text());
    assert_eq!(web.get("/masters").status(), 200);
    let refused = db.program(built("chess-web")).args(["-l", "127.0.0.1:0", "--masters", "source:"]).ends(2);
    assert!(refused.contains("a source has a name or a number"), "{refused}");
    // visitors can bring a file of any name
    for option in ["--masters", "--lichess", "--player"] {
        let named = ["-l", "127.0.0.1:0", "--upload", option, "source:week*.pgn"];
        let refused = db.program(built("chess-web")).args(named).fails();
        assert!(refused.contains(&format!("name sources by their numbers, as in {option} source:1")), "{refused}");
    }
    let first = db.sql("SELECT min(id) FROM chess.sources WHERE name LIKE '%week 1.pgn'");
    let numbered = Web::new(&db, &["--upload", "--masters", &format!("source:{first}")]);
    assert_eq!(games(&numbered.get("/masters").answer()), 2);
}

#[test]
#[ignore = "needs a server"]
fn games_of_lichess_keep_their_ids() {
    let db = shared_site("ids");
    let game = |site: &str, event: &str, moves: &str| {
        format!(
            "[Event \"{event}\"]\n[Site \"{site}\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"0-1\"]\n[WhiteElo \"3300\"]\n[BlackElo \"3300\"]\n[TimeControl \"180+0\"]\n\n{moves} 0-1\n\n"
        )
    };
    let pgn = [
        game("https://lichess.org/AbCd1234", "Casual Blitz game", "1. a3 a6"),
        game("https://lichess.org/ZZZZ9999", "Rated Blitz game", "1. a3 h6"),
        game("Paris", "Rated Blitz game", "1. a3 b6"),
    ];
    db.pgn("load").arg(db.file("lichess.pgn", pgn.concat())).succeeds();
    let web = reading(&db, &[]);
    let after_a3 = |path: &str| web.json(&format!("{path}play=a2a3"));
    let ids = |list: &Value| -> Vec<String> {
        list.as_array().expect("games").iter().map(|game| game["id"].as_str().expect("an id").to_owned()).collect()
    };
    for path in ["/lichess?", "/masters?"] {
        let answer = after_a3(path);
        let top = ids(&answer["topGames"]);
        for (uci, id) in [("a7a6", "AbCd1234"), ("h7h6", "ZZZZ9999")] {
            let played = answer["moves"].as_array().expect("moves").iter().find(|played| played["uci"] == uci);
            assert_eq!(played.expect("the move")["game"]["id"], id, "{path}");
            assert!(top.contains(&id.to_owned()), "{path}: {top:?}");
        }
        for id in top {
            assert_eq!(web.get(&format!("/game/export/{id}?moves=true&clocks=false")).status(), 200, "{path}: {id}");
        }
    }
    for (path, first) in [
        ("/game/export/AbCd1234", "1. a3 a6"),
        ("/game/export/AbCd1234QqQq", "1. a3 a6"),
        ("/masters/pgn/ZZZZ9999.pgn", "1. a3 h6"),
    ] {
        let answer = web.get(path).answer();
        assert!(answer.status == 200 && answer.text().contains(first), "{path}: {}", answer.text());
    }
    for id in ["abcd1234", "AbCd123", "AbCd12345", "https:%2F%2Flichess.org%2FAbCd1234", "zzzzzzzz", "AbCd1%27--"] {
        assert_eq!(web.get(&format!("/game/export/{id}")).status(), 404, "{id}");
    }
    // the modes are those of the events
    let modes = |modes: &str| {
        let answer = after_a3(&format!("/player?player=A&color=white&modes={modes}&"));
        let list = answer["recentGames"].as_array().expect("games").clone();
        let mut found: Vec<String> = list
            .iter()
            .map(|game| format!("{} {}", game["uci"].as_str().unwrap(), game["mode"].as_str().unwrap()))
            .collect();
        found.sort();
        (games(&web.get(&format!("/player?player=A&color=white&play=a2a3&modes={modes}")).answer()), found)
    };
    assert_eq!(modes("casual"), (1, vec!["a7a6 casual".into()]));
    assert_eq!(modes("rated"), (2, vec!["b7b6 rated".into(), "h7h6 rated".into()]));
    assert_eq!(modes("rated,casual").0, 3);
}

/// Games that have an id in the tag GameId, as other servers write it, and how they are found by it.
#[test]
#[ignore = "needs a server"]
fn games_of_other_servers_keep_their_ids() {
    let db = shared_site("given_ids");
    let game = |site: &str, id: &str, moves: &str| {
        format!("[Site \"{site}\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n{id}\n{moves} 1-0\n\n")
    };
    let tag = |id: &str| format!("[GameId \"{id}\"]\n");
    let pgn = [
        game("Chess.com", &tag("98765432101"), "1. a4 a5"),
        game("https://lichess.org/KbCd1234", &tag("KbCd1234"), "1. a4 b5"),
        game("?", &tag("LbCd1234"), "1. a4 c5"),
        game("Paris", &tag("7"), "1. a4 d5"),
        game("Paris", &tag("00000001"), "1. a4 e5"),
        game("Paris", &(tag("11111111") + &tag("22222222")), "1. a4 f5"),
        game("Paris", "", "1. a4 g5"),
        game("Paris", &tag(&"9".repeat(9000)), "1. a4 h5"),
    ];
    db.pgn("load --index").arg(db.file("others.pgn", pgn.concat())).succeeds();
    let web = reading(&db, &[]);
    let answer = web.json("/lichess?play=a2a4");
    let given: Vec<(&str, &str)> = answer["moves"]
        .as_array()
        .expect("moves")
        .iter()
        .map(|played| (played["san"].as_str().unwrap(), played["game"]["id"].as_str().unwrap()))
        .collect();
    assert_eq!(given[..3], [("a5", "98765432101"), ("b5", "KbCd1234"), ("c5", "LbCd1234")]);
    for (san, id) in &given {
        // those that are not alone with their id have the number of this server
        assert!(["a5", "b5", "c5"].contains(san) || id.starts_with("0000"), "{given:?}");
        let pgn = web.get(&format!("/game/export/{id}")).answer();
        assert!(pgn.status == 200 && pgn.text().contains(&format!("1. a4 {san}")), "{san}: {}", pgn.text());
    }
    for list in ["topGames", "recentGames"] {
        for game in answer[list].as_array().expect("games") {
            assert!(given.iter().any(|(_, id)| game["id"] == *id), "{list}: {game}");
        }
    }
    // with a filter that is looked for in the games
    let rated = web.json("/player?player=A&color=white&play=a2a4&modes=rated");
    assert!(rated["recentGames"].as_array().unwrap().iter().any(|game| game["id"] == "98765432101"), "{rated}");
    assert!(
        web.get("/game/export/LbCd1234QqQq").answer().text().contains("1. a4 c5"),
        "with the four characters of a player"
    );
    assert!(web.get("/game/export/98765432101").answer().text().contains("[GameId \"98765432101\"]"));
    assert_eq!(db.sql("SELECT given_id FROM chess.explorer_games(getBoard('1. a4 a5', 2))"), "98765432101");
    for id in ["9876543210", "11111111", "22222222", "lbcd1234", "98765432101x"] {
        assert_eq!(web.get(&format!("/game/export/{id}")).status(), 404, "{id}");
    }
    // both by their indexes
    let plan = |condition: &str| {
        db.sql(&format!("SET enable_seqscan = off; EXPLAIN SELECT id FROM chess.games g WHERE {condition}"))
    };
    assert!(
        plan("g.tags ->> 'GameId' = ANY ('{98765432101}') AND length(g.tags ->> 'GameId') <= 20")
            .contains("games_given_id_idx")
    );
    assert!(plan("g.site_id = ANY ('{7}'::bigint[])").contains("games_site_id_idx"));
    assert!(plan("g.lichess_id = 7").contains("games_lichess_id_idx"));
}

/// Games that earlier versions have stored have a row of `sites` for each address.
#[test]
#[ignore = "needs a server"]
fn addresses_are_found_in_both_forms() {
    let db = shared_site("two_forms");
    let game = |site: &str, moves: &str| {
        format!("[Site \"{site}\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n")
    };
    let address = |id: &str| format!("https://lichess.org/{id}");
    let pgn = [
        game(&address("NewForm1"), "1. h4 a5"),
        game(&address("OldForm1"), "1. h4 b5"),
        game("http://lichess.org/NoTLS000", "1. h4 c5"),
        game(&address("OldForm1"), "1. h4 d5"),
        game(&address("OldForm1/black"), "1. h4 e5"),
    ];
    db.pgn("load --index").arg(db.file("forms.pgn", pgn.concat())).succeeds();
    db.sql(
        "INSERT INTO chess.sites (name) VALUES ('https://lichess.org/OldForm1');
         UPDATE chess.games SET lichess_id = NULL, site_id = (SELECT id FROM chess.sites WHERE name = 'https://lichess.org/OldForm1')
         WHERE game = '1. h4 b5 1-0'",
    );
    let web = reading(&db, &[]);
    for (id, moves) in
        [("NewForm1", "1. h4 a5"), ("OldForm1", "1. h4 b5"), ("OldForm1AbCd", "1. h4 b5"), ("NoTLS000", "1. h4 c5")]
    {
        let pgn = web.get(&format!("/game/export/{id}")).answer();
        assert!(pgn.status == 200 && pgn.text().contains(moves), "{id}: {}", pgn.text());
    }
    for id in ["newForm1", "NewForm2", "OldForm2"] {
        assert_eq!(web.get(&format!("/game/export/{id}")).status(), 404, "{id}");
    }
    for (site, count, known) in [
        (address("NewForm1"), 1, true),
        (address("OldForm1"), 2, true),
        (address("OldForm1/black"), 1, true),
        ("http://lichess.org/NoTLS000".into(), 1, true),
        (address("newForm1"), 0, false),
        (address(""), 0, false),
    ] {
        let text = site.replace('/', "%2F");
        assert_eq!(web.json(&format!("/api/games/count?site={text}"))["games"], count, "{site}");
        assert_eq!(web.json(&format!("/api/sites?prefix={text}"))["known"], known, "{site}");
        assert_eq!(db.sql(&format!("SELECT count(*) FROM chess.pgn_view WHERE site = '{site}'")), count.to_string());
        if known {
            assert_eq!(web.json(&format!("/api/sites?prefix={text}"))["sites"][0], site);
            let listed = web.json(&format!("/api/games?site={text}&limit=9"));
            let games = listed["games"].as_array().expect("games");
            assert_eq!(games.len(), count, "{listed}");
            for game in games {
                let told = web.json(&format!("/api/games/{}", game["id"].as_str().expect("an id")));
                let tags = told["tags"].as_array().expect("tags");
                assert!(tags.iter().any(|tag| tag[0] == "Site" && tag[1] == *site), "{told}");
            }
        }
    }
}

/// The games that reach the position after a move, beside lichess's members if they are asked for.
#[test]
#[ignore = "needs a server"]
fn the_position_after_a_move_is_told_if_asked_for() {
    let db = shared_site("positions");
    let web = reading(&db, &[]);
    let french = "/lichess?play=e2e4,e7e6";
    assert!(web.json(french)["moves"][0].get("position").is_none());
    for path in [french, "/masters?play=e2e4,e7e6", "/player?player=Capablanca,+Jose+Raul&color=white"] {
        let moves = web.json(&format!("{path}&reached=true"))["moves"].as_array().expect("moves").clone();
        for played in moves {
            let (position, count) = (&played["position"], |name: &str| played[name].as_i64().expect("a number"));
            let all = ["white", "draws", "black"].map(|name| position[name].as_i64().expect("a number"));
            assert!(all.iter().sum::<i64>() >= count("white") + count("draws") + count("black"), "{path}: {played}");
            assert_eq!(
                position["games"].as_i64(),
                Some(all.iter().sum::<i64>() + position["unknown"].as_i64().unwrap())
            );
        }
    }
}
