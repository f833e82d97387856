//! Row level security: each role is told of the games that it sees, from the index only where these are all of them.

use chess_system::{Database, Session, read, repository};

use crate::{games, loaded};

/// What the explorer tells a role: the source of its answer, the number of games with the start position, the games
/// listed first.
fn asked(session: &mut Session, role: &str, schema: &str) -> String {
    session.sql(&format!("SET ROLE {role}"));
    session.sql(&format!(
        "SELECT {schema}.explorer_source(public.startBoard()),
                (SELECT coalesce(sum(games), 0) FROM {schema}.explorer(public.startBoard())),
                ARRAY(SELECT id FROM {schema}.explorer_games(public.startBoard()))"
    ))
}

/// What it is to tell: the same of the games that the role sees.
fn seen(session: &mut Session, role: &str, source: &str) -> String {
    session.sql(&format!("SET ROLE {role}"));
    session.sql(&format!(
        "SELECT '{source}', count(*), (SELECT ARRAY(SELECT g.id FROM chess.games g WHERE public.hasBoard(g.game, 'startpos')
         ORDER BY coalesce(white_elo, 0) + coalesce(black_elo, 0) DESC, id DESC LIMIT 15)) FROM chess.games WHERE public.hasBoard(game, 'startpos')"
    ))
}

#[test]
#[ignore = "needs a server"]
fn each_role_is_told_of_the_games_it_sees() {
    let db = loaded("policies");
    db.sql(
        "CREATE ROLE pupil; CREATE ROLE trusted BYPASSRLS; GRANT USAGE ON SCHEMA chess TO pupil, trusted;
         GRANT SELECT ON ALL TABLES IN SCHEMA chess TO pupil, trusted; CREATE POLICY few ON chess.games USING (id % 100 = 0)",
    );
    let told = |role: &str| asked(&mut db.session(), role, "chess");
    let expected = |role: &str, source: &str| seen(&mut db.session(), role, source);
    assert_eq!(told("pupil"), expected("pupil", "index"), "a policy that is not enabled");
    db.sql("ALTER TABLE chess.games ENABLE ROW LEVEL SECURITY");
    for view in ["definer", "invoker"] {
        if view == "invoker" {
            let page = String::from_utf8(read(repository("docs/loading.md"))).unwrap();
            let named = page.split_once("Readers of the views ").unwrap().1.split_once(" need rights").unwrap().0;
            for name in named.split('`').skip(1).step_by(2) {
                db.sql(&format!("ALTER VIEW chess.{name} SET (security_invoker = true)"));
            }
            let others = "SELECT relname FROM pg_class WHERE relnamespace = 'chess'::regnamespace AND relkind = 'v'
                AND NOT coalesce(reloptions::text, '') LIKE '%security_invoker=true%'";
            assert_eq!(db.rows(others), [""; 0], "docs/loading.md names every view");
        }
        // in one session, whose plans are kept
        let mut session = db.session();
        for (role, source) in [("postgres", "index"), ("pupil", "games"), ("trusted", "index"), ("pupil", "games")] {
            let told = asked(&mut session, role, "chess");
            assert_eq!(told, expected(role, source), "{role}, views as {view}");
        }
    }
    let some = "SELECT count(*) BETWEEN 5 AND 20 FROM chess.games";
    let mut session = db.session();
    session.sql("SET ROLE pupil");
    assert_eq!(session.sql(some), "t", "the role sees some games");
    let refusal =
        db.refuses("SET ROLE pupil; SET row_security = off; SELECT * FROM chess.explorer(public.startBoard())");
    assert_eq!(refusal.code, "42501", "row_security = off: {refusal:?}");
    db.sql("ALTER TABLE chess.games DISABLE ROW LEVEL SECURITY; ALTER TABLE chess.players ENABLE ROW LEVEL SECURITY; ALTER TABLE chess.events ENABLE ROW LEVEL SECURITY");
    assert_eq!(told("pupil"), expected("pupil", "index"), "policies of tables that the sums do not need");
}

#[test]
#[ignore = "needs a server"]
fn policies_of_a_partitioned_table_are_those_of_its_games() {
    let db = Database::new("keepers");
    db.sql("CREATE EXTENSION chess; CREATE ROLE keeper LOGIN; GRANT CREATE ON DATABASE keepers TO keeper");
    let keeper = |words: &str| db.pgn(words).args(["--schema", "kept"]).env("PGUSER", "keeper");
    let asked = |role: &str| {
        let told = asked(&mut db.session(), role, "kept");
        told.rsplit_once('|').unwrap().0.to_owned()
    };
    keeper("schema --partition-by id:3").succeeds();
    keeper("load --index").arg(games(&db)).succeeds();
    let games: u32 = db.sql("SELECT count(*) FROM kept.games").parse().unwrap();
    db.sql("CREATE POLICY few ON kept.games USING (id % 100 = 0); ALTER TABLE kept.games ENABLE ROW LEVEL SECURITY");
    assert_eq!(asked("keeper"), format!("index|{games}"), "an owner whom no policy concerns");
    db.sql("ALTER TABLE kept.games FORCE ROW LEVEL SECURITY");
    assert_eq!(asked("keeper"), format!("games|{}", games / 100), "an owner whom policies concern");
    db.sql("ALTER TABLE kept.games DISABLE ROW LEVEL SECURITY; CREATE ROLE visitor; GRANT USAGE ON SCHEMA kept TO visitor; GRANT SELECT ON kept.games, kept.pgn_view TO visitor");
    assert_eq!(asked("visitor"), format!("games|{games}"), "without rights on the partitions");
    let partitions = "kept.games_1, kept.games_2, kept.games_3";
    db.sql(&format!("GRANT SELECT ON {partitions} TO visitor"));
    assert_eq!(asked("visitor"), format!("index|{games}"), "with rights on the partitions");
    db.sql("REVOKE SELECT ON kept.games FROM visitor");
    let refusal = db.refuses("SET ROLE visitor; SELECT * FROM kept.explorer(public.startBoard())");
    assert_eq!(refusal.code, "42501", "with rights on the partitions alone: {refusal:?}");
}
