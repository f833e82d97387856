//! Puzzles: the rules on analyses written by hand, games and problems with Stockfish, themes, and CSV in and out.

use std::path::Path;

use chess_system::{Database, gzipped, read};

use crate::{analyze, load_famous, no_engine_is_left};

#[test]
#[ignore = "needs a server"]
fn an_only_move_keeps_a_clear_advantage_or_mates_soonest() {
    let db = Database::new("only_moves");
    load_famous(&db);
    for (turn, evals, expected) in [
        ("w", "{300,0}", "t"),
        ("w", "{300,229}", "f"),
        ("w", "{231,100}", "f"),
        ("w", "{231,-100}", "t"),
        ("w", "{100,-900}", "f"),
        ("w", "{1200,300}", "f"),
        ("w", "{300}", "t"),
        ("b", "{-300,0}", "t"),
        ("b", "{300,0}", "f"),
        // a mate in n is 100000 - n: the shortest, or the only one
        ("w", "{99998,99997}", "t"),
        ("w", "{99998,99998}", "f"),
        ("w", "{99998,1500}", "t"),
        ("b", "{-99997,-99996}", "t"),
        ("b", "{-99997,-99997}", "f"),
        ("w", "{-99998,-99999}", "f"),
        ("w", "{}", ""),
        ("w", "{NULL}", ""),
    ] {
        let board = format!("'4k3/pppp4/8/8/8/8/PPPP4/4K3 {turn} - - 0 1'");
        let question = format!("SELECT chess.only_move({board}, '{evals}')");
        assert_eq!(db.sql(&question), expected, "{turn} {evals}");
    }
    let lacking = "SELECT name FROM chess.puzzle_themes WHERE NOT hasPattern(example, pattern)";
    assert_eq!(db.sql(lacking), "", "each theme's example has it");
    // the solver may be Black: the same with exchanged colours
    let other =
        "SELECT count(*) FILTER (WHERE t.name = ANY (chess.themes_of(flip(startBoard(t.example)), u.ucis))), count(*)
        FROM chess.puzzle_themes t, LATERAL (SELECT string_to_array(
            translate(array_to_string(ucis(t.example), ' '), '12345678', '87654321'), ' ') AS ucis) u";
    let (black, all) = db.sql(other).split_once('|').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    assert_eq!(black, all);
}

/// Stores two lines for a board, as an engine would.
fn say(db: &Database<'_>, board: &str, evals: &str, pvs: &str) {
    db.sql(&format!(
        "INSERT INTO chess.engines VALUES (1, 'by hand') ON CONFLICT DO NOTHING;
         INSERT INTO chess.analysis (key, halfmove_clock, engine_id, multipv, limit_kind, limit_value, status, nodes, board, best, evals, pvs)
         SELECT zobrist(b), 0, 1, cardinality('{evals}'::integer[]), 'nodes', 1, 'done', 1, b, split_part(('{pvs}'::text[])[1], ' ', 1), '{evals}', '{pvs}'
         FROM (SELECT finalBoard('{board}')) v (b)"
    ));
}

