//! Games that are stored twice: which pairs `chess-pgn twins` finds among planted twins and rematches, what it makes of
//! them, and what undoes it.

use chess_system::{Database, Hurdle, generated, repository, tool, wait_for};

use crate::all_tables;

/// A game as PGN, with a date, a round and a result.
fn game(white: &str, black: &str, date: &str, round: &str, moves: &str) -> String {
    let result = moves.rsplit(' ').next().unwrap_or("*");
    format!(
        "[Event \"Match\"]\n[Site \"?\"]\n[Date \"{date}\"]\n[Round \"{round}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\
         [Result \"{result}\"]\n\n{moves}\n\n"
    )
}

const OPERA: &str = "1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 \
    11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0";

/// The pairs with their kinds.
fn pairs(db: &Database<'_>) -> Vec<String> {
    db.rows("SELECT a, b, kind FROM chess.twins ORDER BY a, b")
}

/// What the games are, whatever is known about their storage.
fn games(db: &Database<'_>) -> Vec<String> {
    db.rows("SELECT to_jsonb(g) FROM chess.games g ORDER BY id")
}

#[test]
#[ignore = "needs a server"]
fn planted_twins_are_found_and_rematches_are_not() {
    let db = Database::loaded("planted", generated(77, 3000));
    db.sql(
        "SET search_path = chess, public;
         CREATE TABLE public.planted (a bigint, b bigint, twin text);
         CREATE FUNCTION public.other_end(game chessgame, ply integer, more integer, seed bigint) RETURNS chessgame
         LANGUAGE plpgsql AS $$
         DECLARE
             line chessgame = getFirstMoves(game, ply);
             played text;
         BEGIN
             FOR n IN 1..more LOOP
                 SELECT m.san INTO played FROM legalMoves(finalBoard(line)) m
                 WHERE n > 1 OR NOT hasOpening(game, play(line, m.san)) ORDER BY md5(m.san || n || seed) LIMIT 1;
                 EXIT WHEN played IS NULL;
                 line = play(line, played);
             END LOOP;
             RETURN line;
         END $$;
         CREATE FUNCTION public.plant(kind text, bucket integer, shortest integer) RETURNS void LANGUAGE plpgsql AS $$
         DECLARE
             g record;
             planted bigint;
         BEGIN
             FOR g IN SELECT * FROM pgn_view WHERE id % 75 = bucket AND ply_count >= shortest AND id <= 3000 ORDER BY id LOOP
                 INSERT INTO pgn_view (event, site, date, round, white, black, white_elo, black_elo, result, game)
                 VALUES (CASE kind WHEN 'rematch' THEN 'Another event' ELSE g.event END, g.site,
                         CASE WHEN kind IN ('a day later') AND g.date !~ '\\?'
                              THEN to_char(to_date(g.date, 'YYYY.MM.DD') + 1, 'YYYY.MM.DD')
                              WHEN kind IN ('rematch', 'draw again') THEN (left(g.date, 4)::integer + 3) || '.01.02'
                              ELSE g.date END,
                         CASE WHEN kind IN ('rematch', 'other round', 'draw again') THEN '77' ELSE g.round END,
                         CASE kind WHEN 'spelling' THEN regexp_replace(g.white, ', (.).*', ',\\1')
                                   WHEN 'other players' THEN 'Somebody, Else' ELSE g.white END,
                         CASE kind WHEN 'spelling' THEN regexp_replace(g.black, '(.*), (.*)', '\\2 \\1')
                                   WHEN 'other players' THEN 'Else, Somebody' ELSE g.black END,
                         g.white_elo, g.black_elo,
                         CASE kind WHEN 'no result' THEN '*' WHEN 'draw again' THEN '1/2-1/2' ELSE g.result END,
                         CASE kind WHEN 'cut off' THEN getFirstMoves(g.game, g.ply_count * 3 / 4)
                                   WHEN 'stub' THEN getFirstMoves(g.game, 6)
                                   WHEN 'last moves' THEN other_end(g.game, g.ply_count - 3, 2, g.id)
                                   WHEN 'rematch' THEN other_end(g.game, g.ply_count * 2 / 3, 30, g.id)
                                   WHEN 'other round' THEN other_end(g.game, g.ply_count * 2 / 3, 30, g.id)
                                   ELSE g.game END)
                 RETURNING id INTO planted;
                 INSERT INTO planted VALUES (g.id, planted, kind);
             END LOOP;
         END $$;
         SET search_path = chess, public;
         UPDATE pgn_view SET round = '9', date = '2001.02.03' WHERE round IS NULL OR date IS NULL OR date ~ '\\?';
         UPDATE pgn_view SET game = withResult(getFirstMoves(game, 22), '1/2-1/2'), result = '1/2-1/2' WHERE id % 75 = 9;
         SELECT public.plant(kind, bucket, shortest) FROM (VALUES
             ('copy', 1, 24), ('cut off', 2, 40), ('last moves', 3, 40), ('spelling', 4, 30), ('a day later', 5, 30),
             ('no result', 6, 30), ('other players', 7, 50), ('stub', 8, 30), ('draw again', 9, 22), ('rematch', 10, 40),
             ('other round', 11, 40)) t (kind, bucket, shortest);",
    );
    let said = db.pgn("twins").succeeds();
    assert!(said.contains(" pairs of twins among "), "{said}");
    let found = db.rows(
        "SELECT p.twin, count(*) >= 20, count(*) - count(t.a), array_agg(DISTINCT t.kind) FILTER (WHERE t.kind IS NOT NULL)
         FROM planted p LEFT JOIN chess.twins t ON (t.a, t.b) = (p.a, p.b) GROUP BY p.twin ORDER BY p.twin",
    );
    // how many were missed, and as what the others were found
    let expected = [
        "a day later|t|0|{same}",
        "copy|t|0|{same}",
        "cut off|t|0|{prefix}",
        "last moves|t|0|{last_moves}",
        "no result|t|0|{same}",
        "other players|t|0|{other_players}",
        "spelling|t|0|{same}",
        "stub|t|0|{stub}",
    ];
    let is_twin = |row: &&String| !row.ends_with('|');
    assert_eq!(found.iter().filter(is_twin).collect::<Vec<_>>(), expected);
    let rematches = db.sql(
        "SELECT count(*), count(t.a) FROM planted p LEFT JOIN chess.twins t ON (t.a, t.b) = (p.a, p.b)
         WHERE p.twin IN ('draw again', 'rematch', 'other round')",
    );
    let (planted, wrong) = rematches.split_once('|').unwrap();
    assert!(planted.parse::<u32>().unwrap() > 80 && wrong == "0", "{rematches}");
    let others =
        "SELECT count(*) FROM chess.twins t WHERE NOT EXISTS (SELECT FROM planted p WHERE (t.a, t.b) = (p.a, p.b))";
    assert_eq!(db.sql(others), "0");

    // a second run finds the same
    let before = db.sql("SELECT md5(string_agg(t::text, '' ORDER BY a, b)) FROM chess.twins t");
    db.pgn("twins").succeeds();
    assert_eq!(db.sql("SELECT md5(string_agg(t::text, '' ORDER BY a, b)) FROM chess.twins t"), before);
}

