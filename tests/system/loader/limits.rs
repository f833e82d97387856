//! Files from strangers: how much of one is read, and what programs are told.

use chess_system::{Database, generated, gzipped, zipped};

use crate::lines_with;

#[test]
#[ignore = "needs a server"]
fn a_file_that_grows_when_it_is_unpacked_has_a_limit() {
    let db = Database::with_extension("limits");
    let games = generated(7, 100);
    // a few kB that become 40 MiB
    let bomb = gzipped([games.as_bytes(), &vec![b' '; 40 << 20]].concat());
    assert!(bomb.len() < 100_000);
    let said = db.pgn("load --most 2 --schema bomb").arg(db.file("bomb.pgn.gz", &bomb)).fails();
    assert!(said.contains("it holds more than 2 MiB when it is unpacked"), "{said}");
    db.pgn("load --most 50 --schema roomy").arg(db.file("bomb.pgn.gz", &bomb)).succeeds();
    assert_eq!(
        db.sql("SELECT count(*) FROM roomy.games"),
        "99",
        "the blanks belong to the last game, which is too long"
    );

    // the files of an archive share the limit
    let half = [games.as_bytes(), &vec![b'\n'; 3 << 19]].concat();
    let archive = zipped(&[("a.pgn", &half), ("b.pgn", &half)]);
    let file = db.file("two.zip", archive);
    let said = db.pgn("load --most 2 --schema shared").arg(&file).fails();
    assert!(said.contains("b.pgn") && said.contains("more than 2 MiB"), "{said}");
    assert_eq!(db.sql("SELECT count(*) FROM shared.sources WHERE finished IS NOT NULL"), "1", "the first is whole");
    db.pgn("load --most 4 --schema shared").arg(&file).succeeds();

    let names: Vec<String> = (0..10_001).map(|n| format!("{n}.pgn")).collect();
    let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"1. e4 *\n"[..])).collect();
    let said = db.pgn("load --most 50 --schema many").arg(db.file("many.zip", zipped(&many))).fails();
    assert!(said.contains("a ZIP archive with 10001 files: more than 10000"), "{said}");
}

