# Sourced by the tests that run the programs as several roles, after checks.sh. In: LOADER and CHESS_WEB if they are already
# built; WORK, a directory; web, empty. Out: the functions below.
# shellcheck shell=bash disable=SC2034

find_programs() {
  [ -n "${LOADER:-}" ] && [ -n "${CHESS_WEB:-}" ] || build_programs -q
  LOADER=${LOADER:-$TARGET/release/chess-pgn}
  CHESS_WEB=${CHESS_WEB:-$TARGET/release/chess-web}
}
# as USER COMMAND...: runs the command as that role
as() {
  local user=$1
  shift
  PGUSER=$user "$@"
}
# serve USER ARGUMENT...: starts a chess-web and stores its address in url
serve() {
  local user=$1
  shift
  : >"$WORK/web.out"
  PGUSER=$user "$CHESS_WEB" --listen 127.0.0.1:0 "$@" >"$WORK/web.out" 2>"$WORK/web.log" &
  web=$!
  until url=$(sed -n 's|^\(http://[^ ]*[0-9]\)/*$|\1|p' "$WORK/web.out") && [ -n "$url" ]; do
    kill -0 "$web" || die "chess-web does not start: $(cat "$WORK/web.log")"
    sleep 0.02
  done
}
unserve() {
  kill "$web"
  wait "$web" || true
  web=
}
# ask PATH CURL-ARGUMENTS...: prints the status; the body is in $WORK/body
ask() {
  local path=$1
  shift
  curl -s -g -o "$WORK/body" -w '%{http_code}' --max-time 60 "$@" "$url$path"
}
