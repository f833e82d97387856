-- In: {schema} and {chess}, as for tables.sql, whose tables are there, or the views of gathered.sql; {schema_literal},
-- {schema} within a literal.
-- Out: the functions that find players and events by any of their spellings, and the explorer's condition on games, which
-- uses them.
-- Existing ones are replaced.

CREATE OR REPLACE FUNCTION {schema}.player_ids(name text) RETURNS integer[]
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    -- other servers are sent the array, but not the function that makes it
    names text[] := player_ids.name || regexp_split_to_array(player_ids.name, ' *[|] *');
BEGIN
    RETURN (
        WITH one AS (
            SELECT DISTINCT coalesce(p.same_as, p.id) AS id FROM {schema}.players p
            WHERE p.name = ANY (names)
        )
        SELECT array_agg(s.id ORDER BY s.id)
        FROM (SELECT one.id FROM one UNION SELECT p.id FROM one JOIN {schema}.players p ON p.same_as = one.id) s);
END
$function$;
COMMENT ON FUNCTION {schema}.player_ids(text) IS
    'the ids of all rows of the players who are spelled like this, or like one of several names with | between them, in games also otherwise; NULL if there are none';

CREATE OR REPLACE FUNCTION {schema}.event_ids(name text) RETURNS integer[]
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    RETURN (
        WITH one AS (
            SELECT DISTINCT coalesce(e.same_as, e.id) AS id FROM {schema}.events e WHERE e.name = event_ids.name
        )
        SELECT array_agg(s.id ORDER BY s.id)
        FROM (SELECT one.id FROM one UNION SELECT e.id FROM one JOIN {schema}.events e ON e.same_as = one.id) s);
END
$function$;
COMMENT ON FUNCTION {schema}.event_ids(text) IS
    'the ids of all rows of the event that is spelled like this, in games also otherwise; NULL if there is none';

CREATE OR REPLACE FUNCTION {schema}.player(name text, count integer DEFAULT 20)
RETURNS TABLE (id integer, player text, fide_id integer, games bigint, spellings text[], score real)
LANGUAGE plpgsql STABLE STRICT ROWS 20 COST 10000 SET search_path = pg_catalog, pg_temp SET jit = off
AS $function$
#variable_conflict use_column
DECLARE
    past CONSTANT text := chr(1114111); -- sorts after every letter, so it ends the range of texts with a prefix
    asked CONSTANT text := {chess}.foldname(player.name);
    words CONSTANT text[] := (string_to_array(asked, ' '))[:6];
    other text[]; -- the words of the name in other spellings
    roots integer[]; -- canonical rows, best first
    scores real[];
