-- What chess_index_sums tests, with stored sums of all lists that can have them.

\set sums 1
\getenv abs_srcdir PG_ABS_SRCDIR
\set file :abs_srcdir '/sql/chess_index_sums.sql'
\i :file
