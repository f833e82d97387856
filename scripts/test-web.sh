#!/usr/bin/env bash
# In: the installed extension; PG or PG_CONFIG; perhaps names of tests (explore, filters …); SHOTS, a directory for pictures.
# Out: an error unless chess-web passes its tests over the famous games and tests/web/games.pgn, in a private server, with
# a browser that fails at every error on the console and every report of the page's policy.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
find_postgres
export LC_ALL=C.UTF-8

scripts/build-web.sh check
(cd tests/web && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error >/dev/null)
cargo build -q --release -p chess-pgn -p chess-web
CHESS_WEB=$TARGET/release/chess-web

DIR=$(new_server_dir /tmp)
WORK=$(mktemp -d)
WEB_PID=
cleanup() {
  [ "${failed:-1}" = 0 ] || { as_server tail -n 20 "$DIR/log"; cat "$WORK/web.log"; } 2>/dev/null || true
  [ -z "$WEB_PID" ] || kill "$WEB_PID" 2>/dev/null || true
  server_stop "$DIR"
  rm -rf "$DIR" "$WORK"
}
trap cleanup EXIT
# a crash must lose nothing
server_init "$DIR" 'fsync = on'
server_start "$DIR"
"${CLIENT[@]}" -d postgres -c 'CREATE DATABASE chess'
"${CLIENT[@]}" -d chess -c 'CREATE EXTENSION chess'
export PGHOST=$DIR PGPORT=5432 PGUSER=postgres PGDATABASE=chess PSQL=$BINDIR/psql
say "Loading"
"$TARGET/release/chess-pgn" load --index --clocks --evals demo/famous.pgn tests/web/games.pgn

"$CHESS_WEB" --database "host=$DIR dbname=chess user=postgres" --listen 127.0.0.1:0 >"$WORK/web.log" 2>&1 &
WEB_PID=$!
for _ in $(seq 100); do
  CHESS_WEB_URL=$(sed -n 's|^\(http://[^ ]*[0-9]\)/*$|\1|p' "$WORK/web.log")
  [ -z "$CHESS_WEB_URL" ] || break
  sleep 0.1
done
[ -n "$CHESS_WEB_URL" ] || die "chess-web does not start"

export CHESS_WEB CHESS_WEB_URL SHOTS="${SHOTS:-}" DIR BINDIR
export -f as_server is_root
# shellcheck disable=SC2016  # expanded by the shell that the test starts
export RESTART_SERVER='as_server "$BINDIR/pg_ctl" restart -w -s -m immediate -D "$DIR/data" -l "$DIR/log" -o "-p 5432 -k $DIR" </dev/null >/dev/null'
failed=0
[ $# -gt 0 ] || set -- explore filters list search looks restart
for test; do
  say "$test"
  node "tests/web/$test.mjs" || failed=$((failed + 1))
done
[ $failed = 0 ] || die "$failed of the tests of the page failed"
