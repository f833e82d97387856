//! Reports on players and openings, compared with SQL by hand over a replay (reports.sql); ugly input, rights, games that come
//! meanwhile, and the order to stop.

use std::sync::OnceLock;

use chess_system::{Database, Session, read, repository};

use crate::{games, loaded};

/// A copy of the database of games with evaluations, clocks and titles, and with what the reports are compared to.
fn measured(name: &str) -> Database<'static> {
    static MEASURED: OnceLock<()> = OnceLock::new();
    MEASURED.get_or_init(|| {
        let db = loaded("measured");
        db.sql("SELECT replay.fill()");
        db.sql(&String::from_utf8(read(repository("tests/system/explorer/reports.sql"))).unwrap());
        db.sql("SELECT replay.measure(); SELECT replay.endings(); ANALYZE");
    });
    Database::copy("measured", name)
}

/// Compares a report, with lists as long as they get, with the rows by hand. Returns how many there were.
fn compare(session: &mut Session, report: &str, arguments: &str, hand: &str) -> u32 {
    let report = format!("chess.{report}({arguments}, count => 100000, at_least => 3)").replace('\'', "''");
    let question = format!("SELECT replay.differ('{report}', '{report}', VARIADIC ARRAY(SELECT replay.{hand}))");
    session.sql(&format!("SET client_min_messages = warning; {question}")).parse().unwrap()
}

#[test]
#[ignore = "needs a server"]
fn every_section_on_a_player_is_as_by_hand() {
    let db = measured("player_reports");
    let mut session = db.session();
    let mut rows = 0;
    for (filters, condition) in [
        ("player => 'Player 1'", "true"),
        ("player => 'Player 3', color => 'white'", "color = 'w'"),
        ("player => 'Player 2', white => 'Player 3'", "w.name = 'Player 3'"),
        (
            "player => 'Player 3', result => '0-1', dates => '[2005-01-01,2016-01-01)', event => 'Event 2'",
            "g.result = '0-1' AND lower(g.dates) >= '2005-01-01' AND upper(g.dates) <= '2016-01-01' AND e.name = 'Event 2'",
        ),
        (
            "player => 'Player 4', speeds => '{blitz}', with_evals => true",
            "g.time_control IN ('300+3', '180') AND g.evals IS NOT NULL",
        ),
        (
            "player => 'Player 5', rating => '[1500,2200)', time_control => '60+0'",
            "(g.white_elo + g.black_elo) / 2 BETWEEN 1500 AND 2199 AND least(g.white_elo, g.black_elo) > 0 AND g.time_control = '60+0'",
        ),
    ] {
        let name = filters.split('\'').nth(1).unwrap();
        let hand = format!("player('{name}', '{}', 3)", condition.replace('\'', "''"));
        rows += compare(&mut session, "player_report", &format!("{filters}, plies => 6"), &hand);
    }
    assert!(rows > 500, "rows were compared: {rows}");
}

#[test]
#[ignore = "needs a server"]
fn every_section_on_an_opening_is_as_by_hand() {
    let db = measured("opening_reports");
    let mut session = db.session();
    let mut rows = 0;
    for (moves, filters, condition) in [
        ("", "rating => NULL", "true"),
        ("", "result => '1-0'", "g.result = '1-0'"),
        ("1. e4", "speeds => '{blitz}'", "g.time_control IN ('300+3', '180')"),
        ("1. d4 Nf6 2. c4", "player => 'Player 1'", "(w.name = 'Player 1' OR b.name = 'Player 1')"),
        ("1. e4 e5 2. Nf3 Nc6", "rating => NULL", "true"),
        ("1. e4 c5", "player => 'Player 2', color => 'b'", "b.name = 'Player 2'"),
    ] {
        let board = format!("finalBoard('{moves}')");
        let hand = format!("opening({board}, '{}', 3)", condition.replace('\'', "''"));
        rows += compare(&mut session, "opening_report", &format!("{board}, {filters}, plies => 4"), &hand);
    }
    assert!(rows > 500, "rows were compared: {rows}");
}

