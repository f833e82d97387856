//! Tables that are not as the loader makes them: domains, generated columns, columns that were dropped, renamed or retyped, two games in
//! a row, partial indexes, children by INHERITS. Each query is asked with `chess.enable_index_sums` on and off in one snapshot.

use crate::aggregates::{E4, NODE, agrees, asking};
use crate::{loaded, ordered};

/// What makes a table of chess.games, and queries with the node that must answer, or "" if none may.
type Table = (&'static str, &'static [(&'static str, &'static str)]);

const TABLES: &[Table] = &[
    (
        "CREATE DOMAIN a_game AS chessgame CHECK (plyCount(VALUE) >= 0); CREATE DOMAIN a_board AS chessboard; CREATE DOMAIN elo AS int CHECK (VALUE >= -100);
         CREATE TABLE domains (g a_game, e elo, day date);
         INSERT INTO domains SELECT game, white_elo, lower(dates) FROM chess.games; CREATE INDEX ON domains USING chess (g, e, day)",
        &[
            (NODE, "SELECT count(*) FROM domains WHERE hasBoard(g, '{e4}'::a_board) AND e > 1500"),
            (NODE, "SELECT count(*) FROM domains WHERE hasBoard(g, (SELECT '{e4}'::a_board)) AND e = 1500::elo"),
            (NODE, "SELECT nextMove(g, '{e4}'), count(*), max(day), sum(e) FILTER (WHERE e > 0) FROM domains WHERE hasBoard(g, '{e4}') GROUP BY 1 ORDER BY 1"),
            (ordered::NODE, "SELECT day FROM domains WHERE hasBoard(g, '{e4}') ORDER BY day DESC NULLS LAST LIMIT 9"),
        ],
    ),
    (
        "CREATE TABLE generated (src text, e int, game chessgame GENERATED ALWAYS AS (src::chessgame) STORED, plies int GENERATED ALWAYS AS (plyCount(src::chessgame)) STORED);
         INSERT INTO generated SELECT game::text, white_elo FROM chess.games WHERE id < 300; CREATE INDEX ON generated USING chess (game, e, plies)",
        &[
            (NODE, "SELECT nextMove(game, '{e4}'), count(*), max(plies) FROM generated WHERE hasBoard(game, '{e4}') AND plies > 20 GROUP BY 1 ORDER BY 1"),
            (ordered::NODE, "SELECT e FROM generated WHERE hasBoard(game, '{e4}') ORDER BY e DESC NULLS LAST LIMIT 5"),
        ],
    ),
    (
        "CREATE TABLE changed (a int, b text, game chessgame, white_elo int, c int, day date);
         INSERT INTO changed SELECT id, 'x', game, white_elo, 1, lower(dates) FROM chess.games; ALTER TABLE changed DROP b;
         CREATE INDEX ON changed USING chess (game, white_elo, day); ALTER TABLE changed DROP c; ALTER TABLE changed RENAME game TO \"Partie\";
         ALTER TABLE changed ADD z int DEFAULT 7; ALTER TABLE changed RENAME white_elo TO w; ALTER TABLE changed ALTER w TYPE smallint",
        &[
            (NODE, "SELECT count(*) FROM changed WHERE hasBoard(\"Partie\", '{e4}') AND w > 1200"),
            ("", "SELECT sum(w) FILTER (WHERE w > 0), max(w) FILTER (WHERE w > 0) FROM changed WHERE hasBoard(\"Partie\", '{e4}') AND w > 1200"),
            (NODE, "SELECT nextMove(\"Partie\", '{e4}'), CASE WHEN count(*) = 1 THEN min(z) END, CASE WHEN count(*) = 1 THEN max(a) END FROM changed WHERE hasBoard(\"Partie\", '{e4}') GROUP BY 1 ORDER BY 1"),
            (ordered::NODE, "SELECT a, z, w, \"Partie\" FROM changed WHERE hasBoard(\"Partie\", '{e4}') ORDER BY day DESC NULLS LAST, a LIMIT 5"),
        ],
    ),
    (
        "CREATE TABLE two (a chessgame, b chessgame, e int);
         INSERT INTO two SELECT x.game, y.game, x.white_elo FROM chess.games x JOIN chess.games y ON y.id = x.id + 1;
         CREATE INDEX ON two USING chess (a, e); CREATE INDEX ON two USING chess (b, e)",
        &[
            (NODE, "SELECT count(*) FROM two WHERE hasBoard(a, '{e4}')"),
            (NODE, "SELECT nextMove(b, '{e4}'), count(*) FROM two WHERE hasBoard(b, '{e4}') AND e > 1500 GROUP BY 1 ORDER BY 1"),
            ("", "SELECT nextMove(b, '{e4}'), count(*) FROM two WHERE hasBoard(a, '{e4}') GROUP BY 1 ORDER BY 1"),
            ("", "SELECT count(*) FROM two WHERE hasBoard(a, '{e4}') AND hasBoard(b, '{e4}')"),
            ("", "SELECT count(*) FROM two WHERE hasBoard(a, '{e4}') OR hasBoard(b, '{e4}')"),
            (ordered::NODE, "SELECT e FROM two WHERE hasBoard(b, '{e4}') ORDER BY e DESC NULLS LAST LIMIT 5"),
        ],
    ),
    (
        "CREATE TABLE partial AS SELECT id, game, white_elo FROM chess.games;
         CREATE INDEX ON partial USING chess (game, white_elo) WHERE white_elo > 1500;
         CREATE INDEX ON partial USING chess (getFirstMoves(game, 10), white_elo)",
        &[
            ("", "SELECT count(*) FROM partial WHERE hasBoard(game, '{e4}')"),
            ("", "SELECT count(*) FROM partial WHERE hasBoard(game, '{e4}') AND white_elo > 1600"),
            ("", "SELECT count(*) FROM partial WHERE hasBoard(getFirstMoves(game, 10), '{e4}')"),
            ("", "SELECT id FROM partial WHERE hasBoard(game, '{e4}') AND white_elo > 1600 ORDER BY white_elo DESC, id LIMIT 5"),
        ],
    ),
    (
        "CREATE TABLE parent (id int, game chessgame, e int); CREATE TABLE kid (x text, e int, game chessgame, id int);
         ALTER TABLE kid DROP x; ALTER TABLE kid INHERIT parent;
         INSERT INTO kid (id, game, e) SELECT id, game, white_elo FROM chess.games WHERE id < 700;
         INSERT INTO parent SELECT id, game, white_elo FROM chess.games WHERE id >= 700;
         CREATE INDEX ON parent USING chess (game, e); CREATE INDEX ON kid USING chess (game, e); ANALYZE parent; ANALYZE kid",
        &[
            ("", "SELECT count(*) FROM parent WHERE hasBoard(game, '{e4}')"),
            (NODE, "SELECT count(*) FROM ONLY parent WHERE hasBoard(game, '{e4}') AND e > 1500"),
            (NODE, "SELECT count(*) FROM kid WHERE hasBoard(game, '{e4}') AND e > 1500"),
            (ordered::NODE, "SELECT id FROM parent WHERE hasBoard(game, '{e4}') ORDER BY e DESC NULLS LAST, id LIMIT 9"),
        ],
    ),
];