#[test]
#[ignore = "needs a server"]
fn famous_games_are_no_twins_of_each_other() {
    let db = Database::with_extension("twins_famous");
    db.pgn("load --twins").arg(repository("demo/famous.pgn")).succeeds();
    assert_eq!(db.sql("SELECT count(*), (SELECT count(*) FROM chess.twins) FROM chess.games"), "54|0");
    // again from another source, with other spellings
    let more = game(
        "Paul Morphy",
        "Duke of Brunswick and Count Isouard",
        "1858.??.??",
        "?",
        &OPERA.replace(" 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8#", ""),
    ) + &game(
        "Adolf Anderssen",
        "Dufresne, J",
        "1852.??.??",
        "?",
        "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. b4 Bxb4 5. c3 Ba5 6. d4 exd4 \
           7. O-O d3 8. Qb3 Qf6 9. e5 Qg6 10. Re1 Nge7 11. Ba3 b5 12. Qxb5 Rb8 13. Qa4 Bb6 14. Nbd2 Bb7 15. Ne4 Qf5 16. Bxd3 Qh5 1-0",
    );
    let said = db.pgn("load --twins").arg(db.file("more.pgn", more)).succeeds();
    assert!(said.contains("2 pairs of twins among 56 games"), "{said}");
    assert_eq!(
        db.rows("SELECT x.white, y.white, t.kind FROM chess.twins t JOIN chess.pgn_view x ON x.id = t.a JOIN chess.pgn_view y ON y.id = t.b ORDER BY 1"),
        ["Anderssen, Adolf|Adolf Anderssen|prefix", "Morphy, Paul|Paul Morphy|prefix"]
    );
}

#[test]
#[ignore = "needs a server"]
fn a_load_compares_only_its_games_with_the_others() {
    let db = Database::with_extension("twins_weekly");
    let pgn = generated(78, 1000);
    // The games contain a pair from before, which a user then deletes from the table.
    let first = pgn.split_inclusive("\n\n[").next().unwrap().trim_end_matches('[').to_owned();
    db.pgn("load --index --twins").arg(db.file("games.pgn", pgn + &first)).succeeds();
    db.sql("CREATE INDEX games_moves ON chess.games (game)");
    assert_eq!(db.sql("SELECT count(*) > 900, (SELECT count(*) FROM chess.twins) FROM chess.games"), "t|1");
    db.sql("DELETE FROM chess.twins");
    let copy = |condition: &str| db.pgn("export --where").arg(condition).writes();
    let long = "SELECT id FROM chess.games WHERE ply_count > 40 AND error IS NULL ORDER BY id OFFSET";
    let [one, other] = [10, 20].map(|n| db.sql(&format!("{long} {n} LIMIT 1")));
    let other_players = copy(&format!("id = {other}"));
    let other_players: String = other_players
        .lines()
        .map(|line| match line {
            _ if line.starts_with("[White \"") => "[White \"Somebody, Else\"]\n".to_owned(),
            _ if line.starts_with("[Black \"") => "[Black \"Else, Somebody\"]\n".to_owned(),
            _ => format!("{line}\n"),
        })
        .collect();
    let weekly = copy(&format!("id = {one}")) + &other_players;
    let said = db.pgn("load --twins").arg(db.file("weekly.pgn", weekly)).succeeds();
    assert!(said.contains("2 new pairs of twins, by a look at "), "{said}");
    let found = db.rows("SELECT a, kind FROM chess.twins ORDER BY a");
    assert_eq!(found, [format!("{one}|same"), format!("{other}|other_players")]);
    // All games find the same, and the pair of before; later loads let it stay.
    let stored = "SELECT t::text FROM chess.twins t WHERE b > (SELECT max(id) - 2 FROM chess.games) ORDER BY a";
    let by_load = db.rows(stored);
    assert!(db.pgn("twins").succeeds().contains("3 pairs of twins among "));
    assert_eq!(db.rows(stored), by_load);
    let again = db.file("again.pgn", format!("{}\n; again\n", copy(&format!("id = {one}"))));
    assert!(db.pgn("load --twins").arg(again).succeeds().contains("2 new pairs of twins"));
    assert_eq!(db.sql("SELECT count(*) FROM chess.twins"), "5");
}

