//! Players who are spelled in several ways: FIDE ids of the tags, what `same_as` promises, the view, exports, duplicates.

use std::fmt::Write as _;

use chess_system::Database;

/// A game of White and Black, each a name or a name and a FIDE id.
fn game(white: (&str, &str), black: (&str, &str), moves: &str) -> String {
    let mut pgn = String::new();
    for (colour, (name, id)) in [("White", white), ("Black", black)] {
        writeln!(pgn, "[{colour} \"{name}\"]").unwrap();
        if !id.is_empty() {
            writeln!(pgn, "[{colour}FideId \"{id}\"]").unwrap();
        }
    }
    format!("{pgn}[Result \"1-0\"]\n\n{moves} 1-0\n\n")
}

#[test]
#[ignore = "needs a server"]
fn one_id_is_one_player_whatever_the_spelling() {
    let db = Database::with_extension("fide_ids");
    let carlsen = [("Carlsen,M", "1503014"), ("Carlsen, Magnus", "1503014"), ("Carlsen,M", ""), ("Carlsen,M", "99")];
    let pgn: String = carlsen.iter().map(|who| game(*who, ("Anand,V", "5000017"), "1. e4 e5")).collect();
    let file = db.file("ids.pgn", &pgn);
    db.pgn("load --jobs 3 --batch 1").arg(&file).succeeds();
    let rows = "SELECT p.name, p.fide_id, c.name, c.fide_id, p.canonical FROM chess.players p
        LEFT JOIN chess.players c ON c.id = p.same_as ORDER BY p.name COLLATE \"C\", p.fide_id";
    let expected = [
        "Anand,V|5000017|||",
        "Carlsen, Magnus|1503014|||",
        "Carlsen,M|99|||",
        "Carlsen,M|1503014|Carlsen, Magnus|1503014|Carlsen, Magnus",
        "Carlsen,M||||",
    ];
    assert_eq!(db.rows(rows), expected, "a name without an id may be somebody else");
    assert_eq!(db.sql("SELECT DISTINCT reason, run, score FROM chess.name_merges"), "the same FIDE id||1");
    let found = |name: &str| {
        db.sql(&format!("SELECT sum(games), count(*) FROM chess.explorer(startBoard('1. e4'), player => '{name}')"))
    };
    assert_eq!(found("Carlsen, Magnus"), "2|1", "the explorer finds him under both names");
    assert_eq!(found("Carlsen,M"), "4|1", "of a name that is ambiguous it finds all");
    let shown = "SELECT white, pgn_white, tags ->> 'WhiteFideId' FROM chess.pgn_view ORDER BY source_offset";
    let expected = [
        "Carlsen, Magnus|Carlsen,M|1503014",
        "Carlsen, Magnus|Carlsen, Magnus|1503014",
        "Carlsen,M|Carlsen,M|",
        "Carlsen,M|Carlsen,M|99",
    ];
    assert_eq!(db.rows(shown), expected);

    let exported = db.pgn("export").writes();
    assert_eq!(exported.matches("[White \"Carlsen, Magnus\"]").count(), 1, "an export has the spelling of the PGN");
    assert_eq!(exported.matches("FideId").count(), pgn.matches("FideId").count());
    let exported = db.pgn("export --canonical-names").writes();
    assert_eq!(exported.matches("[White \"Carlsen, Magnus\"]").count(), 2);

    let again = db
        .pgn("load --dedupe")
        .arg(db.file("again.pgn", game(("Carlsen,M", "1503014"), ("Anand,V", ""), "1. e4 e5")))
        .succeeds();
    assert!(again.contains("1 duplicates"), "the same game without an id: {again}");
}

