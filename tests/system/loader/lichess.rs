//! Games of lichess, whose addresses in the tag Site are stored as numbers: the text is the same wherever it is asked for, and
//! is changed like any other.

use chess_system::{Database, generated};

use crate::rows;

/// Addresses that lichess gives games.
const ADDRESSES: [&str; 7] = [
    "https://lichess.org/00000000",
    "https://lichess.org/0000000z",
    "https://lichess.org/zzzzzzzz",
    "https://lichess.org/ZZZZZZZZ",
    "https://lichess.org/AbCdEfGh",
    "https://lichess.org/aBcDeFgH",
    "https://lichess.org/9a8B7c6D",
];
/// Sites that only look like such addresses.
const OTHERS: [&str; 12] = [
    "https://lichess.org/",
    "https://lichess.org/AbCdEfGh/black",
    "https://lichess.org/AbCdEfGhIjKl",
    "https://lichess.org/AbCdEfG",
    "https://lichess.org/AbCdEfG-",
    "https://lichess.org/AbCdEfGä",
    "https://lichess.org/study/abcd1234/efgh5678",
    "http://lichess.org/AbCdEfGh",
    "https://lichess.dev/AbCdEfGh",
    "HTTPS://lichess.org/AbCdEfGh",
    "https://lichess.org/AbCdEfGh?",
    "Paris",
];
/// The sites of the games.
const SITES: &str = "SELECT pgn_site FROM chess.pgn_view ORDER BY id";
/// Games that have a site in both ways or that have a text that need not be stored.
const WRONG: &str = "SELECT count(*) FROM chess.games g LEFT JOIN chess.sites s ON s.id = g.site_id
    WHERE g.site_id IS NOT NULL AND g.lichess_id IS NOT NULL OR chess.lichess_id(s.name) IS NOT NULL";

fn game(site: &str) -> String {
    format!(
        "[Event \"Rated Blitz game\"]\n[Site \"{site}\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n"
    )
}

/// A game of each site.
fn given() -> (Vec<&'static str>, String) {
    let sites: Vec<&str> = ADDRESSES.into_iter().chain(OTHERS).collect();
    let games = sites.iter().map(|site| game(site)).collect();
    (sites, games)
}

#[test]
#[ignore = "needs a server"]
fn addresses_come_back_as_they_were() {
    let db = Database::new("lichess_sites");
    let (sites, games) = given();
    let file = db.file("lichess.pgn", &games);
    db.pgn("load --index").arg(&file).succeeds();
    assert_eq!(db.rows(SITES), sites);
    assert_eq!(db.rows("SELECT site FROM chess.pgn_view ORDER BY id"), sites);
    assert_eq!(db.sql(WRONG), "0");
    assert_eq!(db.sql("SELECT count(lichess_id), count(site_id) FROM chess.games"), "7|12");
    assert_eq!(db.sql("SELECT count(*) FROM chess.sites"), "12", "addresses have no rows");
    let functions = "SELECT count(*) FROM chess.pgn_view v JOIN chess.games g USING (id)
        WHERE chess.lichess_id(v.pgn_site) IS DISTINCT FROM g.lichess_id";
    assert_eq!(db.sql(functions), "0", "SQL takes the same for addresses");
    assert_eq!(db.sql("SELECT min(lichess_id), max(lichess_id) = 62::numeric ^ 8 - 1 FROM chess.games"), "0|t");

    let pgn = db.pgn("export").writes();
    let written: Vec<&str> =
        pgn.lines().filter_map(|line| line.strip_prefix("[Site \"")?.strip_suffix("\"]")).collect();
    assert_eq!(written, sites);
    for site in sites {
        let found = db.pgn("export --where").arg(format!("site = '{site}'")).writes();
        assert_eq!(found.matches("[Site ").count(), 1, "{site}: {found}");
    }
    db.pgn("load --schema again").arg(db.file("again.pgn", pgn)).succeeds();
    assert_eq!(rows(&db, "again"), rows(&db, "chess"));

    // a load that compares games, which are all equal
    db.pgn("load --schema single --dedupe").arg(&file).succeeds();
    assert_eq!(
        db.rows("SELECT site, lichess_id FROM single.pgn_view JOIN single.games USING (id)"),
        ["https://lichess.org/00000000|0"]
    );
}

