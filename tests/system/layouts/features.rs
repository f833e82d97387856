//! What each layout can do: the table "What each layout can do" of docs/scaling.md goes in, and each of its cells is asked of
//! a database of that layout, by SQL, by chess-pgn and by the page. The column of Citus is not asked: no test has it.

use std::fs;

use chess_system::{Client, Database, Web, generated, repository};
use serde_json::Value;

use crate::foreign::coordinator;

/// How a feature is asked.
enum Question {
    /// A query, whose answer is that of one server.
    Sql(&'static str),
    /// A path of the page, and the part of its answer that is that of one server; what has times in it has no error.
    Page(&'static str, &'static str),
    /// The words of chess-pgn. `FILE` is a file whose games are there, `OTHER` a new name.
    Program(&'static str),
}
use Question::{Page, Program, Sql};

/// Each row of the table.
const FEATURES: [(&str, &[Question]); 17] = [
    (
        "searches: positions, material, openings, patterns",
        &[
            Sql("SELECT count(*) FROM chess.games WHERE hasBoard(game, getBoard('1. e4 e5', 2))"),
            Sql("SELECT count(*) FROM chess.games WHERE hasOpening(game, '1. e4')"),
            Sql("SELECT count(*) FROM chess.pgn_view WHERE game @@ 'Nd5'::chesspattern"),
            Page("/api/games/count?material=KRPvKR", "games"),
        ],
    ),
    (
        "explorer",
        &[
            Sql("SELECT san, games, white, draws, black FROM chess.explorer(startBoard()) ORDER BY san"),
            Sql(
                "SELECT san, games FROM chess.explorer(startBoard(), rating => '[2000,)', result => '1-0') ORDER BY san",
            ),
            Page("/api/explorer?play=e2e4&rating=2000-", "moves"),
        ],
    ),
    (
        "lists of games",
        &[
            Sql(
                "SELECT v.date, v.white, v.black, v.ply_count FROM chess.explorer_games(startBoard(), sort => 'date', count => 200) x JOIN chess.pgn_view v ON v.id = x.id ORDER BY 1, 2, 3, 4",
            ),
            Page("/api/games/count?play=e2e4", "games"),
            Page("/api/players?prefix=", "players"),
        ],
    ),
    (
        "a repertoire compared with the games",
        &[
            Sql(
                "SELECT status, ply, played, count(*) FROM chess.repertoire_check(chess.repertoire('1. e4 e5 2. Nf3'), NULL, 'w') GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
            ),
            Sql(
                "SELECT move, round(games::numeric) FROM chess.repertoire_gaps(chess.repertoire('1. e4 e5 2. Nf3'), 'w') ORDER BY 1, 2",
            ),
        ],
    ),
    (
        "reports on players",
        &[
            Sql(
                "SELECT section, item, games FROM chess.player_report((SELECT min(name) FROM chess.players), sections => '{summary,color,year}')",
            ),
            Page("/api/reports/player?player=Morphy&sections=summary", "rows"),
        ],
    ),
    (
        "reports on openings",
        &[
            Sql(
                "SELECT section, item, games FROM chess.opening_report(startBoard(), sections => '{summary,year,rating}')",
            ),
            Page("/api/reports/opening?play=e2e4&sections=summary", "rows"),
        ],
    ),
    (
        "reports on endings",
        &[Sql(
            "SELECT section, item, games, white, draws, black FROM chess.ending_report('KRP*vKRP*', sections => '{summary,material}')
             UNION ALL SELECT section, item, games, white, draws, black FROM chess.ending_report('K[QR]P*vK[BN]P*', sections => '{color,rating,month}') ORDER BY 1, 2",
        )],
    ),
    (
        "tournaments, crosstables",
        &[
            Sql("SELECT event, site, games FROM chess.tournaments() ORDER BY 1, 2, 3"),
            Sql(
                "SELECT count(*), sum(c.points) FROM chess.tournaments() t CROSS JOIN LATERAL chess.crosstable(t.ids) c",
            ),
            Page("/api/tournaments?event=Rated", "tournaments"),
        ],
    ),
    (
        "puzzles",
        &[
            Page("/api/puzzles", "puzzle"),
            Page("/api/puzzles/themes", "first"),
            Program("puzzles --problems --mate-in 1 --where ply_count=3"),
        ],
    ),
    (
        "export, opening books of games",
        &[Program("export --where ply_count=3"), Program("book make --out OTHER --min-games 2")],
    ),
    ("uploads, sources of the page", &[Page("/api/uploads", "uploads"), Page("/api/sources", "error")]),
    ("load, unload", &[Program("load FILE"), Program("unload FILE"), Program("load --index FILE")]),
    ("engines: analyses, games", &[Program("analyze --status")]),
    (
        "names of players, events and sites merged",
        &[Program("players"), Program("names events"), Program("names sites")],
    ),
    ("games that are stored twice", &[Program("twins --keep best --dry-run")]),
    ("opening books stored", &[Program("book load --name some OTHER"), Program("book drop some")]),
    ("upgrades of the tables", &[Program("migrate"), Program("migrate --index")]),
];

/// The layouts, as the columns of the table have them; Citus, the last column, is not asked.
const COLUMNS: usize = 4;

/// The rows of the table: the feature, and what each column says.
fn table() -> Vec<Vec<String>> {
    let page = fs::read_to_string(repository("docs/scaling.md")).unwrap();
    let table = page.split_once("### What each layout can do").unwrap().1.split_once("\n| | ").unwrap().1;
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// What was answered, or the reason for which it was not.
fn ask(db: &Client, web: &Web, question: &Question, files: [&str; 2]) -> Result<String, String> {
    match question {
        Sql(query) => match db.session().attempt(query) {
            Ok(rows) => Ok(rows.join("\n")),
            Err(refusal) if refusal.code == "0A000" => Err(format!("{} {}", refusal.message, refusal.hint)),
            Err(refusal) => panic!("{query}: {refusal:?}"),
        },
        Page(path, part) => {
            let answer = web.get(path).answer();
            let json = answer.json();
            match answer.status {
                200 => Ok(json[part].to_string()),
                501 => Err(format!("{} {}", answer.error(), json["hint"])),
                status => panic!("{path}: {status} {json}"),
            }
        }
        Program(words) => {
            let words = words.replace("FILE", files[0]).replace("OTHER", files[1]);
            let output = db.program(chess_system::built("chess-pgn")).words(&words).output();
            match output.code {
                Some(0) => Ok(String::new()),
                _ => Err(output.stderr),
            }
        }
    }
}

#[test]
#[ignore = "needs a server"]
fn each_layout_can_do_what_the_table_says() {
    let nodes = ["features_node1", "features_node2"];
    let Some(together) = coordinator("features_together", &nodes) else { return };
    let (one, partitions) = (Database::new("features_one"), Database::new("features_partitions"));
    let files = [one.file("a.pgn", generated(41, 400)), one.file("b.pgn", generated(42, 400))];
    one.pgn("load --index").args(&files).succeeds();
    partitions.pgn("schema --partition-by source:1").succeeds();
    partitions.pgn("load --index").args(&files).succeeds();
    for (n, node) in nodes.iter().enumerate() {
        let shard = (n + 1).to_string();
        Database::new(node).pgn("load --index --shard").arg(shard).arg(&files[n]).succeeds();
    }
    together.pgn("schema --servers").arg(nodes.join(",")).succeeds();

    let table = table();
    let named: Vec<&str> = table.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(named, FEATURES.map(|(name, _)| name), "the table has the features of the test");
    let layouts: [&Client; 3] = [&one, &partitions, &together];
    let webs = layouts.map(|db| Web::new(db, &["--no-sessions", "--upload"]));
    for (row, (name, questions)) in table.iter().zip(FEATURES) {
        assert_eq!(row.len(), COLUMNS + 1, "{name}");
        for question in questions {
            let mut expected = None;
            for (n, db) in layouts.into_iter().enumerate() {
                let book = one.path(&format!("{n}.bin"));
                let answer = ask(db, &webs[n], question, [files[0].to_str().unwrap(), book.to_str().unwrap()]);
                match (row[n + 1].as_str(), answer) {
                    ("yes", Ok(answer)) => {
                        assert_eq!(*expected.get_or_insert_with(|| answer.clone()), answer, "{name}, layout {n}")
                    }
                    ("on each server", Err(reason)) => {
                        assert!(
                            reason.contains("over several servers")
                                || reason.contains("on other servers: run this on each"),
                            "{name}: {reason}"
                        );
                        assert!(
                            reason.contains("each") || reason.contains("one of the servers"),
                            "what to do instead: {reason}"
                        );
                    }
                    (cell, answer) => panic!("{name}, layout {n}: the table says {cell}, and the answer is {answer:?}"),
                }
            }
        }
    }

    // what the page does not show
    let features = |web: &Web| web.json("/api/status")["features"].clone();
    for name in ["playerReports", "openingReports", "endingReports", "tournaments", "puzzles"] {
        assert_eq!(
            (&features(&webs[0])[name], &features(&webs[2])[name]),
            (&Value::from(true), &Value::from(false)),
            "{name}"
        );
    }
    assert!(features(&webs[0])["upload"].is_u64());
    assert!(features(&webs[2])["upload"].is_null());
}
