//! Databases of Scid: bases written here byte by byte, damaged ones, and one that Scid itself makes where it is installed.

use std::fs;
use std::path::{Path, PathBuf};

use chess_system::{Database, generated, skip, tool};

/// A game of a base.
#[derive(Clone, Default)]
struct Game {
    /// White, Black, event, site, round: numbers of names.
    names: [u32; 5],
    flags: u32,
    result: u16,
    eco: u16,
    date: u32,
    event_date: u32,
    elo: [u16; 2],
    record: Vec<u8>,
}

/// Players, events, sites, rounds.
type Names<'a> = [&'a [&'a [u8]]; 4];

fn names_file(names: Names<'_>) -> Vec<u8> {
    let mut bytes = b"Scid.sn\0\0\0\0\0".to_vec();
    names.iter().for_each(|of_kind| bytes.extend_from_slice(&(of_kind.len() as u32).to_be_bytes()[1..]));
    bytes.extend([0; 12]);
    for of_kind in names {
        let mut last: &[u8] = b"";
        for (number, name) in of_kind.iter().enumerate() {
            let common = name.iter().zip(last).take_while(|(a, b)| a == b).count();
            bytes.extend([0, number as u8, 1, name.len() as u8]);
            if number > 0 {
                bytes.push(common as u8);
            }
            bytes.extend_from_slice(if number > 0 { &name[common..] } else { name });
            last = name;
        }
    }
    bytes
}

fn index_file(games: &[Game]) -> Vec<u8> {
    let mut bytes = b"Scid.si\0\x01\x90\0\0\0\0".to_vec();
    bytes.extend_from_slice(&(games.len() as u32).to_be_bytes()[1..]);
    bytes.resize(182, 0);
    let mut offset = 0u32;
    for game in games {
        let [white, black, event, site, round] = game.names;
        bytes.extend_from_slice(&offset.to_be_bytes());
        bytes.extend_from_slice(&(game.record.len() as u16).to_be_bytes());
        bytes.push((game.flags >> 16) as u8 | ((game.record.len() >> 16) as u8) << 7);
        bytes.extend_from_slice(&(game.flags as u16).to_be_bytes());
        bytes.push((white >> 16) as u8 * 16 + (black >> 16) as u8);
        [white, black].iter().for_each(|name| bytes.extend_from_slice(&(*name as u16).to_be_bytes()));
        bytes.push(((event >> 16) << 5 | (site >> 16) << 2 | round >> 16) as u8);
        [event, site, round].iter().for_each(|name| bytes.extend_from_slice(&(*name as u16).to_be_bytes()));
        bytes.extend_from_slice(&(game.result << 12).to_be_bytes());
        bytes.extend_from_slice(&game.eco.to_be_bytes());
        bytes.extend_from_slice(&(game.event_date << 20 | game.date).to_be_bytes());
        game.elo.iter().for_each(|elo| bytes.extend_from_slice(&elo.to_be_bytes()));
        bytes.extend([0; 14]);
        offset += game.record.len() as u32;
    }
    bytes
}

/// Writes a base; the path of its index.
fn base(db: &Database<'_>, name: &str, names: Names<'_>, games: &[Game]) -> PathBuf {
    db.file(&format!("{name}.sn4"), names_file(names));
    db.file(&format!("{name}.sg4"), games.iter().flat_map(|game| game.record.clone()).collect::<Vec<u8>>());
    db.file(&format!("{name}.si4"), index_file(games))
}

const NAMES: Names<'static> =
    [&[b"Anderssen, Adolf", b"Anderssen, \xc5", b"Zukertort"], &[b"London"], &[b"London ENG"], &[b"1", b"1.2"]];

/// 1. e4 e5 with tags, a comment, a glyph and a variation; a game from a start of its own; a long one with a null move.
fn games() -> Vec<Game> {
    let day = |year: u32, month: u32, day: u32| year << 9 | month << 5 | day;
    vec![
        Game {
            names: [0, 1, 0, 0, 1],
            flags: 1 << 3 | 1 << 4 | 1 << 21,
            result: 1,
            eco: 233 * 131 + 2,
            date: day(1851, 6, 21),
            event_date: 4 << 9 | 5 << 5 | 27,
            elo: [2600, 2 << 12 | 2500],
            record: b"\xf3\x02Me\x06Source\x01\"\0\0\xcf\x0b\x01\xcf\x0c\x0d\xbf\x0e\x0ffine\0".to_vec(),
        },
        Game {
            names: [2, 0, 0, 0, 0],
            flags: 1,
            result: 2,
            date: day(1870, 0, 0),
            record: b"\0\x074k3/P6p/8/8/8/8/1Q5q/R3K3 w Q - 5 20\0\x09\x1f\x3d\x22\x12\x0f".to_vec(),
            ..Game::default()
        },
        Game { names: [0, 2, 0, 0, 0], result: 3, record: b"\0\0\xcf\xcf\0\xbf\x0f".to_vec(), ..Game::default() },
    ]
}

fn load(db: &Database<'_>, schema: &str, file: &Path) -> chess_system::Program {
    db.pgn(&format!("load --schema {schema}")).arg(file)
}

#[test]
#[ignore = "needs a server"]
fn a_base_becomes_rows() {
    let db = Database::with_extension("scid");
    let file = base(&db, "base", NAMES, &games());
    load(&db, "chess", &file).succeeds();
    let rows = db.rows(
        "SELECT white, black, event, site, round, date, result, white_elo, black_elo, eco, tags, game, annotated, error
         FROM chess.pgn_view ORDER BY source_offset",
    );
    let expected = [
        "Anderssen, Adolf|Anderssen, Å|London|London ENG|1.2|1851.06.21|1-0|2600||C33a|\
         {\"Source\": \"\\\"\", \"Annotator\": \"Me\", \"EventDate\": \"1851.05.27\", \"ScidFlags\": \"DW6\", \"BlackRapid\": \"2500\"}|\
         1. e4 e5 1-0|1. e4 $1 e5 {fine} ( 1... d5 ) 1-0|",
        "Zukertort|Anderssen, Adolf|London|London ENG|1|1870.??.??|0-1||||\
         |[FEN \"4k3/P6p/8/8/8/8/1Q5q/R3K3 w Q - 5 20\"] 20. O-O-O h5 21. a8=N Qxc2+ 22. Qxc2 0-1||",
    ];
    assert_eq!(rows[0], expected[0]);
    assert!(rows[1].starts_with("Zukertort|Anderssen, Adolf|London|London ENG|1|1870.??.??|0-1||||"), "{}", rows[1]);
    assert!(rows[1].contains("20. O-O-O h5 21. a8=N Qc2+ 22. Qxc2 0-1"), "{}", rows[1]);
    assert!(
        rows[2].starts_with("Anderssen, Adolf|Zukertort|London|London ENG|1||1/2-1/2|")
            && rows[2].contains("null move"),
        "{}",
        rows[2]
    );

    // A base that has grown continues; one that has changed is another.
    let mut more = games();
    more.push(Game { record: b"\0\0\xbf\x0f".to_vec(), ..Game::default() });
    base(&db, "base", NAMES, &more);
    let said = load(&db, "chess", &file).succeeds();
    assert!(said.contains("1 game read") && said.contains("3 games had been loaded before"), "{said}");
    assert_eq!(db.sql("SELECT count(*), count(DISTINCT source_id) FROM chess.games"), "4|1");
    assert!(load(&db, "chess", &file).succeeds().contains("0 games read"));
    more[0].result = 2;
    base(&db, "base", NAMES, &more);
    let said = db.pgn("load --dedupe").arg(&file).succeeds();
    assert!(said.contains("4 games read") && said.contains("1 stored") && said.contains("3 duplicates"), "{said}");
    db.pgn("unload").arg(&file).succeeds();
    assert_eq!(db.sql("SELECT count(*), count(DISTINCT source_id) FROM chess.games"), "4|1");
}

/// In PGN a byte order mark at the beginning of a line is the beginning of a file, and a tag below a blank line is that of a game.
#[test]
#[ignore = "needs a server"]
fn a_comment_ends_no_game() {
    let db = Database::with_extension("scid_marks");
    let comment = "best\n \n[Event \"x\"]\r\n \u{feff}[White \"Mallory\"]\n\u{feff}\u{feff}1. d4 *";
    let record = [&b"\0\0\xcf\x0c\xcf\x0f"[..], comment.as_bytes(), b"\0"].concat();
    let file = base(&db, "marks", NAMES, &[Game { result: 1, record, ..Game::default() }]);
    load(&db, "chess", &file).succeeds();
    assert_eq!(
        db.rows("SELECT white, game, error, annotated FROM chess.pgn_view"),
        ["Anderssen, Adolf|1. e4 e5 1-0||1. e4 {best\n[Event \"x\"]\n[White \"Mallory\"]\n1. d4 *} 1... e5 1-0"]
    );
}

#[test]
#[ignore = "needs a server"]
fn of_a_damaged_base_the_rest_is_kept() {
    let db = Database::with_extension("scid_damaged");
    // a move that is none, a record that is cut off, a record beyond the file, names that are missing
    let mut games = games();
    games.truncate(1);
    games.extend(
        [b"\0\0\xcf\xcf\xf0\x0f".to_vec(), b"\0\0\xcf\xcf\x0d\xbf".to_vec(), b"\xf3\x40".to_vec()].map(|record| Game {
            names: [9, 1 << 19, 7, 7, 7],
            result: 1,
            record,
            ..Game::default()
        }),
    );
    let file = base(&db, "damaged", NAMES, &games);
    let records = fs::read(file.with_extension("sg4")).unwrap();
    fs::write(file.with_extension("sg4"), &records[..records.len() - 1]).unwrap();
    load(&db, "chess", &file).succeeds();
    let rows = db.rows("SELECT white, game, error IS NULL FROM chess.pgn_view ORDER BY source_offset");
    assert_eq!(rows, ["Anderssen, Adolf|1. e4 e5 1-0|t", "|1. e4 e5|f", "|1. e4 e5|f"]);
    let errors = db.rows("SELECT number, ply, reason FROM chess.rejected ORDER BY number");
    assert_eq!(errors.len(), 3);
    assert!(errors.iter().all(|error| error.contains("damaged-record-of-Scid")), "{errors:?}");
    assert!(errors[0].starts_with("2|3|") && errors[2].starts_with("4|1|"), "{errors:?}");

    let index = index_file(&games);
    for (bytes, reason, kept) in [
        (&index[..182 + 47 * 2 + 9], "its index ends after 2 of 4 games", "2"),
        (&[&index[..], b"x"].concat(), "it has more than the 4 games that its index names", "4"),
        (&index[..100], "the index of Scid is cut off", ""),
        (&[&index[..8], b"\x01\x2c", &index[10..]].concat(), "a database of version 300", ""),
    ] {
        let schema = format!("kept{}", bytes.len());
        fs::write(&file, bytes).unwrap();
        let said = load(&db, &schema, &file).fails();
        assert!(said.contains(reason) && said.contains("damaged.si4"), "{said}");
        if !kept.is_empty() {
            let count = db.sql(&format!("SELECT sum(games) FROM {schema}.pieces"));
            assert_eq!(count, kept, "{reason}");
        }
    }
    fs::write(&file, &index).unwrap();
    let names = fs::read(file.with_extension("sn4")).unwrap();
    fs::write(file.with_extension("sn4"), &names[..names.len() - 2]).unwrap();
    assert!(load(&db, "names", &file).fails().contains("the names end too early"));
    fs::remove_file(file.with_extension("sg4")).unwrap();
    assert!(load(&db, "alone", &file).fails().contains("damaged.sg4"));
    let said = db.pgn("load -").input(index).fails();
    assert!(said.contains("a database of Scid in a stream"), "{said}");
    let later = db.file("later.si5", index_file(&games));
    assert!(load(&db, "later", &later).fails().contains("a database of Scid in a later format"));
    assert!(load(&db, "names", &file.with_extension("sn4")).fails().contains("give the file that ends in .si4"));
}

/// The same rows as from the PGN that Scid exports of the same base.
#[test]
#[ignore = "needs a server"]
fn a_base_is_what_scid_exports() {
    let Some(tkscid) = ["/usr/games/tkscid", "/usr/bin/tkscid"].into_iter().find(|path| Path::new(path).exists())
    else {
        return skip("bases are not compared with what Scid exports", "the package scid");
    };
    let db = Database::with_extension("scid_export");
    let script = db.file(
        "export.tcl",
        "proc ::progressCallBack {args} {}
         lassign $argv pgn base out
         set number [sc_base create SCID4 $base]
         sc_base import $number $pgn
         sc_base close $number
         set number [sc_base open SCID4 $base]
         sc_base switch $number
         sc_filter reset $number dbfilter full
         sc_base export filter PGN $out -comments 1 -variations 1
         exit",
    );
    let pgn = db.file("games.pgn", generated(35, 400));
    let (base, out) = (db.path("base"), db.path("out.pgn"));
    tool(tkscid).arg(script).arg(&pgn).arg(&base).arg(&out).succeeds();
    db.pgn("load --jobs 1 --clocks --evals --schema base").arg(db.path("base.si4")).succeeds();
    db.pgn("load --jobs 1 --clocks --evals --schema export").arg(&out).succeeds();
    // Scid breaks lines.
    let rows = |schema: &str| {
        db.rows(&format!(
            "SELECT (to_jsonb(v) - '{{id,source,source_id,source_offset,annotated}}'::text[])::text, \
             regexp_replace(replace(annotated, '. ', '.'), '\\s+', ' ', 'g') FROM {schema}.pgn_view v ORDER BY source_offset"
        ))
    };
    assert_eq!(rows("base").len(), 400);
    assert!(
        rows("base") == rows("export"),
        "{:#?}",
        rows("base").iter().zip(rows("export")).find(|(one, other)| *one != other)
    );
}
