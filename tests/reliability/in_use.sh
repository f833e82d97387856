#!/usr/bin/env bash
# In: the extension, built and installed.
# Out: an error unless a server with chess in use goes on working, its files unchanged, when tests are run for its
# PostgreSQL, and goes on working when the extension is installed into it once more.
set -euo pipefail
. "$(dirname "$0")/../../scripts/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
find_postgres

# A PostgreSQL that stands for the system's, and whose library can be told from what is built.
dir=$(new_server_dir /var/tmp)
private=
at_end 'server_stop "$dir/server"; [ -z "$private" ] || rm -rf "$private" "$TARGET/postgresql-$MAJOR-$(key)"; rm -rf "$dir"'
system=$dir/system
copy_postgres "$system"
libdir=$system$("$PG_CONFIG" --pkglibdir)
extdir=$system$("$PG_CONFIG" --sharedir)/extension
PG_CONFIG=$system$BINDIR/pg_config
find_postgres
echo 'installed before' >>"$libdir/chess.so"
ln "$libdir/chess.so" "$dir/chess.so"
files() { stat -c '%i %s %Y %n' "$libdir/chess.so" "$extdir"/chess*; sha256sum "$libdir/chess.so" "$extdir"/chess*; }
before=$(files)

as_server mkdir "$dir/server"
server_init "$dir/server"
server_start "$dir/server"
"${CLIENT[@]}" -d postgres -c 'CREATE EXTENSION chess' -c 'CREATE TABLE games (game chessgame)' \
  -c "INSERT INTO games SELECT '1. e4 e5 2. Nf3 1-0' FROM generate_series(1, 1000)"

# A session that keeps the library open; what it is asked later runs code that it has not run before.
coproc SESSION { exec "${CLIENT[@]}" -d postgres -At 2>&1; }
ask() { # ask QUERY: in the session, with its answer in one line
  local line
  echo "$1" >&"${SESSION[1]}"
  read -r -t $PATIENCE line <&"${SESSION[0]}" || line='no answer'
  echo "$line"
}
hasboard="SELECT count(*) FROM games WHERE hasBoard(game, getBoard('1. e4', 1));"
go_on
equal 'the session at the start' 1000 "$(ask "$hasboard")"
new_session() { "${CLIENT[@]}" -d postgres -At -c "SELECT count(*) FROM games WHERE hasOpening(game, '1. e4 e5')" 2>&1; }

say 'Tests for a PostgreSQL whose server is in use'
private=$(private_copy)
holds 'the tests of types fail' env BUILT=1 scripts/private.sh scripts/regress.sh types >"$dir/regress" || cat "$dir/regress"
equal 'the files after tests' "$before" "$(files)"
equal 'the session after tests' 'C40 King'"'"'s Knight Opening' "$(ask "SELECT concat_ws(' ', eco, name) FROM opening('1. e4 e5 2. Nf3'::chessgame);")"
equal 'a new session after tests' 1000 "$(new_session)"

say 'Installing where a server is in use'
sum=$(sha256sum <"$dir/chess.so")
scripts/install.sh packaged
equal 'the library that the server has open' "$sum" "$(sha256sum <"$dir/chess.so")"
holds 'the library was overwritten in place' [ "$(stat -c %i "$dir/chess.so")" != "$(stat -c %i "$libdir/chess.so")" ]
strip -o "$dir/built.so" "$TARGET/release/chess-package-pg$MAJOR/chess.so"
equal 'the library that is installed' "$(sha256sum <"$dir/built.so")" "$(sha256sum <"$libdir/chess.so")"
equal 'files left over' '' "$(find "$system" -name '.new-*')"
equal 'the session after an installation' '1. e4 e5 2. Nf3' "$(ask "SELECT fromUci('e2e4 e7e5 g1f3');")"
equal 'a new session after an installation' 1000 "$(new_session)"
equal 'sessions that died' 0 "$(as_server grep -cE 'terminated by signal|PANIC' "$dir/server/log" || true)"
