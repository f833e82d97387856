//! Tables of tournaments: what chess.tournaments and chess.crosstable make of games whose results are known, compared
//! with famous tables and with a second, plain computation.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chess_system::{Database, skip};

/// A game with a few moves; without moves if `moves` is empty.
fn game(tags: &[(&str, &str)], moves: &str, result: &str) -> String {
    let mut pgn = String::new();
    for (name, value) in tags {
        writeln!(pgn, "[{name} \"{value}\"]").unwrap();
    }
    format!("{pgn}[Result \"{result}\"]\n\n{moves} {result}\n\n")
}

#[test]
#[ignore = "needs a server"]
fn forfeits_count_in_tables_and_not_in_ratings() {
    let mut pgn = String::new();
    for (round, white, black, moves, result) in [
        ("1", "Ash", "Birch", "", "+:-"),
        ("2", "Birch", "Cedar", "1. e4 e5", "-:+"),
        ("3", "Cedar", "Ash", "1. e4 e5", "1-0"),
        // both lose, at the board and without play; half a point is taken away
        ("4", "Ash", "Birch", "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5", "0-0"),
        ("5", "Birch", "Cedar", "", "-:-"),
        ("6", "Cedar", "Ash", "1. e4 e5", "1/2-0"),
        ("7", "Ash", "Birch", "1. e4 e5", "*"),
    ] {
        let (home, away) = (format!("Team {white}"), format!("Team {black}"));
        let tags = [
            ("Event", "Cup"),
            ("Date", "2024.01.01"),
            ("Round", round),
            ("White", white),
            ("Black", black),
            ("WhiteElo", "2000"),
            ("BlackElo", "2000"),
            ("WhiteTeam", &*home),
            ("BlackTeam", &*away),
        ];
        pgn += &game(&tags, moves, result);
    }
    let db = Database::loaded("forfeits", pgn);
    let rows = db.rows(
        "SELECT player, points, games, performance, array_to_string(results, ' ') FROM chess.crosstable('Cup', kind => 'all-play-all')",
    );
    let expected = ["Cedar|2.5|4|2193|x 1½ +-", "Ash|1|4|1200|00 x +0*", "Birch|0|4|1200|-- -0* x"];
    assert_eq!(rows, expected);
    let played = db.rows("SELECT d ->> 'round', d ->> 'score', d ->> 'played' FROM chess.crosstable('Cup') c, jsonb_array_elements(c.details) d WHERE c.player = 'Birch'");
    assert_eq!(played, ["1|0|false", "2|0|false", "4|0|true", "5|0|false", "7||true"]);
    let teams = db.rows(
        "SELECT team, points, board_points FROM chess.team_crosstable(ARRAY(SELECT id FROM chess.games)) ORDER BY team",
    );
    assert_eq!(teams, ["Team Ash|3|1", "Team Birch|2|0", "Team Cedar|7|2.5"]);
    // The report counts the points, and no ratings of forfeits.
    let report = db.rows("SELECT games, white, draws, black, detail ->> 'rated' FROM chess.player_report('Cedar') WHERE section = 'summary'");
    assert_eq!(report, ["4|1|0|1|1"]);
    // The column decides if the tag contradicts it.
    db.sql("UPDATE chess.games SET result = '1/2-1/2' WHERE round = '1'");
    assert_eq!(db.sql("SELECT points FROM chess.crosstable('Cup') WHERE player = 'Birch'"), "0.5");
}

/// The tables of real tournaments: each player's points against the others in order, a character for each game.
const AVRO_1938: [(&str, &str); 8] = [
    ("Keres, Paul", "x ½1 ½½ ½½ 1½ ½½ 1½ ½½"),
    ("Fine, Reuben", "½0 x 1½ 10 10 11 ½½ ½1"),
    ("Botvinnik, Mikhail", "½½ 0½ x 0½ ½1 1½ 1½ ½½"),
    ("Euwe, Max", "½½ 01 1½ x ½0 0½ 10 ½1"),
    ("Reshevsky, Samuel", "0½ 01 ½0 ½1 x ½½ ½½ ½1"),
    ("Alekhine, Alexander", "½½ 00 0½ 1½ ½½ x 1½ ½1"),
    ("Capablanca, Jose Raul", "0½ ½½ 0½ 01 ½½ 0½ x ½1"),
    ("Flohr, Salo", "½½ ½0 ½½ ½0 ½0 ½0 ½0 x"),
];

