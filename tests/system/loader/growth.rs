//! Files that have grown since they were loaded, and files that end within a game.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use chess_system::{Database, chess_pgn, generated, gzipped, is_root, tool, wait_for, zipped};

use crate::lines_with;

/// A file of 3,000 games, and the same file with 1,000 more.
fn young_and_grown() -> (String, String) {
    let young = generated(20, 3000);
    let grown = young.clone() + &generated(21, 1000);
    (young, grown)
}

/// How many sources there are and how many games.
fn counts(db: &Database<'_>, schema: &str) -> String {
    db.sql(&format!("SELECT count(*), (SELECT count(*) FROM {schema}.games) FROM {schema}.sources"))
}

/// What was read: the games in the order of the file, then the rejected ones with their numbers.
fn ends(db: &Database<'_>, schema: &str) -> Vec<String> {
    let mut ends = db.rows(&format!("SELECT event, game, error FROM {schema}.pgn_view ORDER BY source_offset"));
    ends.extend(db.rows(&format!("SELECT number, reason FROM {schema}.rejected ORDER BY source_offset")));
    ends
}

#[test]
#[ignore = "needs a server"]
fn only_the_new_games_of_a_grown_file_are_loaded() {
    let db = Database::with_extension("growth");
    let (young, grown) = young_and_grown();
    let load =
        |name: &str, bytes: &[u8]| db.pgn("load --schema grown --batch 256").arg(db.file(name, bytes)).succeeds();
    load("grows.pgn", young.as_bytes());
    let said = load("grows.pgn", grown.as_bytes());
    assert_eq!(counts(&db, "grown"), "1|4000", "the same source, and only the new games");
    assert_eq!(lines_with(&said, "before"), ["3000 games had been loaded before"]);
    load("young.pgn", young.as_bytes());
    assert_eq!(counts(&db, "grown"), "1|4000", "nothing new from the file as it was");
    load("grows.pgn.gz", &gzipped(&grown));
    assert_eq!(counts(&db, "grown"), "1|4000", "nothing new from the packed file");

    db.pgn("load --schema fresh").arg(db.path("grows.pgn")).succeeds();
    let moves = |schema: &str| {
        db.rows(&format!("SELECT event, white, game, error FROM {schema}.pgn_view ORDER BY source_offset"))
    };
    assert!(moves("grown") == moves("fresh"), "the same games as at once");
    let three = [db.path("young.pgn"), db.path("grows.pgn"), db.path("grows.pgn.gz")];
    db.pgn("load --schema three").args(three).succeeds();
    assert_eq!(counts(&db, "three"), "1|4000", "three forms of one file in one run are one source");
}

#[test]
#[ignore = "needs a server"]
fn a_live_game_is_read_as_far_as_it_is() {
    let db = Database::with_extension("live");
    let mut pgn = "[Event \"live\"]\n\n1. e4 e5 2. Nf3".to_owned();
    let moves = |schema: &str| db.rows(&format!("SELECT game, error FROM {schema}.pgn_view ORDER BY source_offset"));
    let growth = [
        "",
        " Nc6 3. Bb",
        "5 a6 1-0\n",
        "\n[Event \"live\"]\n[Round \"2\"]\n\n1. d4 ",
        "{a comment",
        " with its end} d5 *\n",
    ];
    for (n, more) in growth.into_iter().enumerate() {
        pgn += more;
        let file = db.file("live.pgn", &pgn);
        db.pgn("load --schema live").arg(&file).succeeds();
        db.pgn("load --schema live -").input(pgn.clone()).succeeds();
        let fresh = &format!("fresh{n}");
        db.pgn("load --schema").arg(fresh).arg(&file).succeeds();
        assert_eq!(moves("live"), moves(fresh), "after {more:?}");
    }
    let sums = "SELECT (SELECT count(*) FROM live.sources), (SELECT sum(stored) FROM live.pieces) - (SELECT count(*) FROM live.games)";
    assert_eq!(db.sql(sums), "1|0", "every piece adds up");
    assert_eq!(db.sql("SELECT count(*) FROM live.rejected"), "0", "no text is left of what was incomplete");
}

