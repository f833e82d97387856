//! Aggregates of plain SQL have the same answers whether an index's sums answer them or the rows, in every snapshot, and
//! for every role. Each query is asked with `chess.enable_index_sums` on and off in one snapshot.

use std::sync::atomic::{AtomicBool, Ordering};
use std::{slice, thread};

use chess_gamegen::splitmix64;
use chess_system::{Database, Session, number};

use crate::loaded;

pub const NODE: &str = "Chess Index Sums";

/// After 1. e4, which half of the generated games reach.
pub const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";

/// The groups of all, of dates, ratings and months.
const REPORT: &str = "reportGroups(525, 0, result, white_elo, black_elo, NULL, lower(dates), chess.last_day(dates) + 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, NULL, NULL)";

/// A session that prefers the index's answers wherever it has them. The tables are too small for the planner to gain much.
pub fn asking(db: &Database<'_>) -> Session {
    let mut session = db.session();
    session.sql("SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_indexscan = off");
    session
}

/// Asks with the index's answers and without, in the open transaction or in one for each; returns whether this node answered.
#[track_caller]
pub fn agrees(session: &mut Session, query: &str, node: &str) -> bool {
    agrees_by(session, &Way::plain(query.to_owned()), node)
}

/// As [`agrees`], in one way to ask.
#[track_caller]
pub fn agrees_by(session: &mut Session, way: &Way, node: &str) -> bool {
    let Way { before, planned, run, after } = way;
    session.sql(before);
    let plan = session.rows(&format!("SET chess.enable_index_sums = on; EXPLAIN (COSTS OFF) {planned}")).join("\n");
    let on = session.rows(run);
    // A prepared statement keeps its plan.
    session.sql("SET chess.enable_index_sums = off; DISCARD PLANS");
    let off = session.rows(run);
    session.sql("SET chess.enable_index_sums = on; DISCARD PLANS");
    session.sql(after);
    assert_eq!(on, off, "{before}\n{run}\n{plan}");
    plan.contains(node)
}

/// A way to ask a query: what is done before and after it, the statement as EXPLAIN takes it, and as it is run.
pub struct Way {
    before: String,
    planned: String,
    run: String,
    after: &'static str,
}

impl Way {
    fn plain(query: String) -> Way {
        Way { before: String::new(), planned: query.clone(), run: query, after: "" }
    }
}

/// Asks as [`agrees`] does; the sums must answer if `by_sums` says so, and must not otherwise.
#[track_caller]
fn check(session: &mut Session, by_sums: bool, queries: &[String]) {
    for query in queries {
        assert_eq!(agrees(session, query, NODE), by_sums, "whether the sums answer {query}");
    }
}

/// Two queries that the sums of `table` answer.
fn two_queries(table: &str) -> [String; 2] {
    let totals = "count(*), count(*) FILTER (WHERE result = '1-0'), avg(score(result, 'w'))";
    [
        format!("SELECT {totals} FROM {table} WHERE hasBoard(game, '{E4}')"),
        format!(
            "SELECT nextMove(game, '{E4}') AS move, {totals} FROM {table} WHERE hasBoard(game, '{E4}') GROUP BY move ORDER BY 2 DESC, 1"
        ),
    ]
}

#[test]
#[ignore = "needs a server"]
fn every_shape_of_query_has_the_answer_of_the_rows() {
    let db = loaded("shapes");
    db.sql("CREATE TABLE boards (n int, board chessboard); INSERT INTO boards VALUES (1, finalBoard('1. e4')), (2, finalBoard('1. d4')), (3, NULL)");
    db.sql(&format!("CREATE VIEW counted AS SELECT count(*) FROM chess.games WHERE hasBoard(game, '{E4}'); CREATE VIEW games AS SELECT * FROM chess.games"));
    db.sql(
        "CREATE FUNCTION reverse(int, int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT btint4cmp($2, $1)';
         CREATE OPERATOR CLASS reverse FOR TYPE int USING btree AS OPERATOR 1 >, OPERATOR 2 >=, OPERATOR 3 =, OPERATOR 4 <=, OPERATOR 5 <, FUNCTION 1 reverse(int, int);
         CREATE TYPE reversed AS RANGE (subtype = int, subtype_opclass = reverse)",
    );
    let mut session = asking(&db);
    let (here, reached) = ("chess.games", format!("hasBoard(game, '{E4}')"));
    let next = format!("nextMove(game, '{E4}')");
    let groups = format!("SELECT {next} AS move, count(*) AS n FROM {here} WHERE {reached} GROUP BY 1");
    let values = [
        ("{groups}", &*groups),
        ("{next}", &next),
        ("{reached}", &reached),
        ("{rated}", "FILTER (WHERE white_elo > 0)"),
        ("{other}", "finalBoard('1. d4')"),
        ("{report}", REPORT),
        ("{ending}", "game @@ 'flip(KQP*vKRP*)'"),
        ("{here}", here),
        ("{e4}", E4),
    ];
    for part in include_str!("shapes.sql").split("-- By the ").skip(1) {
        let mut lines = part.lines();
        let is_by_sums = lines.next().unwrap().starts_with("sums:");
        let filled = |line: &str| values.iter().fold(line.to_owned(), |line, (name, value)| line.replace(name, value));
        let queries: Vec<String> = lines.filter(|line| !line.is_empty()).map(filled).collect();
        assert!(queries.len() > 10, "{part}");
        check(&mut session, is_by_sums, &queries);
    }
    // Constraints tell that all values are above 0.
    check(&mut session, false, &[format!("SELECT avg(black_elo) FROM {here} WHERE {reached}")]);
    db.sql("UPDATE chess.games SET black_elo = NULL WHERE black_elo <= 0; ALTER TABLE chess.games ADD CONSTRAINT rated CHECK (black_elo > 0)");
    check(
        &mut session,
        true,
        &[format!("SELECT avg(black_elo), sum(black_elo), count(black_elo) FROM {here} WHERE {reached}")],
    );
    db.sql("ALTER TABLE chess.games DROP CONSTRAINT rated, ADD CONSTRAINT rated CHECK (black_elo = ANY (array_append('{1,2}', NULL::int)))");
    check(&mut session, false, &[format!("SELECT avg(black_elo) FROM {here} WHERE {reached}")]);
    db.sql("ALTER TABLE chess.games DROP CONSTRAINT rated");
    for setting in [
        "jit = on; SET jit_above_cost = 0",
        "parallel_leader_participation = off",
        "enable_partitionwise_aggregate = on",
        "plan_cache_mode = force_generic_plan",
    ] {
        session.sql(&format!("SET {setting}"));
        check(&mut session, true, &two_queries("chess.games"));
    }
    let plan = session.rows(&format!("EXPLAIN (COSTS OFF) {groups} HAVING count(*) > 1")).join("\n");
    assert_eq!(
        plan,
        format!(
            "Custom Scan (Chess Index Sums)\n  Filter: ((count(*)) > 1)\n  Index: games_chess_idx\n  Index Cond: hasboard(game, '{E4} 0 1'::chessboard)"
        )
    );
    let scans = |session: &mut Session| {
        session.sql("SELECT pg_stat_force_next_flush()");
        session
            .sql("SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'games_chess_idx'")
            .parse::<u64>()
            .unwrap()
    };
    let before = scans(&mut session);
    session.sql("SELECT * FROM counted");
    let after = scans(&mut session);
    assert_eq!(after, before + 1, "a question counts as a scan of the index");
}

