-- What chess_index_sums tests, with stored sums of all lists that can have them.

\set sums 1
\i sql/chess_index_sums.sql