/// Four games, of which a file may end anywhere.
const CUT: &str = "[Event \"a\"]\n[Result \"1-0\"]\n\n1. e4 e5\n\n[Event \"b\"]\n[Result \"0-1\"]\n\n1. f3 e5 2. g4 {so} Qh4# (2... d5) 0-1\n\n\
    [Event \"c\"]\n[Result \"*\"]\n\n1. O-O-O\n[Event \"d\"]\n[Result \"1-0\"]\n\n1. d4 d5\n\n";
const ANOTHER: &str = "[Event \"e\"]\n\n1. c4 *\n";
/// Ends in or behind a tag, a move, a comment, a variation, a result.
const LENGTHS: [usize; 36] = [
    30, 31, 32, 36, 37, 38, 53, 65, 68, 74, 75, 77, 80, 83, 85, 89, 90, 93, 99, 101, 102, 104, 105, 106, 120, 135, 140,
    143, 145, 150, 160, 170, 175, 177, 178, 179,
];
const ILLEGAL: &str =
    "3|half-move 1, \"O-O-O\": illegal move in rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// What is read of [`CUT`] with [`ANOTHER`] game behind it.
const WHOLE: [&str; 5] = ["a|1. e4 e5|", "b|1. f3 e5 2. g4 Qh4# 0-1|", "d|1. d4 d5|", "e|1. c4|", ILLEGAL];

#[test]
#[ignore = "needs a server"]
fn a_file_that_grows_is_read_as_if_it_had_always_been_as_long() {
    let db = Database::with_extension("cut");
    for length in LENGTHS {
        let file = db.file("cut.pgn", &CUT[..length]);
        // the shortest hold no game yet
        db.pgn("load --schema growing").arg(&file).output();
        db.pgn("load --schema fresh").arg(&file).output();
        assert_eq!(ends(&db, "growing"), ends(&db, "fresh"), "the first {length} bytes");
        db.sql("DROP SCHEMA fresh CASCADE");
    }
    let missing = "half-move 3: the file ends without the result 1-0 of the Result tag";
    let at_the_end = [WHOLE[0], WHOLE[1], &format!("d|1. d4 d5|{missing}"), ILLEGAL, &format!("4|{missing}")];
    assert_eq!(ends(&db, "growing"), at_the_end, "a missing result means something at the end alone");
    db.pgn("load --schema growing").arg(db.file("cut.pgn", CUT.to_owned() + ANOTHER)).succeeds();
    assert_eq!(ends(&db, "growing"), WHOLE, "the game that was cut off is whole now, and there once");
    let sums = "SELECT sum(games), sum(stored), sum(rejected), sum(incomplete) FROM growing.pieces";
    assert_eq!(db.sql(sums), "5|4|1|0", "every piece of it adds up");
}

#[test]
#[ignore = "needs a server"]
fn every_kind_of_file_may_end_within_a_game() {
    let db = Database::with_extension("ends");
    let (end, rest) = CUT.split_at(74);
    let plain = db.file("end.pgn", end);
    tool("bzip2").arg("-k").arg(&plain).succeeds();
    db.file("end.pgn.gz", gzipped(end));
    // two gzip members, of which the second is missing
    let members = [gzipped(end), gzipped(rest)].concat();
    db.file("member.pgn.gz", &members[..gzipped(end).len()]);
    db.file("ends.zip", zipped(&[("a.pgn", end.as_bytes()), ("b.pgn", b"[Event \"z\"]\n\n1. a3\n")]));
    for name in ["end.pgn", "end.pgn.gz", "end.pgn.bz2", "member.pgn.gz", "ends.zip"] {
        db.pgn("load --schema way").arg(db.path(name)).succeeds();
        let last = db.sql("SELECT event, game, error FROM way.pgn_view WHERE error IS NOT NULL");
        assert_eq!(last, "b|1. f3 e5|half-move 3: the file ends without the result 0-1 of the Result tag", "{name}");
        db.sql("DROP SCHEMA way CASCADE");
    }

    let whole = CUT.to_owned() + ANOTHER;
    db.pgn("load --schema pipe -").input(end).succeeds();
    db.pgn("load --schema pipe -").input(whole.clone()).succeeds();
    assert_eq!(ends(&db, "pipe"), WHOLE, "a pipe that was cut off, and then was not");
    db.pgn("load --schema strict --strict").arg(&plain).succeeds();
    let strictly = ["a|1. e4 e5|", "2|half-move 3: the file ends without the result 0-1 of the Result tag"];
    assert_eq!(ends(&db, "strict"), strictly);
    fs::write(&plain, whole).unwrap();
    db.pgn("load --schema strict --strict").arg(&plain).succeeds();
    assert_eq!(ends(&db, "strict"), WHOLE, "strictly, when it has grown");
}

