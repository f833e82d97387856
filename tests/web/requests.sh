# Sourced by tests of chess-web, after checks.sh. In: WORK, a directory; CHESS_WEB, the program, for launch. Out: the
# functions below, which start servers, ask them, and check the answers.
# shellcheck shell=bash

# is WHAT FOUND WANTED: like equal, with the actual value first
is() { equal "$1" "$3" "$2"; }
# status WHAT STATUS CURL-ARGUMENTS...: checks the status; the body is in $WORK/body, the head in $WORK/head
status() {
  local what=$1 wanted=$2
  shift 2
  is "$what" "$(curl -s -g -o "$WORK/body" -D "$WORK/head" -w '%{http_code}' --max-time $PATIENCE "$@" || true)" "$wanted"
}
# has FILE TEXT WHAT: checks that a file in $WORK contains the text, in capital or small letters
has() { if grep -qiF -- "$2" "$WORK/$1"; then pass; else fail "$3: no $2" "$(head -c 300 "$WORK/$1")"; fi; }
# launch NAME [-l HOST:PORT] ARGUMENT...: starts a chess-web without sessions, on this machine's own address if no other is
# named; its address is in $address, its output in $WORK/NAME.log
launch() {
  local name=$1
  shift
  [ "$1" = -l ] || set -- -l 127.0.0.1:0 "$@"
  rm -f "$WORK/$name" # the address of an earlier one of this name
  "$CHESS_WEB" --no-sessions "$@" >"$WORK/$name" 2>"$WORK/$name.log" &
  started+=($!)
  wait_for "the address of a chess-web" grep -q . "$WORK/$name"
  read -r address <"$WORK/$name"
  address=${address%/}
}
# stop_launched: ends what launch has started
started=()
stop_launched() { for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done; }
