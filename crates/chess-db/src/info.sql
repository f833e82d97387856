-- In: {schema}, the quoted name of an existing schema. Out: the table with the facts about it.

CREATE TABLE {schema}.info (
    name  text PRIMARY KEY,
    value text NOT NULL
);
COMMENT ON TABLE {schema}.info IS 'facts about this schema, such as its version';
