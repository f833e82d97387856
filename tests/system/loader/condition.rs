//! Loads with `--where`: what is stored equals what SQL selects from all games, what is left out is counted, and a load goes
//! on under its own condition only.

use chess_system::{Database, generated};

/// Generated games with time controls, titles and terminations, the same for the same index.
fn with_tags(games: usize) -> String {
    let pgn = generated(59, games);
    let mut out = String::new();
    for (n, part) in pgn.split_inclusive("[Result ").enumerate() {
        let Some(part) = part.strip_suffix("[Result ") else {
            out += part;
            continue;
        };
        let control = ["180+2", "60", "?", "-", "40/7200:3600", "G/15"][n % 6];
        let title = ["", "[WhiteTitle \"GM\"]\n", "[BlackTitle \"BOT\"]\n"][n % 3];
        out += &format!("{part}[TimeControl \"{control}\"]\n{title}");
        out += ["[Termination \"Normal\"]\n", "[Termination \"Time forfeit\"]\n", ""][n / 3 % 3];
        out += "[Result ";
    }
    out
}

#[test]
#[ignore = "needs a server"]
fn what_is_stored_is_what_sql_selects() {
    let db = Database::with_extension("chosen");
    let file = db.file("games.pgn", with_tags(1200));
    db.pgn("load --schema whole").arg(&file).succeeds();
    let shown = |schema: &str, condition: &str| {
        db.rows(&format!(
            "SELECT to_jsonb(v) - '{{id,source,source_id}}'::text[] FROM {schema}.pgn_view v WHERE {condition} ORDER BY source_offset"
        ))
    };
    for (n, (condition, sql)) in [
        ("rating >= 2000", "whole.mean_elo(white_elo, black_elo) >= 2000"),
        // of some games it ends in a half
        ("rating <= 2000", "whole.mean_elo(white_elo, black_elo) <= 2000"),
        ("least_elo>1900 and difference < 300", "least(nullif(white_elo, 0) + 0 * black_elo, black_elo + 0 * white_elo) > 1900 AND abs(white_elo - black_elo) < 300"),
        ("speed != bullet and not title = BOT", "whole.speed(time_control) <> 'bullet' AND (tags ->> 'BlackTitle') IS DISTINCT FROM 'BOT'"),
        ("date >= 1990 or result = 1/2-1/2", "lower(dates) >= '1990-01-01' OR result = '1/2-1/2'"),
        ("ply_count < 60 and termination = 'Time forfeit'", "ply_count < 60 AND tags ->> 'Termination' = 'Time forfeit'"),
        ("eco = B and speed in (blitz, rapid)", "(opening(game)).eco LIKE 'B%' AND whole.speed(time_control) IN ('blitz', 'rapid')"),
        ("pattern = 'Qxf7' or white = \"%\"", "hasPattern(game, 'Qxf7') OR white = '%'"),
    ]
    .into_iter()
    .enumerate()
    {
        let schema = format!("chosen{n}");
        let said = db.pgn("load --schema").arg(&schema).args(["--where", condition]).arg(&file).succeeds();
        let (chosen, wanted) = (shown(&schema, "true"), shown("whole", sql));
        assert!(!wanted.is_empty() && wanted.len() < 1200, "{condition} decides something");
        assert!(chosen == wanted, "{condition}: {} games instead of {}", chosen.len(), wanted.len());
        let left_out = 1200 - wanted.len();
        assert!(said.contains(&format!("{left_out} games left out, because they fail")), "{said}");
        let sums = "SELECT sum(games), sum(stored), sum(left_out) FROM";
        assert_eq!(db.sql(&format!("{sums} {schema}.pieces")), format!("1200|{}|{left_out}", wanted.len()));
        assert_eq!(db.sql(&format!("SELECT count(*) FROM {schema}.players WHERE id NOT IN (SELECT white_id FROM {schema}.games UNION SELECT black_id FROM {schema}.games)")), "0", "nobody is stored without a game");
    }
}

/// A blitz game, a bullet game, one of them that breaks off, and one whose tags do not decide.
const GAMES: &str = "[White \"A\"]\n[TimeControl \"180\"]\n\n1. e4 e5 2. Nf3 *\n\n[White \"B\"]\n[TimeControl \"60\"]\n\n1. d4 *\n\n\
    [White \"C\"]\n[TimeControl \"60\"]\n\n1. Ke4 *\n\n[White \"D\"]\n[TimeControl \"180\"]\n\n1. Ke4 *\n\n\
    [White \"E\"]\n[TimeControl \"180\"]\n\n1. c4 e5 2. Ke5 *\n\n";

