#!/usr/bin/env bash
# In: the installed extension; PG or PG_CONFIG; GAMES=n (60000); TIMES=1 to time the questions.
# Out: an error unless four servers and their coordinator (scripts/shards.sh) answer 35 questions as one plain table without
# indexes does, and the explorer and its page as those of one server; no more rows travel than tests/cluster/questions.sql
# says; a server that is down is an ERROR, and never a part of the answer.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
find_postgres

if ! [ -e "$("$PG_CONFIG" --sharedir)/extension/postgres_fdw.control" ]; then
  skip "servers together: this server has no extension postgres_fdw" "in a PostgreSQL that is built from source: make -C contrib install"
  exit 0
fi
WORK=$(mktemp -d)
chmod 755 "$WORK"
export CLUSTER=$WORK/cluster GAMES=${GAMES:-60000} NODES=4
pages=()
at_end 'kill "${pages[@]}" 2>/dev/null; scripts/shards.sh stop; rm -rf "$WORK"'
[ -n "${BUILT:-}" ] || cargo_build -q
scripts/shards.sh start
DIR=$(readlink -f "$CLUSTER/servers")
SEPARATE=("$BINDIR/psql" -X -q -P pager=off -v ON_ERROR_STOP=1 -h "$DIR/coordinator" -p 5432 -U postgres)
CLIENT=("${SEPARATE[@]}")
go_on
all() { DB=chess sql "$1"; }
plain() { DB=plain sql "$1"; }
# program DATABASE PROGRAM ARGUMENT..., on the coordinator's server
program() { PGHOST=$DIR/coordinator PGPORT=5432 PGUSER=postgres PGDATABASE=$1 "$TARGET/release/$2" "${@:3}"; }

say "One plain table of the same games"
sql "CREATE DATABASE plain"
plain "CREATE EXTENSION chess"
cat "$CLUSTER"/shares.* >"$WORK/files"
mapfile -t files <"$WORK/files"
program plain chess-pgn load --index "${files[@]}" >"$WORK/out" 2>&1 || die "$(cat "$WORK/out")"
plain "CREATE SCHEMA asked; CREATE TABLE asked.games AS TABLE chess.pgn_view; ANALYZE asked.games"
all "CREATE SCHEMA asked; CREATE VIEW asked.games AS TABLE chess.pgn_view"
for database in plain chess; do all "ALTER DATABASE $database SET search_path = asked, public"; done
equal "games" "$(plain 'SELECT count(*) FROM games')" "$(all 'SELECT count(*) FROM games')"
equal "all of them" t "$(plain "SELECT count(*) > $GAMES * 0.99 FROM games")"
equal "the export of all servers" \
  "$(program plain chess-pgn export | md5sum)" "$(program chess chess-pgn export --order shard --analysis | md5sum)"
equal "numbers of games are distinct" t "$(all 'SELECT count(*) = count(DISTINCT id) FROM games')"
equal "a number is asked of its server alone" 1 \
  "$(all "EXPLAIN SELECT FROM chess.games WHERE id = (2::bigint << 41) + 7" | grep -c 'Foreign Scan')"

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
plain "SELECT place.* FROM (SELECT DISTINCT epd(getBoard(game, n)) || ' 0 1' FROM (SELECT game FROM games ORDER BY md5(source_offset::text) LIMIT 5) g,
  unnest('{0,1,2,5,12,30}'::integer[]) n WHERE plyCount(game) >= n) place ORDER BY md5(place::text)" >"$WORK/places"
for database in chess plain; do
  "${CLIENT[@]}" -d $database -f tests/cluster/explorer.sql
  "${CLIENT[@]}" -d $database -c "\\copy places from '$WORK/places'"
done
explored() {
  plain "SELECT * FROM explored" >"$WORK/plain-explored"
  all "SELECT * FROM explored" >"$WORK/all-explored"
  equal "$1: explored with $(wc -l <"$WORK/plain-explored") questions" "" "$(diff "$WORK/plain-explored" "$WORK/all-explored" | head -n 6)"
}
explored "from the games"
# travels QUESTION: rows that the servers are asked for by the statements of its functions, from their plans
travels() {
  DB=chess plans "$1" |
    sed -n 's/.*Foreign Scan.*actual.* rows=\([0-9]*\).*/\1/p' | awk '{ sum += $1 } END { print sum }'
}
for moves in '1. e4' '1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6'; do
  board="finalBoard('$moves')"
  rows=$(travels "SELECT * FROM chess.explorer($board, reached => false)")
  moves_played=$(plain "SELECT count(DISTINCT coalesce(nextMove(game, $board), '')) FROM games WHERE hasBoard(game, $board)")
  equal "few rows travel for the moves after $moves: $rows" t "$([ "$rows" -ge 1 ] && [ "$rows" -le $((NODES * (moves_played + 1))) ] && echo t)"
