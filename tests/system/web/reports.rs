//! Reports with filters: each is compared with the same report over a database that holds only the games that the filters leave.

use chess_system::{Database, encoded, generated};
use serde_json::Value;

use crate::{reading, shared_site};

/// Reports, with the part of the answer that is about games.
const REPORTS: [(&str, &str); 9] = [
    ("/api/reports/player?player=Varnholt,+Edda", "rows"),
    ("/api/reports/player?player=Kestrelin,+Ivor|Okonjide,+Tobias&result=1-0&atLeast=2", "rows"),
    ("/api/reports/opening?", "rows"),
    ("/api/reports/opening?play=e2e4&atLeast=2", "rows"),
    ("/api/reports/opening?play=d2d4&count=3&player=Varnholt,+Edda|Kestrelin,+Ivor|Okonjide,+Tobias", "rows"),
    ("/api/reports/ending?ending=any&sections=summary,color,rating,month,length", "rows"),
    ("/api/openings?", "codes"),
    ("/api/tournaments?event=Two+Rounds", "tournaments"),
    ("/api/crosstable?event=Two+Rounds", "players"),
];

/// Games of one tournament in two files.
const ROUNDS: [&str; 2] = [
    r#"[Event "Two Rounds"]
[Date "2001.02.03"]
[White "Ann"]
[Black "Bob"]
[Result "1-0"]

1. e4 1-0

[Event "Two Rounds"]
[Date "2001.02.03"]
[White "Cid"]
[Black "Ann"]
[Result "1/2-1/2"]

1. d4 1/2-1/2

"#,
    r#"[Event "Two Rounds"]
[Date "2001.02.04"]
[White "Bob"]
[Black "Cid"]
[Result "1-0"]

1. c4 1-0

"#,
];

/// Makes the database "three_files": the site with the games of two more files, whose sources are 2 and 3.
fn load_three_files() {
    let db = shared_site("three_files");
    let games = generated(11, 600);
    let middle = games.match_indices("[Event ").nth(300).unwrap().0;
    for (file, games) in [("two.pgn", [ROUNDS[0], &games[..middle]]), ("three.pgn", [ROUNDS[1], &games[middle..]])] {
        db.pgn("load --clocks --evals").arg(db.file(file, games.concat())).succeeds();
    }
}

/// The value with fractions to nine places: the last digits of a mean depend on the order of the games.
fn rounded(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => format!("{:.9}", number.as_f64().unwrap()).into(),
        Value::Array(values) => values.iter().map(rounded).collect(),
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), rounded(value))).collect(),
        other => other.clone(),
    }
}

/// The rows but for novelties, and these: what an older game has is not new, also where the filters leave that game out.
fn apart(rows: &Value) -> (Vec<Value>, Vec<Value>) {
    rows.as_array().unwrap().iter().map(rounded).partition(|row| row["section"] != "novelty")
}

