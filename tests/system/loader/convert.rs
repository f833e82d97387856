//! Files converted without a database: what `convert` writes is what a load of the same files would export, and what other
//! programs read of its tables is what SQL says of the games.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{FileTypeExt, symlink};

use chess_system::{Database, Running, chess_pgn, generated, tool, wait_for};

use crate::traps::traps;

/// Games with traps, and generated ones of which some are there twice.
fn games() -> Vec<u8> {
    let (many, few) = (generated(64, 300), generated(64, 40));
    [traps().as_slice(), b"\n\n", many.as_bytes(), few.as_bytes()].concat()
}

#[test]
#[ignore = "needs a server"]
fn the_pgn_is_what_an_export_writes() {
    let db = Database::with_extension("converted");
    let files = [db.file("games.pgn", games()), db.file("more.pgn", generated(65, 2500))];
    for (n, words) in ["", "--no-annotations --strict", "--dedupe", "--where ply_count>=40"].into_iter().enumerate() {
        let schema = format!("s{n}");
        db.pgn("load --jobs 1 --schema").arg(&schema).words(words).args(&files).succeeds();
        let exported = db.pgn("export --schema").arg(&schema).writes();
        assert!(exported.len() > 100_000, "{words}");
        for jobs in ["1", "5"] {
            let converted = chess_pgn().words("convert --pgn - --jobs").arg(jobs).words(words).args(&files).writes();
            assert!(converted == exported, "{words} with {jobs} threads");
        }
        if words == "--dedupe" {
            // a load forgets the texts of duplicates
            continue;
        }
        let rejected = db.path("rejected.pgn");
        chess_pgn().words("convert --rejected").arg(&rejected).words(words).args(&files).succeeds();
        let texts = db.sql(&format!("SELECT coalesce(string_agg(rtrim(text, E' \\t\\r\\n\\f') || E'\\n\\n', '' ORDER BY source_id, source_offset), '') FROM {schema}.rejected"));
        assert_eq!(fs::read_to_string(&rejected).unwrap().trim_end(), texts.trim_end(), "{words}");
    }
}

#[test]
#[ignore = "needs a server"]
fn tables_are_what_sql_says() {
    let db = Database::with_extension("converted_tables");
    let file = db.file("games.pgn", games());
    db.pgn("load --jobs 1").arg(&file).succeeds();
    let (jsonl, csv) = (db.path("games.jsonl"), db.path("games.csv"));
    let said = chess_pgn().words("convert --jsonl").arg(&jsonl).arg("--csv").arg(&csv).arg(&file).succeeds();
    assert!(said.contains("games read in "), "{said}");
    let columns = "id, event, site, date, first_day, last_day, round, white, black, white_elo, black_elo, result, time_control, eco, \
                   ply_count, fen, game, tags, annotated, error, white_title, black_title, white_rating_diff, black_rating_diff, utc, \
                   termination, speed, base, increment, opening";
    assert_eq!(fs::read_to_string(&csv).unwrap().lines().next().unwrap(), columns.replace(", ", ","));
    // the number of a game counts those that are rejected, as their numbers do
    db.sql(
        "CREATE VIEW expected AS
         SELECT row_number() OVER (ORDER BY source_offset) + (SELECT count(*) FROM chess.rejected r
                    WHERE r.game_id IS NULL AND r.source_offset < v.source_offset) AS id,
             pgn_event AS event, pgn_site AS site, date, lower(dates) AS first_day, upper(dates) - 1 AS last_day, round,
             pgn_white AS white, pgn_black AS black, white_elo, black_elo, result, time_control, eco, ply_count,
             nullif(getBoard(game, 0)::text, startBoard('')::text) AS fen, game::text AS game,
             tags, annotated, error, nullif(tags ->> 'WhiteTitle', '') AS white_title, nullif(tags ->> 'BlackTitle', '') AS black_title,
             (tags ->> 'WhiteRatingDiff')::integer AS white_rating_diff, (tags ->> 'BlackRatingDiff')::integer AS black_rating_diff,
             NULL::timestamptz AS utc, tags ->> 'Termination' AS termination, chess.speed(time_control) AS speed,
             substring(time_control FROM '^(\\d+)(\\+\\d+)?$')::integer AS base,
             substring(time_control FROM '^\\d+\\+(\\d+)$')::integer AS increment, (opening(game)).name AS opening
         FROM chess.pgn_view v;
         CREATE TABLE read_csv AS SELECT * FROM expected WITH NO DATA;
         CREATE TABLE read_jsonl AS SELECT * FROM expected WITH NO DATA;
         CREATE TABLE lines (n serial, line json)"
    );
    let copy = |table: &str, file: &std::path::Path, options: &str| {
        let copy = format!("\\copy {table} FROM '{}' ({options})", file.display());
        db.program(db.psql().args(["-c", &copy])).succeeds();
    };
    copy("read_csv", &csv, "FORMAT csv, HEADER");
    copy("lines (line)", &jsonl, "FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02'");
    db.sql("INSERT INTO read_jsonl SELECT r.* FROM lines, json_populate_record(NULL::read_jsonl, line) r");
    for read in ["read_csv", "read_jsonl"] {
        let differs = format!(
            "SELECT (SELECT count(*) FROM {read}), (SELECT jsonb_agg(x) FROM (TABLE {read} EXCEPT TABLE expected) x),
                    (SELECT jsonb_agg(x) FROM (TABLE expected EXCEPT TABLE {read}) x)"
        );
        assert_eq!(db.sql(&differs), format!("{}||", db.sql("SELECT count(*) FROM chess.games")), "{read}");
    }
}