#[test]
#[ignore = "needs a server"]
fn a_solution_goes_on_while_its_moves_are_the_only_ones() {
    let pgn = "[White \"Me\"]\n[Black \"You\"]\n\n1. e4 e5 2. Qh5 Nf6 3. Qxe5+ Be7 4. Qxc7 *\n\n[White \"A\"]\n[Black \"B\"]\n\n1. d4 *\n";
    let db = Database::loaded("by_hand", pgn);
    let make = |words: &str| db.pgn("puzzles").words(words).succeeds();
    assert!(make("").contains("no analyzed mistake is as large"), "{}", make(""));

    // Black loses much with 2... Nf6; White with 4. Qxc7, though there is a better move
    db.sql("UPDATE chess.games SET evals = '{20,30,-20,400,400,420,0}' WHERE id = 1");
    let said = make("--player Me");
    assert!(said.contains("1 positions of 2 games: 0 new puzzles"), "{said}");
    assert!(said.contains("1 positions have no analysis with two lines"), "{said}");
    say(&db, "1. e4 e5 2. Qh5 Nf6 3. Qxe5+ Be7", "{420,100}", "{b1c3 b8c6 e5f4,e5d4 b8c6}");
    let said = make("--player Me");
    assert!(said.contains("1 new puzzles, 0 known, 0 without") && said.contains("solutions of 1 may go on"), "{said}");
    say(&db, "1. e4 e5 2. Qh5 Nf6", "{400,0}", "{h5e5 f8e7 b1c3,h5d1 f6e4}");
    say(&db, "1. e4 e5 2. Qh5 Nf6 3. Qxe5+ Be7 4. Nc3 Nc6", "{420,400}", "{e5f4 d7d6,e5g3 d7d6}");
    let said = make("");
    assert!(said.contains("2 positions of 2 games: 1 new puzzles, 1 known, 0 without an only right answer"), "{said}");
    assert!(!said.contains("analyze --puzzles"), "all is known: {said}");
    let rows = "SELECT epd(board), solution, themes, game_id, ply, round(loss), kind, lead, before = getBoard((SELECT game FROM chess.games WHERE id = game_id), ply - 1), rating
        FROM chess.puzzles ORDER BY ply";
    assert_eq!(
        db.rows(rows),
        [
            "rnbqkb1r/pppp1ppp/5n2/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR w KQkq -|{h5e5,f8e7,b1c3}|{}|1|4|33|refutation|g8f6|t|1100",
            "rnbqk2r/ppppbppp/5n2/4Q3/4P3/8/PPPP1PPP/RNB1KBNR w KQkq -|{b1c3}|{quietMove}|1|6|32|missed|f8e7|t|1150",
        ]
    );
    assert!(make("--min-loss 33").contains("1 positions of"), "{}", make("--min-loss 33"));
    assert!(make("--player You").contains("0 new puzzles, 1 known"), "the refutation of the other's mistake");
    let unknown = db.pgn("puzzles --player Nobody").fails();
    assert!(unknown.contains("no player is called \"Nobody\""), "{unknown}");
    assert!(db.pgn("puzzles --min-loss 120").ends(2).contains("from 0 to 100"));

    // the columns of lichess, the opponent's move first
    let csv = db.pgn("puzzles --export -").writes();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], COLUMNS);
    let refutation =
        "rnbqkbnr/pppp1ppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 2,g8f6 h5e5 f8e7 b1c3,1100,500,0,0,\"\",,";
    assert!(lines[1..].iter().any(|line| line.ends_with(refutation)), "{csv}");
    assert_eq!(lines.len(), 3);
    let other = Database::new("imported");
    let file = other.file("puzzles.csv", &csv);
    assert!(other.pgn("puzzles --import").arg(&file).succeeds().contains("2 new puzzles, 0 known, 0 wrong"));
    assert!(other.pgn("puzzles --import").arg(&file).succeeds().contains("0 new puzzles, 2 known, 0 wrong"));
    // packed, and with a byte order mark
    let packed = other.file("puzzles.csv.gz", gzipped(["\u{feff}", &csv].concat()));
    assert!(other.pgn("puzzles --import").arg(&packed).succeeds().contains("0 new puzzles, 2 known, 0 wrong"));
    let same = "SELECT epd(board), solution, themes, rating, lead FROM chess.puzzles ORDER BY cardinality(solution)";
    assert_eq!(other.rows(same), db.rows(same));
    let wrong = other.file(
        "wrong.csv",
        "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n\
         a,4k3/8/8/8/8/8/8/8 w - - 0 1,e1e2 e8e7,1,1,1,1,x,,\nb,not a board,e2e4 e7e5,1,1,1,1,x,,\n\
         c,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,e2e4 e2e4,1,1,1,1,x,,\n\
         d,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,e2e4,1,1,1,1,x,,\n\
         e,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,,1,1,1,1,x,,\n\
         f,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,e2e4 e7e5,many,,1,1,mate fork,https://example.org,A_B\n\
         g,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1, c2c4  c7c5 ,1,1,1,1,x,,\nh,,e2e4 e7e5,1,1,1,1,x,,\n",
    );
    // a name that no index can hold: numbers, as text of one letter would be packed
    let name: String = (0..5000).map(|n| n.to_string()).collect();
    let line = format!("{name},rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,d2d4 d7d5,1,1,1,1,x,,\n");
    let wrong = other.file("wrong.csv", [read(&wrong), line.into_bytes()].concat());
    let said = other.pgn("puzzles --import").arg(&wrong).ends(1);
    assert!(said.contains("2 new puzzles, 0 known, 7 wrong") && said.contains("puzzle 3: "), "{said}");
    assert!(
        said.contains("puzzle 5: moves are missing") && said.contains("puzzle 8: the position is missing"),
        "{said}"
    );
    let odd = "SELECT name, rating, plays, themes, url, openings FROM chess.puzzles WHERE name = 'f'";
    assert_eq!(other.sql(odd), "f|1500|1|{mate,fork}|https://example.org|{A_B}");
    let not_csv = other.file("not.csv", "White,Black\nA,B\n");
    assert!(other.pgn("puzzles --import").arg(&not_csv).ends(1).contains("PuzzleId,FEN,Moves"));
}