/// Of games with equal moves only those are compared that the same players may have played.
#[test]
#[ignore = "needs a server"]
fn games_without_moves_are_compared_by_their_players() {
    let db = Database::with_extension("no_moves");
    let load = |name: &str, numbers: std::ops::Range<u32>| {
        let games =
            numbers.map(|n| game((&format!("White {n}"), ""), (&format!("Black {n}"), ""), "")).collect::<String>();
        db.pgn("load --dedupe --batch 30").arg(db.file(name, games)).succeeds()
    };
    load("first.pgn", 0..2000);
    db.sql(
        "CREATE INDEX games_moves_hash ON chess.games USING hash (getFirstMoves(game, 2147483647));
         SELECT pg_stat_reset()",
    );
    let said = load("second.pgn", 1000..3000);
    assert!(said.contains("1000 stored") && said.contains("1000 duplicates"), "{said}");
    // Rows of the games and the players that were looked at: some for each game, not for each pair of games.
    let rows = "SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_user_tables WHERE relid IN ('chess.games'::regclass, 'chess.players'::regclass)";
    let rows: u64 = db.sql(rows).parse().unwrap();
    assert!(rows < 500_000, "{rows}");
    assert_eq!(db.sql("SELECT to_regclass('chess.games_moves_hash') IS NULL"), "t", "the index of an earlier version");
}

#[test]
#[ignore = "needs a server"]
fn the_canonical_name_of_one_id_is_that_player() {
    let db = Database::with_extension("name_of_an_id");
    let load = |name: &str, pgn: String| db.pgn("load --jobs 2 --batch 1").arg(db.file(name, pgn)).succeeds();
    let who = || {
        db.rows(
            "SELECT p.name, p.fide_id, coalesce(c.fide_id, 0) FROM chess.players p LEFT JOIN chess.players c ON c.id = p.same_as
             WHERE p.name <> 'X' ORDER BY p.name COLLATE \"C\", p.fide_id",
        )
    };
    // with the id first, and then without
    load("1.pgn", game(("Hou, Yifan", "8602980"), ("X", ""), "1. e4"));
    load("2.pgn", game(("Hou, Yifan", ""), ("X", ""), "1. d4"));
    // without an id first; initials; two players of one name; a name that is not the canonical one
    load("3.pgn", game(("Ju, Wenjun", ""), ("X", ""), "1. e4") + &game(("Petrosian,T", ""), ("X", ""), "1. e4"));
    load(
        "4.pgn",
        game(("Ju, Wenjun", "8603006"), ("X", ""), "1. c4") + &game(("Petrosian,T", "13300466"), ("X", ""), "1. c4"),
    );
    load(
        "5.pgn",
        game(("Wang, Yue", "8601283"), ("X", ""), "1. e4") + &game(("Wang, Yue", "8611111"), ("X", ""), "1. e4"),
    );
    load("6.pgn", game(("Wang, Yue", ""), ("X", ""), "1. e4"));
    load("7.pgn", game(("Polgar, Judit", "700070"), ("X", ""), "1. e4"));
    load("8.pgn", game(("Polgar, Judith", "700070"), ("X", ""), "1. e4"));
    load("9.pgn", game(("Polgar, Judith", ""), ("X", ""), "1. e4"));
    // initials behind a surname of two words; a second player of the name who comes last
    load(
        "10.pgn",
        game(("Dos Santos, J", "2100001"), ("X", ""), "1. e4") + &game(("Dos Santos, J", ""), ("X", ""), "1. c4"),
    );
    load("11.pgn", game(("Wang, Wei", "8600001"), ("X", ""), "1. e4"));
    load("12.pgn", game(("Wang, Wei", ""), ("X", ""), "1. e4"));
    assert_eq!(db.sql("SELECT count(*) FROM chess.players WHERE name = 'Wang, Wei' AND same_as IS NOT NULL"), "1");
    load("13.pgn", game(("Wang, Wei", "8600002"), ("X", ""), "1. e4"));
    assert_eq!(
        who(),
        [
            "Dos Santos, J|2100001|0",
            "Dos Santos, J||0",
            "Hou, Yifan|8602980|0",
            "Hou, Yifan||8602980",
            "Ju, Wenjun|8603006|0",
            "Ju, Wenjun||8603006",
            "Petrosian,T|13300466|0",
            "Petrosian,T||0",
            "Polgar, Judit|700070|0",
            "Polgar, Judith|700070|700070",
            "Polgar, Judith||0",
            "Wang, Wei|8600001|0",
            "Wang, Wei|8600002|0",
            "Wang, Wei||0",
            "Wang, Yue|8601283|0",
            "Wang, Yue|8611111|0",
            "Wang, Yue||0",
        ]
    );
    assert_eq!(db.sql("SELECT count(*), sum(games) FROM chess.player('Hou, Yifan')"), "1|2");
    // what is exported has no id that was not there
    let exported = db.pgn("export").writes();
    assert_eq!(exported.matches("WhiteFideId \"8602980\"").count(), 1);
    // INSERT, too
    db.sql("INSERT INTO chess.pgn_view (pgn_white, game) VALUES ('Hou, Yifan', '1. c4'), ('Polgar, Judit', '1. c4')");
    assert_eq!(db.sql("SELECT count(*), sum(games) FROM chess.player('Hou, Yifan')"), "1|3");
    assert_eq!(db.sql("SELECT count(*) FROM chess.players WHERE name = 'Polgar, Judit'"), "1");
    assert_eq!(
        db.rows("SELECT reason, count(*) FROM chess.name_merges GROUP BY 1 ORDER BY 1"),
        ["the name of one FIDE id|3", "the name of several FIDE ids|1", "the same FIDE id|1"]
    );
}