#[test]
#[ignore = "needs a server"]
fn tables_of_every_kind_have_the_answers_of_the_rows() {
    let db = loaded("tables");
    let mut session = asking(&db);
    for (makes, queries) in TABLES {
        db.sql(makes);
        for (node, query) in *queries {
            let query = query.replace("{e4}", E4);
            let answered =
                |session: &mut _| agrees(session, &query, if node.is_empty() { "Chess Index" } else { node });
            assert_eq!(answered(&mut session), !node.is_empty(), "whether {node} answers {query}");
        }
    }
}

#[test]
#[ignore = "needs a server"]
fn a_cursor_goes_on_whatever_is_set_meanwhile() {
    let db = loaded("set_meanwhile");
    let mut session = asking(&db);
    let ordered =
        format!("SELECT id FROM chess.games WHERE hasBoard(game, '{E4}') ORDER BY white_elo DESC NULLS LAST, id");
    let all = session.rows(&ordered);
    session.sql(&format!("BEGIN; DECLARE asking CURSOR FOR {ordered}"));
    let mut read = session.rows("FETCH 2 FROM asking");
    session.sql("SET LOCAL chess.enable_index_sums = off; SET LOCAL work_mem = '64kB'");
    read.extend(session.rows("FETCH 5 FROM asking"));
    // Its snapshot does not see what its own transaction changes later.
    session.sql(&format!("DELETE FROM chess.games WHERE id = {}", all[9]));
    session.sql("SET LOCAL chess.enable_index_sums = on; SET LOCAL enable_seqscan = on");
    read.extend(session.rows("FETCH 20 FROM asking"));
    assert_eq!(read, all[..27]);
    session.sql("ROLLBACK");
}
