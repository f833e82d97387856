#!/usr/bin/env bash
# In: start, stop or clean; for start the installed extension and, optionally, PGN=file.pgn and PORT=number.
# Out: a private server under target/demo with the database "chess", the output of demo/demo.sql, and chess-web with
# its page of real games, and with Stockfish if there is one.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh

DEMO=$TARGET/demo
SERVER=$DEMO/server

# The server's user must be able to enter the directory, a socket's path has at most 107 bytes, and pg_ctl passes the
# path to a shell. If the checkout does not allow that, target/demo/server is a link to another directory.
make_server_dir() {
  local socket=$SERVER/.s.PGSQL.5432
  mkdir -p "$DEMO"
  if as_server test -x "$DEMO" && [ ${#socket} -le 107 ] && [[ $SERVER =~ ^[A-Za-z0-9/._+-]+$ ]]; then
    mkdir -m 700 "$SERVER"
    own_by_server "$SERVER"
  else
    ln -s "$(new_server_dir /var/tmp)" "$SERVER"
    echo "The server cannot be in $DEMO; it is in $(readlink "$SERVER")"
  fi
}

# stops chess-web of an earlier demo; the process id may belong to another program by now
web_stop() {
  local process exe
  process=$(cat "$DEMO/web.pid" 2>/dev/null) || return 0
  # the system appends this to the name of a program that was replaced by a later build
  exe=$(cat "$DEMO/web.exe" 2>/dev/null) || exe=
  if [ -n "$exe" ] && [[ $(readlink "/proc/$process/exe" 2>/dev/null) == "$exe"* ]]; then kill "$process" 2>/dev/null || true; fi
  rm -f "$DEMO/web.pid" "$DEMO/web.exe"
}

# web_start PORT: writes the address to target/demo/web.out
web_start() {
  local options=(--listen "127.0.0.1:$1" --schema "$page" --upload)
  # where Debian puts it
  ! PATH=$PATH:/usr/games command -v stockfish >/dev/null || options+=(--engine stockfish)
  : >"$DEMO/web.out"
  PATH=$PATH:/usr/games PGHOST=$DIR PGPORT=5432 PGUSER=postgres PGDATABASE=chess nohup "$TARGET/release/chess-web" "${options[@]}" \
    </dev/null >"$DEMO/web.out" 2>"$DEMO/web.log" &
  echo $! >"$DEMO/web.pid"
  for _ in $(seq 6000); do
    if [ -s "$DEMO/web.out" ]; then
      readlink "/proc/$!/exe" >"$DEMO/web.exe" || true
      return 0
    fi
    kill -0 $! 2>/dev/null || break
    sleep 0.1
  done
  return 1
}

clean() {
  web_stop
  [ -e "$SERVER" ] || [ -L "$SERVER" ] || return 0
  local dir
  dir=$(readlink -f "$SERVER")
  server_stop "$dir"
  rm -rf "$dir" "$DEMO"
}

case ${1:-} in
start)
  [ -z "${PGN:-}" ] || [ -r "$PGN" ] || die "cannot read PGN=$PGN"
  find_postgres
  # a server of another major version cannot read these data files
  if [ -e "$SERVER" ] && [ "$(as_server cat "$(readlink -f "$SERVER")/data/PG_VERSION" 2>/dev/null)" != "$MAJOR" ]; then
    clean
  fi
  if [ ! -e "$SERVER" ]; then
    rm -f "$SERVER"
    make_server_dir
    DIR=$(readlink -f "$SERVER")
    say "Creating a private PostgreSQL $MAJOR server in $DIR"
    server_init "$DIR"
  fi
  DIR=$(readlink -f "$SERVER")
  web_stop
  # restarted, because it may run programs of another installation
  server_stop "$DIR"
  server_start "$DIR"

  "${CLIENT[@]}" -d postgres -c 'SET client_min_messages = warning' \
    -c 'DROP DATABASE IF EXISTS chess WITH (FORCE)' -c 'CREATE DATABASE chess'
  "${CLIENT[@]}" -d chess -c 'CREATE EXTENSION chess'
  load() { PGHOST=$DIR PGPORT=5432 PGUSER=postgres PGDATABASE=chess "$TARGET/release/chess-pgn" load "$@"; }
  # the schema that the page shows
  page=chess
  if [ -n "${PGN:-}" ]; then
    files=("$PGN")
    say "Loading $PGN"
  else
    files=(demo/famous.pgn demo/annotated.pgn "$DEMO/generated.pgn")
    say "Loading demo/famous.pgn, demo/annotated.pgn and 30,000 generated games"
    "$TARGET/release/chess-gamegen" --games 30000 --seed 1 >"$DEMO/generated.pgn"
  fi
  load --clocks --evals "${files[@]}"
  if [ -z "${PGN:-}" ]; then
    page=famous
    load --schema famous --index --clocks --evals demo/famous.pgn demo/annotated.pgn >/dev/null 2>&1
  fi
  [ "$("${CLIENT[@]}" -d chess -At -c 'SELECT count(*) FROM chess.games')" != 0 ] || die "no games found"
  web_start "${PORT:-8765}" || { [ -z "${PORT:-}" ] && web_start 0; } || die "chess-web does not start: $(cat "$DEMO/web.log")"
  say "The page is ready: $(cat "$DEMO/web.out")"
  "${CLIENT[@]}" -d chess -f demo/demo.sql

  say "Making the indexes that are missing"
  load --index "${files[@]}" >/dev/null
  say "The server keeps running. Continue by hand:"
  echo "  $BINDIR/psql -h $DIR -p 5432 -U postgres chess"
  say "Or in a browser:"
  echo "  $(cat "$DEMO/web.out")"
  echo "Stop it with make demo-stop (make clean-demo also removes its data, make demo creates the database anew)"
  ;;
stop)
  [ -e "$SERVER" ] || { echo "There is no demo server"; exit 0; }
  find_postgres
  web_stop
  server_stop "$(readlink -f "$SERVER")"
  echo "Stopped. The data stays in $(readlink -f "$SERVER"); make demo starts again, make clean-demo removes it"
  ;;
clean)
  [ -e "$SERVER" ] || [ -L "$SERVER" ] || exit 0
  find_postgres
  clean
  ;;
*) die "usage: demo.sh start|stop|clean" ;;
esac
