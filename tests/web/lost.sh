#!/usr/bin/env bash
# In: CHESS_WEB, the program; PSQL; the variables of libpq, with games in the schema chess. Out: an error unless a connection to
# the database that is lost in the middle of an answer gives a clear status, ten thousand connections of clients leave the
# program alive and small, and the rest goes on meanwhile.
set -euo pipefail
WORK=$(mktemp -d)
WEB=
cleanup() {
  [ -z "$WEB" ] || kill "$WEB" 2>/dev/null || true
  rm -rf "$WORK"
}
trap cleanup EXIT
passed=0 failed=0
equal() {
  if [ "$2" = "$3" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); printf 'FAILED: %s: found %q, not %q\n' "$1" "$2" "$3"; fi
}
query() { "${PSQL:-psql}" -X -q -A -t -v ON_ERROR_STOP=1 -c "$1"; }
query 'CREATE SCHEMA long; CREATE TABLE long.info AS TABLE chess.info; CREATE TABLE long.players AS TABLE chess.players;
  CREATE TABLE long.events AS TABLE chess.events; CREATE TABLE long.games AS SELECT g.* FROM chess.games g, generate_series(1, 3000); ANALYZE long.games;
  CREATE VIEW long.pgn_view AS SELECT g.*, e.name AS event, w.name AS white, b.name AS black FROM long.games g
  LEFT JOIN long.events e ON e.id = event_id LEFT JOIN long.players w ON w.id = white_id LEFT JOIN long.players b ON b.id = black_id'
"$CHESS_WEB" --no-sessions --timeout 120 --schema long -l 127.0.0.1:0 >"$WORK/out" 2>"$WORK/log" &
WEB=$!
for _ in $(seq 600); do [ -s "$WORK/out" ] && break; sleep 0.1; done
read -r URL <"$WORK/out"
URL=${URL%/}
slow="/api/games/count?pattern=$(printf 'any+then+%.0s' {1..40})mate+and+wtm+and+btm"
busy="FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name = 'chess-web' AND state = 'active' AND query ~ 'chesspattern'"
# asked BUT: waits until the question is asked, over another connection than the one named; the process that answers it
asked() {
  local pid
  for _ in $(seq 600); do
    pid=$(query "SELECT pid $busy AND pid <> $1")
    if [ -n "$pid" ]; then
      echo "$pid"
      return
    fi
    sleep 0.1
  done
  echo 0
}

echo "the connection is lost once"
curl -s -o "$WORK/body" -w '%{http_code}' --max-time 300 "$URL$slow" >"$WORK/status" &
curl=$!
first=$(asked 0)
query "SELECT pg_terminate_backend($first)" >/dev/null
second=$(asked "$first")
equal "the question is asked once more" "$([ "$second" != 0 ] && echo asked)" asked
query "SELECT pg_terminate_backend($second)" >/dev/null
wait $curl || true
equal "then the client is told" "$(cat "$WORK/status")" 503
equal "in JSON" "$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["error"])' "$WORK/body")" "the database is not there"
equal "and the next question is answered" "$(curl -s -o "$WORK/body" -w '%{http_code}' "$URL/api/games?limit=3")" 200
equal "by games" "$(python3 -c 'import json,sys; print(len(json.load(open(sys.argv[1]))["games"]))' "$WORK/body")" 3

echo "ten thousand connections"
python3 - "${URL#http://}" "$WEB" <<'PY' >"$WORK/crowd"
import resource, socket, sys
host, port = sys.argv[1].split(":")
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
wanted = 10_000 if hard == resource.RLIM_INFINITY or hard > 10_100 else hard - 100
crowd, told, taken = [], 0, 0
for _ in range(wanted):
    try:
        crowd.append(socket.create_connection((host, int(port)), 10))
    except OSError:
        told += 1
for connection in crowd:
    connection.setblocking(False)
    try:
        told += connection.recv(100).startswith(b"HTTP/1.1 503")
    except BlockingIOError:
        taken += 1
    except OSError:
        told += 1
for connection in crowd:
    connection.close()
memory = next(int(line.split()[1]) for line in open(f"/proc/{sys.argv[2]}/status") if line.startswith("VmHWM"))
print(f"{wanted} connections: {taken} are served, {told} told to come again; {memory // 1024} MB at most", file=sys.stderr)
print(told + taken == wanted, taken <= 512, memory < 100 * 1024)
PY
# the server hears a moment later that they have gone
well=$(curl -s -o /dev/null -w '%{http_code}' --retry 60 --retry-delay 1 "$URL/api/status")
equal "all are served or told, the server lives and is small" "$(cat "$WORK/crowd") $well" "True True True 200"
query 'SET client_min_messages = warning; DROP SCHEMA long CASCADE'
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