/// The games of such a table.
fn all_play_all(event: &str, table: &[(&str, &str)]) -> String {
    let mut pgn = String::new();
    for (at, (white, line)) in table.iter().enumerate() {
        for ((black, _), results) in table.iter().zip(line.split(' ')).skip(at + 1) {
            for (number, result) in results.chars().enumerate() {
                let result = ["0-1", "1/2-1/2", "1-0"]["0½1".chars().position(|sign| sign == result).unwrap()];
                let round = (number + 1).to_string();
                let tags =
                    [("Event", event), ("Date", "1938.11.??"), ("Round", &round), ("White", white), ("Black", black)];
                pgn += &game(&tags, "1. e4 e5", result);
            }
        }
    }
    pgn
}

#[test]
#[ignore = "needs a server"]
fn all_play_all_twice() {
    let db = Database::loaded("avro", all_play_all("AVRO", &AVRO_1938));
    let rows = db.rows(
        "SELECT rank, player, points, games, sonneborn_berger, array_to_string(results, ' '), kind FROM chess.crosstable('AVRO')",
    );
    // The points of the tournament book; Keres was first by Sonneborn–Berger.
    let expected = [
        ("8.5", "58.25"),
        ("8.5", "56.25"),
        ("7.5", "50.75"),
        ("7", "48"),
        ("7", "46.75"),
        ("7", "45.5"),
        ("6", "40.75"),
        ("4.5", "33.75"),
    ];
    for (at, ((player, line), (points, sum))) in AVRO_1938.iter().zip(expected).enumerate() {
        assert_eq!(rows[at], format!("{}|{player}|{points}|14|{sum}|{line}|all-play-all", at + 1));
    }
}

/// The games of one event are found by the index on it, not by a scan of all games.
#[test]
#[ignore = "needs a server"]
fn an_event_is_found_by_its_index() {
    let db = Database::with_extension("event_index");
    let others = (0..2000).map(|n| all_play_all(&format!("Open {n}"), &AVRO_1938[..2]));
    let pgn = others.fold(all_play_all("AVRO", &AVRO_1938[..2]), |pgn, other| pgn + &other);
    db.pgn("load --index").arg(db.file("games.pgn", pgn)).succeeds();
    let mut session = db.session();
    session.sql("BEGIN");
    assert_eq!(session.sql("SELECT event, games FROM chess.tournaments('AVRO')"), "AVRO|2");
    assert_eq!(session.sql("SELECT pg_stat_get_xact_numscans('chess.games_event_id_idx'::regclass) > 0"), "t");
}

#[test]
#[ignore = "needs a server"]
fn knockout() {
    // The matches of Kazan 2011; the order of their results is invented.
    let matches = [
        ("1", "Gelfand, Boris", "Mamedyarov, Shakhriyar", "½½1½"),
        ("1", "Kamsky, Gata", "Topalov, Veselin", "1½½½"),
        ("1", "Kramnik, Vladimir", "Radjabov, Teimour", "½½½½½½1010½1"),
        ("1", "Grischuk, Alexander", "Aronian, Levon", "½½½½½1½"),
        ("2", "Gelfand, Boris", "Kamsky, Gata", "½½½½0111"),
        ("2", "Grischuk, Alexander", "Kramnik, Vladimir", "½½½½½½1½"),
        ("3", "Gelfand, Boris", "Grischuk, Alexander", "½½½½½1"),
    ];
    let mut pgn = String::new();
    for (round, first, second, results) in matches {
        for (number, sign) in results.chars().enumerate() {
            let result = ["0-1", "1/2-1/2", "1-0"]["0½1".chars().position(|of| of == sign).unwrap()];
            let round = format!("{round}.{}", number + 1);
            let tags = [("Event", "Candidates"), ("Round", &round), ("White", first), ("Black", second)];
            pgn += &game(&tags, "1. d4 d5", result);
        }
    }
    let db = Database::loaded("knockout", pgn);
    let rows = db.rows(
        "SELECT rank, player, points, array_to_string(results, ' '), sonneborn_berger IS NULL FROM chess.crosstable('Candidates')",
    );
    let expected = [
        "1|Gelfand, Boris|11|6:½½1½ 3:½½½½0111 2:½½½½½1|t",
        "2|Grischuk, Alexander|11|5:½½½½½1½ 4:½½½½½½1½ 1:½½½½½0|t",
        "3|Kamsky, Gata|5.5|8:1½½½ 1:½½½½1000 |t",
        "3|Kramnik, Vladimir|10|7:½½½½½½1010½1 2:½½½½½½0½ |t",
        "5|Aronian, Levon|3|2:½½½½½0½  |t",
        "5|Mamedyarov, Shakhriyar|1.5|1:½½0½  |t",
        "5|Radjabov, Teimour|5.5|4:½½½½½½0101½0  |t",
        "5|Topalov, Veselin|1.5|3:0½½½  |t",
    ];
    assert_eq!(rows, expected);
    assert_eq!(db.sql("SELECT DISTINCT kind FROM chess.crosstable('Candidates')"), "knockout");
    // read otherwise
    let swiss = "SELECT player, points, results[1] FROM chess.crosstable('Candidates', kind => 'swiss') LIMIT 1";
    assert_eq!(db.sql(swiss), format!("Grischuk, Alexander|11|{}w½", place(&db, "Aronian, Levon")));
    assert_eq!(db.refuses("SELECT * FROM chess.crosstable('Candidates', kind => 'league')").code, "22023");
}