/// If a load has failed after its games were stored, there is nothing to load when it is run again.
#[test]
#[ignore = "needs a server"]
fn games_that_no_search_has_covered_are_in_the_next_one() {
    let db = Database::with_extension("twins_uncovered");
    let file = db.file("games.pgn", generated(79, 1000));
    db.pgn("load --index --twins").arg(file).succeeds();
    db.sql("CREATE INDEX games_moves ON chess.games (game); DELETE FROM chess.twins");
    let copy = |n: u32| {
        let id = db.sql(&format!("SELECT id FROM chess.games WHERE ply_count > 40 ORDER BY id OFFSET {n} LIMIT 1"));
        db.pgn("export --where").arg(format!("id = {id}")).writes()
    };
    let (one, other) = (db.file("one.pgn", copy(10)), db.file("other.pgn", copy(20)));
    db.sql("ALTER TABLE chess.twins ADD CONSTRAINT none CHECK (false)");
    let said = db.pgn("load --twins").arg(&one).fails();
    assert!(said.contains("the games are loaded, but twins were not looked for"), "{said}");
    db.sql("ALTER TABLE chess.twins DROP CONSTRAINT none");
    let said = db.pgn("load --twins").arg(&one).succeeds();
    assert!(said.contains("0 games read") && said.contains("1 new pairs of twins, by a look at "), "{said}");
    db.pgn("load").arg(&other).succeeds();
    let said = db.pgn("load --twins").arg(&other).succeeds();
    assert!(said.contains("1 new pairs of twins, by a look at "), "{said}");
    assert!(db.pgn("load --twins").arg(&other).succeeds().contains("0 new pairs of twins"));
    // until a load is complete, others may store games with lower ids
    db.sql("UPDATE chess.sources SET finished = NULL WHERE id = 1; DELETE FROM chess.twins");
    db.pgn("load").arg(db.file("again.pgn", copy(30))).succeeds();
    for _ in 0..2 {
        assert!(db.pgn("load --twins").arg(&other).succeeds().contains("1 new pairs of twins"));
    }
}

#[test]
#[ignore = "needs a server"]
fn odd_games() {
    let db = Database::loaded("twins_odd", game("Ann", "Bob", "2020.01.01", "1", OPERA));
    let twin = |game: &str, round: &str| {
        format!(
            "INSERT INTO chess.pgn_view (event, white, black, date, round, game) VALUES ('Match', 'Ann', 'Bob', '2020.01.01', '{round}', '{game}');"
        )
    };
    let chess960 =
        "[Variant \"Chess960\"] [FEN \"bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1\"] 1. e4 e5 2. Nf3 1-0";
    let ending = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"] 1. e4 Ke7 2. Ke2 Ke6 3. Ke3 Ke5 1/2-1/2";
    db.sql(
        &[
            // no half-moves: the beginning of every game, and equal to each other
            twin("1-0", "1"),
            twin("0-1", "7"),
            twin("0-1", "7"),
            twin("0-1", "8"),
            // other starts, twice
            twin(chess960, "2"),
            twin(chess960, "2"),
            twin(ending, "3"),
            twin(ending, "3"),
            // the same moves from another start
            twin("1. e4 e5 2. Nf3 1-0", "2"),
        ]
        .concat(),
    );
    db.sql(
        "ALTER TABLE chess.games ALTER game DROP NOT NULL; INSERT INTO chess.games (game) VALUES (NULL); \
            ALTER TABLE chess.games ALTER result DROP NOT NULL; UPDATE chess.games SET result = NULL, clocks = '{{1},{2}}' WHERE id IN (8, 9); \
            INSERT INTO chess.games (game, dates) VALUES ('1. e4', '(,)'), ('1. e4', '[-infinity,infinity]')",
    );
    db.pgn("twins").succeeds();
    assert_eq!(pairs(&db), ["1|2|stub", "3|4|same", "6|7|same", "8|9|same"]);
    db.pgn("twins --keep longest --score 0").succeeds();
    assert_eq!(db.sql("SELECT array_agg(id ORDER BY id) FROM chess.games"), "{1,3,5,6,8,10,11,12,13}");
    db.pgn("twins --undo").succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM chess.games"), "13");
}

