-- Helper functions of several tests.

-- The estimated and the actual number of rows of a query.
CREATE FUNCTION estimate(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' -> 'Plan Rows';
END
$$;
CREATE FUNCTION actual(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
    EXECUTE 'SELECT count(*) FROM (' || query || ') AS q' INTO n;
    RETURN n;
END
$$;

-- The cost of a query's plan.
CREATE FUNCTION cost(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' -> 'Total Cost';
END
$$;

-- The plan of a query as all versions show it: without the notes of 18 about disabled nodes, and without names of InitPlans
-- and what they return.
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        IF line !~ 'Disabled: true' THEN RETURN NEXT regexp_replace(line, 'InitPlan \S+.*', 'InitPlan'); END IF;
    END LOOP;
END
$$;

-- Evaluates each condition of a table (question) with each board of a table (wanted), over the games.
CREATE FUNCTION answers() RETURNS TABLE (question text, boards bigint, games numeric, ids numeric) LANGUAGE plpgsql AS $$
DECLARE
    w record;
    n bigint;
    s numeric;
BEGIN
    FOR question IN SELECT a.question FROM asked AS a LOOP
        boards := 0; games := 0; ids := 0;
        FOR w IN SELECT * FROM wanted LOOP
            EXECUTE format('SELECT count(*), coalesce(sum(id::numeric * id), 0) FROM games WHERE ' || question, w.board) INTO n, s;
            boards := boards + 1; games := games + n; ids := ids + s * boards;
        END LOOP;
        RETURN NEXT;
    END LOOP;
END
$$;