done
# as many as are looked at before sorting, then those of a page from each server
rows=$(travels "SELECT * FROM chess.explorer_games(finalBoard('1. e4'))")
equal "few rows travel for a list: $rows" t "$([ "$rows" -ge 15 ] && [ "$rows" -le $((2500 + NODES * 32)) ] && echo t)"
board="finalBoard('1. e4 c5 2. Nf3')"
games=$(plain "SELECT count(*) FROM games WHERE hasBoard(game, $board)")
equal "page after page, every game once, in order" "t|$games|t" "$(all "$(paged "$board" 700)")"
equal "several pages" t "$([ "$games" -gt 2100 ] && echo t)"
# cube N: makes that of server N, or of the one table (plain), of about the same positions
cube() {
  if [ "$1" = plain ]; then
    program plain chess-pgn explorer build --least 40
  else
    PGHOST=$DIR/node$1 PGPORT=5432 PGUSER=postgres PGDATABASE=chess "$TARGET/release/chess-pgn" explorer build --least 10
  fi >"$WORK/out" 2>&1 || die "$(cat "$WORK/out")"
}
cube plain
for n in $(seq $NODES); do
  equal "until all servers have a cube" live "$(all "SELECT DISTINCT chess.explorer_source(board) FROM places")"
  cube "$n"
done
equal "then what all of them have counted is from there" t "$(all "SELECT count(*) FILTER (WHERE chess.explorer_source(board) = 'cube') BETWEEN 5 AND count(*) - 5 FROM places")"
explored "from the cubes"
node3() { "$BINDIR/psql" -X -q -v ON_ERROR_STOP=1 -h "$DIR/node3" -p 5432 -U postgres -d chess "${@/#/-c}"; }
# pupil: prints the source of the answer for the role, whether it covers the games that the role sees, and whether these
# are only some of the games
pupil() {
  DB=chess sql "SET ROLE pupil" "SELECT chess.explorer_source(board), (SELECT sum(games) FROM chess.explorer(board)) = seen,
      ARRAY(SELECT id FROM chess.explorer_games(board)) = ARRAY(SELECT g.id FROM chess.games g WHERE hasBoard(g.game, board)
          ORDER BY coalesce(white_elo, 0) + coalesce(black_elo, 0) DESC, id DESC LIMIT 15), seen BETWEEN 1 AND $1
    FROM getBoard('1. e4', 1) board, LATERAL (SELECT count(*) AS seen FROM chess.games WHERE hasBoard(game, board)) s"
}
policy=("CREATE POLICY few ON chess.games USING (id % 100 = 0)" "ALTER TABLE chess.games ENABLE ROW LEVEL SECURITY")
DB=chess sql "CREATE ROLE pupil" "GRANT USAGE ON SCHEMA chess TO pupil" "GRANT SELECT ON ALL TABLES IN SCHEMA chess TO pupil"
for n in $(seq $NODES); do
  DB=chess sql "CREATE USER MAPPING FOR pupil SERVER node$n OPTIONS (user '$([ "$n" = 3 ] && echo pupil || echo postgres)', password_required 'false')"
done
node3 "CREATE ROLE pupil LOGIN" "GRANT USAGE ON SCHEMA chess TO pupil" "GRANT SELECT ON ALL TABLES IN SCHEMA chess TO pupil"
equal "a role that sees all games" "cube|t|t|t" "$(pupil $GAMES)"
node3 "${policy[@]}"
equal "policies on one of the servers" "live|t|t|t" "$(pupil $((GAMES * 4 / 5)))"
node3 "DROP POLICY few ON chess.games" "ALTER TABLE chess.games DISABLE ROW LEVEL SECURITY"
DB=chess sql "${policy[@]}"
equal "policies on the coordinator" "live|t|t|t" "$(pupil $((GAMES / 100)))"
equal "which do not concern others" cube "$(all "SELECT chess.explorer_source(getBoard('1. e4', 1))")"
DB=chess sql "DROP POLICY few ON chess.games" "ALTER TABLE chess.games DISABLE ROW LEVEL SECURITY"
# the same games come and go on a server, and in the one table
change() {
  node3 "$1"
  plain "$1"
}
change "INSERT INTO chess.games (game, white_elo, black_elo, result) VALUES ('1. e4 c5 2. Nf3 1-0', 2900, 2901, '1-0'), ('1. d4 d5 0-1', NULL, 1500, '0-1')"
equal "games that have come are seen" cube+live "$(all "SELECT chess.explorer_source(getBoard('1. e4', 1))")"
explored "from the cubes and the games that have come"
change "DELETE FROM chess.games WHERE source_id IS NULL"
equal "after a change the games are asked" live "$(all "SELECT chess.explorer_source(getBoard('1. e4', 1))")"
explored "from the games after a change"

say "The page over all servers"
for database in plain chess; do
  program $database chess-web --no-sessions --listen 127.0.0.1:0 >"$WORK/$database.url" 2>"$WORK/$database.log" &
  pages+=($!)