#[test]
#[ignore = "needs a server"]
fn one_of_two_stays_and_takes_over_what_it_lacks() {
    let bare = game("Morphy, Paul", "Allies", "1858.??.??", "?", &OPERA.replace("1-0", "*"));
    let rich = game("Morphy, P", "Allies", "1858.11.02", "4", OPERA)
        .replace("[Round", "[WhiteElo \"2600\"]\n[ECO \"C41\"]\n[Annotator \"me\"]\n[Round")
        .replace("2. Nf3", "{[%clk 0:10:00]} 2. Nf3 {the old move}");
    let db = Database::with_extension("keeper");
    db.pgn("load --clocks")
        .arg(db.file("bare.pgn", bare + &game("Ann", "Bob", "1858.11.02", "4", "1. d4 1-0")))
        .succeeds();
    db.pgn("load --clocks").arg(db.file("rich.pgn", rich)).succeeds();
    db.sql("CREATE TABLE public.before AS SELECT * FROM chess.games");
    let said = db.pgn("twins --keep best --dry-run").succeeds();
    assert!(said.contains("1 games would go, 1 would stay in their place; nothing was changed"), "{said}");
    assert_eq!(pairs(&db), [""; 0]);
    let same = "SELECT count(*) FROM (TABLE public.before EXCEPT TABLE chess.games) d";
    assert_eq!(db.sql(same), "0");
    assert_eq!(db.sql("SELECT count(*) FROM chess.twins_removed"), "0");

    // the newest has everything: the oldest is brought to stay by taking the other away first
    let said = db.pgn("twins --keep newest").succeeds();
    assert!(said.contains("game 3 stays, game 1 goes (same, "), "{said}");
    assert!(!said.contains("takes over"), "{said}");
    assert_eq!(db.sql("SELECT game_id, kept_id, run, removed_by FROM chess.twins_removed"), "1|3|1|postgres");
    assert_eq!(pairs(&db), [""; 0]);
    assert_eq!(db.pgn("twins --undo").succeeds().lines().last(), Some("1 games of run 1 are back"));
    assert_eq!(db.sql(same), "0");

    db.sql("DELETE FROM chess.twins; UPDATE chess.games SET id = 30 WHERE id = 1; INSERT INTO public.before SELECT * FROM chess.games; DELETE FROM public.before WHERE id = 1");
    let said = db.pgn("twins --keep newest").succeeds();
    let taken = "takes over annotated, clocks, date, dates, eco, game, result, round, tags, white_elo";
    assert!(said.contains("game 30 stays, game 3 goes") && said.contains(taken), "{said}");
    assert_eq!(
        db.sql("SELECT white, date, dates, round, result, result(game), white_elo, eco, tags ->> 'Annotator', clocks[2], annotated LIKE '%the old move%' \
                FROM chess.pgn_view WHERE id = 30"),
        "Morphy, Paul|1858.11.02|[1858-11-02,1858-11-03)|4|1-0|1-0|2600|C41|me|6000|t"
    );
    assert!(db.pgn("export").writes().contains("{ the old move }"));
    // what was changed since stays
    db.sql("UPDATE chess.games SET eco = 'C99' WHERE id = 30");
    let said = db.pgn("twins --undo=2").succeeds();
    assert!(said.contains("game 30 keeps eco, which it took over from game 3: it has changed since"), "{said}");
    db.sql("UPDATE chess.games SET eco = NULL WHERE id = 30");
    assert_eq!(db.sql("SELECT count(*) FROM (TABLE public.before EXCEPT TABLE chess.games) d"), "0");
    let said = db.pgn("twins --undo").fails();
    assert!(said.contains("there is nothing in"), "{said}");
    assert!(db.pgn("twins --undo=5").fails().contains("there is nothing of run 5"));
}