#[test]
#[ignore = "needs a server"]
fn one_file_is_taken_back_and_the_others_stay() {
    let db = Database::with_extension("unload");
    let (young, grown) = young_and_grown();
    db.pgn("load").arg(db.file("grows.pgn", &young)).succeeds();
    db.pgn("load").arg(db.file("grows.pgn", grown)).succeeds();
    db.pgn("load --dedupe").arg(db.file("gen.pgn", generated(7, 4000))).succeeds();
    // by what the file was before
    db.pgn("unload").arg(db.file("young.pgn", young)).succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM chess.games"), "4000");
    // a different file now has the name
    let said = db.pgn("unload").arg(db.file("gen.pgn", generated(8, 3))).fails();
    let source = db.sql("SELECT id FROM chess.sources");
    let advice = format!(
        "; to remove what was loaded under this name, give --source {source}\n  source {source}: 4000 games of "
    );
    assert!(said.contains("nothing was loaded from ") && said.contains(&advice), "{said}");
    // none has it: the games may be those of a file of this name elsewhere
    fs::remove_file(db.path("gen.pgn")).unwrap();
    let said = db.pgn("unload").arg(db.path("gen.pgn")).fails();
    assert!(said.contains("there is no file ") && said.contains(&advice), "{said}");
    let said = db.pgn("unload").arg(db.path("never.pgn")).fails();
    assert!(said.contains("never.pgn, and no source has this name"), "{said}");
    let said = db.pgn(&format!("unload --source {source} --source 77")).fails();
    assert!(said.contains("there is no source 77"), "{said}");
    assert_eq!(db.sql("SELECT count(*) FROM chess.games"), "4000");
    db.pgn(&format!("unload --source {source}")).succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM chess.games"), "0");
}

/// Users' rows refer to the game that grows: it keeps its id, as long as it grows, and they stay.
#[test]
#[ignore = "needs a server"]
fn a_growing_game_keeps_the_rows_that_refer_to_it() {
    let db = Database::new("noted_growth");
    let first = "[Event \"First\"]\n\n1. c4 *\n\n";
    let game = "[Event \"Live\"]\n[White \"A\"]\n[Result \"1-0\"]\n\n";
    let grown = ["1. e4 e5", " 2. Nf3", " Nc6 {so} 1-0", " {a word more}\n"];
    for (schema, deleted, options) in
        [("cascading", "ON DELETE CASCADE", ""), ("plain", "", ""), ("deduped", "ON DELETE CASCADE", "--dedupe")]
    {
        let mut text = format!("{first}{game}");
        let mut load = |more: &str| {
            text += more;
            let file = db.file("live.pgn", &text);
            db.pgn(&format!("load {options} --schema {schema}")).arg(file).succeeds();
        };
        load(grown[0]);
        db.sql(&format!(
            "CREATE TABLE {schema}.notes (game bigint REFERENCES {schema}.games {deleted});
             INSERT INTO {schema}.notes SELECT id FROM {schema}.pgn_view WHERE event = 'Live'"
        ));
        grown[1..].iter().for_each(|more| load(more));
        let noted = format!(
            "SELECT v.game, v.error IS NULL, v.annotated FROM {schema}.notes n JOIN {schema}.pgn_view v ON v.id = n.game"
        );
        let whole = "1. e4 e5 2. Nf3 Nc6 1-0|t|1. e4 e5 2. Nf3 Nc6 {so} 1-0 {a word more}";
        assert_eq!(db.sql(&noted), whole, "{schema}");
        let sums = format!(
            "SELECT count(*), (SELECT sum(stored) FROM {schema}.pieces), (SELECT count(*) FROM {schema}.rejected), \
             (SELECT count(*) FROM {schema}.earlier_games) FROM {schema}.games"
        );
        assert_eq!(db.sql(&sums), "2|2|0|0", "{schema}: nothing is left of what it was");
    }
}