/// A source of random choices.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, most: u64) -> u64 {
        splitmix64(&mut self.0) % most
    }

    pub fn of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn rating(&mut self) -> String {
        match self.below(6) {
            0 => self.of(&["0", "-5", "1", "40000", "NULL::int"]).to_owned(),
            _ => (1000 + 50 * self.below(36)).to_string(),
        }
    }

    pub fn condition(&mut self) -> String {
        let elo = self.of(&["white_elo", "black_elo"]);
        let operator = self.of(&["<", "<=", "=", ">=", ">"]);
        let result = |chance: &mut Chance| chance.of(&["1-0", "0-1", "1/2-1/2", "*"]).to_owned();
        let (one, other) = (self.rating(), self.rating());
        match self.below(16) {
            0 => format!("{elo} {operator} {one}"),
            1 => format!("{one} {operator} {elo}"),
            2 => format!("{elo} BETWEEN {one} AND {other}"),
            3 => format!("{elo} IN ({one}, {other}, 1500)"),
            4 => format!("{elo} = ANY (ARRAY[{one}, NULL, {other}]::bigint[])"),
            5 => format!("{elo} {}", self.of(&["IS NULL", "IS NOT NULL"])),
            6 => format!("result = '{}'", result(self)),
            7 => format!("result IN ('{}', '{}')", result(self), result(self)),
            8 => format!("'{}' = result", result(self)),
            9 => format!("chess.result_code(result) {operator} {}", self.below(5)),
            10 => format!(
                "{} {operator} date '{}-06-01'",
                self.of(&["lower(dates)", "chess.last_day(dates)"]),
                1990 + self.below(36)
            ),
            11 => format!("chess.speed_number(time_control) {operator} {}", self.below(6)),
            12 => format!("result {} ('{}', '{}')", self.of(&["IN", "NOT IN"]), result(self), result(self)),
            13 => format!("result <> '{}'", result(self)),
            14 => format!(
                "{} daterange(date '{}-06-01', NULL)",
                self.of(&["lower(dates) <@", "chess.last_day(dates) <@"]),
                1990 + self.below(36)
            ),
            _ => format!(
                "{} <@ '{}'::int4multirange",
                self.of(&[elo, "chess.mean_elo(white_elo, black_elo)"]),
                self.of(&["{[1200,1500),[1700,)}", "{(,1600]}", "{}", "{[0,0],(1499,1501)}", "{(,)}"])
            ),
        }
    }

    /// Aggregates of ratings and days, and the value of a row alone.
    fn figures(&mut self) -> String {
        let figures: Vec<String> = (0..1 + self.below(4)).map(|_| self.figure()).collect();
        figures.join(", ")
    }

    fn figure(&mut self) -> String {
        let elo = self.of(&["white_elo", "black_elo"]);
        let result = match self.below(4) {
            0 => "result = '1-0'",
            1 => "result <> '*'",
            2 => "result IN ('0-1', '1/2-1/2')",
            _ => "",
        };
        let and = if result.is_empty() { "" } else { " AND " };
        let only = if result.is_empty() { String::new() } else { format!(" FILTER (WHERE {result})") };
        match self.below(6) {
            0 => format!("count(*) FILTER (WHERE {elo} > 0{and}{result})"),
            1 => format!("sum({elo}) FILTER (WHERE {elo} > 0{and}{result})"),
            2 => format!("avg({elo}) FILTER (WHERE {elo} >= 1{and}{result})"),
            3 => format!("max(lower(dates)){only}"),
            4 => format!("count({elo}) FILTER (WHERE 0 < {elo}{and}{result})"),
            _ => format!(
                "CASE WHEN count(*) = 1 THEN {}({}) END",
                self.of(&["min", "max"]),
                self.of(&["id", "white_elo", "black_elo"])
            ),
        }
    }

    /// A condition on games that reach a board, or one of two, and whether it is about a single position.
    pub fn reached(&mut self, board: &str, other: &str) -> (String, bool) {
        let form = self.below(9);
        let reached = match form {
            0 | 1 => format!("hasBoard(game, '{board}')"),
            2 | 3 => format!("game @> '{board}'"),
            4 => format!("'{board}' <@ game"),
            5 => format!("(hasBoard(game, '{board}') OR hasBoard(game, '{other}'))"),
            6 => format!("game && ARRAY['{board}', NULL, '{other}']::chessboard[]"),
            7 => format!("hasPieces(game, '{board}')"),
            _ => format!("(game @~ '{board}' OR game @> ANY (ARRAY['{other}']::chessboard[]))"),
        };
        (reached, form <= 4)
    }

    /// A query about a board of the table, or also about another one.
    fn query(&mut self, table: &str, board: &str, other: &str) -> String {
        let (reached, is_one) = self.reached(board, other);
        let mut conditions = vec![reached];
        for _ in 0..self.below(4) {
            let condition = self.condition();
            conditions.insert(self.below(conditions.len() as u64 + 1) as usize, condition);
        }
        let (conditions, next) = (conditions.join(" AND "), format!("nextMove(game, '{board}')"));
        let figures = self.figures();
        let all = "count(*), avg(score(result, 'w')), sum(score(result, 'b')), count(*) FILTER (WHERE result = '1-0') AS won, count(1) + 1 AS more";
        // Moves are played in one position.
        let kinds: &[u64] = if is_one { &[0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9] } else { &[0, 1, 4, 7] };
        match kinds[self.below(kinds.len() as u64) as usize] {
            0 => format!("SELECT count(*) FROM {table} WHERE {conditions}"),
            1 => format!("SELECT {all} FROM {table} WHERE {conditions}"),
            2 => {
                format!("SELECT {next} AS move, {all} FROM {table} WHERE {conditions} GROUP BY move ORDER BY 2 DESC, 1")
            }
            3 => format!(
                "SELECT {next} || '!', count(*) FROM {table} WHERE {conditions} GROUP BY {next} HAVING count(*) > 3 OR avg(score(result, 'b')) > 0.4 ORDER BY 1"
            ),
            4 => format!("SELECT result, {all} FROM {table} WHERE {conditions} GROUP BY 1 ORDER BY 1"),
            5 => format!(
                "SELECT {next} AS move, result, count(*) FROM {table} WHERE {conditions} GROUP BY 2, 1 ORDER BY 1, 2"
            ),
            7 => format!("SELECT {figures} FROM {table} WHERE {conditions}"),
            8 => format!("SELECT {next}, {figures} FROM {table} WHERE {conditions} GROUP BY 1 ORDER BY 1"),
            9 => {
                format!("SELECT result, {next}, {figures} FROM {table} WHERE {conditions} GROUP BY 1, 2 ORDER BY 1, 2")
            }
            _ => format!(
                "SELECT * FROM (SELECT {next} AS move, {all} FROM {table} WHERE {conditions} GROUP BY 1) x WHERE move > 'c' AND count > 1 ORDER BY 1"
            ),
        }
    }
}