/// What one record says of its date is not replaced by less, and only what is missing is taken over.
#[test]
#[ignore = "needs a server"]
fn dates_and_tags_that_a_game_has_are_not_replaced() {
    let twin = |at: usize, tags: &str| {
        let moves = OPERA.replace("1. e4", ["1. e4", "{a} 1. e4"][at]);
        format!(
            "[Event \"Match\"]\n[White \"Morphy, Paul\"]\n[Black \"Allies\"]\n[Result \"1-0\"]\n{tags}\n{moves}\n\n"
        )
    };
    let cases = [
        // the tags of the game that stays and of the other one; date, dates and tags of what is made of them
        (
            "[Date \"1858.??.??\"]",
            "[EventDate \"1858.10.30\"]",
            "1858.??.??|[1858-01-01,1859-01-01)|{\"EventDate\": \"1858.10.30\"}",
        ),
        ("[Date \"????.05.12\"]", "[EventDate \"1858.10.30\"]", "????.05.12||{\"EventDate\": \"1858.10.30\"}"),
        ("[Date \"????.05.12\"]", "[Date \"1858.05.12\"]", "1858.05.12|[1858-05-12,1858-05-13)|"),
        ("[Date \"????.05.12\"]", "[Date \"1858.??.??\"]", "????.05.12||"),
        (
            "[Date \"????.05.12\"]",
            "[UTCDate \"1858.05.12\"]",
            "????.05.12|[1858-05-12,1858-05-13)|{\"UTCDate\": \"1858.05.12\"}",
        ),
        (
            "[Date \"1858.??.??\"]",
            "[UTCDate \"1858.05.12\"]",
            "1858.??.??|[1858-05-12,1858-05-13)|{\"UTCDate\": \"1858.05.12\"}",
        ),
        (
            "[EventDate \"1858.10.30\"]",
            "[Date \"1858.11.02\"]",
            "1858.11.02|[1858-11-02,1858-11-03)|{\"EventDate\": \"1858.10.30\"}",
        ),
        (
            "[UTCDate \"1858.10.30\"]",
            "[Date \"1858.10.30\"]",
            "1858.10.30|[1858-10-30,1858-10-31)|{\"UTCDate\": \"1858.10.30\"}",
        ),
        ("", "[EventDate \"1858.10.30\"]", "|[1858-10-30,1858-10-31)|{\"EventDate\": \"1858.10.30\"}"),
        ("", "[Date \"????.05.12\"]", "????.05.12||"),
        ("[Date \"1858.11.02\"]", "[Date \"?\"]", "1858.11.02|[1858-11-02,1858-11-03)|"),
    ];
    let db = Database::new("dates_of_twins");
    let of = |schema: &str, kept: &str, other: &str, what: &str| {
        let line = |tags: &str| tags.replace("] [", "]\n[") + "\n";
        let file = db.file("twins.pgn", twin(1, &line(kept)) + &twin(0, &line(other)));
        db.pgn(&format!("load --schema {schema}")).arg(file).succeeds();
        db.pgn(&format!("twins --keep best --score 0 --schema {schema}")).succeeds();
        assert_eq!(db.sql(&format!("SELECT array_agg(id) FROM {schema}.games")), "{1}", "{kept} {other}");
        db.sql(&format!("SELECT {what} FROM {schema}.pgn_view"))
    };
    for (at, (kept, other, made)) in cases.iter().enumerate() {
        assert_eq!(of(&format!("dates{at}"), kept, other, "date, dates, tags"), *made, "{kept} {other}");
    }
    let cases = [
        ("[WhiteElo \"2700\"]", "[WhiteElo \"\"]", "2700|1-0|"),
        ("[WhiteElo \"\"]", "[WhiteElo \"2700\"]", "2700|1-0|"),
        ("[WhiteElo \"\"]", "[WhiteElo \"02700\"]", "2700|1-0|{\"WhiteElo\": \"02700\"}"),
        ("", "[WhiteElo \"\"] [Date \"?\"] [Site \"\"] [Round \"\"]", "|1-0|"),
        ("", "[WhiteElo \"2700?\"]", "2700|1-0|{\"WhiteElo\": \"2700?\"}"),
        (
            "[Annotator \"A\"]",
            "[PlyCount \"12\"] [Annotator \"B\"] [Opening \"C\"]",
            "|1-0|{\"Opening\": \"C\", \"Annotator\": \"A\"}",
        ),
    ];
    for (at, (kept, other, made)) in cases.iter().enumerate() {
        assert_eq!(of(&format!("tags{at}"), kept, other, "white_elo, result, tags"), *made, "{kept} {other}");
    }
}

/// A game in three records: 1 has what the others lack, 2 the same moves, 3 goes on. And three more for a user's notes.
fn of_three(name: &str) -> Database<'static> {
    let cut = &OPERA[..OPERA.find(" 17. Rd8#").unwrap()];
    let one = game("Ann", "Bob", "2020.01.01", "1", &format!("{cut} 1-0"));
    let rich = one.replace("[Round", "[WhiteElo \"2600\"]\n[Annotator \"me\"]\n[Round");
    let whole = game("Ann", "Bob", "2020.01.01", "1", OPERA).replace("[Round", "[Remark \"whole\"]\n[Round");
    let other =
        game("Cyd", "Dan", "2020.01.02", "2", "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 h6 1-0");
    let db =
        Database::loaded(name, rich + &one.replace("[Round", "[Source \"two\"]\n[Round") + &whole + &other.repeat(3));
    db.sql(
        "INSERT INTO chess.analyzed_games SELECT id FROM chess.games;
         CREATE SCHEMA mine;
         CREATE TABLE mine.notes (game bigint REFERENCES chess.games ON DELETE CASCADE, note text, more json DEFAULT '{ \"a\" :  1}');
         CREATE TABLE mine.words (game bigint REFERENCES chess.analyzed_games ON DELETE SET NULL, word text);
         INSERT INTO mine.notes VALUES (5, 'one that must stay'); INSERT INTO mine.words VALUES (4, 'that one, too')",
    );
    db.pgn("twins").succeeds();
    db
}

#[test]
#[ignore = "needs a server"]
fn what_is_undone_in_any_order_is_as_it_was() {
    for (name, order) in [("undone_first", ["=1", "=2"]), ("undone_last", ["=2", "=1"]), ("undone_next", ["", ""])] {
        let db = of_three(name);
        let before = all_tables(&db);
        assert!(before.iter().any(|table| table.starts_with("mine.notes|1|")), "{before:?}");
        db.pgn("twins --keep newest --dry-run --stored").succeeds();
        db.pgn("twins --keep newest --dry-run").succeeds();
        assert_eq!(all_tables(&db), before, "a trial");
        let said = db.pgn("twins --keep newest --stored --kinds same").succeeds();
        assert!(said.contains("game 2 stays, game 1 goes") && said.contains("takes over tags, white_elo"), "{said}");
        // 4 and 5 stay, whatever is newest, because somebody has rows for them
        assert!(said.contains("games 5 and 4 stay: mine.words has rows for both"), "{said}");
        assert!(said.contains("game 5 stays, game 6 goes") && said.contains("run 1,"), "{said}");
        let said = db.pgn("twins --keep newest --stored --kinds prefix").succeeds();
        assert!(said.contains("game 3 stays, game 2 goes") && said.contains("run 2,"), "{said}");
        assert_eq!(db.sql("SELECT white_elo FROM chess.games WHERE id = 3"), "2600");
        for run in order {
            db.pgn(&format!("twins --undo{run}")).succeeds();
        }
        assert_eq!(all_tables(&db), before, "undone in the order {order:?}");
        assert!(db.pgn("twins --undo").fails().contains("there is nothing in"));
        assert!(db.pgn("twins --undo=1").fails().contains("there is nothing of run 1"));
        assert_eq!(all_tables(&db), before, "a second time");
        // numbers are not used again
        assert!(db.pgn("twins --keep newest --stored --kinds same").succeeds().contains("run 3,"));
        db.pgn("twins --undo=3").succeeds();
        assert_eq!(all_tables(&db), before);
    }
}

