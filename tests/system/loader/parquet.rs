//! Tables of games and half-moves in Parquet: what pyarrow reads of them is what SQL says of the games.

use std::fs;
use std::path::{Path, PathBuf};

use chess_system::{Database, chess_pgn, generated, repository, skip, tool};

use crate::traps::traps;

/// A Python with pyarrow: that of the documents' programs, or the system's.
fn python() -> Option<PathBuf> {
    let pythons = [repository("target/programs/venv/bin/python"), "/usr/bin/python3".into()];
    let found = pythons
        .into_iter()
        .find(|python| python.exists() && tool(python).args(["-c", "import pyarrow.parquet"]).output().code == Some(0));
    if found.is_none() {
        skip("Parquet files are not compared with what pyarrow reads", "pip install pyarrow");
    }
    found
}

/// For each column: its name, its type, and a hash of its values in the order of the rows.
const HASHES: &str = "
import hashlib, sys, pyarrow.parquet
file = pyarrow.parquet.ParquetFile(sys.argv[1])
table = file.read()
print(table.num_rows, file.num_row_groups > 0)
text = lambda v: '~' if v is None else v.hex() if isinstance(v, bytes) else str(v)
for name in table.column_names:
    values = '|'.join(text(v) for v in table[name].to_pylist())
    print(name, table.schema.field(name).type, hashlib.md5(values.encode()).hexdigest())
";

/// What [`HASHES`] prints, from SQL: names and types of columns, each with an expression over the rows of `from`.
fn hashes(db: &Database<'_>, from: &str, order: &str, columns: &[(&str, &str, &str)]) -> Vec<String> {
    let mut lines = vec![db.sql(&format!("SELECT count(*) || ' True' FROM {from}"))];
    for (name, kind, value) in columns {
        let hash = format!("md5(string_agg(coalesce(({value})::text, '~'), '|' ORDER BY {order}))");
        lines.push(db.sql(&format!("SELECT '{name} {kind} ' || {hash} FROM {from}")));
    }
    lines
}

