-- In: {schema} and {chess}, as for tables.sql, whose tables are there; {schema_literal}, {schema} within a literal; those of
-- analysis.sql and puzzle-tables.sql, the views of views.sql, the functions of players.sql.
-- Out: the functions that find puzzles in stored analyses. docs/training.md has the rules. Existing ones are replaced.
--
-- The rules are here alone: chess-pgn puzzles calls make_puzzles, and chess-pgn analyze --puzzles asks an engine about the
-- boards that puzzle_line lacks.

CREATE OR REPLACE FUNCTION {schema}.only_move(board {chess}.chessboard, evals integer[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN evals[1] IS NOT NULL THEN (
    SELECT CASE
        -- a mate in n is 100000 - n
        WHEN v.best > 90000 THEN v.second IS NULL OR v.second < v.best
        ELSE w.best >= 70 AND (v.second IS NULL OR w.second < 70 AND w.best - w.second >= 20) END
    FROM (SELECT CASE {chess}.turn(board) WHEN 'w' THEN 1 ELSE -1 END) s (sign)
    CROSS JOIN LATERAL (SELECT s.sign * evals[1], s.sign * evals[2]) v (best, second)
    CROSS JOIN LATERAL (SELECT {schema}.win_percent(v.best), {schema}.win_percent(v.second)) w (best, second)) END;
COMMENT ON FUNCTION {schema}.only_move({chess}.chessboard, integer[]) IS
    'whether the best of an engine''s lines is the only right answer on this board: the shortest mate, or the one that keeps a clear advantage, by evaluations for White, the best line first';

CREATE OR REPLACE FUNCTION {schema}.puzzle_line(board {chess}.chessboard, OUT solution text[], OUT lacking {chess}.chessboard)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    here {chess}.chessboard := board;
    analysis record;
    reply text;
BEGIN
    solution := '{}';
    -- a move that must be played anyway is no puzzle
    IF board IS NULL OR (SELECT count(*) FROM {chess}.legalmoves(board)) < 2 THEN
        RETURN;
    END IF;
    LOOP
        -- an engine may report only its best move, without a line
        SELECT a.evals, string_to_array(coalesce(nullif(a.pvs[1], ''), a.best), ' ') AS pv INTO analysis
        FROM {schema}.analysis a
        WHERE a.key = {chess}.zobrist(here) AND {chess}.sameposition(a.board, here) AND a.status IN ('done', 'stopped') AND a.multipv > 1
          AND a.halfmove_clock = CASE WHEN {chess}.halfmoveclock(here) > 60 THEN {chess}.halfmoveclock(here) ELSE 0 END
          AND cardinality(a.evals) >= least(2, (SELECT count(*) FROM {chess}.legalmoves(here)))
        ORDER BY a.nodes DESC NULLS LAST, a.depth DESC NULLS LAST, a.engine_id DESC, a.at DESC LIMIT 1;
        IF NOT FOUND THEN
            lacking := here;
            RETURN;
        END IF;
        EXIT WHEN {schema}.only_move(here, analysis.evals) IS NOT TRUE OR analysis.pv[1] IS NULL;
        solution := array_remove(solution || reply || analysis.pv[1], NULL);
        here := {chess}.play(here, analysis.pv[1]);
        reply := analysis.pv[2];
        EXIT WHEN cardinality(solution) >= 15 OR reply IS NULL OR {chess}.status(here) <> 'in progress';
        here := {chess}.play(here, reply);
        EXIT WHEN {chess}.status(here) <> 'in progress';
    END LOOP;
END
$function$;
COMMENT ON FUNCTION {schema}.puzzle_line({chess}.chessboard) IS
    'the moves in UCI of which each of the side to move is the only right one by stored analyses with two lines, none if the first is not; and the board whose analysis would tell more';

CREATE OR REPLACE FUNCTION {schema}.puzzle_candidates(
    games bigint[], player text DEFAULT NULL, min_loss double precision DEFAULT 20, problems boolean DEFAULT false
) RETURNS TABLE (game_id bigint, ply integer, board {chess}.chessboard, loss double precision, kind text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100 COST 100000 SET search_path = pg_catalog, pg_temp SET jit = off
AS $function$
#variable_conflict use_column
BEGIN
    IF problems THEN
        RETURN QUERY SELECT g.id, 0, {chess}.startboard(g.game), NULL::float8, 'problem'
        FROM {schema}.games g WHERE g.id = ANY (games) ORDER BY g.id;
        RETURN;
    END IF;
    RETURN QUERY
    WITH mistake AS MATERIALIZED (
        SELECT l.game_id, l.ply, l.board, l.loss, l.win_before, l.win
        FROM unnest(games) i (id) CROSS JOIN LATERAL (SELECT * FROM {schema}.losses l WHERE l.game_id = i.id) l
        WHERE l.loss >= min_loss AND l.san IS DISTINCT FROM l.best
          AND (puzzle_candidates.player IS NULL OR l.player_id = ANY ({schema}.player_ids(puzzle_candidates.player)))
    )
    SELECT * FROM (
        SELECT m.game_id, m.ply - 1, m.board, m.loss, 'missed' FROM mistake m WHERE m.win_before >= 70
        UNION ALL
        SELECT m.game_id, m.ply, {chess}.getboard(g.game, m.ply), m.loss, 'refutation'
        FROM mistake m JOIN {schema}.games g ON g.id = m.game_id WHERE m.win <= 30
    ) c ORDER BY 1, 2;
END
$function$;
COMMENT ON FUNCTION {schema}.puzzle_candidates IS
    'the boards of games that may be puzzles: where a mistake missed a clear advantage, where it gave one away; or the first boards';

CREATE OR REPLACE FUNCTION {schema}.themes_of(board {chess}.chessboard, solution text[]) RETURNS text[]
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE COST 10000 SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    moves text := array_to_string(solution, ' ');
    game {chess}.chessgame;
BEGIN
    -- the solver is White in the patterns
    IF {chess}.turn(board) = 'b' THEN
        board := {chess}.flip(board);
        moves := translate(moves, '12345678', '87654321');
    END IF;
    game := {chess}.fromuci('fen ' || board || ' moves ' || moves);
    RETURN ARRAY(SELECT t.name FROM {schema}.puzzle_themes t WHERE {chess}.haspattern(game, t.pattern) ORDER BY t.name COLLATE "C");
END
$function$;
COMMENT ON FUNCTION {schema}.themes_of({chess}.chessboard, text[]) IS 'the themes of puzzle_themes that a solution has';

CREATE OR REPLACE FUNCTION {schema}.estimated_rating(solution text[], themes text[]) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN solution IS NOT NULL THEN least(3000, 700 + 200 * ((cardinality(solution) + 1) / 2) + CASE WHEN 'quietMove' = ANY (themes) THEN 250 ELSE 0 END
    + CASE WHEN 'sacrifice' = ANY (themes) THEN 150 ELSE 0 END + CASE WHEN 'underPromotion' = ANY (themes) THEN 150 ELSE 0 END) END;
COMMENT ON FUNCTION {schema}.estimated_rating(text[], text[]) IS
    'a guess at the difficulty of a puzzle: more for each move, for a quiet first move, a sacrifice, an underpromotion';

CREATE OR REPLACE FUNCTION {schema}.make_puzzles(
    games bigint[], player text DEFAULT NULL, min_loss double precision DEFAULT 20, problems boolean DEFAULT false,
    OUT candidates bigint, OUT made bigint, OUT known bigint, OUT ambiguous bigint, OUT unanalyzed bigint, OUT unfinished bigint
)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off
AS $function$
#variable_conflict use_column
BEGIN
    WITH candidate AS MATERIALIZED (
        SELECT DISTINCT ON ({chess}.chessposition(c.board)) c.*
        FROM {schema}.puzzle_candidates(games, player, min_loss, problems) c
        ORDER BY {chess}.chessposition(c.board), c.kind, c.loss DESC, c.game_id, c.ply
    ), judged AS MATERIALIZED (
        SELECT c.*, l.solution, l.lacking FROM candidate c CROSS JOIN LATERAL {schema}.puzzle_line(c.board) l
    ), fit AS (
        SELECT j.*, t.themes, {schema}.estimated_rating(j.solution, t.themes) AS rating, b.before, m.lead
        FROM judged j JOIN {schema}.games g ON g.id = j.game_id
        CROSS JOIN LATERAL (SELECT {schema}.themes_of(j.board, j.solution) OFFSET 0) t (themes)
        CROSS JOIN LATERAL (SELECT CASE WHEN j.ply > 0 THEN {chess}.getboard(g.game, j.ply - 1) END OFFSET 0) b (before)
        CROSS JOIN LATERAL (SELECT {chess}.uci(b.before, {chess}.moveat(g.game, j.ply))) m (lead)
        WHERE j.solution <> '{}'
    ), stored AS (
        INSERT INTO {schema}.puzzles AS p (board, solution, themes, game_id, ply, loss, rating, kind, before, lead)
        SELECT f.board, f.solution, f.themes, f.game_id, f.ply, f.loss, f.rating, f.kind, f.before, f.lead
        -- all sessions insert in the same order, which prevents deadlocks
        FROM fit f ORDER BY {chess}.chessposition(f.board)
        ON CONFLICT (({chess}.chessposition(board))) DO UPDATE
        SET solution = excluded.solution, themes = excluded.themes, rating = excluded.rating
        -- an import stays as it is
        WHERE p.kind <> 'import'
        RETURNING xmax = 0 AS is_new
    )
    SELECT (SELECT count(*) FROM judged), n.made, (SELECT count(*) FROM fit) - n.made,
           (SELECT count(*) FROM judged j WHERE j.solution = '{}' AND j.lacking IS NULL),
           (SELECT count(*) FROM judged j WHERE j.solution = '{}' AND j.lacking IS NOT NULL),
           (SELECT count(*) FROM judged j WHERE j.solution <> '{}' AND j.lacking IS NOT NULL)
    FROM (SELECT count(*) FROM stored s WHERE s.is_new) n (made)
    INTO candidates, made, known, ambiguous, unanalyzed, unfinished;
END
$function$;
COMMENT ON FUNCTION {schema}.make_puzzles IS
    'stores the puzzles of these games, by what their analyses say: how many boards were looked at, became puzzles, were puzzles already, have several right answers or none, have no analysis with two lines, end where the analyses do';

CREATE OR REPLACE FUNCTION {schema}.import_puzzle(
    name text, fen text, moves text, rating integer, rating_deviation integer, popularity integer, plays integer, themes text[],
    url text, openings text[]
) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    ucis text[];
    before {chess}.chessboard;
    lead text;
    given text;
    game {chess}.chessgame;
BEGIN
    IF fen IS NULL OR moves IS NULL THEN
        RETURN CASE WHEN fen IS NULL THEN 'the position is missing' ELSE 'moves are missing' END;
    END IF;
    before := fen;
    game := {chess}.fromuci('fen ' || before || ' moves ' || moves);
    ucis := {chess}.ucis(game);
    IF cardinality(ucis) < 2 OR cardinality(ucis) % 2 = 1 THEN
        RETURN format('%s moves: one of the opponent and an odd number for the solution are needed', cardinality(ucis));
    END IF;
    lead := ucis[1];
    -- if another puzzle already has the name, this one is stored without a name
    FOREACH given IN ARRAY ARRAY[import_puzzle.name, NULL] LOOP
        INSERT INTO {schema}.puzzles AS p (board, solution, themes, rating, kind, before, lead, name, rating_deviation, popularity, plays, url, openings)
        VALUES ({chess}.play(before, lead), ucis[2:], coalesce(import_puzzle.themes, '{}'), coalesce(import_puzzle.rating, 1500),
                'import', before, lead, given, import_puzzle.rating_deviation, import_puzzle.popularity, import_puzzle.plays,
                import_puzzle.url, import_puzzle.openings)
        ON CONFLICT DO NOTHING;
        IF FOUND THEN
            RETURN '';
        END IF;
    END LOOP;
    RETURN 'known';
-- a name may be too long for its index
EXCEPTION WHEN data_exception OR check_violation OR not_null_violation OR program_limit_exceeded THEN
    RETURN SQLERRM;
END
$function$;
COMMENT ON FUNCTION {schema}.import_puzzle IS
    'stores a puzzle as lichess has it, whose first move is the opponent''s; an empty text, "known" if the board is a puzzle already, or what is wrong with it';