#[test]
#[ignore = "needs a server"]
fn rows_point_directly_to_the_canonical_one() {
    let db = Database::loaded("same_as", game(("A", ""), ("B", ""), "1. e4") + &game(("C", ""), ("D", ""), "1. e4"));
    let id = |name: &str| db.sql(&format!("SELECT id FROM chess.players WHERE name = '{name}'"));
    let (a, b, c, d) = (id("A"), id("B"), id("C"), id("D"));
    let set = |who: &str, same: &str| format!("UPDATE chess.players SET same_as = {same} WHERE id = {who}");
    db.sql(&set(&b, &a));
    for (who, same) in [(&a, &b), (&a, &a), (&c, &b), (&a, &c)] {
        assert_eq!(db.refuses(&set(who, same)).code, "23514", "{who} as {same}");
    }
    assert_eq!(db.refuses(&set(&c, "0")).code, "23514");
    assert_eq!(db.sql("SELECT white, black, pgn_black FROM chess.pgn_view WHERE pgn_black = 'B'"), "A|A|B");
    db.sql("UPDATE chess.players SET name = 'Anna' WHERE name = 'A'");
    assert_eq!(db.sql("SELECT canonical FROM chess.players WHERE name = 'B'"), "Anna");
    db.sql(&set(&b, "NULL"));
    assert_eq!(db.sql("SELECT canonical FROM chess.players WHERE name = 'B'"), "");

    // Two sessions point at each other: the second waits for the first, and is refused.
    let mut first = db.session();
    first.sql("BEGIN");
    first.sql(&set(&c, &d));
    std::thread::scope(|scope| {
        let second = scope.spawn(|| db.refuses(&set(&d, &c)));
        db.wait_for_activity("a session that waits", "wait_event_type = 'Lock'", None);
        first.sql("COMMIT");
        assert_eq!(second.join().expect("the second").code, "23514");
    });
    db.sql(&set(&c, "NULL"));

    // A transaction that cannot see the merges of others since its snapshot would make a chain: B is A, and A is D.
    for level in ["REPEATABLE READ", "SERIALIZABLE"] {
        let mut late = db.session();
        late.sql(&format!("BEGIN ISOLATION LEVEL {level}"));
        late.sql("SELECT count(*) FROM chess.players");
        db.sql(&set(&b, &a));
        let refused = late.refuses(&set(&a, &d));
        let message = format!("player {a} cannot be merged in a transaction that is {level}");
        assert_eq!((&*refused.code, &*refused.message), ("25000", &*message));
        late.sql("ROLLBACK");
        late.sql(&format!("BEGIN ISOLATION LEVEL {level}"));
        let refused = late.refuses(&format!("UPDATE chess.players SET name = 'Anne' WHERE id = {a}"));
        assert_eq!(refused.code, "25000");
        late.sql("ROLLBACK");
        // who has a canonical row may get another one, or none
        late.sql(&format!("BEGIN ISOLATION LEVEL {level}"));
        late.sql(&set(&b, &d));
        late.sql(&set(&b, "NULL"));
        late.sql("COMMIT");
    }

    // The loader unites the rows of one id also where another level is the default.
    db.sql(&format!("ALTER DATABASE {} SET default_transaction_isolation = 'repeatable read'", db.name()));
    let pgn =
        game(("Karpov,A", "4100026"), ("X", ""), "1. e4") + &game(("Karpov, Anatoly", "4100026"), ("X", ""), "1. d4");
    db.pgn("load").arg(db.file("ids.pgn", pgn)).succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM chess.players WHERE fide_id = 4100026 AND same_as IS NOT NULL"), "1");
}

