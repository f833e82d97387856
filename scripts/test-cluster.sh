#!/usr/bin/env bash
# In: the installed extension; PG or PG_CONFIG; GAMES=n (60000); TIMES=1 to time the questions.
# Out: an error unless four servers and their coordinator (scripts/shards.sh) answer 35 questions, and their explorer, as
# one plain table without indexes does; no more rows travel than tests/cluster/questions.sql says; a server that is down
# is an ERROR, and never a part of the answer.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
find_postgres

if ! [ -e "$("$PG_CONFIG" --sharedir)/extension/postgres_fdw.control" ]; then
  echo "1 skipped: this server has no extension postgres_fdw"
  exit 0
fi
WORK=$(mktemp -d)
chmod 755 "$WORK"
export CLUSTER=$WORK/cluster GAMES=${GAMES:-60000} NODES=4
trap 'scripts/shards.sh stop; rm -rf "$WORK"' EXIT
scripts/shards.sh start
DIR=$(readlink -f "$CLUSTER/servers")
SEPARATE=("$BINDIR/psql" -X -q -P pager=off -v ON_ERROR_STOP=1 -h "$DIR/coordinator" -p 5432 -U postgres)
CLIENT=("${SEPARATE[@]}")
. scripts/checks.sh
all() { DB=chess sql "$1"; }
plain() { DB=plain sql "$1"; }

say "One plain table of the same games"
sql "CREATE DATABASE plain"
plain "CREATE EXTENSION chess"
cat "$CLUSTER"/shares.* >"$WORK/files"
mapfile -t files <"$WORK/files"
PGHOST=$DIR/coordinator PGPORT=5432 PGUSER=postgres PGDATABASE=plain "$TARGET/release/chess-pgn" load "${files[@]}" >"$WORK/out" 2>&1 ||
  die "$(cat "$WORK/out")"
plain "CREATE TABLE games AS TABLE chess.pgn_view; ANALYZE games; ALTER DATABASE plain SET search_path = public"
equal "games" "$(plain 'SELECT count(*) FROM games')" "$(all 'SELECT count(*) FROM games')"
equal "all of them" t "$(plain "SELECT count(*) > $GAMES * 0.99 FROM games")"
equal "the export of all servers" \
  "$(PGHOST=$DIR/coordinator PGPORT=5432 PGUSER=postgres PGDATABASE=plain "$TARGET/release/chess-pgn" export | md5sum)" \
  "$(PGHOST=$DIR/coordinator PGPORT=5432 PGUSER=postgres PGDATABASE=chess "$TARGET/release/chess-pgn" export --order shard --analysis | md5sum)"