#[test]
#[ignore = "needs a server"]
fn two_runs_that_change_one_value_are_undone_in_any_order() {
    for (name, order) in [("chained_first", ["=1", "=2"]), ("chained_last", ["=2", "=1"])] {
        let tagged = |tag: &str| {
            let tag = format!("[{tag} \"x\"]\n[Round");
            game("Ann", "Bob", "2020.01.01", "1", OPERA).replace("[Round", &tag)
        };
        let db = Database::loaded(name, tagged("One") + &tagged("Two") + &tagged("Three"));
        db.pgn("twins").succeeds();
        // first with one of them, then with the other
        db.sql("CREATE TABLE kept AS SELECT * FROM chess.twins; DELETE FROM chess.twins WHERE (a, b) <> (1, 3)");
        db.pgn("twins --keep newest --stored").succeeds();
        db.sql("INSERT INTO chess.twins SELECT * FROM kept WHERE (a, b) = (2, 3)");
        db.pgn("twins --keep newest --stored").succeeds();
        assert_eq!(db.sql("SELECT count(*) FROM chess.games WHERE tags ?& '{One,Two,Three}'"), "1");
        for run in order {
            let said = db.pgn(&format!("twins --undo{run}")).succeeds();
            assert!(!said.contains("changed since"), "{said}");
        }
        assert_eq!(
            db.rows("SELECT array_agg(k) FROM chess.games g, jsonb_object_keys(tags) k GROUP BY id ORDER BY id"),
            ["{One}", "{Two}", "{Three}"]
        );
        assert_eq!(db.sql("SELECT count(*) FROM chess.twins_taken"), "0");
    }
}

#[test]
#[ignore = "needs a server"]
fn runs_beside_each_other_and_interrupted_ones_are_undone() {
    let db = of_three("undone_beside");
    let hurdle = Hurdle::on(&db, &["chess.twins_removed"]);
    let before = all_tables(&db);
    hurdle.stop_at(1);
    let mut first = db.pgn("twins --keep newest --stored --kinds same").spawn();
    hurdle.wait(&mut first);
    let mut second = db.pgn("twins --keep newest --stored --kinds prefix").spawn();
    db.wait_for_activity("a run that waits for the other", "wait_event = 'advisory'", Some(&mut second));
    first.killed();
    hurdle.open();
    assert!(second.ends(0).contains("game 3 stays"));
    db.pgn("twins --undo").succeeds();
    assert_eq!(all_tables(&db), before);
}

#[test]
#[ignore = "needs a server"]
fn rows_of_other_tables_go_with_a_source_only_if_asked_for() {
    let db = of_three("unloaded_rows");
    let before = all_tables(&db);
    let said = db.pgn("unload").arg(db.path("games.pgn")).fails();
    assert!(said.contains("mine.notes, mine.words has rows for") && said.contains("--with-rows"), "{said}");
    assert_eq!(all_tables(&db), before);
    db.sql("CREATE TABLE mine.files (source integer REFERENCES chess.sources ON DELETE CASCADE); INSERT INTO mine.files VALUES (1)");
    db.sql("DELETE FROM mine.notes; DELETE FROM mine.words");
    assert!(db.pgn("unload --source 1").fails().contains("mine.files has rows for"));
    db.pgn("unload --source 1 --with-rows").succeeds();
    assert_eq!(db.sql("SELECT (SELECT count(*) FROM chess.games), (SELECT count(*) FROM mine.files)"), "0|0");
}

/// The work grows with the number of copies, not with its square: what stays is not written again for a copy without
/// news, because the transaction would keep each of its versions, and pass them all for the next copy.
#[test]
#[ignore = "needs a server"]
fn many_copies_of_one_game() {
    let mut pgn: String = (0..400).map(|_| game("Morphy", "Allies", "1858.11.??", "1", OPERA)).collect();
    pgn += &game("Morphy", "Allies", "1858.11.02", "1", OPERA);
    let db = Database::loaded("copies", &pgn);
    let said = db.pgn("twins --keep longest").succeeds();
    assert!(said.contains("400 games moved") && said.contains(" 1 stay in their place"), "{said}");
    assert_eq!(db.sql("SELECT count(*), min(id), min(date) FROM chess.games"), "1|1|1858.11.02");
    let changes = |kind: &str| db.sql(&format!("SELECT pg_stat_get_tuples_{kind}('chess.games'::regclass)"));
    wait_for("the statistics of the run", || changes("deleted") == "400");
    assert_eq!(changes("updated"), "1", "by the copy with another date");
    db.pgn("twins --undo").succeeds();
    assert_eq!(db.sql("SELECT count(*), count(*) FILTER (WHERE date = '1858.11.02') FROM chess.games"), "401|1");
}

