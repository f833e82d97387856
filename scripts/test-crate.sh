#!/usr/bin/env bash
# In: a crate, such as chess-core, and perhaps words of the names of its tests and options of the test runner; WHOLE=1 for all
# cases of property tests.
# Out: an error unless these unit and property tests pass. They are compiled as make test compiles them.
set -euo pipefail
. "$(dirname "$0")/env.sh"
find_postgres
[ $# -gt 0 ] || die "usage: scripts/test-crate.sh CRATE [WORD...]"
export CRATE=$1
# the programs, which come along for their features, are not run
cargo_test -p "$CRATE" --config 'target."cfg(all())".runner = ["sh", "-c", "[ $CARGO_PKG_NAME != $CRATE ] || exec \"$0\" \"$@\""]' \
  -- "${@:2}"
