#!/usr/bin/env bash
# In: a checkout after scripts/setup.sh test; PG or PG_CONFIG; the word "all" for the reliability tests that take minutes as well.
# Out: every check in turn, stopping at the first that fails; the last line counts: "N passed, 0 failed", and what was
# skipped because the machine does not have what it needs.
set -euo pipefail
. "$(dirname "$0")/env.sh"
find_postgres

# All that follows is done with a private copy of PostgreSQL: the tests install builds of their own and break things.
if [ -z "${SYSTEM_PG_CONFIG:-}" ]; then
  PRIVATE=$(private_copy)
  export PRIVATE SYSTEM_PG_CONFIG=$PG_CONFIG PG_CONFIG=$PRIVATE$BINDIR/pg_config
  scripts/setup.sh test
  exec scripts/test.sh "$@"
fi
unset ACCEPT # a test run accepts nothing

LOGS=$TARGET/test-logs/$MAJOR
rm -rf "$LOGS"
mkdir -p "$LOGS"
passed=0
skipped=0

# step NAME COMMAND...: counts what its output counts as "N passed" and "N skipped", or else itself
step() {
  local name=$1 log=$LOGS/$1.log failures
  shift
  say "Test step: $name"
  if ! "$@" </dev/null 2>&1 | tee "$log"; then
    failures=$(count failed "$log")
    echo "FAILED step: $name (output above, and in $log)"
    echo "$passed passed, $((failures ? failures : 1)) failed"
    exit 1
  fi
  passed=$((passed + $(if grep -qE '[0-9]+ passed' "$log"; then count passed "$log"; else echo 1; fi)))
  skipped=$((skipped + $(count skipped "$log")))
}
count() { { grep -oE "[0-9]+ $1" "$2" || true; } | awk '{ sum += $1 } END { print sum + 0 }'; }

clippy() {
  cargo_release clippy --all-targets -- -D warnings &&
    cargo_release clippy --example chess_tested --features chess/pg_test -- -D warnings
}

licences() { cargo metadata --format-version 1 --all-features 2>/dev/null | perl scripts/licences.pl; }

# What is installed in the system's PostgreSQL: which files, and what is in them.
system_files() {
  find "$("$SYSTEM_PG_CONFIG" --pkglibdir)" "$("$SYSTEM_PG_CONFIG" --sharedir)/extension" -name '*chess*' \
    -printf '%i %m %s %T@ %p ' -exec sha256sum {} \; | sort
}
system_untouched() { diff "$before" <(system_files) || die "the tests have changed what is installed in PostgreSQL"; }
before=$LOGS/system-files
system_files >"$before"

# built for the system's PostgreSQL, so that make install has nothing to compile; installed in the copy
install_release() { PG_CONFIG=$SYSTEM_PG_CONFIG DESTDIR=$PRIVATE scripts/install.sh; }

step format cargo fmt --all --check
step clippy clippy
step licences licences
step unit-tests cargo_release test
step install install_release
step in-server scripts/test-in-server.sh
step regression-tests scripts/regress.sh
step isolation-tests env SUITE=isolation scripts/regress.sh
step loader scripts/test-loader.sh
step layouts scripts/test-layouts.sh
step engine scripts/test-engine.sh
step explorer scripts/test-explorer.sh
step explorer-cube env QUICK=1 tests/reliability/explorer.sh
step web scripts/test-web.sh
step pictures cargo_release test --test browser -- --ignored
step docs scripts/check-docs.sh
step programs scripts/test-programs.sh "${1:-}"
step upgrade scripts/upgrade.sh
for name in rights mutate corrupt replica in_use; do step $name tests/reliability/$name.sh; done
if [ "${1:-}" = all ]; then
  for name in backup cancel memory limits concurrency crash pg_upgrade explorer; do step $name tests/reliability/$name.sh; done
  step patterns scripts/test-patterns.sh
  step cluster scripts/test-cluster.sh
  step archive scripts/dist.sh
  step packages scripts/test-deb.sh
  step deny scripts/deny.sh
  step fuzz scripts/fuzz.sh
fi
step system-untouched system_untouched
[ $skipped = 0 ] || grep -h 'skipped: ' "$LOGS"/*.log
echo "$passed passed, 0 failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
