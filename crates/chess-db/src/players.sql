-- In: {schema} and {chess}, as for tables.sql, whose tables are there, or the views of gathered.sql; {fold}, the expression
-- of players.folded; {schema_literal}, {schema} within a literal.
-- Out: the functions that find players by any of their spellings, and the explorer's condition on games, which uses them.
-- Existing ones are replaced.

CREATE OR REPLACE FUNCTION {schema}.player_ids(name text) RETURNS integer[]
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    RETURN (
        WITH one AS (
            SELECT DISTINCT coalesce(p.same_as, p.id) AS id FROM {schema}.players p WHERE p.name = player_ids.name
        )
        SELECT array_agg(s.id ORDER BY s.id)
        FROM (SELECT one.id FROM one UNION SELECT p.id FROM one JOIN {schema}.players p ON p.same_as = one.id) s);
END
$function$;
COMMENT ON FUNCTION {schema}.player_ids(text) IS
    'the ids of all rows of the players who are spelled like this, in games also otherwise; NULL if there are none';

CREATE OR REPLACE FUNCTION {schema}.player(name text, count integer DEFAULT 20)
RETURNS TABLE (id integer, player text, fide_id integer, games bigint, spellings text[], score real)
LANGUAGE plpgsql STABLE STRICT ROWS 20 COST 10000 SET search_path = pg_catalog, pg_temp SET jit = off
AS $function$
#variable_conflict use_column
DECLARE
    asked text;
    words text[];
    orders text[] := '{}'; -- what was asked for, with the last words first as well
    firsts text[] := '{}';
    near text := '';       -- given names may be shorter or longer on either side
    wrong text := '';      -- one letter differs, is missing, too many, or has changed places with the next
    turned text[];
    parts text[];
    edited text;
    word text;
    tail text;
BEGIN
    SELECT {fold} INTO asked FROM (VALUES (player.name)) v (name);
    words := (string_to_array(asked, ' '))[:6];
    IF asked = '' THEN
        RETURN;
    END IF;
    FOR n IN 0 .. cardinality(words) - 1 LOOP
        turned := words[n + 1:] || words[:n];
        orders := orders || array_to_string(turned, ' ');
        firsts := firsts || turned[1];
        parts := '{}';
        FOREACH word IN ARRAY turned[2:] LOOP
            tail := '[^ ]*';
            FOR i IN REVERSE length(word) .. 2 LOOP
                tail := '(?:' || substr(word, i, 1) || tail || ')?';
            END LOOP;
            parts := parts || (left(word, 1) || tail);
        END LOOP;
        near := near || '|' || array_to_string(turned[1] || parts, ' ');
        FOR at IN 1 .. cardinality(turned) LOOP
            word := turned[at];
            CONTINUE WHEN length(word) NOT BETWEEN 4 AND 30;
            edited := '';
            FOR i IN 1 .. length(word) + 1 LOOP
                edited := edited || '|' || left(word, i - 1) || '[^ ]' || substr(word, i)
                    || '|' || left(word, i - 1) || '[^ ]?' || substr(word, i + 1)
                    || '|' || left(word, i - 1) || substr(word, i + 1, 1) || substr(word, i, 1) || substr(word, i + 2);
            END LOOP;
            edited := '(?:' || substr(edited, 2) || ')';
            tail := CASE WHEN at = 1 THEN edited ELSE turned[1] END;
            FOR i IN 2 .. cardinality(turned) LOOP
                tail := tail || ' ' || CASE WHEN i = at THEN edited ELSE parts[i - 1] END;
            END LOOP;
            wrong := wrong || '|' || tail;
        END LOOP;
    END LOOP;
    near := '^(?:' || substr(near, 2) || ')(?: |$)';
    wrong := '^(?:' || substr(wrong, 2) || ')(?: |$)';
    RETURN QUERY
    WITH begins AS MATERIALIZED (
        SELECT p.id, coalesce(p.same_as, p.id) AS root,
               CASE WHEN p.name = player.name THEN 1 WHEN p.folded = asked THEN 0.98 WHEN p.folded = ANY (orders) THEN 0.95
                    WHEN p.folded ~ near THEN 0.9 WHEN p.folded ^@ asked THEN 0.8 END AS score
        FROM (SELECT DISTINCT f FROM unnest(firsts) f) f
        JOIN {schema}.players p ON p.folded ~>=~ f.f AND p.folded ~<~ (f.f || U&'\+10FFFF')
    ), found AS MATERIALIZED (
        SELECT b.root, max(b.score) AS score FROM begins b WHERE b.score IS NOT NULL GROUP BY 1
        UNION ALL
        -- reads all names, so only where nothing else is found
        SELECT coalesce(p.same_as, p.id), 0.6 FROM {schema}.players p
        WHERE NOT EXISTS (SELECT FROM begins b WHERE b.score IS NOT NULL) AND length(wrong) > 12 AND p.folded ~ wrong
        GROUP BY 1
    ), likely AS MATERIALIZED (
        SELECT f.root, f.score FROM found f ORDER BY f.score DESC, f.root LIMIT 1000
    ), spelled AS MATERIALIZED (
        SELECT l.root, l.root AS id FROM likely l
        UNION ALL
        SELECT l.root, p.id FROM likely l JOIN {schema}.players p ON p.same_as = l.root
    ), played AS MATERIALIZED (
        SELECT s.root, count(*) AS games
        FROM spelled s CROSS JOIN LATERAL (
            SELECT FROM {schema}.games g WHERE g.white_id = s.id UNION ALL SELECT FROM {schema}.games g WHERE g.black_id = s.id) g
        GROUP BY 1
    )
    SELECT l.root, c.name, max(p.fide_id), coalesce(max(y.games), 0), array_agg(DISTINCT p.name), l.score::real
    FROM likely l JOIN spelled s USING (root) JOIN {schema}.players p ON p.id = s.id JOIN {schema}.players c ON c.id = l.root
    LEFT JOIN played y USING (root)
    GROUP BY l.root, c.name, l.score
    ORDER BY l.score DESC, coalesce(max(y.games), 0) DESC, c.name COLLATE "C", l.root
    LIMIT player.count;
