//! `chess-pgn players`: merges by a list, by the games alone and by a reviewed file; undo; files that are no lists; two
//! at once, and beside a load.

use std::fs;

use chess_system::{Database, Hurdle, chess_pgn, tool};

use crate::all_tables;

/// Facts of real players, few of many.
const LIST: &str = "\
@PLAYER \"., -_*\"
Carlsen, Magnus #GM NOR [2847] 1990.11.30
   %Bio FIDEID 1503014
   %Elo 2013:2861,2872,2870
   = Karlsen, Magnus
Petrosian, Tigran L. #GM ARM [2562] 1984.09.17
   %Bio FIDEID 13301616
   %Elo 2005:2551,2552 2006:2560,2589
Petrosian, Tigran V #gm URS [2645] 1929.06.17--1984.08.13
";

fn game(white: &str, black: &str, date: &str, elo: u16, moves: &str) -> String {
    let elo = if elo == 0 { String::new() } else { format!("[WhiteElo \"{elo}\"]\n") };
    format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Date \"{date}\"]\n{elo}\n{moves} *\n\n")
}

fn games() -> String {
    [
        game("Carlsen,M", "Nobody", "2013.05.01", 2872, "1. e4"),
        game("Karlsen, Magnus", "Nobody", "2013.05.01", 2870, "1. d4"),
        game("Petrosian,T", "Nobody", "1963.05.01", 0, "1. c4"),
        game("Petrosian,T", "Carlsen,M", "2005.05.01", 2551, "1. f4"),
    ]
    .concat()
}

const PLAYERS: &str =
    "SELECT p.name, p.canonical, c.fide_id FROM chess.players p LEFT JOIN chess.players c ON c.id = p.same_as
    WHERE EXISTS (SELECT FROM chess.games WHERE p.id IN (white_id, black_id)) ORDER BY p.name COLLATE \"C\"";

const MERGED: [&str; 4] =
    ["Carlsen,M|Carlsen, Magnus|1503014", "Karlsen, Magnus|Carlsen, Magnus|1503014", "Nobody||", "Petrosian,T||"];

