#!/usr/bin/env bash
# In: PG or PG_CONFIG; the word "build" to compile only, or "remove".
# Out: the release build of the extension, installed into that PostgreSQL, or its files removed from there.
set -euo pipefail
. "$(dirname "$0")/env.sh"
find_postgres

libdir=$("$PG_CONFIG" --pkglibdir)
extdir=$("$PG_CONFIG" --sharedir)/extension
sudo=()
[ -w "$libdir" ] && [ -w "$extdir" ] || sudo=(sudo)

if [ "${1:-}" = remove ]; then
  say "Removing from $libdir and $extdir"
  "${sudo[@]}" rm -f "$libdir/chess.so" "$extdir/chess.control" "$extdir"/chess--*.sql
  exit 0
fi

say "Building for PostgreSQL $MAJOR"
package=$TARGET/release/chess-package-pg$MAJOR
rm -rf "$package"
cargo pgrx package "${FEATURES[@]}" --pg-config "$PG_CONFIG" --out-dir "$package" </dev/null
[ "${1:-}" != build ] || exit 0

# install(1) replaces a file by a new one: a server that has the old library open is not disturbed
say "Installing into $libdir and $extdir"
"${sudo[@]}" install -m 755 "$package$libdir/chess.so" "$libdir"
# with the SQL of earlier versions, which stays as it was released
"${sudo[@]}" install -m 644 "$package$extdir"/chess* sql/history/chess--*.sql "$extdir"