done
for database in plain chess; do wait_for "the address of a chess-web" grep -q . "$WORK/$database.url"; done
# page DATABASE PATH JQ-LIKE: an answer, by the Python expression on it, d
page() {
  read -r url <"$WORK/$1.url"
  curl -sf "$url$2" | python3 -c "import json, sys; d = json.load(sys.stdin); print(json.dumps($3, sort_keys=True))"
}
while IFS='|' read -r path what; do
  one=$(page plain "$path" "$what")
  equal "$path" "$one" "$(page chess "$path" "$what")"
  equal "$path has an answer" t "$([[ $one =~ [1-9A-Za-z] ]] && echo t)"
done <<'PATHS'
api/explorer?play=e2e4,c7c5&reached=1|d["moves"]
api/explorer?play=e2e4&rating=2400-&result=1-0|d["moves"]
api/explorer?play=d2d4|[(g["white"]["rating"] or 0) + (g["black"]["rating"] or 0) for g in d["top"]]
api/explorer?play=d2d4|[g["date"] for g in d["recent"]]
api/games/count?play=e2e4,e7e5,g1f3|d["games"]
api/games/count?material=KRPvKR|d["games"]
api/games?limit=200&sort=plies|sorted(g["plies"] for g in d["games"])
api/games?limit=5&pattern=Nd5|[g["date"] for g in d["games"]]
api/players?prefix=|d["players"]
api/events?prefix=|d["events"]
lichess?play=e2e4&history=1&topGames=0&recentGames=0|[d["history"][-3:], [[m["uci"], m["white"], m["draws"]] for m in d["moves"]]]
PATHS
id=$(page chess "api/games?limit=1&sort=rating" 'd["games"][0]["id"]' | tr -d '"')
equal "a game is shown" t "$(page chess "api/games/$id" 'len(d["moves"]) > 10 and len(d["tags"]) > 6' | cut -c 1)"
kill "${pages[@]}"
pages=()

say "Programs that write"
for command in "load ${files[0]}" "explorer build" migrate analyze; do
  # shellcheck disable=SC2086  # its words
  no "chess-pgn $command" program chess chess-pgn $command
  equal "where to do it is said" 1 "$(grep -c 'are on other servers: run this on each of them' "$WORK/out")"
done

say "A schema over servers that cannot be"
"${CLIENT[@]}" -d chess <<SQL
CREATE SERVER silent FOREIGN DATA WRAPPER postgres_fdw;
CREATE SERVER unnumbered FOREIGN DATA WRAPPER postgres_fdw
    OPTIONS (host '$DIR/coordinator', port '5432', dbname 'plain', extensions 'postgres_fdw, chess');
CREATE SERVER empty FOREIGN DATA WRAPPER postgres_fdw
    OPTIONS (host '$DIR/coordinator', port '5432', dbname 'postgres', extensions 'chess');
CREATE USER MAPPING FOR PUBLIC SERVER unnumbered OPTIONS (user 'postgres');
CREATE USER MAPPING FOR PUBLIC SERVER empty OPTIONS (user 'postgres');
SQL
while IFS='|' read -r servers message; do
  no "--servers $servers" program chess chess-pgn schema --schema other --remote-schema chess --servers "$servers"
  equal "it says why: $message" 1 "$(grep -c "$message" "$WORK/out")"
done <<'WRONG'
node9|there is no foreign server node9
node1,node1|server node1 has the shard number 1 of another server
silent|ALTER SERVER silent OPTIONS (ADD extensions 'chess')
unnumbered|has no shard number
empty|cannot read schema
WRONG
equal "nothing is left of it" t "$(all "SELECT to_regnamespace('other') IS NULL")"
yes "a schema of another name, over two of them" program chess chess-pgn schema --schema other --remote-schema chess --servers node1,node4
equal "which has their games" t "$(all "SELECT (SELECT count(*) FROM other.games) = (SELECT count(*) FROM games WHERE shard IN (1, 4))")"
no "over tables that are there" program plain chess-pgn schema --servers node1
equal "it says so" 1 "$(grep -c 'has its tables already' "$WORK/out")"

if [ -n "${TIMES:-}" ]; then
  say "Times in ms: one table with the indexes of chess-pgn, four servers"
  plain "CREATE INDEX ON games (game)" ; plain "CREATE INDEX ON games USING gin (game)"; plain "VACUUM ANALYZE games"
  plain "SELECT name, median_ms(query) FROM questions ORDER BY name" >"$WORK/one"
  all "SELECT name, median_ms(query), travelled(query) FROM questions ORDER BY name" >"$WORK/four"
  join -t '|' "$WORK/one" "$WORK/four"
  for n in plain $(seq $NODES); do cube "$n"; done
  for moves in '1. e4' '1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6'; do
    board="finalBoard(''$moves'')"
    for counted in true false; do
      for question in "explorer($board, cube => $counted, reached => false)" "explorer($board, cube => $counted)" "explorer_games($board, cube => $counted)"; do
        question="SELECT * FROM chess.$question"
        echo "$question|$(plain "SELECT median_ms('$question')")|$(all "SELECT median_ms('$question')")"
      done
    done
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