#[test]
#[ignore = "needs a server"]
fn addresses_are_written_through_the_view() {
    let db = Database::new("lichess_view");
    db.pgn("schema").succeeds();
    let (sites, _) = given();
    for site in &sites {
        let insert = format!("INSERT INTO chess.pgn_view (site, game) VALUES ('{site}', '1. e4') RETURNING pgn_site");
        assert_eq!(db.sql(&insert), *site);
    }
    assert_eq!(db.rows(SITES), sites);
    assert_eq!(db.sql(WRONG), "0");
    // each takes the site of the next one, by one of the two columns
    for (at, column) in sites.iter().enumerate().map(|(at, _)| (at, ["site", "pgn_site"][at % 2])) {
        let (id, next) = (at + 1, sites[(at + 1) % sites.len()]);
        db.sql(&format!("UPDATE chess.pgn_view SET {column} = '{next}' WHERE id = {id}"));
        db.sql(&format!("UPDATE chess.pgn_view SET round = '7' WHERE id = {id}"));
    }
    let turned: Vec<&str> = sites[1..].iter().chain(&sites[..1]).copied().collect();
    assert_eq!(db.rows(SITES), turned);
    assert_eq!(db.sql(WRONG), "0");
    for nothing in ["NULL", "'?'"] {
        db.sql(&format!("UPDATE chess.pgn_view SET site = {nothing} WHERE id = 1"));
        assert_eq!(db.sql("SELECT num_nonnulls(site_id, lichess_id) FROM chess.games WHERE id = 1"), "0");
        db.sql("UPDATE chess.pgn_view SET site = 'https://lichess.org/AbCdEfGh' WHERE id = 1");
    }
    // of a name that is merged, the address is none
    db.sql("UPDATE chess.sites SET same_as = (SELECT id FROM chess.sites WHERE name = 'Paris') WHERE name = 'https://lichess.org/'");
    let shown = "SELECT site, pgn_site FROM chess.pgn_view WHERE pgn_site IN ('https://lichess.org/', 'https://lichess.org/AbCdEfGh') ORDER BY 1";
    let address = "https://lichess.org/AbCdEfGh|https://lichess.org/AbCdEfGh";
    assert_eq!(db.rows(shown), ["Paris|https://lichess.org/", address, address]);
}

#[test]
#[ignore = "needs a server"]
fn an_address_is_replaced_and_comes_back() {
    let db = Database::new("lichess_replaced");
    let steps = [
        "Paris",
        "https://lichess.org/AbCdEfGh",
        "https://lichess.org/aBcDeFgH",
        "https://lichess.org/AbCdEfGh/black",
        "https://lichess.org/00000000",
        "?",
        "https://lichess.org/zzzzzzzz",
    ];
    db.pgn("load").arg(db.file("one.pgn", game(steps[0]))).succeeds();
    let site = || db.sql("SELECT coalesce(pgn_site, '?') FROM chess.pgn_view");
    let id = db.sql("SELECT id FROM chess.games");
    for step in &steps[1..] {
        db.pgn(&format!("replace --game {id} -")).input(game(step)).succeeds();
        assert_eq!((site(), db.sql(WRONG)), (step.to_string(), "0".into()));
        let said = db.pgn(&format!("replace --game {id} -")).input(game(step)).writes();
        assert!(said.contains("is so already"), "{said}");
    }
    for step in steps[..steps.len() - 1].iter().rev() {
        db.pgn(&format!("replace --game {id} --undo")).succeeds();
        assert_eq!((site(), db.sql(WRONG)), (step.to_string(), "0".into()));
    }
    // a change of one kind of site is made again where a file has the other kind by now
    let again = "SELECT s ->> 'site_id', s ->> 'lichess_id', s ->> 'round'
        FROM (SELECT chess.game_with_changes(o, b, a) s FROM (VALUES
            ('{\"site_id\": null, \"lichess_id\": 9, \"round\": \"1\"}'::jsonb, '{\"site_id\": 4, \"lichess_id\": null}'::jsonb,
             '{\"site_id\": 5, \"lichess_id\": null}'::jsonb),
            ('{\"site_id\": 9, \"lichess_id\": null, \"round\": \"2\"}', '{\"site_id\": null, \"lichess_id\": 4}', '{\"site_id\": null, \"lichess_id\": 5}'),
            ('{\"site_id\": null, \"lichess_id\": 9, \"round\": \"3\"}', '{\"site_id\": null, \"lichess_id\": 4}', '{\"site_id\": null, \"lichess_id\": 4}')) v (o, b, a)) c";
    assert_eq!(db.rows(again), ["5||1", "|5|2", "|9|3"]);
}

