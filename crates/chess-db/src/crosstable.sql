-- In: {schema} and {chess}, as for tables.sql, whose tables are there; performance, pgn_dates and told_result, of
-- explorer.sql and views.sql.
-- Out: the functions that find the tournaments of an event, and make their crosstables. Existing ones are replaced.
-- docs/tournaments.md has the rules and formulas.

CREATE OR REPLACE FUNCTION {schema}.tournaments(
    INOUT event text DEFAULT NULL, INOUT site text DEFAULT NULL, IN dates daterange DEFAULT NULL, INOUT section text DEFAULT NULL,
    IN sources integer[] DEFAULT NULL, OUT first date, OUT last date, OUT players bigint, OUT games bigint, OUT ids bigint[]
) RETURNS SETOF record
LANGUAGE plpgsql STABLE ROWS 100 COST 10000 SET search_path = pg_catalog, pg_temp SET jit = off
AS $function$
#variable_conflict use_column
DECLARE
    pause CONSTANT integer := 60; -- days without games that separate two tournaments of one name
BEGIN
    RETURN QUERY
    WITH named AS MATERIALIZED (
        SELECT g.id, coalesce(e.canonical, e.name) AS event, coalesce(s.canonical, s.name) AS site, btrim(g.tags ->> 'Section') AS section,
               coalesce(w.same_as, w.id) AS white, coalesce(b.same_as, b.id) AS black,
               coalesce({schema}.pgn_dates(g.tags ->> 'EventDate'), g.dates) AS days
        FROM {schema}.games g
        JOIN {schema}.events e ON e.id = g.event_id
        -- Sites of online games are addresses of single games.
        LEFT JOIN {schema}.sites s ON s.id = g.site_id AND s.name !~ '://'
        LEFT JOIN {schema}.players w ON w.id = g.white_id
        LEFT JOIN {schema}.players b ON b.id = g.black_id
        WHERE (tournaments.event IS NULL
               OR e.id = ANY (ARRAY(SELECT unnest({schema}.event_ids(tournaments.event)))))
          AND (tournaments.section IS NULL OR btrim(g.tags ->> 'Section') = tournaments.section)
          AND (tournaments.sources IS NULL OR g.source_id = ANY (tournaments.sources))
          AND coalesce(e.canonical, e.name) !~ '^((Rated|Unrated|Casual) .*game|Live Chess)$'
    ), dated AS MATERIALIZED (
        SELECT n.*, dense_rank() OVER (ORDER BY n.event, n.site, n.section) AS part,
               CASE WHEN isfinite(lower(n.days)) THEN lower(n.days) END AS day,
               CASE WHEN isfinite(upper(n.days)) THEN upper(n.days) END AS until
        FROM named n
    ), islands AS MATERIALIZED (
        SELECT i.id, i.part, i.day, i.until, count(*) FILTER (WHERE i.starts) OVER (PARTITION BY i.part ORDER BY i.day, i.id) AS island
        FROM (SELECT d.id, d.part, d.day, d.until,
                     d.day > pause + max(d.until) OVER (
                         PARTITION BY d.part ORDER BY d.day, d.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS starts
              FROM dated d WHERE d.until - d.day <= 31) i
    ), extents AS MATERIALIZED (
        SELECT i.part, i.island, min(i.day) AS day, max(i.until) AS until FROM islands i GROUP BY 1, 2
    ), placed AS MATERIALIZED (
        SELECT i.id, i.island::text AS island FROM islands i
        UNION ALL
        -- A year alone is that of the only tournament then, or of one without other dates.
        SELECT d.id, coalesce(CASE count(x.island) WHEN 1 THEN min(x.island)::text END, 'year ' || extract(year FROM d.day), '')
        FROM dated d LEFT JOIN extents x
          ON x.part = d.part AND (d.day IS NULL OR d.until IS NULL OR d.day < x.until AND x.day < d.until)
        WHERE (d.until - d.day <= 31) IS NOT TRUE GROUP BY d.id, d.day
    ), groups AS MATERIALIZED (
        SELECT row_number() OVER () AS number, d.event, d.site, d.section, count(*) AS games,
               coalesce(min(d.day) FILTER (WHERE d.until - d.day <= 31), min(d.day)) AS day,
               coalesce(max(d.until) FILTER (WHERE d.until - d.day <= 31), max(d.until)) AS until,
               ARRAY(SELECT DISTINCT p FROM unnest(array_agg(d.white) || array_agg(d.black)) p WHERE p IS NOT NULL) AS players,
               array_agg(d.id) AS ids
        FROM dated d JOIN placed p USING (id) GROUP BY d.part, d.event, d.site, d.section, p.island
    ), united AS MATERIALIZED (
        -- A few games at another site are of the same tournament if all their players took part in it then.
        SELECT DISTINCT ON (g.number) g.day, g.until, g.ids, coalesce(o.number, g.number) AS number
        FROM groups g LEFT JOIN groups o
          ON o.event = g.event AND o.section IS NOT DISTINCT FROM g.section AND o.site IS DISTINCT FROM g.site
             AND (o.games, -o.number) > (g.games, -g.number) AND g.players <@ o.players
             AND g.day < o.until + pause AND o.day < g.until + pause
        ORDER BY g.number, o.games DESC NULLS LAST, o.number
    )
    SELECT g.event, g.site, g.section, u.day, u.until - 1, cardinality(g.players)::bigint, u.games, u.ids
    FROM (SELECT u.number, min(u.day) AS day, max(u.until) AS until, count(*) AS games, array_agg(i ORDER BY i) AS ids
          FROM united u CROSS JOIN unnest(u.ids) i GROUP BY 1) u
    JOIN groups g USING (number)
    WHERE (tournaments.site IS NULL OR g.site = coalesce(
              (SELECT coalesce(s.canonical, s.name) FROM {schema}.sites s WHERE s.name = tournaments.site), tournaments.site))
      -- what has no date is not known to be within any
      AND (tournaments.dates IS NULL OR coalesce(u.day, u.until) IS NOT NULL AND daterange(u.day, u.until) && tournaments.dates)
    ORDER BY g.event COLLATE "C", u.day, g.site COLLATE "C", g.section COLLATE "C";
END
$function$;
COMMENT ON FUNCTION {schema}.tournaments IS
    'the tournaments of an event: its games by site, section and time, with their ids';

CREATE OR REPLACE FUNCTION {schema}.crosstable_limit(ids bigint[]) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    most CONSTANT integer := 20000;
BEGIN
    IF cardinality(ids) > most THEN
        RAISE EXCEPTION '% games are too many for a crosstable', cardinality(ids) USING ERRCODE = 'program_limit_exceeded',
            DETAIL = format('The limit is %s games.', most);
    END IF;
END
$function$;
COMMENT ON FUNCTION {schema}.crosstable_limit(bigint[]) IS 'an ERROR if these games are too many for a crosstable';

CREATE OR REPLACE FUNCTION {schema}.lesser_twins(ids bigint[]) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    RETURN QUERY
    SELECT CASE WHEN ({chess}.score({schema}.told_result(a.result, a.tags), 'w'::text) IS NOT NULL, a.ply_count, -a.id)
                     > ({chess}.score({schema}.told_result(b.result, b.tags), 'w'::text) IS NOT NULL, b.ply_count, -b.id) THEN b.id ELSE a.id END
    FROM {schema}.twins t JOIN {schema}.games a ON a.id = t.a JOIN {schema}.games b ON b.id = t.b
    WHERE t.kind <> 'other_players' AND t.a = ANY (ids) AND t.b = ANY (ids);
END
$function$;
COMMENT ON FUNCTION {schema}.lesser_twins(bigint[]) IS
    'of two twins among these games, the one without a result, or the shorter one';

CREATE OR REPLACE FUNCTION {schema}.crosstable(
    ids bigint[],
    OUT rank integer, OUT player_id integer, OUT player text, OUT rating integer, OUT points double precision, OUT games integer,
    OUT sonneborn_berger double precision, OUT buchholz double precision, OUT performance integer, OUT results text[],
    OUT details jsonb, INOUT kind text DEFAULT NULL
) RETURNS SETOF record
LANGUAGE plpgsql STABLE ROWS 50 COST 10000 SET search_path = pg_catalog, pg_temp SET jit = off
AS $function$
#variable_conflict use_column
DECLARE
    most_cells CONSTANT bigint := 10000000;
    wide bigint;
    high bigint;
BEGIN
    IF kind NOT IN ('all-play-all', 'swiss', 'knockout', 'match', 'simultaneous') THEN
        RAISE EXCEPTION '"%" is not a kind of tournament', kind USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'Kinds are all-play-all, swiss, knockout, match and simultaneous.';
    END IF;
    PERFORM {schema}.crosstable_limit(ids);
    -- fewer games cannot have so many cells
    IF cardinality(ids) > sqrt(most_cells) - 1 THEN
        SELECT count(*), CASE crosstable.kind WHEN 'all-play-all' THEN count(*) ELSE max(s.games) END INTO high, wide
        FROM (SELECT count(*) AS games
              FROM {schema}.games g CROSS JOIN LATERAL (VALUES (g.white_id), (g.black_id)) v (player) JOIN {schema}.players p ON p.id = v.player
              WHERE g.id = ANY (crosstable.ids) GROUP BY coalesce(p.same_as, p.id)) s;
        IF high * wide > most_cells THEN
            RAISE EXCEPTION 'a crosstable of % lines and % columns is too large', high, wide USING ERRCODE = 'program_limit_exceeded',
                DETAIL = format('The limit is %s cells.', most_cells);
        END IF;
    END IF;
    RETURN QUERY
    WITH listed AS MATERIALIZED (
        SELECT g.id, t.result, g.round, g.date, g.white_elo, g.black_elo,
               g.ply_count = 0 OR coalesce({chess}.isforfeit(t.result), false) AS is_forfeit,
               CASE WHEN isfinite(lower(g.dates)) THEN lower(g.dates) END AS day,
               CASE WHEN isfinite(upper(g.dates)) THEN upper(g.dates) END AS until,
               -- the numbers in a round such as 5.3
               string_to_array(nullif(btrim(regexp_replace(left(g.round, 60), '[^0-9]+', ' ', 'g')), ''), ' ')::numeric[] AS numbers,
               CASE WHEN lower(w.shown) <> 'bye' THEN coalesce(w.same_as, w.id) END AS white,
               CASE WHEN lower(b.shown) <> 'bye' THEN coalesce(b.same_as, b.id) END AS black
        FROM (SELECT DISTINCT i FROM unnest(crosstable.ids) i) i
        JOIN {schema}.games g ON g.id = i.i
        CROSS JOIN LATERAL (SELECT {schema}.told_result(g.result, g.tags)) t (result)
        LEFT JOIN {schema}.players w ON w.id = g.white_id
        LEFT JOIN {schema}.players b ON b.id = g.black_id
    ), once AS MATERIALIZED (
        SELECT l.*, row_number() OVER (ORDER BY l.day, l.numbers, l.id) AS n
        FROM listed l
        WHERE l.white IS DISTINCT FROM l.black AND l.id NOT IN (SELECT {schema}.lesser_twins(crosstable.ids))
    ), seats AS MATERIALIZED (
        SELECT o.id, o.n, o.round, o.date, o.numbers[1] AS number, s.color, s.player, s.opponent, s.elo, s.score, s.other,
               s.opponent IS NOT NULL AND NOT o.is_forfeit AS played,
               row_number() OVER (PARTITION BY s.player ORDER BY o.n) AS turn,
               -- A game without moves is a forfeit, too, and one without an opponent a bye.
               CASE WHEN s.score IS NULL THEN '*'
                    WHEN s.opponent IS NULL OR o.is_forfeit THEN CASE s.score WHEN 1 THEN '+' WHEN 0 THEN '-' ELSE '=' END
                    ELSE CASE s.score WHEN 1 THEN '1' WHEN 0 THEN '0' ELSE '½' END END AS sign
        FROM once o CROSS JOIN LATERAL (VALUES
            ('w', o.white, o.black, o.white_elo, {chess}.score(o.result, 'w'::text)::float8, {chess}.score(o.result, 'b'::text)::float8),
            ('b', o.black, o.white, o.black_elo, {chess}.score(o.result, 'b'::text)::float8, {chess}.score(o.result, 'w'::text)::float8)
        ) s (color, player, opponent, elo, score, other)
        WHERE s.player IS NOT NULL
    ), entrants AS MATERIALIZED (
        SELECT s.player, mode() WITHIN GROUP (ORDER BY s.elo) FILTER (WHERE s.elo > 0) AS rating,
               coalesce(sum(s.score), 0) AS points, count(s.score)::integer AS games, count(DISTINCT s.opponent) AS opponents,
               max(s.n) AS last
        FROM seats s GROUP BY 1
    ), pairings AS MATERIALIZED (
        SELECT s.player, s.opponent, sum(s.score) AS own, sum(s.other) AS others, max(s.n) AS last,
               max(s.number) AS number, row_number() OVER (PARTITION BY s.player ORDER BY max(s.n)) AS turn
        FROM seats s WHERE s.opponent IS NOT NULL GROUP BY 1, 2
    ), courses AS MATERIALIZED (
        SELECT p.player, p.opponent, p.own, p.others, p.last, p.turn, p.number, e.last > p.last AS goes_on,
               p.own < p.others OR p.own = p.others AND e.last = p.last AND o.last > p.last AS lost
        FROM pairings p JOIN entrants e USING (player) JOIN entrants o ON o.player = p.opponent
    ), kinds AS MATERIALIZED (
        SELECT coalesce(crosstable.kind, CASE
            WHEN c.players <= 2 THEN 'match'
            -- Games of one player on several days or in several rounds are a part of a larger tournament.
            WHEN c.players > 3 AND c.pairings = c.players - 1 AND c.most = c.pairings
                 AND c.one_day AND c.rounds < 2 THEN 'simultaneous'
            WHEN c.pairings * 10 * CASE WHEN c.by_round THEN coalesce(c.of_rounds, 1) ELSE 1 END
                 >= c.players * (c.players - 1) * 3 THEN 'all-play-all'
            -- The winner of a match goes on, and its loser plays no more, except for the third place. Few games of a
            -- larger tournament can look like this, so matches have several games, or none is missing.
            WHEN c.pairings BETWEEN 3 AND c.players AND c.losers_on <= 2 + c.pairings / 20 AND c.winners_on * 2 >= c.pairings
                 AND greatest(c.most, c.rounds) <= ceil(log(2, c.players)) + 1
                 AND (c.games >= c.pairings * 1.5 OR c.pairings >= c.players - 1) THEN 'knockout'
            ELSE 'swiss' END) AS kind,
            c.by_round
        FROM (
            SELECT (SELECT max(o.until) - min(o.day) = 1 FROM once o) AS one_day,
                   (SELECT count(DISTINCT o.numbers[1]) FROM once o) AS rounds,
                   (SELECT count(*) FROM entrants) AS players, (SELECT max(e.opponents) FROM entrants e) AS most,
                   (SELECT count(*) / 2 FROM pairings) AS pairings, (SELECT count(*) FROM once) AS games,
                   (SELECT count(*) FROM courses p WHERE p.goes_on AND p.lost) AS losers_on,
                   (SELECT count(*) FROM courses p WHERE p.goes_on AND NOT p.lost) AS winners_on,
                   (SELECT count(DISTINCT (s.player, s.number)) FILTER (WHERE s.number BETWEEN 1 AND 100) >= 0.95 * count(*)
                    FROM seats s) AS by_round,
                   -- If everybody plays in each round that is stored, the missing rounds before the last one are taken to
                   -- have had as many pairings. The first boards of a Swiss do not count so: their players change.
                   (SELECT max(s.number) / count(DISTINCT s.number)
                    FROM seats s WHERE s.number BETWEEN 1 AND 100 AND s.opponent IS NOT NULL
                    HAVING count(DISTINCT s.number) > 1
                       AND count(*) >= 0.9 * count(DISTINCT s.number) * (count(DISTINCT s.player) / 2 * 2)) AS of_rounds
        ) c
    ), sums AS MATERIALIZED (
        SELECT s.player, sum(s.score * o.points) AS sonneborn_berger, sum(o.points) FILTER (WHERE s.score IS NOT NULL) AS buchholz,
               {schema}.performance(
                   avg(o.rating) FILTER (WHERE s.played AND s.score IS NOT NULL)::float8,
                   avg(s.score) FILTER (WHERE s.played AND o.rating IS NOT NULL)::float8) AS performance
        FROM seats s JOIN entrants o ON o.player = s.opponent GROUP BY 1
    ), stages AS MATERIALIZED (
        SELECT c.player, max(c.stage) AS reached, count(*) FILTER (WHERE c.lost) AS losses,
               min(c.stage) FILTER (WHERE c.lost) AS lost_at
        FROM (SELECT p.player, p.lost, CASE WHEN bool_and(p.number IS NOT NULL) OVER () THEN p.number ELSE p.turn END AS stage
              FROM courses p) c
        GROUP BY 1
    ), ordered AS MATERIALIZED (
        SELECT e.player, c.shown AS name, e.rating, e.points, e.games, s.sonneborn_berger, s.buchholz, s.performance, k.kind,
               rank() OVER (ORDER BY
                   CASE WHEN k.kind = 'knockout' THEN t.reached END DESC NULLS LAST,
                   CASE WHEN k.kind = 'knockout' THEN t.losses END,
                   CASE WHEN k.kind = 'knockout' THEN t.lost_at END DESC,
                   CASE WHEN k.kind <> 'knockout' THEN e.points END DESC,
                   CASE k.kind WHEN 'swiss' THEN s.buchholz WHEN 'all-play-all' THEN s.sonneborn_berger END DESC NULLS LAST,
                   CASE k.kind WHEN 'swiss' THEN s.sonneborn_berger END DESC NULLS LAST) AS rank
        FROM entrants e CROSS JOIN kinds k JOIN {schema}.players c ON c.id = e.player
        LEFT JOIN sums s USING (player) LEFT JOIN stages t USING (player)
    ), ranked AS MATERIALIZED (
        SELECT o.*, row_number() OVER (ORDER BY o.rank, o.name COLLATE "C", o.player) AS place FROM ordered o
    ), cells AS MATERIALIZED (
        SELECT s.player,
               CASE k.kind WHEN 'all-play-all' THEN o.place
                   WHEN 'knockout' THEN p.turn
                   ELSE CASE WHEN k.kind <> 'swiss' OR NOT k.by_round THEN s.turn
                             WHEN s.number BETWEEN 1 AND 100 THEN s.number::bigint ELSE 101 END END AS at,
               CASE k.kind WHEN 'all-play-all' THEN string_agg(s.sign, '' ORDER BY s.n)
                   WHEN 'knockout' THEN concat(min(o.place), ':', string_agg(s.sign, '' ORDER BY s.n))
                   ELSE string_agg(concat(o.place, CASE WHEN o.place IS NOT NULL THEN s.color END, s.sign), ' ' ORDER BY s.n) END AS cell
        FROM seats s CROSS JOIN kinds k LEFT JOIN ranked o ON o.player = s.opponent
        LEFT JOIN pairings p ON p.player = s.player AND p.opponent = s.opponent
        GROUP BY s.player, k.kind, 2
    ), numbered AS MATERIALIZED (
        SELECT c.at FROM (
            SELECT r.place AS at FROM ranked r WHERE r.kind = 'all-play-all'
            UNION SELECT c.at FROM cells c WHERE c.at IS NOT NULL) c
    ), lines AS MATERIALIZED (
        SELECT r.player, array_agg(CASE WHEN r.kind = 'all-play-all' AND r.place = c.at THEN 'x' ELSE coalesce(l.cell, '') END
                                   ORDER BY c.at) AS results
        FROM ranked r CROSS JOIN numbered c LEFT JOIN cells l ON l.player = r.player AND l.at = c.at GROUP BY 1
    ), told AS MATERIALIZED (
        SELECT s.player, jsonb_agg(jsonb_build_object('game', s.id, 'round', s.round, 'date', s.date, 'opponent', s.opponent,
                   'place', o.place, 'color', s.color, 'score', s.score, 'played', s.played) ORDER BY s.n) AS details
        FROM seats s LEFT JOIN ranked o ON o.player = s.opponent GROUP BY 1
    )
    SELECT r.rank::integer, r.player, r.name, r.rating, r.points, r.games,
           CASE WHEN r.kind IN ('all-play-all', 'swiss') THEN coalesce(r.sonneborn_berger, 0) END,
           CASE WHEN r.kind = 'swiss' THEN coalesce(r.buchholz, 0) END,
           round(r.performance)::integer, coalesce(l.results, '{}'), d.details, r.kind
    FROM ranked r LEFT JOIN lines l USING (player) JOIN told d USING (player)
    ORDER BY r.place;
END
$function$;
COMMENT ON FUNCTION {schema}.crosstable(bigint[], text) IS
    'the table of a tournament of these games: a row for each player, with rank, points, tie-breaks, performance and results';

CREATE OR REPLACE FUNCTION {schema}.crosstable(
    event text, site text DEFAULT NULL, dates daterange DEFAULT NULL, section text DEFAULT NULL,
    OUT rank integer, OUT player_id integer, OUT player text, OUT rating integer, OUT points double precision, OUT games integer,
    OUT sonneborn_berger double precision, OUT buchholz double precision, OUT performance integer, OUT results text[],
    OUT details jsonb, INOUT kind text DEFAULT NULL, IN sources integer[] DEFAULT NULL
) RETURNS SETOF record
LANGUAGE plpgsql STABLE ROWS 50 COST 10000 SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    found bigint;
    largest text;
    games_of_it bigint[];
BEGIN
    IF event ~ '^((Rated|Unrated|Casual) .*game|Live Chess)$' THEN
        RAISE EXCEPTION '"%" is not a tournament', event USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'Servers give this name to games that belong to no tournament.';
    END IF;
    SELECT count(*), (array_agg(t.ids::text ORDER BY t.games DESC))[1]::bigint[],
           string_agg(concat_ws(', ', t.site, t.section, CASE t.last WHEN t.first THEN t.first::text ELSE t.first || ' to ' || t.last END,
                                t.games || CASE t.games WHEN 1 THEN ' game' ELSE ' games' END), '; ' ORDER BY t.place)
               FILTER (WHERE t.place <= 5)
    INTO found, games_of_it, largest
    FROM (SELECT t.*, row_number() OVER (ORDER BY t.games DESC, t.first, t.site) AS place
          FROM {schema}.tournaments(crosstable.event, crosstable.site, crosstable.dates, crosstable.section,
                                   crosstable.sources) t) t;
    IF found > 1 THEN
        RAISE EXCEPTION '%', CASE WHEN event IS NULL THEN format('there are %s tournaments', found)
                                  ELSE format('%s tournaments have the name "%s"', found, event) END
            USING ERRCODE = 'cardinality_violation',
            DETAIL = format('The largest are: %s.', largest),
            HINT = 'Choose one by site, dates or section. The function {schema_literal}.tournaments lists them.';
    END IF;
    RETURN QUERY SELECT * FROM {schema}.crosstable(games_of_it, crosstable.kind);
END
$function$;
COMMENT ON FUNCTION {schema}.crosstable(text, text, daterange, text, text, integer[]) IS
    'the table of the only tournament of this event, site, time and section; tournaments lists them';

CREATE OR REPLACE FUNCTION {schema}.team_crosstable(
    ids bigint[], OUT rank integer, OUT team text, OUT points integer, OUT board_points double precision, OUT matches integer,
    OUT games integer, OUT results text[], OUT kind text
) RETURNS SETOF record
LANGUAGE plpgsql STABLE ROWS 50 COST 10000 SET search_path = pg_catalog, pg_temp SET jit = off
AS $function$
#variable_conflict use_column
BEGIN
    PERFORM {schema}.crosstable_limit(ids);
    RETURN QUERY
    WITH listed AS MATERIALIZED (
        SELECT g.id, {schema}.told_result(g.result, g.tags) AS result, coalesce(substring(left(g.round, 60) FROM '[0-9]+')::numeric, 'NaN') AS number, lower(g.dates) AS day,
               regexp_replace(btrim(g.tags ->> 'WhiteTeam'), '[[:space:]]+', ' ', 'g') AS white,
               regexp_replace(btrim(g.tags ->> 'BlackTeam'), '[[:space:]]+', ' ', 'g') AS black
        FROM {schema}.games g WHERE g.id = ANY (team_crosstable.ids)
    ), seats AS MATERIALIZED (
        -- Without a round the games of a day are a match.
        SELECT l.number, CASE WHEN l.number = 'NaN' THEN l.day END AS day, s.team, lower(s.team) AS key, lower(s.opponent) AS opponent, s.score, s.other
        FROM listed l CROSS JOIN LATERAL (VALUES
            (l.white, l.black, {chess}.score(l.result, 'w'::text)::float8, {chess}.score(l.result, 'b'::text)::float8),
            (l.black, l.white, {chess}.score(l.result, 'b'::text)::float8, {chess}.score(l.result, 'w'::text)::float8)
        ) s (team, opponent, score, other)
        WHERE l.white <> '' AND l.black <> '' AND lower(l.white) <> lower(l.black) AND l.id NOT IN (SELECT {schema}.lesser_twins(team_crosstable.ids))
    ), played AS MATERIALIZED (
        -- A match with a game that goes on has no points yet.
        SELECT s.key, s.opponent, s.number, dense_rank() OVER (ORDER BY s.number, s.day) AS round, coalesce(sum(s.score), 0) AS boards,
               count(s.score) AS games,
               CASE WHEN count(s.score) = count(*) THEN 1 + sign(sum(s.score) - sum(s.other)) END::integer AS points
        FROM seats s GROUP BY s.key, s.opponent, s.number, s.day
    ), entrants AS MATERIALIZED (
        SELECT p.key, coalesce(sum(p.points), 0)::integer AS points, sum(p.boards) AS boards, count(p.points)::integer AS matches,
               sum(p.games)::integer AS games, count(DISTINCT p.opponent) AS opponents
        FROM played p GROUP BY 1
    ), kinds AS MATERIALIZED (
        -- as in crosstable: missing rounds had as many pairings as those that are there
        SELECT CASE WHEN sum(e.opponents) * coalesce(max(r.of_rounds), 1) >= 0.6 * count(*) * (count(*) - 1)
                    THEN 'all-play-all' ELSE 'swiss' END AS kind
        FROM entrants e LEFT JOIN (
            SELECT max(p.number) / count(DISTINCT p.number) AS of_rounds FROM played p
            HAVING bool_and(p.number BETWEEN 1 AND 100) AND count(DISTINCT p.number) > 1
               AND count(*) >= 0.9 * count(DISTINCT p.number) * (count(DISTINCT p.key) / 2 * 2)) r ON true
    ), ranked AS MATERIALIZED (
        SELECT e.*, n.name, rank() OVER (ORDER BY e.points DESC, e.boards DESC) AS rank,
               row_number() OVER (ORDER BY e.points DESC, e.boards DESC, n.name COLLATE "C") AS place
        FROM entrants e JOIN (SELECT s.key, mode() WITHIN GROUP (ORDER BY s.team) AS name FROM seats s GROUP BY 1) n USING (key)
    ), cells AS MATERIALIZED (
        SELECT p.key, CASE k.kind WHEN 'swiss' THEN p.round ELSE o.place END AS at,
               string_agg(concat(CASE k.kind WHEN 'swiss' THEN o.place || ':' END, b.sign), ' ' ORDER BY p.round, o.place) AS cell
        FROM played p CROSS JOIN kinds k JOIN ranked o ON o.key = p.opponent
        CROSS JOIN LATERAL (SELECT CASE WHEN p.boards = 0.5 THEN '½' WHEN p.boards = trunc(p.boards) THEN p.boards::text
                                        ELSE trunc(p.boards) || '½' END || CASE WHEN p.points IS NULL THEN '*' ELSE '' END AS sign) b
        GROUP BY 1, 2
    ), numbered AS MATERIALIZED (
        SELECT r.place AS at FROM ranked r CROSS JOIN kinds k WHERE k.kind = 'all-play-all' UNION SELECT c.at FROM cells c
    )
    SELECT r.rank::integer, r.name, r.points, r.boards, r.matches, r.games,
           ARRAY(SELECT CASE WHEN k.kind = 'all-play-all' AND n.at = r.place THEN 'x' ELSE coalesce(c.cell, '') END
                 FROM numbered n LEFT JOIN cells c ON c.key = r.key AND c.at = n.at ORDER BY n.at), k.kind
    FROM ranked r CROSS JOIN kinds k ORDER BY r.place;
END
$function$;
COMMENT ON FUNCTION {schema}.team_crosstable(bigint[]) IS
    'the table of the teams of these games, by their tags WhiteTeam and BlackTeam: match points, board points and results';
