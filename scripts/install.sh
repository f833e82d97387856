#!/usr/bin/env bash
# In: PG or PG_CONFIG; the word "packaged" to install an existing build, or "remove"; optionally DESTDIR, a directory
# that is prepended to PostgreSQL's own.
# Out: the extension's release build is installed into this PostgreSQL, without symbols for debuggers, or its files are removed.
set -euo pipefail
. "$(dirname "$0")/env.sh"
find_postgres

libdir=${DESTDIR:-}$("$PG_CONFIG" --pkglibdir)
extdir=${DESTDIR:-}$("$PG_CONFIG" --sharedir)/extension
sudo=()
[ -n "${DESTDIR:-}" ] || { [ -w "$libdir" ] && [ -w "$extdir" ]; } || sudo=(sudo)

if [ "${1:-}" = remove ]; then
  say "Removing from $libdir and $extdir"
  "${sudo[@]}" rm -f "$libdir/chess.so" "$extdir/chess.control" "$extdir"/chess--*.sql
  exit 0
fi

package=$TARGET/release/chess-package-pg$MAJOR
[ "${1:-}" = packaged ] || scripts/build.sh

# place DIRECTORY FILE...: installs files by renaming. A server that has the old library open keeps it, and one
# that opens it meanwhile gets either the old or the new library, never a partial one.
place() {
  local dir=$1 file new options
  shift
  for file; do
    new=$dir/.new-$$-${file##*/}
    options=(-m 644)
    [[ $file != *.so ]] || options=(-m 755 --strip)
    "${sudo[@]}" install "${options[@]}" "$file" "$new"
    "${sudo[@]}" mv -fT "$new" "$dir/${file##*/}"
  done
}

say "Installing into $libdir and $extdir"
"${sudo[@]}" mkdir -p "$libdir" "$extdir"
place "$libdir" "$package/chess.so"
place "$extdir" "$package/chess.control" "$package"/chess--*.sql
