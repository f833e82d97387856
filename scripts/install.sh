#!/usr/bin/env bash
# In: PG or PG_CONFIG; the word "build" to compile only, "packaged" to install what is compiled already, or "remove";
# perhaps DESTDIR, a directory that stands before PostgreSQL's own.
# Out: the release build of the extension, installed into that PostgreSQL, or its files removed from there.
set -euo pipefail
. "$(dirname "$0")/env.sh"
find_postgres

libdir=${DESTDIR:-}$("$PG_CONFIG" --pkglibdir)
extdir=${DESTDIR:-}$("$PG_CONFIG" --sharedir)/extension
sudo=()
[ -w "$libdir" ] && [ -w "$extdir" ] || sudo=(sudo)

if [ "${1:-}" = remove ]; then
  say "Removing from $libdir and $extdir"
  "${sudo[@]}" rm -f "$libdir/chess.so" "$extdir/chess.control" "$extdir"/chess--*.sql
  exit 0
fi

package=$TARGET/release/chess-package-pg$MAJOR
if [ "${1:-}" != packaged ]; then
  cargo pgrx --version >/dev/null 2>&1 || die "no cargo-pgrx: run make setup"
  register_postgres
  say "Building for PostgreSQL $MAJOR"
  rm -rf "$package"
  cargo pgrx package "${FEATURES[@]}" --pg-config "$PG_CONFIG" --out-dir "$package" </dev/null
fi
[ "${1:-}" != build ] || exit 0

# place MODE DIRECTORY FILE...: by renaming a new file. A server that has the old library open keeps it, and whoever
# opens the library meanwhile finds the old one or the new one, and all of it.
place() {
  local mode=$1 dir=$2 file new
  shift 2
  for file; do
    new=$dir/.new-$$-${file##*/}
    "${sudo[@]}" install -m "$mode" "$file" "$new"
    "${sudo[@]}" mv -fT "$new" "$dir/${file##*/}"
  done
}

say "Installing into $libdir and $extdir"
# by name: the directories in the package are those of the PostgreSQL that it was built for
mapfile -t packaged < <(find "$package" -name 'chess*.sql' -o -name chess.control)
place 755 "$libdir" "$(find "$package" -name chess.so)"
# with the SQL of earlier versions, which stays as it was released
place 644 "$extdir" "${packaged[@]}" sql/history/chess--*.sql