impl Chance {
    /// A way to ask a query of the table chess.games, in which this board stands as a constant: as it is, prepared, by a cursor,
    /// for several boards of another table, in a CTE, by a view, or after own changes that are undone.
    pub fn way(&mut self, query: &str, board: &str) -> Way {
        let constant = format!("'{board}'");
        match self.below(14) {
            0 | 1 => {
                let mode = self.of(&["force_generic_plan", "force_generic_plan", "force_custom_plan"]);
                let value = if self.below(8) == 0 { "NULL" } else { &constant };
                let statement = query.replace(&constant, "$1");
                Way {
                    before: format!("SET plan_cache_mode = {mode}; PREPARE asked (chessboard) AS {statement}"),
                    after: "DEALLOCATE asked; RESET plan_cache_mode",
                    ..Way::plain(format!("EXECUTE asked ({value})"))
                }
            }
            2 => {
                let fetch = "FETCH 2 FROM asked; FETCH ALL FROM asked";
                let (kind, fetches) = match self.below(3) {
                    0 => ("NO SCROLL CURSOR", fetch.to_owned()),
                    1 => ("CURSOR WITH HOLD", format!("COMMIT; BEGIN; {fetch}; CLOSE asked")),
                    _ => {
                        ("SCROLL CURSOR", format!("{fetch}; FETCH BACKWARD 3 FROM asked; MOVE FIRST IN asked; {fetch}"))
                    }
                };
                let declare = format!("DECLARE asked {kind} FOR {query}");
                let run = format!("BEGIN; {declare}; {fetches}; COMMIT");
                Way { run, ..Way::plain(declare) }
            }
            3 => {
                let query = query.replace(&constant, "given.board");
                let given = format!("(VALUES ({constant}::chessboard), (NULL)) AS given (board)");
                Way::plain(format!("SELECT asked.* FROM {given}, LATERAL ({query}) AS asked"))
            }
            4 => Way::plain(format!("WITH asked AS MATERIALIZED ({query}) SELECT * FROM asked")),
            5 if !query.contains("ctid") => {
                let condition = self.condition();
                Way {
                    before: format!("CREATE TEMP VIEW seen AS SELECT * FROM chess.games WHERE {condition}"),
                    after: "DROP VIEW seen",
                    ..Way::plain(query.replace("FROM chess.games", "FROM seen"))
                }
            }
            6 => {
                let (deleted, changed) = (self.below(1500), self.below(1500));
                let undone = self.of(&["ROLLBACK TO changed", "RELEASE changed", "SAVEPOINT later"]);
                let before = format!(
                    "BEGIN; DELETE FROM chess.games WHERE id BETWEEN {deleted} AND {deleted} + 9; SAVEPOINT changed;
                     UPDATE chess.games SET white_elo = 2000, result = '1-0' WHERE id BETWEEN {changed} AND {changed} + 9;
                     INSERT INTO chess.games (white_id, black_id, result, game, tags)
                         SELECT white_id, black_id, '0-1', game, '{{}}' FROM chess.games WHERE id BETWEEN {changed} AND {changed} + 5; {undone}"
                );
                Way { before, after: "ROLLBACK", ..Way::plain(query.to_owned()) }
            }
            _ => Way::plain(query.to_owned()),
        }
    }
}