#[test]
#[ignore = "needs a server"]
fn a_report_with_a_filter_is_that_of_these_games() {
    load_three_files();
    let filters = [
        ("source=2", "source_id = 2"),
        ("source=1,3", "source_id IN (1, 3)"),
        ("pattern=Nd5", "game @@ 'Nd5'::chesspattern"),
        ("material=KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPP", "hasMaterial(game, 'KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPP')"),
        ("opening=Sicilian+Defense", "hasBoard(game, finalBoard('1. e4 c5'))"),
        ("play=e2e4", "hasBoard(game, finalBoard('1. e4'))"),
        ("source=3&pattern=O-O&pieces=8/8/8/8/4P3/8/8/8", "source_id = 3 AND game @@ 'O-O' AND game @@ 'Pe4'"),
    ];
    let whole = Database::copy("three_files", "all_of_three_files");
    let all = reading(&whole, &[]);
    for (at, (filter, condition)) in filters.iter().enumerate() {
        let db = Database::copy("three_files", &format!("some_of_three_files_{at}"));
        db.sql(&format!("DELETE FROM chess.games WHERE ({condition}) IS NOT TRUE"));
        let only = reading(&db, &[]);
        let games = db.sql("SELECT count(*) FROM chess.games");
        assert_ne!(games, "0", "{filter}");
        for (path, part) in REPORTS {
            let is_about_a_position =
                ["/api/reports/opening", "/api/openings"].iter().any(|about| path.starts_with(about));
            if path.contains("event=") && !filter.starts_with("source=2")
                || filter.starts_with("play=") && is_about_a_position
            {
                continue;
            }
            let filtered = all.json(&format!("{path}&{filter}"));
            let (found, fresh) = apart(&filtered[part]);
            let (alone, unfiltered) = (only.json(path), all.json(path));
            let (expected, of_these) = apart(&alone[part]);
            assert_eq!(found, expected, "{path}&{filter}");
            assert_ne!(found, apart(&unfiltered[part]).0, "{path}&{filter}");
            assert!(fresh.iter().all(|row| of_these.contains(row)), "{path}&{filter}: {fresh:?}, {of_these:?}");
            let sql = filtered["sql"].as_str().unwrap();
            assert_eq!(whole.rows(sql).len(), filtered[part].as_array().map_or(0, Vec::len), "{sql}");
        }
    }
}

#[test]
#[ignore = "needs a server"]
fn filters_that_reports_lack_are_named() {
    let web = reading(&shared_site("lacking_filters"), &[]);
    for (name, value) in
        [("annotated", "1"), ("site", "London"), ("eco", "B90"), ("whiteRating", "2000-"), ("length", "20-")]
    {
        for report in ["player?player=A", "opening?", &format!("ending?ending={}", encoded("KRP*vKRP*"))] {
            let answer = web.get(&format!("/api/reports/{report}&{name}={value}")).answer();
            assert_eq!(answer.status, 400, "{report}, {name}");
            assert!(answer.error().contains(&format!("\"{name}\"")), "{}", answer.error());
        }
    }
    let symmetric = web
        .get(&format!("/api/reports/player?player=A&fen={}&symmetries=1", encoded("8/8/8/3Nk3/8/8/8/7K w - -")))
        .answer();
    assert_eq!(symmetric.status, 400);
    assert!(symmetric.error().contains("\"symmetries\""), "{}", symmetric.error());
    let wrong = web.get("/api/reports/opening?pattern=Nd5+and+Xe4").answer();
    assert_eq!((wrong.status, &wrong.json()["at"]), (400, &Value::from(8)));
}

#[test]
#[ignore = "needs a server"]
fn codes_of_openings_have_what_their_links_list() {
    let db = shared_site("codes_of_scid");
    // with what Scid writes behind a code, in small letters, and no code at all
    db.sql(
        "UPDATE chess.games SET eco = (ARRAY['B90a', 'b90/05', 'C42', 'theory'])[1 + id % 4] WHERE id % 3 > 0;
         UPDATE chess.games SET eco = NULL WHERE id % 3 = 0",
    );
    let web = reading(&db, &[]);
    let answer = web.json("/api/openings?");
    let mut all = 0;
    for row in answer["codes"].as_array().expect("codes") {
        if let Some(code) = row["eco"].as_str() {
            assert_eq!(code.len(), 3, "{code}");
            assert_eq!(web.json(&format!("/api/games/count?eco={code}"))["games"], row["games"], "{code}");
        }
        all += row["games"].as_i64().expect("games");
    }
    assert_eq!(all.to_string(), db.sql("SELECT count(*) FROM chess.games"));
    let najdorf = web.json("/api/games/count?eco=b90")["games"].to_string();
    assert_eq!(najdorf, db.sql("SELECT count(*) FROM chess.games WHERE eco ~* '^b90' OR eco IS DISTINCT FROM 'C42' AND (opening(game)).eco = 'B90'"));
}
