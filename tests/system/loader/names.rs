//! `chess-pgn names`: events and sites that are spelled in several ways, merged by a list, by themselves and by a reviewed
//! file; what views, exports and functions then show; undo.

use std::fs;

use chess_system::Database;

use crate::all_tables;

fn game(event: &str, site: &str, white: &str) -> String {
    format!(
        "[Event \"{event}\"]\n[Site \"{site}\"]\n[White \"{white}\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n"
    )
}

fn games() -> String {
    game("Tal mem", "Moscow", "A")
        + &game("Tal Mem", "Moscow RUS", "A")
        + &game("Tal Mem", "Moscow RUS", "C")
        + &game("Candidats 1953", "Zuerich", "A")
        + &game("Candidates 1953", "Zuerich SUI", "A")
        + &game("Candidates 1953", "Zuerich SUI", "C")
        + &game("Candidates 1956", "London ENG", "A")
        + &game("II ch-ESP", "London CAN", "A")
        + &game("Online", "https://example.org/1", "A")
        + &game("Online", "London", "A")
}

const LIST: &str = "\
@PLAYER \"\"
Nobody, A #
@SITE \"., -_()\"
%Suffix \" SUI\" \" CH\"
Moscow RUS
   = Moskva
@EVENT \",. -_\"
%Prefix \"II \" \"2. \"
%Infix \"ch-ESP\" \"ESP Ch\"
%Suffix \" mem\" \" Memorial\"
%Suffix \" Mem\" \" Memorial\"
";

/// The spellings that are not canonical, with their canonical names.
fn merged(db: &Database<'_>, table: &str) -> Vec<String> {
    db.rows(&format!("SELECT name, canonical FROM chess.{table} WHERE same_as IS NOT NULL ORDER BY name COLLATE \"C\""))
}

#[test]
#[ignore = "needs a server"]
fn names_decide_themselves() {
    let pgn = games();
    let db = Database::loaded("names_alone", &pgn);
    let review = db.path("review.csv");
    let said = db.pgn("names sites --review").arg(&review).succeeds();
    assert!(said.contains("Moscow = Moscow RUS: the only country of this place, score 0.95, 1 games"), "{said}");
    assert!(
        said.contains("2 of 7 names decided") && said.contains("1 doubtful") && said.contains("--apply does it"),
        "{said}"
    );
    assert_eq!(merged(&db, "sites"), [""; 0]);
    db.pgn("names sites --apply").succeeds();
    assert_eq!(merged(&db, "sites"), ["Moscow|Moscow RUS", "Zuerich|Zuerich SUI"]);
    assert!(db.pgn("names sites --apply").succeeds().contains("nothing to change"));

    // A person decides about the doubtful one.
    let lines = fs::read_to_string(&review).unwrap();
    assert!(lines.contains("\"London\",1,\"London ENG\"") && lines.contains("\"London\",1,\"London CAN\""), "{lines}");
    let edited: String = lines
        .lines()
        .map(|line| if line.contains("London ENG") { format!("yes{line}\n") } else { format!("{line}\n") })
        .collect();
    db.pgn("names sites --apply --reviewed").arg(db.file("edited.csv", &edited)).succeeds();
    assert_eq!(merged(&db, "sites"), ["London|London ENG", "Moscow|Moscow RUS", "Zuerich|Zuerich SUI"]);
    assert!(
        db.pgn("names events --reviewed").arg(db.path("edited.csv")).fails().contains("the file is of other tables")
    );

    let said = db.pgn("names events --apply --review").arg(&review).succeeds();
    assert!(said.contains("Tal mem = Tal Mem: the same letters") && said.contains("1 doubtful"), "{said}");
    assert!(fs::read_to_string(&review).unwrap().contains("\"Candidats 1953\",1,\"Candidates 1953\""));
    assert_eq!(merged(&db, "events"), ["Tal mem|Tal Mem"]);

    // Views, the explorer and tournaments see one; the PGN stays as it was.
    assert_eq!(db.sql("SELECT count(*), count(DISTINCT pgn_event) FROM chess.pgn_view WHERE event = 'Tal Mem' AND site = 'Moscow RUS'"), "3|2");
    assert_eq!(db.sql("SELECT sum(games) FROM chess.explorer(startBoard('1. e4'), event => 'Tal mem')"), "3");
    assert_eq!(db.sql("SELECT event, site, games FROM chess.tournaments('Tal mem', 'Moscow')"), "Tal Mem|Moscow RUS|3");
    assert_eq!(db.pgn("export").writes().matches("[Event \"Tal mem\"]\n[Site \"Moscow\"]").count(), 1);
    let canonical = db.pgn("export --canonical-names").writes();
    assert_eq!(canonical.matches("[Event \"Tal Mem\"]\n[Site \"Moscow RUS\"]").count(), 3);

    // Writing through the view, and what same_as refuses.
    db.sql("UPDATE chess.pgn_view SET round = '1' WHERE pgn_event = 'Tal mem'");
    assert_eq!(db.sql("SELECT pgn_event, pgn_site FROM chess.pgn_view WHERE round = '1'"), "Tal mem|Moscow");
    db.sql("UPDATE chess.pgn_view SET event = 'New', pgn_site = 'Moskva' WHERE round = '1'");
    assert_eq!(db.sql("SELECT event, site FROM chess.pgn_view WHERE round = '1'"), "New|Moskva");
    let same_as = |event: &str| {
        db.refuses(&format!("UPDATE chess.events SET same_as = (SELECT id FROM chess.events WHERE name = 'Tal mem') WHERE name = '{event}'"))
    };
    assert_eq!((same_as("New").code, same_as("Tal mem").code), ("23514".to_owned(), "23514".to_owned()));

    for (table, rest) in [("sites", vec!["Moscow|Moscow RUS", "Zuerich|Zuerich SUI"]), ("events", vec![])] {
        db.pgn(&format!("names {table} --undo")).succeeds();
        assert_eq!(merged(&db, table), rest);
    }
    db.pgn("names sites --undo").succeeds();
    assert_eq!(merged(&db, "sites"), [""; 0]);
    assert!(db.pgn("names sites --undo").fails().contains("no run of chess-pgn names sites is left"));
}