#[test]
#[ignore = "needs a server"]
fn a_list_decides_and_a_person_the_rest() {
    let db = Database::loaded("merges", games());
    let before = db.rows("SELECT * FROM chess.players ORDER BY id");
    let list = db.file("list.ssp", LIST);
    let review = db.path("review.csv");
    let said = db.pgn("players --list").arg(&list).arg("--review").arg(&review).writes();
    assert!(said.contains("Carlsen,M = Carlsen, Magnus (1503014): initials and Elo, score 0.99, 2 games"), "{said}");
    assert!(said.contains("2 of 4 names decided") && said.contains("1 doubtful"), "{said}");
    assert_eq!(db.rows("SELECT * FROM chess.players ORDER BY id"), before, "nothing is changed without --apply");

    let (packed_list, packed_review) = (db.path("list.ssp.zst"), db.path("review.csv.zst"));
    tool("zstd").arg(&list).arg("-o").arg(&packed_list).succeeds();
    let packed = db.pgn("players --list").arg(&packed_list).arg("--review").arg(&packed_review).writes();
    assert_eq!(packed, said);
    db.pgn("players --reviewed").arg(&packed_review).succeeds();

    db.pgn("players --apply --list").arg(&list).succeeds();
    assert_eq!(db.rows(PLAYERS), MERGED);
    assert_eq!(db.sql("SELECT sum(games) FROM chess.explorer(startBoard('1. e4'), player => 'Karlsen, Magnus')"), "3");
    assert_eq!(
        db.sql("SELECT string_agg(DISTINCT white, '; ') FROM chess.pgn_view WHERE white ~ 'arlsen'"),
        "Carlsen, Magnus"
    );
    let said = db.pgn("players --apply --list").arg(&list).writes();
    assert!(said.contains("nothing to change"), "the second time: {said}");
    db.pgn("load").arg(db.file("more.pgn", game("Carlsen, Magnus", "Nobody", "2013", 2872, "1. b4"))).succeeds();

    let lines = fs::read_to_string(&review).unwrap();
    let decision = lines.lines().find(|line| line.contains("Tigran V")).unwrap();
    let edited = format!("{}\nyes{decision}\n", lines.lines().next().unwrap());
    let file = db.file("edited.csv", &edited);
    let said = db.pgn("players --reviewed").arg(&file).arg("--review").arg(db.path("./edited.csv")).fails();
    assert!(said.contains("--review would overwrite"), "{said}");
    assert_eq!(fs::read_to_string(&file).unwrap(), edited);
    db.pgn("players --apply --reviewed").arg(&file).succeeds();
    assert_eq!(db.sql("SELECT canonical FROM chess.players WHERE name = 'Petrosian,T'"), "Petrosian, Tigran V");
    let said = db.pgn("players --apply --reviewed").arg(db.file("both.csv", lines.replace("\n,", "\nyes,"))).fails();
    assert!(said.contains("is to be two players"), "{said}");
    let said = db
        .pgn("players --reviewed")
        .arg(db.file("other.csv", edited.replace("Petrosian,T\"", "Petrosyan,T\"")))
        .fails();
    assert!(said.contains("there is no player"), "{said}");

    let undone = || db.pgn("players --undo").succeeds();
    assert!(undone().contains("run 2 undone: 1 rows of players"));
    assert_eq!(db.sql("SELECT canonical FROM chess.players WHERE name = 'Petrosian,T'"), "");
    undone();
    // the load had found that his name is that of one id
    let left = db.sql("SELECT name, canonical FROM chess.players WHERE same_as IS NOT NULL");
    assert_eq!(left, "Carlsen, Magnus|Carlsen, Magnus", "as before");
    let said = db.pgn("players --undo").fails();
    assert!(said.contains("no run of chess-pgn players is left to be undone"), "{said}");
    let log = "SELECT count(*), bool_and(merged_by = 'postgres'), count(DISTINCT run) FROM chess.name_merges WHERE undone_at IS NOT NULL";
    assert_eq!(db.sql(log), "3|t|2");
}

#[test]
#[ignore = "needs a server"]
fn undone_merges_leave_all_tables_as_they_were() {
    let db = Database::loaded("unmerged", games());
    // The log of merges keeps undone ones.
    let tables = || {
        let tables = all_tables(&db);
        assert!(tables.iter().any(|table| table.starts_with("chess.players|")), "{tables:?}");
        tables.into_iter().filter(|table| !table.starts_with("chess.name_merges|")).collect::<Vec<_>>()
    };
    let list = db.file("list.ssp", LIST);
    let review = db.path("review.csv");
    db.pgn("players --list").arg(&list).arg("--review").arg(&review).succeeds();
    let before = tables();
    let decision = fs::read_to_string(&review).unwrap().replace("\n,", "\nyes,");
    let (first, rest) = decision.split_once('\n').unwrap();
    let edited = format!("{first}\n{}\n", rest.lines().find(|line| line.contains("Tigran V")).unwrap());
    for round in 1..3 {
        db.pgn("players --apply --list").arg(&list).succeeds();
        db.pgn("players --apply --reviewed").arg(db.file("edited.csv", &edited)).succeeds();
        assert_ne!(tables(), before, "round {round}");
        db.pgn("players --undo").succeeds();
        db.pgn("players --undo").succeeds();
        assert_eq!(tables(), before, "round {round}");
    }
}

