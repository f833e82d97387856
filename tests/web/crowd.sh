#!/usr/bin/env bash
# In: CHESS_WEB, the program; PSQL; the variables of libpq, with games in the schema chess. Out: an error unless one
# client leaves room for the others despite incomplete requests, endless bodies and slow queries, from this machine,
# from another address, from an IPv6 network and behind a proxy. The test waits for a timeout of the server only to test
# that timeout.
set -euo pipefail
. scripts/checks.sh
. tests/web/requests.sh
WORK=$(mktemp -d)
cleanup() {
  stop_launched
  rm -rf "$WORK"
}
at_end cleanup
query() { "${PSQL:-psql}" -X -q -A -t -v ON_ERROR_STOP=1 -c "$1"; }
# hold HOST:PORT NUMBER TEXT: opens NUMBER connections, sends TEXT on each, and reports when they are open. At the end
# of standard input prints how many were refused and how many are still open
hold() {
  python3 -c '
import socket, sys
host, port = sys.argv[1].rsplit(":", 1)
held = []
for _ in range(int(sys.argv[2])):
    held.append(socket.create_connection((host, int(port)), 300))
    held[-1].sendall(sys.argv[3].encode().decode("unicode_escape").encode())
print("held", flush=True)
sys.stdin.read()
told = still = 0
for connection in held:
    connection.setblocking(False)
    try:
        said = connection.recv(1000)
        told += said.startswith((b"HTTP/1.1 503 ", b"HTTP/1.1 429 ")) and b"\r\nRetry-After: " in said
    except BlockingIOError:
        still += 1
print(told, still)
' "$@"
}
# held NAME HOST:PORT NUMBER TEXT: the same as a coprocess; let_go reads its output
held() {
  coproc HOLD { hold "${@:2}"; }
  local said
  read -r said <&"${HOLD[0]}" || said=nothing
  is "$1" "$said" held
}
# let_go: closes the connections and stores their counts in $became
let_go() {
  local input=${HOLD[1]} output=${HOLD[0]} process=$HOLD_PID
  exec {input}>&-
  read -r became <&"$output"
  wait "$process"
}
half='GET /api/status HTTP/1.1\r\nHost: localhost\r\n'
# the head of a request without its body
endless='POST /api/explorer/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'

echo "half-sent heads"
launch heads --connections 20 --silence 600
held "sixty heads are begun" "${address#http://}" 60 "$half"
for n in {1..30}; do status "question $n beside them" 200 "$address/api/status"; done
has head 'connection: close' "where there is little room no connection waits for another request"
let_go
is "the oldest have given way, and were told" "$became" "41 19"
launch brief --silence 1
python3 - "${address#http://}" <<'PY' >"$WORK/ended"
import socket, sys
host, port = sys.argv[1].split(":")
for sent in b"", b"GET /api/status HTTP/1.1\r\nHo":
    connection = socket.create_connection((host, int(port)), 300)
    connection.sendall(sent)
    print(connection.recv(100))
PY
is "a head that does not come ends" "$(sort -u "$WORK/ended")" "b''"

echo "bodies that never end"
launch bodies --pool 1 --timeout 600
held "ten bodies are begun" "${address#http://}" 10 "$endless"
status "they keep no question waiting" 200 "$address/api/explorer"
let_go
is "they are all waited for" "$became" "0 10"