/// Boards of games, most from openings. A few have another side to move, other rights of castling or other clocks.
pub fn boards(db: &Database<'_>, chance: &mut Chance, count: u32) -> Vec<String> {
    let plies = (0..count).map(|_| (chance.below(8) * chance.below(8)).to_string()).collect::<Vec<_>>().join(", ");
    let boards = db.rows(&format!(
        "SELECT getBoard(game, least(ply, plyCount(game))) FROM unnest('{{{plies}}}'::int[]) WITH ORDINALITY AS p (ply, nth)
         JOIN (SELECT game, row_number() OVER (ORDER BY id) * 7 % 1499 AS n FROM chess.games) g ON n = nth % 1499"
    ));
    let mut change = |board: &String| {
        let mut fields: Vec<&str> = board.split(' ').collect();
        match chance.below(20) {
            0 => (fields[1], fields[3]) = (if fields[1] == "w" { "b" } else { "w" }, "-"),
            1 => fields[2] = "-",
            2 => fields[3] = "-",
            3 => fields[4] = "7",
            _ => {}
        }
        fields.join(" ")
    };
    boards.iter().map(&mut change).collect()
}

#[test]
#[ignore = "needs a server"]
fn random_questions_have_the_answers_of_the_rows() {
    let db = loaded("random");
    let seed = u64::from(number("SEED", 5));
    let mut chance = Chance(seed);
    let mut session = asking(&db);
    let (mut asked, mut by_sums) = (0, 0);
    let boards = boards(&db, &mut chance, number("POSITIONS", 200));
    for (board, other) in boards.iter().zip(boards.iter().cycle().skip(1)) {
        let query = chance.query("chess.games", board, other);
        let way = chance.way(&query, board);
        by_sums += u32::from(agrees_by(&mut session, &way, NODE));
        asked += 1;
    }
    assert!(by_sums * 10 > asked * 9, "the sums answered {by_sums} of {asked} questions");
}

impl Chance {
    /// Pieces of a side, as in a pattern.
    fn pieces(&mut self) -> String {
        let pieces = self.of(&["", "Q", "R", "B", "N", "[BN]", "[QR]", "[QRBN]", "RR", "R[BN]"]);
        format!("K{pieces}{}", self.of(&["", "P", "PP", "P*", "P*"]))
    }

    /// A pattern whose lists decide.
    fn ending(&mut self) -> String {
        let ending = format!("{}v{}", self.pieces(), self.pieces());
        if self.below(2) == 0 { ending } else { format!("flip({ending})") }
    }

    /// A query about endings.
    fn query_of_endings(&mut self) -> String {
        let mut conditions = vec![format!("game @@ '{}'", self.ending())];
        for _ in 0..self.below(3) {
            conditions.push(if self.below(4) == 0 { format!("game @@ '{}'", self.ending()) } else { self.condition() });
        }
        let (conditions, own, figures) = (conditions.join(" AND "), self.ending(), self.figures());
        let figures = format!("count(*) AS n, sum(score(result, 'b')), {figures}");
        match self.below(6) {
            0 => format!("SELECT {figures} FROM chess.games WHERE {conditions}"),
            1 => format!("SELECT result, {figures} FROM chess.games WHERE {conditions} GROUP BY 1 ORDER BY 1"),
            2 => format!("SELECT game @@ '{own}' AS own, {figures} FROM chess.games WHERE {conditions} GROUP BY 1 ORDER BY 1"),
            3 => format!("SELECT g.* FROM (SELECT {REPORT} AS groups FROM chess.games WHERE {conditions}) x, unnest(groups) g ORDER BY part, number"),
            4 => format!(
                "SELECT own, n, g.* FROM (SELECT game @@ '{own}' AS own, {figures}, {REPORT} AS groups FROM chess.games WHERE {conditions} GROUP BY 1) x,
                     unnest(groups) g ORDER BY own, part, number"
            ),
            _ => format!(
                "SELECT result, game @@ '{own}' AS own, {figures} FROM chess.games WHERE {conditions} GROUP BY 2, 1 ORDER BY 1, 2"
            ),
        }
    }
}

#[test]
#[ignore = "needs a server"]
fn random_questions_about_endings_have_the_answers_of_the_rows() {
    let db = loaded("random_endings");
    let mut chance = Chance(u64::from(number("SEED", 5)));
    let mut session = asking(&db);
    let (mut asked, mut by_sums) = (0, 0);
    let board = "8/8/8/8/8/8/8/8 w - -";
    for _ in 0..number("POSITIONS", 200) {
        let query = chance.query_of_endings();
        let way = chance.way(&query, board);
        // No board stands in these, so a join with boards has no order.
        let way = if way.run.contains("LATERAL") { Way::plain(query) } else { way };
        by_sums += u32::from(agrees_by(&mut session, &way, NODE));
        asked += 1;
    }
    assert!(by_sums * 10 > asked * 9, "the sums answered {by_sums} of {asked} questions");
    // Games that are not in a segment yet, rows that are gone, and an index without lists of patterns.
    let changes = [
        "DELETE FROM chess.games WHERE id % 7 = 0",
        "INSERT INTO chess.games (white_id, black_id, result, white_elo, dates, game, tags)
             SELECT white_id, black_id, '0-1', 1800, dates, game, '{}' FROM chess.games WHERE id % 5 = 0",
        "VACUUM chess.games",
        "DROP INDEX chess.games_chess_idx; CREATE INDEX games_chess_idx ON chess.games USING chess (game, white_elo, black_elo, (chess.result_code(result)),
             (lower(dates)), (chess.last_day(dates)), (chess.speed_number(time_control)), (chess.mean_elo(white_elo, black_elo))) WITH (patterns = off)",
    ];
    for change in changes {
        db.sql(change);
        for _ in 0..20 {
            let query = chance.query_of_endings();
            agrees(&mut session, &query, NODE);
        }
    }
}