#[test]
#[ignore = "needs a server"]
fn a_twin_takes_over_an_address() {
    let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Na5 10. Bc2 c5 11. d4 Qc7";
    let game = |site: &str| {
        format!(
            "[Site \"{site}\"]\n[Date \"2024.03.04\"]\n[White \"Ann\"]\n[Black \"Bob\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n"
        )
    };
    let address = "https://lichess.org/AbCdEfGh";
    for (at, (kept, gone, then)) in [
        ("?", address, address),
        ("-", address, address),
        ("Paris", address, "Paris"),
        (address, "Paris", address),
        (address, "?", address),
    ]
    .into_iter()
    .enumerate()
    {
        let db = Database::loaded(&format!("lichess_twins_{at}"), game(gone) + &game(kept));
        db.pgn("twins --keep newest --score 0").succeeds();
        assert_eq!(db.rows(SITES), [then], "{kept} stays, {gone} goes");
        assert_eq!(db.sql(WRONG), "0");
        assert_eq!(db.sql("SELECT count(*) FROM chess.games WHERE tags ? 'Site'"), "0", "{kept} stays, {gone} goes");
        db.pgn("twins --undo").succeeds();
        assert_eq!(
            db.rows("SELECT coalesce(pgn_site, tags ->> 'Site', '?') FROM chess.pgn_view ORDER BY id"),
            [gone, kept]
        );
    }
}

/// Tables of version 4, in which each address has a row of sites.
#[test]
#[ignore = "needs a server"]
fn addresses_of_an_earlier_version_stay() {
    let db = Database::new("lichess_earlier");
    db.pgn("load --index").arg(db.file("gen.pgn", generated(8, 20))).succeeds();
    db.pgn("load").arg(db.file("lichess.pgn", game(ADDRESSES[4]))).succeeds();
    db.sql(
        "INSERT INTO chess.sites (name) VALUES ('https://lichess.org/AbCdEfGh');
         UPDATE chess.games g SET site_id = s.id FROM chess.sites s WHERE lichess_id IS NOT NULL AND s.name = 'https://lichess.org/AbCdEfGh';
         ALTER TABLE chess.games DROP COLUMN lichess_id CASCADE;
         DROP FUNCTION chess.lichess_id(text), chess.lichess_site(bigint);
         UPDATE chess.info SET value = '4' WHERE name = 'schema version'",
    );
    let id = db.sql("SELECT id FROM chess.games WHERE site_id = (SELECT max(id) FROM chess.sites)");
    db.sql(&format!("BEGIN; SELECT chess.keep_game({id}); UPDATE chess.games SET round = '1', site_id = NULL WHERE id = {id}; COMMIT"));
    let said = db.pgn("migrate").succeeds();
    assert!(said.contains("schema chess upgraded from version 4 to version 5"), "{said}");
    // what was kept has a site and no number
    db.sql(&format!("UPDATE chess.pgn_view SET site = 'https://lichess.org/zzzzzzzz' WHERE id = {id}"));
    db.pgn(&format!("replace --game {id} --undo")).succeeds();
    let site = format!("SELECT pgn_site, lichess_id FROM chess.pgn_view JOIN chess.games USING (id) WHERE id = {id}");
    assert_eq!(db.sql(&site), "https://lichess.org/AbCdEfGh|");
    // to which a change gives a number
    db.pgn(&format!("replace --game {id} -")).input(game(ADDRESSES[0])).succeeds();
    assert_eq!(db.sql(&site), "https://lichess.org/00000000|0");
    assert_eq!(db.sql(WRONG), "0");
    db.pgn("migrate --index").succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM pg_indexes WHERE indexname = 'games_lichess_id_idx'"), "1");
}