/// Some engines report a score and their best move, but no line.
#[test]
#[ignore = "needs a server"]
fn an_analysis_without_a_line_stops_no_puzzles() {
    let db = Database::loaded("no_line", "[White \"Me\"]\n\n1. e4 e5 2. Qh5 Nf6 *\n");
    db.sql("UPDATE chess.games SET evals = '{20,30,-20,400}'");
    say(&db, "1. e4 e5 2. Qh5 Nf6", "{400,0}", "{h5e5 f8e7,h5d1 f6e4}");
    say(&db, "1. e4 e5 2. Qh5 Nf6 3. Qxe5+ Be7", "{420,100}", "{\"\",e5d4 b8c6}");
    let solution = |best: &str| {
        db.sql(&format!("DELETE FROM chess.puzzles; UPDATE chess.analysis SET best = {best} WHERE pvs[1] = ''"));
        assert!(db.pgn("puzzles").succeeds().contains("1 new puzzles"));
        db.sql("SELECT solution FROM chess.puzzles")
    };
    assert_eq!(solution("''"), "{h5e5}");
    assert_eq!(solution("'b1c3'"), "{h5e5,f8e7,b1c3}");
    // a move of unknown value does not count as the only move, either
    db.sql("UPDATE chess.analysis SET evals = '{NULL,NULL}' WHERE pvs[1] = ''");
    assert_eq!(solution("'b1c3'"), "{h5e5}");
}

const COLUMNS: &str = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags";

/// Boards distinguish the puzzles of several databases, whatever their names are.
#[test]
#[ignore = "needs a server"]
fn puzzles_are_exchanged_without_loss() {
    let third = Database::new("exchanged");
    let import = |file: &Path| third.pgn("puzzles --import").arg(file).succeeds();
    for (name, moves, line) in [
        ("exchange_one", "1. e4 e5 2. Qh5 Nf6", "{h5e5 f8e7,h5d1 f6e4}"),
        ("exchange_two", "1. d4 d5 2. c4 Nf6", "{c4d5 f6d5,b1c3 e7e6}"),
    ] {
        let db = Database::loaded(name, format!("[White \"Me\"]\n\n{moves} *\n"));
        db.sql("UPDATE chess.games SET evals = '{20,30,-20,400}'");
        say(&db, moves, "{400,0}", line);
        assert!(db.pgn("puzzles").succeeds().contains("1 new puzzles"));
        let file = third.file("own.csv", db.pgn("puzzles --export -").writes());
        assert!(import(&file).contains("1 new puzzles, 0 known"), "{name}");
        assert!(import(&file).contains("0 new puzzles, 1 known"), "{name}");
    }
    assert_eq!(third.sql("SELECT count(*), count(DISTINCT name) FROM chess.puzzles WHERE name LIKE 'own%'"), "2|2");
    // earlier versions gave such names
    let line = |board: &str, plays: &str| format!("{COLUMNS}\nown1,{board},h7h5 h2h4,1500,1,1,{plays},x,,\n");
    for (at, plays) in ["1234567", "9999999999"].iter().enumerate() {
        let board = format!("4k3/{}p/8/8/8/8/7P/4K3 b - - 0 1", ["7", "p6"][at]);
        let file = third.file("old.csv", line(&board, plays));
        assert!(import(&file).contains("1 new puzzles, 0 known"));
    }
    let names = "SELECT name, plays FROM chess.puzzles WHERE lead = 'h7h5' ORDER BY id";
    assert_eq!(third.rows(names), ["own1|1234567", "|"]);
    // the server would ignore the rest of the file
    let cut = line("4k3/1p5p/8/8/8/8/7P/4K3 b - - 0 1", "1") + "\\.\nand more\n";
    let said = third.pgn("puzzles --import").arg(third.file("cut.csv", cut)).ends(1);
    assert!(said.contains("it has a line with \\. alone"), "{said}");
}

