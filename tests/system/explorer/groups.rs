//! Sums by groups of years and hundreds of ratings answer as the rows do, whether conditions end where groups do or not, and
//! whatever has been deleted, changed or added. The games are few and stand many times in a table, so that groups are large.

use chess_system::{Session, number};

use crate::aggregates::{Chance, agrees, asking};
use crate::loaded;

/// Games with unknown ratings and dates, with dates of a part of a year, of two years and without an end.
const TABLE: &str = "
    CREATE TABLE grouped (
        id bigint GENERATED ALWAYS AS IDENTITY, game chessgame NOT NULL, white_elo integer, black_elo integer,
        result text NOT NULL CHECK (result IN ('1-0', '0-1', '1/2-1/2', '*')), dates daterange, time_control text);
    CREATE FUNCTION fill(games bigint) RETURNS void LANGUAGE sql AS $$
        INSERT INTO grouped (game, white_elo, black_elo, result, dates, time_control)
        SELECT g.game, CASE n % 11 WHEN 0 THEN NULL WHEN 1 THEN 0 ELSE 2340 + n * 7 % 90 END,
            CASE n % 13 WHEN 0 THEN NULL ELSE 2400 + n * 13 % 60 END, (ARRAY['1-0', '0-1', '1/2-1/2'])[1 + n * n % 3],
            CASE n % 7 WHEN 0 THEN NULL WHEN 1 THEN daterange('2010-12-01', '2011-02-01') WHEN 2 THEN '[2011-05-01,)'
                WHEN 3 THEN '[2010-01-01,2011-01-01)' ELSE daterange('2010-01-01'::date + n * 17 % 730, '2010-01-02'::date + n * 17 % 730)
            END, '180+2'
        FROM generate_series(1, games::int) n JOIN (SELECT game, row_number() OVER (ORDER BY id) AS nr FROM chess.games ORDER BY nr LIMIT 6) g
            ON g.nr = 1 + n * 31 % 6
    $$;
    SELECT fill(9000);
    CREATE INDEX grouped_chess ON grouped USING chess (game, white_elo, black_elo, chess.result_code(result), lower(dates),
        chess.last_day(dates), chess.speed_number(time_control), chess.mean_elo(white_elo, black_elo)) WITH (sums = 17);
    CREATE TABLE boards AS SELECT DISTINCT getBoard(game, ply)::text AS board
    FROM (SELECT game FROM chess.games ORDER BY id LIMIT 6) g, generate_series(0, 5) ply";

/// Conditions that groups decide, then others.
const DECIDED: [&str; 12] = [
    "chess.mean_elo(white_elo, black_elo) <@ '{[2400,)}'::int4multirange",
    "chess.mean_elo(white_elo, black_elo) <@ '{(,2300),[2300,2400)}'::int4multirange",
    "chess.mean_elo(white_elo, black_elo) IS NULL",
    "chess.mean_elo(white_elo, black_elo) IS NOT NULL",
    "lower(dates) >= '2011-01-01'",
    "lower(dates) < '2011-01-01'",
    "lower(dates) IS NULL",
    "chess.last_day(dates) <= '2010-12-31'",
    "chess.last_day(dates) = 'infinity'",
    "result = '1-0'",
    "result <> '0-1'",
    "chess.speed_number(time_control) = ANY ('{1,2}'::integer[])",
];
const OTHERS: [&str; 5] = [
    "chess.mean_elo(white_elo, black_elo) <@ '{[2380,2420)}'::int4multirange",
    "lower(dates) >= '2010-07-01'",
    "chess.last_day(dates) BETWEEN '2010-12-31' AND '2011-06-01'",
    "white_elo >= 2400",
    "black_elo < 2420",
];

fn question(chance: &mut Chance, boards: &[String]) -> String {
    let boards: Vec<&str> = boards.iter().map(String::as_str).collect();
    let board = chance.of(&boards);
    let mut conditions = vec![format!("hasBoard(game, '{board}')")];
    for _ in 0..1 + chance.below(3) {
        let condition = if chance.below(4) == 0 { chance.of(&OTHERS) } else { chance.of(&DECIDED) };
        conditions.push(condition.to_owned());
    }
    let (conditions, next) = (conditions.join(" AND "), format!("nextMove(game, '{board}')"));
    let figures = "count(*), count(*) FILTER (WHERE result = '1-0'), sum(white_elo) FILTER (WHERE white_elo > 0), \
                   avg(black_elo) FILTER (WHERE black_elo > 0), max(lower(dates)), CASE WHEN count(*) = 1 THEN min(id) END";
    match chance.below(3) {
        0 => format!("SELECT count(*) FROM grouped WHERE {conditions}"),
        1 => format!("SELECT result, {figures} FROM grouped WHERE {conditions} GROUP BY 1 ORDER BY 1"),
        _ => format!("SELECT {next}, {figures} FROM grouped WHERE {conditions} GROUP BY 1 ORDER BY 1"),
    }
}

/// The pages that a question reads.
fn pages(session: &mut Session, condition: &str) -> u32 {
    let explain = format!(
        "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF)
         SELECT count(*) FROM grouped WHERE hasBoard(game, 'startpos') AND {condition}"
    );
    session.rows(&explain);
    let plan = session.rows(&explain).join("\n");
    let hit = plan.split_once("shared hit=").unwrap_or_else(|| panic!("{plan}")).1;
    hit.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

#[test]
#[ignore = "needs a server"]
fn groups_answer_as_the_rows() {
    let db = loaded("groups");
    db.sql(TABLE);
    db.sql("VACUUM (ANALYZE) grouped");
    let boards = db.rows("SELECT board FROM boards ORDER BY 1");
    let (mut session, mut chance) = (asking(&db), Chance(number("SEED", 11).into()));
    let mut ask = |session: &mut Session| {
        for _ in 0..number("QUESTIONS", 12) {
            let question = question(&mut chance, &boards);
            assert!(agrees(session, &question, "Chess Index Sums"), "the sums answer {question}");
        }
    };
    for (decided, other) in [(DECIDED[0], OTHERS[0]), (DECIDED[4], OTHERS[1])] {
        let (few, many) = (pages(&mut session, decided), pages(&mut session, other));
        assert!(few < many, "{few} pages for {decided}, {many} for {other}");
    }
    ask(&mut session);
    // Own changes on few pages, undone and then kept; rows that are dead, removed, and in no segment yet.
    let changes = "DELETE FROM grouped WHERE id BETWEEN 100 AND 130;
        UPDATE grouped SET white_elo = 2500, black_elo = 2500, dates = '[2012-01-01,2012-01-02)' WHERE id BETWEEN 4000 AND 4040";
    session.sql(&format!("BEGIN; {changes}"));
    ask(&mut session);
    session.sql("ROLLBACK");
    ask(&mut session);
    session.sql(changes);
    ask(&mut session);
    session.sql("VACUUM grouped");
    ask(&mut session);
    session.sql("SELECT fill(50)");
    ask(&mut session);
    session.sql("DELETE FROM grouped WHERE id % 3 = 0");
    ask(&mut session);
    session.sql("VACUUM grouped");
    session.sql("SELECT chess_index_merge('grouped_chess')");
    ask(&mut session);
    session.sql("SELECT chess_index_check('grouped_chess', true)");
}
