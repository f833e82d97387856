//! The report on an ending, compared with a replay of every game (endings.sql), with and without an index; its sample, and what
//! it refuses.

use chess_system::{Database, read, repository};

use crate::loaded;

/// Patterns, the same as a regular expression of materials with a number of half-moves, filters, and the same as a condition.
const ENDINGS: [(&str, &str, u32, &str, &str); 6] = [
    ("KP*vKP* for 4", "^KP*vKP*$", 4, "", "true"),
    ("KRP*vKRP* for 4", "^KRP*vKRP*$", 4, "", "true"),
    (
        "K[BN]P*vK[BN]P*",
        "^K[BN]P*vK[BN]P*$",
        1,
        ", rating => '[1500,2300)'",
        "(white_elo + black_elo) / 2 BETWEEN 1500 AND 2299 AND least(white_elo, black_elo) > 0",
    ),
    ("K[QRBN]P*vKP* for 4", "^K[QRBN]P*vKP*$", 4, "", "true"),
    ("K[QR]P*vK[BN]P*", "^K[QR]P*vK[BN]P*$", 1, ", result => '1-0'", "result = '1-0'"),
    ("K[QRBN]vK", "^K[QRBN]vK$", 1, "", "true"),
];

/// Replays the games by hand, once for each ending.
fn replay(db: &Database<'_>) {
    db.sql(&String::from_utf8(read(repository("tests/system/explorer/endings.sql"))).unwrap());
    for (number, (_, shape, least, _, condition)) in ENDINGS.iter().enumerate() {
        let condition = condition.replace('\'', "''");
        db.sql(&format!(
            "CREATE TABLE replay.hand{number} AS SELECT * FROM replay.ending('{shape}', {least}, '{condition}')"
        ));
    }
}

fn compare(db: &Database<'_>, what: &str) {
    let mut rows = 0;
    for (number, (pattern, _, _, filters, _)) in ENDINGS.iter().enumerate() {
        // What needs no replay is counted in another way if nothing else is asked for.
        for sections in [None, Some("{summary,color,rating,month}"), Some("{color}"), Some("{month}")] {
            let only = sections.map_or(String::new(), |sections| format!(", sections => '{sections}'"));
            let report = format!(
                "SELECT section, item, games, white, draws, black, round((detail ->> 'plies')::numeric, 6) FROM chess.ending_report('{pattern}'{filters}{only})
                 WHERE section <> 'summary' OR games > 0"
            );
            let wanted = sections.map_or("true".to_owned(), |sections| format!("section = ANY ('{sections}')"));
            let hand = format!("SELECT * FROM replay.hand{number} WHERE {wanted}");
            let differ = format!("(({report}) EXCEPT ALL ({hand})) UNION ALL (({hand}) EXCEPT ALL ({report}))");
            assert_eq!(db.sql(&differ), "", "{what}: {pattern}{only}");
        }
        let hand = format!("SELECT * FROM replay.hand{number}");
        rows += db.sql(&format!("SELECT count(*) FROM ({hand}) h")).parse::<u32>().unwrap();
    }
    assert!(rows > 100, "{what}: rows by hand: {rows}");
}

#[test]
#[ignore = "needs a server"]
fn the_report_on_an_ending_is_as_by_hand() {
    let db = loaded("ending_report");
    replay(&db);
    compare(&db, "by the index");
    db.sql("SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_indexscan = off");
    compare(&db, "by the sums of the index");
    db.sql("DROP INDEX chess.games_chess_idx");
    compare(&db, "without it");
}

#[test]
#[ignore = "needs a server"]
fn a_sample_of_the_games_comes_with_its_error() {
    let db = loaded("ending_sample");
    let of = |sample: u32, what: &str| {
        db.sql(&format!("SELECT {what} FROM chess.ending_report('K[QRBN]P*vKP*', sample => {sample}) r WHERE section = 'length' AND item = 'all'"))
    };
    let all: u32 = of(1_000_000, "games").parse().unwrap();
    assert!(all > 40, "games: {all}");
    assert_eq!(
        of(1_000_000, "detail ->> 'error', detail ->> 'plies_error', detail -> 'replayed'"),
        format!("0|0|{all}")
    );
    assert_eq!(of(all, "detail ->> 'plies_error'"), "0", "a sample of all");
    assert_eq!(of(20, "games, detail -> 'replayed', (detail ->> 'plies_error')::float8 > 0"), "20|20|t");
    let far = "abs((detail ->> 'plies')::float8 - {}) / (detail ->> 'plies_error')::float8 > 4"
        .replace("{}", &of(all, "detail ->> 'plies'"));
    assert_eq!(of(all / 2, &far), "f", "the mean of a half lies within four errors of that of all");
    let counted =
        db.sql("SELECT games FROM chess.ending_report('K[QRBN]P*vKP*', sections => '{summary}', sample => 1)");
    assert_eq!(counted, all.to_string(), "what needs no replay is counted of all");
}

#[test]
#[ignore = "needs a server"]
fn an_ending_that_no_game_has_and_what_is_refused() {
    let db = loaded("ending_refused");
    assert_eq!(
        db.sql("SELECT section, item, games, score IS NULL FROM chess.ending_report('KQQQQvKQQQQ')"),
        "summary|all|0|t"
    );
    assert_eq!(db.sql("SELECT count(*) > 5, bool_and(ending::text LIKE '% for 4') FROM chess.ending_kinds()"), "t|t");
    for (arguments, code) in [
        ("NULL", "22004"),
        ("'KRPvKR', sample => 0", "22023"),
        ("'KRPvKR', sample => NULL", "22023"),
        ("'KRPvKR', sections => '{summary,line}'", "22023"),
        ("'KRPvKR', rating => 'much'", "22023"),
        ("'KRPvK9x'", "22P02"),
    ] {
        assert_eq!(db.refuses(&format!("SELECT * FROM chess.ending_report({arguments})")).code, code, "{arguments}");
    }
}
