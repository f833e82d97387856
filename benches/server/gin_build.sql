-- In: the table packed (id, game); the variables classes (an array), memory (an array of maintenance_work_mem) and
-- builds (repetitions). Needs pageinspect, which comes with PostgreSQL.
-- Out: build time and size of the GIN operator classes by maintenance_work_mem, and the fill of their pages.
\ir measure.sql
CREATE EXTENSION IF NOT EXISTS pageinspect;

-- The pages of a GIN index by kind. A page is free between the two bounds in its header; its special space has 8
-- bytes.
CREATE OR REPLACE FUNCTION gin_pages(index text, OUT leaves bigint, OUT fill numeric, OUT others bigint, OUT postings bigint)
LANGUAGE sql AS $$
    SELECT count(*) FILTER (WHERE opaque.flags = '{leaf}'),
           round(avg(100 * (1 - (upper - lower) / (pagesize - 24 - 8)::numeric)) FILTER (WHERE opaque.flags = '{leaf}'), 1),
           count(*) FILTER (WHERE NOT opaque.flags && '{leaf,data,meta}'),
           count(*) FILTER (WHERE opaque.flags @> '{data}')
    FROM (SELECT get_raw_page(index, n::int) AS page
          FROM generate_series(0, pg_relation_size(index) / current_setting('block_size')::int - 1) AS n) AS raw,
         page_header(page) AS header, gin_page_opaque_info(page) AS opaque $$;

CREATE TEMP TABLE filled (what text, leaves bigint, fill numeric, others bigint, postings bigint);
CREATE PROCEDURE pg_temp.build_all(classes text[], memory text[], builds int) LANGUAGE plpgsql AS $$
DECLARE
    class text;
    setting text;
    what text;
BEGIN
    FOR run IN 1..builds LOOP
        FOREACH class IN ARRAY classes LOOP
            FOREACH setting IN ARRAY memory LOOP
                what := class || ', ' || setting;
                PERFORM set_config('maintenance_work_mem', setting, true);
                CALL build(what, format('CREATE INDEX packed_trial ON packed USING gin (game %s)', class), 'packed_trial');
                IF run = 1 THEN
                    INSERT INTO filled SELECT what, p.* FROM gin_pages('packed_trial') AS p;
                END IF;
                DROP INDEX packed_trial;
                COMMIT;
            END LOOP;
        END LOOP;
    END LOOP;
END $$;
DELETE FROM built;
CALL pg_temp.build_all(:classes, :memory, :builds);

\echo 'Processor time in seconds; leaves are pages of keys with their games, postings pages of games alone'
SELECT what, round(ms::numeric / 1000, 1) AS seconds, round(least / 1000, 1) AS least, round(greatest / 1000, 1) AS greatest,
       pg_size_pretty(bytes) AS size, leaves, fill AS "filled, %", others, postings
FROM build_times JOIN filled USING (what) ORDER BY nr;
DELETE FROM built;