#[test]
#[ignore = "needs a server"]
fn tables_are_what_sql_says() {
    let db = Database::with_extension("parquet");
    // More than a page has, and more values than a dictionary.
    let pgn = generated(34, 300);
    db.pgn("load --jobs 1 --clocks --evals")
        .arg(db.file("traps.pgn", traps()))
        .arg(db.file("games.pgn", pgn))
        .succeeds();
    db.sql(
        "INSERT INTO chess.pgn_view (white, game, dates, clocks, evals) VALUES
           ('', '1. e4 e5', '(,2000-01-01)', '{1,NULL}', '{{1,2}}'), ('', '1. e4', '(,4714-11-24 BC)', NULL, NULL), (NULL, '1. e4', 'empty', '[0:2]={7,8,9}', NULL),
           ('Chess960', '[Variant \"Chess960\"] [FEN \"1k6/8/8/8/8/8/8/5KR1 w G - 9 40\"] 40. O-O Kc7', '[2000-02-29,)', '{}', '{NULL,-100000}')",
    );
    let (games, plies) = (db.path("games.parquet"), db.path("plies.parquet"));
    let said = db.pgn("export --where true --order id --parquet").arg(&games).arg("--plies").arg(&plies).succeeds();
    let counts = db.sql("SELECT count(*), sum(ply_count) FROM chess.games");
    let (count, halves) = counts.split_once('|').unwrap();
    assert!(
        said.contains(&format!("{count} games in ")) && said.contains(&format!("{halves} half-moves in ")),
        "{said}"
    );
    for file in [&games, &plies] {
        let bytes = fs::read(file).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    }
    let again = db.path("again.parquet");
    db.pgn("export --order id --parquet").arg(&again).succeeds();
    assert!(fs::read(&again).unwrap() == fs::read(&games).unwrap(), "the same without --plies");
    let output = db.path("output.parquet");
    let said = db.pgn("export --order id --parquet -").to(fs::File::create(&output).unwrap()).succeeds();
    assert!(said.contains(&format!("{count} games in -")), "{said}");
    assert!(fs::read(&output).unwrap() == fs::read(&games).unwrap(), "the same on standard output");

    let Some(python) = python() else { return };
    let print =
        |file| tool(&python).args(["-c", HASHES]).arg(file).writes().lines().map(str::to_owned).collect::<Vec<_>>();
    let columns = [
        ("id", "int64", "id"),
        ("event", "string", "pgn_event"),
        ("site", "string", "pgn_site"),
        ("date", "string", "date"),
        ("first_day", "date32[day]", "lower(dates)"),
        ("last_day", "date32[day]", "CASE WHEN upper(dates) > '4714-11-24 BC' THEN upper(dates) - 1 END"),
        ("round", "string", "round"),
        ("white", "string", "pgn_white"),
        ("black", "string", "pgn_black"),
        ("white_elo", "int32", "white_elo"),
        ("black_elo", "int32", "black_elo"),
        ("result", "string", "result"),
        ("time_control", "string", "time_control"),
        ("eco", "string", "eco"),
        ("ply_count", "int32", "ply_count"),
        ("fen", "string", "nullif(getBoard(game, 0)::text, startBoard('')::text)"),
        ("moves", "binary", "encode(moves2(game), 'hex')"),
        ("game", "string", "game"),
        ("tags", "string", "tags"),
        ("annotated", "string", "annotated"),
        ("error", "string", "error"),
        ("white_title", "string", "nullif(tags ->> 'WhiteTitle', '')"),
        ("black_title", "string", "nullif(tags ->> 'BlackTitle', '')"),
        ("white_rating_diff", "int32", "tags ->> 'WhiteRatingDiff'"),
        ("black_rating_diff", "int32", "tags ->> 'BlackRatingDiff'"),
        ("utc", "timestamp[ms, tz=UTC]", "NULL::text"),
        ("termination", "string", "tags ->> 'Termination'"),
        ("speed", "string", "chess.speed(time_control)"),
        ("base", "int32", "substring(time_control FROM '^(\\d+)(\\+\\d+)?$')"),
        ("increment", "int32", "substring(time_control FROM '^\\d+\\+(\\d+)$')"),
        ("opening", "string", "(opening(game)).name"),
    ];
    assert_eq!(print(&games), hashes(&db, "chess.pgn_view", "id", &columns));
    let rows = "chess.pgn_view v CROSS JOIN LATERAL moves(game) m";
    let value = |array: &str| format!("CASE WHEN array_ndims({array}) = 1 THEN {array}[m.ply] END");
    let (clock, eval) = (value("clocks"), value("pgn_evals"));
    let columns = [
        ("game_id", "int64", "id"),
        ("ply", "int32", "m.ply"),
        ("fen", "string", "getBoard(game, m.ply - 1)"),
        ("position", "int64", "zobrist(getBoard(game, m.ply - 1))"),
        ("move", "int32", "get_byte(moves2(game), 2 * m.ply - 2) + 256 * get_byte(moves2(game), 2 * m.ply - 1)"),
        ("uci", "string", "m.uci"),
        ("san", "string", "m.san"),
        ("clock", "int32", &clock),
        ("eval", "int32", &eval),
    ];
    assert_eq!(print(&plies), hashes(&db, rows, "v.id, m.ply", &columns));

    let none = db.path("none.parquet");
    db.pgn("export --where false --parquet").arg(&none).arg("--plies").arg(db.path("no.parquet")).succeeds();
    assert_eq!(print(&none)[0], "0 False");
    assert_eq!(print(&db.path("no.parquet"))[0], "0 False");
}

