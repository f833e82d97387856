#!/usr/bin/env bash
# In: a folder of tests/system, such as loader, and perhaps words of the names of tests; the installed extension and built
# programs, as scripts/private.sh leaves them.
# Out: an error unless these tests pass, each on private servers of PG_CONFIG.
set -euo pipefail
. "$(dirname "$0")/env.sh"
find_postgres
[ $# -gt 0 ] || die "usage: scripts/private.sh scripts/test-system.sh FOLDER [WORD...]"
export PG_CONFIG
# a crowd of clients, and engines of Debian
ulimit -n "$(ulimit -Hn)"
export PATH=$PATH:/usr/games
cargo_release test --test "$1" -- --ignored "${@:2}"