#[test]
#[ignore = "needs a server"]
fn players_are_written_through_the_view() {
    let db = Database::loaded(
        "view_players",
        game(("Carlsen,M", "1503014"), ("X", ""), "1. e4") + &game(("Carlsen, Magnus", "1503014"), ("X", ""), "1. d4"),
    );
    db.sql("INSERT INTO chess.pgn_view (white, black, game) VALUES ('Carlsen,M', 'Y', '1. c4')");
    let last = "SELECT white, pgn_white, black FROM chess.pgn_view WHERE source_id IS NULL";
    assert_eq!(db.sql(last), "Carlsen, Magnus|Carlsen,M|Y", "the only player of this name");
    db.sql("UPDATE chess.pgn_view SET eco = 'A10' WHERE source_id IS NULL");
    assert_eq!(db.sql(last), "Carlsen, Magnus|Carlsen,M|Y", "names stay");
    db.sql("UPDATE chess.pgn_view SET black = 'X', pgn_white = 'Z' WHERE source_id IS NULL");
    assert_eq!(db.sql(last), "Z|Z|X");
    assert_eq!(db.sql("SELECT count(*) FROM chess.players WHERE name = 'X'"), "1");
}

#[test]
#[ignore = "needs a server"]
fn games_of_a_canonical_name_are_found_by_the_index() {
    let db = Database::with_extension("view_plan");
    db.pgn("load --index").arg(db.file("one.pgn", game(("A", ""), ("B", ""), "1. e4"))).succeeds();
    let mut session = db.session();
    session.sql("SET enable_seqscan = off");
    let plan = session.sql("EXPLAIN (COSTS OFF) SELECT id FROM chess.pgn_view WHERE white = 'A'");
    assert!(plan.contains("players_shown_idx") && plan.contains("games_white_id_idx"), "{plan}");
}

#[test]
#[ignore = "needs a server"]
fn players_are_found_by_any_spelling() {
    let db = Database::with_extension("spellings");
    let names = [
        "Carlsen,M",
        "Carlsen, Magnus",
        "Carlsson,P",
        "Müller, Karsten",
        "Kortschnoj, Viktor",
        "Korchnoi,V",
        "Wiel, John van der",
        "Łukasz, Ø",
    ];
    let pgn: String = names
        .iter()
        .enumerate()
        .map(|(n, name)| game((name, ""), ("Nobody", ""), if n == 1 { "1. e4" } else { "1. d4" }))
        .collect();
    let long = format!("{}ﷺ", "ﷺ".repeat(600));
    db.pgn("load").arg(db.file("names.pgn", pgn + &game((&long, ""), ("Nobody", ""), "1. e4"))).succeeds();
    db.sql("UPDATE chess.players SET same_as = (SELECT id FROM chess.players WHERE name = 'Carlsen, Magnus') WHERE name = 'Carlsen,M'");
    db.sql("UPDATE chess.players SET same_as = (SELECT id FROM chess.players WHERE name = 'Korchnoi,V') WHERE name = 'Kortschnoj, Viktor'");
    let first = |asked: &str| {
        db.rows(&format!("SELECT player FROM chess.player($${asked}$$)")).into_iter().next().unwrap_or_default()
    };
    for (asked, expected) in [
        ("Carlsen, Magnus", "Carlsen, Magnus"),
        ("magnus carlsen", "Carlsen, Magnus"),
        ("M. Carlsen", "Carlsen, Magnus"),
        ("carlsen", "Carlsen, Magnus"),
        ("Karlsen, Magnus", "Carlsen, Magnus"),
        ("Carlsne M", "Carlsen, Magnus"),
        ("Carlsen, Mxgnus", "Carlsen, Magnus"),
        ("Carls", "Carlsen, Magnus"),
        ("Muller", "Müller, Karsten"),
        ("MÜLLER K", "Müller, Karsten"),
        ("Kortschnoj", "Korchnoi,V"),
        ("Kortshnoj, Viktor", "Korchnoi,V"),
        ("John van der Wiel", "Wiel, John van der"),
        ("lukasz o", "Łukasz, Ø"),
        ("Fischer", ""),
        ("", ""),
        (".*", ""),
    ] {
        assert_eq!(first(asked), expected, "{asked}");
    }
    assert_eq!(
        db.sql("SELECT games, spellings, score FROM chess.player('Carlsen M')"),
        "2|{\"Carlsen, Magnus\",\"Carlsen,M\"}|0.98"
    );
    db.sql("INSERT INTO chess.players (name) VALUES ('One | Two')");
    let ids =
        "SELECT array_agg(p.name ORDER BY p.id) FROM chess.players p WHERE p.id = ANY (chess.player_ids('One | Two'))";
    assert_eq!(db.sql(ids), "{\"One | Two\"}", "a name with the sign between names");
    db.sql(&format!("SELECT * FROM chess.player('{}')", "abcde ".repeat(2000)));
    db.sql(&format!("SELECT * FROM chess.player('{}')", "x".repeat(10_000)));
}