#[test]
#[ignore = "needs a server"]
fn what_cannot_be_written_is_said() {
    let db = Database::loaded("parquet_refused", "1. e4 e5 *\n\n1. d4 *\n");
    let said = db.pgn("export --parquet /nowhere/x.parquet").fails();
    assert!(said.contains("cannot write /nowhere/x.parquet"), "{said}");
    let whole = db.path("whole.parquet");
    for (games, plies) in [(Path::new("/dev/full"), whole.as_path()), (&whole, Path::new("/dev/full"))] {
        let said = db.pgn("export --parquet").arg(games).arg("--plies").arg(plies).fails();
        assert_eq!(said.trim_end(), "chess-pgn: cannot write /dev/full: No space left on device (os error 28)");
    }
    db.pgn("export --plies x.parquet").ends(2);
    let said = db.pgn("export --parquet").arg(&whole).arg("--plies").arg(&whole).fails();
    assert!(said.contains("name the same file"), "{said}");
    db.pgn("export --where").args(["white =", "--parquet"]).arg(db.path("x.parquet")).fails();
    db.sql("ALTER TABLE chess.games ALTER game DROP NOT NULL; UPDATE chess.games SET game = NULL WHERE id = 1");
    let (games, plies) = (db.path("games.parquet"), db.path("plies.parquet"));
    let said = db.pgn("export --parquet").arg(&games).arg("--plies").arg(&plies).succeeds();
    assert!(said.contains("2 games in ") && said.contains("1 half-moves in "), "{said}");
}

/// Prints the half-moves of a PGN file as python-chess reads them, or those of a Parquet file: game, half-move, the FEN without
/// its en passant square, UCI and SAN, seconds left.
const PLIES: &str = "
import sys
if sys.argv[1].endswith('.pgn'):
    import chess.pgn
    file, n = open(sys.argv[1]), 0
    while game := chess.pgn.read_game(file):
        n += 1
        for ply, node in enumerate(game.mainline(), 1):
            fen = node.parent.board().fen().split()
            print(n, ply, *fen[:3], *fen[4:], node.move.uci(), node.san(), node.clock())
else:
    import pyarrow.parquet
    for row in pyarrow.parquet.read_table(sys.argv[1]).to_pylist():
        fen = row['fen'].split()
        clock = None if row['clock'] is None else row['clock'] / 10
        print(row['game_id'], row['ply'], *fen[:3], *fen[4:], row['uci'], row['san'], clock)
";

#[test]
#[ignore = "needs a server"]
fn no_database_is_needed() {
    let db = Database::with_extension("parquet_converted");
    let lichess = "[Event \"Rated Blitz game\"]\n[Site \"https://lichess.org/abcdefgh\"]\n[UTCDate \"2015.03.28\"]\n\
        [UTCTime \"23:59:58\"]\n[WhiteTitle \"GM\"]\n[WhiteRatingDiff \"+6\"]\n[BlackRatingDiff \"-12\"]\n\
        [TimeControl \"180+2\"]\n[Termination \"Normal\"]\n\n1. e4 { [%eval 0.3] [%clk 0:03:00] } 1... c5 { [%clk 0:02:59] } 2. Nf3 *\n\n";
    let file = db.file("games.pgn", lichess.to_owned() + &generated(67, 200));
    db.pgn("load --jobs 1 --clocks --evals").arg(&file).succeeds();
    let made = |word: &str| [db.path(&format!("{word}-games.parquet")), db.path(&format!("{word}-plies.parquet"))];
    let [games, plies] = made("exported");
    db.pgn("export --parquet").arg(&games).arg("--plies").arg(&plies).succeeds();
    for jobs in ["1", "5"] {
        let [converted_games, converted_plies] = made(jobs);
        let convert = tool(db.pgn("").path()).words("convert --parquet").arg(&converted_games).arg("--plies");
        convert.arg(&converted_plies).args(["--jobs", jobs]).arg(&file).succeeds();
        for (converted, exported) in [(converted_games, &games), (converted_plies, &plies)] {
            assert!(fs::read(&converted).unwrap() == fs::read(exported).unwrap(), "{} by {jobs}", exported.display());
        }
    }
    let Some(python) = python() else { return };
    let first = "import sys, pyarrow.parquet; row = pyarrow.parquet.read_table(sys.argv[1]).to_pylist()[0]; \
                 print(*(row[name] for name in sys.argv[2].split()))";
    let names =
        "white_title black_title white_rating_diff black_rating_diff utc termination speed base increment opening";
    assert_eq!(
        tool(&python).args(["-c", first]).arg(&games).arg(names).writes().trim_end(),
        "GM None 6 -12 2015-03-28 23:59:58+00:00 Normal blitz 180 2 Sicilian Defense"
    );
    if tool(&python).args(["-c", "import chess"]).output().code != Some(0) {
        return skip("half-moves in Parquet are not compared with what python-chess reads", "pip install chess");
    }
    let printed = |file: &Path| tool(&python).args(["-c", PLIES]).arg(file).writes();
    assert!(printed(&file) == printed(&plies), "python-chess reads other half-moves");
}

