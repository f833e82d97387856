#!/usr/bin/env bash
# In: major versions of PostgreSQL in ascending order, each from Debian's packages or from scripts/servers.sh; for 19 what
# scripts/newer-pgrx.sh takes.
# Out: an error unless the extension compiles for each and passes there the regression and isolation tests, pg_upgrade from
# the version before it and the Debian packages, both not of 19, and on the last one the TAP tests of the index in their short
# form, which take as long as all others; skipped where there is no such server. All builds but that of 19 share target/, so
# only what depends on the version is compiled.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/checks.sh
unset SYSTEM_PG_CONFIG BUILT
export PG PG_CONFIG OLD_PG_CONFIG=

# on_it COMMAND...: runs a test on what was built for this version
on_it() { (cd "$checkout" && BUILT=1 scripts/private.sh "$@") || fail "PostgreSQL $PG: $*"; }

for PG in "$@"; do
  if ! PG_CONFIG=$(server_of "$PG"); then
    skip "PostgreSQL $PG: $PG_CONFIG" "or Debian's packages: apt-get install postgresql-$PG postgresql-server-dev-$PG"
    continue
  fi
  checkout=$ROOT
  if [ "$PG" -ge 19 ]; then
    if ! checkout=$(scripts/newer-pgrx.sh); then
      skip "PostgreSQL $PG: $checkout" "rustup toolchain install stable"
      continue
    fi
    unset CARGO_TARGET_DIR
    export WITHOUT_PARQUET=1 OLD_PG_CONFIG=
  fi
  if ! (cd "$checkout" && scripts/private.sh true); then
    fail "the extension does not compile for PostgreSQL $PG"
    continue
  fi
  pass
  on_it scripts/regress.sh
  SUITE=isolation on_it scripts/regress.sh
  [ "$PG" != "${*: -1}" ] || POINTS=6 KILL_ROUNDS=1 PAUSES=4 ROUNDS=1 TRANSACTIONS=50 on_it scripts/tap.sh 'chess_*'
  [ -z "$OLD_PG_CONFIG" ] || on_it scripts/tap.sh pg_upgrade
  [ "$PG" -ge 19 ] || on_it scripts/test-deb.sh
  OLD_PG_CONFIG=$PG_CONFIG
done
