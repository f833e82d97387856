-- What chess_index_sums tests, with stored sums of all lists that can have them.

\set sums 1
\getenv abs_srcdir PG_ABS_SRCDIR
-- Errors name the file as it is written here.
\cd :abs_srcdir
\i sql/chess_index_sums.sql
