-- Out: a table for the keys of names, and memory for sorting: what it does not hold is written to disk.
SELECT set_config('work_mem', '128MB', true) WHERE pg_size_bytes(current_setting('work_mem')) < 134217728;
CREATE TEMP TABLE twin_names (id integer PRIMARY KEY, key bigint NOT NULL) ON COMMIT DROP
