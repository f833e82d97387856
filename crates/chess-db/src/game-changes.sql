-- In: {schema}, as for tables.sql. Out: the functions that apply to one state of a game what changed between two others;
-- earlier.sql and chess-pgn call them.

CREATE OR REPLACE FUNCTION {schema}.with_changes(onto jsonb, before jsonb, after jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
RETURN onto - ARRAY(SELECT b.key FROM jsonb_each(before) b WHERE NOT after ? b.key)
    || (SELECT coalesce(jsonb_object_agg(a.key, a.value), jsonb_build_object())
        FROM jsonb_each(after) a WHERE a.value IS DISTINCT FROM before -> a.key);
COMMENT ON FUNCTION {schema}.with_changes(jsonb, jsonb, jsonb) IS
    'an object with the keys that differ between two others as the later one has them';

-- Clocks, evaluations and notes are of single moves, so they change together with the moves. A site is in one of two columns.
CREATE OR REPLACE FUNCTION {schema}.game_with_changes(onto jsonb, before jsonb, after jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    moves CONSTANT text[] := ARRAY['game', 'clocks', 'evals', 'error', 'annotated'];
    site CONSTANT text[] := ARRAY['site_id', 'lichess_id'];
    place CONSTANT text[] := ARRAY['id', 'source_id', 'source_offset', 'shard'];
    changed jsonb := {schema}.with_changes(onto, before - moves - site - place, after - moves - site - place);
    empty CONSTANT jsonb := jsonb_build_object();
    tags jsonb := {schema}.with_changes(coalesce(nullif(onto -> 'tags', 'null'), empty), coalesce(nullif(before -> 'tags', 'null'), empty),
                                        coalesce(nullif(after -> 'tags', 'null'), empty));
BEGIN
    IF EXISTS (SELECT FROM unnest(moves) m WHERE before -> m IS DISTINCT FROM after -> m) THEN
        changed := changed || (SELECT jsonb_object_agg(m, after -> m) FROM unnest(moves) m);
    END IF;
    IF EXISTS (SELECT FROM unnest(site) s WHERE before -> s IS DISTINCT FROM after -> s) THEN
        changed := changed || (SELECT jsonb_object_agg(s, after -> s) FROM unnest(site) s);
    END IF;
    RETURN changed || jsonb_build_object('tags', nullif(tags, empty));
END
$function$;
COMMENT ON FUNCTION {schema}.game_with_changes(jsonb, jsonb, jsonb) IS
    'a row of games with what differs between two others as the later one has it: each column, each tag, and together all that is told of the moves, and of the site';