#[test]
#[ignore = "needs a server"]
fn a_file_appears_when_it_is_whole() {
    let folder = chess_system::Folder::new();
    let pgn = generated(66, 1500);
    let file = folder.write("games.pgn", &pgn);
    let out = folder.path("out.pgn");
    let names = || {
        let mut names: Vec<_> = fs::read_dir(folder.path(""))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let convert = || chess_pgn().words("convert --pgn").arg(&out).arg(&file);
    let said = convert().arg(folder.path("missing.pgn")).fails();
    assert!(said.contains("missing.pgn: cannot open it"), "{said}");
    assert_eq!(names(), ["games.pgn"], "nothing is left of it");
    fs::write(&out, "before").unwrap();
    let said = convert().arg(folder.write("none.pgn", "nothing here")).fails();
    assert!(said.contains("none.pgn: no game in it that can be read"), "{said}");
    assert_eq!(fs::read_to_string(&out).unwrap(), "before");
    convert().succeeds();
    assert_eq!(fs::read_to_string(&out).unwrap().matches("[Event ").count(), 1500);

    let packed = folder.path("out.pgn.zst");
    chess_pgn().words("convert --pgn").arg(&packed).arg(&file).succeeds();
    assert!(tool("zstd").args(["-dc"]).arg(&packed).writes() == fs::read_to_string(&out).unwrap(), "the same, packed");
    let torn = folder.write("torn.pgn.zst", &fs::read(&packed).unwrap()[..20_000]);
    assert!(convert().arg(&torn).fails().contains("torn.pgn.zst"));
    let said = chess_pgn().words("convert --pgn").arg(folder.path("out.gz")).arg(&file).fails();
    assert!(said.contains("only those that end in .zst"), "{said}");
    let said = chess_pgn().words("convert --pgn x --csv x").arg(&file).fails();
    assert!(said.contains("two outputs are one file, x"), "{said}");
    let said = chess_pgn().words("convert --pgn x --csv ./x").arg(&file).fails();
    assert!(said.contains("two outputs are one file, ./x"), "{said}");
    let said = chess_pgn().words("convert").arg(&file).ends(2);
    assert!(said.contains("--pgn <FILE>"), "{said}");

    // a link stays one, and so does a device
    symlink(&out, folder.path("link.pgn")).unwrap();
    chess_pgn().words("convert --where ply_count=0 --pgn").arg(folder.path("link.pgn")).arg(&file).succeeds();
    assert!(folder.path("link.pgn").is_symlink() && fs::read(&out).unwrap().is_empty());
    chess_pgn().words("convert --pgn /dev/null").arg(&file).succeeds();
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}

#[test]
#[ignore = "needs a server"]
fn no_input_is_overwritten() {
    let folder = chess_system::Folder::new();
    let pgn = generated(67, 3);
    let file = folder.write("games.pgn", &pgn);
    symlink(&file, folder.path("link.csv")).unwrap();
    for format in ["--pgn", "--csv", "--rejected"] {
        for name in ["./games.pgn", "link.csv"] {
            let said = chess_pgn().words("convert").arg(format).arg(folder.path(name)).arg(&file).fails();
            assert!(said.contains("would overwrite") && said.contains("which is read"), "{said}");
        }
    }
    let growing = fs::File::options().append(true).open(&file).unwrap();
    chess_pgn().words("convert --pgn -").arg(&file).to(growing).fails();
    assert_eq!(fs::read_to_string(&file).unwrap(), pgn);
    // As an input `-` is standard input, as an output it is standard output, so nothing is overwritten.
    assert!(chess_pgn().words("convert --pgn - -").input(pgn).writes().contains("[Event "));
}

/// What leads to standard output is that: what was in its file stays, and nothing but the output comes there.
#[test]
#[ignore = "needs a server"]
fn standard_output_has_many_names() {
    let db = Database::loaded("standard_output", generated(68, 40));
    let append = |name: &str| fs::File::options().create(true).append(true).open(db.path(name)).unwrap();
    let file = db.file("games.pgn", generated(67, 3));
    db.file("all.pgn", "; before\n");
    for name in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", db.path("all.pgn").to_str().unwrap()] {
        chess_pgn().words("convert --pgn").arg(name).arg(&file).to(append("all.pgn")).succeeds();
    }
    let errors = tool("bash").args(["-c", "exec \"$0\" convert --pgn /dev/stderr \"$1\" 2>>\"$2\""]);
    errors.arg(chess_pgn().path()).arg(&file).arg(db.path("all.pgn")).succeeds();
    let all = fs::read_to_string(db.path("all.pgn")).unwrap();
    assert!(all.starts_with("; before\n"), "{all}");
    assert_eq!(all.matches("[Event ").count(), 6 * 3);
    let said = chess_pgn().words("convert --pgn - --jsonl /dev/stdout").arg(&file).to(append("mixed")).fails();
    assert!(said.contains("two outputs are one file"), "{said}");
    for words in ["book make --min-games 1 --out", "players --review", "names events --review"] {
        let (plain, piped) = (db.path("plain"), db.path("piped"));
        db.pgn(words).arg(&plain).succeeds();
        fs::write(&piped, "").unwrap();
        let said = db.pgn(words).arg("/dev/stdout").to(append("piped")).succeeds();
        assert!(!said.is_empty() && fs::read(&plain).unwrap() == fs::read(&piped).unwrap(), "{words}: {said}");
    }
}

