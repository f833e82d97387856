#!/usr/bin/env bash
# In: CHESS_WEB, the program; LOADER, chess-pgn; DIR, the directory of a private server; PSQL; the variables of libpq.
# Out: an error unless chess-web reports deficiencies in the terminal and to the page, exits if only other settings
# help, and continues by itself after a load or a start of the server.
set -euo pipefail
. scripts/checks.sh
. tests/web/requests.sh
WORK=$(mktemp -d)
hba=$DIR/data/pg_hba.conf
query() { "${PSQL:-psql}" -X -q -A -t -v ON_ERROR_STOP=1 -c "$1"; }
cleanup() {
  stop_launched
  if [ -e "$hba.before" ]; then
    as_server mv "$hba.before" "$hba"
    query 'SELECT pg_reload_conf()' >/dev/null
  fi
  query 'DROP DATABASE IF EXISTS bare WITH (FORCE)' 2>/dev/null || true
  query 'DROP DATABASE IF EXISTS closed' 2>/dev/null || true
  query 'DROP ROLE IF EXISTS locked' 2>/dev/null || true
  rm -rf "$WORK"
}
at_end cleanup
# ends NAME MESSAGE ARGUMENT...: checks that chess-web exits with code 1, a message and a hint, and prints no address
ends() {
  local name=$1 message=$2 code=0
  shift 2
  "$CHESS_WEB" -l 127.0.0.1:0 "$@" >"$WORK/out" 2>"$WORK/err" </dev/null || code=$?
  is "$name: exit code and output" "$code $(cat "$WORK/out")" "1 "
  has err "$message" "$name"
  has err "HINT:  " "$name: what to do"
}
reports() {
  curl -s -o "$WORK/body" --max-time 60 "$address/api/status" || true
  grep -qF -- "\"error\":$1" "$WORK/body"
}
# says NAME ERROR: waits until the status reports that error
says() {
  wait_for "an answer about $1" reports "$2"
  has body "\"error\":$2" "$1"
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
refuses() { ! PGPASSWORD=wrong "${PSQL:-psql}" -X -U locked -c 'SELECT'; }
wait_for "a server that asks for passwords" refuses
ends "a wrong password" 'password authentication failed for user "locked"' -d "user=locked password=falsch" --no-sessions
is "the password is not told" "$(grep -c falsch "$WORK/err" || true)" 0
ends "no password" 'password missing' -d "user=locked" --no-sessions

echo "what may come"
launch gone -d "host=/nonexistent"
has gone.log "the database does not answer" "no server"
says "no server" '"the database does not answer"'
query 'CREATE DATABASE bare'
launch bare -d bare
has bare.log "the database has no extension chess; chess-pgn load" "no extension"
says "no extension" '"the database has no extension chess"'
PGDATABASE=bare query 'CREATE EXTENSION chess'
says "no tables" '"schema chess holds no tables of chess-pgn"'
launch empty -d bare
has empty.log "schema chess holds no tables of chess-pgn; chess-pgn load" "no tables"
"$LOADER" schema -d bare >/dev/null
launch none -d bare
has none.log "the database has no games yet; chess-pgn load" "no games"
says "no games" null
has body '"games":0' "no games: how many"
has body '"hint":"chess-pgn load' "no games: what to do"
PGDATABASE=bare query "CREATE ROLE stranger LOGIN; GRANT USAGE ON SCHEMA chess TO stranger"
launch unread -d "dbname=bare user=stranger"
has unread.log "the tables cannot be read; this role may not read" "no right to read"
says "no right to read" '"the tables cannot be read"'
PGDATABASE=bare query "DROP OWNED BY stranger; DROP ROLE stranger"
"$LOADER" load -d bare demo/famous.pgn >/dev/null 2>&1
launch full -d bare
is "nothing is said where nothing is lacking but an index" "$(grep -vc 'there is no index of positions' "$WORK/full.log" || true)" 0
query 'DROP DATABASE bare WITH (FORCE)'
says "the database is dropped" '"the database does not exist"'
is "a question" "$(curl -s -o "$WORK/body" -w '%{http_code}' --max-time 60 "$address/api/games")" 503
has body '"error":"the database does not exist","hint":"' "a question"
is "no name of a database on the page" "$(grep -c bare "$WORK/body" || true)" 0