#[test]
#[ignore = "needs a server"]
fn spellings_that_no_game_has_are_found() {
    let moves = game("Mamedyarov, Shakhriyar", "Nobody", "2013.05.01", 2750, "1. e4");
    let db = Database::loaded("other_spellings", moves);
    let before = db.rows("SELECT * FROM chess.players ORDER BY id");
    // one spelling is of two players of the list
    let list = db.file(
        "list.ssp",
        "@PLAYER\nMamedyarov, Shakhriyar #GM AZE [2757] 1985.04.12\n   = Mamedjarov, Schachrijar\n   = Mamedjarow, Schachriar\n   \
         = Mamedow, S\nMamedov, Sabir #FM AZE [2250] 1970.04.12\n   = Mamedow, S\n   = Mamedof, Sabir\n",
    );
    let said = db.pgn("players --apply --list").arg(&list).writes();
    assert!(said.contains(", 2 other spellings of them added; --undo takes it back"), "{said}");
    for asked in ["Mamedjarov", "schachriar mamedjarow"] {
        assert_eq!(db.sql(&format!("SELECT player, games FROM chess.player('{asked}')")), "Mamedyarov, Shakhriyar|1");
    }
    let explored =
        |name: &str| db.sql(&format!("SELECT sum(games) FROM chess.explorer(startBoard('1. e4'), player => '{name}')"));
    assert_eq!(db.sql("SELECT count(*) FROM chess.players WHERE name IN ('Mamedow, S', 'Mamedof, Sabir')"), "0");
    let said = db.pgn("players --apply --list").arg(&list).writes();
    assert!(said.contains("nothing to change"), "the second time: {said}");
    // a game under one of them is his
    let more = db.file("more.pgn", game("Mamedjarov, Schachrijar", "Nobody", "2014", 2750, "1. e4 e5"));
    db.pgn("load").arg(&more).succeeds();
    assert_eq!(db.sql("SELECT player, games FROM chess.player('Mamedyarov', 1)"), "Mamedyarov, Shakhriyar|2");
    assert_eq!(explored("Mamedjarov, Schachrijar"), "2");
    assert_eq!(db.sql("SELECT pgn_white FROM chess.pgn_view WHERE white <> pgn_white"), "Mamedjarov, Schachrijar");
    db.pgn("unload").arg(&more).succeeds();
    db.pgn("players --undo").succeeds();
    assert_eq!(db.rows("SELECT * FROM chess.players ORDER BY id"), before, "as before");
}

/// The earlier state of a game and a removed twin still need the name that a run has added.
#[test]
#[ignore = "needs a server"]
fn an_undone_run_leaves_names_that_games_may_need_again() {
    let db = Database::with_extension("needed_names");
    let list = db.file(
        "list.ssp",
        "@PLAYER\nJones, William #GM ENG [2500] 1950\n   = Jonesson, William\n   = Jonesen, William\n",
    );
    let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 \
                 11. Nbd2 Bb7 12. Bc2 Re8 13. Nf1 Bf8 14. Ng3 g6 15. a4 c5 16. d5 c4 17. Bg5 h6 18. Be3 Nc5 19. Qd2 h5";
    let of = |white: &str, moves: &str| game(white, "Nobody, Ann", "1980.05.01", 2500, moves);
    db.pgn("load").arg(db.file("first.pgn", of("Jones, William", "1. d4"))).succeeds();
    db.pgn("players --apply --list").arg(&list).succeeds();
    let names = "SELECT string_agg(name, '; ' ORDER BY name COLLATE \"C\") FROM chess.players WHERE name LIKE 'Jones%'";
    assert_eq!(db.sql(names), "Jones, William; Jonesen, William; Jonesson, William");
    let twins = of("Jonesson, William", moves) + &of("Jones, William", moves);
    db.pgn("load").arg(db.file("twins.pgn", twins)).succeeds();
    db.pgn("load").arg(db.file("third.pgn", of("Jonesen, William", "1. c4"))).succeeds();
    assert!(db.pgn("twins --keep newest").succeeds().contains("1 games moved"));
    let replaced = db.sql("SELECT id FROM chess.pgn_view WHERE pgn_white = 'Jonesen, William'");
    db.pgn(&format!("replace --game {replaced} -")).input(of("Smith, John", "1. c4")).succeeds();

    db.pgn("players --undo").succeeds();
    assert_eq!(db.sql(names), "Jones, William; Jonesen, William; Jonesson, William");
    db.pgn(&format!("replace --game {replaced} --undo")).succeeds();
    assert!(db.pgn("twins --undo").succeeds().contains("1 games of run 1 are back"));
    let whites = "SELECT string_agg(pgn_white, '; ' ORDER BY id) FROM chess.pgn_view";
    assert_eq!(db.sql(whites), "Jones, William; Jonesson, William; Jones, William; Jonesen, William");
}

