//! Questions with a special answer, and questions that are refused.

use crate::loaded;

#[test]
#[ignore = "needs a server"]
fn castling_ends_and_boards_that_no_game_has() {
    let db = loaded("special");
    let castling = "SELECT uci, san FROM chess.explorer('r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq -') WHERE san = 'O-O'";
    assert_eq!(db.sql(castling), "e1g1|O-O", "castling is the king's move");
    let end = "SELECT every(uci IS NULL AND reached IS NULL AND reached_white IS NULL AND games = 1)
        FROM (SELECT (chess.explorer(finalBoard(game))).* FROM chess.games ORDER BY id DESC LIMIT 20) e WHERE san IS NULL";
    assert_eq!(db.sql(end), "t", "a position where a game ends has a row without a move");
    assert_eq!(db.sql("SELECT count(*) FROM chess.explorer('8/8/8/8/8/8/8/8 w - -')"), "0", "a board without kings");
    assert_eq!(db.sql("SELECT count(*) FROM chess.explorer(NULL)"), "0", "no board");
    let speeds = "SELECT chess.speed('6+0.06'), chess.time_control_seconds('6+0.1'), chess.speed('180.5+2'), chess.speed('1.+1')";
    assert_eq!(db.sql(speeds), "ultraBullet|10|blitz|unknown", "the speed of fractions");
}

#[test]
#[ignore = "needs a server"]
fn a_move_has_the_results_of_the_position_after_it() {
    let db = loaded("after");
    let filters =
        ["", ", rating => '[1500,)'", ", player => 'Player 1'", ", speeds => '{blitz,unknown}', result => '0-1'"];
    let each = |filters: &str| {
        format!(
            "SELECT count(*) AS moves, count(*) FILTER (WHERE e.reached > e.games) AS transposed,
                count(*) FILTER (WHERE (e.reached, e.reached_white, e.reached_draws, e.reached_black) IS DISTINCT FROM
                    (a.games, a.white, a.draws, a.black) OR e.reached_score IS DISTINCT FROM a.score
                    OR e.games = e.reached AND e.reached_average_rating IS DISTINCT FROM e.average_rating) AS differ
             FROM (SELECT DISTINCT epd(getBoard(game, ply)) AS epd FROM (SELECT game FROM chess.games ORDER BY md5(id::text) LIMIT 60) g,
                       unnest('{{0,1,2,3,4,5,6,9,30}}'::integer[]) ply WHERE plyCount(game) >= ply) p,
                  LATERAL (SELECT (p.epd || ' 0 1')::chessboard AS board) b, chess.explorer(board{filters}) e,
                  LATERAL (SELECT sum(games), sum(white), sum(draws), sum(black),
                               ((CASE turn(board) WHEN 'w' THEN sum(white) ELSE sum(black) END + sum(draws) / 2)::float8
                                   / nullif(sum(white) + sum(draws) + sum(black), 0)::float8)
                           FROM chess.explorer(play(board, e.san), reached => false{filters})) a (games, white, draws, black, score)
             WHERE e.san IS NOT NULL"
        )
    };
    let all = filters.map(each).join(" UNION ALL ");
    let sums = "SELECT sum(moves) > 1000, sum(transposed) > 20, sum(differ)";
    assert_eq!(db.sql(&format!("{sums} FROM ({all}) s")), "t|t|0");
}

#[test]
#[ignore = "needs a server"]
fn bad_questions_are_refused() {
    let db = loaded("bad");
    let questions = [
        "explorer('startpos', color => 'x', player => 'a')",
        "explorer('startpos', color => 'w')",
        "explorer('startpos', result => 'won')",
        "explorer('startpos', speeds => '{fast}')",
        "explorer('startpos', rating => '2500')",
        "explorer_games(rating => '')",
        "explorer('startpos', speeds => '{NULL}')",
        "explorer_games(sort => 'name')",
        "explorer_games(after => -1)",
        "explorer_games(count => -1)",
    ];
    for question in questions {
        let refusal = db.refuses(&format!("SELECT * FROM chess.{question}"));
        assert_eq!(refusal.code, "22023", "{question}: {refusal:?}");
    }
    let hint = db.refuses("SELECT * FROM chess.explorer('startpos', rating => '2500')").hint;
    assert_eq!(hint, "Write '[2200,2500)' or '[2500,)', and several ranges as '{[1600,1800),[2000,)}'.");
    let reversed = db.refuses("SELECT * FROM chess.explorer('startpos', rating => '[2500,2200)')");
    assert_eq!(reversed.code, "22000", "bounds in the wrong order: {reversed:?}");
    let quotes = r"SELECT * FROM chess.explorer('startpos', player => 'a'' OR true --', event => '\'' OR 1=1', time_control => ''';--')";
    assert_eq!(db.sql(quotes), "", "quotes in names find nothing and break nothing");
}