#[test]
#[ignore = "needs a server"]
fn partitions_are_added_up() {
    let db = loaded("summed_parts");
    let columns = "id, white_elo, black_elo, result, dates, time_control, game";
    db.sql(&format!(
        "CREATE TABLE parts (id bigint, white_elo integer, black_elo integer,
                             result text NOT NULL CHECK (result IN ('1-0', '0-1', '1/2-1/2', '*')),
                             dates daterange, time_control text, game chessgame) PARTITION BY RANGE (id);
         CREATE TABLE part1 PARTITION OF parts FOR VALUES FROM (MINVALUE) TO (500);
         CREATE TABLE part2 (game chessgame, extra int, time_control text, dates daterange, result text NOT NULL
                             CONSTRAINT parts_result_check CHECK (result IN ('1-0', '0-1', '1/2-1/2', '*')), black_elo integer, white_elo integer, id bigint);
         ALTER TABLE part2 DROP COLUMN extra;
         ALTER TABLE parts ATTACH PARTITION part2 FOR VALUES FROM (500) TO (1000);
         CREATE TABLE part3 PARTITION OF parts FOR VALUES FROM (1000) TO (MAXVALUE) PARTITION BY HASH (id);
         CREATE TABLE part30 PARTITION OF part3 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
         CREATE TABLE part31 PARTITION OF part3 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
         INSERT INTO parts ({columns}) SELECT {columns} FROM chess.games;
         CREATE INDEX ON parts USING chess (game, white_elo, black_elo, (chess.result_code(result)), (lower(dates)),
                                            (chess.last_day(dates)), (chess.speed_number(time_control)),
                                            (chess.mean_elo(white_elo, black_elo)));
         ANALYZE parts"
    ));
    let mut session = asking(&db);
    check(&mut session, true, &two_queries("parts"));
    let plan = session.rows(&format!("EXPLAIN (COSTS OFF) {}", two_queries("parts")[0])).join("\n");
    assert_eq!(plan.matches("_idx").count(), 4, "{plan}");
    for setting in ["enable_partitionwise_aggregate = on", "enable_partition_pruning = off"] {
        session.sql(&format!("SET {setting}"));
        check(&mut session, true, &two_queries("parts"));
        check(&mut session, true, &two_queries("part3"));
    }
    let mut chance = Chance(7);
    let mut by_sums = 0;
    let boards = boards(&db, &mut chance, 60);
    for board in &boards {
        by_sums += usize::from(agrees(&mut session, &chance.query("parts", board, E4), NODE));
    }
    assert!(by_sums * 4 > boards.len() * 3, "the sums answered {by_sums} of {} questions", boards.len());
    // A partition without such an index leaves all to the rows, and so does one with other columns in it.
    db.sql("CREATE INDEX ON part31 USING chess (game, black_elo, white_elo); ALTER TABLE parts DETACH PARTITION part2; DROP TABLE part2");
    check(&mut session, true, &two_queries("parts"));
    db.sql("CREATE TABLE part2 PARTITION OF parts FOR VALUES FROM (500) TO (1000)");
    check(&mut session, true, &two_queries("parts"));
    db.sql("DROP INDEX parts_game_white_elo_black_elo_result_code_lower_last_day_s_idx; ANALYZE parts");
    check(&mut session, false, &two_queries("parts"));
    // Children by INHERITS are no partitions.
    db.sql("CREATE TABLE parent (LIKE parts); CREATE TABLE child () INHERITS (parent); INSERT INTO child SELECT * FROM parts;
            CREATE INDEX ON parent USING chess (game); CREATE INDEX ON child USING chess (game)");
    check(&mut session, false, &[format!("SELECT count(*) FROM parent WHERE hasBoard(game, '{E4}')")]);
    check(&mut session, true, &[format!("SELECT count(*) FROM child WHERE hasBoard(game, '{E4}')")]);
}

#[test]
#[ignore = "needs a server"]
fn results_are_told_only_where_constraints_leave_no_others() {
    let db = loaded("constraints");
    db.sql(
        "CREATE TABLE plain AS SELECT white_elo, black_elo, result, game FROM chess.games;
         CREATE INDEX ON plain USING chess (game, white_elo, black_elo, (chess.result_code(result)))",
    );
    let mut session = asking(&db);
    check(&mut session, false, &two_queries("plain"));
    let by_result = format!("SELECT result, count(*) FROM plain WHERE hasBoard(game, '{E4}') GROUP BY 1 ORDER BY 1");
    check(&mut session, false, slice::from_ref(&by_result));
    // NULL is no result, and counts as none of them.
    db.sql("ALTER TABLE plain ADD CHECK (result IN ('1-0', '0-1', '1/2-1/2', '*')); UPDATE plain SET result = NULL WHERE random() < 0.1");
    check(&mut session, true, &two_queries("plain"));
    check(&mut session, true, slice::from_ref(&by_result));
    db.sql("DROP INDEX plain_game_white_elo_black_elo_result_code_idx");
    check(&mut session, false, slice::from_ref(&by_result));
    let codes = "CASE result WHEN '1/2-1/2' THEN 7 WHEN '1-0' THEN -1 WHEN '0-1' THEN 100000 WHEN '*' THEN 0 END";
    db.sql(&format!("CREATE INDEX ON plain USING chess (game, ({codes}), white_elo)"));
    check(&mut session, true, &two_queries("plain"));
    check(&mut session, true, slice::from_ref(&by_result));
    db.sql("ALTER TABLE plain DROP CONSTRAINT plain_result_check; INSERT INTO plain SELECT NULL, NULL, r, game FROM plain, unnest('{x,\" 1-0 \",y}'::text[]) r");
    db.sql("ALTER TABLE plain ADD CHECK (result IN ('1-0', '0-1', '1/2-1/2', '*')) NOT VALID");
    check(&mut session, false, &two_queries("plain"));
    check(&mut session, false, slice::from_ref(&by_result));
    check(
        &mut session,
        true,
        &[format!("SELECT count(*), count(*) FILTER (WHERE result = '1-0') FROM plain WHERE hasBoard(game, '{E4}')")],
    );
    check(&mut session, false, &[format!("SELECT count(*) FROM plain WHERE hasBoard(game, '{E4}') AND result = 'x'")]);
}