echo "connections of one address"
own=$(python3 -c '
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any:
    try:
        any.connect(("192.0.2.1", 9))
        print(any.getsockname()[0])
    except OSError:
        pass')
if [ -z "$own" ] || [[ $own == 127.* ]]; then
  skip "connections of one address: this machine has no address but its own"
else
  launch public -l 0.0.0.0:0 --public --host "$own" --connections 100 --connections-per-address 4 --timeout 600
  port=${address##*:}
  held "four requests are in work" "$own:$port" 4 "$endless"
  status "a fifth of that address" 429 "http://$own:$port/api/status"
  has head 'retry-after: 2' "when to come again"
  has body '"error":"too many connections from this address at once' "why"
  status "one of this machine" 200 "http://127.0.0.1:$port/api/status"
  let_go
  is "the four are in work still" "$became" "0 4"
  is "when they have gone there is room" "$(curl -s -o /dev/null -w '%{http_code}' --retry 60 --retry-delay 1 --retry-all-errors "http://$own:$port/api/status")" 200
  launch proxied -l 0.0.0.0:0 --public --host "$own" --connections 100 --connections-per-address 4 --timeout 600 --trust-proxy "$own"
  port=${address##*:}
  held "forty requests of a proxy" "$own:$port" 40 "$endless"
  status "one more" 200 "http://$own:$port/api/status"
  let_go
  is "they are all in work" "$became" "0 40"
fi

echo "questions that take long"
# lock: until release, queries that need a player's name wait in the database
lock() {
  coproc LOCK { "${PSQL:-psql}" -X -q -A -t -v ON_ERROR_STOP=1; }
  local said
  printf '%s\n' 'BEGIN; LOCK TABLE chess.players;' "SELECT 'locked';" >&"${LOCK[1]}"
  read -r said <&"${LOCK[0]}"
  is "the players are locked" "$said" locked
}
release() {
  local input=${LOCK[1]} process=$LOCK_PID
  exec {input}>&-
  wait "$process"
}
count_waiting="SELECT count(*) FROM pg_stat_activity WHERE application_name = 'chess-web' AND wait_event_type = 'Lock'"
are_waiting() { [ "$(query "$count_waiting")" = "$1" ]; }
# waiting NUMBER: waits until NUMBER queries wait in the database
waiting() {
  wait_for "$1 waiting queries" are_waiting "$1"
}
# asks NAME NUMBER PATH CURL-ARGUMENTS...: sends NUMBER requests at once; their statuses are in $WORK/NAME.*
asks() {
  local name=$1 number=$2 path=$3 n
  shift 3
  for n in $(seq "$number"); do
    curl -s -g -o /dev/null -w '%{http_code}\n' --max-time 600 "$@" "$address${path/WHO/$name$n}" >"$WORK/$name.$n" &
  done
}
are_told() { [ "$(cat "$WORK/$1".* | wc -l)" -ge "$2" ]; }
# told NAME NUMBER: waits until NUMBER requests have an answer and prints their statuses
told() {
  wait_for "$2 answers" are_told "$@"
  cat "$WORK/$1".* | sort | uniq -c | xargs
}
# unknown players: each request is different, so that no answer is cached
search='/api/games/count?player=WHO&pattern=Nd5'
launch slow --timeout 600 --pool 8 --trust-proxy 127.0.0.1
id=$(curl -s "$address/api/games?limit=1" | python3 -c 'import json,sys; print(json.load(sys.stdin)["games"][0]["id"])')
lock
asks near 10 "$search"
is "of ten slow searches four are told" "$(told near 4)" "4 503"
is "six go on" "$(waiting 6)" ""
status "the status is there" 200 "$address/api/status"
asks explorer 1 /api/explorer
is "the explorer has a connection" "$(waiting 7)" ""
asks game 1 "/api/games/$id"
is "a game has one" "$(waiting 8)" ""
release
is "then the searches are answered" "$(told near 10)" "6 200 4 503"
is "and the explorer" "$(told explorer 1)" "1 200"
is "and the game" "$(told game 1)" "1 200"

lock
asks far 10 "$search" -H 'X-Forwarded-For: 10.0.0.1'
is "of ten slow searches of one client behind a proxy seven are told" "$(told far 7)" "7 429"
is "three go on" "$(waiting 3)" ""
status "it asks the explorer" 429 -H 'X-Forwarded-For: 10.0.0.1' "$address/api/explorer?play=e2e4"
has head 'retry-after: 2' "when to come again"
has body '"error":"too many requests from this address at once' "why"
status "another client counts" 200 -H 'X-Forwarded-For: 10.0.0.2' "$address/api/games/count?result=1-0"
# the first client is refused and the second sends the same request: it must not get the first one's refusal
asks refused 1 '/api/games/count?result=0-1' -H 'X-Forwarded-For: 10.0.0.1'
status "another client asks the same" 200 -H 'X-Forwarded-For: 10.0.0.2' "$address/api/games/count?result=0-1"
asks another 3 "$search" -H 'X-Forwarded-For: 10.0.0.3'
is "another one searches" "$(waiting 6)" ""
release
is "then those are answered" "$(told far 10)" "3 200 7 429"
is "and those" "$(told another 3)" "3 200"

lock
asks net 3 "$search" -H 'X-Forwarded-For: 2001:db8::1'
is "three slow searches of an address of IPv6" "$(waiting 3)" ""
status "another address of its network" 429 -H 'X-Forwarded-For: 2001:db8::ffff:1' "$address/api/games/count?result=*"
status "another network" 200 -H 'X-Forwarded-For: 2001:db8:0:1::1' "$address/api/games/count?result=*"
release
is "then those are answered" "$(told net 3)" "3 200"
