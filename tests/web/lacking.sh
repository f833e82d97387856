#!/usr/bin/env bash
# In: CHESS_WEB, the program; LOADER, chess-pgn; DIR, the directory of a private server; PSQL; the variables of libpq.
# Out: an error unless chess-web reports deficiencies in the terminal and to the page, exits if only other settings
# help, and continues by itself after a load or a start of the server.
set -euo pipefail
WORK=$(mktemp -d)
started=()
hba=$DIR/data/pg_hba.conf
query() { "${PSQL:-psql}" -X -q -A -t -v ON_ERROR_STOP=1 -c "$1"; }
cleanup() {
  for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
  if [ -e "$hba.before" ]; then
    as_server mv "$hba.before" "$hba"
    query 'SELECT pg_reload_conf()' >/dev/null
  fi
  query 'DROP DATABASE IF EXISTS bare WITH (FORCE)' 2>/dev/null || true
  query 'DROP DATABASE IF EXISTS closed' 2>/dev/null || true
  query 'DROP ROLE IF EXISTS locked' 2>/dev/null || true
  rm -rf "$WORK"
}
trap cleanup EXIT
passed=0 failed=0
equal() {
  if [ "$2" = "$3" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); printf 'FAILED: %s: found %q, not %q\n' "$1" "$2" "$3"; fi
}
has() { if grep -qF -- "$3" "$WORK/$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1: no $3 in $(head -c 300 "$WORK/$2")"; fi; }
# ends NAME MESSAGE ARGUMENT...: checks that chess-web exits with code 1, a message and a hint, and prints no address
ends() {
  local name=$1 message=$2 code=0
  shift 2
  "$CHESS_WEB" -l 127.0.0.1:0 "$@" >"$WORK/out" 2>"$WORK/err" </dev/null || code=$?
  equal "$name: exit code and output" "$code $(cat "$WORK/out")" "1 "
  has "$name" err "$message"
  has "$name: what to do" err "HINT:  "
}
# launch NAME ARGUMENT...: starts a chess-web that keeps running; its address is in $address, its output in
# $WORK/NAME.log
launch() {
  local name=$1
  shift
  "$CHESS_WEB" -l 127.0.0.1:0 --no-sessions "$@" >"$WORK/$name" 2>"$WORK/$name.log" &
  started+=($!)
  for _ in {1..600}; do [ -s "$WORK/$name" ] && break; sleep 0.1; done
  read -r address <"$WORK/$name"
  address=${address%/}
}
# says NAME ERROR: waits until the status reports that error
says() {
  for _ in {1..600}; do
    curl -s -o "$WORK/body" --max-time 60 "$address/api/status" || true
    grep -qF -- "\"error\":$2" "$WORK/body" && break
    sleep 0.1
  done
  has "$1" body "\"error\":$2"
}

echo "settings that cannot work"
ends "no such database" 'database "nodb" does not exist' -d nodb --no-sessions
ends "no such role" 'role "nobody" does not exist' -d "user=nobody" --no-sessions
ends "no database for sessions" 'sessions: cannot connect' --sessions nodb
query "CREATE ROLE locked LOGIN PASSWORD 'geheim'; " 
query 'CREATE DATABASE closed'
query 'REVOKE CONNECT ON DATABASE closed FROM PUBLIC'
ends "no right to connect" 'permission denied for database "closed"' -d "user=locked dbname=closed" --no-sessions
as_server cp -p "$hba" "$hba.before"
# shellcheck disable=SC2016  # expanded by the shell that is started
as_server bash -c '{ echo "local all locked scram-sha-256"; cat "$1.before"; } >"$1"' - "$hba"
query 'SELECT pg_reload_conf()' >/dev/null
# the postmaster reads it with a delay
for _ in {1..600}; do
  PGPASSWORD=wrong "${PSQL:-psql}" -X -U locked -c 'SELECT' >/dev/null 2>&1 || break
  sleep 0.1
done
ends "a wrong password" 'password authentication failed for user "locked"' -d "user=locked password=falsch" --no-sessions
equal "the password is not told" "$(grep -c falsch "$WORK/err" || true)" 0
ends "no password" 'password missing' -d "user=locked" --no-sessions

echo "what may come"
launch gone -d "host=/nonexistent"
has "no server" gone.log "the database does not answer"
says "no server" '"the database does not answer"'
query 'CREATE DATABASE bare'
launch bare -d bare
has "no extension" bare.log "the database has no extension chess; chess-pgn load"
says "no extension" '"the database has no extension chess"'
PGDATABASE=bare query 'CREATE EXTENSION chess'
says "no tables" '"schema chess holds no tables of chess-pgn"'
launch empty -d bare
has "no tables" empty.log "schema chess holds no tables of chess-pgn; chess-pgn load"
"$LOADER" schema -d bare >/dev/null
launch none -d bare
has "no games" none.log "the database has no games yet; chess-pgn load"
says "no games" null
has "no games: how many" body '"games":0'
has "no games: what to do" body '"hint":"chess-pgn load'
PGDATABASE=bare query "CREATE ROLE stranger LOGIN; GRANT USAGE ON SCHEMA chess TO stranger"
launch unread -d "dbname=bare user=stranger"
has "no right to read" unread.log "the tables cannot be read; this role may not read"
says "no right to read" '"the tables cannot be read"'
PGDATABASE=bare query "DROP OWNED BY stranger; DROP ROLE stranger"
"$LOADER" load -d bare demo/famous.pgn >/dev/null 2>&1
launch full -d bare
equal "nothing is said where nothing is lacking but an index" "$(grep -vc 'no index finds positions' "$WORK/full.log" || true)" 0
query 'DROP DATABASE bare WITH (FORCE)'
says "the database is dropped" '"the database does not exist"'
equal "a question" "$(curl -s -o "$WORK/body" -w '%{http_code}' --max-time 60 "$address/api/games")" 503
has "a question" body '"error":"the database does not exist","hint":"'
equal "no name of a database on the page" "$(grep -c bare "$WORK/body" || true)" 0
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