#[test]
#[ignore = "needs a server"]
fn what_is_left_out_is_counted_and_leaves_no_trace() {
    let db = Database::with_extension("left_out");
    let file = db.file("games.pgn", GAMES);
    let load = |words: &str, condition: &str| db.pgn(words).args(["--where", condition]).arg(&file);
    let said = load("load --jobs 1", "speed = blitz and ply_count >= 3").succeeds();
    assert!(said.contains("5 games read") && said.contains("1 stored, 0 of them incomplete, 1 rejected"), "{said}");
    for line in ["3 games left out, because they fail", "           2 speed = blitz", "           1 ply_count >= 3"] {
        assert!(said.lines().any(|said| said == line), "{line}: {said}");
    }
    assert_eq!(db.sql("SELECT white, error FROM chess.pgn_view"), "A|");
    assert_eq!(db.sql("SELECT number, line, text ~ 'White \"D\"' FROM chess.rejected"), "4|16|t", "the others count");
    assert_eq!(db.sql("SELECT condition FROM chess.sources"), "speed = blitz and ply_count >= 3");
    let again = load("load", "speed=blitz   and ply_count>=3").succeeds();
    assert!(again.contains("2 games had been loaded before") && again.contains("0 games left out"), "{again}");
    let other = load("load", "speed = blitz").fails();
    assert!(other.contains("it was loaded with --where \"speed = blitz and ply_count >= 3\""), "{other}");
    let other = db.pgn("load").arg(&file).fails();
    assert!(other.contains("chess-pgn unload --source 1"), "{other}");
    db.pgn("unload --source 1").succeeds();
    db.pgn("load").arg(&file).succeeds();
    let other = load("load", "speed = blitz").fails();
    assert!(other.contains("it was loaded with no --where"), "{other}");

    let said = load("load --schema other --json --dedupe --strict", "speed = bullet and black = unknown").writes();
    let last = said.lines().last().unwrap();
    assert!(
        last.contains("\"left_out\":3") && last.contains("\"stored\":1") && last.contains("\"rejected\":1"),
        "{last}"
    );
    assert!(last.contains("\"left_out_by\":[{\"condition\":\"speed = bullet\",\"games\":3}]"), "{last}");
    assert_eq!(db.sql("SELECT games, stored, rejected, duplicates, left_out FROM other.pieces"), "5|1|1|0|3");
    // of no game, but there are games
    let said = load("load --schema none", "rating > 1").succeeds();
    assert!(said.contains("5 games left out"), "{said}");
    let wrong = load("load", "sped = blitz").ends(2);
    assert!(wrong.contains("\"sped\" is not a word of conditions; \"speed\" is, at character 1"), "{wrong}");
}

#[test]
#[ignore = "needs a server"]
fn a_game_that_grows_may_come_to_be_wanted() {
    let db = Database::with_extension("grows_into");
    let mut pgn = "[Event \"live\"]\n\n1. e4 e5 2. Nf3".to_owned();
    let counts = |schema: &str| {
        let mut counts = db.rows(&format!("SELECT game, error FROM {schema}.pgn_view ORDER BY source_offset"));
        counts.extend(
            db.rows(&format!("SELECT sum(games), sum(stored), sum(rejected), sum(left_out) FROM {schema}.pieces")),
        );
        counts
    };
    let growth = [
        "",
        " Nc6 3. Bb5 a6 1-0\n",
        "\n[Event \"live\"]\n\n1. d4 ",
        "d5 2. c4 e6 ",
        "3. Nc3 *\n",
        "\n[Event \"x\"]\n\n1. c4 *\n",
    ];
    for (n, more) in growth.into_iter().enumerate() {
        pgn += more;
        let file = db.file("live.pgn", &pgn);
        let load = |schema: &str| {
            db.pgn("load --schema").arg(schema).args(["--where", "ply_count >= 5"]).arg(&file).succeeds()
        };
        load("live");
        let fresh = format!("fresh{n}");
        load(&fresh);
        assert_eq!(counts("live"), counts(&fresh), "after {more:?}");
    }
}
