# Sourced by tests of chess-web, after checks.sh. In: PSQL and the variables of libpq; WORK, a directory. Out: functions
# that make queries last: they wait for a lock that the test holds.
# shellcheck shell=bash

query() { "${PSQL:-psql}" -X -q -A -t -v ON_ERROR_STOP=1 -c "$1"; }
# hold TABLE: locks the table until release, so that queries that read it wait
hold() {
  mkfifo "$WORK/lock"
  "${PSQL:-psql}" -X -q -A -t -v ON_ERROR_STOP=1 <"$WORK/lock" >"$WORK/holds" &
  holder=$!
  exec {LOCK}>"$WORK/lock"
  printf '%s\n' "BEGIN; LOCK TABLE $1; SELECT 'held';" >&"$LOCK"
  wait_for "a lock on $1" grep -q held "$WORK/holds"
}
release() {
  # processes started meanwhile have inherited the pipe, so closing it here does not end psql
  printf '%s\n' 'ROLLBACK;' '\q' >&"$LOCK"
  exec {LOCK}>&-
  wait "$holder"
  rm "$WORK/lock"
}
# selects the server processes of queries that wait for the lock
WAITING="SELECT pid FROM pg_stat_activity WHERE application_name = 'chess-web' AND wait_event_type = 'Lock'"
# waiting NUMBER: checks that NUMBER queries wait for the lock
waiting() { [ "$(query "SELECT count(*) FROM ($WAITING) w")" = "$1" ]; }
# serve FILE ARGUMENT...: starts a chess-web and stores its process in web, its address in the file and in address
serve() {
  local file=$1
  shift
  rm -f "$file" # the address of an earlier one
  "$CHESS_WEB" --listen 127.0.0.1:0 "$@" >"$file" 2>"$file.log" &
  web=$!
  wait_for "the address of a chess-web" grep -q . "$file"
  read -r address <"$file"
  address=${address%/}
}