#[test]
#[ignore = "needs a server"]
fn the_filters_of_the_explorer_are_tests_of_attributes() {
    let db = loaded("filters");
    let mut session = asking(&db);
    for (by_sums, filters) in [
        (true, "rating => '[1500,)'"),
        (true, "rating => '{[1000,1400),[1800,)}', result => '1-0', speeds => '{blitz,unknown}'"),
        (true, "rating => '{}'"),
        (true, "dates => '[2010-01-01,2014-01-01)', speeds => '{}'"),
        (true, "dates => '(,2012-06-30]'"),
        (true, "dates => '(,)'"),
        (false, "dates => '[-infinity,2012-06-30]'"),
        (false, "white => 'Player 1'"),
        (false, "with_evals => true, result => '*'"),
    ] {
        let condition = session.sql(&format!("SELECT chess.explorer_condition({filters})"));
        let count = format!("SELECT count(*) FROM chess.games g WHERE hasBoard(g.game, '{E4}') AND {condition}");
        check(&mut session, by_sums, &[count]);
        let source = session.sql(&format!("SELECT chess.explorer_source('{E4}', {filters})"));
        assert_eq!(source, if by_sums { "index" } else { "games" }, "{filters}");
        let explored = |by_index| format!("SELECT * FROM chess.explorer('{E4}', {filters}, by_index => {by_index})");
        assert_eq!(session.rows(&explored(true)), session.rows(&explored(false)), "{filters}");
        assert_eq!(session.sql("SHOW chess.enable_index_sums"), "on", "by_index is of one question");
    }
}

#[test]
#[ignore = "needs a server"]
fn a_column_that_is_the_same_in_all_rows_is_a_group() {
    let db = loaded("fixed");
    db.sql(
        "CREATE TABLE fixed AS SELECT 3::smallint AS shard, 70000 AS million, game FROM chess.games;
            ALTER TABLE fixed ADD CHECK (shard = 3), ADD CHECK (million = 70000), ALTER million SET NOT NULL;
            CREATE INDEX ON fixed USING chess (game)",
    );
    let mut session = asking(&db);
    let (reached, none) = (format!("hasBoard(game, '{E4}')"), "hasBoard(game, '8/8/8/8/8/8/8/8')");
    let by_both = format!(
        "SELECT million, nextMove(game, '{E4}'), shard, count(*) FROM fixed WHERE {reached} GROUP BY 3, 2, 1 ORDER BY 2, 3"
    );
    check(
        &mut session,
        true,
        &[
            format!("SELECT million, count(*) FROM fixed WHERE {reached} GROUP BY 1"),
            format!("SELECT million, count(*) FROM fixed WHERE {none} GROUP BY 1"),
        ],
    );
    check(&mut session, false, slice::from_ref(&by_both));
    db.sql("UPDATE fixed SET shard = NULL WHERE random() < 0.5");
    check(&mut session, false, slice::from_ref(&by_both));
    db.sql("UPDATE fixed SET shard = 3; ALTER TABLE fixed ALTER shard SET NOT NULL");
    check(&mut session, true, slice::from_ref(&by_both));
}

#[test]
#[ignore = "needs a server"]
fn each_role_has_the_answer_of_the_rows_it_sees() {
    let db = loaded("roles");
    db.sql(
        "CREATE ROLE counter LOGIN; GRANT USAGE ON SCHEMA chess TO counter; GRANT SELECT (game) ON chess.games TO counter;
         CREATE VIEW only_games AS SELECT game FROM chess.games;
         CREATE VIEW barred WITH (security_barrier) AS SELECT game FROM chess.games WHERE white_elo > 1500",
    );
    db.sql(&format!(
        "CREATE VIEW strong AS SELECT count(*) FROM chess.games WHERE hasBoard(game, '{E4}') AND white_elo >= 1500"
    ));
    let count = |table: &str| format!("SELECT count(*) FROM {table} WHERE hasBoard(game, '{E4}')");
    let mut session = db.session_as("counter");
    session.sql("SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_indexscan = off");
    check(&mut session, true, &[count("chess.games")]);
    for query in [format!("{} AND white_elo >= 1500", count("chess.games")), two_queries("chess.games")[0].clone()] {
        assert_eq!(session.refuses(&query).code, "42501", "a column without rights: {query}");
    }
    db.sql("REVOKE ALL ON chess.games FROM counter; GRANT SELECT ON only_games, strong, barred TO counter");
    assert_eq!(session.refuses(&count("chess.games")).code, "42501", "a table without rights");
    check(&mut session, true, &[count("only_games"), "SELECT * FROM strong".to_owned()]);
    check(&mut session, false, &[count("barred")]);
    db.sql("GRANT SELECT ON chess.games TO counter; CREATE POLICY few ON chess.games USING (id % 3 = 0); ALTER TABLE chess.games ENABLE ROW LEVEL SECURITY");
    check(&mut session, false, &[count("chess.games")]);
    // One prepared statement for roles that see other rows.
    let mut owner = asking(&db);
    let all = owner.sql(&count("chess.games"));
    owner.sql(&format!("PREPARE counted AS {}", count("chess.games")));
    assert_eq!(owner.sql("EXECUTE counted"), all);
    owner.sql("SET ROLE counter");
    let few = owner.sql("EXECUTE counted");
    assert!(few.parse::<u32>().unwrap() < all.parse::<u32>().unwrap(), "{few} of {all}");
    owner.sql("RESET ROLE");
    assert_eq!(owner.sql("EXECUTE counted"), all);
}

