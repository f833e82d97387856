#!/usr/bin/env bash
# In: the installed extension; PG or PG_CONFIG; PGN=file.pgn, or GAMES=number of generated games (30000); QUESTIONS (10000),
# CLIENTS (16).
# Out: how fast chess-web answers over HTTP, live and with the cube of popular positions where chess-pgn can build it, and
# what memory it takes.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
find_postgres
cargo build -q --release -p chess-pgn -p chess-gamegen -p chess-web
cargo build -q --release -p chess-web --example walk
DIR=$(new_server_dir /tmp)
WORK=$(mktemp -d)
WEB_PID=
cleanup() {
  [ -z "$WEB_PID" ] || kill "$WEB_PID" 2>/dev/null || true
  server_stop "$DIR"
  rm -rf "$DIR" "$WORK"
}
trap cleanup EXIT
server_init "$DIR"
server_start "$DIR"
export PGHOST=$DIR PGPORT=5432 PGUSER=postgres PGDATABASE=chess
"${CLIENT[@]}" -d postgres -c 'CREATE DATABASE chess'
if [ -z "${PGN:-}" ]; then
  PGN=$WORK/generated.pgn
  "$TARGET/release/chess-gamegen" --games "${GAMES:-30000}" --seed 1 >"$PGN"
fi
"$TARGET/release/chess-pgn" load --index "$PGN" 2>&1 | tail -n 1
"${CLIENT[@]}" -d chess -c 'VACUUM ANALYZE chess.games'
echo "$("${CLIENT[@]}" -d chess -At -c 'SELECT count(*) FROM chess.games') games"
"$TARGET/release/chess-web" --no-sessions --timeout 60 --listen 127.0.0.1:0 >"$WORK/out" 2>"$WORK/log" &
WEB_PID=$!
for _ in $(seq 100); do [ -s "$WORK/out" ] && break; sleep 0.1; done
walk() { "$TARGET/release/examples/walk" "$(cat "$WORK/out")" "${QUESTIONS:-10000}" "${CLIENTS:-16}"; }
start() { curl -s -o /dev/null "$(cat "$WORK/out")api/explorer"; curl -s -o /dev/null -w '%{time_total}' "$(cat "$WORK/out")api/explorer"; }
echo "live: start position $(start) s"
echo "live: $(walk)"
if "$TARGET/release/chess-pgn" --help | grep -q explorer; then
  "$TARGET/release/chess-pgn" explorer build
  sleep 6 # chess-web looks every five seconds at what there is
  echo "cube: start position $(start) s"
  echo "cube: $(walk)"
fi
echo "memory of chess-web: $(awk '/VmHWM/ { print int($2 / 1024) }' "/proc/$WEB_PID/status") MB at most"
