//! How tests ask about the plans and the pages of the explorer.

use crate::Session;

/// The plan of every query that a statement runs, including those inside functions, with actual row counts. `None` if the
/// server has no `auto_explain`.
#[track_caller]
pub fn plans(session: &mut Session, statement: &str) -> Option<String> {
    if !session.can("LOAD 'auto_explain'") {
        return None;
    }
    session.sql(
        "SET auto_explain.log_nested_statements = on; SET auto_explain.log_analyze = on;
         SET auto_explain.log_min_duration = 0; SET client_min_messages = log",
    );
    session.notices();
    session.sql(statement);
    Some(session.notices().join("\n"))
}

/// The question for what pages of `count` games list: whether they are as many as have the board, how many they are,
/// and whether they are in order.
pub fn paged(board: &str, count: u32) -> String {
    let page = format!("SELECT id FROM chess.explorer_games({board}, sort => 'rating', count => {count}");
    format!(
        "WITH RECURSIVE pages AS (
             SELECT ARRAY({page})) AS ids
             UNION ALL
             SELECT ARRAY({page}, after => ids[cardinality(ids)])) FROM pages WHERE cardinality(ids) = {count}
         ), listed AS (SELECT id, row_number() OVER () AS n FROM pages, unnest(ids) id),
         wanted AS (SELECT id, row_number() OVER (ORDER BY coalesce(white_elo, 0) + coalesce(black_elo, 0) DESC, id DESC) AS n
                    FROM chess.games WHERE hasBoard(game, {board}))
         SELECT count(*) = (SELECT count(*) FROM wanted), count(*), every(w.id = l.id) FROM listed l LEFT JOIN wanted w USING (n)"
    )
}
