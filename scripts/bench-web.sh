#!/usr/bin/env bash
# In: the installed extension; PG or PG_CONFIG; PGN="file.pgn …", or GAMES=number of generated games (30000);
# QUESTIONS (10000), LOAD_QUESTIONS during a load (5000); CLIENTS (16); LOAD, games to load during questions (a tenth, at
# most 50000); INDEX, the class of chess-pgn load --index (chess); BUFFERS=MB of shared_buffers (a sixth of the memory);
# BUILT=1 if the programs are built.
# Out: the speed of chess-web over HTTP: for the first time, with cached answers, at the path /lichess, and during a load; the
# start position; and its memory.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
find_postgres
if [ -z "${BUILT:-}" ]; then
  build_programs -q
  cargo_build -q --example walk
fi
DIR=$(new_server_dir /tmp)
WORK=$(mktemp -d)
WEB_PID= LOAD_PID=
cleanup() {
  [ "${done:-}" = 1 ] || tail -n 20 "$WORK"/*.log || true
  for process in $LOAD_PID $WEB_PID; do kill "$process" 2>/dev/null || true; done
  server_stop "$DIR"
  rm -rf "$DIR" "$WORK"
}
trap cleanup EXIT
memory=$(awk '/^MemTotal/ { print int($2 / 1024) }' /proc/meminfo)
server_init "$DIR" 'max_connections = 60' "shared_buffers = ${BUFFERS:-$((memory / 6))}MB" \
  "maintenance_work_mem = $((memory / 12))MB"
server_start "$DIR"
export PGHOST=$DIR PGPORT=5432 PGUSER=postgres PGDATABASE=chess
"${CLIENT[@]}" -d postgres -c 'CREATE DATABASE chess'
sql() { "${CLIENT[@]}" -d chess -At -c "$1"; }
since=$SECONDS
# told WHAT: prints what was done, and the time
told() { printf '%4d s  %s\n' $((SECONDS - since)) "$1"; }
if [ -z "${PGN:-}" ]; then
  PGN=$WORK/generated.pgn
  "$TARGET/release/chess-gamegen" --games "${GAMES:-30000}" --seed 1 >"$PGN"
fi
# shellcheck disable=SC2086  # several files
"$TARGET/release/chess-pgn" load "--index=${INDEX:-chess}" $PGN >"$WORK/load.log" 2>&1 || die "the load failed"
sql 'VACUUM ANALYZE chess.games'
games=$(sql 'SELECT count(*) FROM chess.games')
told "$games games loaded and indexed, $(sql "SELECT pg_size_pretty(pg_total_relation_size('chess.games'))")"
most=$((games / 10 < 50000 ? games / 10 : 50000))
# serve CONNECTIONS
serve() {
  [ -z "$WEB_PID" ] || kill "$WEB_PID"
  : >"$WORK/out"
  "$TARGET/release/chess-web" --no-sessions --timeout 60 --pool "$1" --listen 127.0.0.1:0 >"$WORK/out" 2>"$WORK/web.log" &
  WEB_PID=$!
  for _ in $(seq 6000); do [ -s "$WORK/out" ] && break; sleep 0.1; done
  read -r URL <"$WORK/out" || die "chess-web does not start"
}
serve 8
# busy: milliseconds that sessions have worked; sessions report within a second
busy() { sleep 1.5; sql "SELECT active_time::bigint FROM pg_stat_database WHERE datname = 'chess'"; }
# walk QUESTIONS [PATH]: the same questions in every run
walk() {
  local before answered
  before=$(busy)
  answered=$("$TARGET/release/examples/walk" "$URL" "$1" "${CLIENTS:-16}" "${2:-api/explorer}")
  echo "$answered; in the database $(awk "BEGIN { printf \"%.2f\", ($(busy) - $before) / $1 }") ms a question"
}
# start KIND: the start position, median of seven; "new": not cached; "again": cached
start() {
  local n fen='rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR%20w%20KQkq%20-%200%20' number=900
  for n in 1 2 3 4 5 6 7; do
    # the move number makes it a different question about the same position
    [ "$1" = again ] || number=$((SECONDS % 100 + 100 * n))
    curl -s -o /dev/null -w '%{time_total}\n' "${URL}api/explorer?fen=$fen$number"
  done | sort -n | awk 'NR == 4 { printf "%.1f ms", $1 * 1000 }'
}
# measure NAME QUESTIONS
measure() {
  told "$1: $(walk "$2")"
  told "$1: start position $(start new), asked again $(start again)"
}
# as on a server that has been running for a while
sql 'CHECKPOINT'
measure "first time" "${QUESTIONS:-10000}"
told "the same questions again: $(walk "${QUESTIONS:-10000}")"
told "as programs ask lichess, first time: $(walk "${QUESTIONS:-10000}" lichess)"
(
  for n in 1 2 3 4 5; do
    "$TARGET/release/chess-gamegen" --games $((${LOAD:-$most} / 5 + 1)) --seed $((n + 1)) >"$WORK/more.pgn"
    echo "$n" >"$WORK/loading"
    "$TARGET/release/chess-pgn" load "$WORK/more.pgn"
  done
) >"$WORK/more.log" 2>&1 &
LOAD_PID=$!
until [ -s "$WORK/loading" ]; do sleep 0.1; done
told "while a load runs: $(walk "${LOAD_QUESTIONS:-5000}")"
if kill -0 $LOAD_PID 2>/dev/null; then told "the load ran all the time"; else told "the load ended before: LOAD=n loads more games"; fi
wait $LOAD_PID || die "the load beside the questions failed"
LOAD_PID=
told "$(($(sql 'SELECT count(*) FROM chess.games') - games)) games were loaded beside"
told "memory of chess-web: $(awk '/VmHWM/ { print int($2 / 1024) }' "/proc/$WEB_PID/status") MB at most"
done=1