#[test]
#[ignore = "needs a server"]
fn what_stays_as_it_is() {
    let twins = game("Ann", "Bob", "2020.01.01", "1", OPERA)
        + &game("Ann", "Bob", "2020.01.01", "1", OPERA)
        + &game("Cyd", "Dan", "2020.01.01", "1", OPERA);
    let db = Database::loaded("stays", &twins);
    db.pgn("twins").succeeds();
    assert_eq!(pairs(&db), ["1|2|same", "1|3|other_players", "2|3|other_players"]);
    // wrong records are nobody's to remove unasked, nor are doubtful pairs, nor those that the user has deleted
    db.sql("DELETE FROM chess.twins WHERE kind = 'same'");
    assert!(db.pgn("twins --keep best --stored").succeeds().contains("no games were removed"));
    assert!(db.pgn("twins --keep best --score 1").succeeds().contains("no games were removed"));
    assert!(db.pgn("twins --keep best").succeeds().contains("1 games moved to"));
    assert_eq!(pairs(&db), ["1|3|other_players"]);
    assert!(db.pgn("twins --keep best --kinds other_players").succeeds().contains("game 1 stays, game 3 goes"));
    // the file that the games came from knows them still; with it, they go for good
    assert!(db.pgn("load").arg(db.path("games.pgn")).succeeds().contains("3 games had been loaded before"));
    db.pgn("unload").arg(db.path("games.pgn")).succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM chess.twins_removed"), "0");
}

#[test]
#[ignore = "needs a server"]
fn incomplete_games_keep_their_text() {
    let broken = game("Ann", "Bob", "2020.01.01", "1", &OPERA.replace("17. Rd8#", "17. Rd9#"));
    let db = Database::loaded("texts", broken + &game("Ann", "Bob", "2020.01.01", "1", OPERA));
    let texts = "SELECT to_jsonb(r) FROM chess.rejected r ORDER BY id";
    let before = (games(&db), db.rows(texts));
    assert_eq!(before.1.len(), 1);
    let said = db.pgn("twins --keep best").succeeds();
    assert!(said.contains("game 2 stays, game 1 goes (prefix"), "{said}");
    assert_eq!(db.rows(texts), [""; 0]);
    db.pgn("twins --undo").succeeds();
    assert!((games(&db), db.rows(texts)) == before);
}

#[test]
#[ignore = "needs a server"]
fn games_that_go_take_their_pairs_along() {
    let db = Database::loaded("gone", game("Ann", "Bob", "2020.01.01", "1", OPERA).repeat(3));
    db.pgn("twins").succeeds();
    assert_eq!(pairs(&db).len(), 3);
    db.sql("DELETE FROM chess.games WHERE id = 2");
    assert_eq!(pairs(&db), ["1|3|same"]);
    // a game that is there again under its number is not overwritten
    db.pgn("twins --keep newest").succeeds();
    db.sql("INSERT INTO chess.games (id, game) VALUES (1, '1. e4')");
    let said = db.pgn("twins --undo").ends(1);
    assert!(
        said.contains("game 1 cannot come back: duplicate key") && said.contains("0 games of run 1 are back"),
        "{said}"
    );
    assert_eq!(
        db.sql("SELECT game, (SELECT count(*) FROM chess.twins_removed) FROM chess.games WHERE id = 1"),
        "1. e4|1"
    );
}

#[test]
#[ignore = "needs a server"]
fn runs_wait_for_each_other_and_can_be_interrupted() {
    let db = Database::loaded("runs", game("Ann", "Bob", "2020.01.01", "1", OPERA).repeat(2));
    db.pgn("twins").succeeds();
    db.sql("UPDATE chess.twins SET reason = 'the first run'");
    let mut session = db.session();
    session.sql("BEGIN; LOCK TABLE chess.games IN ACCESS EXCLUSIVE MODE");
    let mut first = db.pgn("twins --schema chess").spawn();
    db.wait_for_activity(
        "a run that waits for the games",
        "wait_event_type = 'Lock' AND wait_event = 'relation'",
        Some(&mut first),
    );
    let mut second = db.pgn("twins").spawn();
    db.wait_for_activity("a run that waits for the other", "wait_event = 'advisory'", Some(&mut second));
    tool("kill").arg("-INT").arg(first.id().to_string()).succeeds();
    assert!(first.ends(130).contains("interrupted; the table twins is as it was"));
    assert_eq!(db.sql("SELECT reason FROM chess.twins"), "the first run");
    session.sql("COMMIT");
    assert!(second.ends(0).contains("another session looks for twins"));
    assert_ne!(db.sql("SELECT reason FROM chess.twins"), "the first run");
}