#[test]
#[ignore = "needs a server"]
fn short_lists_on_an_opening_are_the_beginnings_of_long_ones() {
    let db = measured("short_reports");
    let mut session = db.session();
    let mut compare = |when: &str| {
        for (moves, filters) in [
            ("", ""),
            ("", ", result => '0-1'"),
            ("", ", player => 'Player 1'"),
            ("", ", dates => '[1990-01-01,2010-01-01)'"),
            ("1. e4", ""),
            ("1. e4 e5 2. Nf3 Nc6", ""),
        ] {
            let list = |count: u32, shown: u32| {
                format!(
                    "SELECT section, n, r FROM (SELECT section, row_number() OVER (PARTITION BY section ORDER BY place) AS n, to_jsonb(r) - 'place' AS r
                     FROM chess.opening_report(finalBoard('{moves}'){filters}, count => {count}, sections =>
                         '{{white_player,black_player,move_order,best_rated,newest,annotated,shortest_white_win,shortest_black_win}}')
                     WITH ORDINALITY r (section, item, games, white, draws, black, score, expected, detail, place)) r WHERE n <= {shown}"
                )
            };
            for count in [1, 3] {
                let (short, long) = (list(count, count + 1), list(100000, count));
                let differing = session.sql(&format!(
                    "SELECT count(*) FROM (({short} EXCEPT {long}) UNION ALL ({long} EXCEPT {short})) d"
                ));
                assert_eq!(differing, "0", "{when}, {count} of {moves}{filters}");
                let rows: u32 = session.sql(&format!("SELECT count(*) FROM ({short}) r")).parse().unwrap();
                assert!(rows >= count, "{when}, {count} of {moves}{filters}: {rows} rows");
            }
        }
    };
    compare("as loaded");
    db.sql(
        "UPDATE chess.games SET dates = NULL WHERE id % 3 = 0;
         UPDATE chess.games SET dates = '(,2001-01-01)' WHERE id % 7 = 0;
         UPDATE chess.games SET white_elo = -5, black_elo = NULL WHERE id % 5 = 0",
    );
    compare("with unknown dates and ratings");
}

#[test]
#[ignore = "needs a server"]
fn more_groups_than_fit_into_memory_make_no_difference() {
    let db = measured("large_reports");
    db.sql(
        "UPDATE chess.games SET dates = NULL WHERE id % 11 = 0;
         UPDATE chess.games SET dates = '(,2001-01-01)' WHERE id % 13 = 0;
         UPDATE chess.games SET dates = '[infinity,)' WHERE id % 17 = 0;
         UPDATE chess.games SET dates = '[2024-02-29,2024-03-01)', time_control = id::text WHERE id % 19 = 0;
         UPDATE chess.games SET white_elo = -5, black_elo = NULL, tags = '{\"Termination\": \"time forfeit\"}' WHERE id % 5 = 0",
    );
    db.sql("INSERT INTO chess.games (white_id, black_id, white_elo, black_elo, dates, result, time_control, tags, game)
            SELECT white_id, black_id, white_elo, black_elo, dates, result, time_control, tags, game FROM chess.games, generate_series(1, 12)");
    let mut session = db.session();
    let asked = ["startBoard()", "startBoard(), result => '0-1'", "finalBoard('1. e4')", "startBoard(), speeds => '{blitz}'"].map(|asked| {
        format!("SELECT string_agg(r::text, ' ') FROM chess.opening_report({asked}, count => 100000, at_least => 2, plies => 20) r")
    });
    let within: Vec<String> = asked.iter().map(|asked| session.sql(asked)).collect();
    db.sql("ALTER FUNCTION chess.opening_report SET work_mem = '64kB'");
    let groups = "SET work_mem = '64kB'; SELECT reportGroups(16383, 100000, result, white_elo, black_elo, id, lower(dates), upper(dates), ply_count,
         white_id, black_id, time_control, facts, NULL, getFirstMoves(game, 20), true, true, true) IS NULL FROM chess.games WHERE result = '0-1'";
    assert_eq!(db.sql(groups), "t", "they do not fit");
    for (asked, within) in asked.iter().zip(within) {
        assert!(session.sql(asked) == within && within.contains("novelty"), "{asked}");
    }
}

