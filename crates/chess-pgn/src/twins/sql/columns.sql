-- In: $1 a table.
-- Out: its columns that can be written, as a list, and as one of columns of r.
SELECT string_agg(quote_ident(attname), ', '), string_agg('r.' || quote_ident(attname), ', ')
FROM pg_attribute
WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