#[test]
#[ignore = "needs a server"]
fn full_names_in_the_games_decide_without_a_list() {
    let db = Database::with_extension("without_list");
    let mut pgn = String::new();
    for (number, elo) in (2500..2506).enumerate() {
        for name in ["Adams, Michael", "Adams,M", "Adams,  MICHAEL"] {
            pgn += &game(name, "Nobody", &format!("200{number}.01.01"), elo, "1. e4");
        }
        pgn += &game("Short,N", "Nobody", &format!("200{number}.01.01"), elo, "1. e4");
        pgn += &game("Short, Nigel", "Nobody", &format!("200{number}.01.01"), elo + 20, "1. e4");
    }
    pgn += &game("Adams, Michael", "Nobody", "2006", 2500, "1. d4");
    pgn += &(game("Sokolov,And1", "Nobody", "2001", 2400, "1. e4")
        + &game("Sokolov,And2", "Nobody", "2001", 2400, "1. e4"));
    pgn += &(game("Li, Wei", "Nobody", "2001", 2400, "1. e4") + &game("Li Wei", "Li, Wei", "2001", 2400, "1. e4"));
    db.pgn("load").arg(db.file("games.pgn", pgn)).succeeds();
    let said = db.pgn("players --apply").writes();
    let merged = "SELECT name, canonical FROM chess.players WHERE same_as IS NOT NULL ORDER BY name COLLATE \"C\"";
    let [first, second] = ["Adams,  MICHAEL", "Adams,M"];
    assert_eq!(db.rows(merged), [format!("{first}|Adams, Michael"), format!("{second}|Adams, Michael")], "{said}");
}

#[test]
#[ignore = "needs a server"]
fn files_that_are_no_lists_are_refused() {
    let db = Database::with_extension("no_lists");
    let games = db.file("games.pgn", games());
    for (name, text, reason) in [
        ("empty.ssp", String::new(), "it has no section @PLAYER"),
        ("games.pgn", fs::read_to_string(&games).unwrap(), "it has no section @PLAYER"),
        ("nobody.ssp", "@PLAYER\n".to_owned(), "it names no players"),
        ("binary.ssp", "@PLAYER\n\0\0\n".to_owned(), "it is not a text"),
    ] {
        let file = db.file(&format!("no-{name}"), text);
        let said = db.pgn("load --players").arg(&file).arg(&games).fails();
        assert!(said.contains(reason), "{name}: {said}");
    }
    assert_eq!(db.sql("SELECT to_regnamespace('chess')"), "", "nothing is loaded with a bad list");
    db.pgn("players --list").arg(db.path("missing.ssp")).fails();
    // a pipe can be read only once
    let list = db.file("list.ssp", LIST);
    let piped = tool("bash").args(["-c", "exec \"$0\" load --players <(cat \"$1\") \"$2\""]).arg(chess_pgn().path());
    let said = db.program(piped).arg(&list).arg(&games).succeeds();
    assert!(said.contains("2 of 4 names decided"), "{said}");
    assert_eq!(db.rows(PLAYERS), MERGED);
    let names = format!("{LIST}{}\n   = {}\n", "x".repeat(10_000), "Carlsen, ".repeat(2000));
    db.pgn("players --apply --list").arg(db.file("long.ssp", names)).succeeds();
}