#[test]
#[ignore = "needs a server"]
fn an_imported_puzzle_stays_as_it_is() {
    let pgn = "[White \"Me\"]\n\n1. e4 e5 2. Qh5 Nf6 *\n\n[FEN \"6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1\"]\n\n1. Ra8# *\n\n";
    let db = Database::loaded("imports_stay", pgn);
    db.sql("UPDATE chess.games SET evals = '{20,30,-20,400}' WHERE ply_count = 4");
    say(&db, "1. e4 e5 2. Qh5 Nf6", "{400,0}", "{h5e5 f8e7 b1c3,h5d1 f6e4}");
    let make = |counts: &str| {
        for words in ["puzzles", "puzzles --problems"] {
            let said = db.pgn(words).succeeds();
            assert!(said.contains(counts), "{words}: {said}");
        }
    };
    make("1 new puzzles, 0 known");
    db.sql("UPDATE chess.puzzles SET kind = 'import', solution = '{h7h6}', themes = '{told}', rating = 1");
    let stored = "SELECT * FROM chess.puzzles ORDER BY id";
    let before = db.rows(stored);
    make("0 new puzzles, 1 known");
    assert_eq!(db.rows(stored), before);
    db.sql("UPDATE chess.puzzles SET kind = CASE WHEN ply = 0 THEN 'problem' ELSE 'refutation' END");
    make("0 new puzzles, 1 known");
    let again = "SELECT count(*) FROM chess.puzzles WHERE solution <> '{h7h6}' AND themes <> '{told}' AND rating > 1";
    assert_eq!(db.sql(again), "2", "those of games are made again");
}

/// Problems that were published, or positions of famous games: mates in 2, 3 and 4, with the first move.
const PROBLEMS: [(&str, u32, &str); 7] = [
    ("4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 1 16", 2, "Qb8+"),
    ("5r1k/1b2Nppp/8/2R5/4Q3/8/5PPP/6K1 w - - 0 1", 2, "Qxh7+"),
    ("2kr1b1r/pp1npppp/2p1bn2/7q/5B2/2NB1Q1P/PPP1N1P1/2KR3R w - - 0 1", 2, "Qxc6+"),
    ("rnb1kb1r/pp3ppp/2p5/4q3/4n3/3Q4/PPPB1PPP/2KR1BNR w kq - 0 1", 3, "Qd8+"),
    ("r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1", 3, "Bc5+"),
    ("r1b3kr/ppp1Bp1p/1b6/n2P4/2p3q1/2Q2N2/P4PPP/RN2R1K1 w - - 1 1", 3, "Qxh8+"),
    ("r5rk/2p1Nppp/3p3P/pp2p1P1/4P3/2qnPQK1/8/R6R w - - 1 1", 4, "hxg7+"),
];