/// Games in this order: who played White and Black, their ratings, the date, the result, the moves.
fn insert(db: &Database<'_>, games: &[(&str, &str, &str, &str, &str, &str)]) {
    for (white, black, elos, date, result, moves) in games {
        let (white_elo, black_elo) = elos.split_once('-').unwrap();
        db.sql(&format!(
            "INSERT INTO chess.pgn_view (white, black, white_elo, black_elo, date, result, game)
             VALUES ($${white}$$, $${black}$$, nullif('{white_elo}', '')::integer, nullif('{black_elo}', '')::integer, '{date}', '{result}', '{moves}')"
        ));
    }
}

#[test]
#[ignore = "needs a server"]
fn a_few_games_long_after_a_career_give_up_no_opening() {
    let db = Database::with_tables("career");
    let plays = |games: u32, date: &str, moves: &str| {
        db.sql(&format!(
            "INSERT INTO chess.pgn_view (white, black, date, result, game)
             SELECT 'Me', 'You', '{date}', '1/2-1/2', '{moves} 1/2-1/2' FROM generate_series(1, {games})"
        ));
        db.rows(
            "SELECT section, item, games
             FROM chess.player_report('Me', sections => '{new_opening,given_up_opening}', at_least => 2)",
        )
    };
    let (ruy, gambit, english) = ("1. e4 e5 2. Nf3 Nc6 3. Bb5", "1. d4 d5 2. c4", "1. c4");
    plays(12, "2001.03.01", ruy);
    plays(5, "2003.03.02", gambit);
    let career = ["new_opening|Queen's Gambit|10", "given_up_opening|Ruy Lopez|12"];
    assert_eq!(plays(5, "2005.03.01", gambit), career, "two years from the first day to the last");
    assert_eq!(plays(1, "2020.01.01", english), career, "1 of 23");
    let late = ["new_opening|Queen's Gambit|10", "new_opening|English Opening|7", "given_up_opening|Ruy Lopez|12"];
    assert_eq!(plays(6, "2020.01.02", english), late, "7 of 29 are less than a quarter");
    assert_eq!(
        plays(1, "2020.01.03", english),
        ["new_opening|English Opening|8", "given_up_opening|Ruy Lopez|12", "given_up_opening|Queen's Gambit|10"],
        "8 of 30"
    );
    assert_eq!(plays(1200, "2001.03.02", ruy), [""; 0], "less than a hundredth after the first year");
}

#[test]
#[ignore = "needs a server"]
fn a_few_late_games_leave_the_novelties_as_they_are() {
    let db = Database::with_tables("late_novelties");
    let plays = |games: u32, date: &str, moves: &str| {
        db.sql(&format!(
            "INSERT INTO chess.pgn_view (date, result, game)
             SELECT '{date}', '1/2-1/2', '{moves} 1/2-1/2' FROM generate_series(1, {games})"
        ));
        db.rows(
            "SELECT item, games, detail ->> 'known'
             FROM chess.opening_report(finalBoard('1. e4 e5'), sections => '{novelty}', at_least => 2)",
        )
    };
    let (knight, bishop, gambit) = ("1. e4 e5 2. Nf3", "1. e4 e5 2. Bc4", "1. e4 e5 2. f4");
    plays(12, "2001.03.01", knight);
    plays(5, "2003.03.02", bishop);
    assert_eq!(plays(5, "2004.03.01", bishop), ["Bc4|10|12"], "a year from the first day to the last");
    let both = ["Bc4|10|12", "f4|1|12"];
    assert_eq!(plays(1, "2020.01.01", gambit), both, "1 of 23");
    assert_eq!(plays(9, "2020.01.02", gambit), ["f4|10|22"], "10 of 32");
    assert_eq!(
        plays(1000, "2000.01.01", knight),
        ["Bc4|10|1000", "f4|10|1000"],
        "10 of 1,032 are less than a hundredth, 12 are not"
    );
}