/// The place of a player in the table that is read as a Swiss.
fn place(db: &Database<'_>, player: &str) -> String {
    db.sql(&format!(
        "SELECT n FROM chess.crosstable('Candidates', kind => 'swiss') WITH ORDINALITY t (rank, id, player, rating, points, games,
         sb, buchholz, performance, results, details, kind, n) WHERE player = '{player}'"
    ))
}

/// The pairings of a round, from 1, of an even number of players who all meet.
fn pairs(players: usize, round: usize) -> impl Iterator<Item = (usize, usize)> {
    let (others, last) = (players - 1, players - 1);
    let seat = move |place: usize| (place + round - 1) % others;
    std::iter::once((seat(0), last)).chain((1..players / 2).map(move |at| (seat(at), seat(others - at))))
}

#[test]
#[ignore = "needs a server"]
fn a_few_rounds_of_an_all_play_all_are_no_swiss() {
    let mut pgn = String::new();
    let mut add = |event: &str, round: usize, white: String, black: String| {
        let round = round.to_string();
        let tags = [
            ("Event", event),
            ("Date", "2020.05.01"),
            ("Round", &*round),
            ("White", &*white),
            ("Black", &*black),
            ("WhiteTeam", &*white),
            ("BlackTeam", &*black),
        ];
        pgn += &game(&tags, "1. e4 e5", "1/2-1/2");
    };
    let name = |event: &str, player: usize| format!("{event}, {player:02}");
    for (event, rounds) in [("Late", &[6, 7, 8, 9][..]), ("Torn", &[1, 2, 8, 9]), ("Early", &[1, 2, 3, 4])] {
        for &round in rounds {
            pairs(10, round).for_each(|(white, black)| add(event, round, name(event, white), name(event, black)));
        }
    }
    // 24 players: even with the rounds before, too few meet
    for round in 6..=9 {
        pairs(24, round).for_each(|(white, black)| add("Open", round, name("Open", white), name("Open", black)));
    }
    // the first boards of an open, whose players change from round to round
    for round in 6..=9 {
        (0..5)
            .for_each(|board| add("Boards", round, name("Boards", board), name("Boards", 5 + (board + 2 * round) % 9)));
    }
    let db = Database::loaded("few_rounds", pgn);
    for (event, kind) in
        [("Late", "all-play-all"), ("Torn", "all-play-all"), ("Early", "swiss"), ("Open", "swiss"), ("Boards", "swiss")]
    {
        assert_eq!(db.sql(&format!("SELECT DISTINCT kind FROM chess.crosstable('{event}')")), kind, "{event}");
        let teams =
            format!("SELECT DISTINCT kind FROM chess.team_crosstable((SELECT ids FROM chess.tournaments('{event}')))");
        assert_eq!(db.sql(&teams), kind, "teams of {event}");
    }
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % end) as usize
    }
}