say "35 questions"
IFS='|' read -r source place rare < <(plain "SELECT source, source_offset, getBoard(game, 30) FROM games
  WHERE plyCount(game) > 60 AND source LIKE '%' ORDER BY md5(source_offset::text) LIMIT 1")
for database in chess plain; do
  "${CLIENT[@]}" -d $database -f tests/cluster/asking.sql
  "${CLIENT[@]}" -d $database -v source="$source" -v place="$place" -v rare="$rare" -f tests/cluster/questions.sql
done
equal "questions" 35 "$(all 'SELECT count(*) FROM questions')"
ask="SELECT name, (answer(query)).* FROM questions ORDER BY name"
plain "$ask" >"$WORK/plain"
all "$ask" >"$WORK/all"
while IFS='|' read -r name rows hash; do
  equal "$name: the answer" "$rows|$hash" "$(sed -n "s/^$name|//p" "$WORK/all")"
done <"$WORK/plain"
# a question whose answer is nothing asks nothing
# generated games have no equal ones
equal "questions without an answer" "duplicates" "$(plain "SELECT string_agg(name, ' ') FROM questions WHERE (answer(query)).rows = 0")"
equal "counts of nothing" "" "$(plain "SELECT string_agg(name, ' ') FROM questions
  WHERE query ~ '^SELECT count' AND (answer(query)).hash = (answer('SELECT 0::bigint AS count')).hash")"
# few: the rows of the answer from each server, and one that tells each that it has no more
limits="SELECT name, CASE travels WHEN 'few' THEN $NODES * ((answer(query)).rows + 1) WHEN 'all' THEN 2 * (SELECT count(*) FROM games) END FROM questions"
plain "$limits WHERE travels <> 'matching'" >"$WORK/limits"
"${CLIENT[@]}" -d plain -At >>"$WORK/limits" <<'SQL'
SELECT format('SELECT %L, count(*) FROM games WHERE %s', name, condition) FROM questions WHERE travels = 'matching' \gexec
SQL
all "SELECT name, travels, travelled(query) FROM questions ORDER BY name" >"$WORK/travelled"
while IFS='|' read -r name travels rows; do
  limit=$(sed -n "s/^$name|//p" "$WORK/limits")
  equal "$name: rows travel ($travels, at most $limit): $rows" t "$([ "${rows%.*}" -le "$limit" ] && echo t)"
done <"$WORK/travelled"
equal "every question is looked at" 35 "$(wc -l <"$WORK/travelled")"

say "The explorer over all servers"
for moves in '1. e4' '1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6'; do
  board="finalBoard('$moves')"
  of_one="SELECT nextMove(game, $board) AS move, count(*) AS games, round(100 * avg(score(result, 'w')), 1) AS score FROM games
    WHERE hasBoard(game, $board) GROUP BY 1"
  of_all="SELECT move, games, score FROM explorer($board)"
  equal "the moves after $moves" "$(plain "$of_one ORDER BY move")" "$(all "$of_all ORDER BY move")"
  rows=$(all "SELECT travelled(\$q\$$of_all\$q\$)")
  equal "few rows travel for them: $rows" t "$([ "$rows" -le $((NODES * ($(plain "SELECT count(*) FROM ($of_one) AS q") + 1))) ] && echo t)"
done

say "Programs that need the tables of chess-pgn"
no "a cube of all servers" env PGHOST="$DIR/coordinator" PGPORT=5432 PGUSER=postgres PGDATABASE=chess "$TARGET/release/chess-pgn" explorer build
equal "where to build it is said" 1 "$(grep -c 'are on other servers: run this on each of them' "$WORK/out")"

if [ -n "${TIMES:-}" ]; then
  say "Times in ms: one table with the indexes of chess-pgn, four servers"
  plain "CREATE INDEX ON games (game)" ; plain "CREATE INDEX ON games USING gin (game)"; plain "VACUUM ANALYZE games"
  plain "SELECT name, median_ms(query) FROM questions ORDER BY name" >"$WORK/one"
  all "SELECT name, median_ms(query), travelled(query) FROM questions ORDER BY name" >"$WORK/four"
  join -t '|' "$WORK/one" "$WORK/four"
  for moves in '1. e4' '1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6'; do
    board="finalBoard(''$moves'')"
    echo "explorer $moves|$(plain "SELECT median_ms('SELECT nextMove(game, $board), count(*), avg(score(result, ''w'')) FROM games WHERE hasBoard(game, $board) GROUP BY 1')")|$(all "SELECT median_ms('SELECT * FROM explorer($board)')")"
  done
fi

say "A server that is down"
as_server "$BINDIR/pg_ctl" stop -w -s -m immediate -D "$DIR/node2/data"
while IFS='|' read -r name; do
  no_answer=$(all "SELECT (answer(query)).* FROM questions WHERE name = '$name'" 2>&1 || echo "failed")
  equal "$name fails: $no_answer" t "$(grep -q '^ERROR:  could not connect to server "node2"' <<<"$no_answer" && grep -qx failed <<<"$no_answer" && echo t)"
done < <(cut -d '|' -f 1 "$WORK/plain")
equal "another server is asked nevertheless" t "$(all 'SELECT count(*) > 0 FROM games WHERE shard = 1')"
server_start "$DIR/node2"
CLIENT=("${SEPARATE[@]}")
equal "all answers again" "$(cat "$WORK/plain")" "$(all "$ask")"

[ -z "$failed" ] || die "$failed of $((passed + failed)) checks of the cluster failed"
echo "Cluster: $passed passed"