#[test]
#[ignore = "needs a server"]
fn two_merge_at_once_and_beside_a_load() {
    let db = Database::loaded("merge_twice", games());
    let list = db.file("list.ssp", LIST);
    let ids = db
        .file("ids.pgn", format!("[WhiteFideId \"1503014\"]\n{}", game("Carlsen, M.", "New,N", "2013", 2872, "1. e4")));
    // both wait for a session that holds the lock, then one after the other merges
    let mut holder = db.session();
    holder.sql("BEGIN; SELECT pg_advisory_xact_lock(hashtext('chess-pgn players'), 0)");
    let merge = || db.pgn("players --apply --list").arg(&list).spawn();
    let (first, second) = (merge(), merge());
    let load = db.pgn("load").arg(&ids).spawn();
    let waiting = "wait_event_type = 'Lock' AND wait_event = 'advisory' HAVING count(*) = 3";
    db.wait_for_activity("three that wait", waiting, None);
    holder.sql("COMMIT");
    let said = first.ends(0) + &second.ends(0);
    load.ends(0);
    assert_eq!(said.matches("nothing to change").count(), 1, "one of them has nothing left to do: {said}");
    assert_eq!(db.rows(PLAYERS)[..2], ["Carlsen, M.|Carlsen, Magnus|1503014".to_owned(), MERGED[0].to_owned()]);
    assert_eq!(
        db.sql("SELECT count(*) FROM chess.players WHERE canonical = 'Carlsen, Magnus' AND fide_id = 1503014"),
        "1"
    );

    // a merge that is killed in the middle has changed nothing
    db.pgn("players --undo").succeeds();
    let before = db.rows("SELECT id, same_as FROM chess.players ORDER BY id");
    let hurdle = Hurdle::on(&db, &["chess.name_merges"]);
    hurdle.stop_at(1);
    let mut killed = merge();
    hurdle.wait(&mut killed);
    killed.killed();
    hurdle.open();
    assert_eq!(db.rows("SELECT id, same_as FROM chess.players ORDER BY id"), before);
}

/// A name goes after a load has looked it up: its games are not at fault.
#[test]
#[ignore = "needs a server"]
fn a_merge_is_undone_beside_a_load() {
    let db = Database::loaded("undone_beside_load", games());
    db.pgn("players --apply --list").arg(db.file("list.ssp", LIST)).succeeds();
    let hurdle = Hurdle::on(&db, &["chess.pieces"]);
    hurdle.stop_at(1);
    let file = db.file(
        "ids.pgn",
        format!("[WhiteFideId \"1503014\"]\n{}", game("Carlsen, Magnus", "Nobody", "2013", 2872, "1. b3")),
    );
    let mut load = db.pgn("load --dedupe").arg(file).spawn();
    hurdle.wait(&mut load);
    let known = "SELECT count(*) FROM chess.players WHERE name = 'Carlsen, Magnus'";
    assert_eq!(db.sql(known), "1");
    db.pgn("players --undo").succeeds();
    assert_eq!(db.sql(known), "0", "no game has the name that the list had brought");
    hurdle.open();
    let said = load.ends(0);
    assert!(said.contains("1 stored, 0 of them incomplete, 0 rejected, 0 duplicates"), "{said}");
    assert_eq!(db.sql("SELECT white FROM chess.pgn_view ORDER BY id DESC LIMIT 1"), "Carlsen, Magnus");
}

#[test]
#[ignore = "needs a server"]
fn the_same_seat_and_rows_of_others() {
    let seat = |white: &str, black: &str, round: &str, moves: &str| {
        format!(
            "[Event \"Open\"]\n[Date \"2020.05.01\"]\n[Round \"{round}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"*\"]\n\n{moves} *\n\n"
        )
    };
    // One game twice, under a short and a full name; the same initials in another seat.
    let pgn = seat("Miller, Ann", "Brown, Bob", "3", "1. e4 e5")
        + &seat("Miller,A", "Brown, Bob", "3", "1. e4")
        + &seat("Smith, Cyd", "Brown, Bob", "4", "1. d4")
        + &seat("Smith,C", "Brown, Bob", "5", "1. d4")
        + &seat("Smith,D", "Brown, Bob", "4", "1. d4");
    let db = Database::loaded("seats", pgn);
    let said = db.pgn("players --apply").succeeds();
    assert!(
        said.contains("Miller,A = Miller, Ann: same round and opponent") && said.contains("1 of 6 names decided"),
        "{said}"
    );
    assert_eq!(db.sql("SELECT string_agg(name, ';') FROM chess.players WHERE same_as IS NOT NULL"), "Miller,A");

    // A reviewed merge with a row that belongs to another player is not counted as decided.
    db.sql("UPDATE chess.players SET same_as = (SELECT id FROM chess.players WHERE name = 'Brown, Bob') WHERE name = 'Smith, Cyd'");
    let id = db.sql("SELECT id FROM chess.players WHERE name = 'Smith,C'");
    let review = format!("apply,id,name,games,canonical,fide_id,reason\nyes,{id},\"Smith,C\",1,\"Smith, Cyd\",,\n");
    let said = db.pgn("players --apply --reviewed").arg(db.file("review.csv", review)).succeeds();
    assert!(
        said.contains("0 of 4 names decided") && said.contains("1 doubtful") && said.contains("nothing to change"),
        "{said}"
    );
}

