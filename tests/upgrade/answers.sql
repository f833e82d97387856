-- In: the tables of tests/upgrade/indexes.sql; the variable scan: on for sequential scans, off for the indexes.
-- Out: what is found, a line for each question.
\pset format unaligned
\pset tuples_only on
SET enable_seqscan = :scan;
SELECT :'scan' = 'on' AS by_scan \gset
\if :by_scan
SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off;
\endif
SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_memoize = off;
SELECT 'opening', count(*), sum(id * n) FROM wanted AS w JOIN indexed AS i ON hasopening(i.game, w.opening);
SELECT 'equal', count(*), sum(id * n) FROM wanted AS w JOIN indexed AS i ON i.game = w.game;
SELECT 'hash', count(*), sum(id * n) FROM wanted AS w JOIN indexed AS i ON i.hashed = w.game;
SELECT 'board', count(*), sum(id * n) FROM wanted AS w JOIN indexed AS i ON hasboard(i.game, w.board);
SELECT 'within', count(*), sum(id * n) FROM wanted AS w JOIN indexed AS i ON hasboard(i.game, w.board, 20);
SELECT 'pieces', count(*), sum(id * n) FROM wanted AS w JOIN indexed AS i ON i.game @~ w.board;
SELECT 'any', count(*), sum(id * n) FROM wanted AS w JOIN indexed AS i ON i.game && ARRAY[w.board, getboard('1. e4', 1)];
SELECT 'all', count(*), sum(id * n) FROM wanted AS w JOIN indexed AS i ON chessgame_hasallboards(i.game, ARRAY[w.board, getboard('1. e4', 1)]);
SELECT 'boards', count(*), sum(id * n) FROM wanted AS w JOIN indexed AS i ON i.board = w.board;
SELECT 'boards, hash', count(*), sum(id * n) FROM wanted AS w JOIN indexed AS i ON i.hashed_board = w.board;
SELECT 'in order', md5(string_agg(id::text, ',')) FROM (SELECT id FROM indexed ORDER BY game, id) AS o;
