#!/usr/bin/env bash
# In: a checkout after make setup; PG or PG_CONFIG; the word "all" for the reliability tests that take minutes as well.
# Out: every check in turn, stopping at the first that fails; the last line counts: "N passed, 0 failed", and what was
# skipped because the machine does not have what it needs.
set -euo pipefail
. "$(dirname "$0")/env.sh"
find_postgres
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

licences() { cargo metadata --format-version 1 --all-features 2>/dev/null | perl scripts/licences.pl; }

pgrx_tests() {
  local dir status=0 runas=()
  if is_root; then runas=(--runas postgres); fi
  dir=$(new_server_dir /tmp) || return
  cargo pgrx test "pg$MAJOR" --no-default-features "${runas[@]}" --pgdata "$dir/data" || status=$?
  rm -rf "$dir"
  return $status
}

# Tests install the extension. A user who cannot write to PostgreSQL's own directories tests in a copy of them:
# PostgreSQL finds its files relative to its programs.
if [ ! -w "$("$PG_CONFIG" --pkglibdir)" ] || [ ! -w "$("$PG_CONFIG" --sharedir)/extension" ]; then
  copy=$TARGET/postgresql-$MAJOR
  if [ "$("$copy$BINDIR/pg_config" --version 2>/dev/null)" != "$("$PG_CONFIG" --version)" ]; then
    say "Copying PostgreSQL to $copy, because you cannot write to its directories"
    rm -rf "$copy"
    for part in bindir pkglibdir sharedir pkgincludedir; do
      dir=$("$PG_CONFIG" --$part)
      mkdir -p "$copy$dir"
      cp -r "$dir/." "$copy$dir"
    done
  fi
  export PG_CONFIG=$copy$BINDIR/pg_config
  scripts/setup.sh
  exec scripts/test.sh "$@"
fi

step format cargo fmt --all --check
step clippy cargo clippy --workspace --all-targets "${FEATURES[@]}" -- -D warnings
step licences licences
step unit-tests cargo test --workspace --exclude chess --release
step pgrx-tests pgrx_tests
step install scripts/install.sh
step regression-tests scripts/regress.sh
step isolation-tests env SUITE=isolation scripts/regress.sh
step loader scripts/test-loader.sh
step docs scripts/check-docs.sh
step programs scripts/test-programs.sh "${1:-}"
step upgrade scripts/upgrade.sh
for name in rights mutate corrupt replica; do step $name tests/reliability/$name.sh; done
if [ "${1:-}" = all ]; then
  for name in backup cancel memory limits concurrency crash pg_upgrade; do step $name tests/reliability/$name.sh; done
  step deny scripts/deny.sh
  step fuzz scripts/fuzz.sh
fi
[ $skipped = 0 ] || grep -h 'skipped: ' "$LOGS"/*.log
echo "$passed passed, 0 failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