#[test]
#[ignore = "needs a server"]
fn a_seat_of_two_full_names_and_of_nobody() {
    let seat = |white: &str, moves: &str| {
        format!(
            "[Event \"Open\"]\n[Date \"2020.05.01\"]\n[Round \"3\"]\n[White \"{white}\"]\n[Black \"Brown, Bob\"]\n\n{moves} *\n\n"
        )
    };
    let unknown = seat("Miller, Ann", "1. e4") + &seat("Miller,A", "1. d4") + &seat("?", "1. c4");
    let db = Database::loaded("seat_of_nobody", unknown);
    assert!(db.pgn("players").succeeds().contains("Miller,A = Miller, Ann: same round and opponent"));
    // the full names come first and last in the table
    db.pgn("load").arg(db.file("more.pgn", seat("Miller, Amy", "1. b4"))).succeeds();
    let said = db.pgn("players").succeeds();
    assert!(said.contains("0 of 4 names decided") && said.contains("1 doubtful"), "{said}");
}

#[test]
#[ignore = "needs a server"]
fn policies_that_hide_names_are_refused() {
    let db = Database::loaded("hidden_names", games());
    db.sql(
        "CREATE ROLE name_editor LOGIN; GRANT USAGE ON SCHEMA chess TO name_editor; GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA chess TO name_editor;
         ALTER TABLE chess.players ENABLE ROW LEVEL SECURITY; CREATE POLICY most ON chess.players USING (name <> 'Nobody') WITH CHECK (true)",
    );
    let line = |name: &str, canonical: &str| {
        let id = db.sql(&format!("SELECT id FROM chess.players WHERE name = '{name}'"));
        format!("yes,{id},\"{name}\",1,\"{canonical}\",,\n")
    };
    let lines = line("Carlsen,M", "Nobody") + &line("Petrosian,T", "Somebody");
    let review = db.file("review.csv", format!("apply,id,name,games,canonical,fide_id,reason\n{lines}"));
    let said = db.pgn("players --apply --reviewed").arg(&review).env("PGUSER", "name_editor").fails();
    assert!(said.contains("would be affected by row-level security policy for table \"players\""), "{said}");
    assert_eq!(db.sql("SELECT count(*) FROM chess.players WHERE same_as IS NOT NULL"), "0");
    db.pgn("players --apply --reviewed").arg(&review).succeeds();
    assert_eq!(db.sql("SELECT canonical FROM chess.players WHERE name = 'Carlsen,M'"), "Nobody");
}

#[test]
#[ignore = "needs a server"]
fn names_with_blanks_at_their_ends_are_reviewed() {
    let pgn = game("Candidats ", "Nobody", "1953", 0, "1. e4") + &game("Candidates ", "Nobody ", "1953", 0, "1. d4");
    let db = Database::loaded("blank_names", pgn);
    let id = db.sql("SELECT id FROM chess.players WHERE name = 'Candidats '");
    for (name, canonical) in [("Candidats ", "Candidates "), ("Candidats", " Candidates")] {
        let review = format!("apply,id,name,games,canonical,fide_id,reason\nyes,{id},{name},1,{canonical},,\n");
        db.pgn("players --apply --reviewed").arg(db.file("review.csv", review)).succeeds();
        let merged = db.sql(&format!("SELECT '[' || canonical || ']' FROM chess.players WHERE id = {id}"));
        assert_eq!(merged, format!("[{}]", if name.ends_with(' ') { canonical } else { canonical.trim() }));
        db.pgn("players --undo").succeeds();
    }
}
