#!/usr/bin/env bash
# In: the installed extension; PG or PG_CONFIG; node, npm, chromium, python3; perhaps names of tests (replay, lichess,
# explore, filters, live …), or of a part of them: "walk" (those of make test) or "rest"; SHOTS, a directory for pictures;
# SLOW=n for a browser n times slower.
# Out: an error unless chess-web, over games in a private server, counts as a replay by shakmaty does, answers the client
# berserk as lichess would, and passes the tests of its page. A test of the page fails at every error on the browser's
# console and every report of the page's policy.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
find_postgres
export LC_ALL=C.UTF-8

build_programs -q
export LOADER=$TARGET/release/chess-pgn
export CHESS_WEB=$TARGET/release/chess-web

DIR=$(new_server_dir /tmp)
WORK=$(mktemp -d)
web_pids=()
stop_serving() {
  for process in "${web_pids[@]}"; do kill "$process" 2>/dev/null || true; done
}
cleanup() {
  [ "$failed" = 0 ] || { as_server tail -n 20 "$DIR/log"; cat "$WORK"/*.log; } 2>/dev/null || true
  stop_serving
  server_stop "$DIR"
  rm -rf "$DIR" "$WORK"
}
at_end cleanup
# fsync, because a crash must lose nothing; no autovacuum, because its writes would change the state of the cache
server_init "$DIR" 'fsync = on' 'autovacuum = off'
server_start "$DIR"
"${CLIENT[@]}" -d postgres -c 'CREATE DATABASE chess'
"${CLIENT[@]}" -d chess -c 'CREATE EXTENSION chess'
export PGHOST=$DIR PGPORT=5432 PGUSER=postgres PGDATABASE=chess PSQL=$BINDIR/psql

say "Loading"
"$LOADER" load --index --clocks --evals demo/famous.pgn tests/web/games.pgn
"$TARGET/release/chess-gamegen" --games 2000 --seed 15 >"$WORK/generated.pgn"
"$LOADER" load --index --schema generated "$WORK/generated.pgn"
# the roles of docs/explorer.md
"${CLIENT[@]}" -d chess -c 'CREATE ROLE chess_web_read LOGIN; CREATE ROLE chess_web LOGIN; GRANT CREATE ON DATABASE chess TO chess_web; REVOKE TEMPORARY ON DATABASE chess FROM PUBLIC' \
  -c 'GRANT USAGE ON SCHEMA chess, generated TO chess_web_read; GRANT SELECT ON ALL TABLES IN SCHEMA chess, generated TO chess_web_read'
export READER="host=$DIR dbname=chess user=chess_web_read" KEEPER="host=$DIR dbname=chess user=chess_web"

# serve NAME ARGUMENT...: a chess-web; its address is then in url
serve() {
  local name=$1
  shift
  "$CHESS_WEB" --database "$READER" --listen 127.0.0.1:0 "$@" >"$WORK/$name.out" 2>"$WORK/$name.log" &
  web_pids+=($!)
  address() { url=$(sed -n 's|^\(http://[^ ]*[^/ ]\)/*$|\1|p' "$WORK/$name.out") && [ -n "$url" ]; }
  wait_for "the address of chess-web" address
}

# from the index, and from the games
replay() {
  serve generated --schema generated --no-sessions
  [ "$(curl -s "$url/api/explorer" | grep -o '"source":"[^"]*"')" = '"source":"index"' ] || die "the index is not asked"
  CHESS_WEB_URL=$url PGN=$WORK/generated.pgn cargo_release test -q --test replay -- --ignored --nocapture
  "${CLIENT[@]}" -d chess -c 'DROP INDEX generated.games_chess_idx'
  [ "$(curl -s "$url/api/explorer" | grep -o '"source":"[^"]*"')" = '"source":"games"' ] || die "the games are not asked"
  CHESS_WEB_URL=$url PGN=$WORK/generated.pgn cargo_release test -q --test replay -- --ignored --nocapture
}

# neither building nor running chess-web needs Node: no crate of the workspace has a build script
without_node() {
  local metadata
  metadata=$(cargo metadata --no-deps --offline --format-version 1)
  grep -q '"name":"chess-web"' <<<"$metadata" || die "cargo metadata does not show chess-web"
  ! grep -q '"custom-build"' <<<"$metadata" || die "a crate of the workspace has a build script"
  env -i "$CHESS_WEB" --help >/dev/null
}

# berserk comes from PyPI, with everything it needs, by hashes
lichess() {
  local tools=$TARGET/web-tests
  if ! cmp -s tests/web/requirements.txt "$tools/requirements.txt"; then
    rm -rf "$tools"
    python3 -m venv "$tools"
    "$tools/bin/pip" install -q --disable-pip-version-check --require-hashes -r tests/web/requirements.txt
    cp tests/web/requirements.txt "$tools/requirements.txt"
  fi
  serve lichess --sessions "$KEEPER" --upload
  CHESS_WEB_URL=$url "$tools/bin/python" tests/web/lichess.py
}

# the engine on the page
live() {
  PATH=$PATH:/usr/games
  serve without --no-sessions
  local without=$url
  serve live --no-sessions --engine stockfish
  CHESS_WEB_URL=$url PLAIN_URL=$without WEB_PID=${web_pids[-1]} in_browser live
}

# endings; the database server has tables of up to four men, where they can be had
endings() {
  local tables
  if tables=$(scripts/endgame-tables.sh); then
    cp -r "$tables" "$DIR/tables"
    own_by_server "$DIR/tables"
    "${CLIENT[@]}" -d postgres -c "ALTER DATABASE chess SET chess.syzygy_path = '$DIR/tables'"
    export TABLES=$DIR/tables
  else
    skip "endgame tables: none" "apt-get install python3-venv, and a way to PyPI"
  fi
  serve endings --no-sessions
  local status=0
  CHESS_WEB_URL=$url in_browser endings || status=$?
  # Later tests expect hints of the engine, and the tables would answer first.
  "${CLIENT[@]}" -d postgres -c 'ALTER DATABASE chess RESET chess.syzygy_path'
  return $status
}

# the page below a path of its site; the loader writes as the superuser
below() {
  serve below --base-path /chess --sessions "$KEEPER" "--upload=host=$DIR dbname=chess"
  CHESS_WEB_URL=$url in_browser below
}

# Each test has its own server, because an address may begin only 50 sessions in a day.
alone() {
  serve "$1" --sessions "$KEEPER" --upload
  CHESS_WEB_URL=$url in_browser "$1"
}

# in_browser TEST: a test of the page, by Playwright's runner
in_browser() {
  local modules=tests/web/node_modules
  if ! cmp -s tests/web/package-lock.json $modules/installed-lock.json; then
    (cd tests/web && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error >/dev/null)
    cp tests/web/package-lock.json $modules/installed-lock.json
  fi
  TARGET=$TARGET $modules/.bin/playwright test -c tests/web/playwright.config.mjs "/$1.spec"
}

export SHOTS="${SHOTS:-}" DIR BINDIR TARGET
export -f as_server is_root
# shellcheck disable=SC2016  # expanded by the shell that the test starts
export RESTART_SERVER='as_server "$BINDIR/pg_ctl" restart -w -s -m immediate -D "$DIR/data" -l "$DIR/log" -o "-p 5432 -k $DIR" </dev/null >/dev/null'
# Changes break these most often: the bundle, and one walk through the page.
walk=(bundle without_node explore)
rest=(replay lichess lacking filters finding reports tournaments list export saving upload desk repertoire devices puzzles play reading print search endings looks languages offline below restart live)
case $* in
"") set -- "${walk[@]}" "${rest[@]}" ;;
walk) set -- "${walk[@]}" ;;
rest) set -- "${rest[@]}" ;;
esac
# one TEST: runs a test
one() {
  case $1 in
  bundle) scripts/build-web.sh check ;;
  without_node | replay | lichess | below | live | endings) $1 ;;
  *) alone "$1" ;;
  esac
}
# count WORD LOG: sums the numbers before the word in a log
count() { { grep -oE "[0-9]+ $1" "$2" || true; } | awk '{ sum += $1 } END { print sum + 0 }'; }
for test; do
  say "$test"
  begin=$SECONDS
  log=$WORK/output
  set +e
  # each in its own shell, which ends at the first error outside its checks; the counts of all come at the end
  (
    FAILURES=/dev/null
    web_pids=()
    trap stop_serving EXIT
    set -e
    one "$test"
  ) </dev/null 2>&1 | tee "$log" | sed -uE "s/^FAILED: /&$test: /; /^ *[0-9]+ (passed|failed)/d; /^test result: /d"
  status=${PIPESTATUS[0]}
  set -e
  right=$(count passed "$log")
  pass "$((right == 0 && status == 0 ? 1 : right))"
  # Our scripts print each failure twice. Playwright ends with each failed test and its errors.
  failures=$(sed -nE -e "s/^FAILED: /$test: /p" -e "s/^ +[0-9]+\) ([^ ]+ › .*[^─ ]) ─*$/$test: \1/p" -e "s/^ +((\w*Error:|Test timeout).*)/$test: \1/p" "$log" |
    awk '!seen[$0]++')
  if [ -n "$failures" ]; then
    while read -r line; do fail "$line" >/dev/null; done <<<"$failures"
  elif [ "$status" != 0 ]; then
    fail "$test: exit code $status"
  fi
  echo "$test: $((SECONDS - begin)) s"
done