#[test]
#[ignore = "needs a server"]
fn a_role_that_may_not_execute_a_function_has_no_answer_for_it() {
    let db = loaded("executors");
    db.sql(
        "CREATE ROLE executor LOGIN; GRANT USAGE ON SCHEMA chess TO executor; GRANT SELECT ON chess.games TO executor",
    );
    let mut session = asking(&db);
    let query = &format!(
        "SELECT nextMove(game, '{E4}') AS move, count(*), sum(score(result, 'w')) FROM chess.games
         WHERE hasBoard(game, '{E4}') AND white_elo >= 1000 GROUP BY move"
    );
    check(&mut session, true, slice::from_ref(query));
    session.sql(&format!("SET plan_cache_mode = force_generic_plan; PREPARE asked AS {query}"));
    for function in [
        "hasboard(chessgame, chessboard)",
        "nextmove(chessgame, chessboard)",
        "score(text, text)",
        "int4ge(integer, integer)",
        "count()",
    ] {
        db.sql(&format!("REVOKE EXECUTE ON FUNCTION {function} FROM public"));
        for sums in ["on", "off"] {
            session.sql(&format!("SET chess.enable_index_sums = {sums}; DISCARD PLANS"));
            session.sql("EXECUTE asked");
            session.sql("SET ROLE executor");
            for statement in [query.as_str(), &format!("EXPLAIN {query}"), "EXECUTE asked"] {
                let refusal = session.refuses(statement);
                assert_eq!(refusal.code, "42501", "{function} with sums {sums}: {statement}");
            }
            session.sql("RESET ROLE");
        }
        db.sql(&format!("GRANT EXECUTE ON FUNCTION {function} TO public"));
    }
}

#[test]
#[ignore = "needs a server"]
fn expressions_are_as_long_as_without_sums() {
    let db = loaded("long");
    db.sql("CREATE TABLE numbers AS SELECT n FROM generate_series(1, 10) AS n; CREATE INDEX ON numbers (n)");
    let mut session = asking(&db);
    let (ones, texts) = ("+1".repeat(2000), "||'x'".repeat(2000));
    let reached = format!("hasBoard(game, '{E4}')");
    let of_numbers = [
        format!("SELECT count(*){ones} FROM numbers WHERE n > 0"),
        format!("SELECT length(count(*)::text{texts}) FROM numbers WHERE n > 0"),
        format!("SELECT count(*) FROM numbers HAVING count(*){ones} > 0"),
    ];
    let of_games = [
        format!("SELECT count(*){ones} FROM chess.games WHERE {reached}"),
        format!("SELECT count(*) FROM chess.games WHERE {reached} HAVING count(*){ones} > 0"),
        format!("SELECT count(*) FROM chess.games WHERE {reached} AND length(nextMove(game, '{E4}')){ones} > 0"),
        format!(
            "SELECT id FROM chess.games WHERE {reached} AND id{ones} > 0 ORDER BY lower(dates) DESC NULLS LAST, id LIMIT 1"
        ),
    ];
    for query in of_numbers.iter().chain(&of_games) {
        let [on, off] = ["on", "off"].map(|sums| {
            session.sql(&format!("SET chess.enable_index_sums = {sums}"));
            session.rows(query)
        });
        assert_eq!(on, off);
    }
}

#[test]
#[ignore = "needs a server"]
fn each_snapshot_has_its_own_answer() {
    let db = loaded("snapshots");
    let queries = two_queries("chess.games");
    let mut owner = asking(&db);
    check(&mut owner, true, &queries);
    owner.sql("VACUUM chess.games");
    check(&mut owner, true, &queries);
    let mut writer = asking(&db);
    writer.sql("BEGIN; DELETE FROM chess.games WHERE id % 9 = 0");
    check(&mut writer, true, &queries);
    writer.sql("INSERT INTO chess.games (white_id, black_id, result, game, tags) SELECT white_id, black_id, '1-0', '1. e4 c5 2. Nf3 1-0', '{}' FROM chess.games LIMIT 200");
    check(&mut writer, true, &queries);
    writer.sql("SAVEPOINT before; UPDATE chess.games SET result = '0-1' WHERE id % 4 = 0");
    check(&mut writer, true, &queries);
    writer.sql("ROLLBACK TO before");
    check(&mut writer, true, &queries);
    check(&mut owner, true, &queries);
    let mut reader = asking(&db);
    reader.sql("BEGIN ISOLATION LEVEL REPEATABLE READ");
    let before = reader.rows(&queries[1]);
    writer.sql("COMMIT");
    owner.sql("VACUUM chess.games");
    owner.sql("SELECT chess_index_merge('chess.games_chess_idx')");
    check(&mut reader, true, &queries);
    assert_eq!(reader.rows(&queries[1]), before, "a snapshot does not change");
    reader.sql("COMMIT");
    check(&mut reader, true, &queries);
    assert_ne!(reader.rows(&queries[1]), before);
    owner.sql("REINDEX INDEX CONCURRENTLY chess.games_chess_idx");
    check(&mut owner, true, &queries);
    // A cursor counts what its snapshot saw, though it reads its first row later.
    let before = reader.rows(&format!("{} LIMIT 1", queries[1]));
    reader.sql(&format!("BEGIN; DECLARE moves SCROLL CURSOR FOR {}", queries[1]));
    owner.sql("DELETE FROM chess.games WHERE id % 5 = 0");
    assert_eq!(reader.rows("FETCH 1 FROM moves"), before);
    let forth = reader.rows("MOVE ABSOLUTE 0 IN moves; FETCH ALL FROM moves");
    let back: Vec<String> = reader.rows("FETCH BACKWARD ALL FROM moves").into_iter().rev().collect();
    assert_eq!(forth, back);
    reader.sql("COMMIT");
    // A generic plan follows the index when it goes and comes back.
    let index = owner.sql("SELECT pg_get_indexdef('chess.games_chess_idx'::regclass)");
    reader.sql("SET plan_cache_mode = force_generic_plan; PREPARE counted (chessboard, int) AS SELECT count(*) FROM chess.games WHERE hasBoard(game, $1) AND coalesce(white_elo, 0) >= 0 AND black_elo >= $2");
    reader.sql("PREPARE plain (chessboard, int) AS SELECT count(*) FROM chess.games WHERE hasBoard(game, $1) AND black_elo >= $2");
    let mut asked = |expected: bool| {
        let plan = reader.rows(&format!("EXPLAIN EXECUTE plain('{E4}', 1500)")).join("\n");
        assert_eq!(plan.contains("Chess Index Sums"), expected, "{plan}");
        assert_eq!(
            reader.sql(&format!("EXECUTE plain('{E4}', 1500)")),
            reader.sql(&format!("EXECUTE counted('{E4}', 1500)"))
        );
    };
    asked(true);
    owner.sql("DROP INDEX chess.games_chess_idx");
    asked(false);
    owner.sql(&index);
    asked(true);
}