END
$function$;
COMMENT ON FUNCTION {schema}.player(text, integer) IS
    'the players who are spelled like this in games, best first: without accents, by initials, in any order, with one letter wrong';

-- The explorer puts plain SQL together from the condition: the planner sees the values, and users can go on from it.
CREATE OR REPLACE FUNCTION {schema}.explorer_condition(
    player text DEFAULT NULL, color text DEFAULT NULL, white text DEFAULT NULL, black text DEFAULT NULL,
    rating text DEFAULT NULL, dates daterange DEFAULT NULL, result text DEFAULT NULL, event text DEFAULT NULL,
    time_control text DEFAULT NULL, speeds text[] DEFAULT NULL, with_evals boolean DEFAULT false
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO'
AS $function$
DECLARE
    ids text;
    parts text[] := '{}';
    wrong text;
BEGIN
    IF color NOT IN ('w', 'b') THEN
        RAISE EXCEPTION '"%" is not a color', color USING ERRCODE = 'invalid_parameter_value', DETAIL = 'Colors are w and b.';
    ELSIF color IS NOT NULL AND player IS NULL THEN
        RAISE EXCEPTION 'a color without a player' USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Name the player, or use the filters white and black.';
    ELSIF result NOT IN ('1-0', '0-1', '1/2-1/2', '*') THEN
        RAISE EXCEPTION '"%" is not a result', result USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'Results are 1-0, 0-1, 1/2-1/2 and *.';
    END IF;
    SELECT s INTO wrong FROM unnest(speeds) s
    WHERE s IS NULL OR s NOT IN ('ultraBullet', 'bullet', 'blitz', 'rapid', 'classical', 'correspondence', 'unknown') LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION '"%" is not a speed', coalesce(wrong, 'NULL') USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'Speeds are ultraBullet, bullet, blitz, rapid, classical, correspondence and unknown.';
    END IF;
    IF player IS NOT NULL THEN
        ids := ' = ANY (' || quote_literal({schema}.player_ids(player)) || ')';
        parts := parts || CASE WHEN ids IS NULL THEN 'false'
                               WHEN color = 'w' THEN 'g.white_id' || ids
                               WHEN color = 'b' THEN 'g.black_id' || ids
                               ELSE '(g.white_id' || ids || ' OR g.black_id' || ids || ')' END;
    END IF;
    IF white IS NOT NULL THEN
        parts := parts || coalesce('g.white_id = ANY (' || quote_literal({schema}.player_ids(white)) || ')', 'false');
    END IF;
    IF black IS NOT NULL THEN
        parts := parts || coalesce('g.black_id = ANY (' || quote_literal({schema}.player_ids(black)) || ')', 'false');
    END IF;
    IF rating IS NOT NULL THEN
        parts := parts || ('{schema_literal}.mean_elo(g.white_elo, g.black_elo) <@ '
            || quote_literal({schema}.rating_ranges(rating)) || '::int4multirange');
    END IF;
    IF dates IS NOT NULL THEN
        parts := parts || ('g.dates <@ ' || quote_literal(dates) || '::daterange');
    END IF;
    IF result IS NOT NULL THEN
        parts := parts || ('g.result = ' || quote_literal(result));
    END IF;
    IF event IS NOT NULL THEN
        SELECT 'g.event_id = ANY (' || quote_literal(array_agg(id)) || ')' INTO ids FROM {schema}.events WHERE name = event;
        parts := parts || coalesce(ids, 'false');
    END IF;
    IF time_control IS NOT NULL THEN
        parts := parts || ('g.time_control = ' || quote_literal(time_control));
    END IF;
    IF speeds IS NOT NULL THEN
        parts := parts || ('{schema_literal}.speed(g.time_control) = ANY (' || quote_literal(speeds)
            || '::text[])');
    END IF;
    IF with_evals THEN
        parts := parts || 'g.evals IS NOT NULL'::text;
    END IF;
    RETURN coalesce(nullif(array_to_string(parts, ' AND '), ''), 'true');
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_condition IS
    'the filters of the explorer as a condition in SQL on the table of games, g';
