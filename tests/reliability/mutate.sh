#!/usr/bin/env bash
# In: the installed extension; VALUES=n (default 30000) for each of two types and two formats; SEED=n.
# Out: an error if a randomly changed value, sent by COPY in text or binary, ends a backend, gets an answer that is none
# of the documented, or is accepted and does not come back the same; or if a function fails on what was accepted.
set -euo pipefail
. "$(dirname "$0")/../../scripts/env.sh"
. scripts/cluster.sh
. tests/reliability/games.sh
find_postgres

dir=$(new_server_dir /tmp)
scratch=$(mktemp -d)
at_end 'server_stop "$dir"; rm -rf "$dir" "$scratch"'
server_init "$dir"
server_start "$dir"
prepare_games chess 300 10
sql chess "CREATE TABLE text_games (n int, value chessgame)" "CREATE TABLE text_boards (n int, value chessboard)" \
  "CREATE TABLE binary_games (n int, value chessgame)" "CREATE TABLE binary_boards (n int, value chessboard)" \
  "CREATE TABLE accepted (target text, n int, bytes text)"

say "Changed values by COPY on PostgreSQL $MAJOR"
sql chess "CREATE TEMP VIEW boards AS SELECT getboard(game, (plycount(game) * (id % 5) / 5)::int) AS board FROM supply;
  COPY (SELECT 'text_games', encode(convert_to(game::text, 'UTF8'), 'hex') FROM supply
        UNION ALL SELECT 'binary_games', encode(chessgame_send(game), 'hex') FROM supply
        UNION ALL SELECT 'text_boards', encode(convert_to(board::text, 'UTF8'), 'hex') FROM boards
        UNION ALL SELECT 'binary_boards', encode(chessboard_send(board), 'hex') FROM boards)
  TO STDOUT (DELIMITER ' ')" >"$scratch/corpus"
started=$(sql chess "SELECT pg_postmaster_start_time()")
go_on
holds "a changed value did harm" perl tests/reliability/mutate.pl "$dir/.s.PGSQL.5432" chess "${VALUES:=30000}" "${SEED:-1}" \
  <"$scratch/corpus" >"$scratch/accepted"
"${CLIENT[@]}" -d chess -c "COPY accepted FROM STDIN (DELIMITER ' ')" <"$scratch/accepted"

# what was accepted: all of it there, written as it came, the same after a way through its text, of use to functions
holds "an accepted value is not what it was" "${CLIENT[@]}" -d chess <<'SQL'
DO $$
DECLARE
    bad bigint;
BEGIN
    SELECT count(*) INTO bad FROM (
        SELECT target, n FROM accepted
        EXCEPT ALL (SELECT 'text_games', n FROM text_games UNION ALL SELECT 'text_boards', n FROM text_boards
        UNION ALL SELECT 'binary_games', n FROM binary_games UNION ALL SELECT 'binary_boards', n FROM binary_boards)) AS d;
    ASSERT bad = 0, format('%s accepted values are not there', bad);
    SELECT count(*) INTO bad FROM accepted AS a JOIN binary_games AS g USING (n)
    WHERE target = 'binary_games' AND bytes <> encode(chessgame_send(value), 'hex');
    ASSERT bad = 0, format('%s games are not sent as they were received', bad);
    SELECT count(*) INTO bad FROM accepted AS a JOIN binary_boards AS g USING (n)
    WHERE target = 'binary_boards' AND bytes <> encode(chessboard_send(value), 'hex');
    ASSERT bad = 0, format('%s boards are not sent as they were received', bad);
    SELECT count(*) INTO bad FROM (TABLE text_games UNION ALL TABLE binary_games) AS g
    WHERE chessgame_send(value) <> chessgame_send(value::text::chessgame)
       OR plycount(getfirstmoves(value, plycount(value))) <> plycount(value)
       OR NOT hasboard(value, getboard(value, plycount(value)))
       OR NOT haspieces(value, getboard(value, 0), 0) OR NOT hasopening(value, getfirstmoves(value, 9));
    ASSERT bad = 0, format('%s games do not come back from their text, or contradict themselves', bad);
    SELECT count(*) INTO bad FROM (TABLE text_boards UNION ALL TABLE binary_boards) AS b
    WHERE chessboard_send(value) <> chessboard_send(value::text::chessboard) OR epd(value) IS NULL;
    ASSERT bad = 0, format('%s boards do not come back from their text', bad);
END $$;
CREATE INDEX ON text_games (value);
CREATE INDEX ON text_games USING gin (value);
CREATE INDEX ON text_games USING chess (value);
CREATE INDEX ON binary_games (value);
CREATE INDEX ON binary_games USING gin (value);
CREATE INDEX ON binary_games USING chess (value);
ANALYZE;
SQL
alive "$dir" chess "$started"
echo "$((VALUES * 4)) mutated values, $(wc -l <"$scratch/accepted") accepted"