#[test]
#[ignore = "needs a server"]
fn a_swiss_agrees_with_a_plain_computation() {
    let (mut random, players) = (Random(30), 41);
    let rating = |player: usize| 2000 + player as i32 * 7;
    let name = |player: usize| format!("Player, {player:02}");
    // A player, an opponent if there is one, the score, and whether it was played.
    let mut seats: Vec<(usize, Option<usize>, Option<f64>, bool)> = Vec::new();
    let mut pgn = String::new();
    for round in 1..=9 {
        let mut order: Vec<usize> = (0..players).collect();
        (0..players).for_each(|at| order.swap(at, random.below(players as u64)));
        for pair in order.chunks(2) {
            let result = [("1-0", Some(1.0)), ("0-1", Some(0.0)), ("1/2-1/2", Some(0.5)), ("*", None)];
            let (text, score) = result[if random.below(20) == 0 { 3 } else { random.below(3) }];
            let played = pair.len() == 2 && random.below(15) > 0;
            let (white, black) = (name(pair[0]), pair.get(1).map_or("BYE".to_owned(), |player| name(*player)));
            // One of the players is written in two ways.
            let white = if pair[0] == 7 && round % 2 == 0 { "P. Seven".to_owned() } else { white };
            let (round, elos) = (
                format!("{round}.{}", random.below(9)),
                [pair[0], pair[pair.len() - 1]].map(|p| rating(p).to_string()),
            );
            let tags = [
                ("Event", "Open"),
                ("Date", "2020.05.01"),
                ("Round", &*round),
                ("White", &white),
                ("Black", &black),
                ("WhiteElo", &elos[0]),
                ("BlackElo", &elos[1]),
            ];
            pgn += &game(&tags, if played { "1. c4 e5 2. Nc3" } else { "" }, text);
            seats.push((pair[0], pair.get(1).copied(), score, played));
            if let Some(&black) = pair.get(1) {
                seats.push((black, Some(pair[0]), score.map(|score| 1.0 - score), played));
            }
        }
    }
    let db = Database::loaded("swiss", &pgn);
    db.sql("UPDATE chess.players SET same_as = (SELECT id FROM chess.players WHERE name = 'Player, 07') WHERE name = 'P. Seven'");

    let mut points: BTreeMap<usize, f64> = BTreeMap::new();
    seats.iter().for_each(|(player, _, score, _)| *points.entry(*player).or_default() += score.unwrap_or(0.0));
    let mut expected: Vec<(f64, f64, f64, usize, String)> = Vec::new();
    for (&player, &sum) in &points {
        let of: Vec<_> = seats.iter().filter(|seat| seat.0 == player).collect();
        let known = || of.iter().filter_map(|(_, opponent, score, played)| Some(((*opponent)?, (*score)?, *played)));
        let buchholz: f64 = known().map(|(opponent, ..)| points[&opponent]).sum();
        let berger: f64 = known().map(|(opponent, score, _)| points[&opponent] * score).sum();
        let rated: Vec<_> = known().filter(|(.., played)| *played).collect();
        let mean = rated.iter().map(|(opponent, ..)| f64::from(rating(*opponent))).sum::<f64>() / rated.len() as f64;
        let share = rated.iter().map(|(_, score, _)| score).sum::<f64>() / rated.len() as f64;
        let games = of.iter().filter(|(_, _, score, _)| score.is_some()).count();
        let performance = db.sql(&format!("SELECT round(chess.performance({mean}, {share}))"));
        let text = format!("{}|{}|{sum}|{games}|{berger}|{buchholz}|{performance}", name(player), rating(player));
        expected.push((sum, buchholz, berger, player, text));
    }
    expected.sort_by(|one, other| {
        let key = |row: &(f64, f64, f64, usize, String)| (row.0, row.1, row.2);
        key(other).partial_cmp(&key(one)).unwrap().then(one.3.cmp(&other.3))
    });
    let table =
        "SELECT player, rating, points, games, sonneborn_berger, buchholz, performance FROM chess.crosstable('Open')";
    assert_eq!(db.rows(table), expected.iter().map(|row| row.4.clone()).collect::<Vec<_>>());
    assert_eq!(db.sql("SELECT DISTINCT kind, cardinality(results) FROM chess.crosstable('Open')"), "swiss|9");
    // Each game is in the cells of both players, and says the same from either side.
    let cells = "SELECT count(*) FILTER (WHERE cell ~ '^[0-9]+[wb]([10½*+=-])$'), count(*) FILTER (WHERE cell ~ '^[*+=-]$'), count(*)
                 FROM chess.crosstable('Open') CROSS JOIN unnest(results) cell";
    assert_eq!(db.sql(cells), format!("{}|9|{}", seats.len() - 9, seats.len()));

    // A second copy of some games, with the pairs that chess-pgn twins would write.
    let before = db.rows(table);
    db.sql(
        "WITH copies AS (INSERT INTO chess.games (event_id, dates, date, round, white_id, black_id, result, white_elo, black_elo, game)
                         SELECT event_id, dates, date, round, white_id, black_id, '*', white_elo, black_elo, game
                         FROM chess.games WHERE id <= 40 ORDER BY id RETURNING id)
         INSERT INTO chess.twins SELECT n, id, 'same', 0.99, '' FROM (SELECT row_number() OVER (ORDER BY id) AS n, id FROM copies) c",
    );
    assert_eq!(db.rows(table), before, "twins are counted once");
    db.sql("UPDATE chess.twins SET kind = 'other_players'");
    let byes: usize = db.sql("SELECT count(*) FROM chess.pgn_view WHERE id <= 40 AND black = 'BYE'").parse().unwrap();
    let counted = db.sql("SELECT sum(jsonb_array_length(details)) FROM chess.crosstable('Open')");
    assert_eq!(counted, (seats.len() + 80 - byes).to_string(), "of other players both count");
}