/// Tags that say more than the columns of their names: a forfeit, a game that both lost, a second name, spellings, a castling
/// right that cannot be. And a variant, which only the text of the moves has.
const TAGS_BESIDE_COLUMNS: &str = "[White \"A\"]\n[Result \"+:-\"]\n\n1. e4 1-0\n\n[White \"B\"]\n[Result \"0-0\"]\n\n1. e4 *\n\n\
    [White \"C\"]\n[White \"D\"]\n[White \"E\"]\n[Date \"2001.02.03\"]\n[Date \"2004.??.??\"]\n[Result \"1-0\"]\n[Result \"0-1\"]\n\n1. e4 1-0\n\n\
    [White \"F\"]\n[WhiteElo \"02500\"]\n[BlackElo \"?\"]\n[ECO \"?\"]\n[ECO \"B00\"]\n\n1. e4 *\n\n\
    [White \"G\"]\n[FEN \"r3k2r/8/8/8/8/8/4P3/4K2R w KQkq - 0 1\"]\n[SetUp \"1\"]\n\n1. O-O {castles} *\n\n\
    [White \"H\"]\n[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1\"]\n\n\
    1. e4 e5 2. Bg4 Bg5 3. O-O {castles} O-O *\n\n";

/// A byte order mark behind a CR, which begins no other game.
const MARK: &str = "[White \"I\"]\n\n1. e4 {a mark\r\u{feff}of bytes} e5 2. Nf3 *\n\n";

#[test]
#[ignore = "needs a server"]
fn a_table_loads_as_its_games_do() {
    let db = Database::with_extension("parquet_in");
    // texts with faults have these in the table, too, but no blank lines
    let annotated = fs::read_to_string(repository("demo/annotated.pgn")).unwrap();
    let files = [
        (annotated + "\n\n" + TAGS_BESIDE_COLUMNS + &generated(34, 300)).into_bytes(),
        [MARK.as_bytes(), &traps()].concat(),
    ];
    let all = "pgn_event, pgn_site, date, dates, round, pgn_white, pgn_black, white_elo, black_elo, result, time_control, eco, \
               ply_count, game::text, tags, annotated, clocks, evals, error";
    let (pgn, table) = (db.path("games.pgn"), db.path("games.parquet"));
    for (n, (games, columns)) in
        files.iter().zip([all, "game::text, result, pgn_white, pgn_black, date, white_elo"]).enumerate()
    {
        fs::write(&pgn, games).unwrap();
        chess_pgn().words("convert --parquet").arg(&table).arg(&pgn).succeeds();
        for (schema, file) in [("a", &pgn), ("b", &table)] {
            db.pgn(&format!("load --jobs 1 --schema {schema}{n} --clocks --evals")).arg(file).succeeds();
        }
        let rows = |schema: &str| format!("(SELECT {columns} FROM {schema}{n}.pgn_view)");
        let differ = |one: &str, other: &str| {
            db.sql(&format!("SELECT jsonb_agg(x) FROM ({} EXCEPT ALL {}) x", rows(one), rows(other)))
        };
        assert_eq!((differ("a", "b"), differ("b", "a")), (String::new(), String::new()));
    }
    let said = db.pgn("load --schema b1").arg(&table).succeeds();
    assert!(said.contains("0 games read"), "{said}");
    let said = db.pgn("load --most 10").arg(&table).fails();
    assert!(said.contains("a Parquet file: one from strangers"), "{said}");
    let said = db.pgn("load -").input(fs::read(&table).unwrap()).fails();
    assert!(said.contains("a Parquet file in a stream"), "{said}");
}

