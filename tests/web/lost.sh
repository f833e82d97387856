#!/usr/bin/env bash
# In: CHESS_WEB, the program; PSQL; the variables of libpq, with games in the schema chess. Out: an error unless a connection to
# the database that is lost in the middle of an answer gives a clear status, ten thousand connections of clients leave the
# program alive and small, and the rest goes on meanwhile.
set -euo pipefail
. scripts/checks.sh
. tests/web/lock.sh
work_here
go_on
serve "$WORK/web" --no-sessions --timeout 600 --connections 512
# waits for the lock on the players' names
question="$address/api/games?limit=3"
# another PID: checks that a process other than PID runs the query, and stores it in asked
another() {
  asked=$(query "$WAITING AND pid <> $1")
  [ -n "$asked" ]
}

echo "the connection is lost once"
hold chess.players
curl -s -o "$WORK/body" -w '%{http_code}' --max-time $PATIENCE "$question" >"$WORK/status" &
curl=$!
wait_for "the question" another 0
first=$asked
query "SELECT pg_terminate_backend($first)" >/dev/null
wait_for "the question once more" another "$first"
equal "the question is asked once more" t "$([ "$asked" != "$first" ] && echo t)"
query "SELECT pg_terminate_backend($asked)" >/dev/null
wait $curl
equal "then the client is told" 503 "$(cat "$WORK/status")"
equal "in JSON" "the database does not answer" "$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["error"])' "$WORK/body")"
release
equal "and the next question is answered" 200 "$(curl -s -o "$WORK/body" -w '%{http_code}' --max-time $PATIENCE "$question")"
equal "by games" 3 "$(python3 -c 'import json,sys; print(len(json.load(open(sys.argv[1]))["games"]))' "$WORK/body")"

echo "ten thousand connections"
equal "all are served or told, the server is small" well "$(python3 tests/web/crowd.py "${address#http://}" "$web" 10000 512)"
# the server hears a moment later that they have gone
answers() { curl -sf -o "$WORK/body" --max-time $PATIENCE "$address/api/status"; }
wait_for "the next answer" answers
holds "the next question is answered" answers