#[test]
#[ignore = "needs a server"]
fn which_games_are_one_tournament() {
    let one = |event: &str, site: &str, date: &str, white: &str, black: &str, more: &[(&str, &str)]| {
        let mut tags = vec![("Event", event), ("Site", site), ("Date", date), ("White", white), ("Black", black)];
        tags.extend(more);
        game(&tags, "1. e4", "1-0")
    };
    let pgn = [
        // two years, one of them with a game of which only the year is known, and a turn of a year
        one("Hastings", "Hastings", "1930.12.28", "A", "B", &[]),
        one("Hastings", "Hastings", "1931.01.04", "B", "C", &[]),
        one("Hastings", "Hastings", "1930.??.??", "A", "C", &[]),
        one("Hastings", "Hastings", "1931.12.29", "A", "D", &[]),
        one("Hastings", "Hastings", "1938.??.??", "A", "D", &[]),
        one("Hastings", "Hastings", "1939.??.??", "A", "D", &[]),
        // another place: a tournament of its own, and a game of a tournament that moved
        one("Hastings", "Bournemouth", "1931.01.03", "E", "F", &[]),
        one("Hastings", "London", "1931.01.02", "A", "B", &[]),
        // sections and a league that pauses
        one("Open", "Berlin", "2020.05.01", "A", "B", &[("Section", "A")]),
        one("Open", "Berlin", "2020.05.01", "C", "D", &[("Section", "B")]),
        one("League", "?", "2020.10.01", "A", "B", &[("EventDate", "2020.10.01")]),
        one("League", "?", "2021.03.01", "A", "C", &[("EventDate", "2020.10.01")]),
        // a server that has an address for each game
        one("Arena", "https://example.org/1", "2020.05.01", "A", "B", &[]),
        one("Arena", "https://example.org/2", "2020.05.01", "A", "C", &[]),
        one("Rated Blitz game", "https://example.org/3", "2020.05.01", "A", "B", &[]),
        one("Nothing", "?", "????.??.??", "A", "B", &[]),
    ]
    .concat();
    let db = Database::loaded("events", pgn);
    let rows = db.rows("SELECT event, site, section, first, last, players, games FROM chess.tournaments()");
    let expected = [
        "Arena|||2020-05-01|2020-05-01|3|2",
        "Hastings|Hastings||1930-12-28|1931-01-04|3|4",
        "Hastings|Bournemouth||1931-01-03|1931-01-03|2|1",
        "Hastings|Hastings||1931-12-29|1931-12-29|2|1",
        "Hastings|Hastings||1938-01-01|1938-12-31|2|1",
        "Hastings|Hastings||1939-01-01|1939-12-31|2|1",
        "League|||2020-10-01|2020-10-01|3|2",
        "Nothing|||||2|1",
        "Open|Berlin|A|2020-05-01|2020-05-01|2|1",
        "Open|Berlin|B|2020-05-01|2020-05-01|2|1",
    ];
    assert_eq!(rows, expected);
    let ambiguous = db.refuses("SELECT * FROM chess.crosstable('Hastings')");
    assert_eq!((&*ambiguous.code, &*ambiguous.message), ("21000", "5 tournaments have the name \"Hastings\""));
    let any = db.refuses("SELECT * FROM chess.crosstable(NULL::text, dates => '[1930-01-01,1931-02-01)')");
    assert_eq!((&*any.code, &*any.message), ("21000", "there are 2 tournaments"));
    let in_dates = |dates: &str| db.rows(&format!("SELECT event FROM chess.tournaments(dates => {dates})"));
    assert_eq!(in_dates("'[1930-01-01,1931-02-01)'"), ["Hastings", "Hastings"], "without those of no date");
    assert_eq!(in_dates("'(,)'").len(), rows.len() - 1);
    assert_eq!(in_dates("'empty'"), [""; 0]);
    let table = |what: &str| {
        db.rows(&format!("SELECT player, points, array_to_string(results, ' ') FROM chess.crosstable({what})"))
    };
    assert_eq!(table("'Hastings', 'Hastings', '[1930-12-01,1931-06-01)'"), ["A|3|x 11 1", "B|1|00 x 1", "C|0|0 0 x"]);
    assert_eq!(table("'Open', section => 'B'"), ["C|1|2w1", "D|0|1b0"]);
    assert_eq!(table("'No such event'"), [""; 0]);
    assert_eq!(table("ids => '{}'"), [""; 0]);
    assert_eq!(
        table("ids => ARRAY(SELECT id FROM chess.games WHERE date = '2020.05.01' AND tags ->> 'Section' = 'A')").len(),
        2
    );
    assert_eq!(db.refuses("SELECT * FROM chess.crosstable('Rated Blitz game')").code, "22023");
    assert_eq!(
        db.refuses("SELECT * FROM chess.crosstable(ARRAY(SELECT generate_series(1, 20001)::bigint))").code,
        "54000"
    );
}