#[test]
#[ignore = "needs a server"]
fn what_is_undone_is_as_it_was() {
    let db = Database::loaded("names_undone", games());
    let list = db.file("list.ssp", LIST);
    // the log of merges stays
    let tables = || all_tables(&db).into_iter().filter(|table| !table.contains("name_merges")).collect::<Vec<_>>();
    let before = tables();
    for _ in 0..2 {
        for of in ["sites", "events"] {
            db.pgn(&format!("names {of} --apply --list")).arg(&list).succeeds();
        }
        assert_ne!(tables(), before);
        for of in ["events", "sites"] {
            db.pgn(&format!("names {of} --undo")).succeeds();
        }
        assert_eq!(tables(), before);
    }
    assert!(db.pgn("names sites --undo").fails().contains("no run of chess-pgn names sites is left"));
    // a row of the list that something refers to by then stays
    db.pgn("names events --apply --list").arg(&list).succeeds();
    db.sql("INSERT INTO chess.pgn_view (event, game) VALUES ('Tal Memorial', '1. e4')");
    db.pgn("names events --undo").succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM chess.events WHERE name IN ('Tal Memorial', '2. ESP Ch')"), "1");
}

#[test]
#[ignore = "needs a server"]
fn a_list_decides() {
    let db = Database::loaded("names_list", games());
    let list = db.file("list.ssp", LIST);
    let apply = |of: &str| db.pgn(&format!("names {of} --apply --list")).arg(&list).succeeds();
    apply("sites");
    assert_eq!(merged(&db, "sites"), ["Moscow|Moscow RUS", "Zuerich SUI|Zuerich CH"]);
    let said = apply("events");
    assert!(said.contains("3 by rule"), "{said}");
    assert_eq!(merged(&db, "events"), ["II ch-ESP|2. ESP Ch", "Tal Mem|Tal Memorial", "Tal mem|Tal Memorial"]);
    assert!(apply("events").contains("nothing to change"));
    // Merged by hand with a merged name: the list moves both.
    db.sql("UPDATE chess.events SET same_as = (SELECT id FROM chess.events WHERE name = 'Online') WHERE name = 'Candidats 1953'");
    db.pgn("names events --undo").succeeds();
    assert_eq!(merged(&db, "events"), ["Candidats 1953|Online"], "what was merged by hand stays");
    for (text, said) in
        [("", "it has no section @SITE"), ("@SITE\n", "it names no sites"), ("@SITE\n\0", "it is not a text")]
    {
        let file = db.file("bad.ssp", text);
        assert!(db.pgn("names sites --list").arg(file).fails().contains(said), "{text:?}");
    }
}

#[test]
#[ignore = "needs a server"]
fn names_that_are_to_be_each_other_are_refused() {
    let db = Database::loaded("names_circle", games());
    let id = |name: &str| db.sql(&format!("SELECT id FROM chess.sites WHERE name = '{name}'"));
    let names = ["Moscow", "London", "Zuerich"];
    let reviewed = |pairs: &[(usize, usize)]| {
        let line =
            |&(from, to): &(usize, usize)| format!("yes,{},{},1,{},,\n", id(names[from]), names[from], names[to]);
        let lines: String = pairs.iter().map(line).collect();
        let file = db.file("circle.csv", format!("apply,id,name,games,canonical,fide_id,reason\n{lines}"));
        db.pgn("names sites --apply --reviewed").arg(file)
    };
    let said = reviewed(&[(0, 1), (1, 0)]).fails();
    assert!(
        said.contains("Moscow, which by other lines is to be London")
            || said.contains("London, which by other lines is to be Moscow"),
        "{said}"
    );
    assert!(reviewed(&[(0, 1), (1, 2), (2, 0)]).fails().contains("by other lines"));
    reviewed(&[(0, 1), (1, 2)]).succeeds();
    assert_eq!(merged(&db, "sites"), ["London|Zuerich", "Moscow|Zuerich"]);
    reviewed(&[(2, 1)]).succeeds();
    assert_eq!(merged(&db, "sites"), ["Moscow|London", "Zuerich|London"], "another spelling becomes the canonical one");
}
