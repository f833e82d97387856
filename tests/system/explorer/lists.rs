//! Lists of games, page after page.

use chess_system::{paged, plans, skip};

use crate::loaded;

#[test]
#[ignore = "needs a server"]
fn pages_list_every_game_once_in_order() {
    let db = loaded("pages");
    let games = db.sql("SELECT count(*) FROM chess.games WHERE hasBoard(game, 'startpos')");
    assert_eq!(db.sql(&paged("'startpos'", 97)), format!("t|{games}|t"));
    for (sort, key) in [("date", "coalesce(lower(dates), '-infinity')"), ("length", "ply_count")] {
        let question = format!(
            "SELECT ARRAY(SELECT id FROM chess.explorer_games(sort => '{sort}', count => 2000, result => '1-0')) =
             ARRAY(SELECT id FROM chess.games WHERE result = '1-0' ORDER BY {key} DESC, id DESC)"
        );
        assert_eq!(db.sql(&question), "t", "by {sort}");
    }
}

/// More games than an index of the access method stores the first ones of.
#[test]
#[ignore = "needs a server"]
fn lists_of_popular_positions_come_from_their_indexes() {
    let db = loaded("list_plans");
    for (sort, index) in [("rating", "games_ratings_idx"), ("date", "games_latest_idx")] {
        let mut session = db.session();
        session.sql("SET enable_sort = off");
        let Some(plans) = plans(
            &mut session,
            &format!("SELECT count(*) FROM chess.explorer_games('startpos', sort => '{sort}', count => 20)"),
        ) else {
            return skip(
                "indexes of lists: this server has no auto_explain",
                "in a PostgreSQL that is built from source: make -C contrib install",
            );
        };
        let words = plans.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let indexes: Vec<&str> = words.filter(|word| word.starts_with("games_") && word.ends_with("_idx")).collect();
        assert_eq!(indexes, [index], "by {sort}: {plans}");
    }
}

#[test]
#[ignore = "needs a server"]
fn games_of_some_days_come_from_the_index_of_lists() {
    let db = loaded("days");
    let day = db.sql("SELECT lower(dates) FROM chess.games WHERE dates IS NOT NULL ORDER BY 1 LIMIT 1 OFFSET 100");
    let mut session = db.session();
    for dates in [format!("[{day},{day}]"), format!("(,{day})"), format!("[{day},)"), "empty".to_owned()] {
        let listed = format!("chess.explorer_games(NULL, sort => 'rating', dates => '{dates}', count => 2000)");
        let wanted = format!(
            "SELECT ARRAY(SELECT id FROM {listed}) = ARRAY(SELECT id FROM chess.games WHERE dates <@ '{dates}' AND NOT isempty(dates)
             ORDER BY coalesce(white_elo, 0) + coalesce(black_elo, 0) DESC, id DESC LIMIT 2000)"
        );
        assert_eq!(session.sql(&wanted), "t", "{dates}");
    }
    session.sql("SET enable_seqscan = off; SET enable_indexscan = off");
    let question =
        format!("SELECT count(*) FROM chess.explorer_games(NULL, sort => 'rating', dates => '[{day},{day}]')");
    let Some(plans) = plans(&mut session, &question) else {
        return skip(
            "indexes of days: this server has no auto_explain",
            "in a PostgreSQL that is built from source: make -C contrib install",
        );
    };
    assert!(plans.contains("Bitmap Index Scan on games_latest_idx"), "{plans}");
}