#[test]
#[ignore = "needs a server"]
fn ugly_tournaments() {
    let rounds = ["?", "-", "", "99999999999999999999999999999999999999999999", "5.3.1", "(7)", "Final", "1e9", "½"];
    let mut pgn = String::new();
    for (at, round) in rounds.iter().enumerate() {
        let (white, black) = (format!("W{at}"), format!("B{}", at % 3));
        let tags = [
            ("Event", "Odd"),
            ("Round", *round),
            ("White", &white),
            ("Black", &black),
            ("WhiteElo", "0"),
            ("BlackElo", "99999"),
        ];
        pgn += &game(&tags, "1. e4", ["1-0", "*", "0-1"][at % 3]);
    }
    // somebody against himself, against nobody, and nobody against nobody
    pgn += &game(&[("Event", "Odd"), ("White", "W0"), ("Black", "W0")], "1. e4", "1-0");
    pgn += &game(&[("Event", "Odd"), ("White", "W0"), ("Black", "?")], "", "1-0");
    pgn += &game(&[("Event", "Odd"), ("White", "?"), ("Black", "?")], "1. e4", "1-0");
    // a display
    for at in 0..6 {
        let black = format!("Amateur {at}");
        pgn += &game(
            &[("Event", "Display"), ("Date", "2001.01.01"), ("White", "Master"), ("Black", &black)],
            "1. e4",
            if at == 2 { "1/2-1/2" } else { "1-0" },
        );
    }
    let db = Database::loaded("odd_tournaments", pgn);
    let odd = db.rows("SELECT player, points, games, array_to_string(results, ' ') FROM chess.crosstable('Odd') WHERE player IN ('W0', 'W1')");
    assert_eq!(odd.len(), 2);
    assert!(odd[0].starts_with("W0|2|2|") && odd[0].ends_with(" + "), "{odd:?}");
    assert!(odd[1].starts_with("W1|0|0|") && odd[1].contains('*'), "{odd:?}");
    let display = db.rows(
        "SELECT kind, player, points, games, array_to_string(results, ' ') FROM chess.crosstable('Display') LIMIT 2",
    );
    assert_eq!(display, ["simultaneous|Master|5.5|6|3w1 4w1 2w½ 5w1 6w1 7w1", "simultaneous|Amateur 2|0.5|1|1b½     "]);
    // These dates have no first or no last day, so nobody can count the days between games.
    let table = "SELECT player, points, games FROM chess.crosstable('Display')";
    let before = db.rows(table);
    db.sql(
        "UPDATE chess.games SET dates = (ARRAY['[2001-01-01,infinity)', '[-infinity,2001-01-02)', '(,)', 'empty', '[infinity,)']::daterange[])[1 + id % 5]
         WHERE event_id = (SELECT id FROM chess.events WHERE name = 'Display')",
    );
    let ids = "ARRAY(SELECT id FROM chess.games WHERE event_id = (SELECT id FROM chess.events WHERE name = 'Display'))";
    assert_eq!(db.rows(&table.replace("'Display'", ids)), before);
    // as many players as the largest opens have
    db.sql(
        "INSERT INTO chess.events (name) VALUES ('Large');
         INSERT INTO chess.players (name) SELECT 'L' || n FROM generate_series(1, 2000) n;
         INSERT INTO chess.games (event_id, dates, round, white_id, black_id, result, white_elo, black_elo, game)
         SELECT (SELECT id FROM chess.events WHERE name = 'Large'), daterange('2020-01-01', '2020-01-02'), r || '.' || n, w.id, b.id,
                (ARRAY['1-0', '0-1', '1/2-1/2'])[1 + (n * r + n % 7) % 3], 1500, 1600, '1. e4'
         FROM generate_series(1, 11) r CROSS JOIN generate_series(0, 999) n
         JOIN chess.players w ON w.name = 'L' || (n + 1) JOIN chess.players b ON b.name = 'L' || (1001 + (n + r * 37) % 1000)",
    );
    let large = "SELECT count(*), sum(points), sum(games), min(cardinality(results)), max(cardinality(results)), min(kind) FROM chess.crosstable('Large')";
    assert_eq!(db.sql(large), "2000|11000|22000|11|11|swiss");
    // one player in thousands of games: a line for each opponent, a column for each game
    db.sql(
        "INSERT INTO chess.events (name) VALUES ('Stream');
         INSERT INTO chess.players (name) SELECT 'S' || n FROM generate_series(0, 4000) n;
         INSERT INTO chess.games (event_id, dates, white_id, black_id, result, game)
         SELECT (SELECT id FROM chess.events WHERE name = 'Stream'), daterange(DATE '2020-01-01' + n / 50, DATE '2020-01-02' + n / 50), w.id, b.id, '1-0', '1. e4'
         FROM generate_series(1, 4000) n JOIN chess.players w ON w.name = 'S0' JOIN chess.players b ON b.name = 'S' || n",
    );
    let stream = db.refuses("SELECT * FROM chess.crosstable('Stream')");
    let told = (&*stream.code, &*stream.message);
    assert_eq!(told, ("54000", "a crosstable of 4001 lines and 4000 columns is too large"));
    let wide = db.refuses("SELECT * FROM chess.crosstable(ARRAY(SELECT id FROM chess.games WHERE event_id = (SELECT id FROM chess.events WHERE name = 'Stream')), 'all-play-all')");
    assert_eq!(wide.message, "a crosstable of 4001 lines and 4001 columns is too large");
}

