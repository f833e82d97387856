#!/usr/bin/env bash
# In: the installed extension; OLD_PG_CONFIG, the pg_config of an older major version, of which a private
# copy is made, into which the extension is installed, too.
# Out: an error unless pg_upgrade, by copying and by links, leaves every row, the answers by every index, the catalog of
# the extension and, after ANALYZE, the estimates as they were, and indexes that take more games.
set -euo pipefail
. "$(dirname "$0")/../../scripts/env.sh"
. scripts/cluster.sh
. tests/reliability/games.sh
if [ -z "${OLD_PG_CONFIG:-}" ]; then
  skip "pg_upgrade: no older major version" "another package postgresql-N, and OLD_PG_CONFIG=/usr/lib/postgresql/N/bin/pg_config"
  exit 0
fi
NEW_PG_CONFIG=$PG_CONFIG
# use PG_CONFIG: what the functions of cluster.sh run from now on
use() {
  PG_CONFIG=$1
  find_postgres
}
use "$(realpath -ms "$OLD_PG_CONFIG")"
PG_CONFIG=$PG_CONFIG scripts/setup.sh
copy=$(private_copy)
SYSTEM_PG_CONFIG=$PG_CONFIG DESTDIR=$copy scripts/install.sh
use "$copy$BINDIR/pg_config"
old_major=$MAJOR old_bindir=$BINDIR

dir=$(new_server_dir /var/tmp)
as_server mkdir "$dir/old" "$dir/copy" "$dir/link"
at_end 'for part in old copy link; do server_stop "$dir/$part"; done; rm -rf "$dir"'
server_init "$dir/old" autovacuum=off
server_start "$dir/old"
prepare_games chess "${GAMES:-4000}" 12
insert() { echo "INSERT INTO games SELECT n, supplied(n) FROM generate_series($1, $2) AS n"; }
sql chess "$(insert 1 4000)"
"${CLIENT[@]}" -d chess -f tests/reliability/indexes.sql
sql chess "CREATE INDEX games_hash ON games USING hash (getfirstmoves(game, 12))" \
  "CREATE INDEX games_opening ON games (getfirstmoves(game, 10)) WHERE plycount(game) > 20" \
  "CREATE TABLE boards (id bigint, board chessboard, openings chessgame[])" \
  "CREATE INDEX boards_btree ON boards (board)" \
  "INSERT INTO boards SELECT id, getboard(game, plycount(game) / 2), ARRAY[getfirstmoves(game, 6), NULL] FROM supply" \
  "CREATE TABLE parts (game chessgame, n bigint) PARTITION BY HASH (game)" \
  "CREATE TABLE parts_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0)" \
  "CREATE TABLE parts_1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1)" \
  "INSERT INTO parts SELECT game, count(*) FROM supply GROUP BY game" \
  "CREATE STATISTICS boards_statistics ON (epd(board)) FROM boards" \
  "CREATE VIEW mates AS SELECT id FROM games WHERE game ^@ '1. e4' AND hasboard(game, getboard('1. e4', 1))" \
  "DELETE FROM games WHERE id % 5 = 0" "VACUUM games" "ANALYZE" \
  "UPDATE games SET game = supplied(id + 1) WHERE id % 7 = 0" "ANALYZE games"
# the last change stays in GIN's pending list

rows="SELECT 'games', count(*), md5(string_agg(id || encode(chessgame_send(game) || chessgame_send(again), 'hex'), ',' ORDER BY id)) FROM games
  UNION ALL SELECT 'boards', count(*), md5(string_agg(id || encode(chessboard_send(board), 'hex') || openings::text, ',' ORDER BY id)) FROM boards
  UNION ALL SELECT tableoid::regclass::text, count(*), md5(string_agg(game || ' ' || n, ',' ORDER BY game)) FROM parts GROUP BY 1
  UNION ALL SELECT 'mates', count(*), NULL FROM mates
  UNION ALL SELECT 'extension', 1, extversion FROM pg_extension WHERE extname = 'chess' ORDER BY 1"
