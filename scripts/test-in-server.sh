#!/usr/bin/env bash
# In: the installed extension, in a private copy of PostgreSQL (scripts/private.sh).
# Out: an error unless the tests of src/tests.rs pass in a server. They run in a separate build that checks the types of
# all arguments; afterwards the previous extension is installed again.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
find_postgres
[ -n "${SYSTEM_PG_CONFIG:-}" ] || die "this test replaces the installed library: run it by scripts/private.sh"

# It is not optimized, because that takes longer than its tests do, and all other tests run the optimized library.
cargo_build -q --example chess_tested --features chess/pg_test --config profile.release.package.chess.opt-level=0
library=$("$PG_CONFIG" --pkglibdir)/chess.so
DIR=$(new_server_dir /tmp)
WORK=$DIR
cp "$library" "$DIR/chess.so"
at_end 'server_stop "$DIR"; cp "$DIR/chess.so" "$library"; rm -rf "$DIR"'
cp "$TARGET/release/examples/libchess_tested.so" "$library"
server_init "$DIR"
server_start "$DIR"
sql 'CREATE EXTENSION chess'

tests=$(sed -n '/^server_tests! {$/,/^}$/s/^    \([a-z0-9_]*\)$/\1/p' src/tests.rs)
[ -n "$tests" ] || die "src/tests.rs lists no tests"
for test in $tests; do
  yes "$test" sql BEGIN "CREATE FUNCTION pg_temp.run() RETURNS void AS '\$libdir/chess', '$test' LANGUAGE c" 'SELECT pg_temp.run()' ROLLBACK
done
