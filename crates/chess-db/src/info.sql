-- In: {schema}, the quoted name of a schema that is there. Out: the table that says what is in it.

CREATE TABLE {schema}.info (
    name  text PRIMARY KEY,
    value text NOT NULL
);
COMMENT ON TABLE {schema}.info IS 'facts about this schema, such as its version';
