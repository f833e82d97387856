#!/usr/bin/env bash
# In: the installed extension. Out: an error unless games and boards come back the same, by a hash over all rows, from
# pg_dump (plain, custom, directory in parallel), COPY (text, CSV, binary) and logical replication (text and binary),
# with the extension in a schema that is on no search_path.
set -euo pipefail
. "$(dirname "$0")/../../scripts/env.sh"
. scripts/cluster.sh
. tests/reliability/games.sh
find_postgres

dir=$(new_server_dir /var/tmp)
as_server mkdir "$dir/a" "$dir/b" "$dir/files"
at_end 'server_stop "$dir/b"; server_stop "$dir/a"; rm -rf "$dir"'
server_init "$dir/a" wal_level=logical max_wal_senders=4
server_init "$dir/b"
server_start "$dir/b"
SUBSCRIBER=("${CLIENT[@]}")
server_start "$dir/a"
PUBLISHER=("${CLIENT[@]}")

prepare_games supply "${GAMES:-8000}" 25
sql postgres "CREATE DATABASE origin"
# the games get from one database to the other as hex of the binary form
sql origin "CREATE SCHEMA arbiter" "CREATE EXTENSION chess SCHEMA arbiter" \
  "CREATE TABLE games (id bigint PRIMARY KEY, game arbiter.chessgame, board arbiter.chessboard,
                       openings arbiter.chessgame[], doubled arbiter.chessgame GENERATED ALWAYS AS (game) STORED,
                       CHECK (arbiter.plycount(game) >= 0))" \
  "CREATE TABLE moves (id bigint, game text, board text, opening text)"
"${CLIENT[@]}" -d supply -c "COPY (SELECT id, game, getboard(game, plycount(game)), getfirstmoves(game, 6) FROM supply) TO STDOUT" |
  "${CLIENT[@]}" -d origin -c "COPY moves FROM STDIN"
sql origin "INSERT INTO games SELECT id, game::arbiter.chessgame, board::arbiter.chessboard,
                                     ARRAY[opening, NULL]::arbiter.chessgame[] FROM moves" \
  "INSERT INTO games (id) VALUES (-1)" "DROP TABLE moves" \
  "CREATE INDEX games_btree ON games (game)" "CREATE INDEX games_hash ON games USING hash (board)" \
  "CREATE INDEX games_gin ON games USING gin (game)" \
  "CREATE INDEX games_compact ON games USING gin (doubled arbiter.chessgame_compact_ops)" \
  "CREATE INDEX games_patterns ON games USING gin (game arbiter.chessgame_pattern_ops (families = 'material,squares'))" \
  "CREATE INDEX games_limited ON games USING gin (game arbiter.chessgame_ops (max_ply = 40))" \
  "CREATE INDEX games_opening ON games (arbiter.getfirstmoves(game, 10)) WHERE arbiter.plycount(game) > 20" \
  "CREATE STATISTICS games_statistics ON (arbiter.epd(board)) FROM games" \
  "CREATE VIEW mates AS SELECT id FROM games WHERE arbiter.result(game) = '1-0'
   AND game OPERATOR(arbiter.^@) '1. e4' AND arbiter.hasboard(game, arbiter.getboard('1. e4', 1))" \
  "ANALYZE"

columns="id, game, board, openings"
digest="SELECT count(*) || ' ' || md5(string_agg(concat_ws('|', id, encode(arbiter.chessgame_send(game), 'hex'),
  encode(arbiter.chessgame_send(doubled), 'hex'), encode(arbiter.chessboard_send(board), 'hex'), openings),
  ',' ORDER BY id)) || ' ' || (SELECT count(*) FROM mates) FROM games"
indexed="SET search_path = arbiter, public; SET enable_seqscan = off;
  SELECT count(*) FROM games WHERE hasopening(game, '1. d4');
  SELECT count(*) FROM games WHERE hasboard(game, getboard('1. d4 d5', 2));
  SELECT count(*) FROM games WHERE hasboard(doubled, getboard('1. d4 d5', 2));
  SELECT count(*) FROM games WHERE game @@ 'Nd5 or KRP*vKRP*';
  SELECT count(*) FROM games WHERE board = (SELECT board FROM games WHERE id = 7)"