/// Whatever spelling is asked for, all of them are found, also in short words, which a merge keeps apart.
#[test]
#[ignore = "needs a server"]
fn a_search_finds_all_spellings_of_a_name() {
    let db = Database::with_extension("all_spellings");
    let groups: [&[&str]; 16] = [
        &["Blübaum, Karl", "Bluebaum, Karl", "Blubaum, Karl"],
        &["Strauß, Ida", "Strauss, Ida"],
        &["Æsir, Nils", "Aesir, Nils"],
        &["Þorsteinsson, A", "Thorsteinsson, A"],
        &["Guðmundsson, J", "Gudmundsson, J"],
        &["Đorđević, Ivo", "Djordjevic, Ivo", "Dordevic, Ivo"],
        &["Sørensen, B", "Soerensen, B", "Sorensen, B"],
        &["Łukasik, C", "Lukasik, C"],
        &["O'Kelly, Finn", "OKelly, Finn", "O’Kelly, Finn", "O Kelly, Finn"],
        &["Vachier-Lagrave, M", "Vachier Lagrave, M", "VachierLagrave, M"],
        &["Löw, D", "Loew, D"],
        &["Åge, E", "Aage, E"],
        &["Capablanca, J.R.", "Capablanca, JR", "Capablanca, J R", "Capablanca, Jose Raul"],
        &["Карпов, Анатолий", "Karpov, Anatolii"],
        &["Yılmaz, M", "Yilmaz, M"],
        &["D'Arcy-Jones, K", "DArcy Jones, K"],
    ];
    let pgn: String = groups.iter().flat_map(|group| *group).map(|name| game((name, ""), ("X", ""), "1. e4")).collect();
    db.pgn("load").arg(db.file("spellings.pgn", pgn)).succeeds();
    let mut session = db.session();
    for group in groups {
        let mut all = group.to_vec();
        all.sort_unstable();
        for name in group {
            let surname = name.split(',').next().unwrap().to_lowercase();
            let mut asked = vec![(*name).to_owned(), name.to_uppercase()];
            // what is asked for with given names in full finds those that fit
            asked.extend(Some(surname).filter(|surname| surname.chars().count() > 3));
            for asked in asked {
                let found = session.sql(&format!(
                    "SELECT string_agg(s, '|' ORDER BY s COLLATE \"C\") FROM chess.player('{}') p, unnest(p.spellings) s",
                    asked.replace('\'', "''")
                ));
                let found: Vec<&str> = found.split('|').collect();
                assert!(all.iter().all(|name| found.contains(name)), "{asked}: {found:?}");
            }
        }
    }
    assert_eq!(db.sql("SELECT count(*) FROM chess.player('Xue, M')"), "0");
}