answers="SELECT md5(string_agg(answer(condition, index), ',' ORDER BY index, condition)) FROM questions"
# the indexes that the questions do not ask, by name where a plan uses them
SEARCHES=(
  games_hash "SELECT count(*) FROM questions_games AS q JOIN games AS g ON getfirstmoves(g.game, 12) = getfirstmoves(q.game, 12)"
  games_opening "SELECT count(*) FROM questions_games AS q JOIN games AS g ON getfirstmoves(g.game, 10) = getfirstmoves(q.game, 10) AND plycount(g.game) > 20"
  boards_btree "SELECT count(*) FROM questions_games AS q JOIN boards AS b ON b.board = getboard(q.game, plycount(q.game) / 2)"
)
sql chess "CREATE TABLE questions_games AS SELECT game FROM supply WHERE id % 40 = 1" "ANALYZE questions_games"
# searches: each by its index and by a sequential scan
searches() {
  local i plan found only="SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_memoize = off"
  for ((i = 0; i < ${#SEARCHES[@]}; i += 2)); do
    plan=$(sql chess "$only; EXPLAIN ${SEARCHES[i + 1]}")
    grep -q "${SEARCHES[i]}" <<<"$plan" || fail "${SEARCHES[i]} is not used" "$plan" >&2
    found=$(sql chess "$only; ${SEARCHES[i + 1]}")
    [ "$found" = "$(sql chess "SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off; ${SEARCHES[i + 1]}")" ] ||
      fail "${SEARCHES[i]} answers otherwise than a sequential scan" >&2
    echo "$found"
  done
}
estimates() {
  sql chess "CREATE FUNCTION pg_temp.estimate(condition text) RETURNS text LANGUAGE plpgsql AS \$\$
    DECLARE plan json;
    BEGIN
      EXECUTE 'EXPLAIN (FORMAT JSON) SELECT * FROM games WHERE ' || condition INTO plan;
      RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
    END \$\$; SELECT condition, pg_temp.estimate(condition) FROM questions ORDER BY index, condition"
}
rows_before=$(sql chess "$rows")
answers_before=$(sql chess "$answers" && searches)
estimated=$(estimates)
checked=$(sql chess "SELECT check_indexes()")
server_stop "$dir/old"

use "$NEW_PG_CONFIG"
[ "$MAJOR" -gt "$old_major" ] || die "PostgreSQL $old_major is not older than $MAJOR"
say "pg_upgrade from PostgreSQL $old_major to $MAJOR"
for mode in copy link; do
  server_init "$dir/$mode" autovacuum=off
  if [ $mode = copy ]; then
    # from PostgreSQL 18 on pages have checksums unless one says otherwise; both sides must agree
    checksums=$(as_server "$BINDIR/pg_controldata" "$dir/$mode/data" | sed -n 's/^Data page checksum version: *//p')
    [ "$checksums" = 0 ] || as_server "$old_bindir/pg_checksums" --enable -D "$dir/old/data" >/dev/null
  fi
  as_server env -C "$dir/$mode" "$BINDIR/pg_upgrade" -b "$old_bindir" -B "$BINDIR" -d "$dir/old/data" -D "$dir/$mode/data" \
    -U postgres -s "$dir/$mode" --$mode >"$dir/$mode/output" || die "pg_upgrade --$mode" "$(cat "$dir/$mode/output")"
  server_start "$dir/$mode"
  equal "rows after pg_upgrade --$mode" "$rows_before" "$(sql chess "$rows")"
  sql postgres "CREATE DATABASE fresh"
  sql fresh "CREATE EXTENSION chess"
  holds "after pg_upgrade --$mode the extension is not that of a fresh installation" \
    diff <("${CLIENT[@]}" -d fresh -f tests/upgrade/catalog.sql) <("${CLIENT[@]}" -d chess -f tests/upgrade/catalog.sql)
  statistics="SELECT count(*) || ' columns have statistics, '
      || count(*) FILTER (WHERE 17364 IN (stakind1, stakind2, stakind3, stakind4, stakind5)) || ' those of positions'
    FROM pg_statistic JOIN pg_attribute ON attrelid = starelid AND attnum = staattnum
    WHERE starelid = 'games'::regclass AND attname <> 'id'"
  carried=$(sql chess "$statistics")
  as_server "$BINDIR/vacuumdb" -q -h "$dir/$mode" -p 5432 -U postgres --analyze-only chess
  equal "estimates after pg_upgrade --$mode and ANALYZE" "$estimated" "$(estimates)"
  equal "answers after pg_upgrade --$mode" "$answers_before" "$(sql chess "$answers" && searches)"
  sql chess "SELECT check_indexes()" >/dev/null
  echo "--$mode: $carried, after ANALYZE $(sql chess "$statistics")"
  sql chess "$(insert 10001 12000)" "DELETE FROM games WHERE id % 3 = 0" "VACUUM games" "$(insert 12001 12500)" \
    "REINDEX INDEX CONCURRENTLY games_compact" "SELECT check_indexes()" >/dev/null
  searches >/dev/null
  amcheck "$dir/$mode" chess
  equal "backends that ended after pg_upgrade --$mode" 0 "$(deaths "$dir/$mode")"
  server_stop "$dir/$mode"
done
echo "pg_upgrade from $old_major to $MAJOR, by copying and by links: $checked"