/// A game that was kept for a user's rows stays also where the file no longer has it, and the rows of a text that would go are
/// not removed either.
#[test]
#[ignore = "needs a server"]
fn rows_of_a_game_that_changes_are_not_removed_unasked() {
    let db = Database::new("noted_change");
    let load = |moves: &str| db.pgn("load").arg(db.file("live.pgn", format!("[Event \"Live\"]\n\n{moves}")));
    load("1. e4 e5 2. Nf3").succeeds();
    db.sql(
        "CREATE TABLE public.notes (game bigint REFERENCES chess.games ON DELETE CASCADE);
         CREATE TABLE public.doubts (text bigint REFERENCES chess.rejected ON DELETE CASCADE);
         INSERT INTO public.notes SELECT id FROM chess.games",
    );
    load("1. e4 e5 2. Nf3x").succeeds();
    load("1. e4 e5 2. Nf3xx 1-0\n").succeeds();
    assert_eq!(db.sql("SELECT g.id = n.game, count(*) OVER () FROM public.notes n, chess.games g"), "t|1");
    db.sql("INSERT INTO public.doubts SELECT id FROM chess.rejected");
    let said = load("1. e4 e5 2. Nf3xx 1-0\n{more}\n").fails();
    assert!(said.contains("doubts has rows for the text of the last game"), "{said}");
    assert_eq!(db.sql("SELECT count(*) FROM public.doubts d JOIN chess.rejected r ON r.id = d.text"), "1");
    db.sql("DELETE FROM public.doubts");
    load("1. e4 e5 2. Nf3xx 1-0\n{more}\n").succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM public.notes n JOIN chess.games g ON g.id = n.game"), "1");
}

/// Files come into a directory under their names, grow, and come again; twins are looked for near what is new.
#[test]
#[ignore = "needs a server"]
fn a_directory_is_followed() {
    let db = Database::with_extension("follow");
    fs::create_dir(db.path("inbox")).expect("a directory");
    let game = |round: &str, rest: &str| {
        format!(
            "[Event \"Club\"]\n[Date \"2026.01.05\"]\n[Round \"{round}\"]\n[White \"Alekhine, Alexander\"]\n[Black \"Nimzowitsch, Aron\"]\n[Result \"1-0\"]\n\n{rest}"
        )
    };
    let moves =
        "1. e4 e6 2. d4 d5 3. Nc3 Bb4 4. e5 c5 5. a3 Bxc3+ 6. bxc3 Ne7 7. Qg4 O-O 8. Bd3 f5 9. exf6 Rxf6 1-0\n\n";
    let write = |name: &str, text: &str| fs::write(db.path("inbox").join(name), text).expect("a file");
    let stored = |what: &str, games: &str| {
        wait_for(what, || {
            let tables = db.sql("SELECT to_regclass('chess.games') IS NOT NULL");
            tables == "t"
                && db.sql("SELECT count(*) FILTER (WHERE error IS NULL) || '|' || count(*) FROM chess.games") == games
        });
    };
    let mut follow = db.pgn("load --twins --follow").arg(db.path("inbox")).spawn();
    write("coming.pgn.part", &generated(30, 50));
    fs::rename(db.path("inbox/coming.pgn.part"), db.path("inbox/coming.pgn")).expect("the name");
    stored("a file that comes", "50|50");
    write("live.pgn", &game("1", "1. e4 e6 2. d4"));
    stored("a game that has begun", "50|51");
    write("live.pgn", &game("1", moves));
    stored("its end", "51|51");
    fs::write(db.path("inbox/packed.pgn.gz"), gzipped(generated(31, 20))).expect("a file");
    stored("a compressed file", "71|71");
    write("again.pgn", &game("?", moves));
    stored("a game that is there", "72|72");
    wait_for("its twin", || db.sql("SELECT count(*) FROM chess.twins") == "1");
    assert!(follow.runs());
    tool("kill").arg("-TERM").arg(follow.id().to_string()).succeeds();
    let said = follow.ends(0);
    assert_eq!(db.sql("SELECT count(*) FROM chess.sources"), "4", "{said}");
    // without a directory or a server there is nothing to wait for
    let refused = db.pgn("load --follow").arg(db.path("nothing")).fails();
    assert!(refused.contains("nothing"), "{refused}");
    db.pgn("load -d host=/nonexistent --follow").arg(db.path("inbox")).fails();
    db.pgn("load --follow").arg(db.path("inbox")).arg("some.pgn").ends(2);
}