#[test]
#[ignore = "needs a server"]
fn a_signal_leaves_no_half_file() {
    let db = Database::with_tables("half_files");
    fs::create_dir(db.path("out")).unwrap();
    let count = || fs::read_dir(db.path("out")).unwrap().count();
    let kill = |program: &Running, signal: &str| drop(tool("kill").arg(signal).arg(program.id().to_string()).output());
    let interrupted = |mut program: Running, signal: &str| {
        wait_for("the file that is written", || count() == 1);
        wait_for("its end", || {
            kill(&program, signal);
            !program.runs()
        });
        assert_eq!(count(), 0, "{signal}");
    };
    // whatever runs the test may ignore them
    let heeding = || tool("env").arg("--default-signal=HUP,QUIT").arg(chess_pgn().path());
    let pipe = db.path("pipe");
    tool("mkfifo").arg(&pipe).succeeds();
    let mut session = db.session();
    session.sql("BEGIN; LOCK TABLE chess.puzzles");
    for signal in ["-TERM", "-HUP", "-QUIT"] {
        let convert = heeding().words("convert --pgn").arg(db.path("out/a.pgn")).arg(&pipe).spawn();
        // the pipe stays open, but nothing comes
        let _writer = fs::File::options().write(true).open(&pipe).unwrap();
        interrupted(convert, signal);
        interrupted(db.program(heeding()).words("puzzles --export").arg(db.path("out/puzzles.csv")).spawn(), signal);
    }
    // A caller such as nohup has the signal ignored, and the program goes on.
    let ignoring = tool("env").arg("--ignore-signal=HUP").arg(chess_pgn().path());
    let convert = ignoring.words("convert --pgn").arg(db.path("out/a.pgn")).arg(&pipe).spawn();
    let mut writer = fs::File::options().write(true).open(&pipe).unwrap();
    wait_for("the file that is written", || count() == 1);
    kill(&convert, "-HUP");
    writer.write_all(b"1. e4 *\n").unwrap();
    drop(writer);
    convert.ends(0);
}

#[test]
#[ignore = "needs a server"]
fn errors_name_the_place_in_the_input() {
    let folder = chess_system::Folder::new();
    let good = "[White \"A\"]\n\n1. e4 e5 *\n\n";
    let bad = "[White \"B\"]\n\n1. e4 e5 2. Ke3 *\n\n[White \"C\"]\n\n1. Ke4 *\n\n";
    let file = folder.write("bad.pgn", good.repeat(3) + bad);
    let said = chess_pgn().words("convert --pgn /dev/null").arg(folder.write("good.pgn", good)).arg(&file).succeeds();
    for place in [
        "bad.pgn, line 13, game 4: half-move 3, \"Ke3\": illegal move",
        "bad.pgn, line 17, game 5: half-move 1, \"Ke4\"",
    ] {
        assert!(said.contains(place), "{place}: {said}");
    }
    assert!(
        said.contains("6 games read") && said.contains("5 written, 1 of them incomplete, 1 rejected, 0 duplicates"),
        "{said}"
    );
    let many = folder.write("many.pgn", good.to_owned() + &bad.repeat(200));
    let said = chess_pgn().words("convert --pgn /dev/null").arg(&many).succeeds();
    assert_eq!(said.lines().filter(|line| line.contains("illegal move")).count(), 100, "{said}");
    assert!(said.contains("more messages of this kind are not shown"), "{said}");
}