#[test]
#[ignore = "needs a server"]
fn programs_are_told_in_json() {
    let db = Database::with_extension("json");
    let file = db.file("a.pgn", "1. e4 e5 1-0\n\n[White \"A\"]\n\n1. d4 d5 2. Kd3 *\n\n[White \"B\"]\n\n1. c4 *\n");
    let report = |arguments: &str, file: &std::path::Path| {
        let out = db.pgn(&format!("load --json {arguments}")).arg(file).writes();
        let lines: Vec<String> = out.lines().map(str::to_owned).collect();
        assert!(lines.iter().all(|line| line.starts_with('{') && line.ends_with('}')), "{out}");
        lines.last().unwrap().clone()
    };
    let said = report("", &file);
    for part in
        ["\"done\":true", "\"stored\":3", "\"incomplete\":1", "\"rejected\":0", "\"sources\":[1]", "\"errors\":[]"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    let again = report("--dedupe", &file);
    assert!(again.contains("\"stored\":0") && again.contains("\"before\":3"), "{again}");
    let other = db.file("b.pgn", "[White \"B\"]\n\n1. c4 *\n\n[White \"C\"]\n\n1. f4 *\n");
    let said = report("--changed", &other);
    assert!(said.contains("\"stored\":1") && said.contains("\"duplicates\":1"), "{said}");
    assert!(said.contains("\"sources\":[2]"), "{said}");
    let none = db.pgn("load --json").arg(db.file("none.pgn", "\n")).fails();
    assert!(lines_with(&none, "\"errors\":[\"").len() == 1 && none.contains("none.pgn: no games in it"), "{none}");
}

/// A game of rooks at random, which does not compress: the white one stays in the lower half, the black one in the upper
/// half, both off the h-file, where the kings are.
fn long_game(plies: usize) -> String {
    let mut text = String::from("[Event \"long\"]\n[FEN \"r6k/8/8/8/8/8/8/R6K w - - 0 1\"]\n\n");
    let (mut squares, mut random) = ([(0, 0), (0, 7)], 7u64);
    for ply in 0..plies {
        let (file, rank) = &mut squares[ply % 2];
        let least = if ply % 2 == 0 { 0 } else { 4 };
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let choice = (random >> 33) as usize % 9;
        match choice {
            0..6 => *file = (*file + 1 + choice) % 7,
            _ => *rank = least + (*rank - least + choice - 5) % 4,
        }
        text.push_str(&format!(
            "R{}{}{}",
            (b'a' + *file as u8) as char,
            1 + *rank,
            if ply % 12 == 11 { '\n' } else { ' ' }
        ));
    }
    text + "*\n\n"
}

fn short(event: usize) -> String {
    format!("[Event \"short {event}\"]\n[Round \"{event}\"]\n\n1. e4 e5 *\n\n")
}

/// The server has limits that a single game can exceed: it is that game that is left out, not those around it.
#[test]
#[ignore = "needs a server"]
fn one_game_never_stops_a_load() {
    let db = Database::with_extension("long_game");
    let games = short(1) + &long_game(9000) + &(2..40).map(short).collect::<String>();
    let file = db.file("games.pgn", &games);

    // Nothing that a load makes has a limit on the length of a game.
    let said = db.pgn("load --index").arg(&file).succeeds();
    assert!(
        said.contains("40 stored, 0 of them incomplete, 0 rejected") && !said.contains("is not possible"),
        "{said}"
    );
    assert_eq!(db.sql("SELECT plycount(game) FROM chess.games WHERE id = 2"), "9000");
    assert_eq!(db.sql("SELECT count(*) FROM chess.games WHERE hasOpening(game, '1. e4')"), "39");
    // GIN has a B-tree beside it, which cannot have this game; the other indexes are made.
    let said = db.pgn("load --index=gin").arg(&file).succeeds();
    assert!(said.contains("games_game_idx (btree) is not possible: index row requires"), "{said}");
    assert!(said.contains("games_game_gin (gin) in "), "{said}");

    // A user's own index, constraint or trigger refuses games: these are rejected, with the reason, and can be found.
    let db = Database::with_extension("refused_games");
    db.pgn("schema").succeeds();
    db.sql(
        "CREATE INDEX mine ON chess.games (game); ALTER TABLE chess.games ADD CONSTRAINT luck CHECK (round <> '13')",
    );
    let file = db.file("games.pgn", &games);
    let said = db.pgn("load --batch 1").arg(&file).succeeds();
    assert!(said.contains("38 stored, 0 of them incomplete, 2 rejected, 0 duplicates"), "{said}");
    let rejected = db.rows("SELECT number, reason, length(text) FROM chess.rejected ORDER BY number");
    assert!(rejected[0].starts_with("2|the server refuses the game: index row requires 9"), "{rejected:?}");
    assert!(rejected[0].contains("maximum size is 8191|"), "{rejected:?}");
    assert!(
        rejected[1].starts_with("14|the server refuses the game: new row for relation \"games\" violates"),
        "{rejected:?}"
    );
    assert_eq!(db.sql("SELECT sum(games), sum(stored), sum(rejected) FROM chess.pieces"), "40|38|2");
    assert!(db.sql("SELECT finished IS NOT NULL FROM chess.sources") == "t");
    let again = db.pgn("load").arg(&file).succeeds();
    assert!(again.contains("0 stored") && again.contains("40 "), "{again}");

    // So does --dedupe, with a constraint that is checked at the end only, and with an incomplete game.
    db.sql(
        "TRUNCATE chess.games, chess.pieces, chess.rejected, chess.sources CASCADE; ALTER TABLE chess.games DROP CONSTRAINT luck; \
         CREATE FUNCTION chess.refuse() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN RAISE EXCEPTION 'not this round' USING ERRCODE = 'check_violation'; END $$; \
         CREATE CONSTRAINT TRIGGER late AFTER INSERT ON chess.games DEFERRABLE INITIALLY DEFERRED \
             FOR EACH ROW WHEN (NEW.round = '13') EXECUTE FUNCTION chess.refuse()",
    );
    let games = short(12) + &short(13).replace("1. e4 e5 *", "1. e4 e5 2. Ke3 *") + &short(14) + &short(14);
    let said = db.pgn("load --dedupe").arg(db.file("late.pgn", games)).succeeds();
    assert!(said.contains("1 stored, 0 of them incomplete, 1 rejected, 2 duplicates"), "{said}");
    let reason = db.sql("SELECT reason FROM chess.rejected");
    assert!(
        reason.contains("\"Ke3\": illegal move") && reason.ends_with("the server refuses the game: not this round"),
        "{reason}"
    );

    // What refuses everything is not in the games.
    db.sql("ALTER TABLE chess.games ADD CHECK (round IS NULL) NOT VALID");
    let file = db.file("all.pgn", (100..150).map(short).collect::<String>());
    let said = db.pgn("load").arg(&file).fails();
    assert!(said.contains("the server refuses all games, such as that at byte"), "{said}");
    assert_eq!(db.sql("SELECT count(*) FROM chess.rejected"), "1");
}

/// A load that changes little leaves VACUUM and ANALYZE to autovacuum, and nothing new is not looked at again.
#[test]
#[ignore = "needs a server"]
fn a_small_load_takes_no_longer_than_its_games() {
    let db = Database::with_extension("small_loads");
    let analyzed =
        || db.sql("SELECT reltuples::int, relallvisible > 0 FROM pg_class WHERE oid = 'chess.games'::regclass");
    let file = |from: usize, to: usize| db.file(&format!("{from}.pgn"), (from..to).map(short).collect::<String>());
    db.pgn("load --no-analyze").arg(file(0, 50)).succeeds();
    assert_ne!(analyzed(), "50|t");
    db.pgn("load").arg(file(100, 200)).succeeds();
    assert_eq!(analyzed(), "150|t", "they are as many as before");
    db.pgn("load").arg(file(300, 305)).succeeds();
    assert_eq!(analyzed().split('|').next(), Some("150"), "five are less than 5 %");
    db.pgn("load --analyze").arg(file(400, 401)).succeeds();
    assert_eq!(analyzed(), "156|t");

    let list = db.file("list.ssp", "@PLAYER\nKarpov, Anatoly #GM RUS [2780] 1951.05.23\n  = Karpow, A\n");
    let games = db.file("karpov.pgn", "[White \"Karpow, A\"]\n[Black \"Spassky, B\"]\n\n1. e4 *\n");
    let merge = || db.pgn("load --players").arg(&list).arg(&games).succeeds();
    assert!(merge().contains("names decided"));
    assert!(!merge().contains("names decided"), "nothing is new");
    db.pgn("players --undo").succeeds();
    assert!(merge().contains("names decided"), "what was taken back is new");
    std::fs::write(&list, "@PLAYER\nKarpov, Anatoly #GM RUS [2780] 1951.05.23\n").unwrap();
    assert!(merge().contains("names decided"), "the list is another one");
}