#[test]
#[ignore = "needs a server"]
fn a_directory_that_is_away_is_waited_for() {
    let db = Database::with_extension("follow_away");
    let (inbox, away, log) = (db.path("inbox"), db.path("away"), db.path("log"));
    fs::create_dir(&inbox).expect("a directory");
    fs::write(inbox.join("first.pgn"), generated(30, 5)).expect("a file");
    let noted = tool("bash").args(["-c", "exec \"$0\" load --follow \"$1\" 2>\"$2\""]).arg(chess_pgn().path());
    let mut follow = db.program(noted).arg(&inbox).arg(&log).spawn();
    let stored = |games: &str| {
        db.sql("SELECT to_regclass('chess.games') IS NOT NULL") == "t"
            && db.sql("SELECT count(*) FROM chess.sources WHERE finished IS NOT NULL") == games
    };
    wait_for("the first file", || stored("1"));
    let seen = || fs::read_to_string(&log).expect("the log").contains("No such file or directory");
    fs::rename(&inbox, &away).expect("a name");
    wait_for("a look in vain", || seen() || !follow.runs());
    assert!(follow.runs());
    fs::write(away.join("second.pgn"), generated(31, 5)).expect("a file");
    fs::rename(&away, &inbox).expect("a name");
    wait_for("the second file", || stored("2"));
    tool("kill").arg("-TERM").arg(follow.id().to_string()).succeeds();
    follow.ends(0);
}

/// A file that cannot be read is tried again, although it has not changed; one that has no games is not.
#[test]
#[ignore = "needs a server"]
fn a_file_that_becomes_readable_is_followed() {
    let db = Database::new("follow_unread");
    fs::create_dir(db.path("inbox")).expect("a directory");
    let file = db.path("inbox/secret.pgn");
    fs::write(&file, generated(30, 5)).expect("a file");
    fs::write(db.path("inbox/empty.pgn"), "nothing\n").expect("a file");
    fs::set_permissions(&file, Permissions::from_mode(0o000)).expect("chmod");
    // root reads what nobody may read, and the server's user may not see the build
    let program = match is_root() {
        true => {
            fs::copy(chess_pgn().path(), db.path("loader")).expect("a copy of the program");
            tool("setpriv").words("--reuid postgres --regid postgres --clear-groups").arg(db.path("loader"))
        }
        false => chess_pgn(),
    };
    let follow = db.program(program).words("load --follow").arg(db.path("inbox")).env("HOME", "/").spawn();
    wait_for("a look at the directory", || {
        db.sql("SELECT to_regclass('chess.sources') IS NOT NULL") == "t"
            && db.sql("SELECT count(*) FROM chess.sources WHERE finished IS NOT NULL") == "1"
    });
    fs::set_permissions(&file, Permissions::from_mode(0o644)).expect("chmod");
    wait_for("the games", || db.sql("SELECT count(*) FROM chess.games") == "5");
    tool("kill").arg("-TERM").arg(follow.id().to_string()).succeeds();
    let said = follow.ends(0);
    assert!(said.contains("secret.pgn: ") && said.contains("Permission denied"), "{said}");
    assert_eq!(said.matches("empty.pgn").count(), 1, "{said}");
}