#[test]
#[ignore = "needs a server"]
fn openings_come_and_go_and_lines_win_and_lose() {
    let db = Database::with_tables("repertoire");
    let (me, you) = ("Me", "You");
    insert(
        &db,
        &[
            (me, you, "2000-2000", "2001.01.01", "1-0", "1. e4 e5 2. Nf3 Nc6 3. Bb5"),
            (me, you, "2000-2000", "2001.01.02", "1-0", "1. e4 e5 2. Nf3 Nc6 3. Bb5"),
            (me, you, "2000-2000", "2001.01.03", "0-1", "1. e4 c5 2. Nf3"),
            (me, you, "2000-2400", "2001.01.04", "0-1", "1. e4 c5 2. Nf3"),
            (me, you, "-2400", "2009.06.01", "1/2-1/2", "1. d4 d5 2. c4"),
            (me, you, "-", "2009.07.01", "1/2-1/2", "1. d4 d5 2. c4"),
            (you, me, "-", "????.??.??", "*", "1. d4 d5 2. c4"),
        ],
    );
    let rows = |sections: &str, detail: &str| {
        db.rows(&format!(
            "SELECT section, item, games, {detail} FROM chess.player_report('Me', sections => '{{{sections}}}')"
        ))
    };
    assert_eq!(
        rows("new_opening,given_up_opening", "detail ->> 'recent'"),
        ["new_opening|Queen's Gambit|2|2", "given_up_opening|Ruy Lopez|2|0", "given_up_opening|Sicilian Defense|2|0"]
    );
    // Promised were 1 point of 2, and 0.5 and 1/11 against the stronger player; the average as White is 3 of 6.
    assert_eq!(
        rows("best_line,worst_line", "round((detail ->> 'surplus')::numeric, 4)"),
        ["best_line|e4 e5 Nf3 Nc6 Bb5|2|1.0000", "worst_line|e4 c5 Nf3|2|-0.5909"]
    );
    assert_eq!(
        rows("white_line", "detail ->> 'parent', round((detail ->> 'share')::numeric, 2), detail ->> 'last'")[..3],
        [
            "white_line|e4|4||0.67|2001-01-04",
            "white_line|d4|2||0.33|2009-07-01",
            "white_line|d4 d5|2|d4|1.00|2009-07-01"
        ]
    );
    assert_eq!(
        db.sql("SELECT count(*) FROM chess.player_report('Me') c LEFT JOIN chess.player_report('Me') p ON p.section = c.section AND p.item = c.detail ->> 'parent'
                WHERE c.section ~ '^(white|black)_line$' AND c.detail ->> 'parent' <> '' AND p.item IS NULL"),
        "0",
        "a tree"
    );
    assert_eq!(
        db.sql("SELECT games, detail -> 'first_game' ->> 'day', detail -> 'last_game' ->> 'day', detail -> 'peak_rating' ->> 'rating',
                       detail -> 'latest_rating' ->> 'day', round(expected::numeric, 4), round((detail ->> 'rated_score')::numeric, 4)
                FROM chess.player_report('Me', sections => '{summary}')"),
        "7|2001-01-01|2009-07-01|2000|2001-01-04|0.3977|0.5000"
    );
    // Moves that lead to a position that others had reached are no novelty.
    insert(
        &db,
        &[
            (you, me, "-", "2009.08.01", "1-0", "1. c4 d5 2. d4"),
            (you, me, "-", "2009.08.02", "1-0", "1. c4 d5 2. Nc3"),
            (you, me, "-", "2001.08.02", "1-0", "1. c4 d5"),
            (you, me, "-", "????.08.02", "1-0", "1. c4 d5"),
        ],
    );
    let novelties =
        "SELECT item, detail ->> 'known' FROM chess.opening_report(finalBoard('1. c4 d5'), sections => '{novelty}')";
    assert_eq!(db.rows(novelties), ["Nc3|2"]);
}

#[test]
#[ignore = "needs a server"]
fn games_with_hardly_anything_have_reports() {
    let db = Database::with_tables("bare_reports");
    let names = ["O'Kelly", "$query$ <sums> <seats> {schema}", "Ünïcødé, 棋士 \"♞\"", "\\x00 %L %s $1"];
    let nothing = "SELECT section, item, games, score IS NULL, expected IS NULL FROM chess.player_report('Nobody')";
    assert_eq!(db.rows(nothing), ["summary|all|0|t|t"]);
    let nothing =
        "SELECT section, item, games, score IS NULL, expected IS NULL FROM chess.opening_report(startBoard())";
    assert_eq!(db.rows(nothing), ["summary|all|0|t|t"]);
    for name in names {
        insert(&db, &[(name, "Other", "-", "????.??.??", "*", "*")]);
        let bare = format!(
            "SELECT string_agg(section || ' ' || item || ' ' || games, ', ') FROM chess.player_report($${name}$$)"
        );
        assert_eq!(
            db.sql(&bare.replace("$$", "$x$")),
            "summary all 1, color w 1, year unknown 1, speed unknown 1, opponent_rating unknown 1, rating_difference unknown 1, \
             opponent Other 1, white_opening ? 1, length unknown 1, ending unknown 1",
            "{name}"
        );
        let bare = format!(
            "SELECT string_agg(DISTINCT item, ', ') FROM chess.opening_report(startBoard(), white => $x${name}$x$,
                 time_control => NULL, sections => '{{white_player}}')"
        );
        assert_eq!(db.sql(&bare), name);
    }
    insert(
        &db,
        &[
            ("Giant", "Dwarf", "2000000000--5", "0001.01.01", "1-0", "1. e4"),
            ("Giant", "Giant", "2000000000-1", "2020.01.01", "1-0", "1. e4 e5"),
        ],
    );
    db.sql(
        "INSERT INTO chess.pgn_view (white, game, result, evals, clocks) VALUES
            ('Giant', newGame('r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b KQkq - 0 1', 'O-O O-O'), '1/2-1/2', '{NULL,100000,-100000}', '{-5,0}'),
            ('Matrix', '1. e4 e5', '1/2-1/2', '{{1,2},{3,4}}', '{{1,2},{3,4}}'), ('Matrix', '1. e4 e5 2. d4', '*', '[5:7]={0,0,0}', '{}')",
    );
    let giant = "SELECT games, score, expected, detail -> 'peak_rating' ->> 'rating' FROM chess.player_report('Giant') WHERE section = 'summary'";
    assert_eq!(db.sql(giant), "4|0.625|0.5|2000000000", "both seats of a game against oneself count");
    let phases = "SELECT games, detail ->> 'moves' FROM chess.player_report('Matrix', sections => '{phase}')";
    assert_eq!(db.rows(phases), ["1|1"], "arrays of two dimensions are left out");
    for report in
        ["player_report('Giant')", "opening_report(finalBoard('1. e4'))", "opening_report(startBoard(), 'Giant')"]
    {
        db.sql(&format!("SELECT count(*) FROM chess.{report}"));
    }
    for dates in
        ["[4713-01-01 BC,4713-01-02 BC)", "[5874897-12-01,5874897-12-30)", "[infinity,)", "(,4714-11-24 BC)", "empty"]
    {
        db.sql(&format!("UPDATE chess.games SET dates = '{dates}' WHERE evals IS NOT NULL"));
        db.sql("SELECT count(*) FROM chess.player_report('Matrix'), chess.opening_report(startBoard())");
    }
    db.sql("INSERT INTO chess.players (name, same_as) SELECT 'Riese', id FROM chess.players WHERE name = 'Giant'");
    insert(&db, &[("Riese", "Dwarf", "-", "2021.01.01", "0-1", "1. e4")]);
    let merged = "SELECT games, detail ->> 'players', detail ->> 'names' FROM chess.player_report('Riese', sections => '{summary}')";
    assert_eq!(db.sql(merged), r#"5|["Giant"]|["Giant", "Riese"]"#);
    let opponents = "SELECT item, games FROM chess.player_report('Dwarf', sections => '{opponent}')";
    assert_eq!(db.rows(opponents), ["Giant|2"], "one player under two names");
}

#[test]
#[ignore = "needs a server"]
fn what_is_wrong_is_refused() {
    let db = Database::with_tables("refused_reports");
    for (report, code, message) in [
        ("player_report(NULL)", "22004", "a report needs a player"),
        ("opening_report(NULL)", "22004", "a report needs a board"),
        ("player_report('Me', sections => '{yaer}')", "22023", "\"yaer\" is not a section of this report"),
        ("opening_report(startBoard(), sections => '{NULL}')", "22023", "\"NULL\" is not a section of this report"),
        ("player_report('Me', count => -1)", "22023", "count must not be negative"),
        ("opening_report(startBoard(), at_least => 0)", "22023", "at_least must be positive"),
        ("opening_report(startBoard(), plies => 0)", "22023", "plies must be from 1 to 100"),
        ("player_report('Me', plies => 101)", "22023", "plies must be from 1 to 100"),
        ("player_report('Me', color => 'x')", "22023", "\"x\" is not a color"),
        ("explorer(startBoard(), 'Me', 'W')", "22023", "\"W\" is not a color"),
        ("player_report('Me', result => '2-0')", "22023", "\"2-0\" is not a result"),
        ("opening_report(startBoard(), color => 'w')", "22023", "a color without a player"),
        ("explorer_games(startBoard(), count => NULL)", "22023", "count must not be negative"),
        ("explorer_games(startBoard(), count => -1)", "22023", "count must not be negative"),
        ("player('Me', count => -1)", "22023", "count must not be negative"),
        (
            "repertoire_check(chess.repertoire('1. e4'), 'Me', 'w', at_most => -1)",
            "22023",
            "at_most must not be negative",
        ),
        ("performance(2000, 'NaN')", "22023", "score must be from 0 to 1"),
        ("performance(2000, 'Infinity')", "22023", "score must be from 0 to 1"),
        ("performance(2000, 1.01)", "22023", "score must be from 0 to 1"),
    ] {
        let refusal = db.refuses(&format!("SELECT * FROM chess.{report}"));
        assert_eq!((&*refusal.code, &*refusal.message), (code, message), "{report}");
    }
}

#[test]
#[ignore = "needs a server"]
fn who_may_read_the_games_may_have_reports_and_they_can_be_stopped() {
    let db = loaded("report_readers");
    db.sql("CREATE ROLE report_reader; CREATE ROLE report_nobody; GRANT USAGE ON SCHEMA chess TO report_reader, report_nobody;
            GRANT SELECT ON ALL TABLES IN SCHEMA chess TO report_reader");
    let mut session = db.session();
    session.sql("SET ROLE report_reader; SET search_path = ''; SET default_transaction_read_only = on");
    let asked = "SELECT (SELECT games > 100 FROM chess.player_report('Player 1') WHERE section = 'summary'),
                        (SELECT games > 1000 FROM chess.opening_report(public.startBoard()) WHERE section = 'summary')";
    assert_eq!(session.sql(asked), "t|t", "whatever the search_path");
    for report in ["player_report('Player 1')", "opening_report(public.startBoard())"] {
        let refusal = db.refuses(&format!("SET ROLE report_nobody; SELECT * FROM chess.{report}"));
        assert_eq!(refusal.code, "42501", "{report}: {refusal:?}");
        let refusal =
            db.refuses(&format!("SET statement_timeout = 1; SELECT * FROM chess.{report}, chess.{report} again"));
        assert_eq!(refusal.code, "57014", "{report}: {refusal:?}");
    }
    db.sql("CREATE POLICY few ON chess.games USING (id % 100 = 0); ALTER TABLE chess.games ENABLE ROW LEVEL SECURITY");
    let seen =
        "SELECT games = (SELECT count(*) FROM chess.games WHERE public.hasBoard(game, 'startpos')) AND games < 20
                FROM chess.opening_report(public.startBoard(), sections => '{summary}')";
    assert_eq!(session.sql(seen), "t", "only games that the role sees");
}

#[test]
#[ignore = "needs a server"]
fn a_report_is_of_one_moment_while_games_are_loaded() {
    let db = Database::with_tables("report_moment");
    let mut load = db.pgn("load --index").arg(games(&db)).spawn();
    let mut session = db.session();
    let asked = "WITH r AS (SELECT section, sum(games) AS games FROM chess.opening_report(startBoard(), count => 100000) GROUP BY 1)
                 SELECT count(DISTINCT games), max(games) FROM r
                 WHERE section IN ('summary', 'year', 'rating', 'speed', 'white_player', 'length', 'ending', 'material')";
    while load.runs() {
        let sums = session.sql(asked);
        assert!(sums.starts_with("1|"), "sections of one moment: {sums}");
    }
    load.ends(0);
    let games = db.sql("SELECT count(*) FROM chess.games WHERE hasBoard(game, 'startpos')");
    assert_eq!(session.sql(asked), format!("1|{games}"));
}