#[test]
#[ignore = "needs a server"]
fn years_without_days_are_placed_without_a_search_for_each_game() {
    let db = Database::loaded("years", game(&[("Event", "Open"), ("White", "A"), ("Black", "B")], "1. e4", "1-0"));
    // at each of 400 places a tournament with days, and a game of that year and of another one
    db.sql(
        "INSERT INTO chess.sites (name) SELECT 'Place ' || n FROM generate_series(1, 400) n;
         INSERT INTO chess.games (event_id, site_id, dates, white_id, black_id, result, game)
         SELECT g.event_id, s.id, d.dates, g.white_id, g.black_id, '1-0', '1. e4' FROM chess.games g, chess.sites s,
             (VALUES ('[2020-05-01,2020-05-02)'::daterange), ('[2020-01-01,2021-01-01)'), ('[2019-01-01,2020-01-01)')) d (dates)
         WHERE s.name LIKE 'Place %'; ANALYZE",
    );
    let mut session = db.session();
    if !session.can("LOAD 'auto_explain'") {
        return skip("plans", "auto_explain comes with PostgreSQL's contrib modules");
    }
    session.sql(
        "SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on; SET auto_explain.log_analyze = on;
         SET client_min_messages = log",
    );
    session.notices();
    // by the players, all places are of one tournament in each year
    let found = session.sql("SELECT count(*), sum(games) FROM chess.tournaments('Open') WHERE site IS NOT NULL");
    assert_eq!(found, "2|1200");
    let notices = session.notices().join("\n");
    let loops: Vec<u32> = notices
        .lines()
        .filter(|line| line.contains("CTE Scan on extents"))
        .filter_map(|line| line.rsplit_once("loops=")?.1.trim_end_matches(')').parse().ok())
        .collect();
    assert!(!loops.is_empty() && loops.iter().all(|count| *count < 20), "{loops:?}");
}