/// A Parquet file without rows, of a schema of groups in groups and a column `moves` after them: the number of groups, each with one
/// column or group, and the number of children that the schema says each has.
fn nested(groups: usize, children: u8) -> Vec<u8> {
    let column = |name: &[u8]| [&[0x15, 12, 0x25, 0, 0x18, name.len() as u8], name, &[0x25, 0, 0]].concat();
    let elements = groups + 3;
    let mut footer = vec![0x15, 2, 0x19, 0xfc, elements as u8 | 0x80, (elements >> 7) as u8];
    footer.extend([0x48, 1, b'm', 0x15, 2 * children, 0]);
    footer.extend([0x35, 0, 0x18, 1, b'g', 0x15, 2, 0].repeat(groups));
    footer.extend([column(b"x"), column(b"moves"), vec![0x16, 0, 0x19, 0x0c, 0]].concat());
    [b"PAR1", &footer[..], &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat()
}

#[test]
#[ignore = "needs a server"]
fn a_damaged_table_is_said() {
    let db = Database::with_extension("parquet_damaged");
    let pgn = db.path("out.pgn");
    let convert = |file: &Path| chess_pgn().words("convert --pgn").arg(&pgn).arg(file);
    // such a schema is read if it is as it should be
    let said = convert(&db.file("flat.parquet", nested(3, 2))).fails();
    assert!(said.contains("no game in it that can be read"), "{said}");
    let why = "a Parquet file that cannot be read: its schema is damaged, or has groups in groups too deeply";
    for (groups, children) in [(5000, 2), (3, 60), (3, 1)] {
        let said = convert(&db.file("nested.parquet", nested(groups, children))).fails();
        assert!(said.contains(why), "{said}");
    }

    let table = db.path("games.parquet");
    chess_pgn().words("convert --parquet").arg(&table).arg(db.file("games.pgn", generated(34, 50))).succeeds();
    let whole = fs::read(&table).unwrap();
    let last = whole.len() - 8;
    let footer = last - u32::from_le_bytes(whole[last..last + 4].try_into().unwrap()) as usize;
    for at in (4..footer).step_by(footer / 20).chain((footer..last).step_by((last - footer) / 20)) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        let said = convert(&db.file("damaged.parquet", bytes)).output();
        assert!(matches!(said.code, Some(0 | 1)), "{at}: {}", said.stderr);
        assert!(!said.stderr.contains("panicked") && !said.stderr.contains("a bug"), "{at}: {}", said.stderr);
    }
}

/// Results that tag and moves tell apart or say in words, starts and variants in other spellings than ours, and a missing date.
const SPELLINGS: &str = "[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 e5 *\n\n[White \"B\"]\n[Result \"1-0\"]\n\n1. e4 {x} e5 *\n\n\
    [White \"C\"]\n[Result \"0-1\"]\n\n1. e4 e5 {x}\n\n[White \"D\"]\n[Result \"1-0\"]\n\n1. e4 e5 0-1\n\n\
    [White \"E\"]\n[Result \"Draw\"]\n\n1. e4 ! (1. d4) e5 White resigns\n\n\
    [White \"F\"]\n[SetUp \"0\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - -\"]\n[Result \"1-0\"]\n\n1. e4 *\n\n\
    [White \"G\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/3K4 w - - 0 1\"]\n\n1. e4 1-0\n\n\
    [White \"H\"]\n[Variant \"fischerandom\"]\n[FEN \"bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1\"]\n\n1. e4 e5 *\n\n\
    [White \"I\"]\n[Variant \"chess 960\"]\n\n1. e4 e5 1-0\n\n[White \"J\"]\n[UTCDate \"2015.03.28\"]\n\n1. e4 *\n\n\
    [White \"K\"]\n[Result \"1-0\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - -\"]\n\n*\n\n";

#[test]
#[ignore = "needs a server"]
fn a_table_is_exported_as_its_games_are() {
    let db = Database::with_extension("parquet_back");
    let file = db.file("games.pgn", SPELLINGS.to_owned() + TAGS_BESIDE_COLUMNS);
    db.pgn("load --jobs 1 --schema a").arg(&file).succeeds();
    let table = db.path("games.parquet");
    db.pgn("export --schema a --parquet").arg(&table).succeeds();
    db.pgn("load --jobs 1 --schema b").arg(&table).succeeds();
    let exported = |schema: &str| db.pgn(&format!("export --schema {schema}")).writes();
    assert_eq!(exported("b"), exported("a"));
}
