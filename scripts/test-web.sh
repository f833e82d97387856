#!/usr/bin/env bash
# In: the installed extension; PG or PG_CONFIG; node, npm, chromium and python3; perhaps names of tests (lichess, attack,
# replay, or a program of tests/web without .mjs). Out: an error unless chess-web over a private server answers as
# SQL does, as berserk expects and as a replay by shakmaty counts, stands attacks, and shows all that in a browser.
#
# What a test finds in its environment: CHESS_WEB_URL, the variables of libpq and PSQL; WEB, the program; CHESS_WEB_RESTART, a
# command that ends chess-web with kill -9, restarts the server at once, and starts chess-web on the same address.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
find_postgres
export LC_ALL=C.UTF-8

cargo build -q --release -p chess-pgn -p chess-gamegen -p chess-web
LOADER=$TARGET/release/chess-pgn
export WEB=$TARGET/release/chess-web
TOOLS=$TARGET/web-tests
DIR=$(new_server_dir /tmp)
WORK=$(mktemp -d)
cleanup() {
  for file in "$WORK"/*.pid; do
    [ ! -e "$file" ] || kill "$(cat "$file")" 2>/dev/null || true
  done
  server_stop "$DIR"
  rm -rf "$DIR" "$WORK"
}
trap cleanup EXIT
server_init "$DIR"
server_start "$DIR"
export PGHOST=$DIR PGPORT=5432 PGUSER=postgres PGDATABASE=chess PSQL=$BINDIR/psql

# serve NAME ADDRESS ARGUMENT...: a chess-web, whose address is then in url
serve() {
  local name=$1 address=$2
  shift 2
  : >"$WORK/$name.out"
  "$WEB" -l "$address" "$@" >"$WORK/$name.out" 2>>"$WORK/$name.log" &
  echo $! >"$WORK/$name.pid"
  for _ in {1..100}; do [ -s "$WORK/$name.out" ] && break; sleep 0.1; done
  read -r url <"$WORK/$name.out" || die "chess-web does not start: $(cat "$WORK/$name.log")"
  url=${url%/}
}

say "Loading games"
"${CLIENT[@]}" -d postgres -c 'CREATE DATABASE chess'
"${CLIENT[@]}" -d chess -c 'CREATE EXTENSION chess'
load() { "$LOADER" load --clocks --evals --index "$@" >"$WORK/load.log" 2>&1 || die "$(cat "$WORK/load.log")"; }
load demo/famous.pgn tests/web/games.pgn
"$TARGET/release/chess-gamegen" --games 2000 --seed 15 >"$WORK/generated.pgn"
load --schema generated "$WORK/generated.pgn"
# the rights of docs/explorer.md
"${CLIENT[@]}" -d chess -c 'CREATE ROLE chess_web_read LOGIN; CREATE ROLE chess_web LOGIN; GRANT CREATE ON DATABASE chess TO chess_web' \
  -c 'GRANT USAGE ON SCHEMA chess, generated TO chess_web_read; GRANT SELECT ON ALL TABLES IN SCHEMA chess, generated TO chess_web_read'
READER="dbname=chess user=chess_web_read"
WRITER="dbname=chess user=chess_web"
serve main 127.0.0.1:0 -d "$READER" --sessions "$WRITER"
export CHESS_WEB_URL=$url
cat >"$WORK/restart" <<RESTART
#!/usr/bin/env bash
set -euo pipefail
cd "$ROOT"
. scripts/env.sh
. scripts/cluster.sh
find_postgres
export PGHOST=$DIR PGPORT=5432 PGUSER=postgres PGDATABASE=chess
kill -9 "\$(cat "$WORK/main.pid")"
as_server "\$BINDIR/pg_ctl" restart -w -s -m immediate -D "$DIR/data" -l "$DIR/log" </dev/null
: >"$WORK/main.out"
"$WEB" -l "${url#http://}" -d "$READER" --sessions "$WRITER" >"$WORK/main.out" 2>>"$WORK/main.log" &
echo \$! >"$WORK/main.pid"
for _ in {1..100}; do [ -s "$WORK/main.out" ] && exit 0; sleep 0.1; done
exit 1
RESTART
chmod +x "$WORK/restart"
export CHESS_WEB_RESTART=$WORK/restart

wanted() { [ ${#names[@]} = 0 ] || [[ " ${names[*]} " == *" $1 "* ]]; }
names=("$@")
passed=0 failed=0 skipped=0
# run NAME COMMAND...
run() {
  local name=$1 log=$WORK/$1.log
  shift
  wanted "$name" || return 0
  say "$name"
  if "$@" </dev/null >"$log" 2>&1; then
    tail -n 1 "$log"
  else
    failed=$((failed + 1))
    cat "$log"
    echo "FAILED: $name"
    tail -n 20 "$WORK/main.log" || true
  fi
  passed=$((passed + $(grep -oE '^[0-9]+ passed' "$log" | awk '{ sum += $1 } END { print sum + 0 }')))
}
skip() {
  skipped=$((skipped + 1))
  echo "skipped: $1: $2"
}

replay() {
  serve generated 127.0.0.1:0 -d "$READER" --schema generated --no-sessions
  CHESS_WEB_URL=$url PGN=$WORK/generated.pgn cargo test -q --release -p chess-web --test replay -- --ignored --nocapture
  echo "1 passed"
}
run replay replay

if [ ! -x "$TOOLS/venv/bin/python" ] || ! cmp -s tests/web/requirements.txt "$TOOLS/requirements.txt"; then
  rm -rf "$TOOLS/venv"
  python3 -m venv "$TOOLS/venv" &&
    "$TOOLS/venv/bin/pip" install -q --disable-pip-version-check --require-hashes -r tests/web/requirements.txt &&
    cp tests/web/requirements.txt "$TOOLS/requirements.txt" || true
fi
if "$TOOLS/venv/bin/python" -c 'import berserk' 2>/dev/null; then
  run lichess "$TOOLS/venv/bin/python" tests/web/lichess.py
else
  skip lichess "it cannot be installed from PyPI"
fi
run attack tests/web/attack.sh

if npm ci --prefix tests/web --no-audit --no-fund --ignore-scripts --loglevel=error >"$WORK/npm.log" 2>&1; then
  for program in tests/web/*.mjs; do
    name=$(basename "$program" .mjs)
    [ "$name" = browser ] || run "$name" node "$program"
  done
else
  skip browser "npm cannot install tests/web/package-lock.json: $(tail -n 1 "$WORK/npm.log")"
fi
echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ $failed = 0 ]
