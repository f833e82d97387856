-- Databases with other encodings: names are converted; chess itself needs only ASCII.

SELECT current_database() AS home \gset
CREATE DATABASE chess_latin1 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;
CREATE DATABASE chess_ascii ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;

\c chess_latin1
SET client_min_messages = warning;
CREATE EXTENSION chess;
SET client_encoding = 'UTF8';
-- If the encoding lacks a letter, it is written without its accent.
SELECT eco, name FROM chess_openings WHERE name ~ 'Kosti|Psakhis|nfeld Defense$' ORDER BY eco, name COLLATE "C";
SELECT count(DISTINCT name) > 3000 AS names, count((opening(game)).name) = count(*) AS "of games" FROM chess_openings;
SELECT tags ->> 'White' AS white, octet_length(tags ->> 'White') AS bytes, game FROM pgnGames(E'[White "R\u00e9ti"]\n\n1. Nf3 {\u00fc} d5 *');
SELECT error FROM pgnGames(E'[White "R\u00e9ti"]\n\n1. Nf3 d\u00e95 *');
SELECT E'1. Nf3 {\u00fc} d5'::chessgame;
SELECT E'1. Nf3 d\u00e95'::chessgame;
SELECT E'8/8/8/8/8/8/8/\u00e97'::chessboard;
-- Stored bytes do not depend on the encoding.
SELECT chessgame_send('1. f3 e5 2. g4 Qh4# 0-1');

\c chess_ascii
SET client_min_messages = warning;
CREATE EXTENSION chess;
\set VERBOSITY sqlstate
SELECT tags ->> 'White' AS white, game FROM pgnGames(E'[White "Reti"]\n\n1. Nf3 d5 *');
-- A byte that is invalid UTF-8 is skipped in a comment, and is not a move; in a name it would be invalid JSON.
SELECT E'1. Nf3 {\xfc} d5'::chessgame;
SELECT E'1. Nf3 d\xe95'::chessgame;
SELECT tags FROM pgnGames(E'[White "R\xe9ti"]\n\n1. Nf3 d5 *');
\set VERBOSITY default

\c :home
DROP DATABASE chess_latin1;
DROP DATABASE chess_ascii;
