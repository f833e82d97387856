-- In: {schema}, as for tables.sql, before the views. Out: the functions between the addresses that lichess gives its games, in the
-- tag Site, and the column lichess_id. They are those of lichess.rs.

CREATE OR REPLACE FUNCTION {schema}.lichess_site(lichess_id bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'https://lichess.org/'
    || substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', (lichess_id / 3521614606208)::integer + 1, 1)
    || substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', (lichess_id / 56800235584 % 62)::integer + 1, 1)
    || substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', (lichess_id / 916132832 % 62)::integer + 1, 1)
    || substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', (lichess_id / 14776336 % 62)::integer + 1, 1)
    || substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', (lichess_id / 238328 % 62)::integer + 1, 1)
    || substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', (lichess_id / 3844 % 62)::integer + 1, 1)
    || substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', (lichess_id / 62 % 62)::integer + 1, 1)
    || substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', (lichess_id % 62)::integer + 1, 1);
COMMENT ON FUNCTION {schema}.lichess_site(bigint) IS 'the address of a game at lichess, by the column lichess_id';

CREATE OR REPLACE FUNCTION {schema}.lichess_id(site text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN left(site, 20) = 'https://lichess.org/' AND length(site) = 28 AND substr(site, 21) COLLATE "C" !~ '[^0-9A-Za-z]' THEN
        (SELECT sum((strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', substr(site, 20 + d.place::integer, 1)) - 1)
                    * d.worth)::bigint
         FROM unnest(ARRAY[3521614606208, 56800235584, 916132832, 14776336, 238328, 3844, 62, 1]) WITH ORDINALITY d (worth, place))
    END;
COMMENT ON FUNCTION {schema}.lichess_id(text) IS
    'what the column lichess_id has for an address of a game at lichess; NULL for any other text';
