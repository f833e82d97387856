-- In: {schema} and {chess}, as for tables.sql, whose tables are there; {schema_literal}, {schema} within a literal; the
-- functions of players.sql and explorer.sql.
-- Out: a repertoire compared with the games: where they left it, and what it lacks. docs/training.md describes it.
--
-- A repertoire is an array of moves, each with the board before it, so that it can come from PGN, from a table or from a
-- program. Positions count, not orders of moves.

CREATE OR REPLACE FUNCTION {schema}.repertoire(pgn text) RETURNS {schema}.repertoire_move[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 100000 SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    moves {schema}.repertoire_move[];
    wrong text;
BEGIN
    WITH game AS MATERIALIZED (
        SELECT g.number, g.game, g.annotated, g.error FROM {chess}.pgngames(pgn) g
    ), line AS MATERIALIZED (
        SELECT g.number, 0 AS variation, g.game AS line, 1 AS first, g.error FROM game g
        UNION ALL
        SELECT g.number, v.number, v.line, v.ply, v.error FROM game g CROSS JOIN LATERAL {chess}.variations(g.game, g.annotated) v
    ), step AS (
        SELECT l.number, l.variation, p.ply, p.board, u.ucis[p.ply + 1] AS uci
        FROM line l CROSS JOIN LATERAL (SELECT {chess}.ucis(l.line) OFFSET 0) u (ucis)
        CROSS JOIN LATERAL {chess}.positions(l.line) p
        WHERE p.ply BETWEEN l.first - 1 AND cardinality(u.ucis) - 1
    ), once AS (
        SELECT DISTINCT ON ({chess}.chessposition(s.board), s.uci) s.*
        FROM step s ORDER BY {chess}.chessposition(s.board), s.uci, s.number, s.variation, s.ply
    )
    SELECT (SELECT array_agg((o.board, o.uci)::{schema}.repertoire_move ORDER BY o.number, o.variation, o.ply) FROM once o),
           (SELECT format('Game %s: %s.', l.number, l.error) FROM line l WHERE l.error IS NOT NULL
            ORDER BY l.number, l.variation LIMIT 1)
    INTO moves, wrong;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION 'the repertoire cannot be read' USING ERRCODE = 'invalid_text_representation', DETAIL = wrong;
    END IF;
    RETURN coalesce(moves, '{}');
END
$function$;
COMMENT ON FUNCTION {schema}.repertoire(text) IS
    'the moves of PGN with variations, each position and move once; an ERROR if a line cannot be read to its end';

CREATE OR REPLACE FUNCTION {schema}.repertoire_positions(repertoire {schema}.repertoire_move[])
RETURNS TABLE (id integer, board {chess}.chessboard, ucis text[])
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 10000 SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF coalesce(cardinality(repertoire), 0) = 0 THEN
        RAISE EXCEPTION 'the repertoire has no moves' USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Make one of PGN by {schema_literal}.repertoire(pgn), or of rows by array_agg((board, move)::{schema_literal}.repertoire_move).';
    ELSIF EXISTS (SELECT FROM unnest(repertoire) r WHERE r.board IS NULL OR r.move IS NULL) THEN
        RAISE EXCEPTION 'a move of the repertoire is NULL, or has no board' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    RETURN QUERY
    WITH step AS MATERIALIZED (
        SELECT r.board, {chess}.uci(r.board, r.move) AS uci, r.n
        FROM unnest(repertoire) WITH ORDINALITY r (board, move, n)
    ), seen AS (
        SELECT s.board, s.uci, 2 * s.n AS n FROM step s
        UNION ALL
        SELECT {chess}.play(s.board, s.uci), NULL, 2 * s.n + 1 FROM step s
    )
    SELECT row_number() OVER (ORDER BY min(s.n))::integer, (array_agg(s.board ORDER BY s.n))[1],
           coalesce(array_agg(DISTINCT s.uci) FILTER (WHERE s.uci IS NOT NULL), '{}')
    FROM seen s GROUP BY {chess}.chessposition(s.board) ORDER BY 1;
END
$function$;
COMMENT ON FUNCTION {schema}.repertoire_positions({schema}.repertoire_move[]) IS
    'the positions of a repertoire with its moves in UCI, none at the end of a line, in the order in which they come; an ERROR if a move is not legal';

CREATE OR REPLACE FUNCTION {schema}.repertoire_condition(
    player text, color text, opponent text, rating text, dates daterange, result text, event text, time_control text, speeds text[]
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF color IS NULL OR color NOT IN ('w', 'b', 'white', 'black') THEN
        RAISE EXCEPTION 'a repertoire is for w (white) or b (black), not %', coalesce('"' || color || '"', 'NULL')
            USING ERRCODE = 'invalid_parameter_value', HINT = 'The color is that of the player whose repertoire it is.';
    END IF;
    RETURN {schema}.explorer_condition(NULL::text, NULL::text, CASE left(color, 1) WHEN 'w' THEN player ELSE opponent END,
        CASE left(color, 1) WHEN 'w' THEN opponent ELSE player END, rating, dates, result, event, time_control, speeds, false);
END
$function$;
COMMENT ON FUNCTION {schema}.repertoire_condition IS
    'the filters of a repertoire''s games as a condition in SQL on the table of games, g; an ERROR if they are wrong';

CREATE OR REPLACE FUNCTION {schema}.repertoire_check(
    repertoire {schema}.repertoire_move[], player text, color text, opponent text DEFAULT NULL,
    rating text DEFAULT NULL, dates daterange DEFAULT NULL, result text DEFAULT NULL, event text DEFAULT NULL,
    time_control text DEFAULT NULL, speeds text[] DEFAULT NULL, after bigint DEFAULT NULL, at_most integer DEFAULT NULL
) RETURNS SETOF {schema}.repertoire_game
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 COST 1000000 SET search_path = pg_catalog, pg_temp SET jit = off
AS $function$
DECLARE
    condition text := {schema}.repertoire_condition(player, color, opponent, rating, dates, result, event, time_control, speeds);
    last bigint;
BEGIN
    IF at_most < 0 THEN
        RAISE EXCEPTION 'at_most must not be negative' USING ERRCODE = 'invalid_parameter_value', DETAIL = format('It is %s.', at_most);
    END IF;
    IF after IS NOT NULL THEN
        condition := format('(%s) AND g.id > %s', condition, after);
    END IF;
    IF at_most IS NOT NULL THEN
        EXECUTE replace('SELECT max(c.id) FROM (SELECT g.id FROM {schema_literal}.games g WHERE <condition> ORDER BY g.id LIMIT $1) c',
                        '<condition>', condition) INTO last USING at_most;
        condition := format('(%s) AND g.id <= %s', condition, coalesce(last::text, 'NULL'));
    END IF;
    -- The condition comes in last, so that nothing is looked for in it.
    RETURN QUERY EXECUTE replace($query$
WITH book AS MATERIALIZED (
    SELECT {chess}.chessposition(p.board) AS pos, p.board, p.ucis FROM {schema}.repertoire_positions($1) p
), last AS MATERIALIZED (
    SELECT g.id, max(p.ply) AS ply
    FROM {schema}.games g CROSS JOIN LATERAL {chess}.positions(g.game) p
    JOIN book b ON b.pos OPERATOR({chess}.=) {chess}.chessposition(p.board)
    WHERE <condition> GROUP BY g.id
), found AS (
    SELECT g.id, g.result, l.ply, {chess}.getboard(g.game, l.ply) AS board, {chess}.moveat(g.game, l.ply + 1) AS played
    FROM {schema}.games g LEFT JOIN last l USING (id) WHERE <condition>
)
SELECT f.id, f.ply, f.board,
       CASE WHEN f.ply IS NULL THEN 'not reached' WHEN b.ucis = '{}' OR f.played IS NULL THEN 'followed'
            WHEN {chess}.turn(f.board) = $2 THEN 'left' ELSE 'opponent left' END,
       f.played,
       CASE WHEN f.ply IS NOT NULL THEN
           ARRAY(SELECT s.san FROM (SELECT {chess}.san(b.board, u) FROM unnest(b.ucis) u) s (san) ORDER BY s.san COLLATE "C") END,
       f.result
FROM found f LEFT JOIN book b ON b.pos OPERATOR({chess}.=) {chess}.chessposition(f.board) ORDER BY f.id
$query$, '<condition>', condition) USING repertoire, left(color, 1);
END
$function$;
COMMENT ON FUNCTION {schema}.repertoire_check IS
    'where each game of a player with a color left a repertoire, and who left it; at_most the first games with a greater number than after; docs/training.md';

CREATE OR REPLACE FUNCTION {schema}.repertoire_gaps(
    repertoire {schema}.repertoire_move[], color text, opponent text DEFAULT NULL, rating text DEFAULT NULL,
    dates daterange DEFAULT NULL, result text DEFAULT NULL, event text DEFAULT NULL, time_control text DEFAULT NULL,
    speeds text[] DEFAULT NULL, at_least double precision DEFAULT 0.01, down_to double precision DEFAULT 0
) RETURNS SETOF {schema}.repertoire_gap
LANGUAGE plpgsql STABLE PARALLEL UNSAFE ROWS 100 COST 1000000 SET search_path = pg_catalog, pg_temp SET jit = off
AS $function$
DECLARE
    -- by number of the position
    boards {chess}.chessboard[];
    owns boolean[]; -- whether the owner moves
    waits integer[]; -- the edges to it that were not followed yet
    chances double precision[];
    likeliest double precision[]; -- the largest part of the chance, and the edge that it comes by
    arrivals integer[];
    lines text[];
    -- the edges of a position are next to each other
    begins integer[];
    ends integer[];
    edge_from integer[];
    edge_to integer[];
    edge_uci text[];
    edge_given boolean[]; -- moves of the repertoire, not only moves between its positions
    queue integer[]; -- a position waits until all edges to it were followed
    first integer := 1; -- every position before it is in the queue
    node integer;
    moves integer;
    part double precision;
    n integer;
    -- the replies of the games in a position
    ucis text[];
    sans text[]; -- NULL once the repertoire has it
    counts bigint[];
    scores double precision[];
    moved double precision; -- games that go on
    is_asked boolean; -- looked up, unless it is too unlikely
    reached bigint;
    score double precision;
    gaps {schema}.repertoire_gap[] := '{}';
    places integer[] := '{}'; -- the position of each
BEGIN
    PERFORM {schema}.repertoire_condition(NULL::text, color, opponent, rating, dates, result, event, time_control, speeds);
    color := left(color, 1);
    IF at_least IS NULL OR at_least NOT BETWEEN 0 AND 1 THEN
        RAISE EXCEPTION 'at_least must be from 0 to 1' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = format('It is %s.', coalesce(at_least::text, 'NULL'));
    ELSIF down_to IS NULL OR down_to NOT BETWEEN 0 AND 1 THEN
        RAISE EXCEPTION 'down_to must be from 0 to 1' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = format('It is %s.', coalesce(down_to::text, 'NULL'));
    END IF;
    WITH place AS MATERIALIZED (
        SELECT p.id, p.board, p.ucis, {chess}.chessposition(p.board) AS pos, {chess}.turn(p.board) = color AS own
        FROM {schema}.repertoire_positions(repertoire) p
    ), step AS (
        SELECT p.id, u.uci, {chess}.play(p.board, u.uci) AS after, true AS given FROM place p CROSS JOIN unnest(p.ucis) u (uci)
        UNION ALL
        -- whatever leads an opponent into the repertoire is no gap
        SELECT p.id, m.uci, {chess}.play(p.board, m.uci), false
        FROM place p CROSS JOIN LATERAL {chess}.legalmoves(p.board) m WHERE NOT p.own AND m.uci <> ALL (p.ucis)
    ), edge AS MATERIALIZED (
        SELECT row_number() OVER (ORDER BY s.id, s.uci) AS n, s.id, s.uci, s.given, t.id AS target
        FROM step s JOIN place t ON t.pos OPERATOR({chess}.=) {chess}.chessposition(s.after)
    ), listed AS (
        SELECT p.id, p.board, p.own, coalesce(a.arriving, 0) AS arriving, l.low, l.high
        FROM place p
        LEFT JOIN (SELECT e.target AS id, count(*) AS arriving FROM edge e GROUP BY 1) a USING (id)
        LEFT JOIN (SELECT e.id, min(e.n) AS low, max(e.n) AS high FROM edge e GROUP BY 1) l USING (id)
    )
    SELECT array_agg(l.board ORDER BY l.id), array_agg(l.own ORDER BY l.id), array_agg(l.arriving ORDER BY l.id),
           array_agg(l.low ORDER BY l.id), array_agg(l.high ORDER BY l.id),
           (SELECT array_agg(e.id ORDER BY e.n) FROM edge e), (SELECT array_agg(e.target ORDER BY e.n) FROM edge e), (SELECT array_agg(e.uci ORDER BY e.n) FROM edge e),
           (SELECT array_agg(e.given ORDER BY e.n) FROM edge e)
    INTO boards, owns, waits, begins, ends, edge_from, edge_to, edge_uci, edge_given FROM listed l;
    chances := array_fill(0::float8, ARRAY[cardinality(boards)]);
    likeliest := chances;
    arrivals := array_fill(NULL::integer, ARRAY[cardinality(boards)]);
    queue := ARRAY(SELECT w.id FROM unnest(waits) WITH ORDINALITY w (waiting, id) WHERE w.waiting = 0 ORDER BY 1);
    IF queue = '{}' THEN
        queue := '{1}';
        waits[1] := 0;
    END IF;
    FOREACH node IN ARRAY queue LOOP
        chances[node] := 1;
    END LOOP;
    FOR step IN 1..cardinality(boards) LOOP
        IF step > cardinality(queue) THEN
            -- The others are in circles: moves that lead back are not followed.
            WHILE waits[first] = 0 LOOP
                first := first + 1;
            END LOOP;
            queue := queue || first;
            waits[first] := 0;
        END IF;
        node := queue[step];
        moves := coalesce(ends[node] - begins[node] + 1, 0);
        ucis := NULL;
        moved := NULL;
        reached := NULL;
        score := NULL;
        -- Something may be said of it that only the games know.
        is_asked := CASE WHEN NOT owns[node] THEN chances[node] > 0
                         WHEN moves = 0 THEN chances[node] > 0 AND chances[node] >= at_least
                         ELSE moves > 1 END;
        IF is_asked AND chances[node] >= down_to THEN
            SELECT array_agg(x.uci) FILTER (WHERE x.san IS NOT NULL), array_agg(x.san) FILTER (WHERE x.san IS NOT NULL),
                   array_agg(x.games) FILTER (WHERE x.san IS NOT NULL),
                   array_agg(CASE WHEN owns[node] THEN x.score ELSE 1 - x.score END) FILTER (WHERE x.san IS NOT NULL),
                   sum(x.games) FILTER (WHERE x.san IS NOT NULL), coalesce(sum(x.games), 0),
                   sum(CASE color WHEN 'w' THEN x.white ELSE x.black END + x.draws / 2.0) / nullif(sum(x.white + x.draws + x.black), 0)
            INTO ucis, sans, counts, scores, moved, reached, score
            FROM {schema}.explorer(boards[node], NULL::text, NULL::text, CASE color WHEN 'b' THEN opponent END,
                CASE color WHEN 'w' THEN opponent END, rating, dates, result, event, time_control, speeds, false, false, true, false) x;
        END IF;
        IF is_asked AND (CASE WHEN owns[node] THEN moves = 0 ELSE coalesce(reached, 0) = 0 END) THEN
            gaps := gaps || (boards[node], NULL, chances[node], reached, score,
                             CASE WHEN reached IS NULL THEN 'unexplored' WHEN owns[node] THEN 'unanswered' ELSE 'unreached' END,
                             NULL)::{schema}.repertoire_gap;
            places := places || node;
        END IF;
        FOR i IN coalesce(begins[node], 1)..coalesce(ends[node], 0) LOOP
            n := array_position(ucis, edge_uci[i]);
            part := CASE WHEN owns[node] THEN chances[node] / moves
                         WHEN n IS NULL THEN 0 ELSE chances[node] * counts[n] / moved END;
            IF owns[node] AND moves > 1 OR n IS NULL AND edge_given[i] AND moved > 0 THEN
                gaps := gaps || (boards[node], {chess}.san(boards[node], edge_uci[i]), part,
                                 CASE WHEN reached IS NOT NULL THEN coalesce(counts[n], 0) END, scores[n],
                                 CASE WHEN owns[node] THEN 'conflict' ELSE 'unreached' END, NULL)::{schema}.repertoire_gap;
                places := places || node;
            END IF;
            IF n IS NOT NULL THEN
                sans[n] := NULL;
            END IF;
            CONTINUE WHEN waits[edge_to[i]] = 0;
            chances[edge_to[i]] := chances[edge_to[i]] + part;
            IF part > likeliest[edge_to[i]] OR arrivals[edge_to[i]] IS NULL THEN
                likeliest[edge_to[i]] := part;
                arrivals[edge_to[i]] := i;
            END IF;
            waits[edge_to[i]] := waits[edge_to[i]] - 1;
            IF waits[edge_to[i]] = 0 THEN
                queue := queue || edge_to[i];
            END IF;
        END LOOP;
        IF NOT owns[node] AND moved > 0 THEN
            FOR i IN 1..cardinality(ucis) LOOP
                part := chances[node] * counts[i] / moved;
                IF part >= at_least AND sans[i] IS NOT NULL THEN
                    gaps := gaps || (boards[node], sans[i], part, counts[i], scores[i], 'missing', NULL)::{schema}.repertoire_gap;
                    places := places || node;
                END IF;
            END LOOP;
        END IF;
    END LOOP;
    FOR i IN 1..cardinality(places) LOOP
        lines[i] := '';
        node := places[i];
        WHILE arrivals[node] IS NOT NULL LOOP
            n := arrivals[node];
            node := edge_from[n];
            lines[i] := {chess}.san(boards[node], edge_uci[n]) || ' ' || lines[i];
        END LOOP;
    END LOOP;
    RETURN QUERY
    SELECT g.position, g.move, g.probability, g.games, g.score, g.kind, rtrim(g.way)
    FROM unnest(gaps, lines) g ("position", move, probability, games, score, kind, line, way)
    ORDER BY array_position('{missing,unanswered,conflict,unreached,unexplored}', g.kind), g.probability DESC, g.way COLLATE "C", g.move COLLATE "C";
END
$function$;
COMMENT ON FUNCTION {schema}.repertoire_gaps IS
    'what a repertoire lacks, by how likely a game gets there: replies, own moves, one instead of two; and what nobody reaches; positions less likely than down_to are not looked up; docs/training.md';
