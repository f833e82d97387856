//! Row level security: each role is told of the games that it sees, counted beforehand only where these are all of them.

use chess_system::{Database, Session, generated};

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
    db.pgn("explorer build --least 20").succeeds();
    db.sql(
        "CREATE ROLE pupil; CREATE ROLE trusted BYPASSRLS; GRANT USAGE ON SCHEMA chess TO pupil, trusted;
         GRANT SELECT ON ALL TABLES IN SCHEMA chess TO pupil, trusted; CREATE POLICY few ON chess.games USING (id % 100 = 0)",
    );
    let told = |role: &str| asked(&mut db.session(), role, "chess");
    let expected = |role: &str, source: &str| seen(&mut db.session(), role, source);
    assert_eq!(told("pupil"), expected("pupil", "cube"), "a policy that is not enabled");
    db.sql("ALTER TABLE chess.games ENABLE ROW LEVEL SECURITY");
    for view in ["definer", "invoker"] {
        if view == "invoker" {
            for name in ["pgn_view", "evaluations", "losses", "mistakes", "accuracies"] {
                db.sql(&format!("ALTER VIEW chess.{name} SET (security_invoker = true)"));
            }
        }
        // in one session, whose plans are kept
        let mut session = db.session();
        for (role, source) in [("postgres", "cube"), ("pupil", "live"), ("trusted", "cube"), ("pupil", "live")] {
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

    let cube = "chess.explorer_build, chess.explorer_position, chess.explorer_cell, chess.explorer_total, chess.explorer_list, \
        chess.explorer_known, chess.explorer_listed, chess.explorer_pending, chess.explorer_pending_game, chess.explorer_pending_games, \
        chess.explorer_stale";
    db.sql(&format!("REVOKE SELECT ON {cube} FROM pupil"));
    assert_eq!(told("pupil"), expected("pupil", "live"), "without rights on the cube");
    db.sql(&format!("GRANT SELECT ON {cube} TO pupil; ALTER TABLE chess.games DISABLE ROW LEVEL SECURITY"));
    let secured = |tables: &[&str]| {
        let mut session = db.session();
        session.sql("BEGIN");
        for table in tables {
            session.sql(&format!("ALTER TABLE chess.{table} ENABLE ROW LEVEL SECURITY"));
        }
        asked(&mut session, "pupil", "chess")
    };
    let needed = [
        "pieces",
        "explorer_build",
        "explorer_position",
        "explorer_cell",
        "explorer_total",
        "explorer_list",
        "explorer_pending",
        "explorer_pending_game",
        "explorer_stale",
    ];
    for table in needed {
        assert_eq!(secured(&[table]), expected("pupil", "live"), "row security of {table}");
    }
    assert_eq!(secured(&["players", "events"]), expected("pupil", "cube"), "of tables that the cube does not need");
}

#[test]
#[ignore = "needs a server"]
fn a_cube_is_counted_only_by_who_sees_all_games() {
    let db = Database::new("keepers");
    db.sql("CREATE EXTENSION chess; CREATE ROLE keeper LOGIN; GRANT CREATE ON DATABASE keepers TO keeper");
    let keeper = |words: &str| db.pgn(words).args(["--schema", "kept"]).env("PGUSER", "keeper");
    let asked = |role: &str| {
        let told = asked(&mut db.session(), role, "kept");
        told.rsplit_once('|').unwrap().0.to_owned()
    };
    keeper("schema --partition-by id:3").succeeds();
    keeper("load").arg(games(&db)).succeeds();
    db.sql("CREATE POLICY few ON kept.games USING (id % 100 = 0); ALTER TABLE kept.games ENABLE ROW LEVEL SECURITY");
    keeper("explorer build --least 20").succeeds();
    let games: u32 = db.sql("SELECT count(*) FROM kept.games").parse().unwrap();
    assert_eq!(asked("keeper"), format!("cube|{games}"), "an owner whom no policy concerns");
    db.sql("ALTER TABLE kept.games FORCE ROW LEVEL SECURITY");
    assert_eq!(asked("keeper"), format!("live|{}", games / 100), "an owner whom policies concern");
    for command in ["build", "refresh", "check"] {
        db.sql("INSERT INTO kept.games (id, game) VALUES (DEFAULT, '1. e4')");
        let said = keeper(&format!("explorer {command}")).fails();
        assert_eq!(
            said.matches("row-level security policy for table \"games\"").count(),
            1,
            "explorer {command}: {said}"
        );
    }
    db.sql("CREATE POLICY new ON kept.games FOR INSERT WITH CHECK (true)");
    let said = keeper("load --dedupe").arg(db.file("more.pgn", generated(4, 20))).fails();
    let told = said
        .split_once("the games are loaded, but not counted for the explorer: ")
        .is_some_and(|(_, why)| why.contains("row-level security"));
    assert!(told, "a load that cannot count says that the games are loaded: {said}");
    assert_eq!(asked("postgres"), format!("cube+live|{}", games + 23), "nothing was lost");
}
