-- In: schema and chess, the schemas of the tables and of the extension; $1 the game k that stays, $2 its twin o, $3 the
-- number of half-moves that both have, $4 whether their moves are equal, $5 the run.
-- Out: k has what it lacked and o has; the names of the columns that have changed, which twins_taken remembers.
--
-- A game without news is not written: its versions, which a transaction cannot remove, would pile up, and each of thousands
-- of twins would have to pass them.
WITH wanted AS MATERIALIZED (
    SELECT to_jsonb(k) AS before,
           coalesce(k.event_id, o.event_id) AS event_id,
           coalesce(k.site_id, CASE WHEN k.lichess_id IS NULL THEN o.site_id END) AS site_id,
           coalesce(k.lichess_id, CASE WHEN k.site_id IS NULL THEN o.lichess_id END) AS lichess_id,
           coalesce(k.white_id, o.white_id) AS white_id,
           coalesce(k.black_id, o.black_id) AS black_id,
           coalesce(k.white_elo, o.white_elo) AS white_elo,
           coalesce(k.black_elo, o.black_elo) AS black_elo,
           coalesce(k.round, o.round) AS round,
           coalesce(k.time_control, o.time_control) AS time_control,
           coalesce(k.eco, o.eco) AS eco,
           CASE WHEN t.days THEN coalesce(o.date, k.date) ELSE k.date END AS date,
           CASE WHEN t.days THEN coalesce(o.dates, k.dates) ELSE k.dates END AS dates,
           CASE WHEN jsonb_typeof(coalesce(o.tags, '{{}}')) = 'object' AND jsonb_typeof(coalesce(k.tags, '{{}}')) = 'object'
                THEN nullif((coalesce(o.tags, '{{}}') - c.kept) || (coalesce(k.tags, '{{}}') - c.taken), '{{}}') ELSE k.tags END AS tags,
           -- they have a value for each half-move, of which only those of the common ones are valid
           coalesce(k.clocks, nullif(o.clocks[1:$3], '{{}}')) AS clocks,
           coalesce(k.evals, nullif(o.evals[1:$3], '{{}}')) AS evals,
           CASE WHEN k.annotated IS NULL AND $4 AND k.error IS NULL AND o.error IS NULL
                     AND (k.result = '*' OR {chess}.result(k.game) = {chess}.result(o.game))
                THEN o.annotated ELSE k.annotated END AS annotated,
           CASE WHEN k.result = '*' AND {chess}.result(k.game) = '*' AND o.result <> '*'
                THEN {chess}.withresult(k.game, o.result) ELSE k.game END AS game,
           CASE WHEN k.result = '*' THEN o.result ELSE k.result END AS result
    FROM {schema}.games k CROSS JOIN {schema}.games o
    CROSS JOIN LATERAL (
        -- the day on which an event began is not that of its games
        SELECT k.date IS NULL AND coalesce(k.tags ? 'EventDate' AND NOT k.tags ? 'UTCDate', false) AS stays,
               o.date IS NULL AND coalesce(o.tags ? 'EventDate' AND NOT o.tags ? 'UTCDate', false) AS goes
    ) of_event
    CROSS JOIN LATERAL (
        -- A date without a year means no days; another text is more precise if it has numbers where that one has question marks.
        SELECT coalesce((k.dates IS NULL OR o.dates <@ k.dates AND (o.dates <> k.dates OR k.date IS NULL)
                         OR of_event.stays AND NOT of_event.goes AND o.dates IS NOT NULL)
                        AND (NOT of_event.goes OR k.date IS NULL AND (k.dates IS NULL OR of_event.stays))
                        AND (k.date IS NULL OR k.dates IS NOT NULL
                             OR coalesce(o.date LIKE translate(k.date, '?%', '__') ESCAPE '', true)), false) AS days
    ) t
    CROSS JOIN LATERAL (
        -- Tags that only say how a value is spelled belong to the value; those of the moves, which stay, stay with them.
        SELECT coalesce(array_agg(v.name) FILTER (WHERE v.is_taken), '{{}}') AS taken,
               coalesce(array_agg(v.name) FILTER (WHERE NOT v.is_taken), '{{}}') AS kept
        FROM (
            SELECT p.name, p.of_k IS NULL AND (p.of_o IS NOT NULL OR coalesce(NOT k.tags ? p.name, true)
                                               AND o.tags ->> p.name !~ '^[ ?./-]*$') IS TRUE AS is_taken
            FROM (VALUES ('Event', k.event_id::text, o.event_id::text), 
                ('Site', coalesce(k.site_id, k.lichess_id)::text, coalesce(o.site_id, o.lichess_id)::text),
                ('White', k.white_id::text, o.white_id::text), ('Black', k.black_id::text, o.black_id::text),
                ('WhiteElo', k.white_elo::text, o.white_elo::text), ('BlackElo', k.black_elo::text, o.black_elo::text),
                ('Round', k.round, o.round), ('TimeControl', k.time_control, o.time_control), ('ECO', k.eco, o.eco),
                ('Date', CASE WHEN NOT t.days OR o.date IS NULL OR o.date = k.date THEN k.date END, o.date),
                ('Result', nullif(k.result, '*'), nullif(o.result, '*')),
                ('PlyCount', '', NULL), ('FEN', '', NULL), ('SetUp', '', NULL)) AS p (name, of_k, of_o)
        ) v
    ) c
    WHERE k.id = $1 AND o.id = $2
), kept AS (
    UPDATE {schema}.games k
    SET (event_id, site_id, lichess_id, white_id, black_id, white_elo, black_elo, round, time_control, eco,
         date, dates, tags, clocks, evals, annotated, game, result)
      = ROW(w.event_id, w.site_id, w.lichess_id, w.white_id, w.black_id, w.white_elo, w.black_elo, w.round, w.time_control, w.eco,
            w.date, w.dates, w.tags, w.clocks, w.evals, w.annotated, w.game, w.result)
    FROM wanted w
    WHERE k.id = $1
      AND ROW(k.event_id, k.site_id, k.lichess_id, k.white_id, k.black_id, k.white_elo, k.black_elo, k.round, k.time_control, k.eco,
              k.date, k.dates, k.tags, k.clocks, k.evals, k.annotated, k.game, k.result)::record
      *<> ROW(w.event_id, w.site_id, w.lichess_id, w.white_id, w.black_id, w.white_elo, w.black_elo, w.round, w.time_control, w.eco,
              w.date, w.dates, w.tags, w.clocks, w.evals, w.annotated, w.game, w.result)::record
    RETURNING w.before, to_jsonb(k) AS game
), changed AS (
    SELECT a.key AS name, nullif(b.value, 'null') AS before, a.value AS after
    FROM kept, jsonb_each(kept.game) a JOIN jsonb_each(kept.before) b ON b.key = a.key
    WHERE a.value <> b.value AND a.key NOT IN ('ply_count', 'facts')
)
INSERT INTO {schema}.twins_taken AS t (kept_id, run, name, taken_from, before, after)
SELECT $1, $5, name, $2, before, after FROM changed
ON CONFLICT (run, kept_id, name) DO UPDATE SET taken_from = excluded.taken_from, after = excluded.after
RETURNING name