origin=$(sql origin "$digest" "$indexed")
ways=0
# same WHAT DATABASE: the database is that of the origin
same() {
  equal "$1: the rows" "$origin" "$(sql "$2" "$digest" "$indexed")"
  ways=$((ways + 1))
  echo "$1: compared"
}
go_on
tool() { as_server "$BINDIR/$1" -h "$dir/a" -p 5432 -U postgres "${@:2}"; }

say "Dump and restore on PostgreSQL $MAJOR"
sql postgres "CREATE DATABASE plain" "CREATE DATABASE custom" "CREATE DATABASE directory" "CREATE DATABASE inserts"
tool pg_dump -f "$dir/files/plain.sql" origin
tool psql -X -q -v ON_ERROR_STOP=1 -o /dev/null -f "$dir/files/plain.sql" plain
same "pg_dump, plain" plain
tool pg_dump -Fc -f "$dir/files/custom" origin
tool pg_restore -e -d custom "$dir/files/custom"
same "pg_dump, custom" custom
tool pg_dump -Fd -j 2 -f "$dir/files/directory" origin
tool pg_restore -e -j 2 -d directory "$dir/files/directory"
same "pg_dump, directory, two jobs" directory
tool pg_dump --inserts --rows-per-insert=100 -f "$dir/files/inserts.sql" origin
tool psql -X -q -v ON_ERROR_STOP=1 -o /dev/null -f "$dir/files/inserts.sql" inserts
same "pg_dump, inserts" inserts
# what was restored is what would be dumped again
schema() { tool pg_dump -s "$1" | grep -v '^.\(un\)\?restrict '; }
for copy in plain custom directory inserts; do
  equal "$copy: the schema" "$(schema origin)" "$(schema $copy)"
done

say "COPY"
for format in text csv binary; do
  sql custom "TRUNCATE games"
  "${CLIENT[@]}" -d origin -c "COPY games ($columns) TO STDOUT (FORMAT $format)" >"$dir/files/copy.$format"
  "${CLIENT[@]}" -d custom -c "COPY games ($columns) FROM STDIN (FORMAT $format)" <"$dir/files/copy.$format"
  rm "$dir/files/copy.$format"
  same "COPY, $format" custom
done

say "Logical replication"
tool pg_dump -s -f "$dir/files/schema.sql" origin
sql origin "CREATE PUBLICATION games FOR TABLE games" "ALTER TABLE games REPLICA IDENTITY FULL"
for binary in false true; do
  CLIENT=("${SUBSCRIBER[@]}")
  sql postgres "SET client_min_messages = warning" "DROP DATABASE IF EXISTS copy" "CREATE DATABASE copy"
  "${CLIENT[@]}" -d copy -o /dev/null -f "$dir/files/schema.sql"
  sql copy "CREATE SUBSCRIPTION games CONNECTION 'host=$dir/a port=5432 user=postgres dbname=origin'
            PUBLICATION games WITH (binary = $binary, slot_name = 'games_$binary')" 2>/dev/null
  CLIENT=("${PUBLISHER[@]}")
  # changes while the first copy may still be on its way
  sql origin "UPDATE games SET game = arbiter.getfirstmoves(game, 20 + $ways) WHERE id % 10 = 3" \
    "DELETE FROM games WHERE id % 10 = 4 AND id < 100 * $ways" \
    "INSERT INTO games SELECT id + 100000 * $ways, game, board, openings FROM games WHERE id BETWEEN 1 AND 500"
  origin=$(sql origin "$digest" "$indexed")
  replicated() { CLIENT=("${SUBSCRIBER[@]}"); [ "$(sql copy "$digest")" = "$(head -n 1 <<<"$origin")" ]; }
  wait_for "the subscription (binary = $binary)" replicated
  CLIENT=("${SUBSCRIBER[@]}")
  same "logical replication, binary = $binary" copy
  sql copy "DROP SUBSCRIPTION games" 2>/dev/null
done
for server in a b; do equal "processes of server $server that died" 0 "$(deaths "$dir/$server")"; done
echo "Backup: $ways ways"
