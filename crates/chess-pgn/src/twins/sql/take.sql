-- In: schema and chess, the schemas of the tables and of the extension; $1 the game k that stays, $2 its twin o, $3 the
-- number of half-moves that both have, $4 whether their moves are equal, $5 the run.
-- Out: k has what it lacked and o has; the names of the columns that have changed, which twins_taken remembers.
--
-- A game without news is not written: its versions, which a transaction cannot remove, would pile up, and each of thousands
-- of twins would have to pass them.
WITH wanted AS MATERIALIZED (
    SELECT to_jsonb(k) AS before,
           coalesce(k.event_id, o.event_id) AS event_id,
           coalesce(k.site_id, o.site_id) AS site_id,
           coalesce(k.white_id, o.white_id) AS white_id,
           coalesce(k.black_id, o.black_id) AS black_id,
           coalesce(k.white_elo, o.white_elo) AS white_elo,
           coalesce(k.black_elo, o.black_elo) AS black_elo,
           coalesce(k.round, o.round) AS round,
           coalesce(k.time_control, o.time_control) AS time_control,
           coalesce(k.eco, o.eco) AS eco,
           CASE WHEN k.dates IS NULL AND o.dates IS NOT NULL OR o.dates <@ k.dates AND o.dates <> k.dates THEN o.date
                ELSE k.date END AS date,
           CASE WHEN k.dates IS NULL OR o.dates <@ k.dates THEN coalesce(o.dates, k.dates) ELSE k.dates END AS dates,
           CASE WHEN jsonb_typeof(o.tags) = 'object' AND coalesce(jsonb_typeof(k.tags), 'object') = 'object'
                THEN o.tags || coalesce(k.tags, '{{}}') ELSE k.tags END AS tags,
           -- they have a value for each half-move, of which only those of the common ones are valid
           coalesce(k.clocks, nullif(o.clocks[1:$3], '{{}}')) AS clocks,
           coalesce(k.evals, nullif(o.evals[1:$3], '{{}}')) AS evals,
           CASE WHEN k.annotated IS NULL AND $4 AND k.error IS NULL AND o.error IS NULL
                     AND (k.result = '*' OR {chess}.result(k.game) = {chess}.result(o.game))
                THEN o.annotated ELSE k.annotated END AS annotated,
           CASE WHEN k.result = '*' AND {chess}.result(k.game) = '*' AND o.result <> '*'
                THEN {chess}.withresult(k.game, o.result) ELSE k.game END AS game,
           CASE WHEN k.result = '*' THEN o.result ELSE k.result END AS result
    FROM {schema}.games k, {schema}.games o WHERE k.id = $1 AND o.id = $2
), kept AS (
    UPDATE {schema}.games k
    SET (event_id, site_id, white_id, black_id, white_elo, black_elo, round, time_control, eco,
         date, dates, tags, clocks, evals, annotated, game, result)
      = ROW(w.event_id, w.site_id, w.white_id, w.black_id, w.white_elo, w.black_elo, w.round, w.time_control, w.eco,
            w.date, w.dates, w.tags, w.clocks, w.evals, w.annotated, w.game, w.result)
    FROM wanted w
    WHERE k.id = $1
      AND ROW(k.event_id, k.site_id, k.white_id, k.black_id, k.white_elo, k.black_elo, k.round, k.time_control, k.eco,
              k.date, k.dates, k.tags, k.clocks, k.evals, k.annotated, k.game, k.result)::record
      *<> ROW(w.event_id, w.site_id, w.white_id, w.black_id, w.white_elo, w.black_elo, w.round, w.time_control, w.eco,
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