#[test]
#[ignore = "needs a server"]
fn a_run_while_a_load_runs() {
    let db = Database::loaded("busy", game("Ann", "Bob", "2020.01.01", "1", OPERA).repeat(2));
    let hurdle = Hurdle::on(&db, &["chess.pieces"]);
    hurdle.stop_at(2);
    let others = game("Cyd", "Dan", "2020.01.01", "1", "1. d4 d5 1/2-1/2");
    let more = db.file("more.pgn", others + &game("Ann", "Bob", "2020.01.01", "1", OPERA).repeat(8));
    let mut load = db.pgn("load --batch 1 --jobs 1").arg(more).spawn();
    hurdle.wait(&mut load);
    // the games of the first piece, which are stored
    db.pgn("twins --keep best").succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM chess.games WHERE ply_count > 2"), "1");
    hurdle.open();
    load.ends(0);
    db.pgn("twins --keep best").succeeds();
    assert_eq!(db.sql("SELECT count(*), (SELECT count(*) FROM chess.twins_removed) FROM chess.games"), "2|9");
    db.pgn("twins --undo").succeeds();
    db.pgn("twins --undo").succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM chess.games"), "11");
}

#[test]
#[ignore = "needs a server"]
fn rights_of_a_run() {
    let db = Database::with_extension("twinrights");
    let file = db.file("games.pgn", game("Ann", "Bob", "2020.01.01", "1", OPERA).repeat(2));
    db.pgn("load").arg("--schema").arg("o'dd \"name").arg(&file).succeeds();
    assert!(db.pgn("twins --keep best").arg("--schema").arg("o'dd \"name").succeeds().contains("1 games moved"));
    assert!(db.pgn("twins --undo").arg("--schema").arg("o'dd \"name").succeeds().contains("1 games of run 1"));
    db.sql("CREATE ROLE twinner LOGIN; CREATE ROLE twin_reader LOGIN; GRANT CREATE ON DATABASE twinrights TO twinner");
    let run = |schema: &str, user: &str, words: &str| db.pgn(words).arg("--schema").arg(schema).env("PGUSER", user);
    run("mine", "twinner", "load").arg(&file).succeeds();
    assert!(run("mine", "twinner", "twins").succeeds().contains("1 pairs"));
    // somebody who may only read
    db.sql("GRANT USAGE ON SCHEMA mine TO twin_reader; GRANT SELECT ON ALL TABLES IN SCHEMA mine TO twin_reader");
    assert!(run("mine", "twin_reader", "twins").fails().contains("belongs to twinner"));
    // whose policies hide games from their owner
    db.session_as("twinner").sql(
        "ALTER TABLE mine.games ENABLE ROW LEVEL SECURITY; ALTER TABLE mine.games FORCE ROW LEVEL SECURITY;
         CREATE POLICY half ON mine.games USING (id % 2 = 0)",
    );
    assert!(run("mine", "twinner", "twins").fails().contains("row-level security"));
    assert_eq!(db.sql("SELECT count(*) FROM mine.twins"), "1");
    // no tables
    assert!(run("none", "postgres", "twins").fails().contains("holds no tables of chess-pgn"));
}

#[test]
#[ignore = "needs a server"]
fn players_who_are_one_or_are_not() {
    let cut = &OPERA[..OPERA.find("8. Nc3").unwrap()];
    let pgn = game("Vachier-Lagrave, Maxime", "Bob", "2020.01.01", "1", OPERA)
        + &game("MVL", "Bob", "2020.01.01", "1", &format!("{cut}1-0"));
    let db = Database::loaded("united", &pgn);
    db.pgn("twins").succeeds();
    assert_eq!(pairs(&db), [""; 0]);
    db.sql("UPDATE chess.players SET same_as = (SELECT id FROM chess.players WHERE name LIKE 'Vachier%') WHERE name = 'MVL'");
    db.pgn("twins").succeeds();
    assert_eq!(pairs(&db), ["1|2|prefix"]);
    // two of one name
    let ids = |id: u32| {
        game("Ann", "Bob", "2020.01.02", "2", "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 1/2-1/2")
            .replace("[Round", &format!("[WhiteFideId \"{id}\"]\n[Round"))
    };
    db.pgn("load").arg(db.file("ids.pgn", ids(1) + &ids(2))).succeeds();
    db.pgn("twins").succeeds();
    assert_eq!(pairs(&db), ["1|2|prefix"]);
}

#[test]
#[ignore = "needs a server"]
fn games_come_back_as_they_were_whatever_the_settings() {
    let db = Database::loaded("twin_settings", game("Ann", "Bob", "2020.01.02", "1", OPERA).repeat(2));
    db.sql("ALTER TABLE chess.games ADD weight float8 DEFAULT 0.1::float8 + 0.2::float8, ADD pause interval DEFAULT '-1 day 2 hours'");
    let before = games(&db);
    let style = |settings: &str| {
        let [dates, intervals, digits]: [&str; 3] = settings.split('|').collect::<Vec<_>>().try_into().unwrap();
        db.sql(&format!(
            "ALTER DATABASE twin_settings SET datestyle = '{dates}'; ALTER DATABASE twin_settings SET intervalstyle = '{intervals}';
             ALTER DATABASE twin_settings SET extra_float_digits = {digits}"
        ));
    };
    style("SQL, DMY|sql_standard|-10");
    assert!(db.pgn("twins --keep best").succeeds().contains("1 games moved"));
    style("ISO, MDY|postgres|1");
    db.pgn("twins --undo").succeeds();
    assert_eq!(games(&db), before);
}
