#!/usr/bin/env bash
# In: the installed extension; names of tests (default: all); ACCEPT=1 to make the results the expected ones;
# SUITE=isolation for the tests with concurrent sessions.
# Out: tests/pg_regress, or tests/isolation, run by pg_regress on a server of their own; the differences, if there are any.
# A test that finds something missing that PostgreSQL comes without (expected/NAME_1.out shows it) is counted as skipped.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/checks.sh
find_postgres

case ${SUITE:=pg_regress} in
  pg_regress) program=regress/pg_regress files=sql/*.sql ;;
  isolation) program=isolation/pg_isolation_regress files=specs/*.spec ;;
  *) die "no such test suite: $SUITE" ;;
esac
source=tests/$SUITE

regress=$(from_pgxs "$program") || die "no ${program##*/} found: run make setup"

tests=("$@")
if [ ${#tests[@]} = 0 ]; then
  for file in "$source"/$files; do
    since=$(sed -n '1s/^-- Since PostgreSQL \([0-9]*\):.*/\1/p' "$file")
    if [ "$MAJOR" -lt "${since:-0}" ]; then
      echo "PostgreSQL $MAJOR is too old for the test $file"
    # setup.sql only creates the extension, which pg_regress does here
    elif [ "${file##*/}" != setup.sql ]; then
      tests+=("$(basename "$file" ".${files##*.}")")
    fi
  done
fi

say "Tests of $SUITE on PostgreSQL $MAJOR"
dir=$(new_server_dir /tmp)
at_end 'rm -rf "$dir"'
# timeouts for the start of the server and for a step of a session, in seconds
export PGCTLTIMEOUT=$PATIENCE PGISOLATIONTIMEOUT=$((PATIENCE * 2))
cp -r "$source/." "$dir"
# for a new test, whose whole output is then the difference
for name in "${tests[@]}"; do [ -e "$dir/expected/$name.out" ] || touch "$dir/expected/$name.out"; done
# a plan that is switched off counts as expensive, and would be compiled for each question
echo 'jit = off' >"$dir/settings"
own_by_server "$dir"
broken=
# pg_regress writes into its working directory
as_server env -C "$dir" \
  "$regress" --bindir="$BINDIR" --temp-instance="$dir/instance" --temp-config="$dir/settings" --encoding=UTF8 --no-locale \
  --inputdir="$dir" --outputdir="$dir" --load-extension=chess --dbname=regress "${tests[@]}" || broken=1

skips() { grep -q '^skipped: ' "$dir/results/$1.out"; }

if [ -n "${ACCEPT:-}" ]; then
  for name in "${tests[@]}"; do
    skips "$name" || cp "$dir/results/$name.out" "$source/expected/$name.out"
  done
  trap - EXIT
  rm -rf "$dir" "$FAILURES"
  echo "Accepted the results of ${#tests[@]} tests; read git diff $source"
  exit 0
fi
[ ! -f "$dir/regression.diffs" ] || cat "$dir/regression.diffs"
if [ "$broken" ] && ! [ -f "$dir/regression.diffs" ]; then
  # a server that did not come up leaves no differences, only its log
  tail -n 20 "$dir"/log/*.log || true
  die "pg_regress ended without results"
fi
for name in "${tests[@]}"; do
  if [ "$broken" ] && grep -qE "^diff .*/$name(_[0-9])?\.out" "$dir/regression.diffs"; then
    fail "$SUITE, $name: its output differs"
  elif skips "$name"; then
    skip "$SUITE, $name$(grep -h '^skipped: ' "$dir/results/$name.out" | sed 's/^skipped//')" "in a PostgreSQL that is built from source: make -C contrib install"
  else
    pass
  fi
done
[ ! "$broken" ] || [ $failed != 0 ] || fail "pg_regress fails without differences"