/// A table of teams, counted by hand: two boards, four teams, a match that goes on, and a name in other letters.
#[test]
#[ignore = "needs a server"]
fn tables_of_teams() {
    let mut pgn = String::new();
    let mut matches = |round: u32, teams: [&str; 2], results: [&str; 2]| {
        for (board, result) in (1..).zip(results) {
            let (round, players) = (format!("{round}.{board}"), teams.map(|team| format!("{team} {board}")));
            // on the second board the second team has White
            let (white, black) = if board == 1 { (0, 1) } else { (1, 0) };
            let tags = [
                ("Event", "League"),
                ("Date", "2024.01.01"),
                ("Round", &*round),
                ("White", &*players[white]),
                ("Black", &*players[black]),
                ("WhiteTeam", teams[white]),
                ("BlackTeam", teams[black]),
            ];
            pgn += &game(&tags, "1. e4 e5", result);
        }
    };
    matches(1, ["Alfa", "Beta"], ["1-0", "1/2-1/2"]);
    matches(1, ["Gamma", "Delta"], ["1-0", "*"]);
    matches(2, ["Alfa", "Gamma"], ["1/2-1/2", "1/2-1/2"]);
    matches(2, [" BETA  ", "Delta"], ["1-0", "0-1"]);
    matches(3, ["Alfa", "Delta"], ["0-1", "0-1"]);
    matches(3, ["Beta", "Gamma"], ["0-1", "0-1"]);
    pgn += &game(&[("Event", "League"), ("White", "Nobody"), ("Black", "Somebody")], "1. e4", "1-0");
    pgn += &game(&[("Event", "League"), ("WhiteTeam", "Alfa"), ("BlackTeam", "alfa")], "1. d4", "1-0");
    let db = Database::loaded("teams", pgn);
    let table = |games: &str| {
        db.rows(&format!(
            "SELECT rank, team, points, board_points, matches, games, array_to_string(results, ' ', '-'), kind
             FROM chess.team_crosstable(ARRAY(SELECT id FROM chess.games WHERE {games}))"
        ))
    };
    let all = [
        "1|Alfa|4|3.5|3|6|x 1½ 1 1|all-play-all",
        "2|Beta|3|3.5|3|6|½ x 1 2|all-play-all",
        "3|Gamma|2|3|2|5|1 1 x 1*|all-play-all",
        "4|Delta|1|1|2|5|1 0 0* x|all-play-all",
    ];
    assert_eq!(table("true"), all);
    // a copy of a game counts once
    db.sql(
        "WITH copy AS (
           INSERT INTO chess.games (white_id, black_id, result, round, dates, tags, game)
           SELECT white_id, black_id, result, round, dates, tags, game FROM chess.games WHERE id = 1 RETURNING id)
         INSERT INTO chess.twins SELECT 1, id, 'same', 1, '' FROM copy",
    );
    assert_eq!(table("true"), all);
    // without rounds, days tell matches apart
    db.sql(
        "UPDATE chess.games SET round = NULL, dates = daterange('2024-01-01', '2024-01-02') WHERE round ~ '^1';
            UPDATE chess.games SET round = '?', dates = daterange('2024-01-08', '2024-01-09') WHERE round ~ '^[23]'",
    );
    assert_eq!(table("true"), all);
    for nothing in ["false", "tags ->> 'WhiteTeam' IS NULL", "tags ->> 'BlackTeam' = 'alfa'"] {
        assert_eq!(table(nothing), [""; 0], "{nothing}");
    }
    assert_eq!(db.sql("SELECT count(*) FROM chess.team_crosstable(NULL)"), "0");
    let refused = db.refuses("SELECT chess.team_crosstable(ARRAY(SELECT generate_series(1, 20001)::bigint))");
    assert_eq!(refused.code, "54000");
}

/// Six teams play two rounds. The table then has a column for each round, and a cell names the line of the opponent.
#[test]
#[ignore = "needs a server"]
fn teams_that_have_not_all_met() {
    let mut pgn = String::new();
    for (round, white, black, result) in [
        ("1", "A", "B", "1-0"),
        ("1", "C", "D", "1/2-1/2"),
        ("1", "E", "F", "0-1"),
        ("2", "A", "F", "1-0"),
        ("2", "B", "E", "1-0"),
    ] {
        let tags = [
            ("Event", "Cup"),
            ("Round", round),
            ("White", white),
            ("Black", black),
            ("WhiteTeam", white),
            ("BlackTeam", black),
        ];
        pgn += &game(&tags, "1. e4 e5", result);
    }
    let db = Database::loaded("team_swiss", pgn);
    let rows = db.rows(
        "SELECT rank, team, points, board_points, array_to_string(results, ' ', '-'), kind
         FROM chess.team_crosstable((SELECT ids FROM chess.tournaments('Cup')))",
    );
    let expected = [
        "1|A|4|2|2:1 3:1|swiss",
        "2|B|2|1|1:0 6:1|swiss",
        "2|F|2|1|6:1 1:0|swiss",
        "4|C|1|0.5|5:½ |swiss",
        "4|D|1|0.5|4:½ |swiss",
        "6|E|0|0|3:0 2:0|swiss",
    ];
    assert_eq!(rows, expected);
}
