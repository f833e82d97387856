-- In: the tables of search.sql, immediately after a start of the server, so that its buffers are empty; the variables
-- subject and method of a question.
-- Out: the time of this question, asked once, in the table cold.
\ir measure.sql
CREATE TABLE IF NOT EXISTS cold (subject text, method text, ms numeric, elapsed numeric);
CREATE OR REPLACE PROCEDURE ask_cold(sought text, way text) LANGUAGE plpgsql AS $$
DECLARE
    q questions;
    began numeric;
    started numeric;
    found bigint;
BEGIN
    SELECT * INTO STRICT q FROM questions WHERE subject = sought AND method = way;
    PERFORM set_config(split_part(setting, '=', 1), split_part(setting, '=', 2), true)
    FROM regexp_split_to_table(q.settings, ', *') AS setting WHERE setting <> '';
    began := elapsed_ms();
    started := processor_ms();
    EXECUTE q.statement INTO found;
    INSERT INTO cold VALUES (sought, way, processor_ms() - started, elapsed_ms() - began);
END $$;
CALL ask_cold(:'subject', :'method');