BEGIN
    IF player.count < 0 THEN
        RAISE EXCEPTION 'count must not be negative' USING ERRCODE = 'invalid_parameter_value', DETAIL = format('It is %s.', player.count);
    ELSIF asked = '' THEN
        RETURN;
    END IF;
    -- Short words are not folded, for Xue is not Xu; but whoever asks for Löw or Loew wants to find both.
    SELECT array_agg(DISTINCT o.spelling) INTO other
    FROM (VALUES (asked), ({chess}.foldname(replace(replace(replace(replace(replace(replace(replace(translate(normalize(player.name, NFC), 'ÄÖÜÆØÅĐ', 'äöüæøåđ'),
              'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'æ', 'ae'), 'ø', 'oe'), 'å', 'aa'), 'đ', 'dj'))),
              (replace(replace(replace(replace(replace(asked, 'ae', 'a'), 'oe', 'o'), 'ue', 'u'), 'aa', 'a'), 'dj', 'd'))) o (spelling);
    -- Any of the words can be the surname, with which most names begin.
    SELECT array_agg(f.root), array_agg(f.score) INTO roots, scores
    FROM (
        SELECT h.root, max(h.score) AS score
        FROM (
            SELECT coalesce(p.same_as, p.id) AS root,
                   CASE WHEN p.name = player.name THEN 1 WHEN p.folded = ANY (other) THEN 0.98
                        WHEN p.folded = array_to_string(t.words, ' ') THEN t.score + 0.05
                        -- given names may be shorter or longer on either side
                        WHEN (c.words[1] = t.words[1]) AND NOT EXISTS (
                            SELECT FROM generate_series(2, cardinality(t.words)) n
                            WHERE (c.words[n] ^@ t.words[n] OR t.words[n] ^@ c.words[n]) IS NOT TRUE) THEN t.score
                        WHEN p.folded ^@ asked THEN 0.8 END AS score
            FROM (
                WITH spelled AS (
                    SELECT (string_to_array(o.spelling, ' '))[:6] AS words FROM unnest(other) o (spelling)
                ), turned AS (
                    SELECT s.words[n:] || s.words[:n - 1] AS words FROM spelled s CROSS JOIN generate_subscripts(s.words, 1) n
                )
                SELECT t.words, t.words[1] AS first, 0.9 AS score FROM turned t
                -- two words in one: Vachier-Lagrave as Vachierlagrave, O Kelly as O'Kelly, J R as JR
                UNION ALL
                SELECT t.words[:n - 1] || (t.words[n] || t.words[n + 1]) || t.words[n + 2:],
                       CASE n WHEN 1 THEN t.words[1] || t.words[2] ELSE t.words[1] END, 0.85
                FROM turned t CROSS JOIN generate_series(1, cardinality(t.words) - 1) n
                -- one word in two
                UNION ALL
                SELECT left(t.words[1], n) || (substr(t.words[1], n + 1) || t.words[2:]), left(t.words[1], n) || ' ' || substr(t.words[1], n + 1), 0.85
                FROM turned t CROSS JOIN generate_series(1, least(length(t.words[1]), 24) - 2) n WHERE length(t.words[1]) >= 6
                -- initials of several given names: Jose Raul as JR, and JR as J R
                UNION ALL
                SELECT ARRAY[t.words[1], i.initials], t.words[1], 0.85
                FROM turned t CROSS JOIN LATERAL (SELECT string_agg(left(w, 1), '' ORDER BY n) AS initials FROM unnest(t.words[2:]) WITH ORDINALITY w (w, n)) i
                WHERE cardinality(t.words) > 2
                UNION ALL
                SELECT t.words[1] || string_to_array(t.words[2], NULL), t.words[1], 0.85
                FROM turned t WHERE cardinality(t.words) = 2 AND length(t.words[2]) IN (2, 3)
            ) t (words, first, score)
            JOIN {schema}.players p ON p.folded ~>=~ t.first AND p.folded ~<~ (t.first || past)
            CROSS JOIN LATERAL (SELECT string_to_array(p.folded, ' ') AS words) c
        ) h
        WHERE h.score IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1000
    ) f;
    IF roots IS NULL THEN
        -- One letter of one word is wrong, missing, too many, or has changed places with the next. If the word is the
        -- surname, one of its halves is right, or it is one of the words with two letters exchanged.
        SELECT array_agg(f.root), array_agg(0.6) INTO roots, scores
        FROM (
            WITH turns AS MATERIALIZED (
                SELECT words[n:] || words[:n - 1] AS words FROM generate_subscripts(words, 1) n
            ), edits AS MATERIALIZED (
                SELECT w.word, array_agg(e.pattern) AS patterns, array_agg(e.pattern) FILTER (WHERE e.turned) AS turned
                FROM (SELECT DISTINCT w.word FROM unnest(words) w (word) WHERE length(w.word) BETWEEN 4 AND 30) w
                CROSS JOIN generate_series(1, length(w.word) + 1) i
                CROSS JOIN LATERAL (VALUES
                    (left(w.word, i - 1) || '_' || substr(w.word, i), false),
                    (left(w.word, i - 1) || '_' || substr(w.word, i + 1), false),
                    (left(w.word, i - 1) || substr(w.word, i + 1), false),
                    (left(w.word, i - 1) || substr(w.word, i + 1, 1) || substr(w.word, i, 1) || substr(w.word, i + 2), true)
                ) e (pattern, turned)
                GROUP BY 1
            ), begins AS MATERIALIZED (
                SELECT t.words, t.words[1] AS first FROM turns t WHERE cardinality(t.words) > 1
                UNION ALL SELECT t.words, left(e.word, length(e.word) / 2) FROM turns t JOIN edits e ON e.word = t.words[1]
                UNION ALL SELECT t.words, s.first FROM turns t JOIN edits e ON e.word = t.words[1] CROSS JOIN unnest(e.turned) s (first)
            ), likely AS (
                SELECT b.words, p.id, p.same_as, p.folded
                FROM begins b JOIN {schema}.players p ON p.folded ~>=~ b.first AND p.folded ~<~ (b.first || past)
                UNION
                SELECT t.words, p.id, p.same_as, p.folded
                FROM turns t JOIN edits e ON e.word = t.words[1]
                CROSS JOIN LATERAL (SELECT reverse(right(e.word, length(e.word) / 2)) AS first) r
                JOIN {schema}.players p ON reverse(split_part(p.folded, ' ', 1)) ~>=~ r.first
                                       AND reverse(split_part(p.folded, ' ', 1)) ~<~ (r.first || past)
            )
            SELECT coalesce(l.same_as, l.id) AS root
            FROM likely l CROSS JOIN LATERAL (SELECT string_to_array(l.folded, ' ') AS words) c
            CROSS JOIN LATERAL (
                SELECT count(*) FILTER (WHERE o.equal IS NOT TRUE) AS others,
                       bool_or(o.equal IS NOT TRUE AND c.words[o.n] LIKE ANY (o.patterns)) AS is_edit
                FROM (SELECT n, e.patterns,
                             CASE WHEN n = 1 THEN c.words[1] = l.words[1]
                                  ELSE c.words[n] ^@ l.words[n] OR l.words[n] ^@ c.words[n] END AS equal
                      FROM generate_subscripts(l.words, 1) n LEFT JOIN edits e ON e.word = l.words[n]) o
            ) o
            WHERE o.others = 1 AND o.is_edit
            GROUP BY 1 ORDER BY 1 LIMIT 1000
        ) f;
    END IF;
    RETURN QUERY
    WITH likely AS MATERIALIZED (
        SELECT l.root, l.score FROM unnest(roots, scores) l (root, score)
    ), spelled AS MATERIALIZED (
        SELECT p.id AS root, p.id, p.name, p.fide_id FROM {schema}.players p WHERE p.id = ANY (roots)
        UNION ALL
        SELECT p.same_as, p.id, p.name, p.fide_id FROM {schema}.players p WHERE p.same_as = ANY (roots)
    ), played AS MATERIALIZED (
        SELECT s.root, count(*) AS games
        FROM spelled s CROSS JOIN LATERAL (
            SELECT FROM {schema}.games g WHERE g.white_id = s.id UNION ALL SELECT FROM {schema}.games g WHERE g.black_id = s.id) g
        GROUP BY 1
    )
    SELECT l.root, max(s.name) FILTER (WHERE s.id = l.root), max(s.fide_id), coalesce(max(y.games), 0), array_agg(DISTINCT s.name), l.score
    FROM likely l JOIN spelled s USING (root) LEFT JOIN played y USING (root)
    GROUP BY l.root, l.score
    ORDER BY l.score DESC, coalesce(max(y.games), 0) DESC, max(s.name) FILTER (WHERE s.id = l.root) COLLATE "C", l.root
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
    -- by their numbers, from -1
    speed_names CONSTANT text[] := '{unknown,ultraBullet,bullet,blitz,rapid,classical,correspondence}';
    ids text;
    parts text[] := '{}';
    wrong text;
BEGIN
    IF color NOT IN ('w', 'b', 'white', 'black') THEN
        RAISE EXCEPTION '"%" is not a color', color USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'Colors are w or white, and b or black.';
    ELSIF color IS NOT NULL AND player IS NULL THEN
        RAISE EXCEPTION 'a color without a player' USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Name the player, or use the filters white and black.';
    ELSIF result NOT IN ('1-0', '0-1', '1/2-1/2', '*') THEN
        RAISE EXCEPTION '"%" is not a result', result USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'Results are 1-0, 0-1, 1/2-1/2 and *.';
    END IF;
    IF NOT (speeds <@ speed_names) THEN -- so it is if one of them is NULL
        SELECT s INTO wrong FROM unnest(speeds) s WHERE s IS NULL OR s <> ALL (speed_names) LIMIT 1;
        RAISE EXCEPTION '"%" is not a speed', coalesce(wrong, 'NULL') USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'Speeds are ultraBullet, bullet, blitz, rapid, classical, correspondence and unknown.';
    END IF;
    IF player IS NOT NULL THEN
        ids := ' = ANY (' || quote_literal({schema}.player_ids(player)) || ')';
        parts := parts || CASE WHEN ids IS NULL THEN 'false'
                               WHEN color IN ('w', 'white') THEN 'g.white_id' || ids
                               WHEN color IN ('b', 'black') THEN 'g.black_id' || ids
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
    IF isempty(dates) THEN
        parts := parts || 'false'::text;
    -- last_day does not tell these apart
    ELSIF lower(dates) = '-infinity' OR upper(dates) = 'infinity' OR upper(dates) < '0001-01-01' THEN
        parts := parts || ('NOT isempty(g.dates) AND g.dates <@ ' || quote_literal(dates) || '::daterange');
    ELSIF dates IS NOT NULL THEN
        -- empty dates have no first day, and end before all others
        parts := parts || (CASE WHEN lower_inf(dates) THEN '{schema_literal}.last_day(g.dates) > ''-infinity'''
                                ELSE 'lower(g.dates) >= ' || quote_literal(lower(dates)) END
            || CASE WHEN upper_inf(dates) THEN ''
                    ELSE ' AND {schema_literal}.last_day(g.dates) <= ' || quote_literal(upper(dates) - 1) END);
    END IF;
    IF result IS NOT NULL THEN
        parts := parts || ('g.result = ' || quote_literal(result));
    END IF;
    IF event IS NOT NULL THEN
        parts := parts || coalesce('g.event_id = ANY (' || quote_literal({schema}.event_ids(event)) || ')', 'false');
    END IF;
    IF time_control IS NOT NULL THEN
        parts := parts || ('g.time_control = ' || quote_literal(time_control));
    END IF;
    IF speeds IS NOT NULL THEN
        parts := parts || ('{schema_literal}.speed_number(g.time_control) = ANY ('
            || quote_literal(ARRAY(SELECT array_position(speed_names, s) - 2 FROM unnest(speeds) s)) || '::integer[])');
    END IF;
    IF with_evals THEN
        parts := parts || 'g.evals IS NOT NULL'::text;
    END IF;
    RETURN coalesce(nullif(array_to_string(parts, ' AND '), ''), 'true');
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_condition IS
    'the filters of the explorer as a condition in SQL on the table of games, g';