#[test]
#[ignore = "needs a server"]
fn an_open_cursor_keeps_its_table_and_index() {
    let db = loaded("held");
    db.sql(
        "CREATE TABLE held AS SELECT white_elo, lower(dates) AS day, game FROM chess.games;
         CREATE INDEX held_index ON held USING chess (game, white_elo, day)",
    );
    let mut session = asking(&db);
    let from = format!("FROM held WHERE hasBoard(game, '{E4}')");
    for (node, query) in [
        (NODE, format!("SELECT count(*) {from} AND white_elo > 1000")),
        (crate::ordered::NODE, format!("SELECT white_elo {from} ORDER BY day DESC NULLS LAST")),
    ] {
        let plan = session.rows(&format!("EXPLAIN DECLARE kept CURSOR FOR {query}")).join("\n");
        assert!(plan.contains(node), "{plan}");
        for change in [
            "DROP INDEX held_index",
            "REINDEX INDEX held_index",
            "TRUNCATE held",
            "DROP TABLE held",
            "ALTER TABLE held DROP COLUMN white_elo",
        ] {
            for fetch in ["", "FETCH 1 FROM kept;"] {
                session.sql(&format!("BEGIN; DECLARE kept CURSOR FOR {query}; {fetch}"));
                assert_eq!(session.refuses(change).code, "55006", "{change} under a cursor of {node}, {fetch}");
                session.sql(&format!(
                    "ROLLBACK; BEGIN; DECLARE kept CURSOR FOR {query}; {fetch} CLOSE kept; {change}; ROLLBACK"
                ));
            }
        }
        // What an ERROR leaves open the server closes.
        session.refuses(&format!("BEGIN; DECLARE kept CURSOR FOR {query}; FETCH 1 FROM kept; SELECT 1 / 0"));
        session.sql("ROLLBACK");
        session.sql(&format!("BEGIN; SAVEPOINT before; DECLARE kept CURSOR FOR {query}; FETCH 1 FROM kept; ROLLBACK TO before; TRUNCATE held; ROLLBACK"));
    }
    assert!(session.notices().is_empty(), "the server warns of nothing");
}

#[test]
#[ignore = "needs a server"]
fn a_count_that_another_transaction_changes_cannot_be_serialized() {
    let db = loaded("serialized");
    let count = format!("SELECT count(*) FROM chess.games WHERE hasBoard(game, '{E4}')");
    for value in ["1500", "(SELECT NULL::int)"] {
        let mut sessions = [asking(&db), asking(&db)];
        for session in &mut sessions {
            session.sql(&format!("BEGIN ISOLATION LEVEL SERIALIZABLE; {count} AND white_elo >= {value}"));
        }
        let insert = "INSERT INTO chess.games (white_id, black_id, white_elo, result, game, tags) SELECT white_id, black_id, 2000, '*', '1. e4', '{}' FROM chess.games LIMIT 1";
        sessions[0].sql(&format!("{insert}; COMMIT"));
        let refusal = sessions[1].refuses(&format!("{insert}; COMMIT"));
        assert_eq!(refusal.code, "40001", "{refusal:?}");
    }
}

/// Changes the games until it is told to end. The writer of number 0 also maintains the index.
fn write(db: &Database<'_>, writer: u64, ends: &AtomicBool) {
    let (mut session, mut chance) = (db.session(), Chance(writer));
    while !ends.load(Ordering::Relaxed) {
        let (first, most) = (chance.below(1500), chance.below(60));
        let range = format!("id BETWEEN {first} AND {}", first + most);
        session.sql(&match chance.below(20) {
            0 if writer == 0 => "VACUUM chess.games".to_owned(),
            1 if writer == 0 => "SELECT chess_index_merge('chess.games_chess_idx')".to_owned(),
            0..10 => format!("INSERT INTO chess.games (white_id, black_id, white_elo, black_elo, result, game, tags) SELECT white_id, black_id, white_elo, black_elo, result, game, '{{}}' FROM chess.games WHERE {range} ON CONFLICT DO NOTHING"),
            10..16 => format!("DELETE FROM chess.games WHERE id > 1600 AND id % {} = 0", most + 2),
            _ => format!("UPDATE chess.games SET white_elo = coalesce(white_elo, 1000) + 1 WHERE id IN (SELECT id FROM chess.games WHERE {range} ORDER BY id FOR UPDATE SKIP LOCKED)"),
        });
    }
}

/// Asks queries with `node` on and off in one snapshot each, while two others write; the node must answer nearly all of them.
pub fn agrees_beside_writers(name: &str, node: &str, query: impl Fn(&mut Chance, &str) -> String) {
    let db = loaded(name);
    let boards = boards(&db, &mut Chance(3), number("POSITIONS", 60));
    let ends = AtomicBool::new(false);
    thread::scope(|scope| {
        for writer in 0..2 {
            let (db, ends) = (&db, &ends);
            scope.spawn(move || write(db, writer, ends));
        }
        let mut session = asking(&db);
        let mut chance = Chance(11);
        let (mut asked, mut answered) = (0, 0);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for board in boards.iter().map(String::as_str).chain([E4; 20]) {
                session.sql("BEGIN ISOLATION LEVEL REPEATABLE READ");
                answered += u32::from(agrees(&mut session, &query(&mut chance, board), node));
                session.sql("COMMIT");
                asked += 1;
            }
        }));
        ends.store(true, Ordering::Relaxed);
        if let Err(panic) = outcome {
            std::panic::resume_unwind(panic);
        }
        assert!(answered * 10 > asked * 9, "{node} answered {answered} of {asked} questions");
    });
}

#[test]
#[ignore = "needs a server"]
fn answers_are_those_of_the_rows_beside_writers() {
    agrees_beside_writers("beside", NODE, |chance, board| chance.query("chess.games", board, E4));
}
