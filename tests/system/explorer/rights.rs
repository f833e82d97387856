//! Who may ask, and under which names.

use chess_system::Database;

use crate::{games, loaded};

#[test]
#[ignore = "needs a server"]
fn a_schema_may_have_quotes_in_its_name() {
    let db = Database::new("quotes");
    db.pgn("load --index --schema").arg("Ein 'Schema\"").arg(games(&db)).succeeds();
    let asked = "SELECT count(*), sum(games) FROM \"Ein 'Schema\"\"\".explorer('startpos', result => NULL)";
    assert_eq!(db.sql(asked), "7|1554");
    assert_eq!(db.sql("SELECT \"Ein 'Schema\"\"\".explorer_source('startpos')"), "index");
}

#[test]
#[ignore = "needs a server"]
fn who_may_read_the_games_may_ask_and_nobody_else() {
    let db = loaded("readers");
    db.sql("CREATE ROLE reader; CREATE ROLE nobody; GRANT USAGE ON SCHEMA chess TO reader, nobody; GRANT SELECT ON ALL TABLES IN SCHEMA chess TO reader");
    let mut session = db.session();
    session.sql("SET ROLE reader; SET search_path = ''");
    let asked = "SELECT sum(games) > 1000, (SELECT count(*) FROM chess.explorer_games(public.startboard()))
        FROM chess.explorer(public.startboard(), speeds => '{blitz,unknown,bullet,classical,correspondence}')";
    assert_eq!(session.sql(asked), "t|15", "whatever the search_path");
    let refusal = db.refuses("SET ROLE nobody; SELECT * FROM chess.explorer(public.startboard())");
    assert_eq!(refusal.code, "42501", "{refusal:?}");
}