#[test]
#[ignore = "needs a server and Stockfish"]
fn problems_are_found_and_have_one_answer() {
    let db = Database::new("problems");
    let mut pgn: String = (PROBLEMS.iter())
        .map(|(fen, moves, key)| format!("[Event \"{moves}\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n{key} *\n\n"))
        .collect();
    // two ways to mate, a forced move, no mate, and a key of Morphy's that engines find late
    pgn += "[Event \"dual\"]\n[FEN \"6k1/5ppp/8/8/8/8/8/RR4K1 w - - 0 1\"]\n\n1. Ra8# *\n\n";
    pgn += "[Event \"forced\"]\n[FEN \"k6q/8/8/8/8/8/5PPr/7K w - - 0 1\"]\n\n1. Kg1 *\n\n";
    pgn += "[Event \"open\"]\n\n1. e4 *\n\n";
    pgn += "[Event \"Morphy\"]\n[FEN \"kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1\"]\n\n1. Ra6 *\n\n";
    db.pgn("load").arg(db.file("problems.pgn", pgn)).succeeds();
    let found = "SELECT v.event, san(p.board, p.solution[1]), 'mateIn' || v.event = ANY (p.themes), p.kind
        FROM chess.puzzles p JOIN chess.pgn_view v ON v.id = p.game_id WHERE v.event <> 'Morphy' ORDER BY v.id";
    let expected: Vec<String> = PROBLEMS.iter().map(|(_, moves, key)| format!("{moves}|{key}|t|problem")).collect();

    let said = db.pgn("puzzles --problems").succeeds();
    assert!(
        said.contains("11 positions of 11 games: 8 new puzzles, 0 known, 2 without an only right answer"),
        "{said}"
    );
    assert!(said.contains("1 positions have no analysis"), "{said}");
    assert_eq!(db.rows(&found.replace("'mateIn' || v.event = ANY (p.themes)", "true")), expected, "by proof");
    let morphy = "SELECT solution, themes @> '{mateIn2,quietMove}' FROM chess.puzzles WHERE epd(board) LIKE 'kbK5/%'";
    assert_eq!(db.sql(morphy), "{a1a6,b7a6,b6b7}|t");
    assert!(db.pgn("puzzles --problems").succeeds().contains("0 new puzzles, 8 known"), "once only");

    db.sql("DELETE FROM chess.puzzles");
    let said = db.pgn("puzzles --problems --mate-in 0").succeeds();
    assert!(said.contains("0 new puzzles") && said.contains("10 positions have no analysis"), "{said}");
    analyze(&db, "--puzzles --problems --plies 0..0 --nodes 100000 --reproducible").succeeds();
    db.pgn("puzzles --problems --mate-in 0").succeeds();
    // how soon it sees that no other move is as good depends on its version
    let by_engine = db.rows(found);
    assert!(by_engine.len() > 4 && by_engine.iter().all(|row| expected.contains(row)), "{by_engine:?}");
    let csv = db.pgn("puzzles --export -").writes();
    assert_eq!(csv.lines().count(), 1, "no move leads to a problem");
    no_engine_is_left(&db);
}

#[test]
#[ignore = "needs a server and Stockfish"]
fn the_second_line_is_asked_where_a_mistake_may_be_a_puzzle() {
    let db = Database::new("immortal");
    load_famous(&db);
    let words = "--puzzles --nodes 20000 --reproducible --where";
    analyze(&db, words).arg("id = 2").succeeds();
    let lines = |what: &str| db.sql(&format!("SELECT {what} FROM chess.analysis"));
    let two = "count(*) FILTER (WHERE multipv = 2) BETWEEN 3 AND 25, count(*) FILTER (WHERE multipv = 1)";
    assert_eq!(lines(two), "t|46", "two lines are asked for few positions");
    let before = lines("count(*)");
    assert!(analyze(&db, words).arg("id = 2").succeeds().contains(" 0 positions analyzed"), "and once only");
    assert_eq!(lines("count(*)"), before);
    db.pgn("puzzles").succeeds();
    // 20... Na6 of the Immortal Game: 21. Nxg7+ Kd8 22. Qf6+ Nxf6 23. Be7#
    let immortal = "SELECT solution, themes FROM chess.puzzles WHERE kind = 'refutation' AND ply = 40";
    assert_eq!(db.sql(immortal), "{f5g7,e8d8,f3f6,g8f6,d6e7}|{mate,mateIn3,sacrifice}");
    no_engine_is_left(&db);
}
